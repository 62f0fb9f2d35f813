//! Scalar and table-valued functions, each defined once over values. `analytic` calls the same definitions on arrays.
//!
//! The files are the families. What holds for all: a function sees the types of its arguments, never their
//! expressions, so a result's type cannot depend on a literal, but for scales and lengths (`by_constants`); texts are
//! compared under the default collation unless another one's number stands behind the last argument
//! ([`add_collation`]); errors carry SQL Server's number and no line; what only the engine knows comes through
//! [`facts::Catalog`]. ISNULL, COALESCE, NULLIF, IIF, CHOOSE, CASE, CAST, CONVERT and the aggregates are the binder's.

mod app_lock;
mod args;
mod bits;
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
mod places;
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
pub(crate) mod time_zone;
pub(crate) mod write;

pub(crate) use app_lock::{application, invalid_parameter, mode_of as app_lock_mode, scope_of as app_lock_scope};
pub(crate) use define::LOOKED_AT_MAX;
pub(crate) use message_text::format_message;
pub use naming::object_name;
pub(crate) use once::{CONVERT_STYLED, FIRST_KNOWN, RAND_ONCE, TRY_CONVERT_STYLED};

use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value, Watch};

use crate::catalog::SystemColumn;
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::expr::BoundExpr;

pub(crate) use conversion::NEWSEQUENTIALID;
pub(crate) use places::Places;
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

/// How a function computes that leaves its arguments where they are.
pub type Look = fn(Watch<'_>, args: &[&Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>;

/// The same where the places of a text among the arguments are known.
pub(crate) type Placed =
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
    /// It compares texts: [`add_collation`].
    pub compares: bool,
    /// Volatility.
    pub volatility: Volatility,
    /// Types; `None` in the slice is an untyped NULL literal.
    pub bind: fn(&[Option<SqlType>]) -> SqlResult<Signature>,
    /// The value of a function that only looks at a text, which may be a long one: the same as `eval` gives, of arguments that
    /// stay where they are.
    pub look: Option<Look>,
    /// The same for a text that is a variable's and long: which argument it is.
    pub(crate) placed: Option<(usize, Placed)>,
    /// Value. Arguments have the types of [`Signature::params`]; `result` is [`Signature::result`].
    pub eval: fn(&RunContext, args: &[Value], params: &[SqlType], result: &SqlType) -> SqlResult<Value>,
}

impl FunctionDef {
    /// Whether it is that one function.
    #[must_use]
    pub fn is(&self, other: &FunctionDef) -> bool {
        std::ptr::eq(self, other)
    }
}

/// The value of its argument; a NULL is noted with the statement. The binder puts it around arguments of aggregates, no
/// text can call it.
pub static NOTE_NULL: FunctionDef = FunctionDef {
    name: "NOTE_NULL",
    min_args: 1,
    max_args: 1,
    date_part_first: false,
    compares: false,
    look: None,
    placed: None,
    volatility: Volatility::Statement,
    bind: |_| Err(crate::message::unknown_function("NOTE_NULL")),
    eval: |ctx, args, _, _| {
        if args[0].is_null() {
            ctx.notes.left_null_out();
        }
        Ok(args[0].clone())
    },
};

impl std::fmt::Debug for FunctionDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Appends the number of a collation other than the default one to the arguments of a function that compares texts. It
/// stands behind the most arguments that the function takes; a start of CHARINDEX that was left out becomes 1.
pub fn add_collation(def: &FunctionDef, args: &mut Vec<BoundExpr>, collation: Collation) {
    let number = |number: i32| BoundExpr::literal(Value::Int(number), SqlType::Int);
    args.resize_with(def.max_args, || number(1));
    args.push(number(i32::from(collation as u8)));
}

/// The type of a call's result where constants among its arguments decide it, else that of its signature.
///
/// # Errors
/// Of a scale that is none.
pub(crate) fn by_constants(def: &FunctionDef, args: &[BoundExpr], result: SqlType) -> SqlResult<SqlType> {
    match def.name {
        "TIMEFROMPARTS" | "DATETIME2FROMPARTS" | "DATETIMEOFFSETFROMPARTS" => temporal::of_scale(args, result),
        "LEFT" | "RIGHT" | "SUBSTRING" => Ok(string::cut_to(args, result)),
        "STR" => Ok(digits::str_type(args, result)),
        "STUFF" => Ok(string::stuffed(args, result)),
        _ => Ok(result),
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
