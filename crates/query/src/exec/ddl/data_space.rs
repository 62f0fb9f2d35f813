//! Partition functions and schemes, and where tables and indexes are put by ON.
//!
//! What always holds: who changes them has them alone to the end of the transaction, and who puts something on one of them
//! keeps them as they are as long (`dictionary::data_spaces`).
//!
//! A partitioned table is one tree like any other: what is divided is what `$PARTITION` and the views say.

use std::sync::Arc;

use millpond_bind::declared_type;
use millpond_catalog::data_space::{DataSpaces, PARTITIONS_MAX, PartitionFunction, PartitionScheme, Placement, Space};
use millpond_catalog::dictionary::{Dictionary, change_data_spaces, hold_data_spaces};
use millpond_catalog::{IndexDef, IndexKind, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    ConstraintKind, DataSpace, DataType, Expr, Ident, KeyConstraint, PartitionStatement, Statement, TableDefinition,
};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, scalar};
use crate::exec::ddl::objects;

/// CREATE, ALTER and DROP PARTITION FUNCTION and SCHEME, in the current database.
///
/// # Errors
/// 2714, 208, 3701 for names; 7703 to 7708, 7710, 7715, 7717, 7719 to 7721 and 7723 for what they say.
pub(in crate::exec) fn partition(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    partition: &PartitionStatement,
) -> SqlResult<()> {
    match partition {
        PartitionStatement::CreateFunction { name, types, is_right, values } => {
            let (sql, boundaries) = boundaries_of(run, statement, types, values)?;
            create_function(run, name, (sql, *is_right), boundaries)
        }
        PartitionStatement::AlterFunction { name, is_split, value } => {
            alter_function(run, statement, name, *is_split, value)
        }
        PartitionStatement::DropFunction(name) => changing(run, name, |spaces| drop_function(spaces, name)),
        PartitionStatement::CreateScheme { name, function, is_all, groups } => {
            changing(run, name, |spaces| create_scheme(spaces, name, function, *is_all, groups))
        }
        PartitionStatement::AlterScheme { name, next_used } => changing(run, name, |spaces| {
            let group = next_used.as_ref().map(|group| group_of(spaces, group)).transpose()?;
            let scheme = spaces.schemes.iter_mut().find(|scheme| names_equal(&scheme.name, name));
            scheme.ok_or_else(|| message::invalid_object(name))?.next_used = group;
            Ok(())
        }),
        PartitionStatement::DropScheme(name) => changing(run, name, |spaces| drop_scheme(spaces, name)),
    }
}

/// Changes the data spaces of the current database in a statement of its own.
fn changing(
    run: &mut BatchRun<'_>,
    name: &str,
    change: impl FnOnce(&mut DataSpaces) -> SqlResult<()>,
) -> SqlResult<()> {
    objects::defining(run, name, |run| {
        let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.database)?;
        objects::with_io(run, |io| change_data_spaces(&dictionary, io, change))
    })
}

/// Type and boundaries as they are written.
fn boundaries_of(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    types: &[DataType],
    values: &[Expr],
) -> SqlResult<(SqlType, Vec<Value>)> {
    let [data_type] = types else { return Err(SqlError::of(7703, 1, &[])) };
    let sql = declared_type(data_type)?;
    if !may_divide(&sql) {
        return Err(SqlError::of(7704, 1, &[&sql.declaration()]));
    }
    if values.len() >= PARTITIONS_MAX {
        return Err(too_many());
    }
    let mut boundaries = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        boundaries.push(boundary(run, statement, at, value, sql)?);
    }
    Ok((sql, boundaries))
}

/// A boundary, in the type of the parameter.
fn boundary(run: &mut BatchRun<'_>, statement: &Statement, at: usize, value: &Expr, sql: SqlType) -> SqlResult<Value> {
    let part = u16::try_from(at).map_err(|_| too_many())?;
    scalar::scalar(run, statement, part, value, Some(sql)).map_err(|error| match error.number {
        206 | 257 | 260 | 402 | 529 => SqlError::of(7705, 1, &[&(at + 1)]),
        2628 | 8152 => SqlError::of(7720, 1, &[&(at + 1)]),
        _ => error,
    })
}

