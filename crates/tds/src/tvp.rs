//! Table-valued parameters: a table's rows as the value of a parameter.
//!
//! ```text
//!  F3 ┼ database, schema, type (B_VARCHAR each)
//!     ┼ FFFF (no columns, no rows) or count (2) ┼ per column: user type (4) ┼ flags (2) ┼ TYPE_INFO ┼ name (B_VARCHAR)
//!     ┼ [10 ┼ count (2) ┼ (column (2), flags (1)) …]   order and uniqueness: hints
//!     ┼ [11 ┼ count (2) ┼ column (2) …]               order of columns
//!     ┼ 00 ┼ row … ┼ 00
//!  row: 01 ┼ a value per column, none for a column of flag 0200 (its default is wanted)
//! ```
//!
//! What always holds: the rows stay the bytes that came; reading the parameter walks over them once, so that the code
//! that reads them later meets no error, and a million rows take no more memory than they took on the wire.

use std::sync::Arc;

use millpond_types::{SqlType, Value};

use crate::TdsError;
use crate::type_info::{TypeInfo, put_plain_type_info};
use crate::value::{Place, put_value, read_value};
use crate::wire::{Reader, put_b_varchar, put_u16, put_u32};

/// The type's byte.
pub(crate) const TABLE: u8 = 0xF3;
/// Most columns, as of any table.
pub const COLUMNS_MAX: usize = 1024;

const NO_COLUMNS: u16 = 0xFFFF;
const NULLABLE: u16 = 0x0001;
const DEFAULT: u16 = 0x0200;
const END: u8 = 0x00;
const ROW: u8 = 0x01;
const ORDER_UNIQUE: u8 = 0x10;
const COLUMN_ORDER: u8 = 0x11;

/// A column.
#[derive(Clone, Debug)]
struct Column {
    info: TypeInfo,
    sql_type: SqlType,
    is_default: bool,
}

/// A table as it came.
#[derive(Clone, Debug)]
pub struct TableValue {
    /// `[database, schema, type]`; empty where the client said nothing.
    pub type_name: [String; 3],
    columns: Vec<Column>,
    rows: Vec<u8>,
    row_count: usize,
}

impl TableValue {
    /// A table of these columns and rows; without columns there are no rows.
    ///
    /// # Errors
    /// For a value that is not of its column's type.
    pub fn new(type_name: [String; 3], types: &[SqlType], rows: &[Vec<Value>]) -> Result<TableValue, TdsError> {
        let mut bytes = Vec::new();
        for row in rows {
            bytes.push(ROW);
            for (sql_type, value) in types.iter().zip(row) {
                put_value(&mut bytes, *sql_type, value)?;
            }
        }
        let columns = types.iter().map(|sql_type| {
            let mut info = Vec::new();
            put_plain_type_info(&mut info, *sql_type);
            let info = TypeInfo::read(&mut Reader::new(&info))?;
            Ok(Column { info, sql_type: *sql_type, is_default: false })
        });
        let columns = columns.collect::<Result<Vec<Column>, TdsError>>()?;
        let row_count = if columns.is_empty() { 0 } else { rows.len() };
        Ok(TableValue { type_name, columns, rows: if row_count == 0 { Vec::new() } else { bytes }, row_count })
    }

    /// The columns' types; `None` for a column that is to get its default and has no values in the rows.
    #[must_use]
    pub fn columns(&self) -> Vec<Option<SqlType>> {
        self.columns.iter().map(|column| (!column.is_default).then_some(column.sql_type)).collect()
    }

    /// Rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// The rows one after the other, without the columns that have no values.
    pub fn rows(self: &Arc<Self>) -> TableRows {
        TableRows { table: Arc::clone(self), at: 0 }
    }

    /// Reads what follows the type's byte.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<TableValue, TdsError> {
        let what = "name of a table type";
        let type_name = [reader.b_varchar(what)?, reader.b_varchar(what)?, reader.b_varchar(what)?];
        let columns = match reader.u16("columns of a table")? {
            NO_COLUMNS => Vec::new(),
            count if usize::from(count) > COLUMNS_MAX || count == 0 => {
                return Err(TdsError::malformed("columns of a table"));
            }
            count => (0..count).map(|_| Column::read(reader)).collect::<Result<Vec<Column>, TdsError>>()?,
        };
        skip_hints(reader)?;
        let all = reader.rest();
        let mut row_count = 0;
        let mut bytes = 0;
        loop {
            match reader.u8("row of a table")? {
                END => break,
                ROW if !columns.is_empty() => {
                    for column in &columns {
                        column.value(reader)?;
                    }
                    row_count += 1;
                    bytes = all.len() - reader.remaining();
                }
                _ => return Err(TdsError::malformed("row of a table")),
            }
        }
        Ok(TableValue { type_name, columns, rows: all[..bytes].to_vec(), row_count })
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        out.push(TABLE);
        self.type_name.iter().for_each(|name| put_b_varchar(out, name));
        if self.columns.is_empty() {
            put_u16(out, NO_COLUMNS);
        } else {
            put_u16(out, self.columns.len() as u16);
        }
        for column in &self.columns {
            put_u32(out, 0);
            put_u16(out, NULLABLE | if column.is_default { DEFAULT } else { 0 });
            put_plain_type_info(out, column.sql_type);
            put_b_varchar(out, "");
        }
        out.push(END);
        out.extend_from_slice(&self.rows);
        out.push(END);
    }
}

