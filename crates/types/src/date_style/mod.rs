//! CONVERT's styles: dates and times as text. (What a style reads is in `text`.)
//!
//! A style is a date pattern, a time pattern and what stands between them; a type that has only one half takes only
//! that. Styles 130 and 131 use the tabular Islamic calendar (30-year cycle with leap years 2, 5, 7, 10, 13, 16, 18,
//! 21, 24, 26, 29), which is SQL Server's "Kuwaiti algorithm".

mod text;

use std::fmt::Write;

use compact_str::CompactString;

use crate::error::EvalError;
use crate::temporal::islamic::{ISLAMIC_MONTHS, islamic};
use crate::temporal::{Date, DateTime2, Language, Time};
use crate::value::Value;

pub use text::parse_styled_datetime;

/// The style of `datetime` and `smalldatetime` without one: `Jan 31 2024 10:00AM`.
pub const DATETIME_STYLE_DEFAULT: i32 = 0;
/// The style of `date`, `time` and `datetime2` without one: `2024-01-31 10:00:00.0000000`.
pub const ISO_STYLE: i32 = 121;
/// ISO 8601 with a `Z`.
const UTC_STYLE: i32 = 127;

#[derive(Clone, Copy)]
enum DateForm {
    /// `Jan 31 2024`
    MonthDayYear,
    /// Numbers in an order with a separator, the year short or full.
    Numbers { order: [Field; 3], separator: &'static str, full_year: bool },
    /// `31 Jan 2024`
    DayMonthYear { full_year: bool },
    /// `Jan 31, 2024`
    MonthDayCommaYear { full_year: bool },
    /// `19 رجب 1445`
    IslamicName,
    /// `19/07/1445`
    IslamicNumbers,
}

#[derive(Clone, Copy)]
enum Field {
    Year,
    Month,
    Day,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeForm {
    /// ` 1:05PM`
    HoursMinutesHalf,
    /// ` 1:05:09:000PM`
    HalfWithFraction,
    /// The same of styles 130 and 131, which write a `time` with its blank too.
    PaddedHalfWithFraction,
    /// ` 1:05:09 PM`
    HalfWithSeconds,
    /// `13:05:09`
    Clock,
    /// `13:05:09` and the fraction after this character; a colon is that of the older types alone
    ClockWithFraction(char),
    /// The same, but a fraction of zero is left out where the text is ISO 8601.
    ClockIso,
}

#[derive(Clone, Copy)]
struct Style {
    date: Option<DateForm>,
    between: &'static str,
    time: Option<TimeForm>,
}

const YMD: [Field; 3] = [Field::Year, Field::Month, Field::Day];
const MDY: [Field; 3] = [Field::Month, Field::Day, Field::Year];
const DMY: [Field; 3] = [Field::Day, Field::Month, Field::Year];

impl Style {
    const fn date(date: DateForm) -> Self {
        Self { date: Some(date), between: "", time: None }
    }

    const fn time(time: TimeForm) -> Self {
        Self { date: None, between: "", time: Some(time) }
    }

    const fn both(date: DateForm, between: &'static str, time: TimeForm) -> Self {
        Self { date: Some(date), between, time: Some(time) }
    }

