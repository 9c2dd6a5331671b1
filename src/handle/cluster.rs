//! Clusters: rings, of this process and of others, that share the packets of an interface.
//!
//! A cluster is a fanout group of the kernel for each interface. Whoever joins brings the program that gives a
//! packet's place; the kernel takes it modulo the number of members, and closes the hole when one goes.

use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libc::sock_filter;
use parking_lot::Mutex;

use super::obstacles::Obstacle;
use super::twice::Seen;
use super::{Handle, Lifecycle};
use crate::config::env::BackendChoice;
use crate::error::{Error, Result};
use crate::filter::cluster::{Balance, program};
use crate::packet::{Start, parse};
use crate::sys::link_type::DLT_EN10MB;
use crate::sys::packet::{NOTHING, PacketSocket, Sharing};

/// The number that stands for "any queue".
pub const ANY_QUEUE: u16 = 64;
/// As far as the parser goes: into tunnels.
const PARSE_LEVEL: u8 = 6;

/// What a ring has joined.
#[derive(Clone, Copy)]
struct Membership {
    id: u16,
    balance: Balance,
    relaxed: bool,
}

/// The cluster of a ring.
#[derive(Default)]
pub(super) struct Cluster {
    joined: Mutex<Option<Membership>>,
    /// The last frame, where a packet may come twice.
    pub(super) last: Mutex<Option<Seen>>,
    /// The number of its type plus 1 while packets carry its sum as their hash, else 0.
    hashes: AtomicU32,
}

/// What a program asks for when it joins.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Id of the cluster, from 1.
    pub id: u32,
    /// 0 to 63, or [`ANY_QUEUE`].
    pub queue: u16,
    /// Number of the type, 0 to 13.
    pub kind: u32,
    /// A packet whose ring is full may go to another one.
    pub relaxed: bool,
}

impl Handle {
    /// Joins a cluster, now or when capture starts.
    ///
    /// # Errors
    ///
    /// `Os` with EINVAL for id 0, one above 65,535 and a queue above 64, with what the kernel says of a group that is
    /// full (ENOSPC, 256 members) or of another kind (EINVAL); `InvalidArgument` for an unknown type; `NotSupported` for
    /// a file, a BPF ring, and after capture has started for another cluster and for type 13.
    pub fn join_cluster(&self, wish: Wish) -> Result<()> {
        let invalid = |what| Error::Os(what, std::io::Error::from_raw_os_error(libc::EINVAL));
        let id = u16::try_from(wish.id).unwrap_or(0);
        if id == 0 {
            return Err(invalid("the id of a cluster"));
        }
        if wish.queue > ANY_QUEUE {
            return Err(invalid("the queue of a cluster"));
        }
        let balance =
            Balance::from_number(wish.kind).ok_or(Error::InvalidArgument("cluster type"))?;
        if self.source.is_file() || self.settings.backend == BackendChoice::Bpf {
            return Err(Error::NotSupported("a cluster of what is no packet socket"));
        }
        let mut lifecycle = self.lifecycle.lock();
        let new = Membership {
            id,
            balance,
            relaxed: wish.relaxed,
        };
        let old = *self.cluster.joined.lock();
        match old {
            Some(old) if lifecycle.capturing && old.id == id => return Ok(()),
            Some(_) if lifecycle.capturing => {
                return Err(Error::NotSupported(
                    "leaving a cluster after capture has started",
                ));
            }
            _ => {}
        }
        let twice = balance.second().is_some();
        if twice && lifecycle.capturing {
            return Err(Error::NotSupported(
                "a cluster that gives packets twice, after capture has started",
            ));
        }
        *self.cluster.joined.lock() = Some(new);
        self.obstacles.set(Obstacle::Twice, twice);
        if lifecycle.capturing {
            self.join_now(&mut lifecycle, new).inspect_err(|_| {
                *self.cluster.joined.lock() = None;
            })?;
        }
        self.show_cluster(Some(wish.kind).filter(|_| balance != Balance::RoundRobin));
        Ok(())
    }

    /// Leaves the cluster, before capture has started: a socket stays in its group as long as it is open.
    ///
    /// # Errors
    ///
    /// `NotSupported` later.
    pub fn leave_cluster(&self) -> Result<()> {
        let lifecycle = self.lifecycle.lock();
        if self.cluster.joined.lock().is_none() {
            return Ok(());
        }
        if lifecycle.capturing {
            return Err(Error::NotSupported(
                "leaving a cluster after capture has started",
            ));
        }
        *self.cluster.joined.lock() = None;
        self.obstacles.set(Obstacle::Twice, false);
        self.show_cluster(None);
        Ok(())
    }

    /// Whether the ring is in a cluster, or is going to be.
    pub(super) fn is_in_cluster(&self) -> bool {
        self.cluster.joined.lock().is_some()
    }

