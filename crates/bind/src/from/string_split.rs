//! STRING_SPLIT: its columns, and by which collation it finds its separator.

use std::sync::Arc;

use millpond_builtin::text::split::StringSplit;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident};
use millpond_types::{MaxLen, SqlType, Value};

use crate::binder::Binder;
use crate::binder::source::Source;
use crate::expression::collate;
use crate::expression::operator::{convert, is_null_literal};
use crate::from::columns::{renamed, scope_of};
use crate::from::unfold::{apart, unfolded};

/// As messages name it.
const NAME: &str = "string_split";
/// Longest `nvarchar` that is not `(max)`, in units.
const UNITS_MAX: u16 = 4000;

/// `STRING_SPLIT (text, separator [, enable_ordinal])` in FROM.
pub(crate) fn string_split(
    binder: &mut Binder<'_>,
    args: &[Expr],
    alias: &str,
    columns: &[Ident],
) -> SqlResult<Source> {
    match args.len() {
        0 | 1 => return Err(SqlError::of(313, 3, &[&NAME])),
        2 | 3 => {}
        _ => return Err(SqlError::of(8144, 3, &[&NAME])),
    }
    let mut args = apart(binder, args)?;
    for (position, arg) in (1..=2).zip(&args) {
        if is_null_literal(arg) || !arg.ty.sql.is_string() {
            return Err(invalid(arg, position));
        }
    }
    let with_ordinal = args.get(2).map(with_ordinal).transpose()?.unwrap_or(false);
    args.truncate(2);
    let held = collate::compared(&args, NAME)?;
    let is_unicode = args.iter().any(|arg| arg.ty.sql.is_unicode());
    let sql = text_type(args[0].ty.sql, is_unicode);
    let separator = text_type(args[1].ty.sql, is_unicode);
    let args = args.into_iter().zip([sql, separator]).map(|(arg, sql)| convert(arg, sql)).collect::<SqlResult<_>>()?;
    let mut typed = vec![("value".to_owned(), held.by(ExprType::declared(sql, true, held.collation)))];
    if with_ordinal {
        typed.push(("ordinal".to_owned(), ExprType::plain(SqlType::BigInt, false)));
    }
    let (names, types): (Vec<String>, Vec<ExprType>) = typed.into_iter().unzip();
    let names = renamed(names, columns, alias)?;
    let scope = scope_of(alias, names.into_iter().zip(types.iter().copied()));
    let by = Arc::new(StringSplit { collation: held.collation, with_ordinal });
    Ok(Source { rel: unfolded(by, args, types), scope })
}

fn invalid(arg: &BoundExpr, position: usize) -> SqlError {
    let type_name = if is_null_literal(arg) { "NULL" } else { arg.ty.sql.name() };
    SqlError::of(8116, 1, &[&type_name, &position, &NAME])
}

/// The type of pieces: as long as the text, of varying length.
fn text_type(sql: SqlType, is_unicode: bool) -> SqlType {
    let len = match sql {
        SqlType::Char { len, .. } | SqlType::NChar { len } => MaxLen::Limited(len),
        SqlType::VarChar { len, .. } | SqlType::NVarChar { len } => len,
        _ => MaxLen::Max,
    };
    match (is_unicode, len) {
        (true, MaxLen::Limited(units)) if units > UNITS_MAX => SqlType::NVarChar { len: MaxLen::Max },
        (true, len) => SqlType::NVarChar { len },
        (false, len) => SqlType::varchar_of(len).converted_to(sql.page()),
    }
}

/// The third argument: a constant, 0, 1 or NULL.
///
/// # Errors
/// 8116 for another type than `int` and `bit`, 8748 for what is no constant, 4199 for another number.
fn with_ordinal(arg: &BoundExpr) -> SqlResult<bool> {
    if is_null_literal(arg) {
        return Ok(false);
    }
    if !matches!(arg.ty.sql, SqlType::Int | SqlType::Bit) {
        return Err(invalid(arg, 3));
    }
    match &arg.kind {
        Kind::Literal(Value::Null) => Ok(false),
        Kind::Literal(value) => match value.as_i64() {
            Some(number @ (0 | 1)) => Ok(number == 1),
            number => Err(SqlError::of(4199, 1, &[&number.unwrap_or_default(), &3, &NAME])),
        },
        Kind::Cast { expr, .. } if is_null_literal(expr) => Ok(false),
        _ => Err(SqlError::of(8748, 1, &[&NAME])),
    }
}
