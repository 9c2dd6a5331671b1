//! Receiving: one packet, a loop over packets, a burst.

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::{Handle, Rx};
use crate::abi;
use crate::backend::{Frame, RxBackend};
use crate::error::{Error, Result};

/// Empty looks between two looks at the sockets' pending errors: a program that polls the
/// descriptor itself is woken by a link that goes down, again and again until the error is taken.
const LOOKS_PER_SETTLE: u32 = 32;
/// Frames that one look may reject before it answers "none": a call that must not block does not
/// chase a flood, and one that waits looks at breaks in between.
const REJECTS_PER_LOOK: u32 = 65_536;

/// Where the bytes of a packet go.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Lent in place: the pointer is written here.
    Lend(NonNull<*mut u8>),
    /// Copied: to a buffer of this many bytes.
    Copy(NonNull<u8>, usize),
}

impl Handle {
    /// Receives one packet. Header and bytes are written only when it is true.
    ///
    /// # Errors
    ///
    /// `NotEnabled`, `NotSupported` in send-only mode, `InvalidArgument` for lending from a
    /// reentrant ring, `ShutDown`, `EndOfFile`; with `wait` also `Broken`.
    ///
    /// # Safety
    ///
    /// - `header` is writable for 48 bytes, 209 when the ring was opened with PF_RING_LONG_HEADER.
    /// - The pointers in `target` are writable as far as it says.
    #[inline]
    pub unsafe fn receive(
        &self,
        target: Target,
        header: NonNull<abi::pfring_pkthdr>,
        wait: bool,
    ) -> Result<bool> {
        if !self.receiving.load(Ordering::Relaxed) {
            self.check_receive()?;
        }
        if self.options.reentrant && matches!(target, Target::Lend(_)) {
            return Err(Error::InvalidArgument("lending from a reentrant ring"));
        }
        loop {
            // SAFETY: the contract of this function.
            let received = self
                .rx
                .with(|rx| unsafe { self.deliver(rx, target, header) })?;
            if received {
                return Ok(true);
            }
            if wait {
                self.wait_for_packet()?;
            } else if !self.after_empty_call() {
                return Ok(false);
            }
        }
    }

    /// Why nothing can be received, in the order in which the original looks.
    #[cold]
    fn check_receive(&self) -> Result<()> {
        if self.is_poisoned() {
            Err(Error::Poisoned)
        } else if !self.is_enabled() && !self.breaks.is_shut() {
            Err(Error::NotEnabled)
        } else if !self.options.mode().receives() {
            Err(Error::NotSupported("receiving on a ring that only sends"))
        } else if self.breaks.is_shut() {
            Err(Error::ShutDown)
        } else {
            Ok(())
        }
    }

    #[inline]
    unsafe fn deliver(
        &self,
        rx: &mut Rx,
        target: Target,
        header: NonNull<abi::pfring_pkthdr>,
    ) -> Result<bool> {
        let Some(frame) = self.take(rx)? else {
            return Ok(false);
        };
        // SAFETY: the caller's promise about the header; the frame is held until the next call.
        unsafe { self.write_header(&frame, header) };
        match target {
            // SAFETY: the caller's promise about the pointer.
            Target::Lend(place) => unsafe { place.write(frame.data.as_ptr()) },
            Target::Copy(buffer, size) => {
                let len = size.min(frame.caplen as usize);
                // SAFETY: the buffer has `size` bytes, the frame `caplen`, and they do not overlap:
                // one is the caller's, the other the ring's.
                unsafe {
                    frame.data.copy_to_nonoverlapping(buffer, len);
                    (&raw mut (*header.as_ptr()).caplen).write_unaligned(len as u32);
                }
            }
        }
        Ok(true)
    }

