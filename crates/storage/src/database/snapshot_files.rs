//! The files of database snapshots: over those of their sources, opened with them and let go.
//!
//! ```text
//!   source ──▶ a page is about to be overwritten in its file ──▶ sparse file (`file::sparse`)
//!   start:     files of all sources ─▶ files of snapshots, which keep pages again ─▶ logs redone
//! ```
//!
//! What always holds:
//! - V5: while there is a snapshot that is not broken, every opening of the source lets its files keep pages before the log is
//!   redone. One whose files are not what they should be is broken for good.
//! - V6: a source is not dropped, detached, restored or closed while it has snapshots, and loses no file that they have.
//!
//! How a snapshot is made is the business of `snapshot`.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::OpenMode;

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, WriteReason};
use crate::database::alter_error::AlterDatabaseError;
use crate::database::checkpoint::run_checkpoint;
use crate::database::databases::Databases;
use crate::database::files::{FileOwner, open_alone, open_file};
use crate::database::open::{HowRecovered, close_files, closed, recover_database, repair, state_after};
use crate::database::{Database, DatabaseState};
use crate::file::StorageFile;
use crate::file::file_header::{FileHeader, FileKind};
use crate::file::sparse::{Health, Overlay, SparseFile};
use crate::open_error::{FileFailure, FileProblem};
use crate::services::StorageServices;
use crate::settings::Settings;
use crate::settings::databases::{Stage, StoredDatabase, StoredFile};
use crate::wal::doublewrite::Copies;

/// A file of the source and the sparse one that is made of it.
pub(crate) struct Pair {
    pub(crate) source: Arc<StorageFile>,
    pub(crate) sparse: Arc<SparseFile>,
    pub(crate) path: PathBuf,
}

/// The file as the snapshot's database has it.
pub(crate) fn shown(services: &StorageServices, pair: &Pair) -> Arc<StorageFile> {
    let medium = services.medium_of(&pair.path);
    let overlay = Arc::new(Overlay::new(pair.sparse.clone(), pair.source.clone()));
    let header = FileHeader { size_pages: pair.sparse.pages(), ..pair.sparse.header().clone() };
    let file = Arc::new(StorageFile::new(header, medium, overlay));
    pair.sparse.charge_to(&file);
    file
}

/// The snapshots of a database, of which some may be broken.
#[must_use]
pub fn snapshots_of(databases: &Databases, source: DbId) -> Vec<StoredDatabase> {
    let mut entries = databases.settings.stored_databases();
    entries.retain(|entry| entry.source() == Some(source) && entry.stage != Stage::Creating);
    entries
}

/// Refuses while a database has snapshots (V6).
pub(crate) fn check_none(databases: &Databases, source: DbId, doing: &'static str) -> Result<(), AlterDatabaseError> {
    match snapshots_of(databases, source).into_iter().next() {
        None => Ok(()),
        Some(entry) => Err(AlterDatabaseError::HasSnapshot { name: entry.name, doing }),
    }
}

/// The source keeps nothing for it any more.
pub(crate) fn release(services: &StorageServices, entry: &StoredDatabase) {
    let Some(source) = entry.source() else { return };
    check!(source != entry.id(), "{source} is a snapshot of itself");
    services.volume.files(source).iter().for_each(|file| file.device().remove_keepers_of(entry.id()));
}

