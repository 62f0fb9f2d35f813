//! The start of an instance: services, the first start's databases, the later starts' recovery.
//!
//! ```text
//!   first:  Creating stored ── files of master, model, msdb ── their logs ── Ready stored
//!   later:  files of all databases, torn pages repaired ── area laid for the next ones ── logs redone, side by side
//! ```
//!
//! What always holds: until Ready is stored the next start begins anew. Without master there is no server; any other
//! database that cannot be opened is there and says why.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, machine};

use crate::ask::Ask;
use crate::contract::DbId;
use crate::database::open::{HowRecovered, closed, open_files, open_new, recover_database, state_after};
use crate::database::snapshot_files::{
    OpenedSnapshot, mark_broken, open_snapshot_files, recover_snapshot, says_that_it_is_broken,
};
use crate::database::{Database, DatabaseState, system};
use crate::extension::ExtensionMode;
use crate::file::StorageFile;
use crate::file::io_watch::IoWatch;
use crate::file::volume::Volume;
use crate::instance::config::{InstanceConfig, memory_bytes};
use crate::instance::extension::{LateSettings, open_at_start};
use crate::open_error::OpenError;
use crate::pool::{Pool, PoolConfig};
use crate::services::{Folders, StorageServices};
use crate::settings;
use crate::settings::databases::{Stage, StoredDatabase};
use crate::settings::options::OptionId;
use crate::settings::tempdb::{TempdbConfig, check_files, number_files};
use crate::settings::{InstanceState, Settings, Stored};
use crate::wait::WaitStats;
use crate::wal::Logs;
use crate::wal::doublewrite::Copies;
use crate::wal::page_road::{PageRoad, open_area};

/// What the databases will stand on.
pub fn lay_ground(config: &InstanceConfig, server_guid: [u8; 16], settings: &Settings) -> StorageServices {
    let waits = Arc::new(WaitStats::new(config.clock.clone()));
    let watch = Arc::new(IoWatch::new(config.clock.clone()));
    let volume = Arc::new(Volume::watched(watch.clone()));
    let max_bytes = memory_bytes(settings, config.max_memory_bytes);
    let road = Arc::new(PageRoad::new(volume.clone()));
    let pool = PoolConfig { eviction: config.eviction, ..PoolConfig::new(max_bytes, config.clock.clone()) };
    let pool = Pool::new(pool, road.clone(), waits.clone());
    let logs = Arc::new(Logs::default());
    pool.set_log_rule(logs.clone());
    StorageServices {
        media: config.media.clone(),
        dir: config.data_dir.clone(),
        folders: if config.data_dir.is_some() { config.folders.clone() } else { Folders::default() },
        server_guid,
        volume,
        watch,
        road,
        pool,
        waits,
        clock: config.clock.clone(),
        health: Arc::default(),
        logs,
        wakeup: Arc::default(),
        ram: Arc::default(),
        backups: Arc::default(),
    }
}

/// Opens the buffer pool extension before the databases, so that their recovery finds its pages.
pub fn open_extension(
    services: &StorageServices,
    stored: &mut Stored,
    settings: &Settings,
) -> Result<LateSettings, OpenError> {
    let late = LateSettings::default();
    let Some(mut extension) = stored.extension.clone() else { return Ok(late) };
    let mode = ExtensionMode::of_option(settings.running(OptionId::BufferPoolExtensionMode));
    open_at_start(services, &late, &mut extension, mode, &mut |changed| {
        stored.extension = Some(changed.clone());
        match &services.dir {
            Some(dir) => settings::store(&*services.media, dir, stored, true),
            None => Ok(()),
        }
    })?;
    Ok(late)
}

/// Settles which files tempdb gets: those of the configuration when it is new or was edited, else the stored ones, else
/// the defaults. Says whether the stored list changed.
pub fn settle_tempdb(stored: &mut Stored, config: &InstanceConfig) -> Result<bool, OpenError> {
    let keeps_stored = match &config.tempdb {
        Some(config) => stored.is_seeded_by(config),
        None => !stored.tempdb.is_empty(),
    };
    if keeps_stored {
        check_files(&stored.tempdb)?;
        return Ok(false);
    }
    let default = || TempdbConfig::default_for(machine::processors());
    let wanted = config.tempdb.clone().unwrap_or_else(default);
    let files = number_files(&wanted, config.data_dir.is_none())?;
    stored.seed(&wanted, files);
    Ok(true)
}

/// Makes master, model and msdb with the server's collation; `was_stored`: an earlier start came so far that it stored its settings.
pub fn first_start(
    ask: &Ask<'_>,
    services: &StorageServices,
    stored: &mut Stored,
    was_stored: bool,
    collation: &str,
) -> Result<Vec<Database>, OpenError> {
    if let (Some(dir), false) = (&services.dir, was_stored) {
        system::refuse_existing(&*services.media, dir)?;
        settings::store(&*services.media, dir, stored, false)?;
    }
    if let (Some((area, _)), Some(dir)) = (area_of(services)?, &services.dir) {
        services.road.lay_area(area, &Copies::default()).map_err(|error| area_failure(dir, error))?;
    }
    let made = system::create(ask, services, stored.created_utc_us, collation)?;
    stored.databases = made.iter().map(|(entry, _)| entry.clone()).collect();
    let databases = all_at_once(made, |(entry, files)| Ok(open_new(ask, services, &entry, &files)?))?;
    assert!(
        databases.iter().any(|database| database.id() == DbId::MASTER && database.check_online().is_ok()),
        "there is no server without master"
    );
    stored.state = InstanceState::Ready;
    if let Some(dir) = &services.dir {
        settings::store(&*services.media, dir, stored, true)?;
    }
    Ok(databases)
}

