//! Which conversions exist, and the type of an expression over two types.
//!
//! The rules look at types only; whether a value converts is `cast`'s matter. For operators the binder casts both
//! operands to what [`operand_types`] says, so that `arith` meets only pairs that it knows.

use crate::arith::ArithOp;
use crate::decimal::Shape;
use crate::error::EvalError;
use crate::sql_type::{CodePage, DecimalName, MaxLen, SqlType};
use crate::variant;

/// Types that convert alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    String,
    Binary,
    /// `bit` and the integers.
    Integer,
    /// `decimal` and money.
    Exact,
    Approximate,
    /// `datetime` and `smalldatetime`, which numbers convert to.
    LegacyDate,
    Date,
    Time,
    DateTime2,
    DateTimeOffset,
    Guid,
    RowVersion,
    Xml,
    Variant,
}

impl Family {
    fn of(sql_type: &SqlType) -> Self {
        match sql_type {
            SqlType::Bit | SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => Self::Integer,
            SqlType::Decimal { .. } | SqlType::SmallMoney | SqlType::Money => Self::Exact,
            SqlType::Real | SqlType::Float => Self::Approximate,
            SqlType::Date => Self::Date,
            SqlType::Time { .. } => Self::Time,
            SqlType::SmallDateTime | SqlType::DateTime => Self::LegacyDate,
            SqlType::DateTime2 { .. } => Self::DateTime2,
            SqlType::Char { .. } | SqlType::VarChar { .. } | SqlType::NChar { .. } | SqlType::NVarChar { .. } => {
                Self::String
            }
            SqlType::Binary { .. } | SqlType::VarBinary { .. } => Self::Binary,
            SqlType::UniqueIdentifier => Self::Guid,
            SqlType::DateTimeOffset { .. } => Self::DateTimeOffset,
            SqlType::RowVersion => Self::RowVersion,
            SqlType::Xml => Self::Xml,
            SqlType::Variant => Self::Variant,
        }
    }

    fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Exact | Self::Approximate)
    }

    /// The types that came with SQL Server 2008 and take no arithmetic.
    fn is_new_date(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::DateTime2 | Self::DateTimeOffset)
    }

    fn is_temporal(self) -> bool {
        self.is_new_date() || self == Self::LegacyDate
    }
}

/// How one type becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    Implicit,
    Explicit,
    Forbidden,
}

fn conversion(from: Family, to: Family) -> Conversion {
    use Family::{Approximate, Binary, Date, Guid, Integer, LegacyDate, RowVersion, String, Time, Variant, Xml};
    match (from, to) {
        (from, to) if from == to => Conversion::Implicit,
        // What a variant holds is asked for by name; what it cannot hold `conversion_of` knows.
        (Xml | RowVersion, Variant) | (Variant, Xml | RowVersion) => Conversion::Forbidden,
        (_, Variant) => Conversion::Implicit,
        (Variant, _) => Conversion::Explicit,
        (String | Binary, Xml) => Conversion::Implicit,
        (Xml, String | Binary) => Conversion::Explicit,
        (Xml, _) | (_, Xml) => Conversion::Forbidden,
        (RowVersion, Guid) | (Guid, RowVersion) => Conversion::Forbidden,
        (RowVersion, to) if to.is_new_date() => Conversion::Forbidden,
        (from, RowVersion) if from.is_new_date() => Conversion::Forbidden,
        (RowVersion, Binary) | (Binary, RowVersion) => Conversion::Implicit,
        (RowVersion, Approximate) | (Approximate, RowVersion) => Conversion::Forbidden,
        (RowVersion, _) => Conversion::Implicit,
        (String | LegacyDate, RowVersion) => Conversion::Explicit,
        (_, RowVersion) => Conversion::Implicit,
        (String, Binary) => Conversion::Explicit,
        (String, _) => Conversion::Implicit,
        (Binary, Approximate) => Conversion::Forbidden,
        (Binary, to) if to.is_new_date() => Conversion::Explicit,
        (Binary, _) => Conversion::Implicit,
        (Guid, String | Binary) => Conversion::Implicit,
        (Guid, _) | (_, Guid) => Conversion::Forbidden,
        (from, String) if from.is_numeric() || from.is_temporal() => Conversion::Implicit,
        (from, Binary) if from.is_numeric() => Conversion::Implicit,
        (_, Binary) => Conversion::Explicit,
        (Date, Time) | (Time, Date) => Conversion::Forbidden,
        (from, to) if from.is_numeric() && (to.is_numeric() || to == LegacyDate) => Conversion::Implicit,
        (from, to) if from.is_temporal() && to.is_temporal() => Conversion::Implicit,
        (LegacyDate, Integer | Family::Exact | Approximate) => Conversion::Explicit,
        _ => Conversion::Forbidden,
    }
}

