//! ODBC's and JDBC's catalog functions about tables: `sp_tables`, `sp_columns`, `sp_pkeys`, `sp_fkeys`,
//! `sp_statistics`, `sp_databases`.

use millpond_catalog::{ColumnDef, IndexKind, ReferentialAction, TableDef, UserTypeDef, UserTypeForm, names_equal};
use millpond_engine::admin::access::may_enter;
use millpond_engine::inventory;
use millpond_engine::security::sees_database;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::odbc_type::{OdbcType, type_columns, user_type_columns};
use crate::procedure::named::{
    INT, SMALLINT, SYSNAME, fits, foreign_qualifier, maybe, nvarchar, small, text_arg, varchar,
};

/// `sp_tables`
pub static SP_TABLES: ProcedureDef = ProcedureDef {
    name: "sp_tables",
    params: &[
        ("@table_name", nvarchar(384)),
        ("@table_owner", nvarchar(384)),
        ("@table_qualifier", SYSNAME),
        ("@table_type", varchar(100)),
        ("@fusepattern", SqlType::Bit),
    ],
    run: tables,
};

const COLUMN_PARAMS: &[(&str, SqlType)] = &[
    ("@table_name", nvarchar(384)),
    ("@table_owner", nvarchar(384)),
    ("@table_qualifier", SYSNAME),
    ("@column_name", nvarchar(384)),
    ("@odbcver", INT),
    ("@fusepattern", SqlType::Bit),
];

/// The scope stands before the version, where drivers give it by position.
const COLUMN_100_PARAMS: &[(&str, SqlType)] = &[
    ("@table_name", nvarchar(384)),
    ("@table_owner", nvarchar(384)),
    ("@table_qualifier", SYSNAME),
    ("@column_name", nvarchar(384)),
    ("@namescope", INT),
    ("@odbcver", INT),
    ("@fusepattern", SqlType::Bit),
];

/// `@namescope` of the types of tables; every other scope is of tables and views, for there is no column set to leave out.
const SCOPE_OF_TABLE_TYPES: i64 = 1;

/// `sp_columns`
pub static SP_COLUMNS: ProcedureDef =
    ProcedureDef { name: "sp_columns", params: COLUMN_PARAMS, run: |call| columns(call, &SP_COLUMNS, false) };

/// `sp_columns_90`
pub static SP_COLUMNS_90: ProcedureDef =
    ProcedureDef { name: "sp_columns_90", params: COLUMN_PARAMS, run: |call| columns(call, &SP_COLUMNS_90, false) };

/// `sp_columns_100`
pub static SP_COLUMNS_100: ProcedureDef = ProcedureDef {
    name: "sp_columns_100",
    params: COLUMN_100_PARAMS,
    run: |call| columns(call, &SP_COLUMNS_100, true),
};

/// `sp_pkeys`
pub static SP_PKEYS: ProcedureDef = ProcedureDef {
    name: "sp_pkeys",
    params: &[("@table_name", nvarchar(384)), ("@table_owner", nvarchar(384)), ("@table_qualifier", SYSNAME)],
    run: primary_keys,
};

/// `sp_fkeys`
pub static SP_FKEYS: ProcedureDef = ProcedureDef {
    name: "sp_fkeys",
    params: &[
        ("@pktable_name", SYSNAME),
        ("@pktable_owner", SYSNAME),
        ("@pktable_qualifier", SYSNAME),
        ("@fktable_name", SYSNAME),
        ("@fktable_owner", SYSNAME),
        ("@fktable_qualifier", SYSNAME),
    ],
    run: foreign_keys,
};

const STATISTICS_PARAMS: &[(&str, SqlType)] = &[
    ("@table_name", nvarchar(384)),
    ("@table_owner", nvarchar(384)),
    ("@table_qualifier", SYSNAME),
    ("@index_name", SYSNAME),
    ("@is_unique", SqlType::char(1)),
    ("@accuracy", SqlType::char(1)),
];

/// `sp_statistics`
pub static SP_STATISTICS: ProcedureDef =
    ProcedureDef { name: "sp_statistics", params: STATISTICS_PARAMS, run: statistics };

/// `sp_statistics_100`
pub static SP_STATISTICS_100: ProcedureDef =
    ProcedureDef { name: "sp_statistics_100", params: STATISTICS_PARAMS, run: statistics };

/// `sp_databases`
pub static SP_DATABASES: ProcedureDef = ProcedureDef { name: "sp_databases", params: &[], run: databases };

