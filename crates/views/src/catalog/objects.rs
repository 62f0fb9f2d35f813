//! Views of what is in a database by name: `sys.objects` and the views that show some of its rows with more columns.

use std::collections::HashMap;

use millpond_catalog::system_view::SystemObject;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, LockEscalation, TableDef, TableOptions, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, Listed, ListedTable};
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::catalog::base_objects::{BASE_OBJECTS, BaseObject};
use crate::catalog::data_spaces::spaces_of;
use crate::catalog::system;
use crate::columns::{Char, NVarChar, Sysname, datetime_of, int, padded2, text};
use crate::narrow::OF_OBJECTS;
use crate::row::{RowPart, Rows, ViewRows, led_view, row, view};

row! {
    /// A row of `sys.objects`, `all_objects` and `system_objects`.
    pub(crate) struct Objects {
        name: Sysname,
        object_id: i32,
        principal_id: Option<i32>,
        schema_id: i32,
        parent_object_id: i32,
        r#type: Option<Char<2>>,
        type_desc: Option<NVarChar<60>>,
        create_date: DateTime,
        modify_date: DateTime,
        is_ms_shipped: bool,
        is_published: bool,
        is_schema_published: bool,
    }
}

/// `sys.objects`: those of the user and the base tables.
pub static OBJECTS: ViewDef = led_view("sys", "objects", OF_OBJECTS, &ViewRows(own_objects));

/// `sys.all_objects`: those of the user and those of the server.
pub static ALL_OBJECTS: ViewDef = led_view(
    "sys",
    "all_objects",
    OF_OBJECTS,
    &ViewRows(|ctx, database| {
        let mut rows = system_objects(ctx, database)?;
        rows.append(own_objects(ctx, database)?);
        Ok(rows)
    }),
);

/// `sys.system_objects`
pub static SYSTEM_OBJECTS: ViewDef = view("sys", "system_objects", &ViewRows(system_objects));

row! {
    /// A row of `sys.tables`.
    struct Tables {
        object: Objects,
        lob_data_space_id: i32,
        filestream_data_space_id: Option<i32>,
        max_column_id_used: i32,
        lock_on_bulk_load: bool,
        uses_ansi_nulls: Option<bool>,
        is_replicated: Option<bool>,
        has_replication_filter: Option<bool>,
        is_merge_published: Option<bool>,
        is_sync_tran_subscribed: Option<bool>,
        has_unchecked_assembly_data: bool,
        text_in_row_limit: Option<i32>,
        large_value_types_out_of_row: Option<bool>,
        is_tracked_by_cdc: Option<bool>,
        lock_escalation: Option<u8>,
        lock_escalation_desc: Option<NVarChar<60>>,
        is_filetable: Option<bool>,
        is_memory_optimized: Option<bool>,
        durability: Option<u8>,
        durability_desc: Option<NVarChar<60>>,
        temporal_type: Option<u8>,
        temporal_type_desc: Option<NVarChar<60>>,
        history_table_id: Option<i32>,
        is_remote_data_archive_enabled: Option<bool>,
        is_external: bool,
        history_retention_period: Option<i32>,
        history_retention_period_unit: Option<i32>,
        history_retention_period_unit_desc: Option<NVarChar<10>>,
        is_node: Option<bool>,
        is_edge: Option<bool>,
        data_retention_period: Option<i32>,
        data_retention_period_unit: Option<i32>,
        data_retention_period_unit_desc: Option<NVarChar<10>>,
        ledger_type: Option<u8>,
        ledger_type_desc: Option<NVarChar<60>>,
        ledger_view_id: Option<i32>,
        is_dropped_ledger_table: Option<bool>,
    }
}

/// `sys.tables`
pub static TABLES: ViewDef = led_view("sys", "tables", OF_OBJECTS, &ViewRows(tables));

