//! One half of a handle, receive or transmit: what one thread at a time may touch.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;

/// A value that is locked only when the ring was opened with PF_RING_REENTRANT. Without the flag the
/// program promises that one thread at a time receives, and one at a time sends; a debug build
/// checks the promise.
pub(super) struct Half<T> {
    value: UnsafeCell<T>,
    lock: RawMutex,
    reentrant: bool,
    busy: AtomicBool,
}

// SAFETY: access goes through `with`, which holds the lock when the ring is reentrant; otherwise the C
// contract allows one thread at a time.
unsafe impl<T: Send> Sync for Half<T> {}

impl<T> Half<T> {
    pub(super) fn new(value: T, reentrant: bool) -> Self {
        Self {
            value: UnsafeCell::new(value),
            lock: RawMutex::INIT,
            reentrant,
            busy: AtomicBool::new(false),
        }
    }

    /// Runs `work` on the value. `work` must not come back here for the same half.
    #[inline]
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _guard = Guard::enter(self);
        // SAFETY: the guard keeps others out (lock), or the C contract does (one thread at a time).
        work(unsafe { &mut *self.value.get() })
    }

    /// As [`with`](Self::with), where no lock has to be looked at.
    ///
    /// # Safety
    ///
    /// - The ring is not reentrant.
    #[inline(always)]
    pub(super) unsafe fn with_unlocked<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        if cfg!(debug_assertions) {
            return self.with(work);
        }
        // SAFETY: the C contract keeps others out (one thread at a time).
        work(unsafe { &mut *self.value.get() })
    }
}

struct Guard<'a, T>(&'a Half<T>);

impl<'a, T> Guard<'a, T> {
    #[inline]
    fn enter(half: &'a Half<T>) -> Self {
        if half.reentrant {
            half.lock.lock();
        } else if cfg!(debug_assertions) {
            let was_busy = half.busy.swap(true, Ordering::Acquire);
            assert!(
                !was_busy,
                "two threads in one half of a ring without PF_RING_REENTRANT"
            );
        }
        Self(half)
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.reentrant {
            // SAFETY: `enter` took the lock.
            unsafe { self.0.lock.unlock() };
        } else if cfg!(debug_assertions) {
            self.0.busy.store(false, Ordering::Release);
        }
    }
}
