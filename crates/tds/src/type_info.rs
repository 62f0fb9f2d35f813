//! TYPE_INFO: how the wire names a type, and how values of it are framed.
//!
//! ```text
//!  ├ type ┼ …
//!   26 INTN, 68 BITN, 6D FLTN, 6E MONEYN, 6F DATETIMN, 24 GUID : length (1)             byte-length values
//!   6A DECIMALN, 6C NUMERICN                                   : length, precision, scale
//!   28 DATEN : nothing     29 TIMEN, 2A DATETIME2N, 2B DATETIMEOFFSETN : scale (1)
//!   A5 BIGVARBINARY, AD BIGBINARY                              : length (2)             short-length values
//!   A7 BIGVARCHAR, AF BIGCHAR, E7 NVARCHAR, EF NCHAR           : length (2), collation (5)
//!        length FFFF is (max)                                                           chunked (PLP) values
//!   23 TEXT, 63 NTEXT, 22 IMAGE                                : length (4) [collation (5)]
//!   62 SSVARIANT                                              : length (4)             values with their own type
//!   F1 XML                                                     : schema (1)             chunked (PLP) values
//!   30 INT1, 32 BIT, 34 INT2, 38 INT4, 7F INT8, 3B FLT4, 3E FLT8, 3A DATETIM4, 3D DATETIME, 3C MONEY, 7A MONEY4 : nothing
//! ```
//!
//! We write nullable forms only: they cost a byte per value, and a NULL can then never break the stream.
//! A `rowversion` travels as `binary(8)`. CLR types, which we do not have, are read from other servers as bytes; as
//! parameters they are refused with [`TdsError::Unsupported`].

use millpond_types::{DecimalName, MaxLen, SqlType};

use crate::TdsError;
use crate::collation::Collation;
use crate::wire::{Reader, put_u16, put_u32};

/// Length that announces (max).
const MAX_LENGTH: u16 = 0xFFFF;
/// Longest declared length of a limited string, in bytes.
pub(crate) const LIMITED_BYTES_MAX: u16 = 8000;

/// Longest value of a `sql_variant`, as SQL Server declares it.
const VARIANT_BYTES_MAX: u32 = 8009;

/// How a value of the type is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Always this many bytes; 0 for the type of an untyped NULL.
    Fixed(u8),
    /// A byte that counts; 0 is NULL.
    ByteLength,
    /// Two bytes that count; FFFF is NULL.
    ShortLength,
    /// Chunks.
    Chunked,
    /// Four bytes that count; in rows after a text pointer.
    Text,
    /// Four bytes that count, then type and value.
    Variant,
}

/// What the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of ours.
    Sql(SqlType),
    /// A CLR type.
    Clr,
}

/// A type as read from the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeInfo {
    pub(crate) kind: Kind,
    pub(crate) framing: Framing,
    pub(crate) collation: Collation,
}

impl TypeInfo {
    /// The type in which values of it are handed out.
    pub(crate) fn sql_type(&self) -> SqlType {
        match self.kind {
            Kind::Sql(sql_type) => sql_type,
            Kind::Clr => SqlType::VarBinary { len: MaxLen::Max },
        }
    }

    /// The type of a parameter, which must be one of ours.
    pub(crate) fn parameter_type(&self) -> Result<SqlType, TdsError> {
        match self.kind {
            Kind::Sql(sql_type) => Ok(sql_type),
            Kind::Clr => Err(TdsError::Unsupported { what: "a parameter of a CLR type" }),
        }
    }

    fn new(sql_type: SqlType, framing: Framing) -> Self {
        Self { kind: Kind::Sql(sql_type), framing, collation: Collation::default() }
    }

