//! Calls that the binder makes where an operand may have another value each time it is evaluated.
//!
//! They are in no family: no text names them.

use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value, cast};

use super::args::{int, nullable, strict};
use super::define::{fixed, pure};
use super::{FunctionDef, Signature, math};

/// RAND where its value does not depend on the row: the first argument is the number of the call's place in the text,
/// which has one value in each run of its statement ([`Run::once`]).
pub static RAND_ONCE: FunctionDef = fixed(
    "RAND",
    (1, 2),
    |types| strict(types.iter().map(|ty| ty.unwrap_or(SqlType::Int)).collect(), SqlType::Float),
    |ctx, args, _, _| {
        let place = int(&args[0]).cast_unsigned();
        Ok(ctx.once(place, &mut || math::rand(ctx, &args[1..])))
    },
);

/// ISNULL of a value that may be another when it is asked for again: both arguments are evaluated once.
pub static FIRST_KNOWN: FunctionDef = pure(
    "ISNULL",
    (2, 2),
    |types| {
        let sql = types[0].or(types[1]).unwrap_or(SqlType::Int);
        strict(vec![sql; types.len()], sql)
    },
    |_, args, _, _| Ok(args.iter().find(|arg| !arg.is_null()).cloned().unwrap_or(Value::Null)),
);

/// CONVERT whose style is known only when it runs: the value and the style; NULL when one of them is.
pub static CONVERT_STYLED: FunctionDef = fixed("CONVERT", (2, 2), styled_signature, |ctx, args, params, result| {
    converted(ctx, args, params, result).map_err(millpond_message::of_eval)
});

/// TRY_CONVERT, likewise: also NULL when the value does not convert.
pub static TRY_CONVERT_STYLED: FunctionDef =
    fixed("TRY_CONVERT", (2, 2), styled_signature, |ctx, args, params, result| {
        Ok(converted(ctx, args, params, result).unwrap_or(Value::Null))
    });

/// The binder knows the type that the value becomes.
fn styled_signature(types: &[Option<SqlType>]) -> SqlResult<Signature> {
    nullable(vec![types[0].unwrap_or(SqlType::Int), SqlType::Int], types[0].unwrap_or(SqlType::Int))
}

fn converted(
    ctx: &dyn Run,
    args: &[Value],
    params: &[SqlType],
    result: &SqlType,
) -> Result<Value, Box<millpond_types::EvalError>> {
    let Value::Int(style) = args[1] else { return Ok(Value::Null) };
    cast::cast(&args[0], &params[0], result, Some(style), ctx.cast_rules())
}
