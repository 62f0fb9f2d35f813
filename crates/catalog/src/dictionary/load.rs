//! Rows of the system tables become definitions.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_tsql::ast::{self, StatementKind, TriggerTarget};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::Value;

use super::Dictionary;
use super::codec::{self, ObjectRow, Reading, TABLE_OPTIONS_SHIFT, TableRows, damaged};
use super::io::Io;
use super::tables::SystemTable;
use crate::trees::{Counted, IdentityCounter, TableCounters, TableTrees};
use crate::{
    CatalogObject, DatabaseObjects, LockEscalation, ModuleKind, ObjectId, Schema, SchemaId, SequenceDef, SynonymDef,
    TableDef, TableName, TableOptions, UserTypeDef, UserTypeForm,
};

impl Dictionary {
    /// All definitions.
    pub(super) fn load_all(&self, io: &mut Io<'_, '_>) -> SqlResult<()> {
        let mut objects = DatabaseObjects::new(self.catalog.objects().collation);
        for schema in self.load_schemas(io, None)? {
            objects.put_schema(schema);
        }
        self.home.txns.locks().forget_escalation(self.database());
        self.catalog.change(|known| *known = objects);
        super::security::load(self, io)?;
        super::data_spaces::load(self, io)?;
        super::user_messages::load(self, io)?;
        super::event_sessions::load(self, io)?;
        super::scoped_configuration::load(self, io)?;
        super::properties::load(self, io)?;
        for ty in self.load_types(io, None)? {
            self.catalog.change(|objects| objects.put_type(ty));
        }
        let rows = self.trees.rows(io, SystemTable::Objects, &[])?;
        let known = rows.iter().map(|row| codec::object_of(row)).collect::<SqlResult<Vec<ObjectRow>>>()?;
        // Tables late: their expressions name functions and sequences. Then what is on tables.
        let mut known: Vec<&ObjectRow> = known.iter().collect();
        known.sort_by_key(|object| match object.kind.trim_end() {
            "U" => 1,
            "TR" => 2,
            _ => 0,
        });
        for id in known.into_iter().map(|object| object.id) {
            if let Some(object) = self.load_object(io, id)? {
                self.put(object);
            }
        }
        super::shipped::put(self);
        Ok(())
    }

