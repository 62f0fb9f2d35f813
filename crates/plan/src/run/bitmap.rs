//! Bitmaps: which keys the build side of a hash join has, for scans on its probe side.
//!
//! ```text
//!   build side ─▶ BuildExec ─▶ hash join ◀─ … ◀─ scan of the probe side
//!                     └── keys ─▶ Bitmap ── does a row's key occur? ──▲
//! ```
//! What always holds: a bitmap may say of a key that it occurs although it does not, never the other way round, and it says
//! nothing before all partitions of the build side have ended: so it drops rows that the join would drop, and no others. It
//! holds nothing after the run.

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::run::cell::{Forget, RunCell};

/// Of more keys nothing is kept.
pub(crate) const KEYS_MAX: usize = 1 << 20;
/// Bits per key that a bit for each number of a range may take.
const BITS_PER_KEY: u64 = 16;
/// A range of so many numbers has a bit for each, however few keys there are.
const SMALL_RANGE: u64 = 1 << 20;

/// The bitmap of a column of a build side.
pub(crate) struct Bitmap {
    /// Distinguishes those of one plan.
    pub(crate) number: u32,
    /// What partitions of the present run have given.
    pending: Mutex<Pending>,
    known: RwLock<Option<Arc<KeySet>>>,
}

#[derive(Default)]
struct Pending {
    keys: Vec<i64>,
    ended: usize,
    is_too_large: bool,
}

impl Bitmap {
    /// One whose cell forgets what it knows after each run.
    pub(crate) fn new(number: u32, cell: &RunCell) -> Arc<Bitmap> {
        let bitmap = Arc::new(Bitmap { number, pending: Mutex::default(), known: RwLock::default() });
        cell.forget_after_run(Arc::clone(&bitmap) as Arc<dyn Forget>);
        bitmap
    }

    /// One of `partitions` has ended; `keys` are all that it has had, none where they were too many.
    pub(crate) fn end_partition(&self, keys: Option<Vec<i64>>, partitions: usize) {
        let mut pending = self.pending.lock();
        pending.ended += 1;
        match keys {
            Some(keys) if pending.keys.len() + keys.len() <= KEYS_MAX => pending.keys.extend(keys),
            _ => pending.is_too_large = true,
        }
        if pending.ended == partitions && !pending.is_too_large {
            *self.known.write() = Some(Arc::new(KeySet::of(&pending.keys)));
            pending.keys = Vec::new();
        }
    }

    /// The keys, once all are known.
    pub(crate) fn keys(&self) -> Option<Arc<KeySet>> {
        self.known.read().clone()
    }
}

impl Forget for Bitmap {
    fn forget(&self) {
        *self.pending.lock() = Pending::default();
        *self.known.write() = None;
    }
}

/// A set of numbers, perhaps with some that are not in it.
pub(crate) enum KeySet {
    /// A bit for each number from the least one on.
    Range { least: i64, bits: u64, words: Box<[u64]> },
    /// Three bits of one word for each number, from the least one to the greatest.
    Hashed { least: i64, most: i64, words: Box<[u64]> },
}

impl KeySet {
    pub(crate) fn of(keys: &[i64]) -> KeySet {
        let (Some(&least), Some(&most)) = (keys.iter().min(), keys.iter().max()) else {
            return KeySet::Range { least: 0, bits: 0, words: Box::default() };
        };
        let range = most.abs_diff(least);
        if range < SMALL_RANGE.max(BITS_PER_KEY * keys.len() as u64) {
            let mut words = vec![0; (range / 64 + 1) as usize];
            for key in keys {
                let place = key.abs_diff(least);
                words[(place / 64) as usize] |= 1 << (place % 64);
            }
            return KeySet::Range { least, bits: range + 1, words: words.into() };
        }
        let mut words = vec![0; (keys.len() * BITS_PER_KEY as usize).div_ceil(64)];
        for key in keys {
            let (word, mask) = hashed(*key, words.len());
            words[word] |= mask;
        }
        KeySet::Hashed { least, most, words: words.into() }
    }

    /// Whether a number may be in the set.
    #[inline]
    pub(crate) fn may_have(&self, key: i64) -> bool {
        match self {
            KeySet::Range { least, bits, words } => {
                let place = (key as u64).wrapping_sub(*least as u64);
                place < *bits && words[(place / 64) as usize] >> (place % 64) & 1 == 1
            }
            KeySet::Hashed { words, .. } => {
                let (word, mask) = hashed(key, words.len());
                words[word] & mask == mask
            }
        }
    }

