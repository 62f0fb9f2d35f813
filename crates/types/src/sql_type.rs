//! The scalar types of T-SQL with their parameters, their names and their precedence.
//!
//! A type says what a value may be and how it is stored; collation is a property of an expression and lives beside it.

use std::hash::{Hash, Hasher};

/// Declared length of a variable-length type: bytes for `varchar`/`varbinary`, UTF-16 units for `nvarchar`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaxLen {
    /// 1..=8000 (1..=4000 for `nvarchar`).
    Limited(u16),
    /// `(max)`.
    Max,
}

/// The code page of `char` and `varchar`, which follows from their collation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodePage {
    /// Code page 1252: a byte per character, as of all but those that are said to have two.
    #[default]
    Cp1252,
    /// UTF-8, of the collations named `_UTF8`.
    Utf8,
    /// MS-DOS, United States.
    Cp437,
    /// MS-DOS, western Europe.
    Cp850,
    /// Thai.
    Cp874,
    /// Japanese, of up to two bytes.
    Cp932,
    /// Simplified Chinese, of up to two bytes.
    Cp936,
    /// Korean, of up to two bytes.
    Cp949,
    /// Traditional Chinese, of up to two bytes.
    Cp950,
    /// Central Europe.
    Cp1250,
    /// Cyrillic.
    Cp1251,
    /// Greek.
    Cp1253,
    /// Turkish.
    Cp1254,
    /// Hebrew.
    Cp1255,
    /// Arabic.
    Cp1256,
    /// Baltic.
    Cp1257,
    /// Vietnamese.
    Cp1258,
}

impl CodePage {
    /// All of them.
    pub const ALL: [CodePage; 17] = [
        CodePage::Cp1252,
        CodePage::Utf8,
        CodePage::Cp437,
        CodePage::Cp850,
        CodePage::Cp874,
        CodePage::Cp932,
        CodePage::Cp936,
        CodePage::Cp949,
        CodePage::Cp950,
        CodePage::Cp1250,
        CodePage::Cp1251,
        CodePage::Cp1253,
        CodePage::Cp1254,
        CodePage::Cp1255,
        CodePage::Cp1256,
        CodePage::Cp1257,
        CodePage::Cp1258,
    ];

    /// Whether its characters have one byte or two.
    #[must_use]
    #[inline]
    pub const fn is_double_byte(self) -> bool {
        matches!(self, Self::Cp932 | Self::Cp936 | Self::Cp949 | Self::Cp950)
    }

    /// Most bytes of UTF-8 that a byte of another code page becomes: `€` has three.
    const UTF8_BYTES_PER_BYTE: u16 = 3;

    /// Its number as COLLATIONPROPERTY shows it.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Cp1252 => 1252,
            Self::Utf8 => 65001,
            Self::Cp437 => 437,
            Self::Cp850 => 850,
            Self::Cp874 => 874,
            Self::Cp932 => 932,
            Self::Cp936 => 936,
            Self::Cp949 => 949,
            Self::Cp950 => 950,
            Self::Cp1250 => 1250,
            Self::Cp1251 => 1251,
            Self::Cp1253 => 1253,
            Self::Cp1254 => 1254,
            Self::Cp1255 => 1255,
            Self::Cp1256 => 1256,
            Self::Cp1257 => 1257,
            Self::Cp1258 => 1258,
        }
    }
}

/// Which of its two names a `decimal` goes by. It is shown and never computed with: types that differ in nothing else
/// are equal.
#[derive(Clone, Copy, Debug, Default)]
pub enum DecimalName {
    /// `decimal`
    #[default]
    Decimal,
    /// `numeric`, as literals are called.
    Numeric,
}

impl DecimalName {
    /// The name of what is made of two decimals: `numeric` if both are.
    #[must_use]
    pub fn of_both(self, other: DecimalName) -> DecimalName {
        if matches!((self, other), (Self::Numeric, Self::Numeric)) { Self::Numeric } else { Self::Decimal }
    }
}

