//! The categories that Query Store puts waits into, by the documented names of their types.
//!
//! What always holds: each type has one category; one that the documentation does not name is `Unknown`.

use std::sync::LazyLock;

use millpond_storage::wait::WaitType;

/// Names of the categories; the place is the number.
pub const CATEGORIES: [&str; 24] = [
    "Unknown",
    "CPU",
    "Worker Thread",
    "Lock",
    "Latch",
    "Buffer Latch",
    "Buffer IO",
    "Compilation",
    "SQL CLR",
    "Mirroring",
    "Transaction",
    "Idle",
    "Preemptive",
    "Service Broker",
    "Tran Log IO",
    "Network IO",
    "Parallelism",
    "Memory",
    "User Wait",
    "Tracing",
    "Full Text Search",
    "Other Disk IO",
    "Replication",
    "Log Rate Governor",
];

/// Names, or how they begin, and the category. The first that fits counts.
const BY_NAME: [(&str, u8); 25] = [
    ("SOS_SCHEDULER_YIELD", 1),
    ("THREADPOOL", 2),
    ("LCK_M_", 3),
    ("LATCH_", 4),
    ("PAGELATCH_", 5),
    ("PAGEIOLATCH_", 6),
    ("RESOURCE_SEMAPHORE_QUERY_COMPILE", 7),
    ("SLEEP_", 11),
    ("LAZYWRITER_SLEEP", 11),
    ("CHECKPOINT_QUEUE", 11),
    ("REQUEST_FOR_DEADLOCK_SEARCH", 11),
    ("XE_TIMER_EVENT", 11),
    ("LOGMGR_QUEUE", 11),
    ("PREEMPTIVE_", 12),
    ("LOGMGR", 14),
    ("LOGBUFFER", 14),
    ("WRITELOG", 14),
    ("ASYNC_NETWORK_IO", 15),
    ("CX", 16),
    ("HT", 16),
    ("BP", 16),
    ("RESOURCE_SEMAPHORE", 17),
    ("CMEM", 17),
    ("MEMORY_ALLOCATION_EXT", 17),
    ("WAITFOR", 18),
];

/// Waits for files that are not of pages.
const OTHER_DISK: [&str; 3] = ["IO_COMPLETION", "ASYNC_IO_COMPLETION", "WRITE_COMPLETION"];

/// The category of a type by its number.
pub(crate) fn category_of(number: u32) -> u8 {
    static ALL: LazyLock<Vec<u8>> =
        LazyLock::new(|| WaitType::ALL.iter().map(|wait_type| category_of_name(wait_type.name())).collect());
    ALL.get(number as usize).copied().unwrap_or(0)
}

fn category_of_name(name: &str) -> u8 {
    if OTHER_DISK.contains(&name) {
        return 21;
    }
    BY_NAME.iter().find(|(begin, _)| name.starts_with(begin)).map_or(0, |(_, category)| *category)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_in_the_documented_categories() {
        for (name, category) in [
            ("LCK_M_X", "Lock"),
            ("PAGEIOLATCH_SH", "Buffer IO"),
            ("PAGELATCH_EX", "Buffer Latch"),
            ("WRITELOG", "Tran Log IO"),
            ("RESOURCE_SEMAPHORE", "Memory"),
            ("IO_COMPLETION", "Other Disk IO"),
            ("WAITFOR", "User Wait"),
            ("DIRTY_PAGE_POLL", "Unknown"),
        ] {
            assert_eq!(CATEGORIES[usize::from(category_of_name(name))], category, "{name}");
        }
        assert_eq!(category_of(WaitType::LCK_M_S.number()), 3);
        assert_eq!(category_of(u32::MAX), 0);
    }
}
