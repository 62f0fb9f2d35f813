//! Order and equality of texts.
//!
//! Texts compare on levels: letters first, then accents, then (in a case-sensitive collation) case; a later level
//! counts only where all earlier ones are equal. Blanks at the end never count.
//!
//! The SQL collations of code page 1252 have a table of weights (`weight`), those of Windows the rules of their locale
//! (`locale`), BIN and BIN2 code points. By weights and code points a shorter text is padded with blanks, and a control
//! character, which is below a blank, puts the longer text first.
//!
//! C1: `compare(a, b) == sort_key(a).cmp(sort_key(b))` for all texts.
//! C2: `equal(a, b)` exactly when `compare(a, b)` is `Equal`.
//!
//! By weights, characters outside code page 1252 are letters above `z` in the order of their code points, with case but without
//! accents. `varchar` and `nvarchar` compare alike; in the product a BIN2 `varchar` compares by its bytes, which puts
//! 27 characters such as `€` elsewhere.

mod ascii;
mod constant;
mod extra;
mod key;
mod kind;
mod like;
mod list;
mod locale;
mod name;
mod weight;

use std::cmp::Ordering;

pub use constant::Constant;
pub use key::{begin_sort_key, sort_key, sort_key_len_max};
pub use kind::Collation;
pub use like::{LikePattern, folds_ascii, like, same_char};
pub use name::is_refused;

use crate::text::trim_end_blanks;
use kind::Order;

/// The version of the keys that locales' rules make; indexes know with which they were built. It grows when a test finds
/// that keys have changed. 0: weights of code page 1252. 1: ICU4X 2.4.0, CLDR 49, Unicode 18.
pub const SORT_KEYS: u16 = 1;

use weight::{ASCII_PRIMARY, BLANK, Rules, Weight};

/// Compares two texts; blanks at the end do not count.
#[must_use]
pub fn compare(a: &str, b: &str, collation: Collation) -> Ordering {
    if collation.order() == Order::Locale {
        return locale::compare(trim_end_blanks(a), trim_end_blanks(b), collation);
    }
    let start = common_prefix(a, b);
    let (a, b) = (trim_end_blanks(&a[start..]), trim_end_blanks(&b[start..]));
    if collation.is_binary() { compare_code_points(a, b) } else { compare_levels(a, b, Rules::of(collation)) }
}

/// Whether two texts are equal; blanks at the end do not count.
#[must_use]
pub fn equal(a: &str, b: &str, collation: Collation) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (trim_end_blanks(a), trim_end_blanks(b));
    // Hot: folded ASCII letters and nothing else share a weight.
    if collation.folds_by_weight() && a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    match collation.order() {
        Order::Weights if a.is_ascii() && b.is_ascii() => a == b,
        Order::Weights => compare_levels(a, b, Rules::of(collation)) == Ordering::Equal,
        Order::Locale => locale::equal(a, b, collation),
        Order::CodePoints => a == b,
    }
}

/// Bytes that both begin with, down to a whole character: they count on no level.
fn common_prefix(a: &str, b: &str) -> usize {
    const BLOCK: usize = 16;
    let blocks = a.as_bytes().chunks_exact(BLOCK).zip(b.as_bytes().chunks_exact(BLOCK));
    let mut start = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    // In both: after equal bytes a boundary of one is a boundary of the other, except at the end of one, which both
    // texts have after them.
    while !(a.is_char_boundary(start) && b.is_char_boundary(start)) {
        start -= 1;
    }
    start
}

fn compare_code_points(a: &str, b: &str) -> Ordering {
    // The bytes of UTF-8 order as its code points.
    let different = a.bytes().zip(b.bytes()).find(|(a, b)| a != b);
    match different {
        Some((a, b)) => a.cmp(&b),
        None if a.len() < b.len() => blank_against(b[a.len()..].chars(), u32::from(b' '), u32::from),
        None => blank_against(a[b.len()..].chars(), u32::from(b' '), u32::from).reverse(),
    }
}

