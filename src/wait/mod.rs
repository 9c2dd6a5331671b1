//! (room wait)
