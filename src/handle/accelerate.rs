//! A ring over the accelerated tap (PFRING_BACKEND=bpf).

use super::{Handle, Lifecycle, Rx};
use crate::backend::bpf::{self, BpfRx};
use crate::backend::tpacket::req::{self, Layout, Retire};
use crate::backend::{RxAny, RxBackend};
use crate::config::device::{DeviceSpec, Module};
use crate::config::log;
use crate::error::{Error, Result};
use crate::sys::available_memory;

use super::source::Source;

/// Refuses at open what the accelerated tap cannot do, and says what is missing.
///
/// # Errors
///
/// `NotBuilt` for `any`, for channels and on a kernel without tcx; `NotPermitted`.
pub(super) fn check(spec: &DeviceSpec, source: &Source) -> Result<()> {
    if matches!(spec.module, Module::File(_)) {
        return Ok(());
    }
    for device in source.devices() {
        if device.ifindex == 0 {
            return Err(Error::NotBuilt(
                "PFRING_BACKEND=bpf attaches to interfaces by name: any is none".into(),
            ));
        }
        bpf::check_rights(device.ifindex).inspect_err(|error| {
            if let Error::NotPermitted(why) = error {
                log::notice(format_args!("{}: {why}", device.name));
            }
        })?;
    }
    Ok(())
}

impl Handle {
    /// Makes the ring buffer and attaches the programs.
    pub(super) fn start_accelerated(&self, lifecycle: &Lifecycle) -> Result<()> {
        if self.accelerated.get().is_none() {
            let bytes = req::budget(self.asked_mb(), available_memory());
            let relaxed = self.choose_layout() == Layout::Blocks(Retire::Relaxed);
            let rx = BpfRx::new(bytes, self.options.snaplen, relaxed)?;
            self.report("BPF ring", rx.bytes());
            let mut fds = rx.fds().to_vec();
            for fd in &fds {
                self.selectable.add(*fd)?;
            }
            fds.push(self.breaks.alarm_fd());
            // Both are set once: whoever gets here holds the lifecycle.
            let _ = self.wait_fds.set(fds);
            let _ = self.accelerated.set(rx.tap());
            self.rx.with(|half| *half = Rx::new(Some(RxAny::Bpf(rx))));
        }
        self.forget_wanted_slots();
        self.attach(lifecycle)?;
        self.selectable.start();
        // The program may sleep on the descriptor before it looks for the first time.
        self.rx.with(|rx| rx.backend().map(RxBackend::arm));
        Ok(())
    }

    /// Packets that found no room since open. No lock: safe in a signal handler.
    pub(super) fn dropped(&self) -> u64 {
        let accelerated = self.accelerated.get().map_or(0, |tap| tap.dropped());
        self.source.dropped() + accelerated
    }
}
