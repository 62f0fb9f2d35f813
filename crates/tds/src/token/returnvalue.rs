//! RETURNVALUE: an output parameter of a call.
//!
//! ```text
//!  AC ┼ ordinal (2) ┼ name (B_VARCHAR) ┼ status (1) ┼ user type (4) ┼ flags (2) ┼ TYPE_INFO ┼ value
//! ```

use millpond_types::{SqlType, Value};

use crate::TdsError;
use crate::type_info::{TypeInfo, put_plain_type_info};
use crate::value::{Place, put_value, read_value};
use crate::wire::{Reader, put_b_varchar, put_u16, put_u32};

pub(crate) const TOKEN: u8 = 0xAC;
const OUTPUT_PARAMETER: u8 = 1;
const FUNCTION_RESULT: u8 = 2;

/// The token.
#[derive(Clone, Debug)]
pub struct ReturnValue {
    /// Which parameter of the call, from 0.
    pub ordinal: u16,
    /// Its name with `@`, or empty when the call named none.
    pub name: String,
    /// It is the result of a scalar function, not a parameter.
    pub is_function_result: bool,
    /// Its type.
    pub sql_type: SqlType,
    /// Its value.
    pub value: Value,
}

impl ReturnValue {
    /// Appends the token; nothing when the value is not of the type.
    pub fn put(&self, out: &mut Vec<u8>) -> Result<(), TdsError> {
        let start = out.len();
        out.push(TOKEN);
        put_u16(out, self.ordinal);
        put_b_varchar(out, &self.name);
        out.push(if self.is_function_result { FUNCTION_RESULT } else { OUTPUT_PARAMETER });
        put_u32(out, 0);
        put_u16(out, 0);
        put_plain_type_info(out, self.sql_type);
        put_value(out, self.sql_type, &self.value).inspect_err(|_| out.truncate(start))
    }

    /// Reads the token after its first byte.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let what = "RETURNVALUE";
        let ordinal = reader.u16(what)?;
        let name = reader.b_varchar(what)?;
        let status = reader.u8(what)?;
        reader.bytes(6, what)?;
        let info = TypeInfo::read(reader)?;
        let value = read_value(reader, &info, Place::Parameter)?;
        let is_function_result = status == FUNCTION_RESULT;
        Ok(Self { ordinal, name, is_function_result, sql_type: info.sql_type(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_and_back() {
        let handle = ReturnValue {
            ordinal: 0,
            name: String::new(),
            is_function_result: false,
            sql_type: SqlType::Int,
            value: Value::Int(7),
        };
        let mut out = Vec::new();
        handle.put(&mut out).unwrap();
        assert_eq!(out, [0xAC, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x26, 4, 4, 7, 0, 0, 0]);
        let back = ReturnValue::read(&mut Reader::new(&out[1..])).unwrap();
        assert_eq!(format!("{back:?}"), format!("{handle:?}"));
    }

    #[test]
    fn a_wrong_value_leaves_no_trace() {
        let wrong = ReturnValue {
            ordinal: 0,
            name: "@a".into(),
            is_function_result: false,
            sql_type: SqlType::Date,
            value: Value::Int(7),
        };
        let mut out = vec![1];
        assert!(wrong.put(&mut out).is_err());
        assert_eq!(out, [1]);
    }
}
