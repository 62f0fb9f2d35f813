//! `INFORMATION_SCHEMA` of tables and modules: SCHEMATA, TABLES, COLUMNS, VIEWS, ROUTINES, PARAMETERS, SEQUENCES,
//! DOMAINS.

use std::sync::Arc;

use millpond_builtin::facts::system_type::text_units;
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, ColumnDef, DatabaseObjects, ModuleDef, ModuleKind, UserTypeForm, Within};
use millpond_engine::bound_objects::object;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::shown_definition;
use millpond_message::error::SqlResult;
use millpond_names::describe::ShownParameter;
use millpond_types::{CodePage, Collation, DateTime, SqlType};

use crate::columns::{NVarChar, NVarCharMax, Sysname, VarChar, datetime_of, maybe, text};
use crate::row::{Rows, ViewRows, led_view, row, view};
use crate::security::users;

pub(crate) const SCHEMA: &str = "INFORMATION_SCHEMA";

row! {
    /// A row of `INFORMATION_SCHEMA.SCHEMATA`.
    struct Schemata {
        CATALOG_NAME: Option<Sysname>,
        SCHEMA_NAME: Sysname,
        SCHEMA_OWNER: Option<Sysname>,
        DEFAULT_CHARACTER_SET_CATALOG: Option<VarChar<6>>,
        DEFAULT_CHARACTER_SET_SCHEMA: Option<VarChar<3>>,
        DEFAULT_CHARACTER_SET_NAME: Option<Sysname>,
    }
}

/// `INFORMATION_SCHEMA.SCHEMATA`
pub static SCHEMATA: ViewDef = view(SCHEMA, "SCHEMATA", &ViewRows(schemata));

row! {
    /// A row of `INFORMATION_SCHEMA.TABLES`.
    struct Tables {
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        TABLE_TYPE: Option<VarChar<10>>,
    }
}

/// `INFORMATION_SCHEMA.TABLES`
pub static TABLES: ViewDef = led_view(SCHEMA, "TABLES", &[("TABLE_NAME", Lead::Name)], &ViewRows(tables));

row! {
    /// A type, in COLUMNS.
    #[derive(Default)]
    struct DataType {
        DATA_TYPE: Option<NVarChar<128>>,
        CHARACTER_MAXIMUM_LENGTH: Option<i32>,
        CHARACTER_OCTET_LENGTH: Option<i32>,
        NUMERIC_PRECISION: Option<u8>,
        NUMERIC_PRECISION_RADIX: Option<i16>,
        NUMERIC_SCALE: Option<i32>,
        DATETIME_PRECISION: Option<i16>,
        CHARACTER_SET_CATALOG: Option<Sysname>,
        CHARACTER_SET_SCHEMA: Option<Sysname>,
        CHARACTER_SET_NAME: Option<Sysname>,
        COLLATION_CATALOG: Option<Sysname>,
        COLLATION_SCHEMA: Option<Sysname>,
        COLLATION_NAME: Option<Sysname>,
    }
}

row! {
    /// A type, in ROUTINES, PARAMETERS and DOMAINS, whose columns have another order.
    #[derive(Default)]
    struct CollatedType {
        DATA_TYPE: Option<NVarChar<128>>,
        CHARACTER_MAXIMUM_LENGTH: Option<i32>,
        CHARACTER_OCTET_LENGTH: Option<i32>,
        COLLATION_CATALOG: Option<Sysname>,
        COLLATION_SCHEMA: Option<Sysname>,
        COLLATION_NAME: Option<Sysname>,
        CHARACTER_SET_CATALOG: Option<Sysname>,
        CHARACTER_SET_SCHEMA: Option<Sysname>,
        CHARACTER_SET_NAME: Option<Sysname>,
        NUMERIC_PRECISION: Option<u8>,
        NUMERIC_PRECISION_RADIX: Option<i16>,
        NUMERIC_SCALE: Option<i32>,
        DATETIME_PRECISION: Option<i16>,
    }
}

