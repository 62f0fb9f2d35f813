//! What a text gives and wants, without running it: the columns of its first result set, the types of parameters that it
//! does not declare.
//!
//! What always holds: statements are bound as they would be, nothing is run; who describes a text needs what who runs it needs. Tables that the text itself makes are not
//! there, so a text that reads them cannot be described (its own error says which name is missing).

use std::collections::HashSet;
use std::sync::Arc;

use millpond_bind::{
    ASKED, Access, Binder, BoundInsert, BoundOutput, Change, Home, InsertColumn, Names, Need, Variables, origin_of,
};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::facts::too_deep;
use millpond_catalog::{ModuleKind, ObjectId};
use millpond_code::code::Needs;
use millpond_engine::context::RunContext;
use millpond_engine::module::ModuleForm;
use millpond_engine::settled::text_procedure;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Batch, Execute, ExprKind, Statement, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch, parse_parameters};
use millpond_types::{MaxLen, SqlType};

use crate::declared::{Declared, declared, declared_scalar};
use crate::function::find_module;
use crate::session_names::SessionNames;
use millpond_code::text_variables::{DeclaredNames, Parameters, declare_all};
use millpond_rights::needs;

/// Procedures that may call each other on the way to a result set.
const DEPTH_MAX: u32 = 32;
/// A parameter before its type is known; nearly anything converts from it, and for the rest there is `ASKED`.
const UNKNOWN: SqlType = SqlType::varchar(8000);
/// Variables that a text may leave undeclared.
const UNDECLARED_MAX: usize = 2100;

/// A column of a result set.
#[derive(Clone, Debug)]
pub struct DescribedColumn {
    /// Empty where it has none.
    pub name: String,
    /// Type.
    pub ty: ExprType,
    /// It is an identity column of a table.
    pub is_identity: bool,
    /// It is a computed one.
    pub is_computed: bool,
    /// A column of a table as it is.
    pub is_updatable: bool,
}

/// A parameter that a text does not declare.
#[derive(Clone, Debug)]
pub struct UndeclaredParameter {
    /// With its `@`.
    pub name: String,
    /// Type.
    pub sql: SqlType,
    /// The parameter of a procedure that it is handed to.
    pub formal: Option<String>,
}

/// The variables that a text starts with.
fn given(ctx: &RunContext, declarations: &str) -> SqlResult<Parameters> {
    let mut parameters = Parameters::default();
    if declarations.trim().is_empty() {
        return Ok(parameters);
    }
    let options = ParseOptions { quoted_identifier: true };
    for parameter in parse_parameters(declarations, options).map_err(message::of_syntax)? {
        if let Declared::Scalar(sql) = declared(ctx, None, &parameter.data_type)? {
            parameters.declare(parameter.name, sql);
        }
    }
    Ok(parameters)
}