/// [`conversion`] with what depends on more than the families.
fn conversion_of(from: &SqlType, to: &SqlType) -> Conversion {
    match (from, to) {
        (from, SqlType::Variant) if *from != SqlType::Variant && !variant::can_hold(from) => Conversion::Forbidden,
        (SqlType::RowVersion, to) if to.is_unicode() => Conversion::Forbidden,
        _ => conversion(Family::of(from), Family::of(to)),
    }
}

/// Whether a value converts without CAST.
#[must_use]
pub fn implicit_allowed(from: &SqlType, to: &SqlType) -> bool {
    conversion_of(from, to) == Conversion::Implicit
}

/// Whether CAST converts.
#[must_use]
pub fn explicit_allowed(from: &SqlType, to: &SqlType) -> bool {
    conversion_of(from, to) != Conversion::Forbidden
}

/// Whether each value of `from` is the same value in `to`, neither refused nor rounded.
#[must_use]
pub fn keeps_each_value(from: &SqlType, to: &SqlType) -> bool {
    use SqlType as T;
    if from == to || from.is_string() && to.is_string() || from.is_binary() && to.is_binary() {
        return true;
    }
    match (from, to) {
        (_, T::Variant) => true,
        (T::Real, T::Float) => true,
        (from, T::Float | T::Real) => {
            let digits = if *to == T::Float { FLOAT_DIGITS } else { REAL_DIGITS };
            digits_of(from).is_some_and(|(whole, fraction)| fraction == 0 && whole <= digits)
        }
        (T::Date, T::DateTime2 { .. } | T::DateTimeOffset { .. }) => true,
        (T::SmallDateTime, T::DateTime | T::DateTime2 { .. } | T::DateTimeOffset { .. }) => true,
        (T::DateTime2 { scale: from }, T::DateTime2 { scale: to } | T::DateTimeOffset { scale: to })
        | (T::DateTimeOffset { scale: from }, T::DateTimeOffset { scale: to })
        | (T::Time { scale: from }, T::Time { scale: to }) => from <= to,
        _ => match (digits_of(from), digits_of(to)) {
            (Some(from), Some(to)) => from.0 <= to.0 && from.1 <= to.1,
            _ => false,
        },
    }
}

/// Digits of each whole number that a `float` has all of, and a `real`.
const FLOAT_DIGITS: u8 = 15;
const REAL_DIGITS: u8 = 7;

/// Digits before and after the point of the values of an exact type.
fn digits_of(ty: &SqlType) -> Option<(u8, u8)> {
    let Shape { precision, scale } = shape(ty);
    ty.is_exact_numeric().then(|| (precision - scale, scale))
}

/// The type that holds values of both, for CASE, UNION, COALESCE and comparisons.
///
/// `None` when the type of lower precedence does not convert to the other (message 206).
#[must_use]
pub fn common_type(a: &SqlType, b: &SqlType) -> Option<SqlType> {
    if a == b {
        return Some(a.called(decimal_name(a, b)));
    }
    let (high, low) = if a.precedence() >= b.precedence() { (a, b) } else { (b, a) };
    if !implicit_allowed(low, high) {
        return None;
    }
    Some(match *high {
        SqlType::Decimal { .. } if low.is_numeric() => {
            decimal(Shape::of_union(shape(high), shape(low)), decimal_name(a, b))
        }
        SqlType::DateTime2 { scale } => SqlType::DateTime2 { scale: scale.max(fraction_digits(low)) },
        SqlType::DateTimeOffset { scale } => SqlType::DateTimeOffset { scale: scale.max(fraction_digits(low)) },
        SqlType::Time { scale } => SqlType::Time { scale: scale.max(fraction_digits(low)) },
        _ if high.is_string() => joint_string(high, low, longer),
        _ if high.is_binary() => joint_binary(high, low, longer),
        other => other,
    })
}

