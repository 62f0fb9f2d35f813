//! The table that a statement changes: by its name, or among the tables of FROM.
//!
//! What always holds:
//! - R1: the target is one occurrence in FROM. Only where FROM does not have it, it stands beside FROM, and all its rows
//!   meet all rows of FROM.
//! - R2: a single name is an alias before it is the name of an object. Tables and views are known by their identity,
//!   however they are written; a common table expression has none and is known by its name alone.
//! - R3: a table inside of a derived table or a subquery is no occurrence.

use std::sync::Arc;

use millpond_catalog::rel::{JoinHint, Rel, RelJoin};
use millpond_catalog::{TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{JoinKind, ObjectName, Span, TableRef};
use millpond_txn::ReadHint;

use crate::binder::Binder;
use crate::binder::names::Named;
use crate::binder::refused::TargetName;
use crate::binder::scope::ScopeColumn;
use crate::binder::source::{Given, Source};
use crate::change::view_target;
use crate::expression::computed;
use crate::from;
use crate::from::table_hint::check_target_hints;
use crate::from::{apply, join, of_view, rid_column};

/// The target's row, alone or joined with FROM.
///
/// # Errors
/// 8154 when several occurrences may be meant; what does not bind.
pub(crate) fn change_source(
    binder: &mut Binder<'_>,
    target: &ObjectName,
    from: &[TableRef],
    hints: &[String],
    span: Span,
) -> SqlResult<(usize, Arc<TableDef>, Source)> {
    check_target_hints(hints, target, false)?;
    let chosen = chosen(binder, target, from).map_err(|error| error.at(span.line))?;
    let mut found = None;
    let mut source: Option<Source> = None;
    for table in from {
        let next = target_ref(binder, table, chosen, &mut found)?;
        source = Some(match source {
            None => next,
            Some(left) => join(RelJoin::Inner, left, next)?,
        });
    }
    if chosen.is_none() {
        let named = TableRef::Named { name: target.clone(), alias: None, hints: hints.to_vec(), span };
        let own = target_ref(binder, &named, Some(&named), &mut found)?;
        source = Some(match source {
            None => own,
            Some(other) => cross(own, other),
        });
    }
    let source = source.expect("set above");
    let Some(binding) = found else {
        let name = match chosen {
            Some(TableRef::Named { name, .. }) => name,
            _ => target,
        };
        return Err(target_error(binder, name).at(span.line));
    };
    Ok((binding, Arc::clone(&binder.tables[binding].def), source))
}

/// The occurrence in FROM that is the target (R2).
pub(crate) fn chosen<'f>(
    binder: &Binder<'_>,
    target: &ObjectName,
    from: &'f [TableRef],
) -> SqlResult<Option<&'f TableRef>> {
    let mut all = Vec::new();
    from.iter().for_each(|table| occurrences(table, &mut all));
    let last = target.last();
    let is_single = target.parts.len() == 1;
    let has_alias = |table: &&TableRef| alias_of(table).is_some_and(|alias| names_equal(alias, last));
    if is_single && let Some(table) = all.iter().find(|table| has_alias(table)) {
        return Ok(Some(table));
    }
    let bears_name = |table: &&TableRef| {
        plain_name(table).is_some_and(|name| name.parts.last().is_some_and(|part| names_equal(part, last)))
    };
    let is_cte = is_single && from::cte(binder, last).is_some();
    let object = if is_cte { None } else { binder.names.relation(target, binder.home)? };
    let Some(object) = object else {
        return Ok(all.into_iter().find(|table| is_single && bears_name(table)));
    };
    let same: Vec<&TableRef> = all.into_iter().filter(|table| is_object(binder, table, &object)).collect();
    match same[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => match same.into_iter().find(|table| plain_name(table).is_some()) {
            Some(one) => Ok(Some(one)),
            None => Err(SqlError::of(8154, 1, &[&target.shown()])),
        },
    }
}

