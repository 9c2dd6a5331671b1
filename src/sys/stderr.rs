//! The one way out to file descriptor 2, without the buffers and locks of the C and Rust libraries.

/// Writes the bytes to stderr with one write(2); what does not fit or fails is lost.
///
/// Takes no lock and leaves errno alone, so it may be called on any path.
pub fn write(bytes: &[u8]) {
    // SAFETY: the pointer and the length are those of a live slice; errno is the calling thread's
    // own.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len());
        *errno = before;
    }
}
