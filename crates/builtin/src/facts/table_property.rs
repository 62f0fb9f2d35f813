//! Properties of objects, columns and indexes by their names: OBJECTPROPERTY, COLUMNPROPERTY, INDEXPROPERTY,
//! INDEXKEY_PROPERTY, INDEX_COL; identity columns. A property that does not apply or is not known is NULL.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::run::Run;
use millpond_catalog::run::metadata::ObjectFacts;
use millpond_catalog::{ColumnDef, IndexDef, IndexKind, TableDef, names_equal};
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, Decimal, Value};

use crate::args::{int, text};
use crate::determinism::{is_deterministic, is_precise};
use crate::facts::system_type::text_units;
use crate::text::naming::name_parts;

fn flag(holds: bool) -> Value {
    Value::Int(i32::from(holds))
}

fn word(value: &Value) -> String {
    text(value).trim_end_matches(' ').to_ascii_lowercase()
}

/// A whole number as IDENT_CURRENT gives it.
pub(crate) fn decimal(number: i64) -> Value {
    Value::Decimal(Decimal::from(number))
}

/// The table or view that a text names.
pub(crate) fn named_table(ctx: &dyn Run, name: &Value) -> Option<i32> {
    ctx.catalog().object_id(&name_parts(text(name))?, None)
}

/// Seed and increment of a table's identity column.
pub(crate) fn identity(ctx: &dyn Run, name: &Value) -> Option<(i64, i64)> {
    let def = ctx.catalog().table_of(named_table(ctx, name)?)?;
    def.columns.iter().find_map(|column| column.identity)
}

/// OBJECTPROPERTY
pub(crate) fn object_property(ctx: &dyn Run, id: i32, object: &ObjectFacts, property: &str) -> Value {
    let kind = object.kind;
    let property = property.trim_end_matches(' ').to_ascii_lowercase();
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
        "isdefaultcnst" => kind == "D",
        "isconstraint" => matches!(kind, "PK" | "UQ" | "F" | "C" | "D"),
        "isexecuted" => matches!(kind, "P" | "FN" | "IF" | "TF" | "V" | "TR"),
        "ismsshipped" => {
            matches!(kind, "S" | "IT" | "SQ") || matches!(object.schema.as_str(), "sys" | "INFORMATION_SCHEMA")
        }
        "schemaid" => return Value::Int(object.schema_id),
        "ownerid" => return Value::Int(1),
        "isencrypted" | "isschemabound" | "isquotedidenton" | "execisquotedidenton" | "execisansinullson" => {
            return module_property(ctx, id, &property);
        }
        _ => return table_property(ctx, id, kind, &property),
    };
    flag(holds)
}

fn module_property(ctx: &dyn Run, id: i32, property: &str) -> Value {
    let Some(module) = ctx.catalog().module_of(id) else { return Value::Null };
    flag(match property {
        "execisansinullson" => module.ansi_nulls,
        "isquotedidenton" | "execisquotedidenton" => module.quoted_identifier,
        "isencrypted" => ctx.catalog().is_encrypted(&module),
        _ => false,
    })
}

/// Properties that tables alone have.
fn table_property(ctx: &dyn Run, id: i32, kind: &str, property: &str) -> Value {
    if kind != "U" {
        return Value::Null;
    }
    let Some(def) = ctx.catalog().table_of(id) else { return Value::Null };
    flag(match property {
        "tablehasprimarykey" => def.primary_key().is_some(),
        "tablehasuniquecnst" => def.indexes.iter().any(|index| index.kind == IndexKind::Unique),
        "tablehasclustindex" => def.is_clustered(),
        "tablehasnonclustindex" => def.indexes.iter().any(|index| !index.holds_rows()),
        "tablehasindex" => def.indexes.iter().any(|index| index.kind != IndexKind::Heap),
        "tablehasidentity" => def.identity_column().is_some(),
        "tablehasrowguidcol" => def.columns.iter().any(|column| column.is_row_guid),
        "tablehasforeignkey" => !def.foreign_keys.is_empty(),
        "tablehascheckcnst" => !def.checks.is_empty(),
        "tablehasdefaultcnst" => def.columns.iter().any(|column| column.default.is_some()),
        "tablehastimestamp" => def.columns.iter().any(|column| column.ty.sql == millpond_types::SqlType::RowVersion),
        "tableisfake"
        | "tablehastextimage"
        | "tableispinned"
        | "tablehasactivefulltextindex"
        | "tableismemoryoptimized"
        | "tabletemporaltype" => false,
        "isansinullson" => true,
        _ => return Value::Null,
    })
}

/// COLUMNPROPERTY
pub(crate) fn column_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let id = i32::try_from(int(&args[0])).ok();
    let columns = id.and_then(|id| ctx.catalog().columns_of(id)).unwrap_or_default();
    let column = columns.iter().find(|column| names_equal(&column.name, text(&args[1])));
    let property = word(&args[2]);
    if property == "ordinal" {
        // Where the column stands: the numbers of dropped ones are not counted.
        let at = column.and_then(|column| columns.iter().position(|other| other.id == column.id));
        return Ok(at.and_then(|at| i32::try_from(at + 1).ok()).map_or(Value::Null, Value::Int));
    }
    Ok(column.map_or(Value::Null, |column| property_of_column(column, &property)))
}