/// Whether a parameter may be of a type: one that keys are made of, and that is no large value.
fn may_divide(sql: &SqlType) -> bool {
    !matches!(
        sql,
        SqlType::VarChar { len: MaxLen::Max, .. }
            | SqlType::NVarChar { len: MaxLen::Max }
            | SqlType::VarBinary { len: MaxLen::Max }
            | SqlType::Variant
            | SqlType::RowVersion
    )
}

fn too_many() -> SqlError {
    SqlError::of(7719, 1, &[&PARTITIONS_MAX])
}

fn create_function(
    run: &mut BatchRun<'_>,
    name: &str,
    (sql, is_right): (SqlType, bool),
    boundaries: Vec<Value>,
) -> SqlResult<()> {
    let times_us = objects::times_now(run);
    let mut function =
        PartitionFunction { id: 0, name: name.to_owned(), sql, is_right, boundaries: Vec::new(), times_us };
    let mut is_sorted = true;
    let mut ordinals: Vec<usize> = Vec::with_capacity(boundaries.len());
    for (at, value) in boundaries.into_iter().enumerate() {
        match function.boundary(&value) {
            Ok(place) => return Err(SqlError::of(7708, 1, &[&ordinals[place], &(at + 1)])),
            Err(place) => {
                is_sorted &= place == function.boundaries.len();
                function.boundaries.insert(place, value);
                ordinals.insert(place, at + 1);
            }
        }
    }
    changing(run, name, |spaces| {
        if spaces.function(name).is_some() {
            return Err(message::object_exists(name));
        }
        let id = spaces.next_function();
        spaces.functions.push(PartitionFunction { id, ..function });
        Ok(())
    })?;
    if !is_sorted {
        run.inform(7709, &[&name, &name]);
    }
    Ok(())
}

fn alter_function(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    name: &str,
    is_split: bool,
    value: &Expr,
) -> SqlResult<()> {
    let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.database)?;
    let known = dictionary.catalog().objects().data_spaces().function(name).map(|function| function.sql);
    let sql = known.ok_or_else(|| message::invalid_object(name))?;
    let value = boundary(run, statement, 0, value, sql)?;
    let changed_us = objects::times_now(run).1;
    changing(run, name, |spaces| {
        let found = spaces.functions.iter_mut().find(|function| names_equal(&function.name, name));
        let function = found.ok_or_else(|| message::invalid_object(name))?;
        let right = usize::from(function.is_right);
        let schemes = spaces.schemes.iter_mut().filter(|scheme| scheme.function == function.id);
        match (function.boundary(&value), is_split) {
            (Ok(place), true) => return Err(SqlError::of(7721, 1, &[&(place + 1)])),
            (Err(_), false) => return Err(SqlError::of(7715, 1, &[])),
            (Err(_), true) if function.partitions() >= PARTITIONS_MAX => return Err(too_many()),
            (Err(place), true) => {
                // The new partition is the one that has the boundary.
                schemes.into_iter().try_for_each(|scheme| split(scheme, place + right))?;
                function.boundaries.insert(place, value);
            }
            (Ok(place), false) => {
                // The partition that has the boundary goes, its rows into the other one.
                for scheme in schemes {
                    scheme.groups.remove(place + right);
                }
                function.boundaries.remove(place);
            }
        }
        function.times_us.1 = changed_us;
        Ok(())
    })
}

/// A scheme gets one more partition.
fn split(scheme: &mut PartitionScheme, place: usize) -> SqlResult<()> {
    let group = match scheme.is_all {
        true => scheme.groups.first().copied(),
        false => None,
    };
    let group = scheme.next_used.take().or(group);
    let group = group.ok_or_else(|| SqlError::of(7710, 1, &[&scheme.name]))?;
    scheme.groups.insert(place, group);
    Ok(())
}

fn drop_function(spaces: &mut DataSpaces, name: &str) -> SqlResult<()> {
    let found = spaces.function(name).map(|function| function.id);
    let id = found.ok_or_else(|| message::cannot_drop("partition function", name))?;
    if spaces.schemes.iter().any(|scheme| scheme.function == id) {
        return Err(SqlError::of(7706, 1, &[&name]));
    }
    spaces.functions.retain(|function| function.id != id);
    Ok(())
}

