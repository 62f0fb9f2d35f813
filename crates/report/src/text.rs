//! Times, amounts and texts as people read and write them.
//!
//! What always holds: times are of UTC. A text that was escaped is text wherever it stands in HTML: no character of it begins markup,
//! ends an attribute or turns the direction of what stands around it.

use std::fmt::Write as _;

const US_PER_S: i64 = 1_000_000;

/// A point in time that somebody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Microseconds of UTC since 1970.
    At(i64),
    /// Microseconds before the end of what is recorded.
    Before(i64),
}

impl When {
    /// The time, where what is recorded ends then.
    #[must_use]
    pub fn at_us(self, end_us: i64) -> i64 {
        match self {
            When::At(at_us) => at_us,
            When::Before(us) => end_us.saturating_sub(us),
        }
    }

    /// `2026-01-31`, `2026-01-31T12:30`, `2026-01-31 12:30:15`, each also with `Z`; `-90s`, `-15m`, `-2h`, `-1d`; `now`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<When, String> {
        let wrong =
            || format!("'{text}' is no time: 2026-01-31T12:30 (UTC), or -2h before the end of what is recorded");
        if text.eq_ignore_ascii_case("now") {
            return Ok(When::Before(0));
        }
        if let Some(back) = text.strip_prefix('-') {
            let unit_s = match back.chars().last() {
                Some('s') => 1,
                Some('m') => 60,
                Some('h') => 3600,
                Some('d') => 86_400,
                _ => return Err(wrong()),
            };
            let count: u32 = back[..back.len() - 1].parse().map_err(|_| wrong())?;
            let before_us = (i64::from(count) * unit_s).checked_mul(US_PER_S);
            let before_us = before_us.filter(|us| *us <= i64::MAX / 4).ok_or_else(wrong)?;
            return Ok(When::Before(before_us));
        }
        let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
        let (day, time) = text.split_once(['T', 't', ' ']).unwrap_or((text, "0:0"));
        let numbers = |text: &str, separator: char| -> Option<Vec<i64>> {
            let is_number =
                |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            text.split(separator).map(|part| is_number(part).then(|| part.parse().ok()).flatten()).collect()
        };
        let (Some(day), Some(time)) = (numbers(day, '-'), numbers(time, ':')) else { return Err(wrong()) };
        let (&[year, month, day], &[hour, minute, ref second @ ..]) = (&day[..], &time[..]) else {
            return Err(wrong());
        };
        let second = match *second {
            [] => 0,
            [second] => second,
            _ => return Err(wrong()),
        };
        let days = days_of(year, month, day).ok_or_else(wrong)?;
        if hour > 23 || minute > 59 || second > 59 {
            return Err(wrong());
        }
        Ok(When::At((days * 86_400 + hour * 3600 + minute * 60 + second) * US_PER_S))
    }
}

/// Days since 1970 of a day of the calendar.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1970..=9999).contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    // Years that begin in March put the leap day last.
    let from_march = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(from_march * 365 + from_march / 4 - from_march / 100 + from_march / 400 + day_of_year - 719_468)
}

/// Year, month, day, and seconds of the day.
fn parts_of(us: i64) -> (i64, i64, i64, i64) {
    let seconds = us.div_euclid(US_PER_S);
    let (days, second) = (seconds.div_euclid(86_400) + 719_468, seconds.rem_euclid(86_400));
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day, second)
}

