//! Texts of messages with places for arguments, in the form of `sys.messages`.
//!
//! ```text
//! place = "%" { "-" | "+" | "0".."9" | "#" | "*" | "." } [ "h" | "l" | "I64" ] type | "%S_MSG"
//! type  = "d" | "i" | "u" | "o" | "x" | "X" | "f" | "s" | "c"
//! ```
//! `%%` is the sign itself. The server's own errors show each argument as it is, whatever the place says of its type and
//! width; RAISERROR and FORMATMESSAGE, whose arguments are a user's, heed all of it (`builtin::text::message_text`).

use std::fmt::{Display, Write};

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Place,
}

/// The pieces of a text, in order.
struct Pieces<'t>(&'t str);

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let rest = self.0;
        if rest.is_empty() {
            return None;
        }
        let (piece, len) = if rest.starts_with("%%") {
            (Piece::Text("%"), 2)
        } else if let Some(len) = place_len(rest) {
            (Piece::Place, len)
        } else {
            // A sign that begins no place is text.
            let len = rest.char_indices().skip(1).find(|(_, c)| *c == '%').map_or(rest.len(), |(at, _)| at);
            (Piece::Text(&rest[..len]), len)
        };
        self.0 = &rest[len..];
        Some(piece)
    }
}

/// Bytes of the place that `text` begins with.
fn place_len(text: &str) -> Option<usize> {
    let body = text.strip_prefix('%')?;
    if body.starts_with("S_MSG") {
        return Some("%S_MSG".len());
    }
    let rest = body.trim_start_matches(|c: char| "-+#*.".contains(c) || c.is_ascii_digit());
    let rest = ["I64", "l", "h"].iter().find_map(|size| rest.strip_prefix(size)).unwrap_or(rest);
    let after = rest.strip_prefix(['d', 'i', 'u', 'o', 'x', 'X', 'f', 's', 'c'])?;
    Some(text.len() - after.len())
}

/// How many arguments a text takes.
#[must_use]
pub fn places(text: &str) -> usize {
    Pieces(text).filter(|piece| *piece == Piece::Place).count()
}

/// A text with its arguments; one that is missing is `(null)`.
pub(crate) fn filled(text: &str, args: &[&dyn Display]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut args = args.iter();
    for piece in Pieces(text) {
        match (piece, args.len()) {
            (Piece::Text(text), _) => out.push_str(text),
            (Piece::Place, 0) => out.push_str("(null)"),
            (Piece::Place, _) => {
                let arg = args.next().expect("there is one more");
                write!(out, "{arg}").expect("a text takes all that is written to it");
            }
        }
    }
    out
}

/// Whether `made` is `text` with some arguments.
pub(crate) fn is_made_of(made: &str, text: &str) -> bool {
    let mut runs = vec![String::new()];
    for piece in Pieces(text) {
        match piece {
            Piece::Text(text) => runs.last_mut().expect("it begins with one").push_str(text),
            Piece::Place => runs.push(String::new()),
        }
    }
    let (last, runs) = runs.split_last().expect("it begins with one");
    let Some((first, middle)) = runs.split_first() else { return made == last };
    let Some(rest) = made.strip_prefix(first.as_str()) else { return false };
    let rest = middle.iter().try_fold(rest, |rest, run| rest.find(run.as_str()).map(|at| &rest[at + run.len()..]));
    rest.is_some_and(|rest| rest.ends_with(last.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_take_their_places() {
        assert_eq!(filled("Invalid object name '%.*ls'.", &[&"t"]), "Invalid object name 't'.");
        assert_eq!(filled("%d%% of %I64d %S_MSG, %08lx", &[&50, &7_i64, &"rows", &"ff"]), "50% of 7 rows, ff");
        assert_eq!(filled("%ls and %ls", &[&"one"]), "one and (null)");
        assert_eq!(filled("100 % sure %", &[]), "100 % sure %");
        assert_eq!(places("%ls, %.*ls, %%, %S_MSG, %, 5 %"), 3);
    }

    #[test]
    fn a_text_says_whether_another_one_is_made_of_it() {
        let text = "The %ls function requires %d argument(s).";
        assert!(is_made_of("The left function requires 2 argument(s).", text));
        assert!(is_made_of("The  function requires  argument(s).", text));
        assert!(!is_made_of("The left function requires 2 arguments.", text));
        assert!(!is_made_of("A left function requires 2 argument(s).", text));
        assert!(is_made_of("as it is", "as it is") && !is_made_of("as it is not", "as it is"));
    }
}
