//! The figures of all screens as tables, for scripts: each column has its unit at the end of its name.
//!
//! What always holds: names of tables and columns and the order of columns are the same for every server, so that scripts can rely
//! on them; a table without rows has its columns all the same. Texts are as the server sent them.

use crate::interval::{Interval, Traffic};
use crate::sample::Session;
use crate::source::Cell;
use crate::tree;
use crate::verdict::verdict;

/// A table of figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Its name, as "sessions".
    pub name: &'static str,
    /// Its columns, with units.
    pub columns: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

/// The tables that are a screen's own: one of them is what CSV shows.
pub const SCREENS: [&str; 7] = ["overview", "sessions", "tempdb", "io", "waits", "plans", "log"];

/// All tables.
pub fn all(interval: &Interval) -> Vec<Figures> {
    vec![
        overview(interval),
        memory(interval),
        sessions(interval),
        tempdb(interval),
        tempdb_sessions(interval),
        tempdb_versions(interval),
        io(interval),
        volumes(interval),
        write_reasons(interval),
        wait_categories(interval),
        waits(interval),
        plans(interval),
        log(interval),
        refused(interval),
    ]
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

fn texts(value: Option<&str>) -> Cell {
    value.map_or(Cell::Null, text)
}

fn int(value: Option<i64>) -> Cell {
    value.map_or(Cell::Null, Cell::Int)
}

fn count(value: usize) -> Cell {
    Cell::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// To three digits after the point: more is noise of clocks.
fn float(value: f64) -> Cell {
    Cell::Float((value * 1000.0).round() / 1000.0)
}

/// Tables are made of pairs, so that a column cannot lose its value.
macro_rules! table {
    ($name:literal, $items:expr, |$item:pat_param| { $($column:ident: $value:expr,)* }) => {
        Figures {
            name: $name,
            columns: vec![$(stringify!($column),)*],
            rows: $items.into_iter().map(|$item| vec![$($value,)*]).collect(),
        }
    };
}

fn overview(interval: &Interval) -> Figures {
    let sample = &interval.sample;
    let system = sample.system.as_ref();
    let kb = |of: fn(&crate::sample::TempdbFile) -> i64| {
        let pages = sample.tempdb_files.iter().map(of).fold(0i64, i64::saturating_add);
        Cell::Int(pages.saturating_mul(8))
    };
    let with = |is_it: fn(&Session) -> bool| count(sample.sessions.iter().filter(|it| is_it(it)).count());
    let traffic = &interval.traffic;
    let verdict = verdict(interval);
    table!("overview", [()], |()| {
        server: text(&sample.server.name),
        version: text(&sample.server.version),
        taken_ms: Cell::Int(sample.taken_ms),
        interval_s: float(interval.seconds),
        uptime_s: int(system.map(|it| it.uptime_s)),
        bound_by: text(verdict.bound.name()),
        verdict: text(&verdict.sentence),
        cpu_percent: interval.cpu_share.map_or(Cell::Null, |share| float(share * 100.0)),
        cpu_count: int(system.map(|it| it.cpu_count)),
        batches_per_s: float(interval.batches_per_s),
        transactions_per_s: float(interval.transactions_per_s),
        compilations_per_s: float(interval.compilations_per_s),
        deadlocks_per_s: float(interval.deadlocks_per_s),
        log_bytes_per_s: float(interval.log_bytes_per_s),
        reads_per_s: float(traffic.reads_per_s),
        read_bytes_per_s: float(traffic.read_bytes_per_s),
        average_read_ms: float(traffic.ms_per_read),
        writes_per_s: float(traffic.writes_per_s),
        write_bytes_per_s: float(traffic.write_bytes_per_s),
        average_write_ms: float(traffic.ms_per_write),
        sessions: Cell::Int(sample.session_count),
        sessions_running: with(|it| it.request_status.is_some()),
        sessions_blocked: with(|it| it.blocking_session_id > 0),
        memory_committed_kb: int(system.map(|it| it.committed_kb)),
        memory_target_kb: int(system.map(|it| it.committed_target_kb)),
        tempdb_size_kb: kb(|it| it.total_pages),
        tempdb_user_objects_kb: kb(|it| it.user_objects_pages),
        tempdb_internal_objects_kb: kb(|it| it.internal_objects_pages),
        tempdb_version_store_kb: kb(|it| it.version_store_pages),
        tempdb_mixed_extents_kb: kb(|it| it.mixed_extent_pages),
        tempdb_free_kb: kb(|it| it.free_pages),
    })
}

fn memory(interval: &Interval) -> Figures {
    table!("memory", &interval.sample.memory, |it| {
        clerk: text(&it.clerk),
        memory_kb: Cell::Int(it.pages_kb),
    })
}

fn sessions(interval: &Interval) -> Figures {
    let sample = &interval.sample;
    table!("sessions", sample.sessions.iter().zip(&interval.sessions), |(it, rate)| {
        session_id: Cell::Int(it.session_id),
        login: text(&it.login_name),
        host: text(&it.host_name),
        program: text(&it.program_name),
        database: text(&it.database_name),
        status: text(it.request_status.as_deref().unwrap_or(&it.session_status)),
        command: texts(it.command.as_deref()),
        elapsed_ms: int(it.elapsed_ms),
        idle_s: int(it.idle_s),
        cpu_ms_per_s: float(rate.cpu_ms_per_s),
        cpu_ms: Cell::Int(cpu_ms(it)),
        reads: Cell::Int(it.request_reads.unwrap_or(it.session_reads)),
        logical_reads: Cell::Int(it.request_logical_reads.unwrap_or(it.session_logical_reads)),
        writes: Cell::Int(it.request_writes.unwrap_or(it.session_writes)),
        tempdb_user_objects_kb: Cell::Int(sample.held_pages(it.session_id).0.saturating_mul(8)),
        tempdb_internal_objects_kb: Cell::Int(sample.held_pages(it.session_id).1.saturating_mul(8)),
        grant_kb: int(grant_kb(interval, it.session_id)),
        grant_used_kb: int(sample.grants.iter().find(|grant| grant.session_id == it.session_id).and_then(|it| it.used_memory_kb)),
        open_transactions: Cell::Int(it.open_transactions),
        wait_type: texts(it.wait_type.as_deref()),
        wait_ms: int(it.wait_ms.filter(|_| it.wait_type.is_some())),
        wait_resource: texts(it.wait_resource.as_deref().filter(|it| !it.is_empty())),
        blocked_by: int(Some(it.blocking_session_id).filter(|it| *it > 0)),
        statement: texts(sample.statement(it.session_id)),
    })
}

/// CPU time of the request that runs, else of the session.
pub fn cpu_ms(session: &Session) -> i64 {
    session.request_cpu_ms.unwrap_or(session.session_cpu_ms)
}

/// What a session's request may use.
pub fn grant_kb(interval: &Interval, session_id: i64) -> Option<i64> {
    let of_it = interval.sample.grants.iter().filter(|grant| grant.session_id == session_id);
    of_it.filter_map(|grant| grant.granted_memory_kb).reduce(i64::saturating_add)
}

fn tempdb(interval: &Interval) -> Figures {
    let files = &interval.sample.files;
    let rate = |file_id| {
        interval.files.iter().find(|it| files[it.place].database_id == 2 && files[it.place].file_id == file_id)
    };
    table!("tempdb", &interval.sample.tempdb_files, |it| {
        file_id: Cell::Int(it.file_id),
        file: texts(rate(it.file_id).map(|rate| files[rate.place].file_name.as_str())),
        size_kb: Cell::Int(it.total_pages.saturating_mul(8)),
        free_kb: Cell::Int(it.free_pages.saturating_mul(8)),
        user_objects_kb: Cell::Int(it.user_objects_pages.saturating_mul(8)),
        internal_objects_kb: Cell::Int(it.internal_objects_pages.saturating_mul(8)),
        version_store_kb: Cell::Int(it.version_store_pages.saturating_mul(8)),
        mixed_extents_kb: Cell::Int(it.mixed_extent_pages.saturating_mul(8)),
        reads_per_s: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.reads_per_s)),
        read_bytes_per_s: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.read_bytes_per_s)),
        writes_per_s: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.writes_per_s)),
        write_bytes_per_s: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.write_bytes_per_s)),
        average_read_ms: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.ms_per_read)),
        average_write_ms: rate(it.file_id).map_or(Cell::Null, |it| float(it.traffic.ms_per_write)),
        growth_kb: rate(it.file_id).map(|it| &files[it.place]).filter(|it| it.is_percent_growth == 0)
            .map_or(Cell::Null, |it| Cell::Int(it.growth.saturating_mul(8))),
        growth_percent: rate(it.file_id).map(|it| &files[it.place]).filter(|it| it.is_percent_growth != 0)
            .map_or(Cell::Null, |it| Cell::Int(it.growth)),
        max_size_kb: rate(it.file_id).map(|it| &files[it.place]).filter(|it| it.max_size_pages > 0)
            .map_or(Cell::Null, |it| Cell::Int(it.max_size_pages.saturating_mul(8))),
    })
}

