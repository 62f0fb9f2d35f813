//! The system tables of a database: what is in them, how definitions become their rows and rows become definitions.
//!
//! ```text
//!   boot page ──roots──▶ sysindexes ──roots──▶ sysobjects, syscolumns, … ──load──▶ catalog::DatabaseObjects
//!                                                      ▲                                  ▲
//!   DDL ──put_*, drop_* (rows, under the transaction) ─┴──────────────────────────────────┘ at once; reload after a rollback
//! ```
//! What always holds: a definition in the cache is the one in the rows, as the session that changed it sees them; a name
//! changes hands under a lock to the end of the transaction (`names`).

#[cfg(any(test, feature = "checks"))]
pub mod any_rows;
mod boot;
mod clone;
mod codec;
mod data_spaces;
mod dropped;
mod event_sessions;
mod io;
mod kept_records;
mod load;
mod names;
mod open;
mod properties;
mod row_version;
mod scoped_configuration;
mod security;
mod shipped;
mod tables;
mod texts;
mod user_messages;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millpond_access::tree::Tree;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;

use self::codec::Roots;
use self::io::SystemTrees;
use crate::security::Of;
use crate::trees::{TableTrees, TreeHome};
use crate::{
    CatalogObject, DatabaseCatalog, LockEscalation, ModuleDef, ObjectId, Schema, SchemaId, SequenceDef, SynonymDef,
    TableDef, UserTypeDef, UserTypeForm,
};

pub use boot::{last_good_check_utc_us, note_good_check};
pub use clone::copy_definitions;
pub use data_spaces::{change as change_data_spaces, hold as hold_data_spaces};
pub use event_sessions::change as change_event_sessions;
pub use io::Io;
pub use kept_records::{all as all_kept_records, change as change_kept_records};
pub use names::{NameSpace, claim_type, name_resource, schema_name_resource, schema_resource};
pub use properties::{
    Property, PropertyChange, PropertyClass, PropertyOwner, all as all_properties, change as change_property,
    forget as forget_properties,
};
pub use scoped_configuration::change as change_scoped_configuration;
pub use security::{SecurityChange, change as change_security, claim as claim_security};
pub use shipped::{ShippedModule, ShippedModules, is_shipped_grant};
pub use tables::SystemTable;
pub use texts::{BindText, DefinitionBinder};
pub use user_messages::change as change_user_messages;

/// The tables that the parts of a table's definition are in.
const TABLE_PARTS: [SystemTable; 7] = [
    SystemTable::Objects,
    SystemTable::Columns,
    SystemTable::Indexes,
    SystemTable::IndexColumns,
    SystemTable::Constraints,
    SystemTable::KeyColumns,
    SystemTable::Statistics,
];

/// The dictionary of one database: its system tables and the definitions read from them.
#[derive(Debug)]
pub struct Dictionary {
    database: Arc<Database>,
    name: Arc<str>,
    trees: SystemTrees,
    home: TreeHome,
    catalog: Arc<DatabaseCatalog>,
    row_versions: row_version::RowVersions,
    dropped: dropped::Dropped,
    /// Whether there were extended properties since it was opened.
    has_properties: AtomicBool,
    binder: &'static dyn DefinitionBinder,
    shipped: ShippedModules,
}

impl Dictionary {
    /// The value of a rowversion column for a row that is made or changed now.
    ///
    /// # Errors
    /// What raising the mark gives.
    pub fn next_row_version(&self, ask: &Ask<'_>) -> SqlResult<u64> {
        self.row_versions.next(&self.database, ask)
    }

    /// The last value that was given (@@DBTS).
    #[must_use]
    pub fn last_row_version(&self) -> u64 {
        self.row_versions.last()
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> DbId {
        self.database.id()
    }

    /// Storage of the database.
    #[must_use]
    pub fn storage(&self) -> &Arc<Database> {
        &self.database
    }

    /// Where its trees are opened.
    #[must_use]
    pub fn home(&self) -> &TreeHome {
        &self.home
    }

    /// Whether the database was dropped, detached or replaced since. Who renames it says so himself.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.database.is_dropped()
    }

    /// Every tree of the database: those of the system tables, then those of all tables.
    #[must_use]
    pub fn all_trees(&self) -> Vec<Arc<Tree>> {
        let mut trees = self.trees.trees.clone();
        for (_, own) in self.catalog.objects().stored() {
            trees.extend(own.trees.iter().cloned());
        }
        trees
    }

