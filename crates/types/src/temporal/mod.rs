//! Dates and times of T-SQL: the six types, their ranges and their rounding.
//!
//! What always holds: a value made by a function of this module lies in its type's range. All types count days of the
//! proleptic Gregorian calendar; `date`, `time`, `datetime2` and `datetimeoffset` count 100 ns from 0001-01-01, `datetime` and
//! `smalldatetime` 1/300 s and minutes from 1900-01-01. Knows no session: DATEFORMAT, DATEFIRST and the
//! language are parameters.

pub(crate) mod islamic;
mod language;
mod offset;
pub(crate) mod parse;
pub(crate) mod part;

pub use language::{Language, LanguageFacts, name_at};
pub use offset::DateTimeOffset;
pub use parse::{
    DateOrder, DateRules, DateTextError, ParsedDateTime, TWO_DIGIT_YEAR_CUTOFF, parse_datetime, parse_legacy_datetime,
    parse_offset,
};
pub use part::{DATE_FIRST_DEFAULT, DatePart, MONTHS};

/// 1900-01-01 in days since 0001-01-01.
pub(crate) const DAYS_TO_1900: i32 = 693_595;
/// 1970-01-01 in days since 0001-01-01.
pub const DAYS_TO_1970: i32 = 719_162;
/// Nanoseconds of a tick of `time` and `datetime2`.
const NANOS_PER_TICK: u32 = 100;
/// Ticks of 100 ns in a second.
pub(crate) const TICKS_PER_SECOND: u64 = 10_000_000;
/// 100 ns ticks of three datetime ticks: 3/300 s = 1/100 s.
const TICKS_PER_THREE: u64 = 100_000;

/// `date`: 0001-01-01..=9999-12-31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 0001-01-01, 0..=3652058.
    pub days: i32,
}

/// `time`: a time of day in 100 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Ticks of 100 ns since midnight, below 864,000,000,000.
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

impl Date {
    /// 0001-01-01.
    pub const MIN: Self = Self { days: 0 };
    /// 9999-12-31.
    pub const MAX: Self = Self { days: 3_652_058 };
    /// 1900-01-01, the date of a text or a `time` without one.
    pub const DEFAULT: Self = Self { days: DAYS_TO_1900 };

    /// The date of a day in the calendar; `None` when there is none.
    #[must_use]
    pub fn from_civil(year: i32, month: u32, day: u32) -> Option<Self> {
        if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
            return None;
        }
        // Years that begin in March put the leap day last, so months before a day have a closed form.
        let shifted_year = if month > 2 { year } else { year - 1 };
        let month_from_march = (month as i32 + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
        let leap_days = shifted_year / 4 - shifted_year / 100 + shifted_year / 400;
        Some(Self { days: shifted_year * 365 + leap_days + day_of_year - DAYS_FROM_MARCH_0000 })
    }

    /// Year, month, day.
    #[must_use]
    pub fn civil(self) -> (i32, u32, u32) {
        const DAYS_PER_ERA: i32 = 146_097;
        let from_march = self.days + DAYS_FROM_MARCH_0000;
        let (era, day_of_era) = (from_march.div_euclid(DAYS_PER_ERA), from_march.rem_euclid(DAYS_PER_ERA));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + i32::from(month <= 2);
        (year, month as u32, day as u32)
    }

    /// Days since 0001-01-01, checked.
    #[must_use]
    pub fn from_days(days: i32) -> Option<Self> {
        (Self::MIN.days..=Self::MAX.days).contains(&days).then_some(Self { days })
    }

    /// Day of the week: 0 is Monday, 6 Sunday.
    #[must_use]
    pub fn days_after_monday(self) -> u8 {
        // 0001-01-01 is a Monday.
        (self.days % 7) as u8
    }

    /// Day of the year from 1.
    #[must_use]
    pub fn day_of_year(self) -> u32 {
        let (year, _, _) = self.civil();
        let january_first = Self::from_civil(year, 1, 1).expect("a valid year has a first day");
        (self.days - january_first.days) as u32 + 1
    }
}

