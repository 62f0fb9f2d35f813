//! Takes a sample: one text per part, each asked for by itself, and only documented views and columns of SQL Server's,
//! beside the few that Millpond has in addition.
//!
//! What always holds: a part that is refused is named in the sample and the rest goes on; only a lost connection ends a
//! sample. The session that asks is left out, unless it sees no other.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::sample::{Parent, Refused, Sample, Session, VolumeLatency};
use crate::showplan;
use crate::source::{Cell, FromCell, FromRow, Row, Rows, Source, SourceError};

/// Sessions of a sample at most: with ten thousand of them the screen stays quick.
pub const SESSIONS_MAX: usize = 500;

// Some of what is read is under locks of its database: who changes one is not waited for, the part is refused instead (1222).
const SERVER: &str = "\
set lock_timeout 2000
select convert(nvarchar(128), @@servername) as name, convert(nvarchar(128), serverproperty('ProductVersion')) as version,
    convert(nvarchar(128), serverproperty('Edition')) as edition, cast(@@spid as int) as session_id,
    convert(varchar(23), getdate(), 121) as now";

const SYSTEM: &str = "\
select ms_ticks, cpu_count, physical_memory_kb, committed_kb, committed_target_kb, process_kernel_time_ms,
    process_user_time_ms, convert(varchar(23), sqlserver_start_time, 121) as started,
    datediff(second, sqlserver_start_time, getdate()) as uptime_s
from sys.dm_os_sys_info";

// Names of objects begin with that of the instance: SQLServer:, or MSSQL$NAME:.
const COUNTERS: &str = "\
select rtrim(substring(object_name, charindex(':', object_name) + 1, 128)) as object, rtrim(counter_name) as counter,
    rtrim(instance_name) as instance, cntr_value as value
from sys.dm_os_performance_counters
where counter_name in ('Batch Requests/sec', 'SQL Compilations/sec', 'Transactions/sec', 'Log Bytes Flushed/sec', 'Log Flushes/sec',
    'Log File(s) Size (KB)', 'Log File(s) Used Size (KB)', 'Page life expectancy', 'Target Server Memory (KB)',
    'Total Server Memory (KB)', 'User Connections', 'Version Store Size (KB)', 'Memory Grants Pending',
    'Memory Grants Outstanding', 'Granted Workspace Memory (KB)', 'Number of Deadlocks/sec', 'Page reads/sec',
    'Page writes/sec', 'Free Space in tempdb (KB)') or counter_name like 'Batches >=%'";

const WAITS: &str = "\
select wait_type, waiting_tasks_count, wait_time_ms, signal_wait_time_ms
from sys.dm_os_wait_stats where waiting_tasks_count > 0";

const SESSIONS: &str = "\
select top (500) s.session_id, s.login_name, s.host_name, s.program_name,
    db_name(coalesce(r.database_id, s.database_id)) as database_name, s.status as session_status, r.status as request_status,
    r.command, convert(varchar(23), r.start_time, 121) as request_start, r.total_elapsed_time as elapsed_ms,
    s.cpu_time as session_cpu_ms, r.cpu_time as request_cpu_ms, s.reads as session_reads, r.reads as request_reads,
    s.writes as session_writes, r.writes as request_writes, s.logical_reads as session_logical_reads,
    r.logical_reads as request_logical_reads, r.wait_type, r.wait_time as wait_ms, r.wait_resource,
    r.blocking_session_id, s.open_transaction_count as open_transactions,
    case when r.session_id is null then datediff(second, s.last_request_end_time, getdate()) end as idle_s
from sys.dm_exec_sessions as s left join sys.dm_exec_requests as r on r.session_id = s.session_id
where s.is_user_process = 1
    or s.session_id in (select b.blocking_session_id from sys.dm_exec_requests as b where b.blocking_session_id > 0)
