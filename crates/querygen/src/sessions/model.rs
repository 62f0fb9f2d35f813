//! A model of one database: what is in its catalog and in its tables, and what a statement that succeeds does to it.
//!
//! What always holds: a refused step leaves the model as it was. Names of objects, constraints included, are unique in
//! their schema; each table has the column `id` and a primary key over it.

use std::collections::{BTreeMap, BTreeSet};

use super::step::Step;

/// Why a step is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub &'static str);

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `int`
    Int,
    /// `bigint`
    Bigint,
    /// `varchar` of so many bytes.
    Varchar(u32),
}

impl Kind {
    /// As it is declared.
    #[must_use]
    pub fn sql(self) -> String {
        match self {
            Kind::Int => "int".into(),
            Kind::Bigint => "bigint".into(),
            Kind::Varchar(bytes) => format!("varchar({bytes})"),
        }
    }

    /// Its name and `max_length` in sys.columns.
    #[must_use]
    pub fn described(self) -> String {
        match self {
            Kind::Int => "int|4".into(),
            Kind::Bigint => "bigint|8".into(),
            Kind::Varchar(bytes) => format!("varchar|{bytes}"),
        }
    }

    /// A literal of the value.
    #[must_use]
    pub fn literal(self, value: &str) -> String {
        match self {
            Kind::Int | Kind::Bigint => value.to_owned(),
            Kind::Varchar(_) => format!("'{value}'"),
        }
    }
}

/// A column beside `id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: Kind,
    /// Whether NULL may be in it.
    pub nullable: bool,
    /// The constraint that gives its default, and the value.
    pub default: Option<(String, String)>,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Columns of the key.
    pub keys: Vec<String>,
    /// Columns that it carries.
    pub included: Vec<String>,
    /// No two rows have the same key.
    pub unique: bool,
}

/// A FOREIGN KEY over one column, to the `id` of another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The column.
    pub column: String,
    /// The other table.
    pub target: String,
}

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Its definition.
    pub text: String,
    /// Whether it is disabled.
    pub disabled: bool,
}

/// A row without its `id`: a value for each column, `None` is NULL.
pub type Row = Vec<Option<String>>;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The constraint of its primary key.
    pub key: String,
    /// Whether the primary key is the clustered index.
    pub clustered: bool,
    /// Whether `id` counts by itself.
    pub identity: bool,
    /// Columns after `id`.
    pub columns: Vec<Column>,
    /// Indexes beside the primary key.
    pub indexes: BTreeMap<String, Index>,
    /// CHECK constraints over `id`, and whether each is disabled.
    pub checks: BTreeMap<String, bool>,
    /// FOREIGN KEYs.
    pub foreign: BTreeMap<String, Foreign>,
    /// Triggers.
    pub triggers: BTreeMap<String, Trigger>,
    /// Rows by `id`.
    pub rows: BTreeMap<i64, Row>,
}

impl Table {
    /// The place of a column behind `id`.
    #[must_use]
    pub fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|one| one.name == column)
    }

    /// Whether an index, a default or a FOREIGN KEY is over the column.
    #[must_use]
    pub fn is_bound(&self, column: &str) -> bool {
        self.indexes.values().any(|index| index.keys.iter().chain(&index.included).any(|one| one == column))
            || self.foreign.values().any(|foreign| foreign.column == column)
            || self.columns.iter().any(|one| one.name == column && one.default.is_some())
    }

    fn check_unique(&self) -> Result<(), Refused> {
        for index in self.indexes.values().filter(|index| index.unique) {
            let mut seen = BTreeSet::new();
            let places: Vec<Option<usize>> = index.keys.iter().map(|key| self.place(key)).collect();
            for (id, row) in &self.rows {
                let key: Vec<Option<String>> = places
                    .iter()
                    .map(|place| place.map_or_else(|| Some(id.to_string()), |place| row[place].clone()))
                    .collect();
                if !seen.insert(key) {
                    return Err(Refused("two rows of one key"));
                }
            }
        }
        Ok(())
    }
}

/// A view, procedure or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its type in sys.objects.
    pub kind: &'static str,
    /// Its definition.
    pub text: String,
}

/// A database. Objects are named `schema.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Schemas beside dbo.
    pub schemas: BTreeSet<String>,
    /// Tables.
    pub tables: BTreeMap<String, Table>,
    /// Views, procedures, functions.
    pub modules: BTreeMap<String, Module>,
    /// Sequences, with start and increment.
    pub sequences: BTreeMap<String, (i64, i64)>,
    /// Alias types, with what they stand for.
    pub types: BTreeMap<String, Kind>,
    /// Synonyms, with their target.
    pub synonyms: BTreeMap<String, String>,
}

/// The schema of an object's name.
#[must_use]
pub fn schema_of(name: &str) -> &str {
    name.split('.').next().unwrap_or("dbo")
}

