//! FROM: tables, derived tables, functions and joins become a relation and the scope of its columns.

pub(crate) mod apply;
pub(crate) mod drawn_row;
pub(crate) mod hint;
pub(crate) mod pivot;
pub(crate) mod series;

use std::collections::HashSet;
use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_catalog::{ModuleDef, TableDef, name_key, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    Expr, ExprKind, Ident, JoinKind, ModuleKind, ObjectName, Query, QueryBody, StatementKind, TableRef, View,
};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::Value;

use super::scope::{Exposed, Role, Scope, ScopeColumn};
use super::{Binder, Block, BoundQuery, Home, Named};
use crate::expression::operator::convert;
use crate::from::drawn_row::{beside, taken_apart};
use crate::from::hint::table_hints;
use crate::query::ordering::unordered;
use crate::query::recursive::{self, Working};

/// Deepest nesting of views.
const VIEW_DEPTH_MAX: usize = 32;
/// Most tables that one FROM joins, those of its views counted.
const TABLES_MAX: usize = 256;
/// Most mentions of views, inline functions and common table expressions in a statement, those inside of them counted:
/// where each mentions the one before it twice, thirty of them would be a billion.
const EXPANSIONS_MAX: u32 = 10_000;

/// More common table expressions than a statement has.
const CTES_MAX: usize = 1 << 20;

/// A common table expression: bound anew at each mention.
#[derive(Clone)]
pub(super) struct CteBinding {
    pub name: String,
    pub columns: Vec<Ident>,
    pub query: Query,
    /// Within its own recursive members: the row that they are for.
    pub working: Option<Working>,
}

/// A relation with the names of its columns.
pub(super) struct Source {
    pub rel: Rel,
    pub scope: Scope,
}

