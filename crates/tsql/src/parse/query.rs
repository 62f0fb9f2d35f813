//! Queries: SELECT blocks, set operators, ORDER BY, CTEs, and the clauses after a query.

mod hint;

pub(super) use hint::options;

use crate::ast::{
    AssignOp, Assignment, Cte, Expr, ExprKind, ForClause, ForFormat, GroupItem, Ident, Mentioned, ObjectName, Over,
    Query, QueryBody, Select, SelectItem, SetOperator, Top, With, XmlNamespaces,
};
use crate::error::{self, Parsed};
use crate::keyword::Keyword;
use crate::parse::{Parser, from, function, literal, lookahead, name, option, unsupported};
use crate::token::TokenKind;

/// More queries than this under one set operator become a balanced tree; see `expression::CHAIN_AS_WRITTEN_MAX`.
const CHAIN_AS_WRITTEN_MAX: usize = 64;

/// A query inside another takes the stack of two levels. SQL Server allows 32 queries inside each other, this parser 50.
const QUERY_LEVELS: u32 = 2;

// Where a query begins.

/// Fails where no `(SELECT` stands.
pub(super) fn expect_query_parenthesis(parser: &mut Parser<'_>) -> Parsed<()> {
    if lookahead::is_query_parenthesis(parser) {
        return Ok(());
    }
    parser.expect(TokenKind::LeftParen)?;
    Err(parser.unexpected())
}

/// `(query)`
pub(super) fn parenthesised_query(parser: &mut Parser<'_>) -> Parsed<Query> {
    if parser.context.refuses_queries {
        return Err(error::subquery_not_allowed(parser.line()));
    }
    parser.expect(TokenKind::LeftParen)?;
    let before = std::mem::replace(&mut parser.context.in_parenthesised_query, true);
    let query = parser.deeper(QUERY_LEVELS, query)?;
    parser.context.in_parenthesised_query = before;
    parser.expect(TokenKind::RightParen)?;
    Ok(query)
}

/// Something that has no subquery.
pub(super) fn without_queries<'a, T>(
    parser: &mut Parser<'a>,
    read: impl FnOnce(&mut Parser<'a>) -> Parsed<T>,
) -> Parsed<T> {
    let before = std::mem::replace(&mut parser.context.refuses_queries, true);
    let made = read(parser)?;
    parser.context.refuses_queries = before;
    Ok(made)
}

// Queries.

/// A query with ORDER BY, without CTEs and OPTION.
fn query(parser: &mut Parser<'_>) -> Parsed<Query> {
    let body = query_body(parser)?;
    let mut query = Query::plain(body);
    order_clause(parser, &mut query)?;
    query.for_clause = for_clause(parser)?;
    Ok(query)
}

/// `ORDER BY …` with its OFFSET and FETCH, if there is one.
fn order_clause(parser: &mut Parser<'_>, query: &mut Query) -> Parsed<()> {
    if parser.is_keyword(Keyword::Order) {
        query.order_by = function::order_by(parser)?;
        if parser.is_word("offset") {
            offset_fetch(parser, query)?;
        } else if is_fetch_of_rows(parser) {
            let word = parser.source(parser.tokens[parser.at + 1]).to_owned();
            return Err(error::option_of(&word, "FETCH", parser.line()));
        }
    }
    Ok(())
}

/// A query with all its clauses, as a statement.
pub(super) fn full_query(parser: &mut Parser<'_>, ctes: With) -> Parsed<Query> {
    let mut query = query(parser)?;
    query.ctes = ctes;
    query.options = options(parser)?;
    if query.for_clause.is_none() && !query.options.is_empty() {
        query.for_clause = for_clause(parser)?;
    }
    Ok(query)
}

/// `FETCH NEXT n`, which is none of a cursor.
fn is_fetch_of_rows(parser: &Parser<'_>) -> bool {
    let is_word = parser.is_word_at(1, "next") || parser.is_word_at(1, "first");
    let is_count = matches!(parser.kind_at(2), TokenKind::Integer | TokenKind::LeftParen | TokenKind::Variable);
    parser.is_keyword(Keyword::Fetch) && is_word && is_count
}

fn offset_fetch(parser: &mut Parser<'_>, query: &mut Query) -> Parsed<()> {
    parser.bump();
    query.offset = Some(parser.value()?);
    rows_word(parser)?;
    if parser.is_keyword(Keyword::Fetch) && (parser.is_word_at(1, "next") || parser.is_word_at(1, "first")) {
        parser.at += 2;
        query.fetch = Some(parser.value()?);
        rows_word(parser)?;
        parser.expect_word("only")?;
    }
    Ok(())
}

