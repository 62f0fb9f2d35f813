//! The figures of a server's activity: one list of names, of which the columns of `sys.dm_millpond_activity` and
//! `sys.dm_millpond_history` are made, and the numbers of a sample.
//!
//! What always holds: a figure is a total, which only grows while the server runs, or a level, which is what it is now. Its place
//! in the list is its place in the file, so a new one comes at the end. Units come last in the name; without one it is a count.
//! It does not know where the numbers come from.

/// Figures that a sample of the file has room for.
pub const FIGURES_MAX: usize = 96;

/// Calls a macro with `/// what it is` and `total name,` or `level name,` for each figure, in order.
#[macro_export]
macro_rules! each_figure {
    ($call:ident) => {
        $call! {
            /// Batches and calls that began
            total batches,
            /// Requests that ended
            total requests_ended,
            /// Transactions that changed a database, at their first change
            total transactions,
            /// Transactions that came to their commit
            total commits,
            /// Statements that were bound or planned
            total compilations,
            /// Sessions that began
            total logins,
            /// Errors sent to clients
            total errors,
            /// Requests that clients cancelled
            total attentions,
            /// Deadlocks
            total deadlocks,
            /// Waits for locks that ended with error 1222
            total lock_timeouts,
            /// Locks of rows that became one of their table
            total lock_escalations,
            /// Pages asked for
            total logical_reads,
            /// Pages read from files because they were asked for
            total physical_reads,
            /// Pages read before they were asked for
            total read_ahead_reads,
            /// Pages written, for any reason
            total page_writes,
            /// Pages written to make room in memory
            total lazy_writes,
            /// Changed pages that were discarded: writes that never happened
            total discarded_dirty_pages,
            /// Pages that lost their place in memory
            total evictions,
            /// Times that a task found no free page and had to make one
            total free_list_stalls,
            /// Reads of files
            total file_reads,
            /// Bytes read from files
            total file_read_bytes,
            /// Time of reads of files
            total file_read_stall_us,
            /// Writes to files
            total file_writes,
            /// Bytes written to files
            total file_write_bytes,
            /// Time of writes to files
            total file_write_stall_us,
            /// Bytes written to make room in memory
            total written_lazy_bytes,
            /// Bytes written by bulk operations
            total written_eager_bytes,
            /// Bytes written by checkpoints
            total written_checkpoint_bytes,
            /// Bytes written to new space of files
            total written_growth_bytes,
            /// Bytes written to overflow files
            total written_overflow_bytes,
            /// Bytes written to logs
            total written_log_bytes,
            /// Bytes that sorts, hashes and their kin spilled
            total written_spill_bytes,
            /// Bytes written to the buffer pool extension
            total written_extension_bytes,
            /// Bytes written by recovery
            total written_recovery_bytes,
            /// Bytes written to heads of files
            total written_header_bytes,
            /// Bytes written for files that moved
            total written_move_bytes,
            /// Bytes written for database snapshots
            total written_snapshot_bytes,
            /// Groups of log blocks written and synced
            total log_flushes,
            /// Bytes of log records
            total log_bytes,
            /// Time that commits waited for the log (WRITELOG)
            total log_flush_wait_us,
            /// Pages found in the buffer pool extension
            total extension_hits,
            /// Pages written to the buffer pool extension
            total extension_writes,
            /// Pages that lost their place in the buffer pool extension
            total extension_evictions,
            /// Waits for a processor, after whatever else was waited for had come
            total wait_processor_us,
            /// Waits for locks
            total wait_lock_us,
            /// Waits for latches
            total wait_latch_us,
            /// Waits for pages of files
            total wait_page_io_us,
            /// Waits for other reads and writes
            total wait_other_io_us,
            /// Waits for the log
            total wait_log_us,
            /// Waits for memory of statements
            total wait_memory_grant_us,
            /// Waits for a thread
            total wait_worker_us,
            /// Waits of threads of one statement for each other
            total wait_parallelism_us,
            /// Waits for clients to take rows
            total wait_network_us,
            /// Other waits
            total wait_other_us,
            /// Processor time of programs
            total cpu_user_ms,
            /// Processor time of the kernel for them
            total cpu_kernel_ms,
            /// Sessions
            level sessions,
            /// Requests that run
            level requests,
            /// Statements that have memory granted
            level grants_held,
            /// Statements that wait for memory
            level grants_waiting,
            /// Pages of tempdb in temporary tables and variables
            level tempdb_user_pages,
            /// Pages of tempdb in what statements spill and keep
            level tempdb_internal_pages,
            /// Pages of tempdb in row versions
            level tempdb_version_pages,
            /// Pages of tempdb in extents that several objects share
            level tempdb_mixed_pages,
            /// Free pages of tempdb
            level tempdb_free_pages,
            /// Pages in the buffer pool extension
            level extension_pages,
            /// Seconds that a page stays in memory if it is not asked for
            level page_life_s,
            /// Memory of the buffer pool
            level memory_pool_bytes,
            /// Memory granted to statements
            level memory_grants_bytes,
            /// Memory of long values and messages
            level memory_values_bytes,
            /// Memory of plans that are kept
            level memory_plans_bytes,
            /// Memory of trees of texts
            level memory_texts_bytes,
            /// Memory of memory-optimized variables
            level memory_variables_bytes,
            /// Memory of the process that is resident
            level memory_resident_bytes,
        }
    };
}

