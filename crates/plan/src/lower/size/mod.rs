//! How many rows relations have, about: by the tables' sizes when the plan is made, by statistics, and by rules of thumb.
//!
//! ```text
//!   filter      seek::passing: statistics of every column that it speaks of
//!   equality    equal: the values that both sides have in common, or keys that are unique, or the root of the larger side
//!   groups      groups: distinct values of the columns
//!                 └── column: which table's column it is, what filters left of its values
//! ```
//! Z1: nothing is wrong when an estimate is; it chooses among plans of the same rows. Z2: nothing is read for one but what
//! statistics are made of, once for each column (`millpond_seek::Guide`).

mod column;
mod equal;
mod groups;
mod rule;

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{ForcedPath, Rel, RelJoin};

use crate::lower::hash_join::JoinRows;
use crate::lowering::Lowering;
use millpond_rewrite::terms::{conjuncts, moved};
use millpond_seek::narrow::view_rows;
use millpond_seek::{self as seek, TableRequest};

pub(crate) use equal::{Side, share_of_keys};
pub(crate) use groups::{GROUPS, of as groups};

/// About how many rows a relation has; `None` without an estimate.
pub(crate) fn estimate(lowering: &Lowering<'_>, rel: &Rel) -> Option<f64> {
    sizes(lowering, rel).rows
}

/// About how many rows of a leaf pass conditions, which may see an outer row after its own; `None` without an estimate.
pub(crate) fn passed(lowering: &Lowering<'_>, input: &Rel, conjuncts: &[BoundExpr]) -> Option<f64> {
    if let Rel::View { view, .. } = input {
        return Some(view_rows(view, conjuncts).0);
    }
    let rows = sizes(lowering, input).rows?;
    Some(if conjuncts.is_empty() { rows } else { (rows * share(lowering, input, conjuncts)).max(1.0) })
}

/// Estimates of a relation.
#[derive(Clone, Copy)]
struct Sizes {
    rows: Option<f64>,
    /// Rows before its filters.
    all: Option<f64>,
}

impl Sizes {
    fn whole(rows: Option<f64>) -> Sizes {
        Sizes { rows, all: rows }
    }
}

/// Each relation is looked at once, however many joins stand above it.
fn sizes(lowering: &Lowering<'_>, rel: &Rel) -> Sizes {
    match rel {
        Rel::Filter { input, predicate } if matches!(**input, Rel::View { .. }) => {
            let Rel::View { view, .. } = **input else { return Sizes::whole(None) };
            let (rows, all) = view_rows(view, &conjuncts(predicate.clone()));
            Sizes { rows: Some(rows), all: Some(all) }
        }
        Rel::Filter { input, predicate } => {
            let below = sizes(lowering, input);
            let rows = below.rows.map(|rows| (rows * share(lowering, input, &conjuncts(predicate.clone()))).max(1.0));
            Sizes { rows, ..below }
        }
        Rel::Project { input, .. } | Rel::Sort { input, .. } => sizes(lowering, input),
        Rel::Join { kind, left, right, on, .. } => {
            Sizes::whole(joined(lowering, *kind, (left, right), on.as_ref()).joined)
        }
        rel => Sizes::whole(plain_rows(lowering, rel)),
    }
}

/// About how many rows the sides of a join have, and the join.
pub(crate) fn joined(
    lowering: &Lowering<'_>,
    kind: RelJoin,
    (left, right): (&Rel, &Rel),
    on: Option<&BoundExpr>,
) -> JoinRows {
    let (left, right) = (Side::of(lowering, left), Side::of(lowering, right));
    let share = on.map_or(1.0, |on| equal::join_share((&left, &right), on));
    let rows = left.rows.zip(right.rows).map(|(left_rows, right_rows)| {
        let joined = left_rows * right_rows * share;
        match kind {
            RelJoin::Inner => joined.max(1.0),
            RelJoin::Left => joined.max(left_rows),
            RelJoin::Right => joined.max(right_rows),
            RelJoin::Full => joined.max(left_rows.max(right_rows)),
        }
    });
    JoinRows { left: left.rows, right: right.rows, joined: rows }
}

