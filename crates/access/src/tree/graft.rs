//! Runs of entries are hung after the last entry of a tree, and cut off again.
//!
//! ```text
//!            root                                    root
//!         ┌───┴────┐                            ┌─────┴──────┐
//!        …      parent        one change       …          parent          K: the first key of the runs
//!             ┌────┴────┐    ───────────▶              ┌─────┼─────┐
//!          leaf ◀──▶ last     K ◀──▶ …              leaf ◀▶ last ◀▶ K ◀▶ …
//! ```
//!
//! What always holds:
//! - G1: the pages of the runs are whole, and do not need the log any more, before they are hung: a search that comes
//!   down to one of them, after a crash too, finds what it looks for.
//! - G2: they are hung in one mini-transaction, the writer's: their links in one page, and the links of the two leaves that
//!   come to lie beside each other. Room for them is made before, in mini-transactions of the system that are never
//!   undone.
//! - G3: cutting off goes by the key, in one mini-transaction too: whatever became of the pages, all entries from K on are
//!   after the way down to K.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::PageId;
use millpond_storage::page::header;
use millpond_storage::page::slotted::{self, RECORD_OVERHEAD_BYTES};
use millpond_storage::wal::PageOp;
use millpond_storage::wal::page_op::{NEXT_AT, PREV_AT, link_bytes};

use super::handle::{Step, Target, Tree, damaged};
use super::levels::{Levels, TOP_LEVEL, Top, link_to};
use super::maker::PageMaker;
use super::node::{self, CHILD_BYTES};
use super::row::Writer;
use super::shrink;
use super::split;
use super::split::apply;
use crate::error::AccessError;

/// Pages that are hung one by one rather than with a page above them: half of a page of links, so that a few more levels
/// are not made for loads that are small, and pages are not left with a few links each.
const HUNG_MAX: usize = 128;
/// Log of two links between leaves and what surrounds them, beside a record for each page that is hung.
const LINKS_BYTES: usize = 256;
/// Log of an op beside its record.
const OP_BYTES: usize = 16;
/// Log of a cut: an op for each page of the way.
const CUT_BYTES: usize = 512;

/// Runs that lie beside each other, with nothing above their highest pages.
#[derive(Debug)]
pub(super) struct Branch {
    pub first_key: Vec<u8>,
    pub first_leaf: PageId,
    /// Level of the pages.
    pub level: u8,
    /// From left to right; at least one.
    pub pages: Vec<Top>,
}

impl Branch {
    pub(super) fn new(first_key: Vec<u8>, first_leaf: PageId, pages: Vec<Top>) -> Branch {
        assert!(!pages.is_empty(), "a branch has a page at least");
        check!(pages.windows(2).all(|pair| pair[0].separator < pair[1].separator), "a branch's pages ascend");
        Branch { first_key, first_leaf, level: TOP_LEVEL, pages }
    }

    /// Takes the pages below instead of its own as long as they are few; those that nothing needs then.
    fn unfold(&mut self, tree: &Tree, ask: &Ask<'_>) -> Result<Vec<PageId>, AccessError> {
        let mut spare = Vec::new();
        while self.level > 0
            && let Some(lower) = self.lower_pages(tree, ask)?
        {
            spare.extend(self.pages.iter().map(|page| page.id));
            self.pages = lower;
            check!(
                self.pages.windows(2).all(|pair| pair[0].separator < pair[1].separator),
                "B2: the pages below a branch do not ascend"
            );
            assert!(!self.pages.is_empty(), "a page of a branch has children");
            self.level -= 1;
        }
        Ok(spare)
    }

