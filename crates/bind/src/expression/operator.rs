//! Conversions and operators: the rules by which two operands meet.

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind, Label};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::BinaryOp;
use millpond_types::arith::{self, ArithOp};
use millpond_types::collation::Collation;
use millpond_types::{CastRules, CodePage, EvalError, SqlType, Value, cast, coerce};

use crate::expression::collate;

/// The type of a parameter whose type is asked for: it becomes whatever is wanted, and no value has it.
pub const ASKED: SqlType = SqlType::NChar { len: 0 };

/// `expr` as a value of `target`: unchanged, folded when it is a literal, else under an explicit cast.
pub(crate) fn convert(expr: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
    if expr.ty.sql == target {
        return Ok(expr);
    }
    if is_null_literal(&expr) {
        return Ok(BoundExpr::literal(Value::Null, target));
    }
    if expr.ty.sql != ASKED && !coerce::implicit_allowed(&expr.ty.sql, &target) {
        return Err(no_implicit(&expr.ty.sql, &target));
    }
    Ok(cast_to(expr, target, None, false))
}

/// 257 for types that only CONVERT turns into each other, 206 for those that nothing does.
pub fn no_implicit(from: &SqlType, to: &SqlType) -> SqlError {
    let (from_name, to_name) = (full_name(from), full_name(to));
    if coerce::explicit_allowed(from, to) {
        return SqlError::of(257, 1, &[&from_name, &to_name]);
    }
    SqlError::of(206, 1, &[&from_name, &to_name])
}

/// A type's name as these errors show it: with `(max)` where it has that.
fn full_name(sql: &SqlType) -> String {
    format!("{}{}", sql.name(), if sql.is_max() { "(max)" } else { "" })
}

/// A cast, folded when the operand is a literal that converts; a NULL keeps its cast, and so its type.
pub(crate) fn cast_to(expr: BoundExpr, target: SqlType, style: Option<i32>, try_: bool) -> BoundExpr {
    let collation = collation_in(expr.ty.collation, &target);
    let label = if expr.ty.sql.is_string() && target.is_string() { expr.ty.label } else { Label::Coercible };
    if let Kind::Literal(known) = &expr.kind
        && !known.is_null()
        && !depends_on_session(&expr.ty.sql, &target)
        && let Ok(value) = match target {
            SqlType::Variant => cast::variant(known, &expr.ty.sql, expr.ty.collation).map_err(Box::new),
            _ => cast::cast(known, &expr.ty.sql, &target, style, CastRules::DEFAULT),
        }
        && !loses_digits(known, &value)
    {
        let mut literal = BoundExpr::literal(value, target);
        literal.ty = ExprType { collation, label, ..literal.ty };
        return literal;
    }
    let ty =
        ExprType { sql: target, nullable: expr.ty.nullable || try_, collation, label, is_json: false, is_node: false };
    BoundExpr { kind: Kind::Cast { expr: Box::new(expr), style, try_ }, ty }
}

/// The collation of a value that becomes one of another type: its own, unless that is of another code page.
fn collation_in(collation: Collation, target: &SqlType) -> Collation {
    match *target {
        SqlType::Char { page, .. } | SqlType::VarChar { page, .. } if page != collation.page() => {
            if page == CodePage::default() { Collation::default() } else { collation.in_page(page) }
        }
        _ => collation,
    }
}

/// A text in the code page of a collation.
///
/// # Errors
/// 459
pub(crate) fn collated(expr: BoundExpr, collation: Collation) -> SqlResult<BoundExpr> {
    check_page(&expr.ty.sql, collation)?;
    let sql = expr.ty.sql.converted_to(collation.page());
    let mut expr = if sql == expr.ty.sql { expr } else { cast_to(expr, sql, None, false) };
    expr.ty = ExprType { collation, label: Label::Explicit, ..expr.ty };
    Ok(expr)
}

/// 459 for a `char` or `varchar` of a collation that has no code page.
pub(crate) fn check_page(sql: &SqlType, collation: Collation) -> SqlResult<()> {
    let is_narrow = matches!(sql, SqlType::Char { .. } | SqlType::VarChar { .. });
    if is_narrow && collation.is_unicode_only() {
        return Err(SqlError::of(459, 1, &[&collation.name()]));
    }
    Ok(())
}

/// Text to date depends on SET DATEFORMAT: not folded into a plan.
fn depends_on_session(from: &SqlType, to: &SqlType) -> bool {
    from.is_string() && to.is_temporal() || from.is_temporal() && to.is_string()
}

