//! Rows with values beyond their records: records are made whole when they are read, and parted when they are written.
//!
//! ```text
//!   page ──▶ record, perhaps with pointers ──▶ whole record (only what is wanted) ──▶ values
//!   values ──▶ fits? ──▶ record
//!                └ no ─▶ the largest go out (`put`), the record has their pointers
//! ```
//!
//! A row that fits takes the short way: one look at its table's layout. Who owns a value, and when it is freed, is
//! decided in `txn` (its `values`).

use std::ops::Range;

use millpond_access::lob::{LobPtr, Owned};
use millpond_access::tree::ENTRY_BYTES_MAX;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_txn::values;
use millpond_txn::{BulkInsert, SessionWork, TxnError, ValueHome};
use millpond_types::row::{LobPointer, RowError, RowLayout, VALUE_BYTES_MAX, value_to_bytes};
use millpond_types::{Cell, Value, Watch};

/// Bytes of large values that one row may have in memory at once.
const ROW_BYTES_MAX: u64 = 4 << 30;

/// Values of one table or index that lie beyond its records.
#[derive(Clone, Copy)]
pub struct Large<'a> {
    /// Of the records.
    pub layout: &'a RowLayout,
    /// Where the values are.
    pub home: ValueHome<'a>,
    /// On whose account values are read.
    pub ask: Ask<'a>,
    /// What errors name.
    pub place: Place<'a>,
    /// The memory that values are read into.
    pub watch: Watch<'a>,
}

/// Bytes that the record of an entry may have beside its key.
pub fn room_beside(key: &[u8]) -> usize {
    ENTRY_BYTES_MAX.saturating_sub(key.len())
}

/// All columns.
pub fn all(_: usize) -> bool {
    true
}

/// Why a record was not made whole.
enum Failed {
    Row(RowError),
    Txn(TxnError),
}

impl From<RowError> for Failed {
    fn from(cause: RowError) -> Failed {
        Failed::Row(cause)
    }
}

