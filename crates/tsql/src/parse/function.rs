//! Calls: functions, CASE, CAST and CONVERT, and the window clauses after a call.

use crate::ast::{Expr, ExprKind, Frame, FrameBound, FunctionCall, Ident, Mentioned, ObjectName, OrderItem, Over};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::json::call as json;
use crate::parse::{Parser, name, types};
use crate::secret::takes_secret;
use crate::token::TokenKind;

/// `name(args) [WITHIN GROUP (…)] [OVER (…)]`; the name is read.
pub(super) fn call(parser: &mut Parser<'_>, name: ObjectName, line: u32) -> Parsed<Expr> {
    if name.parts.len() > 1 {
        parser.mention(&name, Mentioned::Function);
    }
    let open = parser.at;
    parser.expect(TokenKind::LeftParen)?;
    if takes_secret(name.last()) {
        let until = parser.tokens[open].partner as usize;
        let constants = parser.tokens.get(open..until).unwrap_or_default();
        parser.met.has_password |=
            constants.iter().any(|token| matches!(token.kind, TokenKind::String | TokenKind::NationalString));
    }
    let is_trim = matches!(name.parts.as_slice(), [name] if name.eq_ignore_ascii_case("trim"));
    if let Some(form) = json::form(&name) {
        let mut call = plain_call(name, Vec::new());
        let (args, clauses) = json::arguments(parser, form, order_by)?;
        (call.args, call.json) = (args, Some(Box::new(clauses)));
        parser.expect(TokenKind::RightParen)?;
        after_call(parser, &mut call)?;
        return Ok(Expr { kind: ExprKind::Function(Box::new(call)), line });
    }
    let mut call = plain_call(name, Vec::new());
    if is_trim && let Some(sided) = trimmed_side(parser) {
        return sided_trim(parser, sided, line);
    }
    if parser.kind() == TokenKind::Star && parser.kind_at(1) == TokenKind::RightParen {
        parser.bump();
        call.star = true;
    } else if parser.kind() != TokenKind::RightParen {
        call.distinct = parser.eat_keyword(Keyword::Distinct);
        if !call.distinct {
            parser.eat_keyword(Keyword::All);
        }
        call.args = parser.comma_separated(argument)?;
        // TRIM(characters FROM string) is a call with two arguments.
        if is_trim && parser.eat_keyword(Keyword::From) {
            call.args.push(parser.value()?);
        }
    }
    parser.expect(TokenKind::RightParen)?;
    after_call(parser, &mut call)?;
    Ok(Expr { kind: ExprKind::Function(Box::new(call)), line })
}

