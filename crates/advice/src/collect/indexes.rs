//! Indexes that plans missed, and those that are kept.

use std::collections::{BTreeMap, HashMap};

use super::{Asker, INDEXES_MAX, pages_kb};
use crate::facts::{Facts, IndexUse, MissingIndex};
use crate::source::Question;

const DETAILS: &[&str] =
    &["index_handle", "database_id", "statement", "equality_columns", "inequality_columns", "included_columns"];
const GROUPS: &[&str] = &["index_group_handle", "index_handle"];
const STATS: &[&str] = &["group_handle", "user_seeks", "user_scans", "avg_total_user_cost", "avg_user_impact"];
const USES: &[&str] =
    &["database_id", "object_id", "index_id", "user_seeks", "user_scans", "user_lookups", "user_updates"];
const INDEXES: &[&str] =
    &["object_id", "index_id", "name", "is_unique", "is_primary_key", "is_unique_constraint", "is_disabled"];

/// Databases of the server itself end here.
const SYSTEM_DATABASES: i64 = 4;
/// Changes of an index from which on its names are asked for.
const UPDATES_MIN: i64 = 100;

pub(super) fn collect(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<(), String> {
    facts.missing_indexes = missing(asker, facts)?;
    facts.indexes = kept(asker, facts)?;
    Ok(())
}

/// Without those of read-only databases, where no index can be created.
fn missing(asker: &mut Asker<'_>, facts: &Facts) -> Result<Vec<MissingIndex>, String> {
    let mut by_handle: HashMap<i64, MissingIndex> = asker
        .mapped(&Question::of("dm_db_missing_index_details", DETAILS), |row| {
            let index = MissingIndex {
                table: row.text("statement"),
                equality_columns: row.text("equality_columns"),
                inequality_columns: row.text("inequality_columns"),
                included_columns: row.text("included_columns"),
                ..MissingIndex::default()
            };
            (!facts.read_only.contains(&row.int("database_id"))).then(|| (row.int("index_handle"), index))
        })?
        .into_iter()
        .flatten()
        .collect();
    if by_handle.is_empty() {
        return Ok(Vec::new());
    }
    let groups: HashMap<i64, i64> = asker
        .mapped(&Question::of("dm_db_missing_index_groups", GROUPS), |row| {
            (row.int("index_group_handle"), row.int("index_handle"))
        })?
        .into_iter()
        .collect();
    let mut found = Vec::new();
    asker.mapped(&Question::of("dm_db_missing_index_group_stats", STATS), |row| {
        let index = groups.get(&row.int("group_handle")).and_then(|handle| by_handle.remove(handle));
        if let Some(index) = index {
            found.push(MissingIndex {
                uses: row.int("user_seeks") + row.int("user_scans"),
                cost: row.float("avg_total_user_cost"),
                impact_percent: row.float("avg_user_impact"),
                ..index
            });
        }
    })?;
    Ok(found)
}

/// What is counted of an index, without its name.
struct Counted {
    database_id: i64,
    object_id: i64,
    index_id: i64,
    uses: i64,
    updates: i64,
}

fn kept(asker: &mut Asker<'_>, facts: &Facts) -> Result<Vec<IndexUse>, String> {
    let question = Question::of("dm_db_index_usage_stats", USES).most("user_updates", INDEXES_MAX);
    let mut counted = asker.mapped(&question, |row| Counted {
        database_id: row.int("database_id"),
        object_id: row.int("object_id"),
        index_id: row.int("index_id"),
        uses: row.int("user_seeks") + row.int("user_scans") + row.int("user_lookups"),
        updates: row.int("user_updates"),
    })?;
    // Heaps are number 0 and clustered indexes 1: both are their tables.
    counted.retain(|it| {
        let can_change = it.database_id > SYSTEM_DATABASES && !facts.read_only.contains(&it.database_id);
        can_change && it.index_id > 1 && it.updates >= UPDATES_MIN
    });
    let mut by_database: BTreeMap<i64, Vec<Counted>> = BTreeMap::new();
    counted.into_iter().for_each(|it| by_database.entry(it.database_id).or_default().push(it));
    let mut all = Vec::new();
    for (id, counted) in by_database {
        let Some(name) = facts.files.iter().find(|file| file.database_id == id).map(|file| file.database.clone())
        else {
            continue;
        };
        all.extend(named(asker, &name, &counted)?);
    }
    Ok(all)
}

/// Indexes of a database with their names and sizes.
fn named(asker: &mut Asker<'_>, database: &str, counted: &[Counted]) -> Result<Vec<IndexUse>, String> {
    let schemas: HashMap<i64, String> = asker
        .mapped(&Question::of("schemas", &["schema_id", "name"]).within(database), |row| {
            (row.int("schema_id"), row.text("name"))
        })?
        .into_iter()
        .collect();
    let tables: HashMap<i64, (String, String)> = asker
        .mapped(&Question::of("tables", &["object_id", "schema_id", "name"]).within(database), |row| {
            let schema = schemas.get(&row.int("schema_id")).cloned().unwrap_or_default();
            (row.int("object_id"), (schema, row.text("name")))
        })?
        .into_iter()
        .collect();
    let mut sizes: HashMap<(i64, i64), i64> = HashMap::new();
    let partitions =
        Question::of("dm_db_partition_stats", &["object_id", "index_id", "used_page_count"]).within(database);
    asker.mapped(&partitions, |row| {
        *sizes.entry((row.int("object_id"), row.int("index_id"))).or_default() += pages_kb(row.int("used_page_count"));
    })?;
    let found = asker.mapped(&Question::of("indexes", INDEXES).within(database), |row| {
        let key = (row.int("object_id"), row.int("index_id"));
        let counted = counted.iter().find(|it| (it.object_id, it.index_id) == key)?;
        let (schema, table) = tables.get(&key.0)?.clone();
        let promises = ["is_unique", "is_primary_key", "is_unique_constraint", "is_disabled"];
        Some(IndexUse {
            database: database.to_owned(),
            schema,
            table,
            name: row.text("name"),
            is_needed: promises.into_iter().any(|column| row.int(column) != 0),
            uses: counted.uses,
            updates: counted.updates,
            size_kb: sizes.get(&key).copied().unwrap_or_default(),
        })
    })?;
    Ok(found.into_iter().flatten().collect())
}
