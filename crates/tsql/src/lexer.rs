//! Text to tokens. Blanks and comments vanish; what is left is in source order and ends with one `End`.
//!
//! An unclosed string or comment ends the tokens early and is kept as the error that a reader of `End` must report:
//! SQL Server too names the first mistake in the text, whether it is one of letters or of grammar.

use millpond_types::watch::PIECE_BYTES;
use millpond_types::{Stopped, Watch};

use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::token::{Token, TokenKind};
use crate::{ParseOptions, SyntaxError};

/// Longest identifier in UTF-16 units, as `sysname` has it.
const IDENTIFIER_UNITS_MAX: usize = 128;

/// The tokens of a text.
pub(crate) struct Lexed {
    /// Ends with one `End`.
    pub(crate) tokens: Vec<Token>,
    /// Why the tokens stop before the text does.
    pub(crate) error: Option<Box<SyntaxError>>,
}

/// Splits a text shorter than 4 GiB into tokens.
pub(crate) fn tokenize(text: &str, options: ParseOptions, watch: Watch<'_>) -> Lexed {
    let mut lexer = Lexer::new(text, options, watch);
    let error = lexer.run().err();
    let end = Token { kind: TokenKind::End, start: lexer.offset(), end: lexer.offset(), line: lexer.line, partner: 0 };
    lexer.tokens.push(end);
    Lexed { tokens: lexer.tokens, error }
}

/// How many tokens a text has, up to its first error, and how many of them are keywords; none is kept.
pub(crate) fn count(text: &str, options: ParseOptions, watch: Watch<'_>) -> (usize, usize) {
    let mut lexer = Lexer { counts_only: true, ..Lexer::new(text, options, watch) };
    // The error is reported by the parser.
    let _ = lexer.run();
    (lexer.counted, lexer.keywords)
}

/// Where in a SET statement the lexer is.
#[derive(Clone, Copy)]
enum Setting {
    /// In none.
    None,
    /// After SET and some names of options, QUOTED_IDENTIFIER among them or not.
    Names { quoted_identifier: bool },
    /// In a module's definition, where SET QUOTED_IDENTIFIER means nothing.
    InModule,
}

struct Lexer<'a> {
    text: &'a str,
    watch: Watch<'a>,
    at: usize,
    line: u32,
    options: ParseOptions,
    setting: Setting,
    tokens: Vec<Token>,
    /// Indexes of the parentheses that wait for their partner.
    open: Vec<u32>,
    /// Of the tokens only the last is kept.
    counts_only: bool,
    counted: usize,
    keywords: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, options: ParseOptions, watch: Watch<'a>) -> Lexer<'a> {
        Lexer {
            text,
            watch,
            at: 0,
            line: 1,
            options,
            setting: Setting::None,
            tokens: Vec::new(),
            open: Vec::new(),
            counts_only: false,
            counted: 0,
            keywords: 0,
        }
    }
}

