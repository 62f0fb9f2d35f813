//! `sp_rename`: another name for a table, a view or other object, a constraint, an index or a column. Texts of modules
//! keep the old name, as the caution says.

use std::sync::Arc;

use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::run::Run;
use millpond_catalog::{CatalogObject, ModuleDef, Schema, SequenceDef, SynonymDef, TableDef, names_equal};
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_types::{MaxLen, SqlType};

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::part;
use crate::exec::batch::settled::Seeker;
use crate::exec::ddl::index::with_indexes;
use crate::exec::ddl::table::Open;
use crate::exec::routine::system_args::{settled, text_of};

const PARAMS: [(&str, SqlType); 3] = [
    ("@objname", SqlType::NVarChar { len: MaxLen::Limited(1035) }),
    ("@newname", SqlType::NVarChar { len: MaxLen::Limited(128) }),
    ("@objtype", SqlType::varchar(13)),
];

impl BatchRun<'_> {
    pub(in crate::exec) fn sp_rename(&mut self, args: &[CallArg]) -> SqlResult<i32> {
        let args = settled(("sp_rename", &PARAMS), args.to_vec(), self.ctx.cast_rules())?;
        let text = |index: usize| text_of(&args, &PARAMS, index);
        let (Some(old), Some(new)) = (text(0), text(1)) else {
            let missing = if text(0).is_none() { "@objname" } else { "@newname" };
            return Err(message::missing_argument("sp_rename", missing).of_call(&Arc::from("sp_rename")));
        };
        if new.trim().is_empty() {
            return Err(SqlError::of(15_223, 1, &[]));
        }
        let kind = text(2).unwrap_or_default();
        let name = millpond_builtin::object_name(&old).ok_or_else(|| ambiguous(&kind))?;
        let parts = if matches!(kind.trim().to_ascii_uppercase().as_str(), "COLUMN" | "INDEX") { 4 } else { 3 };
        if let Some(database) = name.parts.len().checked_sub(parts).map(|at| &name.parts[at])
            && !database.is_empty()
            && !names_equal(database, &self.ctx.facts.database_name)
            && !name.parts.iter().any(|part| part.starts_with('#'))
        {
            return Err(SqlError::of(15_333, 1, &[&"@oldname", database]));
        }
        self.implicit_begin();
        let ctx = self.ctx_mut();
        ctx.tables = Arc::from([]);
        ctx.sequences = Arc::from([]);
        self.atomically(&old, |run| match kind.trim().to_ascii_uppercase().as_str() {
            "COLUMN" => run.rename_column(&name, &old, &new),
            "INDEX" => run.rename_index(&name, &new),
            "" | "OBJECT" => run.rename_object(&name, &new, &kind),
            "DATABASE" | "USERDATATYPE" | "STATISTICS" => Err(message::missing(&format!("sp_rename of a {kind}"))),
            _ => Err(SqlError::of(15_249, 1, &[&kind])),
        })?;
        self.inform(15_477, &[]);
        self.ctx_mut().facts.error = 0;
        Ok(0)
    }

    /// The table whose part a name of at least two parts means, and the part.
    fn table_of_part(&mut self, name: &ObjectName, kind: &str) -> SqlResult<(Open, String)> {
        let (last, table) = name.parts.split_last().expect("a name has parts");
        if table.is_empty() {
            return Err(ambiguous(kind));
        }
        let table = ObjectName { parts: table.to_vec() };
        let open = self.find_table(&table)?.ok_or_else(|| ambiguous(kind))?;
        Ok((open, last.clone()))
    }

    fn rename_column(&mut self, name: &ObjectName, old: &str, new: &str) -> SqlResult<()> {
        if let Some((table, column)) = part_of_temporary(name) {
            return self.rename_temporary_column(&table, column, (old, new));
        }
        let (open, column) = self.table_of_part(name, "COLUMN")?;
        let changed = renamed_column(&open.def, &column, (old, new))?;
        self.check_renamed(open.dictionary.catalog(), open.def.id, Some(&column), old)?;
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    fn rename_index(&mut self, name: &ObjectName, new: &str) -> SqlResult<()> {
        if let Some((table, index)) = part_of_temporary(name) {
            return self.rename_temporary_index(&table, index, new);
        }
        let (open, index) = self.table_of_part(name, "INDEX")?;
        let changed = renamed_index(&open.def, &index, new)?;
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    /// A copy of the table's definition with something changed.
    fn rename_in(&mut self, open: &Open, change: &dyn Fn(&mut TableDef)) -> SqlResult<()> {
        let def = &open.def;
        let mut changed = with_indexes(def, def.indexes.clone());
        change(&mut changed);
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    fn rename_object(&mut self, name: &ObjectName, new: &str, kind: &str) -> SqlResult<()> {
        let last = name.last().clone();
        if last.starts_with('#') {
            return Err(message::missing("sp_rename of a temporary table"));
        }
        if part(name, 3).is_some_and(|server| !names_equal(server, self.ctx.engine.machine())) {
            return Err(self.no_item(name, kind));
        }
        let dictionary = self.dictionary_of(name)?;
        let schema = self.settled_schema(&dictionary, part(name, 1).unwrap_or("dbo"))?;
        let schema = schema.ok_or_else(|| self.no_item(name, kind))?;
        let object = loop {
            let Some(object) = self.find_object(name)? else {
                return self.rename_constraint(name, (&schema, &last), new, kind);
            };
            self.lock_new(&dictionary, object.id(), &last)?;
            // Another may have changed or dropped it while this one waited.
            match self.find_object(name)? {
                Some(now) if now.id() == object.id() => break now,
                _ => {}
            }
        };
        self.check_new_name(&dictionary, &schema, &last, new)?;
        self.check_renamed(dictionary.catalog(), object.id(), None, &last)?;
        if let CatalogObject::Table(def, trees) = &object {
            let mut changed = with_indexes(def, def.indexes.clone());
            changed.name = new.to_owned();
            self.put_table(&dictionary, &Arc::new(changed), Arc::clone(trees))?;
            // Triggers of old files know their table by its name alone.
            let objects = dictionary.catalog().objects();
            return objects
                .triggers_of(def.id)
                .try_for_each(|trigger| self.with_io(|io| dictionary.put_module(io, trigger)));
        }
        let times = self.times_now();
        let new = new.to_owned();
        match object {
            CatalogObject::Module(def) => {
                let table = self.open_by_id(&dictionary, def.parent)?;
                let renamed = ModuleDef { name: new, modified_us: times.1, ..ModuleDef::clone(&def) };
                self.with_io(|io| dictionary.put_module(io, &Arc::new(renamed)))?;
                if let Some(table) = &table {
                    self.renew_table(table);
                }
                Ok(())
            }
            CatalogObject::Sequence(def) => {
                let renamed = SequenceDef { name: new, ..(*def).clone() };
                self.with_io(|io| dictionary.put_sequence(io, &Arc::new(renamed), times))
            }
            CatalogObject::Synonym(def) => {
                let (schema, base) = (def.schema.clone(), def.base.clone());
                let renamed = SynonymDef { id: def.id, schema, name: new, base };
                self.with_io(|io| dictionary.put_synonym(io, &Arc::new(renamed), times))
            }
            CatalogObject::Table(..) => unreachable!("renamed above"),
        }
    }

    /// 15335
    fn check_new_name(&self, dictionary: &Dictionary, schema: &Schema, last: &str, new: &str) -> SqlResult<()> {
        match !names_equal(last, new) && Seeker::of(&self.ctx).is_taken(dictionary, schema.id, new)? {
            true => Err(duplicate(new, "object")),
            false => Ok(()),
        }
    }

    fn rename_constraint(
        &mut self,
        name: &ObjectName,
        (schema, last): (&Schema, &str),
        new: &str,
        kind: &str,
    ) -> SqlResult<()> {
        let dictionary = self.dictionary_of(name)?;
        let open = loop {
            // Who has, or had, a constraint of that name may still roll back.
            Seeker::of(&self.ctx).is_taken(&dictionary, schema.id, last)?;
            let find = || dictionary.catalog().objects().constraint(schema.id, last);
            let table = find().ok_or_else(|| self.no_item(name, kind))?;
            if let Some(open) = self.open_by_id(&dictionary, table)?
                && find() == Some(table)
            {
                break open;
            }
        };
        self.check_new_name(&dictionary, schema, last, new)?;
        self.rename_in(&open, &|def| {
            let rename = |known: &mut String| {
                if names_equal(known, last) {
                    new.clone_into(known);
                }
            };
            def.indexes.iter_mut().filter(|index| index.constraint.0 != 0).for_each(|index| rename(&mut index.name));
            def.checks.iter_mut().for_each(|check| rename(&mut check.name));
            def.foreign_keys.iter_mut().for_each(|key| rename(&mut key.name));
            def.columns.iter_mut().filter_map(|column| column.default.as_mut()).for_each(|d| rename(&mut d.name));
        })
    }
}

impl BatchRun<'_> {
    /// 15225 where no kind was said: nothing has that name; 15248 where one was.
    fn no_item(&self, name: &ObjectName, kind: &str) -> SqlError {
        if !kind.is_empty() {
            return ambiguous(kind);
        }
        let (name, database) = (name.shown(), &self.ctx.facts.database_name);
        SqlError::of(15_225, 1, &[&name, &database])
    }
}

/// The temporary table that a name of a part is of, and the part.
fn part_of_temporary(name: &ObjectName) -> Option<(ObjectName, &str)> {
    let (last, table) = name.parts.split_last()?;
    table.last().filter(|table| table.starts_with('#'))?;
    Some((ObjectName { parts: table.to_vec() }, last))
}

/// A table with another name for a column; `old` is the whole name as it was given.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken, 15336 for a column that a text names.
pub(in crate::exec) fn renamed_column(def: &TableDef, column: &str, (old, new): (&str, &str)) -> SqlResult<TableDef> {
    let position = def.column(column).ok_or_else(|| ambiguous("COLUMN"))?;
    if def.column(new).is_some_and(|other| other != position) {
        return Err(duplicate(new, "COLUMN"));
    }
    if is_in_texts(def, position) {
        return Err(SqlError::of(15_336, 1, &[&old]));
    }
    let mut changed = with_indexes(def, def.indexes.clone());
    new.clone_into(&mut changed.columns[position].name);
    Ok(changed)
}

/// Whether a text of a condition or computed column names the column.
fn is_in_texts(def: &TableDef, position: usize) -> bool {
    let reads = |expr: &millpond_catalog::expr::BoundExpr| {
        let mut found = false;
        expr.visit(&mut |node| {
            found |= matches!(node.kind, millpond_catalog::expr::Kind::Column(column) if column == position);
        });
        found
    };
    def.checks.iter().any(|check| reads(&check.expr))
        || def.columns.iter().any(|column| column.computed.as_ref().is_some_and(|computed| reads(&computed.expr)))
        || def.indexes.iter().any(|index| index.filter.as_ref().is_some_and(|(_, filter)| reads(filter)))
}

/// A table with another name for an index.
///
/// # Errors
/// 15248 where there is none, 15335 for a name that is taken.
pub(in crate::exec) fn renamed_index(def: &TableDef, index: &str, new: &str) -> SqlResult<TableDef> {
    let position = def.indexes.iter().position(|known| !known.name.is_empty() && names_equal(&known.name, index));
    let position = position.ok_or_else(|| ambiguous("INDEX"))?;
    let taken = |(at, known): (usize, &millpond_catalog::IndexDef)| at != position && names_equal(&known.name, new);
    let is_statistics = def.statistics.iter().any(|made| names_equal(&made.name, new));
    if is_statistics || def.indexes.iter().enumerate().any(taken) {
        return Err(duplicate(new, "INDEX"));
    }
    let mut changed = with_indexes(def, def.indexes.clone());
    new.clone_into(&mut changed.indexes[position].name);
    Ok(changed)
}

/// 15248: it is not there, or its kind is not what was said.
pub(in crate::exec) fn ambiguous(kind: &str) -> SqlError {
    let shown = if kind.is_empty() { "OBJECT" } else { kind };
    SqlError::of(15_248, 1, &[&shown])
}

/// 15335
fn duplicate(new: &str, kind: &str) -> SqlError {
    SqlError::of(15_335, 1, &[&new, &kind])
}
