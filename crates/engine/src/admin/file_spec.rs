//! Files as statements write them (`NAME = …, SIZE = …`), as storage takes them.
//!
//! What always holds: an option that is written twice is refused before any is heeded. It does not look at a disk.

use std::path::PathBuf;

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::database::file_change::FileChange;
use millpond_storage::file::Medium;
use millpond_storage::file::growth::Growth;
use millpond_storage::settings::tempdb::TempFileConfig;
use millpond_tsql::ast::{FileGrowth, FileLimit, FileSpec};

/// Options written twice or unknown.
///
/// # Errors
/// 1039
pub fn check_spec(file: &FileSpec) -> SqlResult<()> {
    match &file.duplicate {
        Some(option) => Err(SqlError::of(1039, 1, &[&option])),
        None => Ok(()),
    }
}

/// A new file of ALTER DATABASE … ADD FILE; what is not said has the server's default.
///
/// # Errors
/// 1036, 5133
pub fn file_of(file: &FileSpec, log: bool) -> SqlResult<TempFileConfig> {
    let name = file.name.as_ref().ok_or_else(|| SqlError::of(1036, 1, &[]))?;
    let mut config = TempFileConfig::new(name, log);
    config.path = file.file_name.as_deref().map(path_of).transpose()?;
    if let Some(kb) = file.size_kb {
        config.size_pages = pages(kb);
    }
    if let Some(limit) = file.max_size {
        config.max_pages = limit_of(limit);
    }
    if let Some(growth) = file.growth {
        config.growth = growth_of(growth).into();
    }
    Ok(config)
}

/// The one property that MODIFY FILE changes.
///
/// # Errors
/// 5038 for none, 40517 for several, 5133
pub fn file_change(file: &FileSpec) -> SqlResult<FileChange> {
    if file.offline {
        return Err(message::missing("MODIFY FILE … OFFLINE"));
    }
    let changes = [
        file.new_name.clone().map(FileChange::Name),
        file.file_name.as_deref().map(path_of).transpose()?.map(|path| FileChange::Medium(Medium::File(path))),
        file.size_kb.map(|kb| FileChange::Size { pages: pages(kb) }),
        file.max_size.map(|limit| FileChange::MaxSize { pages: limit_of(limit) }),
        file.growth.map(|growth| FileChange::Growth(growth_of(growth))),
    ];
    let mut changes = changes.into_iter().flatten();
    match (changes.next(), changes.next()) {
        (Some(change), None) => Ok(change),
        (None, _) => Err(SqlError::of(5038, 1, &[])),
        (Some(_), Some(_)) => Err(message::missing("MODIFY FILE with several properties at once")),
    }
}

/// FILENAME. Elsewhere than on Windows a drive (`f:\sql2000\tempdev.mdf`) is refused: taken literally it would be the
/// odd name of a file in the data directory.
///
/// # Errors
/// 5133
pub fn path_of(text: &str) -> SqlResult<PathBuf> {
    let mut start = text.chars();
    let has_drive = start.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && start.next() == Some(':');
    if has_drive && !cfg!(windows) {
        return Err(SqlError::of(5133, 1, &[&text, &"2(this system has no drive letters)"]));
    }
    Ok(text.into())
}

/// Pages of so many kilobytes.
#[must_use]
pub fn pages(kb: u64) -> u32 {
    u32::try_from(kb.div_ceil(8)).unwrap_or(u32::MAX)
}

/// MAXSIZE in pages; none: no bound.
#[must_use]
pub fn limit_of(limit: FileLimit) -> Option<u32> {
    match limit {
        FileLimit::Unlimited => None,
        FileLimit::Kb(kb) => Some(pages(kb)),
    }
}

/// FILEGROWTH.
#[must_use]
pub fn growth_of(growth: FileGrowth) -> Growth {
    match growth {
        FileGrowth::Kb(kb) => Growth::Pages(pages(kb)),
        FileGrowth::Percent(percent) => Growth::Percent(percent),
    }
}