/// Days from 0000-03-01 to 0001-01-01.
const DAYS_FROM_MARCH_0000: i32 = 306;

/// Days of a month, 1..=12.
pub(crate) fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl Time {
    /// Ticks of a day: 24 x 60 x 60 x 10^7.
    pub const TICKS_PER_DAY: u64 = 864_000_000_000;
    /// 23:59:59.9999999.
    pub const MAX: Self = Self { ticks: Self::TICKS_PER_DAY - 1 };

    /// A time of day; `None` when a part is too large. Nanoseconds below 100 are cut.
    #[must_use]
    pub fn from_hms(hour: u32, minute: u32, second: u32, nanosecond: u32) -> Option<Self> {
        if hour > 23 || minute > 59 || second > 59 || nanosecond > 999_999_999 {
            return None;
        }
        let seconds = u64::from((hour * 60 + minute) * 60 + second);
        Some(Self { ticks: seconds * TICKS_PER_SECOND + u64::from(nanosecond / NANOS_PER_TICK) })
    }

    /// Hour, minute, second, nanosecond.
    #[must_use]
    pub fn hms(self) -> (u32, u32, u32, u32) {
        // A day has 86,400 seconds, so seconds fit easily.
        let seconds = (self.ticks / TICKS_PER_SECOND) as u32;
        let nanosecond = (self.ticks % TICKS_PER_SECOND) as u32 * NANOS_PER_TICK;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, nanosecond)
    }

    /// Ticks of 100 ns since midnight, checked.
    #[must_use]
    pub fn from_ticks(ticks: u64) -> Option<Self> {
        (ticks < Self::TICKS_PER_DAY).then_some(Self { ticks })
    }

    /// Ticks in the last digit of `time(scale)`, scale 0..=7.
    #[must_use]
    pub fn ticks_per_unit(scale: u8) -> u64 {
        10u64.pow(u32::from(7u8.saturating_sub(scale)))
    }

    /// Rounded half up to a scale; a time that would reach midnight stays the last of its day.
    #[must_use]
    pub fn round(self, scale: u8) -> Self {
        let unit = Self::ticks_per_unit(scale);
        let ticks = round_to(self.ticks, unit);
        Self { ticks: if ticks == Self::TICKS_PER_DAY { ticks - unit } else { ticks } }
    }
}

fn round_to(ticks: u64, unit: u64) -> u64 {
    (ticks + unit / 2) / unit * unit
}

impl DateTime {
    /// 1753-01-01.
    pub const MIN: Self = Self { days: -53_690, ticks: 0 };
    /// 9999-12-31 23:59:59.997.
    pub const MAX: Self = Self { days: 2_958_463, ticks: Self::TICKS_PER_DAY - 1 };
    /// Ticks of a second.
    pub const TICKS_PER_SECOND: u32 = 300;
    /// Ticks of a day: 24 x 60 x 60 x 300.
    pub const TICKS_PER_DAY: u32 = 25_920_000;

    /// From its two numbers, checked.
    #[must_use]
    pub fn new(days: i32, ticks: u32) -> Option<Self> {
        let in_range = (Self::MIN.days..=Self::MAX.days).contains(&days) && ticks < Self::TICKS_PER_DAY;
        in_range.then_some(Self { days, ticks })
    }

    /// From ticks of 1/300 s since 1900-01-01, checked.
    #[must_use]
    pub fn from_total_ticks(ticks: i64) -> Option<Self> {
        let per_day = i64::from(Self::TICKS_PER_DAY);
        let days = i32::try_from(ticks.div_euclid(per_day)).ok()?;
        Self::new(days, ticks.rem_euclid(per_day) as u32)
    }

    /// Ticks of 1/300 s since 1900-01-01.
    #[must_use]
    pub fn total_ticks(self) -> i64 {
        i64::from(self.days) * i64::from(Self::TICKS_PER_DAY) + i64::from(self.ticks)
    }

