//! Trees of new tables and indexes: empty, or built from the rows that are there, sorted in bounded memory.

use std::collections::HashSet;
use std::sync::Arc;

use crate::load::{memory_bytes, row_of, sort_error};
use crate::write::{is_in, shown_key};
use millpond_access::lob::{LobPtr, LobStore};
use millpond_access::tree;
use millpond_access::tree::{Built, Direction, Entry, EntrySource, KeyRange, Tree, TreeIds};
use millpond_access::{AccessError, ObjectId as Number, TreeCtx};
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::large::{Large, PutValue, all, room_beside};
use millpond_catalog::run::Run;
use millpond_catalog::trees::{TableCounters, TableTrees, tree_ids};
use millpond_catalog::{IndexDef, IndexKind, TableDef, row_key};
use millpond_engine::context::RunContext;
use millpond_engine::stored::{Entries, IndexScan, check_key_bytes, index_key, index_payload, place_of};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::ask::Ask;
use millpond_txn::read;
use millpond_txn::trees;
use millpond_txn::{HeapKind, ReadHint, SessionWork, Sorted, Sorter, TxnError, ValueHome};
use millpond_types::Value;

use crate::temporary_rows;

/// A table as it was.
#[derive(Clone, Copy)]
pub struct OldTable<'a> {
    /// Its definition.
    pub def: &'a Arc<TableDef>,
    /// Its trees.
    pub trees: &'a Arc<TableTrees>,
}

/// Where trees are built.
#[derive(Clone, Copy)]
enum Site<'a> {
    Database(&'a Dictionary),
    /// For a temporary table of that number.
    Tempdb(Number),
}

/// The rows that trees are built of.
enum OldRows<'a> {
    Trees(OldTable<'a>),
    /// A temporary table without indexes.
    Heap(&'a TempTable),
}

/// What brings a row of the old table into its new form.
type MapRow<'a> = &'a mut dyn FnMut(&[Value]) -> SqlResult<Vec<Value>>;

/// The same, `None` for a row that is left out.
pub type ChooseRow<'a> = &'a mut dyn FnMut(&[Value]) -> SqlResult<Option<Vec<Value>>>;

/// The large values of a tree that is to be built.
struct NewValues {
    ctx: TreeCtx,
    ids: TreeIds,
    store: Option<Arc<LobStore>>,
}

impl PutValue for NewValues {
    fn put(&mut self, ask: &Ask<'_>, _: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
        let store = match &self.store {
            Some(store) => store,
            None => self.store.insert(LobStore::create(&self.ctx, ask, self.ids.object_id, self.ids.index_id)?),
        };
        Ok(store.write(ask, value, &mut |_, mtr| {
            mtr.commit();
        })?)
    }
}

/// Sorted entries as the tree takes them.
struct Source<'a> {
    sorted: Sorted,
    ask: Ask<'a>,
}

/// What building gives when it fails.
enum BuildError {
    Access(AccessError),
    Txn(TxnError),
}

impl From<TxnError> for BuildError {
    fn from(cause: TxnError) -> BuildError {
        BuildError::Txn(cause)
    }
}

impl From<AccessError> for BuildError {
    fn from(cause: AccessError) -> BuildError {
        BuildError::Access(cause)
    }
}

impl EntrySource<BuildError> for Source<'_> {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, BuildError> {
        self.sorted.next(&self.ask).map_err(BuildError::Txn)
    }
}

/// An index that is being built.
struct Building<'a> {
    position: usize,
    index: &'a IndexDef,
    sorter: Sorter,
}

/// Trees without rows for all indexes of a new table.
pub fn empty_trees(
    ctx: &RunContext,
    work: &mut SessionWork,
    dictionary: &Dictionary,
    def: &TableDef,
) -> SqlResult<TableTrees> {
    let mut trees = Vec::with_capacity(def.indexes.len());
    for index in &def.indexes {
        trees.push(empty_tree(ctx, work, dictionary, def, index)?);
    }
    Ok(TableTrees { trees, memory: None, counters: Arc::new(TableCounters::default()) })
}

fn empty_tree(
    ctx: &RunContext,
    work: &mut SessionWork,
    dictionary: &Dictionary,
    def: &TableDef,
    index: &IndexDef,
) -> SqlResult<Arc<Tree>> {
    let ask = ctx.ask_other();
    let made = trees::create_tree(work, &ask, &dictionary.home().ctx, tree_ids(def.id, index.id));
    made.map(|(tree, _)| tree).map_err(|error| message::of_txn(error, place_of(def)))
}

