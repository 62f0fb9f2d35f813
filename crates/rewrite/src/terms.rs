//! What predicates and other expressions are made of: parts of conjunctions and disjunctions, the columns that they read,
//! and what may be done with them.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, Rel};
use millpond_types::{Collation, SqlType, Value};

pub use millpond_catalog::expr::{conjuncts, disjuncts};

/// The conjunction of predicates.
pub fn all(predicates: Vec<BoundExpr>) -> Option<BoundExpr> {
    balanced(predicates, |left, right| BoundExpr::predicate(Kind::And(Box::new(left), Box::new(right))))
}

/// The parts joined two by two, in their order. The tree is as low as it can be: a recursive walk needs little stack,
/// however many parts a generated text has.
pub fn balanced<T>(mut parts: Vec<T>, join: impl Fn(T, T) -> T) -> Option<T> {
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        parts = Vec::with_capacity(rest.len().div_ceil(2));
        while let Some(left) = rest.next() {
            parts.push(match rest.next() {
                Some(right) => join(left, right),
                None => left,
            });
        }
    }
    parts.pop()
}

/// Whether an expression costs nothing, so that it may be evaluated in several places.
pub fn is_cheap(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Column(_) | Kind::Literal(_) | Kind::Variable(_) | Kind::Outer { .. })
}

/// The column that an expression is.
#[must_use]
pub fn plain(expr: &BoundExpr) -> Option<usize> {
    match expr.kind {
        Kind::Column(column) => Some(column),
        _ => None,
    }
}

/// Which input of a join a predicate speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Neither: it has no columns.
    None,
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// Both.
    Both,
}

/// Which input of a join an expression speaks of, the left one having `width` columns.
pub fn side(expr: &BoundExpr, width: usize) -> Side {
    columns(expr).into_iter().fold(Side::None, |side, column| {
        let here = if column < width { Side::Left } else { Side::Right };
        match side {
            Side::None => here,
            side if side == here => side,
            _ => Side::Both,
        }
    })
}

/// Columns of the input row that an expression reads, its subqueries included.
pub fn columns(expr: &BoundExpr) -> Vec<usize> {
    let mut found = Vec::new();
    expr.visit(&mut |node| match &node.kind {
        Kind::Column(column) => found.push(*column),
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => {
            references(rel, 1, &mut |column| found.push(column));
        }
        _ => {}
    });
    found
}

/// The expression over the right input's own row. Its subqueries, if any, read no outer row (N3).
pub fn shifted(expr: BoundExpr, width: usize) -> BoundExpr {
    moved(expr, &|column| column - width)
}

/// The expression with its columns elsewhere. Its subqueries, if any, do not read them.
#[must_use]
pub fn moved(expr: BoundExpr, to: &dyn Fn(usize) -> usize) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => Ok(BoundExpr::column(to(column), node.ty)),
        _ => Err(node),
    })
}

/// `left = right`
#[must_use]
pub fn equal(left: BoundExpr, right: BoundExpr, collation: Collation) -> BoundExpr {
    BoundExpr::predicate(Kind::Compare(CompareOp::Eq, Box::new(left), Box::new(right), collation))
}

/// That a predicate is false or unknown.
#[must_use]
pub fn not_true(predicate: BoundExpr) -> BoundExpr {
    let number = |value| BoundExpr::literal(Value::Int(value), SqlType::Int);
    let ty = number(0).ty;
    let case = Kind::Case { branches: vec![(predicate, number(1))], otherwise: Some(Box::new(number(0))) };
    let case = BoundExpr { kind: case, ty };
    BoundExpr::predicate(Kind::Compare(CompareOp::Eq, Box::new(case), Box::new(number(0)), Collation::LATIN1_CI_AS))
}

/// The expression over the input of a projection whose columns are `exprs`. A text compares as the column did: COLLATE may have said
/// something else of it than of what the projection computes.
pub fn substitute(expr: BoundExpr, exprs: &[BoundExpr]) -> BoundExpr {
    expr.rewrite(&mut |node| match node.kind {
        Kind::Column(column) => {
            let found = exprs[column].clone();
            let ExprType { collation, label, .. } = node.ty;
            let is_text = node.ty.sql.is_string() && found.ty.sql.is_string();
            Ok(if is_text { BoundExpr { ty: ExprType { collation, label, ..found.ty }, ..found } } else { found })
        }
        _ => Err(node),
    })
}

/// Whether evaluation may end in an error.
pub fn can_fail(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |expr| {
        found |= match &expr.kind {
            Kind::Literal(_)
            | Kind::Variable(_)
            | Kind::Column(_)
            | Kind::Outer { .. }
            | Kind::Compare(..)
            | Kind::And(..)
            | Kind::Or(..)
            | Kind::Not(_)
            | Kind::IsNull(_)
            | Kind::InList(..)
            | Kind::Like { escape: None, .. }
            | Kind::Case { .. } => false,
            Kind::Exists(rel) => query_can_fail(rel),
            _ => true,
        };
    });
    found
}

