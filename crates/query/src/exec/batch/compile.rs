//! A text is compiled as a whole before anything of it runs.
//!
//! ```text
//!   text ──each statement, both branches──▶ bound ─┬─ well: the code is kept for the run
//!                                                  ├─ an object is not there: left to the run (deferred name resolution)
//!                                                  └─ 207, 209, 213, 8120, …: sent, and nothing of the text runs
//! ```
//! What always holds:
//! - M1: nothing is run here: no row, no definition and no variable changes.
//! - M2: a statement that names an object which is not there now is left to the run, whatever else is wrong with it.
//! - M3: only an error of binding (`message::is_of_binding`) refuses a text: values are the run's business.
//! - M4: a text is compiled again only when a definition has changed, or a temporary table that it names; what was bound
//!   stays bound. A text of one statement is compiled by running it.
//!
//! Names mean what they mean now: a table that the text drops and makes anew is here the one that is there before it
//! runs, and a column that the text adds is not there yet. USE counts from its place on. A `#name` that a procedure,
//! trigger or nested text makes itself is not its caller's table of that name.

use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::is_local_temporary;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::absence::{is_of_absence, made_by, missing_object};
use millpond_bind::{Binder, Change, Home, InsteadOf, KeptRows, Named, Names};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::UserFunction;
use millpond_catalog::rel::UserTableFunction;
use millpond_catalog::{ModuleDef, ObjectId, SequenceDef, TableDef, UserTypeDef, names_equal};
use millpond_code::code::{AHEAD, Ahead, Bound, Code, CodeKind, Compiled, Needs, Seen};
use millpond_code::code_key::CodeKey;
use millpond_engine::context::RunContext;
use millpond_engine::event_session::sites;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::changes::Event;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{DataType, InsertSource, ObjectName, Span, Statement, StatementKind, VariableDeclaration};
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Watch};

use crate::exec::batch::{BatchRun, compile_only, scalar, set, to_message};
use crate::exec::ddl;
use crate::exec::ddl::table_type;
use crate::exec::dml::gather;
use crate::exec::dml::merge::fired_by;
use crate::exec::routine::renewed_cursor;
use crate::exec::routine::trigger::fire;
use millpond_names::session_names::SessionNames;
use millpond_names::triggers;

/// Names as the text will see them.
struct AheadNames<'a> {
    session: SessionNames<'a>,
    ahead: &'a Ahead,
}

impl Names for AheadNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        let last = name.last();
        let is_it = |known: &str| names_equal(known, last);
        if last.starts_with('@')
            && let Some((_, def)) = self.ahead.tables.iter().find(|(known, _)| is_it(known))
        {
            return Ok(Some(Named::Table(Arc::clone(def))));
        }
        if !is_local_temporary(last) {
            // What may be a table by the time the text comes to it is looked for then.
            let gives_way =
                |found: &Named| matches!(found, Named::View(view, database) if view.gives_way_in(*database));
            return Ok(self.session.relation(name, home)?.filter(|found| !gives_way(found)));
        }
        if self.ahead.made.iter().any(|known| is_it(known)) {
            return Ok(None);
        }
        let found = self.session.relation(name, home)?;
        let mut seen = self.ahead.temporary.borrow_mut();
        if !seen.iter().any(|(known, _)| is_it(known)) {
            let def = match &found {
                Some(Named::Table(def)) => Some(Arc::clone(def)),
                _ => None,
            };
            seen.push((last.clone(), def));
        }
        Ok(found)
    }

    fn database(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<DbId>> {
        self.session.database(name, home)
    }

    fn view_rows(&self, view: &ModuleDef, database: DbId, asked: bool) -> SqlResult<KeptRows> {
        self.session.view_rows(view, database, asked)
    }

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        self.session.table_function(name)
    }

    fn partition_function(
        &self,
        database: Option<&str>,
        name: &str,
        home: Option<Home>,
    ) -> SqlResult<Option<PartitionFunction>> {
        self.session.partition_function(database, name, home)
    }

    fn scalar_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        self.session.scalar_function(name, home)
    }

    fn sequence(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        self.session.sequence(name, home)
    }

    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
        self.session.user_table_function(name, home)
    }

    fn collation_of(&self, database: DbId) -> Collation {
        self.session.collation_of(database)
    }

    fn in_function(&self) -> bool {
        self.session.in_function()
    }

    fn user_type(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTypeDef>>> {
        self.session.user_type(name, home)
    }

    fn identity_insert(&self, def: &TableDef) -> bool {
        self.session.identity_insert(def)
    }

    fn null_by_default(&self) -> bool {
        self.session.null_by_default()
    }

    fn dialect(&self) -> Dialect {
        self.session.dialect()
    }

    fn instead_of(&self, database: DbId, object: ObjectId) -> SqlResult<InsteadOf> {
        self.session.instead_of(database, object)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        self.session.database_name(database)
    }

    fn watch(&self) -> Watch<'_> {
        self.session.watch()
    }
}