impl From<DataType> for CollatedType {
    fn from(ty: DataType) -> CollatedType {
        CollatedType {
            DATA_TYPE: ty.DATA_TYPE,
            CHARACTER_MAXIMUM_LENGTH: ty.CHARACTER_MAXIMUM_LENGTH,
            CHARACTER_OCTET_LENGTH: ty.CHARACTER_OCTET_LENGTH,
            COLLATION_CATALOG: ty.COLLATION_CATALOG,
            COLLATION_SCHEMA: ty.COLLATION_SCHEMA,
            COLLATION_NAME: ty.COLLATION_NAME,
            CHARACTER_SET_CATALOG: ty.CHARACTER_SET_CATALOG,
            CHARACTER_SET_SCHEMA: ty.CHARACTER_SET_SCHEMA,
            CHARACTER_SET_NAME: ty.CHARACTER_SET_NAME,
            NUMERIC_PRECISION: ty.NUMERIC_PRECISION,
            NUMERIC_PRECISION_RADIX: ty.NUMERIC_PRECISION_RADIX,
            NUMERIC_SCALE: ty.NUMERIC_SCALE,
            DATETIME_PRECISION: ty.DATETIME_PRECISION,
        }
    }
}

row! {
    /// What the standard says of intervals, which there are none of.
    #[derive(Default)]
    struct Interval {
        INTERVAL_TYPE: Option<NVarChar<30>>,
        INTERVAL_PRECISION: Option<i16>,
    }
}

row! {
    /// What the standard says of references, which there are none of.
    #[derive(Default)]
    struct Scope {
        SCOPE_CATALOG: Option<Sysname>,
        SCOPE_SCHEMA: Option<Sysname>,
        SCOPE_NAME: Option<Sysname>,
    }
}

row! {
    /// What the standard says of a routine's module and of the type that it is of, which no routine has.
    #[derive(Default)]
    struct RoutineHome {
        MODULE_CATALOG: Option<Sysname>,
        MODULE_SCHEMA: Option<Sysname>,
        MODULE_NAME: Option<Sysname>,
        UDT_CATALOG: Option<Sysname>,
        UDT_SCHEMA: Option<Sysname>,
        UDT_NAME: Option<Sysname>,
    }
}

row! {
    /// The user's type of a routine's value, and of its set; none is told.
    #[derive(Default)]
    struct RoutineType {
        TYPE_UDT_CATALOG: Option<Sysname>,
        TYPE_UDT_SCHEMA: Option<Sysname>,
        TYPE_UDT_NAME: Option<Sysname>,
        scope: Scope,
        MAXIMUM_CARDINALITY: Option<i64>,
        DTD_IDENTIFIER: Option<Sysname>,
    }
}

row! {
    /// What a routine in another language has, which there are none of.
    #[derive(Default)]
    struct External {
        EXTERNAL_NAME: Option<Sysname>,
        EXTERNAL_LANGUAGE: Option<NVarChar<30>>,
        PARAMETER_STYLE: Option<NVarChar<30>>,
    }
}

row! {
    /// A row of `INFORMATION_SCHEMA.COLUMNS`.
    struct Columns {
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        COLUMN_NAME: Option<Sysname>,
        ORDINAL_POSITION: Option<i32>,
        COLUMN_DEFAULT: Option<NVarChar<4000>>,
        IS_NULLABLE: Option<VarChar<3>>,
        data_type: DataType,
        DOMAIN_CATALOG: Option<Sysname>,
        DOMAIN_SCHEMA: Option<Sysname>,
        DOMAIN_NAME: Option<Sysname>,
    }
}

/// `INFORMATION_SCHEMA.COLUMNS`
pub static COLUMNS: ViewDef = led_view(SCHEMA, "COLUMNS", &[("TABLE_NAME", Lead::Name)], &ViewRows(columns));

row! {
    /// A row of `INFORMATION_SCHEMA.COLUMN_DOMAIN_USAGE`.
    struct ColumnDomainUsage {
        DOMAIN_CATALOG: Option<Sysname>,
        DOMAIN_SCHEMA: Option<Sysname>,
        DOMAIN_NAME: Sysname,
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        COLUMN_NAME: Option<Sysname>,
    }
}

/// `INFORMATION_SCHEMA.COLUMN_DOMAIN_USAGE`: columns of alias types.
pub static COLUMN_DOMAIN_USAGE: ViewDef =
    led_view(SCHEMA, "COLUMN_DOMAIN_USAGE", &[("TABLE_NAME", Lead::Name)], &ViewRows(column_domain_usage));

