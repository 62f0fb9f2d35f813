//! Names of databases as they were last seen, for what happens where storage must not be asked.
//!
//! What always holds: a name that is asked for deep within storage is one that was seen before, or empty.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_storage::instance::Instance;
use parking_lot::RwLock;

/// Names of databases as they were last seen.
#[derive(Debug, Default)]
pub struct DatabaseNames(RwLock<HashMap<DbId, Arc<str>>>);

impl DatabaseNames {
    /// Sees all of them anew.
    pub(crate) fn fill(&self, instance: &Instance) {
        let names = instance.database_reports();
        *self.0.write() = names.into_iter().map(|database| (database.id, Arc::from(database.name))).collect();
    }

    /// The name of a database; `is_deep`: one that was seen before, else as it is now.
    pub(crate) fn name(&self, instance: &Instance, id: DbId, is_deep: bool) -> Arc<str> {
        let known = self.0.read_recursive().get(&id).cloned();
        match known {
            Some(name) if is_deep => name,
            None if is_deep => Arc::from(""),
            known => {
                let reports = instance.database_reports();
                let now =
                    reports.into_iter().find(|database| database.id == id).map_or_else(String::new, |now| now.name);
                if known.as_deref() != Some(&now) {
                    self.0.write().insert(id, Arc::from(now.as_str()));
                }
                Arc::from(now)
            }
        }
    }
}
