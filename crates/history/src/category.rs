//! What waits are for: categories of wait types, and those that mean nothing.
//!
//! What always holds: every type has one category. Types of threads that have nothing to do are [`Category::Idle`], by the list
//! that people who run SQL Server leave out.

use serde::Serialize;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A processor: signal time of all waits, and threads that gave theirs up
    Processor,
    /// Locks
    Lock,
    /// Pages in memory that somebody changes, and other latches
    Latch,
    /// Pages of allocation maps and system tables of tempdb, in memory: PAGELATCH on 2:…
    TempdbAllocation,
    /// Pages from files
    PageIo,
    /// Other reads and writes: files that grow, backups, spills
    OtherIo,
    /// The log, to be durable
    Log,
    /// Memory for sorts and hashes
    MemoryGrant,
    /// Threads
    Worker,
    /// Threads of one statement for each other
    Parallelism,
    /// The client, to take rows
    Network,
    /// Anything else
    Other,
    /// Nothing to do
    Idle,
}

impl Category {
    /// All but [`Category::Idle`], as screens list them.
    pub const SHOWN: [Category; 12] = [
        Category::Processor,
        Category::Lock,
        Category::Latch,
        Category::TempdbAllocation,
        Category::PageIo,
        Category::OtherIo,
        Category::Log,
        Category::MemoryGrant,
        Category::Worker,
        Category::Parallelism,
        Category::Network,
        Category::Other,
    ];

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Category::Processor => "processor",
            Category::Lock => "locks",
            Category::Latch => "latches",
            Category::TempdbAllocation => "tempdb allocation",
            Category::PageIo => "page I/O",
            Category::OtherIo => "other I/O",
            Category::Log => "log",
            Category::MemoryGrant => "memory grants",
            Category::Worker => "workers",
            Category::Parallelism => "parallelism",
            Category::Network => "network",
            Category::Other => "other",
            Category::Idle => "idle",
        }
    }
}

/// Types that are waited for by threads without work, or that accompany all work and say nothing.
const IDLE: [&str; 48] = [
    "BROKER_EVENTHANDLER",
    "BROKER_RECEIVE_WAITFOR",
    "BROKER_TASK_STOP",
    "BROKER_TO_FLUSH",
    "BROKER_TRANSMITTER",
    "CHECKPOINT_QUEUE",
    "CHKPT",
    "CLR_AUTO_EVENT",
    "CLR_MANUAL_EVENT",
    "CLR_SEMAPHORE",
    "CXCONSUMER",
    "DBMIRRORING_CMD",
    "DBMIRROR_DBM_EVENT",
    "DBMIRROR_EVENTS_QUEUE",
    "DBMIRROR_WORKER_QUEUE",
    "DIRTY_PAGE_POLL",
    "DISPATCHER_QUEUE_SEMAPHORE",
    "EXECSYNC",
    "FSAGENT",
    "FT_IFTS_SCHEDULER_IDLE_WAIT",
    "FT_IFTSHC_MUTEX",
    "KSOURCE_WAKEUP",
    "LAZYWRITER_SLEEP",
    "LOGMGR_QUEUE",
    "MEMORY_ALLOCATION_EXT",
    "ONDEMAND_TASK_QUEUE",
    "PARALLEL_REDO_DRAIN_WORKER",
    "PARALLEL_REDO_LOG_CACHE",
    "PARALLEL_REDO_TRAN_LIST",
    "PARALLEL_REDO_WORKER_SYNC",
    "PARALLEL_REDO_WORKER_WAIT_WORK",
    "PVS_PREALLOCATE",
    "PWAIT_ALL_COMPONENTS_INITIALIZED",
    "PWAIT_DIRECTLOGCONSUMER_GETNEXT",
    "PWAIT_EXTENSIBILITY_CLEANUP_TASK",
    "REQUEST_FOR_DEADLOCK_SEARCH",
    "RESOURCE_QUEUE",
    "SERVER_IDLE_CHECK",
    "SNI_HTTP_ACCEPT",
    "SOS_WORK_DISPATCHER",
    "SP_SERVER_DIAGNOSTICS_SLEEP",
    "STARTUP_DEPENDENCY_MANAGER",
    "UCS_SESSION_REGISTRATION",
    "VDI_CLIENT_OTHER",
    "WAITFOR",
    "WAITFOR_TASKSHUTDOWN",
    "WAIT_FOR_RESULTS",
    "XACTWORKSPACE_MUTEX",
];

