//! Settings of a ring: what it is used for, which packets it wants, what it is called.

use std::ffi::{c_char, c_int, c_uint, c_ushort};
use std::sync::atomic::{AtomicBool, Ordering};

use super::boundary::{guard, unsupported, with_ring};
use super::strings;
use crate::abi::{
    PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NOT_SUPPORTED, packet_direction,
    packet_slicing_level, pfring, socket_mode, virtual_filtering_device_info,
};
use crate::config::log;
use crate::error::Error;
use crate::handle::{Direction, Mode};
use crate::sys::{netdev, thread};

/// Chooses the packets that are delivered. May be called at any time: queued packets of the other
/// direction are skipped.
///
/// @param ring       the ring
/// @param direction  rx_and_tx_direction (default), rx_only_direction or tx_only_direction
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for
///         NULL and for a file
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_direction(
    ring: *mut pfring,
    direction: packet_direction,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle
                .set_direction(Direction::try_from(direction)?)
                .map(|()| 0)
        })
    }
}
/// Chooses what the ring is used for, before it is enabled.
///
/// @param ring  the ring
/// @param mode  send_and_recv_mode (default), send_only_mode, recv_only_mode or
///              management_only_mode; a file knows recv_only_mode only
/// @return 0; -1 with errno EBUSY when the ring is enabled, EINVAL for a file;
///         PF_RING_ERROR_INVALID_ARGUMENT for another value; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_socket_mode(ring: *mut pfring, mode: socket_mode) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_mode(Mode::try_from(mode)?).map(|()| 0)
        })
    }
}
/// Names the program that uses the ring.
///
/// @param ring  the ring
/// @param name  the name, at most 63 bytes; copied
/// @return 0; -1 with errno EINVAL for a longer name; PF_RING_ERROR_INVALID_ARGUMENT for a NULL
///         name; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_application_name(
    ring: *mut pfring,
    name: *mut c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle
                .set_application_name(strings::string(name, "name")?)
                .map(|()| 0)
        })
    }
}
/// Stores a text about the program in a file of its own, where others of the same user can read it. The file
/// goes when the ring is closed.
///
/// @param ring   the ring
/// @param stats  the text; at most 1023 bytes of it are kept
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED where there is no folder for such files (PFRING_RUN_DIR);
///         -1 with errno when the file cannot be written; PF_RING_ERROR_INVALID_ARGUMENT for NULL stats;
///         PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_application_stats(
    ring: *mut pfring,
    stats: *mut c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle
                .set_application_text(strings::string(stats, "stats")?)
                .map(|()| 0)
        })
    }
}
/// Tells the file that pfring_set_application_stats() writes to, whether it has done so yet or not.
///
/// @param ring      the ring
/// @param path      buffer for the name, which is written without a terminator: fill it with zeros before
/// @param path_len  bytes of the buffer: more than the name has
/// @return path; NULL when the buffer is too small, where there is no folder for such files
///         (PFRING_RUN_DIR), and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_appl_stats_file_name(
    ring: *mut pfring,
    path: *mut c_char,
    path_len: c_uint,
) -> *mut c_char {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, std::ptr::null_mut(), |handle| {
            let buffer = strings::buffer(path, path_len as usize, "path")?;
            handle.write_text_path(buffer).map(|()| path)
        })
    }
}
/// Sets the name that is shown for the interface in the file about the ring. Nothing else uses it.
///
/// @param ring             the ring
/// @param custom_dev_name  the name; at most 31 bytes of it are kept
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED where there is no folder for such files (PFRING_RUN_DIR) and
///         for a NULL ring; PF_RING_ERROR_INVALID_ARGUMENT for a NULL name
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_bound_dev_name(
    ring: *mut pfring,
    custom_dev_name: *mut c_char,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle
                .set_shown_name(strings::string(custom_dev_name, "device name")?)
                .map(|()| 0)
        })
    }
}
/// Asks for promiscuous mode on the interfaces of a ring, or gives it back. Calls are counted, that
/// of PF_RING_PROMISC included; what was not given back is given back at pfring_close().
///
/// @param ring            the ring
/// @param enable_promisc  0 gives back, else asks
/// @return 0; -1 with errno when nothing is there to give back (EADDRNOTAVAIL) or the interface is
///         gone (ENODEV); PF_RING_ERROR_NOT_SUPPORTED for a file; PF_RING_ERROR_INVALID_ARGUMENT
///         for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_promisc(ring: *mut pfring, enable_promisc: c_int) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            handle.set_promisc(enable_promisc != 0).map(|()| 0)
        })
    }
}
/// Chooses one receive channel (a queue of the card) in place of those that the device name gives. Packets that
/// are queued already are still delivered.
///
/// @param ring        the ring
/// @param channel_id  index of the channel, 0 to 63; (u_int32_t)-1 for all
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for another index; -1 with errno when the kernel refuses;
///         PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_channel_id(ring: *mut pfring, channel_id: u32) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_channel(channel_id).map(|()| 0)
        })
    }
}
/// Chooses receive channels (queues of the card) in place of those that the device name gives. Packets that
/// are queued already are still delivered. What the host sends is of channel 0.
///
/// @param ring          the ring
/// @param channel_mask  bit n stands for channel n; RING_ANY_CHANNEL: all; 0: nothing is captured
/// @return 0; -1 with errno when the kernel refuses; PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_channel_mask(ring: *mut pfring, channel_mask: u64) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_channels(channel_mask).map(|()| 0)
        })
    }
}
/// Lets a packet's channel be its pkt_hash modulo the number of receive channels of the main interface, and not
/// the queue that it came by. Packets of other channels are then dropped by the library and not by the
/// kernel, which takes time.
///
/// @param ring  the ring
/// @return 0; -1 with errno when the kernel refuses; PF_RING_ERROR_NOT_SUPPORTED for NULL and for a file
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_enable_rss_rehash(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.rehash_channels().map(|()| 0)
        })
    }
}
/// Chooses one VLAN for all interfaces of the ring, in place of those that the device name gives. Packets that
/// are queued already are held against it as well. There is no way back to all VLANs.
///
/// @param ring     the ring
/// @param vlan_id  id of the outer tag or of the one behind it, 12 bits of it count; 0: packets without
///                 a tag
/// @return 0; -1 with errno: EINVAL on a ring for sent packets only; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_vlan_id(ring: *mut pfring, vlan_id: u16) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_vlan(vlan_id).map(|()| 0)
        })
    }
}
/// Delivers one packet in so many of those that pass the filter: the first one, then one of each group, at
/// a place that changes. The others are not counted as received, nor as dropped.
///
/// @param ring  the ring
/// @param rate  packets of a group; 0 and 1: every packet
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_sampling_rate(ring: *mut pfring, rate: u32) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_sampling_rate(rate);
            Ok(0)
        })
    }
}
/// Lets some of the packets pass that hash rules drop: of each 10 * rate packets that such a rule matches,
/// the first ten. They are counted as match_forward of the rule. A rule after which wildcard rules are looked
/// at is not sampled.
///
/// @param ring  the ring
/// @param rate  one packet of so many passes; 0: none
/// @return 0; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_filtering_sampling_rate(ring: *mut pfring, rate: u32) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_filtering_sampling(rate);
            Ok(0)
        })
    }
}
/// Cuts packets behind their headers: of what is received, caplen becomes the end of the header of a layer
/// and some more bytes; len stays. A packet without such a header is cut behind the one before it. The hash and
/// the parsed fields of a packet are those of what is left. Rules and filters see whole packets.
///
/// @param ring              the ring
/// @param level             the layer; FULL_PACKET_SLICING: packets are not cut
/// @param additional_bytes  bytes to keep behind the header
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for an unknown level; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_packet_slicing(
    ring: *mut pfring,
    level: packet_slicing_level,
    additional_bytes: u32,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            handle.set_slicing(level, additional_bytes).map(|()| 0)
        })
    }
}
/// Tells of a device that a program emulates. Not supported.
///
/// @param ring  the ring
/// @param info  the device
/// @return PF_RING_ERROR_NOT_SUPPORTED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_virtual_device(
    ring: *mut pfring,
    info: *mut virtual_filtering_device_info,
) -> c_int {
    let _ = info;
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            unsupported("pfring_set_virtual_device")
        })
    }
}
/// Gives the whole process the real-time policy SCHED_FIFO. Only the first call has an effect. Where the
/// right (CAP_SYS_NICE) is missing the policy stays as it is, and PFRING_LOG=error tells so.
///
/// @param cpu_percentage  the priority, 1 to 99
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_config(cpu_percentage: c_ushort) {
    static DONE: AtomicBool = AtomicBool::new(false);
    guard(|| {
        if !DONE.swap(true, Ordering::Relaxed)
            && let Err(error) = thread::set_fifo(i32::from(cpu_percentage))
        {
            log::error(format_args!("pfring_config({cpu_percentage}): {error}"));
        }
        Ok(())
    });
}

