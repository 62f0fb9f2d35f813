//! DBCC SHRINKFILE and SHRINKDATABASE: what is free at the end of a data file goes back to its medium, down to the size that is asked
//! for. No page is moved to make more free there; logs and files of tempdb keep their size.

use millpond_engine::arguments::database_argument;
use millpond_engine::stay::stay_for;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_query::exec::REMOVE_PATIENCE_US;
use millpond_storage::contract::{DbId, FileId};
use millpond_storage::database::file_change::AlterFileError;
use millpond_storage::database::{alter_remove, alter_shrink};
use millpond_storage::instance::file_report::FileReport;
use millpond_types::{SqlType, Value};

/// `DBCC SHRINKFILE (file [, EMPTYFILE | size [, NOTRUNCATE | TRUNCATEONLY]])`
pub static SHRINKFILE: DbccDef = DbccDef {
    name: "SHRINKFILE",
    syntax: "( { 'file_name' | file_id }
    { [ , EMPTYFILE ] | [ [ , target_size ] [ , { NOTRUNCATE | TRUNCATEONLY } ] ] } )
    [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["WAIT_AT_LOW_PRIORITY", "NO_INFOMSGS"] },
    run: shrink_file,
};

/// `DBCC SHRINKDATABASE (database [, percent] [, NOTRUNCATE | TRUNCATEONLY])`
pub static SHRINKDATABASE: DbccDef = DbccDef {
    name: "SHRINKDATABASE",
    syntax: "( 'database_name' | database_id | 0 [ , target_percent ] [ , { NOTRUNCATE | TRUNCATEONLY } ] )
    [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["WAIT_AT_LOW_PRIORITY", "NO_INFOMSGS"] },
    run: shrink_database,
};

/// Pages of a megabyte.
const MB_PAGES: i64 = 128;

/// How a file is to become smaller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Plain,
    /// EMPTYFILE
    Empty,
    /// NOTRUNCATE: pages would move, and nothing is given back.
    NoTruncate,
    /// TRUNCATEONLY: whatever is free at the end.
    TruncateOnly,
}

/// What stands after the first argument: a number of at most `max`, and a word.
///
/// # Errors
/// 2560 for what is neither.
fn said(call: &SystemCall<'_>, max: i64) -> SqlResult<(Option<i64>, How)> {
    let (mut number, mut how) = (None, How::Plain);
    for at in 1..call.args.len() {
        let wrong = || SqlError::of(2560, 9, &[&(at + 1)]);
        match call.positional(at) {
            Some(Value::Str(word)) if how == How::Plain => {
                how = match word.as_str().to_ascii_uppercase().as_str() {
                    "EMPTYFILE" => How::Empty,
                    "NOTRUNCATE" => How::NoTruncate,
                    "TRUNCATEONLY" => How::TruncateOnly,
                    _ => return Err(wrong()),
                };
            }
            Some(value) if number.is_none() && how == How::Plain => {
                number = Some(value.as_i64().filter(|number| (0..=max).contains(number)).ok_or_else(wrong)?);
            }
            _ => return Err(wrong()),
        }
    }
    Ok((number, how))
}

/// # Errors
/// 8920 in a transaction, 7992 for a database that is only read.
fn check(call: &SystemCall<'_>, db: DbId, word: &str) -> SqlResult<()> {
    let ctx = call.ctx();
    if ctx.facts.tran_count > 0 {
        return Err(SqlError::of(8920, 1, &[&word]));
    }
    if ctx.engine.txns().is_read_only(db) {
        return Err(SqlError::of(7992, 1, &[&ctx.engine.database_name(db).unwrap_or_default()]));
    }
    Ok(())
}

fn shrink_file(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let file = named_file(call)?;
    let (megabytes, how) = said(call, i64::from(i32::MAX))?;
    check(call, file.db, "shrinkfile")?;
    match how {
        How::Empty if megabytes.is_some() => return Err(SqlError::of(2560, 9, &[&3])),
        How::Empty => empty(call, &file)?,
        How::NoTruncate => {}
        How::TruncateOnly => drop(shrink(call, &file, 0)?),
        How::Plain => {
            let wanted = megabytes.filter(|size| *size > 0).map(|size| u32::try_from(size * MB_PAGES));
            let least = wanted.map_or(file.configured_pages, |pages| pages.unwrap_or(u32::MAX));
            if let Some(Ok(pages)) = wanted.filter(|pages| pages.is_ok_and(|pages| pages > file.size_pages)) {
                let name = call.ctx().engine.database_name(file.db).unwrap_or_default();
                if !call.option("NO_INFOMSGS") {
                    call.inform(7993, &[&file.file, &name, &pages, &file.size_pages]);
                }
            }
            shrink(call, &file, least)?;
        }
    }
    let rows = sizes(call, file.db, &[file.file]);
    send(call, rows)
}

