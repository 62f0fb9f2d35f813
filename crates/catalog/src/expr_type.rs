//! The static facts of an expression or a column: type, nullability, collation and how firmly it holds to that.

use millpond_message::sink::{Column, ColumnSource};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

/// How firmly a string holds to its collation: what decides where two meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Label {
    /// Literals, variables, what functions make of other types: gives way to any other.
    #[default]
    Coercible,
    /// Columns: gives way to COLLATE.
    Implicit,
    /// COLLATE was written.
    Explicit,
    /// Columns of different collations met where nothing was compared: it has none, and cannot be compared or returned.
    Unresolved {
        /// The collation of the second one; the expression's is that of the first.
        other: Collation,
        /// Where they met, as messages name it.
        operator: &'static str,
    },
}

/// The static facts of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprType {
    /// Type. The code page of `char` and `varchar` is that of the collation.
    pub sql: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
    /// Collation when it is a string.
    pub collation: Collation,
    /// How firmly it holds to that.
    pub label: Label,
    /// A text of JSON: where JSON is made of it, it is taken as it is. It is what the functions that make JSON give, and
    /// is lost by conversions, operators and where it is stored.
    pub is_json: bool,
    /// A column of `nodes()`: references to nodes, which only the methods of `xml` take.
    pub is_node: bool,
}

impl ExprType {
    /// In the default collation, which gives way.
    #[must_use]
    pub const fn plain(sql: SqlType, nullable: bool) -> ExprType {
        ExprType {
            sql,
            nullable,
            collation: Collation::LATIN1_CI_AS,
            label: Label::Coercible,
            is_json: false,
            is_node: false,
        }
    }

    /// Of a column's declared type: the code page of `char` and `varchar` is that of the collation.
    #[must_use]
    pub fn declared(sql: SqlType, nullable: bool, collation: Collation) -> ExprType {
        if !sql.is_string() {
            return ExprType::plain(sql, nullable);
        }
        let plain = ExprType::plain(sql.in_page(collation.page()), nullable);
        ExprType { collation, label: Label::Implicit, ..plain }
    }

    /// Of a computed type: the collation of `char` and `varchar` gives way to the code page, and to any other's.
    #[must_use]
    pub fn of(sql: SqlType, nullable: bool, collation: Collation) -> ExprType {
        ExprType { collation: collation.of_type(&sql), ..ExprType::plain(sql, nullable) }
    }

    /// The column of a result that has it.
    #[must_use]
    pub fn shown_as(&self, name: &str) -> Column {
        let source = ColumnSource::Stored;
        Column { name: name.to_owned(), sql_type: self.sql, collation: self.collation, nullable: self.nullable, source }
    }
}
