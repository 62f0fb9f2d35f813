//! What the server does, as the figures of `millpond_history`: totals since the start, and levels now.
//!
//! What always holds: it reads counters that are kept anyway. Nothing is asked that grows with sessions or pages; files,
//! databases, and statements that are known are gone over. No lock is held that a statement over rows takes.
//!
//! ```text
//!   sys.dm_millpond_activity ──▶ figures ◀── tick, once a second ──▶ Collector of millpond_history
//!                                              └ statements, waits, files: what each has counted
//! ```

use std::array;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::host;
use millpond_history::category::{Category, category};
use millpond_history::collector::{Collector, Due, FileIs, StatementIs};
use millpond_history::figure::{Figure, Figures};
use millpond_storage::contract::{DbId, PAGE_BYTES, WriteReason};
use millpond_storage::instance::file_report::FileReport;
use millpond_storage::pool;
use millpond_storage::wait::{WaitReport, WaitType};

use crate::account::statement_stats::StatementStats;
use crate::engine::Engine;

/// A statement's text is cut on its way to a sample where it is longer than anything that is kept of it.
const TEXT_BYTES_MAX: usize = millpond_history::sample::TEXT_BYTES_MAX;

/// The category of each type of waits, by its number.
static CATEGORIES: LazyLock<[Category; WaitType::COUNT]> =
    LazyLock::new(|| array::from_fn(|number| category(WaitType::ALL[number].name())));

/// The figures of the engine, now.
#[must_use]
pub fn figures(engine: &Engine) -> Figures {
    figures_of(engine, &files(engine), &engine.instance().waits().report())
}

/// Files of all databases, each with its database's name.
fn files(engine: &Engine) -> Vec<(Arc<str>, FileReport)> {
    let instance = engine.instance();
    let databases = instance.all_databases();
    let of = databases.iter().flat_map(|database| {
        let name: Arc<str> = database.name().into();
        instance.files(database.id()).into_iter().map(move |file| (Arc::clone(&name), file))
    });
    of.collect()
}

fn figures_of(engine: &Engine, files: &[(Arc<str>, FileReport)], waits: &[WaitReport]) -> Figures {
    let mut figures = Figures::default();
    requests(engine, &mut figures);
    pages(engine, &mut figures);
    traffic(files, &mut figures);
    logs(engine, &mut figures);
    waited(waits, &mut figures);
    tempdb(engine, &mut figures);
    memory(engine, &mut figures);
    figures
}

fn requests(engine: &Engine, figures: &mut Figures) {
    let counters = &engine.counters;
    let [ended, begun] = [&counters.requests_ended, &counters.batch_requests].map(|count| count.load(Relaxed));
    let [logouts, logins] = [&counters.logouts, &counters.logins].map(|count| count.load(Relaxed));
    let locks = engine.txns().locks().counts();
    let grants = engine.workspace().report();
    for (figure, value) in [
        (Figure::batches, begun),
        (Figure::requests_ended, ended),
        (Figure::requests, begun.saturating_sub(ended)),
        (Figure::logins, logins),
        (Figure::sessions, logins.saturating_sub(logouts)),
        (Figure::compilations, counters.plans.load(Relaxed)),
        (Figure::errors, counters.errors.load(Relaxed)),
        (Figure::attentions, counters.attentions.load(Relaxed)),
        (Figure::deadlocks, locks.deadlocks),
        (Figure::lock_timeouts, locks.timeouts),
        (Figure::lock_escalations, locks.escalations),
        (Figure::grants_held, grants.granted.len() as u64),
        (Figure::grants_waiting, grants.waiting.len() as u64),
    ] {
        figures.set(figure, value);
    }
}

