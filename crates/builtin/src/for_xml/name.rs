//! Names of columns and tables as names of XML: RAW and AUTO escape what XML does not take, PATH and names that stand in the
//! clause are refused for it.

use std::fmt::Write;

use millpond_message::error::{SqlError, SqlResult};
use millpond_xml::xquery::Namespaces;

use super::letters::{begins_name, is_of_name};

/// Which name it is, as messages say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of a column, or a step of one.
    Column,
    /// `PATH ('name')`, `RAW ('name')`
    Row,
    /// `ROOT ('name')`
    Root,
}

/// Prefixes of namespaces that names may have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prefixes<'a> {
    /// XSINIL declares `xsi`.
    pub has_xsi: bool,
    /// Those of WITH XMLNAMESPACES, each with its namespace.
    pub declared: &'a [(String, String)],
}

impl Prefixes<'_> {
    fn has(self, prefix: &str) -> bool {
        prefix == "xml" || self.has_xsi && prefix == "xsi" || self.declared.iter().any(|(known, _)| known == prefix)
    }
}

/// Namespaces as attributes with blanks before them, the one that was declared last first.
#[must_use]
pub fn declarations(namespaces: &Namespaces) -> String {
    let mut all: Vec<(&str, &str)> = namespaces.prefixes.iter().map(|(prefix, uri)| (&**prefix, &**uri)).collect();
    if let Some(default) = &namespaces.default {
        all.insert(namespaces.default_place.min(all.len()), ("", default));
    }
    let mut written = String::new();
    for (prefix, uri) in all.into_iter().rev() {
        written.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        written.push_str(prefix);
        written.push_str("=\"");
        for (place, word) in uri.split_ascii_whitespace().enumerate() {
            if place > 0 {
                written.push(' ');
            }
            for c in word.chars() {
                match c {
                    '&' => written.push_str("&amp;"),
                    '<' => written.push_str("&lt;"),
                    '>' => written.push_str("&gt;"),
                    '"' => written.push_str("&quot;"),
                    _ => written.push(c),
                }
            }
        }
        written.push('"');
    }
    written
}

/// Looks whether the prefix of a name that was written for XML is declared.
///
/// # Errors
/// 6867 for `xmlns`, 6846 for a prefix that is not declared.
pub fn check_prefix(name: &str, kind: Kind, prefixes: Prefixes<'_>) -> SqlResult<()> {
    if name == "xmlns" || name.starts_with("xmlns:") {
        return Err(SqlError::of(6867, 1, &[]));
    }
    match name.split_once(':') {
        Some((prefix, _)) if !prefix.is_empty() && !prefixes.has(prefix) => {
            Err(SqlError::of(6846, 4, &[&prefix, &kind.word(), &name]))
        }
        _ => Ok(()),
    }
}

/// A name with what XML does not take as `_xHHHH_`, six digits for a character of more than 16 bits. A colon stays where it is
/// not the first; `_` before `x` is escaped itself, so that each name can be read back.
#[must_use]
pub fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let fits = match escaped.is_empty() {
            true => begins_name(c),
            false => is_of_name(c) || c == ':',
        };
        if fits && !(c == '_' && rest.peek() == Some(&'x')) {
            escaped.push(c);
            continue;
        }
        let code = u32::from(c);
        let width = if code > 0xFFFF { 6 } else { 4 };
        // A String takes whatever is written.
        let _ = write!(escaped, "_x{code:0width$X}_");
    }
    escaped
}

/// Looks whether a name is one of XML; `whole` is what it is a step of.
///
/// # Errors
/// 6867 for `xmlns`, 6846 for a prefix that is not declared, 6850 for a character that is not one of names.
pub fn check(name: &str, whole: &str, kind: Kind, prefixes: Prefixes<'_>) -> SqlResult<()> {
    if name == "xmlns" || name.starts_with("xmlns:") {
        return Err(SqlError::of(6867, 1, &[]));
    }
    let local = match name.split_once(':') {
        Some(("", _)) | None => name,
        Some((prefix, local)) => {
            if !prefixes.has(prefix) {
                return Err(SqlError::of(6846, 4, &[&prefix, &kind.word(), &whole]));
            }
            local
        }
    };
    match fault(local) {
        None => Ok(()),
        Some(c) => Err(invalid(kind.title(), whole, c)),
    }
}

/// Looks whether the target of an instruction is a name without a colon.
///
/// # Errors
/// 6850, with the word before the name left out, as the server has it.
pub(super) fn check_target(target: &str, whole: &str) -> SqlResult<()> {
    match fault(target) {
        None => Ok(()),
        Some(c) => Err(invalid("", whole, c)),
    }
}

/// 6850
pub(super) fn invalid(title: &str, whole: &str, c: char) -> SqlError {
    SqlError::of(6850, 1, &[&title, &whole, &c, &format!("{:04X}", u32::from(c))])
}

/// The first character that a name cannot have there; a name without any has a colon at its end. Characters of more than 16
/// bits pass.
fn fault(name: &str) -> Option<char> {
    let is_large = |c: char| u32::from(c) > 0xFFFF;
    let mut chars = name.chars();
    match chars.next() {
        None => Some(':'),
        Some(first) if !begins_name(first) && !is_large(first) => Some(first),
        _ => chars.find(|c| !is_of_name(*c) && !is_large(*c)),
    }
}

impl Kind {
    fn title(self) -> &'static str {
        match self {
            Kind::Column => "Column",
            Kind::Row => "Row",
            Kind::Root => "ROOT",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Column => "column",
            Kind::Row => "row",
            Kind::Root => "ROOT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        for (name, written) in [
            ("Order Details", "Order_x0020_Details"),
            ("Order_Details", "Order_Details"),
            ("1a", "_x0031_a"),
            (":a", "_x003A_a"),
            ("a:b", "a:b"),
            ("-a.b-c", "_x002D_a.b-c"),
            ("a_x0020_b", "a_x005F_x0020_b"),
            ("_x", "_x005F_x"),
            ("x_X", "x_X"),
            ("xml", "xml"),
            ("#tmp", "_x0023_tmp"),
            ("a\u{1D400}", "a_x01D400_"),
            ("", ""),
        ] {
            assert_eq!(escaped(name), written, "{name}");
        }
    }

    #[test]
    fn names_are_refused() {
        let number = |name| check(name, name, Kind::Column, Prefixes::default()).err().map(|error| error.number);
        for name in ["a", "_", "xml:lang", "a\u{1D400}", "\u{6f22}.1-"] {
            assert_eq!(number(name), None, "{name}");
        }
        for name in ["", " ", "a b", "1a", ":a", "xml:", "xml:1", "xml:a:b", "a(", "*", "@a"] {
            assert_eq!(number(name), Some(6850), "{name}");
        }
        for name in ["a:b", "XML:a", "a b:c", "xsi:nil"] {
            assert_eq!(number(name), Some(6846), "{name}");
        }
        assert_eq!((number("xmlns"), number("xmlns:a")), (Some(6867), Some(6867)));
        assert!(check("xsi:nil", "xsi:nil", Kind::Row, Prefixes { has_xsi: true, declared: &[] }).is_ok());
    }
}