    /// The trees of the system tables.
    #[must_use]
    pub fn system_trees(&self) -> &[Arc<Tree>] {
        &self.trees.trees
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What binds the texts of definitions, over the names of the database as they are now.
    #[must_use]
    pub fn texts(&self) -> Box<dyn BindText> {
        self.binder.names(&self.catalog, &self.name)
    }

    /// The definitions.
    #[must_use]
    pub fn catalog(&self) -> &Arc<DatabaseCatalog> {
        &self.catalog
    }

    /// Makes a table what `def` says, new or changed; `roots` are those of its indexes.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_table(
        &self,
        io: &mut Io<'_, '_>,
        def: &Arc<TableDef>,
        trees: &Arc<TableTrees>,
        times_us: (i64, i64),
    ) -> SqlResult<()> {
        let roots: Vec<Roots> = trees.roots();
        let rows = codec::table_rows(def, &roots, times_us);
        let object = CatalogObject::Table(Arc::clone(def), Arc::clone(trees));
        names::claim(self, io, def.id, Some(&object))?;
        names::hold_types(self, io, def.id, Some(def))?;
        self.note(io, def.id)?;
        // Q4: what is in memory is what the rows say, so that a small change of a large definition reads none of them.
        let known = self.catalog.objects().table(def.id).map(|(old, trees)| (Arc::clone(old), trees.roots()));
        match known {
            Some((old, roots)) => {
                properties::forget_parts(self, io, &old, def)?;
                self.trees.change(io, &codec::table_rows(&old, &roots, times_us), &rows)?;
            }
            None => self.trees.make(io, def.id.0, &TABLE_PARTS, &rows)?,
        }
        self.put(object);
        Ok(())
    }

    /// Puts an object into the cache, and notifies those who keep a part of its definition.
    fn put(&self, object: CatalogObject) {
        if let CatalogObject::Table(def, _) = &object {
            let escalates = def.escalation != LockEscalation::Disable;
            self.home.txns.locks().set_escalation(self.database(), def.id.0 as u32, escalates);
        }
        self.catalog.change(|objects| objects.put(object));
    }

