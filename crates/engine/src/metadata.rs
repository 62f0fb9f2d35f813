//! What metadata functions see: the engine's and the session's names, seen by the trait that the functions own.

use millpond_catalog::data_space::Filegroup;
use millpond_catalog::dictionary::last_good_check_utc_us;
use millpond_catalog::is_local_temporary;
use millpond_catalog::user_message::{ENGLISH, UserMessage};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_catalog::run::metadata::{
    Catalog, DatabaseFacts, FileFacts, FilegroupFacts, IndexColumnFacts, NameParts, ObjectFacts, ServerFacts, Usage,
};
use millpond_catalog::run::random::Random;
use millpond_catalog::security::Securable;
use millpond_catalog::{
    CatalogObject, ColumnDef, ModuleDef, ModuleKind, ObjectId, SchemaId, TableDef, Within, names_equal,
};
use millpond_message::error::SqlResult;
use millpond_storage::contract::{DbId, PAGE_BYTES};
use millpond_storage::database::options::{RecoveryModel, UserAccess};
use millpond_storage::file::file_header::FileKind;
use millpond_txn::TransactionRow;
use millpond_txn::lock::LockRow;
use millpond_types::{SqlType, Value};

use crate::account::missing_indexes::MissingIndex;
use crate::context::RunContext;
use crate::engine::Engine;
use crate::rows::TableRows;
use crate::settled::part;
use crate::{inventory, properties, security};

impl Catalog for RunContext {
    fn database_id(&self, name: &str) -> Option<DbId> {
        self.engine.database_id(name).filter(|id| security::sees_database(self, *id).unwrap_or(false))
    }

    fn database_name(&self, id: DbId) -> Option<String> {
        match security::sees_database(self, id) {
            Ok(true) => self.engine.database_name(id),
            _ => None,
        }
    }

    fn owners(&self, database: DbId, ids: &[i32], names: &[&str]) -> SqlResult<Vec<ObjectId>> {
        let mut owners = inventory::owners(self, database, ids, names)?;
        owners.extend((self.engine.registry().system_numbers)(names));
        Ok(owners)
    }

    fn database(&self, id: DbId) -> Option<DatabaseFacts> {
        let database = self.engine.instance().database(id)?;
        let options = database.options();
        let checked = last_good_check_utc_us(&database);
        Some(DatabaseFacts {
            last_good_check_us: (checked > 0).then(|| inventory::local_us(self, checked)),
            collation: self.engine.databases().collation(id),
            recovery: recovery_name(options.recovery),
            status: database.state().name(),
            user_access: access_name(options.access),
            options,
            created_us: inventory::local_us(self, database.created_utc_us()),
        })
    }

    fn user_message(&self, number: i32, language: i16) -> Option<(UserMessage, String)> {
        let objects = self.engine.databases().dictionary(DbId::MASTER).ok()?.catalog().objects();
        let messages = &objects.user_messages;
        let english = messages.get(&(number, ENGLISH))?;
        let message = messages.get(&(number, language)).unwrap_or(english);
        Some((message.clone(), english.text.clone()))
    }

    fn object_id(&self, name: &NameParts, kind: Option<&str>) -> Option<i32> {
        if !self.is_of_this_server(name) {
            return None;
        }
        let fits = |code: &str| kind.is_none_or(|kind| kind.trim().eq_ignore_ascii_case(code));
        if is_local_temporary(&name.object) {
            let in_tempdb = match name.database.as_deref() {
                None => self.facts.database == DbId::TEMPDB,
                Some(database) => names_equal(database, "tempdb"),
            };
            let temp = self.session.temp.read();
            if let Some(found) = temp.procedure(&name.object).filter(|_| in_tempdb && fits("P")) {
                return Some(found.def.id.0);
            }
            let found = temp.find(&name.object, self.facts.nest_level).filter(|_| in_tempdb && fits("U"));
            return found.map(|table| table.heap.object_id().0.cast_signed());
        }
        self.object_named(name).filter(|(_, code)| fits(code)).map(|(id, _)| id)
    }

