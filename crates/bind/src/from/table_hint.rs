//! Hints of tables: how rows are read, and which ways to them are left.
//!
//! What always holds: hints that contradict each other are refused before any of them counts, in the order in which SQL Server looks:
//! FORCESEEK and FORCESCAN, then locks, then whether the indexes are there.

use millpond_catalog::rel::{ForcedOperation, ForcedPath};
use millpond_catalog::{IndexDef, KeyColumn, TableDef, names_equal};
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ObjectName;
use millpond_txn::{Isolation, ReadHint, RowLocks, TableLock};

/// What the hints of a table say, each as its upper-case word, INDEX and FORCESEEK with their arguments: how rows are read, and the ways
/// that are left.
///
/// # Errors
/// 307 and 308 for an index that is not there, 315 and 316 for a disabled one, 362 and 365 for columns of FORCESEEK, 8171 for hints of bulk
/// loads, 8622 for INDEX(0) beside another index, and what contradicts itself: 650, 1047, 10746, 10747, 10749 and 10750.
pub(crate) fn table_hints(hints: &[String], def: &TableDef) -> SqlResult<(ReadHint, ForcedPath)> {
    if hints.is_empty() {
        return Ok((ReadHint::default(), ForcedPath::default()));
    }
    let path = PathHints::of(hints);
    path.check()?;
    check_locks(hints)?;
    if let Some(hint) = hints.iter().find(|hint| matches!(hint.as_str(), "IGNORE_CONSTRAINTS" | "IGNORE_TRIGGERS")) {
        return Err(SqlError::of(8171, 1, &[&hint.to_lowercase(), &def.two_part_name()]));
    }
    Ok((read_hint(hints), path.path(def)?))
}

fn read_hint(hints: &[String]) -> ReadHint {
    let mut read = ReadHint::default();
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
            _ => {}
        }
    }
    read
}

/// 1047 for two levels, two sizes of locks, UPDLOCK beside XLOCK, and locks beside NOLOCK; 650 for READPAST beside a level that has
/// none.
fn check_locks(hints: &[String]) -> SqlResult<()> {
    let has = |words: &[&str]| hints.iter().any(|hint| words.contains(&hint.as_str()));
    let count = |groups: &[&[&str]]| groups.iter().filter(|words| has(words)).count();
    let dirty: &[&str] = &["NOLOCK", "READUNCOMMITTED"];
    let serializable: &[&str] = &["SERIALIZABLE", "HOLDLOCK"];
    let levels =
        count(&[dirty, serializable, &["READCOMMITTED"], &["READCOMMITTEDLOCK"], &["REPEATABLEREAD"], &["SNAPSHOT"]]);
    let sizes = count(&[&["ROWLOCK"], &["PAGLOCK"], &["TABLOCK"], &["TABLOCKX"]]);
    let modes = count(&[&["UPDLOCK"], &["XLOCK"]]);
    if levels > 1 || sizes > 1 || modes > 1 || has(dirty) && sizes + modes > 0 {
        return Err(SqlError::of(1047, 1, &[]));
    }
    match has(&["READPAST"]) && (has(dirty) || has(serializable)) {
        true => Err(SqlError::of(650, 1, &[])),
        false => Ok(()),
    }
}

/// What the hints after the target of a change may not be: 1065 for those that read what is not committed, 1069 for an index, 10724 and
/// 10745 for FORCESEEK and FORCESCAN, 8171 for NOEXPAND and those of bulk loads. MERGE reads its target as FROM does.
pub(crate) fn check_target_hints(hints: &[String], name: &ObjectName, is_merge: bool) -> SqlResult<()> {
    let invalid = |hint: &String| {
        matches!(hint.as_str(), "NOEXPAND" | "KEEPIDENTITY" | "KEEPDEFAULTS" | "IGNORE_CONSTRAINTS" | "IGNORE_TRIGGERS")
    };
    if let Some(hint) = hints.iter().find(|hint| invalid(hint)) {
        return Err(SqlError::of(8171, 1, &[&hint.to_lowercase(), &name.shown()]));
    }
    if hints.iter().any(|hint| matches!(hint.as_str(), "NOLOCK" | "READUNCOMMITTED")) {
        return Err(SqlError::of(1065, 1, &[]));
    }
    if is_merge {
        return Ok(());
    }
    let path = PathHints::of(hints);
    if !path.indexes.is_empty() {
        return Err(SqlError::of(1069, 1, &[]));
    }
    match path.operation() {
        Some(ForcedOperation::Seek(_)) => Err(SqlError::of(10_724, 1, &[])),
        Some(ForcedOperation::Scan) => Err(SqlError::of(10_745, 1, &[])),
        None => Ok(()),
    }
}

