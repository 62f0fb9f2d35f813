//! A small instance: one database with a catalog, a table that all sessions share, large values, and a table of each
//! session's own that the catalog names.
//!
//! ```text
//!   catalog: session ──▶ place of its clustered tree, place of its index
//!   table = clustered tree (key ▶ row) + index (group, key ▶ nothing);  large values: one store for all
//! ```

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use millpond_access::TreeCtx;
use millpond_access::lob::LobStore;
use millpond_access::tree::{KeyRange, Tree, TreeIds, TreeRoot};
use millpond_device::Media;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, FileId, PageId, PageNo, SessionId};
use millpond_storage::database::create;
use millpond_storage::database::plan::{NewDatabase, NewFile};
use millpond_storage::extension::ExtensionMode;
use millpond_storage::file::growth::Growth;
use millpond_storage::instance::{Instance, InstanceConfig, extension};
use millpond_storage::wal::CommitMode;
use millpond_txn::{Isolation, ReadHint, SessionWork, TxnManager};

use super::Failure;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::trees;

/// Sessions.
pub const SESSIONS: u32 = 4;
/// The database under test.
pub const DB: DbId = DbId(5);
const CATALOG: TreeIds = TreeIds { hobt: 100, object_id: 3, index_id: 1 };
const LARGE_OBJECT: u32 = 4;
const FILLER_OBJECT: u32 = 5;
const SHARED: [TreeIds; 2] =
    [TreeIds { hobt: 101, object_id: 6, index_id: 1 }, TreeIds { hobt: 102, object_id: 6, index_id: 2 }];
/// So much of the primary file is taken at once, so that the run makes it grow.
const FILLER_BYTES: usize = 900 * 8096;
const FILLER_VALUES: usize = 50;

const EXTENSION: &str = "extension.bpe";
/// Smaller than the database, so that pages have to go.
const EXTENSION_KB: u64 = 3 << 10;

/// Keys and payloads of a tree.
pub type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Where everything lies that is there from the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    catalog: TreeRoot,
    shared: [TreeRoot; 2],
    large: PageId,
    filler: PageId,
}

/// The two trees of a table.
#[derive(Clone)]
pub struct Table {
    pub clustered: Arc<Tree>,
    pub index: Arc<Tree>,
}

impl Table {
    /// Its trees.
    pub fn trees(&self) -> [(TreeIds, TreeRoot); 2] {
        [&self.clustered, &self.index].map(|tree| (tree.ids(), tree.place()))
    }

    /// As the catalog has it.
    pub fn entry(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (ids, place) in self.trees() {
            bytes.extend_from_slice(&ids.hobt.to_le_bytes());
            bytes.extend_from_slice(&ids.object_id.to_le_bytes());
            bytes.extend_from_slice(&ids.index_id.to_le_bytes());
            for page in [place.root, place.iam] {
                bytes.extend_from_slice(&page.file.0.to_le_bytes());
                bytes.extend_from_slice(&page.page.0.to_le_bytes());
            }
        }
        bytes
    }
}

/// Trees of a catalog's entry.
fn parse_entry(bytes: &[u8]) -> Vec<(TreeIds, TreeRoot)> {
    let page = |bytes: &[u8]| PageId {
        db: DB,
        file: FileId(u16::from_le_bytes(bytes[..2].try_into().expect("2 bytes"))),
        page: PageNo(u32::from_le_bytes(bytes[2..6].try_into().expect("4 bytes"))),
    };
    let tree = |bytes: &[u8]| {
        let ids = TreeIds {
            hobt: u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")),
            object_id: u32::from_le_bytes(bytes[8..12].try_into().expect("4 bytes")),
            index_id: u16::from_le_bytes(bytes[12..14].try_into().expect("2 bytes")),
        };
        (ids, TreeRoot { root: page(&bytes[14..20]), iam: page(&bytes[20..26]) })
    };
    bytes.chunks_exact(26).map(tree).collect()
}

/// A session's worth of an asker.
pub struct Asker {
    pub task: Arc<Task>,
    pub io: IoCount,
}

impl Asker {
    pub fn new(number: u16) -> Asker {
        Asker { task: Arc::new(Task::new(SessionId(number))), io: IoCount::default() }
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }
}

/// The open instance.
pub struct World {
    pub manager: Arc<TxnManager>,
    pub ctx: TreeCtx,
    pub catalog: Arc<Tree>,
    pub shared: Table,
    pub large: Arc<LobStore>,
    pub places: Places,
}

fn instance(media: Arc<dyn Media>) -> Result<Arc<Instance>, Failure> {
    // Few frames: pages are written while the run goes on, or enter the extension, if there is one.
    let has_extension = media.exists(&Path::new("/ram").join(EXTENSION));
    let config = InstanceConfig::over(media, if has_extension { 512 << 10 } else { 1 << 20 });
    Instance::open(config).map_err(|cause| Failure(format!("the instance does not open: {cause}")))
}

