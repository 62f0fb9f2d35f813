//! Conversions of numbers, a whole array at a time: those whose result is the same as [`millpond_types::cast`]'s, value by
//! value. All others, and an array of which one value does not fit, are left to the row by row adapter.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::Decimal128Type;
use millpond_types::decimal::Decimal;
use millpond_types::{MaxLen, SqlType};

use crate::expression::convert;

/// The values as another type; `None`: value by value, or one does not fit.
pub(crate) fn whole(values: &ArrayRef, from: &SqlType, to: &SqlType) -> Option<ArrayRef> {
    if is_same(from, to) {
        return Some(Arc::clone(values));
    }
    if let (SqlType::Decimal { scale, .. }, SqlType::Float) = (from, to) {
        let floats: Float64Array =
            values.as_primitive_opt::<Decimal128Type>()?.unary(|unscaled| Decimal { unscaled, scale: *scale }.to_f64());
        return Some(Arc::new(floats));
    }
    if !is_plain(from, to) {
        return None;
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(values, &convert::data_type(to), &options).ok()
}

/// Whether [`whole`] converts values of a type to another one, unless one does not fit.
pub(crate) fn is_whole(from: &SqlType, to: &SqlType) -> bool {
    is_same(from, to) || matches!((from, to), (SqlType::Decimal { .. }, SqlType::Float)) || is_plain(from, to)
}

/// Whether every value of a type is one of the other as it is.
fn is_same(from: &SqlType, to: &SqlType) -> bool {
    let fits = |from: MaxLen, to: MaxLen| match (from, to) {
        (MaxLen::Limited(from), MaxLen::Limited(to)) => from <= to,
        (_, to) => to == from,
    };
    match (from, to) {
        (SqlType::VarChar { len: from, page: from_page }, SqlType::VarChar { len: to, page: to_page }) => {
            from_page == to_page && fits(*from, *to)
        }
        (SqlType::NVarChar { len: from }, SqlType::NVarChar { len: to }) => fits(*from, *to),
        _ => from == to,
    }
}

/// Whether Arrow's conversion is T-SQL's: exact, or to the nearest float.
fn is_plain(from: &SqlType, to: &SqlType) -> bool {
    match (integer_digits(from), to) {
        (Some(_), SqlType::Float) => true,
        (Some(digits), SqlType::Decimal { precision, scale, .. }) => digits <= precision - scale,
        (Some(_), to) => integer_digits(to).is_some(),
        (None, _) => widens(from, to),
    }
}

fn widens(from: &SqlType, to: &SqlType) -> bool {
    match (from, to) {
        (SqlType::Real, SqlType::Float) => true,
        (
            SqlType::Decimal { precision: from, scale: from_scale, .. },
            SqlType::Decimal { precision: to, scale: to_scale, .. },
        ) => from_scale <= to_scale && from - from_scale <= to - to_scale,
        _ => false,
    }
}

/// Digits of the largest value of an integer type.
fn integer_digits(sql: &SqlType) -> Option<u8> {
    match sql {
        SqlType::TinyInt => Some(3),
        SqlType::SmallInt => Some(5),
        SqlType::Int => Some(10),
        SqlType::BigInt => Some(19),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Array;
    use millpond_types::{CastRules, Value, cast};

    use super::*;
    use crate::expression::convert::{ColumnBuilder, ColumnReader};

    const TYPES: [SqlType; 10] = [
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Int,
        SqlType::BigInt,
        SqlType::Real,
        SqlType::Float,
        SqlType::decimal(10, 0),
        SqlType::decimal(12, 2),
        SqlType::decimal(38, 2),
        SqlType::decimal(38, 10),
    ];

    /// Texts of numbers at the ends of ranges.
    const NUMBERS: [&str; 14] = [
        "0",
        "1",
        "-1",
        "255",
        "256",
        "-32768",
        "32768",
        "2147483647",
        "-2147483649",
        "9223372036854775807",
        "99999999.99",
        "0.005",
        "-7.5",
        "16777217",
    ];

    fn array_of(values: &[Value], sql: &SqlType) -> ArrayRef {
        let mut builder = ColumnBuilder::new(sql, values.len());
        values.iter().for_each(|value| builder.push(value).expect("a value of the type"));
        builder.finish()
    }

    #[test]
    fn whole_arrays_become_what_each_value_becomes() {
        let mut compared = 0;
        for from in TYPES {
            let texts = NUMBERS.iter().map(|text| Value::str(text));
            let text = SqlType::SYSNAME;
            let values = texts.filter_map(|value| cast::cast(&value, &text, &from, None, CastRules::DEFAULT).ok());
            for value in values.chain([Value::Null]) {
                let array = array_of(&[value.clone(), Value::Null], &from);
                for to in TYPES {
                    let Some(whole) = whole(&array, &from, &to) else { continue };
                    let reader = ColumnReader::new(&whole, &to).expect("an array of the type");
                    let expected = cast::cast(&value, &from, &to, None, CastRules::DEFAULT).expect("it fits");
                    assert_eq!(reader.value(0), expected, "{value:?} of {from:?} as {to:?}");
                    assert!(whole.is_null(1));
                    compared += 1;
                }
            }
        }
        assert!(compared > 300, "{compared}");
    }

    #[test]
    fn what_does_not_fit_is_left_to_the_row_by_row_cast() {
        let array = array_of(&[Value::Int(300)], &SqlType::Int);
        assert!(whole(&array, &SqlType::Int, &SqlType::TinyInt).is_none());
        assert!(whole(&array, &SqlType::Int, &SqlType::SmallInt).is_some());
    }
}
