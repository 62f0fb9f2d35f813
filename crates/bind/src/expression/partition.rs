//! `$PARTITION.function (value)`: the number of the partition that a value belongs to.

use millpond_builtin as builtin;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::FunctionCall;
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::expression::operator::convert;

/// Such a call; none when its name is another.
///
/// # Errors
/// 208 for a function that is not there, 174 for more or fewer values than one; what the value's conversion gives.
pub(crate) fn partition(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<Option<BoundExpr>> {
    let (database, name) = match &call.name.parts[..] {
        [word, name] if is_word(word) => (None, name),
        [database, word, name] if is_word(word) => (Some(database.as_str()), name),
        _ => return Ok(None),
    };
    let found = binder.names.partition_function(database, name, binder.home)?;
    let function = found.ok_or_else(|| message::invalid_object(name))?;
    let [value] = &call.args[..] else { return Err(SqlError::of(174, 1, &[&function.name, &1])) };
    let value = convert(binder.expression(value)?, function.sql)?;
    let constant = Value::binary(&function.constant());
    let constant = BoundExpr::literal(constant, SqlType::VarBinary { len: millpond_types::MaxLen::Max });
    let ty = ExprType::plain(SqlType::Int, false);
    Ok(Some(BoundExpr { kind: Kind::Function(&builtin::PARTITION, vec![constant, value]), ty }))
}

fn is_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("$PARTITION")
}
