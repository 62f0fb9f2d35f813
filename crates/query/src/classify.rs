//! The workload group of a new session, by the function that the resource governor has as its classifier.
//!
//! What always holds: a classifier that fails puts the session into the default group, it never refuses a session.

use std::sync::Arc;

use millpond_catalog::names_equal;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_storage::contract::DbId;
use millpond_tsql::print::bracketed;
use millpond_txn::DEFAULT_GROUP;
use millpond_types::{SqlType, Value};

use crate::session::Session;

/// Puts the new session into the group that the classifier names.
pub(crate) fn classify(session: &mut Session) {
    let engine = Arc::clone(&session.engine);
    let stored = engine.instance().settings().governor();
    let (Some((schema, name)), false) = (stored.classifier, stored.is_disabled) else { return };
    debug_assert!(session.facts.database == DbId::MASTER, "a session begins in master");
    let mut answer = OneValue::default();
    session.run_batch(&format!("SELECT {}.{}()", bracketed(&schema), bracketed(&name)), &mut answer);
    let Some(Value::Str(wanted)) = answer.0 else { return };
    let groups = engine.txns().governor().groups();
    // Groups below the default one are the server's own.
    if let Some(group) = groups.iter().find(|group| group.id >= DEFAULT_GROUP && names_equal(&group.name, &wanted)) {
        session.work.join_group(group);
    }
}

/// Keeps the first value of the first row.
#[derive(Default)]
struct OneValue(Option<Value>);

impl Sink for OneValue {
    fn columns(&mut self, _: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }
    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        self.0 = self.0.take().or_else(|| values.first().cloned());
        Ok(())
    }
    fn message(&mut self, _: &Message) {}
    fn done(&mut self, _: Done) {}
    fn env_change(&mut self, _: &EnvChange) {}
    fn return_status(&mut self, _: i32) {}
    fn return_value(&mut self, _: &str, _: SqlType, _: &Value) {}
}