/// Compares endless blanks with the rest of the longer text, which is empty or does not end with a blank.
fn blank_against(rest: impl Iterator<Item = char>, blank: u32, weigh: impl Fn(char) -> u32) -> Ordering {
    rest.map(weigh).map(|other| blank.cmp(&other)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Both texts have no blanks at their end.
fn compare_levels(a: &str, b: &str, rules: Rules) -> Ordering {
    let (left, right) = (a.as_bytes(), b.as_bytes());
    let mut case = Ordering::Equal;
    for at in 0..left.len().min(right.len()) {
        let (x, y) = (left[at], right[at]);
        if !(x.is_ascii() && y.is_ascii()) {
            // `at` bytes of ASCII came before, so both texts can be cut here.
            return compare_weights(&a[at..], &b[at..], case, rules);
        }
        let (p, q) = (ASCII_PRIMARY[usize::from(x)], ASCII_PRIMARY[usize::from(y)]);
        if p != q {
            return p.cmp(&q);
        }
        // Letters of one weight: the upper case has the smaller byte.
        case = case.then(x.cmp(&y));
    }
    let common = left.len().min(right.len());
    compare_weights(&a[common..], &b[common..], case, rules)
}

/// The general case; `case` is what the texts before these differ in.
fn compare_weights(a: &str, b: &str, mut case: Ordering, rules: Rules) -> Ordering {
    let mut accent = Ordering::Equal;
    let (mut left, mut right) = (a.chars(), b.chars());
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) => {
                let (x, y) = (rules.weigh(x), rules.weigh(y));
                if x.primary != y.primary {
                    return x.primary.cmp(&y.primary);
                }
                accent = accent.then(x.accent.cmp(&y.accent));
                case = case.then(x.case.cmp(&y.case));
            }
            (Some(x), None) => return blank_against_rest(x, left).reverse(),
            (None, Some(y)) => return blank_against_rest(y, right),
            (None, None) => return if rules.case() { accent.then(case) } else { accent },
        }
    }
}

