//! Indexes of a table, and the keys that their trees are ordered by.
//!
//! ```text
//!   rows, heap         key  row number, 8 bytes                        payload  record of all columns
//!   rows, clustered    key  key columns [+ uniquifier, 8 bytes]        payload  record of all columns
//!   other index        key  key columns [+ locator if not unique]      payload  u16 length, locator, record of `stored`
//! ```
//! The *locator* of a row is its key in the tree of the rows.

use millpond_types::collation::SORT_KEYS;
use millpond_types::row::RowLayout;
use millpond_types::text::declared_len;
use millpond_types::{KeyOrder, SqlType, Value, append_key};

use crate::algebra::table::{ColumnDef, IndexDef, IndexKind, IndexOptions, KeyColumn, TableDef};
use crate::name::names_equal;
use crate::schema::ObjectId;

impl IndexDef {
    /// An index over columns of a table; `clustered_key` are the key columns of the tree of the rows, which a
    /// nonclustered index has in its leaves too.
    #[must_use]
    pub fn new(
        id: u16,
        name: String,
        kind: IndexKind,
        unique: bool,
        key: Vec<KeyColumn>,
        columns: &[ColumnDef],
    ) -> IndexDef {
        let widths = key.iter().filter_map(|part| columns[part.column].ty.sql.max_bytes());
        IndexDef {
            may_exceed: widths.sum::<u32>() > most_bytes(id),
            id,
            name,
            kind,
            constraint: ObjectId(0),
            unique,
            key,
            included: Vec::new(),
            filter: None,
            options: IndexOptions::default(),
            disabled: false,
            sort_keys: SORT_KEYS,
            stored: (0..columns.len()).collect(),
            layout: RowLayout::new(&columns.iter().map(|column| column.ty.sql).collect::<Vec<SqlType>>()),
        }
    }

    /// Whether no two rows of its table have the same values in its key columns: it is unique, of all rows, and kept.
    #[must_use]
    pub fn is_key(&self) -> bool {
        self.unique && self.filter.is_none() && !self.disabled && !self.key.is_empty()
    }

    /// The same as an index beside the rows: its leaves have its key, `included` and the clustered key.
    #[must_use]
    pub fn beside_rows(mut self, included: Vec<usize>, clustered_key: &[KeyColumn], columns: &[ColumnDef]) -> IndexDef {
        let mut stored: Vec<usize> = Vec::new();
        let all = self.key.iter().map(|key| key.column).chain(included.iter().copied());
        for column in all.chain(clustered_key.iter().map(|key| key.column)) {
            if !stored.contains(&column) {
                stored.push(column);
            }
        }
        self.layout = RowLayout::new(&stored.iter().map(|&column| columns[column].ty.sql).collect::<Vec<SqlType>>());
        self.stored = stored;
        self.included = included;
        self
    }

    /// Whether its keys were made by other rules than those by which they are looked for.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.sort_keys != SORT_KEYS
    }

    /// Whether its keys depend on the rules of a locale.
    #[must_use]
    pub fn has_keys_of_locale(&self, columns: &[ColumnDef]) -> bool {
        self.key.iter().map(|part| &columns[part.column].ty).any(|ty| match ty.sql {
            // Each value has a collation of its own.
            SqlType::Variant => true,
            sql => sql.is_string() && ty.collation.is_of_locale(),
        })
    }

    /// Most bytes of the values of a key.
    #[must_use]
    pub fn key_bytes_max(&self) -> u32 {
        most_bytes(self.id)
    }

    /// Bytes of the values of a row's key, as SQL Server counts them.
    #[must_use]
    pub fn key_bytes(&self, columns: &[ColumnDef], row: &[Value]) -> u32 {
        self.key.iter().map(|part| value_bytes(&columns[part.column], &row[part.column])).sum()
    }

    /// Whether it is the tree of the rows in the order of a key.
    #[must_use]
    pub fn is_clustered(&self) -> bool {
        self.id == 1
    }

    /// Whether it is the tree of the rows.
    #[must_use]
    pub fn holds_rows(&self) -> bool {
        self.id <= 1
    }

    /// Whether the leaf has all of these columns of the table.
    #[must_use]
    pub fn covers(&self, columns: impl IntoIterator<Item = usize>) -> bool {
        self.holds_rows() || columns.into_iter().all(|column| self.stored.contains(&column))
    }

    /// Appends the key columns' part of the key of a row; `value` gives the value of a column of the table.
    pub fn append_key<'v>(&self, columns: &[ColumnDef], value: impl Fn(usize) -> &'v Value, key: &mut Vec<u8>) {
        for part in &self.key {
            append_key(value(part.column), columns[part.column].ty.collation, part.order(), key);
        }
    }
}

/// Most bytes of a key: 900 of a clustered, 1700 of another index.
const fn most_bytes(id: u16) -> u32 {
    if id <= 1 { 900 } else { 1700 }
}

/// Bytes of a value in a column that may be part of a key.
fn value_bytes(column: &ColumnDef, value: &Value) -> u32 {
    let bytes = match (&column.ty.sql, value) {
        (SqlType::NVarChar { .. }, Value::Str(text)) => 2 * text.encode_utf16().count(),
        (sql @ SqlType::VarChar { .. }, Value::Str(text)) => declared_len(text, sql),
        (SqlType::VarBinary { .. }, Value::Binary(bytes)) => bytes.len(),
        (SqlType::Variant, Value::Variant(variant)) => variant.total_bytes(),
        (SqlType::Variant, Value::Null) => 0,
        (sql, Value::Null) if sql.is_variable_length() => 0,
        (sql, _) => return sql.max_bytes().unwrap_or_default(),
    };
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl KeyColumn {
    /// The direction as keys have it.
    #[must_use]
    pub fn order(&self) -> KeyOrder {
        if self.descending { KeyOrder::Descending } else { KeyOrder::Ascending }
    }
}

impl TableDef {
    /// The first index whose keys were made by other rules than those by which they are looked for.
    #[must_use]
    pub fn outdated_index(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|index| index.is_outdated())
    }

    /// An index by name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&IndexDef> {
        self.indexes.iter().find(|index| names_equal(&index.name, name))
    }

    /// The primary key.
    #[must_use]
    pub fn primary_key(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|index| index.kind == IndexKind::PrimaryKey)
    }

    /// Whether the rows are in the order of a clustered index.
    #[must_use]
    pub fn is_clustered(&self) -> bool {
        self.indexes.first().is_some_and(IndexDef::is_clustered)
    }

    /// Whether its rows are in a tree by their numbers, and nothing is beside them.
    #[must_use]
    pub fn is_plain_heap(&self) -> bool {
        self.indexes.len() == 1 && self.indexes[0].kind == IndexKind::Heap && !self.in_memory
    }
}
