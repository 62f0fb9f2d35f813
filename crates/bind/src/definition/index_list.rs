//! A table's indexes as a list: with one more, without one, with other options; which of the old trees stay.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_catalog::{ColumnDef, IndexDef, IndexKind, TableDef, TableName, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_tsql::ast::{
    AlterIndex, AlterIndexAction, CreateIndex, DropIndex, NamedOption, ObjectName, OptionValue, find_option,
};
use millpond_types::collation::SORT_KEYS;

use crate::binder::Binder;
use crate::definition::index::{changed_index_options, check_options, heap, remade};

/// The indexes of a table with the one that CREATE INDEX makes, in the place of the one of its name with DROP_EXISTING; and
/// the warnings that it is worth.
///
/// # Errors
/// Those of the index; 7999 where there is none to be replaced, 1907 for one of a constraint that would be another, 1925
/// for a clustered one that would not be clustered.
pub fn made_indexes(
    binder: &mut Binder<'_>,
    def: &TableDef,
    create: &CreateIndex,
) -> SqlResult<(Vec<IndexDef>, Vec<Message>)> {
    let name = &create.index.name;
    // As a word alone it is ON.
    let drop_existing = find_option(&create.index.options, "DROP_EXISTING")
        .is_some_and(|option| option.is("ON") || matches!(option.value, OptionValue::None));
    if !drop_existing {
        let indexes = binder.with_index(def, &create.index)?;
        let wide = wide_keys(&def.columns, &indexes, &def.indexes);
        return Ok((indexes, wide));
    }
    let Some(old) = def.index(name).filter(|index| !index.name.is_empty()) else {
        let table = create.table.shown();
        return Err(SqlError::of(7999, 9, &[&name, &table]));
    };
    let base = with_indexes(def, indexes_without(def, old.id));
    let indexes = binder.with_remade_index(&base, old, &create.index)?;
    let wide = wide_keys(&def.columns, &indexes, &base.indexes);
    Ok((indexes, wide))
}

/// The number of the index that DROP INDEX drops; none where there is none to drop, and IF EXISTS allows that. `def` is that
/// of the table, if there is one.
///
/// # Errors
/// 3701 for an index that there is not, 3723 for that of a constraint.
pub fn dropped_index(def: Option<&TableDef>, dropped: &DropIndex, if_exists: bool) -> SqlResult<Option<u16>> {
    let name = format!("{}.{}", dropped.table.shown(), dropped.index);
    let Some(index) = def.and_then(|def| def.index(&dropped.index)).filter(|index| !index.name.is_empty()) else {
        return if if_exists { Ok(None) } else { Err(message::cannot_drop("index", &name)) };
    };
    let kind = match index.kind {
        IndexKind::Heap | IndexKind::Index => return Ok(Some(index.id)),
        IndexKind::PrimaryKey => "PRIMARY KEY",
        IndexKind::Unique => "UNIQUE KEY",
    };
    Err(explicit_drop(&name, kind))
}

/// The ALTER INDEX that ALTER TABLE … REBUILD is; none where nothing changes but how rows are kept in pages.
///
/// # Errors
/// 155 for an option that there is not.
pub fn rebuild_of(def: &TableDef, table: &ObjectName, options: &[NamedOption]) -> SqlResult<Option<AlterIndex>> {
    let known = def.indexes.first().map(|index| index.options).unwrap_or_default();
    let changed = changed_index_options(known, options, "ALTER TABLE REBUILD")?;
    let changes = def.indexes.first().filter(|_| changed != known);
    Ok(changes.map(|index| AlterIndex {
        index: Some(index.name.clone()),
        table: table.clone(),
        action: match index.kind {
            // The rows of a heap stay where they are.
            IndexKind::Heap => AlterIndexAction::Set(options.to_vec()),
            _ => AlterIndexAction::Rebuild { partition: None, options: options.to_vec() },
        },
    }))
}

