//! What a running statement can see beside its rows: the instance, the session's facts, its variables, the time.
//! It is shared by reference-count so that plans can hold it while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_access::Heap;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_types::Value;
use millpond_types::temporal::DateTime2;

use crate::catalog::TableDef;
use crate::engine::Engine;
use crate::session::SessionFacts;

/// A table as bound for one run.
#[derive(Clone)]
pub struct TableBinding {
    /// Definition.
    pub def: Arc<TableDef>,
    /// Rows.
    pub heap: Arc<Heap>,
    /// Pages of this table in this statement, for SET STATISTICS IO.
    pub io: Arc<IoCount>,
}

/// The context of one run of one statement.
pub struct RunContext {
    /// The instance.
    pub engine: Arc<Engine>,
    /// The session's task: who asks.
    pub task: Arc<Task>,
    /// Facts of the session at the statement's start.
    pub facts: SessionFacts,
    /// Values of the batch's variables, by slot.
    pub variables: Vec<Value>,
    /// The statement's tables.
    pub tables: Vec<TableBinding>,
    /// Local time at the statement's start; 0 until asked for. See [`RunContext::now`].
    pub(crate) now_utc_us: AtomicU64,
    /// Pages that belong to no table.
    pub other_io: IoCount,
}

impl RunContext {
    /// The asker for pages of table `binding`.
    #[must_use]
    pub fn ask(&self, binding: usize) -> Ask<'_> {
        Ask::new(&self.task, &self.tables[binding].io)
    }

    /// The asker for pages of no table.
    #[must_use]
    pub fn ask_other(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.other_io)
    }

    /// Microseconds of UTC since 1970, fixed for the statement at its first use.
    #[must_use]
    pub fn now_utc_us(&self) -> u64 {
        let known = self.now_utc_us.load(Relaxed);
        if known != 0 {
            return known;
        }
        let now = self.engine.now_utc_us();
        self.now_utc_us.store(now, Relaxed);
        now
    }

    /// Local time, fixed for the statement.
    #[must_use]
    pub fn now_local(&self) -> DateTime2 {
        self.engine.to_local(self.now_utc_us())
    }

    /// UTC, fixed for the statement.
    #[must_use]
    pub fn now_utc(&self) -> DateTime2 {
        crate::engine::datetime2_of_unix_us(self.now_utc_us())
    }
}