fn rows_word(parser: &mut Parser<'_>) -> Parsed<()> {
    if parser.eat_word("rows") { Ok(()) } else { parser.expect_word("row") }
}

/// `FOR XML …`, `FOR JSON …`, `FOR BROWSE`. Other FORs belong to a cursor.
fn for_clause(parser: &mut Parser<'_>) -> Parsed<Option<ForClause>> {
    let format = if parser.is_keyword_at(1, Keyword::Browse) {
        ForFormat::Browse
    } else if parser.is_word_at(1, "xml") {
        ForFormat::Xml
    } else if parser.is_word_at(1, "json") {
        ForFormat::Json
    } else {
        return Ok(None);
    };
    if !parser.eat_keyword(Keyword::For) {
        return Ok(None);
    }
    parser.bump();
    let options = if format == ForFormat::Browse { Vec::new() } else { parser.comma_separated(for_option)? };
    Ok(Some(ForClause { format, options }))
}

/// `PATH ('row')`, `ROOT`, `BINARY BASE64`: as written.
fn for_option(parser: &mut Parser<'_>) -> Parsed<String> {
    let first = parser.at;
    name::ident(parser)?;
    while name::is_name(parser) {
        parser.bump();
    }
    if parser.kind() == TokenKind::LeftParen {
        unsupported::skip_parentheses(parser)?;
    }
    Ok(option::source_words(parser, first))
}

fn query_body(parser: &mut Parser<'_>) -> Parsed<QueryBody> {
    parser.framed(|parser| {
        let mut has_orders = false;
        let first = intersection(parser, &mut has_orders)?;
        let mut rest = Vec::new();
        while let Some(op) = eat_set_operator(parser) {
            let all = parser.eat_keyword(Keyword::All);
            rest.push((op, all, intersection(parser, &mut has_orders)?));
        }
        join_queries(parser, first, rest)
    })
}

fn eat_set_operator(parser: &mut Parser<'_>) -> Option<SetOperator> {
    if parser.eat_keyword(Keyword::Union) {
        Some(SetOperator::Union)
    } else if parser.eat_keyword(Keyword::Except) {
        Some(SetOperator::Except)
    } else {
        None
    }
}

/// INTERSECT binds tighter than the other two.
fn intersection(parser: &mut Parser<'_>, has_orders: &mut bool) -> Parsed<QueryBody> {
    parser.framed(|parser| {
        let mut left = query_term(parser, has_orders)?;
        while parser.eat_keyword(Keyword::Intersect) {
            let right = query_term(parser, has_orders)?;
            parser.grow(1)?;
            left = set_operation(SetOperator::Intersect, false, left, right);
        }
        Ok(left)
    })
}

/// In parentheses a SELECT of a UNION may have an ORDER BY of its own, for its TOP: `has_orders` says that one before it has,
/// and then that of the last is its own too.
fn query_term(parser: &mut Parser<'_>, has_orders: &mut bool) -> Parsed<QueryBody> {
    if parser.kind() == TokenKind::LeftParen {
        return Ok(QueryBody::Nested(Box::new(parenthesised_query(parser)?)));
    }
    let select = QueryBody::Select(Box::new(select(parser)?));
    let is_inside = parser.context.in_parenthesised_query && parser.is_keyword(Keyword::Order);
    if !is_inside || !(*has_orders || lookahead::is_order_within_union(parser)) {
        return Ok(select);
    }
    *has_orders = true;
    let mut query = Query::plain(select);
    order_clause(parser, &mut query)?;
    parser.grow(1)?;
    Ok(QueryBody::Nested(Box::new(query)))
}

/// From left to right. A long chain of one operator, UNION or UNION ALL, which are associative, is balanced.
fn join_queries(
    parser: &mut Parser<'_>,
    first: QueryBody,
    rest: Vec<(SetOperator, bool, QueryBody)>,
) -> Parsed<QueryBody> {
    let Some((op, all)) = rest.first().map(|(op, all, _)| (*op, *all)) else {
        return Ok(first);
    };
    let uniform = rest.iter().all(|item| (item.0, item.1) == (op, all));
    if rest.len() < CHAIN_AS_WRITTEN_MAX || !uniform || op != SetOperator::Union {
        parser.grow(rest.len() as u32)?;
        return Ok(rest.into_iter().fold(first, |left, (op, all, right)| set_operation(op, all, left, right)));
    }
    let bodies: Vec<QueryBody> = std::iter::once(first).chain(rest.into_iter().map(|item| item.2)).collect();
    parser.grow(bodies.len().ilog2() + 1)?;
    Ok(balanced_union(all, bodies))
}

