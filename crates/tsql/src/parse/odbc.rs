//! ODBC's escapes in expressions: `{d '…'}`, `{t '…'}` and `{ts '…'}` are dates and times, `{guid '…'}` is its string, and
//! `{fn f(x)}` is a call.
//!
//! What always holds: a function of ODBC's own name becomes the call that T-SQL has for it, here and once; any other name
//! in `{fn …}` is one of T-SQL.

use millpond_types::parse_type_name;

use crate::ast::{BinaryOp, DataType, Expr, ExprKind, FunctionCall, Literal, ObjectName, OdbcDateTime};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::function::call_of;
use crate::parse::literal::literal_of;
use crate::parse::{Parser, function, literal, name};
use crate::token::TokenKind;

/// `{…}`
pub(super) fn escape(parser: &mut Parser<'_>) -> Parsed<Expr> {
    parser.bump();
    let expr = if parser.eat_word("fn") { function(parser)? } else { date_or_time(parser)? };
    parser.expect(TokenKind::RightBrace)?;
    Ok(expr)
}

/// `d '…'`, `t '…'`, `ts '…'`, `guid '…'`
fn date_or_time(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let kinds = [OdbcDateTime::Date, OdbcDateTime::Time, OdbcDateTime::Timestamp];
    let kind = kinds.into_iter().find(|kind| parser.is_word(kind.word()));
    if kind.is_none() && !parser.is_word("guid") {
        return Err(parser.unexpected());
    }
    parser.bump();
    if !name::is_string(parser) {
        return Err(parser.unexpected());
    }
    let text = literal::literal(parser)?;
    Ok(match (kind, text.kind) {
        (Some(kind), ExprKind::Literal(Literal::String(value) | Literal::NationalString(value))) => {
            literal_of(Literal::OdbcDateTime(kind, value), text.line)
        }
        (_, kind) => Expr { kind, line: text.line },
    })
}

fn function(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let is_call = parser.kind_at(1) == TokenKind::LeftParen;
    if is_call && parser.is_keyword(Keyword::Convert) && is_conversion(parser) {
        return parser.nested(conversion);
    }
    if is_call && parser.is_word("extract") {
        return parser.nested(extract);
    }
    if is_call && parser.is_word("position") {
        return parser.nested(position);
    }
    let is_of_odbc = matches!(parser.kind(), TokenKind::Keyword(keyword) if CALLED_WORDS.contains(&keyword));
    let expr = match is_of_odbc && is_call {
        true => function::keyword_call(parser)?,
        false => parser.nested(Parser::value)?,
    };
    Ok(as_call(expr))
}

/// `EXTRACT(YEAR FROM value)`
fn extract(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.bump().line;
    parser.expect(TokenKind::LeftParen)?;
    let at = parser.at;
    let name = name::word(parser)?;
    let part = of_word(&EXTRACTED, &name).ok_or_else(|| parser.unexpected_at(at))?;
    parser.expect_keyword(Keyword::From)?;
    let value = parser.value()?;
    parser.expect(TokenKind::RightParen)?;
    Ok(dated("DATEPART", part, vec![value], line))
}

/// `POSITION(text IN text)`
fn position(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.bump().line;
    parser.expect(TokenKind::LeftParen)?;
    let sought = parser.value()?;
    parser.expect_keyword(Keyword::In)?;
    let text = parser.value()?;
    parser.expect(TokenKind::RightParen)?;
    Ok(call_of("CHARINDEX", vec![sought, text], line))
}

/// Whether CONVERT has the value first and a type of ODBC's after it.
fn is_conversion(parser: &Parser<'_>) -> bool {
    let last = (parser.tokens[parser.at + 1].partner as usize).wrapping_sub(1);
    let word = parser.tokens.get(last).filter(|token| token.kind == TokenKind::Word);
    word.is_some_and(|token| odbc_type(parser.source(*token)).is_some())
}

/// `CONVERT(value, SQL_type)`
fn conversion(parser: &mut Parser<'_>) -> Parsed<Expr> {
    let line = parser.bump().line;
    parser.expect(TokenKind::LeftParen)?;
    let expr = Box::new(parser.value()?);
    parser.expect(TokenKind::Comma)?;
    let at = parser.at;
    let named = name::word(parser)?;
    let sql_type = odbc_type(&named).and_then(|name| parse_type_name(name, &[]).ok());
    let sql_type = sql_type.ok_or_else(|| parser.unexpected_at(at))?;
    parser.expect(TokenKind::RightParen)?;
    let data_type = DataType::Scalar { sql_type, explicit_length: false };
    Ok(Expr { kind: ExprKind::Cast { expr, data_type, style: None, try_: false }, line })
}

