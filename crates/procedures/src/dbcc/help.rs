//! DBCC HELP: what each command takes.

use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Value;

/// `DBCC HELP ('command' | '?')`
pub static HELP: DbccDef = DbccDef {
    name: "HELP",
    syntax: "( 'dbcc_statement' | @dbcc_statement_var | '?' ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=1, options: &["NO_INFOMSGS"] },
    run: help,
};

const OF_DATABASE: &str = "[ ( 'database_name' | database_id | 0 [ , NOINDEX ] ) ]
    [ WITH [ NO_INFOMSGS ] [ , ALL_ERRORMSGS ] [ , TABLOCK ] [ , PHYSICAL_ONLY ] ]";

/// Commands that the crate of statements runs itself.
const OTHERS: [(&str, &str); 8] = [
    ("CHECKALLOC", OF_DATABASE),
    ("CHECKCATALOG", "[ ( 'database_name' | database_id | 0 ) ] [ WITH NO_INFOMSGS ]"),
    (
        "CHECKCONSTRAINTS",
        "[ ( 'table_name' | table_id | 'constraint_name' | constraint_id ) ]
    [ WITH { ALL_CONSTRAINTS | ALL_ERRORMSGS } [ , NO_INFOMSGS ] ]",
    ),
    (
        "CHECKDB",
        "[ ( 'database_name' | database_id | 0 [ , NOINDEX | REPAIR_ALLOW_DATA_LOSS ] ) ]
    [ WITH [ NO_INFOMSGS ] [ , ALL_ERRORMSGS ] [ , TABLOCK ] [ , PHYSICAL_ONLY ] ]",
    ),
    (
        "CHECKFILEGROUP",
        "[ ( { 'filegroup_name' | filegroup_id | 0 } [ , NOINDEX ] ) ]
    [ WITH [ NO_INFOMSGS ] [ , ALL_ERRORMSGS ] [ , TABLOCK ] [ , PHYSICAL_ONLY ] ]",
    ),
    (
        "CHECKTABLE",
        "( 'table_name' | 'view_name' [ , NOINDEX ] )
    [ WITH [ NO_INFOMSGS ] [ , ALL_ERRORMSGS ] [ , TABLOCK ] [ , PHYSICAL_ONLY ] ]",
    ),
    (
        "CLONEDATABASE",
        "( source_database_name , target_database_name )
    [ WITH [ NO_STATISTICS ] [ , NO_QUERYSTORE ] [ , VERIFY_CLONEDB ] [ , BACKUP_CLONEDB ] ]",
    ),
    (
        "INDEXDEFRAG",
        "( { 'database_name' | database_id | 0 } , { 'table_name' | table_id | 'view_name' | view_id }
    [ , { 'index_name' | index_id } [ , { partition_number | 0 } ] ] )
    [ WITH NO_INFOMSGS ]",
    ),
];

/// # Errors
/// 8987 for a command that there is not.
fn help(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let wanted = call.positional(0).and_then(Value::as_str).ok_or_else(|| SqlError::of(2560, 9, &[&1]))?;
    let registered = super::COMMANDS.iter().map(|command| (command.name, command.syntax));
    let mut commands: Vec<(&str, &str)> = OTHERS.into_iter().chain(registered).collect();
    commands.sort_unstable();
    let told: Vec<String> = match wanted {
        "?" => commands.iter().map(|(name, _)| (*name).to_owned()).collect(),
        wanted => {
            let found = commands.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted.trim()));
            let (name, syntax) = found.ok_or_else(|| SqlError::of(8987, 1, &[&wanted]))?;
            vec![format!("dbcc {name} {syntax}")]
        }
    };
    told.into_iter().for_each(|line| call.inform_text(line));
    Ok(())
}
