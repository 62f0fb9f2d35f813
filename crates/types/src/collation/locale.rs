//! The collations of Windows: the rules of CLDR for their locale, by ICU4X, with what the product has otherwise.
//!
//! ```text
//!  text ── blanks at its end ──▶ marks ' and - ──▶ ß æ œ þ ──▶ ICU4X ── levels of letters, accents, case
//!            do not count        go to a level     as two                │
//!                                of their own      letters      kana, width, selectors, marks: `extra`
//! ```
//!
//! What always holds: two texts compare as their keys do. A key is that of ICU4X, whose bytes are above 1 but for the 1
//! between levels, then a 1 before each further level, then 0; so none begins with another.
//!
//! What is not CLDR's: apostrophe and hyphen count last (the word sort of Windows), `ß` is `ss` and `æ`, `œ`, `þ` are two
//! letters where the locale has no letter of its own for them, lower case comes first in each locale, scripts keep the
//! order that they have in no locale, French counts accents from the end. What Windows orders otherwise than CLDR beside
//! these, mostly signs, is ordered as CLDR has it; all versions of a collation have the same rules.
//!
//! ASCII takes a road of its own ([`super::ascii`]) where the locale has no rules for pairs of ASCII letters.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::OnceLock;

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::CollationCaseFirst;
use icu_collator::provider::{
    Baked, CollationDiacriticsV1, CollationJamoV1, CollationMetadata, CollationMetadataV1, CollationReorderingV1,
    CollationRootV1, CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use icu_normalizer::provider::{Baked as Normal, NormalizerNfdDataV1, NormalizerNfdTablesV1};
use icu_provider::{DataError, DataPayload, DataProvider, DataRequest, DataResponse};

use super::ascii::{Ascii, Counts};
use super::extra;
use super::kind::{Collation, IGNORE_ACCENT, IGNORE_CASE};
use super::list::DESIGNATORS;

/// The end of a key.
const END: u8 = 0;

/// The rules of one locale for one choice of case and accents.
pub(super) struct Engine {
    pub(super) collator: CollatorBorrowed<'static>,
    expands: Expands,
    /// None where pairs of ASCII letters have rules.
    ascii: Option<Ascii>,
    /// ASCII letters equal their other case and nothing else.
    folds: bool,
}

/// Which letters are two.
#[derive(Clone, Copy)]
struct Expands {
    ae: bool,
    oe: bool,
    th: bool,
}

const CHOICES: usize = 4;
static ENGINES: [OnceLock<Engine>; CHOICES * DESIGNATORS.len()] =
    [const { OnceLock::new() }; CHOICES * DESIGNATORS.len()];

/// The rules of a collation; made when they are asked for first.
#[inline]
pub(super) fn engine(collation: Collation) -> &'static Engine {
    let choice = usize::from(collation.has(IGNORE_CASE)) + 2 * usize::from(collation.has(IGNORE_ACCENT));
    let of = usize::from(collation.rules_place());
    ENGINES[CHOICES * of + choice].get_or_init(|| Engine::new(collation))
}

impl Engine {
    fn new(collation: Collation) -> Engine {
        let counts = Counts { case: !collation.has(IGNORE_CASE), accents: !collation.has(IGNORE_ACCENT) };
        let locale = collation.locale();
        let collator = collator(locale, counts);
        let letters = self::collator(locale, Counts { case: false, accents: false });
        let is_two = |one: &str, two: &str| letters.compare(one, two) == Ordering::Equal;
        let expands = Expands {
            ae: is_two("æ", "ae"),
            oe: is_two("œ", "oe"),
            // Of the locales only Iceland's has the letter itself.
            th: locale != "is",
        };
        let folds = (b'a'..=b'z').all(|letter| {
            let lower = char::from(letter);
            is_two(&lower.to_string(), &lower.to_ascii_uppercase().to_string())
        });
        let mut engine = Engine { collator, expands, ascii: None, folds };
        engine.ascii = Ascii::new(counts, &|text| engine.plain_key(text));
        engine
    }

    fn plain_key(&self, text: &str) -> Vec<u8> {
        let mut key = Vec::new();
        self.write_key(text, &mut key);
        key
    }

