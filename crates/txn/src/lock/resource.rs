//! What is locked: its identity in 24 bytes, and the forms in which the views, the waits and the reports name it.
//!
//! A key is identified by a hash of 48 bits, as SQL Server does: two keys may share a lock, one key never has two.

use std::fmt;
use std::hash::{Hash, Hasher};

use millpond_storage::contract::{DbId, PageId};

use crate::kind::is_of_session;

/// Kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ResourceKind {
    /// A database.
    Database = 2,
    /// A table, view or other object.
    Object = 5,
    /// A page.
    Page = 6,
    /// A row of an index.
    Key = 7,
    /// A row of a heap.
    Rid = 9,
    /// A name that applications agree on.
    Application = 10,
    /// A part of the catalog.
    Metadata = 11,
    /// A tree or heap.
    Hobt = 12,
}

impl ResourceKind {
    /// As `sys.dm_tran_locks.resource_type` shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ResourceKind::Database => "DATABASE",
            ResourceKind::Object => "OBJECT",
            ResourceKind::Page => "PAGE",
            ResourceKind::Key => "KEY",
            ResourceKind::Rid => "RID",
            ResourceKind::Application => "APPLICATION",
            ResourceKind::Metadata => "METADATA",
            ResourceKind::Hobt => "HOBT",
        }
    }
}

/// A hash of a key, 48 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyHash(u64);

const HASH_BITS: u64 = (1 << 48) - 1;

#[inline]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

const SEEDS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = SEEDS[0] ^ bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        hash = fold(hash ^ u64::from_le_bytes(word.try_into().expect("eight bytes")), SEEDS[1]);
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    fold(fold(hash ^ u64::from_le_bytes(last), SEEDS[1]), SEEDS[0])
}

impl KeyHash {
    /// The end of an index: what a range lock without a next key is on.
    pub const END: KeyHash = KeyHash(HASH_BITS);

    /// The hash of a key.
    #[must_use]
    #[inline]
    pub fn of(key: &[u8]) -> KeyHash {
        let hash = hash_bytes(key) & HASH_BITS;
        // The end is the hash of no key.
        KeyHash(if hash == HASH_BITS { 0 } else { hash })
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({:012x})", self.0)
    }
}

/// The tree whose rows are locked, and the object above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// Database.
    pub db: DbId,
    /// Object.
    pub object: u32,
    /// Tree.
    pub hobt: u64,
}

impl RowPlace {
    /// Whether other sessions than the one that made the tree may come to its rows.
    pub(crate) fn is_shared(self) -> bool {
        !is_of_session(self.db, self.object)
    }
}

/// Something that can be locked. Displays as `wait_resource` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    kind: ResourceKind,
    db: DbId,
    first: u64,
    second: u64,
}

impl Resource {
    /// A database.
    #[must_use]
    pub fn database(db: DbId) -> Resource {
        Resource { kind: ResourceKind::Database, db, first: 0, second: 0 }
    }

    /// An object.
    #[must_use]
    pub fn object(db: DbId, object: u32) -> Resource {
        Resource { kind: ResourceKind::Object, db, first: u64::from(object), second: 0 }
    }

    /// A tree.
    #[must_use]
    pub fn hobt(db: DbId, hobt: u64) -> Resource {
        Resource { kind: ResourceKind::Hobt, db, first: hobt, second: 0 }
    }

    /// A key of a tree.
    #[must_use]
    #[inline]
    pub fn key(db: DbId, hobt: u64, key: KeyHash) -> Resource {
        Resource { kind: ResourceKind::Key, db, first: hobt, second: key.0 }
    }

    /// A page.
    #[must_use]
    pub fn page(page: PageId) -> Resource {
        Resource { kind: ResourceKind::Page, db: page.db, first: page.to_bits(), second: 0 }
    }

    /// A row by page and slot.
    #[must_use]
    pub fn rid(page: PageId, slot: u16) -> Resource {
        Resource { kind: ResourceKind::Rid, db: page.db, first: page.to_bits(), second: u64::from(slot) }
    }

    /// A name of the applications (`sp_getapplock`), of one principal.
    #[must_use]
    pub fn application(db: DbId, principal: u32, name: &str) -> Resource {
        Resource {
            kind: ResourceKind::Application,
            db,
            first: u64::from(principal),
            second: hash_bytes(name.as_bytes()),
        }
    }

    /// A part of the catalog: what kind of part, and which.
    #[must_use]
    pub fn metadata(db: DbId, class: u32, id: u64) -> Resource {
        Resource { kind: ResourceKind::Metadata, db, first: u64::from(class), second: id }
    }

    /// Kind.
    #[must_use]
    pub fn kind(&self) -> ResourceKind {
        self.kind
    }

    /// Database.
    #[must_use]
    pub fn db(&self) -> DbId {
        self.db
    }

    /// `resource_associated_entity_id`: the object, or the tree of a key; 0 for others.
    #[must_use]
    pub fn entity(&self) -> u64 {
        match self.kind {
            ResourceKind::Object | ResourceKind::Key | ResourceKind::Hobt => self.first,
            _ => 0,
        }
    }