impl<'a> Large<'a> {
    /// A record with all values of the columns that are wanted: itself, or written to `space`.
    ///
    /// # Errors
    /// 7105 for a pointer that leads to no value, 701 for too many bytes, and those of reading pages.
    #[inline]
    pub fn whole<'r>(
        &self,
        record: &'r [u8],
        wanted: &dyn Fn(usize) -> bool,
        space: &'r mut Vec<u8>,
    ) -> SqlResult<&'r [u8]> {
        match self.layout.is_partial(record).map_err(message::of_row)? {
            false => Ok(record),
            true => self.made_whole(record, wanted, space),
        }
    }

    #[cold]
    fn made_whole<'r>(
        &self,
        record: &[u8],
        wanted: &dyn Fn(usize) -> bool,
        space: &'r mut Vec<u8>,
    ) -> SqlResult<&'r [u8]> {
        let pointers = self.layout.pointers(record).map_err(message::of_row)?;
        let bytes = pointers.iter().filter(|(column, _)| wanted(*column)).map(|(_, pointer)| pointer.len_bytes());
        let bytes = bytes.fold(0, u64::saturating_add);
        if bytes > ROW_BYTES_MAX || !self.watch.has_room(usize::try_from(bytes).unwrap_or(usize::MAX)) {
            return Err(message::out_of_memory());
        }
        let mut read = |pointer: LobPointer, out: &mut [u8]| {
            self.home.read(&self.ask, pointer_of(pointer)?, 0, out).map_err(Failed::Txn)
        };
        let made = self.layout.make_whole::<Failed>(record, wanted, &mut read, space);
        made.map_err(|failed| match failed {
            Failed::Row(cause) => message::of_row(cause),
            Failed::Txn(cause) => message::of_txn(cause, self.place),
        })?;
        Ok(space)
    }

    /// Writes the record of a row, at most `room_bytes` long, behind what `record` has; values that do not fit go out. Values that a row before it
    /// has too stay where they are.
    ///
    /// # Errors
    /// 511 when the row does not fit without them either, 7119 for a value of more than 2 GB, and those of writing.
    pub fn append_record(
        &self,
        work: &mut dyn PutValue,
        row: &[Value],
        before: Option<&mut OldValues<'_>>,
        room_bytes: usize,
        record: &mut Vec<u8>,
    ) -> SqlResult<()> {
        let start = record.len();
        if before.as_ref().is_none_or(|before| before.fixed.is_empty()) && self.layout.fits(row, room_bytes) {
            record.resize(start + self.layout.encoded_len(row), 0);
            self.layout.encode_into(row, &mut record[start..]).map_err(message::of_row)?;
            return Ok(());
        }
        self.append_parted(work, row, before, room_bytes, record)
    }

    #[cold]
    fn append_parted(
        &self,
        work: &mut dyn PutValue,
        row: &[Value],
        mut before: Option<&mut OldValues<'_>>,
        room_bytes: usize,
        record: &mut Vec<u8>,
    ) -> SqlResult<()> {
        let mut cells: Vec<Cell<'_>> = row.iter().map(Cell::Value).collect();
        for (column, pointer) in before.iter().flat_map(|before| &before.fixed) {
            cells[*column] = Cell::OffRow(*pointer);
        }
        let out = self.layout.off_row_cells_within(&cells, room_bytes).map_err(message::of_row)?;
        let mut bytes = Vec::new();
        for column in out {
            let kept = before.as_mut().and_then(|before| before.keep(column, &row[column]));
            let pointer = match kept {
                Some(pointer) => pointer,
                None => {
                    bytes.clear();
                    self.check_room(&row[column])?;
                    value_to_bytes(&self.layout.types()[column], &row[column], &mut bytes).map_err(message::of_row)?;
                    if bytes.len() > VALUE_BYTES_MAX {
                        return Err(too_large());
                    }
                    let put = work.put(&self.ask, self.home, &bytes);
                    let pointer = put.map_err(|cause| message::of_txn(cause, self.place))?;
                    LobPointer::from_bytes(pointer.to_bytes())
                }
            };
            cells[column] = Cell::OffRow(pointer);
        }
        let start = record.len();
        record.resize(start + self.layout.cells_len(&cells), 0);
        self.layout.encode_cells(&cells, &mut record[start..]).map_err(message::of_row)?;
        Ok(())
    }

    /// 701 where there is no memory for a value as it is stored: a Unicode text has two bytes for each of ASCII's.
    fn check_room(&self, value: &Value) -> SqlResult<()> {
        let bytes = value.as_str().map(|text| 2 * text.len()).or(value.as_bytes().map(<[u8]>::len));
        if self.watch.has_room(bytes.unwrap_or(0)) { Ok(()) } else { Err(message::out_of_memory()) }
    }

    /// What a record points to.
    ///
    /// # Errors
    /// 824 for a damaged record.
    pub fn pointers(&self, record: &[u8]) -> SqlResult<Vec<(usize, LobPointer)>> {
        self.layout.pointers(record).map_err(message::of_row)
    }

    /// Lets values go that the row has no more.
    ///
    /// # Errors
    /// Those of the layers below.
    pub fn let_go(&self, work: &mut SessionWork, pointers: &[(usize, LobPointer)]) -> SqlResult<()> {
        pointers.iter().try_for_each(|(_, pointer)| self.drop_owned(work, owned_of(*pointer)?))
    }

    /// Lets go what a changed row has no more: values, and what changed values left.
    ///
    /// # Errors
    /// Those of the layers below.
    pub fn let_go_of(&self, work: &mut SessionWork, before: OldValues<'_>) -> SqlResult<()> {
        self.let_go(work, &before.pointers)?;
        before.left.into_iter().try_for_each(|owned| self.drop_owned(work, owned))
    }

    fn drop_owned(&self, work: &mut SessionWork, owned: Owned) -> SqlResult<()> {
        values::drop_value(work, &self.ask, self.home, owned).map_err(|cause| message::of_txn(cause, self.place))
    }

    /// Puts bytes in place of a part of a value of the row: the record gets the pointer of the new value. Where nothing is
    /// left of it, the new row has the empty value.
    ///
    /// # Errors
    /// 7119 for a value of more than 2 GB, and those of the layers below.
    pub fn change_part(
        &self,
        work: &mut SessionWork,
        before: &mut OldValues<'_>,
        column: usize,
        part: &Part,
    ) -> SqlResult<()> {
        let Some(pointer) = before.take(column) else { return Err(damaged()) };
        let old = pointer_of(pointer).map_err(|_| damaged())?;
        let len = old.len - (part.range.end - part.range.start) + part.bytes.len() as u64;
        if len > VALUE_BYTES_MAX as u64 {
            return Err(too_large());
        }
        let changed = values::change_value(work, &self.ask, self.home, old, part.range.clone(), &part.bytes);
        let (new, left) = changed.map_err(|cause| message::of_txn(cause, self.place))?;
        // The empty value is in the row: what stands for one that was not read.
        if new.len > 0 {
            before.fixed.push((column, LobPointer::from_bytes(new.to_bytes())));
        }
        before.left.push(left);
        Ok(())
    }

    /// Bytes of a value from `offset` on.
    ///
    /// # Errors
    /// 7105 for a pointer that leads to no value, and those of reading pages.
    pub fn read_at(&self, pointer: LobPointer, offset: u64, out: &mut [u8]) -> SqlResult<()> {
        let pointer = pointer_of(pointer).map_err(message::of_row)?;
        self.home.read(&self.ask, pointer, offset, out).map_err(|cause| message::of_txn(cause, self.place))
    }
}

