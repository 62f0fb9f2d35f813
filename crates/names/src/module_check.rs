//! What is found when a module is made: variables that are not declared, and statements over tables that are there but
//! cannot be bound (deferred name resolution).
//!
//! ```text
//!   text ──variables──▶ 134, 137, 1087, 2715 ──each statement──▶ bound ─┬─ well, or a name is missing: kept for the run
//!                                                                      └─ 207, 209, 141, 8120, …: the module is not made
//! ```
//! What always holds:
//! - M1: nothing is run and nothing is kept of what is bound here.
//! - M2: a statement that names an object which is not there is left to the run; temporary tables never are there.
//! - M3: only an error of binding (`message::is_of_binding`) refuses a module: values are the run's business.

use millpond_catalog::data_space::PartitionFunction;
use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_bind::absence::{is_of_absence, made_by, missing_object};
use millpond_bind::{Binder, BoundOutput, Home, InsteadOf, KeptRows, Named, Names, NewTable, Variables};
use millpond_builtin::TableFunctionDef;
use millpond_catalog::expr::UserFunction;
use millpond_catalog::rel::UserTableFunction;
use millpond_catalog::{ModuleDef, ObjectId, SequenceDef, TableDef, UserTypeDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_engine::module::Signature;
use millpond_engine::parsed::ParsedBatch;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    self, DataType, InsertSource, Module, ModuleBody, ModuleKind, ObjectName, ParameterDeclaration, Query, Returns,
    Span, Statement, StatementKind, TableDefinition, VariableDeclaration, VariableUse,
};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::declared::{Declared, declared, declared_scalar, table_of};
use crate::session_names::SessionNames;
use crate::trigger_tables::shapes_of_trigger;
use crate::watch::Watch;
use millpond_code::text_variables::{DeclaredNames, declare_all, is_legacy};

/// The text of a module and what the parser found in it.
pub struct ModuleText<'a> {
    /// As it was sent.
    pub text: &'a str,
    /// Where it names variables.
    pub uses: &'a [VariableUse],
    /// Names of tables in FROM.
    pub relations: &'a [Span],
}

/// Checks the body of a procedure, function or trigger; views have a check of their own.
///
/// # Errors
/// 134, 137, 1087, 2715; what of its statements cannot be bound, at its line.
pub fn check(ctx: &RunContext, module: &Module, home: Home, text: &ModuleText<'_>) -> SqlResult<()> {
    check_watched(ctx, module, home, text, None)
}

/// The same for a module whose names are watched; a view too.
///
/// # Errors
/// As [`check`].
pub fn check_watched(
    ctx: &RunContext,
    module: &Module,
    home: Home,
    text: &ModuleText<'_>,
    watch: Option<&Watch>,
) -> SqlResult<()> {
    match &module.kind {
        ModuleKind::View(_) if watch.is_none() => Ok(()),
        ModuleKind::View(view) => {
            let names = ModuleNames { session: SessionNames::of(ctx), in_function: false, tables: Vec::new(), watch };
            let variables = Variables::default();
            Binder::new(&names, &variables).at_home(home).stored_query(&view.query).map(drop)
        }
        ModuleKind::Procedure { parameters, body, .. } => {
            check_body((ctx, home), parameters, body, text, Surroundings { watch, ..Surroundings::default() })
        }
        ModuleKind::Function { parameters, returns, body } => {
            check_returned(returns)?;
            let table = match returns {
                Returns::Table { variable, definition } => Some((variable.as_str(), &**definition)),
                _ => None,
            };
            let around = Surroundings { in_function: true, returned: table, watch, ..Surroundings::default() };
            check_body((ctx, home), parameters, body, text, around)
        }
        ModuleKind::Trigger { head, body } => {
            let around = Surroundings { changed: shapes_of_trigger(ctx, head)?, watch, ..Surroundings::default() };
            check_body((ctx, home), &[], body, text, around)
        }
    }
}

/// What a body sees beside its own declarations.
#[derive(Default)]
struct Surroundings<'a> {
    in_function: bool,
    /// The table variable that a function returns.
    returned: Option<(&'a str, &'a TableDefinition)>,
    /// `inserted` and `deleted`.
    changed: Option<[Arc<TableDef>; 2]>,
    watch: Option<&'a Watch>,
}

/// 352
pub fn needs_readonly(parameter: &str) -> SqlError {
    SqlError::of(352, 1, &[&parameter])
}