/// The rows of a relation that no filter and no join is at the top of.
fn plain_rows(lowering: &Lowering<'_>, rel: &Rel) -> Option<f64> {
    Some(match rel {
        Rel::Table { binding, .. } => *lowering.options.table_rows.get(*binding)? as f64,
        Rel::View { view, .. } => view_rows(view, &[]).1,
        Rel::Values { rows, .. } => rows.len() as f64,
        Rel::Window { input, .. } | Rel::OrElse { input, .. } => estimate(lowering, input)?,
        Rel::Expand { input, sets, .. } => estimate(lowering, input)? * sets.len() as f64,
        Rel::Aggregate { groups, .. } if groups.is_empty() => 1.0,
        Rel::Aggregate { input, groups, .. } => groups::of(lowering, input, groups)?,
        Rel::Distinct(input) => {
            let columns = input.types().into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty));
            groups::of(lowering, input, &columns.collect::<Vec<_>>())?
        }
        Rel::Top { input, count: Some(count), percent: false, .. } => {
            let rows = estimate(lowering, input);
            match &count.kind {
                Kind::Literal(value) => {
                    let count = value.as_i64()? as f64;
                    rows.map_or(count, |rows| rows.min(count))
                }
                _ => rows?,
            }
        }
        Rel::Set { left, right, .. } => estimate(lowering, left)? + estimate(lowering, right)?,
        _ => return None,
    })
}

/// Which part of a relation's rows conditions let pass: by statistics, or by rule of thumb.
pub(crate) fn share(lowering: &Lowering<'_>, input: &Rel, conjuncts: &[BoundExpr]) -> f64 {
    let mut shares = Vec::new();
    // Conditions are asked of the table that their columns are of, each table's together.
    let mut tables: Vec<(&Rel, Vec<BoundExpr>)> = Vec::new();
    for conjunct in conjuncts {
        if eval::needs_plan(conjunct) {
            shares.push(equal::query_share(lowering, input, conjunct));
            continue;
        }
        match of_table(input, conjunct) {
            None => shares.push(rule::share(input, conjunct)),
            Some((table, moved)) => match tables.iter_mut().find(|(known, _)| std::ptr::eq(*known, table)) {
                Some((_, known)) => known.push(moved),
                None => tables.push((table, vec![moved])),
            },
        }
    }
    shares.extend(tables.iter().map(|(table, conjuncts)| passing(lowering, table, conjuncts)));
    seek::backed_off(shares)
}

/// The table whose columns alone a condition speaks of, and the condition over the table's row.
fn of_table<'r>(input: &'r Rel, conjunct: &BoundExpr) -> Option<(&'r Rel, BoundExpr)> {
    if matches!(input, Rel::Table { .. }) {
        return Some((input, conjunct.clone()));
    }
    let mut places: Vec<usize> = Vec::new();
    conjunct.visit(&mut |node| {
        if let Kind::Column(place) = node.kind {
            places.push(place);
        }
    });
    let origins: Vec<column::Origin<'_>> =
        places.iter().map(|place| column::origin(input, *place)).collect::<Option<_>>()?;
    let first = origins.first()?;
    // An outer join makes NULLs of which the table has none.
    if origins.iter().any(|origin| origin.is_padded || !std::ptr::eq(origin.table, first.table)) {
        return None;
    }
    let to = |place: usize| places.iter().position(|known| *known == place).map_or(place, |at| origins[at].column);
    Some((first.table, moved(conjunct.clone(), &to)))
}

/// Which part of a table's rows conditions over its row let pass.
fn passing(lowering: &Lowering<'_>, table: &Rel, conjuncts: &[BoundExpr]) -> f64 {
    let Rel::Table { def, .. } = table else { return 1.0 };
    let request = TableRequest {
        def,
        first: 0,
        // The present row of an outer query stands after the table's.
        is_known: &|column| column >= table.width(),
        conjuncts: &[],
        needed: &[],
        order: &[],
        goal: None,
        forced: ForcedPath::default(),
        guide: &lowering.options.guide,
    };
    let conjuncts: Vec<&BoundExpr> = conjuncts.iter().collect();
    seek::passing(&request, &conjuncts, &|conjunct| rule::share(table, conjunct))
}
