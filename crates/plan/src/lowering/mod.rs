//! Relations as logical plans.
//!
//! L1: every column of a plan has a name that no other column of the plan has; a relation's columns are known by a list
//! of these names in the relation's order, so a plan may carry more columns than its relation has (join and sort keys).
//! The optimiser drops those that are not used.
//! L2: grouping, duplicates, join and sort keys go by the key of a text or binary, never by the value itself.

pub(crate) mod node;
pub(crate) mod shared;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::expr::Sort as SortKeyExpr;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, Projection, Sort};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{JoinHint, JoinMethods, Rel, SortKey};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::CompileOptions;
use crate::expression::{convert, function, text};
use crate::lowering::node::{Node, Operation};
use crate::lowering::shared::{ClosedQueries, Shared};
use crate::run::cell::{OuterRow, RunCell};
use crate::run::failure;
use crate::run::failure::planned;

/// One plan under construction.
pub(crate) struct Lowering<'a> {
    pub(crate) options: &'a CompileOptions,
    pub(crate) cell: Arc<RunCell>,
    /// What the plan reads of enclosing queries; none for the outermost.
    pub(crate) outer: Option<OuterScope>,
    /// What the plan computes once; nothing where it runs for each row of an outer query.
    pub(crate) shared: Shared,
    /// Inner queries that read no outer row.
    pub(crate) closed: ClosedQueries,
    /// Of a plan that runs for each row of another one: the plan around it that runs once.
    pub(crate) around: Option<&'a Lowering<'a>>,
    next_name: Cell<usize>,
    /// Joins that it has so far.
    joins: Cell<usize>,
}

/// A plan is as deep as its joins are many, and what walks through it needs stack for each: 64 MB would be used up by some 3,500.
const JOINS_MAX: usize = 2_000;

/// The enclosing queries' columns that an inner plan reads.
#[derive(Default)]
pub(crate) struct OuterScope {
    pub(crate) row: Arc<OuterRow>,
    /// In the order of the values of `row`.
    pub(crate) wanted: RefCell<Vec<OuterColumn>>,
    /// It reads nothing of them, and runs once.
    pub(crate) is_closed: bool,
}

/// A column of an enclosing query.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct OuterColumn {
    pub(crate) level: usize,
    pub(crate) column: usize,
    pub(crate) ty: ExprType,
}

