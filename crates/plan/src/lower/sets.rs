//! Grouping sets: rows are repeated for each set and grouped once, by all groups and the set's number. Series of numbers. Rows as a
//! text.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::Expr;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Rel, RowsAsText};
use millpond_message::error::SqlResult;

use crate::expression::convert;
use crate::lower::table;
use crate::lowering::node::{Operation, with_fields};
use crate::lowering::{Lowered, Lowering};
use crate::operator::text::{TEXT, TextForm};
use crate::run::failure::planned;

/// Each row of the input once for each set.
pub(crate) fn expand(lowering: &Lowering<'_>, input: &Rel, groups: &[BoundExpr], sets: &[i64]) -> SqlResult<Lowered> {
    let Lowered { plan, mut columns } = lowering.rel(input)?;
    let exprs = groups.iter().map(|group| lowering.expr(group, &columns)).collect::<SqlResult<Vec<Expr>>>()?;
    let (plan, exprs) = lowering.with_columns(plan, exprs)?;
    let mut added: Vec<(String, DataType)> =
        groups.iter().map(|group| (lowering.next_name(), convert::data_type(&group.ty.sql))).collect();
    added.push((lowering.next_name(), DataType::Int64));
    columns.extend(added.iter().map(|(name, _)| Column::new_unqualified(name)));
    let schema = planned(with_fields(plan.schema(), &added))?;
    let operation = Operation::Expand { sets: Arc::from(sets), schema };
    let exprs = exprs.into_iter().map(Expr::Column).collect();
    Ok(Lowered { plan: lowering.node(operation, exprs, vec![plan])?, columns })
}

/// The input's rows, or others when it has none.
pub(crate) fn or_else(lowering: &Lowering<'_>, input: &Rel, rows: &[Vec<BoundExpr>]) -> SqlResult<Lowered> {
    let plan = lowering.exactly(lowering.rel(input)?)?;
    let columns = plan.schema().columns();
    let cells = rows.iter().flatten().map(|cell| lowering.expr(cell, &[])).collect::<SqlResult<Vec<Expr>>>()?;
    Ok(Lowered { plan: lowering.node(Operation::OrElse, cells, vec![plan])?, columns })
}

/// The input's rows as a text.
pub(crate) fn text(
    lowering: &Lowering<'_>,
    input: &Rel,
    by: &Arc<dyn RowsAsText>,
    in_pieces: bool,
) -> SqlResult<Lowered> {
    let types = input.types().iter().map(|ty| ty.sql).collect();
    let plan = lowering.exactly(lowering.rel(input)?)?;
    let name = lowering.next_name();
    let texts = [(name.clone(), convert::data_type(&TEXT))];
    let schema = planned(with_fields(&Arc::new(DFSchema::empty()), &texts))?;
    let form = TextForm { by: Arc::clone(by), in_pieces, types };
    let plan = lowering.node(Operation::Text { form, schema }, Vec::new(), vec![plan])?;
    Ok(Lowered { plan, columns: vec![Column::new_unqualified(name)] })
}

/// The numbers of a series: start and stop of its type, and the step, of bigint for integers.
pub(crate) fn series(lowering: &Lowering<'_>, args: &[BoundExpr], ty: &ExprType) -> SqlResult<Lowered> {
    let args = args.iter().map(|arg| lowering.expr(arg, &[])).collect::<SqlResult<Vec<Expr>>>()?;
    let name = lowering.next_name();
    let numbers = [(name.clone(), convert::data_type(&ty.sql))];
    let schema = planned(with_fields(&Arc::new(DFSchema::empty()), &numbers))?;
    let operation = Operation::Series { sql: ty.sql, rows: lowering.options.batch_rows, schema };
    let plan = lowering.node(operation, args, vec![table::one_row(lowering)?.plan])?;
    Ok(Lowered { plan, columns: vec![Column::new_unqualified(name)] })
}
