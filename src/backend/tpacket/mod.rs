//! (tpacket)
