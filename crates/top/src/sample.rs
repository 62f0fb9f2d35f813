//! What a server said of itself at one time: a sample, which is also a line of a recorded file.
//!
//! What always holds: counters are as the server gave them, totals since it started; nothing is computed here. A part that
//! the server refused is empty and stands in `refused`. Fields that a record lacks are empty, so old records can be read.
//! Texts are as the server sent them: whoever shows them makes them harmless.

use serde::{Deserialize, Serialize};

use crate::source::{FromCell, FromRow, Row};

/// Structs whose fields are columns of a result.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        impl FromRow for $name {
            fn from_row(row: &Row<'_>) -> Self {
                $name { $($field: FromCell::from_cell(row.cell(stringify!($field))),)* }
            }
        }
    )*};
}

rows! {
    /// Which server it is, and which session of it asks.
    Server {
        /// `@@SERVERNAME`
        name: String,
        /// `ProductVersion`, as 16.0.1000.6
        version: String,
        /// `Edition`
        edition: String,
        /// The session that asked.
        session_id: i64,
        /// The server's clock, as text.
        now: String,
    }
    /// The machine and the process.
    System {
        /// Milliseconds of the machine's clock, which goes on when the server is restarted.
        ms_ticks: i64,
        /// Logical processors.
        cpu_count: i64,
        /// Memory of the machine.
        physical_memory_kb: i64,
        /// Memory that the server has.
        committed_kb: i64,
        /// Memory that the server may have.
        committed_target_kb: i64,
        /// CPU time of the process in the kernel.
        process_kernel_time_ms: i64,
        /// CPU time of the process outside of it.
        process_user_time_ms: i64,
        /// When the server started, as text: another one means a restart.
        started: String,
        /// Seconds since then.
        uptime_s: i64,
    }
    /// A performance counter.
    Counter {
        /// Its object without the name of the instance, as "Databases".
        object: String,
        /// Its name, as "Transactions/sec".
        counter: String,
        /// What of it, as a database's name.
        instance: String,
        /// Its value: a total where the name says "/sec".
        value: i64,
    }
    /// What was waited for since the server started.
    Wait {
        /// As "PAGEIOLATCH_SH".
        wait_type: String,
        /// How often.
        waiting_tasks_count: i64,
        /// How long, with the time for a processor afterwards.
        wait_time_ms: i64,
        /// The time for a processor afterwards.
        signal_wait_time_ms: i64,
    }
    /// A session, and its request if one runs.
    Session {
        /// Its number.
        session_id: i64,
        /// Who logged in.
        login_name: String,
        /// The client's machine.
        host_name: String,
        /// The client's program.
        program_name: String,
        /// Where it is.
        database_name: String,
        /// Of the session, as "sleeping".
        session_status: String,
        /// Of the request, as "suspended"; nothing where none runs.
        request_status: Option<String>,
        /// Of the request, as "SELECT".
        command: Option<String>,
        /// When the request began, as text: it tells requests of one session apart.
        request_start: Option<String>,
        /// How long the request runs.
        elapsed_ms: Option<i64>,
        /// CPU time of the session; of SQL Server without what the request that runs has used so far.
        session_cpu_ms: i64,
        /// CPU time of the request.
        request_cpu_ms: Option<i64>,
        /// Physical reads of the session.
        session_reads: i64,
        /// Physical reads of the request.
        request_reads: Option<i64>,
        /// Writes of the session.
        session_writes: i64,
        /// Writes of the request.
        request_writes: Option<i64>,
        /// Logical reads of the session.
        session_logical_reads: i64,
        /// Logical reads of the request.
        request_logical_reads: Option<i64>,
        /// What the request waits for now.
        wait_type: Option<String>,
        /// For how long.
        wait_ms: Option<i64>,
        /// On what, as "2:1:1".
        wait_resource: Option<String>,
        /// The session that it waits for; 0 for none.
        blocking_session_id: i64,
        /// Open transactions.
        open_transactions: i64,
        /// Seconds since the last request ended.
        idle_s: Option<i64>,
    }
    /// The text of what a session runs, or ran last.
    Statement {
        /// The session.
        session_id: i64,
        /// Its statement, up to 4,000 characters.
        statement: String,
    }
    /// What a session, or the request that it runs, holds of tempdb.
    Held {
        /// The session.
        session_id: i64,
        /// Pages of temporary tables.
        user_objects_pages: i64,
        /// Pages of what its statements spill and keep.
        internal_objects_pages: i64,
    }
    /// Memory of a request that sorts or hashes.
    Grant {
        /// The session.
        session_id: i64,
        /// What was asked for.
        requested_memory_kb: i64,
        /// What it may use; nothing while it waits for it.
        granted_memory_kb: Option<i64>,
        /// What it uses.
        used_memory_kb: Option<i64>,
        /// How long it has waited for it.
        wait_ms: Option<i64>,
    }
    /// A file and what was read from it and written to it.
    FileIo {
        /// The database.
        database_id: i64,
        /// The file in it.
        file_id: i64,
        /// The database's name.
        database_name: String,
        /// The file's logical name.
        file_name: String,
        /// Where it lies.
        physical_name: String,
        /// ROWS or LOG.
        type_desc: String,
        /// Reads.
        num_of_reads: i64,
        /// Bytes of them.
        num_of_bytes_read: i64,
        /// Time that was waited for them.
        io_stall_read_ms: i64,
        /// Writes.
        num_of_writes: i64,
        /// Bytes of them.
        num_of_bytes_written: i64,
        /// Time that was waited for them.
        io_stall_write_ms: i64,
        /// Its size.
        size_on_disk_bytes: i64,
        /// By what it grows: pages, or percent.
        growth: i64,
        /// Whether it grows by percent.
        is_percent_growth: i64,
        /// Pages at most; -1 for no limit but the disk's.
        max_size_pages: i64,
    }
    /// The volume that a file lies on.
    FileVolume {
        /// The database.
        database_id: i64,
        /// The file in it.
        file_id: i64,
        /// Where the volume is mounted.
        volume: String,
        /// Its size.
        total_bytes: i64,
        /// What is free of it.
        available_bytes: i64,
    }
    /// A file of tempdb and what its space is used for, in pages of 8 KB.
    TempdbFile {
        /// The file.
        file_id: i64,
        /// All pages.
        total_pages: i64,
        /// Pages of free extents.
        free_pages: i64,
        /// Pages of row versions.
        version_store_pages: i64,
        /// Pages of temporary tables.
        user_objects_pages: i64,
        /// Pages of what statements spill and keep.
        internal_objects_pages: i64,
        /// Pages of extents that several objects share.
        mixed_extent_pages: i64,
    }
    /// A transaction for which row versions are kept, or that makes some.
    VersionUser {
        /// The session.
        session_id: i64,
        /// Whether it reads by a snapshot; else it changes rows or reads by statements.
        is_snapshot: i64,
        /// Seconds since it began.
        elapsed_s: i64,
    }
    /// Memory of a kind.
    Clerk {
        /// As "MEMORYCLERK_SQLBUFFERPOOL".
        clerk: String,
        /// What it has.
        pages_kb: i64,
    }
    /// An operator of a statement that runs, all of its threads together.
    Operator {
        /// The session.
        session_id: i64,
        /// Its number in the plan.
        node_id: i64,
        /// As "Hash Match".
        operator: String,
        /// Threads that run it.
        threads: i64,
        /// Rows so far.
        rows: Option<i64>,
        /// Rows that were expected.
        estimated_rows: Option<i64>,
        /// Time so far.
        elapsed_ms: Option<i64>,
        /// CPU time so far.
        cpu_ms: Option<i64>,
    }
    /// Which operator takes the rows of another one.
    Parent {
        /// The session.
        session_id: i64,
        /// The operator whose rows are taken.
        node_id: i64,
        /// The operator that takes them.
        parent_id: i64,
    }
    /// A database.
    Database {
        /// Its number.
        database_id: i64,
        /// Its name.
        name: String,
        /// As "ONLINE".
        state_desc: String,
        /// As "FULL".
        recovery_model_desc: String,
        /// What keeps its log from being cut, as "LOG_BACKUP".
        log_reuse_wait_desc: String,
    }
    /// Writes to a file for a reason, of Millpond alone.
    FileWrites {
        /// The database.
        database_id: i64,
        /// The file in it.
        file_id: i64,
        /// The file's logical name.
        file_name: String,
        /// The session that caused them; 0 for the server.
        session_id: i64,
        /// Why, as "spill".
        reason: String,
        /// How many.
        writes: i64,
        /// Bytes of them.
        bytes_written: i64,
    }
    /// How many requests of a kind a volume did in a range of time, of Millpond alone.
    VolumeLatency {
        /// Where it is mounted.
        volume: String,
        /// What it is, as "file" or the model of an emulated disk.
        model: String,
        /// "read", "write" or "flush".
        operation: String,
        /// Where the range ends.
        up_to_us: Option<i64>,
        /// How many.
        requests: i64,
    }
    /// What a volume did, of Millpond alone, which measures there.
    VolumeIo {
        /// Where it is mounted.
        volume: String,
        /// What it is, as "file" or the model of an emulated disk.
        model: String,
        /// Reads.
        disk_reads: i64,
        /// Bytes of them.
        disk_read_bytes: i64,
        /// Time of them.
        disk_read_time_us: i64,
        /// Writes.
        disk_writes: i64,
        /// Bytes of them.
        disk_write_bytes: i64,
        /// Time of them.
        disk_write_time_us: i64,
        /// Times that it made writes durable.
        disk_flushes: i64,
        /// Time of these.
        disk_flush_time_us: i64,
        /// Requests that it has to do.
        queue_length: i64,
    }
}

