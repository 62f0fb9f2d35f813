//! Calls of the functions that make JSON. Only the binder knows which of their arguments are texts of JSON; it passes that to the
//! function in an additional argument.

use millpond_builtin as builtin;
use millpond_builtin::json::functions::{KINDS, TEXT_MAX};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::unknown_function;
use millpond_tsql::ast::{Expr, ExprKind, FunctionCall};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::expression::builtin as call_of;

/// What functions give that make JSON of values.
pub(crate) const MADE: ExprType = ExprType { is_json: true, ..ExprType::plain(TEXT_MAX, true) };

/// `JSON_OBJECT (name : value, …)`, `JSON_ARRAY (value, …)`. Without a clause names keep NULLs and elements lose them.
pub(crate) fn built(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let name = call.name.last();
    let def = builtin::find(name).ok_or_else(|| unknown_function(name))?;
    let clauses = call.json.as_deref().cloned().unwrap_or_default();
    let args = call.args.iter().map(|arg| binder.expression(arg)).collect::<SqlResult<Vec<BoundExpr>>>()?;
    let values = args.iter().skip(usize::from(clauses.has_names)).step_by(1 + usize::from(clauses.has_names));
    let keeps_null = clauses.keeps_null.unwrap_or(clauses.has_names);
    let flags = flags(keeps_null, values);
    let args = std::iter::once(flags).chain(args).collect();
    Ok(BoundExpr { kind: Kind::Function(def, args), ty: ExprType { nullable: false, ..MADE } })
}

/// Whether a function of an upper-case name is an aggregate that makes JSON.
pub(crate) fn is_aggregate(name: &str) -> bool {
    matches!(name, "JSON_ARRAYAGG" | "JSON_OBJECTAGG")
}

/// The flags that are passed to a function: whether NULLs are kept, and which of its values are texts of JSON.
pub(crate) fn flags<'e>(keeps_null: bool, values: impl Iterator<Item = &'e BoundExpr>) -> BoundExpr {
    let first = if keeps_null { 'N' } else { 'A' };
    let flags: String = std::iter::once(first).chain(values.map(json_flag)).collect();
    let length = u16::try_from(flags.len()).unwrap_or(u16::MAX);
    BoundExpr::literal(Value::str(&flags), SqlType::varchar(length))
}

/// How a value is written.
fn json_flag(value: &BoundExpr) -> char {
    if value.ty.is_json { 'j' } else { 't' }
}

/// `JSON_MODIFY (text, path, value)`
pub(crate) fn modify(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let def = builtin::find("JSON_MODIFY").ok_or_else(|| unknown_function("JSON_MODIFY"))?;
    if call.args.len() != 3 {
        return Err(millpond_message::argument_count("json_modify", 3));
    }
    let mut bound = call_of(binder, def, call)?;
    if let Kind::Function(_, args) = &mut bound.kind {
        let is_json = args.get(2).is_some_and(|value| value.ty.is_json);
        args.push(BoundExpr::literal(Value::Bit(is_json), SqlType::Bit));
    }
    bound.ty.is_json = true;
    Ok(bound)
}

/// `JSON_QUERY (text [, path])`
pub(crate) fn query(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let def = builtin::find("JSON_QUERY").ok_or_else(|| unknown_function("JSON_QUERY"))?;
    let mut bound = call_of(binder, def, call)?;
    bound.ty.is_json = true;
    Ok(bound)
}

/// `ISJSON (text, VALUE | ARRAY | OBJECT | SCALAR)`
pub(crate) fn is_json(binder: &mut Binder<'_>, call: &FunctionCall) -> SqlResult<BoundExpr> {
    let def = builtin::find("ISJSON").ok_or_else(|| unknown_function("ISJSON"))?;
    let [document, kind] = &call.args[..] else {
        return Err(SqlError::of(189, 1, &[&"isjson", &1, &2]));
    };
    let word = match &kind.kind {
        ExprKind::Column(name) if name.parts.len() == 1 => name.last(),
        _ => return Err(SqlError::of(1023, 1, &[&2, &"isjson"])),
    };
    let known = KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
    let (_, number) = known.ok_or_else(|| SqlError::of(155, 1, &[&word, &"isjson"]))?;
    let literal = millpond_tsql::ast::Literal::Integer(number.to_string());
    let kind = Expr { kind: ExprKind::Literal(literal), line: kind.line };
    call_of(binder, def, &FunctionCall { args: vec![document.clone(), kind], ..call.clone() })
}
