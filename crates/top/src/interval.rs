//! What happened between two samples: rates, shares and averages.
//!
//! What always holds: no rate is negative, and none is infinite. Where the server was restarted in between, a clock went back or
//! there is one sample alone, nothing is known to have happened: `seconds` is 0 and all rates are 0. What a server has now
//! (sizes, sessions, what is held) is shown all the same.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::sample::{FileIo, Sample, Session, VolumeIo, Wait};
use crate::waits::{self, Category};

/// Bytes of a page.
pub const PAGE_BYTES: i64 = 8192;

/// Reads and writes of a file or a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Traffic {
    /// Reads in a second.
    pub reads_per_s: f64,
    /// Bytes of them in a second.
    pub read_bytes_per_s: f64,
    /// Time of one.
    pub ms_per_read: f64,
    /// Writes in a second.
    pub writes_per_s: f64,
    /// Bytes of them in a second.
    pub write_bytes_per_s: f64,
    /// Time of one.
    pub ms_per_write: f64,
    /// Time that was waited for all reads in a second: how many waited on average, times 1,000.
    pub read_stall_ms_per_s: f64,
    /// Time that was waited for all writes in a second.
    pub write_stall_ms_per_s: f64,
}

impl Traffic {
    /// Bytes of a read; 0 where there was none.
    pub fn bytes_per_read(&self) -> f64 {
        ratio(self.read_bytes_per_s, self.reads_per_s)
    }

    /// Bytes of a write; 0 where there was none.
    pub fn bytes_per_write(&self) -> f64 {
        ratio(self.write_bytes_per_s, self.writes_per_s)
    }

    fn add(&mut self, other: &Traffic) {
        let sum = |a: (f64, f64), b: (f64, f64)| ratio(a.0 * a.1 + b.0 * b.1, a.0 + b.0);
        self.ms_per_read = sum((self.reads_per_s, self.ms_per_read), (other.reads_per_s, other.ms_per_read));
        self.ms_per_write = sum((self.writes_per_s, self.ms_per_write), (other.writes_per_s, other.ms_per_write));
        self.reads_per_s += other.reads_per_s;
        self.read_bytes_per_s += other.read_bytes_per_s;
        self.writes_per_s += other.writes_per_s;
        self.write_bytes_per_s += other.write_bytes_per_s;
        self.read_stall_ms_per_s += other.read_stall_ms_per_s;
        self.write_stall_ms_per_s += other.write_stall_ms_per_s;
    }
}

/// A file and its traffic; in the order of the sample's files.
#[derive(Clone, Debug)]
pub struct FileRate {
    /// Its place in the sample's files.
    pub place: usize,
    /// What it did.
    pub traffic: Traffic,
}

/// A volume and its traffic.
#[derive(Clone, Debug, Serialize)]
pub struct VolumeRate {
    /// Where it is mounted.
    pub volume: String,
    /// What it is, where the server tells.
    pub model: String,
    /// What it did.
    pub traffic: Traffic,
    /// Times in a second that it made writes durable; nothing where the server does not measure it.
    pub flushes_per_s: Option<f64>,
    /// Time of one of these.
    pub ms_per_flush: Option<f64>,
    /// Requests that it has to do.
    pub queue_length: Option<i64>,
    /// Its size, where it is known.
    pub total_bytes: Option<i64>,
    /// What is free of it.
    pub available_bytes: Option<i64>,
}

/// A wait type and how it was waited for.
#[derive(Clone, Debug, Serialize)]
pub struct WaitRate {
    /// As "WRITELOG".
    pub wait_type: String,
    /// What it is for.
    pub category: Category,
    /// Waits that ended, in a second.
    pub waits_per_s: f64,
    /// Time of them in a second: how many waited on average, times 1,000.
    pub wait_ms_per_s: f64,
    /// Time of one.
    pub ms_per_wait: f64,
    /// Of the time, the part for a processor afterwards: 0 to 1.
    pub signal_share: f64,
}

