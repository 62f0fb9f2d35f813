//! A tree is filled bottom up, by one thread or by several, each with runs of keys of its own: an empty one, or one
//! after the entries that it has.
//!
//! ```text
//!   fill ──▶ part ─ run: keys 1..   ──▶ levels of its own ──end of the run──▶ its top pages ┐
//!        └─▶ part ─ run: keys 900.. ──▶ levels of its own ──end of the run──▶ …             ├─▶ join: leaves linked over runs
//!                                                                                           ┘    ──▶ checkpoint
//!   link: levels above and the root of an empty tree, else hung after its entries (graft) ◀───────────┘
//! ```
//!
//! What always holds:
//! - R1: keys ascend within a run, and no run has a key between two of another one.
//! - R2: the tree is what it was until all pages of the runs are made; then one mini-transaction links them. The root of an
//!   empty tree is written last, by its image.
//! - R3: beyond the first [`LOGGED_PAGES`] pages are made without the log where it need not hold them. They are pinned until
//!   they are written, and do not outlive a crash before the next checkpoint: the caller takes one
//!   ([`TreeFill::needs_checkpoint`]) between [`TreeFill::join`] and [`TreeFill::link`], so that no log leads to a page that
//!   is not there. What is made later is in the log.
//! - R4: parts end before [`TreeFill::join`], and nothing else adds entries to the tree meanwhile. A thread that gives
//!   up gives back the pages that nothing links (`reclaim::reclaim_pages`), or frees the tree.
//! - R5: a run of one leaf at most becomes no page of a tree that has entries: the caller adds its entries one by one
//!   ([`Filled::few`]), or a habit of small loads would leave a page for each.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::wal::page_op::{NEXT_AT, PREV_AT, link_bytes};
use millpond_storage::wal::{Mtr, PageOp};
use parking_lot::Mutex;

use super::graft;
use super::graft::Branch;
use super::handle::{Tree, damaged};
use super::levels::{Levels, Top, link_to};
use super::maker::PageMaker;
use super::modify::check_entry;
use super::node;
use super::row::{Entry, LeafRow, RowTag, Writer};
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
    /// Makes the pages above those of the runs, which are few: all of them are in the log.
    crown_maker: PageMaker,
    tag: Option<RowTag>,
    /// The tree has entries.
    is_after: bool,
    parts: AtomicU32,
    runs: Mutex<Vec<Run>>,
    few: Mutex<Vec<FewEntries>>,
}

/// What a fill has made, its leaves linked over all runs.
#[derive(Debug)]
pub struct Filled {
    /// Entries of its runs.
    rows: u64,
    /// `None` without any.
    branch: Option<Branch>,
    few: Vec<FewEntries>,
}

