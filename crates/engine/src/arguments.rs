//! Arguments of a call against the parameters of what it calls.

use crate::system_call::SentTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, DefinitionVerb, Module};
use millpond_types::{CastRules, SqlType, Value, cast};

/// A value as a parameter takes it.
///
/// # Errors
/// 206 for a type that never converts, 8114 for a value that does not.
pub fn convert_argument(value: &Value, from: &SqlType, to: &SqlType, rules: CastRules) -> SqlResult<Value> {
    if !value.is_null() && !millpond_types::coerce::explicit_allowed(from, to) {
        let (from, to) = (from.message_name(), to.message_name());
        return Err(SqlError::of(206, 2, &[&from, &to]));
    }
    cast::cast(value, from, to, None, rules).map_err(|cause| match *cause {
        millpond_types::EvalError::Truncation { .. } => message::of_eval(cause),
        _ => SqlError::of(8114, 5, &[&from.message_name(), &to.message_name()]),
    })
}

/// 8143
pub fn repeated_argument(parameter: &str) -> SqlError {
    SqlError::of(8143, 1, &[&parameter])
}

/// 8144
pub fn extra_argument(procedure: &str) -> SqlError {
    SqlError::of(8144, 2, &[&procedure])
}

/// 8145
pub fn foreign_argument(name: &str, procedure: &str) -> SqlError {
    SqlError::of(8145, 2, &[&name, &procedure])
}

/// A parameter of a call.
#[derive(Clone, Debug)]
pub struct RpcParam {
    /// `@name`, or empty for one by position.
    pub name: String,
    /// Its type on the wire.
    pub sql_type: SqlType,
    /// Value; `None` = DEFAULT.
    pub value: Option<Value>,
    /// By reference: the caller wants it back.
    pub output: bool,
    /// The rows of a table-valued parameter.
    pub table: Option<SentTable>,
}

/// `name;1` is the procedure itself; there are no groups of procedures under one name.
///
/// # Errors
/// That other numbers are missing.
pub fn check_procedure_number(number: Option<u32>) -> SqlResult<()> {
    match number {
        None | Some(1) => Ok(()),
        Some(_) => Err(message::missing("A numbered procedure (name;number) other than number 1")),
    }
}

/// 180 for a procedure or function with more parameters than a call has arguments.
pub fn check_parameter_count(module: &Module) -> SqlResult<()> {
    let (parameters, what) = match &module.kind {
        ast::ModuleKind::Procedure { parameters, .. } => (parameters, "PROCEDURE"),
        ast::ModuleKind::Function { parameters, .. } => (parameters, "FUNCTION"),
        ast::ModuleKind::View(_) | ast::ModuleKind::Trigger { .. } => return Ok(()),
    };
    let verb = if module.verb == DefinitionVerb::Alter { "ALTER" } else { "CREATE" };
    match parameters.len() > usize::from(ARGUMENTS_MAX) {
        true => Err(too_many_parameters(&format!("{verb} {what}"))),
        false => Ok(()),
    }
}

/// Most arguments of a call.
pub const ARGUMENTS_MAX: u16 = 2100;

/// 180
pub fn too_many_parameters(statement: &str) -> SqlError {
    SqlError::of(180, 1, &[&statement, &ARGUMENTS_MAX])
}
