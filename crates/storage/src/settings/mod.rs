//! What an instance remembers: `instance.toml` in its data directory, and the lock that keeps others out.
//!
//! ```text
//!   millpond.lock   held as long as the instance is open; holds the process number
//!   instance.toml   format, state, server GUID, sa hash, options, files of tempdb, list of durable databases
//! ```
//!
//! What always holds: the file is replaced whole (written beside, synced, renamed, directory synced), so a crash leaves
//! the old or the new one. While state is `creating` the databases beside it are worth nothing and are made again. A file
//! of a newer format is refused before anything else of it is read. An instance in memory remembers nothing.

pub mod databases;
pub mod options;
pub mod tempdb;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, Media, OpenMode};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::check;
use crate::extension::StoredExtension;
use crate::settings::databases::{StoredDatabase, StoredFile};
use crate::settings::options::{OptionChange, OptionError, OptionId, OptionReport, Options};
use crate::settings::tempdb::{TempFileSpec, TempdbConfig, check_files};
use millpond_device::guid::{bytes_of_hex, hex};

/// The newest format that this program reads. Databases of format 1 could hold nothing and had no log: such an instance keeps
/// its settings, and its databases are made anew. Format 3 has database snapshots: a program that does not know them would
/// change their sources without keeping what they need.
pub const FORMAT: i64 = 3;
/// The format of an instance without database snapshots.
const FORMAT_PLAIN: i64 = 2;
const FILE_NAME: &str = "instance.toml";
const NEW_NAME: &str = "instance.toml.new";
const LOCK_NAME: &str = "millpond.lock";
/// More than 32,767 databases with their files need.
const TEXT_BYTES_MAX: usize = 256 << 20;

/// Whether the databases exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstanceState {
    /// The first start has not finished.
    Creating,
    /// They do.
    Ready,
}

/// The contents of `instance.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    format: i64,
    /// Whether the databases exist.
    pub state: InstanceState,
    server_guid: String,
    /// When the instance was created, microseconds since 1970 UTC.
    pub created_utc_us: i64,
    /// Fingerprint of the configured list that `tempdb` was taken from.
    #[serde(default)]
    tempdb_seed: String,
    /// Opaque to us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sa_hash: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, i64>,
    /// Files of tempdb for the next start.
    #[serde(default)]
    pub tempdb: Vec<TempFileSpec>,
    /// Databases that outlive a restart, in order of their numbers.
    #[serde(default)]
    pub databases: Vec<StoredDatabase>,
    /// The buffer pool extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<StoredExtension>,
    /// Workload groups and what puts sessions into them.
    #[serde(default)]
    governor: StoredGovernor,
}

/// The resource governor as it is configured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredGovernor {
    /// ALTER RESOURCE GOVERNOR DISABLE was said.
    #[serde(default)]
    pub is_disabled: bool,
    /// Function of master that names a session's group: schema and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classifier: Option<(String, String)>,
    /// Groups of users, and the default one once it was altered.
    #[serde(default)]
    pub groups: Vec<StoredGroup>,
}

/// A workload group as it is configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredGroup {
    /// Number.
    pub id: u32,
    /// Name.
    pub name: String,
    /// GROUP_MAX_TEMPDB_DATA_MB
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tempdb_data_max_mb: Option<f64>,
}

impl Stored {
    /// A new instance.
    #[must_use]
    pub fn new(server_guid: [u8; 16], created_utc_us: i64) -> Stored {
        Stored {
            format: FORMAT_PLAIN,
            state: InstanceState::Creating,
            server_guid: hex(&server_guid),
            created_utc_us,
            tempdb_seed: String::new(),
            sa_hash: None,
            options: BTreeMap::new(),
            tempdb: Vec::new(),
            databases: Vec::new(),
            extension: None,
            governor: StoredGovernor::default(),
        }
    }

    /// The server's identity.
    #[must_use]
    pub fn server_guid(&self) -> Option<[u8; 16]> {
        bytes_of_hex(&self.server_guid)
    }

    /// The options that a server of this state starts with.
    #[must_use]
    pub fn options(&self) -> Options {
        Options::starting_with(self.options.iter().map(|(name, value)| (name.as_str(), *value)))
    }

