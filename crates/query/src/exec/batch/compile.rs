//! A text is compiled as a whole before anything of it runs.
//!
//! ```text
//!   text ──each statement, both branches──▶ bound ─┬─ well: the code is kept for the run
//!                                                  ├─ an object is not there: left to the run (deferred name resolution)
//!                                                  └─ 207, 209, 213, 8120, …: told, and nothing of the text runs
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

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::{Binder, Change, Home, Named, Names};
use millpond_builtin::{TableFunctionDef, object_name};
use millpond_catalog::dialect::Dialect;
use millpond_catalog::function::{UserFunction, UserTableFunction};
use millpond_catalog::{SequenceDef, TableDef, UserTypeDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    Cte, DataType, InsertSource, ObjectName, QueryBody, Span, Statement, StatementKind, VariableDeclaration,
};
use millpond_types::{SqlType, Watch};

use crate::exec::batch::code::{AHEAD, Ahead, Bound, Code, Compiled, Seen};
use crate::exec::batch::names::SessionNames;
use crate::exec::batch::{BatchRun, to_message};
use crate::exec::dml::merge::fired_by;
use crate::exec::routine::trigger::Event;

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
        if !last.starts_with('#') {
            return self.session.relation(name, home);
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

    fn table_function(&self, name: &ObjectName) -> Option<&'static TableFunctionDef> {
        self.session.table_function(name)
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

    fn watch(&self) -> Watch<'_> {
        self.session.watch()
    }
}

/// M2: whether an error says itself that an object is not there.
pub(in crate::exec) fn is_of_absence(number: i32) -> bool {
    // 1087: the declaration of a table variable was left to the run itself.
    matches!(number, 208 | 911 | 1087 | 4121 | 5313)
}

