//! An execution of a statement that is counted: what there was when it began, and what it has cost when it ends.
//!
//! What always holds: one that ends well is counted by its statement, and one that a Query Store captures by that, however it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use millpond_storage::ask::Task;
use millpond_storage::contract::PAGE_BYTES;

use crate::account::bottleneck::Spent;
use crate::account::cpu::SessionCpu;
use crate::account::query_store::entries::ExecutionKind;
use crate::account::statement_stats::StatementStats;
use crate::account::work::WorkAccount;
use crate::capture::capturing::{BoundStatement, Capturing, Took};
use crate::context::RunContext;

/// An execution at least this long has its CPU time measured the next time: a shorter one hardly waits, and its elapsed
/// time is taken for it.
const CPU_MEASURED_FROM_US: u64 = 100;

/// An execution under way.
#[derive(Debug)]
pub struct Running {
    stats: Arc<StatementStats>,
    start_us: u64,
    cpu_us: Option<u64>,
    logical_reads: u64,
    logical_writes: u64,
    physical_reads: u64,
    waits_us: [u64; 3],
    /// What a Query Store is told of it.
    capture: Option<Box<Capturing>>,
}

/// The session that runs a statement: what it costs is counted there for all of its statements.
#[derive(Clone, Copy, Debug)]
pub struct Runs<'a> {
    /// Pages and waits.
    pub task: &'a Task,
    /// CPU time.
    pub cpu: &'a SessionCpu,
    /// Now, by the server's clock.
    pub clock_us: u64,
}

impl Running {
    /// Begins to count. `exactly`: the CPU time is measured however short the statement was the last time.
    #[inline]
    #[must_use]
    pub fn begin(stats: Arc<StatementStats>, by: Runs<'_>, exactly: bool) -> Running {
        // The first execution may be a long one.
        let is_long =
            stats.executions.load(Relaxed) == 0 || stats.elapsed_us.last.load(Relaxed) >= CPU_MEASURED_FROM_US;
        let io = &by.task.io;
        Running {
            stats,
            start_us: by.clock_us,
            cpu_us: (exactly || is_long).then(|| by.cpu.of_this_thread_us()),
            logical_reads: io.logical_reads.load(Relaxed),
            logical_writes: io.pages_dirtied.load(Relaxed),
            physical_reads: io.physical_reads.load(Relaxed),
            waits_us: waits_us(by.task),
            capture: None,
        }
    }

    /// A Query Store is on: that of the session's database, if it is one that captures, is told of the execution.
    #[cold]
    pub fn capture(&mut self, ctx: &RunContext, of: BoundStatement) {
        self.capture = Capturing::begin(ctx, of);
        // However short the statement was the last time: a wait is not CPU time.
        self.cpu_us.get_or_insert_with(|| ctx.session.cpu.of_this_thread_us());
    }

    /// The execution ended well, now: by the server's clock and by the time of day.
    pub fn end(self, by: Runs<'_>, work: Option<&WorkAccount>, rows: u64, now_us: i64) -> Spent {
        let spent = self.spent(by);
        let [tempdb_us, data_us, memory_us] = [spent.tempdb_us, spent.data_us, spent.memory_us];
        let (stats, io) = (&self.stats, &by.task.io);
        stats.last_us.store(now_us.saturating_sub_unsigned(spent.elapsed_us), Relaxed);
        let earlier = stats.executions.fetch_add(1, Relaxed);
        stats.elapsed_us.add(spent.elapsed_us);
        stats.worker_us.add(spent.cpu_us);
        stats.last_bottleneck.store(spent.bottleneck() as u8, Relaxed);
        stats.logical_reads.add(io.logical_reads.load(Relaxed).saturating_sub(self.logical_reads));
        stats.logical_writes.add(io.pages_dirtied.load(Relaxed).saturating_sub(self.logical_writes));
        stats.rows.add(rows);
        let physical_reads = io.physical_reads.load(Relaxed).saturating_sub(self.physical_reads);
        let [granted, used, ideal, threads, spilled] = work.filter(|work| work.is_used()).map_or([0; 5], |work| {
            let [granted, used, ideal, threads] =
                [&work.granted_bytes, &work.used_bytes, &work.ideal_bytes, &work.threads]
                    .map(|most| most.load(Relaxed));
            [granted, used, ideal, threads, work.spills.written_bytes()]
        });
        let rare = [
            tempdb_us,
            data_us,
            memory_us,
            physical_reads,
            granted / 1024,
            used / 1024,
            ideal / 1024,
            threads,
            threads.saturating_sub(1),
            spilled.div_ceil(PAGE_BYTES as u64),
        ];
        if stats.has_rare.load(Acquire) || rare.iter().any(|value| *value != 0) {
            stats.add_rare(rare, earlier);
        }
        if self.capture.is_some() {
            self.captured(by, work, (spent, rows), ExecutionKind::Regular);
        }
        spent
    }

    /// The execution ended, and not well: nothing but a Query Store hears of it.
    pub fn fail(self, by: Runs<'_>, work: Option<&WorkAccount>, is_aborted: bool) {
        if self.capture.is_some() {
            let spent = self.spent(by);
            let kind = if is_aborted { ExecutionKind::Aborted } else { ExecutionKind::Exception };
            self.captured(by, work, (spent, 0), kind);
        }
    }

    #[inline]
    fn spent(&self, by: Runs<'_>) -> Spent {
        let elapsed_us = by.clock_us.saturating_sub(self.start_us);
        let cpu_us = self.cpu_us.map_or(elapsed_us, |before| by.cpu.of_this_thread_us().saturating_sub(before));
        let waits_us = waits_us(by.task);
        let [tempdb_us, data_us, memory_us] = std::array::from_fn(|at| waits_us[at].saturating_sub(self.waits_us[at]));
        Spent { elapsed_us, cpu_us, tempdb_us, data_us, memory_us }
    }

    #[cold]
    fn captured(self, by: Runs<'_>, work: Option<&WorkAccount>, (spent, rows): (Spent, u64), kind: ExecutionKind) {
        let io = &by.task.io;
        let took = Took {
            spent,
            logical_reads: io.logical_reads.load(Relaxed).saturating_sub(self.logical_reads),
            physical_reads: io.physical_reads.load(Relaxed).saturating_sub(self.physical_reads),
            rows,
            work,
        };
        if let Some(capture) = self.capture {
            capture.end(&self.stats, by.task, &took, kind);
        }
    }
}

#[inline]
fn waits_us(task: &Task) -> [u64; 3] {
    let waits = &task.waits;
    [&waits.tempdb_us, &waits.data_us, &waits.memory_us].map(|time| time.load(Relaxed))
}
