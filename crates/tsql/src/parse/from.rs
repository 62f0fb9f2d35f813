//! FROM: tables, functions, derived tables, joins, hints.

use crate::ast::{
    Expr, ExprKind, Ident, JoinHint, JoinKind, Mentioned, ObjectName, OpenXmlSchema, Query, QueryBody, Span, TableRef,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::json::open;
use crate::parse::{Parser, function, literal, lookahead, name, unsupported};
use crate::token::TokenKind;

/// Table hints, in order. INDEX, FORCESEEK and SPATIAL_WINDOW_MAX_CELLS may have arguments.
const HINTS: [&str; 26] = [
    "FASTFIRSTROW",
    "FORCESCAN",
    "FORCESEEK",
    "HOLDLOCK",
    "IGNORE_CONSTRAINTS",
    "IGNORE_TRIGGERS",
    "INDEX",
    "KEEPDEFAULTS",
    "KEEPIDENTITY",
    "NOEXPAND",
    "NOLOCK",
    "NOWAIT",
    "PAGLOCK",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "READPAST",
    "READUNCOMMITTED",
    "REPEATABLEREAD",
    "ROWLOCK",
    "SERIALIZABLE",
    "SNAPSHOT",
    "SPATIAL_WINDOW_MAX_CELLS",
    "TABLOCK",
    "TABLOCKX",
    "UPDLOCK",
    "XLOCK",
];

/// `FROM table, …`, if there is one.
pub(super) fn tables(parser: &mut Parser<'_>) -> Parsed<Vec<TableRef>> {
    if parser.eat_keyword(Keyword::From) { parser.comma_separated(table_with_joins) } else { Ok(Vec::new()) }
}

pub(super) fn table_with_joins(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    parser.framed(|parser| {
        let mut left = table(parser)?;
        while let Some(words) = join_words(parser)? {
            let joined = join(parser, words, left)?;
            left = turned(parser, joined)?;
            parser.grow(1)?;
        }
        Ok(left)
    })
}

/// The join whose words and left side are read. `a JOIN b JOIN c ON … ON …` joins `b` and `c` first.
fn join(parser: &mut Parser<'_>, (kind, hint): (JoinKind, Option<JoinHint>), left: TableRef) -> Parsed<TableRef> {
    let has_condition = !matches!(kind, JoinKind::Cross | JoinKind::CrossApply | JoinKind::OuterApply);
    let mut right = table(parser)?;
    let mut on = None;
    if has_condition {
        while let Some(inner) = join_words(parser)? {
            right = parser.nested(|parser| join(parser, inner, right))?;
            parser.grow(1)?;
        }
        parser.expect_keyword(Keyword::On)?;
        on = Some(parser.condition()?);
    }
    Ok(TableRef::Join { kind, hint, left: Box::new(left), right: Box::new(right), on })
}

/// Takes the words of a join, if they stand here: its kind, and how it is to be run.
fn join_words(parser: &mut Parser<'_>) -> Parsed<Option<(JoinKind, Option<JoinHint>)>> {
    let kind = match parser.kind() {
        TokenKind::Keyword(Keyword::Join) => JoinKind::Inner,
        TokenKind::Keyword(Keyword::Inner) => JoinKind::Inner,
        TokenKind::Keyword(Keyword::Left) => JoinKind::Left,
        TokenKind::Keyword(Keyword::Right) => JoinKind::Right,
        TokenKind::Keyword(Keyword::Full) => JoinKind::Full,
        TokenKind::Keyword(Keyword::Cross) => return cross(parser).map(|kind| Some((kind, None))),
        TokenKind::Keyword(Keyword::Outer) => {
            parser.bump();
            parser.expect_word("apply")?;
            return Ok(Some((JoinKind::OuterApply, None)));
        }
        _ => return Ok(None),
    };
    if parser.eat_keyword(Keyword::Join) {
        return Ok(Some((kind, None)));
    }
    parser.bump();
    if kind != JoinKind::Inner {
        parser.eat_keyword(Keyword::Outer);
    }
    let hint = join_hint(parser, kind)?;
    parser.expect_keyword(Keyword::Join)?;
    Ok(Some((kind, hint)))
}

/// The word between a join's kind and JOIN, if there is one.
fn join_hint(parser: &mut Parser<'_>, kind: JoinKind) -> Parsed<Option<JoinHint>> {
    let hint = if parser.is_keyword(Keyword::Merge) {
        JoinHint::Merge
    } else if parser.is_word("loop") {
        JoinHint::Loop
    } else if parser.is_word("hash") {
        JoinHint::Hash
    } else if parser.is_word("remote") {
        JoinHint::Remote
    } else if parser.kind() == TokenKind::Word && parser.is_keyword_at(1, Keyword::Join) {
        return Err(error::not_a_join_option(parser.source(parser.token()), parser.line()));
    } else {
        return Ok(None);
    };
    if hint == JoinHint::Remote && kind != JoinKind::Inner {
        return Err(error::remote_outer_join(parser.line()));
    }
    parser.bump();
    Ok(Some(hint))
}

fn cross(parser: &mut Parser<'_>) -> Parsed<JoinKind> {
    parser.bump();
    if parser.eat_word("apply") {
        return Ok(JoinKind::CrossApply);
    }
    parser.expect_keyword(Keyword::Join)?;
    Ok(JoinKind::Cross)
}

/// One table with what may stand after it.
fn table(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    if lookahead::is_nested_change(parser) {
        return Err(error::nested_change_elsewhere(parser.context.in_changes, parser.line()));
    }
    let table = match parser.kind() {
        TokenKind::LeftParen if is_values_parenthesis(parser) || lookahead::is_query_parenthesis(parser) => {
            derived(parser)?
        }
        TokenKind::LeftParen => {
            parser.bump();
            let joined = parser.nested(table_with_joins)?;
            parser.expect(TokenKind::RightParen)?;
            joined
        }
        TokenKind::LeftBrace if parser.is_word_at(1, "oj") => {
            parser.at += 2;
            let joined = parser.nested(table_with_joins)?;
            parser.expect(TokenKind::RightBrace)?;
            joined
        }
        TokenKind::DoubleColon => {
            parser.bump();
            let first = parser.at;
            let name = name::object_name(parser)?;
            table_function(parser, name, first)?
        }
        TokenKind::Keyword(
            Keyword::OpenRowSet
            | Keyword::OpenQuery
            | Keyword::OpenDataSource
            | Keyword::ContainsTable
            | Keyword::FreeTextTable
            | Keyword::SemanticKeyPhraseTable
            | Keyword::SemanticSimilarityTable
            | Keyword::SemanticSimilarityDetailsTable,
        ) => rowset_function(parser)?,
        TokenKind::Keyword(Keyword::OpenXml) => open_xml(parser)?,
        _ if is_change_table(parser) => rowset_function(parser)?,
        _ => named_table(parser)?,
    };
    turned(parser, table)
}

/// A table or join with the PIVOTs and UNPIVOTs after it.
fn turned(parser: &mut Parser<'_>, mut table: TableRef) -> Parsed<TableRef> {
    while matches!(parser.kind(), TokenKind::Keyword(Keyword::Pivot | Keyword::Unpivot)) {
        table = pivot(parser, table)?;
    }
    Ok(table)
}

/// `CHANGETABLE (CHANGES table, …)`, `CHANGETABLE (VERSION table, …)`: words that no function of a user's takes.
fn is_change_table(parser: &Parser<'_>) -> bool {
    let is_form = || parser.is_word_at(2, "changes") || parser.is_word_at(2, "version");
    parser.is_word("changetable") && parser.kind_at(1) == TokenKind::LeftParen && is_form() && {
        matches!(parser.kind_at(3), TokenKind::Word | TokenKind::Quoted)
    }
}

fn is_values_parenthesis(parser: &Parser<'_>) -> bool {
    parser.kind() == TokenKind::LeftParen && parser.is_keyword_at(1, Keyword::Values)
}

/// `(query) [AS] alias [(columns)]`, `(VALUES …) [AS] alias (columns)`
fn derived(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    let query = if is_values_parenthesis(parser) {
        parser.bump();
        let rows = parser.nested(values_rows)?;
        parser.expect(TokenKind::RightParen)?;
        Query::plain(QueryBody::Values(rows))
    } else {
        parser.parenthesised_query()?
    };
    let Some(alias) = table_alias(parser)? else {
        return Err(parser.unexpected());
    };
    let columns = name::column_list(parser)?;
    Ok(TableRef::Derived { query: Box::new(query), alias: Some(alias), columns })
}

/// `VALUES (…), (…)`
pub(super) fn values_rows(parser: &mut Parser<'_>) -> Parsed<Vec<Vec<Expr>>> {
    parser.expect_keyword(Keyword::Values)?;
    parser.comma_separated(|parser| parser.nested(|parser| parser.parenthesised(function::argument)))
}

/// A table, a table variable, or a function.
fn named_table(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    let first = parser.at;
    let mut name = ObjectName { parts: Vec::new() };
    if parser.kind() == TokenKind::Variable {
        let has_method = parser.kind_at(1) == TokenKind::Period;
        name.parts.push(if has_method { name::variable(parser)? } else { name::table_variable(parser)? });
        if parser.eat(TokenKind::Period) {
            name.parts.append(&mut name::object_name(parser)?.parts);
            return table_function(parser, name, first);
        }
    } else {
        name = name::object_name(parser)?;
    }
    if parser.kind() == TokenKind::LeftParen && !is_old_hints(parser) {
        return table_function(parser, name, first);
    }
    let span = parser.span_from(first);
    parser.met.relations.push(span);
    system_time(parser)?;
    let is_variable = name.parts.len() == 1 && name.last().starts_with('@');
    let mut hints = if is_variable { Vec::new() } else { old_hints(parser)? };
    let alias = table_alias(parser)?;
    if is_variable {
        return variable_table(parser, name, alias, span);
    }
    if alias.is_some() && is_unknown_hint(parser) {
        let word = parser.tokens[parser.at + 1];
        return Err(error::unknown_hint(parser.source(word), word.line));
    }
    let sample = if parser.is_keyword(Keyword::TableSample) { Some(table_sample(parser)?) } else { None };
    hints.append(&mut old_hints(parser)?);
    hints.append(&mut with_hints(parser)?);
    if matches!(parser.kind(), TokenKind::Keyword(Keyword::Index | Keyword::HoldLock)) {
        return Err(error::hint_needs_with(parser.source(parser.token()), parser.line()));
    }
    let table = TableRef::Named { name, alias, hints, span };
    Ok(match sample {
        Some((size, rows, repeatable)) => TableRef::Sample { table: Box::new(table), size, rows, repeatable },
        None => table,
    })
}

/// A table variable, which takes no hints.
fn variable_table(parser: &mut Parser<'_>, name: ObjectName, alias: Option<Ident>, span: Span) -> Parsed<TableRef> {
    if is_old_hints(parser) {
        return Err(error::hint_needs_with(parser.source(parser.tokens[parser.at + 1]), parser.line()));
    }
    Ok(TableRef::Named { name, alias, hints: Vec::new(), span })
}

fn table_function(parser: &mut Parser<'_>, name: ObjectName, first: usize) -> Parsed<TableRef> {
    if matches!(name.parts.as_slice(), [name] if name.eq_ignore_ascii_case("openjson")) {
        return open_json(parser, first);
    }
    if name.parts.len() > 1 {
        parser.mention(&name, Mentioned::Function);
    }
    let args = parser.nested(function_arguments)?;
    let span = parser.span_from(first);
    if parser.is_keyword(Keyword::With) && parser.kind_at(1) == TokenKind::LeftParen && !is_hint_at(parser, 2) {
        parser.bump();
        parser.not_yet("WITH after a table-valued function");
        unsupported::skip_parentheses(parser)?;
    }
    let alias = table_alias(parser)?;
    let columns = if alias.is_some() && !is_old_hints(parser) { name::column_list(parser)? } else { Vec::new() };
    old_hints(parser)?;
    with_hints(parser)?;
    Ok(TableRef::Function { name, args, alias, columns, span })
}

/// `OPENJSON (text [, path]) [WITH (columns)] [[AS] alias [(names)]]` after its name.
fn open_json(parser: &mut Parser<'_>, first: usize) -> Parsed<TableRef> {
    let args = parser.nested(|parser| parser.parenthesised(Parser::value))?;
    let span = parser.span_from(first);
    let schema = open::schema(parser)?;
    let alias = table_alias(parser)?;
    let columns = if alias.is_some() { name::column_list(parser)? } else { Vec::new() };
    Ok(TableRef::OpenJson { args, schema, alias, columns, span })
}

/// `OPENXML (handle, pattern [, flags]) [WITH (columns)|table] [[AS] alias [(names)]]`
fn open_xml(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    let first = parser.at;
    parser.bump();
    let args = parser.nested(|parser| parser.parenthesised(Parser::value))?;
    let span = parser.span_from(first);
    let schema = match open::schema(parser)? {
        Some(columns) => Some(OpenXmlSchema::Columns(columns)),
        None if parser.is_keyword(Keyword::With) => {
            parser.bump();
            Some(OpenXmlSchema::Table(name::object_name(parser)?))
        }
        None => None,
    };
    let alias = table_alias(parser)?;
    let columns = if alias.is_some() { name::column_list(parser)? } else { Vec::new() };
    Ok(TableRef::OpenXml { args, schema, alias, columns, span })
}

fn function_arguments(parser: &mut Parser<'_>) -> Parsed<Vec<Expr>> {
    if parser.kind_at(1) == TokenKind::RightParen {
        parser.at += 2;
        return Ok(Vec::new());
    }
    parser.parenthesised(function::argument)
}

/// `OPENROWSET (…) [WITH (…)] [AS] alias [(columns)]` and its kind: known, but not run.
fn rowset_function(parser: &mut Parser<'_>) -> Parsed<TableRef> {
    let first = parser.at;
    let word = parser.upper();
    parser.not_yet(&word);
    parser.bump();
    unsupported::skip_parentheses(parser)?;
    while parser.eat(TokenKind::Period) {
        name::ident(parser)?;
    }
    if parser.is_keyword(Keyword::With) && parser.kind_at(1) == TokenKind::LeftParen {
        parser.bump();
        unsupported::skip_parentheses(parser)?;
    }
    let span = parser.span_from(first);
    let alias = table_alias(parser)?;
    let columns = name::column_list(parser)?;
    Ok(TableRef::Function { name: ObjectName { parts: vec![word] }, args: Vec::new(), alias, columns, span })
}

/// `PIVOT (aggregate FOR column IN (a, b)) [AS] alias`, `UNPIVOT (value FOR name IN (a, b)) [AS] alias`
fn pivot(parser: &mut Parser<'_>, table: TableRef) -> Parsed<TableRef> {
    let table = Box::new(table);
    let unpivot = parser.is_keyword(Keyword::Unpivot);
    parser.bump();
    parser.grow(1)?;
    parser.expect(TokenKind::LeftParen)?;
    if unpivot {
        let value = name::ident(parser)?;
        parser.expect_keyword(Keyword::For)?;
        let name = name::ident(parser)?;
        parser.expect_keyword(Keyword::In)?;
        let columns = parser.parenthesised(name::object_name)?;
        let alias = pivot_alias(parser)?;
        return Ok(TableRef::Unpivot { table, value, name, columns, alias });
    }
    let line = parser.line();
    let function = name::object_name(parser)?;
    let call = parser.nested(|parser| function::call(parser, function, line))?;
    let ExprKind::Function(aggregate) = call.kind else {
        return Err(parser.unexpected());
    };
    parser.expect_keyword(Keyword::For)?;
    let column = name::object_name(parser)?;
    parser.expect_keyword(Keyword::In)?;
    let values = parser.parenthesised(name::ident)?;
    let alias = pivot_alias(parser)?;
    Ok(TableRef::Pivot { table, aggregate, column, values, alias })
}

/// `) [AS] alias`
fn pivot_alias(parser: &mut Parser<'_>) -> Parsed<Ident> {
    parser.expect(TokenKind::RightParen)?;
    match table_alias(parser)? {
        Some(alias) => Ok(alias),
        None => Err(parser.unexpected()),
    }
}

/// `FOR SYSTEM_TIME AS OF …|ALL|…`
fn system_time(parser: &mut Parser<'_>) -> Parsed<()> {
    if !parser.is_keyword(Keyword::For) || !parser.is_word_at(1, "system_time") {
        return Ok(());
    }
    parser.at += 2;
    parser.not_yet("FOR SYSTEM_TIME");
    if parser.eat_keyword(Keyword::All) {
        return Ok(());
    }
    if parser.eat_word("contained") {
        parser.expect_keyword(Keyword::In)?;
        return unsupported::skip_parentheses(parser);
    }
    if parser.eat_keyword(Keyword::As) {
        parser.expect_keyword(Keyword::Of)?;
        return literal::constant(parser).map(|_| ());
    }
    let between = parser.eat_keyword(Keyword::Between);
    if !between {
        parser.expect_keyword(Keyword::From)?;
    }
    literal::constant(parser)?;
    parser.expect_keyword(if between { Keyword::And } else { Keyword::To })?;
    literal::constant(parser).map(|_| ())
}

/// `TABLESAMPLE [SYSTEM] (n [PERCENT|ROWS]) [REPEATABLE (n)]`
fn table_sample(parser: &mut Parser<'_>) -> Parsed<(Expr, bool, Option<Expr>)> {
    parser.bump();
    parser.eat_word("system");
    parser.expect(TokenKind::LeftParen)?;
    let size = parser.nested(Parser::value)?;
    let rows = parser.eat_word("rows");
    if !rows {
        parser.eat_keyword(Keyword::Percent);
    }
    parser.expect(TokenKind::RightParen)?;
    let mut repeatable = None;
    if parser.eat_word("repeatable") {
        parser.expect(TokenKind::LeftParen)?;
        repeatable = Some(parser.nested(Parser::value)?);
        parser.expect(TokenKind::RightParen)?;
    }
    Ok((size, rows, repeatable))
}

/// `[AS] name`, if there is one.
pub(super) fn table_alias(parser: &mut Parser<'_>) -> Parsed<Option<Ident>> {
    let named = name::is_name(parser) && !lookahead::is_window_clause(parser);
    if parser.eat_keyword(Keyword::As) || named { name::ident(parser).map(Some) } else { Ok(None) }
}

// Hints.

fn is_hint_at(parser: &Parser<'_>, ahead: usize) -> bool {
    let Some(token) = parser.tokens.get(parser.at + ahead) else {
        return false;
    };
    is_hint(&parser.source(*token).to_uppercase())
}

/// `(NOLOCK)` without WITH, which looks like a function's arguments.
fn is_old_hints(parser: &Parser<'_>) -> bool {
    let is_hint_end =
        matches!(parser.kind_at(2), TokenKind::RightParen | TokenKind::Comma | TokenKind::Equal | TokenKind::LeftParen);
    parser.kind() == TokenKind::LeftParen && is_hint_end && is_hint_at(parser, 1)
}

/// `(word)` after an alias, which is no hint.
fn is_unknown_hint(parser: &Parser<'_>) -> bool {
    parser.kind() == TokenKind::LeftParen
        && parser.kind_at(1) == TokenKind::Word
        && parser.kind_at(2) == TokenKind::RightParen
        && !is_hint_at(parser, 1)
}

fn old_hints(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    if !is_old_hints(parser) {
        return Ok(Vec::new());
    }
    if parser.is_keyword_at(1, Keyword::Index) {
        return Err(error::hint_needs_with(parser.source(parser.tokens[parser.at + 1]), parser.line()));
    }
    hint_list(parser)
}

/// `WITH (hint, …)`, if there is one. A WITH of another kind needs a semicolon before it.
pub(super) fn with_hints(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    if !parser.is_keyword(Keyword::With) || parser.kind_at(1) != TokenKind::LeftParen {
        return Ok(Vec::new());
    }
    parser.bump();
    hint_list(parser)
}

/// `(hint [,] hint …)`
fn hint_list(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    parser.expect(TokenKind::LeftParen)?;
    let mut hints = vec![hint(parser)?];
    while parser.kind() != TokenKind::RightParen {
        parser.eat(TokenKind::Comma);
        hints.push(hint(parser)?);
    }
    parser.bump();
    Ok(hints)
}

/// `NOLOCK`, `INDEX(ix)`, `INDEX = ix`, `FORCESEEK(ix(a, b))`
fn hint(parser: &mut Parser<'_>) -> Parsed<Ident> {
    if !matches!(parser.kind(), TokenKind::Word | TokenKind::Keyword(Keyword::HoldLock | Keyword::Index)) {
        return Err(parser.unexpected());
    }
    let word = parser.upper();
    if !is_hint(&word) {
        return Err(error::unknown_hint(parser.source(parser.token()), parser.line()));
    }
    let first = parser.at;
    parser.bump();
    match word.as_str() {
        "INDEX" => {
            if parser.eat(TokenKind::Equal) && parser.kind() != TokenKind::LeftParen {
                index_value(parser)?;
            } else {
                parser.parenthesised(index_value)?;
            }
        }
        "FORCESEEK" if parser.eat(TokenKind::LeftParen) => {
            index_value(parser)?;
            parser.parenthesised(name::ident)?;
            parser.expect(TokenKind::RightParen)?;
        }
        "SPATIAL_WINDOW_MAX_CELLS" => {
            parser.expect(TokenKind::Equal)?;
            parser.expect(TokenKind::Integer)?;
        }
        _ => {}
    }
    let written = parser.tokens[first + 1..parser.at].iter().map(|token| parser.source(*token));
    Ok(std::iter::once(word.as_str()).chain(written).collect::<Vec<_>>().join(" "))
}

/// The name of an index, or its number.
fn index_value(parser: &mut Parser<'_>) -> Parsed<()> {
    if !matches!(parser.kind(), TokenKind::Word | TokenKind::Quoted | TokenKind::Integer) {
        return Err(parser.unexpected());
    }
    parser.bump();
    Ok(())
}

fn is_hint(upper: &str) -> bool {
    HINTS.binary_search(&upper).is_ok()
}