order by case when r.session_id is not null
        or s.session_id in (select b.blocking_session_id from sys.dm_exec_requests as b where b.blocking_session_id > 0) then 0
    when s.open_transaction_count > 0 then 1 else 2 end, s.last_request_start_time desc";

const SESSION_COUNT: &str = "select count(*) as value from sys.dm_exec_sessions where is_user_process = 1";

// Offsets are bytes of UTF-16; -1 is the end.
const STATEMENTS: &str = "\
select top (500) r.session_id, left(substring(t.text, r.statement_start_offset / 2 + 1,
    case when r.statement_end_offset < r.statement_start_offset then 4000
        else (r.statement_end_offset - r.statement_start_offset) / 2 + 1 end), 4000) as statement
from sys.dm_exec_requests as r cross apply sys.dm_exec_sql_text(r.sql_handle) as t
where r.session_id <> @@spid";

const LAST_STATEMENTS: &str = "\
select top (100) s.session_id, left(t.text, 4000) as statement
from sys.dm_exec_sessions as s join sys.dm_exec_connections as c on c.session_id = s.session_id
    cross apply sys.dm_exec_sql_text(c.most_recent_sql_handle) as t
where s.is_user_process = 1 and s.status = 'sleeping' and s.session_id <> @@spid and (s.open_transaction_count > 0
    or s.session_id in (select b.blocking_session_id from sys.dm_exec_requests as b where b.blocking_session_id > 0))
order by s.last_request_end_time";

const SESSION_SPACE: &str = "\
select top (500) session_id, user_objects_alloc_page_count - user_objects_dealloc_page_count as user_objects_pages,
    internal_objects_alloc_page_count - internal_objects_dealloc_page_count as internal_objects_pages
from sys.dm_db_session_space_usage
where database_id = 2 and (user_objects_alloc_page_count <> user_objects_dealloc_page_count
    or internal_objects_alloc_page_count <> internal_objects_dealloc_page_count)
order by user_objects_alloc_page_count - user_objects_dealloc_page_count
    + internal_objects_alloc_page_count - internal_objects_dealloc_page_count desc";

const TASK_SPACE: &str = "\
select session_id, sum(user_objects_alloc_page_count - user_objects_dealloc_page_count) as user_objects_pages,
    sum(internal_objects_alloc_page_count - internal_objects_dealloc_page_count) as internal_objects_pages
from sys.dm_db_task_space_usage
where database_id = 2 and session_id is not null and (user_objects_alloc_page_count <> user_objects_dealloc_page_count
    or internal_objects_alloc_page_count <> internal_objects_dealloc_page_count)
group by session_id";

const GRANTS: &str = "\
select top (500) session_id, requested_memory_kb, granted_memory_kb, used_memory_kb, wait_time_ms as wait_ms
from sys.dm_exec_query_memory_grants where session_id <> @@spid";

const FILES: &str = "\
select f.database_id, f.file_id, db_name(f.database_id) as database_name, m.name as file_name, m.physical_name, m.type_desc,
    f.num_of_reads, f.num_of_bytes_read, f.io_stall_read_ms, f.num_of_writes, f.num_of_bytes_written,
    f.io_stall_write_ms, f.size_on_disk_bytes, m.growth, cast(m.is_percent_growth as int) as is_percent_growth,
    m.max_size as max_size_pages
from sys.dm_io_virtual_file_stats(null, null) as f
    left join sys.master_files as m on m.database_id = f.database_id and m.file_id = f.file_id";

const FILE_VOLUMES: &str = "\
select m.database_id, m.file_id, v.volume_mount_point as volume, v.total_bytes, v.available_bytes
from sys.master_files as m cross apply sys.dm_os_volume_stats(m.database_id, m.file_id) as v";

const TEMPDB_FILES: &str = "\
select file_id, total_page_count as total_pages, unallocated_extent_page_count as free_pages,
    version_store_reserved_page_count as version_store_pages, user_object_reserved_page_count as user_objects_pages,
    internal_object_reserved_page_count as internal_objects_pages, mixed_extent_page_count as mixed_extent_pages