/// Families of such types.
const IDLE_FAMILIES: [&str; 9] = [
    "HADR_",
    "PREEMPTIVE_XE_",
    "PREEMPTIVE_OS_FLUSHFILEBUFFERS",
    "PREEMPTIVE_SP_SERVER_DIAGNOSTICS",
    "QDS_",
    "SLEEP_",
    "SQLTRACE_",
    "WAIT_XTP_",
    "XE_",
];

/// What a type is waited for. PAGELATCH types are latches here: of which page they are is not in their name.
#[must_use]
pub fn category(wait_type: &str) -> Category {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| wait_type.starts_with(prefix));
    if IDLE.contains(&wait_type) || begins(&IDLE_FAMILIES) {
        return Category::Idle;
    }
    match wait_type {
        "SOS_SCHEDULER_YIELD" => Category::Processor,
        "THREADPOOL" => Category::Worker,
        "ASYNC_NETWORK_IO" | "NET_WAITFOR_PACKET" => Category::Network,
        "IO_COMPLETION" | "ASYNC_IO_COMPLETION" | "WRITE_COMPLETION" | "IO_RETRY" | "BACKUPIO" | "BACKUPBUFFER" => {
            Category::OtherIo
        }
        "WRITELOG" | "LOGBUFFER" | "LOGMGR" | "LOGMGR_FLUSH" | "LOGMGR_RESERVE_APPEND" => Category::Log,
        _ if begins(&["LCK_M_"]) => Category::Lock,
        _ if begins(&["PAGELATCH_", "LATCH_"]) => Category::Latch,
        _ if begins(&["PAGEIOLATCH_"]) => Category::PageIo,
        _ if begins(&["RESOURCE_SEMAPHORE"]) => Category::MemoryGrant,
        _ if begins(&["CXPACKET", "CXSYNC", "CXROWSET", "HT", "BP", "BMP"]) => Category::Parallelism,
        _ if begins(&["PREEMPTIVE_OS_WRITEFILE", "PREEMPTIVE_OS_FILEOPS"]) => Category::OtherIo,
        _ => Category::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_category_that_people_give_them() {
        for (wait_type, expected) in [
            ("LCK_M_U", Category::Lock),
            ("LCK_M_SCH_M_LOW_PRIORITY", Category::Lock),
            ("PAGELATCH_EX", Category::Latch),
            ("LATCH_SH", Category::Latch),
            ("PAGEIOLATCH_SH", Category::PageIo),
            ("WRITELOG", Category::Log),
            ("LOGMGR_QUEUE", Category::Idle),
            ("RESOURCE_SEMAPHORE", Category::MemoryGrant),
            ("RESOURCE_SEMAPHORE_QUERY_COMPILE", Category::MemoryGrant),
            ("ASYNC_NETWORK_IO", Category::Network),
            ("SOS_SCHEDULER_YIELD", Category::Processor),
            ("CXPACKET", Category::Parallelism),
            ("CXCONSUMER", Category::Idle),
            ("BPSORT", Category::Parallelism),
            ("THREADPOOL", Category::Worker),
            ("IO_COMPLETION", Category::OtherIo),
            ("WAITFOR", Category::Idle),
            ("SLEEP_TASK", Category::Idle),
            ("HADR_WORK_QUEUE", Category::Idle),
            ("XE_TIMER_EVENT", Category::Idle),
            ("SOMETHING_NEW", Category::Other),
            ("", Category::Other),
        ] {
            assert_eq!(category(wait_type), expected, "{wait_type}");
        }
    }
}