fn column_domain_usage(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ColumnDomainUsage>> {
    let name = catalog_name(ctx, database);
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        rows.extend(table.def.columns.iter().filter_map(|column| {
            let (schema, domain) = column.user_type.as_deref()?.split_once('.')?;
            (!schema.eq_ignore_ascii_case("sys")).then(|| ColumnDomainUsage {
                DOMAIN_CATALOG: name.clone(),
                DOMAIN_SCHEMA: Some(text(schema)),
                DOMAIN_NAME: text(domain),
                TABLE_CATALOG: name.clone(),
                TABLE_SCHEMA: Some(text(&table.def.schema.name)),
                TABLE_NAME: text(&table.name),
                COLUMN_NAME: Some(text(&column.name)),
            })
        }));
    }
    Ok(rows)
}

row! {
    /// A row of `INFORMATION_SCHEMA.VIEWS`.
    struct Views {
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
        VIEW_DEFINITION: Option<NVarChar<4000>>,
        CHECK_OPTION: Option<VarChar<7>>,
        IS_UPDATABLE: VarChar<2>,
    }
}

/// `INFORMATION_SCHEMA.VIEWS`
pub static VIEWS: ViewDef = led_view(SCHEMA, "VIEWS", &[("TABLE_NAME", Lead::Name)], &ViewRows(views));

row! {
    /// A row of `INFORMATION_SCHEMA.VIEW_TABLE_USAGE`.
    struct ViewTableUsage {
        VIEW_CATALOG: Option<Sysname>,
        VIEW_SCHEMA: Option<Sysname>,
        VIEW_NAME: Sysname,
        TABLE_CATALOG: Option<Sysname>,
        TABLE_SCHEMA: Option<Sysname>,
        TABLE_NAME: Sysname,
    }
}

/// `INFORMATION_SCHEMA.VIEW_TABLE_USAGE`: the tables and views of its database that a view names.
pub static VIEW_TABLE_USAGE: ViewDef =
    led_view(SCHEMA, "VIEW_TABLE_USAGE", &[("VIEW_NAME", Lead::Name)], &ViewRows(view_table_usage));

fn view_table_usage(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ViewTableUsage>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, Within::from(database.database))?;
    let mut rows = Rows::new();
    for def in modules(ctx, database)?.iter().filter(|def| def.kind == ModuleKind::View) {
        let uses = millpond_names::dependencies::dependencies(ctx, &(database.database, Arc::clone(def)))?;
        let tables = uses.iter().filter_map(|one| objects.get(one.id?)).filter(|used| matches!(used.code(), "U" | "V"));
        rows.extend(tables.map(|used| ViewTableUsage {
            VIEW_CATALOG: name.clone(),
            VIEW_SCHEMA: Some(text(&def.schema.name)),
            VIEW_NAME: text(&def.name),
            TABLE_CATALOG: name.clone(),
            TABLE_SCHEMA: Some(text(&used.schema().name)),
            TABLE_NAME: text(used.name()),
        }));
    }
    Ok(rows)
}

row! {
    /// A row of `INFORMATION_SCHEMA.ROUTINES`.
    struct Routines {
        SPECIFIC_CATALOG: Option<Sysname>,
        SPECIFIC_SCHEMA: Option<Sysname>,
        SPECIFIC_NAME: Sysname,
        ROUTINE_CATALOG: Option<Sysname>,
        ROUTINE_SCHEMA: Option<Sysname>,
        ROUTINE_NAME: Sysname,
        ROUTINE_TYPE: Option<NVarChar<20>>,
        home: RoutineHome,
        returns: CollatedType,
        interval: Interval,
        returned: RoutineType,
        ROUTINE_BODY: Option<NVarChar<30>>,
        ROUTINE_DEFINITION: Option<NVarChar<4000>>,
        external: External,
        IS_DETERMINISTIC: Option<NVarChar<10>>,
        SQL_DATA_ACCESS: Option<NVarChar<30>>,
        IS_NULL_CALL: Option<NVarChar<10>>,
        SQL_PATH: Option<Sysname>,
        SCHEMA_LEVEL_ROUTINE: Option<NVarChar<10>>,
        MAX_DYNAMIC_RESULT_SETS: Option<i16>,
        IS_USER_DEFINED_CAST: Option<NVarChar<10>>,
        IS_IMPLICITLY_INVOCABLE: Option<NVarChar<10>>,
        CREATED: DateTime,
        LAST_ALTERED: DateTime,
    }
}