impl PartialEq for DecimalName {
    fn eq(&self, _: &DecimalName) -> bool {
        true
    }
}

impl Eq for DecimalName {}

impl Hash for DecimalName {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A scalar type of T-SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SqlType {
    /// `bit`
    Bit,
    /// `tinyint`, 0..=255
    TinyInt,
    /// `smallint`
    SmallInt,
    /// `int`
    Int,
    /// `bigint`
    BigInt,
    /// `real` = `float(24)`
    Real,
    /// `float` = `float(53)`
    Float,
    /// `decimal(p, s)` = `numeric(p, s)`; 1 <= p <= 38, 0 <= s <= p
    Decimal {
        /// Total digits.
        precision: u8,
        /// Digits after the point.
        scale: u8,
        /// What it is called.
        name: DecimalName,
    },
    /// `smallmoney`: 4 decimal digits in 32 bits
    SmallMoney,
    /// `money`: 4 decimal digits in 64 bits
    Money,
    /// `date`, 0001-01-01..=9999-12-31
    Date,
    /// `time(s)`, units of 100 ns, 0 <= s <= 7
    Time {
        /// Digits of the second's fraction.
        scale: u8,
    },
    /// `smalldatetime`, minutes
    SmallDateTime,
    /// `datetime`, 1/300 s
    DateTime,
    /// `datetime2(s)`
    DateTime2 {
        /// Digits of the second's fraction.
        scale: u8,
    },
    /// `datetimeoffset(s)`: a `datetime2` with its distance from UTC
    DateTimeOffset {
        /// Digits of the second's fraction.
        scale: u8,
    },
    /// `char(n)`, n bytes
    Char {
        /// 1..=8000
        len: u16,
        /// What the bytes mean.
        page: CodePage,
    },
    /// `varchar(n | max)`
    VarChar {
        /// Bound in bytes.
        len: MaxLen,
        /// What the bytes mean.
        page: CodePage,
    },
    /// `nchar(n)`, n UTF-16 units
    NChar {
        /// 1..=4000
        len: u16,
    },
    /// `nvarchar(n | max)`
    NVarChar {
        /// Bound in UTF-16 units.
        len: MaxLen,
    },
    /// `binary(n)`
    Binary {
        /// 1..=8000
        len: u16,
    },
    /// `varbinary(n | max)`
    VarBinary {
        /// Bound in bytes.
        len: MaxLen,
    },
    /// `uniqueidentifier`
    UniqueIdentifier,
    /// `rowversion`, which the catalog calls `timestamp`: 8 bytes, as `binary(8)`
    RowVersion,
    /// `xml`, held and stored as `nvarchar(max)`
    Xml,
    /// `sql_variant`: a value with a type of its own
    Variant,
}

impl SqlType {
    /// Whether values may be longer than 8,000 bytes: a `(max)` type, or xml.
    #[must_use]
    #[inline]
    pub const fn is_max(&self) -> bool {
        matches!(
            self,
            Self::VarChar { len: MaxLen::Max, .. }
                | Self::NVarChar { len: MaxLen::Max }
                | Self::VarBinary { len: MaxLen::Max }
                | Self::Xml
        )
    }

    /// `datetime2`, `time` without a scale.
    pub const FRACTION_DIGITS_DEFAULT: u8 = 7;
    /// `varchar(max)` of code page 1252.
    pub const VARCHAR_MAX: Self = Self::varchar_of(MaxLen::Max);
    /// `decimal` without arguments.
    pub const DECIMAL_DEFAULT: Self = Self::decimal(18, 0);
    /// `sysname`.
    pub const SYSNAME: Self = Self::NVarChar { len: MaxLen::Limited(128) };
    /// Most bytes of `char`, `varchar`, `binary` and `varbinary`, short of `max`.
    pub const BYTES_MAX: u16 = 8000;
    /// Most UTF-16 units of `nchar` and `nvarchar`, short of `max`.
    pub const UNITS_MAX: u16 = 4000;
    /// Bytes of a `rowversion`.
    pub const ROW_VERSION_BYTES: u16 = 8;
    /// Most bytes of a `sql_variant`: 8000 of the value and 16 of its type.
    pub const VARIANT_BYTES_MAX: u16 = 8016;