    /// `resource_description` of `sys.dm_tran_locks`.
    #[must_use]
    pub fn description(&self) -> String {
        match self.kind {
            ResourceKind::Key => KeyHash(self.second).to_string(),
            ResourceKind::Rid | ResourceKind::Page => self.page_text(),
            ResourceKind::Application => format!("{}:(0x{:08x})", self.first, self.second as u32),
            ResourceKind::Metadata => format!("class = {}, id = {}", self.first, self.second),
            ResourceKind::Database | ResourceKind::Object | ResourceKind::Hobt => String::new(),
        }
    }

    fn page_text(&self) -> String {
        let page = PageId::from_bits(self.first);
        match self.kind {
            ResourceKind::Rid => format!("{}:{}:{}", page.file, page.page, self.second),
            _ => format!("{}:{}", page.file, page.page),
        }
    }

    /// `resource_description` of `sys.dm_os_waiting_tasks`.
    #[must_use]
    pub fn waiting_description(&self, mode: super::mode::LockMode) -> String {
        let db = self.db;
        match self.kind {
            ResourceKind::Database => format!("databaselock subresource=FULL dbid={db} mode={mode}"),
            ResourceKind::Object => {
                let object = self.first;
                format!(
                    "objectlock lockPartition=0 objid={object} subresource=FULL dbid={db} mode={mode} associatedObjectId={object}"
                )
            }
            ResourceKind::Key => {
                format!("keylock hobtid={} dbid={db} mode={mode} associatedObjectId={}", self.first, self.first)
            }
            ResourceKind::Hobt => format!("hobtlock hobtid={} subresource=FULL dbid={db} mode={mode}", self.first),
            ResourceKind::Page => {
                let page = PageId::from_bits(self.first);
                format!("pagelock fileid={} pageid={} dbid={db} mode={mode}", page.file, page.page)
            }
            ResourceKind::Rid => {
                let page = PageId::from_bits(self.first);
                format!("ridlock fileid={} pageid={} dbid={db} mode={mode}", page.file, page.page)
            }
            ResourceKind::Application => {
                format!(
                    "applicationlock hash={:08x} databasePrincipalId={} dbid={db} mode={mode}",
                    self.second as u32, self.first
                )
            }
            ResourceKind::Metadata => {
                format!("metadatalock subresource={} classid={} dbid={db} mode={mode}", self.first, self.second)
            }
        }
    }

    #[inline]
    pub(super) fn hash64(&self) -> u64 {
        let head = u64::from(self.kind as u8) << 16 | u64::from(self.db.0);
        fold(fold(self.first ^ head << 40, SEEDS[0]) ^ self.second, SEEDS[1])
    }
}

impl Hash for Resource {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash64());
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, db) = (self.kind.name(), self.db);
        match self.kind {
            ResourceKind::Database => write!(f, "{kind}: {db}:0"),
            ResourceKind::Object => write!(f, "{kind}: {db}:{}:0", self.first),
            ResourceKind::Hobt => write!(f, "{kind}: {db}:{}", self.first),
            ResourceKind::Key => write!(f, "{kind}: {db}:{} {}", self.first, KeyHash(self.second)),
            ResourceKind::Page | ResourceKind::Rid => write!(f, "{kind}: {db}:{}", self.page_text()),
            ResourceKind::Application => write!(f, "{kind}: {db}:{}", self.description()),
            ResourceKind::Metadata => write!(f, "{kind}: database_id = {db} {}", self.description()),
        }
    }
}

/// A hasher that takes the one word that [`Resource::hash64`] made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a resource hashes as one word")
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_storage::contract::{FileId, PageNo};

    #[test]
    fn resources_are_named_as_the_views_name_them() {
        let page = PageId { db: DbId(5), file: FileId(1), page: PageNo(104) };
        let key = Resource::key(DbId(5), 72_057_594_038_321_152, KeyHash(0x8194_4432_84a0));
        assert_eq!(key.to_string(), "KEY: 5:72057594038321152 (8194443284a0)");
        assert_eq!(key.description(), "(8194443284a0)");
        assert_eq!(Resource::object(DbId(5), 245_575_913).to_string(), "OBJECT: 5:245575913:0");
        assert_eq!(Resource::database(DbId(5)).to_string(), "DATABASE: 5:0");
        assert_eq!(Resource::rid(page, 3).to_string(), "RID: 5:1:104:3");
        assert_eq!(Resource::page(page).to_string(), "PAGE: 5:1:104");
        assert_eq!(KeyHash::END.to_string(), "(ffffffffffff)");
    }

    #[test]
    fn keys_that_differ_little_have_other_hashes() {
        let mut seen = std::collections::HashSet::new();
        for n in 0..100_000u32 {
            assert!(seen.insert(KeyHash::of(&n.to_be_bytes())));
        }
        assert_ne!(KeyHash::of(b""), KeyHash::of(b"\0"));
    }
}
