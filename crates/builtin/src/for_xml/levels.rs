//! The text that RAW, AUTO and PATH make of rows.
//!
//! ```text
//!   <root> <level 0 …> own content <level 1 …> own content … </level 1> <level 1 …> … </level 0> … </root>
//! ```
//! What always holds: RAW and PATH have one level. A row goes on in the elements of the row before as far as the values of their
//! keys are the same; the innermost level begins an element with each row.

use millpond_catalog::rel::{RowsAsText, TextOfRows};
use millpond_message::error::SqlResult;
use millpond_types::{Value, Watch};

use super::element::Element;
use super::writer::Writer;
use crate::nesting::{Keys, first_other};

/// How rows are written.
#[derive(Clone, Debug)]
pub struct Shape {
    /// From the outermost; there is one at least.
    pub levels: Vec<Level>,
    /// What stands around all.
    pub frame: Frame,
}

/// What holds for the text as a whole.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// ROOT
    pub root: Option<String>,
    /// The namespaces that are declared where the text begins, as attributes with blanks before them.
    pub declared: String,
    /// TYPE
    pub is_typed: bool,
}

/// Elements of a table; with RAW and PATH, all.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// What is written of a row.
    pub element: Element,
    /// `PATH ('')`, `RAW ('')`: the content of the element alone. There is no other level then.
    pub has_no_tag: bool,
    /// Columns by which one element is distinguished from the next.
    pub keys: Keys,
}

impl Frame {
    /// Begins the text.
    pub(super) fn begin(&self, writer: &mut Writer<'_>) {
        if let Some(root) = &self.root {
            writer.raw("<");
            writer.raw(root);
            writer.raw(&self.declared);
            writer.raw(">");
        }
    }

    /// What the tags declare that no element is around.
    pub(super) fn declared(&self) -> &str {
        if self.root.is_none() { &self.declared } else { "" }
    }

    /// Ends the text.
    pub(super) fn end(&self, text: &mut String) {
        if let Some(root) = &self.root {
            text.extend(["</", root, ">"]);
        }
    }
}

impl RowsAsText for Shape {
    fn name(&self) -> &'static str {
        "FOR XML"
    }

    fn begin(&self) -> Box<dyn TextOfRows> {
        Box::new(Written { shape: self.clone(), before: None, ends_in_atom: false })
    }
}

/// A text with some rows.
struct Written {
    shape: Shape,
    /// Keys of the last row, by level.
    before: Option<Vec<Vec<Value>>>,
    ends_in_atom: bool,
}

impl TextOfRows for Written {
    fn row(&mut self, row: &[Value], text: &mut String, watch: Watch<'_>) -> SqlResult<()> {
        let Shape { levels, frame } = &self.shape;
        let mut writer = Writer::behind(std::mem::take(text), watch, frame.is_typed);
        writer.ends_in_atom = self.ends_in_atom;
        let keys: Vec<Vec<Value>> = levels.iter().map(|level| level.keys.of(row)).collect();
        let last = levels.len().saturating_sub(1);
        let first = match &self.before {
            None => {
                frame.begin(&mut writer);
                0
            }
            Some(before) => {
                let first = first_other(levels.iter().map(|level| &level.keys), before, &keys).min(last);
                levels[first..last].iter().rev().for_each(|level| writer.end_tag(&level.element.name));
                first
            }
        };
        for (place, level) in levels.iter().enumerate().skip(first) {
            let declared = if place == 0 { frame.declared() } else { "" };
            if place < last {
                level.element.begin(row, declared, &mut writer)?;
                writer.raw(">");
                level.element.content(row, &mut writer)?;
            } else if level.has_no_tag {
                for child in &level.element.children {
                    child.write(row, declared, &mut writer)?;
                }
            } else {
                level.element.write(row, declared, true, &mut writer)?;
            }
        }
        self.before = Some(keys);
        self.ends_in_atom = writer.ends_in_atom;
        *text = writer.into_text();
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        let last = self.shape.levels.len().saturating_sub(1);
        for level in self.shape.levels[..last].iter().rev() {
            text.extend(["</", &level.element.name, ">"]);
        }
        self.shape.frame.end(text);
    }
}
