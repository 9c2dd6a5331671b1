//! A thin wrapper of the C functions: the only test code, next to `null_args.rs`, that knows their
//! exact Rust names. It adds no check of its own, so that a test sees what a C program sees.

use std::cell::RefCell;
use std::ffi::CString;
use std::io;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pfring::{abi, capi};

use super::frame::{Mark, mark};

pub use pfring::abi::{pfring_pkthdr as Header, pfring_stat as Stat};

/// PF_RING_REENTRANT.
pub const REENTRANT: u32 = 2;
/// PF_RING_LONG_HEADER.
pub const LONG_HEADER: u32 = 4;
/// PF_RING_PROMISC.
pub const PROMISC: u32 = 8;
/// PKT_FLAGS_CHECKSUM_OFFLOAD.
pub const CHECKSUM_OFFLOAD: u32 = 1;

/// `packet_direction` of the C header.
pub const RX_AND_TX: u32 = 0;
pub const RX_ONLY: u32 = 1;
pub const TX_ONLY: u32 = 2;

/// errno of the calling thread.
pub fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// Sets errno of the calling thread.
pub fn set_errno(value: i32) {
    // SAFETY: the C library gives a valid pointer to the errno of this thread.
    unsafe { *libc::__errno_location() = value }
}

/// What one receive call came back with.
pub struct Received {
    /// The return value.
    pub rc: i32,
    /// errno after the call; it was 0 before.
    pub errno: i32,
    /// The header, zero before the call.
    pub header: Header,
    /// The buffer pointer, NULL before the call.
    pub data: *const u8,
}

impl Received {
    /// The bytes of the packet; to be read before the next receive call on the ring.
    pub fn bytes(&self) -> &[u8] {
        assert_eq!(self.rc, 1, "only a packet has bytes");
        // SAFETY: the call returned 1, so the pointer leads to caplen bytes that stay until the
        // next receive call, which the tests make only after they are through with the bytes.
        unsafe { std::slice::from_raw_parts(self.data, self.header.caplen as usize) }
    }

    /// The mark of a numbered frame.
    pub fn mark(&self) -> Option<Mark> {
        mark(self.bytes())
    }

    /// The number of a numbered frame.
    #[track_caller]
    pub fn number(&self) -> u32 {
        assert_eq!(self.rc, 1, "no packet, errno {}", self.errno);
        self.mark().expect("a numbered frame").number
    }
}

/// A header as a C program prepares it.
pub fn zeroed_header() -> Header {
    // SAFETY: the header is plain data; all zero is a valid value.
    unsafe { std::mem::zeroed() }
}

/// An open ring; closed on drop.
pub struct Ring {
    raw: NonNull<abi::pfring>,
}

// SAFETY: the library lets a handle move between threads.
unsafe impl Send for Ring {}
// SAFETY: break, statistics, send and shutdown may run beside a receive; receives beside each
// other only on REENTRANT rings. The tests keep to that.
unsafe impl Sync for Ring {}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: pfring_open gave this handle; it is closed only here.
        unsafe { capi::pfring_close(self.raw()) }
    }
}

/// The public members of the handle, as a C program reads them.
impl Deref for Ring {
    type Target = abi::pfring;

    fn deref(&self) -> &abi::pfring {
        // SAFETY: the handle is valid until drop. The tests read members only while no call on
        // another thread writes them.
        unsafe { self.raw.as_ref() }
    }
}

impl Ring {
    /// The owner of what pfring_open gave; None for NULL.
    ///
    /// # Safety
    ///
    /// - `raw` is NULL or an open handle that nobody else closes.
    pub unsafe fn from_raw(raw: *mut abi::pfring) -> Option<Ring> {
        Some(Ring {
            raw: NonNull::new(raw)?,
        })
    }

    pub fn raw(&self) -> *mut abi::pfring {
        self.raw.as_ptr()
    }

    /// Enables the ring; the call must succeed.
    #[track_caller]
    pub fn enable(&self) {
        // SAFETY: the handle is valid until drop.
        let rc = unsafe { capi::pfring_enable_ring(self.raw()) };
        assert_eq!(rc, 0, "pfring_enable_ring: {}", io::Error::last_os_error());
    }

    /// Enables the ring; the error is errno.
    pub fn try_enable(&self) -> Result<(), i32> {
        // SAFETY: the handle is valid until drop.
        match unsafe { capi::pfring_enable_ring(self.raw()) } {
            0 => Ok(()),
            _ => Err(errno()),
        }
    }

