//! Paths, steps, predicates, literals, variables and calls.

use crate::chars::{is_name_char, is_name_start};
use crate::xquery::Parsing;
use crate::xquery::ast::{Axis, Expr, Function, Reference, Step, Test};
use crate::xquery::atom::Atom;
use crate::xquery::decimal::Decimal;
use crate::xquery::error::{QueryError, QueryFault};
use crate::xquery::parser::{FN, Parser, SQL, XDT, XS, constructor};

/// `/a/b`, `//a`, `a/b`, or a primary with predicates.
pub(super) fn path(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.space()?;
    let mut steps = Vec::new();
    let start = if parser.rest().starts_with("//") {
        parser.at += 2;
        steps.push(any_depth());
        steps.push(step(parser)?);
        Expr::Root
    } else if parser.rest().starts_with('/') {
        parser.at += 1;
        parser.space()?;
        if !is_step(parser) {
            return Ok(Expr::Root);
        }
        steps.push(step(parser)?);
        Expr::Root
    } else if is_axis_step(parser)? {
        steps.push(step(parser)?);
        Expr::Context
    } else {
        let primary = primary(parser)?;
        let predicates = predicates(parser)?;
        if predicates.is_empty() { primary } else { Expr::Filter(Box::new(primary), predicates) }
    };
    while parser.is("/")? {
        parser.at += 1;
        if parser.rest().starts_with('/') {
            parser.at += 1;
            steps.push(any_depth());
        }
        parser.space()?;
        if !is_step(parser) || !is_axis_step(parser)? {
            if parser.rest().starts_with(['(', '$', '"', '\'']) || parser.rest().starts_with(is_name_start) {
                return Err(QueryError::unsupported(&format!("/{}", parser.near())));
            }
            return parser.fail(QueryFault::StepExpected, &[&parser.near()]);
        }
        steps.push(step(parser)?);
    }
    Ok(if steps.is_empty() { start } else { Expr::Path(Box::new(start), steps) })
}

fn any_depth() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: Test::Node, predicates: Vec::new() }
}

/// Whether a step begins with the character here.
fn is_step(parser: &Parser<'_>) -> bool {
    parser.rest().starts_with(|c| is_name_start(c) || matches!(c, '@' | '*' | '.' | '(' | '$' | '"' | '\''))
}

/// Whether a step stands here and not a call, a literal or a constructor.
fn is_axis_step(parser: &mut Parser<'_>) -> Parsing<bool> {
    let rest = parser.rest();
    if rest.starts_with(['@', '*']) || rest.starts_with("..") {
        return Ok(true);
    }
    if let Some(after) = rest.strip_prefix('.') {
        let is_number = after.starts_with(|c: char| c.is_ascii_digit());
        return Ok(!is_number && is_self_step(parser));
    }
    if !rest.starts_with(is_name_start) {
        return Ok(false);
    }
    let start = parser.at;
    let name = parser.qualified_name();
    let is_wildcard = parser.rest().starts_with(":*");
    let is_axis = parser.is("::")?;
    let is_call = parser.is("(")?;
    let is_constructor = is_constructor(parser, name)?;
    parser.at = start;
    let is_node_test = name.is_some_and(|(prefix, local)| prefix.is_empty() && NODE_TESTS.contains(&local));
    Ok(is_wildcard || is_axis || is_call && is_node_test || !is_call && !is_constructor)
}

/// Whether `.` is a step: one of a path that goes on before it. Alone it is the context item.
fn is_self_step(parser: &Parser<'_>) -> bool {
    parser.text[..parser.at].trim_end_matches(crate::chars::is_space).ends_with('/')
}

const NODE_TESTS: [&str; 4] = ["node", "text", "comment", "processing-instruction"];

/// Whether the name that was read begins a computed constructor.
fn is_constructor(parser: &mut Parser<'_>, name: Option<(&str, &str)>) -> Parsing<bool> {
    let Some(("", word)) = name else { return Ok(false) };
    if !constructor::COMPUTED.contains(&word) {
        return Ok(false);
    }
    if parser.is("{")? {
        return Ok(true);
    }
    Ok(parser.qualified_name().is_some() && parser.is("{")?)
}