/// The trees of a changed definition. `keep` says for each of its indexes which of the old table's trees stays;
/// the others are built of the rows, each of which `map` brings into the new form. Trees that do not stay are
/// dropped.
pub fn rebuilt_trees(
    ctx: &RunContext,
    work: &mut SessionWork,
    dictionary: &Dictionary,
    old: &OldTable<'_>,
    new: &TableDef,
    keep: &[Option<usize>],
    map: MapRow<'_>,
) -> SqlResult<TableTrees> {
    let all = &mut |row: &[Value]| map(row).map(Some);
    let built = built_trees(ctx, work, Site::Database(dictionary), &mut [(OldRows::Trees(*old), all)], new, keep)?;
    let trees = joined(Some(old.trees), built, keep);
    drop_old(ctx, work, old, new, keep)?;
    let counters = if keep[0].is_some() {
        Arc::clone(&old.trees.counters)
    } else {
        let transaction = work.assign_number();
        let is_other = new.identity_id().is_some_and(|column| old.def.identity_id() != Some(column));
        Arc::new(match is_other {
            true => TableCounters::anew(old.def, old.trees, transaction),
            false => TableCounters::rebuilt(old.def, old.trees, transaction),
        })
    };
    Ok(TableTrees { trees, memory: None, counters })
}

/// The trees of a table that has other rows from here on: those that are chosen of several tables, itself perhaps among them. All
/// are locked against everybody.
///
/// # Errors
/// What `sources` say of a row, 1505 for equal keys, 1946 for a key that is too long.
pub fn trees_of_rows(
    ctx: &RunContext,
    work: &mut SessionWork,
    dictionary: &Dictionary,
    old: &OldTable<'_>,
    sources: Vec<(OldTable<'_>, ChooseRow<'_>)>,
) -> SqlResult<TableTrees> {
    let keep = vec![None; old.def.indexes.len()];
    let mut sources: Vec<_> = sources.into_iter().map(|(of, choose)| (OldRows::Trees(of), choose)).collect();
    let built = built_trees(ctx, work, Site::Database(dictionary), &mut sources, old.def, &keep)?;
    let trees = joined(Some(old.trees), built, &keep);
    drop_old(ctx, work, old, old.def, &keep)?;
    let counters = TableCounters::rebuilt(old.def, old.trees, work.assign_number());
    Ok(TableTrees { trees, memory: None, counters: Arc::new(counters) })
}

/// Drops the old trees that do not stay.
fn drop_old(
    ctx: &RunContext,
    work: &mut SessionWork,
    old: &OldTable<'_>,
    new: &TableDef,
    keep: &[Option<usize>],
) -> SqlResult<()> {
    let ask = ctx.ask_other();
    let stays: HashSet<usize> = keep.iter().flatten().copied().collect();
    for (position, tree) in old.trees.trees.iter().enumerate() {
        if !stays.contains(&position) {
            trees::drop_tree(work, &ask, tree).map_err(|error| message::of_txn(error, place_of(new)))?;
        }
    }
    Ok(())
}

/// The trees of a changed definition of a temporary table, whose number is then `object`. As
/// [`rebuilt_trees`]; the old ones that do not stay are the caller's business.
pub fn rebuilt_temporary_trees(
    ctx: &RunContext,
    work: &mut SessionWork,
    old: &TempTable,
    (new, object): (&TableDef, Number),
    keep: &[Option<usize>],
    map: MapRow<'_>,
) -> SqlResult<TableTrees> {
    let rows = match &old.trees {
        Some(trees) => OldRows::Trees(OldTable { def: &old.def, trees }),
        None => OldRows::Heap(old),
    };
    let all = &mut |row: &[Value]| map(row).map(Some);
    let built = built_trees(ctx, work, Site::Tempdb(object), &mut [(rows, all)], new, keep)?;
    let kept = old.trees.as_ref().filter(|_| keep[0].is_some());
    let counters = kept.map_or_else(Arc::default, |trees| Arc::clone(&trees.counters));
    Ok(TableTrees { trees: joined(old.trees.as_ref(), built, keep), memory: None, counters })
}

