//! What users and tempdb did meanwhile: the time of each query, what of it went into the processor and into waits for tempdb,
//! and the I/O of tempdb's data files.
//!
//! What always holds: counters are the server's own, taken before and after. Reads of tempdb's data files are reads of
//! what queries spill, as nothing else lies there that could leave memory.

use std::time::Instant;

use super::warehouse::{QUERIES, Warehouse, ask};
use crate::experiment::{at_once, numbers, row};
use crate::failure::LabError;
use crate::link::{Link, Target};

const MB: f64 = (1 << 20) as f64;

/// I/O in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Io {
    pub(super) count: f64,
    pub(super) bytes: f64,
    pub(super) ms: f64,
}

impl Io {
    pub(super) fn mb(self) -> f64 {
        self.bytes / MB
    }

    /// Kilobytes of each, if there was one.
    pub(super) fn size_kb(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.bytes / 1024.0 / self.count)
    }

    /// Milliseconds of each, likewise.
    pub(super) fn latency_ms(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.ms / self.count)
    }

    fn plus(self, other: Io) -> Io {
        Io { count: self.count + other.count, bytes: self.bytes + other.bytes, ms: self.ms + other.ms }
    }

    fn since(self, before: Io) -> Io {
        Io { count: self.count - before.count, bytes: self.bytes - before.bytes, ms: self.ms - before.ms }
    }
}

/// I/O of a file of tempdb, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FileIo {
    pub(super) reads: Io,
    pub(super) writes: Io,
}

impl FileIo {
    pub(super) fn plus(self, other: FileIo) -> FileIo {
        FileIo { reads: self.reads.plus(other.reads), writes: self.writes.plus(other.writes) }
    }

    pub(super) fn since(self, before: FileIo) -> FileIo {
        FileIo { reads: self.reads.since(before.reads), writes: self.writes.since(before.writes) }
    }

    pub(super) fn mb(self) -> f64 {
        self.reads.mb() + self.writes.mb()
    }
}

/// Data files of tempdb in their order.
pub(super) fn files(link: &mut Link) -> Result<Vec<FileIo>, LabError> {
    let columns = ["num_of_reads", "num_of_bytes_read", "io_stall_read_ms", "num_of_writes", "num_of_bytes_written"];
    let columns = columns.map(|name| format!("cast(io.{name} as float), ")).concat();
    let query = format!(
        "select {columns} cast(io.io_stall_write_ms as float) from sys.dm_io_virtual_file_stats(2, null) as io \
         join sys.master_files as f on f.database_id = io.database_id and f.file_id = io.file_id \
         where f.type = 0 order by io.file_id"
    );
    let io = |row: &[f64]| Io { count: row[0], bytes: row[1], ms: row[2] };
    Ok(numbers(link, &query)?.iter().map(|row| FileIo { reads: io(row), writes: io(&row[3..]) }).collect())
}

/// Bytes written because a query spilled, and those of other reasons.
const WRITTEN: &str = "select sum(case when reason = 'spill' then cast(bytes_written as float) else 0 end), \
     sum(cast(bytes_written as float)) from sys.dm_millpond_file_writes where database_id = 2 and reason <> 'log'";

/// What the executions of a query took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    executions: f64,
    cpu_us: f64,
    tempdb_us: f64,
    elapsed_us: f64,
    spilled_pages: f64,
}

/// The counters of each query.
fn work(link: &mut Link) -> Result<Vec<Work>, LabError> {
    let of_query = |link: &mut Link, condition: String| {
        let figures = row(
            link,
            &format!(
                "select sum(cast(execution_count as float)), sum(cast(total_worker_time as float)), \
                 sum(cast(total_tempdb_wait_time as float)), sum(cast(total_elapsed_time as float)), \
                 sum(cast(total_spills as float)) \
                 from sys.dm_exec_query_stats as s cross apply sys.dm_exec_sql_text(s.sql_handle) as t where {condition}"
            ),
        )?;
        let [executions, cpu_us, tempdb_us, elapsed_us, spilled_pages] = std::array::from_fn(|index| figures[index]);
        Ok(Work { executions, cpu_us, tempdb_us, elapsed_us, spilled_pages })
    };
    QUERIES.iter().map(|query| of_query(link, query.condition())).collect()
}

/// What keeps a query from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Processor,
    Bandwidth,
}

/// One query, the mean of all users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QueryTime {
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    pub(super) tempdb_seconds: f64,
    pub(super) spilled_mb: f64,
}