/// `2026-01-31 12:30:15`
#[must_use]
pub fn time_text(us: i64) -> String {
    let (year, month, day, second) = parts_of(us);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

/// `2 h 5 min`, with no more than two units.
#[must_use]
pub fn span_text(us: u64) -> String {
    let seconds = us.div_ceil(US_PER_S.unsigned_abs());
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let at = units.iter().position(|(length, _)| seconds >= *length).unwrap_or(3);
    let (length, unit) = units[at];
    let mut text = format!("{} {unit}", seconds / length);
    if let Some((smaller, unit)) = units.get(at + 1).filter(|(smaller, _)| seconds % length / smaller > 0) {
        let _ = write!(text, " {} {unit}", seconds % length / smaller);
    }
    text
}

/// A number of about three digits: `0`, `0.04`, `1.5`, `23.1`, `1,234`, `5.61 M`.
#[must_use]
pub fn amount(value: f64) -> String {
    let scaled = |value: f64, unit: &str| {
        let digits = match value.abs() {
            size if size >= 99.95 || size == 0.0 => 0,
            size if size >= 9.995 => 1,
            _ => 2,
        };
        let text = format!("{value:.digits$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text}{unit}")
    };
    match value.abs() {
        size if size >= 999.5e9 => scaled(value / 1e12, " T"),
        size if size >= 999.5e6 => scaled(value / 1e9, " G"),
        size if size >= 999.5e3 => scaled(value / 1e6, " M"),
        size if size >= 9_999.5 => {
            let whole = format!("{value:.0}");
            let at = whole.len() - 3;
            format!("{},{}", &whole[..at], &whole[at..])
        }
        size if size > 0.0 && size < 0.005 => "0.00…".to_owned(),
        _ => scaled(value, ""),
    }
}

/// Text in HTML, in an element or an attribute. Characters that nobody sees are named: controls, and those that turn the
/// direction of text; line breaks stay.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(character),
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}' => {
                let _ = write!(safe, "[U+{:04X}]", character as u32);
            }
            _ if character.is_control() => {
                let _ = write!(safe, "[U+{:04X}]", character as u32);
            }
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, us) in [
            ("1970-01-01", 0),
            ("2026-11-30T18:11:53", 1_796_062_313_000_000),
            ("2026-11-30 18:11:53Z", 1_796_062_313_000_000),
            ("2024-02-29T00:30", 1_709_166_600_000_000),
            ("9999-12-31T23:59:59", 253_402_300_799_000_000),
        ] {
            assert_eq!(When::parse(text), Ok(When::At(us)), "{text}");
        }
        assert_eq!(time_text(1_796_062_313_999_999), "2026-11-30 18:11:53");
        for (text, us) in [("-90s", 90), ("-15m", 900), ("-2h", 7200), ("-1d", 86_400), ("now", 0)] {
            assert_eq!(When::parse(text), Ok(When::Before(us * US_PER_S)), "{text}");
        }
        for text in [
            "",
            "-",
            "-h",
            "-é",
            "yesterday",
            "2026-13-01",
            "2026-02-29",
            "2026-01-31T24:00",
            "2026-01-31T1:2:3:4",
            "1-2",
            "-99999999999h",
            "-999999999d",
            "+026-01-01",
            "2026-1-1T",
            "10000-01-01",
        ] {
            assert!(When::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_have_three_digits() {
        let texts = [0.0, 0.001, 0.04, 1.5, 23.12, 999.0, 1234.4, 99_999.0, 5_612_000.0, -2.5, 3e12].map(amount);
        assert_eq!(texts, ["0", "0.00…", "0.04", "1.5", "23.1", "999", "1234", "99,999", "5.61 M", "-2.5", "3 T"]);
        assert_eq!(
            [0, 59_000_000, 7_500_000_000, 90_000_000_000].map(span_text),
            ["0 s", "59 s", "2 h 5 min", "1 d 1 h"]
        );
    }

    #[test]
    fn hostile_texts_are_texts() {
        assert_eq!(
            escape("<script>alert('x' & \"y\")</script>"),
            "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;"
        );
        assert_eq!(escape("a\u{202e}b\0\r\n\tשלום"), "a[U+202E]b[U+0000][U+000D]\n\tשלום");
    }

    proptest! {
        #[test]
        fn no_text_begins_markup(text in ".*") {
            let safe = escape(&text);
            prop_assert!(!safe.contains(['<', '>', '"', '\'']));
        }

        #[test]
        fn times_come_back(us in 0..253_402_300_800_i64) {
            prop_assert_eq!(When::parse(&time_text(us * US_PER_S)), Ok(When::At(us * US_PER_S)));
        }

        #[test]
        fn no_text_of_a_time_panics(text in ".{0,20}") {
            let _ = When::parse(&text);
        }
    }
}
