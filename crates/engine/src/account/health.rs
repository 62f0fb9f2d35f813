//! What the event session `system_health` has kept: events as XML, the last ones of the server's life, in memory alone.
//!
//! What always holds: no more than `EVENTS_MAX` events and [`BYTES_MAX`] bytes are kept, the oldest go first. It does not know what
//! the events mean; deadlocks are written by `views/src/dynamic/deadlock_graph.rs`.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

/// The event of a deadlock.
pub const DEADLOCK_EVENT: &str = "xml_deadlock_report";
/// Events that are kept, as those of a ring buffer that says nothing else.
const EVENTS_MAX: usize = 1000;
/// Bytes of their XML, as SQL Server's session has them.
pub const BYTES_MAX: usize = 4 << 20;

/// An event.
#[derive(Clone, Debug)]
pub struct HealthEvent {
    /// When, microseconds of UTC since 1970.
    pub utc_us: i64,
    /// [`DEADLOCK_EVENT`] …
    pub name: &'static str,
    /// What it says: the content of the element `event`.
    pub data: Arc<str>,
}

#[derive(Default)]
struct Kept {
    events: VecDeque<HealthEvent>,
    bytes: usize,
    /// All that came.
    seen: u64,
}

/// The session.
#[derive(Default)]
pub struct SystemHealth {
    kept: Mutex<Kept>,
}

/// What is kept at a moment.
#[derive(Clone, Debug)]
pub struct HealthReport {
    /// Events, oldest first.
    pub events: Vec<HealthEvent>,
    /// Bytes of their XML.
    pub bytes: usize,
    /// Events since the start, those that are gone too.
    pub seen: u64,
}

impl SystemHealth {
    /// Keeps an event; one that alone is too large is counted and not kept.
    pub fn add(&self, event: HealthEvent) {
        let kept = &mut *self.kept.lock();
        kept.seen += 1;
        if event.data.len() > BYTES_MAX {
            return;
        }
        kept.bytes += event.data.len();
        kept.events.push_back(event);
        while kept.events.len() > EVENTS_MAX || kept.bytes > BYTES_MAX {
            let gone = kept.events.pop_front().expect("they take bytes");
            kept.bytes -= gone.data.len();
        }
    }

    /// What is kept.
    #[must_use]
    pub fn report(&self) -> HealthReport {
        let kept = self.kept.lock();
        HealthReport { events: kept.events.iter().cloned().collect(), bytes: kept.bytes, seen: kept.seen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(utc_us: i64, bytes: usize) -> HealthEvent {
        HealthEvent { utc_us, name: DEADLOCK_EVENT, data: "x".repeat(bytes).into() }
    }

    #[test]
    fn the_oldest_events_go_when_there_are_too_many_or_too_large_ones() {
        let health = SystemHealth::default();
        (0..1500).for_each(|at| health.add(event(at, 10)));
        let report = health.report();
        assert_eq!((report.events.len(), report.seen, report.bytes), (EVENTS_MAX, 1500, 10 * EVENTS_MAX));
        assert_eq!(report.events[0].utc_us, 500);
        health.add(event(2000, BYTES_MAX - 15));
        let report = health.report();
        assert_eq!(report.events.iter().map(|event| event.utc_us).collect::<Vec<_>>(), [1499, 2000]);
        health.add(event(3000, BYTES_MAX + 1));
        assert_eq!((health.report().events.len(), health.report().seen), (2, 1502));
    }
}
