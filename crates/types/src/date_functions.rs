//! DATEADD, DATEDIFF, DATEPART, DATENAME, EOMONTH.
//!
//! DATEADD and DATEDIFF on `datetime` see it as it is written, in milliseconds ending in 0, 3 and 7. A week of
//! DATEDIFF begins on Sunday whatever DATEFIRST says; a week of DATEPART begins where DATEFIRST says.

use compact_str::{CompactString, ToCompactString, format_compact};

use crate::error::EvalError;
use crate::temporal::Language;
use crate::temporal::part::{DatePart, Measure};
use crate::temporal::{DAYS_TO_1900, Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time, days_in_month};
use crate::value::Value;

const NANOS_PER_TICK: i64 = 100;
const NANOS_PER_MINUTE: i64 = 60_000_000_000;

/// Names of the days of the week from Monday on, as DATENAME has them.
pub const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// DATEADD: `n` parts later; the result has the value's type. NULL stays NULL.
pub fn date_add(part: DatePart, n: i64, value: &Value) -> Result<Value, Box<EvalError>> {
    add(part, n, value).map_err(Box::new)
}

#[inline]
fn add(part: DatePart, n: i64, value: &Value) -> Result<Value, EvalError> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::DateTime(v) => add_to_datetime(part, n, *v).map(Value::DateTime),
        Value::DateTime2(v) => add_to_datetime2(part, n, *v).map(Value::DateTime2),
        Value::DateTimeOffset(v) => add_to_offset(part, n, *v).map(Value::DateTimeOffset),
        Value::Date(v) => add_to_date(part, n, *v).map(Value::Date),
        Value::Time(v) => add_to_time(part, n, *v).map(Value::Time),
        Value::SmallDateTime(v) => add_to_smalldatetime(part, n, *v).map(Value::SmallDateTime),
        other => Err(not_a_date(other, "dateadd", part)),
    }
}

/// Hot for seconds and minutes: one multiplication and one division.
fn add_to_datetime(part: DatePart, n: i64, value: DateTime) -> Result<DateTime, EvalError> {
    let overflow = || out_of_range("datetime");
    match part.measure() {
        Measure::Nanos(nanos) if nanos % 1_000_000_000 == 0 => {
            let ticks_each = nanos / 1_000_000_000 * i64::from(DateTime::TICKS_PER_SECOND);
            let ticks = n.checked_mul(ticks_each).and_then(|ticks| ticks.checked_add(value.total_ticks()));
            ticks.and_then(DateTime::from_total_ticks).ok_or_else(overflow)
        }
        Measure::Nanos(1_000_000) => {
            let later = shift_ticks(value.to_datetime2(), i128::from(n) * 10_000);
            later.and_then(DateTime::from_datetime2).ok_or_else(overflow)
        }
        Measure::Months(_) | Measure::Days(_) => {
            let date = shift_date(part, n, value.to_datetime2().date).ok_or_else(overflow)?;
            DateTime::new(date.days - DAYS_TO_1900, value.ticks).ok_or_else(overflow)
        }
        Measure::Nanos(_) | Measure::None => Err(unsupported(part, "dateadd", "datetime")),
    }
}

fn add_to_datetime2(part: DatePart, n: i64, value: DateTime2) -> Result<DateTime2, EvalError> {
    let overflow = || out_of_range("datetime2");
    match part.measure() {
        Measure::Nanos(nanos) => shift_ticks(value, ticks_of(n, nanos)).ok_or_else(overflow),
        Measure::Months(_) | Measure::Days(_) => {
            let date = shift_date(part, n, value.date).ok_or_else(overflow)?;
            Ok(DateTime2 { date, ..value })
        }
        Measure::None => Err(unsupported(part, "dateadd", "datetime2")),
    }
}

/// Its clock goes on; the offset stays.
fn add_to_offset(part: DatePart, n: i64, value: DateTimeOffset) -> Result<DateTimeOffset, EvalError> {
    if part.measure() == Measure::None {
        return Err(unsupported(part, "dateadd", "datetimeoffset"));
    }
    let overflow = || out_of_range("datetimeoffset");
    let local = add_to_datetime2(part, n, value.local()).map_err(|_| overflow())?;
    DateTimeOffset::from_local(local, value.offset_minutes).ok_or_else(overflow)
}

