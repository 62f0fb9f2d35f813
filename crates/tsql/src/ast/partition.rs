//! Partition functions and schemes.

use super::name::{DataType, Ident};
use super::query::Expr;

/// CREATE, ALTER, DROP PARTITION FUNCTION and SCHEME.
#[derive(Clone, Debug)]
pub enum PartitionStatement {
    /// `CREATE PARTITION FUNCTION name (type) AS RANGE [LEFT|RIGHT] FOR VALUES (…)`
    CreateFunction {
        /// Name.
        name: Ident,
        /// Types of the parameters: one, if it is to be made.
        types: Vec<DataType>,
        /// RIGHT
        is_right: bool,
        /// Boundaries, as they are written.
        values: Vec<Expr>,
    },
    /// `ALTER PARTITION FUNCTION name () SPLIT|MERGE RANGE (value)`
    AlterFunction {
        /// Name.
        name: Ident,
        /// SPLIT
        is_split: bool,
        /// The boundary that comes or goes.
        value: Expr,
    },
    /// `DROP PARTITION FUNCTION name`
    DropFunction(Ident),
    /// `CREATE PARTITION SCHEME name AS PARTITION function [ALL] TO (filegroup, …)`
    CreateScheme {
        /// Name.
        name: Ident,
        /// Its function.
        function: Ident,
        /// ALL
        is_all: bool,
        /// Filegroups.
        groups: Vec<Ident>,
    },
    /// `ALTER PARTITION SCHEME name NEXT USED [filegroup]`
    AlterScheme {
        /// Name.
        name: Ident,
        /// Filegroup; none takes the mark away.
        next_used: Option<Ident>,
    },
    /// `DROP PARTITION SCHEME name`
    DropScheme(Ident),
}

/// `n` or `n TO n`: numbers of partitions.
#[derive(Clone, Debug)]
pub struct PartitionRange {
    /// The first.
    pub first: Expr,
    /// The last; `None` for one alone.
    pub last: Option<Expr>,
}

impl PartitionStatement {
    /// The words that it begins with.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self {
            PartitionStatement::CreateFunction { .. } => "CREATE PARTITION FUNCTION",
            PartitionStatement::AlterFunction { .. } => "ALTER PARTITION FUNCTION",
            PartitionStatement::DropFunction(_) => "DROP PARTITION FUNCTION",
            PartitionStatement::CreateScheme { .. } => "CREATE PARTITION SCHEME",
            PartitionStatement::AlterScheme { .. } => "ALTER PARTITION SCHEME",
            PartitionStatement::DropScheme(_) => "DROP PARTITION SCHEME",
        }
    }
}
