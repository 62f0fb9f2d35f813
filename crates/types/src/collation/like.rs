//! LIKE: patterns of `%`, `_`, `[a-f]`, `[^x]` and an escape character.
//!
//! A pattern is compiled once and matched many times. Characters are equal as the collation has it; a range holds what
//! lies between its ends in the collation's order. Over `varchar`, blanks at the text's end that the pattern does not
//! ask for are ignored; over `nvarchar` they count.

use super::kind::Collation;
use super::kind::Order;
use super::locale;
use super::weight::Rules;
use crate::watch::{Stopped, Ticker, Watch};
use std::cmp::Ordering;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct LikePattern {
    parts: Vec<Part>,
    collation: Collation,
    /// The characters before the first wildcard.
    prefix: String,
    /// Whether the pattern is its prefix followed by `%` alone.
    prefix_only: bool,
    /// An escape character at the end or a bracket without its end: nothing matches.
    malformed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `%`
    Anything,
    /// `_`
    One,
    /// A character, by its weight.
    Same(Rank),
    /// `[…]`
    Set { negated: bool, ranges: Vec<(Rank, Rank)> },
}

/// A character's place in the collation's order; where that is a locale's, which numbers no places, the character.
type Rank = (u32, u8, u8);

fn rank(c: char, collation: Collation) -> Rank {
    if collation.order() != Order::Weights {
        return (u32::from(c), 0, 0);
    }
    let rules = Rules::of(collation);
    let weight = rules.weigh(c);
    (weight.primary, weight.accent, if rules.case() { weight.case } else { 0 })
}

fn is_same(c: char, wanted: Rank, collation: Collation) -> bool {
    match collation.order() {
        Order::Locale => char::from_u32(wanted.0).is_some_and(|wanted| same_char(c, wanted, collation)),
        _ => rank(c, collation) == wanted,
    }
}

fn is_within(c: char, (low, high): (Rank, Rank), collation: Collation) -> bool {
    if collation.order() != Order::Locale {
        return (low..=high).contains(&rank(c, collation));
    }
    let order = |end: Rank| char::from_u32(end.0).map(|end| locale::compare_chars(c, end, collation));
    order(low).is_some_and(Ordering::is_ge) && order(high).is_some_and(Ordering::is_le)
}

/// Whether two characters are equal as the collation has it.
#[must_use]
pub fn same_char(a: char, b: char, collation: Collation) -> bool {
    match collation.order() {
        _ if a == b => true,
        Order::Locale => locale::same_char(a, b, collation),
        _ => rank(a, collation) == rank(b, collation),
    }
}

/// Whether an ASCII letter equals its other case, where case does not count, and no other ASCII character.
#[must_use]
pub fn folds_ascii(collation: Collation) -> bool {
    collation.order() != Order::Locale || locale::folds_ascii(collation)
}

/// LIKE over `varchar`. To match many texts, compile a [`LikePattern`].
#[must_use]
pub fn like(text: &str, pattern: &str, escape: Option<char>, collation: Collation) -> bool {
    LikePattern::new(pattern, escape, collation).matches(text)
}

impl LikePattern {
    /// Compiles a pattern.
    #[must_use]
    pub fn new(pattern: &str, escape: Option<char>, collation: Collation) -> Self {
        let mut compiler =
            Compiler { rest: pattern.chars(), escape, collation, literals: Vec::new(), malformed: false };
        let parts = compiler.parts();
        let prefix: String = compiler.literals.iter().map_while(|literal| *literal).collect();
        let prefix_len = prefix.chars().count();
        let prefix_only = parts.len() == prefix_len + 1 && parts.last() == Some(&Part::Anything);
        Self { parts, collation, prefix, prefix_only, malformed: compiler.malformed }
    }

    /// The characters before the first wildcard: every text that matches begins with them, as the collation has it.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether every text that begins with [`LikePattern::prefix`] matches (`'abc%'`).
    #[must_use]
    pub fn is_prefix_only(&self) -> bool {
        self.prefix_only && !self.malformed
    }