fn drop_scheme(spaces: &mut DataSpaces, name: &str) -> SqlResult<()> {
    let found = spaces.scheme(name).map(|scheme| scheme.id);
    let id = found.ok_or_else(|| message::cannot_drop("partition scheme", name))?;
    if spaces.is_used(id) {
        return Err(SqlError::of(7717, 1, &[&name]));
    }
    spaces.schemes.retain(|scheme| scheme.id != id);
    Ok(())
}

/// The number of a filegroup that a scheme names.
fn group_of(spaces: &DataSpaces, name: &str) -> SqlResult<i32> {
    spaces.group_named(name).map(|group| group.id).ok_or_else(|| message::invalid_object(name))
}

fn create_scheme(spaces: &mut DataSpaces, name: &str, function: &str, is_all: bool, groups: &[Ident]) -> SqlResult<()> {
    if spaces.space(name).is_some() {
        return Err(message::object_exists(name));
    }
    let function = spaces.function(function).ok_or_else(|| message::invalid_object(function))?;
    let (id, wanted, function_name) = (function.id, function.partitions(), function.name.clone());
    let mut groups = groups.iter().map(|group| group_of(spaces, group)).collect::<SqlResult<Vec<i32>>>()?;
    let mut next_used = None;
    if is_all {
        let [group] = groups[..] else { return Err(SqlError::of(7723, 1, &[&name])) };
        groups = vec![group; wanted];
    } else if groups.len() < wanted {
        return Err(SqlError::of(7707, 1, &[&function_name, &name]));
    } else {
        // One more is for the next split; others are of no use.
        next_used = groups.get(wanted).copied();
        groups.truncate(wanted);
    }
    let scheme =
        PartitionScheme { id: spaces.next_scheme(), name: name.to_owned(), function: id, groups, next_used, is_all };
    spaces.schemes.push(scheme);
    Ok(())
}

// What ON says.

/// Where an index goes that says `on`, or what it is put beside.
///
/// # Errors
/// 1921 for a name that is none; 1911, 1908, 2726, 7724 and 7726 for the column of a scheme.
fn place_of(spaces: &DataSpaces, on: &DataSpace, def: &TableDef, index: &IndexDef) -> SqlResult<Placement> {
    let unknown = |kind: &str| SqlError::of(1921, 1, &[&kind, &on.name]);
    match (spaces.space(&on.name), &on.column) {
        (Some(Space::Group(group)), None) => Ok(Placement { space: group.id, column: 0 }),
        (Some(Space::Group(_)) | None, Some(_)) => Err(unknown("partition scheme")),
        (None, None) => Err(unknown("filegroup")),
        (Some(Space::Scheme(scheme)), None) => {
            let function = spaces.function_of(scheme.function).map_or("", |function| function.name.as_str());
            Err(SqlError::of(2726, 1, &[&function, &1]))
        }
        (Some(Space::Scheme(scheme)), Some(column)) => {
            let position = def.columns.iter().position(|known| names_equal(&known.name, column));
            let position = position.ok_or_else(|| SqlError::of(1911, 1, &[column]))?;
            let found = &def.columns[position];
            if found.computed.as_ref().is_some_and(|computed| !computed.persisted) {
                return Err(SqlError::of(7724, 1, &[&found.name, &def.name]));
            }
            if let Some(function) = spaces.function_of(scheme.function)
                && function.sql != found.ty.sql
            {
                return Err(SqlError::of(7726, 1, &[&found.name, &found.ty.sql, &function.name, &function.sql]));
            }
            if index.unique && index.kind != IndexKind::Heap && !index.key.iter().any(|key| key.column == position) {
                return Err(SqlError::of(1908, 1, &[&found.name, &index.name]));
            }
            Ok(Placement { space: scheme.id, column: found.id })
        }
    }
}