impl Lexer<'_> {
    fn run(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks()?;
            if self.at == self.text.len() {
                return Ok(());
            }
            let start = self.at;
            let line = self.line;
            let kind = self.token(start, line)?;
            self.line += count_lines(&self.text[start..self.at]);
            self.heed_setting(kind, start);
            self.push(Token { kind, start: start as u32, end: self.offset(), line, partner: 0 });
        }
    }

    /// SET QUOTED_IDENTIFIER counts from its place in the text on, whether it is run or not. A module keeps what its text
    /// began with.
    fn heed_setting(&mut self, kind: TokenKind, start: usize) {
        use Keyword as K;
        let is_definition =
            || matches!(self.tokens.last().map(|last| last.kind), Some(TokenKind::Keyword(K::Create | K::Alter)));
        self.setting = match (self.setting, kind) {
            (Setting::InModule, _) => Setting::InModule,
            (_, TokenKind::Keyword(K::Proc | K::Procedure | K::Function | K::Trigger | K::View)) if is_definition() => {
                Setting::InModule
            }
            (_, TokenKind::Keyword(K::Set)) => Setting::Names { quoted_identifier: false },
            (Setting::Names { quoted_identifier }, TokenKind::Word) => {
                let name = &self.text[start..self.at];
                let counts =
                    ["QUOTED_IDENTIFIER", "ANSI_DEFAULTS"].iter().any(|known| name.eq_ignore_ascii_case(known));
                Setting::Names { quoted_identifier: quoted_identifier || counts }
            }
            (names @ Setting::Names { .. }, TokenKind::Comma) => names,
            (Setting::Names { quoted_identifier: true }, TokenKind::Keyword(on @ (K::On | K::Off))) => {
                self.options.quoted_identifier = on == K::On;
                Setting::None
            }
            _ => Setting::None,
        };
    }

    fn offset(&self) -> u32 {
        self.at as u32
    }

    fn push(&mut self, token: Token) {
        if self.counts_only {
            self.counted += 1;
            self.keywords += usize::from(matches!(token.kind, TokenKind::Keyword(_)));
            self.tokens.clear();
            self.tokens.push(token);
            return;
        }
        let index = self.tokens.len() as u32;
        match token.kind {
            TokenKind::LeftParen => self.open.push(index),
            TokenKind::RightParen => {
                if let Some(open) = self.open.pop() {
                    self.tokens[open as usize].partner = index;
                }
            }
            _ => {}
        }
        self.tokens.push(token);
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Whether the tokens are still wanted.
    fn go_on(&self) -> Parsed<()> {
        self.watch.check().map_err(|Stopped| error::stopped(self.line))
    }

    fn skip_blanks(&mut self) -> Parsed<()> {
        loop {
            self.go_on()?;
            let rest = self.rest();
            let piece = &rest[..rest.floor_char_boundary(PIECE_BYTES)];
            let blanks = piece.len() - piece.trim_start_matches(is_blank).len();
            self.advance_over_lines(blanks);
            if self.rest().starts_with("--") {
                let end = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at += end;
            } else if self.rest().starts_with("/*") {
                self.skip_block_comment()?;
            } else if blanks == 0 || self.at == self.text.len() {
                return Ok(());
            }
        }
    }

    fn advance_over_lines(&mut self, bytes: usize) {
        self.line += count_lines(&self.text[self.at..self.at + bytes]);
        self.at += bytes;
    }

    /// Comments nest.
    fn skip_block_comment(&mut self) -> Parsed<()> {
        let bytes = self.rest().as_bytes();
        let (mut depth, mut i) = (1_usize, 2);
        let mut ticker = self.watch.ticker();
        while depth > 0 {
            ticker.tick().map_err(|Stopped| error::stopped(self.line))?;
            match (bytes.get(i), bytes.get(i + 1)) {
                (Some(b'*'), Some(b'/')) => (depth, i) = (depth - 1, i + 2),
                (Some(b'/'), Some(b'*')) => (depth, i) = (depth + 1, i + 2),
                (Some(_), _) => i += 1,
                (None, _) => return Err(error::unclosed_comment(self.line)),
            }
        }
        self.advance_over_lines(i);
        Ok(())
    }

    /// Reads one token; `at` stands after it afterwards.
    fn token(&mut self, start: usize, line: u32) -> Parsed<TokenKind> {
        let Some(first) = self.peek() else {
            return Ok(TokenKind::End);
        };
        match first {
            '\'' => self.delimited(start, line, '\'').map(|()| TokenKind::String),
            'n' | 'N' if self.byte(1) == b'\'' => {
                self.at += 1;
                self.delimited(start + 1, line, '\'').map(|()| TokenKind::NationalString)
            }
            '"' if self.options.quoted_identifier => self.quoted_identifier(line, '"'),
            '"' => self.delimited(start, line, '"').map(|()| TokenKind::String),
            '[' => self.quoted_identifier(line, ']'),
            '@' => self.word(line).map(|_| TokenKind::Variable),
            '0' if matches!(self.byte(1), b'x' | b'X') => Ok(self.binary()),
            '0'..='9' => self.number(line),
            '.' if self.byte(1).is_ascii_digit() => self.number(line),
            '$' if self.byte(1).is_ascii_alphabetic() => self.word(line),
            _ if is_currency(first) => {
                self.at += first.len_utf8();
                // A sign stands before the currency or after it: `-$5` negates, `$-5` is a number.
                let sign = usize::from(matches!(self.byte(0), b'-' | b'+'));
                let (first, second) = (self.byte(sign), self.byte(sign + 1));
                if first.is_ascii_digit() || (first == b'.' && second.is_ascii_digit()) {
                    self.at += sign;
                    self.plain_number();
                }
                Ok(TokenKind::Money)
            }
            _ if is_identifier_start(first) => self.word(line),
            _ => Ok(self.symbol(first)),
        }
    }

    /// From the opening mark at `at` to the closing one; a doubled closing mark is a character.
    fn delimited(&mut self, start: usize, line: u32, close: char) -> Parsed<()> {
        let mut from = start + 1;
        loop {
            let Some(found) = self.text[from..].find(close) else {
                return Err(error::unclosed_quote(&self.text[start + 1..], line));
            };
            from += found + 1;
            if !self.text[from..].starts_with(close) {
                self.at = from;
                return Ok(());
            }
            from += 1;
        }
    }

    fn quoted_identifier(&mut self, line: u32, close: char) -> Parsed<TokenKind> {
        let start = self.at;
        self.delimited(start, line, close)?;
        let name = unescape(&self.text[start + 1..self.at - 1], close);
        if name.is_empty() {
            return Err(error::empty_name(line));
        }
        check_length(&name, line)?;
        Ok(TokenKind::Quoted)
    }

    fn word(&mut self, line: u32) -> Parsed<TokenKind> {
        let rest = self.rest();
        let len = rest.find(|c| !is_identifier_part(c)).unwrap_or(rest.len());
        let word = &rest[..len];
        check_length(word, line)?;
        let kind = Keyword::of(word).map_or(TokenKind::Word, TokenKind::Keyword);
        self.at += len;
        Ok(kind)
    }

    /// `0x` and digits, which go on in the next line after a backslash.
    fn binary(&mut self) -> TokenKind {
        self.at += 2;
        loop {
            self.at += self.rest().bytes().take_while(u8::is_ascii_hexdigit).count();
            match self.rest().strip_prefix('\\') {
                Some(next) if next.starts_with("\r\n") => self.at += 3,
                Some(next) if next.starts_with('\n') => self.at += 2,
                _ => return TokenKind::Binary,
            }
        }
    }

    fn number(&mut self, line: u32) -> Parsed<TokenKind> {
        let start = self.at;
        let mut kind = self.plain_number();
        if matches!(self.byte(0), b'e' | b'E') {
            kind = TokenKind::Float;
            self.at += 1;
            if matches!(self.byte(0), b'+' | b'-') {
                self.at += 1;
            }
            self.digits();
        }
        check_range(&self.text[start..self.at], kind, line)?;
        Ok(kind)
    }

    /// `12`, `12.`, `12.5` or `.5`
    fn plain_number(&mut self) -> TokenKind {
        self.digits();
        if self.byte(0) != b'.' {
            return TokenKind::Integer;
        }
        self.at += 1;
        self.digits();
        TokenKind::Decimal
    }

    fn digits(&mut self) {
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
    }

    fn symbol(&mut self, first: char) -> TokenKind {
        self.at += first.len_utf8();
        let next = self.byte(0);
        let pair = match (first, next) {
            (':', b':') => Some(TokenKind::DoubleColon),
            ('+', b'=') => Some(TokenKind::PlusEqual),
            ('-', b'=') => Some(TokenKind::MinusEqual),
            ('*', b'=') => Some(TokenKind::StarEqual),
            ('/', b'=') => Some(TokenKind::SlashEqual),
            ('%', b'=') => Some(TokenKind::PercentEqual),
            ('&', b'=') => Some(TokenKind::AmpersandEqual),
            ('|', b'|') if self.byte(1) == b'=' => {
                self.at += 1;
                Some(TokenKind::PipesEqual)
            }
            ('|', b'|') => Some(TokenKind::Pipes),
            ('|', b'=') => Some(TokenKind::PipeEqual),
            ('^', b'=') => Some(TokenKind::CaretEqual),
            ('<' | '>' | '!', _) => return self.comparison(first),
            _ => None,
        };
        if let Some(kind) = pair {
            self.at += 1;
            return kind;
        }
        single_symbol(first)
    }

    /// `<`, `<=`, `<>`, `!<` …; blanks may stand between the two characters.
    fn comparison(&mut self, first: char) -> TokenKind {
        let blanks = self.rest().len() - self.rest().trim_start_matches(is_blank).len();
        let kind = match (first, self.byte(blanks)) {
            ('<', b'=') | ('!', b'>') => TokenKind::LessEqual,
            ('>', b'=') | ('!', b'<') => TokenKind::GreaterEqual,
            ('<', b'>') | ('!', b'=') => TokenKind::NotEqual,
            ('<', _) => return TokenKind::Less,
            ('>', _) => return TokenKind::Greater,
            _ => return TokenKind::Other,
        };
        self.at += blanks + 1;
        kind
    }
}

