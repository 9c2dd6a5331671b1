//! (room filter)
