//! Dates and times as a culture writes them, read as .NET reads them.
//!
//! ```text
//!   text = parts in any order, with blanks, commas and full stops between them
//!   part = n sep n [sep n]                        a date, in the order of the culture's short date; four digits are the year
//!        | month, with a day and a year around it; a month alone with either
//!        | yyyy年M月d日 and its like
//!        | n ":" n [":" n ["." fraction]] [half] | n half                   a time
//!        | name of a day | "T" | word of the culture's long date            say nothing
//!        | "Z" | "GMT" | ("+" | "-") n [":" n]                              a zone, after a time
//! ```
//! What always holds: names are the culture's and the invariant culture's, in any case. A year that is missing is this one, a
//! date that is missing today. The name of a day must be the date's.

use millpond_types::DateTime2;
use millpond_types::temporal::{Date, Time, name_at};

use super::{Culture, nth, weekday};

/// The last year that two digits mean.
const TWO_DIGIT_YEAR_MAX: i32 = 2029;
/// Most parts of a text that is a date.
const TOKENS_MAX: usize = 64;

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadDate {
    pub at: DateTime2,
    /// Minutes from UTC, where the text has them.
    pub zone_minutes: Option<i16>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// Value and digits.
    Number(u32, usize),
    /// 0 January.
    Month(usize),
    /// 0 Sunday.
    Day(usize),
    /// Whether it is after noon.
    Half(bool),
    Mark(char),
    /// What stands after a number of the far east: `y`, `M`, `d`, `h`, `m` or `s`.
    Unit(char),
    Utc,
    T,
}

/// The date of a text; none where it is none. `today` is what is missing.
pub(super) fn read(text: &str, culture: &Culture, today: Date) -> Option<ReadDate> {
    let tokens = tokens(text, culture)?;
    let mut reader = Reader { tokens: &tokens, at: 0, ..Reader::default() };
    while reader.at < reader.tokens.len() {
        reader.part()?;
    }
    reader.finish(culture, today)
}

fn tokens(text: &str, culture: &Culture) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if found.len() == TOKENS_MAX {
            return None;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 9 {
            return None;
        }
        if digits > 0 {
            found.push(Token::Number(rest[..digits].parse().ok()?, digits));
            rest = &rest[digits..];
        } else if first.is_whitespace() || first == ',' {
            rest = &rest[first.len_utf8()..];
        } else if let (Some(Token::Number(..)), Some((unit, len))) = (found.last(), unit_at(rest)) {
            found.push(Token::Unit(unit));
            rest = &rest[len..];
        } else if let Some((token, len)) = word(rest, culture) {
            found.extend(token);
            rest = &rest[len..];
        } else if matches!(first, '/' | '-' | '.' | ':' | '+') {
            found.push(Token::Mark(first));
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(found)
}

/// What a number is counted in, in the far east, and the sign's bytes. After no number the same signs are names of days.
fn unit_at(text: &str) -> Option<(char, usize)> {
    let sign = text.chars().next()?;
    let unit = match sign {
        '年' | '년' => 'y',
        '月' | '월' => 'M',
        '日' | '일' => 'd',
        '時' | '时' | '시' => 'h',
        '分' | '분' => 'm',
        '秒' | '초' => 's',
        _ => return None,
    };
    Some((unit, sign.len_utf8()))
}

/// What a word at the beginning of a text means, and its bytes; a word of the culture's long date means nothing.
fn word(text: &str, culture: &Culture) -> Option<(Option<Token>, usize)> {
    let invariant = Culture::invariant();
    let mut best: Option<(Option<Token>, usize)> = None;
    let mut keep = |token: Option<Token>, name: &str| {
        if let Some(len) = begins(text, name).filter(|len| best.is_none_or(|(_, known)| *len > known)) {
            best = Some((token, len));
        }
    };
    for own in [culture, invariant] {
        for names in own.months.into_iter().filter(|names| !names.is_empty()) {
            (0..12).for_each(|month| keep(Some(Token::Month(month)), nth(names, month)));
        }
        for names in own.days {
            (0..7).for_each(|day| keep(Some(Token::Day(day)), nth(names, day)));
        }
        own.halves.iter().zip([false, true]).for_each(|(name, half)| keep(Some(Token::Half(half)), name));
    }
    for (name, token) in [("Z", Token::Utc), ("GMT", Token::Utc), ("T", Token::T)] {
        keep(Some(token), name);
    }
    // Literals of the patterns, as `de` and `г.`.
    for pattern in [culture.patterns[0], culture.patterns[1], culture.patterns[4]] {
        pattern.split('\'').skip(1).step_by(2).for_each(|literal| keep(None, literal.trim()));
    }
    best
}

/// The bytes of a name at a text's beginning, in any case; no letter goes on after a name that ends with one, but for
/// those of scripts that do not divide words.
fn begins(text: &str, name: &str) -> Option<usize> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let len = name_at(text, name)?;
    let ends_in_letter = name.ends_with(|c: char| c.is_alphabetic() && c < '\u{2e80}');
    let goes_on = text[len..].starts_with(char::is_alphabetic);
    (!ends_in_letter || !goes_on).then_some(len)
}

