//! The statements of a session whose operators keep account, as other sessions find them: `sys.dm_exec_query_profiles`.
//!
//! ```text
//!   RunContext ──Profile, tables──▶ run        LiveStatement ──weak──▶ the same        who looks on: takes them for as long as it looks
//! ```
//! What always holds: nothing here keeps a profile, a plan or a table alive but for the time of a look, so a statement is gone from
//! here when its run drops its profile, however it ends; no lock is held while a statement runs or while its plan is read. A session has
//! as many as its statements are nested, the inmost last.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::account::kept_plan::{BoundWith, KeptPlan};
use crate::account::live::{LiveOperator, LiveRun};

/// A statement that other sessions may look at while it runs.
pub trait LiveStatement: Send + Sync {
    /// Whether it still runs.
    fn is_running(&self) -> bool;

    /// The statement as it is now; none when it has ended.
    fn look(&self) -> Option<LiveLook>;
}

/// A statement that runs, and its plan.
pub struct LiveLook {
    /// Its plan.
    pub plan: Arc<dyn KeptPlan>,
    /// What it was bound with.
    pub bound: BoundWith,
    /// The statement.
    pub run: LiveRun,
}

impl LiveLook {
    /// Its operators, the one that gives its rows first, as its plan numbers them; none before its plan is made.
    #[must_use]
    pub fn operators(&self) -> Option<Vec<LiveOperator>> {
        self.plan.operators(&self.run)
    }
}

/// Those of one session.
#[derive(Default)]
pub struct LiveStatements(Mutex<Vec<Arc<dyn LiveStatement>>>);

impl LiveStatements {
    /// One begins. Those that have ended are forgotten.
    pub fn begin(&self, statement: Arc<dyn LiveStatement>) {
        let mut all = self.0.lock();
        all.retain(|known| known.is_running());
        all.push(statement);
    }

    /// The inmost of those that run.
    #[must_use]
    pub fn look(&self) -> Option<LiveLook> {
        let last = self.0.lock().iter().rev().find(|known| known.is_running()).cloned()?;
        last.look()
    }
}
