//! An empty tree is filled bottom up, by one thread or by several, each with runs of keys of its own.
//!
//! ```text
//!   fill ──▶ part ─ run: keys 1..   ──▶ levels of its own ──end of the run──▶ its top pages ┐
//!        └─▶ part ─ run: keys 900.. ──▶ levels of its own ──end of the run──▶ …             ├─▶ finish: leaves linked over
//!                                                                                           ┘   runs, levels above, root
//! ```
//!
//! What always holds:
//! - R1: keys ascend within a run, and no run has a key between two of another one.
//! - R2: the root stays an empty leaf until all pages below it are made; it is written last, by its image. So the tree is
//!   empty for everybody until [`TreeFill::finish`], and its pages are whole when it is not.
//! - R3: beyond the first [`LOGGED_PAGES`] pages are made without the log where it need not hold them. They are pinned until
//!   they are written, and do not outlive a crash before the next checkpoint: the caller takes one
//!   ([`TreeFill::needs_checkpoint`]).
//! - R4: parts end before [`TreeFill::finish`], and nobody else writes to the tree meanwhile. Whoever gives up gives back the
//!   pages that nothing links ([`Tree::give_unlinked`]), or frees the tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond_storage::ask::Ask;
use millpond_storage::contract::PageId;
use millpond_storage::wal::page_op::{NEXT_AT, PREV_AT, link_bytes};
use millpond_storage::wal::{Mtr, PageOp};
use parking_lot::Mutex;

use super::handle::Tree;
use super::levels::{Levels, Top, link_to};
use super::maker::PageMaker;
use super::modify::check_entry;
use super::node;
use super::row::{LeafRow, RowTag, Writer};
use super::split::apply;
use crate::error::AccessError;

/// Pages that are logged in any case, for most: a small table is not worth a checkpoint.
pub const LOGGED_PAGES: u64 = 128;
/// Rows between two looks whether to go on.
const LOOK_ROWS: u64 = 1024;

/// A tree that is being filled.
#[derive(Debug)]
pub struct TreeFill {
    maker: PageMaker,
    tag: Option<RowTag>,
    parts: AtomicU32,
    runs: Mutex<Vec<Run>>,
}

/// A run that has ended.
#[derive(Debug)]
struct Run {
    first_key: Vec<u8>,
    last_key: Vec<u8>,
    rows: u64,
    first_leaf: PageId,
    last_leaf: PageId,
    /// Its highest pages.
    tops: Vec<Top>,
}

impl TreeFill {
    /// Begins to fill an empty tree whose leaves are filled to `fill_percent` (1 to 100; 0 counts as 100), all entries with
    /// `tag`; the first `logged_pages` pages are in the log in any case.
    #[must_use]
    pub fn begin(tree: &Arc<Tree>, fill_percent: u8, tag: Option<RowTag>, logged_pages: u64) -> Arc<TreeFill> {
        let maker = PageMaker::new(tree, fill_percent, logged_pages);
        Arc::new(TreeFill { maker, tag, parts: AtomicU32::new(0), runs: Mutex::default() })
    }

    /// A part, for one thread. It takes no page before its first entry.
    #[must_use]
    pub fn part(self: &Arc<Self>) -> TreeFillPart {
        self.parts.fetch_add(1, Ordering::AcqRel);
        TreeFillPart { fill: Arc::clone(self), run: None, record: Vec::new() }
    }

    /// Whether some pages are not in the log.
    #[must_use]
    pub fn needs_checkpoint(&self) -> bool {
        self.maker.needs_checkpoint()
    }

