//! Properties of objects, columns and indexes by their names: OBJECTPROPERTY, COLUMNPROPERTY, INDEXPROPERTY,
//! INDEXKEY_PROPERTY, INDEX_COL; identity columns. A property that does not apply or is not known is NULL. What tables,
//! columns and indexes are like the catalog says.

use millpond_catalog::ObjectId;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::ObjectFacts;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{DateTime, Decimal, Value};

use crate::args::{int, text};
use crate::facts::flag;
use crate::text::naming::name_parts;

fn word(value: &Value) -> String {
    text(value).trim_end_matches(' ').to_ascii_lowercase()
}

/// A whole number as IDENT_CURRENT gives it.
pub(crate) fn decimal(number: i64) -> Value {
    Value::Decimal(Decimal::from(number))
}

/// The table or view that a text names, and its database.
pub(crate) fn named_table(ctx: &dyn Run, name: &Value) -> Option<(DbId, i32)> {
    let name = name_parts(text(name))?;
    let database = match &name.database {
        Some(database) => ctx.catalog().database_id(database)?,
        None => ctx.facts().database,
    };
    Some((database, ctx.catalog().object_id(&name, None)?))
}

/// Seed and increment of a table's identity column.
pub(crate) fn identity(ctx: &dyn Run, name: &Value) -> Option<(i64, i64)> {
    ctx.catalog().identity(named_table(ctx, name)?)
}

/// OBJECTPROPERTY
pub(crate) fn object_property(ctx: &dyn Run, id: i32, object: &ObjectFacts, property: &str) -> Value {
    let kind = object.kind;
    let property = property.trim_end_matches(' ').to_ascii_lowercase();
    // A default that is no constraint is an object with a text.
    let is_module = || ctx.catalog().module_of(id).is_some();
    let holds = match property.as_str() {
        "istable" => matches!(kind, "U" | "S" | "IT"),
        "isusertable" => kind == "U",
        "issystemtable" => kind == "S",
        "isview" => kind == "V",
        "isprocedure" => matches!(kind, "P" | "X"),
        "isextendedproc" => kind == "X",
        "istrigger" => kind == "TR",
        "isscalarfunction" => kind == "FN",
        "isinlinefunction" => kind == "IF",
        "istablefunction" => matches!(kind, "TF" | "IF"),
        "isprimarykey" => kind == "PK",
        "isuniquecnst" => kind == "UQ",
        "isforeignkey" => kind == "F",
        "ischeckcnst" => kind == "C",
        "isdefault" => kind == "D" && is_module(),
        "isrule" => kind == "R",
        "isdefaultcnst" => kind == "D" && !is_module(),
        "isconstraint" => matches!(kind, "PK" | "UQ" | "F" | "C") || kind == "D" && !is_module(),
        "isexecuted" => matches!(kind, "P" | "FN" | "IF" | "TF" | "V" | "TR"),
        "ismsshipped" => {
            matches!(kind, "S" | "IT" | "SQ")
                || matches!(object.schema.as_str(), "sys" | "INFORMATION_SCHEMA")
                || ObjectId(id).is_server_text()
        }
        "schemaid" => return Value::Int(object.schema_id),
        "ownerid" => return Value::Int(ctx.catalog().owner_of(id, object.schema_id)),
        "isencrypted" | "isschemabound" | "isquotedidenton" | "execisquotedidenton" | "execisansinullson" => {
            return module_property(ctx, id, &property);
        }
        // No procedure runs at the start, and none is compiled to code of the machine.
        "execisstartup" if kind == "P" => false,
        "execiswithnativecompilation" => match is_module() {
            true => false,
            false => return Value::Null,
        },
        _ if kind == "TR" || is_of_triggers(kind, &property) => return ctx.catalog().trigger_property(id, &property),
        _ if kind == "U" => return ctx.catalog().table_property(id, &property),
        _ => return Value::Null,
    };
    flag(holds)
}

/// Whether it is a property of a table or view by its triggers.
fn is_of_triggers(kind: &str, property: &str) -> bool {
    let of_table = kind == "U" && property.starts_with("table");
    matches!(kind, "U" | "V") && (of_table || property.starts_with("has")) && property.contains("trigger")
}

fn module_property(ctx: &dyn Run, id: i32, property: &str) -> Value {
    let Some(module) = ctx.catalog().module_of(id) else { return Value::Null };
    flag(match property {
        "execisansinullson" => module.ansi_nulls,
        "isquotedidenton" | "execisquotedidenton" => module.quoted_identifier,
        "isencrypted" => ctx.catalog().is_encrypted(&module),
        "isschemabound" => ctx.catalog().is_schema_bound(&module),
        _ => false,
    })
}

/// COLUMNPROPERTY
pub(crate) fn column_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let of = |id: i32| ctx.catalog().column_property(id, text(&args[1]), &word(&args[2]));
    Ok(i32::try_from(int(&args[0])).ok().map_or(Value::Null, of))
}

/// STATS_DATE
pub(crate) fn stats_date(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let table = i32::try_from(int(&args[0])).unwrap_or(-1);
    let made_us = ctx.catalog().statistics_made_us(table, int(&args[1]))?;
    let datetime = made_us.map(datetime2_of_unix_us);
    Ok(datetime.and_then(DateTime::from_datetime2).map_or(Value::Null, Value::DateTime))
}

/// INDEXPROPERTY
pub(crate) fn index_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let of = |table: i32| ctx.catalog().index_property(table, text(&args[1]), &word(&args[2]));
    Ok(i32::try_from(int(&args[0])).ok().map_or(Value::Null, of))
}

/// INDEX_COL
pub(crate) fn index_col(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let table = named_table(ctx, &args[0]);
    let column = table.and_then(|table| ctx.catalog().index_column(table, int(&args[1]), int(&args[2])));
    Ok(column.map(|column| column.name).into())
}

/// INDEXKEY_PROPERTY
pub(crate) fn index_key_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let table = i32::try_from(int(&args[0])).ok();
    let database = ctx.facts().database;
    let column = table.and_then(|table| ctx.catalog().index_column((database, table), int(&args[1]), int(&args[2])));
    Ok(match (column, word(&args[3]).as_str()) {
        (Some(column), "columnid") => Value::Int(column.column_id),
        (Some(column), "isdescending") => flag(column.descending),
        _ => Value::Null,
    })
}