impl QueryTime {
    fn between(before: Work, after: Work) -> QueryTime {
        let executions = after.executions - before.executions;
        QueryTime {
            seconds: (after.elapsed_us - before.elapsed_us) / executions / 1e6,
            cpu_seconds: (after.cpu_us - before.cpu_us) / executions / 1e6,
            tempdb_seconds: (after.tempdb_us - before.tempdb_us) / executions / 1e6,
            spilled_mb: (after.spilled_pages - before.spilled_pages) / executions * 8192.0 / MB,
        }
    }

    /// The share of its time that it waited for tempdb.
    pub(super) fn tempdb_share(&self) -> f64 {
        self.tempdb_seconds / self.seconds
    }

    /// What it is bound by, as the server's own rule has it: what takes more of its time. Time in which it waited for a
    /// processor that others had is neither's.
    pub(super) fn bound(&self) -> Bound {
        if self.tempdb_seconds > self.cpu_seconds { Bound::Bandwidth } else { Bound::Processor }
    }
}

/// What a run of all users came to.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// Until the last user was done.
    pub(super) seconds: f64,
    pub(super) io: FileIo,
    /// Of the bytes written, those of spills.
    pub(super) spill_share: Option<f64>,
    /// In the order of [`QUERIES`].
    pub(super) queries: Vec<QueryTime>,
    answers: Vec<Vec<f64>>,
}

impl Measured {
    /// Answers in the order of [`QUERIES`].
    pub(super) fn answers(&self) -> &[Vec<f64>] {
        &self.answers
    }

    /// Processors that the queries kept busy.
    pub(super) fn processors(&self, users: usize) -> f64 {
        self.queries.iter().map(|query| query.cpu_seconds).sum::<f64>() * users as f64 / self.seconds
    }
}

/// Lets so many users run all queries once.
pub(super) fn measure(
    watcher: &mut Link,
    target: &Target,
    warehouse: Warehouse,
    users: usize,
) -> Result<Measured, LabError> {
    let sum = |files: Vec<FileIo>| files.into_iter().fold(FileIo::default(), FileIo::plus);
    let (io, written, done) = (sum(files(watcher)?), row(watcher, WRITTEN)?, work(watcher)?);
    let started = Instant::now();
    let answers = run_users(target, warehouse, users)?;
    let seconds = started.elapsed().as_secs_f64();
    let io = sum(files(watcher)?).since(io);
    let written: Vec<f64> = row(watcher, WRITTEN)?.iter().zip(written).map(|(after, before)| after - before).collect();
    let queries = work(watcher)?.into_iter().zip(done).map(|(after, before)| QueryTime::between(before, after));
    let spill_share = (written[1] > 0.0).then(|| written[0] / written[1]);
    Ok(Measured { seconds, io, spill_share, queries: queries.collect(), answers })
}

/// The answers, which are the same for all users.
fn run_users(target: &Target, warehouse: Warehouse, users: usize) -> Result<Vec<Vec<f64>>, LabError> {
    let one = |user: usize| -> Result<Vec<Vec<f64>>, LabError> {
        let mut link = warehouse.open(target)?;
        let mut answers = vec![Vec::new(); QUERIES.len()];
        for step in 0..QUERIES.len() {
            let index = (user + step) % QUERIES.len();
            answers[index] = ask(&mut link, QUERIES[index])?;
        }
        Ok(answers)
    };
    let mut all = at_once(users, one)?;
    let last = all.pop().ok_or_else(|| LabError::Answer("no user ran".into()))?;
    all.iter().try_for_each(|answers| super::warehouse::check(&last, answers))?;
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_bound_by_what_takes_most_of_its_time() {
        let time =
            |cpu_seconds, tempdb_seconds| QueryTime { seconds: 8.0, cpu_seconds, tempdb_seconds, spilled_mb: 0.0 };
        assert_eq!((time(1.9, 2.0).bound(), time(2.0, 2.0).bound()), (Bound::Bandwidth, Bound::Processor));
        assert_eq!(time(1.0, 2.0).tempdb_share(), 0.25);
    }

    #[test]
    fn figures_are_means_of_what_was_done_meanwhile() {
        let before = Work { executions: 1.0, cpu_us: 5e5, tempdb_us: 0.0, elapsed_us: 1e6, spilled_pages: 0.0 };
        let after = Work { executions: 3.0, cpu_us: 2.5e6, tempdb_us: 4e6, elapsed_us: 7e6, spilled_pages: 256.0 };
        let expected = QueryTime { seconds: 3.0, cpu_seconds: 1.0, tempdb_seconds: 2.0, spilled_mb: 1.0 };
        assert_eq!(QueryTime::between(before, after), expected);
        let io = Io { count: 4.0, bytes: 1048576.0, ms: 10.0 };
        assert_eq!((io.mb(), io.size_kb(), io.latency_ms()), (1.0, Some(256.0), Some(2.5)));
        assert_eq!(io.since(io).latency_ms(), None);
    }
}
