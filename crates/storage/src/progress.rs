//! How far a long piece of a session's work has come: BACKUP, RESTORE and DBCC know before they begin how much there is to do.
//!
//! What always holds: a task has one such piece at a time, and none between its statements. Times are microseconds of the instance's clock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::check;

/// Of one task. Units are those of the work: pages, bytes.
#[derive(Debug, Default)]
pub struct Progress {
    whole: AtomicU64,
    done: AtomicU64,
    begun_us: AtomicU64,
}

/// The work is under way as long as this lives.
#[must_use = "without it nothing is under way"]
#[derive(Debug)]
pub struct UnderWay<'a>(&'a Progress);

impl Progress {
    /// Work of about so many units begins.
    pub fn begin(&self, whole: u64, now_us: u64) -> UnderWay<'_> {
        check!(self.whole.load(Relaxed) == 0, "a task begins work that is measured inside of such work");
        self.done.store(0, Relaxed);
        self.begun_us.store(now_us, Relaxed);
        self.whole.store(whole.max(1), Relaxed);
        UnderWay(self)
    }

    /// So many more of them are done.
    pub fn add(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    /// What part is done, 0 to 1; `None` while no such work is under way.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let (done, whole) = (self.done.load(Relaxed), self.whole.load(Relaxed));
        // There may be more to do than was known.
        (whole > 0).then(|| done.min(whole) as f64 / whole as f64)
    }

    /// How long the rest takes at the pace so far; `None` while nothing is done, or no such work is under way.
    #[must_use]
    pub fn left_us(&self, now_us: u64) -> Option<u64> {
        let share = self.share().filter(|share| *share > 0.0)?;
        let elapsed_us = now_us.saturating_sub(self.begun_us.load(Relaxed));
        Some((elapsed_us as f64 * (1.0 - share) / share) as u64)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        check!(self.0.share().is_some_and(|share| share <= 1.0), "work ends that is not under way");
        self.0.whole.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_known_while_work_is_under_way_and_is_never_more_than_all() {
        let progress = Progress::default();
        progress.add(7);
        assert_eq!(progress.share(), None);
        for whole in [4, 0] {
            let under_way = progress.begin(whole, 1000);
            assert_eq!((progress.share(), progress.left_us(1600)), (Some(0.0), None));
            progress.add(1);
            let (share, left_us) = if whole == 4 { (0.25, 1800) } else { (1.0, 0) };
            assert_eq!((progress.share(), progress.left_us(1600)), (Some(share), Some(left_us)));
            progress.add(9);
            assert_eq!(progress.share(), Some(1.0));
            drop(under_way);
            assert_eq!((progress.share(), progress.left_us(1600)), (None, None));
        }
    }
}