    /// `decimal(p, s)`
    #[must_use]
    pub const fn decimal(precision: u8, scale: u8) -> Self {
        Self::Decimal { precision, scale, name: DecimalName::Decimal }
    }

    /// `numeric(p, s)`
    #[must_use]
    pub const fn numeric(precision: u8, scale: u8) -> Self {
        Self::Decimal { precision, scale, name: DecimalName::Numeric }
    }

    /// The type, under a decimal's other name if it is one.
    #[must_use]
    pub const fn called(self, name: DecimalName) -> Self {
        match self {
            Self::Decimal { precision, scale, .. } => Self::Decimal { precision, scale, name },
            other => other,
        }
    }

    /// `char(n)` of code page 1252.
    #[must_use]
    pub const fn char(len: u16) -> Self {
        Self::Char { len, page: CodePage::Cp1252 }
    }

    /// `varchar(n)` of code page 1252.
    #[must_use]
    pub const fn varchar(len: u16) -> Self {
        Self::varchar_of(MaxLen::Limited(len))
    }

    /// `varchar` of any length, of code page 1252.
    #[must_use]
    pub const fn varchar_of(len: MaxLen) -> Self {
        Self::VarChar { len, page: CodePage::Cp1252 }
    }

    /// The code page of `char` and `varchar`; other types have the default.
    #[must_use]
    #[inline]
    pub const fn page(&self) -> CodePage {
        match *self {
            Self::Char { page, .. } | Self::VarChar { page, .. } => page,
            _ => CodePage::Cp1252,
        }
    }

    /// Whether this is `char` or `varchar` in UTF-8.
    #[must_use]
    #[inline]
    pub const fn is_utf8(&self) -> bool {
        matches!(self, Self::Char { page: CodePage::Utf8, .. } | Self::VarChar { page: CodePage::Utf8, .. })
    }

    /// Whether this is `char` or `varchar` whose characters have different numbers of bytes: UTF-8, or a page of two bytes.
    #[must_use]
    #[inline]
    pub const fn is_multi_byte(&self) -> bool {
        let page = self.page();
        matches!(page, CodePage::Utf8) || page.is_double_byte()
    }

    /// The code page whose characters alone its texts have: `char` and `varchar` that are not UTF-8.
    #[must_use]
    #[inline]
    pub const fn alphabet(&self) -> Option<CodePage> {
        match *self {
            Self::Char { page: CodePage::Utf8, .. } | Self::VarChar { page: CodePage::Utf8, .. } => None,
            Self::Char { page, .. } | Self::VarChar { page, .. } => Some(page),
            _ => None,
        }
    }

    /// Whether texts of this type have characters of the other type alone.
    #[must_use]
    #[inline]
    pub fn is_within_alphabet(&self, of: &SqlType) -> bool {
        of.alphabet().is_none() || self.alphabet() == of.alphabet()
    }

    /// `char` or `varchar` of the same declared length in a code page; other types stay what they are.
    #[must_use]
    pub const fn in_page(self, page: CodePage) -> Self {
        match self {
            Self::Char { len, .. } => Self::Char { len, page },
            Self::VarChar { len, .. } => Self::VarChar { len, page },
            other => other,
        }
    }