fn add_to_date(part: DatePart, n: i64, value: Date) -> Result<Date, EvalError> {
    match part.measure() {
        Measure::Months(_) | Measure::Days(_) => shift_date(part, n, value).ok_or_else(|| out_of_range("date")),
        Measure::Nanos(_) | Measure::None => Err(unsupported(part, "dateadd", "date")),
    }
}

/// A time of day goes round the clock.
fn add_to_time(part: DatePart, n: i64, value: Time) -> Result<Time, EvalError> {
    let Measure::Nanos(nanos) = part.measure() else {
        return Err(unsupported(part, "dateadd", "time"));
    };
    let ticks = i128::from(value.ticks) + ticks_of(n, nanos);
    // The remainder is below the ticks of a day.
    Ok(Time { ticks: ticks.rem_euclid(i128::from(Time::TICKS_PER_DAY)) as u64 })
}

/// Less than half a minute changes nothing: -30..=29 seconds, -30001..=29998 milliseconds.
fn add_to_smalldatetime(part: DatePart, n: i64, value: SmallDateTime) -> Result<SmallDateTime, EvalError> {
    let overflow = || out_of_range("smalldatetime");
    let minutes = match part.measure() {
        Measure::Nanos(nanos) if nanos >= NANOS_PER_MINUTE => n.checked_mul(nanos / NANOS_PER_MINUTE),
        Measure::Nanos(1_000_000_000) => n.checked_add(30).map(|n| n.div_euclid(60)),
        Measure::Nanos(1_000_000) => n.checked_add(30_001).map(|n| n.div_euclid(60_000)),
        Measure::Months(_) | Measure::Days(_) => {
            let date = shift_date(part, n, value.to_datetime2().date).ok_or_else(overflow)?;
            let days = u16::try_from(date.days - DAYS_TO_1900).map_err(|_| overflow())?;
            return Ok(SmallDateTime { days, ..value });
        }
        Measure::Nanos(_) | Measure::None => {
            return Err(unsupported(part, "dateadd", "smalldatetime"));
        }
    };
    let total = minutes.and_then(|minutes| minutes.checked_add(value.total_minutes()));
    total.and_then(SmallDateTime::from_total_minutes).ok_or_else(overflow)
}

/// Nanoseconds round to ticks of 100, half away from zero.
fn ticks_of(n: i64, nanos_each: i64) -> i128 {
    let nanos = i128::from(n) * i128::from(nanos_each);
    let half = i128::from(NANOS_PER_TICK / 2) * nanos.signum();
    (nanos + half) / i128::from(NANOS_PER_TICK)
}

fn shift_ticks(value: DateTime2, ticks: i128) -> Option<DateTime2> {
    let total = i64::try_from(i128::from(value.total_ticks()) + ticks).ok()?;
    DateTime2::from_total_ticks(total)
}

/// Adds months (the day is cut to the month's length) or days.
fn shift_date(part: DatePart, n: i64, date: Date) -> Option<Date> {
    match part.measure() {
        Measure::Months(each) => shift_months(date, n.checked_mul(each)?),
        Measure::Days(each) => {
            let days = n.checked_mul(each)?.checked_add(i64::from(date.days))?;
            Date::from_days(i32::try_from(days).ok()?)
        }
        Measure::Nanos(_) | Measure::None => None,
    }
}

fn shift_months(date: Date, months: i64) -> Option<Date> {
    let (year, month, day) = date.civil();
    let total = (i64::from(year) * 12 + i64::from(month) - 1).checked_add(months)?;
    let year = i32::try_from(total.div_euclid(12)).ok()?;
    let month = total.rem_euclid(12) as u32 + 1;
    Date::from_civil(year, month, day.min(days_in_month(year, month)))
}

/// EOMONTH: the last day of the month `months` after the date's.
#[must_use]
pub fn eomonth(date: Date, months: i64) -> Option<Date> {
    let (year, month, _) = shift_months(date, months)?.civil();
    Date::from_civil(year, month, days_in_month(year, month))
}

/// DATEDIFF: boundaries of the part crossed from `a` to `b`, as `int`. The two values may differ in type.
pub fn date_diff(part: DatePart, a: &Value, b: &Value) -> Result<Value, Box<EvalError>> {
    let overflow = || Box::new(EvalError::DateDiffOverflow { function: "datediff" });
    match crossed(part, a, b, "datediff")? {
        None => Ok(Value::Null),
        Some(count) => i32::try_from(count).map(Value::Int).map_err(|_| overflow()),
    }
}