/// Reserved words that are functions in `{fn …}`.
const CALLED_WORDS: [Keyword; 7] = [
    Keyword::Truncate,
    Keyword::CurrentDate,
    Keyword::CurrentTime,
    Keyword::CurrentTimestamp,
    Keyword::Insert,
    Keyword::User,
    Keyword::Database,
];

/// Functions of T-SQL that only have another name in ODBC.
const RENAMED: [(&str, &str); 15] = [
    ("ATAN2", "ATN2"),
    ("UCASE", "UPPER"),
    ("LCASE", "LOWER"),
    ("LENGTH", "LEN"),
    ("LOCATE", "CHARINDEX"),
    ("REPEAT", "REPLICATE"),
    ("INSERT", "STUFF"),
    ("OCTET_LENGTH", "DATALENGTH"),
    ("IFNULL", "ISNULL"),
    ("DATABASE", "DB_NAME"),
    ("USER", "USER_NAME"),
    ("NOW", "GETDATE"),
    ("CURRENT_TIMESTAMP", "GETDATE"),
    ("TIMESTAMPADD", "DATEADD"),
    ("TIMESTAMPDIFF", "DATEDIFF"),
];

/// Functions that ask for a part of a date or time, with the part.
const PARTS: [(&str, &str); 9] = [
    ("YEAR", "year"),
    ("QUARTER", "quarter"),
    ("MONTH", "month"),
    ("WEEK", "week"),
    ("DAYOFYEAR", "dayofyear"),
    ("DAYOFMONTH", "day"),
    ("HOUR", "hour"),
    ("MINUTE", "minute"),
    ("SECOND", "second"),
];

/// Fields of EXTRACT.
const EXTRACTED: [(&str, &str); 6] = [
    ("YEAR", "year"),
    ("MONTH", "month"),
    ("DAY", "day"),
    ("HOUR", "hour"),
    ("MINUTE", "minute"),
    ("SECOND", "second"),
];

/// Intervals of TIMESTAMPADD and TIMESTAMPDIFF.
const INTERVALS: [(&str, &str); 9] = [
    ("SQL_TSI_FRAC_SECOND", "nanosecond"),
    ("SQL_TSI_SECOND", "second"),
    ("SQL_TSI_MINUTE", "minute"),
    ("SQL_TSI_HOUR", "hour"),
    ("SQL_TSI_DAY", "day"),
    ("SQL_TSI_WEEK", "week"),
    ("SQL_TSI_MONTH", "month"),
    ("SQL_TSI_QUARTER", "quarter"),
    ("SQL_TSI_YEAR", "year"),
];

/// Types of CONVERT.
const TYPES: [(&str, &str); 27] = [
    ("SQL_BIGINT", "bigint"),
    ("SQL_BINARY", "binary"),
    ("SQL_BIT", "bit"),
    ("SQL_CHAR", "char"),
    ("SQL_DATE", "date"),
    ("SQL_DECIMAL", "decimal"),
    ("SQL_DOUBLE", "float"),
    ("SQL_FLOAT", "float"),
    ("SQL_GUID", "uniqueidentifier"),
    ("SQL_INTEGER", "int"),
    ("SQL_LONGVARBINARY", "image"),
    ("SQL_LONGVARCHAR", "text"),
    ("SQL_NUMERIC", "numeric"),
    ("SQL_REAL", "real"),
    ("SQL_SMALLINT", "smallint"),
    ("SQL_TIME", "time"),
    ("SQL_TIMESTAMP", "datetime"),
    ("SQL_TINYINT", "tinyint"),
    ("SQL_TYPE_DATE", "date"),
    ("SQL_TYPE_TIME", "time"),
    ("SQL_TYPE_TIMESTAMP", "datetime"),
    ("SQL_VARBINARY", "varbinary"),
    ("SQL_VARCHAR", "varchar"),
    ("SQL_WCHAR", "nchar"),
    ("SQL_WLONGVARCHAR", "ntext"),
    ("SQL_WVARCHAR", "nvarchar"),
    ("SQL_TYPE_GUID", "uniqueidentifier"),
];

fn odbc_type(name: &str) -> Option<&'static str> {
    of_word(&TYPES, name)
}

fn of_word(list: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    list.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)).map(|(_, other)| *other)
}

