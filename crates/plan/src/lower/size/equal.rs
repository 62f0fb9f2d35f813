//! Which part of all pairs of rows have equal keys.
//!
//! ```text
//!   values of one side   ├────────┤
//!   of the other one        ├───────────────┤
//!   meet                    ├─────┤            rows outside of it find none; inside, the fewer values are among the others
//! ```
//! A filter on another column leaves some of a side's values, and which ones is not known: the fewer are left, the more likely they
//! are those that the other side has. Who asks for one year of a calendar of two hundred asks for one in which something was sold.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;
use millpond_rewrite::terms::conjuncts;
use millpond_rewrite::{normal, outer};
use millpond_seek::backed_off;

use crate::lower::size::column::{Column, column, drawn};
use crate::lower::size::{rule, sizes};
use crate::lowering::Lowering;

/// A side of a join.
pub(crate) struct Side<'r> {
    lowering: &'r Lowering<'r>,
    rel: &'r Rel,
    /// About how many rows it has.
    pub(crate) rows: Option<f64>,
    /// Before its filters.
    all: Option<f64>,
    unique: Vec<Vec<usize>>,
    /// Its values are compared with those of the other side.
    meets: bool,
    /// What was asked of its columns.
    columns: RefCell<HashMap<usize, Option<Rc<Column>>>>,
}

impl<'r> Side<'r> {
    pub(crate) fn of(lowering: &'r Lowering<'_>, rel: &'r Rel) -> Side<'r> {
        let sizes = sizes(lowering, rel);
        let unique = unique_keys(rel);
        Side { lowering, rel, rows: sizes.rows, all: sizes.all, unique, meets: true, columns: RefCell::default() }
    }

    /// One of many that all may be joined with each other: distinct values are compared alone.
    pub(crate) fn of_many(self) -> Side<'r> {
        Side { meets: false, ..self }
    }

    fn column(&self, place: usize) -> Option<Rc<Column>> {
        let known = self.columns.borrow().get(&place).cloned();
        known.unwrap_or_else(|| {
            let found = column(self.lowering, self.rel, place).map(Rc::new);
            self.columns.borrow_mut().insert(place, found.clone());
            found
        })
    }

    /// Its rows before filters, where no two have the same values in these columns.
    fn rows_of_unique(&self, columns: &[usize]) -> Option<f64> {
        let is_covered = self.unique.iter().any(|key| key.iter().all(|column| columns.contains(column)));
        if is_covered { self.all } else { None }
    }

    /// Distinct values of a column, where statistics know of them.
    fn distinct(&self, place: usize) -> Option<f64> {
        let column = self.column(place)?;
        Some(column.spread.as_ref()?.distinct)
    }

    /// The part of its rows that meet the other side's, `p` being that of all rows and `met` the values there.
    fn part(&self, column: &Column, p: f64, met: f64) -> f64 {
        let Some(spread) = &column.spread else { return 1.0 };
        let rows = self.rows.unwrap_or(spread.rows);
        let left = (rows / spread.rows.max(1.0)).min(1.0);
        let contained = (met / drawn(spread.distinct, spread.rows, rows)).min(1.0);
        (p + (contained - p).max(0.0) * (1.0 - left)) * column.not_null
    }
}

/// Which part of all pairs of rows a join's condition lets pass.
pub(super) fn join_share(sides: (&Side<'_>, &Side<'_>), on: &BoundExpr) -> f64 {
    share_of_keys(sides, &pairs_of(&conjuncts(on.clone()), sides.0.rel.width()))
}

/// The columns of two sides that conditions compare for equality.
fn pairs_of(on: &[BoundExpr], width: usize) -> Vec<(usize, usize)> {
    let pair = |conjunct: &BoundExpr| match &conjunct.kind {
        Kind::Compare(CompareOp::Eq, a, b, _) => match (&a.kind, &b.kind) {
            (Kind::Column(a), Kind::Column(b)) if *a < width && *b >= width => Some((*a, b - width)),
            (Kind::Column(b), Kind::Column(a)) if *a < width && *b >= width => Some((*a, b - width)),
            _ => None,
        },
        _ => None,
    };
    on.iter().filter_map(pair).collect()
}

/// Which part of all pairs of rows have equal keys. A place beyond all columns is an expression's.
pub(crate) fn share_of_keys(sides: (&Side<'_>, &Side<'_>), pairs: &[(usize, usize)]) -> f64 {
    if pairs.is_empty() {
        return 1.0;
    }
    if let [pair] = pairs
        && let Some(share) = share_of_values(sides, *pair)
    {
        return share;
    }
    let (of_left, of_right): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
    let unique = sides.1.rows_of_unique(&of_right).into_iter().chain(sides.0.rows_of_unique(&of_left));
    if let Some(keys) = unique.reduce(f64::max) {
        // The other side may have more values, of which some find nothing.
        let more = match pairs {
            [(left, right)] => sides.0.distinct(*left).into_iter().chain(sides.1.distinct(*right)).fold(0.0, f64::max),
            _ => 0.0,
        };
        return 1.0 / keys.max(more).max(1.0);
    }
    // Nothing is known: as many values as the root of the larger side.
    let root = sides.0.all.unwrap_or(1.0).max(sides.1.all.unwrap_or(1.0)).max(1.0).sqrt();
    let of_pair = |(left, right): &(usize, usize)| {
        let distinct = || sides.0.distinct(*left).into_iter().chain(sides.1.distinct(*right)).reduce(f64::max);
        share_of_values(sides, (*left, *right)).or_else(|| distinct().map(|values| 1.0 / values.max(1.0)))
    };
    let known: Vec<Option<f64>> = pairs.iter().map(of_pair).collect();
    if known.iter().all(Option::is_none) {
        return 1.0 / root.powi(pairs.len().min(2) as i32);
    }
    backed_off(known.into_iter().map(|share| share.unwrap_or(1.0 / root)).collect())
}

