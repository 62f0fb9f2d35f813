//! Where rows come from: leaves of tables, views, functions and given rows, and plans that are no more than a leaf.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, TableScan, TableScanBuilder};
use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{ForcedPath, Rel, SortKey, first_rows};
use millpond_catalog::{TableDef, TableStorage};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use crate::lower::{seek_join, size};
use crate::lowering::{Lowered, Lowering, OuterColumn};
use crate::run::failure;
use crate::run::failure::planned;
use crate::scan::filter::Predicate;
use crate::scan::leaf::{Leaf, LeafSource, Origin};
use crate::scan::rowwise::RowPlan;
use millpond_rewrite::terms::{columns, conjuncts};
use millpond_seek::narrow::Narrowing;
use millpond_seek::{Access, Guide, TableRequest, choose, narrower, obeys as obeys_hints, order_of};

/// The leaf of a table, view or function that delivers rows for which all `predicates` are true.
pub(crate) fn leaf_of(lowering: &Lowering<'_>, rel: &Rel, predicates: &[BoundExpr]) -> SqlResult<Leaf> {
    leaf_in_order(lowering, rel, predicates, (&[], None)).map(|(leaf, _)| leaf)
}

/// The same of a table whose rows queries are asked about too: SQL Server may look for what these say, which FORCESEEK is content with.
pub(crate) fn leaf_below_queries(
    lowering: &Lowering<'_>,
    rel: &Rel,
    predicates: &[BoundExpr],
    queries: &[BoundExpr],
) -> SqlResult<Leaf> {
    match rel {
        Rel::Table { binding, def, with_rid, forced } if forced.seek_columns().is_some() && lead(def, queries) => {
            let forced = ForcedPath { operation: None, ..*forced };
            let rel = Rel::Table { binding: *binding, def: Arc::clone(def), with_rid: *with_rid, forced };
            leaf_of(lowering, &rel, predicates)
        }
        rel => leaf_of(lowering, rel, predicates),
    }
}

/// Whether predicates are about the first column of an index.
fn lead(def: &TableDef, predicates: &[BoundExpr]) -> bool {
    let is_first =
        |column: usize| def.indexes.iter().any(|index| index.key.first().is_some_and(|key| key.column == column));
    let mut leads = false;
    predicates.iter().for_each(|predicate| {
        predicate.visit(&mut |node| leads |= matches!(node.kind, Kind::Column(column) if is_first(column)));
    });
    leads
}

/// The same where about so many of its rows are taken in an order, and whether it gives that.
fn leaf_in_order(
    lowering: &Lowering<'_>,
    rel: &Rel,
    predicates: &[BoundExpr],
    wanted: (&[SortKey], Option<f64>),
) -> SqlResult<(Leaf, bool)> {
    let origin = match rel {
        Rel::Table { binding, def, .. } => Origin::Table { binding: *binding, def: Arc::clone(def) },
        Rel::View { view, database } => Origin::View(view, *database, None),
        Rel::Function(function, args) => Origin::Function(function, over_outer(lowering, args, 0)),
        Rel::Call(function, args) => Origin::Call(Arc::clone(function), over_outer(lowering, args, 0)),
        Rel::Unfold { by, args, .. } => Origin::Unfold(Arc::clone(by), over_outer(lowering, args, 0)),
        Rel::Values { rows, .. } => Origin::Values(rows.iter().map(|row| over_outer(lowering, row, 0)).collect()),
        _ => return Err(failure::internal("a leaf was expected")),
    };
    let types: Vec<SqlType> = rel.types().iter().map(|ty| ty.sql).collect();
    let stored = if let Rel::Table { def, .. } = rel { def.columns.len() } else { 0 };
    let predicates = over_outer(lowering, predicates, types.len());
    let way = tree_access(rel, &predicates, types.len(), wanted, &lowering.options.guide);
    if !way.as_ref().map_or_else(|| may_be_whole(rel), |way| way.obeys) {
        return Err(SqlError::of(8622, 1, &[]));
    }
    let (access, ordered) = way.map_or((None, false), |way| (Some(way.access), way.ordered));
    let origin = match origin {
        Origin::View(view, database, _) => Origin::View(view, database, Narrowing::of(view, &predicates)),
        origin => origin,
    };
    let shown = predicates.clone();
    let expected = size::passed(lowering, rel, &predicates);
    let predicate = Predicate::new(predicates, stored, types.len());
    Ok((Leaf { access, shown, expected, ..leaf(lowering, origin, types, predicate) }, ordered))
}