/// A category and how it was waited for.
#[derive(Clone, Debug, Serialize)]
pub struct CategoryRate {
    /// Which one.
    pub category: Category,
    /// Time in a second, without signal time, which is the processor's.
    pub wait_ms_per_s: f64,
    /// Of the time of all categories, 0 to 1.
    pub share: f64,
    /// Requests that wait for it now.
    pub waiting_now: usize,
    /// How many waited on average: of the waits that ended, or of those that wait now, whichever are more, since a server counts
    /// a wait when it ends.
    pub waiting_average: f64,
}

/// What a session did; in the order of the sample's sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionRate {
    /// CPU time in a second; 1,000 is a processor.
    pub cpu_ms_per_s: f64,
    /// Physical reads in a second.
    pub reads_per_s: f64,
    /// Writes in a second.
    pub writes_per_s: f64,
}

/// Writes for a reason.
#[derive(Clone, Debug, Serialize)]
pub struct WriteRate {
    /// Why.
    pub reason: String,
    /// The file's logical name.
    pub file_name: String,
    /// The database.
    pub database_id: i64,
    /// The session that wrote most of them; 0 for the server.
    pub session_id: i64,
    /// Writes in a second.
    pub writes_per_s: f64,
    /// Bytes in a second.
    pub write_bytes_per_s: f64,
    /// Bytes since the server started.
    pub total_bytes: i64,
}

/// A database's log.
#[derive(Clone, Debug, Serialize)]
pub struct LogRate {
    /// The database.
    pub database: String,
    /// As "ONLINE".
    pub state: String,
    /// As "FULL".
    pub recovery_model: String,
    /// What keeps it from being cut.
    pub reuse_wait: String,
    /// Its size, where the counters tell.
    pub size_kb: Option<i64>,
    /// What is in use of it.
    pub used_kb: Option<i64>,
    /// Bytes made durable in a second.
    pub flushed_bytes_per_s: f64,
    /// Times in a second.
    pub flushes_per_s: f64,
    /// Transactions in a second.
    pub transactions_per_s: f64,
}

/// What happened between two samples.
#[derive(Clone, Debug)]
pub struct Interval {
    /// The later one.
    pub sample: Arc<Sample>,
    /// Between them, by the server's clock; 0 where nothing is known.
    pub seconds: f64,
    /// The server was restarted in between.
    pub is_restart: bool,
    /// CPU time of the process by that of all processors, 0 to 1; nothing where the server did not tell.
    pub cpu_share: Option<f64>,
    /// Batches in a second.
    pub batches_per_s: f64,
    /// Transactions in a second, of all databases.
    pub transactions_per_s: f64,
    /// Compilations in a second.
    pub compilations_per_s: f64,
    /// Deadlocks in a second.
    pub deadlocks_per_s: f64,
    /// Bytes of log made durable in a second.
    pub log_bytes_per_s: f64,
    /// All files together.
    pub traffic: Traffic,
    /// Files.
    pub files: Vec<FileRate>,
    /// Volumes.
    pub volumes: Vec<VolumeRate>,
    /// Wait types that were waited for, those first that took longest; none of the idle ones.
    pub waits: Vec<WaitRate>,
    /// All categories but the idle one, in their order.
    pub categories: Vec<CategoryRate>,
    /// Sessions.
    pub sessions: Vec<SessionRate>,
    /// Reasons of writes, those first that wrote most.
    pub writes: Vec<WriteRate>,
    /// Logs.
    pub logs: Vec<LogRate>,
}

/// The quotient, and 0 where there is none.
pub fn ratio(of: f64, by: f64) -> f64 {
    let quotient = of / by;
    if quotient.is_finite() { quotient.max(0.0) } else { 0.0 }
}

/// How a total grew; what became less did not grow.
fn grown(earlier: i64, later: i64) -> f64 {
    later.saturating_sub(earlier).max(0) as f64
}

/// What was there earlier. Where nothing was, the part was refused then: totals of all time are not what this interval did.
fn known<'a, T>(earlier: &'a [T], later: &'a [T]) -> std::slice::Iter<'a, T> {
    if earlier.is_empty() { later.iter() } else { earlier.iter() }
}

