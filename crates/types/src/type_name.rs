//! From a type's name and arguments, as written in T-SQL, to the type.
//!
//! Knows the synonyms of the standard (`character varying`, `double precision`). Does not know user types, nor where
//! the name stood: the two entry points differ only in the length that a name without one means.

use thiserror::Error;

use crate::decimal::MAX_PRECISION;
use crate::sql_type::{DecimalName, MaxLen, SqlType};

/// Stands for `max` among the arguments of [`parse_type_name`].
pub const MAX_ARGUMENT: u32 = u32::MAX;

/// `varchar` in a declaration is `varchar(1)`.
const DECLARED_LENGTH: u16 = 1;
/// `varchar` in CAST and CONVERT is `varchar(30)`.
const CAST_LENGTH: u16 = 30;

/// Why a type name is no type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TypeNameError {
    /// 2715: no such type.
    #[error("Cannot find data type {name}.")]
    Unknown {
        /// The name as written.
        name: String,
    },
    /// 2716: the type takes no length.
    #[error("Cannot specify a column width on data type {type_name}.")]
    NoLength {
        /// The type.
        type_name: &'static str,
    },
    /// 1001: zero, or an argument that the type cannot have.
    #[error("Length or precision specification {given} is invalid.")]
    InvalidLength {
        /// The length given.
        given: u32,
    },
    /// 131: the length is too large.
    #[error(
        "The size ({given}) given to the type '{type_name}' exceeds the maximum allowed for any data type ({max})."
    )]
    TooLong {
        /// The type.
        type_name: &'static str,
        /// The length given.
        given: u32,
        /// The largest length.
        max: u16,
    },
    /// 1002: the scale is larger than the type has.
    #[error("Specified scale {given} is invalid.")]
    InvalidScale {
        /// The scale given.
        given: u32,
    },
    /// 192: scale above precision.
    #[error("The scale must be less than or equal to the precision.")]
    ScaleAbovePrecision,
    /// 2750: more than 38 digits.
    #[error("Specified column precision {given} is greater than the maximum precision of 38.")]
    PrecisionTooLarge {
        /// The precision given.
        given: u32,
    },
}

impl TypeNameError {
    /// SQL Server's message number.
    #[must_use]
    pub fn number(&self) -> i32 {
        match self {
            Self::Unknown { .. } => 2715,
            Self::NoLength { .. } => 2716,
            Self::InvalidLength { .. } => 1001,
            Self::TooLong { .. } => 131,
            Self::InvalidScale { .. } => 1002,
            Self::ScaleAbovePrecision => 192,
            Self::PrecisionTooLarge { .. } => 2750,
        }
    }
}

/// The type of a name in a declaration: a missing length is 1. `max` is [`MAX_ARGUMENT`].
pub fn parse_type_name(name: &str, args: &[u32]) -> Result<SqlType, TypeNameError> {
    build(name, args, DECLARED_LENGTH)
}

/// The type of a name in CAST and CONVERT: a missing length is 30. `max` is [`MAX_ARGUMENT`].
pub fn parse_cast_type_name(name: &str, args: &[u32]) -> Result<SqlType, TypeNameError> {
    build(name, args, CAST_LENGTH)
}

fn build(name: &str, args: &[u32], missing: u16) -> Result<SqlType, TypeNameError> {
    let canonical = name.split_whitespace().map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" ");
    match canonical.as_str() {
        "char" | "character" => fixed_len("char", args, missing, SqlType::BYTES_MAX).map(SqlType::char),
        "nchar" | "national char" | "national character" => {
            fixed_len("nchar", args, missing, SqlType::UNITS_MAX).map(|len| SqlType::NChar { len })
        }
        "binary" => fixed_len("binary", args, missing, SqlType::BYTES_MAX).map(|len| SqlType::Binary { len }),
        "varchar" | "char varying" | "character varying" => {
            variable_len("varchar", args, missing, SqlType::BYTES_MAX).map(SqlType::varchar_of)
        }
        "nvarchar" | "national char varying" | "national character varying" => {
            variable_len("nvarchar", args, missing, SqlType::UNITS_MAX).map(|len| SqlType::NVarChar { len })
        }
        "varbinary" | "binary varying" => {
            variable_len("varbinary", args, missing, SqlType::BYTES_MAX).map(|len| SqlType::VarBinary { len })
        }
        "decimal" | "dec" => decimal(args),
        "numeric" => decimal(args).map(|sql| sql.called(DecimalName::Numeric)),
        "float" => float(args),
        "time" => fraction_digits("time", args).map(|scale| SqlType::Time { scale }),
        "datetimeoffset" => fraction_digits("datetimeoffset", args).map(|scale| SqlType::DateTimeOffset { scale }),
        "datetime2" => fraction_digits("datetime2", args).map(|scale| SqlType::DateTime2 { scale }),
        plain => without_arguments(plain, name, args),
    }
}

/// Types that take no arguments, and old names for `(max)` types.
fn without_arguments(canonical: &str, written: &str, args: &[u32]) -> Result<SqlType, TypeNameError> {
    let sql_type = match canonical {
        "bit" => SqlType::Bit,
        "tinyint" => SqlType::TinyInt,
        "smallint" => SqlType::SmallInt,
        "int" | "integer" => SqlType::Int,
        "bigint" => SqlType::BigInt,
        "real" => SqlType::Real,
        "double precision" => SqlType::Float,
        "smallmoney" => SqlType::SmallMoney,
        "money" => SqlType::Money,
        "date" => SqlType::Date,
        "smalldatetime" => SqlType::SmallDateTime,
        "datetime" => SqlType::DateTime,
        "uniqueidentifier" => SqlType::UniqueIdentifier,
        "rowversion" | "timestamp" => SqlType::RowVersion,
        "sql_variant" => SqlType::Variant,
        "xml" => SqlType::Xml,
        "sysname" => SqlType::SYSNAME,
        "text" => SqlType::VARCHAR_MAX,
        "ntext" | "national text" => SqlType::NVarChar { len: MaxLen::Max },
        "image" => SqlType::VarBinary { len: MaxLen::Max },
        _ => {
            return Err(TypeNameError::Unknown { name: written.to_owned() });
        }
    };
    if args.is_empty() { Ok(sql_type) } else { Err(TypeNameError::NoLength { type_name: sql_type.name() }) }
}

