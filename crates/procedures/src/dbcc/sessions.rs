//! DBCC INPUTBUFFER: what a session has sent last.

use millpond_catalog::run::Run;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value};

use millpond_views::{input_of, seen_sessions};

/// `DBCC INPUTBUFFER (session [, request])`
pub static INPUTBUFFER: DbccDef = DbccDef {
    name: "INPUTBUFFER",
    syntax: "( session_id [ , request_id ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=2, options: &["NO_INFOMSGS"] },
    run: input_buffer,
};

const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };

/// # Errors
/// 2560 for no number, 7955 for no session's, 7960 for no request's, 2571 for a session that the caller does not see.
fn input_buffer(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let wanted = call.positional(0).and_then(Value::as_i64).ok_or_else(|| SqlError::of(2560, 9, &[&1]))?;
    let is_wanted = |id: u16| i64::from(id) == wanted;
    let seen = seen_sessions(call.ctx())?;
    let Some(session) = seen.iter().find(|session| is_wanted(session.id.0)) else {
        let is_there = call.ctx().engine.sessions().iter().any(|session| is_wanted(session.id.0));
        let user = call.ctx().principals().user_name().unwrap_or_default();
        return Err(match is_there {
            true => SqlError::of(2571, 3, &[&user, &"INPUTBUFFER"]),
            false => SqlError::of(7955, 2, &[&wanted]),
        });
    };
    // Each session has one request, the number 0.
    if let Some(request) = call.positional(1).filter(|request| !request.is_null()) {
        let request = request.as_i64().ok_or_else(|| SqlError::of(2560, 9, &[&2]))?;
        if request != 0 {
            return Err(SqlError::of(7960, 2, &[&wanted, &request]));
        }
    }
    let (kind, parameters, shown) = input_of(session);
    let row = vec![Value::str(kind), Value::SmallInt(parameters), shown.map_or(Value::Null, |text| Value::str(&text))];
    let kind_type = SqlType::NVarChar { len: MaxLen::Limited(30) };
    call.result(&[("EventType", kind_type), ("Parameters", SqlType::SmallInt), ("EventInfo", TEXT)], vec![row])
}