/// A relation's plan.
pub(crate) struct Lowered {
    pub(crate) plan: LogicalPlan,
    /// The relation's columns (L1).
    pub(crate) columns: Vec<Column>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(options: &'a CompileOptions, cell: Arc<RunCell>, outer: Option<OuterScope>) -> Lowering<'a> {
        let closed = ClosedQueries::default();
        let (shared, next_name) = (Shared::default(), Cell::new(0));
        Lowering { options, cell, outer, shared, closed, around: None, next_name, joins: Cell::new(0) }
    }

    /// Whether the plan runs once for each run of the statement, not for each row of another one.
    pub(crate) fn runs_once(&self) -> bool {
        self.outer.as_ref().is_none_or(|outer| outer.is_closed)
    }

    /// Counts a join.
    ///
    /// # Errors
    /// 8623 for too many in one plan.
    pub(crate) fn note_join(&self) -> SqlResult<()> {
        self.joins.set(self.joins.get() + 1);
        if self.joins.get() > JOINS_MAX { Err(SqlError::of(8623, 1, &[])) } else { Ok(()) }
    }

    /// How a join may be run of which hints say this.
    pub(crate) fn methods(&self, hint: JoinHint) -> JoinMethods {
        // The binder refuses words that contradict each other.
        self.options.joins.within(hint.methods).unwrap_or(hint.methods)
    }

    /// A number that this plan has not used.
    pub(crate) fn next_number(&self) -> usize {
        let number = self.next_name.get();
        self.next_name.set(number + 1);
        number
    }

    /// A name that this plan has not used (L1).
    pub(crate) fn next_name(&self) -> String {
        format!("c{}", self.next_number())
    }

    /// The plan of a relation whose result has exactly the relation's columns.
    pub(crate) fn root(&self, rel: &Rel) -> SqlResult<LogicalPlan> {
        let lowered = self.rel(rel)?;
        if lowered.plan.schema().columns() == lowered.columns {
            return Ok(lowered.plan);
        }
        self.exactly(lowered)
    }

    /// The plan with the relation's columns alone. A column that the relation has twice gets another name.
    pub(crate) fn exactly(&self, rows: Lowered) -> SqlResult<LogicalPlan> {
        let mut known = HashSet::new();
        let mut once = |column: Column| {
            let is_new = known.insert(column.clone());
            let expr = Expr::Column(column);
            if is_new { expr } else { expr.alias(self.next_name()) }
        };
        let exprs = rows.columns.into_iter().map(&mut once).collect();
        Ok(LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(rows.plan)))?))
    }

    pub(crate) fn outer_index(&self, column: OuterColumn) -> usize {
        let Some(outer) = &self.outer else { return 0 };
        let mut wanted = outer.wanted.borrow_mut();
        let same = |known: &OuterColumn| (known.level, known.column) == (column.level, column.column);
        wanted.iter().position(same).unwrap_or_else(|| {
            wanted.push(column);
            wanted.len() - 1
        })
    }

    /// A column of an enclosing query's present row.
    pub(crate) fn outer_value(&self, level: usize, column: usize, ty: ExprType) -> SqlResult<Expr> {
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

    /// Rows for which all `predicates` are true.
    pub(crate) fn filtered(&self, input: Lowered, predicates: &[BoundExpr]) -> SqlResult<Lowered> {
        let Some(predicate) = self.conjunction(predicates, &input.columns)? else { return Ok(input) };
        let filter = planned(Filter::try_new(predicate, Arc::new(input.plan)))?;
        Ok(Lowered { plan: LogicalPlan::Filter(filter), columns: input.columns })
    }

    /// New rows computed from input rows.
    pub(crate) fn project(&self, input: Lowered, exprs: &[BoundExpr]) -> SqlResult<Lowered> {
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
    pub(crate) fn projected(&self, input: LogicalPlan, exprs: Vec<Expr>) -> SqlResult<Lowered> {
        let names: Vec<String> = exprs.iter().map(|_| self.next_name()).collect();
        let exprs = exprs.into_iter().zip(&names).map(|(expr, name)| expr.alias(name)).collect();
        let plan = LogicalPlan::Projection(planned(Projection::try_new(exprs, Arc::new(input)))?);
        Ok(Lowered { plan, columns: names.into_iter().map(Column::new_unqualified).collect() })
    }

    /// Adds columns to a plan and says how they are called; expressions that are columns already stay what they are.
    pub(crate) fn with_columns(&self, input: LogicalPlan, exprs: Vec<Expr>) -> SqlResult<(LogicalPlan, Vec<Column>)> {
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
    pub(crate) fn key(&self, value: Expr, sql: &SqlType, collation: Collation) -> Expr {
        text::key(value, sql, collation)
    }

    /// Sorted rows; `fetch` is how many are wanted at most, if that is known.
    pub(crate) fn sort(&self, input: Lowered, keys: &[SortKey], fetch: Option<usize>) -> SqlResult<Lowered> {
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

    pub(crate) fn sort_key(&self, key: &SortKey, columns: &[Column]) -> SqlResult<Expr> {
        let ty = &key.expr.ty;
        Ok(self.key(self.expr(&key.expr, columns)?, &ty.sql, ty.collation))
    }

    /// All rows of all inputs; their columns have equal types.
    pub(crate) fn concat(&self, inputs: Vec<Lowered>) -> SqlResult<Lowered> {
        // Concat passes its inputs' columns on by position, so each must have exactly its relation's.
        let plans = inputs.into_iter().map(|input| self.exactly(input)).collect::<SqlResult<Vec<LogicalPlan>>>()?;
        let columns = plans.first().map(|first| first.schema().columns()).unwrap_or_default();
        Ok(Lowered { plan: self.node(Operation::Concat, Vec::new(), plans)?, columns })
    }

    /// An operator of ours.
    pub(crate) fn node(
        &self,
        operation: Operation,
        exprs: Vec<Expr>,
        inputs: Vec<LogicalPlan>,
    ) -> SqlResult<LogicalPlan> {
        planned(Node::plan(self.next_number(), operation, exprs, inputs, Arc::clone(&self.cell)))
    }
}

/// The column at a position.
pub(crate) fn column(columns: &[Column], index: usize) -> SqlResult<Expr> {
    let column = columns.get(index).ok_or_else(|| failure::internal(&format!("no column at position {index}")))?;
    Ok(Expr::Column(column.clone()))
}
