//! `sp_helpfile`, `sp_spaceused`, `xp_fixeddrives` and its short name of the year 2006.

use millpond_catalog::data_space::{DataSpaces, Filegroup};
use millpond_catalog::names_equal;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::file::file_header::FileKind;
use millpond_storage::file::growth::Growth;
use millpond_storage::instance::file_report::FileReport;
use millpond_storage::instance::volumes;
use millpond_types::{SqlType, Value};

use super::named::{SYSNAME, nvarchar, text_arg, varchar};

/// `sp_helpfile [name]`
pub static SP_HELPFILE: ProcedureDef =
    ProcedureDef { name: "sp_helpfile", params: &[("@filename", SYSNAME)], run: help_file };

/// `sp_spaceused [table]`
pub static SP_SPACEUSED: ProcedureDef = ProcedureDef {
    name: "sp_spaceused",
    params: &[
        ("@objname", nvarchar(776)),
        ("@updateusage", varchar(5)),
        ("@mode", varchar(11)),
        ("@oneresultset", SqlType::Bit),
        ("@include_total_xtp_storage", SqlType::Bit),
    ],
    run: space_used,
};

/// `xp_fixeddrives [kind]`: 1 removable, 2 of the network, 3 of compact disks, of which there are none.
pub static XP_FIXEDDRIVES: ProcedureDef =
    ProcedureDef { name: "xp_fixeddrives", params: &[("@kind", SqlType::Int)], run: fixed_drives };

/// `fixeddrives`, as tempdb's oldest scripts call it
pub static FIXEDDRIVES: ProcedureDef = ProcedureDef { name: "fixeddrives", params: &[], run: fixed_drives };

fn kb(pages: u64) -> Value {
    Value::str(&format!("{} KB", pages * 8))
}

fn help_file(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = text_arg(call, &SP_HELPFILE, 0);
    let files = call.ctx().engine.instance().files(call.ctx().facts.database);
    let shown: Vec<&FileReport> =
        files.iter().filter(|file| wanted.as_ref().is_none_or(|name| names_equal(&file.name, name))).collect();
    if let (Some(name), true) = (&wanted, shown.is_empty()) {
        return Err(SqlError::of(15325, 1, &[&"file", name]));
    }
    let definitions = inventory::definitions(call.ctx(), call.ctx().facts.database)?;
    let rows = shown.into_iter().map(|file| help_row(file, definitions.data_spaces())).collect();
    call.result(
        &[
            ("name", nvarchar(128)),
            ("fileid", SqlType::SmallInt),
            ("filename", SqlType::NChar { len: 260 }),
            ("filegroup", nvarchar(128)),
            ("size", nvarchar(15)),
            ("maxsize", nvarchar(15)),
            ("growth", nvarchar(15)),
            ("usage", varchar(9)),
        ],
        rows,
    )?;
    Ok(0)
}

/// A number as `smallint`, of those that are greater the greatest.
pub(super) fn bounded(number: i32) -> Value {
    Value::SmallInt(i16::try_from(number).unwrap_or(i16::MAX))
}

/// The filegroup of a file; none of a log.
pub(super) fn group_of<'s>(spaces: &'s DataSpaces, file: &FileReport) -> Option<&'s Filegroup> {
    if file.kind == FileKind::Log {
        return None;
    }
    spaces.group(spaces.group_of_file(file.file.0))
}

/// Size, bound and growth of a file.
pub(super) fn sizes_of(file: &FileReport) -> [Value; 3] {
    let growth = match file.growth {
        Growth::Pages(pages) => kb(u64::from(pages)),
        Growth::Percent(percent) => Value::str(&format!("{percent}%")),
    };
    let most = file.max_pages.map_or(Value::str("Unlimited"), |pages| kb(u64::from(pages)));
    [kb(u64::from(file.size_pages)), most, growth]
}

fn help_row(file: &FileReport, spaces: &DataSpaces) -> Vec<Value> {
    let is_log = file.kind == FileKind::Log;
    let [size, most, growth] = sizes_of(file);
    vec![
        Value::str(&file.name),
        bounded(file.file.0.into()),
        Value::str(&file.physical_name),
        group_of(spaces, file).map_or(Value::Null, |group| Value::str(&group.name)),
        size,
        most,
        growth,
        Value::str(if is_log { "log only" } else { "data only" }),
    ]
}

fn space_used(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    match call.arg(&SP_SPACEUSED, 0) {
        Some(Value::Str(name)) => {
            let name = name.to_string();
            table_space(call, &name)
        }
        _ => database_space(call),
    }
}

fn table_space(call: &mut SystemCall<'_>, name: &str) -> SqlResult<i32> {
    let id = super::named::object(call, name)?;
    let database = call.ctx().facts.database;
    let table = inventory::table(call.ctx(), database, id)?.ok_or_else(|| SqlError::of(15234, 1, &[]))?;
    space_of(call, &table).map_err(|error| match inventory::table(call.ctx(), database, id) {
        // Another session dropped it, and its pages are gone.
        Ok(None) => SqlError::of(15009, 1, &[&name, &call.ctx().facts.database_name]),
        _ => error,
    })
}

