//! FROM: tables, derived tables, functions and joins become a relation and the scope of its columns.

pub(crate) mod apply;
pub(crate) mod columns;
pub(crate) mod hint;
pub(crate) mod nodes;
pub(crate) mod open_json;
pub(crate) mod open_xml;
mod optimize_for;
pub(crate) mod pivot;
pub(crate) mod recursive;
pub(crate) mod regexp;
pub(crate) mod series;
pub(crate) mod string_split;
pub(crate) mod table_hint;
pub(crate) mod unfold;

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{ForcedPath, JoinHint, Rel, RelJoin};
use millpond_catalog::{ModuleDef, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    self, Expr, ExprKind, Ident, JoinKind, ModuleKind, ObjectName, Query, StatementKind, TableRef, View,
};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::Value;
use millpond_xml::chars::name_len;
use millpond_xml::document::XML_NAMESPACE;
use millpond_xml::xquery::Namespaces;

use crate::absence::is_function;
use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::bound_query::BoundQuery;
use crate::binder::names::{Home, KeptRows, Named};
use crate::binder::needs::NamedColumns;
use crate::binder::option_hint;
use crate::binder::scope::{Role, Scope, ScopeColumn};
use crate::binder::source::{CteBinding, Given, Source};
use crate::binder::written::{mentions_in, unordered};
use crate::expression::collate;
use crate::expression::drawn_row::{beside, taken_apart};
use crate::expression::operator::convert;
use crate::expression::{computed, function};
use crate::from::columns::{distinct_names, first_columns, queried, renamed, scope_of};
use crate::from::table_hint::{seeks_named_index, table_hints};

/// Deepest nesting of views.
const VIEW_DEPTH_MAX: usize = 32;
/// Most tables that one FROM joins, those of its views counted.
const TABLES_MAX: usize = 256;
/// Most mentions of views, inline functions and common table expressions in a statement, those inside of them counted:
/// where each mentions the one before it twice, thirty of them would be a billion.
const EXPANSIONS_MAX: u32 = 10_000;

/// More common table expressions than a statement has.
const CTES_MAX: usize = 1 << 20;

