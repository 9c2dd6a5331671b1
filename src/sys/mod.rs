//! (room sys)
