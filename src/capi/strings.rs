//! C strings in, the caller's buffers out.

use std::ffi::{CStr, c_char};

use crate::error::{Error, Result};

/// A string of C's.
///
/// # Safety
///
/// `text` is NULL or ends with a zero byte, and is not changed while the result lives.
pub(super) unsafe fn string<'a>(text: *const c_char, name: &'static str) -> Result<&'a CStr> {
    if text.is_null() {
        return Err(Error::InvalidArgument(name));
    }
    // SAFETY: the contract of this function.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// The name of an interface. One that is no text belongs to no interface.
///
/// # Safety
///
/// As [`string`].
pub(super) unsafe fn interface<'a>(name: *const c_char) -> Result<&'a str> {
    // SAFETY: the contract of this function.
    let name = unsafe { string(name, "device name") }?;
    name.to_str()
        .map_err(|_| Error::NoSuchDevice(name.to_string_lossy().into_owned()))
}

/// The name of a device to add to a ring: NULL is -1 there, as for any name that cannot be bound.
///
/// # Safety
///
/// As [`string`].
pub(super) unsafe fn device<'a>(name: *const c_char) -> Result<&'a CStr> {
    // SAFETY: the contract of this function.
    unsafe { string(name, "device name") }
        .map_err(|_| Error::BadDeviceName("no device name".into()))
}

/// Bytes of C's to read; no bytes may be NULL.
///
/// # Safety
///
/// `data` is NULL or has `len` readable bytes, which nobody changes while the result lives.
pub(super) unsafe fn bytes<'a>(
    data: *const u8,
    len: usize,
    name: &'static str,
) -> Result<&'a [u8]> {
    match (data.is_null(), len) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(Error::InvalidArgument(name)),
        // SAFETY: the contract of this function.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data, len) }),
    }
}

/// A buffer of C's to write to.
///
/// # Safety
///
/// `data` is NULL or has `len` writable bytes, which nobody else uses while the result lives.
pub(super) unsafe fn buffer<'a>(
    data: *mut c_char,
    len: usize,
    name: &'static str,
) -> Result<&'a mut [u8]> {
    if data.is_null() {
        return Err(Error::InvalidArgument(name));
    }
    // SAFETY: the contract of this function.
    Ok(unsafe { std::slice::from_raw_parts_mut(data.cast(), len) })
}
