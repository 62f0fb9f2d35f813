//! Older versions of rows, in pages of tempdb, as long as a snapshot may read them.
//!
//! ```text
//!   page    96 header │ record │ record │ …
//!           (0 u16 after the last, where it has room)
//!   record  length u16 │ flags u8 │ replaced by: xsn u48 │ own tag: xsn u48, version u64 │ payload
//!   pointer file u16 │ page u32 │ offset u16
//! ```
//!
//! A chain of extents per database, filled from the front and freed from the back. What always holds:
//! - V1: a record says which transaction replaced it, and a reader checks that against the tag that led there.
//! - V2: an extent is freed when all transactions that replaced something in it are below the horizon: no snapshot reads
//!   a version that was replaced by one of them.
//!
//! It does not know which rows these are.

use millpond_storage::check;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_access::tree::{RowTag, VersionPtr, Xsn};
use millpond_storage::ask::Ask;
use millpond_storage::contract::{DbId, EXTENT_PAGES, ExtentId, FileId, PAGE_BYTES, PageId, PageKind, PageNo};
use millpond_storage::instance::Instance;
use millpond_storage::number_map::NumberMap;
use millpond_storage::pool::PoolError;
use millpond_storage::space::{Owner, SpaceError};
use parking_lot::{Mutex, RwLock};

const PAGE_HEAD_BYTES: usize = 96;
const HEAD_BYTES: usize = 2 + 1 + 6 + 6 + 8;
const GHOST: u8 = 1;
const TAGGED: u8 = 2;
/// A version that could not be kept.
pub(crate) const LOST: VersionPtr = VersionPtr(u64::MAX);
/// There is none: the row was not there before.
pub(crate) const NONE: VersionPtr = VersionPtr(0);
/// `object_id` in the header of the pages.
const OBJECT: u32 = 0;

/// A version that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    pub is_ghost: bool,
    pub tag: Option<RowTag>,
}

/// Why a version was not kept or not read.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum VersionError {
    #[error(transparent)]
    Space(#[from] SpaceError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("the version is not in the version store")]
    Lost,
}

#[derive(Debug)]
struct StoreExtent {
    extent: ExtentId,
    /// V2
    newest: Xsn,
}

/// Where a record goes.
struct Place {
    id: PageId,
    offset: usize,
    /// The page is to be made.
    is_new: bool,
    /// The extent that begins with it, which is the chain's as soon as the page is there.
    extent: Option<ExtentId>,
}

/// The versions of one database.
#[derive(Debug, Default)]
struct Chain {
    extents: VecDeque<StoreExtent>,
    /// The page that is being filled, and where its next record goes.
    page: Option<(PageId, usize)>,
    /// Extents ahead of the last one's pages: taken, not yet used.
    spare: Vec<ExtentId>,
}

/// Space of the versions of one database, for `sys.dm_tran_version_store_space_usage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionSpace {
    /// Database.
    pub db: DbId,
    /// Pages of its extents.
    pub reserved_pages: u64,
}

/// A version that is kept, for `sys.dm_tran_version_store`.
#[derive(Clone, Copy, Debug)]
pub struct VersionRow<'p> {
    /// Database of the row.
    pub db: DbId,
    /// The transaction that replaced it.
    pub by: Xsn,
    /// The record as it was; empty where there was none.
    pub payload: &'p [u8],
}

/// What was counted since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VersionCounts {
    /// Versions kept.
    pub puts: u64,
    /// Versions read.
    pub gets: u64,
    /// Versions that could not be kept.
    pub lost: u64,
    /// Extents given back.
    pub freed_extents: u64,
}

#[derive(Debug)]
pub(crate) struct VersionStore {
    instance: Arc<Instance>,
    chains: RwLock<NumberMap<DbId, Arc<Mutex<Chain>>>>,
    puts: AtomicU64,
    gets: AtomicU64,
    lost: AtomicU64,
    freed_extents: AtomicU64,
}