    /// Reads a TYPE_INFO.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let byte = reader.u8("data type")?;
        if let Some(info) = fixed(byte) {
            return Ok(info);
        }
        match byte {
            0x26 | 0x68 | 0x6D | 0x6E | 0x6F | 0x24 => read_nullable(byte, reader.u8("type length")?),
            0x6A | 0x37 => read_decimal(reader, DecimalName::Decimal),
            0x6C | 0x3F => read_decimal(reader, DecimalName::Numeric),
            0x28 => Ok(Self::new(SqlType::Date, Framing::ByteLength)),
            0x29..=0x2B => read_scaled(byte, reader.u8("type scale")?),
            0xA5 | 0xA7 | 0xAD | 0xAF | 0xE7 | 0xEF => read_string(byte, reader),
            0x25 | 0x27 | 0x2D | 0x2F => read_old_string(byte, reader.u8("type length")?),
            0x22 | 0x23 | 0x63 => read_text(byte, reader),
            0x62 => {
                reader.u32("type length")?;
                Ok(Self::new(SqlType::Variant, Framing::Variant))
            }
            0xF1 => read_xml(reader),
            0xF0 => read_clr(reader),
            0xF3 => Err(TdsError::malformed("a table where none can be")),
            _ => Err(TdsError::UnknownDataType(byte)),
        }
    }
}

fn fixed(byte: u8) -> Option<TypeInfo> {
    let (sql_type, length) = match byte {
        0x1F => (SqlType::NVarChar { len: MaxLen::Limited(1) }, 0),
        0x30 => (SqlType::TinyInt, 1),
        0x32 => (SqlType::Bit, 1),
        0x34 => (SqlType::SmallInt, 2),
        0x38 => (SqlType::Int, 4),
        0x7F => (SqlType::BigInt, 8),
        0x3B => (SqlType::Real, 4),
        0x3E => (SqlType::Float, 8),
        0x3A => (SqlType::SmallDateTime, 4),
        0x3D => (SqlType::DateTime, 8),
        0x3C => (SqlType::Money, 8),
        0x7A => (SqlType::SmallMoney, 4),
        _ => return None,
    };
    Some(TypeInfo::new(sql_type, Framing::Fixed(length)))
}

fn read_nullable(byte: u8, length: u8) -> Result<TypeInfo, TdsError> {
    let sql_type = match (byte, length) {
        (0x26, 1) => SqlType::TinyInt,
        (0x26, 2) => SqlType::SmallInt,
        (0x26, 4) => SqlType::Int,
        (0x26, 8) => SqlType::BigInt,
        (0x68, 1) => SqlType::Bit,
        (0x6D, 4) => SqlType::Real,
        (0x6D, 8) => SqlType::Float,
        (0x6E, 4) => SqlType::SmallMoney,
        (0x6E, 8) => SqlType::Money,
        (0x6F, 4) => SqlType::SmallDateTime,
        (0x6F, 8) => SqlType::DateTime,
        // NULL may be declared with no length.
        (0x24, 0 | 16) => SqlType::UniqueIdentifier,
        _ => return Err(TdsError::malformed("type length")),
    };
    Ok(TypeInfo::new(sql_type, Framing::ByteLength))
}

fn read_decimal(reader: &mut Reader<'_>, name: DecimalName) -> Result<TypeInfo, TdsError> {
    let [length, precision, scale] = reader.array("decimal type")?;
    // Drivers declare a column of NULLs alone with no digits at all.
    let precision = if precision == 0 { 38 } else { precision };
    if precision > 38 || scale > precision || length > 17 {
        return Err(TdsError::malformed("decimal type"));
    }
    Ok(TypeInfo::new(SqlType::Decimal { precision, scale, name }, Framing::ByteLength))
}

fn read_scaled(byte: u8, scale: u8) -> Result<TypeInfo, TdsError> {
    if scale > 7 {
        return Err(TdsError::malformed("type scale"));
    }
    let sql_type = match byte {
        0x29 => SqlType::Time { scale },
        0x2A => SqlType::DateTime2 { scale },
        _ => SqlType::DateTimeOffset { scale },
    };
    Ok(TypeInfo::new(sql_type, Framing::ByteLength))
}