/// All of FROM; one row without columns when there is none.
pub(crate) fn from(binder: &mut Binder<'_>, from: &[TableRef]) -> SqlResult<Source> {
    let mut source: Option<Source> = None;
    for table in from {
        let next = table_ref(binder, table)?;
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
pub(super) fn expanded(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    binder.expansions += 1;
    if binder.expansions > EXPANSIONS_MAX { Err(too_complex()) } else { binder.query(query) }
}

pub(crate) fn table_ref(binder: &mut Binder<'_>, table: &TableRef) -> SqlResult<Source> {
    match table {
        TableRef::Named { name, alias, span, hints } => {
            named(binder, name, alias.as_deref(), hints).map_err(|error| error.at(span.line))
        }
        TableRef::Function { name, args, alias, columns, span } => {
            table_call(binder, name, args, alias.as_deref(), columns).map_err(|error| error.at(span.line))
        }
        TableRef::OpenJson { args, schema, alias, columns, span } => {
            let alias = alias.as_deref().unwrap_or("OPENJSON");
            open_json::open_json(binder, args, schema.as_deref(), alias, columns).map_err(|error| error.at(span.line))
        }
        TableRef::OpenXml { args, schema, alias, columns, span } => {
            let alias = alias.as_deref().unwrap_or("OPENXML");
            open_xml::open_xml(binder, args, schema.as_ref(), alias, columns).map_err(|error| error.at(span.line))
        }
        TableRef::Derived { query, alias, columns } => {
            derived(binder, query, alias.as_deref().unwrap_or(""), Given::list(columns))
        }
        TableRef::Join { kind: kind @ (JoinKind::CrossApply | JoinKind::OuterApply), left, right, .. } => {
            let left = table_ref(binder, left)?;
            apply::apply(binder, left, right, *kind == JoinKind::OuterApply)
        }
        TableRef::Join { kind, hint, left, right, on } => {
            let left = table_ref(binder, left)?;
            let right = table_ref(binder, right)?;
            join_on(binder, (*kind, *hint), left, right, on.as_ref())
        }
        TableRef::Sample { .. } => Err(message::missing("TABLESAMPLE")),
        TableRef::Pivot { table, aggregate, column, values, alias } => {
            pivot::pivot(binder, table, aggregate, column, values, alias)
        }
        TableRef::Unpivot { table, value, name, columns, alias } => {
            pivot::unpivot(binder, table, value, name, columns, alias)
        }
    }
}

fn named(binder: &mut Binder<'_>, name: &ObjectName, alias: Option<&str>, hints: &[Ident]) -> SqlResult<Source> {
    let last = name.last();
    let shown = alias.unwrap_or(last);
    if name.parts.len() == 1
        && let Some(cte) = cte(binder, last)
    {
        return match &cte.1.working {
            Some(_) if !hints.is_empty() => Err(recursive::hinted(last)),
            Some(working) => recursive::working_row(binder, last, working, shown),
            None => cte_source(binder, cte, shown),
        };
    }
    if name.parts.len() == 1 {
        recursive::not_inside(binder, last)?;
    }
    if let ([_], Some(parameter)) = (&name.parts[..], function::table_parameter(binder, last)) {
        let Some(variable) = parameter.variable.clone() else { return Ok(no_rows(&parameter.def, shown)) };
        return relation(binder, &ObjectName { parts: vec![variable] }, (shown, alias), hints);
    }
    relation(binder, name, (shown, alias), hints)
}

/// A table or view.
fn relation(
    binder: &mut Binder<'_>,
    name: &ObjectName,
    (shown, alias): (&str, Option<&str>),
    hints: &[Ident],
) -> SqlResult<Source> {
    let last = name.last();
    let hinted = option_hint::hinted(&mut binder.option_hints, name, alias, hints)?;
    let hints = hinted.as_deref().unwrap_or(hints);
    match binder.names.relation(name, binder.home)? {
        Some(Named::Table(def)) => {
            let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty));
            let mut scope = scope_of(shown, columns);
            scope.columns.iter_mut().zip(&def.columns).for_each(|(shown, column)| shown.role = Role::of(column));
            if is_no_expand(hints) {
                return Err(not_indexed(&def.two_part_name(), 2));
            }
            let (hint, forced) = table_hints(hints, &def)?;
            let binding = binder.use_table(last, &def, hint);
            if !def.is_open_to_all() {
                let named = binder.mention(def.database, def.id);
                for (shown, column) in scope.columns.iter_mut().zip(&def.columns) {
                    shown.mention = Some((named.clone(), column.id));
                }
            }
            let mut with_rid = false;
            if binder.query_depth == 1
                && let Some(located) = &mut binder.located
            {
                with_rid = true;
                located.push(binding);
                computed::columns_by_reader(binder, &mut scope, &def);
                scope.columns.push(rid_column(shown, &def));
            }
            let rel = Rel::Table { binding, def: Arc::clone(&def), with_rid, forced };
            let rel = if with_rid { rel } else { computed::with_columns_of_reader(binder, rel, &def) };
            if alias.is_none() && !def.is_temporary() {
                scope = scope.placed(def.database, &def.schema.name);
            }
            Ok(Source { rel, scope })
        }
        Some(Named::UserView(view, database)) => {
            if seeks_named_index(hints) && !is_no_expand(hints) {
                return Err(SqlError::of(364, 1, &[&view.name]));
            }
            let named = binder.mention(database, view.id);
            let mut source = match rows_of_view(binder, &view, database, hints)? {
                Some(rows) => view_rows(binder, (last, &rows), shown, hints)?,
                None => user_view(binder, &view, database, shown).map_err(|error| of_view(error, &view, name))?,
            };
            mark(&mut source.scope.columns, &named);
            Ok(match alias {
                None => Source { scope: source.scope.placed(database, &view.schema.name), ..source },
                Some(_) => source,
            })
        }
        Some(Named::View(view, database)) => {
            note_state(binder, database, view.name);
            // A database of the system keeps its name.
            if let [.., named, _, _] = &name.parts[..]
                && database > DbId::MSDB
            {
                binder.databases.push((database, named.to_string()));
            }
            // What the catalog says of a database is of its collation.
            let own = binder.names.collation_of(database);
            let columns =
                view.columns.iter().map(|column| (column.name.to_owned(), collate::catalog(column.ty(), own)));
            Ok(Source { rel: Rel::View { view, database }, scope: scope_of(shown, columns) })
        }
        None if last.starts_with('@') => Err(message::undeclared_table_variable(last)),
        None => Err(no_relation(binder, name)),
    }
}

