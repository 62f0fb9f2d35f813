//! The objects of one database in memory: by name, by number, with a version that grows at every change.
//!
//! What always holds: the maps agree with each other; a reader sees one state of all of them ([`DatabaseObjects`] is
//! immutable, a change puts another in its place). Uncommitted definitions are in it too: a session that looks for a name waits
//! at its lock and at the object's schema lock for the transaction that changes them, and looks again (`exec::batch::settled`).

pub mod event_session;
pub mod scoped_configuration;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use millpond_storage::contract::DbId;
use millpond_types::collation::Collation;
use parking_lot::RwLock;

use crate::algebra::table::TableDef;
use crate::data_space::DataSpaces;
use crate::database::event_session::EventSessions;
use crate::database::scoped_configuration::ScopedConfiguration;
use crate::module::{ModuleDef, ModuleKind};
use crate::name::{name_key, names_equal};
use crate::run::user_message::UserMessages;
use crate::schema::{ObjectId, Schema, SchemaId};
use crate::security::{Containers, DatabaseSecurity, Of, Securable, ServerSecurity};
use crate::sequence::SequenceDef;
use crate::synonym::SynonymDef;
use crate::trees::TableTrees;
use crate::user_type::UserTypeDef;
use crate::within::Within;

/// First number of user objects.
const FIRST_OBJECT_ID: i32 = 1000;
/// First number of user schemas.
const FIRST_SCHEMA_ID: i32 = 5;
/// First number of user types.
const FIRST_TYPE_ID: i32 = 257;

/// Schemas of every database.
const SCHEMAS: [(i32, &str); 4] = [(1, "dbo"), (2, "guest"), (3, "INFORMATION_SCHEMA"), (4, "sys")];

/// An object with a name in a schema.
#[derive(Clone, Debug)]
pub enum CatalogObject {
    /// Table: its definition and its trees as they are now.
    Table(Arc<TableDef>, Arc<TableTrees>),
    /// View, procedure, function, trigger.
    Module(Arc<ModuleDef>),
    /// Sequence.
    Sequence(Arc<SequenceDef>),
    /// Synonym.
    Synonym(Arc<SynonymDef>),
}

impl CatalogObject {
    /// Number.
    #[must_use]
    pub fn id(&self) -> ObjectId {
        match self {
            CatalogObject::Table(def, _) => def.id,
            CatalogObject::Module(def) => def.id,
            CatalogObject::Sequence(def) => def.id,
            CatalogObject::Synonym(def) => def.id,
        }
    }

    /// Name without schema.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            CatalogObject::Table(def, _) => &def.name,
            CatalogObject::Module(def) => &def.name,
            CatalogObject::Sequence(def) => &def.name,
            CatalogObject::Synonym(def) => &def.name,
        }
    }

    /// Schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        match self {
            CatalogObject::Table(def, _) => &def.schema,
            CatalogObject::Module(def) => &def.schema,
            CatalogObject::Sequence(def) => &def.schema,
            CatalogObject::Synonym(def) => &def.schema,
        }
    }

    /// The columns of a table, a view or a table-valued function with their numbers, in order.
    pub fn columns(&self) -> impl Iterator<Item = (i32, &str)> {
        let (of_table, of_module) = match self {
            CatalogObject::Table(def, _) => (&def.columns[..], &[][..]),
            CatalogObject::Module(def) => (&[][..], &def.columns[..]),
            CatalogObject::Sequence(_) | CatalogObject::Synonym(_) => (&[][..], &[][..]),
        };
        let of_table = of_table.iter().map(|column| (column.id, column.name.as_str()));
        of_table.chain((1..).zip(of_module.iter().map(String::as_str)))
    }

    /// The name of a column.
    #[must_use]
    pub fn column_name(&self, number: i32) -> Option<&str> {
        self.columns().find(|(known, _)| *known == number).map(|(_, name)| name)
    }

    /// The number of a column.
    #[must_use]
    pub fn column_number(&self, name: &str) -> Option<i32> {
        self.columns().find(|(_, known)| names_equal(known, name)).map(|(number, _)| number)
    }

    /// `sys.objects.type`, without blanks.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            CatalogObject::Table(def, _) if def.schema.id == SchemaId(4) => "S",
            CatalogObject::Table(..) => "U",
            CatalogObject::Module(def) => def.kind.code(),
            CatalogObject::Sequence(_) => "SO",
            CatalogObject::Synonym(_) => "SN",
        }
    }
}

