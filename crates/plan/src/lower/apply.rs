//! APPLY: for every row of the left input the rows of an inner plan that reads it.
//!
//! P1: what can be a join is one ([`millpond_rewrite::outer::as_join`]), and so is what equalities alone tie to the left row
//! ([`millpond_rewrite::keyed`]), as first rows and groups are, unless an index leads to the rows of each of few; the inner plan of the
//! rest runs once per left row.
//! P2: the right side counts as a query of its own: its [`Kind::Outer`] of level 1 are columns of the left row.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{Column, DFSchema};
use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, JoinHint, Rel, RelJoin};
use millpond_message::error::{SqlError, SqlResult};
use millpond_rewrite::keyed::{Keyed, keyed};
use millpond_rewrite::terms::{self, is_volatile};
use millpond_rewrite::{normal, outer};
use millpond_types::SqlType;

use crate::expression::convert;
use crate::lower::seek_join::{self, Outer};
use crate::lower::{scalar, single, size};
use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering};
use crate::operator::correlate::Inner;
use crate::run::failure::planned;

pub(crate) fn apply(lowering: &Lowering<'_>, left: &Rel, right: &Rel, keeps_left: bool) -> SqlResult<Lowered> {
    let join = keyed_join(lowering, left, right, keeps_left).or_else(|| grouped_join(lowering, left, right));
    if let Some(join) = join {
        return lowering.rel(&join);
    }
    // It is what could not become a join: nested loops.
    if !lowering.options.joins.loops && outer::reads_beyond(right, 1) {
        return Err(SqlError::of(8622, 1, &[]));
    }
    apply_rows(lowering, left, right, keeps_left)
}

/// What a row of the right side costs that is sorted or grouped for all left rows, in rows of a scan.
const KEYED_ROW: f64 = 5.0;

/// The APPLY as a join with what its right side has for all keys; none where that is not better.
fn keyed_join(lowering: &Lowering<'_>, left: &Rel, right: &Rel, keeps_left: bool) -> Option<Rel> {
    // What reads the left row is computed above the join, where rows without partners are not told apart.
    let (of, outputs) = match right {
        Rel::Project { input, exprs } if exprs.iter().any(reads_outer) => {
            let is_plain = |expr: &BoundExpr| !needs_plan(expr) && !is_volatile(expr);
            (!keeps_left && exprs.iter().all(is_plain)).then_some((&**input, Some(exprs)))?
        }
        right => (right, None),
    };
    let Keyed { rel, keys } = keyed(of)?;
    let (width, right_width) = (left.width(), of.width());
    let on = keys.into_iter().enumerate().map(|(place, key)| {
        terms::equal(key.outer, BoundExpr::column(width + right_width + place, key.ty), key.collation)
    });
    let on: Vec<BoundExpr> = on.collect();
    let rows = size::estimate(lowering, left);
    let run_rows = seek_join::AGGREGATE_ROWS / KEYED_ROW;
    let few = Outer { width, rows, run_rows, methods: lowering.options.joins, may_hash: false };
    if single::is_run_for_each(lowering, few, &rel, &on) {
        return None;
    }
    let (kind, hint) = (if keeps_left { RelJoin::Left } else { RelJoin::Inner }, JoinHint::default());
    let join = Rel::Join { kind, hint, left: Box::new(left.clone()), right: Box::new(rel), on: terms::all(on) };
    let types = join.types();
    let mut exprs: Vec<BoundExpr> = (0..width).map(|place| BoundExpr::column(place, types[place])).collect();
    match outputs {
        Some(outputs) => exprs.extend(outputs.iter().map(|output| outer::joined(output.clone(), width))),
        None => exprs.extend((width..width + right_width).map(|place| BoundExpr::column(place, types[place]))),
    }
    Some(normal::normalise(Rel::Project { input: Box::new(join), exprs }))
}

/// The APPLY of aggregates without groups, which are a row for each left row, as an outer join with those of each key: a left row without
/// one has NULLs, and counts of 0. None where that is not better.
fn grouped_join(lowering: &Lowering<'_>, left: &Rel, right: &Rel) -> Option<Rel> {
    let mut outputs: Vec<BoundExpr> =
        right.types().into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    let mut of = right;
    while let Rel::Project { input, exprs } = of {
        outputs = outputs.into_iter().map(|output| terms::substitute(output, exprs)).collect();
        of = input;
    }
    let Rel::Aggregate { input, groups, aggregates } = of else { return None };
    let is_plain = |expr: &BoundExpr| !needs_plan(expr) && !is_volatile(expr);
    if !groups.is_empty()
        || !outputs.iter().all(is_plain)
        || aggregates.iter().flat_map(Aggregate::exprs).any(|expr| needs_plan(expr) || reads_outer(expr))
    {
        return None;
    }
    let Keyed { rel, keys } = keyed(input)?;
    let (width, count) = (left.width(), input.width());
    let groups: Vec<BoundExpr> =
        keys.iter().enumerate().map(|(place, key)| BoundExpr::column(count + place, key.ty)).collect();
    let over = |place: usize, keyed: &BoundExpr| BoundExpr::column(width + place, keyed.ty);
    let on = |columns: Vec<BoundExpr>| -> Vec<BoundExpr> {
        let pairs = keys.iter().zip(columns);
        pairs.map(|(key, column)| terms::equal(key.outer.clone(), column, key.collation)).collect()
    };
    let sought = on(groups.iter().map(|group| terms::moved(group.clone(), &|column| width + column)).collect());
    let run_rows = seek_join::AGGREGATE_ROWS / KEYED_ROW;
    let few = Outer {
        width,
        rows: size::estimate(lowering, left),
        run_rows,
        methods: lowering.options.joins,
        may_hash: false,
    };
    if single::is_run_for_each(lowering, few, &rel, &sought) {
        return None;
    }
    let on = on(groups.iter().enumerate().map(|(place, group)| over(place, group)).collect());
    let after = width + groups.len();
    let counts: Vec<bool> = aggregates.iter().map(scalar::is_count).collect();
    let right = Box::new(Rel::Aggregate { input: Box::new(rel), groups, aggregates: aggregates.clone() });
    let (kind, hint, left) = (RelJoin::Left, JoinHint::default(), Box::new(left.clone()));
    let join = Rel::Join { kind, hint, left, right, on: terms::all(on) };
    let types = join.types();
    let mut exprs: Vec<BoundExpr> = (0..width).map(|place| BoundExpr::column(place, types[place])).collect();
    exprs.extend(outputs.into_iter().map(|output| {
        output.rewrite(&mut |node| match node.kind {
            Kind::Column(place) => {
                let column = BoundExpr::column(after + place, node.ty);
                Ok(if counts[place] { scalar::or_zero(column) } else { column })
            }
            Kind::Outer { level: 1, column } => Ok(BoundExpr::column(column, node.ty)),
            _ => Err(node),
        })
    }));
    Some(normal::normalise(Rel::Project { input: Box::new(join), exprs }))
}

fn reads_outer(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |node| found |= matches!(node.kind, Kind::Outer { .. }));
    found
}

/// The APPLY whose right side runs for each left row.
pub(crate) fn apply_rows(lowering: &Lowering<'_>, left: &Rel, right: &Rel, keeps_left: bool) -> SqlResult<Lowered> {
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
