//! Reads the environment so that a program with raised rights cannot be steered by its caller.

use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

unsafe extern "C" {
    /// glibc 2.17 and musl 1.1.24 have it; the libc crate lacks it for Linux.
    fn secure_getenv(name: *const libc::c_char) -> *mut libc::c_char;
}

/// The value of an environment variable, copied.
///
/// None when it is not set, and always in a process that runs with more rights than its caller
/// has (set-user-ID, file capabilities): secure_getenv(3).
pub fn secure_get(name: &CStr) -> Option<OsString> {
    // SAFETY: `name` is a terminated string. The value is copied at once; as with getenv(3), the
    // host program must not change its environment in another thread at the same time.
    unsafe {
        let value = secure_getenv(name.as_ptr());
        (!value.is_null()).then(|| OsStr::from_bytes(CStr::from_ptr(value).to_bytes()).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        assert_eq!(secure_get(c"PATH"), std::env::var_os("PATH"));
        assert!(secure_get(c"PATH").is_some());
        assert_eq!(secure_get(c"PFRING_NO_SUCH_VARIABLE"), None);
    }
}
