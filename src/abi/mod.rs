//! (room abi)
