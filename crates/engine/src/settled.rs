//! What names mean once no transaction is about to change that.
//!
//! ```text
//!   name ─▶ look it up ─▶ is the name, or the object found, locked by who makes, drops, renames or alters it?
//!              ▲                │ yes: wait for the end of its transaction      │ no, and nothing changed meanwhile: that is it
//!              └────────────────┘◀──────────────────────────────────────────────┘ else look again
//! ```
//! What always holds: what is found was committed, or is the session's own; nothing is kept locked. While a text is
//! compiled ahead of its run there is no wait: 1222 leaves the statement to the run.

use millpond_catalog::is_global_temporary;
use std::sync::Arc;

use millpond_catalog::dictionary::{Dictionary, NameSpace, name_resource, schema_name_resource};
use millpond_catalog::run::facts::{SessionFacts, Settings};
use millpond_catalog::{
    CatalogObject, DatabaseObjects, ModuleKind, ObjectId, Schema, SchemaId, SynonymDef, UsedModule, UserTypeDef,
    names_equal,
};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_txn::{CatalogLocks, Resource};

use crate::context::RunContext;
use crate::engine::Engine;
use crate::security;
use crate::stay::wait_to_name;
use crate::system_call::TextProcedure;

/// The session that looks names up, and how long it waits for others.
#[derive(Clone, Copy)]
pub struct Seeker<'a> {
    engine: &'a Engine,
    locks: &'a CatalogLocks,
    task: &'a Arc<Task>,
    /// `None`: without end.
    timeout_ms: Option<u32>,
}

/// What a name means.
pub enum Meant {
    /// No object of a user.
    Nothing,
    /// An object in a database.
    Object(DbId, CatalogObject),
    /// The same, by a synonym.
    BySynonym(DbId, CatalogObject),
    /// A synonym whose object is none of a user's in the database that it says, if there is one.
    Lost(Arc<SynonymDef>, Option<DbId>),
}

impl Meant {
    /// The module that is meant, and its database.
    pub fn module(self) -> SqlResult<Option<UsedModule>> {
        match self {
            Meant::Object(database, CatalogObject::Module(def))
            | Meant::BySynonym(database, CatalogObject::Module(def)) => Ok(Some((database, def))),
            Meant::Lost(synonym, _) => Err(message::lost_synonym(&synonym.name)),
            _ => Ok(None),
        }
    }
}

impl<'a> Seeker<'a> {
    /// Looks names up for a statement.
    pub fn of(ctx: &'a RunContext) -> Seeker<'a> {
        let timeout_ms = match ctx.is_ahead {
            true => Some(0),
            false => u32::try_from(ctx.facts.settings.lock_timeout).ok(),
        };
        Seeker { engine: &ctx.engine, locks: &ctx.locks, task: &ctx.task, timeout_ms }
    }

    /// Looks names up outside of a statement, for a call; `settings` are those of its session.
    #[must_use]
    pub fn for_call(
        engine: &'a Engine,
        locks: &'a CatalogLocks,
        task: &'a Arc<Task>,
        settings: &Settings,
    ) -> Seeker<'a> {
        Seeker { engine, locks, task, timeout_ms: u32::try_from(settings.lock_timeout).ok() }
    }
}

