//! When a schedule of msdb is due: `freq_type` and its kin, as `sp_add_schedule` documents them.
//!
//! ```text
//!   day      by freq_type, freq_interval and freq_recurrence_factor, counted from active_start_date
//!   times    of a day: one, or each freq_subday_interval from active_start_time to active_end_time
//! ```
//! It knows the calendar of the server's local time, and neither jobs nor tables.

use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};

/// Days that are looked at for the next time: schedules that find none in so many have none.
const DAYS_MAX: u32 = 366 * 101;

/// A row of `sysschedules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub freq_type: i32,
    pub freq_interval: i32,
    pub freq_subday_type: i32,
    pub freq_subday_interval: i32,
    pub freq_relative_interval: i32,
    pub freq_recurrence_factor: i32,
    /// `yyyymmdd`
    pub active_start_date: i32,
    pub active_end_date: i32,
    /// `hhmmss`
    pub active_start_time: i32,
    pub active_end_time: i32,
}

/// `freq_type` of schedules that are due when the Agent starts.
pub(crate) const AT_START: i32 = 64;

impl Schedule {
    /// The first time after one; none of a schedule that has no more, or that no clock says.
    pub(crate) fn next(&self, after: NaiveDateTime) -> Option<NaiveDateTime> {
        let (start, end) = (date(self.active_start_date)?, date(self.active_end_date).unwrap_or(NaiveDate::MAX));
        // The last times of a day may lie after its midnight.
        let mut day = start.max(after.date().checked_sub_days(Days::new(1))?);
        for _ in 0..DAYS_MAX {
            if day > end {
                return None;
            }
            if self.is_on(day, start)
                && let Some(due) = self.next_of_day(day, after)
            {
                return Some(due);
            }
            day = day.succ_opt()?;
        }
        None
    }

    /// Whether it is due on a day, counted from its first one.
    fn is_on(&self, day: NaiveDate, start: NaiveDate) -> bool {
        let each = |count: i64, factor: i32| count % i64::from(factor.max(1)) == 0;
        let months = |day: NaiveDate| i64::from(day.year()) * 12 + i64::from(day.month0());
        let is_its_month = || each(months(day) - months(start), self.freq_recurrence_factor);
        match self.freq_type {
            1 => day == start,
            4 => each((day - start).num_days(), self.freq_interval),
            8 => {
                let sunday = |day: NaiveDate| day - Days::new(u64::from(day.weekday().num_days_from_sunday()));
                let weeks = (sunday(day) - sunday(start)).num_days() / 7;
                self.freq_interval >> day.weekday().num_days_from_sunday() & 1 == 1
                    && each(weeks, self.freq_recurrence_factor)
            }
            // A month without that day is passed over.
            16 => i64::from(day.day()) == i64::from(self.freq_interval) && is_its_month(),
            32 => self.is_relative(day) && is_its_month(),
            _ => false,
        }
    }

    /// `freq_type` 32: the first, second, third, fourth or last day of a month of a kind.
    fn is_relative(&self, day: NaiveDate) -> bool {
        let kind = self.freq_interval;
        let is_of_kind = |day: NaiveDate| {
            let of_week = day.weekday().num_days_from_sunday().cast_signed();
            match kind {
                1..=7 => of_week + 1 == kind,
                8 => true,
                9 => (1..=5).contains(&of_week),
                10 => of_week == 0 || of_week == 6,
                _ => false,
            }
        };
        if !is_of_kind(day) {
            return false;
        }
        let in_month = |number: u32| day.with_day(number);
        let before = (1..day.day()).filter_map(in_month).filter(|day| is_of_kind(*day)).count();
        match self.freq_relative_interval {
            1 => before == 0,
            2 => before == 1,
            4 => before == 2,
            8 => before == 3,
            16 => !(day.day() + 1..=31).filter_map(in_month).any(is_of_kind),
            _ => false,
        }
    }

    /// The first time of a day after a moment.
    fn next_of_day(&self, day: NaiveDate, after: NaiveDateTime) -> Option<NaiveDateTime> {
        let first = day.and_time(time(self.active_start_time)?);
        let unit_s = match self.freq_subday_type {
            2 => 1,
            4 => 60,
            8 => 3600,
            _ => return Some(first).filter(|first| *first > after),
        };
        let step_s = unit_s * i64::from(self.freq_subday_interval.max(1));
        let end = time(self.active_end_time).unwrap_or(NaiveTime::MIN);
        let is_over_midnight = end < first.time();
        let last = day.and_time(end) + TimeDelta::days(i64::from(is_over_midnight));
        let steps = match (after - first).num_seconds() {
            _ if first > after => 0,
            passed_s => passed_s / step_s + 1,
        };
        let due = first + TimeDelta::seconds(steps * step_s);
        (due <= last).then_some(due)
    }
}

/// A date of `yyyymmdd`.
pub(crate) fn date(number: i32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(number / 10_000, (number / 100 % 100).cast_unsigned(), (number % 100).cast_unsigned())
}

