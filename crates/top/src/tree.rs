//! Who waits for whom, as trees: sessions below their blockers, operators below those that take their rows.
//!
//! What always holds: each node comes out once, whatever points where: circles, blockers that are not there, nodes that are
//! their own parents.

use std::collections::{HashMap, HashSet};

use crate::sample::Session;

/// A place in the input, and how deep it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Of the input.
    pub place: usize,
    /// 0 for roots.
    pub depth: usize,
}

/// Nodes as trees: each below its parent, siblings in the order of the input. Of a circle the first one in the input is the root.
///
/// `nodes` are numbers and numbers of parents, if they have one.
pub fn trees(nodes: &[(i64, Option<i64>)]) -> Vec<Placed> {
    let places: HashMap<i64, usize> = nodes.iter().enumerate().rev().map(|(place, (id, _))| (*id, place)).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut is_child = vec![false; nodes.len()];
    for (place, (id, parent)) in nodes.iter().enumerate() {
        let parent = parent.filter(|parent| parent != id).and_then(|parent| places.get(&parent).copied());
        // Of several nodes of one number the first alone has children.
        if let Some(parent) = parent.filter(|parent| *parent != place) {
            children.entry(parent).or_default().push(place);
            is_child[place] = true;
        }
    }
    let mut placed = Vec::with_capacity(nodes.len());
    let mut seen = vec![false; nodes.len()];
    let roots = (0..nodes.len()).filter(|place| !is_child[*place]);
    // What no root leads to is in a circle or hangs on one.
    for root in roots.chain(0..nodes.len()) {
        let mut open = vec![Placed { place: root, depth: 0 }];
        while let Some(next) = open.pop() {
            if std::mem::replace(&mut seen[next.place], true) {
                continue;
            }
            placed.push(next);
            let below = children.get(&next.place).map_or(&[][..], Vec::as_slice);
            open.extend(below.iter().rev().map(|place| Placed { place: *place, depth: next.depth + 1 }));
        }
    }
    placed
}

/// Sessions that others wait for and that wait for none, with how many wait for each, over others too: those first that hold
/// up most. Of a circle its smallest number is the head.
pub fn heads(sessions: &[Session]) -> Vec<(i64, usize)> {
    let blockers: HashMap<i64, i64> = sessions
        .iter()
        .filter(|it| it.blocking_session_id > 0 && it.blocking_session_id != it.session_id)
        .map(|it| (it.session_id, it.blocking_session_id))
        .collect();
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for blocked in blockers.keys() {
        let (mut path, mut head) = (HashSet::from([*blocked]), *blocked);
        while let Some(blocker) = blockers.get(&head) {
            head = *blocker;
            if !path.insert(head) {
                head = circle(&blockers, head);
                break;
            }
        }
        *counts.entry(head).or_default() += usize::from(head != *blocked);
    }
    let mut heads: Vec<(i64, usize)> = counts.into_iter().collect();
    heads.sort_by_key(|(session, count)| (std::cmp::Reverse(*count), *session));
    heads
}

/// The smallest number of the circle that a session is in.
fn circle(blockers: &HashMap<i64, i64>, within: i64) -> i64 {
    let (mut smallest, mut at) = (within, within);
    while let Some(next) = blockers.get(&at).copied().filter(|next| *next != within) {
        smallest = smallest.min(next);
        at = next;
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(nodes: &[(i64, Option<i64>)]) -> Vec<(i64, usize)> {
        trees(nodes).into_iter().map(|it| (nodes[it.place].0, it.depth)).collect()
    }

    fn session(session_id: i64, blocking_session_id: i64) -> Session {
        Session { session_id, blocking_session_id, ..Session::default() }
    }

    #[test]
    fn blocked_ones_stand_below_their_blockers() {
        let nodes = [(54, Some(53)), (60, None), (53, Some(52)), (52, None), (55, Some(52)), (61, Some(99))];
        assert_eq!(shape(&nodes), [(60, 0), (52, 0), (53, 1), (54, 2), (55, 1), (61, 0)]);
    }

    #[test]
    fn circles_come_out_once() {
        let nodes = [(3, Some(2)), (1, Some(3)), (2, Some(1)), (4, Some(1)), (5, Some(5))];
        assert_eq!(shape(&nodes), [(5, 0), (3, 0), (1, 1), (2, 2), (4, 2)]);
    }

    #[test]
    fn a_number_twice_is_two_nodes() {
        assert_eq!(shape(&[(1, None), (1, Some(1)), (2, Some(1))]), [(1, 0), (2, 1), (1, 0)]);
    }

    #[test]
    fn heads_are_counted_over_others() {
        let sessions =
            [session(52, 0), session(53, 52), session(54, 53), session(55, 54), session(60, 59), session(61, 61)];
        assert_eq!(heads(&sessions), [(52, 3), (59, 1)]);
    }

    #[test]
    fn a_circle_has_its_smallest_as_head() {
        let sessions = [session(7, 8), session(8, 6), session(6, 7), session(9, 7)];
        assert_eq!(heads(&sessions), [(6, 3)]);
    }
}
