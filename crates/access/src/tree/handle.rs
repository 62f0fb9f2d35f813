//! The tree as an object: what it is made of, and the way from its root to a page of any level.
//!
//! A descent latches a child before it lets go of the parent, shared all the way; only a writer's leaf is latched
//! exclusively. So a page that is being unlinked, with its parent latched exclusively, has no thread on the way to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId, PageKind};
use millpond_storage::page::header;
use millpond_storage::pool::SharedPage;
use millpond_storage::wal::{Mtr, PageIx};
use parking_lot::Mutex;

use super::activity::TreeActivity;
use super::count::EntryCount;
use super::node;
use super::row::Writer;
use crate::ctx::TreeCtx;
use crate::error::{AccessError, NodeDamage};
use crate::iam_log;
use crate::lob::LobStore;
use crate::rid::ObjectId;
use crate::unit::{Unit, UnitSpace};

/// Whose tree it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TreeIds {
    /// `hobt_id`: the tree's number in its database.
    pub hobt: u64,
    /// Object; stands in the header of each page.
    pub object_id: u32,
    /// 0 a heap, 1 the clustered index, above 1 a nonclustered one.
    pub index_id: u16,
}

/// Where a tree lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeRoot {
    /// The page that every descent begins at (B1).
    pub root: PageId,
    /// First page of its IAM chain.
    pub iam: PageId,
}

/// What is known of the large values beside a tree.
#[derive(Debug, Default)]
enum Values {
    /// It has not been looked at.
    #[default]
    Unknown,
    None,
    Some(Arc<LobStore>),
}

/// A B+tree.
#[derive(Debug)]
pub struct Tree {
    pub(crate) ctx: TreeCtx,
    pub(crate) ids: TreeIds,
    pub(crate) root: PageId,
    pub(crate) unit: Unit,
    values: Mutex<Values>,
    /// B3
    pub(crate) structure: Mutex<()>,
    /// B3
    pub(crate) version: AtomicU64,
    pub(crate) is_gone: AtomicBool,
    pub(crate) entries: EntryCount,
    /// What was done with it.
    pub activity: TreeActivity,
}

/// Which leaf a descent goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'k> {
    First,
    Key(&'k [u8]),
    Last,
}

impl Target<'_> {
    /// The slot of the child to follow.
    #[inline]
    pub(crate) fn child_slot(self, page: &PageBytes) -> Result<u16, NodeDamage> {
        match (self, node::count(page)) {
            (_, 0) => Err(NodeDamage::NoChild),
            (Target::First, _) => Ok(0),
            (Target::Key(key), _) => node::find_child(page, key),
            (Target::Last, count) => Ok(count - 1),
        }
    }
}

/// A page on the way from the root, and the slot that was followed there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub page: PageId,
    pub slot: u16,
    pub count: u16,
}

/// What a database page of this tree is at some level.
pub(crate) fn kind_of(ids: TreeIds, level: u8) -> PageKind {
    if level == 0 && ids.index_id <= 1 { PageKind::Data } else { PageKind::Index }
}

pub(crate) fn damaged(page: PageId) -> impl FnOnce(NodeDamage) -> AccessError {
    move |damage| AccessError::Node { page, damage }
}

impl Tree {
    /// A tree without entries: takes an extent and an IAM page.
    ///
    /// # Errors
    /// [`AccessError`]; a page may be leaked then, not more.
    pub fn create(ctx: &TreeCtx, ask: &Ask<'_>, ids: TreeIds) -> Result<(Arc<Tree>, TreeRoot), AccessError> {
        let tree = Tree::without_root(ctx, ask, ids)?;
        let mut mtr = Mtr::begin(&tree.ctx.handle, ask, 64)?;
        mtr.create(tree.root, kind_of(ids, 0), ids.object_id, ids.index_id, 0)?;
        mtr.commit();
        tree.entries.set(0);
        let place = tree.place();
        Ok((Arc::new(tree), place))
    }

    /// A tree whose root page is allocated, but not written yet.
    pub(crate) fn without_root(ctx: &TreeCtx, ask: &Ask<'_>, ids: TreeIds) -> Result<Tree, AccessError> {
        let unit = Unit::create(ctx, ask, ObjectId(ids.object_id))?;
        let root = unit.take(ask, None)?;
        Ok(Tree::assemble(ctx, ids, root, unit))
    }