/// Digits of the second's fraction that a date type needs.
fn fraction_digits(sql_type: &SqlType) -> u8 {
    if sql_type.is_temporal() { sql_type.precision_scale().1 } else { 0 }
}

/// Digits of an exact number as a decimal.
fn shape(sql_type: &SqlType) -> Shape {
    let (precision, scale) = sql_type.precision_scale();
    Shape { precision, scale }
}

fn decimal(shape: Shape, name: DecimalName) -> SqlType {
    SqlType::Decimal { precision: shape.precision, scale: shape.scale, name }
}

/// What a decimal of two operands is called: `numeric` unless one is a `decimal`.
fn decimal_name(a: &SqlType, b: &SqlType) -> DecimalName {
    let name = |sql_type: &SqlType| match sql_type {
        SqlType::Decimal { name, .. } => *name,
        _ => DecimalName::Numeric,
    };
    name(a).of_both(name(b))
}

/// Length of a text or binary type in its own unit; other types have none here.
fn length(sql_type: &SqlType) -> MaxLen {
    sql_type.max_len().unwrap_or(MaxLen::Limited(0))
}

fn longer(a: MaxLen, b: MaxLen) -> MaxLen {
    match (a, b) {
        (MaxLen::Limited(a), MaxLen::Limited(b)) => MaxLen::Limited(a.max(b)),
        _ => MaxLen::Max,
    }
}

/// Two lengths of at most 8000 each fit 16 bits.
fn sum(a: MaxLen, b: MaxLen) -> MaxLen {
    match (a, b) {
        (MaxLen::Limited(a), MaxLen::Limited(b)) => MaxLen::Limited(a + b),
        _ => MaxLen::Max,
    }
}

/// Unicode if one of them is, else UTF-8 if one of them is; fixed only if both are.
fn joint_string(a: &SqlType, b: &SqlType, join: fn(MaxLen, MaxLen) -> MaxLen) -> SqlType {
    let page = joint_page(a, b);
    let (a, b) = (&a.converted_to(page), &b.converted_to(page));
    let is_fixed = |t: &SqlType| matches!(t, SqlType::Char { .. } | SqlType::NChar { .. });
    let unicode = a.is_unicode() || b.is_unicode();
    let limit = if unicode { SqlType::UNITS_MAX } else { SqlType::BYTES_MAX };
    match (unicode, is_fixed(a) && is_fixed(b), capped(join(length(a), length(b)), limit)) {
        (false, true, MaxLen::Limited(len)) => SqlType::Char { len, page },
        (true, true, MaxLen::Limited(len)) => SqlType::NChar { len },
        (false, _, len) => SqlType::VarChar { len, page },
        (true, _, len) => SqlType::NVarChar { len },
    }
}

/// The code page of `char` and `varchar` in which two texts meet. Beside Unicode it does not matter.
fn joint_page(a: &SqlType, b: &SqlType) -> CodePage {
    match (a.page(), b.page()) {
        _ if a.is_unicode() || b.is_unicode() => CodePage::default(),
        (CodePage::Utf8, _) | (_, CodePage::Utf8) => CodePage::Utf8,
        // Literals and variables are of the default page, and give way.
        (CodePage::Cp1252, other) | (other, _) => other,
    }
}

fn joint_binary(a: &SqlType, b: &SqlType, join: fn(MaxLen, MaxLen) -> MaxLen) -> SqlType {
    let both_fixed = matches!((a, b), (SqlType::Binary { .. }, SqlType::Binary { .. }));
    match capped(join(length(a), length(b)), SqlType::BYTES_MAX) {
        MaxLen::Limited(len) if both_fixed => SqlType::Binary { len },
        len => SqlType::VarBinary { len },
    }
}

fn capped(len: MaxLen, limit: u16) -> MaxLen {
    match len {
        MaxLen::Limited(n) => MaxLen::Limited(n.min(limit)),
        MaxLen::Max => MaxLen::Max,
    }
}

