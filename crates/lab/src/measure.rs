//! Workers that run side by side for a while, and what they counted.
//!
//! ```text
//!   all workers start ── ramp-up ──▶ measured: what ends in here counts ──▶ stop: each ends what it has begun
//! ```

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressStyle};

use crate::link::LinkError;

/// Longest latency that is distinguished: ten minutes.
const LATENCY_MAX_US: u64 = 600_000_000;
/// How often the one that waits looks up.
const TICK: Duration = Duration::from_millis(100);

const RAMP_UP: u8 = 0;
const MEASURED: u8 = 1;
const STOP: u8 = 2;

/// Where the run stands; shared by its workers.
#[derive(Debug, Default)]
pub(crate) struct Window {
    phase: AtomicU8,
    /// Workers that have not ended.
    running: AtomicUsize,
}

impl Window {
    /// Whether what ends now counts.
    pub(crate) fn is_measured(&self) -> bool {
        self.phase.load(Relaxed) == MEASURED
    }

    /// Whether nothing new is to be begun.
    pub(crate) fn is_over(&self) -> bool {
        self.phase.load(Relaxed) == STOP
    }

    /// Whether all workers have ended, so that there is nothing to wait for.
    pub(crate) fn is_deserted(&self) -> bool {
        self.running.load(Relaxed) == 0
    }

    /// From now on what ends counts.
    pub(crate) fn begin(&self) {
        self.phase.store(MEASURED, Relaxed);
    }

    /// Lets pass the time before anything is measured, then the measured one; how long that was. Ends early when all
    /// workers have ended.
    pub(crate) fn pass(&self, ramp_up: Duration, measured: Duration) -> Duration {
        wait(self, ramp_up, "ramp-up");
        self.begin();
        let started = Instant::now();
        wait(self, measured, "measured");
        started.elapsed()
    }
}

/// Runs the workers, each on a thread of its own, until `conductor` returns; their results, and its.
pub(crate) fn drive<T, W, R>(workers: Vec<W>, conductor: impl FnOnce(&Window) -> R) -> (Vec<T>, R)
where
    T: Send,
    W: FnOnce(&Window) -> T + Send,
{
    let window = Window { phase: AtomicU8::new(RAMP_UP), running: AtomicUsize::new(workers.len()) };
    std::thread::scope(|scope| {
        let window = &window;
        let threads: Vec<_> = workers
            .into_iter()
            .map(|worker| {
                scope.spawn(move || {
                    let result = worker(window);
                    window.running.fetch_sub(1, Relaxed);
                    result
                })
            })
            .collect();
        let result = conductor(window);
        window.phase.store(STOP, Relaxed);
        let results = threads.into_iter().map(|thread| thread.join().expect("a worker does not panic")).collect();
        (results, result)
    })
}

fn wait(window: &Window, long: Duration, what: &'static str) {
    let bar = bar(long.as_secs(), "{msg:>10} {wide_bar} {pos}/{len} s").with_message(what);
    let started = Instant::now();
    while started.elapsed() < long && !window.is_deserted() {
        std::thread::sleep(TICK.min(long.saturating_sub(started.elapsed())));
        bar.set_position(started.elapsed().as_secs());
    }
    bar.finish_and_clear();
}

/// A progress bar on standard error, hidden when that is no terminal.
pub(crate) fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("a template of this program");
    ProgressBar::new(length).with_style(style)
}

/// What one kind of work came to.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Done, also those that rolled back as they were meant to.
    pub(crate) done: u64,
    /// Of these: rolled back as they were meant to.
    pub(crate) rolled_back: u64,
    /// Tried again after a deadlock or a snapshot conflict.
    pub(crate) retries: u64,
    /// Failed for good.
    pub(crate) failed: u64,
    /// From the first try to the answer, µs.
    pub(crate) latency: Histogram<u64>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let latency = Histogram::new_with_bounds(1, LATENCY_MAX_US, 3).expect("sensible bounds");
        Self { done: 0, rolled_back: 0, retries: 0, failed: 0, latency }
    }

    /// Counts one that was done.
    pub(crate) fn count(&mut self, took: Duration) {
        self.done += 1;
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.latency.saturating_record(us);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.rolled_back += other.rolled_back;
        self.retries += other.retries;
        self.failed += other.failed;
        self.latency += &other.latency;
    }
}

/// Errors by their code, with the text of the first of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failures {
    seen: BTreeMap<String, (u64, String)>,
}

impl Failures {
    pub(crate) fn note(&mut self, error: &LinkError) {
        self.seen.entry(error.code()).or_insert_with(|| (0, error.to_string())).0 += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (code, (count, text)) in &other.seen {
            self.seen.entry(code.clone()).or_insert_with(|| (0, text.clone())).0 += count;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// How often, and the first text, of each code.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u64, &str)> {
        self.seen.values().map(|(count, text)| (*count, text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_see_the_phases_in_their_order() {
        let worker = |window: &Window| {
            let (mut before, mut inside) = (0_u64, 0_u64);
            while !window.is_over() {
                if window.is_measured() {
                    inside += 1
                } else {
                    before += 1
                }
                std::thread::yield_now();
            }
            (before, inside)
        };
        let (found, _) =
            drive(vec![worker; 2], |window| window.pass(Duration::from_millis(30), Duration::from_millis(50)));
        for (before, inside) in found {
            assert!(before > 0);
            assert!(inside > 0);
        }
    }

    /// A run that waited for its end would take half an hour.
    #[test]
    fn a_run_ends_with_its_last_worker() {
        let (found, _) =
            drive(vec![|_: &Window| 7], |window| window.pass(Duration::from_secs(1000), Duration::from_secs(1000)));
        assert_eq!(found, [7]);
    }

    #[test]
    fn tallies_and_failures_add_up() {
        let mut sum = Tally::new();
        for ms in 1..=100 {
            let mut one = Tally::new();
            one.count(Duration::from_millis(ms));
            one.retries = 2;
            sum.add(&one);
        }
        assert_eq!((sum.done, sum.retries, sum.latency.len()), (100, 200, 100));
        let median = sum.latency.value_at_quantile(0.5);
        assert!((50_000..=50_100).contains(&median), "{median}");

        let broken = || LinkError::Connect(std::io::Error::other("gone"));
        let mut failures = Failures::default();
        assert!(failures.is_empty());
        failures.note(&broken());
        let mut more = failures.clone();
        more.note(&broken());
        failures.add(&more);
        assert_eq!(failures.each().collect::<Vec<_>>(), [(3, "cannot connect: gone")]);
    }
}
