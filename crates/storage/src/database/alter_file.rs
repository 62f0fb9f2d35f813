//! ALTER DATABASE … ADD FILE and MODIFY FILE (`alter_remove` has REMOVE FILE).
//!
//! What always holds: one change at a time; a change is stored before its success is told, so that a restart has it; a
//! refused change leaves files, maps and settings as they were. Files of open databases move at once (`alter_move`), those
//! of closed ones are looked for at their new place later. master and model keep the files they have; they can be resized,
//! renamed and moved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::DeviceError;

use crate::ask::Ask;
use crate::contract::{DbId, FileId};
use crate::database::Unavailable;
use crate::database::files::FilePlan;
use crate::database::plan::{default_file, same_name};
use crate::file::file_header::FileKind;
use crate::file::growth::{Growth, round_down, round_up};
use crate::file::{Medium, StorageFile};
use crate::ground::RAM_PREFIX;
use crate::instance::{FileProblem, Instance, OpenError};
use crate::pool::PoolError;
use crate::settings::SettingsError;
use crate::settings::tempdb::{
    DeviceKind, FILES_MAX, NAME_CHARS_MAX, TempFileConfig, TempFileSpec, TempdbConfigError, check_new_file,
    default_path,
};
use crate::space::GrowthError;
use crate::space::map_pages::MapError;
use crate::tempdb::create::{Replace, attach, make, prepare, resolve};
use crate::tempdb::log_file::LogFile;
use crate::wal::checkpoint::CheckpointError;
use crate::wal::{DatabaseHandle, LogError, LogOpenError};

/// One property of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// NEWNAME.
    Name(String),
    /// FILENAME: it is moved there, while it is used.
    Medium(Medium),
    /// SIZE.
    Size {
        /// New size.
        pages: u32,
    },
    /// MAXSIZE; `None`: UNLIMITED.
    MaxSize {
        /// New limit.
        pages: Option<u32>,
    },
    /// FILEGROWTH.
    Growth(Growth),
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChanged {
    /// It holds.
    Now,
    /// It holds from the next start on (message 5018).
    AtNextStart,
    /// The file lies at its new place, and nowhere else.
    Moved,
}

