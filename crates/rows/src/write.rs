//! Rows of tables in trees, as statements change them: the row with its entries in all indexes.
//!
//! What always holds: a row and its entries change together or the statement is undone. Within a statement, entries that
//! go are gone before entries that come are added where a key changes, so `SET k = k + 1` meets no row of its own.

use std::hash::{DefaultHasher, Hasher};

use millpond_access::tree::{self, TreeUse};
use millpond_builtin::eval::{Rows, is_true};
use millpond_catalog::large::{Large, OldValues, room_beside};
use millpond_catalog::run::Run;
use millpond_catalog::trees::{Side, TableTrees};
use millpond_catalog::{IndexDef, IndexKind, TableDef, row_key};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::ask::Ask;
use millpond_txn::tree_rows;
use millpond_txn::{SessionWork, TxnError, ValueHome};
use millpond_types::format::to_display;
use millpond_types::{LobPointer, Value};

use crate::new_values::NewValues;
use crate::unread::Unread;

pub use millpond_engine::stored::{
    check_key_bytes, index_key, index_payload, message_index, place_of, split_payload, stored_values,
};

/// A table to be written.
pub struct Writer<'a> {
    /// The transaction's session.
    pub work: &'a mut SessionWork,
    /// The run.
    pub ctx: &'a RunContext,
    /// The asker for pages of rows.
    pub ask: Ask<'a>,
    /// The table.
    pub def: &'a TableDef,
    /// Where its rows are.
    pub trees: &'a TableTrees,
    /// The asker for pages of large values.
    pub lob_ask: Ask<'a>,
    /// NOWAIT: a row that another transaction has locked is an error, not a wait.
    pub no_wait: bool,
    scratch: Scratch,
    /// None before the first row is changed.
    watched: Option<NewValues>,
}

#[derive(Default)]
struct Scratch {
    locator: Vec<u8>,
    key: Vec<u8>,
    old_key: Vec<u8>,
    record: Vec<u8>,
}

/// What came of an insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The row is there.
    Done,
    /// An index with IGNORE_DUP_KEY has the key already.
    Ignored,
}

