//! `declare namespace p = "…";` and its like before a query.

use crate::document::XML_NAMESPACE;
use crate::xquery::Parsing;
use crate::xquery::error::{QueryError, QueryFault};
use crate::xquery::parser::Parser;

/// What SQL Server has none of.
const OTHERS: [&str; 8] =
    ["function", "variable", "option", "base-uri", "boundary-space", "construction", "ordering", "copy-namespaces"];

pub(super) fn prolog(parser: &mut Parser<'_>) -> Parsing<()> {
    let inherited = parser.prefixes.len();
    loop {
        if parser.eat_words(&["declare", "namespace"])? {
            namespace(parser, inherited)?;
        } else if parser.eat_words(&["declare", "default", "element", "namespace"])?
            || parser.eat_words(&["default", "element", "namespace"])?
        {
            parser.eat("=")?;
            parser.default = parser.string()?.into();
        } else if parser.are_words(&["xquery", "version"])? {
            return Err(QueryError::unsupported("xquery version"));
        } else if parser.are_words(&["import", "schema"])? || parser.are_words(&["import", "module"])? {
            return Err(QueryError::unsupported("import"));
        } else {
            for other in OTHERS {
                if parser.are_words(&["declare", other])? {
                    return Err(QueryError::unsupported(&format!("declare {other}")));
                }
            }
            return Ok(());
        }
        if !parser.eat(";")? {
            return parser.fail(QueryFault::PrologEnd, &[&parser.near()]);
        }
    }
}

/// `p = "…"`; a prefix may be declared once in a prolog.
fn namespace(parser: &mut Parser<'_>, inherited: usize) -> Parsing<()> {
    parser.space()?;
    let Some(prefix) = parser.local_name() else {
        return parser.fail(QueryFault::NameExpected, &[&parser.near()]);
    };
    parser.expect("=")?;
    let uri = parser.string()?;
    let is_known = parser.prefixes[inherited..].iter().any(|(known, _)| **known == *prefix);
    if is_known || (prefix == "xml") != (uri == XML_NAMESPACE) {
        return parser.fail(QueryFault::KnownPrefix, &[prefix]);
    }
    parser.prefixes.push((prefix.into(), uri.into()));
    Ok(())
}
