//! What a database has, as the model knows it: types, columns, keys, indexes, triggers, tables with their rows, and names.
//!
//! It does not know statements: [`super::step`] says what changes these.

use std::collections::{BTreeMap, BTreeSet};

/// Columns have these names beside `id`, in tables and in table types.
pub(super) const COLUMNS: [&str; 5] = ["a", "b", "c", "d", "e"];

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
    /// Type, or what its alias type stands for.
    pub kind: Kind,
    /// The alias type by which it was declared.
    pub alias: Option<String>,
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

/// What becomes of rows when the row to which they lead is deleted, or gets another `id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// NO ACTION: the statement is refused.
    Refuse,
    /// CASCADE
    Cascade,
    /// SET NULL
    Null,
    /// SET DEFAULT
    Default,
}

/// A FOREIGN KEY over one column, to the `id` of another table or of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The column.
    pub column: String,
    /// The other table.
    pub target: String,
    /// ON DELETE
    pub on_delete: Action,
    /// ON UPDATE
    pub on_update: Action,
    /// It is switched off by NOCHECK.
    pub is_disabled: bool,
    /// All rows were looked at.
    pub is_trusted: bool,
}

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Its definition.
    pub text: String,
    /// Whether it is disabled.
    pub disabled: bool,
    /// The table from which it deletes the rows whose `id` the changed rows have now.
    pub deletes: Option<String>,
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
    /// What makes it another table than one of the same name before it; 0 where it is not known.
    pub birth: u64,
    /// Values that its IDENTITY gave since it was empty.
    pub given: BTreeSet<i64>,
}

impl Table {
    /// The place of a column after `id`.
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

    /// Refused when a unique index has two rows of one key.
    pub(super) fn check_unique(&self) -> Result<(), Refused> {
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
