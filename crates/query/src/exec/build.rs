//! Trees of new tables and indexes: empty, or built from the rows that are there, sorted in bounded memory.

use std::sync::Arc;

use millpond_access::lob::{LobPtr, LobStore};
use millpond_access::tree::{Direction, Entry, EntrySource, KeyRange, Tree, TreeIds};
use millpond_access::{AccessError, TreeCtx};
use millpond_storage::ask::Ask;
use millpond_txn::{ReadHint, Sorted, Sorter, TxnError, ValueHome};
use millpond_types::Value;
use millpond_types::format::to_display;

use super::batch::BatchRun;
use super::load::{is_in, memory_bytes, refused, row_of};
use crate::catalog::{IndexDef, IndexKind, TableDef};
use crate::dictionary::Dictionary;
use crate::error::{SqlError, SqlResult};
use crate::large::{Large, PutValue, all, room_beside};
use crate::message;
use crate::stored::{Entries, IndexScan, check_key_bytes, index_key, index_payload, place_of, row_key};
use crate::trees::{TableCounters, TableTrees, tree_ids};

/// A table as it was.
pub(super) struct OldTable<'a> {
    pub def: &'a Arc<TableDef>,
    pub trees: &'a Arc<TableTrees>,
}

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

impl BatchRun<'_> {
    /// Trees without rows for all indexes of a new table.
    pub(super) fn empty_trees(&mut self, dictionary: &Dictionary, def: &TableDef) -> SqlResult<TableTrees> {
        let mut trees = Vec::with_capacity(def.indexes.len());
        for index in &def.indexes {
            trees.push(self.empty_tree(dictionary, def, index)?);
        }
        Ok(TableTrees { trees, memory: None, counters: Arc::new(TableCounters::default()) })
    }

    pub(super) fn empty_tree(
        &mut self,
        dictionary: &Dictionary,
        def: &TableDef,
        index: &IndexDef,
    ) -> SqlResult<Arc<Tree>> {
        let ask = self.ctx.ask_other();
        let made = self.session.work.create_tree(&ask, &dictionary.home().ctx, tree_ids(def.id, index.id));
        made.map(|(tree, _)| tree).map_err(|error| message::of_txn(error, place_of(def)))
    }

    /// The trees of a changed definition. `keep` says for each of its indexes which of the old table's trees stays;
    /// the others are built of the rows, each of which `map` brings into the new form. Trees that do not stay are
    /// dropped.
    pub(super) fn rebuilt_trees(
        &mut self,
        dictionary: &Dictionary,
        old: &OldTable<'_>,
        new: &TableDef,
        keep: &[Option<usize>],
        map: &mut dyn FnMut(&[Value]) -> SqlResult<Vec<Value>>,
    ) -> SqlResult<TableTrees> {
        let mut built = if keep.iter().any(Option::is_none) {
            self.built_trees(dictionary, old, new, keep, map)?
        } else {
            Vec::new()
        };
        built.reverse();
        let mut trees = Vec::with_capacity(new.indexes.len());
        for keep in keep {
            trees.push(match keep {
                Some(position) => Arc::clone(&old.trees.trees[*position]),
                None => built.pop().expect("one is built for each that is not kept"),
            });
        }
        let ask = self.ctx.ask_other();
        for (position, tree) in old.trees.trees.iter().enumerate() {
            if !keep.contains(&Some(position)) {
                self.session.work.drop_tree(&ask, tree).map_err(|error| message::of_txn(error, place_of(new)))?;
            }
        }
        let counters = if keep[0].is_some() {
            Arc::clone(&old.trees.counters)
        } else {
            Arc::new(TableCounters::new(*old.trees.counters.identity.lock()))
        };
        Ok(TableTrees { trees, memory: None, counters })
    }

    /// The trees of the new indexes that keep none, in their order.
    fn built_trees(
        &mut self,
        dictionary: &Dictionary,
        old: &OldTable<'_>,
        new: &TableDef,
        keep: &[Option<usize>],
        map: &mut dyn FnMut(&[Value]) -> SqlResult<Vec<Value>>,
    ) -> SqlResult<Vec<Arc<Tree>>> {
        let wanted = new.indexes.iter().enumerate().filter(|(position, _)| keep[*position].is_none());
        let memory = memory_bytes(&self.ctx, wanted.clone().count());
        let mut building: Vec<Building<'_>> =
            wanted.map(|(position, index)| Building { position, index, sorter: Sorter::new(memory) }).collect();
        let home = &dictionary.home().ctx;
        let values = |building: &Building<'_>| NewValues {
            ctx: home.clone(),
            ids: tree_ids(new.id, building.index.id),
            store: None,
        };
        let mut values: Vec<NewValues> = building.iter().map(values).collect();
        let gathered = self.gather_entries(old, new, keep[0].is_some(), &mut building, &mut values, map);
        let built = gathered.and_then(|()| {
            let both = building.into_iter().zip(&mut values);
            both.map(|(building, values)| self.built_tree(dictionary, new, building, values)).collect()
        });
        if built.is_err() {
            let ask = self.ctx.ask_other();
            for store in values.iter().filter_map(|values| values.store.as_ref()) {
                // What cannot be given back is claimed by nobody: the next start finds it.
                let _ = store.free(&ask);
            }
        }
        built
    }

    /// Reads all rows and gives each index its entries.
    fn gather_entries(
        &mut self,
        old: &OldTable<'_>,
        new: &TableDef,
        keeps_rows: bool,
        building: &mut [Building<'_>],
        values: &mut [NewValues],
        map: &mut dyn FnMut(&[Value]) -> SqlResult<Vec<Value>>,
    ) -> SqlResult<()> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        let of_txn = |error| message::of_txn(error, place_of(old.def));
        let reader = self.session.work.reader();
        let home = ValueHome::Tree(&old.trees.trees[0]);
        let large = Large { layout: &old.def.layout, home, ask, place: place_of(old.def), watch: ctx.watch() };
        let mut space = Vec::new();
        // The definition is locked exclusively: nobody else has uncommitted rows in it.
        let scan = reader.scan(&old.trees.trees[0], KeyRange::all(), Direction::Forward, ReadHint::no_lock());
        let mut scan = IndexScan::Tree(scan);
        let (mut entries, mut row, mut number) = (Entries::default(), Vec::new(), 0);
        let (mut locator, mut key, mut record) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let more = entries.fill(&mut scan, &ask, usize::MAX).map_err(of_txn)?;
            for entry in entries.iter() {
                let whole = large.whole(entry.payload, &all, &mut space)?;
                old.def.layout.decode(whole, &mut row).map_err(message::of_row)?;
                let row = map(&row)?;
                number += 1;
                locator.clear();
                match keeps_rows {
                    true => locator.extend_from_slice(entry.key),
                    false => row_key(new, &row, number, &mut locator),
                }
                for (Building { position, index, sorter }, values) in building.iter_mut().zip(&mut *values) {
                    if !is_in(index, &ctx, &row)? {
                        continue;
                    }
                    let layout = if *position == 0 { &new.layout } else { &index.layout };
                    let large = Large { layout, home, ask, place: place_of(new), watch: ctx.watch() };
                    check_key_bytes(new, index, &row)?;
                    record.clear();
                    let key = if *position == 0 {
                        large.append_record(values, &row, None, room_beside(&locator), &mut record)?;
                        &locator
                    } else {
                        index_key(new, index, &row, &locator, &mut key);
                        index_payload(&large, values, index, (&key, &locator), &row, None, &mut record)?;
                        &key
                    };
                    let added = sorter.add(&mut self.session.work, &ask, key, &record);
                    added.map_err(|error| refused(sorter, error, new, index, ask, duplicate_found))?;
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn built_tree(
        &mut self,
        dictionary: &Dictionary,
        def: &TableDef,
        Building { index, sorter, .. }: Building<'_>,
        values: &mut NewValues,
    ) -> SqlResult<Arc<Tree>> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask_other();
        let of_txn = |error| message::of_txn(error, place_of(def));
        let fill = match index.options.fill_factor {
            0 => 100,
            percent => percent,
        };
        let mut source = Source { sorted: sorter.finish(), ask };
        let ids = tree_ids(def.id, index.id);
        let built = Tree::bulk_build(&dictionary.home().ctx, &ask, ids, fill, &mut source);
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
        if let Some(store) = values.store.take() {
            built.tree.adopt_values(&ask, &store).map_err(|cause| message::of_access(cause, place_of(def)))?;
        }
        self.session.work.adopt_built(&ask, &built).map_err(of_txn)?;
        source.sorted.close(&mut self.session.work, &ask).map_err(of_txn)?;
        Ok(built.tree)
    }
}

/// 1505
pub(super) fn duplicate_found(def: &TableDef, index: &IndexDef, row: &[Value]) -> SqlError {
    let values: Vec<String> = index
        .key
        .iter()
        .map(|key| match &row[key.column] {
            Value::Null => "<NULL>".to_owned(),
            value => to_display(value, &def.columns[key.column].ty.sql),
        })
        .collect();
    debug_assert!(index.kind != IndexKind::Heap, "row numbers are distinct");
    SqlError::new(
        1505,
        16,
        1,
        format!(
            "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name '{}' and the index name '{}'. The duplicate key value is ({}).",
            def.two_part_name(),
            index.name,
            values.join(", ")
        ),
    )
}
