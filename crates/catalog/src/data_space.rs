//! Where rows of a database go by name: filegroups, partition functions and schemes, and what was put on them.
//!
//! What always holds: names are unique among filegroups and schemes, and among functions; the function of a scheme is
//! there, and so are its filegroups, one for each partition; boundaries are ascending and distinct.
//!
//! It does not know pages: each table is one tree for each index, and its rows lie in any file of the database. A partition is
//! what `$PARTITION` says of a row.

use std::collections::BTreeMap;

use millpond_types::collation::Collation;
use millpond_types::{KeyOrder, SqlType, Value, append_key};

use crate::name::names_equal;
use crate::schema::ObjectId;

/// The number of PRIMARY.
pub const PRIMARY: i32 = 1;
/// The first number of a partition scheme.
pub const FIRST_SCHEME: i32 = 65_601;
/// The first number of a partition function.
pub const FIRST_FUNCTION: i32 = 65_536;
/// Partitions that a function may make.
pub const PARTITIONS_MAX: usize = 15_000;

/// A filegroup of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Filegroup {
    /// `data_space_id`
    pub id: i32,
    /// Name
    pub name: String,
    /// MODIFY FILEGROUP … READ_ONLY
    pub is_read_only: bool,
    /// AUTOGROW_ALL_FILES
    pub grows_all: bool,
}

/// A partition function of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionFunction {
    /// `function_id`
    pub id: i32,
    /// Name
    pub name: String,
    /// Type of the parameter and of all boundaries.
    pub sql: SqlType,
    /// RANGE RIGHT: a boundary begins a partition; else it ends one.
    pub is_right: bool,
    /// Ascending and distinct; one fewer than partitions.
    pub boundaries: Vec<Value>,
    /// Made and last changed, local, microseconds since 1970.
    pub times_us: (i64, i64),
}

/// A partition scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionScheme {
    /// `data_space_id`
    pub id: i32,
    /// Name
    pub name: String,
    /// Its function.
    pub function: i32,
    /// The filegroup of each partition.
    pub groups: Vec<i32>,
    /// NEXT USED
    pub next_used: Option<i32>,
    /// Whether all partitions, and new ones, go to one filegroup.
    pub is_all: bool,
}

/// Where an index was put that is not in the default filegroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// A filegroup or scheme.
    pub space: i32,
    /// `column_id` of the column that a scheme divides by; 0 in a filegroup.
    pub column: i32,
}

impl Placement {
    /// Where an index is that was put nowhere.
    pub const PRIMARY: Placement = Placement { space: PRIMARY, column: 0 };
}

/// What a name is.
#[derive(Clone, Copy, Debug)]
pub enum Space<'s> {
    /// Filegroup
    Group(&'s Filegroup),
    /// Scheme
    Scheme(&'s PartitionScheme),
}

/// The filegroups, functions and schemes of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSpaces {
    /// In order of their numbers; the first is PRIMARY.
    pub filegroups: Vec<Filegroup>,
    /// Where goes what says nothing.
    pub default_group: i32,
    /// In order of their numbers.
    pub functions: Vec<PartitionFunction>,
    /// In order of their numbers.
    pub schemes: Vec<PartitionScheme>,
    /// By table and index.
    pub placements: BTreeMap<(ObjectId, u16), Placement>,
    /// The filegroups of files that are not in PRIMARY, by their number.
    pub files: BTreeMap<u16, i32>,
}

impl Default for DataSpaces {
    fn default() -> DataSpaces {
        let primary = Filegroup { id: PRIMARY, name: "PRIMARY".to_owned(), is_read_only: false, grows_all: false };
        DataSpaces {
            filegroups: vec![primary],
            default_group: PRIMARY,
            functions: Vec::new(),
            schemes: Vec::new(),
            placements: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }
}

/// The bytes by which values of a parameter are ordered.
fn key_of(value: &Value) -> Vec<u8> {
    let mut key = Vec::new();
    append_key(value, Collation::default(), KeyOrder::Ascending, &mut key);
    key
}

impl PartitionFunction {
    /// How many partitions it makes.
    #[must_use]
    pub fn partitions(&self) -> usize {
        self.boundaries.len() + 1
    }

