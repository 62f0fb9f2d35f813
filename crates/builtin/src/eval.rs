//! Evaluation of typed expressions over one row, for direct statements and for whatever a plan cannot say itself.
//!
//! Predicates give 1, 0 or NULL. Evaluation is left to right and stops as soon as the result is known, so a branch of
//! CASE that is not taken cannot fail. Subqueries are not evaluated here: [`needs_plan`] says which expressions have one.

use std::cmp::Ordering;

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::run::Run;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::arith;
use millpond_types::collation::{Collation, LikePattern};
use millpond_types::{SqlType, Value, Watch, cast, compare};

use crate::long_cast;
use crate::{FunctionDef, LOOKED_AT_MAX, Look};

/// The rows that an expression sees: its own input row and those of the enclosing queries, the nearest first.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Input row.
    pub row: &'a [Value],
    /// Rows of the enclosing queries.
    pub outer: &'a [&'a [Value]],
}

impl<'a> Rows<'a> {
    /// No row at all.
    pub const NONE: Rows<'static> = Rows { row: &[], outer: &[] };

    /// A row without enclosing queries.
    #[must_use]
    pub fn of(row: &'a [Value]) -> Rows<'a> {
        Rows { row, outer: &[] }
    }
}

/// The value of `expr`.
///
/// # Errors
/// The SQL error of the first operation that fails.
pub fn eval(expr: &BoundExpr, ctx: &dyn Run, rows: Rows<'_>) -> SqlResult<Value> {
    match &expr.kind {
        Kind::Literal(value) => Ok(value.clone()),
        Kind::Variable(slot) => Ok(ctx.variables()[*slot].clone()),
        Kind::Column(index) => Ok(rows.row[*index].clone()),
        Kind::Outer { level, column } => Ok(rows.outer[level - 1][*column].clone()),
        Kind::Arith(op, left, right) => {
            let (mut of_left, mut of_right) = (Value::Null, Value::Null);
            let left = operand(left, ctx, rows, &mut of_left)?;
            let right = operand(right, ctx, rows, &mut of_right)?;
            // Values of other types are never long.
            if expr.ty.sql.is_max() {
                ctx.watch().check()?;
                check_joined(ctx, left, right)?;
                let made = arith::arithmetic(*op, left, right, &expr.ty.sql);
                return ctx.hold(made.or_else(|error| null_or(ctx, message::of_eval(error))));
            }
            arith::arithmetic(*op, left, right, &expr.ty.sql).or_else(|error| null_or(ctx, message::of_eval(error)))
        }
        Kind::Negate(operand) => {
            let value = eval(operand, ctx, rows)?;
            arith::negate(&value, &expr.ty.sql).or_else(|error| null_or(ctx, message::of_eval(error)))
        }
        Kind::BitNot(operand) => arith::bit_not(&eval(operand, ctx, rows)?, &expr.ty.sql).map_err(message::of_eval),
        Kind::Case { branches, otherwise } => {
            for (condition, result) in branches {
                if is_true(condition, ctx, rows)? {
                    return eval(result, ctx, rows);
                }
            }
            otherwise.as_ref().map_or(Ok(Value::Null), |result| eval(result, ctx, rows))
        }
        Kind::Cast { expr: operand, style, try_ } => {
            let value = eval(operand, ctx, rows)?;
            let (from, to) = (&operand.ty.sql, &expr.ty.sql);
            // Values of other types are never long.
            let may_be_long = from.is_max() || to.is_max();
            let cast = match may_be_long {
                _ if *to == SqlType::Variant => cast::variant(&value, from, operand.ty.collation).map_err(Box::new),
                true => long_cast::cast(&value, from, to, *style, ctx)?,
                false => cast::cast(&value, from, to, *style, ctx.cast_rules()),
            };
            match cast {
                Ok(cast) if !rounds_away(ctx, &value, &cast) => {
                    if may_be_long {
                        ctx.charge(&cast)?;
                    }
                    Ok(cast)
                }
                Ok(_) => null_or(ctx, rounded(&operand.ty.sql, &expr.ty.sql)),
                Err(_) if *try_ => Ok(Value::Null),
                Err(error) => null_or(ctx, message::of_eval(error)),
            }
        }
        Kind::Function(def, args) => {
            let value = call(def, args, &expr.ty.sql, ctx, rows);
            // Values of other types are never long.
            if expr.ty.sql.is_max() { ctx.hold(value) } else { value }
        }
        Kind::Call(function, args) => {
            let args = args.iter().map(|arg| eval(arg, ctx, rows)).collect::<SqlResult<Vec<Value>>>()?;
            function.body.call(ctx, args)
        }
        Kind::NextValue(sequence) => ctx.next_number(sequence),
        Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..) => Err(SqlError::of(8624, 1, &[])),
        _ => Ok(truth(expr, ctx, rows)?.map_or(Value::Null, Value::Bit)),
    }
}