/// Opens the files of a snapshot over those of its source, which begin to keep pages again; the source's log is not redone
/// yet (V5).
///
/// # Errors
/// How the snapshot is instead; [`DatabaseState::Suspect`] where it will never be another way.
pub(crate) fn open_snapshot_files(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    copies: &Copies,
) -> Result<(Vec<Arc<StorageFile>>, Arc<Health>), DatabaseState> {
    if entry.is_broken {
        let reason = "pages of its source were lost".to_owned();
        return Err(DatabaseState::Suspect { reason });
    }
    let Some(source) = entry.source().filter(|source| !services.volume.files(*source).is_empty()) else {
        let reason = "the database that it was taken of is not open".to_owned();
        return Err(DatabaseState::RecoveryPending { reason });
    };
    let health = Arc::new(Health::of(entry.is_copy));
    let suspect = |failure: &FileFailure| DatabaseState::Suspect {
        reason: format!("{}: {}", failure.path.display(), failure.reason),
    };
    let pairs = open_pairs(services, entry, source, &health).map_err(|failure| suspect(&failure))?;
    if let Some(reason) = health.broken() {
        return Err(DatabaseState::Suspect { reason });
    }
    let logs = match (open_logs(services, entry), entry.is_copy) {
        (Ok(logs), _) => logs,
        (Err(failure), false) => return Err(suspect(&failure)),
        (Err(failure), true) => {
            let state = state_after(&failure);
            if matches!(state, DatabaseState::RecoveryPending { .. }) {
                // Its log may be there at the next start, and its pages have to be.
                pairs.iter().for_each(|pair| pair.source.device().freeze().add_keeper(pair.sparse.clone()));
            }
            return Err(state);
        }
    };
    let files: Vec<_> = pairs.iter().map(|pair| shown(services, pair)).chain(logs).collect();
    assert!(files.iter().all(|file| file.db() == entry.id()), "{} is opened with files of another", entry.id());
    assert!(!pairs.is_empty(), "{} has no file over one of its source", entry.id());
    for pair in &pairs {
        check!(pair.source.db() == source, "V5: a file of {} keeps pages for a snapshot of {source}", pair.source.db());
        pair.source.device().freeze().add_keeper(pair.sparse.clone());
    }
    files.iter().for_each(|file| services.volume.add(file.clone()));
    let identity = files.iter().find(|file| file.id() == FileId(1)).map(|file| file.guid()).unwrap_or_default();
    for copy in copies.of_database(&identity, entry.id()) {
        let own = pairs.iter().filter(|pair| pair.sparse.file() == copy.page.file);
        own.for_each(|pair| pair.sparse.note_own(copy.page.page.0));
    }
    if let Err(failure) = repair(ask, services, (entry.id(), identity), &files, copies) {
        release(services, entry);
        close_files(services, entry.id());
        return Err(suspect(&failure));
    }
    Ok((files, health))
}

/// Whether its files say that it is of no use; what cannot be read says nothing.
pub(crate) fn says_that_it_is_broken(services: &StorageServices, entry: &StoredDatabase) -> bool {
    entry.files.iter().filter(|stored| !stored.log).any(|stored| {
        let health = Arc::new(Health::of(entry.is_copy));
        let device = services.open(&services.resolve(&stored.path), OpenMode::ReadOnly);
        device.is_ok_and(|device| SparseFile::open(device, health.clone()).is_ok()) && health.broken().is_some()
    })
}

fn open_pairs(
    services: &StorageServices,
    entry: &StoredDatabase,
    source: DbId,
    health: &Arc<Health>,
) -> Result<Vec<Pair>, FileFailure> {
    let open = |stored: &StoredFile| {
        let path = services.resolve(&stored.path);
        let failed = |reason| FileFailure { path: path.clone(), reason };
        let device = open_alone(services, &path).map_err(failed)?;
        let sparse = SparseFile::open(device, health.clone()).map_err(|error| failed(error.into()))?;
        let header = sparse.header();
        let is_right = (header.db, header.file) == (entry.id(), stored.id())
            && (header.server_guid, header.database_guid) == (services.server_guid, entry.guid());
        if !is_right {
            return Err(failed(FileProblem::Misplaced));
        }
        if !sparse.is_whole() {
            return Err(failed(FileProblem::Truncated { found: 0, expected: header.size_pages }));
        }
        let file = services.volume.file(source, stored.id()).ok_or_else(|| failed(FileProblem::Missing))?;
        Ok(Pair { source: file, sparse: Arc::new(sparse), path: path.clone() })
    };
    entry.files.iter().filter(|stored| !stored.log).map(open).collect()
}

fn open_logs(services: &StorageServices, entry: &StoredDatabase) -> Result<Vec<Arc<StorageFile>>, FileFailure> {
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let open = |stored: &StoredFile| {
        let path = services.resolve(&stored.path);
        let opened = open_file(services, &path, owner, (stored.id(), FileKind::Log), None);
        opened.map_err(|reason| FileFailure { path, reason })
    };
    entry.files.iter().filter(|stored| stored.log).map(open).collect()
}

