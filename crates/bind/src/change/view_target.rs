//! Views, common table expressions and derived tables as targets of changes: the one stored table below that is changed
//! (`aim` says which), and what their columns are of its row and of the rows joined with it.
//!
//! ```text
//!   row of the target:  row below, hidden: FROM with the table's columns and its locator │ the view's columns, computed
//! ```
//! Whatever is evaluated after the row was found computes the view's columns anew ([`ViewTarget::over_base`]).

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, RelJoin, SortKey};
use millpond_catalog::{ModuleDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Query, QueryBody, TableRef};

use crate::change::dml::Shown;
use crate::change::refused::TargetName;
use crate::change::row_predicates::{moved, row_predicates};
use crate::expression::computed::calls_functions;
use crate::expression::window::{Windows, placed};
use crate::from::{CteBinding, Given, Source, distinct_names, join};
use crate::query::ordering::unordered;
use crate::query::sorted;
use crate::scope::{Exposed, ReadAs, Role, Scope, ScopeColumn};
use crate::{Binder, Block};

/// A view that a statement changes.
#[derive(Clone, Debug)]
pub struct ViewTarget {
    /// Its name.
    pub(crate) name: TargetName,
    /// Its columns over the row below.
    pub columns: Vec<(String, BoundExpr)>,
    /// Place of the table's first column in the row below.
    own: usize,
    /// Columns of the table.
    width: usize,
    /// Columns of the row below.
    below: usize,
    /// Which rows it shows; over the row below.
    predicates: Vec<BoundExpr>,
    /// WITH CHECK OPTION: what a row must be after a change; over the row below.
    check: Vec<BoundExpr>,
}

/// WITH CHECK OPTION as one condition.
#[derive(Clone, Debug)]
pub struct ViewCheck {
    /// Over the table's new row; over the input row with the table's new columns where it reads other tables too.
    pub condition: BoundExpr,
    /// It reads other tables.
    pub reads_others: bool,
}

impl ViewTarget {
    /// The table's column that a column of the view is.
    ///
    /// # Errors
    /// 207 for a column that there is not, 4406 for one that is computed.
    pub(crate) fn base_column(&self, name: &str) -> SqlResult<usize> {
        let found = self.columns.iter().find(|(known, _)| names_equal(known, name));
        match found.ok_or_else(|| message::invalid_column(name))?.1.kind {
            Kind::Column(column) if self.is_own(column) => Ok(column - self.own),
            _ => Err(self.name.derived()),
        }
    }

    fn is_own(&self, column: usize) -> bool {
        (self.own..self.own + self.width).contains(&column)
    }

    /// Which rows the view shows, over an input row where the table's columns begin at `first`.
    pub fn predicates(&self, first: usize) -> impl Iterator<Item = BoundExpr> {
        let by = first - self.own;
        self.predicates.iter().map(move |predicate| moved(predicate, by))
    }

    /// `inserted` and `deleted` as the view shows them, behind `inserted` ++ `deleted` ++ the input row, in which the table's
    /// columns begin at `first`; an INSERT has none. What a column computes is computed of the row as it was or will be; of
    /// MERGE, whose rows may be missing, only columns of the table are shown. Gives the places with the names of columns
    /// that OUTPUT must not read.
    pub(crate) fn add_output(&self, scope: &mut Scope, first: Option<usize>, shown: Shown) -> Vec<(usize, String)> {
        let mut refused = Vec::new();
        let input = first.map(|first| 2 * self.width + first - self.own);
        let tables = [("inserted", 0, shown.inserted), ("deleted", self.width, shown.deleted)];
        for (table, start, _) in tables.into_iter().filter(|(.., visible)| *visible) {
            for (place, (name, expr)) in self.columns.iter().enumerate() {
                let found = input.map(|input| input + self.below + place);
                let is_plain = matches!(expr.kind, Kind::Column(column) if self.is_own(column));
                let is_refused = needs_plan(expr) || calls_functions(expr);
                let read = match found {
                    _ if shown.nullable && !is_plain => continue,
                    Some(found) if is_refused || expr.is_volatile() => BoundExpr::column(found, expr.ty),
                    None if is_refused || expr.is_volatile() || self.reads_others(expr) => continue,
                    _ => expr.clone().rewrite(&mut |node| match node.kind {
                        Kind::Column(column) if self.is_own(column) => {
                            Ok(BoundExpr::column(start + column - self.own, node.ty))
                        }
                        Kind::Column(column) => {
                            Ok(BoundExpr::column(input.map_or(column, |input| input + column), node.ty))
                        }
                        _ => Err(node),
                    }),
                };
                if let Some(found) = found.filter(|_| is_refused) {
                    refused.push((found, format!("{table}.{name}")));
                }
                scope.columns.push(ScopeColumn {
                    table: table.to_owned(),
                    place: None,
                    name: name.clone(),
                    ty: ExprType { nullable: expr.ty.nullable || shown.nullable, ..expr.ty },
                    hidden: name.is_empty(),
                    role: Role::Plain,
                    computed: Some(ReadAs { ordinal: scope.columns.len(), expr: Arc::new(read) }),
                });
            }
        }
        refused
    }

