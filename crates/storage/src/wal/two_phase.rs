//! A transaction over several databases: each has a part of it in its own log, and one log decides for all.
//!
//! ```text
//!   participants:  changes ─ Prepare, durable ──────────────────────────────┐          ┌─ Commit, durable
//!   coordinator:   changes ───────────────────── (all prepared) Decide, durable ── sent ┘─ (all committed) Commit
//! ```
//!
//! What always holds: a participant with a Prepare in its log and nothing after it is committed exactly if the coordinator has its
//! Decide. The coordinator's part stays in its table of open transactions from Decide to Commit, so that checkpoints
//! keep the decision and its log as long as a participant may ask for it. No Decide means no.
//!
//! Which databases there are, and what to do when one is missing, is known above.

use crate::ask::Ask;
use crate::check;
use crate::wal::log::append::append_vote;
use crate::wal::log::{Log, LogError, TxnLog};
use crate::wal::record::{Coordinator, Record, RecordKind};

/// What recovery finds of a transaction that is open in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It is undone.
    Open,
    /// Its coordinator knows.
    Prepared(Coordinator),
    /// It is committed; these databases may not know it yet.
    Decided {
        /// GUIDs of the participants.
        participants: Vec<[u8; 16]>,
    },
}

/// A log's name among those that decide together.
fn voter(log: &Log) -> [u8; 16] {
    *log.core.voter.get().unwrap_or(&log.core.guid)
}

/// A copy's log has the identity of its source's, and another name.
pub(crate) fn name_voter(log: &Log, name: [u8; 16]) {
    let known = log.core.voter.get_or_init(|| name);
    check!(*known == name, "a log has two names");
}

/// The transaction can be committed and can be undone from now on, over a crash too; `coordinator` decides.
///
/// # Errors
/// [`LogError::Unavailable`]; without its Prepare it is undone.
pub fn prepare(log: &Log, ask: &Ask<'_>, txn: &mut TxnLog, coordinator: Coordinator) -> Result<(), LogError> {
    assert!(txn.has_records(), "transaction {} has changed nothing, and is prepared", txn.id.0);
    assert!(
        coordinator.txn.0 != 0 && coordinator.guid != voter(log),
        "transaction {} is prepared without a coordinator, or is its own",
        txn.id.0
    );
    vote(log, ask, txn, RecordKind::Prepare, &coordinator.encode())
}

/// The transaction is committed, here and in all databases of these GUIDs, which have prepared it.
/// [`Log::commit`] ends it when they have all committed it.
///
/// # Errors
/// [`LogError::Unavailable`]: whether it is committed will be known after recovery of this log.
pub fn decide(log: &Log, ask: &Ask<'_>, txn: &mut TxnLog, participants: &[[u8; 16]]) -> Result<(), LogError> {
    assert!(txn.has_records(), "transaction {} has changed nothing, and is decided", txn.id.0);
    assert!(!participants.is_empty(), "transaction {} is decided, and has no participant", txn.id.0);
    assert!(!participants.contains(&voter(log)), "transaction {} waits for itself", txn.id.0);
    let time_us = log.core.clock.wall().utc_us.to_le_bytes();
    let body = [&time_us[..], participants.as_flattened()].concat();
    vote(log, ask, txn, RecordKind::Decide, &body)
}

fn vote(log: &Log, ask: &Ask<'_>, txn: &mut TxnLog, kind: RecordKind, body: &[u8]) -> Result<(), LogError> {
    log.check_available()?;
    let lsn = append_vote(&log.core, txn, kind, body);
    log.make_durable(ask, lsn)
}

/// What is known of a transaction that recovery found open.
///
/// # Errors
/// [`LogError`]
pub fn phase(log: &Log, ask: &Ask<'_>, txn: &TxnLog) -> Result<Phase, LogError> {
    let Some(last) = txn.last else { return Ok(Phase::Open) };
    let record = log.records().read(ask, last)?;
    phase_of(&record).ok_or(LogError::NoRecord { lsn: last })
}

/// The coordinator's name for a transaction of this log.
#[must_use]
pub fn coordinator(log: &Log, txn: &TxnLog) -> Coordinator {
    Coordinator { guid: voter(log), txn: txn.id }
}

/// `None` when the record's body is not one of its kind.
pub(super) fn phase_of(record: &Record) -> Option<Phase> {
    Some(match record.kind {
        RecordKind::Prepare => Phase::Prepared(Coordinator::read(&record.vote)?),
        RecordKind::Decide => {
            let (participants, rest) = record.vote.get(size_of::<i64>()..)?.as_chunks::<16>();
            Some(rest).filter(|rest| rest.is_empty())?;
            Phase::Decided { participants: participants.to_vec() }
        }
        _ => Phase::Open,
    })
}