impl World {
    /// A new instance with an empty shared table.
    pub fn create(media: Arc<dyn Media>, extension: Option<ExtensionMode>) -> World {
        let instance = instance(media).expect("new media");
        let asker = Asker::new(50);
        let ask = asker.ask();
        let small = |name: &str, size_pages| NewFile {
            size_pages: Some(size_pages),
            growth: Some(Growth::Pages(64)),
            ..NewFile { name: name.to_owned(), ..NewFile::default() }
        };
        let new =
            NewDatabase { data: vec![small("d", 1024)], log: vec![small("d_log", 64)], ..NewDatabase::named("d") };
        let database = create::create_database(instance.databases(), &ask, &new).expect("room");
        assert_eq!(database.id(), DB);
        let manager = TxnManager::new(Arc::clone(&instance));
        manager.database_opened(DB);
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let mut work = manager.open_session(SessionId(50), Arc::clone(&asker.task));
        transaction::begin(&mut work);
        let mut make = |ids| trees::create_tree(&mut work, &ask, &ctx, ids).expect("room").1;
        let (catalog, shared) = (make(CATALOG), SHARED.map(&mut make));
        let large = LobStore::create(&ctx, &ask, LARGE_OBJECT, 1).expect("room").iam();
        let filler = LobStore::create(&ctx, &ask, FILLER_OBJECT, 1).expect("room");
        transaction::commit(&mut work, &ask, CommitMode::Durable).expect("durable");
        for _ in 0..FILLER_VALUES {
            let value = vec![7; FILLER_BYTES / FILLER_VALUES];
            filler
                .write(&ask, &value, &mut |_, mtr| {
                    let _ = mtr.commit();
                })
                .expect("room");
            // So that the log stays small.
            instance.checkpoint(&ask, DB).expect("it can be taken");
        }
        let filler = filler.iam();
        drop(work);
        if let Some(mode) = extension {
            instance.pool().set_max_bytes(512 << 10);
            instance.settings().set_option("show advanced options", 1).expect("an option");
            instance.reconfigure(true).expect("it can be stored");
            instance.settings().set_option("buffer pool extension mode", mode as i64).expect("an option");
            instance.reconfigure(true).expect("it can be stored");
            extension::enable_extension(&instance, Path::new(EXTENSION), EXTENSION_KB).expect("room");
        }
        instance.checkpoint(&ask, DB).expect("it can be taken");
        World::assemble(manager, Places { catalog, shared, large, filler }).expect("just made")
    }

    /// What a cut left.
    pub fn open(media: Arc<dyn Media>, places: Places) -> Result<World, Failure> {
        let manager = TxnManager::new(instance(media)?);
        if let Some((db, cause)) = manager.failed_recoveries().first() {
            return Err(Failure(format!("recovery of database {db} failed: {cause}")));
        }
        if let Some(closed) = manager.instance().database_reports().iter().find(|report| report.state.number() != 0) {
            return Err(Failure(format!("database {} is {:?}", closed.name, closed.state)));
        }
        World::assemble(manager, places)
    }

    fn assemble(manager: Arc<TxnManager>, places: Places) -> Result<World, Failure> {
        let database = manager.instance().database(DB).ok_or(Failure("the database is gone".into()))?;
        let ctx = open_trees::tree_ctx(&database).map_err(|cause| Failure(cause.to_string()))?;
        let tree = |ids, place| open_trees::open_tree(&manager, &ctx, ids, place);
        let catalog = tree(CATALOG, places.catalog);
        let shared = Table { clustered: tree(SHARED[0], places.shared[0]), index: tree(SHARED[1], places.shared[1]) };
        let large = LobStore::open(&ctx, LARGE_OBJECT, 1, places.large);
        Ok(World { catalog, shared, large, places, ctx, manager })
    }

    /// What a statement's reader sees in a tree.
    pub fn rows_of(&self, ask: &Ask<'_>, work: &mut SessionWork, tree: &Arc<Tree>) -> Result<Entries, Failure> {
        let mut rows = Vec::new();
        let read = read::scan::for_each(
            &work.reader(),
            ask,
            tree,
            KeyRange::all(),
            ReadHint::default(),
            &mut |key, payload| {
                rows.push((key.to_vec(), payload.to_vec()));
                ControlFlow::Continue(())
            },
        );
        read.map_err(|cause| Failure(format!("tree {} cannot be read: {cause}", tree.ids().hobt)))?;
        Ok(rows)
    }

    /// The sessions' own tables.
    pub fn own_tables(&self, ask: &Ask<'_>, work: &mut SessionWork) -> Result<Vec<(u32, Table)>, Failure> {
        let entries = self.rows_of(ask, work, &self.catalog)?;
        let table = |(key, entry): (Vec<u8>, Vec<u8>)| {
            let session = u32::from_be_bytes(key.try_into().expect("a session's number"));
            let [clustered, index] = parse_entry(&entry)[..] else { panic!("two trees") };
            let tree = |(ids, place)| open_trees::open_tree(&self.manager, &self.ctx, ids, place);
            (session, Table { clustered: tree(clustered), index: tree(index) })
        };
        Ok(entries.into_iter().map(table).collect())
    }

    /// Everything that lives, for [`reclaim::reclaim_database`].
    pub fn live_trees(&self, own: &[(u32, Table)]) -> Vec<(TreeIds, TreeRoot)> {
        let mut trees = vec![(CATALOG, self.places.catalog)];
        trees.extend(self.shared.trees());
        trees.extend(own.iter().flat_map(|(_, table)| table.trees()));
        trees
    }

    /// Chains that belong to no tree.
    pub fn other_chains(&self) -> [PageId; 2] {
        [self.places.large, self.places.filler]
    }

    /// A session that reads with row versions.
    pub fn session(&self, asker: &Asker, number: u16) -> SessionWork {
        let mut work = self.manager.open_session(SessionId(number), Arc::clone(&asker.task));
        work.set_isolation(Isolation::ReadCommitted);
        work.set_lock_timeout_ms(Some(60_000));
        work
    }
}