from tempdb.sys.dm_db_file_space_usage";

const VERSION_USERS: &str = "\
select top (20) session_id, cast(is_snapshot as int) as is_snapshot, elapsed_time_seconds as elapsed_s
from sys.dm_tran_active_snapshot_database_transactions where session_id <> @@spid order by elapsed_time_seconds desc";

const MEMORY: &str = "\
select top (40) type as clerk, sum(pages_kb) as pages_kb
from sys.dm_os_memory_clerks group by type having sum(pages_kb) > 0 order by sum(pages_kb) desc";

const OPERATORS: &str = "\
select top (1000) session_id, node_id, physical_operator_name as operator, count(*) as threads, sum(row_count) as rows,
    sum(estimate_row_count) as estimated_rows, max(elapsed_time_ms) as elapsed_ms, sum(cpu_time_ms) as cpu_ms
from sys.dm_exec_query_profiles where session_id <> @@spid
group by session_id, node_id, physical_operator_name order by session_id, node_id";

const PLANS: &str = "\
select top (20) r.session_id, p.query_plan
from sys.dm_exec_requests as r
    cross apply sys.dm_exec_text_query_plan(r.plan_handle, r.statement_start_offset, r.statement_end_offset) as p
where r.session_id <> @@spid and p.query_plan is not null order by r.cpu_time desc";

const DATABASES: &str = "\
select database_id, name, state_desc, recovery_model_desc, log_reuse_wait_desc from sys.databases";

const FILE_WRITES: &str = "\
select database_id, file_id, file_name, session_id, reason, writes, bytes_written from sys.dm_millpond_file_writes";

// Sessions together: one that has ended is not to take its writes out of a total.
const FILE_WRITES_BY_REASON: &str = "\
select database_id, file_id, file_name, cast(0 as int) as session_id, reason, sum(writes) as writes, sum(bytes_written) as bytes_written
from sys.dm_millpond_file_writes group by database_id, file_id, file_name, reason";

const REQUESTS: &str = "\
select count(*) as requests, sum(case when blocking_session_id > 0 then 1 else 0 end) as blocked
from sys.dm_exec_requests where session_id <> @@spid and session_id > 50";

const VOLUMES: &str = "\
select volume_name as volume, model, disk_reads, disk_read_bytes, disk_read_time_us, disk_writes, disk_write_bytes,
    disk_write_time_us, disk_flushes, disk_flush_time_us, current_disk_queue_length as queue_length
from sys.dm_millpond_volume_io";

const VOLUME_LATENCIES: &str = "\
select volume_name as volume, model, operation, up_to_us, requests from sys.dm_millpond_volume_latency";

/// Takes a sample.
///
/// # Errors
/// Why there is no connection any more.
pub fn collect(source: &mut dyn Source) -> Result<Sample, String> {
    let began = Instant::now();
    let mut asker = Asker { source, refused: Vec::new() };
    let totals = totals_of(&mut asker, FILE_WRITES)?;
    let mut sample = Sample {
        sessions: asker.rows("sessions", SESSIONS)?,
        statements: asker.rows("statements", STATEMENTS)?,
        last_statements: asker.rows("last statements", LAST_STATEMENTS)?,
        session_space: asker.rows("session space", SESSION_SPACE)?,
        task_space: asker.rows("task space", TASK_SPACE)?,
        grants: asker.rows("grants", GRANTS)?,
        version_users: asker.rows("transactions with versions", VERSION_USERS)?,
        file_volumes: asker.rows("volumes of files", FILE_VOLUMES)?,
        operators: asker.rows("operators", OPERATORS)?,
        ..totals
    };
    // A tree of operators is wanted where there are operators, and plans are long.
    if !sample.operators.is_empty() {
        let plans = asker.results("plans", PLANS)?;
        sample.parents = plans.iter().flat_map(|row| parents(&row)).collect();
    }
    sample.refused = asker.refused;
    let own = sample.server.session_id;
    sample.session_count = (sample.session_count - 1).max(0);
    if sample.sessions.iter().any(|session| session.session_id != own) {
        sample.sessions.retain(|session| session.session_id != own);
    }
    sample.sessions = one_request_each(sample.sessions);
    sample.collected_in_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    Ok(sample)
}