/// The security of a database before the changes of a transaction that changed it last: what all other sessions see until that
/// transaction has ended.
#[derive(Debug)]
pub struct SecurityBefore {
    /// The transaction's number.
    pub transaction: u64,
    /// Of the database.
    pub security: Arc<DatabaseSecurity>,
    /// Of the server, where this is master.
    pub server: Arc<ServerSecurity>,
}

/// Fewer changed tables than this are not looked through for those that may be forgotten.
const ALTERED_MIN: usize = 64;

/// One state of a database's objects.
#[derive(Clone, Debug, Default)]
pub struct DatabaseObjects {
    /// The collation of the database.
    pub collation: Collation,
    by_name: HashMap<(SchemaId, Vec<u8>), ObjectId>,
    by_id: BTreeMap<ObjectId, CatalogObject>,
    schemas: BTreeMap<SchemaId, Schema>,
    schema_names: HashMap<Vec<u8>, SchemaId>,
    types: BTreeMap<i32, Arc<UserTypeDef>>,
    type_names: HashMap<(SchemaId, Vec<u8>), i32>,
    /// Tables with triggers, and their triggers.
    triggers: HashMap<ObjectId, BTreeSet<ObjectId>>,
    /// Modules whose texts have the word SCHEMABINDING.
    may_be_bound: BTreeSet<ObjectId>,
    /// Tables that foreign keys refer to, with the tables that have the keys.
    referred: HashMap<ObjectId, BTreeSet<ObjectId>>,
    /// The greatest number that an object or constraint ever had.
    last_number: i32,
    /// Names of constraints, which share one space with objects: to the table that has them.
    constraints: HashMap<(SchemaId, Vec<u8>), ObjectId>,
    /// Tables that were made or changed while the database is open: the transaction that did it last, or tried to.
    altered: HashMap<ObjectId, u64>,
    /// The length of `altered` at which entries that every snapshot sees are removed.
    altered_max: usize,
    /// Numbers of constraints: to the table that has them.
    owners: HashMap<ObjectId, ObjectId>,
    security: Arc<DatabaseSecurity>,
    data_spaces: Arc<DataSpaces>,
    /// Messages that users have added; in master.
    pub user_messages: Arc<UserMessages>,
    /// Sessions of extended events; in master.
    pub event_sessions: Arc<EventSessions>,
    /// ALTER DATABASE SCOPED CONFIGURATION.
    pub scoped: Arc<ScopedConfiguration>,
    /// Logins and roles, in master.
    server: Arc<ServerSecurity>,
    security_before: Option<Arc<SecurityBefore>>,
}

impl DatabaseObjects {
    /// The objects that are meant, among those of the database.
    #[must_use]
    pub fn within(&self, meant: Within<'_>) -> Vec<&CatalogObject> {
        match meant.only {
            None => self.iter().collect(),
            Some(only) => {
                let found = only.iter().filter_map(|id| self.get(*id));
                found.filter(|object| !object.schema().id.is_hidden()).collect()
            }
        }
    }

    /// The objects of an empty database of a collation.
    #[must_use]
    pub fn new(collation: Collation) -> DatabaseObjects {
        let mut objects = DatabaseObjects { collation, ..DatabaseObjects::default() };
        for (id, name) in SCHEMAS {
            objects.put_schema(Schema { id: SchemaId(id), name: Arc::from(name) });
        }
        objects
    }

    /// The name of a schema, that of `dbo` for one that is not there.
    #[must_use]
    pub fn schema_name(&self, id: SchemaId) -> String {
        self.schema_by_id(id).map_or_else(|| "dbo".to_owned(), |schema| schema.name.to_string())
    }

    /// Filegroups, partition functions and schemes.
    #[must_use]
    pub fn data_spaces(&self) -> &Arc<DataSpaces> {
        &self.data_spaces
    }

