//! Fills a new TPC-H database with INSERT BULK from several connections, and writes dbgen's files.
//!
//! What always holds: no two connections write the same rows, and rows of one come in the order of the key; the data are
//! those of the standard's dbgen for the scale, whatever the number of connections.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use indicatif::ProgressBar;
use millpond_tds::ColumnMeta;
use millpond_tsql::batch::split_script;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use super::tables::{Kind, TABLES, TpchTable};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};
use crate::measure::bar;

const SCHEMA: &str = include_str!("../../../../examples/tpch/schema.sql");
/// Rows of one INSERT BULK.
const BULK_ROWS: usize = 50_000;

/// Makes the database, which is not there, and everything in it.
pub(super) fn load(target: &Target, database: &str, scale: f64, connections: usize) -> Result<(), LabError> {
    Link::open(target, "").doing("login")?.batch(&format!("create database [{database}]")).doing("create database")?;
    let mut link = Link::open(target, database).doing("login")?;
    for batch in split_script(SCHEMA) {
        link.batch(&batch.text).doing("the tables")?;
    }
    let jobs: Vec<(&TpchTable, i32, i32)> = TABLES
        .iter()
        .flat_map(|table| {
            let parts = if table.rows_at(scale) > 100_000 { connections as i32 } else { 1 };
            (1..=parts).map(move |part| (table, part, parts))
        })
        .collect();
    let bar = bar(
        TABLES.iter().map(|table| table.rows_at(scale)).sum(),
        "{msg:>10} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
    )
    .with_message("load");
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let filler = || -> Result<(), LabError> {
        let mut link = Link::open(target, database).doing("login")?;
        while !failed.load(Relaxed) {
            // The longest tables first.
            let Some(index) = jobs.len().checked_sub(1 + next.fetch_add(1, Relaxed)) else { break };
            let (table, part, parts) = jobs[index];
            fill(&mut link, table, (scale, part, parts), &bar).inspect_err(|_| failed.store(true, Relaxed))?;
        }
        Ok(())
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections.max(1)).map(|_| scope.spawn(filler)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a loader does not panic")).collect()
    });
    bar.finish_and_clear();
    results.into_iter().collect()
}

fn fill(
    link: &mut Link,
    table: &TpchTable,
    (scale, part, parts): (f64, i32, i32),
    bar: &ProgressBar,
) -> Result<(), LabError> {
    let columns: Vec<ColumnMeta> = table
        .columns
        .iter()
        .map(|(name, kind)| ColumnMeta { nullable: false, ..ColumnMeta::new(*name, kind.sql_type()) })
        .collect();
    let list: Vec<String> = table.columns.iter().map(|(name, kind)| format!("{name} {}", kind.text())).collect();
    let statement = format!("insert bulk dbo.{} ({})", table.name, list.join(", "));
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(BULK_ROWS);
    let mut send = |rows: &mut Vec<Vec<Value>>| {
        link.bulk(&statement, &columns, rows).doing(format!("rows of {}", table.name))?;
        bar.inc(rows.len() as u64);
        rows.clear();
        Ok(())
    };
    (table.lines)(scale, part, parts, &mut |line| {
        rows.push(row_of(table, line)?);
        if rows.len() == BULK_ROWS { send(&mut rows) } else { Ok(()) }
    })?;
    if rows.is_empty() { Ok(()) } else { send(&mut rows) }
}

fn row_of(table: &TpchTable, line: &str) -> Result<Vec<Value>, LabError> {
    let fields = line.split_terminator('|');
    fields.zip(table.columns).map(|(field, (_, kind))| value_of(field, *kind)).collect()
}

fn value_of(field: &str, kind: Kind) -> Result<Value, LabError> {
    let wrong = || LabError::Answer(format!("the generator wrote '{field}' for a column of type {}", kind.text()));
    let text = SqlType::VarChar { len: MaxLen::Max, page: Default::default() };
    match kind {
        Kind::Int => field.parse().map(Value::Int).map_err(|_| wrong()),
        Kind::BigInt => field.parse().map(Value::BigInt).map_err(|_| wrong()),
        Kind::Money | Kind::Date => {
            cast::cast(&Value::str(field), &text, &kind.sql_type(), None, CastRules::DEFAULT).map_err(|_| wrong())
        }
        Kind::Char(_) | Kind::VarChar(_) => Ok(Value::str(field)),
    }
}

/// Writes each table as dbgen does: `lineitem.tbl` and so on.
pub(super) fn write_files(folder: &Path, scale: f64) -> Result<(), LabError> {
    let failed = |source| LabError::Output { path: folder.display().to_string(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for table in &TABLES {
        let mut file = BufWriter::new(File::create(folder.join(format!("{}.tbl", table.name))).map_err(failed)?);
        (table.lines)(scale, 1, 1, &mut |line| writeln!(file, "{line}").map_err(failed))?;
        file.flush().map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_row_of_the_columns_types() {
        let orders = TABLES.iter().find(|table| table.name == "orders").unwrap();
        let row = row_of(orders, "7|39136|O|252004.18|1996-01-10|2-HIGH|Clerk#000000470|0|special, final|").unwrap();
        assert_eq!(row.len(), orders.columns.len());
        assert_eq!((row[0].clone(), row[1].clone()), (Value::BigInt(7), Value::Int(39136)));
        assert!(matches!(&row[3], Value::Decimal(price) if price.unscaled == 25_200_418));
        assert!(matches!(&row[4], Value::Date(_)));
        assert_eq!(row[8], Value::str("special, final"));
        assert!(row_of(orders, "seven|1|").is_err());
    }
}