/// NUMERIC_ROUNDABORT says at run time whether digits may be lost.
fn loses_digits(from: &Value, to: &Value) -> bool {
    match (from, to) {
        (Value::Decimal(from), Value::Decimal(to)) => !to.has_all_of(*from),
        _ => false,
    }
}

/// NULL of a type that it keeps, as CAST makes it.
pub(crate) fn typed_null(target: SqlType) -> BoundExpr {
    cast_to(BoundExpr::literal(Value::Null, SqlType::Int), target, None, false)
}

/// Parts of an expression that may be written twice, where the trade's definition names its argument twice.
const PARTS_TWICE_MAX: usize = 16;

/// Whether an expression has more parts than may be written twice: one in another, such texts would double at each level.
pub(crate) fn is_large(expr: &BoundExpr) -> bool {
    let mut parts = 0;
    expr.visit(&mut |_| parts += 1);
    parts > PARTS_TWICE_MAX
}

/// Whether an expression has a value wherever it stands: a constant, perhaps a number in another type, or a name.
pub(crate) fn never_fails(expr: &BoundExpr) -> bool {
    match &expr.kind {
        Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_) | Kind::Outer { .. } => true,
        Kind::Cast { expr: of, style: None, .. } => match &of.kind {
            Kind::Literal(value) if of.ty.sql.is_numeric() => {
                cast::cast(value, &of.ty.sql, &expr.ty.sql, None, CastRules::DEFAULT).is_ok()
            }
            _ => false,
        },
        _ => false,
    }
}

/// The untyped NULL: one without a CAST.
pub(crate) fn is_null_literal(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Literal(Value::Null))
}

/// The type that all of `exprs` convert to, as CASE and UNION have it; NULL literals do not vote.
pub(crate) fn common_type<'e>(exprs: impl IntoIterator<Item = &'e BoundExpr>) -> SqlResult<Option<SqlType>> {
    let mut common: Option<SqlType> = None;
    for expr in exprs {
        if is_null_literal(expr) {
            continue;
        }
        common = Some(match common {
            None => expr.ty.sql,
            Some(known) => meet(&known, &expr.ty.sql)?,
        });
    }
    Ok(common)
}

/// The same of values of which some are written: an integer that is, counts its digits alone beside a decimal.
pub(crate) fn common_type_as_written(exprs: &[(&BoundExpr, bool)]) -> SqlResult<Option<SqlType>> {
    let common = common_type(exprs.iter().map(|(expr, _)| *expr))?;
    let Some(SqlType::Decimal { .. }) = common else { return Ok(common) };
    let mut common: Option<SqlType> = None;
    for &(expr, is_written) in exprs.iter().filter(|(expr, _)| !is_null_literal(expr)) {
        let sql = as_written(expr, is_written);
        common = Some(match common {
            None => sql,
            Some(known) => meet(&known, &sql)?,
        });
    }
    Ok(common)
}

/// The type of a value beside a decimal.
pub(crate) fn as_written(expr: &BoundExpr, is_written: bool) -> SqlType {
    match &expr.kind {
        Kind::Literal(Value::Int(value)) if is_written => SqlType::numeric(digits_of(*value), 0),
        _ => expr.ty.sql,
    }
}

/// Digits of a number, at least one.
fn digits_of(value: i32) -> u8 {
    value.unsigned_abs().checked_ilog10().map_or(1, |digits| digits as u8 + 1)
}

/// The type that two types meet in; the one of lower precedence converts.
pub(crate) fn meet(left: &SqlType, right: &SqlType) -> SqlResult<SqlType> {
    if *left == ASKED || *right == ASKED {
        return Ok(if *left == ASKED { *right } else { *left });
    }
    let (low, high) = if left.precedence() <= right.precedence() { (left, right) } else { (right, left) };
    coerce::common_type(left, right).ok_or_else(|| no_implicit(low, high))
}

/// 402 for types that meet in one and yet do not compare.
pub(crate) fn comparable_types(op: CompareOp, left: &BoundExpr, right: &BoundExpr) -> SqlResult<()> {
    let is_legacy = |sql: &SqlType| matches!(sql, SqlType::DateTime | SqlType::SmallDateTime);
    let refuses = |a: &SqlType, b: &SqlType| match a {
        SqlType::Time { .. } => is_legacy(b),
        _ => a.is_binary() && b.is_temporal() && !is_legacy(b),
    };
    let (a, b) = (&left.ty.sql, &right.ty.sql);
    if is_null_literal(left) || is_null_literal(right) || !(refuses(a, b) || refuses(b, a)) {
        return Ok(());
    }
    Err(SqlError::of(402, 1, &[&a.name(), &b.name(), &collate::name_of(op)]))
}

