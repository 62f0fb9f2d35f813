//! The batch interpreter: variables, statements in order, errors and what they end.

pub(crate) mod account;
pub(crate) mod append;
pub(crate) mod compile;
pub(crate) mod compile_only;
pub(crate) mod contexts;
pub(crate) mod control;
pub(crate) mod flow;
pub(crate) mod frame;
pub(crate) mod gathering;
pub(crate) mod mark;
pub(crate) mod result_sets;
pub(crate) mod scalar;
pub(crate) mod scope;
pub(crate) mod set;
pub(crate) mod settings;
pub(crate) mod temp_table;
pub(crate) mod text_run;
pub(crate) mod transaction;

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::{Binder, TableUse, Variables};
use millpond_catalog::dialect::Dialect;
use millpond_catalog::{CatalogObject, SchemaId, TableDef, names_equal};
use millpond_code::code::{AHEAD, Ahead, Bound, Code, CodeKind, Needs, TextPlans};
use millpond_code::code_key::CodeKey;
use millpond_code::cursors::Cursors;
use millpond_code::kept;
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::kept_plan::PlanPlace;
use millpond_engine::account::statement_stats::StatementStats;
use millpond_engine::capture::execution::Running;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::event_session::sites;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::rows::TableRows;
use millpond_engine::stay;
use millpond_engine::stored::check_keys;
use millpond_engine::system_call::closed;
use millpond_engine::temp::TempTable;
use millpond_message::error::{NO_LINE, SqlError, SqlResult};
use millpond_message::sink::{Column, Done, DoneKind, Message, Sink};
use millpond_message::{self as message, Ends};
use millpond_rows::changes::Changes;
use millpond_tsql::ast::{Statement, StatementKind};
use millpond_types::{SqlType, Value};

use crate::exec::batch::account::{notes, profile, statistics, told};
use crate::exec::batch::frame::Frame;
use crate::exec::batch::gathering::Gathering;
use crate::session::Session;
use millpond_names::session_names::SessionNames;
use millpond_names::shaped_results::ShapedResults;
use millpond_rights::needs;

/// A statement's tables as they are now, and the version of all names that they are of.
type Rebound = ((u64, u64), Arc<[TableBinding]>);

/// Times that a statement is bound while its definitions keep changing.
pub(super) const REBINDS_MAX: u32 = 64;

/// What follows a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next statement.
    Next,
    /// BREAK
    Break,
    /// CONTINUE
    Continue,
    /// RETURN
    Return,
    /// GOTO: to the label in [`BatchRun::label`].
    Goto,
    /// An error ended the scope or the batch.
    Abort,
}

/// One run of one text in a session.
pub(super) struct BatchRun<'s> {
    pub session: &'s mut Session,
    pub sink: &'s mut dyn Sink,
    pub parsed: Arc<ParsedBatch>,
    pub plans: TextPlans,
    pub variables: Arc<Variables>,
    pub ctx: Arc<RunContext>,
    pub kind: DoneKind,
    pub try_depth: u32,
    /// RETURN's value.
    pub return_status: Option<i32>,
    /// Severity of the last error that was not caught.
    pub failed: Option<u8>,
    /// A function's RETURN.
    pub returned: Option<Value>,
    /// Where GOTO goes.
    pub label: String,
    /// Of each list of statements of the text in which GOTO looked for a label: where its labels are.
    pub labels: HashMap<usize, HashMap<Vec<u8>, usize>>,
    /// An error ended not only this text but the whole batch.
    pub ends_batch: bool,
    pub frame: Frame,
    /// INSERT … EXEC: takes the rows that calls send.
    pub gathering: Option<Box<Gathering>>,
    /// EXECUTE … WITH RESULT SETS: what calls may send.
    pub shaped: Option<Box<ShapedResults>>,
    /// What must stand in the row that WHERE CURRENT OF changes.
    pub stamp: Option<u64>,
    /// Rows that triggers wait for.
    pub changes: Option<Box<Changes>>,
    /// Counters of the statement that was bound last, until it runs.
    pub stats: Option<Arc<StatementStats>>,
    /// The execution that is counted.
    pub running: Option<Running>,
    /// When the server's clock began, in microseconds of local time: asked once, so that the end of a statement asks one
    /// clock. A step of the machine's clock within a batch is not seen by the times of its statements.
    clock_began_us: Option<i64>,
    /// When the last counted statement ended, by the server's clock, while nothing has run since that takes time: the next
    /// one begins then, and asks no clock.
    pub ended_us: Option<u64>,
    /// Under what the code of the statement that was bound last is kept.
    pub bound_key: Option<CodeKey>,
    /// Statements whose operators were shown.
    pub profiled: u32,
    /// LOCAL cursors and cursor variables.
    pub cursors: Cursors,
    /// Definitions that a function's statement has locked for its caller.
    pub lent: Vec<(millpond_storage::contract::DbId, u32)>,
    /// Tables that foreign keys led to: the statement has their definitions locked.
    pub also_open: Vec<(millpond_storage::contract::DbId, millpond_catalog::ObjectId)>,
    /// The row that is being inserted; kept so that a loop allocates nothing.
    pub row: Vec<Value>,
    /// OUTPUT of the statement has sent rows.
    pub has_sent_rows: bool,
    /// The text is being compiled, and nothing runs.
    pub ahead: Option<Box<Ahead>>,
    /// A part of the statement has its tables open, or is done.
    pub has_begun: bool,
    /// The statement was bound to a definition that is no more, and nothing of it has begun.
    pub is_stale: bool,
}

