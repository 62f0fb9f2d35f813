//! Tables of databases: made, dropped, emptied. The definition is locked against everybody until the transaction ends.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_tsql::ast::{ObjectName, TableDefinition};
use millpond_txn::lock::LockMode;

use super::batch::BatchRun;
use super::names::{SessionNames, part};
use crate::bind::{Binder, NewTable};
use crate::catalog::{CatalogObject, ObjectId, Schema, SchemaId, TableDef, TableName};
use crate::dictionary::{Dictionary, Io};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::stored::place_of;
use crate::trees::{TableCounters, TableTrees};

/// Where a new object goes.
pub(super) struct Home {
    pub dictionary: Arc<Dictionary>,
    pub schema: Schema,
}

/// A table that is being changed: locked with Sch-M.
pub(super) struct Open {
    pub dictionary: Arc<Dictionary>,
    pub def: Arc<TableDef>,
    pub trees: Arc<TableTrees>,
}

impl BatchRun<'_> {
    /// The dictionary of the database that a name names.
    ///
    /// # Errors
    /// 911
    pub(super) fn dictionary_of(&self, name: &ObjectName) -> SqlResult<Arc<Dictionary>> {
        let database = match part(name, 2) {
            None => self.ctx.facts.database,
            Some(named) => self.ctx.engine.database_id(named).ok_or_else(|| message::unknown_database(named))?,
        };
        self.ctx.engine.databases().dictionary(database)
    }

    /// Where a new object of this name goes, once nobody else has the name.
    ///
    /// # Errors
    /// 2760 for an unknown schema, 2714 for a name that is taken.
    pub(super) fn home_of(&mut self, name: &ObjectName) -> SqlResult<Home> {
        let dictionary = self.dictionary_of(name)?;
        if dictionary.database() == DbId::TEMPDB {
            return Err(message::missing("A permanent object in tempdb"));
        }
        let schema_name = part(name, 1).unwrap_or("dbo");
        let schema =
            self.settled_schema(&dictionary, schema_name)?.ok_or_else(|| message::unknown_schema(schema_name))?;
        let last = name.parts.last().expect("a name has parts");
        let taken = dictionary.catalog().objects().find(schema.id, last).map(CatalogObject::id);
        if let Some(taken) = taken {
            // Who makes it may still roll back.
            self.lock_object(dictionary.database(), taken, LockMode::SchS).map_err(|error| {
                message::of_txn(error, message::Place { schema: "", object: last, database: dictionary.name() })
            })?;
        }
        let objects = dictionary.catalog().objects();
        if objects.find(schema.id, last).is_some() || objects.constraint(schema.id, last).is_some() {
            return Err(message::object_exists(last));
        }
        Ok(Home { dictionary, schema })
    }

    /// The times of an object that is made or changed now, local, microseconds since 1970.
    pub(super) fn times_now(&self) -> (i64, i64) {
        let now = self.ctx.engine.now_us().1;
        (now, now)
    }

    /// A table of this name, its definition locked against everybody.
    ///
    /// # Errors
    /// 4902
    pub(super) fn open_table(&mut self, name: &ObjectName) -> SqlResult<Open> {
        self.find_table(name)?.ok_or_else(|| cannot_find(&name.parts.join(".")))
    }

    /// The same, `None` when there is none.
    pub(super) fn find_table(&mut self, name: &ObjectName) -> SqlResult<Option<Open>> {
        let dictionary = self.dictionary_of(name)?;
        let last = name.parts.last().expect("a name has parts");
        let find = || {
            let objects = dictionary.catalog().objects();
            let schema = objects.schema(part(name, 1).unwrap_or("dbo"))?.id;
            match objects.find(schema, last)? {
                CatalogObject::Table(def, trees) => Some((Arc::clone(def), Arc::clone(trees))),
                _ => None,
            }
        };
        let Some((def, _)) = find() else { return Ok(None) };
        self.lock_definition(&def, LockMode::SchM)?;
        // Another may have changed or dropped it while this one waited.
        Ok(find().map(|(def, trees)| Open { dictionary: Arc::clone(&dictionary), def, trees }))
    }

    pub(super) fn create_stored_table(&mut self, name: &ObjectName, definition: &TableDefinition) -> SqlResult<()> {
        self.implicit_begin();
        let last = name.parts.last().expect("a name has parts").clone();
        self.ctx_mut().tables = Arc::from([]);
        self.atomically(&last, |run| {
            let home = run.home_of(name)?;
            let id = home.dictionary.catalog().next_object_id();
            let next_id = || home.dictionary.catalog().next_object_id();
            let table_name = TableName {
                database: home.dictionary.database(),
                database_name: Arc::clone(home.dictionary.name()),
                schema: home.schema.clone(),
                name: last.clone(),
            };
            let def = {
                let names = SessionNames { ctx: &run.ctx };
                let mut binder = Binder::new(&names, &run.variables);
                let new = NewTable { name: table_name, id, next_id: &next_id };
                binder.table_definition(&new, definition).map_err(message::constraint_not_made)?
            };
            run.check_constraint_names(&home.dictionary, &def).map_err(message::constraint_not_made)?;
            run.put_new_table(&home.dictionary, def)
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Makes the trees of a new table and writes it into the system tables.
    pub(super) fn put_new_table(&mut self, dictionary: &Dictionary, def: TableDef) -> SqlResult<()> {
        self.lock_definition(&def, LockMode::SchM)?;
        let trees = Arc::new(self.empty_trees(dictionary, &def)?);
        let times = self.times_now();
        let ask = self.ctx.ask_other();
        let mut io = Io { work: &mut self.session.work, ask: &ask };
        dictionary.put_table(&mut io, &Arc::new(def), &trees, times)
    }

    /// Names of constraints share one space with objects.
    fn check_constraint_names(&self, dictionary: &Dictionary, def: &TableDef) -> SqlResult<()> {
        let objects = dictionary.catalog().objects();
        let indexes = def.indexes.iter().filter(|index| index.constraint != ObjectId(0)).map(|index| &index.name);
        let checks = def.checks.iter().map(|check| &check.name);
        let keys = def.foreign_keys.iter().map(|key| &key.name);
        let defaults = def.columns.iter().filter_map(|column| column.default.as_ref()).map(|default| &default.name);
        let mut seen = std::collections::HashSet::new();
        for name in indexes.chain(checks).chain(keys).chain(defaults) {
            let key = crate::catalog::name_key(name);
            let taken = objects.constraint(def.schema.id, name).is_some_and(|table| table != def.id);
            if taken || objects.find(def.schema.id, name).is_some() || !seen.insert(key) {
                return Err(message::object_exists(name));
            }
        }
        Ok(())
    }

    pub(super) fn drop_stored_table(&mut self, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
        let last = name.parts.last().expect("a name has parts").clone();
        self.ctx_mut().tables = Arc::from([]);
        self.atomically(&last, |run| {
            let Some(Open { dictionary, def, trees }) = run.find_table(name)? else {
                if if_exists {
                    return Ok(());
                }
                return Err(message::cannot_drop("table", &name.parts.join(".")));
            };
            if let Some(other) = dictionary.catalog().objects().referring_to(def.id).find(|other| other.id != def.id) {
                return Err(SqlError::new(
                    3726,
                    16,
                    1,
                    format!(
                        "Could not drop object '{}' because it is referenced by a FOREIGN KEY constraint. ('{}')",
                        name.parts.join("."),
                        other.two_part_name()
                    ),
                ));
            }
            run.check_unbound(dictionary.catalog(), def.id, "DROP TABLE", name)?;
            run.lock_schema(&dictionary, &def.schema, LockMode::SchS)?;
            run.drop_triggers(&def)?;
            run.forget_identity_insert(&def);
            run.drop_trees(&def, &trees)?;
            let ask = run.ctx.ask_other();
            dictionary.drop_object(&mut Io { work: &mut run.session.work, ask: &ask }, def.id)
        })
    }

    fn drop_trees(&mut self, def: &TableDef, trees: &TableTrees) -> SqlResult<()> {
        let ask = self.ctx.ask_other();
        for tree in &trees.trees {
            self.session.work.drop_tree(&ask, tree).map_err(|error| message::of_txn(error, place_of(def)))?;
        }
        Ok(())
    }

    pub(super) fn truncate_stored_table(&mut self, name: &ObjectName) -> SqlResult<()> {
        self.implicit_begin();
        let last = name.parts.last().expect("a name has parts").clone();
        self.ctx_mut().tables = Arc::from([]);
        self.atomically(&last, |run| {
            let open = run.find_table(name)?.ok_or_else(|| message::cannot_truncate(&name.parts.join(".")))?;
            let Open { dictionary, def, trees } = &open;
            if dictionary.catalog().objects().referring_to(def.id).any(|other| other.id != def.id) {
                return Err(SqlError::new(
                    4712,
                    16,
                    1,
                    format!(
                        "Cannot truncate table '{}' because it is being referenced by a FOREIGN KEY constraint.",
                        name.parts.join(".")
                    ),
                ));
            }
            let ask = run.ctx.ask_other();
            let mut emptied = Vec::with_capacity(trees.trees.len());
            for tree in &trees.trees {
                let (new, _) = run
                    .session
                    .work
                    .truncate_tree(&ask, tree, tree.ids())
                    .map_err(|error| message::of_txn(error, place_of(def)))?;
                emptied.push(new);
            }
            let counters = Arc::new(TableCounters::truncated(trees, run.session.work.assign_number()));
            run.put_table(&open.dictionary, def, Arc::new(TableTrees { trees: emptied, memory: None, counters }))
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Writes a changed definition, or the same with other trees. The definition is given anew, so that whoever holds
    /// the old one looks again.
    pub(super) fn put_table(
        &mut self,
        dictionary: &Dictionary,
        def: &Arc<TableDef>,
        trees: Arc<TableTrees>,
    ) -> SqlResult<()> {
        let now = self.times_now().1;
        let ask = self.ctx.ask_other();
        let mut io = Io { work: &mut self.session.work, ask: &ask };
        let created = dictionary.object_times(&mut io, def.id)?.map_or(now, |(created, _)| created);
        dictionary.put_table(&mut io, def, &trees, (created, now))
    }
}

/// 4902
pub(super) fn cannot_find(name: &str) -> SqlError {
    SqlError::new(
        4902,
        16,
        1,
        format!("Cannot find the object \"{name}\" because it does not exist or you do not have permissions."),
    )
}

/// Whether a schema is one that every database has.
pub(super) fn is_built_in(schema: SchemaId) -> bool {
    schema.0 < 5
}