/// Whether an occurrence is of an object.
fn is_object(binder: &Binder<'_>, table: &TableRef, object: &Named) -> bool {
    let TableRef::Named { name, .. } = table else { return false };
    if let [only] = &name.parts[..]
        && from::cte(binder, only).is_some()
    {
        return false;
    }
    // What does not resolve is reported when it is bound.
    match (binder.names.relation(name, binder.home).ok().flatten(), object) {
        (Some(Named::Table(one)), Named::Table(other)) => {
            let is_stored = !one.is_temporary() && !other.is_temporary();
            Arc::ptr_eq(&one, other) || is_stored && (one.database, one.id) == (other.database, other.id)
        }
        (Some(Named::UserView(one, database)), Named::UserView(other, other_database)) => {
            (database, one.id) == (*other_database, other.id)
        }
        _ => false,
    }
}

/// A table reference in which the target may stand; the target's row ends with its locator.
pub(crate) fn target_ref(
    binder: &mut Binder<'_>,
    table: &TableRef,
    chosen: Option<&TableRef>,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    if let TableRef::Join { kind, hint, left, right, on } = table {
        let left = target_ref(binder, left, chosen, found)?;
        let keeps_left = *kind == JoinKind::OuterApply;
        if !matches!(kind, JoinKind::CrossApply | JoinKind::OuterApply) {
            let right = target_ref(binder, right, chosen, found)?;
            return from::join_on(binder, (*kind, *hint), left, right, on.as_ref());
        }
        if !contains(right, chosen) {
            return apply::apply(binder, left, right, keeps_left);
        }
        // APPLY of a stored table is a join without condition.
        if !matches!(**right, TableRef::Named { .. }) {
            return Err(message::missing("A change of a query on the right side of APPLY"));
        }
        let right = target_ref(binder, right, chosen, found)?;
        return join(if keeps_left { RelJoin::Left } else { RelJoin::Inner }, left, right);
    }
    if !chosen.is_some_and(|chosen| std::ptr::eq(chosen, table)) {
        return from::table_ref(binder, table);
    }
    match table {
        TableRef::Named { name, alias, span, .. } => {
            let shown = alias.as_ref().or(name.parts.last()).expect("a name has parts");
            if let Some(source) = seen_through(binder, name, shown, found).map_err(|error| error.at(span.line))? {
                return Ok(source);
            }
            let mut source = from::table_ref(binder, table)?;
            if let Rel::Project { input, .. } = &mut source.rel
                && let Rel::Table { def, .. } = &**input
            {
                // What is changed are the rows as they are stored.
                computed::columns_by_reader(binder, &mut source.scope, def);
                source.rel = std::mem::replace(&mut **input, Rel::Values { rows: Vec::new(), types: Vec::new() });
            }
            if let Rel::Table { binding, with_rid, def, .. } = &mut source.rel {
                *with_rid = true;
                *found = Some(*binding);
                if !def.is_open_to_all() {
                    binder.last_is_target();
                }
                source.scope.columns.push(rid_column(shown, def));
            }
            Ok(source)
        }
        TableRef::Derived { query, alias, columns } => {
            let alias = alias.as_deref().unwrap_or_default();
            view_target::query_as_target(
                binder,
                query,
                Given::list(columns),
                (TargetName::of_derived(alias), alias),
                false,
                found,
            )
        }
        _ => from::table_ref(binder, table),
    }
}

/// A target that is a view or common table expression; `None` when it is neither.
fn seen_through(
    binder: &mut Binder<'_>,
    name: &ObjectName,
    shown: &str,
    found: &mut Option<usize>,
) -> SqlResult<Option<Source>> {
    let last = name.last();
    if name.parts.len() == 1
        && let Some((place, cte)) = from::cte(binder, last)
    {
        return view_target::cte_as_target(binder, (place, cte), shown, found).map(Some);
    }
    match binder.names.relation(name, binder.home)? {
        Some(Named::UserView(view, database)) => view_target::view_as_target(binder, &view, database, shown, found)
            .map_err(|error| of_view(error, &view, name))
            .map(Some),
        _ => Ok(None),
    }
}

