//! The temporary tables and procedures of a session by name: `#t` until dropped or until the scope that made it ends, `@t` until its
//! batch ends. The rows are `txn`'s; this is only the names, kept in step with rollbacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::memory::MemoryTable;
use millpond_access::{Heap, ObjectId};
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{ModuleDef, ObjectId as GlobalId, TableDef, name_key, names_equal};
use millpond_storage::contract::DbId;
use millpond_txn::{ObjectUndo, TxnError, ValueHome};

use crate::rows::TableRows;

/// A temporary table or table variable.
#[derive(Clone)]
pub struct TempTable {
    /// Definition.
    pub def: Arc<TableDef>,
    /// Rows, and the number of the table. It has no rows where `trees` has them.
    pub heap: Arc<Heap>,
    /// Rows of a table with indexes.
    pub trees: Option<Arc<TableTrees>>,
    /// The next identity value.
    pub identity: Arc<AtomicI64>,
    /// Nesting level of the scope that made it; it ends with that scope.
    pub level: u32,
    /// A READONLY parameter that names another's rows.
    pub is_borrowed: bool,
    /// A READONLY parameter.
    pub is_read_only: bool,
}

impl std::fmt::Debug for TempTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.def.name, self.heap.object_id().0)
    }
}

impl TempTable {
    /// A fresh table of a definition.
    #[must_use]
    pub fn new(def: Arc<TableDef>, heap: Arc<Heap>, level: u32) -> TempTable {
        let seed = def.columns.iter().find_map(|column| column.identity).map_or(0, |(seed, _)| seed);
        let identity = Arc::new(AtomicI64::new(seed));
        TempTable { def, heap, trees: None, identity, level, is_borrowed: false, is_read_only: false }
    }

    /// Where the rows are.
    #[must_use]
    pub fn rows(&self) -> TableRows {
        match &self.trees {
            None => TableRows::Heap(Arc::clone(&self.heap)),
            Some(trees) => TableRows::Trees(Arc::clone(trees)),
        }
    }

    /// The rows, where they are kept in memory alone.
    #[must_use]
    pub fn memory(&self) -> Option<&Arc<MemoryTable>> {
        self.trees.as_ref().and_then(|trees| trees.memory.as_ref())
    }

    /// Where its large values are.
    #[must_use]
    pub fn value_home(&self) -> ValueHome<'_> {
        match &self.trees {
            None => ValueHome::Heap(&self.heap),
            Some(trees) => trees.value_home(0),
        }
    }

    /// `#t` as `sys.objects` and STATISTICS IO show it: padded with underscores to 116 characters, then 12 hex digits.
    #[must_use]
    pub fn internal_name(&self) -> String {
        internal_name(&self.def.name, self.heap.object_id())
    }
}

/// See [`TempTable::internal_name`]; a table variable has a name of eight hex digits.
#[must_use]
pub fn internal_name(name: &str, object: ObjectId) -> String {
    if name.starts_with('@') {
        return format!("#{:08X}", object.0);
    }
    let shown: String = name.chars().take(116).collect();
    let underscores = 116usize.saturating_sub(shown.chars().count());
    format!("{shown}{}{:012X}", "_".repeat(underscores), object.0)
}

/// A temporary procedure: of its session alone, until that ends, whichever scope made it.
#[derive(Clone, Debug)]
pub struct TempProcedure {
    /// The database that was current when it was made: its names mean objects there.
    pub database: DbId,
    /// Definition.
    pub def: Arc<ModuleDef>,
}

/// Up to so many tables are looked through by name; the names of more are found by their keys.
const FEW_TABLES: usize = 8;

/// A table, and under what it is found.
pub struct Entry {
    table: TempTable,
    key: Vec<u8>,
}

impl Entry {
    /// The scope's level that it does not outlive, plus one; 0 for what the session keeps.
    fn ends_above(&self) -> u32 {
        match self.table.level {
            0 if !self.table.def.name.starts_with('@') => 0,
            level => level + 1,
        }
    }
}

