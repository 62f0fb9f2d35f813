//! Table hints.

use millpond_catalog::{TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_txn::{Isolation, ReadHint, RowLocks, TableLock};

/// What the hints of a table say, each as its upper-case word, an INDEX hint with its argument: how rows are read, and
/// the index that is to be used.
///
/// # Errors
/// 308 for an index that is not there, 1047 for locks that contradict each other.
pub(crate) fn table_hints(hints: &[String], def: &TableDef) -> SqlResult<(ReadHint, Option<usize>)> {
    let (mut read, mut forced) = (ReadHint::default(), None);
    for hint in hints {
        match hint.as_str() {
            "NOLOCK" | "READUNCOMMITTED" => read.isolation = Some(Isolation::ReadUncommitted),
            "READCOMMITTED" => read.isolation = Some(Isolation::ReadCommitted),
            "READCOMMITTEDLOCK" => {
                read.isolation = Some(Isolation::ReadCommitted);
                read.committed_by_locks = true;
            }
            "REPEATABLEREAD" => read.isolation = Some(Isolation::RepeatableRead),
            "SERIALIZABLE" | "HOLDLOCK" => read.isolation = Some(Isolation::Serializable),
            "SNAPSHOT" => read.isolation = Some(Isolation::Snapshot),
            "UPDLOCK" => read.rows = RowLocks::Update,
            "XLOCK" => read.rows = RowLocks::Exclusive,
            "TABLOCK" => read.table = TableLock::Shared,
            "TABLOCKX" => read.table = TableLock::Exclusive,
            "READPAST" => read.skips_locked = true,
            "NOWAIT" => read.no_wait = true,
            other => {
                if let Some(name) = index_name(other) {
                    forced = index_of(def, name)?.map(|place| enabled(def, place)).transpose()?;
                }
            }
        }
    }
    let locks = read.rows != RowLocks::Level || read.table != TableLock::Rows;
    if read.isolation == Some(Isolation::ReadUncommitted) && locks {
        return Err(SqlError::of(1047, 1, &[]));
    }
    Ok((read, forced))
}

/// What the hints after the target of a change may not be: 1065 for those that read what is not committed, 1069 for an index,
/// 8171 for NOEXPAND.
pub(crate) fn check_target_hints(hints: &[String], name: &ObjectName) -> SqlResult<()> {
    if hints.iter().any(|hint| hint == "NOEXPAND") {
        return Err(SqlError::of(8171, 1, &[&"noexpand", &name.shown()]));
    }
    if hints.iter().any(|hint| matches!(hint.as_str(), "NOLOCK" | "READUNCOMMITTED")) {
        return Err(SqlError::of(1065, 1, &[]));
    }
    match hints.iter().any(|hint| index_name(hint).is_some()) {
        true => Err(SqlError::of(1069, 1, &[])),
        false => Ok(()),
    }
}

/// `INDEX(name)`, `INDEX = name`, `INDEX = (name)`
fn index_name(hint: &str) -> Option<&str> {
    let rest = hint.strip_prefix("INDEX")?.trim_start();
    let rest = rest.strip_prefix('=').unwrap_or(rest).trim();
    let rest = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(rest).trim();
    let first = rest.split(',').next()?.trim();
    let first = first.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(first);
    (!first.is_empty()).then_some(first.trim_matches('"'))
}

/// The place of an index by its name or number; none for the rows of a heap that has no indexes at all.
fn index_of(def: &TableDef, name: &str) -> SqlResult<Option<usize>> {
    let found = match name.parse::<u16>() {
        Ok(0) if def.indexes.is_empty() => return Ok(None),
        // INDEX(0) asks for a scan of the rows, INDEX(1) for the clustered index.
        Ok(id) => def.indexes.iter().position(|index| index.id == id || id == 0 && index.holds_rows()),
        Err(_) => def.indexes.iter().position(|index| names_equal(&index.name, name)),
    };
    found.map(Some).ok_or_else(|| match name.parse::<u16>() {
        Ok(id) => SqlError::of(307, 1, &[&id, &def.two_part_name()]),
        Err(_) => SqlError::of(308, 1, &[&name, &def.two_part_name()]),
    })
}

/// 315 for an index that has no entries.
fn enabled(def: &TableDef, place: usize) -> SqlResult<usize> {
    let index = &def.indexes[place];
    if !index.disabled {
        return Ok(place);
    }
    Err(SqlError::of(315, 1, &[&index.name, &def.two_part_name()]))
}

#[cfg(test)]
mod tests {
    use super::index_name;

    #[test]
    fn the_name_of_an_index_hint_is_found_in_all_spellings() {
        for hint in ["INDEX(W_DETAILS)", "INDEX = W_DETAILS", "INDEX=(W_DETAILS)", "INDEX ( [W_DETAILS] )"] {
            assert_eq!(index_name(hint), Some("W_DETAILS"), "{hint}");
        }
        assert_eq!(index_name("NOLOCK"), None);
    }
}
