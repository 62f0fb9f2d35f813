//! Time: microseconds since the instance started, which never run backwards, and the wall clock with the local offset.
//!
//! What always holds: [`Clock::now_us`] is monotonic, and a thread that sleeps on a clock wakes when it says so, not
//! before. The wall clock may jump, as the machine's does. The local offset is asked of the time zone rules at most
//! once a second, because T-SQL loops ask for the time on every turn. Clocks that skip time are in
//! [`crate::virtual_clock`].

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{Local, Offset, TimeZone};
use rustix::time::{ClockId, clock_gettime};

/// A point of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WallTime {
    /// Microseconds since 1970-01-01 00:00 UTC.
    pub utc_us: i64,
    /// Local time minus UTC at that time.
    pub offset_s: i32,
}

impl WallTime {
    /// Microseconds since 1970-01-01 00:00 local time.
    #[must_use]
    pub fn local_us(self) -> i64 {
        self.local_of(self.utc_us)
    }

    /// Another time of UTC, as local time.
    #[must_use]
    pub fn local_of(self, utc_us: i64) -> i64 {
        utc_us + i64::from(self.offset_s) * 1_000_000
    }
}

/// Where time comes from.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Microseconds since the clock was made; never runs backwards.
    fn now_us(&self) -> u64;

    /// The wall clock.
    fn wall(&self) -> WallTime;

    /// Returns when [`Clock::now_us`] has reached `when_us`, as exactly as the clock can: code that emulates a device
    /// of a few microseconds waits here.
    fn sleep_until_us(&self, when_us: u64);

    /// As [`Clock::sleep_until_us`] for threads that may be late by a millisecond and do not want to burn a processor.
    fn rest_until_us(&self, when_us: u64) {
        self.sleep_until_us(when_us);
    }

    /// The calling thread takes part: a clock that skips time does so only while all that take part wait. Calls nest.
    /// [`Participation`] pairs it with its end.
    fn begin_participation(&self) {}

    /// Ends [`Clock::begin_participation`].
    fn end_participation(&self) {}

    /// The calling thread is about to wait for another thread, not for the clock. Calls nest. [`Blocked`] pairs it with
    /// its end.
    fn begin_block(&self) {}

    /// Ends [`Clock::begin_block`].
    fn end_block(&self) {}
}

impl dyn Clock + '_ {
    /// The calling thread takes part until the guard goes: see [`Clock::begin_participation`].
    #[must_use]
    pub fn participate(&self) -> Participation<'_> {
        self.begin_participation();
        Participation { clock: self, _of_this_thread: PhantomData }
    }

    /// The calling thread waits for another one until the guard goes: see [`Clock::begin_block`].
    #[must_use]
    pub fn block(&self) -> Blocked<'_> {
        self.begin_block();
        Blocked { clock: self, _of_this_thread: PhantomData }
    }
}

/// A thread takes part in a clock's time.
#[derive(Debug)]
pub struct Participation<'c> {
    clock: &'c dyn Clock,
    _of_this_thread: PhantomData<*const ()>,
}

impl Drop for Participation<'_> {
    fn drop(&mut self) {
        self.clock.end_participation();
    }
}

/// A thread waits for another one.
#[derive(Debug)]
pub struct Blocked<'c> {
    clock: &'c dyn Clock,
    _of_this_thread: PhantomData<*const ()>,
}

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        self.clock.end_block();
    }
}

/// The system's sleep overshoots by 7 to 24 µs as a rule and by up to 1.7 ms in a hundredth of all cases: the last part of
/// a wait is spun.
const SPIN_US: u64 = 200;

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    /// CLOCK_MONOTONIC, nanoseconds.
    start_ns: i64,
    /// Second (of the epoch, low 32 bits) for which the offset was asked, above; offset in the low 32 bits.
    offset_of_second: AtomicU64,
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    pub fn new() -> SystemClock {
        SystemClock { start_ns: monotonic_ns(), offset_of_second: AtomicU64::new(u64::MAX) }
    }

    fn offset_s(&self, second: i64) -> i32 {
        let cached = self.offset_of_second.load(Relaxed);
        if (cached >> 32) as u32 == second as u32 && cached != u64::MAX {
            return cached as u32 as i32;
        }
        let offset = rules_offset_s(second);
        self.offset_of_second.store(u64::from(second as u32) << 32 | u64::from(offset as u32), Relaxed);
        offset
    }
}