fn shrink_database(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let db = database_argument(call.ctx(), call.positional(0))?;
    let _stay = stay_for(call.ctx(), db)?;
    let (percent, how) = said(call, 99)?;
    if how == How::Empty {
        return Err(SqlError::of(2560, 9, &[&2]));
    }
    check(call, db, "shrinkdatabase")?;
    let (instance, mut shrunk) = (call.ctx().engine.instance().clone(), Vec::new());
    let space = instance.space_report(db);
    for file in instance.files(db) {
        let used = space.iter().find(|space| space.file == file.file).map_or(0, |space| space.allocated);
        // So much of the file is to be free.
        let free = percent.filter(|_| how != How::TruncateOnly).unwrap_or(0);
        let wanted = (i64::try_from(used).unwrap_or(i64::MAX).saturating_mul(100) / (100 - free)).max(0);
        let least = u32::try_from(wanted).unwrap_or(u32::MAX).max(file.configured_pages);
        match how {
            How::NoTruncate => {}
            _ if shrink(call, &file, least)? < file.size_pages => shrunk.push(file.file),
            _ if call.option("NO_INFOMSGS") => {}
            _ => call.inform(5201, &[&file.file, &db]),
        }
    }
    let rows = sizes(call, db, &shrunk);
    send(call, rows)
}

/// The size of a file from then on, in pages.
fn shrink(call: &SystemCall<'_>, file: &FileReport, least_pages: u32) -> SqlResult<u32> {
    let (instance, ask) = (call.ctx().engine.instance(), call.ctx().ask_other());
    let done = alter_shrink::shrink_file(instance.databases(), &ask, file.db, &file.name, least_pages);
    done.map_err(|error| message::of_alter_file(&error))
}

fn empty(call: &SystemCall<'_>, file: &FileReport) -> SqlResult<()> {
    let (instance, ask) = (call.ctx().engine.instance(), call.ctx().ask_other());
    match alter_remove::empty_file(instance.databases(), &ask, file.db, &file.name, REMOVE_PATIENCE_US) {
        Ok(true) => Ok(()),
        Ok(false) if file.db != DbId::TEMPDB => {
            Err(message::missing("DBCC SHRINKFILE (…, EMPTYFILE) of a file of a user database that has pages"))
        }
        Ok(false) | Err(AlterFileError::NotEmpty { .. } | AlterFileError::Primary { .. }) => {
            Err(SqlError::of(2555, 1, &[&file.name]))
        }
        Err(error) => Err(message::of_alter_file(&error)),
    }
}

/// The file of the first argument, a name or a number, of the current database.
fn named_file(call: &SystemCall<'_>) -> SqlResult<FileReport> {
    let (engine, db) = (&call.ctx().engine, call.ctx().facts.database);
    let is_meant = |file: &FileReport| match call.positional(0) {
        Some(Value::Str(name)) => name.as_str().eq_ignore_ascii_case(&file.name),
        Some(value) => value.as_i64() == Some(i64::from(file.file.0)),
        None => false,
    };
    let named = call.positional(0).map_or_else(String::new, |value| match value.as_str() {
        Some(name) => name.to_owned(),
        None => value.as_i64().unwrap_or_default().to_string(),
    });
    engine.instance().files(db).into_iter().find(is_meant).ok_or_else(|| {
        let database = engine.database_name(db).unwrap_or_default();
        SqlError::of(8985, 1, &[&named, &database])
    })
}

/// What files of a database are like now.
fn sizes(call: &SystemCall<'_>, db: DbId, wanted: &[FileId]) -> Vec<Vec<Value>> {
    let instance = call.ctx().engine.instance();
    let space = instance.space_report(db);
    let row = |file: FileReport| {
        let used = space.iter().find(|space| space.file == file.file).map_or(0, |space| space.allocated);
        let used = Value::Int(i32::try_from(used).unwrap_or(i32::MAX));
        vec![
            Value::SmallInt(file.db.0.cast_signed()),
            Value::Int(file.file.0.into()),
            Value::Int(file.size_pages.cast_signed()),
            Value::Int(file.configured_pages.cast_signed()),
            used.clone(),
            used,
        ]
    };
    instance.files(db).into_iter().filter(|file| wanted.contains(&file.file)).map(row).collect()
}

fn send(call: &mut SystemCall<'_>, rows: Vec<Vec<Value>>) -> SqlResult<()> {
    if call.option("NO_INFOMSGS") {
        return Ok(());
    }
    call.result(
        &[
            ("DbId", SqlType::SmallInt),
            ("FileId", SqlType::Int),
            ("CurrentSize", SqlType::Int),
            ("MinimumSize", SqlType::Int),
            ("UsedPages", SqlType::Int),
            ("EstimatedPages", SqlType::Int),
        ],
        rows,
    )
}
