//! Metrics for Prometheus: totals of a server as families of samples.
//!
//! What always holds: names and units are by Prometheus' conventions (base units, `_total` for what only grows), every family
//! stands in [`FAMILIES`] with its help, and has its samples together; labels are files, databases, wait types, memory clerks and
//! reasons, never sessions, logins or statements; beyond [`DATABASES_MAX`] databases the rest is one. What the server does not
//! know has no sample. Times of batches are a histogram, by the ranges that SQL Server counts them in, and so are times of requests of
//! volumes; of other times there are counts and sums, whose quotient is the average.

mod text;

use std::collections::BTreeMap;

use millpond_top::collect::Totals;
use millpond_top::sample::{FileIo, Sample};
use millpond_top::waits::{self, Category};

use text::{Buckets, Writer};

/// What the text is sent as.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Databases with names of their own, by their numbers.
pub const DATABASES_MAX: usize = 200;
/// All others.
const OTHERS: &str = "(others)";

/// What a family is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, until the server starts anew.
    Counter,
    /// It is what it is now.
    Gauge,
    /// Counters by how large what was counted is.
    Histogram,
}

/// A family of samples.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// In words.
    pub help: &'static str,
    /// Its labels.
    pub labels: &'static [&'static str],
}

macro_rules! families {
    ($($id:ident $kind:ident $name:literal [$($label:literal)*] $help:literal,)*) => {
        $(const $id: Family = Family { name: $name, kind: Kind::$kind, help: $help, labels: &[$($label),*] };)*
        /// All families, in the order of the text.
        pub const FAMILIES: &[Family] = &[$($id),*];
    };
}