/// Whether a table is not read as a whole for the rows that fulfil some conditions.
pub(crate) fn seeks(lowering: &Lowering<'_>, table: &Rel, predicates: &[BoundExpr]) -> bool {
    tree_access(table, predicates, table.types().len(), (&[], None), &lowering.options.guide)
        .is_some_and(|way| way.access.narrows())
}

/// Whether the rows of a table that fulfil some conditions may be read as its hints say.
pub(crate) fn obeys(lowering: &Lowering<'_>, table: &Rel, predicates: &[BoundExpr]) -> bool {
    tree_access(table, predicates, table.types().len(), (&[], None), &lowering.options.guide)
        .map_or_else(|| may_be_whole(table), |way| way.obeys)
}

/// Whether the hints of what has no trees let it be read as a whole.
fn may_be_whole(rel: &Rel) -> bool {
    !matches!(rel, Rel::Table { forced, .. } if forced.seek_columns().is_some())
}

/// What it costs to look for the rows of a table that fulfil some conditions, in rows of a scan; none where no index leads to them.
pub(crate) fn seek_cost(lowering: &Lowering<'_>, table: &Rel, predicates: &[BoundExpr]) -> Option<f64> {
    let Rel::Table { def, .. } = table else { return None };
    let TreeWay { access, .. } =
        tree_access(table, predicates, table.types().len(), (&[], None), &lowering.options.guide)?;
    access.narrows().then(|| seek_join::seek_cost(lowering, def, &access))
}

/// Whether an index leads to rows of tables that a relation reads by values of outer rows: to those that are equal, or between two.
pub(crate) fn is_led_by_outer(lowering: &Lowering<'_>, rel: &Rel) -> bool {
    let (input, predicate) = match rel {
        Rel::Filter { input, predicate } if matches!(**input, Rel::Table { .. }) => (input, predicate),
        rel => return rel.inputs().into_iter().any(|input| is_led_by_outer(lowering, input)),
    };
    let width = input.width();
    let over_outer = |conjunct: BoundExpr| {
        conjunct.rewrite(&mut |node| match node.kind {
            Kind::Outer { column, .. } => Ok(BoundExpr::column(width + column, node.ty)),
            _ => Err(node),
        })
    };
    let conjuncts: Vec<BoundExpr> =
        conjuncts(predicate.clone()).into_iter().filter(|part| !eval::needs_plan(part)).map(over_outer).collect();
    let Some(TreeWay { access, .. }) = tree_access(input, &conjuncts, width, (&[], None), &lowering.options.guide)
    else {
        return false;
    };
    let reads = |expr: &BoundExpr| columns(expr).into_iter().any(|column| column >= width);
    let bounds = [&access.low, &access.high];
    access.prefix.iter().any(|probe| reads(&probe.expr))
        || bounds.iter().all(|bound| bound.as_ref().is_some_and(|bound| reads(&bound.probe.expr)))
}

pub(crate) fn leaf(lowering: &Lowering<'_>, origin: Origin, types: Vec<SqlType>, predicate: Option<Predicate>) -> Leaf {
    Leaf {
        origin,
        types,
        predicate: predicate.map(Arc::new),
        shown: Vec::new(),
        access: None,
        expected: None,
        cell: Arc::clone(&lowering.cell),
        outer: lowering.outer.as_ref().map(|outer| Arc::clone(&outer.row)),
        batch_rows: lowering.options.batch_rows,
        given: AtomicU64::new(0),
    }
}

/// A leaf as a plan; `predicates` are those that `leaf_of` made it of.
pub(crate) fn scan(lowering: &Lowering<'_>, leaf: Leaf, predicates: &[BoundExpr]) -> SqlResult<Lowered> {
    let table = format!("t{}", lowering.next_number());
    let names: Vec<String> = leaf.types.iter().map(|_| lowering.next_name()).collect();
    let schema = leaf.schema(&names);
    let columns: Vec<Column> = names.into_iter().map(|name| Column::new(Some(table.clone()), name)).collect();
    let predicate = match (&leaf.origin, &leaf.predicate) {
        (Origin::Table { .. }, Some(predicate)) => lowering.conjunction(&predicate.untested(predicates), &columns)?,
        _ => None,
    };
    let source = LeafSource { schema, leaf: Arc::new(leaf), predicate };
    let scan: TableScan = planned(TableScanBuilder::new(table, Arc::new(source)).build())?;
    Ok(Lowered { plan: LogicalPlan::TableScan(scan), columns })
}

