//! How well a tree is filled and how much in order it lies: `sys.dm_db_index_physical_stats`; how many entries it has,
//! and a sample of them.

use std::collections::HashSet;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{ExtentNo, FileId, PageBytes, PageId};
use millpond_storage::page::header::{self, BODY_BYTES};
use millpond_storage::page::slotted;

use super::handle::{Target, Tree, damaged};
use super::node;
use super::read;
use crate::error::AccessError;

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatisticsMode {
    /// The pages above the leaves: pages and fragmentation of the leaf level.
    Limited,
    /// That, and about one leaf in a hundred, when there are ten thousand or more; else all leaves.
    Sampled,
    /// All pages of all levels.
    Detailed,
}

/// A level of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelStatistics {
    /// 0 is the leaf.
    pub level: u8,
    /// Pages.
    pub pages: u64,
    /// Pages that were read for what follows; 0 in limited mode.
    pub pages_read: u64,
    /// Records of these, ghosts included.
    pub records: u64,
    /// Ghosts.
    pub ghosts: u64,
    /// Records with a tag.
    pub tagged: u64,
    /// Bytes of the records.
    pub record_bytes: u64,
    /// The shortest.
    pub record_bytes_min: u16,
    /// The longest.
    pub record_bytes_max: u16,
    /// Bytes in use of the pages' 8096.
    pub used_bytes: u64,
    /// Runs of pages that lie in order.
    pub fragments: u64,
    /// Pages that do not lie after the page before them in the order of keys.
    pub out_of_order_pages: u64,
    /// Extents in which they lie.
    pub extents: u64,
    /// How often the next page lies in another extent.
    pub extent_switches: u64,
    /// How often that is not the extent right after.
    pub out_of_order_extents: u64,
}

impl LevelStatistics {
    /// `avg_fragmentation_in_percent`
    #[must_use]
    pub fn fragmentation_percent(&self) -> f64 {
        if self.pages < 2 { 0.0 } else { self.out_of_order_pages as f64 * 100.0 / self.pages as f64 }
    }

    /// `avg_page_space_used_in_percent`
    #[must_use]
    pub fn used_percent(&self) -> f64 {
        if self.pages_read == 0 {
            return 0.0;
        }
        self.used_bytes as f64 * 100.0 / (self.pages_read as f64 * BODY_BYTES as f64)
    }
}

/// A tree's levels, the leaf first; in limited mode the leaf only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeStatistics {
    /// Levels that the tree has.
    pub depth: u32,
    /// What was asked for.
    pub levels: Vec<LevelStatistics>,
}

/// Order of the pages of a level.
#[derive(Default)]
struct Order {
    before: Option<PageId>,
    extents: HashSet<(FileId, ExtentNo)>,
}

impl Order {
    fn note(&mut self, level: &mut LevelStatistics, page: PageId) {
        level.pages += 1;
        let extent = |page: PageId| (page.file, page.page.extent());
        level.extents += u64::from(self.extents.insert(extent(page)));
        if let Some(before) = self.before.map(extent).filter(|before| *before != extent(page)) {
            let (file, number) = extent(page);
            level.extent_switches += 1;
            level.out_of_order_extents += u64::from(before.0 != file || before.1.0 + 1 != number.0);
        }
        match self.before.replace(page) {
            Some(before) if before.file == page.file && before.page.0 + 1 == page.page.0 => {}
            Some(before) if before.file == page.file && before.page < page.page && page.page.0 - before.page.0 <= 8 => {
                // A gap within two extents: a new fragment, but read-ahead still goes forward.
                level.fragments += 1;
            }
            Some(_) => {
                level.fragments += 1;
                level.out_of_order_pages += 1;
            }
            None => level.fragments += 1,
        }
    }
}

impl LevelStatistics {
    fn read(&mut self, page: &PageBytes) {
        self.pages_read += 1;
        self.used_bytes += slotted::used_bytes(page) as u64;
        for slot in 0..node::count(page) {
            let Ok(record) = node::record(page, slot) else { continue };
            let bytes = record.len() as u16;
            self.record_bytes_min = if self.records == 0 { bytes } else { self.record_bytes_min.min(bytes) };
            self.record_bytes_max = self.record_bytes_max.max(bytes);
            self.records += 1;
            self.record_bytes += u64::from(bytes);
            if header::level(page) == 0
                && let Ok(row) = node::leaf_row(page, slot)
            {
                self.ghosts += u64::from(row.is_ghost);
                self.tagged += u64::from(row.tag.is_some());
            }
        }
    }
}

/// Counts levels, pages, records and order. Work goes on meanwhile, so the figures are near the truth of no point
/// in time.
///
/// # Errors
/// [`AccessError`]
pub fn of_tree(tree: &Tree, ask: &Ask<'_>, mode: StatisticsMode) -> Result<TreeStatistics, AccessError> {
    let top = header::level(&*tree.root_shared(ask)?);
    let mut statistics = TreeStatistics { depth: u32::from(top) + 1, levels: Vec::new() };
    let leaves = leaf_statistics(tree, ask, top, mode)?;
    statistics.levels.push(leaves);
    if mode == StatisticsMode::Detailed {
        for level in 1..=top {
            let (mut figures, mut order) = (LevelStatistics { level, ..LevelStatistics::default() }, Order::default());
            read::for_each_node(tree, ask, level, &mut |page, id, _| {
                order.note(&mut figures, id);
                figures.read(page);
                Ok(())
            })?;
            statistics.levels.push(figures);
        }
    }
    Ok(statistics)
}