/// A comparison; both sides become one type. Texts need no cast: they compare without their trailing blanks anyway.
pub(crate) fn comparison(op: CompareOp, left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    comparable_types(op, &left, &right)?;
    let (left, right) = same_type(left, right)?;
    let collation = collate::compared([&left, &right], collate::name_of(op))?.collation;
    comparable(&left)?;
    Ok(BoundExpr::predicate(Kind::Compare(op, Box::new(left), Box::new(right), collation)))
}

/// 305 for `xml`, which has no order and no equality; 446 for a text without a collation.
pub(crate) fn comparable(expr: &BoundExpr) -> SqlResult<()> {
    collate::compared([expr], "sort")?;
    if expr.ty.sql.is_comparable() {
        return Ok(());
    }
    Err(SqlError::of(305, 1, &[]))
}

/// Both sides in the type that they meet in.
pub(crate) fn same_type(left: BoundExpr, right: BoundExpr) -> SqlResult<(BoundExpr, BoundExpr)> {
    if is_null_literal(&left) {
        let target = right.ty.sql;
        return Ok((BoundExpr::literal(Value::Null, target), right));
    }
    if is_null_literal(&right) {
        let target = left.ty.sql;
        return Ok((left, BoundExpr::literal(Value::Null, target)));
    }
    if left.ty.sql.is_string() && right.ty.sql.is_string() || left.ty.sql.is_binary() && right.ty.sql.is_binary() {
        return Ok((left, right));
    }
    if left.ty.sql == ASKED || right.ty.sql == ASKED {
        let target = meet(&left.ty.sql, &right.ty.sql)?;
        return Ok((convert(left, target)?, convert(right, target)?));
    }
    let clash = || EvalError::OperandClash { left: left.ty.sql.name(), right: right.ty.sql.name() };
    let target = coerce::common_type(&left.ty.sql, &right.ty.sql).ok_or_else(|| message::of_eval(clash()))?;
    // Dates and times compare by value whatever their scale, and a datetime's value needs all digits.
    let exact = match target {
        SqlType::DateTime2 { .. } => SqlType::DateTime2 { scale: SqlType::FRACTION_DIGITS_DEFAULT },
        SqlType::DateTimeOffset { .. } => SqlType::DateTimeOffset { scale: SqlType::FRACTION_DIGITS_DEFAULT },
        _ => return Ok((convert(left, target)?, convert(right, target)?)),
    };
    match (left.ty.sql, right.ty.sql) {
        (SqlType::DateTime, _) if right.ty.sql.precedence() == target.precedence() => {
            Ok((convert(left, exact)?, right))
        }
        (_, SqlType::DateTime) if left.ty.sql.precedence() == target.precedence() => Ok((left, convert(right, exact)?)),
        _ => Ok((convert(left, target)?, convert(right, target)?)),
    }
}

/// Whether SQL Server says of a result that it may be NULL though no operand is: of numbers, dates and times that are computed, but
/// for bits and for `float` and `real` of operands that are all there in that type. What is joined is as its parts.
fn may_be_null(op: ArithOp, operands: [&BoundExpr; 2], result: &SqlType) -> bool {
    if result.is_string() || result.is_binary() || matches!(op, ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor) {
        return false;
    }
    let is_approximate = matches!(result, SqlType::Float | SqlType::Real);
    !(is_approximate && operands.iter().all(|operand| coerce::keeps_each_value(&operand.ty.sql, result)))
}

/// An arithmetic or bit operator, or `+` of texts.
pub(crate) fn arithmetic(op: ArithOp, left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    if op.is_bitwise() {
        bits_beside_null(op, &left, &right)?;
    }
    let (left, right) = adopt_null(left, right);
    let (left, right) = (beside_decimal(op, left, &right, true)?, right);
    let (right, left) = (beside_decimal(op, right, &left, true)?, left);
    let (left_type, right_type, result) =
        coerce::operand_types(op, &left.ty.sql, &right.ty.sql).map_err(message::of_eval)?;
    let held = collate::joint([&left, &right], "add")?;
    let nullable = may_be_null(op, [&left, &right], &result) || left.ty.nullable || right.ty.nullable;
    let (left, right) = (operand(left, left_type), operand(right, right_type));
    let ty = held.by(ExprType::of(result, nullable, held.collation));
    if let (Kind::Literal(a), Kind::Literal(b)) = (&left.kind, &right.kind)
        && let Ok(value) = arith::arithmetic(op, a, b, &result)
        && !value.is_null()
    {
        return Ok(BoundExpr { kind: Kind::Literal(value), ty });
    }
    Ok(BoundExpr { kind: Kind::Arith(op, Box::new(left), Box::new(right)), ty })
}

