//! What the program asked for: flags of the open, and the settings that may change while another
//! thread receives.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use super::Handle;
use super::obstacles::Obstacle;
use crate::abi;
use crate::backend::FrameDirection;
use crate::error::{Error, Result};
use crate::filter::bpf::Only;

/// Which packets are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// Both.
    Both = 0,
    /// Those that came in.
    Received = 1,
    /// Those that this host sent.
    Sent = 2,
}

impl TryFrom<abi::packet_direction> for Direction {
    type Error = Error;

    fn try_from(value: abi::packet_direction) -> Result<Self> {
        Ok(match value {
            abi::packet_direction::RX_AND_TX_DIRECTION => Self::Both,
            abi::packet_direction::RX_ONLY_DIRECTION => Self::Received,
            abi::packet_direction::TX_ONLY_DIRECTION => Self::Sent,
            _ => return Err(Error::InvalidArgument("direction")),
        })
    }
}

impl Direction {
    pub(super) fn to_abi(self) -> abi::packet_direction {
        abi::packet_direction(self as u32)
    }

    /// The test that the kernel has to make.
    pub(super) fn only(self) -> Option<Only> {
        match self {
            Self::Both => None,
            Self::Received => Some(Only::Received),
            Self::Sent => Some(Only::Sent),
        }
    }

    pub(super) fn accepts(self, frame: FrameDirection) -> bool {
        match self {
            Self::Both => true,
            Self::Received => frame == FrameDirection::Received,
            Self::Sent => frame == FrameDirection::Sent,
        }
    }
}

/// What a ring is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Both.
    SendAndReceive = 0,
    /// pfring_recv is not supported.
    SendOnly = 1,
    /// pfring_send is not supported.
    ReceiveOnly = 2,
    /// Neither is.
    ManagementOnly = 3,
}

impl TryFrom<abi::socket_mode> for Mode {
    type Error = Error;

    fn try_from(value: abi::socket_mode) -> Result<Self> {
        Ok(match value {
            abi::socket_mode::SEND_AND_RECV_MODE => Self::SendAndReceive,
            abi::socket_mode::SEND_ONLY_MODE => Self::SendOnly,
            abi::socket_mode::RECV_ONLY_MODE => Self::ReceiveOnly,
            abi::socket_mode::MANAGEMENT_ONLY_MODE => Self::ManagementOnly,
            _ => return Err(Error::InvalidArgument("socket mode")),
        })
    }
}

impl Mode {
    pub(super) fn to_abi(self) -> abi::socket_mode {
        abi::socket_mode(self as u32)
    }

    pub(super) fn receives(self) -> bool {
        matches!(self, Self::SendAndReceive | Self::ReceiveOnly)
    }

    pub(super) fn sends(self) -> bool {
        matches!(self, Self::SendAndReceive | Self::SendOnly)
    }
}

/// No watermark was set by the program.
const UNSET: u32 = 0;
/// The highest watermark that takes effect: half of the original's default number of slots.
const MAX_WATERMARK: u32 = abi::DEFAULT_NUM_SLOTS as u32 / 2;

/// The settings of a ring.
pub(super) struct Options {
    pub(super) snaplen: u32,
    pub(super) flags: u32,
    pub(super) long_header: bool,
    pub(super) parse: bool,
    pub(super) reentrant: bool,
    direction: AtomicU8,
    mode: AtomicU8,
    watermark: AtomicU32,
    watermark_timeout_ms: AtomicU32,
    poll_duration_ms: AtomicU32,
}