/// `INFORMATION_SCHEMA.ROUTINES`
pub static ROUTINES: ViewDef =
    led_view(SCHEMA, "ROUTINES", &[("ROUTINE_NAME", Lead::Name), ("SPECIFIC_NAME", Lead::Name)], &ViewRows(routines));

row! {
    /// A row of `INFORMATION_SCHEMA.PARAMETERS`.
    struct Parameters {
        SPECIFIC_CATALOG: Option<Sysname>,
        SPECIFIC_SCHEMA: Option<Sysname>,
        SPECIFIC_NAME: Sysname,
        ORDINAL_POSITION: i32,
        PARAMETER_MODE: Option<NVarChar<10>>,
        IS_RESULT: Option<NVarChar<10>>,
        AS_LOCATOR: Option<NVarChar<10>>,
        PARAMETER_NAME: Option<Sysname>,
        data_type: CollatedType,
        interval: Interval,
        USER_DEFINED_TYPE_CATALOG: Option<Sysname>,
        USER_DEFINED_TYPE_SCHEMA: Option<Sysname>,
        USER_DEFINED_TYPE_NAME: Option<Sysname>,
        scope: Scope,
    }
}

/// `INFORMATION_SCHEMA.PARAMETERS`
pub static PARAMETERS: ViewDef =
    led_view(SCHEMA, "PARAMETERS", &[("SPECIFIC_NAME", Lead::Name)], &ViewRows(parameters));

row! {
    /// A row of `INFORMATION_SCHEMA.SEQUENCES`.
    struct Sequences {
        SEQUENCE_CATALOG: Option<Sysname>,
        SEQUENCE_SCHEMA: Option<Sysname>,
        SEQUENCE_NAME: Sysname,
        DATA_TYPE: Option<Sysname>,
        NUMERIC_PRECISION: u8,
        NUMERIC_PRECISION_RADIX: Option<i16>,
        NUMERIC_SCALE: Option<i32>,
        START_VALUE: i64,
        MINIMUM_VALUE: i64,
        MAXIMUM_VALUE: i64,
        INCREMENT: i64,
        CYCLE_OPTION: Option<i32>,
        DECLARED_DATA_TYPE: Option<Sysname>,
        DECLARED_NUMERIC_PRECISION: Option<u8>,
        DECLARED_NUMERIC_SCALE: Option<u8>,
    }
}

/// `INFORMATION_SCHEMA.SEQUENCES`
pub static SEQUENCES: ViewDef = led_view(SCHEMA, "SEQUENCES", &[("SEQUENCE_NAME", Lead::Name)], &ViewRows(sequences));

row! {
    /// A row of `INFORMATION_SCHEMA.DOMAINS`.
    struct Domains {
        DOMAIN_CATALOG: Option<Sysname>,
        DOMAIN_SCHEMA: Option<Sysname>,
        DOMAIN_NAME: Sysname,
        data_type: CollatedType,
        DOMAIN_DEFAULT: Option<NVarCharMax>,
    }
}

/// `INFORMATION_SCHEMA.DOMAINS`: the alias types.
pub static DOMAINS: ViewDef = view(SCHEMA, "DOMAINS", &ViewRows(domains));

row! {
    /// A row of `INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS`.
    struct DomainConstraints {
        CONSTRAINT_CATALOG: Option<Sysname>,
        CONSTRAINT_SCHEMA: Option<Sysname>,
        CONSTRAINT_NAME: Sysname,
        DOMAIN_CATALOG: Option<Sysname>,
        DOMAIN_SCHEMA: Option<Sysname>,
        DOMAIN_NAME: Sysname,
        IS_DEFERRABLE: VarChar<2>,
        INITIALLY_DEFERRED: VarChar<2>,
    }
}

