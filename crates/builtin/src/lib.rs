//! Scalar and table-valued functions, each defined once over values. `plan` calls the same definitions on arrays.
//!
//! The files are the families. What holds for all: a function sees the types of its arguments, never their
//! expressions, so a result's type cannot depend on a literal, but for scales and lengths (`by_constants`); texts are
//! compared under the default collation unless another one's number stands after the last argument
//! ([`add_collation`]); errors carry SQL Server's number and no line; what only the engine knows comes through
//! [`millpond_catalog::run::metadata::Catalog`]. ISNULL, COALESCE, NULLIF, IIF, CHOOSE, CASE, CAST, CONVERT and the aggregates are the binder's.

mod args;
mod bits;
mod coded;
mod conversion;
mod culture;
mod define;
pub mod determinism;
pub mod eval;
pub mod facts;
pub mod for_xml;
pub mod json;
pub mod long_cast;
pub mod mask;
mod math;
pub mod nesting;
pub mod nullability;
mod once;
mod partition;
pub mod password;
pub mod regexp;
mod registry;
pub mod text;
pub mod time;
pub mod use_hint;
mod written;
pub mod xml;

pub use facts::app_lock::{application, invalid_parameter, mode_of as app_lock_mode, scope_of as app_lock_scope};
pub use facts::property::PRODUCT_VERSION;
pub use millpond_tsql::print::{bracketed, unicode_literal};
pub use once::{CONVERT_STYLED, FIRST_KNOWN, RAND_ONCE, TRY_CONVERT_STYLED};
pub use partition::PARTITION;
pub use text::message_text::{format_message, in_language as message_in_language};
pub use text::naming::{name_parts, object_name};

use millpond_catalog::expr::BoundExpr;
use millpond_message::error::SqlResult;
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value};

pub use conversion::NEWSEQUENTIALID;
pub use culture::parse::{PARSE, TRY_PARSE, is_parsed};
pub use facts::of_msdb::find_of_msdb;
pub use facts::of_sys::find_of_sys;
pub use millpond_catalog::function_def::{FunctionDef, Look, Signature, TableFunctionDef, TableRows, Volatility};
pub(crate) use millpond_catalog::function_def::{LOOKED_AT_MAX, Placed};
pub use registry::{FAMILIES, find, of_collation};
pub use text::write::WRITE;

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
    bind: |_| Err(millpond_message::unknown_function("NOTE_NULL")),
    eval: |ctx, args, _, _| {
        if args[0].is_null() {
            ctx.notes().left_null_out();
        }
        Ok(args[0].clone())
    },
};

/// Appends the number of a collation other than the default one to the arguments of a function that compares texts. It
/// stands after the most arguments that the function takes; a start of CHARINDEX that was left out becomes 1.
pub fn add_collation(def: &FunctionDef, args: &mut Vec<BoundExpr>, collation: Collation) {
    let number = |number: i32| BoundExpr::literal(Value::Int(number), SqlType::Int);
    if !takes_any_count(def) {
        args.resize_with(def.max_args, || number(1));
    }
    args.push(number(collation.number().cast_signed()));
}

/// Whether a function compares as many arguments as there are: the number of the collation comes after those.
fn takes_any_count(def: &FunctionDef) -> bool {
    matches!(def.name, "GREATEST" | "LEAST")
}

/// The type of a call's result where constants among its arguments decide it, else that of its signature.
///
/// # Errors
/// Of a scale that is none.
pub fn by_constants(def: &FunctionDef, args: &[BoundExpr], result: SqlType) -> SqlResult<SqlType> {
    match def.name {
        "TIMEFROMPARTS" | "DATETIME2FROMPARTS" | "DATETIMEOFFSETFROMPARTS" => time::temporal::of_scale(args, result),
        "LEFT" | "RIGHT" => Ok(text::string::cut_to(args, 1, result)),
        "SUBSTRING" => Ok(text::string::cut_to(args, 2, result)),
        "STR" => Ok(text::digits::str_type(args, result)),
        "STUFF" => Ok(text::string::stuffed(args, result)),
        "REPLICATE" => Ok(text::string::replicated(args, result)),
        "SPACE" => Ok(text::string::spaces(args, result)),
        _ => Ok(result),
    }
}