row! {
    /// A row of `sys.views`, `all_views` and `system_views`.
    struct Views {
        object: Objects,
        is_replicated: Option<bool>,
        has_replication_filter: Option<bool>,
        has_opaque_metadata: bool,
        has_unchecked_assembly_data: bool,
        with_check_option: bool,
        is_date_correlation_view: bool,
        is_tracked_by_cdc: Option<bool>,
        has_snapshot: Option<bool>,
        ledger_view_type: Option<u8>,
        ledger_view_type_desc: Option<NVarChar<60>>,
        is_dropped_ledger_view: Option<bool>,
    }
}

/// `sys.views`
pub static USER_VIEWS: ViewDef = led_view("sys", "views", OF_OBJECTS, &ViewRows(user_views));

/// `sys.all_views`
pub static ALL_VIEWS: ViewDef = led_view(
    "sys",
    "all_views",
    OF_OBJECTS,
    &ViewRows(|ctx, database| {
        let mut rows = user_views(ctx, database)?;
        rows.append(system_views(ctx, database)?);
        Ok(rows)
    }),
);

/// `sys.system_views`
pub static SYSTEM_VIEWS: ViewDef = led_view("sys", "system_views", OF_OBJECTS, &ViewRows(system_views));

row! {
    /// A row of `sys.procedures`.
    struct Procedures {
        object: Objects,
        is_auto_executed: bool,
        is_execution_replicated: Option<bool>,
        is_repl_serializable_only: Option<bool>,
        skips_repl_constraints: Option<bool>,
    }
}

/// `sys.procedures`
pub static PROCEDURES: ViewDef = led_view("sys", "procedures", OF_OBJECTS, &ViewRows(procedures));

row! {
    /// A row of `sys.sequences`.
    struct Sequences {
        object: Objects,
        start_value: i64,
        increment: i64,
        minimum_value: i64,
        maximum_value: i64,
        is_cycling: Option<bool>,
        is_cached: Option<bool>,
        cache_size: Option<i32>,
        system_type_id: u8,
        user_type_id: i32,
        precision: u8,
        scale: Option<u8>,
        current_value: i64,
        is_exhausted: bool,
        last_used_value: Option<i64>,
    }
}

/// `sys.sequences`; where SQL Server gives `sql_variant` these are `bigint`.
pub static SEQUENCES: ViewDef = led_view("sys", "sequences", OF_OBJECTS, &ViewRows(sequences));

row! {
    /// A row of `sys.synonyms`.
    struct Synonyms {
        object: Objects,
        base_object_name: NVarChar<1035>,
    }
}

/// `sys.synonyms`
pub static SYNONYMS: ViewDef = led_view("sys", "synonyms", OF_OBJECTS, &ViewRows(synonyms));

/// A row of `sys.objects`.
pub(crate) fn object_row(object: &Listed) -> Objects {
    Objects {
        name: text(&object.name),
        object_id: object.id,
        principal_id: object.owner.map(|owner| owner.0),
        schema_id: object.schema.id.0,
        parent_object_id: object.parent,
        r#type: Some(padded2(object.kind)),
        type_desc: Some(text(inventory::kind_desc(object.kind))),
        create_date: datetime_of(object.created_us),
        modify_date: datetime_of(object.modified_us),
        is_ms_shipped: object.is_shipped(),
        is_published: false,
        is_schema_published: false,
    }
}

/// When table types count as made: that is not kept.
pub(crate) fn types_made_us(ctx: &RunContext) -> i64 {
    ctx.engine.instance().start_time().local_us()
}

fn own_objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Objects>> {
    let started_us = types_made_us(ctx);
    let base = BASE_OBJECTS.iter().filter(|object| database.has(object.id));
    let mut rows: Rows<_> = base.map(|object| base_row(object, started_us)).collect();
    rows.extend(inventory::objects(ctx, database)?.iter().map(object_row));
    let objects = inventory::definitions(ctx, database)?;
    for (_, constraints) in inventory::type_constraints(&objects, database, started_us) {
        rows.extend(constraints.iter().map(object_row));
    }
    rows.extend(inventory::table_types(&objects, database).map(|(table, _)| Objects {
        is_ms_shipped: false,
        ..shipped_row((&table.name, table.id, "TT"), table.schema.0, 0, started_us)
    }));
    Ok(rows)
}

