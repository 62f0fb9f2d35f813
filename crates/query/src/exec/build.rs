//! Trees of new tables and indexes: empty, or built from the rows that are there, sorted.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::lob::{LobPtr, LobStore};
use millpond_access::tree::{Entry, EntrySource, KeyRange, Tree, TreeIds};
use millpond_access::{AccessError, TreeCtx};
use millpond_storage::ask::Ask;
use millpond_txn::{ReadHint, TxnError, ValueHome};
use millpond_types::Value;
use millpond_types::format::to_display;

use super::batch::BatchRun;
use crate::catalog::{IndexDef, IndexKind, TableDef};
use crate::dictionary::Dictionary;
use crate::error::{SqlError, SqlResult};
use crate::eval::{Rows, is_true};
use crate::large::{Large, PutValue, all, room_beside};
use crate::message;
use crate::stored::{index_key, index_payload, place_of, row_key};
use crate::trees::{TableCounters, TableTrees, tree_ids};

/// A table as it was.
pub(super) struct OldTable<'a> {
    pub def: &'a Arc<TableDef>,
    pub trees: &'a Arc<TableTrees>,
}

/// An entry of an index that is being built.
type BuiltEntry = (Vec<u8>, Vec<u8>);

/// The large values of a tree that is to be built.
struct NewValues<'a> {
    ctx: &'a TreeCtx,
    ids: TreeIds,
    store: Option<Arc<LobStore>>,
}

impl PutValue for NewValues<'_> {
    fn put(&mut self, ask: &Ask<'_>, _: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
        let store = match &self.store {
            Some(store) => store,
            None => self.store.insert(LobStore::create(self.ctx, ask, self.ids.object_id, self.ids.index_id)?),
        };
        Ok(store.write(ask, value, &mut |_, mtr| {
            mtr.commit();
        })?)
    }
}

/// Sorted entries as the tree takes them.
struct Sorted<'a> {
    entries: std::slice::Iter<'a, BuiltEntry>,
}

/// What building gives when it fails.
struct BuildError(AccessError);

impl From<AccessError> for BuildError {
    fn from(cause: AccessError) -> BuildError {
        BuildError(cause)
    }
}

impl EntrySource<BuildError> for Sorted<'_> {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, BuildError> {
        Ok(self.entries.next().map(|(key, payload)| Entry { key, payload }))
    }
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
        let mut rows = Vec::new();
        if keep.iter().any(Option::is_none) {
            rows = self.all_rows(old, map)?;
        }
        if keep[0].is_none() {
            for (number, (locator, row)) in rows.iter_mut().enumerate() {
                row_key(new, row, number as i64 + 1, locator);
            }
        }
        let mut trees = Vec::with_capacity(new.indexes.len());
        for (index, keep) in new.indexes.iter().zip(keep) {
            trees.push(match keep {
                Some(position) => Arc::clone(&old.trees.trees[*position]),
                None => self.built_tree(dictionary, new, index, &rows, &old.trees.trees[0])?,
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

    /// All rows with their locators.
    fn all_rows(
        &mut self,
        old: &OldTable<'_>,
        map: &mut dyn FnMut(&[Value]) -> SqlResult<Vec<Value>>,
    ) -> SqlResult<Vec<(Vec<u8>, Vec<Value>)>> {
        let ask = self.ctx.ask_other();
        let reader = self.session.work.reader();
        let (mut rows, mut failed, mut row) = (Vec::new(), None, Vec::new());
        let home = ValueHome::Tree(&old.trees.trees[0]);
        let large = Large { layout: &old.def.layout, home, ask, place: place_of(old.def) };
        let mut space = Vec::new();
        let mut take = |key: &[u8], payload: &[u8]| -> SqlResult<()> {
            let record = large.whole(payload, &all, &mut space)?;
            old.def.layout.decode(record, &mut row).map_err(message::of_row)?;
            rows.push((key.to_vec(), map(&row)?));
            Ok(())
        };
        // The definition is locked exclusively: nobody else has uncommitted rows in it.
        let read =
            reader.for_each(&ask, &old.trees.trees[0], KeyRange::all(), ReadHint::no_lock(), &mut |key, payload| {
                match take(key, payload) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                }
            });
        read.map_err(|error| message::of_txn(error, place_of(old.def)))?;
        failed.map_or(Ok(rows), Err)
    }

    fn built_tree(
        &mut self,
        dictionary: &Dictionary,
        def: &TableDef,
        index: &IndexDef,
        rows: &[(Vec<u8>, Vec<Value>)],
        old: &Arc<Tree>,
    ) -> SqlResult<Arc<Tree>> {
        let mut values = NewValues { ctx: &dictionary.home().ctx, ids: tree_ids(def.id, index.id), store: None };
        let built = self.build_tree(dictionary, def, index, rows, old, &mut values);
        if let (Err(_), Some(store)) = (&built, &values.store) {
            // What cannot be given back is claimed by nobody: the next start finds it.
            let _ = store.free(&self.ctx.ask_other());
        }
        built
    }

    fn build_tree(
        &mut self,
        dictionary: &Dictionary,
        def: &TableDef,
        index: &IndexDef,
        rows: &[(Vec<u8>, Vec<Value>)],
        old: &Arc<Tree>,
        values: &mut NewValues<'_>,
    ) -> SqlResult<Arc<Tree>> {
        let layout = if index.holds_rows() { &def.layout } else { &index.layout };
        let ask = self.ctx.ask_other();
        let large = Large { layout, home: ValueHome::Tree(old), ask, place: place_of(def) };
        let mut entries: Vec<(BuiltEntry, usize)> = Vec::with_capacity(rows.len());
        for (number, (locator, row)) in rows.iter().enumerate() {
            if let Some((_, filter)) = &index.filter
                && !is_true(filter, &self.ctx, Rows::of(row))?
            {
                continue;
            }
            let (mut key, mut payload) = (Vec::new(), Vec::new());
            if index.holds_rows() {
                key.clone_from(locator);
                large.append_record(values, row, None, room_beside(&key), &mut payload)?;
            } else {
                index_key(def, index, row, locator, &mut key);
                index_payload(&large, values, index, (&key, locator), row, None, &mut payload)?;
            }
            entries.push(((key, payload), number));
        }
        entries.sort_unstable_by(|((a, _), _), ((b, _), _)| a.cmp(b));
        for pair in entries.windows(2) {
            if pair[0].0.0 == pair[1].0.0 {
                return Err(duplicate_found(def, index, &rows[pair[1].1].1));
            }
        }
        let entries: Vec<BuiltEntry> = entries.into_iter().map(|(entry, _)| entry).collect();
        let fill = match index.options.fill_factor {
            0 => 100,
            percent => percent,
        };
        let mut source = Sorted { entries: entries.iter() };
        let ids = tree_ids(def.id, index.id);
        let built = Tree::bulk_build(&dictionary.home().ctx, &ask, ids, fill, &mut source);
        let (tree, _, _) = built.map_err(|BuildError(cause)| message::of_access(cause, place_of(def)))?;
        if let Some(store) = values.store.take() {
            tree.adopt_values(&ask, &store).map_err(|cause| message::of_access(cause, place_of(def)))?;
        }
        self.session.work.adopt_tree(&ask, &tree).map_err(|error| message::of_txn(error, place_of(def)))?;
        Ok(tree)
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