fn blank_against_rest(first: char, rest: std::str::Chars<'_>) -> Ordering {
    blank_against(std::iter::once(first).chain(rest), BLANK, |c| Weight::of(c).primary)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    use super::Collation as C;
    use super::kind::FIRST as ALL;

    #[test]
    fn case_counts_only_where_it_should() {
        assert!(equal("Hello", "hELLO  ", Collation::LATIN1_CI_AS));
        assert!(!equal("Hello", "hello", Collation::LATIN1_CS_AS));
        assert_eq!(compare("Hello", "hello", Collation::LATIN1_CS_AS), Ordering::Less);
        assert_eq!(compare("Hello", "helln", Collation::LATIN1_CS_AS), Ordering::Greater);
        assert_eq!(compare("a", "B", Collation::LATIN1_CI_AS), Ordering::Less);
        assert_eq!(compare("a", "B", Collation::LATIN1_BIN2), Ordering::Greater);
        assert!(equal("ÄÖÜ", "äöü", Collation::LATIN1_CI_AS));
    }

    #[test]
    fn the_collations_of_windows_put_lower_case_first() {
        assert_eq!(compare("Hello", "hello", C::WINDOWS_CS_AS), Ordering::Greater);
        assert_eq!(compare("é", "É", C::WINDOWS_100_CS_AS), Ordering::Less);
        assert!(equal("Hello", "hELLO", C::WINDOWS_CI_AS));
    }

    #[test]
    fn accents_do_not_count_where_they_should_not() {
        assert!(equal("côté", "COTE", C::WINDOWS_CI_AI));
        assert!(equal("côté", "cote", C::WINDOWS_CS_AI));
        assert!(!equal("côté", "Cote", C::WINDOWS_CS_AI));
        assert_eq!(compare("coté", "cotf", C::LATIN1_CI_AI), Ordering::Less);
        // Letters of their own are no accented letters.
        assert!(!equal("æ", "a", C::LATIN1_CI_AI));
        assert!(!equal("straße", "strase", C::LATIN1_CI_AI));
        assert!(like("Ångström", "ang%", None, C::WINDOWS_100_CI_AI));
        assert!(!like("Ångström", "ang%", None, C::WINDOWS_100_CI_AS));
    }

    #[test]
    fn accents_count_after_letters() {
        let rising = ["cote", "coté", "côte", "côté", "cotz"];
        assert!(rising.windows(2).all(|pair| compare(pair[0], pair[1], Collation::LATIN1_CI_AS) == Ordering::Less));
        assert!(!equal("e", "é", Collation::LATIN1_CI_AS));
    }

    #[test]
    fn punctuation_comes_before_digits_before_letters() {
        let rising = ["", "!", "_a", "~", "€", "0", "9", "a", "Å", "b", "z", "þ", "ж"];
        assert!(rising.windows(2).all(|pair| compare(pair[0], pair[1], Collation::LATIN1_CI_AS) == Ordering::Less));
    }

    #[test]
    fn the_shorter_text_is_padded_with_blanks() {
        for collation in ALL.into_iter().filter(|collation| !collation.is_of_locale()) {
            assert_eq!(compare("ab", "ab   ", collation), Ordering::Equal);
            assert_eq!(compare("ab", "ab\t", collation), Ordering::Greater, "{collation:?}");
            assert_eq!(compare("ab  \t", "ab", collation), Ordering::Less);
            assert_eq!(compare("ab", "ab c", collation), Ordering::Less);
            assert_eq!(compare("ab  c", "ab c", collation), Ordering::Less);
            let more = |blanks| format!("a{:blanks$}b", "");
            assert!((0..20).all(|n| key(&more(n + 1), collation) < key(&more(n), collation)), "{collation:?}");
        }
    }

    fn key(text: &str, collation: Collation) -> Vec<u8> {
        let mut key = Vec::new();
        sort_key(text, collation, &mut key);
        key
    }

    /// Few characters, so that texts often agree far along: all levels, blanks, control characters, long alphabets,
    /// runs of few and many blanks before high and low characters.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ab A\té\u{1F600}ж!1]{0,6}",
            "[aA]{14,18}[ab é\t]{0,4}",
            "a {0,15}[ab\t] {0,15}[ab\t]?",
            any::<String>()
        ]
    }

    proptest! {
        #[test]
        fn keys_order_as_texts_compare(a in text(), b in text()) {
            for collation in ALL {
                let by_key = key(&a, collation).cmp(&key(&b, collation));
                prop_assert_eq!(compare(&a, &b, collation), by_key, "{:?} {:?} {:?}", collation, a, b);
                prop_assert_eq!(equal(&a, &b, collation), by_key == Ordering::Equal);
                prop_assert_eq!(compare(&b, &a, collation), by_key.reverse());
            }
        }

        #[test]
        fn keys_of_texts_that_begin_alike_begin_alike(
            text in text(), other in text(), len in 0..8usize, flip in any::<bool>()
        ) {
            for collation in ALL {
                let begun: String = text.chars().take(len).collect();
                let beginning = if flip { begun.to_uppercase() } else { begun };
                let mut common = Vec::new();
                if !begin_sort_key(&beginning, collation, &mut common) {
                    continue;
                }
                let is_wild = beginning.contains(['%', '_', '[']);
                let pattern = LikePattern::new(&format!("{beginning}%"), None, collation);
                for text in [&text, &other] {
                    if !is_wild && pattern.matches_unicode(text) {
                        prop_assert!(key(text, collation).starts_with(&common), "{:?} {:?}", text, beginning);
                    }
                    let left: String = text.chars().take(len).collect();
                    if equal(&left, &beginning, collation) {
                        prop_assert!(key(text, collation).starts_with(&common), "{:?} {:?}", text, beginning);
                    }
                }
            }
        }

        #[test]
        fn no_key_begins_with_another(a in text(), b in text()) {
            for collation in ALL {
                let (x, y) = (key(&a, collation), key(&b, collation));
                prop_assert!(x == y || !x.starts_with(&y));
            }
        }

        #[test]
        fn the_order_is_transitive(mut texts in proptest::collection::vec(text(), 3)) {
            for collation in ALL {
                texts.sort_by(|a, b| compare(a, b, collation));
                prop_assert_ne!(compare(&texts[0], &texts[2], collation), Ordering::Greater);
            }
        }
    }
}