/// Switches the promiscuous flag of interfaces on or off, as `ip link set promisc` does: uncounted, and
/// not given back by itself. Needs CAP_NET_ADMIN.
///
/// @param device       names separated by `,` or `;`; from an `@` on a name is ignored
/// @param set_promisc  0 off, else on
/// @return the flag before (0 or 256) of the last interface; -1 with errno when it cannot be changed;
///         PF_RING_ERROR_INVALID_ARGUMENT for an unknown interface; -3 for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_set_if_promisc(device: *const c_char, set_promisc: c_int) -> c_int {
    const NO_NAME: c_int = -3;
    if device.is_null() {
        return NO_NAME;
    }
    guard(|| {
        // SAFETY: the common contract; not NULL.
        let names = unsafe { strings::string(device, "device name") }?;
        let names = names
            .to_str()
            .map_err(|_| Error::InvalidArgument("device name"))?;
        let mut before = false;
        for name in names.split([',', ';']) {
            let name = name.split('@').next().unwrap_or_default();
            before = match netdev::set_promisc_flag(name, set_promisc != 0) {
                Err(Error::NoSuchDevice(_)) => return Err(Error::InvalidArgument("device name")),
                other => other?,
            };
        }
        Ok(if before { libc::IFF_PROMISC } else { 0 })
    })
}
