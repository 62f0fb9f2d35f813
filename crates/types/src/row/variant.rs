//! A `sql_variant` as it is stored.
//!
//! ```text
//!  0   number of the base type (sys.types)
//!  1   format: 1
//!  2   decimal: precision, scale    time, datetime2, datetimeoffset: scale
//!      char, varchar, nchar, nvarchar: declared bytes (2), collation (4)    binary, varbinary: declared bytes (2)
//!  ..  the value
//! ```

use crate::collation::Collation;
use crate::row::RowError;
use crate::row::scalar::{damaged, put_fixed, put_variable, read_checked};
use crate::sql_type::{DecimalName, MaxLen, SqlType};
use crate::value::Variant;
use crate::variant::property_bytes;

const FORMAT: u8 = 1;

/// Writes a variant into exactly its bytes; `None` when its value is not of its type.
pub(super) fn put(variant: &Variant, slot: &mut [u8]) -> Option<()> {
    let base = &variant.base;
    let (head, rest) = slot.split_at_mut_checked(2)?;
    head.copy_from_slice(&[base.system_type_id(), FORMAT]);
    let (properties, data) = rest.split_at_mut_checked(property_bytes(base))?;
    match *base {
        SqlType::Decimal { precision, scale, .. } => properties.copy_from_slice(&[precision, scale]),
        SqlType::Time { scale } | SqlType::DateTime2 { scale } | SqlType::DateTimeOffset { scale } => {
            properties[0] = scale;
        }
        _ if !properties.is_empty() => {
            let declared = u16::try_from(base.max_bytes()?).ok()?;
            properties[..2].copy_from_slice(&declared.to_le_bytes());
            if let Some(collation) = properties.get_mut(2..) {
                collation.copy_from_slice(&variant.collation.number().to_le_bytes()[..collation.len()]);
            }
        }
        _ => {}
    }
    let put = if base.is_variable_length() { put_variable } else { put_fixed };
    put(&variant.value, base, data)
}

/// The variant of its stored bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Variant, RowError> {
    let cut = damaged("variant is cut off");
    let (&[id, format], rest) = bytes.split_first_chunk::<2>().ok_or(cut)?;
    if format != FORMAT {
        return Err(damaged("variant of an unknown format"));
    }
    let (base, collation, data) = read_base(id, rest)?;
    let value = read_checked(data, &base)?;
    Variant::new(base, collation, value).ok_or(damaged("variant of a type that it cannot hold"))
}

/// The base type, the collation and the value's bytes.
fn read_base(id: u8, rest: &[u8]) -> Result<(SqlType, Collation, &[u8]), RowError> {
    let cut = damaged("variant is cut off");
    let default = Collation::default();
    if let Some(base) = PLAIN.into_iter().find(|base| base.system_type_id() == id) {
        return Ok((base, default, rest));
    }
    match id {
        106 | 108 => {
            let (&[precision, scale], data) = rest.split_first_chunk::<2>().ok_or(cut)?;
            if !(1..=38).contains(&precision) || scale > precision {
                return Err(damaged("decimal out of range"));
            }
            let name = if id == 108 { DecimalName::Numeric } else { DecimalName::Decimal };
            Ok((SqlType::Decimal { precision, scale, name }, default, data))
        }
        41..=43 => {
            let (&[scale], data) = rest.split_first_chunk::<1>().ok_or(cut)?;
            if scale > 7 {
                return Err(damaged("time out of range"));
            }
            let base = match id {
                41 => SqlType::Time { scale },
                42 => SqlType::DateTime2 { scale },
                _ => SqlType::DateTimeOffset { scale },
            };
            Ok((base, default, data))
        }
        _ => {
            let (declared, rest) = rest.split_first_chunk::<2>().ok_or(cut)?;
            let mut base = sized(id, u16::from_le_bytes(*declared)).ok_or(damaged("variant of an unknown type"))?;
            let (collation, data) = match base.is_string() {
                true => {
                    let (number, data) = rest.split_first_chunk::<4>().ok_or(cut)?;
                    (Collation::by_number(u32::from_le_bytes(*number)).ok_or(damaged("unknown collation"))?, data)
                }
                false => (default, rest),
            };
            base = base.in_page(collation.page());
            within_declared(&base, data)?;
            Ok((base, collation, data))
        }
    }
}

fn within_declared(base: &SqlType, data: &[u8]) -> Result<(), RowError> {
    match base.max_bytes() {
        Some(bytes) if data.len() > bytes as usize => Err(damaged("variant longer than declared")),
        _ => Ok(()),
    }
}

/// Types without properties.
const PLAIN: [SqlType; 13] = [
    SqlType::Bit,
    SqlType::TinyInt,
    SqlType::SmallInt,
    SqlType::Int,
    SqlType::BigInt,
    SqlType::Real,
    SqlType::Float,
    SqlType::SmallMoney,
    SqlType::Money,
    SqlType::Date,
    SqlType::SmallDateTime,
    SqlType::DateTime,
    SqlType::UniqueIdentifier,
];

/// A text or binary type of so many bytes.
fn sized(id: u8, bytes: u16) -> Option<SqlType> {
    let units = bytes / 2;
    let (base, len) = match id {
        167 => (SqlType::varchar(bytes), bytes),
        175 => (SqlType::char(bytes), bytes),
        231 => (SqlType::NVarChar { len: MaxLen::Limited(units) }, units),
        239 => (SqlType::NChar { len: units }, units),
        165 => (SqlType::VarBinary { len: MaxLen::Limited(bytes) }, bytes),
        173 => (SqlType::Binary { len: bytes }, bytes),
        _ => return None,
    };
    (len > 0 && bytes <= SqlType::BYTES_MAX).then_some(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::row::{value_from_bytes, value_to_bytes};

    #[test]
    fn a_variant_has_the_documented_bytes() {
        let base = SqlType::NVarChar { len: MaxLen::Limited(10) };
        let variant = Variant::new(base, Collation::LATIN1_CS_AS, Value::str("a")).expect("holds texts");
        let mut bytes = Vec::new();
        value_to_bytes(&SqlType::Variant, &Value::from(variant.clone()), &mut bytes).expect("fits");
        assert_eq!(bytes, [231, 1, 20, 0, 1, 0, 0, 0, b'a', 0]);
        assert_eq!(value_from_bytes(&SqlType::Variant, &bytes), Ok(Value::from(variant)));
    }

    #[test]
    fn damaged_variants_are_refused() {
        for bytes in [
            &[][..],
            &[56],
            &[56, 2, 1, 0, 0, 0],
            &[56, 1, 1, 0, 0],
            &[98, 1, 56, 1, 0, 0, 0, 0],
            &[106, 1, 39, 0, 1, 0, 0, 0, 0],
            &[41, 1, 8, 0, 0, 0],
            &[167, 1, 1, 0, 0, 0, 0, 0, b'a', b'b'],
            &[167, 1, 0, 0, 0, 0, 0, 0],
            &[167, 1, 1, 0, 99, 0, 0, 0, b'a'],
        ] {
            assert!(matches!(value_from_bytes(&SqlType::Variant, bytes), Err(RowError::Damaged { .. })), "{bytes:?}");
        }
    }
}
