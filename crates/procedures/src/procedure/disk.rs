//! What scripts ask of the machine's disks and of the registry: `xp_fileexist`, `xp_dirtree`, `xp_subdirs`, `xp_create_subdir`,
//! `xp_regread` and `xp_instance_regread`; `xp_msver`.
//!
//! What always holds: only members of sysadmin learn anything of files (15247 for others). There is no registry: of the values
//! that tools ask for, those are told that mean something here, all others are not there.

use std::fs;
use std::path::Path;

use millpond_builtin::PRODUCT_VERSION;
use millpond_catalog::run::Run;
use millpond_device::machine;
use millpond_engine::security::is_sysadmin;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};
use millpond_views::what_is_at;

use super::named::{INT, nvarchar, text_arg};

/// `xp_fileexist 'path' [, @exists OUTPUT]`
pub static XP_FILEEXIST: ProcedureDef =
    ProcedureDef { name: "xp_fileexist", params: &[("@path", nvarchar(4000)), ("@exists", INT)], run: file_exists };

/// `xp_dirtree 'folder' [, depth [, with files]]`
pub static XP_DIRTREE: ProcedureDef = ProcedureDef {
    name: "xp_dirtree",
    params: &[("@path", nvarchar(4000)), ("@depth", INT), ("@files", INT)],
    run: tree_of,
};

/// `xp_subdirs 'folder'`
pub static XP_SUBDIRS: ProcedureDef =
    ProcedureDef { name: "xp_subdirs", params: &[("@path", nvarchar(4000))], run: folders_of };

/// `xp_create_subdir 'folder'`
pub static XP_CREATE_SUBDIR: ProcedureDef =
    ProcedureDef { name: "xp_create_subdir", params: &[("@path", nvarchar(4000))], run: make_folder };

const REGISTRY: &[(&str, SqlType)] = &[
    ("@rootkey", nvarchar(256)),
    ("@key", nvarchar(512)),
    ("@value_name", nvarchar(256)),
    ("@param", nvarchar(4000)),
    ("@no_output", nvarchar(128)),
];

/// `xp_regread 'root', 'key', 'value' [, @value OUTPUT]`
pub static XP_REGREAD: ProcedureDef =
    ProcedureDef { name: "xp_regread", params: REGISTRY, run: |call| read_registry(call, &XP_REGREAD) };

/// `xp_instance_regread 'root', 'key', 'value' [, @value OUTPUT]`
pub static XP_INSTANCE_REGREAD: ProcedureDef = ProcedureDef {
    name: "xp_instance_regread",
    params: REGISTRY,
    run: |call| read_registry(call, &XP_INSTANCE_REGREAD),
};

/// `xp_msver ['name']`
pub static XP_MSVER: ProcedureDef =
    ProcedureDef { name: "xp_msver", params: &[("@optname", nvarchar(128))], run: version };

/// Entries that a tree shows at most: a folder of the whole machine is no answer that anybody waits for.
const ENTRIES_MAX: usize = 1_000_000;

fn check_sysadmin(call: &SystemCall<'_>) -> SqlResult<()> {
    if is_sysadmin(call.ctx())? { Ok(()) } else { Err(SqlError::of(15_247, 1, &[])) }
}

/// An argument that must be there.
fn needed(call: &SystemCall<'_>, def: &ProcedureDef, at: usize) -> SqlResult<String> {
    let given = text_arg(call, def, at).filter(|text| !text.is_empty());
    given.ok_or_else(|| message::missing_argument(def.name, def.params[at].0))
}

/// A path of a call: a missing one is a wrong call.
fn path_of(call: &SystemCall<'_>, def: &ProcedureDef) -> SqlResult<String> {
    check_sysadmin(call)?;
    needed(call, def, 0)
}