impl Interval {
    /// What happened between two samples; of one alone, what there is now.
    pub fn of(earlier: Option<&Sample>, later: Arc<Sample>) -> Interval {
        let is_restart = earlier.is_some_and(|earlier| is_restart(earlier, &later));
        let seconds = earlier.filter(|_| !is_restart).map_or(0.0, |earlier| seconds_between(earlier, &later));
        let nothing = Sample::default();
        // Without time in between the later one is compared with itself, so that all rates are 0.
        let base = if seconds > 0.0 { earlier.unwrap_or(&nothing) } else { &later };
        let span = Span { earlier: base, later: &later, seconds };
        let files = span.files();
        let mut traffic = Traffic::default();
        files.iter().for_each(|file| traffic.add(&file.traffic));
        let waits = span.waits();
        let categories = categories(&later, &waits);
        Interval {
            seconds,
            is_restart,
            cpu_share: span.cpu_share(),
            batches_per_s: span.counter("SQL Statistics", "Batch Requests/sec", ""),
            transactions_per_s: span.counter("Databases", "Transactions/sec", "_Total"),
            compilations_per_s: span.counter("SQL Statistics", "SQL Compilations/sec", ""),
            deadlocks_per_s: span.counter("Locks", "Number of Deadlocks/sec", "_Total"),
            log_bytes_per_s: span.counter("Databases", "Log Bytes Flushed/sec", "_Total"),
            traffic,
            volumes: span.volumes(&files),
            files,
            waits,
            categories,
            sessions: span.sessions(),
            writes: span.writes(),
            logs: span.logs(),
            sample: Arc::clone(&later),
        }
    }

    /// A category's figures.
    pub fn category(&self, category: Category) -> Option<&CategoryRate> {
        self.categories.iter().find(|it| it.category == category)
    }
}

fn is_restart(earlier: &Sample, later: &Sample) -> bool {
    match (&earlier.system, &later.system) {
        (Some(before), Some(after)) => before.started != after.started || before.ms_ticks > after.ms_ticks,
        _ => false,
    }
}

fn seconds_between(earlier: &Sample, later: &Sample) -> f64 {
    let ms = match (&earlier.system, &later.system) {
        (Some(before), Some(after)) => grown(before.ms_ticks, after.ms_ticks),
        _ => grown(earlier.taken_ms, later.taken_ms),
    };
    ms / 1000.0
}

struct Span<'a> {
    earlier: &'a Sample,
    later: &'a Sample,
    seconds: f64,
}