    /// An expression over the input row, `shift` places further on, with the view's columns computed of the row below; the
    /// table's columns begin at `first` in the input row. What a query or a new value for each row makes of the row below
    /// stays as it was found.
    #[must_use]
    pub fn over_base(&self, expr: BoundExpr, first: usize, shift: usize) -> BoundExpr {
        let base = shift + first - self.own;
        let start = base + self.below;
        expr.rewrite(&mut |node| match node.kind {
            Kind::Column(column) if (start..start + self.columns.len()).contains(&column) => {
                let own = &self.columns[column - start].1;
                if needs_plan(own) || own.is_volatile() { Err(node) } else { Ok(moved(own, base)) }
            }
            _ => Err(node),
        })
    }

    /// WITH CHECK OPTION for a change of rows that are there: `first` as in [`ViewTarget::over_base`].
    ///
    /// # Errors
    /// 40517 for a subquery.
    pub(crate) fn check_of_change(&self, first: usize) -> SqlResult<Option<ViewCheck>> {
        let reads_others = self.check.iter().any(|check| self.reads_others(check));
        let by = first - self.own;
        let condition = self.condition(|column| if reads_others { column + by } else { column - self.own })?;
        Ok(condition.map(|condition| ViewCheck { condition, reads_others }))
    }

    /// WITH CHECK OPTION for new rows, over the table's row.
    ///
    /// # Errors
    /// 40517 for a subquery, and for a condition that reads other tables.
    pub(crate) fn check_of_insert(&self) -> SqlResult<Option<BoundExpr>> {
        if self.check.iter().any(|check| self.reads_others(check)) {
            return Err(message::missing("INSERT into a view of several tables WITH CHECK OPTION"));
        }
        self.condition(|column| column - self.own)
    }

    fn condition(&self, place: impl Fn(usize) -> usize) -> SqlResult<Option<BoundExpr>> {
        if self.check.iter().any(needs_plan) {
            return Err(message::missing("WITH CHECK OPTION over a subquery"));
        }
        let placed = |check: &BoundExpr| {
            check.clone().rewrite(&mut |node| match node.kind {
                Kind::Column(column) => Ok(BoundExpr::column(place(column), node.ty)),
                _ => Err(node),
            })
        };
        let and = |left: BoundExpr, right: BoundExpr| BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right)));
        Ok(self.check.iter().map(placed).reduce(and))
    }

    fn reads_others(&self, expr: &BoundExpr) -> bool {
        let mut others = false;
        expr.visit(&mut |node| others |= matches!(node.kind, Kind::Column(column) if !self.is_own(column)));
        others
    }

    /// The same over a row in which the row below begins at `by`.
    fn moved(mut self, by: usize) -> ViewTarget {
        self.own += by;
        let all = self.columns.iter_mut().map(|(_, expr)| expr).chain(&mut self.predicates).chain(&mut self.check);
        all.for_each(|expr| *expr = moved(expr, by));
        self
    }
}