/// CLOCK_MONOTONIC; 64 bits of nanoseconds are 292 years.
#[inline]
fn monotonic_ns() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

fn rules_offset_s(second: i64) -> i32 {
    Local.timestamp_opt(second, 0).single().map_or(0, |t| t.offset().fix().local_minus_utc())
}

impl Clock for SystemClock {
    /// Asked at the end of each statement: two numbers of the machine's clock are subtracted, which it does not turn back.
    #[inline]
    fn now_us(&self) -> u64 {
        (monotonic_ns() - self.start_ns) as u64 / 1000
    }

    fn wall(&self) -> WallTime {
        let utc_us = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_micros() as i64,
            Err(before) => -(before.duration().as_micros() as i64),
        };
        WallTime { utc_us, offset_s: self.offset_s(utc_us.div_euclid(1_000_000)) }
    }

    fn sleep_until_us(&self, when_us: u64) {
        self.rest_until_us(when_us.saturating_sub(SPIN_US));
        while self.now_us() < when_us {
            std::hint::spin_loop();
        }
    }

    fn rest_until_us(&self, when_us: u64) {
        let left_us = when_us.saturating_sub(self.now_us());
        if left_us > 0 {
            std::thread::sleep(Duration::from_micros(left_us));
        }
    }
}

/// A clock that a test turns by hand.
#[derive(Debug, Default)]
pub struct ManualClock {
    now_us: AtomicU64,
    wall_base_us: AtomicI64,
    offset_s: AtomicI64,
}

impl ManualClock {
    /// A clock at 0 whose wall time starts at `utc_us` with a fixed offset.
    #[must_use]
    pub fn new(utc_us: i64, offset_s: i32) -> ManualClock {
        ManualClock {
            now_us: AtomicU64::new(0),
            wall_base_us: AtomicI64::new(utc_us),
            offset_s: AtomicI64::new(offset_s.into()),
        }
    }

    /// Lets time pass.
    pub fn advance_us(&self, us: u64) {
        self.now_us.fetch_add(us, Relaxed);
    }
}

impl Clock for ManualClock {
    fn now_us(&self) -> u64 {
        self.now_us.load(Relaxed)
    }

    fn wall(&self) -> WallTime {
        WallTime {
            utc_us: self.wall_base_us.load(Relaxed) + self.now_us() as i64,
            offset_s: self.offset_s.load(Relaxed) as i32,
        }
    }

    /// Nothing else turns the clock while its owner sleeps: time goes there at once.
    fn sleep_until_us(&self, when_us: u64) {
        self.now_us.fetch_max(when_us, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_turned_clock_moves_only_by_hand() {
        let clock = ManualClock::new(1_000_000, 7200);
        assert_eq!(clock.now_us(), 0);
        clock.advance_us(250);
        assert_eq!((clock.now_us(), clock.wall().utc_us), (250, 1_000_250));
        assert_eq!(clock.wall().local_us(), 1_000_250 + 7_200_000_000);
    }

    #[test]
    fn a_sleeper_wakes_when_the_clock_says_so() {
        let clock = SystemClock::new();
        for ahead_us in [0, 50, 3_000] {
            let when_us = clock.now_us() + ahead_us;
            clock.sleep_until_us(when_us);
            assert!(clock.now_us() >= when_us);
        }
        let by_hand = ManualClock::default();
        by_hand.sleep_until_us(7);
        by_hand.sleep_until_us(3);
        assert_eq!(by_hand.now_us(), 7);
    }

    #[test]
    fn the_machines_clock_agrees_with_the_rules_of_its_zone() {
        let clock = SystemClock::new();
        let first = clock.wall();
        assert_eq!(first.offset_s, rules_offset_s(first.utc_us / 1_000_000));
        assert_eq!(clock.offset_s(first.utc_us / 1_000_000), first.offset_s, "from the cache");
        assert!(first.utc_us > 1_600_000_000_000_000);
        let (a, b) = (clock.now_us(), clock.now_us());
        assert!(a <= b);
    }
}
