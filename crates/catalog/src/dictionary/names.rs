//! Names in the catalog as things to be locked: a transaction that gives a name, or takes one away, holds its lock to its
//! end.
//!
//! What always holds: the cache gives a name to another object only after the name is locked here; so a rollback finds
//! each name as it was, and a statement that looks for one knows whether to wait (`exec::batch::settled`).

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::contract::DbId;
use millpond_txn::Resource;
use millpond_txn::lock::{LockMode, LockScope};

use super::{Dictionary, Io};
use crate::{CatalogObject, ObjectId, SchemaId, TableDef, UserTypeDef, constraint_names, name_key};

/// Classes of locks among those of parts of the catalog: a schema by its number.
const SCHEMA: u32 = 1;
/// A name of objects and constraints in a schema.
const NAME: u32 = 2;
/// A name of types in a schema.
const TYPE_NAME: u32 = 3;
/// A name of schemas.
const SCHEMA_NAME: u32 = 4;
/// The security of a database.
pub(super) const SECURITY: u32 = 5;
/// The data spaces of a database.
pub(super) const DATA_SPACES: u32 = 6;
/// The messages of users, in master.
pub(super) const USER_MESSAGES: u32 = 8;
/// The scoped configuration of a database.
pub(super) const SCOPED_CONFIGURATION: u32 = 9;
/// The sessions of extended events, in master.
pub(super) const EVENT_SESSIONS: u32 = 10;
/// The extended properties of one thing.
pub(super) const PROPERTIES: u32 = 7;

/// Names of one space, in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSpace {
    /// Objects and constraints.
    Objects,
    /// Types.
    Types,
}

/// A schema by its number.
#[must_use]
pub fn schema_resource(database: DbId, schema: SchemaId) -> Resource {
    Resource::metadata(database, SCHEMA, schema.0 as u64)
}

/// A name of a schema. Names that the catalog takes for one are one resource; two others may be one, too, which costs no
/// more than a wait.
#[must_use]
pub fn schema_name_resource(database: DbId, name: &str) -> Resource {
    hashed(database, SCHEMA_NAME, SchemaId(0), &name_key(name))
}

/// A name in a schema, likewise.
#[must_use]
pub fn name_resource(database: DbId, space: NameSpace, schema: SchemaId, name: &str) -> Resource {
    key_resource(database, space, schema, &name_key(name))
}

fn key_resource(database: DbId, space: NameSpace, schema: SchemaId, key: &[u8]) -> Resource {
    let class = match space {
        NameSpace::Objects => NAME,
        NameSpace::Types => TYPE_NAME,
    };
    hashed(database, class, schema, key)
}

fn hashed(database: DbId, class: u32, schema: SchemaId, key: &[u8]) -> Resource {
    let mut hasher = DefaultHasher::new();
    (schema.0, key).hash(&mut hasher);
    Resource::metadata(database, class, hasher.finish())
}

/// The names that an object has, with what constraints of it have: schema, key and the name itself.
fn names_of(object: Option<&CatalogObject>) -> Vec<(SchemaId, Vec<u8>, &str)> {
    let Some(object) = object else { return Vec::new() };
    let schema = object.schema().id;
    let mut names = vec![object.name()];
    if let CatalogObject::Table(def, _) = object {
        names.extend(constraint_names(def).map(String::as_str));
    }
    names.into_iter().map(|name| (schema, name_key(name), name)).collect()
}

