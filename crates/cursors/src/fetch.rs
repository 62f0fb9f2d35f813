//! sp_cursorfetch: which rows a fetch leads to, and what becomes of the cursor.
//!
//! ```text
//!   FIRST      the first block                    LAST       the last n rows
//!   NEXT       after the buffer                   PREV       the n rows before the buffer
//!   ABSOLUTE   from row n, from the end if < 0    RELATIVE   from the buffer's first row on
//! ```
//! What always holds (the rules of ODBC's block cursors): a fetch that would begin before the first row though it could reach some
//! gives the first block, and status 2 says so; PREV_NOADJUST gives the rows before the buffer only. One that leads to no row
//! leaves the cursor before the first or after the last.

use millpond_code::cursors::{Cursor, Move};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::text_size::TextSize;
use millpond_types::Value;

use crate::buffer::{Buffer, Place, is_numbered};
use crate::host::Mover;
use crate::options::{Given, invalid};

/// Status of a fetch that begins at the first row instead of before it.
pub const ADJUSTED: i32 = 2;
/// Status of one after whose last row a fast forward only cursor has been closed.
pub const CLOSED: i32 = 0x10;
/// Rows of a fetch that does not say how many.
pub const ROWS_DEFAULT: i32 = 20;

const FETCH_SUCCEEDED: i32 = 1;
const FETCH_MISSING: i32 = 2;

/// What a fetch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// The first block.
    First,
    /// The next one.
    Next,
    /// The one before.
    Prior {
        /// No rows of the buffer or after it are taken to fill the block.
        only: bool,
    },
    /// The last one.
    Last,
    /// From a row by its number.
    Absolute(i64),
    /// From a row by its distance from the buffer's first.
    Relative(i64),
    /// The rows of the buffer again.
    Refresh,
    /// Nothing but where the cursor is.
    Info,
}

impl Fetch {
    /// What the numbers of a call ask for.
    ///
    /// # Errors
    /// 16902 for a number that says nothing.
    pub fn of(fetch_type: i32, row: i64) -> SqlResult<Fetch> {
        // How the values of rowversion columns are kept says nothing here.
        const SKIP_VERSIONS: i32 = 0x400;
        Ok(match fetch_type & !SKIP_VERSIONS {
            0x1 => Fetch::First,
            0x2 => Fetch::Next,
            0x4 => Fetch::Prior { only: false },
            0x8 => Fetch::Last,
            0x10 => Fetch::Absolute(row),
            0x20 => Fetch::Relative(row),
            0x80 => Fetch::Refresh,
            0x100 if fetch_type & SKIP_VERSIONS == 0 => Fetch::Info,
            0x200 => Fetch::Prior { only: true },
            _ => return Err(invalid("sp_cursorfetch", "fetchtype", 1)),
        })
    }

    fn word(self) -> &'static str {
        match self {
            Fetch::First => "first",
            Fetch::Next => "next",
            Fetch::Prior { .. } => "prior",
            Fetch::Last => "last",
            Fetch::Absolute(_) => "absolute",
            Fetch::Relative(_) => "relative",
            Fetch::Refresh => "refresh",
            Fetch::Info => "info",
        }
    }

    /// Whether a cursor can do this with so many rows.
    ///
    /// # Errors
    /// 16911 and 16925 for a kind of cursor that cannot, 16902 for a count of rows that none can.
    pub fn check(self, given: Given, rows: i32) -> SqlResult<()> {
        if given.is_forward_only() && !matches!(self, Fetch::Next | Fetch::Refresh | Fetch::Info) {
            return Err(SqlError::of(16_911, 1, &[&"sp_cursorfetch", &self.word()]));
        }
        if given.scroll == crate::options::DYNAMIC && matches!(self, Fetch::Absolute(_)) {
            return Err(SqlError::of(16_925, 1, &[&self.word()]));
        }
        match self {
            Fetch::Refresh | Fetch::Info => Ok(()),
            Fetch::First | Fetch::Last if rows == 0 => Ok(()),
            _ if rows < 1 => Err(invalid("sp_cursorfetch", "nrows", 1)),
            _ => Ok(()),
        }
    }
}

