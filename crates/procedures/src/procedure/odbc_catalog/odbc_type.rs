//! Types as ODBC's catalog functions report them.

use crate::procedure::named::{INT, SMALLINT, SYSNAME, nvarchar, varchar};
use millpond_types::{DecimalName, SqlType};

/// What `sp_columns` and `sp_sproc_columns` say of a type.
pub(super) struct OdbcType {
    /// ODBC's number.
    pub number: i16,
    /// Digits or characters.
    pub precision: i32,
    /// Bytes that a driver needs.
    pub length: i32,
    /// Digits after the point.
    pub scale: Option<i16>,
    /// 10 or 2 of numbers.
    pub radix: Option<i16>,
    /// Number without the datetime subtype.
    pub sql_number: i16,
    /// Datetime subtype.
    pub datetime_sub: Option<i16>,
    /// Bytes of texts and binaries.
    pub octets: Option<i32>,
    /// Number of the type in the oldest protocol.
    pub wire: u8,
}

/// Bytes of a text of ODBC without bound.
const LONG: i32 = i32::MAX;

impl OdbcType {
    fn new(number: i16, precision: i32, length: i32) -> OdbcType {
        OdbcType {
            number,
            precision,
            length,
            scale: None,
            radix: None,
            sql_number: number,
            datetime_sub: None,
            octets: None,
            wire: 0,
        }
    }

    fn number(number: i16, precision: i32, length: i32, scale: i16, wire: u8) -> OdbcType {
        OdbcType { scale: Some(scale), radix: Some(10), wire, ..OdbcType::new(number, precision, length) }
    }

    fn float(number: i16, precision: i32, length: i32, wire: u8) -> OdbcType {
        OdbcType { radix: Some(2), wire, ..OdbcType::new(number, precision, length) }
    }

    fn datetime_type(precision: i32, scale: i16, wire: u8, version: u8) -> OdbcType {
        let number = if version >= 3 { 93 } else { 11 };
        OdbcType {
            scale: Some(scale),
            sql_number: 9,
            datetime_sub: Some(3),
            wire,
            ..OdbcType::new(number, precision, 16)
        }
    }

    /// A type since 2008: older drivers get a text of its width.
    fn recent(number: i16, precision: i32, length: i32, scale: Option<i16>, is_new: bool) -> OdbcType {
        if is_new {
            return OdbcType { scale, ..OdbcType::new(number, precision, length) };
        }
        OdbcType::text(-9, precision, 2, 39)
    }

    fn text(number: i16, units: i32, unit_bytes: i32, wire: u8) -> OdbcType {
        OdbcType { octets: Some(units * unit_bytes), wire, ..OdbcType::new(number, units, units * unit_bytes) }
    }

    fn long(number: i16, units: i32, wire: u8, is_new: bool) -> OdbcType {
        let (units, length) = if is_new { (0, 0) } else { (units, LONG - 1) };
        OdbcType { octets: Some(length), wire, ..OdbcType::new(number, units, length) }
    }

