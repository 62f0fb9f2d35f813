//! Texts as a terminal has room for them: how wide they are, cut, wrapped, and without what a terminal would obey.
//!
//! What always holds: a cleaned text has no control character and no sign that turns the direction of what follows, so that no value
//! can move the cursor, colour the screen or change the order of its neighbours; what is cut or wrapped is never wider than asked for.

use millpond_top::harmless::turns_direction;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Ends what was cut.
pub const MARK: &str = "…";
/// Stands for what cannot be shown.
const REPLACED: char = '\u{fffd}';
/// What a combining sign stands on that has nothing before it.
const DOTTED_CIRCLE: char = '\u{25cc}';

/// Columns of a terminal that a cleaned text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// In one line: control characters as their pictures (`␊`, `␉`), signs of direction replaced.
pub fn clean(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + DOTTED_CIRCLE.len_utf8());
    for sign in text.chars() {
        if out.is_empty() && is_combining(sign) {
            out.push(DOTTED_CIRCLE);
        }
        out.push(shown(sign));
    }
    out
}

fn is_combining(sign: char) -> bool {
    !sign.is_control() && unicode_width::UnicodeWidthChar::width(sign) == Some(0)
}

fn shown(sign: char) -> char {
    match sign {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(sign)).unwrap_or(REPLACED),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => REPLACED,
        sign if turns_direction(sign) => REPLACED,
        other => other,
    }
}

/// At most `columns` wide; what is longer ends with [`MARK`].
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(left) = columns.checked_sub(1) else { return String::new() };
    format!("{}{MARK}", beginning(text, left).0)
}

/// The longest beginning of at most `columns`, and its width.
fn beginning(text: &str, columns: usize) -> (&str, usize) {
    let mut used = 0;
    for (at, sign) in text.grapheme_indices(true) {
        let next = used + UnicodeWidthStr::width(sign);
        if next > columns {
            return (&text[..at], used);
        }
        used = next;
    }
    (text, used)
}

/// In lines of at most `columns` (2 at least: what is one sign wide may take so much), broken at blanks where there are some.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let (fits, _) = beginning(rest, columns);
        if fits.len() == rest.len() {
            lines.push(rest.to_owned());
            return lines;
        }
        let blank = fits.rfind(' ').filter(|at| !fits[..*at].trim().is_empty());
        let (line, next) = match blank {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (fits, &rest[fits.len()..]),
        };
        // A sign that is wider than a line is one of its own.
        let (line, next) = match line.is_empty() {
            true => rest.split_at(rest.graphemes(true).next().map_or(rest.len(), str::len)),
            false => (line, next),
        };
        lines.push(line.to_owned());
        rest = next;
    }
}

/// Blanks that make a text `columns` wide.
pub fn blanks(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(clean("a\x1b[31m\r\n\tb\x7f"), "a␛[31m␍␊␉b␡");
        assert_eq!(clean("a\u{202e}b\u{9b}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(clean("\u{301}x"), "\u{25cc}\u{301}x");
        assert_eq!(clean("plain ~"), "plain ~");
    }

    #[test]
    fn widths_are_those_of_terminals() {
        assert_eq!([width("abc"), width("漢字"), width("e\u{301}"), width("אב"), width("")], [3, 4, 1, 2, 0]);
    }

    #[test]
    fn what_is_cut_has_a_mark() {
        assert_eq!([cut("abcdef", 6), cut("abcdef", 4), cut("漢字漢", 4), cut("ab", 0)], ["abcdef", "abc…", "漢…", ""]);
    }

    #[test]
    fn lines_break_at_blanks_or_anywhere() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("  漢字", 3), ["  ", "漢", "字"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_asked_for(text in ".*", columns in 0..40_usize) {
            let text = clean(&text);
            prop_assert!(width(&cut(&text, columns)) <= columns);
            for line in wrapped(&text, columns) {
                prop_assert!(width(&line) <= columns.max(2), "{line:?}");
            }
            prop_assert!(!text.chars().any(char::is_control));
        }
    }
}
