//! (room handle)