impl Binder<'_> {
    /// All of FROM; one row without columns when there is none.
    pub(super) fn from(&mut self, from: &[TableRef]) -> SqlResult<Source> {
        let mut source: Option<Source> = None;
        for table in from {
            let next = self.table_ref(table)?;
            source = Some(match source {
                None => next,
                Some(left) => join(RelJoin::Inner, left, next)?,
            });
        }
        let source = source.unwrap_or_else(one_row);
        if joined_tables(&source.rel) > TABLES_MAX { Err(too_many_tables()) } else { Ok(source) }
    }

    /// The query of something that a query mentions, in its place.
    ///
    /// # Errors
    /// 8623 for too many of them.
    pub(super) fn expanded(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        self.expansions += 1;
        if self.expansions > EXPANSIONS_MAX { Err(too_complex()) } else { self.query(query) }
    }

    pub(super) fn table_ref(&mut self, table: &TableRef) -> SqlResult<Source> {
        match table {
            TableRef::Named { name, alias, span, hints } => {
                self.named(name, alias.as_deref(), hints).map_err(|error| error.at(span.line))
            }
            TableRef::Function { name, args, alias, columns, span } => {
                self.table_call(name, args, alias.as_deref(), columns).map_err(|error| error.at(span.line))
            }
            TableRef::Derived { query, alias, columns } => {
                self.derived(query, alias.as_deref().unwrap_or(""), Given::list(columns))
            }
            TableRef::Join { kind: kind @ (JoinKind::CrossApply | JoinKind::OuterApply), left, right, .. } => {
                let left = self.table_ref(left)?;
                self.apply(left, right, *kind == JoinKind::OuterApply)
            }
            TableRef::Join { kind, left, right, on } => {
                let left = self.table_ref(left)?;
                let right = self.table_ref(right)?;
                self.join_on(*kind, left, right, on.as_ref())
            }
            TableRef::Sample { .. } => Err(message::missing("TABLESAMPLE")),
            TableRef::Pivot { table, aggregate, column, values, alias } => {
                self.pivot(table, aggregate, column, values, alias)
            }
            TableRef::Unpivot { table, value, name, columns, alias } => {
                self.unpivot(table, value, name, columns, alias)
            }
        }
    }

    fn named(&mut self, name: &ObjectName, alias: Option<&str>, hints: &[Ident]) -> SqlResult<Source> {
        let last = name.last();
        let shown = alias.unwrap_or(last);
        if name.parts.len() == 1
            && let Some(cte) = self.cte(last)
        {
            return match &cte.1.working {
                Some(_) if !hints.is_empty() => Err(recursive::hinted(last)),
                Some(working) => self.working_row(last, working, shown),
                None => self.cte_source(cte, shown),
            };
        }
        if name.parts.len() == 1 {
            self.not_inside(last)?;
        }
        if let ([_], Some(lent)) = (&name.parts[..], self.lent(last)) {
            let Some(variable) = lent.variable.clone() else { return Ok(no_rows(&lent.def, shown)) };
            return self.relation(&ObjectName { parts: vec![variable] }, (shown, alias), hints);
        }
        self.relation(name, (shown, alias), hints)
    }

    /// A table or view.
    fn relation(
        &mut self,
        name: &ObjectName,
        (shown, alias): (&str, Option<&str>),
        hints: &[Ident],
    ) -> SqlResult<Source> {
        let last = name.last();
        match self.names.relation(name, self.home)? {
            Some(Named::Table(def)) => {
                let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty));
                let mut scope = scope_of(shown, columns);
                scope.columns.iter_mut().zip(&def.columns).for_each(|(shown, column)| shown.role = Role::of(column));
                let (hint, forced) = table_hints(hints, &def)?;
                let binding = self.use_table(last, &def, hint);
                let mut with_rid = false;
                if self.query_depth == 1
                    && let Some(located) = &mut self.located
                {
                    with_rid = true;
                    located.push(binding);
                    self.columns_by_reader(&mut scope, &def);
                    scope.columns.push(rid_column(shown, &def));
                }
                let rel = Rel::Table { binding, def: Arc::clone(&def), with_rid, forced };
                let rel = if with_rid { rel } else { self.with_columns_of_reader(rel, &def) };
                if alias.is_none() && !def.is_temporary() {
                    scope = scope.placed(def.database, &def.schema.name);
                }
                Ok(Source { rel, scope })
            }
            Some(Named::UserView(view, database)) => {
                let source = self.view(&view, database, shown).map_err(|error| of_view(error, &view, name))?;
                Ok(match alias {
                    None => Source { scope: source.scope.placed(database, &view.schema.name), ..source },
                    Some(_) => source,
                })
            }
            Some(Named::View(view, database)) => {
                let columns = view.columns.iter().map(|column| (column.name.to_owned(), column.ty()));
                Ok(Source { rel: Rel::View { view, database }, scope: scope_of(shown, columns) })
            }
            None if last.starts_with('@') => Err(message::undeclared_table_variable(last)),
            None => Err(message::invalid_object(&name.shown())),
        }
    }

    /// A view's query stands where its name stood.
    fn view(&mut self, view: &Arc<ModuleDef>, database: DbId, shown: &str) -> SqlResult<Source> {
        self.within_view(view, database, |binder, definition| {
            binder.derived(&definition.query, shown, Given::of_module(view, &definition.columns))
        })
    }

    /// Binds what stands in a view's text: it sees none of the names of the text around, looks its own up at home, and
    /// compares with NULL as it was made to.
    ///
    /// # Errors
    /// 217 for views inside views that are too deep; those of the text.
    pub(crate) fn within_view<T>(
        &mut self,
        view: &Arc<ModuleDef>,
        database: DbId,
        bind: impl FnOnce(&mut Self, &View) -> SqlResult<T>,
    ) -> SqlResult<T> {
        if self.view_depth >= VIEW_DEPTH_MAX {
            return Err(SqlError::of(217, 1, &[&VIEW_DEPTH_MAX]));
        }
        self.views.push((database, Arc::clone(view)));
        let definition = view_of(view)?;
        let dialect = self.dialect;
        self.dialect = dialect.with_ansi_nulls(view.ansi_nulls);
        self.view_depth += 1;
        let scopes = std::mem::take(&mut self.scopes);
        let blocks = std::mem::take(&mut self.blocks);
        let ctes = std::mem::take(&mut self.ctes);
        let inside_cte = self.inside_cte.take();
        let home = self.home.replace(Home::of(database, view));
        let bound = bind(self, &definition);
        self.home = home;
        self.scopes = scopes;
        self.blocks = blocks;
        self.ctes = ctes;
        self.inside_cte = inside_cte;
        self.view_depth -= 1;
        self.dialect = dialect;
        bound
    }

    pub(super) fn cte(&self, name: &str) -> Option<(usize, CteBinding)> {
        for (depth, level) in self.ctes.iter().enumerate().rev() {
            if let Some(index) = level.iter().rposition(|cte| names_equal(&cte.name, name)) {
                return Some((depth * CTES_MAX + index, level[index].clone()));
            }
        }
        None
    }

    /// A CTE sees those before it; one that mentions itself is recursive.
    fn cte_source(&mut self, (place, cte): (usize, CteBinding), shown: &str) -> SqlResult<Source> {
        let (depth, index) = (place / CTES_MAX, place % CTES_MAX);
        let hidden = self.hide_ctes(place);
        let inside = self.inside_cte.replace((cte.name.clone(), recursive::is_union_all(&cte.query.body)));
        let source = if mentions_in(&cte.query.body, &cte.name) {
            self.recursive((depth, index), &cte, shown)
        } else {
            self.derived(&cte.query, shown, Given::list(&cte.columns))
        };
        self.inside_cte = inside;
        self.show_ctes(place, hidden);
        source
    }

    /// Hides a CTE and those behind it, which its own query does not see.
    pub(super) fn hide_ctes(&mut self, place: usize) -> Vec<Vec<CteBinding>> {
        let hidden = self.ctes.split_off(place / CTES_MAX + 1);
        let later = self.ctes[place / CTES_MAX].split_off(place % CTES_MAX);
        std::iter::once(later).chain(hidden).collect()
    }

    /// Shows what was hidden.
    pub(super) fn show_ctes(&mut self, place: usize, hidden: Vec<Vec<CteBinding>>) {
        let mut hidden = hidden.into_iter();
        self.ctes[place / CTES_MAX].extend(hidden.next().into_iter().flatten());
        self.ctes.extend(hidden);
    }

    fn derived(&mut self, query: &Query, alias: &str, columns: Given<'_>) -> SqlResult<Source> {
        unordered(query)?;
        let query = self.expanded(query)?;
        let names = columns.names(query.names, alias)?;
        distinct_names(&names, alias)?;
        let rel = first_columns(query.rel, names.len());
        Ok(queried(rel, alias, names))
    }

    fn table_call(
        &mut self,
        name: &ObjectName,
        args: &[Expr],
        alias: Option<&str>,
        columns: &[Ident],
    ) -> SqlResult<Source> {
        let last = name.last();
        if let Some(function) = self.names.user_table_function(name, self.home)? {
            return self.user_table(&function, args, alias.unwrap_or(last), columns);
        }
        if name.parts.len() == 1 && last.eq_ignore_ascii_case("GENERATE_SERIES") {
            return self.series(args, alias.unwrap_or(last), columns);
        }
        let def = self.names.table_function(name).ok_or_else(|| message::invalid_object(&name.shown()))?;
        if args.len() > def.params.len() {
            return Err(SqlError::of(8144, 3, &[&last]));
        }
        if args.len() + def.optional < def.params.len() {
            return Err(SqlError::of(313, 3, &[&last]));
        }
        let mut bound = Vec::with_capacity(def.params.len());
        for (index, param) in def.params.iter().enumerate() {
            bound.push(match args.get(index).map(|arg| &arg.kind) {
                None | Some(ExprKind::Default) => BoundExpr::literal(Value::Null, *param),
                Some(_) => {
                    // A query of its own, so that columns around it are those of an enclosing one.
                    self.scopes.push(Scope::default());
                    let arg = self.expression(&args[index]);
                    self.scopes.pop();
                    convert(arg?, *param)?
                }
            });
        }
        let names = def.columns.iter().map(|column| column.name.to_owned()).collect();
        let names = renamed(names, columns, alias.unwrap_or(last))?;
        let types = def.columns.iter().map(|column| column.ty());
        let scope = scope_of(alias.unwrap_or(last), names.into_iter().zip(types));
        Ok(Source { rel: Rel::Function(def, bound), scope })
    }

    pub(super) fn join_on(
        &mut self,
        kind: JoinKind,
        left: Source,
        right: Source,
        on: Option<&Expr>,
    ) -> SqlResult<Source> {
        let kind = match kind {
            JoinKind::Inner | JoinKind::Cross => RelJoin::Inner,
            JoinKind::Left => RelJoin::Left,
            JoinKind::Right => RelJoin::Right,
            JoinKind::Full => RelJoin::Full,
            JoinKind::CrossApply | JoinKind::OuterApply => unreachable!("bound by apply"),
        };
        let mut source = join(kind, left, right)?;
        if let Some(on) = on {
            // The condition sees both rows as they are before the join makes them nullable.
            self.scopes.push(source.scope.clone());
            self.blocks.push(Block::default());
            let condition = self.condition(on);
            self.blocks.pop();
            self.scopes.pop();
            let condition = condition?;
            source.rel = match source.rel {
                Rel::Join { kind, left, right, .. } => Rel::Join { kind, left, right, on: Some(condition) },
                // The right side has become part of the left one's rows.
                beside => Rel::Filter { input: Box::new(beside), predicate: condition },
            };
        }
        Ok(source)
    }
}

