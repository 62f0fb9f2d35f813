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
//! - M1: a page made in a turn is on a synced data file, and recovery begins after its making, before anything that lives
//!   after a crash names it. Until then no object owns it: the sweep frees it.
//! - M2: there is no turn while the log is kept for a backup, nor while one runs. What was made before a backup is written
//!   by its checkpoint, what is made after it belongs to a transaction that its log does not see end.

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard};

use crate::check;
use crate::page::header::Lsn;
use crate::wal::writer::Core;

/// Whether a log may lack what is on new pages.
#[derive(Debug)]
pub(crate) struct MinimalLogging {
    core: Arc<Core>,
    /// Backups that run: they need everything in the log. A turn reads, a backup that begins or ends writes.
    backups: RwLock<u32>,
}

/// A turn: the making of a few pages. No backup begins in between.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    core: &'a Core,
    _backups: RwLockReadGuard<'a, u32>,
}

impl Turn<'_> {
    /// What pages are stamped with: at most the LSN of the last record, so that the next one is redone on them.
    pub(crate) fn lsn(&self) -> Lsn {
        check!(!self.core.tail.lock().keep_until_backup, "M2: a page is made in a turn, and a backup needs its log");
        self.core.last_lsn()
    }
}

/// While this lives everything is logged.
#[derive(Debug)]
pub(crate) struct WholeLog<'a> {
    minimal: &'a MinimalLogging,
}

impl MinimalLogging {
    pub(super) fn new(core: Arc<Core>) -> MinimalLogging {
        MinimalLogging { core, backups: RwLock::default() }
    }

    /// A turn, where the log need not hold all.
    pub(crate) fn turn(&self) -> Option<Turn<'_>> {
        let backups = self.backups.read();
        let is_free = *backups == 0 && !self.core.tail.lock().keep_until_backup;
        is_free.then_some(Turn { core: &self.core, _backups: backups })
    }

    /// Waits for the turns that are being taken, a page each; there is none afterwards.
    pub(crate) fn log_everything(&self) -> WholeLog<'_> {
        *self.backups.write() += 1;
        WholeLog { minimal: self }
    }
}

impl Drop for WholeLog<'_> {
    fn drop(&mut self) {
        let mut backups = self.minimal.backups.write();
        assert!(*backups > 0, "M2: a backup ends that was not begun");
        *backups -= 1;
    }
}