    /// A type of the server; `version` is ODBC's (2 or 3), `is_new` is true for drivers that know the types of 2008.
    pub(super) fn of(sql: &SqlType, nullable: bool, version: u8, is_new: bool) -> OdbcType {
        let wire = |fixed: u8, nulls: u8| if nullable { nulls } else { fixed };
        let units = millpond_builtin::facts::system_type::text_units(sql).unwrap_or(0);
        let (digits, scale) = sql.precision_scale();
        let (digits, places) = (i32::from(digits), i16::from(scale));
        match sql {
            SqlType::Bit => OdbcType { wire: 50, ..OdbcType::new(-7, 1, 1) },
            SqlType::TinyInt => OdbcType::number(-6, 3, 1, 0, wire(48, 38)),
            SqlType::SmallInt => OdbcType::number(5, 5, 2, 0, wire(52, 38)),
            SqlType::Int => OdbcType::number(4, 10, 4, 0, wire(56, 38)),
            SqlType::BigInt => OdbcType::number(-5, 19, 8, 0, wire(63, 108)),
            SqlType::Real => OdbcType::float(7, 24, 4, wire(59, 109)),
            SqlType::Float => OdbcType::float(6, 53, 8, wire(62, 109)),
            SqlType::Decimal { name: DecimalName::Numeric, .. } => {
                OdbcType::number(2, digits, digits + 2, places, wire(63, 108))
            }
            SqlType::Decimal { .. } => OdbcType::number(3, digits, digits + 2, places, wire(55, 106)),
            SqlType::Money => OdbcType::number(3, 19, 21, 4, wire(60, 110)),
            SqlType::SmallMoney => OdbcType::number(3, 10, 12, 4, wire(122, 110)),
            SqlType::DateTime => OdbcType::datetime_type(23, 3, wire(61, 111), version),
            SqlType::SmallDateTime => OdbcType::datetime_type(16, 0, wire(58, 111), version),
            SqlType::DateTime2 { .. } if is_new => OdbcType::datetime_type(digits, places, 0, version),
            SqlType::Date => OdbcType::recent(91, 10, 6, None, is_new),
            SqlType::Time { .. } => OdbcType::recent(-154, digits, 12, Some(places), is_new),
            SqlType::DateTime2 { .. } => OdbcType::recent(93, digits, 16, Some(places), is_new),
            SqlType::DateTimeOffset { .. } => OdbcType::recent(-155, digits, 20, Some(places), is_new),
            SqlType::Char { .. } => OdbcType::text(1, units, 1, wire(47, 39)),
            SqlType::NChar { .. } => OdbcType::text(-8, units, 2, 39),
            SqlType::Binary { .. } => OdbcType::text(-2, units, 1, wire(45, 37)),
            SqlType::VarChar { .. } if units < 0 => OdbcType::long(if is_new { 12 } else { -1 }, LONG, 35, is_new),
            SqlType::NVarChar { .. } if units < 0 => {
                OdbcType::long(if is_new { -9 } else { -10 }, LONG / 2, 35, is_new)
            }
            SqlType::VarBinary { .. } if units < 0 => OdbcType::long(if is_new { -3 } else { -4 }, LONG, 34, is_new),
            SqlType::VarChar { .. } => OdbcType::text(12, units, 1, 39),
            SqlType::NVarChar { .. } => OdbcType::text(-9, units, 2, 39),
            SqlType::VarBinary { .. } => OdbcType::text(-3, units, 1, 37),
            SqlType::UniqueIdentifier => OdbcType { wire: 37, ..OdbcType::new(-11, 36, 16) },
            SqlType::RowVersion => OdbcType::text(-2, 8, 1, wire(45, 37)),
            SqlType::Xml => OdbcType::long(if is_new { -152 } else { -10 }, LONG / 2, 0, is_new),
            SqlType::Variant => OdbcType { wire: 39, ..OdbcType::new(-150, 8000, 8000) },
        }
    }
}

/// What a result of columns, and one of parameters, says of a type.
pub(super) fn type_columns() -> [(&'static str, SqlType); 14] {
    [
        ("DATA_TYPE", SMALLINT),
        ("TYPE_NAME", SYSNAME),
        ("PRECISION", INT),
        ("LENGTH", INT),
        ("SCALE", SMALLINT),
        ("RADIX", SMALLINT),
        ("NULLABLE", SMALLINT),
        ("REMARKS", varchar(254)),
        ("COLUMN_DEF", nvarchar(4000)),
        ("SQL_DATA_TYPE", SMALLINT),
        ("SQL_DATETIME_SUB", SMALLINT),
        ("CHAR_OCTET_LENGTH", INT),
        ("ORDINAL_POSITION", INT),
        ("IS_NULLABLE", varchar(254)),
    ]
}

/// What the newer ones say of types of the CLR and of XML besides.
pub(super) fn user_type_columns() -> [(&'static str, SqlType); 6] {
    [
        ("SS_UDT_CATALOG_NAME", SYSNAME),
        ("SS_UDT_SCHEMA_NAME", SYSNAME),
        ("SS_UDT_ASSEMBLY_TYPE_NAME", nvarchar(4000)),
        ("SS_XML_SCHEMACOLLECTION_CATALOG_NAME", SYSNAME),
        ("SS_XML_SCHEMACOLLECTION_SCHEMA_NAME", SYSNAME),
        ("SS_XML_SCHEMACOLLECTION_NAME", SYSNAME),
    ]
}

#[cfg(test)]
mod tests {
    use millpond_types::MaxLen;

    use super::*;

    #[test]
    fn lengths_are_those_a_driver_allocates() {
        let int = OdbcType::of(&SqlType::Int, false, 3, true);
        assert_eq!((int.number, int.precision, int.length, int.wire), (4, 10, 4, 56));
        let name = OdbcType::of(&SqlType::NVarChar { len: MaxLen::Limited(40) }, true, 3, true);
        assert_eq!((name.number, name.precision, name.length, name.octets), (-9, 40, 80, Some(80)));
        let datetime_type = OdbcType::of(&SqlType::DateTime, true, 3, false);
        assert_eq!((datetime_type.number, datetime_type.sql_number, datetime_type.datetime_sub), (93, 9, Some(3)));
        assert_eq!(OdbcType::of(&SqlType::Date, true, 2, false).number, -9);
        assert_eq!(OdbcType::of(&SqlType::DateTime, true, 2, false).number, 11);
    }
}
