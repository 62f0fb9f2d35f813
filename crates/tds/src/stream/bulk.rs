//! Rows of INSERT BULK: the payload of its message is fed in pieces, rows are taken.
//!
//! ```text
//!  COLMETADATA ┼ ROW | NBCROW … ┼ [DONE]
//! ```
//!
//! What always holds: what is held is what was fed and not taken, which is a piece and at most one incomplete token;
//! a token longer than a message may be is refused.

use millpond_types::Value;

use crate::TdsError;
use crate::column::ColumnMeta;
use crate::packet::DEFAULT_BOUND_BYTES;
use crate::token::colmetadata::ResultColumns;
use crate::token::{colmetadata, row};
use crate::wire::Reader;

const DONE: u8 = 0xFD;
/// A token of this length is not tried again for every piece.
const LONG_TOKEN_BYTES: usize = 64 * 1024;

/// What comes next.
#[derive(Clone, Debug)]
pub enum BulkEvent {
    /// The columns of the rows to come.
    Columns(Vec<ColumnMeta>),
    /// A row.
    Row(Vec<Value>),
    /// There are no more rows.
    Done,
}

/// Reads one bulk message.
#[derive(Debug, Default)]
pub struct BulkDecoder {
    buffer: Vec<u8>,
    /// Consumed front of the buffer.
    consumed: usize,
    /// Buffered bytes below which the next token is certainly incomplete.
    needed_bytes: usize,
    columns: Option<ResultColumns>,
    is_ended: bool,
    is_done: bool,
}

