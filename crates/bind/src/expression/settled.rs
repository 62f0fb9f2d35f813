//! Conditions whose answer is known before any row is seen. SQL Server folds them when it compiles: what they hide is never
//! computed, so that `a / 0 = 1 OR 1 = 1` is true of each row, and a result of CASE that is not reached makes no NULL.
//!
//! What always holds: only constants decide, NULL among them, also one that is cast or has a sign, but none that was computed;
//! no variable, no column, no subquery.

use millpond_builtin::eval::{compare_values, is_unicode_like, like};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_types::{SqlType, Value, Watch};

use crate::expression::operator::never_fails;

/// True, false or unknown.
type Truth = Option<bool>;

/// How deep a condition is looked into: what one word of T-SQL becomes (BETWEEN, IS DISTINCT FROM) is no deeper, and the
/// conditions that AND and OR join were folded one by one.
const DEPTH: usize = 6;

/// Longest text that is compared with a pattern before any row is seen.
const TEXT_LEN_MAX: usize = 1000;

/// The condition, as a constant one where its answer is known.
pub(crate) fn folded(condition: BoundExpr) -> BoundExpr {
    // What a key is compared with stays: a seek of NULL finds no row either, and reads none.
    let hides_nothing = match &condition.kind {
        Kind::Compare(_, left, right, _) => never_fails(left) && never_fails(right),
        _ => false,
    };
    match truth(&condition, DEPTH) {
        Some(truth) if !hides_nothing => constant(truth),
        _ => condition,
    }
}

/// A condition that keeps rows: false where no row can make it true, which is less than to know that it is false.
pub(crate) fn filter(condition: BoundExpr) -> BoundExpr {
    let mut rest = vec![&condition];
    while let Some(part) = rest.pop() {
        match &part.kind {
            Kind::And(left, right) => rest.extend([&**left, &**right]),
            Kind::InList(..) | Kind::Not(_) | Kind::Or(..) if is_never(part, true, DEPTH) => {
                return constant(Some(false));
            }
            _ => {}
        }
    }
    condition
}

/// Whether it is true of each row.
pub(crate) fn is_true(condition: &BoundExpr) -> bool {
    truth(condition, DEPTH) == Some(Some(true))
}

/// The branches of a CASE of type `sql` that may be reached, and its ELSE. Where only one result is left, it is that of a
/// branch whose condition is true.
pub(crate) fn reached(
    branches: Vec<(BoundExpr, BoundExpr)>,
    otherwise: Option<BoundExpr>,
    sql: SqlType,
) -> (Vec<(BoundExpr, BoundExpr)>, Option<BoundExpr>) {
    let mut open = Vec::with_capacity(branches.len());
    let mut last = None;
    for (condition, result) in branches {
        match truth(&condition, DEPTH) {
            None => open.push((condition, result)),
            Some(Some(true)) => {
                last = Some(result);
                break;
            }
            Some(_) => {}
        }
    }
    let last = last.or(otherwise);
    if !open.is_empty() {
        return (open, last);
    }
    let only = last.unwrap_or_else(|| BoundExpr::literal(Value::Null, sql));
    (vec![(constant(Some(true)), only)], None)
}

fn constant(truth: Truth) -> BoundExpr {
    let number = |number| BoundExpr::literal(number, SqlType::Int);
    let left = match truth {
        Some(true) => number(Value::Int(1)),
        Some(false) => number(Value::Int(0)),
        None => number(Value::Null),
    };
    let collation = left.ty.collation;
    BoundExpr::predicate(Kind::Compare(CompareOp::Eq, Box::new(left), Box::new(number(Value::Int(1))), collation))
}

/// The answer of a condition where it is known.
fn truth(condition: &BoundExpr, depth: usize) -> Option<Truth> {
    let depth = depth.checked_sub(1)?;
    match &condition.kind {
        Kind::And(left, right) => match (truth(left, depth), truth(right, depth)) {
            (Some(Some(false)), _) | (_, Some(Some(false))) => Some(Some(false)),
            (Some(left), Some(right)) => Some(left.and(right)),
            _ => None,
        },
        Kind::Or(left, right) => match (truth(left, depth), truth(right, depth)) {
            (Some(Some(true)), _) | (_, Some(Some(true))) => Some(Some(true)),
            (Some(left), Some(right)) => Some(left.and(right)),
            _ => None,
        },
        Kind::Not(of) => Some(truth(of, depth)?.map(|truth| !truth)),
        Kind::IsNull(of) => Some(Some(known(of)?.is_null())),
        Kind::Compare(op, left, right, collation) => match (known(left), known(right)) {
            (Some(Value::Null), _) | (_, Some(Value::Null)) => Some(None),
            (Some(left), Some(right)) => Some(compare_values(*op, left, right, *collation)),
            _ => None,
        },
        Kind::InList(of, list, collation) => {
            let of = known(of);
            if of == Some(&Value::Null) || list.iter().all(is_null) {
                return Some(None);
            }
            let of = of?;
            let mut any = Some(false);
            for item in list {
                match compare_values(CompareOp::Eq, of, known(item)?, *collation) {
                    Some(true) => return Some(Some(true)),
                    Some(false) => {}
                    None => any = None,
                }
            }
            Some(any)
        }
        Kind::Like { text, pattern, escape, collation } => {
            let unicode = is_unicode_like(text, pattern);
            let (text, pattern) = (known(text)?, known(pattern)?);
            let is_short = |value: &Value| value.as_str().is_none_or(|text| text.len() <= TEXT_LEN_MAX);
            if !is_short(text) || !is_short(pattern) {
                return None;
            }
            let escape = match escape {
                None => None,
                Some(escape) => Some(known(escape)?),
            };
            like(Watch::NONE, (text, pattern), escape, *collation, unicode).ok()
        }
        _ => None,
    }
}

/// Whether no row makes a condition `wanted`.
fn is_never(condition: &BoundExpr, wanted: bool, depth: usize) -> bool {
    if let Some(truth) = truth(condition, depth) {
        return truth != Some(wanted);
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    match &condition.kind {
        Kind::And(left, right) if wanted => is_never(left, true, depth) || is_never(right, true, depth),
        Kind::And(left, right) => is_never(left, false, depth) && is_never(right, false, depth),
        Kind::Or(left, right) if wanted => is_never(left, true, depth) && is_never(right, true, depth),
        Kind::Or(left, right) => is_never(left, false, depth) || is_never(right, false, depth),
        Kind::Not(of) => is_never(of, !wanted, depth),
        // No value is known to be other than NULL.
        Kind::InList(_, list, _) => !wanted && list.iter().any(is_null),
        _ => false,
    }
}

fn is_null(expr: &BoundExpr) -> bool {
    known(expr) == Some(&Value::Null)
}

/// The value of a constant.
fn known(expr: &BoundExpr) -> Option<&Value> {
    match &expr.kind {
        Kind::Literal(value) => Some(value),
        Kind::Cast { expr: of, .. } | Kind::Negate(of) => known(of).filter(|value| value.is_null()),
        _ => None,
    }
}
