//! `INFORMATION_SCHEMA` of tables and modules: SCHEMATA, TABLES, COLUMNS, VIEWS, ROUTINES, PARAMETERS, SEQUENCES,
//! DOMAINS.

use std::sync::Arc;

use millpond_builtin::facts::system_type::text_units;
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{CatalogObject, ColumnDef, ModuleDef, ModuleKind, SystemColumn, UserTypeForm, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_query::exec::ShownParameter;
use millpond_types::{CodePage, Collation, SqlType, Value};

use crate::view::columns::{
    BIGINT, DATETIME, INT, NVARCHAR_MAX, SMALLINT, SYSNAME, TINYINT, big, col, int, joined, maybe, moment, null,
    nvarchar, text, tiny, varchar,
};
use crate::view::{LedViewRows, ViewRows};

pub(in crate::view) const SCHEMA: &str = "INFORMATION_SCHEMA";
type Rows = SqlResult<Vec<Vec<Value>>>;

/// `INFORMATION_SCHEMA.SCHEMATA`
pub static SCHEMATA: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "SCHEMATA",
    columns: &[
        null("CATALOG_NAME", SYSNAME),
        col("SCHEMA_NAME", SYSNAME),
        null("SCHEMA_OWNER", SYSNAME),
        null("DEFAULT_CHARACTER_SET_CATALOG", varchar(6)),
        null("DEFAULT_CHARACTER_SET_SCHEMA", varchar(3)),
        null("DEFAULT_CHARACTER_SET_NAME", SYSNAME),
    ],
    rows: &ViewRows(schemata),
};

/// `INFORMATION_SCHEMA.TABLES`
pub static TABLES: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "TABLES",
    columns: &[
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("TABLE_TYPE", varchar(10)),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name)], tables),
};

/// What follows the type's name in COLUMNS, ROUTINES, PARAMETERS and DOMAINS.
const TYPE_COLUMNS: [SystemColumn; 13] = [
    null("DATA_TYPE", nvarchar(128)),
    null("CHARACTER_MAXIMUM_LENGTH", INT),
    null("CHARACTER_OCTET_LENGTH", INT),
    null("NUMERIC_PRECISION", TINYINT),
    null("NUMERIC_PRECISION_RADIX", SMALLINT),
    null("NUMERIC_SCALE", INT),
    null("DATETIME_PRECISION", SMALLINT),
    null("CHARACTER_SET_CATALOG", SYSNAME),
    null("CHARACTER_SET_SCHEMA", SYSNAME),
    null("CHARACTER_SET_NAME", SYSNAME),
    null("COLLATION_CATALOG", SYSNAME),
    null("COLLATION_SCHEMA", SYSNAME),
    null("COLLATION_NAME", SYSNAME),
];

/// `INFORMATION_SCHEMA.COLUMNS`
pub static COLUMNS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "COLUMNS",
    columns: &joined::<7, 16, 23>(
        [
            null("TABLE_CATALOG", SYSNAME),
            null("TABLE_SCHEMA", SYSNAME),
            col("TABLE_NAME", SYSNAME),
            null("COLUMN_NAME", SYSNAME),
            null("ORDINAL_POSITION", INT),
            null("COLUMN_DEFAULT", nvarchar(4000)),
            null("IS_NULLABLE", varchar(3)),
        ],
        joined::<13, 3, 16>(
            TYPE_COLUMNS,
            [null("DOMAIN_CATALOG", SYSNAME), null("DOMAIN_SCHEMA", SYSNAME), null("DOMAIN_NAME", SYSNAME)],
        ),
    ),
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name)], columns),
};

/// `INFORMATION_SCHEMA.VIEWS`
pub static VIEWS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "VIEWS",
    columns: &[
        null("TABLE_CATALOG", SYSNAME),
        null("TABLE_SCHEMA", SYSNAME),
        col("TABLE_NAME", SYSNAME),
        null("VIEW_DEFINITION", nvarchar(4000)),
        null("CHECK_OPTION", varchar(7)),
        col("IS_UPDATABLE", varchar(2)),
    ],
    rows: &LedViewRows(&[("TABLE_NAME", Lead::Name)], views),
};