impl BulkDecoder {
    /// A decoder before the first byte.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece.
    ///
    /// # Errors
    /// [`TdsError::TooLarge`] for a token beyond the bound of a message.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), TdsError> {
        self.buffer.drain(..std::mem::take(&mut self.consumed));
        if self.buffer.len() > DEFAULT_BOUND_BYTES {
            return Err(TdsError::TooLarge { what: "row", bound_bytes: DEFAULT_BOUND_BYTES });
        }
        self.buffer.extend_from_slice(piece);
        Ok(())
    }

    /// What comes next; `None` when more must be fed first.
    ///
    /// # Errors
    /// [`TdsError`] for what is no bulk message.
    pub fn next_event(&mut self) -> Result<Option<BulkEvent>, TdsError> {
        if self.is_done {
            return Ok(Some(BulkEvent::Done));
        }
        let pending = &self.buffer[self.consumed..];
        if pending.is_empty() && self.is_ended && self.columns.is_some() {
            // FreeTDS sends no DONE.
            self.is_done = true;
            return Ok(Some(BulkEvent::Done));
        }
        if pending.is_empty() || pending.len() < self.needed_bytes {
            return Ok(None);
        }
        let mut reader = Reader::new(pending);
        match self.read(&mut reader) {
            Ok((event, columns)) => {
                self.consumed += reader.position();
                self.needed_bytes = 0;
                self.is_done = matches!(event, BulkEvent::Done);
                if columns.is_some() {
                    self.columns = columns;
                }
                Ok(Some(event))
            }
            Err(TdsError::Truncated { .. }) => {
                let length = pending.len();
                self.needed_bytes = if length < LONG_TOKEN_BYTES { 0 } else { length + length / 8 };
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// All has been fed: a token that is not complete is tried once more, whatever its length.
    pub fn end(&mut self) {
        self.needed_bytes = 0;
        self.is_ended = true;
    }

    fn read(&self, reader: &mut Reader<'_>) -> Result<(BulkEvent, Option<ResultColumns>), TdsError> {
        let token = reader.u8("token")?;
        let event = match (token, &self.columns) {
            (colmetadata::TOKEN, None) => {
                let columns = colmetadata::read_of_bulk(reader)?;
                return Ok((BulkEvent::Columns(columns.columns.clone()), Some(columns)));
            }
            (row::TOKEN, Some(columns)) => BulkEvent::Row(row::read(reader, columns)?),
            (row::NULL_BITMAP_TOKEN, Some(columns)) => BulkEvent::Row(row::read_null_bitmap(reader, columns)?),
            // Some clients leave what follows the token out.
            (DONE, _) => BulkEvent::Done,
            _ => return Err(TdsError::malformed("token of a bulk load")),
        };
        Ok((event, None))
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::{MaxLen, SqlType};
    use proptest::prelude::*;

    use super::*;
    use crate::value::tests::form;
    use crate::value::{write_null_bitmap_row, write_row};

    fn message(rows: &[(i32, Option<String>)]) -> Vec<u8> {
        let columns =
            [ColumnMeta::new("a", SqlType::Int), ColumnMeta::new("b", SqlType::NVarChar { len: MaxLen::Limited(400) })];
        let mut out = Vec::new();
        colmetadata::put(&mut out, &columns);
        for (number, text) in rows {
            let text = text.as_ref().map_or(Value::Null, |text| Value::Str(text.as_str().into()));
            let values = [Value::Int(*number), text];
            if number % 2 == 0 {
                write_row(&mut out, &columns, &values).expect("they fit");
            } else {
                write_null_bitmap_row(&mut out, &columns, &values).expect("they fit");
            }
        }
        out.push(DONE);
        out.extend_from_slice(&[0; 12]);
        out
    }

    proptest! {
        #[test]
        fn rows_come_out_however_the_message_is_cut(
            rows in prop::collection::vec((any::<i32>(), prop::option::of("[a-zé]{0,300}")), 0..20),
            piece_bytes in 1..200_usize,
        ) {
            let mut decoder = BulkDecoder::new();
            let mut found = Vec::new();
            let mut is_done = false;
            for piece in message(&rows).chunks(piece_bytes) {
                decoder.feed(piece).unwrap();
                while let Some(event) = decoder.next_event().unwrap() {
                    match event {
                        BulkEvent::Columns(columns) => prop_assert_eq!(columns.len(), 2),
                        BulkEvent::Row(values) => found.push(values),
                        BulkEvent::Done => {
                            is_done = true;
                            break;
                        }
                    }
                }
            }
            prop_assert!(is_done);
            prop_assert_eq!(found.len(), rows.len());
            for (values, (number, text)) in found.iter().zip(&rows) {
                prop_assert_eq!(form(&values[0]), form(&Value::Int(*number)));
                let text = text.as_ref().map_or(Value::Null, |text| Value::Str(text.as_str().into()));
                prop_assert_eq!(form(&values[1]), form(&text));
            }
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut decoder = BulkDecoder::new();
            decoder.feed(&bytes).unwrap();
            for _ in 0..bytes.len() {
                match decoder.next_event() {
                    Ok(Some(BulkEvent::Done) | None) | Err(_) => break,
                    Ok(Some(_)) => {}
                }
            }
        }
    }

    /// COLMETADATA and rows of a column of the old large types, as SqlClient, FreeTDS and tedious write them.
    #[test]
    fn old_large_types_have_one_table_name_and_a_pointer_before_each_value() {
        let latin1 = [0x09, 0x04, 0xD0, 0x00, 0x34];
        for (byte, collation, data, wanted) in [
            (0x23, &latin1[..], &b"abc"[..], Value::str("abc")),
            (0x63, &latin1[..], &b"a\0b\0"[..], Value::str("ab")),
            (0x22, &[][..], &[1, 2, 0][..], Value::binary(&[1, 2, 0])),
        ] {
            let mut bytes = vec![colmetadata::TOKEN, 1, 0, 0, 0, 0, 0, 9, 0, byte, 0xFF, 0xFF, 0xFF, 0x7F];
            bytes.extend_from_slice(collation);
            bytes.extend_from_slice(&[2, 0, b't', 0, b'x', 0, 1, b'c', 0]);
            bytes.extend_from_slice(&[row::TOKEN, 0, row::TOKEN, 16]);
            bytes.extend_from_slice(&[0xFF; 24]);
            bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
            bytes.extend_from_slice(data);
            bytes.push(DONE);
            let mut decoder = BulkDecoder::new();
            decoder.feed(&bytes).unwrap();
            let Ok(Some(BulkEvent::Columns(columns))) = decoder.next_event() else { panic!("columns come first") };
            assert_eq!((columns.len(), columns[0].name.as_str()), (1, "c"));
            for wanted in [Value::Null, wanted] {
                let Ok(Some(BulkEvent::Row(row))) = decoder.next_event() else { panic!("a row of {byte:X}") };
                assert_eq!(form(&row[0]), form(&wanted));
            }
            assert!(matches!(decoder.next_event(), Ok(Some(BulkEvent::Done))));
        }
    }

    #[test]
    fn rows_before_their_columns_are_refused() {
        let mut decoder = BulkDecoder::new();
        decoder.feed(&[row::TOKEN, 1, 2]).unwrap();
        assert!(decoder.next_event().is_err());
    }
}
