//! Log before page, for all databases of an instance: the pool asks here before it writes a durable page.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{DbId, IoFailure, PageBytes, PageId};
use crate::number_map::NumberMap;
use crate::page::header::{self, LogPos};
use crate::pool::{LogRule, LostPages};
use crate::wal::log::Log;
use crate::wal::page_redo;

/// The logs of the instance's databases; given to [`crate::pool::Pool::set_log_rule`].
#[derive(Debug, Default)]
pub struct Logs {
    logs: RwLock<NumberMap<DbId, Arc<Log>>>,
}

impl Logs {
    /// Pages of the database wait for this log from now on.
    pub fn add(&self, db: DbId, log: Arc<Log>) {
        let before = self.logs.write().insert(db, log);
        assert!(before.is_none(), "P4: pages of database {db} would wait for another log than their changes are in");
    }

    /// The open logs by database: of each the identity of its database, and where recovery would begin.
    pub(crate) fn marks(&self) -> Vec<(DbId, [u8; 16], LogPos)> {
        let logs = self.logs.read();
        let mark = |(db, log): (&DbId, &Arc<Log>)| (*db, log.core.guid, log.core.anchor.lock().redo.position());
        let mut marks: Vec<_> = logs.iter().map(mark).collect();
        marks.sort_unstable();
        marks
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

    fn redo_pages(&self, db: DbId, from: LogPos, pages: &mut LostPages) -> Result<(), IoFailure> {
        let page = PageId { db, ..PageId::from_bits(0) };
        let log = self.logs.read().get(&db).cloned().ok_or(IoFailure::NoFile { page })?;
        page_redo::redo_pages(&log, from, pages).map_err(|error| IoFailure::System { page, message: error.to_string() })
    }

    fn is_log_durable(&self, id: PageId, page: &PageBytes) -> bool {
        self.logs.read().get(&id.db).is_none_or(|log| log.is_durable(header::lsn(page)))
    }
}
