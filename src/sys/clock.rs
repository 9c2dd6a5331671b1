//! The clocks of the system, in nanoseconds, and the offset of local time.

/// Nanoseconds since 1970-01-01 00:00 UTC (CLOCK_REALTIME); steps when the clock is set.
pub fn realtime_ns() -> u64 {
    now_ns(libc::CLOCK_REALTIME)
}

/// Nanoseconds since an arbitrary start (CLOCK_MONOTONIC); never goes back.
pub fn monotonic_ns() -> u64 {
    now_ns(libc::CLOCK_MONOTONIC)
}

/// International Atomic Time less the real time, in nanoseconds: whole seconds, 0 where nobody has told the
/// kernel.
pub fn tai_offset_ns() -> u64 {
    const SECOND: u64 = 1_000_000_000;
    let real = now_ns(libc::CLOCK_REALTIME);
    let tai = now_ns(libc::CLOCK_TAI);
    (tai.saturating_sub(real) + SECOND / 2) / SECOND * SECOND
}

/// The real time as seconds since 1970 and microseconds.
pub fn realtime_timeval() -> (i64, i64) {
    let ns = realtime_ns();
    (
        (ns / 1_000_000_000) as i64,
        (ns % 1_000_000_000 / 1000) as i64,
    )
}

/// As [`monotonic_ns`], but only as fine as the kernel's tick, and a little cheaper.
pub fn coarse_ns() -> u64 {
    now_ns(libc::CLOCK_MONOTONIC_COARSE)
}

fn now_ns(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a timespec that the call may write.
    let rc = unsafe { libc::clock_gettime(clock, &raw mut now) };
    debug_assert_eq!(rc, 0, "these clocks exist on every Linux");
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Seconds that local time (TZ, else the system's time zone) is ahead of UTC at that second
/// since 1970; 0 for a time that the C library cannot express.
pub fn gmt_offset_seconds(seconds: i64) -> i32 {
    let time = seconds as _;
    let mut local = std::mem::MaybeUninit::<libc::tm>::uninit();
    // SAFETY: `time` is readable and `local` writable; localtime_r fills `local` when it does not
    // return NULL.
    let local = unsafe {
        if libc::localtime_r(&raw const time, local.as_mut_ptr()).is_null() {
            return 0;
        }
        local.assume_init()
    };
    local.tm_gmtoff as i32
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn realtime_is_the_time_of_day() {
        let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let ours = realtime_ns();
        let after = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!((before.as_nanos()..=after.as_nanos()).contains(&u128::from(ours)));
    }

    #[test]
    fn monotonic_time_does_not_go_back() {
        let mut last = monotonic_ns();
        for _ in 0..1_000 {
            let now = monotonic_ns();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn the_offset_of_local_time_is_that_of_date() {
        // A fresh process for each zone: the C library reads TZ once.
        let zone = std::process::Command::new("date").arg("+%z").output();
        let Ok(zone) = zone else {
            eprintln!("skipped: no date(1)");
            return;
        };
        let zone = String::from_utf8(zone.stdout).unwrap();
        let number: i32 = zone.trim().parse().unwrap();
        let seconds = (number / 100 * 60 + number % 100) * 60;
        let now = realtime_ns() / 1_000_000_000;
        assert_eq!(gmt_offset_seconds(now as i64), seconds);
    }

    #[test]
    fn a_time_beyond_the_calendar_has_no_offset() {
        assert_eq!(gmt_offset_seconds(i64::MAX), 0);
    }
}