    /// An object; none when there is no row of it.
    pub(super) fn load_object(&self, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<Option<CatalogObject>> {
        let Some(row) = self.trees.rows(io, SystemTable::Objects, &[id.0])?.pop() else { return Ok(None) };
        let object = codec::object_of(&row)?;
        let own = [false, true].map(Schema::of_triggers).into_iter().find(|own| own.id.0 == object.schema_id);
        let id_of_schema = SchemaId(object.schema_id);
        let named = |id| self.catalog.objects().schema_by_id(id).cloned();
        let schema = own.or_else(|| match id_of_schema.of_views() {
            Some(of_views) => named(of_views).map(|schema| schema.of_view_rows()),
            None => named(id_of_schema),
        });
        let schema = schema.ok_or_else(|| damaged("an object's schema is not there"))?;
        let kind = object.kind.trim_end();
        if let Some(kind) = ModuleKind::of_code(kind) {
            let mut parts = codec::parts_of(&self.trees.rows(io, SystemTable::Modules, &[id.0])?)?;
            if kind == ModuleKind::Trigger && parts.parent.0 == 0 {
                parts.parent = self.named_parent(&parts.text);
            }
            return Ok(Some(CatalogObject::Module(Arc::new(codec::module_of(&object, kind, schema, parts)))));
        }
        Ok(Some(match kind {
            "U" => {
                let (def, trees) = self.load_table(io, &object, schema)?;
                CatalogObject::Table(def, trees)
            }
            "SO" => {
                let row = self.trees.rows(io, SystemTable::Sequences, &[id.0])?.pop();
                let row = row.ok_or_else(|| damaged("a sequence has no row"))?;
                CatalogObject::Sequence(Arc::new(self.sequence_with_mark(io, &object, schema, &row)?))
            }
            "SN" => {
                let parts = self.text(io, id)?.split('\u{0}').map(str::to_owned).collect();
                let base = millpond_tsql::ast::ObjectName { parts };
                CatalogObject::Synonym(Arc::new(SynonymDef { id, schema, name: object.name, base }))
            }
            other => return Err(damaged(&format!("an object is of kind {other}"))),
        }))
    }

    fn load_table(
        &self,
        io: &mut Io<'_, '_>,
        object: &ObjectRow,
        schema: Schema,
    ) -> SqlResult<(Arc<TableDef>, Arc<TableTrees>)> {
        let id = object.id.0;
        let rows = TableRows {
            columns: self.trees.rows(io, SystemTable::Columns, &[id])?,
            indexes: self.trees.rows(io, SystemTable::Indexes, &[id])?,
            index_columns: self.trees.rows(io, SystemTable::IndexColumns, &[id])?,
            constraints: self.trees.rows(io, SystemTable::Constraints, &[id])?,
            key_columns: self.trees.rows(io, SystemTable::KeyColumns, &[id])?,
            statistics: self.trees.rows(io, SystemTable::Statistics, &[id])?,
        };
        let texts = self.binder.names(&self.catalog, &self.name);
        let parts = rows.read(self.database(), &object.name, &*texts)?;
        let name = TableName {
            database: self.database(),
            database_name: Arc::clone(&self.name),
            schema,
            name: object.name.clone(),
        };
        let def = TableDef::assemble(object.id, name, parts.columns, parts.checks, parts.foreign_keys, parts.indexes);
        // Two bits, and sixteen above them.
        let escalation = LockEscalation::ALL.get(object.flags as usize & 3).copied().unwrap_or_default();
        let options = TableOptions::of_bits(object.flags >> TABLE_OPTIONS_SHIFT);
        let def = TableDef { statistics: parts.statistics, views: parts.views, escalation, options, ..def };
        let transaction = io.work.transaction_number();
        let objects = self.catalog.objects();
        let known = objects.table(object.id);
        let known = known.map(|(def, trees)| (Arc::clone(&trees.counters), Counted::of(def, trees.root())));
        let counters = match known.or_else(|| self.dropped.table(object.id, transaction)) {
            // Counters count on.
            Some((counters, now)) => {
                let wanted = Counted::of(&def, parts.roots.first().copied());
                counters.after_undo(now, wanted, transaction)
            }
            None => {
                let reserved = self.reserved_identity(io, object.id)?;
                let identity = IdentityCounter { last: reserved, reserved };
                Arc::new(TableCounters::new(identity))
            }
        };
        let trees = TableTrees::open(&def, &parts.roots, &self.home, counters);
        Ok((Arc::new(def), Arc::new(trees)))
    }

    fn reserved_identity(&self, io: &mut Io<'_, '_>, table: ObjectId) -> SqlResult<Option<i64>> {
        match self.trees.rows(io, SystemTable::Identities, &[table.0])?.pop() {
            None => Ok(None),
            Some(row) => Reading(&row).long(1).map(Some),
        }
    }

    /// A sequence that goes on after its mark, or counts on.
    fn sequence_with_mark(
        &self,
        io: &mut Io<'_, '_>,
        object: &ObjectRow,
        schema: Schema,
        row: &[Value],
    ) -> SqlResult<SequenceDef> {
        let mut def = codec::sequence_of(object, schema, row)?;
        let known = match self.catalog.objects().get(object.id) {
            Some(CatalogObject::Sequence(known)) => Some(Arc::clone(known)),
            _ => self.dropped.sequence(object.id, io.work.transaction_number()),
        };
        if let Some(known) = known.filter(|known| known.counter == def.counter) {
            def.state = Arc::clone(&known.state);
            return Ok(def);
        }
        if let Some(mark) = self.reserved_identity(io, def.counter)? {
            def.state.lock().last = Some(mark);
        }
        Ok(def)
    }

    /// Created and last altered, local time, microseconds since 1970.
    ///
    /// # Errors
    /// What reading gives.
    pub fn object_times(&self, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<Option<(i64, i64)>> {
        let row = self.trees.rows(io, SystemTable::Objects, &[id.0])?.pop();
        row.map(|row| codec::object_of(&row).map(|object| (object.created_us, object.modified_us))).transpose()
    }

    /// The same of all objects.
    ///
    /// # Errors
    /// What reading gives.
    pub fn all_object_times(&self, io: &mut Io<'_, '_>) -> SqlResult<HashMap<ObjectId, (i64, i64)>> {
        let rows = self.trees.rows(io, SystemTable::Objects, &[])?;
        let objects = rows.iter().map(|row| codec::object_of(row));
        objects.map(|object| object.map(|object| (object.id, (object.created_us, object.modified_us)))).collect()
    }

    pub(super) fn text(&self, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<String> {
        codec::parts_of(&self.trees.rows(io, SystemTable::Modules, &[id.0])?).map(|parts| parts.text)
    }

    /// The table that a trigger's text names: for triggers of files in which no more is kept.
    fn named_parent(&self, text: &str) -> ObjectId {
        let named = || {
            let batch = parse_batch(text, ParseOptions { quoted_identifier: true }).ok()?;
            let name = batch.statements.iter().find_map(|statement| match &statement.kind {
                StatementKind::Module(module) => match &module.kind {
                    ast::ModuleKind::Trigger { head, .. } => match &head.target {
                        TriggerTarget::Object(name) => Some(name.clone()),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            })?;
            let objects = self.catalog.objects();
            let schema = name.parts.iter().rev().nth(1).map_or("dbo", String::as_str);
            objects.find(objects.schema(schema)?.id, name.parts.last()?).map(CatalogObject::id)
        };
        named().unwrap_or(ObjectId(0))
    }

    pub(super) fn load_schemas(&self, io: &mut Io<'_, '_>, only: Option<SchemaId>) -> SqlResult<Vec<Schema>> {
        let prefix = only.map(|id| id.0);
        let rows = self.trees.rows(io, SystemTable::Schemas, prefix.as_slice())?;
        rows.iter()
            .map(|row| {
                let row = Reading(row);
                Ok(Schema { id: SchemaId(row.int(0)?), name: Arc::from(row.text(1)?) })
            })
            .collect()
    }

    pub(super) fn load_types(&self, io: &mut Io<'_, '_>, only: Option<i32>) -> SqlResult<Vec<Arc<UserTypeDef>>> {
        let mut types = Vec::new();
        let mut rows = self.trees.rows(io, SystemTable::Types, only.as_slice())?;
        // Columns of table types may be of alias types, which are known before them.
        rows.sort_by_key(|row| Reading(row).optional(3).is_none());
        for row in rows {
            let row = Reading(&row);
            let id = row.int(0)?;
            let schema = self.catalog.objects().schema_by_id(SchemaId(row.int(1)?)).cloned();
            let schema = schema.ok_or_else(|| damaged("a type's schema is not there"))?;
            let form = match row.optional(3) {
                Some(base) => UserTypeForm::Alias { sql: codec::type_of(base)?, nullable: row.bit(4)? },
                None => {
                    let text = self.text(io, ObjectId(-id))?;
                    self.binder.table_type(&self.catalog, &self.name, &text)?
                }
            };
            let bound = |column| ObjectId(row.int(column).unwrap_or(0));
            let (name, default, rule) = (row.text(2)?.to_owned(), bound(5), bound(6));
            let def = Arc::new(UserTypeDef { id, schema, name, form, default, rule });
            if only.is_none() {
                self.catalog.change(|objects| objects.put_type(Arc::clone(&def)));
            }
            types.push(def);
        }
        Ok(types)
    }
}
