//! The objects that the server itself has, with their numbers: below zero, stable for a version.

use millpond_catalog::system_view::SystemObject;
use millpond_catalog::{ObjectId, SystemColumn, names_equal};

use crate::view::catalog::base_objects::BASE_OBJECTS;
use crate::view::{FUNCTIONS, VIEWS};

/// Above the numbers of system views.
const VIEW_ID_BASE: i32 = -1000;
/// Above those of system procedures.
const PROCEDURE_ID_BASE: i32 = -3000;
/// Above those of table-valued functions.
const FUNCTION_ID_BASE: i32 = -5000;

/// The number of `INFORMATION_SCHEMA` and of `sys`.
fn schema_id(schema: &str) -> i32 {
    if schema.eq_ignore_ascii_case("INFORMATION_SCHEMA") { 3 } else { 4 }
}

/// All of them.
#[must_use]
pub(crate) fn objects() -> Vec<SystemObject> {
    let views = VIEWS.iter().zip(0..).map(|(view, index)| SystemObject {
        id: VIEW_ID_BASE - index,
        name: view.name,
        schema_id: schema_id(view.schema),
        kind: "V",
    });
    let procedures = crate::procedure::PROCEDURES.iter().zip(0..).map(|(procedure, index)| SystemObject {
        id: PROCEDURE_ID_BASE - index,
        name: procedure.name,
        schema_id: 4,
        kind: if procedure.name.starts_with("xp_") { "X" } else { "P" },
    });
    let functions = FUNCTIONS.iter().zip(0..).map(|(function, index)| SystemObject {
        id: FUNCTION_ID_BASE - index,
        name: function.name,
        schema_id: 4,
        kind: "IF",
    });
    views.chain(procedures).chain(functions).collect()
}

/// The base table, queue or internal table of a number.
#[must_use]
pub(crate) fn base_object(id: i32) -> Option<SystemObject> {
    let base = BASE_OBJECTS.iter().find(|object| object.id == id);
    base.map(|object| SystemObject { id, name: object.name, schema_id: object.schema_id, kind: object.kind })
}

/// The numbers of all objects of the server that have one of these names, in whatever schema.
pub(crate) fn numbers(names: &[&str]) -> Vec<ObjectId> {
    if names.is_empty() {
        return Vec::new();
    }
    let is_meant = |known: &str| names.iter().any(|name| names_equal(known, name.trim_end_matches(' ')));
    let base = BASE_OBJECTS.iter().map(|object| (object.id, object.name));
    let all = base.chain(objects().into_iter().map(|object| (object.id, object.name)));
    all.filter(|(_, name)| is_meant(name)).map(|(id, _)| ObjectId(id)).collect()
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
