//! Joins of few rows with a large table by an index of it: for each of the few the keys that it wants.
//!
//! ```text
//!   few JOIN large ON large.k = few.x   ──▶   few APPLY (rows of large where k = the present row's x)
//! ```
//!
//! K1: only where the sizes of the tables, as they were when the plan was made, say that seeks read less than the table
//! has; the plan cache has another plan made when sizes have changed much. Where hints leave nothing but loops, they are seeks
//! wherever an index leads, whatever the sizes. K2: the condition is evaluated on each row found, so a seek may be wider than it.
//! K3: many rows in few ranges of the clustered index are better read by a scan, batch by batch and on several threads, that a bitmap
//! keeps in these ranges ([`millpond_seek::KeyRanges`]).

use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{JoinMethods, Rel};
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::{TableDef, TableStorage};
use millpond_message::error::SqlResult;

use crate::expression::convert;
use crate::lower::{apply, size};
use crate::lowering::{Lowered, Lowering};
use crate::operator::build::is_mappable;
use millpond_rewrite::terms::{all, conjuncts, is_volatile};
use millpond_seek::choose::joined;
use millpond_seek::narrow::Narrowing;
use millpond_seek::{Access, ENTRIES_PER_RANGE, SEEK_ROWS, TableRequest, choose, cost, obeys};

/// Rows that a scan reads in the time of a seek of which is not known how many rows it finds.
const UNKNOWN_ROWS: f64 = 100.0;
/// What a row of a join costs beside its seek, in rows of a scan: four microseconds, where a scan reads a row in less than a tenth of one.
pub(crate) const JOIN_ROWS: f64 = 30.0;
/// What a run of EXISTS for one outer row costs beside its seek, in rows of a scan.
pub(crate) const CONDITION_ROWS: f64 = 200.0;
/// The same of a run of an aggregate.
pub(crate) const AGGREGATE_ROWS: f64 = 2000.0;
/// So many rows found make it worth while to scan their ranges instead (K3).
const RANGES_ROWS: f64 = 20_000.0;
/// Tables below this are read at once.
pub(crate) const LARGE_ROWS: u64 = 1000;
/// A system view is not asked for the objects of more rows than this one by one.
const VIEW_SEEKS_MAX: f64 = 100.0;

/// The side of a join that indexes lead into.
struct Inner<'a> {
    /// The table or view.
    table: &'a Rel,
    /// What its own rows are asked.
    predicates: Vec<BoundExpr>,
}

/// The rows that an index leads from.
#[derive(Clone, Copy)]
pub(crate) struct Outer {
    /// Their columns.
    pub(crate) width: usize,
    /// About how many they are.
    pub(crate) rows: Option<f64>,
    /// What is done for each beside its seek, in rows of a scan.
    pub(crate) run_rows: f64,
    /// How the join may be run.
    pub(crate) methods: JoinMethods,
    /// Seeks are not better where the bitmap of a hash join leads a scan to the same rows, and they are many (K3).
    pub(crate) may_hash: bool,
}

/// The outer join by an index of its right side, if that is better.
pub(crate) fn seek_left_join(
    lowering: &Lowering<'_>,
    left: &Rel,
    right: &Rel,
    on: &BoundExpr,
    methods: JoinMethods,
) -> SqlResult<Option<Lowered>> {
    let width = left.width();
    let to_right = |column: usize| column.checked_sub(width);
    let few = Outer { width, rows: size::estimate(lowering, left), run_rows: JOIN_ROWS, methods, may_hash: true };
    match sought(lowering, few, right, &conjuncts(on.clone()), &to_right) {
        Some(sought) => apply::apply(lowering, left, &sought, true).map(Some),
        None => Ok(None),
    }
}

