//! What a server is bound by, in one sentence with its figures.
//!
//! What always holds: the sentence is made of figures of the interval alone, and the same interval has the same sentence. The
//! measure is how many requests wait for something on average (or run, for the processor): what most of them wait for bounds
//! the server.

use serde::Serialize;

use crate::interval::{CategoryRate, FileRate, Interval, WaitRate};
use crate::tree;
use crate::units;
use crate::waits::Category;

/// Below so many requests on average nothing is bound by what they wait for.
const WAITING_MIN: f64 = 0.2;
/// From here on a processor has no time left to speak of.
const CPU_SHARE_MIN: f64 = 0.75;

/// What a server is bound by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// By nothing
    #[default]
    Nothing,
    /// By its processors
    Processor,
    /// By reads of pages
    Reads,
    /// By writes of its logs
    LogWrites,
    /// By locks
    Locks,
    /// By memory for sorts and hashes
    MemoryGrants,
    /// By pages of tempdb's allocation maps and system tables
    TempdbAllocation,
    /// By something else, which the sentence names
    Other,
}

impl Bound {
    /// Its name for scripts.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Nothing => "nothing",
            Bound::Processor => "processor",
            Bound::Reads => "reads",
            Bound::LogWrites => "log_writes",
            Bound::Locks => "locks",
            Bound::MemoryGrants => "memory_grants",
            Bound::TempdbAllocation => "tempdb_allocation",
            Bound::Other => "other",
        }
    }
}

/// What a server is bound by, and the sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// By what.
    pub bound: Bound,
    /// In words, with figures.
    pub sentence: String,
}

/// What the server is bound by in an interval.
pub fn verdict(interval: &Interval) -> Verdict {
    let processors = interval.sample.system.as_ref().map_or(1, |system| system.cpu_count.max(1)) as f64;
    let cpu_share = interval.cpu_share.unwrap_or(0.0);
    // What is waited for beside others is not what bounds: threads of one statement wait for each other, clients are slow.
    let waited = interval
        .categories
        .iter()
        .filter(|it| it.category != Category::Parallelism && it.category != Category::Processor)
        .max_by(|a, b| a.waiting_average.total_cmp(&b.waiting_average))
        .filter(|it| it.waiting_average >= WAITING_MIN);
    let signal = interval.category(Category::Processor).map_or(0.0, |it| it.waiting_average);
    let running = cpu_share * processors + signal;
    match waited {
        Some(most) if cpu_share < CPU_SHARE_MIN || most.waiting_average > running => by_waits(interval, most),
        _ if cpu_share >= CPU_SHARE_MIN => {
            Verdict { bound: Bound::Processor, sentence: processor(interval, cpu_share) }
        }
        _ => Verdict { bound: Bound::Nothing, sentence: nothing(interval) },
    }
}

fn processor(interval: &Interval, cpu_share: f64) -> String {
    let count = interval.sample.system.as_ref().map_or(1, |system| system.cpu_count);
    let signal = interval.category(Category::Processor).map_or(0.0, |it| it.share);
    let most = interval.sample.sessions.iter().zip(&interval.sessions);
    let most =
        most.max_by(|a, b| a.1.cpu_ms_per_s.total_cmp(&b.1.cpu_ms_per_s)).filter(|(_, it)| it.cpu_ms_per_s > 0.0);
    let by = most.map_or(String::new(), |(session, rate)| {
        format!(", most of it session {} with {} ms/s", session.session_id, units::amount(rate.cpu_ms_per_s))
    });
    format!(
        "processor: {} of {count} CPUs, {} of all waits are for one{by}",
        units::percent(cpu_share),
        units::percent(signal)
    )
}

fn nothing(interval: &Interval) -> String {
    if interval.seconds <= 0.0 {
        return "nothing is known yet: the first interval has not ended".to_owned();
    }
    let waiting: f64 = interval.categories.iter().map(|it| it.waiting_average).sum();
    match interval.cpu_share {
        Some(share) => format!("nothing: {} CPU, {waiting:.1} requests wait on average", units::percent(share)),
        None => format!("nothing that this login can see: {waiting:.1} requests wait on average"),
    }
}

