//! `sys.dm_os_performance_counters`.
//!
//! What always holds: names are padded to 128 characters, as SQL Server pads them; the value of a rate is a total since
//! the start, whose growth the reader measures. Only what is really counted is listed: a counter that is not there is not
//! measured, and a 0 means that it did not happen. Transactions of a database are those that changed it.
//!
//! ```text
//!   object_name                 counter_name        instance_name   cntr_value   cntr_type
//!   SQLServer:Databases         Log Flushes/sec     mydb                  4711   272696576
//!   SQLServer:Databases         Log Flushes/sec     _Total                5012   272696576
//! ```

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::batch_times::BOUNDS_MS;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::contract::{PAGE_BYTES, WriteReason};
use millpond_storage::file::file_header::FileKind;
use millpond_storage::instance::volume_io;
use millpond_storage::wait::WaitReport;

use crate::columns::{NChar, big, wide};
use crate::dynamic::statements::kept_texts;
use crate::row::{Rows, ViewRows, row, view};

const KB: u64 = 1024;
/// The one node of memory.
const NODE: &str = "000";
/// How waits are called together, each with the types that begin so.
const WAITS: [(&str, &[&str]); 9] = [
    ("Lock waits", &["LCK_M_"]),
    ("Log buffer waits", &["LOGBUFFER"]),
    ("Log write waits", &["WRITELOG"]),
    ("Memory grant queue waits", &["RESOURCE_SEMAPHORE"]),
    ("Network IO waits", &["ASYNC_NETWORK_IO"]),
    ("Non-Page latch waits", &["LATCH_"]),
    ("Page IO latch waits", &["PAGEIOLATCH_"]),
    ("Page latch waits", &["PAGELATCH_"]),
    ("Wait for the worker", &["THREADPOOL"]),
];
const LOGICAL_DISK: &str = "LogicalDisk";
const PAGE_KB: u64 = PAGE_BYTES as u64 / KB;

row! {
    /// A row of `sys.dm_os_performance_counters`.
    struct DmOsPerformanceCounters {
        object_name: NChar<128>,
        counter_name: NChar<128>,
        instance_name: NChar<128>,
        cntr_value: i64,
        cntr_type: i32,
    }
}

/// `sys.dm_os_performance_counters`
pub static DM_OS_PERFORMANCE_COUNTERS: ViewDef = view("sys", "dm_os_performance_counters", &ViewRows(counters));

/// `sysperfinfo`: the same under its name of SQL Server 2000.
pub static SYSPERFINFO: ViewDef = view("sys", "sysperfinfo", &ViewRows(counters));

/// `msdb.dbo.sysalerts_performance_counters_view`: what alerts may look at.
pub(crate) static OF_ALERTS: ViewDef = view("dbo", "sysalerts_performance_counters_view", &ViewRows(counters));

fn counters(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmOsPerformanceCounters>> {
    let mut counters = Counters { ctx, rows: Rows::new(), object: "" };
    counters.buffer_manager();
    counters.databases();
    counters.sessions();
    counters.waits();
    counters.memory();
    counters.statements();
    counters.transactions();
    counters.volumes();
    Ok(counters.rows)
}

/// What a value is: `PERF_COUNTER_…` of Windows by its number.
#[derive(Clone, Copy)]
enum Kind {
    /// A value as it is now.
    Now = 65_792,
    /// A total of which readers want the growth per second.
    PerSecond = 272_696_576,
    /// A part of the base that follows.
    Ratio = 537_003_264,
    /// A sum for an average over the base that follows.
    Average = 1_073_874_176,
    /// A base.
    Base = 1_073_939_712,
}

struct Counters<'c> {
    ctx: &'c RunContext,
    rows: Rows<DmOsPerformanceCounters>,
    /// The object of the counters that are written now, without its prefix.
    object: &'static str,
}