/// The cursor of a fetch, with what its rows go through.
pub struct Block<'a> {
    /// What it has become.
    pub given: Given,
    /// Its columns, the row's status last.
    pub columns: &'a [millpond_message::sink::Column],
    /// What is cut off long values.
    pub text_size: Option<TextSize>,
    /// What a row that is gone is sent as, without its status.
    pub missing: Vec<Value>,
}

impl Block<'_> {
    /// Fetches; the status and how many rows have come.
    ///
    /// # Errors
    /// Those of reading and of sending.
    pub fn fetch(
        &mut self,
        cursor: &mut Cursor,
        mover: &mut dyn Mover,
        (fetch, rows): (Fetch, i64),
        buffer: &mut Buffer,
    ) -> SqlResult<i32> {
        match is_numbered(cursor) {
            true => self.by_number(cursor, mover, (fetch, rows), buffer),
            false => self.by_steps(cursor, mover, (fetch, rows), buffer),
        }
    }

    fn by_number(
        &mut self,
        cursor: &mut Cursor,
        mover: &mut dyn Mover,
        (fetch, rows): (Fetch, i64),
        buffer: &mut Buffer,
    ) -> SqlResult<i32> {
        let count = cursor.open.as_ref().map_or(0, |open| open.rows.len()) as i64;
        if fetch == Fetch::Refresh {
            let (first, rows) = (buffer.first_number, buffer.count as i64);
            if buffer.place == Place::Rows {
                *buffer = self.numbered(cursor, mover, first, rows)?;
            }
            return Ok(0);
        }
        let (first, rows, status) = match target(fetch, rows, count, buffer) {
            Target::Before => {
                *buffer = Buffer::at(Place::Before);
                return Ok(0);
            }
            Target::After => {
                *buffer = Buffer::at(Place::After);
                return Ok(0);
            }
            Target::Rows { first, rows, is_adjusted } => (first, rows, if is_adjusted { ADJUSTED } else { 0 }),
        };
        *buffer = self.numbered(cursor, mover, first, rows)?;
        Ok(status)
    }

    /// So many rows from one on, as far as there are any.
    fn numbered(&mut self, cursor: &mut Cursor, mover: &mut dyn Mover, first: i64, rows: i64) -> SqlResult<Buffer> {
        let count = cursor.open.as_ref().map_or(0, |open| open.rows.len()) as i64;
        let mut buffer = Buffer { first_number: first, ..Buffer::at(Place::After) };
        for number in first..first.saturating_add(rows).min(count + 1) {
            let (_, row) = mover.step(cursor, Move::Absolute(number))?;
            self.put(cursor, mover, row, &mut buffer)?;
        }
        Ok(buffer)
    }

    fn by_steps(
        &mut self,
        cursor: &mut Cursor,
        mover: &mut dyn Mover,
        (fetch, rows): (Fetch, i64),
        buffer: &mut Buffer,
    ) -> SqlResult<i32> {
        let before = std::mem::take(buffer);
        let mut wanted = rows;
        let mut status = 0;
        match fetch {
            Fetch::First => go(cursor, Place::Before),
            Fetch::Next => leave(cursor, &before, true),
            Fetch::Last => {
                go(cursor, Place::After);
                *buffer = self.backward(cursor, mover, rows)?;
                return Ok(0);
            }
            Fetch::Prior { only } => {
                leave(cursor, &before, false);
                *buffer = self.backward(cursor, mover, rows)?;
                let lacks = rows - buffer.count as i64;
                if only || lacks == 0 || buffer.count == 0 || before.place == Place::After {
                    return Ok(0);
                }
                // The block begins at the first row: it is filled from the old buffer on. What has been sent is in order.
                if let (Some(open), Some(last)) = (&mut cursor.open, &buffer.last) {
                    last.restore(open);
                }
                (wanted, status) = (lacks, ADJUSTED);
            }
            Fetch::Relative(by) if before.place == Place::Rows => {
                leave(cursor, &before, false);
                return self.relative(cursor, mover, (by, rows), &before, buffer);
            }
            Fetch::Relative(by) => {
                go(cursor, before.place);
                if by == 0 {
                    *buffer = Buffer::at(before.place);
                    return Ok(0);
                }
                return self.from(cursor, mover, (by, rows), buffer).map(|_| 0);
            }
            Fetch::Refresh if before.place != Place::Rows => {
                *buffer = before;
                return Ok(0);
            }
            Fetch::Refresh => {
                leave(cursor, &before, false);
                let rows = before.count as i64;
                return self.from(cursor, mover, (0, rows), buffer).map(|_| 0);
            }
            Fetch::Absolute(_) | Fetch::Info => return Ok(0),
        }
        if wanted == 0 {
            // FIRST of no rows is before the first.
            return Ok(0);
        }
        self.forward(cursor, mover, wanted, buffer)?;
        Ok(status)
    }

    /// From the buffer's first row, which the cursor stands on.
    fn relative(
        &mut self,
        cursor: &mut Cursor,
        mover: &mut dyn Mover,
        (by, rows): (i64, i64),
        before: &Buffer,
        buffer: &mut Buffer,
    ) -> SqlResult<i32> {
        if self.from(cursor, mover, (by, rows), buffer)? || by >= 0 || buffer.place != Place::Before {
            return Ok(0);
        }
        // Not so many rows are before it: where one is at all, and the block would have reached it, it begins at the first.
        if by.unsigned_abs() > rows.unsigned_abs() {
            return Ok(0);
        }
        leave(cursor, before, false);
        let (_, row) = mover.step(cursor, Move::Relative(-1))?;
        go(cursor, Place::Before);
        if row.is_none() {
            return Ok(0);
        }
        self.forward(cursor, mover, rows, buffer)?;
        Ok(ADJUSTED)
    }

    /// A block from the row that a step leads to; whether there is one.
    fn from(
        &mut self,
        cursor: &mut Cursor,
        mover: &mut dyn Mover,
        (by, rows): (i64, i64),
        buffer: &mut Buffer,
    ) -> SqlResult<bool> {
        let (_, mut row) = mover.step(cursor, Move::Relative(by))?;
        if row.is_none() && by == 0 {
            // It is gone: the next one takes its place.
            (_, row) = mover.step(cursor, Move::Relative(1))?;
        }
        let Some(row) = row else {
            *buffer = Buffer::at(if by < 0 { Place::Before } else { Place::After });
            return Ok(false);
        };
        self.put(cursor, mover, Some(row), buffer)?;
        self.forward(cursor, mover, rows - 1, buffer)?;
        Ok(true)
    }

    fn forward(&mut self, cursor: &mut Cursor, mover: &mut dyn Mover, rows: i64, buffer: &mut Buffer) -> SqlResult<()> {
        for _ in 0..rows {
            let (_, row) = mover.step(cursor, Move::Relative(1))?;
            if row.is_none() {
                break;
            }
            self.put(cursor, mover, row, buffer)?;
        }
        if buffer.count == 0 {
            buffer.place = Place::After;
        }
        Ok(())
    }

    /// The rows before the cursor, which are sent in their order.
    fn backward(&mut self, cursor: &mut Cursor, mover: &mut dyn Mover, rows: i64) -> SqlResult<Buffer> {
        let mut buffer = Buffer::default();
        if rows == 0 {
            return Ok(Buffer::at(Place::After));
        }
        let mut read = Vec::new();
        for _ in 0..rows {
            let (_, Some(row)) = mover.step(cursor, Move::Relative(-1))? else { break };
            if let Some(open) = &cursor.open {
                buffer.push(open, self.given.changes_rows());
            }
            read.push(row);
        }
        buffer.turn();
        for row in read.into_iter().rev() {
            self.send(mover, Some(row))?;
        }
        Ok(buffer)
    }

    /// Takes the row that the cursor stands on; none is one that is gone.
    fn put(
        &mut self,
        cursor: &Cursor,
        mover: &mut dyn Mover,
        row: Option<Vec<Value>>,
        buffer: &mut Buffer,
    ) -> SqlResult<()> {
        if let Some(open) = &cursor.open {
            buffer.push(open, self.given.changes_rows());
        }
        self.send(mover, row)
    }

    /// Sends a row with its status.
    ///
    /// # Errors
    /// Those of sending.
    pub fn send(&mut self, mover: &mut dyn Mover, row: Option<Vec<Value>>) -> SqlResult<()> {
        let status = if row.is_some() { FETCH_SUCCEEDED } else { FETCH_MISSING };
        let mut row = row.unwrap_or_else(|| self.missing.clone());
        row.truncate(self.columns.len() - 1);
        row.push(Value::Int(status));
        match &mut self.text_size {
            Some(text_size) => mover.row(text_size.cut(&row)),
            None => mover.row(&row),
        }
    }
}

