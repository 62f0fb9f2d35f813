//! The parser: recursive descent over tokens, one token ahead as a rule, never back. A [`Parser`] is the cursor and
//! its bounds; the productions of the grammar are functions over it, each in the file of its subject.
//!
//! What always holds:
//! - P1. A parse function that fails ends the whole parse; so no state is restored on errors.
//! - P2. Every recursion passes through [`Parser::nested`], which bounds its depth; so no text overflows the stack.
//! - P3. Every loop takes at least one token per turn or ends; `End` is never passed.
//! - P4. No tree is higher than [`HEIGHT_MAX`], also where a loop builds it (`a + b + c …`), because code that walks or
//!   drops the tree recurses.
//!
//! A construct that is T-SQL but has no place in the tree is parsed all the same and noted by
//! [`Parser::not_yet`]; the statement around it then becomes [`StatementKind::Unsupported`].

mod backup;
mod changes;
mod cursor;
mod database;
mod ddl;
mod dml;
mod execute;
mod expression;
mod flow;
mod from;
mod function;
mod governor;
mod json;
mod literal;
mod lookahead;
mod name;
mod odbc;
mod option;
mod query;
mod security;
mod server;
mod set;
mod state;
mod statement;
mod types;
mod unsupported;

use millpond_types::{Stopped, Watch};

use crate::ast::{
    Batch, ChangedRows, Expr, Mention, Mentioned, ObjectName, ParameterDeclaration, Query, Span, Statement, StatementNo,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::lexer::{self, joined_lines, unescape};
use crate::parse::state::{Context, Met};
use crate::token::{Token, TokenKind};
use crate::{ParseOptions, SyntaxError};

#[cfg(doc)]
use crate::ast::StatementKind;

/// Deepest nesting of parentheses, subqueries, blocks and the like. Parsing one level takes at most 12 KB of stack in a
/// build without optimisation, so the parser fits into [`crate::STACK_BYTES`] with room for its caller.
const DEPTH_MAX: u32 = 250;

/// Highest tree. A chain of operators is as high as it is long, so this is also the length of the longest `a + b + …`.
const HEIGHT_MAX: u32 = 2_500;

/// The tokens and the place among them, the bounds, and the state beside them.
pub(crate) struct Parser<'a> {
    text: &'a str,
    /// Whether the tree is still wanted.
    watch: Watch<'a>,
    tokens: Vec<Token>,
    /// The current token.
    at: usize,
    /// Why the text ends before its end, if it does.
    lex_error: Option<Box<SyntaxError>>,
    /// Levels around the current place.
    depth: u32,
    /// Height of the highest tree finished in the current frame; see [`Parser::framed`].
    height: u32,
    context: Context,
    met: Met,
}

/// Parses one batch.
pub(crate) fn parse_batch(text: &str, options: ParseOptions, watch: Watch<'_>) -> Parsed<Batch> {
    statement::batch(&mut parser_of(text, options, watch)?)
}

/// Parses a list of parameter declarations.
pub(crate) fn parse_parameters(text: &str, options: ParseOptions) -> Parsed<Vec<ParameterDeclaration>> {
    ddl::module::parameter_list(&mut parser_of(text, options, Watch::NONE)?)
}

/// A parser at the start of the text. Places are 32-bit offsets, so a longer text is refused.
fn parser_of<'a>(text: &'a str, options: ParseOptions, watch: Watch<'a>) -> Parsed<Parser<'a>> {
    if u32::try_from(text.len()).is_err() {
        return Err(error::nested_too_deeply(1));
    }
    let lexed = lexer::tokenize(text, options, watch);
    Ok(Parser {
        text,
        watch,
        tokens: lexed.tokens,
        at: 0,
        lex_error: lexed.error,
        depth: 0,
        height: 0,
        context: Context::default(),
        met: Met::default(),
    })
}

