//! The choice of an index.
//!
//! By rules, from the best: all columns of a unique key; the longest prefix of equalities, then a range or list on the
//! next column, then an index that has all columns wanted, then the one whose order is asked for. Where the rule's index
//! narrows, but another one or the whole table might be read for less, the statistics are asked. Where the first rows of an
//! order are taken, an index that gives it is left when they are found, and is weighed by the rows that this takes.

use std::sync::LazyLock;

use millpond_builtin::Volatility;
use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{ForcedPath, SortKey};
use millpond_catalog::{IndexDef, SystemColumn, TableDef};

use crate::embed::embeds;
use crate::estimate::{Fact, cost};
use crate::filtered::follows;
use crate::sargable::Of;
use crate::{Access, BoundAt, Guide, Probe, RangeBound, estimate, sargable};
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

/// Another way than the rule's must cost less than this part of it: figures are estimates.
const CLEARLY: f64 = 0.7;

/// What a statement reads of a table: predicates, columns and order.
pub struct TableRequest<'a> {
    /// The table.
    pub def: &'a TableDef,
    /// Position of the table's first column in the row.
    pub first: usize,
    /// Whether a column of the row that is not the table's is known before the table is read.
    pub is_known: &'a dyn Fn(usize) -> bool,
    /// Predicates that must all be true.
    pub conjuncts: &'a [BoundExpr],
    /// Columns of the table that are read; the predicates' own included.
    pub needed: &'a [usize],
    /// Order wanted, if it is of this table's columns.
    pub order: &'a [SortKey],
    /// About how many rows are taken in that order; none where all are.
    pub goal: Option<f64>,
    /// What hints leave of the ways.
    pub forced: ForcedPath,
    /// The statistics of the tables.
    pub guide: &'a Guide,
}

/// The part of the table's rows that a conjunct lets pass, by statistics of indexes; none when they say nothing of it.
fn share(request: &TableRequest<'_>, conjunct: &BoundExpr) -> Option<f64> {
    let fact = fact(request, conjunct)?;
    estimate::share(request.def, &*request.guide.figures(request.def)?, &fact)
}

/// The best way to the rows.
pub fn choose(request: &TableRequest<'_>) -> Access {
    let sought = if request.forced.is_scan() { &[][..] } else { request.conjuncts };
    let facts: Vec<Fact<'_>> = sought.iter().filter_map(|conjunct| fact(request, conjunct)).collect();
    let indexes = request.def.indexes.iter().enumerate();
    let candidates = indexes.filter(|(position, index)| is_usable(request, *position, index));
    let mut ways: Vec<Access> =
        candidates.map(|(position, index)| candidate(request, &facts, position, index)).collect();
    if let Some(columns) = request.forced.seek_columns() {
        let seeks = |way: &Access| way.sought() >= columns.max(1);
        if ways.iter().any(seeks) {
            ways.retain(seeks);
        }
    }
    let Some(by_rule) = (0..ways.len()).max_by_key(|way| rank(request, &ways[*way])) else {
        return Access::whole(0, true);
    };
    let best = cheapest(request, &ways, by_rule);
    let best = soonest(request, &ways, best);
    let way = ways.swap_remove(best);
    if !way.narrows() && !facts.is_empty() {
        request.guide.note_unserved(request.def);
    }
    way
}

/// Columns of a table that conjuncts compare with single values, and with bounds, that are known before it is read; `first` is the
/// place of its first column.
pub fn compared(def: &TableDef, first: usize, conjuncts: &[BoundExpr]) -> (Vec<usize>, Vec<usize>) {
    let own = Own { types: Types::Table(def), first, is_known: &|_| true };
    let (mut equal, mut bounded) = (Vec::new(), Vec::new());
    for fact in conjuncts.iter().filter_map(|conjunct| fact_of(&own, conjunct)) {
        let to =
            if matches!(fact, Fact::Equal(..) | Fact::Same(..) | Fact::In(..)) { &mut equal } else { &mut bounded };
        if !to.contains(&fact.column()) {
            to.push(fact.column());
        }
    }
    (equal, bounded)
}

/// The columns of a table that a request compares for equality with columns of the row that are not the table's.
pub fn joined(request: &TableRequest<'_>) -> Vec<usize> {
    let its = request.first..request.first + request.def.columns.len();
    let leads = |expr: &BoundExpr| {
        let mut leads = false;
        expr.visit(&mut |node| leads |= matches!(&node.kind, Kind::Column(column) if !its.contains(column)));
        leads
    };
    let facts = request.conjuncts.iter().filter_map(|conjunct| fact(request, conjunct));
    facts.filter(|fact| matches!(fact, Fact::Equal(_, expr) if leads(expr))).map(|fact| fact.column()).collect()
}

