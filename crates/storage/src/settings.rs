//! What an instance remembers: `instance.toml` in its data directory, and the lock that keeps others out.
//!
//! ```text
//!   millpond.lock   held as long as the instance is open; holds the process number
//!   instance.toml   format, state, server GUID, sa hash, options, files of tempdb
//! ```
//!
//! What always holds: the file is replaced whole (written beside, synced, renamed, directory synced), so a crash leaves
//! the old or the new one. While state is `creating` the databases beside it are worth nothing and are made again. A file
//! of a newer format is refused before anything else of it is read. An instance in memory remembers nothing.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::options::{OptionChange, OptionError, OptionId, OptionReport, Options};
use crate::tempdb_files::{TempFileSpec, TempdbConfig};

/// The newest format that this program reads, and the one it writes.
pub const FORMAT: i64 = 1;
const FILE_NAME: &str = "instance.toml";
const NEW_NAME: &str = "instance.toml.new";
const LOCK_NAME: &str = "millpond.lock";

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
}

impl Stored {
    /// A new instance.
    #[must_use]
    pub fn new(server_guid: [u8; 16], created_utc_us: i64) -> Stored {
        Stored {
            format: FORMAT,
            state: InstanceState::Creating,
            server_guid: hex(&server_guid),
            created_utc_us,
            tempdb_seed: String::new(),
            sa_hash: None,
            options: BTreeMap::new(),
            tempdb: Vec::new(),
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn bytes_of_hex(text: &str) -> Option<[u8; 16]> {
    let digits = text.as_bytes();
    let pair = |at: usize| u8::from_str_radix(std::str::from_utf8(digits.get(2 * at..2 * at + 2)?).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..16).map(pair).collect();
    bytes.filter(|_| digits.len() == 32)?.try_into().ok()
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
    #[error("{path} has format {found}; this program reads formats up to {FORMAT}")]
    Newer {
        /// File.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// It is not what a program of ours writes.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// File.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

fn system(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> SettingsError {
    let path = path.to_path_buf();
    move |source| SettingsError::System { doing, path, source }
}

/// Holds a data directory for this process.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Takes the lock of a directory.
    ///
    /// # Errors
    /// [`SettingsError::InUse`] with the number of the process that has it, [`SettingsError::System`].
    pub fn take(dir: &Path) -> Result<DirectoryLock, SettingsError> {
        let path = dir.join(LOCK_NAME);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(system("cannot open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                return Err(SettingsError::InUse { dir: dir.to_path_buf(), pid: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(e)) => return Err(system("cannot lock", &path)(e)),
        }
        let written =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(system("cannot write", &path))?;
        Ok(DirectoryLock { _file: file })
    }
}

/// Reads `instance.toml`; `None` when there is none.
///
/// # Errors
/// [`SettingsError`].
pub fn load(dir: &Path) -> Result<Option<Stored>, SettingsError> {
    let path = dir.join(FILE_NAME);
    let text = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(system("cannot read", &path)(e)),
    };
    let damaged = |reason: String| SettingsError::Damaged { path: path.clone(), reason };
    let text = String::from_utf8(text).map_err(|e| damaged(e.to_string()))?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| damaged(e.message().into()))?;
    match table.get("format").and_then(toml::Value::as_integer) {
        Some(found) if found > FORMAT => return Err(SettingsError::Newer { path, found }),
        Some(FORMAT) => {}
        _ => return Err(damaged("it has no format that any program wrote".into())),
    }
    let stored: Stored = table.try_into().map_err(|e: toml::de::Error| damaged(e.message().into()))?;
    if stored.server_guid().is_none() {
        return Err(damaged("its server GUID is none".into()));
    }
    Ok(Some(stored))
}

/// Replaces `instance.toml`; with `durable`, returns after it would survive a power failure.
///
/// # Errors
/// [`SettingsError::System`]; the old file is then still there.
pub fn store(dir: &Path, stored: &Stored, durable: bool) -> Result<(), SettingsError> {
    let (path, new_path) = (dir.join(FILE_NAME), dir.join(NEW_NAME));
    let text = toml::to_string(stored).expect("numbers, words and paths that came from text");
    let text = format!("# Written by the server; edit millpond.toml instead.\n{text}");
    let write = || {
        let mut file = File::create(&new_path)?;
        file.write_all(text.as_bytes())?;
        if durable {
            file.sync_all()?;
        }
        fs::rename(&new_path, &path)?;
        if durable { sync_directory(dir) } else { Ok(()) }
    };
    write().map_err(system("cannot write", &path))
}

/// Makes a rename durable where a directory can be synced.
fn sync_directory(dir: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// The settings of an open instance.
#[derive(Debug)]
pub struct Settings {
    dir: Option<PathBuf>,
    options: Options,
    stored: Mutex<Stored>,
}

impl Settings {
    /// Settings as they were stored; in memory without `dir`.
    #[must_use]
    pub fn new(dir: Option<PathBuf>, stored: Stored) -> Settings {
        Settings { dir, options: stored.options(), stored: Mutex::new(stored) }
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
    pub(crate) fn reconfigure(&self, with_override: bool) -> Result<(), ReconfigureError> {
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

    fn change(&self, change: impl FnOnce(&mut Stored)) -> Result<(), SettingsError> {
        let mut stored = self.stored.lock();
        let mut next = stored.clone();
        change(&mut next);
        if let Some(dir) = &self.dir {
            store(dir, &next, true)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tempdb_files::number_files;

    fn sample() -> Stored {
        let mut stored = Stored::new([7; 16], 1_000);
        let config = TempdbConfig::default_for(2);
        let files = number_files(&config, false).unwrap();
        stored.seed(&config, files);
        stored.sa_hash = Some("$argon2id$v=19$m=1".into());
        stored.options.insert("max server memory (MB)".into(), 512);
        stored.state = InstanceState::Ready;
        stored
    }

    #[test]
    fn settings_come_back() {
        let dir = tempfile::tempdir().unwrap();
        assert!(load(dir.path()).unwrap().is_none());
        store(dir.path(), &sample(), true).unwrap();
        assert_eq!(load(dir.path()).unwrap().unwrap(), sample());
        assert!(!dir.path().join(NEW_NAME).exists());
    }

    #[test]
    fn newer_and_damaged_files_are_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE_NAME);
        let result_for = |text: &[u8]| {
            fs::write(&path, text).unwrap();
            let result = load(dir.path());
            assert_eq!(fs::read(&path).unwrap(), text);
            result.unwrap_err()
        };
        assert!(matches!(result_for(b"format = 2\nbrand_new = [1]"), SettingsError::Newer { found: 2, .. }));
        for bad in [&b"format = 1"[..], b"format = 'x'", b"", b"\xff\xfe", b"format = 1\nstate = 3", b"= ="] {
            assert!(matches!(result_for(bad), SettingsError::Damaged { .. }), "{bad:?}");
        }
        let text = toml::to_string(&sample()).unwrap().replace("07070707", "zz070707");
        assert!(matches!(result_for(text.as_bytes()), SettingsError::Damaged { .. }));
    }

    #[test]
    fn a_directory_has_one_owner() {
        let dir = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::take(dir.path()).unwrap();
        let refused = DirectoryLock::take(dir.path()).unwrap_err();
        let own_pid = std::process::id();
        assert!(matches!(&refused, SettingsError::InUse { pid: Some(pid), .. } if *pid == own_pid), "{refused}");
        assert!(refused.to_string().contains(&own_pid.to_string()));
        drop(lock);
        DirectoryLock::take(dir.path()).unwrap();
        let missing = DirectoryLock::take(&dir.path().join("none")).unwrap_err();
        assert!(matches!(missing, SettingsError::System { .. }));
    }

    #[test]
    fn an_edited_configuration_goes_before_what_was_altered() {
        let stored = sample();
        assert!(stored.is_seeded_by(&TempdbConfig::default_for(2)));
        assert!(!stored.is_seeded_by(&TempdbConfig::default_for(3)));
    }

    #[test]
    fn options_are_stored_by_reconfigure() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings::new(Some(dir.path().to_path_buf()), sample());
        assert_eq!(settings.running(OptionId::MaxServerMemoryMb), 512);
        settings.set_option("tempdb forward", 1).unwrap();
        settings.reconfigure(false).unwrap();
        assert!(settings.is_on(OptionId::TempdbForwardOnlySearch));
        let again = Settings::new(None, load(dir.path()).unwrap().unwrap());
        assert!(again.is_on(OptionId::TempdbForwardOnlySearch));
        assert_eq!(again.server_guid(), [7; 16]);
    }

    #[test]
    fn a_change_that_cannot_be_stored_is_not_made() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings::new(Some(dir.path().join("gone")), sample());
        assert!(settings.set_sa_hash(None).is_err());
        assert!(settings.sa_hash().is_some());
    }
}
