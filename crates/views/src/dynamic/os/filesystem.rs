//! `sys.dm_os_enumerate_filesystem(path, pattern)`: files and folders below a folder whose names fit a pattern of `*` and `?`.
//!
//! What always holds: only members of sysadmin learn anything of files (15247 for others), as with `xp_dirtree`. Links are shown and
//! not followed.

use std::fs::{self, DirEntry, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::security::is_sysadmin;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime2, Value};

use crate::columns::{NVarChar, big, text};
use crate::row::{Rows, row, table_function};

/// Rows that a call gives at most: a folder of the whole machine is no answer that anybody waits for.
const ENTRIES_MAX: usize = 1_000_000;
const MICROS_PER_SECOND: i64 = 1_000_000;
const NANOS_PER_MICRO: i64 = 1_000;

row! {
    /// A row of `sys.dm_os_enumerate_filesystem`.
    struct DmOsEnumerateFilesystem {
        full_filesystem_path: NVarChar<4000>,
        parent_directory: NVarChar<4000>,
        file_or_directory_name: NVarChar<256>,
        level: i32,
        is_directory: bool,
        is_read_only: bool,
        is_system: bool,
        is_hidden: bool,
        has_integrity_stream: bool,
        is_temporary: bool,
        is_sparse: bool,
        creation_time: DateTime2,
        last_access_time: DateTime2,
        last_write_time: DateTime2,
        size_in_bytes: i64,
    }
}

/// `sys.dm_os_enumerate_filesystem(initial_directory, search_pattern)`
pub static DM_OS_ENUMERATE_FILESYSTEM: TableFunctionDef = table_function!(
    "sys",
    "dm_os_enumerate_filesystem",
    [NVarChar<4000>, NVarChar<256>],
    optional 0,
    DmOsEnumerateFilesystem,
    entries
);

fn entries(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmOsEnumerateFilesystem>> {
    let [Some(folder), Some(pattern)] = [0, 1].map(|at| args.get(at).and_then(Value::as_str)) else {
        return Ok(Rows::new());
    };
    if !is_sysadmin(ctx)? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let mut rows = Vec::new();
    add_entries(ctx, Path::new(folder), 0, &pattern, &mut rows)?;
    Ok(rows.into_iter().collect())
}

/// Adds what of a folder fits, and then what of each folder in it. What cannot be read is passed over.
fn add_entries(
    ctx: &RunContext,
    folder: &Path,
    level: i32,
    pattern: &[char],
    rows: &mut Vec<DmOsEnumerateFilesystem>,
) -> SqlResult<()> {
    ctx.watch().check()?;
    let Ok(found) = fs::read_dir(folder) else { return Ok(()) };
    let mut found: Vec<DirEntry> = found.flatten().collect();
    found.sort_by_key(DirEntry::file_name);
    for entry in &found {
        let name = entry.file_name().to_string_lossy().into_owned();
        let letters: Vec<char> = name.to_lowercase().chars().collect();
        let Ok(metadata) = entry.metadata() else { continue };
        if rows.len() < ENTRIES_MAX && fits(&letters, pattern) {
            rows.push(entry_row(ctx, folder, &name, level, &metadata));
        }
    }
    for entry in found.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        add_entries(ctx, &entry.path(), level + 1, pattern, rows)?;
    }
    Ok(())
}

fn entry_row(ctx: &RunContext, folder: &Path, name: &str, level: i32, metadata: &Metadata) -> DmOsEnumerateFilesystem {
    let moment = |seconds: i64, nanos: i64| {
        let utc_us = seconds.saturating_mul(MICROS_PER_SECOND).saturating_add(nanos / NANOS_PER_MICRO);
        datetime2_of_unix_us(inventory::local_us(ctx, utc_us))
    };
    let written = moment(metadata.mtime(), metadata.mtime_nsec());
    let created = metadata.created().ok().and_then(|made| made.duration_since(std::time::UNIX_EPOCH).ok());
    DmOsEnumerateFilesystem {
        full_filesystem_path: text(&folder.join(name).to_string_lossy()),
        parent_directory: text(&folder.to_string_lossy()),
        file_or_directory_name: text(name),
        level,
        is_directory: metadata.is_dir(),
        is_read_only: metadata.permissions().readonly(),
        is_system: false,
        is_hidden: name.starts_with('.'),
        has_integrity_stream: false,
        is_temporary: false,
        is_sparse: false,
        creation_time: created.map_or(written, |made| moment(big(made.as_secs()), i64::from(made.subsec_nanos()))),
        last_access_time: moment(metadata.atime(), metadata.atime_nsec()),
        last_write_time: written,
        size_in_bytes: if metadata.is_dir() { 0 } else { big(metadata.len()) },
    }
}

/// Whether a name fits a pattern: `*` stands for any characters, `?` for one.
fn fits(name: &[char], pattern: &[char]) -> bool {
    // Where the last `*` was, and how much of the name it stands for so far: only that one is ever tried again.
    let (mut at, mut of, mut star) = (0, 0, None);
    while at < name.len() {
        match pattern.get(of) {
            Some('*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(&letter) if letter == '?' || letter == name[at] => (at, of) = (at + 1, of + 1),
            _ => {
                let Some((star_of, star_at)) = star else { return false };
                star = Some((star_of, star_at + 1));
                (at, of) = (star_at + 1, star_of + 1);
            }
        }
    }
    pattern[of..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_are_of_stars_and_question_marks() {
        let is_fit =
            |name: &str, pattern: &str| fits(&name.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>());
        for (name, pattern) in
            [("a.bak", "*"), ("a.bak", "*.bak"), ("a.bak", "?.b?k"), ("", "*"), ("aab", "*ab"), ("a*b", "a*b")]
        {
            assert!(is_fit(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [("a.bak", "*.ba"), ("a.bak", "?"), ("", "?"), ("ab", ""), ("abc", "*b")] {
            assert!(!is_fit(name, pattern), "{name} {pattern}");
        }
    }
}
