//! Relations as logical plans.
//!
//! L1: every column of a plan has a name that no other column of the plan has; a relation's columns are known by a list
//! of these names in the relation's order, so a plan may carry more columns than its relation has (join and sort keys).
//! The optimiser drops those that nobody uses.
//! L2: grouping, duplicates, join and sort keys go by the key of a text or binary, never by the value itself.

pub(crate) mod fold;
pub(crate) mod leaf;
pub(crate) mod narrow;
pub(crate) mod node;
pub(crate) mod normal;
pub(crate) mod outer;
pub(crate) mod subquery;
pub(crate) mod terms;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::Sort as SortKeyExpr;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, Projection, Sort, TableScan, TableScanBuilder};
use millpond_builtin::eval;
use millpond_catalog::TableStorage;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Rel, SortKey, first_rows};
use millpond_message::error::SqlResult;
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

use super::CompileOptions;
use crate::expression::convert;
use crate::expression::function;
use crate::expression::text;
use crate::lower::leaf::{Leaf, LeafSource, Origin};
use crate::lower::narrow::Narrowing;
use crate::lower::node::{Node, Operation};
use crate::lower::terms::conjuncts;
use crate::run::cell::{OuterRow, RunCell};
use crate::run::failure;
use crate::scan::filter::Predicate;
use crate::scan::rowwise::RowPlan;
use crate::seek::{Access, Guide, TableWish, choose, order_of};

/// One plan under construction.
pub(super) struct Lowering<'a> {
    pub(super) options: &'a CompileOptions,
    pub(super) cell: Arc<RunCell>,
    /// What the plan reads of enclosing queries; none for the outermost.
    pub(super) outer: Option<OuterScope>,
    next_name: Cell<usize>,
}

/// The enclosing queries' columns that an inner plan reads.
#[derive(Default)]
pub(super) struct OuterScope {
    pub(super) row: Arc<OuterRow>,
    /// In the order of the values of `row`.
    pub(super) wanted: RefCell<Vec<OuterColumn>>,
}

/// A column of an enclosing query.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct OuterColumn {
    pub(super) level: usize,
    pub(super) column: usize,
    pub(super) ty: ExprType,
}

/// A relation's plan.
pub(super) struct Lowered {
    pub(super) plan: LogicalPlan,
    /// The relation's columns (L1).
    pub(super) columns: Vec<Column>,
}

/// Result of DataFusion's constructors.
pub(super) fn planned<T>(result: Result<T, DataFusionError>) -> SqlResult<T> {
    result.map_err(failure::to_sql)
}

