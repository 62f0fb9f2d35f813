//! Cursors: the entries of a range in the order of their keys, forwards or backwards, a page per call.
//!
//! What always holds:
//! - C1: no latch is held between calls. The cursor remembers the last key that it gave and, as long as the tree's
//!   version stays what it was (B3), which page comes next; otherwise it descends anew to that key.
//! - C2: an entry that is there throughout is given exactly once, whatever is split, merged, added or removed beside it.
//! - C3: within a page the entries are of one point in time.
//!
//! Why a page that was remembered may be read when the version is unchanged: the thread that unlinks it has it latched
//! exclusively when it raises the version, so under its shared latch either the version has changed or the page is
//! linked.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header;
use millpond_storage::pool::SharedPage;

use super::ahead::read_ahead;
use super::handle::{Target, Tree, damaged};
use super::leaf_copy::{Leaf, TakeEntries};
use super::node;
use super::range::{Direction, KeyRange};
use super::row::LeafRow;
use crate::error::{AccessError, NodeDamage};

/// A range that got so far is worth reading ahead for.
const READ_AHEAD_AFTER_PAGES: u32 = 2;

/// A walk over a range of a tree.
#[derive(Debug)]
pub struct TreeCursor {
    tree: Arc<Tree>,
    range: KeyRange,
    direction: Direction,
    /// The key that was given last, if any was.
    last: Option<Vec<u8>>,
    /// The entry of `last` is to be given again.
    repeats: bool,
    /// C1: the page that comes next, and the version with which this is true.
    next: Option<(PageId, u64)>,
    is_done: bool,
    counted: bool,
    pages_read: u32,
    /// Pages until the next descent that reads ahead.
    ahead: u32,
}

