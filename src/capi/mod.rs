//! (room capi)
