//! `sp_rename`: another name for a table, a view or other object, a constraint, an index or a column. Texts of modules
//! keep the old name, as the caution says.

use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_bind::definition::index_list::with_indexes;
use millpond_bind::definition::renamed::{ambiguous, duplicate, renamed_column, renamed_index};
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::run::Run;
use millpond_catalog::{CatalogObject, ModuleDef, Schema, SequenceDef, SynonymDef, TableDef, names_equal};
use millpond_engine::settled;
use millpond_engine::settled::{Seeker, part};
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_types::{MaxLen, SqlType};

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::indexed_view::{find_indexed, rename_rows};
use crate::exec::ddl::objects::Open;
use crate::exec::ddl::{objects, schema_binding, temporary_index};
use millpond_engine::system_args::{settled, text_of};
use millpond_rights::new_object::check_altered;

const PARAMS: [(&str, SqlType); 3] = [
    ("@objname", SqlType::NVarChar { len: MaxLen::Limited(1035) }),
    ("@newname", SqlType::NVarChar { len: MaxLen::Limited(128) }),
    ("@objtype", SqlType::varchar(13)),
];

pub(in crate::exec) fn sp_rename(run: &mut BatchRun<'_>, args: &[CallArg]) -> SqlResult<i32> {
    let args = settled(("sp_rename", &PARAMS), args.to_vec(), run.ctx.cast_rules())?;
    let text = |index: usize| text_of(&args, &PARAMS, index);
    let (Some(old), Some(new)) = (text(0), text(1)) else {
        let missing = if text(0).is_none() { "@objname" } else { "@newname" };
        return Err(message::missing_argument("sp_rename", missing).of_call(&Arc::from("sp_rename")));
    };
    if new.trim().is_empty() {
        return Err(SqlError::of(15_223, 1, &[]));
    }
    let mut kind = text(2).unwrap_or_default();
    let name = millpond_builtin::object_name(&old).ok_or_else(|| ambiguous(&kind))?;
    if kind.is_empty()
        && let Some(found) = kind_of_part(run, &name)?
    {
        kind = found.to_owned();
    }
    let parts =
        if matches!(kind.trim().to_ascii_uppercase().as_str(), "COLUMN" | "INDEX" | CONSTRAINT) { 4 } else { 3 };
    if let Some(database) = name.parts.len().checked_sub(parts).map(|at| &name.parts[at])
        && !database.is_empty()
        && !names_equal(database, &run.ctx.facts.database_name)
        && !name.parts.iter().any(|part| part.starts_with('#'))
    {
        return Err(SqlError::of(15_333, 1, &[&"@oldname", database]));
    }
    transaction::implicit_begin(run);
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([]);
    ctx.sequences = Arc::from([]);
    scope::atomically(run, &old, |run| match kind.trim().to_ascii_uppercase().as_str() {
        "COLUMN" => rename_column(run, &name, &old, &new),
        "INDEX" => rename_index(run, &name, &new),
        CONSTRAINT if text(2).is_none() => rename_constraint_of(run, &name, &new),
        "" | "OBJECT" => rename_object(run, &name, &new, &kind),
        "DATABASE" | "USERDATATYPE" | "STATISTICS" => Err(message::missing(&format!("sp_rename of a {kind}"))),
        _ => Err(SqlError::of(15_249, 1, &[&kind])),
    })?;
    run.inform(15_477, &[]);
    run.ctx_mut().facts.error = 0;
    Ok(0)
}

/// The kind of a constraint after its table's name; the procedure has no word for it.
const CONSTRAINT: &str = "CONSTRAINT";