/// `INFORMATION_SCHEMA.ROUTINES`
pub static ROUTINES: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "ROUTINES",
    columns: &joined::<7, 21, 28>(
        [
            null("SPECIFIC_CATALOG", SYSNAME),
            null("SPECIFIC_SCHEMA", SYSNAME),
            col("SPECIFIC_NAME", SYSNAME),
            null("ROUTINE_CATALOG", SYSNAME),
            null("ROUTINE_SCHEMA", SYSNAME),
            col("ROUTINE_NAME", SYSNAME),
            null("ROUTINE_TYPE", nvarchar(20)),
        ],
        joined::<13, 8, 21>(
            TYPE_COLUMNS,
            [
                null("ROUTINE_BODY", nvarchar(30)),
                null("ROUTINE_DEFINITION", nvarchar(4000)),
                null("IS_DETERMINISTIC", nvarchar(10)),
                null("SQL_DATA_ACCESS", nvarchar(30)),
                null("IS_NULL_CALL", nvarchar(10)),
                null("SCHEMA_LEVEL_ROUTINE", nvarchar(10)),
                col("CREATED", DATETIME),
                col("LAST_ALTERED", DATETIME),
            ],
        ),
    ),
    rows: &LedViewRows(&[("ROUTINE_NAME", Lead::Name), ("SPECIFIC_NAME", Lead::Name)], routines),
};

/// `INFORMATION_SCHEMA.PARAMETERS`
pub static PARAMETERS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "PARAMETERS",
    columns: &joined::<8, 13, 21>(
        [
            null("SPECIFIC_CATALOG", SYSNAME),
            null("SPECIFIC_SCHEMA", SYSNAME),
            col("SPECIFIC_NAME", SYSNAME),
            col("ORDINAL_POSITION", INT),
            null("PARAMETER_MODE", nvarchar(10)),
            null("IS_RESULT", nvarchar(10)),
            null("AS_LOCATOR", nvarchar(10)),
            null("PARAMETER_NAME", SYSNAME),
        ],
        TYPE_COLUMNS,
    ),
    rows: &LedViewRows(&[("SPECIFIC_NAME", Lead::Name)], parameters),
};

/// `INFORMATION_SCHEMA.SEQUENCES`
pub static SEQUENCES: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "SEQUENCES",
    columns: &[
        null("SEQUENCE_CATALOG", SYSNAME),
        null("SEQUENCE_SCHEMA", SYSNAME),
        col("SEQUENCE_NAME", SYSNAME),
        null("DATA_TYPE", SYSNAME),
        col("NUMERIC_PRECISION", TINYINT),
        null("NUMERIC_PRECISION_RADIX", SMALLINT),
        null("NUMERIC_SCALE", INT),
        col("START_VALUE", BIGINT),
        col("MINIMUM_VALUE", BIGINT),
        col("MAXIMUM_VALUE", BIGINT),
        col("INCREMENT", BIGINT),
        null("CYCLE_OPTION", INT),
        null("DECLARED_DATA_TYPE", SYSNAME),
        null("DECLARED_NUMERIC_PRECISION", TINYINT),
        null("DECLARED_NUMERIC_SCALE", TINYINT),
    ],
    rows: &LedViewRows(&[("SEQUENCE_NAME", Lead::Name)], sequences),
};

/// `INFORMATION_SCHEMA.DOMAINS`: the alias types.
pub static DOMAINS: ViewDef = ViewDef {
    schema: SCHEMA,
    name: "DOMAINS",
    columns: &joined::<3, 14, 17>(
        [null("DOMAIN_CATALOG", SYSNAME), null("DOMAIN_SCHEMA", SYSNAME), col("DOMAIN_NAME", SYSNAME)],
        joined::<13, 1, 14>(TYPE_COLUMNS, [null("DOMAIN_DEFAULT", NVARCHAR_MAX)]),
    ),
    rows: &ViewRows(domains),
};

