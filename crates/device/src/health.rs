//! What this process and the machine did in each minute of the last hours: processors, faults, memory.
//!
//! ```text
//!   Reading (/proc, sums since the start) ──note──▶ HealthRecord: what came since the reading before ──▶ ring of RECORDS_MAX
//! ```
//! What always holds: records follow each other by number and by time; the first reading gives none. Percent of a record add up to 100
//! at most. Readings are taken by who calls [`HealthHistory::look`], when a minute of its clock has passed; others only read.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::host::{self, MachineUse, ProcessUse};
use crate::machine;

/// Between two readings, microseconds.
const EACH_US: u64 = 60_000_000;
/// Records that are kept.
const RECORDS_MAX: usize = 256;

/// What can be read at one point in time: sums since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Milliseconds since the machine started.
    pub uptime_ms: u64,
    /// Of all processors.
    pub machine: MachineUse,
    /// Of this process.
    pub process: ProcessUse,
    /// Memory of this process.
    pub resident_bytes: u64,
}

impl Reading {
    /// Now.
    #[must_use]
    pub fn now() -> Reading {
        Reading {
            uptime_ms: host::uptime_ms(),
            machine: host::machine_use(),
            process: host::process_use(),
            resident_bytes: machine::memory().resident_bytes,
        }
    }
}

/// What was used between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HealthRecord {
    /// From 0.
    pub number: u64,
    /// When it was made: milliseconds since the machine started.
    pub uptime_ms: u64,
    /// Percent of all processors that this process had.
    pub process_percent: u64,
    /// Percent that nobody had.
    pub idle_percent: u64,
    /// Milliseconds of CPU time of this process outside of the kernel, and inside.
    pub user_ms: u64,
    /// The same in the kernel.
    pub kernel_ms: u64,
    /// Page faults of this process.
    pub page_faults: u64,
    /// How much memory it took, or gave back.
    pub resident_delta_bytes: i64,
    /// Percent of its memory that is not swapped out.
    pub resident_percent: u64,
}

impl HealthRecord {
    fn between(number: u64, before: &Reading, now: &Reading) -> HealthRecord {
        let (used, was) = (&now.process, &before.process);
        let since = |now: u64, before: u64| now.saturating_sub(before);
        let (user_ms, kernel_ms) = (since(used.user_ms, was.user_ms), since(used.kernel_ms, was.kernel_ms));
        let all_ms = since(now.machine.total_ms, before.machine.total_ms);
        let percent = |part: u64, all: u64| (part * 100 + all / 2).checked_div(all);
        let process_percent = percent(user_ms + kernel_ms, all_ms).unwrap_or(0).min(100);
        let idle = percent(since(now.machine.idle_ms, before.machine.idle_ms), all_ms).unwrap_or(100);
        let held = now.resident_bytes;
        HealthRecord {
            number,
            uptime_ms: now.uptime_ms,
            process_percent,
            // The two are counted apart.
            idle_percent: idle.min(100 - process_percent),
            user_ms,
            kernel_ms,
            page_faults: since(used.page_faults, was.page_faults),
            resident_delta_bytes: (held as i64).saturating_sub(before.resident_bytes as i64),
            resident_percent: percent(held, held + used.swapped_bytes).unwrap_or(100),
        }
    }
}

/// The records of the last hours.
#[derive(Debug, Default)]
pub struct HealthHistory(Mutex<History>);

#[derive(Debug, Default)]
struct History {
    /// The last reading, and when it was taken by the clock of who looks.
    last: Option<(u64, Reading)>,
    made: u64,
    records: VecDeque<HealthRecord>,
}

impl HealthHistory {
    /// Takes a reading where a minute has passed since the last one.
    pub fn look(&self, clock_us: u64, read: impl FnOnce() -> Reading) {
        let mut history = self.0.lock();
        let is_due = history.last.as_ref().is_none_or(|(last_us, _)| clock_us.saturating_sub(*last_us) >= EACH_US);
        if !is_due {
            return;
        }
        let now = read();
        if let Some((_, before)) = history.last.replace((clock_us, now)) {
            let record = HealthRecord::between(history.made, &before, &now);
            history.made += 1;
            if history.records.len() >= RECORDS_MAX {
                history.records.pop_front();
            }
            history.records.push_back(record);
        }
    }

    /// All that are kept, the oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<HealthRecord> {
        self.0.lock().records.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(minute: u64) -> Reading {
        Reading {
            uptime_ms: 1000 + minute * 60_000,
            machine: MachineUse { total_ms: minute * 240_000, idle_ms: minute * 180_000 },
            process: ProcessUse {
                user_ms: minute * 24_000,
                kernel_ms: minute * 12_000,
                page_faults: minute * 7,
                swapped_bytes: 100,
                ..ProcessUse::default()
            },
            resident_bytes: 900 - 100 * (minute % 2),
        }
    }

    #[test]
    fn a_record_is_what_came_since_the_reading_before() {
        let history = HealthHistory::default();
        history.look(5, || reading(0));
        history.look(5 + EACH_US - 1, || unreachable!("no minute has passed"));
        assert_eq!(history.records(), []);
        history.look(5 + EACH_US, || reading(1));
        let expected = HealthRecord {
            number: 0,
            uptime_ms: 61_000,
            process_percent: 15,
            idle_percent: 75,
            user_ms: 24_000,
            kernel_ms: 12_000,
            page_faults: 7,
            resident_delta_bytes: -100,
            resident_percent: 89,
        };
        assert_eq!(history.records(), [expected]);
    }

    #[test]
    fn the_last_256_records_are_kept_and_numbered_on() {
        let history = HealthHistory::default();
        (0..=300).for_each(|minute| history.look(minute * EACH_US, || reading(minute)));
        let records = history.records();
        assert_eq!((records.len(), records[0].number, records[255].number), (256, 44, 299));
        assert!(records.windows(2).all(|pair| pair[0].uptime_ms < pair[1].uptime_ms));
    }

    #[test]
    fn what_cannot_be_read_is_an_idle_machine() {
        let history = HealthHistory::default();
        (0..2).for_each(|minute| history.look(minute * EACH_US, Reading::default));
        let record = history.records()[0];
        assert_eq!((record.process_percent, record.idle_percent, record.resident_percent), (0, 100, 100));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_machine_is_read() {
        let now = Reading::now();
        assert!(now.machine.total_ms >= now.machine.idle_ms && now.machine.total_ms > 0);
        assert!(now.resident_bytes > 0 && now.uptime_ms > 0);
    }
}
