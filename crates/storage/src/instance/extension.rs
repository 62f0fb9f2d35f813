//! ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION, the start and the end.
//!
//! ```text
//!   ON:     checks ── file made, header of a new epoch ── settings stored ── pages enter
//!   OFF:    no page enters ── dirty pages to their files, clean ones forgotten ── settings stored ── file deleted
//!   start:  directory of the stored epoch ── pages of each database as its files are attached ── redo uses them
//!   end:    last checkpoints ── pages of memory saved ── directory durable
//! ```
//!
//! What always holds: a directory is believed only if its epoch is the stored one, and a new epoch is stored before
//! anything is written that the old directory does not know. In mode `clean` every start begins with an empty one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millpond_device::{BlockDevice, DeviceError, OpenMode};

use crate::ask::Ask;
use crate::contract::{DbId, IoFailure, WriteReason};
use crate::database::databases::Databases;
use crate::extension::device::{Extension, Parts};
use crate::extension::format::{Layout, Mark};
use crate::extension::{ExtensionMode, ExtensionReport, ExtensionState, StoredExtension, key_of};
use crate::file::file_header::FileKind;
use crate::file::io_watch::{ExtensionEvent, IoEvent};
use crate::instance::Instance;
use crate::pace::{Pace, Progress};
use crate::pool::Durability;
use crate::pool::tier::{admission, destage, keeper};
use crate::services::StorageServices;
use crate::settings::options::OptionId;
use crate::settings::{Settings, SettingsError};

/// The largest extension: times `max server memory`.
pub const TIMES_MEMORY_MAX: u64 = 32;
/// Looks at pages that are in use, with [`PAUSE`] in between, before OFF gives up.
const LOOKS_MAX: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(10);

/// Why the extension was not switched on or off. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum ExtensionError {
    /// 872
    #[error("the extension is enabled already")]
    AlreadyEnabled,
    /// 873
    #[error("the extension is disabled already")]
    AlreadyDisabled,
    /// 868
    #[error("the extension must be larger than the {memory_mb} MB of memory")]
    TooSmall {
        /// Memory of the pool.
        memory_mb: u64,
    },
    /// 864
    #[error("the extension may have {most_mb} MB at most")]
    TooLarge {
        /// Limit.
        most_mb: u64,
    },
    /// 858: the name does not end in .BPE.
    #[error("the extension's file must end in .BPE")]
    NotBpe {
        /// File.
        path: PathBuf,
    },
    /// 858: there is no such directory.
    #[error("the directory of '{path}' does not exist")]
    NoDirectory {
        /// File.
        path: PathBuf,
    },
    /// 858: the file exists.
    #[error("'{path}' exists")]
    Exists {
        /// File.
        path: PathBuf,
    },
    /// 858: the system refused.
    #[error("'{path}' of {size_mb} MB could not be made: {reason}")]
    Create {
        /// File.
        path: PathBuf,
        /// SIZE.
        size_mb: u64,
        /// Why.
        reason: DeviceError,
    },
    /// 862: its pages could not go to their files; it goes on.
    #[error("the extension could not be emptied: {reason}")]
    Busy {
        /// Why.
        reason: String,
    },
    /// The configuration could not be stored.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// Where the configuration is, once it is open.
pub(crate) type LateSettings = Arc<OnceLock<Arc<Settings>>>;

/// An extension over an open file.
fn assemble(
    services: &StorageServices,
    settings: &LateSettings,
    device: Arc<dyn BlockDevice>,
    path: PathBuf,
    stored: &StoredExtension,
    mode: ExtensionMode,
) -> Arc<Extension> {
    let (settings, logs) = (settings.clone(), services.logs.clone());
    let distrust = move || match settings.get() {
        Some(settings) => settings
            .change_extension(|extension| extension.iter_mut().for_each(|stored| stored.epoch = 0))
            .map_err(|error| error.to_string()),
        None => Err("the server is starting".to_owned()),
    };
    let marks_now = move || {
        let mark = |(db, guid, redo): (DbId, [u8; 16], _)| Mark { db, key: key_of(&guid), redo };
        logs.marks().into_iter().map(mark).collect()
    };
    device.pass_cache();
    let device = services.volume.watched_device(device);
    let (watch, place) = (services.watch.clone(), path.clone());
    let publish = move |event| watch.publish(IoEvent::Extension { path: place.clone(), event });
    Arc::new(Extension::new(Parts {
        device,
        path,
        size_bytes: stored.size_kb << 10,
        epoch: stored.epoch,
        mode,
        distrust: Box::new(distrust),
        marks_now: Box::new(marks_now),
        publish: Box::new(publish),
    }))
}

/// A number that no earlier directory of this server has.
fn new_epoch(services: &StorageServices, before: u64) -> u64 {
    let epoch = u64::try_from(services.clock.wall().utc_us).unwrap_or(0).max(before + 1);
    assert!(epoch > before, "a directory of epoch {before} would be believed as one of epoch {epoch}");
    epoch
}