/// A statement whose failure is followed by 3621.
fn changes_rows(kind: &StatementKind, error: &SqlError) -> bool {
    use StatementKind as S;
    // Whether a statement may run is known before it begins.
    if matches!(error.number, 229 | 230 | 297 | 916) {
        return false;
    }
    match kind {
        S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) => true,
        S::BulkInsert(_) => !message::bulk::is_of_bulk_file(error),
        _ => false,
    }
}

/// An error as it is sent; `line` is the statement's.
pub(super) fn to_message(error: &SqlError, line: u32) -> Message {
    let line = if error.line == 0 { line } else { error.line };
    Message {
        number: error.number,
        severity: error.severity,
        state: error.state,
        line: if line == NO_LINE { 0 } else { line },
        procedure: error.procedure.as_deref().unwrap_or_default().to_owned(),
        text: error.text.clone(),
    }
}

impl BatchRun<'_> {
    #[expect(clippy::too_many_arguments, reason = "the one place where a run is put together")]
    pub(super) fn new<'s>(
        session: &'s mut Session,
        sink: &'s mut dyn Sink,
        parsed: Arc<ParsedBatch>,
        plans: TextPlans,
        variables: Arc<Variables>,
        ctx: Arc<RunContext>,
        kind: DoneKind,
        frame: Frame,
    ) -> BatchRun<'s> {
        BatchRun {
            session,
            sink,
            parsed,
            plans,
            variables,
            ctx,
            kind,
            frame,
            cursors: Cursors::default(),
            gathering: None,
            shaped: None,
            stamp: None,
            changes: None,
            stats: None,
            running: None,
            clock_began_us: None,
            ended_us: None,
            bound_key: None,
            profiled: 0,
            try_depth: 0,
            return_status: None,
            failed: None,
            returned: None,
            label: String::new(),
            labels: HashMap::new(),
            ends_batch: false,
            lent: Vec::new(),
            row: Vec::new(),
            has_sent_rows: false,
            ahead: None,
            also_open: Vec::new(),
            has_begun: false,
            is_stale: false,
        }
    }

    /// One statement. An error is reported here, or handed up when a TRY waits for it.
    pub fn statement(&mut self, statement: &Statement) -> SqlResult<Flow> {
        if self.ctx.task.is_cancelled() {
            return Ok(self.ended_by_cancellation());
        }
        self.bound_key = None;
        match self.attempt(statement) {
            Ok(_) if self.ends_batch => Ok(Flow::Abort),
            Ok(flow) => Ok(flow),
            Err(error) => self.attempt_again(error, statement),
        }
    }

    /// A statement that failed runs again while somebody else changes what it was bound to before it begins.
    #[cold]
    fn attempt_again(&mut self, error: SqlError, statement: &Statement) -> SqlResult<Flow> {
        self.leave_statement();
        if !self.has_begun
            && let Ok(true) = stay::wait_for_shut(&self.ctx, &error)
        {
            self.is_stale = true;
        }
        // What is kept names a database by its number: it may be gone, and another have its name.
        let kept = self.bound_key.filter(|key| self.plans.statements.get(*key).is_some() && !self.has_begun);
        if let Some(key) = kept.filter(|_| error.number == message::UNKNOWN_DATABASE) {
            self.plans.statements.remove(key);
            self.is_stale = true;
        }
        let mut done = Err(error);
        for _ in 0..REBINDS_MAX {
            if done.is_ok() || !self.is_stale || self.ctx.task.is_cancelled() {
                break;
            }
            self.running = None;
            notes::forget_notes(self);
            done = self.attempt(statement);
            if done.is_err() {
                self.leave_statement();
            }
        }
        let is_stale = std::mem::take(&mut self.is_stale);
        self.has_begun = false;
        match done {
            Err(_) if is_stale && self.ctx.task.is_cancelled() => {
                self.running = None;
                notes::forget_notes(self);
                Ok(self.ended_by_cancellation())
            }
            Ok(_) if self.ends_batch => Ok(Flow::Abort),
            Ok(flow) => Ok(flow),
            Err(error) => self.failed(error, statement),
        }
    }

    #[inline]
    fn attempt(&mut self, statement: &Statement) -> SqlResult<Flow> {
        (self.has_begun, self.is_stale) = (false, false);
        if sites::wants_statements(&self.ctx.engine) {
            return told::statement(self, statement, control::dispatch);
        }
        control::dispatch(self, statement)
    }

    /// A statement has ended: the databases that it named are left, and what waited for its locks to be dropped is.
    #[inline]
    pub(super) fn leave_statement(&mut self) {
        self.session.shared.end_statement(self.ctx.facts.nest_level);
        if self.ctx.engine.databases().has_orphans() && !self.session.work.in_transaction() {
            self.ctx.engine.databases().drop_orphans();
        }
    }

    /// A cancellation ends the batch, and with XACT_ABORT the transaction, whether it came inside of a statement or between
    /// two of them.
    pub(super) fn ended_by_cancellation(&mut self) -> Flow {
        self.ends_batch = true;
        if self.ctx.facts.settings.xact_abort {
            transaction::rollback_everything(self);
        }
        Flow::Abort
    }

    pub(super) fn failed(&mut self, error: SqlError, statement: &Statement) -> SqlResult<Flow> {
        if let Some(running) = self.running.take() {
            running.fail(statistics::runs(self), Some(&self.ctx.work), error.number == message::CANCELLED);
            sites::spilled(&self.ctx.engine, &self.ctx.session, &self.ctx.work);
        }
        notes::forget_notes(self);
        let error = control::redacted(self, error, statement);
        let error = error.at(statement.span.line).inside(self.frame.procedure.as_ref());
        if error.number == message::CANCELLED {
            return Ok(self.ended_by_cancellation());
        }
        // What cannot be bound goes past the TRYs of its own level, to one of a caller.
        let waiting = self.ctx.facts.outer_try + if error.is_of_binding { 0 } else { self.try_depth };
        if waiting > 0 && error.severity > 10 && error.severity < message::SEVERITY_FATAL {
            return Err(error);
        }
        // What was not bound did not run.
        let ends_changes = !error.is_of_binding && changes_rows(&statement.kind, &error);
        let mut flow = self.report_of(&error, statement.span.line, ends_changes);
        if error.is_of_binding && self.try_depth > 0 {
            flow = Flow::Abort;
        }
        Ok(flow)
    }

    /// Sends an error and returns what it ends.
    pub(super) fn report(&mut self, error: &SqlError, line: u32) -> Flow {
        self.report_of(error, line, false)
    }

    /// The same; `ends_changes`: 3621 follows, before the statement's DONE, where the batch goes on.
    fn report_of(&mut self, error: &SqlError, line: u32, ends_changes: bool) -> Flow {
        self.ctx.engine.counters.errors.fetch_add(1, Relaxed);
        for earlier in error.earlier().chain([error]) {
            sites::reported(&self.ctx.engine, &self.ctx.session, earlier, false);
        }
        for earlier in error.earlier() {
            self.sink.message(&to_message(earlier, if error.line == 0 { line } else { error.line }));
        }
        self.sink.message(&to_message(error, line));
        if message::is_logged(error) {
            control::log_raised(self, error.number, error.severity, error.state, &error.text);
        }
        self.failed = Some(error.severity);
        let facts = &mut self.ctx_mut().facts;
        facts.error = error.number;
        facts.row_count = 0;
        // RAISERROR does not heed XACT_ABORT.
        let xact_abort = facts.settings.xact_abort && !error.is_raised;
        // ARITHABORT ON under ANSI_WARNINGS OFF.
        let aborts = message::is_arithmetic(error.number) && self.ctx.facts.settings.ends_batch_on_error();
        if ends_changes && message::ends(error) == Ends::Statement && !(xact_abort || aborts) {
            self.sink.message(&Message { line, ..message::statement_terminated() });
        }
        self.done_error();
        if xact_abort || aborts || message::rolls_back(error) {
            transaction::rollback_everything(self);
        }
        let xact_abort = xact_abort || aborts;
        match message::ends(error) {
            Ends::Statement if !xact_abort => Flow::Next,
            Ends::Scope if !xact_abort => Flow::Abort,
            _ => {
                self.ends_batch = true;
                Flow::Abort
            }
        }
    }

    /// An error that does not stop the statement: handed to a TRY that waits, else sent.
    ///
    /// # Errors
    /// The error itself.
    pub(super) fn complain(&mut self, error: SqlError) -> SqlResult<()> {
        if self.try_depth + self.ctx.facts.outer_try > 0 {
            return Err(error);
        }
        self.report(&error, 0);
        Ok(())
    }

    /// The context, to be changed between statements.
    pub fn ctx_mut(&mut self) -> &mut RunContext {
        Arc::get_mut(&mut self.ctx).expect("X3: no plan holds the context after its run")
    }

    /// The bound form of a statement, of one of its expressions or of what is made of it: from the cache, with its tables
    /// as they are now, or bound anew.
    pub fn bound<K: CodeKind>(
        &mut self,
        statement: &Statement,
        key: CodeKey,
        bind: impl Fn(&mut Binder<'_>, &RunContext) -> SqlResult<K>,
    ) -> SqlResult<K> {
        if self.ahead.is_some() {
            return compile::bound_ahead(self, key, bind);
        }
        self.bound_key = Some(key);
        let dialect = Dialect::of(&self.ctx.facts);
        if !self.ctx.facts.security.is_sa() {
            self.check_kept(key)?;
        }
        if let Some(known) = self.plans.statements.get(key)
            && known.dialect == dialect
            && let Some(code) = K::of(&known.code)
        {
            let is_alone = known.is_alone();
            let is_fresh = known.version == AHEAD;
            let usable = !is_fresh && !known.within_trigger && (is_alone || known.version == self.names_version());
            let stale = known.code.is_stale();
            if usable && !stale {
                known.databases.iter().try_for_each(|(id, _)| stay::name_again(&self.ctx, *id))?;
                let ctx = Arc::get_mut(&mut self.ctx).expect("X3: no plan holds the context after its run");
                ctx.calls_functions = known.calls;
                // A value of no table leaves the tables of the statement before it: nothing asks for them (`control::redacted` does not).
                let asks_no_table = is_alone && !known.calls && known.code.is_scalar();
                if !asks_no_table && !Arc::ptr_eq(&ctx.tables, &known.tables) {
                    ctx.tables = Arc::clone(&known.tables);
                }
                if !(ctx.sequences.is_empty() && known.sequences.is_empty()) {
                    ctx.sequences = Arc::clone(&known.sequences);
                }
                self.stats.clone_from(&known.stats);
                return Ok(code);
            }
            self.ended_us = None;
            let known = Arc::clone(known);
            if !stale
                && !known.within_trigger
                && !self.may_mean_others(&known)
                && let Some((version, tables)) = self.rebind_declared(&known)?
            {
                let stats = if is_fresh { self.stats_of(statement, &known.code) } else { known.stats.clone() };
                needs::check_needs(&self.ctx, &known.needs)?;
                self.keep(key, Bound::clone(&known).at(version, tables).counted_in(stats));
                return Ok(code);
            }
        }
        self.ended_us = None;
        let mut changed = None;
        for _ in 0..REBINDS_MAX {
            let names = SessionNames::of(&self.ctx);
            let mut binder = Binder::new(&names, &self.variables);
            let code = bind(&mut binder, &self.ctx)
                .map_err(|error| message::when_bound(compile::missing_object_first(self, error, statement)))?;
            let uses = std::mem::take(&mut binder.tables);
            let databases = std::mem::take(&mut binder.databases);
            let views = std::mem::take(&mut binder.views);
            let (calls, by_stand_in) = (binder.calls, names.by_stand_in.get());
            let warns = binder.warns_of_order;
            let within_trigger = names.within_trigger.get();
            let sequences = Arc::from(std::mem::take(&mut binder.sequences));
            let needs = Needs::of(&mut binder);
            needs::check_needs(&self.ctx, &needs)?;
            let kept: Code = code.clone().into();
            let stats = self.stats_of(statement, &kept);
            let (version, tables) = ((0, 0), Arc::from([]));
            let fresh = Bound {
                version,
                dialect,
                uses,
                databases,
                views,
                sequences,
                calls,
                by_stand_in,
                within_trigger,
                needs,
                stats,
                captured: Arc::default(),
                tables,
                code: kept,
            };
            if let Some((version, tables)) = self.rebind(&fresh)? {
                self.keep(key, fresh.at(version, tables));
                self.warn_of_order(warns);
                return Ok(code);
            }
            // Somebody changed a definition in between.
            changed = fresh.uses.first().map(|table| table.name.clone());
        }
        Err(message::schema_changed(changed.as_deref().unwrap_or_default()))
    }

    /// What code that is kept, and means what it meant, needs the right to.
    #[cold]
    fn check_kept(&mut self, key: CodeKey) -> SqlResult<()> {
        let version = self.names_version();
        let known = self
            .plans
            .statements
            .get(key)
            .filter(|known| known.version != AHEAD && (known.is_alone() || known.version == version));
        let needs = known.map(|known| Arc::clone(&known.needs));
        needs.map_or(Ok(()), |needs| needs::check_needs(&self.ctx, &needs))
    }

    /// Whether a name in it that was found in `dbo`, or by a synonym, may be another object's now.
    pub(super) fn may_mean_others(&self, known: &Bound) -> bool {
        let is_other = |schema: SchemaId| schema != SchemaId::DBO;
        (known.by_stand_in
            || is_other(self.ctx.facts.schema)
            || known.views.iter().any(|(_, def)| is_other(def.schema.id)))
            && known.version.1 != self.ctx.engine.databases().epoch()
    }

    /// What changes when any name may mean something else.
    #[inline]
    pub(super) fn names_version(&self) -> (u64, u64) {
        (self.ctx.session.temp.read().version(), self.ctx.engine.databases().epoch())
    }

    /// The counters of a statement over rows.
    fn stats_of(&self, statement: &Statement, code: &Code) -> Option<Arc<StatementStats>> {
        let is_counted = matches!(code, Code::Query(_) | Code::Insert(_) | Code::Change(_) | Code::Merge(_));
        if !is_counted || self.parsed.batch.has_password {
            return None;
        }
        let (ctx, parsed) = (&self.ctx, &self.parsed);
        let place = (statement.span.start, statement.span.end);
        Some(ctx.engine.statements().of(parsed.id, place.0, || {
            let text = (parsed.id, Arc::clone(&parsed.text));
            StatementStats::new(text, place, self.frame.object, ctx.facts.database.0, ctx.engine.now_us().1)
        }))
    }

    /// The statement has ended well; counts it, if it is one that is counted.
    #[inline]
    fn counted(&mut self, rows: u64) -> Option<Spent> {
        if self.running.is_some() { self.end_counted(rows) } else { None }
    }

    fn end_counted(&mut self, rows: u64) -> Option<Spent> {
        let running = self.running.take()?;
        let engine = &self.ctx.engine;
        let wall = || engine.now_us().1.saturating_sub_unsigned(engine.clock_us());
        let began_us = *self.clock_began_us.get_or_insert_with(wall);
        let runs = statistics::runs(self);
        let clock_us = runs.clock_us;
        let now_us = began_us.saturating_add_unsigned(clock_us);
        let spent = running.end(runs, Some(&self.ctx.work), rows, now_us);
        sites::spilled(&self.ctx.engine, &self.ctx.session, &self.ctx.work);
        self.ended_us = Some(clock_us);
        Some(spent)
    }

    fn keep(&mut self, key: CodeKey, bound: Bound) {
        let ctx = self.ctx_mut();
        ctx.tables = Arc::clone(&bound.tables);
        ctx.calls_functions = bound.calls;
        ctx.sequences = Arc::clone(&bound.sequences);
        self.stats.clone_from(&bound.stats);
        let bound = Arc::new(bound);
        if let Some(stats) = &bound.stats {
            stats.set_plan(PlanPlace::new(kept::weakly(&bound), &self.variables, &self.ctx.facts));
        }
        self.plans.statements.insert(key, bound);
    }

    /// The statement's tables by their names now; `None` when one has another definition than it was bound to.
    pub(super) fn rebind(&self, bound: &Bound) -> SqlResult<Option<Rebound>> {
        let version = self.names_version();
        if !self.definitions_hold(bound)? {
            return Ok(None);
        }
        let mut tables = Vec::with_capacity(bound.uses.len());
        for (index, used) in bound.uses.iter().enumerate() {
            let Some((def, rows)) = self.table_now(used)? else { return Ok(None) };
            check_keys(&def)?;
            let io = bound.tables.get(index).map_or_else(Arc::default, |old| Arc::clone(&old.io));
            tables.push(TableBinding { def, rows, epoch: version.1, hint: used.hint, io });
        }
        Ok(Some((version, tables.into())))
    }

    /// [`BatchRun::rebind`], with the table variables whose DECLARE was passed by: it counts wherever control goes.
    fn rebind_declared(&mut self, bound: &Bound) -> SqlResult<Option<Rebound>> {
        let rebound = self.rebind(bound)?;
        if rebound.is_some() {
            return Ok(rebound);
        }
        let level = self.ctx.facts.nest_level;
        let mut is_made = false;
        for used in bound.uses.iter().filter(|used| used.def.name.starts_with('@')) {
            let is_it = |table: &TempTable| table.level == level && names_equal(&table.def.name, &used.def.name);
            if !self.ctx.session.temp.read().tables().any(is_it) {
                scope::forget_tables(self);
                scope::atomically(self, &used.def.name, |run| temp_table::new_table(run, &used.def))?;
                is_made = true;
            }
        }
        if is_made { self.rebind(bound) } else { Ok(None) }
    }

    /// Whether the views, functions and sequences that code is of are still there, and its databases by their names.
    pub(super) fn definitions_hold(&self, bound: &Bound) -> SqlResult<bool> {
        if bound.databases.iter().any(|(id, name)| self.ctx.engine.database_id(name) != Some(*id)) {
            return Ok(false);
        }
        for (database, view) in &bound.views {
            let objects = self.ctx.engine.databases().dictionary(*database)?.catalog().objects();
            match objects.get(view.id) {
                Some(CatalogObject::Module(def)) if Arc::ptr_eq(def, view) => {}
                _ => return Ok(false),
            }
        }
        for (database, id) in bound.sequences.iter() {
            let objects = self.ctx.engine.databases().dictionary(*database)?.catalog().objects();
            if !matches!(objects.get(*id), Some(CatalogObject::Sequence(_))) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn table_now(&self, used: &TableUse) -> SqlResult<Option<(Arc<TableDef>, TableRows)>> {
        if used.def.is_temporary() {
            let temp = self.ctx.session.temp.read();
            let table =
                temp.find(&used.def.name, self.ctx.facts.nest_level).filter(|table| Arc::ptr_eq(&table.def, &used.def));
            return Ok(table.map(|table| (Arc::clone(&table.def), table.rows())));
        }
        let objects = self.ctx.engine.databases().dictionary(used.def.database)?.catalog().objects();
        let table = objects.table(used.def.id).filter(|(def, _)| Arc::ptr_eq(def, &used.def));
        Ok(table.map(|(def, trees)| (Arc::clone(def), TableRows::Trees(Arc::clone(trees)))))
    }

    /// A statement ended that counts rows.
    pub fn done_rows(&mut self, rows: u64, command: u16) {
        notes::send_notes(self);
        let spent = self.counted(rows);
        let kind = self.kind;
        let facts = &mut self.ctx_mut().facts;
        facts.row_count = rows;
        facts.error = 0;
        let nocount = facts.settings.nocount;
        // What has sent rows ends with a DONE in any case: the next result begins after it.
        if std::mem::take(&mut self.has_sent_rows) || !nocount || command == COMMAND_SELECT {
            let row_count = (!nocount).then_some(rows);
            // The client may let us wait.
            self.ended_us = None;
            self.sink.done(Done { kind, row_count, error: false, command });
        }
        profile::send_profile(self, spent, rows);
    }

    /// A statement ended that counts nothing; `rows` is what @@ROWCOUNT says.
    pub fn done_quietly(&mut self, rows: u64) {
        notes::send_notes(self);
        let spent = self.counted(rows);
        let facts = &mut self.ctx_mut().facts;
        facts.row_count = rows;
        facts.error = 0;
        profile::send_profile(self, spent, rows);
    }

    /// A statement of a batch ended that counts nothing and says so: drivers see by its DONE which of several statements
    /// has ended. Not what sets variables or moves cursors: loops are made of that.
    pub fn done_without_count(&mut self) {
        self.done_quietly(0);
        if self.kind == DoneKind::Statement && !self.ctx.facts.settings.nocount {
            self.ended_us = None;
            self.sink.done(Done { kind: DoneKind::Statement, row_count: None, error: false, command: 0 });
        }
    }

    fn done_error(&mut self) {
        self.has_sent_rows = false;
        let kind = self.kind;
        self.sink.done(Done { kind, row_count: None, error: true, command: 0 });
    }

    /// An information message at a statement's line.
    pub fn inform(&mut self, number: i32, args: &[&dyn Display]) {
        self.sink.message(&Message::of(number, args));
    }

    /// That the words of joins have forced their order: said where a statement is bound.
    pub fn warn_of_order(&mut self, is_forced: bool) {
        if is_forced {
            self.inform(8625, &[]);
        }
    }

    /// A text without a number, as PRINT sends it.
    pub fn inform_text(&mut self, text: impl Into<String>) {
        self.sink.message(&Message::plain(text));
    }
}

/// DONE's command of SELECT.
pub(super) const COMMAND_SELECT: u16 = 0xC1;
/// DONE's command of SELECT … INTO.
pub(super) const COMMAND_SELECT_INTO: u16 = 0xC2;
/// DONE's command of INSERT.
pub(super) const COMMAND_INSERT: u16 = 0xC3;
/// DONE's command of DELETE.
pub(super) const COMMAND_DELETE: u16 = 0xC4;
/// DONE's command of UPDATE.
pub(super) const COMMAND_UPDATE: u16 = 0xC5;
/// DONE's command of MERGE.
pub(super) const COMMAND_MERGE: u16 = 0x117;
/// DONE's command of BULK INSERT.
pub(super) const COMMAND_BULK_INSERT: u16 = 0xF0;

/// Sends a result.
pub(in crate::exec) fn send_rows(
    run: &mut BatchRun<'_>,
    columns: &[(&str, SqlType)],
    rows: &[Vec<Value>],
) -> SqlResult<()> {
    put_rows(run, columns, rows)?;
    run.done_rows(rows.len() as u64, COMMAND_SELECT);
    Ok(())
}

/// The columns and rows of a result, whose end the caller sends.
pub(in crate::exec) fn put_rows(
    run: &mut BatchRun<'_>,
    columns: &[(&str, SqlType)],
    rows: &[Vec<Value>],
) -> SqlResult<()> {
    let column = |(name, sql_type): &(&str, SqlType)| Column::new(*name, *sql_type);
    let columns: Vec<Column> = columns.iter().map(column).collect();
    run.sink.columns(&columns).map_err(closed)?;
    rows.iter().try_for_each(|row| run.sink.row(row).map_err(closed))
}
