//! (room packet)
