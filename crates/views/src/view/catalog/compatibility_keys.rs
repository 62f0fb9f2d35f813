//! Views of constraints and files under their names of SQL Server 2000: `sysconstraints`, `sysforeignkeys`, `sysreferences`,
//! `sysfiles`.

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ForeignKeyDef, IndexKind, SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::catalog::files::DATABASE_FILES;
use crate::view::columns::{INT, SMALLINT, SYSNAME, col, int, joined, null, nvarchar};

/// All of them.
pub(in crate::view) static ALL: &[&ViewDef] = &[&SYSCONSTRAINTS, &SYSFOREIGNKEYS, &SYSREFERENCES, &SYSFILES];

/// `sysconstraints`
pub static SYSCONSTRAINTS: ViewDef = ViewDef {
    schema: "sys",
    name: "sysconstraints",
    columns: &[
        col("constid", INT),
        col("id", INT),
        null("colid", SMALLINT),
        null("spare1", crate::view::columns::TINYINT),
        null("status", INT),
        null("actions", INT),
        null("error", INT),
    ],
    rows: &ViewRows(constraints),
};

/// `sysforeignkeys`
pub static SYSFOREIGNKEYS: ViewDef = ViewDef {
    schema: "sys",
    name: "sysforeignkeys",
    columns: &[
        col("constid", INT),
        col("fkeyid", INT),
        col("rkeyid", INT),
        null("fkey", SMALLINT),
        null("rkey", SMALLINT),
        null("keyno", SMALLINT),
    ],
    rows: &ViewRows(foreign_keys),
};

/// Columns of a key that `sysreferences` has places for.
const KEY_PLACES: usize = 16;

const REFERENCE_COLUMNS: [SystemColumn; 41] = joined::<9, 32, 41>(
    [
        col("constid", INT),
        col("fkeyid", INT),
        col("rkeyid", INT),
        null("rkeyindid", SMALLINT),
        null("keycnt", SMALLINT),
        null("forkeys", crate::view::columns::varbinary(32)),
        null("refkeys", crate::view::columns::varbinary(32)),
        null("fkeydbid", SMALLINT),
        null("rkeydbid", SMALLINT),
    ],
    joined(numbered_keys(true), numbered_keys(false)),
);

/// `fkey1` to `fkey16`, or `rkey1` to `rkey16`.
const fn numbered_keys(referring: bool) -> [SystemColumn; KEY_PLACES] {
    const FOREIGN: [&str; KEY_PLACES] = [
        "fkey1", "fkey2", "fkey3", "fkey4", "fkey5", "fkey6", "fkey7", "fkey8", "fkey9", "fkey10", "fkey11", "fkey12",
        "fkey13", "fkey14", "fkey15", "fkey16",
    ];
    const REFERENCED: [&str; KEY_PLACES] = [
        "rkey1", "rkey2", "rkey3", "rkey4", "rkey5", "rkey6", "rkey7", "rkey8", "rkey9", "rkey10", "rkey11", "rkey12",
        "rkey13", "rkey14", "rkey15", "rkey16",
    ];
    let mut columns = [null("", SMALLINT); KEY_PLACES];
    let mut place = 0;
    while place < KEY_PLACES {
        columns[place] = null(if referring { FOREIGN[place] } else { REFERENCED[place] }, SMALLINT);
        place += 1;
    }
    columns
}

/// `sysreferences`
pub static SYSREFERENCES: ViewDef =
    ViewDef { schema: "sys", name: "sysreferences", columns: &REFERENCE_COLUMNS, rows: &ViewRows(references) };

/// `sysfiles`
pub static SYSFILES: ViewDef = ViewDef {
    schema: "sys",
    name: "sysfiles",
    columns: &[
        null("fileid", SMALLINT),
        null("groupid", SMALLINT),
        col("size", INT),
        col("maxsize", INT),
        col("growth", INT),
        null("status", INT),
        null("perf", INT),
        col("name", SYSNAME),
        col("filename", nvarchar(260)),
    ],
    rows: &ViewRows(files),
};

