//! Dates and times in .NET format strings. `time` is a .NET time span: it has its own letters, and its separators must
//! be quoted or escaped.

use millpond_types::date_functions::WEEKDAYS;
use millpond_types::temporal::{MONTHS, Time};
use millpond_types::{DateTime2, DateTimeOffset, Value};

use crate::text::format::Formatted;

/// Letters of names cut short.
const SHORT: usize = 3;

/// The date or time in this format.
pub(crate) fn format(value: &Value, pattern: &str) -> Formatted {
    let datetime = match value {
        Value::Date(date) => DateTime2 { date: *date, time: Time::default() },
        Value::DateTime(at) => at.to_datetime2(),
        Value::SmallDateTime(at) => at.to_datetime2(),
        Value::DateTime2(at) => *at,
        Value::DateTimeOffset(at) => return of_offset(*at, pattern),
        Value::Time(time) => return of_span(*time, pattern),
        _ => return Formatted::Invalid,
    };
    if pattern.chars().count() > 1 {
        return custom(Clock::of(datetime), pattern);
    }
    match pattern {
        "" => custom(Clock::of(datetime), "M/d/yyyy h:mm:ss tt"),
        "%" | "\\" => Formatted::Invalid,
        letter => match long_form(letter) {
            Some(pattern) => custom(Clock::of(datetime), pattern),
            None => Formatted::Invalid,
        },
    }
}

/// The custom format that a letter stands for.
fn long_form(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "d" => "M/d/yyyy",
        "D" => "dddd, MMMM d, yyyy",
        "f" => "dddd, MMMM d, yyyy h:mm tt",
        "F" | "U" => "dddd, MMMM d, yyyy h:mm:ss tt",
        "g" => "M/d/yyyy h:mm tt",
        "G" => "M/d/yyyy h:mm:ss tt",
        "m" | "M" => "MMMM d",
        "o" | "O" => "yyyy-MM-ddTHH:mm:ss.fffffff",
        "r" | "R" => "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
        "s" => "yyyy-MM-ddTHH:mm:ss",
        "t" => "h:mm tt",
        "T" => "h:mm:ss tt",
        "u" => "yyyy-MM-dd HH:mm:ss'Z'",
        "y" | "Y" => "MMMM yyyy",
        _ => return None,
    })
}

fn of_span(time: Time, pattern: &str) -> Formatted {
    let clock = Clock::of(DateTime2 { time, ..DateTime2::default() });
    let has_fraction = !time.ticks.is_multiple_of(10_000_000);
    match pattern {
        "" | "c" | "t" | "T" if has_fraction => custom(clock, "HH\\:mm\\:ss\\.fffffff"),
        "" | "c" | "t" | "T" => custom(clock, "HH\\:mm\\:ss"),
        "g" if has_fraction => custom(clock, "H\\:mm\\:ss\\.FFFFFFF"),
        "g" => custom(clock, "H\\:mm\\:ss"),
        "G" => custom(clock, "0\\:HH\\:mm\\:ss\\.fffffff"),
        letter if letter.chars().count() == 1 => Formatted::Invalid,
        // A span's hours are `hh`; they count to 23.
        pattern => custom(Clock { is_span: true, ..clock }, pattern),
    }
}

/// A point in time with its zone: letters of two kinds, and two of them in UTC.
fn of_offset(at: DateTimeOffset, pattern: &str) -> Formatted {
    let clock = Clock { zone_minutes: Some(at.offset_minutes), ..Clock::of(at.local()) };
    match pattern {
        "" => custom(clock, "M/d/yyyy h:mm:ss tt zzz"),
        "o" | "O" => custom(clock, "yyyy-MM-ddTHH:mm:ss.fffffffzzz"),
        "r" | "R" | "u" => match long_form(pattern) {
            Some(pattern) => custom(Clock::of(at.utc()), pattern),
            None => Formatted::Invalid,
        },
        "U" | "%" | "\\" => Formatted::Invalid,
        letter if letter.chars().count() == 1 => match long_form(letter) {
            Some(pattern) => custom(clock, pattern),
            None => Formatted::Invalid,
        },
        pattern => custom(clock, pattern),
    }
}

/// What a custom format is about.
#[derive(Clone, Copy)]
struct Clock {
    datetime: DateTime2,
    /// Minutes from UTC; `None` for a value without a zone.
    zone_minutes: Option<i16>,
    /// It is a .NET time span.
    is_span: bool,
}