/// The same of one pair of columns, by the values that both have; none where statistics do not know them.
fn share_of_values((left, right): (&Side<'_>, &Side<'_>), (one, other): (usize, usize)) -> Option<f64> {
    let (one, other) = (left.column(one)?, right.column(other)?);
    let (values, others) = (one.spread.as_ref()?, other.spread.as_ref()?);
    if !left.meets || !right.meets || !values.is_like(others) || values.rows <= 0.0 || others.rows <= 0.0 {
        return None;
    }
    let common = values.meet(others);
    if common.pairs <= 0.0 {
        // Statistics may be of a sample, and be older than the rows.
        return Some(1.0 / (values.rows * others.rows));
    }
    let parts = (
        left.part(&one, common.rows.0 / values.rows, common.distinct.0),
        right.part(&other, common.rows.1 / others.rows, common.distinct.1),
    );
    Some((parts.0 * parts.1 * common.pairs / (common.rows.0 * common.rows.1)).min(1.0))
}

/// Which part of a relation's rows a condition lets pass that has a query in it: of EXISTS and IN that part whose values the query has,
/// of an equality with its value that of one value.
pub(super) fn query_share(lowering: &Lowering<'_>, input: &Rel, conjunct: &BoundExpr) -> f64 {
    let (query, negated) = match &conjunct.kind {
        Kind::Not(operand) => (&**operand, true),
        _ => (conjunct, false),
    };
    let Some(share) = member_share(lowering, input, query) else { return rule::share(input, conjunct) };
    if negated { 1.0 - share } else { share }
}

fn member_share(lowering: &Lowering<'_>, input: &Rel, query: &BoundExpr) -> Option<f64> {
    if let Kind::Compare(CompareOp::Eq, one, other, _) = &query.kind
        && let (Kind::Column(place), Kind::ScalarQuery(_)) | (Kind::ScalarQuery(_), Kind::Column(place)) =
            (&one.kind, &other.kind)
    {
        // One value, not known before the query has run.
        let column = Side::of(lowering, input).column(*place)?;
        return Some(column.not_null / column.spread.as_ref()?.distinct.max(1.0));
    }
    let (Kind::Exists(rel) | Kind::InQuery(_, rel, _)) = &query.kind else { return None };
    let width = input.width();
    let outer::Joinable { base, on, output, .. } = outer::joinable(rel, width)?;
    let base = normal::normalise(base);
    let mut pairs = pairs_of(&on, width);
    if let (Kind::InQuery(operand, ..), Some(output)) = (&query.kind, output)
        && let (Kind::Column(one), Kind::Column(other)) = (&operand.kind, &output.kind)
    {
        pairs.push((*one, other.checked_sub(width)?));
    }
    let (left, right) = (Side::of(lowering, input), Side::of(lowering, &base));
    let shares: Vec<f64> = pairs.iter().filter_map(|pair| member_of((&left, &right), *pair)).collect();
    if shares.is_empty() { None } else { Some(backed_off(shares)) }
}

/// Which part of a side's rows have a value that the other side has.
fn member_of((left, right): (&Side<'_>, &Side<'_>), (one, other): (usize, usize)) -> Option<f64> {
    let column = left.column(one)?;
    let values = column.spread.as_ref()?;
    let rows = right.rows?;
    let others = right.column(other);
    let spread = others.as_ref().and_then(|others| others.spread.as_ref()).filter(|others| values.is_like(others));
    let Some(others) = spread else {
        return Some((rows / values.distinct.max(1.0)).min(1.0));
    };
    let common = values.meet(others);
    let met = drawn(others.distinct, others.rows, rows).min(common.distinct.1);
    let found = (met / common.distinct.0.max(1.0)).min(1.0);
    Some(common.rows.0 / values.rows.max(1.0) * found * column.not_null)
}

/// Sets of columns that no two rows have equal.
fn unique_keys(rel: &Rel) -> Vec<Vec<usize>> {
    match rel {
        Rel::Table { def, .. } => {
            let keys = def.indexes.iter().filter(|index| index.is_key());
            keys.map(|index| index.key.iter().map(|key| key.column).collect()).collect()
        }
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Window { input, .. } => unique_keys(input),
        Rel::Distinct(input) => vec![(0..input.types().len()).collect()],
        Rel::Project { input, exprs } => {
            let place = |column: &usize| {
                exprs.iter().position(|expr| matches!(expr.kind, Kind::Column(passed) if passed == *column))
            };
            unique_keys(input).iter().filter_map(|key| key.iter().map(place).collect()).collect()
        }
        Rel::Aggregate { groups, .. } => vec![(0..groups.len()).collect()],
        _ => Vec::new(),
    }
}
