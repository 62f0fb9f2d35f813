//! Values of each type, in order.

use millpond_types::decimal::Decimal;
use millpond_types::sql_type::MaxLen;
use millpond_types::temporal::{Date, DateTime, DateTime2, SmallDateTime, Time};
use millpond_types::{SqlType, Value};

fn decimal(unscaled: i128, scale: u8) -> Value {
    Value::Decimal(Decimal { unscaled, scale })
}

/// Each type with values in ascending order (texts by bytes, which is the arrays' order, not a collation's).
pub(crate) fn samples() -> Vec<(SqlType, Vec<Value>)> {
    let guid = |place: usize, byte: u8| {
        let mut guid = [0; 16];
        guid[place] = byte;
        Value::Guid(guid)
    };
    let at = |days, ticks| Value::DateTime(DateTime { days, ticks });
    let at2 = |days, ticks| Value::DateTime2(DateTime2 { date: Date { days }, time: Time { ticks } });
    let small = |days, minutes| Value::SmallDateTime(SmallDateTime { days, minutes });
    let texts = || vec![Value::str(""), Value::str("Zoë"), Value::str("abc "), Value::str("日本")];
    let bytes = || vec![Value::binary(&[]), Value::binary(&[0, 255]), Value::binary(&[1])];
    vec![
        (SqlType::Bit, vec![Value::Bit(false), Value::Bit(true)]),
        (SqlType::TinyInt, vec![Value::TinyInt(0), Value::TinyInt(255)]),
        (SqlType::SmallInt, vec![Value::SmallInt(i16::MIN), Value::SmallInt(i16::MAX)]),
        (SqlType::Int, vec![Value::Int(i32::MIN), Value::Int(0), Value::Int(i32::MAX)]),
        (SqlType::BigInt, vec![Value::BigInt(i64::MIN), Value::BigInt(i64::MAX)]),
        (SqlType::Real, vec![Value::Real(-1.5), Value::Real(0.0), Value::Real(3.0e38)]),
        (SqlType::Float, vec![Value::Float(-1e300), Value::Float(0.0), Value::Float(1e300)]),
        (SqlType::decimal(38, 10), vec![decimal(-(10_i128.pow(38) - 1), 10), decimal(1, 10)]),
        (SqlType::SmallMoney, vec![Value::Money(-1), Value::Money(2_147_483_647)]),
        (SqlType::Money, vec![Value::Money(i64::MIN), Value::Money(i64::MAX)]),
        (SqlType::Date, vec![Value::Date(Date::MIN), Value::Date(Date::MAX)]),
        (
            SqlType::Time { scale: 7 },
            vec![Value::Time(Time { ticks: 0 }), Value::Time(Time { ticks: 863_999_999_999 })],
        ),
        (SqlType::SmallDateTime, vec![small(0, 1439), small(1, 0), small(65_535, 1439)]),
        (SqlType::DateTime, vec![at(-53_690, 5), at(-1, 25_919_999), at(0, 0), at(2_958_463, 25_919_999)]),
        (SqlType::DateTime2 { scale: 7 }, vec![at2(0, 0), at2(0, 863_999_999_999), at2(3_652_058, 863_999_999_999)]),
        (SqlType::char(5), texts()),
        (SqlType::VARCHAR_MAX, texts()),
        (SqlType::NChar { len: 5 }, texts()),
        (SqlType::NVarChar { len: MaxLen::Limited(10) }, texts()),
        (SqlType::Binary { len: 2 }, bytes()),
        (SqlType::VarBinary { len: MaxLen::Max }, bytes()),
        (SqlType::UniqueIdentifier, vec![guid(3, 255), guid(0, 0).clone(), guid(8, 1), guid(15, 1), guid(10, 1)]),
    ]
}