    /// Others take their place.
    pub fn put_data_spaces(&mut self, spaces: DataSpaces) {
        self.data_spaces = Arc::new(spaces);
    }

    /// Who there is, and what they may do.
    #[must_use]
    pub fn security(&self) -> &Arc<DatabaseSecurity> {
        &self.security
    }

    /// Takes out all objects and types that are not to be seen; triggers go with what they stand on. Schemas are for all, as the
    /// manual says of `sys.schemas`.
    pub fn retain(&mut self, is_seen: &dyn Fn(Securable) -> bool) {
        let gone: Vec<ObjectId> = self
            .by_id
            .values()
            .filter(|object| match object {
                CatalogObject::Module(def) if def.kind == ModuleKind::Trigger => {
                    !is_seen(Securable::object(def.parent.0))
                }
                CatalogObject::Table(def, _) if def.schema.id.is_hidden() => {
                    ModuleDef::of_rows(def, self).is_none_or(|view| !is_seen(Securable::object(view.id.0)))
                }
                object => !is_seen(Securable::object(object.id().0)),
            })
            .map(CatalogObject::id)
            .collect();
        gone.into_iter().for_each(|id| self.remove(id));
        let types: Vec<i32> =
            self.types.keys().filter(|id| !is_seen(Securable::new(Of::Type, **id))).copied().collect();
        types.into_iter().for_each(|id| self.remove_type(id));
    }

    /// Another state of it.
    pub fn put_security(&mut self, security: DatabaseSecurity) {
        self.security = Arc::new(security);
    }

    /// What the security was before the transaction that changed it last, or changes it now.
    #[must_use]
    pub fn security_before(&self) -> Option<&Arc<SecurityBefore>> {
        self.security_before.as_ref()
    }

    /// A transaction is about to change the security: what there is now is what others see until it has ended.
    pub fn begin_security_change(&mut self, transaction: u64) {
        if self.security_before.as_ref().is_some_and(|before| before.transaction == transaction) {
            return;
        }
        let (security, server) = (Arc::clone(&self.security), Arc::clone(&self.server));
        self.security_before = Some(Arc::new(SecurityBefore { transaction, security, server }));
    }

    /// Logins and roles of the server, where this is master.
    #[must_use]
    pub fn server(&self) -> &Arc<ServerSecurity> {
        &self.server
    }

    /// Another state of them.
    pub fn put_server(&mut self, server: ServerSecurity) {
        self.server = Arc::new(server);
    }

    /// The object of that name in a schema.
    #[must_use]
    pub fn find(&self, schema: SchemaId, name: &str) -> Option<&CatalogObject> {
        self.by_id.get(self.by_name.get(&(schema, name_key(name)))?)
    }

    /// The table that has a constraint of that name.
    #[must_use]
    pub fn constraint(&self, schema: SchemaId, name: &str) -> Option<ObjectId> {
        self.constraints.get(&(schema, name_key(name))).copied()
    }

    /// The table that has a constraint of that number.
    #[must_use]
    pub fn owner(&self, constraint: ObjectId) -> Option<ObjectId> {
        self.owners.get(&constraint).copied()
    }