fn system_objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Objects>> {
    let started_us = ctx.engine.instance().start_time().local_us();
    let all = (ctx.engine.registry().system_objects)().into_iter().filter(|object| database.has(object.id));
    Ok(all.map(|object| system_row(&object, started_us)).collect())
}

fn system_row(object: &SystemObject, started_us: i64) -> Objects {
    shipped_row((object.name, object.id, object.kind), object.schema_id, 0, started_us)
}

fn base_row(object: &BaseObject, started_us: i64) -> Objects {
    shipped_row((object.name, object.id, object.kind), object.schema_id, object.parent, started_us)
}

fn shipped_row((name, id, kind): (&str, i32, &str), schema: i32, parent: i32, started_us: i64) -> Objects {
    Objects {
        name: text(name),
        object_id: id,
        principal_id: None,
        schema_id: schema,
        parent_object_id: parent,
        r#type: Some(padded2(kind)),
        type_desc: Some(text(inventory::kind_desc(kind))),
        create_date: datetime_of(started_us),
        modify_date: datetime_of(started_us),
        is_ms_shipped: true,
        is_published: false,
        is_schema_published: false,
    }
}

/// Rows of the objects of some kinds; an object of which `row` knows nothing has none.
pub(crate) fn of_kinds<R: RowPart>(
    ctx: &RunContext,
    database: Within<'_>,
    kinds: &[&str],
    row: impl Fn(&Listed) -> Option<R>,
) -> SqlResult<Rows<R>> {
    let objects = inventory::objects(ctx, database)?;
    Ok(objects.iter().filter(|object| kinds.contains(&object.kind)).filter_map(row).collect())
}

