//! Texts that name a date, a time, or both.
//!
//! ```text
//! text    = { date | time | "T" | "," }         in any order, each at most once
//! date    = n sep n sep n                       sep is / - or .; order by DATEFORMAT, a 4-digit number is the year
//!         | 8, 6 or 4 digits                    yyyymmdd, yymmdd, yyyy
//!         | month name of the language with day and year around it, each beside it perhaps after or before one sep
//! time    = n ":" n [ ":" n [ "." fraction | ":" milliseconds ] ] [ AM | PM ] [ zone ]
//!         | n (AM | PM)
//! zone    = "Z" | ("+" | "-") n ":" n
//! ```
//!
//! A missing date is 1900-01-01, a missing time midnight. Which of this a type takes (`datetime` refuses more than
//! three digits of fraction) is the caller's rule.

use thiserror::Error;

use crate::temporal::islamic::date_of_islamic;
use crate::temporal::language::Language;
use crate::temporal::{Date, DateTime2, DateTimeOffset, Time};

/// What `two digit year cutoff` is where it was not changed: 00..=49 are 20xx, 50..=99 are 19xx.
pub const TWO_DIGIT_YEAR_CUTOFF: u16 = 2049;
/// Digits of a tick.
const TICK_DIGITS: usize = 7;
/// Digits after those of a tick are cut; more than a nanosecond has are refused.
const FRACTION_DIGITS_MAX: usize = 9;

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

impl DateOrder {
    /// All of them.
    pub const ALL: [DateOrder; 6] = [Self::Mdy, Self::Dmy, Self::Ymd, Self::Ydm, Self::Myd, Self::Dym];

    /// The order of a SET DATEFORMAT argument, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "mdy" => Self::Mdy,
            "dmy" => Self::Dmy,
            "ymd" => Self::Ymd,
            "ydm" => Self::Ydm,
            "myd" => Self::Myd,
            "dym" => Self::Dym,
            _ => return None,
        })
    }

    /// Positions of year, month and day.
    fn positions(self) -> (usize, usize, usize) {
        match self {
            Self::Mdy => (2, 0, 1),
            Self::Dmy => (2, 1, 0),
            Self::Ymd => (0, 1, 2),
            Self::Ydm => (0, 2, 1),
            Self::Myd => (1, 0, 2),
            Self::Dym => (1, 2, 0),
        }
    }

    /// Three numbers of this order as year, month and day.
    pub(crate) fn year_month_day(self, numbers: [Number; 3]) -> [Number; 3] {
        let (year, month, day) = self.positions();
        [numbers[year], numbers[month], numbers[day]]
    }
}

/// Why a text names no date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DateTextError {
    /// It has no known form.
    #[error("not a date or time")]
    Syntax,
    /// It has a form, but names the 30th of February or the 25th hour.
    #[error("date or time out of range")]
    OutOfRange,
    /// It is a date of numbers, and the style that it is read in has none.
    #[error("not a date of the style")]
    Style,
}

/// A date and time with what some types must know of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedDateTime {
    /// The instant.
    pub value: DateTime2,
    /// Digits written after the second's point.
    pub fraction_digits: u8,
    /// The offset that was written (`+01:00` is 60 minutes); it is not applied. `Z` is no offset.
    pub offset_minutes: Option<i16>,
}

/// What the reading of a date depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DateRules {
    /// Order of day, month and year.
    pub order: DateOrder,
    /// The last year that two digits can mean: they mean one of the hundred years up to it.
    pub cutoff: u16,
    /// Whose names months have.
    pub language: Language,
}

impl From<DateOrder> for DateRules {
    fn from(order: DateOrder) -> DateRules {
        DateRules { order, cutoff: TWO_DIGIT_YEAR_CUTOFF, language: Language::US_ENGLISH }
    }
}

/// Reads a date and time in any of T-SQL's literal formats.
pub fn parse_datetime(text: &str, rules: impl Into<DateRules>) -> Result<ParsedDateTime, DateTextError> {
    let rules = rules.into();
    parts(text, rules.language)?.finish(rules, false)
}