/// Whether a run of a query may end in an error.
fn query_can_fail(rel: &Rel) -> bool {
    expressions(rel).into_iter().any(can_fail)
        || rel.inputs().into_iter().any(query_can_fail)
        || inner_queries(rel).iter().any(query_can_fail)
}

/// Predicates with what all parts of a disjunction have in common outside of it: `(a AND b) OR (a AND c)` is `a AND
/// (b OR c)`, also where they are unknown.
#[must_use]
pub fn factored(predicates: Vec<BoundExpr>) -> Vec<BoundExpr> {
    let one = |predicate: BoundExpr| match &predicate.kind {
        Kind::Or(..) if !eval::needs_plan(&predicate) && !is_volatile(&predicate) => factor(predicate),
        _ => vec![predicate],
    };
    predicates.into_iter().flat_map(plain_conjuncts).flat_map(one).map(listed).collect()
}

fn factor(disjunction: BoundExpr) -> Vec<BoundExpr> {
    let mut parts: Vec<Vec<BoundExpr>> = disjuncts(disjunction.clone()).into_iter().map(conjuncts).collect();
    let has = |part: &[BoundExpr], wanted: &BoundExpr| part.iter().any(|conjunct| conjunct.same_as(wanted));
    let common: Vec<BoundExpr> =
        parts[0].iter().filter(|wanted| parts.iter().all(|part| has(part, wanted))).cloned().collect();
    if common.is_empty() {
        return vec![disjunction];
    }
    parts.iter_mut().for_each(|part| part.retain(|conjunct| !has(&common, conjunct)));
    let mut predicates = common;
    // A part that is no more than what is common makes the rest true.
    if let Some(rest) = parts.into_iter().map(all).collect::<Option<Vec<BoundExpr>>>() {
        let either = |left, right| BoundExpr::predicate(Kind::Or(Box::new(left), Box::new(right)));
        predicates.extend(rest.into_iter().reduce(either));
    }
    predicates
}

/// The parts of a conjunction, without NOT before comparisons, conjunctions and disjunctions: `NOT (a > 5 AND a <= 9)` is `a <= 5 OR
/// a > 9`, `NOT (a = 1 OR a = 2)` two parts, also where they are unknown.
#[must_use]
pub fn plain_conjuncts(predicate: BoundExpr) -> Vec<BoundExpr> {
    let one = |part: BoundExpr| match part.kind {
        Kind::Not(operand) => conjuncts(negated(*operand, part.ty)),
        _ => vec![part],
    };
    conjuncts(predicate).into_iter().flat_map(one).collect()
}

fn negated(operand: BoundExpr, ty: ExprType) -> BoundExpr {
    let join = |kind: fn(Box<BoundExpr>, Box<BoundExpr>) -> Kind, parts: Vec<BoundExpr>| {
        let parts = parts.into_iter().map(|part| negated(part, ty)).collect();
        balanced(parts, |left, right| BoundExpr { kind: kind(Box::new(left), Box::new(right)), ty })
    };
    let negated = match &operand.kind {
        Kind::And(..) => join(Kind::Or, conjuncts(operand.clone())),
        Kind::Or(..) => join(Kind::And, disjuncts(operand.clone())),
        _ => None,
    };
    negated.unwrap_or_else(|| match operand.kind {
        Kind::Compare(op, left, right, collation) => {
            BoundExpr { kind: Kind::Compare(op.opposite(), left, right, collation), ty }
        }
        Kind::Not(operand) => *operand,
        _ => BoundExpr { kind: Kind::Not(Box::new(operand)), ty },
    })
}

/// A disjunction of equalities of one operand as a list of its values: `a = 1 OR a = 2` is `a IN (1, 2)`, also where it is unknown.
#[must_use]
pub fn listed(predicate: BoundExpr) -> BoundExpr {
    if !matches!(predicate.kind, Kind::Or(..)) || eval::needs_plan(&predicate) || is_volatile(&predicate) {
        return predicate;
    }
    let parts = disjuncts(predicate.clone());
    let Some((operand, collation)) = parts.iter().find_map(sought_operand) else { return predicate };
    let mut values = Vec::with_capacity(parts.len());
    for part in &parts {
        match &part.kind {
            Kind::Compare(CompareOp::Eq, left, right, by) if *by == collation && left.same_as(operand) => {
                values.push((**right).clone());
            }
            Kind::Compare(CompareOp::Eq, left, right, by) if *by == collation && right.same_as(operand) => {
                values.push((**left).clone());
            }
            Kind::InList(left, list, by) if *by == collation && left.same_as(operand) => {
                values.extend(list.iter().cloned());
            }
            _ => return predicate,
        }
    }
    if values.iter().any(|value| value.ty.sql != operand.ty.sql && !value.ty.sql.is_string()) {
        return predicate;
    }
    BoundExpr { kind: Kind::InList(Box::new(operand.clone()), values, collation), ty: predicate.ty }
}

