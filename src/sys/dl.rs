//! Loading libraries at run time: dlopen(3), dlsym(3).

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// A library that stays loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Library(NonNull<c_void>);

// SAFETY: the dynamic loader's functions may be called from any thread, and the library is never
// unloaded.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a library by name or path; None when that fails.
    pub fn open(name: &CStr) -> Option<Self> {
        // SAFETY: `name` is a string. Loading runs the library's constructors, which is what the
        // caller asks for.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(library).map(Self)
    }

    /// The address of a function, as a pointer without its type; None when there is none.
    pub fn function(&self, name: &CStr) -> Option<unsafe extern "C" fn()> {
        // SAFETY: the library is loaded, `name` is a string.
        let address = NonNull::new(unsafe { libc::dlsym(self.0.as_ptr(), name.as_ptr()) })?;
        // SAFETY: an address of the loader's is not NULL; whoever calls it has to know its type.
        Some(unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(address.as_ptr())
        })
    }
}