/// The columns of the first result set; `None` when the text gives none.
///
/// # Errors
/// What does not parse or bind.
pub fn first_result_set(ctx: &RunContext, text: &str, declarations: &str) -> SqlResult<Option<Vec<DescribedColumn>>> {
    let options = ParseOptions { quoted_identifier: ctx.facts.settings.quoted_identifier };
    let parsed = ctx.engine.parse(text, options).map_err(message::of_syntax)?;
    let variables = declare_all(&parsed.batch.statements, &given(ctx, declarations)?.signature, &|data_type| {
        declared_scalar(ctx, None, data_type)
    })?;
    first_of(ctx, &parsed.batch.statements, &variables, At { home: None, depth: DEPTH_MAX })
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct At {
    /// The procedure that it is of.
    home: Option<Home>,
    /// How many procedures deeper may be looked into.
    depth: u32,
}

fn binder_at<'a>(names: &'a dyn Names, variables: &'a Variables, home: Option<Home>) -> Binder<'a> {
    let binder = Binder::new(names, variables);
    match home {
        Some(home) => binder.at_home(home),
        None => binder,
    }
}

type Described = SqlResult<Option<Vec<DescribedColumn>>>;

fn first_of(ctx: &RunContext, statements: &[Statement], variables: &Variables, at: At) -> Described {
    for statement in statements {
        if let Some(columns) = of_statement(ctx, statement, variables, at)? {
            return Ok(Some(columns));
        }
    }
    Ok(None)
}

fn of_statement(ctx: &RunContext, statement: &Statement, variables: &Variables, at: At) -> Described {
    use StatementKind as S;
    let names = SessionNames::of(ctx);
    let mut binder = binder_at(&names, variables, at.home);
    let described = match &statement.kind {
        S::Block(statements) => first_of(ctx, statements, variables, at),
        S::If { then, otherwise, .. } => match of_statement(ctx, then, variables, at)? {
            None => otherwise.as_ref().map_or(Ok(None), |other| of_statement(ctx, other, variables, at)),
            found => Ok(found),
        },
        S::While { body, .. } => of_statement(ctx, body, variables, at),
        S::TryCatch { body, .. } => first_of(ctx, body, variables, at),
        S::Select(select) => {
            let bound = binder.query(&select.query)?;
            if bound.into.is_some() || !bound.assign.is_empty() {
                return Ok(None);
            }
            Ok(Some(columns_of(&bound.names, &bound.rel)))
        }
        S::Insert(insert) => Ok(output_of(&binder.insert(insert)?.output)),
        S::Update(update) => Ok(output_of(&binder.update(update)?.output)),
        S::Delete(delete) => Ok(output_of(&binder.delete(delete)?.output)),
        S::Merge(merge) => Ok(output_of(&binder.merge(merge)?.output)),
        S::Execute(execute) => of_procedure(ctx, execute, at),
        _ => Ok(None),
    };
    // What a procedure may do, EXECUTE on it says.
    if at.home.is_none() {
        needs::check_needs(ctx, &Needs::of(&mut binder))?;
    }
    described
}

/// EXECUTE on a procedure that a text calls.
fn check_called(ctx: &RunContext, database: DbId, procedure: ObjectId) -> SqlResult<()> {
    needs::check_uses(ctx, std::iter::once(Need::of_object(Access::Execute, database, procedure)))
}

/// The result set of a procedure that is called.
fn of_procedure(ctx: &RunContext, execute: &Execute, at: At) -> Described {
    let depth = at.depth.checked_sub(1).ok_or_else(too_deep)?;
    let name = execute.procedure.shown();
    let undetermined = |why: &str| SqlError::of(11_514, 1, &[&name, &why]);
    let found = match text_procedure(&ctx.engine, &execute.procedure, ctx.facts.database)? {
        Some((database, found)) => Some((database, Arc::clone(&found.def))),
        None => find_module(ctx, &execute.procedure, at.home)?,
    };
    let Some((database, def)) = found else {
        return Err(undetermined("invokes a procedure that is not in the database"));
    };
    if def.kind != ModuleKind::Procedure {
        return Ok(None);
    }
    if at.home.is_none() && !def.is_system {
        check_called(ctx, database, def.id)?;
    }
    let module = ctx.engine.read_module(&def)?;
    let ModuleForm::Procedure(body) = &module.form else { return Ok(None) };
    let mut parameters = Parameters::default();
    for parameter in &module.parameters {
        match declared(ctx, None, &parameter.data_type)? {
            Declared::Scalar(sql) => {
                parameters.declare(parameter.name.clone(), sql);
            }
            Declared::Table(_) => return Err(undetermined("has a table-valued parameter")),
        }
    }
    let at = At { home: Some(Home::of(database, &def)), depth };
    let variables = declare_all(&body.batch.statements, &parameters.signature, &|data_type| {
        declared_scalar(ctx, at.home, data_type)
    })?;
    first_of(ctx, &body.batch.statements, &variables, at)
}

fn columns_of(names: &[String], rel: &Rel) -> Vec<DescribedColumn> {
    let columns = names.iter().zip(rel.types()).enumerate();
    columns
        .map(|(index, (name, ty))| {
            let origin = origin_of(rel, index);
            let (is_identity, is_computed) =
                origin.map_or((false, false), |column| (column.identity.is_some(), column.computed.is_some()));
            let is_updatable = origin.is_some() && !is_identity && !is_computed;
            DescribedColumn { name: name.clone(), ty, is_identity, is_computed, is_updatable }
        })
        .collect()
}

fn output_of(clauses: &[BoundOutput]) -> Option<Vec<DescribedColumn>> {
    let clause = clauses.iter().find(|clause| clause.into.is_none())?;
    let columns = clause.items.iter().zip(&clause.names).map(|(item, name)| DescribedColumn {
        name: name.clone(),
        ty: item.ty,
        is_identity: false,
        is_computed: false,
        is_updatable: false,
    });
    Some(columns.collect())
}

/// The parameters that a text does not declare, in the order of their first places in it.
///
/// # Errors
/// What does not parse or bind; 11506 is never given: what nothing is known of is `nvarchar(4000)`.
pub fn undeclared_parameters(ctx: &RunContext, text: &str, declarations: &str) -> SqlResult<Vec<UndeclaredParameter>> {
    let options = ParseOptions { quoted_identifier: ctx.facts.settings.quoted_identifier };
    let batch = parse_batch(text, options).map_err(message::of_syntax)?;
    let parsed = ctx.engine.parsed().number_tree(Arc::from(text), batch);
    match undeclared_as(UNKNOWN, ctx, text, &parsed.batch, declarations) {
        // No text converts to `varbinary` and the like by itself, nor to a number of rows.
        Err(error) if matches!(error.number, 206 | 257 | 1060) => {
            undeclared_as(ASKED, ctx, text, &parsed.batch, declarations).map_err(|_| error)
        }
        answer => answer,
    }
}

/// The variables that a text reads and neither declares nor is given, at most as many as may be. All at once: a statement
/// of a thousand of them would be bound a thousand times.
fn missing_names<'t>(text: &'t str, batch: &Batch, given: &[String]) -> Vec<&'t str> {
    let mut declared = DeclaredNames::default();
    given.iter().for_each(|name| declared.given(name));
    declared.add_all(&batch.statements);
    let mut known = HashSet::new();
    let names = batch.variables.iter().filter(|used| !used.is_table);
    let names = names.map(|used| &text[used.span.start as usize..used.span.end as usize]);
    let missing =
        names.filter(|name| !name.starts_with("@@") && !declared.has(name) && known.insert(name.to_lowercase()));
    missing.take(UNDECLARED_MAX).collect()
}

