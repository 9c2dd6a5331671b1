//! libpcap's filter compiler and classic-BPF interpreter, loaded at run time.
//!
//! The library is looked for once per process, at the first call that needs it; a process that sets
//! no filter never loads it. Everything outside this file is safe, but for the two functions that
//! serve raw C pointers ([`run_raw`] and [`free_malloced`]).

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use libc::sock_filter;
use parking_lot::Mutex;

use crate::error::{Error, Result};

/// The names that libpcap goes by: the upstream soname, Debian's, and the link of a development
/// package.
const NAMES: [&CStr; 3] = [c"libpcap.so.1", c"libpcap.so.0.8", c"libpcap.so"];

/// The size of `errbuf`, `PCAP_ERRBUF_SIZE` of `pcap/pcap.h`.
const ERRBUF_SIZE: usize = 256;

/// The netmask for `ip broadcast`, 255.255.255.0 as in upstream's file input.
const NETMASK: u32 = 0xffff_ff00;

/// Bytes kept per packet by a handle that is opened only to compile on it.
const LIVE_SNAPLEN: c_int = 64;

/// Ring of a handle that is opened only to compile on it: libpcap rounds it up to one frame.
const LIVE_BUFFER: c_int = 4096;

/// `pcap_compile` shares parser state between threads before libpcap 1.8.
static COMPILING: Mutex<()> = Mutex::new(());

/// An opaque `pcap_t`.
#[repr(C)]
struct RawPcap {
    _opaque: [u8; 0],
}

/// `struct bpf_program` of `pcap/bpf.h`; `struct bpf_insn` has the layout of `sock_filter`.
#[repr(C)]
struct RawProgram {
    len: c_uint,
    insns: *mut sock_filter,
}

/// The functions that we use, with the C types of `pcap/pcap.h`.
struct Api {
    open_dead: unsafe extern "C" fn(c_int, c_int) -> *mut RawPcap,
    create: unsafe extern "C" fn(*const c_char, *mut c_char) -> *mut RawPcap,
    set_snaplen: unsafe extern "C" fn(*mut RawPcap, c_int) -> c_int,
    set_buffer_size: unsafe extern "C" fn(*mut RawPcap, c_int) -> c_int,
    activate: unsafe extern "C" fn(*mut RawPcap) -> c_int,
    datalink: unsafe extern "C" fn(*mut RawPcap) -> c_int,
    statustostr: unsafe extern "C" fn(c_int) -> *const c_char,
    geterr: unsafe extern "C" fn(*mut RawPcap) -> *mut c_char,
    close: unsafe extern "C" fn(*mut RawPcap),
    compile:
        unsafe extern "C" fn(*mut RawPcap, *mut RawProgram, *const c_char, c_int, u32) -> c_int,
    freecode: unsafe extern "C" fn(*mut RawProgram),
    validate: unsafe extern "C" fn(*const sock_filter, c_int) -> c_int,
    filter: unsafe extern "C" fn(*const sock_filter, *const u8, c_uint, c_uint) -> c_uint,
}

/// Loads the first library of `names` that there is. It stays loaded for the life of the process.
///
/// # Errors
///
/// The loader's message for the first name, or which function the library lacks.
fn load(names: &[&CStr]) -> std::result::Result<Api, String> {
    let mut first_message = None;
    for name in names {
        // SAFETY: `name` is a C string; running libpcap's initialisers has no precondition.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if let Some(library) = NonNull::new(library) {
            return bind(library);
        }
        first_message.get_or_insert_with(loader_message);
    }
    Err(first_message.unwrap_or_default())
}

/// What the dynamic loader says about its last failure on this thread.
fn loader_message() -> String {
    // SAFETY: dlerror has no precondition; its text is read at once, before another dl call.
    unsafe { text(libc::dlerror()) }
}

