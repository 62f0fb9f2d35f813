//! Reading one row by its key, as an isolation level sees it.
//!
//! R1 to R4 of `reader` hold here.

use crate::read::reader::place_of;
use crate::version::version_store::VersionError;
use millpond_access::tree::LeafRow;
use millpond_access::tree::{RowTag, Tree};
use millpond_storage::ask::Ask;
use millpond_storage::check;

use crate::error::TxnError;
use crate::lock::{KeyHash, LockMode};
use crate::read::counted;
use crate::read::isolation::{Isolation, ReadHint, TableLock, Way};
use crate::read::reader::{Reader, is_temporary};
use crate::version::snapshot::Snapshot;
use crate::version::version_store::NONE;
use millpond_access::tree;

/// What the newest bytes of a row are to a snapshot.
enum Found {
    Absent,
    Read,
    /// An older version is to be read.
    Older(RowTag),
}

/// Reads the row of `key` into `out`; false when there is none.
///
/// # Errors
/// [`TxnError`]; a deadlock's victim is to be rolled back.
pub fn get(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    hint: ReadHint,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    let way = reader.way(tree, &hint)?;
    if !is_temporary(tree) && (hint.table != TableLock::Rows || !matches!(way, Way::Newest | Way::Versions { .. })) {
        reader.lock_table(ask, tree, &hint, way)?;
    }
    match way {
        Way::Newest => newest(ask, tree, key, out),
        Way::Versions { of_transaction } => version(reader, ask, tree, key, reader.snapshot(of_transaction), out),
        Way::Unlocked => committed(reader, ask, tree, key, &hint, out),
        Way::Locked { mode } => locked(reader, ask, tree, key, mode, &hint, out),
        Way::Ranges { mode } => locked_range(reader, ask, tree, key, mode, &hint, out),
    }
}

fn version(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    snapshot: &Snapshot,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    let found = tree::read::get(tree, ask, key, |row| match row.tag.filter(|_| !reader.sees(snapshot, row.tag)) {
        Some(tag) => Found::Older(tag),
        None if row.is_ghost => Found::Absent,
        None => {
            copy(row, out);
            Found::Read
        }
    })?;
    match found {
        None | Some(Found::Absent) => Ok(false),
        Some(Found::Read) => Ok(true),
        Some(Found::Older(tag)) => older(reader, ask, tree, snapshot, tag, out),
    }
}

/// Goes back along the versions of a row, from a tag that the snapshot does not see.
pub(crate) fn older(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    snapshot: &Snapshot,
    mut tag: RowTag,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    loop {
        if tag.version == NONE {
            return Ok(false);
        }
        let version = reader.shared.manager.versions().get(ask, tag.version, tag.xsn, out);
        let version = version.map_err(|cause| version_error(tree, cause))?;
        match version.tag.filter(|_| !reader.sees(snapshot, version.tag)) {
            Some(older) => {
                check!(older.xsn != tag.xsn, "C2: a version that only transaction {} saw was kept", tag.xsn.0);
                tag = older;
            }
            None => return Ok(!version.is_ghost),
        }
    }
}

/// READ COMMITTED by locks: nothing is kept.
fn committed(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    hint: &ReadHint,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    check!(!is_temporary(tree), "R1: a row of tempdb is read by its locks");
    let (place, hash) = (place_of(tree), KeyHash::of(key));
    let locks = &reader.shared.locks;
    let read = tree::read::get(tree, ask, key, |row| locks.may_read(place, hash).then(|| take_live(row, out)))?;
    match read {
        Some(Some(is_there)) => Ok(is_there),
        Some(None) if hint.skips_locked => Ok(false),
        // No row is there, but another session may be about to take a deletion back: that row is a ghost, and found
        // above.
        None => Ok(false),
        Some(None) => {
            let got = counted::lock_row(locks, ask, tree, hash, hint.passing_mode(), reader.timeout(hint))?;
            let read = newest(ask, tree, key, out);
            locks.unlock_row(place, hash, got);
            read
        }
    }
}

