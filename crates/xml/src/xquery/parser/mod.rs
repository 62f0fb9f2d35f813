//! Text to tree. There are no tokens: what a sign means depends on what may stand at its place, as in direct constructors,
//! so each rule reads characters.

mod change;
mod constructor;
mod expression;
mod path;
mod prolog;

use std::sync::Arc;

use crate::chars::{is_name_char, is_space, name_len};
use crate::document::{Name, XML_NAMESPACE};
use crate::xquery::ast::{Body, Expr, Module, Namespaces, Reference};
use crate::xquery::atom::AtomKind;
use crate::xquery::error::{QueryError, QueryFault};
use crate::xquery::{NESTING_MAX, Parsing};

/// Namespaces of types, functions and values of SQL.
pub(super) const XS: &str = "http://www.w3.org/2001/XMLSchema";
pub(super) const FN: &str = "http://www.w3.org/2004/07/xpath-functions";
pub(super) const XDT: &str = "http://www.w3.org/2004/07/xpath-datatypes";
pub(super) const SQL: &str = "urn:schemas-microsoft-com:xml-sql";

/// Reads a query or a change.
pub(super) fn parse(text: &str, namespaces: &Namespaces) -> Parsing<Module> {
    let mut parser = Parser::new(text, namespaces);
    prolog::prolog(&mut parser)?;
    let body = match change::change(&mut parser)? {
        Some(change) => Body::Change(change),
        None => Body::Query(expression::expression(&mut parser)?),
    };
    parser.space()?;
    if !parser.rest().is_empty() {
        return Err(QueryError::new(QueryFault::MoreTokens, &[&parser.near()]));
    }
    Ok(Module { body, references: parser.references, slots: parser.slots })
}

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    operators: usize,
    /// Prefixes that are declared here, the innermost last.
    prefixes: Vec<(Arc<str>, Arc<str>)>,
    /// The namespace of elements without prefix.
    default: Arc<str>,
    /// Variables in scope.
    variables: Vec<(String, usize)>,
    slots: usize,
    references: Vec<Reference>,
    /// Whether a predicate is around.
    in_predicate: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, namespaces: &Namespaces) -> Parser<'t> {
        let known = [
            ("xml", XML_NAMESPACE),
            ("xs", XS),
            ("xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("fn", FN),
            ("xdt", XDT),
            ("sql", SQL),
        ];
        let mut prefixes: Vec<(Arc<str>, Arc<str>)> =
            known.iter().map(|(prefix, uri)| ((*prefix).into(), (*uri).into())).collect();
        prefixes.extend(namespaces.prefixes.iter().map(|(prefix, uri)| (prefix.as_str().into(), uri.as_str().into())));
        Parser {
            text,
            at: 0,
            depth: 0,
            operators: 0,
            prefixes,
            default: namespaces.default.as_deref().unwrap_or("").into(),
            variables: Vec::new(),
            slots: 0,
            references: Vec::new(),
            in_predicate: false,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn line(&self) -> usize {
        1 + self.text[..self.at].matches('\n').count()
    }

    /// What messages say is near: the word or sign here.
    fn near(&self) -> String {
        let rest = self.rest().trim_start_matches(is_space);
        if rest.is_empty() {
            return "<eof>".to_owned();
        }
        let len = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        let len = if len == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { len };
        rest[..len].to_owned()
    }

    fn syntax<T>(&self) -> Parsing<T> {
        Err(QueryError::new(QueryFault::Syntax, &[&self.near()]))
    }

    fn fail<T>(&self, fault: QueryFault, words: &[&str]) -> Parsing<T> {
        Err(QueryError::new(fault, words))
    }

    /// Passes over white space and comments, which may be nested.
    fn space(&mut self) -> Parsing<()> {
        loop {
            self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
            if !self.rest().starts_with("(:") {
                return Ok(());
            }
            let line = self.line();
            let mut depth = 0usize;
            loop {
                let rest = self.rest();
                if rest.starts_with("(:") {
                    depth += 1;
                    self.at += 2;
                } else if rest.starts_with(":)") {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    let Some(c) = rest.chars().next() else {
                        return self.fail(QueryFault::UnterminatedComment, &[&line.to_string()]);
                    };
                    self.at += c.len_utf8();
                }
            }
        }
    }

    /// Whether a sign stands next; white space before it is passed over.
    fn is(&mut self, sign: &str) -> Parsing<bool> {
        self.space()?;
        Ok(self.rest().starts_with(sign))
    }

    fn eat(&mut self, sign: &str) -> Parsing<bool> {
        let is = self.is(sign)?;
        if is {
            self.at += sign.len();
        }
        Ok(is)
    }

    fn expect(&mut self, sign: &str) -> Parsing<()> {
        if self.eat(sign)? { Ok(()) } else { self.fail(QueryFault::Expected, &[sign]) }
    }

    /// Whether a word stands next, as a whole.
    fn is_word(&mut self, word: &str) -> Parsing<bool> {
        self.space()?;
        Ok(self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c| is_name_char(c) || c == ':')))
    }

    fn eat_word(&mut self, word: &str) -> Parsing<bool> {
        let is = self.is_word(word)?;
        if is {
            self.at += word.len();
        }
        Ok(is)
    }

    fn expect_word(&mut self, word: &str) -> Parsing<()> {
        if self.eat_word(word)? { Ok(()) } else { self.fail(QueryFault::Wanted, &[&self.near(), word]) }
    }

    /// Whether words stand next, in order.
    fn are_words(&mut self, words: &[&str]) -> Parsing<bool> {
        let start = self.at;
        for word in words {
            if !self.eat_word(word)? {
                self.at = start;
                return Ok(false);
            }
        }
        self.at = start;
        Ok(true)
    }

    fn eat_words(&mut self, words: &[&str]) -> Parsing<bool> {
        let are = self.are_words(words)?;
        if are {
            for word in words {
                self.eat_word(word)?;
            }
        }
        Ok(are)
    }

    /// The sign after the word that stands here, to see what the word means.
    fn is_word_before(&mut self, word: &str, sign: &str) -> Parsing<bool> {
        let start = self.at;
        let is = self.eat_word(word)? && self.is(sign)?;
        self.at = start;
        Ok(is)
    }

    /// A name without colon, if one stands right here.
    fn local_name(&mut self) -> Option<&'t str> {
        let len = name_len(self.rest());
        let name = &self.rest()[..len];
        self.at += len;
        (len > 0).then_some(name)
    }

    /// `name` or `prefix:name`, if one stands right here.
    fn qualified_name(&mut self) -> Option<(&'t str, &'t str)> {
        let first = self.local_name()?;
        let rest = self.rest();
        if rest.starts_with(':') && name_len(&rest[1..]) > 0 {
            self.at += 1;
            return Some((first, self.local_name()?));
        }
        Some(("", first))
    }

    fn namespace(&self, prefix: &str) -> Parsing<Arc<str>> {
        let known = self.prefixes.iter().rev().find(|(known, _)| **known == *prefix);
        known.map(|(_, uri)| Arc::clone(uri)).ok_or_else(|| QueryError::new(QueryFault::UnknownPrefix, &[prefix]))
    }

    /// The name of an element, or of an attribute, which without prefix is in no namespace.
    fn resolved(&self, (prefix, local): (&str, &str), is_element: bool) -> Parsing<Name> {
        let uri = match prefix {
            "" if is_element => Arc::clone(&self.default),
            "" => "".into(),
            prefix => self.namespace(prefix)?,
        };
        Ok(Name { prefix: prefix.into(), uri, local: local.into() })
    }

    /// `"…"` or `'…'` with doubled quotes and references.
    fn string(&mut self) -> Parsing<String> {
        self.space()?;
        let line = self.line();
        let Some(quote) = self.rest().chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            return self.fail(QueryFault::StringExpected, &[]);
        };
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let Some(len) = rest.find([quote, '&']) else {
                return self.fail(QueryFault::UnterminatedString, &[&line.to_string()]);
            };
            text.push_str(&rest[..len]);
            self.at += len;
            if rest[len..].starts_with('&') {
                text.push(self.reference()?);
                continue;
            }
            self.at += 1;
            if !self.rest().starts_with(quote) {
                return Ok(text);
            }
            text.push(quote);
            self.at += 1;
        }
    }

    /// `&amp;` and its like.
    fn reference(&mut self) -> Parsing<char> {
        match crate::parse::reference(self.text, self.at) {
            Ok((c, next)) => {
                self.at = next;
                Ok(c)
            }
            Err(_) if self.rest().starts_with("&#") => self.fail(QueryFault::NumericReference, &[]),
            Err(_) => self.fail(QueryFault::EntityReference, &[]),
        }
    }

    /// What lies a level deeper.
    ///
    /// # Errors
    /// Too many levels.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsing<T>) -> Parsing<T> {
        if self.depth >= NESTING_MAX {
            return self.fail(QueryFault::TooComplex, &[]);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// A new variable, in scope until its owner takes it away.
    fn declare(&mut self, name: String) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.variables.push((name, slot));
        slot
    }

    /// `$name`
    fn variable_name(&mut self) -> Parsing<String> {
        if !self.eat("$")? {
            return self.fail(QueryFault::VariableExpected, &[]);
        }
        let name = self.qualified_name();
        match name {
            Some(("", local)) => Ok(local.to_owned()),
            Some((prefix, local)) => Err(QueryError::unsupported(&format!("${prefix}:{local}"))),
            None => self.fail(QueryFault::VariableExpected, &[]),
        }
    }

    /// `a, b, …`, from inside of what an expression holds.
    fn expression(&mut self) -> Parsing<Expr> {
        expression::expression(self)
    }

    /// An expression without commas, likewise.
    fn single(&mut self) -> Parsing<Expr> {
        expression::single(self)
    }

    /// The type of a name.
    fn type_of(&self, prefix: &str, local: &str) -> Parsing<AtomKind> {
        expression::type_of(self, prefix, local)
    }

    /// The number of a value of SQL.
    fn refer(&mut self, reference: Reference) -> Expr {
        let known = self.references.iter().position(|known| *known == reference);
        Expr::Sql(known.unwrap_or_else(|| {
            self.references.push(reference);
            self.references.len() - 1
        }))
    }
}
