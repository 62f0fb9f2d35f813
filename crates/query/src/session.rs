//! A session: its settings, its temporary objects, its transaction, and how a batch or a call runs in it.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::facts::{CurrentDatabase, Login, SessionFacts, Settings};
use millpond_catalog::run::set_option::settings_of_server;
use millpond_catalog::security::SecurityContext;
use millpond_engine::admin::access;
use millpond_engine::engine::Engine;
use millpond_engine::event_session::sites;
use millpond_engine::session_shared::{Kept, SessionShared};
use millpond_engine::session_values::SessionValues;
use millpond_engine::stay::{self, Stay};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_message::sink::{EnvChange, Message, Sink};
use millpond_storage::contract::DbId;
use millpond_storage::settings::options::OptionId;
use millpond_txn::{CatalogLocks, Reader, SessionWork};
use millpond_types::Value;
use millpond_types::temporal::Language;
use parking_lot::Mutex;

use millpond_code::bulk_state::BulkState;
use millpond_code::code::{PlanCache, TextKey, TextPlans};
use millpond_code::cursors::Cursors;
use millpond_code::plan_rows::Shown;
use millpond_code::prepared_calls::PreparedCalls;
use millpond_cursors::kept::ApiCursors;

/// What a session keeps for the statements that it will run.
#[derive(Default)]
pub(crate) struct KeptBySession {
    /// Bound statements by their texts, but those of texts that run.
    plans: Mutex<PlanCache>,
    /// Sessions in which functions run, kept for the next call.
    pub inner: Mutex<Vec<Session>>,
}

impl KeptBySession {
    /// That of a session.
    pub fn of(session: &SessionShared) -> &KeptBySession {
        session.kept.as_any().downcast_ref().expect("sessions are opened with it")
    }

    /// Takes the plans of a text out for a run.
    pub fn take_plans(&self, text: &TextKey) -> TextPlans {
        self.plans.lock().take(text)
    }

    /// Puts them back, if there is room for them.
    pub fn put_plans(&self, engine: &Engine, text: TextKey, plans: TextPlans) {
        let Some(plans) = plans.charged_to(engine) else { return };
        // What goes for them ends when the lock is free again.
        let gone = self.plans.lock().put(text, plans);
        drop(gone);
    }
}