/// Looks up every function of [`Api`].
fn bind(library: NonNull<c_void>) -> std::result::Result<Api, String> {
    // SAFETY: each name is a function of libpcap 1.x whose C type is that of the field; what a
    // pointer of `function` is turned into is decided by the field.
    unsafe {
        Ok(Api {
            open_dead: function(library, c"pcap_open_dead")?,
            create: function(library, c"pcap_create")?,
            set_snaplen: function(library, c"pcap_set_snaplen")?,
            set_buffer_size: function(library, c"pcap_set_buffer_size")?,
            activate: function(library, c"pcap_activate")?,
            datalink: function(library, c"pcap_datalink")?,
            statustostr: function(library, c"pcap_statustostr")?,
            geterr: function(library, c"pcap_geterr")?,
            close: function(library, c"pcap_close")?,
            compile: function(library, c"pcap_compile")?,
            freecode: function(library, c"pcap_freecode")?,
            validate: function(library, c"bpf_validate")?,
            filter: function(library, c"bpf_filter")?,
        })
    }
}

/// A function of a library, as the function pointer type `F`.
///
/// # Safety
///
/// - `F` is a function pointer type, and the C type of the function of that name.
/// - `library` came from dlopen and is not closed while the result lives.
unsafe fn function<F: Copy>(
    library: NonNull<c_void>,
    name: &CStr,
) -> std::result::Result<F, String> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: a handle of dlopen and a C string.
    let address = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) };
    if address.is_null() {
        return Err(loader_message());
    }
    // SAFETY: the caller says that a function of type F is there; F is as large as a pointer.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}

/// A C string as text; empty for NULL.
///
/// # Safety
///
/// - `text` is NULL or a C string that does not change during the call.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// The functions, loaded at the first call.
///
/// # Errors
///
/// [`Error::NoLibpcap`], the same at every call: a library installed later is not seen.
fn api() -> Result<&'static Api> {
    static API: OnceLock<std::result::Result<Api, String>> = OnceLock::new();
    API.get_or_init(|| load(&NAMES))
        .as_ref()
        .map_err(|message| Error::NoLibpcap(message.clone()))
}

/// A `pcap_t` of our own; closing it frees everything it holds.
pub struct Pcap {
    api: &'static Api,
    raw: NonNull<RawPcap>,
}

impl Pcap {
    /// A handle without a device, to compile for `link_type` (a DLT value). `snaplen` bytes is
    /// what its programs return for a packet that matches; 0 counts as 1.
    ///
    /// # Errors
    ///
    /// [`Error::NoLibpcap`], [`Error::OutOfMemory`].
    pub fn dead(link_type: i32, snaplen: u32) -> Result<Self> {
        let api = api()?;
        let snaplen = c_int::try_from(snaplen.max(1)).unwrap_or(c_int::MAX);
        // SAFETY: two plain integers.
        let raw = unsafe { (api.open_dead)(link_type, snaplen) };
        Ok(Self {
            api,
            raw: NonNull::new(raw).ok_or(Error::OutOfMemory)?,
        })
    }

    /// A handle on a live device, as small as libpcap allows and not promiscuous. It is a socket
    /// and a ring of one frame; opening takes about 10 ms and closing about 25 ms.
    ///
    /// # Errors
    ///
    /// [`Error::NoLibpcap`]; [`Error::NotSupported`] when the device cannot be captured on.
    pub fn live(device: &CStr) -> Result<Self> {
        let api = api()?;
        let mut message: [c_char; ERRBUF_SIZE] = [0; ERRBUF_SIZE];
        // SAFETY: a C string, and room for PCAP_ERRBUF_SIZE bytes.
        let raw = unsafe { (api.create)(device.as_ptr(), message.as_mut_ptr()) };
        let raw = NonNull::new(raw).ok_or(Error::NotSupported("a capture to compile on"))?;
        let pcap = Self { api, raw };
        // SAFETY: `raw` is an open handle of ours that is not yet activated. A negative status
        // means that it was not activated; it is closed by Drop either way.
        let status = unsafe {
            (api.set_snaplen)(raw.as_ptr(), LIVE_SNAPLEN);
            (api.set_buffer_size)(raw.as_ptr(), LIVE_BUFFER);
            (api.activate)(raw.as_ptr())
        };
        if status < 0 {
            return Err(Error::NotSupported("a capture to compile on"));
        }
        Ok(pcap)
    }