/// 346
pub fn not_readonly(parameter: &str) -> SqlError {
    SqlError::of(346, 1, &[&parameter])
}

/// 2733: a type that no function returns.
fn check_returned(returns: &Returns) -> SqlResult<()> {
    let name = match returns {
        Returns::Scalar(DataType::Scalar { sql_type: SqlType::RowVersion, .. }) => "timestamp",
        Returns::Scalar(written) if is_legacy(written) => match written {
            DataType::Scalar { sql_type: SqlType::NVarChar { .. }, .. } => "ntext",
            DataType::Scalar { sql_type: SqlType::VarBinary { .. }, .. } => "image",
            _ => "text",
        },
        _ => return Ok(()),
    };
    Err(SqlError::of(2733, 1, &[&name]))
}

fn check_body(
    (ctx, home): (&RunContext, Home),
    parameters: &[ParameterDeclaration],
    body: &ModuleBody,
    text: &ModuleText<'_>,
    around: Surroundings<'_>,
) -> SqlResult<()> {
    let statements: &[Statement] = match body {
        ModuleBody::Statements(statements) => statements,
        ModuleBody::Query(_) => &[],
        ModuleBody::External(_) => return Ok(()),
    };
    let mut names = DeclaredNames::default();
    parameters.iter().for_each(|parameter| names.parameter(&parameter.name, &parameter.data_type));
    if let Some((variable, _)) = around.returned {
        names.given(variable);
    }
    names.add_all(statements);
    names.check(text.text, text.uses, &|_| false)?;
    let mut tables = Vec::new();
    let mut scalars = Signature::default();
    for parameter in parameters.iter().filter(|parameter| parameter.data_type != DataType::Cursor) {
        match declared(ctx, Some(home), &parameter.data_type)? {
            Declared::Scalar(_) if parameter.readonly => return Err(not_readonly(&parameter.name)),
            Declared::Scalar(sql) => {
                scalars.names.push(parameter.name.clone());
                scalars.types.push(sql);
            }
            Declared::Table(_) if !parameter.readonly => return Err(needs_readonly(&parameter.name)),
            Declared::Table(ty) => tables.push((parameter.name.clone(), table_of(&ty, &parameter.name)?)),
        }
    }
    let variables = declare_all(statements, &scalars, &|data_type| declared_scalar(ctx, Some(home), data_type))?;
    let names =
        ModuleNames { session: SessionNames::of(ctx), in_function: around.in_function, tables, watch: around.watch };
    let read_only = names.tables.iter().map(|(name, _)| name.clone()).collect();
    let mut check = Check { names, home, variables, text, read_only, created: Vec::new() };
    if let Some([inserted, deleted]) = around.changed {
        check.names.tables.extend([("inserted".to_owned(), inserted), ("deleted".to_owned(), deleted)]);
    }
    if let Some((variable, definition)) = around.returned {
        check.table_variable(variable, definition)?;
    }
    match body {
        // As in a view, what an inline function names is there.
        ModuleBody::Query(query) => check.binder().query(query).map(drop),
        _ => check.list(statements),
    }
}

/// M2: names as the module will see them.
struct ModuleNames<'a> {
    session: SessionNames<'a>,
    in_function: bool,
    /// Table variables that are declared so far, table parameters, `inserted` and `deleted`.
    tables: Vec<(String, Arc<TableDef>)>,
    watch: Option<&'a Watch>,
}

