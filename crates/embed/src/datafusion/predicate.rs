//! Conditions of DataFusion as conditions of T-SQL, where both mean the same by them.
//!
//! What always holds: where a condition is exact, T-SQL keeps the rows that DataFusion would keep, no more and no fewer; where
//! it is inexact, perhaps more. Constants become parameters of the column's own type, so that nothing converts the column.

use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator};
use datafusion::scalar::ScalarValue;
use millpond_types::temporal::DAYS_TO_1970;
use millpond_types::{Date, DateTime, DateTime2, DateTimeOffset, Decimal, SqlType, Time, Value};

use crate::Column;
use crate::arrow::{Precision, instant};
use crate::parameter::{Guid, Parameter};

/// Ticks of 100 ns in a day.
const TICKS_PER_DAY: i64 = Time::TICKS_PER_DAY.cast_signed();

/// How well T-SQL knows what DataFusion means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// All rows that are wanted, perhaps others.
    Inexact,
    /// The rows that are wanted.
    Exact,
}

/// A constant as a parameter for a column.
struct Constant {
    parameter: Parameter,
    /// What `=` is, and IN.
    equality: Fit,
    /// Whether `<` and its kin, and `<>`, are exact.
    is_ordered: bool,
    /// Whether `<>` is exact where there is no order.
    is_distinct: bool,
}

/// Conditions of one statement, with their parameters.
pub struct Predicates<'a> {
    columns: &'a [Column],
    precision: Precision,
    pub parameters: Vec<Parameter>,
}

impl<'a> Predicates<'a> {
    pub fn over(columns: &'a [Column], precision: Precision) -> Predicates<'a> {
        Predicates { columns, precision, parameters: Vec::new() }
    }

    /// The condition as text; `None`: it is not to be asked of Millpond.
    pub fn condition(&mut self, expr: &Expr) -> Option<(String, Fit)> {
        let before = self.parameters.len();
        let found = self.translate(expr);
        if found.is_none() {
            self.parameters.truncate(before);
        }
        found
    }

    fn translate(&mut self, expr: &Expr) -> Option<(String, Fit)> {
        match expr {
            Expr::Column(_) => {
                let column = self.column(expr)?;
                (column.sql_type == SqlType::Bit).then(|| (format!("{} = 1", quoted(&column.name)), Fit::Exact))
            }
            Expr::Not(inner) => match self.condition(inner)? {
                (text, Fit::Exact) => Some((format!("NOT ({text})"), Fit::Exact)),
                _ => None,
            },
            Expr::IsNull(inner) => Some((format!("{} IS NULL", quoted(&self.column(inner)?.name)), Fit::Exact)),
            Expr::IsNotNull(inner) => Some((format!("{} IS NOT NULL", quoted(&self.column(inner)?.name)), Fit::Exact)),
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
                match (self.condition(left), self.condition(right)) {
                    (Some((left, a)), Some((right, b))) => Some((format!("({left}) AND ({right})"), a.min(b))),
                    // One half alone keeps more rows.
                    (Some((half, _)), None) | (None, Some((half, _))) => Some((half, Fit::Inexact)),
                    (None, None) => None,
                }
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
                let (left, a) = self.condition(left)?;
                let (right, b) = self.condition(right)?;
                Some((format!("({left}) OR ({right})"), a.min(b)))
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (left.as_ref(), right.as_ref()) {
                (column, Expr::Literal(value, _)) => self.comparison(column, *op, value),
                (Expr::Literal(value, _), column) => self.comparison(column, op.swap()?, value),
                _ => None,
            },
            Expr::Between(Between { expr, negated, low, high }) => {
                let (Expr::Literal(low, _), Expr::Literal(high, _)) = (low.as_ref(), high.as_ref()) else {
                    return None;
                };
                let (low, _) = self.comparison(expr, Operator::GtEq, low)?;
                let (high, _) = self.comparison(expr, Operator::LtEq, high)?;
                let not = if *negated { "NOT " } else { "" };
                Some((format!("{not}({low} AND {high})"), Fit::Exact))
            }
            Expr::InList(InList { expr, list, negated }) => self.list(expr, list, *negated),
            _ => None,
        }
    }

    fn column(&self, expr: &Expr) -> Option<&'a Column> {
        let Expr::Column(named) = expr else { return None };
        self.columns.iter().find(|column| column.name == named.name)
    }