fn pack(page: PageId, offset: usize) -> VersionPtr {
    assert!(
        offset < millpond_storage::contract::PAGE_BYTES && page.file.0 != 0,
        "a version at {offset} of page {page}"
    );
    let version = VersionPtr(u64::from(page.file.0) << 48 | u64::from(page.page.0) << 16 | offset as u64);
    check!(unpack(version) == (page, offset), "a version at {offset} of page {page} would be looked for elsewhere");
    check!(version != NONE && version != LOST, "a version at {offset} of page {page} reads as none");
    version
}

fn unpack(version: VersionPtr) -> (PageId, usize) {
    let page =
        PageId { db: DbId::TEMPDB, file: FileId((version.0 >> 48) as u16), page: PageNo((version.0 >> 16) as u32) };
    (page, (version.0 & 0xffff) as usize)
}

fn u48(value: u64) -> [u8; 6] {
    check!(value < 1 << 48, "N1: {value} has more than 48 bits");
    value.to_le_bytes()[..6].try_into().expect("six bytes")
}

fn read_u48(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..6].copy_from_slice(&bytes[..6]);
    u64::from_le_bytes(word)
}

/// Whether a page is one of an extent.
fn holds(extent: ExtentId, page: PageId) -> bool {
    (extent.db, extent.file, extent.extent.0) == (page.db, page.file, page.page.0 / EXTENT_PAGES)
}

/// The records of a page up to where the next one would go: who replaced each, and what it holds.
fn records(page: &[u8]) -> impl Iterator<Item = (Xsn, &[u8])> {
    let mut at = PAGE_HEAD_BYTES;
    std::iter::from_fn(move || {
        let head = page.get(at..at + HEAD_BYTES)?;
        let len = usize::from(u16::from_le_bytes([head[0], head[1]]));
        // Shorter than a head: there are no more.
        let payload = page.get(at + HEAD_BYTES..at + len)?;
        at += len;
        Some((Xsn(read_u48(&head[3..9])), payload))
    })
}

impl VersionStore {
    pub(crate) fn new(instance: Arc<Instance>) -> VersionStore {
        let zero = AtomicU64::default;
        VersionStore {
            instance,
            chains: RwLock::default(),
            puts: zero(),
            gets: zero(),
            lost: zero(),
            freed_extents: zero(),
        }
    }

    fn chain(&self, db: DbId) -> Arc<Mutex<Chain>> {
        if let Some(chain) = self.chains.read().get(&db) {
            return Arc::clone(chain);
        }
        Arc::clone(self.chains.write().entry(db).or_default())
    }

    /// Keeps a version that the transaction `by` replaces. A version that cannot be kept is lost: the change goes on,
    /// and a snapshot that would read it gets an error.
    pub(crate) fn put(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        by: Xsn,
        version: Version,
        payload: &[u8],
        horizon: Xsn,
    ) -> VersionPtr {
        let kept = self.try_put(ask, db, by, version, payload, horizon);
        kept.unwrap_or_else(|_| {
            self.lost.fetch_add(1, Relaxed);
            LOST
        })
    }

