//! Starting and stopping capture.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Handle, Lifecycle};
use crate::backend::RxAny;
use crate::backend::tpacket::req::{self, Layout, Retire};
use crate::backend::tpacket::{TpacketRx, Wish};
use crate::config::env::BackendChoice;
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::available_memory;
use crate::sys::packet::PacketSocket;
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
        self.take_break();
        self.publish_enabled(true);
        self.receiving
            .store(self.options.mode().receives(), Ordering::SeqCst);
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
        self.receiving.store(false, Ordering::SeqCst);
        self.publish_enabled(false);
        Ok(())
    }

    /// Makes the ring and binds its sockets, once. pfring_poll and pfring_loop do so as well: the
    /// original starts in its kernel when a ring that was never enabled is polled.
    pub(super) fn start_capture(&self) -> Result<()> {
        let mut lifecycle = self.lifecycle.lock();
        if lifecycle.capturing {
            if lifecycle.paused {
                lifecycle.paused = false;
                self.attach(&lifecycle)?;
            }
            return Ok(());
        }
        if !self.source.devices.is_empty() && self.options.mode().receives() {
            self.start_tap(&lifecycle)?;
        }
        lifecycle.capturing = true;
        Ok(())
    }

    fn start_tap(&self, lifecycle: &Lifecycle) -> Result<()> {
        let sockets: Vec<Arc<PacketSocket>> = self.source.sockets().cloned().collect();
        let layout = self.choose_layout();
        let asked_mb = self
            .settings
            .ring_mb
            .map_or(req::DEFAULT_RING_MB, u64::from);
        let budget = req::budget(asked_mb, available_memory());
        let wish = Wish {
            layout,
            bytes: budget,
            snaplen: self.options.snaplen,
            mtu: u32::from(self.source.mtu),
        };
        let rx = TpacketRx::new(&sockets, &wish)?;
        self.report_ring(layout, asked_mb, rx.bytes());
        self.delay_ms.store(layout.delay_ms(), Ordering::Relaxed);
        self.attach(lifecycle)?;
        self.rx.with(|half| half.backend = Some(RxAny::Tap(rx)));
        for device in &self.source.devices {
            device.socket.bind(device.ifindex)?;
        }
        self.selectable.start();
        Ok(())
    }

    /// The ring that fits: slots where somebody asks for latency, else blocks, which cost least.
    fn choose_layout(&self) -> Layout {
        let wants_latency =
            self.options.watermark() == Some(1) || !matches!(self.waiter.mode(), WaitMode::Passive);
        match self.settings.backend {
            BackendChoice::Tpacket2 => Layout::Slots,
            BackendChoice::Tpacket3 if wants_latency => Layout::Blocks(Retire::Prompt),
            BackendChoice::Tpacket3 => Layout::Blocks(Retire::Relaxed),
            _ if wants_latency => Layout::Slots,
            _ => Layout::Blocks(Retire::Relaxed),
        }
    }

    fn report_ring(&self, layout: Layout, asked_mb: u64, got: u64) {
        let layout = match layout {
            Layout::Blocks(_) => "TPACKET_V3",
            Layout::Slots => "TPACKET_V2",
        };
        let got_mb = got >> 20;
        let name = self.device_name.to_string_lossy();
        log::info(format_args!(
            "{name}: {layout}, {got_mb} MiB, waits {}",
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
