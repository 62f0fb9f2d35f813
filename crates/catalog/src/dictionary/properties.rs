//! Extended properties as rows of the system tables.
//!
//! What always holds: a property belongs to one thing (class, number, number in it) and goes with it, in the same transaction; who
//! changes the properties of a thing has a lock of that thing's properties to the end of the transaction. They are read from the rows
//! each time: nothing is bound by them, so nothing of them is kept in memory but whether there were any.
//!
//! It knows no names of what has properties, and asks for no rights.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;
use millpond_types::row::{value_from_bytes, value_to_bytes};
use millpond_types::{SqlType, Value};

use super::codec::{Reading, Row, damaged};
use super::tables::SystemTable;
use super::{Dictionary, Io, names};
use crate::data_space::DataSpaces;
use crate::database::constraint_numbers;
use crate::{ObjectId, TableDef, names_equal};

/// What has properties, by the numbers of `sys.extended_properties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PropertyOwner {
    /// Class
    pub class: PropertyClass,
    /// Number among those of the class; that of the object for its parts.
    pub major: i32,
    /// Number of the column, parameter or index; 0 for the whole.
    pub minor: i32,
}

/// Classes of what has properties, with their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PropertyClass {
    /// The database.
    Database = 0,
    /// An object, a constraint or a column.
    Object = 1,
    /// A parameter of a module.
    Parameter = 2,
    /// A schema.
    Schema = 3,
    /// A user or a role.
    Principal = 4,
    /// A type.
    Type = 6,
    /// An index.
    Index = 7,
    /// A column of a table type.
    TypeColumn = 8,
    /// A filegroup or a partition scheme.
    DataSpace = 20,
    /// A partition function.
    PartitionFunction = 21,
    /// A file of the database.
    File = 22,
}

impl PropertyClass {
    const ALL: [PropertyClass; 11] = [
        PropertyClass::Database,
        PropertyClass::Object,
        PropertyClass::Parameter,
        PropertyClass::Schema,
        PropertyClass::Principal,
        PropertyClass::Type,
        PropertyClass::Index,
        PropertyClass::TypeColumn,
        PropertyClass::DataSpace,
        PropertyClass::PartitionFunction,
        PropertyClass::File,
    ];

    /// `class_desc`
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PropertyClass::Database => "DATABASE",
            PropertyClass::Object => "OBJECT_OR_COLUMN",
            PropertyClass::Parameter => "PARAMETER",
            PropertyClass::Schema => "SCHEMA",
            PropertyClass::Principal => "DATABASE_PRINCIPAL",
            PropertyClass::Type => "TYPE",
            PropertyClass::Index => "INDEX",
            PropertyClass::TypeColumn => "TYPE_COLUMN",
            PropertyClass::DataSpace => "DATASPACE",
            PropertyClass::PartitionFunction => "PARTITION_FUNCTION",
            PropertyClass::File => "DATABASE_FILE",
        }
    }
}

/// An extended property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Of what.
    pub owner: PropertyOwner,
    /// Name
    pub name: String,
    /// A `sql_variant`, or NULL.
    pub value: Value,
}

/// How a property is to be changed.
#[derive(Clone, Debug)]
pub enum PropertyChange {
    /// It is made, with this value.
    Add(Value),
    /// It gets another value.
    Update(Value),
    /// It goes.
    Drop,
}

/// Changes the property of a name.
///
/// # Errors
/// 1222, 1205, and what the rows' change gives. `false`: it is there and was to be added, or is not there and was not.
pub fn change(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    owner: PropertyOwner,
    name: &str,
    change: &PropertyChange,
) -> SqlResult<bool> {
    lock(dictionary, io, owner.class, owner.major)?;
    let rows = dictionary.trees.rows(io, SystemTable::Properties, &prefix(owner))?;
    let known = rows.iter().find(|row| Reading(row).text(4).is_ok_and(|known| names_equal(known, name)));
    match (known, change) {
        (None, PropertyChange::Add(value)) => {
            let number = rows.last().map_or(Ok(0), |row| Reading(row).int(3))? + 1;
            dictionary.has_properties.store(true, Relaxed);
            dictionary.trees.insert(io, &[row_of(owner, number, name, value)?])?;
        }
        (Some(row), PropertyChange::Update(value)) => {
            let row = row_of(owner, Reading(row).int(3)?, Reading(row).text(4)?, value)?;
            dictionary.trees.replace(io, &row)?;
        }
        (Some(row), PropertyChange::Drop) => {
            dictionary.trees.remove(io, &(SystemTable::Properties, row.clone()))?;
        }
        (Some(_), PropertyChange::Add(_)) | (None, _) => return Ok(false),
    }
    Ok(true)
}

/// All properties of a database, by what has them.
///
/// # Errors
/// What reading gives.
pub fn all(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<Vec<Property>> {
    if !dictionary.has_properties.load(Relaxed) {
        return Ok(Vec::new());
    }
    dictionary.trees.rows(io, SystemTable::Properties, &[])?.iter().map(|row| property_of(row)).collect()
}

/// Whether there are any is looked up once, when a database is opened.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    let has_any = !dictionary.trees.rows(io, SystemTable::Properties, &[])?.is_empty();
    dictionary.has_properties.store(has_any, Relaxed);
    Ok(())
}

