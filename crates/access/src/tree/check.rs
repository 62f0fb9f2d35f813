//! Whether a tree is what it should be: for DBCC CHECKDB, and for tests.
//!
//! The structure lock is held meanwhile: entries may change, pages may not be split or unlinked.

use std::collections::HashSet;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::page::slotted;
use millpond_storage::pool::PoolError;

use super::handle::Tree;
use super::node;
use crate::error::{AccessError, NodeDamage};

/// Problems that are reported; more are counted.
const PROBLEMS_MAX: usize = 200;

/// Something that is wrong with a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeProblem {
    /// The page cannot be read (8928).
    #[error("page {page} cannot be read: {message}")]
    Unreadable {
        /// Page.
        page: PageId,
        /// Why.
        message: String,
    },
    /// The page is of another object, level or kind, or its records contradict each other (8936, 8939).
    #[error("page {page}: {message}")]
    Page {
        /// Page.
        page: PageId,
        /// What.
        message: String,
    },
    /// Two keys of a page are out of order (2511).
    #[error("keys of page {page} are out of order at slot {slot}")]
    Order {
        /// Page.
        page: PageId,
        /// Slot of the second.
        slot: u16,
    },
    /// A key lies outside the bounds that its parent sets (8934, 8935).
    #[error("the key in slot {slot} of page {page} lies outside the bounds of its parent")]
    Bounds {
        /// Page.
        page: PageId,
        /// Slot.
        slot: u16,
    },
    /// A leaf's link does not lead where the parents say (8936, 8981).
    #[error("the link of page {page} to the page before leads to {found:?}, not {expected:?}")]
    Link {
        /// Page.
        page: PageId,
        /// Should be there.
        expected: Option<PageLink>,
        /// Is there.
        found: Option<PageLink>,
    },
    /// The page is linked twice (8979).
    #[error("page {page} is linked twice")]
    Twice {
        /// Page.
        page: PageId,
    },
    /// The page is linked but not allocated (2575, 8905).
    #[error("page {page} is linked but not allocated to the tree")]
    NotAllocated {
        /// Page.
        page: PageId,
    },
}