/// A call in `{fn …}` as one of T-SQL.
fn as_call(expr: Expr) -> Expr {
    let Expr { kind: ExprKind::Function(call), line } = expr else { return expr };
    let [name] = &call.name.parts[..] else { return Expr { kind: ExprKind::Function(call), line } };
    let name = name.to_ascii_uppercase();
    let is_plain = !call.star && !call.distinct && call.over.is_none() && call.within_group.is_empty();
    if !is_plain {
        return Expr { kind: ExprKind::Function(call), line };
    }
    if let Some(part) = of_word(&PARTS, &name) {
        return dated("DATEPART", part, call.args, line);
    }
    if let Some(own) = of_word(&RENAMED, &name) {
        let mut args = call.args;
        if own.starts_with("DATE")
            && let Some(first) = args.first_mut()
        {
            with_interval(first);
        }
        return call_of(own, args, line);
    }
    composed(&name, call, line)
}

/// What is more than another name.
fn composed(name: &str, call: Box<FunctionCall>, line: u32) -> Expr {
    match (name, &call.args[..]) {
        ("DAYNAME", _) => dated("DATENAME", "weekday", call.args, line),
        ("MONTHNAME", _) => dated("DATENAME", "month", call.args, line),
        ("DAYOFWEEK", [_]) => day_of_week(call.args, line),
        ("MOD", [left, right]) => binary(BinaryOp::Modulo, left.clone(), right.clone(), line),
        ("BIT_LENGTH", [_]) => {
            binary(BinaryOp::Multiply, call_of("DATALENGTH", call.args, line), integer(8, line), line)
        }
        ("TRUNCATE", [_, _]) => {
            let mut args = call.args;
            args.push(integer(1, line));
            call_of("ROUND", args, line)
        }
        ("CURDATE" | "CURRENT_DATE", []) => now_as(10, integer(23, line), line),
        ("CURTIME" | "CURRENT_TIME", []) => now_as(8, integer(108, line), line),
        ("CURRENT_TIME", [Expr { kind: ExprKind::Literal(Literal::Integer(digits)), .. }]) => match digits.parse() {
            Ok(digits @ 0..=7) => time_of_day(digits, line),
            _ => Expr { kind: ExprKind::Function(call), line },
        },
        _ => Expr { kind: ExprKind::Function(call), line },
    }
}

/// 1 for Sunday, whatever DATEFIRST says.
fn day_of_week(args: Vec<Expr>, line: u32) -> Expr {
    let day = dated("DATEPART", "weekday", args, line);
    let first = Expr { kind: ExprKind::Variable("@@DATEFIRST".to_owned()), line };
    let sum = binary(BinaryOp::Add, day, first, line);
    let from_sunday = binary(BinaryOp::Subtract, sum, integer(1, line), line);
    let of_week = binary(BinaryOp::Modulo, from_sunday, integer(7, line), line);
    binary(BinaryOp::Add, of_week, integer(1, line), line)
}

/// The time of day with so many digits of a second, as text.
fn time_of_day(digits: u32, line: u32) -> Expr {
    let time = match parse_type_name("time", &[digits]) {
        Ok(sql_type) => cast(call_of("GETDATE", Vec::new(), line), sql_type, None, line),
        Err(_) => call_of("GETDATE", Vec::new(), line),
    };
    let length = if digits == 0 { 8 } else { 9 + digits };
    text(time, length, None, line)
}

fn now_as(length: u32, style: Expr, line: u32) -> Expr {
    text(call_of("GETDATE", Vec::new(), line), length, Some(style), line)
}

fn text(expr: Expr, length: u32, style: Option<Expr>, line: u32) -> Expr {
    match parse_type_name("varchar", &[length]) {
        Ok(sql_type) => cast(expr, sql_type, style, line),
        Err(_) => expr,
    }
}

fn cast(expr: Expr, sql_type: millpond_types::SqlType, style: Option<Expr>, line: u32) -> Expr {
    let data_type = DataType::Scalar { sql_type, explicit_length: true };
    let kind = ExprKind::Cast { expr: Box::new(expr), data_type, style: style.map(Box::new), try_: false };
    Expr { kind, line }
}

/// A call whose first argument is a part of a date.
fn dated(function: &str, part: &str, args: Vec<Expr>, line: u32) -> Expr {
    call_of(function, std::iter::once(word(part, line)).chain(args).collect(), line)
}

/// `SQL_TSI_DAY` as `day`.
fn with_interval(arg: &mut Expr) {
    if let ExprKind::Column(name) = &arg.kind
        && let [written] = &name.parts[..]
        && let Some(part) = of_word(&INTERVALS, written)
    {
        *arg = word(part, arg.line);
    }
}

fn word(name: &str, line: u32) -> Expr {
    Expr { kind: ExprKind::Column(ObjectName { parts: vec![name.to_owned()] }), line }
}

fn integer(value: u32, line: u32) -> Expr {
    literal_of(Literal::Integer(value.to_string()), line)
}

fn binary(op: BinaryOp, left: Expr, right: Expr, line: u32) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), line }
}
