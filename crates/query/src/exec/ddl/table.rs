//! Tables of databases: made, dropped, emptied. The definition is locked against everybody until the transaction ends.

use std::sync::Arc;

use millpond_bind::{Binder, NewTable};
use millpond_catalog::dictionary::{Dictionary, Io};
use millpond_catalog::trees::{TableCounters, TableTrees};
use millpond_catalog::{
    CatalogObject, ForeignKeyDef, ObjectId, Schema, SchemaId, TableDef, TableName, constraint_names,
};
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{ConstraintKind, ObjectName, TableConstraint, TableDefinition};
use millpond_txn::lock::LockMode;

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::{SessionNames, database_part, part};
use crate::exec::batch::settled::Seeker;
use crate::exec::ddl::cascade_paths::check_cascades;
use crate::exec::ddl::index::wide_keys;

/// Where a new object goes.
pub(in crate::exec) struct Home {
    pub dictionary: Arc<Dictionary>,
    pub schema: Schema,
}

/// A table that is being changed: locked with Sch-M.
pub(in crate::exec) struct Open {
    pub dictionary: Arc<Dictionary>,
    pub def: Arc<TableDef>,
    pub trees: Arc<TableTrees>,
}

impl BatchRun<'_> {
    /// The dictionary of the database that a name names.
    ///
    /// # Errors
    /// 911
    pub(in crate::exec) fn dictionary_of(&self, name: &ObjectName) -> SqlResult<Arc<Dictionary>> {
        let database = match database_part(&self.ctx.engine, name)? {
            None => self.ctx.facts.names_database(),
            Some(named) => self.ctx.engine.database_id(named).ok_or_else(|| message::unknown_database(named))?,
        };
        self.ctx.engine.databases().dictionary(database)
    }

    /// Where a new object of this name goes, once nobody else has the name.
    ///
    /// # Errors
    /// 2760 for an unknown schema, 2714 for a name that is taken.
    pub(in crate::exec) fn home_of(&mut self, name: &ObjectName) -> SqlResult<Home> {
        let dictionary = self.dictionary_of(name)?;
        if dictionary.database() == DbId::TEMPDB {
            return Err(message::missing("A permanent object in tempdb"));
        }
        let schema_name = part(name, 1).unwrap_or("dbo");
        let schema =
            self.settled_schema(&dictionary, schema_name)?.ok_or_else(|| message::unknown_schema(schema_name))?;
        let last = name.last();
        // Who has it, or had it, may still roll back.
        if Seeker::of(&self.ctx).is_taken(&dictionary, schema.id, last)? {
            return Err(message::object_exists(last));
        }
        Ok(Home { dictionary, schema })
    }

    /// The times of an object that is made or changed now, local, microseconds since 1970.
    pub(in crate::exec) fn times_now(&self) -> (i64, i64) {
        let now = self.ctx.engine.now_us().1;
        (now, now)
    }

    /// A table of this name, its definition locked against everybody.
    ///
    /// # Errors
    /// 4902
    pub(in crate::exec) fn open_table(&mut self, name: &ObjectName) -> SqlResult<Open> {
        self.find_table(name)?.ok_or_else(|| cannot_find(&name.shown()))
    }

    /// The same, `None` when there is none.
    pub(in crate::exec) fn find_table(&mut self, name: &ObjectName) -> SqlResult<Option<Open>> {
        loop {
            let Some(CatalogObject::Table(def, _)) = self.find_object(name)? else { return Ok(None) };
            self.lock_definition(&def, LockMode::SchM)?;
            // Another may have changed or dropped it while this one waited, and the name may be another's now.
            if let Some(CatalogObject::Table(now, trees)) = self.find_object(name)?
                && now.id == def.id
            {
                return Ok(Some(Open { dictionary: self.dictionary_of(name)?, def: now, trees }));
            }
        }
    }

    /// The table of a number, its definition locked against everybody; `None` when there is none any more.
    pub(in crate::exec) fn open_by_id(
        &mut self,
        dictionary: &Arc<Dictionary>,
        id: ObjectId,
    ) -> SqlResult<Option<Open>> {
        let find = || dictionary.catalog().objects().table(id).map(|(def, trees)| (Arc::clone(def), Arc::clone(trees)));
        let Some((def, _)) = find() else { return Ok(None) };
        self.lock_definition(&def, LockMode::SchM)?;
        Ok(find().map(|(def, trees)| Open { dictionary: Arc::clone(dictionary), def, trees }))
    }

    pub(in crate::exec) fn create_stored_table(
        &mut self,
        name: &ObjectName,
        definition: &TableDefinition,
    ) -> SqlResult<()> {
        self.implicit_begin();
        let last = name.last().clone();
        self.forget_tables();
        self.atomically(&last, |run| {
            let home = run.home_of(name)?;
            let of_columns = definition.columns.iter().flat_map(|column| &column.constraints);
            run.lock_names_of_keys(of_columns.chain(&definition.constraints))?;
            let id = home.dictionary.catalog().next_object_id();
            let next_id = || home.dictionary.catalog().next_object_id();
            let table_name = TableName {
                database: home.dictionary.database(),
                database_name: Arc::clone(home.dictionary.name()),
                schema: home.schema.clone(),
                name: last.clone(),
            };
            let def = {
                let names = SessionNames::of(&run.ctx);
                let mut binder = Binder::new(&names, &run.variables);
                let new = NewTable::of(table_name, id, &next_id);
                binder.table_definition(&new, definition).map_err(message::constraint_not_made)?
            };
            run.check_constraint_names(&home.dictionary, &def).map_err(message::constraint_not_made)?;
            run.lock_referenced(&home.dictionary, None, Some(&def))?;
            check_cascades(&home.dictionary.catalog().objects(), &def, 0).map_err(message::constraint_not_made)?;
            let wide = wide_keys(&def.columns, &def.indexes, &[]);
            run.put_new_table(&home.dictionary, def)?;
            run.warn(wide);
            Ok(())
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Makes the trees of a new table and writes it into the system tables.
    pub(in crate::exec) fn put_new_table(&mut self, dictionary: &Dictionary, def: TableDef) -> SqlResult<()> {
        self.lock_definition(&def, LockMode::SchM)?;
        if def.identity_column().is_some() {
            // What was reserved for a table of this number that a rollback took away.
            self.ctx.engine.databases().on_own_account(|io| dictionary.new_counter(io, def.id))?;
        }
        let trees = Arc::new(self.empty_trees(dictionary, &def)?);
        let times = self.times_now();
        let ask = self.ctx.ask_other();
        let mut io = Io { work: &mut self.session.work, ask: &ask };
        let id = def.id;
        dictionary.put_table(&mut io, &Arc::new(def), &trees, times)?;
        // A snapshot from before would find no rows, also where it has read those of another table of the name.
        self.note_altered(dictionary, id);
        Ok(())
    }

    /// Names of constraints share one space with objects.
    fn check_constraint_names(&self, dictionary: &Dictionary, def: &TableDef) -> SqlResult<()> {
        let mut seen = std::collections::HashSet::new();
        for name in constraint_names(def) {
            let is_new = seen.insert(millpond_catalog::name_key(name));
            if !is_new || Seeker::of(&self.ctx).is_taken(dictionary, def.schema.id, name)? {
                return Err(message::object_exists(name));
            }
        }
        Ok(())
    }

    pub(in crate::exec) fn drop_stored_table(&mut self, name: &ObjectName, if_exists: bool) -> SqlResult<()> {
        let last = name.last().clone();
        self.forget_tables();
        self.atomically(&last, |run| {
            let Some(Open { dictionary, def, trees }) = run.find_table(name)? else {
                run.not_of_kind(name, "TABLE")?;
                if if_exists {
                    return Ok(());
                }
                return Err(message::cannot_drop("table", &name.shown()));
            };
            if dictionary.catalog().objects().referring_to(def.id).any(|other| other.id != def.id) {
                return Err(SqlError::of(3726, 1, &[&name.shown()]));
            }
            run.check_unbound(dictionary.catalog(), def.id, "DROP TABLE", name)?;
            run.lock_schema(&dictionary, &def.schema, LockMode::SchS)?;
            run.lock_referenced(&dictionary, Some(&def), None)?;
            run.drop_triggers(&def)?;
            run.forget_identity_insert(&def);
            run.drop_trees(&def, &trees)?;
            let ask = run.ctx.ask_other();
            dictionary.drop_object(&mut Io { work: &mut run.session.work, ask: &ask }, def.id)
        })
    }

    /// Locks the tables that foreign keys name before the keys are bound: whatever has the name then keeps it.
    ///
    /// # Errors
    /// 911 for an unknown database; 1222, 1205. A name that no table has is left to the binder.
    pub(in crate::exec) fn lock_names_of_keys<'a>(
        &mut self,
        constraints: impl Iterator<Item = &'a TableConstraint>,
    ) -> SqlResult<()> {
        for constraint in constraints {
            if let ConstraintKind::ForeignKey(key) = &constraint.kind {
                self.find_table(&key.table)?;
            }
        }
        Ok(())
    }

    /// Locks the tables that a table begins to refer to by a foreign key, or does no longer, against everybody: who changes
    /// their rows minds the key or does not, as its transaction ends.
    ///
    /// # Errors
    /// 1222, 1205; 2801 when such a table has changed since the key was bound: the statement begins again.
    pub(in crate::exec) fn lock_referenced(
        &mut self,
        dictionary: &Arc<Dictionary>,
        old: Option<&TableDef>,
        new: Option<&TableDef>,
    ) -> SqlResult<()> {
        let keys = |def: Option<&'_ TableDef>| def.map_or_else(Vec::new, |def| def.foreign_keys.clone());
        let (had, gets) = (keys(old), keys(new));
        let is_in = |keys: &[ForeignKeyDef], id: ObjectId| keys.iter().any(|key| key.id == id);
        let own = old.or(new).map(|def| def.id);
        let lost = had.iter().filter(|key| !is_in(&gets, key.id)).map(|key| (key, false));
        let got = gets.iter().filter(|key| !is_in(&had, key.id)).map(|key| (key, true));
        for (key, is_new) in lost.chain(got).filter(|(key, _)| Some(key.referenced) != own) {
            let open = self.open_by_id(dictionary, key.referenced)?;
            if is_new && open.as_ref().is_none_or(|open| !has_key(&open.def, key)) {
                self.is_stale = true;
                return Err(message::schema_changed(open.as_ref().map_or("", |open| &open.def.name)));
            }
            if let Some(open) = &open {
                self.renew_table(open);
            }
        }
        Ok(())
    }

    fn drop_trees(&mut self, def: &TableDef, trees: &TableTrees) -> SqlResult<()> {
        let ask = self.ctx.ask_other();
        for tree in &trees.trees {
            self.session.work.drop_tree(&ask, tree).map_err(|error| message::of_txn(error, place_of(def)))?;
        }
        Ok(())
    }

    pub(in crate::exec) fn truncate_stored_table(&mut self, name: &ObjectName) -> SqlResult<()> {
        self.implicit_begin();
        let last = name.last().clone();
        self.forget_tables();
        self.atomically(&last, |run| {
            let open = run.find_table(name)?.ok_or_else(|| message::cannot_truncate(&name.shown()))?;
            let Open { dictionary, def, trees } = &open;
            if dictionary.catalog().objects().referring_to(def.id).any(|other| other.id != def.id) {
                return Err(SqlError::of(4712, 1, &[&name.shown()]));
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
            let counters = Arc::new(TableCounters::anew(def, trees, run.session.work.assign_number()));
            run.put_table(&open.dictionary, def, Arc::new(TableTrees { trees: emptied, memory: None, counters }))
        })?;
        self.done_quietly(0);
        Ok(())
    }

    /// Writes a changed definition, or the same with other trees. The definition is given anew, so that whoever holds
    /// the old one looks again.
    pub(in crate::exec) fn put_table(
        &mut self,
        dictionary: &Arc<Dictionary>,
        def: &Arc<TableDef>,
        trees: Arc<TableTrees>,
    ) -> SqlResult<()> {
        self.put_definition(dictionary, def, trees)?;
        // Rows of the new form have no older versions: a snapshot from before does not read them.
        self.note_altered(dictionary, def.id);
        Ok(())
    }

    /// Snapshots that do not see this transaction are refused (3961).
    fn note_altered(&mut self, dictionary: &Dictionary, id: ObjectId) {
        let work = &mut self.session.work;
        let (transaction, seen_by_all) = (work.assign_number(), work.seen_by_all());
        dictionary.catalog().change(|objects| objects.note_altered(id, transaction, seen_by_all));
    }

    /// The same where no row changes its form, and no index.
    pub(in crate::exec) fn put_definition(
        &mut self,
        dictionary: &Arc<Dictionary>,
        def: &Arc<TableDef>,
        trees: Arc<TableTrees>,
    ) -> SqlResult<()> {
        let old = dictionary.catalog().objects().table(def.id).map(|(old, _)| Arc::clone(old));
        self.lock_referenced(dictionary, old.as_deref(), Some(def))?;
        let now = self.times_now().1;
        let ask = self.ctx.ask_other();
        let mut io = Io { work: &mut self.session.work, ask: &ask };
        let created = dictionary.object_times(&mut io, def.id)?.map_or(now, |(created, _)| created);
        dictionary.put_table(&mut io, def, &trees, (created, now))
    }
}

/// Whether a table has the unique index that a foreign key refers to.
fn has_key(def: &TableDef, key: &ForeignKeyDef) -> bool {
    def.indexes.iter().any(|index| {
        let columns: Vec<i32> = index.key.iter().map(|part| def.columns[part.column].id).collect();
        index.unique
            && columns.len() == key.referenced_columns.len()
            && key.referenced_columns.iter().all(|column| columns.contains(column))
    })
}

/// 4902
pub(in crate::exec) fn cannot_find(name: &str) -> SqlError {
    SqlError::of(4902, 1, &[&name])
}

/// Whether a schema is one that every database has.
pub(in crate::exec) fn is_built_in(schema: SchemaId) -> bool {
    schema.0 < 5
}