    fn object(&self, id: i32, database: DbId) -> Option<ObjectFacts> {
        if let Some(table) = self.session.temp.read().by_id(id.cast_unsigned()) {
            let name = table.internal_name();
            return Some(ObjectFacts { name, schema_id: 1, schema: "dbo".to_owned(), kind: "U" });
        }
        let of_server = || (self.engine.registry().system_objects)().into_iter().find(|object| object.id == id);
        if let Some(object) = (self.engine.registry().base_object)(id) {
            let schema = if object.schema_id == 4 { "sys" } else { "dbo" };
            return Some(ObjectFacts {
                name: object.name.to_owned(),
                schema_id: object.schema_id,
                schema: schema.to_owned(),
                kind: object.kind,
            });
        }
        if let Some(object) = Some(id).filter(|id| *id < 0).and_then(|_| of_server()) {
            let schema = if object.schema_id == 3 { "INFORMATION_SCHEMA" } else { "sys" };
            return Some(ObjectFacts {
                name: object.name.to_owned(),
                schema_id: object.schema_id,
                schema: schema.to_owned(),
                kind: object.kind,
            });
        }
        let found = inventory::object(self, database, id).ok()?.map(|object| ObjectFacts {
            name: object.name,
            schema_id: object.schema.id.0,
            schema: object.schema.name.to_string(),
            kind: object.kind,
        });
        found.or_else(|| {
            let objects = inventory::definitions(self, database).ok()?;
            let (table, _) =
                inventory::table_types(&objects, Within::from(database)).find(|(table, _)| table.id == id)?;
            Some(ObjectFacts { name: table.name, schema_id: table.schema.0, schema: "sys".to_owned(), kind: "TT" })
        })
    }

    fn procedure_id(&self) -> i32 {
        self.facts.procedure
    }

    fn schema_id(&self, name: &str) -> Option<i32> {
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        objects.schema(name).map(|schema| schema.id.0)
    }

    fn schema_name(&self, id: i32) -> Option<String> {
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        objects.schema_by_id(SchemaId(id)).map(|schema| schema.name.to_string())
    }

    fn default_schema(&self) -> (i32, String) {
        let id = self.facts.default_schema;
        let name = match self.engine.databases().dictionary(self.facts.database) {
            Ok(dictionary) => dictionary.catalog().objects().schema_name(id),
            Err(_) => String::new(),
        };
        (id.0, name)
    }

    fn files(&self) -> Vec<FileFacts> {
        let files = self.engine.instance().files(self.facts.database);
        files
            .into_iter()
            .map(|file| FileFacts {
                file_id: i32::from(file.file.0),
                name: file.name,
                is_log: file.kind == FileKind::Log,
                is_read_only: false,
            })
            .collect()
    }

    fn filegroups(&self) -> Vec<FilegroupFacts> {
        let Ok(objects) = inventory::definitions(self, self.facts.database) else { return Vec::new() };
        let spaces = objects.data_spaces();
        let facts = |group: &Filegroup| FilegroupFacts {
            id: group.id,
            name: group.name.clone(),
            is_default: group.id == spaces.default_group,
            is_read_only: group.is_read_only,
        };
        spaces.filegroups.iter().map(facts).collect()
    }

    fn file_used_pages(&self, file_id: i32) -> Option<i64> {
        let spaces = self.engine.instance().space_report(self.facts.database);
        match spaces.into_iter().find(|space| i32::from(space.file.0) == file_id) {
            Some(space) => i64::try_from(space.allocated).ok(),
            None => self.log_file_used_pages(file_id),
        }
    }

