//! What `pfring_wait.h` declares: our extension, for programs that steer the wait themselves.

/// What waiting on a ring has cost since it was opened.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_wait_stats {
    /// Calls that went to wait: pfring_poll() with a time, and receives that found no packet.
    pub calls: u64,
    /// Looks into the ring while spinning or yielding.
    pub spins: u64,
    /// Sleeps in poll(2).
    pub polls: u64,
    /// Naps of sleep mode.
    pub sleeps: u64,
    /// Ends of a sleep in poll(2) that found no packet.
    pub empty_wakeups: u64,
    /// Waits that pfring_breakloop() or pfring_shutdown() ended.
    pub breaks: u64,
    /// Time spent asleep, in nanoseconds.
    pub asleep_ns: u64,
}
