//! What a running statement can see beside its rows: the instance, the session's facts, its variables, the time.
//! It is shared by reference-count so that plans can hold it while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_access::Heap;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, PAGE_BYTES};
use millpond_txn::{CatalogLocks, ReadHint, Reader};
use millpond_types::temporal::DateTime2;
use millpond_types::{CastRules, Value, Watch};
use parking_lot::Mutex;

use crate::builtin::facts::Catalog;
use crate::catalog::{ObjectId, TableDef};
use crate::clock::datetime2_of_unix_us;
use crate::engine::Engine;
use crate::error::SqlResult;
use crate::exec::CursorStates;
use crate::message;
use crate::notes::Notes;
use crate::profile::Profile;
use crate::session::{SessionFacts, SessionShared};
use crate::trees::{Side, TableTrees};
use crate::variable_values::VariableValues;
use crate::work::WorkAccount;

/// Bytes of an entry beside its columns, and of a value of variable length, about.
const ENTRY_BYTES: usize = 24;
const VARIABLE_BYTES: usize = 18;

/// A table as bound for one run.
#[derive(Clone)]
pub struct TableBinding {
    /// Definition.
    pub def: Arc<TableDef>,
    /// Rows.
    pub rows: TableRows,
    /// How they are read.
    pub hint: ReadHint,
    /// Pages of this table in this statement, for SET STATISTICS IO.
    pub io: Arc<TableIo>,
}

/// Pages of a table that a statement asked for.
#[derive(Debug, Default)]
pub struct TableIo {
    /// Of its rows and indexes.
    pub rows: IoCount,
    /// Of its large values.
    pub large: IoCount,
}

/// Where the rows of a table are.
#[derive(Clone)]
pub enum TableRows {
    /// A heap of tempdb.
    Heap(Arc<Heap>),
    /// Trees.
    Trees(Arc<TableTrees>),
}

impl TableRows {
    /// The heap of a definition whose storage is [`crate::catalog::TableStorage::TempHeap`].
    ///
    /// # Panics
    /// For another storage.
    #[must_use]
    pub fn heap(&self) -> &Arc<Heap> {
        match self {
            TableRows::Heap(heap) => heap,
            TableRows::Trees(_) => unreachable!("its definition says that the rows are in trees"),
        }
    }

    /// The trees of a definition whose storage is [`crate::catalog::TableStorage::Trees`].
    ///
    /// # Panics
    /// For another storage.
    #[must_use]
    pub fn trees(&self) -> &Arc<TableTrees> {
        match self {
            TableRows::Trees(trees) => trees,
            TableRows::Heap(_) => unreachable!("its definition says that the rows are in a heap"),
        }
    }
}

/// The context of one run of one statement.
pub struct RunContext {
    /// The instance.
    pub engine: Arc<Engine>,
    /// The session's task: who asks.
    pub task: Arc<Task>,
    /// Facts of the session at the statement's start.
    pub facts: SessionFacts,
    /// Values of the batch's variables, by slot.
    pub variables: VariableValues,
    /// The statement's tables.
    pub tables: Arc<[TableBinding]>,
    /// Reads the rows of tables in trees; there while a statement runs that uses any.
    pub reader: Option<Arc<Reader>>,
    /// Sequences that the statement may draw from: their definitions stay as they are meanwhile.
    pub sequences: Arc<[(DbId, ObjectId)]>,
    /// Cursors that CURSOR_STATUS sees.
    pub(crate) cursors: Arc<CursorStates>,
    /// Numbers drawn for the row that is made now.
    pub(crate) drawn: Mutex<Vec<(DbId, ObjectId, i64)>>,
    /// Whether there are any. Sequences are drawn from on the session's thread alone.
    pub(crate) has_drawn: AtomicBool,
    /// The statement may call functions of the user, which read with its reader.
    pub calls_functions: bool,
    /// The time of the statement, UTC and local, in microseconds since 1970; read when it is first asked for, once for
    /// all threads of the statement's plans.
    pub(crate) moment: Mutex<Option<(i64, i64)>>,
    /// What the places of the statement that have one value per run have drawn ([`RunContext::once`]).
    pub(crate) once: Mutex<Vec<(u64, Value)>>,
    /// The session's locks, for names that others are about to change.
    pub(crate) locks: CatalogLocks,
    /// The text is compiled ahead of its run: nobody waits for names.
    pub(crate) is_ahead: bool,
    /// The session, for what is not fixed at the statement's start.
    pub session: Arc<SessionShared>,
    /// Pages that belong to no table.
    pub other_io: IoCount,
    /// Memory of the statement's operators, and what they put aside.
    pub work: Arc<WorkAccount>,
    /// SET STATISTICS PROFILE: what the statement's operators do.
    pub(crate) profile: Option<Arc<Profile>>,
    /// What the statement tells when it has run.
    pub notes: Notes,
}

