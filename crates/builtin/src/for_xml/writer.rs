//! A text of XML that is written: values in the forms that they have there, and what stands for signs.

use std::fmt::Write;

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value, Watch};
use millpond_xml::chars::{is_space, is_xml_char};

use super::column::Column;
use crate::json::base64;
use crate::text::string::check_size;
use crate::written::short_text;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Content,
    Attribute,
}

/// A text that is written.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    out: String,
    watch: Watch<'a>,
    /// TYPE
    pub(super) is_typed: bool,
    /// What was written last is a value of `data()`.
    pub(super) ends_in_atom: bool,
}

impl<'a> Writer<'a> {
    /// What is written comes after a text.
    pub(super) fn behind(out: String, watch: Watch<'a>, is_typed: bool) -> Writer<'a> {
        Writer { out, watch, is_typed, ends_in_atom: false }
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    pub(super) fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// Bytes.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes away what was written last.
    pub(super) fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    /// A short text as it is.
    pub(super) fn raw(&mut self, text: &str) {
        self.ends_in_atom = false;
        self.out.push_str(text);
    }

    /// `</name>`
    pub(super) fn end_tag(&mut self, name: &str) {
        self.raw("</");
        self.raw(name);
        self.raw(">");
    }

    /// A value; NULL is nothing.
    ///
    /// # Errors
    /// 6841, 701, the cancellation, what does not convert.
    pub(super) fn value(&mut self, value: &Value, column: &Column, position: Position) -> SqlResult<()> {
        self.ends_in_atom = false;
        self.value_of(value, &column.sql, &column.node, position)
    }

    fn value_of(&mut self, value: &Value, sql: &SqlType, node: &str, position: Position) -> SqlResult<()> {
        match value {
            Value::Null => Ok(()),
            Value::Bit(truth) => self.plain(if *truth { "1" } else { "0" }),
            Value::Str(text) if *sql == SqlType::Xml => self.plain(without_declaration(text)),
            Value::Str(text) => self.text(text, node, position),
            Value::Binary(bytes) => self.binary(bytes),
            Value::Variant(held) => self.value_of(&held.value, &held.base, node, position),
            _ => self.plain(&short_text(value, sql)?),
        }
    }

    /// A value as it is: what the directives `xml` and `cdata`, comments and instructions hold.
    ///
    /// # Errors
    /// As [`Writer::value`].
    pub(super) fn markup(&mut self, value: &Value, column: &Column) -> SqlResult<()> {
        self.ends_in_atom = false;
        match value {
            Value::Str(text) => self.markup_text(text, &column.node),
            value => self.value_of(value, &column.sql, &column.node, Position::Content),
        }
    }

    /// A text as it is, of a node.
    ///
    /// # Errors
    /// 6841, 701, the cancellation.
    pub(super) fn markup_text(&mut self, text: &str, node: &str) -> SqlResult<()> {
        self.ends_in_atom = false;
        check_size(self.watch, self.out.len() + text.len())?;
        for piece in self.watch.pieces(text) {
            let piece = piece?;
            match piece.chars().find(|c| !is_xml_char(*c)) {
                Some(c) if self.is_typed => return Err(not_allowed(node, c)),
                _ => self.out.push_str(piece),
            }
        }
        Ok(())
    }

    /// A text as it is.
    ///
    /// # Errors
    /// 701, the cancellation.
    fn plain(&mut self, text: &str) -> SqlResult<()> {
        check_size(self.watch, self.out.len() + text.len())?;
        for piece in self.watch.pieces(text) {
            self.out.push_str(piece?);
        }
        Ok(())
    }

    fn text(&mut self, text: &str, node: &str, position: Position) -> SqlResult<()> {
        for piece in self.watch.pieces(text) {
            let piece = piece?;
            check_size(self.watch, self.out.len() + piece.len())?;
            self.escape(piece, node, position)?;
        }
        Ok(())
    }

    fn escape(&mut self, text: &str, node: &str, position: Position) -> SqlResult<()> {
        let mut rest = text;
        // The bytes that may need it: controls, signs, and what U+FFFE and U+FFFF begin with.
        let may_need = |byte: u8| byte < b' ' || matches!(byte, b'&' | b'<' | b'>' | b'"' | 0xEF);
        while let Some(at) = rest.bytes().position(may_need) {
            self.out.push_str(&rest[..at]);
            let Some(c) = rest[at..].chars().next() else { break };
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' if position == Position::Attribute => self.out.push_str("&quot;"),
                '\t' | '\n' if position == Position::Content => self.out.push(c),
                '\t' | '\n' | '\r' => self.reference(c),
                c if is_xml_char(c) => self.out.push(c),
                c if self.is_typed => return Err(not_allowed(node, c)),
                c => self.reference(c),
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.out.push_str(rest);
        Ok(())
    }

    fn reference(&mut self, c: char) {
        // A String takes whatever is written.
        let _ = write!(self.out, "&#x{:02X};", u32::from(c));
    }

    fn binary(&mut self, bytes: &[u8]) -> SqlResult<()> {
        for piece in bytes.chunks(base64::PIECE) {
            self.watch.check()?;
            check_size(self.watch, self.out.len() + piece.len() / 3 * 4)?;
            // A String takes whatever is written.
            let _ = base64::encode(piece, &mut self.out);
        }
        Ok(())
    }
}

/// 6841
fn not_allowed(node: &str, c: char) -> SqlError {
    SqlError::of(6841, 1, &[&node, &format!("{:04X}", u32::from(c))])
}

/// A text of XML without the declaration that it begins with.
fn without_declaration(text: &str) -> &str {
    let declaration = text.strip_prefix("<?xml").filter(|rest| rest.starts_with(is_space));
    match declaration.and_then(|rest| rest.split_once("?>")) {
        Some((_, after)) => after.trim_start(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, position: Position, is_typed: bool) -> SqlResult<String> {
        let column = Column { place: 0, sql: SqlType::varchar(40), node: "n".into() };
        let mut writer = Writer::behind(String::new(), Watch::NONE, is_typed);
        writer.value(&Value::str(text), &column, position)?;
        Ok(writer.into_text())
    }

    #[test]
    fn texts_are_escaped_by_where_they_stand() {
        let text = "a<b>&\"'\t\n\r\u{ef}\u{ff21}\u{1F600}";
        let content = "a&lt;b&gt;&amp;\"'\t\n&#x0D;\u{ef}\u{ff21}\u{1F600}";
        let attribute = "a&lt;b&gt;&amp;&quot;'&#x09;&#x0A;&#x0D;\u{ef}\u{ff21}\u{1F600}";
        for is_typed in [false, true] {
            assert_eq!(written(text, Position::Content, is_typed).unwrap(), content);
            assert_eq!(written(text, Position::Attribute, is_typed).unwrap(), attribute);
        }
    }

    #[test]
    fn what_xml_does_not_have_is_a_reference_or_refused() {
        for (text, reference) in [("\0", "&#x00;"), ("\u{1f}", "&#x1F;"), ("\u{ffff}", "&#xFFFF;")] {
            assert_eq!(written(text, Position::Content, false).unwrap(), reference);
            assert_eq!(written(text, Position::Attribute, true).unwrap_err().number, 6841);
        }
    }

    #[test]
    fn a_declaration_is_left_out() {
        assert_eq!(without_declaration("<?xml version=\"1.0\"?>\n <a/>"), "<a/>");
        assert_eq!(without_declaration("<?xml-style a?><a/>"), "<?xml-style a?><a/>");
        assert_eq!(without_declaration("<?xml "), "<?xml ");
    }
}
