//! Views of what is in a database by name: `sys.objects` and the views that show some of its rows with more columns.

use std::collections::HashMap;

use millpond_catalog::system_view::SystemObject;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, LockEscalation, SystemColumn, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, Listed};
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::catalog::base_objects::{BASE_OBJECTS, BaseObject};
use crate::view::catalog::system;
use crate::view::columns::{
    BIGINT, BIT, DATETIME, INT, SYSNAME, TINYINT, big, bit, char2, col, int, joined, moment, null, nvarchar, padded2,
    text, tiny,
};
use crate::view::narrow::OF_OBJECTS;
use crate::view::{LedViewRows, ViewRows};

pub(in crate::view) const OBJECT_COLUMNS: [SystemColumn; 12] = [
    col("name", SYSNAME),
    col("object_id", INT),
    null("principal_id", INT),
    col("schema_id", INT),
    col("parent_object_id", INT),
    null("type", char2()),
    null("type_desc", nvarchar(60)),
    col("create_date", DATETIME),
    col("modify_date", DATETIME),
    col("is_ms_shipped", BIT),
    col("is_published", BIT),
    col("is_schema_published", BIT),
];

/// `sys.objects`: those of the user and the base tables.
pub static OBJECTS: ViewDef =
    ViewDef { schema: "sys", name: "objects", columns: &OBJECT_COLUMNS, rows: &LedViewRows(OF_OBJECTS, own_objects) };

/// `sys.all_objects`: those of the user and those of the server.
pub static ALL_OBJECTS: ViewDef = ViewDef {
    schema: "sys",
    name: "all_objects",
    columns: &OBJECT_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, |ctx, database| {
        let mut rows = system_objects(ctx, database)?;
        rows.extend(own_objects(ctx, database)?);
        Ok(rows)
    }),
};

/// `sys.system_objects`
pub static SYSTEM_OBJECTS: ViewDef =
    ViewDef { schema: "sys", name: "system_objects", columns: &OBJECT_COLUMNS, rows: &ViewRows(system_objects) };

const TABLE_COLUMNS: [SystemColumn; 47] = joined(
    OBJECT_COLUMNS,
    [
        col("lob_data_space_id", INT),
        null("filestream_data_space_id", INT),
        col("max_column_id_used", INT),
        col("lock_on_bulk_load", BIT),
        null("uses_ansi_nulls", BIT),
        null("is_replicated", BIT),
        null("has_replication_filter", BIT),
        null("is_merge_published", BIT),
        null("is_sync_tran_subscribed", BIT),
        col("has_unchecked_assembly_data", BIT),
        null("text_in_row_limit", INT),
        null("large_value_types_out_of_row", BIT),
        null("is_tracked_by_cdc", BIT),
        null("lock_escalation", TINYINT),
        null("lock_escalation_desc", nvarchar(60)),
        null("is_filetable", BIT),
        null("is_memory_optimized", BIT),
        null("durability", TINYINT),
        null("durability_desc", nvarchar(60)),
        null("temporal_type", TINYINT),
        null("temporal_type_desc", nvarchar(60)),
        null("history_table_id", INT),
        null("is_remote_data_archive_enabled", BIT),
        col("is_external", BIT),
        null("history_retention_period", INT),
        null("history_retention_period_unit", INT),
        null("history_retention_period_unit_desc", nvarchar(10)),
        null("is_node", BIT),
        null("is_edge", BIT),
        null("data_retention_period", INT),
        null("data_retention_period_unit", INT),
        null("data_retention_period_unit_desc", nvarchar(10)),
        null("ledger_type", TINYINT),
        null("ledger_type_desc", nvarchar(60)),
        null("is_dropped_ledger_table", BIT),
    ],
);

/// `sys.tables`
pub static TABLES: ViewDef =
    ViewDef { schema: "sys", name: "tables", columns: &TABLE_COLUMNS, rows: &LedViewRows(OF_OBJECTS, tables) };

const VIEW_COLUMNS: [SystemColumn; 22] = joined(
    OBJECT_COLUMNS,
    [
        null("is_replicated", BIT),
        null("has_replication_filter", BIT),
        col("has_opaque_metadata", BIT),
        col("has_unchecked_assembly_data", BIT),
        col("with_check_option", BIT),
        col("is_date_correlation_view", BIT),
        null("is_tracked_by_cdc", BIT),
        null("has_snapshot", BIT),
        null("ledger_view_type", TINYINT),
        null("ledger_view_type_desc", nvarchar(60)),
    ],
);