/// A part that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refused {
    /// The part, as "waits".
    pub part: String,
    /// The server's number: 300 and 297 are missing rights, 208 is a view that there is not.
    pub number: i32,
    /// The server's text.
    pub text: String,
}

/// What a server said of itself at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// When it was taken, by the clock of this machine: milliseconds since 1970.
    pub taken_ms: i64,
    /// How long the server took for all of it.
    pub collected_in_ms: i64,
    /// The server.
    pub server: Server,
    /// Machine and process.
    pub system: Option<System>,
    /// What was refused, part by part.
    pub refused: Vec<Refused>,
    /// Performance counters.
    pub counters: Vec<Counter>,
    /// Waits.
    pub waits: Vec<Wait>,
    /// Up to 500 sessions, those first that run or block.
    pub sessions: Vec<Session>,
    /// How many sessions there are in all.
    pub session_count: i64,
    /// Statements that run.
    pub statements: Vec<Statement>,
    /// Statements that sleeping sessions with open transactions ran last.
    pub last_statements: Vec<Statement>,
    /// tempdb that sessions hold, by requests that ended.
    pub session_space: Vec<Held>,
    /// tempdb that requests which run hold.
    pub task_space: Vec<Held>,
    /// Memory grants.
    pub grants: Vec<Grant>,
    /// Files.
    pub files: Vec<FileIo>,
    /// Volumes of files.
    pub file_volumes: Vec<FileVolume>,
    /// Files of tempdb.
    pub tempdb_files: Vec<TempdbFile>,
    /// Up to 20 transactions that row versions are kept for, the oldest first.
    pub version_users: Vec<VersionUser>,
    /// Memory by kind.
    pub memory: Vec<Clerk>,
    /// Operators that run.
    pub operators: Vec<Operator>,
    /// How operators hang together.
    pub parents: Vec<Parent>,
    /// Databases.
    pub databases: Vec<Database>,
    /// Writes by reason.
    pub file_writes: Vec<FileWrites>,
    /// Volumes as the server measures them.
    pub volumes: Vec<VolumeIo>,
}

impl Sample {
    /// The value of a counter; of all instances "" is the one without a name.
    pub fn counter(&self, object: &str, counter: &str, instance: &str) -> Option<i64> {
        let is_it = |it: &&Counter| it.object == object && it.counter == counter && it.instance == instance;
        self.counters.iter().find(is_it).map(|it| it.value)
    }

    /// What a session runs, or ran last.
    pub fn statement(&self, session_id: i64) -> Option<&str> {
        let both = self.statements.iter().chain(&self.last_statements);
        both.filter(|it| it.session_id == session_id).map(|it| it.statement.as_str()).next()
    }

    /// Pages of tempdb that a session and its request hold: of temporary tables, and of what statements keep.
    pub fn held_pages(&self, session_id: i64) -> (i64, i64) {
        let both = self.session_space.iter().chain(&self.task_space);
        let (user, internal) = both.filter(|it| it.session_id == session_id).fold((0i64, 0i64), |sum, it| {
            (sum.0.saturating_add(it.user_objects_pages), sum.1.saturating_add(it.internal_objects_pages))
        });
        // What one request allocated another one may have freed: each of the two views alone can be below 0.
        (user.max(0), internal.max(0))
    }
}
