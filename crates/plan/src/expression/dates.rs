//! Years, months and days of dates, a whole array at a time: what [`millpond_types::date_functions::date_part`] says of
//! each value.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array};
use datafusion::arrow::datatypes::Int64Type;
use millpond_builtin::FunctionDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_types::temporal::{Date, DatePart, DateTime, SmallDateTime, Time};
use millpond_types::{SqlType, Value};

/// The parts that a call takes of all `dates`, its only column; none when it is no such call.
pub(crate) fn whole(def: &FunctionDef, args: &[BoundExpr], dates: &ArrayRef) -> Option<ArrayRef> {
    let (part, date) = match (def.name, args) {
        ("YEAR", [date]) => (DatePart::Year, date),
        ("MONTH", [date]) => (DatePart::Month, date),
        ("DAY", [date]) => (DatePart::Day, date),
        ("DATEPART", [part, date]) => (part_of(part)?, date),
        _ => return None,
    };
    if !matches!(date.kind, Kind::Column(0)) {
        return None;
    }
    let numbers = dates.as_primitive_opt::<Int64Type>()?;
    let day = days_of(&date.ty.sql)?;
    let array: Int32Array = match part {
        DatePart::Year => numbers.unary(|n| civil(day(n)).0),
        DatePart::Month => numbers.unary(|n| civil(day(n)).1.cast_signed()),
        _ => numbers.unary(|n| civil(day(n)).2.cast_signed()),
    };
    Some(Arc::new(array))
}

/// Which of the three a date part is, as the binder hands it.
fn part_of(part: &BoundExpr) -> Option<DatePart> {
    let Kind::Literal(Value::Int(number)) = part.kind else { return None };
    [DatePart::Year, DatePart::Month, DatePart::Day].into_iter().find(|&part| part as i32 == number)
}

/// The day since 0001-01-01 that a number of [`crate::expression::convert::long_of`] lies in.
fn days_of(sql: &SqlType) -> Option<fn(i64) -> i64> {
    const FIRST: i64 = Date::DEFAULT.days as i64;
    Some(match sql {
        SqlType::Date => |n| n,
        SqlType::DateTime2 { .. } => |n| n / Time::TICKS_PER_DAY.cast_signed(),
        SqlType::DateTime => |n| n.div_euclid(DateTime::TICKS_PER_DAY as i64) + FIRST,
        SqlType::SmallDateTime => |n| n / SmallDateTime::MINUTES_PER_DAY as i64 + FIRST,
        _ => return None,
    })
}

/// Year, month and day; what stands in the place of a NULL is the first day.
fn civil(days: i64) -> (i32, u32, u32) {
    Date { days: days as i32 }.civil()
}

#[cfg(test)]
mod tests {
    use millpond_types::CastRules;
    use millpond_types::collation::Collation;
    use millpond_types::date_functions::date_part;
    use millpond_types::temporal::DATE_FIRST_DEFAULT;

    use super::*;
    use crate::expression::convert::{ColumnBuilder, ColumnReader};
    use crate::scan::decode::tests::samples;
    use millpond_builtin as builtin;
    use millpond_catalog::expr::ExprType;

    #[test]
    fn parts_of_arrays_are_those_of_each_value() {
        let kinds = [SqlType::Date, SqlType::DateTime, SqlType::SmallDateTime, SqlType::DateTime2 { scale: 3 }];
        for sql in kinds {
            let mut values = samples(&sql);
            values.extend((0..400).filter_map(|n| {
                let text = format!("{}-{:02}-{:02}", 1900 + n / 3, n % 12 + 1, n % 28 + 1);
                millpond_types::cast::cast(&Value::str(&text), &SqlType::SYSNAME, &sql, None, CastRules::DEFAULT).ok()
            }));
            let mut builder = ColumnBuilder::new(&sql, values.len());
            values.iter().for_each(|value| builder.push(value).expect("a value of the type"));
            let array = builder.finish();
            let column = BoundExpr::column(0, ExprType::of(sql, true, Collation::default()));
            for (name, part) in [("YEAR", DatePart::Year), ("MONTH", DatePart::Month), ("DAY", DatePart::Day)] {
                let def = builtin::find(name).expect("a function");
                let parts = whole(def, std::slice::from_ref(&column), &array).expect("a part of a date");
                let reader = ColumnReader::new(&parts, &SqlType::Int).expect("integers");
                for (row, value) in values.iter().enumerate() {
                    let expected = match value {
                        Value::Null => Value::Null,
                        value => date_part(part, value, DATE_FIRST_DEFAULT).expect("a date"),
                    };
                    assert_eq!(reader.value(row), expected, "{name} of {value:?}");
                }
            }
        }
    }
}