    /// Rounded to 1/300 s; `None` before 1753 and after 9999.
    #[must_use]
    pub fn from_datetime2(value: DateTime2) -> Option<Self> {
        let ticks = (value.time.ticks * 3 + TICKS_PER_THREE / 2) / TICKS_PER_THREE;
        let days = i64::from(value.date.days - DAYS_TO_1900);
        Self::from_total_ticks(days * i64::from(Self::TICKS_PER_DAY) + ticks as i64)
    }

    /// Milliseconds since midnight, with the last digits 0, 3 and 7.
    #[must_use]
    pub fn milliseconds(self) -> u32 {
        (self.ticks * 10 + 1) / 3
    }

    /// The same instant in whole milliseconds, with the last digits 0, 3 and 7: as it is written.
    #[must_use]
    pub fn to_datetime2(self) -> DateTime2 {
        let ticks = u64::from(self.milliseconds()) * (TICKS_PER_SECOND / 1000);
        DateTime2 { date: Date { days: self.days + DAYS_TO_1900 }, time: Time { ticks } }
    }

    /// The same instant to 100 ns, with the last digits 0000000, 0033333 and 0066667: as CAST to `datetime2` gives it.
    #[must_use]
    pub fn to_datetime2_exact(self) -> DateTime2 {
        let ticks = (u64::from(self.ticks) * TICKS_PER_THREE * 2 + 3) / 6;
        DateTime2 { date: Date { days: self.days + DAYS_TO_1900 }, time: Time { ticks } }
    }

    /// Days (with fraction) since 1900-01-01.
    #[must_use]
    pub fn to_days_f64(self) -> f64 {
        f64::from(self.days) + f64::from(self.ticks) / f64::from(Self::TICKS_PER_DAY)
    }

    /// From days (with fraction) since 1900-01-01.
    #[must_use]
    pub fn from_days_f64(days: f64) -> Option<Self> {
        let whole = days.floor();
        // Days and fraction apart: their product with the ticks of a day would lose digits.
        let ticks = ((days - whole) * f64::from(Self::TICKS_PER_DAY)).round();
        // Casts of floats saturate; NaN becomes 0 and is refused by the range of its day below.
        if days.is_nan() {
            return None;
        }
        Self::from_total_ticks((whole as i64).checked_mul(i64::from(Self::TICKS_PER_DAY))?.checked_add(ticks as i64)?)
    }
}

impl SmallDateTime {
    /// Minutes of a day.
    pub const MINUTES_PER_DAY: u16 = 1440;

    /// From its two numbers, checked.
    #[must_use]
    pub fn new(days: u16, minutes: u16) -> Option<Self> {
        (minutes < Self::MINUTES_PER_DAY).then_some(Self { days, minutes })
    }

    /// From minutes since 1900-01-01, checked.
    #[must_use]
    pub fn from_total_minutes(minutes: i64) -> Option<Self> {
        let per_day = i64::from(Self::MINUTES_PER_DAY);
        let days = u16::try_from(minutes.div_euclid(per_day)).ok()?;
        Some(Self { days, minutes: minutes.rem_euclid(per_day) as u16 })
    }

    /// Minutes since 1900-01-01.
    #[must_use]
    pub fn total_minutes(self) -> i64 {
        i64::from(self.days) * i64::from(Self::MINUTES_PER_DAY) + i64::from(self.minutes)
    }

    /// Rounded to minutes; `None` outside 1900-01-01..=2079-06-06.
    ///
    /// The way leads through `datetime`'s ticks, so 29.998 seconds go down and 29.999 go up.
    #[must_use]
    pub fn from_datetime2(value: DateTime2) -> Option<Self> {
        const TICKS_PER_MINUTE: i64 = 60 * DateTime::TICKS_PER_SECOND as i64;
        let ticks = DateTime::from_datetime2(value)?.total_ticks();
        Self::from_total_minutes((ticks + TICKS_PER_MINUTE / 2).div_euclid(TICKS_PER_MINUTE))
    }

    /// The same instant.
    #[must_use]
    pub fn to_datetime2(self) -> DateTime2 {
        let ticks = u64::from(self.minutes) * 60 * TICKS_PER_SECOND;
        DateTime2 { date: Date { days: i32::from(self.days) + DAYS_TO_1900 }, time: Time { ticks } }
    }

