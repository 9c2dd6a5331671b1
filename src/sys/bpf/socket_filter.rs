//! Programs that sockets have as their filter, and maps in which they count.
//!
//! Needs CAP_BPF; without it every call here fails with EPERM.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::{Insn, MapCreate, bpf, create_map, load, name};
use crate::error::{Error, Result};
use crate::sys::check;

// Of linux/bpf.h; libc does not have them.
const MAP_LOOKUP: libc::c_int = 1;
const MAP_UPDATE: libc::c_int = 2;
const MAP_DELETE: libc::c_int = 3;
#[cfg(test)]
const PROG_TEST_RUN: libc::c_int = 10;
const PROG_TYPE_SOCKET_FILTER: u32 = 1;
/// Elements are allocated as they are added.
const NO_PREALLOC: u32 = 1;

/// What a map is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MapKind {
    /// BPF_MAP_TYPE_HASH.
    Hash = 1,
    /// BPF_MAP_TYPE_ARRAY: its keys are the numbers from 0 on, 32 bits in native order.
    Array = 2,
}

/// A map. It lives as long as this, or a program that uses it.
#[derive(Debug)]
pub struct Map {
    fd: OwnedFd,
    key_len: usize,
    value_len: usize,
}

/// The attributes of the commands about one element.
#[repr(C)]
#[derive(Clone, Copy)]
struct Element {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

impl Map {
    /// Makes a map with room for `most` elements.
    ///
    /// # Errors
    ///
    /// `Os`: EPERM without the right.
    pub fn new(kind: MapKind, key_len: usize, value_len: usize, most: u32) -> Result<Self> {
        let fd = create_map(MapCreate {
            map_type: kind as u32,
            key_size: key_len as u32,
            value_size: value_len as u32,
            max_entries: most,
            map_flags: match kind {
                MapKind::Hash => NO_PREALLOC,
                MapKind::Array => 0,
            },
            inner_map_fd: 0,
            numa_node: 0,
            map_name: name("pfring_rules"),
            map_ifindex: 0,
        })?;
        Ok(Self {
            fd,
            key_len,
            value_len,
        })
    }

    /// The number that a program names it by.
    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    fn element(&self, key: &[u8], value: *const u8) -> Element {
        assert_eq!(key.len(), self.key_len, "the map's keys");
        Element {
            map: self.fd() as u32,
            padding: 0,
            key: key.as_ptr() as u64,
            value: value as u64,
            flags: 0,
        }
    }

    /// Adds an element, or replaces it.
    ///
    /// # Errors
    ///
    /// `Os`: E2BIG when the map is full.
    pub fn set(&self, key: &[u8], value: &[u8]) -> Result<()> {
        assert_eq!(value.len(), self.value_len, "the map's values");
        let attr = self.element(key, value.as_ptr());
        // Key and value have the lengths of the map, and outlive the call.
        check("BPF_MAP_UPDATE_ELEM", bpf(MAP_UPDATE, &attr)).map(|_| ())
    }

    /// Reads an element; None when there is none.
    pub fn get(&self, key: &[u8], value: &mut [u8]) -> Option<()> {
        assert_eq!(value.len(), self.value_len, "the map's values");
        let attr = self.element(key, value.as_mut_ptr());
        // As in `set`; the value is writable.
        (bpf(MAP_LOOKUP, &attr) == 0).then_some(())
    }

    /// Removes an element, if it is there.
    pub fn remove(&self, key: &[u8]) {
        let attr = self.element(key, std::ptr::null());
        // As in `set`; this command has no value.
        bpf(MAP_DELETE, &attr);
    }
}

/// A program that a socket can be given as its filter.
#[derive(Debug)]
pub struct SocketProgram(OwnedFd);

impl SocketProgram {
    /// Loads it.
    ///
    /// # Errors
    ///
    /// `Os`: EPERM without the right, EINVAL or EACCES for what the kernel's verifier refuses.
    pub fn load(insns: &[Insn]) -> Result<Self> {
        for _ in 0..10 {
            match load(PROG_TYPE_SOCKET_FILTER, "pfring_rules", insns, &mut []) {
                // A signal came while the program was looked through.
                Err(Error::Os(_, error)) if error.raw_os_error() == Some(libc::EAGAIN) => {}
                other => return other.map(Self),
            }
        }
        Err(Error::Os(
            "BPF_PROG_LOAD",
            io::Error::from_raw_os_error(libc::EAGAIN),
        ))
    }

    /// The descriptor, for SO_ATTACH_BPF.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Runs it on a frame; what it returned.
    #[cfg(test)]
    pub fn test_run(&self, frame: &[u8]) -> Result<u32> {
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct TestRun {
            program: u32,
            returned: u32,
            len_in: u32,
            len_out: u32,
            data_in: u64,
            data_out: u64,
            repeat: u32,
            duration: u32,
        }
        // The kernel takes an Ethernet header away before it runs a program of this kind.
        let data = [&[0; 14], frame].concat();
        let mut attr = TestRun {
            program: self.fd() as u32,
            returned: 0,
            len_in: data.len() as u32,
            len_out: 0,
            data_in: data.as_ptr() as u64,
            data_out: 0,
            repeat: 1,
            duration: 0,
        };
        // SAFETY: the data outlive the call, which only reads them; the attributes are writable.
        let ret = unsafe {
            libc::syscall(
                libc::SYS_bpf,
                PROG_TEST_RUN,
                &raw mut attr,
                size_of_val(&attr),
            )
        };
        check("BPF_PROG_TEST_RUN", ret as libc::c_int)?;
        Ok(attr.returned)
    }
}