/// Sessions that hold pages of tempdb, with their pages of temporary tables and of what statements keep; the most first.
pub fn holders(interval: &Interval) -> Vec<(i64, i64, i64)> {
    let sample = &interval.sample;
    let mut sessions: Vec<i64> =
        sample.session_space.iter().chain(&sample.task_space).map(|held| held.session_id).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let mut holders: Vec<(i64, i64, i64)> = sessions
        .into_iter()
        .map(|session| {
            let (user, internal) = sample.held_pages(session);
            (session, user, internal)
        })
        .filter(|(_, user, internal)| *user > 0 || *internal > 0)
        .collect();
    holders.sort_by_key(|(session, user, internal)| (std::cmp::Reverse(user.saturating_add(*internal)), *session));
    holders
}

fn tempdb_sessions(interval: &Interval) -> Figures {
    table!("tempdb_sessions", holders(interval), |(session_id, user, internal)| {
        session_id: Cell::Int(session_id),
        user_objects_kb: Cell::Int(user.saturating_mul(8)),
        internal_objects_kb: Cell::Int(internal.saturating_mul(8)),
    })
}

fn tempdb_versions(interval: &Interval) -> Figures {
    table!("tempdb_versions", &interval.sample.version_users, |it| {
        session_id: Cell::Int(it.session_id),
        is_snapshot: Cell::Int(it.is_snapshot),
        elapsed_s: Cell::Int(it.elapsed_s),
    })
}