/// A snapshot whose files are open, or how it is instead.
pub(crate) type OpenedSnapshot = (StoredDatabase, Result<(Vec<Arc<StorageFile>>, Arc<Health>), DatabaseState>);

/// Does the log of an opened snapshot again.
pub(crate) fn recover_snapshot(ask: &Ask<'_>, services: &StorageServices, (entry, files): OpenedSnapshot) -> Database {
    let state = match files {
        Err(state) => state,
        Ok((files, health)) => match recover_database(ask, services, &entry, &files, HowRecovered::WHOLE) {
            Ok(database) => return database.with_health(health),
            Err(failure) => {
                release(services, &entry);
                state_after(&failure)
            }
        },
    };
    closed(&entry, state)
}

/// The source of snapshots was opened, and its log is not redone yet: opens their files. One that is open over files which are no
/// longer the source's is closed first.
pub(crate) fn open_all(databases: &Databases, ask: &Ask<'_>, source: DbId) -> Vec<OpenedSnapshot> {
    assert!(databases.altering.is_locked(), "V5: {source} is opened, and its snapshots may be made or dropped");
    let mut opened = Vec::new();
    for entry in snapshots_of(databases, source).into_iter().filter(|entry| entry.stage == Stage::Ready) {
        close(databases, ask, &entry);
        let files = open_snapshot_files(ask, &databases.services, &entry, &Copies::default());
        note_broken(databases, &entry, &files);
        opened.push((entry, files));
    }
    opened
}

/// What will never be another way stays so.
pub(crate) fn note_broken<T>(databases: &Databases, entry: &StoredDatabase, files: &Result<T, DatabaseState>) {
    if matches!(files, Err(DatabaseState::Suspect { .. })) && !entry.is_broken {
        // Where it cannot be stored the next start finds the same.
        let _ = databases.settings.change_databases(|list| mark_broken(list, entry.id()));
    }
}

/// The snapshot stays suspect until it is dropped.
pub(crate) fn mark_broken(list: &mut [StoredDatabase], snapshot: DbId) {
    list.iter_mut().filter(|entry| entry.id() == snapshot).for_each(|entry| entry.is_broken = true);
}

/// Closes a snapshot until its source is open.
pub(crate) fn close(databases: &Databases, ask: &Ask<'_>, entry: &StoredDatabase) {
    if let Some(open) = databases.database(entry.id()) {
        if let Ok(Some(log)) = open.log() {
            // What is not written now is redone.
            let _ = run_checkpoint(ask, &databases.services, &open, WriteReason::Checkpoint);
            let _ = log.close(ask);
        }
        open.mark_dropped();
    }
    release(&databases.services, entry);
    close_files(&databases.services, entry.id());
    let reason = "the database that it was taken of is not open".to_owned();
    let closed = closed(entry, DatabaseState::RecoveryPending { reason });
    databases.registry.write().insert(entry.id(), Arc::new(closed));
}

/// The snapshots of [`open_all`] become databases.
pub(crate) fn recover_all(databases: &Databases, ask: &Ask<'_>, opened: Vec<OpenedSnapshot>) {
    for snapshot in opened {
        let database = Arc::new(recover_snapshot(ask, &databases.services, snapshot));
        watch(&databases.services, &databases.settings, &database);
        databases.registry.write().insert(database.id(), database);
    }
}

/// From now on a page that is lost makes the snapshot suspect. Where its files cannot say so the list does, and where that cannot
/// be stored either the file that could not be written goes.
pub(crate) fn watch(services: &StorageServices, settings: &Arc<Settings>, snapshot: &Arc<Database>) {
    let Some(health) = snapshot.health() else { return };
    let (database, settings, media) = (Arc::downgrade(snapshot), settings.clone(), services.media.clone());
    let db = snapshot.id();
    let paths: Vec<PathBuf> = services.volume.files(db).iter().filter_map(|file| file.path()).collect();
    health.watch(Box::new(move |reason, is_marked| {
        if let Some(database) = database.upgrade() {
            database.set_state(DatabaseState::Suspect { reason: reason.to_owned() });
            // Whoever has it open asks for it again, and finds it suspect.
            database.mark_dropped();
        }
        if !is_marked && settings.change_databases(|list| mark_broken(list, db)).is_err() {
            paths.iter().for_each(|path| drop(media.remove(path)));
        }
    }));
}