/// The rows of `inner` that the present row of the other side wants; `own` says which of the join's columns are `inner`'s.
pub(crate) fn sought(
    lowering: &Lowering<'_>,
    outer: Outer,
    inner: &Rel,
    on: &[BoundExpr],
    own: &dyn Fn(usize) -> Option<usize>,
) -> Option<Rel> {
    if !outer.methods.loops {
        return None;
    }
    let Inner { table, predicates } = inner_side(inner)?;
    if on.iter().chain(&predicates).any(|conjunct| needs_plan(conjunct) || is_volatile(conjunct)) {
        return None;
    }
    let width = table.width();
    // Columns of the other side count on after the table's.
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
    if !is_worth(lowering, outer, table, &placed) {
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

/// Whether to look for each row of the other side for its rows of a table or view is better than to read it as a whole;
/// the conditions see the other side's columns after its own.
fn is_worth(lowering: &Lowering<'_>, outer: Outer, inner: &Rel, conditions: &[BoundExpr]) -> bool {
    let width = inner.width();
    let must = outer.methods.are_loops();
    let Some(outer_rows) = outer.rows.or(must.then_some(1.0)) else { return false };
    let leads = |expr: &BoundExpr| {
        let mut leads = false;
        expr.visit(&mut |node| leads |= matches!(node.kind, Kind::Column(column) if column >= width));
        leads
    };
    let (binding, def, forced) = match inner {
        Rel::Table { binding, def, forced, .. } => (*binding, def, *forced),
        Rel::View { view, .. } => {
            let narrowing = Narrowing::of(view, conditions);
            return (must || outer_rows <= VIEW_SEEKS_MAX) && narrowing.is_some_and(|it| it.values.iter().any(leads));
        }
        _ => return false,
    };
    let needed: Vec<usize> = (0..def.columns.len()).collect();
    let request = TableRequest {
        def,
        first: 0,
        is_known: &|column| (width..width + outer.width).contains(&column),
        conjuncts: conditions,
        needed: &needed,
        order: &[],
        goal: None,
        forced,
        guide: &lowering.options.guide,
    };
    let access = choose(&request);
    let rows = lowering.options.table_rows.get(binding).copied().unwrap_or(0);
    if !access.narrows() && rows >= LARGE_ROWS && outer_rows * UNKNOWN_ROWS <= rows as f64 {
        let columns = joined(&request);
        if !columns.is_empty() {
            lowering.options.guide.note_join(def, columns);
        }
    }
    let seeks = || outer_rows * (outer.run_rows + seek_cost(lowering, def, &access));
    let is_cheap = || rows >= LARGE_ROWS && seeks() <= rows as f64 / scan_threads(lowering, binding);
    // FORCESEEK of what nothing else leads to.
    let is_forced = forced.seek_columns().is_some() && {
        let own: Vec<BoundExpr> = conditions.iter().filter(|condition| !leads(condition)).cloned().collect();
        !obeys(&TableRequest { conjuncts: &own, ..request }, &choose(&TableRequest { conjuncts: &own, ..request }))
    };
    if is_forced {
        let bounds = access.low.iter().chain(&access.high).map(|bound| &bound.probe);
        return access.prefix.iter().chain(&access.list).chain(bounds).any(|probe| leads(&probe.expr));
    }
    let by_ranges = || outer.may_hash && outer.methods.hashes && are_ranges(lowering, def, &access, (outer_rows, rows));
    access.prefix.iter().any(|probe| leads(&probe.expr)) && (must || is_cheap() && !by_ranges())
}

/// Whether a scan that asks a bitmap of the other side's keys reads the rows that seeks find, and these are many.
fn are_ranges(lowering: &Lowering<'_>, def: &TableDef, access: &Access, (outer_rows, rows): (f64, u64)) -> bool {
    let [probe] = access.prefix.as_slice() else { return false };
    let (index, column) = (&def.indexes[access.index], probe.column);
    let leads = index.holds_rows() && index.key.first().is_some_and(|key| key.column == column);
    let is_whole_number = is_mappable(&convert::data_type(&def.columns[column].ty.sql));
    if !leads || !is_whole_number || !matches!(probe.expr.kind, Kind::Column(_)) || !lowering.runs_once() {
        return false;
    }
    let is_few = outer_rows <= rows as f64 / ENTRIES_PER_RANGE as f64;
    let found = |keys: &Statistics| outer_rows * keys.density(1) * rows as f64;
    is_few && lowering.options.guide.column_statistics(def, column).is_some_and(|keys| found(&keys) >= RANGES_ROWS)
}

/// How many threads would scan a table: seeks are made by one, and so is all of a plan that runs for each row of another one.
fn scan_threads(lowering: &Lowering<'_>, binding: usize) -> f64 {
    let options = lowering.options;
    if lowering.runs_once() && options.is_large(binding) { options.degree as f64 } else { 1.0 }
}

/// What the rows of one seek cost, in rows of a scan.
pub(crate) fn seek_cost(lowering: &Lowering<'_>, def: &TableDef, access: &Access) -> f64 {
    let figures = || lowering.options.guide.figures(def);
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

/// A table in trees or a system view, perhaps with predicates of its own.
fn inner_side(rel: &Rel) -> Option<Inner<'_>> {
    match rel {
        Rel::Table { def, .. } if def.storage == TableStorage::Trees => {
            Some(Inner { table: rel, predicates: Vec::new() })
        }
        Rel::View { .. } => Some(Inner { table: rel, predicates: Vec::new() }),
        Rel::Filter { input, predicate } => {
            let Inner { table, mut predicates } = inner_side(input)?;
            predicates.extend(conjuncts(predicate.clone()));
            Some(Inner { table, predicates })
        }
        _ => None,
    }
}
