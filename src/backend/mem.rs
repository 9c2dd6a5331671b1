//! (mem)
