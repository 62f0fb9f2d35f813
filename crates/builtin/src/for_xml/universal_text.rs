//! The text that EXPLICIT makes of the rows of a universal table: each row begins the element of its tag in that of its parent.
//!
//! What always holds: each tag is open once at most, so that no more are open than there are. The start tag of the innermost
//! element is ended when it is known whether something stands in it.

use std::sync::Arc;

use millpond_catalog::rel::{RowsAsText, TextOfRows};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{Value, Watch};

use super::column::Column;
use super::element::overflow_text;
use super::levels::Frame;
use super::overflow::Overflow;
use super::universal::{Tag, Universal};
use super::writer::Writer;

impl RowsAsText for Universal {
    fn name(&self) -> &'static str {
        "FOR XML"
    }

    fn begin(&self) -> Box<dyn TextOfRows> {
        let frame = self.frame.clone();
        Box::new(Written { tags: Arc::clone(&self.tags), frame, open: Vec::new(), is_pending: false, has_rows: false })
    }
}

/// A text with some rows.
struct Written {
    tags: Arc<[Tag]>,
    frame: Frame,
    /// Places of the tags whose elements are open, from the outermost.
    open: Vec<usize>,
    /// The start tag of the innermost has no `>` yet.
    is_pending: bool,
    has_rows: bool,
}

impl TextOfRows for Written {
    fn row(&mut self, row: &[Value], text: &mut String, watch: Watch<'_>) -> SqlResult<()> {
        let (place, depth) = self.place(row)?;
        let mut writer = Writer::behind(std::mem::take(text), watch, self.frame.is_typed);
        if !std::mem::replace(&mut self.has_rows, true) {
            self.frame.begin(&mut writer);
        }
        while self.open.len() > depth {
            self.close(|text| writer.raw(text));
        }
        if self.open.contains(&place) {
            return Err(SqlError::of(6805, 2, &[]));
        }
        if std::mem::take(&mut self.is_pending) {
            writer.raw(">");
        }
        let declared = if self.open.is_empty() { self.frame.declared() } else { "" };
        self.is_pending = !open(&self.tags[place], row, declared, &mut writer)?;
        self.open.push(place);
        *text = writer.into_text();
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        while !self.open.is_empty() {
            self.close(|part| text.push_str(part));
        }
        self.frame.end(text);
    }
}

impl Written {
    /// The place of a row's tag, and how many elements are around its own.
    fn place(&self, row: &[Value]) -> SqlResult<(usize, usize)> {
        let number = |place: usize| row.get(place).and_then(Value::as_i64);
        let find = |number: i64| self.tags.iter().position(|tag| tag.number == number);
        let tag = number(0).filter(|tag| *tag > 0).ok_or_else(|| SqlError::of(6803, 2, &[]))?;
        let parent = number(1).unwrap_or(0);
        if parent < 0 {
            return Err(SqlError::of(6804, 2, &[]));
        }
        let place = find(tag).ok_or_else(|| SqlError::of(6806, 2, &[&tag]))?;
        if parent == 0 {
            return Ok((place, 0));
        }
        let around = find(parent).ok_or_else(|| SqlError::of(6807, 2, &[&parent]))?;
        let depth = self.open.iter().position(|open| *open == around);
        Ok((place, depth.ok_or_else(|| SqlError::of(6833, 1, &[&parent]))? + 1))
    }

    /// Ends the innermost element.
    fn close(&mut self, mut write: impl FnMut(&str)) {
        let Some(place) = self.open.pop() else { return };
        if std::mem::take(&mut self.is_pending) {
            write("/>");
            return;
        }
        for part in ["</", &self.tags[place].element.name, ">"] {
            write(part);
        }
    }
}

/// Writes what a row has in its element; says whether its start tag is ended.
fn open(tag: &Tag, row: &[Value], declared: &str, writer: &mut Writer<'_>) -> SqlResult<bool> {
    let element = &tag.element;
    element.begin(row, declared, writer)?;
    let value = tag.overflow.as_ref().map_or(&Value::Null, |column: &Column| column.of(row));
    let overflow = match value.is_null() {
        true => None,
        false => Some(Overflow::read(overflow_text(value), writer.watch(), "")?),
    };
    if let Some(overflow) = &overflow {
        let is_other = |name: &str| tag.declared.iter().all(|known| known != name);
        overflow.write_attributes(is_other, &element.name, writer)?;
    }
    let head = writer.len();
    writer.raw(">");
    if let Some(content) = overflow.as_ref().and_then(|overflow| overflow.content) {
        writer.markup_text(content, &element.name)?;
    }
    let has_content = element.content(row, writer)?;
    if !has_content && overflow.is_none() {
        writer.truncate(head);
        return Ok(false);
    }
    Ok(true)
}