families! {
    BUILD_INFO Gauge "millpond_build_info" ["version" "edition"] "1; its labels say which program it is.",
    UP_TIME Gauge "millpond_uptime_seconds" [] "Time since the server started.",
    CPUS Gauge "millpond_cpus" [] "Logical processors.",
    CPU Counter "millpond_cpu_seconds_total" ["mode"] "CPU time of the process.",
    COMMITTED Gauge "millpond_memory_committed_bytes" [] "Memory that the server has.",
    TARGET Gauge "millpond_memory_target_bytes" [] "Memory that the server may have.",
    CLERK Gauge "millpond_memory_clerk_bytes" ["clerk"] "Memory by what it is for.",
    BATCHES Counter "millpond_batches_total" [] "Batches and calls of clients.",
    COMPILATIONS Counter "millpond_compilations_total" [] "Statements that were compiled.",
    BATCH_SECONDS Histogram "millpond_batch_seconds" [] "Time that batches and calls of clients took.",
    DEADLOCKS Counter "millpond_deadlocks_total" [] "Deadlocks.",
    TRANSACTIONS Counter "millpond_transactions_total" ["database"] "Transactions that began.",
    SESSIONS Gauge "millpond_sessions" [] "Sessions of users.",
    REQUESTS Gauge "millpond_requests" [] "Requests of users that run or wait.",
    BLOCKED Gauge "millpond_requests_blocked" [] "Requests that another session blocks.",
    PAGE_SESSIONS Gauge "millpond_page_sessions" [] "Browsers that are logged in.",
    GRANTS_PENDING Gauge "millpond_memory_grants_pending" [] "Requests that wait for memory to sort or hash.",
    GRANTS Gauge "millpond_memory_grants" [] "Requests that have memory to sort or hash.",
    GRANTED Gauge "millpond_memory_granted_bytes" [] "Memory that these have.",
    LIFE Gauge "millpond_page_life_expectancy_seconds" [] "How long a page stays in memory without being used.",
    PAGE_READS Counter "millpond_pool_page_reads_total" [] "Pages that were read into memory.",
    PAGE_WRITES Counter "millpond_pool_page_writes_total" [] "Pages that were written from memory.",
    WAITS Counter "millpond_waits_total" ["wait_type" "category"] "Waits that ended; types of idle threads are left out.",
    WAIT_SECONDS Counter "millpond_wait_seconds_total" ["wait_type" "category"] "Time of them, with signal time.",
    SIGNAL_SECONDS Counter "millpond_wait_signal_seconds_total" ["wait_type" "category"] "Time for a processor after the wait.",
    FILE_SIZE Gauge "millpond_file_size_bytes" ["database" "file" "kind"] "Size of a file.",
    FILE_READS Counter "millpond_file_reads_total" ["database" "file" "kind"] "Reads.",
    FILE_READ_BYTES Counter "millpond_file_read_bytes_total" ["database" "file" "kind"] "Bytes that were read.",
    FILE_READ_SECONDS Counter "millpond_file_read_seconds_total" ["database" "file" "kind"] "Time that was waited for reads.",
    FILE_WRITES Counter "millpond_file_writes_total" ["database" "file" "kind"] "Writes.",
    FILE_WRITTEN_BYTES Counter "millpond_file_written_bytes_total" ["database" "file" "kind"] "Bytes that were written.",
    FILE_WRITE_SECONDS Counter "millpond_file_write_seconds_total" ["database" "file" "kind"] "Time that was waited for writes.",
    REASON_WRITES Counter "millpond_reason_writes_total" ["database" "file" "reason"] "Writes by what caused them.",
    REASON_BYTES Counter "millpond_reason_written_bytes_total" ["database" "file" "reason"] "Bytes of them.",
    VOLUME_READS Counter "millpond_volume_reads_total" ["volume" "model"] "Reads of a volume or an emulated device.",
    VOLUME_READ_BYTES Counter "millpond_volume_read_bytes_total" ["volume" "model"] "Bytes of them.",
    VOLUME_READ_SECONDS Counter "millpond_volume_read_seconds_total" ["volume" "model"] "Time of them.",
    VOLUME_WRITES Counter "millpond_volume_writes_total" ["volume" "model"] "Writes of a volume or an emulated device.",
    VOLUME_WRITTEN_BYTES Counter "millpond_volume_written_bytes_total" ["volume" "model"] "Bytes of them.",
    VOLUME_WRITE_SECONDS Counter "millpond_volume_write_seconds_total" ["volume" "model"] "Time of them.",
    VOLUME_FLUSHES Counter "millpond_volume_flushes_total" ["volume" "model"] "Times that it made writes durable.",
    VOLUME_FLUSH_SECONDS Counter "millpond_volume_flush_seconds_total" ["volume" "model"] "Time of these.",
    VOLUME_READ_LATENCY Histogram "millpond_volume_read_latency_seconds" ["volume" "model"] "Time that each read of a volume took.",
    VOLUME_WRITE_LATENCY Histogram "millpond_volume_write_latency_seconds" ["volume" "model"] "Time that each write of a volume took.",
    VOLUME_FLUSH_LATENCY Histogram "millpond_volume_flush_latency_seconds" ["volume" "model"] "Time that each flush of a volume took.",
    VOLUME_QUEUE Gauge "millpond_volume_queue_requests" ["volume" "model"] "Requests that it has to do.",
    TEMPDB Gauge "millpond_tempdb_bytes" ["use"] "tempdb's data files by what they are used for.",
    DATABASE_READY Gauge "millpond_database_ready" ["database"] "1 where a database is online, else 0.",
    LOG_SIZE Gauge "millpond_log_size_bytes" ["database"] "Size of a log.",
    LOG_USED Gauge "millpond_log_used_bytes" ["database"] "What is in use of it.",
    LOG_BYTES Counter "millpond_log_flushed_bytes_total" ["database"] "Bytes of log that were made durable.",
    LOG_FLUSHES Counter "millpond_log_flushes_total" ["database"] "How often.",
    SCRAPE Gauge "millpond_scrape_seconds" [] "Time that the server took for these figures.",
}

/// The text of all that a server said.
pub fn text(totals: &Totals, version: &str, page_sessions: usize) -> String {
    let mut out = Writer::default();
    let sample = &totals.sample;
    process(&mut out, sample, version);
    load(&mut out, totals, page_sessions);
    waits(&mut out, sample);
    files(&mut out, sample);
    volumes(&mut out, totals);
    tempdb(&mut out, sample);
    databases(&mut out, sample);
    out.one(&SCRAPE, &[], seconds_of_ms(sample.collected_in_ms));
    out.into_text()
}