impl Column {
    fn read(reader: &mut Reader<'_>) -> Result<Column, TdsError> {
        reader.u32("column of a table")?;
        let flags = reader.u16("column of a table")?;
        let info = TypeInfo::read(reader)?;
        let sql_type = info.parameter_type()?;
        reader.b_varchar("column of a table")?;
        Ok(Column { info, sql_type, is_default: flags & DEFAULT != 0 })
    }

    fn value(&self, reader: &mut Reader<'_>) -> Result<Option<Value>, TdsError> {
        if self.is_default {
            return Ok(None);
        }
        read_value(reader, &self.info, Place::Parameter).map(Some)
    }
}

/// Order and uniqueness are hints: the table's own keys decide. Other orders of columns than theirs are not sent by
/// clients that know the type.
fn skip_hints(reader: &mut Reader<'_>) -> Result<(), TdsError> {
    loop {
        let entry_bytes = match reader.u8("columns of a table")? {
            END => return Ok(()),
            ORDER_UNIQUE => 3,
            COLUMN_ORDER => {
                return Err(TdsError::Unsupported { what: "an order of columns in a table-valued parameter" });
            }
            _ => return Err(TdsError::malformed("columns of a table")),
        };
        let count = reader.u16("order of a table")?;
        reader.bytes(usize::from(count) * entry_bytes, "order of a table")?;
    }
}

/// The rows of a table.
#[derive(Clone, Debug)]
pub struct TableRows {
    table: Arc<TableValue>,
    /// Bytes that were given.
    at: usize,
}

impl Iterator for TableRows {
    type Item = Vec<Value>;

    fn next(&mut self) -> Option<Vec<Value>> {
        let rest = self.table.rows.get(self.at..).filter(|rest| !rest.is_empty())?;
        let mut reader = Reader::new(rest);
        reader.u8("row of a table").expect("it is not empty");
        let values = self
            .table
            .columns
            .iter()
            .filter_map(|column| column.value(&mut reader).expect("the rows were read when the table was"));
        let row = values.collect();
        self.at += reader.position();
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::tests::{all_types, bounds};

    fn read(bytes: &[u8]) -> Result<TableValue, TdsError> {
        let mut reader = Reader::new(bytes);
        let table = TableValue::read(&mut reader)?;
        assert!(reader.is_empty(), "all of it was read");
        Ok(table)
    }

    fn name() -> [String; 3] {
        [String::new(), "dbo".to_owned(), "pairs".to_owned()]
    }

    #[test]
    fn every_type_round_trips() {
        for sql_type in all_types() {
            let rows: Vec<Vec<Value>> = bounds(sql_type).into_iter().map(|value| vec![Value::Int(7), value]).collect();
            let table = TableValue::new(name(), &[SqlType::Int, sql_type], &rows).unwrap();
            let mut bytes = Vec::new();
            table.put(&mut bytes);
            let back = Arc::new(read(&bytes[1..]).unwrap());
            assert_eq!((back.type_name.clone(), back.row_count()), (name(), rows.len()));
            let sent = Arc::new(table);
            assert_eq!(
                format!("{:?}", back.rows().collect::<Vec<_>>()),
                format!("{:?}", sent.rows().collect::<Vec<_>>())
            );
            assert_eq!(back.rows().count(), rows.len());
        }
    }

    /// Two columns, the first of which is to have its default, with a hint of order, and two rows.
    #[test]
    fn defaults_and_hints() {
        let mut bytes = vec![0, 0, 1, b't', 0, 2, 0];
        bytes.extend_from_slice(&[0, 0, 0, 0, 0, 2, 0x26, 4, 0]);
        bytes.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0x26, 4, 0]);
        bytes.extend_from_slice(&[0x10, 1, 0, 1, 0, 1, 0]);
        bytes.extend_from_slice(&[1, 4, 5, 0, 0, 0, 1, 0, 0]);
        let table = Arc::new(read(&bytes).unwrap());
        assert_eq!(table.columns(), [None, Some(SqlType::Int)]);
        let rows: Vec<Vec<Value>> = table.rows().collect();
        assert!(matches!(&rows[..], [one, two] if matches!(one[..], [Value::Int(5)]) && two[0].is_null()));
    }

    #[test]
    fn no_columns_and_no_rows() {
        let table = Arc::new(read(&[0, 0, 0, 0xFF, 0xFF, 0, 0]).unwrap());
        assert_eq!((table.columns().len(), table.row_count(), table.rows().count()), (0, 0, 0));
        let mut bytes = Vec::new();
        table.put(&mut bytes);
        assert_eq!(bytes, [TABLE, 0, 0, 0, 0xFF, 0xFF, 0, 0]);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(read(&[0, 0, 0, 0xFF, 0xFF, 0, 1, 0]).is_err(), "a row without columns");
        assert!(read(&[0, 0, 0, 0, 0, 0, 0]).is_err(), "a table of zero columns");
        assert!(read(&[0, 0, 0, 0, 0x40, 0, 0]).is_err(), "too many columns");
        assert!(read(&[0, 0, 0, 0xFF, 0xFF, 0x11, 1, 0, 1, 0, 0, 0]).unwrap_err().is_unsupported());
        assert!(read(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xF3, 0]).is_err(), "a table in a table");
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut reader = Reader::new(&body);
            if let Ok(table) = TableValue::read(&mut reader) {
                let table = Arc::new(table);
                prop_assert_eq!(table.rows().count(), table.row_count());
            }
        }
    }
}
