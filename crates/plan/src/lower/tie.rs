//! What ties an inner query to its outer row: keys that rows have in common, and other conditions that they meet.

use millpond_builtin::eval;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::Rel;
use millpond_rewrite::keyed::{KeyOf, Keyed, keyed};
use millpond_rewrite::terms::Side;
use millpond_rewrite::{outer, terms};
use millpond_types::collation::Collation;

/// `outer = inner`
pub(crate) struct Key {
    /// Over the outer row.
    pub(crate) outer: BoundExpr,
    /// Over the base.
    pub(crate) inner: BoundExpr,
    pub(crate) collation: Collation,
}

impl Key {
    /// The equality over outer ++ base, the outer row having so many columns.
    pub(crate) fn over_both(&self, width: usize) -> BoundExpr {
        let inner = terms::moved(self.inner.clone(), &|column| width + column);
        terms::equal(self.outer.clone(), inner, self.collation)
    }
}

/// The relation in which EXISTS or IN looks for a row, and the keys that this has in common with the outer one, of so many columns;
/// none when it asks for more than these.
pub(crate) fn members(condition: &BoundExpr, width: usize) -> Option<(Rel, Vec<Key>)> {
    let (base, on) = met(condition, width, false)?;
    let keys = on.into_iter().map(|conjunct| key(conjunct, width)).collect::<Option<Vec<Key>>>()?;
    Some((base, keys))
}

/// The relation in which EXISTS or IN looks for a row, and what that must meet, over outer ++ base, so that it is true, or unknown too;
/// none of nothing.
pub(crate) fn met(condition: &BoundExpr, width: usize, unknown_too: bool) -> Option<(Rel, Vec<BoundExpr>)> {
    let (rel, member) = match &condition.kind {
        Kind::Exists(rel) => (rel, None),
        Kind::InQuery(operand, rel, collation) => (rel, Some((&**operand, *collation))),
        _ => return None,
    };
    let outer::Joinable { base, mut on, output, .. } = outer::joinable(rel, width)?;
    if let (Some((operand, collation)), Some(output)) = (member, output) {
        if eval::needs_plan(operand) {
            return None;
        }
        let nullable = operand.ty.nullable || output.ty.nullable;
        on.push(membership(operand, output, collation, unknown_too && nullable));
    }
    (!on.is_empty() && !on.iter().any(terms::is_volatile)).then_some((base, on))
}

/// An equality between the outer row, of so many columns, and the inner one after it. Texts that are one key to the inner
/// column's groups are one to the comparison.
pub(crate) fn key(conjunct: BoundExpr, width: usize) -> Option<Key> {
    let Kind::Compare(CompareOp::Eq, a, b, collation) = conjunct.kind else { return None };
    let (outer, inner) = match (terms::side(&a, width), terms::side(&b, width)) {
        (Side::Left, Side::Right) => (*a, *b),
        (Side::Right, Side::Left) => (*b, *a),
        _ => return None,
    };
    let is_one = !inner.ty.sql.is_string() || inner.ty.collation == collation;
    is_one.then(|| Key { outer, inner: terms::shifted(inner, width), collation })
}

/// A relation whose rows equalities alone tie to the outer row, of all outer rows ([`millpond_rewrite::keyed`]); without keys where it
/// reads none.
pub(crate) fn pulled(rel: &Rel) -> Option<(Rel, Vec<Key>)> {
    if !outer::reads_beyond(rel, 1) {
        return Some((rel.clone(), Vec::new()));
    }
    let Keyed { rel: base, keys } = keyed(rel)?;
    let width = rel.width();
    let key = |(place, key): (usize, KeyOf)| Key {
        outer: key.outer,
        inner: BoundExpr::column(width + place, key.ty),
        collation: key.collation,
    };
    Some((base, keys.into_iter().enumerate().map(key).collect()))
}

/// `operand = output`; for NOT IN with NULLs about, also what makes the equality unknown, since a row for which
/// membership is unknown does not pass either.
pub(crate) fn membership(operand: &BoundExpr, output: BoundExpr, collation: Collation, unknown_too: bool) -> BoundExpr {
    let equal = terms::equal(operand.clone(), output.clone(), collation);
    if !unknown_too {
        return equal;
    }
    let is_null = |expr: BoundExpr| BoundExpr::predicate(Kind::IsNull(Box::new(expr)));
    let or = |a: BoundExpr, b: BoundExpr| BoundExpr::predicate(Kind::Or(Box::new(a), Box::new(b)));
    or(or(equal, is_null(operand.clone())), is_null(output))
}