/// The trees of the new indexes that keep none, in their order.
fn built_trees(
    ctx: &RunContext,
    work: &mut SessionWork,
    site: Site<'_>,
    sources: &mut [(OldRows<'_>, ChooseRow<'_>)],
    new: &TableDef,
    keep: &[Option<usize>],
) -> SqlResult<Vec<Arc<Tree>>> {
    if keep.iter().all(Option::is_some) {
        return Ok(Vec::new());
    }
    let wanted = new.indexes.iter().enumerate().filter(|(position, _)| keep[*position].is_none());
    let memory = memory_bytes(ctx, wanted.clone().count());
    let mut building: Vec<Building<'_>> =
        wanted.map(|(position, index)| Building { position, index, sorter: Sorter::new(memory) }).collect();
    let home = home_at(work, site);
    let values =
        |building: &Building<'_>| NewValues { ctx: home.clone(), ids: ids_at(site, new, building.index), store: None };
    let mut values: Vec<NewValues> = building.iter().map(values).collect();
    let gathered = gather_entries(ctx, work, sources, new, keep[0].is_some(), (&mut building, &mut values));
    let built = gathered.and_then(|()| {
        let both = building.into_iter().zip(&mut values);
        both.map(|(building, values)| built_tree(ctx, work, site, new, building, values)).collect()
    });
    if built.is_err() {
        let ask = ctx.ask_other();
        for store in values.iter().filter_map(|values| values.store.as_ref()) {
            // What cannot be given back stays unclaimed: the next start finds it.
            let _ = store.free(&ask);
        }
    }
    built
}

fn home_at(work: &SessionWork, site: Site<'_>) -> TreeCtx {
    match site {
        Site::Database(dictionary) => dictionary.home().ctx.clone(),
        Site::Tempdb(_) => trees::temporary_ctx(work, HeapKind::Table),
    }
}