    /// Whether a `varchar` text matches: blanks at its end may stay over.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.matches_while(text, false, Watch::NONE) == Ok(true)
    }

    /// Whether an `nvarchar` text matches: blanks at its end count.
    #[must_use]
    pub fn matches_unicode(&self, text: &str) -> bool {
        self.matches_while(text, true, Watch::NONE) == Ok(true)
    }

    /// Whether a text matches, an `nvarchar` one or another, as long as the answer is wanted.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn matches_while(&self, text: &str, unicode: bool, watch: Watch<'_>) -> Result<bool, Stopped> {
        Ok(self.run_to_end(text, !unicode, &mut watch.ticker())? == End::Matches)
    }

    /// The first byte from which on a text, an `nvarchar` one or another, matches to its end, if `may_begin` says that a
    /// match may begin with the character there.
    ///
    /// What follows the first `%` is looked for once: when it is not found after the first place where the beginning
    /// matches, it is not found after a later one either.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn find_while(
        &self,
        text: &str,
        unicode: bool,
        may_begin: &dyn Fn(char) -> bool,
        watch: Watch<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let mut ticker = watch.ticker();
        for (start, c) in text.char_indices() {
            ticker.tick()?;
            if !may_begin(c) {
                continue;
            }
            match self.run_to_end(&text[start..], !unicode, &mut ticker)? {
                End::Differs => {}
                end => return Ok((end == End::Matches).then_some(start)),
            }
        }
        Ok(None)
    }

    fn run_to_end(&self, text: &str, blanks_may_stay: bool, ticker: &mut Ticker<'_>) -> Result<End, Stopped> {
        if self.malformed {
            return Ok(End::Differs);
        }
        let mut state = State { rest: text, part: 0, retry: None };
        loop {
            ticker.tick()?;
            match self.parts.get(state.part) {
                Some(Part::Anything) => {
                    state.part += 1;
                    state.retry = Some((state.part, state.rest));
                    if state.part == self.parts.len() {
                        return Ok(End::Matches);
                    }
                }
                Some(part) if state.take(part, self.collation) => {}
                None if state.rest.is_empty() => return Ok(End::Matches),
                None if blanks_may_stay && state.rest.starts_with(' ') && all_blanks(state.rest, ticker)? => {
                    return Ok(End::Matches);
                }
                _ if state.back_up() => {}
                _ if state.retry.is_some() => return Ok(End::RestMissing),
                _ => return Ok(End::Differs),
            }
        }
    }
}

fn all_blanks(text: &str, ticker: &mut Ticker<'_>) -> Result<bool, Stopped> {
    for byte in text.bytes() {
        ticker.tick()?;
        if byte != b' ' {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Matches,
    /// The pattern's beginning, up to its first `%`, does not match.
    Differs,
    /// It does, and what follows is nowhere after it.
    RestMissing,
}

/// Where a match stands. Only the last `%` is ever extended: what an earlier one could take, the last one can too.
struct State<'t> {
    rest: &'t str,
    part: usize,
    /// The part after the last `%` and the text where it was last tried.
    retry: Option<(usize, &'t str)>,
}

impl State<'_> {
    fn take(&mut self, part: &Part, collation: Collation) -> bool {
        let mut rest = self.rest.chars();
        let Some(c) = rest.next() else { return false };
        let fits = match part {
            Part::Anything | Part::One => true,
            Part::Same(wanted) => is_same(c, *wanted, collation),
            Part::Set { negated, ranges } => ranges.iter().any(|range| is_within(c, *range, collation)) != *negated,
        };
        if fits {
            self.rest = rest.as_str();
            self.part += 1;
        }
        fits
    }

    /// Gives the last `%` one more character.
    fn back_up(&mut self) -> bool {
        let Some((part, tried)) = self.retry else {
            return false;
        };
        let mut rest = tried.chars();
        if rest.next().is_none() {
            return false;
        }
        (self.part, self.rest) = (part, rest.as_str());
        self.retry = Some((part, self.rest));
        true
    }
}

struct Compiler<'p> {
    rest: std::str::Chars<'p>,
    escape: Option<char>,
    collation: Collation,
    /// Per part the character it stands for, if it is one.
    literals: Vec<Option<char>>,
    malformed: bool,
}

