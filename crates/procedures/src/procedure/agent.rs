//! `xp_sqlagent_notify`: what the procedures of msdb tell the Agent.

use millpond_catalog::ObjectId;
use millpond_engine::security::is_sysadmin;
use millpond_engine::signal::agent::{AgentRequest, Asked};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};

use super::named::INT;

pub(super) static XP_SQLAGENT_NOTIFY: ProcedureDef = ProcedureDef {
    name: "xp_sqlagent_notify",
    params: &[
        ("@op_type", SqlType::NChar { len: 1 }),
        ("@job_id", SqlType::UniqueIdentifier),
        ("@schedule_id", INT),
        ("@alert_id", INT),
        ("@action_type", SqlType::NChar { len: 1 }),
        ("@step_id", INT),
    ],
    run,
};

/// Starts and stops are for a job that is named, and one that is deleted is stopped; all else makes the Agent look at its tables
/// again. The status is 2 for a job that waits or runs already.
fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &XP_SQLAGENT_NOTIFY;
    let ctx = call.ctx();
    // Those of msdb have looked at the caller's rights.
    if !ObjectId(ctx.facts.procedure).is_server_text() && !is_sysadmin(ctx)? {
        return Err(SqlError::of(15_247, 1, &[]));
    }
    let word = |at: usize| call.arg(def, at).and_then(Value::as_str).map(|word| word.trim().to_uppercase());
    let operation = word(0).ok_or_else(|| message::missing_argument(def.name, def.params[0].0))?;
    let job = call.arg(def, 1).and_then(|value| match value {
        Value::Guid(id) => Some(*id),
        _ => None,
    });
    let by = || ctx.facts.security.login_name.to_string();
    let step = call.arg(def, 5).and_then(Value::as_i64).and_then(|step| i32::try_from(step).ok());
    let request = match (operation.as_str(), word(4).as_deref(), job) {
        ("J", Some("S"), Some(job)) => AgentRequest::Start { job, step, by: by() },
        ("J", Some("C"), Some(job)) => AgentRequest::Stop { job, by: by() },
        ("J", Some("D"), Some(job)) => {
            ctx.engine.agent().ask(AgentRequest::Stop { job, by: by() });
            AgentRequest::Look
        }
        _ => AgentRequest::Look,
    };
    let is_urgent = request != AgentRequest::Look;
    match ctx.engine.agent().ask(request) {
        Asked::Refused if is_urgent => Err(SqlError::of(22_022, 1, &[&NOT_RUNNING])),
        Asked::Busy => Ok(2),
        _ => Ok(0),
    }
}

/// What 22022 says where no Agent runs.
const NOT_RUNNING: &str = "SQLServerAgent is not currently running so it cannot be notified of this action.";
