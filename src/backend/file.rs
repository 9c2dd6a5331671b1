//! (file)
