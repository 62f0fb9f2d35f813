//! A tree from entries that come sorted, by one thread.

use std::sync::Arc;

use millpond_storage::ask::Ask;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

use super::fill::{LOGGED_PAGES, TreeFill};
use super::handle::{Tree, TreeIds};
use super::row::{Entry, RowTag, Writer};
use crate::ctx::TreeCtx;
use crate::error::AccessError;

/// Entries in ascending order of distinct keys.
pub trait EntrySource<E> {
    /// The next entry.
    ///
    /// # Errors
    /// The source's own; building ends with them.
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, E>;
}

/// A tree that was built.
#[derive(Debug)]
pub struct Built {
    /// The tree.
    pub tree: Arc<Tree>,
    /// Its entries.
    pub rows: u64,
    /// Some of its pages are not in the log: it must not be committed before a checkpoint.
    pub needs_checkpoint: bool,
}

/// Builds a tree of the entries that `source` gives; leaves are filled to `fill_percent` (1 to 100; 0 counts as 100).
/// After an error all pages are given back.
///
/// # Errors
/// The source's; [`AccessError::KeyOrder`] and others.
pub fn build<E: From<AccessError>>(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    ids: TreeIds,
    fill_percent: u8,
    source: &mut dyn EntrySource<E>,
) -> Result<Built, E> {
    let (tree, _) = Tree::create(ctx, ask, ids)?;
    let built = fill_from(&tree, ask, fill_percent, source);
    if built.is_err() {
        // The first failure is the one to return; what cannot be given back is claimed by no live chain.
        let _ = tree.free(ask);
    }
    built
}

/// The tree is new: undoing it is its maker's business.
struct OfTheSystem;

impl Writer for OfTheSystem {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        Mtr::begin(db, ask, reserve_bytes)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        mtr.commit();
    }

    fn may_purge(&self, _: &RowTag) -> bool {
        false
    }
}

fn fill_from<E: From<AccessError>>(
    tree: &Arc<Tree>,
    ask: &Ask<'_>,
    fill_percent: u8,
    source: &mut dyn EntrySource<E>,
) -> Result<Built, E> {
    let fill = TreeFill::begin(tree, fill_percent, None, LOGGED_PAGES);
    let mut part = fill.part();
    while let Some(Entry { key, payload }) = source.next_entry()? {
        part.add(ask, key, payload)?;
    }
    part.end_run(ask)?;
    drop(part);
    let rows = fill.finish(ask, &mut OfTheSystem)?;
    Ok(Built { tree: Arc::clone(tree), rows, needs_checkpoint: fill.needs_checkpoint() })
}