impl Binder<'_> {
    /// A view in the place of a target.
    pub(crate) fn view_as_target(
        &mut self,
        view: &Arc<ModuleDef>,
        database: DbId,
        shown: &str,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        self.within_view(view, database, |binder, definition| {
            binder.query_as_target(
                &definition.query,
                Given::of_module(view, &definition.columns),
                (TargetName::of(&view.name), shown),
                definition.check_option,
                found,
            )
        })
    }

    /// A common table expression in the place of a target.
    pub(crate) fn cte_as_target(
        &mut self,
        (place, cte): (usize, CteBinding),
        shown: &str,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        let hidden = self.hide_ctes(place);
        let source = self.query_as_target(
            &cte.query,
            Given::list(&cte.columns),
            (TargetName::of(&cte.name), shown),
            false,
            found,
        );
        self.show_ctes(place, hidden);
        source
    }

    /// A query in the place of a target.
    pub(crate) fn query_as_target(
        &mut self,
        query: &Query,
        columns: Given<'_>,
        names: (TargetName, &str),
        check: bool,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        unordered(query)?;
        self.with_ctes(&query.ctes, |binder| binder.block_as_target(query, columns, names, check, found))
    }

    fn block_as_target(
        &mut self,
        query: &Query,
        columns: Given<'_>,
        (name, shown): (TargetName, &str),
        check: bool,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        let QueryBody::Select(select) = &query.body else {
            return Err(name.union());
        };
        if select.distinct || !select.group_by.is_empty() || select.having.is_some() {
            return Err(name.grouped());
        }
        let aim = std::mem::take(&mut self.aim);
        let (chosen, aim) = self.aimed(select, columns, &name, aim)?;
        self.aim = aim;
        let outer = self.view_target.take();
        let source = self.bind_from_with_target(&select.from, chosen, found)?;
        let inner = std::mem::replace(&mut self.view_target, outer);
        let Some(binding) = *found else { return Err(self.no_target(chosen, &name)) };
        let def = Arc::clone(&self.tables[binding].def);
        let scope = source.scope.clone();
        self.scopes.push(source.scope);
        let first = self.rid()? - def.columns.len();
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
            return Err(name.grouped());
        }
        let ((mut items, names, _), keys, predicate) = (items?, keys?, predicate?);
        let names = columns.names(names, &name.name)?;
        items.truncate(names.len());
        distinct_names(&names, &name.name)?;
        let mut rel = source.rel;
        if let Some(predicate) = predicate {
            rel = Rel::Filter { input: Box::new(rel), predicate };
        }
        let own_predicates = row_predicates(&rel, 0);
        let (rel, items, keys) = windowed(rel, items, keys, windows);
        let rel = self.limited(sorted(rel, keys.clone()), select.top.as_ref(), &keys, query)?;
        let over_base = |expr: BoundExpr| match &inner {
            Some(inner) => inner.over_base(expr, first, 0),
            None => expr,
        };
        let own_predicates: Vec<BoundExpr> = own_predicates.into_iter().map(over_base).collect();
        let items: Vec<BoundExpr> = items.into_iter().map(over_base).collect();
        let inner = inner.map(|inner| {
            let by = first - inner.own;
            inner.moved(by)
        });
        let (mut predicates, mut checks) = inner.map_or_else(Default::default, |inner| (inner.predicates, inner.check));
        predicates.extend(own_predicates);
        if check {
            checks.clone_from(&predicates);
        }
        let below = rel.width();
        let source = shown_row(rel, scope, &names, &items, shown);
        let columns = names.into_iter().zip(items).collect();
        let width = def.columns.len();
        self.view_target = Some(ViewTarget { name, columns, own: first, width, below, predicates, check: checks });
        Ok(source)
    }

    /// FROM with the target in it.
    fn bind_from_with_target(
        &mut self,
        from: &[TableRef],
        chosen: &TableRef,
        found: &mut Option<usize>,
    ) -> SqlResult<Source> {
        let mut source: Option<Source> = None;
        for table in from {
            let next = self.target_ref(table, Some(chosen), found)?;
            source = Some(match source {
                None => next,
                Some(left) => join(RelJoin::Inner, left, next)?,
            });
        }
        source.ok_or_else(|| message::missing("A change of a query without FROM"))
    }

    /// Why what was chosen has no table below.
    fn no_target(&mut self, chosen: &TableRef, view: &TargetName) -> SqlError {
        match chosen {
            TableRef::Named { name, .. } => self.target_error(name),
            TableRef::Pivot { .. } | TableRef::Unpivot { .. } => view.grouped(),
            TableRef::Function { .. } => message::missing("A change through a table-valued function"),
            _ => view.derived(),
        }
    }
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

/// The row of a target that is a view: the row below, of which `scope` says the columns, hidden, and the view's columns.
fn shown_row(rel: Rel, scope: Scope, names: &[String], items: &[BoundExpr], shown: &str) -> Source {
    let types = rel.types();
    let mut columns: Vec<ScopeColumn> = Vec::with_capacity(types.len() + items.len());
    for (place, ty) in types.iter().enumerate() {
        let name = scope.columns.get(place).map_or_else(|| "window".to_owned(), |column| column.name.clone());
        let (table, ty) = (shown.to_owned(), *ty);
        columns.push(ScopeColumn { table, place: None, name, ty, hidden: true, role: Role::Plain, computed: None });
    }
    let mut exprs: Vec<BoundExpr> =
        types.into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    exprs.extend(items.iter().cloned());
    columns.extend(names.iter().zip(items).map(|(name, item)| ScopeColumn {
        table: shown.to_owned(),
        place: None,
        name: name.clone(),
        ty: item.ty,
        hidden: name.is_empty(),
        role: match item.kind {
            Kind::Column(place) => rel.origin(place).map_or(Role::Plain, Role::of),
            _ => Role::Plain,
        },
        computed: None,
    }));
    let scope = Scope { columns, tables: vec![Exposed::alias(shown)], has_no_row: false };
    Source { rel: Rel::Project { input: Box::new(rel), exprs }, scope }
}