    /// The tree has the entries of all runs from now on; says how many. `writer` changes the root; it is not asked to where
    /// there are none.
    ///
    /// # Errors
    /// [`AccessError`]; the fill is to be given up then (R4).
    ///
    /// # Panics
    /// A part has not ended (R4).
    pub fn finish(&self, ask: &Ask<'_>, writer: &mut dyn Writer) -> Result<u64, AccessError> {
        assert_eq!(self.parts.load(Ordering::Acquire), 0, "parts of a fill end before it does");
        let mut runs = std::mem::take(&mut *self.runs.lock());
        runs.sort_unstable_by(|one, other| one.first_key.cmp(&other.first_key));
        for pair in runs.windows(2) {
            if pair[0].last_key >= pair[1].first_key {
                return Err(AccessError::KeyOrder { is_equal: pair[0].last_key == pair[1].first_key });
            }
            self.link(ask, pair[0].last_leaf, pair[1].first_leaf)?;
        }
        let rows = runs.iter().map(|run| run.rows).sum();
        let tops: Vec<Top> = runs.into_iter().flat_map(|run| run.tops).collect();
        Levels::crown(&self.maker, ask, writer, &tops)?;
        self.maker.tree().entries.set(rows);
        Ok(rows)
    }

    /// Leaves of two runs lie beside each other.
    fn link(&self, ask: &Ask<'_>, left: PageId, right: PageId) -> Result<(), AccessError> {
        let mut mtr = Mtr::begin(&self.maker.tree().ctx.handle, ask, 128)?;
        let (at_left, at_right) = (mtr.latch(left)?, mtr.latch(right)?);
        apply(&mut mtr, at_left, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(link_to(right)) });
        apply(&mut mtr, at_right, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(link_to(left)) });
        mtr.commit();
        Ok(())
    }
}

/// What one thread fills.
#[derive(Debug)]
pub struct TreeFillPart {
    fill: Arc<TreeFill>,
    run: Option<Running>,
    record: Vec<u8>,
}

/// The run that a part is at.
#[derive(Debug)]
struct Running {
    levels: Levels,
    first_leaf: PageId,
    first_key: Vec<u8>,
    last_key: Vec<u8>,
    rows: u64,
}

impl TreeFillPart {
    /// Adds an entry behind those of the run; begins a run where there is none.
    ///
    /// # Errors
    /// [`AccessError::KeyOrder`] and others; the fill is to be given up then.
    pub fn add(&mut self, ask: &Ask<'_>, key: &[u8], payload: &[u8]) -> Result<(), AccessError> {
        check_entry(key, payload)?;
        let TreeFillPart { fill, run, record } = self;
        let run = match run {
            Some(run) => run,
            None => run.insert(Running::begin(&fill.maker, ask, key)?),
        };
        let is_first = run.rows == 0;
        if !is_first && key <= run.last_key.as_slice() {
            return Err(AccessError::KeyOrder { is_equal: key == run.last_key.as_slice() });
        }
        if run.rows.is_multiple_of(LOOK_ROWS) && ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        node::write_leaf(record, &LeafRow { key, payload, is_ghost: false, tag: fill.tag, pad_bytes: 0 });
        let separator = if is_first { key } else { node::separator_between(&run.last_key, key) };
        run.levels.add(&fill.maker, ask, record, separator)?;
        run.last_key.clear();
        run.last_key.extend_from_slice(key);
        run.rows += 1;
        Ok(())
    }

    /// The next entry begins another run; what the part was at is written.
    ///
    /// # Errors
    /// [`AccessError`]; the fill is to be given up then.
    pub fn end_run(&mut self, ask: &Ask<'_>) -> Result<(), AccessError> {
        let Some(run) = self.run.take() else { return Ok(()) };
        let Running { levels, first_leaf, first_key, last_key, rows } = run;
        let last_leaf = levels.leaf();
        let tops = levels.close(&self.fill.maker, ask)?;
        self.fill.runs.lock().push(Run { first_key, last_key, rows, first_leaf, last_leaf, tops });
        Ok(())
    }
}

impl Running {
    fn begin(maker: &PageMaker, ask: &Ask<'_>, key: &[u8]) -> Result<Running, AccessError> {
        let levels = Levels::of_run(maker, ask, key)?;
        Ok(Running { first_leaf: levels.leaf(), levels, first_key: key.to_vec(), last_key: Vec::new(), rows: 0 })
    }
}

impl Drop for TreeFillPart {
    fn drop(&mut self) {
        self.fill.parts.fetch_sub(1, Ordering::AcqRel);
    }
}