    /// The pages of the level below, unless they are many.
    fn lower_pages(&self, tree: &Tree, ask: &Ask<'_>) -> Result<Option<Vec<Top>>, AccessError> {
        let mut lower = Vec::new();
        for Top { id, separator } in &self.pages {
            let page = tree.ctx.pool().shared(ask, *id)?;
            for slot in 0..node::count(&page) {
                let child = node::child(&page, slot, tree.ctx.db()).map_err(damaged(*id))?;
                let separator = match slot {
                    0 => separator,
                    _ => node::separator(&page, slot).map_err(damaged(*id))?,
                };
                lower.push(Top { id: child, separator: separator.to_vec() });
            }
            if lower.len() > HUNG_MAX {
                return Ok(None);
            }
        }
        Ok(Some(lower))
    }

    /// Bytes of its links in a page.
    fn link_bytes(&self) -> usize {
        self.pages.iter().map(|page| CHILD_BYTES + page.separator.len() + RECORD_OVERHEAD_BYTES).sum()
    }
}

/// Hangs a branch after all entries, by a change of `writer`; gives it back as it is where there are none
/// ([`Tree::is_bare`]). `maker` makes the pages that are missing between the branch and the tree.
pub(super) fn hang(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    maker: &PageMaker,
    mut branch: Branch,
) -> Result<Option<Branch>, AccessError> {
    let _structure = tree.structure.lock();
    tree.check_live()?;
    if !sees_to_last_leaf(tree, ask, &branch.first_key)? {
        return Ok(Some(branch));
    }
    let spare = branch.unfold(tree, ask)?;
    check!(
        spare.iter().all(|page| branch.pages.iter().all(|top| top.id != *page)),
        "B1: a page of the branch goes back, and is hung"
    );
    let place = make_place(tree, ask, maker, &mut branch)?;
    link_branch(tree, ask, writer, place, &branch)?;
    tree.unit.give(ask, &spare)?;
    Ok(None)
}

/// Makes room for the links of a branch: a level more for the tree, or for the branch, or a page more beside the last
/// one. The page that takes them, and the last leaf.
fn make_place(
    tree: &Tree,
    ask: &Ask<'_>,
    maker: &PageMaker,
    branch: &mut Branch,
) -> Result<(PageId, PageId), AccessError> {
    loop {
        let path = right_edge(tree, ask, &branch.first_key)?;
        let root_level = path.len() - 1;
        let Some(above) = root_level.checked_sub(usize::from(branch.level) + 1) else {
            split::raise_root(tree, ask)?;
            continue;
        };
        let free_bytes = slotted::free_bytes(&*tree.ctx.pool().shared(ask, path[above].page)?);
        match &branch.pages[..] {
            _ if branch.link_bytes() <= free_bytes => return Ok((path[above].page, path[root_level].page)),
            [page] => {
                let record_bytes = CHILD_BYTES + page.separator.len();
                split::make_room_at(tree, ask, &branch.first_key, branch.level + 1, record_bytes)?;
            }
            pages => {
                branch.pages = Levels::above(maker, ask, branch.level, pages)?;
                branch.level += 1;
            }
        }
    }
}

