//! Views of columns: `sys.columns`, `all_columns`, `identity_columns`, `computed_columns`.

use std::collections::HashMap;

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CheckDef, ColumnDef, SystemColumn, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::rows::TableRows;
use millpond_message::error::SqlResult;

use crate::catalog::base_objects::BASE_OBJECTS;
use crate::catalog::system;
use crate::columns::{NVarChar, NVarCharMax, Sysname, maybe, text};
use crate::narrow::OF_PARTS;
use crate::row::{RowPart, Rows, ViewRows, led_view, row, view};

row! {
    /// What all views of columns say of one.
    struct ColumnFacts {
        object_id: i32,
        name: Option<Sysname>,
        column_id: i32,
        system_type_id: u8,
        user_type_id: i32,
        max_length: i16,
        precision: u8,
        scale: u8,
        collation_name: Option<Sysname>,
        is_nullable: Option<bool>,
        is_ansi_padded: bool,
        is_rowguidcol: bool,
        is_identity: bool,
        is_computed: bool,
        is_filestream: bool,
        is_replicated: Option<bool>,
        is_non_sql_subscribed: Option<bool>,
        is_merge_published: Option<bool>,
        is_dts_replicated: Option<bool>,
        is_xml_document: bool,
        xml_collection_id: i32,
        default_object_id: i32,
        rule_object_id: i32,
        is_sparse: Option<bool>,
        is_column_set: Option<bool>,
        generated_always_type: Option<u8>,
        generated_always_type_desc: Option<NVarChar<60>>,
        encryption_type: Option<i32>,
        encryption_type_desc: Option<NVarChar<64>>,
        encryption_algorithm_name: Option<Sysname>,
        column_encryption_key_id: Option<i32>,
        column_encryption_key_database_name: Option<Sysname>,
        is_hidden: Option<bool>,
        is_masked: bool,
    }
}

row! {
    /// A row of `sys.columns`, `all_columns` and `system_columns`.
    struct Columns {
        facts: ColumnFacts,
        graph_type: Option<i32>,
        graph_type_desc: Option<NVarChar<60>>,
        is_data_deletion_filter_column: bool,
        ledger_view_column_type: Option<i32>,
        ledger_view_column_type_desc: Option<NVarChar<60>>,
        is_dropped_ledger_column: bool,
    }
}

row! {
    /// A row of `sys.masked_columns`.
    struct MaskedColumns {
        facts: ColumnFacts,
        masking_function: Option<NVarChar<4000>>,
    }
}

/// `sys.masked_columns`
pub static MASKED_COLUMNS: ViewDef = led_view("sys", "masked_columns", OF_PARTS, &ViewRows(masked_columns));

row! {
    /// A row of `sys.column_type_usages`.
    struct ColumnTypeUsages {
        object_id: i32,
        column_id: i32,
        user_type_id: i32,
    }
}

/// `sys.column_type_usages`: columns of alias types.
pub static COLUMN_TYPE_USAGES: ViewDef = led_view("sys", "column_type_usages", OF_PARTS, &ViewRows(column_type_usages));

fn column_type_usages(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ColumnTypeUsages>> {
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        rows.extend(table.def.columns.iter().filter_map(|column| {
            let named = column.user_type.as_ref()?.to_lowercase();
            let user_type_id = *aliases.get(&named)?;
            Some(ColumnTypeUsages { object_id: table.def.id.0, column_id: column.id, user_type_id })
        }));
    }
    Ok(rows)
}

/// `sys.columns`: those of the user's objects and of the base tables.
pub static COLUMNS: ViewDef = led_view("sys", "columns", OF_PARTS, &ViewRows(own_columns));

/// `sys.all_columns`: those of the server's views too.
pub static ALL_COLUMNS: ViewDef = led_view(
    "sys",
    "all_columns",
    OF_PARTS,
    &ViewRows(|ctx, database| {
        let mut rows = system_columns(ctx, database)?;
        rows.append(own_columns(ctx, database)?);
        Ok(rows)
    }),
);

/// `sys.system_columns`
pub static SYSTEM_COLUMNS: ViewDef = view("sys", "system_columns", &ViewRows(system_columns));

row! {
    /// A row of `sys.identity_columns`.
    struct IdentityColumns {
        column: Columns,
        seed_value: Option<i64>,
        increment_value: Option<i64>,
        last_value: Option<i64>,
        is_not_for_replication: Option<bool>,
    }
}

/// `sys.identity_columns`; where SQL Server gives `sql_variant` these are `bigint`.
pub static IDENTITY_COLUMNS: ViewDef = led_view("sys", "identity_columns", OF_PARTS, &ViewRows(identity_columns));

row! {
    /// A row of `sys.computed_columns`.
    struct ComputedColumns {
        column: Columns,
        definition: Option<NVarCharMax>,
        uses_database_collation: bool,
        is_persisted: bool,
    }
}

/// `sys.computed_columns`
pub static COMPUTED_COLUMNS: ViewDef = led_view("sys", "computed_columns", OF_PARTS, &ViewRows(computed_columns));

fn column_row(object: i32, column: &ColumnDef, aliases: &HashMap<String, i32>) -> Columns {
    Columns {
        facts: facts_of(object, column, aliases),
        graph_type: None,
        graph_type_desc: None,
        is_data_deletion_filter_column: false,
        ledger_view_column_type: None,
        ledger_view_column_type_desc: None,
        is_dropped_ledger_column: false,
    }
}