#[derive(Default)]
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    /// Numbers of a date with their digits, in their order.
    numbers: Vec<(u32, usize)>,
    /// How many of the numbers stood before the month's name.
    month: Option<usize>,
    day: Option<usize>,
    year_unit: Option<u32>,
    month_unit: Option<u32>,
    day_unit: Option<u32>,
    clock: Option<[u32; 3]>,
    nanosecond: u32,
    half: Option<bool>,
    zone_minutes: Option<i16>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn part(&mut self) -> Option<()> {
        match (self.peek(0)?, self.peek(1)) {
            (Token::Number(hour, _), Some(Token::Mark(':'))) => self.time(hour, ':'),
            (Token::Number(hour, _), Some(Token::Half(_))) if self.clock.is_none() => {
                self.at += 1;
                self.clock = Some([hour, 0, 0]);
                Some(())
            }
            (Token::Number(value, _), Some(Token::Unit(unit))) => self.unit(value, unit),
            (Token::Number(value, digits), _) => {
                self.at += 1;
                self.numbers.push((value, digits));
                // One mark may join it to what follows.
                if let (Some(Token::Mark('/' | '-' | '.')), Some(_)) = (self.peek(0), self.peek(1)) {
                    self.at += 1;
                }
                Some(())
            }
            (Token::Month(month), _) => {
                self.at += 1;
                if let Some(Token::Mark('/' | '-' | '.')) = self.peek(0) {
                    self.at += 1;
                }
                self.month.replace(month).is_none().then_some(())
            }
            (Token::Day(day), _) => {
                self.at += 1;
                self.day.replace(day).is_none().then_some(())
            }
            (Token::Half(half), _) => {
                self.at += 1;
                self.half.replace(half).is_none().then_some(())
            }
            (Token::Utc, _) if self.clock.is_some() => {
                self.at += 1;
                self.zone_minutes.replace(0).is_none().then_some(())
            }
            (Token::T, _) if !self.numbers.is_empty() => {
                self.at += 1;
                Some(())
            }
            (Token::Mark(sign @ ('+' | '-')), Some(Token::Number(hours, digits))) if self.clock.is_some() => {
                self.zone(sign, hours, digits)
            }
            (Token::Mark('.'), _) => {
                self.at += 1;
                Some(())
            }
            _ => None,
        }
    }

    fn time(&mut self, hour: u32, mark: char) -> Option<()> {
        let mut clock = [hour, 0, 0];
        self.at += 1;
        for place in &mut clock[1..] {
            if self.peek(0) != Some(Token::Mark(mark)) {
                break;
            }
            let Some(Token::Number(value, 1..=2)) = self.peek(1) else { return None };
            *place = value;
            self.at += 2;
        }
        if let (Some(Token::Mark('.')), Some(Token::Number(value, digits))) = (self.peek(0), self.peek(1)) {
            self.nanosecond = value.checked_mul(10u32.pow(9 - u32::try_from(digits).ok()?))?;
            self.at += 2;
        }
        self.clock.replace(clock).is_none().then_some(())
    }

    fn unit(&mut self, value: u32, unit: char) -> Option<()> {
        self.at += 2;
        let [hour, minute, second] = self.clock.unwrap_or_default();
        match unit {
            'y' => self.year_unit = Some(value),
            'M' => self.month_unit = Some(value),
            'd' => self.day_unit = Some(value),
            'h' => self.clock = Some([value, minute, second]),
            'm' => self.clock = Some([hour, value, second]),
            _ => self.clock = Some([hour, minute, value]),
        }
        Some(())
    }

    fn zone(&mut self, sign: char, hours: u32, digits: usize) -> Option<()> {
        self.at += 2;
        let (mut hours, mut minutes) = if digits == 4 { (hours / 100, hours % 100) } else { (hours, 0) };
        if let (Some(Token::Mark(':')), Some(Token::Number(value, 2))) = (self.peek(0), self.peek(1)) {
            (hours, minutes) = (hours, value);
            self.at += 2;
        }
        if hours > 14 || minutes > 59 || hours * 60 + minutes > 14 * 60 {
            return None;
        }
        let total = i16::try_from(hours * 60 + minutes).ok()?;
        self.zone_minutes.replace(if sign == '-' { -total } else { total }).is_none().then_some(())
    }

    fn finish(self, culture: &Culture, today: Date) -> Option<ReadDate> {
        let date = self.date(culture, today)?;
        if self.day.is_some_and(|day| day != weekday(date)) {
            return None;
        }
        let [hour, minute, second] = self.clock.unwrap_or_default();
        let hour = match self.half {
            Some(_) if self.clock.is_none() || hour > 12 => return None,
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        let time = Time::from_hms(hour, minute, second, self.nanosecond)?;
        Some(ReadDate { at: DateTime2 { date, time }, zone_minutes: self.zone_minutes })
    }

    fn date(&self, culture: &Culture, today: Date) -> Option<Date> {
        let this_year = today.civil().0;
        if self.year_unit.is_some() || self.month_unit.is_some() || self.day_unit.is_some() {
            let year = self.year_unit.map_or(Some(this_year), |year| full_year((year, 4), culture))?;
            return Date::from_civil(year, self.month_unit.unwrap_or(1), self.day_unit.unwrap_or(1));
        }
        if let Some(month) = self.month {
            return self.with_month(u32::try_from(month).ok()? + 1, culture, this_year);
        }
        match self.numbers[..] {
            [] if self.clock.is_some() => Some(today),
            [(first, 4), (second, _)] => Date::from_civil(full_year((first, 4), culture)?, second, 1),
            [(first, _), (year, 4)] => Date::from_civil(full_year((year, 4), culture)?, first, 1),
            [(first, _), (second, _)] => {
                let order = culture.date_order();
                let at = |letter| order.iter().position(|known| *known == letter);
                let (month, day) = if at('M') < at('d') { (first, second) } else { (second, first) };
                Date::from_civil(this_year, month, day)
            }
            [(year, 4), (month, _), (day, _)] => Date::from_civil(full_year((year, 4), culture)?, month, day),
            [first, second, third] => {
                let numbers = [first, second, third];
                let order = culture.date_order();
                let of = |letter| order.iter().position(|known| *known == letter).map(|at| numbers[at]);
                // A year of four digits stands last, whatever the order.
                let (year, month, day) = match (third.1, order[0]) {
                    (4, 'y') => (third, second, first),
                    _ => (of('y')?, of('M')?, of('d')?),
                };
                Date::from_civil(full_year(year, culture)?, month.0, day.0)
            }
            _ => None,
        }
    }

    /// A date whose month has a name: a number of more than two digits, or beyond a month's days, is the year.
    fn with_month(&self, month: u32, culture: &Culture, this_year: i32) -> Option<Date> {
        let is_year = |(value, digits): (u32, usize)| digits > 2 || value > 31;
        match self.numbers[..] {
            [number] if is_year(number) => Date::from_civil(full_year(number, culture)?, month, 1),
            [(day, _)] => Date::from_civil(this_year, month, day),
            [year, (day, _)] if is_year(year) => Date::from_civil(full_year(year, culture)?, month, day),
            [(day, _), year] => Date::from_civil(full_year(year, culture)?, month, day),
            _ => None,
        }
    }
}