fn step(parser: &mut Parser<'_>) -> Parsing<Step> {
    parser.space()?;
    if parser.rest().starts_with("..") {
        parser.at += 2;
        let predicates = predicates(parser)?;
        return Ok(Step { axis: Axis::Parent, test: Test::Node, predicates });
    }
    if parser.rest().starts_with('.') {
        parser.at += 1;
        let predicates = predicates(parser)?;
        return Ok(Step { axis: Axis::Itself, test: Test::Node, predicates });
    }
    let axis = axis(parser)?;
    let test = test(parser, axis)?;
    let predicates = predicates(parser)?;
    Ok(Step { axis, test, predicates })
}

fn axis(parser: &mut Parser<'_>) -> Parsing<Axis> {
    if parser.eat("@")? {
        return Ok(Axis::Attribute);
    }
    let start = parser.at;
    if let Some(name) = parser.local_name()
        && parser.is("::")?
    {
        parser.at += 2;
        return match name {
            "child" => Ok(Axis::Child),
            "attribute" => Ok(Axis::Attribute),
            "self" => Ok(Axis::Itself),
            "parent" => Ok(Axis::Parent),
            "descendant" => Ok(Axis::Descendant),
            "descendant-or-self" => Ok(Axis::DescendantOrSelf),
            "ancestor" | "ancestor-or-self" | "following" | "following-sibling" | "preceding" | "preceding-sibling"
            | "namespace" => Err(QueryError::unsupported(name)),
            _ => parser.fail(QueryFault::Axis, &[name]),
        };
    }
    parser.at = start;
    Ok(Axis::Child)
}

fn test(parser: &mut Parser<'_>, axis: Axis) -> Parsing<Test> {
    parser.space()?;
    if parser.rest().starts_with('*') {
        parser.at += 1;
        if !parser.rest().starts_with(':') {
            return Ok(Test::AnyName);
        }
        parser.at += 1;
        return match parser.local_name() {
            Some(local) => Ok(Test::AnyLocal(local.into())),
            None => parser.fail(QueryFault::NodeTest, &[&parser.near()]),
        };
    }
    let Some((prefix, local)) = parser.qualified_name() else {
        return parser.fail(QueryFault::NodeTest, &[&parser.near()]);
    };
    if parser.rest().starts_with(":*") {
        parser.at += 2;
        return Ok(Test::AnyOf(parser.namespace(local)?));
    }
    if prefix.is_empty() && parser.is("(")? {
        return kind_test(parser, local);
    }
    parser.resolved((prefix, local), axis != Axis::Attribute).map(Test::Name)
}

fn kind_test(parser: &mut Parser<'_>, name: &str) -> Parsing<Test> {
    let test = match name {
        "node" => Test::Node,
        "text" => Test::Text,
        "comment" => Test::Comment,
        "processing-instruction" => Test::Instruction(None),
        _ => return Err(QueryError::unsupported(&format!("{name}()"))),
    };
    parser.expect("(")?;
    let test = match test {
        Test::Instruction(_) if !parser.is(")")? => {
            let target = match parser.local_name() {
                Some(target) => target.to_owned(),
                None => parser.string()?,
            };
            Test::Instruction(Some(target))
        }
        test => test,
    };
    parser.expect(")")?;
    Ok(test)
}

fn predicates(parser: &mut Parser<'_>) -> Parsing<Vec<Expr>> {
    let mut predicates = Vec::new();
    while parser.eat("[")? {
        let outer = std::mem::replace(&mut parser.in_predicate, true);
        let predicate = parser.expression();
        parser.in_predicate = outer;
        predicates.push(predicate?);
        parser.expect("]")?;
    }
    Ok(predicates)
}

fn primary(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.space()?;
    let rest = parser.rest();
    match rest.chars().next() {
        None => parser.syntax(),
        Some('"' | '\'') => parser.string().map(|text| Expr::Literal(Atom::String(text))),
        Some('0'..='9') => number(parser),
        Some('.') if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(parser),
        Some('.') => {
            parser.at += 1;
            Ok(Expr::Context)
        }
        Some('$') => variable(parser),
        Some('(') => {
            parser.at += 1;
            if parser.eat(")")? {
                return Ok(Expr::Sequence(Vec::new()));
            }
            let inner = parser.expression()?;
            parser.expect(")")?;
            Ok(inner)
        }
        Some('<') => parser.nested(constructor::direct),
        Some(c) if is_name_start(c) => named(parser),
        Some(_) => parser.syntax(),
    }
}

