//! DBCC SHRINKFILE and SHRINKDATABASE: files can be emptied here, they do not become smaller, and the commands say so.

use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_query::exec::REMOVE_PATIENCE_US;
use millpond_storage::contract::DbId;
use millpond_storage::database::alter_remove;
use millpond_storage::database::file_change::AlterFileError;
use millpond_storage::instance::file_report::FileReport;
use millpond_types::{SqlType, Value};

/// `DBCC SHRINKFILE (file, EMPTYFILE)`; `DBCC SHRINKFILE (file [, size])` is refused.
pub static SHRINKFILE: DbccDef = DbccDef {
    name: "SHRINKFILE",
    syntax: "( { 'file_name' | file_id } , EMPTYFILE ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["WAIT_AT_LOW_PRIORITY", "NO_INFOMSGS"] },
    run: shrink_file,
};

/// `DBCC SHRINKDATABASE (database [, percent])`
pub static SHRINKDATABASE: DbccDef = DbccDef {
    name: "SHRINKDATABASE",
    syntax: "( 'database_name' | database_id | 0 [ , target_percent ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["WAIT_AT_LOW_PRIORITY", "NO_INFOMSGS"] },
    run: |_| Err(message::missing("DBCC SHRINKDATABASE")),
};

fn shrink_file(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let file = named_file(call)?;
    let is_to_empty =
        call.positional(1).and_then(Value::as_str).is_some_and(|word| word.eq_ignore_ascii_case("EMPTYFILE"));
    if !is_to_empty {
        return Err(message::missing("DBCC SHRINKFILE"));
    }
    let cannot = || SqlError::of(2555, 1, &[&file.name]);
    let (instance, ask) = (call.ctx().engine.instance(), call.ctx().ask_other());
    match alter_remove::empty_file(instance.databases(), &ask, file.db, &file.name, REMOVE_PATIENCE_US) {
        Ok(true) => {}
        Ok(false) if file.db != DbId::TEMPDB => {
            return Err(message::missing("DBCC SHRINKFILE (…, EMPTYFILE) of a file of a user database that has pages"));
        }
        Ok(false) | Err(AlterFileError::NotEmpty { .. } | AlterFileError::Primary { .. }) => return Err(cannot()),
        Err(error) => return Err(message::of_alter_file(&error)),
    }
    if call.options.iter().any(|option| option == "NO_INFOMSGS") {
        return Ok(());
    }
    send_sizes(call, &file)
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

fn send_sizes(call: &mut SystemCall<'_>, file: &FileReport) -> SqlResult<()> {
    let space = call.ctx().engine.instance().space_report(file.db);
    let used = space.iter().find(|space| space.file == file.file).map_or(0, |space| space.allocated);
    let used = Value::Int(i32::try_from(used).unwrap_or(i32::MAX));
    let row = vec![
        Value::SmallInt(file.db.0.cast_signed()),
        Value::Int(file.file.0.into()),
        Value::Int(file.size_pages.cast_signed()),
        Value::Int(file.configured_pages.cast_signed()),
        used.clone(),
        used,
    ];
    call.result(
        &[
            ("DbId", SqlType::SmallInt),
            ("FileId", SqlType::Int),
            ("CurrentSize", SqlType::Int),
            ("MinimumSize", SqlType::Int),
            ("UsedPages", SqlType::Int),
            ("EstimatedPages", SqlType::Int),
        ],
        vec![row],
    )
}
