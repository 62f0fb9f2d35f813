//! INSERT, UPDATE, DELETE, MERGE, BULK INSERT, and the statements that begin with WITH.

use crate::ast::{
    AssignOp, BulkInsert, CursorName, Delete, Expr, ExprKind, Ident, Insert, InsertBulk, InsertSource, Mentioned,
    Merge, MergeAction, MergeBranch, MergeWhen, ObjectName, Output, Query, ResultSets, SelectStatement, StatementKind,
    TableRef, Update, UpdateSet, With, WritePart,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::ddl::index;
use crate::parse::query::assign_operator;
use crate::parse::{Parser, cursor, execute, from, function, lookahead, name, option, query, types, unsupported};
use crate::token::TokenKind;

/// Rows that one INSERT … VALUES may have.
const INSERT_ROWS_MAX: usize = 1000;

/// `[WITH …] SELECT|INSERT|UPDATE|DELETE|MERGE …`
pub(super) fn data_statement(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let ctes = if parser.is_keyword(Keyword::With) { query::ctes(parser)? } else { With::default() };
    match parser.kind() {
        TokenKind::Keyword(Keyword::Select) | TokenKind::LeftParen => {
            let query = query::full_query(parser, ctes)?;
            Ok(StatementKind::Select(Box::new(SelectStatement { query })))
        }
        TokenKind::Keyword(Keyword::Insert) => insert(parser, ctes),
        TokenKind::Keyword(Keyword::Update) => update(parser, ctes),
        TokenKind::Keyword(Keyword::Delete) => delete(parser, ctes),
        TokenKind::Keyword(Keyword::Merge) => merge(parser, ctes),
        _ => Err(parser.unexpected()),
    }
}

// INSERT.

pub(super) fn insert(parser: &mut Parser<'_>, mut ctes: With) -> Parsed<StatementKind> {
    parser.bump();
    if ctes.is_empty() && ctes.namespaces.is_empty() && parser.eat_keyword(Keyword::Bulk) {
        return insert_bulk(parser);
    }
    let top = query::top_of_change(parser)?;
    parser.eat_keyword(Keyword::Into);
    let first = parser.at;
    let table = insert_target(parser)?;
    parser.mention(&table, Mentioned::Filled);
    let span = parser.span_from(first);
    let hints = from::with_hints(parser)?;
    let columns = if lookahead::is_query_parenthesis(parser) { Vec::new() } else { insert_columns(parser)? };
    let output = output(parser)?;
    let source = insert_source(parser, &mut ctes)?;
    let options = query::options(parser)?;
    let insert = Insert { ctes, top, table, columns, hints, output, source, options, span };
    Ok(StatementKind::Insert(Box::new(insert)))
}

fn insert_target(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    if matches!(parser.kind(), TokenKind::Keyword(Keyword::OpenRowSet | Keyword::OpenQuery | Keyword::OpenDataSource)) {
        let word = parser.upper();
        parser.not_yet(&word);
        parser.bump();
        unsupported::skip_parentheses(parser)?;
        return Ok(ObjectName { parts: vec![word] });
    }
    name::table_name(parser)
}

/// `(a, t.b)`, or nothing; SQL Server ignores the qualifiers.
fn insert_columns(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    if parser.kind() != TokenKind::LeftParen {
        return Ok(Vec::new());
    }
    parser.parenthesised(|parser| {
        let mut name = name::object_name(parser)?;
        Ok(name.parts.pop().unwrap_or_default())
    })
}

/// A query takes the CTEs.
fn insert_source(parser: &mut Parser<'_>, ctes: &mut With) -> Parsed<InsertSource> {
    match parser.kind() {
        TokenKind::Keyword(Keyword::Select) if lookahead::selects_changes(parser) => {
            Ok(InsertSource::Changes(Box::new(parser.changed_rows()?)))
        }
        TokenKind::Keyword(Keyword::Select) | TokenKind::LeftParen => {
            let query: Query = query::full_query(parser, std::mem::take(ctes))?;
            Ok(InsertSource::Query(Box::new(query)))
        }
        TokenKind::Keyword(Keyword::Values) => {
            let line = parser.line();
            let rows = from::values_rows(parser)?;
            if rows.len() > INSERT_ROWS_MAX {
                return Err(error::too_many_insert_rows(line));
            }
            Ok(InsertSource::Values(rows))
        }
        TokenKind::Keyword(Keyword::Default) => {
            parser.bump();
            parser.expect_keyword(Keyword::Values)?;
            Ok(InsertSource::DefaultValues)
        }
        TokenKind::Keyword(Keyword::Exec | Keyword::Execute) => {
            parser.bump();
            let line = parser.line();
            let (sets, source) = match execute::text_or_procedure(parser)? {
                StatementKind::Execute(execute) => (execute.result_sets.clone(), InsertSource::Execute(execute)),
                StatementKind::ExecuteText(text) => (text.result_sets.clone(), InsertSource::ExecuteText(text)),
                _ => return Err(parser.unexpected()),
            };
            // The rows go to the target: WITH RESULT SETS has no place there.
            if matches!(sets, ResultSets::Undefined) { Ok(source) } else { Err(error::near("sets", line)) }
        }
        _ => Err(parser.unexpected()),
    }
}

/// `OUTPUT item, … [INTO table [(columns)]]`: none, one, or one with INTO and one without.
fn output(parser: &mut Parser<'_>) -> Parsed<Vec<Output>> {
    let mut outputs: Vec<Output> = Vec::new();
    while outputs.len() < 2 && outputs.iter().all(|output| output.into.is_some()) && parser.eat_word("output") {
        parser.context.in_output = true;
        let items = parser.comma_separated(query::select_item)?;
        parser.context.in_output = false;
        let mut into = None;
        if parser.eat_keyword(Keyword::Into) {
            let table = name::table_name(parser)?;
            let columns = if lookahead::is_query_parenthesis(parser) { Vec::new() } else { insert_columns(parser)? };
            into = Some((table, columns));
        }
        outputs.push(Output { items, into });
    }
    Ok(outputs)
}

// UPDATE and DELETE.

pub(super) fn update(parser: &mut Parser<'_>, ctes: With) -> Parsed<StatementKind> {
    parser.bump();
    if parser.is_keyword(Keyword::Statistics) && ctes.is_empty() {
        return index::update_statistics(parser);
    }
    let top = query::top_of_change(parser)?;
    let first = parser.at;
    let table = changed_table(parser)?;
    let span = parser.span_from(first);
    let hints = from::with_hints(parser)?;
    parser.expect_keyword(Keyword::Set)?;
    let set = parser.comma_separated(update_set)?;
    let output = output(parser)?;
    let from = tables_of_change(parser)?;
    // Without FROM it is no alias.
    parser.mention(&table, if from.is_empty() { Mentioned::Filled } else { Mentioned::Changed });
    let (filter, current_of) = change_filter(parser)?;
    let options = query::options(parser)?;
    let update = Update { ctes, top, table, hints, set, output, from, filter, current_of, options, span };
    Ok(StatementKind::Update(Box::new(update)))
}

pub(super) fn delete(parser: &mut Parser<'_>, ctes: With) -> Parsed<StatementKind> {
    parser.bump();
    let top = query::top_of_change(parser)?;
    parser.eat_keyword(Keyword::From);
    let first = parser.at;
    let table = changed_table(parser)?;
    let span = parser.span_from(first);
    let hints = from::with_hints(parser)?;
    let output = output(parser)?;
    let from = tables_of_change(parser)?;
    // Without FROM it is no alias.
    parser.mention(&table, if from.is_empty() { Mentioned::Filled } else { Mentioned::Changed });
    let (filter, current_of) = change_filter(parser)?;
    let options = query::options(parser)?;
    let delete = Delete { ctes, top, table, hints, output, from, filter, current_of, options, span };
    Ok(StatementKind::Delete(Box::new(delete)))
}

fn tables_of_change(parser: &mut Parser<'_>) -> Parsed<Vec<TableRef>> {
    if parser.is_keyword(Keyword::From) && lookahead::is_nested_change_at(parser, 1) {
        return Err(error::nested_change_in_from(parser.line()));
    }
    from::tables(parser)
}

/// A table, an alias or a table variable; a function of rows is known, but not run.
fn changed_table(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    if matches!(parser.kind(), TokenKind::Keyword(Keyword::OpenRowSet | Keyword::OpenQuery | Keyword::OpenDataSource)) {
        return insert_target(parser);
    }
    name::table_name(parser)
}

/// `WHERE condition`, `WHERE CURRENT OF cursor`, or nothing.
fn change_filter(parser: &mut Parser<'_>) -> Parsed<(Option<Expr>, Option<CursorName>)> {
    if parser.is_keyword(Keyword::Where) && parser.is_keyword_at(1, Keyword::Current) {
        parser.at += 2;
        parser.expect_keyword(Keyword::Of)?;
        let cursor = cursor::cursor_name(parser)?;
        return Ok((None, Some(cursor)));
    }
    Ok((query::where_clause(parser)?, None))
}

/// `column op= value`, `@v op= value`, `@v = column op= value`, `column.WRITE(…)`
fn update_set(parser: &mut Parser<'_>) -> Parsed<UpdateSet> {
    if parser.kind() == TokenKind::Variable {
        return update_variable(parser);
    }
    let column = name::object_name(parser)?;
    let is_write = column.parts.len() > 1
        && column.parts.last().is_some_and(|last| last.eq_ignore_ascii_case("write"))
        && parser.kind() == TokenKind::LeftParen;
    if is_write {
        return update_part(parser, column);
    }
    if parser.kind() == TokenKind::LeftParen && column.parts.len() > 1 {
        return update_by_method(parser, column);
    }
    let op = query::expect_assign_operator(parser)?;
    let value = function::argument(parser)?;
    Ok(UpdateSet { variable: None, column: Some(column), op, value, write: None })
}

/// `column.modify('…')` after the name; there is no other method that changes.
fn update_by_method(parser: &mut Parser<'_>, mut column: ObjectName) -> Parsed<UpdateSet> {
    let line = parser.line();
    let value = parser.nested(|parser| function::call(parser, column.clone(), line))?;
    let method = column.parts.pop().unwrap_or_default();
    let value = modification(parser, &method, value)?;
    Ok(UpdateSet { variable: None, column: Some(column), op: AssignOp::Modify, value, write: None })
}

/// The argument of `modify`. A method that does not change stays a call, which the binder refuses by its name.
pub(super) fn modification(parser: &mut Parser<'_>, method: &str, call: Expr) -> Parsed<Expr> {
    match call.kind {
        ExprKind::Function(call) if method == "modify" && call.args.len() == 1 => {
            call.args.into_iter().next().ok_or_else(|| parser.unexpected())
        }
        kind => Ok(Expr { kind, ..call }),
    }
}

/// `column.WRITE(value, offset, length)` after the name.
fn update_part(parser: &mut Parser<'_>, mut column: ObjectName) -> Parsed<UpdateSet> {
    column.parts.pop();
    parser.expect(TokenKind::LeftParen)?;
    let value = parser.value()?;
    parser.expect(TokenKind::Comma)?;
    let offset = parser.value()?;
    parser.expect(TokenKind::Comma)?;
    let length = parser.value()?;
    parser.expect(TokenKind::RightParen)?;
    let write = Some(WritePart { offset, length });
    Ok(UpdateSet { variable: None, column: Some(column), op: AssignOp::Set, value, write })
}

fn update_variable(parser: &mut Parser<'_>) -> Parsed<UpdateSet> {
    let variable = Some(name::variable(parser)?);
    let op = query::expect_assign_operator(parser)?;
    let value = function::argument(parser)?;
    if assign_operator(parser.kind()).is_none() {
        return Ok(UpdateSet { variable, column: None, op, value, write: None });
    }
    let ExprKind::Column(column) = value.kind else {
        return Err(parser.unexpected());
    };
    let op = query::expect_assign_operator(parser)?;
    let value = function::argument(parser)?;
    Ok(UpdateSet { variable, column: Some(column), op, value, write: None })
}

// MERGE.

pub(super) fn merge(parser: &mut Parser<'_>, ctes: With) -> Parsed<StatementKind> {
    let line = parser.bump().line;
    let top = query::top_of_change(parser)?;
    parser.eat_keyword(Keyword::Into);
    let first = parser.at;
    let table = name::table_name(parser)?;
    parser.mention(&table, Mentioned::Filled);
    let span = parser.span_from(first);
    let hints = from::with_hints(parser)?;
    let alias = if parser.is_word("using") { None } else { from::table_alias(parser)? };
    parser.expect_word("using")?;
    if lookahead::is_nested_change(parser) {
        return Err(error::nested_change_in_using(parser.line()));
    }
    let source = from::table_with_joins(parser)?;
    parser.expect_keyword(Keyword::On)?;
    let on = parser.condition()?;
    let mut branches = Vec::new();
    while branches.is_empty() || parser.is_keyword(Keyword::When) {
        parser.expect_keyword(Keyword::When)?;
        branches.push(merge_branch(parser)?);
    }
    let output = output(parser)?;
    let options = query::options(parser)?;
    if parser.kind() != TokenKind::Semicolon && !parser.context.in_changes {
        return Err(error::merge_needs_semicolon(line));
    }
    let merge = Merge { ctes, top, table, hints, alias, source, on, branches, output, options, span };
    Ok(StatementKind::Merge(Box::new(merge)))
}

/// `[NOT] MATCHED [BY TARGET|SOURCE] [AND condition] THEN UPDATE SET …|DELETE|INSERT …`
fn merge_branch(parser: &mut Parser<'_>) -> Parsed<MergeBranch> {
    let not = parser.eat_keyword(Keyword::Not);
    parser.expect_word("matched")?;
    let mut when = if not { MergeWhen::NotMatchedByTarget } else { MergeWhen::Matched };
    if not && parser.eat_keyword(Keyword::By) && !parser.eat_word("target") {
        parser.expect_word("source")?;
        when = MergeWhen::NotMatchedBySource;
    }
    let condition = if parser.eat_keyword(Keyword::And) { Some(parser.condition()?) } else { None };
    parser.expect_keyword(Keyword::Then)?;
    let action =
        if when == MergeWhen::NotMatchedByTarget { merge_insert(parser)? } else { merge_change(parser, when)? };
    Ok(MergeBranch { when, condition, action })
}

fn merge_change(parser: &mut Parser<'_>, when: MergeWhen) -> Parsed<MergeAction> {
    if parser.is_keyword(Keyword::Insert) {
        let clause = if when == MergeWhen::Matched { "WHEN MATCHED" } else { "WHEN NOT MATCHED BY SOURCE" };
        return Err(error::not_in_merge_clause("INSERT", clause, parser.line()));
    }
    if parser.eat_keyword(Keyword::Delete) {
        return Ok(MergeAction::Delete);
    }
    parser.expect_keyword(Keyword::Update)?;
    parser.expect_keyword(Keyword::Set)?;
    parser.comma_separated(update_set).map(MergeAction::Update)
}

fn merge_insert(parser: &mut Parser<'_>) -> Parsed<MergeAction> {
    if matches!(parser.kind(), TokenKind::Keyword(Keyword::Update | Keyword::Delete)) {
        return Err(error::not_in_merge_clause(&parser.upper(), "WHEN NOT MATCHED", parser.line()));
    }
    parser.expect_keyword(Keyword::Insert)?;
    let columns = insert_columns(parser)?;
    if parser.eat_keyword(Keyword::Default) {
        parser.expect_keyword(Keyword::Values)?;
        return Ok(MergeAction::Insert { columns, values: None });
    }
    parser.expect_keyword(Keyword::Values)?;
    let values = parser.nested(|parser| parser.parenthesised(function::argument))?;
    Ok(MergeAction::Insert { columns, values: Some(values) })
}

// BULK INSERT and INSERT BULK.

/// `INSERT BULK table (name type [COLLATE c] [NULL|NOT NULL], …) [WITH (…)]`; the two words are read.
fn insert_bulk(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    let first = parser.at;
    let table = name::table_name(parser)?;
    let span = parser.span_from(first);
    let columns = parser.parenthesised(|parser| {
        let name = name::ident(parser)?;
        let data_type = types::data_type(parser)?;
        if parser.eat_keyword(Keyword::Collate) {
            name::word(parser)?;
        }
        types::nullability(parser)?;
        Ok((name, data_type))
    })?;
    let options = option::with_options(parser)?;
    Ok(StatementKind::InsertBulk(Box::new(InsertBulk { table, columns, options, span })))
}

/// `BULK INSERT table FROM 'file' [WITH (…)]`
pub(super) fn bulk_insert(parser: &mut Parser<'_>) -> Parsed<StatementKind> {
    parser.bump();
    parser.expect_keyword(Keyword::Insert)?;
    let first = parser.at;
    let table = name::object_name(parser)?;
    let span = parser.span_from(first);
    parser.expect_keyword(Keyword::From)?;
    let file = name::string(parser)?;
    let options = option::with_options(parser)?;
    Ok(StatementKind::BulkInsert(Box::new(BulkInsert { table, file, options, span })))
}