/// Why a file was not added, changed or removed. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum AlterFileError {
    /// 911
    #[error("there is no database {0}")]
    NoDatabase(DbId),
    /// 945, 942 …
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 5013: master and model keep their files.
    #[error("database {0} keeps the files that it has")]
    FilesAreFixed(DbId),
    /// 5041
    #[error("there is no file '{name}'")]
    NoFile {
        /// Name.
        name: String,
    },
    /// 1828
    #[error("the name '{name}' is in use by another file")]
    NameInUse {
        /// Name.
        name: String,
    },
    /// 5103, 5169, 5174 …
    #[error(transparent)]
    Bad(#[from] TempdbConfigError),
    /// 5033
    #[error("a database has at most {FILES_MAX} files")]
    TooManyFiles,
    /// 5034
    #[error("file '{name}' is growing at this moment")]
    IsGrowing {
        /// Name.
        name: String,
    },
    /// 5039
    #[error("file '{name}' has {current_pages} pages; the new size must be larger")]
    SizeNotLarger {
        /// Name.
        name: String,
        /// Its size.
        current_pages: u32,
    },
    /// 5040
    #[error("the new size of file '{name}' is above its MAXSIZE of {max_pages} pages")]
    SizeAboveMax {
        /// Name.
        name: String,
        /// Its limit.
        max_pages: u32,
    },
    /// 5020
    #[error("'{name}' is the primary data or log file and cannot be removed")]
    Primary {
        /// Name.
        name: String,
    },
    /// 5042
    #[error("file '{name}' cannot be removed because it is not empty")]
    NotEmpty {
        /// Name.
        name: String,
    },
    /// 5042 for SIZE and FILENAME: it was emptied, and can only be removed.
    #[error("file '{name}' was emptied; it can only be removed")]
    Emptied {
        /// Name.
        name: String,
    },
    /// 5133, 5121
    #[error("the directory of {path} does not exist")]
    NoDirectory {
        /// File.
        path: PathBuf,
    },
    /// 5170
    #[error("{path} exists already")]
    FileExists {
        /// File.
        path: PathBuf,
    },
    /// 5123
    #[error("{path} cannot be made: {reason}")]
    Create {
        /// File.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
    /// 5149
    #[error("file '{name}' cannot be enlarged: {source}")]
    Enlarge {
        /// Name.
        name: String,
        /// The system's reason.
        source: DeviceError,
    },
    /// 5120
    #[error("file '{name}' cannot be moved: {source}")]
    Move {
        /// Name.
        name: String,
        /// The system's reason.
        source: DeviceError,
    },
    /// The task was cancelled; nothing changed.
    #[error("the change of file '{name}' was cancelled")]
    Cancelled {
        /// Name.
        name: String,
    },
    /// The change holds until the next start only.
    #[error("the change could not be stored: {0}")]
    Settings(#[from] SettingsError),
    /// A map page could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// 9002, 9001
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log file cannot be used.
    #[error(transparent)]
    LogFile(#[from] LogOpenError),
    /// The checkpoint that belongs to the change failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The system gave no random numbers for the file's identity.
    #[error(transparent)]
    NoChance(#[from] millpond_device::chance::NoChance),
}

impl From<MapError> for AlterFileError {
    fn from(error: MapError) -> AlterFileError {
        match error {
            MapError::Pool(error) => AlterFileError::Pool(error),
            MapError::Log(error) => AlterFileError::Log(error),
        }
    }
}

pub(crate) fn of_open(error: OpenError) -> AlterFileError {
    match error {
        OpenError::Tempdb { path, reason: FileProblem::NoDirectory, .. } => AlterFileError::NoDirectory { path },
        OpenError::Tempdb { path, reason: FileProblem::Unexpected, .. } => AlterFileError::FileExists { path },
        OpenError::Tempdb { path, reason, .. } | OpenError::File { path, reason } => {
            AlterFileError::Create { path, reason }
        }
        OpenError::Settings(error) => AlterFileError::Settings(error),
        OpenError::TempdbConfig(error) => AlterFileError::Bad(error),
        OpenError::Maps(error) => error.into(),
        OpenError::NoChance(error) => AlterFileError::NoChance(error),
    }
}

impl Instance {
    /// ADD FILE, ADD LOG FILE: the file takes part at once; returns its number.
    ///
    /// # Errors
    /// [`AlterFileError`].
    pub fn add_file(&self, ask: &Ask<'_>, db: DbId, config: &TempFileConfig) -> Result<FileId, AlterFileError> {
        let _altering = self.altering.lock();
        self.check_may_change(db)?;
        let files = self.ground.volume.files(db);
        // A file whose removal could not be stored is made again by the next start.
        let listed = if db == DbId::TEMPDB { self.settings.tempdb_files() } else { Vec::new() };
        let names = files.iter().map(|file| file.name()).chain(listed.iter().map(|spec| spec.name.clone()));
        if names.into_iter().any(|name| same_name(&name, &config.name)) {
            return Err(AlterFileError::NameInUse { name: config.name.clone() });
        }
        let is_listed = |id: &u16| listed.iter().any(|spec| spec.file_id == *id);
        // A file that is gone keeps its number as long as pages of it are in use.
        let free_id = (3..=u16::MAX).find(|id| !self.ground.volume.is_in_use(db, FileId(*id)) && !is_listed(id));
        let file_id = free_id.filter(|_| files.len() < FILES_MAX).ok_or(AlterFileError::TooManyFiles)?;
        let spec = self.spec_of_new(config, file_id);
        check_new_file(&spec)?;
        if db != DbId::TEMPDB {
            let path = self.place_of_new(&spec, config);
            let (id, kind, limits) = (spec.id(), spec.kind(), spec.limits());
            let plan = FilePlan { id, kind, name: spec.name, path, size_pages: spec.size_pages, limits };
            self.add_durable_file(ask, db, &plan)?;
            return Ok(id);
        }
        if let Some(path) = self.listed_place(&listed, &spec) {
            return Err(AlterFileError::FileExists { path });
        }
        let prepared = prepare(&*self.ground.media, self.data_dir(), &spec, Replace::Nothing).map_err(of_open)?;
        let file = make(ask, &self.ground, prepared).map_err(of_open)?;
        if let Err(error) = self.take_in(ask, &file, &spec) {
            self.throw_away(&file);
            return Err(error);
        }
        Ok(file.id())
    }

    /// The place of a new file of tempdb, if a file of the list has it, there or not.
    fn listed_place(&self, listed: &[TempFileSpec], new: &TempFileSpec) -> Option<PathBuf> {
        let place = |spec: &TempFileSpec| spec.path.as_ref().map(|path| resolve(self.data_dir(), path));
        place(new).filter(|new| listed.iter().any(|spec| place(spec).as_ref() == Some(new)))
    }

    fn spec_of_new(&self, config: &TempFileConfig, file_id: u16) -> TempFileSpec {
        // An instance without a directory has no place for a file that is given none.
        let in_memory = config.device == DeviceKind::Ram || config.path.is_none() && self.data_dir().is_none();
        let default = || PathBuf::from(default_path(file_id, config.log));
        TempFileSpec {
            file_id,
            name: config.name.clone(),
            path: if in_memory { config.path.clone() } else { Some(config.path.clone().unwrap_or_else(default)) },
            device: if in_memory { DeviceKind::Ram } else { DeviceKind::File },
            size_pages: round_up(config.size_pages),
            max_pages: config.max_pages.map(round_down),
            growth: Growth::from(config.growth).rounded().into(),
            tier: config.tier,
            log: config.log,
        }
    }

    /// Where a new file of a durable database lies: in the data directory under its name, when nobody says.
    fn place_of_new(&self, spec: &TempFileSpec, config: &TempFileConfig) -> PathBuf {
        let file =
            config.path.clone().unwrap_or_else(|| PathBuf::from(default_file(&spec.name, spec.id(), spec.kind())));
        match (&config.path, self.data_dir()) {
            (None, None) => PathBuf::from(format!("{RAM_PREFIX}{}", file.display())),
            _ => self.ground.resolve(&file),
        }
    }

    /// Makes a new file part of tempdb.
    fn take_in(&self, ask: &Ask<'_>, file: &Arc<StorageFile>, spec: &TempFileSpec) -> Result<(), AlterFileError> {
        self.ground.volume.add(file.clone());
        attach(ask, &self.ground.pool, file)?;
        self.settings.change_tempdb(|files| {
            files.push(spec.clone());
            let same = files.iter().filter(|other| other.file_id == spec.file_id || same_name(&other.name, &spec.name));
            assert!(same.count() == 1, "number or name of file '{}' is given twice", spec.name);
            files.sort_by_key(|spec| spec.file_id);
        })?;
        match file.kind() {
            FileKind::Data => self.tempdb_space().add_file(file),
            FileKind::Log => self.undo_log.add_medium(Arc::new(LogFile::new(file.clone()))),
        }
        Ok(())
    }

    /// Forgets a file and deletes it.
    pub(crate) fn throw_away(&self, file: &StorageFile) {
        self.ground.pool.detach_file(file.db(), file.id());
        self.ground.volume.remove(file.db(), file.id());
        match file.medium() {
            Medium::File(path) => self.ground.remove(&path),
            Medium::Ram => self.ground.remove(Path::new(&*file.device().name())),
        }
    }

    /// MODIFY FILE: changes one property.
    ///
    /// # Errors
    /// [`AlterFileError`].
    pub fn modify_file(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        name: &str,
        change: FileChange,
    ) -> Result<FileChanged, AlterFileError> {
        let _altering = self.altering.lock();
        if let (FileChange::Medium(medium), true) = (&change, self.is_closed(db)) {
            self.place_closed_file(db, name, medium)?;
            return Ok(FileChanged::AtNextStart);
        }
        let file = self.find_file(db, name)?;
        if let (FileChange::Size { .. } | FileChange::Medium(_), true) = (&change, self.has_left(&file)) {
            return Err(AlterFileError::Emptied { name: file.name() });
        }
        match change {
            FileChange::Name(new) => self.rename(ask, &file, &new)?,
            FileChange::Size { pages } => self.resize(ask, &file, round_up(pages))?,
            FileChange::MaxSize { pages } => self.limit(ask, &file, pages.map(round_down))?,
            FileChange::Growth(growth) => self.set_growth(ask, &file, growth.rounded())?,
            FileChange::Medium(medium) => return self.move_file(ask, &file, medium),
        }
        Ok(FileChanged::Now)
    }

    fn rename(&self, ask: &Ask<'_>, file: &StorageFile, new: &str) -> Result<(), AlterFileError> {
        if !(1..=NAME_CHARS_MAX).contains(&new.chars().count()) {
            return Err(TempdbConfigError::Name(new.into()).into());
        }
        let others = self.ground.volume.files(file.db()).into_iter().filter(|other| other.id() != file.id());
        if others.into_iter().any(|other| same_name(&other.name(), new)) {
            return Err(AlterFileError::NameInUse { name: new.into() });
        }
        self.store(ask, file, |file| file.set_name(new), |spec| spec.name = new.into())
    }

    fn resize(&self, ask: &Ask<'_>, file: &Arc<StorageFile>, pages: u32) -> Result<(), AlterFileError> {
        let (name, current_pages) = (file.name(), file.size_pages());
        if file.is_growing() {
            return Err(AlterFileError::IsGrowing { name });
        }
        if pages <= current_pages {
            return Err(AlterFileError::SizeNotLarger { name, current_pages });
        }
        if let Some(max_pages) = file.limits().max_pages.filter(|max_pages| pages > *max_pages) {
            return Err(AlterFileError::SizeAboveMax { name, max_pages });
        }
        let enlarge = |source| AlterFileError::Enlarge { name: name.clone(), source };
        let grown = match file.kind() {
            FileKind::Log => {
                let grown = file.grow_to(pages).map_err(enlarge)?;
                if let Some(log) = self.handle(file.db())?.log {
                    log.extend_file(file.id())?;
                }
                grown
            }
            FileKind::Data => {
                let handle = self.handle(file.db())?;
                self.space(file.db())?.grow_file(ask, &handle, file, pages).map_err(|e| match e {
                    GrowthError::Device(source) => enlarge(source),
                    GrowthError::Maps(error) => error.into(),
                })?
            }
        };
        assert!(
            grown > current_pages && grown <= file.size_pages(),
            "'{name}' grew from {current_pages} pages to {grown}, and has {}",
            file.size_pages()
        );
        self.store(ask, file, |file| file.set_configured_pages(grown), |spec| spec.size_pages = grown)?;
        if grown < pages {
            let wanted_bytes = u64::from(pages - grown) * 8192;
            return Err(enlarge(DeviceError::NoSpace { device: file.device().name(), wanted_bytes }));
        }
        Ok(())
    }

    fn handle(&self, db: DbId) -> Result<DatabaseHandle, AlterFileError> {
        let database = self.database(db).ok_or(AlterFileError::NoDatabase(db))?;
        Ok(database.handle()?.clone())
    }

    fn limit(&self, ask: &Ask<'_>, file: &StorageFile, max_pages: Option<u32>) -> Result<(), AlterFileError> {
        if max_pages.is_some_and(|max| max < file.size_pages()) {
            return Err(TempdbConfigError::MaxBelowSize(file.name()).into());
        }
        let limits = crate::file::growth::Limits { max_pages, ..file.limits() };
        self.store(ask, file, |file| file.set_limits(limits), |spec| spec.max_pages = max_pages)
    }

    fn set_growth(&self, ask: &Ask<'_>, file: &StorageFile, growth: Growth) -> Result<(), AlterFileError> {
        let limits = crate::file::growth::Limits { growth, ..file.limits() };
        if let (Growth::Pages(pages), Some(max)) = (growth, limits.max_pages)
            && pages > max
        {
            return Err(TempdbConfigError::GrowthAboveMax(file.name()).into());
        }
        self.store(ask, file, |file| file.set_limits(limits), |spec| spec.growth = growth.into())
    }

    fn is_closed(&self, db: DbId) -> bool {
        self.database(db).is_some_and(|database| database.handle().is_err())
    }

    /// A place for a file of tempdb: its directory must exist, and no other file of tempdb may be going there.
    pub(crate) fn check_path(&self, file: &StorageFile, path: PathBuf) -> Result<PathBuf, AlterFileError> {
        let resolved = resolve(self.data_dir(), &path);
        if !resolved.parent().is_some_and(|dir| self.ground.media.is_dir(dir)) || resolved.is_dir() {
            return Err(AlterFileError::NoDirectory { path: resolved });
        }
        let others = self.settings.tempdb_files().into_iter().filter(|spec| spec.id() != file.id());
        let mut taken = others.filter_map(|spec| spec.path).map(|other| resolve(self.data_dir(), &other));
        if taken.any(|other| other == resolved) {
            return Err(AlterFileError::FileExists { path: resolved });
        }
        Ok(path)
    }

    /// Whether the database may get and lose files.
    pub(crate) fn check_may_change(&self, db: DbId) -> Result<(), AlterFileError> {
        match db {
            DbId::MASTER | DbId::MODEL => Err(AlterFileError::FilesAreFixed(db)),
            _ if self.database(db).is_none() => Err(AlterFileError::NoDatabase(db)),
            _ => Ok(()),
        }
    }

    pub(crate) fn find_file(&self, db: DbId, name: &str) -> Result<Arc<StorageFile>, AlterFileError> {
        let files = self.ground.volume.files(db);
        if files.is_empty() {
            return Err(AlterFileError::NoDatabase(db));
        }
        let found = files.into_iter().find(|file| same_name(&file.name(), name));
        found.ok_or_else(|| AlterFileError::NoFile { name: name.into() })
    }

    /// Makes a change that holds after a restart too: in the settings for tempdb, in the file's header for the others.
    fn store(
        &self,
        ask: &Ask<'_>,
        file: &StorageFile,
        now: impl FnOnce(&StorageFile),
        next: impl FnOnce(&mut TempFileSpec),
    ) -> Result<(), AlterFileError> {
        assert!(self.altering.is_locked(), "two change the files of {}", file.db());
        if file.db() == DbId::TEMPDB {
            self.settings.change_tempdb(|files| {
                if let Some(spec) = files.iter_mut().find(|spec| spec.id() == file.id()) {
                    next(spec);
                }
            })?;
            now(file);
            return Ok(());
        }
        self.store_durable(ask, file, now)
    }
}