    fn server(&self) -> ServerFacts {
        let instance = self.engine.instance();
        let place = |folder: &Option<PathBuf>| {
            let dir = instance.data_dir()?;
            let place = folder.as_ref().map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
            Some(place.to_string_lossy().into_owned())
        };
        let folders = instance.databases().folders();
        ServerFacts {
            machine: self.engine.machine().to_owned(),
            instance: None,
            data_dir: place(&folders.data),
            log_dir: place(&folders.log),
            backup_dir: place(&folders.backup),
        }
    }

    fn usage(&self) -> Usage {
        self.engine.usage()
    }

    fn max_connections(&self) -> i32 {
        32_767
    }

    fn transaction_id(&self) -> i64 {
        let open = self.engine.txns().transactions();
        let own = open.iter().find(|row| row.session == self.session.id);
        let begun = || TransactionRow::id_of(self.session.id, self.engine.now_us().0.unsigned_abs());
        own.map_or_else(begun, TransactionRow::id)
    }

    fn process_id(&self) -> u32 {
        std::process::id()
    }

    fn context_info(&self) -> Option<Box<[u8]>> {
        self.session.context_info.lock().clone()
    }

    fn session_value(&self, key: &str) -> Value {
        self.session.values.lock().get(key)
    }

    fn cursor_rows(&self) -> i32 {
        self.session.cursor_rows.load(Relaxed)
    }

    fn fetch_status(&self) -> i32 {
        self.session.fetch_status.load(Relaxed)
    }

    fn random(&self) -> &Random {
        &self.session.random
    }

    fn column_name(&self, object_id: i32, column_id: i64) -> Option<String> {
        let columns = self.columns_of(object_id)?;
        columns.into_iter().find(|column| i64::from(column.id) == column_id).map(|column| column.name)
    }

    fn column_type(&self, (database, object_id): (DbId, i32), name: &str) -> Option<SqlType> {
        let columns = self.columns_in(database, object_id)?;
        columns.into_iter().find(|column| names_equal(&column.name, name)).map(|column| column.ty.sql)
    }

    fn column_property(&self, object_id: i32, name: &str, property: &str) -> Value {
        self.columns_of(object_id).map_or(Value::Null, |columns| properties::of_column(&columns, name, property))
    }

    fn table_property(&self, table: i32, property: &str) -> Value {
        self.table_of(table).map_or(Value::Null, |def| properties::of_table(&def, property))
    }

    fn trigger_property(&self, object_id: i32, property: &str) -> Value {
        let Ok(objects) = inventory::definitions(self, self.facts.database) else { return Value::Null };
        let id = ObjectId(object_id);
        if let Some(CatalogObject::Module(def)) = objects.get(id)
            && def.kind == ModuleKind::Trigger
        {
            return self.engine.read_module(def).map_or(Value::Null, |read| properties::of_trigger(&read, property));
        }
        let read = objects.triggers_of(id).filter_map(|def| self.engine.read_module(def).ok());
        properties::by_triggers(&read.collect::<Vec<_>>(), property)
    }