/// Compiles the text, if that is not done yet. The errors, in the order of the text; none: it may run.
pub(in crate::exec) fn compile(run: &mut BatchRun<'_>) -> Vec<SqlError> {
    let parsed = Arc::clone(&run.parsed);
    if is_single(&parsed.batch.statements) || is_compiled(run) {
        return Vec::new();
    }
    let version = run.names_version();
    let database = run.ctx.facts.current();
    run.ahead = Some(Box::default());
    run.ctx_mut().is_ahead = true;
    compile_list(run, &parsed.batch.statements);
    run.ctx_mut().is_ahead = false;
    let ahead = run.ahead.take().expect("put there above");
    run.ctx_mut().facts.enter(database);
    if run.ctx.task.is_cancelled() {
        // The rest was not looked at. The run ends before its first statement.
        return Vec::new();
    }
    if ahead.moves {
        // Which database is current at a place, the run decides.
        run.plans.statements.clear();
    } else if ahead.errors.is_empty() {
        run.plans.compiled = Some(Compiled { version, temporary: ahead.temporary.into_inner() });
    }
    ahead.errors
}

/// M4
fn is_compiled(run: &mut BatchRun<'_>) -> bool {
    let version = run.names_version();
    let Some(compiled) = &mut run.plans.compiled else { return false };
    if compiled.version == version {
        return true;
    }
    let temp = run.ctx.session.temp.read();
    let is_same = |(name, seen): &Seen| match (temp.find(name, run.ctx.facts.nest_level), seen) {
        (None, None) => true,
        (Some(table), Some(def)) => Arc::ptr_eq(&table.def, def),
        _ => false,
    };
    let holds = compiled.version.1 == version.1 && compiled.temporary.iter().all(is_same);
    if holds {
        compiled.version = version;
    }
    holds
}

/// Sends the errors of a text that does not run. Gives the one that a TRY of a caller waits for.
pub(in crate::exec) fn not_compiled(run: &mut BatchRun<'_>, mut errors: Vec<SqlError>) -> Option<SqlError> {
    if run.ctx.facts.outer_try > 0 {
        return Some(errors.swap_remove(0).of_callee());
    }
    let last = errors.pop()?;
    for error in &errors {
        run.ctx.engine.counters.errors.fetch_add(1, Relaxed);
        sites::reported(&run.ctx.engine, &run.ctx.session, error, false);
        run.sink.message(&to_message(error, 1));
    }
    run.report(&last, 1);
    None
}

fn compile_list(run: &mut BatchRun<'_>, statements: &[Statement]) {
    statements.iter().for_each(|statement| compile_statement(run, statement));
}

fn compile_statement(run: &mut BatchRun<'_>, statement: &Statement) {
    use StatementKind as S;
    if run.ctx.task.is_cancelled() {
        return;
    }
    match &statement.kind {
        S::Block(statements) => return compile_list(run, statements),
        S::TryCatch { body, handler } => {
            compile_list(run, body);
            return compile_list(run, handler);
        }
        _ => {}
    }
    if let Err(error) = compile_own(run, statement) {
        let number = error.number;
        let refuses = message::is_of_binding(number) && !is_of_absence(number);
        if refuses && missing_object(&ahead_names(run), statement, relations(run)).is_none() {
            let error = error.at(statement.span.line).inside(run.frame.procedure.as_ref());
            ahead_mut(run).errors.push(message::when_bound(error));
        }
    }
    match &statement.kind {
        S::If { then, otherwise, .. } => {
            compile_statement(run, then);
            otherwise.iter().for_each(|otherwise| compile_statement(run, otherwise));
        }
        S::While { body, .. } => compile_statement(run, body),
        kind => {
            if let Some(name) = made_by(kind) {
                note_made(run, name, statement.span.line);
            }
        }
    }
}