/// `WITH name [(columns)] AS (query), …`
pub(super) fn ctes(parser: &mut Parser<'_>) -> Parsed<With> {
    parser.expect_keyword(Keyword::With)?;
    let mut namespaces = XmlNamespaces::default();
    if parser.eat_word("xmlnamespaces") {
        namespaces = xml_namespaces(parser)?;
        if !parser.eat(TokenKind::Comma) {
            return Ok(With { namespaces, ctes: Vec::new() });
        }
    }
    if parser.is_word("change_tracking_context") && parser.kind_at(1) == TokenKind::LeftParen {
        parser.not_yet("WITH CHANGE_TRACKING_CONTEXT");
        parser.bump();
        unsupported::skip_parentheses(parser)?;
        if !parser.eat(TokenKind::Comma) {
            return Ok(With { namespaces, ctes: Vec::new() });
        }
    }
    let ctes = parser.comma_separated(|parser| {
        let name = name::ident(parser)?;
        parser.mention(&ObjectName { parts: vec![name.clone()] }, Mentioned::Cte);
        let columns = name::column_list(parser)?;
        parser.expect_keyword(Keyword::As)?;
        let query = parenthesised_query(parser)?;
        Ok(Cte { name, columns, query })
    })?;
    Ok(With { namespaces, ctes })
}