/// An object's name without its schema.
#[must_use]
pub fn bare(name: &str) -> &str {
    name.split('.').next_back().unwrap_or(name)
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
            all.extend(parts.chain([&table.key]).map(|part| format!("{schema}.{part}")));
            all.insert(name.clone());
        }
        all.extend(self.modules.keys().cloned());
        all.extend(self.sequences.keys().cloned());
        all.extend(self.synonyms.keys().cloned());
        all
    }

    fn check_free(&self, name: &str) -> Result<(), Refused> {
        let schema = schema_of(name);
        if schema != "dbo" && !self.schemas.contains(schema) {
            return Err(Refused("no such schema"));
        }
        if self.objects().contains(name) { Err(Refused("the name is taken")) } else { Ok(()) }
    }

    fn table(&mut self, name: &str) -> Result<&mut Table, Refused> {
        self.tables.get_mut(name).ok_or(Refused("no such table"))
    }

    fn is_referenced(&self, name: &str) -> bool {
        self.tables.values().any(|table| table.foreign.values().any(|foreign| foreign.target == name))
    }

    fn check_foreign(&self) -> Result<(), Refused> {
        for table in self.tables.values() {
            for foreign in table.foreign.values() {
                let place = table.place(&foreign.column).ok_or(Refused("no such column"))?;
                let target = self.tables.get(&foreign.target).ok_or(Refused("no such table"))?;
                let is_there =
                    |value: &String| value.parse::<i64>().is_ok_and(|value| target.rows.contains_key(&value));
                if table.rows.values().filter_map(|row| row[place].as_ref()).any(|value| !is_there(value)) {
                    return Err(Refused("a row without its parent"));
                }
            }
        }
        Ok(())
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
            | Step::Delete { .. }
            | Step::Merge { .. } => self.change_rows(step),
            Step::AddColumn { .. }
            | Step::DropColumn { .. }
            | Step::AlterColumn { .. }
            | Step::RenameColumn { .. }
            | Step::AddDefault { .. }
            | Step::AddCheck { .. }
            | Step::AddForeign { .. }
            | Step::DropConstraint { .. }
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
                self.check_free(&format!("{}.{}", schema_of(name), table.key))?;
                self.tables.insert(name.clone(), table.clone());
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
                self.tables.insert(new.clone(), table);
                let all = self.tables.values_mut().flat_map(|table| table.foreign.values_mut());
                all.filter(|foreign| foreign.target == *old).for_each(|foreign| foreign.target.clone_from(new));
            }
            Step::Truncate(name) => {
                if self.is_referenced(name) {
                    return Err(Refused("a FOREIGN KEY leads to it"));
                }
                self.table(name)?.rows.clear();
            }
            Step::SelectInto { from, to, key } => {
                let from = self.table(from)?.clone();
                self.check_free(to)?;
                self.check_free(&format!("{}.{key}", schema_of(to)))?;
                let plain = |column: &Column| Column { default: None, ..column.clone() };
                let columns = from.columns.iter().map(plain).collect();
                let (rows, identity) = (from.rows, from.identity);
                let table = Table { key: key.clone(), clustered: true, identity, columns, rows, ..Table::default() };
                self.tables.insert(to.clone(), table);
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
                let table = self.table(table)?;
                if table.place(&column.name).is_some() {
                    return Err(Refused("the column is there"));
                }
                let value = column.default.as_ref().filter(|_| !column.nullable).map(|(_, value)| value.clone());
                if value.is_none() && !column.nullable && !table.rows.is_empty() {
                    return Err(Refused("NOT NULL without a default"));
                }
                table.columns.push(column.clone());
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
                table.columns[place].kind = *kind;
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
                let table = self.table(table)?;
                let place = table.place(&foreign.column).ok_or(Refused("no such column"))?;
                if table.columns[place].kind != Kind::Int {
                    return Err(Refused("another type"));
                }
                table.foreign.insert(name.clone(), foreign.clone());
                self.check_foreign()?;
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

    fn change_rows(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::Insert { table, id, values } => {
                let table = self.table(table)?;
                let row = new_row(table, values)?;
                let id = id.ok_or(Refused("no id"))?;
                if table.rows.insert(id, row).is_some() {
                    return Err(Refused("two rows of one key"));
                }
                table.check_unique()?;
            }
            Step::InsertMany { table, ids } => {
                let table = self.table(table)?;
                let row = new_row(table, &[])?;
                if table.identity || table.rows.range(ids.range()).next().is_some() {
                    return Err(Refused("two rows of one key"));
                }
                table.rows.extend(ids.range().map(|id| (id, row.clone())));
                table.check_unique()?;
            }
            Step::Update { table, column, value, ids } => {
                let table = self.table(table)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                if value.is_none() && !table.columns[place].nullable && table.rows.range(ids.range()).next().is_some() {
                    return Err(Refused("NULL in a NOT NULL column"));
                }
                table.rows.range_mut(ids.range()).for_each(|(_, row)| row[place].clone_from(value));
                table.check_unique()?;
            }
            Step::Delete { table, ids } => {
                self.table(table)?.rows.retain(|id, _| !ids.range().contains(id));
            }
            Step::Merge { table, column, value, id } => {
                let table = self.table(table)?;
                let place = table.place(column).ok_or(Refused("no such column"))?;
                if let Some(row) = table.rows.get_mut(id) {
                    row[place] = Some(value.clone());
                } else {
                    let row = new_row(table, &[(column.clone(), Some(value.clone()))])?;
                    table.rows.insert(*id, row);
                }
                table.check_unique()?;
            }
            _ => unreachable!("not a step of rows: {step:?}"),
        }
        self.check_foreign()
    }

    fn change_others(&mut self, step: &Step) -> Result<(), Refused> {
        match step {
            Step::CreateSchema(name) => {
                if !self.schemas.insert(name.clone()) {
                    return Err(Refused("the schema is there"));
                }
            }
            Step::DropSchema(name) => {
                let is_used = self.objects().iter().chain(self.types.keys()).any(|object| schema_of(object) == name);
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
        let mut tables = self.tables.iter_mut().filter(|(of, _)| schema_of(of) == schema);
        tables.find_map(|(_, of)| of.triggers.remove(name)).map(|_| ()).ok_or(Refused("no such trigger"))
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
            Step::DropType(name) => {
                self.types.remove(name).ok_or(Refused("no such type"))?;
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