/// A year of one or two digits is one of the hundred up to [`TWO_DIGIT_YEAR_MAX`], and years of the culture's calendar are taken
/// for those of ours.
fn full_year((value, digits): (u32, usize), culture: &Culture) -> Option<i32> {
    let value = i32::try_from(value).ok()?;
    match digits {
        1 | 2 if culture.years_beyond() == 0 => {
            let century = TWO_DIGIT_YEAR_MAX / 100 * 100;
            Some(if century + value <= TWO_DIGIT_YEAR_MAX { century + value } else { century - 100 + value })
        }
        3 | 4 => Some(value - culture.years_beyond()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, culture: &str) -> Option<String> {
        let today = Date::from_civil(2024, 6, 15).expect("a date");
        let read = read(text, Culture::named(culture).expect("of the list"), today)?;
        let ((year, month, day), (hour, minute, second, nanosecond)) = (read.at.date.civil(), read.at.time.hms());
        let fraction = if nanosecond == 0 { String::new() } else { format!(".{nanosecond:09}") };
        let zone = read.zone_minutes.map_or(String::new(), |minutes| format!(" {minutes}"));
        Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction}{zone}"))
    }

    #[test]
    fn dates_are_read_as_the_culture_writes_them() {
        for (culture, text, expected) in [
            ("en-US", "Monday, 13 December 2010", "2010-12-13 00:00:00"),
            ("en-US", "12/16/2010", "2010-12-16 00:00:00"),
            ("en-US", "1/2/29", "2029-01-02 00:00:00"),
            ("en-US", "1/2/30", "1930-01-02 00:00:00"),
            ("en-US", "Dec 5", "2024-12-05 00:00:00"),
            ("en-US", "5/6", "2024-05-06 00:00:00"),
            ("en-US", "March 2010", "2010-03-01 00:00:00"),
            ("en-US", "2010-12-16T10:20:30.5", "2010-12-16 10:20:30.500000000"),
            ("en-US", "2010-12-16 10:20 PM", "2010-12-16 22:20:00"),
            ("en-US", "12 AM", "2024-06-15 00:00:00"),
            ("en-US", "2010-12-16 10:20:30 +02:00", "2010-12-16 10:20:30 120"),
            ("en-US", "Thu, 16 Dec 2010 10:20:30 GMT", "2010-12-16 10:20:30 0"),
            ("en-GB", "16/12/2010", "2010-12-16 00:00:00"),
            ("de-DE", "16.12.2010 13:14", "2010-12-16 13:14:00"),
            ("de-DE", "Donnerstag, 16. Dezember 2010", "2010-12-16 00:00:00"),
            ("de-DE", "16. März 2010", "2010-03-16 00:00:00"),
            ("fr-FR", "jeudi 16 décembre 2010", "2010-12-16 00:00:00"),
            ("es-ES", "16 de diciembre de 2010", "2010-12-16 00:00:00"),
            ("ru-RU", "16 декабря 2010 г.", "2010-12-16 00:00:00"),
            ("ja-JP", "2010年12月16日", "2010-12-16 00:00:00"),
            ("ko-KR", "2010년 12월 16일", "2010-12-16 00:00:00"),
            ("sv-SE", "2010-12-16", "2010-12-16 00:00:00"),
            ("th-TH", "16/12/2553", "2010-12-16 00:00:00"),
        ] {
            assert_eq!(shown(text, culture).as_deref(), Some(expected), "{text} in {culture}");
        }
    }

    #[test]
    fn what_is_no_date_of_the_culture_is_none() {
        for (culture, text) in [
            ("en-US", "16/12/2010"),
            ("en-US", "Tuesday, 13 December 2010"),
            ("en-US", "13 Dezember 2010"),
            ("en-US", "2010"),
            ("en-US", ""),
            ("en-US", "hello"),
            ("en-US", "2/30/2010"),
            ("en-US", "10:20:30 10:20:30"),
            ("en-US", "1/2/3/4"),
            ("en-US", "25:00"),
            ("en-US", "13 PM"),
            ("en-US", "PM"),
            ("en-US", "99999999999999999999"),
            ("en-US", "10:00 +15:00"),
            ("de-DE", "12.16.2010"),
        ] {
            assert_eq!(shown(text, culture), None, "{text} in {culture}");
        }
    }
}