/// The temporary tables and procedures of one session. What it does with one of them costs the same however many there are,
/// but for a logarithm.
#[derive(Default)]
pub struct TempCatalog {
    /// By the key of the name.
    procedures: BTreeMap<Vec<u8>, TempProcedure>,
    procedure_keys: HashMap<i32, Vec<u8>>,
    /// What the open transaction changed, as it was before each change: a rollback goes back over it.
    procedures_before: Vec<(Vec<u8>, Option<TempProcedure>)>,
    /// The savepoints of the open transaction, each with how many changes of procedures came before it.
    procedure_savepoints: Vec<(String, usize)>,
    /// In the order in which they were made.
    tables: BTreeMap<u64, Entry>,
    /// Of each name the tables, the last one last.
    names: HashMap<Vec<u8>, Vec<u64>>,
    /// Of each number the tables: more than one where a READONLY parameter names another's rows.
    numbers: HashMap<u32, Vec<u64>>,
    /// Where they end ([`Entry::ends_above`]), for those that end with a scope.
    scoped: BTreeSet<(u32, u64)>,
    next: u64,
    /// Dropped in the open transaction: a rollback brings them back.
    dropped: HashMap<u32, TempTable>,
    /// The TRUNCATEs of the open transaction or statement, of tables with identity.
    resets: Vec<Reset>,
    version: u64,
    /// The tables and procedures that all sessions see and this one made. Some may be dropped, or their creation undone.
    globals: Vec<GlobalId>,
}

/// What a TRUNCATE did to the identity of a table.
struct Reset {
    object: ObjectId,
    identity: Arc<AtomicI64>,
    /// The next value as it was.
    before: i64,
}

impl TempCatalog {
    /// Grows with every change of names.
    #[inline]
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The table of that name that a scope of nesting level `level` sees: `#t` of any scope around it, the last one made
    /// (an inner scope hides an outer one); `@t` of the scope itself alone.
    #[must_use]
    pub fn find(&self, name: &str, level: u32) -> Option<&TempTable> {
        let is_seen = |table: &&TempTable| !name.starts_with('@') || table.level == level;
        if self.tables.len() <= FEW_TABLES {
            return self.tables().rev().filter(is_seen).find(|table| names_equal(&table.def.name, name));
        }
        let places = self.names.get(&name_key(name))?.iter().rev();
        places.filter_map(|place| self.tables.get(place)).map(|entry| &entry.table).find(is_seen)
    }

    /// Whether the scope of nesting level `level` has made a table of that name itself: then it makes no other.
    #[must_use]
    pub fn is_taken(&self, name: &str, level: u32) -> bool {
        self.find(name, level).is_some_and(|table| table.level == level)
    }

    /// The session made an object that all sessions see, and that ends with it. Those that are not there any more go from time
    /// to time.
    pub fn note_global(&mut self, object: GlobalId, is_there: &dyn Fn(GlobalId) -> bool) {
        if self.globals.len() >= 64 && self.globals.len().is_power_of_two() {
            self.globals.retain(|known| is_there(*known));
        }
        self.globals.push(object);
    }

    /// Whether there may be objects of [`TempCatalog::note_global`].
    #[must_use]
    pub fn has_globals(&self) -> bool {
        !self.globals.is_empty()
    }

    /// The session ends: the objects of [`TempCatalog::note_global`].
    pub fn take_globals(&mut self) -> Vec<GlobalId> {
        std::mem::take(&mut self.globals)
    }

    /// The table with that object id.
    #[must_use]
    pub fn by_id(&self, id: u32) -> Option<&TempTable> {
        self.tables.get(self.numbers.get(&id)?.first()?).map(|entry| &entry.table)
    }

    /// All tables, in the order in which they were made.
    pub fn tables(&self) -> impl DoubleEndedIterator<Item = &TempTable> {
        self.tables.values().map(|entry| &entry.table)
    }

    /// How many tables there are.
    #[must_use]
    pub fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// The procedure of that name.
    #[must_use]
    pub fn procedure(&self, name: &str) -> Option<&TempProcedure> {
        if self.procedures.is_empty() { None } else { self.procedures.get(&name_key(name)) }
    }

