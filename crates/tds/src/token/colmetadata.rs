//! COLMETADATA: the columns of the rows that follow.
//!
//! ```text
//!  81 ┼ count (2) ┼ per column: user type (4) ┼ flags (2) ┼ TYPE_INFO ┼ [table name] ┼ name (B_VARCHAR)
//!       FFFF: none                               01 nullable  08 updatability unknown  10 identity  20 computed
//!                                                          2000 hidden
//! ```
//!
//! The table name is there for `text`, `ntext` and `image` only, which we never write.

use millpond_types::{MaxLen, SqlType};

use crate::TdsError;
use crate::collation::Collation;
use crate::column::ColumnMeta;
use crate::type_info::{Framing, Kind, LIMITED_BYTES_MAX, TypeInfo, put_type_info};
use crate::wire::{Reader, put_b_varchar, put_u16, put_u32};

pub(crate) const TOKEN: u8 = 0x81;
const NONE: u16 = 0xFFFF;
/// User type of a `rowversion`, whose TYPE_INFO is that of `binary(8)`.
const ROW_VERSION: u32 = 80;
const NULLABLE: u16 = 0x01;
const UPDATABLE_UNKNOWN: u16 = 0x08;
const IDENTITY: u16 = 0x10;
const COMPUTED: u16 = 0x20;
const HIDDEN: u16 = 0x2000;

/// Columns as the client needs them to read rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResultColumns {
    pub(crate) columns: Vec<ColumnMeta>,
    pub(crate) infos: Vec<TypeInfo>,
}

/// Appends the token.
pub fn put(out: &mut Vec<u8>, columns: &[ColumnMeta]) {
    out.push(TOKEN);
    let count = u16::try_from(columns.len()).unwrap_or(NONE).min(NONE - 1);
    put_u16(out, if count == 0 { NONE } else { count });
    for column in &columns[..count.into()] {
        put_u32(out, if column.sql_type == SqlType::RowVersion { ROW_VERSION } else { 0 });
        put_u16(out, flags(column));
        put_type_info(out, column.sql_type, Collation::of(column.collation));
        put_b_varchar(out, &column.name);
    }
}

/// Appends the token of a result whose columns the client knows.
pub fn put_known(out: &mut Vec<u8>) {
    out.push(TOKEN);
    put_u16(out, NONE);
}

fn flags(column: &ColumnMeta) -> u16 {
    let nullable = if column.nullable { NULLABLE } else { 0 };
    let hidden = if column.hidden { HIDDEN } else { 0 };
    // Clients cannot update an identity column or an expression.
    nullable
        | hidden
        | match (column.identity, column.computed) {
            (true, _) => IDENTITY,
            (_, true) => COMPUTED,
            _ => UPDATABLE_UNKNOWN,
        }
}

/// Reads the token of a result after its first byte.
pub(crate) fn read(reader: &mut Reader<'_>) -> Result<ResultColumns, TdsError> {
    read_columns(reader, skip_table_name)
}

/// Reads the token of a bulk load after its first byte: `text`, `ntext` and `image` have the name of their table as one
/// text, not in parts.
pub(crate) fn read_of_bulk(reader: &mut Reader<'_>) -> Result<ResultColumns, TdsError> {
    let mut result = read_columns(reader, |reader| reader.us_varchar("table name").map(|_| ()))?;
    // Drivers that send another type's values as texts declare less than the longest: how long they may be is for the
    // conversion to say.
    for (column, info) in result.columns.iter_mut().zip(&mut result.infos) {
        column.sql_type = widest(column.sql_type);
        if let Kind::Sql(sql_type) = &mut info.kind {
            *sql_type = widest(*sql_type);
        }
    }
    Ok(result)
}

/// The type of texts or bytes of any length that a row can have in it.
fn widest(sql_type: SqlType) -> SqlType {
    let bytes = MaxLen::Limited(LIMITED_BYTES_MAX);
    match sql_type {
        SqlType::VarChar { len: MaxLen::Limited(_), page } => SqlType::VarChar { len: bytes, page },
        SqlType::NVarChar { len: MaxLen::Limited(_) } => {
            SqlType::NVarChar { len: MaxLen::Limited(LIMITED_BYTES_MAX / 2) }
        }
        SqlType::VarBinary { len: MaxLen::Limited(_) } => SqlType::VarBinary { len: bytes },
        sql_type => sql_type,
    }
}

