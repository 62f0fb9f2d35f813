//! The context that expressions of a statement see, made of what its session is now: its facts, locks and global cursors.

use std::sync::Arc;

use millpond_catalog::run::facts::SessionFacts;
use millpond_code::cursors::{Cursors, states};
use millpond_engine::context::{RunContext, TableBinding};
use millpond_types::Value;

use crate::session::Session;

/// A context outside of any batch: for calls of the wire.
pub(in crate::exec) fn bare(session: &Session) -> RunContext {
    with_variables(session, Vec::new())
}

/// A context with the values of variables.
pub(in crate::exec) fn with_variables(session: &Session, variables: Vec<Value>) -> RunContext {
    of_facts(session, &session.facts, variables, Arc::from([]))
}

/// A context of other facts and tables.
pub(in crate::exec) fn of_facts(
    session: &Session,
    facts: &SessionFacts,
    variables: Vec<Value>,
    tables: Arc<[TableBinding]>,
) -> RunContext {
    let cursors = Arc::new(states(&Cursors::default(), &session.cursors));
    let (locks, variables) = (session.locks.clone(), variables.into());
    RunContext::new(&session.engine, &session.shared, facts.clone(), locks, variables, tables, cursors)
}
