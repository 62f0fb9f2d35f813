//! `sys.fn_xe_file_target_read_file`: the events of files.
//!
//! What always holds: sessions write what they have before a file is read. A path without a folder is below the folder of logs. The files of
//! `system_health` are found by their name whatever folder is before it, as tools name folders of other systems; while it has none (an
//! instance in memory) its ring buffer is read instead.

use std::path::{Path, PathBuf};

use millpond_builtin::TableFunctionDef;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_engine::context::RunContext;
use millpond_engine::event_session::{self, SYSTEM_HEALTH, SYSTEM_HEALTH_ID};
use millpond_events::object::{MODULE, Package};
use millpond_events::read::{self, FileRecord};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{DateTime2, Value};

use crate::columns::{Guid, NVarChar, NVarCharMax, big, text};
use crate::dynamic::events::check_may_view;
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.fn_xe_file_target_read_file`.
    struct FnXeFileTargetReadFile {
        module_guid: Guid,
        package_guid: Guid,
        object_name: NVarChar<60>,
        event_data: NVarCharMax,
        file_name: NVarChar<260>,
        file_offset: i64,
        timestamp_utc: DateTime2,
    }
}

/// `sys.fn_xe_file_target_read_file(path, mdpath, initial_file_name, initial_offset)`
pub static FN_XE_FILE_TARGET_READ_FILE: TableFunctionDef = table_function!(
    "sys",
    "fn_xe_file_target_read_file",
    [NVarChar<260>, NVarChar<260>, NVarChar<260>, i64],
    optional 0,
    FnXeFileTargetReadFile,
    events
);

fn event(record: FileRecord, file: &str) -> FnXeFileTargetReadFile {
    let package = Package::named(&record.package).unwrap_or(Package::SqlServer);
    FnXeFileTargetReadFile {
        module_guid: Guid(MODULE),
        package_guid: Guid(package.guid()),
        object_name: text(&record.event),
        event_data: text(&record.xml),
        file_name: text(file),
        file_offset: big(record.offset),
        timestamp_utc: datetime2_of_unix_us(record.utc_us),
    }
}

fn events(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<FnXeFileTargetReadFile>> {
    check_may_view(ctx)?;
    let Some(path) = args.first().and_then(Value::as_str) else { return Ok(Rows::new()) };
    let first = args.get(2).and_then(Value::as_str);
    let after = args.get(3).and_then(Value::as_i64);
    if first.is_some() != after.is_some() {
        return Err(SqlError::of(25_719, 1, &[]));
    }
    ctx.engine.events.flush();
    let files = found(ctx, path);
    if files.is_empty() && is_of_system_health(path) {
        return Ok(of_ring(ctx));
    }
    let from = match first {
        None => 0,
        Some(first) => {
            let is_first = |file: &PathBuf| name_of(file).eq_ignore_ascii_case(name_of_text(first));
            files.iter().position(is_first).ok_or_else(|| no_file(first))?
        }
    };
    if files.is_empty() {
        return Err(no_file(path));
    }
    let mut rows = Rows::new();
    for (at, file) in files[from..].iter().enumerate() {
        let shown = file.to_string_lossy();
        let after = after.filter(|_| at == 0);
        let failed = |error: std::io::Error| SqlError::of(25_717, 1, &[&error, &shown]);
        let Some(records) = read::records(file).map_err(failed)? else { continue };
        let mut is_found = after.is_none();
        for record in records {
            ctx.heed_cancel()?;
            let offset = i64::try_from(record.offset).unwrap_or(i64::MAX);
            is_found |= after == Some(offset);
            if after.is_none_or(|after| offset > after) {
                if !is_found {
                    break;
                }
                rows.push(event(record, &shown));
            }
        }
        if let Some(after) = after.filter(|_| !is_found) {
            return Err(SqlError::of(25_722, 1, &[&after, &shown]));
        }
    }
    Ok(rows)
}

fn no_file(path: &str) -> SqlError {
    SqlError::of(25_718, 3, &[&path])
}

/// The files that a path means; those of `system_health` also where the folder is of another system.
fn found(ctx: &RunContext, path: &str) -> Vec<PathBuf> {
    let place = event_session::place(&ctx.engine);
    let at = |path: &Path| read::files(path).unwrap_or_default();
    let files = place.path(path).map(|path| at(&path)).unwrap_or_default();
    match (&place.folder, files.is_empty() && is_of_system_health(path)) {
        (Some(folder), true) => at(&folder.join(name_of_text(path))),
        _ => files,
    }
}

/// The events that `system_health` has in memory.
fn of_ring(ctx: &RunContext) -> Rows<FnXeFileTargetReadFile> {
    let Some(session) = ctx.engine.events.session(SYSTEM_HEALTH_ID) else { return Rows::new() };
    let file = format!("{SYSTEM_HEALTH}_0_0.xel");
    let records = session.ring_records();
    let row = |(at, record): (usize, &std::sync::Arc<millpond_events::record::Record>)| {
        let (event, package) = (record.event.name.to_owned(), record.event.package.name().to_owned());
        self::event(FileRecord { offset: at as u64, utc_us: record.utc_us, event, package, xml: record.xml() }, &file)
    };
    records.iter().enumerate().map(row).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The last part of a path of any system.
fn name_of_text(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a path, of any folder and with a wildcard at its end, means files of `system_health`.
fn is_of_system_health(path: &str) -> bool {
    let name = name_of_text(path).to_ascii_lowercase();
    name.starts_with(SYSTEM_HEALTH) && name.ends_with(".xel")
}

#[cfg(test)]
mod tests {
    use super::is_of_system_health;

    #[test]
    fn the_files_of_the_session_are_meant_in_any_folder() {
        for path in ["system_health*.xel", "/var/opt/mssql/log/System_Health_0_1.xel", r"C:\log\system_health*.xel"] {
            assert!(is_of_system_health(path), "{path}");
        }
        for path in ["", "system_health", "/system_health/mine*.xel", "mysystem_health*.xel"] {
            assert!(!is_of_system_health(path), "{path}");
        }
    }
}
