//! `sys.fn_xe_file_target_read_file`: the events of files. There are no event sessions that write any (docs/compatibility.md), so what
//! is there is what the caller has brought, which cannot be read.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime2, Value};

use crate::columns::{Guid, NVarChar, NVarCharMax};
use crate::dynamic::host::what_is_at;
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.fn_xe_file_target_read_file`.
    struct FnXeFileTargetReadFile {
        module_guid: Guid,
        package_guid: Guid,
        object_name: NVarChar<60>,
        event_data: NVarCharMax,
        file_name: NVarChar<260>,
        file_offset: i64,
        timestamp_utc: DateTime2,
    }
}

/// `sys.fn_xe_file_target_read_file(path, mdpath, initial_file_name, initial_offset)`
pub static FN_XE_FILE_TARGET_READ_FILE: TableFunctionDef = table_function!(
    "sys",
    "fn_xe_file_target_read_file",
    [NVarChar<260>, NVarChar<260>, NVarChar<260>, i64],
    optional 0,
    FnXeFileTargetReadFile,
    events
);

fn events(_: &RunContext, args: &[Value]) -> SqlResult<Rows<FnXeFileTargetReadFile>> {
    let is_there = args.first().and_then(Value::as_str).is_some_and(|path| what_is_at(path).0);
    if is_there { Err(message::missing("Files of extended events")) } else { Ok(Rows::new()) }
}
