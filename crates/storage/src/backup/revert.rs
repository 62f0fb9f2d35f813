//! RESTORE DATABASE … FROM DATABASE_SNAPSHOT.
//!
//! ```text
//!   entry Restoring ─▶ source closed ─▶ snapshot closed ─▶ pages of the sparse files in their places, the snapshot's log for the
//!   source's ─▶ opened, redone ─▶ entry Ready ─▶ snapshot opened over it again
//! ```
//!
//! What always holds:
//! - V7: while a source is put back the list says so; done again, that ends the same way, because the sparse files stay as they
//!   are. Nothing else opens it meanwhile.
//! - V8: the source's files keep pages for the snapshot until nothing of the source is in memory any more: what is written of it
//!   in the background while the list is stored would be in neither of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, OpenMode};

use crate::ask::Ask;
use crate::backup::restore::RestoreError;
use crate::check;
use crate::contract::{PAGE_BYTES, WriteReason};
use crate::database::checkpoint::run_checkpoint;
use crate::database::databases::Databases;
use crate::database::files::{FileOwner, make_own};
use crate::database::open::{HowRecovered, close_files, closed, open_files, recover_database};
use crate::database::snapshot_files::{close, note_broken, open_snapshot_files, recover_all, snapshots_of};
use crate::database::{Database, DatabaseState};
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::file::sparse::SparseFile;
use crate::open_error::{FileFailure, FileProblem, problem_of_opening};
use crate::services::StorageServices;
use crate::settings::SettingsError;
use crate::settings::databases::{Stage, StoredDatabase};
use crate::wal::doublewrite::Copies;

/// RESTORE DATABASE … FROM DATABASE_SNAPSHOT: the database is what it was when the snapshot was taken, and the snapshot is there
/// still. Sessions of both are gone. It begins a chain of log backups of its own.
///
/// # Errors
/// [`RestoreError`]; [`RestoreError::CannotRevert`] has changed nothing. After another one the database may be being restored, and
/// the same statement goes on.
pub fn revert(
    databases: &Databases,
    ask: &Ask<'_>,
    name: &str,
    snapshot: &str,
) -> Result<(Arc<Database>, Arc<Database>), RestoreError> {
    let _altering = databases.altering.lock();
    let find = |name: &str| databases.database_by_name(name).and_then(|found| databases.entry(found.id()));
    let (source, snapshot) = find(name).zip(find(snapshot)).ok_or(RestoreError::CannotRevert)?;
    let is_one = snapshot.is_snapshot()
        && snapshot.source() == Some(source.id())
        && snapshots_of(databases, source.id()).len() == 1;
    let is_sound = !snapshot.is_broken && databases.database(snapshot.id()).is_some_and(|open| is_whole(&open));
    let is_reachable = source.stage == Stage::Ready || source.is_reverting;
    if !is_one || !is_sound || !is_reachable || !has_files(&databases.services, &snapshot, &source) {
        return Err(RestoreError::CannotRevert);
    }
    let files = databases.services.volume.files(source.id());
    sync_data(&files)?;
    let mut entry = StoredDatabase { stage: Stage::Restoring, is_reverting: true, ..source.clone() };
    for file in &mut entry.files {
        if let Some(then) = snapshot.files.iter().find(|then| then.file_id == file.file_id) {
            file.name.clone_from(&then.name);
        }
    }
    let gone: Vec<PathBuf> = entry
        .files
        .extract_if(.., |file| snapshot.files.iter().all(|then| then.file_id != file.file_id))
        .map(|file| databases.services.resolve(&file.path))
        .collect();
    put_entry(databases, &entry)?;
    if let Some(old) = databases.database(source.id()) {
        if let Ok(Some(log)) = old.log() {
            log.close_broken("the database is being restored");
        }
        old.mark_dropped();
    }
    close_files(&databases.services, source.id());
    databases.registry.write().insert(source.id(), Arc::new(closed(&entry, DatabaseState::Restoring)));
    close(databases, ask, &snapshot);
    files.iter().for_each(|file| file.device().remove_keepers_of(snapshot.id()));
    // Whoever has one of them still does not keep it from being opened.
    drop(files);
    check!(
        databases.entry(entry.id()).is_some_and(|stored| stored.is_reverting && stored.stage == Stage::Restoring),
        "V7: pages of database {} are put back, and its entry does not say so",
        entry.id
    );
    assert!(entry.is_sound(), "V7: database {} is put back to no first two files", entry.id);
    put_back(&databases.services, &entry, &snapshot)?;
    gone.iter().for_each(|path| databases.services.remove(path));
    open_reverted(databases, ask, &entry, &snapshot)
}

fn is_whole(snapshot: &Database) -> bool {
    !matches!(snapshot.state(), DatabaseState::Suspect { .. })
}

fn has_files(services: &StorageServices, snapshot: &StoredDatabase, source: &StoredDatabase) -> bool {
    let has = |entry: &StoredDatabase, file: u16| {
        let stored = entry.files.iter().find(|stored| stored.file_id == file);
        stored.is_some_and(|stored| services.exists(&services.resolve(&stored.path)))
    };
    snapshot.files.iter().all(|file| has(snapshot, file.file_id) && has(source, file.file_id))
}

