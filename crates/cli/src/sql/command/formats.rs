//! A result as CSV, JSON, a table of Markdown, or Parquet (`parquet.rs`).
//!
//! What always holds: CSV is RFC 4180's, with `\n` as line end; NULL is nothing there and an empty text is `""`. JSON is an array of
//! objects, a line each; numbers are numbers with all of their digits, `bit` is true or false. In Markdown no value ends its cell.

use std::io::{self, Write};

use millpond_message::sink::Column;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

use super::super::screen::text;
use super::parquet::ParquetWriter;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values.
    Csv,
    /// An array of objects.
    Json,
    /// A table.
    Markdown,
    /// Columns, for what computes over them.
    Parquet,
}

impl FileFormat {
    /// By the end of a file's name.
    ///
    /// # Errors
    /// Which ends there are.
    pub fn of(name: &str) -> Result<FileFormat, String> {
        let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
        match end.as_deref() {
            Some("csv") => Ok(FileFormat::Csv),
            Some("json") => Ok(FileFormat::Json),
            Some("md") => Ok(FileFormat::Markdown),
            Some("parquet") => Ok(FileFormat::Parquet),
            _ => Err(format!("'{name}': its end says the format: .csv, .json, .md or .parquet")),
        }
    }
}

/// Where a result goes.
enum Out<W: Write + Send> {
    Csv(W),
    Json(W),
    Markdown(W),
    Parquet(Box<ParquetWriter<W>>),
}

/// Writes one result.
pub struct FormatWriter<W: Write + Send> {
    out: Out<W>,
    names: Vec<String>,
    types: Vec<SqlType>,
    row_count: u64,
}

impl<W: Write + Send> FormatWriter<W> {
    /// Begins a result.
    ///
    /// # Errors
    /// What the output says.
    pub fn begin(format: FileFormat, mut out: W, columns: &[Column]) -> io::Result<FormatWriter<W>> {
        let names = names(columns);
        let types: Vec<SqlType> = columns.iter().map(|column| column.sql_type).collect();
        let out = match format {
            FileFormat::Csv => {
                writeln!(out, "{}", joined(names.iter().map(|name| quoted(name)), ","))?;
                Out::Csv(out)
            }
            FileFormat::Json => {
                write!(out, "[")?;
                Out::Json(out)
            }
            FileFormat::Markdown => {
                writeln!(out, "| {} |", joined(names.iter().map(|name| of_markdown(name)), " | "))?;
                let side = |sql_type: &SqlType| if sql_type.is_numeric() { "---:" } else { "---" }.to_owned();
                writeln!(out, "|{}|", joined(types.iter().map(side), "|"))?;
                Out::Markdown(out)
            }
            FileFormat::Parquet => Out::Parquet(Box::new(ParquetWriter::begin(out, &names, &types)?)),
        };
        Ok(FormatWriter { out, names, types, row_count: 0 })
    }

    /// A row.
    ///
    /// # Errors
    /// What the output says.
    pub fn row(&mut self, values: &[Value]) -> io::Result<()> {
        self.row_count += 1;
        let cells = values.iter().zip(&self.types);
        match &mut self.out {
            Out::Csv(out) => {
                let cells = cells.map(|(value, sql_type)| match value {
                    Value::Null => String::new(),
                    value => quoted(&to_display(value, sql_type)),
                });
                writeln!(out, "{}", joined(cells, ","))
            }
            Out::Json(out) => {
                let fields = cells.zip(&self.names);
                let fields =
                    fields.map(|((value, sql_type), name)| format!("{}: {}", string(name), of_json(value, sql_type)));
                let before = if self.row_count == 1 { "\n" } else { ",\n" };
                write!(out, "{before}{{{}}}", joined(fields, ", "))
            }
            Out::Markdown(out) => {
                let cells = cells.map(|(value, sql_type)| of_markdown(&to_display(value, sql_type)));
                writeln!(out, "| {} |", joined(cells, " | "))
            }
            Out::Parquet(writer) => writer.row(values),
        }
    }

    /// Ends it; how many rows it has, and the output.
    ///
    /// # Errors
    /// What the output says.
    pub fn end(self) -> io::Result<(u64, W)> {
        let mut out = match self.out {
            Out::Csv(out) | Out::Markdown(out) => out,
            Out::Json(mut out) => {
                let before = if self.row_count == 0 { "" } else { "\n" };
                writeln!(out, "{before}]")?;
                out
            }
            Out::Parquet(writer) => return writer.end(),
        };
        out.flush()?;
        Ok((self.row_count, out))
    }
}

