//! T-SQL cut into words, strings, comments and names while it is being written: any text will do, whole or not.
//!
//! What always holds: the pieces of a text are all of it, in their order; a text that ends inside of a string, a delimited name or a
//! comment says so, and what follows is scanned from there. Decides no meaning: the parser of `tsql` does.

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word: reserved, or a name.
    Word,
    /// `[x]` or `"x"`
    Delimited,
    /// `'x'`
    Text,
    /// `1`, `0x1F`, `1e3`
    Number,
    /// `-- x` or `/* x */`
    Comment,
    /// `@x`
    Variable,
    /// Blanks and line ends.
    Blank,
    /// Anything else, a sign each.
    Sign,
}

/// A piece of a text, from byte to byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// What a text ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Open {
    /// In nothing that goes on.
    #[default]
    Nothing,
    /// `'…`
    Text,
    /// `[…`
    Bracket,
    /// `"…`
    Quote,
    /// `/*…`, so deep.
    Comment(usize),
}

/// The pieces of a text that goes on after `open`, and what it ends in.
pub fn scan(text: &str, open: Open) -> (Vec<Piece>, Open) {
    let mut scanner = Scanner { text, at: 0, pieces: Vec::new() };
    let mut open = scanner.go_on(open);
    while open == Open::Nothing && scanner.at < text.len() {
        open = scanner.next();
    }
    (scanner.pieces, open)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    pieces: Vec<Piece>,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, bytes: usize) {
        self.pieces.push(Piece { kind, start: self.at, end: self.at + bytes });
        self.at += bytes;
    }

    /// The rest of what was open before the text.
    fn go_on(&mut self, open: Open) -> Open {
        match open {
            _ if self.text.is_empty() => open,
            Open::Nothing => Open::Nothing,
            Open::Text => self.delimited(Kind::Text, 0, '\'', open),
            Open::Bracket => self.delimited(Kind::Delimited, 0, ']', open),
            Open::Quote => self.delimited(Kind::Delimited, 0, '"', open),
            Open::Comment(depth) => self.comment(0, depth),
        }
    }

    fn next(&mut self) -> Open {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Open::Nothing };
        let run = |is_in: &dyn Fn(char) -> bool| rest.find(|sign| !is_in(sign)).unwrap_or(rest.len());
        match first {
            '\'' => return self.delimited(Kind::Text, 1, '\'', Open::Text),
            'N' | 'n' if rest[1..].starts_with('\'') => return self.delimited(Kind::Text, 2, '\'', Open::Text),
            '[' => return self.delimited(Kind::Delimited, 1, ']', Open::Bracket),
            '"' => return self.delimited(Kind::Delimited, 1, '"', Open::Quote),
            '-' if rest.starts_with("--") => self.push(Kind::Comment, run(&|sign| sign != '\n')),
            '/' if rest.starts_with("/*") => return self.comment(2, 1),
            '@' => self.push(Kind::Variable, run(&is_of_word)),
            sign if sign.is_ascii_digit() => self.push(Kind::Number, number(rest)),
            sign if sign.is_whitespace() => self.push(Kind::Blank, run(&char::is_whitespace)),
            sign if is_of_word(sign) => self.push(Kind::Word, run(&is_of_word)),
            sign => self.push(Kind::Sign, sign.len_utf8()),
        }
        Open::Nothing
    }

    /// To the closing sign, which stands twice where it is one of the text.
    fn delimited(&mut self, kind: Kind, skip: usize, close: char, open: Open) -> Open {
        let body = &self.rest()[skip..];
        let mut signs = body.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            if sign != close {
                continue;
            }
            if signs.next_if(|(_, next)| *next == close).is_none() {
                let bytes = skip + at + close.len_utf8();
                self.push(kind, bytes);
                return Open::Nothing;
            }
        }
        self.push(kind, self.rest().len());
        open
    }

    /// Comments lie in comments.
    fn comment(&mut self, skip: usize, mut depth: usize) -> Open {
        let bytes = self.rest().as_bytes();
        let mut at = skip;
        while at < bytes.len() && depth > 0 {
            match &bytes[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
        }
        self.push(Kind::Comment, at);
        if depth > 0 { Open::Comment(depth) } else { Open::Nothing }
    }
}

/// What words, variables and temporary names are made of.
pub fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '@' | '#' | '$')
}

fn number(rest: &str) -> usize {
    if rest.get(..2).is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x")) {
        let digits = rest[2..].find(|sign: char| !sign.is_ascii_hexdigit());
        return digits.map_or(rest.len(), |at| at + 2);
    }
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_exponent = matches!(bytes[at], b'e' | b'E');
        let is_signed = is_exponent && bytes.get(at + 1).is_some_and(|sign| matches!(sign, b'+' | b'-'));
        match bytes[at] {
            b'0'..=b'9' | b'.' => at += 1,
            _ if is_signed => at += 2,
            _ if is_exponent => at += 1,
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str) -> Vec<(Kind, &str)> {
        let (pieces, _) = scan(text, Open::Nothing);
        let shown = pieces.into_iter().filter(|piece| piece.kind != Kind::Blank);
        shown.map(|piece| (piece.kind, &text[piece.start..piece.end])).collect()
    }

    #[test]
    fn a_statement_is_cut_into_its_words() {
        use Kind::*;
        assert_eq!(
            pieces("select [a]]b], N'it''s', @x -1.5e-3 from #t -- end\n/* a /* b */ c */ 0xFFg"),
            [
                (Word, "select"),
                (Delimited, "[a]]b]"),
                (Sign, ","),
                (Text, "N'it''s'"),
                (Sign, ","),
                (Variable, "@x"),
                (Sign, "-"),
                (Number, "1.5e-3"),
                (Word, "from"),
                (Word, "#t"),
                (Comment, "-- end"),
                (Comment, "/* a /* b */ c */"),
                (Number, "0xFF"),
                (Word, "g"),
            ]
        );
    }

    #[test]
    fn what_is_open_goes_on() {
        for (text, open) in [
            ("select 'a''", Open::Text),
            ("select [a", Open::Bracket),
            ("select \"a", Open::Quote),
            ("/* a /* b */", Open::Comment(1)),
            ("-- it's", Open::Nothing),
            ("select 'a'", Open::Nothing),
        ] {
            assert_eq!(scan(text, Open::Nothing).1, open, "{text}");
        }
        assert_eq!(scan("b' + 'c", Open::Text).1, Open::Text);
        assert_eq!(scan("b */ select", Open::Comment(1)).0.len(), 3);
        assert_eq!(scan("", Open::Comment(2)).1, Open::Comment(2));
    }

    proptest! {
        #[test]
        fn the_pieces_are_all_of_the_text(text in "(?s)[-a-z'\"\\[\\]/*@# 0-9.\n語]{0,60}") {
            let (pieces, _) = scan(&text, Open::Nothing);
            let ends = pieces.iter().map(|piece| piece.end);
            let starts = pieces.iter().map(|piece| piece.start).chain([text.len()]);
            prop_assert!([0].into_iter().chain(ends).eq(starts));
            prop_assert!(pieces.iter().all(|piece| piece.start < piece.end));
        }
    }
}
