//! What can be told of devices, and the list of them.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar};
use std::ptr::{NonNull, null_mut};

use super::boundary::{guard, out, with_ring};
use super::strings;
use crate::abi::{
    __pfring_pfring_if_bus_id, PF_RING_ERROR_INVALID_ARGUMENT, PF_RING_ERROR_NOT_SUPPORTED,
    UNKNOWN_NUM_RX_CHANNELS, pfring, pfring_card_settings, pfring_if, thirdparty_func,
};
use crate::config::log;
use crate::sys::netdev::{self, Interface};
use crate::sys::{dl, ethtool};

/// Header and one tag, on top of the MTU.
const LINK_OVERHEAD: u32 = 18;
/// What the original gives for a header length that it cannot tell: its code, in unsigned form.
const NO_HEADER_LEN: u16 = PF_RING_ERROR_NOT_SUPPORTED as u16;

/// Tells the MAC address of the main interface.
///
/// @param ring         the ring
/// @param mac_address  six bytes, filled; zeros for `any`
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL address; PF_RING_ERROR_NOT_SUPPORTED for a
///         file or a NULL ring; -1 with errno ENODEV when the interface is gone
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_bound_device_address(
    ring: *mut pfring,
    mac_address: *mut c_uchar,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = out(mac_address, "MAC address")?;
            let mac = handle.mac()?;
            place.cast().write(mac);
            Ok(0)
        })
    }
}
/// Tells the index of the main interface.
///
/// @param ring      the ring
/// @param if_index  filled; 0 for `any`
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL index; PF_RING_ERROR_NOT_SUPPORTED for a
///         file or a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_bound_device_ifindex(
    ring: *mut pfring,
    if_index: *mut c_int,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            let place = out(if_index, "index")?;
            place.write(handle.ifindex()?);
            Ok(0)
        })
    }
}
/// Tells the index of any interface.
///
/// @param ring         the ring
/// @param device_name  name of the interface
/// @param if_index     filled
/// @return 0; -1 with errno ENODEV for an unknown interface; PF_RING_ERROR_INVALID_ARGUMENT for a
///         NULL pointer; PF_RING_ERROR_NOT_SUPPORTED for a NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_device_ifindex(
    ring: *mut pfring,
    device_name: *mut c_char,
    if_index: *mut c_int,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            let place = out(if_index, "index")?;
            let name = strings::interface(device_name)?;
            place.write(netdev::index_of(name)?);
            Ok(0)
        })
    }
}
/// Tells whether the main interface has a carrier.
///
/// @param ring  the ring
/// @return 1, also where nobody can tell; 0 without a carrier; PF_RING_ERROR_INVALID_ARGUMENT for
///         NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_link_status(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            Ok(handle.has_carrier().into())
        })
    }
}
/// Tells how the link-layer header of the packets looks.
///
/// @param ring  the ring
/// @return a DLT_* value of libpcap: 1 Ethernet (also for `any` and lists), 12 bare IP, others for
///         files; PF_RING_ERROR_NOT_SUPPORTED for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_link_type(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |handle| {
            Ok(handle.link_type())
        })
    }
}
/// Tells how many bytes of a packet are kept at most.
///
/// @param ring  the ring
/// @return bytes; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_caplen(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            Ok(handle.snaplen() as c_int)
        })
    }
}
/// Tells the MTU of the main interface as it is now.
///
/// @param ring  the ring
/// @return bytes, 0 when unknown; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_mtu_size(ring: *mut pfring) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            Ok(handle
                .mtu()
                .and_then(|mtu| c_int::try_from(mtu).ok())
                .unwrap_or(0))
        })
    }
}
/// Tells the longest frame of the main interface. Numbers of descriptors are not known (0).
///
/// @param ring      the ring
/// @param settings  filled
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_card_settings(
    ring: *mut pfring,
    settings: *mut pfring_card_settings,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_INVALID_ARGUMENT, |handle| {
            let place = out(settings, "settings")?;
            let max_packet_size = handle.mtu().unwrap_or(0) + LINK_OVERHEAD;
            place.write(pfring_card_settings {
                max_packet_size,
                rx_ring_slots: 0,
                tx_ring_slots: 0,
            });
            Ok(0)
        })
    }
}
/// Counts the receive channels of the main interface.
///
/// @param ring  the ring
/// @return 1 to 64; 1 when unknown and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_num_rx_channels(ring: *mut pfring) -> u8 {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, UNKNOWN_NUM_RX_CHANNELS as u8, |handle| {
            Ok(handle.rx_channels())
        })
    }
}
/// Tells the speed of the main interface.
///
/// @param ring  the ring
/// @return Mbit/s; 0 when unknown and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_interface_speed(ring: *mut pfring) -> u32 {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, 0, |handle| Ok(handle.speed_mbps())) }
}
/// Tells how many bytes of struct pfring_pkthdr a receive fills.
///
/// @param ring  the ring
/// @return 48, or 209 with PF_RING_LONG_HEADER; 65529 for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_slot_header_len(ring: *mut pfring) -> u16 {
    // SAFETY: the common contract.
    unsafe { with_ring(ring, NO_HEADER_LEN, |handle| Ok(handle.header_len())) }
}
/// Fills a buffer with the bytes 0, 1, 2 and so on, as the original has its kernel do.
///
/// @param ring        the ring
/// @param buffer      buffer
/// @param buffer_len  bytes of the buffer
/// @param test_len    bytes to fill, at most buffer_len
/// @return 0; PF_RING_ERROR_INVALID_ARGUMENT for a NULL buffer; PF_RING_ERROR_NOT_SUPPORTED for a
///         NULL ring
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_loopback_test(
    ring: *mut pfring,
    buffer: *mut c_char,
    buffer_len: u32,
    test_len: u32,
) -> c_int {
    // SAFETY: the common contract.
    unsafe {
        with_ring(ring, PF_RING_ERROR_NOT_SUPPORTED, |_| {
            let len = test_len.min(buffer_len) as usize;
            for (index, byte) in strings::buffer(buffer, len, "buffer")?
                .iter_mut()
                .enumerate()
            {
                *byte = index as u8;
            }
            Ok(0)
        })
    }
}
/// Tells the speed of any interface.
///
/// @param ifname  name of the interface; what stands before a `:` is ignored
/// @return Mbit/s; 0 when unknown, for an unknown interface and for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_get_ethtool_link_speed(ifname: *const c_char) -> u32 {
    guard(|| {
        // SAFETY: the common contract.
        let name = unsafe { strings::interface(ifname) }?;
        ethtool::link_speed_mbps(name.rsplit(':').next().unwrap_or(name))
    })
}

