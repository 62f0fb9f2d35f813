//! What OBJECTPROPERTY, COLUMNPROPERTY and INDEXPROPERTY say of definitions, by the names of properties in lower case. A
//! property that does not apply or is not known is NULL.

use std::sync::Arc;

use millpond_builtin::determinism::{is_deterministic, is_precise};
use millpond_builtin::facts::flag;
use millpond_builtin::facts::system_type::text_units;
use millpond_catalog::run::metadata::IndexColumnFacts;
use millpond_catalog::{ColumnDef, FiringPlace, IndexDef, IndexKind, StatisticsDef, TableDef, names_equal};
use millpond_tsql::ast::TriggerHead;
use millpond_types::{SqlType, Value};

use crate::module::{ModuleForm, ReadModule};

/// A property that tables alone have.
pub(crate) fn of_table(def: &TableDef, property: &str) -> Value {
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
        "tablehastimestamp" => def.columns.iter().any(|column| column.ty.sql == SqlType::RowVersion),
        "tableisfake"
        | "tablehastextimage"
        | "tableispinned"
        | "tablehasactivefulltextindex"
        | "tableismemoryoptimized"
        | "tabletemporaltype" => false,
        "isansinullson" => true,
        "tableislockedonbulkload" => def.options.lock_on_bulk_load,
        "tablehasvardecimalstorageformat" => def.options.vardecimal,
        "tabletextinrowlimit" => return Value::Int(i32::from(def.options.text_in_row)),
        _ => return Value::Null,
    })
}

/// A property of the column of that name among all columns of its table.
pub(crate) fn of_column(columns: &[ColumnDef], name: &str, property: &str) -> Value {
    let Some(at) = columns.iter().position(|column| names_equal(&column.name, name)) else { return Value::Null };
    if property == "ordinal" {
        // Where the column stands: the numbers of dropped ones are not counted.
        return i32::try_from(at + 1).map_or(Value::Null, Value::Int);
    }
    property_of_column(&columns[at], property)
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

/// A property of an index.
pub(crate) fn of_index(index: &IndexDef, property: &str) -> Value {
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

/// A property of statistics that are no index's; what only indexes have is 0.
pub(crate) fn of_statistics(statistics: &StatisticsDef, property: &str) -> Value {
    flag(match property {
        "indexid" => return Value::Int(statistics.id.into()),
        "isstatistics" => true,
        "isautostatistics"
        | "isclustered"
        | "isunique"
        | "ishypothetical"
        | "isfulltextkey"
        | "ispadindex"
        | "isdisabled"
        | "isrowlockdisallowed"
        | "ispagelockdisallowed" => false,
        _ => return Value::Null,
    })
}

/// The words of changes, as they stand in names of properties and in heads of triggers.
const CHANGES: [(&str, &str); 3] = [("insert", "INSERT"), ("update", "UPDATE"), ("delete", "DELETE")];

fn head_of(trigger: &ReadModule) -> Option<&TriggerHead> {
    match &trigger.form {
        ModuleForm::Trigger { head, .. } => Some(head),
        _ => None,
    }
}

fn is_for(trigger: &ReadModule, event: &str) -> bool {
    head_of(trigger).is_some_and(|head| head.events.iter().any(|word| word == event))
}

/// A property of a trigger.
pub(crate) fn of_trigger(trigger: &ReadModule, property: &str) -> Value {
    let Some(head) = head_of(trigger) else { return Value::Null };
    let middle = property.strip_prefix("execis").and_then(|rest| rest.strip_suffix("trigger"));
    flag(match (property, middle) {
        ("execistriggerdisabled", _) => trigger.def.is_disabled,
        ("execistriggernotforrepl", _) => head.not_for_replication,
        (_, Some("after")) => !head.instead_of,
        (_, Some("insteadof")) => head.instead_of,
        (_, Some(words)) => {
            let (place, change) = match words {
                _ if words.starts_with("first") => (Some(FiringPlace::First), &words[5..]),
                _ if words.starts_with("last") => (Some(FiringPlace::Last), &words[4..]),
                _ => (None, words),
            };
            let Some((_, event)) = CHANGES.iter().find(|(known, _)| *known == change) else { return Value::Null };
            is_for(trigger, event) && place.is_none_or(|place| trigger.def.place_in_order(event) == Some(place))
        }
        _ => return Value::Null,
    })
}

/// A property that a table or view has by its triggers, given in the order in which they were made.
pub(crate) fn by_triggers(triggers: &[Arc<ReadModule>], property: &str) -> Value {
    let of = |event: &str| triggers.iter().filter(|trigger| is_for(trigger, event)).count();
    let instead = |wanted: bool| triggers.iter().any(|one| head_of(one).is_some_and(|head| head.instead_of == wanted));
    match property {
        "hasaftertrigger" => return flag(instead(false)),
        "hasinsteadoftrigger" => return flag(instead(true)),
        _ => {}
    }
    for (word, event) in CHANGES {
        let number = |count: usize| i32::try_from(count).map_or(Value::Null, Value::Int);
        if property == format!("has{word}trigger") || property == format!("tablehas{word}trigger") {
            return flag(of(event) > 0);
        } else if property == format!("table{word}triggercount") {
            return number(of(event));
        } else if property == format!("table{word}trigger") {
            let first = triggers.iter().find(|trigger| is_for(trigger, event));
            return first.map_or(Value::Int(0), |first| Value::Int(first.def.id.0));
        }
    }
    Value::Null
}

/// The column at a place, from 1, of the key of the index of that number.
pub(crate) fn index_column(def: &TableDef, index_id: i64, place: i64) -> Option<IndexColumnFacts> {
    let index = def.indexes.iter().find(|known| i64::from(known.id) == index_id)?;
    let part = index.key.get(usize::try_from(place.checked_sub(1)?).ok()?)?;
    let column = &def.columns[part.column];
    Some(IndexColumnFacts { column_id: column.id, name: column.name.clone(), descending: part.descending })
}