/// Opens the databases of the list. First the files of all, with repair of torn pages, then the area for the next ones,
/// then the logs. Without master there is no server; any other database that cannot be opened says why.
pub fn later_start(ask: &Ask<'_>, services: &StorageServices, stored: &mut Stored) -> Result<Vec<Database>, OpenError> {
    let (area, copies) = area_of(services)?.unzip();
    let copies = copies.unwrap_or_default();
    let mut opened = Vec::new();
    let entries = stored.databases.clone();
    for entry in entries.iter().filter(|entry| entry.source().is_none() && !entry.is_remains()) {
        match entry.stage {
            Stage::Creating | Stage::Dropping => unreachable!("they are remains"),
            Stage::Offline => opened.push((entry, Err(DatabaseState::Offline))),
            Stage::Restoring => opened.push((entry, Err(DatabaseState::Restoring))),
            Stage::Ready => match open_files(ask, services, entry, &copies) {
                Ok(files) => opened.push((entry, Ok(files))),
                Err(failure) if entry.id() == DbId::MASTER => return Err(failure.into()),
                Err(failure) => opened.push((entry, Err(state_after(&failure)))),
            },
        }
    }
    let snapshots = open_snapshots(ask, services, stored, &copies)?;
    if let (Some(area), Some(dir)) = (area, &services.dir) {
        services.road.lay_area(area, &copies).map_err(|error| area_failure(dir, error))?;
    }
    let recover = |(entry, files): (&StoredDatabase, Result<Vec<Arc<StorageFile>>, DatabaseState>)| match files {
        Err(state) => Ok(closed(entry, state)),
        Ok(files) => {
            recover_database(ask, services, entry, &files, HowRecovered::WHOLE).or_else(|failure| match entry.id() {
                DbId::MASTER => Err(failure.into()),
                _ => Ok(closed(entry, state_after(&failure))),
            })
        }
    };
    let recover_any = |one: Opened<'_>| match one {
        Opened::Plain(entry, files) => recover((entry, files)),
        Opened::Snapshot(snapshot) => Ok(recover_snapshot(ask, services, *snapshot)),
    };
    let plain = opened.into_iter().map(|(entry, files)| Opened::Plain(entry, files));
    let snapshots = snapshots.into_iter().map(|snapshot| Opened::Snapshot(Box::new(snapshot)));
    all_at_once(plain.chain(snapshots).collect(), recover_any)
}

/// A database whose files are open, or how it is instead.
enum Opened<'e> {
    Plain(&'e StoredDatabase, Result<Vec<Arc<StorageFile>>, DatabaseState>),
    Snapshot(Box<OpenedSnapshot>),
}

/// Opens the files of database snapshots, before the logs of their sources are redone. One whose files are not what they should
/// be is so for good, because its source goes on without it: the list says so first.
fn open_snapshots(
    ask: &Ask<'_>,
    services: &StorageServices,
    stored: &mut Stored,
    copies: &Copies,
) -> Result<Vec<OpenedSnapshot>, OpenError> {
    let mut snapshots: Vec<OpenedSnapshot> = Vec::new();
    let is_there = |entry: &&StoredDatabase| entry.stage == Stage::Ready && !entry.is_remains();
    for entry in stored.databases.iter().filter(|entry| entry.source().is_some()).filter(is_there) {
        snapshots.push((entry.clone(), open_snapshot_files(ask, services, entry, copies)));
    }
    let broken: Vec<DbId> = snapshots
        .iter()
        .filter(|(entry, files)| !entry.is_broken && matches!(files, Err(DatabaseState::Suspect { .. })))
        .map(|(entry, _)| entry.id())
        .collect();
    if let (Some(dir), false) = (&services.dir, broken.is_empty()) {
        broken.iter().for_each(|snapshot| mark_broken(&mut stored.databases, *snapshot));
        let stored = settings::store(&*services.media, dir, stored, true);
        let mut entries = snapshots.iter().map(|(entry, _)| entry).filter(|entry| broken.contains(&entry.id()));
        // A full disk is no reason where the files say it too.
        if !entries.all(|entry| says_that_it_is_broken(services, entry)) {
            stored?;
        }
    }
    Ok(snapshots)
}

/// Does the same to several databases side by side: each waits for syncs of its own files.
fn all_at_once<T: Send, R: Send>(
    items: Vec<T>,
    work: impl Fn(T) -> Result<R, OpenError> + Sync,
) -> Result<Vec<R>, OpenError> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The doublewrite area and what it holds.
type Area = (Arc<dyn BlockDevice>, Copies);

/// Opens the area; there is none in memory.
fn area_of(services: &StorageServices) -> Result<Option<Area>, OpenError> {
    let open = |dir: &PathBuf| open_area(&*services.media, dir).map_err(|error| area_failure(dir, error));
    services.dir.as_ref().map(open).transpose()
}

fn area_failure(dir: &Path, error: DeviceError) -> OpenError {
    OpenError::File { path: dir.to_path_buf(), reason: error.into() }
}

/// Finishes what a crash interrupted; says whether the list changed.
pub fn delete_unfinished(services: &StorageServices, stored: &mut Stored) -> bool {
    assert!(stored.state == InstanceState::Ready, "until a start has finished, the next begins anew");
    let before = stored.databases.len();
    stored.databases.retain(|entry| {
        if entry.is_remains() {
            system::delete_remains_of(services, entry);
        }
        !entry.is_remains()
    });
    let had_spares = stored.databases.iter_mut().map(|entry| system::delete_spares_of(services, entry));
    let had_spares = had_spares.filter(|had| *had).count() > 0;
    had_spares || stored.databases.len() != before
}