impl Seeker<'_> {
    /// The object of a name: without a schema it is looked for in `home`, then in `dbo`.
    ///
    /// # Errors
    /// 1222, 1205
    pub fn object(&self, database: DbId, name: &ObjectName, home: SchemaId) -> SqlResult<Option<CatalogObject>> {
        let find = |objects: &DatabaseObjects, schema, last: &str| objects.find(schema, last).cloned();
        self.find(NameSpace::Objects, database, name, home, find, |object| Some(object.id()))
    }

    /// What a name means where a synonym stands for what it is of. The synonym's name for that is looked up in the
    /// synonym's database.
    ///
    /// # Errors
    /// 470 for a synonym of a synonym; 7202, 1222, 1205
    pub fn meant(&self, database: DbId, name: &ObjectName, home: SchemaId) -> SqlResult<Meant> {
        let synonym = match self.object(database, name, home)? {
            Some(CatalogObject::Synonym(synonym)) => synonym,
            Some(object) => return Ok(Meant::Object(database, object)),
            None => return Ok(Meant::Nothing),
        };
        let named = database_part(self.engine, &synonym.base)?;
        let other = named.map_or(Some(database), |other| self.engine.database_id(other));
        let found = match other {
            Some(other) => self.object(other, &synonym.base, SchemaId::DBO)?,
            None => None,
        };
        match (other, found) {
            (_, Some(CatalogObject::Synonym(next))) => {
                let full = |def: &SynonymDef| format!("{}.{}", def.schema.name, def.name);
                Err(message::chained_synonym(&full(&synonym), &full(&next)))
            }
            (Some(other), Some(object)) => Ok(Meant::BySynonym(other, object)),
            _ => Ok(Meant::Lost(synonym, other)),
        }
    }

    /// The user's type of a name, likewise.
    ///
    /// # Errors
    /// 1222, 1205
    pub fn user_type(&self, database: DbId, name: &ObjectName, home: SchemaId) -> SqlResult<Option<Arc<UserTypeDef>>> {
        let find = |objects: &DatabaseObjects, schema, last: &str| objects.user_type(schema, last).cloned();
        self.find(NameSpace::Types, database, name, home, find, |_| None)
    }

    /// The schema of a name; who makes it may still be at it.
    ///
    /// # Errors
    /// 1222, 1205
    pub fn schema(&self, dictionary: &Dictionary, name: &str) -> SqlResult<Option<Schema>> {
        self.steady(dictionary, name, |objects| match objects.schema(name) {
            Some(schema) => (Some(schema.clone()), None),
            None => (None, self.unsettled(schema_name_resource(dictionary.database(), name))),
        })
    }

    /// Whether an object or a constraint has a name.
    ///
    /// # Errors
    /// 1222, 1205
    pub fn is_taken(&self, dictionary: &Dictionary, schema: SchemaId, name: &str) -> SqlResult<bool> {
        let resource = name_resource(dictionary.database(), NameSpace::Objects, schema, name);
        self.steady(dictionary, name, |objects| {
            let is_taken = objects.find(schema, name).is_some() || objects.constraint(schema, name).is_some();
            (is_taken, self.unsettled(resource))
        })
    }

    fn find<T>(
        &self,
        space: NameSpace,
        database: DbId,
        name: &ObjectName,
        home: SchemaId,
        find: impl Fn(&DatabaseObjects, SchemaId, &str) -> Option<T>,
        id: impl Fn(&T) -> Option<ObjectId>,
    ) -> SqlResult<Option<T>> {
        let Some(last) = name.parts.last() else { return Ok(None) };
        let dictionary = self.engine.databases().dictionary(database)?;
        self.steady(&dictionary, last, |objects| {
            let look = |schema: SchemaId| {
                let found = find(objects, schema, last);
                let open = self.unsettled(name_resource(database, space, schema, last));
                let object = || found.as_ref().and_then(&id).map(|id| Resource::object(database, id.0 as u32));
                let open = open.or_else(|| object().and_then(|object| self.unsettled(object)));
                (found, open)
            };
            match part(name, 1) {
                _ if is_global_temporary(last) => look(SchemaId::DBO),
                Some(schema) => match objects.schema(schema) {
                    Some(schema) => look(schema.id),
                    None => (None, self.unsettled(schema_name_resource(database, schema))),
                },
                None if home == SchemaId::DBO => look(home),
                None => match look(home) {
                    (None, None) => look(SchemaId::DBO),
                    own => own,
                },
            }
        })
    }

    /// Looks until what is seen no transaction changes.
    fn steady<T>(
        &self,
        dictionary: &Dictionary,
        name: &str,
        look: impl Fn(&DatabaseObjects) -> (T, Option<Resource>),
    ) -> SqlResult<T> {
        let catalog = dictionary.catalog();
        loop {
            let version = catalog.version();
            let (seen, open) = look(&catalog.objects());
            match open {
                Some(resource) => {
                    let io = IoCount::default();
                    let settled = self.locks.settle(&Ask::new(self.task, &io), resource, self.timeout_ms);
                    let place = Place { schema: "", object: name, database: dictionary.name() };
                    settled.map_err(|error| message::of_txn(error, place))?;
                }
                // Else somebody's whole transaction may lie between the look and the question.
                None if catalog.version() == version => return Ok(seen),
                None => {}
            }
        }
    }

    fn unsettled(&self, resource: Resource) -> Option<Resource> {
        (!self.locks.is_settled(&resource)).then_some(resource)
    }
}

/// The object of a name in a definition: without a schema it is in the user's default one.
///
/// # Errors
/// 911 for an unknown database; 1222, 1205.
pub fn find_object(ctx: &RunContext, name: &ObjectName) -> SqlResult<Option<CatalogObject>> {
    let database = dictionary_of(ctx, name)?.database();
    Seeker::of(ctx).object(database, name, ctx.facts.default_schema)
}

