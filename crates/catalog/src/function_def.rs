//! What a function of the server is to its callers: names, types, volatility, and how it computes. The functions
//! themselves are `builtin`'s.

use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value, Watch};

use crate::SystemColumn;
use crate::run::{Places, Run};

/// Most arguments of a function that looks.
pub const LOOKED_AT_MAX: usize = 4;

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

/// How a function computes: its arguments, their types, the type of the result.
pub type Eval = fn(&dyn Run, args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>;

/// How a function computes that leaves its arguments where they are.
pub type Look = fn(Watch<'_>, args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>;

/// The same where the places of a text among the arguments are known.
pub type Placed =
    fn(Watch<'_>, places: &Places, args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>;

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
    /// It compares texts: `builtin::add_collation`.
    pub compares: bool,
    /// Volatility.
    pub volatility: Volatility,
    /// Types; `None` in the slice is an untyped NULL literal.
    pub bind: fn(&[Option<SqlType>]) -> SqlResult<Signature>,
    /// The value of a function that only looks at a text, which may be a long one: the same as `eval` gives, of arguments that
    /// stay where they are.
    pub look: Option<Look>,
    /// The same for a text that is a variable's and long: which argument it is.
    pub placed: Option<(usize, Placed)>,
    /// Value. Arguments have the types of [`Signature::params`]; `result` is [`Signature::result`].
    pub eval: Eval,
}

impl FunctionDef {
    /// Whether it is that one function.
    #[must_use]
    pub fn is(&self, other: &FunctionDef) -> bool {
        std::ptr::eq(self, other)
    }
}

impl std::fmt::Debug for FunctionDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Makes the rows of a table-valued function from its arguments.
pub type TableRows = fn(&dyn Run, args: &[Value]) -> SqlResult<Vec<Vec<Value>>>;

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