/// Sees to it that the last leaf has an entry and a page above it; false where the tree has no entry at all.
fn sees_to_last_leaf(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<bool, AccessError> {
    loop {
        let path = right_edge(tree, ask, key)?;
        match (path[path.len() - 1].count, path.len()) {
            (0, 1) => return Ok(false),
            (0, _) => shrink::unlink_empty_leaf(tree, ask, key)?,
            (_, 1) => split::raise_root(tree, ask)?,
            _ => return Ok(true),
        }
    }
}

/// The way to the last leaf, which is where `key` belongs.
fn right_edge(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<Vec<Step>, AccessError> {
    let path = tree.path(ask, Target::Key(key), 0)?;
    let is_edge = path[..path.len() - 1].iter().all(|step| step.slot + 1 == step.count);
    if is_edge { Ok(path) } else { Err(AccessError::KeyOrder { is_equal: false }) }
}

/// G2
fn link_branch(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    (parent_id, last_id): (PageId, PageId),
    branch: &Branch,
) -> Result<(), AccessError> {
    let reserve_bytes = LINKS_BYTES + branch.link_bytes() + OP_BYTES * branch.pages.len();
    let mut mtr = writer.begin(&tree.ctx.handle, ask, reserve_bytes)?;
    let parent = mtr.latch(parent_id)?;
    let last = mtr.latch(last_id)?;
    let first = mtr.latch(branch.first_leaf)?;
    assert!(tree.structure.is_locked(), "B3: a branch is hung under the structure lock");
    check!(
        header::level(mtr.page(parent)) == branch.level + 1,
        "a branch of level {} hangs on {parent_id}",
        branch.level
    );
    assert!(
        branch.link_bytes() <= slotted::free_bytes(mtr.page(parent)),
        "G2: room was made on page {parent_id} for {} bytes of links",
        branch.link_bytes()
    );
    if let Some(slot) = node::count(mtr.page(last)).checked_sub(1) {
        let key = node::leaf_key(mtr.page(last), slot).map_err(damaged(last_id))?;
        if key >= branch.first_key.as_slice() {
            return Err(AccessError::KeyOrder { is_equal: key == branch.first_key.as_slice() });
        }
    }
    let count = node::count(mtr.page(parent));
    let separator = node::separator(mtr.page(parent), count - 1).map_err(damaged(parent_id))?;
    if count > 1 && separator >= branch.pages[0].separator.as_slice() {
        return Err(AccessError::KeyOrder { is_equal: false });
    }
    let mut record = Vec::new();
    for (slot, page) in (count..).zip(&branch.pages) {
        node::write_child(&mut record, page.id, &page.separator);
        apply(&mut mtr, parent, PageOp::Insert { slot, record: &record });
    }
    apply(&mut mtr, last, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(link_to(branch.first_leaf)) });
    apply(&mut mtr, first, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(link_to(last_id)) });
    assert!(
        usize::from(node::count(mtr.page(parent))) == usize::from(count) + branch.pages.len(),
        "G2: all links are in page {parent_id}"
    );
    tree.raise_version();
    writer.commit(mtr);
    Ok(())
}

/// Undoes a [`super::TreeFill`] that was hung after other entries: takes all entries from `key` on away, `rows` of
/// which are no ghosts, by a change of `writer`. The pages below are given back by `reclaim::reclaim_pages`. Nothing else
/// changes these entries meanwhile.
///
/// # Errors
/// [`AccessError`]; the entries are gone then if `writer` was asked to commit.
pub fn cut_off(tree: &Tree, ask: &Ask<'_>, writer: &mut dyn Writer, key: &[u8], rows: u64) -> Result<(), AccessError> {
    let _structure = tree.structure.lock();
    tree.check_live()?;
    let path = tree.path(ask, Target::Key(key), 0)?;
    let [above @ .., leaf_step] = &path[..] else { unreachable!("a way has a page at least") };
    let mut mtr = writer.begin(&tree.ctx.handle, ask, CUT_BYTES)?;
    for step in above {
        check!(step.slot < step.count, "a way leads through slot {} of {}", step.slot, step.count);
        let page = mtr.latch(step.page)?;
        if step.slot + 1 < node::count(mtr.page(page)) {
            apply(&mut mtr, page, PageOp::Cut { slots: step.slot + 1 });
        }
    }
    let leaf = mtr.latch(leaf_step.page)?;
    let place = node::find(mtr.page(leaf), key).map_err(damaged(leaf_step.page))?;
    if place.slot < node::count(mtr.page(leaf)) {
        apply(&mut mtr, leaf, PageOp::Cut { slots: place.slot });
    }
    if header::next(mtr.page(leaf)).is_some() {
        apply(&mut mtr, leaf, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(None) });
    }
    tree.raise_version();
    writer.commit(mtr);
    tree.entries.add(-rows.cast_signed());
    check!(tree.structure.is_locked(), "G3: a tree is cut under its structure lock");
    if place.slot == 0 {
        // An empty leaf that stays is used or unlinked by the next change there.
        let _ = shrink::unlink_empty_leaf(tree, ask, key);
    }
    Ok(())
}
