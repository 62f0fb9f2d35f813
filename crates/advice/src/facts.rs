//! What is known of a server: plain figures, as views have them.
//!
//! What always holds: totals are since the server's start, levels are of now. What a server does not tell is empty or `None`, never a
//! guess. It knows no views.

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The server and its machine.
    pub server: Server,
    /// Files of all databases.
    pub files: Vec<File>,
    /// What fills tempdb's data files.
    pub tempdb_space: Vec<TempdbSpace>,
    /// What filled them when most was used.
    pub tempdb_peak: Option<TempdbPeak>,
    /// Waits by type.
    pub waits: Vec<Wait>,
    /// Requests that wait for a page of tempdb's allocation maps at the moment.
    pub allocation_waiters: i64,
    /// Limits of space in tempdb.
    pub quotas: Vec<Quota>,
    /// Logs of databases.
    pub logs: Vec<Log>,
    /// Statements that spilled, those that spilled most first.
    pub spills: Vec<Spill>,
    /// Read-only databases, by their numbers.
    pub read_only: Vec<i64>,
    /// Indexes that plans missed.
    pub missing_indexes: Vec<MissingIndex>,
    /// Indexes that are kept.
    pub indexes: Vec<IndexUse>,
    /// Devices.
    pub volumes: Vec<Volume>,
    /// The buffer pool.
    pub pool: Pool,
    /// The buffer pool extension, where one is on.
    pub extension: Option<Extension>,
    /// What more memory would have hit; SQL Server does not know it.
    pub curve: Option<Curve>,
    /// Parts that the server refused to tell, by their topics.
    pub refused: Vec<Refused>,
}

/// The server and its machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// Whether it is Millpond.
    pub is_millpond: bool,
    /// The first number of its version: 13 is SQL Server 2016.
    pub major_version: i64,
    /// Seconds since its start.
    pub uptime_s: f64,
    /// Processors that it may use.
    pub cpu_count: i64,
    /// Memory of the machine.
    pub physical_memory_kb: i64,
    /// `max server memory (MB)` as it is used now.
    pub max_server_memory_mb: i64,
    /// Memory that the server aims at now.
    pub memory_target_kb: i64,
    /// Trace flags that are on, where they are known.
    pub trace_flags: Vec<i64>,
    /// Millpond's option `tempdb forward-only extent search`.
    pub is_forward_only_search: bool,
    /// Millpond's option `tempdb eager writes`.
    pub is_eager_writes: bool,
    /// Sessions of users that are connected.
    pub sessions: i64,
}

/// How a file grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// It does not.
    #[default]
    None,
    /// By so many KB.
    Kb(i64),
    /// By so many percent of its size.
    Percent(i64),
}

/// A file of a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The database's number; 2 is tempdb.
    pub database_id: i64,
    /// The database.
    pub database: String,
    /// The file's number in its database.
    pub file_id: i64,
    /// Its name in the database.
    pub name: String,
    /// Where it is.
    pub physical_name: String,
    /// Whether it is of the log.
    pub is_log: bool,
    /// Its size.
    pub size_kb: i64,
    /// Of a file of tempdb the size that it begins with at each start.
    pub start_kb: Option<i64>,
    /// How it grows.
    pub growth: Growth,
    /// How large it may become; `None` is without a limit.
    pub max_kb: Option<i64>,
    /// Reads.
    pub reads: i64,
    /// Bytes of them.
    pub read_bytes: i64,
    /// What they were waited for.
    pub read_stall_ms: i64,
    /// Writes.
    pub writes: i64,
    /// Bytes of them.
    pub write_bytes: i64,
    /// What they were waited for.
    pub write_stall_ms: i64,
    /// The device, by [`Volume::name`]; empty where it is not known.
    pub volume: String,
    /// Millpond's tier: lower ones are filled first.
    pub tier: Option<i64>,
    /// Bytes written by reason, where the server reports reasons.
    pub written: Vec<(String, i64)>,
}

impl File {
    /// Whether it is one of tempdb's data files.
    #[must_use]
    pub fn is_tempdb_data(&self) -> bool {
        self.database_id == TEMPDB && !self.is_log
    }

    /// Bytes that were written for a reason.
    #[must_use]
    pub fn written_for(&self, reason: &str) -> i64 {
        self.written.iter().filter(|(of, _)| of == reason).map(|(_, bytes)| bytes).sum()
    }
}

/// tempdb's number.
pub const TEMPDB: i64 = 2;

/// What fills a data file of tempdb.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TempdbSpace {
    /// The file.
    pub file_id: i64,
    /// All of it.
    pub total_kb: i64,
    /// Temporary tables.
    pub user_objects_kb: i64,
    /// What statements spill and keep.
    pub internal_objects_kb: i64,
    /// Row versions.
    pub version_store_kb: i64,
    /// What nothing is in.
    pub free_kb: i64,
}