/// The position of the way to take where the first rows alone are wanted, `best` being the one for all of them.
fn soonest(request: &TableRequest<'_>, ways: &[Access], best: usize) -> usize {
    let Some(goal) = request.goal.filter(|_| !request.order.is_empty()) else { return best };
    let ordered = |way: &Access| order_of(request, way).is_some();
    if ways[best].single || ordered(&ways[best]) {
        return best;
    }
    let figures = request.guide.figures(request.def);
    let all = match &figures {
        Some(figures) => cost(request.def, figures, &ways[best]),
        None if ways[best].narrows() => None,
        None => Some(estimate::UNMEASURED_ROWS),
    };
    let Some(most) = all.map(|cost| cost * CLEARLY) else { return best };
    let walk = |way: &Access| {
        let rest =
            request.conjuncts.iter().filter(|conjunct| is_own(request, conjunct) && !is_sought(request, way, conjunct));
        let passes = rest.map(|conjunct| share(request, conjunct).unwrap_or_else(|| share_by_rule(request, conjunct)));
        estimate::walk_cost(request.def, figures.as_deref(), way, goal / passes.product::<f64>())
    };
    let costs = ways.iter().enumerate().filter(|(_, way)| ordered(way)).map(|(place, way)| (place, walk(way)));
    let soonest = costs.filter(|(_, cost)| *cost < most).min_by(|(_, a), (_, b)| a.total_cmp(b));
    soonest.map_or(best, |(place, _)| place)
}

/// Whether a conjunct is one of the table alone.
fn is_own(request: &TableRequest<'_>, conjunct: &BoundExpr) -> bool {
    let its = request.first..request.first + request.def.columns.len();
    let mut own = true;
    conjunct.visit(&mut |node| own &= !matches!(&node.kind, Kind::Column(column) if !its.contains(column)));
    own
}

/// Whether a way has looked for what a conjunct says before it reads a row.
fn is_sought(request: &TableRequest<'_>, way: &Access, conjunct: &BoundExpr) -> bool {
    fact(request, conjunct).is_some_and(|fact| {
        let column = fact.column();
        let bounds = way.low.iter().chain(&way.high).map(|bound| &bound.probe);
        way.prefix.iter().chain(&way.list).chain(bounds).any(|probe| probe.column == column)
    })
}

/// The part of the rows that a conjunct lets pass where statistics say nothing of it.
fn share_by_rule(request: &TableRequest<'_>, conjunct: &BoundExpr) -> f64 {
    match fact(request, conjunct) {
        Some(Fact::Equal(..) | Fact::Same(..)) => 0.1,
        Some(Fact::In(_, list)) => (0.1 * list.len() as f64).min(0.5),
        Some(Fact::Range(_, ends)) => {
            if ends.0.is_some() && ends.1.is_some() {
                0.1
            } else {
                0.3
            }
        }
        Some(Fact::Known(_)) => 0.9,
        None => 0.5,
    }
}

/// The position of the way to take, `by_rule` being the rule's.
fn cheapest(request: &TableRequest<'_>, ways: &[Access], by_rule: usize) -> usize {
    let rule = &ways[by_rule];
    let is_open = !rule.covers || ways.iter().filter(|way| way.narrows()).count() > 1;
    if rule.single || !rule.narrows() || ways.len() == 1 || !is_open {
        return by_rule;
    }
    let Some(figures) = request.guide.figures(request.def) else { return by_rule };
    let ordered = |way: &Access| !request.order.is_empty() && order_of(request, way).is_some();
    let must_order = ordered(rule);
    let Some(most) = cost(request.def, &figures, rule).map(|cost| cost * CLEARLY) else { return by_rule };
    if let Some(statistics) = &figures.indexes[rule.index] {
        request.guide.note(request.def, statistics, rule);
    }
    let others = ways.iter().enumerate().filter(|(way, access)| *way != by_rule && (!must_order || ordered(access)));
    let costs = others.filter_map(|(way, access)| Some((way, cost(request.def, &figures, access)?)));
    let best = costs.filter(|(_, cost)| *cost < most).min_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(by_rule, |(way, _)| way)
}

/// A filtered index has not all rows: one is read where a hint names it and the conditions want no other.
fn is_usable(request: &TableRequest<'_>, position: usize, index: &IndexDef) -> bool {
    let is_named = request.forced.index == Some(position);
    let has_all_wanted = || match &index.filter {
        None => true,
        Some(filter) => is_named && follows(&filter.1, request.conjuncts, request.first),
    };
    !index.disabled && (is_named || request.forced.index.is_none()) && has_all_wanted()
}

