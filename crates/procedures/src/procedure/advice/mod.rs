//! `sp_tempdb_advice`: what the server's own figures advise. The rules, and what is asked for them, are `millpond_advice`'s; here a question
//! is answered by the view that it names, as a session would see it.
//!
//! What always holds: nothing is changed, and no statement of an advice is run. It takes VIEW SERVER STATE. Definitions of a database other
//! than the session's are read only for who may see those of all.

mod views;

use millpond_advice::collect::collect;
use millpond_advice::{Topic, advise};
use millpond_engine::security;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{MaxLen, SqlType, Value};

use super::named::nvarchar;
use views::Views;

/// `sp_tempdb_advice [topic]`
pub static SP_TEMPDB_ADVICE: ProcedureDef =
    ProcedureDef { name: "sp_tempdb_advice", params: &[("@topic", nvarchar(128))], run };

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let ctx = call.ctx();
    if !security::may_on_server(ctx, "VIEW SERVER STATE")? {
        return Err(SqlError::of(297, 1, &[]).after(SqlError::of(
            300,
            1,
            &[&"VIEW SERVER STATE", &"server", &"master"],
        )));
    }
    let topic = call.arg(&SP_TEMPDB_ADVICE, 0).and_then(Value::as_str).map(Topic::of);
    if topic == Some(None) {
        call.inform_text(format!("@topic: {}", Topic::ALL.map(Topic::name).join(", ")));
        return Err(SqlError::of(15_600, 1, &[&SP_TEMPDB_ADVICE.name]));
    }
    let mut views = Views::of(ctx);
    let facts = collect(&mut views);
    // A cancellation, or the end of memory, is the answer then, and not what little is known.
    if let Some(error) = views.failed {
        return Err(error);
    }
    let advice = facts.map_or_else(|_| Vec::new(), |facts| advise(&facts, topic.flatten()));
    let long = SqlType::NVarChar { len: MaxLen::Max };
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::str);
    let rows = advice
        .iter()
        .map(|advice| {
            vec![
                Value::str(advice.topic.name()),
                Value::str(advice.severity.name()),
                Value::str(&advice.finding),
                Value::str(&advice.evidence),
                text(&advice.effect),
                text(&advice.statement),
            ]
        })
        .collect();
    call.result(
        &[
            ("topic", nvarchar(128)),
            ("severity", nvarchar(20)),
            ("finding", long),
            ("evidence", long),
            ("effect", long),
            ("statement", long),
        ],
        rows,
    )?;
    Ok(0)
}
