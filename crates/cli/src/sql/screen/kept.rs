//! The last result, kept for `:export`.
//!
//! What always holds: what is kept takes no more than [`BYTES_MAX`]; of a result that is larger nothing is kept, and why is known.

use millpond_message::sink::Column;
use millpond_types::Value;

/// Values of the last result take so much at most, by what they look like.
const BYTES_MAX: usize = 64 << 20;

/// A result, whole.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
    bytes: usize,
    is_too_large: bool,
}

impl Kept {
    /// Of a result that begins.
    pub fn of(columns: &[Column]) -> Kept {
        Kept { columns: columns.to_vec(), ..Kept::default() }
    }

    /// Takes a row.
    pub fn add(&mut self, values: &[Value]) {
        if self.is_too_large {
            return;
        }
        self.bytes += values.iter().map(bytes).sum::<usize>();
        if self.bytes > BYTES_MAX {
            self.is_too_large = true;
            self.rows = Vec::new();
        } else {
            self.rows.push(values.to_vec());
        }
    }

    /// The result, if it is whole.
    ///
    /// # Errors
    /// That there is none, or that it was too large to be kept.
    pub fn whole(&self) -> Result<&Kept, String> {
        match (self.columns.is_empty(), self.is_too_large) {
            (true, _) => Err("there is no result yet".into()),
            (_, true) => Err(format!(
                "the last result has more than {} MB and was not kept: name the statement",
                BYTES_MAX >> 20
            )),
            _ => Ok(self),
        }
    }
}

fn bytes(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Str(text) => text.as_str().len(),
            Value::Binary(bytes) => bytes.len(),
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use millpond_types::SqlType;

    use super::*;

    #[test]
    fn only_what_is_not_too_large_is_kept() {
        assert!(Kept::default().whole().is_err());
        let mut kept = Kept::of(&[Column::new("a", SqlType::VARCHAR_MAX)]);
        kept.add(&[Value::str("x")]);
        assert_eq!(kept.whole().expect("it is small").rows.len(), 1);
        kept.add(&[Value::str(&"x".repeat(BYTES_MAX))]);
        assert!(kept.whole().unwrap_err().contains("64 MB"));
    }
}
