//! Comparisons of two values.

use std::cmp::Ordering;

use crate::xquery::ast::Compare;
use crate::xquery::atom::Atom;

/// Whether a comparison holds; one of values that do not compare does not.
pub(super) fn holds(op: Compare, left: &Atom, right: &Atom) -> bool {
    let Some(order) = left.order(right) else {
        // NaN differs from every number.
        return op == Compare::Ne && left.number().is_some() && right.number().is_some();
    };
    match op {
        Compare::Eq => order == Ordering::Equal,
        Compare::Ne => order != Ordering::Equal,
        Compare::Lt => order == Ordering::Less,
        Compare::Le => order != Ordering::Greater,
        Compare::Gt => order == Ordering::Greater,
        Compare::Ge => order != Ordering::Less,
    }
}
