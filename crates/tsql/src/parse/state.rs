//! What a parser knows beside its tokens: what is around the current place, and what it has met so far.
//!
//! What always holds: a function that sets a part of [`Context`] for a production sets it back after it. A module's body is the
//! rest of its batch, so what it sets stays; an error ends the whole parse (P1 of `parse/mod.rs`).

use std::collections::HashMap;

use crate::ast::{Mention, Span, VariableUse};

/// What is around the current place; it decides what may stand there.
#[derive(Default)]
pub(super) struct Context {
    /// WHILE statements around it.
    pub(super) loops: u32,
    /// CATCH blocks around it.
    pub(super) catches: u32,
    /// Items of OUTPUT are read: `(SELECT` after a name is not a call's parenthesis but INSERT's source.
    pub(super) in_output: bool,
    /// Inside of a change whose rows an INSERT takes.
    pub(super) in_changes: bool,
    /// Inside of a value that is no query and has none: of PRINT, CHECK, DEFAULT or a computed column.
    pub(super) refuses_queries: bool,
    /// Inside of a derived table, a common table expression or a subquery, which assign to no variables.
    pub(super) in_parenthesised_query: bool,
    /// The body of a procedure, function or trigger is read.
    pub(super) in_module: bool,
    /// RETURN may have a value: the body of a procedure or a scalar function is read.
    pub(super) returns_value: bool,
    /// Columns or variables of the list before the one whose type is read next.
    pub(super) columns_before: usize,
}

/// What the text has had so far, and its end or its later statements ask for.
#[derive(Default)]
pub(super) struct Met {
    /// Statements that have begun: the number of the next one.
    pub(super) statements: u32,
    pub(super) labels: Labels,
    /// Variables used.
    pub(super) variables: Vec<VariableUse>,
    /// A variable that the text declares is called `@@name`.
    pub(super) declares_double_at: bool,
    /// Names of tables in FROM.
    pub(super) relations: Vec<Span>,
    /// Other names of objects.
    pub(super) mentions: Vec<Mention>,
    /// A password is written in it.
    pub(super) has_password: bool,
    /// Line of the first SET SHOWPLAN_….
    pub(super) showplan_line: Option<u32>,
    /// The first construct of the current statement that the tree has no place for.
    pub(super) unsupported: Option<String>,
}

/// Labels and the GOTOs that wait for them.
#[derive(Default)]
pub(super) struct Labels {
    /// By lower-case name: the TRY and CATCH blocks around the label.
    pub(super) declared: HashMap<String, Vec<u32>>,
    /// Name, line and the TRY and CATCH blocks around the GOTO.
    pub(super) wanted: Vec<(String, u32, Vec<u32>)>,
    /// The TRY and CATCH blocks around the current place, each by a number of its own.
    pub(super) scopes: Vec<u32>,
    pub(super) scope_count: u32,
}