type Visit<'v> = &'v mut dyn FnMut(LeafRow<'_>) -> ControlFlow<()>;

/// Where the entries to give lie on a page.
struct Span {
    from: u16,
    until: u16,
    /// The range ends on this page.
    is_last: bool,
}

/// A cursor before the first entry of `range`.
#[must_use]
pub fn open(tree: &Arc<Tree>, range: KeyRange, direction: Direction) -> TreeCursor {
    TreeCursor {
        tree: Arc::clone(tree),
        range,
        direction,
        last: None,
        repeats: false,
        next: None,
        is_done: false,
        counted: false,
        pages_read: 0,
        ahead: 0,
    }
}

impl TreeCursor {
    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Gives the entries of the next page that has any of the range, ghosts included; false when there are no more.
    /// After `Break` the next call goes on after the entry that was given last ([`TreeCursor::repeat`]: with it).
    /// `visit` runs under the shared latch of the page: it must not touch the tree.
    ///
    /// # Errors
    /// [`AccessError::Cancelled`] when the task was asked to stop; others as `read::get`.
    pub fn next_page(&mut self, ask: &Ask<'_>, visit: Visit<'_>) -> Result<bool, AccessError> {
        self.next_entries(ask, visit)
    }

    /// The same, given to one that may take a page's entries at once.
    ///
    /// # Errors
    /// Those of [`TreeCursor::next_page`].
    pub fn next_entries(
        &mut self,
        ask: &Ask<'_>,
        taker: &mut (impl TakeEntries + ?Sized),
    ) -> Result<bool, AccessError> {
        if !std::mem::replace(&mut self.counted, true) {
            ask.task.io.scans.fetch_add(1, Relaxed);
            ask.object.scans.fetch_add(1, Relaxed);
        }
        while !self.is_done {
            if ask.task.is_cancelled() {
                return Err(AccessError::Cancelled);
            }
            let tree = Arc::clone(&self.tree);
            let (page, id, is_next) = self.page(&tree, ask)?;
            let span = self.span(&page, is_next).map_err(damaged(id))?;
            let broke = self.give(&page, id, &span, taker)?;
            if broke.is_break() {
                self.next = None;
                return Ok(true);
            }
            self.note_next(&page, &span);
            if span.from < span.until {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The entry that was given last is given again by the next call, if it is still there then.
    pub fn repeat(&mut self) {
        self.repeats = self.last.is_some();
        self.next = None;
        self.is_done = false;
    }

    /// Goes on at `key`: forwards with it, backwards with the one before it.
    pub fn go_to(&mut self, key: Vec<u8>) {
        self.last = Some(key);
        self.repeats = self.direction == Direction::Forward;
        self.next = None;
        self.is_done = false;
    }

    /// The page to read now, and whether all of it is beyond the last entry.
    fn page<'t>(&mut self, tree: &'t Tree, ask: &Ask<'t>) -> Result<(SharedPage<'t>, PageId, bool), AccessError> {
        self.pages_read += 1;
        if let Some((id, version)) = self.next.take()
            && self.ahead > 0
        {
            self.ahead -= 1;
            let page = tree.ctx.pool().shared(ask, id);
            if tree.version.load(Relaxed) == version {
                let page = page?;
                tree.check_node(&page, id, Some(0))?;
                return Ok((page, id, true));
            }
        }
        self.ahead = READ_AHEAD_AFTER_PAGES;
        if self.pages_read > READ_AHEAD_AFTER_PAGES {
            self.ahead = read_ahead(tree, ask, (&self.range, self.direction), self.target(), self.pages_read)?;
        }
        let (page, id) = tree.leaf_shared(ask, self.target())?;
        Ok((page, id, false))
    }

    /// Where to descend to.
    fn target(&self) -> Target<'_> {
        let bound = match self.direction {
            Direction::Forward => &self.range.low,
            Direction::Backward => &self.range.high,
        };
        match (&self.last, bound, self.direction) {
            (Some(last), _, _) => Target::Key(last),
            (None, Bound::Included(key) | Bound::Excluded(key), _) => Target::Key(key),
            (None, Bound::Unbounded, Direction::Forward) => Target::First,
            (None, Bound::Unbounded, Direction::Backward) => Target::Last,
        }
    }

    /// The entries of the page that are to be given. `is_next`: all of the page lies beyond the last entry.
    fn span(&self, page: &PageBytes, is_next: bool) -> Result<Span, NodeDamage> {
        let count = node::count(page);
        let (mut from, mut until) = (0, count);
        let mut is_last = false;
        match self.direction {
            Direction::Forward => {
                if !is_next {
                    from = self.begin(page)?;
                }
                if self.may_cross_high(page, count)? {
                    until = end_at(page, &self.range.high)?;
                    is_last = until < count;
                }
            }
            Direction::Backward => {
                if !is_next {
                    until = self.begin(page)?;
                }
                if self.may_cross_low(page, count)? {
                    from = begin_at(page, &self.range.low)?;
                    is_last = from > 0;
                }
            }
        }
        Ok(Span { from, until: until.max(from), is_last })
    }

    /// The first slot to give (forwards), or the one after it (backwards).
    fn begin(&self, page: &PageBytes) -> Result<u16, NodeDamage> {
        let owned;
        let bound = match (&self.last, self.direction) {
            (Some(last), _) => {
                owned = if self.repeats { Bound::Included(last.clone()) } else { Bound::Excluded(last.clone()) };
                &owned
            }
            (None, Direction::Forward) => &self.range.low,
            (None, Direction::Backward) => &self.range.high,
        };
        match self.direction {
            Direction::Forward => begin_at(page, bound),
            Direction::Backward => end_at(page, bound),
        }
    }

    /// Looks at the last key of the page only: most pages lie within the range.
    fn may_cross_high(&self, page: &PageBytes, count: u16) -> Result<bool, NodeDamage> {
        Ok(match &self.range.high {
            Bound::Unbounded => false,
            Bound::Included(high) | Bound::Excluded(high) => {
                count > 0 && node::leaf_key(page, count - 1)? >= high.as_slice()
            }
        })
    }

    fn may_cross_low(&self, page: &PageBytes, count: u16) -> Result<bool, NodeDamage> {
        Ok(match &self.range.low {
            Bound::Unbounded => false,
            Bound::Included(low) | Bound::Excluded(low) => count > 0 && node::leaf_key(page, 0)? <= low.as_slice(),
        })
    }

    /// Gives the entries of the span and remembers the last one.
    fn give(
        &mut self,
        page: &PageBytes,
        id: PageId,
        span: &Span,
        taker: &mut (impl TakeEntries + ?Sized),
    ) -> Result<ControlFlow<()>, AccessError> {
        let mut broke = ControlFlow::Continue(());
        let mut given = None;
        assert!(span.until <= node::count(page), "slots up to {} of page {id} with {}", span.until, node::count(page));
        let slot_at = |step| match self.direction {
            Direction::Forward => span.from + step,
            Direction::Backward => span.until - 1 - step,
        };
        let count = span.until - span.from;
        let leaf = Leaf { page, slots: span.from..span.until, direction: self.direction };
        if count > 0 && taker.take_page(&leaf).map_err(damaged(id))? {
            given = Some(slot_at(count - 1));
        } else {
            for step in 0..count {
                let slot = slot_at(step);
                given = Some(slot);
                broke = taker.take(node::leaf_row(page, slot).map_err(damaged(id))?);
                if broke.is_break() {
                    break;
                }
            }
        }
        if let Some(slot) = given {
            let key = node::leaf_key(page, slot).map_err(damaged(id))?;
            let last = self.last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
            self.repeats = false;
        }
        Ok(broke)
    }

    fn note_next(&mut self, page: &PageBytes, span: &Span) {
        let link = match self.direction {
            Direction::Forward => header::next(page),
            Direction::Backward => header::prev(page),
        };
        match link {
            Some(link) if !span.is_last => {
                let id = PageId { db: self.tree.ctx.db(), file: link.file, page: link.page };
                self.next = Some((id, self.tree.version.load(Relaxed)));
            }
            _ => self.is_done = true,
        }
    }
}

/// The first slot of the page that `low` lets in.
fn begin_at(page: &PageBytes, low: &Bound<Vec<u8>>) -> Result<u16, NodeDamage> {
    Ok(match low {
        Bound::Unbounded => 0,
        Bound::Included(key) => node::find(page, key)?.slot,
        Bound::Excluded(key) => {
            let place = node::find(page, key)?;
            place.slot + u16::from(place.is_there)
        }
    })
}

/// The first slot of the page that `high` keeps out.
fn end_at(page: &PageBytes, high: &Bound<Vec<u8>>) -> Result<u16, NodeDamage> {
    Ok(match high {
        Bound::Unbounded => node::count(page),
        Bound::Excluded(key) => node::find(page, key)?.slot,
        Bound::Included(key) => {
            let place = node::find(page, key)?;
            place.slot + u16::from(place.is_there)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_a_range() {
        assert_eq!(KeyRange::prefix(b"ab").high, Bound::Excluded(b"ac".to_vec()));
        assert_eq!(KeyRange::prefix(b"a\xff").high, Bound::Excluded(b"b".to_vec()));
        assert_eq!(KeyRange::prefix(b"\xff\xff").high, Bound::Unbounded);
        assert_eq!(KeyRange::prefix(b"").low, Bound::Included(Vec::new()));
    }
}