/// DATEDIFF_BIG: the same as `bigint`.
pub fn date_diff_big(part: DatePart, a: &Value, b: &Value) -> Result<Value, Box<EvalError>> {
    let overflow = || Box::new(EvalError::DateDiffOverflow { function: "datediff_big" });
    match crossed(part, a, b, "datediff_big")? {
        None => Ok(Value::Null),
        Some(count) => i64::try_from(count).map(Value::BigInt).map_err(|_| overflow()),
    }
}

fn crossed(part: DatePart, a: &Value, b: &Value, function: &'static str) -> Result<Option<i128>, EvalError> {
    if a.is_null() || b.is_null() {
        return Ok(None);
    }
    let (from, to) = (utc_instant(part, a, function)?, utc_instant(part, b, function)?);
    Ok(Some(boundary(part, to, function)? - boundary(part, from, function)?))
}

/// How many boundaries of the part lie before an instant, counted from any fixed one.
fn boundary(part: DatePart, at: DateTime2, function: &'static str) -> Result<i128, EvalError> {
    let (year, month, _) = at.date.civil();
    let months = i128::from(year) * 12 + i128::from(month) - 1;
    Ok(match part.measure() {
        Measure::Months(each) => months.div_euclid(i128::from(each)),
        // 0001-01-01 is a Monday; a week begins on Sunday.
        Measure::Days(7) => i128::from((at.date.days + 1).div_euclid(7)),
        Measure::Days(_) => i128::from(at.date.days),
        Measure::Nanos(each) if each < NANOS_PER_TICK => {
            i128::from(at.total_ticks()) * i128::from(NANOS_PER_TICK / each)
        }
        Measure::Nanos(each) => i128::from(at.total_ticks().div_euclid(each / NANOS_PER_TICK)),
        Measure::None => return Err(EvalError::DatePartNever { part: part.name(), function }),
    })
}

/// DATEPART as `int`; `date_first` is @@DATEFIRST (1 Monday ..= 7 Sunday). NULL stays NULL.
pub fn date_part(part: DatePart, value: &Value, date_first: u8) -> Result<Value, Box<EvalError>> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    part_number(part, value, date_first, "datepart").map(Value::Int).map_err(Box::new)
}

/// DATENAME in a language. NULL stays NULL.
///
/// # Errors
/// Of a part that the value does not have.
pub fn date_name(part: DatePart, value: &Value, date_first: u8, language: Language) -> Result<Value, Box<EvalError>> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let number = part_number(part, value, date_first, "datename")?;
    let name = match part {
        DatePart::Month => CompactString::const_new(language.month(number.unsigned_abs())),
        DatePart::Weekday => {
            let date = instant(part, value, "datename")?.date;
            CompactString::const_new(language.day(date.days_after_monday()))
        }
        DatePart::TzOffset => format_compact!("{}{:02}:{:02}", sign(number), number.abs() / 60, number.abs() % 60),
        _ => number.to_compact_string(),
    };
    Ok(Value::from(name))
}

fn sign(number: i32) -> char {
    if number < 0 { '-' } else { '+' }
}

fn part_number(part: DatePart, value: &Value, date_first: u8, function: &'static str) -> Result<i32, EvalError> {
    let type_name = type_name(value).ok_or_else(|| not_a_date(value, function, part))?;
    let has_part = match part.measure() {
        Measure::Nanos(_) => !matches!(value, Value::Date(_)),
        Measure::None if part == DatePart::TzOffset => matches!(value, Value::DateTime2(_) | Value::DateTimeOffset(_)),
        _ => !matches!(value, Value::Time(_)),
    };
    if !has_part {
        return Err(unsupported(part, function, type_name));
    }
    if let (DatePart::TzOffset, Value::DateTimeOffset(v)) = (part, value) {
        return Ok(i32::from(v.offset_minutes));
    }
    let at = instant(part, value, function)?;
    Ok(number_of(part, at, date_first))
}

/// All numbers are small: the largest is 999,999,900 nanoseconds.
fn number_of(part: DatePart, at: DateTime2, date_first: u8) -> i32 {
    let (year, month, day) = at.date.civil();
    let (hour, minute, second, nanosecond) = at.time.hms();
    let number = match part {
        DatePart::Year => year as u32,
        DatePart::Quarter => month.div_ceil(3),
        DatePart::Month => month,
        DatePart::DayOfYear => at.date.day_of_year(),
        DatePart::Day => day,
        DatePart::Week => week_of_year(at.date, date_first),
        DatePart::Weekday => weekday(at.date, date_first),
        DatePart::Hour => hour,
        DatePart::Minute => minute,
        DatePart::Second => second,
        DatePart::Millisecond => nanosecond / 1_000_000,
        DatePart::Microsecond => nanosecond / 1000,
        DatePart::Nanosecond => nanosecond,
        DatePart::TzOffset => 0,
        DatePart::IsoWeek => iso_week(at.date),
    };
    number as i32
}

