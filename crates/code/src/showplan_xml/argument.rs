//! The texts of operators, taken apart: `OBJECT:(…), SEEK:(…),  WHERE:(…) ORDERED FORWARD` into its parts, lists into their
//! items, names into theirs.
//!
//! What always holds: a bracket, a quote or a parenthesis inside of a name or of a string divides nothing, and neither does what
//! stands between CASE and END; a text that is not of such a form comes back as one piece.

use std::ops::Range;

/// A part with its name: `SEEK:(…)`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// `SEEK`; `=` of what follows another part as `=(…)`.
    pub name: &'a str,
    /// What stands in its parentheses.
    pub text: &'a str,
    /// Words after it, before the next one.
    pub after: &'a str,
}

/// An argument.
#[derive(Debug, Default)]
pub(crate) struct Argument<'a> {
    /// Words before its first part.
    pub words: &'a str,
    /// Its parts.
    pub parts: Vec<Part<'a>>,
}

impl<'a> Argument<'a> {
    /// Reads one.
    pub(crate) fn of(text: &'a str) -> Argument<'a> {
        let mut argument = Argument::default();
        let mut rest = text;
        loop {
            let at = top_places(rest).find(|place| rest[place.start..].starts_with(":("));
            let Some(Range { start, .. }) = at else { break };
            let before = &rest[..start];
            let (words, name) = before.rsplit_once(',').unwrap_or(("", before));
            argument.words_before(words);
            let end = end_of_group(rest, start + 1);
            argument.parts.push(Part { name: name.trim(), text: inside(rest, start + 1, end), after: "" });
            rest = &rest[end..];
            if rest.starts_with("=(") {
                let end = end_of_group(rest, 1);
                argument.parts.push(Part { name: "=", text: inside(rest, 1, end), after: "" });
                rest = &rest[end..];
            }
        }
        argument.words_before(rest);
        argument
    }

    fn words_before(&mut self, words: &'a str) {
        let words = words.trim_matches([',', ' ']);
        match self.parts.last_mut() {
            Some(part) => part.after = words,
            None => self.words = words,
        }
    }

    /// The text of a part.
    pub(crate) fn part(&self, name: &str) -> Option<&'a str> {
        self.parts.iter().find(|part| part.name == name).map(|part| part.text)
    }

    /// The texts of all parts of a name.
    pub(super) fn parts_of(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.parts.iter().filter(move |part| part.name == name).map(|part| part.text)
    }

    /// Whether a word stands after some part, or before all of them.
    pub(super) fn has(&self, words: &str) -> bool {
        self.words.contains(words) || self.parts.iter().any(|part| part.after.contains(words))
    }
}

fn inside(text: &str, open: usize, end: usize) -> &str {
    text.get(open + 1..end.saturating_sub(1)).unwrap_or_default()
}

/// The place after the parenthesis that closes the one at `open`; the end of the text where none does.
fn end_of_group(text: &str, open: usize) -> usize {
    let mut depth = 0;
    let mut at = open;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b'[' | b'\'' => {
                at = end_of_quoted(text, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The place after what is quoted by the byte at `at`: `[a]]b]`, `'it''s'`.
fn end_of_quoted(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let close = if bytes[at] == b'[' { b']' } else { b'\'' };
    let mut at = at + 1;
    while at < bytes.len() {
        if bytes[at] == close {
            if bytes.get(at + 1) != Some(&close) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    text.len()
}

/// The places of a text that stand in no quotes, no brackets, no parentheses and in no CASE: a word, or a single other character.
pub(super) fn top_places(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let mut cases = 0_usize;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'(' => at = end_of_group(text, at),
                b'[' | b'\'' => at = end_of_quoted(text, at),
                byte if is_word(byte) => {
                    at += bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                    match &text[start..at] {
                        "CASE" => cases += 1,
                        "END" => cases = cases.saturating_sub(1),
                        _ if cases == 0 => return Some(start..at),
                        _ => {}
                    }
                }
                _ => {
                    at += 1;
                    if cases == 0 {
                        return Some(start..at);
                    }
                }
            }
        }
        None
    })
}

/// Letters of words; those beyond ASCII are taken for such.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'#' | b'$') || byte >= 0x80
}