    /// The numbers as runs from one to another, in ascending order: those that follow each other as one, or all from the least
    /// to the greatest where there are more than `most_runs`.
    pub(crate) fn runs(&self, most_runs: usize) -> Vec<(i64, i64)> {
        let (least, bits, words) = match self {
            KeySet::Range { bits: 0, .. } => return Vec::new(),
            KeySet::Range { least, bits, words } => (*least, *bits, words),
            KeySet::Hashed { least, most, .. } => return vec![(*least, *most)],
        };
        let number = |place: u64| least.wrapping_add_unsigned(place);
        let mut runs: Vec<(i64, i64)> = Vec::new();
        let mut begun = None;
        for (at, word) in words.iter().enumerate() {
            let first = at as u64 * 64;
            // Most words are of one kind.
            match (*word, begun) {
                (0, None) | (u64::MAX, Some(_)) => continue,
                _ => {}
            }
            for bit in 0..64 {
                match (word >> bit & 1 == 1, begun) {
                    (true, None) => begun = Some(first + bit),
                    (false, Some(from)) => {
                        runs.push((number(from), number(first + bit - 1)));
                        begun = None;
                    }
                    _ => {}
                }
            }
            if runs.len() > most_runs {
                return vec![(least, number(bits - 1))];
            }
        }
        runs.extend(begun.map(|from| (number(from), number(bits - 1))));
        if runs.len() > most_runs { vec![(least, number(bits - 1))] } else { runs }
    }
}

/// The word of a number among so many, and its bits there.
#[inline]
fn hashed(key: i64, words: usize) -> (usize, u64) {
    let hash = (key as u64 ^ (key as u64 >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = ((hash >> 32) * words as u64) >> 32;
    (word as usize, 1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_all_of_its_keys_and_few_others() {
        let extremes = [i64::MIN, -1, 0, 1, i64::MAX];
        let dense: Vec<i64> = (-3000..5000).step_by(3).collect();
        let sparse: Vec<i64> = (0..20_000).map(|n: i64| n.wrapping_mul(0x0123_4567_89AB_CDEF)).collect();
        for keys in [&extremes[..], &[i64::MAX], &[i64::MIN], &dense, &sparse] {
            let set = KeySet::of(keys);
            assert!(keys.iter().all(|key| set.may_have(*key)));
            let others = (0..10_000).map(|n: i64| n.wrapping_mul(0x7654_3210_FEDC_BA97) ^ 0x55);
            let wrong = others.filter(|key| !keys.contains(key) && set.may_have(*key)).count();
            assert!(wrong < 500, "{wrong} of 10,000 others");
        }
        assert!((-3001..5001).all(|n| KeySet::of(&dense).may_have(n) == dense.contains(&n)), "a range is exact");
        assert!(extremes.iter().all(|key| !KeySet::of(&[]).may_have(*key)));
    }

    #[test]
    fn runs_are_the_numbers_that_follow_each_other() {
        let runs = |keys: &[i64], most| KeySet::of(keys).runs(most);
        assert_eq!(runs(&[], 9), []);
        assert_eq!(runs(&[7], 9), [(7, 7)]);
        assert_eq!(runs(&[5, 3, 4, 9], 9), [(3, 5), (9, 9)]);
        assert_eq!(runs(&[5, 3, 4, 9], 1), [(3, 9)]);
        assert_eq!(runs(&[-1, 0, 1], 9), [(-1, 1)]);
        assert_eq!(runs(&[i64::MIN, i64::MAX], 9), [(i64::MIN, i64::MAX)]);
        let long: Vec<i64> = (-70..200).filter(|n| *n != 64).collect();
        assert_eq!(runs(&long, 9), [(-70, 63), (65, 199)]);
        let whole: Vec<i64> = (0..128).collect();
        assert_eq!(runs(&whole, 9), [(0, 127)]);
    }

    #[test]
    fn nothing_is_known_before_all_partitions_have_ended_nor_after_the_run() {
        let cell = RunCell::default();
        let bitmap = Bitmap::new(1, &cell);
        bitmap.end_partition(Some(vec![1]), 2);
        assert!(bitmap.keys().is_none());
        bitmap.end_partition(Some(vec![5]), 2);
        let keys = bitmap.keys().expect("both have ended");
        assert!(keys.may_have(1) && keys.may_have(5) && !keys.may_have(3));
        bitmap.forget();
        assert!(bitmap.keys().is_none());
        bitmap.end_partition(None, 1);
        assert!(bitmap.keys().is_none(), "too many keys");
    }
}
