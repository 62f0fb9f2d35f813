//! Dates and times of T-SQL.
//!
//! What always holds: a value lies in its type's range. Knows no session: DATEFORMAT and DATEFIRST are parameters.

use compact_str::CompactString;

use crate::error::EvalError;
use crate::value::Value;

/// `date`: days since 0001-01-01, 0..=3652058.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 0001-01-01.
    pub days: i32,
}

/// `time`: 100 ns ticks since midnight, below 864,000,000,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Ticks of 100 ns since midnight.
    pub ticks: u64,
}

/// `smalldatetime`: whole minutes, 1900-01-01..=2079-06-06.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SmallDateTime {
    /// Days since 1900-01-01.
    pub days: u16,
    /// Minutes since midnight, below 1440.
    pub minutes: u16,
}

/// `datetime`: 1/300 s, 1753-01-01..=9999-12-31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// Days since 1900-01-01, -53690..=2958463.
    pub days: i32,
    /// Ticks of 1/300 s since midnight, below 25,920,000.
    pub ticks: u32,
}

/// `datetime2`: 100 ns, 0001-01-01..=9999-12-31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime2 {
    /// The day.
    pub date: Date,
    /// The time of day.
    pub time: Time,
}

/// A part of a date, as DATEADD, DATEDIFF, DATEPART and DATENAME name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatePart {
    /// `year`, `yy`, `yyyy`
    Year,
    /// `quarter`, `qq`, `q`
    Quarter,
    /// `month`, `mm`, `m`
    Month,
    /// `dayofyear`, `dy`, `y`
    DayOfYear,
    /// `day`, `dd`, `d`
    Day,
    /// `week`, `wk`, `ww`
    Week,
    /// `weekday`, `dw`, `w`
    Weekday,
    /// `hour`, `hh`
    Hour,
    /// `minute`, `mi`, `n`
    Minute,
    /// `second`, `ss`, `s`
    Second,
    /// `millisecond`, `ms`
    Millisecond,
    /// `microsecond`, `mcs`
    Microsecond,
    /// `nanosecond`, `ns`
    Nanosecond,
    /// `tzoffset`, `tz`
    TzOffset,
    /// `iso_week`, `isowk`, `isoww`
    IsoWeek,
}

impl DatePart {
    /// The part of this name or abbreviation.
    #[must_use]
    pub fn by_name(_name: &str) -> Option<Self> {
        todo!()
    }
    /// The full name.
    #[must_use]
    pub fn name(self) -> &'static str {
        todo!()
    }
}

/// Order of day, month and year in texts such as `1/2/2024` (SET DATEFORMAT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// Month, day, year: the default of us_english.
    #[default]
    Mdy,
    /// Day, month, year.
    Dmy,
    /// Year, month, day.
    Ymd,
    /// Year, day, month.
    Ydm,
    /// Month, year, day.
    Myd,
    /// Day, year, month.
    Dym,
}

/// First day of the week that SET DATEFIRST starts with in us_english: Sunday.
pub const DATE_FIRST_DEFAULT: u8 = 7;

/// DATEADD: `n` parts later; the result has the value's type. NULL stays NULL.
pub fn date_add(_part: DatePart, _n: i64, _value: &Value) -> Result<Value, EvalError> {
    todo!()
}
/// DATEDIFF: boundaries of the part crossed from `a` to `b`, as `int`. The two values may differ in type.
pub fn date_diff(_part: DatePart, _a: &Value, _b: &Value) -> Result<Value, EvalError> {
    todo!()
}
/// DATEDIFF_BIG: the same as `bigint`.
pub fn date_diff_big(_part: DatePart, _a: &Value, _b: &Value) -> Result<Value, EvalError> {
    todo!()
}
/// DATEPART as `int`; `date_first` is @@DATEFIRST (1 Monday ..= 7 Sunday).
pub fn date_part(_part: DatePart, _value: &Value, _date_first: u8) -> Result<Value, EvalError> {
    todo!()
}
/// DATENAME in us_english.
pub fn date_name(_part: DatePart, _value: &Value, _date_first: u8) -> Result<Value, EvalError> {
    todo!()
}