/// The function that `LEADING`, `TRAILING` or `BOTH` in TRIM means; a name is followed by what follows a value.
fn trimmed_side(parser: &Parser<'_>) -> Option<&'static str> {
    let side = match () {
        () if parser.is_word("leading") => "LTRIM",
        () if parser.is_word("trailing") => "RTRIM",
        () if parser.is_word("both") => "TRIM",
        () => return None,
    };
    let begins = match parser.kind_at(1) {
        TokenKind::Word
        | TokenKind::Quoted
        | TokenKind::String
        | TokenKind::NationalString
        | TokenKind::Variable
        | TokenKind::LeftParen => true,
        TokenKind::Keyword(keyword) => !matches!(keyword, Keyword::From | Keyword::Collate),
        _ => false,
    };
    begins.then_some(side)
}

/// `LEADING|TRAILING|BOTH [characters FROM] string )`: a call of LTRIM, RTRIM or TRIM.
fn sided_trim(parser: &mut Parser<'_>, function: &str, line: u32) -> Parsed<Expr> {
    parser.bump();
    let mut args = vec![parser.value()?];
    if parser.eat_keyword(Keyword::From) {
        let string = parser.value()?;
        // TRIM has the characters first, as it is written; the others have them second.
        args.insert(usize::from(function == "TRIM"), string);
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(call_of(function, args, line))
}

/// A function's argument.
pub(super) fn argument(parser: &mut Parser<'_>) -> Parsed<Expr> {
    if parser.is_keyword(Keyword::Default) {
        let line = parser.bump().line;
        return Ok(Expr { kind: ExprKind::Default, line });
    }
    parser.value()
}

/// A call whose name is a reserved word: `LEFT(x, 1)`.
pub(super) fn keyword_call(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let token = parser.bump();
    let name = ObjectName { parts: vec![parser.source(token).to_owned()] };
    parser.nested(|parser| call(parser, name, token.line))
}

fn after_call(parser: &mut Parser<'_>, call: &mut FunctionCall) -> Parsed<()> {
    if parser.is_word("within") && parser.is_keyword_at(1, Keyword::Group) {
        parser.at += 2;
        parser.expect(TokenKind::LeftParen)?;
        call.within_group = order_by(parser)?;
        parser.expect(TokenKind::RightParen)?;
    }
    if (parser.is_word("ignore") || parser.is_word("respect")) && parser.is_word_at(1, "nulls") {
        call.ignore_nulls = parser.is_word("ignore");
        parser.at += 2;
    }
    if parser.eat_keyword(Keyword::Over) {
        call.over = Some(over(parser)?);
    }
    Ok(())
}

fn over(parser: &mut Parser<'_>) -> Parsed<Over> {
    if name::is_name(parser) {
        let base = Some(name::ident(parser)?);
        return Ok(Over { base, partition_by: Vec::new(), order_by: Vec::new(), frame: None });
    }
    // A name alone stands without parentheses, and a frame is of an order or a partition.
    let is_name = matches!(parser.kind_at(1), TokenKind::Word | TokenKind::Quoted);
    if is_name && parser.kind_at(2) == TokenKind::RightParen {
        parser.at += 2;
        return Err(parser.unexpected());
    }
    if parser.is_word_at(1, "rows") || parser.is_word_at(1, "range") {
        parser.at += 1;
        return Err(parser.unexpected());
    }
    window_specification(parser)
}

/// `([name] [PARTITION BY …] [ORDER BY …] [frame])`
pub(super) fn window_specification(parser: &mut Parser<'_>) -> Parsed<Over> {
    let mut over = Over { base: None, partition_by: Vec::new(), order_by: Vec::new(), frame: None };
    parser.expect(TokenKind::LeftParen)?;
    let is_clause = parser.is_word("partition") && parser.is_keyword_at(1, Keyword::By)
        || parser.is_word("rows")
        || parser.is_word("range");
    if name::is_name(parser) && !is_clause {
        over.base = Some(name::ident(parser)?);
    }
    if parser.eat_word("partition") {
        parser.expect_keyword(Keyword::By)?;
        over.partition_by = parser.comma_separated(Parser::value)?;
    }
    if parser.is_keyword(Keyword::Order) {
        over.order_by = order_by(parser)?;
    }
    if parser.is_word("rows") || parser.is_word("range") {
        over.frame = Some(frame(parser)?);
    }
    parser.expect(TokenKind::RightParen)?;
    Ok(over)
}

/// `ROWS|RANGE bound`, `ROWS|RANGE BETWEEN bound AND bound`
fn frame(parser: &mut Parser<'_>) -> Parsed<Frame> {
    let range = parser.is_word("range");
    parser.bump();
    let between = parser.eat_keyword(Keyword::Between);
    let start = frame_bound(parser)?;
    let end = if between {
        parser.expect_keyword(Keyword::And)?;
        frame_bound(parser)?
    } else {
        FrameBound::CurrentRow
    };
    Ok(Frame { range, start, end })
}

fn frame_bound(parser: &mut Parser<'_>) -> Parsed<FrameBound> {
    if parser.eat_keyword(Keyword::Current) {
        parser.expect_word("row")?;
        return Ok(FrameBound::CurrentRow);
    }
    let count = if parser.eat_word("unbounded") { None } else { Some(name::unsigned::<u64>(parser)?) };
    let following = parser.eat_word("following");
    if !following {
        parser.expect_word("preceding")?;
    }
    Ok(match (count, following) {
        (None, false) => FrameBound::UnboundedPreceding,
        (None, true) => FrameBound::UnboundedFollowing,
        (Some(rows), false) => FrameBound::Preceding(rows),
        (Some(rows), true) => FrameBound::Following(rows),
    })
}

/// `ORDER BY item, …`
pub(super) fn order_by(parser: &mut Parser<'_>) -> Parsed<Vec<OrderItem>> {
    parser.expect_keyword(Keyword::Order)?;
    parser.expect_keyword(Keyword::By)?;
    parser.comma_separated(|parser| {
        let expr = parser.value()?;
        let descending = parser.eat_keyword(Keyword::Desc);
        if !descending {
            parser.eat_keyword(Keyword::Asc);
        }
        Ok(OrderItem { expr, descending })
    })
}

// Forms that look like a call and have a grammar of their own.

/// Nothing is taken when the name is an ordinary one. `IIF` takes a condition; the others only values.
pub(super) fn special_call(parser: &mut Parser<'_>) -> Parsed<Option<Expr>> {
    let line = parser.line();
    if parser.is_word("next") {
        return next_value(parser, line);
    }
    if parser.kind_at(1) == TokenKind::DoubleColon {
        return static_method(parser, line).map(Some);
    }
    let token = parser.token();
    if token.kind != TokenKind::Word {
        return Ok(None);
    }
    let name = parser.source(token);
    if name.eq_ignore_ascii_case("cast") || name.eq_ignore_ascii_case("try_cast") {
        parser.bump();
        return cast(parser, name.len() > "cast".len(), line).map(Some);
    }
    if name.eq_ignore_ascii_case("iif") {
        parser.bump();
        return iif(parser, name, line).map(Some);
    }
    if name.eq_ignore_ascii_case("parse") || name.eq_ignore_ascii_case("try_parse") {
        parser.bump();
        return parse_call(parser, name.len() > "parse".len(), line).map(Some);
    }
    Ok(None)
}

/// `CAST(value AS type)`
fn cast(parser: &mut Parser<'_>, try_: bool, line: u32) -> Parsed<Expr> {
    parser.expect(TokenKind::LeftParen)?;
    let expr = Box::new(parser.value()?);
    parser.expect_keyword(Keyword::As)?;
    let data_type = types::data_type(parser)?;
    parser.expect(TokenKind::RightParen)?;
    Ok(Expr { kind: ExprKind::Cast { expr, data_type, style: None, try_ }, line })
}

/// `CONVERT(type, value [, style])`
pub(super) fn convert(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let try_ = parser.is_keyword(Keyword::TryConvert);
    let line = parser.bump().line;
    parser.expect(TokenKind::LeftParen)?;
    let data_type = types::data_type(parser)?;
    parser.expect(TokenKind::Comma)?;
    let expr = Box::new(parser.value()?);
    let style = if parser.eat(TokenKind::Comma) { Some(Box::new(parser.value()?)) } else { None };
    parser.expect(TokenKind::RightParen)?;
    Ok(Expr { kind: ExprKind::Cast { expr, data_type, style, try_ }, line })
}

/// `IIF(condition, value, value)`
fn iif(parser: &mut Parser<'_>, name: &str, line: u32) -> Parsed<Expr> {
    parser.expect(TokenKind::LeftParen)?;
    let condition = parser.condition()?;
    parser.expect(TokenKind::Comma)?;
    let yes = parser.value()?;
    parser.expect(TokenKind::Comma)?;
    let no = parser.value()?;
    parser.expect(TokenKind::RightParen)?;
    Ok(call_of(name, vec![condition, yes, no], line))
}

/// `PARSE(value AS type [USING culture])`
fn parse_call(parser: &mut Parser<'_>, try_: bool, line: u32) -> Parsed<Expr> {
    parser.expect(TokenKind::LeftParen)?;
    let expr = Box::new(parser.value()?);
    parser.expect_keyword(Keyword::As)?;
    let data_type = types::data_type(parser)?;
    let culture = if parser.eat_word("using") { Some(Box::new(parser.value()?)) } else { None };
    parser.expect(TokenKind::RightParen)?;
    Ok(Expr { kind: ExprKind::Parse { expr, data_type, culture, try_ }, line })
}

/// `NEXT VALUE FOR sequence [OVER (…)]`
fn next_value(parser: &mut Parser<'_>, line: u32) -> Parsed<Option<Expr>> {
    if !parser.is_word_at(1, "value") || !parser.is_keyword_at(2, Keyword::For) {
        return Ok(None);
    }
    parser.at += 3;
    let sequence = name::defined_name(parser)?;
    parser.mention(&sequence, Mentioned::Sequence);
    let over = if parser.eat_keyword(Keyword::Over) { Some(Box::new(over(parser)?)) } else { None };
    Ok(Some(Expr { kind: ExprKind::NextValue { sequence, over }, line }))
}

/// `geometry::Point(1, 2, 0)`
fn static_method(parser: &mut Parser<'_>, line: u32) -> Parsed<Expr> {
    let type_name: Ident = name::ident(parser)?;
    parser.expect(TokenKind::DoubleColon)?;
    let method = name::ident(parser)?;
    parser.not_yet("static method of a type");
    let name = ObjectName { parts: vec![format!("{type_name}::{method}")] };
    if parser.kind() == TokenKind::LeftParen {
        return call(parser, name, line);
    }
    Ok(Expr { kind: ExprKind::Column(name), line })
}

/// `CASE [operand] WHEN … THEN … [ELSE …] END`
pub(super) fn case(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.expect_keyword(Keyword::Case)?.line;
    let operand = if parser.is_keyword(Keyword::When) { None } else { Some(Box::new(parser.value()?)) };
    let mut branches = Vec::new();
    while branches.is_empty() || parser.is_keyword(Keyword::When) {
        parser.expect_keyword(Keyword::When)?;
        let when = if operand.is_some() { parser.value()? } else { parser.condition()? };
        parser.expect_keyword(Keyword::Then)?;
        branches.push((when, parser.value()?));
    }
    let otherwise = if parser.eat_keyword(Keyword::Else) { Some(Box::new(parser.value()?)) } else { None };
    parser.expect_keyword(Keyword::End)?;
    Ok(Expr { kind: ExprKind::Case { operand, branches, otherwise }, line })
}

fn plain_call(name: ObjectName, args: Vec<Expr>) -> FunctionCall {
    FunctionCall {
        name,
        args,
        star: false,
        distinct: false,
        over: None,
        within_group: Vec::new(),
        ignore_nulls: false,
        json: None,
    }
}

/// A call of a function without clauses after it.
pub(super) fn call_of(name: &str, args: Vec<Expr>, line: u32) -> Expr {
    let call = plain_call(ObjectName { parts: vec![name.to_owned()] }, args);
    Expr { kind: ExprKind::Function(Box::new(call)), line }
}