    fn write_key(&self, text: &str, out: &mut Vec<u8>) {
        let Ok(()) = self.collator.write_sort_key_to(text, out);
    }

    /// Whether ICU4X orders the text as it is.
    fn takes(&self, text: &str) -> bool {
        !text.chars().any(|c| extra::mark(c).is_some() || self.two_letters(c).is_some())
    }

    /// The text as ICU4X orders it.
    fn prepared<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.takes(text) {
            return Cow::Borrowed(text);
        }
        let mut prepared = String::with_capacity(text.len() + 8);
        for c in text.chars().filter(|c| extra::mark(*c).is_none()) {
            match self.two_letters(c) {
                Some(two) => prepared.push_str(two),
                None => prepared.push(c),
            }
        }
        Cow::Owned(prepared)
    }

    /// What a letter is written as that counts as two, with the accents that it has.
    fn two_letters(&self, c: char) -> Option<&'static str> {
        // Hot: no letter of ASCII is one.
        if c < 'Æ' {
            return None;
        }
        let (is_on, two) = match c {
            'ß' => (true, "ss"),
            'ẞ' => (true, "SS"),
            'æ' => (self.expands.ae, "ae"),
            'Æ' => (self.expands.ae, "AE"),
            'ǽ' => (self.expands.ae, "ae\u{301}"),
            'Ǽ' => (self.expands.ae, "AE\u{301}"),
            'ǣ' => (self.expands.ae, "ae\u{304}"),
            'Ǣ' => (self.expands.ae, "AE\u{304}"),
            'œ' => (self.expands.oe, "oe"),
            'Œ' => (self.expands.oe, "OE"),
            'þ' => (self.expands.th, "th"),
            'Þ' => (self.expands.th, "TH"),
            _ => return None,
        };
        is_on.then_some(two)
    }
}

/// Compares two texts without blanks at their ends.
pub(super) fn compare(a: &str, b: &str, collation: Collation) -> Ordering {
    let engine = engine(collation);
    if let Some(ascii) = &engine.ascii
        && a.is_ascii()
        && b.is_ascii()
    {
        return ascii.compare(a.as_bytes(), b.as_bytes());
    }
    if a == b {
        return Ordering::Equal;
    }
    if !extra::has_levels(collation) && engine.takes(a) && engine.takes(b) {
        return engine.collator.compare(a, b);
    }
    let key = |text| {
        let mut key = Vec::with_capacity(128);
        write_key(text, collation, engine, &mut key);
        key
    };
    key(a).cmp(&key(b))
}

/// Whether two texts without blanks at their ends are equal.
pub(super) fn equal(a: &str, b: &str, collation: Collation) -> bool {
    if let Some(ascii) = &engine(collation).ascii
        && a.is_ascii()
        && b.is_ascii()
    {
        return ascii.equal(a, b);
    }
    compare(a, b, collation) == Ordering::Equal
}

/// Appends the key of a text without blanks at its end.
pub(super) fn sort_key(text: &str, collation: Collation, out: &mut Vec<u8>) {
    let engine = engine(collation);
    match &engine.ascii {
        Some(ascii) if text.is_ascii() => {
            let has_marks = ascii.write_key(text.as_bytes(), out);
            if extra::has_levels(collation) {
                extra::write_empty(collation, out);
            }
            if has_marks {
                ascii.write_marks(text.as_bytes(), out);
            }
            out.push(END);
        }
        _ => write_key(text, collation, engine, out),
    }
}

fn write_key(text: &str, collation: Collation, engine: &Engine, out: &mut Vec<u8>) {
    engine.write_key(&engine.prepared(text), out);
    extra::write(text, collation, out);
    extra::write_marks(text, &|segment| engine.letters_len(segment), out);
    out.push(END);
}

impl Engine {
    /// Bytes that the letters of a text take in its key: the same for texts that are canonically equivalent.
    fn letters_len(&self, text: &str) -> usize {
        let key = self.plain_key(&self.prepared(text));
        key.iter().position(|byte| *byte == extra::LEVEL).unwrap_or(key.len())
    }
}