/// `sys.views`
pub static USER_VIEWS: ViewDef =
    ViewDef { schema: "sys", name: "views", columns: &VIEW_COLUMNS, rows: &LedViewRows(OF_OBJECTS, user_views) };

/// `sys.all_views`
pub static ALL_VIEWS: ViewDef = ViewDef {
    schema: "sys",
    name: "all_views",
    columns: &VIEW_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, |ctx, database| {
        let mut rows = user_views(ctx, database)?;
        rows.extend(system_views(ctx, database)?);
        Ok(rows)
    }),
};

/// `sys.system_views`
pub static SYSTEM_VIEWS: ViewDef = ViewDef {
    schema: "sys",
    name: "system_views",
    columns: &VIEW_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, system_views),
};

const PROCEDURE_COLUMNS: [SystemColumn; 17] = joined(
    OBJECT_COLUMNS,
    [
        col("is_auto_executed", BIT),
        null("is_execution_replicated", BIT),
        null("is_repl_serializable_only", BIT),
        null("skips_repl_constraints", BIT),
        null("is_recompiled", BIT),
    ],
);

/// `sys.procedures`
pub static PROCEDURES: ViewDef = ViewDef {
    schema: "sys",
    name: "procedures",
    columns: &PROCEDURE_COLUMNS,
    rows: &LedViewRows(OF_OBJECTS, procedures),
};

const SEQUENCE_COLUMNS: [SystemColumn; 26] = joined(
    OBJECT_COLUMNS,
    [
        col("start_value", BIGINT),
        col("increment", BIGINT),
        col("minimum_value", BIGINT),
        col("maximum_value", BIGINT),
        null("is_cycling", BIT),
        null("is_cached", BIT),
        null("cache_size", INT),
        col("system_type_id", TINYINT),
        col("user_type_id", INT),
        col("precision", TINYINT),
        null("scale", TINYINT),
        col("current_value", BIGINT),
        col("is_exhausted", BIT),
        null("last_used_value", BIGINT),
    ],
);

/// `sys.sequences`; where SQL Server gives `sql_variant` these are `bigint`.
pub static SEQUENCES: ViewDef =
    ViewDef { schema: "sys", name: "sequences", columns: &SEQUENCE_COLUMNS, rows: &LedViewRows(OF_OBJECTS, sequences) };

const SYNONYM_COLUMNS: [SystemColumn; 13] = joined(OBJECT_COLUMNS, [col("base_object_name", nvarchar(1035))]);

/// `sys.synonyms`
pub static SYNONYMS: ViewDef =
    ViewDef { schema: "sys", name: "synonyms", columns: &SYNONYM_COLUMNS, rows: &LedViewRows(OF_OBJECTS, synonyms) };

/// A row of `sys.objects`.
pub(in crate::view) fn object_row(object: &Listed) -> Vec<Value> {
    vec![
        text(&object.name),
        int(object.id),
        Value::Null,
        int(object.schema.id.0),
        int(object.parent),
        padded2(object.kind),
        text(inventory::kind_desc(object.kind)),
        moment(object.created_us),
        moment(object.modified_us),
        bit(object.is_shipped()),
        bit(false),
        bit(false),
    ]
}

fn own_objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started_us = ctx.engine.instance().start_time().local_us();
    let base = BASE_OBJECTS.iter().filter(|object| database.has(object.id));
    let mut rows: Vec<Vec<Value>> = base.map(|object| base_row(object, started_us)).collect();
    rows.extend(inventory::objects(ctx, database)?.iter().map(object_row));
    Ok(rows)
}

fn system_objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started_us = ctx.engine.instance().start_time().local_us();
    let all = (ctx.engine.registry().system_objects)().into_iter().filter(|object| database.has(object.id));
    Ok(all.map(|object| system_row(&object, started_us)).collect())
}

fn system_row(object: &SystemObject, started_us: i64) -> Vec<Value> {
    shipped_row((object.name, object.id, object.kind), object.schema_id, 0, started_us)
}

fn base_row(object: &BaseObject, started_us: i64) -> Vec<Value> {
    shipped_row((object.name, object.id, object.kind), object.schema_id, object.parent, started_us)
}

fn shipped_row((name, id, kind): (&str, i32, &str), schema: i32, parent: i32, started_us: i64) -> Vec<Value> {
    vec![
        text(name),
        int(id),
        Value::Null,
        int(schema),
        int(parent),
        padded2(kind),
        text(inventory::kind_desc(kind)),
        moment(started_us),
        moment(started_us),
        bit(true),
        bit(false),
        bit(false),
    ]
}

