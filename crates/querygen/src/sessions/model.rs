//! A model of one database: what is in its catalog and in its tables, and what a statement that succeeds does to it.
//!
//! What always holds: a refused step leaves the model as it was. Names of objects, constraints included, are unique in
//! their schema; each table has the column `id` and a primary key over it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::definition::{Column, Kind, Refused, Row, Table, schema_of};
use super::step::{Ids, Module, Step};

/// Tables, and rows of them that are new or have new values.
pub type Touched = Vec<(String, BTreeSet<i64>)>;

/// A database. Objects are named `schema.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Schemas beside dbo.
    pub schemas: BTreeSet<String>,
    /// Tables.
    pub tables: BTreeMap<String, Arc<Table>>,
    /// Views, procedures, functions.
    pub modules: BTreeMap<String, Module>,
    /// Sequences, with start and increment.
    pub sequences: BTreeMap<String, (i64, i64)>,
    /// Alias types, with what they stand for.
    pub types: BTreeMap<String, Kind>,
    /// Table types, with the types of their columns a, b, …
    pub table_types: BTreeMap<String, Vec<Kind>>,
    /// Synonyms, with their target.
    pub synonyms: BTreeMap<String, String>,
    /// Values that sequences gave, with the number of the sequence.
    pub given: BTreeSet<(i64, i64)>,
}

impl Model {
    /// All names in sys.objects, with their schema.
    #[must_use]
    pub fn objects(&self) -> BTreeSet<String> {
        let mut all: BTreeSet<String> = BTreeSet::new();
        for (name, table) in &self.tables {
            let schema = schema_of(name);
            let defaults = table.columns.iter().filter_map(|column| column.default.as_ref()).map(|(name, _)| name);
            let parts = table.checks.keys().chain(table.foreign.keys()).chain(table.triggers.keys()).chain(defaults);
            all.extend(
                parts.chain([&table.key]).filter(|part| !part.is_empty()).map(|part| format!("{schema}.{part}")),
            );
            all.insert(name.clone());
        }
        all.extend(self.modules.keys().cloned());
        all.extend(self.sequences.keys().cloned());
        all.extend(self.synonyms.keys().cloned());
        all
    }

    fn check_free(&self, name: &str) -> Result<(), Refused> {
        let schema = schema_of(name);
        if schema != "dbo" && !name.starts_with('#') && !self.schemas.contains(schema) {
            return Err(Refused("no such schema"));
        }
        if self.objects().contains(name) { Err(Refused("the name is taken")) } else { Ok(()) }
    }

    /// A table, to be changed.
    pub(super) fn table(&mut self, name: &str) -> Result<&mut Table, Refused> {
        self.tables.get_mut(name).map(Arc::make_mut).ok_or(Refused("no such table"))
    }

    fn is_referenced(&self, name: &str) -> bool {
        let others = self.tables.iter().filter(|(other, _)| *other != name);
        others.flat_map(|(_, table)| table.foreign.values()).any(|foreign| foreign.target == name)
    }

    /// Does what the step does when it succeeds.
    ///
    /// # Errors
    /// [`Refused`]: it cannot succeed.
    pub fn apply(&mut self, step: &Step) -> Result<(), Refused> {
        let mut next = self.clone();
        next.change(step)?;
        *self = next;
        Ok(())
    }

