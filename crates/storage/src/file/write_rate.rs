//! How fast files take large writes: bytes by the time in which at least one was under way, however many were.
//!
//! Small writes are left out, as they measure a device's latency. What was long ago counts less and less: both numbers
//! are halved whenever a gigabyte is full.

use crate::file::tier::Tier;

/// A write that measures bandwidth.
pub const LARGE_BYTES: u64 = 64 << 10;
/// Bytes after which a file's past counts half.
const REMEMBERED_BYTES: u64 = 1 << 30;
/// Bytes before which nothing is said of a tier.
const KNOWN_BYTES: u64 = 16 << 20;

/// Large writes of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteRate {
    /// Bytes of those that ended.
    pub bytes: u64,
    /// Microseconds in which one was under way.
    pub busy_us: u64,
    running: u32,
    since_us: u64,
}

impl WriteRate {
    pub(crate) fn begin(&mut self, now_us: u64) {
        if self.running == 0 {
            self.since_us = now_us;
        }
        self.running += 1;
    }

    pub(crate) fn end(&mut self, now_us: u64, bytes: u64) {
        assert!(self.running > 0, "a write ends that was not begun");
        self.running -= 1;
        self.bytes += bytes;
        if self.running == 0 {
            self.busy_us += now_us.saturating_sub(self.since_us);
        }
        if self.bytes >= REMEMBERED_BYTES {
            (self.bytes, self.busy_us) = (self.bytes / 2, self.busy_us / 2);
        }
    }

    fn bytes_per_s(self) -> u64 {
        self.bytes.saturating_mul(1_000_000) / self.busy_us.max(1)
    }
}

/// Bytes a second that all files of the last tier in use take together; none: too little was written to know.
#[must_use]
pub fn bytes_per_s(files: &[(Tier, WriteRate)]) -> Option<u64> {
    let of = |tier: Tier| files.iter().filter(move |(of, _)| *of == tier).map(|(_, rate)| *rate);
    let is_known = |tier: &Tier| of(*tier).map(|rate| rate.bytes).sum::<u64>() >= KNOWN_BYTES;
    let last = files.iter().map(|(tier, _)| *tier).filter(is_known).max()?;
    Some(of(last).map(WriteRate::bytes_per_s).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(megabytes: u64, busy_us: u64) -> WriteRate {
        WriteRate { bytes: megabytes << 20, busy_us, ..WriteRate::default() }
    }

    #[test]
    fn writes_that_overlap_are_one_time() {
        let mut rate = WriteRate::default();
        rate.begin(100);
        rate.begin(150);
        rate.end(200, 1000);
        assert_eq!((rate.bytes, rate.busy_us), (1000, 0));
        rate.end(300, 1000);
        rate.begin(900);
        rate.end(1000, 500);
        assert_eq!((rate.bytes, rate.busy_us), (2500, 300));
    }

    #[test]
    fn the_last_tier_that_is_written_to_decides_and_its_files_add_up() {
        let tier = |number| Tier::of(number).expect("a tier");
        assert_eq!(bytes_per_s(&[]), None);
        assert_eq!(bytes_per_s(&[(tier(1), rate(1, 10))]), None);
        let fast = (tier(1), rate(1000, 100_000));
        assert_eq!(bytes_per_s(&[fast, (tier(2), rate(1, 1_000_000))]), Some(10_000 << 20));
        let slow = (tier(2), rate(100, 1_000_000));
        assert_eq!(bytes_per_s(&[fast, slow, slow]), Some(200 << 20));
    }

    #[test]
    fn the_past_counts_less_and_less() {
        let mut rate = WriteRate { bytes: REMEMBERED_BYTES - 10, busy_us: 50, ..WriteRate::default() };
        rate.begin(0);
        rate.end(30, 10);
        assert_eq!((rate.bytes, rate.busy_us), (REMEMBERED_BYTES / 2, 40));
    }
}
