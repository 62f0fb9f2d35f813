//! What a reader asks for: isolation levels and hints, and what they come to for one table.
//!
//! ```text
//!   level or hint            RCSI on                   RCSI off
//!   READ UNCOMMITTED         the newest bytes          the newest bytes
//!   READ COMMITTED           snapshot of the statement rows that no session has exclusively; no lock stays
//!   REPEATABLE READ          S locks that stay         the same
//!   SERIALIZABLE             range locks that stay     the same
//!   SNAPSHOT                 snapshot of the transaction
//! ```
//! A statement that looks for the rows that it changes reads, up to READ COMMITTED, those that no session has
//! exclusively, RCSI or not, and above takes U locks in place of S.

use crate::lock::LockMode;

/// Isolation level of a session or a table hint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// Reads what is there, committed or not (NOLOCK).
    ReadUncommitted,
    /// Reads what is committed.
    #[default]
    ReadCommitted,
    /// What was read stays as it is.
    RepeatableRead,
    /// Nothing comes into what was read either (HOLDLOCK).
    Serializable,
    /// Reads what was committed when the transaction began to read.
    Snapshot,
}

impl Isolation {
    /// `transaction_isolation_level` of the views: 1 to 5.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Isolation::ReadUncommitted => 1,
            Isolation::ReadCommitted => 2,
            Isolation::RepeatableRead => 3,
            Isolation::Serializable => 4,
            Isolation::Snapshot => 5,
        }
    }
}

/// Which row locks a table's hints ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowLocks {
    /// What the level asks for.
    #[default]
    Level,
    /// UPDLOCK: U locks, to the end of the transaction.
    Update,
    /// XLOCK: X locks, to the end of the transaction.
    Exclusive,
}

/// Which lock of the table instead of row locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableLock {
    /// Rows are locked.
    #[default]
    Rows,
    /// TABLOCK
    Shared,
    /// TABLOCKX
    Exclusive,
}

/// The hints of one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReadHint {
    /// NOLOCK, READCOMMITTED, REPEATABLEREAD, SERIALIZABLE; `None`: as the session.
    pub isolation: Option<Isolation>,
    /// READCOMMITTEDLOCK: READ COMMITTED by locks, whatever the database says.
    pub committed_by_locks: bool,
    /// UPDLOCK, XLOCK
    pub rows: RowLocks,
    /// TABLOCK, TABLOCKX
    pub table: TableLock,
    /// READPAST: rows that others have locked are left out.
    pub skips_locked: bool,
    /// NOWAIT: as LOCK_TIMEOUT 0.
    pub no_wait: bool,
    /// The rows are those that a statement is about to change: found as they are now, not as a snapshot of the statement
    /// sees them or as another session is about to make them. Only SNAPSHOT goes by its own snapshot.
    pub finds_changes: bool,
}

impl ReadHint {
    /// NOLOCK
    #[must_use]
    pub fn no_lock() -> ReadHint {
        ReadHint { isolation: Some(Isolation::ReadUncommitted), ..ReadHint::default() }
    }

    /// UPDLOCK
    #[must_use]
    pub fn update_lock() -> ReadHint {
        ReadHint { rows: RowLocks::Update, ..ReadHint::default() }
    }

    /// The lock that is waited for, and given back, where a row is read by [`Way::Unlocked`].
    pub(crate) fn passing_mode(&self) -> LockMode {
        if self.finds_changes { LockMode::U } else { LockMode::S }
    }
}

/// How the rows of one tree are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The newest bytes.
    Newest,
    /// Those of a snapshot: of the transaction, or of the statement.
    Versions { of_transaction: bool },
    /// Rows that no session has in a mode that conflicts with S; nothing is kept.
    Unlocked,
    /// Rows are locked, to the end of the transaction.
    Locked { mode: LockMode },
    /// Rows and the ranges before them are locked, to the end of the transaction.
    Ranges { mode: LockMode },
}

impl Way {
    /// What level and hints come to, where row versions are (`rcsi`) or are not what READ COMMITTED reads.
    pub(crate) fn of(level: Isolation, hint: &ReadHint, rcsi: bool) -> Way {
        let level = hint.isolation.unwrap_or(level);
        let keeps = matches!(level, Isolation::RepeatableRead | Isolation::Serializable);
        let mode = match hint.rows {
            RowLocks::Level if hint.finds_changes && keeps => Some(LockMode::U),
            RowLocks::Level => None,
            RowLocks::Update => Some(LockMode::U),
            RowLocks::Exclusive => Some(LockMode::X),
        };
        match (level, mode) {
            (Isolation::Serializable, None) => Way::Ranges { mode: LockMode::RangeSS },
            (Isolation::Serializable, Some(LockMode::U)) => Way::Ranges { mode: LockMode::RangeSU },
            (Isolation::Serializable, Some(_)) => Way::Ranges { mode: LockMode::RangeXX },
            (_, Some(mode)) => Way::Locked { mode },
            (Isolation::ReadUncommitted | Isolation::ReadCommitted, None) if hint.finds_changes => Way::Unlocked,
            (Isolation::ReadUncommitted, None) => Way::Newest,
            (Isolation::RepeatableRead, None) => Way::Locked { mode: LockMode::S },
            (Isolation::Snapshot, None) => Way::Versions { of_transaction: true },
            (Isolation::ReadCommitted, None) if rcsi && !hint.committed_by_locks && !hint.skips_locked => {
                Way::Versions { of_transaction: false }
            }
            (Isolation::ReadCommitted, None) => Way::Unlocked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_go_before_the_level() {
        let level = Isolation::ReadCommitted;
        let by_default = ReadHint::default();
        assert_eq!(Way::of(level, &by_default, true), Way::Versions { of_transaction: false });
        assert_eq!(Way::of(level, &by_default, false), Way::Unlocked);
        assert_eq!(Way::of(Isolation::Serializable, &ReadHint::no_lock(), true), Way::Newest);
        assert_eq!(Way::of(level, &ReadHint::update_lock(), true), Way::Locked { mode: LockMode::U });
        let holdlock = ReadHint { isolation: Some(Isolation::Serializable), ..ReadHint::update_lock() };
        assert_eq!(Way::of(level, &holdlock, true), Way::Ranges { mode: LockMode::RangeSU });
        let by_locks = ReadHint { committed_by_locks: true, ..by_default };
        assert_eq!(Way::of(level, &by_locks, true), Way::Unlocked);
        assert_eq!(Way::of(Isolation::Snapshot, &by_default, false), Way::Versions { of_transaction: true });
    }

    #[test]
    fn what_is_changed_is_found_as_it_is_now() {
        let hint = ReadHint { finds_changes: true, ..ReadHint::default() };
        for level in [Isolation::ReadUncommitted, Isolation::ReadCommitted] {
            assert_eq!(Way::of(level, &hint, true), Way::Unlocked);
        }
        let no_lock = ReadHint { finds_changes: true, ..ReadHint::no_lock() };
        assert_eq!(Way::of(Isolation::ReadCommitted, &no_lock, true), Way::Unlocked);
        assert_eq!(Way::of(Isolation::RepeatableRead, &hint, true), Way::Locked { mode: LockMode::U });
        assert_eq!(Way::of(Isolation::Serializable, &hint, true), Way::Ranges { mode: LockMode::RangeSU });
        assert_eq!(Way::of(Isolation::Snapshot, &hint, true), Way::Versions { of_transaction: true });
    }
}
