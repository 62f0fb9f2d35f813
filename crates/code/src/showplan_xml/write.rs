//! Elements of XML as they are written one after the other.
//!
//! What always holds: attributes have characters of XML alone; the caller that opens an element closes it.

use std::fmt::Write;

/// A text of XML that grows.
#[derive(Default)]
pub(super) struct Xml {
    text: String,
}

impl Xml {
    /// What was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Begins an element.
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push('>');
    }

    /// Ends one.
    pub(super) fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push('>');
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push_str("/>");
    }

    /// An element around what `inside` writes.
    pub(super) fn around(&mut self, name: &str, attributes: &[(&str, &str)], inside: impl FnOnce(&mut Xml)) {
        self.open(name, attributes);
        inside(self);
        self.close(name);
    }

    /// Elements that were written elsewhere.
    pub(super) fn elements(&mut self, written: &str) {
        self.text.push_str(written);
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"");
            self.escaped(value);
            self.text.push('"');
        }
    }

    fn escaped(&mut self, value: &str) {
        for character in value.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '"' => self.text.push_str("&quot;"),
                // A parser takes them for blanks unless they are written by their numbers.
                '\t' | '\n' | '\r' => {
                    let _ = write!(self.text, "&#x{:X};", u32::from(character));
                }
                // XML has no way to write these.
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => self.text.push('\u{fffd}'),
                character => self.text.push(character),
            }
        }
    }
}

/// Attributes that grow: names with their values.
#[derive(Default)]
pub(super) struct Attributes(Vec<(&'static str, String)>);

impl Attributes {
    /// One more.
    pub(super) fn add(&mut self, name: &'static str, value: impl Into<String>) {
        self.0.push((name, value.into()));
    }

    /// As an element takes them.
    pub(super) fn all(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }
}

/// A number with six digits after its point, of which zeros at the end are left out.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let digits = format!("{value:.6}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1`, `0`: a `boolean` of the schema, as SQL Server writes most of them.
pub(super) fn bit(value: bool) -> &'static str {
    if value { "1" } else { "0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_an_attribute_or_is_not_of_xml_is_written_so_that_it_does_not() {
        let mut xml = Xml::default();
        xml.around("a", &[("b", "\"<&>'\n\0")], |xml| xml.empty("c", &[]));
        assert_eq!(xml.into_text(), "<a b=\"&quot;&lt;&amp;&gt;'&#xA;\u{fffd}\"><c/></a>");
    }
}
