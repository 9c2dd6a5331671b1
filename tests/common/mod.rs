//! What the integration tests share: private network namespaces, numbered traffic, measuring
//! of CPU time and memory, and a thin wrapper of the C functions.
//!
//! Every test file takes the part that it needs, hence the allowances.
#![allow(dead_code, unused_imports, unused_macros)]

pub mod child;
pub mod flow;
pub mod form;
pub mod frame;
pub mod lab;
pub mod ns;
pub mod open;
pub mod pcapfile;
pub mod ring;
pub mod sender;
pub mod udp;
pub mod usage;
pub mod worker;

pub(crate) use form::forms;
pub use form::{Form, Outcome, best_of_three, within};
pub use lab::{Lab, Turn};
pub use open::{Open, backends, thrifty_modes, wait_modes};
pub use ring::Ring;
pub use worker::Worker;
