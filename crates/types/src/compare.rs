//! Order of two values of one type.

use crate::collation::Collation;
use crate::value::Value;
use std::cmp::Ordering;

/// Compares two values of the same type; NULL comes first, as ORDER BY has it.
#[must_use]
pub fn compare(_a: &Value, _b: &Value, _collation: Collation) -> Ordering {
    todo!()
}
/// Whether two values of the same type are equal; NULL equals NULL, as GROUP BY has it.
#[must_use]
pub fn equal(_a: &Value, _b: &Value, _collation: Collation) -> bool {
    todo!()
}