    fn try_put(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        by: Xsn,
        version: Version,
        payload: &[u8],
        horizon: Xsn,
    ) -> Result<VersionPtr, VersionError> {
        check!(by != Xsn(0) && by <= Xsn::MAX, "N1: a version is replaced by transaction {}", by.0);
        check!(horizon <= by, "N3: transaction {} replaces a version, below the horizon of {}", by.0, horizon.0);
        self.puts.fetch_add(1, Relaxed);
        let chain = self.chain(db);
        let chain = &mut *chain.lock();
        let len = HEAD_BYTES + payload.len();
        let Place { id, offset, is_new, extent } = self.place(chain, ask, len, horizon)?;
        let pool = self.instance.pool();
        let page = match is_new {
            true => pool.create(ask, id, PageKind::Data, OBJECT),
            false => pool.exclusive(ask, id),
        };
        if let Some(extent) = extent {
            match &page {
                Ok(_) => chain.extents.push_back(StoreExtent { extent, newest: Xsn(0) }),
                // The page that is being filled is the last extent's still.
                Err(_) => chain.spare.push(extent),
            }
        }
        let mut page = page?;
        check!(
            (PAGE_HEAD_BYTES..=PAGE_BYTES - len).contains(&offset),
            "a version of {len} bytes at {offset} of its page"
        );
        check!(
            chain.extents.back().is_some_and(|last| holds(last.extent, id)),
            "V2: a version goes to page {id}, whose extent would not know its newest one"
        );
        let record = &mut page[offset..offset + len];
        record[..2].copy_from_slice(&(len as u16).to_le_bytes());
        record[2] = (u8::from(version.is_ghost) * GHOST) | (u8::from(version.tag.is_some()) * TAGGED);
        record[3..9].copy_from_slice(&u48(by.0));
        let tag = version.tag.unwrap_or_default();
        record[9..15].copy_from_slice(&u48(tag.xsn.0));
        record[15..HEAD_BYTES].copy_from_slice(&tag.version.0.to_le_bytes());
        record[HEAD_BYTES..].copy_from_slice(payload);
        // The page has the bytes of another behind it.
        if let Some(next) = page.get_mut(offset + len..offset + len + 2) {
            next.fill(0);
        }
        drop(page);
        chain.page = Some((id, offset + len));
        let newest = &mut chain.extents.back_mut().expect("the page lies in it").newest;
        *newest = (*newest).max(by);
        Ok(pack(id, offset))
    }

    /// Where a record of `len` bytes goes.
    fn place(&self, chain: &mut Chain, ask: &Ask<'_>, len: usize, horizon: Xsn) -> Result<Place, VersionError> {
        if let Some((page, offset)) = chain.page {
            check!(
                chain.extents.back().is_some_and(|last| holds(last.extent, page)),
                "V2: versions go to page {page}, which is not of the newest extent"
            );
            if offset + len <= PAGE_BYTES {
                return Ok(Place { id: page, offset, is_new: false, extent: None });
            }
            if !(page.page.0 + 1).is_multiple_of(EXTENT_PAGES) {
                let id = PageId { page: PageNo(page.page.0 + 1), ..page };
                return Ok(Place { id, offset: PAGE_HEAD_BYTES, is_new: true, extent: None });
            }
        }
        // A new extent is the time to give old ones back: what a load takes, it returns.
        self.free_old(chain, ask, horizon);
        let extent = match chain.spare.pop() {
            Some(extent) => extent,
            None => self.take_extents(chain, ask)?,
        };
        check!(
            chain.extents.iter().all(|old| old.extent != extent),
            "V2: extent {} of file {} is taken twice",
            extent.extent,
            extent.file
        );
        Ok(Place { id: extent.page(0), offset: PAGE_HEAD_BYTES, is_new: true, extent: Some(extent) })
    }

    fn take_extents(&self, chain: &mut Chain, ask: &Ask<'_>) -> Result<ExtentId, VersionError> {
        let batch = (chain.extents.len() as u32 + 1).min(8);
        let (space, pool) = (self.instance.tempdb_space(), self.instance.pool());
        check!(chain.spare.is_empty(), "{} extents of versions are spare, and more are taken", chain.spare.len());
        space.allocate_extents(ask, &**pool, Owner::Version, batch, &mut chain.spare)?;
        Ok(chain.spare.pop().expect("at least one, or an error"))
    }

    /// V2: frees extents from the back, but not the one that is being filled.
    fn free_old(&self, chain: &mut Chain, ask: &Ask<'_>, horizon: Xsn) {
        let mut freed = Vec::new();
        while chain.extents.len() > 1 && chain.extents[0].newest < horizon {
            freed.extend(chain.extents.pop_front().map(|old| old.extent));
        }
        check!(
            chain.page.is_none_or(|(page, _)| !freed.iter().any(|extent| holds(*extent, page))),
            "V2: the extent that is being filled is freed"
        );
        self.give_back(ask, &freed);
    }

    fn give_back(&self, ask: &Ask<'_>, extents: &[ExtentId]) {
        if !extents.is_empty() {
            self.freed_extents.fetch_add(extents.len() as u64, Relaxed);
            let (space, pool) = (self.instance.tempdb_space(), self.instance.pool());
            // The space is free all the same; a map page that could not be had is made anew at the next start.
            let _ = space.free_extents(ask, &**pool, Owner::Version, extents);
        }
    }