impl<'a> Writer<'a> {
    /// A writer for the changes of one statement.
    pub fn new(
        work: &'a mut SessionWork,
        ctx: &'a RunContext,
        ask: Ask<'a>,
        def: &'a TableDef,
        trees: &'a TableTrees,
        lob_ask: Ask<'a>,
    ) -> Writer<'a> {
        Writer { work, ctx, ask, def, trees, lob_ask, no_wait: false, scratch: Scratch::default(), watched: None }
    }

    /// Adds a row of an INSERT: one whose key an index with IGNORE_DUP_KEY has already is left out.
    ///
    /// # Errors
    /// As [`Writer::insert`].
    pub fn insert_or_ignore(&mut self, row: &[Value]) -> SqlResult<Inserted> {
        if self.would_be_ignored(row)? {
            return Ok(Inserted::Ignored);
        }
        self.insert(row).map(|()| Inserted::Done)
    }

    /// Adds a row that fits the table's columns, whatever IGNORE_DUP_KEY says: a row that UPDATE, MERGE or a cascade moves
    /// is never left out.
    ///
    /// # Errors
    /// 2627 and 2601 for a key that is there; 511 for a row too long; those of the layers below.
    pub fn insert(&mut self, row: &[Value]) -> SqlResult<()> {
        let is_new = self.insert_unless_there(row)?;
        if is_new { Ok(()) } else { Err(duplicate(self.def, &self.def.indexes[0], row)) }
    }

    /// Adds a row; false, and nothing is changed, where the unique clustered index has its key.
    ///
    /// # Errors
    /// As [`Writer::insert`], but for the clustered key.
    pub fn insert_unless_there(&mut self, row: &[Value]) -> SqlResult<bool> {
        let def = self.def;
        // All numbers are as long.
        check_key_bytes(def, &def.indexes[0], row)?;
        self.note(0);
        row_key(def, row, 0, &mut self.scratch.locator);
        let room_bytes = room_beside(&self.scratch.locator);
        self.scratch.record.clear();
        self.large(0).append_record(self.work, row, None, room_bytes, &mut self.scratch.record)?;
        let unique = def.indexes[0].unique;
        loop {
            let number = if unique { 0 } else { self.trees.next_row(def, &self.ask)? };
            let Scratch { locator, record, .. } = &mut self.scratch;
            row_key(def, row, number, locator);
            if add(self.work, &self.ask, def, (&def.indexes[0], self.trees.side(0)), locator, record)? {
                break;
            }
            if unique {
                return Ok(false);
            }
            // Another row has the number: the counter began below it. Take the next.
        }
        self.insert_entries(row).map(|()| true)
    }

    /// The entries of a row whose locator is in the scratch.
    fn insert_entries(&mut self, row: &[Value]) -> SqlResult<()> {
        for (position, index, side) in self.sides().skip(1) {
            if index.disabled || !is_in(index, self.ctx, row)? {
                continue;
            }
            self.note(position);
            let large = self.large(position);
            let Scratch { locator, key, record, .. } = &mut self.scratch;
            check_key_bytes(self.def, index, row)?;
            index_key(self.def, index, row, locator, key);
            index_payload(&large, self.work, index, (key, locator), row, None, record)?;
            if !add(self.work, &self.ask, self.def, (index, side), key, record)? {
                return Err(duplicate(self.def, index, row));
            }
        }
        Ok(())
    }

    /// Whether an index with IGNORE_DUP_KEY has the row's key.
    fn would_be_ignored(&mut self, row: &[Value]) -> SqlResult<bool> {
        for (_, index, side) in self.sides() {
            if !index.options.ignore_dup_key || !index.unique || index.disabled || !is_in(index, self.ctx, row)? {
                continue;
            }
            let Scratch { key, record, .. } = &mut self.scratch;
            index_key(self.def, index, row, &[], key);
            if lock(self.work, &self.ask, self.def, side, key, record)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes a row that was read under its lock.
    ///
    /// # Errors
    /// Those of the layers below.
    pub fn delete(&mut self, locator: &[u8], row: &[Value]) -> SqlResult<()> {
        for (position, index, side) in self.sides().skip(1) {
            if index.disabled || !is_in(index, self.ctx, row)? {
                continue;
            }
            self.note(position);
            index_key(self.def, index, row, locator, &mut self.scratch.key);
            let large = self.large(position);
            let gone = old_pointers(&large, &self.ask, &self.scratch.key)?;
            remove(self.work, &self.ask, self.def, side, &self.scratch.key)?;
            large.let_go(self.work, &gone)?;
        }
        self.note(0);
        let large = self.large(0);
        let gone = old_pointers(&large, &self.ask, locator)?;
        remove(self.work, &self.ask, self.def, self.trees.side(0), locator)?;
        large.let_go(self.work, &gone)
    }

    /// The values beyond the records of the index at a position; the first has the rows.
    fn large(&self, position: usize) -> Large<'a> {
        let layout = if position == 0 { &self.def.layout } else { &self.def.indexes[position].layout };
        Large {
            layout,
            home: self.trees.value_home(position),
            ask: self.lob_ask,
            place: place_of(self.def),
            watch: self.ctx.watch(),
        }
    }

    /// Whether a change of these columns changes the place of a row or of an entry that must be unique: then all rows
    /// leave their places before any takes its new one.
    pub fn moves(def: &TableDef, columns: &[usize]) -> bool {
        let in_key = |index: &IndexDef| index.key.iter().any(|key| columns.contains(&key.column));
        def.indexes.iter().any(|index| in_key(index) && (index.holds_rows() || index.unique))
            || def.indexes.iter().any(|index| index.unique && index.filter.is_some())
    }

    /// Gives a row new values where its place stays.
    ///
    /// # Errors
    /// As [`Writer::insert`].
    pub fn update(&mut self, locator: &[u8], old: &[Value], new: &[Value], unread: &Unread<'_>) -> SqlResult<()> {
        let def = self.def;
        self.note(0);
        let large = self.large(0);
        let mut before = OldValues::new(old, old_pointers(&large, &self.ask, locator)?);
        unread.settle(&large, self.work, &mut before)?;
        self.scratch.record.clear();
        large.append_record(self.work, new, Some(&mut before), room_beside(locator), &mut self.scratch.record)?;
        replace(self.work, &self.ask, def, self.trees.side(0), locator, &self.scratch.record)?;
        large.let_go_of(self.work, before)?;
        self.count_new_values(old, new);
        for (position, index, side) in self.sides().skip(1) {
            if index.disabled
                || index.filter.is_none() && !index.stored.iter().any(|column| old[*column] != new[*column])
            {
                continue;
            }
            let (was, is) = (is_in(index, self.ctx, old)?, is_in(index, self.ctx, new)?);
            if was || is {
                self.note(position);
            }
            let large = self.large(position);
            let Scratch { key, old_key, record, .. } = &mut self.scratch;
            let mut pointers = Vec::new();
            if was {
                index_key(def, index, old, locator, old_key);
                pointers = old_pointers(&large, &self.ask, old_key)?;
            }
            let stored = if pointers.is_empty() { Vec::new() } else { stored_values(index, old) };
            let mut before = OldValues::new(&stored, pointers);
            if is {
                check_key_bytes(def, index, new)?;
                index_key(def, index, new, locator, key);
                index_payload(&large, self.work, index, (key, locator), new, Some(&mut before), record)?;
            }
            let gone = before.pointers;
            if was && is && key == old_key {
                replace(self.work, &self.ask, def, side, key, record)?;
                large.let_go(self.work, &gone)?;
                continue;
            }
            if was {
                remove(self.work, &self.ask, def, side, old_key)?;
                large.let_go(self.work, &gone)?;
            }
            if is && !add(self.work, &self.ask, def, (index, side), key, record)? {
                return Err(duplicate(def, index, new));
            }
        }
        Ok(())
    }

    /// Statistics of columns that no index keeps are old after many new values.
    fn count_new_values(&mut self, old: &[Value], new: &[Value]) {
        let (def, statistics) = (self.def, &self.trees.counters.statistics);
        self.watched.get_or_insert_with(|| NewValues::of(def, statistics)).count(old, new);
    }

    /// Locks a row and reads it as it is now; false when it is gone.
    ///
    /// # Errors
    /// 1205, 1222 and others of the layers below.
    pub fn lock(&mut self, locator: &[u8], row: &mut Vec<Value>) -> SqlResult<bool> {
        Ok(self.lock_to_change(locator, None, row)?.is_some())
    }

    /// The same, where values beyond the record are read in the columns `reads` alone: what was not read, or none when
    /// the row is gone.
    ///
    /// # Errors
    /// As [`Writer::lock`].
    pub fn lock_to_change(
        &mut self,
        locator: &[u8],
        reads: Option<&[bool]>,
        row: &mut Vec<Value>,
    ) -> SqlResult<Option<Unread<'a>>> {
        let timeout_ms = self.work.lock_timeout_ms();
        if self.no_wait {
            self.work.set_lock_timeout_ms(Some(0));
        }
        let is_there = lock(self.work, &self.ask, self.def, self.trees.side(0), locator, &mut self.scratch.record);
        if self.no_wait {
            self.work.set_lock_timeout_ms(timeout_ms);
        }
        if !is_there? {
            return Ok(None);
        }
        Unread::of_record(&self.large(0), &self.scratch.record, reads, row).map(Some)
    }

    /// What stands in the row that was locked last, as a number.
    #[must_use]
    pub fn stamp(&self) -> u64 {
        stamp_of(&self.scratch.record)
    }

    /// Gives back the lock of a row that is not changed after all.
    pub fn release(&self, locator: &[u8]) {
        if let (Some(reader), Side::Tree(tree)) = (&self.ctx.reader, self.trees.side(0)) {
            reader.release_row(tree, locator);
        }
    }

    /// The statement changes the index at a position.
    fn note(&self, position: usize) {
        if let Side::Tree(tree) = self.trees.side(position) {
            self.ctx.note_use(tree, TreeUse::Update);
        }
    }

    /// The indexes with their entries.
    fn sides(&self) -> impl Iterator<Item = (usize, &'a IndexDef, Side<'a>)> + use<'a> {
        let trees = self.trees;
        self.def.indexes.iter().enumerate().map(|(position, index)| (position, index, trees.side(position)))
    }
}