/// `INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS`: the alias types that a rule is bound to.
pub static DOMAIN_CONSTRAINTS: ViewDef = view(SCHEMA, "DOMAIN_CONSTRAINTS", &ViewRows(domain_constraints));

fn domain_constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<DomainConstraints>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let rows = objects.user_types().filter_map(|ty| {
        let rule = object(&objects, ty.rule, ModuleKind::Rule)?;
        Some(DomainConstraints {
            CONSTRAINT_CATALOG: name.clone(),
            CONSTRAINT_SCHEMA: Some(text(&rule.schema.name)),
            CONSTRAINT_NAME: text(&rule.name),
            DOMAIN_CATALOG: name.clone(),
            DOMAIN_SCHEMA: Some(text(&ty.schema.name)),
            DOMAIN_NAME: text(&ty.name),
            IS_DEFERRABLE: text("NO"),
            INITIALLY_DEFERRED: text("NO"),
        })
    });
    Ok(rows.collect())
}

/// `INFORMATION_SCHEMA.ROUTINE_COLUMNS`: the columns of table-valued functions.
pub static ROUTINE_COLUMNS: ViewDef =
    led_view(SCHEMA, "ROUTINE_COLUMNS", &[("TABLE_NAME", Lead::Name)], &ViewRows(routine_columns));

fn routine_columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Columns>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    let functions = inventory::among(ctx, database, &objects).into_iter();
    for object in functions.filter(|object| matches!(object.code(), "IF" | "TF")) {
        let columns = inventory::module_columns(ctx, database.database, object)?;
        rows.extend(column_rows(&name, (&object.schema().name, object.name()), &columns, &objects));
    }
    Ok(rows)
}

row! {
    /// A row of `INFORMATION_SCHEMA.VIEW_COLUMN_USAGE`.
    struct ViewColumnUsage {
        of: ViewTableUsage,
        COLUMN_NAME: Option<Sysname>,
    }
}

/// `INFORMATION_SCHEMA.VIEW_COLUMN_USAGE`: the columns that a view's text names, of tables and views of its database.
pub static VIEW_COLUMN_USAGE: ViewDef =
    led_view(SCHEMA, "VIEW_COLUMN_USAGE", &[("VIEW_NAME", Lead::Name)], &ViewRows(view_column_usage));

fn view_column_usage(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<ViewColumnUsage>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, Within::from(database.database))?;
    let mut rows = Rows::new();
    for def in modules(ctx, database)?.iter().filter(|def| def.kind == ModuleKind::View) {
        // What does not bind any more names nothing.
        let mut named = millpond_names::describe::columns_named(ctx, database.database, def)?;
        named.sort_unstable();
        named.dedup();
        for (id, column) in named {
            let Some(used) = objects.get(id).filter(|used| matches!(used.code(), "U" | "V")) else { continue };
            rows.push(ViewColumnUsage {
                of: ViewTableUsage {
                    VIEW_CATALOG: name.clone(),
                    VIEW_SCHEMA: Some(text(&def.schema.name)),
                    VIEW_NAME: text(&def.name),
                    TABLE_CATALOG: name.clone(),
                    TABLE_SCHEMA: Some(text(&used.schema().name)),
                    TABLE_NAME: text(used.name()),
                },
                COLUMN_NAME: maybe(used.column_name(column)),
            });
        }
    }
    Ok(rows)
}

/// The database's name, first in every row.
pub(crate) fn catalog_name(ctx: &RunContext, database: Within<'_>) -> Option<Sysname> {
    maybe(ctx.engine.database_name(database.database).as_deref())
}

/// The type of a column as it was declared.
fn column_data_type(column: &ColumnDef) -> DataType {
    let own = data_type(Some(&column.ty.sql), column.ty.collation);
    match column.large_type() {
        None => own,
        Some(large) => DataType {
            DATA_TYPE: Some(text(large.name)),
            CHARACTER_MAXIMUM_LENGTH: Some(large.length),
            CHARACTER_OCTET_LENGTH: Some(large.bytes),
            ..own
        },
    }
}