/// The columns of `sp_tables`.
const TABLE_COLUMNS: [(&str, SqlType); 5] = [
    ("TABLE_QUALIFIER", SYSNAME),
    ("TABLE_OWNER", SYSNAME),
    ("TABLE_NAME", SYSNAME),
    ("TABLE_TYPE", varchar(32)),
    ("REMARKS", varchar(254)),
];

/// Name, owner and further columns of everything that has rows.
struct Relation {
    schema: String,
    name: String,
    is_view: bool,
    columns: Vec<ColumnDef>,
}

/// Tables and views of the current database whose names are of the patterns in the first two arguments.
fn relations(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<Vec<Relation>> {
    let (ctx, database) = (call.ctx(), call.ctx().facts.database);
    let mut found = Vec::new();
    for table in inventory::tables(ctx, database)? {
        let schema = table.def.schema.name.to_string();
        found.push(Relation { schema, name: table.name, is_view: false, columns: table.def.columns.clone() });
    }
    for object in inventory::definitions(ctx, database)?.iter().filter(|object| object.code() == "V") {
        found.push(Relation {
            schema: object.schema().name.to_string(),
            name: object.name().to_owned(),
            is_view: true,
            columns: inventory::module_columns(ctx, database, object)?,
        });
    }
    Ok(chosen(call, def, found))
}

/// Types of tables of the current database, chosen as tables are.
fn table_types(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<Vec<Relation>> {
    let objects = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
    let relation = |ty: &UserTypeDef| match &ty.form {
        UserTypeForm::Table { def, .. } => Some(Relation {
            schema: ty.schema.name.to_string(),
            name: ty.name.clone(),
            is_view: false,
            columns: def.columns.clone(),
        }),
        UserTypeForm::Alias { .. } => None,
    };
    Ok(chosen(call, def, objects.user_types().filter_map(|ty| relation(ty)).collect()))
}

/// Those whose names are of the patterns in the first two arguments, in order.
fn chosen(call: &SystemCall<'_>, def: &ProcedureDef, mut found: Vec<Relation>) -> Vec<Relation> {
    let (name, owner) = (text_arg(call, def, 0), text_arg(call, def, 1));
    let fits = fitting(call, def);
    found.retain(|relation| fits(&relation.name, name.as_deref()) && fits(&relation.schema, owner.as_deref()));
    found.sort_by(|a, b| (&a.schema, &a.name).cmp(&(&b.schema, &b.name)));
    found
}

/// The number that a call gives for the argument of a name; none where the procedure has no such argument.
fn number_arg(call: &SystemCall<'_>, def: &ProcedureDef, name: &str) -> Option<i64> {
    let index = def.params.iter().position(|(own, _)| *own == name)?;
    call.arg(def, index).and_then(Value::as_i64)
}

/// How names are compared with the arguments of a call: as patterns, or where @fusepattern is 0 as they are.
fn fitting(call: &SystemCall<'_>, def: &ProcedureDef) -> fn(&str, Option<&str>) -> bool {
    let index = def.params.iter().position(|(name, _)| *name == "@fusepattern");
    match index.and_then(|index| call.arg(def, index)) {
        Some(Value::Bit(false)) => |name, wanted| wanted.is_none_or(|wanted| names_equal(name, wanted)),
        _ => fits,
    }
}

/// The current database's name, the only one that the argument at `index` may have.
///
/// # Errors
/// 15250 for another one's.
fn qualifier(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<Value> {
    let name = &call.ctx().facts.database_name;
    match text_arg(call, def, index) {
        Some(given) if !names_equal(&given, name) => Err(foreign_qualifier()),
        _ => Ok(Value::str(name)),
    }
}

/// The three lists that ODBC's SQLTables asks for by patterns: of databases, of schemas, of kinds of tables.
fn listed(call: &SystemCall<'_>) -> SqlResult<Option<Vec<[Value; 5]>>> {
    let arg = |index| text_arg(call, &SP_TABLES, index);
    let (name, owner, database, types) = (arg(0), arg(1), arg(2), arg(3));
    let row = |at: usize, text: &str| {
        let mut row: [Value; 5] = std::array::from_fn(|_| Value::Null);
        row[at] = Value::str(text);
        row
    };
    let (Some(name), Some(owner), Some(database)) = (name, owner, database) else { return Ok(None) };
    Ok(match (name.as_str(), owner.as_str(), database.as_str(), types.as_deref()) {
        ("", "", "%", _) => {
            let mut names: Vec<_> =
                call.ctx().engine.instance().all_databases().iter().map(|database| database.name()).collect();
            names.sort();
            Some(names.iter().map(|name| row(0, name)).collect())
        }
        ("", "%", "", _) => {
            let objects = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
            let mut names: Vec<_> = objects.schemas().map(|schema| schema.name.to_string()).collect();
            names.sort();
            Some(names.iter().map(|name| row(1, name)).collect())
        }
        ("", "", "", Some("%")) => Some(["SYSTEM TABLE", "TABLE", "VIEW"].map(|word| row(3, word)).into()),
        _ => None,
    })
}

fn tables(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    if let Some(rows) = listed(call)? {
        call.result(&TABLE_COLUMNS, rows.into_iter().map(Vec::from).collect())?;
        return Ok(0);
    }
    let types = text_arg(call, &SP_TABLES, 3);
    let wanted = |word: &str| types.as_deref().is_none_or(|types| types.to_uppercase().contains(&format!("'{word}'")));
    let database = qualifier(call, &SP_TABLES, 2)?;
    let mut rows = Vec::new();
    for relation in relations(call, &SP_TABLES)? {
        let word = if relation.is_view { "VIEW" } else { "TABLE" };
        if wanted(word) {
            let names = [Value::str(&relation.schema), Value::str(&relation.name), Value::str(word)];
            rows.push((word, [database.clone()].into_iter().chain(names).chain([Value::Null]).collect::<Vec<Value>>()));
        }
    }
    rows.sort_by_key(|(word, _)| *word);
    call.result(&TABLE_COLUMNS, rows.into_iter().map(|(_, row)| row).collect())?;
    Ok(0)
}

/// 201 for a call without its first argument; one that is NULL is there.
fn supplied(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<()> {
    match call.position(def, 0) {
        Some(_) => Ok(()),
        None => Err(message::missing_argument(def.name, def.params[0].0)),
    }
}

fn columns(call: &mut SystemCall<'_>, def: &ProcedureDef, is_new: bool) -> SqlResult<i32> {
    supplied(call, def)?;
    let pattern = text_arg(call, def, 3);
    let version = number_arg(call, def, "@odbcver").map_or(2, |version| version as u8);
    let database = qualifier(call, def, 2)?;
    let fits = fitting(call, def);
    let mut rows = Vec::new();
    let relations = match number_arg(call, def, "@namescope") {
        Some(SCOPE_OF_TABLE_TYPES) => table_types(call, def)?,
        _ => relations(call, def)?,
    };
    for relation in relations {
        let columns = relation.columns.iter().zip(1..);
        for (column, position) in columns.filter(|(column, _)| fits(&column.name, pattern.as_deref())) {
            let mut row = vec![database.clone(), Value::str(&relation.schema), Value::str(&relation.name)];
            row.extend(column_row(column, position, version, is_new));
            rows.push(row);
        }
    }
    let shown = column_columns(is_new);
    call.result(&shown, rows)?;
    Ok(0)
}

fn column_columns(is_new: bool) -> Vec<(&'static str, SqlType)> {
    let mut columns =
        vec![("TABLE_QUALIFIER", SYSNAME), ("TABLE_OWNER", SYSNAME), ("TABLE_NAME", SYSNAME), ("COLUMN_NAME", SYSNAME)];
    columns.extend(type_columns());
    if is_new {
        columns.extend([
            ("SS_IS_SPARSE", SMALLINT),
            ("SS_IS_COLUMN_SET", SMALLINT),
            ("SS_IS_COMPUTED", SMALLINT),
            ("SS_IS_IDENTITY", SMALLINT),
        ]);
        columns.extend(user_type_columns());
    }
    columns.push(("SS_DATA_TYPE", SqlType::TinyInt));
    columns
}

/// The type's name as drivers want it: an identity column says so.
fn type_name(column: &ColumnDef) -> String {
    let own = column.user_type.as_deref().and_then(|name| name.rsplit('.').next());
    let name = own.unwrap_or(column.ty.sql.name());
    if column.identity.is_some() { format!("{name} identity") } else { name.to_owned() }
}

fn column_row(column: &ColumnDef, position: i32, version: u8, is_new: bool) -> Vec<Value> {
    let nullable = column.ty.nullable;
    let odbc = OdbcType::of(&column.ty.sql, nullable, version, is_new);
    let default = column.default.as_ref().map(|default| inventory::shown_expression(&default.text));
    let flag = |holds: bool| Value::SmallInt(i16::from(holds));
    let mut row = vec![
        Value::str(&column.name),
        Value::SmallInt(odbc.number),
        Value::str(&type_name(column)),
        Value::Int(odbc.precision),
        Value::Int(odbc.length),
        small(odbc.scale),
        small(odbc.radix),
        flag(nullable),
        Value::Null,
        maybe(default.as_deref()),
        Value::SmallInt(odbc.sql_number),
        small(odbc.datetime_sub),
        odbc.octets.map_or(Value::Null, Value::Int),
        Value::Int(position),
        Value::str(if nullable { "YES" } else { "NO" }),
    ];
    if is_new {
        row.extend([flag(false), flag(false), flag(column.computed.is_some()), flag(column.identity.is_some())]);
        row.extend((0..6).map(|_| Value::Null));
    }
    row.push(Value::TinyInt(odbc.wire));
    row
}

/// Tables that an exact name and owner mean; without owner those of every schema.
fn named_tables(
    call: &SystemCall<'_>,
    name: Option<&str>,
    owner: Option<&str>,
) -> SqlResult<Vec<inventory::ListedTable>> {
    let same = |known: &str, wanted: Option<&str>| wanted.is_none_or(|wanted| names_equal(known, wanted));
    let mut tables = inventory::tables(call.ctx(), call.ctx().facts.database)?;
    tables.retain(|table| same(&table.name, name) && same(&table.def.schema.name, owner));
    Ok(tables)
}

fn primary_keys(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    supplied(call, &SP_PKEYS)?;
    let (name, owner) = (text_arg(call, &SP_PKEYS, 0), text_arg(call, &SP_PKEYS, 1));
    let database = qualifier(call, &SP_PKEYS, 2)?;
    let mut rows = Vec::new();
    for table in named_tables(call, name.as_deref(), owner.as_deref())? {
        let Some(key) = table.def.primary_key() else { continue };
        for (part, ordinal) in key.key.iter().zip(1i16..) {
            rows.push(vec![
                database.clone(),
                Value::str(&table.def.schema.name),
                Value::str(&table.name),
                Value::str(&table.def.columns[part.column].name),
                Value::SmallInt(ordinal),
                Value::str(&key.name),
            ]);
        }
    }
    call.result(
        &[
            ("TABLE_QUALIFIER", SYSNAME),
            ("TABLE_OWNER", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("COLUMN_NAME", SYSNAME),
            ("KEY_SEQ", SMALLINT),
            ("PK_NAME", SYSNAME),
        ],
        rows,
    )?;
    Ok(0)
}

/// ODBC's number of an action.
fn rule(action: ReferentialAction) -> Value {
    Value::SmallInt(match action {
        ReferentialAction::Cascade => 0,
        ReferentialAction::NoAction => 1,
        ReferentialAction::SetNull => 2,
        ReferentialAction::SetDefault => 3,
    })
}

fn foreign_keys(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let arg = |index| text_arg(call, &SP_FKEYS, index);
    // Drivers send an empty owner for "any".
    let owner = |index| arg(index).filter(|owner| !owner.is_empty());
    let (pk_name, pk_owner, fk_name, fk_owner) = (arg(0), owner(1), arg(3), owner(4));
    if pk_name.is_none() && fk_name.is_none() {
        return Err(SqlError::of(15_252, 1, &[]));
    }
    let referenced: Vec<i32> =
        named_tables(call, pk_name.as_deref(), pk_owner.as_deref())?.iter().map(|table| table.id).collect();
    let objects = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
    let database = qualifier(call, &SP_FKEYS, 2)?;
    qualifier(call, &SP_FKEYS, 5)?;
    let mut rows = Vec::new();
    for table in named_tables(call, fk_name.as_deref(), fk_owner.as_deref())? {
        for key in table.def.foreign_keys.iter().filter(|key| referenced.contains(&key.referenced.0)) {
            let Some((target, _)) = objects.table(key.referenced) else { continue };
            rows.extend(foreign_key_rows(&database, &table.def, key, target));
        }
    }
    call.result(
        &[
            ("PKTABLE_QUALIFIER", SYSNAME),
            ("PKTABLE_OWNER", SYSNAME),
            ("PKTABLE_NAME", SYSNAME),
            ("PKCOLUMN_NAME", SYSNAME),
            ("FKTABLE_QUALIFIER", SYSNAME),
            ("FKTABLE_OWNER", SYSNAME),
            ("FKTABLE_NAME", SYSNAME),
            ("FKCOLUMN_NAME", SYSNAME),
            ("KEY_SEQ", SMALLINT),
            ("UPDATE_RULE", SMALLINT),
            ("DELETE_RULE", SMALLINT),
            ("FK_NAME", SYSNAME),
            ("PK_NAME", SYSNAME),
            ("DEFERRABILITY", SMALLINT),
        ],
        rows,
    )?;
    Ok(0)
}

fn foreign_key_rows(
    database: &Value,
    def: &TableDef,
    key: &millpond_catalog::ForeignKeyDef,
    target: &TableDef,
) -> Vec<Vec<Value>> {
    let unique = inventory::referenced_index(target, key).map(|index| index.name.as_str());
    let pairs = key.columns.iter().zip(&key.referenced_columns).zip(1i16..);
    pairs
        .map(|((column, referenced), ordinal)| {
            let referenced = target.column_by_id(*referenced).map(|index| target.columns[index].name.as_str());
            vec![
                database.clone(),
                Value::str(&target.schema.name),
                Value::str(&target.name),
                maybe(referenced),
                database.clone(),
                Value::str(&def.schema.name),
                Value::str(&def.name),
                Value::str(&def.columns[*column].name),
                Value::SmallInt(ordinal),
                rule(key.on_update),
                rule(key.on_delete),
                Value::str(&key.name),
                maybe(unique),
                // Checked at once: not deferrable.
                Value::SmallInt(7),
            ]
        })
        .collect()
}

fn statistics(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    supplied(call, &SP_STATISTICS)?;
    let arg = |index| text_arg(call, &SP_STATISTICS, index);
    let (name, owner, index_name, only_unique) = (arg(0), arg(1), arg(3), arg(4).is_some_and(|word| word == "Y"));
    let database = qualifier(call, &SP_STATISTICS, 2)?;
    let mut rows = Vec::new();
    for table in named_tables(call, name.as_deref(), owner.as_deref())? {
        let place = [database.clone(), Value::str(&table.def.schema.name), Value::str(&table.name)];
        let count = Value::Int(i32::try_from(table.row_count(call.ctx())?).unwrap_or(i32::MAX));
        let pages = |position: usize| -> SqlResult<Value> {
            let used = table.index_pages(call.ctx(), position)?.used;
            Ok(Value::Int(i32::try_from(used).unwrap_or(i32::MAX)))
        };
        let mut whole = place.to_vec();
        whole.extend([
            Value::Null,
            Value::Null,
            Value::Null,
            Value::SmallInt(0),
            Value::Null,
            Value::Null,
            Value::Null,
        ]);
        whole.extend([count.clone(), pages(0)?, Value::Null]);
        rows.push(whole);
        for (position, index) in table.indexes().iter().enumerate() {
            if index.kind == IndexKind::Heap
                || only_unique && !index.unique
                || !fits(&index.name, index_name.as_deref())
            {
                continue;
            }
            for (part, ordinal) in index.key.iter().zip(1i16..) {
                let mut row = place.to_vec();
                row.extend([
                    Value::SmallInt(i16::from(!index.unique)),
                    Value::str(&table.name),
                    Value::str(&index.name),
                    Value::SmallInt(if index.is_clustered() { 1 } else { 3 }),
                    Value::SmallInt(ordinal),
                    Value::str(&table.def.columns[part.column].name),
                    Value::str(if part.descending { "D" } else { "A" }),
                    count.clone(),
                    pages(position)?,
                    Value::Null,
                ]);
                rows.push(row);
            }
        }
    }
    call.result(
        &[
            ("TABLE_QUALIFIER", SYSNAME),
            ("TABLE_OWNER", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("NON_UNIQUE", SMALLINT),
            ("INDEX_QUALIFIER", SYSNAME),
            ("INDEX_NAME", SYSNAME),
            ("TYPE", SMALLINT),
            ("SEQ_IN_INDEX", SMALLINT),
            ("COLUMN_NAME", SYSNAME),
            ("COLLATION", varchar(1)),
            ("CARDINALITY", INT),
            ("PAGES", INT),
            ("FILTER_CONDITION", varchar(128)),
        ],
        rows,
    )?;
    Ok(0)
}

fn databases(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let instance = call.ctx().engine.instance();
    let mut rows: Vec<(String, Vec<Value>)> = Vec::new();
    for database in instance.all_databases() {
        // Who has no access has no use for a name.
        let ctx = call.ctx();
        if !sees_database(ctx, database.id())?
            || may_enter(&ctx.engine, ctx.locks.transaction_number(), &ctx.facts.security, database.id())
                .is_ok_and(|may| !may)
        {
            continue;
        }
        let pages: u64 = instance.files(database.id()).iter().map(|file| u64::from(file.size_pages)).sum();
        let size_kb = Value::Int(i32::try_from(pages * 8).unwrap_or(i32::MAX));
        rows.push((database.name(), vec![Value::str(&database.name()), size_kb, Value::Null]));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    call.result(
        &[("DATABASE_NAME", SYSNAME), ("DATABASE_SIZE", INT), ("REMARKS", varchar(254))],
        rows.into_iter().map(|(_, row)| row).collect(),
    )?;
    Ok(0)
}
