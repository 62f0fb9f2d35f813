//! `sp_helplanguage`: the languages of sessions, or one of them.

use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::temporal::Language;
use millpond_types::{SqlType, Value};

use super::named::{INT, SMALLINT, SYSNAME, nvarchar, text_arg};

/// `sp_helplanguage [language]`
pub static SP_HELPLANGUAGE: ProcedureDef =
    ProcedureDef { name: "sp_helplanguage", params: &[("@language", SYSNAME)], run: help_language };

/// 15033 for a language that is not there.
fn help_language(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let rows = match text_arg(call, &SP_HELPLANGUAGE, 0) {
        None => Language::all().map(row).collect(),
        Some(name) => {
            let language = Language::named(name.trim_end_matches(' '));
            vec![row(language.ok_or_else(|| SqlError::of(15_033, 1, &[&name]))?)]
        }
    };
    let columns = [
        ("langid", SMALLINT),
        ("dateformat", SqlType::NChar { len: 3 }),
        ("datefirst", SqlType::TinyInt),
        ("upgrade", INT),
        ("name", SYSNAME),
        ("alias", SYSNAME),
        ("months", nvarchar(372)),
        ("shortmonths", nvarchar(132)),
        ("days", nvarchar(217)),
        ("lcid", INT),
        ("msglangid", SMALLINT),
    ];
    call.result(&columns, rows)?;
    Ok(0)
}

fn row(language: Language) -> Vec<Value> {
    let facts = language.facts();
    vec![
        Value::SmallInt(i16::from(language.number())),
        Value::str(&String::from_utf8_lossy(&facts.date_order)),
        Value::TinyInt(facts.first_day),
        Value::Int(0),
        Value::str(facts.name),
        Value::str(facts.alias),
        Value::str(facts.months),
        Value::str(facts.short_months),
        Value::str(facts.days),
        Value::Int(facts.lcid),
        Value::SmallInt(facts.message_lcid),
    ]
}
