//! Names and numbers as statements about sessions write them.

use millpond_events::object::Named;
use millpond_message::error::SqlError;
use millpond_tsql::ast::ObjectName;

/// The package and the name of an object; a module before them says nothing.
pub(super) fn named(name: &ObjectName) -> Named<'_> {
    let parts = &name.parts;
    let package = parts.len().checked_sub(2).map(|at| parts[at].as_str()).filter(|package| !package.is_empty());
    Named { package, object: name.last() }
}

/// 25623: there is no such object.
pub(super) fn unknown(kind: &str, name: &ObjectName) -> SqlError {
    SqlError::of(25_623, 1, &[&kind, &name.shown()])
}

/// A whole number, which may have a point at its end.
pub(super) fn number_of(digits: &str) -> Option<i128> {
    let whole = digits.split_once('.').map_or(digits, |(whole, _)| whole);
    if whole.is_empty() { None } else { whole.parse().ok() }
}