fn read_string(byte: u8, reader: &mut Reader<'_>) -> Result<TypeInfo, TdsError> {
    let length = reader.u16("type length")?;
    let is_max = length == MAX_LENGTH;
    if !is_max && length > LIMITED_BYTES_MAX {
        return Err(TdsError::malformed("type length"));
    }
    let collation = match byte {
        0xA5 | 0xAD => Collation::default(),
        _ => Collation::read(reader)?,
    };
    // Drivers declare length 0 for an empty text, which no T-SQL type has.
    let bytes = length.max(1);
    let units = length.div_ceil(2).max(1);
    let sql_type = match (byte, is_max) {
        (0xA5, false) => SqlType::VarBinary { len: MaxLen::Limited(bytes) },
        (0xA5, true) => SqlType::VarBinary { len: MaxLen::Max },
        (0xA7, false) => SqlType::varchar(bytes).in_page(collation.page()),
        (0xA7, true) => SqlType::VARCHAR_MAX.in_page(collation.page()),
        (0xE7, false) => SqlType::NVarChar { len: MaxLen::Limited(units) },
        (0xE7, true) => SqlType::NVarChar { len: MaxLen::Max },
        (0xAD, false) => SqlType::Binary { len: bytes },
        (0xAF, false) => SqlType::char(bytes).in_page(collation.page()),
        (0xEF, false) => SqlType::NChar { len: units },
        _ => return Err(TdsError::malformed("type length")),
    };
    let framing = if is_max { Framing::Chunked } else { Framing::ShortLength };
    Ok(TypeInfo { kind: Kind::Sql(sql_type), framing, collation })
}

/// The one-byte lengths of TDS 4.2, still sent by some clients.
fn read_old_string(byte: u8, length: u8) -> Result<TypeInfo, TdsError> {
    let len = u16::from(length.max(1));
    let sql_type = match byte {
        0x25 => SqlType::VarBinary { len: MaxLen::Limited(len) },
        0x27 => SqlType::varchar(len),
        0x2D => SqlType::Binary { len },
        _ => SqlType::char(len),
    };
    Ok(TypeInfo::new(sql_type, Framing::ByteLength))
}

fn read_text(byte: u8, reader: &mut Reader<'_>) -> Result<TypeInfo, TdsError> {
    reader.u32("type length")?;
    let (sql_type, collation) = match byte {
        0x22 => (SqlType::VarBinary { len: MaxLen::Max }, Collation::default()),
        0x23 => {
            let collation = Collation::read(reader)?;
            (SqlType::VARCHAR_MAX.in_page(collation.page()), collation)
        }
        _ => (SqlType::NVarChar { len: MaxLen::Max }, Collation::read(reader)?),
    };
    Ok(TypeInfo { kind: Kind::Sql(sql_type), framing: Framing::Text, collation })
}

fn read_xml(reader: &mut Reader<'_>) -> Result<TypeInfo, TdsError> {
    if reader.u8("xml schema")? != 0 {
        reader.b_varchar("xml schema")?;
        reader.b_varchar("xml schema")?;
        reader.us_varchar("xml schema")?;
    }
    Ok(TypeInfo::new(SqlType::Xml, Framing::Chunked))
}

fn read_clr(reader: &mut Reader<'_>) -> Result<TypeInfo, TdsError> {
    reader.u16("CLR type")?;
    for _ in 0..3 {
        reader.b_varchar("CLR type")?;
    }
    reader.us_varchar("CLR type")?;
    Ok(TypeInfo { kind: Kind::Clr, framing: Framing::Chunked, collation: Collation::default() })
}

/// Bytes of a `decimal` of that precision, with its sign.
pub(crate) fn decimal_bytes(precision: u8) -> u8 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}

/// Writes the TYPE_INFO of one of our types in the default collation of its code page.
pub(crate) fn put_plain_type_info(out: &mut Vec<u8>, sql_type: SqlType) {
    let collation = millpond_types::Collation::default().in_page(sql_type.page());
    put_type_info(out, sql_type, Collation::of(collation));
}

