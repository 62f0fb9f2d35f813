//! Records that others keep in a database, as texts among those of modules under numbers of their own: what Query Store writes.
//!
//! What always holds: a record is there as a whole, under its number, or not at all. What records mean is not known here, and nothing of
//! them is in memory.

use millpond_message::error::SqlResult;

use super::codec::{Reading, text_rows};
use super::tables::SystemTable;
use super::{Dictionary, Io};
use crate::ObjectId;

/// Records have the numbers from here on; other texts that are no module's have some below.
const FIRST: i32 = i32::MIN + 0x1000;
/// How many numbers there are: types have others, from -1 down.
const NUMBERS: u32 = 1 << 30;

fn object_of(number: u32) -> Option<ObjectId> {
    (number < NUMBERS).then(|| ObjectId(FIRST.saturating_add_unsigned(number)))
}

/// Puts records, each in the place of the one of its number, and removes others. A number beyond all others is passed over.
///
/// # Errors
/// What the rows' change gives.
pub fn change(dictionary: &Dictionary, io: &mut Io<'_, '_>, put: &[(u32, String)], gone: &[u32]) -> SqlResult<()> {
    for object in gone.iter().filter_map(|number| object_of(*number)) {
        dictionary.trees.erase(io, SystemTable::Modules, &[object.0])?;
    }
    for (number, text) in put {
        if let Some(object) = object_of(*number) {
            dictionary.trees.make(io, object.0, &[SystemTable::Modules], &text_rows(object, text))?;
        }
    }
    Ok(())
}

/// All records, in order of their numbers.
///
/// # Errors
/// What reading gives.
pub fn all(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<Vec<(u32, String)>> {
    let end = FIRST.saturating_add_unsigned(NUMBERS);
    let mut records: Vec<(u32, String)> = Vec::new();
    for row in dictionary.trees.rows_between(io, SystemTable::Modules, FIRST, end)? {
        let reading = Reading(&row);
        let (number, part) = (reading.int(0)?.wrapping_sub(FIRST).cast_unsigned(), reading.text(2)?);
        match records.last_mut() {
            Some((last, text)) if *last == number => text.push_str(part),
            _ => records.push((number, part.to_owned())),
        }
    }
    Ok(records)
}
