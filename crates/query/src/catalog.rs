//! Definitions of tables: names, columns, the record layout. What rows they hold is the heap's business.

use millpond_types::SqlType;
use millpond_types::collation::Collation;
use millpond_types::row::RowLayout;

use crate::expr::{BoundExpr, ExprType};

/// A column of a stored table.
#[derive(Clone, Debug)]
pub struct ColumnDef {
    /// Name as declared.
    pub name: String,
    /// Type, nullability, collation.
    pub ty: ExprType,
    /// DEFAULT.
    pub default: Option<BoundExpr>,
    /// IDENTITY(seed, increment).
    pub identity: Option<(i64, i64)>,
}

/// A table's definition; immutable, shared by plans. Two tables made by one statement share one definition.
#[derive(Debug)]
pub struct TableDef {
    /// Name as declared: `#t`, `@t`.
    pub name: String,
    /// Columns in order.
    pub columns: Vec<ColumnDef>,
    /// CHECK constraints over the row.
    pub checks: Vec<(String, BoundExpr)>,
    /// Record layout of the columns.
    pub layout: RowLayout,
}

impl TableDef {
    /// A definition with its layout.
    #[must_use]
    pub fn new(name: String, columns: Vec<ColumnDef>, checks: Vec<(String, BoundExpr)>) -> TableDef {
        let types: Vec<SqlType> = columns.iter().map(|column| column.ty.sql).collect();
        TableDef { name, columns, checks, layout: RowLayout::new(&types) }
    }

    /// Position of a column by name, case-insensitively.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| names_equal(&column.name, name))
    }
}

/// Whether two identifiers are the same name under the default collation.
#[must_use]
pub fn names_equal(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || millpond_types::collation::compare(a, b, Collation::Latin1CiAs).is_eq()
}

/// A column of a system view or table-valued function.
#[derive(Clone, Copy, Debug)]
pub struct SystemColumn {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub sql: SqlType,
    /// Whether NULL may come.
    pub nullable: bool,
}

impl SystemColumn {
    /// Static facts of the column.
    #[must_use]
    pub fn ty(&self) -> ExprType {
        ExprType { sql: self.sql, nullable: self.nullable, collation: Collation::Latin1CiAs }
    }
}