    /// The objects of that name, and the tables that have a constraint of it, in any schema.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<ObjectId> {
        let key = name_key(name);
        let of_schema = |schema: &SchemaId| {
            let place = (*schema, key.clone());
            self.by_name.get(&place).or_else(|| self.constraints.get(&place)).copied()
        };
        self.schemas.keys().filter_map(of_schema).collect()
    }

    /// The transaction that made a table or changed its definition last; none since the database was opened, or one that
    /// every snapshot sees.
    #[must_use]
    pub fn altered_by(&self, table: ObjectId) -> Option<u64> {
        self.altered.get(&table).copied()
    }

    /// A transaction makes a table or changes its definition. When it rolls back that is still said: who is older is
    /// refused once. Changes by transactions below `seen_by_all` are forgotten when there are many: no snapshot is older.
    pub fn note_altered(&mut self, table: ObjectId, transaction: u64, seen_by_all: u64) {
        if self.altered.len() >= self.altered_max {
            self.altered.retain(|_, transaction| *transaction >= seen_by_all);
            self.altered_max = (self.altered.len() * 2).max(ALTERED_MIN);
        }
        self.altered.insert(table, transaction);
    }

    /// The object of that number.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<&CatalogObject> {
        self.by_id.get(&id)
    }

    /// The table of that number.
    #[must_use]
    pub fn table(&self, id: ObjectId) -> Option<(&Arc<TableDef>, &Arc<TableTrees>)> {
        match self.by_id.get(&id)? {
            CatalogObject::Table(def, trees) => Some((def, trees)),
            _ => None,
        }
    }

    /// All objects that have names, in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &CatalogObject> {
        self.by_id.values().filter(|object| !object.schema().id.is_hidden())
    }

    /// All tables of users.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        self.iter().filter_map(|object| match object {
            CatalogObject::Table(def, _) if def.schema.id != SchemaId(4) => Some(def),
            _ => None,
        })
    }

    /// Everything that has rows: tables, and the rows of indexed views.
    pub fn stored(&self) -> impl Iterator<Item = (&Arc<TableDef>, &Arc<TableTrees>)> {
        self.by_id.values().filter_map(|object| match object {
            CatalogObject::Table(def, trees) => Some((def, trees)),
            _ => None,
        })
    }

    /// Tables with a foreign key to a table, that table itself too.
    pub fn referring_to(&self, id: ObjectId) -> impl Iterator<Item = &Arc<TableDef>> {
        let referring = self.referred.get(&id).into_iter().flatten();
        referring.filter_map(|table| self.table(*table)).map(|(def, _)| def)
    }

    /// Modules that may be bound to what they use, in order of their numbers.
    pub fn may_be_bound(&self) -> impl Iterator<Item = ObjectId> {
        self.may_be_bound.iter().copied()
    }

    /// The triggers of a table, in the order of their numbers.
    pub fn triggers_of(&self, table: ObjectId) -> impl Iterator<Item = &Arc<ModuleDef>> {
        let triggers = self.triggers.get(&table).into_iter().flatten();
        triggers.filter_map(|trigger| match self.by_id.get(trigger) {
            Some(CatalogObject::Module(def)) => Some(def),
            _ => None,
        })
    }

    /// Whether a module is still what it was.
    #[must_use]
    pub fn is_module(&self, def: &Arc<ModuleDef>) -> bool {
        matches!(self.by_id.get(&def.id), Some(CatalogObject::Module(now)) if Arc::ptr_eq(now, def))
    }

    /// Whether a foreign key refers to a table, one of its own too.
    #[must_use]
    pub fn is_referred_to(&self, id: ObjectId) -> bool {
        self.referred.contains_key(&id)
    }

    /// A schema by name.
    #[must_use]
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.get(self.schema_names.get(&name_key(name))?)
    }

    /// A schema by number.
    #[must_use]
    pub fn schema_by_id(&self, id: SchemaId) -> Option<&Schema> {
        self.schemas.get(&id)
    }

    /// All schemas.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.schemas.values()
    }

    /// A user type by name.
    #[must_use]
    pub fn user_type(&self, schema: SchemaId, name: &str) -> Option<&Arc<UserTypeDef>> {
        self.types.get(self.type_names.get(&(schema, name_key(name)))?)
    }

    /// A user type by number.
    #[must_use]
    pub fn user_type_by_id(&self, id: i32) -> Option<&Arc<UserTypeDef>> {
        self.types.get(&id)
    }

    /// All user types.
    pub fn user_types(&self) -> impl Iterator<Item = &Arc<UserTypeDef>> {
        self.types.values()
    }

    /// Puts an object in, in the place of the one of its number.
    pub fn put(&mut self, object: CatalogObject) {
        self.remove(object.id());
        let schema = object.schema().id;
        if let CatalogObject::Table(def, _) = &object {
            self.last_number = self.last_number.max(last_number(def));
            for key in &def.foreign_keys {
                self.referred.entry(key.referenced).or_default().insert(def.id);
            }
            for name in constraint_names(def) {
                self.constraints.insert((schema, name_key(name)), def.id);
            }
            self.owners.extend(constraint_numbers(def).map(|constraint| (constraint, def.id)));
        }
        if let CatalogObject::Sequence(def) = &object {
            self.last_number = self.last_number.max(def.counter.0.saturating_neg());
        }
        if matches!(&object, CatalogObject::Module(def) if def.may_be_bound()) {
            self.may_be_bound.insert(object.id());
        }
        if let CatalogObject::Module(def) = &object
            && def.kind == ModuleKind::Trigger
        {
            self.triggers.entry(def.parent).or_default().insert(def.id);
        }
        self.last_number = self.last_number.max(object.id().0);
        self.by_name.insert((schema, name_key(object.name())), object.id());
        self.by_id.insert(object.id(), object);
    }

    /// Takes an object out.
    pub fn remove(&mut self, id: ObjectId) {
        let Some(object) = self.by_id.remove(&id) else { return };
        self.may_be_bound.remove(&id);
        if let CatalogObject::Module(def) = &object
            && let Some(triggers) = self.triggers.get_mut(&def.parent)
        {
            triggers.remove(&id);
            if triggers.is_empty() {
                self.triggers.remove(&def.parent);
            }
        }
        let place = (object.schema().id, name_key(object.name()));
        // Another object may have taken the name since: a drop and a create in one transaction that is rolled back.
        if self.by_name.get(&place) == Some(&id) {
            self.by_name.remove(&place);
        }
        let CatalogObject::Table(def, _) = object else { return };
        for key in &def.foreign_keys {
            if let Some(referring) = self.referred.get_mut(&key.referenced) {
                referring.remove(&id);
                if referring.is_empty() {
                    self.referred.remove(&key.referenced);
                }
            }
        }
        for name in constraint_names(&def) {
            let place = (def.schema.id, name_key(name));
            if self.constraints.get(&place) == Some(&id) {
                self.constraints.remove(&place);
            }
        }
        for constraint in constraint_numbers(&def) {
            self.owners.remove(&constraint);
        }
    }

    /// Puts a schema in.
    pub fn put_schema(&mut self, schema: Schema) {
        self.remove_schema(schema.id);
        self.schema_names.insert(name_key(&schema.name), schema.id);
        self.schemas.insert(schema.id, schema);
    }

    /// Takes a schema out.
    pub fn remove_schema(&mut self, id: SchemaId) {
        let Some(schema) = self.schemas.remove(&id) else { return };
        let key = name_key(&schema.name);
        if self.schema_names.get(&key) == Some(&id) {
            self.schema_names.remove(&key);
        }
    }

    /// Puts a user type in.
    pub fn put_type(&mut self, ty: Arc<UserTypeDef>) {
        self.remove_type(ty.id);
        self.type_names.insert((ty.schema.id, name_key(&ty.name)), ty.id);
        self.types.insert(ty.id, ty);
    }

    /// Takes a user type out.
    pub fn remove_type(&mut self, id: i32) {
        let Some(ty) = self.types.remove(&id) else { return };
        let place = (ty.schema.id, name_key(&ty.name));
        if self.type_names.get(&place) == Some(&id) {
            self.type_names.remove(&place);
        }
    }
}