    /// Frees what no snapshot reads any more, in all databases.
    pub(crate) fn clean(&self, ask: &Ask<'_>, horizon: Xsn) {
        let chains: Vec<_> = self.chains.read().values().cloned().collect();
        for chain in chains {
            let chain = &mut *chain.lock();
            self.free_old(chain, ask, horizon);
            if chain.extents.front().is_some_and(|last| last.newest < horizon) {
                check!(
                    chain.extents.len() == 1,
                    "V2: an extent whose versions no snapshot reads stays after {} others",
                    chain.extents.len()
                );
                let last = chain.extents.pop_front().map(|last| last.extent);
                chain.page = None;
                let rest: Vec<_> = last.into_iter().chain(chain.spare.drain(..)).collect();
                self.give_back(ask, &rest);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chains.read().values().all(|chain| chain.lock().extents.is_empty())
    }

    /// Reads a version that `by` replaced; its payload goes to `out`.
    pub(crate) fn get(
        &self,
        ask: &Ask<'_>,
        at: VersionPtr,
        by: Xsn,
        out: &mut Vec<u8>,
    ) -> Result<Version, VersionError> {
        if at == LOST {
            return Err(VersionError::Lost);
        }
        check!(at != NONE, "C2: a version is looked for where transaction {} found none", by.0);
        self.gets.fetch_add(1, Relaxed);
        let (id, offset) = unpack(at);
        let page = self.instance.pool().shared(ask, id)?;
        let head = page.get(offset..offset + HEAD_BYTES).ok_or(VersionError::Lost)?;
        let len = usize::from(u16::from_le_bytes([head[0], head[1]]));
        // V1
        if read_u48(&head[3..9]) != by.0 || len < HEAD_BYTES {
            return Err(VersionError::Lost);
        }
        let tag = RowTag {
            xsn: Xsn(read_u48(&head[9..15])),
            version: VersionPtr(u64::from_le_bytes(head[15..HEAD_BYTES].try_into().expect("eight bytes"))),
        };
        let payload = page.get(offset + HEAD_BYTES..offset + len).ok_or(VersionError::Lost)?;
        out.clear();
        out.extend_from_slice(payload);
        Ok(Version { is_ghost: head[2] & GHOST != 0, tag: (head[2] & TAGGED != 0).then_some(tag) })
    }

    /// Shows each version that is kept, by databases and in the order in which they came. Those of an extent that is freed meanwhile
    /// are left out; while an extent is read, no other version of its database is kept.
    pub(crate) fn scan(
        &self,
        ask: &Ask<'_>,
        visit: &mut dyn FnMut(VersionRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), PoolError> {
        let mut chains: Vec<_> = self.chains.read().iter().map(|(db, chain)| (*db, Arc::clone(chain))).collect();
        chains.sort_by_key(|(db, _)| *db);
        for (db, chain) in chains {
            let extents: Vec<ExtentId> = chain.lock().extents.iter().map(|one| one.extent).collect();
            for extent in extents {
                let chain = chain.lock();
                // The page that is being filled is the newest extent's last.
                let Some(place) = chain.extents.iter().position(|one| one.extent == extent) else { continue };
                let last = chain.page.filter(|_| place + 1 == chain.extents.len());
                check!(
                    last.is_none_or(|(last, _)| holds(extent, last)),
                    "V2: extent {} is the newest, and versions go to another",
                    extent.extent
                );
                for page in (0..EXTENT_PAGES).map(|number| extent.page(number)) {
                    if last.is_some_and(|(last, _)| page.page.0 > last.page.0) {
                        break;
                    }
                    let end = last.filter(|(last, _)| *last == page).map_or(PAGE_BYTES, |(_, end)| end);
                    check!((PAGE_HEAD_BYTES..=PAGE_BYTES).contains(&end), "versions of page {page} end at {end}");
                    let bytes = *self.instance.pool().shared(ask, page)?;
                    for (by, payload) in records(&bytes[..end]) {
                        check!(by != Xsn(0) && by <= Xsn::MAX, "N1: a version of page {page} is replaced by {}", by.0);
                        if visit(VersionRow { db, by, payload }).is_break() {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn space(&self) -> Vec<VersionSpace> {
        let chains: Vec<_> = self.chains.read().iter().map(|(db, chain)| (*db, Arc::clone(chain))).collect();
        let row = |(db, chain): (DbId, Arc<Mutex<Chain>>)| {
            let chain = chain.lock();
            let extents = chain.extents.len() + chain.spare.len();
            VersionSpace { db, reserved_pages: extents as u64 * u64::from(EXTENT_PAGES) }
        };
        let mut rows: Vec<_> = chains.into_iter().map(row).collect();
        rows.sort_by_key(|row| row.db);
        rows
    }

    pub(crate) fn counts(&self) -> VersionCounts {
        VersionCounts {
            puts: self.puts.load(Relaxed),
            gets: self.gets.load(Relaxed),
            lost: self.lost.load(Relaxed),
            freed_extents: self.freed_extents.load(Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use millpond_device::clock::SystemClock;
    use millpond_storage::ask::{IoCount, Task};
    use millpond_storage::contract::SessionId;
    use millpond_storage::instance::InstanceConfig;

    use super::*;

    const DB: DbId = DbId(5);

    /// V2: an extent for which there was no memory has no versions, and the one before it is not freed in its place.
    #[test]
    fn a_version_behind_a_page_that_could_not_be_made_stays() {
        let config = InstanceConfig {
            max_memory_bytes: Some(1 << 20),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        };
        let instance = Instance::open(config).expect("in memory");
        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
        let ask = Ask::new(&task, &io);
        let store = VersionStore::new(Arc::clone(&instance));
        let version = || Version { is_ghost: false, tag: None };
        let put = |by, bytes: usize| store.put(&ask, DB, Xsn(by), version(), &vec![by as u8; bytes], Xsn(1));
        // Two extents, their last page half full; a third one is spare.
        (0..15).for_each(|_| assert_ne!(put(5, 8000), LOST));
        assert_ne!(put(5, 4000), LOST);
        assert_eq!(store.chain(DB).lock().spare.len(), 1);
        let mut extents = Vec::new();
        let (space, pool) = (instance.tempdb_space(), instance.pool());
        space.allocate_extents(&ask, &**pool, Owner::Internal, 32, &mut extents).expect("tempdb grows");
        let ids = extents.iter().flat_map(|extent| (0..EXTENT_PAGES).map(|at| extent.page(at)));
        let pinned: Vec<_> = ids.map_while(|id| pool.create(&ask, id, PageKind::Data, OBJECT).ok()).collect();
        assert!(pinned.len() < extents.len() * EXTENT_PAGES as usize, "memory is full");
        assert_eq!(put(6, 8000), LOST);
        drop(pinned);
        let kept = put(7, 1000);
        store.clean(&ask, Xsn(6));
        let mut out = Vec::new();
        store.get(&ask, kept, Xsn(7), &mut out).expect("transaction 7 is not below the horizon");
        assert_eq!(out, vec![7; 1000]);
        assert_ne!(put(8, 8000), LOST);
        let mut shown = Vec::new();
        let scanned = store.scan(&ask, &mut |version| {
            assert!(version.db == DB && version.payload.iter().all(|byte| u64::from(*byte) == version.by.0));
            shown.push((version.by.0, version.payload.len()));
            ControlFlow::Continue(())
        });
        scanned.expect("its pages are in memory");
        // Of the extents that are left, whatever lies behind the last record of a page.
        assert_eq!(shown.last(), Some(&(8, 8000)), "{shown:?}");
        assert!(shown.contains(&(7, 1000)) && shown.is_sorted_by_key(|(by, _)| *by), "{shown:?}");
        store.clean(&ask, Xsn(9));
        assert!(store.is_empty() && store.chain(DB).lock().spare.is_empty());
    }
}