impl Kept for KeptBySession {
    fn forget_plans(&self) {
        // They end when the lock is free again.
        let forgotten = std::mem::take(&mut *self.plans.lock());
        drop(forgotten);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What a new session of a login has that has set nothing.
fn settings_of(engine: &Engine, login: &Login) -> Settings {
    let options = engine.instance().settings();
    let mut settings =
        settings_of_server(options.running(OptionId::UserOptions), options.running(OptionId::TwoDigitYearCutoff));
    if let Some(language) = Language::named(&login.language) {
        settings.set_language(language);
    }
    settings
}

/// A session. One thread at a time runs it.
pub struct Session {
    pub(crate) engine: Arc<Engine>,
    pub(crate) shared: Arc<SessionShared>,
    pub(crate) work: SessionWork,
    /// Its locks for who looks names up; in a function those of its caller.
    pub locks: CatalogLocks,
    pub(crate) facts: SessionFacts,
    pub(crate) prepared: PreparedCalls,
    /// Global cursors.
    pub(crate) cursors: Cursors,
    /// Cursors of clients' libraries, by their handles.
    pub(crate) api_cursors: ApiCursors,
    /// Cursors of CURSOR parameters on their way into a procedure and out of it.
    pub(crate) handed: Cursors,
    /// Savepoints and transaction names are txn's; this numbers transactions for clients.
    pub(crate) transaction: u64,
    /// Name of the outermost BEGIN TRANSACTION.
    pub(crate) transaction_name: Option<String>,
    /// The open transaction began under SNAPSHOT, so that it may read so (3951).
    pub(crate) began_as_snapshot: bool,
    /// The options that `work` has.
    applied: Arc<Settings>,
    /// In a function: what its caller's statement reads with.
    pub(crate) caller_reader: Option<Arc<Reader>>,
    /// INSERT BULK.
    pub(crate) bulk: BulkState,
    /// What was shown of the batch that calls a procedure whose statements are to be shown now.
    pub(crate) shown: Option<Shown>,
    /// It is known to the session that keeps it alone.
    is_inner: bool,
    /// Whose rights it had when it was opened.
    own_security: Arc<SecurityContext>,
}

impl Session {
    pub(crate) fn new(engine: Arc<Engine>, shared: Arc<SessionShared>, security: Arc<SecurityContext>) -> Session {
        let work = engine.databases().open_session(shared.id, Arc::clone(&shared.task));
        Session::over(work, engine, shared, security)
    }

    fn over(
        work: SessionWork,
        engine: Arc<Engine>,
        shared: Arc<SessionShared>,
        security: Arc<SecurityContext>,
    ) -> Session {
        let settings = settings_of(&engine, &shared.login);
        let facts = SessionFacts::new(shared.id, Arc::clone(&shared.login), Arc::clone(&security), settings);
        Session {
            engine,
            shared,
            locks: work.catalog_locks(),
            work,
            facts,
            prepared: PreparedCalls::default(),
            cursors: Cursors::default(),
            api_cursors: ApiCursors::default(),
            handed: Cursors::default(),
            transaction: 0,
            transaction_name: None,
            began_as_snapshot: false,
            applied: Arc::default(),
            caller_reader: None,
            bulk: BulkState::default(),
            shown: None,
            is_inner: false,
            own_security: security,
        }
    }

    /// A session for functions that `outer` calls: its number and task are the same, its temporary objects its own.
    pub(crate) fn inner(engine: &Arc<Engine>, outer: &SessionShared) -> Session {
        let kept = Box::new(KeptBySession::default());
        let mut shared = SessionShared::new(outer.id, Login::default(), outer.login_us, kept);
        shared.login = Arc::clone(&outer.login);
        shared.task = Arc::clone(&outer.task);
        // Its plans run inside those of the outer one, and must not wait for memory behind them.
        shared.works = Arc::clone(&outer.works);
        let work = engine.databases().open_inside(shared.id, Arc::clone(&shared.task));
        let mut session = Session::over(work, Arc::clone(engine), Arc::new(shared), SecurityContext::sa());
        session.is_inner = true;
        session
    }

    /// The part that others see.
    #[must_use]
    pub fn shared(&self) -> &Arc<SessionShared> {
        &self.shared
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Facts now.
    #[must_use]
    pub fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    /// Whether others may have to wait for what the session does next: it has a transaction open, or locks of its own.
    #[must_use]
    pub fn may_block_others(&self) -> bool {
        self.facts.tran_count > 0 || self.work.in_transaction() || self.work.locks().holds_for_session()
    }

    /// Makes a database current, as USE and a login do.
    ///
    /// # Errors
    /// 911; 924 for a database in single-user mode; 942 and others for one that is not online.
    pub fn use_database(&mut self, name: &str, sink: &mut dyn Sink) -> SqlResult<()> {
        let id = self.engine.database_id(name).ok_or_else(|| message::unknown_database(name))?;
        let before = self.shared.status.lock().database;
        self.enter(id)?;
        self.check_current(id, name).inspect_err(|_| self.shared.status.lock().database = before)?;
        let used = self.engine.current_database(id);
        let old = self.facts.enter(used.clone());
        // Bound statements may mean objects of the database that was current.
        self.shared.forget_plans();
        tell_database(&old, &used, sink);
        sink.message(&Message::of(5701, &[&used.name]));
        Ok(())
    }

    /// Others see that the session is in a database from here on; where one has it for itself, after that.
    fn enter(&self, id: DbId) -> SqlResult<()> {
        stay::enter(&self.engine, &self.shared, id, u32::try_from(self.facts.settings.lock_timeout).ok())
    }

    /// The session is in a database while something of it runs.
    pub(crate) fn stay(&self, id: DbId) -> SqlResult<Option<Stay>> {
        stay::stay(&self.engine, &self.shared, id, u32::try_from(self.facts.settings.lock_timeout).ok())
    }

    /// Checks that the session's present security context may use a database.
    fn check_current(&self, id: DbId, name: &str) -> SqlResult<()> {
        access::check_current(&self.engine, self.locks.transaction_number(), &self.facts.security, id, name)
    }

    /// sp_reset_connection: as a new login would find it. Temporary objects and an open transaction are gone.
    ///
    /// # Errors
    /// 4060 when a login would not come into the database of the session's any more: the session is as new, in master, and must not be
    /// used.
    pub fn reset(&mut self, sink: &mut dyn Sink) -> SqlResult<()> {
        if self.facts.tran_count > 0 {
            // A client that believes in its transaction would go on in it.
            sink.env_change(&EnvChange::RollbackTransaction(self.transaction));
        }
        self.end_everything();
        self.facts.security = Arc::clone(&self.own_security);
        let wanted = &self.shared.login.database;
        let may_be_in = |id: &DbId| self.enter(*id).and_then(|()| self.check_current(*id, wanted)).is_ok();
        let found = self.engine.database_id(wanted).filter(may_be_in);
        let missing = (!wanted.is_empty() && found.is_none()).then(|| message::cannot_open_database(wanted));
        let login_database = found.unwrap_or(DbId::MASTER);
        self.facts.enter(self.engine.current_database(login_database));
        self.shared.task.waits_by_type.clear();
        self.facts.settings = Arc::new(settings_of(&self.engine, &self.shared.login));
        self.facts.row_count = 0;
        self.facts.error = 0;
        self.facts.identity = Value::Null;
        self.facts.scope_identity = Value::Null;
        self.facts.impersonation = None;
        self.prepared = PreparedCalls::default();
        self.cursors = Cursors::default();
        self.api_cursors = ApiCursors::default();
        self.shared.trace_flags.lock().clear();
        self.shared.documents.clear();
        *self.shared.context_info.lock() = None;
        *self.shared.values.lock() = SessionValues::default();
        let mut status = self.shared.status.lock();
        status.database = login_database;
        status.acting = Arc::clone(&self.own_security);
        status.settings = Arc::clone(&self.facts.settings);
        missing.map_or(Ok(()), Err)
    }

    /// Undoes what is open and drops all temporary objects: the end of the work that the session had does both.
    fn end_everything(&mut self) {
        // Their space in tempdb is of the work that goes.
        KeptBySession::of(&self.shared).inner.lock().clear();
        let mut work = self.engine.databases().open_session(self.shared.id, Arc::clone(&self.shared.task));
        work.join_group_of(&self.work);
        // With the old work and its view of the locks all of these go, those of the session too.
        self.locks = work.catalog_locks();
        self.work = work;
        self.facts.tran_count = 0;
        self.shared.tran_count.store(0, Relaxed);
        self.facts.doomed = false;
        self.transaction_name = None;
        self.began_as_snapshot = false;
        self.shared.row_versions.lock().clear();
        let globals = std::mem::take(&mut *self.shared.temp.write()).take_globals();
        self.engine.databases().orphan(globals);
        self.shared.forget_plans();
        self.applied = Arc::default();
    }

    /// Applies the options of a statement to what locks and reads. Options change by SET, by the end of a procedure and
    /// by requests of the wire: every statement's start applies them, so that no road can forget to.
    pub(crate) fn apply_settings(&mut self, settings: &Arc<Settings>) {
        if Arc::ptr_eq(settings, &self.applied) {
            return;
        }
        self.work.set_isolation(settings.isolation());
        self.work.set_lock_timeout_ms(u32::try_from(settings.lock_timeout).ok());
        self.work.set_deadlock_priority(settings.deadlock_priority.clamp(-10, 10) as i8);
        self.applied = Arc::clone(settings);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        KeptBySession::of(&self.shared).inner.lock().clear();
        if !self.is_inner {
            if self.facts.tran_count > 0 || self.shared.temp.read().has_globals() {
                // Its transaction goes first: what it made and did not commit is not there when the session is gone.
                self.end_everything();
            }
            sites::logout(&self.engine, &self.shared);
            self.engine.close_session(self.shared.id);
        }
    }
}

/// Tells the client that another database is current, and its collation where that is another one.
pub(crate) fn tell_database(old: &CurrentDatabase, new: &CurrentDatabase, sink: &mut dyn Sink) {
    sink.env_change(&EnvChange::Database { new: new.name.to_string(), old: old.name.to_string() });
    if old.collation != new.collation {
        sink.env_change(&EnvChange::Collation(new.collation));
    }
}