/// The indexes of a table as ALTER INDEX leaves them, and the places of those that it builds anew.
///
/// # Errors
/// 2727 for an index that there is not, 1973 for a disabled one, 10638 where nothing is paused, those of the options.
pub fn altered_indexes(def: &TableDef, alter: &AlterIndex) -> SqlResult<(Vec<IndexDef>, Vec<usize>)> {
    if let Some(name) = &alter.index
        && def.index(name).is_none()
    {
        return Err(SqlError::of(2727, 1, &[&name]));
    }
    let is_named = |index: &IndexDef| alter.index.as_ref().is_none_or(|name| names_equal(&index.name, name));
    // A heap is no index, not even one of ALL; only ALTER TABLE means it, which calls it by its empty name.
    let is_heap = |index: &IndexDef| index.kind == IndexKind::Heap && alter.index.as_deref() != Some("");
    let is_meant = |index: &IndexDef| !is_heap(index) && is_named(index);
    if let AlterIndexAction::Resumable { word, .. } = &alter.action {
        // An index is built by one statement, which no other can stop half-way.
        let index = alter.index.as_deref().unwrap_or("ALL");
        return Err(SqlError::of(10_638, 2, &[word, &index, &def.name]));
    }
    let mut indexes = def.indexes.clone();
    let mut rebuilt = Vec::new();
    for (position, index) in indexes.iter_mut().enumerate().filter(|(_, index)| is_meant(index)) {
        match &alter.action {
            AlterIndexAction::Rebuild { options, .. } => {
                if !options.is_empty() {
                    index.options = changed_index_options(index.options, options, "ALTER INDEX REBUILD")?;
                    check_options(index.unique, index.options)?;
                }
                index.disabled = false;
                rebuilt.push(position);
            }
            AlterIndexAction::Reorganize { .. } if index.disabled && alter.index.is_some() => {
                return Err(disabled(index, def));
            }
            AlterIndexAction::Reorganize { .. } => {}
            AlterIndexAction::Disable if index.holds_rows() => {
                return Err(message::missing("A disabled clustered index"));
            }
            AlterIndexAction::Disable => index.disabled = true,
            AlterIndexAction::Resumable { .. } => unreachable!("refused before"),
            AlterIndexAction::Set(options) => {
                index.options = changed_index_options(index.options, options, "ALTER INDEX SET")?;
                if check_options(index.unique, index.options).is_err() {
                    return Err(SqlError::of(1915, 1, &[&index.name]));
                }
            }
        }
    }
    Ok((indexes, rebuilt))
}

/// 1945 for each index that `known` has not and whose keys may be too long for some rows.
pub fn wide_keys(columns: &[ColumnDef], indexes: &[IndexDef], known: &[IndexDef]) -> Vec<Message> {
    let is_new = |index: &&IndexDef| !known.iter().any(|known| names_equal(&known.name, &index.name));
    let warning = |index: &IndexDef| {
        let widths = index.key.iter().filter_map(|part| columns[part.column].ty.sql.max_bytes());
        let kind = if index.holds_rows() { "clustered" } else { "nonclustered" };
        Message::of(1945, &[&kind, &index.key_bytes_max(), &index.name, &widths.sum::<u32>()])
    };
    indexes.iter().filter(|index| index.may_exceed).filter(is_new).map(warning).collect()
}

/// Those that keep no tree get one whose keys are made by the present rules.
pub fn built_now(indexes: &mut [IndexDef], keep: &[Option<usize>]) {
    let built = indexes.iter_mut().zip(keep).filter(|(_, kept)| kept.is_none());
    built.for_each(|(index, _)| index.sort_keys = SORT_KEYS);
}

/// For each new index the old one whose tree it can keep: of the same rows and entries, and maintained until now. When the
/// tree of the rows changes, none can.
pub fn kept(old: &[IndexDef], new: &[IndexDef]) -> Vec<Option<usize>> {
    let text = |index: &IndexDef| index.filter.as_ref().map(|(text, _)| text.clone());
    let same = |a: &IndexDef, b: &IndexDef| {
        a.id == b.id
            && a.unique == b.unique
            && a.key == b.key
            && a.stored == b.stored
            && a.kind == b.kind
            && a.disabled == b.disabled
            && a.sort_keys == b.sort_keys
            && text(a) == text(b)
    };
    let rows_stay = old.first().zip(new.first()).is_some_and(|(a, b)| same(a, b));
    // Most of many are where they were, or after those that went: each has a number of its own.
    let places: HashMap<u16, usize> = old.iter().enumerate().map(|(place, known)| (known.id, place)).collect();
    let place = |index: &IndexDef| places.get(&index.id).copied().filter(|place| same(&old[*place], index));
    new.iter().map(|index| if rows_stay { place(index) } else { None }).collect()
}

/// The name of a table for a definition that follows it.
pub fn name_of(def: &TableDef) -> TableName {
    TableName {
        database: def.database,
        database_name: Arc::clone(&def.database_name),
        schema: def.schema.clone(),
        name: def.name.clone(),
    }
}

/// The same table with other indexes.
pub fn with_indexes(def: &TableDef, indexes: Vec<IndexDef>) -> TableDef {
    let (checks, keys) = (def.checks.clone(), def.foreign_keys.clone());
    let made = TableDef::assemble(def.id, name_of(def), def.columns.clone(), checks, keys, indexes);
    made.like(def)
}

/// The indexes without one; when that held the rows, a heap holds them.
pub fn indexes_without(def: &TableDef, id: u16) -> Vec<IndexDef> {
    if id != 1 {
        return def.indexes.iter().filter(|index| index.id != id).cloned().collect();
    }
    let others = def.indexes.iter().skip(1).map(|index| remade(index, &[], &def.columns));
    std::iter::once(heap(&def.columns)).chain(others).collect()
}

/// 3723
pub fn explicit_drop(index: &str, kind: &str) -> SqlError {
    SqlError::of(3723, 4, &[&index, &kind])
}

/// 1973
pub fn disabled(index: &IndexDef, def: &TableDef) -> SqlError {
    let (index, table) = (&index.name, def.two_part_name());
    SqlError::of(1973, 1, &[&index, &table])
}
