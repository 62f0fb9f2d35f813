//! `sp_helpfilegroup`.

use std::sync::Arc;

use millpond_catalog::data_space::Filegroup;
use millpond_catalog::names_equal;
use millpond_engine::inventory;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::instance::file_report::FileReport;
use millpond_types::{SqlType, Value};

use super::files::{bounded, group_of, sizes_of};
use super::named::{SYSNAME, nvarchar, text_arg};

/// `sp_helpfilegroup [name]`
pub static SP_HELPFILEGROUP: ProcedureDef =
    ProcedureDef { name: "sp_helpfilegroup", params: &[("@filegroupname", SYSNAME)], run: help_filegroup };

fn help_filegroup(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = text_arg(call, &SP_HELPFILEGROUP, 0);
    let database = call.ctx().facts.database;
    let spaces = Arc::clone(inventory::definitions(call.ctx(), database)?.data_spaces());
    let files = call.ctx().engine.instance().files(database);
    let is_wanted = |group: &&Filegroup| wanted.as_ref().is_none_or(|name| names_equal(name, &group.name));
    let groups: Vec<&Filegroup> = spaces.filegroups.iter().filter(is_wanted).collect();
    if let (Some(name), true) = (&wanted, groups.is_empty()) {
        return Err(SqlError::of(15325, 1, &[&"filegroup", name]));
    }
    let in_group = |file: &&FileReport, group: &Filegroup| group_of(&spaces, file).is_some_and(|of| of.id == group.id);
    let count = |group: &Filegroup| files.iter().filter(|file| in_group(file, group)).count();
    let rows = groups
        .iter()
        .map(|group| vec![Value::str(&group.name), bounded(group.id), Value::Int(count(group) as i32)])
        .collect();
    call.result(&[("groupname", nvarchar(128)), ("groupid", SqlType::SmallInt), ("filecount", SqlType::Int)], rows)?;
    let ([group], true) = (&groups[..], wanted.is_some()) else { return Ok(0) };
    let rows = files
        .iter()
        .filter(|file| in_group(file, group))
        .map(|file| {
            let own = vec![Value::str(&file.name), bounded(file.file.0.into()), Value::str(&file.physical_name)];
            own.into_iter().chain(sizes_of(file)).collect()
        })
        .collect();
    call.result(
        &[
            ("file_in_group", nvarchar(128)),
            ("fileid", SqlType::SmallInt),
            ("filename", SqlType::NChar { len: 260 }),
            ("size", nvarchar(15)),
            ("maxsize", nvarchar(15)),
            ("growth", nvarchar(15)),
        ],
        rows,
    )?;
    Ok(0)
}