/// Reads a text as `datetime` and `smalldatetime` do: where the year comes first, month and day follow in their order
/// of `rules`, but in the form `yyyy-mm-ddThh:mm:ss`.
///
/// # Errors
/// [`DateTextError`]
pub fn parse_legacy_datetime(text: &str, rules: impl Into<DateRules>) -> Result<ParsedDateTime, DateTextError> {
    let rules = rules.into();
    parts(text, rules.language)?.finish(rules, true)
}

/// Reads a text as styles 130 and 131 do: day, month and year are numbers of the tabular Islamic calendar.
///
/// # Errors
/// [`DateTextError`]
pub fn parse_islamic_datetime(text: &str) -> Result<ParsedDateTime, DateTextError> {
    let parts = parts(text, Language::US_ENGLISH)?;
    let date = match (parts.separated, parts.has_date()) {
        (Some(Separated { numbers: [day, month, year], .. }), _)
            if parts.month_name.is_none() && parts.alone.is_empty() =>
        {
            date_of_islamic(year.value as i32, month.value, day.value).ok_or(DateTextError::OutOfRange)?
        }
        (None, false) => Date::DEFAULT,
        _ => return Err(DateTextError::Syntax),
    };
    Ok(parts.on(date))
}

/// What a text has of a date and a time, whatever order its numbers are in.
pub(crate) fn parts(text: &str, language: Language) -> Result<Parts, DateTextError> {
    let mut parser = Parser { tokens: tokens(text, language)?, at: 0, parts: Parts::default() };
    while parser.at < parser.tokens.len() {
        parser.next_part()?;
    }
    Ok(parser.parts)
}

/// A run of one kind of characters; blanks only separate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// Digits.
    Number(Number),
    /// A month by its name.
    Month(u32),
    /// Other letters.
    Word(&'a str),
    /// One of `/ - . : , +`.
    Mark(u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: u32,
    /// Digits written, at most 9.
    pub(crate) digits: usize,
}

/// Three numbers with the same sign between them.
#[derive(Clone, Copy)]
pub(crate) struct Separated {
    pub(crate) numbers: [Number; 3],
    /// One of `/ - .`.
    pub(crate) separator: u8,
}

/// Runs in a text beyond which it is no date: some thirty make the longest ones.
const TOKENS_MAX: usize = 1000;

fn tokens(text: &str, language: Language) -> Result<Vec<Token<'_>>, DateTextError> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(&first) = rest.as_bytes().first() {
        if found.len() == TOKENS_MAX {
            return Err(DateTextError::Syntax);
        }
        let is_letter = first.is_ascii_alphabetic() || !first.is_ascii();
        if let Some((month, len)) = is_letter.then(|| language.month_at(rest)).flatten() {
            found.push(Token::Month(month));
            rest = &rest[len..];
            continue;
        }
        let len = match first {
            b'0'..=b'9' => run_len(rest, |b| b.is_ascii_digit()),
            b'a'..=b'z' | b'A'..=b'Z' => run_len(rest, |b| b.is_ascii_alphabetic()),
            b' ' | b'/' | b'-' | b'.' | b':' | b',' | b'+' => 1,
            _ => return Err(DateTextError::Syntax),
        };
        let (run, after) = rest.split_at(len);
        match first {
            b' ' => {}
            b'0'..=b'9' => found.push(Token::Number(number(run)?)),
            b'a'..=b'z' | b'A'..=b'Z' => found.push(Token::Word(run)),
            mark => found.push(Token::Mark(mark)),
        }
        rest = after;
    }
    Ok(found)
}

fn run_len(text: &str, belongs: impl Fn(&u8) -> bool) -> usize {
    text.as_bytes().iter().take_while(|byte| belongs(byte)).count()
}

