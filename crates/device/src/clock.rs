//! Time: microseconds since the instance started, which never run backwards, and the wall clock with the local offset.
//!
//! What always holds: [`Clock::now_us`] is monotonic. The wall clock may jump, as the machine's does. The local offset
//! is asked of the time zone rules at most once a second, because T-SQL loops ask for the time on every turn.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use chrono::{Local, Offset, TimeZone};

/// A point of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WallTime {
    /// Microseconds since 1970-01-01 00:00 UTC.
    pub utc_us: i64,
    /// Local time minus UTC at that moment.
    pub offset_s: i32,
}

impl WallTime {
    /// Microseconds since 1970-01-01 00:00 local time.
    #[must_use]
    pub fn local_us(self) -> i64 {
        self.utc_us + i64::from(self.offset_s) * 1_000_000
    }
}

/// Where time comes from.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// Microseconds since the clock was made; never runs backwards.
    fn now_us(&self) -> u64;

    /// The wall clock.
    fn wall(&self) -> WallTime;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
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
        SystemClock { start: Instant::now(), offset_of_second: AtomicU64::new(u64::MAX) }
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

fn rules_offset_s(second: i64) -> i32 {
    Local.timestamp_opt(second, 0).single().map_or(0, |t| t.offset().fix().local_minus_utc())
}

impl Clock for SystemClock {
    fn now_us(&self) -> u64 {
        self.start.elapsed().as_micros() as u64
    }

    fn wall(&self) -> WallTime {
        let utc_us = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => after.as_micros() as i64,
            Err(before) => -(before.duration().as_micros() as i64),
        };
        WallTime { utc_us, offset_s: self.offset_s(utc_us.div_euclid(1_000_000)) }
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