impl Span<'_> {
    fn rate(&self, earlier: i64, later: i64) -> f64 {
        ratio(grown(earlier, later), self.seconds)
    }

    fn counter(&self, object: &str, counter: &str, instance: &str) -> f64 {
        let before = self.earlier.counter(object, counter, instance);
        let after = self.later.counter(object, counter, instance);
        before.zip(after).map_or(0.0, |(before, after)| self.rate(before, after))
    }

    fn cpu_share(&self) -> Option<f64> {
        let (before, after) = (self.earlier.system.as_ref()?, self.later.system.as_ref()?);
        let of = |it: &crate::sample::System| it.process_kernel_time_ms.saturating_add(it.process_user_time_ms);
        let ms_per_s = self.rate(of(before), of(after));
        let all = ms_per_s / 1000.0 / after.cpu_count.max(1) as f64;
        // Clocks of processes tick in larger steps than the interval's.
        (self.seconds > 0.0).then_some(all.min(1.0))
    }

    fn files(&self) -> Vec<FileRate> {
        let before: HashMap<(i64, i64), &FileIo> = known(&self.earlier.files, &self.later.files)
            .map(|file| ((file.database_id, file.file_id), file))
            .collect();
        let rate = |(place, after): (usize, &FileIo)| {
            let fresh = FileIo::default();
            let before = before.get(&(after.database_id, after.file_id)).copied().unwrap_or(&fresh);
            // A file of the same number whose counters went back is another one.
            let is_another = before.num_of_reads > after.num_of_reads || before.num_of_writes > after.num_of_writes;
            let before = if is_another { &fresh } else { before };
            let traffic = self.traffic(&[
                (before.num_of_reads, after.num_of_reads),
                (before.num_of_bytes_read, after.num_of_bytes_read),
                (before.io_stall_read_ms, after.io_stall_read_ms),
                (before.num_of_writes, after.num_of_writes),
                (before.num_of_bytes_written, after.num_of_bytes_written),
                (before.io_stall_write_ms, after.io_stall_write_ms),
            ]);
            FileRate { place, traffic }
        };
        self.later.files.iter().enumerate().map(rate).collect()
    }

    /// Of reads, their bytes, their ms, and the same of writes.
    fn traffic(&self, totals: &[(i64, i64); 6]) -> Traffic {
        let rates = totals.map(|(before, after)| self.rate(before, after));
        let [reads_per_s, read_bytes_per_s, read_ms, writes_per_s, write_bytes_per_s, write_ms] = rates;
        Traffic {
            reads_per_s,
            read_bytes_per_s,
            ms_per_read: ratio(read_ms, reads_per_s),
            writes_per_s,
            write_bytes_per_s,
            ms_per_write: ratio(write_ms, writes_per_s),
            read_stall_ms_per_s: read_ms,
            write_stall_ms_per_s: write_ms,
        }
    }

    /// As the server measures them; else the files of each together.
    fn volumes(&self, files: &[FileRate]) -> Vec<VolumeRate> {
        let mut volumes: Vec<VolumeRate> = Vec::new();
        for after in &self.later.volumes {
            let fresh = VolumeIo::default();
            let mut earlier = known(&self.earlier.volumes, &self.later.volumes);
            let before = earlier.find(|it| it.volume == after.volume && it.model == after.model);
            let before = before.unwrap_or(&fresh);
            // Microseconds as if they were milliseconds, and made these below: small ones are not to be lost.
            let mut traffic = self.traffic(&[
                (before.disk_reads, after.disk_reads),
                (before.disk_read_bytes, after.disk_read_bytes),
                (before.disk_read_time_us, after.disk_read_time_us),
                (before.disk_writes, after.disk_writes),
                (before.disk_write_bytes, after.disk_write_bytes),
                (before.disk_write_time_us, after.disk_write_time_us),
            ]);
            for time in [
                &mut traffic.ms_per_read,
                &mut traffic.ms_per_write,
                &mut traffic.read_stall_ms_per_s,
                &mut traffic.write_stall_ms_per_s,
            ] {
                *time /= 1000.0;
            }
            let flushes_per_s = self.rate(before.disk_flushes, after.disk_flushes);
            let flush_us = self.rate(before.disk_flush_time_us, after.disk_flush_time_us);
            volumes.push(VolumeRate {
                volume: after.volume.clone(),
                model: after.model.clone(),
                traffic,
                flushes_per_s: Some(flushes_per_s),
                ms_per_flush: Some(ratio(flush_us / 1000.0, flushes_per_s)),
                queue_length: Some(after.queue_length),
                total_bytes: None,
                available_bytes: None,
            });
        }
        let is_measured = !volumes.is_empty();
        for of in &self.later.file_volumes {
            let place = volumes.iter().position(|it| it.volume == of.volume).unwrap_or_else(|| {
                volumes.push(VolumeRate {
                    volume: of.volume.clone(),
                    model: String::new(),
                    traffic: Traffic::default(),
                    flushes_per_s: None,
                    ms_per_flush: None,
                    queue_length: None,
                    total_bytes: None,
                    available_bytes: None,
                });
                volumes.len() - 1
            });
            let volume = &mut volumes[place];
            volume.total_bytes = Some(of.total_bytes);
            volume.available_bytes = Some(of.available_bytes);
            let is_it = |file: &&FileRate| {
                let file = &self.later.files[file.place];
                (file.database_id, file.file_id) == (of.database_id, of.file_id)
            };
            if let Some(file) = files.iter().find(is_it).filter(|_| !is_measured) {
                volume.traffic.add(&file.traffic);
            }
        }
        volumes
    }

    fn waits(&self) -> Vec<WaitRate> {
        let before: HashMap<&str, &Wait> =
            known(&self.earlier.waits, &self.later.waits).map(|wait| (wait.wait_type.as_str(), wait)).collect();
        let rate = |after: &Wait| {
            let category = waits::category(&after.wait_type);
            let fresh = Wait::default();
            let before = before.get(after.wait_type.as_str()).copied().unwrap_or(&fresh);
            let waits_per_s = self.rate(before.waiting_tasks_count, after.waiting_tasks_count);
            let wait_ms_per_s = self.rate(before.wait_time_ms, after.wait_time_ms);
            let signal = self.rate(before.signal_wait_time_ms, after.signal_wait_time_ms);
            let is_shown = category != Category::Idle && (waits_per_s > 0.0 || wait_ms_per_s > 0.0);
            is_shown.then(|| WaitRate {
                wait_type: after.wait_type.clone(),
                category,
                waits_per_s,
                wait_ms_per_s,
                ms_per_wait: ratio(wait_ms_per_s, waits_per_s),
                signal_share: ratio(signal, wait_ms_per_s).min(1.0),
            })
        };
        let mut waits: Vec<WaitRate> = self.later.waits.iter().filter_map(rate).collect();
        waits.sort_by(|a, b| b.wait_ms_per_s.total_cmp(&a.wait_ms_per_s).then_with(|| a.wait_type.cmp(&b.wait_type)));
        waits
    }

    fn sessions(&self) -> Vec<SessionRate> {
        let before: HashMap<i64, &Session> = self.earlier.sessions.iter().map(|it| (it.session_id, it)).collect();
        let rate = |after: &Session| {
            let Some(before) = before.get(&after.session_id) else { return SessionRate::default() };
            // SQL Server adds what a request used to its session when the request ends: while one runs it alone is counted.
            let is_same = after.request_start.is_some() && after.request_start == before.request_start;
            let pick = |session: (i64, i64), request: (Option<i64>, Option<i64>)| match request {
                (Some(earlier), Some(later)) if is_same => self.rate(earlier, later),
                _ => self.rate(session.0, session.1),
            };
            SessionRate {
                cpu_ms_per_s: pick(
                    (before.session_cpu_ms, after.session_cpu_ms),
                    (before.request_cpu_ms, after.request_cpu_ms),
                ),
                reads_per_s: pick(
                    (before.session_reads, after.session_reads),
                    (before.request_reads, after.request_reads),
                ),
                writes_per_s: pick(
                    (before.session_writes, after.session_writes),
                    (before.request_writes, after.request_writes),
                ),
            }
        };
        self.later.sessions.iter().map(rate).collect()
    }

    fn writes(&self) -> Vec<WriteRate> {
        type Key<'a> = (i64, i64, i64, &'a str);
        let key = |it: &crate::sample::FileWrites| (it.database_id, it.file_id, it.session_id);
        let before: HashMap<Key<'_>, (i64, i64)> = known(&self.earlier.file_writes, &self.later.file_writes)
            .map(|it| {
                let (database, file, session) = key(it);
                ((database, file, session, it.reason.as_str()), (it.writes, it.bytes_written))
            })
            .collect();
        // Sessions together by file and reason; the one that wrote most is named.
        let mut sums: HashMap<(i64, i64, &str), (WriteRate, f64)> = HashMap::new();
        for after in &self.later.file_writes {
            let (database, file, session) = key(after);
            let (writes, bytes) =
                before.get(&(database, file, session, after.reason.as_str())).copied().unwrap_or_default();
            let (writes, bytes) = (self.rate(writes, after.writes), self.rate(bytes, after.bytes_written));
            let fresh = WriteRate {
                reason: after.reason.clone(),
                file_name: after.file_name.clone(),
                database_id: database,
                session_id: session,
                writes_per_s: 0.0,
                write_bytes_per_s: 0.0,
                total_bytes: 0,
            };
            let (sum, most) = sums.entry((database, file, after.reason.as_str())).or_insert((fresh, f64::NEG_INFINITY));
            sum.writes_per_s += writes;
            sum.write_bytes_per_s += bytes;
            sum.total_bytes = sum.total_bytes.saturating_add(after.bytes_written);
            if bytes > *most {
                *most = bytes;
                sum.session_id = session;
            }
        }
        let mut writes: Vec<WriteRate> = sums.into_values().map(|(sum, _)| sum).collect();
        writes.sort_by(|a, b| {
            let by_name = |it: &WriteRate| (it.database_id, it.file_name.clone(), it.reason.clone());
            b.write_bytes_per_s
                .total_cmp(&a.write_bytes_per_s)
                .then(b.total_bytes.cmp(&a.total_bytes))
                .then_with(|| by_name(a).cmp(&by_name(b)))
        });
        writes
    }

    fn logs(&self) -> Vec<LogRate> {
        let log = |database: &crate::sample::Database| LogRate {
            database: database.name.clone(),
            state: database.state_desc.clone(),
            recovery_model: database.recovery_model_desc.clone(),
            reuse_wait: database.log_reuse_wait_desc.clone(),
            size_kb: self.later.counter("Databases", "Log File(s) Size (KB)", &database.name),
            used_kb: self.later.counter("Databases", "Log File(s) Used Size (KB)", &database.name),
            flushed_bytes_per_s: self.counter("Databases", "Log Bytes Flushed/sec", &database.name),
            flushes_per_s: self.counter("Databases", "Log Flushes/sec", &database.name),
            transactions_per_s: self.counter("Databases", "Transactions/sec", &database.name),
        };
        self.later.databases.iter().map(log).collect()
    }
}

