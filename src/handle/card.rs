//! What the card does about time: stamps of received and of sent frames, and its clock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Handle;
use crate::abi;
use crate::error::{Error, Result};
use crate::sys::packet::PacketSocket;
use crate::sys::stamps::{self, By, CardClock};

/// How long a frame's stamp is awaited after it was sent: cards need microseconds.
const STAMP_LIMIT_NS: u64 = 100_000_000;

/// What a ring has to do with the card's time.
#[derive(Default)]
pub(super) struct Card {
    /// Received frames may have stamps of the card's clock.
    stamps: AtomicBool,
    /// Sends the frames whose time is asked for; made for the first of them.
    sender: OnceLock<PacketSocket>,
}

impl Handle {
    /// Whether the stamps of frames are by the system's clock, so that they can be compared with it.
    pub(super) fn has_system_stamps(&self) -> bool {
        !self.card.stamps.load(Relaxed)
    }

    /// With PF_RING_HW_TIMESTAMP: has the cards stamp what comes in. One that cannot is no failure.
    pub(super) fn ask_for_card_stamps(&self) {
        if self.options.flags & abi::PF_RING_HW_TIMESTAMP == 0 {
            return;
        }
        for device in self.source.devices().filter(|d| d.ifindex != 0) {
            if stamps::set_hardware(&device.name, Some(true), None).is_ok() {
                self.take_card_stamps(&device.socket);
            }
        }
    }

    fn take_card_stamps(&self, socket: &PacketSocket) {
        if socket.take_card_stamps().is_ok() {
            self.card.stamps.store(true, Relaxed);
        }
    }

    /// Has the card of an interface stamp what comes in and what is sent, or not. If it is one of this ring's,
    /// its frames get these stamps from now on.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a file, `NoSuchDevice`, `Os` with what the kernel says: EOPNOTSUPP for a card
    /// without stamps.
    pub fn set_card_stamps(&self, name: &str, received: bool, sent: bool) -> Result<()> {
        if self.source.is_file() {
            return Err(Error::NotSupported("stamps of a file"));
        }
        stamps::set_hardware(name, Some(received), Some(sent))?;
        if received && let Some(device) = self.source.devices().find(|d| d.name == name) {
            self.take_card_stamps(&device.socket);
        }
        Ok(())
    }

    fn card_clock(&self, to_set: bool) -> Result<CardClock> {
        let number = stamps::support(self.main_device()?)?.clock;
        CardClock::open(
            number.ok_or(Error::NotSupported("a clock of the card"))?,
            to_set,
        )
    }

    /// Whether the main interface's card has a clock.
    pub fn has_card_clock(&self) -> bool {
        let support = self.main_device().and_then(stamps::support);
        support.is_ok_and(|support| support.clock.is_some())
    }

    /// The time of the main interface's card.
    ///
    /// # Errors
    ///
    /// `NotSupported` for a card without a clock, and without an interface; `Os`.
    pub fn card_time(&self) -> Result<libc::timespec> {
        self.card_clock(false)?.time()
    }

    /// Sets the clock of the main interface's card to the time that `time` gives.
    ///
    /// # Errors
    ///
    /// As [`card_time`](Self::card_time), and those of `time`, which is asked only if there is a clock.
    pub fn set_card_time(&self, time: impl FnOnce() -> Result<libc::timespec>) -> Result<()> {
        self.card_clock(true)?.set(&time()?)
    }

    /// Moves the clock of the main interface's card by the time that `offset` gives, forwards or back.
    ///
    /// # Errors
    ///
    /// As [`set_card_time`](Self::set_card_time).
    pub fn adjust_card_time(
        &self,
        offset: impl FnOnce() -> Result<libc::timespec>,
        back: bool,
    ) -> Result<()> {
        self.card_clock(true)?.adjust(&offset()?, back)
    }

    /// Whether the main interface's card tells when a frame was sent.
    ///
    /// # Errors
    ///
    /// `NotSupported` where it does not.
    pub fn check_sent_stamps(&self) -> Result<()> {
        if self.tx.get().is_some() && stamps::support(self.main_device()?)?.sent {
            return Ok(());
        }
        Err(Error::NotSupported("the time when the card sent a frame"))
    }

    /// Sends one frame at once and waits for the time at which the card sent it. None for a frame that the
    /// filter of a ring with PF_RING_TX_BPF rejects.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); `Os` with ETIMEDOUT when the frame was sent and no stamp came.
    pub fn send_stamped(&self, frame: &[u8]) -> Result<Option<libc::timespec>> {
        self.check_send(frame)?;
        if !self.may_be_sent(frame) {
            return Ok(None);
        }
        let device = self.source.main();
        let device = device.ok_or(Error::NotSupported("sending without an interface"))?;
        self.flush_sent()?;
        let sender = self.stamped_sender(&device.name)?;
        sender.forget_sent_stamps();
        sender.send_by(frame, device.ifindex)?;
        let stamp = sender.sent_stamp(By::Card, STAMP_LIMIT_NS);
        let (tv_sec, tv_nsec) = stamp.ok_or_else(|| {
            let error = std::io::Error::from_raw_os_error(libc::ETIMEDOUT);
            Error::Os("the stamp of a sent frame", error)
        })?;
        Ok(Some(libc::timespec {
            tv_sec: tv_sec as libc::time_t,
            tv_nsec: tv_nsec as _,
        }))
    }

    fn stamped_sender(&self, name: &str) -> Result<&PacketSocket> {
        if let Some(sender) = self.card.sender.get() {
            return Ok(sender);
        }
        let sender = PacketSocket::open()?;
        stamps::set_hardware(name, None, Some(true))?;
        sender.stamp_sent(By::Card)?;
        Ok(self.card.sender.get_or_init(|| sender))
    }
}