/// Sees a cancellation where an operator has a text or bytes before it: many operators over long values are long together.
///
/// # Errors
/// The cancellation.
#[inline]
fn check_if_long(ctx: &dyn Run, value: &Value) -> SqlResult<()> {
    match value {
        Value::Str(_) | Value::Binary(_) => Ok(ctx.watch().check()?),
        _ => Ok(()),
    }
}

/// Checks before two texts or binaries are joined whether the memory limit allows the result.
///
/// # Errors
/// 701
#[inline]
pub fn check_joined(ctx: &dyn Run, left: &Value, right: &Value) -> SqlResult<()> {
    if !left.is_long() && !right.is_long() {
        return Ok(());
    }
    let len = |value: &Value| value.as_str().map(str::len).or(value.as_bytes().map(<[u8]>::len)).unwrap_or(0);
    ctx.check_room(len(left) + len(right))
}

#[inline]
fn call(
    def: &'static FunctionDef,
    args: &[BoundExpr],
    result: &SqlType,
    ctx: &dyn Run,
    rows: Rows<'_>,
) -> SqlResult<Value> {
    if let Some(look) = def.look {
        return looked_at(def, look, args, result, ctx, rows).or_else(|error| null_or(ctx, error));
    }
    // Most functions have up to three arguments: no allocation for those.
    let mut values: [Value; 3] = [const { Value::Null }; 3];
    let mut types = [SqlType::Int; 3];
    if args.len() <= values.len() {
        for (i, arg) in args.iter().enumerate() {
            values[i] = eval(arg, ctx, rows)?;
            types[i] = arg.ty.sql;
            check_if_long(ctx, &values[i])?;
        }
        return (def.eval)(ctx, &values[..args.len()], &types[..args.len()], result)
            .or_else(|error| null_or(ctx, error));
    }
    ctx.watch().check()?;
    let values = args.iter().map(|arg| eval(arg, ctx, rows)).collect::<SqlResult<Vec<Value>>>()?;
    let types: Vec<SqlType> = args.iter().map(|arg| arg.ty.sql).collect();
    (def.eval)(ctx, &values, &types, result).or_else(|error| null_or(ctx, error))
}

/// A function that looks at its arguments where they are: those that are kept somewhere are not copied, however long.
fn looked_at(
    def: &'static FunctionDef,
    look: Look,
    args: &[BoundExpr],
    result: &SqlType,
    ctx: &dyn Run,
    rows: Rows<'_>,
) -> SqlResult<Value> {
    // An expression of many calls over long values would go on for long although each of them sees a cancellation.
    ctx.watch().check()?;
    let mut made: [Value; LOOKED_AT_MAX] = [const { Value::Null }; LOOKED_AT_MAX];
    let mut types = [SqlType::Int; LOOKED_AT_MAX];
    for (i, arg) in args.iter().enumerate() {
        types[i] = arg.ty.sql;
        if kept(arg, ctx, rows).is_none() {
            made[i] = eval(arg, ctx, rows)?;
        }
    }
    let mut values = [&Value::Null; LOOKED_AT_MAX];
    for (i, arg) in args.iter().enumerate() {
        values[i] = kept(arg, ctx, rows).unwrap_or(&made[i]);
    }
    let (values, types) = (&values[..args.len()], &types[..args.len()]);
    if let Some((at, placed)) = def.placed
        && let Kind::Variable(slot) = args[at].kind
        && let Some(places) = ctx.variables().places(slot, ctx.watch())?
    {
        return placed(ctx.watch(), places, values, types, result);
    }
    look(ctx.watch(), values, types, result)
}

