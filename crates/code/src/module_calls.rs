//! Calls of modules as they are counted: procedures, scalar functions and triggers, each as one statement over its whole text.
//!
//! What always holds: a call that ends with an error is not counted, and one inside of another is counted in both. It does not know
//! how a module runs.

use std::sync::Arc;

use millpond_catalog::ModuleKind;
use millpond_engine::account::statement_stats::{StatementStats, WHOLE_TEXT};
use millpond_engine::capture::execution::{Running, Runs};
use millpond_engine::engine::Engine;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::session_shared::SessionShared;

fn runs<'r>(engine: &Engine, session: &'r SessionShared) -> Runs<'r> {
    Runs { task: &session.task, cpu: &session.cpu, clock_us: engine.clock_us() }
}

/// A call of a module begins, at a local time in microseconds since 1970: its kind, its number, the database that it is of, and its text.
pub fn begin(
    engine: &Engine,
    session: &SessionShared,
    (kind, object, database): (ModuleKind, i32, u16),
    body: &ParsedBatch,
    local_us: i64,
) -> Running {
    let stats = engine.statements().of(body.id, WHOLE_TEXT, || {
        StatementStats::of_module(kind, (body.id, Arc::clone(&body.text)), object, database, local_us)
    });
    Running::begin(stats, runs(engine, session), false)
}

/// It has ended well, at a local time.
pub fn end(engine: &Engine, session: &SessionShared, running: Running, local_us: i64) {
    running.end(runs(engine, session), None, 0, local_us);
}