/// The database's name, first in every row.
pub(in crate::view) fn catalog_name(ctx: &RunContext, database: Within<'_>) -> Value {
    ctx.engine.database_name(database.database).map_or(Value::Null, Value::from)
}

/// The values of [`TYPE_COLUMNS`].
fn type_values(sql: Option<&SqlType>, collation: Collation) -> Vec<Value> {
    let Some(sql) = sql else {
        let mut row = vec![text("table type")];
        row.resize(TYPE_COLUMNS.len(), Value::Null);
        return row;
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
    let of_number = |value: Value| if is_number { value } else { Value::Null };
    vec![
        text(sql.name()),
        units.map_or(Value::Null, int),
        octets.map_or(Value::Null, int),
        of_number(tiny(precision)),
        of_number(Value::SmallInt(radix)),
        of_number(if sql.is_approximate() { Value::Null } else { int(scale) }),
        fraction.map_or(Value::Null, Value::SmallInt),
        Value::Null,
        Value::Null,
        maybe(character_set.as_deref()),
        Value::Null,
        Value::Null,
        maybe(sql.is_string().then(|| collation.name())),
    ]
}

/// A definition as far as its column goes; longer ones are cut.
fn definition(definition: &Value) -> Value {
    definition.as_str().map_or(Value::Null, |definition| text(&definition.chars().take(4000).collect::<String>()))
}

fn schemata(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let owner = |id: i32, name: &str| if id <= 4 { text(name) } else { text("dbo") };
    let rows = objects.schemas().map(|schema| {
        vec![
            name.clone(),
            text(&schema.name),
            owner(schema.id.0, &schema.name),
            Value::Null,
            Value::Null,
            text("iso_1"),
        ]
    });
    Ok(rows.collect())
}

fn tables(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let rows = inventory::objects(ctx, database)?.into_iter().filter_map(|object| {
        let kind = match object.kind {
            "U" => "BASE TABLE",
            "V" => "VIEW",
            _ => return None,
        };
        Some(vec![name.clone(), text(&object.schema.name), text(&object.name), text(kind)])
    });
    Ok(rows.collect())
}

fn columns(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        let place = [name.clone(), text(&table.def.schema.name), text(&table.name)];
        rows.extend(column_rows(&place, &table.def.columns));
    }
    for object in inventory::among(ctx, database, &*inventory::definitions(ctx, database)?)
        .into_iter()
        .filter(|object| object.code() == "V")
    {
        let place = [name.clone(), text(&object.schema().name), text(object.name())];
        rows.extend(column_rows(&place, &inventory::module_columns(ctx, database.database, object)?));
    }
    Ok(rows)
}

