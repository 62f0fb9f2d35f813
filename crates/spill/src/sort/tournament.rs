//! The least of many, again and again: a tree of losers.
//!
//! ```text
//!              winner
//!                │
//!            ┌─ l1 ─┐          each node holds its loser; the winner's way up is played again when it has
//!          ┌ l2 ┐ ┌ l3 ┐       moved on: one comparison per level
//!          0    1 2    3       the first wins a draw, so equal ones come out in order
//! ```

use std::cmp::Ordering;

/// Sources in sorted order whose heads compare.
pub(super) trait Heads {
    fn count(&self) -> usize;
    /// Compares the heads of two sources; one at its end is the greatest.
    fn compare(&self, a: usize, b: usize) -> Ordering;
}

/// Knows which source has the least head.
#[derive(Debug)]
pub(super) struct Tournament {
    winner: usize,
    /// Node 1 is the top; node `n` is above `2n` and `2n + 1`; the leaves follow the nodes.
    losers: Vec<usize>,
}

fn wins(heads: &impl Heads, a: usize, b: usize) -> bool {
    heads.compare(a, b).then(a.cmp(&b)) == Ordering::Less
}

impl Tournament {
    /// Plays all games; there is at least one source.
    pub(super) fn of(heads: &impl Heads) -> Tournament {
        let count = heads.count();
        let mut winners = vec![0; 2 * count];
        let mut losers = vec![0; count];
        for (source, leaf) in winners[count..].iter_mut().enumerate() {
            *leaf = source;
        }
        for node in (1..count).rev() {
            let (a, b) = (winners[2 * node], winners[2 * node + 1]);
            (winners[node], losers[node]) = if wins(heads, a, b) { (a, b) } else { (b, a) };
        }
        Tournament { winner: if count > 1 { winners[1] } else { 0 }, losers }
    }

    pub(super) fn winner(&self) -> usize {
        self.winner
    }

    /// The winner's head is another one now.
    pub(super) fn replay(&mut self, heads: &impl Heads) {
        let mut node = (self.winner + heads.count()) / 2;
        while node > 0 {
            if wins(heads, self.losers[node], self.winner) {
                std::mem::swap(&mut self.losers[node], &mut self.winner);
            }
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lists(Vec<Vec<u32>>);

    impl Heads for Lists {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn compare(&self, a: usize, b: usize) -> Ordering {
            let head = |list: usize| self.0[list].first().map_or((true, 0), |head| (false, head >> 8));
            head(a).cmp(&head(b))
        }
    }

    #[test]
    fn lists_of_every_number_come_out_in_order_and_equal_ones_as_they_stood() {
        for count in 1..20_u32 {
            // The upper bits are the key, the lower ones say where it stood.
            let list = |at: u32| {
                let mut list: Vec<u32> = (0..at * 7 % 13).map(|n| (n * (at + 3) % 11) << 8 | at).collect();
                list.sort_unstable();
                list
            };
            let mut lists = Lists((0..count).map(list).collect());
            let mut expected: Vec<u32> = lists.0.concat();
            expected.sort_unstable();
            let mut tournament = Tournament::of(&lists);
            let mut found = Vec::new();
            while let Some(head) = lists.0[tournament.winner()].first().copied() {
                found.push(head);
                lists.0[tournament.winner()].remove(0);
                tournament.replay(&lists);
            }
            assert_eq!(found, expected, "{count} lists");
        }
    }
}