    fn comparison(&mut self, column: &Expr, op: Operator, value: &ScalarValue) -> Option<(String, Fit)> {
        let column = self.column(column)?;
        let constant = constant(&column.sql_type, value, self.precision)?;
        let (sign, fit) = match op {
            Operator::Eq => ("=", constant.equality),
            Operator::NotEq if constant.is_ordered || constant.is_distinct => ("<>", Fit::Exact),
            Operator::Lt if constant.is_ordered => ("<", Fit::Exact),
            Operator::LtEq if constant.is_ordered => ("<=", Fit::Exact),
            Operator::Gt if constant.is_ordered => (">", Fit::Exact),
            Operator::GtEq if constant.is_ordered => (">=", Fit::Exact),
            _ => return None,
        };
        let place = self.place(constant.parameter);
        Some((format!("{} {sign} {place}", quoted(&column.name)), fit))
    }

    fn list(&mut self, column: &Expr, list: &[Expr], negated: bool) -> Option<(String, Fit)> {
        let column = self.column(column)?;
        let (mut places, mut fit) = (Vec::new(), Fit::Exact);
        for value in list {
            let Expr::Literal(value, _) = value else { return None };
            let constant = constant(&column.sql_type, value, self.precision)?;
            if negated && !constant.is_ordered && !constant.is_distinct {
                return None;
            }
            fit = fit.min(constant.equality);
            places.push(self.place(constant.parameter));
        }
        if places.is_empty() {
            return None;
        }
        let not = if negated { "NOT " } else { "" };
        Some((format!("{} {not}IN ({})", quoted(&column.name), places.join(", ")), fit))
    }

    fn place(&mut self, parameter: Parameter) -> String {
        self.parameters.push(parameter);
        format!("@p{}", self.parameters.len())
    }
}

