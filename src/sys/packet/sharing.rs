//! Groups of packet sockets that share the packets of an interface (fanout).

use super::PacketSocket;
use crate::error::{Error, Result};

/// How the sockets of a group share packets out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// By what a program says of a packet.
    ByProgram,
    /// One after the other.
    InTurns,
}

impl PacketSocket {
    /// Joins the sockets of a group, which share the packets of their interface. Bound before, and it stays until
    /// the socket is closed. `relaxed`: a packet whose socket is full may go to another one.
    ///
    /// # Errors
    ///
    /// `Os`: EINVAL for a group of another kind or interface, ENOSPC for one of 256 members.
    pub fn share(&self, group: u16, how: Sharing, relaxed: bool) -> Result<()> {
        let kind = match how {
            Sharing::ByProgram => libc::PACKET_FANOUT_CBPF,
            Sharing::InTurns => libc::PACKET_FANOUT_LB,
        };
        let flags = if relaxed {
            libc::PACKET_FANOUT_FLAG_ROLLOVER
        } else {
            0
        };
        let value = u32::from(group) | (kind | flags) << 16;
        self.set("PACKET_FANOUT", libc::PACKET_FANOUT, &value)
    }

    /// Gives the socket's group the program whose result, modulo the number of members, is a packet's place.
    ///
    /// # Errors
    ///
    /// `Os` with EINVAL for a group that has none, and when the kernel refuses the program.
    pub fn set_sharing_program(&self, program: &[libc::sock_filter]) -> Result<()> {
        let program = libc::sock_fprog {
            len: program
                .len()
                .try_into()
                .map_err(|_| Error::InvalidArgument("program length"))?,
            filter: program.as_ptr().cast_mut(),
        };
        self.set("PACKET_FANOUT_DATA", libc::PACKET_FANOUT_DATA, &program)
    }
}
