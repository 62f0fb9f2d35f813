//! What keeps a log from being cut beside checkpoints and open transactions: backups to come, and holds.
//!
//! What always holds: the log is kept from each hold on until the hold is dropped, and, where it is kept for backups, from
//! the end of the last one on (T2 of `wal::tail`).

use std::sync::Arc;

use crate::check;
use crate::page::header::Lsn;
use crate::wal::log::Log;
use crate::wal::tail::Tail;
use crate::wal::writer::Core;

/// Keeps the log from a place on; dropping it lets go.
#[derive(Debug)]
pub struct LogHold {
    core: Arc<Core>,
    number: u64,
    from: Lsn,
}

impl LogHold {
    /// Keeps the log from its oldest record on until the hold is dropped.
    #[must_use]
    pub fn begin(log: &Log) -> LogHold {
        let core = &log.core;
        let mut tail = core.tail.lock();
        let number = tail.next_hold;
        tail.next_hold += 1;
        let oldest = tail.oldest_needed().0;
        tail.holds.push((number, oldest));
        check!(
            tail.holds.iter().filter(|hold| hold.0 == number).count() == 1,
            "T2: two holds have the number {number}"
        );
        check!(tail.is_kept(oldest), "T2: the log is to be kept from {oldest:?} on, in a part that is free");
        LogHold { core: core.clone(), number, from: oldest.first_lsn() }
    }

    /// Where the log is kept from.
    #[must_use]
    pub fn from(&self) -> Lsn {
        self.from
    }
}

impl Drop for LogHold {
    fn drop(&mut self) {
        let mut tail = self.core.tail.lock();
        check!(
            tail.holds.iter().any(|hold| hold.0 == self.number),
            "T2: a hold is released that the log does not have"
        );
        tail.holds.retain(|hold| hold.0 != self.number);
        cut(&self.core, &mut tail);
    }
}

/// FULL or BULK_LOGGED: the log is kept until [`set_backed_up`]. Turning it on keeps it from the last checkpoint
/// on, where the full backup that the log needs now begins.
pub(crate) fn set_keep_until_backup(core: &Core, keep: bool) {
    let mut tail = core.tail.lock();
    if keep && !tail.keep_until_backup {
        tail.backed_up = tail.redo;
    }
    tail.keep_until_backup = keep;
    cut(core, &mut tail);
}

/// Everything before `lsn` is in a log backup; kept over restarts from the next checkpoint on.
pub(crate) fn set_backed_up(core: &Core, lsn: Lsn) {
    let mut tail = core.tail.lock();
    check!(
        tail.current.is_none() || lsn <= tail.end_lsn(),
        "log is backed up to {lsn}, and goes to {}",
        tail.end_lsn()
    );
    tail.backed_up = tail.backed_up.max(lsn);
    cut(core, &mut tail);
}

/// Frees what is not needed any more, and wakes sessions that wait for space.
fn cut(core: &Core, tail: &mut Tail) {
    if tail.current.is_some() {
        tail.cut();
        check!(tail.is_kept(tail.position()), "T2: the part of the open block is free");
    }
    core.relief.notify_all();
}
