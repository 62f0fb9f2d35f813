//! Histories of concurrent transactions, and the anomalies that a level of isolation forbids.
//!
//! ```text
//!   seed ─▶ play: sessions on threads append to lists and read them ─▶ History ─▶ check: dependencies, circles
//! ```
//! Models: Adya's generalized definitions (*Weak Consistency*, MIT 1999) for what each anomaly is, and Kingsbury and
//! Alvaro's *Elle* (VLDB 2020) for lists: a list that was read says in which order its values were written.
//!
//! What always holds: every value is written once in all of a history; lists and registers have keys of their own; a transaction whose end is not known is not in it.

pub mod check;
pub mod play;

/// What a transaction did, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Put a value at the end of the list of a key.
    Append(u64, u64),
    /// Read the list of a key.
    Read(u64, Vec<u64>),
    /// Wrote a value in the register of a key, after it was seen to hold another (`None`: nothing was seen).
    Write(u64, u64, Option<u64>),
    /// Read the register of a key; 0 is what it holds at the beginning.
    Look(u64, u64),
    /// Read all lists of keys from one to another, with the keys that are there.
    Scan(u64, u64, Vec<(u64, Vec<u64>)>),
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What it did.
    pub ops: Vec<Op>,
    /// Whether it was committed.
    pub is_committed: bool,
}

/// An anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anomaly {
    /// Circle of writes over writes.
    G0,
    /// A value was read that was never committed.
    G1a,
    /// A value was read that its transaction wrote over.
    G1b,
    /// Circle of writes over writes and reads of writes.
    G1c,
    /// Circle with one read that a write came after.
    GSingle,
    /// Circle with several of them, over rows.
    G2Item,
    /// Circle with one of them at least, over ranges of rows.
    G2,
    /// Lists that contradict each other, or a transaction that does not see its own writes.
    Incompatible,
}

/// A level of isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// READ UNCOMMITTED
    ReadUncommitted,
    /// READ COMMITTED by locks.
    ReadCommitted,
    /// READ COMMITTED by row versions.
    ReadCommittedSnapshot,
    /// REPEATABLE READ
    RepeatableRead,
    /// SNAPSHOT
    Snapshot,
    /// SERIALIZABLE
    Serializable,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 6] = [
        Level::ReadUncommitted,
        Level::ReadCommitted,
        Level::ReadCommittedSnapshot,
        Level::RepeatableRead,
        Level::Snapshot,
        Level::Serializable,
    ];

    /// As SET TRANSACTION ISOLATION LEVEL names it.
    #[must_use]
    pub fn sql(self) -> &'static str {
        match self {
            Level::ReadUncommitted => "read uncommitted",
            Level::ReadCommitted | Level::ReadCommittedSnapshot => "read committed",
            Level::RepeatableRead => "repeatable read",
            Level::Snapshot => "snapshot",
            Level::Serializable => "serializable",
        }
    }

    /// What it must never show.
    #[must_use]
    pub fn forbids(self) -> &'static [Anomaly] {
        use Anomaly::{G0, G1a, G1b, G1c, G2, G2Item, GSingle, Incompatible};
        match self {
            Level::ReadUncommitted => &[G0],
            Level::ReadCommitted | Level::ReadCommittedSnapshot => &[G0, G1a, G1b, G1c, Incompatible],
            // G-single over rows; a range may get new rows.
            Level::RepeatableRead => &[G0, G1a, G1b, G1c, GSingle, G2Item, Incompatible],
            Level::Snapshot => &[G0, G1a, G1b, G1c, GSingle, Incompatible],
            Level::Serializable => &[G0, G1a, G1b, G1c, GSingle, G2Item, G2, Incompatible],
        }
    }
}