impl Counters<'_> {
    fn put(&mut self, name: &str, instance: &str, kind: Kind, value: u64) {
        let object = match self.object {
            // Windows' own, by its own name.
            LOGICAL_DISK => LOGICAL_DISK.to_owned(),
            object => format!("SQLServer:{object}"),
        };
        self.rows.push(DmOsPerformanceCounters {
            object_name: wide(&object),
            counter_name: wide(name),
            instance_name: wide(instance),
            cntr_value: big(value),
            cntr_type: kind as i32,
        });
    }

    fn now(&mut self, name: &str, value: u64) {
        self.put(name, "", Kind::Now, value);
    }

    fn per_second(&mut self, name: &str, value: u64) {
        self.put(name, "", Kind::PerSecond, value);
    }

    /// An average as the pair that readers divide.
    fn average(&mut self, name: &str, base: &str, instance: &str, sum: u64, count: u64) {
        self.put(name, instance, Kind::Average, sum);
        self.put(base, instance, Kind::Base, count);
    }

    /// The values of a counter by database, then their sum.
    fn by_database(&mut self, name: &str, kind: Kind, values: &[(String, u64)]) {
        for (database, value) in values {
            self.put(name, database, kind, *value);
        }
        self.put(name, "_Total", kind, values.iter().map(|(_, value)| value).sum());
    }

    fn buffer_manager(&mut self) {
        self.object = "Buffer Manager";
        let instance = self.ctx.engine.instance();
        let report = instance.report();
        let pool = report.pool;
        let misses = pool.reads.min(pool.lookups);
        self.put("Buffer cache hit ratio", "", Kind::Ratio, pool.lookups - misses);
        self.put("Buffer cache hit ratio base", "", Kind::Base, pool.lookups);
        let written = |reason| {
            let counts = report.files.iter().flat_map(|file| &file.writes);
            counts.filter(|count| count.reason == reason).map(|count| count.bytes).sum::<u64>() / PAGE_BYTES as u64
        };
        let by_checkpoint = written(WriteReason::Checkpoint);
        self.per_second("Page lookups/sec", pool.lookups);
        self.per_second("Page reads/sec", pool.reads + pool.read_ahead);
        self.per_second("Readahead pages/sec", pool.read_ahead);
        self.per_second("Page writes/sec", pool.writes);
        self.per_second("Lazy writes/sec", pool.lazy_writes);
        self.per_second("Checkpoint pages/sec", by_checkpoint);
        self.per_second("Free list stalls/sec", pool.free_list_stalls);
        self.now("Database pages", pool.database);
        self.now("Free pages", pool.free);
        self.now("Target pages", pool.target);
        self.now("Total pages", pool.total);
        self.now("Page life expectancy", pool.page_life_s);
        self.extension();
        self.object = "Buffer Node";
        self.put("Database pages", NODE, Kind::Now, pool.database);
        self.put("Page life expectancy", NODE, Kind::Now, pool.page_life_s);
    }

    fn extension(&mut self) {
        let extension = self.ctx.engine.instance().extension();
        let (slots, used) = (u64::from(extension.slots), u64::from(extension.used));
        self.now("Extension allocated pages", used);
        self.now("Extension free pages", slots - used);
        self.now("Extension in use as percentage", (used * 100).checked_div(slots).unwrap_or(0));
        self.now("Extension outstanding IO counter", extension.outstanding.into());
        self.per_second("Extension page evictions/sec", extension.evicted);
        self.per_second("Extension page reads/sec", extension.pages_read);
        self.now("Extension page unreferenced time", extension.unreferenced_s);
        self.per_second("Extension page writes/sec", extension.pages_written);
    }

    /// As Windows counts disks. The sum of `Avg. Disk sec/…` is in microseconds: the view has whole numbers only, and no
    /// frequency to divide by.
    fn volumes(&mut self) {
        self.object = LOGICAL_DISK;
        for volume in volume_io::volume_io(self.ctx.engine.instance()) {
            let name = &*volume.name;
            let (reads, writes) = (volume.reads, volume.writes);
            self.average("Avg. Disk Bytes/Read", "Avg. Disk Bytes/Read Base", name, volume.read_bytes, reads);
            self.average("Avg. Disk Bytes/Write", "Avg. Disk Bytes/Write Base", name, volume.write_bytes, writes);
            self.average("Avg. Disk sec/Read", "Avg. Disk sec/Read Base", name, volume.read_us, reads);
            self.average("Avg. Disk sec/Write", "Avg. Disk sec/Write Base", name, volume.write_us, writes);
            self.put("Current Disk Queue Length", name, Kind::Now, volume.queue_length);
        }
    }

    fn databases(&mut self) {
        self.object = "Databases";
        let engine = &self.ctx.engine;
        let (mut begun, mut committed, mut appended, mut flushes) = (vec![], vec![], vec![], vec![]);
        for database in engine.instance().all_databases() {
            let counts = engine.txns().transaction_counts(database.id());
            begun.push((database.name(), counts.begun));
            committed.push((database.name(), counts.commits));
            let log = database.log().ok().flatten().map(|log| log.report());
            appended.push((database.name(), log.as_ref().map_or(0, |log| log.appended_bytes)));
            flushes.push((database.name(), log.as_ref().map_or(0, |log| log.flushes)));
        }
        self.by_database("Transactions/sec", Kind::PerSecond, &begun);
        self.by_database("Write Transactions/sec", Kind::PerSecond, &committed);
        self.by_database("Log Bytes Flushed/sec", Kind::PerSecond, &appended);
        self.by_database("Log Flushes/sec", Kind::PerSecond, &flushes);
        self.sizes();
    }

    fn sizes(&mut self) {
        let instance = self.ctx.engine.instance();
        let data_kb = |db| {
            let files = instance.files(db);
            let data = files.iter().filter(|file| file.kind != FileKind::Log);
            data.map(|file| u64::from(file.size_pages) * PAGE_KB).sum::<u64>()
        };
        let data: Vec<_> =
            instance.database_reports().into_iter().map(|found| (found.name, data_kb(found.id))).collect();
        let logs = instance.log_usage();
        let of = |value: fn(&millpond_storage::instance::LogUsage) -> u64| -> Vec<_> {
            logs.iter().map(|log| (log.name.clone(), value(log) / KB)).collect()
        };
        let (size, used) = (of(|log| log.total_bytes), of(|log| log.used_bytes));
        self.by_database("Data File(s) Size (KB)", Kind::Now, &data);
        self.by_database("Log File(s) Size (KB)", Kind::Now, &size);
        self.by_database("Log File(s) Used Size (KB)", Kind::Now, &used);
        for log in logs.iter().filter(|log| log.total_bytes > 0) {
            self.put("Percent Log Used", &log.name, Kind::Now, 100 * log.used_bytes / log.total_bytes);
        }
    }

    fn sessions(&mut self) {
        self.object = "General Statistics";
        let engine = &self.ctx.engine;
        let sessions = engine.sessions();
        let temp_tables: usize = sessions.iter().map(|session| session.temp.read().table_count()).sum();
        let waiting = engine.txns().locks().waiting();
        let blocked: std::collections::BTreeSet<_> = waiting.iter().map(|wait| wait.session.0).collect();
        self.now("User Connections", sessions.len() as u64);
        self.now("Clear Text Logins", engine.counters.clear_text_logins.load(Relaxed));
        self.per_second("Logins/sec", engine.counters.logins.load(Relaxed));
        self.per_second("Logouts/sec", engine.counters.logouts.load(Relaxed));
        self.now("Active Temp Tables", temp_tables as u64);
        self.now("Processes blocked", blocked.len() as u64);
    }

    fn waits(&mut self) {
        let waits = self.ctx.engine.instance().waits().report();
        let sum = |of: fn(&str) -> bool, value: fn(&WaitReport) -> u64| -> u64 {
            waits.iter().filter(|wait| of(wait.wait_type.name())).map(value).sum()
        };
        let latch = |name: &str| name.starts_with("PAGELATCH_") || name.starts_with("LATCH_");
        let lock = |name: &str| name.starts_with("LCK_M_");
        let (count, time_ms) = (|wait: &WaitReport| wait.waits, |wait: &WaitReport| wait.wait_us / 1000);
        self.object = "Latches";
        let (latches, latch_ms) = (sum(latch, count), sum(latch, time_ms));
        self.per_second("Latch Waits/sec", latches);
        self.per_second("Total Latch Wait Time (ms)", latch_ms);
        self.average("Average Latch Wait Time (ms)", "Average Latch Wait Time Base", "", latch_ms, latches);
        self.object = "Locks";
        let counts = self.ctx.engine.txns().locks().counts();
        let lock_ms = sum(lock, time_ms);
        for (name, value) in [
            ("Lock Waits/sec", counts.waits),
            ("Lock Timeouts/sec", counts.timeouts),
            ("Number of Deadlocks/sec", counts.deadlocks),
            ("Lock Wait Time (ms)", lock_ms),
        ] {
            self.put(name, "_Total", Kind::PerSecond, value);
        }
        self.average("Average Wait Time (ms)", "Average Wait Time Base", "_Total", lock_ms, counts.waits);
        self.object = "Wait Statistics";
        for (name, types) in WAITS {
            let is_one = |wait: &&WaitReport| types.iter().any(|begin| wait.wait_type.name().starts_with(begin));
            let (waited_us, started) = waits
                .iter()
                .filter(is_one)
                .fold((0, 0), |(us, started), wait| (us + wait.wait_us, started + wait.waits));
            self.put(name, "Cumulative wait time (ms) per second", Kind::PerSecond, waited_us / 1000);
            self.put(name, "Waits started per second", Kind::PerSecond, started);
        }
        self.object = "Access Methods";
        self.per_second("Table Lock Escalations/sec", counts.escalations);
    }

    fn memory(&mut self) {
        self.object = "Memory Manager";
        let engine = &self.ctx.engine;
        let pool = engine.instance().pool().report();
        let (limit, used) = (engine.workspace().limit_bytes() as u64, engine.workspace().used_bytes() as u64);
        let values = engine.workspace().value_bytes() as u64;
        self.now("Target Server Memory (KB)", pool.target * PAGE_KB);
        self.now("Total Server Memory (KB)", pool.total * PAGE_KB + (used + values) / KB);
        self.now("Database Cache Memory (KB)", pool.database * PAGE_KB);
        self.now("Free Memory (KB)", pool.free * PAGE_KB);
        self.now("Maximum Workspace Memory (KB)", limit / KB);
        self.now("Granted Workspace Memory (KB)", used / KB);
        self.now("SQL Cache Memory (KB)", (engine.plan_memory().bytes() + engine.parsed().bytes()) as u64 / KB);
        let grants = engine.workspace().report();
        let (granted, waiting) = (grants.granted.len() as u64, grants.waiting.len() as u64);
        self.now("Memory Grants Outstanding", granted);
        self.now("Memory Grants Pending", waiting);
        self.object = "Resource Pool Stats";
        let granted_bytes: usize = grants.granted.iter().map(|entry| entry.report().granted_bytes).sum();
        let counters = [
            ("Active memory grant amount (KB)", granted_bytes as u64 / KB),
            ("Active memory grants count", granted),
            ("Max memory (KB)", limit / KB),
            ("Pending memory grants count", waiting),
            ("Target memory (KB)", limit / KB),
            ("Used memory (KB)", used / KB),
        ];
        for (name, value) in counters {
            // The server's own pool has no queries.
            self.put(name, "internal", Kind::Now, 0);
            self.put(name, "default", Kind::Now, value);
        }
        self.plan_cache();
    }

    /// Texts with their plans, as `sys.dm_exec_cached_plans` lists them, and trees of texts.
    fn plan_cache(&mut self) {
        self.object = "Plan Cache";
        let engine = &self.ctx.engine;
        let caches = [
            ("SQL Plans", engine.plan_memory().bytes() as u64, kept_texts(self.ctx).count() as u64),
            ("Bound Trees", engine.parsed().bytes() as u64, engine.parsed().kept().len() as u64),
        ];
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        for (name, bytes, count) in caches {
            self.put("Cache Object Counts", name, Kind::Now, count);
            self.put("Cache Pages", name, Kind::Now, pages(bytes));
        }
        let (bytes, count) = caches.iter().fold((0, 0), |sum, (_, bytes, count)| (sum.0 + bytes, sum.1 + count));
        self.put("Cache Object Counts", "_Total", Kind::Now, count);
        self.put("Cache Pages", "_Total", Kind::Now, pages(bytes));
    }

    fn statements(&mut self) {
        self.object = "SQL Statistics";
        let counters = &self.ctx.engine.counters;
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        self.per_second("Batch Requests/sec", read(&counters.batch_requests));
        self.per_second("SQL Compilations/sec", read(&counters.plans));
        self.per_second("SQL Attention rate", read(&counters.attentions));
        self.object = "Batch Resp Statistics";
        for (at, (count, total_us)) in counters.batch_times.report().into_iter().enumerate() {
            let from_ms = at.checked_sub(1).map_or(0, |before| BOUNDS_MS[before]);
            let name = match BOUNDS_MS.get(at) {
                Some(to_ms) => format!("Batches >={from_ms:06}ms & <{to_ms:06}ms"),
                None => format!("Batches >={from_ms:06}ms"),
            };
            self.put(&name, "Elapsed Time:Requests", Kind::Now, count);
            self.put(&name, "Elapsed Time:Total(ms)", Kind::Now, total_us / 1000);
        }
        self.object = "SQL Errors";
        self.put("Errors/sec", "_Total", Kind::PerSecond, read(&counters.errors));
    }

    fn transactions(&mut self) {
        self.object = "Transactions";
        let engine = &self.ctx.engine;
        let (open, snapshots) = (engine.txns().transactions(), engine.txns().snapshots());
        let now_us = engine.instance().waits().now_us();
        let oldest_us = open.iter().filter_map(|row| row.begun_us).min();
        let versions_kb = engine.txns().version_space().iter().map(|space| space.reserved_pages * PAGE_KB).sum();
        let tempdb = engine.instance().tempdb_space().report();
        let free_pages: u64 = tempdb.iter().map(|file| file.total - file.allocated).sum();
        self.now("Transactions", open.len() as u64);
        self.now("Snapshot Transactions", snapshots.len() as u64);
        let running_s = oldest_us.map_or(0, |begun_us| now_us.saturating_sub(begun_us) / 1_000_000);
        self.now("Longest Transaction Running Time", running_s);
        self.now("Version Store Size (KB)", versions_kb);
        self.now("Free Space in tempdb (KB)", free_pages * PAGE_KB);
    }
}