fn tables(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Tables>> {
    let last_column = |def: &TableDef| def.columns.iter().map(|column| column.id).max().unwrap_or(0);
    let spaces = spaces_of(ctx, database)?;
    // Large values lie where the rows do.
    let large_space = |table: &ListedTable| {
        let has_large = table.def.columns.iter().any(|column| column.ty.sql.is_unbounded());
        let rows = table.def.indexes.first().map_or(0, |index| index.id);
        if has_large { spaces.placement(table.stored_id(), rows).space } else { 0 }
    };
    let facts = |table: &ListedTable| TableFacts {
        max_column_id_used: last_column(&table.def),
        escalation: table.def.escalation,
        options: table.def.options,
        lob_data_space_id: large_space(table),
    };
    let tables = inventory::tables(ctx, database)?;
    let known: HashMap<i32, TableFacts> = tables.iter().map(|table| (table.id, facts(table))).collect();
    of_kinds(ctx, database, &["U"], |object| {
        Some(table_row(object_row(object), known.get(&object.id).copied().unwrap_or_default()))
    })
}

/// What a row says of a table beside its object.
#[derive(Clone, Copy, Default)]
struct TableFacts {
    max_column_id_used: i32,
    escalation: LockEscalation,
    options: TableOptions,
    lob_data_space_id: i32,
}

fn table_row(object: Objects, facts: TableFacts) -> Tables {
    let TableFacts { max_column_id_used, escalation, options, lob_data_space_id } = facts;
    Tables {
        object,
        lob_data_space_id,
        filestream_data_space_id: None,
        max_column_id_used,
        lock_on_bulk_load: options.lock_on_bulk_load,
        uses_ansi_nulls: Some(true),
        is_replicated: Some(false),
        has_replication_filter: Some(false),
        is_merge_published: Some(false),
        is_sync_tran_subscribed: Some(false),
        has_unchecked_assembly_data: false,
        text_in_row_limit: Some(i32::from(options.text_in_row)),
        large_value_types_out_of_row: Some(options.large_out_of_row),
        is_tracked_by_cdc: Some(false),
        lock_escalation: Some(escalation as u8),
        lock_escalation_desc: Some(text(escalation.name())),
        is_filetable: Some(false),
        is_memory_optimized: Some(false),
        durability: Some(0),
        durability_desc: Some(text("SCHEMA_AND_DATA")),
        temporal_type: Some(0),
        temporal_type_desc: Some(text("NON_TEMPORAL_TABLE")),
        history_table_id: None,
        is_remote_data_archive_enabled: Some(false),
        is_external: false,
        history_retention_period: None,
        history_retention_period_unit: None,
        history_retention_period_unit_desc: None,
        is_node: Some(false),
        is_edge: Some(false),
        data_retention_period: None,
        data_retention_period_unit: None,
        data_retention_period_unit_desc: None,
        ledger_type: Some(0),
        ledger_type_desc: Some(text("NON_LEDGER_TABLE")),
        ledger_view_id: None,
        is_dropped_ledger_table: Some(false),
    }
}

fn view_row(object: Objects, (with_check_option, has_opaque_metadata): (bool, bool)) -> Views {
    Views {
        object,
        is_replicated: Some(false),
        has_replication_filter: Some(false),
        has_opaque_metadata,
        has_unchecked_assembly_data: false,
        with_check_option,
        is_date_correlation_view: false,
        is_tracked_by_cdc: Some(false),
        has_snapshot: Some(false),
        ledger_view_type: Some(0),
        ledger_view_type_desc: Some(text("NON_LEDGER_VIEW")),
        is_dropped_ledger_view: Some(false),
    }
}

fn user_views(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Views>> {
    let objects = inventory::definitions(ctx, database)?;
    let options = |id: i32| match objects.get(millpond_catalog::ObjectId(id)) {
        Some(CatalogObject::Module(def)) => {
            let is_opaque = ctx.engine.read_module(def).is_ok_and(|module| module.view_metadata);
            (millpond_names::describe::view_checks(ctx, def), is_opaque)
        }
        _ => (false, false),
    };
    of_kinds(ctx, database, &["V"], |object| Some(view_row(object_row(object), options(object.id))))
}

fn system_views(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Views>> {
    let started_us = ctx.engine.instance().start_time().local_us();
    let views = system::views().filter(|object| database.has(object.id));
    Ok(views.map(|object| view_row(system_row(&object, started_us), (false, false))).collect())
}

fn procedures(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Procedures>> {
    of_kinds(ctx, database, &["P"], |object| {
        Some(Procedures {
            object: object_row(object),
            is_auto_executed: false,
            is_execution_replicated: Some(false),
            is_repl_serializable_only: Some(false),
            skips_repl_constraints: Some(false),
        })
    })
}

fn sequences(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sequences>> {
    let dictionary = ctx.engine.databases().dictionary(database.database)?;
    let objects = dictionary.catalog().objects();
    of_kinds(ctx, database, &["SO"], |object| {
        let Some(CatalogObject::Sequence(def)) = objects.get(millpond_catalog::ObjectId(object.id)) else {
            return None;
        };
        let (precision, scale) = def.sql.precision_scale();
        let system_type = def.sql.system_type_id();
        Some(Sequences {
            object: object_row(object),
            start_value: def.start,
            increment: def.increment,
            minimum_value: def.min,
            maximum_value: def.max,
            is_cycling: Some(def.cycle),
            is_cached: Some(def.cache > 0),
            cache_size: (def.cache > 0).then(|| int(def.cache)),
            system_type_id: system_type,
            user_type_id: int(system_type),
            precision,
            scale: Some(scale),
            current_value: def.current(),
            is_exhausted: def.is_exhausted(),
            last_used_value: def.state.lock().last,
        })
    })
}

fn synonyms(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Synonyms>> {
    let objects = inventory::definitions(ctx, database)?;
    of_kinds(ctx, database, &["SN"], |object| {
        let base = match objects.get(millpond_catalog::ObjectId(object.id)) {
            Some(CatalogObject::Synonym(def)) => {
                let shown = |part: &String| if part.is_empty() { String::new() } else { format!("[{part}]") };
                def.base.parts.iter().map(shown).collect::<Vec<String>>().join(".")
            }
            _ => String::new(),
        };
        Some(Synonyms { object: object_row(object), base_object_name: text(&base) })
    })
}