/// The entries of a run that is not worth a page (R5).
#[derive(Debug)]
pub struct FewEntries {
    id: PageId,
    leaf: Box<PageBytes>,
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
        Arc::new(TreeFill::new(tree, fill_percent, tag, logged_pages))
    }

    /// As [`TreeFill::begin`] for a tree that has entries: all keys lie after them.
    #[must_use]
    pub fn begin_after(tree: &Arc<Tree>, tag: Option<RowTag>, logged_pages: u64) -> Arc<TreeFill> {
        Arc::new(TreeFill { is_after: true, ..TreeFill::new(tree, 100, tag, logged_pages) })
    }

    fn new(tree: &Arc<Tree>, fill_percent: u8, tag: Option<RowTag>, logged_pages: u64) -> TreeFill {
        let maker = PageMaker::new(tree, fill_percent, logged_pages);
        let crown_maker = PageMaker::new(tree, fill_percent, u64::MAX);
        let (parts, runs, few) = (AtomicU32::new(0), Mutex::default(), Mutex::default());
        TreeFill { maker, crown_maker, tag, is_after: false, parts, runs, few }
    }

    /// A part, for one thread. It takes no page before its first entry.
    #[must_use]
    pub fn part(self: &Arc<Self>) -> TreeFillPart {
        self.parts.fetch_add(1, Ordering::AcqRel);
        TreeFillPart { fill: Arc::clone(self), run: None, record: Vec::new() }
    }

    /// Whether the tree had entries when it began.
    #[must_use]
    pub fn is_after(&self) -> bool {
        self.is_after
    }

    /// Whether some pages are not in the log.
    #[must_use]
    pub fn needs_checkpoint(&self) -> bool {
        self.maker.needs_checkpoint()
    }

    /// Links the leaves over all runs.
    ///
    /// # Errors
    /// [`AccessError`]; the fill is to be given up then (R4).
    ///
    /// # Panics
    /// A part has not ended (R4).
    pub fn join(&self, ask: &Ask<'_>) -> Result<Filled, AccessError> {
        assert_eq!(self.parts.load(Ordering::Acquire), 0, "parts of a fill end before it does");
        let mut runs = std::mem::take(&mut *self.runs.lock());
        runs.sort_unstable_by(|one, other| one.first_key.cmp(&other.first_key));
        assert!(runs.iter().all(|run| run.rows > 0 && !run.tops.is_empty()), "a run that ended has entries and pages");
        for pair in runs.windows(2) {
            if pair[0].last_key >= pair[1].first_key {
                return Err(AccessError::KeyOrder { is_equal: pair[0].last_key == pair[1].first_key });
            }
            self.link_leaves(ask, pair[0].last_leaf, pair[1].first_leaf)?;
            assert!(pair[0].last_leaf != pair[1].first_leaf, "R1: two runs have the leaf {}", pair[0].last_leaf);
        }
        let rows = runs.iter().map(|run| run.rows).sum();
        let begin = runs.first_mut().map(|run| (std::mem::take(&mut run.first_key), run.first_leaf));
        let tops: Vec<Top> = runs.into_iter().flat_map(|run| run.tops).collect();
        let branch = begin.map(|(first_key, first_leaf)| Branch::new(first_key, first_leaf, tops));
        Ok(Filled { rows, branch, few: std::mem::take(&mut *self.few.lock()) })
    }

    /// The tree has the entries of all runs from now on, but for [`Filled::few`]. `writer` makes the change; it is not asked
    /// to where there are none.
    ///
    /// # Errors
    /// [`AccessError::KeyOrder`] where the tree has entries after the first one; others. The fill is to be given up
    /// then (R4).
    pub fn link(&self, ask: &Ask<'_>, writer: &mut dyn Writer, filled: &mut Filled) -> Result<(), AccessError> {
        let Some(branch) = filled.branch.take() else { return Ok(()) };
        let (tree, maker) = (self.maker.tree(), &self.crown_maker);
        // Entries that were there may have been ghosts, which are not needed by now.
        let alone = if self.is_after { graft::hang(tree, ask, writer, maker, branch)? } else { Some(branch) };
        match alone {
            None => tree.entries.add(filled.rows.cast_signed()),
            Some(branch) => {
                Levels::crown(maker, ask, writer, &branch.pages)?;
                tree.entries.set(filled.rows);
            }
        }
        Ok(())
    }

    /// [`TreeFill::join`] and [`TreeFill::link`], where the tree is not known before the next checkpoint; says how many
    /// entries there are.
    ///
    /// # Errors
    /// As there.
    pub fn finish(&self, ask: &Ask<'_>, writer: &mut dyn Writer) -> Result<u64, AccessError> {
        assert!(!self.is_after, "a tree that has entries is known to others");
        let mut filled = self.join(ask)?;
        self.link(ask, writer, &mut filled)?;
        Ok(filled.rows)
    }

    /// Leaves of two runs lie beside each other.
    fn link_leaves(&self, ask: &Ask<'_>, left: PageId, right: PageId) -> Result<(), AccessError> {
        let mut mtr = Mtr::begin(&self.maker.tree().ctx.handle, ask, 128)?;
        let (at_left, at_right) = (mtr.latch(left)?, mtr.latch(right)?);
        apply(&mut mtr, at_left, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(link_to(right)) });
        apply(&mut mtr, at_right, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(link_to(left)) });
        mtr.commit();
        Ok(())
    }
}

impl Filled {
    /// Entries of the runs, without the few.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The first key of the runs; `None` without any, or when they are linked.
    #[must_use]
    pub fn first_key(&self) -> Option<&[u8]> {
        self.branch.as_ref().map(|branch| branch.first_key.as_slice())
    }

    /// Runs whose entries the caller adds itself, when the others are linked.
    #[must_use]
    pub fn few(&self) -> &[FewEntries] {
        &self.few
    }
}

impl FewEntries {
    /// The entries, in ascending order of their keys.
    ///
    /// # Errors
    /// None that is known: they were written by [`TreeFillPart::add`].
    pub fn entries(&self) -> Result<Vec<Entry<'_>>, AccessError> {
        let row = |slot| node::leaf_row(&self.leaf, slot).map_err(damaged(self.id));
        (0..node::count(&self.leaf))
            .map(|slot| row(slot).map(|LeafRow { key, payload, .. }| Entry { key, payload }))
            .collect()
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
    /// Adds an entry after those of the run; begins a run where there is none.
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
        check!(is_first || separator > run.last_key.as_slice() && separator <= key, "B2: a separator between two keys");
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
        assert!(rows > 0 && first_key <= last_key, "R1: a run of {rows} entries whose last key is before its first");
        if self.fill.is_after && levels.is_one_leaf() {
            let leaf = levels.take_leaf(&self.fill.maker, ask)?;
            self.fill.few.lock().push(FewEntries { id: last_leaf, leaf });
            return Ok(());
        }
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
        let before = self.fill.parts.fetch_sub(1, Ordering::AcqRel);
        assert!(before > 0, "R4: a part ends that was not counted");
    }
}