    /// The tree that lies at `place`; reads nothing yet.
    #[must_use]
    pub fn open(ctx: &TreeCtx, ids: TreeIds, place: TreeRoot) -> Arc<Tree> {
        let unit = Unit::open(ctx, ObjectId(ids.object_id), place.iam);
        Arc::new(Tree::assemble(ctx, ids, place.root, unit))
    }

    fn assemble(ctx: &TreeCtx, ids: TreeIds, root: PageId, unit: Unit) -> Tree {
        assert!(root != unit.iam(), "B1: the root {root} of {ids:?} is its IAM page");
        Tree {
            ctx: ctx.clone(),
            ids,
            root,
            unit,
            values: Mutex::default(),
            structure: Mutex::default(),
            version: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
            entries: EntryCount::unknown(),
            activity: TreeActivity::default(),
        }
    }

    /// Whose tree it is.
    #[must_use]
    pub fn ids(&self) -> TreeIds {
        self.ids
    }

    /// Where it lies.
    #[must_use]
    pub fn place(&self) -> TreeRoot {
        TreeRoot { root: self.root, iam: self.unit.iam() }
    }

    /// Database, pool, log and space that it was opened with.
    #[must_use]
    pub fn ctx(&self) -> &TreeCtx {
        &self.ctx
    }