    /// The type in a code page that holds every value of this one, as far as 8000 bytes go. A `char` that may need more
    /// bytes becomes `varchar`, so that nothing is padded further.
    #[must_use]
    pub fn converted_to(self, page: CodePage) -> Self {
        match (self, page) {
            (
                Self::Char { len, page: own } | Self::VarChar { len: MaxLen::Limited(len), page: own },
                CodePage::Utf8,
            ) if own != CodePage::Utf8 => {
                let longest = len.saturating_mul(CodePage::UTF8_BYTES_PER_BYTE).min(Self::BYTES_MAX);
                Self::VarChar { len: MaxLen::Limited(longest), page }
            }
            _ => self.in_page(page),
        }
    }

    /// The short name: `int`, `varchar`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bit => "bit",
            Self::TinyInt => "tinyint",
            Self::SmallInt => "smallint",
            Self::Int => "int",
            Self::BigInt => "bigint",
            Self::Real => "real",
            Self::Float => "float",
            Self::Decimal { name: DecimalName::Decimal, .. } => "decimal",
            Self::Decimal { name: DecimalName::Numeric, .. } => "numeric",
            Self::SmallMoney => "smallmoney",
            Self::Money => "money",
            Self::Date => "date",
            Self::Time { .. } => "time",
            Self::SmallDateTime => "smalldatetime",
            Self::DateTime => "datetime",
            Self::DateTime2 { .. } => "datetime2",
            Self::DateTimeOffset { .. } => "datetimeoffset",
            Self::Char { .. } => "char",
            Self::VarChar { .. } => "varchar",
            Self::NChar { .. } => "nchar",
            Self::NVarChar { .. } => "nvarchar",
            Self::Binary { .. } => "binary",
            Self::VarBinary { .. } => "varbinary",
            Self::UniqueIdentifier => "uniqueidentifier",
            Self::RowVersion => "timestamp",
            Self::Xml => "xml",
            Self::Variant => "sql_variant",
        }
    }

    /// The name in error messages, where a decimal is called `numeric`.
    #[must_use]
    pub fn message_name(&self) -> &'static str {
        match self {
            Self::Decimal { .. } => "numeric",
            other => other.name(),
        }
    }

    /// The name with its arguments: `varchar(20)`, `decimal(18,2)`.
    #[must_use]
    pub fn declaration(&self) -> String {
        let name = self.name();
        match *self {
            Self::Decimal { precision, scale, .. } => format!("{name}({precision},{scale})"),
            Self::Time { scale } | Self::DateTime2 { scale } | Self::DateTimeOffset { scale } => {
                format!("{name}({scale})")
            }
            Self::Char { len, .. } | Self::NChar { len } | Self::Binary { len } => {
                format!("{name}({len})")
            }
            Self::VarChar { len, .. } | Self::NVarChar { len } | Self::VarBinary { len } => match len {
                MaxLen::Limited(n) => format!("{name}({n})"),
                MaxLen::Max => format!("{name}(max)"),
            },
            _ => name.to_owned(),
        }
    }

    /// Rank in data type precedence: of two types the one with the higher number wins.
    ///
    /// The product's list counts from 1 (highest) to 30 (`binary`); this is 31 minus that number.
    #[must_use]
    pub fn precedence(&self) -> u8 {
        match self {
            Self::Variant => 29,
            Self::Xml => 28,
            Self::DateTimeOffset { .. } => 27,
            Self::DateTime2 { .. } => 26,
            Self::DateTime => 25,
            Self::SmallDateTime => 24,
            Self::Date => 23,
            Self::Time { .. } => 22,
            Self::Float => 21,
            Self::Real => 20,
            Self::Decimal { .. } => 19,
            Self::Money => 18,
            Self::SmallMoney => 17,
            Self::BigInt => 16,
            Self::Int => 15,
            Self::SmallInt => 14,
            Self::TinyInt => 13,
            Self::Bit => 12,
            Self::RowVersion => 8,
            Self::UniqueIdentifier => 7,
            Self::NVarChar { .. } => 6,
            Self::NChar { .. } => 5,
            Self::VarChar { .. } => 4,
            Self::Char { .. } => 3,
            Self::VarBinary { .. } => 2,
            Self::Binary { .. } => 1,
        }
    }

    /// Whether this is `char`, `varchar`, `nchar` or `nvarchar`.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::Char { .. } | Self::VarChar { .. } | Self::NChar { .. } | Self::NVarChar { .. })
    }

    /// Whether this is `nchar` or `nvarchar`.
    #[must_use]
    pub fn is_unicode(&self) -> bool {
        matches!(self, Self::NChar { .. } | Self::NVarChar { .. })
    }

    /// Whether this is `binary` or `varbinary`.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Binary { .. } | Self::VarBinary { .. })
    }

    /// Whether this is `tinyint`, `smallint`, `int` or `bigint`.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self, Self::TinyInt | Self::SmallInt | Self::Int | Self::BigInt)
    }

    /// Whether this is `money` or `smallmoney`.
    #[must_use]
    pub fn is_money(&self) -> bool {
        matches!(self, Self::Money | Self::SmallMoney)
    }

    /// Whether this is an integer, `bit`, `decimal` or money.
    #[must_use]
    pub fn is_exact_numeric(&self) -> bool {
        self.is_integer() || self.is_money() || matches!(self, Self::Bit | Self::Decimal { .. })
    }

    /// Whether this is `real` or `float`.
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        matches!(self, Self::Real | Self::Float)
    }

    /// Whether this is an exact or approximate number.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        self.is_exact_numeric() || self.is_approximate()
    }

    /// Whether this is a date or time.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        matches!(
            self,
            Self::Date
                | Self::Time { .. }
                | Self::SmallDateTime
                | Self::DateTime
                | Self::DateTime2 { .. }
                | Self::DateTimeOffset { .. }
        )
    }

    /// Whether values differ in length: `varchar`, `nvarchar`, `varbinary`, `xml`, `sql_variant`.
    #[must_use]
    pub fn is_variable_length(&self) -> bool {
        matches!(
            self,
            Self::VarChar { .. } | Self::NVarChar { .. } | Self::VarBinary { .. } | Self::Xml | Self::Variant
        )
    }

    /// Whether values have no bound short of 2 GiB, so that they may lie outside their row: `(max)` and `xml`.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.max_bytes().is_none()
    }

    /// Whether values can be compared, sorted and grouped: all but `xml`.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        *self != Self::Xml
    }

    /// Declared length of a character or binary type in its own unit; `None` for other types.
    #[must_use]
    pub fn max_len(&self) -> Option<MaxLen> {
        match *self {
            Self::Char { len, .. } | Self::NChar { len } | Self::Binary { len } => Some(MaxLen::Limited(len)),
            Self::VarChar { len, .. } | Self::NVarChar { len } | Self::VarBinary { len } => Some(len),
            _ => None,
        }
    }

    /// Storage bytes at most; `None` for `(max)` and `xml`.
    #[must_use]
    pub fn max_bytes(&self) -> Option<u32> {
        Some(match *self {
            Self::Bit | Self::TinyInt => 1,
            Self::SmallInt => 2,
            Self::Int | Self::Real | Self::SmallMoney | Self::SmallDateTime => 4,
            Self::BigInt | Self::Float | Self::Money | Self::DateTime => 8,
            Self::Decimal { precision, .. } => decimal_bytes(precision),
            Self::Date => DATE_BYTES,
            Self::Time { scale } => time_bytes(scale),
            Self::DateTime2 { scale } => time_bytes(scale) + DATE_BYTES,
            Self::DateTimeOffset { scale } => time_bytes(scale) + DATE_BYTES + OFFSET_BYTES,
            Self::Char { len, .. } | Self::Binary { len } => u32::from(len),
            Self::NChar { len } => 2 * u32::from(len),
            Self::VarChar { len: MaxLen::Limited(n), .. } | Self::VarBinary { len: MaxLen::Limited(n) } => u32::from(n),
            Self::NVarChar { len: MaxLen::Limited(n) } => 2 * u32::from(n),
            Self::VarChar { .. } | Self::NVarChar { .. } | Self::VarBinary { .. } | Self::Xml => return None,
            Self::UniqueIdentifier => 16,
            Self::RowVersion => u32::from(Self::ROW_VERSION_BYTES),
            Self::Variant => u32::from(Self::VARIANT_BYTES_MAX),
        })
    }

    /// The id in `sys.types`.
    #[must_use]
    pub fn system_type_id(&self) -> u8 {
        match self {
            Self::Bit => 104,
            Self::TinyInt => 48,
            Self::SmallInt => 52,
            Self::Int => 56,
            Self::BigInt => 127,
            Self::Real => 59,
            Self::Float => 62,
            Self::Decimal { name: DecimalName::Decimal, .. } => 106,
            Self::Decimal { name: DecimalName::Numeric, .. } => 108,
            Self::SmallMoney => 122,
            Self::Money => 60,
            Self::Date => 40,
            Self::Time { .. } => 41,
            Self::SmallDateTime => 58,
            Self::DateTime => 61,
            Self::DateTime2 { .. } => 42,
            Self::DateTimeOffset { .. } => 43,
            Self::Char { .. } => 175,
            Self::VarChar { .. } => 167,
            Self::NChar { .. } => 239,
            Self::NVarChar { .. } => 231,
            Self::Binary { .. } => 173,
            Self::VarBinary { .. } => 165,
            Self::UniqueIdentifier => 36,
            Self::RowVersion => 189,
            Self::Xml => 241,
            Self::Variant => 98,
        }
    }

    /// Precision and scale as `sys.columns` shows them; 0 where the type has none.
    #[must_use]
    pub fn precision_scale(&self) -> (u8, u8) {
        match *self {
            Self::Bit => (1, 0),
            Self::TinyInt => (3, 0),
            Self::SmallInt => (5, 0),
            Self::Int => (10, 0),
            Self::BigInt => (19, 0),
            Self::Real => (24, 0),
            Self::Float => (53, 0),
            Self::Decimal { precision, scale, .. } => (precision, scale),
            Self::SmallMoney => (10, 4),
            Self::Money => (19, 4),
            Self::Date => (10, 0),
            Self::Time { scale } => (8 + fraction_width(scale), scale),
            Self::SmallDateTime => (16, 0),
            Self::DateTime => (23, 3),
            Self::DateTime2 { scale } => (19 + fraction_width(scale), scale),
            Self::DateTimeOffset { scale } => (26 + fraction_width(scale), scale),
            _ => (0, 0),
        }
    }
}

