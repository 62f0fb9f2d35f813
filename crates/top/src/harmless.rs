//! Texts that come from a server, made harmless for a terminal, and cut to a width.
//!
//! What always holds: what comes out has no control character (so no escape sequence and no line end), nothing that turns the
//! direction of writing, and nothing without a width that would stick to its neighbour.

use ratatui::text::Span;

/// Stands for what must not reach a terminal.
const INSTEAD: char = '\u{b7}';

/// The text without what could move the cursor, change colours or turn the direction; line ends and tabs are blanks, one for
/// several and for blanks beside them.
pub fn harmless(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut is_broken = false;
    for sign in text.chars() {
        if sign == ' ' && !is_broken {
            clean.push(' ');
        } else if sign.is_whitespace() {
            is_broken = true;
            if !clean.ends_with(' ') {
                clean.push(' ');
            }
        } else {
            is_broken = false;
            clean.push(if is_harmful(sign) { INSTEAD } else { sign });
        }
    }
    clean
}

/// Whether a terminal must not be given it.
pub fn is_harmful(sign: char) -> bool {
    sign.is_control()
        || turns_direction(sign)
        || matches!(sign,
            // What is not seen: soft hyphen, joiners, word joiners, byte order mark, tags, selectors, combining signs.
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' | '\u{fe00}'..='\u{fe0f}' | '\u{300}'..='\u{36f}'
            | '\u{2028}' | '\u{2029}')
}

/// Whether a sign ends its line, moves the cursor, or turns the direction of what follows.
pub fn leaves_its_place(sign: char) -> bool {
    sign.is_control() || turns_direction(sign) || matches!(sign, '\u{2028}' | '\u{2029}')
}

/// Whether a sign changes the direction in which its neighbours are written: marks of direction, embeddings, overrides and isolates.
pub fn turns_direction(sign: char) -> bool {
    matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Columns of a terminal that a text takes.
pub fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The text cut to so many columns; where it was cut, `…` is its last sign.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 0;
    for sign in text.chars() {
        let more = width(sign.encode_utf8(&mut [0; 4]));
        if used + more + 1 > columns {
            break;
        }
        used += more;
        short.push(sign);
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_directions_are_replaced() {
        assert_eq!(harmless("a\x1b[31mb\u{9b}2J\u{7}"), "a·[31mb·2J·");
        assert_eq!(harmless("\u{202e}drop\u{202c} \u{2067}x\u{2069}\u{200f}"), "·drop· ·x··");
        assert_eq!(harmless("select 1\r\n\t  from x"), "select 1 from x");
        assert_eq!(harmless("  a   b"), "  a   b");
        assert_eq!(harmless("O'Neil \"quoted\" 池塘 ברווז"), "O'Neil \"quoted\" 池塘 ברווז");
        assert_eq!(harmless("e\u{301}\u{200b}\0"), "e···");
    }

    #[test]
    fn cutting_counts_columns() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("池塘池塘", 5), "池塘…");
        assert_eq!(cut("池塘池塘", 4), "池…");
        assert_eq!((cut("abc", 0), cut("abc", 1)), (String::new(), "…".to_owned()));
    }
}
