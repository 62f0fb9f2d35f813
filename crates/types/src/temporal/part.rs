//! Names of the parts of a date and of the months, and how a part is measured.

/// @@DATEFIRST of us_english: weeks begin on Sunday.
pub const DATE_FIRST_DEFAULT: u8 = 7;

/// Names of months, as DATENAME has them.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

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
    /// The part of this name or abbreviation, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "year" | "yy" | "yyyy" => Self::Year,
            "quarter" | "qq" | "q" => Self::Quarter,
            "month" | "mm" | "m" => Self::Month,
            "dayofyear" | "dy" | "y" => Self::DayOfYear,
            "day" | "dd" | "d" => Self::Day,
            "week" | "wk" | "ww" => Self::Week,
            "weekday" | "dw" | "w" => Self::Weekday,
            "hour" | "hh" => Self::Hour,
            "minute" | "mi" | "n" => Self::Minute,
            "second" | "ss" | "s" => Self::Second,
            "millisecond" | "ms" => Self::Millisecond,
            "microsecond" | "mcs" => Self::Microsecond,
            "nanosecond" | "ns" => Self::Nanosecond,
            "tzoffset" | "tz" => Self::TzOffset,
            "iso_week" | "isowk" | "isoww" => Self::IsoWeek,
            _ => return None,
        })
    }

    /// The full name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::DayOfYear => "dayofyear",
            Self::Day => "day",
            Self::Week => "week",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
            Self::Microsecond => "microsecond",
            Self::Nanosecond => "nanosecond",
            Self::TzOffset => "tzoffset",
            Self::IsoWeek => "iso_week",
        }
    }

    /// How a number of these parts is added.
    pub(crate) fn measure(self) -> Measure {
        match self {
            Self::Year => Measure::Months(12),
            Self::Quarter => Measure::Months(3),
            Self::Month => Measure::Months(1),
            Self::DayOfYear | Self::Day | Self::Weekday => Measure::Days(1),
            Self::Week => Measure::Days(7),
            Self::Hour => Measure::Nanos(3600 * NANOS_PER_SECOND),
            Self::Minute => Measure::Nanos(60 * NANOS_PER_SECOND),
            Self::Second => Measure::Nanos(NANOS_PER_SECOND),
            Self::Millisecond => Measure::Nanos(1_000_000),
            Self::Microsecond => Measure::Nanos(1000),
            Self::Nanosecond => Measure::Nanos(1),
            Self::TzOffset | Self::IsoWeek => Measure::None,
        }
    }
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// What one part is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Calendar months.
    Months(i64),
    /// Whole days.
    Days(i64),
    /// Nanoseconds of a day.
    Nanos(i64),
    /// It is a property of a date, not a distance.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_full_name_finds_its_part() {
        let parts = ["year", "quarter", "month", "dayofyear", "day", "week", "weekday", "hour", "minute", "second"];
        let small = ["millisecond", "microsecond", "nanosecond", "tzoffset", "iso_week"];
        for name in parts.iter().chain(&small) {
            assert_eq!(DatePart::by_name(name).map(DatePart::name), Some(*name));
        }
        assert_eq!(DatePart::by_name("MI"), Some(DatePart::Minute));
        assert_eq!(DatePart::by_name("isoww"), Some(DatePart::IsoWeek));
        assert_eq!(DatePart::by_name("century"), None);
    }
}