fn pages(engine: &Engine, figures: &mut Figures) {
    let pool = pool::counters(engine.instance().pool());
    let extension = engine.instance().extension();
    for (figure, value) in [
        (Figure::logical_reads, pool.lookups),
        (Figure::physical_reads, pool.reads),
        (Figure::read_ahead_reads, pool.read_ahead),
        (Figure::page_writes, pool.writes),
        (Figure::lazy_writes, pool.lazy_writes),
        (Figure::discarded_dirty_pages, pool.discarded_dirty),
        (Figure::evictions, pool.evictions),
        (Figure::free_list_stalls, pool.free_list_stalls),
        (Figure::page_life_s, pool.page_life_s),
        (Figure::memory_pool_bytes, pool.total * PAGE_BYTES as u64),
        (Figure::extension_hits, extension.pages_read),
        (Figure::extension_writes, extension.pages_written),
        (Figure::extension_evictions, extension.evicted),
        (Figure::extension_pages, extension.used.into()),
    ] {
        figures.set(figure, value);
    }
}

/// The figure of what is written for a reason.
fn written(reason: WriteReason) -> Figure {
    match reason {
        WriteReason::Lazy => Figure::written_lazy_bytes,
        WriteReason::Eager => Figure::written_eager_bytes,
        WriteReason::Checkpoint => Figure::written_checkpoint_bytes,
        WriteReason::Growth => Figure::written_growth_bytes,
        WriteReason::Overflow => Figure::written_overflow_bytes,
        WriteReason::Log => Figure::written_log_bytes,
        WriteReason::Spill => Figure::written_spill_bytes,
        WriteReason::Extension => Figure::written_extension_bytes,
        WriteReason::Recovery => Figure::written_recovery_bytes,
        WriteReason::Header => Figure::written_header_bytes,
        WriteReason::Move => Figure::written_move_bytes,
        WriteReason::Snapshot => Figure::written_snapshot_bytes,
    }
}

fn traffic(files: &[(Arc<str>, FileReport)], figures: &mut Figures) {
    const FIGURES: [Figure; 6] = [
        Figure::file_reads,
        Figure::file_read_bytes,
        Figure::file_read_stall_us,
        Figure::file_writes,
        Figure::file_write_bytes,
        Figure::file_write_stall_us,
    ];
    for (_, file) in files {
        FIGURES.into_iter().zip(counters_of(file)).for_each(|(figure, value)| figures.add(figure, value));
        for count in &file.writes {
            figures.add(written(count.reason), count.bytes);
        }
    }
}

fn counters_of(file: &FileReport) -> [u64; 6] {
    let io = &file.io;
    [io.reads, io.read_bytes, io.read_stall_us, io.writes, io.write_bytes, io.write_stall_us]
}

fn logs(engine: &Engine, figures: &mut Figures) {
    for database in engine.instance().all_databases() {
        let counts = engine.txns().transaction_counts(database.id());
        figures.add(Figure::transactions, counts.begun);
        figures.add(Figure::commits, counts.commits);
        if let Ok(Some(log)) = database.log() {
            let report = log.report();
            figures.add(Figure::log_flushes, report.flushes);
            figures.add(Figure::log_bytes, report.appended_bytes);
        }
    }
}

/// The figure of what is waited for; none of what idle threads wait for.
fn waited_for(category: Category) -> Option<Figure> {
    match category {
        Category::Processor => Some(Figure::wait_processor_us),
        Category::Lock => Some(Figure::wait_lock_us),
        Category::Latch | Category::TempdbAllocation => Some(Figure::wait_latch_us),
        Category::PageIo => Some(Figure::wait_page_io_us),
        Category::OtherIo => Some(Figure::wait_other_io_us),
        Category::Log => Some(Figure::wait_log_us),
        Category::MemoryGrant => Some(Figure::wait_memory_grant_us),
        Category::Worker => Some(Figure::wait_worker_us),
        Category::Parallelism => Some(Figure::wait_parallelism_us),
        Category::Network => Some(Figure::wait_network_us),
        Category::Other => Some(Figure::wait_other_us),
        Category::Idle => None,
    }
}

