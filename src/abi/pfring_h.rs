//! What `pfring.h` declares: the ring, its counters, the records of the calls, and the flags of
//! `pfring_open`.

mod by_hand;
mod constants;
mod handle;
mod types;

pub use by_hand::*;
pub use constants::*;
pub use handle::*;
pub use types::*;