/// Day of the week from 1, which is the day that `date_first` (1 Monday ..= 7 Sunday) names.
fn weekday(date: Date, date_first: u8) -> u32 {
    let first = (u32::from(date_first) + 6) % 7;
    (u32::from(date.days_after_monday()) + 7 - first) % 7 + 1
}

/// Week 1 holds January 1st, however short it is.
fn week_of_year(date: Date, date_first: u8) -> u32 {
    let day_of_year = date.day_of_year();
    let january_first = Date { days: date.days - day_of_year as i32 + 1 };
    (day_of_year - 1 + weekday(january_first, date_first) - 1) / 7 + 1
}

/// The week belongs to the year of its Thursday.
fn iso_week(date: Date) -> u32 {
    let thursday = date.days - i32::from(date.days_after_monday()) + 3;
    let day_of_year = match Date::from_days(thursday) {
        Some(thursday) => thursday.day_of_year(),
        // Only 9999-12-27 and later: 9999 ends on a Friday, so no such week exists; kept total all the same.
        None => date.day_of_year(),
    };
    (day_of_year - 1) / 7 + 1
}

/// Differences count between instants, so clocks of different zones meet in UTC.
fn utc_instant(part: DatePart, value: &Value, function: &'static str) -> Result<DateTime2, EvalError> {
    match value {
        Value::DateTimeOffset(v) => Ok(v.utc()),
        other => instant(part, other, function),
    }
}

/// A date without a time is at midnight; a time without a date is on 1900-01-01.
fn instant(part: DatePart, value: &Value, function: &'static str) -> Result<DateTime2, EvalError> {
    Ok(match value {
        Value::DateTime(v) => v.to_datetime2(),
        Value::DateTime2(v) => *v,
        Value::DateTimeOffset(v) => v.local(),
        Value::Date(date) => DateTime2 { date: *date, time: Time::default() },
        Value::Time(time) => DateTime2 { date: Date::DEFAULT, time: *time },
        Value::SmallDateTime(v) => v.to_datetime2(),
        other => return Err(not_a_date(other, function, part)),
    })
}

fn type_name(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::DateTime(_) => "datetime",
        Value::DateTime2(_) => "datetime2",
        Value::DateTimeOffset(_) => "datetimeoffset",
        Value::Date(_) => "date",
        Value::Time(_) => "time",
        Value::SmallDateTime(_) => "smalldatetime",
        _ => return None,
    })
}

/// The binder casts arguments to a date type first, so this reports a type that has no dates at all.
fn not_a_date(_value: &Value, function: &'static str, part: DatePart) -> EvalError {
    unsupported(part, function, "expression")
}

#[cold]
fn out_of_range(type_name: &'static str) -> EvalError {
    EvalError::DateAddOverflow { type_name }
}

