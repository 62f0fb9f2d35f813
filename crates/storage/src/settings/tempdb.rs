//! What the files of tempdb should be: from the configuration, or the defaults, or as ALTER DATABASE left them.
//!
//! What always holds for a checked list: file 1 is a data file and not of the last tier, file 2 is the first log file, names
//! differ, sizes are whole extents and large enough, no limit is below its size.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::contract::{EXTENT_PAGES, FileId};
use crate::file::file_header::FileKind;
use crate::file::growth::{Growth, Limits, PAGES_PER_MB, round_up};
use crate::file::tier::Tier;
use crate::space::map_init::DATA_FILE_PAGES_MIN;

/// Size of each file by default: 8 MB.
pub const DEFAULT_PAGES: u32 = 8 * PAGES_PER_MB;
/// Growth by default: 64 MB.
pub const DEFAULT_GROWTH: Growth = Growth::Pages(64 * PAGES_PER_MB);
/// Smallest file: 512 KB.
pub const FILE_PAGES_MIN: u32 = 64;
/// Most data files by default, however many processors there are.
const DEFAULT_FILES_MAX: usize = 8;
/// Most files of a database.
pub const FILES_MAX: usize = 32767;
/// Longest logical name.
pub const NAME_CHARS_MAX: usize = 128;

/// What a file is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A file of the operating system.
    #[default]
    File,
    /// Memory of this process.
    Ram,
}

/// One file as the configuration names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TempFileConfig {
    /// Logical name.
    pub name: String,
    /// Where; a relative path is relative to the data directory. `None`: a name in the data directory.
    pub path: Option<PathBuf>,
    /// What it is made of.
    pub device: DeviceKind,
    /// SIZE.
    pub size_pages: u32,
    /// MAXSIZE; `None`: until the disk is full.
    pub max_pages: Option<u32>,
    /// FILEGROWTH.
    pub growth: GrowthConfig,
    /// When it gives space.
    pub tier: Tier,
    /// A log file.
    pub log: bool,
}

/// FILEGROWTH as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrowthConfig {
    /// By so many pages.
    Pages(u32),
    /// By so many percent.
    Percent(u32),
}

impl From<GrowthConfig> for Growth {
    fn from(config: GrowthConfig) -> Growth {
        match config {
            GrowthConfig::Pages(pages) => Growth::Pages(pages),
            GrowthConfig::Percent(percent) => Growth::Percent(percent),
        }
    }
}

impl From<Growth> for GrowthConfig {
    fn from(growth: Growth) -> GrowthConfig {
        match growth {
            Growth::Pages(pages) => GrowthConfig::Pages(pages),
            Growth::Percent(percent) => GrowthConfig::Percent(percent),
        }
    }
}

impl TempFileConfig {
    /// A file with the default size and growth.
    #[must_use]
    pub fn new(name: &str, log: bool) -> TempFileConfig {
        TempFileConfig {
            name: name.into(),
            path: None,
            device: DeviceKind::File,
            size_pages: DEFAULT_PAGES,
            max_pages: None,
            growth: DEFAULT_GROWTH.into(),
            tier: Tier::FIRST,
            log,
        }
    }
}

/// The files of tempdb as the configuration names them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TempdbConfig {
    /// Data files, the first of them primary, and log files.
    pub files: Vec<TempFileConfig>,
}

impl TempdbConfig {
    /// As SQL Server sets tempdb up: one data file per processor up to eight, one log file.
    #[must_use]
    pub fn default_for(processors: usize) -> TempdbConfig {
        let data = (1..=processors.clamp(1, DEFAULT_FILES_MAX)).map(|n| match n {
            1 => TempFileConfig::new("tempdev", false),
            n => TempFileConfig::new(&format!("temp{n}"), false),
        });
        TempdbConfig { files: data.chain([TempFileConfig::new("templog", true)]).collect() }
    }
}

/// One file with its number, as it is stored and opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TempFileSpec {
    /// Number.
    pub file_id: u16,
    /// Logical name.
    pub name: String,
    /// Where; relative to the data directory. Empty for memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// What it is made of.
    #[serde(default)]
    pub device: DeviceKind,
    /// SIZE.
    pub size_pages: u32,
    /// MAXSIZE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_pages: Option<u32>,
    /// FILEGROWTH.
    pub growth: GrowthConfig,
    /// When it gives space.
    #[serde(default, alias = "overflow", skip_serializing_if = "Tier::is_first")]
    pub tier: Tier,
    /// A log file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub log: bool,
}

impl TempFileSpec {
    /// Number.
    #[must_use]
    pub fn id(&self) -> FileId {
        FileId(self.file_id)
    }

    /// Rows or log.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        if self.log { FileKind::Log } else { FileKind::Data }
    }

    /// MAXSIZE and FILEGROWTH.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits { max_pages: self.max_pages, growth: self.growth.into() }
    }
}

