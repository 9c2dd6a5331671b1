//! What `linux/pf_ring.h` declares: the packet header with the parsing information, filter rules,
//! modes, limits and return codes.

mod by_hand;
mod constants;
mod header;
mod hw_rules;
mod kernel;
mod modes;
mod protocols;
mod rules;

pub use by_hand::*;
pub use constants::*;
pub use header::*;
pub use hw_rules::*;
pub use kernel::*;
pub use modes::*;
pub use protocols::*;
pub use rules::*;
