//! Which index is read as a whole where all rows of a table are wanted, and few of its columns.
//!
//! ```text
//!   rows      id a b pad pad pad pad …     1,000 pages       SELECT SUM(a): the index has a, in an eighth of the pages
//!   index     a id                           120 pages
//! ```
//! What always holds: an index that stands for the rows has an entry for each of them (it is neither filtered nor disabled), has
//! each column that is wanted, and none of its values lies beyond the entry. Where an index leads to rows already it is
//! kept, and its rows are not looked for where the entry has all that is wanted.

use millpond_catalog::{IndexDef, KeyColumn, TableDef};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_types::row::RowLayout;

use crate::{Access, Guide};

/// An index must have less than this part of the pages of the rows.
const CLEARLY: f64 = 0.8;
/// Tables of fewer pages are read at once.
const PAGES_MIN: f64 = 8.0;
/// Bytes that a value of a variable column is supposed to have.
const VARIABLE_BYTES: usize = 18;
/// Bytes of a row's number in a heap, and of the uniquifier of a clustered key that is not unique.
const NUMBER_BYTES: usize = 8;

/// Indexes that may be read as wholes in the place of the rows where one has all that is wanted, the smallest first. None where
/// an index leads to the rows, or `forced` says which one is read.
pub fn narrower(def: &TableDef, access: &Access, forced: Option<usize>, guide: &Guide) -> Vec<usize> {
    let others = || def.indexes.iter().enumerate().filter(|(_, index)| may_stand_for_rows(index));
    if access.narrows() || forced.is_some() || !def.indexes[access.index].holds_rows() || others().next().is_none() {
        return Vec::new();
    }
    let sizes =
        pages_of(guide, def).unwrap_or_else(|| def.indexes.iter().map(|index| entry_bytes(def, index)).collect());
    let is_less = |place: usize| sizes.get(place).is_some_and(|size| *size < sizes[0] * CLEARLY);
    let mut found: Vec<usize> = others().map(|(place, _)| place).filter(|place| is_less(*place)).collect();
    found.sort_by(|a, b| sizes[*a].total_cmp(&sizes[*b]));
    found
}

/// The same rows by entries of an index that have all `wanted` columns; none where the rows themselves are read.
pub fn narrowest(def: &TableDef, access: &Access, wanted: &[usize]) -> Option<Access> {
    let has_all = |place: usize| {
        let index = &def.indexes[place];
        may_stand_for_rows(index) && index.covers(wanted.iter().copied())
    };
    if !access.covers && has_all(access.index) {
        return Some(Access { covers: true, narrower: Vec::new(), ..access.clone() });
    }
    let index = access.narrower.iter().copied().find(|place| has_all(*place))?;
    Some(Access { backward: access.backward, ..Access::whole(index, true) })
}

impl Access {
    /// The layout of the records that it gives.
    pub fn layout<'d>(&self, def: &'d TableDef) -> &'d RowLayout {
        if self.covers { &def.indexes[self.index].layout } else { &def.layout }
    }

    /// Where in these a column of the table is, which they have.
    pub fn place(&self, def: &TableDef, column: usize) -> usize {
        if !self.covers {
            return column;
        }
        def.indexes[self.index].stored.iter().position(|stored| *stored == column).unwrap_or(column)
    }
}

/// Whether an index has an entry for each row, with all of its values.
fn may_stand_for_rows(index: &IndexDef) -> bool {
    !index.holds_rows() && !index.disabled && index.filter.is_none() && !index.layout.may_overflow()
}

/// The pages of a table's indexes by their positions; none of temporary ones, and where that cannot be read.
fn pages_of(guide: &Guide, def: &TableDef) -> Option<Vec<f64>> {
    let named = guide.known(def).filter(|_| !def.is_temporary())?;
    let (trees, task, io) = (named.rows.trees(), Task::new(guide.session), IoCount::default());
    let ask = Ask::new(&task, &io);
    let pages = trees.trees.iter().map(|tree| tree.space(&ask).ok().map(|space| space.used as f64));
    let pages: Vec<f64> = pages.collect::<Option<_>>()?;
    // Nothing is narrower than so little.
    Some(if pages.first().is_some_and(|rows| *rows < PAGES_MIN) { vec![0.0; pages.len()] } else { pages })
}

/// About how many bytes an entry has.
fn entry_bytes(def: &TableDef, index: &IndexDef) -> f64 {
    let record = |layout: &RowLayout| {
        let variable = layout.types().iter().filter(|sql| sql.is_variable_length()).count();
        layout.max_fixed_len() + variable * VARIABLE_BYTES
    };
    let of_column = |key: &KeyColumn| {
        let sql = &def.columns[key.column].ty.sql;
        1 + if sql.is_variable_length() {
            VARIABLE_BYTES
        } else {
            sql.max_bytes().map_or(VARIABLE_BYTES, |bytes| bytes as usize)
        }
    };
    let key = |index: &IndexDef| index.key.iter().map(of_column).sum::<usize>();
    let rows = &def.indexes[0];
    let locator = key(rows) + if rows.unique { 0 } else { NUMBER_BYTES };
    let bytes = match index.holds_rows() {
        true => locator + record(&def.layout),
        false => key(index) + if index.unique { 0 } else { locator } + 2 + locator + record(&index.layout),
    };
    bytes as f64
}
