//! SET TEXTSIZE: large values of results are cut to so many bytes, at a whole character. What is stored or assigned is
//! not touched, nor are values whose types have a limit.

use crate::sink::Column;
use millpond_types::text::char_page_len;
use millpond_types::{MaxLen, SqlType, Value};

/// What 0 means.
pub const DEFAULT_BYTES: i32 = 4096;

/// Cuts the large values of a result's rows.
pub struct TextSize {
    bytes: usize,
    /// Positions of the columns of large types.
    columns: Vec<(usize, SqlType)>,
    row: Vec<Value>,
}

impl TextSize {
    /// `None` where nothing is cut: without such columns, and under the setting that drivers ask for.
    pub fn of(bytes: i32, columns: &[Column]) -> Option<TextSize> {
        if bytes == i32::MAX || bytes < 0 {
            return None;
        }
        let types = columns.iter().map(|column| column.sql_type).enumerate();
        let columns: Vec<(usize, SqlType)> = types.filter(|(_, sql)| is_large(sql)).collect();
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        (!columns.is_empty()).then(|| TextSize { bytes, columns, row: Vec::new() })
    }

    /// The row as it is sent.
    pub fn cut<'r>(&'r mut self, row: &'r [Value]) -> &'r [Value] {
        let mut is_cut = false;
        for (column, sql) in &self.columns {
            let Some(value) = cut_value(&row[*column], sql, self.bytes) else { continue };
            if !is_cut {
                self.row.clear();
                self.row.extend_from_slice(row);
                is_cut = true;
            }
            self.row[*column] = value;
        }
        if is_cut { &self.row } else { row }
    }
}

fn is_large(sql: &SqlType) -> bool {
    matches!(
        sql,
        SqlType::VarChar { len: MaxLen::Max, .. }
            | SqlType::NVarChar { len: MaxLen::Max }
            | SqlType::VarBinary { len: MaxLen::Max }
    )
}

/// The value cut, if it is longer.
fn cut_value(value: &Value, sql: &SqlType, bytes: usize) -> Option<Value> {
    match value {
        Value::Binary(all) => all.get(..bytes).filter(|head| head.len() < all.len()).map(Value::binary),
        Value::Str(all) => {
            let end = end_of(all, sql, bytes)?;
            Some(Value::Str(all[..end].into()))
        }
        _ => None,
    }
}

/// Where a text ends that may have so many bytes in its type; `None` if it has no more.
fn end_of(text: &str, sql: &SqlType, bytes: usize) -> Option<usize> {
    // No character of UTF-8 has fewer bytes than its UTF-16 has units.
    let least = if matches!(sql, SqlType::NVarChar { .. }) { bytes / 2 } else { bytes };
    if text.len() <= least {
        return None;
    }
    let mut left = bytes;
    for (at, c) in text.char_indices() {
        let width = match sql {
            SqlType::NVarChar { .. } => 2 * c.len_utf16(),
            _ => char_page_len(c, sql.page()),
        };
        left = match left.checked_sub(width) {
            Some(left) => left,
            None => return Some(at),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARCHAR: SqlType = SqlType::VARCHAR_MAX;
    const NVARCHAR: SqlType = SqlType::NVarChar { len: MaxLen::Max };

    #[test]
    fn texts_are_cut_at_whole_characters_of_their_encoding() {
        let utf8 = VARCHAR.in_page(millpond_types::CodePage::Utf8);
        let shown = |text: &str, sql: &SqlType, bytes| end_of(text, sql, bytes).map(|end| text[..end].to_owned());
        assert_eq!(shown("abcdef", &VARCHAR, 5), Some("abcde".into()));
        assert_eq!(shown("abcde", &VARCHAR, 5), None);
        assert_eq!(shown("äöüß", &VARCHAR, 3), Some("äöü".into()));
        assert_eq!(shown("äöüß", &VARCHAR, 4), None);
        assert_eq!(shown("äöüß", &utf8, 5), Some("äö".into()));
        assert_eq!(shown("abcdef", &NVARCHAR, 5), Some("ab".into()));
        assert_eq!(shown("a𝄞b", &NVARCHAR, 5), Some("a".into()));
        assert_eq!(shown("abc", &NVARCHAR, 6), None);
    }
}
