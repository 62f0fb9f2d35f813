//! ODBC's catalog functions about procedures: `sp_stored_procedures`, `sp_sproc_columns`.

use std::sync::Arc;

use millpond_catalog::{CatalogObject, ModuleDef, ModuleKind, UserTypeDef, UserTypeForm};
use millpond_engine::inventory;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_names::describe::ShownParameter;
use millpond_types::{SqlType, Value};

use super::odbc_type::{OdbcType, type_columns, user_type_columns};
use crate::procedure::named::{INT, SMALLINT, SYSNAME, fits, nvarchar, small, text_arg, varchar};

/// `sp_stored_procedures`
pub static SP_STORED_PROCEDURES: ProcedureDef = ProcedureDef {
    name: "sp_stored_procedures",
    params: &[
        ("@sp_name", nvarchar(390)),
        ("@sp_owner", nvarchar(384)),
        ("@sp_qualifier", SYSNAME),
        ("@fusepattern", SqlType::Bit),
    ],
    run: procedures,
};

const COLUMN_PARAMS: &[(&str, SqlType)] = &[
    ("@procedure_name", nvarchar(390)),
    ("@procedure_owner", nvarchar(384)),
    ("@procedure_qualifier", SYSNAME),
    ("@column_name", nvarchar(384)),
    ("@odbcver", INT),
    ("@fusepattern", SqlType::Bit),
];

/// `sp_sproc_columns`
pub static SP_SPROC_COLUMNS: ProcedureDef =
    ProcedureDef { name: "sp_sproc_columns", params: COLUMN_PARAMS, run: |call| columns(call, false) };

/// `sp_sproc_columns_100`
pub static SP_SPROC_COLUMNS_100: ProcedureDef =
    ProcedureDef { name: "sp_sproc_columns_100", params: COLUMN_PARAMS, run: |call| columns(call, true) };

/// Procedures and functions.
fn is_routine(kind: ModuleKind) -> bool {
    !matches!(kind, ModuleKind::View | ModuleKind::Trigger | ModuleKind::Default | ModuleKind::Rule)
}

