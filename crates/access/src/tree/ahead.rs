//! Read-ahead of a cursor: which leaves come next, as the level above them says, and which thread reads them.
//!
//! ```text
//!              the cursor is here
//!                     ▼
//!   leaves ─────────▶ │ 512 KB │ 512 KB │ 512 KB │ 512 KB │
//!                       read on  begun before, or now, on the
//!                       this     threads of the pool
//!                       thread,
//!                       if it is not in memory
//! ```
//!
//! The first reads of a cursor are smaller: most end soon.
//!
//! What always holds: no page is latched while leaves are read. It knows no entries.

use std::ops::Bound;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header;
use millpond_storage::pool::SharedPage;

use super::handle::{Target, Tree, damaged};
use super::node;
use super::range::{Direction, KeyRange};
use crate::error::{AccessError, NodeDamage};
use crate::neighbours::{Neighbours, READ_PAGES};

/// Leaves that are read together where a cursor has come a few pages far: most end there.
const FIRST_PAGES: u32 = 16;
/// A window has so many times the pages that the cursor has read by then.
const GROWTH: u32 = 4;
/// Reads of one call on its own thread.
const RUNS_NOW_MAX: usize = 4;
/// Windows that are looked at: reads under way, or done, before the cursor comes to them.
const REACH_WINDOWS: u16 = 4;

/// What a cursor reads next.
struct Coming<'a> {
    tree: &'a Tree,
    range: &'a KeyRange,
    direction: Direction,
    left: u16,
    /// Leaves until the next call, and the longest run.
    window: u32,
    runs: Vec<Neighbours>,
}

/// The page above the leaf that is descended to.
struct Parent<'a> {
    page: SharedPage<'a>,
    id: PageId,
    slot: u16,
    /// Where the keys of the next one begin; none after the last one.
    next_key: Option<Vec<u8>>,
}

/// Reads the next leaves of `range` from `from` on, and has those after them read, for a cursor that has read so many
/// pages. Says for how many leaves that does, at least one.
///
/// # Errors
/// As `read::get`; those of the leaves show when they are asked for.
pub(super) fn read_ahead(
    tree: &Tree,
    ask: &Ask<'_>,
    (range, direction): (&KeyRange, Direction),
    from: Target<'_>,
    pages_read: u32,
) -> Result<u32, AccessError> {
    let window = pages_read.saturating_mul(GROWTH).clamp(FIRST_PAGES, READ_PAGES);
    let mut coming = Coming { tree, range, direction, left: REACH_WINDOWS * window as u16, window, runs: Vec::new() };
    coming.gather(ask, from)?;
    let (now, later) = coming.runs.split_at(coming.runs_now());
    later.iter().for_each(|run| tree.ctx.pool().read_ahead(ask, run.first, run.pages));
    now.iter().for_each(|run| tree.ctx.pool().read_together(ask, run.first, run.pages));
    Ok(coming.runs.iter().map(|run| run.pages).sum::<u32>().clamp(1, window))
}

impl Coming<'_> {
    /// Leaves of one parent after the other; backwards, of the first one.
    fn gather(&mut self, ask: &Ask<'_>, from: Target<'_>) -> Result<(), AccessError> {
        let mut next_key: Option<Vec<u8>> = None;
        loop {
            let target = next_key.as_deref().map_or(from, Target::Key);
            let Some(parent) = parent_of(self.tree, ask, target)? else { return Ok(()) };
            self.add_leaves(&parent.page, parent.slot).map_err(damaged(parent.id))?;
            next_key = parent.next_key.filter(|key| self.goes_to(key));
            if next_key.is_none() {
                return Ok(());
            }
        }
    }

    fn goes_to(&self, key: &[u8]) -> bool {
        self.left > 0 && self.direction == Direction::Forward && self.range.goes_to(key)
    }

    /// The leaves of a parent, from the one in `slot` on.
    fn add_leaves(&mut self, parent: &PageBytes, slot: u16) -> Result<(), NodeDamage> {
        let slots: Box<dyn Iterator<Item = u16>> = match self.direction {
            Direction::Forward => Box::new(slot..node::count(parent).min(slot.saturating_add(self.left))),
            Direction::Backward => Box::new((slot.saturating_sub(self.left)..=slot).rev()),
        };
        for other in slots {
            if other != slot && !self.may_have(parent, other)? {
                break;
            }
            self.left = self.left.saturating_sub(1);
            Neighbours::add(&mut self.runs, node::child(parent, other, self.tree.ctx.db())?, self.window);
        }
        Ok(())
    }

    /// Runs that have the leaves until the next call. Where they are many short ones, threads come further.
    fn runs_now(&self) -> usize {
        let begins = self.runs.iter().scan(0, |leaves, run| Some(std::mem::replace(leaves, *leaves + run.pages)));
        let count = begins.take_while(|&leaves| leaves < self.window).count();
        if count <= RUNS_NOW_MAX { count } else { 1 }
    }

    /// Whether the child in `slot` may have keys of the range, as far as its separators say.
    fn may_have(&self, parent: &PageBytes, slot: u16) -> Result<bool, NodeDamage> {
        Ok(match (self.direction, &self.range.low) {
            (Direction::Forward, _) => self.range.goes_to(node::separator(parent, slot)?),
            (Direction::Backward, Bound::Included(low) | Bound::Excluded(low)) => {
                node::separator(parent, slot + 1)? > low.as_slice()
            }
            (Direction::Backward, Bound::Unbounded) => true,
        })
    }
}

/// The page of level 1 on the way to `target`; none in a tree of one leaf.
fn parent_of<'a>(tree: &'a Tree, ask: &Ask<'a>, target: Target<'_>) -> Result<Option<Parent<'a>>, AccessError> {
    let (mut page, mut id) = (tree.root_shared(ask)?, tree.root);
    if header::level(&page) == 0 {
        return Ok(None);
    }
    let mut next_key = None;
    loop {
        let slot = target.child_slot(&page).map_err(damaged(id))?;
        if header::level(&page) == 1 {
            return Ok(Some(Parent { page, id, slot, next_key }));
        }
        if slot + 1 < node::count(&page) {
            next_key = Some(node::separator(&page, slot + 1).map_err(damaged(id))?.to_vec());
        }
        (page, id) = tree.child_shared(ask, (&page, id), slot)?;
    }
}