    /// The number of the partition, from 1, of a value of the parameter's type. NULL comes before everything.
    #[must_use]
    pub fn partition_of(&self, value: &Value) -> usize {
        let key = key_of(value);
        let before = self.boundaries.partition_point(|boundary| {
            let order = key_of(boundary).cmp(&key);
            order.is_lt() || self.is_right && order.is_eq()
        });
        before + 1
    }

    /// The place of a boundary, from 0, or the place where it would stand.
    ///
    /// # Errors
    /// The latter.
    pub fn boundary(&self, value: &Value) -> Result<usize, usize> {
        let key = key_of(value);
        self.boundaries.binary_search_by(|boundary| key_of(boundary).cmp(&key))
    }

    /// Its side and boundaries as one constant, for [`partition_by`].
    #[must_use]
    pub fn constant(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.is_right)];
        for boundary in &self.boundaries {
            let key = key_of(boundary);
            bytes.extend_from_slice(&(key.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&key);
        }
        bytes
    }
}

/// The partition of a value by [`PartitionFunction::constant`]; `None` for bytes that are none.
#[must_use]
pub fn partition_by(constant: &[u8], value: &Value) -> Option<i32> {
    let (side, mut rest) = constant.split_first()?;
    let key = key_of(value);
    let mut number = 1;
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (boundary, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let order = boundary.cmp(&key);
        if !(order.is_lt() || *side == 1 && order.is_eq()) {
            break;
        }
        (number, rest) = (number + 1, after);
    }
    Some(number)
}