/// Writes the TYPE_INFO of one of our types.
pub(crate) fn put_type_info(out: &mut Vec<u8>, sql_type: SqlType, collation: Collation) {
    match sql_type {
        SqlType::Bit => out.extend_from_slice(&[0x68, 1]),
        SqlType::TinyInt => out.extend_from_slice(&[0x26, 1]),
        SqlType::SmallInt => out.extend_from_slice(&[0x26, 2]),
        SqlType::Int => out.extend_from_slice(&[0x26, 4]),
        SqlType::BigInt => out.extend_from_slice(&[0x26, 8]),
        SqlType::Real => out.extend_from_slice(&[0x6D, 4]),
        SqlType::Float => out.extend_from_slice(&[0x6D, 8]),
        SqlType::Decimal { precision, scale, name } => {
            let token = if matches!(name, DecimalName::Numeric) { 0x6C } else { 0x6A };
            out.extend_from_slice(&[token, decimal_bytes(precision), precision, scale]);
        }
        SqlType::SmallMoney => out.extend_from_slice(&[0x6E, 4]),
        SqlType::Money => out.extend_from_slice(&[0x6E, 8]),
        SqlType::Date => out.push(0x28),
        SqlType::Time { scale } => out.extend_from_slice(&[0x29, scale]),
        SqlType::SmallDateTime => out.extend_from_slice(&[0x6F, 4]),
        SqlType::DateTime => out.extend_from_slice(&[0x6F, 8]),
        SqlType::DateTime2 { scale } => out.extend_from_slice(&[0x2A, scale]),
        SqlType::DateTimeOffset { scale } => out.extend_from_slice(&[0x2B, scale]),
        SqlType::UniqueIdentifier => out.extend_from_slice(&[0x24, 16]),
        SqlType::RowVersion => put_binary_type(out, 0xAD, SqlType::ROW_VERSION_BYTES),
        SqlType::Xml => out.extend_from_slice(&[0xF1, 0]),
        SqlType::Variant => {
            out.push(0x62);
            put_u32(out, VARIANT_BYTES_MAX);
        }
        SqlType::Char { len, .. } => put_text_type(out, 0xAF, len, collation),
        SqlType::VarChar { len, .. } => put_text_type(out, 0xA7, declared_bytes(len, 1), collation),
        SqlType::NChar { len } => put_text_type(out, 0xEF, len.saturating_mul(2), collation),
        SqlType::NVarChar { len } => put_text_type(out, 0xE7, declared_bytes(len, 2), collation),
        SqlType::Binary { len } => put_binary_type(out, 0xAD, len),
        SqlType::VarBinary { len } => put_binary_type(out, 0xA5, declared_bytes(len, 1)),
    }
}

fn declared_bytes(len: MaxLen, unit_bytes: u16) -> u16 {
    match len {
        MaxLen::Limited(units) => units.saturating_mul(unit_bytes),
        MaxLen::Max => MAX_LENGTH,
    }
}

fn put_binary_type(out: &mut Vec<u8>, byte: u8, length: u16) {
    out.push(byte);
    put_u16(out, length);
}