macro_rules! define {
    ($($(#[doc = $doc:literal])* $kind:ident $name:ident,)*) => {
        /// A figure by its name.
        #[expect(non_camel_case_types, reason = "the names are those of columns")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Figure {
            $($(#[doc = $doc])* $name,)*
        }

        impl Figure {
            /// All of them, in order.
            pub const ALL: &'static [Figure] = &[$(Figure::$name),*];

            /// Its name, which is that of its column.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Figure::$name => stringify!($name)),* }
            }

            /// What it is.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Figure::$name => concat!($($doc)*).trim_ascii()),* }
            }

            /// Whether it is a total; else it is a level.
            #[must_use]
            pub fn is_total(self) -> bool {
                match self { $(Figure::$name => kind!($kind)),* }
            }
        }
    };
}

macro_rules! kind {
    (total) => {
        true
    };
    (level) => {
        false
    };
}

each_figure!(define);

impl Figure {
    /// How many there are.
    pub const COUNT: usize = Figure::ALL.len();

    /// The figure of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Figure> {
        Figure::ALL.iter().copied().find(|figure| figure.name() == name)
    }
}

const _: () = assert!(Figure::COUNT <= FIGURES_MAX, "a slot of the file has room for each");

/// A number for each figure: of totals since the start, or since a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures([u64; Figure::COUNT]);

impl Default for Figures {
    fn default() -> Figures {
        Figures([0; Figure::COUNT])
    }
}

impl Figures {
    /// One of them.
    #[must_use]
    pub fn get(&self, figure: Figure) -> u64 {
        self.0[figure as usize]
    }

    /// Sets one of them.
    pub fn set(&mut self, figure: Figure, value: u64) {
        self.0[figure as usize] = value;
    }

    /// Adds to one of them; a sum beyond the largest number is that.
    pub fn add(&mut self, figure: Figure, value: u64) {
        self.set(figure, self.get(figure).saturating_add(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_file_stay() {
        // The place of a figure is in files: new ones come at the end.
        let names: Vec<_> = Figure::ALL.iter().map(|figure| figure.name()).collect();
        for (at, name) in [
            (0, "batches"),
            (11, "logical_reads"),
            (25, "written_lazy_bytes"),
            (37, "log_flushes"),
            (43, "wait_processor_us"),
            (54, "cpu_user_ms"),
            (56, "sessions"),
            (67, "memory_pool_bytes"),
            (73, "memory_resident_bytes"),
        ] {
            assert_eq!(names[at], name);
        }
        assert_eq!(Figure::of_name("commits"), Some(Figure::commits));
        assert_eq!(Figure::of_name("none"), None);
        assert!(Figure::batches.is_total() && !Figure::sessions.is_total());
        assert_eq!(Figure::sessions.meaning(), "Sessions");
    }
}