impl RunContext {
    /// The asker for pages of table `binding`.
    #[must_use]
    pub fn ask(&self, binding: usize) -> Ask<'_> {
        Ask::new(&self.task, &self.tables[binding].io.rows)
    }

    /// The asker for pages of large values of table `binding`.
    #[must_use]
    pub fn ask_lob(&self, binding: usize) -> Ask<'_> {
        Ask::new(&self.task, &self.tables[binding].io.large)
    }

    /// The asker for pages of no table.
    #[must_use]
    pub fn ask_other(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.other_io)
    }

    /// About how many rows each of the statement's tables has now; 0 where that cannot be read.
    pub(crate) fn row_estimates(&self) -> Vec<u64> {
        let rows = |(binding, table): (usize, &TableBinding)| match &table.rows {
            TableRows::Heap(heap) => heap.row_count(),
            TableRows::Trees(trees) => {
                let tree = trees.trees.first();
                tree.and_then(|tree| tree.entry_estimate(&self.ask(binding)).ok()).unwrap_or_default()
            }
        };
        self.tables.iter().enumerate().map(rows).collect()
    }

    /// About how many pages the tables have that have so many rows: what a plan's costs and its memory are measured by.
    pub(crate) fn page_estimates(&self, rows: &[u64]) -> Vec<u64> {
        let pages = |(table, &rows): (&TableBinding, &u64)| match &table.rows {
            TableRows::Heap(heap) => heap.page_count(),
            TableRows::Trees(_) => {
                let layout = &table.def.layout;
                let variable = layout.types().iter().filter(|sql| sql.is_variable_length()).count();
                rows * (layout.max_fixed_len() + ENTRY_BYTES + variable * VARIABLE_BYTES) as u64 / PAGE_BYTES as u64
            }
        };
        self.tables.iter().zip(rows).map(pages).collect()
    }

    /// About how many bytes each of the tables has beyond its rows, where it has so many rows: how many a row of it has is
    /// known from these alone. 0 where that cannot be read.
    pub(crate) fn large_estimates(&self) -> Vec<u64> {
        let store = |table: &TableBinding| match &table.rows {
            TableRows::Heap(heap) => heap.values(),
            TableRows::Trees(trees) => match trees.side(0) {
                Side::Tree(tree) => tree.values(&self.ask_other()).ok().flatten(),
                Side::Memory(..) => None,
            },
        };
        let bytes = |table: &TableBinding| {
            if !table.def.layout.may_overflow() {
                return 0;
            }
            let space = store(table).and_then(|store| store.space(&self.ask_other()).ok());
            space.map_or(0, |space| space.reserved * PAGE_BYTES as u64)
        };
        self.tables.iter().map(bytes).collect()
    }

    /// Sees whether the session was cancelled, and how much memory there is; for whoever goes through long values.
    #[must_use]
    pub fn watch(&self) -> Watch<'_> {
        Watch::new(self.task.cancel_flag()).within(&**self.engine.workspace())
    }

    /// To be asked before a value of so many bytes is made, or read.
    ///
    /// # Errors
    /// 701
    #[inline]
    pub(crate) fn check_room(&self, bytes: usize) -> SqlResult<()> {
        if self.watch().has_room(bytes) { Ok(()) } else { Err(message::out_of_memory()) }
    }

    /// A value that was made, or not: a long one is charged to the server's memory for as long as it, or a copy of it, lives.
    ///
    /// # Errors
    /// 701
    #[inline]
    pub(crate) fn hold(&self, made: SqlResult<Value>) -> SqlResult<Value> {
        match &made {
            Ok(value) if value.is_long() => self.charge(value).and(made),
            _ => made,
        }
    }

    /// Charges a value that is long and was not charged yet.
    ///
    /// # Errors
    /// 701
    #[inline]
    pub(crate) fn charge(&self, value: &Value) -> SqlResult<()> {
        if !value.is_long() {
            return Ok(());
        }
        value.charge(|bytes| self.engine.workspace().charge(bytes))
    }

    fn now_us(&self) -> (i64, i64) {
        *self.moment.lock().get_or_insert_with(|| self.engine.now_us())
    }

    /// The value that a place of the statement's text has in this run: `draw` is called the first time, on whatever
    /// thread of the run comes first. Places are the binder's numbers, unique in the process.
    pub(crate) fn once(&self, place: u64, draw: impl FnOnce() -> Value) -> Value {
        let mut drawn = self.once.lock();
        if let Some((_, value)) = drawn.iter().find(|(known, _)| *known == place) {
            return value.clone();
        }
        let value = draw();
        drawn.push((place, value.clone()));
        value
    }

    /// What the session says about conversions.
    #[must_use]
    pub fn cast_rules(&self) -> CastRules {
        self.facts.settings.cast_rules()
    }

    /// The last rowversion value of a database.
    ///
    /// # Errors
    /// When the database is not available.
    pub fn last_row_version(&self, database: DbId) -> SqlResult<u64> {
        Ok(self.engine.databases().dictionary(database)?.last_row_version())
    }

    /// The least rowversion value that an open transaction has given; the next one when there is none.
    ///
    /// # Errors
    /// When the database is not available.
    pub fn least_active_row_version(&self, database: DbId) -> SqlResult<u64> {
        let next = self.last_row_version(database)? + 1;
        let sessions = self.engine.sessions();
        let firsts = sessions.iter().filter_map(|session| {
            let given = session.row_versions.lock();
            given.iter().find(|(db, _)| *db == database).map(|(_, first)| *first)
        });
        Ok(firsts.min().unwrap_or(next))
    }

    /// A rowversion value for a row of a database.
    ///
    /// # Errors
    /// What raising the database's mark gives.
    pub fn next_row_version(&self, database: DbId) -> SqlResult<Value> {
        // Noted before it is given, so that nobody sees a gap.
        let mut given = self.session.row_versions.lock();
        let next = self.engine.databases().dictionary(database)?.next_row_version(&self.ask_other())?;
        if !given.iter().any(|(db, _)| *db == database) {
            given.push((database, next));
        }
        Ok(Value::binary(&next.to_be_bytes()))
    }

    /// Another row is made: it has numbers of its own.
    #[inline]
    pub(crate) fn begin_row(&self) {
        if self.has_drawn.load(Relaxed) {
            self.drawn.lock().clear();
            self.has_drawn.store(false, Relaxed);
        }
    }

    /// The number that was drawn of a sequence for this row.
    pub(crate) fn drawn(&self, database: DbId, sequence: ObjectId) -> Option<i64> {
        let drawn = self.drawn.lock();
        drawn.iter().find(|(db, id, _)| (*db, *id) == (database, sequence)).map(|(_, _, number)| *number)
    }

    pub(crate) fn note_drawn(&self, database: DbId, sequence: ObjectId, number: i64) {
        self.drawn.lock().push((database, sequence, number));
        self.has_drawn.store(true, Relaxed);
    }

    /// Local time, fixed for the statement at its first use.
    #[must_use]
    pub fn now_local(&self) -> DateTime2 {
        datetime2_of_unix_us(self.now_us().1)
    }

    /// UTC, fixed for the statement at its first use.
    #[must_use]
    pub fn now_utc(&self) -> DateTime2 {
        datetime2_of_unix_us(self.now_us().0)
    }

    /// A new statement: its time is not known yet, and nothing is drawn.
    pub(crate) fn begin_statement(&mut self) {
        *self.moment.get_mut() = None;
        self.once.get_mut().clear();
    }

    /// Metadata as functions ask for it.
    #[must_use]
    pub fn catalog(&self) -> &dyn Catalog {
        self
    }
}