fn facts_of(object: i32, column: &ColumnDef, aliases: &HashMap<String, i32>) -> ColumnFacts {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let default = column.default.as_ref().map_or(0, |default| default.id.0);
    ColumnFacts {
        object_id: object,
        name: Some(text(&column.name)),
        column_id: column.id,
        system_type_id: inventory::system_type_id(column),
        user_type_id: inventory::user_type_id(column, aliases),
        max_length: inventory::column_length(column),
        precision,
        scale,
        collation_name: maybe(sql.is_string().then(|| column.ty.collation.name())),
        is_nullable: Some(column.ty.nullable),
        is_ansi_padded: (sql.is_string() || sql.is_binary()) && !column.trims,
        is_rowguidcol: column.is_row_guid,
        is_identity: column.identity.is_some(),
        is_computed: column.computed.is_some(),
        is_filestream: false,
        is_replicated: Some(false),
        is_non_sql_subscribed: Some(false),
        is_merge_published: Some(false),
        is_dts_replicated: Some(false),
        is_xml_document: false,
        xml_collection_id: 0,
        default_object_id: default,
        rule_object_id: 0,
        is_sparse: Some(column.is_sparse),
        is_column_set: Some(false),
        generated_always_type: Some(0),
        generated_always_type_desc: Some(text("NOT_APPLICABLE")),
        encryption_type: None,
        encryption_type_desc: None,
        encryption_algorithm_name: None,
        column_encryption_key_id: None,
        column_encryption_key_database_name: None,
        is_hidden: Some(false),
        is_masked: column.mask.is_some(),
    }
}

fn own_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Columns>> {
    let none = HashMap::new();
    let base = base_columns(database);
    let mut rows: Rows<_> = base.map(|(id, column)| column_row(id, &column, &none)).collect();
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let objects = inventory::columns(ctx, database)?;
    let tables = inventory::tables(ctx, database)?;
    let ruled = tables.iter().filter(|table| table.def.checks.iter().any(|check| !check.is_constraint()));
    let ruled: HashMap<i32, &TableDef> = ruled.map(|table| (table.id, &*table.def)).collect();
    let users = objects.iter().flat_map(|(id, columns)| columns.iter().map(|column| (*id, column)));
    let users = users.map(|(id, column)| {
        let rule_object_id = ruled.get(&id).map_or(0, |def| rule_of(def, column));
        let row = column_row(id, column, &aliases);
        Columns { facts: ColumnFacts { rule_object_id, ..row.facts }, ..row }
    });
    rows.extend(users);
    Ok(rows)
}

fn masked_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<MaskedColumns>> {
    of_tables(ctx, database, |_, column, shown| {
        let mask = column.mask.as_ref()?;
        Some(MaskedColumns { facts: shown().facts, masking_function: Some(text(&mask.text)) })
    })
}

/// The rule that is bound to a column; 0 without one.
fn rule_of(def: &TableDef, column: &ColumnDef) -> i32 {
    let mut rules = def.checks.iter().filter(|check| !check.is_constraint());
    let of_it = |rule: &&CheckDef| rule.column().is_some_and(|at| def.columns[at].id == column.id);
    rules.find(of_it).map_or(0, |rule| rule.rule.0)
}

fn system_columns(_ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Columns>> {
    let none = HashMap::new();
    Ok(columns_of_server(database).map(|(id, column)| column_row(id, &column, &none)).collect())
}

/// The columns of base tables, each with its table.
pub(crate) fn base_columns(database: Within<'_>) -> impl Iterator<Item = (i32, ColumnDef)> + '_ {
    let wanted = BASE_OBJECTS.iter().filter(move |object| database.has(object.id));
    wanted.flat_map(|object| numbered(object.id, object.columns))
}

/// Those of the server's views and functions.
pub(crate) fn columns_of_server(database: Within<'_>) -> impl Iterator<Item = (i32, ColumnDef)> + '_ {
    let wanted = system::views().chain(system::functions()).filter(move |object| database.has(object.id));
    wanted.flat_map(|object| numbered(object.id, system::columns_of(object.id).unwrap_or_default()))
}

fn numbered(object: i32, columns: &'static [SystemColumn]) -> impl Iterator<Item = (i32, ColumnDef)> {
    columns.iter().zip(1..).map(move |(column, id)| (object, ColumnDef::new(id, column.name, column.ty())))
}

/// Rows of the columns of tables of which `row` makes one.
fn of_tables<R: RowPart>(
    ctx: &RunContext,
    database: Within<'_>,
    row: impl Fn(&inventory::ListedTable, &ColumnDef, &dyn Fn() -> Columns) -> Option<R>,
) -> SqlResult<Rows<R>> {
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        let columns = table.def.columns.iter();
        rows.extend(columns.filter_map(|column| {
            row(&table, column, &|| {
                let rule_object_id = rule_of(&table.def, column);
                let row = column_row(table.id, column, &aliases);
                Columns { facts: ColumnFacts { rule_object_id, ..row.facts }, ..row }
            })
        }));
    }
    Ok(rows)
}

fn identity_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<IdentityColumns>> {
    of_tables(ctx, database, |table, column, of_columns| {
        let (seed, increment) = column.identity?;
        let last_value = match &table.rows {
            TableRows::Trees(trees) => trees.counters.identity.lock().last,
            TableRows::Heap(_) => None,
        };
        Some(IdentityColumns {
            column: of_columns(),
            seed_value: Some(seed),
            increment_value: Some(increment),
            last_value,
            is_not_for_replication: Some(column.not_for_replication),
        })
    })
}

fn computed_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ComputedColumns>> {
    of_tables(ctx, database, |_, column, of_columns| {
        let computed = column.computed.as_ref()?;
        Some(ComputedColumns {
            column: of_columns(),
            definition: Some(text(&inventory::shown_expression(&computed.text))),
            uses_database_collation: true,
            is_persisted: computed.persisted,
        })
    })
}
