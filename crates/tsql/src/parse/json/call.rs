//! The functions that make JSON, whose arguments are pairs and have clauses after them.

use crate::ast::{Expr, JsonClauses, ObjectName, OrderItem};
use crate::error::Parsed;
use crate::keyword::Keyword;
use crate::parse::Parser;
use crate::token::TokenKind;

/// What stands between the parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parse) enum Form {
    /// `[name : value, …] [clause]`
    Object,
    /// `[value, …] [clause]`
    Array,
    /// `name : value [clause]`
    ObjectAggregate,
    /// `value [ORDER BY …] [clause]`
    ArrayAggregate,
}

/// The form of a function of this name, if it has one.
pub(in crate::parse) fn form(name: &ObjectName) -> Option<Form> {
    let [name] = name.parts.as_slice() else { return None };
    let forms = [
        ("JSON_OBJECT", Form::Object),
        ("JSON_ARRAY", Form::Array),
        ("JSON_OBJECTAGG", Form::ObjectAggregate),
        ("JSON_ARRAYAGG", Form::ArrayAggregate),
    ];
    forms.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, form)| form)
}

/// Arguments and clauses up to the `)`; `order_by` reads an ORDER BY.
pub(in crate::parse) fn arguments(
    parser: &mut Parser<'_>,
    form: Form,
    order_by: fn(&mut Parser<'_>) -> Parsed<Vec<OrderItem>>,
) -> Parsed<(Vec<Expr>, JsonClauses)> {
    let has_names = matches!(form, Form::Object | Form::ObjectAggregate);
    let mut clauses = JsonClauses { has_names, ..JsonClauses::default() };
    let may_have_none = matches!(form, Form::Object | Form::Array);
    let args = match form {
        _ if may_have_none && (parser.kind() == TokenKind::RightParen || is_on_null(parser)) => Vec::new(),
        Form::Object => parser.comma_separated(pair)?.into_iter().flatten().collect(),
        Form::ObjectAggregate => pair(parser)?.into(),
        Form::Array => parser.comma_separated(Parser::value)?,
        Form::ArrayAggregate => vec![parser.value()?],
    };
    if form == Form::ArrayAggregate && parser.is_keyword(Keyword::Order) {
        clauses.order_by = order_by(parser)?;
    }
    if parser.is_keyword(Keyword::Null) || parser.is_word("absent") {
        clauses.keeps_null = Some(parser.is_keyword(Keyword::Null));
        parser.bump();
        parser.expect_keyword(Keyword::On)?;
        parser.expect_keyword(Keyword::Null)?;
    }
    if parser.is_word("returning") {
        parser.bump();
        parser.not_yet("RETURNING of a JSON function");
        parser.bump();
    }
    Ok((args, clauses))
}

/// `NULL ON NULL`, `ABSENT ON NULL`
fn is_on_null(parser: &Parser<'_>) -> bool {
    (parser.is_keyword(Keyword::Null) || parser.is_word("absent"))
        && parser.is_keyword_at(1, Keyword::On)
        && parser.is_keyword_at(2, Keyword::Null)
}

/// `name : value`
fn pair(parser: &mut Parser<'_>) -> Parsed<[Expr; 2]> {
    let name = parser.value()?;
    parser.expect(TokenKind::Colon)?;
    Ok([name, parser.value()?])
}
