//! `INSERT … SELECT … FROM (change with OUTPUT) AS alias`: the rows of the change's OUTPUT go through a select list and WHERE
//! into the INSERT's table, as rows of OUTPUT INTO do. Changes of the table come before its new rows.

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ChangedRows, Insert, NestedChange};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::names::Named;
use crate::binder::needs::Access;
use crate::binder::numbers::Numbers;
use crate::binder::scope::Scope;
use crate::binder::target::Shown;
use crate::change::dml::{
    BoundChange, BoundInsert, BoundOutput, InsertTarget, TakenRows, convertible, count_mismatch, explicit_identity,
    explicit_row_version, insert_column, listed_columns,
};
use crate::change::merge::BoundMerge;
use crate::change::{dml, target};
use crate::from::columns::{distinct_names, renamed, scope_of};
use crate::from::hint;
use crate::{from, query, sequence};

/// A change whose rows an INSERT takes.
#[derive(Clone, Debug)]
pub enum BoundChanges {
    /// INSERT
    Insert(BoundInsert),
    /// UPDATE or DELETE
    Change(BoundChange),
    /// MERGE
    Merge(BoundMerge),
}

impl BoundChanges {
    fn output(&mut self) -> &mut Vec<BoundOutput> {
        match self {
            BoundChanges::Insert(insert) => &mut insert.output,
            BoundChanges::Change(change) => &mut change.output,
            BoundChanges::Merge(merge) => &mut merge.output,
        }
    }
}

/// Binds an INSERT of the rows that another statement changes.
///
/// # Errors
/// What does not bind; 354 for a view, 5322 and 5323 for aggregates and subqueries over the rows, 353 for functions of
/// the user, 11734 for NEXT VALUE FOR, 11735 for a default that has it.
pub(crate) fn insert_of_changes(
    binder: &mut Binder<'_>,
    insert: &Insert,
    changed: &ChangedRows,
) -> SqlResult<BoundChanges> {
    hint::take_options(binder, &insert.options)?;
    from::with_ctes(binder, &insert.ctes, |binder| changes_into(binder, insert, changed))
}

fn changes_into(binder: &mut Binder<'_>, insert: &Insert, changed: &ChangedRows) -> SqlResult<BoundChanges> {
    let mut bound = match &changed.change {
        NestedChange::Insert(inner) => BoundChanges::Insert(binder.insert(inner)?),
        NestedChange::Update(inner) => BoundChanges::Change(binder.update(inner)?),
        NestedChange::Delete(inner) => BoundChanges::Change(binder.delete(inner)?),
        NestedChange::Merge(inner) => BoundChanges::Merge(binder.merge(inner)?),
    };
    if insert.top.is_some() {
        return Err(message::missing("TOP of an INSERT that takes the rows of a change"));
    }
    let output = bound.output().first_mut().expect("the parser demands OUTPUT");
    let names = renamed(output.names.clone(), &changed.columns, &changed.alias)?;
    distinct_names(&names, &changed.alias)?;
    let types: Vec<ExprType> = output.items.iter().map(|item| item.ty).collect();
    let scope = scope_of(&changed.alias, names.into_iter().zip(types));
    let (items, filter) = taken_rows(binder, changed, scope)?;
    let into = taking_table(binder, insert, &items)?;
    let shown = dml::outputs(binder, &insert.output, &into.def, Shown::INSERTED, (&Scope::default(), 0))?;
    if shown.iter().any(|clause| clause.into.is_some()) {
        return Err(SqlError::of(10_717, 1, &[&"OUTPUT INTO"]));
    }
    let output = bound.output().first_mut().expect("the parser demands OUTPUT");
    output.into = Some(into);
    output.taken = Some(Box::new(TakenRows { filter, items, output: shown }));
    Ok(bound)
}

fn taken_rows(
    binder: &mut Binder<'_>,
    changed: &ChangedRows,
    scope: Scope,
) -> SqlResult<(Vec<BoundExpr>, Option<BoundExpr>)> {
    binder.scopes.push(scope);
    binder.blocks.push(Block::collecting());
    let items = sequence::with_numbers(binder, Numbers::Allowed, |binder| query::items(binder, &changed.items));
    let block = binder.blocks.pop();
    binder.blocks.push(Block::default());
    let filter = changed.filter.as_ref().map(|filter| binder.condition(filter)).transpose();
    binder.blocks.pop();
    binder.scopes.pop();
    let ((items, _, assign), filter) = (items?, filter?);
    if !assign.is_empty() {
        return Err(message::syntax_near("="));
    }
    if block.and_then(|block| block.aggregates).is_some_and(|found| !found.is_empty()) {
        return Err(aggregate_of_changes());
    }
    items.iter().try_for_each(|item| of_row_alone(item, "SELECT"))?;
    filter.iter().try_for_each(|filter| of_row_alone(filter, "WHERE"))?;
    Ok((items, filter))
}

/// The table that takes the rows, with where its columns come from.
fn taking_table(binder: &mut Binder<'_>, insert: &Insert, items: &[BoundExpr]) -> SqlResult<InsertTarget> {
    let name = &insert.table;
    let last = name.last();
    let is_cte = name.parts.len() == 1 && from::cte(binder, last).is_some();
    if is_cte || matches!(binder.names.relation(name, binder.home)?, Some(Named::UserView(..))) {
        return Err(SqlError::of(354, 1, &[&name.shown()]).at(insert.span.line));
    }
    let (target, def) = target::target(binder, name).map_err(|error| error.at(insert.span.line))?;
    binder.target_views.clear();
    binder.note_change(Access::Insert, &def, &[]);
    let explicit = binder.names.identity_insert(&def);
    explicit_identity(&def, insert.columns.is_empty(), items.len(), explicit)?;
    let listed = listed_columns(&def, &insert.columns, explicit)?;
    if items.len() != listed.len() {
        return Err(count_mismatch(!insert.columns.is_empty(), false, items.len(), listed.len()));
    }
    if listed.iter().any(|column| def.columns[*column].is_row_version()) {
        return Err(explicit_row_version());
    }
    for (item, column) in items.iter().zip(&listed) {
        convertible(item.clone(), def.columns[*column].ty.sql)?;
    }
    let draws =
        |column: &millpond_catalog::ColumnDef| column.default.as_ref().is_some_and(|default| has_number(&default.expr));
    if def.columns.iter().any(draws) {
        return Err(SqlError::of(11_735, 1, &[]));
    }
    let columns = (0..def.columns.len()).map(|column| insert_column(&def, column, &listed)).collect();
    Ok(InsertTarget { target, def: Arc::clone(&def), columns, check: None, instead: None })
}

fn has_number(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::NextValue(_)));
    found
}

/// 5323, 353 and 11734: an expression that reads more than the row.
fn of_row_alone(expr: &BoundExpr, clause: &str) -> SqlResult<()> {
    if needs_plan(expr) {
        return Err(SqlError::of(5323, 1, &[&clause]));
    }
    if has_number(expr) {
        return Err(SqlError::of(11_734, 1, &[&clause]));
    }
    let mut called = None;
    expr.visit(&mut |node| {
        if let Kind::Call(function, _) = &node.kind {
            called = Some(function.name.clone());
        }
    });
    let Some(name) = called else { return Ok(()) };
    Err(SqlError::of(353, 1, &[&name, &clause]))
}

/// 5322
fn aggregate_of_changes() -> SqlError {
    SqlError::of(5322, 1, &[])
}