    fn of(number: i32) -> Option<Self> {
        use TimeForm::{
            Clock, ClockIso, ClockWithFraction, HalfWithFraction, HalfWithSeconds, HoursMinutesHalf,
            PaddedHalfWithFraction,
        };
        let full_year = number >= 100;
        let numbers = |order, separator| Self::date(DateForm::Numbers { order, separator, full_year });
        let iso = DateForm::Numbers { order: YMD, separator: "-", full_year: true };
        Some(match number {
            0 | 100 => Self::both(DateForm::MonthDayYear, " ", HoursMinutesHalf),
            1 | 101 => numbers(MDY, "/"),
            2 | 102 => numbers(YMD, "."),
            3 | 103 => numbers(DMY, "/"),
            4 | 104 => numbers(DMY, "."),
            5 | 105 => numbers(DMY, "-"),
            6 | 106 => Self::date(DateForm::DayMonthYear { full_year }),
            7 | 107 => Self::date(DateForm::MonthDayCommaYear { full_year }),
            8 | 24 | 108 => Self::time(Clock),
            9 | 109 => Self::both(DateForm::MonthDayYear, " ", HalfWithFraction),
            10 | 110 => numbers(MDY, "-"),
            11 | 111 => numbers(YMD, "/"),
            12 | 112 => numbers(YMD, ""),
            13 | 113 => Self::both(DateForm::DayMonthYear { full_year: true }, " ", ClockWithFraction(':')),
            14 | 114 => Self::time(ClockWithFraction(':')),
            20 | 120 => Self::both(iso, " ", Clock),
            21 | 25 | 121 => Self::both(iso, " ", ClockWithFraction('.')),
            22 => Self::both(DateForm::Numbers { order: MDY, separator: "/", full_year: false }, " ", HalfWithSeconds),
            23 => Self::date(iso),
            126 | 127 => Self::both(iso, "T", ClockIso),
            130 => Self::both(DateForm::IslamicName, " ", PaddedHalfWithFraction),
            131 => Self::both(DateForm::IslamicNumbers, " ", PaddedHalfWithFraction),
            _ => return None,
        })
    }