    fn base_type(&self, object_id: i32) -> Option<&'static str> {
        let database = self.facts.database;
        let objects = inventory::definitions(self, database).ok()?;
        let Some(CatalogObject::Synonym(def)) = objects.get(ObjectId(object_id)) else {
            return self.object(object_id, database).map(|object| object.kind);
        };
        let part = |from_last| part(&def.base, from_last).map(str::to_owned);
        let name = NameParts { server: part(3), database: part(2), schema: part(1), object: part(0)? };
        self.is_of_this_server(&name).then(|| self.object_named(&name))?.map(|(_, kind)| kind)
    }

    fn row_count(&self, table: i32) -> Option<i64> {
        inventory::table(self, self.facts.database, table).ok()??.row_count(self).ok()
    }

    fn identity(&self, (database, table): (DbId, i32)) -> Option<(i64, i64)> {
        identity(&*self.table_in(database, table)?)
    }

    fn index_property(&self, table: i32, index: &str, property: &str) -> Value {
        let def = self.table_of(table);
        let Some(def) = def else { return Value::Null };
        let statistics = || def.statistics.iter().find(|statistics| names_equal(&statistics.name, index));
        match def.index(index) {
            Some(index) => properties::of_index(index, property),
            None => statistics().map_or(Value::Null, |statistics| properties::of_statistics(statistics, property)),
        }
    }

    fn index_column(&self, (database, table): (DbId, i32), index_id: i64, place: i64) -> Option<IndexColumnFacts> {
        properties::index_column(&*self.table_in(database, table)?, index_id, place)
    }

    fn module_of(&self, object_id: i32) -> Option<Arc<ModuleDef>> {
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        match objects.get(ObjectId(object_id))? {
            CatalogObject::Module(def) => Some(Arc::clone(def)),
            _ => None,
        }
    }

    fn constraint_text(&self, object_id: i32) -> Option<Value> {
        let id = ObjectId(object_id);
        if id.0 == 0 {
            return None;
        }
        let tables = inventory::tables(self, self.facts.database).ok()?;
        tables.iter().find_map(|table| {
            let mut checks = table.def.checks.iter().filter(|check| check.is_constraint());
            let check = checks.find(|check| check.id == id).map(|check| &check.text);
            let defaults = table.def.columns.iter().filter_map(|column| column.default.as_ref());
            let mut defaults = defaults.filter(|default| !default.is_bound());
            let text = check.or_else(|| defaults.find(|default| default.id == id).map(|default| &default.text))?;
            Some(Value::str(&inventory::shown_expression(text)))
        })
    }

    fn last_identity(&self, (database, object_id): (DbId, i32)) -> Option<i64> {
        if let Some(table) = self.session.temp.read().by_id(object_id.cast_unsigned()) {
            let (seed, increment) = identity(&table.def)?;
            let next = table.identity.load(Relaxed);
            return Some(if next == seed { seed } else { next - increment });
        }
        let table = inventory::table(self, database, object_id).ok()??;
        let (seed, _) = identity(&table.def)?;
        match &table.rows {
            TableRows::Trees(trees) => Some(trees.counters.identity.lock().last.unwrap_or(seed)),
            TableRows::Heap(_) => None,
        }
    }

    fn user_type_name(&self, id: i32) -> Option<String> {
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        objects.user_type_by_id(id).map(|ty| ty.name.clone())
    }

    fn user_type_id(&self, name: &NameParts) -> Option<i32> {
        if !self.is_of_this_server(name) {
            return None;
        }
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        let schema = objects.schema(name.schema.as_deref().unwrap_or("dbo"))?;
        objects.user_type(schema.id, &name.object).map(|ty| ty.id)
    }

    fn user_type(&self, id: i32) -> Option<(SqlType, bool)> {
        let objects = inventory::definitions(self, self.facts.database).ok()?;
        objects.user_type_by_id(id)?.alias()
    }

    fn shown_text(&self, module: &Arc<ModuleDef>) -> Value {
        shown_definition(self, self.facts.database, module)
    }

    fn owner_of(&self, object_id: i32, schema_id: i32) -> i32 {
        let objects = inventory::definitions(self, self.facts.database);
        objects.map_or(1, |objects| objects.security().object_owner(object_id, schema_id).0)
    }

    fn is_encrypted(&self, module: &Arc<ModuleDef>) -> bool {
        is_encrypted(&self.engine, module)
    }

    fn is_schema_bound(&self, module: &Arc<ModuleDef>) -> bool {
        self.engine.read_module(module).is_ok_and(|module| module.schema_bound)
    }

    fn statistics_made_us(&self, table: i32, statistics: i64) -> SqlResult<Option<i64>> {
        let Some(table) = inventory::table(self, self.facts.database, table)? else { return Ok(None) };
        let Some(counters) = table.rows.known_counters() else { return Ok(None) };
        let objects = table.statistics();
        let object = objects.iter().find(|object| i64::from(object.id) == statistics);
        let made = object.and_then(|object| counters.statistics.get(object.id, &object.column_ids(&table.def)));
        Ok(made.filter(|made| made.rows > 0).map(|made| made.updated_us))
    }

    fn last_row_version(&self, database: DbId) -> SqlResult<u64> {
        Ok(self.engine.databases().dictionary(database)?.last_row_version())
    }

    fn least_active_row_version(&self, database: DbId) -> SqlResult<u64> {
        let next = self.last_row_version(database)? + 1;
        let sessions = self.engine.sessions();
        let firsts = sessions.iter().filter_map(|session| {
            let given = session.row_versions.lock();
            given.iter().find(|(db, _)| *db == database).map(|(_, first)| *first)
        });
        Ok(firsts.min().unwrap_or(next))
    }

    fn locks(&self) -> Vec<LockRow> {
        self.engine.txns().locks().report()
    }

    fn cursor_state(&self, scope: &str, name: &str) -> Option<i16> {
        let known = self.cursors.iter().find(|(known, of, _)| *known == scope && *of == name);
        known.map(|(_, _, state)| *state)
    }
}

