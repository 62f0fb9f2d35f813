//! Many new rows of a table in trees: the entries of each index are sorted by their keys and added in runs.
//!
//! ```text
//!   row ──▶ record, keys ──▶ a sorter per index ──▶ end: ascending entries ──▶ runs of a leaf, or pages of the tree
//!                                └── ascending anyhow, and the statement does not read the table: added as it comes
//! ```
//!
//! What always holds: memory is bounded ([`memory_bytes`]), what is beyond lies in tempdb. Where the source of the rows may
//! read the table itself, nothing is added before it has ended: a statement does not meet what it inserts.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{Entry, LOGGED_PAGES, Tree, TreeFill, TreeFillPart, TreeUse};
use millpond_catalog::large::{Large, room_beside};
use millpond_catalog::run::Run;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{IndexDef, IndexKind, TableDef, row_key};
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::ask::Ask;
use millpond_txn::tree_runs;
use millpond_txn::trees;
use millpond_txn::{SessionWork, Sorter, TxnError, ValueHome};
use millpond_types::{Value, Watch};

use crate::write::{duplicate, is_in};

pub use millpond_engine::stored::{check_key_bytes, index_key, index_payload, message_index, place_of, split_payload};

/// Entries that are added while rows come when there are so many bytes of them.
const STREAM_BYTES: usize = 1 << 20;
/// Entries of tempdb that are added at once.
const BATCH_BYTES: usize = 256 << 10;
/// The least and the most memory of all sorters of a statement.
const MEMORY_BYTES: (usize, usize) = (1 << 20, 64 << 20);

/// Memory for each of so many sorters of a statement: an eighth of the workspace, at most 64 MB, shared.
pub fn memory_bytes(ctx: &RunContext, sorters: usize) -> usize {
    let all = (ctx.engine.workspace().limit_bytes() / 8).clamp(MEMORY_BYTES.0, MEMORY_BYTES.1);
    all / sorters.max(1)
}

/// How rows come into a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadStrategy {
    /// Entries are sorted and added when all rows have been read.
    SortThenInsert,
    /// Entries that ascend are added while rows come: the statement does not read the table.
    StreamSorted,
    /// No other transaction changes the table's trees: empty ones are built apart from the tree, and so are the rows of a heap,
    /// whose keys follow those that it has; no row can be read before the end. Other trees as
    /// [`LoadStrategy::SortThenInsert`].
    BuildUnlinked,
}

/// The entries of an index.
struct Target {
    /// Position in the definition's indexes.
    position: usize,
    sorter: Sorter,
    /// Where they go, if the tree is filled; from the first of them on.
    filling: Option<Filling>,
}

/// A tree that is filled.
struct Filling {
    fill: Arc<TreeFill>,
    part: TreeFillPart,
}

/// Rows on their way into a table.
pub struct Load<'a> {
    ctx: &'a RunContext,
    ask: Ask<'a>,
    def: &'a TableDef,
    trees: &'a Arc<TableTrees>,
    targets: Vec<Target>,
    strategy: LoadStrategy,
    rows: u64,
    locator: Vec<u8>,
    key: Vec<u8>,
    record: Vec<u8>,
}

impl<'a> Load<'a> {
    /// Whether rows of this table may be loaded: a duplicate ends the statement, and numbers of rows are never taken.
    pub fn takes(def: &TableDef) -> bool {
        let first = &def.indexes[0];
        // Views want to see the rows.
        let is_seen = !def.views.is_empty();
        let is_stored = !def.in_memory && !is_seen && (first.unique || first.kind == IndexKind::Heap);
        is_stored && !def.indexes.iter().any(|index| index.options.ignore_dup_key)
    }