/// Opens the extension of an instance that starts, before its databases; `store` stores a changed configuration. A file
/// that cannot be opened leaves the instance without extension, and the report says why.
pub(crate) fn open_at_start(
    services: &StorageServices,
    settings: &LateSettings,
    stored: &mut StoredExtension,
    mode: ExtensionMode,
    store: &mut dyn FnMut(&StoredExtension) -> Result<(), SettingsError>,
) -> Result<(), SettingsError> {
    let path = services.resolve(&stored.path);
    let opened = services.open(&path, OpenMode::Existing);
    if let (Ok(device), 1..) = (&opened, stored.epoch) {
        let extension = assemble(services, settings, device.clone(), path.clone(), stored, mode);
        if let Ok(Some(found)) = extension.find(services.server_guid) {
            // Without them the directory is written empty as soon as the databases are open, before any checkpoint.
            if mode == ExtensionMode::WriteBack {
                services.pool.tier().set_found(found);
            }
            services.pool.tier().set(Some(extension));
            return Ok(());
        }
    }
    // From here on what the file says counts no more.
    stored.epoch = new_epoch(services, stored.epoch);
    assert!(stored.epoch > 0, "a directory of epoch 0 would never be believed");
    store(stored)?;
    let size_bytes = stored.size_kb << 10;
    let device = opened.or_else(|_| services.create(&path));
    let made = device.and_then(|device| {
        if device.len_bytes() != size_bytes {
            device.set_len(size_bytes)?;
        }
        assert!(
            device.len_bytes() == size_bytes,
            "the extension's file has {} bytes, and is to have {size_bytes}",
            device.len_bytes()
        );
        let extension = assemble(services, settings, device, path.clone(), stored, mode);
        extension.format(services.server_guid)?;
        Ok(extension)
    });
    match made {
        Ok(extension) => services.pool.tier().set(Some(extension)),
        Err(error) => {
            let failure = Some(format!("opening: {error}"));
            let off = ExtensionReport { path: Some(path), failure, ..ExtensionReport::off(mode) };
            *services.pool.tier().last_failure.lock() = Some(off.clone());
            let (path, reason) = (off.path.unwrap_or_default(), off.failure.unwrap_or_default());
            services.watch.publish(IoEvent::Extension { path, event: ExtensionEvent::Failed { reason } });
        }
    }
    Ok(())
}

/// The databases of a start are open: what belongs to none of them is forgotten, durably, and the keeper begins.
pub(crate) fn settle_after_start(services: &StorageServices) {
    let Some(extension) = services.pool.tier().get() else { return };
    services.pool.tier().forget_found();
    extension.slots.note_all_changed();
    extension.write_directory(true);
    extension.publish(ExtensionEvent::Created { size_mb: extension.report().size_bytes >> 20 });
    keeper::start(&services.pool, &extension);
}

/// The extension as it is.
#[must_use]
pub fn report(instance: &Instance) -> ExtensionReport {
    let Databases { services, settings, .. } = &instance.databases;
    services.pool.tier().report(extension_mode(settings))
}

fn extension_mode(settings: &Settings) -> ExtensionMode {
    ExtensionMode::of_option(settings.running(OptionId::BufferPoolExtensionMode))
}

/// The option `buffer pool extension mode` was changed.
pub(crate) fn apply_extension_mode(instance: &Instance) {
    let Databases { services, settings, .. } = &instance.databases;
    if let Some(extension) = services.pool.tier().get() {
        extension.set_mode(extension_mode(settings));
    }
}

/// SET BUFFER POOL EXTENSION ON: makes the file, and pages that leave memory go there from now on.
///
/// # Errors
/// [`ExtensionError`]; nothing was changed.
pub fn enable_extension(instance: &Instance, path: &Path, size_kb: u64) -> Result<(), ExtensionError> {
    let Databases { services, settings, altering, .. } = &instance.databases;
    let _altering = altering.lock();
    if services.pool.tier().get().is_some() {
        return Err(ExtensionError::AlreadyEnabled);
    }
    let path = services.resolve(path);
    check_extension(instance, &path, size_kb)?;
    let before = settings.extension().map_or(0, |stored| stored.epoch);
    let epoch = new_epoch(services, before);
    let stored = StoredExtension { path: services.stored_path(&path), size_kb, epoch };
    let failed = |reason| ExtensionError::Create { path: path.clone(), size_mb: size_kb >> 10, reason };
    let device = services.create(&path).map_err(failed)?;
    let late = Arc::new(OnceLock::from(settings.clone()));
    let extension = assemble(services, &late, device.clone(), path.clone(), &stored, extension_mode(settings));
    let made = device.set_len(size_kb << 10).and_then(|()| extension.format(services.server_guid));
    let made = made.and_then(|()| services.sync_dirs([path.as_path()].into_iter()));
    if let Err(reason) = made {
        services.remove(&path);
        return Err(failed(reason));
    }
    if let Err(error) = settings.change_extension(|now| *now = Some(stored)) {
        services.remove(&path);
        return Err(error.into());
    }
    assert!(
        settings.extension().is_some_and(|stored| stored.epoch == epoch && epoch > before),
        "the epoch of a directory is stored before anything is written"
    );
    name_files(services, &extension);
    *services.pool.tier().last_failure.lock() = None;
    services.pool.tier().set(Some(extension.clone()));
    // The open databases have marks from now on: without one a start forgets a database's pages.
    extension.write_directory(true);
    keeper::start(&services.pool, &extension);
    extension.publish(ExtensionEvent::Created { size_mb: size_kb >> 10 });
    Ok(())
}