fn rank(
    request: &TableRequest<'_>,
    access: &Access,
) -> (bool, usize, bool, bool, bool, bool, std::cmp::Reverse<usize>) {
    let index = &request.def.indexes[access.index];
    let ordered = !request.order.is_empty() && order_of(request, access).is_some();
    // An index beside the rows that is not narrowed and does not cover costs a lookup for every row.
    let cheap = access.covers || access.narrows();
    let range = !access.list.is_empty() || access.low.is_some() || access.high.is_some();
    (
        cheap && access.single,
        if cheap { access.prefix.len() * 2 + usize::from(range) } else { 0 },
        access.covers,
        cheap,
        ordered,
        // The narrower of two that cover.
        !index.holds_rows() && access.covers,
        std::cmp::Reverse(index.stored.len()),
    )
}

fn candidate(request: &TableRequest<'_>, facts: &[Fact<'_>], position: usize, index: &IndexDef) -> Access {
    let mut access = Access::whole(position, index.covers(request.needed.iter().copied()));
    for key in &index.key {
        let of_key = || facts.iter().filter(|fact| fact.column() == key.column);
        let equal = of_key().find_map(|fact| match fact {
            Fact::Equal(column, expr) => Some(Probe::equal((*expr).clone(), *column)),
            _ => None,
        });
        // NULL is a value of the key like others.
        let same = || {
            of_key().find_map(|fact| match fact {
                Fact::Same(column, expr) => Some(Probe { finds_null: true, ..Probe::equal((*expr).clone(), *column) }),
                _ => None,
            })
        };
        let equal = equal.or_else(same);
        match equal {
            Some(probe) => access.prefix.push(probe),
            None => {
                bounds(facts, key.column, request.forced.seek_columns().is_some(), &mut access);
                access.skips_null =
                    facts.iter().any(|fact| fact.column() == key.column && !matches!(fact, Fact::In(..)));
                break;
            }
        }
    }
    access.single = index.unique && !index.key.is_empty() && access.prefix.len() == index.key.len();
    access
}

/// `must` says that the rows are not to be read as a whole.
fn bounds(facts: &[Fact<'_>], column: usize, must: bool, access: &mut Access) {
    for fact in facts.iter().filter(|fact| fact.column() == column) {
        let probe = |expr: &BoundExpr| Probe::equal(expr.clone(), column);
        match fact {
            Fact::In(_, list) if access.list.is_empty() => access.list = list.iter().map(probe).collect(),
            // A pattern that is not known may begin with anything: each row would be looked for.
            Fact::Range(_, ends) if !must && !access.covers && ends.0.as_ref().is_some_and(is_open) => {}
            Fact::Range(_, ends) => {
                access.low = access.low.take().or_else(|| ends.0.clone());
                access.high = access.high.take().or_else(|| ends.1.clone());
            }
            _ => {}
        }
    }
    if !access.list.is_empty() {
        access.low = None;
        access.high = None;
    }
}

/// Whether a bound is a pattern that is known when the statement runs.
fn is_open(bound: &RangeBound) -> bool {
    matches!(bound.at, BoundAt::Pattern(_)) && !matches!(bound.probe.expr.kind, Kind::Literal(_))
}

/// What a column equals that IS NULL.
static NULL: LazyLock<BoundExpr> = LazyLock::new(|| BoundExpr::literal(Value::Null, SqlType::Int));

/// What is read: its columns, and what is known before.
struct Own<'a> {
    /// Type of each column.
    types: Types<'a>,
    /// Position of the first one in the row.
    first: usize,
    is_known: &'a dyn Fn(usize) -> bool,
}

#[derive(Clone, Copy)]
enum Types<'a> {
    Table(&'a TableDef),
    View(&'a [SystemColumn]),
}

impl Own<'_> {
    fn len(&self) -> usize {
        match self.types {
            Types::Table(def) => def.columns.len(),
            Types::View(columns) => columns.len(),
        }
    }

    fn ty(&self, column: usize) -> ExprType {
        match self.types {
            Types::Table(def) => def.columns[column].ty,
            Types::View(columns) => columns[column].ty(),
        }
    }
}

