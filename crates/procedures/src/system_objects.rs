//! The objects that the server itself has: views, procedures and table-valued functions with their numbers, below zero and
//! the same in all versions, and the base tables beside them.

use millpond_catalog::system_view::SystemObject;
use millpond_catalog::{ObjectId, names_equal};

use crate::procedure::PROCEDURES;
use crate::texts;
use millpond_views::catalog::base_objects::BASE_OBJECTS;
use millpond_views::catalog::system;

/// All views, procedures and functions.
#[must_use]
pub(crate) fn objects() -> Vec<SystemObject> {
    let procedures = PROCEDURES.iter().map(|(id, procedure)| SystemObject {
        id: *id,
        name: procedure.name,
        schema_id: 4,
        kind: if procedure.name.starts_with("xp_") { "X" } else { "P" },
    });
    let texts = texts::of_sys().map(|def| SystemObject { id: def.id.0, name: &def.name, schema_id: 4, kind: "P" });
    system::views().chain(procedures).chain(texts).chain(system::functions()).collect()
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