/// What filled tempdb when most of it was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TempdbPeak {
    /// Temporary tables.
    pub user_objects_kb: i64,
    /// What statements spill and keep.
    pub internal_objects_kb: i64,
    /// Row versions.
    pub version_store_kb: i64,
}

impl TempdbPeak {
    /// All kinds.
    #[must_use]
    pub fn total_kb(&self) -> i64 {
        self.user_objects_kb + self.internal_objects_kb + self.version_store_kb
    }
}

/// Waits of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// The type.
    pub wait_type: String,
    /// How many.
    pub waits: i64,
    /// How long in all.
    pub wait_ms: i64,
}

/// A limit of space in tempdb.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quota {
    /// The workload group.
    pub group: String,
    /// What its requests may have in tempdb together; `None` without a limit.
    pub limit_kb: Option<i64>,
    /// What they had at most.
    pub peak_kb: i64,
    /// Requests that were ended because of it.
    pub violations: i64,
}

/// The log of a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The database's number.
    pub database_id: i64,
    /// The database.
    pub database: String,
    /// `SIMPLE`, `FULL` or `BULK_LOGGED`.
    pub recovery_model: String,
    /// All of it.
    pub size_kb: i64,
    /// What must be kept now.
    pub active_kb: i64,
    /// Virtual log files.
    pub vlf_count: i64,
    /// Why it cannot be cut, as `LOG_BACKUP`; `NOTHING` where it can.
    pub reuse_wait: String,
}

/// A statement that spilled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spill {
    /// `query_hash` as text.
    pub query_hash: String,
    /// The begin of the batch that it is in, on one line.
    pub text: String,
    /// Runs of it.
    pub executions: i64,
    /// What all of them spilled.
    pub spilled_kb: i64,
    /// What the run that spilled most spilled.
    pub max_spilled_kb: i64,
    /// Memory that a run was granted at most.
    pub max_grant_kb: i64,
    /// Memory of it that was used at most.
    pub max_used_kb: i64,
    /// Memory that a run wanted at most.
    pub max_ideal_kb: i64,
    /// How long all runs took.
    pub elapsed_ms: i64,
}

/// An index that plans missed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissingIndex {
    /// The table, whole and quoted, as the server writes it.
    pub table: String,
    /// Columns that are compared for equality, quoted.
    pub equality_columns: String,
    /// Columns that are compared otherwise, quoted.
    pub inequality_columns: String,
    /// Columns that are read beside them, quoted.
    pub included_columns: String,
    /// Seeks and scans that it would have had.
    pub uses: i64,
    /// What each of these statements cost, in the optimizer's units.
    pub cost: f64,
    /// By how much of that it would fall.
    pub impact_percent: f64,
}

impl MissingIndex {
    /// What all uses would have cost less: SQL Server's improvement measure.
    #[must_use]
    pub fn improvement(&self) -> f64 {
        self.uses as f64 * self.cost * self.impact_percent / 100.0
    }
}

/// An index that is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexUse {
    /// The database.
    pub database: String,
    /// The schema of its table.
    pub schema: String,
    /// Its table.
    pub table: String,
    /// The index.
    pub name: String,
    /// Whether it is there for its rows or for what it promises: clustered, unique, of a constraint, or disabled.
    pub is_needed: bool,
    /// Seeks, scans and lookups of users.
    pub uses: i64,
    /// Statements that changed it.
    pub updates: i64,
    /// Its size.
    pub size_kb: i64,
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    /// As files name it.
    pub name: String,
    /// What is free on it; `None` where that is not known.
    pub available_kb: Option<i64>,
    /// A folder on it where the server has files.
    pub folder: String,
    /// What a read of 8 KB takes by a measurement, where there was one (`millpond advise --probed`).
    pub probed_read_us: Option<f64>,
}

/// The buffer pool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pool {
    /// Pages asked for.
    pub lookups: i64,
    /// Pages read from files and from the extension.
    pub page_reads: i64,
    /// Seconds that a page stays that is not asked for.
    pub page_life_s: i64,
}

/// The buffer pool extension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extension {
    /// Its file.
    pub path: String,
    /// Its size.
    pub size_kb: i64,
    /// Whether clean pages alone enter, as in SQL Server.
    pub is_clean_only: bool,
    /// Pages that came from it.
    pub hits: i64,
}

/// What more memory, or an extension, would have hit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Seconds that it was counted for.
    pub counted_s: f64,
    /// Pages read into the pool, from files and from the extension.
    pub reads: i64,
    /// Those of them that the extension had.
    pub extension_hits: i64,
    /// By size of the pool in all, ascending.
    pub memory: Vec<CurvePoint>,
    /// By size of the extension, ascending.
    pub extension: Vec<CurvePoint>,
}

/// A point of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurvePoint {
    /// The size.
    pub size_kb: i64,
    /// Reads that would have found their page.
    pub hits: i64,
}

/// What a server refused to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The view.
    pub view: String,
    /// The number of the error.
    pub number: i32,
    /// Its text.
    pub text: String,
}
