//! `sp_tableoption`, `sp_procoption`, `sp_dropserver`: options of objects, and servers that are known.

use std::sync::Arc;

use millpond_catalog::dictionary::Io;
use millpond_catalog::security::Securable;
use millpond_catalog::{CatalogObject, ModuleKind, TableDef, TableOptions, names_equal};
use millpond_engine::bound_objects::copy_of;
use millpond_engine::context::RunContext;
use millpond_engine::security::{may, may_on_server};
use millpond_engine::settled::{Seeker, part};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::Place;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_txn::lock::LockMode;
use millpond_types::SqlType;

use millpond_views::security::SeenOnServer;

use super::named::{SYSNAME, nvarchar, text_arg, varchar};

/// Bytes of `text in row` where it is only put on.
const TEXT_IN_ROW_DEFAULT: u16 = 256;

/// `sp_tableoption 'table', 'option', 'value'`
pub static SP_TABLEOPTION: ProcedureDef = ProcedureDef {
    name: "sp_tableoption",
    params: &[("@tablenamepattern", nvarchar(776)), ("@optionname", varchar(35)), ("@optionvalue", varchar(12))],
    run: table_option,
};

/// `sp_procoption 'procedure', 'startup', 'value'`
pub static SP_PROCOPTION: ProcedureDef = ProcedureDef {
    name: "sp_procoption",
    params: &[("@procname", nvarchar(776)), ("@optionname", varchar(35)), ("@optionvalue", varchar(12))],
    run: procedure_option,
};

/// `sp_dropserver 'server' [, 'droplogins']`
pub static SP_DROPSERVER: ProcedureDef = ProcedureDef {
    name: "sp_dropserver",
    params: &[("@server", SYSNAME), ("@droplogins", DROP_LOGINS)],
    run: drop_server,
};

const DROP_LOGINS: SqlType = varchar(10);

/// What an option becomes.
#[derive(Clone, Copy)]
enum Said {
    LockOnBulkLoad(bool),
    LargeOutOfRow(bool),
    Vardecimal(bool),
    TextInRow(u16),
    /// `pintable` and `insert row lock` have had no effect for long.
    Nothing,
}

fn table_option(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_TABLEOPTION;
    let named = needed(call, def, 0)?;
    let said = said(&needed(call, def, 1)?, &needed(call, def, 2)?)?;
    let table = table_of(call.ctx(), &named)?;
    check(&table, said)?;
    call.then_change(move |run, io| change(RunContext::of(run), io, &named, said));
    Ok(0)
}

/// # Errors
/// 15600 for an option or a value that there is not, 15112 for one of `text in row`.
fn said(option: &str, value: &str) -> SqlResult<Said> {
    let wrong = || SqlError::of(15_600, 1, &[&"sys.sp_tableoption"]);
    let (option, value) = (option.trim().to_lowercase(), value.trim().to_lowercase());
    if option == "text in row" {
        let bytes = match value.as_str() {
            "on" => Some(TEXT_IN_ROW_DEFAULT),
            "off" => Some(0),
            digits => digits.parse().ok().filter(|bytes| matches!(bytes, 0 | 24..=7000)),
        };
        return bytes.map(Said::TextInRow).ok_or_else(|| SqlError::of(15_112, 1, &[]));
    }
    let on = on_or_off(&value).ok_or_else(wrong)?;
    match option.as_str() {
        "table lock on bulk load" => Ok(Said::LockOnBulkLoad(on)),
        "large value types out of row" => Ok(Said::LargeOutOfRow(on)),
        "vardecimal storage format" => Ok(Said::Vardecimal(on)),
        "pintable" | "insert row lock" => Ok(Said::Nothing),
        _ => Err(wrong()),
    }
}