/// Procedures and functions of the current database whose names are of the patterns in the first two arguments.
fn routines(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<Vec<Arc<ModuleDef>>> {
    let (name, owner) = (text_arg(call, def, 0), text_arg(call, def, 1));
    // Drivers that ask with a number for overloads, `name;1`, mean the name.
    let name = name.map(|name| name.split(';').next().unwrap_or_default().to_owned());
    let objects = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
    let mut found: Vec<Arc<ModuleDef>> = objects
        .iter()
        .filter_map(|object| match object {
            CatalogObject::Module(def) if is_routine(def.kind) => Some(Arc::clone(def)),
            _ => None,
        })
        .filter(|def| fits(&def.name, name.as_deref()) && fits(&def.schema.name, owner.as_deref()))
        .collect();
    found.sort_by(|a, b| (&a.schema.name, &a.name).cmp(&(&b.schema.name, &b.name)));
    Ok(found)
}

/// The name with the number that distinguishes overloads: 1 of procedures, 0 of functions.
fn numbered(def: &ModuleDef) -> Value {
    Value::str(&format!("{};{}", def.name, i32::from(def.kind == ModuleKind::Procedure)))
}

fn procedures(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let database = Value::str(&call.ctx().facts.database_name);
    let rows = routines(call, &SP_STORED_PROCEDURES)?.into_iter().map(|def| {
        vec![
            database.clone(),
            Value::str(&def.schema.name),
            numbered(&def),
            Value::Int(-1),
            Value::Int(-1),
            Value::Int(-1),
            Value::Null,
            Value::SmallInt(2),
        ]
    });
    let rows = rows.collect();
    call.result(
        &[
            ("PROCEDURE_QUALIFIER", SYSNAME),
            ("PROCEDURE_OWNER", SYSNAME),
            ("PROCEDURE_NAME", nvarchar(134)),
            ("NUM_INPUT_PARAMS", INT),
            ("NUM_OUTPUT_PARAMS", INT),
            ("NUM_RESULT_SETS", INT),
            ("REMARKS", varchar(254)),
            ("PROCEDURE_TYPE", SMALLINT),
        ],
        rows,
    )?;
    Ok(0)
}

/// What ODBC calls the value that a routine returns.
const RETURN_VALUE: i16 = 5;

fn columns(call: &mut SystemCall<'_>, is_new: bool) -> SqlResult<i32> {
    let pattern = text_arg(call, &SP_SPROC_COLUMNS, 3);
    let version = call.arg(&SP_SPROC_COLUMNS, 4).and_then(Value::as_i64).map_or(2, |version| version as u8);
    let database = Value::str(&call.ctx().facts.database_name);
    let mut rows = Vec::new();
    let dictionary = call.ctx().engine.databases().dictionary(call.ctx().facts.database)?;
    let objects = dictionary.catalog().objects();
    for def in routines(call, &SP_SPROC_COLUMNS)? {
        let mut parameters = millpond_names::describe::module_parameters(call.ctx(), call.ctx().facts.database, &def)?;
        if def.kind != ModuleKind::ScalarFunction {
            let sql = (def.kind == ModuleKind::Procedure).then_some(SqlType::Int);
            parameters.insert(
                0,
                ShownParameter { name: String::new(), sql, user_type_id: None, output: true, readonly: false },
            );
        }
        for (parameter, position) in parameters.iter().zip(0..) {
            let name = match (position, def.kind) {
                (0, ModuleKind::Procedure | ModuleKind::ScalarFunction) => "@RETURN_VALUE",
                (0, _) => "@TABLE_RETURN_VALUE",
                _ => &parameter.name,
            };
            if fits(name, pattern.as_deref()) {
                let mut row = vec![database.clone(), Value::str(&def.schema.name), numbered(&def), Value::str(name)];
                let ty = parameter.user_type_id.and_then(|id| objects.user_type_by_id(id));
                let table = ty.and_then(|ty| match &ty.form {
                    UserTypeForm::Table { def, .. } => Some((ty, def.columns.len())),
                    UserTypeForm::Alias { .. } => None,
                });
                row.extend(match table {
                    Some((ty, columns)) => table_row(ty, columns, position),
                    None => parameter_row(parameter, position, version, is_new),
                });
                if is_new {
                    row.extend(match table {
                        Some((ty, _)) => [database.clone(), Value::str(&ty.schema.name)],
                        None => [Value::Null, Value::Null],
                    });
                    row.extend((0..6).map(|_| Value::Null));
                }
                row.push(Value::TinyInt(if table.is_some() {
                    0
                } else {
                    odbc_type(parameter, position, version, is_new).wire
                }));
                rows.push(row);
            }
        }
    }
    call.result(&parameter_columns(is_new), rows)?;
    Ok(0)
}

fn parameter_columns(is_new: bool) -> Vec<(&'static str, SqlType)> {
    let mut columns = vec![
        ("PROCEDURE_QUALIFIER", SYSNAME),
        ("PROCEDURE_OWNER", SYSNAME),
        ("PROCEDURE_NAME", nvarchar(134)),
        ("COLUMN_NAME", SYSNAME),
        ("COLUMN_TYPE", SMALLINT),
    ];
    columns.extend(type_columns());
    if is_new {
        columns.extend([("SS_TYPE_CATALOG_NAME", SYSNAME), ("SS_TYPE_SCHEMA_NAME", SYSNAME)]);
        columns.extend(user_type_columns());
    }
    columns.push(("SS_DATA_TYPE", SqlType::TinyInt));
    columns
}

/// ODBC's number of a table-valued parameter.
const SQL_SS_TABLE: i16 = -153;

/// A table-valued parameter: its type's name, and as digits the number of columns.
fn table_row(ty: &UserTypeDef, columns: usize, position: i32) -> Vec<Value> {
    vec![
        Value::SmallInt(1),
        Value::SmallInt(SQL_SS_TABLE),
        Value::str(&ty.name),
        Value::Null,
        Value::Int(0),
        i16::try_from(columns).map_or(Value::Null, Value::SmallInt),
        Value::Null,
        Value::SmallInt(1),
        Value::Null,
        Value::Null,
        Value::SmallInt(SQL_SS_TABLE),
        Value::Null,
        Value::Null,
        Value::Int(position),
        Value::str("YES"),
    ]
}

fn odbc_type(parameter: &ShownParameter, position: i32, version: u8, is_new: bool) -> OdbcType {
    OdbcType::of(&parameter.sql.unwrap_or(SqlType::Variant), position > 0, version, is_new)
}

fn parameter_row(parameter: &ShownParameter, position: i32, version: u8, is_new: bool) -> Vec<Value> {
    let kind = match (position, parameter.output) {
        (0, _) => RETURN_VALUE,
        (_, true) => 2,
        (_, false) => 1,
    };
    let nullable = position > 0;
    let odbc = odbc_type(parameter, position, version, is_new);
    vec![
        Value::SmallInt(kind),
        Value::SmallInt(if parameter.sql.is_some() { odbc.number } else { SQL_SS_TABLE }),
        Value::str(parameter.sql.map_or("table", |sql| sql.name())),
        Value::Int(odbc.precision),
        Value::Int(odbc.length),
        small(odbc.scale),
        small(odbc.radix),
        Value::SmallInt(i16::from(nullable)),
        Value::Null,
        Value::Null,
        Value::SmallInt(odbc.sql_number),
        small(odbc.datetime_sub),
        odbc.octets.map_or(Value::Null, Value::Int),
        Value::Int(position),
        Value::str(if nullable { "YES" } else { "NO" }),
    ]
}