fn single_symbol(symbol: char) -> TokenKind {
    match symbol {
        ',' => TokenKind::Comma,
        ';' => TokenKind::Semicolon,
        '.' => TokenKind::Period,
        ':' => TokenKind::Colon,
        '(' => TokenKind::LeftParen,
        ')' => TokenKind::RightParen,
        '{' => TokenKind::LeftBrace,
        '}' => TokenKind::RightBrace,
        '*' => TokenKind::Star,
        '/' => TokenKind::Slash,
        '%' => TokenKind::Percent,
        '+' => TokenKind::Plus,
        '-' => TokenKind::Minus,
        '&' => TokenKind::Ampersand,
        '|' => TokenKind::Pipe,
        '^' => TokenKind::Caret,
        '~' => TokenKind::Tilde,
        '=' => TokenKind::Equal,
        _ => TokenKind::Other,
    }
}

/// 103 for a name of more than 128 units.
pub(crate) fn check_length(name: &str, line: u32) -> Parsed<()> {
    if name.len() > IDENTIFIER_UNITS_MAX && name.encode_utf16().count() > IDENTIFIER_UNITS_MAX {
        return Err(error::identifier_too_long(name, line));
    }
    Ok(())
}

/// A decimal has at most 38 digits, a float at most 1.8e308.
fn check_range(text: &str, kind: TokenKind, line: u32) -> Parsed<()> {
    if kind == TokenKind::Float {
        let text_with_exponent = float_text(text);
        return match text_with_exponent.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(()),
            _ => Err(error::float_out_of_range(text, line)),
        };
    }
    let significant = text.trim_start_matches('0').bytes().filter(u8::is_ascii_digit).count();
    if significant > 38 { Err(error::number_out_of_range(text, line)) } else { Ok(()) }
}

