//! Rows of the system tables of one database: read and changed by the first columns of their keys.
//!
//! They are read as they are now, uncommitted rows too: the caller holds the schema lock of what it asks for, or is
//! alone with the database. Their pages may come from what a full database keeps for work that makes room: DROP and
//! TRUNCATE change them too.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use millpond_access::tree::{KeyRange, Tree};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::DbId;
use millpond_txn::{ReadHint, SessionWork, TxnError};
use millpond_types::{KeyOrder, Value, append_key};

use super::codec::{Row, damaged};
use super::tables::SystemTable;
use crate::after_all;
use crate::row_key;
use millpond_txn::read;
use millpond_txn::tree_rows;
use millpond_txn::trees;

/// A session at work on system tables.
pub struct Io<'a, 'b> {
    /// Whose changes they are.
    pub work: &'a mut SessionWork,
    /// Who asks.
    pub ask: &'a Ask<'b>,
}

impl Io<'_, '_> {
    /// A rollback from here reports that `object` of the catalog changed.
    pub(super) fn note_catalog_change(&mut self, db: (DbId, &str), object: u32) -> SqlResult<()> {
        let noted = trees::note_catalog_change(self.work, self.ask, db.0, object);
        noted.map_err(|error| failed(error, SystemTable::Objects, db.1))
    }
}

fn failed(error: TxnError, table: SystemTable, database: &str) -> SqlError {
    message::of_txn(error, Place { schema: "", object: &table.def().name, database })
}

/// The trees of the system tables.
#[derive(Debug)]
pub(super) struct SystemTrees {
    /// In the order of [`SystemTable::ALL`].
    pub trees: Vec<Arc<Tree>>,
    /// The database's name, for messages.
    pub database: Arc<str>,
}