/// What is wrong with a list of files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TempdbConfigError {
    /// tempdb needs both.
    #[error("tempdb needs at least one data file that is not of the last tier, and one log file")]
    FileMissing,
    /// Two files have one name or path.
    #[error("two files of tempdb are called '{0}'")]
    Twice(String),
    /// A name that no file can have.
    #[error("'{0}' is no name for a file: it must have 1 to {NAME_CHARS_MAX} characters")]
    Name(String),
    /// A file is too small (5174).
    #[error("file '{name}': its size must be at least {min_kb} KB")]
    TooSmall {
        /// File.
        name: String,
        /// Least size.
        min_kb: u32,
    },
    /// MAXSIZE below SIZE (5103).
    #[error("file '{0}': its MAXSIZE is less than its size")]
    MaxBelowSize(String),
    /// FILEGROWTH above MAXSIZE (5169).
    #[error("file '{0}': its FILEGROWTH is greater than its MAXSIZE")]
    GrowthAboveMax(String),
    /// A path for memory.
    #[error("file '{0}' lies in memory and cannot have a path")]
    PathOfRam(String),
    /// Too many (5033).
    #[error("a database has at most {FILES_MAX} files")]
    TooMany,
    /// Numbers that ALTER DATABASE never gives.
    #[error("file numbers must start with data file 1 and log file 2, and differ")]
    Numbers,
}

/// Whether a file may be like this.
///
/// # Errors
/// [`TempdbConfigError`].
pub fn check_file(file: &TempFileSpec) -> Result<(), TempdbConfigError> {
    let name = || file.name.clone();
    if !(1..=NAME_CHARS_MAX).contains(&file.name.chars().count()) {
        return Err(TempdbConfigError::Name(name()));
    }
    let min_pages = if file.log { FILE_PAGES_MIN } else { FILE_PAGES_MIN.max(DATA_FILE_PAGES_MIN) };
    if file.size_pages < min_pages {
        return Err(TempdbConfigError::TooSmall { name: name(), min_kb: min_pages * 8 });
    }
    if file.max_pages.is_some_and(|max_pages| max_pages < file.size_pages) {
        return Err(TempdbConfigError::MaxBelowSize(name()));
    }
    if file.device == DeviceKind::Ram && file.path.is_some() {
        return Err(TempdbConfigError::PathOfRam(name()));
    }
    Ok(())
}

/// Whether a file may be made like this: an increment that was chosen must not be above the limit. The default one
/// may, because it is there when none was chosen; so may one whose limit was lowered later. Growth ends at the limit.
///
/// # Errors
/// [`TempdbConfigError`].
pub fn check_new_file(file: &TempFileSpec) -> Result<(), TempdbConfigError> {
    check_file(file)?;
    match (Growth::from(file.growth), file.max_pages) {
        (DEFAULT_GROWTH, _) => Ok(()),
        (Growth::Pages(pages), Some(max)) if pages > max => Err(TempdbConfigError::GrowthAboveMax(file.name.clone())),
        _ => Ok(()),
    }
}

/// Whether the files may stand together.
///
/// # Errors
/// [`TempdbConfigError`].
pub fn check_files(files: &[TempFileSpec]) -> Result<(), TempdbConfigError> {
    if files.len() > FILES_MAX {
        return Err(TempdbConfigError::TooMany);
    }
    files.iter().try_for_each(check_file)?;
    let find = |id: u16| files.iter().find(|f| f.file_id == id);
    if !find(1).is_some_and(|f| !f.log && !f.tier.is_last()) || !find(2).is_some_and(|f| f.log) {
        return Err(TempdbConfigError::FileMissing);
    }
    let mut ids: Vec<u16> = files.iter().map(|f| f.file_id).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() != files.len() || ids[0] == 0 {
        return Err(TempdbConfigError::Numbers);
    }
    check_twice(files.iter().map(|f| f.name.to_lowercase()).collect())?;
    check_twice(files.iter().filter_map(|f| f.path.as_ref()).map(|p| p.display().to_string()).collect())
}

fn check_twice(mut words: Vec<String>) -> Result<(), TempdbConfigError> {
    words.sort_unstable();
    match words.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(TempdbConfigError::Twice(pair[0].clone())),
        None => Ok(()),
    }
}

/// Numbers the files as SQL Server does: the first data file 1, the first log file 2, the others from 3 on in their
/// order; rounds sizes and gives paths to files without one. With `in_memory` there is no data directory, and those lie in
/// memory.
///
/// # Errors
/// [`TempdbConfigError`].
pub fn number_files(config: &TempdbConfig, in_memory: bool) -> Result<Vec<TempFileSpec>, TempdbConfigError> {
    let first_data = config.files.iter().position(|f| !f.log && !f.tier.is_last());
    let first_log = config.files.iter().position(|f| f.log);
    let (Some(first_data), Some(first_log)) = (first_data, first_log) else {
        return Err(TempdbConfigError::FileMissing);
    };
    if config.files.len() > FILES_MAX {
        return Err(TempdbConfigError::TooMany);
    }
    let mut next = 3;
    let number = |at: usize, next: &mut u16| match at {
        _ if at == first_data => 1,
        _ if at == first_log => 2,
        _ => {
            *next += 1;
            *next - 1
        }
    };
    let mut specs: Vec<TempFileSpec> =
        config.files.iter().enumerate().map(|(at, file)| spec_of(file, number(at, &mut next), in_memory)).collect();
    specs.sort_by_key(|spec| spec.file_id);
    assert!(
        specs.iter().all(|spec| spec.size_pages.is_multiple_of(EXTENT_PAGES)),
        "a file of tempdb has a part of an extent"
    );
    assert!(specs.windows(2).all(|pair| pair[0].file_id < pair[1].file_id), "two files of tempdb have one number");
    specs.iter().try_for_each(check_new_file)?;
    check_files(&specs)?;
    Ok(specs)
}