/// How two characters compare, blanks as any other.
pub(super) fn compare_chars(a: char, b: char, collation: Collation) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    compare(a.encode_utf8(&mut [0; 4]), b.encode_utf8(&mut [0; 4]), collation)
}

/// Whether two characters are equal.
pub(super) fn same_char(a: char, b: char, collation: Collation) -> bool {
    if a.is_ascii() && b.is_ascii() && folds_ascii(collation) {
        return a == b || collation.has(IGNORE_CASE) && a.eq_ignore_ascii_case(&b);
    }
    compare_chars(a, b, collation) == Ordering::Equal
}

/// Whether ASCII letters equal their other case and nothing else, as far as case does not count.
pub(super) fn folds_ascii(collation: Collation) -> bool {
    engine(collation).folds
}

/// ICU4X for a locale. The data is compiled in, so that nothing is missing.
fn collator(locale: &str, counts: Counts) -> CollatorBorrowed<'static> {
    let mut options = CollatorOptions::default();
    options.strength = Some(if counts.accents { Strength::Secondary } else { Strength::Primary });
    options.case_level = Some(if counts.case { CaseLevel::On } else { CaseLevel::Off });
    options.alternate_handling = Some(AlternateHandling::NonIgnorable);
    let locale: Locale = locale.parse().expect("a locale of the list");
    let mut preferences = CollatorPreferences::from(&locale);
    preferences.case_first = Some(CollationCaseFirst::False);
    let collator = Collator::try_new_unstable(&InOrder, preferences, options).expect("compiled data has each locale");
    // It lives as long as its place in ENGINES.
    Box::leak(Box::new(collator)).as_borrowed()
}

/// The compiled data without the order of scripts that some locales have.
struct InOrder;

/// ICU4X's flag of that order.
const REORDERING: u32 = 1 << 5;

impl DataProvider<CollationMetadataV1> for InOrder {
    fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<CollationMetadataV1>, DataError> {
        let response: DataResponse<CollationMetadataV1> = Baked.load(request)?;
        let bits = response.payload.get().bits & !REORDERING;
        Ok(DataResponse { payload: DataPayload::from_owned(CollationMetadata { bits }), ..response })
    }
}

