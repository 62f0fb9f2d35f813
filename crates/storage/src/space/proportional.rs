//! Which file the next extent comes from: round robin with proportional fill.
//!
//! Files are visited in turn. Each has a *skip target*: free extents of the emptiest file divided by its own, at least 1.
//! A visit counts down from the target; when it reaches 1 the file gives an extent and the count starts again. So a file
//! with a tenth of the room gives a tenth of the extents, and equal files take strict turns.
//!
//! What always holds: targets are computed anew when the set of files changes, after every [`RECOMPUTE_AFTER`] extents,
//! and when a whole round gave nothing (the file whose target was 1 is full). Full files are passed over. This file
//! knows counts only, no files.

use crate::check;

/// Extents (512 MB) between two computations of the targets.
pub const RECOMPUTE_AFTER: u32 = 8192;

/// State of the rotation over some files.
#[derive(Clone, Debug, Default)]
pub struct Rotation {
    turn: usize,
    targets: Vec<u32>,
    left: Vec<u32>,
    given: u32,
}

impl Rotation {
    /// Forgets the targets: the set of files changed, or the room in one of them.
    pub fn reset(&mut self) {
        self.targets.clear();
    }

    /// The file (an index of `free`) that gives the next extent; `None` when all are full.
    pub fn pick(&mut self, free: &[u32]) -> Option<usize> {
        let most = *free.iter().max()?;
        if most == 0 {
            return None;
        }
        if self.targets.len() != free.len() || self.given >= RECOMPUTE_AFTER {
            self.recompute(most, free);
        }
        assert!(
            self.targets.len() == free.len() && self.left.len() == free.len(),
            "a target for each of {} files",
            free.len()
        );
        let mut passed = 0;
        loop {
            let at = self.turn % free.len();
            self.turn = at + 1;
            if free[at] > 0 && self.visit(at) {
                return Some(at);
            }
            passed += 1;
            if passed == free.len() {
                self.recompute(most, free);
            }
        }
    }

    /// Whether the visited file gives an extent.
    fn visit(&mut self, at: usize) -> bool {
        if self.left[at] > 1 {
            self.left[at] -= 1;
            return false;
        }
        self.left[at] = self.targets[at];
        check!(self.targets[at] >= 1, "a skip target is 1 at least");
        self.given += 1;
        true
    }

    /// Files that keep their target keep their place in the count.
    fn recompute(&mut self, most: u32, free: &[u32]) {
        let targets: Vec<u32> = free.iter().map(|n| most.checked_div(*n).map_or(u32::MAX, |t| t.max(1))).collect();
        self.left.resize(free.len(), u32::MAX);
        for (left, target) in self.left.iter_mut().zip(&targets) {
            *left = (*left).min(*target);
        }
        check!(
            self.left.iter().zip(free).any(|(left, free)| *left <= 1 && *free > 0),
            "no file gives an extent, however often they are visited: {targets:?} for {free:?}"
        );
        self.targets = targets;
        self.given = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes `count` extents and returns how many each file gave.
    fn take(rotation: &mut Rotation, free: &mut [u32], count: u32) -> Vec<u32> {
        let mut given = vec![0; free.len()];
        for _ in 0..count {
            let at = rotation.pick(free).expect("room");
            free[at] -= 1;
            given[at] += 1;
        }
        given
    }

    #[test]
    fn equal_files_take_strict_turns() {
        let mut rotation = Rotation::default();
        let order: Vec<_> = (0..8).map(|_| rotation.pick(&[100, 100, 100, 100]).unwrap()).collect();
        assert_eq!(order, [0, 1, 2, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn files_fill_in_proportion() {
        let mut free = [4000, 2000, 1000];
        let given = take(&mut Rotation::default(), &mut free, 7000);
        assert_eq!(given, [4000, 2000, 1000], "all full in the end");
        let mut free = [4000, 2000, 1000];
        let given = take(&mut Rotation::default(), &mut free, 700);
        assert!(given[0].abs_diff(400) <= 1 && given[1].abs_diff(200) <= 1 && given[2].abs_diff(100) <= 1, "{given:?}");
    }

    /// Three files of 200 MB and one of 1 MB: about one extent in 640 goes to the small one.
    #[test]
    fn a_small_file_is_hardly_ever_chosen() {
        let mut free = [3199, 3199, 3199, 15];
        let mut rotation = Rotation::default();
        let given = take(&mut rotation, &mut free, 2000);
        assert_eq!(rotation.targets, [1, 1, 1, 213]);
        assert_eq!(given[3], 3, "2000 / 640");
        take(&mut rotation, &mut free, 3199 * 3 + 15 - 2000);
        assert_eq!((free, rotation.pick(&free)), ([0; 4], None));
    }

    #[test]
    fn when_the_emptiest_file_is_full_the_others_go_on() {
        let mut rotation = Rotation::default();
        let mut free = [1000, 10];
        take(&mut rotation, &mut free, 10);
        free[0] = 0;
        assert_eq!(take(&mut rotation, &mut free, 10), [0, 10], "without a thousand visits each");
        assert_eq!(rotation.pick(&free), None);
        assert_eq!(rotation.pick(&[]), None);
    }

    #[test]
    fn a_new_file_is_seen_at_once() {
        let mut rotation = Rotation::default();
        take(&mut rotation, &mut [10, 10], 4);
        let given = take(&mut rotation, &mut [10, 10, 1000], 100);
        assert!(given[2] > 95, "{given:?}");
    }
}
