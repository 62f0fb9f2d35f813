//! Literals and variables.

use millpond_builtin as builtin;
use millpond_builtin::nullability::{Nullability, nullability};
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, ExprKind, FunctionCall, Literal, ObjectName, OdbcDateTime};
use millpond_types::arith::ArithOp;
use millpond_types::decimal::Decimal;
use millpond_types::{CastRules, CodePage, MaxLen, SqlType, Value, cast, text};

use crate::binder::Binder;
use crate::expression::operator::{arithmetic, cast_to};

pub(crate) fn variable(binder: &Binder<'_>, name: &str) -> SqlResult<BoundExpr> {
    // Variables may have such names too, but those of functions.
    if name.starts_with("@@")
        && let Some(def) = builtin::find(name)
    {
        let signature = (def.bind)(&[])?;
        let nullable = nullability(def, signature.nullable) == Nullability::Always;
        let ty = ExprType::plain(signature.result, nullable);
        return Ok(BoundExpr { kind: Kind::Function(def, Vec::new()), ty });
    }
    let (slot, sql) = binder.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
    Ok(BoundExpr { kind: Kind::Variable(slot), ty: ExprType::plain(sql, true) })
}

/// An ODBC literal; a time is of the day on which the statement runs.
pub(crate) fn odbc_datetime(
    binder: &mut Binder<'_>,
    kind: OdbcDateTime,
    text: &str,
    line: u32,
) -> SqlResult<BoundExpr> {
    let known = datetime_literal(text)?;
    if kind != OdbcDateTime::Time {
        return Ok(known);
    }
    let call = FunctionCall {
        name: ObjectName { parts: vec!["getdate".to_owned()] },
        args: Vec::new(),
        star: false,
        distinct: false,
        over: None,
        within_group: Vec::new(),
        ignore_nulls: false,
        json: None,
    };
    let now = binder.expression(&Expr { kind: ExprKind::Function(Box::new(call)), line })?;
    let today = cast_to(cast_to(now, SqlType::Date, None, false), SqlType::DateTime, None, false);
    arithmetic(ArithOp::Add, today, known)
}

/// The `datetime` of an ODBC literal's text; year, month and day come in that order whatever the session's settings say.
fn datetime_literal(text: &str) -> SqlResult<BoundExpr> {
    let (value, source) = (Value::str(text), national_type(text));
    let value = cast::cast(&value, &source, &SqlType::DateTime, None, CastRules::DEFAULT)
        .map_err(|_| SqlError::of(241, 1, &[]))?;
    Ok(BoundExpr::literal(value, SqlType::DateTime))
}

/// A literal with its type: digits are `int` or `numeric`, a point makes `numeric`, an exponent `float`. `page` is the code
/// page of the database, which texts without N are in.
pub(crate) fn bind(literal: &Literal, page: CodePage) -> SqlResult<BoundExpr> {
    Ok(match literal {
        Literal::Null => BoundExpr::literal(Value::Null, SqlType::Int),
        Literal::Integer(digits) => match digits.parse::<i32>() {
            Ok(value) if digits.len() <= INT_CHARACTERS_MAX => BoundExpr::literal(Value::Int(value), SqlType::Int),
            _ => decimal(digits)?,
        },
        Literal::Decimal(text) => decimal(text)?,
        Literal::Float(text) => {
            let value: f64 = text.parse().map_err(|_| message::syntax_near(text))?;
            if !value.is_finite() {
                return Err(SqlError::of(168, 1, &[&text]));
            }
            BoundExpr::literal(Value::Float(value), SqlType::Float)
        }
        Literal::Money(digits) => {
            let value = Value::str(digits);
            let source = string_type(digits, CodePage::default());
            let value =
                cast::cast(&value, &source, &SqlType::Money, None, CastRules::DEFAULT).map_err(message::of_eval)?;
            BoundExpr::literal(value, SqlType::Money)
        }
        Literal::String(value) => {
            let value = text::to_page(value, page);
            let sql = string_type(&value, page);
            BoundExpr::literal(Value::str(&value), sql)
        }
        Literal::NationalString(value) => BoundExpr::literal(Value::str(value), national_type(value)),
        Literal::OdbcDateTime(_, text) => datetime_literal(text)?,
        Literal::Binary(bytes) => {
            let len = limited(bytes.len(), 8000);
            BoundExpr::literal(Value::binary(bytes), SqlType::VarBinary { len })
        }
    })
}

/// A number that is written longer, with zeros in front, is a `numeric` of its digits.
pub(super) const INT_CHARACTERS_MAX: usize = 11;

fn decimal(text: &str) -> SqlResult<BoundExpr> {
    let value = Decimal::parse(text).map_err(|_| SqlError::of(1007, 1, &[&text]))?;
    let scale = value.scale;
    let precision = value.digits().max(scale).max(1);
    Ok(BoundExpr::literal(Value::Decimal(value), SqlType::numeric(precision, scale)))
}

/// The `varchar` of a text in a code page, which counts bytes.
fn string_type(value: &str, page: CodePage) -> SqlType {
    SqlType::varchar_of(limited(text::page_len(value, page), 8000)).in_page(page)
}

/// The `nvarchar` of a text, which counts UTF-16 units.
fn national_type(value: &str) -> SqlType {
    SqlType::NVarChar { len: limited(text::utf16_len(value), 4000) }
}

fn limited(units: usize, most: u16) -> MaxLen {
    match u16::try_from(units.max(1)) {
        Ok(units) if units <= most => MaxLen::Limited(units),
        _ => MaxLen::Max,
    }
}
