//! Views under their names of SQL Server 2000: `sysobjects`, `syscolumns`, `sysindexes`, `sysdatabases`, `systypes`; those
//! of constraints and files are `keys`, those of principals `security::old`. They are found without a schema, under `dbo` and under `sys`.

use std::collections::HashMap;

use millpond_builtin::facts::system_type::text_units;
use millpond_catalog::system_view::Lead;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ColumnDef, IndexKind, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::DateTime;

use crate::catalog::base_objects::BASE_OBJECTS;
use crate::catalog::data_spaces::spaces_of;
use crate::catalog::statistics::changes_of;
use crate::catalog::table_columns::{base_columns, columns_of_server};
use crate::catalog::types::{Types, all_types};
use crate::columns::{
    Binary, Char, NVarChar, Sysname, VarBinary, VarChar, big, bytes, datetime_of, int, maybe, padded2, small, text,
};
use crate::row::{Rows, ViewRows, led_view, row, unless_gone, view};

/// All of them.
pub(crate) static ALL: &[&ViewDef] = &[&SYSOBJECTS, &SYSCOLUMNS, &SYSINDEXES, &SYSDATABASES, &SYSTYPES];

row! {
    /// A row of `sys.sysobjects`.
    struct Sysobjects {
        name: Sysname,
        id: i32,
        xtype: Char<2>,
        uid: Option<i16>,
        info: Option<i16>,
        status: Option<i32>,
        base_schema_ver: Option<i32>,
        replinfo: Option<i32>,
        parent_obj: i32,
        crdate: DateTime,
        ftcatid: Option<i16>,
        schema_ver: Option<i32>,
        stats_schema_ver: Option<i32>,
        r#type: Option<Char<2>>,
        userstat: Option<i16>,
        sysstat: Option<i16>,
        indexdel: Option<i16>,
        refdate: DateTime,
        version: Option<i32>,
        deltrig: Option<i32>,
        instrig: Option<i32>,
        updtrig: Option<i32>,
        seltrig: Option<i32>,
        category: Option<i32>,
        cache: Option<i16>,
    }
}

/// `sysobjects`
pub static SYSOBJECTS: ViewDef = led_view(
    "sys",
    "sysobjects",
    &[("id", Lead::Number), ("name", Lead::Name), ("parent_obj", Lead::Parent)],
    &ViewRows(objects),
);

row! {
    /// A row of `sys.syscolumns`.
    struct Syscolumns {
        name: Option<Sysname>,
        id: i32,
        xtype: u8,
        typestat: Option<u8>,
        xusertype: i16,
        length: i16,
        xprec: Option<u8>,
        xscale: Option<u8>,
        colid: i16,
        xoffset: Option<i16>,
        bitpos: Option<u8>,
        reserved: Option<u8>,
        colstat: Option<i16>,
        cdefault: Option<i32>,
        domain: Option<i32>,
        number: Option<i16>,
        colorder: Option<i16>,
        autoval: Option<VarBinary<8000>>,
        offset: Option<i16>,
        collationid: Option<i32>,
        language: Option<i32>,
        status: Option<u8>,
        r#type: u8,
        usertype: Option<i16>,
        printfmt: Option<VarChar<255>>,
        prec: Option<i16>,
        scale: Option<i32>,
        iscomputed: Option<i32>,
        isoutparam: Option<i32>,
        isnullable: Option<i32>,
        collation: Option<Sysname>,
        tdscollation: Option<Binary<5>>,
    }
}

/// `syscolumns`
pub static SYSCOLUMNS: ViewDef = led_view("sys", "syscolumns", &[("id", Lead::Number)], &ViewRows(columns));

row! {
    /// A row of `sys.sysindexes`.
    struct Sysindexes {
        id: i32,
        status: Option<i32>,
        first: Option<Binary<6>>,
        indid: i16,
        root: Option<Binary<6>>,
        minlen: Option<i16>,
        keycnt: Option<i16>,
        groupid: Option<i16>,
        dpages: Option<i32>,
        reserved: Option<i32>,
        used: Option<i32>,
        rowcnt: Option<i64>,
        rowmodctr: Option<i32>,
        reserved3: Option<u8>,
        reserved4: Option<u8>,
        xmaxlen: Option<i16>,
        maxirow: Option<i16>,
        OrigFillFactor: Option<u8>,
        StatVersion: Option<u8>,
        reserved2: Option<i32>,
        FirstIAM: Option<Binary<6>>,
        impid: Option<i16>,
        lockflags: Option<i16>,
        pgmodctr: Option<i32>,
        keys: Option<VarBinary<1088>>,
        name: Option<Sysname>,
        statblob: Option<VarBinary<8000>>,
        maxlen: Option<i32>,
        rows: Option<i32>,
    }
}

/// `sysindexes`
pub static SYSINDEXES: ViewDef = led_view("sys", "sysindexes", &[("id", Lead::Number)], &ViewRows(indexes));

