//! Views of constraints and files under their names of SQL Server 2000: `sysconstraints`, `sysforeignkeys`, `sysreferences`,
//! `sysfiles`.

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ForeignKeyDef, IndexKind, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;

use crate::catalog::files::{DatabaseFiles, database_files};
use crate::columns::{NVarChar, Sysname, VarBinary, small};
use crate::row::{Rows, ViewRows, row, view};

/// All of them.
pub(crate) static ALL: &[&ViewDef] = &[&SYSCONSTRAINTS, &SYSFOREIGNKEYS, &SYSREFERENCES, &SYSFILES];

row! {
    /// A row of `sys.sysconstraints`.
    struct Sysconstraints {
        constid: i32,
        id: i32,
        colid: Option<i16>,
        spare1: Option<u8>,
        status: Option<i32>,
        actions: Option<i32>,
        error: Option<i32>,
    }
}

/// `sysconstraints`
pub static SYSCONSTRAINTS: ViewDef = view("sys", "sysconstraints", &ViewRows(constraints));

row! {
    /// A row of `sys.sysforeignkeys`.
    struct Sysforeignkeys {
        constid: i32,
        fkeyid: i32,
        rkeyid: i32,
        fkey: Option<i16>,
        rkey: Option<i16>,
        keyno: Option<i16>,
    }
}

/// `sysforeignkeys`
pub static SYSFOREIGNKEYS: ViewDef = view("sys", "sysforeignkeys", &ViewRows(foreign_keys));

/// Columns of a key that `sysreferences` has places for.
const KEY_PLACES: usize = 16;

row! {
    /// A row of `sys.sysreferences`.
    struct Sysreferences {
        constid: i32,
        fkeyid: i32,
        rkeyid: i32,
        rkeyindid: Option<i16>,
        keycnt: Option<i16>,
        forkeys: Option<VarBinary<32>>,
        refkeys: Option<VarBinary<32>>,
        fkeydbid: Option<i16>,
        rkeydbid: Option<i16>,
        fkey1: Option<i16>,
        fkey2: Option<i16>,
        fkey3: Option<i16>,
        fkey4: Option<i16>,
        fkey5: Option<i16>,
        fkey6: Option<i16>,
        fkey7: Option<i16>,
        fkey8: Option<i16>,
        fkey9: Option<i16>,
        fkey10: Option<i16>,
        fkey11: Option<i16>,
        fkey12: Option<i16>,
        fkey13: Option<i16>,
        fkey14: Option<i16>,
        fkey15: Option<i16>,
        fkey16: Option<i16>,
        rkey1: Option<i16>,
        rkey2: Option<i16>,
        rkey3: Option<i16>,
        rkey4: Option<i16>,
        rkey5: Option<i16>,
        rkey6: Option<i16>,
        rkey7: Option<i16>,
        rkey8: Option<i16>,
        rkey9: Option<i16>,
        rkey10: Option<i16>,
        rkey11: Option<i16>,
        rkey12: Option<i16>,
        rkey13: Option<i16>,
        rkey14: Option<i16>,
        rkey15: Option<i16>,
        rkey16: Option<i16>,
    }
}

/// `sysreferences`
pub static SYSREFERENCES: ViewDef = view("sys", "sysreferences", &ViewRows(references));

row! {
    /// A row of `sys.sysfiles`.
    struct Sysfiles {
        fileid: Option<i16>,
        groupid: Option<i16>,
        size: i32,
        maxsize: i32,
        growth: i32,
        status: Option<i32>,
        perf: Option<i32>,
        name: Sysname,
        filename: NVarChar<260>,
    }
}

/// `sysfiles`
pub static SYSFILES: ViewDef = view("sys", "sysfiles", &ViewRows(files));

/// Bits of `sysconstraints.status`.
const OF_COLUMN: i32 = 16;
const OF_TABLE: i32 = 32;

fn constraints(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysconstraints>> {
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        let def = &table.def;
        let mut add = |id: i32, column: i32, kind: i32| {
            let place = if column == 0 { OF_TABLE } else { OF_COLUMN };
            rows.push(Sysconstraints {
                constid: id,
                id: table.id,
                colid: Some(small(column)),
                spare1: Some(0),
                status: Some(kind + place),
                actions: Some(4096),
                error: Some(0),
            });
        };
        for index in &def.indexes {
            match index.kind {
                IndexKind::PrimaryKey => add(index.constraint.0, 0, 1),
                IndexKind::Unique => add(index.constraint.0, 0, 2),
                IndexKind::Heap | IndexKind::Index => {}
            }
        }
        def.foreign_keys.iter().for_each(|key| add(key.id.0, 0, 3));
        for check in def.checks.iter().filter(|check| check.is_constraint()) {
            add(check.id.0, check.column().map_or(0, |column| def.columns[column].id), 4);
        }
        for column in &def.columns {
            let own = column.default.iter().filter(|default| !default.is_bound());
            own.for_each(|default| add(default.id.0, column.id, 5));
        }
    }
    Ok(rows)
}

