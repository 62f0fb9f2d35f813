//! The views and table-valued functions of the server as objects, with their numbers: below zero, and the same in all
//! versions.

use millpond_catalog::SystemColumn;
use millpond_catalog::system_view::SystemObject;

use crate::catalog::base_objects::BASE_OBJECTS;
use crate::{FUNCTIONS, VIEWS};

/// The number of `INFORMATION_SCHEMA` and of `sys`.
fn schema_id(schema: &str) -> i32 {
    if schema.eq_ignore_ascii_case("INFORMATION_SCHEMA") { 3 } else { 4 }
}

/// The views.
pub fn views() -> impl Iterator<Item = SystemObject> {
    VIEWS.iter().map(|(id, view)| SystemObject {
        id: *id,
        name: view.name,
        schema_id: schema_id(view.schema),
        kind: "V",
    })
}

/// The table-valued functions.
pub fn functions() -> impl Iterator<Item = SystemObject> {
    FUNCTIONS.iter().map(|(id, function)| SystemObject { id: *id, name: function.name, schema_id: 4, kind: "IF" })
}

/// The base table, queue or internal table of a number.
#[must_use]
pub fn base_object(id: i32) -> Option<SystemObject> {
    let base = BASE_OBJECTS.iter().find(|object| object.id == id);
    base.map(|object| SystemObject { id, name: object.name, schema_id: object.schema_id, kind: object.kind })
}

/// What has a number, in a list whose numbers fall.
fn of_number<T>(list: &[(i32, &'static T)], id: i32) -> Option<&'static T> {
    let place = list.binary_search_by(|(number, _)| id.cmp(number)).ok()?;
    Some(list[place].1)
}

/// The view of a number.
#[must_use]
pub fn view_of(id: i32) -> Option<&'static crate::ViewDef> {
    of_number(VIEWS, id)
}

/// The columns of the view or function of a number.
#[must_use]
pub fn columns_of(id: i32) -> Option<&'static [SystemColumn]> {
    view_of(id).map(|view| view.columns).or_else(|| of_number(FUNCTIONS, id).map(|function| function.columns))
}