/// The tables that stand in FROM itself (R3).
fn occurrences<'f>(table: &'f TableRef, found: &mut Vec<&'f TableRef>) {
    match table {
        TableRef::Join { left, right, .. } => {
            occurrences(left, found);
            occurrences(right, found);
        }
        TableRef::Named { .. } | TableRef::Derived { .. } => found.push(table),
        _ => {}
    }
}

fn contains(table: &TableRef, chosen: Option<&TableRef>) -> bool {
    let mut all = Vec::new();
    occurrences(table, &mut all);
    chosen.is_some_and(|chosen| all.into_iter().any(|one| std::ptr::eq(one, chosen)))
}

fn alias_of(table: &TableRef) -> Option<&str> {
    match table {
        TableRef::Named { alias, .. } | TableRef::Derived { alias, .. } => alias.as_deref(),
        _ => None,
    }
}

/// The name of an occurrence without alias.
fn plain_name(table: &TableRef) -> Option<&ObjectName> {
    match table {
        TableRef::Named { name, alias: None, .. } => Some(name),
        _ => None,
    }
}

fn cross(left: Source, right: Source) -> Source {
    let (kind, hint) = (RelJoin::Inner, JoinHint::default());
    let rel = Rel::Join { kind, hint, left: Box::new(left.rel), right: Box::new(right.rel), on: None };
    Source { rel, scope: left.scope.join(right.scope) }
}

/// The stored table that a statement changes.
pub(crate) fn target(binder: &mut Binder<'_>, name: &ObjectName) -> SqlResult<(usize, Arc<TableDef>)> {
    let last = name.last();
    let mut found = None;
    let named = TableRef::Named { name: name.clone(), alias: None, hints: Vec::new(), span: Span::default() };
    let is_cte = name.parts.len() == 1 && from::cte(binder, last).is_some();
    let relation = if is_cte { None } else { binder.names.relation(name, binder.home)? };
    if is_cte || matches!(relation, Some(Named::UserView(..))) {
        target_ref(binder, &named, Some(&named), &mut found)?;
    }
    match relation {
        _ if is_cte => found_below(binder, found, last),
        Some(Named::UserView(..)) => found_below(binder, found, last),
        Some(Named::Table(def)) => Ok((binder.use_table(last, &def, ReadHint::default()), def)),
        Some(Named::View(view, _)) => Err(SqlError::of(259, 1, &[&view.name])),
        None if last.starts_with('@') => Err(message::undeclared_table_variable(last)),
        None => Err(message::invalid_object(&name.shown())),
    }
}

/// Why a name is no target.
pub(crate) fn target_error(binder: &mut Binder<'_>, name: &ObjectName) -> SqlError {
    let last = name.last();
    target(binder, name).err().unwrap_or_else(|| message::invalid_object(last))
}

/// The place of the locator in the scope on top.
pub(crate) fn rid(binder: &Binder<'_>) -> SqlResult<usize> {
    rid_after(binder, 0)
}

/// The same among the columns from `first` on.
pub(crate) fn rid_after(binder: &Binder<'_>, first: usize) -> SqlResult<usize> {
    let scope = binder.scopes.last().expect("pushed by the caller");
    let is_locator = |column: &ScopeColumn| column.hidden && column.name.is_empty();
    let found = scope.columns[first..].iter().position(is_locator);
    found.map(|place| first + place).ok_or_else(|| message::missing("A change of that target"))
}

/// The table below a view that was looked through.
fn found_below(binder: &Binder<'_>, found: Option<usize>, name: &str) -> SqlResult<(usize, Arc<TableDef>)> {
    let binding = found.ok_or_else(|| message::invalid_object(name))?;
    Ok((binding, Arc::clone(&binder.tables[binding].def)))
}
