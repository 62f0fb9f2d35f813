//! What storage and the lock manager notify of, for sessions of extended events: ends of waits, growth of files, escalation of locks.
//!
//! What always holds: notifications go through the hook of `WaitStats`, which all code that waits has, on the thread that caused them and
//! under the locks and latches which it holds.

use crate::contract::{DbId, FileId, PageId, SessionId};

/// The topic of [`Happened::Wait`].
pub const WAITS: u32 = 1;
/// The topic of [`Happened::FileSize`].
pub const FILE_SIZES: u32 = 2;
/// The topic of [`Happened::Escalation`].
pub const ESCALATIONS: u32 = 4;

/// What happened; times in microseconds.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Happened {
    /// A wait has ended, of a type by its number and name; `signal_us` is the part of it after the signal, `text` what was waited for where it is no page.
    Wait {
        session: SessionId,
        wait_type: (u32, &'static str),
        wait_us: u64,
        signal_us: u64,
        page: Option<PageId>,
        text: Option<String>,
    },
    /// A file has another size.
    FileSize {
        session: SessionId,
        db: DbId,
        file: FileId,
        name: String,
        is_log: bool,
        is_automatic: bool,
        pages: [u32; 2],
        took_us: u64,
    },
    /// Locks of rows have become one of their table.
    Escalation { session: SessionId, db: DbId, object: u32, mode: &'static str, locks: u32 },
}