/// What a monitor asks for every few seconds: totals of the server, nothing of single sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Its parts that are of the server: sessions, their statements, space and memory, operators and plans are empty.
    pub sample: Sample,
    /// Requests of users that run or wait.
    pub requests: i64,
    /// Those of them that another session blocks.
    pub blocked: i64,
    /// How long requests of volumes took, by ranges.
    pub latencies: Vec<VolumeLatency>,
}

/// The part of a sample that does not grow with the sessions; writes of files by the text that asks for them.
fn totals_of(asker: &mut Asker<'_>, file_writes: &str) -> Result<Sample, String> {
    Ok(Sample {
        taken_ms: now_ms(),
        server: asker.rows("server", SERVER)?.into_iter().next().unwrap_or_default(),
        system: asker.rows("system", SYSTEM)?.into_iter().next(),
        counters: asker.rows("counters", COUNTERS)?,
        waits: asker.rows("waits", WAITS)?,
        session_count: asker.results("session count", SESSION_COUNT)?.iter().map(|row| value(&row)).sum(),
        files: asker.rows("files", FILES)?,
        tempdb_files: asker.rows("tempdb files", TEMPDB_FILES)?,
        memory: asker.rows("memory", MEMORY)?,
        databases: asker.rows("databases", DATABASES)?,
        file_writes: asker.rows("file writes", file_writes)?,
        volumes: asker.rows("volumes", VOLUMES)?,
        ..Sample::default()
    })
}

/// Takes totals: half of a sample's texts, and none whose answer grows with the sessions.
///
/// # Errors
/// Why there is no connection any more.
pub fn collect_totals(source: &mut dyn Source) -> Result<Totals, String> {
    let began = Instant::now();
    let mut asker = Asker { source, refused: Vec::new() };
    let mut sample = totals_of(&mut asker, FILE_WRITES_BY_REASON)?;
    let requests = asker.results("requests", REQUESTS)?;
    let sum = |name: &str| requests.iter().map(|row| i64::from_cell(row.cell(name))).sum();
    let (requests, blocked) = (sum("requests"), sum("blocked"));
    let latencies = asker.rows("latencies of volumes", VOLUME_LATENCIES)?;
    sample.refused = asker.refused;
    sample.session_count = (sample.session_count - 1).max(0);
    sample.collected_in_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    Ok(Totals { sample, requests, blocked, latencies })
}

/// Milliseconds since 1970 by the clock of this machine.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn value(row: &Row<'_>) -> i64 {
    i64::from_cell(row.cell("value"))
}

fn parents(row: &Row<'_>) -> Vec<Parent> {
    let session_id = i64::from_cell(row.cell("session_id"));
    let Cell::Text(plan) = row.cell("query_plan") else { return Vec::new() };
    let pairs = showplan::parents(plan).into_iter();
    pairs.map(|(node_id, parent_id)| Parent { session_id, node_id, parent_id }).collect()
}

/// Several requests of one session (MARS) are one row: the one that was found first.
fn one_request_each(sessions: Vec<Session>) -> Vec<Session> {
    let mut seen = std::collections::HashSet::new();
    sessions.into_iter().filter(|session| seen.insert(session.session_id)).take(SESSIONS_MAX).collect()
}

struct Asker<'a> {
    source: &'a mut dyn Source,
    refused: Vec<Refused>,
}