/// `('namespace' AS prefix, DEFAULT 'namespace')` after the word.
fn xml_namespaces(parser: &mut Parser<'_>) -> Parsed<XmlNamespaces> {
    let mut namespaces = XmlNamespaces::default();
    parser.expect(TokenKind::LeftParen)?;
    loop {
        let is_default = parser.is_keyword(Keyword::Default);
        if is_default {
            if namespaces.default.is_some() {
                return Err(parser.unexpected());
            }
            parser.bump();
        }
        let uri = name::string(parser)?;
        if is_default {
            namespaces.default = Some(uri);
            namespaces.default_place = namespaces.prefixes.len();
        } else {
            parser.expect_keyword(Keyword::As)?;
            namespaces.prefixes.push((uri, name::ident(parser)?));
        }
        if !parser.eat(TokenKind::Comma) {
            break;
        }
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(namespaces)
}

/// `[WITH …] query [OPTION …]`
pub(super) fn query_with_ctes(parser: &mut Parser<'_>) -> Parsed<Query> {
    let ctes = if parser.is_keyword(Keyword::With) { ctes(parser)? } else { With::default() };
    full_query(parser, ctes)
}

// One SELECT block.

fn select(parser: &mut Parser<'_>) -> Parsed<Select> {
    let first = parser.at;
    parser.expect_keyword(Keyword::Select)?;
    let distinct = parser.eat_keyword(Keyword::Distinct);
    if !distinct {
        parser.eat_keyword(Keyword::All);
    }
    let top = top(parser)?;
    let items = parser.comma_separated(select_item)?;
    let into = if parser.eat_keyword(Keyword::Into) { Some(select_into(parser)?) } else { None };
    let from = from::tables(parser)?;
    let filter = where_clause(parser)?;
    let group_by = group_by(parser)?;
    let having = if parser.eat_keyword(Keyword::Having) { Some(parser.condition()?) } else { None };
    let windows = window_clause(parser)?;
    let span = parser.span_from(first);
    Ok(Select { distinct, top, items, into, from, filter, group_by, having, windows, span })
}

/// `WINDOW name AS (…), …`
fn window_clause(parser: &mut Parser<'_>) -> Parsed<Vec<(Ident, Over)>> {
    if !lookahead::is_window_clause(parser) {
        return Ok(Vec::new());
    }
    parser.bump();
    parser.comma_separated(|parser| {
        let name = name::ident(parser)?;
        parser.expect_keyword(Keyword::As)?;
        Ok((name, parser.nested(function::window_specification)?))
    })
}

fn select_into(parser: &mut Parser<'_>) -> Parsed<ObjectName> {
    let name = name::defined_name(parser)?;
    if parser.eat_keyword(Keyword::On) {
        name::ident(parser)?;
    }
    Ok(name)
}

/// TOP of a change, which needs the parentheses.
pub(super) fn top_of_change(parser: &mut Parser<'_>) -> Parsed<Option<Top>> {
    if parser.is_keyword(Keyword::Top) && parser.kind_at(1) != TokenKind::LeftParen {
        parser.bump();
        return Err(parser.unexpected());
    }
    top(parser)
}

/// `TOP n|(value) [PERCENT] [WITH TIES]`, if there is one. A variable needs the parentheses.
fn top(parser: &mut Parser<'_>) -> Parsed<Option<Top>> {
    if !parser.eat_keyword(Keyword::Top) {
        return Ok(None);
    }
    let count = match parser.kind() {
        TokenKind::LeftParen if lookahead::is_query_parenthesis_of_value(parser) => {
            let line = parser.line();
            let query = parenthesised_query(parser)?;
            Expr { kind: ExprKind::Subquery(Box::new(query)), line }
        }
        TokenKind::LeftParen => {
            parser.bump();
            let count = parser.nested(Parser::value)?;
            parser.expect(TokenKind::RightParen)?;
            count
        }
        TokenKind::Integer | TokenKind::Decimal | TokenKind::Float => literal::literal(parser)?,
        _ => return Err(parser.unexpected()),
    };
    let percent = parser.eat_keyword(Keyword::Percent);
    let with_ties = parser.is_keyword(Keyword::With) && parser.is_word_at(1, "ties");
    if with_ties {
        parser.at += 2;
    }
    Ok(Some(Top { count, percent, with_ties }))
}

pub(super) fn select_item(parser: &mut Parser<'_>) -> Parsed<SelectItem> {
    if parser.eat(TokenKind::Star) {
        return Ok(SelectItem::Wildcard);
    }
    if parser.kind() == TokenKind::Variable && assign_operator(parser.kind_at(1)).is_some() {
        if parser.context.in_parenthesised_query {
            parser.bump();
            return Err(parser.unexpected());
        }
        return assignment(parser).map(SelectItem::Assign);
    }
    if is_qualified_wildcard(parser) {
        let name = name::object_name(parser)?;
        parser.at += 2;
        return Ok(SelectItem::QualifiedWildcard(name));
    }
    if parser.kind_at(1) == TokenKind::Equal && (name::is_name(parser) || name::is_string(parser)) {
        let alias = Some(alias_name(parser)?);
        parser.bump();
        let expr = parser.value()?;
        return Ok(SelectItem::Expr { expr, alias });
    }
    let expr = parser.value()?;
    let alias = column_alias(parser)?;
    Ok(SelectItem::Expr { expr, alias })
}

/// `name.*`, `schema.name.*`
fn is_qualified_wildcard(parser: &Parser<'_>) -> bool {
    let mut ahead = 0;
    while matches!(parser.kind_at(ahead), TokenKind::Word | TokenKind::Quoted)
        && parser.kind_at(ahead + 1) == TokenKind::Period
    {
        ahead += 2;
        while parser.kind_at(ahead) == TokenKind::Period {
            ahead += 1;
        }
    }
    ahead > 0 && parser.kind_at(ahead) == TokenKind::Star
}

/// `@v op= value`
pub(super) fn assignment(parser: &mut Parser<'_>) -> Parsed<Assignment> {
    let variable = name::variable(parser)?;
    let op = expect_assign_operator(parser)?;
    let value = parser.value()?;
    Ok(Assignment { variable, op, value })
}

pub(super) fn expect_assign_operator(parser: &mut Parser<'_>) -> Parsed<AssignOp> {
    let Some(op) = assign_operator(parser.kind()) else {
        return Err(parser.unexpected());
    };
    parser.bump();
    Ok(op)
}

/// `[AS] name`, `[AS] 'name'`, if there is one.
fn column_alias(parser: &mut Parser<'_>) -> Parsed<Option<Ident>> {
    if parser.eat_keyword(Keyword::As) || name::is_name(parser) || name::is_string(parser) {
        return alias_name(parser).map(Some);
    }
    Ok(None)
}

fn alias_name(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let line = parser.line();
    let name = name::ident_or_string(parser)?;
    if name.is_empty() { Err(error::empty_name(line)) } else { Ok(name) }
}

/// `WHERE condition`, if there is one.
pub(super) fn where_clause(parser: &mut Parser<'_>) -> Parsed<Option<Expr>> {
    if parser.eat_keyword(Keyword::Where) { Ok(Some(parser.condition()?)) } else { Ok(None) }
}

fn group_by(parser: &mut Parser<'_>) -> Parsed<Vec<GroupItem>> {
    if !parser.eat_keyword(Keyword::Group) {
        return Ok(Vec::new());
    }
    parser.expect_keyword(Keyword::By)?;
    if parser.eat_keyword(Keyword::All) {
        parser.not_yet("GROUP BY ALL");
    }
    let items = parser.comma_separated(group_item)?;
    let cube = parser.is_word_at(1, "cube");
    if !parser.is_keyword(Keyword::With) || !(cube || parser.is_word_at(1, "rollup")) {
        return Ok(items);
    }
    parser.at += 2;
    let mut groups = Vec::with_capacity(items.len());
    for item in items {
        match item {
            GroupItem::Expr(expr) => groups.push(vec![expr]),
            _ => return Err(parser.unexpected_at(parser.at - 1)),
        }
    }
    Ok(vec![if cube { GroupItem::Cube(groups) } else { GroupItem::Rollup(groups) }])
}

fn group_item(parser: &mut Parser<'_>) -> Parsed<GroupItem> {
    let open = parser.kind_at(1) == TokenKind::LeftParen;
    if parser.kind() == TokenKind::LeftParen && parser.kind_at(1) == TokenKind::RightParen {
        parser.at += 2;
        return Ok(GroupItem::Total);
    }
    if parser.is_word("grouping") && parser.is_word_at(1, "sets") {
        parser.at += 2;
        let sets = parser.nested(|parser| parser.parenthesised(grouping_set))?;
        return Ok(GroupItem::Sets(sets));
    }
    if open && parser.eat_word("rollup") {
        return parser.nested(|parser| parser.parenthesised(grouped_values)).map(GroupItem::Rollup);
    }
    if open && parser.eat_word("cube") {
        return parser.nested(|parser| parser.parenthesised(grouped_values)).map(GroupItem::Cube);
    }
    parser.value().map(GroupItem::Expr)
}

/// One set of GROUPING SETS: an item, or a list of items in parentheses.
fn grouping_set(parser: &mut Parser<'_>) -> Parsed<Vec<GroupItem>> {
    if is_list_parenthesis(parser) {
        return parser.nested(|parser| parser.parenthesised(group_item));
    }
    group_item(parser).map(|item| vec![item])
}

/// One item of ROLLUP or CUBE: a value, or a list of values in parentheses.
fn grouped_values(parser: &mut Parser<'_>) -> Parsed<Vec<Expr>> {
    if is_list_parenthesis(parser) {
        return parser.nested(|parser| parser.parenthesised(Parser::value));
    }
    parser.value().map(|value| vec![value])
}

/// Whether the parenthesis here encloses the whole item, and something.
fn is_list_parenthesis(parser: &Parser<'_>) -> bool {
    let partner = parser.token().partner as usize;
    parser.kind() == TokenKind::LeftParen
        && partner > parser.at + 1
        && matches!(parser.tokens[partner + 1].kind, TokenKind::Comma | TokenKind::RightParen)
}

fn set_operation(op: SetOperator, all: bool, left: QueryBody, right: QueryBody) -> QueryBody {
    QueryBody::SetOperation { op, all, left: Box::new(left), right: Box::new(right) }
}

fn balanced_union(all: bool, mut bodies: Vec<QueryBody>) -> QueryBody {
    if bodies.len() == 1 {
        return bodies.remove(0);
    }
    let right = bodies.split_off(bodies.len().div_ceil(2));
    set_operation(SetOperator::Union, all, balanced_union(all, bodies), balanced_union(all, right))
}

pub(super) fn assign_operator(kind: TokenKind) -> Option<AssignOp> {
    Some(match kind {
        TokenKind::Equal => AssignOp::Set,
        TokenKind::PlusEqual => AssignOp::Add,
        TokenKind::MinusEqual => AssignOp::Subtract,
        TokenKind::StarEqual => AssignOp::Multiply,
        TokenKind::SlashEqual => AssignOp::Divide,
        TokenKind::PercentEqual => AssignOp::Modulo,
        TokenKind::AmpersandEqual => AssignOp::BitAnd,
        TokenKind::PipeEqual => AssignOp::BitOr,
        TokenKind::PipesEqual => AssignOp::Concat,
        TokenKind::CaretEqual => AssignOp::BitXor,
        _ => return None,
    })
}
