//! Clusters: rings that share one stream. None of it is supported yet.

use std::ffi::{c_int, c_uint};

use super::boundary::{unsupported, with_ring};
use crate::abi::{PF_RING_ERROR_NOT_SUPPORTED, cluster_type, pfring};

/// What the original gives for an id that it cannot tell: its code, in unsigned form.
const NO_RING_ID: u32 = PF_RING_ERROR_NOT_SUPPORTED as u32;

/// Joins a cluster: its rings share the packets among them. Not supported yet.
///
/// @param ring        the ring
/// @param cluster_id  id of the cluster
/// @param the_type    how packets are shared
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_cluster(
    ring: *mut pfring,
    cluster_id: c_uint,
    the_type: cluster_type,
) -> c_int {
    let _ = (cluster_id, the_type);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_cluster")
        })
    }
}
/// Joins a cluster with a queue of choice. Not supported yet.
///
/// @param ring        the ring
/// @param cluster_id  id of the cluster
/// @param queue_id    the queue, or 64 for any
/// @param the_type    how packets are shared
/// @param options     CLUSTER_OPTION_* flags
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_cluster_consumer(
    ring: *mut pfring,
    cluster_id: u16,
    queue_id: u16,
    the_type: cluster_type,
    options: u32,
) -> c_int {
    let _ = (cluster_id, queue_id, the_type, options);
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_cluster_consumer")
        })
    }
}
/// Leaves the cluster. Without clusters there is none to leave.
///
/// @param ring  the ring
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_remove_from_cluster(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| Ok(0)) }
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