/// Locks the names that an object loses when it becomes `new`, and those that it gets.
///
/// # Errors
/// 2714 for a name that another object has got; 1222, 1205.
pub(super) fn claim(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    id: ObjectId,
    new: Option<&CatalogObject>,
) -> SqlResult<()> {
    let objects = dictionary.catalog.objects();
    let (had, gets) = (names_of(objects.get(id)), names_of(new));
    // A table has a name for each of its constraints.
    let keys = |names: &[(SchemaId, Vec<u8>, &str)]| -> HashSet<(SchemaId, Vec<u8>)> {
        names.iter().map(|(schema, key, _)| (*schema, key.clone())).collect()
    };
    let (before, after) = (keys(&had), keys(&gets));
    let is_in =
        |names: &HashSet<_>, (schema, key, _): &(SchemaId, Vec<u8>, &str)| names.contains(&(*schema, key.clone()));
    for lost in had.iter().filter(|name| !is_in(&after, name)) {
        lock_name(dictionary, io, key_resource(dictionary.database(), NameSpace::Objects, lost.0, &lost.1), lost.2)?;
    }
    for (schema, key, name) in gets.iter().filter(|name| !is_in(&before, name)) {
        let resource = key_resource(dictionary.database(), NameSpace::Objects, *schema, key);
        let is_new = lock_name(dictionary, io, resource, name)?;
        let objects = dictionary.catalog.objects();
        let object = objects.find(*schema, name).map(CatalogObject::id);
        if object.or_else(|| objects.constraint(*schema, name)).is_some_and(|other| other != id) {
            if is_new {
                io.work.unlock_metadata(resource);
            }
            return Err(message::object_exists(name));
        }
    }
    Ok(())
}

/// Locks the name of a type that is made or dropped. Whether it was not locked before.
///
/// # Errors
/// 1222, 1205
pub fn claim_type(dictionary: &Dictionary, io: &mut Io<'_, '_>, def: &UserTypeDef) -> SqlResult<bool> {
    let resource = name_resource(dictionary.database(), NameSpace::Types, def.schema.id, &def.name);
    lock_name(dictionary, io, resource, &def.name)
}

/// Keeps the types that a table uses, or used until now, as long as its definition may still go back.
///
/// # Errors
/// 2715 for a type that was dropped while the new definition waited.
pub(super) fn hold_types(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    id: ObjectId,
    new: Option<&TableDef>,
) -> SqlResult<()> {
    let old = dictionary.catalog.objects().table(id).map(|(old, _)| Arc::clone(old));
    let used = |def: Option<&TableDef>| -> Vec<String> {
        def.into_iter().flat_map(|def| &def.columns).filter_map(|column| column.user_type.clone()).collect()
    };
    let (had, gets) = (used(old.as_deref()), used(new));
    // Types of the system have no schema here, and go nowhere.
    for full in had.iter().chain(&gets).filter(|full| full.contains('.')) {
        let find = || {
            let of_name = |ty: &&Arc<UserTypeDef>| {
                full.strip_prefix(&*ty.schema.name).and_then(|rest| rest.strip_prefix('.')) == Some(&ty.name)
            };
            dictionary.catalog.objects().user_types().find(of_name).map(Arc::clone)
        };
        if let Some(ty) = find() {
            let resource = name_resource(dictionary.database(), NameSpace::Types, ty.schema.id, &ty.name);
            lock(dictionary, io, resource, &ty.name, LockMode::SchS)?;
        }
        if !had.contains(full) && find().is_none() {
            return Err(message::unknown_type(full));
        }
    }
    Ok(())
}

/// Locks the name of a schema that is made or dropped.
pub(super) fn claim_schema(dictionary: &Dictionary, io: &mut Io<'_, '_>, name: &str) -> SqlResult<()> {
    lock_name(dictionary, io, schema_name_resource(dictionary.database(), name), name).map(drop)
}

/// Whether it was not locked before.
fn lock_name(dictionary: &Dictionary, io: &mut Io<'_, '_>, resource: Resource, name: &str) -> SqlResult<bool> {
    let is_new = io.work.locks().mode_of(resource, LockScope::Transaction).is_none();
    lock(dictionary, io, resource, name, LockMode::SchM)?;
    Ok(is_new)
}

/// Locks a part of the catalog to the end of the transaction; `name` is what an error says of it.
///
/// # Errors
/// 1222, 1205
pub(super) fn lock(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    resource: Resource,
    name: &str,
    mode: LockMode,
) -> SqlResult<()> {
    let place = Place { schema: "", object: name, database: &dictionary.name };
    io.work.lock_metadata(io.ask, resource, mode).map_err(|error| message::of_txn(error, place))
}
