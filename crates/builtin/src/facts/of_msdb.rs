//! Scalar functions of msdb: `msdb.dbo.agent_datetime (20260131, 93000)`, and without the database where msdb is the current one.
//!
//! What always holds: a function that a user has made there goes before one of these.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{Date, DateTime, DateTime2, SqlType, Time, Value};

use crate::FunctionDef;
use crate::args::{int, nullable, strict};
use crate::define::{fixed, pure, strict_eval};

/// The functions.
pub(crate) static FUNCTIONS: &[FunctionDef] = &[
    pure(
        "AGENT_DATETIME",
        (2, 2),
        |_| nullable(vec![SqlType::Int, SqlType::Int], SqlType::DateTime),
        strict_eval!(agent_datetime),
    ),
    // Policies are off.
    fixed(
        "FN_SYSPOLICY_IS_AUTOMATION_ENABLED",
        (0, 0),
        |_| strict(Vec::new(), SqlType::Bit),
        |_, _, _, _| Ok(Value::Bit(false)),
    ),
];

/// The function of a name in schema dbo of msdb.
#[must_use]
pub fn find_of_msdb(name: &str) -> Option<&'static FunctionDef> {
    FUNCTIONS.iter().find(|def| def.name.eq_ignore_ascii_case(name))
}

/// The moment of a date as yyyymmdd and a time as hhmmss, as the Agent writes both; 242 where there is none.
fn agent_datetime(args: &[Value], _: &[SqlType], _: &SqlType) -> SqlResult<Value> {
    let (date, time) = (int(&args[0]), int(&args[1]));
    let build = || {
        let part = |number: i64| u32::try_from(number).ok();
        let date = Date::from_civil(i32::try_from(date / 10_000).ok()?, part(date / 100 % 100)?, part(date % 100)?)?;
        let time = Time::from_hms(part(time / 10_000)?, part(time / 100 % 100)?, part(time % 100)?, 0)?;
        DateTime::from_datetime2(DateTime2 { date, time }).map(Value::DateTime)
    };
    build().ok_or_else(|| SqlError::of(242, 3, &[&"nvarchar", &"datetime"]))
}