/// A text cut at a separator; one of blanks around a word separates as that word alone.
pub(super) fn cut<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for place in top_places(text) {
        if place.start >= start && text[place.start..].starts_with(separator) {
            pieces.push(text[start..place.start].trim());
            start = place.start + separator.len();
        }
    }
    pieces.push(text[start..].trim());
    pieces
}

/// The items of a list: `a, b`.
pub(super) fn items(text: &str) -> Vec<&str> {
    if text.trim().is_empty() { Vec::new() } else { cut(text, ",") }
}

/// Whether parentheses stand around the whole text.
pub(super) fn is_group(text: &str) -> bool {
    text.starts_with('(') && end_of_group(text, 0) == text.len() && text.ends_with(')')
}

/// The parts of a name at the start of a text, without their brackets, and what follows the name: `[a].[b]`, `@t.[c]`.
pub(super) fn leading_name(text: &str) -> Option<(Vec<String>, &str)> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let start = at;
        match bytes.get(at) {
            Some(b'[') => {
                at = end_of_quoted(text, at);
                let inner = text.get(start + 1..at - 1)?;
                parts.push(inner.replace("]]", "]"));
            }
            Some(b'@') if parts.is_empty() => {
                at += bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                parts.push(text[start..at].to_owned());
            }
            _ => return None,
        }
        if bytes.get(at) != Some(&b'.') {
            return Some((parts, &text[at..]));
        }
        at += 1;
    }
}

/// The parts of a text that is a name and nothing else.
pub(super) fn name(text: &str) -> Option<Vec<String>> {
    leading_name(text.trim()).filter(|(_, rest)| rest.is_empty()).map(|(parts, _)| parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_has_its_parts_and_the_words_between_them() {
        let text =
            "OBJECT:([d].[s].[a,(b].[i]]]), SEEK:([k]=(1) AND [m] > ':(x'),  WHERE:([z]>(5)) LOOKUP ORDERED FORWARD";
        let argument = Argument::of(text);
        assert_eq!(argument.part("OBJECT"), Some("[d].[s].[a,(b].[i]]]"));
        assert_eq!(argument.part("SEEK"), Some("[k]=(1) AND [m] > ':(x'"));
        assert_eq!(argument.part("WHERE"), Some("[z]>(5)"));
        assert!(argument.has("LOOKUP") && argument.has("ORDERED FORWARD") && !argument.has("BACKWARD"));
        let join = Argument::of("HASH:([a], [b])=([c], [d]), RESIDUAL:([e]=[f])");
        assert_eq!(
            (join.part("HASH"), join.part("="), join.part("RESIDUAL")),
            (Some("[a], [b]"), Some("[c], [d]"), Some("[e]=[f]"))
        );
        assert_eq!(Argument::of("TOP 5, ORDER BY:([a] ASC)").words, "TOP 5");
        assert_eq!(Argument::of("name of a function").words, "name of a function");
        assert_eq!(Argument::of("WHERE:([a]=(1").part("WHERE"), Some("[a]=("), "what does not end is not looked into");
    }

    #[test]
    fn lists_and_names_are_cut_where_nothing_encloses_them() {
        assert_eq!(
            items("[a], f([b],(1)), CASE WHEN [c] THEN 1,2 END, ','"),
            ["[a]", "f([b],(1))", "CASE WHEN [c] THEN 1,2 END", "','"]
        );
        assert!(items(" ").is_empty());
        assert_eq!(cut("[a]=(1) AND ([b] AND [c])", "AND"), ["[a]=(1)", "([b] AND [c])"]);
        assert_eq!(name("[d].[o]]].@t"), None);
        assert_eq!(name("@t.[c]"), Some(vec!["@t".to_owned(), "c".to_owned()]));
        assert!(is_group("(([a])+(1))") && !is_group("([a])+(1)"));
    }
}