/// Numbers of the columns of a key, those that refer and those referred to.
fn pairs<'k>(table: &'k inventory::ListedTable, key: &'k ForeignKeyDef) -> impl Iterator<Item = (i32, i32)> + 'k {
    key.columns.iter().map(|column| table.def.columns[*column].id).zip(key.referenced_columns.iter().copied())
}

fn foreign_keys(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysforeignkeys>> {
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            for ((column, referenced), number) in pairs(&table, key).zip(1..) {
                rows.push(Sysforeignkeys {
                    constid: key.id.0,
                    fkeyid: table.id,
                    rkeyid: key.referenced.0,
                    fkey: Some(small(column)),
                    rkey: Some(small(referenced)),
                    keyno: Some(small(number)),
                });
            }
        }
    }
    Ok(rows)
}

fn references(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysreferences>> {
    let objects = inventory::definitions(ctx, database)?;
    let mut rows = Rows::new();
    for table in inventory::tables(ctx, database)? {
        for key in &table.def.foreign_keys {
            let index = objects.table(key.referenced).and_then(|(def, _)| inventory::referenced_index(def, key));
            let (mut refer, mut referred) = ([Some(0); KEY_PLACES], [Some(0); KEY_PLACES]);
            for (place, (column, referenced)) in pairs(&table, key).take(KEY_PLACES).enumerate() {
                refer[place] = Some(small(column));
                referred[place] = Some(small(referenced));
            }
            let [
                fkey1,
                fkey2,
                fkey3,
                fkey4,
                fkey5,
                fkey6,
                fkey7,
                fkey8,
                fkey9,
                fkey10,
                fkey11,
                fkey12,
                fkey13,
                fkey14,
                fkey15,
                fkey16,
            ] = refer;
            let [
                rkey1,
                rkey2,
                rkey3,
                rkey4,
                rkey5,
                rkey6,
                rkey7,
                rkey8,
                rkey9,
                rkey10,
                rkey11,
                rkey12,
                rkey13,
                rkey14,
                rkey15,
                rkey16,
            ] = referred;
            rows.push(Sysreferences {
                constid: key.id.0,
                fkeyid: table.id,
                rkeyid: key.referenced.0,
                rkeyindid: index.map(|index| small(index.id)),
                keycnt: Some(small(key.columns.len())),
                forkeys: None,
                refkeys: None,
                fkeydbid: None,
                rkeydbid: None,
                fkey1,
                fkey2,
                fkey3,
                fkey4,
                fkey5,
                fkey6,
                fkey7,
                fkey8,
                fkey9,
                fkey10,
                fkey11,
                fkey12,
                fkey13,
                fkey14,
                fkey15,
                fkey16,
                rkey1,
                rkey2,
                rkey3,
                rkey4,
                rkey5,
                rkey6,
                rkey7,
                rkey8,
                rkey9,
                rkey10,
                rkey11,
                rkey12,
                rkey13,
                rkey14,
                rkey15,
                rkey16,
            });
        }
    }
    Ok(rows)
}

/// Bits of `sysfiles.status`.
const IS_FILE: i32 = 2;
const IS_LOG: i32 = 64;
const GROWS_BY_PERCENT: i32 = 0x10_0000;

/// The bits of a file.
pub(crate) fn old_status(file: &DatabaseFiles) -> i32 {
    let bits = [(true, IS_FILE), (file.r#type == 1, IS_LOG), (file.is_percent_growth, GROWS_BY_PERCENT)];
    bits.into_iter().filter_map(|(holds, bit)| holds.then_some(bit)).sum()
}

/// The rows of `sys.database_files` in other words.
fn files(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<Sysfiles>> {
    let row = |file: DatabaseFiles| {
        let status = old_status(&file);
        Sysfiles {
            fileid: Some(small(file.file_id)),
            groupid: Some(small(file.data_space_id)),
            size: file.size,
            maxsize: file.max_size,
            growth: file.growth,
            status: Some(status),
            perf: Some(0),
            name: file.name,
            filename: file.physical_name,
        }
    };
    Ok(database_files(ctx, database.database).map(row).collect())
}