impl DataSpaces {
    /// The filegroup or scheme of a name; `DEFAULT` is the default filegroup.
    #[must_use]
    pub fn space(&self, name: &str) -> Option<Space<'_>> {
        let group = self.filegroups.iter().find(|group| names_equal(&group.name, name)).map(Space::Group);
        let scheme = || self.schemes.iter().find(|scheme| names_equal(&scheme.name, name)).map(Space::Scheme);
        let default = || self.group(self.default_group).filter(|_| names_equal(name, "default")).map(Space::Group);
        group.or_else(scheme).or_else(default)
    }

    /// A filegroup of a name.
    #[must_use]
    pub fn group_named(&self, name: &str) -> Option<&Filegroup> {
        match self.space(name) {
            Some(Space::Group(group)) => Some(group),
            _ => None,
        }
    }

    /// A filegroup of a number.
    #[must_use]
    pub fn group(&self, id: i32) -> Option<&Filegroup> {
        self.filegroups.iter().find(|group| group.id == id)
    }

    /// The filegroup of a file of rows.
    #[must_use]
    pub fn group_of_file(&self, file: u16) -> i32 {
        self.files.get(&file).copied().unwrap_or(PRIMARY)
    }

    /// A function of a name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&PartitionFunction> {
        self.functions.iter().find(|function| names_equal(&function.name, name))
    }

    /// A function of a number.
    #[must_use]
    pub fn function_of(&self, id: i32) -> Option<&PartitionFunction> {
        self.functions.iter().find(|function| function.id == id)
    }

    /// A scheme of a name.
    #[must_use]
    pub fn scheme(&self, name: &str) -> Option<&PartitionScheme> {
        self.schemes.iter().find(|scheme| names_equal(&scheme.name, name))
    }

    /// A scheme of a number.
    #[must_use]
    pub fn scheme_of(&self, id: i32) -> Option<&PartitionScheme> {
        self.schemes.iter().find(|scheme| scheme.id == id)
    }

    /// Where an index is.
    #[must_use]
    pub fn placement(&self, table: ObjectId, index: u16) -> Placement {
        self.placements.get(&(table, index)).copied().unwrap_or(Placement::PRIMARY)
    }

    /// The filegroup of an index, or of its first partition.
    #[must_use]
    pub fn group_of_index(&self, table: ObjectId, index: u16) -> i32 {
        let space = self.placement(table, index).space;
        self.scheme_of(space).and_then(|scheme| scheme.groups.first().copied()).unwrap_or(space)
    }

    /// The function that divides an index, and the `column_id` of the column that it divides by.
    #[must_use]
    pub fn dividing(&self, table: ObjectId, index: u16) -> Option<(&PartitionFunction, i32)> {
        let Placement { space, column } = self.placements.get(&(table, index)).copied()?;
        Some((self.function_of(self.scheme_of(space)?.function)?, column))
    }

    /// Whether any of a table's indexes was put into a filegroup, or into a partition there.
    #[must_use]
    pub fn holds(&self, group: i32, table: ObjectId, mut indexes: impl Iterator<Item = u16>) -> bool {
        indexes.any(|index| {
            let space = self.placement(table, index).space;
            self.scheme_of(space).map_or(space == group, |scheme| scheme.groups.contains(&group))
        })
    }

    /// Whether something was put on a filegroup or scheme.
    #[must_use]
    pub fn is_used(&self, space: i32) -> bool {
        self.placements.values().any(|placement| placement.space == space)
            || self.schemes.iter().any(|scheme| scheme.groups.contains(&space) || scheme.next_used == Some(space))
    }

    /// A number for a new filegroup.
    #[must_use]
    pub fn next_group(&self) -> i32 {
        self.filegroups.iter().map(|group| group.id).max().unwrap_or(PRIMARY) + 1
    }

    /// A number for a new function.
    #[must_use]
    pub fn next_function(&self) -> i32 {
        self.functions.iter().map(|function| function.id + 1).max().unwrap_or(FIRST_FUNCTION)
    }

    /// A number for a new scheme.
    #[must_use]
    pub fn next_scheme(&self) -> i32 {
        self.schemes.iter().map(|scheme| scheme.id + 1).max().unwrap_or(FIRST_SCHEME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(is_right: bool, boundaries: &[Option<i32>]) -> PartitionFunction {
        let boundaries = boundaries.iter().map(|value| value.map_or(Value::Null, Value::Int)).collect();
        let name = "f".to_owned();
        PartitionFunction { id: FIRST_FUNCTION, name, sql: SqlType::Int, is_right, boundaries, times_us: (0, 0) }
    }

    fn partitions(function: &PartitionFunction, values: &[Option<i32>]) -> Vec<usize> {
        let of = |value: &Option<i32>| {
            let value = value.map_or(Value::Null, Value::Int);
            let number = function.partition_of(&value);
            assert_eq!(partition_by(&function.constant(), &value), Some(number as i32));
            number
        };
        values.iter().map(of).collect()
    }

    #[test]
    fn a_boundary_ends_a_partition_on_the_left_and_begins_one_on_the_right() {
        let values = [None, Some(i32::MIN), Some(1), Some(2), Some(100), Some(101), Some(1000), Some(1001)];
        let left = function(false, &[Some(1), Some(100), Some(1000)]);
        assert_eq!(partitions(&left, &values), [1, 1, 1, 2, 2, 3, 3, 4]);
        let right = function(true, &[Some(1), Some(100), Some(1000)]);
        assert_eq!(partitions(&right, &values), [1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(partitions(&function(false, &[]), &values), [1; 8]);
    }

    #[test]
    fn null_may_be_a_boundary() {
        let values = [None, Some(0)];
        assert_eq!(partitions(&function(false, &[None]), &values), [1, 2]);
        assert_eq!(partitions(&function(true, &[None]), &values), [2, 2]);
    }

    #[test]
    fn boundaries_are_found_and_placed() {
        let three = function(false, &[Some(1), Some(100), Some(1000)]);
        assert_eq!(three.boundary(&Value::Int(100)), Ok(1));
        assert_eq!(three.boundary(&Value::Int(500)), Err(2));
        assert_eq!(three.boundary(&Value::Null), Err(0));
    }

    #[test]
    fn bytes_that_are_no_constant_have_no_partition() {
        for bytes in [&[][..], &[0, 9], &[1, 9, 0, 0, 0, 1]] {
            assert_eq!(partition_by(bytes, &Value::Int(1)), None);
        }
    }

    #[test]
    fn names_of_spaces_are_found_and_default_means_the_default_filegroup() {
        let mut spaces = DataSpaces::default();
        let other = Filegroup { id: 2, name: "Other".to_owned(), is_read_only: false, grows_all: false };
        spaces.filegroups.push(other);
        assert_eq!(spaces.group_named("primary").map(|group| group.id), Some(1));
        assert_eq!(spaces.group_named("DEFAULT").map(|group| group.id), Some(1));
        spaces.default_group = 2;
        assert_eq!(spaces.group_named("default").map(|group| group.id), Some(2));
        assert!(spaces.space("nothing").is_none());
        assert_eq!((spaces.next_group(), spaces.next_function()), (3, FIRST_FUNCTION));
    }
}