fn data_type(sql: Option<&SqlType>, collation: Collation) -> DataType {
    let Some(sql) = sql else {
        return DataType { DATA_TYPE: Some(text("table type")), ..DataType::default() };
    };
    let units = text_units(sql).or((*sql == SqlType::Xml).then_some(-1));
    let octets = units.map(|_| i32::from(inventory::max_length(sql)));
    let (precision, scale) = sql.precision_scale();
    let is_number = sql.is_numeric() && *sql != SqlType::Bit;
    let radix = if sql.is_approximate() { 2 } else { 10 };
    let fraction = sql.is_temporal().then_some(if *sql == SqlType::Date { 0 } else { i16::from(scale) });
    let character_set = sql.is_string().then_some(match sql.page() {
        _ if sql.is_unicode() => "UNICODE".to_owned(),
        CodePage::Cp1252 => "iso_1".to_owned(),
        CodePage::Utf8 => "utf8".to_owned(),
        page => format!("cp{}", page.number()),
    });
    DataType {
        DATA_TYPE: Some(text(sql.name())),
        CHARACTER_MAXIMUM_LENGTH: units,
        CHARACTER_OCTET_LENGTH: octets,
        NUMERIC_PRECISION: is_number.then_some(precision),
        NUMERIC_PRECISION_RADIX: is_number.then_some(radix),
        NUMERIC_SCALE: (is_number && !sql.is_approximate()).then(|| i32::from(scale)),
        DATETIME_PRECISION: fraction,
        CHARACTER_SET_CATALOG: None,
        CHARACTER_SET_SCHEMA: None,
        CHARACTER_SET_NAME: maybe(character_set.as_deref()),
        COLLATION_CATALOG: None,
        COLLATION_SCHEMA: None,
        COLLATION_NAME: maybe(sql.is_string().then(|| collation.name())),
    }
}

/// A definition as far as its column goes; longer ones are cut.
fn definition(ctx: &RunContext, database: Within<'_>, def: &Arc<ModuleDef>) -> Option<NVarChar<4000>> {
    let definition = shown_definition(ctx, database.database, def);
    definition.as_str().map(|definition| text(&definition.chars().take(4000).collect::<String>()))
}

fn schemata(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Schemata>> {
    let name = catalog_name(ctx, database);
    let rows = users::schemas(ctx, database)?.into_iter().map(|schema| Schemata {
        CATALOG_NAME: name.clone(),
        SCHEMA_NAME: text(&schema.name),
        SCHEMA_OWNER: maybe(schema.owner_name.as_deref()),
        DEFAULT_CHARACTER_SET_CATALOG: None,
        DEFAULT_CHARACTER_SET_SCHEMA: None,
        DEFAULT_CHARACTER_SET_NAME: Some(text("iso_1")),
    });
    Ok(rows.collect())
}

fn tables(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Tables>> {
    let name = catalog_name(ctx, database);
    let rows = inventory::objects(ctx, database)?.into_iter().filter_map(|object| {
        let kind = match object.kind {
            "U" => "BASE TABLE",
            "V" => "VIEW",
            _ => return None,
        };
        Some(Tables {
            TABLE_CATALOG: name.clone(),
            TABLE_SCHEMA: Some(text(&object.schema.name)),
            TABLE_NAME: text(&object.name),
            TABLE_TYPE: Some(text(kind)),
        })
    });
    Ok(rows.collect())
}

fn columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Columns>> {
    let name = catalog_name(ctx, database);
    let mut rows = Rows::new();
    let objects = inventory::definitions(ctx, database)?;
    for table in inventory::tables(ctx, database)? {
        rows.extend(column_rows(&name, (&table.def.schema.name, &table.name), &table.def.columns, &objects));
    }
    for object in inventory::among(ctx, database, &objects).into_iter().filter(|object| object.code() == "V") {
        let columns = inventory::module_columns(ctx, database.database, object)?;
        rows.extend(column_rows(&name, (&object.schema().name, object.name()), &columns, &objects));
    }
    Ok(rows)
}

/// The columns of a table or view by its schema and name.
fn column_rows<'r>(
    database: &'r Option<Sysname>,
    (schema, table): (&'r str, &'r str),
    columns: &'r [ColumnDef],
    objects: &'r DatabaseObjects,
) -> impl Iterator<Item = Columns> + 'r {
    columns.iter().zip(1..).map(move |(column, position)| {
        // Of a default that is bound the statement that made it.
        let default = column.default.as_ref().map(|default| match object(objects, default.id, ModuleKind::Default) {
            Some(module) if default.is_bound() => module.text.to_string(),
            _ => inventory::shown_expression(&default.text),
        });
        let domain = column.user_type.as_deref().and_then(|name| name.split_once('.'));
        Columns {
            TABLE_CATALOG: database.clone(),
            TABLE_SCHEMA: Some(text(schema)),
            TABLE_NAME: text(table),
            COLUMN_NAME: Some(text(&column.name)),
            ORDINAL_POSITION: Some(position),
            COLUMN_DEFAULT: maybe(default.as_deref()),
            IS_NULLABLE: Some(text(if column.ty.nullable { "YES" } else { "NO" })),
            data_type: column_data_type(column),
            DOMAIN_CATALOG: domain.and_then(|_| database.clone()),
            DOMAIN_SCHEMA: maybe(domain.map(|(schema, _)| schema)),
            DOMAIN_NAME: maybe(domain.map(|(_, name)| name)),
        }
    })
}