fn number(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let rest = parser.rest();
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut len = digits(rest);
    let mut is_integer = true;
    if rest[len..].starts_with('.') && !rest[len..].starts_with("..") {
        len += 1;
        len += digits(&rest[len..]);
        is_integer = false;
    }
    let has_exponent = rest[len..].starts_with(['e', 'E']);
    if has_exponent {
        len += 1;
        len += usize::from(rest[len..].starts_with(['+', '-']));
        len += digits(&rest[len..]);
    }
    let text = &rest[..len];
    parser.at += len;
    let wrong = || QueryError::new(QueryFault::NumericConstant, &[]);
    if parser.rest().starts_with(is_name_char) {
        return Err(wrong());
    }
    let atom = match (has_exponent, is_integer) {
        (true, _) => Atom::Double(text.parse().map_err(|_| wrong())?),
        (false, true) => Atom::Integer(Decimal::parse(text).ok_or_else(wrong)?),
        (false, false) => Atom::Decimal(Decimal::parse(text).ok_or_else(wrong)?),
    };
    Ok(Expr::Literal(atom))
}

fn variable(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let name = parser.variable_name()?;
    match parser.variables.iter().rev().find(|(known, _)| *known == name) {
        Some((_, slot)) => Ok(Expr::Variable(*slot)),
        None => parser.fail(QueryFault::UnknownVariable, &[&name]),
    }
}

/// A call or a computed constructor.
fn named(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let start = parser.at;
    let Some((prefix, local)) = parser.qualified_name() else { return parser.syntax() };
    if !parser.is("(")? {
        parser.at = start;
        return parser.nested(constructor::computed);
    }
    let uri = if prefix.is_empty() { FN.into() } else { parser.namespace(prefix)? };
    parser.expect("(")?;
    if *uri == *SQL {
        return reference(parser, local);
    }
    let mut args = Vec::new();
    if !parser.eat(")")? {
        loop {
            args.push(parser.single()?);
            if parser.eat(")")? {
                break;
            }
            if !parser.eat(",")? {
                return parser.fail(QueryFault::Wanted, &[&parser.near(), ")"]);
            }
        }
    }
    call(parser, (&uri, prefix, local), args)
}

/// `sql:column("…")`, `sql:variable("…")`
fn reference(parser: &mut Parser<'_>, local: &str) -> Parsing<Expr> {
    let reference: fn(String) -> Reference = match local {
        "column" => Reference::Column,
        "variable" => Reference::Variable,
        _ => return parser.fail(QueryFault::UnknownFunction, &["sql", local]),
    };
    let name = parser.string()?;
    parser.expect(")")?;
    Ok(parser.refer(reference(name)))
}

fn call(parser: &Parser<'_>, (uri, prefix, local): (&str, &str, &str), mut args: Vec<Expr>) -> Parsing<Expr> {
    if uri == XS || uri == XDT {
        let kind = parser.type_of(prefix, local)?;
        let name = format!("{prefix}:{local}");
        return match (args.pop(), args.is_empty()) {
            (None, _) => parser.fail(QueryFault::FewArguments, &[&name]),
            (Some(_), false) => parser.fail(QueryFault::ManyArguments, &[&name]),
            (Some(arg), true) => Ok(Expr::Cast(kind, Box::new(arg))),
        };
    }
    let function = if uri == FN { Function::by_name(local) } else { None };
    let Some(function) = function else {
        let is_known = uri == FN && OTHER_FUNCTIONS.contains(&local);
        return match (is_known, prefix) {
            (true, _) => Err(QueryError::unsupported(&format!("{local}()"))),
            (false, "") => parser.fail(QueryFault::UnknownFunction, &[local]),
            (false, prefix) => parser.fail(QueryFault::UnknownFunction, &[prefix, local]),
        };
    };
    let (least, most) = function.arity();
    if args.len() < least {
        return parser.fail(QueryFault::FewArguments, &[local]);
    }
    if args.len() > most {
        return parser.fail(QueryFault::ManyArguments, &[local]);
    }
    if matches!(function, Function::Position | Function::Last) && !parser.in_predicate {
        return parser.fail(QueryFault::OnlyInPredicate, &[local]);
    }
    Ok(Expr::Call(function, args))
}

/// Functions that SQL Server has and this has not.
const OTHER_FUNCTIONS: [&str; 4] = ["id", "expanded-QName", "local-name-from-QName", "namespace-uri-from-QName"];
