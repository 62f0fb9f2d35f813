//! The scans of a table's leaf that has several partitions: opened together, so that all of them read
//! one snapshot, and given to the partitions as these begin.
//!
//! S1: a scan that cannot be divided is the first partition's; the others have no rows.

use std::sync::Arc;

use millpond_access::HeapScan;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::run::cell::{Forget, RunCell};
use crate::run::failure;
use crate::scan::tree_rows::TreeRows;
use millpond_access::heap;
use millpond_seek::Access;

/// Where the rows of a partition come from.
pub(crate) enum Source {
    Heap(HeapScan),
    Trees(Box<TreeRows>),
    /// There are none.
    Nothing,
}

impl Source {
    /// The sources of `parts` partitions, which together have the table's rows; `row` has what is known of a row before.
    pub(crate) fn open(
        access: Option<&Access>,
        context: &RunContext,
        binding: usize,
        row: &[Value],
        parts: usize,
    ) -> SqlResult<Vec<Source>> {
        let table = context.tables.get(binding).ok_or_else(|| failure::internal("a table of the plan is not bound"))?;
        let mut sources: Vec<Source> = match access {
            None if parts < 2 => vec![Source::Heap(heap::scan::open(table.rows.heap()))],
            None => heap::scan::open_parts(table.rows.heap(), parts as u32).into_iter().map(Source::Heap).collect(),
            Some(access) => TreeRows::open(context, binding, access, row)?
                .divided(context, parts)?
                .into_iter()
                .map(|rows| Source::Trees(Box::new(rows)))
                .collect(),
        };
        sources.resize_with(parts, || Source::Nothing); // S1
        Ok(sources)
    }
}

/// The sources that partitions have not taken yet.
#[derive(Default)]
pub(crate) struct ScanDispatcher {
    sources: Mutex<Option<Vec<Option<Source>>>>,
}

impl ScanDispatcher {
    /// The source of a partition; the first one that begins opens all of them.
    pub(crate) fn take(&self, partition: usize, open: impl FnOnce() -> SqlResult<Vec<Source>>) -> SqlResult<Source> {
        let mut sources = self.sources.lock();
        if sources.is_none() {
            *sources = Some(open()?.into_iter().map(Some).collect());
        }
        let source = sources.as_mut().and_then(|sources| sources.get_mut(partition)).and_then(Option::take);
        source.ok_or_else(|| failure::internal("a partition was begun twice"))
    }
}

impl Forget for ScanDispatcher {
    fn forget(&self) {
        *self.sources.lock() = None;
    }
}

/// A dispatcher that is emptied after each run of the cell's plan.
pub(crate) fn dispatcher_of(cell: &RunCell) -> Arc<ScanDispatcher> {
    let dispatcher = Arc::new(ScanDispatcher::default());
    cell.forget_after_run(Arc::clone(&dispatcher) as Arc<dyn Forget>);
    dispatcher
}