    /// The same instant as `datetime`.
    #[must_use]
    pub fn to_datetime(self) -> DateTime {
        DateTime { days: i32::from(self.days), ticks: u32::from(self.minutes) * 60 * DateTime::TICKS_PER_SECOND }
    }
}

impl DateTime2 {
    /// 9999-12-31 23:59:59.9999999.
    pub const MAX: Self = Self { date: Date::MAX, time: Time::MAX };

    /// From Unix time in nanoseconds (UTC or local, as the caller has shifted it).
    #[must_use]
    pub fn from_unix_nanos(nanos: i128) -> Option<Self> {
        let ticks = i64::try_from(nanos.div_euclid(i128::from(NANOS_PER_TICK))).ok()?;
        Self::from_total_ticks(ticks.checked_add(i64::from(DAYS_TO_1970) * Time::TICKS_PER_DAY as i64)?)
    }

    /// Ticks of 100 ns since 1970-01-01.
    #[must_use]
    pub fn ticks_since_1970(self) -> i64 {
        self.total_ticks() - i64::from(DAYS_TO_1970) * Time::TICKS_PER_DAY as i64
    }

    /// From ticks of 100 ns since 0001-01-01, checked.
    #[must_use]
    pub fn from_total_ticks(ticks: i64) -> Option<Self> {
        let per_day = Time::TICKS_PER_DAY as i64;
        let date = Date::from_days(i32::try_from(ticks.div_euclid(per_day)).ok()?)?;
        Some(Self { date, time: Time { ticks: ticks.rem_euclid(per_day) as u64 } })
    }

    /// Ticks of 100 ns since 0001-01-01: at most 3.2 x 10^18.
    #[must_use]
    pub fn total_ticks(self) -> i64 {
        i64::from(self.date.days) * Time::TICKS_PER_DAY as i64 + self.time.ticks as i64
    }