row! {
    /// A row of `sys.sysdatabases`.
    struct Sysdatabases {
        name: Sysname,
        dbid: Option<i16>,
        sid: Option<VarBinary<85>>,
        mode: Option<i16>,
        status: Option<i32>,
        status2: Option<i32>,
        crdate: DateTime,
        reserved: Option<DateTime>,
        category: Option<i32>,
        cmptlevel: u8,
        filename: Option<NVarChar<260>>,
        version: Option<i16>,
    }
}

/// `sysdatabases`
pub static SYSDATABASES: ViewDef = view("sys", "sysdatabases", &ViewRows(databases));

row! {
    /// A row of `sys.systypes`.
    struct Systypes {
        name: Sysname,
        xtype: u8,
        status: Option<u8>,
        xusertype: Option<i16>,
        length: i16,
        xprec: u8,
        xscale: u8,
        tdefault: Option<i32>,
        domain: Option<i32>,
        uid: Option<i16>,
        reserved: Option<i16>,
        collationid: Option<i32>,
        usertype: Option<i16>,
        variable: bool,
        allownulls: Option<bool>,
        r#type: u8,
        printfmt: Option<VarChar<255>>,
        prec: Option<i16>,
        scale: Option<u8>,
        collation: Option<Sysname>,
    }
}

/// `systypes`
pub static SYSTYPES: ViewDef = view("sys", "systypes", &ViewRows(types));