/// The cursor stands beyond one of the ends.
fn go(cursor: &mut Cursor, place: Place) {
    let Some(open) = &mut cursor.open else { return };
    let is_after = place == Place::After;
    match &mut open.stand {
        Some(stand) => {
            use millpond_direct::walk::Stand;
            *stand = if is_after { Stand::After } else { Stand::Before };
            open.rows.clear();
            open.position = usize::from(is_after);
        }
        None => open.position = if is_after { open.rows.len() + 1 } else { 0 },
    }
}

/// The cursor stands on the last or the first row of its buffer, or where it was without one.
fn leave(cursor: &mut Cursor, buffer: &Buffer, on_last: bool) {
    let spot = if on_last { &buffer.last } else { &buffer.first };
    match (spot, &mut cursor.open) {
        (Some(spot), Some(open)) if buffer.place == Place::Rows => spot.restore(open),
        _ => go(cursor, buffer.place),
    }
}

/// Where a fetch leads to among numbered rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Before,
    After,
    Rows { first: i64, rows: i64, is_adjusted: bool },
}

fn target(fetch: Fetch, rows: i64, count: i64, buffer: &Buffer) -> Target {
    let from = |first: i64| match first {
        first if first > count => Target::After,
        first => Target::Rows { first, rows, is_adjusted: false },
    };
    let adjusted = || match count {
        0 => Target::Before,
        _ => Target::Rows { first: 1, rows, is_adjusted: true },
    };
    let current = buffer.first_number;
    match (fetch, buffer.place) {
        (Fetch::First, _) if rows == 0 => Target::Before,
        (Fetch::Last, _) if rows == 0 => Target::After,
        (Fetch::First, _) => from(1),
        (Fetch::Last, _) => from((count - rows + 1).max(1)),
        (Fetch::Next, Place::Before) => from(1),
        (Fetch::Next, Place::After) => Target::After,
        (Fetch::Next, Place::Rows) => from(current + buffer.count as i64),
        (Fetch::Prior { .. }, Place::Before) => Target::Before,
        (Fetch::Prior { .. }, Place::Rows) if current <= 1 => Target::Before,
        (Fetch::Prior { only }, place) => {
            let end = if place == Place::After { count + 1 } else { current };
            match end - rows {
                first if first >= 1 => from(first),
                _ if count == 0 => Target::Before,
                _ if only => Target::Rows { first: 1, rows: end - 1, is_adjusted: false },
                _ if place == Place::After => from(1),
                _ => adjusted(),
            }
        }
        (Fetch::Relative(by), Place::Before) if by <= 0 => Target::Before,
        (Fetch::Relative(by), Place::After) if by >= 0 => Target::After,
        (Fetch::Relative(by), Place::Before | Place::After) => absolute(by, rows, count, from, adjusted),
        (Fetch::Relative(by), Place::Rows) => match current.saturating_add(by) {
            first if first >= 1 => from(first),
            _ if current <= 1 || by.unsigned_abs() > rows.unsigned_abs() => Target::Before,
            _ => adjusted(),
        },
        (Fetch::Absolute(number), _) => absolute(number, rows, count, from, adjusted),
        (Fetch::Refresh | Fetch::Info, _) => Target::Before,
    }
}

