//! APPLY: for every row of the left input the rows of an inner plan that reads it.
//!
//! P1: what can be a join is one ([`millpond_rewrite::outer::as_join`], [`crate::lower::keyed_apply`]); the inner plan of the rest runs
//! once per left row.
//! P2: the right side counts as a query of its own: its [`Kind::Outer`] of level 1 are columns of the left row.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{Column, DFSchema};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;
use millpond_types::SqlType;

use crate::expression::convert;
use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering};
use crate::operator::correlate::Inner;
use crate::run::failure::planned;

pub(crate) fn apply(lowering: &Lowering<'_>, left: &Rel, right: &Rel, keeps_left: bool) -> SqlResult<Lowered> {
    apply_to(lowering, lowering.rel(left)?, &left.types(), right, keeps_left)
}

/// By which an operator is known that gives the rows of an inner plan: its last column.
pub(crate) fn key_name(last: Option<&str>) -> String {
    format!("apply {}", last.unwrap_or_default())
}

/// For every row of a plan, whose columns have these types, the rows of the right side.
pub(crate) fn apply_to(
    lowering: &Lowering<'_>,
    left: Lowered,
    left_types: &[ExprType],
    right: &Rel,
    keeps_left: bool,
) -> SqlResult<Lowered> {
    let (plan, scope) = lowering.inner_plan(right)?;
    let width = left_types.len();
    let mut exprs: Vec<BoundExpr> =
        left_types.iter().enumerate().map(|(index, ty)| BoundExpr::column(index, *ty)).collect();
    let mut wanted = Vec::new();
    for column in scope.wanted.into_inner() {
        wanted.push(match column.level {
            1 => (column.column, column.ty.sql),
            level => {
                let kind = Kind::Outer { level: level - 1, column: column.column };
                exprs.push(BoundExpr { kind, ty: column.ty });
                (exprs.len() - 1, column.ty.sql)
            }
        });
    }
    let left = lowering.project(left, &exprs)?;
    let left =
        Lowered { plan: lowering.exactly(Lowered { plan: left.plan, columns: left.columns })?, columns: Vec::new() };
    let left_columns = left.plan.schema().columns();
    let types: Vec<SqlType> = right.types().iter().map(|ty| ty.sql).collect();
    let names: Vec<String> = types.iter().map(|_| lowering.next_name()).collect();
    let fields = names.iter().zip(&types).map(|(name, sql)| Field::new(name, convert::data_type(sql), true));
    let fields: Vec<Field> = fields.collect();
    let right_schema = planned(DFSchema::from_unqualified_fields(fields.into(), HashMap::new()))?;
    let schema = Arc::new(planned(left.plan.schema().join(&right_schema))?);
    let inner = Inner { plan, row: scope.row, wanted, types, keeps_left, cell: Arc::clone(&lowering.cell), schema };
    let operation = Operation::Apply(Arc::new(inner));
    let plan = lowering.node(operation, Vec::new(), vec![left.plan])?;
    let right_columns = names.into_iter().map(Column::new_unqualified);
    let columns = left_columns.into_iter().take(width).chain(right_columns).collect();
    Ok(Lowered { plan, columns })
}