/// The value of an operand where it is kept, else in `made`: what is only looked at is not copied.
#[inline]
fn operand<'a>(expr: &'a BoundExpr, ctx: &'a dyn Run, rows: Rows<'a>, made: &'a mut Value) -> SqlResult<&'a Value> {
    if let Some(value) = kept(expr, ctx, rows) {
        return Ok(value);
    }
    *made = eval(expr, ctx, rows)?;
    Ok(made)
}

/// The value of an expression that is kept somewhere.
#[inline]
fn kept<'a>(expr: &'a BoundExpr, ctx: &'a dyn Run, rows: Rows<'a>) -> Option<&'a Value> {
    match &expr.kind {
        Kind::Literal(value) => Some(value),
        Kind::Variable(slot) => ctx.variables().get(*slot),
        Kind::Column(index) => rows.row.get(*index),
        _ => None,
    }
}

/// An operation that failed: NULL where the options ask for that.
///
/// # Errors
/// The error itself in all other cases.
#[cold]
pub fn null_or(ctx: &dyn Run, error: SqlError) -> SqlResult<Value> {
    if message::is_arithmetic(error.number) && ctx.facts().settings.gives_null_on_error() {
        ctx.notes().gave_null(error.number);
        return Ok(Value::Null);
    }
    Err(error)
}

/// Whether digits were lost that NUMERIC_ROUNDABORT does not let go.
#[inline]
pub fn rounds_away(ctx: &dyn Run, from: &Value, to: &Value) -> bool {
    let Value::Decimal(to) = to else { return false };
    ctx.facts().settings.numeric_roundabort && from.as_decimal().is_some_and(|from| !to.has_all_of(from))
}

/// 8115 of digits that were lost.
pub fn rounded(from: &SqlType, to: &SqlType) -> SqlError {
    let (from, to) = (from.message_name(), to.message_name());
    SqlError::of(8115, 7, &[&from, &to])
}

/// Whether a predicate is true (neither false nor unknown).
///
/// # Errors
/// As [`eval`].
pub fn is_true(expr: &BoundExpr, ctx: &dyn Run, rows: Rows<'_>) -> SqlResult<bool> {
    Ok(truth(expr, ctx, rows)? == Some(true))
}

