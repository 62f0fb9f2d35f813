//! Views and common table expressions as targets of changes: the one stored table below, and what their columns are of
//! it.
//!
//! ```text
//!   row of the target:  table's columns, hidden │ its locator │ the view's columns, computed
//! ```
//! Whatever is evaluated after the row was found computes the view's columns anew ([`ViewTarget::over_base`]).

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Ident, Query, QueryBody, TableRef};

use super::from::{CteBinding, Source, distinct_names, renamed, rid_column, view_of};
use super::ordering::unordered;
use super::query::sorted;
use super::scope::ScopeColumn;
use super::window::{Windows, placed};
use super::{Binder, Block, Home};
use crate::catalog::{ModuleDef, TableDef, names_equal};
use crate::error::{SqlError, SqlResult};
use crate::expr::{BoundExpr, Kind, conjuncts};
use crate::message;
use crate::rel::{Rel, SortKey};

/// A view that a statement changes.
#[derive(Clone, Debug)]
pub struct ViewTarget {
    /// Its name.
    pub name: String,
    /// Its columns over the row of the table. One that reads beyond the row is a function over a window: its value is
    /// that of the time when the row was found.
    pub columns: Vec<(String, BoundExpr)>,
    /// Columns of the table.
    width: usize,
    /// Which rows it shows; over the row of the table.
    predicates: Vec<BoundExpr>,
    /// WITH CHECK OPTION: what a row must be after a change; over the row of the table.
    pub check: Vec<BoundExpr>,
}

impl ViewTarget {
    /// The table's column that a column of the view is.
    ///
    /// # Errors
    /// 207 for a column that there is not, 4406 for one that is computed.
    pub(super) fn base_column(&self, name: &str) -> SqlResult<usize> {
        let found = self.columns.iter().find(|(known, _)| names_equal(known, name));
        match found.ok_or_else(|| message::invalid_column(name))?.1.kind {
            Kind::Column(column) if column < self.width => Ok(column),
            _ => Err(derived(&self.name)),
        }
    }

    /// Which rows the view shows, over an input row where the table's columns begin at `first`.
    pub fn predicates(&self, first: usize) -> impl Iterator<Item = BoundExpr> {
        self.predicates.iter().map(move |predicate| moved(predicate, first))
    }

    /// The name under which the view shows a column of the table.
    pub(super) fn shown(&self, column: usize) -> Option<&str> {
        let is_it = |expr: &BoundExpr| matches!(expr.kind, Kind::Column(known) if known == column);
        self.columns.iter().find(|(_, expr)| is_it(expr)).map(|(name, _)| name.as_str())
    }

    /// An expression over the input row with the view's columns computed of the table's, which begin at `first`.
    #[must_use]
    pub fn over_base(&self, expr: BoundExpr, first: usize, def: &TableDef, shift: usize) -> BoundExpr {
        let start = shift + first + def.columns.len() + 1;
        expr.rewrite(&mut |node| match node.kind {
            Kind::Column(column)
                if (start..start + self.columns.len()).contains(&column)
                    && !reads_beyond_row(&self.columns[column - start].1, self.width) =>
            {
                Ok(moved(&self.columns[column - start].1, shift + first))
            }
            _ => Err(node),
        })
    }
}

/// The expression with its columns `by` places further on.
fn moved(expr: &BoundExpr, by: usize) -> BoundExpr {
    expr.clone().rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(by + column, node.ty)),
        _ => Err(node),
    })
}

