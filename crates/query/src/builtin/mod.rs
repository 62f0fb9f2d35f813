//! Scalar and table-valued functions, each defined once over values. `analytic` calls the same definitions on arrays.
//!
//! The files are the families. What holds for all: a function sees the types of its arguments, never their
//! expressions, so a result's type cannot depend on a literal; texts are compared under the default collation; errors
//! carry SQL Server's number and no line; what only the engine knows comes through [`facts::Catalog`]. ISNULL, COALESCE, NULLIF, IIF, CHOOSE, CASE, CAST, CONVERT and the
//! aggregates are the binder's.

mod app_lock;
mod args;
mod collation_name;
mod conversion;
mod define;
mod digits;
pub mod facts;
mod format;
mod hash;
mod math;
mod message_text;
mod metadata;
mod naming;
mod offset;
mod once;
mod property;
pub mod random;
mod registry;
mod search;
mod session;
mod string;
mod table_property;
mod temporal;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use app_lock::{application, invalid_parameter, mode_of as app_lock_mode, scope_of as app_lock_scope};
pub(crate) use message_text::format_message;
pub use naming::object_name;
pub(crate) use once::{FIRST_KNOWN, RAND_ONCE};

use millpond_types::{SqlType, Value};

use crate::catalog::SystemColumn;
use crate::context::RunContext;
use crate::error::SqlResult;

pub use registry::{FAMILIES, counting_characters, find};
pub(crate) use write::WRITE;

/// When a function's value may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Depends on its arguments alone: may be computed at bind time.
    Pure,
    /// Fixed during one statement (`GETDATE()`, `@@SPID`).
    Statement,
    /// New for every row (`NEWID()`).
    Row,
}

/// What a function makes of argument types.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Types that the arguments are converted to, as many as arguments were given.
    pub params: Vec<SqlType>,
    /// Type of the result.
    pub result: SqlType,
    /// Whether NULL may come although no argument is NULL; a nullable argument makes the result nullable anyway.
    pub nullable: bool,
}

/// A scalar function.
pub struct FunctionDef {
    /// Upper-case name; `@@ROWCOUNT` and the like are functions without arguments.
    pub name: &'static str,
    /// Least number of arguments.
    pub min_args: usize,
    /// Most arguments.
    pub max_args: usize,
    /// The first argument is a date part: the binder hands it as `Value::Int` of `DatePart as i32`.
    pub date_part_first: bool,
    /// Volatility.
    pub volatility: Volatility,
    /// Types; `None` in the slice is an untyped NULL literal.
    pub bind: fn(&[Option<SqlType>]) -> SqlResult<Signature>,
    /// Value. Arguments have the types of [`Signature::params`]; `result` is [`Signature::result`].
    pub eval: fn(&RunContext, args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>,
}

impl std::fmt::Debug for FunctionDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Makes the rows of a table-valued function from its arguments.
pub type TableRows = fn(&RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>>;

/// A table-valued function.
#[derive(Debug)]
pub struct TableFunctionDef {
    /// Schema: `sys`, or empty for `::fn_…`.
    pub schema: &'static str,
    /// Name.
    pub name: &'static str,
    /// Parameter types; all are required, DEFAULT is NULL.
    pub params: &'static [SqlType],
    /// How many may be left out at the end.
    pub optional: usize,
    /// Columns.
    pub columns: &'static [SystemColumn],
    /// Rows.
    pub rows: TableRows,
}
