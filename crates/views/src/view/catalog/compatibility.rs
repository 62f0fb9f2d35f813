//! Views under their names of SQL Server 2000: `sysobjects`, `syscolumns`, `sysindexes`, `sysdatabases`, `systypes`,
//! `sysusers`; those of constraints and files are `compatibility_keys`. They are found without a schema, under `dbo` and under `sys`.

use std::collections::HashMap;

use millpond_builtin::facts::system_type::text_units;
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ColumnDef, IndexKind, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::view::catalog::base_objects::BASE_OBJECTS;
use crate::view::catalog::table_columns::{base_columns, columns_of_server};
use crate::view::columns::{
    BIGINT, DATETIME, INT, SMALLINT, SYSNAME, TINYINT, big, bytes, char2, col, int, maybe, moment, null, nvarchar,
    padded2, text, tiny, varbinary,
};
use crate::view::{LedViewRows, ViewRows};

/// All of them.
pub(in crate::view) static ALL: &[&ViewDef] =
    &[&SYSOBJECTS, &SYSCOLUMNS, &SYSINDEXES, &SYSDATABASES, &SYSTYPES, &SYSUSERS];

/// `sysobjects`
pub static SYSOBJECTS: ViewDef = ViewDef {
    schema: "sys",
    name: "sysobjects",
    columns: &[
        col("name", SYSNAME),
        col("id", INT),
        col("xtype", char2()),
        null("uid", SMALLINT),
        null("info", SMALLINT),
        null("status", INT),
        null("base_schema_ver", INT),
        null("replinfo", INT),
        col("parent_obj", INT),
        col("crdate", DATETIME),
        null("ftcatid", SMALLINT),
        null("schema_ver", INT),
        null("stats_schema_ver", INT),
        null("type", char2()),
        null("userstat", SMALLINT),
        null("sysstat", SMALLINT),
        null("indexdel", SMALLINT),
        col("refdate", DATETIME),
        null("version", INT),
        null("deltrig", INT),
        null("instrig", INT),
        null("updtrig", INT),
        null("seltrig", INT),
        null("category", INT),
        null("cache", SMALLINT),
    ],
    rows: &LedViewRows(&[("id", Lead::Number), ("name", Lead::Name), ("parent_obj", Lead::Parent)], objects),
};

/// `syscolumns`
pub static SYSCOLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "syscolumns",
    columns: &[
        null("name", SYSNAME),
        col("id", INT),
        col("xtype", TINYINT),
        null("typestat", TINYINT),
        col("xusertype", SMALLINT),
        col("length", SMALLINT),
        null("xprec", TINYINT),
        null("xscale", TINYINT),
        col("colid", SMALLINT),
        null("xoffset", SMALLINT),
        null("bitpos", TINYINT),
        null("reserved", TINYINT),
        null("colstat", SMALLINT),
        null("cdefault", INT),
        null("domain", INT),
        null("number", SMALLINT),
        null("colorder", SMALLINT),
        null("autoval", varbinary(8000)),
        null("offset", SMALLINT),
        null("collationid", INT),
        null("language", INT),
        null("status", TINYINT),
        col("type", TINYINT),
        null("usertype", SMALLINT),
        null("printfmt", crate::view::columns::varchar(255)),
        null("prec", SMALLINT),
        null("scale", INT),
        null("iscomputed", INT),
        null("isoutparam", INT),
        null("isnullable", INT),
        null("collation", SYSNAME),
        null("tdscollation", SqlType::Binary { len: 5 }),
    ],
    rows: &LedViewRows(&[("id", Lead::Number)], columns),
};

/// `sysindexes`
pub static SYSINDEXES: ViewDef = ViewDef {
    schema: "sys",
    name: "sysindexes",
    columns: &[
        col("id", INT),
        null("status", INT),
        null("first", SqlType::Binary { len: 6 }),
        col("indid", SMALLINT),
        null("root", SqlType::Binary { len: 6 }),
        null("minlen", SMALLINT),
        null("keycnt", SMALLINT),
        null("groupid", SMALLINT),
        null("dpages", INT),
        null("reserved", INT),
        null("used", INT),
        null("rowcnt", BIGINT),
        null("rowmodctr", INT),
        null("reserved3", TINYINT),
        null("reserved4", TINYINT),
        null("xmaxlen", SMALLINT),
        null("maxirow", SMALLINT),
        null("OrigFillFactor", TINYINT),
        null("StatVersion", TINYINT),
        null("reserved2", INT),
        null("FirstIAM", SqlType::Binary { len: 6 }),
        null("impid", SMALLINT),
        null("lockflags", SMALLINT),
        null("pgmodctr", INT),
        null("keys", varbinary(1088)),
        null("name", SYSNAME),
        null("statblob", varbinary(8000)),
        null("maxlen", INT),
        null("rows", INT),
    ],
    rows: &LedViewRows(&[("id", Lead::Number)], indexes),
};

