//! Dates and times in .NET format strings. `time` is a .NET time span: it has its own letters, and its separators must
//! be quoted or escaped.

use millpond_types::temporal::Time;
use millpond_types::{DateTime2, DateTimeOffset, Value};

use crate::culture::{Culture, nth, weekday};
use crate::text::format::Formatted;

/// Letters of names cut short.
const SHORT: usize = 3;

/// The date or time in this format.
pub(crate) fn format(value: &Value, pattern: &str, culture: &'static Culture) -> Formatted {
    let datetime = match value {
        Value::Date(date) => DateTime2 { date: *date, time: Time::default() },
        Value::DateTime(at) => at.to_datetime2(),
        Value::SmallDateTime(at) => at.to_datetime2(),
        Value::DateTime2(at) => *at,
        Value::DateTimeOffset(at) => return of_offset(*at, pattern, culture),
        Value::Time(time) => return of_span(*time, pattern, culture),
        _ => return Formatted::Invalid,
    };
    let clock = Clock::of(datetime, culture);
    match pattern {
        "" => standard(clock, "G"),
        "%" | "\\" => Formatted::Invalid,
        letter if letter.chars().count() == 1 => standard(clock, letter),
        pattern => custom(clock, pattern),
    }
}

/// A standard format: a letter.
fn standard(clock: Clock, letter: &str) -> Formatted {
    match long_form(letter, clock.culture) {
        Some((pattern, false)) => custom(clock, &pattern),
        Some((pattern, true)) => custom(Clock { culture: Culture::invariant(), ..clock }, &pattern),
        None => Formatted::Invalid,
    }
}

/// The custom format that a letter stands for, and whether it is the same in all cultures.
fn long_form(letter: &str, culture: &Culture) -> Option<(String, bool)> {
    let [short_date, long_date, short_time, long_time, month_day, year_month] = culture.patterns;
    let fixed = |pattern: &str| Some((pattern.to_owned(), true));
    let own = |pattern: &str| Some((pattern.to_owned(), false));
    let both = |date: &str, time: &str| Some((format!("{date} {time}"), false));
    match letter {
        "d" => own(short_date),
        "D" => own(long_date),
        "f" => both(long_date, short_time),
        "F" | "U" => both(long_date, long_time),
        "g" => both(short_date, short_time),
        "G" => both(short_date, long_time),
        "m" | "M" => own(month_day),
        "o" | "O" => fixed("yyyy-MM-ddTHH:mm:ss.fffffff"),
        "r" | "R" => fixed("ddd, dd MMM yyyy HH:mm:ss 'GMT'"),
        "s" => fixed("yyyy-MM-ddTHH:mm:ss"),
        "t" => own(short_time),
        "T" => own(long_time),
        "u" => fixed("yyyy-MM-dd HH:mm:ss'Z'"),
        "y" | "Y" => own(year_month),
        _ => None,
    }
}

fn of_span(time: Time, pattern: &str, culture: &'static Culture) -> Formatted {
    let clock = Clock::of(DateTime2 { time, ..DateTime2::default() }, culture);
    let has_fraction = !time.ticks.is_multiple_of(10_000_000);
    let point = culture.number.point;
    match pattern {
        "" | "c" | "t" | "T" if has_fraction => custom(clock, "HH\\:mm\\:ss\\.fffffff"),
        "" | "c" | "t" | "T" => custom(clock, "HH\\:mm\\:ss"),
        "g" if has_fraction => custom(clock, &format!("H\\:mm\\:ss'{point}'FFFFFFF")),
        "g" => custom(clock, "H\\:mm\\:ss"),
        "G" => custom(clock, &format!("0\\:HH\\:mm\\:ss'{point}'fffffff")),
        letter if letter.chars().count() == 1 => Formatted::Invalid,
        // A span's hours are `hh`; they count to 23.
        pattern => custom(Clock { is_span: true, ..clock }, pattern),
    }
}

/// A point in time with its zone: letters of two kinds, and two of them in UTC.
fn of_offset(at: DateTimeOffset, pattern: &str, culture: &'static Culture) -> Formatted {
    let clock = Clock { zone_minutes: Some(at.offset_minutes), ..Clock::of(at.local(), culture) };
    match pattern {
        "" => custom(clock, &format!("{} {} zzz", culture.patterns[0], culture.patterns[3])),
        "o" | "O" => custom(Clock { culture: Culture::invariant(), ..clock }, "yyyy-MM-ddTHH:mm:ss.fffffffzzz"),
        "r" | "R" | "u" => standard(Clock::of(at.utc(), culture), pattern),
        "U" | "%" | "\\" => Formatted::Invalid,
        letter if letter.chars().count() == 1 => standard(clock, letter),
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
    /// How it is written.
    culture: &'static Culture,
}

impl Clock {
    fn of(datetime: DateTime2, culture: &'static Culture) -> Clock {
        Clock { datetime, zone_minutes: None, is_span: false, culture }
    }
}

fn custom(clock: Clock, pattern: &str) -> Formatted {
    let Clock { datetime, zone_minutes, is_span, culture } = clock;
    if culture.has_other_calendar && !is_span && pattern.contains(['d', 'M', 'y', 'g']) {
        return Formatted::Unknown;
    }
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
            'g' if !culture.name.starts_with("en") && !culture.name.is_empty() => return Formatted::Unknown,
            'M' if run > SHORT
                && !culture.months[2].is_empty()
                && is_beside_day(pattern, pattern.len() - rest.len()) =>
            {
                text.push_str(nth(culture.months[2], datetime.date.civil().1 as usize - 1));
            }
            _ => match part(clock, c, run) {
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

/// Whether the run of `d` that is nearest on a side of a place is the number of a day, which months have names of their own
/// beside.
fn is_beside_day(pattern: &str, at: usize) -> bool {
    let is_day = |run: usize| (1..SHORT).contains(&run);
    let (before, after) = pattern.split_at(at);
    let run_before =
        before.rfind('d').map_or(0, |last| before[..=last].bytes().rev().take_while(|b| *b == b'd').count());
    let run_after = after.find('d').map_or(0, |first| after[first..].bytes().take_while(|b| *b == b'd').count());
    is_day(run_before) || is_day(run_after)
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
fn part(clock: Clock, letter: char, run: usize) -> Option<String> {
    let Clock { datetime, culture, .. } = clock;
    let (year, month, day) = datetime.date.civil();
    let year = year + culture.years_beyond();
    let (hour, minute, second, _) = datetime.time.hms();
    let two = |n: u32| {
        if run == 1 { n.to_string() } else { format!("{n:02}") }
    };
    let name = |names: &[&'static str], at: usize| nth(names[usize::from(run == SHORT)], at).to_owned();
    Some(match letter {
        'd' if run <= 2 => two(day),
        'd' => name(&culture.days, weekday(datetime.date)),
        'M' if run <= 2 => two(month),
        'M' => name(&culture.months, month as usize - 1),
        'y' if run <= 2 => two(year.unsigned_abs() % 100),
        'y' => format!("{year:0run$}"),
        'h' => two((hour + 11) % 12 + 1),
        'H' => two(hour),
        'm' => two(minute),
        's' => two(second),
        't' => {
            let half = culture.halves[usize::from(hour >= 12)];
            if run == 1 { half.chars().take(1).collect() } else { half.to_owned() }
        }
        'f' | 'F' => fraction(datetime.time, run, letter == 'F'),
        'g' => "A.D.".to_owned(),
        '/' => culture.date_separator.repeat(run),
        ':' => culture.time_separator.repeat(run),
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