fn number(run: &str) -> Result<Number, DateTextError> {
    if run.len() > 9 {
        return Err(DateTextError::Syntax);
    }
    let value = run.parse().map_err(|_| DateTextError::Syntax)?;
    Ok(Number { value, digits: run.len() })
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    parts: Parts,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) separated: Option<Separated>,
    month_name: Option<u32>,
    /// A `T` stands between date and time.
    pub(crate) has_t: bool,
    /// A `Z` stands after the time.
    pub(crate) has_z: bool,
    /// Numbers that stand alone, or around a month's name.
    alone: Vec<Number>,
    pub(crate) time: Option<Time>,
    fraction_digits: u8,
    offset_minutes: Option<i16>,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Option<Token<'_>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn next_part(&mut self) -> Result<(), DateTextError> {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (Some(Token::Number(hour)), Some(Token::Mark(b':')), _) => self.clock_time(hour),
            (Some(Token::Number(hour)), Some(Token::Word(word)), _) if half_day(word).is_some() => {
                self.whole_hour(hour)
            }
            (Some(Token::Number(first)), Some(Token::Mark(mark)), Some(Token::Number(second)))
                if is_separator(mark) && self.parts.month_name.is_none() =>
            {
                self.separated_date(first, mark, second)
            }
            (Some(Token::Number(number)), _, _) => {
                self.at += 1;
                self.parts.alone.push(number);
                Ok(())
            }
            (Some(Token::Month(month)), _, _) => self.word(Word::Month(month)),
            (Some(Token::Word(word)), _, _) if word.eq_ignore_ascii_case("t") => self.word(Word::TimeFollows),
            // A comma may follow a day; a hyphen may join a day, a month's name and a year.
            (Some(Token::Mark(b',' | b'-')), _, _)
                if !self.parts.alone.is_empty() || self.parts.month_name.is_some() =>
            {
                self.at += 1;
                Ok(())
            }
            (Some(Token::Mark(b'/' | b'.')), _, _) if self.is_beside_month() => {
                self.at += 1;
                Ok(())
            }
            _ => Err(DateTextError::Syntax),
        }
    }

    /// Whether the mark here joins the parts of a date whose month has a name.
    fn is_beside_month(&self) -> bool {
        match (self.at.checked_sub(1).and_then(|before| self.tokens.get(before)), self.peek(1)) {
            (Some(Token::Number(_)), Some(Token::Month(_))) | (Some(Token::Month(_)), Some(Token::Number(_))) => true,
            // Day and year after it.
            (Some(Token::Number(_)), Some(Token::Number(_))) => self.parts.month_name.is_some(),
            _ => false,
        }
    }

    fn word(&mut self, meaning: Word) -> Result<(), DateTextError> {
        self.at += 1;
        match meaning {
            Word::Month(month) if self.parts.month_name.is_none() && self.parts.separated.is_none() => {
                self.parts.month_name = Some(month);
                Ok(())
            }
            Word::TimeFollows if self.parts.has_date() && self.parts.time.is_none() && self.peek(0).is_some() => {
                self.parts.has_t = true;
                Ok(())
            }
            _ => Err(DateTextError::Syntax),
        }
    }

    fn separated_date(&mut self, first: Number, mark: u8, second: Number) -> Result<(), DateTextError> {
        let (Some(Token::Mark(again)), Some(Token::Number(third))) = (self.peek(3), self.peek(4)) else {
            return Err(DateTextError::Syntax);
        };
        if again != mark || self.parts.has_date() {
            return Err(DateTextError::Syntax);
        }
        self.at += 5;
        self.parts.separated = Some(Separated { numbers: [first, second, third], separator: mark });
        Ok(())
    }

    fn whole_hour(&mut self, hour: Number) -> Result<(), DateTextError> {
        self.at += 1;
        self.finish_time([hour.value, 0, 0], 0)
    }

    fn clock_time(&mut self, hour: Number) -> Result<(), DateTextError> {
        self.at += 1;
        let mut clock = [hour.value, 0, 0];
        let mut nanosecond = 0;
        for (unit, number) in clock.iter_mut().enumerate().skip(1) {
            if unit == 2 && self.peek(0) != Some(Token::Mark(b':')) {
                break;
            }
            *number = self.after_mark()?.value;
        }
        if let (Some(Token::Mark(mark @ (b'.' | b':'))), Some(Token::Number(fraction))) = (self.peek(0), self.peek(1)) {
            nanosecond = self.fraction(mark, fraction)?;
        }
        self.finish_time(clock, nanosecond)
    }

    /// The number after a colon.
    fn after_mark(&mut self) -> Result<Number, DateTextError> {
        let (Some(Token::Mark(b':')), Some(Token::Number(number))) = (self.peek(0), self.peek(1)) else {
            return Err(DateTextError::Syntax);
        };
        self.at += 2;
        if number.digits > 2 { Err(DateTextError::Syntax) } else { Ok(number) }
    }

    /// `.5` is half a second, `:5` five milliseconds.
    fn fraction(&mut self, mark: u8, fraction: Number) -> Result<u32, DateTextError> {
        self.at += 2;
        if mark == b':' {
            self.parts.fraction_digits = 3;
            return if fraction.digits <= 3 { Ok(fraction.value * 1_000_000) } else { Err(DateTextError::Syntax) };
        }
        if fraction.digits > FRACTION_DIGITS_MAX {
            return Err(DateTextError::Syntax);
        }
        self.parts.fraction_digits = fraction.digits.min(TICK_DIGITS) as u8;
        let nanosecond = fraction.value * 10u32.pow(9 - fraction.digits as u32);
        Ok(nanosecond - nanosecond % 100)
    }

    fn finish_time(&mut self, clock: [u32; 3], nanosecond: u32) -> Result<(), DateTextError> {
        let mut hour = clock[0];
        if let Some(Token::Word(word)) = self.peek(0)
            && let Some(half) = half_day(word)
        {
            self.at += 1;
            hour = hour_of_half(hour, half)?;
        }
        self.zone()?;
        let time = Time::from_hms(hour, clock[1], clock[2], nanosecond).ok_or(DateTextError::OutOfRange)?;
        if self.parts.time.replace(time).is_some() { Err(DateTextError::Syntax) } else { Ok(()) }
    }

    fn zone(&mut self) -> Result<(), DateTextError> {
        match self.peek(0) {
            Some(Token::Word("Z" | "z")) => {
                self.at += 1;
                self.parts.has_z = true;
            }
            Some(Token::Mark(sign @ (b'+' | b'-'))) => {
                let (Some(Token::Number(hours)), Some(Token::Mark(b':')), Some(Token::Number(minutes))) =
                    (self.peek(1), self.peek(2), self.peek(3))
                else {
                    return Err(DateTextError::Syntax);
                };
                self.at += 4;
                let minutes = offset_minutes(hours.value, minutes.value)?;
                self.parts.offset_minutes = Some(if sign == b'-' { -minutes } else { minutes });
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads an offset alone, as SWITCHOFFSET takes it: a sign, two digits, a colon, two digits. Minutes, at most 14 hours.
#[must_use]
pub fn parse_offset(text: &str) -> Option<i16> {
    let &[sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] = text.as_bytes() else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(10);
    let minutes = offset_minutes(digit(h0)? * 10 + digit(h1)?, digit(m0)? * 10 + digit(m1)?).ok()?;
    Some(if sign == b'-' { -minutes } else { minutes })
}

/// At most 14 hours.
fn offset_minutes(hours: u32, minutes: u32) -> Result<i16, DateTextError> {
    let total = if hours > 14 || minutes > 59 { None } else { i16::try_from(hours * 60 + minutes).ok() };
    total.filter(|&total| total <= DateTimeOffset::OFFSET_MINUTES_MAX).ok_or(DateTextError::OutOfRange)
}

fn is_separator(mark: u8) -> bool {
    matches!(mark, b'/' | b'-' | b'.')
}

#[derive(Clone, Copy)]
enum Half {
    Am,
    Pm,
}

fn half_day(word: &str) -> Option<Half> {
    if word.eq_ignore_ascii_case("am") {
        Some(Half::Am)
    } else if word.eq_ignore_ascii_case("pm") {
        Some(Half::Pm)
    } else {
        None
    }
}

fn hour_of_half(hour: u32, half: Half) -> Result<u32, DateTextError> {
    match (half, hour) {
        (Half::Am, 12) => Ok(0),
        (Half::Am, 0..=11) => Ok(hour),
        (Half::Pm, 1..=11) => Ok(hour + 12),
        (Half::Pm, 12..=23) => Ok(hour),
        _ => Err(DateTextError::OutOfRange),
    }
}

enum Word {
    /// Month from 1.
    Month(u32),
    /// `T` between date and time.
    TimeFollows,
}

impl Parts {
    pub(crate) fn has_date(&self) -> bool {
        self.separated.is_some() || self.month_name.is_some() || !self.alone.is_empty()
    }

    pub(crate) fn finish(self, rules: DateRules, legacy: bool) -> Result<ParsedDateTime, DateTextError> {
        let date = self.date(rules, legacy && !self.has_t)?;
        Ok(self.on(date))
    }

    /// The time that was read, on a date.
    pub(crate) fn on(self, date: Date) -> ParsedDateTime {
        let value = DateTime2 { date, time: self.time.unwrap_or_default() };
        ParsedDateTime { value, fraction_digits: self.fraction_digits, offset_minutes: self.offset_minutes }
    }

    fn date(&self, rules: DateRules, legacy: bool) -> Result<Date, DateTextError> {
        match (self.separated, self.month_name, self.alone.as_slice()) {
            (None, None, []) => Ok(Date::DEFAULT),
            (Some(Separated { numbers, .. }), None, []) => separated(numbers, rules, legacy),
            (None, None, [number]) => unseparated(*number, rules.cutoff),
            (None, Some(month), [year]) => civil(full_year(*year, rules.cutoff)?, month, 1),
            (None, Some(month), [a, b]) if b.digits < 3 && a.digits == 4 => {
                civil(full_year(*a, rules.cutoff)?, month, b.value)
            }
            (None, Some(month), [a, b]) if a.digits < 3 => civil(full_year(*b, rules.cutoff)?, month, a.value),
            _ => Err(DateTextError::Syntax),
        }
    }
}

/// A number of four digits is the year wherever it stands; in front, month and day follow in this order, but for
/// `legacy` types in that of `rules`.
fn separated(numbers: [Number; 3], rules: DateRules, legacy: bool) -> Result<Date, DateTextError> {
    let (_, month_at, day_at) = rules.order.positions();
    let [first, second, third] = numbers;
    let [year, month, day] = if first.digits == 4 && legacy && day_at < month_at {
        [first, third, second]
    } else if first.digits == 4 {
        [first, second, third]
    } else if third.digits == 4 && month_at < day_at {
        [third, first, second]
    } else if third.digits == 4 {
        [third, second, first]
    } else if second.digits == 4 && month_at < day_at {
        [second, first, third]
    } else if second.digits == 4 {
        [second, third, first]
    } else {
        rules.order.year_month_day(numbers)
    };
    if month.digits > 2 || day.digits > 2 {
        return Err(DateTextError::Syntax);
    }
    civil(full_year(year, rules.cutoff)?, month.value, day.value)
}

fn unseparated(number: Number, cutoff: u16) -> Result<Date, DateTextError> {
    let (month, day) = (number.value / 100 % 100, number.value % 100);
    match number.digits {
        8 => civil(number.value / 10_000, month, day),
        6 => civil(full_year(Number { value: number.value / 10_000, digits: 2 }, cutoff)?, month, day),
        4 => civil(number.value, 1, 1),
        _ => Err(DateTextError::Syntax),
    }
}

pub(crate) fn full_year(number: Number, cutoff: u16) -> Result<u32, DateTextError> {
    let (century, last) = (u32::from(cutoff / 100) * 100, u32::from(cutoff % 100));
    match number.digits {
        4 => Ok(number.value),
        1 | 2 if number.value <= last => Ok(century + number.value),
        1 | 2 => Ok(century - 100 + number.value),
        _ => Err(DateTextError::Syntax),
    }
}

pub(crate) fn civil(year: u32, month: u32, day: u32) -> Result<Date, DateTextError> {
    // A year has at most four digits here.
    Date::from_civil(year as i32, month, day).ok_or(DateTextError::OutOfRange)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, order: DateOrder) -> Result<String, DateTextError> {
        parse_datetime(text, order).map(|parsed| {
            let (year, month, day) = parsed.value.date.civil();
            let (hour, minute, second, nanos) = parsed.value.time.hms();
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{:07}", nanos / 100)
        })
    }

    #[test]
    fn the_older_types_read_a_leading_year_by_the_order_too() {
        let read = |text: &str, order| parse_legacy_datetime(text, order).map(|parsed| parsed.value.date.civil());
        assert_eq!(read("2024-02-01", DateOrder::Mdy), Ok((2024, 2, 1)));
        assert_eq!(read("2024-02-01", DateOrder::Dmy), Ok((2024, 1, 2)));
        assert_eq!(read("2024/02/01", DateOrder::Ydm), Ok((2024, 1, 2)));
        assert_eq!(read("2024-02-01T10:00:00", DateOrder::Dmy), Ok((2024, 2, 1)));
        assert_eq!(read("20240201", DateOrder::Dmy), Ok((2024, 2, 1)));
        assert_eq!(read("2024-01-31", DateOrder::Dmy), Err(DateTextError::OutOfRange));
        assert_eq!(parse_datetime("2024-02-01", DateOrder::Dmy).map(|p| p.value.date.civil()), Ok((2024, 2, 1)));
    }

    #[test]
    fn every_literal_format_is_read() {
        for (text, expected) in [
            ("20240131", "2024-01-31 00:00:00.0000000"),
            ("240131", "2024-01-31 00:00:00.0000000"),
            ("2024", "2024-01-01 00:00:00.0000000"),
            ("2024-01-31", "2024-01-31 00:00:00.0000000"),
            ("2024-01-31T10:00:00.123", "2024-01-31 10:00:00.1230000"),
            ("20240131T10:00:00", "2024-01-31 10:00:00.0000000"),
            ("2024-01-31 10:00:00.1234567", "2024-01-31 10:00:00.1234567"),
            ("Jan 31 2024 10:00AM", "2024-01-31 10:00:00.0000000"),
            ("Jan  1 2024 12:05AM", "2024-01-01 00:05:00.0000000"),
            ("January 31, 2024", "2024-01-31 00:00:00.0000000"),
            ("31 jan 2024", "2024-01-31 00:00:00.0000000"),
            ("31-Jan-2024 13:14", "2024-01-31 13:14:00.0000000"),
            ("2024 Jan 31", "2024-01-31 00:00:00.0000000"),
            ("15 Apr, 96", "1996-04-15 00:00:00.0000000"),
            ("April 2024", "2024-04-01 00:00:00.0000000"),
            ("1/31/2024", "2024-01-31 00:00:00.0000000"),
            ("1-31-24", "2024-01-31 00:00:00.0000000"),
            ("1.31.2024 1:2:3:4", "2024-01-31 01:02:03.0040000"),
            ("12/31/49", "2049-12-31 00:00:00.0000000"),
            ("12/31/50", "1950-12-31 00:00:00.0000000"),
            ("10:00:00", "1900-01-01 10:00:00.0000000"),
            ("4PM", "1900-01-01 16:00:00.0000000"),
            ("4:30 pm", "1900-01-01 16:30:00.0000000"),
            ("12:30PM 2024-01-31", "2024-01-31 12:30:00.0000000"),
            ("2024-01-31T10:00:00Z", "2024-01-31 10:00:00.0000000"),
            ("2024-01-31 10:00:00 +01:00", "2024-01-31 10:00:00.0000000"),
            ("  ", "1900-01-01 00:00:00.0000000"),
        ] {
            assert_eq!(read(text, DateOrder::Mdy), Ok(expected.to_owned()), "{text:?}");
        }
    }

    /// As clients' own suites send them (mssql-jdbc, node-mssql): nanoseconds, of which a value has what its ticks hold.
    #[test]
    fn digits_after_a_tick_are_cut() {
        for text in ["23:59:59.999999999", "23:59:59.99999999", "23:59:59.9999999"] {
            assert_eq!(read(text, DateOrder::Mdy), Ok("1900-01-01 23:59:59.9999999".to_owned()), "{text}");
        }
    }

    /// "Configure the two digit year cutoff": with 2049, 49 is 2049 and 50 is 1950.
    #[test]
    fn two_digits_mean_one_of_the_hundred_years_up_to_the_cutoff() {
        for (cutoff, text, expected) in [
            (2049, "1/1/49", 2049),
            (2049, "1/1/50", 1950),
            (2020, "1/1/20", 2020),
            (2020, "1/1/21", 1921),
            (2020, "210101", 1921),
            (2020, "Jan 25, 1", 2001),
            (1999, "1/1/00", 1900),
            (2099, "1/1/99", 2099),
        ] {
            let rules = DateRules { order: DateOrder::Mdy, cutoff, language: Language::US_ENGLISH };
            for read in [parse_datetime(text, rules), parse_legacy_datetime(text, rules)] {
                assert_eq!(read.map(|read| read.value.date.civil().0), Ok(expected), "{text} under {cutoff}");
            }
        }
    }

    #[test]
    fn a_month_has_the_name_of_the_language() {
        for (language, text, expected) in [
            ("German", "3. März 2024", (2024, 3, 3)),
            ("German", "Dez 24 2023", (2023, 12, 24)),
            ("French", "14 juil 2024", (2024, 7, 14)),
            ("French", "14 août 2024 10:30", (2024, 8, 14)),
            ("Russian", "Май 9 1945", (1945, 5, 9)),
            ("Czech", "1 XII 2020", (2020, 12, 1)),
        ] {
            let language = Language::named(language).expect("one of the list");
            let rules = DateRules { order: DateOrder::Dmy, cutoff: TWO_DIGIT_YEAR_CUTOFF, language };
            assert_eq!(parse_datetime(text, rules).map(|read| read.value.date.civil()), Ok(expected), "{text}");
            assert_eq!(parse_datetime(text, DateOrder::Dmy), Err(DateTextError::Syntax), "{text}");
            assert_eq!(parse_datetime("5 October 2020", rules), Err(DateTextError::Syntax), "{text}");
        }
    }

    #[test]
    fn dateformat_orders_ambiguous_numbers() {
        for (text, order, expected) in [
            ("31/12/2024", DateOrder::Dmy, "2024-12-31"),
            ("01/02/03", DateOrder::Mdy, "2003-01-02"),
            ("01/02/03", DateOrder::Dmy, "2003-02-01"),
            ("01/02/03", DateOrder::Ymd, "2001-02-03"),
            ("01/02/03", DateOrder::Ydm, "2001-03-02"),
            ("01/02/03", DateOrder::Myd, "2002-01-03"),
            ("01/02/03", DateOrder::Dym, "2002-03-01"),
        ] {
            let date = read(text, order).map(|full| full[..10].to_owned());
            assert_eq!(date, Ok(expected.to_owned()), "{text} {order:?}");
        }
    }

    #[test]
    fn texts_without_a_date_differ_from_dates_that_do_not_exist() {
        for text in [
            "abc",
            "2024-1",
            "1/2",
            "12:",
            ":30",
            "10:00:00.1234567890",
            "2024-01-31 2024-01-31",
            "1:00 2:00",
            "T",
            "-",
            "20240131x",
            "Jan",
            "1 2 3",
        ] {
            assert_eq!(read(text, DateOrder::Mdy), Err(DateTextError::Syntax), "{text:?}");
        }
        for text in ["2024-02-30", "13/13/2024", "25:00", "10:60", "20241301", "0 PM", "10:00 +15:00"] {
            assert_eq!(read(text, DateOrder::Mdy), Err(DateTextError::OutOfRange), "{text:?}");
        }
    }

    #[test]
    fn the_text_tells_its_fraction_and_offset() {
        let read = |text| parse_datetime(text, DateOrder::Mdy).map(|p| (p.fraction_digits, p.offset_minutes));
        assert_eq!(read("2024-01-31T10:00:00.1234Z"), Ok((4, None)));
        assert_eq!(read("2024-01-31 10:00:00 +02:00"), Ok((0, Some(120))));
    }

    #[test]
    fn offsets_have_their_form_and_their_range() {
        for (text, expected) in [
            ("+00:00", Some(0)),
            ("-08:00", Some(-480)),
            ("+14:00", Some(840)),
            ("+14:01", None),
            ("+01:60", None),
            ("1:00", None),
            ("+1:00", None),
            ("+01:00 ", None),
        ] {
            assert_eq!(parse_offset(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = parse_datetime(&text, DateOrder::Mdy);
        }

        #[test]
        fn no_text_of_date_characters_panics(text in "[0-9TZapmJn:/., +-]{0,24}") {
            let _ = parse_datetime(&text, DateOrder::Dym);
        }
    }
}