impl Asker<'_> {
    fn rows<T: FromRow>(&mut self, part: &str, text: &str) -> Result<Vec<T>, String> {
        Ok(self.results(part, text)?.iter().map(|row| T::from_row(&row)).collect())
    }

    fn results(&mut self, part: &str, text: &str) -> Result<Rows, String> {
        match self.source.run(text) {
            Ok(results) => Ok(results.into_iter().next().unwrap_or_default()),
            Err(SourceError::Refused { number, text }) => {
                // What only Millpond has is not missed elsewhere.
                if !(number == 208 && text.contains("dm_millpond_")) {
                    self.refused.push(Refused { part: part.to_owned(), number, text });
                }
                Ok(Rows::default())
            }
            Err(SourceError::Lost(why)) => Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers texts by a word in them.
    struct Scripted(Vec<(&'static str, Result<Rows, SourceError>)>);

    impl Source for Scripted {
        fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError> {
            let found = self.0.iter().find(|(word, _)| text.contains(word));
            found.map_or(Ok(Vec::new()), |(_, answer)| answer.clone().map(|rows| vec![rows]))
        }
    }

    fn rows(columns: &[&str], rows: &[&[i64]]) -> Rows {
        Rows {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: rows.iter().map(|row| row.iter().map(|cell| Cell::Int(*cell)).collect()).collect(),
        }
    }

    fn refused(number: i32, text: &str) -> Result<Rows, SourceError> {
        Err(SourceError::Refused { number, text: text.into() })
    }

    #[test]
    fn a_refused_part_is_named_and_the_rest_goes_on() {
        let mut source = Scripted(vec![
            ("@@servername", Ok(rows(&["session_id"], &[&[60]]))),
            ("dm_os_wait_stats", refused(300, "VIEW SERVER STATE permission was denied")),
            ("dm_millpond_file_writes", refused(208, "Invalid object name 'sys.dm_millpond_file_writes'.")),
            ("s.login_name", Ok(rows(&["session_id", "open_transactions"], &[&[51, 1], &[60, 0], &[51, 1]]))),
            ("from sys.databases", Ok(rows(&["database_id"], &[&[1], &[2]]))),
        ]);
        let sample = collect(&mut source).expect("connected");
        let parts: Vec<(&str, i32)> = sample.refused.iter().map(|it| (it.part.as_str(), it.number)).collect();
        assert_eq!(parts, [("waits", 300)]);
        assert_eq!(sample.databases.len(), 2);
        let sessions: Vec<i64> = sample.sessions.iter().map(|it| it.session_id).collect();
        assert_eq!(sessions, [51], "neither its own nor one twice");
    }

    #[test]
    fn who_sees_no_other_session_sees_its_own() {
        let mut source = Scripted(vec![
            ("@@servername", Ok(rows(&["session_id"], &[&[60]]))),
            ("s.login_name", Ok(rows(&["session_id"], &[&[60]]))),
        ]);
        assert_eq!(collect(&mut source).expect("connected").sessions.len(), 1);
    }

    #[test]
    fn totals_ask_for_nothing_of_single_sessions() {
        let mut source = Scripted(vec![
            ("s.login_name", refused(1, "asked for sessions")),
            ("dm_exec_sql_text", refused(1, "asked for statements")),
            ("blocking_session_id > 0 then 1", Ok(rows(&["requests", "blocked"], &[&[7, 2]]))),
            ("count(*) as value", Ok(rows(&["value"], &[&[9]]))),
        ]);
        let totals = collect_totals(&mut source).expect("connected");
        assert_eq!((totals.requests, totals.blocked, totals.sample.session_count), (7, 2, 8));
        assert!(totals.sample.refused.is_empty(), "{:?}", totals.sample.refused);
    }

    #[test]
    fn a_lost_connection_ends_the_sample() {
        let mut source = Scripted(vec![("dm_os_memory_clerks", Err(SourceError::Lost("it is gone".into())))]);
        assert_eq!(collect(&mut source), Err("it is gone".to_owned()));
    }
}