    pub fn disable(&self) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_disable_ring(self.raw()) }
    }

    pub fn shutdown(&self) {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_shutdown(self.raw()) }
    }

    pub fn breakloop(&self) {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_breakloop(self.raw()) }
    }

    /// While it lives, calls on the ring may block for `limit` in all; then the ring is shut down, so
    /// that a hang fails the test instead of the run.
    pub fn patience(&self, limit: Duration) -> Patience<'_> {
        let (calm, over) = channel::<()>();
        // A second owner that never closes: the guard borrows the ring and waits for the thread.
        let ring = ManuallyDrop::new(Ring { raw: self.raw });
        let watchdog = std::thread::spawn(move || {
            if over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("a call on the ring hangs: shut down after {limit:?}");
                ring.shutdown();
            }
        });
        Patience {
            calm: Some(calm),
            watchdog: Some(watchdog),
            _ring: PhantomData,
        }
    }

    /// pfring_recv without a buffer (zero copy).
    pub fn recv(&self, wait: bool) -> Received {
        let mut header = zeroed_header();
        let mut data: *mut u8 = std::ptr::null_mut();
        set_errno(0);
        // SAFETY: the handle is valid until drop; header and pointer outlive the call.
        let rc = unsafe {
            capi::pfring_recv(
                self.raw(),
                &raw mut data,
                0,
                &raw mut header,
                u8::from(wait),
            )
        };
        Received {
            rc,
            errno: errno(),
            header,
            data,
        }
    }

    /// pfring_recv into a buffer (copy).
    pub fn recv_into(&self, buffer: &mut [u8], wait: bool) -> Received {
        let mut header = zeroed_header();
        let mut data = buffer.as_mut_ptr();
        set_errno(0);
        // SAFETY: the handle is valid until drop; header and buffer outlive the call, and the
        // length is the buffer's.
        let rc = unsafe {
            capi::pfring_recv(
                self.raw(),
                &raw mut data,
                buffer.len() as u32,
                &raw mut header,
                u8::from(wait),
            )
        };
        Received {
            rc,
            errno: errno(),
            header,
            data,
        }
    }

    /// pfring_recv_burst; the return value, errno and what was filled in.
    pub fn burst(&self, count: u8, wait: bool) -> (i32, i32, Vec<abi::pfring_packet_info>) {
        // SAFETY: the descriptor is plain data; all zero is a valid value.
        let empty = || unsafe { std::mem::zeroed() };
        let mut packets: Vec<abi::pfring_packet_info> = (0..count).map(|_| empty()).collect();
        set_errno(0);
        // SAFETY: the handle is valid until drop; there is room for `count` descriptors.
        let rc = unsafe {
            capi::pfring_recv_burst(self.raw(), packets.as_mut_ptr(), count, u8::from(wait))
        };
        let errno = errno();
        packets.truncate(usize::try_from(rc).unwrap_or(0));
        (rc, errno, packets)
    }

    /// The next packet by non-blocking calls, within `limit`.
    #[track_caller]
    pub fn packet(&self, limit: Duration) -> Received {
        let end = Instant::now() + limit;
        loop {
            let got = self.recv(false);
            assert!(got.rc >= 0, "pfring_recv: {}, errno {}", got.rc, got.errno);
            if got.rc == 1 {
                return got;
            }
            assert!(Instant::now() < end, "no packet within {limit:?}");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Shows `each` every packet until `enough` says stop and then nothing more has come for
    /// 60 ms, or until `limit` is over.
    #[track_caller]
    pub fn drain(
        &self,
        limit: Duration,
        mut enough: impl FnMut() -> bool,
        mut each: impl FnMut(&Received),
    ) {
        const SILENCE: Duration = Duration::from_millis(60);
        let end = Instant::now() + limit;
        let mut last = Instant::now();
        loop {
            let got = self.recv(false);
            assert!(got.rc >= 0, "pfring_recv: {}, errno {}", got.rc, got.errno);
            if got.rc == 1 {
                each(&got);
                last = Instant::now();
                continue;
            }
            let over = enough() && last.elapsed() > SILENCE;
            if over || Instant::now() > end {
                return;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// The numbers of the numbered frames that come, in order; waits for `expected` of them and a
    /// little longer, so that one too many is seen.
    #[track_caller]
    pub fn numbers(&self, expected: usize, limit: Duration) -> Vec<u32> {
        let numbers = RefCell::new(Vec::with_capacity(expected));
        self.drain(
            limit,
            || numbers.borrow().len() >= expected,
            |got| numbers.borrow_mut().extend(got.mark().map(|m| m.number)),
        );
        numbers.into_inner()
    }

    /// Takes what is there, without a look at it.
    pub fn empty(&self) -> usize {
        let mut count = 0;
        while self.recv(false).rc == 1 {
            count += 1;
        }
        count
    }

    /// pfring_loop; the return value.
    pub fn run_loop(&self, mut each: impl FnMut(&Header, &[u8]), wait: bool) -> i32 {
        let mut each: &mut dyn FnMut(&Header, &[u8]) = &mut each;
        // SAFETY: the handle is valid until drop; `each` outlives the call, which is the only
        // time at which the callback uses it.
        unsafe {
            capi::pfring_loop(
                self.raw(),
                Some(call_closure),
                (&raw mut each).cast::<u8>(),
                u8::from(wait),
            )
        }
    }

    pub fn poll(&self, ms: u32) -> i32 {
        set_errno(0);
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_poll(self.raw(), ms) }
    }

    pub fn available(&self) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_is_pkt_available(self.raw()) }
    }

    /// The statistics; the call must succeed.
    #[track_caller]
    pub fn stats(&self) -> Stat {
        let mut stat = Stat {
            recv: 0,
            drop: 0,
            shunt: 0,
        };
        // SAFETY: the handle is valid until drop; `stat` outlives the call.
        let rc = unsafe { capi::pfring_stats(self.raw(), &raw mut stat) };
        assert_eq!(rc, 0, "pfring_stats");
        stat
    }

    /// The selectable descriptor.
    pub fn descriptor(&self) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_get_selectable_fd(self.raw()) }
    }

    /// Waits for the selectable descriptor: the events of poll(2), 0 after the timeout.
    pub fn readiness(&self, timeout_ms: i32) -> i16 {
        let mut fd = libc::pollfd {
            fd: self.descriptor(),
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one valid pollfd, for the length of the call.
        let rc = unsafe { libc::poll(&raw mut fd, 1, timeout_ms) };
        assert!(rc >= 0, "poll: {}", io::Error::last_os_error());
        fd.revents
    }

    pub fn set_poll_watermark(&self, packets: u16) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_set_poll_watermark(self.raw(), packets) }
    }

    pub fn set_poll_duration(&self, ms: u32) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_set_poll_duration(self.raw(), ms) }
    }

    pub fn set_direction(&self, direction: u32) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_set_direction(self.raw(), abi::packet_direction(direction)) }
    }

    pub fn set_bpf_filter(&self, text: &str) -> i32 {
        let text = CString::new(text).expect("filters hold no NUL");
        // SAFETY: the handle is valid until drop; the text is NUL-terminated and outlives the call.
        unsafe { capi::pfring_set_bpf_filter(self.raw(), text.as_ptr()) }
    }

    pub fn remove_bpf_filter(&self) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_remove_bpf_filter(self.raw()) }
    }

    pub fn send(&self, frame: &[u8]) -> i32 {
        let mut frame = frame.to_vec();
        set_errno(0);
        // SAFETY: the handle is valid until drop; the frame is readable for its length.
        unsafe { capi::pfring_send(self.raw(), frame.as_mut_ptr().cast(), frame.len() as u32, 1) }
    }

    pub fn link_type(&self) -> i32 {
        // SAFETY: the handle is valid until drop.
        unsafe { capi::pfring_get_link_type(self.raw()) }
    }
}

/// See [`Ring::patience`].
pub struct Patience<'r> {
    calm: Option<Sender<()>>,
    watchdog: Option<JoinHandle<()>>,
    _ring: PhantomData<&'r Ring>,
}

impl Drop for Patience<'_> {
    fn drop(&mut self) {
        drop(self.calm.take());
        if let Some(watchdog) = self.watchdog.take() {
            watchdog
                .join()
                .expect("the watchdog only waits and shuts down");
        }
    }
}

/// The C callback of [`Ring::run_loop`]: `user` leads to its closure.
unsafe extern "C" fn call_closure(header: *const Header, data: *const u8, user: *const u8) {
    // SAFETY: run_loop handed in this pointer and keeps the closure alive; no one else uses it.
    let each = unsafe { &mut *user.cast_mut().cast::<&mut dyn FnMut(&Header, &[u8])>() };
    // SAFETY: the library gives a valid header and caplen bytes for the length of the callback.
    let (header, bytes) = unsafe {
        let header = &*header;
        (
            header,
            std::slice::from_raw_parts(data, header.caplen as usize),
        )
    };
    each(header, bytes);
}
