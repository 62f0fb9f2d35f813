//! ALTER SCHEMA … TRANSFER: an object, with its constraints and triggers, or a type comes into another schema.
//!
//! What always holds: numbers stay, and with them whatever refers to the thing by its number; texts stay, so modules that name it do
//! not find it any more. What definitions name by text (a function in a CHECK, a sequence in a DEFAULT, all that a bound module uses)
//! does not move. What was granted on it is gone, its owner stays if one was said.

use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_catalog::dictionary::{Dictionary, SecurityChange, change_security, claim_security};
use millpond_catalog::security::{Of, Securable};
use millpond_catalog::{
    CatalogObject, ModuleDef, ModuleKind, Schema, SchemaId, SequenceDef, SynonymDef, TableDef, UserTypeDef,
    constraint_names,
};
use millpond_engine::security::may;
use millpond_engine::settled;
use millpond_engine::settled::{Seeker, part};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;

use crate::exec::batch::BatchRun;
use crate::exec::ddl::indexed_view::rename_rows;
use crate::exec::ddl::{objects, schema_binding};
use millpond_rights::cannot;

/// `ALTER SCHEMA name TRANSFER [class::]object`
///
/// # Errors
/// 15151 for a schema or a thing that is not there or may not be moved, 15150 for a schema of the system, 15347 for what belongs to
/// a table, 15348 for what other definitions use, 15530 for a name that is taken there.
pub(in crate::exec) fn transfer(
    run: &mut BatchRun<'_>,
    schema: &str,
    class: Option<&str>,
    object: &ObjectName,
) -> SqlResult<()> {
    let last = object.last().clone();
    let is_type = match class {
        None | Some("OBJECT") => false,
        Some("TYPE") => true,
        Some("XML SCHEMA COLLECTION") => return Err(cannot("find", "XML schema collection", &last)),
        Some(other) => return Err(message::syntax_near(other)),
    };
    objects::of_current_database(object, "ALTER", "SCHEMA")?;
    objects::defining(run, &last, |run| {
        let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.names_database())?;
        let target = target(run, &dictionary, schema)?;
        if is_type {
            transfer_type(run, &dictionary, &target, object)
        } else {
            transfer_object(run, &dictionary, &target, object)
        }
    })
}

/// The schema that something comes into; it stays to the end of the transaction.
fn target(run: &mut BatchRun<'_>, dictionary: &Arc<Dictionary>, name: &str) -> SqlResult<Schema> {
    let none = || cannot("alter", "schema", name);
    let schema = objects::settled_schema(run, dictionary, name)?.ok_or_else(none)?;
    if matches!(schema.id.0, 3 | 4) {
        return Err(SqlError::of(15_150, 1, &[&"alter", &"schema", &schema.name]));
    }
    match may(&run.ctx, dictionary.database(), "ALTER", Securable::new(Of::Schema, schema.id.0))? {
        true => Ok(schema),
        false => Err(none()),
    }
}

fn transfer_object(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    target: &Schema,
    name: &ObjectName,
) -> SqlResult<()> {
    let last = name.last();
    let none = || cannot("find", "object", last);
    let object = loop {
        let found = settled::find_object(&run.ctx, name)?;
        let Some(object) = found.filter(|_| !last.starts_with('#')) else {
            let home = part(name, 1).unwrap_or("dbo");
            let objects = dictionary.catalog().objects();
            let owner = objects.schema(home).and_then(|home| objects.constraint(home.id, last));
            return Err(if owner.is_some() { SqlError::of(15_347, 1, &[]) } else { none() });
        };
        objects::lock_schema(run, dictionary, object.schema(), LockMode::SchS)?;
        objects::lock_new(run, dictionary, object.id(), last)?;
        // Another may have changed or dropped it while this one waited.
        match settled::find_object(&run.ctx, name)? {
            Some(now) if now.id() == object.id() => break now,
            _ => {}
        }
    };
    let id = object.id();
    if !may(&run.ctx, dictionary.database(), "CONTROL", Securable::object(id.0))? {
        return Err(none());
    }
    if matches!(&object, CatalogObject::Module(def) if def.kind == ModuleKind::Trigger) {
        return Err(SqlError::of(15_347, 1, &[]));
    }
    if is_used(dictionary, &object) || schema_binding::is_bound_to(run, dictionary.catalog(), id) {
        return Err(SqlError::of(15_348, 1, &[]));
    }
    check_names(run, dictionary, target, &object)?;
    let times = objects::times_now(run);
    match &object {
        CatalogObject::Table(def, trees) => {
            let mut moved = with_indexes(def, def.indexes.clone());
            moved.schema = target.clone();
            objects::put_table(run, dictionary, &Arc::new(moved), Arc::clone(trees))?;
        }
        CatalogObject::Module(def) => {
            let moved = ModuleDef { schema: target.clone(), modified_us: times.1, ..ModuleDef::clone(def) };
            rename_rows(run, dictionary, def, &moved)?;
            objects::with_io(run, |io| dictionary.put_module(io, &Arc::new(moved)))?;
        }
        CatalogObject::Sequence(def) => {
            let moved = SequenceDef { schema: target.clone(), ..(**def).clone() };
            objects::with_io(run, |io| dictionary.put_sequence(io, &Arc::new(moved), times))?;
        }
        CatalogObject::Synonym(def) => {
            let (name, base) = (def.name.clone(), def.base.clone());
            let moved = SynonymDef { id: def.id, schema: target.clone(), name, base };
            objects::with_io(run, |io| dictionary.put_synonym(io, &Arc::new(moved), times))?;
        }
    }
    let triggers: Vec<Arc<ModuleDef>> = dictionary.catalog().objects().triggers_of(id).map(Arc::clone).collect();
    for trigger in triggers {
        objects::lock_new(run, dictionary, trigger.id, &trigger.name)?;
        let moved = ModuleDef { schema: target.clone(), modified_us: times.1, ..ModuleDef::clone(&trigger) };
        objects::with_io(run, |io| dictionary.put_module(io, &Arc::new(moved)))?;
    }
    forget_grants(run, dictionary, Of::Object, id.0)
}

