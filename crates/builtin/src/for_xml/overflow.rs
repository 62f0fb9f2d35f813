//! The directive `xmltext`: a text of XML is taken apart into the attributes of its first element and what stands in that.
//!
//! ```text
//!   <?xml …?> <!-- … -->  <tag name="value" …> content </tag>  what is after it is not looked at
//! ```
//! What always holds: values and content are given as they were written. Tags of the content are matched by their names; more is
//! not known of it.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Watch;
use millpond_xml::chars::is_space;

use super::writer::Writer;

/// The first element of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overflow<'t> {
    /// Names and values, these without their quotes.
    pub attributes: Vec<(&'t str, &'t str)>,
    /// What stands in it; none where it was written as `<a/>`.
    pub content: Option<&'t str>,
}

/// A start tag.
struct Tag<'t> {
    name: &'t str,
    attributes: Vec<(&'t str, &'t str)>,
    is_single: bool,
    /// After the tag.
    rest: &'t str,
}

impl<'t> Overflow<'t> {
    /// Reads a text; `field` is its name in messages.
    ///
    /// # Errors
    /// 6834, the cancellation.
    pub(super) fn read(text: &'t str, watch: Watch<'_>, field: &str) -> SqlResult<Overflow<'t>> {
        let start = after_prolog(text);
        if !start.starts_with('<') {
            return Err(SqlError::of(6834, 1, &[&field]));
        }
        let wrong = || SqlError::of(6834, 2, &[&field]);
        let tag = start_tag(start).ok_or_else(wrong)?;
        let content = match tag.is_single {
            true => None,
            false => Some(content(&tag, watch)?.ok_or_else(wrong)?),
        };
        Ok(Overflow { attributes: tag.attributes, content })
    }

    /// Writes it under another name.
    pub(super) fn write_as(&self, name: &str, writer: &mut Writer<'_>) -> SqlResult<()> {
        writer.raw("<");
        writer.raw(name);
        self.write_attributes(|_| true, name, writer)?;
        match self.content {
            None => writer.raw("/>"),
            Some(content) => {
                writer.raw(">");
                writer.markup_text(content, name)?;
                writer.end_tag(name);
            }
        }
        Ok(())
    }

    /// Writes the attributes whose names `takes`; `node` is the element that they come to.
    pub(super) fn write_attributes(
        &self,
        takes: impl Fn(&str) -> bool,
        node: &str,
        writer: &mut Writer<'_>,
    ) -> SqlResult<()> {
        for (name, value) in self.attributes.iter().filter(|(name, _)| takes(name)) {
            writer.raw(" ");
            writer.markup_text(name, node)?;
            writer.raw("=\"");
            writer.markup_text(value, node)?;
            writer.raw("\"");
        }
        Ok(())
    }
}

/// A text from its first element on: declaration, comments and blanks are passed over.
fn after_prolog(text: &str) -> &str {
    let mut rest = text.trim_start_matches(is_space);
    loop {
        let after = match rest {
            _ if rest.starts_with("<?") => rest.split_once("?>"),
            _ if rest.starts_with("<!--") => rest.split_once("-->"),
            _ => None,
        };
        match after {
            Some((_, after)) => rest = after.trim_start_matches(is_space),
            None => return rest,
        }
    }
}

/// The tag that a text begins with; none where it is none.
fn start_tag(text: &str) -> Option<Tag<'_>> {
    let (name, mut rest) = name(text.strip_prefix('<')?)?;
    let mut attributes = Vec::new();
    loop {
        let next = rest.trim_start_matches(is_space);
        if let Some(rest) = next.strip_prefix('>') {
            return Some(Tag { name, attributes, is_single: false, rest });
        }
        if let Some(rest) = next.strip_prefix("/>") {
            return Some(Tag { name, attributes, is_single: true, rest });
        }
        // Attributes have a blank before them.
        if next.len() == rest.len() {
            return None;
        }
        let (attribute, after) = self::name(next)?;
        let after = after.trim_start_matches(is_space).strip_prefix('=')?.trim_start_matches(is_space);
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        if value.contains('<') || attributes.iter().any(|(known, _)| *known == attribute) {
            return None;
        }
        attributes.push((attribute, value));
        rest = after;
    }
}

