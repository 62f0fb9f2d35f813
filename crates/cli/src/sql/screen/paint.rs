//! Lines of painted pieces, and what they are on a terminal with or without colours.
//!
//! What always holds: without colours a line is its text alone; a line of a colour ends with the sequence that takes it back; no line is
//! wider than it is asked to be ([`Line::fitted`]).

use super::text;

/// What a piece is; its looks follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// As it comes.
    Plain,
    /// Frames, figures beside something, hints.
    Faint,
    /// NULL, which is no text.
    Null,
    /// Names of columns.
    Heading,
    /// An error, and where it is.
    Error,
    /// Reserved words.
    Keyword,
    /// Strings.
    Text,
    /// Numbers.
    Number,
}

impl Paint {
    /// Parameters of SGR; none: as it comes.
    fn parameters(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Faint | Paint::Null => "2",
            Paint::Heading => "1",
            Paint::Error => "31",
            Paint::Keyword => "34",
            Paint::Text => "32",
            Paint::Number => "36",
        }
    }

    /// Appends a text that is painted so.
    pub fn push(self, out: &mut String, text: &str, with_colors: bool) {
        let parameters = self.parameters();
        if !with_colors || parameters.is_empty() || text.is_empty() {
            return out.push_str(text);
        }
        out.push_str("\x1b[");
        out.push_str(parameters);
        out.push('m');
        out.push_str(text);
        out.push_str("\x1b[0m");
    }
}

/// A line, in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<(Paint, String)>);

impl Line {
    /// Of one piece.
    pub fn of(paint: Paint, text: impl Into<String>) -> Line {
        Line(vec![(paint, text.into())])
    }

    /// Appends a piece.
    pub fn add(&mut self, paint: Paint, text: impl Into<String>) -> &mut Line {
        self.0.push((paint, text.into()));
        self
    }

    /// The text alone.
    #[cfg(test)]
    pub fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// At most `columns` wide; what is wider ends with a mark.
    pub fn fitted(self, columns: usize) -> Line {
        let total: usize = self.0.iter().map(|(_, text)| text::width(text)).sum();
        if total <= columns {
            return self;
        }
        let mut left = columns;
        let mut fitted = Line::default();
        for (paint, text) in self.0 {
            let width = text::width(&text);
            // Room for the mark, which may be of the next piece.
            if width < left {
                left -= width;
                fitted.0.push((paint, text));
                continue;
            }
            let long = format!("{text}{}", text::MARK);
            fitted.0.push((paint, text::cut(&long, left)));
            break;
        }
        fitted
    }

    /// Appends it with its line end.
    pub fn write(&self, out: &mut String, with_colors: bool) {
        self.0.iter().for_each(|(paint, text)| paint.push(out, text, with_colors));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_back() {
        let mut line = Line::of(Paint::Plain, "a");
        line.add(Paint::Null, "NULL").add(Paint::Error, "");
        let written = |with_colors| {
            let mut out = String::new();
            line.write(&mut out, with_colors);
            out
        };
        assert_eq!([written(false), written(true)], ["aNULL\n", "a\x1b[2mNULL\x1b[0m\n"]);
    }

    #[test]
    fn pieces_are_cut_with_one_mark() {
        let mut line = Line::of(Paint::Plain, "abc");
        line.add(Paint::Null, "def").add(Paint::Plain, "ghi");
        let fitted = |columns| line.clone().fitted(columns).text();
        assert_eq!(
            [fitted(9), fitted(8), fitted(6), fitted(3), fitted(1)],
            ["abcdefghi", "abcdefg…", "abcde…", "ab…", "…"]
        );
        assert_eq!(fitted(0), "");
    }
}