fn check_extension(instance: &Instance, path: &Path, size_kb: u64) -> Result<(), ExtensionError> {
    let services = &instance.databases.services;
    let memory_bytes = instance.memory_max_bytes();
    let size_bytes = size_kb.saturating_mul(1024);
    if size_bytes <= memory_bytes || Layout::of(size_bytes).slots == 0 {
        return Err(ExtensionError::TooSmall { memory_mb: memory_bytes >> 20 });
    }
    let most_bytes = memory_bytes.saturating_mul(TIMES_MEMORY_MAX);
    if size_bytes > most_bytes {
        return Err(ExtensionError::TooLarge { most_mb: most_bytes >> 20 });
    }
    let path = path.to_path_buf();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bpe")) {
        return Err(ExtensionError::NotBpe { path });
    }
    if !services.has_directory(&path) {
        return Err(ExtensionError::NoDirectory { path });
    }
    match services.exists(&path) {
        true => Err(ExtensionError::Exists { path }),
        false => Ok(()),
    }
}

/// Gives the extension the identities of the durable files, so that their pages are found again after a start.
fn name_files(services: &StorageServices, extension: &Extension) {
    for file in services.volume.all().into_iter().filter(|file| file.kind() == FileKind::Data) {
        let is_durable = services.pool.durability(file.db(), file.id()) == Some(Durability::Durable);
        if is_durable {
            extension.set_key(file.db(), file.id(), key_of(&file.guid()));
        }
    }
}

/// SET BUFFER POOL EXTENSION OFF: its dirty pages go to their files, the others are forgotten, its file is deleted.
///
/// # Errors
/// [`ExtensionError`]; it goes on.
pub fn disable_extension(instance: &Instance, ask: &Ask<'_>) -> Result<(), ExtensionError> {
    let Databases { services, settings, altering, .. } = &instance.databases;
    let _altering = altering.lock();
    let stored = settings.extension();
    let extension = services.pool.tier().get();
    if let Some(extension) = &extension {
        empty_extension(services, ask, extension)?;
    } else if stored.is_none() {
        return Err(ExtensionError::AlreadyDisabled);
    }
    // The file has no owner before it is deleted.
    assert!(extension.as_ref().is_none_or(|extension| extension.slots.is_empty()), "the extension goes, and has pages");
    settings.change_extension(|now| *now = None)?;
    assert!(settings.extension().is_none(), "the extension's file goes, and the next start would look for it");
    services.pool.tier().set(None);
    *services.pool.tier().last_failure.lock() = None;
    let path = extension.map(|extension| extension.path().clone());
    if let Some(path) = path.or_else(|| stored.map(|stored| services.resolve(&stored.path))) {
        services.remove(&path);
        services.watch.publish(IoEvent::Extension { path, event: ExtensionEvent::Disabled });
    }
    Ok(())
}

fn empty_extension(
    services: &StorageServices,
    ask: &Ask<'_>,
    extension: &Arc<Extension>,
) -> Result<(), ExtensionError> {
    let pool = &services.pool;
    extension.set_draining(true);
    extension.slots.close();
    let mut reason = "pages are in use".to_owned();
    for _ in 0..LOOKS_MAX {
        if !extension.is_usable() && keeper::clear_failed(&pool.sweeper, ask, extension) {
            return Ok(());
        }
        let (_, failure) =
            destage::chosen(&pool.sweeper, ask, WriteReason::Lazy, &mut Progress::of(&Pace::at_once(), 0), |_, _| true);
        if let Some(failure) = failure {
            reason = failure.to_string();
        }
        pool.buffers().clear_slots(extension);
        if extension.slots.is_empty() {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    extension.slots.open();
    extension.set_draining(false);
    Err(ExtensionError::Busy { reason })
}

/// Writes what has changed of the directory, as the keeper does once a second: what has entered until now is found
/// again after a kill.
pub fn save_extension_directory(instance: &Instance) {
    if let Some(extension) = instance.databases.services.pool.tier().get() {
        extension.write_directory(false);
    }
}

/// The last checkpoints are done: what memory has is kept for the next start.
pub(crate) fn close_extension(services: &StorageServices, ask: &Ask<'_>) -> Result<(), IoFailure> {
    let Some(extension) = services.pool.tier().get() else { return Ok(()) };
    if extension.mode() == ExtensionMode::WriteBack && extension.report().state == ExtensionState::Enabled {
        admission::save_clean_pages(&services.pool.sweeper.writer, ask);
    }
    services.pool.tier().persist(crate::contract::PageId::from_bits(0))
}