/// The definition in a view's text.
fn view_of(view: &ModuleDef) -> SqlResult<View> {
    let options = ParseOptions { quoted_identifier: view.quoted_identifier };
    let batch = parse_batch(&view.text, options).map_err(message::of_stored_syntax)?;
    let module = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::Module(module) => Some(*module),
        _ => None,
    });
    match module.map(|module| module.kind) {
        Some(ModuleKind::View(definition)) => Ok(*definition),
        _ => Err(message::invalid_object(&view.name)),
    }
}

/// The Rid of a target's row.
pub(super) fn rid_column(table: &str, def: &TableDef) -> ScopeColumn {
    let ty = ExprType { nullable: true, ..def.locator_type() };
    ScopeColumn {
        table: table.to_owned(),
        place: None,
        name: String::new(),
        ty,
        hidden: true,
        role: Role::Plain,
        computed: None,
    }
}

/// How many tables the joins at the top of a relation have.
fn joined_tables(rel: &Rel) -> usize {
    match rel {
        Rel::Join { left, right, .. } | Rel::Apply { left, right, .. } => joined_tables(left) + joined_tables(right),
        Rel::Filter { input, .. } | Rel::Project { input, .. } => joined_tables(input),
        Rel::Values { rows, .. } if rows.len() == 1 => 0,
        _ => 1,
    }
}