/// What a name means whose kind was not said, where it is that of a table's part and of no object.
///
/// # Errors
/// 15248 where the table has more than one part of that name.
fn kind_of_part(run: &BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<&'static str>> {
    let (last, table) = name.parts.split_last().expect("a name has parts");
    // A database that is not there has no object of that name.
    let is_object = name.parts.len() < 4 && settled::find_object(&run.ctx, name).is_ok_and(|found| found.is_some());
    let Some(table_name) = table.last().filter(|_| !is_object) else { return Ok(None) };
    let def = if is_local_temporary(table_name) {
        let temp = run.ctx.session.temp.read();
        temp.find(table_name, run.ctx.facts.nest_level).map(|table| Arc::clone(&table.def))
    } else {
        match settled::find_object(&run.ctx, &ObjectName { parts: table.to_vec() }) {
            Ok(Some(CatalogObject::Table(def, _))) => Some(def),
            Ok(Some(CatalogObject::Module(view))) => {
                let table = ObjectName { parts: table.to_vec() };
                let objects = settled::dictionary_of(&run.ctx, &table)?.catalog().objects();
                view.rows_in(&objects).map(|(rows, _)| Arc::clone(rows))
            }
            _ => None,
        }
    };
    let Some(def) = def else { return Ok(None) };
    let is = |known: &str| names_equal(known, last);
    let is_index = def.indexes.iter().any(|index| index.constraint.0 == 0 && is(&index.name));
    let is_constraint = def.indexes.iter().any(|index| index.constraint.0 != 0 && is(&index.name))
        || def.checks.iter().any(|check| is(&check.name))
        || def.foreign_keys.iter().any(|key| is(&key.name))
        || def.columns.iter().filter_map(|column| column.default.as_ref()).any(|default| is(&default.name));
    let found = [(def.column(last).is_some(), "COLUMN"), (is_index, "INDEX"), (is_constraint, CONSTRAINT)];
    let mut found = found.into_iter().filter_map(|(is_there, kind)| is_there.then_some(kind));
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(ambiguous("")),
        (kind, None) => Ok(kind),
    }
}

/// Renames the constraint that is named after its table.
fn rename_constraint_of(run: &mut BatchRun<'_>, name: &ObjectName, new: &str) -> SqlResult<()> {
    let (open, constraint) = table_of_part(run, name, "")?;
    let database = name.parts.len().checked_sub(4).map(|at| name.parts[at].clone());
    let own = [open.def.schema.name.to_string(), constraint.clone()];
    let own = ObjectName { parts: database.into_iter().chain(own).collect() };
    rename_constraint(run, &own, (&open.def.schema, &constraint), new, "")
}

/// The table whose part a name of at least two parts means, and the part.
fn table_of_part(run: &mut BatchRun<'_>, name: &ObjectName, kind: &str) -> SqlResult<(Open, String)> {
    let (last, table) = name.parts.split_last().expect("a name has parts");
    if table.is_empty() {
        return Err(ambiguous(kind));
    }
    let table = ObjectName { parts: table.to_vec() };
    let open = match kind {
        "INDEX" => find_indexed(run, &table)?,
        _ => objects::find_table(run, &table)?,
    };
    let open = open.ok_or_else(|| ambiguous(kind))?;
    let view = ModuleDef::of_rows(&open.def, &open.dictionary.catalog().objects()).map(|view| view.id);
    check_altered(&run.ctx, open.dictionary.database(), view.unwrap_or(open.def.id))?;
    Ok((open, last.clone()))
}

