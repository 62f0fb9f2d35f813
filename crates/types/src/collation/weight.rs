//! The weights of characters: sort order 52 of code page 1252, continued by code points.
//!
//! ```text
//! primary  0x10..=0x50  control characters
//!          0x51         blank
//!          0x52..       ASCII punctuation, no-break space, other signs of the code page
//!          then         digits, letters a..z, thorn          -- all below 0xFF
//!          0x100 + c    every other character, folded to lower case
//! ```
//!
//! An accented letter has its letter's primary weight and an accent of its own.

use super::kind::{Collation, IGNORE_ACCENT, IGNORE_CASE, Order};

/// What a character counts on each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) primary: u32,
    /// [`PLAIN`] or more.
    pub(super) accent: u8,
    /// [`UPPER`] or [`LOWER`].
    pub(super) case: u8,
}

/// What counts beside letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules(Collation);

impl Rules {
    /// Those of a collation that compares by weights.
    #[inline]
    pub(super) fn of(collation: Collation) -> Self {
        debug_assert_eq!(collation.order(), Order::Weights);
        Self(collation)
    }

    /// Whether case counts.
    #[inline]
    pub(super) fn case(self) -> bool {
        !self.0.has(IGNORE_CASE)
    }

    /// What a character counts.
    pub(super) fn weigh(self, c: char) -> Weight {
        let weight = Weight::of(c);
        if self.0.has(IGNORE_ACCENT) { weight.without_accent(c) } else { weight }
    }
}

/// The accent of a character without one.
pub(super) const PLAIN: u8 = 1;
/// The case of upper-case letters and of everything without case: sorts first.
pub(super) const UPPER: u8 = 1;
/// The case of lower-case letters.
pub(super) const LOWER: u8 = 2;

/// First primary weight; the bytes below it structure sort keys.
const CONTROLS: u8 = 0x10;
const DELETE: u8 = CONTROLS + 0x20;
/// The control characters U+0080..=U+009F.
const HIGH_CONTROLS: u8 = DELETE + 1;
/// The primary weight of a blank.
pub(super) const BLANK: u32 = BLANK_BYTE as u32;
pub(super) const BLANK_BYTE: u8 = HIGH_CONTROLS + 0x20;
const PUNCTUATION: u8 = BLANK_BYTE + 1;
const NO_BREAK_SPACE: u8 = PUNCTUATION + ASCII_SIGNS.len() as u8;
const SIGNS: u8 = NO_BREAK_SPACE + 1;
const DIGITS: u8 = SIGNS + HIGH_SIGNS.len() as u8;
const LETTERS: u8 = DIGITS + 10;
const THORN: u8 = LETTERS + 26;
/// Primary weights of characters outside the code page begin here.
const OTHERS: u32 = 0x100;

// One byte per weight inside the code page, and 0xFF is free to introduce the others.
const _: () = assert!((THORN as u32) < 0xFF);

const ASCII_SIGNS: &[u8; 32] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

const HIGH_SIGNS: [char; 52] = [
    '‚', '„', '…', '†', '‡', 'ˆ', '‰', '‹', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', '›', '¡', '¢', '£', '¤', '¥',
    '¦', '§', '¨', '©', 'ª', '«', '¬', '\u{AD}', '®', '¯', '°', '±', '²', '³', '´', 'µ', '¶', '·', '¸', '¹', 'º', '»',
    '¼', '½', '¾', '¿', '×', '÷', '€',
];

/// Lower-case letters that count as a plain letter with an accent, in the order of their accents.
const ACCENTED: [(u8, &[char]); 12] = [
    (b'a', &['à', 'á', 'â', 'ã', 'ä', 'å', 'æ']),
    (b'c', &['ç']),
    (b'd', &['ð']),
    (b'e', &['è', 'é', 'ê', 'ë']),
    (b'f', &['ƒ']),
    (b'i', &['ì', 'í', 'î', 'ï']),
    (b'n', &['ñ']),
    (b'o', &['ò', 'ó', 'ô', 'õ', 'ö', 'ø', 'œ']),
    (b's', &['š', 'ß']),
    (b'u', &['ù', 'ú', 'û', 'ü']),
    (b'y', &['ý', 'ÿ']),
    (b'z', &['ž']),
];