/// An object is gone, and with it its parts and its constraints.
pub(super) fn forget_object(dictionary: &Dictionary, io: &mut Io<'_, '_>, id: ObjectId) -> SqlResult<()> {
    if !dictionary.has_properties.load(Relaxed) {
        return Ok(());
    }
    let objects = dictionary.catalog.objects();
    let constraints = objects.table(id).map(|(def, _)| constraint_numbers(def).collect::<Vec<ObjectId>>());
    for class in [PropertyClass::Object, PropertyClass::Parameter, PropertyClass::Index] {
        forget(dictionary, io, class, id.0)?;
    }
    for constraint in constraints.unwrap_or_default() {
        forget(dictionary, io, PropertyClass::Object, constraint.0)?;
    }
    Ok(())
}

/// A table becomes another one: what it had and has no longer is gone.
pub(super) fn forget_parts(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    old: &TableDef,
    new: &TableDef,
) -> SqlResult<()> {
    if !dictionary.has_properties.load(Relaxed) {
        return Ok(());
    }
    let columns = |def: &TableDef| def.columns.iter().map(|column| column.id).collect::<BTreeSet<i32>>();
    let indexes = |def: &TableDef| def.indexes.iter().map(|index| i32::from(index.id)).collect::<BTreeSet<i32>>();
    let constraints = |def: &TableDef| constraint_numbers(def).map(|id| id.0).collect::<BTreeSet<i32>>();
    let (major, object, index) = (old.id.0, PropertyClass::Object, PropertyClass::Index);
    for minor in columns(old).difference(&columns(new)) {
        erase(dictionary, io, &[object as i32, major, *minor])?;
    }
    for minor in indexes(old).difference(&indexes(new)) {
        erase(dictionary, io, &[index as i32, major, *minor])?;
    }
    for constraint in constraints(old).difference(&constraints(new)) {
        forget(dictionary, io, object, *constraint)?;
    }
    Ok(())
}

/// Filegroups, files, partition functions or schemes were dropped.
pub(super) fn forget_spaces(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    old: &DataSpaces,
    new: &DataSpaces,
) -> SqlResult<()> {
    let spaces = |spaces: &DataSpaces| {
        let groups = spaces.filegroups.iter().map(|group| (PropertyClass::DataSpace, group.id));
        let schemes = spaces.schemes.iter().map(|scheme| (PropertyClass::DataSpace, scheme.id));
        let functions = spaces.functions.iter().map(|function| (PropertyClass::PartitionFunction, function.id));
        groups.chain(schemes).chain(functions).collect::<BTreeSet<_>>()
    };
    for (class, major) in spaces(old).difference(&spaces(new)) {
        forget(dictionary, io, *class, *major)?;
    }
    Ok(())
}

/// What is of one thing goes with it.
///
/// # Errors
/// 1222, 1205, and what the rows' change gives.
pub fn forget(dictionary: &Dictionary, io: &mut Io<'_, '_>, class: PropertyClass, major: i32) -> SqlResult<()> {
    if !dictionary.has_properties.load(Relaxed) {
        return Ok(());
    }
    lock(dictionary, io, class, major)?;
    erase(dictionary, io, &[class as i32, major])
}

fn erase(dictionary: &Dictionary, io: &mut Io<'_, '_>, prefix: &[i32]) -> SqlResult<()> {
    dictionary.trees.erase(io, SystemTable::Properties, prefix)
}

/// Has the properties of a thing, and of its parts, alone to the end of the transaction.
fn lock(dictionary: &Dictionary, io: &mut Io<'_, '_>, class: PropertyClass, major: i32) -> SqlResult<()> {
    let number = u64::from(class as u8) << 32 | u64::from(major.cast_unsigned());
    let resource = Resource::metadata(dictionary.database(), names::PROPERTIES, number);
    names::lock(dictionary, io, resource, "extended properties", LockMode::SchM)
}

fn prefix(owner: PropertyOwner) -> [i32; 3] {
    [owner.class as i32, owner.major, owner.minor]
}

fn row_of(owner: PropertyOwner, number: i32, name: &str, value: &Value) -> SqlResult<Row> {
    let stored = match value {
        Value::Null => Value::Null,
        value => {
            let mut bytes = Vec::new();
            value_to_bytes(&SqlType::Variant, value, &mut bytes).map_err(message::of_row)?;
            Value::Binary(bytes.into())
        }
    };
    let [class, major, minor] = prefix(owner).map(Value::Int);
    Ok((SystemTable::Properties, vec![class, major, minor, Value::Int(number), Value::str(name), stored]))
}

fn property_of(row: &[Value]) -> SqlResult<Property> {
    let reading = Reading(row);
    let class = reading.int(0)?;
    let class = PropertyClass::ALL.into_iter().find(|known| *known as i32 == class);
    let class = class.ok_or_else(|| damaged("an extended property is of no class"))?;
    let value = match row.get(5) {
        Some(Value::Binary(bytes)) => value_from_bytes(&SqlType::Variant, bytes).map_err(message::of_row)?,
        _ => Value::Null,
    };
    let owner = PropertyOwner { class, major: reading.int(1)?, minor: reading.int(2)? };
    Ok(Property { owner, name: reading.text(4)?.to_owned(), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_comes_back_from_its_row_and_damage_is_an_error() {
        let owner = PropertyOwner { class: PropertyClass::Index, major: 1000, minor: 2 };
        let variant = millpond_types::Variant::new(SqlType::Int, Default::default(), Value::Int(7)).expect("holds it");
        for value in [Value::Null, Value::from(variant)] {
            let (_, row) = row_of(owner, 3, "a]'b", &value).expect("fits");
            assert_eq!(property_of(&row).expect("sound"), Property { owner, name: "a]'b".to_owned(), value });
        }
        let (_, mut row) = row_of(owner, 3, "a", &Value::Null).expect("fits");
        row[0] = Value::Int(5);
        assert!(property_of(&row).is_err(), "a class that is none");
    }
}