    /// Makes a module what `def` says, new or changed.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_module(&self, io: &mut Io<'_, '_>, def: &Arc<ModuleDef>) -> SqlResult<()> {
        shipped::check_kept(def.id)?;
        let object = CatalogObject::Module(Arc::clone(def));
        names::claim(self, io, def.id, Some(&object))?;
        self.note(io, def.id)?;
        let tables = [SystemTable::Objects, SystemTable::Modules];
        self.trees.make(io, def.id.0, &tables, &codec::module_rows(def))?;
        self.catalog.change(|objects| objects.put(object));
        Ok(())
    }

    /// Makes a sequence what `def` says, new or changed.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_sequence(&self, io: &mut Io<'_, '_>, def: &Arc<SequenceDef>, times_us: (i64, i64)) -> SqlResult<()> {
        let object = CatalogObject::Sequence(Arc::clone(def));
        names::claim(self, io, def.id, Some(&object))?;
        self.note(io, def.id)?;
        let tables = [SystemTable::Objects, SystemTable::Sequences];
        self.trees.make(io, def.id.0, &tables, &codec::sequence_rows(def, times_us))?;
        self.catalog.change(|objects| objects.put(object));
        Ok(())
    }

    /// Makes a synonym.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_synonym(&self, io: &mut Io<'_, '_>, def: &Arc<SynonymDef>, times_us: (i64, i64)) -> SqlResult<()> {
        let object = CatalogObject::Synonym(Arc::clone(def));
        names::claim(self, io, def.id, Some(&object))?;
        self.note(io, def.id)?;
        let mut rows = vec![codec::object_row(def.id, &def.schema, &def.name, "SN", 0, times_us)];
        rows.extend(codec::text_rows(def.id, &def.base.parts.join("\u{0}")));
        self.trees.make(io, def.id.0, &[SystemTable::Objects, SystemTable::Modules], &rows)?;
        self.catalog.change(|objects| objects.put(object));
        Ok(())
    }

    /// Removes an object with everything that belongs to its definition. Its trees are the caller's business.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn drop_object(&self, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<()> {
        shipped::check_kept(id)?;
        names::claim(self, io, id, None)?;
        names::hold_types(self, io, id, None)?;
        data_spaces::forget_object(self, io, id)?;
        properties::forget_object(self, io, id)?;
        self.note(io, id)?;
        if let Some(CatalogObject::Sequence(def)) = self.catalog.objects().get(id) {
            self.trees.erase(io, SystemTable::Identities, &[def.counter.0])?;
        }
        for table in
            TABLE_PARTS.into_iter().chain([SystemTable::Modules, SystemTable::Sequences, SystemTable::Identities])
        {
            self.trees.erase(io, table, &[id.0])?;
        }
        if let Some(object) = self.catalog.objects().get(id) {
            let transactions = self.home.txns.transactions();
            let is_open = |number| transactions.iter().any(|open| open.xsn == number);
            self.dropped.keep(object, io.work.transaction_number(), &is_open);
        }
        self.catalog.change(|objects| objects.remove(id));
        security::forget_object(self, io, id)
    }

    /// Makes a schema.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_schema(&self, io: &mut Io<'_, '_>, schema: &Schema) -> SqlResult<()> {
        names::claim_schema(self, io, &schema.name)?;
        if self.catalog.objects().schema(&schema.name).is_some() {
            return Err(message::object_exists(&schema.name));
        }
        self.note(io, schema_event(schema.id))?;
        self.trees.insert(io, &[codec::schema_row(schema)])?;
        self.catalog.change(|objects| objects.put_schema(schema.clone()));
        Ok(())
    }

    /// Removes a schema.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn drop_schema(&self, io: &mut Io<'_, '_>, id: SchemaId) -> SqlResult<()> {
        if let Some(schema) = self.catalog.objects().schema_by_id(id) {
            names::claim_schema(self, io, &schema.name)?;
        }
        self.note(io, schema_event(id))?;
        self.trees.erase(io, SystemTable::Schemas, &[id.0])?;
        self.catalog.change(|objects| objects.remove_schema(id));
        properties::forget(self, io, PropertyClass::Schema, id.0)?;
        security::forget_schema(self, io, id)
    }

    /// Makes a user type; `text` is the statement that made a table type.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn put_type(&self, io: &mut Io<'_, '_>, def: &Arc<UserTypeDef>, text: Option<&str>) -> SqlResult<()> {
        names::claim_type(self, io, def)?;
        if self.catalog.objects().user_type(def.schema.id, &def.name).is_some() {
            return Err(message::type_exists(&def.schema.name, &def.name));
        }
        self.note(io, type_event(def.id))?;
        self.trees.insert(io, &[codec::type_row(def)])?;
        if let (UserTypeForm::Table { .. }, Some(text)) = (&def.form, text) {
            self.trees.insert(io, &codec::text_rows(ObjectId(-def.id), text))?;
        }
        self.catalog.change(|objects| objects.put_type(Arc::clone(def)));
        Ok(())
    }

    /// A user type becomes what `def` says: in another schema, or with another default or rule.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn alter_type(&self, io: &mut Io<'_, '_>, def: &Arc<UserTypeDef>) -> SqlResult<()> {
        if let Some(old) = self.catalog.objects().user_type_by_id(def.id) {
            names::claim_type(self, io, old)?;
        }
        names::claim_type(self, io, def)?;
        self.note(io, type_event(def.id))?;
        self.trees.replace(io, &codec::type_row(def))?;
        self.catalog.change(|objects| objects.put_type(Arc::clone(def)));
        Ok(())
    }

    /// Removes a user type.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn drop_type(&self, io: &mut Io<'_, '_>, id: i32) -> SqlResult<()> {
        if let Some(def) = self.catalog.objects().user_type_by_id(id) {
            names::claim_type(self, io, def)?;
        }
        self.note(io, type_event(id))?;
        self.trees.erase(io, SystemTable::Types, &[id])?;
        self.trees.erase(io, SystemTable::Modules, &[-id])?;
        self.catalog.change(|objects| objects.remove_type(id));
        properties::forget(self, io, PropertyClass::Type, id)?;
        properties::forget(self, io, PropertyClass::TypeColumn, id)?;
        security::forget(self, io, Of::Type, id)
    }

    /// Notes how far identity values may have been given: after it they go on after a restart.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn reserve_identity(&self, io: &mut Io<'_, '_>, table: ObjectId, reserved: i64) -> SqlResult<()> {
        self.trees.replace(io, &codec::identity_row(table, reserved))
    }

    /// A number under which nothing is reserved yet: what a rollback left there goes. To be called on the engine's own
    /// account.
    ///
    /// # Errors
    /// What the rows' change gives.
    pub fn new_counter(&self, io: &mut Io<'_, '_>, counter: ObjectId) -> SqlResult<()> {
        self.trees.erase(io, SystemTable::Identities, &[counter.0])
    }

    /// Changes of the rows of these objects were undone: the cache gets what the rows say now. Schemas come first, then
    /// types, and what names an object that is itself to be read comes after it.
    ///
    /// # Errors
    /// What reading gives; some of the objects may be old still.
    pub fn reload(&self, io: &mut Io<'_, '_>, events: &[u32]) -> SqlResult<()> {
        let mut left: Vec<Event> = events.iter().map(|event| Event::of(*event)).collect();
        left.sort_by_key(|event| match event {
            Event::Schema(_) => 0,
            Event::Type(_) => 1,
            Event::Object(_) => 2,
            Event::Security
            | Event::DataSpaces
            | Event::UserMessages
            | Event::ExtendedEvents
            | Event::ScopedConfiguration => 3,
        });
        loop {
            let (before, mut failed) = (left.len(), None);
            left.retain(|event| match self.reload_one(io, event) {
                Ok(()) => false,
                Err(error) => {
                    failed = Some(error);
                    true
                }
            });
            match failed {
                None => return Ok(()),
                Some(error) if left.len() == before => return Err(error),
                Some(_) => {}
            }
        }
    }

    fn reload_one(&self, io: &mut Io<'_, '_>, event: &Event) -> SqlResult<()> {
        match *event {
            Event::Object(id) => {
                let object = self.load_object(io, id)?.or_else(|| shipped::definition(self, id));
                match object {
                    Some(object) => self.put(object),
                    None => self.catalog.change(|objects| objects.remove(id)),
                }
            }
            Event::Schema(id) => {
                let schema = self.load_schemas(io, Some(id))?.pop();
                self.catalog.change(|objects| match schema {
                    Some(schema) => objects.put_schema(schema),
                    None => objects.remove_schema(id),
                });
            }
            Event::Type(id) => {
                let types = self.load_types(io, Some(id))?;
                self.catalog.change(|objects| match types.into_iter().next() {
                    Some(ty) => objects.put_type(ty),
                    None => objects.remove_type(id),
                });
            }
            Event::Security => security::load(self, io)?,
            Event::DataSpaces => data_spaces::load(self, io)?,
            Event::UserMessages => user_messages::load(self, io)?,
            Event::ExtendedEvents => event_sessions::load(self, io)?,
            Event::ScopedConfiguration => scoped_configuration::load(self, io)?,
        }
        Ok(())
    }

    /// Stores a text that is no module's under a number of its own; a rollback from here reports `event`.
    fn put_text(&self, io: &mut Io<'_, '_>, number: ObjectId, event: i32, text: &str) -> SqlResult<()> {
        io.note_catalog_change((self.database.id(), &self.name), event as u32)?;
        self.trees.make(io, number.0, &[SystemTable::Modules], &codec::text_rows(number, text))
    }

    /// A rollback from here reports that `object` changed.
    fn note(&self, io: &mut Io<'_, '_>, object: ObjectId) -> SqlResult<()> {
        io.note_catalog_change((self.database.id(), &self.name), object.0 as u32)
    }
}

