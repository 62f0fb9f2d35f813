//! Minimal logging: pages that are made while the log does not hold what is on them.
//!
//! ```text
//!   maker ── a turn per page ──▶ made in the pool ──▶ written ──┐
//!                                                               ├─▶ checkpoint ──▶ commit: the pages count
//!   maker ── a turn per page ──▶ made in the pool ──▶ written ──┘
//!   backup ── everything is logged from here on ── checkpoint ── copies ── its log ── ends
//! ```
//!
//! What always holds:
//! - M1: a page made in a turn is on a synced data file, and recovery begins behind its making, before anything that lives
//!   after a crash names it. Until then it is nobody's: the sweep gives it back.
//! - M2: there is no turn while the log is kept for a backup, nor while one runs. What was made before a backup is written
//!   by its checkpoint, what is made after it belongs to a transaction that its log does not see end.

use crate::check;
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};

use super::Log;
use crate::page::header::Lsn;

/// Who wants everything in the log.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    backups: u32,
}

/// A turn: the making of a few pages. Nobody who wants everything in the log comes in between.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    log: &'a Log,
    _wanted: RwLockReadGuard<'a, Wanted>,
}

impl Turn<'_> {
    /// What pages are stamped with: at most the LSN of the last record, so that the next one is redone on them.
    pub(crate) fn lsn(&self) -> Lsn {
        check!(
            !self.log.core.tail.lock().keep_until_backup,
            "M2: a page is made in a turn, and a backup needs its log"
        );
        self.log.last_lsn()
    }
}

/// While this lives everything is logged.
#[derive(Debug)]
pub(crate) struct WholeLog<'a> {
    log: &'a Log,
}

impl Log {
    /// A turn, where the log need not hold all.
    pub(crate) fn minimal_turn(&self) -> Option<Turn<'_>> {
        let wanted = self.wanted.read();
        let is_free = wanted.backups == 0 && !self.core.tail.lock().keep_until_backup;
        is_free.then_some(Turn { log: self, _wanted: wanted })
    }

    /// Waits for the turns that are being taken, a page each; there is none afterwards.
    pub(crate) fn log_everything(&self) -> WholeLog<'_> {
        self.wanted.write().backups += 1;
        WholeLog { log: self }
    }
}

impl Drop for WholeLog<'_> {
    fn drop(&mut self) {
        let mut wanted: RwLockWriteGuard<'_, Wanted> = self.log.wanted.write();
        assert!(wanted.backups > 0, "M2: a backup ends that nobody began");
        wanted.backups -= 1;
    }
}
