//! TABNAME and COLINFO: from which tables and columns the columns of a result are, for clients that change rows through a cursor.
//!
//! ```text
//!  A4 ┼ length (2) ┼ per table: parts (1) ┼ part (US_VARCHAR) …
//!  A5 ┼ length (2) ┼ per column: number (1) ┼ table (1, from 1; 0 none) ┼ status (1) ┼ [name (B_VARCHAR) where status has 20]
//!       status: 04 expression  08 of the key  10 hidden  20 the table's name is another one
//! ```
//!
//! What always holds: both are there or neither; there is none where a column's number or a length does not fit.

use crate::wire::{put_b_varchar, put_u16, put_us_varchar};

const TABNAME: u8 = 0xA4;
const COLINFO: u8 = 0xA5;
const EXPRESSION: u8 = 0x04;
const KEY: u8 = 0x08;
const HIDDEN: u8 = 0x10;
const OTHER_NAME: u8 = 0x20;
/// Most units of a part of a name.
const NAME_UNITS_MAX: u16 = 128;

/// Where a column is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The number of its table, from 1; 0 for none.
    pub table: u8,
    /// It is computed.
    pub is_expression: bool,
    /// It is of the key by which its row is found.
    pub is_key: bool,
    /// The query does not name it.
    pub is_hidden: bool,
    /// The table's name for it, where that is another one.
    pub name: Option<String>,
}

/// Appends both tokens.
pub fn put(out: &mut Vec<u8>, tables: &[Vec<String>], columns: &[ColumnInfo]) {
    let mut names = Vec::new();
    for parts in tables {
        names.push(u8::try_from(parts.len()).unwrap_or(u8::MAX));
        parts.iter().take(u8::MAX.into()).for_each(|part| put_us_varchar(&mut names, part, NAME_UNITS_MAX));
    }
    let mut infos = Vec::new();
    for (column, number) in columns.iter().zip(1..) {
        let Ok(number) = u8::try_from(number) else { return };
        let status = [
            (column.is_expression, EXPRESSION),
            (column.is_key, KEY),
            (column.is_hidden, HIDDEN),
            (column.name.is_some(), OTHER_NAME),
        ];
        let status = status.into_iter().filter(|(is, _)| *is).fold(0, |status, (_, bit)| status | bit);
        infos.extend([number, column.table, status]);
        if let Some(name) = &column.name {
            put_b_varchar(&mut infos, name);
        }
    }
    let (Ok(names_bytes), Ok(infos_bytes)) = (u16::try_from(names.len()), u16::try_from(infos.len())) else { return };
    for (token, bytes, body) in [(TABNAME, names_bytes, names), (COLINFO, infos_bytes, infos)] {
        out.push(token);
        put_u16(out, bytes);
        out.extend(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_both() {
        let column = ColumnInfo { table: 1, is_key: true, name: Some("k".into()), ..ColumnInfo::default() };
        let status = ColumnInfo { is_expression: true, is_hidden: true, ..ColumnInfo::default() };
        let mut out = Vec::new();
        put(&mut out, &[vec!["d".into(), "t".into()]], &[column, status]);
        let tabname = [0xA4, 9, 0, 2, 1, 0, b'd', 0, 1, 0, b't', 0];
        let colinfo = [0xA5, 9, 0, 1, 1, 0x28, 1, b'k', 0, 2, 0, 0x14];
        assert_eq!(out, [&tabname[..], &colinfo].concat());
    }

    #[test]
    fn more_columns_than_numbers_are_not_described() {
        let mut out = Vec::new();
        put(&mut out, &[], &vec![ColumnInfo::default(); 256]);
        assert!(out.is_empty());
    }
}
