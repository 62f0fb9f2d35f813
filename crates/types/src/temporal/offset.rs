//! `datetimeoffset`: an instant with the distance of its clock from UTC.

use crate::temporal::{DateTime2, Time};

/// Ticks of 100 ns in a minute.
const TICKS_PER_MINUTE: i64 = 600_000_000;

/// `datetimeoffset`: 100 ns, 0001-01-01..=9999-12-31, both in UTC and on its own clock.
///
/// Equality is structural: the same instant on two clocks differs here; [`crate::compare`] compares instants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DateTimeOffset {
    /// The instant in UTC: ticks of 100 ns since 0001-01-01.
    pub ticks: i64,
    /// What the clock shows beyond UTC, -840..=840 minutes.
    pub offset_minutes: i16,
}

impl DateTimeOffset {
    /// 14 hours.
    pub const OFFSET_MINUTES_MAX: i16 = 14 * 60;

    /// What a clock shows, and its distance from UTC; `None` when a range is left.
    #[must_use]
    pub fn from_local(local: DateTime2, offset_minutes: i16) -> Option<Self> {
        let ticks = local.total_ticks() - i64::from(offset_minutes) * TICKS_PER_MINUTE;
        Self::from_utc_ticks(ticks, offset_minutes)
    }

    /// An instant as a clock of that distance shows it; `None` when a range is left.
    #[must_use]
    pub fn from_utc(utc: DateTime2, offset_minutes: i16) -> Option<Self> {
        Self::from_utc_ticks(utc.total_ticks(), offset_minutes)
    }

    fn from_utc_ticks(ticks: i64, offset_minutes: i16) -> Option<Self> {
        if offset_minutes.unsigned_abs() > Self::OFFSET_MINUTES_MAX.unsigned_abs() {
            return None;
        }
        let local_ticks = ticks.checked_add(i64::from(offset_minutes) * TICKS_PER_MINUTE)?;
        DateTime2::from_total_ticks(ticks)?;
        DateTime2::from_total_ticks(local_ticks)?;
        Some(Self { ticks, offset_minutes })
    }

    /// What its clock shows.
    #[must_use]
    pub fn local(self) -> DateTime2 {
        let ticks = self.ticks + i64::from(self.offset_minutes) * TICKS_PER_MINUTE;
        DateTime2::from_total_ticks(ticks).expect("every value was made with a clock in range")
    }

    /// The instant in UTC.
    #[must_use]
    pub fn utc(self) -> DateTime2 {
        DateTime2::from_total_ticks(self.ticks).expect("every value was made with an instant in range")
    }

    /// SWITCHOFFSET: the same instant on another clock.
    #[must_use]
    pub fn switch_offset(self, offset_minutes: i16) -> Option<Self> {
        Self::from_utc_ticks(self.ticks, offset_minutes)
    }

    /// Rounded half up to a scale; the last instants of the year 9999 are cut instead.
    #[must_use]
    pub fn round(self, scale: u8) -> Self {
        let unit = Time::ticks_per_unit(scale) as i64;
        let cut = self.ticks / unit * unit;
        let rounded = (self.ticks + unit / 2) / unit * unit;
        Self::from_utc_ticks(rounded, self.offset_minutes).unwrap_or(Self { ticks: cut, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::{Date, DateOrder, parse_datetime};

    fn at(text: &str) -> DateTime2 {
        parse_datetime(text, DateOrder::Mdy).expect("a test's literal").value
    }

    #[test]
    fn a_clock_ahead_of_utc_shows_a_later_time() {
        let value = DateTimeOffset::from_local(at("2024-01-31 00:30"), 60).expect("in range");
        assert_eq!(value.utc(), at("2024-01-30 23:30"));
        assert_eq!(value.local(), at("2024-01-31 00:30"));
        let there = value.switch_offset(-300).expect("in range");
        assert_eq!((there.ticks, there.local()), (value.ticks, at("2024-01-30 18:30")));
    }

    #[test]
    fn both_clocks_stay_in_range() {
        let first = DateTime2 { date: Date::MIN, time: Time::default() };
        assert_eq!(DateTimeOffset::from_local(first, 1), None);
        let west = DateTimeOffset::from_local(first, -60).expect("its UTC is later");
        assert_eq!(west.switch_offset(0).map(DateTimeOffset::local), Some(at("0001-01-01 01:00")));
        assert_eq!(DateTimeOffset::from_local(DateTime2::MAX, -1), None);
        assert_eq!(DateTimeOffset::from_utc(DateTime2::MAX, 1), None);
        assert_eq!(DateTimeOffset::from_local(at("2024-01-31"), 841), None);
        assert_eq!(DateTimeOffset::from_local(at("2024-01-31"), i16::MIN), None);
    }

    #[test]
    fn rounding_carries_and_stops_at_the_end() {
        let value = DateTimeOffset::from_local(at("2024-12-31 23:59:59.9999999"), 840).expect("in range");
        assert_eq!(value.round(0).local(), at("2025-01-01"));
        let last = DateTimeOffset::from_utc(DateTime2::MAX, 0).expect("in range");
        assert_eq!(last.round(3).local(), DateTime2::MAX.round(3));
    }
}
