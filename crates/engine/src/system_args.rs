//! Arguments of the server's own procedures: each has its parameter, and the parameter's type.

use std::sync::Arc;

use crate::system_call::{CallArg, ProcedureDef, SystemCall, arg_of};
use millpond_catalog::names_equal;
use millpond_message::error::SqlResult;
use millpond_types::{CastRules, SqlType, Value};

use crate::arguments::{convert_argument, extra_argument, foreign_argument, repeated_argument};

/// The arguments of a call with their values in the types of the parameters, in the order in which they were given. What
/// is to be returned keeps its type.
///
/// # Errors
/// 8144 for more arguments than parameters, 8145 for a name that no parameter has, 8143 for two of one parameter, 8114
/// for a value that does not convert.
pub fn settled(
    (procedure, params): (&str, &[(&str, SqlType)]),
    args: Vec<CallArg>,
    rules: CastRules,
) -> SqlResult<Vec<CallArg>> {
    settled_inner((procedure, params), args, rules).map_err(|error| error.of_call(&Arc::from(procedure)))
}

/// The text that is the argument of a call for the parameter at `index`; the arguments are settled.
pub fn text_of(args: &[CallArg], params: &[(&str, SqlType)], index: usize) -> Option<String> {
    arg_of(args, params, index).and_then(Value::as_str).map(str::to_owned)
}

/// The status of a call whose arguments are settled. That one is missing (201) is of the call, not of a line.
///
/// # Errors
/// Those of the procedure.
pub fn ran(def: &ProcedureDef, call: &mut SystemCall<'_>) -> SqlResult<i32> {
    (def.run)(call).map_err(|error| if error.number == 201 { error.of_call(&Arc::from(def.name)) } else { error })
}

fn settled_inner(
    (procedure, params): (&str, &[(&str, SqlType)]),
    mut args: Vec<CallArg>,
    rules: CastRules,
) -> SqlResult<Vec<CallArg>> {
    let is_extended = procedure.starts_with("xp_");
    let mut given = vec![false; params.len()];
    for (position, arg) in args.iter_mut().enumerate() {
        let index = match arg.name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => {
                let named = params.iter().position(|(known, _)| names_equal(known, name));
                // An extended procedure sees its arguments by their places, whatever they are called.
                named.or_else(|| (is_extended && position < params.len()).then_some(position))
            }
            None if position < params.len() => Some(position),
            None => return Err(extra_argument(procedure)),
        };
        let name = || arg.name.clone().unwrap_or_default();
        let index = index.ok_or_else(|| foreign_argument(&name(), procedure))?;
        let (known, sql) = params[index];
        if is_extended && arg.name.is_some() {
            arg.name = Some(known.into());
        }
        if std::mem::replace(&mut given[index], true) {
            return Err(repeated_argument(known));
        }
        // A variant takes every value as it is.
        if let Some(value) = arg.value.as_ref().filter(|_| !arg.output && sql != SqlType::Variant) {
            arg.value = Some(convert_argument(value, &arg.sql, &sql, rules)?);
            arg.sql = sql;
        }
    }
    Ok(args)
}