/// What stands in the record of a row, as a number: another one after a change.
#[must_use]
pub fn stamp_of(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(record);
    hasher.finish()
}

/// What the entry of a key points to, in the row's tree or an index: the caller has its row locked.
fn old_pointers(large: &Large<'_>, ask: &Ask<'_>, key: &[u8]) -> SqlResult<Vec<(usize, LobPointer)>> {
    let ValueHome::Tree(tree) = large.home else { return Ok(Vec::new()) };
    if !large.layout.may_overflow() {
        return Ok(Vec::new());
    }
    let found = tree::read::get(tree, ask, key, |row| {
        let record = if tree.ids().index_id > 1 { split_payload(row.payload)?.1 } else { row.payload };
        large.pointers(record)
    });
    found.map_err(|cause| message::of_access(cause, large.place))?.unwrap_or(Ok(Vec::new()))
}

/// The key of a row in an index, as errors show it: `(1, <NULL>)`.
#[must_use]
pub fn shown_key(def: &TableDef, index: &IndexDef, row: &[Value]) -> String {
    let values: Vec<String> = index
        .key
        .iter()
        .map(|key| match &row[key.column] {
            Value::Null => "<NULL>".to_owned(),
            value => to_display(value, &def.columns[key.column].ty.sql),
        })
        .collect();
    format!("({})", values.join(", "))
}