fn column_rows(place: &[Value; 3], columns: &[ColumnDef]) -> Vec<Vec<Value>> {
    let row = |(column, position): (&ColumnDef, i32)| {
        let mut row = place.to_vec();
        let default = column.default.as_ref().map(|default| inventory::shown_expression(&default.text));
        row.extend([
            text(&column.name),
            int(position),
            maybe(default.as_deref()),
            text(if column.ty.nullable { "YES" } else { "NO" }),
        ]);
        row.extend(type_values(Some(&column.ty.sql), column.ty.collation));
        let domain = column.user_type.as_deref().and_then(|name| name.split_once('.'));
        row.push(if domain.is_some() { place[0].clone() } else { Value::Null });
        row.push(maybe(domain.map(|(schema, _)| schema)));
        row.push(maybe(domain.map(|(_, name)| name)));
        row
    };
    columns.iter().zip(1..).map(row).collect()
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

fn views(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let modules = modules(ctx, database)?;
    let rows = modules.iter().filter(|def| def.kind == ModuleKind::View).map(|def| {
        vec![
            name.clone(),
            text(&def.schema.name),
            text(&def.name),
            definition(&ctx.engine.shown_text(def)),
            text(if millpond_query::exec::view_checks(ctx, def) { "CASCADE" } else { "NONE" }),
            text("NO"),
        ]
    });
    Ok(rows.collect())
}

/// Procedures and functions.
fn is_routine(def: &ModuleDef) -> bool {
    !matches!(def.kind, ModuleKind::View | ModuleKind::Trigger)
}

fn routines(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let mut rows = Vec::new();
    for def in modules(ctx, database)?.iter().filter(|def| is_routine(def)) {
        let (schema, own) = (text(&def.schema.name), text(&def.name));
        let is_procedure = def.kind == ModuleKind::Procedure;
        let mut row = vec![name.clone(), schema.clone(), own.clone(), name.clone(), schema, own];
        row.push(text(if is_procedure { "PROCEDURE" } else { "FUNCTION" }));
        let mut returns = match def.kind {
            ModuleKind::ScalarFunction => {
                let parameters =
                    millpond_query::exec::module_parameters(ctx, database.database, def).unwrap_or_default();
                type_values(parameters.first().and_then(|first| first.sql.as_ref()), Collation::default())
            }
            ModuleKind::Procedure => Vec::new(),
            _ => vec![text("TABLE")],
        };
        returns.resize(TYPE_COLUMNS.len(), Value::Null);
        row.extend(returns);
        row.extend([
            text("SQL"),
            definition(&ctx.engine.shown_text(def)),
            text("NO"),
            text(if is_procedure { "MODIFIES" } else { "READS" }),
            if is_procedure { Value::Null } else { text("NO") },
            text("YES"),
            moment(def.created_us),
            moment(def.modified_us),
        ]);
        rows.push(row);
    }
    Ok(rows)
}

fn parameters(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let mut rows = Vec::new();
    for def in modules(ctx, database)?.iter().filter(|def| is_routine(def)) {
        let first = i32::from(def.kind != ModuleKind::ScalarFunction);
        let shown = millpond_query::exec::module_parameters(ctx, database.database, def).unwrap_or_default();
        for (parameter, position) in shown.iter().zip(first..) {
            rows.push(parameter_row([name.clone(), text(&def.schema.name), text(&def.name)], position, parameter));
        }
    }
    Ok(rows)
}

fn parameter_row(place: [Value; 3], position: i32, parameter: &ShownParameter) -> Vec<Value> {
    let mode = match (position, parameter.output) {
        (0, _) => "OUT",
        (_, true) => "INOUT",
        (_, false) => "IN",
    };
    let mut row = place.to_vec();
    row.extend([
        int(position),
        text(mode),
        text(if position == 0 { "YES" } else { "NO" }),
        text("NO"),
        text(&parameter.name),
    ]);
    row.extend(type_values(parameter.sql.as_ref(), Collation::default()));
    row
}

fn sequences(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let rows = inventory::among(ctx, database, &objects).into_iter().filter_map(|object| match object {
        CatalogObject::Sequence(def) => {
            let (precision, scale) = def.sql.precision_scale();
            Some(vec![
                name.clone(),
                text(&def.schema.name),
                text(&def.name),
                text(def.sql.name()),
                tiny(precision),
                Value::SmallInt(10),
                int(scale),
                big(def.start),
                big(def.min),
                big(def.max),
                big(def.increment),
                int(i32::from(def.cycle)),
                Value::Null,
                Value::Null,
                Value::Null,
            ])
        }
        _ => None,
    });
    Ok(rows.collect())
}

fn domains(ctx: &RunContext, database: Within<'_>) -> Rows {
    let name = catalog_name(ctx, database);
    let objects = inventory::definitions(ctx, database)?;
    let rows = objects.user_types().filter_map(|ty| match &ty.form {
        UserTypeForm::Alias { sql, .. } => {
            let mut row = vec![name.clone(), text(&ty.schema.name), text(&ty.name)];
            row.extend(type_values(Some(sql), Collation::default()));
            row.push(Value::Null);
            Some(row)
        }
        UserTypeForm::Table { .. } => None,
    });
    Ok(rows.collect())
}