/// The relation as a plan without operators, if it is no more than that.
pub(crate) fn rowwise(lowering: &Lowering<'_>, rel: &Rel) -> SqlResult<Option<RowPlan>> {
    let (rel, exprs) = match rel {
        Rel::Project { input, exprs } => (&**input, Some(exprs)),
        rel => (rel, None),
    };
    let (rel, top) = match rel {
        Rel::Top { input, count, percent: false, ties, offset: None } if ties.is_empty() => (&**input, count.as_ref()),
        rel => (rel, None),
    };
    let (rel, order) = match rel {
        Rel::Sort { input, keys } => (&**input, &keys[..]),
        rel => (rel, &[][..]),
    };
    let (rel, predicates) = match rel {
        Rel::Filter { input, predicate } => (&**input, conjuncts(predicate.clone())),
        rel => (rel, Vec::new()),
    };
    // FAST is said of the statement, not of queries inside of it.
    let early = lowering.options.first_rows.filter(|_| lowering.outer.is_none());
    // Of many rows that a predicate drops several threads find and sort the others.
    if top.is_none()
        && early.is_none()
        && !order.is_empty()
        && !predicates.is_empty()
        && !seeks(lowering, rel, &predicates)
    {
        return Ok(None);
    }
    let own = match rel {
        Rel::Table { .. } | Rel::View { .. } => &[],
        Rel::Function(_, args) | Rel::Call(_, args) | Rel::Unfold { args, .. } => args.as_slice(),
        Rel::Values { rows, .. } if rows.iter().flatten().any(eval::needs_plan) => return Ok(None),
        Rel::Values { .. } => &[],
        _ => return Ok(None),
    };
    if own.iter().chain(&predicates).chain(exprs.into_iter().flatten()).chain(top).any(eval::needs_plan) {
        return Ok(None);
    }
    let (leaf, ordered) =
        leaf_in_order(lowering, rel, &predicates, (order, top.map(|top| first_rows(Some(top), None)).or(early)))?;
    if !order.is_empty() && !ordered {
        return Ok(None);
    }
    let exprs = match exprs {
        Some(exprs) => over_outer(lowering, exprs, leaf.types.len()),
        None => rel.types().into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect(),
    };
    let top = top.and_then(|top| over_outer(lowering, std::slice::from_ref(top), 0).pop());
    Ok(Some(RowPlan { ordered, ..RowPlan::new(leaf, top, exprs) }))
}

/// One row without columns.
pub(crate) fn one_row(lowering: &Lowering<'_>) -> SqlResult<Lowered> {
    scan(lowering, leaf(lowering, Origin::Values(vec![Vec::new()]), Vec::new(), None), &[])
}

/// Expressions that see the outer row as columns from `base` on instead of [`Kind::Outer`].
pub(crate) fn over_outer(lowering: &Lowering<'_>, exprs: &[BoundExpr], base: usize) -> Vec<BoundExpr> {
    let mut replace = |node: BoundExpr| match node.kind {
        Kind::Outer { level, column } => {
            let index = lowering.outer_index(OuterColumn { level, column, ty: node.ty });
            Ok(BoundExpr::column(base + index, node.ty))
        }
        _ => Err(node),
    };
    exprs.iter().map(|expr| expr.clone().rewrite(&mut replace)).collect()
}

/// A way to the rows of a table in trees.
struct TreeWay {
    access: Access,
    /// It gives the order that is asked for.
    ordered: bool,
    /// It is one that the table's hints leave.
    obeys: bool,
}

/// The way to the rows of a table in trees, about `goal` of which are taken in an order; columns from `width` on are the outer row's.
fn tree_access(
    rel: &Rel,
    predicates: &[BoundExpr],
    width: usize,
    (order, goal): (&[SortKey], Option<f64>),
    guide: &Guide,
) -> Option<TreeWay> {
    let Rel::Table { def, forced, .. } = rel else { return None };
    if def.storage != TableStorage::Trees {
        return None;
    }
    let needed: Vec<usize> = (0..def.columns.len()).collect();
    let request = TableRequest {
        def,
        first: 0,
        is_known: &|column| column >= width,
        conjuncts: predicates,
        needed: &needed,
        order,
        goal,
        forced: *forced,
        guide,
    };
    let access = choose(&request);
    let given = if order.is_empty() { None } else { order_of(&request, &access) };
    let obeys = obeys_hints(&request, &access);
    // Predicates are tested on whole records.
    let covers = def.indexes[access.index].holds_rows();
    let narrower = if order.is_empty() { narrower(def, &access, forced.index, guide) } else { Vec::new() };
    let access = Access { covers, narrower, backward: given == Some(true), ..access };
    Some(TreeWay { access, ordered: given.is_some(), obeys })
}