fn locked(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    mode: LockMode,
    hint: &ReadHint,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    check!(!mode.is_range(), "a row is locked in {mode}, and the range before it is not looked at");
    let (place, hash) = (place_of(tree), KeyHash::of(key));
    let locks = &reader.shared.locks;
    let got = match hint.skips_locked {
        true => match locks.try_lock_row(place, hash, mode)? {
            Some(got) => got,
            None => return Ok(false),
        },
        false => counted::lock_row(locks, ask, tree, hash, mode, reader.timeout(hint))?,
    };
    let is_there = newest_checked(reader, ask, tree, key, out)?;
    if !is_there {
        locks.unlock_row(place, hash, got);
    }
    Ok(is_there)
}

/// SERIALIZABLE: the row is locked if it is there; if not, the gap where it would be.
fn locked_range(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    mode: LockMode,
    hint: &ReadHint,
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    check!(mode.is_range(), "the range before a row is to stay as it is, and is locked in {mode}");
    let hash = KeyHash::of(key);
    let (locks, timeout) = (&reader.shared.locks, reader.timeout(hint));
    loop {
        // A row that is there needs no range: no session inserts its key again.
        if tree::read::get(tree, ask, key, |_| ())?.is_some() {
            let row_mode = mode.row_part();
            counted::lock_row(locks, ask, tree, hash, row_mode, timeout)?;
            // A ghost goes away some day, so then the gap is locked too.
            if tree::read::get(tree, ask, key, |row| take_live(row, out))? == Some(true) {
                check_conflict(reader, ask, tree, key)?;
                return Ok(true);
            }
        }
        let next = tree::read::next_key(tree, ask, key)?;
        let next_hash = next.as_deref().map_or(KeyHash::END, KeyHash::of);
        counted::lock_row(locks, ask, tree, next_hash, mode.range_part(), timeout)?;
        // The gap cannot change any more; what it was when it was locked is looked at now.
        let is_live = tree::read::get(tree, ask, key, |row| !row.is_ghost)?.unwrap_or(false);
        if !is_live && tree::read::next_key(tree, ask, key)? == next {
            return Ok(false);
        }
    }
}

fn newest_checked(
    reader: &Reader,
    ask: &Ask<'_>,
    tree: &Tree,
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, TxnError> {
    check_conflict(reader, ask, tree, key)?;
    newest(ask, tree, key, out)
}

/// Under SNAPSHOT a row that is locked must be the one that the snapshot sees (3960).
pub(crate) fn check_conflict(reader: &Reader, ask: &Ask<'_>, tree: &Tree, key: &[u8]) -> Result<(), TxnError> {
    if reader.isolation != Isolation::Snapshot || is_temporary(tree) {
        return Ok(());
    }
    let snapshot = reader.snapshot(true);
    match tree::read::get(tree, ask, key, |row| reader.sees(snapshot, row.tag))? {
        Some(false) => Err(conflict(tree)),
        _ => Ok(()),
    }
}

pub(crate) fn conflict(tree: &Tree) -> TxnError {
    TxnError::SnapshotConflict { db: tree.ctx().handle.db, object: tree.ids().object_id }
}

#[inline]
fn copy(row: LeafRow<'_>, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(row.payload);
}

fn take_live(row: LeafRow<'_>, out: &mut Vec<u8>) -> bool {
    if !row.is_ghost {
        copy(row, out);
    }
    !row.is_ghost
}

pub(crate) fn newest(ask: &Ask<'_>, tree: &Tree, key: &[u8], out: &mut Vec<u8>) -> Result<bool, TxnError> {
    Ok(tree::read::get(tree, ask, key, |row| take_live(row, out))?.unwrap_or(false))
}

fn version_error(tree: &Tree, cause: VersionError) -> TxnError {
    match cause {
        VersionError::Pool(cause) => TxnError::Access(cause.into()),
        VersionError::Space(cause) => TxnError::Access(cause.into()),
        VersionError::Lost => TxnError::VersionLost { db: tree.ctx().handle.db, object: tree.ids().object_id },
    }
}