impl Clock {
    fn of(datetime: DateTime2) -> Clock {
        Clock { datetime, zone_minutes: None, is_span: false }
    }
}

fn custom(clock: Clock, pattern: &str) -> Formatted {
    let Clock { datetime, zone_minutes, is_span } = clock;
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let run = rest.chars().take_while(|next| *next == c).count();
        let mut used = run * c.len_utf8();
        match c {
            '\\' => {
                let Some(escaped) = rest[1..].chars().next() else {
                    return Formatted::Invalid;
                };
                text.push(escaped);
                used = 1 + escaped.len_utf8();
            }
            '\'' | '"' => {
                let Some(end) = rest[1..].find(c) else {
                    return Formatted::Invalid;
                };
                text.push_str(&rest[1..=end]);
                used = end + 2;
            }
            // Marks a single letter as custom; a letter follows.
            '%' => used = 1,
            'z' | 'K' if !is_span && zone_minutes.is_some() => {
                text.push_str(&zone(zone_minutes.unwrap_or(0), if c == 'K' { 3 } else { run }));
            }
            'z' => return Formatted::Unknown,
            _ if is_span => match span_part(datetime.time, c, run) {
                Some(part) => text.push_str(&part),
                None => return Formatted::Invalid,
            },
            'F' | 'f' if run > 7 => return Formatted::Invalid,
            _ => match part(datetime, c, run) {
                Some(part) => text.push_str(&part),
                None => text.extend(std::iter::repeat_n(c, run)),
            },
        }
        // An optional fraction takes the point before it away with it.
        if c == 'F' && text.ends_with('.') {
            text.pop();
        }
        rest = &rest[used..];
    }
    Formatted::Text(text)
}

/// `+2`, `+02`, and from three letters on `+02:00`.
fn zone(minutes: i16, letters: usize) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, rest) = (minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60);
    match letters {
        1 => format!("{sign}{hours}"),
        2 => format!("{sign}{hours:02}"),
        _ => format!("{sign}{hours:02}:{rest:02}"),
    }
}

fn span_part(time: Time, letter: char, run: usize) -> Option<String> {
    let (hour, minute, second, _) = time.hms();
    let number = match letter {
        'h' if run <= 2 => hour,
        'm' if run <= 2 => minute,
        's' if run <= 2 => second,
        'd' if run <= 8 => 0,
        'f' | 'F' if run <= 7 => return Some(fraction(time, run, letter == 'F')),
        _ => return None,
    };
    Some(format!("{number:0run$}"))
}

/// A part of a date and time; `None` for what is no letter of a format.
fn part(datetime: DateTime2, letter: char, run: usize) -> Option<String> {
    let (year, month, day) = datetime.date.civil();
    let (hour, minute, second, _) = datetime.time.hms();
    let two = |n: u32| {
        if run == 1 { n.to_string() } else { format!("{n:02}") }
    };
    let name = |names: &[&str], index: usize| {
        if run == SHORT { names[index][..SHORT].to_owned() } else { names[index].to_owned() }
    };
    Some(match letter {
        'd' if run <= 2 => two(day),
        // 0001-01-01 was a Monday.
        'd' => name(&WEEKDAYS, datetime.date.days.rem_euclid(7) as usize),
        'M' if run <= 2 => two(month),
        'M' => name(&MONTHS, month as usize - 1),
        'y' if run <= 2 => two(year.unsigned_abs() % 100),
        'y' => format!("{year:0run$}"),
        'h' => two((hour + 11) % 12 + 1),
        'H' => two(hour),
        'm' => two(minute),
        's' => two(second),
        't' => {
            let half = if hour < 12 { "AM" } else { "PM" };
            half[..run.min(2)].to_owned()
        }
        'f' | 'F' => fraction(datetime.time, run, letter == 'F'),
        'g' => "A.D.".to_owned(),
        // The zone of a value that has none.
        'K' => String::new(),
        _ => return None,
    })
}

/// The first digits of the second's fraction.
fn fraction(time: Time, digits: usize, optional: bool) -> String {
    let (.., nanosecond) = time.hms();
    let all = format!("{nanosecond:09}");
    let shown = &all[..digits.min(7)];
    if optional { shown.trim_end_matches('0').to_owned() } else { shown.to_owned() }
}