impl Binder<'_> {
    /// A view in the place of a target.
    pub(super) fn view_as_target(
        &mut self,
        view: &Arc<ModuleDef>,
        database: DbId,
        shown: &str,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        self.views.push((database, Arc::clone(view)));
        let definition = view_of(view)?;
        let scopes = std::mem::take(&mut self.scopes);
        let blocks = std::mem::take(&mut self.blocks);
        let ctes = std::mem::take(&mut self.ctes);
        let check = definition.check_option;
        let home = self.home.replace(Home::of(database, view));
        let source = self.query_as_target(&definition.query, &definition.columns, (&view.name, shown), check, found);
        self.home = home;
        self.scopes = scopes;
        self.blocks = blocks;
        self.ctes = ctes;
        source.map_err(|error| SqlError { line: 0, ..error })
    }

    /// A common table expression in the place of a target.
    pub(super) fn cte_as_target(
        &mut self,
        (place, cte): (usize, CteBinding),
        shown: &str,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        let hidden = self.hide_ctes(place);
        let source = self.query_as_target(&cte.query, &cte.columns, (&cte.name, shown), false, found);
        self.show_ctes(place, hidden);
        source
    }

    /// A query of one table in the place of a target.
    pub(super) fn query_as_target(
        &mut self,
        query: &Query,
        columns: &[Ident],
        names: (&str, &str),
        check: bool,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        unordered(query)?;
        self.with_ctes(&query.ctes, |binder| binder.block_as_target(query, columns, names, check, found))
    }

    fn block_as_target(
        &mut self,
        query: &Query,
        columns: &[Ident],
        (name, shown): (&str, &str),
        check: bool,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        let QueryBody::Select(select) = &query.body else {
            let text = format!("View '{name}' is not updatable because the definition contains a UNION operator.");
            return Err(SqlError::new(4426, 16, 1, text));
        };
        if select.distinct || !select.group_by.is_empty() || select.having.is_some() {
            return Err(grouped(name));
        }
        let [table @ TableRef::Named { name: below, .. }] = &select.from[..] else {
            let text = format!(
                "View or function '{name}' is not updatable because the modification affects multiple base tables."
            );
            return Err(SqlError::new(4405, 16, 1, text));
        };
        let outer = self.view_target.take();
        let source = self.target_ref(table, Some(table), found)?;
        let inner = std::mem::replace(&mut self.view_target, outer);
        let Some(binding) = *found else { return Err(self.target_error(below)) };
        let def = Arc::clone(&self.tables[binding].def);
        self.scopes.push(source.scope);
        self.blocks.push(Block::collecting());
        let items = self.items(&select.items);
        let keys = match &items {
            Ok((items, names, _)) => {
                query.order_by.iter().map(|item| self.block_key(item, items, names)).collect::<SqlResult<Vec<_>>>()
            }
            Err(_) => Ok(Vec::new()),
        };
        let mut block = self.blocks.pop();
        let windows = block.as_mut().map(Windows::of);
        self.blocks.push(Block::default());
        let predicate = select.filter.as_ref().map(|filter| self.condition(filter)).transpose();
        self.blocks.pop();
        self.scopes.pop();
        if block.and_then(|block| block.aggregates).is_some_and(|found| !found.is_empty()) {
            return Err(grouped(name));
        }
        let ((items, names, _), keys, predicate) = (items?, keys?, predicate?);
        let names = renamed(names, columns, name)?;
        distinct_names(&names, name)?;
        let mut rel = source.rel;
        if let Some(predicate) = predicate.clone() {
            rel = Rel::Filter { input: Box::new(rel), predicate };
        }
        let (rel, items, keys) = windowed(rel, items, keys, windows);
        let rel = self.limited(sorted(rel, keys.clone()), select.top.as_ref(), &keys, query)?;
        let width = def.columns.len();
        let over_base = |expr: BoundExpr| match &inner {
            Some(inner) => inner.over_base(expr, 0, &def, 0),
            None => expr,
        };
        let own_predicates: Vec<BoundExpr> =
            predicate.map(conjuncts).unwrap_or_default().into_iter().map(over_base).collect();
        let items: Vec<BoundExpr> = items.into_iter().map(over_base).collect();
        let (mut predicates, mut checks) = inner.map_or_else(Default::default, |inner| (inner.predicates, inner.check));
        // What only the rows of a window tell cannot be asked again of one row.
        predicates.extend(own_predicates.into_iter().filter(|predicate| !reads_beyond_row(predicate, width)));
        if check {
            checks.clone_from(&predicates);
        }
        let source = shown_row(rel, &def, &names, &items, shown);
        let columns = names.into_iter().zip(items).collect();
        self.view_target = Some(ViewTarget { name: name.to_owned(), columns, width, predicates, check: checks });
        Ok(source)
    }
}

/// Whether an expression over a target's row reads what is not of its table.
fn reads_beyond_row(expr: &BoundExpr, width: usize) -> bool {
    let mut beyond = false;
    expr.visit(&mut |node| beyond |= matches!(node.kind, Kind::Column(column) if column > width));
    beyond
}

/// The rows with the values of their functions over windows, and what reads them.
fn windowed(
    rel: Rel,
    items: Vec<BoundExpr>,
    keys: Vec<SortKey>,
    windows: Option<Windows>,
) -> (Rel, Vec<BoundExpr>, Vec<SortKey>) {
    let Some(windows) = windows.filter(|windows| !windows.is_empty()) else { return (rel, items, keys) };
    let (rel, places) = windows.over(rel);
    let items = items.into_iter().map(|item| placed(item, &places)).collect();
    let keys = keys.into_iter().map(|key| SortKey { expr: placed(key.expr, &places), ..key }).collect();
    (rel, items, keys)
}

/// The row of a target that is a view.
fn shown_row(rel: Rel, def: &TableDef, names: &[String], items: &[BoundExpr], shown: &str) -> Source {
    let rid = rid_column(shown, def);
    let own = def.columns.iter().map(|column| ScopeColumn {
        table: shown.to_owned(),
        place: None,
        name: column.name.clone(),
        ty: column.ty,
        hidden: true,
        computed: None,
    });
    let mut columns: Vec<ScopeColumn> = own.chain([rid.clone()]).collect();
    let mut exprs: Vec<BoundExpr> =
        columns.iter().enumerate().map(|(index, column)| BoundExpr::column(index, column.ty)).collect();
    exprs.extend(items.iter().cloned());
    columns.extend(names.iter().zip(items).map(|(name, item)| ScopeColumn {
        table: shown.to_owned(),
        place: None,
        name: name.clone(),
        ty: item.ty,
        hidden: name.is_empty(),
        computed: None,
    }));
    let scope = super::scope::Scope { columns, tables: vec![super::scope::Exposed::alias(shown)] };
    Source { rel: Rel::Project { input: Box::new(rel), exprs }, scope }
}

/// 4403
fn grouped(name: &str) -> SqlError {
    let text = format!(
        "Cannot update the view or function '{name}' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator."
    );
    SqlError::new(4403, 16, 1, text)
}

/// 4406
fn derived(name: &str) -> SqlError {
    let text = format!(
        "Update or insert of view or function '{name}' failed because it contains a derived or constant field."
    );
    SqlError::new(4406, 16, 1, text)
}