    /// The link type of what is captured, a DLT value.
    pub fn link_type(&self) -> i32 {
        // SAFETY: an open handle of ours, dead or activated.
        unsafe { (self.api.datalink)(self.raw.as_ptr()) }
    }

    /// Compiles a filter text, optimised. May ask the name service, if the text names hosts.
    ///
    /// # Errors
    ///
    /// [`Error::FilterSyntax`] with libpcap's message.
    pub fn compile(&self, filter: &CStr) -> Result<Code> {
        let _serial = COMPILING.lock();
        let mut program = RawProgram {
            len: 0,
            insns: std::ptr::null_mut(),
        };
        let raw = self.raw.as_ptr();
        // SAFETY: an open handle, a place for the result, a C string.
        let status = unsafe { (self.api.compile)(raw, &mut program, filter.as_ptr(), 1, NETMASK) };
        if status < 0 {
            return Err(self.syntax_error(status));
        }
        let insns = if program.insns.is_null() {
            Vec::new()
        } else {
            // SAFETY: pcap_compile succeeded: `insns` points to `len` instructions until freecode.
            unsafe { std::slice::from_raw_parts(program.insns, program.len as usize) }.to_vec()
        };
        // SAFETY: a program that pcap_compile filled in and that nobody else freed.
        unsafe { (self.api.freecode)(&mut program) };
        Code::check(self.api, insns)
    }

    /// The message that belongs to a failed compilation.
    fn syntax_error(&self, status: c_int) -> Error {
        // SAFETY: an open handle; both texts are C strings that last until its next use.
        let (message, fallback) = unsafe {
            (
                text((self.api.geterr)(self.raw.as_ptr())),
                (self.api.statustostr)(status),
            )
        };
        if message.is_empty() {
            // SAFETY: pcap_statustostr returns a C string that lasts until its next call.
            return Error::FilterSyntax(unsafe { text(fallback) });
        }
        Error::FilterSyntax(message)
    }
}

impl Drop for Pcap {
    fn drop(&mut self) {
        // SAFETY: a handle of ours, closed here and nowhere else.
        unsafe { (self.api.close)(self.raw.as_ptr()) }
    }
}

/// Instructions that passed `bpf_validate`: each jump stays inside, each scratch word exists, the
/// last one returns. So they may run on any packet.
#[derive(Clone)]
pub struct Code {
    api: &'static Api,
    insns: Box<[sock_filter]>,
}

impl Code {
    /// Takes instructions that pass the check of libpcap.
    fn check(api: &'static Api, insns: Vec<sock_filter>) -> Result<Self> {
        let len = c_int::try_from(insns.len()).map_err(|_| Error::OutOfMemory)?;
        // SAFETY: `len` instructions that are ours.
        if insns.is_empty() || unsafe { (api.validate)(insns.as_ptr(), len) } == 0 {
            return Err(Error::FilterSyntax(
                "libpcap made a program that it refuses".to_owned(),
            ));
        }
        Ok(Self {
            api,
            insns: insns.into_boxed_slice(),
        })
    }

    /// The instructions.
    pub fn insns(&self) -> &[sock_filter] {
        &self.insns
    }

    /// The same program, returning `bytes` for every packet that it accepts.
    #[must_use]
    pub fn accepting(mut self, bytes: u32) -> Self {
        let return_constant = (libc::BPF_RET | libc::BPF_K) as u16;
        for insn in &mut self.insns {
            if insn.code == return_constant && insn.k != 0 {
                insn.k = bytes;
            }
        }
        self
    }

