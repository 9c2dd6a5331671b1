//! Starting and stopping capture.

use super::obstacles::Obstacle;
use super::{Handle, Lifecycle, Rx};
use crate::backend::RxAny;
use crate::backend::tpacket::req::{self, Layout, Retire};
use crate::backend::tpacket::{TpacketRx, Wish};
use crate::config::env::BackendChoice;
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::available_memory;
use crate::wait::WaitMode;

impl Handle {
    /// Whether the program has enabled the ring.
    pub fn is_enabled(&self) -> bool {
        // SAFETY: the struct lives as long as the handle; only the library writes this field.
        unsafe { (&raw const (*self.public.get()).enabled).read() != 0 }
    }

    /// pfring_enable_ring: starts capture if it has not started, and lets packets be received.
    pub fn enable(&self) -> Result<()> {
        if self.breaks.is_shut() {
            return Err(Error::ShutDown);
        }
        if self.is_enabled() {
            return Ok(());
        }
        self.start_capture()?;
        if let Some(tx) = self.tx.get().filter(|_| !self.options.mode().receives()) {
            // This ring cannot see what it sends in any case.
            tx.bypass_queueing();
        }
        self.take_break();
        self.publish_enabled(true);
        self.obstacles
            .set(Obstacle::NotReceiving, !self.options.mode().receives());
        self.describe();
        Ok(())
    }

    /// pfring_disable_ring: keeps packets out from now on. Queued ones stay for a later enable.
    pub fn disable(&self) -> Result<()> {
        let mut lifecycle = self.lifecycle.lock();
        if !self.is_enabled() {
            return Ok(());
        }
        lifecycle.paused = true;
        self.attach(&lifecycle)?;
        self.obstacles.set(Obstacle::NotReceiving, true);
        self.publish_enabled(false);
        self.describe();
        Ok(())
    }

    /// Makes the ring and binds its sockets, once. pfring_poll and pfring_loop do so as well: the
    /// original starts in its kernel when a ring that was never enabled is polled.
    pub(super) fn start_capture(&self) -> Result<()> {
        let mut lifecycle = self.lifecycle.lock();
        if std::mem::replace(&mut lifecycle.paused, false) {
            self.attach(&lifecycle)?;
        }
        if lifecycle.capturing {
            return Ok(());
        }
        if self.source.is_unbound() {
            // pfring_bind starts what is enabled.
            self.selectable.start();
            return Ok(());
        }
        if !self.source.is_file() && self.options.mode().receives() {
            self.start_tap(&mut lifecycle)?;
        }
        lifecycle.capturing = true;
        Ok(())
    }

    /// How long a frame waits for an older one of another interface, in nanoseconds.
    fn hold_ns(&self, layout: Layout) -> u64 {
        const MS: u64 = 1_000_000;
        match layout {
            Layout::Slots if self.wants_latency() => MS,
            Layout::Slots => 5 * MS,
            // A frame shows when the timer of its block has run out, which the kernel rounds up to its ticks.
            Layout::Blocks(retire) => u64::from(2 * retire.timer_ms() + 4) * MS,
        }
    }

    fn start_tap(&self, lifecycle: &mut Lifecycle) -> Result<()> {
        if self.settings.backend == BackendChoice::Bpf {
            return self.start_accelerated(lifecycle);
        }
        let twice = self.comes_twice();
        if twice {
            self.open_seconds()?;
        }
        let layout = if twice {
            Layout::Slots
        } else {
            self.choose_layout()
        };
        // A program that spins, or another wait mode, may want slots later.
        let may_turn = layout == Layout::Blocks(Retire::Relaxed)
            && self.settings.backend == BackendChoice::Auto
            && self.has_system_stamps()
            && !self.is_in_cluster();
        lifecycle.spare = may_turn.then(|| self.make_spare()).flatten();
        let spare_bytes = lifecycle.spare.as_ref().map_or(0, TpacketRx::bytes);
        let mut sockets = self.source.first_sockets();
        if twice {
            sockets.extend(self.source.spares());
        }
        let mut rx = TpacketRx::new(&sockets, &self.wish(layout, lifecycle.spare.is_some()))?;
        if !twice {
            rx.hold_back(self.hold_ns(layout));
        }
        self.report_ring(layout, rx.bytes() + spare_bytes);
        self.forget_wanted_slots();
        let mut fds = self.source.fds();
        fds.push(self.breaks.alarm_fd());
        // Set once: capture starts once.
        let _ = self.wait_fds.set(fds);
        *self.layout.lock() = Some(layout);
        self.attach(lifecycle)?;
        self.rx.with(|half| *half = Rx::new(Some(RxAny::Tap(rx))));
        self.bind_and_join(lifecycle)?;
        self.selectable.start();
        Ok(())
    }

    pub(super) fn asked_mb(&self) -> u64 {
        self.settings
            .ring_mb
            .map_or(req::DEFAULT_RING_MB, u64::from)
    }

    /// Rings of slots on sockets of their own, not bound yet; None where they cannot be had.
    fn make_spare(&self) -> Option<TpacketRx> {
        self.source.open_spares().ok()?;
        TpacketRx::new(&self.source.spares(), &self.wish(Layout::Slots, true)).ok()
    }

    /// What a ring is to be: of all the memory, or of half of it where two share it.
    fn wish(&self, layout: Layout, shared: bool) -> Wish {
        let bytes = req::budget(self.asked_mb(), available_memory());
        Wish {
            layout,
            bytes: if shared { bytes / 2 } else { bytes },
            snaplen: self.options.snaplen,
            mtu: u32::from(self.source.mtu()),
        }
    }

    fn wants_latency(&self) -> bool {
        self.settings.idle_guard.is_some()
            || self.options.watermark() == Some(1)
            || !matches!(self.waiter.mode(), WaitMode::Passive)
    }

    /// The ring that fits: slots where somebody asks for latency, else blocks, which cost least.
    pub(super) fn choose_layout(&self) -> Layout {
        let wants_latency = self.wants_latency();
        match self.settings.backend {
            BackendChoice::Tpacket2 => Layout::Slots,
            BackendChoice::Tpacket3 if wants_latency => Layout::Blocks(Retire::Prompt),
            BackendChoice::Tpacket3 => Layout::Blocks(Retire::Relaxed),
            // Of several interfaces the oldest frame comes first: that takes frames that show at once.
            _ if wants_latency || self.source.devices().count() > 1 => Layout::Slots,
            _ => Layout::Blocks(Retire::Relaxed),
        }
    }

    fn report_ring(&self, layout: Layout, got: u64) {
        self.report(
            match layout {
                Layout::Blocks(_) => "TPACKET_V3",
                Layout::Slots => "TPACKET_V2",
            },
            got,
        );
    }

    /// Says what ring it is, and when it is smaller than was asked for.
    pub(super) fn report(&self, mechanism: &str, got: u64) {
        let asked_mb = self.asked_mb();
        let got_mb = got >> 20;
        let name = self.name();
        log::info(format_args!(
            "{name}: {mechanism}, {got_mb} MiB, waits {}",
            self.waiter.mode()
        ));
        // A share that does not fill the last block is no step down.
        let short = got.saturating_mul(4) < asked_mb.saturating_mul(3) << 20;
        if short && self.settings.ring_mb.is_some() {
            log::notice(format_args!(
                "{name}: PFRING_RING_MB={asked_mb} cannot be had, the ring has {got_mb} MiB"
            ));
        } else if short {
            log::info(format_args!(
                "{name}: {asked_mb} MiB cannot be had, {got_mb} MiB it is"
            ));
        }
    }
}
