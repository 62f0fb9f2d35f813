//! `sp_addtype` and `sp_droptype`, by which scripts made alias types before there was CREATE TYPE: each makes the statement
//! of its arguments and runs that.

use millpond_catalog::names_equal;
use millpond_catalog::run::Run;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::StatementKind;
use millpond_tsql::print::bracketed;
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::{MaxLen, SqlType};

use crate::exec::batch::BatchRun;
use crate::exec::ddl::define;
use millpond_engine::system_args::{settled, text_of};

const SYSNAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };

const ADD_PARAMS: [(&str, SqlType); 4] =
    [("@typename", SYSNAME), ("@phystype", SYSNAME), ("@nulltype", SqlType::varchar(8)), ("@owner", SYSNAME)];

/// Runs one of them.
///
/// # Errors
/// 201 for a missing argument, 15085 for what is no type, those of CREATE TYPE and DROP TYPE.
pub(in crate::exec) fn type_procedure(run: &mut BatchRun<'_>, name: &str, args: &[CallArg]) -> SqlResult<i32> {
    let adds = names_equal(name, "sp_addtype");
    let (name, params) = if adds { ("sp_addtype", &ADD_PARAMS[..]) } else { ("sp_droptype", &ADD_PARAMS[..1]) };
    let args = settled((name, params), args.to_vec(), run.ctx.cast_rules())?;
    let text = |index: usize| text_of(&args, params, index);
    let needed = |index: usize| text(index).ok_or_else(|| message::missing_argument(name, params[index].0));
    let written = match adds {
        true => {
            let owner = text(3).map_or_else(String::new, |owner| format!("{}.", bracketed(&owner)));
            let null = match text(2).map(|word| word.trim().to_ascii_uppercase()) {
                None => "",
                Some(word) if word == "NULL" => " NULL",
                Some(word) if word == "NOT NULL" || word == "NONULL" => " NOT NULL",
                Some(_) => return Err(usage()),
            };
            format!("CREATE TYPE {owner}{} FROM {}{null}", bracketed(&needed(0)?), needed(1)?)
        }
        false => format!("DROP TYPE {}", bracketed(&needed(0)?)),
    };
    let parsed = parse_batch(&written, ParseOptions { quoted_identifier: true }).map_err(|_| usage())?;
    match &parsed.statements[..] {
        [only] => match &only.kind {
            StatementKind::CreateType(create) => define::make_type(run, create, &written)?,
            StatementKind::Drop(drop) => define::drop_defined(run, drop)?,
            _ => return Err(usage()),
        },
        _ => return Err(usage()),
    }
    Ok(0)
}

fn usage() -> SqlError {
    SqlError::of(15085, 1, &[])
}
