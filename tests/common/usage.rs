//! What this process uses: CPU time, context switches, memory, descriptors, threads.

use std::time::Duration;

fn rusage() -> libc::rusage {
    // SAFETY: rusage is plain data; all zero is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid rusage for the length of the call.
    let rc = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    assert_eq!(rc, 0, "getrusage knows RUSAGE_SELF");
    usage
}

fn duration(t: libc::timeval) -> Duration {
    Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000)
}

/// User and system time of all threads of the process so far.
pub fn cpu() -> Duration {
    let usage = rusage();
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// CPU time of the process while `f` runs.
pub fn cpu_of<T>(f: impl FnOnce() -> T) -> (T, Duration) {
    let before = cpu();
    let value = f();
    (value, cpu() - before)
}

/// Times that a thread of the process gave the CPU away to wait for something.
pub fn voluntary_switches() -> u64 {
    rusage().ru_nvcsw as u64
}

/// Resident memory in bytes.
pub fn rss() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc is mounted");
    let pages = text
        .split(' ')
        .nth(1)
        .expect("the second number is the resident pages");
    // SAFETY: sysconf takes a constant; it touches no memory of ours.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.parse::<u64>().expect("a number") * page as u64
}

/// Open descriptors.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd")
        .expect("/proc is mounted")
        .count()
}

/// Threads.
pub fn threads() -> usize {
    std::fs::read_dir("/proc/self/task")
        .expect("/proc is mounted")
        .count()
}

/// Bytes of packet rings that are mapped: every mapping of a socket.
pub fn mapped_rings() -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("/proc is mounted");
    maps.lines()
        .filter(|line| line.contains("socket:"))
        .filter_map(|line| line.split(' ').next()?.split_once('-'))
        .map(|(from, to)| hex(to) - hex(from))
        .sum()
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("addresses are hexadecimal")
}