fn objects(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysobjects>> {
    let started = datetime_of(ctx.engine.instance().start_time().local_us());
    let base = BASE_OBJECTS.iter().filter(|object| database.has(object.id));
    let base = base.map(|object| (object.name, object.id, object.kind, object.schema_id, object.parent));
    let shipped = (ctx.engine.registry().system_objects)().into_iter().filter(|object| database.has(object.id));
    let shipped = shipped.map(|object| (object.name, object.id, object.kind, object.schema_id, 0));
    let mut rows: Rows<_> = base.chain(shipped).map(|facts| object_row(facts, started, SHIPPED)).collect();
    rows.extend(inventory::objects(ctx, database)?.iter().map(|object| {
        let facts = (object.name.as_str(), object.id, object.kind, object.schema.id.0, object.parent);
        object_row(facts, datetime_of(object.created_us), if object.is_shipped() { SHIPPED } else { 0 })
    }));
    let objects = inventory::definitions(ctx, database)?;
    rows.extend(inventory::table_types(&objects, database).map(|(table, _)| {
        let facts = (table.name.as_str(), table.id, "TT", table.schema.0, 0);
        object_row(facts, started, 0)
    }));
    Ok(rows)
}

/// `type` where it is not `xtype`: all keys are `K`.
fn old_type(kind: &str) -> &str {
    if matches!(kind, "PK" | "UQ") { "K" } else { kind }
}

/// `category` of what came with the server.
const SHIPPED: i32 = 2;

fn object_row(
    (name, id, kind, schema, parent): (&str, i32, &str, i32, i32),
    made: DateTime,
    category: i32,
) -> Sysobjects {
    Sysobjects {
        name: text(name),
        id,
        xtype: padded2(kind),
        uid: Some(small(schema)),
        info: Some(0),
        status: Some(0),
        base_schema_ver: Some(0),
        replinfo: Some(0),
        parent_obj: parent,
        crdate: made,
        ftcatid: Some(0),
        schema_ver: Some(0),
        stats_schema_ver: Some(0),
        r#type: Some(padded2(old_type(kind))),
        userstat: Some(0),
        sysstat: Some(0),
        indexdel: Some(0),
        refdate: made,
        version: Some(0),
        deltrig: Some(0),
        instrig: Some(0),
        updtrig: Some(0),
        seltrig: Some(0),
        category: Some(category),
        cache: Some(0),
    }
}

fn columns(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Syscolumns>> {
    let none = HashMap::new();
    let shipped = base_columns(database).chain(columns_of_server(database));
    let mut rows: Rows<_> =
        shipped.map(|(id, column)| column_row(id, &column, inventory::user_type_id(&column, &none))).collect();
    let aliases = inventory::alias_types(&*inventory::definitions(ctx, database)?);
    let objects = inventory::columns(ctx, database)?;
    let users = objects.iter().flat_map(|(id, columns)| {
        columns.iter().map(|column| column_row(*id, column, inventory::user_type_id(column, &aliases)))
    });
    rows.extend(users);
    Ok(rows)
}

fn column_row(object: i32, column: &ColumnDef, user_type: i32) -> Syscolumns {
    let sql = &column.ty.sql;
    let (precision, scale) = sql.precision_scale();
    let system = inventory::system_type_id(column);
    let shown = text_units(sql).unwrap_or(i32::from(precision));
    let is_identity = column.identity.is_some();
    let default = column.default.as_ref().map_or(0, |default| default.id.0);
    let status = if is_identity { 0x80 } else { 0 } + if column.ty.nullable { 8 } else { 0 };
    Syscolumns {
        name: Some(text(&column.name)),
        id: object,
        xtype: system,
        typestat: Some(0),
        xusertype: small(user_type),
        length: inventory::column_length(column),
        xprec: Some(precision),
        xscale: Some(scale),
        colid: small(column.id),
        xoffset: Some(0),
        bitpos: Some(0),
        reserved: Some(0),
        colstat: Some(small(i32::from(is_identity) + if column.computed.is_some() { 4 } else { 0 })),
        cdefault: Some(default),
        domain: Some(0),
        number: Some(0),
        colorder: Some(small(column.id)),
        autoval: None,
        offset: Some(0),
        collationid: None,
        language: Some(0),
        status: Some(status),
        r#type: system,
        usertype: Some(small(user_type)),
        printfmt: None,
        prec: Some(small(shown)),
        scale: sql.is_numeric().then(|| i32::from(scale)),
        iscomputed: Some(i32::from(column.computed.is_some())),
        isoutparam: Some(0),
        isnullable: Some(i32::from(column.ty.nullable)),
        collation: maybe(sql.is_string().then(|| column.ty.collation.name())),
        tdscollation: None,
    }
}

/// Bits of `sysindexes.status`.
const UNIQUE: i32 = 2;
const CLUSTERED: i32 = 16;
const PRIMARY_KEY: i32 = 2048;
const UNIQUE_KEY: i32 = 4096;

fn indexes(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysindexes>> {
    let spaces = spaces_of(ctx, database)?;
    let mut rows = Rows::new();
    for table in inventory::indexed(ctx, database)? {
        for (position, index) in table.indexes().iter().enumerate() {
            let found =
                table.index_pages(ctx, position).and_then(|pages| Ok((pages, table.index_row_count(ctx, position)?)));
            let Some((pages, count)) = unless_gone(found)? else { continue };
            let status = [
                (index.unique, UNIQUE),
                (index.is_clustered(), CLUSTERED),
                (index.kind == IndexKind::PrimaryKey, PRIMARY_KEY),
                (index.kind == IndexKind::Unique, UNIQUE_KEY),
            ];
            let status: i32 = status.into_iter().filter_map(|(on, bit)| on.then_some(bit)).sum();
            rows.push(Sysindexes {
                id: table.id,
                status: Some(status),
                first: None,
                indid: index.id.cast_signed(),
                root: None,
                minlen: None,
                keycnt: Some(index.key.len() as i16),
                groupid: Some(small(spaces.group_of_index(table.stored_id(), index.id))),
                dpages: Some(int(pages.used.saturating_sub(1))),
                reserved: Some(int(pages.reserved)),
                used: Some(int(pages.used)),
                rowcnt: Some(big(count)),
                rowmodctr: Some(int(changes_of(&table, index.id))),
                reserved3: Some(0),
                reserved4: Some(0),
                xmaxlen: None,
                maxirow: None,
                OrigFillFactor: Some(index.options.fill_factor),
                StatVersion: Some(0),
                reserved2: Some(0),
                FirstIAM: None,
                impid: None,
                lockflags: Some(0),
                pgmodctr: Some(0),
                keys: None,
                name: Some(text(if index.id == 0 { &table.name } else { &index.name })),
                statblob: None,
                maxlen: None,
                rows: Some(int(count)),
            });
        }
    }
    Ok(rows)
}

fn databases(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Sysdatabases>> {
    let instance = ctx.engine.instance();
    let rows = instance.all_databases().into_iter().map(|database| {
        let file = instance.files(database.id()).into_iter().next();
        Sysdatabases {
            name: text(&database.name()),
            dbid: Some(database.id().0.cast_signed()),
            sid: Some(bytes(&[1])),
            mode: Some(0),
            status: Some(65_536),
            status2: Some(0),
            crdate: datetime_of(inventory::local_us(ctx, database.created_utc_us())),
            reserved: None,
            category: Some(0),
            cmptlevel: database.options().compatibility_level,
            filename: file.map(|file| text(&file.physical_name)),
            version: Some(957),
        }
    });
    Ok(rows.collect())
}

fn types(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Systypes>> {
    Ok(all_types(ctx, database)?.into_iter().map(type_row).collect())
}

/// A row of `systypes` from one of `sys.types`.
fn type_row(ty: Types) -> Systypes {
    Systypes {
        name: ty.name,
        xtype: ty.system_type_id,
        status: Some(0),
        xusertype: Some(small(ty.user_type_id)),
        length: ty.max_length,
        xprec: ty.precision,
        xscale: ty.scale,
        tdefault: Some(0),
        domain: Some(0),
        uid: Some(small(ty.schema_id)),
        reserved: Some(0),
        collationid: None,
        usertype: Some(small(ty.user_type_id)),
        variable: matches!(ty.system_type_id, 165 | 167 | 231),
        allownulls: ty.is_nullable,
        r#type: ty.system_type_id,
        printfmt: None,
        prec: Some(i16::from(ty.precision)),
        scale: Some(ty.scale),
        collation: ty.collation_name,
    }
}