fn fixed_len(type_name: &'static str, args: &[u32], missing: u16, max: u16) -> Result<u16, TypeNameError> {
    match *args {
        [] => Ok(missing),
        [0] => Err(TypeNameError::InvalidLength { given: 0 }),
        // `char(max)` is no type; the message has no number to show, so it shows the limit.
        [MAX_ARGUMENT] => Err(TypeNameError::InvalidLength { given: u32::from(max) }),
        [given] => {
            u16::try_from(given).ok().filter(|&len| len <= max).ok_or(TypeNameError::TooLong { type_name, given, max })
        }
        _ => Err(TypeNameError::NoLength { type_name }),
    }
}

fn variable_len(type_name: &'static str, args: &[u32], missing: u16, max: u16) -> Result<MaxLen, TypeNameError> {
    match *args {
        [MAX_ARGUMENT] => Ok(MaxLen::Max),
        _ => fixed_len(type_name, args, missing, max).map(MaxLen::Limited),
    }
}

fn decimal(args: &[u32]) -> Result<SqlType, TypeNameError> {
    let (precision, scale) = match *args {
        [] => return Ok(SqlType::DECIMAL_DEFAULT),
        [precision] => (precision, 0),
        [precision, scale] => (precision, scale),
        _ => {
            return Err(TypeNameError::NoLength { type_name: "decimal" });
        }
    };
    if precision == 0 {
        return Err(TypeNameError::InvalidLength { given: 0 });
    }
    if precision > u32::from(MAX_PRECISION) {
        return Err(TypeNameError::PrecisionTooLarge { given: precision });
    }
    if scale > precision {
        return Err(TypeNameError::ScaleAbovePrecision);
    }
    // Both are at most 38.
    Ok(SqlType::decimal(precision as u8, scale as u8))
}

/// `float(1..=24)` is `real`.
fn float(args: &[u32]) -> Result<SqlType, TypeNameError> {
    match *args {
        [] | [25..=53] => Ok(SqlType::Float),
        [1..=24] => Ok(SqlType::Real),
        [given] => Err(TypeNameError::InvalidLength { given }),
        _ => Err(TypeNameError::NoLength { type_name: "float" }),
    }
}

fn fraction_digits(type_name: &'static str, args: &[u32]) -> Result<u8, TypeNameError> {
    match *args {
        [] => Ok(SqlType::FRACTION_DIGITS_DEFAULT),
        [scale @ 0..=7] => Ok(scale as u8),
        [given] => Err(TypeNameError::InvalidScale { given }),
        _ => Err(TypeNameError::NoLength { type_name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_mean_their_types() {
        let table = [
            ("INTEGER", &[][..], SqlType::Int),
            ("Dec", &[10, 2], SqlType::decimal(10, 2)),
            ("numeric", &[], SqlType::numeric(18, 0)),
            ("double  precision", &[], SqlType::Float),
            ("float", &[24], SqlType::Real),
            ("float", &[53], SqlType::Float),
            ("character varying", &[20], SqlType::varchar(20)),
            ("national char varying", &[MAX_ARGUMENT], SqlType::NVarChar { len: MaxLen::Max }),
            ("datetime2", &[], SqlType::DateTime2 { scale: 7 }),
            ("time", &[0], SqlType::Time { scale: 0 }),
            ("DateTimeOffset", &[3], SqlType::DateTimeOffset { scale: 3 }),
            ("rowversion", &[], SqlType::RowVersion),
            ("timestamp", &[], SqlType::RowVersion),
            ("sql_variant", &[], SqlType::Variant),
            ("xml", &[], SqlType::Xml),
            ("sysname", &[], SqlType::NVarChar { len: MaxLen::Limited(128) }),
        ];
        for (name, args, expected) in table {
            assert_eq!(parse_type_name(name, args), Ok(expected), "{name}");
        }
    }

    #[test]
    fn a_missing_length_is_1_declared_and_30_in_cast() {
        assert_eq!(parse_type_name("varchar", &[]), Ok(SqlType::varchar(1)));
        assert_eq!(parse_cast_type_name("varchar", &[]), Ok(SqlType::varchar(30)));
        assert_eq!(parse_cast_type_name("nchar", &[]), Ok(SqlType::NChar { len: 30 }));
    }

    #[test]
    fn bad_arguments_have_their_numbers() {
        let table = [
            ("varchar", &[8001][..], 131),
            ("nvarchar", &[4001], 131),
            ("char", &[0], 1001),
            ("char", &[MAX_ARGUMENT], 1001),
            ("decimal", &[39], 2750),
            ("decimal", &[5, 6], 192),
            ("datetime2", &[8], 1002),
            ("int", &[4], 2716),
            ("datetimeoffset", &[8], 1002),
            ("rowversion", &[8], 2716),
            ("geography", &[], 2715),
        ];
        for (name, args, number) in table {
            assert_eq!(parse_type_name(name, args).map_err(|error| error.number()), Err(number), "{name}");
        }
    }
}