impl Options {
    pub(super) fn new(snaplen: u32, flags: u32) -> Self {
        let has = |flag: u32| flags & flag != 0;
        Self {
            snaplen,
            flags,
            long_header: has(abi::PF_RING_LONG_HEADER),
            parse: has(abi::PF_RING_LONG_HEADER) && !has(abi::PF_RING_DO_NOT_PARSE),
            reentrant: has(abi::PF_RING_REENTRANT),
            direction: AtomicU8::new(Direction::Both as u8),
            mode: AtomicU8::new(Mode::SendAndReceive as u8),
            watermark: AtomicU32::new(UNSET),
            watermark_timeout_ms: AtomicU32::new(0),
            poll_duration_ms: AtomicU32::new(u32::from(abi::DEFAULT_POLL_DURATION)),
        }
    }

    pub(super) fn direction(&self) -> Direction {
        match self.direction.load(Relaxed) {
            1 => Direction::Received,
            2 => Direction::Sent,
            _ => Direction::Both,
        }
    }

    pub(super) fn mode(&self) -> Mode {
        match self.mode.load(Relaxed) {
            1 => Mode::SendOnly,
            2 => Mode::ReceiveOnly,
            3 => Mode::ManagementOnly,
            _ => Mode::SendAndReceive,
        }
    }

    /// The watermark in packets, if the program set one.
    pub(super) fn watermark(&self) -> Option<u32> {
        Some(self.watermark.load(Relaxed)).filter(|packets| *packets != UNSET)
    }

    /// How long a packet may wait for the watermark, in nanoseconds, if the program said so.
    pub(super) fn watermark_timeout_ns(&self) -> Option<u64> {
        let ms = self.watermark_timeout_ms.load(Relaxed);
        (ms > 0).then_some(u64::from(ms) * 1_000_000)
    }

    /// The longest sleep of a blocking receive between two looks, in nanoseconds.
    pub(super) fn poll_duration_ns(&self) -> u64 {
        u64::from(self.poll_duration_ms.load(Relaxed).max(1)) * 1_000_000
    }
}

impl Handle {
    /// Chooses the packets to deliver, at any time: queued ones of the other direction are skipped. A ring
    /// of the host's own traffic stays one.
    pub fn set_direction(&self, direction: Direction) -> Result<()> {
        if self.source.is_file() {
            return Err(Error::NotSupported("a direction of a file"));
        }
        // What the host sends is all that such a ring is for.
        let direction = if self.source.is_stack() {
            Direction::Sent
        } else {
            direction
        };
        self.options.direction.store(direction as u8, Relaxed);
        self.obstacles
            .set(Obstacle::Direction, direction != Direction::Both);
        self.publish_direction(direction);
        self.apply_filter()
    }

    /// Chooses what the ring is used for, before it is enabled.
    pub fn set_mode(&self, mode: Mode) -> Result<()> {
        if self.is_enabled() {
            return Err(Error::TooLate("the socket mode of a ring that is enabled"));
        }
        if self.source.is_file() && mode != Mode::ReceiveOnly {
            return Err(Error::Os(
                "socket mode",
                std::io::Error::from_raw_os_error(libc::EINVAL),
            ));
        }
        self.options.mode.store(mode as u8, Relaxed);
        self.publish_mode(mode);
        Ok(())
    }

    /// Sets how many packets wake a poll: 0 counts as 1, too many as the most.
    pub fn set_watermark(&self, packets: u16) {
        let packets = u32::from(packets).clamp(1, MAX_WATERMARK);
        self.options.watermark.store(packets, Relaxed);
        if packets == 1 {
            self.want_slots();
        }
    }

    /// Sets how long a packet may wait for the watermark; 0 switches the limit off.
    pub fn set_watermark_timeout(&self, ms: u16) {
        self.options
            .watermark_timeout_ms
            .store(u32::from(ms), Relaxed);
    }

    /// Sets the longest sleep of a blocking receive between two looks. 0 counts as 1 ms; more than
    /// the 65,535 ms that the public struct can show count as that.
    pub fn set_poll_duration(&self, ms: u32) {
        let ms = ms.clamp(1, u32::from(u16::MAX));
        self.options.poll_duration_ms.store(ms, Relaxed);
        self.publish_poll_duration(ms as u16);
    }
}
