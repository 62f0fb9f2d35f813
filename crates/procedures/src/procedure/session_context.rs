//! `sp_set_session_context`: a value of the session under a key.

use millpond_catalog::run::Run;
use millpond_engine::session_values::NotSet;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value, cast};

use super::named::text_arg;

/// `sp_set_session_context key, value [, read_only]`
pub static SP_SET_SESSION_CONTEXT: ProcedureDef = ProcedureDef {
    name: "sp_set_session_context",
    params: &[
        ("@key", SqlType::NVarChar { len: MaxLen::Limited(4000) }),
        ("@value", SqlType::Variant),
        ("@read_only", SqlType::Bit),
    ],
    run,
};

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_SET_SESSION_CONTEXT;
    let not_given = |parameter: &str| millpond_message::missing_argument(def.name, parameter);
    let key = text_arg(call, def, 0).ok_or_else(|| not_given("@key"))?;
    let given = call.position(def, 1).and_then(|at| Some((call.args[at].value.clone()?, call.args[at].sql)));
    let (value, sql) = given.ok_or_else(|| not_given("@value"))?;
    let value = cast::cast(&value, &sql, &SqlType::Variant, None, call.ctx().cast_rules())
        .map_err(millpond_message::of_eval)?;
    let read_only = matches!(call.arg(def, 2), Some(Value::Bit(true)));
    call.ctx().session.values.lock().set(&key, value, read_only).map_err(|why| match why {
        NotSet::ReadOnly => SqlError::of(15_664, 1, &[&key]),
        NotSet::TooLarge => SqlError::of(15_665, 1, &[&key]),
        NotSet::KeyLength => SqlError::of(15_666, 1, &[&key]),
    })?;
    Ok(0)
}
