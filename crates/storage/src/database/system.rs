//! master, model and msdb: what they are at the first start, and that start.
//!
//! What always holds: entries are made for all three or for none; new files are durable before [`create`] returns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{Media, OpenMode, chance};

use crate::ask::Ask;
use crate::contract::{DbId, FileId};
use crate::database::boot_page::BootFacts;
use crate::database::files::{FileOwner, FilePlan, delete_remains, make_files, sync_all};
use crate::database::options::DatabaseOptions;
use crate::database::plan::ModelSizes;
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::file::growth::{Growth, Limits, PAGES_PER_MB};
use crate::open_error::{FileProblem, OpenError};
use crate::services::{RAM_PREFIX, StorageServices};
use crate::settings::databases::{Stage, StoredDatabase, StoredFile};
use millpond_device::guid::hex;

/// A file of one of these databases.
#[derive(Clone, Copy, Debug)]
struct SystemFile {
    name: &'static str,
    path: &'static str,
    pages: u32,
    growth: Growth,
}

/// One of these databases.
#[derive(Clone, Copy, Debug)]
struct SystemDatabase {
    id: DbId,
    name: &'static str,
    data: SystemFile,
    log: SystemFile,
}

const fn file(name: &'static str, path: &'static str, megabytes: u32, growth: Growth) -> SystemFile {
    SystemFile { name, path, pages: megabytes * PAGES_PER_MB, growth }
}

const TEN_PERCENT: Growth = Growth::Percent(10);
const BY_64_MB: Growth = Growth::Pages(64 * PAGES_PER_MB);

/// The databases that outlive a restart, in order of their number.
const SYSTEM_DATABASES: [SystemDatabase; 3] = [
    SystemDatabase {
        id: DbId::MASTER,
        name: "master",
        data: file("master", "master.mdf", 4, TEN_PERCENT),
        log: file("mastlog", "mastlog.ldf", 1, TEN_PERCENT),
    },
    SystemDatabase {
        id: DbId::MODEL,
        name: "model",
        data: file("modeldev", "model.mdf", 8, BY_64_MB),
        log: file("modellog", "modellog.ldf", 8, BY_64_MB),
    },
    SystemDatabase {
        id: DbId::MSDB,
        name: "msdb",
        data: file("MSDBData", "MSDBData.mdf", 4, TEN_PERCENT),
        log: file("MSDBLog", "MSDBLog.ldf", 1, TEN_PERCENT),
    },
];

/// What a new database has of model when model cannot be asked.
pub const MODEL_SIZES: ModelSizes = ModelSizes { data_pages: 8 * PAGES_PER_MB, log_pages: 8 * PAGES_PER_MB };

impl SystemDatabase {
    fn plans(&self, dir: Option<&Path>) -> Vec<FilePlan> {
        let parts = [(self.data, FileId(1), FileKind::Data), (self.log, FileId(2), FileKind::Log)];
        let path = |file: SystemFile| match dir {
            Some(dir) => dir.join(file.path),
            None => PathBuf::from(format!("{RAM_PREFIX}{}", file.path)),
        };
        let plan = |(file, id, kind): (SystemFile, FileId, FileKind)| FilePlan {
            id,
            kind,
            name: file.name.into(),
            path: path(file),
            size_pages: file.pages,
            limits: Limits { max_pages: None, growth: file.growth },
        };
        parts.into_iter().map(plan).collect()
    }

    fn options(&self) -> DatabaseOptions {
        if self.id == DbId::MODEL { DatabaseOptions::default() } else { DatabaseOptions::of_system() }
    }
}

