//! DBCC EXTENTINFO: the extents of temporary tables, in order of file and page. Only tempdb has objects so far.

use millpond_engine::arguments::database_argument;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC EXTENTINFO [(database [, table [, index]])]`
pub static EXTENTINFO: DbccDef = DbccDef {
    name: "EXTENTINFO",
    syntax: "[ ( { 'database_name' | database_id } [ , 'table_name' [ , index_id ] ] ) ]",
    takes: DbccTakes { args: 0..=4, options: &["TABLERESULTS", "NO_INFOMSGS"] },
    run,
};

fn run(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let database = database_argument(call.ctx(), call.positional(0).filter(|arg| !arg.is_null()))?;
    let object = object(call)?;
    let mut rows = Vec::new();
    if database == DbId::TEMPDB {
        for session in call.ctx().engine.txns().report() {
            for (_, heap) in &session.heaps {
                let id = heap.object_id().0 as i32;
                if object.is_none_or(|wanted| wanted == id) {
                    rows.extend(heap.extents().into_iter().map(|extent| extent_row(id, &extent)));
                }
            }
        }
    }
    rows.sort_by_key(|row| (row[0].as_i64(), row[1].as_i64()));
    call.result(
        &[
            ("file_id", SqlType::SmallInt),
            ("page_id", SqlType::Int),
            ("pg_alloc", SqlType::Int),
            ("ext_size", SqlType::Int),
            ("object_id", SqlType::Int),
            ("index_id", SqlType::Int),
            ("partition_number", SqlType::Int),
            ("partition_id", SqlType::BigInt),
            ("iam_chain_type", SqlType::varchar(20)),
            ("pfs_bytes", SqlType::VarBinary { len: MaxLen::Limited(10) }),
        ],
        rows,
    )
}

fn extent_row(object: i32, extent: &millpond_access::ExtentUse) -> Vec<Value> {
    vec![
        Value::SmallInt(i16::try_from(extent.extent.file.0).unwrap_or(i16::MAX)),
        Value::Int(i32::try_from(extent.extent.extent.first_page().0).unwrap_or(i32::MAX)),
        Value::Int(i32::try_from(extent.pages_used).unwrap_or(8)),
        Value::Int(8),
        Value::Int(object),
        Value::Int(0),
        Value::Int(1),
        Value::BigInt(i64::from(object)),
        Value::str("In-row data"),
        Value::Binary(extent.pfs.into()),
    ]
}

fn object(call: &SystemCall<'_>) -> SqlResult<Option<i32>> {
    match call.positional(1) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Str(name)) => {
            let temp = call.ctx().session.temp.read();
            let table = temp
                .find(name.trim_start_matches("tempdb.."), call.ctx().facts.nest_level)
                .ok_or_else(|| SqlError::of(2501, 45, &[&name]))?;
            Ok(Some(table.heap.object_id().0 as i32))
        }
        Some(number) => Ok(number.as_i64().and_then(|number| i32::try_from(number).ok()).filter(|number| *number != 0)),
    }
}
