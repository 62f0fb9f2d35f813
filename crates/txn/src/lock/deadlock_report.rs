//! What is reported of a circle of waits: its members, what they have and want, and which was chosen to end it.

use std::fmt;

use millpond_storage::contract::SessionId;

use super::mode::LockMode;
use super::resource::Resource;

/// One member of a circle: what it waits for, and what it has that the one before it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlockMember {
    /// Session.
    pub session: SessionId,
    /// What it waits for.
    pub resource: Resource,
    /// The mode it asks for.
    pub mode: LockMode,
    /// The mode in which it has the resource already.
    pub has: Option<LockMode>,
    /// Whether its session has the resource in a weaker mode: then no request stands before it.
    pub is_conversion: bool,
    /// Modes that others have on the resource: session and mode.
    pub owners: Vec<(SessionId, LockMode)>,
    /// Other sessions whose requests for the resource stand before this one.
    pub ahead: Vec<SessionId>,
    /// How long it has waited.
    pub wait_us: u64,
    /// Bytes of log of its transaction.
    pub log_bytes: u64,
    /// DEADLOCK_PRIORITY, -10 to 10.
    pub priority: i8,
}

/// A circle of waits and which member was chosen to end it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadlockReport {
    /// The session whose transaction is rolled back.
    pub victim: SessionId,
    /// The circle; each waits for the next, the last for the first.
    pub members: Vec<DeadlockMember>,
}

impl DeadlockReport {
    /// What the message 1205 calls the resources: `lock`.
    #[must_use]
    pub fn resource_name(&self) -> &'static str {
        "lock"
    }
}

/// In the form of trace flag 1204.
impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Deadlock encountered .... Printing deadlock information\nWait-for graph")?;
        for (node, member) in self.members.iter().enumerate() {
            writeln!(f, "Node:{}\n{}", node + 1, member.resource)?;
            for (session, mode) in &member.owners {
                writeln!(f, " Grant List: SPID: {session} Mode: {mode}")?;
            }
            writeln!(f, " Requested By: SPID: {} Mode: {}", member.session, member.mode)?;
        }
        write!(f, "Victim Resource Owner: SPID: {}", self.victim)
    }
}
