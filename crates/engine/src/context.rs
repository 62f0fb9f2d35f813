//! What a running statement can see beside its rows: the instance, the session's facts, its variables, the time.
//! It is shared by reference-count so that plans can hold it while they run.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_access::tree::{Tree, TreeUse};
use millpond_catalog::run::documents::{Documents, PreparedDocuments};
use millpond_catalog::run::facts::SessionFacts;
use millpond_catalog::run::metadata::Catalog;
use millpond_catalog::run::metadata::CursorStates;
use millpond_catalog::run::notes::Notes;
use millpond_catalog::run::principals::Principals;
use millpond_catalog::run::{Run, VariableValues};
use millpond_catalog::sequence::{SequenceUse, value_of};
use millpond_catalog::trees::Side;
use millpond_catalog::{ObjectId, TableDef};
use millpond_message::{self as message, error::SqlResult};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, PAGE_BYTES};
use millpond_txn::{CatalogLocks, ReadHint, Reader};
use millpond_types::{Charge, Value, Watch};
use parking_lot::Mutex;

use crate::account::index_uses::IndexUses;
use crate::account::profile::Profile;
use crate::account::work::WorkAccount;
use crate::draw;
use crate::engine::Engine;
use crate::rows::TableRows;
use crate::session_shared::SessionShared;
use crate::system_call::SystemCall;

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
    /// `Databases::epoch` when both were looked up: while it is the same, they are what the catalog has.
    pub epoch: u64,
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

/// The context of one run of one statement.
pub struct RunContext {
    /// The instance.
    pub engine: Arc<Engine>,
    /// The session's task, on whose account the statement reads and waits.
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
    pub cursors: Arc<CursorStates>,
    /// Numbers drawn for the row that is made now.
    drawn: Mutex<Vec<(DbId, ObjectId, i64)>>,
    /// Whether there are any. Sequences are drawn from on the session's thread alone.
    has_drawn: AtomicBool,
    /// The statement may call functions of the user, which read with its reader.
    pub calls_functions: bool,
    /// When it began, by the server's clock in microseconds, where statements of its kind are measured.
    pub begun_us: u64,
    /// The indexes that it has used.
    uses: IndexUses,
    /// The time of the statement, UTC and local, in microseconds since 1970; read when it is first asked for, once for
    /// all threads of the statement's plans.
    statement_time: Mutex<Option<(i64, i64)>>,
    /// What the places of the statement that have one value per run have drawn ([`Run::once`]).
    once: Mutex<Vec<(u64, Value)>>,
    /// Documents that it holds.
    documents: Documents,
    /// The session's locks, for names that others are about to change.
    pub locks: CatalogLocks,
    /// The text is compiled ahead of its run: it does not wait for names.
    pub is_ahead: bool,
    /// The session, for what is not fixed at the statement's start.
    pub session: Arc<SessionShared>,
    /// Pages that belong to no table.
    pub other_io: IoCount,
    /// Memory of the statement's operators, and what they spill.
    pub work: Arc<WorkAccount>,
    /// SET STATISTICS PROFILE: what the statement's operators do.
    pub profile: Option<Arc<Profile>>,
    /// What the statement reports when it has run.
    pub notes: Notes,
}

impl RunContext {
    /// The end of a statement that was cancelled, asked between two rows.
    ///
    /// # Errors
    /// That it was cancelled.
    #[inline]
    pub fn heed_cancel(&self) -> SqlResult<()> {
        if self.task.is_cancelled() { Err(message::cancelled()) } else { Ok(()) }
    }

    /// Now, by the server's clock and in local time, both in microseconds.
    #[must_use]
    pub fn moment(&self) -> (u64, i64) {
        (self.engine.clock_us(), self.engine.now_us().1)
    }

    /// A context of a session.
    #[inline]
    #[must_use]
    pub fn new(
        engine: &Arc<Engine>,
        session: &Arc<SessionShared>,
        facts: SessionFacts,
        locks: CatalogLocks,
        variables: VariableValues,
        tables: Arc<[TableBinding]>,
        cursors: Arc<CursorStates>,
    ) -> RunContext {
        RunContext {
            engine: Arc::clone(engine),
            task: Arc::clone(&session.task),
            facts,
            variables,
            tables,
            reader: None,
            sequences: Arc::from([]),
            cursors,
            drawn: Mutex::default(),
            has_drawn: AtomicBool::default(),
            calls_functions: false,
            begun_us: 0,
            uses: IndexUses::default(),
            statement_time: Mutex::default(),
            once: Mutex::default(),
            documents: Documents::default(),
            locks,
            is_ahead: false,
            session: Arc::clone(session),
            other_io: IoCount::default(),
            work: Arc::default(),
            profile: None,
            notes: Notes::default(),
        }
    }

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

    /// The statement uses an index: the index counts it once.
    #[inline]
    pub fn note_use(&self, tree: &Arc<Tree>, how: TreeUse) {
        if self.uses.is_first(tree, how) {
            tree.activity.note(how, self.begun_us);
        }
    }