/// A time of `hhmmss`.
pub(crate) fn time(number: i32) -> Option<NaiveTime> {
    let part = |by: i32| (number / by % 100).cast_unsigned();
    NaiveTime::from_hms_opt(part(10_000), part(100), part(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").expect("a moment")
    }

    /// Each day at 01:30, from 1 January 2026, a Thursday, on.
    const DAILY: Schedule = Schedule {
        freq_type: 4,
        freq_interval: 1,
        freq_subday_type: 1,
        freq_subday_interval: 0,
        freq_relative_interval: 0,
        freq_recurrence_factor: 0,
        active_start_date: 20_260_101,
        active_end_date: 99_991_231,
        active_start_time: 13_000,
        active_end_time: 235_959,
    };

    fn times(schedule: Schedule, after: &str, count: usize) -> Vec<String> {
        let next = |at: &NaiveDateTime| schedule.next(*at);
        let all = std::iter::successors(schedule.next(moment(after)), next);
        all.take(count).map(|at| at.format("%Y-%m-%d %H:%M:%S").to_string()).collect()
    }

    #[test]
    fn days_follow_from_the_first_one() {
        assert_eq!(times(DAILY, "2025-06-01 00:00:00", 2), ["2026-01-01 01:30:00", "2026-01-02 01:30:00"]);
        assert_eq!(times(DAILY, "2026-03-01 01:29:59", 1), ["2026-03-01 01:30:00"]);
        assert_eq!(times(DAILY, "2026-03-01 01:30:00", 1), ["2026-03-02 01:30:00"]);
        let third = Schedule { freq_interval: 3, ..DAILY };
        assert_eq!(times(third, "2026-01-01 01:30:00", 2), ["2026-01-04 01:30:00", "2026-01-07 01:30:00"]);
        let once = Schedule { freq_type: 1, ..DAILY };
        assert_eq!(times(once, "2025-12-31 00:00:00", 3), ["2026-01-01 01:30:00"]);
        assert_eq!(times(Schedule { freq_type: AT_START, ..DAILY }, "2026-01-01 00:00:00", 1), [""; 0]);
        let ended = Schedule { active_end_date: 20_260_102, ..DAILY };
        assert_eq!(times(ended, "2025-01-01 00:00:00", 9).len(), 2);
    }

    #[test]
    fn weeks_begin_on_sundays() {
        // Mondays and Saturdays of every second week, counted from that of the first day.
        let weekly = Schedule { freq_type: 8, freq_interval: 2 | 64, freq_recurrence_factor: 2, ..DAILY };
        let expected = ["2026-01-03 01:30:00", "2026-01-12 01:30:00", "2026-01-17 01:30:00", "2026-01-26 01:30:00"];
        assert_eq!(times(weekly, "2026-01-01 00:00:00", 4), expected);
    }

    #[test]
    fn months_have_days_by_number_and_by_kind() {
        let last = Schedule { freq_type: 16, freq_interval: 31, freq_recurrence_factor: 1, ..DAILY };
        let expected = ["2026-01-31 01:30:00", "2026-03-31 01:30:00", "2026-05-31 01:30:00"];
        assert_eq!(times(last, "2026-01-01 00:00:00", 3), expected);
        let relative = |interval, relative| Schedule {
            freq_type: 32,
            freq_interval: interval,
            freq_relative_interval: relative,
            freq_recurrence_factor: 1,
            ..DAILY
        };
        // The second Tuesday, the last Friday, the last day, the first weekday, the last day of a weekend.
        let first = |schedule| times(schedule, "2026-02-01 00:00:00", 1).remove(0);
        assert_eq!(first(relative(3, 2)), "2026-02-10 01:30:00");
        assert_eq!(first(relative(6, 16)), "2026-02-27 01:30:00");
        assert_eq!(first(relative(8, 16)), "2026-02-28 01:30:00");
        assert_eq!(first(relative(9, 1)), "2026-02-02 01:30:00");
        assert_eq!(first(relative(10, 16)), "2026-02-28 01:30:00");
    }

    #[test]
    fn times_of_a_day_go_on_over_midnight() {
        let often = Schedule { freq_subday_type: 4, freq_subday_interval: 20, ..DAILY };
        let night = Schedule { active_start_time: 230_000, active_end_time: 3_000, ..often };
        let expected = [
            "2026-01-05 23:00:00",
            "2026-01-05 23:20:00",
            "2026-01-05 23:40:00",
            "2026-01-06 00:00:00",
            "2026-01-06 00:20:00",
            "2026-01-06 23:00:00",
        ];
        assert_eq!(times(night, "2026-01-05 12:00:00", 6), expected);
        let seconds = Schedule { freq_subday_type: 2, freq_subday_interval: 10, active_start_time: 0, ..DAILY };
        assert_eq!(times(seconds, "2026-01-01 00:00:09", 2), ["2026-01-01 00:00:10", "2026-01-01 00:00:20"]);
        let hours = Schedule { freq_subday_type: 8, freq_subday_interval: 12, ..DAILY };
        assert_eq!(times(hours, "2026-01-01 01:30:00", 2), ["2026-01-01 13:30:00", "2026-01-02 01:30:00"]);
    }

    #[test]
    fn what_no_calendar_has_is_never_due() {
        let absurd = [
            Schedule { active_start_date: 20_261_301, ..DAILY },
            Schedule { active_start_time: 256_161, ..DAILY },
            Schedule { freq_type: 16, freq_interval: 77, ..DAILY },
            Schedule { freq_type: 32, freq_interval: 8, freq_relative_interval: 3, ..DAILY },
            Schedule { freq_type: -1, ..DAILY },
            Schedule { freq_type: 8, freq_interval: 0, ..DAILY },
        ];
        for schedule in absurd {
            assert_eq!(schedule.next(moment("2026-01-01 00:00:00")), None, "{schedule:?}");
        }
    }
}