    /// Pages reserved and used, as `sp_spaceused` counts them.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn space(&self, ask: &Ask<'_>) -> Result<UnitSpace, AccessError> {
        self.unit.space(ask)
    }

    /// Its IAM chain.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn iam_pages(&self, ask: &Ask<'_>) -> Result<Vec<PageId>, AccessError> {
        self.unit.iam_pages(ask)
    }

    /// The large values beside its entries, if there ever were any: the holder of their pointers says so in the
    /// entries.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn values(&self, ask: &Ask<'_>) -> Result<Option<Arc<LobStore>>, AccessError> {
        let values = &mut *self.values.lock();
        self.check_live()?;
        self.known_values(values, ask)
    }

    /// As [`Tree::values`]; makes the store when there is none.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn values_to_write(&self, ask: &Ask<'_>) -> Result<Arc<LobStore>, AccessError> {
        let values = &mut *self.values.lock();
        self.check_live()?;
        if let Some(known) = self.known_values(values, ask)? {
            return Ok(known);
        }
        let made = LobStore::create(&self.ctx, ask, self.ids.object_id, self.ids.index_id)?;
        self.link_values(values, ask, &made)?;
        Ok(made)
    }

    /// Takes over large values that were written before the tree was built. It must have none of its own.
    ///
    /// # Errors
    /// [`AccessError`]; the values are freed then.
    pub fn adopt_values(&self, ask: &Ask<'_>, store: &Arc<LobStore>) -> Result<(), AccessError> {
        let values = &mut *self.values.lock();
        assert!(!matches!(values, Values::Some(_)), "tree {:?} has values already", self.ids);
        self.link_values(values, ask, store)
    }

    fn known_values(&self, values: &mut Values, ask: &Ask<'_>) -> Result<Option<Arc<LobStore>>, AccessError> {
        if matches!(values, Values::Unknown) {
            let object = ObjectId(self.ids.object_id);
            *values = match iam_log::values(&self.ctx, ask, object, self.unit.iam())? {
                None => Values::None,
                Some(iam) => Values::Some(LobStore::open(&self.ctx, self.ids.object_id, self.ids.index_id, iam)),
            };
        }
        Ok(match values {
            Values::Some(store) => Some(Arc::clone(store)),
            _ => None,
        })
    }

    /// A crash before the link is there leaves a chain that nothing claims.
    fn link_values(&self, values: &mut Values, ask: &Ask<'_>, store: &Arc<LobStore>) -> Result<(), AccessError> {
        if let Err(cause) = iam_log::set_values(&self.ctx, ask, self.unit.iam(), store.iam()) {
            store.free(ask)?;
            return Err(cause);
        }
        *values = Values::Some(Arc::clone(store));
        Ok(())
    }

    /// Whether there is no entry, no ghost either, and so no page but the root.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn is_bare(&self, ask: &Ask<'_>) -> Result<bool, AccessError> {
        let root = self.root_shared(ask)?;
        Ok(header::level(&root) == 0 && node::count(&root) == 0)
    }

    /// Undoes a [`super::TreeFill`] that was finished: `writer` makes the root an empty leaf. What was below it is given back
    /// by `reclaim::reclaim_pages`. Nothing else changes the tree meanwhile.
    ///
    /// # Errors
    /// [`AccessError`]; the entries are gone then if `writer` was asked to commit.
    pub fn unfill(&self, ask: &Ask<'_>, writer: &mut dyn Writer) -> Result<(), AccessError> {
        let _structure = self.structure.lock();
        self.check_live()?;
        let mut mtr = writer.begin(&self.ctx.handle, ask, 64)?;
        self.empty_root(&mut mtr)?;
        writer.commit(mtr);
        self.entries.set(0);
        Ok(())
    }

    fn empty_root<'a>(&self, mtr: &mut Mtr<'a>) -> Result<(), AccessError> {
        mtr.create(self.root, kind_of(self.ids, 0), self.ids.object_id, self.ids.index_id, 0)?;
        self.raise_version();
        Ok(())
    }

    /// Takes all entries away at once and gives the pages back, all but the root. Never undone; the caller sees
    /// to it that nothing else uses the tree.
    ///
    /// # Errors
    /// [`AccessError`]; after one from the maps, pages may be leaked until `reclaim::reclaim_pages`.
    pub fn truncate(&self, ask: &Ask<'_>) -> Result<(), AccessError> {
        let _structure = self.structure.lock();
        self.check_live()?;
        let mut mtr = Mtr::begin(&self.ctx.handle, ask, 64)?;
        self.empty_root(&mut mtr)?;
        mtr.commit();
        self.entries.set(0);
        self.unit.reclaim(ask, &mut |page| page == self.root)?;
        if let Some(values) = self.values(ask)? {
            values.reclaim(ask, &mut std::iter::empty())?;
        }
        Ok(())
    }

    /// Gives all pages back, those of the large values too. The caller sees to it that nothing uses the tree any more;
    /// a use all the same gets [`AccessError::Gone`].
    ///
    /// # Errors
    /// [`AccessError`]; pages that were not given back are then claimed by no live IAM chain.
    pub fn free(&self, ask: &Ask<'_>) -> Result<(), AccessError> {
        let _structure = self.structure.lock();
        let store = {
            let values = &mut *self.values.lock();
            if self.is_gone.swap(true, Relaxed) {
                return Ok(());
            }
            self.known_values(values, ask)
        };
        self.raise_version();
        // Pages of values whose store cannot be found are then claimed by no live chain either.
        let freed = store.and_then(|store| store.map_or(Ok(()), |store| store.free(ask)));
        self.unit.free(ask).and(freed)
    }

    /// Whether its pages were given back.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.is_gone.load(Relaxed)
    }

    /// B3: called with the pages of the change latched exclusively.
    pub(crate) fn raise_version(&self) {
        assert!(self.structure.is_locked(), "B3: the structure of {:?} changes under its lock", self.ids);
        self.version.fetch_add(1, Relaxed);
    }

    #[inline]
    pub(crate) fn check_live(&self) -> Result<(), AccessError> {
        if self.is_gone.load(Relaxed) { Err(AccessError::Gone(ObjectId(self.ids.object_id))) } else { Ok(()) }
    }

    /// That the page is one of this tree, and of the level where it was found.
    #[inline]
    pub(crate) fn check_node(&self, page: &PageBytes, id: PageId, level: Option<u8>) -> Result<(), AccessError> {
        let (object, index) = (header::object_id(page), header::index_id(page));
        if object != self.ids.object_id || index != self.ids.index_id {
            let expected = ObjectId(self.ids.object_id);
            return Err(AccessError::WrongObject { page: id, expected, found: ObjectId(object) });
        }
        match level {
            Some(expected) if header::level(page) != expected => {
                Err(damaged(id)(NodeDamage::Level { expected, found: header::level(page) }))
            }
            _ => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn root_shared<'a>(&'a self, ask: &Ask<'a>) -> Result<SharedPage<'a>, AccessError> {
        self.check_live()?;
        let page = self.ctx.pool().shared(ask, self.root)?;
        self.check_node(&page, self.root, None)?;
        Ok(page)
    }

    /// The child in `slot` of a latched interior page, latched.
    #[inline]
    pub(crate) fn child_shared<'a>(
        &'a self,
        ask: &Ask<'a>,
        (parent, parent_id): (&PageBytes, PageId),
        slot: u16,
    ) -> Result<(SharedPage<'a>, PageId), AccessError> {
        let id = node::child(parent, slot, self.ctx.db()).map_err(damaged(parent_id))?;
        let page = self.ctx.pool().shared(ask, id)?;
        self.check_node(&page, id, Some(header::level(parent) - 1))?;
        Ok((page, id))
    }

    /// The leaf of `target`, latched shared.
    #[inline]
    pub(crate) fn leaf_shared<'a>(
        &'a self,
        ask: &Ask<'a>,
        target: Target<'_>,
    ) -> Result<(SharedPage<'a>, PageId), AccessError> {
        let (mut page, mut id) = (self.root_shared(ask)?, self.root);
        while header::level(&page) > 0 {
            let slot = target.child_slot(&page).map_err(damaged(id))?;
            (page, id) = self.child_shared(ask, (&page, id), slot)?;
        }
        Ok((page, id))
    }

    /// The leaf of `key`, latched exclusively in `mtr`, which has no other page.
    pub(crate) fn leaf_exclusive<'a>(
        &'a self,
        ask: &Ask<'a>,
        mtr: &mut Mtr<'a>,
        key: &[u8],
    ) -> Result<(PageIx, PageId), AccessError> {
        loop {
            let (mut page, mut id) = (self.root_shared(ask)?, self.root);
            while header::level(&page) > 1 {
                let slot = node::find_child(&page, key).map_err(damaged(id))?;
                (page, id) = self.child_shared(ask, (&page, id), slot)?;
            }
            if header::level(&page) == 1 {
                let slot = node::find_child(&page, key).map_err(damaged(id))?;
                let id = node::child(&page, slot, self.ctx.db()).map_err(damaged(id))?;
                let leaf = mtr.latch(id)?;
                self.check_node(mtr.page(leaf), id, Some(0))?;
                return Ok((leaf, id));
            }
            drop(page);
            let leaf = mtr.latch(self.root)?;
            if header::level(mtr.page(leaf)) == 0 {
                return Ok((leaf, self.root));
            }
            // It grew in between.
            mtr.release(leaf);
        }
    }

    /// The way to the page of `level` where `target` belongs, the page itself last. Under the structure lock the way
    /// stays true.
    pub(crate) fn path(&self, ask: &Ask<'_>, target: Target<'_>, level: u8) -> Result<Vec<Step>, AccessError> {
        let (mut page, mut id) = (self.root_shared(ask)?, self.root);
        let mut path = Vec::with_capacity(4);
        while header::level(&page) > level {
            let slot = target.child_slot(&page).map_err(damaged(id))?;
            path.push(Step { page: id, slot, count: node::count(&page) });
            assert!(slot < node::count(&page), "slot {slot} of page {id} is followed");
            (page, id) = self.child_shared(ask, (&page, id), slot)?;
        }
        path.push(Step { page: id, slot: 0, count: node::count(&page) });
        Ok(path)
    }

    /// Entries, when they were counted since the start.
    #[must_use]
    pub fn known_entries(&self) -> Option<u64> {
        self.entries.get()
    }

    /// Entries that came and entries that went since the tree was opened, those of changes that were undone too; for
    /// knowing how old figures of it are. An entry whose key changes goes and comes.
    #[must_use]
    pub fn entry_changes(&self) -> u64 {
        let (came, went) = self.arrivals();
        came + went
    }

    /// The same, each for itself: entries that came, and entries that went.
    #[must_use]
    pub fn arrivals(&self) -> (u64, u64) {
        self.entries.arrivals()
    }
}
