//! The scalar types of T-SQL with their parameters, their names and their precedence.
//!
//! A type says what a value may be and how it is stored; collation is a property of an expression and lives beside it.

/// Declared length of a variable-length type: bytes for `varchar`/`varbinary`, UTF-16 units for `nvarchar`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaxLen {
    /// 1..=8000 (1..=4000 for `nvarchar`).
    Limited(u16),
    /// `(max)`.
    Max,
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
    /// `char(n)`, n bytes
    Char {
        /// 1..=8000
        len: u16,
    },
    /// `varchar(n | max)`
    VarChar {
        /// Bound in bytes.
        len: MaxLen,
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
}

/// Why a type name is no type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
        max: u32,
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

/// Stands for `max` among the arguments of [`parse_type_name`].
pub const MAX_ARGUMENT: u32 = u32::MAX;

/// The type of a name with its arguments, in a declaration: a length that is missing is 1.
pub fn parse_type_name(_name: &str, _args: &[u32]) -> Result<SqlType, TypeNameError> {
    todo!()
}
/// The type of a name with its arguments, in CAST and CONVERT: a length that is missing is 30.
pub fn parse_cast_type_name(_name: &str, _args: &[u32]) -> Result<SqlType, TypeNameError> {
    todo!()
}

impl SqlType {
    /// The short name: `int`, `varchar`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        todo!()
    }
    /// The name with its arguments: `varchar(20)`, `decimal(18,2)`.
    #[must_use]
    pub fn declaration(&self) -> String {
        todo!()
    }
    /// Rank in data type precedence; the higher number wins.
    #[must_use]
    pub fn precedence(&self) -> u8 {
        todo!()
    }
    /// Whether this is a character type.
    #[must_use]
    pub fn is_string(&self) -> bool {
        todo!()
    }
    /// Whether this is `nchar` or `nvarchar`.
    #[must_use]
    pub fn is_unicode(&self) -> bool {
        todo!()
    }
    /// Whether this is `binary` or `varbinary`.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        todo!()
    }
    /// Whether this is `tinyint`, `smallint`, `int` or `bigint`.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        todo!()
    }
    /// Whether this is an integer, `bit`, `decimal` or money.
    #[must_use]
    pub fn is_exact_numeric(&self) -> bool {
        todo!()
    }
    /// Whether this is `real` or `float`.
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        todo!()
    }
    /// Whether this is an exact or approximate number.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        todo!()
    }
    /// Whether this is a date or time.
    #[must_use]
    pub fn is_temporal(&self) -> bool {
        todo!()
    }
    /// Storage bytes at most; `None` for `(max)`.
    #[must_use]
    pub fn max_bytes(&self) -> Option<u32> {
        todo!()
    }
    /// The id in `sys.types`.
    #[must_use]
    pub fn system_type_id(&self) -> u8 {
        todo!()
    }
    /// Precision and scale as the catalog shows them; 0 where the type has none.
    #[must_use]
    pub fn precision_scale(&self) -> (u8, u8) {
        todo!()
    }
}

impl std::fmt::Display for SqlType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.declaration())
    }
}