/// Each name once: columns without a name, and names that come again, have a number.
fn names(columns: &[Column]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let name = if column.name.is_empty() { format!("column{}", at + 1) } else { column.name.to_string() };
        let is_free = |name: &String| !names.contains(name);
        let mut numbered = (2..).map(|number| format!("{name}_{number}"));
        let name = if is_free(&name) { name } else { numbered.find(is_free).unwrap_or_default() };
        names.push(name);
    }
    names
}

fn joined(cells: impl Iterator<Item = String>, between: &str) -> String {
    cells.collect::<Vec<String>>().join(between)
}

/// A field of CSV.
fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !text.contains(['"', ',', '\n', '\r'])
        && !text.starts_with([' ', '\t'])
        && !text.ends_with([' ', '\t']);
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn of_json(value: &Value, sql_type: &SqlType) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bit(bit) => bit.to_string(),
        Value::Variant(variant) => of_json(&variant.value, &variant.base),
        value if sql_type.is_numeric() => {
            let text = to_display(value, sql_type);
            // `.5` is no number of JSON, as no number of ours is; a text that is none stays one.
            if serde_json::from_str::<f64>(&text).is_ok() { text } else { string(&text) }
        }
        value => string(&to_display(value, sql_type)),
    }
}

fn of_markdown(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| text::clean(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("<br>").replace('\\', "\\\\").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let of = |(name, sql_type)| Column::new(name, sql_type);
        [("n", SqlType::BigInt), ("t", SqlType::varchar(50)), ("", SqlType::Bit), ("n", SqlType::Float)]
            .map(of)
            .to_vec()
    }

    fn written(format: FileFormat, rows: &[[Value; 4]]) -> String {
        let mut writer = FormatWriter::begin(format, Vec::new(), &columns()).expect("memory takes it");
        rows.iter().for_each(|row| writer.row(row).expect("memory takes it"));
        let (count, bytes) = writer.end().expect("memory takes it");
        assert_eq!(count, rows.len() as u64);
        String::from_utf8(bytes).expect("UTF-8")
    }

    fn rows() -> Vec<[Value; 4]> {
        vec![
            [Value::BigInt(9_007_199_254_740_993), Value::str("a \"b\", c\n| d"), Value::Bit(true), Value::Float(0.5)],
            [Value::Null, Value::str(""), Value::Null, Value::Null],
        ]
    }

    #[test]
    fn csv_tells_null_from_an_empty_text() {
        let expected = "n,t,column3,n_2\n9007199254740993,\"a \"\"b\"\", c\n| d\",1,0.5\n,\"\",,\n";
        assert_eq!(written(FileFormat::Csv, &rows()), expected);
        assert_eq!(written(FileFormat::Csv, &[]), "n,t,column3,n_2\n");
    }

    #[test]
    fn json_is_read_by_others() {
        let text = written(FileFormat::Json, &rows());
        let parsed: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let expected = serde_json::json!([
            {"n": 9_007_199_254_740_993_i64, "t": "a \"b\", c\n| d", "column3": true, "n_2": 0.5},
            {"n": null, "t": "", "column3": null, "n_2": null},
        ]);
        assert_eq!(parsed, expected);
        assert_eq!(written(FileFormat::Json, &[]), "[]\n");
    }

    #[test]
    fn no_value_ends_a_cell_of_markdown() {
        let expected = "| n | t | column3 | n_2 |\n|---:|---|---:|---:|\n\
                        | 9007199254740993 | a \"b\", c<br>\\| d | 1 | 0.5 |\n| NULL |  | NULL | NULL |\n";
        assert_eq!(written(FileFormat::Markdown, &rows()), expected);
    }

    #[test]
    fn the_end_of_a_name_says_the_format() {
        assert_eq!(FileFormat::of("a.b/c.CSV"), Ok(FileFormat::Csv));
        assert_eq!(FileFormat::of("x.parquet"), Ok(FileFormat::Parquet));
        assert!(FileFormat::of("csv").is_err_and(|why| why.contains(".parquet")));
    }
}