/// The same with the type that each has at first.
fn undeclared_as(
    unknown: SqlType,
    ctx: &RunContext,
    text: &str,
    batch: &Batch,
    declarations: &str,
) -> SqlResult<Vec<UndeclaredParameter>> {
    let mut parameters = given(ctx, declarations)?;
    let known = parameters.signature.names.len();
    let statements = &batch.statements;
    for name in missing_names(text, batch, &parameters.signature.names) {
        parameters.declare(name.to_owned(), unknown);
    }
    // What is missing still stops the binding: a variable before its declaration.
    loop {
        let variables =
            declare_all(statements, &parameters.signature, &|data_type| declared_scalar(ctx, None, data_type))?;
        let mut found = Found { ctx, variables: &variables, unknown, types: Vec::new() };
        match found.statements(statements) {
            Ok(()) => {
                let types = std::mem::take(&mut found.types);
                return Ok(in_order(text, &parameters.signature.names[known..], known, &types));
            }
            Err(Missing::Variable(name)) if parameters.signature.names.len() < UNDECLARED_MAX => {
                parameters.declare(name, unknown);
            }
            Err(Missing::Variable(name)) => return Err(message::undeclared_variable(&name)),
            Err(Missing::Other(error)) => return Err(error),
        }
    }
}

fn in_order(
    text: &str,
    names: &[String],
    first: usize,
    types: &[(usize, SqlType, Option<String>)],
) -> Vec<UndeclaredParameter> {
    let lower = text.to_lowercase();
    let place = |name: &str| {
        let name = name.to_lowercase();
        let is_end =
            |at: usize| !lower[at..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '@'));
        lower.match_indices(&name).find(|(at, _)| is_end(at + name.len())).map_or(usize::MAX, |(at, _)| at)
    };
    let mut all: Vec<(usize, UndeclaredParameter)> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let known = types.iter().find(|(slot, ..)| *slot == first + index);
            let sql = known.map_or(SqlType::NVarChar { len: MaxLen::Limited(4000) }, |(_, sql, _)| *sql);
            let formal = known.and_then(|(.., formal)| formal.clone());
            (place(name), UndeclaredParameter { name: name.clone(), sql, formal })
        })
        .collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, parameter)| parameter).collect()
}

/// Why a binding stopped.
enum Missing {
    Variable(String),
    Other(SqlError),
}

impl From<SqlError> for Missing {
    fn from(error: SqlError) -> Missing {
        let name = error.text.split('"').nth(1).filter(|name| error.number == 137 && name.starts_with('@'));
        match name {
            Some(name) => Missing::Variable(name.to_owned()),
            None => Missing::Other(error),
        }
    }
}

/// What is found out of variables: slot, type, and the formal parameter.
struct Found<'a> {
    ctx: &'a RunContext,
    variables: &'a Variables,
    /// The type of those of which none is known yet.
    unknown: SqlType,
    types: Vec<(usize, SqlType, Option<String>)>,
}

