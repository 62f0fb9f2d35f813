//! What sessions do, as values: scripts of them can be played again and made smaller.

use std::fmt::Write;

use super::step::Step;
use crate::seat::Fuse;

/// How a session leaves what it is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// ROLLBACK.
    Rollback,
    /// An error under XACT_ABORT.
    Error,
    /// The connection is lost.
    Lost,
    /// A pool takes the connection back.
    Reset,
    /// KILL.
    Kill,
    /// A panic.
    Panic,
    /// An attention while nothing changes: it leaves nothing.
    Attention,
}

/// What a session does next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "`who` is the number of the session in all of them")]
pub enum Act {
    /// A transaction begins.
    Begin { who: usize, level: &'static str },
    /// A statement, in the transaction or by itself.
    Do { who: usize, step: Step },
    /// A savepoint.
    Save { who: usize },
    /// Back to it.
    Back { who: usize },
    /// The transaction ends well.
    Commit { who: usize },
    /// The session leaves its transaction.
    Leave { who: usize, road: Road },
    /// A batch in a transaction, broken off at a row or message; then the session leaves by the road.
    Broken { who: usize, steps: Vec<Step>, at: u64, fuse: Fuse, road: Road },
    /// All sessions vanish and the engine starts again.
    Restart { clean: bool },
}

impl Act {
    /// As a line or two of a script.
    #[must_use]
    pub fn words(&self) -> String {
        let mut out = String::new();
        let _ = match self {
            Act::Begin { who, level } => {
                write!(out, "-- {who}\nset transaction isolation level {level} begin transaction")
            }
            Act::Do { who, step } => write!(out, "-- {who}\n{}", step.sql()),
            Act::Save { who } => write!(out, "-- {who}\nsave transaction s"),
            Act::Back { who } => write!(out, "-- {who}\nrollback transaction s"),
            Act::Commit { who } => write!(out, "-- {who}\ncommit"),
            Act::Leave { who, road } => write!(out, "-- {who} leaves: {road:?}"),
            Act::Broken { who, steps, at, fuse, road } => {
                let texts: Vec<String> = steps.iter().map(Step::sql).collect();
                let text = texts.join(" print 'next' ");
                write!(out, "-- {who} is broken off by {fuse:?} after {at} rows or messages, then {road:?}\n{text}")
            }
            Act::Restart { clean: true } => write!(out, "-- all are gone, and a restart"),
            Act::Restart { clean: false } => write!(out, "-- a crash"),
        };
        out
    }
}