    /// Binds the sockets and joins the groups, so that no packet comes in between: nothing is let in before.
    pub(super) fn bind_and_join(&self, lifecycle: &mut Lifecycle) -> Result<()> {
        let joined = *self.cluster.joined.lock();
        if joined.is_some() {
            self.let_nothing_in()?;
        }
        let twice = joined.is_some_and(|joined| joined.balance.second().is_some());
        for device in self.source.devices() {
            device.socket.bind(device.ifindex)?;
            if let Some(second) = device.spare.get().filter(|_| twice) {
                second.bind(device.ifindex)?;
                self.selectable.add(second.as_raw_fd())?;
            }
        }
        match joined {
            Some(membership) => self.join_now(lifecycle, membership),
            None => Ok(()),
        }
    }

    fn join_now(&self, lifecycle: &mut Lifecycle, membership: Membership) -> Result<()> {
        // A ring that took over would have to be at the same place of another group.
        lifecycle.spare = None;
        self.let_nothing_in()?;
        let relaxed = membership.relaxed;
        let ethernet = self.source.link_type() == DLT_EN10MB;
        let program = program::assemble(membership.balance, ethernet);
        let second = membership.balance.second();
        let second = second.and_then(|balance| program::assemble(balance, ethernet));
        for device in self.source.devices() {
            let group = group_of(device.ifindex, membership.id);
            let spare = device.spare.get();
            let socket = spare.filter(|_| lifecycle.turned).unwrap_or(&device.socket);
            join(socket, group, program.as_deref(), relaxed)?;
            if let (Some(program), Some(socket)) = (&second, spare) {
                join(socket, group ^ SECOND_GROUP, Some(program), relaxed)?;
            }
        }
        self.attach(lifecycle)
    }

    /// Whether the ring has two sockets for each interface.
    pub(super) fn comes_twice(&self) -> bool {
        self.obstacles.has(Obstacle::Twice)
    }

    fn let_nothing_in(&self) -> Result<()> {
        for socket in self.source.sockets() {
            socket.attach_filter(&NOTHING)?;
        }
        Ok(())
    }

    fn show_cluster(&self, kind: Option<u32>) {
        self.cluster
            .hashes
            .store(kind.map_or(0, |kind| kind + 1), Relaxed);
        self.obstacles.set(Obstacle::Cluster, kind.is_some());
    }

    /// The hash of a packet as it is delivered, and its fragment flags: in a cluster the sum that gave its
    /// place.
    #[inline]
    pub(super) fn delivered_hash(&self, data: &[u8]) -> (u32, u32) {
        if self.obstacles.has(Obstacle::Cluster) {
            return self.cluster_hash(data);
        }
        self.quick_hash(data)
    }

    #[cold]
    fn cluster_hash(&self, data: &[u8]) -> (u32, u32) {
        let kind = self.cluster.hashes.load(Relaxed).wrapping_sub(1);
        let Some(balance) = Balance::from_number(kind) else {
            return self.quick_hash(data);
        };
        let start = if self.source.link_type() == DLT_EN10MB {
            Start::Ethernet
        } else {
            Start::Ip
        };
        let (facts, _) = parse(data, start, PARSE_LEVEL);
        (balance.sum(&facts), facts.fragment_flags())
    }
}

/// The kernel's number for the cluster of an interface: 16 bits for each network namespace.
fn group_of(ifindex: i32, id: u16) -> u16 {
    (ifindex as u16).rotate_left(8) ^ id
}

/// The number of the group that shares out by the destination, beside the one by the source.
const SECOND_GROUP: u16 = 1 << 15;

/// Joins a group as its first member has made it: what the others ask for is ignored, as in the original.
fn join(
    socket: &PacketSocket,
    group: u16,
    program: Option<&[sock_filter]>,
    relaxed: bool,
) -> Result<()> {
    let wanted = if program.is_some() {
        Sharing::ByProgram
    } else {
        Sharing::InTurns
    };
    let other = if program.is_some() {
        Sharing::InTurns
    } else {
        Sharing::ByProgram
    };
    let mut refused = Error::NotSupported("a cluster");
    for (sharing, relaxed) in [
        (wanted, relaxed),
        (wanted, !relaxed),
        (other, relaxed),
        (other, !relaxed),
    ] {
        match socket.share(group, sharing, relaxed) {
            Err(Error::Os(operation, error)) if error.raw_os_error() == Some(libc::EINVAL) => {
                refused = Error::Os(operation, error);
            }
            Err(error) => return Err(error),
            Ok(()) => {
                // A group that shares out in turns has no program.
                let _ = program.map(|program| socket.set_sharing_program(program));
                return Ok(());
            }
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::group_of;

    #[test]
    fn clusters_of_an_interface_and_of_others_are_apart() {
        let mut groups = std::collections::HashSet::new();
        for ifindex in 0..100 {
            for id in 1..200 {
                assert!(groups.insert(group_of(ifindex, id)), "{ifindex} {id}");
            }
        }
    }
}