fn property_of_column(column: &ColumnDef, property: &str) -> Value {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let computed = column.computed.as_ref().map(|computed| &computed.expr);
    match property {
        "allowsnull" => flag(column.ty.nullable),
        "columnid" => Value::Int(column.id),
        "iscomputed" => flag(column.computed.is_some()),
        "isidentity" => flag(column.identity.is_some()),
        "precision" => Value::Int(text_units(sql).unwrap_or(i32::from(precision))),
        "scale" if sql.is_numeric() || sql.is_temporal() => Value::Int(i32::from(scale)),
        "charmaxlen" => text_units(sql).map_or(Value::Null, Value::Int),
        "usesansitrim" if sql.is_string() || sql.is_binary() => flag(!column.trims),
        "isdeterministic" | "issystemverified" => computed.map_or(Value::Null, |expr| flag(is_deterministic(expr))),
        "isprecise" => {
            computed.filter(|expr| is_deterministic(expr)).map_or(Value::Null, |expr| flag(is_precise(expr)))
        }
        "isindexable" => flag(is_indexable(column)),
        "isrowguidcol" => flag(column.is_row_guid),
        "isidnotforrepl"
        | "isoutparam"
        | "iscursortype"
        | "isfulltextindexed"
        | "issparse"
        | "iscolumnset"
        | "ishidden"
        | "isxmlindexable"
        | "generatedalwaystype" => flag(false),
        _ => Value::Null,
    }
}

/// Whether the column can be a key of an index.
fn is_indexable(column: &ColumnDef) -> bool {
    let computed = column.computed.as_ref();
    column.ty.sql.max_bytes().is_some()
        && computed.is_none_or(|computed| {
            is_deterministic(&computed.expr) && (computed.persisted || is_precise(&computed.expr))
        })
}

fn table_of(ctx: &dyn Run, id: &Value) -> Option<std::sync::Arc<TableDef>> {
    ctx.catalog().table_of(i32::try_from(int(id)).ok()?)
}

/// STATS_DATE
pub(crate) fn stats_date(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let table = i32::try_from(int(&args[0])).unwrap_or(-1);
    let made_us = ctx.catalog().statistics_made_us(table, int(&args[1]))?;
    let moment = made_us.map(datetime2_of_unix_us);
    Ok(moment.and_then(DateTime::from_datetime2).map_or(Value::Null, Value::DateTime))
}

/// INDEXPROPERTY
pub(crate) fn index_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let def = table_of(ctx, &args[0]);
    let index = def.as_ref().and_then(|def| def.index(text(&args[1])));
    Ok(index.map_or(Value::Null, |index| property_of_index(index, &word(&args[2]))))
}

fn property_of_index(index: &IndexDef, property: &str) -> Value {
    let options = &index.options;
    flag(match property {
        "indexid" => return Value::Int(i32::from(index.id)),
        "indexfillfactor" => return Value::Int(i32::from(options.fill_factor)),
        // Not kept: trees grow and shrink.
        "indexdepth" => return Value::Null,
        "isclustered" => index.is_clustered(),
        "isunique" => index.unique,
        "ispadindex" => options.pad_index,
        "isdisabled" => index.disabled,
        "isrowlockdisallowed" => !options.allow_row_locks,
        "ispagelockdisallowed" => !options.allow_page_locks,
        "isautostatistics" | "isstatistics" | "ishypothetical" | "isfulltextkey" => false,
        _ => return Value::Null,
    })
}

/// The index of a number, and the column at a place of its key, from 1.
fn key_column<'a>(def: &'a TableDef, index: &Value, place: &Value) -> Option<(&'a ColumnDef, bool)> {
    let index = def.indexes.iter().find(|known| i64::from(known.id) == int(index))?;
    let place = usize::try_from(int(place) - 1).ok()?;
    let part = index.key.get(place)?;
    Some((&def.columns[part.column], part.descending))
}

/// INDEX_COL
pub(crate) fn index_col(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let def = named_table(ctx, &args[0]).and_then(|id| ctx.catalog().table_of(id));
    let column = def.as_ref().and_then(|def| key_column(def, &args[1], &args[2]));
    Ok(column.map_or(Value::Null, |(column, _)| Value::str(&column.name)))
}

/// INDEXKEY_PROPERTY
pub(crate) fn index_key_property(ctx: &dyn Run, args: &[Value]) -> SqlResult<Value> {
    let def = table_of(ctx, &args[0]);
    let column = def.as_ref().and_then(|def| key_column(def, &args[1], &args[2]));
    Ok(match (column, word(&args[3]).as_str()) {
        (Some((column, _)), "columnid") => Value::Int(column.id),
        (Some((_, descending)), "isdescending") => flag(descending),
        _ => Value::Null,
    })
}
