//! SET STATISTICS IO and TIME: what a statement cost, as messages.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::batch::BatchRun;
use crate::context::TableRows;
use crate::sink::Message;
use crate::statement_stats::Running;
use crate::temp::internal_name;

/// When a statement began, if anybody wants to know.
pub(super) struct Watch {
    start: Instant,
    cpu_us: u64,
}

/// How long a text took to parse: nothing when it was known.
pub(super) fn parse_time(elapsed: std::time::Duration) -> Message {
    let ms = elapsed.as_millis();
    Message {
        number: 3613,
        severity: 0,
        state: 1,
        line: 0,
        procedure: String::new(),
        text: format!("SQL Server parse and compile time: \n   CPU time = {ms} ms, elapsed time = {ms} ms."),
    }
}

impl BatchRun<'_> {
    /// Begins to watch a statement; `None` when nobody asked for statistics.
    pub(super) fn watch(&mut self) -> Option<Watch> {
        self.running = self.stats.as_ref().map(|stats| Running::begin(stats, &self.ctx.task.io));
        let settings = &self.ctx.facts.settings;
        if !settings.statistics_io && !settings.statistics_time {
            return None;
        }
        for table in self.ctx.tables.iter() {
            for io in [&table.io.rows, &table.io.large] {
                for counter in [&io.logical_reads, &io.physical_reads, &io.read_ahead_reads, &io.scans] {
                    counter.store(0, Relaxed);
                }
            }
        }
        Some(Watch { start: Instant::now(), cpu_us: crate::clock::thread_cpu_us() })
    }

    /// Tells what the statement cost.
    pub(super) fn tell_statistics(&mut self, watch: Option<Watch>) {
        let Some(watch) = watch else { return };
        if self.ctx.facts.settings.statistics_io {
            // Rows in memory are on no page.
            let on_pages = self.ctx.tables.iter().filter(|table| !table.def.in_memory);
            let lines: Vec<String> = on_pages.map(|table| {
                let name = match &table.rows {
                    TableRows::Heap(heap) => internal_name(&table.def.name, heap.object_id()),
                    TableRows::Trees(_) => table.def.name.clone(),
                };
                let (io, large) = (&table.io.rows, &table.io.large);
                format!(
                    "Table '{name}'. Scan count {}, logical reads {}, physical reads {}, page server reads 0, read-ahead reads {}, page server read-ahead reads 0, lob logical reads {}, lob physical reads {}, lob page server reads 0, lob read-ahead reads {}, lob page server read-ahead reads 0.",
                    io.scans.load(Relaxed),
                    io.logical_reads.load(Relaxed),
                    io.physical_reads.load(Relaxed),
                    io.read_ahead_reads.load(Relaxed),
                    large.logical_reads.load(Relaxed),
                    large.physical_reads.load(Relaxed),
                    large.read_ahead_reads.load(Relaxed),
                )
            }).collect();
            for line in lines {
                self.inform(3615, line);
            }
        }
        if self.ctx.facts.settings.statistics_time {
            let cpu_ms = crate::clock::thread_cpu_us().saturating_sub(watch.cpu_us) / 1000;
            let elapsed_ms = watch.start.elapsed().as_millis();
            self.inform(
                3612,
                format!("\n SQL Server Execution Times:\n   CPU time = {cpu_ms} ms,  elapsed time = {elapsed_ms} ms."),
            );
        }
    }
}
