//! Calls that the binder makes where an operand may have another value each time it is evaluated.
//!
//! They are in no family: no text names them.

use millpond_types::{SqlType, Value};

use super::args::{int, strict};
use super::define::{fixed, pure};
use super::{FunctionDef, math};

/// RAND where its value does not depend on the row: the first argument is the number of the call's place in the text,
/// which has one value in each run of its statement ([`crate::context::RunContext::once`]).
pub(crate) static RAND_ONCE: FunctionDef = fixed(
    "RAND",
    (1, 2),
    |types| strict(types.iter().map(|ty| ty.unwrap_or(SqlType::Int)).collect(), SqlType::Float),
    |ctx, args, _, _| {
        let place = int(&args[0]).cast_unsigned();
        Ok(ctx.once(place, || math::rand(ctx, &args[1..])))
    },
);

/// ISNULL of a value that may be another when it is asked for again: both arguments are evaluated once.
pub(crate) static FIRST_KNOWN: FunctionDef = pure(
    "ISNULL",
    (2, 2),
    |types| {
        let sql = types[0].or(types[1]).unwrap_or(SqlType::Int);
        strict(vec![sql; types.len()], sql)
    },
    |_, args, _, _| Ok(args.iter().find(|arg| !arg.is_null()).cloned().unwrap_or(Value::Null)),
);
