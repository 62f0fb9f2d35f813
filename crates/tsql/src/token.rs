//! Tokens: what a stretch of the text is, and where it stands. A token does not own its text.

use crate::keyword::Keyword;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name that is not reserved; `#t` too.
    Word,
    /// A reserved word.
    Keyword(Keyword),
    /// `[name]`, or `"name"` when QUOTED_IDENTIFIER is on.
    Quoted,
    /// `@name`, `@@name`
    Variable,
    /// `'…'`, or `"…"` when QUOTED_IDENTIFIER is off.
    String,
    /// `N'…'`
    NationalString,
    /// Digits.
    Integer,
    /// Digits with a point.
    Decimal,
    /// With an exponent.
    Float,
    /// A currency sign and a number that may be missing.
    Money,
    /// `0x…`
    Binary,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `.`
    Period,
    /// `:`
    Colon,
    /// `::`
    DoubleColon,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `&`
    Ampersand,
    /// `|`
    Pipe,
    /// `^`
    Caret,
    /// `~`
    Tilde,
    /// `=`
    Equal,
    /// `<>`, `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`, `!>`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`, `!<`
    GreaterEqual,
    /// `+=`
    PlusEqual,
    /// `-=`
    MinusEqual,
    /// `*=`
    StarEqual,
    /// `/=`
    SlashEqual,
    /// `%=`
    PercentEqual,
    /// `&=`
    AmpersandEqual,
    /// `|=`
    PipeEqual,
    /// `||`
    Pipes,
    /// `||=`
    PipesEqual,
    /// `^=`
    CaretEqual,
    /// A character that begins no token.
    Other,
    /// The end of the text, or of the part of it that could be read.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Byte offset of the first character.
    pub(crate) start: u32,
    /// Byte offset after the last character.
    pub(crate) end: u32,
    /// Line of the first character, from 1.
    pub(crate) line: u32,
    /// For `(`: index of the token that closes it; 0 when nothing does.
    pub(crate) partner: u32,
}