/// Whether the definition of a table names it: as a function or a sequence.
fn is_used(dictionary: &Dictionary, object: &CatalogObject) -> bool {
    let place = (dictionary.database(), object.id());
    let uses = |def: &Arc<TableDef>| {
        let uses = def.uses();
        uses.functions.iter().chain(&uses.sequences).any(|(used, _)| *used == place)
    };
    match object {
        CatalogObject::Module(_) | CatalogObject::Sequence(_) => dictionary.catalog().objects().tables().any(uses),
        CatalogObject::Table(..) | CatalogObject::Synonym(_) => false,
    }
}

/// 15530: the object, its constraints and its triggers keep their names.
fn check_names(
    run: &BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    target: &Schema,
    object: &CatalogObject,
) -> SqlResult<()> {
    let objects = dictionary.catalog().objects();
    let mut names = vec![object.name()];
    if let CatalogObject::Table(def, _) = object {
        names.extend(constraint_names(def).map(String::as_str));
    }
    names.extend(objects.triggers_of(object.id()).map(|trigger| trigger.name.as_str()));
    for name in names {
        if Seeker::of(&run.ctx).is_taken(dictionary, target.id, name)? {
            return Err(taken("object", name));
        }
    }
    Ok(())
}

fn taken(kind: &str, name: &str) -> SqlError {
    SqlError::of(15_530, 1, &[&kind, &name])
}

fn transfer_type(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    target: &Schema,
    name: &ObjectName,
) -> SqlResult<()> {
    let database = dictionary.database();
    let none = || cannot("find", "type", name.last());
    let known = Seeker::of(&run.ctx).user_type(database, name, SchemaId::DBO)?.ok_or_else(none)?;
    objects::lock_schema(run, dictionary, &known.schema, LockMode::SchS)?;
    if !may(&run.ctx, database, "CONTROL", Securable::new(Of::Type, known.id))? {
        return Err(none());
    }
    if dictionary.catalog().objects().user_type(target.id, &known.name).is_some() {
        return Err(taken("type", &known.name));
    }
    let moved = UserTypeDef { schema: target.clone(), ..UserTypeDef::clone(&known) };
    let full = |def: &UserTypeDef| format!("{}.{}", def.schema.name, def.name);
    let (old, new) = (full(&known), full(&moved));
    objects::with_io(run, |io| dictionary.alter_type(io, &Arc::new(moved)))?;
    // Columns say their type by its name.
    let uses = |def: &Arc<TableDef>| def.columns.iter().any(|column| column.user_type.as_ref() == Some(&old));
    let tables: Vec<_> = dictionary.catalog().objects().tables().filter(|def| uses(def)).map(|def| def.id).collect();
    for table in tables {
        let Some(open) = objects::open_by_id(run, dictionary, table)? else { continue };
        let mut changed = with_indexes(&open.def, open.def.indexes.clone());
        for column in changed.columns.iter_mut().filter(|column| column.user_type.as_ref() == Some(&old)) {
            column.user_type = Some(new.clone());
        }
        objects::put_table(run, dictionary, &Arc::new(changed), Arc::clone(&open.trees))?;
    }
    forget_grants(run, dictionary, Of::Type, known.id)?;
    // Texts know the types of their variables, and nothing notifies them of one that has moved.
    run.ctx.engine.forget_plans();
    Ok(())
}

/// What was granted and denied on a thing goes; who owns it stays.
fn forget_grants(run: &mut BatchRun<'_>, dictionary: &Arc<Dictionary>, of: Of, major: i32) -> SqlResult<()> {
    let gone = |dictionary: &Dictionary| {
        let objects = dictionary.catalog().objects();
        let grants = objects.security().grants().on(of, major).map(|grant| SecurityChange::DropGrant(*grant));
        grants.collect::<Vec<SecurityChange>>()
    };
    if gone(dictionary).is_empty() {
        return Ok(());
    }
    objects::with_io(run, |io| claim_security(dictionary, io))?;
    let gone = gone(dictionary);
    objects::with_io(run, |io| change_security(dictionary, io, &gone))
}