/// Cursor.
impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The kind of the token `ahead` places after the current one.
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn line(&self) -> u32 {
        self.token().line
    }

    /// Takes the current token; `End` stays (P3).
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.unexpected()) }
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn is_keyword_at(&self, ahead: usize, keyword: Keyword) -> bool {
        self.kind_at(ahead) == TokenKind::Keyword(keyword)
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Token> {
        self.expect(TokenKind::Keyword(keyword))
    }

    /// Nothing stands here any more, also nothing that could not be read.
    fn expect_end(&mut self) -> Parsed<()> {
        if self.kind() == TokenKind::End && self.lex_error.is_none() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Whether a word that is not reserved stands `ahead` places on, in any case.
    fn is_word_at(&self, ahead: usize, word: &str) -> bool {
        let Some(token) = self.tokens.get(self.at + ahead) else {
            return false;
        };
        token.kind == TokenKind::Word && self.source(*token).eq_ignore_ascii_case(word)
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// A token's text as written.
    fn source(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// The content of a string or a delimited name. A backslash before a line end joins the lines of a string.
    fn delimited_value(&self, token: Token) -> String {
        let source = self.source(token);
        let source = if token.kind == TokenKind::NationalString { &source[1..] } else { source };
        let close = if source.starts_with('[') { ']' } else { source.chars().next().unwrap_or('\'') };
        let content = unescape(&source[1..source.len() - 1], close);
        if token.kind == TokenKind::Quoted { content } else { joined_lines(content) }
    }

    /// The upper-case text of the current token.
    fn upper(&self) -> String {
        self.source(self.token()).to_uppercase()
    }

    /// Notes an object that the text names.
    fn mention(&mut self, name: &ObjectName, of: Mentioned) {
        self.met.mentions.push(Mention { name: name.clone(), of });
    }

    /// From the token with index `first` to the last token taken.
    fn span_from(&self, first: usize) -> Span {
        let start = self.tokens[first];
        let last = self.tokens[self.at.saturating_sub(1).max(first)];
        Span { start: start.start, end: last.end, line: start.line }
    }
}

/// Errors.
impl Parser<'_> {
    /// The current token is not what the grammar wants. At the end of the text SQL Server names the last token.
    #[cold]
    fn unexpected(&mut self) -> Box<SyntaxError> {
        if self.kind() != TokenKind::End {
            return self.unexpected_at(self.at);
        }
        if let Some(error) = self.lex_error.take() {
            return error;
        }
        match self.at.checked_sub(1).map(|last| self.tokens[last]) {
            Some(last) => error::near(&self.value_text(last), last.line),
            None => error::near("", self.line()),
        }
    }

    /// The token with this index is where the text goes wrong.
    fn unexpected_at(&self, index: usize) -> Box<SyntaxError> {
        let token = self.tokens[index];
        match token.kind {
            TokenKind::Keyword(_) => error::near_keyword(self.source(token), token.line),
            _ => error::near(&self.value_text(token), token.line),
        }
    }

    /// What a message quotes of a token: names and strings without their marks.
    fn value_text(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Quoted | TokenKind::String | TokenKind::NationalString => self.delimited_value(token),
            _ => self.source(token).to_owned(),
        }
    }

    /// The token that a message about the current place quotes, with its line.
    fn near_text(&self) -> (String, u32) {
        let index = if self.kind() == TokenKind::End { self.at.saturating_sub(1) } else { self.at };
        let token = self.tokens[index];
        (self.value_text(token), token.line)
    }
}

/// Bounds.
impl Parser<'_> {
    /// Runs `parse` one level deeper (P2); its tree is one higher than the highest in it (P4).
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.deeper(1, parse)
    }

    /// The same for a form that takes as much stack as several levels.
    fn deeper<T>(&mut self, levels: u32, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.watch.check().map_err(|Stopped| error::stopped(self.line()))?;
        if self.depth + levels > DEPTH_MAX {
            return Err(error::nested_too_deeply(self.line()));
        }
        self.depth += levels;
        let result = self.framed(|parser| {
            let tree = parse(parser)?;
            parser.grow(1)?;
            Ok(tree)
        });
        self.depth -= levels;
        result
    }

    /// Runs `parse` so that `height` counts from what is parsed inside it, and is afterwards the higher of the inner and
    /// the outer height.
    fn framed<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::replace(&mut self.height, 0);
        let result = parse(self);
        self.height = self.height.max(outer);
        result
    }

    /// The tree of the current frame became higher.
    fn grow(&mut self, levels: u32) -> Parsed<()> {
        self.height = self.height.saturating_add(levels);
        if self.height > HEIGHT_MAX { Err(error::nested_too_deeply(self.line())) } else { Ok(()) }
    }

    /// The number of a statement that begins here.
    fn next_number(&mut self) -> StatementNo {
        // A statement takes a token at least, and tokens are fewer than the text's bytes, which 32 bits count.
        let number = StatementNo(self.met.statements);
        self.met.statements += 1;
        number
    }

    /// Notes that the current statement uses something that the tree has no place for.
    fn not_yet(&mut self, words: &str) {
        self.met.unsupported.get_or_insert_with(|| words.to_owned());
    }
}

/// Lists.
impl Parser<'_> {
    /// `item [, item]…`
    fn comma_separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `( item [, item]… )`
    fn parenthesised<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(TokenKind::LeftParen)?;
        let items = self.comma_separated(item)?;
        self.expect(TokenKind::RightParen)?;
        Ok(items)
    }
}

/// Where the grammar enters itself: expressions hold queries and queries hold expressions, statements hold statements. The
/// productions are functions of the files; a file that stands below another in the grammar comes back to it here.
impl Parser<'_> {
    /// A value: what an expression is where no condition may stand.
    fn value(&mut self) -> Parsed<Expr> {
        expression::value(self)
    }

    /// A condition, as IF, WHERE and ON have it.
    fn condition(&mut self) -> Parsed<Expr> {
        expression::condition(self)
    }

    /// `(query)`
    fn parenthesised_query(&mut self) -> Parsed<Query> {
        query::parenthesised_query(self)
    }

    /// Statements up to an END or the end of the text.
    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        statement::statements(self)
    }

    /// A statement after IF, ELSE, WHILE or INSERT.
    fn nested_statement(&mut self) -> Parsed<Statement> {
        statement::statement(self, true)
    }

    /// A change whose rows an INSERT takes, from SELECT on.
    fn changed_rows(&mut self) -> Parsed<ChangedRows> {
        changes::changed_rows(self)
    }
}