/// What was written before the split, and is in no sparse file, is durable: while a database is being restored, no start looks in
/// the doublewrite area for a page of it that a power failure tore.
fn sync_data(files: &[Arc<StorageFile>]) -> Result<(), FileFailure> {
    files.iter().filter(|file| file.kind() == FileKind::Data).try_for_each(|file| {
        let path = file.path().unwrap_or_default();
        file.device().sync().map_err(|error| FileFailure { path, reason: error.into() })
    })
}

fn put_entry(databases: &Databases, entry: &StoredDatabase) -> Result<(), SettingsError> {
    databases.settings.change_databases(|list| {
        list.retain(|other| other.id() != entry.id());
        list.push(entry.clone());
    })
}

/// Makes the closed files of a source what those of the closed snapshot say: pages in their places, the log beside and renamed.
fn put_back(services: &StorageServices, entry: &StoredDatabase, snapshot: &StoredDatabase) -> Result<(), FileFailure> {
    assert!(
        services.volume.files(entry.id()).is_empty() && services.volume.files(snapshot.id()).is_empty(),
        "V7: files of database {} or its snapshot are open while they are put back",
        entry.id
    );
    check!(entry.guid == snapshot.guid, "V7: database {} is put back to another one's pages", entry.id);
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let mut paths = Vec::new();
    for file in &entry.files {
        let path = services.resolve(&file.path);
        let failed = |reason| FileFailure { path: path.clone(), reason };
        let of_device = |error: DeviceError| failed(FileProblem::from(error));
        let open =
            |path: &Path| services.open(path, OpenMode::Existing).map_err(|error| failed(problem_of_opening(error)));
        let Some(then) = snapshot.files.iter().find(|then| then.file_id == file.file_id) else { continue };
        let kept = open(&services.resolve(&then.path))?;
        if file.log {
            let mut beside = path.clone().into_os_string();
            beside.push(".restoring");
            let beside = PathBuf::from(beside);
            services.remove(&beside);
            let device = services.create(&beside).map_err(|error| failed(problem_of_opening(error)))?;
            copy_device(&*kept, &*device).map_err(of_device)?;
            make_own(&*device, owner, services.server_guid).map_err(failed)?;
            device.sync().map_err(of_device)?;
            services.rename(&beside, &path).map_err(of_device)?;
        } else {
            let sparse = SparseFile::open(kept, Arc::default()).map_err(|error| failed(error.into()))?;
            sparse.put_back(&*open(&path)?).map_err(of_device)?;
        }
        paths.push(path);
    }
    let synced = services.sync_dirs(paths.iter().map(PathBuf::as_path));
    synced.map_err(|error| FileFailure { path: paths[0].clone(), reason: error.into() })
}

/// Copies what is not zeroes to an empty device. Of a snapshot's log little was ever written: the rest is not read.
fn copy_device(from: &dyn BlockDevice, to: &dyn BlockDevice) -> Result<(), DeviceError> {
    const CHUNK_BYTES: u64 = 1 << 20;
    let bytes = from.len_bytes();
    to.set_len(bytes)?;
    let mut buffer = vec![0; CHUNK_BYTES as usize];
    let mut at = 0;
    while let Some(written) = from.written_after(at).filter(|written| written.start < bytes) {
        at = at.max(written.start / PAGE_BYTES as u64 * PAGE_BYTES as u64);
        let end = written.end.next_multiple_of(PAGE_BYTES as u64).min(bytes);
        while at < end {
            let chunk = &mut buffer[..CHUNK_BYTES.min(end - at) as usize];
            from.read_at(at, chunk)?;
            if chunk.iter().any(|byte| *byte != 0) {
                to.write_at(at, chunk)?;
            }
            at += chunk.len() as u64;
        }
    }
    Ok(())
}

/// Opens a source that was put back, and its snapshot over it.
fn open_reverted(
    databases: &Databases,
    ask: &Ask<'_>,
    entry: &StoredDatabase,
    snapshot: &StoredDatabase,
) -> Result<(Arc<Database>, Arc<Database>), RestoreError> {
    let services = &databases.services;
    let files = open_files(ask, services, entry, &Copies::default())?;
    let shown = open_snapshot_files(ask, services, snapshot, &Copies::default());
    note_broken(databases, snapshot, &shown);
    let database = recover_database(ask, services, entry, &files, HowRecovered::SPLIT)?;
    database.set_chain(ask, None)?;
    run_checkpoint(ask, services, &database, WriteReason::Recovery)?;
    put_entry(databases, &StoredDatabase { stage: Stage::Ready, is_reverting: false, ..entry.clone() })?;
    assert!(
        databases.entry(entry.id()).is_some_and(|stored| !stored.is_reverting),
        "V7: database {} is as it was, and the next start would wait for more",
        entry.id
    );
    let database = Arc::new(database);
    databases.registry.write().insert(entry.id(), database.clone());
    recover_all(databases, ask, vec![(snapshot.clone(), shown)]);
    let snapshot = databases.database(snapshot.id()).ok_or(RestoreError::CannotRevert)?;
    Ok((database, snapshot))
}
