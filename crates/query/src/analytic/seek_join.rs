//! Joins of few rows with a large table by an index of it: for each of the few the keys that it wants.
//!
//! ```text
//!   few JOIN large ON large.k = few.x   ──▶   few APPLY (rows of large where k = the present row's x)
//! ```
//!
//! K1: only where the sizes of the tables, as they were when the plan was made, say that seeks read less than the table
//! has; whoever keeps plans makes another one when sizes have changed much. K2: the condition is evaluated on each row
//! found, so a seek may be wider than it.

use super::expression::is_volatile;
use super::lower::{Lowered, Lowering};
use super::normal::{all, conjuncts};
use crate::catalog::{TableDef, TableStorage};
use crate::error::SqlResult;
use crate::eval::needs_plan;
use crate::expr::{BoundExpr, CompareOp, Kind};
use crate::rel::{Rel, RelJoin};
use crate::seek::{self, Access, SEEK_ROWS, TableWish, choose, cost};

/// Rows that a scan reads in the time of a seek of which is not known how many rows it finds.
const UNKNOWN_ROWS: f64 = 100.0;
/// Tables below this are read at once.
const LARGE_ROWS: u64 = 1000;

/// The side of a join that indexes lead into.
struct Inner<'a> {
    /// The table.
    table: &'a Rel,
    /// What its own rows are asked.
    predicates: Vec<BoundExpr>,
}

impl Lowering<'_> {
    /// The join by an index, if that is better.
    pub(super) fn seek_join(
        &self,
        kind: RelJoin,
        left: &Rel,
        right: &Rel,
        on: &BoundExpr,
    ) -> SqlResult<Option<Lowered>> {
        if !matches!(kind, RelJoin::Inner | RelJoin::Left) {
            return Ok(None);
        }
        let (left_width, right_width) = (left.types().len(), right.types().len());
        let on = conjuncts(on.clone());
        let to_right = |column: usize| column.checked_sub(left_width);
        if let Some(sought) = self.sought(left, right, &on, &to_right) {
            return self.apply(left, &sought, kind == RelJoin::Left).map(Some);
        }
        let to_left = |column: usize| (column < left_width).then_some(column);
        if kind == RelJoin::Inner
            && let Some(sought) = self.sought(right, left, &on, &to_left)
        {
            let Lowered { plan, mut columns } = self.apply(right, &sought, false)?;
            columns.rotate_left(right_width);
            return Ok(Some(Lowered { plan, columns }));
        }
        Ok(None)
    }

    /// The rows of `inner` that the present row of `outer` wants; `own` says which of the join's columns are `inner`'s.
    fn sought(&self, outer: &Rel, inner: &Rel, on: &[BoundExpr], own: &dyn Fn(usize) -> Option<usize>) -> Option<Rel> {
        let Inner { table, predicates } = inner_side(inner)?;
        let Rel::Table { binding, def, forced, .. } = table else { return None };
        if on.iter().chain(&predicates).any(|conjunct| needs_plan(conjunct) || is_volatile(conjunct)) {
            return None;
        }
        let rows = *self.options.table_rows.get(*binding)?;
        let (width, outer_width) = (table.types().len(), outer.types().len());
        // Columns of the other side count on behind the table's.
        let other = |column: usize| if own(0) == Some(0) { column - width } else { column };
        let placed = on.iter().map(|conjunct| {
            conjunct.clone().rewrite(&mut |node| match node.kind {
                Kind::Column(column) => {
                    Ok(BoundExpr::column(own(column).unwrap_or_else(|| width + other(column)), node.ty))
                }
                _ => Err(node),
            })
        });
        let placed: Vec<BoundExpr> = placed.chain(predicates.iter().cloned()).collect();
        let needed: Vec<usize> = (0..def.columns.len()).collect();
        let wish = TableWish {
            def,
            first: 0,
            is_known: &|column| (width..width + outer_width).contains(&column),
            conjuncts: &placed,
            needed: &needed,
            order: &[],
            forced: *forced,
            guide: &self.options.guide,
        };
        let access = choose(&wish);
        let leads = |expr: &BoundExpr| {
            let mut leads = false;
            expr.visit(&mut |node| leads |= matches!(node.kind, Kind::Column(column) if column >= width));
            leads
        };
        if !access.prefix.iter().any(|probe| leads(&probe.expr)) {
            return None;
        }
        if rows < LARGE_ROWS || self.estimate(outer)? * self.seek_cost(def, &access) > rows as f64 {
            return None;
        }
        let deeper = placed.into_iter().map(|conjunct| {
            conjunct.rewrite(&mut |node| match node.kind {
                Kind::Column(column) if column >= width => {
                    Ok(BoundExpr { kind: Kind::Outer { level: 1, column: column - width }, ty: node.ty })
                }
                Kind::Outer { level, column } => {
                    Ok(BoundExpr { kind: Kind::Outer { level: level + 1, column }, ty: node.ty })
                }
                _ => Err(node),
            })
        });
        let predicate = all(deeper.collect())?;
        Some(Rel::Filter { input: Box::new(table.clone()), predicate })
    }

    /// What the rows of one seek cost, in rows of a scan.
    fn seek_cost(&self, def: &TableDef, access: &Access) -> f64 {
        let figures = || self.options.guide.figures(def);
        match (access.single, def.indexes[access.index].holds_rows()) {
            (true, true) => SEEK_ROWS,
            (true, false) => SEEK_ROWS * 2.0,
            // A plan reads the rows themselves: its predicates are asked of whole records.
            (false, covers) => {
                let access = Access { covers, ..access.clone() };
                figures().and_then(|figures| cost(def, &figures, &access)).unwrap_or(UNKNOWN_ROWS)
            }
        }
    }

    /// About how many rows a relation has; none when nobody knows.
    fn estimate(&self, rel: &Rel) -> Option<f64> {
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
            Rel::Distinct(input) => self.estimate(input)?,
            Rel::Aggregate { groups, .. } if groups.is_empty() => 1.0,
            Rel::Aggregate { input, .. } => self.estimate(input)?,
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
            Rel::Join { left, right, .. } => self.estimate(left)?.max(self.estimate(right)?),
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
}

/// Which part of a table's rows a predicate lets pass, by rule of thumb; a whole unique key gives one row.
fn share_by_rule(input: &Rel, conjunct: &BoundExpr) -> f64 {
    let Kind::Compare(op, left, right, _) = &conjunct.kind else { return 0.5 };
    let column = match (&left.kind, &right.kind) {
        (Kind::Column(column), _) | (_, Kind::Column(column)) => *column,
        _ => return 0.5,
    };
    let is_key = |def: &crate::catalog::TableDef| {
        def.indexes.iter().any(|index| index.unique && index.key.len() == 1 && index.key[0].column == column)
    };
    match (op, input) {
        (CompareOp::Eq, Rel::Table { def, .. }) if is_key(def) => 0.0,
        (CompareOp::Eq, _) => 0.1,
        (CompareOp::NotEq, _) => 0.9,
        _ => 0.3,
    }
}

/// A table in trees, perhaps with predicates of its own.
fn inner_side(rel: &Rel) -> Option<Inner<'_>> {
    match rel {
        Rel::Table { def, .. } if def.storage == TableStorage::Trees => {
            Some(Inner { table: rel, predicates: Vec::new() })
        }
        Rel::Filter { input, predicate } => {
            let Inner { table, mut predicates } = inner_side(input)?;
            predicates.extend(conjuncts(predicate.clone()));
            Some(Inner { table, predicates })
        }
        _ => None,
    }
}