impl Compiler<'_> {
    fn parts(&mut self) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.next() {
            let (part, literal) = match c {
                _ if Some(c) == self.escape => self.escaped(),
                // `%%` says no more than `%`.
                '%' if parts.last() == Some(&Part::Anything) => continue,
                '%' => (Part::Anything, None),
                '_' => (Part::One, None),
                '[' => (self.set(), None),
                _ => (self.same(c), Some(c)),
            };
            parts.push(part);
            self.literals.push(literal);
        }
        parts
    }

    fn same(&self, c: char) -> Part {
        Part::Same(rank(c, self.collation))
    }

    fn escaped(&mut self) -> (Part, Option<char>) {
        let next = self.rest.next();
        self.malformed |= next.is_none();
        let c = next.unwrap_or_default();
        (self.same(c), Some(c))
    }

    fn set(&mut self) -> Part {
        let negated = self.rest.as_str().starts_with('^');
        if negated {
            self.rest.next();
        }
        let mut ranges = Vec::new();
        loop {
            match self.rest.next() {
                Some(']') => return Part::Set { negated, ranges },
                None => {
                    self.malformed = true;
                    return Part::Set { negated, ranges };
                }
                Some(c) => {
                    let low = self.literal(c);
                    let high = self.range_end().map_or(low, |end| end);
                    ranges.push((rank(low, self.collation), rank(high, self.collation)));
                }
            }
        }
    }

    /// The character itself, or the one after an escape.
    fn literal(&mut self, c: char) -> char {
        if Some(c) == self.escape { self.rest.next().unwrap_or(c) } else { c }
    }

    /// The end of a range `-x`; a hyphen before the bracket's end stands for itself.
    fn range_end(&mut self) -> Option<char> {
        let after = self.rest.as_str().strip_prefix('-')?;
        if after.is_empty() || after.starts_with(']') {
            return None;
        }
        self.rest.next();
        let end = self.rest.next()?;
        Some(self.literal(end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CI: Collation = Collation::LATIN1_CI_AS;

    #[test]
    fn wildcards_sets_and_escapes() {
        for (text, pattern, expected) in [
            ("hello", "hello", true),
            ("Hello", "hELLO", true),
            ("hello", "h%o", true),
            ("hello", "%", true),
            ("", "%", true),
            ("hello", "h_llo", true),
            ("hello", "h_lo", false),
            ("hello", "%ell%", true),
            ("aab", "%ab", true),
            ("mississippi", "%iss%ip%i", true),
            ("mississippi", "%iss%ix%i", false),
            ("b1", "[a-f][0-9]", true),
            ("g1", "[a-f]_", false),
            ("g", "[^a-f]", true),
            ("a", "[^a-f]", false),
            ("F", "[a-f]", true),
            ("-", "[a-]", true),
            ("[", "[[]", true),
            ("50%", "50[%]", true),
            ("505", "50[%]", false),
            ("x", "[]", false),
            ("abc", "[abc", false),
            ("abc", "", false),
            ("", "", true),
        ] {
            assert_eq!(like(text, pattern, None, CI), expected, "{text:?} LIKE {pattern:?}");
        }
        assert!(like("50%", "50!%", Some('!'), CI));
        assert!(!like("505", "50!%", Some('!'), CI));
        assert!(like("a_b", "a\\_b", Some('\\'), CI));
        assert!(!like("ab", "ab!", Some('!'), CI));
        assert!(like("]", "[a!]]", Some('!'), CI));
    }

    #[test]
    fn case_and_accents_follow_the_collation() {
        assert!(!like("Hello", "hello", None, Collation::LATIN1_CS_AS));
        assert!(!like("é", "e", None, CI));
        assert!(like("É", "é", None, CI));
        assert!(like("é", "[d-f]", None, CI));
        assert!(!like("é", "[d-f]", None, Collation::LATIN1_BIN2));
        assert!(!like("B", "[a-c]", None, Collation::LATIN1_BIN2));
    }

    #[test]
    fn blanks_at_the_end_stay_over_only_for_varchar() {
        let pattern = LikePattern::new("abc", None, CI);
        assert!(pattern.matches("abc   "));
        assert!(!pattern.matches_unicode("abc   "));
        assert!(!like("abc", "abc ", None, CI));
        assert!(like("abc  ", "%c", None, CI));
    }

    #[test]
    fn a_pattern_knows_its_prefix() {
        let pattern = LikePattern::new("ab!%c%", Some('!'), CI);
        assert_eq!((pattern.prefix(), pattern.is_prefix_only()), ("ab%c", true));
        let pattern = LikePattern::new("ab_c%", None, CI);
        assert_eq!((pattern.prefix(), pattern.is_prefix_only()), ("ab", false));
        assert!(!LikePattern::new("abc", None, CI).is_prefix_only());
    }

    /// The textbook definition, slow and obvious.
    fn obvious(text: &[char], pattern: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, _) => text.iter().all(|&c| c == ' '),
            (Some(('%', rest)), None) => obvious(text, rest),
            (Some(('%', rest)), Some((_, shorter))) => obvious(text, rest) || obvious(shorter, pattern),
            (Some(('_', rest)), Some((_, shorter))) => obvious(shorter, rest),
            (Some((p, rest)), Some((t, shorter))) => p == t && obvious(shorter, rest),
            (Some(_), None) => false,
        }
    }

    proptest! {
        #[test]
        fn backing_up_finds_what_the_definition_finds(text in "[ab ]{0,10}", pattern in "[ab_%]{0,7}") {
            let chars = |s: &str| s.chars().collect::<Vec<_>>();
            let expected = obvious(&chars(&text), &chars(&pattern));
            prop_assert_eq!(like(&text, &pattern, None, Collation::LATIN1_BIN2), expected);
        }

        #[test]
        fn the_first_match_is_that_of_trying_each_place(text in "[ab ]{0,12}", pattern in "[ab_%]{1,7}") {
            let pattern = LikePattern::new(&pattern, None, Collation::LATIN1_BIN2);
            let each = (0..text.len()).find(|start| pattern.matches(&text[*start..]));
            prop_assert_eq!(pattern.find_while(&text, false, &|_| true, Watch::NONE), Ok(each));
            let each = (0..text.len()).find(|start| pattern.matches_unicode(&text[*start..]));
            prop_assert_eq!(pattern.find_while(&text, true, &|_| true, Watch::NONE), Ok(each));
        }

        #[test]
        fn no_pattern_panics(text in any::<String>(), pattern in "[\\[\\]^%_a!é-]{0,12}") {
            let _ = like(&text, &pattern, Some('!'), CI);
        }
    }
}