fn float(number: i64) -> f64 {
    number as f64
}

fn seconds_of_ms(ms: i64) -> f64 {
    float(ms) / 1e3
}

fn process(out: &mut Writer, sample: &Sample, version: &str) {
    out.one(&BUILD_INFO, &[version, &sample.server.edition], 1.0);
    if let Some(system) = &sample.system {
        out.one(&UP_TIME, &[], float(system.uptime_s));
        out.one(&CPUS, &[], float(system.cpu_count));
        let modes = [("kernel", system.process_kernel_time_ms), ("user", system.process_user_time_ms)];
        out.family(&CPU, modes.map(|(mode, ms)| (vec![mode.to_owned()], seconds_of_ms(ms))));
        out.one(&COMMITTED, &[], float(system.committed_kb) * 1024.0);
        out.one(&TARGET, &[], float(system.committed_target_kb) * 1024.0);
    }
    out.family(&CLERK, sample.memory.iter().map(|it| (vec![it.clerk.clone()], float(it.pages_kb) * 1024.0)));
}

fn load(out: &mut Writer, totals: &Totals, page_sessions: usize) {
    let sample = &totals.sample;
    let counter = |object: &str, name: &str, instance: &str| sample.counter(object, name, instance).map(float);
    out.known(&BATCHES, counter("SQL Statistics", "Batch Requests/sec", ""));
    out.known(&COMPILATIONS, counter("SQL Statistics", "SQL Compilations/sec", ""));
    batch_times(out, sample);
    out.known(&DEADLOCKS, counter("Locks", "Number of Deadlocks/sec", "_Total"));
    out.family(&TRANSACTIONS, by_database(sample, |name| counter("Databases", "Transactions/sec", name)));
    out.one(&SESSIONS, &[], float(sample.session_count));
    out.one(&REQUESTS, &[], float(totals.requests));
    out.one(&BLOCKED, &[], float(totals.blocked));
    out.one(&PAGE_SESSIONS, &[], page_sessions as f64);
    out.known(&GRANTS_PENDING, counter("Memory Manager", "Memory Grants Pending", ""));
    out.known(&GRANTS, counter("Memory Manager", "Memory Grants Outstanding", ""));
    out.known(&GRANTED, counter("Memory Manager", "Granted Workspace Memory (KB)", "").map(|kb| kb * 1024.0));
    out.known(&LIFE, counter("Buffer Manager", "Page life expectancy", ""));
    out.known(&PAGE_READS, counter("Buffer Manager", "Page reads/sec", ""));
    out.known(&PAGE_WRITES, counter("Buffer Manager", "Page writes/sec", ""));
}

/// The ranges of "Batch Resp Statistics", whose names say where they end: `Batches >=000001ms & <000002ms`.
fn batch_times(out: &mut Writer, sample: &Sample) {
    let mut buckets = Buckets::default();
    for it in sample.counters.iter().filter(|it| it.object == "Batch Resp Statistics") {
        match it.instance.as_str() {
            "Elapsed Time:Total(ms)" => buckets.sum += seconds_of_ms(it.value),
            "Elapsed Time:Requests" => {
                let end = it.counter.split_once(" & <").map(|(_, end)| end.trim_end_matches("ms").parse::<f64>());
                let end_s = end.map_or(Some(f64::INFINITY), |ms| ms.ok().map(|ms| ms / 1e3));
                buckets.counts.extend(end_s.map(|end_s| (end_s, float(it.value))));
            }
            // CPU time, which SQL Server has too.
            _ => {}
        }
    }
    out.histograms(&BATCH_SECONDS, [(Vec::new(), buckets)]);
}

