//! An instance in memory, and short ways to fill and read heaps.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::heap;
use millpond_access::{AccessError, Heap, Rid};
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;
use millpond_txn::{HeapKind, SessionWork, TxnError, TxnManager};

/// Memory so small that a few hundred pages of rows do not fit.
pub const TINY_POOL_BYTES: u64 = 1 << 20;

/// An instance with one session.
pub struct Rig {
    pub manager: Arc<TxnManager>,
    pub task: Arc<Task>,
    pub io: IoCount,
}

impl Rig {
    pub fn new(max_memory_bytes: Option<u64>) -> Rig {
        Rig::with_tempdb(max_memory_bytes, None)
    }

    /// One data file and a log that stop at so many pages.
    pub fn with_limits(data_pages: u32, log_pages: u32) -> Rig {
        let file = |name, log, size_pages| TempFileConfig {
            size_pages,
            max_pages: Some(size_pages),
            growth: GrowthConfig::Pages(0),
            ..TempFileConfig::new(name, log)
        };
        let files = vec![file("tempdev", false, data_pages), file("templog", true, log_pages)];
        Rig::with_tempdb(None, Some(TempdbConfig { files }))
    }

    fn with_tempdb(max_memory_bytes: Option<u64>, tempdb: Option<TempdbConfig>) -> Rig {
        let config =
            InstanceConfig { max_memory_bytes, tempdb, ..InstanceConfig::new(None, Arc::new(SystemClock::new())) };
        let instance = Instance::open(config).expect("in memory");
        let task = Arc::new(Task::new(SessionId(51)));
        Rig { manager: TxnManager::new(instance), task, io: IoCount::default() }
    }

    pub fn session(&self) -> SessionWork {
        self.manager.open_session(SessionId(51), Arc::clone(&self.task))
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }

    pub fn set_option(&self, name: &str, value: i64) {
        let instance = self.manager.instance();
        instance.settings().set_option(name, value).expect("a known option");
        instance.reconfigure(false).expect("in range");
    }

    /// Pages of tempdb that are allocated: of all extents, and of mixed ones.
    pub fn allocated(&self) -> (u64, u64) {
        let report = self.manager.instance().tempdb_space().report();
        (report.iter().map(|f| f.reserved.iter().sum::<u64>()).sum(), report.iter().map(|f| f.mixed).sum())
    }
}

/// One row in a statement of its own.
pub fn insert(work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>, row: &[u8]) -> Result<Rid, TxnError> {
    let mark = transaction::begin_statement(work);
    let rid = heap_rows::insert(work, ask, heap, row.len(), |to| to.copy_from_slice(row))?;
    transaction::end_statement(work, ask, mark)?;
    Ok(rid)
}

/// A heap in a statement of its own.
pub fn create(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind) -> Arc<Heap> {
    let mark = transaction::begin_statement(work);
    let heap = heaps::create_heap(work, ask, kind).expect("no undo log is needed");
    transaction::end_statement(work, ask, mark).expect("nothing to fail");
    heap
}

/// All rows, in order of their identifiers.
pub fn rows(ask: &Ask<'_>, heap: &Arc<Heap>) -> Result<Vec<(Rid, Vec<u8>)>, AccessError> {
    let mut rows = Vec::new();
    let mut scan = heap::scan::open(heap);
    while scan.next_page(ask, &mut |rid, bytes| {
        rows.push((rid, bytes.to_vec()));
        ControlFlow::Continue(())
    })? {}
    rows.sort();
    Ok(rows)
}

/// The bytes of all rows, sorted.
pub fn values(ask: &Ask<'_>, heap: &Arc<Heap>) -> Vec<Vec<u8>> {
    let mut values: Vec<_> = rows(ask, heap).expect("readable").into_iter().map(|(_, row)| row).collect();
    values.sort();
    values
}