impl RunContext {
    /// The columns in order of a table, view or table-valued function; `None` when the id is none of the current database
    /// or tempdb.
    #[must_use]
    pub fn columns_of(&self, object_id: i32) -> Option<Vec<ColumnDef>> {
        self.columns_in(self.facts.database, object_id)
    }

    /// The same of an object of any database.
    fn columns_in(&self, database: DbId, object_id: i32) -> Option<Vec<ColumnDef>> {
        if let Some(view) = (self.engine.registry().view_of)(object_id) {
            let columns = view.columns.iter().zip(1..);
            return Some(columns.map(|(column, id)| ColumnDef::new(id, column.name, column.ty())).collect());
        }
        if let Some(def) = self.table_in(database, object_id) {
            return Some(def.columns.clone());
        }
        let objects = inventory::definitions(self, database).ok()?;
        let columns = inventory::module_columns(self, database, objects.get(ObjectId(object_id))?).ok()?;
        (!columns.is_empty()).then_some(columns)
    }

    fn table_of(&self, object_id: i32) -> Option<Arc<TableDef>> {
        self.table_in(self.facts.database, object_id)
    }

    fn table_in(&self, database: DbId, object_id: i32) -> Option<Arc<TableDef>> {
        inventory::table(self, database, object_id).ok()?.map(|table| table.def)
    }

    /// Whether a name says no server, or this one.
    fn is_of_this_server(&self, name: &NameParts) -> bool {
        name.server.as_deref().is_none_or(|server| names_equal(server, self.engine.machine()))
    }

    /// Number and type of what a name of this server means: an object or constraint of the database, or one of the server.
    fn object_named(&self, name: &NameParts) -> Option<(i32, &'static str)> {
        let database = match name.database.as_deref() {
            None => self.facts.database,
            Some(database) => self.engine.database_id(database)?,
        };
        self.user_object(database, name).or_else(|| self.system_object(name))
    }

    /// Number and type of an object or constraint of a database.
    fn user_object(&self, database: DbId, name: &NameParts) -> Option<(i32, &'static str)> {
        let objects = inventory::definitions(self, database).ok()?;
        let schema = objects.schema(name.schema.as_deref().unwrap_or("dbo"))?;
        if let Some(object) = objects.find(schema.id, &name.object) {
            return Some((object.id().0, object.code()));
        }
        let (def, _) = objects.table(objects.constraint(schema.id, &name.object)?)?;
        let constraints = inventory::constraints(def).into_iter();
        let mut named = constraints.filter(|(_, known, _)| names_equal(known, &name.object));
        named.next().map(|(id, _, kind)| (id.0, kind))
    }