macro_rules! as_compiled {
    ($($of:ident $marker:ty),*) => {$(
        impl DataProvider<$marker> for InOrder {
            fn load(&self, request: DataRequest<'_>) -> Result<DataResponse<$marker>, DataError> {
                $of.load(request)
            }
        }
    )*};
}
as_compiled!(
    Baked CollationSpecialPrimariesV1, Baked CollationRootV1, Baked CollationTailoringV1, Baked CollationDiacriticsV1,
    Baked CollationJamoV1, Baked CollationReorderingV1, Normal NormalizerNfdDataV1, Normal NormalizerNfdTablesV1
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collation::{SORT_KEYS, equal as equal_texts, sort_key as key_of};

    fn of(name: &str) -> Collation {
        Collation::by_name(name).expect("a collation")
    }

    fn key(text: &str, collation: Collation) -> Vec<u8> {
        let mut key = Vec::new();
        key_of(text, collation, &mut key);
        key
    }

    /// Orders of CLDR's charts, and what Windows has otherwise.
    #[test]
    fn locales_have_their_order() {
        for (name, rising) in [
            ("Latin1_General_CI_AS", &["a", "ä", "ad", "b", "z", "α", "ж", "あ", "日"][..]),
            ("Latin1_General_CI_AS", &["cote", "coté", "côte", "côté"]),
            ("French_CI_AS", &["cote", "côte", "coté", "côté"]),
            ("Latin1_General_CS_AS", &["a", "A", "á", "Á", "b"]),
            ("Latin1_General_CI_AS", &["coop", "co-op", "coos", "cop", "it", "it's", "its a"]),
            ("German_PhoneBook_CI_AS", &["ad", "ä", "af", "od", "ö", "of"]),
            ("Traditional_Spanish_CI_AS", &["cz", "ch", "d", "lz", "ll", "m", "nz", "ñ", "o"]),
            ("Modern_Spanish_CI_AS", &["ch", "cz", "d", "ll", "lz", "nz", "ñ", "o"]),
            ("Danish_Norwegian_CI_AS", &["z", "æ", "ø", "å"]),
            ("Danish_Norwegian_CS_AS", &["a", "A", "b", "zz", "aa"]),
            ("Finnish_Swedish_CI_AS", &["z", "å", "ä", "ö"]),
            ("Icelandic_CI_AS", &["a", "á", "b", "z", "þ", "æ", "ö"]),
            ("Czech_CI_AS", &["cz", "č", "d", "hz", "ch", "i"]),
            ("Hungarian_CI_AS", &["cz", "cs", "d", "zz", "zs"]),
            ("Hungarian_Technical_CI_AS", &["cs", "cz", "d"]),
            ("Croatian_CI_AS", &["lz", "lj", "m", "nz", "nj", "o"]),
            ("Estonian_CI_AS", &["s", "š", "z", "ž", "t"]),
            ("Polish_CI_AS", &["az", "ą", "b", "lz", "ł", "m"]),
            ("Turkish_CI_AS", &["h", "ı", "i", "j"]),
            ("Vietnamese_CI_AS", &["a", "à", "ả", "ã", "á", "ạ", "ă", "â", "b"]),
            ("Cyrillic_General_CI_AS", &["z", "а", "е", "ж", "я"]),
            ("Ukrainian_CI_AS", &["z", "г", "ґ", "д"]),
            ("Greek_CI_AS", &["z", "α", "ά", "β", "ω"]),
            ("Chinese_PRC_CI_AS", &["z", "啊", "八", "中"]),
            ("Chinese_PRC_Stroke_CI_AS", &["z", "一", "八", "中"]),
            ("Japanese_XJIS_100_CI_AS", &["z", "あ", "い", "が", "き"]),
            ("Korean_Wansung_CI_AS", &["z", "가", "나", "하"]),
            ("Thai_CI_AS", &["z", "ก", "เก", "ข"]),
        ] {
            for pair in rising.windows(2) {
                let order = crate::collation::compare(pair[0], pair[1], of(name));
                assert_eq!(order, Ordering::Less, "{name} {pair:?}");
            }
        }
    }

    #[test]
    fn what_does_not_count_is_equal() {
        for (name, a, b, expected) in [
            ("Latin1_General_CI_AS", "Straße", "STRASSE ", true),
            ("Latin1_General_CI_AS", "Ægir œuvre þing", "aegir oeuvre thing", true),
            ("Danish_Norwegian_CI_AS", "æ", "ae", false),
            ("Icelandic_CI_AS", "þ", "th", false),
            ("Latin1_General_CI_AS", "e\u{301}", "é", true),
            ("Latin1_General_CI_AS", "\u{1C4}", "dž", true),
            ("Latin1_General_CI_AS", "ǽ", "æ\u{301}", true),
            ("Latin1_General_CI_AS", "ａｂ", "AB", true),
            ("Latin1_General_CI_AS_WS", "ａｂ", "AB", false),
            ("Latin1_General_CI_AS_WS", "ab", "AB", true),
            ("Latin1_General_CI_AS", "カｶ", "かか", true),
            ("Japanese_CI_AS_KS", "カ", "か", false),
            ("Japanese_CI_AS_KS", "ガ", "カ\u{3099}", true),
            ("Japanese_CI_AS_KS", "カ", "ｶ", true),
            ("Japanese_XJIS_140_CI_AS", "葛\u{E0100}", "葛", true),
            ("Japanese_XJIS_140_CI_AS_VSS", "葛\u{E0100}", "葛", false),
            ("Latin1_General_CI_AI", "naïve", "NAIVE", true),
            ("Latin1_General_CS_AI", "naïve", "naive", true),
            ("Latin1_General_CS_AI", "naïve", "Naive", false),
            ("Turkish_CI_AS", "i", "I", false),
            ("Turkish_CI_AS", "iı", "İI", true),
            ("Latin1_General_CI_AS", "a\u{1}b", "ab", true),
            ("Latin1_General_CI_AS", "co-op", "coop", false),
            ("Latin1_General_CI_AS", "co-op", "coo-p", false),
        ] {
            assert_eq!(equal_texts(a, b, of(name)), expected, "{name} {a:?} {b:?}");
        }
    }

    /// The proof of [`super::super::ascii`]: all pairs, by the rules of the root.
    #[test]
    fn ascii_has_the_keys_of_icu() {
        for name in ["Latin1_General_CI_AS", "Latin1_General_CS_AS", "Latin1_General_CI_AI", "Latin1_General_CS_AI"] {
            let collation = of(name);
            for pair in (0..128u8).flat_map(|a| (0..128u8).map(move |b| [char::from(a), char::from(b)])) {
                same_keys(&String::from_iter(pair), collation);
            }
        }
    }

    /// A key made by the road of ASCII, if there is one, is that of the other road.
    fn same_keys(text: &str, collation: Collation) {
        let text = text.trim_end_matches(' ');
        let mut expected = Vec::new();
        write_key(text, collation, engine(collation), &mut expected);
        assert_eq!(key(text, collation), expected, "{text:?} by {collation:?}");
    }

    /// One collation of each locale.
    fn locales() -> Vec<Collation> {
        let mut seen = std::collections::HashSet::new();
        let first = |collation: &&Collation| {
            collation.is_of_locale() && collation.older().is_none() && seen.insert(collation.locale())
        };
        Collation::all().iter().filter(first).copied().collect()
    }

    #[test]
    fn locales_without_rules_for_ascii_take_its_road() {
        let slow: Vec<&str> =
            locales().into_iter().filter(|one| engine(*one).ascii.is_none()).map(Collation::locale).collect();
        assert!(["cs", "da", "es-u-co-trad", "hu", "tr"].iter().all(|locale| slow.contains(locale)), "{slow:?}");
        assert!(!["und", "ru", "fr-CA", "pl", "zh-u-co-pinyin", "ja"].iter().any(|locale| slow.contains(locale)));
    }

    /// Keys that are stored are of the version that is stored beside them: when this fails after ICU4X has changed,
    /// SORT_KEYS grows.
    #[test]
    fn keys_are_those_of_their_version() {
        let texts = [
            "",
            "a",
            "Az-9 'x'",
            "ñandú",
            "Ængström",
            "straße",
            "chleba",
            "őz",
            "ﬁ²",
            "Ωμέγα",
            "ёлка",
            "ґ",
            "אב",
            "سلام",
            "हिन्दी",
            "ไทย",
            "ｶﾞガが",
            "日本語",
            "中文",
            "한국",
            "e\u{301}\u{323}",
            "😀",
            "\u{FDFA}",
            "۱۲٣",
            "ạ̈",
            "$€±",
        ];
        let mut sum = 0xcbf2_9ce4_8422_2325_u64;
        for collation in locales() {
            for byte in texts.iter().flat_map(|text| key(text, collation)) {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!((SORT_KEYS, sum), (1, PINNED));
    }

    const PINNED: u64 = 4_325_134_610_121_010_798;

    proptest! {
        #[test]
        fn any_ascii_has_the_keys_of_icu(text in "[ -~\t\u{1}]{0,60}", at in 0..100usize) {
            let all = locales();
            same_keys(&text, all[at % all.len()]);
        }

        #[test]
        fn roads_meet(a in "[abchsz' -æßé日\t]{0,6}", b in "[abchsz' -æßé日\t]{0,6}", at in 0..100usize) {
            let all = locales();
            let collation = all[at % all.len()];
            let by_key = key(&a, collation).cmp(&key(&b, collation));
            prop_assert_eq!(crate::collation::compare(&a, &b, collation), by_key, "{:?}", collation);
            prop_assert_eq!(equal_texts(&a, &b, collation), by_key == Ordering::Equal);
        }

        #[test]
        fn canonically_equivalent_texts_are_equal(text in "[a-cé'ǽが각ạ̈ -]{0,8}") {
            let decomposed: String =
                icu_normalizer::DecomposingNormalizerBorrowed::new_nfd().normalize_iter(text.chars()).collect();
            for collation in [of("Latin1_General_CS_AS_KS_WS"), of("Japanese_XJIS_140_CI_AS_KS_WS_VSS")] {
                prop_assert_eq!(key(&text, collation), key(&decomposed, collation));
            }
        }
    }
}
