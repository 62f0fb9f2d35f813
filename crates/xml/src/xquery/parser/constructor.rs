//! Constructors: `<a b="{…}">…</a>`, comments and instructions as they are written, `element a {…}` and its like.

use std::sync::Arc;

use crate::chars::{is_all_space, is_space};
use crate::document::Name;
use crate::xquery::Parsing;
use crate::xquery::ast::{Construct, Expr};
use crate::xquery::atom::Atom;
use crate::xquery::error::{QueryError, QueryFault};
use crate::xquery::parser::Parser;

/// Words that begin computed constructors.
pub(super) const COMPUTED: [&str; 6] =
    ["element", "attribute", "text", "comment", "processing-instruction", "document"];

/// The constructor whose `<` stands here.
pub(super) fn direct(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let rest = parser.rest();
    if let Some(body) = rest.strip_prefix("<!--") {
        let Some(len) = body.find("-->") else {
            return parser.fail(QueryFault::UnterminatedComment, &[&parser.line().to_string()]);
        };
        parser.at += "<!--".len() + len + "-->".len();
        return Ok(Expr::Comment(body[..len].to_owned()));
    }
    if let Some(body) = rest.strip_prefix("<![CDATA[") {
        let Some(len) = body.find("]]>") else { return parser.fail(QueryFault::UnterminatedCdata, &[]) };
        parser.at += "<![CDATA[".len() + len + "]]>".len();
        return Ok(Expr::TextNode(Box::new(Expr::Literal(Atom::String(body[..len].into())))));
    }
    if let Some(body) = rest.strip_prefix("<?") {
        let Some(len) = body.find("?>") else { return parser.syntax() };
        parser.at += "<?".len() + len + "?>".len();
        let (target, data) = body[..len].split_once(is_space).unwrap_or((&body[..len], ""));
        if !crate::chars::is_name(target) || target.eq_ignore_ascii_case("xml") {
            return parser.syntax();
        }
        return Ok(Expr::Instruction(target.to_owned(), data.trim_start_matches(is_space).to_owned()));
    }
    element(parser)
}

fn element(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.at += 1;
    let line = parser.line();
    let Some(tag) = parser.qualified_name() else { return parser.syntax() };
    let (prefixes, default) = (parser.prefixes.len(), Arc::clone(&parser.default));
    let mut attributes: Vec<((&str, &str), Vec<Expr>)> = Vec::new();
    let mut namespaces = Vec::new();
    loop {
        let before = parser.at;
        parser.at = parser.text.len() - parser.rest().trim_start_matches(is_space).len();
        if parser.rest().starts_with(['>', '/']) || parser.rest().is_empty() {
            break;
        }
        if before == parser.at {
            return parser.syntax();
        }
        let Some(name) = parser.qualified_name() else { return parser.syntax() };
        parser.expect("=")?;
        let value = attribute_value(parser)?;
        match name {
            ("", "xmlns") => {
                let uri: Arc<str> = literal(&value)?.into();
                parser.default = Arc::clone(&uri);
                namespaces.push(("".into(), uri));
            }
            ("xmlns", prefix) => {
                let uri: Arc<str> = literal(&value)?.into();
                parser.prefixes.push((prefix.into(), Arc::clone(&uri)));
                namespaces.push((prefix.into(), uri));
            }
            _ => attributes.push((name, value)),
        }
    }
    let name = parser.resolved(tag, true)?;
    let mut content = attribute_nodes(parser, attributes)?;
    if parser.rest().starts_with("/>") {
        parser.at += 2;
    } else {
        parser.expect(">")?;
        element_content(parser, tag, line, &mut content)?;
    }
    parser.prefixes.truncate(prefixes);
    parser.default = default;
    Ok(Expr::Element(Box::new(Construct { name, namespaces, content })))
}

fn attribute_nodes(parser: &Parser<'_>, attributes: Vec<((&str, &str), Vec<Expr>)>) -> Parsing<Vec<Expr>> {
    let mut names: Vec<Name> = Vec::new();
    let mut nodes = Vec::new();
    for (name, value) in attributes {
        let name = parser.resolved(name, false)?;
        if names.contains(&name) {
            return parser.fail(QueryFault::DuplicateAttribute, &[&name.written()]);
        }
        names.push(name.clone());
        nodes.push(Expr::Attribute(Box::new(name), value));
    }
    Ok(nodes)
}

/// The value of a declaration of a namespace.
fn literal(value: &[Expr]) -> Parsing<String> {
    match value {
        [] => Ok(String::new()),
        [Expr::Literal(Atom::String(text))] => Ok(text.clone()),
        _ => Err(QueryError::new(QueryFault::NamespaceLiteral, &[])),
    }
}