/// The values that a conjunct over the row of a system view, which begins the row, lets one of its columns have alone.
pub fn values_of<'a>(columns: &[SystemColumn], conjunct: &'a BoundExpr) -> Option<(usize, &'a [BoundExpr])> {
    let own = Own { types: Types::View(columns), first: 0, is_known: &|column| column >= columns.len() };
    match fact_of(&own, conjunct)? {
        Fact::Equal(column, value) => Some((column, std::slice::from_ref(value))),
        Fact::In(column, values) => Some((column, values)),
        Fact::Same(..) | Fact::Range(..) | Fact::Known(_) => None,
    }
}

pub(crate) fn fact<'a>(request: &TableRequest<'_>, conjunct: &'a BoundExpr) -> Option<Fact<'a>> {
    fact_of(&Own { types: Types::Table(request.def), first: request.first, is_known: request.is_known }, conjunct)
}

fn fact_of<'a>(own: &Own<'_>, conjunct: &'a BoundExpr) -> Option<Fact<'a>> {
    let is_ordered = |column: usize, collation: Collation| {
        let ty = own.ty(column);
        !ty.sql.is_string() || ty.collation == collation
    };
    match &conjunct.kind {
        Kind::Compare(op, left, right, collation) => {
            let sides = [(left, right, *op), (right, left, op.mirrored())];
            let column = sides.into_iter().find_map(|(operand, value, op)| {
                Some((own_column(own, operand).filter(|_| is_probe(own, value))?, &**value, op))
            });
            if let Some((column, value, op)) = column {
                return if is_ordered(column, *collation) { compared_with(column, op, value) } else { None };
            }
            sides.into_iter().find_map(|(operand, value, op)| {
                let (inner, of, instead) = sargable::function_of(operand)?;
                let column =
                    own_column(own, inner).filter(|column| is_probe(own, value) && is_ordered(*column, *collation))?;
                let probe = Probe::equal((**value).clone(), column);
                match (of, instead) {
                    (Of::Instead, Some(instead)) if sargable::excludes(instead, op, value, *collation) => {
                        compared_with(column, op, value)
                    }
                    (Of::Beginning, _) if op == CompareOp::Eq => {
                        Some(Fact::Range(column, Box::new(sargable::around(&probe, &BoundAt::Beginning))))
                    }
                    (Of::Period(period), _) => match sargable::of_period(period, op, &probe) {
                        (None, None) => None,
                        ends => Some(Fact::Range(column, Box::new(ends))),
                    },
                    _ => None,
                }
            })
        }
        Kind::Or(nulls, equal) => {
            let (left, right, collation) = same(nulls, equal)?;
            let column = |operand, value| own_column(own, operand).filter(|_| is_probe(own, value));
            let fact = |operand, value| Some(Fact::Same(column(operand, value)?, value));
            let found = fact(left, right).or_else(|| fact(right, left))?;
            is_ordered(found.column(), collation).then_some(found)
        }
        Kind::InList(operand, list, collation) => {
            let column = own_column(own, operand)?;
            let same = is_ordered(column, *collation);
            (same && list.iter().all(|item| is_probe(own, item))).then_some(Fact::In(column, list))
        }
        // NULL is a value of the key like others.
        Kind::IsNull(operand) => own_column(own, operand).map(|column| Fact::Same(column, &NULL)),
        Kind::Not(operand) => match &operand.kind {
            Kind::IsNull(operand) => own_column(own, operand).map(Fact::Known),
            _ => None,
        },
        Kind::Like { text, pattern, escape, collation } => {
            let column = own_column(own, text)?;
            let is_known = is_probe(own, pattern) && escape.iter().all(|escape| is_probe(own, escape));
            if !is_known || !own.ty(column).sql.is_string() || own.ty(column).collation != *collation {
                return None;
            }
            let probe = Probe::equal((**pattern).clone(), column);
            if let (Kind::Literal(pattern), None) = (&pattern.kind, escape) {
                sargable::beginning(pattern.as_str()?, None, *collation)?;
            }
            Some(Fact::Range(column, Box::new(sargable::around(&probe, &BoundAt::Pattern(escape.clone())))))
        }
        _ => None,
    }
}

/// The operands of a disjunction that says that both are NULL or equal, and the collation by which they are.
fn same<'a>(nulls: &'a BoundExpr, equal: &'a BoundExpr) -> Option<(&'a BoundExpr, &'a BoundExpr, Collation)> {
    let Kind::And(one, other) = &nulls.kind else { return None };
    let (Kind::IsNull(one), Kind::IsNull(other)) = (&one.kind, &other.kind) else { return None };
    let is_known = |expr: &BoundExpr| match &expr.kind {
        Kind::Not(operand) => matches!(&operand.kind, Kind::IsNull(of) if of.same_as(one) || of.same_as(other)),
        _ => false,
    };
    let mut rest = equal;
    while let Kind::And(known, behind) = &rest.kind {
        let each_known = match &known.kind {
            Kind::And(first, second) => is_known(first) && is_known(second),
            _ => is_known(known),
        };
        if !each_known {
            return None;
        }
        rest = behind;
    }
    let Kind::Compare(CompareOp::Eq, left, right, collation) = &rest.kind else { return None };
    let are_these = left.same_as(one) && right.same_as(other) || left.same_as(other) && right.same_as(one);
    are_these.then_some((&**left, &**right, *collation))
}