    fn change(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::Nothing(_) => Ok(()),
            Step::Insert { .. }
            | Step::InsertMany { .. }
            | Step::Update { .. }
            | Step::Current { .. }
            | Step::MoveIds { .. }
            | Step::Delete { .. }
            | Step::Merge { .. } => {
                let mut touched = self.change_rows(step)?;
                self.fire(&mut touched)
            }
            Step::Call { name } => {
                let change = self.modules.get(name).and_then(|module| module.change.clone());
                let change: Box<Step> = change.ok_or(Refused("no such procedure"))?;
                self.change(&change)
            }
            Step::Look(look) => self.check_look(look),
            Step::Next { given, .. } => {
                // No lock keeps a sequence in place until a commit, so it may be gone by now.
                given
                    .is_none_or(|given| self.given.insert(given))
                    .then_some(())
                    .ok_or(Refused("a value is given twice"))
            }
            Step::AddColumn { .. }
            | Step::DropColumn { .. }
            | Step::AlterColumn { .. }
            | Step::RenameColumn { .. }
            | Step::AddDefault { .. }
            | Step::AddCheck { .. }
            | Step::AddForeign { .. }
            | Step::DropConstraint { .. }
            | Step::ToggleForeign { .. }
            | Step::ToggleCheck { .. } => self.change_table(step),
            Step::CreateIndex { .. } | Step::DropIndex { .. } | Step::RenameIndex { .. } | Step::Rebuild { .. } => {
                self.change_index(step)
            }
            Step::CreateTable { .. }
            | Step::DropTable(_)
            | Step::RenameTable { .. }
            | Step::Truncate(_)
            | Step::SelectInto { .. } => self.change_tables(step),
            _ => self.change_others(step),
        }
    }

    fn change_tables(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::CreateTable { name, table } => {
                self.check_free(name)?;
                if !table.key.is_empty() {
                    self.check_free(&format!("{}.{}", schema_of(name), table.key))?;
                }
                let mut table = table.clone();
                for column in &mut table.columns {
                    self.resolve(column)?;
                }
                self.tables.insert(name.clone(), Arc::new(table));
            }
            Step::DropTable(name) => {
                self.table(name)?;
                if self.is_referenced(name) {
                    return Err(Refused("a FOREIGN KEY leads to it"));
                }
                self.tables.remove(name);
            }
            Step::RenameTable { old, new } => {
                let table = self.table(old)?.clone();
                self.check_free(new)?;
                self.tables.remove(old);
                self.tables.insert(new.clone(), Arc::new(table));
                for table in self.tables.values_mut() {
                    if table.foreign.values().any(|foreign| foreign.target == *old) {
                        let all = Arc::make_mut(table).foreign.values_mut();
                        all.filter(|foreign| foreign.target == *old).for_each(|foreign| foreign.target.clone_from(new));
                    }
                }
            }
            Step::Truncate(name) => {
                if self.is_referenced(name) {
                    return Err(Refused("a FOREIGN KEY leads to it"));
                }
                let table = self.table(name)?;
                table.rows.clear();
                table.given.clear();
            }
            Step::SelectInto { from, to, key, birth } => {
                let from = self.table(from)?.clone();
                self.check_free(to)?;
                self.check_free(&format!("{}.{key}", schema_of(to)))?;
                let plain = |column: &Column| Column { default: None, ..column.clone() };
                let columns = from.columns.iter().map(plain).collect();
                let (rows, identity, birth) = (from.rows, from.identity, *birth);
                let (key, given) = (key.clone(), rows.keys().copied().filter(|_| identity).collect());
                let table = Table { key, clustered: true, identity, columns, rows, birth, given, ..Table::default() };
                self.tables.insert(to.clone(), Arc::new(table));
            }
            _ => unreachable!("not a step of tables: {step:?}"),
        }
        Ok(())
    }

    fn change_table(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::AddColumn { table, column } => {
                if let Some((default, _)) = &column.default {
                    self.check_free(&format!("{}.{default}", schema_of(table)))?;
                }
                let mut column = column.clone();
                self.resolve(&mut column)?;
                let table = self.table(table)?;
                if table.place(&column.name).is_some() {
                    return Err(Refused("the column is there"));
                }
                let value = column.default.as_ref().filter(|_| !column.nullable).map(|(_, value)| value.clone());
                if value.is_none() && !column.nullable && !table.rows.is_empty() {
                    return Err(Refused("NOT NULL without a default"));
                }
                table.columns.push(column);
                table.rows.values_mut().for_each(|row| row.push(value.clone()));
            }
            Step::DropColumn { table, column } => {
                let table = self.table(table)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                if table.is_bound(column) {
                    return Err(Refused("something is over the column"));
                }
                table.columns.remove(place);
                table.rows.values_mut().for_each(|row| {
                    row.remove(place);
                });
            }
            Step::AlterColumn { table, column, kind } => {
                let table = self.table(table)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                // Longer texts go where no FOREIGN KEY is.
                let is_longer = matches!((table.columns[place].kind, *kind), (Kind::Varchar(old), Kind::Varchar(new)) if old <= new);
                if table.is_bound(column) && !is_longer {
                    return Err(Refused("something is over the column"));
                }
                (table.columns[place].kind, table.columns[place].alias) = (*kind, None);
            }
            Step::RenameColumn { table, old, new } => {
                let table = self.table(table)?;
                let place = table.place(old).ok_or(Refused("no such column"))?;
                if table.place(new).is_some() {
                    return Err(Refused("the column is there"));
                }
                table.columns[place].name.clone_from(new);
                for index in table.indexes.values_mut() {
                    let names = index.keys.iter_mut().chain(&mut index.included);
                    names.filter(|name| *name == old).for_each(|name| name.clone_from(new));
                }
                let foreign = table.foreign.values_mut().filter(|foreign| foreign.column == *old);
                foreign.for_each(|foreign| foreign.column.clone_from(new));
            }
            _ => return self.change_constraints(step),
        }
        Ok(())
    }

    fn change_constraints(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::AddDefault { table, column, name, value } => {
                self.check_free(&format!("{}.{name}", schema_of(table)))?;
                let table = self.table(table)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                if table.columns[place].default.is_some() {
                    return Err(Refused("it has a default"));
                }
                table.columns[place].default = Some((name.clone(), value.clone()));
            }
            Step::AddCheck { table, name } => {
                self.check_free(&format!("{}.{name}", schema_of(table)))?;
                self.table(table)?.checks.insert(name.clone(), false);
            }
            Step::AddForeign { table, name, foreign } => {
                self.check_free(&format!("{}.{name}", schema_of(table)))?;
                self.table(&foreign.target)?;
                let of = self.table(table)?;
                let place = of.place(&foreign.column).ok_or(Refused("no such column"))?;
                if of.columns[place].kind != Kind::Int {
                    return Err(Refused("another type"));
                }
                of.foreign.insert(name.clone(), foreign.clone());
                if foreign.is_trusted {
                    self.check_parents(table, foreign, None)?;
                }
            }
            Step::ToggleForeign { table, name, disabled, is_checked } => {
                let foreign = self.table(table)?.foreign.get_mut(name).ok_or(Refused("no such constraint"))?;
                (foreign.is_disabled, foreign.is_trusted) = (*disabled, *is_checked);
                let foreign = foreign.clone();
                if *is_checked {
                    self.check_parents(table, &foreign, None)?;
                }
            }
            Step::DropConstraint { table, name } => {
                let table = self.table(table)?;
                let is_default = |column: &&mut Column| column.default.as_ref().is_some_and(|(one, _)| one == name);
                if let Some(column) = table.columns.iter_mut().find(is_default) {
                    column.default = None;
                } else if table.checks.remove(name).is_none() && table.foreign.remove(name).is_none() {
                    return Err(Refused("no such constraint"));
                }
            }
            Step::ToggleCheck { table, name, disabled } => {
                let check = self.table(table)?.checks.get_mut(name).ok_or(Refused("no such constraint"))?;
                *check = *disabled;
            }
            _ => unreachable!("not a step of one table: {step:?}"),
        }
        Ok(())
    }

    fn change_index(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::CreateIndex { table, name, index } => {
                let table = self.table(table)?;
                if table.indexes.contains_key(name) || table.key == *name {
                    return Err(Refused("the name is taken"));
                }
                if index.keys.iter().chain(&index.included).any(|key| key != "id" && table.place(key).is_none()) {
                    return Err(Refused("no such column"));
                }
                table.indexes.insert(name.clone(), index.clone());
                table.check_unique()?;
            }
            Step::DropIndex { table, name } => {
                self.table(table)?.indexes.remove(name).ok_or(Refused("no such index"))?;
            }
            Step::RenameIndex { table, old, new } => {
                let table = self.table(table)?;
                if table.indexes.contains_key(new) {
                    return Err(Refused("the name is taken"));
                }
                let index = table.indexes.remove(old).ok_or(Refused("no such index"))?;
                table.indexes.insert(new.clone(), index);
            }
            Step::Rebuild(table) => {
                self.table(table)?;
            }
            _ => unreachable!("not a step of indexes: {step:?}"),
        }
        Ok(())
    }

    /// Changes rows; the answer are tables and the rows of them that are new or have new values.
    fn change_rows(&mut self, step: &Step) -> Result<Touched, Refused> {
        let mut touched = Touched::new();
        match step {
            Step::Insert { table: name, id, values } => {
                let table = self.table(name)?;
                let row = new_row(table, values)?;
                let id = id.ok_or(Refused("no id"))?;
                if table.rows.insert(id, row).is_some() {
                    return Err(Refused("two rows of one key"));
                }
                if table.identity && !table.given.insert(id) {
                    return Err(Refused("a value is given twice"));
                }
                self.check_new(name, &BTreeSet::from([id]), None)?;
                touched.push((name.clone(), BTreeSet::from([id])));
            }
            Step::InsertMany { table: name, ids } => {
                let table = self.table(name)?;
                let row = new_row(table, &[])?;
                if table.identity || table.rows.range(ids.range()).next().is_some() {
                    return Err(Refused("two rows of one key"));
                }
                table.rows.extend(ids.range().map(|id| (id, row.clone())));
                self.check_new(name, &ids.range().collect(), None)?;
                touched.push((name.clone(), ids.range().collect()));
            }
            Step::Update { table: name, column, value, ids } => {
                let table = self.table(name)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                let changed: BTreeSet<i64> = table.rows.range(ids.range()).map(|(id, _)| *id).collect();
                // A row that had the value is not asked for its parent.
                let others = table.rows.range(ids.range()).filter(|(_, row)| row[place] != *value);
                let asked: BTreeSet<i64> = others.map(|(id, _)| *id).collect();
                if value.is_none() && !table.columns[place].nullable && !changed.is_empty() {
                    return Err(Refused("NULL in a NOT NULL column"));
                }
                table.rows.range_mut(ids.range()).for_each(|(_, row)| row[place].clone_from(value));
                self.check_new(name, &asked, Some(column))?;
                touched.push((name.clone(), changed));
            }
            Step::Current { table, birth, id, change } => {
                let of = self.table(table)?;
                if birth.is_some_and(|birth| birth != of.birth && of.birth != 0) {
                    return Err(Refused("a cursor changed another table"));
                }
                if !of.rows.contains_key(id) {
                    return Err(Refused("a cursor changed a row that is not there"));
                }
                let (table, ids) = (table.clone(), Ids(*id, *id));
                return self.change_rows(&match change.clone() {
                    Some((column, value)) => Step::Update { table, column, value, ids },
                    None => Step::Delete { table, ids },
                });
            }
            Step::Delete { table, ids } => {
                let gone = self.table(table)?.rows.range(ids.range()).map(|(id, _)| *id).collect();
                self.delete_rows(table, &gone, &mut touched)?;
            }
            Step::MoveIds { table, ids, by } => self.move_ids(table, *ids, *by, &mut touched)?,
            Step::Merge { table: name, column, value, id } => {
                let table = self.table(name)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                let changed = BTreeSet::from([*id]);
                if let Some(row) = table.rows.get_mut(id) {
                    let is_other = row[place].as_ref() != Some(value);
                    row[place] = Some(value.clone());
                    if is_other {
                        self.check_new(name, &changed, Some(column))?;
                    }
                } else {
                    let row = new_row(table, &[(column.clone(), Some(value.clone()))])?;
                    table.rows.insert(*id, row);
                    self.check_new(name, &changed, None)?;
                }
                touched.push((name.clone(), changed));
            }
            _ => unreachable!("not a step of rows: {step:?}"),
        }
        Ok(touched)
    }

    fn change_others(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::CreateSchema(name) => {
                if !self.schemas.insert(name.clone()) {
                    return Err(Refused("the schema is there"));
                }
            }
            Step::DropSchema(name) => {
                let is_used = self
                    .objects()
                    .iter()
                    .chain(self.types.keys())
                    .chain(self.table_types.keys())
                    .any(|object| schema_of(object) == name);
                if is_used || !self.schemas.remove(name) {
                    return Err(Refused("the schema is not there or not empty"));
                }
            }
            Step::CreateModule { name, module } => {
                self.check_free(name)?;
                self.modules.insert(name.clone(), module.clone());
            }
            Step::AlterModule { name, module } => {
                let old = self.modules.get_mut(name).ok_or(Refused("no such module"))?;
                if old.kind != module.kind {
                    return Err(Refused("another kind of module"));
                }
                *old = module.clone();
            }
            Step::DropModule { name, kind } => match self.modules.get(name) {
                Some(module) if module.kind == *kind => {
                    self.modules.remove(name);
                }
                _ => return Err(Refused("no such module")),
            },
            Step::CreateTrigger { table, name, trigger } => {
                self.check_free(&format!("{}.{name}", schema_of(table)))?;
                self.table(table)?.triggers.insert(name.clone(), trigger.clone());
            }
            Step::DropTrigger { table, name } => {
                self.drop_trigger(table, name)?;
            }
            Step::ToggleTrigger { table, name, disabled } => {
                let trigger = self.table(table)?.triggers.get_mut(name).ok_or(Refused("no such trigger"))?;
                trigger.disabled = *disabled;
            }
            _ => return self.change_small(step),
        }
        Ok(())
    }

    /// DROP TRIGGER names no table: the trigger is found where it is now, its table may have another name since.
    fn drop_trigger(&mut self, table: &str, name: &str) -> Result<(), Refused> {
        let schema = schema_of(table);
        let mut tables =
            self.tables.iter_mut().filter(|(of, table)| schema_of(of) == schema && table.triggers.contains_key(name));
        let (_, table) = tables.next().ok_or(Refused("no such trigger"))?;
        Arc::make_mut(table).triggers.remove(name);
        Ok(())
    }

    /// A column that is declared by an alias type has the type for which that stands now.
    fn resolve(&self, column: &mut Column) -> Result<(), Refused> {
        if let Some(alias) = &column.alias {
            column.kind = *self.types.get(alias).ok_or(Refused("no such type"))?;
        }
        Ok(())
    }

    fn change_small(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::CreateSequence { name, start, increment } => {
                self.check_free(name)?;
                self.sequences.insert(name.clone(), (*start, *increment));
            }
            Step::DropSequence(name) => {
                self.sequences.remove(name).ok_or(Refused("no such sequence"))?;
            }
            Step::CreateType { name, kind } => {
                if self.types.insert(name.clone(), *kind).is_some() {
                    return Err(Refused("the type is there"));
                }
            }
            Step::CreateTableType { name, kinds } => {
                if self.table_types.insert(name.clone(), kinds.clone()).is_some() {
                    return Err(Refused("the type is there"));
                }
            }
            Step::DropType(name) => {
                let mut columns = self.tables.values().flat_map(|table| &table.columns);
                if columns.any(|column| column.alias.as_ref() == Some(name)) {
                    return Err(Refused("a column is of the type"));
                }
                if self.types.remove(name).is_none() && self.table_types.remove(name).is_none() {
                    return Err(Refused("no such type"));
                }
            }
            Step::CreateSynonym { name, target } => {
                self.check_free(name)?;
                self.synonyms.insert(name.clone(), target.clone());
            }
            Step::DropSynonym(name) => {
                self.synonyms.remove(name).ok_or(Refused("no such synonym"))?;
            }
            _ => unreachable!("an unknown step: {step:?}"),
        }
        Ok(())
    }
}

/// A row of these values; other columns have their default or NULL.
fn new_row(table: &Table, values: &[(String, Option<String>)]) -> Result<Row, Refused> {
    if values.iter().any(|(name, _)| table.place(name).is_none()) {
        return Err(Refused("no such column"));
    }
    let mut row = Vec::new();
    for column in &table.columns {
        let value = match values.iter().find(|(name, _)| *name == column.name) {
            Some((_, value)) => value.clone(),
            None => column.default.as_ref().map(|(_, value)| value.clone()),
        };
        if value.is_none() && !column.nullable {
            return Err(Refused("NULL in a NOT NULL column"));
        }
        row.push(value);
    }
    Ok(row)
}