fn absolute(number: i64, rows: i64, count: i64, from: impl Fn(i64) -> Target, adjusted: impl Fn() -> Target) -> Target {
    match number {
        0 => Target::Before,
        number if number > 0 => from(number),
        number if number.unsigned_abs() <= count.unsigned_abs() => from(count + number + 1),
        number if number.unsigned_abs() <= rows.unsigned_abs() => adjusted(),
        _ => Target::Before,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The buffer stands on row 4 of 6, as in the manual's example.
    fn on(first_number: i64, count: usize) -> Buffer {
        Buffer { first_number, count, ..Buffer::at(Place::Rows) }
    }

    fn rows(first: i64, rows: i64, is_adjusted: bool) -> Target {
        Target::Rows { first, rows, is_adjusted }
    }

    #[test]
    fn the_manuals_examples() {
        assert_eq!(target(Fetch::Prior { only: false }, 5, 6, &on(4, 1)), rows(1, 5, true));
        assert_eq!(target(Fetch::Prior { only: true }, 5, 6, &on(4, 1)), rows(1, 3, false));
    }

    #[test]
    fn the_rules_of_block_cursors() {
        assert_eq!(target(Fetch::Next, 2, 6, &on(3, 2)), rows(5, 2, false));
        assert_eq!(target(Fetch::Next, 2, 6, &on(5, 2)), Target::After);
        assert_eq!(target(Fetch::Prior { only: false }, 2, 6, &on(1, 2)), Target::Before);
        assert_eq!(target(Fetch::Prior { only: false }, 2, 6, &Buffer::at(Place::After)), rows(5, 2, false));
        assert_eq!(target(Fetch::Prior { only: false }, 9, 6, &Buffer::at(Place::After)), rows(1, 9, false));
        assert_eq!(target(Fetch::Last, 4, 6, &on(1, 1)), rows(3, 4, false));
        assert_eq!(target(Fetch::Last, 9, 6, &on(1, 1)), rows(1, 9, false));
        assert_eq!(target(Fetch::Last, 3, 0, &Buffer::default()), Target::After);
        assert_eq!(target(Fetch::Absolute(-2), 2, 6, &on(1, 1)), rows(5, 2, false));
        assert_eq!(target(Fetch::Absolute(-7), 7, 6, &on(1, 1)), rows(1, 7, true));
        assert_eq!(target(Fetch::Absolute(-7), 6, 6, &on(1, 1)), Target::Before);
        assert_eq!(target(Fetch::Absolute(i64::MAX), 1, 6, &on(1, 1)), Target::After);
        assert_eq!(target(Fetch::Relative(-1), 3, 6, &on(1, 1)), Target::Before);
        assert_eq!(target(Fetch::Relative(-3), 3, 6, &on(2, 1)), rows(1, 3, true));
        assert_eq!(target(Fetch::Relative(-3), 2, 6, &on(2, 1)), Target::Before);
        assert_eq!(target(Fetch::Relative(2), 2, 6, &Buffer::default()), rows(2, 2, false));
        assert_eq!(target(Fetch::Relative(i64::MIN), 2, 6, &on(2, 1)), Target::Before);
    }

    #[test]
    fn numbers_that_say_nothing() {
        for fetch_type in [0, 0x3, 0x40, 0x400, 0x500, -1, i32::MAX] {
            assert_eq!(Fetch::of(fetch_type, 0).unwrap_err().number, 16_902, "{fetch_type:#x}");
        }
        assert_eq!(Fetch::of(0x402, 0), Ok(Fetch::Next));
    }
}