impl Found<'_> {
    fn statements(&mut self, statements: &[Statement]) -> Result<(), Missing> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Missing> {
        use StatementKind as S;
        let names = SessionNames::of(self.ctx);
        let mut binder = Binder::new(&names, self.variables);
        match &statement.kind {
            S::Block(statements) => self.statements(statements)?,
            S::If { condition, then, otherwise } => {
                self.expr(&binder.condition(condition)?);
                self.statement(then)?;
                if let Some(other) = otherwise {
                    self.statement(other)?;
                }
            }
            S::Select(select) => {
                let bound = binder.query(&select.query)?;
                self.rel(&bound.rel);
                bound.assign.iter().for_each(|(_, expr)| self.expr(expr));
            }
            S::Insert(insert) => self.insert(&binder.insert(insert)?),
            S::Update(update) => {
                let bound = binder.update(update)?;
                if let Change::Update { columns, values, .. } = &bound.change {
                    for (column, value) in columns.iter().zip(values) {
                        self.wanted(value, bound.def.columns[*column].ty.sql);
                        self.expr(value);
                    }
                }
                self.rel(&bound.input);
            }
            S::Delete(delete) => self.rel(&binder.delete(delete)?.input),
            S::Execute(execute) => self.execute(execute)?,
            _ => {}
        }
        Ok(needs::check_needs(self.ctx, &Needs::of(&mut binder))?)
    }

    fn insert(&mut self, bound: &BoundInsert) {
        if let Rel::Values { rows, .. } = &bound.source {
            for (column, from) in bound.into.def.columns.iter().zip(&bound.into.columns) {
                let InsertColumn::Source(source) = from else { continue };
                rows.iter().for_each(|row| self.wanted(&row[*source], column.ty.sql));
            }
        }
        self.rel(&bound.source);
    }

    fn execute(&mut self, execute: &Execute) -> Result<(), Missing> {
        let Some((database, def)) = find_module(self.ctx, &execute.procedure, None)? else { return Ok(()) };
        if !def.is_system {
            check_called(self.ctx, database, def.id)?;
        }
        let module = self.ctx.engine.read_module(&def)?;
        for (position, arg) in execute.args.iter().enumerate() {
            let ExprKind::Variable(name) = &arg.value.kind else { continue };
            let Some((slot, _)) = self.variables.find(name) else {
                return Err(Missing::Variable(name.to_string()));
            };
            let plain = |name: &str| name.trim_start_matches('@').to_lowercase();
            let formal = match &arg.name {
                Some(name) => module.parameters.iter().find(|known| plain(&known.name) == plain(name)),
                None => module.parameters.get(position),
            };
            if let Some(formal) = formal
                && let Declared::Scalar(sql) = declared(self.ctx, Some(Home::of(database, &def)), &formal.data_type)?
            {
                self.types.push((slot, sql, Some(formal.name.clone())));
            }
        }
        Ok(())
    }

    /// The types that a relation's expressions want of variables.
    fn rel(&mut self, rel: &Rel) {
        let mut exprs = Vec::new();
        let _ = rel.clone().map_exprs(0, &mut |expr, _| {
            exprs.push(expr.clone());
            expr
        });
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &BoundExpr) {
        let mut nested = Vec::new();
        let mut pairs: Vec<(BoundExpr, SqlType)> = Vec::new();
        expr.visit(&mut |node| match &node.kind {
            Kind::Compare(_, left, right, _) => {
                pairs.push(((**left).clone(), plain(right).ty.sql));
                pairs.push(((**right).clone(), plain(left).ty.sql));
            }
            Kind::InList(operand, list, _) => {
                pairs.extend(list.iter().map(|item| (item.clone(), plain(operand).ty.sql)));
                pairs.extend(list.iter().map(|item| ((**operand).clone(), plain(item).ty.sql)));
            }
            Kind::Like { text, pattern, .. } => pairs.push(((**pattern).clone(), plain(text).ty.sql)),
            Kind::Cast { expr, .. } => pairs.push(((**expr).clone(), node.ty.sql)),
            Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => nested.push(Arc::clone(rel)),
            _ => {}
        });
        for (expr, sql) in pairs {
            self.wanted(&expr, sql);
        }
        nested.iter().for_each(|rel| self.rel(rel));
    }

    /// A variable stands where a value of a type is wanted; the first wish counts.
    fn wanted(&mut self, expr: &BoundExpr, sql: SqlType) {
        if let Kind::Variable(slot) = plain(expr).kind
            && sql != self.unknown
            && !self.types.iter().any(|(known, ..)| *known == slot)
        {
            self.types.push((slot, sql, None));
        }
    }
}

/// The expression without its conversions.
fn plain(expr: &BoundExpr) -> &BoundExpr {
    match &expr.kind {
        Kind::Cast { expr, style: None, try_: false } => plain(expr),
        _ => expr,
    }
}
