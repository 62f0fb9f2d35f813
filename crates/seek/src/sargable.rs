//! Conditions over a function of a column that say where the column lies.
//!
//! ```text
//!   s LIKE 'ab%c', LEFT(s, 2) = 'ab'      the texts that begin with ab
//!   CAST(d AS date) = x, YEAR(d) > y      from where a day or year begins
//!   ISNULL(c, 0) = 7                      c = 7
//! ```
//! What always holds: each row for which the condition is true lies in the range, which may be wider.

use millpond_builtin::eval::compare_values;
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_types::collation::{Collation, LikePattern};
use millpond_types::{CastRules, Date, SqlType, Value, cast};

use crate::{BoundAt, Ends, Period, Probe, RangeBound};

/// What the value of an operand says of the column that it is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// It is that.
    Beginning,
    /// It is in that.
    Period(Period),
    /// It is the column's, or that of a NULL.
    Instead,
}

/// The operand of which another is a function, and what its value says of it; the literal that stands for NULL beside it.
pub(crate) fn function_of(operand: &BoundExpr) -> Option<(&BoundExpr, Of, Option<&Value>)> {
    let is_date = |expr: &BoundExpr| {
        matches!(expr.ty.sql, SqlType::Date | SqlType::DateTime | SqlType::DateTime2 { .. } | SqlType::SmallDateTime)
    };
    match &operand.kind {
        Kind::Cast { expr, style: None, try_: false } if operand.ty.sql == SqlType::Date && is_date(expr) => {
            Some((expr, Of::Period(Period::Day), None))
        }
        Kind::Cast { expr, style: None, try_: false } if operand.ty.sql.is_string() && expr.ty.sql.is_string() => {
            // Of an implicit conversion to the other side's alphabet.
            function_of(expr).filter(|(_, of, _)| *of == Of::Beginning && operand.ty.sql.is_unicode())
        }
        Kind::Function(def, args) => match (def.name, args.as_slice()) {
            ("YEAR", [date]) if is_date(date) => Some((date, Of::Period(Period::Year), None)),
            ("LEFT", [text, _]) if text.ty.sql.is_string() => Some((text, Of::Beginning, None)),
            ("SUBSTRING", [text, from, _]) if text.ty.sql.is_string() && is_one(from) => {
                Some((text, Of::Beginning, None))
            }
            _ => None,
        },
        Kind::Case { branches, otherwise: Some(instead) } => match (branches.as_slice(), &instead.kind) {
            ([(condition, value)], Kind::Literal(instead)) => {
                is_known(condition, value).then_some((value, Of::Instead, Some(instead)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a condition is that a value is not NULL.
fn is_known(condition: &BoundExpr, value: &BoundExpr) -> bool {
    let Kind::Not(operand) = &condition.kind else { return false };
    let Kind::IsNull(tested) = &operand.kind else { return false };
    let bare = match &value.kind {
        Kind::Cast { expr, style: None, try_: false } => expr,
        _ => value,
    };
    tested.same_as(value) || tested.same_as(bare)
}

fn is_one(expr: &BoundExpr) -> bool {
    matches!(&expr.kind, Kind::Literal(value) if value.as_i64() == Some(1))
}

/// Whether what stands for NULL certainly does not fulfil a comparison with a constant.
pub(crate) fn excludes(instead: &Value, op: CompareOp, value: &BoundExpr, collation: Collation) -> bool {
    match &value.kind {
        Kind::Literal(value) => compare_values(op, instead, value, collation) == Some(false),
        _ => false,
    }
}

/// The bounds of a column whose period is compared with a value.
pub(crate) fn of_period(period: Period, op: CompareOp, probe: &Probe) -> Ends {
    let from = |at| Some(RangeBound { probe: probe.clone(), inclusive: true, at });
    let below = |at| Some(RangeBound { probe: probe.clone(), inclusive: false, at });
    let (start, next) = (BoundAt::Start(period), BoundAt::Next(period));
    match op {
        CompareOp::Eq => (from(start), below(next)),
        CompareOp::GtEq => (from(start), None),
        CompareOp::Gt => (from(next), None),
        CompareOp::LtEq => (None, below(next)),
        CompareOp::Lt => (None, below(start)),
        CompareOp::NotEq => (None, None),
    }
}

/// Both ends of the texts around a beginning.
pub(crate) fn around(probe: &Probe, at: &BoundAt) -> Ends {
    let bound = |inclusive| Some(RangeBound { probe: probe.clone(), inclusive, at: at.clone() });
    (bound(true), bound(false))
}

/// Where a period begins that a value names, or the one after it; `None` where there is no such day.
pub(crate) fn start(period: Period, next: bool, value: &Value) -> Option<Value> {
    let date = match (period, value) {
        (Period::Day, Value::Date(date)) => Date::from_days(date.days + i32::from(next))?,
        (Period::Year, value) => {
            let year = value.as_i64()?.checked_add(i64::from(next))?;
            Date::from_civil(year.try_into().ok()?, 1, 1)?
        }
        _ => return None,
    };
    Some(Value::Date(date))
}

/// The text with which all texts begin that match a pattern; `None` where there is none.
pub fn beginning(pattern: &str, escape: Option<&Value>, collation: Collation) -> Option<String> {
    let escape = match escape {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_str().map(|text| text.chars().collect::<Vec<char>>()).as_deref() {
            Some([escape]) => Some(*escape),
            // LIKE itself says what is wrong with it.
            _ => return None,
        },
    };
    let pattern = LikePattern::new(pattern, escape, collation);
    Some(pattern.prefix().to_owned()).filter(|prefix| !prefix.is_empty())
}

/// The value of a constant, or of a variable where these are the values of variables, and its type. A conversion is guessed for any
/// session: of a text to a date, say.
pub(crate) fn constant(expr: &BoundExpr, values: &[Value]) -> Option<(Value, SqlType)> {
    match &expr.kind {
        Kind::Literal(value) => Some((value.clone(), expr.ty.sql)),
        Kind::Variable(slot) => {
            let value = values.get(*slot).filter(|value| !matches!(value, Value::Null))?;
            Some((value.clone(), expr.ty.sql))
        }
        Kind::Cast { expr: inner, style, .. } => {
            let (value, from) = constant(inner, values)?;
            Some((cast::cast(&value, &from, &expr.ty.sql, *style, CastRules::DEFAULT).ok()?, expr.ty.sql))
        }
        _ => None,
    }
}

/// A bound's value in the type of its column, for estimates; `is_low` says which end it is.
pub(crate) fn guessed(
    bound: &RangeBound,
    is_low: bool,
    column: &SqlType,
    collation: Collation,
    values: &[Value],
) -> Option<(Value, bool)> {
    let (value, sql) = constant(&bound.probe.expr, values)?;
    let value = &value;
    let end_of = |text: String| {
        let end = if is_low { text } else { text + "\u{10FFFF}" };
        Some((Value::str(&end), is_low))
    };
    let of_period = |period, next| {
        let start = start(period, next, value)?;
        let value = cast::cast(&start, &SqlType::Date, column, None, CastRules::DEFAULT).ok()?;
        Some((value, bound.inclusive))
    };
    match &bound.at {
        BoundAt::Value if sql == *column => Some((value.clone(), bound.inclusive)),
        BoundAt::Value => {
            let value = cast::cast(value, &sql, column, None, CastRules::DEFAULT).ok()?;
            Some((value, bound.inclusive))
        }
        BoundAt::Start(period) => of_period(*period, false),
        BoundAt::Next(period) => of_period(*period, true),
        BoundAt::Beginning => end_of(value.as_str()?.to_owned()),
        BoundAt::Pattern(escape) => {
            let escape = match escape.as_deref().map(|escape| &escape.kind) {
                None => None,
                Some(Kind::Literal(escape)) => Some(escape),
                Some(_) => return None,
            };
            end_of(beginning(value.as_str()?, escape, collation)?)
        }
    }
}
