//! Workspace memory: what sorts, hash joins and aggregates of all statements of an engine may hold together.
//!
//! W1: `used` never exceeds the limit through `try_grow`; `grow`, which the operators call when they cannot refuse, may
//! pass it and is given back like the rest. W2: nothing is ever written to files of the operating system.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use datafusion::common::resources_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};

use parking_lot::Mutex;

use super::failure;
use super::plan::Planner;
use crate::error::SqlResult;

/// Least memory that a statement can count on, whatever `max server memory` says: two sorts of small tables.
const LEAST_BYTES: usize = 16 << 20;

/// The memory for the operators of all statements of one engine.
pub struct Workspace {
    bound: Arc<Bound>,
    runtime: Arc<RuntimeEnv>,
    /// Planners by their batch size; made when the first plan is.
    planners: Mutex<Vec<Arc<Planner>>>,
}

impl Workspace {
    /// A workspace of at most `limit_bytes`; nothing is allocated before it is used.
    ///
    /// # Errors
    /// The runtime environment refuses its configuration.
    pub fn new(limit_bytes: usize) -> SqlResult<Arc<Workspace>> {
        let bound =
            Arc::new(Bound { used: AtomicUsize::new(0), limit: AtomicUsize::new(limit_bytes.max(LEAST_BYTES)) });
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::clone(&bound) as Arc<dyn MemoryPool>)
            .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled))
            .build_arc()
            .map_err(failure::to_sql)?;
        Ok(Arc::new(Workspace { bound, runtime, planners: Mutex::default() }))
    }

    /// Changes the limit; statements that hold more keep it until they end.
    pub fn set_limit_bytes(&self, limit_bytes: usize) {
        self.bound.limit.store(limit_bytes.max(LEAST_BYTES), Relaxed);
    }

    /// The limit.
    #[must_use]
    pub fn limit_bytes(&self) -> usize {
        self.bound.limit.load(Relaxed)
    }

    /// What all running statements hold now.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.bound.used.load(Relaxed)
    }

    /// The planner for batches of that many rows.
    pub(super) fn planner(&self, batch_rows: usize) -> Arc<Planner> {
        let mut planners = self.planners.lock();
        if let Some(known) = planners.iter().find(|planner| planner.batch_rows() == batch_rows) {
            return Arc::clone(known);
        }
        let planner = Arc::new(Planner::new(batch_rows, &self.runtime));
        planners.push(Arc::clone(&planner));
        planner
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workspace({} of {} bytes)", self.used_bytes(), self.limit_bytes())
    }
}

/// First come, first served, up to a limit that may change while it is used.
#[derive(Debug)]
struct Bound {
    used: AtomicUsize,
    limit: AtomicUsize,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "workspace({} of {} bytes)", self.used.load(Relaxed), self.limit.load(Relaxed))
    }
}

impl MemoryPool for Bound {
    fn name(&self) -> &str {
        "workspace"
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        self.used.fetch_add(additional, Relaxed);
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        self.used.fetch_sub(shrink, Relaxed);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let limit = self.limit.load(Relaxed);
        let grown = self.used.fetch_update(Relaxed, Relaxed, |used| {
            used.checked_add(additional).filter(|&used| used <= limit) // W1
        });
        match grown {
            Ok(_) => Ok(()),
            Err(used) => Err(resources_datafusion_err!(
                "{} needs {additional} bytes more, {used} of {limit} are in use",
                reservation.consumer().name()
            )),
        }
    }

    fn reserved(&self) -> usize {
        self.used.load(Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::execution::memory_pool::MemoryConsumer;

    use super::*;

    #[test]
    fn a_workspace_refuses_beyond_its_limit_and_takes_back_what_is_freed() {
        let workspace = Workspace::new(32 << 20).expect("valid configuration");
        let pool = &workspace.runtime.memory_pool;
        let first = MemoryConsumer::new("first").register(pool);
        let second = MemoryConsumer::new("second").register(pool);
        first.try_grow(20 << 20).expect("within the limit");
        let refusal = second.try_grow(20 << 20).expect_err("beyond the limit");
        assert_eq!(failure::to_sql(refusal).number, 701);
        drop(first);
        second.try_grow(20 << 20).expect("the first one's memory is free again");
        assert_eq!(workspace.used_bytes(), 20 << 20);
    }
}
