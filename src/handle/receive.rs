//! Receiving: one packet, a loop over packets, a burst.

use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use super::obstacles::Obstacle;
use super::{Handle, Rx, header};
use crate::abi;
use crate::backend::{AnyFrame, Frame, Glimpse, RunFrame, RxBackend};
use crate::error::{Error, Result};

/// Empty looks between two looks at the sockets' pending errors: a program that polls the
/// descriptor itself is woken by a link that goes down, again and again until the error is taken.
const LOOKS_PER_SETTLE: u32 = 32;
/// Frames that one look may reject before it answers "none": a call that must not block does not
/// chase a flood, and one that waits looks at breaks in between.
pub(super) const REJECTS_PER_LOOK: u32 = 65_536;

/// Where the bytes of a packet go.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Lent in place: the pointer is written here.
    Lend(NonNull<*mut u8>),
    /// Copied: to a buffer of this many bytes.
    Copy(NonNull<u8>, usize),
}

/// What was lent in the short way.
pub enum Lent {
    /// Nothing: whether a packet is there has to be seen in the long way.
    Nothing,
    /// A packet with its header.
    Whole,
    /// A packet of so many bytes, and [`Handle::write_parsed`] has to complete its header.
    Unparsed(NonNull<u8>, u32),
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
    pub unsafe fn receive(
        &self,
        target: Target,
        header: NonNull<abi::pfring_pkthdr>,
        wait: bool,
    ) -> Result<bool> {
        if self.obstacles.has(Obstacle::NotReceiving) {
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

    /// Lends a packet in the short way: without a lock, without a look at its bytes, from a run. Nearly
    /// all packets that arrive fast take it. Nothing in it can panic.
    ///
    /// # Safety
    ///
    /// As for [`receive`](Self::receive).
    #[inline(always)]
    pub unsafe fn lend_short(
        &self,
        place: NonNull<*mut u8>,
        header: NonNull<abi::pfring_pkthdr>,
    ) -> Lent {
        if !self.obstacles.none() {
            return Lent::Nothing;
        }
        // SAFETY: the ring is not reentrant; the frame is used before anything is released.
        let Some(frame) = (unsafe { self.rx.with_unlocked(|rx| rx.run().take_plain()) }) else {
            return Lent::Nothing;
        };
        self.count(1);
        // SAFETY: the contract of this function; the frame is held until the next call, and nobody
        // writes to it meanwhile.
        unsafe {
            header::write_notes(&frame, header);
            place.write(frame.data().as_ptr());
            if self.write_plain(frame.bytes(), header) {
                Lent::Whole
            } else {
                Lent::Unparsed(frame.data(), frame.caplen())
            }
        }
    }

    /// Why nothing can be received, in the order in which the original looks.
    #[cold]
    pub(super) fn check_receive(&self) -> Result<()> {
        self.check_alive()?;
        if !self.is_enabled() && !self.breaks.is_shut() {
            Err(Error::NotEnabled)
        } else if !self.options.mode().receives() {
            Err(Error::NotSupported("receiving on a ring that only sends"))
        } else if self.breaks.is_shut() {
            Err(Error::ShutDown)
        } else {
            Ok(())
        }
    }

    /// Takes a packet and hands it over; false when there is none.
    ///
    /// # Safety
    ///
    /// As for [`receive`](Self::receive).
    #[inline(always)]
    unsafe fn deliver(
        &self,
        rx: &mut Rx,
        target: Target,
        header: NonNull<abi::pfring_pkthdr>,
    ) -> Result<bool> {
        if let Some(frame) = self.take_of_run(rx) {
            // SAFETY: the contract of this function; the frame is held until the next call.
            unsafe { self.hand_over(&frame, target, header) };
            return Ok(true);
        }
        let frame = self.take_of_backend(rx)?;
        if let Some(frame) = &frame {
            // SAFETY: as above.
            unsafe {
                self.hand_over(frame, target, header);
                self.write_origin(header);
                self.write_rule(header);
            }
        }
        Ok(frame.is_some())
    }

    /// Writes a packet's header, and its bytes or the pointer to them.
    ///
    /// # Safety
    ///
    /// As for [`receive`](Self::receive), and the frame is held.
    #[inline(always)]
    unsafe fn hand_over(&self, frame: &Frame, target: Target, header: NonNull<abi::pfring_pkthdr>) {
        // SAFETY: the contract of this function.
        unsafe { self.write_header(frame, header) };
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
    }

    /// Takes the next frame of the run, if it is a plain one. Nothing has to be given back before: a run
    /// is lent only when all else is.
    #[inline(always)]
    fn take_plain<'a>(&self, rx: &mut Rx) -> Option<RunFrame<'a>> {
        if !self.obstacles.wants_all() {
            return None;
        }
        // SAFETY: it is used before anything is released, under the same borrow of the receive half or by
        // the one thread that receives.
        let frame = unsafe { rx.run().take_plain()? };
        self.count(1);
        Some(frame)
    }

    /// Takes the next frame of the run, whatever it is.
    #[inline(always)]
    pub(super) fn take_of_run(&self, rx: &mut Rx) -> Option<Frame> {
        if !self.obstacles.wants_all() {
            return None;
        }
        let frame = rx.run().take_any()?;
        self.count(1);
        Some(frame)
    }

    /// Gives back what was lent and takes the next frame that is wanted.
    pub(super) fn take_of_backend(&self, rx: &mut Rx) -> Result<Option<Frame>> {
        if self.obstacles.has(Obstacle::Ahead)
            && let Some(frame) = self.take_ahead(rx)
        {
            self.on_taken(rx, &frame);
            return Ok(Some(frame));
        }
        rx.last = None;
        let Some(backend) = rx.backend() else {
            return Ok(None);
        };
        backend.release();
        let Some(frame) = backend.next()? else {
            self.on_empty(rx);
            return Ok(None);
        };
        let soon = self.glimpse_for_rules(backend);
        let Some(frame) = self.admit(frame, soon) else {
            return self.take_after_reject(rx);
        };
        self.on_taken(rx, &frame);
        Ok(Some(frame))
    }

    /// A frame as the program gets it, if it is wanted. `soon` is one that comes soon, where it can be seen.
    #[inline]
    pub(super) fn admit(&self, frame: Frame, soon: Option<Glimpse>) -> Option<Frame> {
        if !self.wants(&frame, soon) {
            return None;
        }
        let frame = if self.obstacles.has(Obstacle::Trailer) {
            self.without_trailer(frame)?
        } else {
            frame
        };
        if self.obstacles.has(Obstacle::Slicing) {
            return Some(self.sliced(frame));
        }
        Some(frame)
    }

    /// Goes on after a frame that was not wanted.
    #[cold]
    fn take_after_reject(&self, rx: &mut Rx) -> Result<Option<Frame>> {
        for _ in 1..REJECTS_PER_LOOK {
            let Some(backend) = rx.backend() else {
                break;
            };
            backend.release();
            let Some(frame) = backend.next()? else {
                self.on_empty(rx);
                break;
            };
            let soon = self.glimpse_for_rules(backend);
            if let Some(frame) = self.admit(frame, soon) {
                self.on_taken(rx, &frame);
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    #[inline]
    fn on_taken(&self, rx: &mut Rx, frame: &Frame) {
        rx.empty_looks = 0;
        self.empty_calls.end();
        self.count(1);
        if self.obstacles.has(Obstacle::Forward) {
            self.on_forwarded(rx, frame);
        }
        self.lend_on(rx);
    }

    /// After packets were taken: tells the selectable descriptor, and lets the next ones be had in the
    /// short way.
    #[inline]
    fn lend_on(&self, rx: &mut Rx) {
        if let Some(backend) = rx.backend() {
            self.selectable.after_take(backend);
        }
        if self.obstacles.wants_all() {
            rx.lend_run();
        }
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
    fn on_empty(&self, rx: &mut Rx) {
        let empty_looks = rx.empty_looks;
        if let Some(backend) = rx.backend() {
            self.selectable.after_empty(backend, empty_looks);
        }
        rx.empty_looks = rx.empty_looks.wrapping_add(1);
        if rx.empty_looks.is_multiple_of(LOOKS_PER_SETTLE) {
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
            let Some(data) = self.next_for_loop(&mut header)? else {
                if wait {
                    self.wait_for_packet()?;
                } else if self.break_pending() {
                    return Err(self.broken());
                } else {
                    self.after_empty_call();
                }
                continue;
            };
            each(&header, data);
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

    /// The bytes of the next packet, with its header written.
    fn next_for_loop(&self, header: &mut abi::pfring_pkthdr) -> Result<Option<NonNull<u8>>> {
        let header = NonNull::from(header);
        self.rx.with(|rx| {
            if let Some(frame) = self.take_plain(rx) {
                // SAFETY: `header` is a whole structure; the frame is held until the next call.
                unsafe { self.write_header(&frame, header) };
                return Ok(Some(frame.data()));
            }
            let frame = match self.take_of_run(rx) {
                None => self.take_of_backend(rx)?,
                some => some,
            };
            if let Some(frame) = &frame {
                // SAFETY: as above.
                unsafe {
                    self.write_header(frame, header);
                    self.write_origin(header);
                    self.write_rule(header);
                }
            }
            Ok(frame.map(|frame| frame.data))
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
        if self.obstacles.has(Obstacle::NotReceiving) {
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
            let info = if let Some(frame) = self.take_plain(rx) {
                self.packet_info(&frame)
            } else if let Some(frame) = self.take_of_run(rx) {
                self.packet_info(&frame)
            } else {
                // The first take gives the burst before back; the others keep what they follow.
                let frame = match count {
                    0 => self.take_of_backend(rx),
                    _ => self.take_one_more(rx),
                };
                match frame {
                    Ok(Some(frame)) => self.packet_info(&frame),
                    Ok(None) => break,
                    // What was taken already comes first; the error comes again at the next call.
                    Err(_) if count > 0 => break,
                    Err(error) => return Err(error),
                }
            };
            burst[count] = info;
            count += 1;
        }
        Ok(count)
    }

    /// Takes a frame that is wanted and gives none back.
    fn take_one_more(&self, rx: &mut Rx) -> Result<Option<Frame>> {
        let Some(backend) = rx.backend() else {
            return Ok(None);
        };
        loop {
            let Some(frame) = backend.next()? else {
                self.selectable.after_take(backend);
                return Ok(None);
            };
            let soon = self.glimpse_for_rules(backend);
            if let Some(frame) = self.admit(frame, soon) {
                self.on_taken(rx, &frame);
                return Ok(Some(frame));
            }
        }
    }
}