/// 4413 after what does not bind in a view, which is told with its place there.
pub(super) fn of_view(cause: SqlError, view: &ModuleDef, name: &ObjectName) -> SqlError {
    // What a view is not changed for is no fault of its text.
    if !message::is_of_binding(cause.number) || (4400..=4426).contains(&cause.number) && cause.number != 4413 {
        return SqlError { line: 0, ..cause };
    }
    let inner: std::sync::Arc<str> = std::sync::Arc::from(view.name.as_str());
    SqlError::of(4413, 1, &[&name.shown()]).after(cause.inside(Some(&inner)))
}

fn too_many_tables() -> SqlError {
    SqlError::of(106, 1, &[&TABLES_MAX])
}

fn too_complex() -> SqlError {
    SqlError::of(8623, 1, &[])
}

fn one_row() -> Source {
    Source { rel: Rel::Values { rows: vec![Vec::new()], types: Vec::new() }, scope: Scope::default() }
}

pub(super) fn join(kind: RelJoin, left: Source, right: Source) -> SqlResult<Source> {
    if let Some(twice) = left.scope.exposed_twice(&right.scope) {
        return Err(SqlError::of(1013, 1, &[&twice, &twice]));
    }
    let drawn = if kind == RelJoin::Inner { taken_apart(&right.rel, 0) } else { None };
    let rel = match drawn {
        Some(row) => beside(left.rel, row),
        None => Rel::Join { kind, left: Box::new(left.rel), right: Box::new(right.rel), on: None },
    };
    let mut scope = left.scope.join(right.scope);
    for (column, ty) in scope.columns.iter_mut().zip(rel.types()) {
        column.ty.nullable = ty.nullable;
    }
    Ok(Source { rel, scope })
}

/// A table without rows.
fn no_rows(def: &TableDef, shown: &str) -> Source {
    let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty));
    let types = def.columns.iter().map(|column| column.ty).collect();
    Source { rel: Rel::Values { rows: Vec::new(), types }, scope: scope_of(shown, columns) }
}