fn io(interval: &Interval) -> Figures {
    let files = &interval.sample.files;
    table!("io", &interval.files, |it| {
        database_id: Cell::Int(files[it.place].database_id),
        database: text(&files[it.place].database_name),
        file_id: Cell::Int(files[it.place].file_id),
        file: text(&files[it.place].file_name),
        kind: text(&files[it.place].type_desc),
        size_bytes: Cell::Int(files[it.place].size_on_disk_bytes),
        reads_per_s: float(it.traffic.reads_per_s),
        read_bytes_per_s: float(it.traffic.read_bytes_per_s),
        average_read_ms: float(it.traffic.ms_per_read),
        average_read_bytes: float(it.traffic.bytes_per_read()),
        writes_per_s: float(it.traffic.writes_per_s),
        write_bytes_per_s: float(it.traffic.write_bytes_per_s),
        average_write_ms: float(it.traffic.ms_per_write),
        average_write_bytes: float(it.traffic.bytes_per_write()),
        path: text(&files[it.place].physical_name),
    })
}

fn volumes(interval: &Interval) -> Figures {
    let of = |traffic: &Traffic, figure: fn(&Traffic) -> f64| float(figure(traffic));
    table!("volumes", &interval.volumes, |it| {
        volume: text(&it.volume),
        model: text(&it.model),
        reads_per_s: of(&it.traffic, |it| it.reads_per_s),
        read_bytes_per_s: of(&it.traffic, |it| it.read_bytes_per_s),
        average_read_ms: of(&it.traffic, |it| it.ms_per_read),
        writes_per_s: of(&it.traffic, |it| it.writes_per_s),
        write_bytes_per_s: of(&it.traffic, |it| it.write_bytes_per_s),
        average_write_ms: of(&it.traffic, |it| it.ms_per_write),
        flushes_per_s: it.flushes_per_s.map_or(Cell::Null, float),
        average_flush_ms: it.ms_per_flush.map_or(Cell::Null, float),
        queue_length: int(it.queue_length),
        total_bytes: int(it.total_bytes),
        available_bytes: int(it.available_bytes),
    })
}

