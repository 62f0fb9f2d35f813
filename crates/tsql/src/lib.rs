//! T-SQL text to a tree, and the messages for text that is not T-SQL.
//!
//! Text becomes tokens ([`parse_batch`] is lexer, then recursive descent), tokens become the tree in [`ast`].
//! What always holds: parsing never panics, takes time and memory in proportion to the text, and fails only with a
//! [`SyntaxError`] that carries SQL Server's number, line and words. Whether a name exists is not known here.

pub mod ast;
pub mod batch;
mod error;
mod keyword;
mod lexer;
mod parse;
pub mod print;
pub mod secret;
pub mod shape;
mod token;

pub use keyword::reserved_words;

use ast::{Batch, ParameterDeclaration};
use millpond_types::{Stopped, Watch};

/// Stack of a thread that parses texts and runs statements, in bytes. Code that walks, evaluates or drops the highest
/// tree that the parser lets through recurses as deep as the tree is high, which takes up to 20 KB a level. Only what
/// is touched of it takes memory.
pub const STACK_BYTES: usize = 64 << 20;

/// Why a text is not T-SQL: number (102, 105, 156, …), state, line and SQL Server's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Msg {number}, Level {severity}, State {state}, Line {line}: {message}")]
pub struct SyntaxError {
    /// Message number.
    pub number: i32,
    /// Severity, 15 as a rule.
    pub severity: u8,
    /// State.
    pub state: u8,
    /// Line from 1.
    pub line: u32,
    /// `Incorrect syntax near 'x'.`
    pub message: String,
    /// Name of the module whose definition it is in.
    pub module: Option<String>,
}

/// Settings that change how text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseOptions {
    /// `SET QUOTED_IDENTIFIER`: `"x"` is a name when on, a string when off.
    pub quoted_identifier: bool,
}

/// Parses one batch.
///
/// # Errors
/// The first [`SyntaxError`] in the text.
pub fn parse_batch(text: &str, options: ParseOptions) -> Result<Batch, SyntaxError> {
    parse::parse_batch(text, options, Watch::NONE).map_err(|error| *error)
}

/// Parses one batch as long as its tree is wanted, as `watch` says: a text may have hundreds of megabytes.
///
/// # Errors
/// [`Stopped`]; the first [`SyntaxError`] in the text is inside.
pub fn parse_batch_while(
    text: &str,
    options: ParseOptions,
    watch: Watch<'_>,
) -> Result<Result<Batch, SyntaxError>, Stopped> {
    let parsed = parse::parse_batch(text, options, watch).map_err(|error| *error);
    // What was cut short has an error of its own, which means nothing.
    if parsed.is_err() {
        watch.check()?;
    }
    Ok(parsed)
}

/// Memory of a tree for each token of its text, and beside it for each keyword, in bytes. Lists take 25 to 110 for a token; a
/// statement of few words, each of which begins with a keyword, 270 to 560.
const TREE_BYTES_OF_TOKEN: usize = 112;
const TREE_BYTES_OF_KEYWORD: usize = 256;

/// About what parsing a text takes, and its tree, in bytes. The text is gone through once, and nothing of it is kept.
#[must_use]
pub fn tree_bytes(text: &str, options: ParseOptions, watch: Watch<'_>) -> usize {
    let (tokens, keywords) = lexer::count(text, options, watch);
    tokens.saturating_mul(TREE_BYTES_OF_TOKEN).saturating_add(keywords.saturating_mul(TREE_BYTES_OF_KEYWORD))
}

/// Parses one expression: a value or a condition, as constraints, computed columns and filters keep them.
#[must_use]
pub fn parse_expression(text: &str, options: ParseOptions) -> Option<ast::Expr> {
    // A condition first: as the item of a SELECT `a = 5` would be a value with a name.
    let select = |text: String| {
        let batch = parse_batch(&text, options).ok()?;
        let [ast::Statement { kind: ast::StatementKind::Select(select), .. }] = batch.statements.as_slice() else {
            return None;
        };
        match &select.query.body {
            ast::QueryBody::Select(select) => Some((**select).clone()),
            _ => None,
        }
    };
    let condition = select(format!("SELECT 1 WHERE {text}")).and_then(|select| select.filter);
    condition.or_else(|| {
        select(format!("SELECT ({text})")).and_then(|select| match select.items.as_slice() {
            [ast::SelectItem::Expr { expr, .. }] => Some(expr.clone()),
            _ => None,
        })
    })
}

/// Parses a list of parameter declarations, `@a int, @b varchar(10) = 'x' OUTPUT`, as sp_executesql and sp_prepare take it.
///
/// # Errors
/// The first [`SyntaxError`] in the text.
pub fn parse_parameters(text: &str, options: ParseOptions) -> Result<Vec<ParameterDeclaration>, SyntaxError> {
    parse::parse_parameters(text, options).map_err(|error| *error)
}