fn file_exists(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let path = path_of(call, &XP_FILEEXIST)?;
    let (is_file, is_folder, has_parent) = what_is_at(&path);
    match call.position(&XP_FILEEXIST, 1) {
        Some(index) => call.give(index, &Value::Int(i32::from(is_file)), &INT)?,
        None => {
            let columns = ["File Exists", "File is a Directory", "Parent Directory Exists"];
            let row = [is_file, is_folder, has_parent].map(|is| Value::TinyInt(u8::from(is))).to_vec();
            call.result(&columns.map(|name| (name, SqlType::TinyInt)), vec![row])?;
        }
    }
    Ok(0)
}

/// An entry of a folder.
struct Entry {
    name: String,
    depth: i32,
    is_file: bool,
}

/// Adds the entries of a folder, each folder before what is in it. What cannot be read is passed over.
fn add_entries(
    call: &SystemCall<'_>,
    folder: &Path,
    depth: i32,
    (depth_max, files): (i32, bool),
    all: &mut Vec<Entry>,
) -> SqlResult<()> {
    call.ctx().watch().check()?;
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        // A link is shown, and not followed: it may lead around.
        let is_file = !kind.is_dir();
        if is_file && !files || all.len() >= ENTRIES_MAX {
            continue;
        }
        all.push(Entry { name: entry.file_name().to_string_lossy().into_owned(), depth, is_file });
        if kind.is_dir() && (depth_max == 0 || depth < depth_max) {
            add_entries(call, &entry.path(), depth + 1, (depth_max, files), all)?;
        }
    }
    Ok(())
}

fn tree_of(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let path = path_of(call, &XP_DIRTREE)?;
    let number = |at: usize| call.arg(&XP_DIRTREE, at).and_then(Value::as_i64).unwrap_or(0);
    let (depth_max, files) = (i32::try_from(number(1)).unwrap_or(0).max(0), number(2) != 0);
    let mut all = Vec::new();
    add_entries(call, Path::new(&path), 1, (depth_max, files), &mut all)?;
    let mut columns = vec![("subdirectory", nvarchar(512)), ("depth", INT)];
    if files {
        columns.push(("file", INT));
    }
    let row = |entry: &Entry| {
        let mut row = vec![Value::str(&entry.name), Value::Int(entry.depth)];
        if files {
            row.push(Value::Int(i32::from(entry.is_file)));
        }
        row
    };
    let rows = all.iter().map(row).collect();
    call.result(&columns, rows)?;
    Ok(0)
}

fn folders_of(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let path = path_of(call, &XP_SUBDIRS)?;
    if !Path::new(&path).is_dir() {
        return Err(SqlError::of(22_006, 1, &[&XP_SUBDIRS.name, &path]));
    }
    let mut all = Vec::new();
    add_entries(call, Path::new(&path), 1, (1, false), &mut all)?;
    let rows = all.iter().map(|entry| vec![Value::str(&entry.name)]).collect();
    call.result(&[("subdirectory", nvarchar(512))], rows)?;
    Ok(0)
}

fn make_folder(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let path = path_of(call, &XP_CREATE_SUBDIR)?;
    match fs::create_dir_all(&path) {
        Ok(()) => Ok(0),
        Err(cause) => {
            let number = cause.raw_os_error().unwrap_or(0);
            Err(SqlError::of(22_048, 1, &[&XP_CREATE_SUBDIR.name, &number, &cause]))
        }
    }
}

/// The value that a key has here.
fn registered(call: &SystemCall<'_>, value_name: &str) -> Option<Value> {
    let instance = call.ctx().engine.instance();
    let folder = || instance.data_dir().map(|dir| Value::str(&dir.to_string_lossy()));
    match value_name.to_ascii_lowercase().as_str() {
        "backupdirectory" | "defaultdata" | "defaultlog" | "sqldataroot" => folder(),
        // 1 would be logins of Windows alone.
        "loginmode" => Some(Value::Int(2)),
        "currentversion" => Some(Value::str(PRODUCT_VERSION)),
        _ => None,
    }
}