fn ahead_mut<'r>(run: &'r mut BatchRun<'_>) -> &'r mut Ahead {
    run.ahead.as_deref_mut().expect("a text is being compiled")
}

/// The caller's table of that name does not count any more, and there may be no second one.
fn note_made(run: &mut BatchRun<'_>, name: &ObjectName, line: u32) {
    let last = name.last();
    if !is_local_temporary(last) {
        return;
    }
    let procedure = run.frame.procedure.clone();
    let ahead = ahead_mut(run);
    if ahead.created.iter().any(|known| names_equal(known, last)) {
        ahead.errors.push(message::made_twice(last).at(line).inside(procedure.as_ref()));
    }
    ahead.created.push(last.clone());
    if run.ctx.facts.nest_level > 0 {
        ahead_mut(run).made.push(last.clone());
    }
}

/// What a statement says itself, without those inside of it.
fn compile_own(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<()> {
    use StatementKind as S;
    match &statement.kind {
        S::Declare(list) => compile_declarations(run, statement, list)?,
        S::DeclareTable { name, definition } => {
            let def = ddl::table_variable(run, statement, name, definition)?;
            ahead_mut(run).tables.push((name.clone(), def));
        }
        // A cursor variable has no value that could be bound.
        S::SetVariable(assignment) if run.variables.find(&assignment.variable).is_none() => {}
        S::Return(Some(value)) => {
            scalar::scalar_code(run, statement, 0, value, Some(run.frame.returns.unwrap_or(SqlType::Int)))?;
        }
        S::DeclareCursor(declare) => drop(renewed_cursor::cursor_code(run, statement, &declare.cursor)?),
        S::SetCursor { cursor, .. } => drop(renewed_cursor::cursor_code(run, statement, cursor)?),
        S::Insert(insert) if matches!(insert.source, InsertSource::Execute(_) | InsertSource::ExecuteText(_)) => {
            scalar::check_target(run, &statement.kind)?;
            gather::gathered_code(run, statement, insert)?;
        }
        S::Use(name) => compile_use(run, name, statement.span.line)?,
        kind => {
            scalar::check_target(run, kind)?;
            if let Some(code) = compile_only::code_of(run, statement)? {
                check_outputs(run, &code)?;
            }
        }
    }
    Ok(())
}

fn compile_declarations(run: &mut BatchRun<'_>, statement: &Statement, list: &[VariableDeclaration]) -> SqlResult<()> {
    for (index, declaration) in list.iter().enumerate() {
        let Ok(part) = u16::try_from(index) else { break };
        if matches!(declaration.data_type, DataType::Named(_))
            && let Some(def) = table_type::variable_of_type(run, statement, part, declaration)?
        {
            ahead_mut(run).tables.push((declaration.name.clone(), def));
            continue;
        }
        if let Some(initial) = declaration.value.as_ref().filter(|_| declaration.data_type != DataType::Cursor) {
            set::initial_code(run, statement, part, &declaration.name, initial)?;
        }
    }
    Ok(())
}

/// Refuses code whose OUTPUT clauses do not go with the triggers of its target, or with the table that takes their rows.
///
/// # Errors
/// 334, 331 to 333, 355, 356
fn check_outputs(run: &BatchRun<'_>, code: &Code) -> SqlResult<()> {
    let (def, events, output, instead) = match code {
        Code::Insert(insert) => {
            let (bound, event) = (&insert.bound, vec![Event::Insert]);
            (&bound.into.def, event, &bound.output, bound.into.instead.is_some())
        }
        Code::Change(change) => {
            let event = match change.bound.change {
                Change::Update { .. } => Event::Update,
                Change::Delete => Event::Delete,
            };
            (&change.bound.def, vec![event], &change.bound.output, change.bound.instead.is_some())
        }
        Code::Merge(merge) => {
            let bound = &merge.bound;
            (&bound.def, fired_by(bound).0, &bound.output, bound.instead.is_some())
        }
        Code::Scalar(_) | Code::Query(_) | Code::Table(_) | Code::Rows(_) => return Ok(()),
    };
    for clause in output {
        let mut fires = instead;
        for event in &events {
            fires |= !triggers::triggers_of(&run.ctx, def, *event)?.is_empty();
        }
        fire::check_output(run, clause, def, fires)?;
    }
    Ok(())
}

/// USE is looked at before the run too: a database that is not there ends the text before it begins.
fn compile_use(run: &mut BatchRun<'_>, name: &str, line: u32) -> SqlResult<()> {
    ahead_mut(run).moves = true;
    let engine = &run.ctx.engine;
    let Some(id) = engine.database_id(name) else {
        let error = message::unknown_database(name).at(line);
        ahead_mut(run).errors.push(error);
        return Ok(());
    };
    let used = engine.current_database(id);
    run.ctx_mut().facts.enter(used);
    Ok(())
}

/// An error of binding as it is reported: an object that is not there comes first, wherever the statement names it.
pub(in crate::exec) fn missing_object_first(run: &BatchRun<'_>, error: SqlError, statement: &Statement) -> SqlError {
    if !message::is_of_binding(error.number) || is_of_absence(error.number) {
        return error;
    }
    match missing_object(&SessionNames::of(&run.ctx), statement, relations(run)) {
        Some(name) => message::invalid_object(&name.shown()),
        None => error,
    }
}

/// The text, and where names stand in FROM.
fn relations<'r>(run: &'r BatchRun<'_>) -> (&'r str, &'r [Span]) {
    (&run.parsed.text, &run.parsed.batch.relations)
}

