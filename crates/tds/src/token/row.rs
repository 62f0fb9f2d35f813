//! ROW and NBCROW, read by the client; the server writes them with [`crate::value::write_row`].

use millpond_types::Value;

use super::colmetadata::ResultColumns;
use crate::TdsError;
use crate::value::{Place, read_value};
use crate::wire::Reader;

pub(crate) const TOKEN: u8 = 0xD1;
pub(crate) const NULL_BITMAP_TOKEN: u8 = 0xD2;

/// Reads a ROW after its first byte.
pub(crate) fn read(reader: &mut Reader<'_>, columns: &ResultColumns) -> Result<Vec<Value>, TdsError> {
    let mut values = Vec::with_capacity(columns.infos.len());
    for info in &columns.infos {
        values.push(read_value(reader, info, Place::Row)?);
    }
    Ok(values)
}

/// Reads an NBCROW after its first byte.
pub(crate) fn read_null_bitmap(reader: &mut Reader<'_>, columns: &ResultColumns) -> Result<Vec<Value>, TdsError> {
    let bitmap = reader.bytes(columns.infos.len().div_ceil(8), "bitmap of nulls")?;
    let mut values = Vec::with_capacity(columns.infos.len());
    for (index, info) in columns.infos.iter().enumerate() {
        if bitmap[index / 8] & (1 << (index % 8)) != 0 {
            values.push(Value::Null);
        } else {
            values.push(read_value(reader, info, Place::Row)?);
        }
    }
    Ok(values)
}
