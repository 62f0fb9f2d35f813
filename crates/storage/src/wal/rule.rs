//! Log before page, for all databases of an instance: the pool asks here before it writes a durable page.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{DbId, IoFailure, PageBytes, PageId};
use crate::header;
use crate::pool::LogRule;
use crate::wal::log::Log;

/// The logs of the instance's databases; given to [`crate::pool::Pool::set_log_rule`].
#[derive(Debug, Default)]
pub struct Logs {
    logs: RwLock<HashMap<DbId, Arc<Log>>>,
}

impl Logs {
    /// Pages of the database wait for this log from now on.
    pub fn add(&self, db: DbId, log: Arc<Log>) {
        self.logs.write().insert(db, log);
    }

    /// The database is closed; its pages must not be dirty any more.
    pub fn remove(&self, db: DbId) {
        self.logs.write().remove(&db);
    }
}

impl LogRule for Logs {
    fn make_log_durable(&self, id: PageId, page: &PageBytes) -> Result<(), IoFailure> {
        let Some(log) = self.logs.read().get(&id.db).cloned() else { return Ok(()) };
        let (task, object) = (Task::default(), IoCount::default());
        log.make_durable(&Ask::new(&task, &object), header::lsn(page))
            .map_err(|error| IoFailure::System { page: id, message: error.to_string() })
    }

    fn is_log_durable(&self, id: PageId, page: &PageBytes) -> bool {
        self.logs.read().get(&id.db).is_none_or(|log| log.is_durable(header::lsn(page)))
    }
}