impl Containers for DatabaseObjects {
    fn schema_of_object(&self, id: i32) -> Option<SchemaId> {
        self.get(ObjectId(id)).map(|object| object.schema().id)
    }

    fn schema_of_type(&self, id: i32) -> Option<SchemaId> {
        self.user_type_by_id(id).map(|ty| ty.schema.id)
    }

    fn table_of_trigger(&self, id: i32) -> Option<i32> {
        match self.get(ObjectId(id))? {
            CatalogObject::Module(def) if def.kind == ModuleKind::Trigger && def.parent.0 != 0 => Some(def.parent.0),
            _ => None,
        }
    }
}

/// The greatest number among a table's constraints.
fn last_number(def: &TableDef) -> i32 {
    constraint_numbers(def).map(|id| id.0).max().unwrap_or(0)
}

/// The numbers of a table's constraints; what has none is no constraint.
pub(crate) fn constraint_numbers(def: &TableDef) -> impl Iterator<Item = ObjectId> {
    let indexes = def.indexes.iter().map(|index| index.constraint);
    let keys = def.foreign_keys.iter().map(|key| key.id);
    let checks = def.checks.iter().map(|check| check.id);
    let defaults = def.columns.iter().filter_map(|column| column.default.as_ref());
    let defaults = defaults.filter(|default| !default.is_bound()).map(|default| default.id);
    indexes.chain(keys).chain(checks).chain(defaults).filter(|id| id.0 != 0)
}