/// The modules of a database.
fn modules(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Arc<ModuleDef>>> {
    let objects = inventory::definitions(ctx, database)?;
    let modules = inventory::among(ctx, database, &objects).into_iter().filter_map(|object| match object {
        CatalogObject::Module(def) => Some(Arc::clone(def)),
        _ => None,
    });
    Ok(modules.collect())
}

fn views(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Views>> {
    let name = catalog_name(ctx, database);
    let modules = modules(ctx, database)?;
    let rows = modules.iter().filter(|def| def.kind == ModuleKind::View).map(|def| Views {
        TABLE_CATALOG: name.clone(),
        TABLE_SCHEMA: Some(text(&def.schema.name)),
        TABLE_NAME: text(&def.name),
        VIEW_DEFINITION: definition(ctx, database, def),
        CHECK_OPTION: Some(text(if millpond_names::describe::view_checks(ctx, def) { "CASCADE" } else { "NONE" })),
        IS_UPDATABLE: text("NO"),
    });
    Ok(rows.collect())
}

/// Procedures and functions.
fn is_routine(def: &ModuleDef) -> bool {
    !matches!(def.kind, ModuleKind::View | ModuleKind::Trigger | ModuleKind::Default | ModuleKind::Rule)
}

fn routines(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Routines>> {
    let (name, objects) = (catalog_name(ctx, database), inventory::definitions(ctx, database)?);
    let mut rows = Rows::new();
    for def in modules(ctx, database)?.iter().filter(|def| is_routine(def)) {
        let is_procedure = def.kind == ModuleKind::Procedure;
        let returns = match def.kind {
            ModuleKind::ScalarFunction => {
                let parameters =
                    millpond_names::describe::module_parameters(ctx, database.database, def).unwrap_or_default();
                data_type(parameters.first().and_then(|first| first.sql.as_ref()), objects.collation)
            }
            ModuleKind::Procedure => DataType::default(),
            _ => DataType { DATA_TYPE: Some(text("TABLE")), ..DataType::default() },
        };
        rows.push(Routines {
            SPECIFIC_CATALOG: name.clone(),
            SPECIFIC_SCHEMA: Some(text(&def.schema.name)),
            SPECIFIC_NAME: text(&def.name),
            ROUTINE_CATALOG: name.clone(),
            ROUTINE_SCHEMA: Some(text(&def.schema.name)),
            ROUTINE_NAME: text(&def.name),
            ROUTINE_TYPE: Some(text(if is_procedure { "PROCEDURE" } else { "FUNCTION" })),
            home: RoutineHome::default(),
            returns: returns.into(),
            interval: Interval::default(),
            returned: RoutineType::default(),
            ROUTINE_BODY: Some(text("SQL")),
            ROUTINE_DEFINITION: definition(ctx, database, def),
            external: External::default(),
            IS_DETERMINISTIC: Some(text("NO")),
            SQL_DATA_ACCESS: Some(text(if is_procedure { "MODIFIES" } else { "READS" })),
            IS_NULL_CALL: (!is_procedure).then(|| text("NO")),
            SQL_PATH: None,
            SCHEMA_LEVEL_ROUTINE: Some(text("YES")),
            // -1: as many as the procedure sends.
            MAX_DYNAMIC_RESULT_SETS: Some(if is_procedure { -1 } else { 0 }),
            IS_USER_DEFINED_CAST: Some(text("NO")),
            IS_IMPLICITLY_INVOCABLE: Some(text("NO")),
            CREATED: datetime_of(def.created_us),
            LAST_ALTERED: datetime_of(def.modified_us),
        });
    }
    Ok(rows)
}

fn parameters(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Parameters>> {
    let (name, collation) = (catalog_name(ctx, database), inventory::definitions(ctx, database)?.collation);
    let mut rows = Rows::new();
    for def in modules(ctx, database)?.iter().filter(|def| is_routine(def)) {
        let first = i32::from(def.kind != ModuleKind::ScalarFunction);
        let shown = millpond_names::describe::module_parameters(ctx, database.database, def).unwrap_or_default();
        for (parameter, position) in shown.iter().zip(first..) {
            rows.push(parameter_row((&name, collation), def, position, parameter));
        }
    }
    Ok(rows)
}

fn parameter_row(
    (database, collation): (&Option<Sysname>, Collation),
    def: &ModuleDef,
    position: i32,
    parameter: &ShownParameter,
) -> Parameters {
    let mode = match (position, parameter.output) {
        (0, _) => "OUT",
        (_, true) => "INOUT",
        (_, false) => "IN",
    };
    Parameters {
        SPECIFIC_CATALOG: database.clone(),
        SPECIFIC_SCHEMA: Some(text(&def.schema.name)),
        SPECIFIC_NAME: text(&def.name),
        ORDINAL_POSITION: position,
        PARAMETER_MODE: Some(text(mode)),
        IS_RESULT: Some(text(if position == 0 { "YES" } else { "NO" })),
        AS_LOCATOR: Some(text("NO")),
        PARAMETER_NAME: Some(text(&parameter.name)),
        data_type: data_type(parameter.sql.as_ref(), collation).into(),
        interval: Interval::default(),
        USER_DEFINED_TYPE_CATALOG: None,
        USER_DEFINED_TYPE_SCHEMA: None,
        USER_DEFINED_TYPE_NAME: None,
        scope: Scope::default(),
    }
}

fn sequences(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sequences>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let rows = inventory::among(ctx, database, &objects).into_iter().filter_map(|object| match object {
        CatalogObject::Sequence(def) => {
            let (precision, scale) = def.sql.precision_scale();
            Some(Sequences {
                SEQUENCE_CATALOG: name.clone(),
                SEQUENCE_SCHEMA: Some(text(&def.schema.name)),
                SEQUENCE_NAME: text(&def.name),
                DATA_TYPE: Some(text(def.sql.name())),
                NUMERIC_PRECISION: precision,
                NUMERIC_PRECISION_RADIX: Some(10),
                NUMERIC_SCALE: Some(i32::from(scale)),
                START_VALUE: def.start,
                MINIMUM_VALUE: def.min,
                MAXIMUM_VALUE: def.max,
                INCREMENT: def.increment,
                CYCLE_OPTION: Some(i32::from(def.cycle)),
                DECLARED_DATA_TYPE: None,
                DECLARED_NUMERIC_PRECISION: None,
                DECLARED_NUMERIC_SCALE: None,
            })
        }
        _ => None,
    });
    Ok(rows.collect())
}

fn domains(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Domains>> {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let rows = objects.user_types().filter_map(|ty| match &ty.form {
        UserTypeForm::Alias { sql, .. } => Some(Domains {
            DOMAIN_CATALOG: name.clone(),
            DOMAIN_SCHEMA: Some(text(&ty.schema.name)),
            DOMAIN_NAME: text(&ty.name),
            data_type: data_type(Some(sql), objects.collation).into(),
            DOMAIN_DEFAULT: object(&objects, ty.default, ModuleKind::Default).map(|default| text(&default.text)),
        }),
        UserTypeForm::Table { .. } => None,
    });
    Ok(rows.collect())
}