/// The name that a text begins with, and what is after it.
fn name(text: &str) -> Option<(&str, &str)> {
    let ends = |c: char| is_space(c) || matches!(c, '<' | '>' | '/' | '=' | '"' | '\'' | '!' | '?' | '&');
    let (name, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
    (!name.is_empty()).then_some((name, rest))
}

/// What stands between a start tag and its end tag; none where tags do not match.
fn content<'t>(tag: &Tag<'t>, watch: Watch<'_>) -> SqlResult<Option<&'t str>> {
    let mut ticker = watch.ticker();
    let mut open = vec![tag.name];
    let mut rest = tag.rest;
    while let Some(at) = rest.find('<') {
        ticker.tick()?;
        let found = &rest[at..];
        let after = if let Some(end) = found.strip_prefix("</") {
            let Some((name, after)) = name(end) else { return Ok(None) };
            let Some(after) = after.trim_start_matches(is_space).strip_prefix('>') else { return Ok(None) };
            if open.pop() != Some(name) {
                return Ok(None);
            }
            if open.is_empty() {
                return Ok(Some(&tag.rest[..tag.rest.len() - found.len()]));
            }
            after
        } else if let Some((_, after)) = passed_over(found) {
            after
        } else {
            let Some(inner) = start_tag(found) else { return Ok(None) };
            if !inner.is_single {
                open.push(inner.name);
            }
            inner.rest
        };
        rest = after;
    }
    Ok(None)
}

/// A comment, section or instruction, and what is after it.
fn passed_over(text: &str) -> Option<(&str, &str)> {
    match text {
        _ if text.starts_with("<!--") => text.split_once("-->"),
        _ if text.starts_with("<![CDATA[") => text.split_once("]]>"),
        _ if text.starts_with("<?") => text.split_once("?>"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Overflow<'_>, u8> {
        Overflow::read(text, Watch::NONE, "f").map_err(|error| {
            assert_eq!(error.number, 6834);
            error.state
        })
    }

    #[test]
    fn attributes_and_content_are_as_written() {
        let found =
            read(" <?xml version='1.0'?><!-- a --> <o p = 'a\"b' q=\"c>d&lt;\" > <k  ></k>&amp; </o> <more>").unwrap();
        assert_eq!(found.attributes, [("p", "a\"b"), ("q", "c>d&lt;")]);
        assert_eq!(found.content, Some(" <k  ></k>&amp; "));
        assert_eq!(read("<o/><p/>").unwrap(), Overflow { attributes: vec![], content: None });
        assert_eq!(read("<a><a>in</a></a>").unwrap().content, Some("<a>in</a>"));
        let inner = "<!-- </a> --><![CDATA[</a>]]><?x </a>?>";
        assert_eq!(read(&format!("<a>{inner}</a>")).unwrap().content, Some(inner));
    }

    #[test]
    fn what_is_no_element() {
        for text in ["", "plain", "  ", "<!-- a -->"] {
            assert_eq!(read(text), Err(1), "{text}");
        }
        for text in [
            "<a>",
            "<",
            "<>",
            "< a/>",
            "<a",
            "<a/",
            "<a b/>",
            "<a b=/>",
            "<a b=c/>",
            "<a b='c/>",
            "<a b='c'd='e'/>",
            "<a b='<'/>",
            "<a b='1' b='2'/>",
            "<a></b>",
            "<a><b></a></b>",
            "<a></a",
            "<a><!-- </a>",
            "<a><![CDATA[</a>",
            "<a><</a>",
        ] {
            assert_eq!(read(text), Err(2), "{text}");
        }
    }
}