    /// Style 8 of `time` and style 120 share a clock: a type takes the half of a style that it has.
    fn write(self, halves: Halves, language: Language, out: &mut CompactString) -> Option<()> {
        match (halves.date, halves.time) {
            (Some(date), None) => write_date(self.date?, date, language, out),
            (None, Some(time)) => write_time(self.time?, time, halves, out),
            (Some(date), Some(time)) => {
                if let Some(form) = self.date {
                    write_date(form, date, language, out);
                }
                out.push_str(self.between);
                if let Some(form) = self.time {
                    write_time(form, time, halves, out);
                    write_offset(form, halves.offset_minutes, out);
                }
            }
            (None, None) => return None,
        }
        Some(())
    }
}

/// What a value has of date and time, and the digits of its fraction.
#[derive(Clone, Copy)]
struct Halves {
    date: Option<Date>,
    time: Option<Time>,
    scale: u8,
    /// It is a `datetime` or `smalldatetime`, whose milliseconds stand after a colon in some styles.
    is_legacy: bool,
    /// Minutes from UTC, of a `datetimeoffset`.
    offset_minutes: Option<i16>,
}

impl Halves {
    fn of(value: &Value, scale: u8) -> Option<(Self, &'static str)> {
        let none = Self { date: None, time: None, scale, is_legacy: false, offset_minutes: None };
        let both = |v: DateTime2, scale| Self { date: Some(v.date), time: Some(v.time), scale, ..none };
        let legacy = |v: DateTime2| Self { is_legacy: true, ..both(v, 3) };
        Some(match value {
            Value::DateTime(v) => (legacy(v.to_datetime2()), "datetime"),
            Value::SmallDateTime(v) => (legacy(v.to_datetime2()), "smalldatetime"),
            Value::DateTime2(v) => (both(*v, scale), "datetime2"),
            Value::DateTimeOffset(v) => {
                (Self { offset_minutes: Some(v.offset_minutes), ..both(v.local(), scale) }, "datetimeoffset")
            }
            Value::Date(date) => (Self { date: Some(*date), scale: 0, ..none }, "date"),
            Value::Time(time) => (Self { time: Some(*time), ..none }, "time"),
            _ => return None,
        })
    }
}

/// Writes a value in CONVERT's style; `scale` is the type's, for `time` and `datetime2`.
///
/// A style that does not exist is message 281; one that has nothing of the type (101 of a `time`) is 8114, but for the
/// clocks with a fraction, which are no styles of a `date`.
pub fn format_style(value: &Value, scale: u8, style: i32) -> Result<CompactString, EvalError> {
    format_style_in(value, scale, style, Language::US_ENGLISH)
}

/// The same with the month's name in a language.
///
/// # Errors
/// Those of [`format_style`].
pub fn format_style_in(value: &Value, scale: u8, style: i32, language: Language) -> Result<CompactString, EvalError> {
    if let (Value::DateTimeOffset(v), UTC_STYLE) = (value, style) {
        // The style says the instant in UTC, with a Z.
        let mut text = format_style_in(&Value::DateTime2(v.utc()), scale, style, language)?;
        text.push('Z');
        return Ok(text);
    }
    let (halves, type_name) = Halves::of(value, scale).ok_or(EvalError::InvalidStyle { style, from: "expression" })?;
    let invalid = EvalError::InvalidStyle { style, from: type_name };
    let mut out = CompactString::default();
    let form = Style::of(style).ok_or(invalid.clone())?;
    let is_of_type = !matches!((value, form.time), (Value::Date(_), Some(TimeForm::ClockWithFraction(_))));
    let foreign = if is_of_type { EvalError::ConversionError { from: type_name, to: "varchar" } } else { invalid };
    form.write(halves, language, &mut out).ok_or(foreign)?;
    Ok(out)
}

// Writing into a CompactString cannot fail.
fn put(out: &mut CompactString, args: std::fmt::Arguments<'_>) {
    out.write_fmt(args).expect("memory takes every text");
}

fn write_date(form: DateForm, date: Date, language: Language, out: &mut CompactString) {
    let (year, month, day) = date.civil();
    let name = language.short_month(month);
    let short = |full_year: bool| {
        if full_year { format!("{year:04}") } else { format!("{:02}", year % 100) }
    };
    match form {
        DateForm::MonthDayYear => put(out, format_args!("{name} {day:2} {year:04}")),
        DateForm::DayMonthYear { full_year } => put(out, format_args!("{day:02} {name} {}", short(full_year))),
        DateForm::MonthDayCommaYear { full_year } => put(out, format_args!("{name} {day:02}, {}", short(full_year))),
        DateForm::Numbers { order, separator, full_year } => {
            for (position, field) in order.into_iter().enumerate() {
                let before = if position == 0 { "" } else { separator };
                match field {
                    Field::Year => put(out, format_args!("{before}{}", short(full_year))),
                    Field::Month => put(out, format_args!("{before}{month:02}")),
                    Field::Day => put(out, format_args!("{before}{day:02}")),
                }
            }
        }
        DateForm::IslamicName => {
            let (year, month, day) = islamic(date);
            put(out, format_args!("{day:2} {} {year:04}", ISLAMIC_MONTHS[month as usize - 1]));
        }
        DateForm::IslamicNumbers => {
            let (year, month, day) = islamic(date);
            put(out, format_args!("{day:2}/{month:02}/{year:04}"));
        }
    }
}

fn write_time(form: TimeForm, time: Time, of: Halves, out: &mut CompactString) {
    let scale = of.scale;
    let (hour, minute, second, nanosecond) = time.hms();
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour_of_half = if hour % 12 == 0 { 12 } else { hour % 12 };
    // Some styles write a time alone without the blank.
    let width = match form {
        TimeForm::HoursMinutesHalf | TimeForm::HalfWithFraction if of.date.is_none() => 1,
        _ => 2,
    };
    match form {
        TimeForm::HoursMinutesHalf => put(out, format_args!("{hour_of_half:width$}:{minute:02}{half}")),
        TimeForm::HalfWithSeconds => put(out, format_args!("{hour_of_half:2}:{minute:02}:{second:02} {half}")),
        TimeForm::HalfWithFraction | TimeForm::PaddedHalfWithFraction => {
            put(out, format_args!("{hour_of_half:width$}:{minute:02}:{second:02}"));
            write_fraction(if of.is_legacy { ':' } else { '.' }, nanosecond, scale, out);
            out.push_str(half);
        }
        TimeForm::Clock | TimeForm::ClockWithFraction(_) | TimeForm::ClockIso => {
            put(out, format_args!("{hour:02}:{minute:02}:{second:02}"));
        }
    }
    match form {
        TimeForm::ClockWithFraction(':') if !of.is_legacy => write_fraction('.', nanosecond, scale, out),
        TimeForm::ClockWithFraction(point) => write_fraction(point, nanosecond, scale, out),
        TimeForm::ClockIso if nanosecond != 0 => write_fraction('.', nanosecond, scale, out),
        _ => {}
    }
}

/// `+01:00`, after a blank where the text is not ISO 8601.
fn write_offset(form: TimeForm, offset_minutes: Option<i16>, out: &mut CompactString) {
    let Some(offset) = offset_minutes else {
        return;
    };
    let blank = if form == TimeForm::ClockIso { "" } else { " " };
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs();
    put(out, format_args!("{blank}{sign}{:02}:{:02}", minutes / 60, minutes % 60));
}

fn write_fraction(point: char, nanosecond: u32, scale: u8, out: &mut CompactString) {
    if scale == 0 {
        return;
    }
    let digits = nanosecond / 10u32.pow(9 - u32::from(scale));
    put(out, format_args!("{point}{digits:0width$}", width = usize::from(scale)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::{DateOrder, DateTime, SmallDateTime, parse_datetime};

    fn at(text: &str) -> DateTime2 {
        parse_datetime(text, DateOrder::Mdy).expect("a test's literal").value
    }

    fn datetime(text: &str) -> Value {
        Value::DateTime(DateTime::from_datetime2(at(text)).expect("in range"))
    }

    #[test]
    fn every_style_of_datetime() {
        let value = datetime("2006-12-30 00:38:54.840");
        for (style, expected) in [
            (0, "Dec 30 2006 12:38AM"),
            (1, "12/30/06"),
            (2, "06.12.30"),
            (3, "30/12/06"),
            (4, "30.12.06"),
            (5, "30-12-06"),
            (6, "30 Dec 06"),
            (7, "Dec 30, 06"),
            (8, "00:38:54"),
            (9, "Dec 30 2006 12:38:54:840AM"),
            (10, "12-30-06"),
            (11, "06/12/30"),
            (12, "061230"),
            (13, "30 Dec 2006 00:38:54:840"),
            (14, "00:38:54:840"),
            (20, "2006-12-30 00:38:54"),
            (21, "2006-12-30 00:38:54.840"),
            (22, "12/30/06 12:38:54 AM"),
            (23, "2006-12-30"),
            (24, "00:38:54"),
            (25, "2006-12-30 00:38:54.840"),
            (100, "Dec 30 2006 12:38AM"),
            (101, "12/30/2006"),
            (102, "2006.12.30"),
            (103, "30/12/2006"),
            (104, "30.12.2006"),
            (105, "30-12-2006"),
            (106, "30 Dec 2006"),
            (107, "Dec 30, 2006"),
            (108, "00:38:54"),
            (109, "Dec 30 2006 12:38:54:840AM"),
            (110, "12-30-2006"),
            (111, "2006/12/30"),
            (112, "20061230"),
            (113, "30 Dec 2006 00:38:54:840"),
            (114, "00:38:54:840"),
            (120, "2006-12-30 00:38:54"),
            (121, "2006-12-30 00:38:54.840"),
            (126, "2006-12-30T00:38:54.840"),
            (127, "2006-12-30T00:38:54.840"),
            (130, "10 ذو الحجة 1427 12:38:54:840AM"),
            (131, "10/12/1427 12:38:54:840AM"),
        ] {
            assert_eq!(format_style(&value, 3, style).as_deref(), Ok(expected), "style {style}");
        }
        assert_eq!(format_style(&value, 3, 15).map_err(|e| e.number()), Err(281));
    }

    #[test]
    fn days_and_hours_below_ten_are_padded_with_blanks() {
        let value = datetime("2024-01-05 13:05:09");
        assert_eq!(format_style(&value, 3, 0).as_deref(), Ok("Jan  5 2024  1:05PM"));
        assert_eq!(format_style(&value, 3, 109).as_deref(), Ok("Jan  5 2024  1:05:09:000PM"));
        assert_eq!(format_style(&value, 3, 22).as_deref(), Ok("01/05/24  1:05:09 PM"));
        assert_eq!(format_style(&value, 3, 126).as_deref(), Ok("2024-01-05T13:05:09"));
    }

    #[test]
    fn the_newer_types_show_their_scale_and_their_half() {
        let value = Value::DateTime2(at("2024-01-31 10:00:00.1234567"));
        assert_eq!(format_style(&value, 7, 121).as_deref(), Ok("2024-01-31 10:00:00.1234567"));
        assert_eq!(format_style(&value, 2, 121).as_deref(), Ok("2024-01-31 10:00:00.12"));
        assert_eq!(format_style(&value, 0, 121).as_deref(), Ok("2024-01-31 10:00:00"));
        assert_eq!(format_style(&value, 7, 0).as_deref(), Ok("Jan 31 2024 10:00AM"));
        assert_eq!(format_style(&value, 3, 9).as_deref(), Ok("Jan 31 2024 10:00:00.123AM"));
        assert_eq!(format_style(&value, 3, 113).as_deref(), Ok("31 Jan 2024 10:00:00.123"));
        assert_eq!(format_style(&value, 3, 14).as_deref(), Ok("10:00:00.123"));
        let early = Value::Time(at("02:05:06.5").time);
        assert_eq!(format_style(&early, 3, 0).as_deref(), Ok("2:05AM"));
        assert_eq!(format_style(&early, 3, 109).as_deref(), Ok("2:05:06.500AM"));
        assert_eq!(format_style(&early, 3, 114).as_deref(), Ok("02:05:06.500"));
        assert_eq!(format_style(&early, 0, 9).as_deref(), Ok("2:05:06AM"));
        assert_eq!(format_style(&early, 3, 22).as_deref(), Ok(" 2:05:06 AM"));
        assert_eq!(format_style(&early, 3, 131).as_deref(), Ok(" 2:05:06.500AM"));
        let date = Value::Date(at("2024-01-31").date);
        assert_eq!(format_style(&date, 0, 121).as_deref(), Ok("2024-01-31"));
        assert_eq!(format_style(&date, 0, 0).as_deref(), Ok("Jan 31 2024"));
        assert_eq!(format_style(&date, 0, 108).map_err(|e| e.number()), Err(8114));
        assert_eq!(format_style(&date, 0, 114).map_err(|e| e.number()), Err(281));
        let time = Value::Time(at("10:00:00.5").time);
        assert_eq!(format_style(&time, 7, 121).as_deref(), Ok("10:00:00.5000000"));
        assert_eq!(format_style(&time, 7, 101).map_err(|e| e.number()), Err(8114));
        let small = Value::SmallDateTime(SmallDateTime { days: 0, minutes: 61 });
        assert_eq!(format_style(&small, 0, 120).as_deref(), Ok("1900-01-01 01:01:00"));
    }

    #[test]
    fn islamic_dates_of_known_days() {
        // 1 Muharram of 1400 and 1445, and the last day of the leap year 1442 in the tabular calendar.
        assert_eq!(islamic(at("1979-11-20").date), (1400, 1, 1));
        assert_eq!(islamic(at("2023-07-18").date), (1445, 1, 1));
        assert_eq!(islamic(at("2021-08-08").date), (1442, 12, 30));
        assert_eq!(islamic(at("2021-08-09").date), (1443, 1, 1));
    }
}
