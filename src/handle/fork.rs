//! A ring does not cross fork: in the child its sockets and its memory are the parent's too, and two readers
//! would take each other's packets. Every call on it fails there.
//!
//! The handlers of pthread_atfork are registered by the first ring that is opened. The child's marks the rings
//! that were open: so nothing is asked on the way of a packet.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use parking_lot::Mutex;

use super::Handle;
use super::obstacles::Obstacle;
use crate::sys::thread;

/// The open rings of this process, by address.
static OPEN: Mutex<Vec<usize>> = Mutex::new(Vec::new());
/// Held while the list changes and while the process forks, so that the list is whole in the child. A flag and
/// no mutex: what waits for a mutex may not be there any more in the child that gives it back.
static HELD: AtomicBool = AtomicBool::new(false);

impl Handle {
    /// Puts the ring, which does not move any more, on the list.
    pub(super) fn watch_for_fork(&self) {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| thread::at_fork(hold, give_back, in_child));
        change(|open| open.push(std::ptr::from_ref(self) as usize));
    }

    /// Takes it off the list.
    pub(super) fn forget_fork(&self) {
        let address = std::ptr::from_ref(self) as usize;
        change(|open| open.retain(|ring| *ring != address));
    }
}

fn change(how: impl FnOnce(&mut Vec<usize>)) {
    hold();
    how(&mut OPEN.lock());
    give_back();
}

extern "C" fn hold() {
    while HELD.swap(true, Acquire) {
        thread::yield_now();
    }
}

extern "C" fn give_back() {
    HELD.store(false, Release);
}

extern "C" fn in_child() {
    // Nobody changes the list: this is the only thread, and it was held when the process forked.
    for ring in OPEN.lock().iter() {
        // SAFETY: a ring takes itself off the list before it goes, and does not move before.
        let handle = unsafe { &*(*ring as *const Handle) };
        handle.forked.store(true, Relaxed);
        handle.obstacles.set(Obstacle::NotReceiving, true);
    }
    give_back();
}
