//! SET STATISTICS IO and TIME: what a statement cost, as messages.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::account::work::WorkAccount;
use millpond_engine::capture::capturing::BoundStatement;
use millpond_engine::capture::execution::{Running, Runs};
use millpond_engine::rows::TableRows;
use millpond_engine::temp::internal_name;
use millpond_message::sink::Message;
use millpond_storage::ask::IoCount;

use crate::exec::batch::BatchRun;
use crate::exec::batch::account::profile;

/// When a statement began, if that is asked for.
pub(in crate::exec) struct Watch {
    start_us: u64,
    cpu_us: u64,
}

/// How long a text took to parse: nothing when it was known.
pub(in crate::exec) fn parse_time(elapsed: std::time::Duration) -> Message {
    let ms = elapsed.as_millis();
    Message::of(3613, &[&ms, &ms])
}

/// Begins to watch a statement; `None` when no statistics are asked for.
pub(in crate::exec) fn watch(run: &mut BatchRun<'_>) -> Option<Watch> {
    if run.ctx.work.is_used() {
        run.ctx_mut().work = Arc::default();
    }
    let is_profiled = profile::begin_profile(run);
    let ended_us = run.ended_us.take();
    let mut begun_us = None;
    run.running = run.stats.take().map(|stats| {
        let clock_us = ended_us.unwrap_or_else(|| run.ctx.engine.clock_us());
        begun_us = Some(clock_us);
        Running::begin(stats, runs_at(run, clock_us), is_profiled)
    });
    if let Some(begun_us) = begun_us {
        run.ctx_mut().begun_us = begun_us;
        if run.ctx.engine.databases().query_stores().any_on() {
            begin_capture(run);
        }
    }
    let settings = &run.ctx.facts.settings;
    if !settings.statistics_io && !settings.statistics_time {
        return None;
    }
    for table in run.ctx.tables.iter() {
        for io in [&table.io.rows, &table.io.large] {
            for counter in [&io.logical_reads, &io.physical_reads, &io.read_ahead_reads, &io.scans] {
                counter.store(0, Relaxed);
            }
        }
    }
    Some(Watch { start_us: run.ctx.engine.clock_us(), cpu_us: run.ctx.session.cpu.of_this_thread_us() })
}

/// A Query Store may want to know of the statement that was bound last.
#[cold]
fn begin_capture(run: &mut BatchRun<'_>) {
    let bound = run.bound_key.and_then(|key| run.plans.statements.get(key)).cloned();
    if let (Some(running), Some(plan)) = (&mut run.running, bound) {
        let (variables, object) = (Arc::clone(&run.variables), run.frame.object);
        running.capture(&run.ctx, BoundStatement { plan, variables, object });
    }
}

/// Who runs the statement, now.
pub(in crate::exec) fn runs<'r>(run: &'r BatchRun<'_>) -> Runs<'r> {
    runs_at(run, run.ctx.engine.clock_us())
}

fn runs_at<'r>(run: &'r BatchRun<'_>, clock_us: u64) -> Runs<'r> {
    Runs { task: &run.ctx.task, cpu: &run.ctx.session.cpu, clock_us }
}

/// Sends what the statement cost.
#[inline]
pub(in crate::exec) fn send_statistics(run: &mut BatchRun<'_>, watch: Option<Watch>) {
    if let Some(watch) = watch {
        send_watched(run, &watch);
    }
}

fn send_watched(run: &mut BatchRun<'_>, watch: &Watch) {
    if run.ctx.facts.settings.statistics_io {
        // Rows in memory are on no page.
        let on_pages = run.ctx.tables.iter().filter(|table| !table.def.in_memory);
        let of_tables = on_pages.map(|table| {
            let name = match &table.rows {
                TableRows::Heap(heap) => internal_name(&table.def.name, heap.object_id()),
                TableRows::Trees(_) => table.def.name.clone(),
            };
            io_line(&name, &table.io.rows, &table.io.large)
        });
        let lines: Vec<Message> = work_lines(&run.ctx.work).into_iter().chain(of_tables).collect();
        for line in lines {
            run.sink.message(&line);
        }
    }
    if run.ctx.facts.settings.statistics_time {
        let cpu_ms = run.ctx.session.cpu.of_this_thread_us().saturating_sub(watch.cpu_us) / 1000;
        let elapsed_ms = run.ctx.engine.clock_us().saturating_sub(watch.start_us) / 1000;
        run.inform(3612, &[&cpu_ms, &elapsed_ms]);
    }
}

fn io_line(name: &str, io: &IoCount, large: &IoCount) -> Message {
    Message::of(
        3615,
        &[
            &name,
            &io.scans.load(Relaxed),
            &io.logical_reads.load(Relaxed),
            &io.physical_reads.load(Relaxed),
            &io.read_ahead_reads.load(Relaxed),
            &large.logical_reads.load(Relaxed),
            &large.physical_reads.load(Relaxed),
            &large.read_ahead_reads.load(Relaxed),
        ],
    )
}

/// What sorts and hashes did: a line as of a table, and one more for what was spilled.
fn work_lines(work: &WorkAccount) -> Vec<Message> {
    let uses =
        [("Workfile", &work.has_hashed, &work.spills.hashes), ("Worktable", &work.has_sorted, &work.spills.sorts)];
    let mut lines = Vec::new();
    for (name, is_used, count) in uses {
        let runs = count.runs.load(Relaxed);
        if !is_used.load(Relaxed) && runs == 0 {
            continue;
        }
        lines.push(io_line(name, &count.io, &IoCount::default()));
        if runs > 0 {
            let kilobytes = |bytes: &AtomicU64| bytes.load(Relaxed).div_ceil(1024);
            let (written, read) = (kilobytes(&count.written_bytes), kilobytes(&count.read_bytes));
            lines
                .push(Message::plain(format!("Spill of '{name}': {runs} runs, {written} KB written, {read} KB read.")));
        }
    }
    lines
}
