//! FOR JSON: rows as objects, those of PATH in each other by their names, those of AUTO by their tables.
//!
//! ```text
//!   [ level 0 object { own members, "level 1": [ { own members, "level 2": [ … ] }, … ] }, … ]
//! ```
//! What always holds: PATH has one level. A row goes on in the objects of the row before as far as the values of their keys
//! are the same; the innermost level begins an object with each row. The text is written as the rows come, and nothing is
//! kept of a row but its keys.

use millpond_catalog::rel::{RowsAsText, TextOfRows};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value, Watch};

use super::write::{Writer, escape};
use crate::nesting::{Keys, first_other};

/// How rows are written.
#[derive(Clone, Debug)]
pub struct Shape {
    /// From the outermost.
    pub levels: Vec<Level>,
    /// INCLUDE_NULL_VALUES
    pub keeps_null: bool,
    /// ROOT
    pub root: Option<String>,
    /// WITHOUT_ARRAY_WRAPPER is not there.
    pub in_array: bool,
}

/// Objects of a table; with PATH, all.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The name of its array in the level above.
    pub name: String,
    /// Members.
    pub members: Vec<Member>,
    /// Columns by which one object is distinguished from the next.
    pub keys: Keys,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// As it is written.
    name: String,
    value: MemberValue,
}

#[derive(Clone, Debug)]
enum MemberValue {
    Column(Column),
    Object(Vec<Member>),
}

/// A column of the rows.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Place in the row.
    pub place: usize,
    /// Type.
    pub sql: SqlType,
    /// A text of JSON.
    pub is_json: bool,
}

/// Adds the column of a name to an object. A `path` has the names of objects before points, whose members stand together.
///
/// # Errors
/// 13605 for no name, 13603 for a part of a path without a name, 13601 for a name that is there already.
pub fn add(members: &mut Vec<Member>, name: &str, column: Column, is_path: bool) -> SqlResult<()> {
    if name.is_empty() {
        return Err(SqlError::of(13_605, 1, &[]));
    }
    let parts: Vec<&str> = if is_path { name.split('.').collect() } else { vec![name] };
    if parts.iter().any(|part| part.is_empty()) {
        return Err(SqlError::of(13_603, 1, &[&name]));
    }
    let (last, objects) = parts.split_last().unwrap_or((&name, &[]));
    let conflict = || SqlError::of(13_601, 1, &[&name]);
    let mut members = members;
    for part in objects {
        let part = quoted(part);
        let open =
            members.last().is_some_and(|member| member.name == part && matches!(member.value, MemberValue::Object(_)));
        if !open {
            if members.iter().any(|member| member.name == part) {
                return Err(conflict());
            }
            members.push(Member { name: part, value: MemberValue::Object(Vec::new()) });
        }
        members = match members.last_mut() {
            Some(Member { value: MemberValue::Object(inner), .. }) => inner,
            _ => return Err(conflict()),
        };
    }
    let name = quoted(last);
    if members.iter().any(|member| member.name == name) {
        return Err(conflict());
    }
    members.push(Member { name, value: MemberValue::Column(column) });
    Ok(())
}

/// A name as it is written before a value.
fn quoted(name: &str) -> String {
    let mut quoted = String::from("\"");
    escape(name, &mut quoted);
    quoted.push_str("\":");
    quoted
}

impl RowsAsText for Shape {
    fn name(&self) -> &'static str {
        "FOR JSON"
    }

    fn begin(&self) -> Box<dyn TextOfRows> {
        Box::new(Written { shape: self.clone(), before: None })
    }
}

/// A text with some rows.
struct Written {
    shape: Shape,
    /// Keys of the last row, by level.
    before: Option<Vec<Vec<Value>>>,
}

impl TextOfRows for Written {
    fn row(&mut self, row: &[Value], text: &mut String, watch: Watch<'_>) -> SqlResult<()> {
        let mut writer = Writer::behind(std::mem::take(text), watch);
        let keys: Vec<Vec<Value>> = self.shape.levels.iter().map(|level| level.keys.of(row)).collect();
        let last = self.shape.levels.len().saturating_sub(1);
        let first = match &self.before {
            None => {
                self.shape.begin_text(&mut writer);
                0
            }
            Some(before) => {
                let levels = self.shape.levels.iter().map(|level| &level.keys);
                let first = first_other(levels, before, &keys).min(last);
                (first..last).for_each(|_| {
                    writer.sign('}');
                    writer.sign(']');
                });
                writer.sign('}');
                writer.sign(',');
                first
            }
        };
        let mut has_members = false;
        for (place, level) in self.shape.levels.iter().enumerate().skip(first) {
            if place > first {
                if has_members {
                    writer.sign(',');
                }
                writer.raw(&level.name);
                writer.sign('[');
            }
            writer.sign('{');
            has_members = false;
            write_members(&level.members, row, self.shape.keeps_null, &mut writer, &mut has_members)?;
        }
        self.before = Some(keys);
        *text = writer.into_text();
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        (1..self.shape.levels.len()).for_each(|_| text.push_str("}]"));
        text.push('}');
        if self.shape.in_array {
            text.push(']');
        }
        if self.shape.root.is_some() {
            text.push('}');
        }
    }
}

impl Shape {
    fn begin_text(&self, writer: &mut Writer<'_>) {
        if let Some(root) = &self.root {
            writer.sign('{');
            writer.raw(&quoted(root));
        }
        if self.in_array {
            writer.sign('[');
        }
    }

    /// A level's name as it is written.
    #[must_use]
    pub fn level_name(name: &str) -> String {
        quoted(name)
    }
}

fn write_members(
    members: &[Member],
    row: &[Value],
    keeps_null: bool,
    writer: &mut Writer<'_>,
    has_members: &mut bool,
) -> SqlResult<()> {
    for member in members {
        let before = writer.len();
        match &member.value {
            MemberValue::Column(column) => {
                let value = row.get(column.place).unwrap_or(&Value::Null);
                if value.is_null() && !keeps_null {
                    continue;
                }
                begin_member(&member.name, writer, *has_members);
                writer.value(value, &column.sql, column.is_json)?;
            }
            MemberValue::Object(inner) => {
                begin_member(&member.name, writer, *has_members);
                writer.sign('{');
                let mut has_inner = false;
                write_members(inner, row, keeps_null, writer, &mut has_inner)?;
                if !has_inner {
                    writer.truncate(before);
                    continue;
                }
                writer.sign('}');
            }
        }
        *has_members = true;
    }
    Ok(())
}

fn begin_member(name: &str, writer: &mut Writer<'_>, has_members: bool) {
    if has_members {
        writer.sign(',');
    }
    writer.raw(name);
}
