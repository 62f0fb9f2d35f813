//! Rows as INSERT statements of many rows: text that grows until it is worth sending.
//!
//! ```text
//!   insert into dbo.t values (…),(…),…;      at most 1,000 rows, as SQL Server's message 10738 wants it
//!   insert into dbo.t values (…),…
//! ```
//!
//! What always holds: the statements are those of any SQL. The code that sends them makes one transaction of them, so
//! that the log is forced once for all their rows.

use std::fmt::Write;

/// Most rows of a VALUES list.
const STATEMENT_ROWS_MAX: u32 = 1_000;
/// A batch is sent when it has grown beyond this.
const BATCH_BYTES: usize = 96 * 1024;

/// Rows for one table.
#[derive(Debug)]
pub(crate) struct Insert {
    table: &'static str,
    text: String,
    rows: u32,
    rows_of_statement: u32,
}

impl Insert {
    /// For a table of schema dbo; values come in the order of its columns.
    pub(crate) fn into(table: &'static str) -> Self {
        Self { table, text: String::new(), rows: 0, rows_of_statement: 0 }
    }

    /// Begins a row.
    pub(crate) fn row(&mut self) -> Row<'_> {
        if self.rows_of_statement == STATEMENT_ROWS_MAX {
            self.text.push_str(";\n");
            self.rows_of_statement = 0;
        }
        if self.rows_of_statement == 0 {
            let _ = write!(self.text, "insert into dbo.{} values ", self.table);
        } else {
            self.text.push(',');
        }
        self.rows += 1;
        self.rows_of_statement += 1;
        self.text.push('(');
        Row { text: &mut self.text, is_first: true }
    }

    /// Whether it is time to send.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= BATCH_BYTES
    }

    /// The statements and the number of their rows; `None` when there are none.
    pub(crate) fn take(&mut self) -> Option<(String, u32)> {
        if self.rows == 0 {
            return None;
        }
        self.rows_of_statement = 0;
        Some((std::mem::take(&mut self.text), std::mem::take(&mut self.rows)))
    }
}

/// A row that is being written; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    text: &'a mut String,
    is_first: bool,
}

impl Row<'_> {
    fn next(&mut self) -> &mut String {
        if !self.is_first {
            self.text.push(',');
        }
        self.is_first = false;
        self.text
    }

    /// An integer.
    pub(crate) fn int(&mut self, value: impl Into<i64>) -> &mut Self {
        let value: i64 = value.into();
        let _ = write!(self.next(), "{value}");
        self
    }

    /// A decimal of `scale` digits after the point, from its unscaled integer.
    pub(crate) fn decimal(&mut self, unscaled: i64, scale: u32) -> &mut Self {
        let power = 10_u64.pow(scale);
        let sign = if unscaled < 0 { "-" } else { "" };
        let magnitude = unscaled.unsigned_abs();
        let (whole, fraction, width) = (magnitude / power, magnitude % power, scale as usize);
        let _ = write!(self.next(), "{sign}{whole}.{fraction:0width$}");
        self
    }

    /// A text without apostrophes, as all texts of the workloads are.
    pub(crate) fn text(&mut self, value: &str) -> &mut Self {
        debug_assert!(!value.contains('\''), "the workloads' texts have no apostrophes");
        let _ = write!(self.next(), "'{value}'");
        self
    }

    /// NULL.
    pub(crate) fn null(&mut self) -> &mut Self {
        self.next().push_str("null");
        self
    }
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        self.text.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_one_statement() {
        let mut insert = Insert::into("t");
        assert!(insert.take().is_none());
        insert.row().int(1).text("a").null();
        insert.row().decimal(-1005, 2).decimal(7, 4).decimal(0, 2);
        let (text, rows) = insert.take().unwrap();
        assert_eq!(rows, 2);
        assert_eq!(text, "insert into dbo.t values (1,'a',null),(-10.05,0.0007,0.00)");
        assert!(insert.take().is_none());
    }

    #[test]
    fn a_statement_has_a_thousand_rows_at_most_and_a_batch_ends() {
        let mut insert = Insert::into("t");
        let mut count = 0;
        while !insert.is_full() {
            insert.row().int(count);
            count += 1;
        }
        let (text, rows) = insert.take().unwrap();
        assert_eq!(i64::from(rows), count);
        assert!(text.len() < BATCH_BYTES + 200);
        let statements: Vec<&str> = text.split("insert into").skip(1).collect();
        assert_eq!(statements.len(), usize::try_from(count).unwrap().div_ceil(1000));
        assert!(statements.iter().all(|statement| statement.matches('(').count() <= 1000));
    }
}