impl<'a> Lowering<'a> {
    pub(super) fn new(options: &'a CompileOptions, cell: Arc<RunCell>, outer: Option<OuterScope>) -> Lowering<'a> {
        Lowering { options, cell, outer, next_name: Cell::new(0) }
    }

    /// A number that this plan has not used.
    pub(super) fn next_number(&self) -> usize {
        let number = self.next_name.get();
        self.next_name.set(number + 1);
        number
    }

    /// A name that this plan has not used (L1).
    pub(super) fn next_name(&self) -> String {
        format!("c{}", self.next_number())
    }

    /// The plan of a relation whose result has exactly the relation's columns.
    pub(super) fn root(&self, rel: &Rel) -> SqlResult<LogicalPlan> {
        let lowered = self.rel(rel)?;
        if lowered.plan.schema().columns() == lowered.columns {
            return Ok(lowered.plan);
        }
        self.exactly(lowered)
    }

    /// The plan with the relation's columns alone. A column that the relation has twice gets another name.
    pub(super) fn exactly(&self, rows: Lowered) -> SqlResult<LogicalPlan> {
        let mut known = HashSet::new();
        let mut once = |column: Column| {
            let is_new = known.insert(column.clone());
            let expr = Expr::Column(column);
            if is_new { expr } else { expr.alias(self.next_name()) }
        };
        let exprs = rows.columns.into_iter().map(&mut once).collect();
        Ok(LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(rows.plan)))?))
    }

    /// The plan of a relation.
    pub(super) fn rel(&self, rel: &Rel) -> SqlResult<Lowered> {
        self.options.check()?;
        match rel {
            Rel::Table { .. } | Rel::View { .. } | Rel::Function(..) | Rel::Call(..) => {
                self.scan(self.leaf_of(rel, &[])?, &[])
            }
            Rel::Series { args, ty } => self.series(args, ty),
            Rel::Apply { left, right, keeps_left } => self.apply(left, right, *keeps_left),
            Rel::Values { rows, types } => self.values(rows, types),
            Rel::Filter { input, predicate } => self.filter(input, predicate),
            Rel::Project { input, exprs } => self.projection(input, exprs),
            Rel::Join { kind, left, right, on } => self.join(*kind, left, right, on.as_ref()),
            Rel::Aggregate { input, groups, aggregates } => self.aggregate(input, groups, aggregates),
            Rel::Window { input, partition, order, calls } => self.window(input, partition, order, calls),
            Rel::Expand { input, groups, sets } => self.expand(input, groups, sets),
            Rel::OrElse { input, rows } => self.or_else(input, rows),
            Rel::Sort { input, keys } => {
                let input = self.rel(input)?;
                self.sort(input, keys, None)
            }
            Rel::Top { input, count, percent, ties, offset } => {
                self.top(input, count.as_ref(), *percent, ties, offset.as_ref())
            }
            Rel::Distinct(input) => {
                let types = input.types();
                let input = self.rel(input)?;
                self.distinct(input, &types)
            }
            Rel::Set { op, all, left, right } => self.set(*op, *all, left, right),
            Rel::Recursive { anchor, members, types, levels, .. } => self.recursive(anchor, members, types, *levels),
        }
    }

    /// The leaf of a table, view or function that delivers rows for which all `predicates` are true.
    fn leaf_of(&self, rel: &Rel, predicates: &[BoundExpr]) -> SqlResult<Leaf> {
        self.leaf_in_order(rel, predicates, (&[], None)).map(|(leaf, _)| leaf)
    }

    /// The same where about so many of its rows are taken in an order, and whether it gives that.
    fn leaf_in_order(
        &self,
        rel: &Rel,
        predicates: &[BoundExpr],
        wanted: (&[SortKey], Option<f64>),
    ) -> SqlResult<(Leaf, bool)> {
        let origin = match rel {
            Rel::Table { binding, def, .. } => Origin::Table { binding: *binding, def: Arc::clone(def) },
            Rel::View { view, database } => Origin::View(view, *database, None),
            Rel::Function(function, args) => Origin::Function(function, self.over_outer(args, 0)),
            Rel::Call(function, args) => Origin::Call(Arc::clone(function), self.over_outer(args, 0)),
            Rel::Values { rows, .. } => Origin::Values(rows.iter().map(|row| self.over_outer(row, 0)).collect()),
            _ => return Err(failure::internal("a leaf was expected")),
        };
        let types: Vec<SqlType> = rel.types().iter().map(|ty| ty.sql).collect();
        let stored = if let Rel::Table { def, .. } = rel { def.columns.len() } else { 0 };
        let predicates = self.over_outer(predicates, types.len());
        let access = tree_access(rel, &predicates, types.len(), wanted, &self.options.guide);
        let (access, ordered) = access.map_or((None, false), |(access, ordered)| (Some(access), ordered));
        let origin = match origin {
            Origin::View(view, database, _) => Origin::View(view, database, Narrowing::of(view, &predicates)),
            origin => origin,
        };
        let shown = predicates.clone();
        let predicate = Predicate::new(predicates, stored, types.len());
        Ok((Leaf { access, shown, ..self.leaf(origin, types, predicate) }, ordered))
    }

    /// Whether a table is not read as a whole for the rows that fulfil some conditions.
    pub(super) fn seeks(&self, table: &Rel, predicates: &[BoundExpr]) -> bool {
        tree_access(table, predicates, table.types().len(), (&[], None), &self.options.guide).is_some_and(
            |(access, _)| {
                let Access { prefix, list, low, high, .. } = &access;
                !prefix.is_empty() || !list.is_empty() || low.is_some() || high.is_some()
            },
        )
    }

    fn leaf(&self, origin: Origin, types: Vec<SqlType>, predicate: Option<Predicate>) -> Leaf {
        Leaf {
            origin,
            types,
            predicate,
            shown: Vec::new(),
            access: None,
            cell: Arc::clone(&self.cell),
            outer: self.outer.as_ref().map(|outer| Arc::clone(&outer.row)),
            batch_rows: self.options.batch_rows,
        }
    }

    /// A leaf as a plan; `predicates` are those that `leaf_of` made it of.
    fn scan(&self, leaf: Leaf, predicates: &[BoundExpr]) -> SqlResult<Lowered> {
        let table = format!("t{}", self.next_number());
        let names: Vec<String> = leaf.types.iter().map(|_| self.next_name()).collect();
        let schema = leaf.schema(&names);
        let columns: Vec<Column> = names.into_iter().map(|name| Column::new(Some(table.clone()), name)).collect();
        let predicate = match (&leaf.origin, &leaf.predicate) {
            (Origin::Table { .. }, Some(predicate)) => self.conjunction(&predicate.untested(predicates), &columns)?,
            _ => None,
        };
        let source = LeafSource { schema, leaf: Arc::new(leaf), predicate };
        let scan: TableScan = planned(TableScanBuilder::new(table, Arc::new(source)).build())?;
        Ok(Lowered { plan: LogicalPlan::TableScan(scan), columns })
    }

    /// The relation as a plan without operators, if it is no more than that.
    pub(super) fn rowwise(&self, rel: &Rel) -> SqlResult<Option<RowPlan>> {
        let (rel, exprs) = match rel {
            Rel::Project { input, exprs } => (&**input, Some(exprs)),
            rel => (rel, None),
        };
        let (rel, top) = match rel {
            Rel::Top { input, count, percent: false, ties, offset: None } if ties.is_empty() => {
                (&**input, count.as_ref())
            }
            rel => (rel, None),
        };
        let (rel, order) = match rel {
            Rel::Sort { input, keys } if top.is_some() => (&**input, &keys[..]),
            rel => (rel, &[][..]),
        };
        let (rel, predicates) = match rel {
            Rel::Filter { input, predicate } => (&**input, conjuncts(predicate.clone())),
            rel => (rel, Vec::new()),
        };
        let own = match rel {
            Rel::Table { .. } | Rel::View { .. } => &[],
            Rel::Function(_, args) | Rel::Call(_, args) => args.as_slice(),
            Rel::Values { rows, .. } if rows.iter().flatten().any(eval::needs_plan) => return Ok(None),
            Rel::Values { .. } => &[],
            _ => return Ok(None),
        };
        if own.iter().chain(&predicates).chain(exprs.into_iter().flatten()).chain(top).any(eval::needs_plan) {
            return Ok(None);
        }
        let (leaf, ordered) =
            self.leaf_in_order(rel, &predicates, (order, top.map(|top| first_rows(Some(top), None))))?;
        if !order.is_empty() && !ordered {
            return Ok(None);
        }
        let exprs = match exprs {
            Some(exprs) => self.over_outer(exprs, leaf.types.len()),
            None => rel.types().into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect(),
        };
        let top = top.and_then(|top| self.over_outer(std::slice::from_ref(top), 0).pop());
        Ok(Some(RowPlan { ordered, ..RowPlan::new(leaf, top, exprs) }))
    }

    /// One row without columns.
    pub(super) fn one_row(&self) -> SqlResult<Lowered> {
        self.scan(self.leaf(Origin::Values(vec![Vec::new()]), Vec::new(), None), &[])
    }

    fn values(&self, rows: &[Vec<BoundExpr>], types: &[ExprType]) -> SqlResult<Lowered> {
        let needs_plan = rows.iter().flatten().any(eval::needs_plan);
        if !needs_plan {
            let rows = rows.iter().map(|row| self.over_outer(row, 0)).collect();
            let types = types.iter().map(|ty| ty.sql).collect();
            return self.scan(self.leaf(Origin::Values(rows), types, None), &[]);
        }
        let inputs = rows.iter().map(|row| self.project(self.one_row()?, row)).collect::<SqlResult<Vec<Lowered>>>()?;
        self.concat(inputs)
    }

    /// Expressions that see the outer row as columns from `base` on instead of [`Kind::Outer`].
    fn over_outer(&self, exprs: &[BoundExpr], base: usize) -> Vec<BoundExpr> {
        let mut replace = |node: BoundExpr| match node.kind {
            Kind::Outer { level, column } => {
                let index = self.outer_index(OuterColumn { level, column, ty: node.ty });
                Ok(BoundExpr::column(base + index, node.ty))
            }
            _ => Err(node),
        };
        exprs.iter().map(|expr| expr.clone().rewrite(&mut replace)).collect()
    }

    pub(super) fn outer_index(&self, column: OuterColumn) -> usize {
        let Some(outer) = &self.outer else { return 0 };
        let mut wanted = outer.wanted.borrow_mut();
        let same = |known: &OuterColumn| (known.level, known.column) == (column.level, column.column);
        wanted.iter().position(same).unwrap_or_else(|| {
            wanted.push(column);
            wanted.len() - 1
        })
    }

    /// A column of an enclosing query's present row.
    pub(super) fn outer_value(&self, level: usize, column: usize, ty: ExprType) -> SqlResult<Expr> {
        let Some(outer) = &self.outer else {
            return Err(failure::internal("an outer column in a query that has no outer query"));
        };
        let index = self.outer_index(OuterColumn { level, column, ty });
        let row = Arc::clone(&outer.row);
        let (sql, calls) = (ty.sql, datafusion::logical_expr::Volatility::Stable);
        let shown = function::Shown::Outer(index);
        Ok(function::call_shown("outer", shown, vec![], convert::data_type(&sql), calls, move |_, _| {
            let value = convert::scalar_of(&row.value(index)?, &sql)?;
            Ok(datafusion::logical_expr::ColumnarValue::Scalar(value))
        }))
    }

    fn filter(&self, input: &Rel, predicate: &BoundExpr) -> SqlResult<Lowered> {
        let conjuncts = conjuncts(predicate.clone());
        let mut remaining = conjuncts;
        let mut lowered = match input {
            Rel::Table { .. } | Rel::View { .. } | Rel::Function(..) | Rel::Call(..) => {
                let (here, above): (Vec<_>, Vec<_>) =
                    remaining.into_iter().partition(|conjunct| !eval::needs_plan(conjunct));
                remaining = above;
                self.scan(self.leaf_of(input, &here)?, &here)?
            }
            _ => self.rel(input)?,
        };
        let mut above = Vec::new();
        let rows = self.estimate(input);
        for conjunct in remaining {
            match self.semi_join(lowered, &conjunct, rows)? {
                (joined, true) => lowered = joined,
                (unchanged, false) => {
                    lowered = unchanged;
                    above.push(conjunct);
                }
            }
        }
        let width = lowered.columns.len();
        let (lowered, above) = self.scalar_joins(lowered, above)?;
        let mut filtered = self.filtered(lowered, &above)?;
        filtered.columns.truncate(width);
        Ok(filtered)
    }

    /// Rows for which all `predicates` are true.
    pub(super) fn filtered(&self, input: Lowered, predicates: &[BoundExpr]) -> SqlResult<Lowered> {
        let Some(predicate) = self.conjunction(predicates, &input.columns)? else { return Ok(input) };
        let filter = planned(Filter::try_new(predicate, Arc::new(input.plan)))?;
        Ok(Lowered { plan: LogicalPlan::Filter(filter), columns: input.columns })
    }

    /// New rows computed from a relation's rows, in their order. Joins keep no order, so those that stand for subqueries
    /// go below a sort; above TOP, which leaves few rows, subqueries are run.
    fn projection(&self, input: &Rel, exprs: &[BoundExpr]) -> SqlResult<Lowered> {
        match input {
            Rel::Sort { input, keys } => {
                let (input, exprs) = self.scalar_joins(self.rel(input)?, exprs.to_vec())?;
                self.project(self.sort(input, keys, None)?, &exprs)
            }
            Rel::Top { .. } => self.project(self.rel(input)?, exprs),
            _ => {
                let (input, exprs) = self.scalar_joins(self.rel(input)?, exprs.to_vec())?;
                self.project(input, &exprs)
            }
        }
    }

    /// New rows computed from input rows.
    pub(super) fn project(&self, input: Lowered, exprs: &[BoundExpr]) -> SqlResult<Lowered> {
        if exprs.iter().all(|expr| matches!(expr.kind, Kind::Column(_))) {
            let chosen = exprs.iter().map(|expr| match expr.kind {
                Kind::Column(index) => input.columns.get(index).cloned(),
                _ => None,
            });
            let columns = chosen.collect::<Option<Vec<Column>>>().ok_or_else(|| failure::internal("no such column"))?;
            return Ok(Lowered { plan: input.plan, columns });
        }
        let exprs = exprs.iter().map(|expr| self.expr(expr, &input.columns)).collect::<SqlResult<Vec<Expr>>>()?;
        self.projected(input.plan, exprs)
    }

    /// A projection with new names for all columns.
    pub(super) fn projected(&self, input: LogicalPlan, exprs: Vec<Expr>) -> SqlResult<Lowered> {
        let names: Vec<String> = exprs.iter().map(|_| self.next_name()).collect();
        let exprs = exprs.into_iter().zip(&names).map(|(expr, name)| expr.alias(name)).collect();
        let plan = LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(input)))?);
        Ok(Lowered { plan, columns: names.into_iter().map(Column::new_unqualified).collect() })
    }

    /// Adds columns to a plan and says how they are called; expressions that are columns already stay what they are.
    pub(super) fn with_columns(&self, input: LogicalPlan, exprs: Vec<Expr>) -> SqlResult<(LogicalPlan, Vec<Column>)> {
        if exprs.iter().all(|expr| matches!(expr, Expr::Column(_))) {
            let columns = exprs.into_iter().filter_map(|expr| expr.try_as_col().cloned()).collect();
            return Ok((input, columns));
        }
        let mut all: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
        let mut columns = Vec::with_capacity(exprs.len());
        for expr in exprs {
            if let Expr::Column(column) = expr {
                columns.push(column);
                continue;
            }
            let name = self.next_name();
            all.push(expr.alias(&name));
            columns.push(Column::new_unqualified(name));
        }
        Ok((LogicalPlan::Projection(planned(Projection::try_new(all, Arc::new(input)))?), columns))
    }

    /// What a value groups, joins and orders by (L2).
    pub(super) fn key(&self, value: Expr, sql: &SqlType, collation: Collation) -> Expr {
        text::key(value, sql, collation)
    }

    /// Sorted rows; `fetch` is how many are wanted at most, if that is known.
    pub(super) fn sort(&self, input: Lowered, keys: &[SortKey], fetch: Option<usize>) -> SqlResult<Lowered> {
        let Lowered { plan, columns } = input;
        let exprs = keys.iter().map(|key| self.sort_key(key, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
        let (plan, key_columns) = self.with_columns(plan, exprs)?;
        let expr: Vec<SortKeyExpr> = key_columns
            .into_iter()
            .zip(keys)
            // NULL is the smallest value.
            .map(|(column, key)| SortKeyExpr::new(Expr::Column(column), !key.descending, !key.descending))
            .collect();
        if expr.is_empty() {
            return Ok(Lowered { plan, columns });
        }
        Ok(Lowered { plan: LogicalPlan::Sort(Sort { expr, input: Arc::new(plan), fetch }), columns })
    }

    pub(super) fn sort_key(&self, key: &SortKey, columns: &[Column]) -> SqlResult<Expr> {
        let ty = &key.expr.ty;
        Ok(self.key(self.expr(&key.expr, columns)?, &ty.sql, ty.collation))
    }

    fn top(
        &self,
        input: &Rel,
        count: Option<&BoundExpr>,
        percent: bool,
        ties: &[SortKey],
        offset: Option<&BoundExpr>,
    ) -> SqlResult<Lowered> {
        let fetch = if percent || !ties.is_empty() { None } else { fixed_fetch(count, offset) };
        let Lowered { plan, columns } = match input {
            Rel::Sort { input, keys } => self.sort(self.rel(input)?, keys, fetch)?,
            _ => self.rel(input)?,
        };
        let keys = ties.iter().map(|key| self.sort_key(key, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
        let (plan, keys) = self.with_columns(plan, keys)?;
        let mut exprs = Vec::new();
        for bound in count.into_iter().chain(offset) {
            exprs.push(self.expr(bound, &[])?);
        }
        exprs.extend(keys.into_iter().map(Expr::Column));
        let operation = Operation::Top { has_count: count.is_some(), has_offset: offset.is_some(), percent };
        Ok(Lowered { plan: self.node(operation, exprs, vec![plan])?, columns })
    }

    /// An operator of ours.
    pub(super) fn node(
        &self,
        operation: Operation,
        exprs: Vec<Expr>,
        inputs: Vec<LogicalPlan>,
    ) -> SqlResult<LogicalPlan> {
        planned(Node::plan(self.next_number(), operation, exprs, inputs, Arc::clone(&self.cell)))
    }
}

/// The way to the rows of a table in trees, and whether it gives the order in which about `goal` of them are taken; columns
/// from `width` on are the outer row's.
fn tree_access(
    rel: &Rel,
    predicates: &[BoundExpr],
    width: usize,
    (order, goal): (&[SortKey], Option<f64>),
    guide: &Guide,
) -> Option<(Access, bool)> {
    let Rel::Table { def, forced, .. } = rel else { return None };
    if def.storage != TableStorage::Trees {
        return None;
    }
    let needed: Vec<usize> = (0..def.columns.len()).collect();
    let wish = TableWish {
        def,
        first: 0,
        is_known: &|column| column >= width,
        conjuncts: predicates,
        needed: &needed,
        order,
        goal,
        forced: *forced,
        guide,
    };
    let access = choose(&wish);
    let given = if order.is_empty() { None } else { order_of(&wish, &access) };
    // Predicates are tested on whole records.
    let covers = def.indexes[access.index].holds_rows();
    Some((Access { covers, backward: given == Some(true), ..access }, given.is_some()))
}

/// Rows that a sort keeps in memory when only the first are wanted: it cannot put them aside as one that sorts all does.
const FETCH_MAX: usize = 10_000;

/// The number of rows that a sort must keep when the bounds are constants.
fn fixed_fetch(count: Option<&BoundExpr>, offset: Option<&BoundExpr>) -> Option<usize> {
    let constant = |expr: &BoundExpr| match &expr.kind {
        Kind::Literal(value @ (Value::BigInt(_) | Value::Int(_))) => {
            value.as_i64().and_then(|n| usize::try_from(n).ok())
        }
        _ => None,
    };
    let offset = offset.map_or(Some(0), constant)?;
    constant(count?)?.checked_add(offset).filter(|rows| *rows <= FETCH_MAX)
}