fn by_waits(interval: &Interval, most: &CategoryRate) -> Verdict {
    let waiting = format!("{:.1} requests wait on average", most.waiting_average);
    let (bound, sentence) = match most.category {
        Category::PageIo => (Bound::Reads, format!("reads{}; {waiting}", slowest_file(interval))),
        Category::Log => (Bound::LogWrites, format!("log writes{}; {waiting}", slowest_log(interval))),
        Category::Lock => (Bound::Locks, format!("locks: {waiting}{}", blocker(interval))),
        Category::MemoryGrant => {
            let pending = interval.sample.grants.iter().filter(|grant| grant.granted_memory_kb.is_none()).count();
            (Bound::MemoryGrants, format!("memory grants: {pending} pending; {waiting}"))
        }
        Category::TempdbAllocation => {
            let files = interval.sample.tempdb_files.len();
            let of_files = if files > 0 { format!(" of its {files} files") } else { String::new() };
            (Bound::TempdbAllocation, format!("tempdb allocation: PAGELATCH on pages{of_files}; {waiting}"))
        }
        category => {
            let of_it = |it: &&WaitRate| it.category == category;
            let longest = interval.waits.iter().find(of_it).map_or(String::new(), |it| format!(" ({})", it.wait_type));
            (Bound::Other, format!("{}{longest}: {waiting}", category.name()))
        }
    };
    Verdict { bound, sentence }
}

/// The file whose reads were waited for longest.
fn slowest_file(interval: &Interval) -> String {
    let stall = |it: &FileRate| it.traffic.read_stall_ms_per_s;
    let most = interval.files.iter().max_by(|a, b| stall(a).total_cmp(&stall(b))).filter(|it| stall(it) > 0.0);
    most.map_or(String::new(), |file| {
        let of = &interval.sample.files[file.place];
        format!(
            " of {}.{}: {} ms each, {} reads/s, {} MB/s",
            of.database_name,
            of.file_name,
            units::amount(file.traffic.ms_per_read),
            units::amount(file.traffic.reads_per_s),
            units::amount(file.traffic.read_bytes_per_s / 1e6)
        )
    })
}

fn slowest_log(interval: &Interval) -> String {
    let logs = interval.files.iter().filter(|it| interval.sample.files[it.place].type_desc == "LOG");
    let stall = |it: &FileRate| it.traffic.write_stall_ms_per_s;
    let most = logs.max_by(|a, b| stall(a).total_cmp(&stall(b))).filter(|it| it.traffic.writes_per_s > 0.0);
    // Not every server counts the time until a write is durable as the file's: what commits waited for is shown beside it.
    let commit = interval.waits.iter().find(|it| it.wait_type == "WRITELOG");
    let commit = commit.map_or(String::new(), |it| format!(", {} ms a WRITELOG", units::amount(it.ms_per_wait)));
    most.map_or(commit.clone(), |file| {
        format!(
            " of {}: {} ms each, {} writes/s{commit}",
            interval.sample.files[file.place].database_name,
            units::amount(file.traffic.ms_per_write),
            units::amount(file.traffic.writes_per_s)
        )
    })
}

/// The session that most others wait for, over others too.
fn blocker(interval: &Interval) -> String {
    let sessions = &interval.sample.sessions;
    let Some((head, count)) = tree::heads(sessions).into_iter().next() else { return String::new() };
    let Some(session) = sessions.iter().find(|session| session.session_id == head) else {
        return format!(", {count} of them behind session {head}");
    };
    let status = session.request_status.as_deref().unwrap_or(&session.session_status);
    format!(", {count} of them behind session {head} ({status}, {}, {})", session.login_name, session.program_name)
}

#[cfg(test)]
mod tests;
