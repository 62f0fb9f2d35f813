//! BEGIN, COMMIT, ROLLBACK, SAVE: the counter that users see, over the one transaction that `txn` has.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Done, DoneKind, EnvChange, Sink};
use millpond_storage::wal::CommitMode;
use millpond_txn::Isolation;
use millpond_types::Value;

use crate::exec::batch::BatchRun;
use crate::session::Session;

/// A variable's text counts as a name up to here.
const NAME_CHARS_MAX: usize = 32;

/// A transaction-manager request of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begin; the isolation level of SET TRANSACTION ISOLATION LEVEL, 0 = as it is.
    Begin {
        /// 0–5
        isolation: u8,
        /// Its name, or empty.
        name: String,
    },
    /// Commit; begin a new one at once.
    Commit {
        /// The name of a new one that begins at once, or empty.
        and_begin: Option<String>,
    },
    /// Roll back, to a savepoint when it has a name; begin a new one at once.
    Rollback {
        /// Savepoint or the transaction's own, or empty.
        name: String,
        /// The name of a new one that begins at once, or empty.
        and_begin: Option<String>,
    },
    /// Set a savepoint.
    Save {
        /// Its name.
        name: String,
    },
}

impl BatchRun<'_> {
    /// The name that a statement gives: as it stands, or as the variable has it; none for an empty one.
    ///
    /// # Errors
    /// 137
    fn given_name(&self, name: Option<&str>) -> SqlResult<Option<String>> {
        let Some(name) = name else { return Ok(None) };
        if !name.starts_with('@') {
            return Ok(Some(name.to_owned()));
        }
        let (slot, _) = self.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
        Ok(match &self.ctx.variables[slot] {
            Value::Str(name) if !name.is_empty() => Some(name.chars().take(NAME_CHARS_MAX).collect()),
            _ => None,
        })
    }

    /// BEGIN TRANSACTION, which under IMPLICIT_TRANSACTIONS stands inside the one that it begins itself.
    ///
    /// # Errors
    /// 137
    pub(in crate::exec) fn begin_transaction(&mut self, name: Option<&str>) -> SqlResult<()> {
        let name = self.given_name(name)?;
        self.implicit_begin();
        self.enter_transaction(name);
        self.done_quietly(0);
        Ok(())
    }

    fn enter_transaction(&mut self, name: Option<String>) {
        if self.ctx.facts.tran_count == 0 {
            self.session.work.begin();
            self.session.began_as_snapshot = self.ctx.facts.settings.isolation() == Isolation::Snapshot;
            self.session.transaction += 1;
            self.session.transaction_name = name;
            let descriptor = self.session.transaction;
            self.sink.env_change(&EnvChange::BeginTransaction(descriptor));
        }
        self.ctx_mut().facts.tran_count += 1;
    }

    /// SET IMPLICIT_TRANSACTIONS ON: a statement that touches tables begins a transaction.
    pub(in crate::exec) fn implicit_begin(&mut self) {
        if self.ctx.facts.settings.implicit_transactions && self.ctx.facts.tran_count == 0 {
            self.enter_transaction(None);
        }
    }

    /// The same for SELECT: one without a table begins nothing.
    pub(in crate::exec) fn implicit_read(&mut self) {
        if !self.ctx.tables.is_empty() {
            self.implicit_begin();
        }
    }

    pub(in crate::exec) fn commit(&mut self, delayed: bool) -> SqlResult<()> {
        if self.ctx.facts.doomed {
            return Err(message::doomed());
        }
        if self.ctx.facts.insert_exec.is_some_and(|base| self.ctx.facts.tran_count <= base) {
            return Err(crate::exec::dml::gather::refuse_commit());
        }
        match self.ctx.facts.tran_count {
            0 => {
                return Err(SqlError::of(3902, 1, &[]));
            }
            1 => {
                let ask = self.ctx.ask_other();
                let mode = if delayed { CommitMode::Delayed } else { CommitMode::Durable };
                let committed = self.session.work.commit(&ask, mode);
                let committed = self.committed(committed);
                self.ctx.session.row_versions.lock().clear();
                self.ctx.session.temp.write().forget_dropped();
                if let Err(error) = committed {
                    // Whether it happened is known after recovery only, but it is over.
                    self.ctx_mut().facts.tran_count = 0;
                    let descriptor = self.session.transaction;
                    self.sink.env_change(&EnvChange::RollbackTransaction(descriptor));
                    return Err(self.txn_error(error, ""));
                }
                let descriptor = self.session.transaction;
                self.sink.env_change(&EnvChange::CommitTransaction(descriptor));
                if self.ctx.facts.settings.cursor_close_on_commit {
                    self.close_cursors();
                }
            }
            _ => {}
        }
        self.ctx_mut().facts.tran_count -= 1;
        self.done_quietly(0);
        Ok(())
    }

    pub(in crate::exec) fn rollback(&mut self, name: Option<&str>) -> SqlResult<()> {
        if self.ctx.facts.insert_exec.is_some() {
            return Err(crate::exec::dml::gather::refuse_rollback());
        }
        if self.ctx.facts.tran_count == 0 {
            return Err(SqlError::of(3903, 1, &[]));
        }
        let name = self.given_name(name)?;
        let name = name.as_deref();
        // Names of transactions and savepoints are case-sensitive under every collation.
        let outermost = |name: &str| self.session.transaction_name.as_deref() == Some(name);
        if let Some(name) = name
            && !outermost(name)
        {
            if self.ctx.facts.doomed {
                return Err(SqlError::of(3931, 1, &[]));
            }
            let ask = self.ctx.ask_other();
            let undone = self.session.work.rollback_to(&ask, name);
            self.undone(undone).map_err(|error| self.txn_error(error, ""))?;
            self.ctx.session.temp.write().restore_procedures_to(name);
            self.done_quietly(0);
            return Ok(());
        }
        self.rollback_everything();
        self.done_quietly(0);
        Ok(())
    }

    /// Ends the transaction, if there is one, as if it had not been.
    pub(in crate::exec) fn rollback_everything(&mut self) {
        if self.ctx.facts.tran_count == 0 {
            return;
        }
        let ask = self.ctx.ask_other();
        let undone = self.session.work.rollback(&ask);
        self.ctx.session.row_versions.lock().clear();
        let lost = self.undone(undone);
        // Tables that could not be restored are this session's own and gone: say so, go on.
        if let Err(error) = lost {
            let error = self.txn_error(error, "");
            self.sink.message(&crate::exec::batch::to_message(&error, 1));
        }
        self.ctx.session.temp.write().forget_dropped();
        let descriptor = self.session.transaction;
        self.sink.env_change(&EnvChange::RollbackTransaction(descriptor));
        let facts = &mut self.ctx_mut().facts;
        facts.tran_count = 0;
        facts.doomed = false;
        if facts.settings.cursor_close_on_commit {
            self.close_cursors();
        }
    }

    pub(in crate::exec) fn save(&mut self, name: &str) -> SqlResult<()> {
        if self.ctx.facts.tran_count == 0 {
            return Err(SqlError::of(628, 0, &[]));
        }
        if self.ctx.facts.doomed {
            return Err(message::doomed());
        }
        let name = self.given_name(Some(name))?.unwrap_or_default();
        self.session.work.save(&name);
        self.ctx.session.temp.write().save_procedures(&name);
        self.done_quietly(0);
        Ok(())
    }
}

