//! Sort keys: bytes whose order is the texts' order. Those by the rules of a locale are [`super::locale`]'s; of the others:
//!
//! ```text
//! primary level    one token per run of blanks and character after it, then END
//!   0x01 k w       k blanks (one byte, or FF and 4 bytes, rising) and a character w below the blank
//!   0x02           END: blanks without end
//!   0x03 !k w      k > 12 blanks (4 bytes, falling) and a character w above the blank
//!   0x10-k w       the same for 1 <= k <= 12
//!   w              no blanks and a character above the blank
//! accent level     accents without the PLAIN ones at the end, then 0
//! case level       (case-sensitive only) cases without the UPPER ones at the end, then 0
//! ```
//!
//! The order of the tokens' first bytes is the order of what they stand for when the shorter text is padded with
//! blanks: fewer blanks before a low character are lower, more blanks before a high character are lower. A weight w is
//! one byte, or 0xFF and three bytes. No key begins with another, so keys of several columns may follow each other.

use super::kind::{Collation, Order};
use super::locale;
use super::weight::{ASCII_PRIMARY, BLANK, BLANK_BYTE, PLAIN, Rules, UPPER, Weight};
use crate::text::trim_end_blanks;

const LOW_AFTER_BLANKS: u8 = 0x01;
const END: u8 = 0x02;
const HIGH_AFTER_MANY: u8 = 0x03;
const HIGH_AFTER_NONE: u8 = 0x10;
const FEW_BLANKS_MAX: u32 = 12;
/// A count of blanks in four bytes follows.
const COUNT_IS_LONG: u8 = 0xFF;
const WIDE: u8 = 0xFF;

/// Appends bytes whose order is the texts' order; no key is a prefix of another, so keys may be concatenated.
pub fn sort_key(text: &str, collation: Collation, out: &mut Vec<u8>) {
    let text = trim_end_blanks(text);
    out.reserve(text.len() + 4);
    match collation.order() {
        Order::Weights if text.is_ascii() => ascii_levels(text.as_bytes(), Rules::of(collation), out),
        Order::Weights => levels(text, Rules::of(collation), out),
        Order::Locale => locale::sort_key(text, collation, out),
        Order::CodePoints => code_points(text, out),
    }
}

/// Appends the bytes with which the sort key of each text begins that begins with `beginning`, character by character; `false`,
/// and nothing, where keys say nothing of that: letters of a locale may count together, and blanks at the end do not count.
pub fn begin_sort_key(beginning: &str, collation: Collation, out: &mut Vec<u8>) -> bool {
    let beginning = trim_end_blanks(beginning);
    match collation.order() {
        Order::Locale => return false,
        _ if beginning.is_empty() => return false,
        Order::Weights if beginning.is_ascii() => ascii_words(beginning.as_bytes(), out),
        Order::Weights => words(beginning, out),
        Order::CodePoints => code_point_words(beginning, out),
    }
    true
}

/// Most bytes of the sort key of a text of `units` UTF-16 units; `is_wide` when it may have characters outside code
/// page 1252.
#[must_use]
pub fn sort_key_len_max(units: usize, is_wide: bool, collation: Collation) -> usize {
    // A control character takes 3 bytes (0x01, no blanks, itself), any other of the code page fewer, a wide one 4. The
    // widest character of UTF-8 per unit has 3. Runs of blanks are shorter than as many control characters.
    let primary = if is_wide { 4 * units } else { 3 * units };
    match collation.order() {
        Order::CodePoints => 3 * units + 1,
        // A ligature may be eighteen letters of four bytes, and each of them has its place on four levels.
        Order::Locale => 96 * units + 8,
        Order::Weights if collation.is_case_sensitive() => primary + 2 * units + 3,
        Order::Weights => primary + units + 2,
    }
}

fn levels(text: &str, rules: Rules, out: &mut Vec<u8>) {
    words(text, out);
    out.push(END);
    put_level(text.chars().map(|c| rules.weigh(c).accent), PLAIN, out);
    if rules.case() {
        put_level(text.chars().map(|c| Weight::of(c).case), UPPER, out);
    }
}

/// The primary level without its end.
fn words(text: &str, out: &mut Vec<u8>) {
    let mut blanks = 0;
    for c in text.chars() {
        let weight = Weight::of(c);
        if weight.primary == BLANK {
            blanks += 1;
            continue;
        }
        put_blanks(&mut blanks, weight.primary < BLANK, out);
        put_weight(weight.primary, out);
    }
}

fn ascii_levels(text: &[u8], rules: Rules, out: &mut Vec<u8>) {
    let primary = |byte: &u8| ASCII_PRIMARY[usize::from(*byte)];
    // Hot: a word, without blanks and control characters, is the weights of its characters.
    if text.iter().all(|byte| primary(byte) > BLANK_BYTE) {
        out.extend(text.iter().map(primary));
    } else {
        ascii_words(text, out);
    }
    // No accents, so that level is its end alone.
    out.extend([END, 0]);
    if rules.case() {
        put_level(text.iter().map(|&byte| Weight::of_ascii(byte).case), UPPER, out);
    }
}

/// The primary level of words with blanks between them.
fn ascii_words(text: &[u8], out: &mut Vec<u8>) {
    let mut blanks = 0;
    for &byte in text {
        let primary = ASCII_PRIMARY[usize::from(byte)];
        if primary == BLANK_BYTE {
            blanks += 1;
            continue;
        }
        let is_low = primary < BLANK_BYTE;
        // Most characters follow another one.
        if blanks > 0 || is_low {
            put_blanks(&mut blanks, is_low, out);
        }
        out.push(primary);
    }
}

/// Code points as UTF-8, whose bytes order alike and are above all marks but those of control characters.
fn code_points(text: &str, out: &mut Vec<u8>) {
    code_point_words(text, out);
    out.push(END);
}

fn code_point_words(text: &str, out: &mut Vec<u8>) {
    let mut blanks = 0;
    for byte in text.bytes() {
        if byte == b' ' {
            blanks += 1;
            continue;
        }
        put_blanks(&mut blanks, byte < b' ', out);
        out.push(byte);
    }
}

/// What stands before a character's weight.
fn put_blanks(blanks: &mut u32, low: bool, out: &mut Vec<u8>) {
    match (low, *blanks) {
        (false, 0) => {}
        (false, count @ 1..=FEW_BLANKS_MAX) => out.push(HIGH_AFTER_NONE - count as u8),
        (false, count) => {
            out.push(HIGH_AFTER_MANY);
            out.extend((!count).to_be_bytes());
        }
        (true, count) => {
            out.push(LOW_AFTER_BLANKS);
            match u8::try_from(count) {
                Ok(few) if few < COUNT_IS_LONG => out.push(few),
                _ => {
                    out.push(COUNT_IS_LONG);
                    out.extend(count.to_be_bytes());
                }
            }
        }
    }
    *blanks = 0;
}

fn put_weight(primary: u32, out: &mut Vec<u8>) {
    match u8::try_from(primary) {
        Ok(byte) => out.push(byte),
        // 0x100 + a code point fits three bytes.
        Err(_) => {
            let [_, high, middle, low] = primary.to_be_bytes();
            out.extend([WIDE, high, middle, low]);
        }
    }
}

/// A level of one byte per character; `least` is its smallest byte and left out at the end.
fn put_level(weights: impl Iterator<Item = u8>, least: u8, out: &mut Vec<u8>) {
    let start = out.len();
    let mut end = start;
    for weight in weights {
        out.push(weight);
        if weight != least {
            end = out.len();
        }
    }
    out.truncate(end);
    out.push(0);
}
