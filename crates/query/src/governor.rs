//! The resource governor: workload groups as they are configured, made to hold; and the function that puts a session
//! into one.
//!
//! What always holds: what is configured holds from ALTER RESOURCE GOVERNOR RECONFIGURE on, and from the next start; a
//! classifier that fails puts the session into the default group, it never keeps anybody out.

use millpond_storage::contract::DbId;
use millpond_storage::options::OptionId;
use millpond_storage::settings::StoredGroup;
use millpond_txn::{DEFAULT_GROUP, pages_of_mb};
use millpond_types::{SqlType, Value};

use crate::catalog::names_equal;
use crate::engine::Engine;
use crate::session::Session;
use crate::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};

/// The groups as they are configured: the default one, and those of users.
#[must_use]
pub fn configured_groups(engine: &Engine) -> Vec<StoredGroup> {
    let mut groups = engine.instance().settings().governor().groups;
    if groups.iter().all(|group| group.id != DEFAULT_GROUP) {
        groups.insert(0, StoredGroup { id: DEFAULT_GROUP, name: "default".to_owned(), tempdb_data_max_mb: None });
    }
    groups.sort_by_key(|group| group.id);
    groups
}

impl Engine {
    /// Makes the configured groups hold.
    pub(crate) fn apply_governor(&self) {
        let (groups, governor) = (configured_groups(self), self.txns().governor());
        let is_disabled = self.instance().settings().governor().is_disabled;
        for running in governor.groups() {
            if running.id > DEFAULT_GROUP && groups.iter().all(|group| group.id != running.id) {
                governor.remove_group(running.id);
            }
        }
        for group in groups {
            let running = governor.add_group(Some(group.id), &group.name);
            let limit = group.tempdb_data_max_mb.filter(|_| !is_disabled).map(pages_of_mb);
            running.quota().set_limit_pages(limit);
        }
    }

    /// Makes the option 'tempdb session limit (MB)' hold.
    pub(crate) fn apply_session_limit(&self) {
        let limit_mb = self.instance().settings().running(OptionId::TempdbSessionLimitMb);
        self.txns().set_session_limit_pages((limit_mb > 0).then(|| pages_of_mb(limit_mb as f64)));
    }
}

impl Session {
    /// Puts the new session into the group that the classifier names.
    pub(crate) fn classify(&mut self) {
        let engine = std::sync::Arc::clone(&self.engine);
        let stored = engine.instance().settings().governor();
        let (Some((schema, name)), false) = (stored.classifier, stored.is_disabled) else { return };
        debug_assert!(self.facts.database == DbId::MASTER, "a session begins in master");
        let quote = |name: &str| name.replace(']', "]]");
        let mut answer = OneValue::default();
        self.run_batch(&format!("SELECT [{}].[{}]()", quote(&schema), quote(&name)), &mut answer);
        let Some(Value::Str(wanted)) = answer.0 else { return };
        let groups = engine.txns().governor().groups();
        // The server's own group is nobody else's.
        if let Some(group) = groups.iter().find(|group| group.id >= DEFAULT_GROUP && names_equal(&group.name, &wanted))
        {
            self.work.join_group(group);
        }
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
