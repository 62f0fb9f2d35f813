//! How wide a column is printed, and on which side its values stand: sqlcmd's table, by type.

use millpond_message::sink::Column;
use millpond_types::{MaxLen, SqlType};

/// Widest column that is filled with blanks.
const FILL_MAX: usize = 8000;
/// Shown of a (max) type when no limit is given.
const UNLIMITED: usize = 1024 * 1024;

/// Limits of texts: `-y` and `-Y`; 0 = none.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// (max) types.
    pub max_types: usize,
    /// Other texts.
    pub others: usize,
}

/// A column of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Name; may be empty.
    pub name: String,
    /// Its type, which says how values look.
    pub sql_type: SqlType,
    /// Characters shown at most.
    pub width: usize,
    /// Values stand on the right.
    pub right: bool,
    /// A (max) type.
    pub is_large: bool,
}

impl Heading {
    /// The heading of a column of a result.
    pub fn new(column: &Column, limits: TextLimits) -> Heading {
        let width = type_width(&column.sql_type, limits).max(column.name.chars().count());
        let (right, is_large) = (stands_right(&column.sql_type), is_large(&column.sql_type));
        Heading { name: column.name.clone(), sql_type: column.sql_type, width, right, is_large }
    }

    /// Characters that are filled with blanks or dashes.
    pub fn fill(&self) -> usize {
        self.width.min(FILL_MAX)
    }
}

fn is_large(sql_type: &SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Xml
            | SqlType::VarChar { len: MaxLen::Max, .. }
            | SqlType::NVarChar { len: MaxLen::Max }
            | SqlType::VarBinary { len: MaxLen::Max }
    )
}

fn stands_right(sql_type: &SqlType) -> bool {
    sql_type.is_numeric() || sql_type.is_temporal() || *sql_type == SqlType::Bit
}

fn type_width(sql_type: &SqlType, limits: TextLimits) -> usize {
    match *sql_type {
        SqlType::Bit | SqlType::TinyInt => 3,
        SqlType::SmallInt => 6,
        SqlType::Int => 11,
        SqlType::BigInt => 20,
        SqlType::Real => 14,
        SqlType::Float => 24,
        SqlType::SmallMoney => 12,
        SqlType::Money => 21,
        // Sign and point, and the zero before the point of what has all its digits after it.
        SqlType::Decimal { precision, scale, .. } => usize::from(precision.max(scale + 1)) + 2,
        SqlType::Date | SqlType::Time { .. } => 16,
        SqlType::SmallDateTime => 19,
        SqlType::DateTime => 23,
        SqlType::DateTime2 { .. } => 38,
        SqlType::DateTimeOffset { .. } => 45,
        SqlType::RowVersion => 18,
        SqlType::Xml => limited(UNLIMITED, limits.max_types),
        SqlType::Variant => limited(usize::from(SqlType::BYTES_MAX), limits.others),
        SqlType::UniqueIdentifier => 36,
        SqlType::Char { len, .. } | SqlType::NChar { len } => limited(usize::from(len), limits.others),
        SqlType::VarChar { len, .. } | SqlType::NVarChar { len } => text_width(len, 1, 0, limits),
        // Two digits a byte after 0x.
        SqlType::Binary { len } => limited(2 * usize::from(len) + 2, limits.others),
        SqlType::VarBinary { len } => text_width(len, 2, 2, limits),
    }
}

fn text_width(len: MaxLen, per_unit: usize, prefix: usize, limits: TextLimits) -> usize {
    match len {
        MaxLen::Limited(units) => limited(usize::from(units) * per_unit + prefix, limits.others),
        MaxLen::Max => limited(UNLIMITED, limits.max_types),
    }
}

fn limited(width: usize, limit: usize) -> usize {
    if limit == 0 { width } else { width.min(limit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(name: &str, sql_type: SqlType, max_types: usize, others: usize) -> usize {
        let column = Column::new(name, sql_type);
        Heading::new(&column, TextLimits { max_types, others }).width
    }

    #[test]
    fn names_widen_and_limits_narrow() {
        assert_eq!(width("a", SqlType::Int, 256, 0), 11);
        assert_eq!(width("a_longer_name", SqlType::Int, 256, 0), 13);
        let decimal = SqlType::decimal;
        assert_eq!(width("", decimal(9, 2), 256, 0), 11);
        assert_eq!(width("", decimal(2, 2), 256, 0), "-0.55".len());
        let text = SqlType::varchar(50);
        assert_eq!(width("", text, 256, 0), 50);
        assert_eq!(width("", text, 256, 20), 20);
        assert_eq!(width("", SqlType::VARCHAR_MAX, 256, 0), 256);
        assert_eq!(width("", SqlType::VARCHAR_MAX, 0, 20), UNLIMITED);
        assert_eq!(width("", SqlType::Binary { len: 8 }, 256, 0), 18);
    }
}