fn read_columns(
    reader: &mut Reader<'_>,
    skip_table_name: impl Fn(&mut Reader<'_>) -> Result<(), TdsError>,
) -> Result<ResultColumns, TdsError> {
    let mut result = ResultColumns::default();
    let count = match reader.u16("column count")? {
        NONE => 0,
        count => count,
    };
    for _ in 0..count {
        let user_type = reader.u32("column")?;
        let flags = reader.u16("column")?;
        let info = TypeInfo::read(reader)?;
        if info.framing == Framing::Text {
            skip_table_name(reader)?;
        }
        result.columns.push(ColumnMeta {
            name: reader.b_varchar("column name")?,
            sql_type: match info.sql_type() {
                SqlType::Binary { len: 8 } if user_type == ROW_VERSION => SqlType::RowVersion,
                sql_type => sql_type,
            },
            collation: if info.sql_type().is_string() { info.collation.nearest() } else { Default::default() },
            nullable: flags & NULLABLE != 0,
            identity: flags & IDENTITY != 0,
            computed: flags & COMPUTED != 0,
            hidden: flags & HIDDEN != 0,
        });
        result.infos.push(info);
    }
    Ok(result)
}

fn skip_table_name(reader: &mut Reader<'_>) -> Result<(), TdsError> {
    for _ in 0..reader.u8("table name")? {
        let units = reader.u16("table name")?;
        reader.bytes(usize::from(units) * 2, "table name")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::value::tests::all_types;

    #[test]
    fn every_type_round_trips_with_its_flags() {
        let columns: Vec<ColumnMeta> = all_types()
            .into_iter()
            .chain([SqlType::RowVersion])
            .enumerate()
            .map(|(index, sql_type)| ColumnMeta {
                nullable: index % 2 == 0,
                identity: index % 5 == 0,
                computed: index % 5 == 1,
                hidden: index % 7 == 1,
                ..ColumnMeta::new(format!("c{index}é"), sql_type)
            })
            .collect();
        let mut out = Vec::new();
        put(&mut out, &columns);
        let mut reader = Reader::new(&out[1..]);
        assert_eq!(read(&mut reader).unwrap().columns, columns);
        assert!(reader.is_empty());
    }

    /// The column of MS-TDS 4.7.
    #[test]
    fn known_bytes() {
        let sql_type = SqlType::varchar(3);
        let column = ColumnMeta { nullable: false, computed: true, ..ColumnMeta::new("bar", sql_type) };
        let mut out = Vec::new();
        put(&mut out, &[column]);
        let expected = [
            0x81, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0xA7, 0x03, 0x00, 0x09, 0x04, 0xD0, 0x00, 0x34, 0x03,
            0x62, 0x00, 0x61, 0x00, 0x72, 0x00,
        ];
        assert_eq!(out, expected);
    }

    /// mssql-jdbc declares `varchar(16)` for texts that become `smalldatetime`, and sends longer ones.
    #[test]
    fn texts_of_a_bulk_load_may_be_longer_than_declared() {
        let columns = [SqlType::varchar(16), SqlType::SYSNAME, SqlType::char(3), SqlType::VARCHAR_MAX];
        let columns = columns.map(|sql_type| ColumnMeta::new("c", sql_type));
        let mut out = Vec::new();
        put(&mut out, &columns);
        let read = read_of_bulk(&mut Reader::new(&out[1..])).unwrap();
        let types: Vec<SqlType> = read.columns.iter().map(|column| column.sql_type).collect();
        let nvarchar = SqlType::NVarChar { len: MaxLen::Limited(4000) };
        assert_eq!(types, [SqlType::varchar(8000), nvarchar, SqlType::char(3), SqlType::VARCHAR_MAX]);
    }

    #[test]
    fn a_column_names_its_collation() {
        use millpond_types::{CodePage, Collation as Ours};
        let text = SqlType::varchar(9);
        let columns: Vec<ColumnMeta> = [Ours::WINDOWS_CS_AS, Ours::LATIN1_BIN2, Ours::UTF8_CI_AS, Ours::UTF8_BIN2]
            .into_iter()
            .flat_map(|collation| [text.in_page(collation.page()), SqlType::SYSNAME].map(|sql| (collation, sql)))
            .map(|(collation, sql_type)| ColumnMeta { collation, ..ColumnMeta::new("c", sql_type) })
            .collect();
        let mut out = Vec::new();
        put(&mut out, &columns);
        assert_eq!(read(&mut Reader::new(&out[1..])).unwrap().columns, columns);
        assert_eq!(columns[4].sql_type.page(), CodePage::Utf8);
    }

    #[test]
    fn no_columns_are_announced_by_a_mark() {
        let mut out = Vec::new();
        put(&mut out, &[]);
        assert_eq!(out, [0x81, 0xFF, 0xFF]);
        assert!(read(&mut Reader::new(&out[1..])).unwrap().columns.is_empty());
    }
}