/// What comes in place of a part of a stored value.
#[derive(Clone, Debug)]
pub struct Part {
    /// Bytes of the stored value.
    pub range: Range<u64>,
    /// As they are stored.
    pub bytes: Vec<u8>,
}

fn owned_of(pointer: LobPointer) -> SqlResult<Owned> {
    pointer_of(pointer).map(Owned::Value).map_err(|_| damaged())
}

/// Who writes values beside rows.
pub trait PutValue {
    /// See [`values::put_value`].
    fn put(&mut self, ask: &Ask<'_>, home: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError>;
}

impl PutValue for SessionWork {
    fn put(&mut self, ask: &Ask<'_>, home: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
        values::put_value(self, ask, home, value)
    }
}

impl PutValue for BulkInsert<'_> {
    fn put(&mut self, ask: &Ask<'_>, _: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
        self.put_value(ask, value)
    }
}

/// The values of a row before its change.
pub struct OldValues<'o> {
    /// By column of the layout.
    row: &'o [Value],
    /// Of those beyond the record; the ones that stay are taken out.
    pub pointers: Vec<(usize, LobPointer)>,
    /// What the new record has in columns whatever the new row says.
    fixed: Vec<(usize, LobPointer)>,
    /// What changed values left.
    left: Vec<Owned>,
}

impl<'o> OldValues<'o> {
    /// Of a row and what its record points to.
    pub fn new(row: &'o [Value], pointers: Vec<(usize, LobPointer)>) -> OldValues<'o> {
        OldValues { row, pointers, fixed: Vec::new(), left: Vec::new() }
    }

    /// The pointer of a value that did not change.
    fn keep(&mut self, column: usize, value: &Value) -> Option<LobPointer> {
        let at = self.pointers.iter().position(|(old, _)| *old == column)?;
        (self.row[column] == *value).then(|| self.pointers.swap_remove(at).1)
    }

    fn take(&mut self, column: usize) -> Option<LobPointer> {
        let at = self.pointers.iter().position(|(old, _)| *old == column)?;
        Some(self.pointers.swap_remove(at).1)
    }

    /// The value of a column stays what it is, whatever the new row says.
    pub fn fix(&mut self, column: usize) {
        let pointer = self.take(column);
        self.fixed.extend(pointer.map(|pointer| (column, pointer)));
    }
}

/// A pointer as the access layer understands it.
pub(crate) fn pointer_of(pointer: LobPointer) -> Result<LobPtr, RowError> {
    LobPtr::from_bytes(pointer.to_bytes()).ok_or(RowError::Damaged { what: "a pointer to no page" })
}

fn damaged() -> SqlError {
    message::of_row(RowError::Damaged { what: "a pointer to no page" })
}

/// 7119
fn too_large() -> SqlError {
    SqlError::of(7119, 1, &[])
}
