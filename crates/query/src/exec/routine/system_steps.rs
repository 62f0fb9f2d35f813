//! What a procedure of the server leaves to be done: statements, each as a dynamic text of the call, with its rights and in its
//! database; changes of definitions, each a statement of its own.
//!
//! What always holds: the first statement that fails is the last, as in the procedures of SQL Server, which look at @@ERROR after
//! each; what was done before it stays.

use std::sync::Arc;

use millpond_engine::system_call::{Change, Step};
use millpond_message::error::SqlResult;
use millpond_message::sink::{DoneKind, Sink};

use crate::exec::batch::frame::{self, Finished};
use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::objects;
use crate::exec::security::impersonate;
use crate::session::Session;
use millpond_code::text_variables::Parameters;

/// The status of a procedure whose statements were run by it: 1 where one failed.
const FAILED: i32 = 1;

/// Does the steps of a call in a batch.
///
/// # Errors
/// An error that a TRY waits for.
pub(in crate::exec) fn in_batch(run: &mut BatchRun<'_>, steps: Vec<Step>, status: i32) -> SqlResult<i32> {
    for step in steps {
        match step {
            Step::Tell(message) => run.sink.message(&message),
            Step::Change(done) => change(run, done)?,
            Step::Become(acting) => impersonate::become_another(run, acting)?,
            Step::Run(text) => {
                frame::nested(run, |session, sink| Ok(text_of_step(session, &text, sink)))?;
                if run.ends_batch || run.ctx.facts.error != 0 {
                    return Ok(FAILED);
                }
            }
        }
    }
    Ok(status)
}

/// Does the steps of a call of the wire.
pub(in crate::exec) fn of_wire(session: &mut Session, steps: Vec<Step>, status: i32, sink: &mut dyn Sink) -> i32 {
    for step in steps {
        match step {
            Step::Tell(message) => sink.message(&message),
            Step::Change(done) => {
                let finished =
                    frame::scoped(session, sink, |session, sink| session.run_work(sink, |run| change(run, done)));
                if finished.ends_batch || session.facts.error != 0 {
                    return FAILED;
                }
            }
            Step::Become(acting) => {
                session.run_work(sink, |run| impersonate::become_another(run, acting));
            }
            Step::Run(text) => {
                let finished = frame::scoped(session, sink, |session, sink| text_of_step(session, &text, sink));
                if finished.ends_batch || session.facts.error != 0 {
                    return FAILED;
                }
            }
        }
    }
    status
}

/// Changes definitions, all or nothing.
fn change(run: &mut BatchRun<'_>, Change(change): Change) -> SqlResult<()> {
    transaction::implicit_begin(run);
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([]);
    ctx.sequences = Arc::from([]);
    scope::atomically(run, "", |run| {
        let ctx = Arc::clone(&run.ctx);
        objects::with_io(run, |io| change(&*ctx, io))
    })
}

fn text_of_step(session: &mut Session, text: &str, sink: &mut dyn Sink) -> Finished {
    session.run_text(text, Parameters::default(), DoneKind::InProcedure, sink)
}