/// 216 for a function that is named without its arguments, 208 for what is nothing.
fn no_relation(binder: &Binder<'_>, name: &ObjectName) -> SqlError {
    match is_function(binder.names, name, binder.home) {
        true => SqlError::of(216, 1, &[&name.shown()]),
        false => message::invalid_object(&name.shown()),
    }
}

/// The rows of a view with an index, where the statement reads these: it says NOEXPAND, or only reads the view.
///
/// # Errors
/// 8171 for NOEXPAND of a view without an index.
fn rows_of_view(
    binder: &mut Binder<'_>,
    view: &Arc<ModuleDef>,
    database: DbId,
    hints: &[Ident],
) -> SqlResult<Option<Arc<TableDef>>> {
    let asked = is_no_expand(hints);
    if !asked && binder.located.is_some() && binder.query_depth == 1 {
        return Ok(None);
    }
    match binder.names.view_rows(view, database, asked)? {
        KeptRows::There(rows) => Ok(Some(rows)),
        KeptRows::Absent if asked => Err(not_indexed(&format!("{}.{}", view.schema.name, view.name), 2)),
        KeptRows::Absent | KeptRows::Masked => Ok(None),
    }
}

/// A view's rows as they are kept. Without NOEXPAND an index that a hint names is not minded.
fn view_rows(
    binder: &mut Binder<'_>,
    (last, rows): (&str, &Arc<TableDef>),
    shown: &str,
    hints: &[Ident],
) -> SqlResult<Source> {
    let (hint, forced) = table_hints(hints, rows)?;
    let binding = binder.use_table(last, rows, hint);
    let scope = scope_of(shown, rows.columns.iter().map(|column| (column.name.clone(), column.ty)));
    let forced = if is_no_expand(hints) { forced } else { ForcedPath::default() };
    Ok(Source { rel: Rel::Table { binding, def: Arc::clone(rows), with_rid: false, forced }, scope })
}

fn is_no_expand(hints: &[Ident]) -> bool {
    hints.iter().any(|hint| hint == "NOEXPAND")
}

/// 8171
fn not_indexed(name: &str, state: u8) -> SqlError {
    SqlError::of(8171, state, &[&"noexpand", &name])
}

/// The columns of a view or function are numbered in their order.
pub(crate) fn mark(columns: &mut [ScopeColumn], named: &NamedColumns) {
    for (number, column) in (1..).zip(columns) {
        column.mention = Some((named.clone(), number));
    }
}

/// What shows the state of the server without saying so by its name.
pub const OLD_STATE_VIEWS: [&str; 4] =
    ["sysalerts_performance_counters_view", "syscacheobjects", "syslockinfo", "sysperfinfo"];

fn note_state(binder: &mut Binder<'_>, database: DbId, name: &'static str) {
    // Views over what queries have cost are of the state, too, whatever their names say; names of SQL Server 2000 show what others
    // do as well.
    let is_of_store =
        name.starts_with("query_store_") || matches!(name, "query_context_settings" | "database_query_store_options");
    if name.starts_with("dm_") || is_of_store || OLD_STATE_VIEWS.contains(&name) {
        binder.state_views.push((database, name));
    }
}