/// `sysdatabases`
pub static SYSDATABASES: ViewDef = ViewDef {
    schema: "sys",
    name: "sysdatabases",
    columns: &[
        col("name", SYSNAME),
        null("dbid", SMALLINT),
        null("sid", varbinary(85)),
        null("mode", SMALLINT),
        null("status", INT),
        null("status2", INT),
        col("crdate", DATETIME),
        null("reserved", DATETIME),
        null("category", INT),
        col("cmptlevel", TINYINT),
        null("filename", nvarchar(260)),
        null("version", SMALLINT),
    ],
    rows: &ViewRows(databases),
};

/// `systypes`
pub static SYSTYPES: ViewDef = ViewDef {
    schema: "sys",
    name: "systypes",
    columns: &[
        col("name", SYSNAME),
        col("xtype", TINYINT),
        null("status", TINYINT),
        null("xusertype", SMALLINT),
        col("length", SMALLINT),
        col("xprec", TINYINT),
        col("xscale", TINYINT),
        null("tdefault", INT),
        null("domain", INT),
        null("uid", SMALLINT),
        null("reserved", SMALLINT),
        null("collationid", INT),
        null("usertype", SMALLINT),
        col("variable", crate::view::columns::BIT),
        null("allownulls", crate::view::columns::BIT),
        col("type", TINYINT),
        null("printfmt", crate::view::columns::varchar(255)),
        null("prec", SMALLINT),
        null("scale", TINYINT),
        null("collation", SYSNAME),
    ],
    rows: &ViewRows(types),
};

/// `sysusers`
pub static SYSUSERS: ViewDef = ViewDef {
    schema: "sys",
    name: "sysusers",
    columns: &[
        null("uid", SMALLINT),
        null("status", SMALLINT),
        col("name", SYSNAME),
        null("sid", varbinary(85)),
        null("hasdbaccess", INT),
        null("islogin", INT),
        null("issqluser", INT),
        null("issqlrole", INT),
    ],
    rows: &ViewRows(|_, _| Ok(USERS.iter().map(user_row).collect())),
};

const USERS: [(&str, i16, bool); 5] =
    [("public", 0, false), ("dbo", 1, true), ("guest", 2, true), ("INFORMATION_SCHEMA", 3, true), ("sys", 4, true)];

fn user_row(&(name, id, is_user): &(&str, i16, bool)) -> Vec<Value> {
    let flag = |holds: bool| int(i32::from(holds));
    vec![
        Value::SmallInt(id),
        Value::SmallInt(0),
        text(name),
        if id == 1 { bytes(&[1]) } else { Value::Null },
        flag(id == 1),
        flag(is_user),
        flag(is_user),
        flag(!is_user),
    ]
}

fn objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started = moment(ctx.engine.instance().start_time().local_us());
    let base = BASE_OBJECTS.iter().filter(|object| database.has(object.id));
    let base = base.map(|object| (object.name, object.id, object.kind, object.schema_id, object.parent));
    let shipped = (ctx.engine.registry().system_objects)().into_iter().filter(|object| database.has(object.id));
    let shipped = shipped.map(|object| (object.name, object.id, object.kind, object.schema_id, 0));
    let mut rows: Vec<Vec<Value>> =
        base.chain(shipped).map(|facts| object_row(facts, started.clone(), SHIPPED)).collect();
    rows.extend(inventory::objects(ctx, database)?.iter().map(|object| {
        let facts = (object.name.as_str(), object.id, object.kind, object.schema.id.0, object.parent);
        object_row(facts, moment(object.created_us), if object.is_shipped() { SHIPPED } else { 0 })
    }));
    Ok(rows)
}

/// `type` where it is not `xtype`: all keys are `K`.
fn old_type(kind: &str) -> &str {
    if matches!(kind, "PK" | "UQ") { "K" } else { kind }
}

/// `category` of what came with the server.
const SHIPPED: i32 = 2;

fn object_row((name, id, kind, schema, parent): (&str, i32, &str, i32, i32), made: Value, category: i32) -> Vec<Value> {
    let zero = || Value::SmallInt(0);
    vec![
        text(name),
        int(id),
        padded2(kind),
        Value::SmallInt(i16::try_from(schema).unwrap_or(i16::MAX)),
        zero(),
        int(0),
        int(0),
        int(0),
        int(parent),
        made.clone(),
        zero(),
        int(0),
        int(0),
        padded2(old_type(kind)),
        zero(),
        zero(),
        zero(),
        made,
        int(0),
        int(0),
        int(0),
        int(0),
        int(0),
        int(category),
        zero(),
    ]
}

fn columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let none = HashMap::new();
    let shipped = base_columns(database).chain(columns_of_server(database));
    let mut rows: Vec<Vec<Value>> =
        shipped.map(|(id, column)| column_row(id, &column, inventory::user_type_id(&column, &none))).collect();
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let objects = inventory::columns(ctx, database)?;
    let users = objects.iter().flat_map(|(id, columns)| {
        columns.iter().map(|column| column_row(*id, column, inventory::user_type_id(column, &aliases)))
    });
    rows.extend(users);
    Ok(rows)
}