/// What a comparison of a column with a value says.
fn compared_with(column: usize, op: CompareOp, value: &BoundExpr) -> Option<Fact<'_>> {
    let bound =
        |inclusive| Some(RangeBound { probe: Probe::equal(value.clone(), column), inclusive, at: BoundAt::Value });
    let range = |low, high| Fact::Range(column, Box::new((low, high)));
    Some(match op {
        CompareOp::Eq => Fact::Equal(column, value),
        CompareOp::Gt => range(bound(false), None),
        CompareOp::GtEq => range(bound(true), None),
        CompareOp::Lt => range(None, bound(false)),
        CompareOp::LtEq => range(None, bound(true)),
        CompareOp::NotEq => return None,
    })
}

/// The table's column that an operand is, perhaps in a type that has all its values.
fn own_column(own: &Own<'_>, expr: &BoundExpr) -> Option<usize> {
    match &expr.kind {
        Kind::Column(position) => position.checked_sub(own.first).filter(|column| *column < own.len()),
        Kind::Cast { expr: inner, style: None, try_: false } => {
            let column = own_column(own, inner)?;
            embeds(&inner.ty.sql, &expr.ty.sql).then_some(column)
        }
        _ => None,
    }
}

/// Whether an expression has a value before the table is read.
fn is_probe(own: &Own<'_>, expr: &BoundExpr) -> bool {
    let its = own.first..own.first + own.len();
    let mut known = !needs_plan(expr);
    expr.visit(&mut |node| {
        known &= match &node.kind {
            Kind::Column(column) => !its.contains(column) && (own.is_known)(*column),
            Kind::Outer { .. } => false,
            Kind::Function(def, _) => def.volatility != Volatility::Row,
            _ => true,
        }
    });
    known
}

/// Whether the order wanted is that of the index: `Some(true)` when it is the index read backward. Key columns that have
/// one value need not be asked for. Entries of equal keys lie in the order of their locators, which is that of the clustered
/// key.
///
/// The ranges of several values of a list follow each other in the order of the index.
pub fn order_of(request: &TableRequest<'_>, access: &Access) -> Option<bool> {
    let own =
        |position: usize| position.checked_sub(request.first).filter(|column| *column < request.def.columns.len());
    if access.single {
        // One row is in any order of its own columns. In a join it may be repeated beside many of other tables.
        let is_own = |wanted: &SortKey| matches!(wanted.expr.kind, Kind::Column(position) if own(position).is_some());
        return request.order.iter().all(is_own).then_some(false);
    }
    let index = &request.def.indexes[access.index];
    let fixed = |column: usize| {
        access.prefix.iter().any(|probe| probe.column == column)
            || access.list.len() == 1 && access.list[0].column == column
    };
    let rows = &request.def.indexes[0];
    let after = if index.unique || index.holds_rows() { &[][..] } else { &rows.key[..] };
    // No two entries agree in all of these columns.
    let is_total = index.unique || (!after.is_empty() && rows.unique);
    let mut keys = index.key.iter().chain(after).filter(|key| !fixed(key.column));
    let mut passed: Vec<usize> = Vec::new();
    let mut backward = None;
    for wanted in request.order {
        let Kind::Column(position) = wanted.expr.kind else { return None };
        let column = own(position)?;
        // Under another collation the rows have another order, and equal keys may be different texts.
        let ty = &request.def.columns[column].ty;
        if ty.sql.is_string() && ty.collation != wanted.expr.ty.collation {
            return None;
        }
        if fixed(column) || passed.contains(&column) {
            continue;
        }
        let Some(key) = keys.find(|key| !passed.contains(&key.column)) else {
            // There are no two rows with equal keys, so whatever follows is in order.
            return is_total.then_some(backward.unwrap_or(false));
        };
        passed.push(column);
        if key.column != column {
            return None;
        }
        let turned = key.descending != wanted.descending;
        if backward.is_some_and(|known| known != turned) {
            return None;
        }
        backward = Some(turned);
    }
    Some(backward.unwrap_or(false))
}
