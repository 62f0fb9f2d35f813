//! The result of SET STATISTICS PROFILE as a tree with its figures before it, and the verdict after it.
//!
//! ```text
//!       Rows  Executes  Elapsed ms      CPU ms  Memory KB  Spilled KB
//!          7         1      12.345      11.200        128           0  select g, count(*) from t group by g
//!          7         1       4.100       4.050        128           0    |--Hash Match(Aggregate, HASH:([t].[g]), …
//!      20000         1       8.000       7.100          0           0         |--Table Scan(OBJECT:([t]))
//!
//!  CPU-bound: CPU 11 ms, tempdb 0 ms, memory 0 ms, disk 0 ms of 12 ms
//! ```
//! What always holds: a result is taken for a profile only by the names of its first and its last columns, which no query
//! has by chance. Knows nothing of how the output is wrapped.

use millpond_message::sink::Column;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

/// The figures: names in the result and in the table.
const FIGURES: [(&str, &str); 6] = [
    ("Rows", "Rows"),
    ("Executes", "Executes"),
    ("ElapsedMs", "Elapsed ms"),
    ("CpuMs", "CPU ms"),
    ("MemoryKB", "Memory KB"),
    ("SpilledKB", "Spilled KB"),
];

/// Characters of a column of figures at least.
const WIDTH_MIN: usize = 10;
/// Characters of an operator's or a statement's text.
const TEXT_MAX: usize = 110;

/// A profile whose rows come.
#[derive(Debug)]
pub struct ProfileTable {
    /// Places and types of the figures, of the text and of the verdict.
    figures: Vec<(usize, SqlType)>,
    text: (usize, SqlType),
    verdict: (usize, SqlType),
    rows: Vec<(Vec<String>, String)>,
    said: Option<String>,
}

impl ProfileTable {
    /// For a result of these columns, if it is a profile.
    pub fn of(columns: &[Column]) -> Option<ProfileTable> {
        let is_named = |at: usize, name: &str| columns.get(at).is_some_and(|column| column.name == name);
        if !is_named(0, "Rows") || !is_named(1, "Executes") || !is_named(2, "StmtText") {
            return None;
        }
        let place = |name: &str| {
            let at = columns.iter().position(|column| column.name == name)?;
            Some((at, columns[at].sql_type))
        };
        let figures = FIGURES.iter().map(|(name, _)| place(name)).collect::<Option<Vec<_>>>()?;
        let (text, verdict) = (place("StmtText")?, place("Verdict")?);
        Some(ProfileTable { figures, text, verdict, rows: Vec::new(), said: None })
    }

    /// Takes a row.
    pub fn add(&mut self, values: &[Value]) {
        let shown = |(at, sql_type): &(usize, SqlType)| match &values[*at] {
            Value::Null => String::new(),
            value => to_display(value, sql_type),
        };
        let figures = self.figures.iter().map(shown).collect();
        self.rows.push((figures, shortened(&shown(&self.text))));
        let verdict = shown(&self.verdict);
        if !verdict.is_empty() {
            self.said = Some(verdict);
        }
    }

    /// The whole table.
    pub fn lines(&self) -> Vec<String> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|(figures, _)| figures[column].len());
            cells.chain([FIGURES[column].1.len(), WIDTH_MIN]).max().unwrap_or(WIDTH_MIN)
        };
        let widths: Vec<usize> = (0..FIGURES.len()).map(width).collect();
        let line = |cells: &[&str], text: &str| {
            let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            format!("{}  {text}", cells.join("  ")).trim_end().to_owned()
        };
        let names = FIGURES.map(|(_, name)| name);
        let mut lines = vec![line(&names, "")];
        for (figures, text) in &self.rows {
            lines.push(line(&figures.iter().map(String::as_str).collect::<Vec<&str>>(), text));
        }
        if let Some(said) = &self.said {
            lines.extend([String::new(), said.clone()]);
        }
        lines
    }
}

/// In one line, its indentation as it is.
fn shortened(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches([' ', '|', '-']).len();
    let (indent, rest) = text.split_at(indent);
    let words: Vec<&str> = rest.split_whitespace().collect();
    let whole = format!("{indent}{}", words.join(" "));
    match whole.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::Decimal;

    use super::*;

    const MS: SqlType = SqlType::decimal(18, 3);

    fn columns() -> Vec<Column> {
        let text = SqlType::varchar(4000);
        let big = SqlType::BigInt;
        let named = [
            ("Rows", big),
            ("Executes", big),
            ("StmtText", text),
            ("ElapsedMs", MS),
            ("CpuMs", MS),
            ("MemoryKB", big),
            ("SpilledKB", big),
            ("Verdict", text),
        ];
        named.into_iter().map(|(name, sql)| Column::new(name, sql)).collect()
    }

    fn row(rows: i64, text: &str, us: Option<i128>, verdict: Option<&str>) -> Vec<Value> {
        let ms = us.map_or(Value::Null, |us| Value::Decimal(Decimal::new(us, 3).expect("small")));
        let verdict = verdict.map_or(Value::Null, Value::str);
        let (rows, one, kb) = (Value::BigInt(rows), Value::BigInt(1), Value::BigInt(64));
        vec![rows, one, Value::str(text), ms.clone(), ms, kb.clone(), kb, verdict]
    }

    #[test]
    fn a_profile_is_a_tree_with_its_figures_in_columns() {
        let mut table = ProfileTable::of(&columns()).expect("a profile");
        table.add(&row(7, "select g\n   from t", Some(12_345), Some("CPU-bound: …")));
        table.add(&row(20_000, "  |--Table Scan(OBJECT:([t]))", None, None));
        let expected = [
            "      Rows    Executes  Elapsed ms      CPU ms   Memory KB  Spilled KB",
            "         7           1      12.345      12.345          64          64  select g from t",
            "     20000           1                                  64          64    |--Table Scan(OBJECT:([t]))",
            "",
            "CPU-bound: …",
        ];
        assert_eq!(table.lines(), expected);
    }

    #[test]
    fn other_results_are_none() {
        assert!(ProfileTable::of(&columns()[1..]).is_none());
        assert!(ProfileTable::of(&columns()[..7]).is_none());
        let long = format!("  |--{}", "x".repeat(200));
        assert_eq!(shortened(&long).chars().count(), TEXT_MAX + 1);
        assert!(shortened(&long).starts_with("  |--xxx"));
    }
}
