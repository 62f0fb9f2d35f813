//! How a change of one entry of a tree is undone, as bytes: in the session's stack, and in the log for recovery.
//!
//! ```text
//!   format u8 │ root: file u16, page u32 │ IAM: file u16, page u32 │ hobt u64 │ object u32 │ index u16 │ was u8
//!   │ key length u16 │ key │ (was there:) xsn u48, version u64 │ (padded:) pad u16 │ payload
//! ```
//!
//! run:
//! format u8 │ root │ IAM │ hobt u64 │ object u32 │ index u16 │ (key length u16 │ key) …       none of them was there
//!
//! fill:
//! format u8 │ root │ IAM │ hobt u64 │ object u32 │ index u16                                     nothing was there
//!
//! fill after entries:
//! format u8 │ root │ IAM │ hobt u64 │ object u32 │ index u16 │ rows u64 │ first key              nothing was there from it on
//!
//! Little-endian. `was`: 0 absent, 1 there; +2 a ghost, +4 tagged, +8 padded. The database is known where the bytes are
//! kept. Pure: no pages, no log.

use millpond_access::tree::{LeafRow, RowTag, TreeIds, TreeRoot, VersionPtr, Xsn};
use millpond_storage::check;
use millpond_storage::contract::{DbId, FileId, PageId, PageNo};

const FORMAT: u8 = 1;
/// Of a run of entries that were added.
const RUN_FORMAT: u8 = 2;
/// Of an empty tree that was filled.
const FILL_FORMAT: u8 = 3;
/// Of a tree that was filled after the entries that it had.
const APPENDED_FORMAT: u8 = 4;
const THERE: u8 = 1;
const GHOST: u8 = 2;
const TAGGED: u8 = 4;
const PADDED: u8 = 8;
/// Bytes beside key and payload.
pub(crate) const ROW_UNDO_HEAD_BYTES: usize = 1 + 6 + 6 + 8 + 4 + 2 + 1 + 2 + 14 + 2;

/// Where a tree lies and whose it is: what is needed to open it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeAddress {
    pub place: TreeRoot,
    pub ids: TreeIds,
}

/// What an entry was before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OldRow<'a> {
    pub is_ghost: bool,
    pub tag: Option<RowTag>,
    pub payload: &'a [u8],
    /// Bytes kept after it on its page.
    pub pad_bytes: u16,
}

/// How a change is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowUndo<'a> {
    pub tree: TreeAddress,
    pub key: &'a [u8],
    /// `None`: it was not there.
    pub old: Option<OldRow<'a>>,
}

impl RowUndo<'_> {
    /// Whether it makes the entry of `key` what `row` is.
    fn is_of(&self, tree: &TreeAddress, key: &[u8], row: Option<&LeafRow<'_>>) -> bool {
        let old = row.map(|row| OldRow {
            is_ghost: row.is_ghost,
            tag: row.tag,
            payload: row.payload,
            pad_bytes: row.pad_bytes,
        });
        self.tree == *tree && self.key == key && self.old == old
    }
}

/// How a run of entries is undone: they were not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunUndo<'a> {
    pub tree: TreeAddress,
    /// Ascending.
    pub keys: Vec<&'a [u8]>,
}

/// How filling a tree is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FillUndo<'a> {
    pub tree: TreeAddress,
    /// `None`: the tree was empty.
    pub appended: Option<Appended<'a>>,
}

/// Entries after those that a tree had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appended<'a> {
    /// The first of them.
    pub key: &'a [u8],
    /// How many.
    pub rows: u64,
}

fn put_page(to: &mut Vec<u8>, page: PageId) {
    to.extend_from_slice(&page.file.0.to_le_bytes());
    to.extend_from_slice(&page.page.0.to_le_bytes());
}

#[inline]
fn put_address(to: &mut Vec<u8>, tree: &TreeAddress) {
    put_page(to, tree.place.root);
    put_page(to, tree.place.iam);
    to.extend_from_slice(&tree.ids.hobt.to_le_bytes());
    to.extend_from_slice(&tree.ids.object_id.to_le_bytes());
    to.extend_from_slice(&tree.ids.index_id.to_le_bytes());
}