/// Rows of the objects of some kinds, each followed by what `more` says of it.
pub(in crate::view) fn of_kinds(
    ctx: &RunContext,
    database: Within<'_>,
    kinds: &[&str],
    more: impl Fn(&Listed) -> SqlResult<Vec<Value>>,
) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::objects(ctx, database)?;
    let wanted = objects.iter().filter(|object| kinds.contains(&object.kind));
    wanted
        .map(|object| {
            let mut row = object_row(object);
            row.extend(more(object)?);
            Ok(row)
        })
        .collect()
}

fn tables(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let last_column = |def: &TableDef| def.columns.iter().map(|column| column.id).max().unwrap_or(0);
    let facts = |def: &TableDef| (last_column(def), def.escalation);
    let known: HashMap<i32, (i32, LockEscalation)> =
        inventory::tables(ctx, database)?.into_iter().map(|table| (table.id, facts(&table.def))).collect();
    of_kinds(ctx, database, &["U"], |object| {
        let (last, escalation) = known.get(&object.id).copied().unwrap_or_default();
        Ok(table_facts(last, escalation))
    })
}

fn table_facts(max_column_id: i32, escalation: LockEscalation) -> Vec<Value> {
    let mut row = vec![int(0), Value::Null, int(max_column_id), bit(false), bit(true)];
    row.extend((0..5).map(|_| bit(false)));
    row.extend([int(0), bit(false), bit(false), tiny(escalation as u8), text(escalation.name())]);
    row.extend([bit(false), bit(false)]);
    row.extend([tiny(0), text("SCHEMA_AND_DATA"), tiny(0), text("NON_TEMPORAL_TABLE"), Value::Null, bit(false)]);
    row.extend([bit(false), Value::Null, Value::Null, Value::Null, bit(false), bit(false)]);
    row.extend([Value::Null, Value::Null, Value::Null, tiny(0), text("NON_LEDGER_TABLE"), bit(false)]);
    row
}

/// What `sys.views` says of a view beside what it says of every object.
fn view_facts(check: bool) -> Vec<Value> {
    let mut row: Vec<Value> = (0..4).map(|_| bit(false)).collect();
    row.extend([bit(check), bit(false), bit(false), bit(false), tiny(0), text("NON_LEDGER_VIEW")]);
    row
}

fn user_views(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let has_check = |id: i32| match objects.get(millpond_catalog::ObjectId(id)) {
        Some(CatalogObject::Module(def)) => millpond_query::exec::view_checks(ctx, def),
        _ => false,
    };
    of_kinds(ctx, database, &["V"], |object| Ok(view_facts(has_check(object.id))))
}

fn system_views(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started_us = ctx.engine.instance().start_time().local_us();
    let rows = system::views().filter(|object| database.has(object.id)).map(|object| {
        let mut row = system_row(&object, started_us);
        row.extend(view_facts(false));
        row
    });
    Ok(rows.collect())
}

fn procedures(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    of_kinds(ctx, database, &["P"], |_| Ok((0..5).map(|_| bit(false)).collect()))
}

fn sequences(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let dictionary = ctx.engine.databases().dictionary(database.database)?;
    let objects = dictionary.catalog().objects();
    of_kinds(ctx, database, &["SO"], |object| {
        let Some(CatalogObject::Sequence(def)) = objects.get(millpond_catalog::ObjectId(object.id)) else {
            return Ok(vec![Value::Null; 14]);
        };
        let (precision, scale) = def.sql.precision_scale();
        let system_type = def.sql.system_type_id();
        Ok(vec![
            big(def.start),
            big(def.increment),
            big(def.min),
            big(def.max),
            bit(def.cycle),
            bit(def.cache > 0),
            if def.cache > 0 { int(def.cache) } else { Value::Null },
            tiny(system_type),
            int(system_type),
            tiny(precision),
            tiny(scale),
            big(def.current()),
            bit(def.is_exhausted()),
            match def.state.lock().last {
                Some(last) => big(last),
                None => Value::Null,
            },
        ])
    })
}

fn synonyms(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    of_kinds(ctx, database, &["SN"], |object| {
        let base = match objects.get(millpond_catalog::ObjectId(object.id)) {
            Some(CatalogObject::Synonym(def)) => {
                let shown = |part: &String| if part.is_empty() { String::new() } else { format!("[{part}]") };
                def.base.parts.iter().map(shown).collect::<Vec<String>>().join(".")
            }
            _ => String::new(),
        };
        Ok(vec![text(&base)])
    })
}