/// Reads all rows and gives each index its entries.
fn gather_entries(
    ctx: &RunContext,
    work: &mut SessionWork,
    sources: &mut [(OldRows<'_>, ChooseRow<'_>)],
    new: &TableDef,
    keeps_rows: bool,
    (building, values): (&mut [Building<'_>], &mut [NewValues]),
) -> SqlResult<()> {
    let ask = ctx.ask_other();
    let mut gathered = Gathered { ctx, ask, new, building, values, number: 0, space: Space::default() };
    sources.iter_mut().try_for_each(|(rows, choose)| gather_of(&mut gathered, work, rows, choose, keeps_rows))
}

/// Reads the rows of one table.
fn gather_of(
    gathered: &mut Gathered<'_, '_>,
    work: &mut SessionWork,
    old: &OldRows<'_>,
    choose: &mut ChooseRow<'_>,
    keeps_rows: bool,
) -> SqlResult<()> {
    let (ctx, ask) = (gathered.ctx, gathered.ask);
    let (def, trees) = match old {
        OldRows::Trees(OldTable { def, trees }) => (def, trees),
        OldRows::Heap(table) => {
            let (mut rows, mut page) = (temporary_rows::temporary_rows(work, table), Vec::new());
            loop {
                let more = rows.next_page(ctx, &mut page)?;
                for row in page.drain(..) {
                    if let Some(row) = choose(&row)? {
                        gathered.add(work, &row, None)?;
                    }
                }
                if !more {
                    return Ok(());
                }
            }
        }
    };
    let of_txn = |error| message::of_txn(error, place_of(def));
    let reader = work.reader();
    let home = ValueHome::Tree(&trees.trees[0]);
    let large = Large { layout: &def.layout, home, ask, place: place_of(def), watch: ctx.watch() };
    let mut space = Vec::new();
    // The definition is locked exclusively: no other transaction has uncommitted rows in it.
    let scan = read::scan::open(&reader, &trees.trees[0], KeyRange::all(), Direction::Forward, ReadHint::no_lock());
    let mut scan = IndexScan::Tree(scan);
    let (mut entries, mut row) = (Entries::default(), Vec::new());
    loop {
        let more = entries.fill(&mut scan, &ask, usize::MAX).map_err(of_txn)?;
        for entry in entries.iter() {
            let whole = large.whole(entry.payload, &all, &mut space)?;
            def.layout.decode(whole, &mut row).map_err(message::of_row)?;
            if let Some(row) = choose(&row)? {
                gathered.add(work, &row, keeps_rows.then_some(entry.key))?;
            }
        }
        if !more {
            return Ok(());
        }
    }
}

fn built_tree(
    ctx: &RunContext,
    work: &mut SessionWork,
    site: Site<'_>,
    def: &TableDef,
    Building { index, sorter, .. }: Building<'_>,
    values: &mut NewValues,
) -> SqlResult<Arc<Tree>> {
    let ask = ctx.ask_other();
    let of_txn = |error| message::of_txn(error, place_of(def));
    let fill = match index.options.fill_factor {
        0 => 100,
        percent => percent,
    };
    let mut source = Source { sorted: sorter.finish(), ask };
    let built = match site {
        Site::Database(dictionary) => {
            let ids = ids_at(site, def, index);
            tree::bulk::build(&dictionary.home().ctx, &ask, ids, fill, &mut source).map(Ok)
        }
        Site::Tempdb(object) => {
            trees::build_temp_tree(work, &ask, HeapKind::Table, (object, index.id), fill, &mut source).map(Err)
        }
    };
    let built = built.map_err(|error| match error {
        BuildError::Access(AccessError::KeyOrder { is_equal: true }) => {
            let refused = source.sorted.current().expect("it was given last");
            match row_of(def, index, refused.payload, ask) {
                Ok(row) => duplicate_found(def, index, &row),
                Err(error) => error,
            }
        }
        BuildError::Access(cause) => message::of_access(cause, place_of(def)),
        BuildError::Txn(cause) => of_txn(cause),
    })?;
    let (Ok(Built { tree, .. }) | Err(tree)) = &built;
    if let Some(store) = values.store.take() {
        tree.adopt_values(&ask, &store).map_err(|cause| message::of_access(cause, place_of(def)))?;
    }
    if let Ok(built) = &built {
        trees::adopt_built(work, &ask, built).map_err(of_txn)?;
    }
    source.sorted.close(work, &ask).map_err(of_txn)?;
    Ok(Arc::clone(tree))
}

/// Buffers of a row.
#[derive(Default)]
struct Space {
    locator: Vec<u8>,
    key: Vec<u8>,
    record: Vec<u8>,
}

/// Rows on their way into the sorters of the indexes.
struct Gathered<'a, 'b> {
    ctx: &'a RunContext,
    ask: Ask<'a>,
    new: &'a TableDef,
    building: &'a mut [Building<'b>],
    values: &'a mut [NewValues],
    /// Rows so far.
    number: i64,
    space: Space,
}

impl Gathered<'_, '_> {
    /// A row in its new form; `kept` is its key where the tree of the rows stays.
    fn add(&mut self, work: &mut SessionWork, row: &[Value], kept: Option<&[u8]>) -> SqlResult<()> {
        let Gathered { ctx, ask, new, building, values, number, space } = self;
        let Space { locator, key, record } = space;
        *number += 1;
        locator.clear();
        match kept {
            Some(key) => locator.extend_from_slice(key),
            None => row_key(new, row, *number, locator),
        }
        for (Building { position, index, sorter }, values) in building.iter_mut().zip(values.iter_mut()) {
            if index.disabled || !is_in(index, ctx, row)? {
                continue;
            }
            let layout = if *position == 0 { &new.layout } else { &index.layout };
            let large = Large { layout, home: ValueHome::Nowhere, ask: *ask, place: place_of(new), watch: ctx.watch() };
            check_key_bytes(new, index, row)?;
            record.clear();
            let key = if *position == 0 {
                large.append_record(values, row, None, room_beside(locator), record)?;
                &*locator
            } else {
                index_key(new, index, row, locator, key);
                index_payload(&large, values, index, (key, locator), row, None, record)?;
                &*key
            };
            let added = sorter.add(work, ask, key, record);
            added.map_err(|error| sort_error(sorter, error, new, index, *ask, duplicate_found))?;
        }
        Ok(())
    }
}

/// What the tree of an index is called.
fn ids_at(site: Site<'_>, def: &TableDef, index: &IndexDef) -> TreeIds {
    match site {
        Site::Database(_) => tree_ids(def.id, index.id),
        // The number of the tree itself it gets when it is built.
        Site::Tempdb(object) => TreeIds { hobt: 0, object_id: object.0, index_id: index.id },
    }
}

/// The trees of a definition: old ones that stay, and those that were built for the others.
fn joined(old: Option<&Arc<TableTrees>>, built: Vec<Arc<Tree>>, keep: &[Option<usize>]) -> Vec<Arc<Tree>> {
    let mut built = built.into_iter();
    let mut tree = |keep: &Option<usize>| match (keep, old) {
        (Some(position), Some(old)) => Arc::clone(&old.trees[*position]),
        _ => built.next().expect("one is built for each that is not kept"),
    };
    keep.iter().map(&mut tree).collect()
}

/// 1505
pub fn duplicate_found(def: &TableDef, index: &IndexDef, row: &[Value]) -> SqlError {
    debug_assert!(index.kind != IndexKind::Heap, "row numbers are distinct");
    SqlError::of(1505, 1, &[&def.two_part_name(), &index.name, &shown_key(def, index, row)])
}
