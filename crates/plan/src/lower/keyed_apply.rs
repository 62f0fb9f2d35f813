//! APPLY of what equalities alone tie to the left row ([`millpond_rewrite::keyed`]), as first rows, groups and aggregates are: a join with
//! what the right side has for all keys, unless an index leads to the rows of each of few.

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Aggregate, JoinHint, Rel, RelJoin};
use millpond_message::error::{SqlError, SqlResult};

use crate::lower::scalar::reads_outer;
use crate::lower::seek_join::{self, Outer};
use crate::lower::{apply, scalar, single, size};
use crate::lowering::{Lowered, Lowering};
use millpond_rewrite::keyed::{Keyed, keyed, ties};
use millpond_rewrite::terms::{self, is_volatile};
use millpond_rewrite::{normal, outer};

/// The APPLY as a join, or run for each left row.
///
/// # Errors
/// 8622 where hints leave no loops, and nothing else does.
pub(crate) fn apply(lowering: &Lowering<'_>, left: &Rel, right: &Rel, keeps_left: bool) -> SqlResult<Lowered> {
    let join = keyed_join(lowering, left, right, keeps_left).or_else(|| grouped_join(lowering, left, right));
    if let Some(join) = join {
        return lowering.rel(&join);
    }
    if !lowering.options.joins.loops && outer::reads_beyond(right, 1) {
        return Err(SqlError::of(8622, 1, &[]));
    }
    apply::apply(lowering, left, right, keeps_left)
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
    let on: Vec<BoundExpr> = ties(keys, width + right_width).collect();
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