fn waits(out: &mut Writer, sample: &Sample) {
    let shown = || sample.waits.iter().filter(|wait| waits::category(&wait.wait_type) != Category::Idle);
    let labels = |wait_type: &str| vec![wait_type.to_owned(), waits::category(wait_type).name().to_owned()];
    out.family(&WAITS, shown().map(|it| (labels(&it.wait_type), float(it.waiting_tasks_count))));
    out.family(&WAIT_SECONDS, shown().map(|it| (labels(&it.wait_type), seconds_of_ms(it.wait_time_ms))));
    out.family(&SIGNAL_SECONDS, shown().map(|it| (labels(&it.wait_type), seconds_of_ms(it.signal_wait_time_ms))));
}

/// Whether a database has a name of its own here.
fn is_named(sample: &Sample, database_id: i64) -> bool {
    let mut numbers: Vec<i64> = sample.databases.iter().map(|database| database.database_id).collect();
    if numbers.len() <= DATABASES_MAX {
        return true;
    }
    numbers.sort_unstable();
    numbers[..DATABASES_MAX].contains(&database_id)
}

fn by_database(sample: &Sample, figure: impl Fn(&str) -> Option<f64>) -> Vec<(Vec<String>, f64)> {
    let known = sample.databases.iter().filter_map(|database| {
        let name = if is_named(sample, database.database_id) { database.name.as_str() } else { OTHERS };
        figure(&database.name).map(|figure| (vec![name.to_owned()], figure))
    });
    summed(known)
}

/// Samples of the same labels together.
fn summed(samples: impl Iterator<Item = (Vec<String>, f64)>) -> Vec<(Vec<String>, f64)> {
    let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    samples.for_each(|(labels, value)| *sums.entry(labels).or_default() += value);
    sums.into_iter().collect()
}

fn files(out: &mut Writer, sample: &Sample) {
    let labels = |database_id: i64, database: &str, file: &str, third: &str| {
        if is_named(sample, database_id) {
            vec![database.to_owned(), file.to_owned(), third.to_owned()]
        } else {
            vec![OTHERS.to_owned(), OTHERS.to_owned(), third.to_owned()]
        }
    };
    let mut family = |family: &Family, figure: fn(&FileIo) -> f64| {
        let of = |it: &FileIo| (labels(it.database_id, &it.database_name, &it.file_name, &it.type_desc), figure(it));
        out.family(family, summed(sample.files.iter().map(of)));
    };
    family(&FILE_SIZE, |it| float(it.size_on_disk_bytes));
    family(&FILE_READS, |it| float(it.num_of_reads));
    family(&FILE_READ_BYTES, |it| float(it.num_of_bytes_read));
    family(&FILE_READ_SECONDS, |it| seconds_of_ms(it.io_stall_read_ms));
    family(&FILE_WRITES, |it| float(it.num_of_writes));
    family(&FILE_WRITTEN_BYTES, |it| float(it.num_of_bytes_written));
    family(&FILE_WRITE_SECONDS, |it| seconds_of_ms(it.io_stall_write_ms));
    let name = |database_id: i64| {
        let found = sample.databases.iter().find(|database| database.database_id == database_id);
        found.map_or(String::new(), |database| database.name.clone())
    };
    let of_reason = |figure: fn(&millpond_top::sample::FileWrites) -> i64| {
        let of = |it| {
            let it: &millpond_top::sample::FileWrites = it;
            (labels(it.database_id, &name(it.database_id), &it.file_name, &it.reason), float(figure(it)))
        };
        summed(sample.file_writes.iter().map(of))
    };
    out.family(&REASON_WRITES, of_reason(|it| it.writes));
    out.family(&REASON_BYTES, of_reason(|it| it.bytes_written));
}