impl TreeProblem {
    /// The page that it is of, and the slot where it is one's.
    #[must_use]
    pub fn place(&self) -> (PageId, u16) {
        match self {
            TreeProblem::Order { page, slot } | TreeProblem::Bounds { page, slot } => (*page, *slot),
            TreeProblem::Unreadable { page, .. }
            | TreeProblem::Page { page, .. }
            | TreeProblem::Link { page, .. }
            | TreeProblem::Twice { page }
            | TreeProblem::NotAllocated { page } => (*page, 0),
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeReport {
    /// Levels.
    pub levels: u32,
    /// Pages, leaves included.
    pub pages: u64,
    /// Leaves.
    pub leaves: u64,
    /// Entries that are not ghosts.
    pub rows: u64,
    /// Ghosts.
    pub ghosts: u64,
    /// Pages allocated but not linked: harmless, `reclaim::reclaim_pages` gives them back.
    pub leaked_pages: u64,
    /// Problems, at most 200.
    pub problems: Vec<TreeProblem>,
    /// Problems, all.
    pub problem_count: u64,
}

struct Checker<'c> {
    tree: &'c Tree,
    ask: &'c Ask<'c>,
    report: TreeReport,
    seen: HashSet<PageId>,
    /// The leaf before, and where its link leads.
    left: Option<(PageId, Option<PageLink>)>,
}

/// Bounds that a page's parent sets: low inclusive, high exclusive.
#[derive(Clone, Default)]
struct Bounds {
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
}

/// Reads every page and compares: order, bounds, links, levels, allocation.
///
/// # Errors
/// [`AccessError`] when the check itself could not go on (cancelled, no memory); damage is in the report.
pub fn check_tree(tree: &Tree, ask: &Ask<'_>) -> Result<TreeReport, AccessError> {
    let _structure = tree.structure.lock();
    tree.check_live()?;
    let mut checker = Checker { tree, ask, report: TreeReport::default(), seen: HashSet::new(), left: None };
    checker.subtree(tree.root, None, &Bounds::default())?;
    checker.last_leaf();
    checker.allocation()?;
    Ok(checker.report)
}

impl Checker<'_> {
    fn problem(&mut self, problem: TreeProblem) {
        self.report.problem_count += 1;
        if self.report.problems.len() < PROBLEMS_MAX {
            self.report.problems.push(problem);
        }
    }

    /// Copies the page, so that no latch is held while its children are read.
    fn read(&mut self, id: PageId) -> Result<Option<Box<PageBytes>>, AccessError> {
        match self.tree.ctx.pool().shared(self.ask, id) {
            Ok(page) => Ok(Some(Box::new(*page))),
            Err(error @ PoolError::NoMemory { .. }) => Err(error.into()),
            Err(error) => {
                self.problem(TreeProblem::Unreadable { page: id, message: error.to_string() });
                Ok(None)
            }
        }
    }

    fn subtree(&mut self, id: PageId, level: Option<u8>, bounds: &Bounds) -> Result<(), AccessError> {
        if self.ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        if !self.seen.insert(id) {
            self.problem(TreeProblem::Twice { page: id });
            return Ok(());
        }
        let Some(page) = self.read(id)? else { return Ok(()) };
        self.report.pages += 1;
        let sound = self.tree.check_node(&page, id, level).map_err(|error| error.to_string());
        if let Err(message) = sound.and_then(|()| slotted::check(&page).map_err(|damage| damage.to_string())) {
            self.problem(TreeProblem::Page { page: id, message });
            return Ok(());
        }
        let level = header::level(&page);
        self.report.levels = self.report.levels.max(u32::from(level) + 1);
        self.order(&page, id, bounds);
        match level {
            0 => self.leaf(&page, id),
            _ => self.children(&page, id, level, bounds)?,
        }
        Ok(())
    }

    /// Order of the keys, and that they lie within the bounds.
    fn order(&mut self, page: &PageBytes, id: PageId, bounds: &Bounds) {
        let is_leaf = header::level(page) == 0;
        let mut before: Option<&[u8]> = None;
        for slot in u16::from(!is_leaf)..node::count(page) {
            let key = if is_leaf { node::leaf_key(page, slot) } else { node::separator(page, slot) };
            let key = match key {
                Ok(key) => key,
                Err(damage) => {
                    self.problem(TreeProblem::Page { page: id, message: damage.to_string() });
                    continue;
                }
            };
            if before.is_some_and(|before| before >= key) {
                self.problem(TreeProblem::Order { page: id, slot });
            }
            let is_low = bounds.low.as_deref().is_some_and(|low| key < low);
            if is_low || bounds.high.as_deref().is_some_and(|high| key >= high) {
                self.problem(TreeProblem::Bounds { page: id, slot });
            }
            before = Some(key);
        }
    }

    fn leaf(&mut self, page: &PageBytes, id: PageId) {
        self.report.leaves += 1;
        for slot in 0..node::count(page) {
            match node::leaf_row(page, slot) {
                Ok(row) if row.is_ghost => self.report.ghosts += 1,
                Ok(_) => self.report.rows += 1,
                Err(damage) => self.problem(TreeProblem::Page { page: id, message: damage.to_string() }),
            }
        }
        let here = PageLink { file: id.file, page: id.page };
        let left = self.left.replace((id, header::next(page)));
        let expected = left.map(|(left, _)| PageLink { file: left.file, page: left.page });
        let found = header::prev(page);
        if found != expected {
            self.problem(TreeProblem::Link { page: id, expected, found });
        }
        if let Some((left, found)) = left.filter(|&(_, found)| found != Some(here)) {
            self.problem(TreeProblem::Link { page: left, expected: Some(here), found });
        }
    }

    /// The last leaf leads nowhere.
    fn last_leaf(&mut self) {
        if let Some((page, found @ Some(_))) = self.left {
            self.problem(TreeProblem::Link { page, expected: None, found });
        }
    }

    fn children(&mut self, page: &PageBytes, id: PageId, level: u8, bounds: &Bounds) -> Result<(), AccessError> {
        let count = node::count(page);
        if count == 0 {
            self.problem(TreeProblem::Page { page: id, message: NodeDamage::NoChild.to_string() });
        }
        for slot in 0..count {
            let Ok(child) = node::child(page, slot, id.db) else { continue };
            let separator = |slot| node::separator(page, slot).ok().map(<[u8]>::to_vec);
            let low = if slot == 0 { bounds.low.clone() } else { separator(slot) };
            let high = if slot + 1 == count { bounds.high.clone() } else { separator(slot + 1) };
            self.subtree(child, Some(level - 1), &Bounds { low, high })?;
        }
        Ok(())
    }

    fn allocation(&mut self) -> Result<(), AccessError> {
        let mut allocated = HashSet::new();
        self.tree.unit.for_each_used(self.ask, &mut |page| {
            allocated.insert(page);
        })?;
        self.report.leaked_pages = allocated.difference(&self.seen).count() as u64;
        let mut missing: Vec<PageId> = self.seen.difference(&allocated).copied().collect();
        missing.sort_unstable();
        missing.into_iter().for_each(|page| self.problem(TreeProblem::NotAllocated { page }));
        Ok(())
    }
}