fn ahead_names<'r>(run: &'r BatchRun<'_>) -> AheadNames<'r> {
    let ahead = run.ahead.as_deref().expect("a text is being compiled");
    AheadNames { session: SessionNames::of(&run.ctx), ahead }
}

/// [`BatchRun::bound`] while the text is compiled: the code is kept for the run.
pub(in crate::exec) fn bound_ahead<K: CodeKind>(
    run: &mut BatchRun<'_>,
    key: CodeKey,
    bind: impl Fn(&mut Binder<'_>, &RunContext) -> SqlResult<K>,
) -> SqlResult<K> {
    // In which dialect it was bound says nothing of whether it can be.
    if let Some(known) = run.plans.statements.get(key)
        && let Some(code) = K::of(&known.code)
        && !known.code.is_stale()
        && !run.may_mean_others(known)
        && holds_ahead(run, known)?
    {
        return Ok(code);
    }
    let names = ahead_names(run);
    let mut binder = Binder::new(&names, &run.variables);
    let code = bind(&mut binder, &run.ctx)?;
    let warns = binder.warns_of_order;
    let bound = Bound {
        version: AHEAD,
        dialect: Dialect::of(&run.ctx.facts),
        uses: std::mem::take(&mut binder.tables),
        databases: std::mem::take(&mut binder.databases),
        views: std::mem::take(&mut binder.views),
        sequences: Arc::from(std::mem::take(&mut binder.sequences)),
        calls: binder.calls,
        by_stand_in: names.session.by_stand_in.get(),
        within_trigger: names.session.within_trigger.get(),
        needs: Needs::of(&mut binder),
        stats: None,
        captured: Arc::default(),
        tables: Arc::from([]),
        code: code.clone().into(),
    };
    run.plans.statements.insert(key, Arc::new(bound));
    run.warn_of_order(warns);
    Ok(code)
}

/// Whether code that is kept is of the definitions that are there now.
fn holds_ahead(run: &BatchRun<'_>, known: &Bound) -> SqlResult<bool> {
    let ahead = run.ahead.as_deref().expect("a text is being compiled");
    if !run.definitions_hold(known)? {
        return Ok(false);
    }
    for used in &known.uses {
        let mut declared = ahead.tables.iter();
        let own = declared.any(|(_, def)| Arc::ptr_eq(def, &used.def));
        if !own && run.table_now(used)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// M4: running it is compiling it.
fn is_single(statements: &[Statement]) -> bool {
    use StatementKind as S;
    match statements {
        [] => true,
        [only] => !matches!(only.kind, S::Block(_) | S::If { .. } | S::While { .. } | S::TryCatch { .. }),
        _ => false,
    }
}