/// Writes the undo of a run of entries that are added.
pub(crate) fn encode_run<'k>(to: &mut Vec<u8>, tree: &TreeAddress, keys: impl Iterator<Item = &'k [u8]>) {
    let start = to.len();
    to.push(RUN_FORMAT);
    put_address(to, tree);
    for key in keys {
        check!(key.len() <= usize::from(u16::MAX), "a key of {} bytes", key.len());
        to.extend_from_slice(&(key.len() as u16).to_le_bytes());
        to.extend_from_slice(key);
    }
    check!(
        decode_run(tree.place.root.db, &to[start..]).is_some_and(|read| read.tree == *tree),
        "C4: the undo of a run does not read as it was written"
    );
}

/// Writes the undo of filling a tree.
pub(crate) fn encode_fill(to: &mut Vec<u8>, undo: &FillUndo<'_>) {
    let start = to.len();
    to.push(if undo.appended.is_some() { APPENDED_FORMAT } else { FILL_FORMAT });
    put_address(to, &undo.tree);
    if let Some(Appended { key, rows }) = undo.appended {
        to.extend_from_slice(&rows.to_le_bytes());
        to.extend_from_slice(key);
    }
    check!(
        decode_fill(undo.tree.place.root.db, &to[start..]).as_ref() == Some(undo),
        "C4: the undo of a fill does not read as it was written"
    );
}

/// Writes the undo of a change of `row`, or of the absence of `key`.
#[inline]
pub(crate) fn encode(to: &mut Vec<u8>, tree: &TreeAddress, key: &[u8], row: Option<&LeafRow<'_>>) {
    let start = to.len();
    check!(key.len() <= usize::from(u16::MAX), "a key of {} bytes", key.len());
    to.push(FORMAT);
    put_address(to, tree);
    let was = match row {
        None => 0,
        Some(row) => {
            let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
            THERE | flag(row.is_ghost, GHOST) | flag(row.tag.is_some(), TAGGED) | flag(row.pad_bytes > 0, PADDED)
        }
    };
    to.push(was);
    to.extend_from_slice(&(key.len() as u16).to_le_bytes());
    to.extend_from_slice(key);
    if let Some(row) = row {
        let tag = row.tag.unwrap_or_default();
        check!(tag.xsn <= Xsn::MAX, "N1: transaction {} has more than 48 bits", tag.xsn.0);
        to.extend_from_slice(&tag.xsn.0.to_le_bytes()[..6]);
        to.extend_from_slice(&tag.version.0.to_le_bytes());
        if row.pad_bytes > 0 {
            to.extend_from_slice(&row.pad_bytes.to_le_bytes());
        }
        to.extend_from_slice(row.payload);
    }
    check!(
        to.len() - start <= ROW_UNDO_HEAD_BYTES + key.len() + row.map_or(0, |row| row.payload.len()),
        "U3: the undo of a row takes {} bytes, more than are reserved",
        to.len() - start
    );
    check!(
        decode(tree.place.root.db, &to[start..]).is_some_and(|read| read.is_of(tree, key, row)),
        "C4: the undo of a row does not read as it was written"
    );
}

struct Cut<'a>(&'a [u8]);

impl<'a> Cut<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(first)
    }

    fn address(&mut self, db: DbId) -> Option<TreeAddress> {
        let place = TreeRoot { root: self.page(db)?, iam: self.page(db)? };
        let ids = TreeIds {
            hobt: u64::from_le_bytes(self.take()?),
            object_id: u32::from_le_bytes(self.take()?),
            index_id: u16::from_le_bytes(self.take()?),
        };
        Some(TreeAddress { place, ids })
    }

    fn page(&mut self, db: DbId) -> Option<PageId> {
        let file = FileId(u16::from_le_bytes(self.take()?));
        Some(PageId { db, file, page: PageNo(u32::from_le_bytes(self.take()?)) })
    }
}