    /// Whether `config` differs from what the list of tempdb's files was taken from: then the configuration was edited
    /// since, and goes before what ALTER DATABASE did.
    #[must_use]
    pub fn is_seeded_by(&self, config: &TempdbConfig) -> bool {
        !self.tempdb.is_empty() && self.tempdb_seed == fingerprint(config)
    }

    /// Takes the files of tempdb from the configuration.
    pub fn seed(&mut self, config: &TempdbConfig, files: Vec<TempFileSpec>) {
        self.tempdb_seed = fingerprint(config);
        self.tempdb = files;
    }
}

fn fingerprint(config: &TempdbConfig) -> String {
    // The text form, because a std hasher may differ between releases of the compiler.
    format!("{:08x}", crc32c::crc32c(format!("{config:?}").as_bytes()))
}

/// Why the settings could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Another process has the directory open.
    #[error("the data directory {dir} is in use by process {}", pid.map_or("?".into(), |p| p.to_string()))]
    InUse {
        /// Directory.
        dir: PathBuf,
        /// The other process, when it says.
        pid: Option<u32>,
    },
    /// The system refused.
    #[error("{doing} {path}: {source}")]
    System {
        /// "cannot create" …
        doing: &'static str,
        /// File or directory.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A newer program wrote it.
    #[error("{path} has format {found}, of a newer version of Millpond; this one reads formats up to {FORMAT}")]
    Newer {
        /// File.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// It is not what a program of ours writes.
    #[error(
        "{path} is damaged: {reason}; put back a copy of it, or move the data directory away and restore the databases from backups into a new one"
    )]
    Damaged {
        /// File.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

fn system(doing: &'static str, path: &Path) -> impl FnOnce(DeviceError) -> SettingsError {
    let path = path.to_path_buf();
    move |error| SettingsError::System {
        doing,
        path,
        source: match error {
            DeviceError::System { source, .. } => source,
            DeviceError::NoSpace { .. } => ErrorKind::StorageFull.into(),
            other @ DeviceError::BeyondEnd { .. } => std::io::Error::other(other.to_string()),
        },
    }
}

fn is_missing(error: &DeviceError) -> bool {
    matches!(error, DeviceError::System { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// Holds a data directory for this process.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: Arc<dyn BlockDevice>,
}

impl DirectoryLock {
    /// Makes a directory that is not there, and takes its lock.
    ///
    /// # Errors
    /// [`SettingsError::InUse`] with the number of the process that has it, [`SettingsError::System`].
    pub fn take(media: &dyn Media, dir: &Path) -> Result<DirectoryLock, SettingsError> {
        media.create_dir_all(dir).map_err(system("cannot create", dir))?;
        let path = dir.join(LOCK_NAME);
        let mode = if media.exists(&path) { OpenMode::Existing } else { OpenMode::CreateNew };
        let file = match media.open(&path, mode) {
            // Another process was faster to make it.
            Err(DeviceError::System { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                media.open(&path, OpenMode::Existing)
            }
            opened => opened,
        }
        .map_err(system("cannot open", &path))?;
        if !file.try_lock().map_err(system("cannot lock", &path))? {
            return Err(SettingsError::InUse { dir: dir.to_path_buf(), pid: pid_in(&*file) });
        }
        let text = format!("{}\n", std::process::id());
        let written = file.set_len(0).and_then(|()| file.set_len(text.len() as u64));
        written.and_then(|()| file.write_at(0, text.as_bytes())).map_err(system("cannot write", &path))?;
        Ok(DirectoryLock { _file: file })
    }
}

fn pid_in(file: &dyn BlockDevice) -> Option<u32> {
    let mut text = vec![0; usize::try_from(file.len_bytes()).ok()?.min(32)];
    file.read_at(0, &mut text).ok()?;
    String::from_utf8(text).ok()?.trim().parse().ok()
}

/// Reads `instance.toml`; `None` when there is none.
///
/// # Errors
/// [`SettingsError`].
pub fn load(media: &dyn Media, dir: &Path) -> Result<Option<Stored>, SettingsError> {
    let path = dir.join(FILE_NAME);
    let file = match media.open(&path, OpenMode::ReadOnly) {
        Ok(file) => file,
        Err(e) if is_missing(&e) => return Ok(None),
        Err(e) => return Err(system("cannot read", &path)(e)),
    };
    let mut text = vec![0; usize::try_from(file.len_bytes()).unwrap_or(usize::MAX).min(TEXT_BYTES_MAX)];
    file.read_at(0, &mut text).map_err(system("cannot read", &path))?;
    let damaged = |reason: String| SettingsError::Damaged { path: path.clone(), reason };
    let text = String::from_utf8(text).map_err(|e| damaged(e.to_string()))?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| damaged(e.message().into()))?;
    let format = table.get("format").and_then(toml::Value::as_integer);
    match format {
        Some(found) if found > FORMAT => return Err(SettingsError::Newer { path, found }),
        Some(1..=FORMAT) => {}
        _ => return Err(damaged("it has no format that any program wrote".into())),
    }
    let mut stored: Stored = table.try_into().map_err(|e: toml::de::Error| damaged(e.message().into()))?;
    if stored.server_guid().is_none() {
        return Err(damaged("its server GUID is none".into()));
    }
    if let Some(bad) = stored.databases.iter().find(|database| !database.is_sound()) {
        return Err(damaged(format!("the entry of database '{}' is none that a program wrote", bad.name)));
    }
    stored.databases.sort_by_key(|database| database.id);
    if let Some(pair) = stored.databases.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(damaged(format!("databases '{}' and '{}' have one number", pair[0].name, pair[1].name)));
    }
    if format == Some(1) {
        (stored.format, stored.state) = (FORMAT_PLAIN, InstanceState::Creating);
    }
    Ok(Some(stored))
}

/// Replaces `instance.toml`; with `durable`, returns after it would survive a power failure.
///
/// # Errors
/// [`SettingsError::System`]; the old file is then still there.
pub fn store(media: &dyn Media, dir: &Path, stored: &Stored, durable: bool) -> Result<(), SettingsError> {
    let (path, new_path) = (dir.join(FILE_NAME), dir.join(NEW_NAME));
    let has_snapshots = stored.databases.iter().any(|database| database.snapshot_of.is_some());
    let format = if has_snapshots { FORMAT } else { FORMAT_PLAIN };
    let stored = &Stored { format, ..stored.clone() };
    let text = toml::to_string(stored).expect("numbers, words and paths that came from text");
    check!(
        text.parse::<toml::Table>().ok().and_then(|table| table.try_into::<Stored>().ok()).as_ref() == Some(stored),
        "what an instance remembers does not read as it is written"
    );
    let text = format!("# Written by the server; edit millpond.toml instead.\n{text}");
    let write = || {
        let file = media.open(&new_path, OpenMode::CreateOrTruncate)?;
        file.set_len(text.len() as u64)?;
        file.write_at(0, text.as_bytes())?;
        if durable {
            file.sync()?;
        }
        media.rename(&new_path, &path)?;
        if durable { media.sync_dir(dir) } else { Ok(()) }
    };
    write().map_err(|error| {
        // What a full disk took a part of has no use.
        let _ = media.remove(&new_path);
        system("cannot write", &path)(error)
    })
}

/// The settings of an open instance.
#[derive(Debug)]
pub struct Settings {
    place: Option<(Arc<dyn Media>, PathBuf)>,
    options: Options,
    stored: Mutex<Stored>,
}

impl Settings {
    /// Settings as they were stored, and where changes are stored; in memory without a place.
    #[must_use]
    pub fn new(place: Option<(Arc<dyn Media>, PathBuf)>, stored: Stored) -> Settings {
        Settings { place, options: stored.options(), stored: Mutex::new(stored) }
    }

    /// The value of an option that is in force.
    #[must_use]
    pub fn running(&self, id: OptionId) -> i64 {
        self.options.running(id)
    }

    /// Whether a 0/1 option is on.
    #[must_use]
    pub fn is_on(&self, id: OptionId) -> bool {
        self.options.is_on(id)
    }

    /// All options with their values.
    #[must_use]
    pub fn options(&self) -> Vec<OptionReport> {
        self.options.report()
    }

    /// Finds an option as `sp_configure` does.
    ///
    /// # Errors
    /// [`OptionError`].
    pub fn find_option(&self, name: &str) -> Result<OptionReport, OptionError> {
        let info = self.options.find(name)?;
        let (configured, running) = (self.options.configured(info.id), self.options.running(info.id));
        Ok(OptionReport { info, configured, running })
    }

    /// Changes the configured value of an option: `sp_configure 'name', value`.
    ///
    /// # Errors
    /// [`OptionError`].
    pub fn set_option(&self, name: &str, value: i64) -> Result<OptionChange, OptionError> {
        self.options.set(name, value)
    }

    /// Installs and stores the configured values. [`crate::instance::Instance::reconfigure`] also acts on them.
    ///
    /// # Errors
    /// [`ReconfigureError`]; values that could not be stored run nevertheless.
    pub fn reconfigure(&self, with_override: bool) -> Result<(), ReconfigureError> {
        self.options.reconfigure(with_override)?;
        self.change(|stored| {
            stored.options = self.options.changed().into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        })?;
        Ok(())
    }

    /// The server's identity.
    #[must_use]
    pub fn server_guid(&self) -> [u8; 16] {
        self.stored.lock().server_guid().expect("checked when it was read")
    }

    /// When the instance was created, microseconds since 1970 UTC.
    #[must_use]
    pub fn created_utc_us(&self) -> i64 {
        self.stored.lock().created_utc_us
    }

    /// The hash of sa's password, as it was given.
    #[must_use]
    pub fn sa_hash(&self) -> Option<String> {
        self.stored.lock().sa_hash.clone()
    }

    /// Changes the hash of sa's password.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn set_sa_hash(&self, hash: Option<String>) -> Result<(), SettingsError> {
        self.change(|stored| stored.sa_hash = hash)
    }

    /// Files that tempdb will have at the next start.
    #[must_use]
    pub fn tempdb_files(&self) -> Vec<TempFileSpec> {
        self.stored.lock().tempdb.clone()
    }

    /// Changes the files that tempdb will have at the next start.
    pub(crate) fn change_tempdb(&self, change: impl FnOnce(&mut Vec<TempFileSpec>)) -> Result<(), SettingsError> {
        self.change(|stored| change(&mut stored.tempdb))
    }

    /// The buffer pool extension as it is configured.
    #[must_use]
    pub fn extension(&self) -> Option<StoredExtension> {
        self.stored.lock().extension.clone()
    }

    /// Changes the configuration of the buffer pool extension.
    pub(crate) fn change_extension(
        &self,
        change: impl FnOnce(&mut Option<StoredExtension>),
    ) -> Result<(), SettingsError> {
        self.change(|stored| change(&mut stored.extension))
    }

    /// The resource governor as it is configured.
    #[must_use]
    pub fn governor(&self) -> StoredGovernor {
        self.stored.lock().governor.clone()
    }

    /// Changes the configuration of the resource governor.
    ///
    /// # Errors
    /// [`SettingsError`].
    pub fn set_governor(&self, governor: StoredGovernor) -> Result<(), SettingsError> {
        self.change(|stored| stored.governor = governor)
    }

    /// The durable databases as they are stored.
    #[must_use]
    pub fn stored_databases(&self) -> Vec<StoredDatabase> {
        self.stored.lock().databases.clone()
    }

    /// Changes the list of durable databases.
    pub(crate) fn change_databases(&self, change: impl FnOnce(&mut Vec<StoredDatabase>)) -> Result<(), SettingsError> {
        self.change(|stored| {
            change(&mut stored.databases);
            stored.databases.sort_by_key(|database| database.id);
            assert!(
                stored.databases.windows(2).all(|pair| pair[0].id != pair[1].id),
                "two databases of the list have one number"
            );
        })
    }

    fn change(&self, change: impl FnOnce(&mut Stored)) -> Result<(), SettingsError> {
        let mut stored = self.stored.lock();
        let mut next = stored.clone();
        change(&mut next);
        assert!(
            next.databases.iter().all(StoredDatabase::is_sound),
            "the next start would refuse an entry of the list of databases"
        );
        let has_twice =
            |files: &[StoredFile]| files.iter().map(StoredFile::id).collect::<BTreeSet<_>>().len() < files.len();
        assert!(
            next.databases.iter().all(|database| !has_twice(&database.files)),
            "two files of a database have one number"
        );
        assert!(next.server_guid() == stored.server_guid(), "the server becomes another one");
        check!(
            next.tempdb == stored.tempdb || check_files(&next.tempdb).is_ok(),
            "the next start would refuse the files of tempdb"
        );
        if let Some((media, dir)) = &self.place {
            store(&**media, dir, &next, true)?;
        }
        *stored = next;
        Ok(())
    }
}

/// Why RECONFIGURE failed.
#[derive(Debug, thiserror::Error)]
pub enum ReconfigureError {
    /// A value is not taken.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The values could not be stored.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}