    /// The procedure of that number.
    #[must_use]
    pub fn procedure_by_id(&self, id: i32) -> Option<&TempProcedure> {
        self.procedures.get(self.procedure_keys.get(&id)?)
    }

    /// Puts a procedure in the place of the one of its name.
    pub fn put_procedure(&mut self, procedure: TempProcedure, in_transaction: bool) {
        let key = name_key(&procedure.def.name);
        let before = self.set_procedure(&key, Some(procedure));
        if in_transaction {
            self.procedures_before.push((key, before));
        }
    }

    /// Takes a procedure away; within a transaction it can come back.
    pub fn remove_procedure(&mut self, name: &str, in_transaction: bool) {
        let key = name_key(name);
        let before = self.set_procedure(&key, None);
        if in_transaction {
            self.procedures_before.push((key, before));
        }
    }

    /// Makes that the procedure of a name; gives what was.
    fn set_procedure(&mut self, key: &[u8], procedure: Option<TempProcedure>) -> Option<TempProcedure> {
        let before = self.procedures.remove(key);
        if let Some(before) = &before {
            self.procedure_keys.remove(&before.def.id.0);
        }
        if let Some(procedure) = procedure {
            self.procedure_keys.insert(procedure.def.id.0, key.to_vec());
            self.procedures.insert(key.to_vec(), procedure);
        }
        before
    }

    /// The transaction was rolled back: procedures are as they were before it.
    pub fn restore_procedures(&mut self) {
        self.procedure_savepoints.clear();
        self.restore_procedures_before(0);
    }

    /// A savepoint of the open transaction.
    pub fn save_procedures(&mut self, savepoint: &str) {
        self.procedure_savepoints.push((savepoint.to_owned(), self.procedures_before.len()));
    }

    /// The transaction was rolled back to a savepoint, the last one of the name: procedures are as they were then.
    pub fn restore_procedures_to(&mut self, savepoint: &str) {
        let Some(place) = self.procedure_savepoints.iter().rposition(|(name, _)| name == savepoint) else { return };
        self.procedure_savepoints.truncate(place + 1);
        self.restore_procedures_before(self.procedure_savepoints[place].1);
    }

    /// Takes back all changes but the first so many.
    fn restore_procedures_before(&mut self, kept: usize) {
        while self.procedures_before.len() > kept {
            let (key, before) = self.procedures_before.pop().expect("there are more");
            self.set_procedure(&key, before);
        }
    }

    /// Adds a table.
    pub fn add(&mut self, table: TempTable) {
        let place = self.next;
        self.next += 1;
        let entry = Entry { key: name_key(&table.def.name), table };
        match self.names.get_mut(&entry.key) {
            Some(places) => places.push(place),
            None => {
                self.names.insert(entry.key.clone(), vec![place]);
            }
        }
        self.numbers.entry(entry.table.heap.object_id().0).or_default().push(place);
        self.scoped.insert((entry.ends_above(), place));
        self.tables.insert(place, entry);
        self.version += 1;
    }

    /// Takes the table at a place out.
    fn take(&mut self, place: u64) -> Option<TempTable> {
        let entry = self.tables.remove(&place)?;
        self.scoped.remove(&(entry.ends_above(), place));
        if let Some(places) = self.names.get_mut(&entry.key) {
            places.retain(|known| *known != place);
            if places.is_empty() {
                self.names.remove(&entry.key);
            }
        }
        let id = entry.table.heap.object_id().0;
        if let Some(places) = self.numbers.get_mut(&id) {
            places.retain(|known| *known != place);
            if places.is_empty() {
                self.numbers.remove(&id);
            }
        }
        self.version += 1;
        Some(entry.table)
    }

    /// The place of the first table of a number.
    fn place_of(&self, object: ObjectId) -> Option<u64> {
        self.numbers.get(&object.0)?.first().copied()
    }

