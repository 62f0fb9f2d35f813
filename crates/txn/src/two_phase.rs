//! The commit of a transaction that changed several databases: in all of them or in none, over a crash too.
//!
//! The first database that it changed decides (`storage::wal::two_phase`). At a start the databases are redone first;
//! then those that decided are asked by those that have only prepared.
//!
//! What always holds: a decision stays in its log until every database that it names has the commit in its own log; one
//! that is not open keeps it there, and one whose coordinator is not open stays closed. A database that the instance does
//! not have is not waited for: it was dropped, or left in order.

use std::collections::HashSet;

use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::database::{Database, DatabaseState};
use millpond_storage::wal::two_phase::{self, Phase};
use millpond_storage::wal::{CommitMode, Coordinator, LogError, TxnLog};

use crate::decisions::Decision;
use crate::error::RecoverError;
use crate::manager::TxnManager;
use crate::session::DatabaseWork;

/// Why several databases did not agree.
pub(crate) enum Disagreement {
    /// It is to be undone everywhere.
    Refused(DbId, LogError),
    /// Only the coordinator's log knows, after its recovery.
    Unknown(DbId, LogError),
}

/// Whether the databases have to agree.
pub(crate) fn is_shared(works: &[DatabaseWork]) -> bool {
    works.iter().filter(|work| work.log.has_records()).count() > 1
}

/// Makes it certain that the transaction is committed in all databases; [`finish`] notifies them.
pub(crate) fn agree(ask: &Ask<'_>, works: &mut [DatabaseWork]) -> Result<(), Disagreement> {
    let mut changed = works.iter_mut().filter(|work| work.log.has_records());
    let Some(first) = changed.next() else { return Ok(()) };
    let Some(decider) = first.wal.clone() else { return Ok(()) };
    let coordinator = two_phase::coordinator(&decider, &first.log);
    let mut participants = Vec::new();
    for work in changed {
        let Some(wal) = &work.wal else { continue };
        two_phase::prepare(wal, ask, &mut work.log, coordinator)
            .map_err(|cause| Disagreement::Refused(work.db, cause))?;
        participants.push(two_phase::coordinator(wal, &work.log).guid);
    }
    decider.check_available().map_err(|cause| Disagreement::Refused(first.db, cause))?;
    assert!(!participants.is_empty(), "a transaction of one database is decided as one of several");
    two_phase::decide(&decider, ask, &mut first.log, &participants)
        .map_err(|cause| Disagreement::Unknown(first.db, cause))
}

/// Commits the parts of a transaction that was agreed on.
pub(crate) fn finish_agreed(
    manager: &TxnManager,
    ask: &Ask<'_>,
    works: Vec<DatabaseWork>,
) -> Result<(), (DbId, LogError)> {
    let mut changed = works.into_iter().filter(|work| work.log.has_records());
    let Some(first) = changed.next() else { return Ok(()) };
    let (mut result, mut participants) = (Ok(()), Vec::new());
    for work in changed {
        let Some(wal) = work.wal else { continue };
        let guid = two_phase::coordinator(&wal, &work.log).guid;
        if let Err(cause) = wal.commit(ask, work.log, CommitMode::Durable) {
            participants.push(guid);
            result = Err((work.db, cause));
        }
    }
    let Some(wal) = first.wal else { return result };
    if participants.is_empty() {
        // No database asks any more, so none waits.
        return wal.commit(ask, first.log, CommitMode::Delayed).map(drop).map_err(|cause| (first.db, cause));
    }
    let coordinator = two_phase::coordinator(&wal, &first.log);
    manager.decisions().push(Decision { coordinator, log: first.log, participants });
    result
}

/// Takes the decisions among the transactions that were open in a database; gives the others back, and of those
/// that have only prepared which one decides.
pub(crate) fn sort_losers(manager: &TxnManager, ask: &Ask<'_>, database: &Database) -> Result<Sorted, RecoverError> {
    let Ok(Some(wal)) = database.log() else { return Ok(Sorted::default()) };
    let losers = database.take_losers();
    let phases: Result<Vec<_>, _> = losers.iter().map(|log| two_phase::phase(wal, ask, log)).collect();
    let phases = match phases {
        Ok(phases) => phases,
        Err(cause) => {
            database.return_losers(losers);
            return Err(cause.into());
        }
    };
    let mut sorted = Sorted::default();
    for (log, phase) in losers.into_iter().zip(phases) {
        match phase {
            Phase::Open => sorted.open.push(log),
            // It is the source's decision, which has it open.
            Phase::Decided { .. } if database.origin().is_snapshot() => {
                let source = database.origin().source.and_then(|source| manager.instance().database(source));
                let guid = source.map_or(database.origin().voter, |source| source.origin().voter);
                sorted.prepared.push((Coordinator { guid, txn: log.id }, log));
            }
            Phase::Prepared(coordinator) => sorted.prepared.push((coordinator, log)),
            Phase::Decided { participants } => {
                let coordinator = two_phase::coordinator(wal, &log);
                manager.decisions().push(Decision { coordinator, log, participants });
            }
        }
    }
    Ok(sorted)
}

/// What the coordinator says; `None` where it cannot be asked.
pub(crate) fn is_committed(manager: &TxnManager, coordinator: Coordinator) -> Option<bool> {
    if manager.decisions().has(coordinator) {
        return Some(true);
    }
    let databases = manager.instance().all_databases();
    let database = databases.iter().find(|database| database.origin().voter == coordinator.guid)?;
    let is_open = matches!(database.state(), DatabaseState::Online | DatabaseState::Recovering);
    let is_known =
        |(db, cause): &(DbId, RecoverError)| *db != database.id() || matches!(cause, RecoverError::InDoubt { .. });
    (is_open && database.log().is_ok() && manager.failed_recoveries().iter().all(is_known)).then_some(false)
}

/// Ends the decisions that no database can ask for any more.
pub(crate) fn forget_decisions(manager: &TxnManager, ask: &Ask<'_>) {
    let databases = manager.instance().all_databases();
    let waiting: HashSet<[u8; 16]> = databases
        .iter()
        .filter(|database| database.state() != DatabaseState::Online)
        .map(|database| database.origin().voter)
        .collect();
    let is_needed = |decision: &Decision| decision.participants.iter().any(|guid| waiting.contains(guid));
    for Decision { coordinator, log, .. } in manager.decisions().take(|decision| !is_needed(decision)) {
        let found = databases.iter().find(|database| database.origin().voter == coordinator.guid);
        if let Some(Ok(Some(wal))) = found.map(|database| database.log()) {
            // What is not written now is decided again at the next start.
            let _ = wal.commit(ask, log, CommitMode::Delayed);
        }
    }
}

/// The database was opened anew: its decisions are among what its log has open.
pub(crate) fn leave_decisions(manager: &TxnManager, database: &Database) {
    drop(manager.decisions().take(|decision| decision.coordinator.guid == database.origin().voter));
}

/// Transactions that were open in a database.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// To be undone.
    pub(crate) open: Vec<TxnLog>,
    /// To be committed or undone, as the coordinator says.
    pub(crate) prepared: Vec<(Coordinator, TxnLog)>,
}
