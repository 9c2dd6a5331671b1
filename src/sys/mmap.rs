//! A shared mapping of a ring, as raw memory: the kernel writes to it, so no reference to it lives
//! longer than a frame.

use std::os::fd::OwnedFd;

use memmap2::{MmapOptions, MmapRaw};

use crate::error::{Error, Result};

/// A shared mapping that is unmapped when dropped.
///
/// A mapping keeps its socket alive in the kernel: drop it before the descriptor.
#[derive(Debug)]
pub struct Mapping(MmapRaw);

impl Mapping {
    /// Maps `len` bytes from the start of `fd`.
    ///
    /// # Errors
    ///
    /// `OutOfMemory` when the kernel has no room, `Os` for any other failure.
    pub fn new(fd: &OwnedFd, len: usize) -> Result<Self> {
        match MmapOptions::new().len(len).map_raw(fd) {
            Ok(map) => Ok(Self(map)),
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => Err(Error::OutOfMemory),
            Err(error) => Err(Error::Os("mmap", error)),
        }
    }

    /// Maps `len` bytes from `offset` of `fd`, for reading only: writing to them ends the process.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn read_only(fd: &OwnedFd, offset: u64, len: usize) -> Result<Self> {
        let mut options = MmapOptions::new();
        match options.offset(offset).len(len).map_raw_read_only(fd) {
            Ok(map) => Ok(Self(map)),
            Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => Err(Error::OutOfMemory),
            Err(error) => Err(Error::Os("mmap", error)),
        }
    }

    /// The first byte of the mapping.
    pub fn base(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the mapping has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Asks for a line of memory; wrong addresses do no harm.
#[inline(always)]
pub fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; it reads nothing that could fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