/// Lists every interface of the network namespace.
///
/// @return the first element, to be freed by pfring_freealldevs() only; NULL with errno on failure
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_findalldevs() -> *mut pfring_if {
    guard(|| {
        let mut next = null_mut();
        for interface in netdev::list()?.into_iter().rev() {
            next = Box::into_raw(Box::new(list_element(&interface, next)));
        }
        Ok(next)
    })
}

/// Frees a list of pfring_findalldevs().
///
/// @param list  the first element; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_freealldevs(list: *mut pfring_if) {
    guard(|| {
        let mut next = list;
        while let Some(element) = NonNull::new(next) {
            // SAFETY: the common contract: the element and its strings were made by
            // pfring_findalldevs, each by into_raw.
            let element = unsafe { Box::from_raw(element.as_ptr()) };
            for text in [element.name, element.system_name, element.module] {
                if !text.is_null() {
                    // SAFETY: as above.
                    drop(unsafe { CString::from_raw(text) });
                }
            }
            next = element.next;
        }
        Ok(())
    });
}

fn list_element(interface: &Interface, next: *mut pfring_if) -> pfring_if {
    let text = |text: &str| CString::new(text).unwrap_or_default().into_raw();
    pfring_if {
        name: text(&interface.name),
        system_name: text(&interface.name),
        module: text("pf_ring"),
        module_version: null_mut(),
        sn: null_mut(),
        mac: interface.mac.map(|byte| byte as c_char),
        bus_id: interface
            .bus_id
            .as_deref()
            .and_then(pci_place)
            .unwrap_or(NO_PLACE),
        status: interface.up.into(),
        license: 0,
        license_expiration: 0,
        next,
    }
}

const NO_PLACE: __pfring_pfring_if_bus_id = __pfring_pfring_if_bus_id {
    slot: 0,
    bus: 0,
    device: 0,
    function: 0,
};

/// Reads a place on the PCI bus: `0000:3b:00.1`.
fn pci_place(text: &str) -> Option<__pfring_pfring_if_bus_id> {
    let (slot, rest) = text.split_once(':')?;
    let (bus, rest) = rest.split_once(':')?;
    let (device, function) = rest.split_once('.')?;
    let hex = |text: &str| c_int::from_str_radix(text, 16).ok();
    Some(__pfring_pfring_if_bus_id {
        slot: hex(slot)?,
        bus: hex(bus)?,
        device: hex(device)?,
        function: hex(function)?,
    })
}

/// Loads a library and looks functions up in it. What cannot be found stays NULL.
///
/// @param lib_name  name or path, as for dlopen()
/// @param funcs     elements whose ptr is NULL are looked up; one with name NULL ends the array
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pfring_thirdparty_lib_init(
    lib_name: *const c_char,
    funcs: *mut thirdparty_func,
) {
    guard(|| {
        let mut entry = out(funcs, "functions")?;
        // SAFETY: the common contract.
        let name = unsafe { strings::string(lib_name, "library name") }?;
        let Some(library) = dl::Library::open(name) else {
            log::info(format_args!("{} cannot be loaded", name.to_string_lossy()));
            return Ok(());
        };
        // SAFETY: the common contract: the array ends with an element without a name.
        unsafe {
            while !entry.as_ref().name.is_null() {
                let function = entry.as_mut();
                if function.ptr.is_none() {
                    function.ptr = library.function(CStr::from_ptr(function.name));
                }
                entry = entry.add(1);
            }
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pci_places_are_hexadecimal() {
        let place = pci_place("0001:3b:1f.7").unwrap();
        assert_eq!(
            (place.slot, place.bus, place.device, place.function),
            (1, 0x3b, 0x1f, 7)
        );
        assert!(pci_place("usb1").is_none() && pci_place("1:2").is_none());
    }
}