impl Names for ModuleNames<'_> {
    fn relation(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Named>> {
        let last = name.last();
        if let [only] = &name.parts[..]
            && let Some((_, def)) = self.tables.iter().find(|(known, _)| names_equal(known, only))
        {
            return Ok(Some(Named::Table(Arc::clone(def))));
        }
        if last.starts_with('#') && self.in_function {
            return Err(SqlError::of(2772, 1, &[]));
        }
        if last.starts_with(['#', '@']) {
            return Ok(None);
        }
        let found = self.session.relation(name, home)?;
        Ok(match self.watch {
            Some(watch) => watch.relation(self.session.ctx, name, home, found),
            None => found,
        })
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
        let found = self.session.scalar_function(name, home)?;
        if let (Some(watch), Some((_, def))) = (self.watch, found.as_ref().and_then(|found| found.uses.first())) {
            watch.function(self.session.ctx, name, home, def);
        }
        Ok(found)
    }

    fn sequence(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        self.session.sequence(name, home)
    }

    fn user_table_function(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
        let found = self.session.user_table_function(name, home)?;
        if let (Some(watch), Some((_, def))) = (self.watch, found.as_ref().and_then(|found| found.uses.first())) {
            watch.function(self.session.ctx, name, home, def);
        }
        Ok(found)
    }

    fn instead_of(&self, database: DbId, object: ObjectId) -> SqlResult<InsteadOf> {
        self.session.instead_of(database, object)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        self.session.database_name(database)
    }

    fn watch(&self) -> millpond_types::Watch<'_> {
        self.session.watch()
    }

    fn collation_of(&self, database: DbId) -> Collation {
        self.session.collation_of(database)
    }

    fn in_function(&self) -> bool {
        self.in_function
    }

    fn user_type(&self, name: &ObjectName, home: Option<Home>) -> SqlResult<Option<Arc<UserTypeDef>>> {
        self.session.user_type(name, home)
    }

    fn refuses_star(&self) -> bool {
        self.watch.is_some_and(Watch::is_strict)
    }

    /// What the session has switched on says nothing of the module.
    fn identity_insert(&self, _: &TableDef) -> bool {
        false
    }

    fn null_by_default(&self) -> bool {
        self.session.null_by_default()
    }
}

struct Check<'a> {
    names: ModuleNames<'a>,
    home: Home,
    variables: Variables,
    text: &'a ModuleText<'a>,
    /// Table parameters.
    read_only: Vec<String>,
    /// `#names` that were made so far.
    created: Vec<String>,
}

/// M2, M3
fn refusing(result: SqlResult<()>) -> SqlResult<()> {
    // Of a view it is what does not bind inside.
    let number = |error: &SqlError| error.earlier().next().map_or(error.number, |first| first.number);
    result.or_else(|error| match number(&error) {
        // An index of a hint is looked for when the statement runs.
        307 | 308 => Ok(()),
        number if is_of_absence(number) || !message::is_of_binding(number) => Ok(()),
        _ => Err(error),
    })
}

/// The tables that take the rows of OUTPUT.
fn taken(output: &[BoundOutput]) -> impl Iterator<Item = &Arc<TableDef>> {
    output.iter().filter_map(|clause| clause.into.as_ref()).map(|into| &into.def)
}