/// The truth of a predicate; `None` is unknown.
///
/// # Errors
/// As [`eval`].
pub fn truth(expr: &BoundExpr, ctx: &dyn Run, rows: Rows<'_>) -> SqlResult<Option<bool>> {
    match &expr.kind {
        Kind::And(left, right) => {
            let left = truth(left, ctx, rows)?;
            if left == Some(false) {
                return Ok(Some(false));
            }
            Ok(match truth(right, ctx, rows)? {
                Some(false) => Some(false),
                right => left.and(right),
            })
        }
        Kind::Or(left, right) => {
            let left = truth(left, ctx, rows)?;
            if left == Some(true) {
                return Ok(Some(true));
            }
            Ok(match truth(right, ctx, rows)? {
                Some(true) => Some(true),
                right => left.and(right),
            })
        }
        Kind::Not(operand) => Ok(truth(operand, ctx, rows)?.map(|truth| !truth)),
        Kind::IsNull(operand) => Ok(Some(eval(operand, ctx, rows)?.is_null())),
        Kind::Compare(op, left, right, collation) => {
            let (mut of_left, mut of_right) = (Value::Null, Value::Null);
            let left = operand(left, ctx, rows, &mut of_left)?;
            // Also beside NULL: whether an error is raised is no matter of how the plan evaluates it.
            let right = operand(right, ctx, rows, &mut of_right)?;
            if left.is_null() {
                return Ok(None);
            }
            check_if_long(ctx, left)?;
            Ok(compare_values(*op, left, right, *collation))
        }
        Kind::InList(operand, list, collation) => in_list(operand, list, *collation, ctx, rows),
        Kind::Like { text, pattern, escape, collation } => {
            let unicode = is_unicode_like(text, pattern);
            let text = eval(text, ctx, rows)?;
            let pattern = eval(pattern, ctx, rows)?;
            let escape = escape.as_ref().map(|escape| eval(escape, ctx, rows)).transpose()?;
            like(ctx.watch(), (&text, &pattern), escape.as_ref(), *collation, unicode)
        }
        _ => Ok(match eval(expr, ctx, rows)? {
            Value::Bit(bit) => Some(bit),
            _ => None,
        }),
    }
}

/// Compares two values of one type; `None` when one is NULL.
#[must_use]
pub fn compare_values(op: CompareOp, left: &Value, right: &Value, collation: Collation) -> Option<bool> {
    if left.is_null() || right.is_null() {
        return None;
    }
    let order = match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::BigInt(left), Value::BigInt(right)) => left.cmp(right),
        (Value::DateTime(left), Value::DateTime(right)) => left.cmp(right),
        _ => compare::compare(left, right, collation),
    };
    Some(match op {
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::NotEq => order != Ordering::Equal,
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::LtEq => order != Ordering::Greater,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::GtEq => order != Ordering::Less,
    })
}

fn in_list(
    operand: &BoundExpr,
    list: &[BoundExpr],
    collation: Collation,
    ctx: &dyn Run,
    rows: Rows<'_>,
) -> SqlResult<Option<bool>> {
    let operand = eval(operand, ctx, rows)?;
    let mut unknown = operand.is_null();
    for item in list {
        match compare_values(CompareOp::Eq, &operand, &eval(item, ctx, rows)?, collation) {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { None } else { Some(false) })
}

/// Whether LIKE compares as Unicode, where blanks at the end of the text count: one side of it is.
#[must_use]
pub fn is_unicode_like(text: &BoundExpr, pattern: &BoundExpr) -> bool {
    text.ty.sql.is_unicode() || pattern.ty.sql.is_unicode()
}

/// LIKE over a text and a pattern; `unicode` as [`is_unicode_like`] returns.
///
/// # Errors
/// 506 for an escape of other than one character, and the cancellation.
pub fn like(
    watch: Watch<'_>,
    (text, pattern): (&Value, &Value),
    escape: Option<&Value>,
    collation: Collation,
    unicode: bool,
) -> SqlResult<Option<bool>> {
    let escape = match escape {
        // A NULL is no escape, as SQL Server answers.
        None | Some(Value::Null) => None,
        Some(Value::Str(escape)) if escape.chars().count() == 1 => escape.chars().next(),
        Some(other) => {
            let written = other.as_str().unwrap_or_default();
            return Err(SqlError::of(506, 1, &[&written]));
        }
    };
    Ok(match (text, pattern) {
        (Value::Str(text), Value::Str(pattern)) => {
            let pattern = LikePattern::new(pattern, escape, collation);
            Some(pattern.matches_while(text, unicode, watch)?)
        }
        _ => None,
    })
}

/// Whether `expr` contains a subquery, so that only a plan can compute it.
#[must_use]
pub fn needs_plan(expr: &BoundExpr) -> bool {
    let mut found = false;
    expr.visit(&mut |expr| found |= matches!(expr.kind, Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..)));
    found
}