    /// Bytes of the packet to keep, 0 to drop it. `data` is what was captured of a packet of
    /// `wire_len` bytes.
    #[inline]
    pub fn run(&self, data: &[u8], wire_len: u32) -> u32 {
        let captured = u32::try_from(data.len()).unwrap_or(u32::MAX);
        // SAFETY: the instructions passed bpf_validate (only accepted lengths changed since), and
        // at most `data.len()` bytes are readable at its start.
        unsafe { (self.api.filter)(self.insns.as_ptr(), data.as_ptr(), wire_len, captured) }
    }

    /// A copy that C may own: `malloc`ed, so that libpcap's `pcap_freecode` frees it as well as
    /// [`free_malloced`] does.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn to_malloc(&self) -> Result<NonNull<c_void>> {
        let bytes = size_of_val(&*self.insns);
        // SAFETY: malloc has no precondition.
        let copy = NonNull::new(unsafe { libc::malloc(bytes) }).ok_or(Error::OutOfMemory)?;
        // SAFETY: both sides have `bytes` bytes, and the new one overlaps nothing.
        unsafe {
            copy.as_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(self.insns.as_ptr().cast(), bytes);
        }
        Ok(copy)
    }
}

/// Frees instructions made by [`Code::to_malloc`] or by libpcap itself; NULL is left alone.
///
/// # Safety
///
/// - `insns` is NULL or a `malloc`ed block that nobody uses or frees afterwards.
pub unsafe fn free_malloced(insns: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { libc::free(insns) }
}

/// Runs a program of the caller on a packet of `len` bytes of which `caplen` are there; returns
/// the bytes to keep, 0 to drop it.
///
/// # Errors
///
/// [`Error::InvalidArgument`] for a NULL pointer (no data is fine where `caplen` is 0);
/// [`Error::NoLibpcap`].
///
/// # Safety
///
/// - `insns` is NULL or a valid classic-BPF program whose every path ends in a return.
/// - `data` is NULL or has `caplen` readable bytes.
pub unsafe fn run_raw(insns: *const c_void, data: *const u8, caplen: u32, len: u32) -> Result<u32> {
    if insns.is_null() {
        return Err(Error::InvalidArgument("insns"));
    }
    if data.is_null() && caplen > 0 {
        return Err(Error::InvalidArgument("data"));
    }
    let api = api()?;
    // SAFETY: the caller's promises; bpf_filter reads at most `caplen` bytes of `data`.
    Ok(unsafe { (api.filter)(insns.cast(), data, len, caplen) })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Runs a `malloc`ed program as C would, expects its verdict, and frees it.
    pub(crate) fn run_and_free(insns: NonNull<c_void>, frame: &[u8], verdict: u32) {
        let len = frame.len() as u32;
        // SAFETY: a program of Code::to_malloc, and `len` bytes of frame; freed once.
        unsafe {
            let got = run_raw(insns.as_ptr(), frame.as_ptr(), len, len);
            free_malloced(insns.as_ptr());
            assert_eq!(got.unwrap(), verdict);
        }
    }

    #[test]
    fn a_missing_library_gives_the_loaders_message() {
        let message = load(&[c"libpfring-no-such-library.so.1"]).err().unwrap();
        assert!(
            message.contains("libpfring-no-such-library.so.1"),
            "{message}"
        );
    }

    #[test]
    fn a_library_without_the_functions_says_which() {
        let message = load(&[c"libc.so.6"]).err().unwrap();
        assert!(message.contains("pcap_open_dead"), "{message}");
    }

    #[test]
    fn raw_run_refuses_null() {
        // SAFETY: NULL is within the contract.
        let got = unsafe { run_raw(std::ptr::null(), [0u8; 4].as_ptr(), 4, 4) };
        assert!(matches!(got, Err(Error::InvalidArgument("insns"))));
        let insn = sock_filter {
            code: 6,
            jt: 0,
            jf: 0,
            k: 9,
        };
        // SAFETY: `ret #9`, and NULL data is within the contract.
        let got = unsafe { run_raw((&raw const insn).cast(), std::ptr::null(), 4, 4) };
        assert!(matches!(got, Err(Error::InvalidArgument("data"))));
    }
}
