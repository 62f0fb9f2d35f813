//! Rows of tables in trees, as a statement reads them: by key, by range, from the index or through it.
//!
//! What always holds: whatever is read is copied before anything else happens (Q2). An entry of an index whose row is
//! not there for this reader gives nothing.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::memory::MemoryScan;
use millpond_access::tree;
use millpond_access::tree::{Direction, Entry, KeyRange, LeafCopy, TreeUse};
use millpond_catalog::KeyBounds;
use millpond_catalog::large::{Large, OldValues, PutValue, room_beside};
use millpond_catalog::run::Run;
use millpond_catalog::trees::{Side, TableTrees};
use millpond_catalog::{IndexDef, TableDef};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_txn::read;
use millpond_txn::{ReadHint, Reader, TxnError, TxnScan};
use millpond_types::Value;

use crate::context::RunContext;

pub use millpond_catalog::trees::split_payload;

/// A table of the statement.
pub struct StoredTable<'a> {
    ctx: &'a RunContext,
    binding: usize,
    trees: &'a Arc<TableTrees>,
    ask: Ask<'a>,
    reader: &'a Arc<Reader>,
    hint: ReadHint,
}

/// A row found.
#[derive(Default)]
pub struct Found {
    /// Key in the tree of the rows.
    pub locator: Vec<u8>,
    /// Record: of the index where that has all that is wanted, else of the row.
    pub record: Vec<u8>,
}

/// Entries of a page, copied.
#[derive(Default)]
pub struct Entries(LeafCopy);

/// A scan of an index in progress.
pub enum IndexScan {
    /// Of a tree.
    Tree(TxnScan),
    /// Of entries in memory.
    Memory(MemoryScan),
}

impl Entries {
    /// The entries of a scan's next page, at most so many, in the place of those that were here; false at the end.
    pub fn fill(&mut self, scan: &mut IndexScan, ask: &Ask<'_>, most: usize) -> Result<bool, TxnError> {
        let Entries(copy) = self;
        copy.clear();
        if let IndexScan::Tree(scan) = scan
            && most == usize::MAX
        {
            return scan.copy_page(ask, copy);
        }
        let mut take = |key: &[u8], payload: &[u8]| {
            copy.push(key, payload);
            if copy.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        match scan {
            IndexScan::Tree(scan) => scan.next_page(ask, &mut take),
            IndexScan::Memory(_) if ask.task.is_cancelled() => Err(TxnError::Cancelled),
            IndexScan::Memory(scan) => Ok(scan.next_page(&mut take)),
        }
    }

    /// The entries in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        self.0.iter()
    }
}

/// 8655 for a table with an index whose keys were made by other rules than those by which they are looked for. ALTER INDEX
/// ALL … REBUILD makes them anew, DROP INDEX and DROP TABLE need no keys.
///
/// # Errors
/// See above.
pub fn check_keys(def: &TableDef) -> SqlResult<()> {
    match def.outdated_index() {
        None => Ok(()),
        Some(index) => Err(SqlError::of(8655, 1, &[&index.name, &def.name])),
    }
}

impl<'a> StoredTable<'a> {
    /// A table of the statement by its binding.
    pub fn open(ctx: &'a RunContext, binding: usize) -> StoredTable<'a> {
        let table = &ctx.tables[binding];
        let reader = ctx.reader.as_ref().expect("a statement that uses tables has a reader");
        if table.def.layout.may_overflow() {
            reader.hold_values();
        }
        StoredTable { ctx, binding, trees: table.rows.trees(), ask: ctx.ask(binding), reader, hint: table.hint }
    }

    fn def(&self) -> &TableDef {
        &self.ctx.tables[self.binding].def
    }

    /// The row of a key of an index, whether there is one.
    pub fn get(&self, index: usize, covers: bool, key: &[u8], found: &mut Found) -> SqlResult<bool> {
        let holds_rows = self.def().indexes[index].holds_rows();
        self.note(index, TreeUse::Seek);
        if holds_rows {
            found.locator.clear();
            found.locator.extend_from_slice(key);
            return self.read(index, key, &mut found.record);
        }
        let mut payload = Vec::new();
        if !self.read(index, key, &mut payload)? {
            return Ok(false);
        }
        self.found(index, covers, Entry { key, payload: &payload }, found)
    }

    /// The row that an entry of an index stands for, whether it is there.
    pub fn found(&self, index: usize, covers: bool, entry: Entry<'_>, found: &mut Found) -> SqlResult<bool> {
        if self.def().indexes[index].holds_rows() {
            copy(entry.key, &mut found.locator);
            copy(entry.payload, &mut found.record);
            return Ok(true);
        }
        let (locator, record) = split_payload(entry.payload)?;
        copy(locator, &mut found.locator);
        if covers {
            copy(record, &mut found.record);
            return Ok(true);
        }
        let Found { locator, record } = found;
        self.note(0, TreeUse::Lookup);
        self.read(0, locator, record)
    }

    /// Whether a row that an index covers is to be changed: with READPAST not if another transaction has it locked.
    pub fn may_take(&self, index: usize, locator: &[u8]) -> SqlResult<bool> {
        if !self.hint.skips_locked || self.def().indexes[index].holds_rows() {
            return Ok(true);
        }
        self.read(0, locator, &mut Vec::new())
    }

    /// What makes the records whole that [`StoredTable::found`] gives.
    pub fn large(&self, index: usize, covers: bool) -> Large<'_> {
        let def = self.def();
        let (layout, tree) = match covers && !def.indexes[index].holds_rows() {
            true => (&def.indexes[index].layout, index),
            false => (&def.layout, 0),
        };
        let home = self.trees.value_home(tree);
        Large { layout, home, ask: self.ctx.ask_lob(self.binding), place: place_of(def), watch: self.ctx.watch() }
    }

