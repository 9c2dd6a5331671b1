//! A live capture by libpcap, which is loaded at run time: the other side of the comparison.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use super::Seen;

/// `struct pcap_pkthdr`; with nanosecond precision the microseconds are nanoseconds.
#[repr(C)]
struct PacketHeader {
    ts: libc::timeval,
    caplen: u32,
    len: u32,
}

/// `struct bpf_program`.
#[repr(C)]
struct Program {
    len: u32,
    insns: *mut c_void,
}

const PCAP_TSTAMP_PRECISION_NANO: c_int = 1;
const PCAP_ERRBUF_SIZE: usize = 256;
const PCAP_NETMASK_UNKNOWN: u32 = u32::MAX;

/// Declares the functions of libpcap that are used, and loads them by name.
macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        struct Api {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Api {
            /// None where the library or one of the functions is missing.
            fn load() -> Option<Api> {
                let library = [c"libpcap.so.0.8", c"libpcap.so.1", c"libpcap.so"]
                    .into_iter()
                    // SAFETY: a C string and a constant.
                    .map(|name| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) })
                    .find(|library| !library.is_null())?;
                Some(Api {
                    $($name: {
                        let name = concat!("pcap_", stringify!($name), "\0");
                        // SAFETY: an open library and a string with its NUL.
                        let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                        if address.is_null() {
                            return None;
                        }
                        // SAFETY: the function of that name has this type (pcap/pcap.h).
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($arg),*) $(-> $ret)?,
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    create: fn(*const c_char, *mut c_char) -> *mut c_void;
    set_snaplen: fn(*mut c_void, c_int) -> c_int;
    set_immediate_mode: fn(*mut c_void, c_int) -> c_int;
    set_tstamp_precision: fn(*mut c_void, c_int) -> c_int;
    set_buffer_size: fn(*mut c_void, c_int) -> c_int;
    activate: fn(*mut c_void) -> c_int;
    setnonblock: fn(*mut c_void, c_int, *mut c_char) -> c_int;
    next_ex: fn(*mut c_void, *mut *mut PacketHeader, *mut *const u8) -> c_int;
    compile: fn(*mut c_void, *mut Program, *const c_char, c_int, u32) -> c_int;
    setfilter: fn(*mut c_void, *mut Program) -> c_int;
    freecode: fn(*mut Program);
    geterr: fn(*mut c_void) -> *const c_char;
    close: fn(*mut c_void);
}

/// An open capture that never waits.
pub struct Capture {
    api: Api,
    raw: *mut c_void,
}

impl Drop for Capture {
    fn drop(&mut self) {
        // SAFETY: opened once, closed once.
        unsafe { (self.api.close)(self.raw) }
    }
}

impl Capture {
    /// Opens a device of the thread's namespace; the error says what is missing.
    pub fn open(device: &str, snaplen: u32) -> Result<Capture, String> {
        let api = Api::load().ok_or("libpcap is not there")?;
        let device = CString::new(device).expect("device names hold no NUL");
        let mut message: [c_char; PCAP_ERRBUF_SIZE] = [0; PCAP_ERRBUF_SIZE];
        // SAFETY: a C string and a buffer of the size that libpcap asks for.
        let raw = unsafe { (api.create)(device.as_ptr(), message.as_mut_ptr()) };
        assert!(!raw.is_null(), "pcap_create");
        let capture = Capture { api, raw };
        let api = &capture.api;
        let snaplen = c_int::try_from(snaplen).expect("a snap length");
        // SAFETY: a handle that is not activated yet; the setters take plain numbers.
        let rcs = unsafe {
            [
                (api.set_snaplen)(raw, snaplen),
                (api.set_immediate_mode)(raw, 1),
                (api.set_tstamp_precision)(raw, PCAP_TSTAMP_PRECISION_NANO),
                (api.set_buffer_size)(raw, 32 << 20),
                (api.activate)(raw),
                (api.setnonblock)(raw, 1, message.as_mut_ptr()),
            ]
        };
        assert_eq!(rcs, [0; 6], "libpcap: {}", capture.error());
        Ok(capture)
    }

    fn error(&self) -> String {
        // SAFETY: the handle is open; the text is its own and ends with NUL.
        unsafe { CStr::from_ptr((self.api.geterr)(self.raw)) }
            .to_string_lossy()
            .into_owned()
    }

    /// The next packet, if one is there.
    pub fn next(&self) -> Option<Seen> {
        let mut header: *mut PacketHeader = ptr::null_mut();
        let mut data: *const u8 = ptr::null();
        // SAFETY: the handle is open and both pointers are written before it gives 1.
        let rc = unsafe { (self.api.next_ex)(self.raw, &raw mut header, &raw mut data) };
        assert!(rc >= 0, "pcap_next_ex: {}", self.error());
        if rc == 0 {
            return None;
        }
        // SAFETY: it gave 1: header and data stay until the next call.
        let (header, bytes) = unsafe {
            let header = &*header;
            let bytes = std::slice::from_raw_parts(data, header.caplen as usize);
            (header, bytes.to_vec())
        };
        Some(Seen {
            ts_ns: header.ts.tv_sec as u64 * 1_000_000_000 + header.ts.tv_usec as u64,
            len: header.len,
            bytes,
        })
    }

    /// Sets a filter, compiled for this handle.
    pub fn filter(&self, text: &str) {
        let text = CString::new(text).expect("filters hold no NUL");
        let mut program = Program {
            len: 0,
            insns: ptr::null_mut(),
        };
        // SAFETY: the handle is open, the text ends with NUL, the program is ours and freed once.
        let rcs = unsafe {
            let compiled = (self.api.compile)(
                self.raw,
                &raw mut program,
                text.as_ptr(),
                1,
                PCAP_NETMASK_UNKNOWN,
            );
            assert_eq!(compiled, 0, "{text:?}: {}", self.error());
            let set = (self.api.setfilter)(self.raw, &raw mut program);
            (self.api.freecode)(&raw mut program);
            set
        };
        assert_eq!(rcs, 0, "{text:?}: {}", self.error());
    }
}