pub(super) fn scope_of(table: &str, columns: impl Iterator<Item = (String, ExprType)>) -> Scope {
    let columns = columns
        .map(|(name, ty)| ScopeColumn {
            table: table.to_owned(),
            place: None,
            name,
            ty,
            hidden: false,
            role: Role::Plain,
            computed: None,
        })
        .collect();
    Scope { columns, tables: vec![Exposed::alias(table)], has_no_row: false }
}

/// A query as a table: columns that are those of its table are to it what they are there.
pub(super) fn queried(rel: Rel, alias: &str, names: Vec<String>) -> Source {
    let mut scope = scope_of(alias, names.into_iter().zip(rel.types()));
    for (place, shown) in scope.columns.iter_mut().enumerate() {
        shown.role = rel.origin(place).map_or(Role::Plain, Role::of);
    }
    Source { rel, scope }
}

/// The names that the columns of a query are given, in order: by a column list, or by a module that keeps the columns it was made
/// with; none where the query's own stand.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    names: &'a [Ident],
    /// The query may have more columns by now, which are not shown.
    is_kept: bool,
}

impl<'a> Given<'a> {
    /// Of a column list.
    pub(crate) fn list(names: &'a [Ident]) -> Given<'a> {
        Given { names, is_kept: false }
    }

    /// Of a view or inline function. What `*` stands for is looked up in the tables as they are now, and the first columns of
    /// that are shown under the names of when the module was made or refreshed. One of an old file keeps none: it has its
    /// column list.
    pub fn of_module(module: &'a ModuleDef, list: &'a [Ident]) -> Given<'a> {
        if module.columns.is_empty() { Given::list(list) } else { Given { names: &module.columns, is_kept: true } }
    }

    /// The names of the columns that are shown, which may be fewer than the query has.
    ///
    /// # Errors
    /// 8158 and 8159 for a list of another length; 4502 for a module whose query has lost columns.
    pub fn names(self, own: Vec<String>, table: &str) -> SqlResult<Vec<String>> {
        match self.names.len() {
            0 => Ok(own),
            given if given == own.len() || self.is_kept && given < own.len() => Ok(self.names.to_vec()),
            _ if self.is_kept => Err(SqlError::of(4502, 1, &[&table])),
            given if given < own.len() => Err(SqlError::of(8158, 1, &[&table])),
            _ => Err(SqlError::of(8159, 1, &[&table])),
        }
    }
}

/// The first columns of a relation.
pub(super) fn first_columns(rel: Rel, count: usize) -> Rel {
    if rel.width() <= count {
        return rel;
    }
    let types = rel.types().into_iter().take(count).enumerate();
    let exprs = types.map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    Rel::Project { input: Box::new(rel), exprs }
}

pub(super) fn renamed(names: Vec<String>, columns: &[Ident], table: &str) -> SqlResult<Vec<String>> {
    Given::list(columns).names(names, table)
}

/// Columns of a derived table or common table expression have names, each its own.
///
/// # Errors
/// 8155, 8156.
pub(super) fn distinct_names(names: &[String], table: &str) -> SqlResult<()> {
    if let Some(nameless) = names.iter().position(String::is_empty) {
        return Err(SqlError::of(8155, 2, &[&(nameless + 1), &table]));
    }
    let mut known = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !known.insert(name_key(name))) {
        None => Ok(()),
        Some(twice) => Err(SqlError::of(8156, 1, &[&twice, &table])),
    }
}

/// Whether the FROM of a query mentions a name.
pub(super) fn mentions_in(body: &QueryBody, name: &str) -> bool {
    fn in_table(table: &TableRef, name: &str) -> bool {
        match table {
            TableRef::Named { name: found, .. } => found.parts.len() == 1 && names_equal(&found.parts[0], name),
            TableRef::Function { .. } => false,
            TableRef::Derived { query, .. } => mentions_in(&query.body, name),
            TableRef::Join { left, right, .. } => in_table(left, name) || in_table(right, name),
            TableRef::Sample { table, .. } | TableRef::Pivot { table, .. } | TableRef::Unpivot { table, .. } => {
                in_table(table, name)
            }
        }
    }
    match body {
        QueryBody::Select(select) => select.from.iter().any(|table| in_table(table, name)),
        QueryBody::Nested(query) => mentions_in(&query.body, name),
        QueryBody::Values(_) => false,
        QueryBody::SetOperation { left, right, .. } => mentions_in(left, name) || mentions_in(right, name),
    }
}