impl Date {
    /// 0001-01-01.
    pub const MIN: Self = Self { days: 0 };
    /// 9999-12-31.
    pub const MAX: Self = Self { days: 3_652_058 };
    /// The date of a day of the Gregorian calendar; `None` when there is none.
    #[must_use]
    pub fn from_civil(_year: i32, _month: u32, _day: u32) -> Option<Self> {
        todo!()
    }
    /// Year, month, day.
    #[must_use]
    pub fn civil(self) -> (i32, u32, u32) {
        todo!()
    }
    /// Days since 0001-01-01, checked.
    #[must_use]
    pub fn from_days(_days: i32) -> Option<Self> {
        todo!()
    }
}

impl Time {
    /// Ticks of a day: 24 x 60 x 60 x 10^7.
    pub const TICKS_PER_DAY: u64 = 864_000_000_000;
    /// A time of day; `None` when a part is too large.
    #[must_use]
    pub fn from_hms(_hour: u32, _minute: u32, _second: u32, _nanosecond: u32) -> Option<Self> {
        todo!()
    }
    /// Hour, minute, second, nanosecond.
    #[must_use]
    pub fn hms(self) -> (u32, u32, u32, u32) {
        todo!()
    }
    /// Ticks of 100 ns since midnight, checked.
    #[must_use]
    pub fn from_ticks(_ticks: u64) -> Option<Self> {
        todo!()
    }
    /// Rounded half up to a scale; 23:59:59.99… stays in its day.
    #[must_use]
    pub fn round(self, _scale: u8) -> Self {
        todo!()
    }
}

impl DateTime {
    /// 1753-01-01.
    pub const MIN: Self = Self {
        days: -53_690,
        ticks: 0,
    };
    /// 9999-12-31 23:59:59.997.
    pub const MAX: Self = Self {
        days: 2_958_463,
        ticks: 25_919_999,
    };
    /// Ticks of a day: 24 x 60 x 60 x 300.
    pub const TICKS_PER_DAY: u32 = 25_920_000;
    /// Rounded to 1/300 s; `None` before 1753.
    #[must_use]
    pub fn from_datetime2(_value: DateTime2) -> Option<Self> {
        todo!()
    }
    /// The same instant in 100 ns, with the digits .000, .003, .007.
    #[must_use]
    pub fn to_datetime2(self) -> DateTime2 {
        todo!()
    }
    /// Days (with fraction) since 1900-01-01.
    #[must_use]
    pub fn to_days_f64(self) -> f64 {
        todo!()
    }
    /// From days (with fraction) since 1900-01-01.
    #[must_use]
    pub fn from_days_f64(_days: f64) -> Option<Self> {
        todo!()
    }
}

impl SmallDateTime {
    /// Rounded to minutes (29.999 s and more go up); `None` outside 1900..2079-06-06.
    #[must_use]
    pub fn from_datetime2(_value: DateTime2) -> Option<Self> {
        todo!()
    }
    /// The same instant.
    #[must_use]
    pub fn to_datetime2(self) -> DateTime2 {
        todo!()
    }
}

impl DateTime2 {
    /// From Unix time in nanoseconds (UTC or local, as the caller has shifted it).
    #[must_use]
    pub fn from_unix_nanos(_nanos: i64) -> Option<Self> {
        todo!()
    }
    /// Rounded to a scale; `None` past 9999-12-31.
    #[must_use]
    pub fn round(self, _scale: u8) -> Option<Self> {
        todo!()
    }
}

/// Reads a date and time in any of T-SQL's literal formats; a missing date is 1900-01-01, a missing time midnight.
pub fn parse_datetime(_text: &str, _order: DateOrder) -> Result<DateTime2, EvalError> {
    todo!()
}

/// Writes a value in CONVERT's style.
pub fn format_style(_value: &Value, _scale: u8, _style: i32) -> Result<CompactString, EvalError> {
    todo!()
}