fn write_reasons(interval: &Interval) -> Figures {
    table!("write_reasons", &interval.writes, |it| {
        database_id: Cell::Int(it.database_id),
        file: text(&it.file_name),
        reason: text(&it.reason),
        writes_per_s: float(it.writes_per_s),
        write_bytes_per_s: float(it.write_bytes_per_s),
        total_bytes: Cell::Int(it.total_bytes),
        most_by_session_id: Cell::Int(it.session_id),
    })
}

fn wait_categories(interval: &Interval) -> Figures {
    table!("wait_categories", &interval.categories, |it| {
        category: text(it.category.name()),
        wait_ms_per_s: float(it.wait_ms_per_s),
        share_percent: float(it.share * 100.0),
        requests_waiting: count(it.waiting_now),
        waiting_average: float(it.waiting_average),
    })
}

fn waits(interval: &Interval) -> Figures {
    table!("waits", &interval.waits, |it| {
        wait_type: text(&it.wait_type),
        category: text(it.category.name()),
        waits_per_s: float(it.waits_per_s),
        wait_ms_per_s: float(it.wait_ms_per_s),
        average_wait_ms: float(it.ms_per_wait),
        signal_percent: float(it.signal_share * 100.0),
    })
}

/// Operators as trees: places in the sample's operators, with depths. Where nothing says how they hang together, all are roots.
pub fn operators(interval: &Interval) -> Vec<tree::Placed> {
    let sample = &interval.sample;
    let mut placed = Vec::new();
    let mut begin = 0;
    // Operators come by session.
    for one in sample.operators.chunk_by(|a, b| a.session_id == b.session_id) {
        let parent = |node_id: i64| {
            let is_it = |it: &&crate::sample::Parent| it.session_id == one[0].session_id && it.node_id == node_id;
            sample.parents.iter().find(is_it).map(|it| it.parent_id)
        };
        let nodes: Vec<(i64, Option<i64>)> = one.iter().map(|it| (it.node_id, parent(it.node_id))).collect();
        let trees = tree::trees(&nodes).into_iter();
        placed.extend(trees.map(|it| tree::Placed { place: it.place + begin, ..it }));
        begin += one.len();
    }
    placed
}

fn plans(interval: &Interval) -> Figures {
    let all = &interval.sample.operators;
    table!("plans", operators(interval), |tree::Placed { place, depth }| {
        session_id: Cell::Int(all[place].session_id),
        node_id: Cell::Int(all[place].node_id),
        depth: count(depth),
        operator: text(&all[place].operator),
        threads: Cell::Int(all[place].threads),
        rows: int(all[place].rows),
        estimated_rows: int(all[place].estimated_rows),
        elapsed_ms: int(all[place].elapsed_ms),
        cpu_ms: int(all[place].cpu_ms),
    })
}

fn log(interval: &Interval) -> Figures {
    table!("log", &interval.logs, |it| {
        database: text(&it.database),
        state: text(&it.state),
        recovery_model: text(&it.recovery_model),
        reuse_wait: text(&it.reuse_wait),
        size_kb: int(it.size_kb),
        used_kb: int(it.used_kb),
        flushed_bytes_per_s: float(it.flushed_bytes_per_s),
        flushes_per_s: float(it.flushes_per_s),
        transactions_per_s: float(it.transactions_per_s),
    })
}

fn refused(interval: &Interval) -> Figures {
    table!("refused", &interval.sample.refused, |it| {
        part: text(&it.part),
        number: Cell::Int(i64::from(it.number)),
        message: text(&it.text),
    })
}