/// The operand of an equality that reads a column, where its other side reads none.
fn sought_operand(part: &BoundExpr) -> Option<(&BoundExpr, Collation)> {
    match &part.kind {
        Kind::Compare(CompareOp::Eq, left, right, collation) => {
            match (columns(left).is_empty(), columns(right).is_empty()) {
                (false, true) => Some((left, *collation)),
                (true, false) => Some((right, *collation)),
                _ => None,
            }
        }
        Kind::InList(operand, _, collation) => Some((operand, *collation)),
        _ => None,
    }
}

/// Whether each row has its own value (NEWID).
pub fn is_volatile(expr: &BoundExpr) -> bool {
    expr.is_volatile()
}

/// A relation with these of its columns, in this order.
pub(crate) fn picked(rel: Rel, places: impl Iterator<Item = usize>) -> Rel {
    let types = rel.types();
    let exprs = places.map(|place| BoundExpr::column(place, types[place])).collect();
    Rel::Project { input: Box::new(rel), exprs }
}

/// Whether a relation reads enclosing queries at least `depth` levels outside.
pub fn reads_beyond(rel: &Rel, depth: usize) -> bool {
    expressions(rel).into_iter().any(|expr| expr_reads_beyond(expr, depth))
        || rel.inputs().into_iter().any(|input| reads_beyond(input, depth))
        || inner_queries(rel).iter().any(|inner| reads_beyond(inner, depth + 1))
}

pub(crate) fn expr_reads_beyond(expr: &BoundExpr, depth: usize) -> bool {
    let mut found = false;
    expr.visit(&mut |node| match &node.kind {
        Kind::Outer { level, .. } => found |= *level >= depth,
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => found |= reads_beyond(rel, depth + 1),
        _ => {}
    });
    found
}

/// Calls `found` with each column of the query `depth` levels outside of `rel` that `rel` or a query inside it reads.
pub fn references(rel: &Rel, depth: usize, found: &mut dyn FnMut(usize)) {
    for expr in expressions(rel) {
        references_of(expr, depth, found);
    }
    for input in rel.inputs() {
        references(input, depth, found);
    }
    for inner in inner_queries(rel) {
        references(inner, depth + 1, found);
    }
}

/// A relation's own expressions, not those of its inputs.
pub fn expressions(rel: &Rel) -> Vec<&BoundExpr> {
    match rel {
        Rel::Table { .. }
        | Rel::View { .. }
        | Rel::Distinct(_)
        | Rel::Text { .. }
        | Rel::Set { .. }
        | Rel::Apply { .. }
        | Rel::Recursive { .. } => Vec::new(),
        Rel::Function(_, args) | Rel::Call(_, args) | Rel::Series { args, .. } | Rel::Unfold { args, .. } => {
            args.iter().collect()
        }
        Rel::Values { rows, .. } | Rel::OrElse { rows, .. } => rows.iter().flatten().collect(),
        Rel::Expand { groups, .. } => groups.iter().collect(),
        Rel::Window { partition, order, calls, .. } => {
            let keys = order.iter().map(|key| &key.expr);
            partition.iter().chain(keys).chain(calls.iter().flat_map(|call| &call.args)).collect()
        }
        Rel::Filter { predicate, .. } => vec![predicate],
        Rel::Project { exprs, .. } => exprs.iter().collect(),
        Rel::Join { on, .. } => on.iter().collect(),
        Rel::Aggregate { groups, aggregates, .. } => {
            groups.iter().chain(aggregates.iter().flat_map(Aggregate::exprs)).collect()
        }
        Rel::Sort { keys, .. } => keys.iter().map(|key| &key.expr).collect(),
        Rel::Top { count, ties, offset, .. } => {
            count.iter().chain(ties.iter().map(|key| &key.expr)).chain(offset).collect()
        }
    }
}

fn references_of(expr: &BoundExpr, depth: usize, found: &mut dyn FnMut(usize)) {
    expr.visit(&mut |node| match &node.kind {
        Kind::Outer { level, column } if *level == depth => found(*column),
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => references(rel, depth + 1, found),
        _ => {}
    });
}

/// Parts of a relation that count as queries of their own.
pub fn inner_queries(rel: &Rel) -> &[Rel] {
    match rel {
        Rel::Apply { right, .. } => std::slice::from_ref(right),
        Rel::Recursive { members, .. } => members,
        _ => &[],
    }
}