/// The indexes of a new table are where its definition says: the rows by the table's ON or that of the clustered key, the others
/// by their own, else beside the rows. Part of a statement.
///
/// # Errors
/// As ON gives them; 1222, 1205.
pub(in crate::exec) fn place_table(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    def: &TableDef,
    definition: &TableDefinition,
) -> SqlResult<()> {
    let of_columns = definition.columns.iter().flat_map(|column| &column.constraints);
    let keys: Vec<(Option<&Ident>, bool, &KeyConstraint)> = of_columns
        .chain(&definition.constraints)
        .filter_map(|constraint| match &constraint.kind {
            ConstraintKind::PrimaryKey(key) => Some((constraint.name.as_ref(), true, key)),
            ConstraintKind::Unique(key) => Some((constraint.name.as_ref(), false, key)),
            _ => None,
        })
        .collect();
    let table_on = definition.options.on.as_ref();
    if table_on.is_none() && keys.iter().all(|(_, _, key)| key.on.is_none()) {
        return Ok(());
    }
    let own_on = |index: &IndexDef| {
        let is_it = |(name, is_primary, key): &&(Option<&Ident>, bool, &KeyConstraint)| match name {
            Some(name) => names_equal(name, &index.name),
            None if *is_primary => index.kind == IndexKind::PrimaryKey,
            None => index.kind == IndexKind::Unique && has_columns(def, index, key),
        };
        keys.iter().find(is_it).and_then(|(_, _, key)| key.on.as_ref())
    };
    objects::with_io(run, |io| hold_data_spaces(dictionary, io))?;
    let objects = dictionary.catalog().objects();
    let mut placed = Vec::with_capacity(def.indexes.len());
    let rows_on = own_on(&def.indexes[0]).or(table_on);
    for index in &def.indexes {
        let on = if index.holds_rows() { rows_on } else { own_on(index).or(rows_on) };
        let place = on.map(|on| place_of(objects.data_spaces(), on, def, index)).transpose()?;
        placed.push((index.id, place.unwrap_or(Placement::PRIMARY)));
    }
    put_placements(run, dictionary, def, &placed)
}

fn has_columns(def: &TableDef, index: &IndexDef, key: &KeyConstraint) -> bool {
    let mut written = key.columns.iter();
    index
        .key
        .iter()
        .all(|part| written.next().is_some_and(|column| names_equal(&column.name, &def.columns[part.column].name)))
        && written.next().is_none()
}

/// A new index of a table that is there is where it says, else beside the rows. Part of a statement.
///
/// # Errors
/// As [`place_table`].
pub(in crate::exec) fn place_index(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    def: &TableDef,
    (index, on): (&IndexDef, Option<&DataSpace>),
) -> SqlResult<()> {
    if on.is_none() && dictionary.catalog().objects().data_spaces().placements.is_empty() {
        return Ok(());
    }
    objects::with_io(run, |io| hold_data_spaces(dictionary, io))?;
    let objects = dictionary.catalog().objects();
    let spaces = objects.data_spaces();
    let place = match on {
        Some(on) => place_of(spaces, on, def, index)?,
        None => {
            let rows = spaces.placement(def.id, def.indexes[0].id);
            let position = def.columns.iter().position(|column| column.id == rows.column);
            let in_key = |position| index.key.iter().any(|key| key.column == position);
            if index.unique && position.is_some_and(|position| !in_key(position)) {
                let column = position.map_or("", |position| def.columns[position].name.as_str());
                return Err(SqlError::of(1908, 1, &[&column, &index.name]));
            }
            rows
        }
    };
    put_placements(run, dictionary, def, &[(index.id, place)])
}

/// Writes where indexes are, if that is not known.
fn put_placements(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    def: &TableDef,
    placed: &[(u16, Placement)],
) -> SqlResult<()> {
    let objects = dictionary.catalog().objects();
    let is_known = |(index, place): &(u16, Placement)| objects.data_spaces().placement(def.id, *index) == *place;
    if placed.iter().all(is_known) {
        return Ok(());
    }
    objects::with_io(run, |io| {
        change_data_spaces(dictionary, io, |spaces| {
            for (index, place) in placed {
                match *place == Placement::PRIMARY {
                    true => spaces.placements.remove(&(def.id, *index)),
                    false => spaces.placements.insert((def.id, *index), *place),
                };
            }
            Ok(())
        })
    })
}