/// `left || right`: texts or bytes joined, NULL beside NULL whatever CONCAT_NULL_YIELDS_NULL says.
pub(crate) fn joined(left: BoundExpr, right: BoundExpr) -> SqlResult<BoundExpr> {
    let joins = |expr: &BoundExpr| is_null_literal(expr) || expr.ty.sql.is_string() || expr.ty.sql.is_binary();
    if !(joins(&left) && joins(&right)) {
        let name = |expr: &BoundExpr| if is_null_literal(expr) { "NULL" } else { expr.ty.sql.name() };
        return Err(SqlError::of(402, 1, &[&name(&left), &name(&right), &"concat"]));
    }
    if is_null_literal(&left) && is_null_literal(&right) {
        return Ok(BoundExpr::literal(Value::Null, SqlType::varchar(1)));
    }
    arithmetic(ArithOp::Add, left, right)
}

/// 402 for a NULL without a type beside anything but an integer.
fn bits_beside_null(op: ArithOp, left: &BoundExpr, right: &BoundExpr) -> SqlResult<()> {
    let fits = |expr: &BoundExpr| !is_null_literal(expr) && (expr.ty.sql.is_integer() || expr.ty.sql == SqlType::Bit);
    if !(is_null_literal(left) || is_null_literal(right)) || fits(left) || fits(right) {
        return Ok(());
    }
    let name = |expr: &BoundExpr| if is_null_literal(expr) { "NULL" } else { expr.ty.sql.name() };
    Err(SqlError::of(402, 1, &[&name(left), &name(right), &op.message_name()]))
}

/// `operand_types` allowed the pair: no further question whether the cast may be implicit.
fn operand(expr: BoundExpr, target: SqlType) -> BoundExpr {
    if expr.ty.sql == target || expr.ty.sql.is_string() && target.is_string() {
        return expr;
    }
    if is_null_literal(&expr) { BoundExpr::literal(Value::Null, target) } else { cast_to(expr, target, None, false) }
}

/// An integer constant beside a decimal counts only its digits: `10.0 / 3` divides by a decimal(1, 0). One that was
/// computed, though of constants, is any int: `10.0 / (1 + 2)` divides by a decimal(10, 0).
pub(crate) fn beside_decimal(
    op: ArithOp,
    expr: BoundExpr,
    other: &BoundExpr,
    is_written: bool,
) -> SqlResult<BoundExpr> {
    match (&expr.kind, &other.ty.sql) {
        // Bits are none of a decimal.
        _ if op.is_bitwise() => Ok(expr),
        (Kind::Literal(Value::Int(value)), SqlType::Decimal { name, .. }) => {
            let precision = if is_written { digits_of(*value) } else { 10 };
            convert(expr, SqlType::Decimal { precision, scale: 0, name: *name })
        }
        _ => Ok(expr),
    }
}

fn adopt_null(left: BoundExpr, right: BoundExpr) -> (BoundExpr, BoundExpr) {
    match (is_null_literal(&left), is_null_literal(&right)) {
        (true, false) => (BoundExpr::literal(Value::Null, right.ty.sql), right),
        (false, true) => {
            let target = left.ty.sql;
            (left, BoundExpr::literal(Value::Null, target))
        }
        _ => (left, right),
    }
}

/// The arithmetic operator of an AST operator.
pub(crate) fn arith_op(op: BinaryOp) -> Option<ArithOp> {
    Some(match op {
        BinaryOp::Add => ArithOp::Add,
        BinaryOp::Subtract => ArithOp::Sub,
        BinaryOp::Multiply => ArithOp::Mul,
        BinaryOp::Divide => ArithOp::Div,
        BinaryOp::Modulo => ArithOp::Mod,
        BinaryOp::BitAnd => ArithOp::BitAnd,
        BinaryOp::BitOr => ArithOp::BitOr,
        BinaryOp::BitXor => ArithOp::BitXor,
        _ => return None,
    })
}

/// The comparison of an AST operator.
pub(crate) fn compare_op(op: BinaryOp) -> Option<CompareOp> {
    Some(match op {
        BinaryOp::Eq => CompareOp::Eq,
        BinaryOp::NotEq => CompareOp::NotEq,
        BinaryOp::Lt => CompareOp::Lt,
        BinaryOp::LtEq => CompareOp::LtEq,
        BinaryOp::Gt => CompareOp::Gt,
        BinaryOp::GtEq => CompareOp::GtEq,
        _ => return None,
    })
}
