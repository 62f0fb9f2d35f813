//! `INSERT … SELECT … FROM (INSERT|UPDATE|DELETE|MERGE … OUTPUT …) AS alias …`: a change whose rows another one takes.

use crate::ast::{ChangedRows, Ident, NestedChange, Output, StatementKind, With};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, dml, from, name, query};
use crate::token::TokenKind;

/// The whole source, from SELECT on.
pub(super) fn changed_rows(parser: &mut Parser<'_>) -> Parsed<ChangedRows> {
    let line = parser.bump().line;
    if parser.context.in_changes {
        return Err(error::nested_change_elsewhere(true, line));
    }
    if parser.eat_keyword(Keyword::Distinct) {
        return Err(error::distinct_of_changes(line));
    }
    if parser.is_keyword(Keyword::Top) {
        return Err(error::not_of_changes("TOP or OFFSET", line));
    }
    let items = parser.comma_separated(query::select_item)?;
    if parser.is_keyword(Keyword::Into) {
        return Err(error::not_of_changes("INTO", parser.line()));
    }
    parser.expect_keyword(Keyword::From)?;
    parser.expect(TokenKind::LeftParen)?;
    parser.context.in_changes = true;
    let change = parser.nested(change);
    parser.context.in_changes = false;
    let change = change?;
    parser.expect(TokenKind::RightParen)?;
    let Some(alias) = from::table_alias(parser)? else {
        return Err(parser.unexpected());
    };
    let columns: Vec<Ident> = name::column_list(parser)?;
    refuse_after_changes(parser)?;
    let filter = query::where_clause(parser)?;
    refuse_after_changes(parser)?;
    Ok(ChangedRows { items, change, alias, columns, filter })
}

/// The change itself, without WITH.
fn change(parser: &mut Parser<'_>) -> Parsed<NestedChange> {
    let line = parser.line();
    let statement = match parser.kind() {
        TokenKind::Keyword(Keyword::Insert) => dml::insert(parser, With::default())?,
        TokenKind::Keyword(Keyword::Update) => dml::update(parser, With::default())?,
        TokenKind::Keyword(Keyword::Delete) => dml::delete(parser, With::default())?,
        _ => dml::merge(parser, With::default())?,
    };
    let change = match statement {
        StatementKind::Insert(insert) => NestedChange::Insert(insert),
        StatementKind::Update(update) => NestedChange::Update(update),
        StatementKind::Delete(delete) => NestedChange::Delete(delete),
        StatementKind::Merge(merge) => NestedChange::Merge(merge),
        _ => return Err(parser.unexpected()),
    };
    let (output, options, current_of): (&[Output], &[String], bool) = match &change {
        NestedChange::Insert(insert) => (&insert.output, &insert.options, false),
        NestedChange::Update(update) => (&update.output, &update.options, update.current_of.is_some()),
        NestedChange::Delete(delete) => (&delete.output, &delete.options, delete.current_of.is_some()),
        NestedChange::Merge(merge) => (&merge.output, &merge.options, false),
    };
    if output.is_empty() {
        return Err(error::changes_need_output(line));
    }
    if output.iter().any(|clause| clause.into.is_some()) {
        return Err(error::output_into_of_changes(line));
    }
    if current_of {
        return Err(error::current_of_changes(line));
    }
    if !options.is_empty() {
        return Err(error::options_of_changes(line));
    }
    Ok(change)
}

fn refuse_after_changes(parser: &Parser<'_>) -> Parsed<()> {
    let line = parser.line();
    match parser.kind() {
        TokenKind::Keyword(Keyword::Group) => Err(error::not_of_changes("GROUP BY", line)),
        TokenKind::Keyword(Keyword::Having) => Err(error::not_of_changes("HAVING", line)),
        TokenKind::Keyword(Keyword::Order) => Err(error::not_of_changes("ORDER BY", line)),
        TokenKind::Keyword(Keyword::Union | Keyword::Except | Keyword::Intersect) => Err(error::set_of_changes(line)),
        TokenKind::Keyword(Keyword::Pivot | Keyword::Unpivot) => Err(error::pivot_of_changes(line)),
        TokenKind::Keyword(
            Keyword::Join
            | Keyword::Inner
            | Keyword::Left
            | Keyword::Right
            | Keyword::Full
            | Keyword::Cross
            | Keyword::Outer,
        )
        | TokenKind::Comma => Err(error::join_of_changes(line)),
        _ => Ok(()),
    }
}