fn unsupported(part: DatePart, function: &'static str, type_name: &'static str) -> EvalError {
    EvalError::DatePartUnsupported { part: part.name(), function, type_name }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::temporal::{DATE_FIRST_DEFAULT, DateOrder, parse_datetime};

    fn dt2(text: &str) -> DateTime2 {
        parse_datetime(text, DateOrder::Mdy).expect("a test's literal").value
    }

    fn dt(text: &str) -> Value {
        Value::DateTime(DateTime::from_datetime2(dt2(text)).expect("in range"))
    }

    fn date(text: &str) -> Value {
        Value::Date(dt2(text).date)
    }

    #[test]
    fn months_are_cut_to_their_length() {
        for (part, n, from, to) in [
            (DatePart::Month, 1, "2024-01-31", "2024-02-29"),
            (DatePart::Month, 1, "2023-01-31", "2023-02-28"),
            (DatePart::Month, -1, "2024-03-31", "2024-02-29"),
            (DatePart::Year, 1, "2024-02-29", "2025-02-28"),
            (DatePart::Quarter, -1, "2024-01-15", "2023-10-15"),
            (DatePart::Week, 1, "2024-12-31", "2025-01-07"),
            (DatePart::DayOfYear, 1, "2024-12-31", "2025-01-01"),
        ] {
            assert_eq!(date_add(part, n, &date(from)), Ok(date(to)), "{part:?} {n} {from}");
        }
    }

    #[test]
    fn datetime_adds_time_in_its_own_ticks() {
        for (part, n, from, to) in [
            (DatePart::Second, 5, "2024-12-31 23:59:57.123", "2025-01-01 00:00:02.123"),
            (DatePart::Minute, -5, "2024-01-01 00:00:00", "2023-12-31 23:55:00"),
            (DatePart::Hour, 25, "2024-01-01 10:00", "2024-01-02 11:00"),
            (DatePart::Millisecond, 1, "2024-01-01 10:00", "2024-01-01 10:00"),
            (DatePart::Millisecond, 2, "2024-01-01 10:00", "2024-01-01 10:00:00.003"),
        ] {
            assert_eq!(date_add(part, n, &dt(from)), Ok(dt(to)), "{part:?} {n} {from}");
        }
        let error = date_add(DatePart::Nanosecond, 100, &dt("2024-01-01")).map_err(|e| e.number());
        assert_eq!(error, Err(9810));
        let error = date_add(DatePart::Year, 8000, &dt("2024-01-01")).map_err(|e| e.number());
        assert_eq!(error, Err(517));
        assert_eq!(date_add(DatePart::Second, i64::MAX, &dt("2024-01-01")).map_err(|e| e.number()), Err(517));
    }

    #[test]
    fn smalldatetime_ignores_less_than_half_a_minute() {
        let value = SmallDateTime { days: 100, minutes: 60 };
        for (part, n, minutes) in [
            (DatePart::Second, 29, 60),
            (DatePart::Second, 30, 61),
            (DatePart::Second, -30, 60),
            (DatePart::Second, -31, 59),
            (DatePart::Millisecond, 29_998, 60),
            (DatePart::Millisecond, 29_999, 61),
            (DatePart::Millisecond, -30_001, 60),
            (DatePart::Hour, 1, 120),
        ] {
            let expected = Value::SmallDateTime(SmallDateTime { days: 100, minutes });
            assert_eq!(date_add(part, n, &Value::SmallDateTime(value)), Ok(expected), "{part:?} {n}");
        }
    }

    #[test]
    fn nanoseconds_round_to_ticks_and_times_go_round() {
        let start = dt2("2024-01-01 10:00");
        for (n, ticks) in [(49, 0), (50, 1), (149, 1), (150, 2), (-49, 0), (-50, -1)] {
            let expected = DateTime2::from_total_ticks(start.total_ticks() + ticks);
            let sum = date_add(DatePart::Nanosecond, n, &Value::DateTime2(start));
            assert_eq!(sum, Ok(Value::from(expected)), "{n}");
        }
        let late = Value::Time(dt2("23:30").time);
        assert_eq!(date_add(DatePart::Hour, 1, &late), Ok(Value::Time(dt2("00:30").time)));
        assert_eq!(date_add(DatePart::Day, 1, &late).map_err(|e| e.number()), Err(9810));
    }

    #[test]
    fn differences_count_boundaries() {
        let instants = ("2005-12-31 23:59:59.9999999", "2006-01-01 00:00:00.0000000");
        let (a, b) = (Value::DateTime2(dt2(instants.0)), Value::DateTime2(dt2(instants.1)));
        let parts = ["year", "quarter", "month", "dayofyear", "day", "week", "hour", "minute", "second"];
        for name in parts.iter().chain(&["millisecond", "microsecond"]) {
            let part = DatePart::by_name(name).expect("a part");
            assert_eq!(date_diff(part, &a, &b), Ok(Value::Int(1)), "{name}");
            assert_eq!(date_diff(part, &b, &a), Ok(Value::Int(-1)), "{name}");
        }
        assert_eq!(date_diff(DatePart::Nanosecond, &a, &b), Ok(Value::Int(100)));
        assert_eq!(date_diff(DatePart::Year, &date("2023-01-01"), &date("2023-12-31")), Ok(Value::Int(0)));
        // 2024-01-07 is a Sunday.
        assert_eq!(date_diff(DatePart::Week, &date("2024-01-06"), &date("2024-01-07")), Ok(Value::Int(1)));
        assert_eq!(date_diff(DatePart::Week, &date("2024-01-07"), &date("2024-01-13")), Ok(Value::Int(0)));
        assert_eq!(date_diff(DatePart::Hour, &date("2024-01-01"), &dt("2024-01-02 01:00")), Ok(Value::Int(25)));
    }

    #[test]
    fn a_difference_too_large_for_int_is_an_error() {
        let (a, b) = (date("2000-01-01"), date("2100-01-01"));
        assert_eq!(date_diff(DatePart::Second, &a, &b).map_err(|e| e.number()), Err(535));
        assert_eq!(date_diff_big(DatePart::Second, &a, &b), Ok(Value::BigInt(3_155_760_000)));
        assert_eq!(date_diff(DatePart::Day, &a, &Value::Null), Ok(Value::Null));
    }

    #[test]
    fn parts_and_names() {
        let value = Value::DateTime2(dt2("2007-10-30 12:15:32.1234567"));
        for (part, expected) in [
            (DatePart::Year, 2007),
            (DatePart::Quarter, 4),
            (DatePart::Month, 10),
            (DatePart::DayOfYear, 303),
            (DatePart::Day, 30),
            (DatePart::Week, 44),
            (DatePart::Weekday, 3),
            (DatePart::Hour, 12),
            (DatePart::Minute, 15),
            (DatePart::Second, 32),
            (DatePart::Millisecond, 123),
            (DatePart::Microsecond, 123_456),
            (DatePart::Nanosecond, 123_456_700),
            (DatePart::IsoWeek, 44),
        ] {
            assert_eq!(date_part(part, &value, DATE_FIRST_DEFAULT), Ok(Value::Int(expected)), "{part:?}");
        }
        assert_eq!(date_part(DatePart::Weekday, &value, 1), Ok(Value::Int(2)));
        assert_eq!(date_name(DatePart::Weekday, &value, 1, Language::US_ENGLISH), Ok(Value::str("Tuesday")));
        assert_eq!(date_name(DatePart::Month, &value, 7, Language::US_ENGLISH), Ok(Value::str("October")));
        assert_eq!(date_name(DatePart::TzOffset, &value, 7, Language::US_ENGLISH), Ok(Value::str("+00:00")));
        assert_eq!(date_name(DatePart::Year, &value, 7, Language::US_ENGLISH), Ok(Value::str("2007")));
    }

    #[test]
    fn a_part_that_the_type_lacks_is_an_error() {
        assert_eq!(date_part(DatePart::Hour, &date("2024-01-01"), 7).map_err(|e| e.number()), Err(9810));
        let time = Value::Time(Time::default());
        assert_eq!(date_part(DatePart::Year, &time, 7).map_err(|e| e.number()), Err(9810));
        assert_eq!(date_part(DatePart::Hour, &Value::Int(1), 7).map_err(|e| e.number()), Err(9810));
    }

    #[test]
    fn iso_weeks_belong_to_the_year_of_their_thursday() {
        for (text, week) in
            [("2021-01-03", 53), ("2021-01-04", 1), ("2024-12-30", 1), ("2005-01-01", 53), ("9999-12-31", 52)]
        {
            assert_eq!(date_part(DatePart::IsoWeek, &date(text), 7), Ok(Value::Int(week)), "{text}");
        }
    }

    #[test]
    fn months_end_where_eomonth_says() {
        let of = |text: &str, months| eomonth(dt2(text).date, months).map(Date::civil);
        assert_eq!(of("2024-01-15", 1), Some((2024, 2, 29)));
        assert_eq!(of("2023-12-31", 0), Some((2023, 12, 31)));
        assert_eq!(of("9999-12-31", 1), None);
    }

    proptest! {
        #[test]
        fn adding_what_datediff_counts_gives_the_second_date(a in 0..3_652_058i32, b in 0..3_652_058i32) {
            let (a, b) = (Value::Date(Date { days: a }), Value::Date(Date { days: b }));
            let Ok(Value::Int(days)) = date_diff(DatePart::Day, &a, &b) else { panic!("days fit an int") };
            prop_assert_eq!(date_add(DatePart::Day, days.into(), &a), Ok(b));
        }

        #[test]
        fn datetime_adds_seconds_as_datetime2_does(days in 0..100_000i32, ticks in 0..25_920_000u32, n in any::<i32>()) {
            let value = DateTime { days, ticks };
            let wide = add_to_datetime2(DatePart::Second, n.into(), value.to_datetime2()).ok().and_then(DateTime::from_datetime2);
            prop_assert_eq!(add_to_datetime(DatePart::Second, n.into(), value).ok(), wide);
        }
    }
}
