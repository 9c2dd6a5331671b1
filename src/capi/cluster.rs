//! Clusters: rings that share one stream.

use std::ffi::{c_int, c_uint};

use super::boundary::{unsupported, with_ring};
use crate::abi::{
    CLUSTER_OPTION_RELAXED_DISTRIBUTION, PF_RING_ERROR_NOT_SUPPORTED, cluster_type, pfring,
};
use crate::handle::{ANY_QUEUE, ClusterWish};

/// What the original gives for an id that it cannot tell: its code, in unsigned form.
const NO_RING_ID: u32 = PF_RING_ERROR_NOT_SUPPORTED as u32;

/// Joins a cluster: the rings in it, of this process and of others, share the packets of their interface. May
/// be called before the ring is enabled and after. Clusters of different interfaces are apart, whatever their
/// ids. The same as pfring_set_cluster_consumer with queue 64 and no options.
///
/// A packet goes to the ring whose place is `sum % rings`, and carries the sum as its pkt_hash: of addresses, ports
/// and protocol as the type says, never with the VLAN, equal for both directions. All fragments of a packet are
/// placed by their addresses and protocol. The places of rings that are closed, or whose process has ended,
/// are taken by the others. Type and options of the ring that came first count.
///
/// @param ring        the ring
/// @param cluster_id  id of the cluster, 1 to 65,535
/// @param the_type    how packets are shared
/// @return 0; -1 with errno EINVAL for id 0 or one above 65,535, ENOSPC for the 257th ring, EINVAL when another
///         program has a fanout group of the same number; PF_RING_ERROR_INVALID_ARGUMENT for an unknown type;
///         PF_RING_ERROR_NOT_SUPPORTED for NULL, a file, PFRING_BACKEND=bpf, and once the ring captures
///         for another cluster and for cluster_per_flow_ip_with_dup_tuple
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_cluster(
    ring: *mut pfring,
    cluster_id: c_uint,
    the_type: cluster_type,
) -> c_int {
    let wish = ClusterWish {
        id: cluster_id,
        queue: ANY_QUEUE,
        kind: the_type.0,
        relaxed: false,
    };
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.join_cluster(wish).map(|()| 0)
        })
    }
}
/// As pfring_set_cluster, with a queue and options.
///
/// @param ring        the ring
/// @param cluster_id  id of the cluster, from 1
/// @param queue_id    the queue, 0 to 63, or 64 for any. Rings have places in the order in which they join, which
///                    is that of the queues if they join in that order
/// @param the_type    how packets are shared
/// @param options     CLUSTER_OPTION_RELAXED_DISTRIBUTION: a packet whose ring is full may go to another one
/// @return as pfring_set_cluster; -1 with errno EINVAL for a queue above 64
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_cluster_consumer(
    ring: *mut pfring,
    cluster_id: u16,
    queue_id: u16,
    the_type: cluster_type,
    options: u32,
) -> c_int {
    let wish = ClusterWish {
        id: cluster_id.into(),
        queue: queue_id,
        kind: the_type.0,
        relaxed: options & CLUSTER_OPTION_RELAXED_DISTRIBUTION != 0,
    };
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.join_cluster(wish).map(|()| 0)
        })
    }
}
/// Leaves the cluster. Once the ring captures it stays in it until it is closed.
///
/// @param ring  the ring
/// @return 0, also without a cluster; PF_RING_ERROR_NOT_SUPPORTED for NULL, and for a ring that captures
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_remove_from_cluster(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.leave_cluster().map(|()| 0)
        })
    }
}
/// Shares the memory of another ring. Not supported.
///
/// @param ring       the ring
/// @param master_id  id of the other ring
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_master_id(ring: *mut pfring, master_id: u32) -> c_int {
    let _ = master_id;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_master_id")
        })
    }
}
/// Shares the memory of another ring. Not supported.
///
/// @param ring    the ring
/// @param master  the other ring
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_master(ring: *mut pfring, master: *mut pfring) -> c_int {
    let _ = master;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_master")
        })
    }
}
/// Tells the id of a ring. Not supported yet.
///
/// @param ring  the ring
/// @return (uint32_t) PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_ring_id(ring: *mut pfring) -> u32 {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, NO_RING_ID, |_| Ok(NO_RING_ID)) }
}
