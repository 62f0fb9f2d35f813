//! How fast a checkpoint writes: as fast as it can, or spread over a time that was asked for.
//!
//! ```text
//!   pages written   ▂▂▄▄▆▆██      the n-th of N pages is not written before begin + duration × n / N
//! ```
//!
//! What always holds: a checkpoint does not wait while it holds a latch; when its task is cancelled or another one
//! wants a checkpoint, it waits no more, and the pages are written all the same. It knows counts only, no pages.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use millpond_device::Clock;

use crate::ask::Ask;

/// Longest sleep before a look whether the task was cancelled.
const STEP_US: u64 = 20_000;

/// When the pages of a checkpoint are due.
#[derive(Clone, Copy, Debug)]
pub struct Pace<'a> {
    spread: Option<Spread<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Spread<'a> {
    clock: &'a dyn Clock,
    begin_us: u64,
    duration_us: u64,
    /// How many wait until this checkpoint is over.
    waiting: &'a AtomicU32,
}

impl Spread<'_> {
    fn due_us(&self, done: u64, total: u64) -> u64 {
        let share_us = u128::from(self.duration_us) * u128::from(done) / u128::from(total.max(1));
        self.begin_us.saturating_add(u64::try_from(share_us).unwrap_or(u64::MAX))
    }
}

impl<'a> Pace<'a> {
    /// As fast as it goes.
    #[must_use]
    pub fn at_once() -> Pace<'a> {
        Pace { spread: None }
    }

    /// Evenly over a time that begins now, as long as no task is `waiting` for its end.
    #[must_use]
    pub fn over(clock: &'a dyn Clock, duration: Duration, waiting: &'a AtomicU32) -> Pace<'a> {
        let duration_us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        Pace { spread: Some(Spread { clock, begin_us: clock.now_us(), duration_us, waiting }) }
    }

    /// Whether pages are due at different times.
    #[must_use]
    pub fn is_spread(&self) -> bool {
        self.spread.is_some()
    }

    /// Returns when page `done` of `total` is due, or there is a reason to hurry.
    pub fn wait(&self, ask: &Ask<'_>, done: u64, total: u64) {
        let Some(spread) = &self.spread else { return };
        let due_us = spread.due_us(done, total);
        loop {
            let left_us = due_us.saturating_sub(spread.clock.now_us());
            if left_us == 0 || ask.task.is_cancelled() || spread.waiting.load(Relaxed) > 0 {
                return;
            }
            spread.clock.rest_until_us(spread.clock.now_us() + left_us.min(STEP_US));
        }
    }
}

/// How far a checkpoint is that writes from several places, one after the other.
#[derive(Debug)]
pub struct Progress<'a> {
    pace: &'a Pace<'a>,
    done: u64,
    total: u64,
}

impl<'a> Progress<'a> {
    /// Nothing of `total` pages is written.
    #[must_use]
    pub fn of(pace: &'a Pace<'a>, total: u64) -> Progress<'a> {
        Progress { pace, done: 0, total }
    }

    /// Returns when the next page is due.
    pub fn wait(&self, ask: &Ask<'_>) {
        self.pace.wait(ask, self.done, self.total);
    }

    /// So many pages more are written, or need not be.
    pub fn add(&mut self, pages: usize) {
        self.done += pages as u64;
    }

    /// Whether pages are due at different times.
    #[must_use]
    pub fn is_spread(&self) -> bool {
        self.pace.is_spread()
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::ManualClock;

    use super::*;
    use crate::ask::{IoCount, Task};
    use crate::contract::SessionId;

    #[test]
    fn pages_are_due_evenly() {
        let clock = ManualClock::new(0, 0);
        clock.advance_us(5);
        let waiting = AtomicU32::new(0);
        let pace = Pace::over(&clock, Duration::from_secs(10), &waiting);
        let due = |done| pace.spread.map(|spread| spread.due_us(done, 4)).unwrap();
        assert_eq!([due(0), due(1), due(4)], [5, 2_500_005, 10_000_005]);
        let long = Pace::over(&clock, Duration::from_secs(u64::MAX), &waiting);
        assert_eq!(long.spread.unwrap().due_us(u64::MAX, 1), u64::MAX, "no overflow");
        assert!(!Pace::at_once().is_spread());
    }

    #[test]
    fn a_page_waits_for_its_time_and_hurry_for_nothing() {
        let waiting = AtomicU32::new(0);
        let clock = ManualClock::new(0, 0);
        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
        let ask = Ask::new(&task, &io);
        let pace = Pace::over(&clock, Duration::from_secs(100), &waiting);
        pace.wait(&ask, 0, 2);
        assert_eq!(clock.now_us(), 0);
        pace.wait(&ask, 1, 2);
        assert_eq!(clock.now_us(), 50_000_000, "a wait on a clock that is turned by hand turns it");
        waiting.store(1, Relaxed);
        pace.wait(&ask, 2, 2);
        waiting.store(0, Relaxed);
        task.cancel();
        pace.wait(&ask, 2, 2);
        assert_eq!(clock.now_us(), 50_000_000);
    }
}