/// The bytes that all keys begin with whose first columns are these.
fn prefix_bytes(prefix: &[i32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in prefix {
        append_key(&Value::Int(*part), Default::default(), KeyOrder::Ascending, &mut bytes);
    }
    bytes
}

impl SystemTrees {
    /// No system tables: what is written is kept in memory alone.
    pub fn none(database: &str) -> SystemTrees {
        SystemTrees { trees: Vec::new(), database: Arc::from(database) }
    }

    fn is_none(&self) -> bool {
        self.trees.is_empty()
    }

    fn tree(&self, table: SystemTable) -> &Arc<Tree> {
        &self.trees[table as usize - 1]
    }

    /// Whether the database has no tables, or not this one: it is of an earlier version, and cannot be changed.
    pub fn lacks(&self, table: SystemTable) -> bool {
        self.trees.len() < table as usize
    }

    /// The rows whose key begins with `prefix`, in key order.
    pub fn rows(&self, io: &mut Io<'_, '_>, table: SystemTable, prefix: &[i32]) -> SqlResult<Vec<Vec<Value>>> {
        let bytes = prefix_bytes(prefix);
        let low = if bytes.is_empty() { Bound::Unbounded } else { Bound::Included(bytes.clone()) };
        let high = after_all(bytes).map_or(Bound::Unbounded, Bound::Excluded);
        self.rows_of(io, table, KeyRange { low, high })
    }

    /// The rows whose first column is `first` or above, and below `end`, in key order.
    pub fn rows_between(
        &self,
        io: &mut Io<'_, '_>,
        table: SystemTable,
        first: i32,
        end: i32,
    ) -> SqlResult<Vec<Vec<Value>>> {
        let (low, high) = (Bound::Included(prefix_bytes(&[first])), Bound::Excluded(prefix_bytes(&[end])));
        self.rows_of(io, table, KeyRange { low, high })
    }

    fn rows_of(&self, io: &mut Io<'_, '_>, table: SystemTable, range: KeyRange) -> SqlResult<Vec<Vec<Value>>> {
        if self.lacks(table) {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        let mut damage = None;
        let reader = io.work.reader();
        let read =
            read::scan::for_each(&reader, io.ask, self.tree(table), range, ReadHint::no_lock(), &mut |_, payload| {
                let mut row = Vec::new();
                match table.def().layout.decode(payload, &mut row) {
                    Ok(()) => {
                        rows.push(row);
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        damage = Some(message::of_row(error));
                        ControlFlow::Break(())
                    }
                }
            });
        read.map_err(|error| failed(error, table, &self.database))?;
        damage.map_or(Ok(rows), Err)
    }

    /// Adds rows.
    pub fn insert(&self, io: &mut Io<'_, '_>, rows: &[Row]) -> SqlResult<()> {
        if self.is_none() {
            return Ok(());
        }
        let mut key = Vec::new();
        for (table, row) in rows {
            let def = table.def();
            row_key(def, row, 0, &mut key);
            let record = def.layout.encode(row).map_err(message::of_row)?;
            self.insert_one(io, *table, &key, &record)?;
        }
        Ok(())
    }

    fn insert_one(&self, io: &mut Io<'_, '_>, table: SystemTable, key: &[u8], record: &[u8]) -> SqlResult<()> {
        tree_rows::insert(io.work, &io.ask.with_reserve(), self.tree(table), key, record).map_err(|error| match error {
            TxnError::Duplicate => damaged(&format!("a row of {} is there twice", table.def().name)),
            error => failed(error, table, &self.database),
        })
    }

    /// Puts a row in the place of that of its key.
    pub fn replace(&self, io: &mut Io<'_, '_>, (table, row): &Row) -> SqlResult<()> {
        if self.is_none() {
            return Ok(());
        }
        let def = table.def();
        let mut key = Vec::new();
        row_key(def, row, 0, &mut key);
        let record = def.layout.encode(row).map_err(message::of_row)?;
        match tree_rows::update(io.work, &io.ask.with_reserve(), self.tree(*table), &key, &record) {
            Err(TxnError::NoSuchRow) => self.insert_one(io, *table, &key, &record),
            done => done.map_err(|error| failed(error, *table, &self.database)),
        }
    }

    /// Removes the rows whose key begins with `prefix`.
    pub fn erase(&self, io: &mut Io<'_, '_>, table: SystemTable, prefix: &[i32]) -> SqlResult<()> {
        let mut key = Vec::new();
        for row in self.rows(io, table, prefix)? {
            row_key(table.def(), &row, 0, &mut key);
            self.delete_one(io, table, &key)?;
        }
        Ok(())
    }

    /// Makes the rows of one object in some tables these: rows that are there already stay as they are, so that a small
    /// change of a large definition is a small change.
    pub fn make(&self, io: &mut Io<'_, '_>, object: i32, tables: &[SystemTable], rows: &[Row]) -> SqlResult<()> {
        for table in tables {
            let mut old = BTreeMap::new();
            for row in self.rows(io, *table, &[object])? {
                let mut key = Vec::new();
                row_key(table.def(), &row, 0, &mut key);
                old.insert(key, row);
            }
            let mut key = Vec::new();
            for (of, row) in rows.iter().filter(|(of, _)| of == table) {
                row_key(table.def(), row, 0, &mut key);
                match old.remove(&key) {
                    Some(known) if known == *row => {}
                    Some(_) => self.replace(io, &(*of, row.clone()))?,
                    None => self.insert(io, &[(*of, row.clone())])?,
                }
            }
            for key in old.keys() {
                self.delete_one(io, *table, key)?;
            }
        }
        Ok(())
    }

    /// Makes the rows of one object these, which were `known`. The first row of both is that of the object, whose times change
    /// with it.
    pub fn change(&self, io: &mut Io<'_, '_>, known: &[Row], rows: &[Row]) -> SqlResult<()> {
        if self.is_none() {
            return Ok(());
        }
        let (Some((_, known)), Some((object, rows))) = (known.split_first(), rows.split_first()) else { return Ok(()) };
        check!(object.0 == SystemTable::Objects, "the first row of a definition is not that of its object");
        self.replace(io, object)?;
        // What stands in both at the same distance from the beginning, or from the end, stays.
        let begin = known.iter().zip(rows).take_while(|(one, other)| one == other).count();
        let (known, rows) = (&known[begin..], &rows[begin..]);
        let end = known.iter().rev().zip(rows.iter().rev()).take_while(|(one, other)| one == other).count();
        let (known, rows) = (&known[..known.len() - end], &rows[..rows.len() - end]);
        let keyed = |row: &Row| {
            let mut key = Vec::new();
            row_key(row.0.def(), &row.1, 0, &mut key);
            (row.0 as usize, key)
        };
        let mut old: BTreeMap<(usize, Vec<u8>), &Row> = known.iter().map(|row| (keyed(row), row)).collect();
        for row in rows {
            match old.remove(&keyed(row)) {
                Some(known) if known == row => {}
                Some(_) => self.replace(io, row)?,
                None => self.insert(io, std::slice::from_ref(row))?,
            }
        }
        old.iter().try_for_each(|((_, key), row)| self.delete_one(io, row.0, key))
    }

    /// Removes the row with the key of this one.
    pub fn remove(&self, io: &mut Io<'_, '_>, (table, row): &Row) -> SqlResult<()> {
        if self.is_none() {
            return Ok(());
        }
        let mut key = Vec::new();
        row_key(table.def(), row, 0, &mut key);
        self.delete_one(io, *table, &key)
    }

    fn delete_one(&self, io: &mut Io<'_, '_>, table: SystemTable, key: &[u8]) -> SqlResult<()> {
        tree_rows::delete(io.work, &io.ask.with_reserve(), self.tree(table), key)
            .map_err(|error| failed(error, table, &self.database))
    }
}