    /// Rounded half up to a scale; the last instants of the year 9999 are cut instead.
    #[must_use]
    pub fn round(self, scale: u8) -> Self {
        let unit = Time::ticks_per_unit(scale);
        let ticks = round_to(self.total_ticks() as u64, unit);
        Self::from_total_ticks(ticks as i64)
            .unwrap_or(Self { date: Date::MAX, time: Time { ticks: Time::TICKS_PER_DAY - unit } })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(year: i32, month: u32, day: u32, hms: (u32, u32, u32, u32)) -> DateTime2 {
        let date = Date::from_civil(year, month, day).expect("a test's date");
        DateTime2 { date, time: Time::from_hms(hms.0, hms.1, hms.2, hms.3).expect("a test's time") }
    }

    #[test]
    fn the_ends_of_the_ranges_are_the_documented_days() {
        assert_eq!(Date::from_civil(1, 1, 1), Some(Date::MIN));
        assert_eq!(Date::from_civil(9999, 12, 31), Some(Date::MAX));
        assert_eq!(Date::from_civil(1900, 1, 1), Some(Date::DEFAULT));
        assert_eq!(Date::from_civil(1970, 1, 1).map(|d| d.days), Some(DAYS_TO_1970));
        assert_eq!(Date::from_civil(1753, 1, 1).map(|d| d.days - DAYS_TO_1900), Some(DateTime::MIN.days));
        assert_eq!(Date::MAX.days - DAYS_TO_1900, DateTime::MAX.days);
        assert_eq!(Date { days: DAYS_TO_1900 + i32::from(u16::MAX) }.civil(), (2079, 6, 6));
        assert_eq!(Date::from_civil(2023, 2, 29), None);
        assert_eq!(Date::from_civil(1900, 2, 29), None);
        assert!(Date::from_civil(2000, 2, 29).is_some());
    }

    #[test]
    fn datetime_rounds_to_0_3_and_7() {
        for (ms, expected) in [(0, 0), (1, 0), (2, 3), (3, 3), (4, 3), (5, 7), (6, 7), (7, 7), (8, 7), (9, 10)] {
            let value = at(2024, 1, 31, (10, 0, 0, ms * 1_000_000));
            let rounded = DateTime::from_datetime2(value).expect("in range").to_datetime2();
            assert_eq!(rounded.time.hms().3, expected * 1_000_000, "{ms} ms");
        }
        let last = at(2024, 12, 31, (23, 59, 59, 999_000_000));
        assert_eq!(DateTime::from_datetime2(last).map(|d| d.to_datetime2()), Some(at(2025, 1, 1, (0, 0, 0, 0))));
        assert_eq!(DateTime::from_datetime2(DateTime2::MAX), None);
        assert_eq!(DateTime::from_datetime2(at(1752, 12, 31, (0, 0, 0, 0))), None);
    }

    #[test]
    fn datetime_casts_to_datetime2_by_its_exact_third() {
        let value = DateTime { days: 0, ticks: 37 };
        assert_eq!(value.to_datetime2_exact().time.ticks, 1_233_333);
        assert_eq!(value.to_datetime2().time.ticks, 1_230_000);
    }

    #[test]
    fn smalldatetime_rounds_at_29_999_seconds() {
        for (nanos, minute) in [(998_000_000, 35), (999_000_000, 36)] {
            let value = at(2000, 5, 8, (12, 35, 29, nanos));
            let rounded = SmallDateTime::from_datetime2(value).expect("in range");
            assert_eq!(rounded.to_datetime2(), at(2000, 5, 8, (12, minute, 0, 0)));
        }
        assert_eq!(SmallDateTime::from_datetime2(at(2079, 6, 6, (23, 59, 30, 0))), None);
        assert_eq!(SmallDateTime::from_datetime2(at(1899, 12, 31, (23, 59, 0, 0))), None);
    }

    #[test]
    fn rounding_to_a_scale_carries_into_the_day() {
        let value = at(2024, 12, 31, (23, 59, 59, 999_999_900));
        assert_eq!(value.round(0), at(2025, 1, 1, (0, 0, 0, 0)));
        assert_eq!(value.time.round(0), Time::from_hms(23, 59, 59, 0).expect("in range"));
        assert_eq!(DateTime2::MAX.round(3), at(9999, 12, 31, (23, 59, 59, 999_000_000)));
    }

    #[test]
    fn days_as_floats_keep_their_fraction() {
        let noon = DateTime { days: 45_000, ticks: DateTime::TICKS_PER_DAY / 2 };
        assert_eq!(noon.to_days_f64(), 45_000.5);
        assert_eq!(DateTime::from_days_f64(45_000.5), Some(noon));
        assert_eq!(DateTime::from_days_f64(-0.5).map(|d| (d.days, d.ticks)), Some((-1, DateTime::TICKS_PER_DAY / 2)));
        for out in [f64::NAN, f64::INFINITY, -1e300, 3e6] {
            assert_eq!(DateTime::from_days_f64(out), None);
        }
    }

    proptest! {
        #[test]
        fn civil_dates_round_trip(days in 0..=3_652_058i32) {
            let date = Date { days };
            let (year, month, day) = date.civil();
            prop_assert_eq!(Date::from_civil(year, month, day), Some(date));
        }

        #[test]
        fn datetime_survives_datetime2_and_floats(days in -53_690..=2_958_463i32, ticks in 0..25_920_000u32) {
            let value = DateTime { days, ticks };
            prop_assert_eq!(DateTime::from_datetime2(value.to_datetime2()), Some(value));
            prop_assert_eq!(DateTime::from_datetime2(value.to_datetime2_exact()), Some(value));
            prop_assert_eq!(DateTime::from_days_f64(value.to_days_f64()), Some(value));
        }

        #[test]
        fn times_round_trip(ticks in 0..Time::TICKS_PER_DAY) {
            let (hour, minute, second, nanosecond) = Time { ticks }.hms();
            prop_assert_eq!(Time::from_hms(hour, minute, second, nanosecond), Some(Time { ticks }));
        }
    }
}