/// The entry of a database whose files are planned.
#[must_use]
pub fn entry_of(
    services: &StorageServices,
    owner: FileOwner,
    name: &str,
    created_utc_us: i64,
    stage: Stage,
    plans: &[FilePlan],
) -> StoredDatabase {
    let file_of = |plan: &FilePlan| StoredFile {
        file_id: plan.id.0,
        name: plan.name.clone(),
        path: services.stored_path(&plan.path),
        log: plan.kind == FileKind::Log,
        spare: None,
    };
    StoredDatabase {
        id: owner.db.0,
        name: name.to_owned(),
        guid: hex(&owner.guid),
        created_utc_us,
        stage,
        restored_lsn: String::new(),
        restored_utc_us: 0,
        snapshot_of: None,
        is_copy: false,
        has_twin: false,
        is_broken: false,
        is_reverting: false,
        is_transient: false,
        files: plans.iter().map(file_of).collect(),
    }
}

/// A database with its files.
pub type Made = (StoredDatabase, Vec<Arc<StorageFile>>);

/// Makes all files of these databases and returns them with their entries. Files that exist are thrown away: the caller
/// knows that they are of a first start that did not finish.
///
/// # Errors
/// [`OpenError::File`].
pub fn create(
    ask: &Ask<'_>,
    services: &StorageServices,
    created_utc_us: i64,
    collation: &str,
) -> Result<Vec<Made>, OpenError> {
    let mut made = Vec::new();
    for database in &SYSTEM_DATABASES {
        let owner = FileOwner { db: database.id, guid: chance::guid()? };
        let plans = database.plans(services.dir.as_deref());
        plans.iter().for_each(|plan| services.remove(&plan.path));
        let boot = BootFacts::new(created_utc_us, database.options(), collation);
        let files = make_files(ask, services, owner, database.name, &plans, &boot)?;
        made.push((entry_of(services, owner, database.name, created_utc_us, Stage::Ready, &plans), files));
    }
    let files: Vec<_> = made.iter().flat_map(|(_, files)| files.clone()).collect();
    sync_all(&files)?;
    Ok(made)
}

/// Refuses a directory in which one of these files exists already.
///
/// # Errors
/// [`OpenError::File`].
pub fn refuse_existing(media: &dyn Media, dir: &Path) -> Result<(), OpenError> {
    let plans = SYSTEM_DATABASES.iter().flat_map(|database| database.plans(Some(dir)));
    match plans.into_iter().find(|plan| media.exists(&plan.path)) {
        Some(plan) => Err(OpenError::File { path: plan.path, reason: FileProblem::Unexpected }),
        None => Ok(()),
    }
}

/// Deletes what an unfinished creation or drop left of a database.
pub fn delete_remains_of(services: &StorageServices, entry: &StoredDatabase) {
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let places = entry.files.iter().flat_map(|file| std::iter::once(&file.path).chain(&file.spare));
    places.for_each(|path| {
        let path = services.resolve(path);
        delete_remains(services, &path, owner);
        // Where the power or the room ended before its header was written; there was no file of that name before.
        delete_headless(services, &path);
    });
}

/// Deletes what moves that did not end left beside the files of a database; says whether there may have been anything.
pub fn delete_spares_of(services: &StorageServices, entry: &mut StoredDatabase) -> bool {
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let places: Vec<PathBuf> = entry.files.iter().map(|file| services.resolve(&file.path)).collect();
    let spares: Vec<PathBuf> = entry.files.iter_mut().filter_map(|file| file.spare.take()).collect();
    for spare in spares.iter().map(|spare| services.resolve(spare)).filter(|spare| !places.contains(spare)) {
        delete_remains(services, &spare, owner);
        delete_headless(services, &spare);
    }
    !spares.is_empty()
}

/// A copy whose header was lost with the power begins with zeroes, as far as it goes, whatever is after them. A short file
/// with anything else in it is a user's.
fn delete_headless(services: &StorageServices, path: &Path) {
    let mut sector = [0; 512];
    let is_headless = services.open(path, OpenMode::ReadOnly).is_ok_and(|device| {
        let bytes = sector.len().min(device.len_bytes() as usize);
        device.read_at(0, &mut sector[..bytes]).is_ok() && sector.iter().all(|byte| *byte == 0)
    });
    if is_headless {
        services.remove(path);
    }
}
