//! Numbers of sequences, drawn by statements.
//!
//! ```text
//!   NEXT VALUE FOR ─▶ counter in memory ─▶ beyond what is reserved? ─▶ the mark is raised, durable at once ─▶ the number
//! ```
//! What always holds:
//! - N1: a number is given only when the durable mark is at it or beyond, so a crash loses numbers of the cache and
//!   gives none twice.
//! - N3: what is reserved and was not given is given back when the server stops in order ([`release`]), so nothing is lost then.
//! - N2: no rollback takes a number back: marks are written on the engine's own account, under a number of their own
//!   ([`SequenceDef::counter`]), which no transaction of a user locks.

use std::sync::Arc;

use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::sequence::SequenceUse;
use millpond_catalog::{CatalogObject, SequenceDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;

use crate::databases::Databases;

/// Numbers drawn at once, as `sp_sequence_get_range` returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange {
    /// First number.
    pub first: i64,
    /// Last number.
    pub last: i64,
    /// Times that the sequence began again.
    pub cycles: i64,
}

/// The sequence as it is now.
///
/// # Errors
/// 208 when it is gone.
pub fn resolve(databases: &Databases, used: &SequenceUse) -> SqlResult<Arc<SequenceDef>> {
    let objects = databases.dictionary(used.database)?.catalog().objects();
    match objects.get(used.id) {
        Some(CatalogObject::Sequence(def)) => Ok(Arc::clone(def)),
        _ => Err(message::invalid_object(&used.name)),
    }
}

/// The next number.
///
/// # Errors
/// 11728 after the last; those of raising the mark.
pub fn draw(databases: &Databases, database: DbId, def: &SequenceDef) -> SqlResult<i64> {
    let mut state = def.state.lock();
    let (next, begins_again) = def.after(state.last, state.first).ok_or_else(|| exhausted(def))?;
    if begins_again {
        state.reserved = None;
    }
    if !state.reserved.is_some_and(|mark| def.reaches(mark, next)) {
        let mark = def.block_end(next);
        raise(databases, database, def, mark)?;
        state.reserved = Some(mark);
    }
    state.last = Some(next);
    Ok(next)
}

/// `size` numbers at once.
///
/// # Errors
/// 11732 when there are not so many; those of raising the mark.
pub fn draw_range(databases: &Databases, database: DbId, def: &SequenceDef, size: u64) -> SqlResult<NumberRange> {
    let mut state = def.state.lock();
    let (first, begins_again) = def.after(state.last, state.first).ok_or_else(|| exhausted(def))?;
    let (mut left, mut at, mut cycles) = (size - 1, first, i64::from(begins_again));
    loop {
        let here = def.steps_left(at).min(left);
        let step = i128::from(def.increment) * i128::from(here);
        at = i64::try_from(i128::from(at) + step).expect("within the sequence's bounds");
        left -= here;
        if left == 0 {
            break;
        }
        let again = def.after(Some(at), state.first).ok_or_else(|| too_many(def))?;
        (at, left, cycles) = (again.0, left - 1, cycles + 1);
    }
    raise(databases, database, def, at)?;
    state.reserved = Some(at);
    state.last = Some(at);
    Ok(NumberRange { first, last: at, cycles })
}

/// N1, N2
fn raise(databases: &Databases, database: DbId, def: &SequenceDef, mark: i64) -> SqlResult<()> {
    let dictionary = databases.dictionary(database)?;
    databases.on_own_account(|io| dictionary.reserve_identity(io, def.counter, mark))
}

/// Numbers of sequences and identity columns that are reserved and were not given are given back: the next start goes on
/// after the last one. Numbers may be drawn at any time, also beside this.
///
/// # Errors
/// Those of lowering a mark; the others are as they were.
pub fn release(databases: &Databases) -> SqlResult<()> {
    databases.dictionaries().iter().try_for_each(|dictionary| release_in(databases, dictionary))
}

/// The same of one database, whose next start may be that of a copy.
///
/// # Errors
/// Those of lowering a mark; the others are as they were.
pub fn release_in(databases: &Databases, dictionary: &Dictionary) -> SqlResult<()> {
    let objects = dictionary.catalog().objects();
    for object in objects.iter() {
        match object {
            // Of a table that was truncated the mark is also that of the rows that a rollback brings back.
            CatalogObject::Table(def, trees) if trees.counters.is_of_all_rows() => {
                let mut counter = trees.counters.identity.lock();
                if let (Some(last), Some(_)) = (counter.last, counter.reserved)
                    && counter.reserved != Some(last)
                {
                    databases.on_own_account(|io| dictionary.reserve_identity(io, def.id, last))?;
                    counter.reserved = Some(last);
                }
            }
            CatalogObject::Sequence(def) => {
                let mut state = def.state.lock();
                if let (Some(last), Some(_)) = (state.last, state.reserved)
                    && state.reserved != Some(last)
                {
                    databases.on_own_account(|io| dictionary.reserve_identity(io, def.counter, last))?;
                    state.reserved = Some(last);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// 11728
fn exhausted(def: &SequenceDef) -> SqlError {
    SqlError::of(11_728, 1, &[&def.name])
}

/// 11732
fn too_many(def: &SequenceDef) -> SqlError {
    SqlError::of(11_732, 1, &[&def.name])
}
