//! The fetch buffer of an API cursor: the rows of its last fetch, by where the cursor stood on each.
//!
//! What always holds: a cursor whose rows are numbered (static, keyset, fast forward over rows that are there) has them by
//! number; one that reads as it goes has the first and the last, and of rows that may be changed each.

use millpond_code::cursor_model::Model;
use millpond_code::cursors::{Cursor, OpenCursor};
use millpond_direct::walk::Stand;
use millpond_types::Value;

/// Where a cursor stands on a row.
#[derive(Clone, Debug)]
pub struct Spot {
    position: usize,
    /// Of a cursor that reads as it goes, with the row.
    stand: Option<(Stand, Vec<Vec<Value>>)>,
    stamps: Vec<Option<u64>>,
}

impl Spot {
    /// Where it stands now.
    #[must_use]
    pub fn of(open: &OpenCursor) -> Spot {
        let stand = open.stand.clone().map(|stand| (stand, open.rows.clone()));
        Spot { position: open.position, stand, stamps: open.stamps.clone() }
    }

    /// The cursor stands there again.
    pub fn restore(&self, open: &mut OpenCursor) {
        open.position = self.position;
        open.stamps.clone_from(&self.stamps);
        if let Some((stand, rows)) = &self.stand {
            open.stand = Some(stand.clone());
            open.rows.clone_from(rows);
        }
    }
}

/// Where a cursor is as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Before the first row.
    #[default]
    Before,
    /// On the rows of its buffer.
    Rows,
    /// After the last one.
    After,
}

/// The rows of the last fetch.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Where they are.
    pub place: Place,
    /// How many they are.
    pub count: usize,
    /// The number of the first, of a cursor whose rows are numbered.
    pub first_number: i64,
    /// The first row.
    pub first: Option<Spot>,
    /// The last row.
    pub last: Option<Spot>,
    /// Each row, where rows may be changed.
    pub spots: Vec<Spot>,
    /// The row that SETPOSITION has put the cursor on, from 0.
    pub set_to: usize,
}

impl Buffer {
    /// An empty one, the cursor being where it says.
    #[must_use]
    pub fn at(place: Place) -> Buffer {
        Buffer { place, ..Buffer::default() }
    }

    /// One more row, on which the cursor stands.
    pub fn push(&mut self, open: &OpenCursor, keeps: bool) {
        let spot = Spot::of(open);
        if keeps {
            self.spots.push(spot.clone());
        }
        if self.first.is_none() {
            self.first = Some(spot.clone());
        }
        self.last = Some(spot);
        self.count += 1;
        self.place = Place::Rows;
    }

    /// The rows the other way round, which were read backwards.
    pub fn turn(&mut self) {
        self.spots.reverse();
        std::mem::swap(&mut self.first, &mut self.last);
    }
}

/// Whether the rows of an open cursor are numbered: all of them are there, or their keys are.
#[must_use]
pub fn is_numbered(cursor: &Cursor) -> bool {
    cursor.open.as_ref().is_some_and(|open| open.stand.is_none()) && cursor.code.code.model != Model::Dynamic
}