    /// A scan of the keys of an index between two bounds.
    pub fn scan(&self, index: usize, (low, high): KeyBounds, backward: bool) -> IndexScan {
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let is_all = matches!((&low, &high), (Bound::Unbounded, Bound::Unbounded));
        self.note(index, if is_all { TreeUse::Scan } else { TreeUse::Seek });
        let range = KeyRange { low, high };
        match self.trees.side(index) {
            Side::Tree(tree) => {
                tree.activity.range_scans.fetch_add(1, Relaxed);
                IndexScan::Tree(read::scan::open(self.reader, tree, range, direction, self.hint))
            }
            Side::Memory(memory, index) => IndexScan::Memory(memory.scan(index, range, direction)),
        }
    }

    /// Whether several threads may read an index: its rows are not locked as they are read.
    pub fn may_divide(&self, index: usize) -> SqlResult<bool> {
        match self.trees.side(index) {
            Side::Tree(tree) => self
                .reader
                .keeps_no_locks(tree, &self.hint)
                .map_err(|error| message::of_txn(error, place_of(self.def()))),
            Side::Memory(..) => Ok(false),
        }
    }

    /// About how many entries an index has.
    pub fn entry_estimate(&self, index: usize) -> SqlResult<u64> {
        let Side::Tree(tree) = self.trees.side(index) else { return Ok(0) };
        let entries = tree::statistics::entry_estimate(tree, &self.ask);
        entries.map_err(|error| message::of_access(error, place_of(self.def())))
    }

    /// A range of an index as about so many ranges of the same size.
    pub fn divided(&self, index: usize, range: KeyBounds, parts: usize) -> SqlResult<Vec<KeyBounds>> {
        let Side::Tree(tree) = self.trees.side(index) else { return Ok(vec![range]) };
        let (low, high) = range;
        let range = KeyRange { low, high };
        let keys = tree::divide::dividers(tree, &self.ask, &range, parts.saturating_sub(1));
        let keys = keys.map_err(|error| message::of_access(error, place_of(self.def())))?;
        let (mut low, mut ranges) = (range.low, Vec::with_capacity(keys.len() + 1));
        for key in keys {
            let behind = Bound::Included(key.clone());
            ranges.push((std::mem::replace(&mut low, behind), Bound::Excluded(key)));
        }
        ranges.push((low, range.high));
        Ok(ranges)
    }

    fn note(&self, index: usize, how: TreeUse) {
        if let Side::Tree(tree) = self.trees.side(index) {
            self.ctx.note_use(tree, how);
        }
    }

    fn read(&self, index: usize, key: &[u8], out: &mut Vec<u8>) -> SqlResult<bool> {
        let tree = match self.trees.side(index) {
            Side::Tree(tree) => tree,
            Side::Memory(memory, index) => return Ok(memory.get(index, key, out)),
        };
        tree.activity.singleton_lookups.fetch_add(1, Relaxed);
        let read = read::row::get(self.reader, &self.ask, tree, key, self.hint, out);
        read.map_err(|error| message::of_txn(error, place_of(self.def())))
    }
}

/// A table's place for messages.
pub fn place_of(def: &TableDef) -> Place<'_> {
    Place { schema: &def.schema.name, object: &def.name, database: &def.database_name }
}

fn copy(from: &[u8], to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(from);
}

/// The payload of an entry beside the rows, of this key and locator.
///
/// # Errors
/// 511 for an entry that is too long.
pub fn index_payload(
    large: &Large<'_>,
    work: &mut dyn PutValue,
    index: &IndexDef,
    (key, locator): (&[u8], &[u8]),
    row: &[Value],
    before: Option<&mut OldValues<'_>>,
    out: &mut Vec<u8>,
) -> SqlResult<()> {
    let stored = stored_values(index, row);
    out.clear();
    let length = u16::try_from(locator.len()).expect("keys are below 1 KB");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(locator);
    let room_bytes = room_beside(key).saturating_sub(out.len());
    large.append_record(work, &stored, before, room_bytes, out)
}

/// The values that an entry of an index has.
pub fn stored_values(index: &IndexDef, row: &[Value]) -> Vec<Value> {
    index.stored.iter().map(|&column| row[column].clone()).collect()
}

/// An index as error messages name it.
pub fn message_index(index: &IndexDef) -> message::Index<'_> {
    message::Index { name: &index.name, holds_rows: index.holds_rows() }
}

/// Whether an index takes the key of a row.
///
/// # Errors
/// 1946
#[inline]
pub fn check_key_bytes(def: &TableDef, index: &IndexDef, row: &[Value]) -> SqlResult<()> {
    if !index.may_exceed {
        return Ok(());
    }
    let (bytes, most) = (index.key_bytes(&def.columns, row), index.key_bytes_max());
    if bytes > most {
        Err(message::index_entry_too_long(message_index(index), bytes as usize, most as usize))
    } else {
        Ok(())
    }
}

/// The key of a row in an index; `locator` is the row's key in the tree of the rows.
pub fn index_key(def: &TableDef, index: &IndexDef, row: &[Value], locator: &[u8], key: &mut Vec<u8>) {
    key.clear();
    index.append_key(&def.columns, |column| &row[column], key);
    if !index.unique {
        key.extend_from_slice(locator);
    }
}