impl BatchRun<'_> {
    /// Compiles the text, if that is not done yet. The errors, in the order of the text; none: it may run.
    pub(in crate::exec) fn compile(&mut self) -> Vec<SqlError> {
        let parsed = Arc::clone(&self.parsed);
        if is_single(&parsed.batch.statements) || self.is_compiled() {
            return Vec::new();
        }
        let version = self.names_version();
        let (database, name) = (self.ctx.facts.database, Arc::clone(&self.ctx.facts.database_name));
        self.ahead = Some(Box::default());
        self.ctx_mut().is_ahead = true;
        self.compile_list(&parsed.batch.statements);
        self.ctx_mut().is_ahead = false;
        let ahead = self.ahead.take().expect("put there above");
        let facts = &mut self.ctx_mut().facts;
        (facts.database, facts.database_name) = (database, name);
        if self.ctx.task.is_cancelled() {
            // The rest was not looked at. The run ends before its first statement.
            return Vec::new();
        }
        if ahead.moves {
            // Which database is current at a place, the run decides.
            self.plans.statements.clear();
        } else if ahead.errors.is_empty() {
            self.plans.compiled = Some(Compiled { version, temporary: ahead.temporary.into_inner() });
        }
        ahead.errors
    }

    /// M4
    fn is_compiled(&mut self) -> bool {
        let version = self.names_version();
        let Some(compiled) = &mut self.plans.compiled else { return false };
        if compiled.version == version {
            return true;
        }
        let temp = self.ctx.session.temp.read();
        let is_same = |(name, seen): &Seen| match (temp.find(name, self.ctx.facts.nest_level), seen) {
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

    /// Tells the errors of a text that does not run. Gives the one that a TRY of a caller waits for.
    pub(in crate::exec) fn not_compiled(&mut self, mut errors: Vec<SqlError>) -> Option<SqlError> {
        if self.ctx.facts.outer_try > 0 {
            return Some(errors.swap_remove(0).of_callee());
        }
        let last = errors.pop()?;
        for error in &errors {
            self.ctx.engine.counters.errors.fetch_add(1, Relaxed);
            self.sink.message(&to_message(error, 1));
        }
        self.report(&last, 1);
        None
    }

    fn compile_list(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.compile_statement(statement));
    }

    fn compile_statement(&mut self, statement: &Statement) {
        use StatementKind as S;
        if self.ctx.task.is_cancelled() {
            return;
        }
        match &statement.kind {
            S::Block(statements) => return self.compile_list(statements),
            S::TryCatch { body, handler } => {
                self.compile_list(body);
                return self.compile_list(handler);
            }
            _ => {}
        }
        if let Err(error) = self.compile_own(statement) {
            let number = error.number;
            let refuses = message::is_of_binding(number) && !is_of_absence(number);
            if refuses && missing_object(&self.ahead_names(), statement, self.relations()).is_none() {
                let error = error.at(statement.span.line).inside(self.frame.procedure.as_ref());
                self.ahead_mut().errors.push(message::when_bound(error));
            }
        }
        match &statement.kind {
            S::If { then, otherwise, .. } => {
                self.compile_statement(then);
                otherwise.iter().for_each(|otherwise| self.compile_statement(otherwise));
            }
            S::While { body, .. } => self.compile_statement(body),
            kind => {
                if let Some(name) = made_by(kind) {
                    self.note_made(name, statement.span.line);
                }
            }
        }
    }

    fn ahead_mut(&mut self) -> &mut Ahead {
        self.ahead.as_deref_mut().expect("a text is being compiled")
    }

    /// The caller's table of that name does not count any more, and there may be no second one.
    fn note_made(&mut self, name: &ObjectName, line: u32) {
        let last = name.last();
        if !last.starts_with('#') {
            return;
        }
        let procedure = self.frame.procedure.clone();
        let ahead = self.ahead_mut();
        if ahead.created.iter().any(|known| names_equal(known, last)) {
            ahead.errors.push(message::made_twice(last).at(line).inside(procedure.as_ref()));
        }
        ahead.created.push(last.clone());
        if self.ctx.facts.nest_level > 0 {
            self.ahead_mut().made.push(last.clone());
        }
    }

    /// What a statement says itself, without those inside of it.
    fn compile_own(&mut self, statement: &Statement) -> SqlResult<()> {
        use StatementKind as S;
        match &statement.kind {
            S::Declare(list) => self.compile_declarations(statement, list)?,
            S::DeclareTable { name, definition } => {
                let def = self.table_variable(statement, name, definition)?;
                self.ahead_mut().tables.push((name.clone(), def));
            }
            // A cursor variable has no value that could be bound.
            S::SetVariable(assignment) if self.variables.find(&assignment.variable).is_none() => {}
            S::Return(Some(value)) => {
                self.scalar_code(statement, 0, value, Some(self.frame.returns.unwrap_or(SqlType::Int)))?;
            }
            S::DeclareCursor(declare) => drop(self.cursor_code(statement, &declare.cursor)?),
            S::SetCursor { cursor, .. } => drop(self.cursor_code(statement, cursor)?),
            S::Insert(insert) if matches!(insert.source, InsertSource::Execute(_) | InsertSource::ExecuteText(_)) => {
                self.check_target(&statement.kind)?;
                self.gathered_code(statement, insert)?;
            }
            S::Use(name) => self.compile_use(name, statement.span.line)?,
            kind => {
                self.check_target(kind)?;
                if let Some(code) = self.code_of(statement)? {
                    self.check_outputs(&code)?;
                }
            }
        }
        Ok(())
    }

    fn compile_declarations(&mut self, statement: &Statement, list: &[VariableDeclaration]) -> SqlResult<()> {
        for (index, declaration) in list.iter().enumerate() {
            let Ok(part) = u16::try_from(index) else { break };
            if matches!(declaration.data_type, DataType::Named(_))
                && let Some(def) = self.variable_of_type(statement, part, declaration)?
            {
                self.ahead_mut().tables.push((declaration.name.clone(), def));
                continue;
            }
            if let Some(initial) = declaration.value.as_ref().filter(|_| declaration.data_type != DataType::Cursor) {
                self.initial_code(statement, part, &declaration.name, initial)?;
            }
        }
        Ok(())
    }

    /// Refuses code whose OUTPUT clauses do not go with the triggers of its target, or with the table that takes their rows.
    ///
    /// # Errors
    /// 334, 331 to 333, 355, 356
    fn check_outputs(&self, code: &Code) -> SqlResult<()> {
        let (def, events, output) = match code {
            Code::Insert(insert) => (&insert.bound.into.def, vec![Event::Insert], &insert.bound.output),
            Code::Change(change) => {
                let event = match change.bound.change {
                    Change::Update { .. } => Event::Update,
                    Change::Delete => Event::Delete,
                };
                (&change.bound.def, vec![event], &change.bound.output)
            }
            Code::Merge(merge) => (&merge.bound.def, fired_by(&merge.bound).0, &merge.bound.output),
            Code::Scalar(_) | Code::Query(_) | Code::Table(_) | Code::Rows(_) => return Ok(()),
        };
        for clause in output {
            let mut fires = false;
            for event in &events {
                fires |= !self.triggers_of(def, *event)?.is_empty();
            }
            self.check_output(clause, def, fires)?;
        }
        Ok(())
    }

    /// USE is looked at before the run too: a database that is not there ends the text before it begins.
    fn compile_use(&mut self, name: &str, line: u32) -> SqlResult<()> {
        self.ahead_mut().moves = true;
        let engine = &self.ctx.engine;
        let Some(id) = engine.database_id(name) else {
            let error = message::unknown_database(name).at(line);
            self.ahead_mut().errors.push(error);
            return Ok(());
        };
        let name = Arc::from(engine.database_name(id).unwrap_or_default());
        let facts = &mut self.ctx_mut().facts;
        (facts.database, facts.database_name) = (id, name);
        Ok(())
    }

    /// An error of binding as it is told: an object that is not there comes first, wherever the statement names it.
    pub(in crate::exec) fn told_of(&self, error: SqlError, statement: &Statement) -> SqlError {
        if !message::is_of_binding(error.number) || is_of_absence(error.number) {
            return error;
        }
        match missing_object(&SessionNames::of(&self.ctx), statement, self.relations()) {
            Some(name) => message::invalid_object(&name.shown()),
            None => error,
        }
    }

    /// The text, and where names stand in FROM.
    fn relations(&self) -> (&str, &[Span]) {
        (&self.parsed.text, &self.parsed.batch.relations)
    }

    fn ahead_names(&self) -> AheadNames<'_> {
        let ahead = self.ahead.as_deref().expect("a text is being compiled");
        AheadNames { session: SessionNames::of(&self.ctx), ahead }
    }

    /// [`BatchRun::bound`] while the text is compiled: the code is kept for the run.
    pub(in crate::exec) fn bound_ahead(
        &mut self,
        place: u64,
        bind: impl Fn(&mut Binder<'_>, &RunContext) -> SqlResult<Code>,
    ) -> SqlResult<Arc<Code>> {
        // In which dialect it was bound says nothing of whether it can be.
        if let Some(known) = self.plans.statements.get(&place)
            && !known.code.is_stale()
            && !self.may_mean_others(known)
            && self.holds_ahead(known)?
        {
            return Ok(Arc::clone(&known.code));
        }
        let names = self.ahead_names();
        let mut binder = Binder::new(&names, &self.variables);
        let code = Arc::new(bind(&mut binder, &self.ctx)?);
        let bound = Bound {
            version: AHEAD,
            dialect: Dialect::of(&self.ctx.facts.settings),
            uses: std::mem::take(&mut binder.tables),
            views: std::mem::take(&mut binder.views),
            sequences: Arc::from(std::mem::take(&mut binder.sequences)),
            calls: binder.calls,
            by_synonym: names.session.by_synonym.get(),
            stats: None,
            tables: Arc::from([]),
            code: Arc::clone(&code),
        };
        self.plans.statements.insert(place, Arc::new(bound));
        Ok(code)
    }

    /// Whether code that is kept is of the definitions that are there now.
    fn holds_ahead(&self, known: &Bound) -> SqlResult<bool> {
        let ahead = self.ahead.as_deref().expect("a text is being compiled");
        if !self.definitions_hold(known)? {
            return Ok(false);
        }
        for used in &known.uses {
            let mut declared = ahead.tables.iter();
            let own = declared.any(|(_, def)| Arc::ptr_eq(def, &used.def));
            if !own && self.table_now(used)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
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

/// M2: the first name in FROM, outside of statements inside of this one, that is of no table. With the text of the
/// statement, and all places of such names in it.
pub(in crate::exec) fn missing_object(
    names: &dyn Names,
    statement: &Statement,
    (text, relations): (&str, &[Span]),
) -> Option<ObjectName> {
    let end = match &statement.kind {
        StatementKind::If { then, .. } => then.span.start,
        StatementKind::While { body, .. } => body.span.start,
        _ => statement.span.end,
    };
    missing_between(names, (statement.span.start, end), ctes_of(&statement.kind), (text, relations))
}

/// [`missing_object`] of a part of a text: from its first byte to before the last one.
pub(in crate::exec) fn missing_between(
    names: &dyn Names,
    (start, end): (u32, u32),
    ctes: &[Cte],
    (text, relations): (&str, &[Span]),
) -> Option<ObjectName> {
    let is_own = |name: &str| name.starts_with('@') || ctes.iter().any(|cte| names_equal(&cte.name, name));
    let first = relations.partition_point(|span| span.start < start);
    let here = relations[first..].iter().take_while(|span| span.start < end);
    let mut named = here.filter_map(|span| object_name(text.get(span.start as usize..span.end as usize)?));
    named.find(|name| {
        let is_given = matches!(&name.parts[..], [only] if is_own(only));
        !is_given && matches!(names.relation(name, None), Ok(None))
    })
}

/// The table that a statement makes.
pub(in crate::exec) fn made_by(kind: &StatementKind) -> Option<&ObjectName> {
    match kind {
        StatementKind::CreateTable { name, .. } => Some(name),
        StatementKind::Select(select) => into_of(&select.query.body),
        _ => None,
    }
}

/// The table that a query makes.
fn into_of(body: &QueryBody) -> Option<&ObjectName> {
    match body {
        QueryBody::Select(select) => select.into.as_ref(),
        QueryBody::SetOperation { left, .. } => into_of(left),
        QueryBody::Nested(query) => into_of(&query.body),
        QueryBody::Values(_) => None,
    }
}

/// The names that a statement gives to queries.
fn ctes_of(kind: &StatementKind) -> &[Cte] {
    use StatementKind as S;
    match kind {
        S::Select(select) => &select.query.ctes,
        // Those of its query are the query's.
        S::Insert(insert) => match &insert.source {
            InsertSource::Query(query) if insert.ctes.is_empty() => &query.ctes,
            _ => &insert.ctes,
        },
        S::Update(update) => &update.ctes,
        S::Delete(delete) => &delete.ctes,
        S::Merge(merge) => &merge.ctes,
        S::DeclareCursor(declare) => &declare.cursor.query.ctes,
        S::SetCursor { cursor, .. } => &cursor.query.ctes,
        _ => &[],
    }
}
