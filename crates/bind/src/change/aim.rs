//! Which table below a view, common table expression or derived table a statement changes.
//!
//! ```text
//!   columns that are set ─▶ their places in the select list ─▶ columns of FROM's row ─▶ the one occurrence that has them
//! ```
//! FROM is bound once on trial, which says what each item is; what is chosen is then bound as a target. A view below is
//! looked through in the same way, with its own names of the columns.

use millpond_catalog::expr::Kind;
use millpond_catalog::names_equal;
use millpond_catalog::rel::Rel;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{ObjectName, Select, TableRef};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::names::Named;
use crate::binder::refused::TargetName;
use crate::binder::source::Given;
use crate::binder::target::Aim;
use crate::{from, query};

/// What a block of a query says of its columns.
struct Trial<'q> {
    /// Names of the items.
    names: Vec<String>,
    /// The column of FROM's row that an item is.
    items: Vec<Option<usize>>,
    /// What stands in FROM, from left to right.
    leaves: Vec<Leaf<'q>>,
    /// Names of the columns of FROM's row.
    columns: Vec<String>,
}

struct Leaf<'q> {
    table: &'q TableRef,
    /// Columns of its row.
    width: usize,
    reads_tables: bool,
}

/// The occurrence in FROM that has what the statement changes, and what is changed of it.
///
/// # Errors
/// 207 for a column that there is not; 4405 for columns of several tables, or several tables where rows are changed as
/// such; 4406 where no column of a table is changed; 4403 for aggregates; those of a derived table for each.
pub(crate) fn aimed<'q>(
    binder: &mut Binder<'_>,
    select: &'q Select,
    columns: Given<'_>,
    name: &TargetName,
    aim: Aim,
) -> SqlResult<(&'q TableRef, Aim)> {
    if let [table @ TableRef::Named { name, .. }] = &select.from[..]
        && !is_looked_through(binder, name)?
    {
        return Ok((table, Aim::OnlyTable));
    }
    let trial = on_trial(binder, select, columns, name)?;
    let places: Vec<usize> = match aim {
        Aim::Columns(names) if !names.is_empty() => {
            let place = |wanted: &String| {
                let found = trial.names.iter().position(|known| names_equal(known, wanted));
                found.ok_or_else(|| message::invalid_column(wanted))
            };
            names.iter().map(place).collect::<SqlResult<_>>()?
        }
        Aim::All => (0..trial.names.len()).collect(),
        _ => {
            let mut all = trial.leaves.iter().filter(|leaf| leaf.reads_tables);
            return match (all.next(), all.next()) {
                (Some(leaf), None) => Ok((leaf.table, Aim::OnlyTable)),
                _ => Err(name.several()),
            };
        }
    };
    trial.leaf_of(&places, name)
}

/// Whether a name is of a view or a common table expression.
fn is_looked_through(binder: &Binder<'_>, name: &ObjectName) -> SqlResult<bool> {
    let is_cte = matches!(&name.parts[..], [only] if from::cte(binder, only).is_some());
    Ok(is_cte || matches!(binder.names.relation(name, binder.home)?, Some(Named::UserView(..))))
}

/// Binds the block and forgets it.
fn on_trial<'q>(
    binder: &mut Binder<'_>,
    select: &'q Select,
    columns: Given<'_>,
    name: &TargetName,
) -> SqlResult<Trial<'q>> {
    let before = (binder.tables.len(), binder.views.len(), binder.sequences.len(), binder.calls);
    let trial = tried(binder, select, columns, name);
    binder.tables.truncate(before.0);
    binder.views.truncate(before.1);
    binder.sequences.truncate(before.2);
    binder.calls = before.3;
    trial
}

fn tried<'q>(
    binder: &mut Binder<'_>,
    select: &'q Select,
    columns: Given<'_>,
    name: &TargetName,
) -> SqlResult<Trial<'q>> {
    let source = from::from(binder, &select.from)?;
    let mut leaves = Vec::new();
    leaves_of_all(&select.from, &source.rel, &mut leaves);
    let known = source.scope.columns.iter().map(|column| column.name.clone()).collect();
    binder.scopes.push(source.scope);
    binder.blocks.push(Block { named_windows: select.windows.clone(), ..Block::collecting() });
    let items = query::items(binder, &select.items);
    let block = binder.blocks.pop();
    binder.scopes.pop();
    let (items, names, _) = items?;
    if block.and_then(|block| block.aggregates).is_some_and(|found| !found.is_empty()) {
        return Err(name.grouped());
    }
    let place = |kind: &Kind| match kind {
        Kind::Column(place) => Some(*place),
        _ => None,
    };
    let items = items.iter().map(|item| place(&item.kind)).collect();
    Ok(Trial { names: columns.names(names, &name.name)?, items, leaves, columns: known })
}

impl<'q> Trial<'q> {
    /// The leaf that has these items, with its own names of their columns.
    fn leaf_of(&self, places: &[usize], name: &TargetName) -> SqlResult<(&'q TableRef, Aim)> {
        let mut found: Option<(&Leaf<'q>, Vec<String>)> = None;
        for column in places.iter().filter_map(|place| self.items[*place]) {
            let mut first = 0;
            let leaf = self.leaves.iter().find(|leaf| {
                first += leaf.width;
                column < first
            });
            let Some((leaf, own)) = leaf.zip(self.columns.get(column)) else { continue };
            // What is computed below, or is no table's, is refused when it is set.
            if !leaf.reads_tables {
                continue;
            }
            match &mut found {
                None => found = Some((leaf, vec![own.clone()])),
                Some((known, names)) if std::ptr::eq(*known, leaf) => names.push(own.clone()),
                Some(_) => return Err(name.several()),
            }
        }
        found.map(|(leaf, names)| (leaf.table, Aim::Columns(names))).ok_or_else(|| name.derived())
    }
}

/// The leaves of FROM: its relation is a join of them in their order.
fn leaves_of_all<'q>(from: &'q [TableRef], rel: &Rel, leaves: &mut Vec<Leaf<'q>>) {
    match (from, rel) {
        ([], _) => {}
        ([only], rel) => leaves_of(only, rel, leaves),
        ([before @ .., last], Rel::Join { left, right, .. }) => {
            leaves_of_all(before, left, leaves);
            leaves_of(last, right, leaves);
        }
        _ => unreachable!("tables beside each other are joined"),
    }
}

fn leaves_of<'q>(table: &'q TableRef, rel: &Rel, leaves: &mut Vec<Leaf<'q>>) {
    match (table, rel) {
        (
            TableRef::Join { left, right, .. },
            Rel::Join { left: left_rel, right: right_rel, .. } | Rel::Apply { left: left_rel, right: right_rel, .. },
        ) => {
            leaves_of(left, left_rel, leaves);
            leaves_of(right, right_rel, leaves);
        }
        _ => leaves.push(Leaf { table, width: rel.width(), reads_tables: rel.reads_tables() }),
    }
}