/// 4102 for READPAST after the target of an INSERT.
pub(crate) fn check_inserted_hints(hints: &[String], name: &ObjectName) -> SqlResult<()> {
    check_target_hints(hints, name, false)?;
    match hints.iter().any(|hint| hint == "READPAST") {
        true => Err(SqlError::of(4102, 1, &[])),
        false => Ok(()),
    }
}

/// Whether FORCESEEK names its index.
pub(crate) fn seeks_named_index(hints: &[String]) -> bool {
    PathHints::of(hints).seek.is_some()
}

/// INDEX, FORCESEEK and FORCESCAN, as they are written.
#[derive(Default)]
struct PathHints {
    /// Names or numbers, of all INDEX hints.
    indexes: Vec<String>,
    seeks: bool,
    /// The index of FORCESEEK and its columns.
    seek: Option<(String, Vec<String>)>,
    scans: bool,
}

impl PathHints {
    fn of(hints: &[String]) -> PathHints {
        let mut path = PathHints::default();
        for hint in hints {
            let rest = |word: &str| hint.strip_prefix(word).filter(|rest| !rest.starts_with(char::is_alphanumeric));
            if let Some(list) = rest("INDEX") {
                path.indexes.append(&mut names(list));
            } else if let Some(list) = rest("FORCESEEK") {
                let mut names = names(list).into_iter();
                path.seek = path.seek.or_else(|| names.next().map(|index| (index, names.collect())));
                path.seeks |= list.trim().is_empty();
            } else if hint == "FORCESCAN" {
                path.scans = true;
            }
        }
        path
    }

    fn operation(&self) -> Option<ForcedOperation> {
        match &self.seek {
            Some((_, columns)) => Some(ForcedOperation::Seek(columns.len())),
            None if self.seeks => Some(ForcedOperation::Seek(1)),
            None if self.scans => Some(ForcedOperation::Scan),
            None => None,
        }
    }

    fn check(&self) -> SqlResult<()> {
        if self.scans && (self.seeks || self.seek.is_some()) {
            return Err(SqlError::of(10_746, 1, &[]));
        }
        if self.seek.is_some() && (self.seeks || !self.indexes.is_empty()) {
            return Err(SqlError::of(10_747, 1, &[]));
        }
        if self.scans && self.indexes.len() > 1 {
            return Err(SqlError::of(10_750, 1, &[]));
        }
        Ok(())
    }

    fn path(&self, def: &TableDef) -> SqlResult<ForcedPath> {
        let operation = self.operation();
        if let Some((name, columns)) = &self.seek {
            if name == "0" {
                return Err(SqlError::of(10_749, 1, &[]));
            }
            let index = index_of(def, name)?.map(|place| enabled(def, place, name)).transpose()?;
            check_seek(def, index.map(|place| &def.indexes[place]), (name, columns))?;
            return Ok(ForcedPath { index, operation });
        }
        let known = |name: &String| index_of(def, name)?.map(|place| enabled(def, place, name)).transpose();
        let places: Vec<Option<usize>> = self.indexes.iter().map(known).collect::<SqlResult<_>>()?;
        let scans_rows = |name: &String| name == "0";
        if self.indexes.iter().any(scans_rows) && !self.indexes.iter().all(scans_rows) {
            return Err(SqlError::of(8622, 2, &[]));
        }
        // INDEX(0) is a scan of the rows. Of several the first one is read, or the one that is looked for.
        let scans = self.indexes.iter().any(scans_rows);
        if scans && self.seeks {
            return Err(SqlError::of(8622, 1, &[]));
        }
        let operation = operation.or_else(|| scans.then_some(ForcedOperation::Scan));
        Ok(ForcedPath { index: places.first().copied().flatten(), operation })
    }
}

