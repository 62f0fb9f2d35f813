//! What only a memory-optimized table type may have, and what it may not.

use millpond_catalog::{IndexKind, IndexOptions, TableDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{NamedOption, OptionValue};

/// Most buckets of a HASH index.
const BUCKETS_MAX: u32 = 1 << 30;

/// BUCKET_COUNT, rounded up to a power of two.
pub(crate) fn bucket_count(option: &NamedOption) -> SqlResult<u32> {
    let count = match &option.value {
        OptionValue::Constant(expr) => millpond_tsql::print::expression(expr).parse::<u32>().ok(),
        _ => None,
    };
    let count = count.filter(|count| (1..=BUCKETS_MAX).contains(count));
    count.map(u32::next_power_of_two).ok_or_else(|| message::syntax_near("BUCKET_COUNT"))
}

/// HASH and BUCKET_COUNT go together.
pub(crate) fn check_buckets(is_hash: bool, options: IndexOptions) -> SqlResult<()> {
    match (is_hash, options.bucket_count) {
        (true, None) => Err(message::syntax_near("HASH")),
        (false, Some(_)) => Err(message::syntax_near("BUCKET_COUNT")),
        _ => Ok(()),
    }
}

/// The rules of tables in memory, and of those that are not.
///
/// # Errors
/// 12317 for a clustered index, 41327 for none at all, 10794 for what such a table cannot have, or only such a table.
pub(crate) fn check(def: &TableDef, in_memory: bool) -> SqlResult<()> {
    if !in_memory {
        return match def.indexes.iter().find(|index| index.options.bucket_count.is_some()) {
            Some(_) => Err(unsupported("index option", "HASH", "disk-based tables")),
            None => Ok(()),
        };
    }
    if def.is_clustered() {
        return Err(SqlError::of(12_317, 76, &[]));
    }
    if def.indexes.iter().all(|index| index.kind == IndexKind::Heap) {
        let name = def.name.trim_start_matches('@');
        return Err(SqlError::of(41_327, 7, &[&name]));
    }
    for index in &def.indexes {
        if index.filter.is_some() {
            return Err(unsupported("feature", "filtered index", "indexes on memory optimized tables"));
        }
        if !index.included.is_empty() {
            return Err(unsupported("feature", "included columns", "indexes on memory optimized tables"));
        }
        if index.options.ignore_dup_key {
            return Err(unsupported("index option", "ignore_dup_key", "indexes on memory optimized tables"));
        }
    }
    match def.columns.iter().find_map(|column| column.identity).is_some_and(|identity| identity != (1, 1)) {
        true => Err(SqlError::of(12_316, 1, &[])),
        false => Ok(()),
    }
}

fn unsupported(what: &str, name: &str, with: &str) -> SqlError {
    SqlError::of(10_794, 1, &[&what, &name, &with])
}
