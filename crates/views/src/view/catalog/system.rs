//! The views and table-valued functions of the server as objects, with their numbers: below zero, stable for a version.

use millpond_catalog::SystemColumn;
use millpond_catalog::system_view::SystemObject;

use crate::view::catalog::base_objects::BASE_OBJECTS;
use crate::view::{FUNCTIONS, VIEWS};

/// Above the numbers of system views; those of procedures (`system_objects`) follow.
const VIEW_ID_BASE: i32 = -1000;
/// Above those of table-valued functions.
const FUNCTION_ID_BASE: i32 = -5000;

/// The number of `INFORMATION_SCHEMA` and of `sys`.
fn schema_id(schema: &str) -> i32 {
    if schema.eq_ignore_ascii_case("INFORMATION_SCHEMA") { 3 } else { 4 }
}

/// The views.
pub(crate) fn views() -> impl Iterator<Item = SystemObject> {
    VIEWS.iter().zip(0..).map(|(view, index)| SystemObject {
        id: VIEW_ID_BASE - index,
        name: view.name,
        schema_id: schema_id(view.schema),
        kind: "V",
    })
}

/// The table-valued functions.
pub(crate) fn functions() -> impl Iterator<Item = SystemObject> {
    FUNCTIONS.iter().zip(0..).map(|(function, index)| SystemObject {
        id: FUNCTION_ID_BASE - index,
        name: function.name,
        schema_id: 4,
        kind: "IF",
    })
}

/// The base table, queue or internal table of a number.
#[must_use]
pub(crate) fn base_object(id: i32) -> Option<SystemObject> {
    let base = BASE_OBJECTS.iter().find(|object| object.id == id);
    base.map(|object| SystemObject { id, name: object.name, schema_id: object.schema_id, kind: object.kind })
}

/// The view of a number.
#[must_use]
pub(crate) fn view_of(id: i32) -> Option<&'static crate::view::ViewDef> {
    VIEWS.get(usize::try_from(VIEW_ID_BASE.checked_sub(id)?).ok()?).copied()
}

/// The columns of the view or function of a number.
#[must_use]
pub(crate) fn columns_of(id: i32) -> Option<&'static [SystemColumn]> {
    let function = || FUNCTIONS.get(usize::try_from(FUNCTION_ID_BASE.checked_sub(id)?).ok()?);
    view_of(id).map(|view| view.columns).or_else(|| function().map(|function| function.columns))
}