fn put_text_type(out: &mut Vec<u8>, byte: u8, length: u16, collation: Collation) {
    put_binary_type(out, byte, length);
    out.extend_from_slice(&collation.to_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tests::all_types;

    fn read(bytes: &[u8]) -> Result<TypeInfo, TdsError> {
        let mut reader = Reader::new(bytes);
        let info = TypeInfo::read(&mut reader)?;
        assert!(reader.is_empty(), "{bytes:02X?}");
        Ok(info)
    }

    /// MS-TDS 2.2.5.4.2: lengths of GUIDTYPE are 16, and 0 for NULL.
    #[test]
    fn a_guid_may_be_declared_without_length() {
        for length in [0, 16] {
            let info = TypeInfo::read(&mut Reader::new(&[0x24, length])).unwrap();
            assert_eq!(info.sql_type(), SqlType::UniqueIdentifier);
        }
        assert!(TypeInfo::read(&mut Reader::new(&[0x24, 8])).is_err());
    }

    #[test]
    fn our_types_round_trip() {
        for sql_type in all_types() {
            let mut bytes = Vec::new();
            put_plain_type_info(&mut bytes, sql_type);
            assert_eq!(read(&bytes).unwrap().sql_type(), sql_type);
        }
    }

    #[test]
    fn known_bytes() {
        let mut bytes = Vec::new();
        put_plain_type_info(&mut bytes, SqlType::varchar(3));
        assert_eq!(bytes, [0xA7, 0x03, 0x00, 0x09, 0x04, 0xD0, 0x00, 0x34]);
        bytes.clear();
        put_plain_type_info(&mut bytes, SqlType::NVarChar { len: MaxLen::Max });
        assert_eq!(bytes, [0xE7, 0xFF, 0xFF, 0x09, 0x04, 0xD0, 0x00, 0x34]);
        bytes.clear();
        put_plain_type_info(&mut bytes, SqlType::decimal(18, 4));
        assert_eq!(bytes, [0x6A, 9, 18, 4]);
        let mut bytes = Vec::new();
        put_plain_type_info(&mut bytes, SqlType::numeric(18, 4));
        assert_eq!(bytes, [0x6C, 9, 18, 4]);
        for (token, name) in [(0x6A, "decimal"), (0x37, "decimal"), (0x6C, "numeric"), (0x3F, "numeric")] {
            let read = TypeInfo::read(&mut Reader::new(&[token, 9, 18, 4])).expect("a whole type");
            let Kind::Sql(sql) = read.kind else { panic!("{token:#x} is no plain type") };
            assert_eq!(sql.declaration(), format!("{name}(18,4)"));
        }
        for (sql_type, known) in [
            (SqlType::DateTimeOffset { scale: 7 }, &[0x2B, 7][..]),
            (SqlType::RowVersion, &[0xAD, 8, 0]),
            (SqlType::Xml, &[0xF1, 0]),
            (SqlType::Variant, &[0x62, 0x49, 0x1F, 0, 0]),
        ] {
            bytes.clear();
            put_plain_type_info(&mut bytes, sql_type);
            assert_eq!(bytes, known, "{sql_type}");
        }
    }

    #[test]
    fn what_clients_declare_oddly_becomes_a_type() {
        let info = read(&[0xE7, 0, 0, 9, 4, 0xD0, 0, 0x34]).unwrap();
        assert_eq!(info.sql_type(), SqlType::NVarChar { len: MaxLen::Limited(1) });
        assert_eq!(read(&[0x27, 20]).unwrap().sql_type(), SqlType::varchar(20));
        let ntext = read(&[0x63, 14, 0, 0, 0, 9, 4, 0xD0, 0, 0x34]).unwrap();
        assert_eq!(ntext.sql_type(), SqlType::NVarChar { len: MaxLen::Max });
        let utf8 = read(&[0xA7, 9, 0, 9, 4, 0xD0, 0x24, 0]).unwrap();
        assert_eq!(utf8.sql_type(), SqlType::varchar(9).in_page(millpond_types::CodePage::Utf8));
        assert_eq!(read(&[0x38]).unwrap().sql_type(), SqlType::Int);
    }

    #[test]
    fn types_that_we_lack_are_refused_as_parameters_only() {
        assert_eq!(read(&[0x2B, 7]).unwrap().parameter_type(), Ok(SqlType::DateTimeOffset { scale: 7 }));
        assert_eq!(read(&[0x62, 9, 0, 0, 0]).unwrap().parameter_type(), Ok(SqlType::Variant));
        assert_eq!(read(&[0xF1, 0]).unwrap().parameter_type(), Ok(SqlType::Xml));
        let clr = [0xF0, 0xFF, 0xFF, 0, 0, 0, 0, 0];
        assert!(read(&clr).unwrap().parameter_type().unwrap_err().is_unsupported());
        assert!(read(&[0xF3]).is_err(), "a table is a parameter, never a column");
        assert_eq!(read(&[0x99]), Err(TdsError::UnknownDataType(0x99)));
    }

    #[test]
    fn wrong_lengths_are_refused() {
        for bytes in
            [&[0x26, 3][..], &[0x6A, 9, 39, 0], &[0x6A, 9, 5, 6], &[0x29, 8], &[0xA5, 0x41, 0x1F], &[0xAD, 0xFF, 0xFF]]
        {
            assert!(read(bytes).is_err(), "{bytes:02X?}");
        }
    }
}