fn leaf_statistics(tree: &Tree, ask: &Ask<'_>, top: u8, mode: StatisticsMode) -> Result<LevelStatistics, AccessError> {
    let (mut figures, mut order) = (LevelStatistics::default(), Order::default());
    if top == 0 || mode == StatisticsMode::Detailed {
        read::for_each_node(tree, ask, 0, &mut |page, id, _| {
            order.note(&mut figures, id);
            if mode != StatisticsMode::Limited {
                figures.read(page);
            }
            Ok(())
        })?;
        return Ok(figures);
    }
    let leaves = leaves(tree, ask)?;
    leaves.iter().for_each(|&leaf| order.note(&mut figures, leaf));
    if mode == StatisticsMode::Sampled {
        let step = if leaves.len() < 10_000 { 1 } else { 100 };
        sample(tree, ask, &leaves, step, &mut figures)?;
    }
    Ok(figures)
}

/// Reads every `step`-th leaf that still is one.
fn sample(
    tree: &Tree,
    ask: &Ask<'_>,
    leaves: &[PageId],
    step: usize,
    figures: &mut LevelStatistics,
) -> Result<(), AccessError> {
    let distinct: HashSet<PageId> = leaves.iter().copied().step_by(step).collect();
    for id in distinct {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        let Ok(page) = tree.ctx.pool().shared(ask, id) else { continue };
        if tree.check_node(&page, id, Some(0)).is_ok() {
            figures.read(&page);
        }
    }
    Ok(())
}

/// Gives the payloads of leaves in the order of keys, ghosts left out: of all leaves when they are at most
/// `pages_max`, else of about so many, equally far apart. `take` sees one leaf's entries at a time and is called
/// without a latch. Work goes on meanwhile: a leaf that is none any more is passed over. Returns which part of the
/// leaves was to be read, above 0 and at most 1.
///
/// # Errors
/// [`AccessError`]
pub fn sample_leaves(
    tree: &Tree,
    ask: &Ask<'_>,
    pages_max: usize,
    take: &mut dyn FnMut(&[Vec<u8>]),
) -> Result<f64, AccessError> {
    let leaves = leaves(tree, ask)?;
    let step = leaves.len().div_ceil(pages_max.max(1)).max(1);
    let mut payloads = Vec::new();
    for &id in leaves.iter().step_by(step) {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        payloads.clear();
        live_payloads(tree, ask, id, &mut payloads)?;
        take(&payloads);
    }
    Ok(leaves.len().div_ceil(step) as f64 / leaves.len() as f64)
}

/// The leaves in the order of keys, as their parents name them: at least one.
fn leaves(tree: &Tree, ask: &Ask<'_>) -> Result<Vec<PageId>, AccessError> {
    let level = header::level(&*tree.root_shared(ask)?);
    if level == 0 {
        return Ok(vec![tree.root]);
    }
    let mut leaves = Vec::new();
    read::for_each_node(tree, ask, 1, &mut |page, id, _| {
        for slot in 0..node::count(page) {
            leaves.push(node::child(page, slot, tree.ctx.db()).map_err(damaged(id))?);
        }
        Ok(())
    })?;
    if leaves.is_empty() {
        // The tree became a single leaf in between.
        leaves.push(tree.root);
    }
    Ok(leaves)
}

fn live_payloads(tree: &Tree, ask: &Ask<'_>, leaf: PageId, to: &mut Vec<Vec<u8>>) -> Result<(), AccessError> {
    let Ok(page) = tree.ctx.pool().shared(ask, leaf) else { return Ok(()) };
    if tree.check_node(&page, leaf, Some(0)).is_err() {
        return Ok(());
    }
    for slot in 0..node::count(&page) {
        let row = node::leaf_row(&page, slot).map_err(damaged(leaf))?;
        if !row.is_ghost {
            to.push(row.payload.to_vec());
        }
    }
    Ok(())
}

/// Entries, ghosts left out. Reads the tree, or a sample of a large one, when they were not counted since the start.
///
/// # Errors
/// [`AccessError`]
pub fn entry_count(tree: &Tree, ask: &Ask<'_>) -> Result<u64, AccessError> {
    if let Some(known) = tree.entries.get() {
        return Ok(known);
    }
    let statistics = of_tree(tree, ask, StatisticsMode::Sampled)?;
    let leaf = statistics.levels.first().copied().unwrap_or_default();
    let seen = leaf.records - leaf.ghosts;
    let all = match leaf.pages_read {
        0 => 0,
        read if read < leaf.pages => (seen as f64 * leaf.pages as f64 / read as f64) as u64,
        _ => seen,
    };
    tree.entries.set(all);
    Ok(all)
}

/// About how many entries there are, from what is known or from a few pages.
///
/// # Errors
/// [`AccessError`]
pub fn entry_estimate(tree: &Tree, ask: &Ask<'_>) -> Result<u64, AccessError> {
    if let Some(known) = tree.entries.get() {
        return Ok(known);
    }
    let pages = tree.space(ask)?.used;
    let (first, _) = tree.leaf_shared(ask, Target::First)?;
    let each = u64::from(node::count(&first));
    Ok(pages * each.max(1))
}