/// A float's text as Rust reads it: T-SQL lets the exponent's digits be missing (`1e`, `1e-`).
pub(crate) fn float_text(text: &str) -> String {
    if text.ends_with(|c: char| c.is_ascii_digit()) { text.to_owned() } else { format!("{text}0") }
}

/// The content of a string or delimited name: a doubled closing mark is one.
pub(crate) fn unescape(content: &str, close: char) -> String {
    let doubled = [close, close].iter().collect::<String>();
    let single = close.to_string();
    content.replace(&doubled, &single)
}

/// A string's content without the backslashes that stand before a line end, and without those line ends.
pub(crate) fn joined_lines(content: String) -> String {
    if !content.contains("\\\n") && !content.contains("\\\r\n") {
        return content;
    }
    let mut joined = String::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        joined.push_str(before);
        match after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
            Some(next_line) => rest = next_line,
            None => {
                joined.push('\\');
                rest = after;
            }
        }
    }
    joined.push_str(rest);
    joined
}

/// T-SQL counts line feeds, so `\r\n` is one line end.
fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|&b| b == b'\n').count() as u32
}

fn is_blank(c: char) -> bool {
    c <= ' ' || c.is_whitespace() || c == '\u{feff}'
}

fn is_identifier_start(c: char) -> bool {
    c == '_' || c == '#' || c.is_alphabetic()
}

fn is_identifier_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$') || is_mark(c)
}

/// Marks that combine with the letter before them, without which many scripts could not write their words. Blocks, not
/// single characters: the few others inside them do no harm in a name.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{6d6}'..='\u{6ed}' | '\u{900}'..='\u{963}' | '\u{971}'..='\u{e3a}'
        | '\u{e40}'..='\u{e4e}' | '\u{e80}'..='\u{ece}' | '\u{f18}'..='\u{f39}' | '\u{f71}'..='\u{fbc}'
        | '\u{102b}'..='\u{103e}' | '\u{17b4}'..='\u{17d3}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}')
}

fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '¢' | '£' | '¤' | '¥' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}' | '\u{20a0}'
            ..='\u{20b1}' | '\u{fdfc}' | '\u{fe69}' | '\u{ff04}' | '\u{ffe0}' | '\u{ffe1}' | '\u{ffe5}' | '\u{ffe6}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::TokenKind as K;

    fn lex(text: &str) -> Vec<(K, &str)> {
        let lexed = tokenize(text, ParseOptions { quoted_identifier: true }, Watch::NONE);
        assert_eq!(lexed.error, None);
        lexed.tokens.iter().map(|t| (t.kind, &text[t.start as usize..t.end as usize])).collect()
    }

    fn error_of(text: &str) -> (i32, u32, String) {
        let error = tokenize(text, ParseOptions { quoted_identifier: true }, Watch::NONE).error.expect("an error");
        (error.number, error.line, error.message)
    }

    #[test]
    fn numbers() {
        let expected = [
            (K::Integer, "1"),
            (K::Decimal, "1."),
            (K::Decimal, ".5"),
            (K::Decimal, "1.5"),
            (K::Float, "1e5"),
            (K::Float, "1.e-5"),
            (K::Float, "1e"),
            (K::Money, "$1.5"),
            (K::Money, "£.5"),
            (K::Money, "$"),
            (K::Money, "$-1.5"),
            (K::Money, "€+.5"),
            (K::Binary, "0x1F"),
            (K::Binary, "0x"),
            (K::Integer, "1"),
            (K::Word, "a"),
            (K::End, ""),
        ];
        assert_eq!(lex("1 1. .5 1.5 1e5 1.e-5 1e $1.5 £.5 $ $-1.5 €+.5 0x1F 0x 1a"), expected);
        let lines = "0xab\\\r\ncd\\\n";
        assert_eq!(lex(lines), [(K::Binary, lines), (K::End, "")]);
    }

    #[test]
    fn names_of_all_scripts() {
        for name in ["café", "e\u{301}", "日本語", "имя", "हिन्दी", "#t", "##t", "_x$@#", "$action", "ชื่อ"]
        {
            assert_eq!(lex(name), [(K::Word, name), (K::End, "")], "{name}");
        }
        assert_eq!(lex("@v")[0].0, K::Variable);
        assert_eq!(lex("‘a")[0].0, K::Other);
        assert_eq!(lex("[a]]b] \"c\"\"d\"")[..2], [(K::Quoted, "[a]]b]"), (K::Quoted, "\"c\"\"d\"")]);
    }

    #[test]
    fn comparisons_may_hold_blanks() {
        let kinds: Vec<K> = lex("< = > = ! = < > !< !> < 1").into_iter().map(|t| t.0).collect();
        let expected =
            [K::LessEqual, K::GreaterEqual, K::NotEqual, K::NotEqual, K::GreaterEqual, K::LessEqual, K::Less];
        assert_eq!(kinds[..7], expected);
    }

    #[test]
    fn lines_and_nested_comments() {
        let text = "a\r\n/* x /* \n */ */ b -- c\r\n'd\n' e";
        let lexed = tokenize(text, ParseOptions { quoted_identifier: true }, Watch::NONE);
        assert_eq!(lexed.tokens.iter().map(|t| t.line).collect::<Vec<_>>(), [1, 3, 4, 5, 5]);
    }

    #[test]
    fn what_is_not_closed() {
        assert_eq!(error_of("a\n'b"), (105, 2, "Unclosed quotation mark after the character string 'b'.".to_owned()));
        assert_eq!(error_of("[b").0, 105);
        assert_eq!(error_of("\n/* /* */").0, 113);
        assert_eq!(error_of("\n/* /* */").1, 2);
    }

    #[test]
    fn limits() {
        assert_eq!(error_of(&"a".repeat(129)).0, 103);
        assert_eq!(error_of(&format!("[{}]", "é".repeat(129))).0, 103);
        assert_eq!(lex(&"é".repeat(128)).len(), 2);
        assert_eq!(error_of(&"1".repeat(39)).0, 1007);
        assert_eq!(lex(&"0".repeat(100)).len(), 2);
        assert_eq!(error_of("1e999").0, 168);
        assert_eq!(error_of("[]").0, 1038);
    }

    #[test]
    fn parentheses_know_their_partner() {
        let lexed = tokenize("(a (b) (", ParseOptions { quoted_identifier: true }, Watch::NONE);
        let partners: Vec<u32> = lexed.tokens.iter().map(|t| t.partner).collect();
        assert_eq!(partners, [0, 0, 4, 0, 0, 0, 0]);
    }
}