/// The names in the arguments of a hint, without their delimiters.
fn names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '[' | '"' => {
                let end = if next == '[' { ']' } else { '"' };
                let mut name = String::new();
                while let Some(of) = rest.next() {
                    if of != end {
                        name.push(of);
                    } else if rest.next_if_eq(&end).is_some() {
                        name.push(end);
                    } else {
                        break;
                    }
                }
                names.push(name);
            }
            '(' | ')' | ',' | '=' | '.' => {}
            space if space.is_whitespace() => {}
            first => {
                let mut name = String::from(first);
                let is_part = |of: &char| !of.is_whitespace() && !matches!(of, '(' | ')' | ',' | '=');
                while let Some(of) = rest.next_if(is_part) {
                    name.push(of);
                }
                names.push(name);
            }
        }
    }
    names
}

/// 365 for more columns than the key has, 362 for others.
fn check_seek(def: &TableDef, index: Option<&IndexDef>, (name, columns): (&String, &[String])) -> SqlResult<()> {
    let Some(index) = index else { return Ok(()) };
    if columns.len() > index.key.len() {
        return Err(SqlError::of(365, 1, &[&def.name, name]));
    }
    let is_key = |(column, key): (&String, &KeyColumn)| names_equal(column, &def.columns[key.column].name);
    match columns.iter().zip(&index.key).find(|pair| !is_key(*pair)) {
        Some((other, _)) => Err(SqlError::of(362, 1, &[other, &def.name, name])),
        None => Ok(()),
    }
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

/// 315 for an index that has no entries, 316 where it is named by its number.
fn enabled(def: &TableDef, place: usize, name: &str) -> SqlResult<usize> {
    let index = &def.indexes[place];
    if !index.disabled {
        return Ok(place);
    }
    Err(match name.parse::<u16>() {
        Ok(id) => SqlError::of(316, 1, &[&id, &def.two_part_name()]),
        Err(_) => SqlError::of(315, 1, &[&index.name, &def.two_part_name()]),
    })
}

#[cfg(test)]
mod tests {
    use super::{ForcedOperation, PathHints, check_locks};

    fn path(hints: &[&str]) -> PathHints {
        PathHints::of(&hints.iter().map(|&hint| hint.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn indexes_are_found_in_all_spellings() {
        for hint in ["INDEX(W_DETAILS)", "INDEX = W_DETAILS", "INDEX=(W_DETAILS)", "INDEX ( [W_DETAILS] )"] {
            assert_eq!(path(&[hint]).indexes, ["W_DETAILS"], "{hint}");
        }
        assert_eq!(path(&["INDEX ( [a, ]]b] , \"c d\" , 2 )", "NOLOCK"]).indexes, ["a, ]b", "c d", "2"]);
        assert!(path(&["NOLOCK"]).indexes.is_empty());
    }

    #[test]
    fn seeks_have_an_index_and_columns_or_none() {
        assert_eq!(path(&["FORCESEEK"]).operation(), Some(ForcedOperation::Seek(1)));
        let two = path(&["FORCESEEK ( by_v ( v , [w x] ) )"]);
        assert_eq!(two.seek, Some(("by_v".to_owned(), vec!["v".to_owned(), "w x".to_owned()])));
        assert_eq!(two.operation(), Some(ForcedOperation::Seek(2)));
        assert_eq!(path(&["FORCESCAN"]).operation(), Some(ForcedOperation::Scan));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (hints, number) in [
            (&["FORCESEEK", "FORCESCAN"][..], 10_746),
            (&["FORCESEEK ( a ( b ) )", "INDEX ( a )"], 10_747),
            (&["FORCESCAN", "INDEX ( a , b )"], 10_750),
        ] {
            assert_eq!(path(hints).check().map_err(|error| error.number), Err(number), "{hints:?}");
        }
        let locks = |hints: &str| check_locks(&hints.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (hints, number) in [
            ("NOLOCK HOLDLOCK", 1047),
            ("READUNCOMMITTED ROWLOCK", 1047),
            ("ROWLOCK PAGLOCK", 1047),
            ("UPDLOCK XLOCK", 1047),
            ("READCOMMITTEDLOCK READCOMMITTED", 1047),
            ("HOLDLOCK READPAST", 650),
        ] {
            assert_eq!(locks(hints).map_err(|error| error.number), Err(number), "{hints}");
        }
        for hints in ["SERIALIZABLE HOLDLOCK", "NOLOCK NOWAIT", "UPDLOCK TABLOCKX", "REPEATABLEREAD READPAST"] {
            assert!(locks(hints).is_ok(), "{hints}");
        }
    }
}
