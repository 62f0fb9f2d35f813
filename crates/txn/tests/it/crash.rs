//! Power cuts under transactions: the matrix of `examples/crash_matrix`, small.

use crate::crash_matrix::{Covered, Failure, Pace, record};

fn survive(seed: u64, pace: Pace, points: usize) -> Covered {
    let recording = record(seed, 700, pace);
    recording.cut_all(points, 2).unwrap_or_else(|Failure(cause)| panic!("{cause}"))
}

/// Seed 1 found that a crash behind the last checkpoint of a recovery was taken for an orderly end, so that leaked space
/// was never reclaimed.
#[test]
fn transactions_survive_power_cuts_as_a_whole_or_not_at_all() {
    let mut covered = survive(1, Pace::Turns, 60);
    covered.add(&survive(2, Pace::Threads, 30));
    assert_eq!(covered.points, 90, "{}", covered.counts);
    assert!(covered.redone > 60 && covered.reclaimed_pages > 0 && covered.in_recovery > 0, "{covered}");
    assert!(covered.at_syncs > 60 && covered.unpromised > 0, "{covered}");
}