fn on_or_off(value: &str) -> Option<bool> {
    match value {
        "on" | "true" | "1" => Some(true),
        "off" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// The table of a name that the session may change.
///
/// # Errors
/// 15387 for one of another database, 15388 when there is none.
fn table_of(ctx: &RunContext, named: &str) -> SqlResult<Arc<TableDef>> {
    let none = || SqlError::of(15_388, 1, &[&named]);
    let name = millpond_builtin::object_name(named).ok_or_else(none)?;
    if part(&name, 2).is_some_and(|database| !names_equal(database, &ctx.facts.database_name)) {
        return Err(SqlError::of(15_387, 1, &[]));
    }
    match Seeker::of(ctx).object(ctx.facts.database, &name, ctx.facts.default_schema)? {
        Some(CatalogObject::Table(def, _)) if may(ctx, ctx.facts.database, "ALTER", Securable::object(def.id.0))? => {
            Ok(def)
        }
        _ => Err(none()),
    }
}

/// # Errors
/// 4992 and 2599 for a table without large values, 4995 in a database of the system.
fn check(table: &TableDef, said: Said) -> SqlResult<()> {
    // `text` and its kin are the types of (max) that took their place.
    let has_large = table.columns.iter().any(|column| column.ty.sql.is_max());
    match said {
        Said::LargeOutOfRow(_) if !has_large => Err(SqlError::of(4992, 1, &[])),
        Said::TextInRow(_) if !has_large => Err(SqlError::of(2599, 1, &[&table.name])),
        Said::Vardecimal(true) if table.database.0 <= DbId::MSDB.0 => {
            Err(SqlError::of(4995, 1, &[&table.name, &table.database_name]))
        }
        _ => Ok(()),
    }
}

fn change(ctx: &RunContext, io: &mut Io<'_, '_>, named: &str, said: Said) -> SqlResult<()> {
    let dictionary = ctx.engine.databases().dictionary(ctx.facts.database)?;
    loop {
        let table = table_of(ctx, named)?;
        let place = Place { schema: &table.schema.name, object: &table.name, database: &ctx.facts.database_name };
        let locked = io.work.lock_object(io.ask, ctx.facts.database, table.id.0.cast_unsigned(), LockMode::SchM);
        locked.map_err(|error| message::of_txn(error, place))?;
        // Another may have changed or dropped the table while this one waited.
        let now = table_of(ctx, named)?;
        if now.id != table.id {
            continue;
        }
        check(&now, said)?;
        let options = with(now.options, said);
        if options == now.options {
            return Ok(());
        }
        let objects = dictionary.catalog().objects();
        let Some((_, trees)) = objects.table(now.id) else { continue };
        let now_us = ctx.engine.now_us().1;
        let created = dictionary.object_times(io, now.id)?.map_or(now_us, |(created, _)| created);
        let changed = Arc::new(TableDef { options, ..copy_of(&now) });
        return dictionary.put_table(io, &changed, trees, (created, now_us));
    }
}

fn with(options: TableOptions, said: Said) -> TableOptions {
    match said {
        Said::LockOnBulkLoad(on) => TableOptions { lock_on_bulk_load: on, ..options },
        Said::LargeOutOfRow(on) => TableOptions { large_out_of_row: on, ..options },
        Said::Vardecimal(on) => TableOptions { vardecimal: on, ..options },
        Said::TextInRow(bytes) => TableOptions { text_in_row: bytes, ..options },
        Said::Nothing => options,
    }
}

/// No procedure runs when the server starts: that is refused, and said to be so of none.
fn procedure_option(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_PROCOPTION;
    let named = needed(call, def, 0)?;
    let (option, value) = (needed(call, def, 1)?, needed(call, def, 2)?);
    if !SeenOnServer::of(call.ctx())?.token.is_some_and(|token| token.is_sysadmin()) {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let on = on_or_off(&value.trim().to_lowercase()).filter(|_| option.trim().eq_ignore_ascii_case("startup"));
    let on = on.ok_or_else(|| SqlError::of(15_600, 1, &[&"sys.sp_procoption"]))?;
    let ctx = call.ctx();
    let none = || SqlError::of(15_165, 1, &[&named]);
    let name = millpond_builtin::object_name(&named).ok_or_else(none)?;
    let found = Seeker::of(ctx).object(ctx.facts.database, &name, ctx.facts.default_schema)?;
    let Some(CatalogObject::Module(module)) = found.filter(|found| found.code() == ModuleKind::Procedure.code()) else {
        return Err(none());
    };
    if ctx.facts.database != DbId::MASTER || !names_equal(&module.schema.name, "dbo") {
        return Err(SqlError::of(15_398, 1, &[]));
    }
    if on {
        return Err(message::missing("sp_procoption 'startup'"));
    }
    Ok(0)
}

/// There are no other servers.
fn drop_server(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_DROPSERVER;
    let server = needed(call, def, 0)?;
    if call.run.facts().tran_count > 0 {
        return Err(SqlError::of(15_002, 1, &[&"sys.sp_dropserver"]));
    }
    if !may_on_server(call.ctx(), "ALTER ANY LINKED SERVER")? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    if text_arg(call, def, 1).is_some_and(|word| !word.trim().eq_ignore_ascii_case("droplogins")) {
        return Err(SqlError::of(15_600, 1, &[&"sys.sp_dropserver"]));
    }
    if names_equal(&server, &call.run.catalog().server().server_name()) {
        return Err(message::missing("sp_dropserver of the server itself"));
    }
    Err(SqlError::of(15_015, 1, &[&server]))
}

/// 201
fn needed(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<String> {
    text_arg(call, def, index).ok_or_else(|| message::missing_argument(def.name, def.params[index].0))
}