    /// Gives back what was lent and takes the next frame that is wanted.
    #[inline]
    fn take(&self, rx: &mut Rx) -> Result<Option<Frame>> {
        let Some(backend) = &mut rx.backend else {
            return Ok(None);
        };
        for _ in 0..REJECTS_PER_LOOK {
            backend.release();
            let Some(frame) = backend.next()? else {
                self.on_empty(&mut rx.empty_looks);
                return Ok(None);
            };
            if self.wants(&frame) {
                rx.empty_looks = 0;
                self.empty_calls.end();
                self.count(1);
                self.selectable.after_take(backend);
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// One writer at a time (the receive half), so that no locked instruction is needed.
    #[inline]
    fn count(&self, packets: u64) {
        self.received.store(
            self.received.load(Ordering::Relaxed) + packets,
            Ordering::Relaxed,
        );
    }

    #[inline]
    fn on_empty(&self, empty_looks: &mut u32) {
        self.selectable.after_empty();
        *empty_looks = empty_looks.wrapping_add(1);
        if (*empty_looks).is_multiple_of(LOOKS_PER_SETTLE) {
            self.source.settle();
            self.selectable.forget();
        }
    }

    /// pfring_loop: hands packets to `each` until the ring is broken. 0 when that ended a wait, 1
    /// when it came between two packets.
    ///
    /// No lock is held and nothing is borrowed while `each` runs: it may call the ring again.
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive), but a ring that was never enabled starts by itself, a reentrant
    /// ring lends, and send-only mode is `Os`.
    pub fn run(
        &self,
        wait: bool,
        mut each: impl FnMut(&abi::pfring_pkthdr, NonNull<u8>),
    ) -> Result<i32> {
        if self.breaks.is_shut() {
            return Err(Error::ShutDown);
        }
        if !self.options.mode().receives() {
            // The original's loop answers -1 here, and not the code that its receive has for it.
            let error = std::io::Error::from_raw_os_error(libc::ENOTSUP);
            return Err(Error::Os("a loop on a ring that only sends", error));
        }
        self.start_capture()?;
        let mut header = abi::pfring_pkthdr::zeroed();
        let generation = self.breaks.generation();
        // A break from before ends the loop as well, but what is queued now comes first.
        let mut grace = if self.break_pending() {
            self.queued()
        } else {
            0
        };
        loop {
            let Some(frame) = self.next_for_loop(&mut header)? else {
                if wait {
                    self.wait_for_packet()?;
                } else if self.break_pending() {
                    return Err(self.broken());
                } else {
                    self.after_empty_call();
                }
                continue;
            };
            each(&header, frame.data);
            if self.break_pending() {
                grace = grace.saturating_sub(1);
                if grace == 0 || self.breaks.generation() != generation {
                    return match self.broken() {
                        Error::Broken => Ok(1),
                        error => Err(error),
                    };
                }
            }
        }
    }

    /// Takes the pending break, and tells what ended the call: that, or a shutdown.
    pub(super) fn broken(&self) -> Error {
        self.take_break();
        if self.breaks.is_shut() {
            Error::ShutDown
        } else {
            Error::Broken
        }
    }

    #[inline]
    fn break_pending(&self) -> bool {
        self.break_flag().load(Ordering::Relaxed) != 0
    }

    fn next_for_loop(&self, header: &mut abi::pfring_pkthdr) -> Result<Option<Frame>> {
        self.rx.with(|rx| {
            let frame = self.take(rx)?;
            if let Some(frame) = &frame {
                // SAFETY: `header` is a whole structure; the frame is held until the next call.
                unsafe { self.write_header(frame, NonNull::from(header)) };
            }
            Ok(frame)
        })
    }

    /// Receives up to `burst.len()` packets, lent until the next call. Waits only when none is there.
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive), but a reentrant ring lends.
    pub fn receive_burst(
        &self,
        burst: &mut [abi::pfring_packet_info],
        wait: bool,
    ) -> Result<usize> {
        if !self.receiving.load(Ordering::Relaxed) {
            self.check_receive()?;
        }
        loop {
            let count = self.rx.with(|rx| self.fill(rx, burst))?;
            if count > 0 || burst.is_empty() {
                return Ok(count);
            }
            if wait {
                self.wait_for_packet()?;
            } else if !self.after_empty_call() {
                return Ok(0);
            }
        }
    }

    fn fill(&self, rx: &mut Rx, burst: &mut [abi::pfring_packet_info]) -> Result<usize> {
        let mut count = 0;
        while count < burst.len() {
            // The first take gives the burst before back; the others keep what they follow.
            let frame = if count == 0 {
                self.take(rx)
            } else if let Some(backend) = &mut rx.backend {
                backend.next()
            } else {
                Ok(None)
            };
            match frame {
                Ok(Some(frame)) if count == 0 || self.wants(&frame) => {
                    self.count(u64::from(count > 0));
                    burst[count] = self.packet_info(&frame);
                    count += 1;
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                // What was taken already comes first; the error comes again at the next call.
                Err(_) if count > 0 => break,
                Err(error) => return Err(error),
            }
        }
        if let Some(backend) = &rx.backend {
            self.selectable.after_take(backend);
        }
        Ok(count)
    }
}
