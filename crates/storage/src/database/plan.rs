//! CREATE DATABASE before anything happens: defaults filled in, rules checked.
//!
//! What always holds: a plan has a primary data file 1 and a log file 2; sizes are whole extents, large enough and within
//! their limits; names and places differ. Nothing here looks at the disk.

use std::path::{Path, PathBuf};

use crate::contract::{EXTENT_PAGES, FileId, PAGE_BYTES};
use crate::database::files::FilePlan;
use crate::file::file_header::FileKind;
use crate::file::growth::{Growth, Limits, round_down, round_up};
use crate::services::{Folders, RAM_PREFIX};
use crate::settings::tempdb::{DEFAULT_GROWTH, FILE_PAGES_MIN, FILES_MAX, NAME_CHARS_MAX};
use crate::space::map_init::DATA_FILE_PAGES_MIN;

/// Size of a data file without SIZE, but for the primary: 8 MB.
pub const SECONDARY_PAGES: u32 = 8 * crate::file::growth::PAGES_PER_MB;
/// Longest path.
pub const PATH_CHARS_MAX: usize = 260;

/// A file as a statement names it; what it does not say has a default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewFile {
    /// NAME
    pub name: String,
    /// FILENAME; relative to the data directory. `None`: made of the name; in memory where there is no
    /// data directory.
    pub path: Option<PathBuf>,
    /// SIZE
    pub size_pages: Option<u32>,
    /// MAXSIZE; `None`: UNLIMITED.
    pub max_pages: Option<u32>,
    /// FILEGROWTH
    pub growth: Option<Growth>,
}

/// CREATE DATABASE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewDatabase {
    /// Name.
    pub name: String,
    /// ON: the first is the primary file. Empty: one like model's.
    pub data: Vec<NewFile>,
    /// LOG ON. Empty: one of a quarter of the data files' size, or like model's.
    pub log: Vec<NewFile>,
    /// COLLATE
    pub collation: Option<String>,
}

impl NewDatabase {
    /// One like model.
    #[must_use]
    pub fn named(name: &str) -> NewDatabase {
        NewDatabase { name: name.to_owned(), ..NewDatabase::default() }
    }
}

/// What the sizes of model give to a new database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelSizes {
    /// Its primary file.
    pub data_pages: u32,
    /// Its log.
    pub log_pages: u32,
}

/// Which rule a file breaks. The numbers are SQL Server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// 103, 1038: no name that a database can have.
    #[error("'{0}' is no name for a database: it must have 1 to {NAME_CHARS_MAX} characters")]
    Name(String),
    /// The same of a file.
    #[error("'{0}' is no name for a file: it must have 1 to {NAME_CHARS_MAX} characters")]
    FileName(String),
    /// 1828: two files of one name.
    #[error("the name '{0}' is given to two files")]
    NameTwice(String),
    /// 5105: two files at one place, or a path that no file can have.
    #[error("{0} is no place for this file")]
    Path(PathBuf),
    /// 1803: no room for what model holds.
    #[error("the primary file must have at least {min_pages} pages to hold a copy of model")]
    PrimaryTooSmall {
        /// Pages of model.
        min_pages: u32,
    },
    /// 5174
    #[error("file '{name}' must have at least {min_kb} KB")]
    TooSmall {
        /// File.
        name: String,
        /// Least size.
        min_kb: u32,
    },
    /// 5103
    #[error("file '{name}': MAXSIZE is less than SIZE")]
    MaxBelowSize {
        /// File.
        name: String,
    },
    /// 5169
    #[error("file '{name}': FILEGROWTH is greater than MAXSIZE")]
    GrowthAboveMax {
        /// File.
        name: String,
    },
    /// 5033
    #[error("a database has at most {FILES_MAX} files")]
    TooManyFiles,
}

/// Whether a database or file may be called that.
#[must_use]
pub fn is_name(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.encode_utf16().count())
}

