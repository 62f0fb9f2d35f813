//! Parameters of calls: values with the types that a procedure declares.

use millpond_tds::rpc::RpcParameter;
use millpond_types::{Decimal, SqlType, Value};

/// `int`
pub(crate) fn int(name: &str, value: u32) -> RpcParameter {
    RpcParameter::input(name, SqlType::Int, Value::Int(i32::try_from(value).expect("keys are below 2^31")))
}

/// `int`, or NULL
pub(crate) fn int_or_null(name: &str, value: Option<u32>) -> RpcParameter {
    match value {
        Some(value) => int(name, value),
        None => RpcParameter::input(name, SqlType::Int, Value::Null),
    }
}

/// `tinyint`
pub(crate) fn tinyint(name: &str, value: u32) -> RpcParameter {
    RpcParameter::input(name, SqlType::TinyInt, Value::TinyInt(u8::try_from(value).expect("small by its range")))
}

/// `smallint`
pub(crate) fn smallint(name: &str, value: u32) -> RpcParameter {
    RpcParameter::input(name, SqlType::SmallInt, Value::SmallInt(i16::try_from(value).expect("small by its range")))
}

/// `bit`
pub(crate) fn bit(name: &str, value: bool) -> RpcParameter {
    RpcParameter::input(name, SqlType::Bit, Value::Bit(value))
}

/// `varchar(len)`, or NULL
pub(crate) fn varchar(name: &str, len: u16, value: Option<&str>) -> RpcParameter {
    let value = value.map_or(Value::Null, Value::str);
    RpcParameter::input(name, SqlType::varchar(len), value)
}

/// `decimal(precision, 2)` from hundredths
pub(crate) fn hundredths(name: &str, precision: u8, value: u32) -> RpcParameter {
    let value = Decimal::new(i128::from(value), 2).expect("two digits after the point are few");
    RpcParameter::input(name, SqlType::decimal(precision, 2), Value::Decimal(value))
}

/// The parameter as an output one.
pub(crate) fn output(mut parameter: RpcParameter) -> RpcParameter {
    parameter.is_output = true;
    parameter
}
