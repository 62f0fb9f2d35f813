//! The databases of an instance: which there are, what they stand on, and the lock of changes of that.
//!
//! What always holds: a database that is in the registry has an entry in the list of the settings, but for tempdb. A
//! function that adds, changes or removes a database or a file of one holds `altering`: those of `create`, of `alter` and its
//! siblings, of RESTORE. A number is given to one database between two starts, as long as there are others.
//! It knows no options of the server and starts no thread.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::check;
use crate::contract::DbId;
use crate::database::alter_error::AlterDatabaseError;
use crate::database::file_change::AlterFileError;
use crate::database::plan::same_name;
use crate::database::{Database, DatabaseState, Unavailable};
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::services::{Folders, StorageServices};
use crate::settings::databases::{Stage, StoredDatabase};
use crate::settings::{Settings, SettingsError};
use crate::space::SpaceManager;
use crate::tempdb::undo_log::UndoLog;

/// Numbers of users' databases begin here.
pub(crate) const FIRST_USER_ID: u16 = 5;

/// All databases by their number.
pub(crate) type Registry = RwLock<BTreeMap<DbId, Arc<Database>>>;

/// What tempdb has that no other database has.
#[derive(Debug)]
pub(crate) struct Tempdb {
    pub(crate) space: Arc<SpaceManager>,
    pub(crate) undo_log: Arc<UndoLog>,
}

/// The databases of an instance.
pub struct Databases {
    pub(crate) services: StorageServices,
    pub(crate) settings: Arc<Settings>,
    pub(crate) registry: Arc<Registry>,
    /// Held while databases or their files are added, changed or removed.
    pub(crate) altering: Mutex<()>,
    pub(crate) tempdb: Tempdb,
    /// Numbers and names of databases that are gone since the start: what remembers one finds no other database by it.
    pub(crate) gone: Mutex<BTreeMap<u16, String>>,
}

impl std::fmt::Debug for Databases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Databases").field("data_dir", &self.services.dir).finish_non_exhaustive()
    }
}

impl Databases {
    /// Where files lie whose place no statement says.
    #[must_use]
    pub fn folders(&self) -> &Folders {
        &self.services.folders
    }

    /// The database of that number.
    #[must_use]
    pub fn database(&self, db: DbId) -> Option<Arc<Database>> {
        let database = self.registry.read().get(&db).cloned();
        check!(database.as_ref().is_none_or(|found| found.id() == db), "{db} is registered under another's number");
        database
    }

    /// The database of that name; case does not count.
    #[must_use]
    pub fn database_by_name(&self, name: &str) -> Option<Arc<Database>> {
        self.registry.read().values().find(|database| same_name(&database.name(), name)).cloned()
    }

    /// All databases in order of their number.
    #[must_use]
    pub fn all_databases(&self) -> Vec<Arc<Database>> {
        self.registry.read().values().cloned().collect()
    }

    /// Space of a database.
    ///
    /// # Errors
    /// [`Unavailable`] when the database is not open; a number that no database has counts as offline.
    pub fn space(&self, db: DbId) -> Result<Arc<SpaceManager>, Unavailable> {
        match self.database(db) {
            Some(database) => database.space().cloned(),
            None => Err(Unavailable { name: db.to_string(), state: DatabaseState::Offline }),
        }
    }

    /// A database that may be dropped, renamed, detached: not one of the server's own.
    pub(crate) fn user_database(&self, db: DbId) -> Result<Arc<Database>, AlterDatabaseError> {
        if (1..FIRST_USER_ID).contains(&db.0) {
            return Err(AlterDatabaseError::OfTheSystem { db });
        }
        self.database(db).ok_or(AlterDatabaseError::NoDatabase { db })
    }

    /// A durable database that is online.
    pub(crate) fn durable_database(&self, db: DbId) -> Result<Arc<Database>, AlterFileError> {
        let database = self.database(db).ok_or(AlterFileError::NoDatabase(db))?;
        database.check_online()?;
        Databases::check_files_are_own(&database)?;
        Ok(database)
    }

    /// A snapshot has the files of its source, as they were, and a copy as well.
    pub(crate) fn check_files_are_own(database: &Database) -> Result<(), AlterFileError> {
        match database.origin().source {
            None => Ok(()),
            Some(_) if database.origin().is_copy() => Err(AlterFileError::OfCopy),
            Some(_) => Err(AlterFileError::OfSnapshot),
        }
    }

    /// Whether the database may get and lose files.
    pub(crate) fn check_may_change(&self, db: DbId) -> Result<(), AlterFileError> {
        match db {
            DbId::MASTER | DbId::MODEL => Err(AlterFileError::FilesAreFixed(db)),
            _ => match self.database(db) {
                None => Err(AlterFileError::NoDatabase(db)),
                Some(database) => Databases::check_files_are_own(&database),
            },
        }
    }

    /// The file of that name of an open database; case does not count.
    pub(crate) fn find_file(&self, db: DbId, name: &str) -> Result<Arc<StorageFile>, AlterFileError> {
        let files = self.services.volume.files(db);
        if files.is_empty() {
            return Err(AlterFileError::NoDatabase(db));
        }
        check!(files.iter().all(|file| file.db() == db), "{db} is asked for its files, and has another's");
        let found = files.into_iter().find(|file| same_name(&file.name(), name));
        found.ok_or_else(|| AlterFileError::NoFile { name: name.into() })
    }

    /// Whether the file was emptied: its bytes lie in other files.
    pub(crate) fn has_left(&self, file: &StorageFile) -> bool {
        file.db() == DbId::TEMPDB && file.kind() == FileKind::Data && self.tempdb.space.is_remapped(file.id())
    }

    /// What the list has of a database.
    pub(crate) fn entry(&self, db: DbId) -> Option<StoredDatabase> {
        self.settings.stored_databases().into_iter().find(|entry| entry.id() == db)
    }

    /// Whether another database goes by that identity where several decide together.
    pub(crate) fn is_identity_taken(&self, db: DbId, guid: &[u8; 16]) -> bool {
        assert!(self.altering.is_locked(), "two change the list of databases");
        self.settings.stored_databases().iter().any(|entry| entry.id() != db && entry.voter() == *guid)
    }

    /// Stores how far the making or the end of a database is.
    pub(crate) fn set_stage(&self, db: DbId, stage: Stage) -> Result<(), SettingsError> {
        assert!(self.altering.is_locked(), "two change the list of databases");
        assert!(self.entry(db).is_some(), "{db} has no entry");
        self.settings.change_databases(|list| {
            list.iter_mut().filter(|entry| entry.id() == db).for_each(|entry| entry.stage = stage);
        })
    }
}