/// The result's type of an operator.
pub fn arithmetic_type(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<SqlType, EvalError> {
    operand_types(op, a, b).map(|(_, _, result)| result)
}

/// The types that the operands are cast to first, and the result's type.
pub fn operand_types(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    if op.is_bitwise() {
        return bitwise_types(op, a, b);
    }
    match (Family::of(a), Family::of(b)) {
        (Family::String, Family::String) if op == ArithOp::Add => Ok(joined(a, b, joint_string(a, b, sum))),
        (Family::String, Family::String) => Err(joined_only(op, a, b)),
        (Family::Binary | Family::RowVersion, Family::Binary | Family::RowVersion) => binary_types(op, a, b),
        (Family::Variant, Family::Variant) if matches!(op, ArithOp::Add | ArithOp::Sub) => Err(op.refuses_pair(a, b)),
        (x, y) if x == y && !x.is_numeric() && x != Family::LegacyDate => Err(op.refuses(a)),
        (Family::Variant, y) if y.is_numeric() && op != ArithOp::Mod => Err(explicit_only(a, b)),
        (x, Family::Variant) if x.is_numeric() && op != ArithOp::Mod => Err(explicit_only(b, a)),
        (Family::Variant | Family::Xml, _) | (_, Family::Variant | Family::Xml) => Err(op.refuses_pair(a, b)),
        (x, y) if x.is_new_date() || y.is_new_date() => Err(clash_of_dates(op, a, b)),
        (Family::Guid, _) | (_, Family::Guid) | (Family::String, Family::Binary) | (Family::Binary, Family::String) => {
            Err(op.refuses_pair(a, b))
        }
        (Family::LegacyDate, _) | (_, Family::LegacyDate) => legacy_date_types(op, a, b),
        _ => numeric_types(op, a, b),
    }
}

/// Texts among themselves, and bytes, take `+` alone.
fn joined_only(op: ArithOp, a: &SqlType, b: &SqlType) -> EvalError {
    if matches!(op, ArithOp::Sub | ArithOp::Mod) { op.refuses_pair(a, b) } else { op.refuses(a) }
}

/// 257: CONVERT alone makes the one of the other.
fn explicit_only(from: &SqlType, to: &SqlType) -> EvalError {
    EvalError::ImplicitNotAllowed { from: from.name(), to: to.name() }
}

/// Bytes are joined. A `rowversion` has 8 of them, and counts for 40 in the length of the result.
fn binary_types(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    if op != ArithOp::Add {
        return Err(joined_only(op, a, b));
    }
    let counted = |part: &SqlType, len: u16| match part {
        SqlType::RowVersion => SqlType::VarBinary { len: MaxLen::Limited(len) },
        other => *other,
    };
    let bytes = |part| counted(part, SqlType::ROW_VERSION_BYTES);
    Ok((bytes(a), bytes(b), joint_binary(&counted(a, 40), &counted(b, 40), sum)))
}

/// Parts of a concatenation keep their length, but take the result's alphabet.
fn joined(a: &SqlType, b: &SqlType, result: SqlType) -> (SqlType, SqlType, SqlType) {
    let with_alphabet = |part: &SqlType| match *part {
        SqlType::Char { len, .. } if result.is_unicode() => SqlType::NChar { len: len.min(SqlType::UNITS_MAX) },
        SqlType::VarChar { len, .. } if result.is_unicode() => {
            SqlType::NVarChar { len: capped(len, SqlType::UNITS_MAX) }
        }
        other => other.converted_to(result.page()),
    };
    (with_alphabet(a), with_alphabet(b), result)
}

fn bitwise_types(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    let result = match (Family::of(a), Family::of(b)) {
        (Family::Integer, Family::Integer) if a.precedence() >= b.precedence() => *a,
        (Family::Integer | Family::Binary | Family::String, Family::Integer) => *b,
        (Family::Integer, Family::Binary | Family::String) => *a,
        (Family::Integer, _) | (_, Family::Integer) => return Err(op.refuses_pair(a, b)),
        (Family::String | Family::Binary, Family::String | Family::Binary) => return Err(op.refuses_pair(a, b)),
        _ => return Err(op.refuses(a)),
    };
    Ok((result, result, result))
}

/// `date`, `time` and `datetime2` take no arithmetic at all.
fn clash_of_dates(op: ArithOp, a: &SqlType, b: &SqlType) -> EvalError {
    if a.is_numeric() || b.is_numeric() {
        return EvalError::OperandClash { left: a.name(), right: b.name() };
    }
    op.refuses_pair(a, b)
}

/// Days are added to a day: both operands become `datetime`, so that a negative number of days exists.
fn legacy_date_types(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    let is_date = |t: &SqlType| Family::of(t) == Family::LegacyDate;
    if !matches!(op, ArithOp::Add | ArithOp::Sub) {
        let (date, other) = if is_date(a) { (a, b) } else { (b, a) };
        let is_explicit = other.is_numeric() && op != ArithOp::Mod;
        return Err(if is_explicit { explicit_only(date, other) } else { op.refuses(date) });
    }
    let result = if is_date(a) && (!is_date(b) || a.precedence() >= b.precedence()) { *a } else { *b };
    Ok((SqlType::DateTime, SqlType::DateTime, result))
}

fn numeric_types(op: ArithOp, a: &SqlType, b: &SqlType) -> Result<(SqlType, SqlType, SqlType), EvalError> {
    let (high, low) = if a.precedence() >= b.precedence() { (a, b) } else { (b, a) };
    if *high == SqlType::Bit {
        let is_product = matches!(op, ArithOp::Mul | ArithOp::Div) && !low.is_binary();
        return Err(if is_product { op.refuses(a) } else { op.refuses_pair(a, b) });
    }
    if op == ArithOp::Mod {
        let is_approximate = |t: &SqlType| Family::of(t) == Family::Approximate;
        match (is_approximate(a), is_approximate(b)) {
            (true, true) => return Err(op.refuses(a)),
            (false, false) if low.is_string() && matches!(high, SqlType::Decimal { .. }) => {
                return Err(op.refuses_pair(a, b));
            }
            (false, false) => {}
            _ => return Err(op.refuses_pair(a, b)),
        }
    }
    if !implicit_allowed(low, high) {
        return Err(EvalError::OperandClash { left: low.name(), right: high.name() });
    }
    match *high {
        SqlType::Decimal { .. } => Ok(decimal_types(op, a, b)),
        result if !result.is_numeric() => Err(op.refuses_pair(a, b)),
        result => Ok((result, result, result)),
    }
}

/// Each operand keeps its own digits; a `bit`, a text or a binary takes those of the other.
fn decimal_types(op: ArithOp, a: &SqlType, b: &SqlType) -> (SqlType, SqlType, SqlType) {
    let has_digits = |operand: &SqlType| operand.is_numeric() && *operand != SqlType::Bit;
    let own = |operand: &SqlType, other: &SqlType| shape(if has_digits(operand) { operand } else { other });
    let (left, right) = (own(a, b), own(b, a));
    let result = match op {
        ArithOp::Mul => Shape::of_product(left, right),
        ArithOp::Div => Shape::of_quotient(left, right),
        ArithOp::Mod => Shape::of_remainder(left, right),
        _ => Shape::of_sum(left, right),
    };
    let name = decimal_name(a, b);
    (decimal(left, name), decimal(right, name), decimal(result, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: SqlType = SqlType::Int;
    const BIGINT: SqlType = SqlType::BigInt;
    const MONEY: SqlType = SqlType::Money;
    const DATETIME: SqlType = SqlType::DateTime;
    const FLOAT: SqlType = SqlType::Float;
    const BIT: SqlType = SqlType::Bit;
    const DATE: SqlType = SqlType::Date;
    const GUID: SqlType = SqlType::UniqueIdentifier;
    const OFFSET: SqlType = SqlType::DateTimeOffset { scale: 7 };
    const ROWVERSION: SqlType = SqlType::RowVersion;
    const VARIANT: SqlType = SqlType::Variant;
    const XML: SqlType = SqlType::Xml;

    fn varchar(len: u16) -> SqlType {
        SqlType::varchar(len)
    }

    fn nvarchar(len: u16) -> SqlType {
        SqlType::NVarChar { len: MaxLen::Limited(len) }
    }

    fn varbinary(len: u16) -> SqlType {
        SqlType::VarBinary { len: MaxLen::Limited(len) }
    }

    fn dec(precision: u8, scale: u8) -> SqlType {
        SqlType::decimal(precision, scale)
    }

    #[test]
    fn a_decimal_is_numeric_unless_it_meets_one_that_is_not() {
        let (decimal, numeric) = (SqlType::decimal(5, 2), SqlType::numeric(5, 2));
        assert_eq!(decimal, numeric);
        let common = |a: &SqlType, b: &SqlType| common_type(a, b).map(|sql_type| sql_type.name());
        assert_eq!(common(&numeric, &numeric), Some("numeric"));
        assert_eq!(common(&numeric, &decimal), Some("decimal"));
        assert_eq!(common(&INT, &numeric), Some("numeric"));
        assert_eq!(common(&decimal, &INT), Some("decimal"));
        let result = |a: &SqlType, b: &SqlType| operand_types(ArithOp::Mul, a, b).map(|(_, _, result)| result.name());
        assert_eq!(result(&numeric, &INT), Ok("numeric"));
        assert_eq!(result(&numeric, &decimal), Ok("decimal"));
    }

    #[test]
    fn the_matrix_has_its_three_answers() {
        use Conversion::{Explicit, Forbidden, Implicit};
        for (from, to, expected) in [
            (varchar(5), INT, Implicit),
            (varchar(5), varbinary(5), Explicit),
            (varbinary(5), varchar(5), Implicit),
            (varbinary(5), INT, Implicit),
            (varbinary(5), FLOAT, Forbidden),
            (varbinary(8), DATE, Explicit),
            (INT, DATETIME, Implicit),
            (INT, DATE, Forbidden),
            (INT, GUID, Forbidden),
            (INT, varbinary(4), Implicit),
            (DATETIME, INT, Explicit),
            (DATETIME, varchar(20), Implicit),
            (DATETIME, DATE, Implicit),
            (DATETIME, varbinary(8), Explicit),
            (DATE, SqlType::Time { scale: 7 }, Forbidden),
            (DATE, DATETIME, Implicit),
            (DATE, INT, Forbidden),
            (GUID, varchar(36), Implicit),
            (GUID, INT, Forbidden),
            (varchar(36), GUID, Implicit),
            (FLOAT, MONEY, Implicit),
            (OFFSET, DATETIME, Implicit),
            (DATE, OFFSET, Implicit),
            (varchar(30), OFFSET, Implicit),
            (varbinary(11), OFFSET, Explicit),
            (OFFSET, varbinary(11), Explicit),
            (OFFSET, INT, Forbidden),
            (ROWVERSION, varbinary(8), Implicit),
            (varbinary(8), ROWVERSION, Implicit),
            (ROWVERSION, BIGINT, Implicit),
            (BIGINT, ROWVERSION, Implicit),
            (ROWVERSION, varchar(8), Implicit),
            (ROWVERSION, nvarchar(8), Forbidden),
            (varchar(8), ROWVERSION, Explicit),
            (ROWVERSION, DATETIME, Implicit),
            (DATETIME, ROWVERSION, Explicit),
            (ROWVERSION, FLOAT, Forbidden),
            (FLOAT, ROWVERSION, Forbidden),
            (ROWVERSION, GUID, Forbidden),
            (ROWVERSION, OFFSET, Forbidden),
            (INT, VARIANT, Implicit),
            (VARIANT, INT, Explicit),
            (SqlType::VARCHAR_MAX, VARIANT, Forbidden),
            (VARIANT, SqlType::VARCHAR_MAX, Explicit),
            (ROWVERSION, VARIANT, Forbidden),
            (VARIANT, ROWVERSION, Forbidden),
            (XML, VARIANT, Forbidden),
            (nvarchar(9), XML, Implicit),
            (XML, nvarchar(9), Explicit),
            (varbinary(9), XML, Implicit),
            (XML, varbinary(9), Explicit),
            (XML, INT, Forbidden),
            (INT, XML, Forbidden),
        ] {
            assert_eq!(conversion_of(&from, &to), expected, "{from} to {to}");
        }
    }

    #[test]
    fn common_types_merge_their_arguments() {
        for (a, b, expected) in [
            (varchar(5), varchar(10), Some(varchar(10))),
            (varchar(5), nvarchar(3), Some(nvarchar(5))),
            (varchar(8000), nvarchar(3), Some(nvarchar(4000))),
            (SqlType::char(3), SqlType::char(5), Some(SqlType::char(5))),
            (SqlType::char(3), varchar(2), Some(varchar(3))),
            (varchar(5), SqlType::VARCHAR_MAX, Some(SqlType::VARCHAR_MAX)),
            (INT, varchar(5), Some(INT)),
            (INT, BIGINT, Some(BIGINT)),
            (INT, dec(5, 2), Some(dec(12, 2))),
            (MONEY, dec(5, 2), Some(dec(19, 4))),
            (dec(10, 4), dec(10, 2), Some(dec(12, 4))),
            (FLOAT, dec(10, 4), Some(FLOAT)),
            (DATE, DATETIME, Some(DATETIME)),
            (DATE, SqlType::Time { scale: 0 }, None),
            (DATE, INT, None),
            (DATETIME, INT, Some(DATETIME)),
            (SqlType::DateTime2 { scale: 0 }, DATETIME, Some(SqlType::DateTime2 { scale: 3 })),
            (GUID, varchar(40), Some(GUID)),
            (GUID, INT, None),
            (SqlType::DateTimeOffset { scale: 0 }, DATETIME, Some(SqlType::DateTimeOffset { scale: 3 })),
            (VARIANT, INT, Some(VARIANT)),
            (ROWVERSION, varbinary(8), Some(ROWVERSION)),
            (ROWVERSION, BIGINT, Some(BIGINT)),
            (XML, nvarchar(9), Some(XML)),
            (XML, VARIANT, None),
            (varbinary(9), varchar(5), Some(varchar(9))),
            (SqlType::Binary { len: 2 }, varbinary(5), Some(varbinary(5))),
        ] {
            assert_eq!(common_type(&a, &b), expected, "{a} and {b}");
            assert_eq!(common_type(&b, &a), expected, "{b} and {a}");
        }
    }

    #[test]
    fn operators_have_the_types_of_the_manual() {
        use ArithOp::{Add, BitAnd, Div, Mod, Mul, Sub};
        for (op, a, b, expected) in [
            (Div, INT, INT, INT),
            (Add, SqlType::TinyInt, SqlType::SmallInt, SqlType::SmallInt),
            (Add, INT, BIT, INT),
            (Add, INT, varchar(5), INT),
            (Add, varchar(5), varchar(7), varchar(12)),
            (Add, varchar(5), nvarchar(7), nvarchar(12)),
            (Add, varchar(8000), varchar(8000), varchar(8000)),
            (Add, SqlType::char(2), SqlType::char(3), SqlType::char(5)),
            (Add, varbinary(2), varbinary(3), varbinary(5)),
            (Add, INT, dec(5, 2), dec(13, 2)),
            (Mul, dec(5, 2), INT, dec(16, 2)),
            (Div, dec(5, 2), dec(5, 2), dec(13, 8)),
            (Mod, dec(5, 2), INT, dec(5, 2)),
            (Add, dec(5, 2), varchar(9), dec(6, 2)),
            (Mul, MONEY, INT, MONEY),
            (Mul, MONEY, dec(5, 2), dec(25, 6)),
            (Mul, MONEY, FLOAT, FLOAT),
            (Add, SqlType::Real, dec(5, 2), SqlType::Real),
            (Add, DATETIME, INT, DATETIME),
            (Sub, DATETIME, DATETIME, DATETIME),
            (Sub, SqlType::SmallDateTime, INT, SqlType::SmallDateTime),
            (Add, SqlType::SmallDateTime, DATETIME, DATETIME),
            (Add, DATETIME, varchar(20), DATETIME),
            (BitAnd, BIT, BIT, BIT),
            (BitAnd, SqlType::TinyInt, BIGINT, BIGINT),
            (BitAnd, varbinary(4), INT, INT),
            (BitAnd, varchar(4), SqlType::TinyInt, SqlType::TinyInt),
            (BitAnd, BIT, varchar(4), BIT),
            (Mul, BIT, dec(5, 2), dec(11, 4)),
            (Add, ROWVERSION, ROWVERSION, varbinary(80)),
            (Add, varbinary(4), ROWVERSION, varbinary(44)),
            (Add, varbinary(4), INT, INT),
            (Add, ROWVERSION, INT, INT),
        ] {
            assert_eq!(arithmetic_type(op, &a, &b), Ok(expected), "{a} {op:?} {b}");
        }
    }

    #[test]
    fn operators_refuse_with_their_message() {
        use ArithOp::{Add, BitOr, Div, Mod, Mul, Sub};
        for (op, a, b, number) in [
            (Sub, varchar(5), varchar(5), 402),
            (Mod, varchar(5), varchar(5), 402),
            (Div, varchar(5), varchar(5), 8117),
            (Add, BIT, BIT, 402),
            (Mod, BIT, BIT, 402),
            (Mul, BIT, BIT, 8117),
            (Mul, BIT, varchar(1), 8117),
            (Add, BIT, varchar(1), 402),
            (Mod, FLOAT, INT, 402),
            (Add, DATE, INT, 206),
            (Add, DATE, DATE, 8117),
            (Add, DATETIME, DATE, 402),
            (Mul, DATETIME, INT, 257),
            (Mul, DATETIME, DATETIME, 8117),
            (Mod, SqlType::Real, SqlType::Real, 8117),
            (Mod, varbinary(1), SqlType::Real, 402),
            (Mod, dec(5, 2), varchar(1), 402),
            (Add, GUID, GUID, 8117),
            (Add, varchar(5), varbinary(5), 402),
            (Sub, varbinary(5), varbinary(5), 402),
            (Mul, varbinary(5), varbinary(5), 8117),
            (Add, varbinary(5), FLOAT, 206),
            (BitOr, varchar(5), varchar(5), 402),
            (BitOr, varbinary(5), varbinary(5), 402),
            (BitOr, dec(5, 2), INT, 402),
            (BitOr, dec(5, 2), FLOAT, 8117),
            (BitOr, FLOAT, FLOAT, 8117),
            (Sub, ROWVERSION, ROWVERSION, 402),
            (Add, VARIANT, VARIANT, 402),
            (Add, VARIANT, INT, 257),
            (Mul, INT, VARIANT, 257),
            (Add, varchar(5), VARIANT, 402),
            (Add, XML, nvarchar(5), 402),
            (Add, OFFSET, OFFSET, 8117),
            (Add, OFFSET, INT, 206),
        ] {
            assert_eq!(arithmetic_type(op, &a, &b).map_err(|e| e.number()), Err(number), "{a} {op:?} {b}");
        }
    }

    #[test]
    fn utf8_wins_over_code_page_1252_and_has_room_for_it() {
        let utf8 = |len| varchar(len).in_page(CodePage::Utf8);
        let char = |len| SqlType::char(len).in_page(CodePage::Utf8);
        for (a, b, expected) in [
            (utf8(5), varchar(5), utf8(15)),
            (utf8(50), varchar(5), utf8(50)),
            (SqlType::char(2), char(9), utf8(9)),
            (char(2), char(9), char(9)),
            (utf8(5), nvarchar(3), nvarchar(5)),
            (utf8(5), SqlType::VARCHAR_MAX, SqlType::VARCHAR_MAX.in_page(CodePage::Utf8)),
        ] {
            assert_eq!(common_type(&a, &b), Some(expected), "{a} {b}");
            assert_eq!(common_type(&b, &a), Some(expected), "{b} {a}");
        }
        let types = operand_types(ArithOp::Add, &varchar(5), &utf8(7));
        assert_eq!(types, Ok((utf8(15), utf8(7), utf8(22))));
    }

    #[test]
    fn parts_of_a_concatenation_keep_their_length() {
        let types = operand_types(ArithOp::Add, &varchar(5), &nvarchar(7));
        assert_eq!(types, Ok((nvarchar(5), nvarchar(7), nvarchar(12))));
    }
}