    /// The statement goes to rows of a table by keys of an index that need no look before.
    pub fn note_seek(&self, binding: usize, index: usize) {
        if let TableRows::Trees(trees) = &self.tables[binding].rows
            && let Side::Tree(tree) = trees.side(index)
        {
            self.note_use(tree, TreeUse::Seek);
        }
    }

    /// The asker for pages of no table.
    #[must_use]
    pub fn ask_other(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.other_io)
    }

    /// About how many rows each of the statement's tables has now; 0 where that cannot be read.
    pub fn row_estimates(&self) -> Vec<u64> {
        let rows = |(binding, table): (usize, &TableBinding)| table.rows.estimate(&self.ask(binding));
        self.tables.iter().enumerate().map(rows).collect()
    }

    /// About how many pages the tables have that have so many rows: what a plan's costs and its memory are measured by.
    pub fn page_estimates(&self, rows: &[u64]) -> Vec<u64> {
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
    pub fn large_estimates(&self) -> Vec<u64> {
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

    /// A rowversion value for a row of a database.
    ///
    /// # Errors
    /// What raising the database's mark gives.
    pub fn next_row_version(&self, database: DbId) -> SqlResult<Value> {
        // Noted before it is given, so that no session sees a gap.
        let mut given = self.session.row_versions.lock();
        let next = self.engine.databases().dictionary(database)?.next_row_version(&self.ask_other())?;
        if !given.iter().any(|(db, _)| *db == database) {
            given.push((database, next));
        }
        Ok(Value::binary(&next.to_be_bytes()))
    }

    /// Another row is made: it has numbers of its own.
    #[inline]
    pub fn begin_row(&self) {
        if self.has_drawn.load(Relaxed) {
            self.drawn.lock().clear();
            self.has_drawn.store(false, Relaxed);
        }
    }

    /// The number that was drawn of a sequence for this row.
    fn drawn(&self, database: DbId, sequence: ObjectId) -> Option<i64> {
        let drawn = self.drawn.lock();
        drawn.iter().find(|(db, id, _)| (*db, *id) == (database, sequence)).map(|(_, _, number)| *number)
    }

    fn note_drawn(&self, database: DbId, sequence: ObjectId, number: i64) {
        self.drawn.lock().push((database, sequence, number));
        self.has_drawn.store(true, Relaxed);
    }

    /// A new statement: its time is not known yet, and nothing is drawn.
    pub fn begin_statement(&mut self) {
        *self.statement_time.get_mut() = None;
        self.once.get_mut().clear();
        self.uses.begin();
    }
}

impl RunContext {
    /// Says @@TRANCOUNT, to other sessions too.
    pub fn set_tran_count(&mut self, count: u32) {
        self.facts.tran_count = count;
        self.session.tran_count.store(count, Relaxed);
    }

    /// The context of a statement that asks for what expressions do not see: the rows of a view, the body of a
    /// function.
    ///
    /// # Panics
    /// For a statement that no engine runs.
    #[must_use]
    pub fn of(run: &dyn Run) -> &RunContext {
        run.as_any().downcast_ref().expect("every `Run` of the engine is one")
    }
}

impl<'a> SystemCall<'a> {
    /// What the statement that calls sees.
    #[must_use]
    pub fn ctx(&self) -> &'a RunContext {
        RunContext::of(self.run)
    }
}

impl Run for RunContext {
    #[inline]
    fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    #[inline]
    fn variables(&self) -> &VariableValues {
        &self.variables
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }

    fn catalog(&self) -> &dyn Catalog {
        self
    }

    fn principals(&self) -> &dyn Principals {
        self
    }

    #[inline]
    fn watch(&self) -> Watch<'_> {
        Watch::new(self.task.cancel_flag()).within(&**self.engine.workspace())
    }

    fn take_bytes(&self, bytes: usize) -> SqlResult<Box<dyn Charge>> {
        self.engine.workspace().charge(bytes)
    }

    fn documents(&self) -> &Documents {
        &self.documents
    }

    fn prepared_documents(&self) -> &PreparedDocuments {
        &self.session.documents
    }

    fn now_us(&self) -> (i64, i64) {
        *self.statement_time.lock().get_or_insert_with(|| self.engine.now_us())
    }

    fn once(&self, place: u64, draw: &mut dyn FnMut() -> Value) -> Value {
        let mut drawn = self.once.lock();
        if let Some((_, value)) = drawn.iter().find(|(known, _)| *known == place) {
            return value.clone();
        }
        let value = draw();
        drawn.push((place, value.clone()));
        value
    }

    fn next_number(&self, of: &SequenceUse) -> SqlResult<Value> {
        let databases = self.engine.databases();
        let def = draw::resolve(databases, of)?;
        let drawn = if of.each { None } else { self.drawn(of.database, of.id) };
        let number = match drawn {
            Some(number) => number,
            None => {
                let number = draw::draw(databases, of.database, &def)?;
                self.note_drawn(of.database, of.id, number);
                number
            }
        };
        Ok(value_of(number, &def.sql))
    }

    fn call_function(&self, database: DbId, id: ObjectId, args: Vec<Value>) -> SqlResult<Value> {
        (self.engine.registry().call_function)(self, database, id, args)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