impl Check<'_> {
    fn list(&mut self, statements: &[Statement]) -> SqlResult<()> {
        statements.iter().try_for_each(|statement| match self.statement(statement) {
            Err(error) if error.line == 0 && self.misses_object(statement) => Ok(()),
            checked => checked.map_err(|error| error.at(statement.span.line)),
        })
    }

    /// M2: whatever else is wrong with the statement.
    fn misses_object(&self, statement: &Statement) -> bool {
        missing_object(&self.names, statement, (self.text.text, self.text.relations)).is_some()
    }

    fn one(&mut self, statement: &Statement) -> SqlResult<()> {
        self.list(std::slice::from_ref(statement))
    }

    fn statement(&mut self, statement: &Statement) -> SqlResult<()> {
        use StatementKind as S;
        self.make(&statement.kind)?;
        match &statement.kind {
            S::Block(statements) => self.list(statements),
            S::If { condition, then, otherwise } => {
                self.condition(condition)?;
                self.one(then)?;
                otherwise.as_ref().map_or(Ok(()), |otherwise| self.one(otherwise))
            }
            S::While { condition, body } => {
                self.condition(condition)?;
                self.one(body)
            }
            S::TryCatch { body, handler } => {
                self.list(body)?;
                self.list(handler)
            }
            S::Declare(list) => list.iter().try_for_each(|declaration| self.declaration(declaration)),
            S::DeclareTable { name, definition } => self.table_variable(name, definition),
            S::SetVariable(assignment) => self.assignment(assignment),
            S::DeclareCursor(declare) => self.query(&declare.cursor.query),
            S::SetCursor { cursor, .. } => self.query(&cursor.query),
            S::Print(expr) => refusing(self.binder().constant_expression(expr).map(drop)),
            S::Return(Some(expr)) => self.expression(expr),
            S::Select(select) => self.query(&select.query),
            S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) => refusing(self.change(&statement.kind)),
            _ => Ok(()),
        }
    }

    fn binder(&self) -> Binder<'_> {
        Binder::new(&self.names, &self.variables).at_home(self.home)
    }

    /// 2714 for the second temporary table of a name.
    fn make(&mut self, kind: &StatementKind) -> SqlResult<()> {
        let Some(last) = made_by(kind).and_then(|name| name.parts.last()).filter(|last| is_local_temporary(last))
        else {
            return Ok(());
        };
        if self.created.iter().any(|known| names_equal(known, last)) {
            return Err(message::made_twice(last));
        }
        self.created.push(last.clone());
        Ok(())
    }

    /// 10700
    fn check_written<'d>(&self, written: impl IntoIterator<Item = &'d Arc<TableDef>>) -> SqlResult<()> {
        for def in written {
            if let Some(name) = self.read_only.iter().find(|name| names_equal(name, &def.name)) {
                return Err(message::read_only_parameter(name));
            }
        }
        Ok(())
    }

    fn change(&self, kind: &StatementKind) -> SqlResult<()> {
        use StatementKind as S;
        let mut binder = self.binder();
        match kind {
            S::Insert(insert) => match &insert.source {
                InsertSource::Changes(changed) => binder.insert_of_changes(insert, changed).map(drop),
                InsertSource::Execute(_) | InsertSource::ExecuteText(_) => binder.gathered_rows(insert).map(drop),
                _ => {
                    let bound = binder.insert(insert)?;
                    self.check_written(std::iter::once(&bound.into.def).chain(taken(&bound.output)))
                }
            },
            // Which row it is, a cursor says that is not there yet.
            S::Update(update) if update.current_of.is_none() => {
                let bound = binder.update(update)?;
                self.check_written(std::iter::once(&bound.def).chain(taken(&bound.output)))
            }
            S::Delete(delete) if delete.current_of.is_none() => {
                let bound = binder.delete(delete)?;
                self.check_written(std::iter::once(&bound.def).chain(taken(&bound.output)))
            }
            S::Merge(merge) => {
                let bound = binder.merge(merge)?;
                self.check_written(std::iter::once(&bound.def).chain(taken(&bound.output)))
            }
            _ => Ok(()),
        }
    }

    fn query(&self, query: &Query) -> SqlResult<()> {
        refusing(self.binder().query(query).map(drop))
    }

    fn expression(&self, expr: &ast::Expr) -> SqlResult<()> {
        refusing(self.binder().expression(expr).map(drop))
    }

    fn condition(&self, expr: &ast::Expr) -> SqlResult<()> {
        refusing(self.binder().condition(expr).map(drop))
    }

    /// A cursor variable has no value that could be bound.
    fn assignment(&self, assignment: &ast::Assignment) -> SqlResult<()> {
        if self.variables.find(&assignment.variable).is_none() {
            return Ok(());
        }
        refusing(self.binder().assignment(assignment).map(drop))
    }

    fn declaration(&mut self, declaration: &VariableDeclaration) -> SqlResult<()> {
        if matches!(declaration.data_type, DataType::Named(_))
            && let Declared::Table(ty) = declared(self.names.session.ctx, Some(self.home), &declaration.data_type)?
        {
            let def = table_of(&ty, &declaration.name)?;
            self.names.tables.push((declaration.name.clone(), def));
            return Ok(());
        }
        let Some(value) = &declaration.value else { return Ok(()) };
        let (variable, op, value) = (declaration.name.clone(), ast::AssignOp::Set, value.clone());
        self.assignment(&ast::Assignment { variable, op, value })
    }

    fn table_variable(&mut self, name: &str, definition: &TableDefinition) -> SqlResult<()> {
        let def = self.binder().table_definition(&NewTable::temporary(name), definition)?;
        self.names.tables.push((name.to_owned(), Arc::new(def)));
        Ok(())
    }
}

/// Refuses a module whose text, the only statement of a batch, cannot be bound.
///
/// # Errors
/// As [`check`], inside of the module.
pub fn check_module(ctx: &RunContext, parsed: &ParsedBatch, module: &ast::Module, home: Home) -> SqlResult<()> {
    let ParsedBatch { text, batch, .. } = parsed;
    let text = ModuleText { text, uses: &batch.variables, relations: &batch.relations };
    check(ctx, module, home, &text).map_err(|error| error.inside(Some(&last_name(&module.name))))
}

/// The last part of a name, as errors carry it.
#[must_use]
pub fn last_name(name: &ObjectName) -> Arc<str> {
    Arc::from(name.last().as_str())
}