/// Refuses to drop an object of another kind than the statement's `word`. Schemas and types have names of their own.
///
/// # Errors
/// 3705; 911 for an unknown database.
pub fn not_of_kind(ctx: &RunContext, name: &ObjectName, word: &str) -> SqlResult<()> {
    if matches!(word, "SCHEMA" | "TYPE") {
        return Ok(());
    }
    let Some(found) = find_object(ctx, name)? else { return Ok(()) };
    let (noun, right) = match &found {
        CatalogObject::Table(..) => ("table", "TABLE"),
        CatalogObject::Sequence(_) => ("sequence object", "SEQUENCE"),
        CatalogObject::Synonym(_) => ("synonym", "SYNONYM"),
        CatalogObject::Module(def) => match def.kind {
            ModuleKind::View => ("view", "VIEW"),
            ModuleKind::Procedure => ("procedure", "PROCEDURE"),
            ModuleKind::Trigger => ("trigger", "TRIGGER"),
            ModuleKind::Default => ("default", "DEFAULT"),
            ModuleKind::Rule => ("rule", "RULE"),
            ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction => {
                ("function", "FUNCTION")
            }
        },
    };
    if right == word {
        return Ok(());
    }
    let name = name.shown();
    Err(SqlError::of(3705, 1, &[&word, &name, &name, &noun, &right]))
}

/// The dictionary of the database that a name names.
///
/// # Errors
/// 911, 916
pub fn dictionary_of(ctx: &RunContext, name: &ObjectName) -> SqlResult<Arc<Dictionary>> {
    let database = match database_part(&ctx.engine, name)? {
        _ if is_global_temporary(name.last()) => DbId::TEMPDB,
        None => ctx.facts.names_database(),
        Some(named) => {
            let database = ctx.engine.database_id(named).ok_or_else(|| message::unknown_database(named))?;
            wait_to_name(ctx, database)?;
            security::check_access(ctx, database)?;
            database
        }
    };
    ctx.engine.databases().dictionary(database)
}

/// The database that a name says, once it is known to be this server's: a name's database is asked for here.
///
/// # Errors
/// 7202 for a name that is another server's.
pub fn database_part<'n>(engine: &Engine, name: &'n ObjectName) -> SqlResult<Option<&'n str>> {
    match part(name, 3) {
        Some(server) if !names_equal(server, engine.machine()) => Err(message::unknown_server(server)),
        _ => Ok(part(name, 2)),
    }
}

/// The same by its number.
///
/// # Errors
/// 911 for an unknown database; those of [`database_part`].
pub fn named_database(engine: &Engine, name: &ObjectName) -> SqlResult<Option<DbId>> {
    let id = |named: &str| engine.database_id(named).ok_or_else(|| message::unknown_database(named));
    database_part(engine, name)?.map(id).transpose()
}

/// The server's own procedure of a name, if it is one that is written in T-SQL, and the database that it runs in: the one that the
/// name says, or the current one.
///
/// # Errors
/// Those of [`named_database`].
pub fn text_procedure(
    engine: &Engine,
    name: &ObjectName,
    current: DbId,
) -> SqlResult<Option<(DbId, &'static TextProcedure)>> {
    if part(name, 1).is_some_and(|schema| !names_equal(schema, "dbo") && !names_equal(schema, "sys")) {
        return Ok(None);
    }
    let database = named_database(engine, name)?.unwrap_or(current);
    Ok((engine.registry().text_procedure)(database, name.last()).map(|found| (database, found)))
}

/// The database that ALTER DATABASE names, by its name or as CURRENT; none of an unknown name.
pub fn altered_database(ctx: &RunContext, name: &str) -> Option<DbId> {
    match name.eq_ignore_ascii_case("CURRENT") {
        true => Some(ctx.facts.database),
        false => ctx.engine.database_id(name),
    }
}

/// The part `from_last` places before the last one; empty parts are as good as none.
pub fn part(name: &ObjectName, from_last: usize) -> Option<&str> {
    let index = name.parts.len().checked_sub(from_last + 1)?;
    Some(name.parts[index].as_str()).filter(|part| !part.is_empty())
}

/// The table that `inserted` or `deleted` means in a statement of these facts.
pub fn trigger_table(facts: &SessionFacts, name: &str) -> Option<&'static str> {
    let is_here = facts.trigger.as_ref().is_some_and(|trigger| trigger.nest_level == facts.nest_level);
    match is_here {
        true if name.eq_ignore_ascii_case("inserted") => Some(INSERTED),
        true if name.eq_ignore_ascii_case("deleted") => Some(DELETED),
        _ => None,
    }
}

/// The tables that a trigger sees, under names that no text can write.
pub const INSERTED: &str = "@ inserted";

/// See [`INSERTED`].
pub const DELETED: &str = "@ deleted";