/// Schemas and types share the numbers of changes with objects, far above them.
const SCHEMA_EVENTS: i32 = 0x7000_0000;
const TYPE_EVENTS: i32 = 0x7800_0000;
/// All security of the database.
const SECURITY_EVENT: i32 = i32::MAX;
/// All data spaces of the database.
const DATA_SPACES_EVENT: i32 = i32::MAX - 1;
/// All messages of users; in master.
const USER_MESSAGES_EVENT: i32 = i32::MAX - 9;
/// All sessions of extended events; in master.
const EVENT_SESSIONS_EVENT: i32 = i32::MAX - 11;
/// The scoped configuration of the database.
const SCOPED_CONFIGURATION_EVENT: i32 = i32::MAX - 10;

fn schema_event(id: SchemaId) -> ObjectId {
    ObjectId(SCHEMA_EVENTS + id.0)
}

fn type_event(id: i32) -> ObjectId {
    ObjectId(TYPE_EVENTS + id)
}

/// What a number of a change means.
enum Event {
    Object(ObjectId),
    Schema(SchemaId),
    Type(i32),
    Security,
    DataSpaces,
    UserMessages,
    ExtendedEvents,
    ScopedConfiguration,
}

impl Event {
    fn of(number: u32) -> Event {
        let number = number as i32;
        match number {
            SECURITY_EVENT => Event::Security,
            DATA_SPACES_EVENT => Event::DataSpaces,
            USER_MESSAGES_EVENT => Event::UserMessages,
            EVENT_SESSIONS_EVENT => Event::ExtendedEvents,
            SCOPED_CONFIGURATION_EVENT => Event::ScopedConfiguration,
            TYPE_EVENTS.. => Event::Type(number - TYPE_EVENTS),
            SCHEMA_EVENTS.. => Event::Schema(SchemaId(number - SCHEMA_EVENTS)),
            _ => Event::Object(ObjectId(number)),
        }
    }
}