/// 2627 for a constraint, 2601 for an index.
pub fn duplicate(def: &TableDef, index: &IndexDef, row: &[Value]) -> SqlError {
    let (key, table, name) = (shown_key(def, index, row), def.two_part_name(), &index.name);
    match index.kind {
        IndexKind::PrimaryKey | IndexKind::Unique => {
            let kind = if index.kind == IndexKind::PrimaryKey { "PRIMARY KEY" } else { "UNIQUE KEY" };
            SqlError::of(2627, 1, &[&kind, &name, &table, &key])
        }
        IndexKind::Index | IndexKind::Heap => SqlError::of(2601, 1, &[&table, &name, &key]),
    }
}

/// Locks the row of a key and reads its payload; false when there is none. Rows in memory are their session's alone.
fn lock(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    def: &TableDef,
    side: Side<'_>,
    key: &[u8],
    payload: &mut Vec<u8>,
) -> SqlResult<bool> {
    match side {
        Side::Tree(tree) => tree_rows::lock_for_update(work, ask, tree, key, payload)
            .map_err(|error| message::of_txn(error, place_of(def))),
        Side::Memory(memory, index) => Ok(memory.get(index, key, payload)),
    }
}

/// Adds an entry; false when there is one of its key.
fn add(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    def: &TableDef,
    (index, side): (&IndexDef, Side<'_>),
    key: &[u8],
    payload: &[u8],
) -> SqlResult<bool> {
    let tree = match side {
        Side::Tree(tree) => tree,
        Side::Memory(memory, index) => return memory.insert(index, key, payload).map_err(message::of_memory),
    };
    match tree_rows::insert(work, ask, tree, key, payload) {
        Ok(()) => Ok(true),
        Err(TxnError::Duplicate) => Ok(false),
        Err(error) => Err(message::of_index(error, message_index(index), place_of(def))),
    }
}

fn replace(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    def: &TableDef,
    side: Side<'_>,
    key: &[u8],
    payload: &[u8],
) -> SqlResult<()> {
    match side {
        Side::Tree(tree) => {
            tree_rows::update(work, ask, tree, key, payload).map_err(|error| message::of_txn(error, place_of(def)))
        }
        Side::Memory(memory, index) => {
            let there = memory.replace(index, key, payload).map_err(message::of_memory)?;
            assert!(there, "an entry in memory was read in this statement");
            Ok(())
        }
    }
}

fn remove(work: &mut SessionWork, ask: &Ask<'_>, def: &TableDef, side: Side<'_>, key: &[u8]) -> SqlResult<()> {
    match side {
        Side::Tree(tree) => {
            tree_rows::delete(work, ask, tree, key).map_err(|error| message::of_txn(error, place_of(def)))
        }
        Side::Memory(memory, index) => {
            assert!(memory.remove(index, key), "an entry in memory was read in this statement");
            Ok(())
        }
    }
}

/// Whether a filtered index has a row.
pub fn is_in(index: &IndexDef, ctx: &RunContext, row: &[Value]) -> SqlResult<bool> {
    match &index.filter {
        None => Ok(true),
        Some((_, filter)) => is_true(filter, ctx, Rows::of(row)),
    }
}