    /// A table counts its identity values on where another stopped.
    pub fn share_identity(&mut self, object: ObjectId, with: &TempTable) {
        let Some(place) = self.place_of(object) else { return };
        if let Some(entry) = self.tables.get_mut(&place) {
            self.scoped.remove(&(entry.ends_above(), place));
            entry.table.identity = Arc::clone(&with.identity);
            entry.table.level = with.level;
            self.scoped.insert((entry.ends_above(), place));
        }
    }

    /// No statement changes the table any more.
    pub fn close(&mut self, object: ObjectId) {
        let place = self.place_of(object);
        if let Some(entry) = place.and_then(|place| self.tables.get_mut(&place)) {
            entry.table.is_read_only = true;
        }
    }

    /// Takes a table's name away; within a transaction it can come back.
    pub fn remove(&mut self, object: ObjectId, in_transaction: bool) {
        if let Some(table) = self.place_of(object).and_then(|place| self.take(place))
            && in_transaction
        {
            self.dropped.insert(object.0, table);
        }
    }

    /// Forgets the names of others' rows that end with a scope of nesting level `level`.
    pub fn end_borrowed(&mut self, level: u32) {
        for place in self.places_ending(level) {
            if self.tables.get(&place).is_some_and(|entry| entry.table.is_borrowed) {
                self.take(place);
            }
        }
    }

    /// A TRUNCATE sets the identity of a table of this number to `seed`; what undoes it brings back the value from before.
    pub fn reset_identity(&mut self, table: &TempTable, seed: i64) {
        let before = table.identity.swap(seed, Relaxed);
        self.resets.push(Reset { object: table.heap.object_id(), identity: Arc::clone(&table.identity), before });
    }

    /// The transaction is over: dropped tables do not come back.
    pub fn forget_dropped(&mut self) {
        self.resets.clear();
        self.dropped.clear();
        self.procedures_before.clear();
        self.procedure_savepoints.clear();
    }

    /// What a rollback did to the heaps happens to the names, also when some heaps were lost in it.
    ///
    /// # Errors
    /// The rollback's own error.
    pub fn undone(&mut self, rollback: Result<Vec<ObjectUndo>, TxnError>) -> Result<(), TxnError> {
        match rollback {
            Ok(events) => {
                self.undo(&events);
                Ok(())
            }
            Err(error) => {
                if let TxnError::UndoLost { objects, undone, .. } = &error {
                    self.undo(undone);
                    for object in objects {
                        self.remove(*object, false);
                    }
                }
                Err(error)
            }
        }
    }

    fn undo(&mut self, events: &[ObjectUndo]) {
        for event in events {
            match event {
                ObjectUndo::Created(object) => self.remove(*object, false),
                ObjectUndo::Dropped(object) => self.restore(*object),
                ObjectUndo::Truncated(object) => self.restore_identity(*object),
            }
        }
    }

    /// The latest TRUNCATE of a table was undone: its identity values go on where they were.
    fn restore_identity(&mut self, object: ObjectId) {
        if let Some(place) = self.resets.iter().rposition(|reset| reset.object == object) {
            let reset = self.resets.remove(place);
            reset.identity.store(reset.before, Relaxed);
        }
    }

    fn restore(&mut self, object: ObjectId) {
        if let Some(table) = self.dropped.remove(&object.0) {
            self.add(table);
        }
    }

    /// Tables that end with a scope of nesting level `level`: all of it and of deeper ones; of the outermost scope, whose
    /// `#t` the session keeps, only the table variables.
    #[must_use]
    pub fn ending(&self, level: u32) -> Vec<TempTable> {
        let places = self.places_ending(level).into_iter();
        places.filter_map(|place| self.tables.get(&place)).map(|entry| entry.table.clone()).collect()
    }

    /// Whether a scope that ends has nothing to end.
    #[must_use]
    pub fn ends_nothing(&self, level: u32) -> bool {
        self.scoped.range((level + 1, 0)..).next().is_none()
    }

    /// The places of [`TempCatalog::ending`], in the order in which the tables were made.
    fn places_ending(&self, level: u32) -> Vec<u64> {
        let mut places: Vec<u64> = self.scoped.range((level + 1, 0)..).map(|(_, place)| *place).collect();
        places.sort_unstable();
        places
    }
}