    /// Nothing is added yet.
    pub fn new(
        ctx: &'a RunContext,
        ask: Ask<'a>,
        def: &'a TableDef,
        trees: &'a Arc<TableTrees>,
        strategy: LoadStrategy,
    ) -> Load<'a> {
        let live: Vec<usize> = (0..def.indexes.len()).filter(|&position| !def.indexes[position].disabled).collect();
        let memory = memory_bytes(ctx, live.len());
        let targets =
            live.into_iter().map(|position| Target { position, sorter: Sorter::new(memory), filling: None }).collect();
        let (locator, key, record) = (Vec::new(), Vec::new(), Vec::new());
        trees.trees.iter().for_each(|tree| ctx.note_use(tree, TreeUse::Update));
        Load { ctx, ask, def, trees, targets, strategy, rows: 0, locator, key, record }
    }

    /// Rows that were added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds a row that fits the table's columns.
    ///
    /// # Errors
    /// 2627 and 2601 for a key that is there, perhaps only by [`Load::finish`]; 511; those of the layers below.
    pub fn add(&mut self, work: &mut SessionWork, row: &[Value]) -> SqlResult<()> {
        if self.rows.is_multiple_of(1024) && self.ctx.task.is_cancelled() {
            return Err(message::cancelled());
        }
        let Load { ctx, ask, def, trees, targets, locator, key, record, .. } = self;
        let number = if def.indexes[0].unique { 0 } else { trees.next_row(def, ask)? };
        row_key(def, row, number, locator);
        for Target { position, sorter, .. } in targets.iter_mut() {
            let index = &def.indexes[*position];
            if !is_in(index, ctx, row)? {
                continue;
            }
            let layout = if *position == 0 { &def.layout } else { &index.layout };
            let home = ValueHome::Tree(&trees.trees[*position]);
            let large = Large { layout, home, ask: *ask, place: place_of(def), watch: ctx.watch() };
            check_key_bytes(def, index, row)?;
            record.clear();
            let key = match *position {
                0 => {
                    large.append_record(work, row, None, room_beside(locator), record)?;
                    &*locator
                }
                _ => {
                    index_key(def, index, row, locator, key);
                    index_payload(&large, work, index, (key, locator), row, None, record)?;
                    &*key
                }
            };
            sorter
                .add(work, ask, key, record)
                .map_err(|error| sort_error(sorter, error, def, index, *ask, duplicate))?;
        }
        self.rows += 1;
        self.stream(work)
    }

    /// Adds a row of a new heap as its record, which is whole.
    ///
    /// # Errors
    /// As [`Load::add`].
    fn add_record(&mut self, work: &mut SessionWork, record: &[u8]) -> SqlResult<()> {
        if self.rows.is_multiple_of(1024) && self.ctx.task.is_cancelled() {
            return Err(message::cancelled());
        }
        let Load { ask, def, trees, targets, locator, .. } = self;
        debug_assert!(def.is_plain_heap());
        row_key(def, &[], trees.next_row(def, ask)?, locator);
        for Target { sorter, .. } in targets.iter_mut() {
            let added = sorter.add(work, ask, locator, record);
            added.map_err(|error| sort_error(sorter, error, def, &def.indexes[0], *ask, duplicate))?;
        }
        self.rows += 1;
        self.stream(work)
    }

    /// Adds the records that a query makes, and all that is left; says how many.
    ///
    /// # Errors
    /// As [`Load::add`].
    pub fn add_all_records(mut self, work: &mut SessionWork, ctx: &Arc<RunContext>, runner: &Runner) -> SqlResult<u64> {
        let once = runner.for_this_run(ctx);
        let runner = once.as_deref().unwrap_or(runner);
        runner.run_records(ctx, &mut |records| {
            for record in records {
                self.add_record(work, record)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        self.finish(work)
    }

    fn stream(&mut self, work: &mut SessionWork) -> SqlResult<()> {
        let Load { ask, def, trees, targets, strategy, .. } = self;
        for target in targets {
            // A fill takes ascending entries only, and those of keys may begin to descend later.
            let may = match strategy {
                LoadStrategy::SortThenInsert => false,
                LoadStrategy::StreamSorted => true,
                LoadStrategy::BuildUnlinked => def.indexes[target.position].kind == IndexKind::Heap,
            };
            if may && target.sorter.has_ascending(STREAM_BYTES) {
                let Target { position, sorter, filling } = target;
                let mut adder = Adder { ask, def, trees, position: *position, strategy: *strategy, filling };
                sorter.take_ascending(|entries| adder.add(work, entries))?;
            }
        }
        Ok(())
    }

    /// Adds what is left.
    ///
    /// # Errors
    /// As [`Load::add`].
    pub fn finish(self, work: &mut SessionWork) -> SqlResult<u64> {
        let Load { ctx, ask, def, trees, targets, strategy, rows, .. } = self;
        for Target { position, mut sorter, mut filling } in targets {
            let mut adder = Adder { ask: &ask, def, trees, position, strategy, filling: &mut filling };
            if sorter.is_in_memory() {
                sorter.take_sorted(|entries| adder.add(work, entries))?;
                adder.end(work)?;
                continue;
            }
            let of_txn = |error| message::of_txn(error, place_of(def));
            let mut sorted = sorter.finish();
            let (mut bytes, mut ends) = (Vec::with_capacity(BATCH_BYTES), Vec::new());
            loop {
                let is_over = match sorted.next(&ask).map_err(of_txn)? {
                    Some(entry) => {
                        bytes.extend_from_slice(entry.key);
                        let key_end = bytes.len();
                        bytes.extend_from_slice(entry.payload);
                        ends.push((key_end, bytes.len()));
                        false
                    }
                    None => true,
                };
                if is_over || bytes.len() >= BATCH_BYTES {
                    if ctx.task.is_cancelled() {
                        return Err(message::cancelled());
                    }
                    adder.add(work, &entries_of(&bytes, &ends))?;
                    bytes.clear();
                    ends.clear();
                }
                if is_over {
                    break;
                }
            }
            sorted.close(work, &ask).map_err(of_txn)?;
            adder.end(work)?;
        }
        Ok(rows)
    }
}

fn entries_of<'b>(bytes: &'b [u8], ends: &[(usize, usize)]) -> Vec<Entry<'b>> {
    let mut start = 0;
    let entry = |&(key_end, end): &(usize, usize)| {
        let entry = Entry { key: &bytes[start..key_end], payload: &bytes[key_end..end] };
        start = end;
        entry
    };
    ends.iter().map(entry).collect()
}

