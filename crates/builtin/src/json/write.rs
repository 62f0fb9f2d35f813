//! Values as JSON: what JSON_OBJECT, JSON_ARRAY, their aggregates, JSON_MODIFY and FOR JSON write of each type.
//!
//! What always holds: numbers and bits are written bare, all else in quotes; a text of JSON ([`ExprType::is_json`]) as it is.
//!
//! [`ExprType::is_json`]: millpond_catalog::expr::ExprType

use std::fmt::Write;

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value, Watch};

use super::base64;
use crate::text::string::check_size;
use crate::written::short_text;

/// A JSON text that is written.
#[derive(Debug)]
pub struct Writer<'a> {
    out: String,
    watch: Watch<'a>,
}

impl<'a> Writer<'a> {
    /// An empty one.
    #[must_use]
    pub fn new(watch: Watch<'a>) -> Writer<'a> {
        Writer::behind(String::new(), watch)
    }

    /// What is written comes after a text.
    #[must_use]
    pub fn behind(out: String, watch: Watch<'a>) -> Writer<'a> {
        Writer { out, watch }
    }

    /// What was written.
    #[must_use]
    pub fn into_text(self) -> String {
        self.out
    }

    /// How many bytes were written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Takes away what was written last.
    pub fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    /// A short text as it is.
    pub fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// A sign of JSON.
    pub fn sign(&mut self, sign: char) {
        self.out.push(sign);
    }

    /// A text as it is.
    ///
    /// # Errors
    /// 701, the cancellation.
    pub fn plain(&mut self, text: &str) -> SqlResult<()> {
        check_size(self.watch, self.out.len() + text.len())?;
        for piece in self.watch.pieces(text) {
            self.out.push_str(piece?);
        }
        Ok(())
    }

    /// A text in quotes.
    ///
    /// # Errors
    /// 701, the cancellation.
    pub fn string(&mut self, text: &str) -> SqlResult<()> {
        self.out.push('"');
        for piece in self.watch.pieces(text) {
            let piece = piece?;
            check_size(self.watch, self.out.len() + piece.len())?;
            escape(piece, &mut self.out);
        }
        self.out.push('"');
        Ok(())
    }

    /// A value; NULL is `null`.
    ///
    /// # Errors
    /// 701, the cancellation, what does not convert.
    pub fn value(&mut self, value: &Value, sql: &SqlType, is_json: bool) -> SqlResult<()> {
        match value {
            Value::Null => self.plain("null"),
            Value::Bit(truth) => self.plain(if *truth { "true" } else { "false" }),
            Value::Str(text) if is_json => self.plain(text),
            Value::Str(text) => self.string(text),
            Value::Binary(bytes) => self.binary(bytes),
            Value::Variant(held) => self.value(&held.value, &held.base, false),
            _ => {
                let text = short_text(value, sql)?;
                if is_bare(value) { self.plain(&text) } else { self.string(&text) }
            }
        }
    }

    /// The name of a member, of a value: in quotes whatever its type.
    ///
    /// # Errors
    /// As [`Writer::value`].
    pub fn name(&mut self, value: &Value, sql: &SqlType) -> SqlResult<()> {
        match value {
            Value::Variant(held) => self.name(&held.value, &held.base)?,
            value if is_bare(value) || matches!(value, Value::Bit(_)) => {
                self.out.push('"');
                self.value(value, sql, false)?;
                self.out.push('"');
            }
            value => self.value(value, sql, false)?,
        }
        self.out.push(':');
        Ok(())
    }

    fn binary(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.out.push('"');
        for piece in bytes.chunks(base64::PIECE) {
            self.watch.check()?;
            check_size(self.watch, self.out.len() + piece.len() / 3 * 4)?;
            // A String takes whatever is written.
            let _ = base64::encode(piece, &mut self.out);
        }
        self.out.push('"');
        Ok(())
    }
}

/// Whether a value is written without quotes.
fn is_bare(value: &Value) -> bool {
    matches!(
        value,
        Value::TinyInt(_)
            | Value::SmallInt(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Decimal(_)
            | Value::Money(_)
            | Value::Real(_)
            | Value::Float(_)
    )
}

/// Appends a text with the escapes that JSON asks for, and that of `/`.
pub fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || matches!(byte, b'"' | b'\\' | b'/')) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            sign @ (b'"' | b'\\' | b'/') => out.extend(['\\', char::from(sign)]),
            b'\x08' => out.push_str("\\b"),
            b'\x0c' => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                // A String takes whatever is written.
                let _ = write!(out, "\\u{control:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// 13638
#[must_use]
pub fn null_name(function: &str) -> SqlError {
    SqlError::of(13_638, 1, &[&function])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut writer = Writer::new(Watch::NONE);
        writer.string("a/b\"c\\d\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é<").unwrap();
        assert_eq!(writer.into_text(), "\"a\\/b\\\"c\\\\d\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é<\"");
    }
}
