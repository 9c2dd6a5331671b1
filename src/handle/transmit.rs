//! Sending.

use super::Handle;
use crate::error::{Error, Result};
use crate::transmit::Transmitter;

/// What a frame may have beyond the MTU: Ethernet header and one tag.
const LINK_OVERHEAD: usize = 18;

impl Handle {
    /// Whether the main interface may send a frame of so many bytes: to be asked before such a frame is
    /// looked at, as a length that is wrong reaches past the caller's bytes.
    ///
    /// # Errors
    ///
    /// `MessageTooLong`.
    pub fn check_length(&self, len: usize) -> Result<()> {
        if len > usize::from(self.source.mtu()) + LINK_OVERHEAD {
            return Err(Error::MessageTooLong);
        }
        Ok(())
    }

    /// Sends one frame, link-layer header included and without FCS. Never blocks. Gives the bytes sent, 0 for a
    /// frame that the filter of a ring with PF_RING_TX_BPF rejects.
    ///
    /// # Errors
    ///
    /// `MessageTooLong` beyond MTU + 18, `NotEnabled`, `NotSupported` in receive-only mode and on
    /// what is no interface, `Os` with ENOBUFS when the queue is full or ENETDOWN.
    pub fn send(&self, frame: &[u8], flush: bool) -> Result<usize> {
        if self.source.is_stack() {
            return self.send_to_host(frame);
        }
        let tx = self.check_send(frame)?;
        if !self.may_be_sent(frame) {
            return Ok(0);
        }
        tx.send(frame, flush)
    }

    /// What sends a frame, if it may be sent now.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), before anything is sent.
    #[inline]
    pub(super) fn check_send(&self, frame: &[u8]) -> Result<&Transmitter> {
        self.check_length(frame.len())?;
        if !self.is_enabled() {
            return Err(Error::NotEnabled);
        }
        let Some(tx) = self.tx.get() else {
            return Err(Error::NotSupported("sending without an interface"));
        };
        if !self.options.mode().sends() || self.breaks.is_shut() {
            return Err(Error::NotSupported("sending on a ring that only receives"));
        }
        if frame.is_empty() {
            return Err(Error::InvalidArgument("packet length"));
        }
        Ok(tx)
    }

    /// Sends what waits in a batch.
    ///
    /// # Errors
    ///
    /// `Os` with ENOBUFS when not all could be sent yet, and as [`send`](Self::send).
    pub fn flush_sent(&self) -> Result<()> {
        self.tx.get().map_or(Ok(()), Transmitter::flush)
    }

    /// pfring_set_tx_watermark: how many frames leave together.
    ///
    /// # Errors
    ///
    /// `NotSupported` on what is no interface.
    pub fn set_tx_watermark(&self, frames: u16) -> Result<()> {
        let Some(tx) = self.tx.get() else {
            return Err(Error::NotSupported("sending without an interface"));
        };
        tx.set_watermark(frames);
        Ok(())
    }
}