fn rename_column(run: &mut BatchRun<'_>, name: &ObjectName, old: &str, new: &str) -> SqlResult<()> {
    if let Some((table, column)) = part_of_temporary(name) {
        return temporary_index::rename_temporary_column(run, &table, column, (old, new));
    }
    let (open, column) = table_of_part(run, name, "COLUMN")?;
    let changed = renamed_column(&open.def, &column, (old, new))?;
    schema_binding::check_renamed(run, open.dictionary.catalog(), open.def.id, Some(&column), old)?;
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

fn rename_index(run: &mut BatchRun<'_>, name: &ObjectName, new: &str) -> SqlResult<()> {
    if let Some((table, index)) = part_of_temporary(name) {
        return temporary_index::rename_temporary_index(run, &table, index, new);
    }
    let (open, index) = table_of_part(run, name, "INDEX")?;
    let changed = renamed_index(&open.def, &index, new)?;
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

/// A copy of the table's definition with something changed.
fn rename_in(run: &mut BatchRun<'_>, open: &Open, change: &dyn Fn(&mut TableDef)) -> SqlResult<()> {
    let def = &open.def;
    let mut changed = with_indexes(def, def.indexes.clone());
    change(&mut changed);
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

fn rename_object(run: &mut BatchRun<'_>, name: &ObjectName, new: &str, kind: &str) -> SqlResult<()> {
    let last = name.last().clone();
    if last.starts_with('#') {
        return Err(message::missing("sp_rename of a temporary table"));
    }
    if part(name, 3).is_some_and(|server| !names_equal(server, run.ctx.engine.machine())) {
        return Err(no_item(run, name, kind));
    }
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let schema = objects::settled_schema(run, &dictionary, part(name, 1).unwrap_or("dbo"))?;
    let schema = schema.ok_or_else(|| no_item(run, name, kind))?;
    let object = loop {
        let Some(object) = settled::find_object(&run.ctx, name)? else {
            return rename_constraint(run, name, (&schema, &last), new, kind);
        };
        objects::lock_new(run, &dictionary, object.id(), &last)?;
        // Another may have changed or dropped it while this one waited.
        match settled::find_object(&run.ctx, name)? {
            Some(now) if now.id() == object.id() => break now,
            _ => {}
        }
    };
    check_altered(&run.ctx, dictionary.database(), object.id())?;
    check_new_name(run, &dictionary, &schema, &last, new)?;
    schema_binding::check_renamed(run, dictionary.catalog(), object.id(), None, &last)?;
    if let CatalogObject::Table(def, trees) = &object {
        let mut changed = with_indexes(def, def.indexes.clone());
        changed.name = new.to_owned();
        objects::put_table(run, &dictionary, &Arc::new(changed), Arc::clone(trees))?;
        // Triggers of old files know their table by its name alone.
        let objects = dictionary.catalog().objects();
        return objects
            .triggers_of(def.id)
            .try_for_each(|trigger| objects::with_io(run, |io| dictionary.put_module(io, trigger)));
    }
    let times = objects::times_now(run);
    let new = new.to_owned();
    match object {
        CatalogObject::Module(def) => {
            let table = objects::open_by_id(run, &dictionary, def.parent)?;
            let renamed = ModuleDef { name: new, modified_us: times.1, ..ModuleDef::clone(&def) };
            rename_rows(run, &dictionary, &def, &renamed)?;
            objects::with_io(run, |io| dictionary.put_module(io, &Arc::new(renamed)))?;
            if let Some(table) = &table {
                objects::renew_table(table);
            }
            Ok(())
        }
        CatalogObject::Sequence(def) => {
            let renamed = SequenceDef { name: new, ..(*def).clone() };
            objects::with_io(run, |io| dictionary.put_sequence(io, &Arc::new(renamed), times))
        }
        CatalogObject::Synonym(def) => {
            let (schema, base) = (def.schema.clone(), def.base.clone());
            let renamed = SynonymDef { id: def.id, schema, name: new, base };
            objects::with_io(run, |io| dictionary.put_synonym(io, &Arc::new(renamed), times))
        }
        CatalogObject::Table(..) => unreachable!("renamed above"),
    }
}

/// 15335
fn check_new_name(
    run: &BatchRun<'_>,
    dictionary: &Dictionary,
    schema: &Schema,
    last: &str,
    new: &str,
) -> SqlResult<()> {
    match !names_equal(last, new) && Seeker::of(&run.ctx).is_taken(dictionary, schema.id, new)? {
        true => Err(duplicate(new, "object")),
        false => Ok(()),
    }
}

fn rename_constraint(
    run: &mut BatchRun<'_>,
    name: &ObjectName,
    (schema, last): (&Schema, &str),
    new: &str,
    kind: &str,
) -> SqlResult<()> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let open = loop {
        // Who has, or had, a constraint of that name may still roll back.
        Seeker::of(&run.ctx).is_taken(&dictionary, schema.id, last)?;
        let find = || dictionary.catalog().objects().constraint(schema.id, last);
        let table = find().ok_or_else(|| no_item(run, name, kind))?;
        if let Some(open) = objects::open_by_id(run, &dictionary, table)?
            && find() == Some(table)
        {
            break open;
        }
    };
    check_altered(&run.ctx, dictionary.database(), open.def.id)?;
    check_new_name(run, &dictionary, schema, last, new)?;
    rename_in(run, &open, &|def| {
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

/// 15225 where no kind was said: nothing has that name; 15248 where one was.
fn no_item(run: &BatchRun<'_>, name: &ObjectName, kind: &str) -> SqlError {
    if !kind.is_empty() {
        return ambiguous(kind);
    }
    let (name, database) = (name.shown(), &run.ctx.facts.database_name);
    SqlError::of(15_225, 1, &[&name, &database])
}

/// The temporary table that a name of a part is of, and the part.
fn part_of_temporary(name: &ObjectName) -> Option<(ObjectName, &str)> {
    let (last, table) = name.parts.split_last()?;
    table.last().filter(|table| is_local_temporary(table))?;
    Some((ObjectName { parts: table.to_vec() }, last))
}