/// Waits by what they are for. Signal time is the processor's, whatever was waited for before.
fn categories(later: &Sample, waits: &[WaitRate]) -> Vec<CategoryRate> {
    let waiting = later.sessions.iter().filter_map(|session| session.wait_type.as_deref().map(|it| (session, it)));
    let mut now: HashMap<Category, usize> = HashMap::new();
    for (session, wait_type) in waiting {
        let resource = session.wait_resource.as_deref().unwrap_or_default();
        let category = match waits::category(wait_type) {
            Category::Latch if waits::is_tempdb_latch(wait_type, resource) => Category::TempdbAllocation,
            category => category,
        };
        *now.entry(category).or_default() += 1;
    }
    let count = |category: Category| now.get(&category).copied().unwrap_or(0);
    // Of which page a PAGELATCH was is known of those that wait now alone: they speak for the others.
    let of_tempdb = count(Category::TempdbAllocation);
    let tempdb_share = ratio(of_tempdb as f64, (of_tempdb + count(Category::Latch)) as f64);
    let mut ms: HashMap<Category, f64> = HashMap::new();
    for wait in waits {
        let signal = wait.wait_ms_per_s * wait.signal_share;
        let resource = wait.wait_ms_per_s - signal;
        *ms.entry(Category::Processor).or_default() += signal;
        let to_tempdb = if wait.wait_type.starts_with("PAGELATCH_") { resource * tempdb_share } else { 0.0 };
        *ms.entry(Category::TempdbAllocation).or_default() += to_tempdb;
        *ms.entry(wait.category).or_default() += resource - to_tempdb;
    }
    let total: f64 = ms.values().sum();
    let rate = |category: Category| {
        let wait_ms_per_s = ms.get(&category).copied().unwrap_or(0.0).max(0.0);
        let waiting_now = count(category);
        CategoryRate {
            category,
            wait_ms_per_s,
            share: ratio(wait_ms_per_s, total),
            waiting_now,
            waiting_average: (wait_ms_per_s / 1000.0).max(waiting_now as f64),
        }
    };
    Category::SHOWN.into_iter().map(rate).collect()
}

#[cfg(test)]
mod tests;