fn volumes(out: &mut Writer, totals: &Totals) {
    let sample = &totals.sample;
    let mut family = |family: &Family, figure: fn(&millpond_top::sample::VolumeIo) -> f64| {
        let of = sample.volumes.iter().map(|it| (vec![it.volume.clone(), it.model.clone()], figure(it)));
        out.family(family, summed(of));
    };
    family(&VOLUME_READS, |it| float(it.disk_reads));
    family(&VOLUME_READ_BYTES, |it| float(it.disk_read_bytes));
    family(&VOLUME_READ_SECONDS, |it| float(it.disk_read_time_us) / 1e6);
    family(&VOLUME_WRITES, |it| float(it.disk_writes));
    family(&VOLUME_WRITTEN_BYTES, |it| float(it.disk_write_bytes));
    family(&VOLUME_WRITE_SECONDS, |it| float(it.disk_write_time_us) / 1e6);
    family(&VOLUME_FLUSHES, |it| float(it.disk_flushes));
    family(&VOLUME_FLUSH_SECONDS, |it| float(it.disk_flush_time_us) / 1e6);
    let sum_us = |operation: &str, it: &millpond_top::sample::VolumeIo| match operation {
        "read" => it.disk_read_time_us,
        "write" => it.disk_write_time_us,
        _ => it.disk_flush_time_us,
    };
    for (operation, family) in
        [("read", &VOLUME_READ_LATENCY), ("write", &VOLUME_WRITE_LATENCY), ("flush", &VOLUME_FLUSH_LATENCY)]
    {
        let mut found: BTreeMap<Vec<String>, Buckets> = BTreeMap::new();
        for range in totals.latencies.iter().filter(|range| range.operation == operation) {
            let of = found.entry(vec![range.volume.clone(), range.model.clone()]).or_default();
            of.counts.push((range.up_to_us.map_or(f64::INFINITY, |us| float(us) / 1e6), float(range.requests)));
        }
        for it in &sample.volumes {
            if let Some(of) = found.get_mut(&[it.volume.clone(), it.model.clone()][..]) {
                of.sum += float(sum_us(operation, it)) / 1e6;
            }
        }
        out.histograms(family, found);
    }
    let mut family = |family: &Family, figure: fn(&millpond_top::sample::VolumeIo) -> f64| {
        let of = sample.volumes.iter().map(|it| (vec![it.volume.clone(), it.model.clone()], figure(it)));
        out.family(family, summed(of));
    };
    family(&VOLUME_QUEUE, |it| float(it.queue_length));
}

fn tempdb(out: &mut Writer, sample: &Sample) {
    if sample.tempdb_files.is_empty() {
        return;
    }
    let sum = |of: fn(&millpond_top::sample::TempdbFile) -> i64| {
        float(sample.tempdb_files.iter().map(of).fold(0i64, i64::saturating_add)) * 8192.0
    };
    let uses = [
        ("free", sum(|it| it.free_pages)),
        ("internal_objects", sum(|it| it.internal_objects_pages)),
        ("mixed_extents", sum(|it| it.mixed_extent_pages)),
        ("user_objects", sum(|it| it.user_objects_pages)),
        ("version_store", sum(|it| it.version_store_pages)),
    ];
    out.family(&TEMPDB, uses.map(|(of, bytes)| (vec![of.to_owned()], bytes)));
}

fn databases(out: &mut Writer, sample: &Sample) {
    let ready = sample.databases.iter().filter(|it| is_named(sample, it.database_id));
    out.family(
        &DATABASE_READY,
        ready.map(|it| (vec![it.name.clone()], f64::from(u8::from(it.state_desc == "ONLINE")))),
    );
    let counter = |name: &'static str| move |database: &str| sample.counter("Databases", name, database).map(float);
    let bytes = |name: &'static str| {
        let kb = counter(name);
        move |database: &str| kb(database).map(|kb| kb * 1024.0)
    };
    out.family(&LOG_SIZE, by_database(sample, bytes("Log File(s) Size (KB)")));
    out.family(&LOG_USED, by_database(sample, bytes("Log File(s) Used Size (KB)")));
    out.family(&LOG_BYTES, by_database(sample, counter("Log Bytes Flushed/sec")));
    out.family(&LOG_FLUSHES, by_database(sample, counter("Log Flushes/sec")));
}

#[cfg(test)]
mod grafana;
#[cfg(test)]
mod strict;
#[cfg(test)]
mod tests;