fn spec_of(file: &TempFileConfig, file_id: u16, in_memory: bool) -> TempFileSpec {
    let device = if in_memory && file.path.is_none() { DeviceKind::Ram } else { file.device };
    let path = match device {
        // A path of a file that lies in memory is an error that the check finds.
        DeviceKind::Ram => file.path.clone(),
        DeviceKind::File => Some(file.path.clone().unwrap_or_else(|| default_path(file_id, file.log).into())),
    };
    TempFileSpec {
        file_id,
        name: file.name.clone(),
        path,
        device,
        size_pages: round_up(file.size_pages),
        max_pages: file.max_pages.map(crate::file::growth::round_down),
        growth: Growth::from(file.growth).rounded().into(),
        tier: file.tier,
        log: file.log,
    }
}

/// The name that a file has in the data directory.
#[must_use]
pub fn default_path(file_id: u16, log: bool) -> String {
    match (file_id, log) {
        (1, _) => "tempdb.mdf".into(),
        (2, _) => "templog.ldf".into(),
        // SQL Server counts data files from 2, and file 2 is the log.
        (id, false) => format!("tempdb_mssql_{}.ndf", id - 1),
        (id, true) => format!("templog_mssql_{}.ldf", id - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(files: Vec<TempFileConfig>) -> Result<Vec<TempFileSpec>, TempdbConfigError> {
        number_files(&TempdbConfig { files }, false)
    }

    #[test]
    fn defaults_are_those_of_the_original() {
        let specs = number_files(&TempdbConfig::default_for(3), false).unwrap();
        let names: Vec<_> = specs.iter().map(|s| (s.file_id, s.name.as_str(), s.path.as_ref().unwrap())).collect();
        let path = |name: &str| PathBuf::from(name);
        assert_eq!(
            names,
            [
                (1, "tempdev", &path("tempdb.mdf")),
                (2, "templog", &path("templog.ldf")),
                (3, "temp2", &path("tempdb_mssql_2.ndf")),
                (4, "temp3", &path("tempdb_mssql_3.ndf")),
            ]
        );
        assert!(specs.iter().all(|s| s.size_pages == 1024 && s.growth == GrowthConfig::Pages(8192)));
        assert_eq!(TempdbConfig::default_for(64).files.len(), 9);
        let in_memory = number_files(&TempdbConfig::default_for(1), true).unwrap();
        assert!(in_memory.iter().all(|s| s.device == DeviceKind::Ram && s.path.is_none()));
    }

    #[test]
    fn an_overflow_file_is_never_the_primary_one() {
        let mut overflow = TempFileConfig::new("slow", false);
        overflow.tier = Tier::LAST;
        let files = vec![overflow.clone(), TempFileConfig::new("fast", false), TempFileConfig::new("log", true)];
        let specs = numbered(files).unwrap();
        assert_eq!(specs.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["fast", "log", "slow"]);
        let files = vec![overflow, TempFileConfig::new("log", true)];
        assert_eq!(numbered(files), Err(TempdbConfigError::FileMissing));
    }

    #[test]
    fn bad_files_are_refused_by_name() {
        let with = |change: &dyn Fn(&mut TempFileConfig)| {
            let mut file = TempFileConfig::new("tempdev", false);
            change(&mut file);
            numbered(vec![file, TempFileConfig::new("templog", true)]).unwrap_err()
        };
        let name = || "tempdev".to_owned();
        assert_eq!(with(&|f| f.size_pages = 8), TempdbConfigError::TooSmall { name: name(), min_kb: 512 });
        assert_eq!(with(&|f| f.max_pages = Some(512)), TempdbConfigError::MaxBelowSize(name()));
        let growth = GrowthConfig::Pages(4096);
        let above = with(&|f| (f.max_pages, f.growth) = (Some(2048), growth));
        assert_eq!(above, TempdbConfigError::GrowthAboveMax(name()));
        assert_eq!(with(&|f| f.name = "TEMPLOG".into()), TempdbConfigError::Twice("templog".into()));
        assert_eq!(with(&|f| f.path = Some("templog.ldf".into())), TempdbConfigError::Twice("templog.ldf".into()));
        assert_eq!(with(&|f| f.name.clear()), TempdbConfigError::Name(String::new()));
        let ram = with(&|f| (f.device, f.path) = (DeviceKind::Ram, Some("x".into())));
        assert_eq!(ram, TempdbConfigError::PathOfRam(name()));
        assert_eq!(numbered(vec![TempFileConfig::new("tempdev", false)]), Err(TempdbConfigError::FileMissing));
    }
}
