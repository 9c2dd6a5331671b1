//! The border between C and Rust: NULL rings, poisoned rings, panics, errors.

use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abi;
use crate::config::log;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::sys;

/// What a failure looks like in a family of functions.
pub(super) trait FfiReturn {
    /// The value that tells C of the error.
    fn failure(error: &Error) -> Self;
}

/// Functions that answer with an int: the error's code.
impl FfiReturn for c_int {
    fn failure(error: &Error) -> Self {
        error.code()
    }
}

/// Functions that answer with an unsigned number: 0.
impl FfiReturn for u32 {
    fn failure(_: &Error) -> Self {
        0
    }
}

/// Header lengths and counts of channels: what upstream answers when it does not know is given by
/// the caller of [`with_ring`] for NULL, and is 0 for what cannot fail.
impl FfiReturn for u16 {
    fn failure(_: &Error) -> Self {
        0
    }
}

/// As [`u16`].
impl FfiReturn for u8 {
    fn failure(_: &Error) -> Self {
        0
    }
}

/// Functions that answer nothing.
impl FfiReturn for () {
    fn failure(_: &Error) -> Self {}
}

/// Functions that make a ring: NULL.
impl FfiReturn for *mut abi::__pfring {
    fn failure(_: &Error) -> Self {
        std::ptr::null_mut()
    }
}

/// Functions that make a list of devices: NULL.
impl FfiReturn for *mut abi::pfring_if {
    fn failure(_: &Error) -> Self {
        std::ptr::null_mut()
    }
}

/// Functions that hand a buffer of the caller back: NULL.
impl FfiReturn for *mut c_char {
    fn failure(_: &Error) -> Self {
        std::ptr::null_mut()
    }
}

/// Runs `work` on a ring. A NULL ring gives `on_null`, with errno EINVAL.
///
/// # Safety
///
/// `ring` is NULL or a live ring (contract of [`capi`](crate::capi)).
#[inline]
pub(super) unsafe fn with_ring<T: FfiReturn>(
    ring: *mut abi::__pfring,
    on_null: T,
    work: impl FnOnce(&Handle) -> Result<T>,
) -> T {
    if ring.is_null() {
        sys::set_errno(libc::EINVAL);
        return on_null;
    }
    // SAFETY: a live ring is a Handle whose first field C knows; pfring_open cast the pointer to the
    // whole of it.
    let handle = unsafe { &*ring.cast_const().cast::<Handle>() };
    if let Err(error) = handle.check_alive() {
        return fail(&error);
    }
    match catch_unwind(AssertUnwindSafe(|| work(handle))) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => fail(&error),
        Err(_) => {
            handle.poison();
            fail(&Error::Poisoned)
        }
    }
}

/// The ring behind a pointer, for what cannot panic and looks at the ring's state itself. None for NULL.
///
/// # Safety
///
/// As for [`with_ring`].
#[inline(always)]
pub(super) unsafe fn handle<'a>(ring: *mut abi::__pfring) -> Option<&'a Handle> {
    // SAFETY: as in `with_ring`.
    unsafe { ring.cast_const().cast::<Handle>().as_ref() }
}

/// Runs `work` that needs no ring.
pub(super) fn guard<T: FfiReturn>(work: impl FnOnce() -> Result<T>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => fail(&error),
        Err(_) => fail(&Error::Poisoned),
    }
}

/// Tells C: the value, and errno last.
#[cold]
pub(super) fn fail<T: FfiReturn>(error: &Error) -> T {
    match error {
        Error::Broken | Error::EndOfFile | Error::NotEnabled => {}
        // What comes from settings of ours is told in any case: the program cannot know of them.
        Error::BadSetting(text) | Error::NotBuilt(text) => log::notice(format_args!("{text}")),
        Error::Os(..) => log::debug(format_args!("{error}")),
        _ => log::error(format_args!("{error}")),
    }
    let value = T::failure(error);
    sys::set_errno(error.errno());
    value
}

/// The answer of a function that stock Linux cannot honour.
pub(super) fn unsupported<T: FfiReturn>(what: &'static str) -> Result<T> {
    Err(Error::NotSupported(what))
}

/// A pointer that must not be NULL.
#[inline(always)]
pub(super) fn out<T>(pointer: *mut T, name: &'static str) -> Result<std::ptr::NonNull<T>> {
    match std::ptr::NonNull::new(pointer) {
        Some(pointer) => Ok(pointer),
        // Not `ok_or`: it would make and drop an error at every call.
        None => Err(Error::InvalidArgument(name)),
    }
}
