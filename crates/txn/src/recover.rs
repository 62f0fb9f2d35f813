//! Undo after a crash: what transactions that were open had changed is made what it was, newest change of all first, each
//! in a compensation. After another crash in the middle the log says how far it came: nothing is undone twice.

use std::sync::Arc;

use millpond_access::TreeCtx;
use millpond_access::tree::Tree;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::database::{Database, DatabaseState};
use millpond_storage::header::Lsn;
use millpond_storage::space::Owner;
use millpond_storage::wal::{Log, Record, RecordKind, TxnLog};

use crate::error::{RecoverError, TxnError};
use crate::manager::TxnManager;
use crate::restore::apply_undo;
use crate::row_undo::{self, TreeAddress};

/// A transaction that is being undone, and the record that comes next.
struct Loser {
    log: TxnLog,
    next: Lsn,
}

impl TxnManager {
    /// What trees of a database need: its pages, its log, its space.
    ///
    /// # Errors
    /// [`TxnError::DatabaseUnavailable`].
    pub fn tree_ctx(&self, database: &Database) -> Result<TreeCtx, TxnError> {
        let unavailable = |_| TxnError::DatabaseUnavailable(database.id());
        Ok(TreeCtx {
            handle: database.handle().map_err(unavailable)?.clone(),
            space: Arc::clone(database.space().map_err(unavailable)?),
            owner: Owner::User,
            usage: Arc::default(),
        })
    }

    /// Brings all databases of the instance that were not closed in order to the state of their commits. A database that
    /// cannot be brought there stays closed ([`TxnManager::failed_recoveries`]); the others are used.
    pub(crate) fn recover_all(&self) {
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        let ask = Ask::new(&task, &io);
        // Numbers first: what is undone is undone among readers of no database.
        let databases = self.instance().all_databases();
        databases.iter().for_each(|database| self.database_opened(database.id()));
        for database in databases {
            if let Err(cause) = self.recover_database(&ask, &database) {
                self.note_failed_recovery(database.id(), cause);
            }
        }
    }

    /// Undoes what was open in a database that was opened, attached or restored, and puts it online. Returns how many
    /// changes were undone.
    ///
    /// # Errors
    /// [`RecoverError`]; the database is not online then.
    pub fn recover_database(&self, ask: &Ask<'_>, database: &Database) -> Result<u64, RecoverError> {
        self.database_opened(database.id());
        if database.state() != DatabaseState::Recovering {
            return Ok(0);
        }
        let undone = self.recover(ask, database, database.take_losers())?;
        // What a checkpoint cannot write now is written by the next one.
        let _ = self.instance().finish_recovery(ask, database.id());
        Ok(undone)
    }

    /// Undoes the transactions that were open when a database was closed or crashed, after its log was redone. Returns
    /// how many changes were undone. Nobody else uses the database meanwhile.
    ///
    /// # Errors
    /// [`RecoverError`]; what was undone before stays undone.
    pub fn recover(&self, ask: &Ask<'_>, database: &Database, losers: Vec<TxnLog>) -> Result<u64, RecoverError> {
        self.database_opened(database.id());
        let ctx = self.tree_ctx(database).map_err(|_| RecoverError::Unavailable)?;
        let Some(log) = ctx.handle.log.clone() else { return Ok(0) };
        let mut losers: Vec<_> =
            losers.into_iter().map(|log| Loser { next: log.last.unwrap_or_default(), log }).collect();
        let mut undone = 0;
        while let Some(at) = (0..losers.len()).max_by_key(|&at| losers[at].next) {
            if losers[at].next == Lsn::default() {
                log.end_rollback(losers.swap_remove(at).log);
                continue;
            }
            undone += self.step(ask, &ctx, &log, &mut losers[at])?;
        }
        Ok(undone)
    }

    /// Looks at the loser's next record and undoes what it did; how many changes that was.
    fn step(&self, ask: &Ask<'_>, ctx: &TreeCtx, log: &Arc<Log>, loser: &mut Loser) -> Result<u64, RecoverError> {
        let record = log.read(ask, loser.next)?;
        let next = match record.kind {
            RecordKind::Compensation => record.undo_next,
            _ => record.prev,
        };
        let is_change = record.kind == RecordKind::Change;
        if is_change {
            self.undo_record(ask, ctx, &record, &mut loser.log)?;
        }
        loser.next = next.unwrap_or_default();
        Ok(is_change.into())
    }

    fn undo_record(&self, ask: &Ask<'_>, ctx: &TreeCtx, record: &Record, log: &mut TxnLog) -> Result<(), RecoverError> {
        let lsn = record.lsn;
        let undo = row_undo::decode(ctx.handle.db, &record.undo).ok_or(RecoverError::Record { lsn })?;
        let tree = self.recovered_tree(ctx, undo.tree);
        apply_undo(ask, self, &tree, log, record.prev, &undo)
            .map_err(|cause| RecoverError::Undo { lsn, cause: Box::new(cause) })
    }

    fn recovered_tree(&self, ctx: &TreeCtx, address: TreeAddress) -> Arc<Tree> {
        self.open_tree(ctx, address.ids, address.place)
    }
}
