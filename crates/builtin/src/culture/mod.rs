//! Cultures by the names of .NET: how numbers, amounts, dates and times are written (FORMAT) and read (PARSE). What they say is
//! CLDR's, under the Unicode License v3 (LICENSE-UNICODE beside this), and SQL Server's where its manual shows it;
//! `xtask/make_cultures.py` writes the list.
//!
//! ```text
//!   cultures.txt   a culture a line, fields between tabs; a field that is one quotation mark is that of the line above, and so
//!                  are fields that are left out at the end; names in lists have a bar between each two
//! ```
//! What always holds: lines are in the order of their names in small letters, and each culture has all fields; the first one has
//! no name and is the invariant culture. Does not know: names of eras, calendars but the Gregorian one and Thailand's, digits
//! and signs of numbers that are not ASCII.

pub(crate) mod parse;
mod read_date;
mod read_number;

use std::cmp::Ordering;
use std::sync::OnceLock;

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::temporal::{Date, Language};

const TEXT: &str = include_str!("cultures.txt");

/// Fields of a culture.
const FIELDS: usize = 29;

/// How a culture writes. Patterns of numbers have `n` for the number, `$` for the currency's sign and `%` for the per cent's.
#[derive(Debug)]
pub(crate) struct Culture {
    /// `de-DE`; empty is the invariant culture.
    pub name: &'static str,
    /// Numbers without a sign for what they count.
    pub number: Amounts,
    /// Per cents.
    pub percent: Patterns,
    /// Sign of per cents.
    pub percent_sign: &'static str,
    /// Amounts of money.
    pub currency: Amounts,
    /// Sign of the currency.
    pub currency_sign: &'static str,
    /// Before noon, after noon.
    pub halves: [&'static str; 2],
    /// `/` of a format.
    pub date_separator: &'static str,
    /// `:` of a format.
    pub time_separator: &'static str,
    /// `d`, `D`, `t`, `T`, `M`, `Y`
    pub patterns: [&'static str; 6],
    /// Seven, from Sunday on.
    pub days: [&'static str; 2],
    /// Twelve, long and short, and long beside a day, which is empty where it is the same.
    pub months: [&'static str; 3],
    /// Whether its dates are of a calendar that is not known here.
    pub has_other_calendar: bool,
}

/// How numbers of a kind are written.
#[derive(Debug)]
pub(crate) struct Amounts {
    /// Before the digits that are parts of one.
    pub point: &'static str,
    /// Between groups of digits.
    pub separator: &'static str,
    /// Digits of groups from the point on, the last one again and again; 0 is all that are left.
    pub groups: &'static str,
    /// Digits after the point.
    pub decimals: usize,
    /// Of numbers below zero and others.
    pub patterns: Patterns,
}

/// How a number below zero is written, and how another one is.
#[derive(Debug)]
pub(crate) struct Patterns {
    /// Below zero.
    pub negative: &'static str,
    /// Zero and above.
    pub positive: &'static str,
}

fn all() -> &'static [Culture] {
    static ALL: OnceLock<Vec<Culture>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut fields = [""; FIELDS];
        let mut read = |line: &'static str| {
            for (at, field) in line.split('\t').enumerate().take(FIELDS) {
                if at == 0 || field != "\"" {
                    fields[at] = field;
                }
            }
            of_fields(&fields)
        };
        TEXT.lines().map(&mut read).collect()
    })
}

fn of_fields(fields: &[&'static str; FIELDS]) -> Culture {
    let patterns = |both: &'static str| {
        let (negative, positive) = both.split_once('|').unwrap_or((both, "n"));
        Patterns { negative, positive }
    };
    Culture {
        name: fields[0],
        number: Amounts {
            point: fields[1],
            separator: fields[2],
            groups: fields[3],
            patterns: Patterns { negative: fields[4], positive: "n" },
            decimals: fields[5].parse().unwrap_or(2),
        },
        percent: patterns(fields[6]),
        percent_sign: fields[7],
        currency_sign: fields[8],
        currency: Amounts {
            patterns: patterns(fields[9]),
            decimals: fields[10].parse().unwrap_or(2),
            point: fields[11],
            separator: fields[12],
            groups: fields[13],
        },
        halves: [fields[14], fields[15]],
        date_separator: fields[16],
        time_separator: fields[17],
        patterns: [fields[18], fields[19], fields[20], fields[21], fields[22], fields[23]],
        days: [fields[24], fields[25]],
        months: [fields[26], fields[27], fields[28]],
        has_other_calendar: OTHER_CALENDARS.split(' ').any(|name| name == fields[0]),
    }
}

