//! How many rows relations have, about: by the tables' sizes when the plan is made, by statistics, and by rules of thumb.
//!
//! Z1: nothing is wrong when an estimate is; it chooses among plans of the same rows.

use super::lower::Lowering;
use super::terms::conjuncts;
use crate::catalog::{TableDef, TableStorage};
use crate::expr::{BoundExpr, CompareOp, Kind};
use crate::rel::{Rel, RelJoin};
use crate::seek::{self, TableWish};

/// Part of the rows that groups are, when nothing is known of them.
const GROUPS: f64 = 0.25;

impl Lowering<'_> {
    /// About how many rows a relation has; none when nobody knows.
    pub(super) fn estimate(&self, rel: &Rel) -> Option<f64> {
        Some(match rel {
            Rel::Table { binding, .. } => *self.options.table_rows.get(*binding)? as f64,
            Rel::Values { rows, .. } => rows.len() as f64,
            Rel::Filter { input, predicate } => {
                let rows = self.estimate(input)?;
                let conjuncts = conjuncts(predicate.clone());
                let share: f64 = conjuncts.iter().map(|conjunct| self.share(input, conjunct)).product();
                (rows * share).max(1.0)
            }
            Rel::Project { input, .. } | Rel::Sort { input, .. } => self.estimate(input)?,
            Rel::Distinct(input) | Rel::Window { input, .. } | Rel::OrElse { input, .. } => self.estimate(input)?,
            Rel::Expand { input, sets, .. } => self.estimate(input)? * sets.len() as f64,
            Rel::Aggregate { groups, .. } if groups.is_empty() => 1.0,
            Rel::Aggregate { input, .. } => (self.estimate(input)? * GROUPS).max(1.0),
            Rel::Top { input, count: Some(count), percent: false, .. } => {
                let rows = self.estimate(input);
                match &count.kind {
                    Kind::Literal(value) => {
                        let count = value.as_i64()? as f64;
                        rows.map_or(count, |rows| rows.min(count))
                    }
                    _ => rows?,
                }
            }
            Rel::Join { kind, left, right, on } => {
                let (left_rows, right_rows) = (self.estimate(left)?, self.estimate(right)?);
                let share = on.as_ref().map_or(1.0, |on| self.join_share(left, right, on));
                let joined = left_rows * right_rows * share;
                match kind {
                    RelJoin::Inner => joined.max(1.0),
                    RelJoin::Left => joined.max(left_rows),
                    RelJoin::Right => joined.max(right_rows),
                    RelJoin::Full => joined.max(left_rows + right_rows),
                }
            }
            Rel::Set { left, right, .. } => self.estimate(left)? + self.estimate(right)?,
            _ => return None,
        })
    }

    /// Which part of a relation's rows a predicate lets pass: by statistics, or by rule of thumb.
    fn share(&self, input: &Rel, conjunct: &BoundExpr) -> f64 {
        let by_statistics = match input {
            Rel::Table { def, .. } if def.storage == TableStorage::Trees => {
                let wish = TableWish {
                    def,
                    first: 0,
                    is_known: &|_| false,
                    conjuncts: &[],
                    needed: &[],
                    order: &[],
                    forced: None,
                    guide: &self.options.guide,
                };
                seek::share(&wish, conjunct)
            }
            _ => None,
        };
        by_statistics.unwrap_or_else(|| share_by_rule(input, conjunct))
    }

    /// Which part of all pairs of rows a join's condition lets pass.
    fn join_share(&self, left: &Rel, right: &Rel, on: &BoundExpr) -> f64 {
        let width = left.types().len();
        let pairs = conjuncts(on.clone()).into_iter().filter_map(|conjunct| match conjunct.kind {
            Kind::Compare(CompareOp::Eq, a, b, _) => match (a.kind, b.kind) {
                (Kind::Column(a), Kind::Column(b)) if a < width && b >= width => Some((a, b - width)),
                (Kind::Column(b), Kind::Column(a)) if a < width && b >= width => Some((a, b - width)),
                _ => None,
            },
            _ => None,
        });
        self.key_share(left, right, &pairs.collect::<Vec<_>>())
    }

    /// Which part of all pairs of rows have equal keys: a row finds one of a unique key's.
    pub(super) fn key_share(&self, left: &Rel, right: &Rel, pairs: &[(usize, usize)]) -> f64 {
        if pairs.is_empty() {
            return 1.0;
        }
        let (of_left, of_right): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
        let unique = |rel: &Rel, columns: &[usize]| {
            let covered = unique_keys(rel).iter().any(|key| key.iter().all(|column| columns.contains(column)));
            if covered { self.all_rows(rel) } else { None }
        };
        let known = unique(right, &of_right).into_iter().chain(unique(left, &of_left));
        if let Some(keys) = known.reduce(f64::max) {
            return 1.0 / keys.max(1.0);
        }
        // Nothing is known: as many values as the root of the larger side.
        let rows = |rel: &Rel| self.all_rows(rel).unwrap_or(1.0);
        let values = rows(left).max(rows(right)).max(1.0).sqrt();
        1.0 / values.powi(pairs.len().min(2) as i32)
    }

    /// The rows of a relation before its filters.
    fn all_rows(&self, rel: &Rel) -> Option<f64> {
        match rel {
            Rel::Filter { input, .. } | Rel::Project { input, .. } | Rel::Sort { input, .. } => self.all_rows(input),
            Rel::Distinct(input) => self.all_rows(input),
            rel => self.estimate(rel),
        }
    }
}

/// Sets of columns that no two rows have equal.
fn unique_keys(rel: &Rel) -> Vec<Vec<usize>> {
    match rel {
        Rel::Table { def, .. } => {
            let unique = def.indexes.iter().filter(|index| index.unique && !index.key.is_empty());
            unique
                .filter(|index| index.filter.is_none() && !index.disabled)
                .map(|index| index.key.iter().map(|key| key.column).collect())
                .collect()
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

/// Which part of a table's rows a predicate lets pass, by rule of thumb; a whole unique key gives one row.
fn share_by_rule(input: &Rel, conjunct: &BoundExpr) -> f64 {
    let (op, left, right) = match &conjunct.kind {
        Kind::Compare(op, left, right, _) => (op, left, right),
        Kind::Like { .. } => return 0.1,
        Kind::InList(_, list, _) => return (0.1 * list.len() as f64).min(0.5),
        Kind::Not(operand) => return 1.0 - share_by_rule(input, operand).min(0.9),
        _ => return 0.5,
    };
    let column = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) | (_, Kind::Column(column)) => *column,
        _ => return 0.5,
    };
    let is_key = |def: &TableDef| {
        def.indexes.iter().any(|index| index.unique && index.key.len() == 1 && index.key[0].column == column)
    };
    match (op, input) {
        (CompareOp::Eq, Rel::Table { def, .. }) if is_key(def) => 0.0,
        (CompareOp::Eq, _) => 0.1,
        (CompareOp::NotEq, _) => 0.9,
        _ => 0.3,
    }
}