/// A view's query stands where its name stood.
fn user_view(binder: &mut Binder<'_>, view: &Arc<ModuleDef>, database: DbId, shown: &str) -> SqlResult<Source> {
    within_view(binder, view, database, |binder, definition| {
        derived(binder, &definition.query, shown, Given::of_module(view, &definition.columns))
    })
}

/// Binds what stands in a view's text: it sees none of the names of the text around, looks its own up at home, and
/// compares with NULL as it was made to.
///
/// # Errors
/// 217 for views inside views that are too deep; those of the text.
pub(crate) fn within_view<T>(
    binder: &mut Binder<'_>,
    view: &Arc<ModuleDef>,
    database: DbId,
    bind: impl FnOnce(&mut Binder<'_>, &View) -> SqlResult<T>,
) -> SqlResult<T> {
    if binder.view_depth >= VIEW_DEPTH_MAX {
        return Err(SqlError::of(217, 1, &[&VIEW_DEPTH_MAX]));
    }
    binder.views.push((database, Arc::clone(view)));
    let definition = view_of(view)?;
    let dialect = binder.dialect;
    binder.dialect = binder.dialect_of(view, database);
    binder.view_depth += 1;
    let scopes = std::mem::take(&mut binder.scopes);
    let blocks = std::mem::take(&mut binder.blocks);
    let ctes = std::mem::take(&mut binder.ctes);
    let namespaces = std::mem::take(&mut binder.xml_namespaces);
    let inside_cte = binder.inside_cte.take();
    let home = binder.home.replace(Home::of(database, view));
    let through = binder.through.replace((database, view.id));
    let bound = bind(binder, &definition);
    binder.home = home;
    binder.through = through;
    binder.scopes = scopes;
    binder.blocks = blocks;
    binder.ctes = ctes;
    binder.xml_namespaces = namespaces;
    binder.inside_cte = inside_cte;
    binder.view_depth -= 1;
    binder.dialect = dialect;
    bound
}

pub(crate) fn cte(binder: &Binder<'_>, name: &str) -> Option<(usize, CteBinding)> {
    for (depth, level) in binder.ctes.iter().enumerate().rev() {
        if let Some(index) = level.iter().rposition(|cte| names_equal(&cte.name, name)) {
            return Some((depth * CTES_MAX + index, level[index].clone()));
        }
    }
    None
}

/// A CTE sees those before it; one that mentions itself is recursive.
fn cte_source(binder: &mut Binder<'_>, (place, cte): (usize, CteBinding), shown: &str) -> SqlResult<Source> {
    let (depth, index) = (place / CTES_MAX, place % CTES_MAX);
    let hidden = hide_ctes(binder, place);
    let inside = binder.inside_cte.replace((cte.name.clone(), recursive::is_union_all(&cte.query.body)));
    let source = if mentions_in(&cte.query.body, &cte.name) {
        recursive::recursive(binder, (depth, index), &cte, shown)
    } else {
        derived(binder, &cte.query, shown, Given::list(&cte.columns))
    };
    binder.inside_cte = inside;
    show_ctes(binder, place, hidden);
    source
}

/// Hides a CTE and those after it, which its own query cannot name.
pub(crate) fn hide_ctes(binder: &mut Binder<'_>, place: usize) -> Vec<Vec<CteBinding>> {
    let hidden = binder.ctes.split_off(place / CTES_MAX + 1);
    let later = binder.ctes[place / CTES_MAX].split_off(place % CTES_MAX);
    std::iter::once(later).chain(hidden).collect()
}

/// Shows what was hidden.
pub(crate) fn show_ctes(binder: &mut Binder<'_>, place: usize, hidden: Vec<Vec<CteBinding>>) {
    let mut hidden = hidden.into_iter();
    binder.ctes[place / CTES_MAX].extend(hidden.next().into_iter().flatten());
    binder.ctes.extend(hidden);
}

fn derived(binder: &mut Binder<'_>, query: &Query, alias: &str, columns: Given<'_>) -> SqlResult<Source> {
    unordered(query)?;
    let has_text = query.for_clause.is_some();
    let mut query = expanded(binder, query)?;
    if has_text {
        // The column of a text has a name for clients alone.
        query.names.iter_mut().for_each(String::clear);
    }
    let names = columns.names(query.names, alias)?;
    distinct_names(&names, alias)?;
    let rel = first_columns(query.rel, names.len());
    Ok(queried(rel, alias, names))
}

fn table_call(
    binder: &mut Binder<'_>,
    name: &ObjectName,
    args: &[Expr],
    alias: Option<&str>,
    columns: &[Ident],
) -> SqlResult<Source> {
    let last = name.last();
    if let Some(function) = binder.names.user_table_function(name, binder.home)? {
        return apply::user_table(binder, &function, args, alias.unwrap_or(last), columns);
    }
    if let Some(source) = nodes::nodes(binder, name, args, (alias, columns))? {
        return Ok(source);
    }
    if name.parts.len() == 1 && last.eq_ignore_ascii_case("GENERATE_SERIES") {
        return series::series(binder, args, alias.unwrap_or(last), columns);
    }
    if name.parts.len() == 1 && last.eq_ignore_ascii_case("STRING_SPLIT") {
        return string_split::string_split(binder, args, alias.unwrap_or(last), columns);
    }
    if name.parts.len() == 1
        && let Some(function) = regexp::by_name(last)
    {
        return regexp::regexp(binder, function, args, alias.unwrap_or(last), columns);
    }
    let def = binder.names.table_function(name).ok_or_else(|| message::invalid_object(&name.shown()))?;
    // Those of statistics are of objects of the database that they are asked in; the others take any database.
    let of = def.name.starts_with("dm_db_stats_").then(|| binder.names.database(name, binder.home)).transpose()?;
    note_state(binder, of.flatten().unwrap_or(DbId::MASTER), def.name);
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
                binder.scopes.push(Scope::default());
                let arg = binder.expression(&args[index]);
                binder.scopes.pop();
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

pub(crate) fn join_on(
    binder: &mut Binder<'_>,
    (kind, hint): (JoinKind, Option<ast::JoinHint>),
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
    let hint = hint::join_hint(binder, hint)?;
    let mut source = join(kind, left, right)?;
    if let Rel::Join { hint: said, .. } = &mut source.rel {
        *said = hint;
    }
    if let Some(on) = on {
        // The condition sees both rows as they are before the join makes them nullable.
        binder.scopes.push(source.scope.clone());
        binder.blocks.push(Block::default());
        let condition = binder.condition(on);
        binder.blocks.pop();
        binder.scopes.pop();
        let condition = condition?;
        source.rel = match source.rel {
            Rel::Join { kind, hint, left, right, .. } => Rel::Join { kind, hint, left, right, on: Some(condition) },
            // The right side has become part of the left one's rows.
            beside => Rel::Filter { input: Box::new(beside), predicate: condition },
        };
    }
    Ok(source)
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
        mention: None,
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

/// 4413 after the error of a view's text, which is reported with its line there.
pub(super) fn of_view(cause: SqlError, view: &ModuleDef, name: &ObjectName) -> SqlError {
    // What a view is not changed for is no fault of its text, nor are the hints of the statement that reads it.
    let is_of_statement = (4400..=4426).contains(&cause.number) && cause.number != 4413 || cause.number == 1042;
    if !message::is_of_binding(cause.number) || is_of_statement {
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
    Source { rel: Rel::one_row(), scope: Scope::default() }
}

pub(super) fn join(kind: RelJoin, left: Source, right: Source) -> SqlResult<Source> {
    check_exposed(&left.scope, &right.scope)?;
    let drawn = if kind == RelJoin::Inner { taken_apart(&right.rel, 0) } else { None };
    let rel = match drawn {
        Some(row) => beside(left.rel, row),
        None => {
            let hint = JoinHint::default();
            Rel::Join { kind, hint, left: Box::new(left.rel), right: Box::new(right.rel), on: None }
        }
    };
    let mut scope = left.scope.join(right.scope);
    for (column, ty) in scope.columns.iter_mut().zip(rel.types()) {
        column.ty.nullable = ty.nullable;
    }
    Ok(Source { rel, scope })
}

/// 1011 for an alias that stands twice in a FROM, 1013 where a table has the name itself.
pub(super) fn check_exposed(left: &Scope, right: &Scope) -> SqlResult<()> {
    let Some((one, other)) = left.exposed_twice(right) else { return Ok(()) };
    Err(match (&one.place, &other.place) {
        (None, None) => SqlError::of(1011, 1, &[&other.name]),
        _ => SqlError::of(1013, 1, &[&one.name, &other.name]),
    })
}

/// A table without rows.
fn no_rows(def: &TableDef, shown: &str) -> Source {
    let columns = def.columns.iter().map(|column| (column.name.clone(), column.ty));
    let types = def.columns.iter().map(|column| column.ty).collect();
    Source { rel: Rel::Values { rows: Vec::new(), types }, scope: scope_of(shown, columns) }
}

/// Binds something that sees these common table expressions.
pub(crate) fn with_ctes<T>(
    binder: &mut Binder<'_>,
    with: &ast::With,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let ctes = &with.ctes;
    for (place, cte) in ctes.iter().enumerate() {
        if ctes[..place].iter().any(|known| names_equal(&known.name, &cte.name)) {
            return Err(SqlError::of(239, 1, &[&cte.name]));
        }
    }
    let ctes = ctes.iter().map(|cte| CteBinding {
        name: cte.name.clone(),
        columns: cte.columns.clone(),
        query: cte.query.clone(),
        working: None,
    });
    let namespaces = (!with.namespaces.is_empty()).then(|| namespaces_of(&with.namespaces)).transpose()?;
    binder.ctes.push(ctes.collect());
    let outer = namespaces.map(|namespaces| std::mem::replace(&mut binder.xml_namespaces, namespaces));
    let bound = bind(binder);
    if let Some(outer) = outer {
        binder.xml_namespaces = outer;
    }
    binder.ctes.pop();
    bound
}

/// What WITH XMLNAMESPACES declares.
///
/// # Errors
/// 6869 to 6872 for prefixes, 6874 for a namespace without a name; of one declaration the first in the order below.
fn namespaces_of(declared: &ast::XmlNamespaces) -> SqlResult<Namespaces> {
    for (place, (uri, prefix)) in declared.prefixes.iter().enumerate() {
        if prefix == "xmlns" {
            return Err(SqlError::of(6871, 1, &[prefix]));
        }
        if let Some(odd) = prefix[name_len(prefix)..].chars().next() {
            return Err(SqlError::of(6870, 1, &[prefix, &odd, &format_args!("{:04X}", u32::from(odd))]));
        }
        match (prefix == "xml", uri == XML_NAMESPACE) {
            (true, false) => return Err(SqlError::of(6872, 1, &[])),
            (false, true) => return Err(SqlError::of(6872, 2, &[])),
            _ => {}
        }
        if uri.is_empty() {
            return Err(SqlError::of(6874, 1, &[]));
        }
        if declared.prefixes[..place].iter().any(|(_, known)| known == prefix) {
            return Err(SqlError::of(6869, 1, &[prefix]));
        }
    }
    if declared.default.as_ref().is_some_and(String::is_empty) {
        return Err(SqlError::of(6874, 1, &[]));
    }
    let prefixes = declared.prefixes.iter().map(|(uri, prefix)| (prefix.clone(), uri.clone())).collect();
    Ok(Namespaces { prefixes, default: declared.default.clone(), default_place: declared.default_place })
}