/// Those of [`ACCENTED`] that are no letter with an accent.
const OWN_LETTERS: [char; 6] = ['æ', 'ð', 'ƒ', 'ø', 'œ', 'ß'];

/// Primary weights of ASCII. Two bytes share one only if they are one letter in two cases.
pub(super) const ASCII_PRIMARY: [u8; 128] = {
    let mut table = [0u8; 128];
    let mut i = 0;
    while i < 0x20 {
        table[i] = CONTROLS + i as u8;
        i += 1;
    }
    table[0x7F] = DELETE;
    table[b' ' as usize] = BLANK_BYTE;
    i = 0;
    while i < ASCII_SIGNS.len() {
        table[ASCII_SIGNS[i] as usize] = PUNCTUATION + i as u8;
        i += 1;
    }
    i = 0;
    while i < 10 {
        table[b'0' as usize + i] = DIGITS + i as u8;
        i += 1;
    }
    i = 0;
    while i < 26 {
        table[b'a' as usize + i] = LETTERS + i as u8;
        table[b'A' as usize + i] = LETTERS + i as u8;
        i += 1;
    }
    table
};

impl Weight {
    pub(super) fn of(c: char) -> Self {
        if let Ok(byte) = u8::try_from(c)
            && byte.is_ascii()
        {
            return Self::of_ascii(byte);
        }
        let folded = fold(c);
        let case = if folded == c && c.is_lowercase() { LOWER } else { UPPER };
        let (primary, accent) = beyond_ascii(folded);
        Self { primary, accent, case }
    }

    /// The weight where accents do not count; letters of their own stay what they are.
    pub(super) fn without_accent(self, c: char) -> Self {
        if self.accent == u8::MAX || OWN_LETTERS.contains(&fold(c)) { self } else { Self { accent: PLAIN, ..self } }
    }

    pub(super) fn of_ascii(byte: u8) -> Self {
        let case = if byte.is_ascii_lowercase() { LOWER } else { UPPER };
        Self { primary: u32::from(ASCII_PRIMARY[usize::from(byte & 0x7F)]), accent: PLAIN, case }
    }
}

/// The lower-case letter, where that is one other character.
fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(folded), None) => folded,
        _ => c,
    }
}

/// Primary weight and accent of a folded character.
fn beyond_ascii(c: char) -> (u32, u8) {
    if c.is_ascii() {
        // Folding led back, as of the Kelvin sign: a letter of its own, with an accent that no other letter has.
        return (u32::from(ASCII_PRIMARY[c as usize]), u8::MAX);
    }
    if ('\u{80}'..='\u{9F}').contains(&c) {
        return (u32::from(HIGH_CONTROLS + (c as u32 - 0x80) as u8), PLAIN);
    }
    if c == '\u{A0}' {
        return (u32::from(NO_BREAK_SPACE), PLAIN);
    }
    if c == 'þ' {
        return (u32::from(THORN), PLAIN);
    }
    if let Some(i) = HIGH_SIGNS.iter().position(|&sign| sign == c) {
        return (u32::from(SIGNS + i as u8), PLAIN);
    }
    accented(c).unwrap_or((OTHERS + c as u32, PLAIN))
}

fn accented(c: char) -> Option<(u32, u8)> {
    ACCENTED.iter().find_map(|(letter, variants)| {
        let i = variants.iter().position(|&variant| variant == c)?;
        Some((u32::from(ASCII_PRIMARY[usize::from(*letter)]), PLAIN + 1 + i as u8))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::cp1252_char;

    #[test]
    fn every_character_of_the_code_page_has_a_weight_of_one_byte() {
        for byte in 0..=255 {
            let weight = Weight::of(cp1252_char(byte));
            assert!((0x10..0xFF).contains(&weight.primary), "{byte:#x} {weight:?}");
        }
    }

    #[test]
    fn characters_differ_in_letter_accent_or_case() {
        let mut seen = std::collections::HashMap::new();
        for byte in 0..=255 {
            let c = cp1252_char(byte);
            let weight = Weight::of(c);
            let other = seen.insert((weight.primary, weight.accent, weight.case), c);
            assert_eq!(other, None, "{c:?}");
        }
    }
}
