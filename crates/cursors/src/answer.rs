//! The procedures of API cursors by their names, the numbers among their arguments, and what they answer.

use millpond_engine::system_call::CallArg;
use millpond_message::error::SqlError;
use millpond_types::{CastRules, SqlType, Value, cast};

use crate::host::Outputs;
use crate::options::invalid;

/// One of the procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// `sp_cursor`
    Cursor,
    /// `sp_cursoropen`
    Open,
    /// `sp_cursorprepare`
    Prepare,
    /// `sp_cursorexecute`
    Execute,
    /// `sp_cursorprepexec`
    PrepareExecute,
    /// `sp_cursorunprepare`
    Unprepare,
    /// `sp_cursorfetch`
    Fetch,
    /// `sp_cursoroption`
    Option,
    /// `sp_cursorclose`
    Close,
}

impl Procedure {
    const ALL: [(&str, Procedure); 9] = [
        ("sp_cursor", Procedure::Cursor),
        ("sp_cursoropen", Procedure::Open),
        ("sp_cursorprepare", Procedure::Prepare),
        ("sp_cursorexecute", Procedure::Execute),
        ("sp_cursorprepexec", Procedure::PrepareExecute),
        ("sp_cursorunprepare", Procedure::Unprepare),
        ("sp_cursorfetch", Procedure::Fetch),
        ("sp_cursoroption", Procedure::Option),
        ("sp_cursorclose", Procedure::Close),
    ];

    /// The procedure of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Procedure> {
        Procedure::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, procedure)| *procedure)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Procedure::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The fewest and the most arguments; no most where values for a text may follow.
    #[must_use]
    pub fn counts(self) -> (usize, Option<usize>) {
        match self {
            Procedure::Cursor => (3, None),
            Procedure::Open => (2, None),
            Procedure::Prepare => (3, Some(6)),
            Procedure::Execute => (2, None),
            Procedure::PrepareExecute => (4, None),
            Procedure::Unprepare | Procedure::Close => (1, Some(1)),
            Procedure::Fetch => (1, Some(4)),
            Procedure::Option => (3, Some(3)),
        }
    }
}

/// A call that has failed.
#[derive(Debug)]
pub struct Failure {
    /// Its error; none where it has been sent.
    pub error: Option<SqlError>,
    /// Its status.
    pub status: i32,
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Failure {
        Failure { status: error.number, error: Some(error) }
    }
}

/// What a call gives back.
#[derive(Debug, Default)]
pub struct Answer {
    /// Its status.
    pub status: i32,
    /// The values of arguments that are OUTPUT, by their places.
    pub outputs: Outputs,
    /// Why it has failed, where that has not been sent.
    pub error: Option<SqlError>,
}

/// A number among the arguments; none where it is NULL or not there.
///
/// # Errors
/// 16902 for what is no number.
pub fn number(procedure: Procedure, args: &[CallArg], place: usize, name: &str) -> Result<Option<i32>, Failure> {
    let Some(CallArg { value: Some(value), sql, .. }) = args.get(place) else { return Ok(None) };
    let found = cast::cast(value, sql, &SqlType::Int, None, CastRules::DEFAULT);
    let refused = || Failure { status: 1, ..invalid(procedure.name(), name, 1).into() };
    match found.map_err(|_| refused())? {
        Value::Null => Ok(None),
        value => value.as_i64().and_then(|number| i32::try_from(number).ok()).ok_or_else(refused).map(Some),
    }
}

/// The same of one that must be there.
///
/// # Errors
/// 16902
pub fn wanted(procedure: Procedure, args: &[CallArg], place: usize, name: &str) -> Result<i32, Failure> {
    let refused = || Failure { status: 1, ..invalid(procedure.name(), name, 1).into() };
    number(procedure, args, place, name)?.ok_or_else(refused)
}

/// A number that goes back.
#[must_use]
pub fn told(place: usize, number: Option<i32>) -> (usize, Value, SqlType) {
    (place, number.map_or(Value::Null, Value::Int), SqlType::Int)
}
