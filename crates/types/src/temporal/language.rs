//! The languages of sessions: names of months and days, the order of dates, the first day of a week (`sys.syslanguages`).
//!
//! What always holds: numbers are those of `@@LANGID`, from 0 for us_english, without a gap; each language has twelve months,
//! long and short, and seven days from Monday on. `languages.txt` has a line for each, in the order of the numbers. Knows no
//! session, and nothing of the cultures that FORMAT writes by but the name of one.

use std::sync::OnceLock;

/// A language, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(u8);

/// What is known of a language.
#[derive(Debug)]
pub struct LanguageFacts {
    /// Its own name, `Deutsch`.
    pub name: &'static str,
    /// Its English name, `German`.
    pub alias: &'static str,
    /// DATEFORMAT that SET LANGUAGE brings, in small letters.
    pub date_order: [u8; 3],
    /// DATEFIRST that it brings: 1 Monday to 7 Sunday.
    pub first_day: u8,
    /// Locale of Windows.
    pub lcid: i32,
    /// Group of messages.
    pub message_lcid: i16,
    /// Culture of .NET by which FORMAT and PARSE go that name none.
    pub culture: &'static str,
    /// Twelve names of months, with a comma between each two.
    pub months: &'static str,
    /// The same, short.
    pub short_months: &'static str,
    /// Seven names of days, from Monday on.
    pub days: &'static str,
    /// The names each on its own, as each date that is written or read asks for them.
    month_names: [&'static str; 12],
    short_month_names: [&'static str; 12],
    day_names: [&'static str; 7],
}

const TEXT: &str = include_str!("languages.txt");

fn all() -> &'static [LanguageFacts] {
    static ALL: OnceLock<Vec<LanguageFacts>> = OnceLock::new();
    ALL.get_or_init(|| TEXT.lines().map(of_line).collect())
}

/// A line of the list; a test sees that each is whole.
fn of_line(line: &'static str) -> LanguageFacts {
    let mut fields = line.split('\t');
    let fields: [&'static str; 10] = std::array::from_fn(|_| fields.next().unwrap_or_default());
    let [name, alias, date_order, first_day, lcid, message_lcid, culture, months, short_months, days] = fields;
    LanguageFacts {
        name,
        alias,
        date_order: date_order.to_ascii_lowercase().into_bytes().try_into().unwrap_or(*b"mdy"),
        first_day: first_day.parse().unwrap_or_default(),
        lcid: lcid.parse().unwrap_or_default(),
        message_lcid: message_lcid.parse().unwrap_or_default(),
        culture,
        months,
        short_months,
        days,
        month_names: each(months),
        short_month_names: each(short_months),
        day_names: each(days),
    }
}

/// The names of a list.
fn each<const N: usize>(list: &'static str) -> [&'static str; N] {
    let mut names = list.split(',');
    std::array::from_fn(|_| names.next().unwrap_or_default())
}

impl Language {
    /// us_english, which servers begin with.
    pub const US_ENGLISH: Language = Language(0);

    /// All of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..).zip(all()).map(|(number, _)| Language(number))
    }

    /// The language of a name or alias, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Language> {
        let lower = name.to_lowercase();
        let is_it = |known: &str| known.to_lowercase() == lower;
        Language::all().find(|language| is_it(language.facts().name) || is_it(language.facts().alias))
    }

    /// The language of a locale of Windows.
    #[must_use]
    pub fn of_lcid(lcid: i32) -> Option<Language> {
        Language::all().find(|language| language.facts().lcid == lcid)
    }

    /// `@@LANGID`
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }

    /// What is known of it.
    #[must_use]
    pub fn facts(self) -> &'static LanguageFacts {
        let all = all();
        all.get(usize::from(self.0)).unwrap_or(&all[0])
    }

    /// A month's name; `month` is 1 to 12.
    #[must_use]
    pub fn month(self, month: u32) -> &'static str {
        nth(&self.facts().month_names, month.saturating_sub(1))
    }

    /// A month's short name; `month` is 1 to 12.
    #[must_use]
    pub fn short_month(self, month: u32) -> &'static str {
        nth(&self.facts().short_month_names, month.saturating_sub(1))
    }

    /// A day's name; 0 is Monday.
    #[must_use]
    pub fn day(self, days_after_monday: u8) -> &'static str {
        nth(&self.facts().day_names, u32::from(days_after_monday))
    }

    /// The month whose name a text begins with, and the name's bytes: the longest, in any case, and no letter after it. Names
    /// that are numbers are none here.
    pub(crate) fn month_at(self, text: &str) -> Option<(u32, usize)> {
        let facts = self.facts();
        let ends = |len: &usize| !text[*len..].chars().next().is_some_and(char::is_alphabetic);
        (1..)
            .zip(facts.month_names)
            .chain((1..).zip(facts.short_month_names))
            .filter(|(_, name)| !name.starts_with(|c: char| c.is_ascii_digit()))
            .filter_map(|(month, name)| Some((month, name_at(text, name).filter(ends)?)))
            .max_by_key(|(_, len)| *len)
    }
}

fn nth(names: &[&'static str], index: u32) -> &'static str {
    names.get(index as usize).copied().unwrap_or_default()
}

/// The bytes that a name takes at a text's beginning, in any case.
#[must_use]
pub fn name_at(text: &str, name: &str) -> Option<usize> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        let found = rest.next()?;
        let is_same = match found.is_ascii() && wanted.is_ascii() {
            true => found.eq_ignore_ascii_case(&wanted),
            false => found == wanted || found.to_lowercase().eq(wanted.to_lowercase()),
        };
        if !is_same {
            return None;
        }
    }
    Some(text.len() - rest.as_str().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_whole() {
        assert_eq!(Language::all().count(), 33);
        for language in Language::all() {
            let facts = language.facts();
            assert_eq!(facts.months.split(',').count(), 12, "{}", facts.name);
            assert_eq!(facts.short_months.split(',').count(), 12, "{}", facts.name);
            assert_eq!(facts.days.split(',').count(), 7, "{}", facts.name);
            assert!((1..=7).contains(&facts.first_day), "{}", facts.name);
            assert!(facts.lcid > 1000 && facts.message_lcid > 1000 && facts.culture.len() == 5, "{}", facts.name);
            assert_eq!(Language::named(facts.name), Some(language));
            assert_eq!(Language::named(&facts.alias.to_uppercase()), Some(language));
            assert_eq!(Language::of_lcid(facts.lcid), Some(language));
        }
        assert_eq!(Language::named("klingon"), None);
    }

    #[test]
    fn a_month_is_known_by_its_longest_name() {
        let at = |language: &str, text: &str| Language::named(language).and_then(|language| language.month_at(text));
        assert_eq!(at("English", "MAY 5"), Some((5, 3)));
        assert_eq!(at("English", "september 5"), Some((9, 9)));
        assert_eq!(at("English", "sept 5"), None);
        assert_eq!(at("German", "märz 5"), Some((3, 5)));
        assert_eq!(at("German", "MÄR 5"), Some((3, 4)));
        assert_eq!(at("German", "Oct 5"), None);
        assert_eq!(at("Polish", "XII 5"), Some((12, 3)));
        assert_eq!(at("Arabic", "Rabie II 5"), Some((4, 8)));
        assert_eq!(at("Japanese", "01"), None);
        assert_eq!(at("Thai", "ม.ค. 5"), Some((1, 8)));
    }
}