/// Adds ascending entries to the tree of an index.
struct Adder<'a> {
    ask: &'a Ask<'a>,
    def: &'a TableDef,
    trees: &'a TableTrees,
    position: usize,
    strategy: LoadStrategy,
    filling: &'a mut Option<Filling>,
}

impl Adder<'_> {
    fn add(&mut self, work: &mut SessionWork, entries: &[Entry<'_>]) -> SqlResult<()> {
        match self.strategy {
            LoadStrategy::BuildUnlinked if self.is_filled()? => self.fill(work, entries),
            LoadStrategy::BuildUnlinked | LoadStrategy::SortThenInsert | LoadStrategy::StreamSorted => {
                self.add_run(work, entries)
            }
        }
    }

    /// Whether the tree is one that is filled.
    fn is_filled(&self) -> SqlResult<bool> {
        if self.filling.is_some() || self.def.indexes[self.position].kind == IndexKind::Heap {
            return Ok(true);
        }
        self.tree().is_bare(self.ask).map_err(|cause| message::of_access(cause, place_of(self.def)))
    }

    fn add_run(&mut self, work: &mut SessionWork, entries: &[Entry<'_>]) -> SqlResult<()> {
        let added = tree_runs::insert_rows(work, self.ask, self.tree(), entries);
        let added = added.map_err(|error| message::of_txn(error, place_of(self.def)))?;
        entries.get(added).map_or(Ok(()), |entry| Err(self.duplicate(entry)))
    }

    fn fill(&mut self, work: &mut SessionWork, entries: &[Entry<'_>]) -> SqlResult<()> {
        let filling = match self.filling.take() {
            Some(filling) => filling,
            None => {
                let fill = trees::begin_tree_fill(work, self.ask, self.tree(), LOGGED_PAGES);
                let fill = fill.map_err(|error| message::of_txn(error, place_of(self.def)))?;
                Filling { part: fill.part(), fill }
            }
        };
        let filling = self.filling.insert(filling);
        for entry in entries {
            match filling.part.add(self.ask, entry.key, entry.payload) {
                Ok(()) => {}
                Err(AccessError::KeyOrder { is_equal: true }) => return Err(self.duplicate(entry)),
                Err(cause) => return Err(message::of_access(cause, place_of(self.def))),
            }
        }
        Ok(())
    }

    /// There are no more.
    fn end(&mut self, work: &mut SessionWork) -> SqlResult<()> {
        let Some(Filling { fill, mut part }) = self.filling.take() else { return Ok(()) };
        part.end_run(self.ask).map_err(|cause| message::of_access(cause, place_of(self.def)))?;
        drop(part);
        let ended = trees::end_tree_fill(work, self.ask, self.tree(), &fill);
        ended.map(drop).map_err(|error| message::of_txn(error, place_of(self.def)))
    }

    fn tree(&self) -> &Arc<Tree> {
        &self.trees.trees[self.position]
    }

    fn duplicate(&self, entry: &Entry<'_>) -> SqlError {
        let index = &self.def.indexes[self.position];
        match row_of(self.def, index, entry.payload, *self.ask) {
            Ok(row) => duplicate(self.def, index, &row),
            Err(error) => error,
        }
    }
}

/// A sorter's error; `on_duplicate` makes the one for a duplicate key.
pub fn sort_error(
    sorter: &mut Sorter,
    error: TxnError,
    def: &TableDef,
    index: &IndexDef,
    ask: Ask<'_>,
    on_duplicate: fn(&TableDef, &IndexDef, &[Value]) -> SqlError,
) -> SqlError {
    match (error, sorter.take_duplicate()) {
        (TxnError::Duplicate, Some((_, payload))) => match row_of(def, index, &payload, ask) {
            Ok(row) => on_duplicate(def, index, &row),
            Err(error) => error,
        },
        (error, _) => message::of_index(error, message_index(index), place_of(def)),
    }
}

/// The columns that an entry of an index has, the others NULL, and so are values beyond its record.
pub fn row_of(def: &TableDef, index: &IndexDef, payload: &[u8], ask: Ask<'_>) -> SqlResult<Vec<Value>> {
    let (layout, record) = match index.holds_rows() {
        true => (&def.layout, payload),
        false => (&index.layout, split_payload(payload)?.1),
    };
    let large = Large { layout, home: ValueHome::Nowhere, ask, place: place_of(def), watch: Watch::NONE };
    let (mut space, mut values) = (Vec::new(), Vec::new());
    layout.decode(large.whole(record, &|_| false, &mut space)?, &mut values).map_err(message::of_row)?;
    if index.holds_rows() {
        return Ok(values);
    }
    let mut row = vec![Value::Null; def.columns.len()];
    for (&column, value) in index.stored.iter().zip(values) {
        row[column] = value;
    }
    Ok(row)
}