/// `None` for bytes that [`encode`] did not make.
pub(crate) fn decode(db: DbId, bytes: &[u8]) -> Option<RowUndo<'_>> {
    let mut cut = Cut(bytes);
    if cut.take::<1>()? != [FORMAT] {
        return None;
    }
    let tree = cut.address(db)?;
    let [was] = cut.take()?;
    let key_bytes = u16::from_le_bytes(cut.take()?);
    let key = cut.bytes(usize::from(key_bytes))?;
    let old = match was & THERE {
        0 => None,
        _ => {
            let xsn: [u8; 6] = cut.take()?;
            let mut word = [0; 8];
            word[..6].copy_from_slice(&xsn);
            let tag =
                RowTag { xsn: Xsn(u64::from_le_bytes(word)), version: VersionPtr(u64::from_le_bytes(cut.take()?)) };
            let tag = (was & TAGGED != 0).then_some(tag);
            let pad_bytes = if was & PADDED == 0 { 0 } else { u16::from_le_bytes(cut.take()?) };
            Some(OldRow { is_ghost: was & GHOST != 0, tag, payload: cut.0, pad_bytes })
        }
    };
    Some(RowUndo { tree, key, old })
}

/// `None` for bytes that [`encode_run`] did not make.
pub(crate) fn decode_run(db: DbId, bytes: &[u8]) -> Option<RunUndo<'_>> {
    let mut cut = Cut(bytes);
    if cut.take::<1>()? != [RUN_FORMAT] {
        return None;
    }
    let tree = cut.address(db)?;
    let mut keys = Vec::new();
    while !cut.0.is_empty() {
        let key_bytes = u16::from_le_bytes(cut.take()?);
        keys.push(cut.bytes(usize::from(key_bytes))?);
    }
    Some(RunUndo { tree, keys })
}

/// `None` for bytes that [`encode_fill`] did not make.
pub(crate) fn decode_fill(db: DbId, bytes: &[u8]) -> Option<FillUndo<'_>> {
    let mut cut = Cut(bytes);
    let [format] = cut.take()?;
    match format {
        FILL_FORMAT => {
            let tree = cut.address(db).filter(|_| cut.0.is_empty())?;
            Some(FillUndo { tree, appended: None })
        }
        APPENDED_FORMAT => {
            let tree = cut.address(db)?;
            let rows = u64::from_le_bytes(cut.take()?);
            Some(FillUndo { tree, appended: Some(Appended { key: cut.0, rows }) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undo_survives_its_bytes_and_cut_bytes_are_refused() {
        let db = DbId(7);
        let page = |page| PageId { db, file: FileId(1), page: PageNo(page) };
        let place = TreeRoot { root: page(80), iam: page(81) };
        let tree = TreeAddress { place, ids: TreeIds { hobt: 1 << 40, object_id: 99, index_id: 1 } };
        let tag = Some(RowTag { xsn: Xsn(7 << 33), version: VersionPtr(9) });
        let row = LeafRow { key: b"key", payload: b"payload", is_ghost: true, tag, pad_bytes: 300 };
        for row in [None, Some(row), Some(LeafRow { tag: None, is_ghost: false, pad_bytes: 0, ..row })] {
            let mut bytes = Vec::new();
            encode(&mut bytes, &tree, b"key", row.as_ref());
            let old = row.map(|LeafRow { is_ghost, tag, payload, pad_bytes, .. }| OldRow {
                is_ghost,
                tag,
                payload,
                pad_bytes,
            });
            assert_eq!(decode(db, &bytes), Some(RowUndo { tree, key: b"key", old }));
            let head = bytes.len() - row.map_or(0, |row| row.payload.len());
            assert!((0..head).all(|len| decode(db, &bytes[..len]).is_none()));
            assert!(bytes.len() <= ROW_UNDO_HEAD_BYTES + 3 + 7);
        }
        assert_eq!(decode(db, &[0; 64]), None);
        let keys: Vec<&[u8]> = vec![b"a", b"", b"key"];
        let mut bytes = Vec::new();
        encode_run(&mut bytes, &tree, keys.iter().copied());
        assert_eq!(decode_run(db, &bytes), Some(RunUndo { tree, keys }));
        assert_eq!((decode(db, &bytes), decode_run(db, &bytes[..bytes.len() - 1])), (None, None));
        for appended in [None, Some(Appended { key: b"key", rows: 7 << 40 })] {
            let undo = FillUndo { tree, appended };
            bytes.clear();
            encode_fill(&mut bytes, &undo);
            assert_eq!((decode_fill(db, &bytes), decode_run(db, &bytes)), (Some(undo), None));
            let head = bytes.len() - appended.map_or(0, |appended| appended.key.len());
            assert!((0..head).all(|len| decode_fill(db, &bytes[..len]).is_none()));
        }
    }
}
