//! Where in its batch an error is: the line, and the word that its message names.
//!
//! ```text
//!  2 │ select * fro t
//!    │          ^^^
//! ```
//! What always holds: what is not found is not guessed: then the line stands there without a caret, or nothing where the batch has one line.

use super::super::scan::{Kind, Open, Piece, scan};
use super::paint::{Line, Paint};
use super::text;

/// Lines of a statement in which a word is looked for, from the one that the message names.
const LINES_MAX: usize = 200;

/// The lines that show the place of an error; `line_no` counts from 1.
pub fn place(batch: &str, line_no: usize, message: &str, terminal: usize) -> Vec<Line> {
    let lines: Vec<&str> = batch.lines().collect();
    let Some(first) = line_no.checked_sub(1).filter(|first| *first < lines.len()) else { return Vec::new() };
    let found = named(message).into_iter().find_map(|word| find(batch, first, &word));
    match found {
        Some((line, start, end)) => shown(lines[line], line + 1, Some((start, end)), terminal),
        None if lines.iter().filter(|line| !line.trim().is_empty()).count() > 1 => {
            shown(lines[first], line_no, None, terminal)
        }
        None => Vec::new(),
    }
}

/// The words that a message names, between quotes of either kind.
fn named(message: &str) -> Vec<String> {
    let mut words = Vec::new();
    for quote in ['\'', '"'] {
        words.extend(message.split(quote).skip(1).step_by(2).filter(|word| !word.trim().is_empty()).map(str::to_owned));
    }
    words
}

/// Line and bytes in it of a word, from the line `first` on.
fn find(batch: &str, first: usize, word: &str) -> Option<(usize, usize, usize)> {
    let (pieces, _) = scan(batch, Open::Nothing);
    let starts: Vec<usize> = [0].into_iter().chain(batch.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let (from, to) = (starts[first], starts.get(first + LINES_MAX).copied().unwrap_or(batch.len()));
    let within: Vec<Piece> = pieces.into_iter().filter(|piece| piece.start >= from && piece.start < to).collect();
    let (start, end) = span(batch, &within, word)?;
    let line = starts.partition_point(|begin| *begin <= start) - 1;
    let line_end = batch[start..].find('\n').map_or(batch.len(), |at| start + at);
    Some((line, start - starts[line], end.min(line_end) - starts[line]))
}

/// The pieces that are the word, or the parts of a name with points; else the last part of the name.
fn span(batch: &str, pieces: &[Piece], word: &str) -> Option<(usize, usize)> {
    let parts: Vec<&str> = word.split('.').collect();
    let meaning: Vec<&Piece> =
        pieces.iter().filter(|piece| !matches!(piece.kind, Kind::Blank | Kind::Comment)).collect();
    let is_part = |piece: &Piece, part: &str| {
        let piece = &batch[piece.start..piece.end];
        let bare = piece.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let bare = bare.or_else(|| piece.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')));
        let bare = bare.or_else(|| piece.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')));
        same(piece, part) || bare.is_some_and(|bare| same(bare, part))
    };
    let whole = meaning.windows(2 * parts.len() - 1).find(|window| {
        window.iter().step_by(2).zip(&parts).all(|(piece, part)| is_part(piece, part))
            && window.iter().skip(1).step_by(2).all(|piece| &batch[piece.start..piece.end] == ".")
    });
    if let Some([first, .., last] | [first @ last]) = whole {
        return Some((first.start, last.end));
    }
    let last = parts.last()?;
    meaning.iter().find(|piece| is_part(piece, last)).map(|piece| (piece.start, piece.end))
}

fn same(one: &str, other: &str) -> bool {
    !other.is_empty() && one.to_lowercase() == other.to_lowercase()
}

fn shown(line: &str, line_no: usize, at: Option<(usize, usize)>, terminal: usize) -> Vec<Line> {
    let number = line_no.to_string();
    let room = terminal.saturating_sub(number.len() + 4).max(1);
    let clean = |part: &str| text::clean(&part.replace('\t', " "));
    let Some((start, end)) = at else {
        let mut source = Line::of(Paint::Faint, format!("{number} │ "));
        source.add(Paint::Plain, clean(line));
        return vec![source.fitted(terminal)];
    };
    // A text over several lines ends with its line here.
    let (start, end) = (start.min(line.len()), end.min(line.len()));
    let (mut before, word, after) = (clean(&line[..start]), clean(&line[start..end]), clean(&line[end..]));
    // The word is in sight: of what stands before it the end is kept.
    let wanted = text::width(&word).min(room);
    if text::width(&before) + wanted > room {
        let mut kept = before.as_str();
        while text::width(kept) + 1 + wanted > room && !kept.is_empty() {
            kept = &kept[kept.chars().next().map_or(0, char::len_utf8)..];
        }
        before = format!("{}{kept}", text::MARK);
    }
    let mut source = Line::of(Paint::Faint, format!("{number} │ "));
    source.add(Paint::Plain, before.clone()).add(Paint::Error, word.clone()).add(Paint::Plain, after);
    let mut below = Line::of(Paint::Faint, format!("{} │ ", " ".repeat(number.len())));
    below.add(Paint::Plain, " ".repeat(text::width(&before)));
    below.add(Paint::Error, "^".repeat(text::width(&word).max(1)));
    vec![source.fitted(terminal), below.fitted(terminal)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(batch: &str, line_no: usize, message: &str, terminal: usize) -> Vec<String> {
        place(batch, line_no, message, terminal).iter().map(Line::text).collect()
    }

    #[test]
    fn the_word_of_a_message_is_marked() {
        let message = "Incorrect syntax near 'fro'.";
        assert_eq!(lines("select *\n\tfro t\n", 2, message, 80), ["2 │  fro t", "  │  ^^^"]);
        let object = "Invalid object name 'dbo.Heron'.";
        assert_eq!(
            lines("select * from heron h", 1, object, 80),
            ["1 │ select * from heron h", "  │               ^^^^^"]
        );
        assert_eq!(lines("select * from [dbo].heron", 1, object, 80)[1], "  │               ^^^^^^^^^^^");
        let variable = "Must declare the scalar variable \"@x\".";
        assert_eq!(lines("select 1,\n  @X", 1, variable, 80), ["2 │   @X", "  │   ^^"]);
    }

    #[test]
    fn what_is_not_found_is_not_marked() {
        assert_eq!(lines("select 1/0", 1, "Divide by zero error encountered.", 80), [""; 0]);
        assert_eq!(lines("select 1\nselect 1/0", 2, "Divide by zero error encountered.", 80), ["2 │ select 1/0"]);
        assert_eq!(lines("select 'x' -- y", 1, "near 'y'", 80), [""; 0]);
        assert_eq!(lines("select 1", 7, "near '1'", 80), [""; 0]);
    }

    #[test]
    fn a_word_far_to_the_right_is_in_sight() {
        let batch = format!("select {} fro t", "x, ".repeat(50));
        let shown = lines(&batch, 1, "near 'fro'", 20);
        assert_eq!(shown, ["1 │ … x, x, x,  fro…", "  │             ^^^"]);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(batch in "(?s).{0,80}", line_no in 0..6_usize, word in ".{0,6}", terminal in 1..60_usize) {
            for line in lines(&batch, line_no, &format!("near '{word}'"), terminal) {
                prop_assert!(text::width(&line) <= terminal);
            }
        }
    }
}
