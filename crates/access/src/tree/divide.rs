//! Keys that divide a range of a tree into parts of about the same size, for scans by several threads.
//!
//! They come from the lowest level that has to be read for it. A tree may change meanwhile: the keys stay what divides the
//! range, whatever lies between them.

use std::ops::Bound;

use millpond_storage::ask::Ask;
use millpond_storage::contract::PageBytes;
use millpond_storage::page::header;

use super::handle::{Target, Tree, damaged};
use super::node;
use super::range::KeyRange;
use crate::error::{AccessError, NodeDamage};

/// At most `count` keys in ascending order, all after the beginning of `range` and before its end; fewer where the
/// range has fewer pages.
///
/// # Errors
/// As `read::get`.
pub fn dividers(tree: &Tree, ask: &Ask<'_>, range: &KeyRange, count: usize) -> Result<Vec<Vec<u8>>, AccessError> {
    let mut keys = Vec::new();
    let mut level = {
        let root = tree.root_shared(ask)?;
        if header::level(&root) > 0 {
            gather(&root, range, &mut keys).map_err(damaged(tree.root))?;
        }
        header::level(&root)
    };
    while keys.len() < count && level > 1 {
        level -= 1;
        keys = keys_of(tree, ask, range, level, &keys)?;
    }
    let keys = spread(keys, count);
    assert!(keys.len() <= count, "{} keys divide a range into {count} parts more", keys.len());
    Ok(keys)
}

/// The keys of the pages of `level`; those of the level above are `upper`.
fn keys_of(
    tree: &Tree,
    ask: &Ask<'_>,
    range: &KeyRange,
    level: u8,
    upper: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, AccessError> {
    let first = match &range.low {
        Bound::Included(low) | Bound::Excluded(low) => Target::Key(low),
        Bound::Unbounded => Target::First,
    };
    let mut keys = Vec::new();
    for (index, target) in std::iter::once(first).chain(upper.iter().map(|key| Target::Key(key.as_slice()))).enumerate()
    {
        if let Some(own) = index.checked_sub(1) {
            keys.push(upper[own].clone());
        }
        let (mut page, mut id) = (tree.root_shared(ask)?, tree.root);
        while header::level(&page) > level {
            let slot = target.child_slot(&page).map_err(damaged(id))?;
            (page, id) = tree.child_shared(ask, (&page, id), slot)?;
        }
        if header::level(&page) > 0 {
            gather(&page, range, &mut keys).map_err(damaged(id))?;
        }
    }
    // The tree may have changed between two pages.
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Adds the separators of an interior page that lie inside the range.
fn gather(page: &PageBytes, range: &KeyRange, keys: &mut Vec<Vec<u8>>) -> Result<(), NodeDamage> {
    for slot in 1..node::count(page) {
        let key = node::separator(page, slot)?;
        let is_after_low = match &range.low {
            Bound::Unbounded => true,
            Bound::Included(low) | Bound::Excluded(low) => key > low.as_slice(),
        };
        let is_before_high = match &range.high {
            Bound::Unbounded => true,
            Bound::Included(high) | Bound::Excluded(high) => key < high.as_slice(),
        };
        if is_after_low && is_before_high {
            keys.push(key.to_vec());
        }
    }
    Ok(())
}

/// `count` of the keys, evenly.
fn spread(keys: Vec<Vec<u8>>, count: usize) -> Vec<Vec<u8>> {
    if keys.len() <= count {
        return keys;
    }
    let len = keys.len();
    let mut chosen = (0..count).map(|n| (2 * n + 1) * len / (2 * count)).peekable();
    keys.into_iter().enumerate().filter(|(index, _)| chosen.next_if_eq(index).is_some()).map(|(_, key)| key).collect()
}