/// Cultures whose dates are of another calendar, which is not known here: UmAlQura, and the solar ones of Iran and Afghanistan.
const OTHER_CALENDARS: &str = "ar ar-SA bqi bqi-IR ckb-IR fa fa-AF fa-IR lrc lrc-IR mzn mzn-IR prs prs-AF ps ps-AF uz-AF \
    uz-Arab uz-Arab-AF";

/// Years that Thailand counts beyond others.
const BUDDHIST_YEARS: i32 = 543;

impl Culture {
    /// The culture of a name, in any case.
    pub fn named(name: &str) -> Option<&'static Culture> {
        let all = all();
        all.binary_search_by(|culture| compared(culture.name, name)).ok().map(|at| &all[at])
    }

    /// The culture that a call names.
    ///
    /// # Errors
    /// 9818 for one that is not there.
    pub fn called(name: &str) -> SqlResult<&'static Culture> {
        Culture::named(name.trim_end_matches(' ')).ok_or_else(|| SqlError::of(9818, 1, &[&name]))
    }

    /// The culture of a session's language, for calls that name none.
    pub fn of_language(language: Language) -> &'static Culture {
        Culture::named(language.facts().culture).unwrap_or(&all()[0])
    }

    /// The invariant one.
    pub fn invariant() -> &'static Culture {
        &all()[0]
    }

    /// Years that its calendar counts beyond the Gregorian one.
    pub fn years_beyond(&self) -> i32 {
        if matches!(self.name, "th" | "th-TH" | "shn-TH") { BUDDHIST_YEARS } else { 0 }
    }

    /// The order of a date's numbers: that of the short date.
    pub fn date_order(&self) -> [char; 3] {
        let mut order = ['M', 'd', 'y'];
        let mut found = 0;
        for letter in self.patterns[0].chars().filter(|letter| matches!(letter, 'y' | 'M' | 'd')) {
            if found < order.len() && !order[..found].contains(&letter) {
                order[found] = letter;
                found += 1;
            }
        }
        order
    }
}

/// The order of names in small letters.
fn compared(known: &str, name: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    known.bytes().map(lower).cmp(name.bytes().map(lower))
}

/// The name at a place of a list, from 0.
pub(crate) fn nth(names: &'static str, at: usize) -> &'static str {
    names.split('|').nth(at).unwrap_or_default()
}

/// The place of a date's day in the lists of days, which begin with Sunday.
pub(crate) fn weekday(date: Date) -> usize {
    (usize::from(date.days_after_monday()) + 1) % 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_culture_is_whole_and_found() {
        assert!(all().len() > 800);
        for culture in all() {
            assert_eq!(Culture::named(culture.name).map(|found| found.name), Some(culture.name));
            assert_eq!(Culture::named(&culture.name.to_uppercase()).map(|found| found.name), Some(culture.name));
            assert!(culture.days.iter().all(|days| days.split('|').count() == 7), "{}", culture.name);
            let [long, short, beside] = culture.months;
            assert_eq!((long.split('|').count(), short.split('|').count()), (12, 12), "{}", culture.name);
            assert!(beside.is_empty() || beside.split('|').count() == 12, "{}", culture.name);
            assert!(culture.patterns.iter().all(|pattern| !pattern.is_empty()), "{}", culture.name);
            assert!(!culture.number.point.is_empty() && culture.currency.patterns.positive.contains('n'));
            let mut order = culture.date_order();
            order.sort_unstable();
            assert_eq!(order, ['M', 'd', 'y'], "{}", culture.name);
        }
        assert!(Culture::named("xx-XX").is_none());
    }

    #[test]
    fn every_language_of_sessions_has_a_culture() {
        for language in Language::all() {
            assert_eq!(Culture::of_language(language).name, language.facts().culture);
        }
    }
}
