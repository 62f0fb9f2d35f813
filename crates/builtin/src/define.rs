//! How functions are written down: one line each in the tables of their families.

use millpond_catalog::function_def::Eval;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value, Watch};

use super::{FunctionDef, LOOKED_AT_MAX, Look, Placed, Signature, Volatility};

/// How a function's argument types become its signature.
pub(super) type Bind = fn(&[Option<SqlType>]) -> SqlResult<Signature>;
/// A function of its arguments alone.
pub(super) const fn pure(name: &'static str, args: (usize, usize), bind: Bind, eval: Eval) -> FunctionDef {
    define(name, args, Volatility::Pure, bind, eval)
}

/// A function whose value is fixed during a statement.
pub(super) const fn fixed(name: &'static str, args: (usize, usize), bind: Bind, eval: Eval) -> FunctionDef {
    define(name, args, Volatility::Statement, bind, eval)
}

/// A function with a new value for every row.
pub(super) const fn per_row(name: &'static str, args: (usize, usize), bind: Bind, eval: Eval) -> FunctionDef {
    define(name, args, Volatility::Row, bind, eval)
}

/// A function whose first argument is a date part.
pub(super) const fn of_date_part(def: FunctionDef) -> FunctionDef {
    FunctionDef { date_part_first: true, ..def }
}

/// A function that compares texts, by the collation that its arguments have.
pub(super) const fn comparing(def: FunctionDef) -> FunctionDef {
    FunctionDef { compares: true, ..def }
}

/// Adds how a function computes that leaves its arguments where they are.
pub(super) const fn looking(look: Look, def: FunctionDef) -> FunctionDef {
    FunctionDef { look: Some(look), ..def }
}

/// Adds how a function computes whose argument `at` is a text of which the places are known.
pub(super) const fn placing(at: usize, placed: Placed, def: FunctionDef) -> FunctionDef {
    FunctionDef { placed: Some((at, placed)), ..def }
}

/// NULL when an argument is, else what `look` makes of them.
pub(super) fn strictly(
    look: Look,
    watch: Watch<'_>,
    args: &[&Value],
    params: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    if args.iter().any(|arg| arg.is_null()) { Ok(Value::Null) } else { look(watch, args, params, result) }
}

/// The same of arguments side by side.
pub(super) fn strictly_of(
    look: Look,
    watch: Watch<'_>,
    args: &[Value],
    params: &[SqlType],
    result: &SqlType,
) -> SqlResult<Value> {
    let mut looked_at = [&Value::Null; LOOKED_AT_MAX];
    looked_at.iter_mut().zip(args).for_each(|(place, arg)| *place = arg);
    strictly(look, watch, &looked_at[..args.len()], params, result)
}

/// A pure function of a text that it only looks at, NULL when an argument is: `f(watch, args, params, result)`.
macro_rules! look_at {
    ($name:expr, $args:expr, $bind:expr, $function:expr) => {
        crate::define::looking(
            |watch, args, params, result| crate::define::strictly($function, watch, args, params, result),
            crate::define::pure($name, $args, $bind, |ctx, args, params, result| {
                crate::define::strictly_of($function, ctx.watch(), args, params, result)
            }),
        )
    };
}
pub(super) use look_at;

/// The same of a function that counts in the text that is its argument `at`: `f(watch, places, args, params, result)`, where
/// the text's places are known or not.
macro_rules! look_along {
    ($name:expr, $args:expr, $bind:expr, $at:expr, $function:expr) => {
        crate::define::placing(
            $at,
            |watch, places, args, params, result| {
                if args.iter().any(|arg| arg.is_null()) {
                    return Ok(millpond_types::Value::Null);
                }
                $function(watch, Some(places), args, params, result)
            },
            crate::define::look_at!($name, $args, $bind, |watch, args, params, result| $function(
                watch, None, args, params, result
            )),
        )
    };
}
pub(super) use look_along;

const fn define(
    name: &'static str,
    (min_args, max_args): (usize, usize),
    volatility: Volatility,
    bind: Bind,
    eval: Eval,
) -> FunctionDef {
    FunctionDef {
        name,
        min_args,
        max_args,
        date_part_first: false,
        compares: false,
        volatility,
        bind,
        look: None,
        placed: None,
        eval,
    }
}

/// An `eval` over argument values alone, NULL when one of them is: `f(args, params, result)`.
macro_rules! strict_eval {
    ($function:expr) => {
        |_, args, params, result| {
            if crate::args::any_null(args) {
                return Ok(millpond_types::Value::Null);
            }
            let function: fn(
                &[millpond_types::Value],
                &[millpond_types::SqlType],
                &millpond_types::SqlType,
            ) -> millpond_message::error::SqlResult<millpond_types::Value> = $function;
            function(args, params, result)
        }
    };
}
pub(super) use strict_eval;

/// An `eval` over argument values that may be long, NULL when one of them is: `f(watch, args, params, result)`.
macro_rules! watched_eval {
    ($function:expr) => {
        |ctx, args, params, result| {
            if crate::args::any_null(args) {
                return Ok(millpond_types::Value::Null);
            }
            let function: fn(
                millpond_types::Watch<'_>,
                &[millpond_types::Value],
                &[millpond_types::SqlType],
                &millpond_types::SqlType,
            ) -> millpond_message::error::SqlResult<millpond_types::Value> = $function;
            function(ctx.watch(), args, params, result)
        }
    };
}
pub(super) use watched_eval;

/// An `eval` that needs the context, NULL when an argument is: `f(ctx, args)`.
macro_rules! strict_eval_in {
    ($function:expr) => {
        |ctx, args, _, _| {
            if crate::args::any_null(args) {
                return Ok(millpond_types::Value::Null);
            }
            let function: fn(
                &dyn millpond_catalog::run::Run,
                &[millpond_types::Value],
            ) -> millpond_message::error::SqlResult<millpond_types::Value> = $function;
            function(ctx, args)
        }
    };
}
pub(super) use strict_eval_in;