/// The value goes to the OUTPUT argument, if there is one; that of a value that is not there stays as it is.
fn read_registry(call: &mut SystemCall<'_>, def: &ProcedureDef) -> SqlResult<i32> {
    check_sysadmin(call)?;
    let name = needed(call, def, 2)?;
    // The one value of several texts: each is a row.
    if name.eq_ignore_ascii_case("InstalledInstances") && call.position(def, 3).is_none() {
        let row = vec![Value::str("InstalledInstances - Item #1"), Value::str("MSSQLSERVER"), Value::Null];
        return call
            .result(&[("Value", nvarchar(256)), ("Data", nvarchar(4000)), ("", nvarchar(4000))], vec![row])
            .map(|()| 0);
    }
    let Some(value) = registered(call, &name) else {
        let is_quiet = text_arg(call, def, 4).is_some_and(|word| word.eq_ignore_ascii_case("no_output"));
        if call.position(def, 3).is_none() && !is_quiet {
            call.result(&[("Value", nvarchar(256)), ("Data", nvarchar(4000))], Vec::new())?;
        }
        return Ok(0);
    };
    let (from, value) = match value {
        Value::Int(number) => (INT, Value::Int(number)),
        text => (nvarchar(4000), text),
    };
    match call.position(def, 3) {
        Some(index) => call.give(index, &value, &from)?,
        None => call.result(&[("Value", nvarchar(256)), ("Data", from)], vec![vec![Value::str(&name), value]])?,
    }
    Ok(0)
}

/// What `xp_msver` tells: name, number and text.
fn properties() -> Vec<(&'static str, Option<i32>, Option<String>)> {
    let text = |text: &str| Some(text.to_owned());
    let version = || PRODUCT_VERSION.split('.').map(|part| part.parse::<i32>().unwrap_or(0));
    let major_and_minor = version().take(2).fold(0, |high, part| high << 16 | part);
    let megabytes = i32::try_from(machine::memory_total_bytes() >> 20).unwrap_or(i32::MAX);
    let processors = i32::try_from(machine::processors()).unwrap_or(i32::MAX);
    vec![
        ("ProductName", None, text("Microsoft SQL Server")),
        ("ProductVersion", Some(major_and_minor), text(PRODUCT_VERSION)),
        ("Language", Some(1033), text("English (United States)")),
        ("Platform", None, text("NT x64")),
        ("Comments", None, text("SQL")),
        ("CompanyName", None, None),
        ("FileDescription", None, text("Millpond")),
        ("FileVersion", None, text(PRODUCT_VERSION)),
        ("InternalName", None, text("MILLPOND")),
        ("LegalCopyright", None, None),
        ("LegalTrademarks", None, None),
        ("OriginalFilename", None, text("millpond")),
        ("PrivateBuild", None, None),
        ("SpecialBuild", None, None),
        ("WindowsVersion", Some(0), None),
        ("ProcessorCount", Some(processors), Some(processors.to_string())),
        ("ProcessorActiveMask", None, None),
        ("ProcessorType", None, None),
        ("PhysicalMemory", Some(megabytes), Some(format!("{megabytes} ({})", machine::memory_total_bytes()))),
        ("Product ID", None, None),
    ]
}

fn version(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let wanted = text_arg(call, &XP_MSVER, 0);
    let rows = (1..)
        .zip(properties())
        .filter(|(_, (name, ..))| wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name)));
    let rows = rows.map(|(index, (name, number, text))| {
        vec![
            Value::Int(index),
            Value::str(name),
            number.map_or(Value::Null, Value::Int),
            text.map_or(Value::Null, Value::from),
        ]
    });
    let rows = rows.collect();
    call.result(
        &[("Index", INT), ("Name", nvarchar(256)), ("Internal_Value", INT), ("Character_Value", nvarchar(512))],
        rows,
    )?;
    Ok(0)
}