/// Whether two names are one: case does not count.
#[must_use]
pub fn same_name(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The files of a new database. Without `dir` files that are given no path lie in memory.
///
/// # Errors
/// [`PlanError`].
pub fn plan(
    new: &NewDatabase,
    model: ModelSizes,
    dir: Option<&Path>,
    folders: &Folders,
) -> Result<Vec<FilePlan>, PlanError> {
    if !is_name(&new.name) {
        return Err(PlanError::Name(new.name.clone()));
    }
    if new.data.len() + new.log.len() > FILES_MAX {
        return Err(PlanError::TooManyFiles);
    }
    let mut data = new.data.clone();
    if data.is_empty() {
        data.push(NewFile { name: new.name.clone(), ..NewFile::default() });
    }
    let mut log = new.log.clone();
    if log.is_empty() {
        log.push(default_log(new, &data, model));
    }
    let plans = number(data, log, |id, kind, file| plan_file(file, id, kind, model, (dir, folders)))?;
    check_all(&plans)?;
    assert!(
        (plans[0].id, plans[0].kind, plans[1].id, plans[1].kind)
            == (FileId(1), FileKind::Data, FileId(2), FileKind::Log),
        "a plan has a primary data file 1 and a log file 2"
    );
    assert!(plans.windows(2).all(|pair| pair[0].id < pair[1].id), "a number of a plan is given twice");
    assert!(
        plans.iter().all(|plan| plan.size_pages.is_multiple_of(EXTENT_PAGES)
            && plan.limits.max_pages.is_none_or(|max| plan.size_pages <= max)),
        "sizes of a plan are whole extents and within their limits"
    );
    Ok(plans)
}

/// Numbers files as SQL Server does: first data file 1, first log file 2, the others from 3 on.
fn number(
    data: Vec<NewFile>,
    log: Vec<NewFile>,
    make: impl Fn(FileId, FileKind, NewFile) -> Result<FilePlan, PlanError>,
) -> Result<Vec<FilePlan>, PlanError> {
    let mut next = 3_u16;
    let mut id_of = |first: bool, first_id: u16| {
        if first {
            return FileId(first_id);
        }
        next += 1;
        FileId(next - 1)
    };
    let mut plans = Vec::new();
    for (at, file) in data.into_iter().enumerate() {
        plans.push(make(id_of(at == 0, 1), FileKind::Data, file)?);
    }
    for (at, file) in log.into_iter().enumerate() {
        plans.push(make(id_of(at == 0, 2), FileKind::Log, file)?);
    }
    plans.sort_by_key(|plan| plan.id);
    Ok(plans)
}

fn default_log(new: &NewDatabase, data: &[NewFile], model: ModelSizes) -> NewFile {
    let data_pages = || -> u64 {
        let first = data.first().map(|file| file.size_pages.unwrap_or(model.data_pages));
        let others = data.iter().skip(1).map(|file| file.size_pages.unwrap_or(SECONDARY_PAGES));
        first.into_iter().chain(others).map(u64::from).sum()
    };
    let size_pages = if new.data.is_empty() {
        model.log_pages
    } else {
        let quarter = u32::try_from(data_pages() / 4).unwrap_or(u32::MAX - 8);
        round_up(quarter.max(FILE_PAGES_MIN))
    };
    let mut room = NAME_CHARS_MAX - "_log".len();
    let fits = |c: &char| room.checked_sub(c.len_utf16()).map(|left| room = left).is_some();
    let stem: String = new.name.chars().take_while(fits).collect();
    NewFile { name: format!("{stem}_log"), size_pages: Some(size_pages), ..NewFile::default() }
}

/// One file with its defaults.
///
/// # Errors
/// [`PlanError`].
pub fn plan_file(
    file: NewFile,
    id: FileId,
    kind: FileKind,
    model: ModelSizes,
    (dir, folders): (Option<&Path>, &Folders),
) -> Result<FilePlan, PlanError> {
    if !is_name(&file.name) {
        return Err(PlanError::FileName(file.name));
    }
    let default_pages = match (id.0, kind) {
        (1, _) => model.data_pages,
        (_, FileKind::Data) => SECONDARY_PAGES,
        (_, FileKind::Log) => model.log_pages,
    };
    let size_pages = round_up(file.size_pages.unwrap_or(default_pages));
    let path = match (file.path, dir) {
        (Some(path), dir) => dir.map_or_else(|| path.clone(), |dir| dir.join(&path)),
        (None, Some(dir)) => {
            let folder = if kind == FileKind::Log { &folders.log } else { &folders.data };
            assert!(!dir.as_os_str().is_empty(), "a data directory has no name");
            let folder = folder.as_ref().map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
            folder.join(default_file(&file.name, id, kind))
        }
        (None, None) => PathBuf::from(format!("{RAM_PREFIX}{}", default_file(&file.name, id, kind))),
    };
    let plan = FilePlan {
        id,
        kind,
        name: file.name,
        path,
        size_pages,
        limits: Limits {
            max_pages: file.max_pages.map(round_down),
            growth: file.growth.map_or(DEFAULT_GROWTH, Growth::rounded),
        },
    };
    check_plan(&plan, file.growth.is_some(), model)?;
    Ok(plan)
}

/// Name of a file in the data directory: what no file can be called becomes `_`.
#[must_use]
pub fn default_file(name: &str, id: FileId, kind: FileKind) -> String {
    let odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    let mut stem: String = name.chars().map(|c| if odd(c) { '_' } else { c }).collect();
    while stem.len() > 200 {
        stem.pop();
    }
    if stem.starts_with('.') {
        stem.replace_range(..1, "_");
    }
    match (kind, id.0) {
        (FileKind::Data, 1) => format!("{stem}.mdf"),
        (FileKind::Data, _) => format!("{stem}.ndf"),
        (FileKind::Log, _) => format!("{stem}.ldf"),
    }
}

fn check_plan(plan: &FilePlan, has_own_growth: bool, model: ModelSizes) -> Result<(), PlanError> {
    let name = || plan.name.clone();
    if plan.id == FileId(1) && plan.size_pages < model.data_pages {
        return Err(PlanError::PrimaryTooSmall { min_pages: model.data_pages });
    }
    let min_pages = FILE_PAGES_MIN.max(DATA_FILE_PAGES_MIN);
    if plan.size_pages < min_pages {
        return Err(PlanError::TooSmall { name: name(), min_kb: min_pages * (PAGE_BYTES as u32 / 1024) });
    }
    if plan.limits.max_pages.is_some_and(|max| max < plan.size_pages) {
        return Err(PlanError::MaxBelowSize { name: name() });
    }
    if let (true, Growth::Pages(pages), Some(max)) = (has_own_growth, plan.limits.growth, plan.limits.max_pages)
        && pages > max
    {
        return Err(PlanError::GrowthAboveMax { name: name() });
    }
    if plan.path.file_name().is_none() || plan.path.as_os_str().len() > PATH_CHARS_MAX * 4 {
        return Err(PlanError::Path(plan.path.clone()));
    }
    Ok(())
}

fn check_all(plans: &[FilePlan]) -> Result<(), PlanError> {
    for (at, plan) in plans.iter().enumerate() {
        for other in &plans[..at] {
            if same_name(&plan.name, &other.name) {
                return Err(PlanError::NameTwice(plan.name.clone()));
            }
            if plan.path == other.path {
                return Err(PlanError::Path(plan.path.clone()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: ModelSizes = ModelSizes { data_pages: 1024, log_pages: 1024 };

    fn file(name: &str, pages: u32) -> NewFile {
        NewFile { name: name.into(), size_pages: Some(pages), ..NewFile::default() }
    }

    fn plan_in_dir(new: &NewDatabase) -> Result<Vec<FilePlan>, PlanError> {
        plan(new, MODEL, Some(Path::new("/data")), &Folders::default())
    }

    #[test]
    fn a_plain_database_is_like_model() {
        let plans = plan_in_dir(&NewDatabase::named("tpcc")).unwrap();
        let facts: Vec<_> = plans.iter().map(|p| (p.id.0, p.kind, p.name.as_str(), p.size_pages)).collect();
        assert_eq!(facts, [(1, FileKind::Data, "tpcc", 1024), (2, FileKind::Log, "tpcc_log", 1024)]);
        let paths: Vec<_> = plans.iter().map(|p| p.path.clone()).collect();
        assert_eq!(paths, [Path::new("/data/tpcc.mdf"), Path::new("/data/tpcc_log.ldf")]);
        let in_memory = plan(&NewDatabase::named("x"), MODEL, None, &Folders::default()).unwrap();
        assert_eq!(in_memory[1].path, Path::new("ram:x_log.ldf"));
    }

    #[test]
    fn without_log_on_the_log_has_a_quarter_of_the_data() {
        let data = vec![file("a", 4096), NewFile { name: "b".into(), ..NewFile::default() }];
        let plans = plan_in_dir(&NewDatabase { data, ..NewDatabase::named("d") }).unwrap();
        assert_eq!(plans.iter().map(|p| p.id.0).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((plans[1].name.as_str(), plans[1].size_pages), ("d_log", (4096 + SECONDARY_PAGES) / 4));
        assert_eq!(plans[2].path, Path::new("/data/b.ndf"));
    }

    #[test]
    fn odd_names_make_plain_paths() {
        let plans = plan_in_dir(&NewDatabase::named("a/../b:c")).unwrap();
        assert_eq!(plans[0].path, Path::new("/data/a_.._b_c.mdf"));
        let plans = plan_in_dir(&NewDatabase::named("..")).unwrap();
        assert_eq!(plans[0].path, Path::new("/data/_..mdf"));
        let plans = plan_in_dir(&NewDatabase::named(&"ü".repeat(128))).unwrap();
        assert!(plans[1].name.chars().count() == 128 && plans[0].path.as_os_str().len() < 255);
    }

    #[test]
    fn each_rule_has_its_error() {
        let with = |data: Vec<NewFile>| plan_in_dir(&NewDatabase { data, ..NewDatabase::named("d") }).unwrap_err();
        assert_eq!(with(vec![file("a", 512)]), PlanError::PrimaryTooSmall { min_pages: 1024 });
        let small = with(vec![file("a", 1024), file("b", 8)]);
        assert_eq!(small, PlanError::TooSmall { name: "b".into(), min_kb: 512 });
        let limited = NewFile { max_pages: Some(512), ..file("a", 1024) };
        assert_eq!(with(vec![limited]), PlanError::MaxBelowSize { name: "a".into() });
        let fast = NewFile { max_pages: Some(2048), growth: Some(Growth::Pages(4096)), ..file("a", 1024) };
        assert_eq!(with(vec![fast]), PlanError::GrowthAboveMax { name: "a".into() });
        let tame = NewFile { max_pages: Some(2048), ..file("a", 1024) };
        plan_in_dir(&NewDatabase { data: vec![tame], ..NewDatabase::named("d") }).expect("the default growth may");
        assert_eq!(with(vec![file("a", 1024), file("A", 1024)]), PlanError::NameTwice("A".into()));
        let at = |name| NewFile { path: Some("x.ndf".into()), ..file(name, 1024) };
        assert_eq!(with(vec![at("a"), at("b")]), PlanError::Path("/data/x.ndf".into()));
        assert_eq!(with(vec![file("", 1024)]), PlanError::FileName(String::new()));
        let long = "n".repeat(129);
        assert_eq!(plan_in_dir(&NewDatabase::named(&long)).unwrap_err(), PlanError::Name(long));
        let root = NewFile { path: Some("/".into()), ..file("a", 1024) };
        assert_eq!(with(vec![root]), PlanError::Path("/".into()));
    }
}
