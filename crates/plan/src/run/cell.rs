//! What a plan reads of its present run: the run's context, and for an inner plan the outer row it runs for.
//!
//! A plan is made once and run many times, so nothing of a run may be in it (A1). Functions and scans inside the plan
//! hold a share of these cells and look when they are called, on whatever thread. The plan belongs to one session and its
//! runs never overlap; a second run at the same time is an error.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::run::failure;
use crate::run::insert::{InserterPartition, ParallelInserter};

/// The context of the present run of a plan and of all plans inside it.
#[derive(Default)]
pub(crate) struct RunCell {
    context: Mutex<Option<Arc<RunContext>>>,
    /// What functions of the plan learned in a run, to be forgotten at its end.
    learned: Mutex<Vec<Arc<dyn Forget>>>,
    /// Stores the records that the present run makes; none where they are handed on.
    inserter: Mutex<Option<Arc<dyn ParallelInserter>>>,
    /// The run is over, or its consumer wants no more rows: its threads shall end.
    stopping: AtomicBool,
    /// About how many rows operators give, by the names of their columns.
    expected: Mutex<HashMap<String, f64>>,
}

/// Something that holds only for one run.
pub(crate) trait Forget: Send + Sync {
    /// The run is over.
    fn forget(&self);
}

impl RunCell {
    /// Begins a run; it ends when the guard goes.
    pub(crate) fn enter(&self, context: Arc<RunContext>) -> SqlResult<Entered<'_>> {
        let mut present = self.context.lock();
        if present.is_some() {
            return Err(failure::internal("a plan was started while it runs"));
        }
        *present = Some(context);
        self.stopping.store(false, Relaxed);
        Ok(Entered { cell: self })
    }

    /// Notes about how many rows an operator gives whose columns, or keys, have these names.
    pub(crate) fn expect(&self, names: String, rows: Option<f64>) {
        if let Some(rows) = rows {
            self.expected.lock().insert(names, rows);
        }
    }

    /// What was noted of these names.
    pub(crate) fn expected(&self, names: &str) -> Option<f64> {
        self.expected.lock().get(names).copied()
    }

    /// Has `learned` forget at the end of each run.
    pub(crate) fn forget_after_run(&self, learned: Arc<dyn Forget>) {
        self.learned.lock().push(learned);
    }

    /// The threads of the present run store the records that they make.
    pub(crate) fn insert_with(&self, inserter: Arc<dyn ParallelInserter>) {
        *self.inserter.lock() = Some(inserter);
    }

    /// A part for a partition's records, if its threads store them.
    pub(crate) fn place_part(&self) -> Option<Box<dyn InserterPartition>> {
        self.inserter.lock().as_ref().map(|inserter| inserter.part())
    }

    /// The present run's context.
    pub(crate) fn context(&self) -> SqlResult<Arc<RunContext>> {
        self.context.lock().clone().ok_or_else(|| failure::internal("a plan was read while it does not run"))
    }

    /// Error when the asker wants the run to stop.
    pub(crate) fn check_cancelled(&self) -> SqlResult<()> {
        match &*self.context.lock() {
            Some(context) if context.task.is_cancelled() || self.is_stopping() => Err(message::cancelled()),
            _ => Ok(()),
        }
    }

    /// Asks the threads of the present run to end.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Relaxed);
    }

    /// Whether the threads of the run are to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }
}

/// A run in progress.
pub(crate) struct Entered<'a> {
    cell: &'a RunCell,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.cell.learned.lock().iter().for_each(|learned| learned.forget());
        *self.cell.inserter.lock() = None;
        *self.cell.context.lock() = None;
    }
}

/// The values of enclosing queries' rows that an inner plan reads, in the order in which the plan asked for them.
#[derive(Default)]
pub(crate) struct OuterRow {
    values: Mutex<Vec<Value>>,
}

impl OuterRow {
    /// Sets the row for the next run of the inner plan.
    pub(crate) fn set(&self, values: &[Value]) {
        let mut held = self.values.lock();
        held.clear();
        held.extend_from_slice(values);
    }

    /// One value.
    pub(crate) fn value(&self, index: usize) -> SqlResult<Value> {
        self.values.lock().get(index).cloned().ok_or_else(|| failure::internal("an inner query ran without outer row"))
    }

    /// Appends all values to `row`.
    pub(crate) fn append_to(&self, row: &mut Vec<Value>) {
        row.extend_from_slice(&self.values.lock());
    }
}

/// Rows after which a loop over rows asks whether the run was cancelled.
pub(crate) const ROWS_PER_CHECK: usize = 256;