impl Session {
    /// Runs a request of a client's transaction manager: the same statements as text.
    pub fn run_transaction_request(&mut self, request: &TransactionRequest, sink: &mut dyn Sink) {
        let text = match request {
            TransactionRequest::Begin { name, .. } => begin_text(Some(name)),
            TransactionRequest::Commit { and_begin } => {
                format!("COMMIT TRANSACTION {}", begin_text(and_begin.as_deref()))
            }
            TransactionRequest::Rollback { name, and_begin } => {
                let begin = begin_text(and_begin.as_deref());
                // A driver rolls back to be sure, also where an error has rolled back already.
                if self.facts.tran_count == 0 {
                    sink.done(Done { kind: DoneKind::Statement, row_count: None, error: false, command: 0 });
                    if and_begin.is_none() {
                        return;
                    }
                    begin
                } else {
                    format!("ROLLBACK TRANSACTION {} {begin}", quoted(name))
                }
            }
            TransactionRequest::Save { name } => format!("SAVE TRANSACTION {}", quoted(name)),
        };
        if let TransactionRequest::Begin { isolation: isolation @ 1..=5, .. } = request {
            std::sync::Arc::make_mut(&mut self.facts.settings).isolation = *isolation;
        }
        self.as_own(|session| session.run_batch(&text, sink));
    }
}

/// BEGIN TRANSACTION of a name that may be empty; nothing for none.
fn begin_text(name: Option<&str>) -> String {
    name.map(|name| format!("BEGIN TRANSACTION {}", quoted(name))).unwrap_or_default()
}

/// A name as text has it; empty for an empty one.
fn quoted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("[{}]", name.replace(']', "]]")) }
}