impl std::fmt::Display for SqlType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.declaration())
    }
}

const DATE_BYTES: u32 = 3;
/// Minutes from UTC.
const OFFSET_BYTES: u32 = 2;

/// Sign byte and magnitude: 5, 9, 13 or 17 bytes.
pub(crate) const fn decimal_bytes(precision: u8) -> u32 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}

/// A day in units of 10^-scale seconds fits 3, 4 or 5 bytes.
pub(crate) const fn time_bytes(scale: u8) -> u32 {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

/// The point and the digits after it.
fn fraction_width(scale: u8) -> u8 {
    if scale == 0 { 0 } else { scale + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_name_their_arguments() {
        assert_eq!(SqlType::decimal(18, 2).declaration(), "decimal(18,2)");
        assert_eq!(SqlType::NVarChar { len: MaxLen::Max }.to_string(), "nvarchar(max)");
        assert_eq!(SqlType::char(20).to_string(), "char(20)");
        assert_eq!(SqlType::DateTime2 { scale: 0 }.to_string(), "datetime2(0)");
        assert_eq!(SqlType::DateTime.to_string(), "datetime");
    }

    #[test]
    fn a_code_page_costs_no_room_and_conversions_lose_nothing() {
        assert_eq!(size_of::<SqlType>(), 6);
        let utf8 = |len| SqlType::varchar(len).in_page(CodePage::Utf8);
        assert!(utf8(3).is_utf8() && utf8(3).alphabet().is_none() && SqlType::char(3).alphabet().is_some());
        assert_eq!(SqlType::varchar(3).converted_to(CodePage::Utf8), utf8(9));
        assert_eq!(SqlType::char(3).converted_to(CodePage::Utf8), utf8(9));
        assert_eq!(SqlType::varchar(5000).converted_to(CodePage::Utf8), utf8(8000));
        assert_eq!(utf8(9).converted_to(CodePage::Utf8), utf8(9));
        assert_eq!(utf8(9).converted_to(CodePage::Cp1252), SqlType::varchar(9));
        assert_eq!(SqlType::SYSNAME.converted_to(CodePage::Utf8), SqlType::SYSNAME);
    }

    #[test]
    fn storage_sizes_are_the_documented_ones() {
        let sizes = [(9, 5), (10, 9), (19, 9), (20, 13), (28, 13), (29, 17), (38, 17)];
        for (precision, bytes) in sizes {
            assert_eq!(SqlType::decimal(precision, 0).max_bytes(), Some(bytes));
        }
        for (scale, bytes) in [(0, 6), (2, 6), (3, 7), (4, 7), (5, 8), (7, 8)] {
            assert_eq!(SqlType::DateTime2 { scale }.max_bytes(), Some(bytes));
        }
        assert_eq!(SqlType::NVarChar { len: MaxLen::Limited(4000) }.max_bytes(), Some(8000));
        assert_eq!(SqlType::VARCHAR_MAX.max_bytes(), None);
        for (scale, bytes) in [(0, 8), (2, 8), (3, 9), (4, 9), (5, 10), (7, 10)] {
            assert_eq!(SqlType::DateTimeOffset { scale }.max_bytes(), Some(bytes));
        }
        assert!(SqlType::Xml.is_unbounded() && !SqlType::Variant.is_unbounded());
    }

    #[test]
    fn catalog_precision_counts_the_point() {
        assert_eq!(SqlType::Time { scale: 7 }.precision_scale(), (16, 7));
        assert_eq!(SqlType::DateTime2 { scale: 7 }.precision_scale(), (27, 7));
        assert_eq!(SqlType::DateTime2 { scale: 0 }.precision_scale(), (19, 0));
        assert_eq!(SqlType::DateTimeOffset { scale: 7 }.precision_scale(), (34, 7));
        assert_eq!(SqlType::DateTimeOffset { scale: 0 }.precision_scale(), (26, 0));
    }

    #[test]
    fn precedence_follows_the_list() {
        let falling = [
            SqlType::Variant,
            SqlType::Xml,
            SqlType::DateTimeOffset { scale: 7 },
            SqlType::DateTime2 { scale: 7 },
            SqlType::DateTime,
            SqlType::SmallDateTime,
            SqlType::Date,
            SqlType::Time { scale: 7 },
            SqlType::Float,
            SqlType::Real,
            SqlType::DECIMAL_DEFAULT,
            SqlType::Money,
            SqlType::SmallMoney,
            SqlType::BigInt,
            SqlType::Int,
            SqlType::SmallInt,
            SqlType::TinyInt,
            SqlType::Bit,
            SqlType::RowVersion,
            SqlType::UniqueIdentifier,
            SqlType::SYSNAME,
            SqlType::NChar { len: 1 },
            SqlType::VARCHAR_MAX,
            SqlType::char(1),
            SqlType::VarBinary { len: MaxLen::Max },
            SqlType::Binary { len: 1 },
        ];
        assert!(falling.windows(2).all(|pair| pair[0].precedence() > pair[1].precedence()));
    }
}
