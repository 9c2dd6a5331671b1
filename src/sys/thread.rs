//! What a thread may ask of the scheduler: give the CPU away, sleep, timer slack, priority.

use crate::error::Result;
use crate::sys::check;

/// Lets another runnable thread have this CPU.
pub fn yield_now() {
    // SAFETY: sched_yield has no preconditions.
    unsafe { libc::sched_yield() };
}

/// Sleeps for a time in nanoseconds; returns early when a signal arrives.
pub fn sleep_ns(ns: u64) {
    let wanted = libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `wanted` is a valid time, and the kernel accepts no place for the rest.
    unsafe { libc::nanosleep(&raw const wanted, std::ptr::null_mut()) };
}

/// Sets how late the kernel may wake this thread from a sleep, in nanoseconds (at least 1; the
/// kernel's default is 50,000). See prctl(2), PR_SET_TIMERSLACK.
pub fn set_timer_slack(ns: u64) {
    // SAFETY: prctl reads only its integer arguments.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns.max(1) as libc::c_ulong) };
}

/// Gives the whole process the real-time policy SCHED_FIFO.
///
/// # Errors
///
/// `Os` when the priority is out of range or the right (CAP_SYS_NICE) is missing.
pub fn set_fifo(priority: i32) -> Result<()> {
    // SAFETY: sched_param is plain integers; all zero is a valid value.
    let mut param: libc::sched_param = unsafe { std::mem::zeroed() };
    param.sched_priority = priority;
    // SAFETY: `param` is a valid structure, and 0 means this process.
    let ret = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const param) };
    check("sched_setscheduler", ret).map(|_| ())
}

/// Has functions called when this process forks: `before` and `after` in it, `in_child` in the child. Without
/// memory for them nothing is called.
pub fn at_fork(before: extern "C" fn(), after: extern "C" fn(), in_child: extern "C" fn()) {
    // SAFETY: the functions are of this library, whose handlers go with it, and take nothing.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(in_child)) };
}

/// Runs `work` with all signals blocked in this thread; a thread that it starts inherits that.
pub fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: sigset_t is plain integers; it is filled before it is read.
    let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
    // SAFETY: both are valid sets that the calls may write.
    unsafe {
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
    }
    let result = work();
    // SAFETY: `before` is the mask that was in force.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()) };
    result
}