/// `"text"` or `"{expression}"`; SQL Server has no mixture.
fn attribute_value(parser: &mut Parser<'_>) -> Parsing<Vec<Expr>> {
    parser.space()?;
    let Some(quote) = parser.rest().chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
        return parser.fail(QueryFault::StringExpected, &[]);
    };
    let line = parser.line();
    parser.at += 1;
    let (mut parts, mut text) = (Vec::new(), String::new());
    loop {
        let rest = parser.rest();
        let Some(len) = rest.find([quote, '&', '{', '}', '<']) else {
            return parser.fail(QueryFault::UnterminatedString, &[&line.to_string()]);
        };
        text.push_str(&rest[..len]);
        parser.at += len;
        let found = &rest[len..];
        if found.starts_with('&') {
            text.push(parser.reference()?);
        } else if found.starts_with("{{") || found.starts_with("}}") {
            text.push_str(&found[..1]);
            parser.at += 2;
        } else if found.starts_with('{') {
            add_text(&mut parts, &mut text);
            parts.push(enclosed(parser)?);
        } else if found.starts_with('}') {
            return parser.fail(QueryFault::LoneBrace, &[]);
        } else if found.starts_with('<') {
            return parser.syntax();
        } else if found[1..].starts_with(quote) {
            text.push(quote);
            parser.at += 2;
        } else {
            parser.at += 1;
            break;
        }
    }
    add_text(&mut parts, &mut text);
    if parts.len() > 1 { parser.fail(QueryFault::AttributeParts, &[]) } else { Ok(parts) }
}

fn add_text(parts: &mut Vec<Expr>, text: &mut String) {
    if !text.is_empty() {
        parts.push(Expr::Literal(Atom::String(std::mem::take(text))));
    }
}

/// `{expression}`
fn enclosed(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.expect("{")?;
    if parser.eat("}")? {
        return Ok(Expr::Sequence(Vec::new()));
    }
    let inner = parser.expression()?;
    parser.expect("}")?;
    Ok(inner)
}

/// What stands between the tags. White space that is written alone is dropped.
fn element_content(parser: &mut Parser<'_>, tag: (&str, &str), line: usize, content: &mut Vec<Expr>) -> Parsing<()> {
    let (mut text, mut is_written_space) = (String::new(), true);
    let written = if tag.0.is_empty() { tag.1.to_owned() } else { format!("{}:{}", tag.0, tag.1) };
    loop {
        let rest = parser.rest();
        let Some(len) = rest.find(['<', '&', '{', '}']) else {
            return parser.fail(QueryFault::EndTagExpected, &[&written]);
        };
        is_written_space &= is_all_space(&rest[..len]);
        text.push_str(&rest[..len]);
        parser.at += len;
        let found = &rest[len..];
        if found.starts_with('&') {
            text.push(parser.reference()?);
            is_written_space = false;
            continue;
        }
        if found.starts_with("{{") || found.starts_with("}}") {
            text.push_str(&found[..1]);
            is_written_space = false;
            parser.at += 2;
            continue;
        }
        if let Some(body) = found.strip_prefix("<![CDATA[") {
            let Some(len) = body.find("]]>") else { return parser.fail(QueryFault::UnterminatedCdata, &[]) };
            text.push_str(&body[..len]);
            is_written_space = false;
            parser.at += "<![CDATA[".len() + len + "]]>".len();
            continue;
        }
        if found.starts_with('}') {
            return parser.fail(QueryFault::LoneBrace, &[]);
        }
        if !is_written_space {
            let literal = Expr::Literal(Atom::String(std::mem::take(&mut text)));
            content.push(Expr::TextNode(Box::new(literal)));
        }
        text.clear();
        is_written_space = true;
        if found.starts_with("</") {
            return end_tag(parser, &written, line);
        }
        let inner = if found.starts_with('{') { enclosed(parser)? } else { parser.nested(direct)? };
        content.push(inner);
    }
}

fn end_tag(parser: &mut Parser<'_>, written: &str, line: usize) -> Parsing<()> {
    parser.at += 2;
    let start = parser.at;
    if parser.qualified_name().is_none() {
        return parser.syntax();
    }
    let name = &parser.text[start..parser.at];
    if name != written {
        return parser.fail(QueryFault::EndTag, &[name, written, &line.to_string()]);
    }
    parser.expect(">")
}

/// `element name {…}`, `attribute name {…}`, `text {…}`
pub(super) fn computed(parser: &mut Parser<'_>) -> Parsing<Expr> {
    for (word, fault) in
        [("comment", QueryFault::ComputedComment), ("processing-instruction", QueryFault::ComputedInstruction)]
    {
        if parser.is_word(word)? {
            return parser.fail(fault, &[]);
        }
    }
    if parser.is_word("document")? {
        return Err(QueryError::unsupported("document {}"));
    }
    if parser.eat_word("text")? {
        return Ok(Expr::TextNode(Box::new(enclosed(parser)?)));
    }
    let is_element = parser.eat_word("element")?;
    if !is_element && !parser.eat_word("attribute")? {
        return parser.syntax();
    }
    parser.space()?;
    let Some(name) = parser.qualified_name() else {
        return parser.fail(QueryFault::ConstantName, &[]);
    };
    let name = parser.resolved(name, is_element)?;
    let content = match enclosed(parser)? {
        Expr::Sequence(items) if is_element => items,
        other => vec![other],
    };
    if is_element {
        return Ok(Expr::Element(Box::new(Construct { name, namespaces: Vec::new(), content })));
    }
    Ok(Expr::Attribute(Box::new(name), content))
}