fn waited(waits: &[WaitReport], figures: &mut Figures) {
    for wait in waits {
        if let Some(figure) = waited_for(CATEGORIES[wait.wait_type as usize]) {
            // What comes after the signal is a wait for a processor.
            figures.add(figure, wait.wait_us.saturating_sub(wait.signal_us));
            figures.add(Figure::wait_processor_us, wait.signal_us.min(wait.wait_us));
        }
        if wait.wait_type == WaitType::WRITELOG {
            figures.set(Figure::log_flush_wait_us, wait.wait_us);
        }
    }
}

fn tempdb(engine: &Engine, figures: &mut Figures) {
    for file in engine.instance().tempdb_space().report() {
        let [user, internal, version] = file.reserved;
        for (figure, pages) in [
            (Figure::tempdb_user_pages, user),
            (Figure::tempdb_internal_pages, internal),
            (Figure::tempdb_version_pages, version),
            (Figure::tempdb_mixed_pages, file.mixed),
            (Figure::tempdb_free_pages, file.total.saturating_sub(file.allocated)),
        ] {
            figures.add(figure, pages);
        }
    }
}

fn memory(engine: &Engine, figures: &mut Figures) {
    let (workspace, process) = (engine.workspace(), host::process_use());
    for (figure, value) in [
        (Figure::cpu_user_ms, process.user_ms),
        (Figure::cpu_kernel_ms, process.kernel_ms),
        (Figure::memory_grants_bytes, workspace.used_bytes() as u64),
        (Figure::memory_values_bytes, workspace.value_bytes() as u64),
        (Figure::memory_plans_bytes, engine.plan_memory().bytes() as u64),
        (Figure::memory_texts_bytes, engine.parsed().bytes() as u64),
        (Figure::memory_variables_bytes, engine.memory_tables().used_bytes()),
        (Figure::memory_resident_bytes, process.resident_bytes),
    ] {
        figures.set(figure, value);
    }
}

/// Counts all that samples have at one point in time, and gives those that are due. `is_last`: the server closes.
#[must_use]
pub fn tick(engine: &Engine, collector: &mut Collector, (utc_us, uptime_us): (i64, u64), is_last: bool) -> Vec<Due> {
    let (files, waits) = (files(engine), engine.instance().waits().report());
    let mut tick = collector.tick(utc_us, uptime_us, figures_of(engine, &files, &waits));
    for wait in &waits {
        tick.wait(wait.wait_type.name(), [wait.waits, wait.wait_us, wait.signal_us]);
    }
    for (database, file) in &files {
        let key = u64::from(file.db.0) << 32 | u64::from(file.file.0);
        let size_bytes = u64::from(file.size_pages) * PAGE_BYTES as u64;
        tick.file(key, size_bytes, counters_of(file), || FileIs {
            database: Arc::clone(database),
            name: file.name.as_str().into(),
            path: file.physical_name.as_str().into(),
        });
    }
    for stats in engine.statements().all() {
        if stats.is_of_module() {
            continue;
        }
        let place = (stats.text_id, stats.start);
        tick.statement(place, statement_counters(&stats), || statement_is(engine, &stats));
    }
    tick.end(is_last)
}

fn statement_counters(stats: &StatementStats) -> [u64; 8] {
    [
        stats.executions.load(Relaxed),
        stats.worker_us.total.load(Relaxed),
        stats.elapsed_us.total.load(Relaxed),
        stats.logical_reads.total.load(Relaxed),
        stats.physical_reads.total.load(Relaxed),
        stats.logical_writes.total.load(Relaxed),
        stats.rows.total.load(Relaxed),
        stats.spilled_pages.total.load(Relaxed),
    ]
}

fn statement_is(engine: &Engine, stats: &StatementStats) -> StatementIs {
    let text = stats.shown_text();
    StatementIs {
        text: text[..text.floor_char_boundary(TEXT_BYTES_MAX)].into(),
        query_hash: stats.query_hash(),
        database: database_name(engine, stats.database),
        object_id: stats.object,
    }
}

fn database_name(engine: &Engine, database: u16) -> Arc<str> {
    engine.instance().database(DbId(database)).map_or_else(|| "".into(), |database| database.name().into())
}