/// Pages of a table, an indexed view among them.
#[derive(Clone, Copy, Default)]
struct TablePages {
    reserved: u64,
    used: u64,
    /// Of the rows and large values; the map of the rows' pages counts as index, as do the other indexes.
    data: u64,
}

impl TablePages {
    fn of(ctx: &RunContext, table: &inventory::ListedTable) -> SqlResult<TablePages> {
        let mut all = TablePages::default();
        for position in 0..table.indexes().len() {
            let pages = table.all_pages(ctx, position)?;
            all.reserved += pages.reserved;
            all.used += pages.used;
        }
        let large = table.large_pages(ctx, 0)?.map_or(0, |large| large.pages.used);
        all.data = table.index_pages(ctx, 0)?.used.saturating_sub(1) + large;
        Ok(all)
    }
}

fn space_of(call: &mut SystemCall<'_>, table: &inventory::ListedTable) -> SqlResult<i32> {
    let TablePages { reserved, used, data } = TablePages::of(call.ctx(), table)?;
    let row = vec![
        Value::str(&table.name),
        Value::str(&format!("{:<20}", table.row_count(call.ctx())?)),
        kb(reserved),
        kb(data),
        kb(used - data),
        kb(reserved.saturating_sub(used)),
    ];
    call.result(
        &[
            ("name", nvarchar(128)),
            ("rows", SqlType::char(20)),
            ("reserved", varchar(18)),
            ("data", varchar(18)),
            ("index_size", varchar(18)),
            ("unused", varchar(18)),
        ],
        vec![row],
    )?;
    Ok(0)
}

fn database_space(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let ctx = call.ctx();
    let instance = ctx.engine.instance();
    let pages: u64 = instance.files(ctx.facts.database).iter().map(|file| u64::from(file.size_pages)).sum();
    let space = instance.space_report(ctx.facts.database);
    let (total, allocated): (u64, u64) =
        space.iter().fold((0, 0), |(total, allocated), file| (total + file.total, allocated + file.allocated));
    let mb = |pages: u64| Value::str(&format!("{:.2} MB", pages as f64 / 128.0));
    let first = vec![Value::str(&ctx.facts.database_name), mb(pages), mb(total - allocated)];
    call.result(
        &[("database_name", nvarchar(128)), ("database_size", varchar(18)), ("unallocated space", varchar(18))],
        vec![first],
    )?;
    let mut sum = TablePages::default();
    for table in inventory::indexed(ctx, ctx.facts.database)? {
        let pages = match TablePages::of(ctx, &table) {
            // Another session dropped it, and its pages are gone.
            Err(_) if inventory::object(ctx, ctx.facts.database, table.def.id.0)?.is_none() => continue,
            pages => pages?,
        };
        sum.reserved += pages.reserved;
        sum.used += pages.used;
        sum.data += pages.data;
    }
    if ctx.facts.database == millpond_storage::contract::DbId::TEMPDB {
        let heaps = ctx.engine.txns().report().into_iter().flat_map(|session| session.heaps);
        let pages = heaps.map(|(_, heap)| heap.page_count()).sum::<u64>();
        (sum.reserved, sum.used, sum.data) = (sum.reserved + pages, sum.used + pages, sum.data + pages);
    }
    // The system's own tables have what is left.
    let of_system = allocated.saturating_sub(sum.reserved);
    let unused = sum.reserved.saturating_sub(sum.used).min(allocated);
    let index = sum.used.saturating_sub(sum.data);
    let second = vec![kb(allocated), kb(sum.data + of_system), kb(index), kb(unused)];
    call.result(
        &[("reserved", varchar(18)), ("data", varchar(18)), ("index_size", varchar(18)), ("unused", varchar(18))],
        vec![second],
    )?;
    Ok(0)
}

/// One row per volume that holds files: letters from C on, in order of their mount points.
fn fixed_drives(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let volumes =
        volumes::volumes(call.ctx().engine.instance()).map_err(|error| SqlError::of(5133, 1, &[&"", &error]))?;
    let is_fixed = call.arg(&XP_FIXEDDRIVES, 0).and_then(Value::as_i64).is_none_or(|kind| kind == 0);
    let rows = ('C'..='Z')
        .zip(volumes)
        .filter(|_| is_fixed)
        .map(|(letter, volume)| {
            let free_mb = i32::try_from(volume.free_bytes >> 20).unwrap_or(i32::MAX);
            vec![Value::str(&letter.to_string()), Value::Int(free_mb)]
        })
        .collect();
    call.result(&[("drive", SqlType::char(1)), ("MB free", SqlType::Int)], rows)?;
    Ok(0)
}