/// Bits of `sysconstraints.status`.
const OF_COLUMN: i32 = 16;
const OF_TABLE: i32 = 32;

fn small(number: i32) -> Value {
    Value::SmallInt(i16::try_from(number).unwrap_or(i16::MAX))
}

fn constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        let def = &table.def;
        let mut add = |id: i32, column: i32, kind: i32| {
            let place = if column == 0 { OF_TABLE } else { OF_COLUMN };
            let spare = Value::TinyInt(0);
            rows.push(vec![int(id), int(table.id), small(column), spare, int(kind + place), int(4096), int(0)]);
        };
        for index in &def.indexes {
            match index.kind {
                IndexKind::PrimaryKey => add(index.constraint.0, 0, 1),
                IndexKind::Unique => add(index.constraint.0, 0, 2),
                IndexKind::Heap | IndexKind::Index => {}
            }
        }
        def.foreign_keys.iter().for_each(|key| add(key.id.0, 0, 3));
        for check in &def.checks {
            add(check.id.0, check.column().map_or(0, |column| def.columns[column].id), 4);
        }
        for column in &def.columns {
            column.default.iter().for_each(|default| add(default.id.0, column.id, 5));
        }
    }
    Ok(rows)
}

/// Numbers of the columns of a key, those that refer and those referred to.
fn pairs<'k>(table: &'k inventory::ListedTable, key: &'k ForeignKeyDef) -> impl Iterator<Item = (i32, i32)> + 'k {
    key.columns.iter().map(|column| table.def.columns[*column].id).zip(key.referenced_columns.iter().copied())
}

fn foreign_keys(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            for ((column, referenced), number) in pairs(&table, key).zip(1..) {
                let (refers, to) = (int(table.id), int(key.referenced.0));
                rows.push(vec![int(key.id.0), refers, to, small(column), small(referenced), small(number)]);
            }
        }
    }
    Ok(rows)
}

fn references(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            let index = objects.table(key.referenced).and_then(|(def, _)| inventory::referenced_index(def, key));
            let mut row = vec![int(key.id.0), int(table.id), int(key.referenced.0)];
            row.push(index.map_or(Value::Null, |index| small(i32::from(index.id))));
            row.push(small(key.columns.len() as i32));
            row.extend([Value::Null, Value::Null, Value::Null, Value::Null]);
            let (mut refer, mut referred): (Vec<Value>, Vec<Value>) =
                pairs(&table, key).map(|(column, referenced)| (small(column), small(referenced))).unzip();
            refer.resize(KEY_PLACES, small(0));
            referred.resize(KEY_PLACES, small(0));
            row.extend(refer.into_iter().chain(referred));
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Bits of `sysfiles.status`.
const IS_FILE: i64 = 2;
const IS_LOG: i64 = 64;
const GROWS_BY_PERCENT: i64 = 0x10_0000;

/// The rows of `sys.database_files` in other words.
fn files(ctx: &RunContext, database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = DATABASE_FILES.rows.rows(ctx, database)?;
    let place = |name: &str| DATABASE_FILES.columns.iter().position(|column| column.name == name);
    let row = |row: Vec<Value>| {
        let of = |name: &str| place(name).map_or(Value::Null, |place| row[place].clone());
        let number = |name: &str| of(name).as_i64().unwrap_or(0);
        let is_log = number("type") == 1;
        let status =
            [(true, IS_FILE), (is_log, IS_LOG), (of("is_percent_growth") == Value::Bit(true), GROWS_BY_PERCENT)];
        let status: i64 = status.into_iter().filter_map(|(holds, bit)| holds.then_some(bit)).sum();
        let short = |name: &str| Value::SmallInt(i16::try_from(number(name)).unwrap_or(i16::MAX));
        let (size, most, growth) = (of("size"), of("max_size"), of("growth"));
        let (name, file) = (of("name"), of("physical_name"));
        vec![short("file_id"), short("data_space_id"), size, most, growth, int(status), int(0), name, file]
    };
    Ok(rows.into_iter().map(row).collect())
}