fn column_row(object: i32, column: &ColumnDef, user_type: i32) -> Vec<Value> {
    let sql = &column.ty.sql;
    let small = |number: i32| Value::SmallInt(i16::try_from(number).unwrap_or(i16::MAX));
    let (precision, scale) = sql.precision_scale();
    let system = tiny(sql.system_type_id());
    let shown = text_units(sql).unwrap_or(i32::from(precision));
    let is_identity = column.identity.is_some();
    let default = column.default.as_ref().map_or(0, |default| default.id.0);
    let status = if is_identity { 0x80 } else { 0 } + if column.ty.nullable { 8 } else { 0 };
    vec![
        text(&column.name),
        int(object),
        system.clone(),
        tiny(0),
        small(user_type),
        Value::SmallInt(inventory::max_length(sql)),
        tiny(precision),
        tiny(scale),
        small(column.id),
        small(0),
        tiny(0),
        tiny(0),
        small(i32::from(is_identity) + if column.computed.is_some() { 4 } else { 0 }),
        int(default),
        int(0),
        small(0),
        small(column.id),
        Value::Null,
        small(0),
        Value::Null,
        int(0),
        tiny(status),
        system,
        small(user_type),
        Value::Null,
        small(shown),
        if sql.is_numeric() { int(scale) } else { Value::Null },
        int(i32::from(column.computed.is_some())),
        int(0),
        int(i32::from(column.ty.nullable)),
        maybe(sql.is_string().then(|| column.ty.collation.name())),
        Value::Null,
    ]
}

/// Bits of `sysindexes.status`.
const UNIQUE: i32 = 2;
const CLUSTERED: i32 = 16;
const PRIMARY_KEY: i32 = 2048;
const UNIQUE_KEY: i32 = 4096;

fn indexes(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for (position, index) in table.indexes().iter().enumerate() {
            let pages = table.index_pages(ctx, position)?;
            let count = table.index_row_count(ctx, position)?;
            let status = [
                (index.unique, UNIQUE),
                (index.is_clustered(), CLUSTERED),
                (index.kind == IndexKind::PrimaryKey, PRIMARY_KEY),
                (index.kind == IndexKind::Unique, UNIQUE_KEY),
            ];
            let status: i32 = status.into_iter().filter_map(|(on, bit)| on.then_some(bit)).sum();
            let mut row = vec![int(table.id), int(status), Value::Null];
            row.push(Value::SmallInt(index.id.cast_signed()));
            row.extend([Value::Null, Value::Null, Value::SmallInt(index.key.len() as i16), Value::SmallInt(1)]);
            row.extend([int(pages.used.saturating_sub(1)), int(pages.reserved), int(pages.used), big(count), int(0)]);
            row.extend([tiny(0), tiny(0), Value::Null, Value::Null, tiny(index.options.fill_factor), tiny(0), int(0)]);
            row.extend([Value::Null, Value::Null, Value::SmallInt(0), int(0), Value::Null]);
            row.push(text(if index.id == 0 { &table.name } else { &index.name }));
            row.extend([Value::Null, Value::Null, int(count)]);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn databases(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let instance = ctx.engine.instance();
    let rows = instance.all_databases().into_iter().map(|database| {
        let file = instance.files(database.id()).into_iter().next();
        vec![
            text(&database.name()),
            Value::SmallInt(database.id().0.cast_signed()),
            bytes(&[1]),
            Value::SmallInt(0),
            int(65_536),
            int(0),
            moment(inventory::local_us(ctx, database.created_utc_us())),
            Value::Null,
            int(0),
            tiny(database.options().compatibility_level),
            file.map_or(Value::Null, |file| text(&file.physical_name)),
            Value::SmallInt(957),
        ]
    });
    Ok(rows.collect())
}

fn types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = crate::view::catalog::types::TYPES.rows.rows(ctx, database)?;
    Ok(rows.into_iter().map(|row| type_row(&row)).collect())
}

/// A row of `systypes` from one of `sys.types`.
fn type_row(row: &[Value]) -> Vec<Value> {
    let small = |value: &Value| value.as_i64().map_or(Value::Null, |n| Value::SmallInt(n as i16));
    let is_variable = matches!(row[1].as_i64(), Some(165 | 167 | 231));
    vec![
        row[0].clone(),
        row[1].clone(),
        tiny(0),
        small(&row[2]),
        row[5].clone(),
        row[6].clone(),
        row[7].clone(),
        int(0),
        int(0),
        small(&row[3]),
        Value::SmallInt(0),
        Value::Null,
        small(&row[2]),
        Value::Bit(is_variable),
        row[9].clone(),
        row[1].clone(),
        Value::Null,
        small(&row[6]),
        row[7].clone(),
        row[8].clone(),
    ]
}