    /// Number and type of an object of the server; `sys` may be left out.
    fn system_object(&self, name: &NameParts) -> Option<(i32, &'static str)> {
        let schema = match name.schema.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("sys" | "dbo") => 4,
            Some("information_schema") => 3,
            Some(_) => return None,
        };
        let objects = (self.engine.registry().system_objects)().into_iter();
        let mut named = objects.filter(|object| object.schema_id == schema && names_equal(object.name, &name.object));
        named.next().map(|object| (object.id, object.kind))
    }
}

/// Whether the module was made WITH ENCRYPTION.
#[must_use]
pub fn is_encrypted(engine: &Engine, def: &Arc<ModuleDef>) -> bool {
    engine.read_module(def).is_ok_and(|module| module.encrypted)
}

/// The same of a module by its number, 0 for none; what is not there any more is not known.
#[must_use]
pub fn is_encrypted_module(engine: &Engine, database: DbId, object: i32) -> bool {
    let Ok(dictionary) = engine.databases().dictionary(database) else { return false };
    match dictionary.catalog().objects().get(ObjectId(object)) {
        Some(CatalogObject::Module(def)) => is_encrypted(engine, def),
        _ => false,
    }
}

/// Whether a table is still the one that an index of it was missed for.
#[must_use]
pub fn is_wanted_index(engine: &Engine, index: &MissingIndex) -> bool {
    let Ok(dictionary) = engine.databases().dictionary(index.database) else { return false };
    dictionary.catalog().objects().table(index.object).is_some_and(|(table, _)| index.is_of(table))
}

/// The text of a module of a database as the session is shown it: NULL for who may not see its definition, and of one made WITH
/// ENCRYPTION.
#[must_use]
pub fn shown_definition(ctx: &RunContext, database: DbId, def: &Arc<ModuleDef>) -> Value {
    if may_see_definition(ctx, database, def) { shown_text(&ctx.engine, def) } else { Value::Null }
}

/// Whether the session may see the definition of a module of a database: its text, and the names in that.
#[must_use]
pub fn may_see_definition(ctx: &RunContext, database: DbId, def: &ModuleDef) -> bool {
    security::may(ctx, database, "VIEW DEFINITION", Securable::object(def.id.0)).unwrap_or(false)
}

/// The text of a module as it is shown: NULL for one made WITH ENCRYPTION.
#[must_use]
pub fn shown_text(engine: &Engine, def: &Arc<ModuleDef>) -> Value {
    if is_encrypted(engine, def) { Value::Null } else { Value::str(&def.text) }
}

fn identity(def: &TableDef) -> Option<(i64, i64)> {
    def.columns.iter().find_map(|column| column.identity)
}

/// `user_access_desc`
pub fn access_name(access: UserAccess) -> &'static str {
    match access {
        UserAccess::Multi => "MULTI_USER",
        UserAccess::Single => "SINGLE_USER",
        UserAccess::Restricted => "RESTRICTED_USER",
    }
}

/// `recovery_model_desc`
pub fn recovery_name(model: RecoveryModel) -> &'static str {
    match model {
        RecoveryModel::Full => "FULL",
        RecoveryModel::BulkLogged => "BULK_LOGGED",
        RecoveryModel::Simple => "SIMPLE",
    }
}

impl RunContext {
    /// Pages of a log file that are in use, as if the log were in its files one after the other.
    fn log_file_used_pages(&self, file_id: i32) -> Option<i64> {
        let (instance, database) = (self.engine.instance(), self.facts.database);
        let log = instance.log_usage().into_iter().find(|log| log.db == database)?;
        let mut used = log.used_bytes.div_ceil(PAGE_BYTES as u64);
        for file in instance.files(database).iter().filter(|file| file.kind == FileKind::Log) {
            let own = used.min(file.size_pages.into());
            if i32::from(file.file.0) == file_id {
                return i64::try_from(own).ok();
            }
            used -= own;
        }
        None
    }
}