/// A name as text has it.
pub fn quoted(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// A constant for a column of a type: exactly what DataFusion compares with, or nothing.
fn constant(sql_type: &SqlType, value: &ScalarValue, precision: Precision) -> Option<Constant> {
    let ordered = |value: Value| Constant {
        parameter: Parameter::typed(*sql_type, value),
        equality: Fit::Exact,
        is_ordered: true,
        is_distinct: true,
    };
    Some(match (sql_type, value) {
        (SqlType::Bit, ScalarValue::Boolean(Some(bit))) => Constant { is_ordered: false, ..ordered(Value::Bit(*bit)) },
        (SqlType::TinyInt, ScalarValue::UInt8(Some(number))) => ordered(Value::TinyInt(*number)),
        (SqlType::SmallInt, ScalarValue::Int16(Some(number))) => ordered(Value::SmallInt(*number)),
        (SqlType::Int, ScalarValue::Int32(Some(number))) => ordered(Value::Int(*number)),
        (SqlType::BigInt, ScalarValue::Int64(Some(number))) => ordered(Value::BigInt(*number)),
        (SqlType::Real, ScalarValue::Float32(Some(x))) if x.is_finite() => ordered(Value::Real(*x)),
        (SqlType::Float, ScalarValue::Float64(Some(x))) if x.is_finite() => ordered(Value::Float(*x)),
        (
            SqlType::Decimal { .. } | SqlType::Money | SqlType::SmallMoney,
            ScalarValue::Decimal128(Some(unscaled), _, scale),
        ) => {
            let decimal = Decimal::new(*unscaled, u8::try_from(*scale).ok()?)?;
            Constant { parameter: Parameter::new(decimal), ..ordered(Value::Null) }
        }
        (SqlType::Date, ScalarValue::Date32(Some(days))) => {
            ordered(Value::Date(Date::from_days(days.checked_add(DAYS_TO_1970)?)?))
        }
        (SqlType::Time { .. }, ScalarValue::Time64Nanosecond(Some(nanoseconds))) => {
            let time = Time::from_ticks(u64::try_from(whole(*nanoseconds, 100)?).ok()?)?;
            Constant { parameter: Parameter::new(time), ..ordered(Value::Null) }
        }
        (
            SqlType::SmallDateTime | SqlType::DateTime | SqlType::DateTime2 { .. } | SqlType::DateTimeOffset { .. },
            value,
        ) => {
            let at = DateTime2::from_total_ticks(ticks(value)?)?;
            let parameter = match sql_type {
                // Seven digits that were cut off to six mean another instant.
                SqlType::DateTime2 { scale: 7 } | SqlType::DateTimeOffset { scale: 7 }
                    if precision == Precision::Microsecond =>
                {
                    return None;
                }
                SqlType::DateTimeOffset { .. } => Parameter::new(DateTimeOffset::from_utc(at, 0)?),
                // Its thousandths are rounded for DataFusion, so the constant has to be one of them.
                SqlType::DateTime => {
                    let rounded = DateTime::from_datetime2(at)?;
                    let shown = Value::DateTime(rounded);
                    let unit = datafusion::arrow::datatypes::TimeUnit::Nanosecond;
                    if instant(&shown, unit) != instant(&Value::DateTime2(at), unit) || instant(&shown, unit).is_none()
                    {
                        return None;
                    }
                    Parameter::new(rounded)
                }
                _ => Parameter::new(at),
            };
            Constant { parameter, ..ordered(Value::Null) }
        }
        (
            SqlType::Char { .. } | SqlType::VarChar { .. } | SqlType::NChar { .. } | SqlType::NVarChar { .. },
            ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) | ScalarValue::LargeUtf8(Some(text)),
        ) => alike(Parameter::new(text.as_str())),
        (
            SqlType::Binary { .. } | SqlType::VarBinary { .. } | SqlType::RowVersion,
            ScalarValue::Binary(Some(bytes))
            | ScalarValue::BinaryView(Some(bytes))
            | ScalarValue::LargeBinary(Some(bytes)),
        ) => alike(Parameter::new(bytes.as_slice())),
        (SqlType::UniqueIdentifier, ScalarValue::FixedSizeBinary(16, Some(bytes))) => {
            let guid = Guid(bytes.as_slice().try_into().ok()?);
            Constant { is_ordered: false, ..ordered(Value::Guid(guid.to_wire())) }
        }
        _ => return None,
    })
}

/// What equals more than it is for DataFusion.
fn alike(parameter: Parameter) -> Constant {
    Constant { parameter, equality: Fit::Inexact, is_ordered: false, is_distinct: false }
}

/// Ticks of 100 ns since 0001-01-01 of an instant that has no less than whole ones.
fn ticks(value: &ScalarValue) -> Option<i64> {
    let since_1970 = match value {
        ScalarValue::TimestampSecond(Some(seconds), _) => seconds.checked_mul(10_000_000)?,
        ScalarValue::TimestampMillisecond(Some(milliseconds), _) => milliseconds.checked_mul(10_000)?,
        ScalarValue::TimestampMicrosecond(Some(microseconds), _) => microseconds.checked_mul(10)?,
        ScalarValue::TimestampNanosecond(Some(nanoseconds), _) => whole(*nanoseconds, 100)?,
        _ => return None,
    };
    since_1970.checked_add(i64::from(DAYS_TO_1970) * TICKS_PER_DAY)
}

fn whole(number: i64, unit: i64) -> Option<i64> {
    (number.rem_euclid(unit) == 0).then(|| number.div_euclid(unit))
}