/// The names of a table's constraints.
pub fn constraint_names(def: &TableDef) -> impl Iterator<Item = &String> {
    let indexes = def.indexes.iter().filter(|index| index.constraint.0 != 0).map(|index| &index.name);
    let defaults = def.columns.iter().filter_map(|column| column.default.as_ref());
    let defaults = defaults.filter(|default| !default.is_bound()).map(|default| &default.name);
    let checks = def.checks.iter().filter(|check| check.is_constraint()).map(|check| &check.name);
    indexes.chain(defaults).chain(checks).chain(def.foreign_keys.iter().map(|key| &key.name))
}

/// The catalog of one database.
#[derive(Debug)]
pub struct DatabaseCatalog {
    database: DbId,
    birth: u64,
    objects: RwLock<Arc<DatabaseObjects>>,
    version: AtomicU64,
    /// Shared by all databases of the engine.
    epoch: Arc<AtomicU64>,
    next_object: AtomicI32,
    next_schema: AtomicI32,
    next_type: AtomicI32,
}

impl DatabaseCatalog {
    /// The catalog of a database with these objects.
    #[must_use]
    pub fn new(database: DbId, objects: DatabaseObjects, epoch: Arc<AtomicU64>) -> DatabaseCatalog {
        DatabaseCatalog {
            database,
            birth: epoch.fetch_add(1, Relaxed),
            objects: RwLock::new(Arc::new(objects)),
            version: AtomicU64::new(1),
            epoch,
            next_object: AtomicI32::new(FIRST_OBJECT_ID),
            next_schema: AtomicI32::new(FIRST_SCHEMA_ID),
            next_type: AtomicI32::new(FIRST_TYPE_ID),
        }
    }

    /// New numbers are above all that are there.
    fn raise_numbers(&self, objects: &DatabaseObjects) {
        self.next_object.fetch_max(objects.last_number + 1, Relaxed);
        self.next_schema.fetch_max(objects.schemas.keys().next_back().map_or(0, |id| id.0 + 1), Relaxed);
        self.next_type.fetch_max(objects.types.keys().next_back().map_or(0, |id| id + 1), Relaxed);
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> DbId {
        self.database
    }

    /// A number that no other catalog of the engine has or had: a database that takes the place of another of its number has
    /// another.
    #[must_use]
    pub fn birth(&self) -> u64 {
        self.birth
    }

    /// The objects as they are now.
    #[must_use]
    pub fn objects(&self) -> Arc<DatabaseObjects> {
        Arc::clone(&self.objects.read())
    }

    /// Grows with every change.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }

    /// Changes the objects.
    pub fn change<T>(&self, change: impl FnOnce(&mut DatabaseObjects) -> T) -> T {
        let mut objects = self.objects.write();
        let result = change(Arc::make_mut(&mut objects));
        self.raise_numbers(&objects);
        self.version.fetch_add(1, Relaxed);
        self.epoch.fetch_add(1, Relaxed);
        result
    }

    /// A number for a new object or constraint; never given twice while the database is open.
    #[must_use]
    pub fn next_object_id(&self) -> ObjectId {
        ObjectId(self.next_object.fetch_add(1, Relaxed))
    }

    /// A number for a new schema.
    #[must_use]
    pub fn next_schema_id(&self) -> SchemaId {
        SchemaId(self.next_schema.fetch_add(1, Relaxed))
    }

    /// A number for a new user type.
    #[must_use]
    pub fn next_type_id(&self) -> i32 {
        self.next_type.fetch_add(1, Relaxed)
    }
}
