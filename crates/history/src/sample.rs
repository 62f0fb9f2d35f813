//! A sample: what a server did in an interval, as it is kept. Totals stand as they were at its end, counted since the start of the
//! server, so that a sample that is lost takes nothing with it; the rest is of the interval alone.
//!
//! What always holds: its lists are bounded, those that did most first. Texts stand beside it, once each, under a [`TextId`].

use crate::figure::Figures;

/// Statements of a sample at most: half of them those with most processor time, half of them those that read most.
pub const STATEMENTS_MAX: usize = 20;
/// Types of waits of a sample at most, those with most time.
pub const WAITS_MAX: usize = 16;
/// Files of a sample at most, those with most bytes.
pub const FILES_MAX: usize = 20;
/// Bytes of a text that are kept.
pub const TEXT_BYTES_MAX: usize = 992;

/// A text by the hash of what is kept of it; 0 is no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u64);

impl TextId {
    /// No text.
    pub const NONE: TextId = TextId(0);

    /// Of a text.
    #[must_use]
    pub fn of(text: &str) -> TextId {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        // FNV-1a: the number is in files, so no hash whose seed or version changes.
        let hash = kept(text).bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
        TextId(hash.max(1))
    }
}

/// What is kept of a text: its first [`TEXT_BYTES_MAX`] bytes, and no half of a character.
#[must_use]
pub fn kept(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}

/// What counters of a statement are, in order: executions that ended, processor time, elapsed time, pages asked for, pages read
/// from files, pages that became dirty, rows, pages spilled.
pub const STATEMENT_COUNTERS: [&str; 8] = [
    "executions",
    "cpu_us",
    "elapsed_us",
    "logical_reads",
    "physical_reads",
    "logical_writes",
    "row_count",
    "spilled_pages",
];

/// Place of the processor time in [`STATEMENT_COUNTERS`].
pub const CPU_US: usize = 1;
/// Place of the pages asked for.
pub const LOGICAL_READS: usize = 3;

/// What a statement did; executions count when they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementUse {
    /// Its text.
    pub text: TextId,
    /// Hash of its shape, whatever its literals are.
    pub query_hash: u64,
    /// Name of the database that was current.
    pub database: TextId,
    /// Module that it is in, or 0.
    pub object_id: i32,
    /// [`STATEMENT_COUNTERS`]
    pub counters: [u64; STATEMENT_COUNTERS.len()],
}

/// What counters of a type of waits are: waits, time, and of it the time after the signal.
pub const WAIT_COUNTERS: [&str; 3] = ["waits", "wait_us", "signal_us"];

/// What was waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitUse {
    /// Name of the type.
    pub wait_type: TextId,
    /// [`WAIT_COUNTERS`]
    pub counters: [u64; WAIT_COUNTERS.len()],
}

/// What counters of a file are.
pub const FILE_COUNTERS: [&str; 6] =
    ["reads", "read_bytes", "read_stall_us", "writes", "write_bytes", "write_stall_us"];

/// What was read and written of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileUse {
    /// Name of the database.
    pub database: TextId,
    /// Logical name.
    pub name: TextId,
    /// Where it is.
    pub path: TextId,
    /// Size at the end of the interval.
    pub size_bytes: u64,
    /// [`FILE_COUNTERS`]
    pub counters: [u64; FILE_COUNTERS.len()],
}

/// A sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When its run of the server began, microseconds of UTC since 1970; no two runs have the same.
    pub run_us: i64,
    /// Its end, microseconds of UTC since 1970.
    pub end_us: i64,
    /// Its end by a clock that nobody sets: microseconds since the run began.
    pub uptime_us: u64,
    /// How long the interval was.
    pub span_us: u64,
    /// It is the first of its run and resolution: its totals are of the interval.
    pub is_first: bool,
    /// The server closed in order after it.
    pub is_last: bool,
    /// Totals at the end; levels as thousandths of their average over the interval.
    pub figures: Figures,
    /// Statements that did most.
    pub statements: Vec<StatementUse>,
    /// Waits that took most.
    pub waits: Vec<WaitUse>,
    /// Files with most traffic.
    pub files: Vec<FileUse>,
}
