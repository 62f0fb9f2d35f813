//! Scans of ranges of trees, as an isolation level sees them.
//!
//! ```text
//!   page of the tree, latched ──▶ each entry: may I read it, which version? ──▶ visit
//!        ▲                                  │ another has it locked
//!        └──── the same entry again ◀── wait, nothing latched (R3)
//! ```
//!
//! Ranges (SERIALIZABLE): the first entry of every page is locked before the page is read, and is the first one still
//! when it is read; the entries after it are locked under the page's latch. So no gap between two entries is ever read
//! before it is locked. At the end of the range the first entry after it is locked too.

use millpond_storage::check;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use millpond_access::tree::{Direction, KeyRange, LeafCopy, LeafRow, TakeEntries, Tree, TreeCursor};
use millpond_storage::ask::Ask;

use crate::error::TxnError;
use crate::lock::{Got, KeyHash, LockMode, RowPlace};
use crate::read::counted;
use crate::read::isolation::{Isolation, ReadHint, Way};
use crate::read::reader::{Reader, is_temporary, place_of};
use crate::read::take::{Met, Newest, Passed, Passing, TakeRows, Versions, is_own_ghost};
use millpond_access::tree;

/// What is called with the key and the payload of each row, under the latch of its page.
pub type Visit<'v> = &'v mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>;

/// A scan. It may outlive its statement's plan, not its transaction.
#[derive(Debug)]
pub struct TxnScan {
    reader: Arc<Reader>,
    cursor: TreeCursor,
    range: KeyRange,
    direction: Direction,
    hint: ReadHint,
    way: Option<Way>,
    /// Bytes of an older version.
    older: Vec<u8>,
    /// Ranges: the last entry that was given, if any was.
    position: Option<Vec<u8>>,
    passed: Passed,
    is_done: bool,
}

/// Why a page was left in its middle.
enum Stop {
    /// The row is locked by another session.
    Wait(Vec<u8>),
    /// The visitor has enough for now.
    Enough,
    /// An own ghost of a run: the scan goes on at this key.
    Jump(Vec<u8>),
    Failed(TxnError),
}

/// A scan of a range.
#[must_use]
pub fn open(reader: &Arc<Reader>, tree: &Arc<Tree>, range: KeyRange, direction: Direction, hint: ReadHint) -> TxnScan {
    TxnScan::new(Arc::clone(reader), tree, range, direction, hint)
}

/// Calls `visit` with every row of a range: a scan for callers that want all of it.
///
/// # Errors
/// [`TxnError`]
pub fn for_each(
    reader: &Arc<Reader>,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    range: KeyRange,
    hint: ReadHint,
    visit: Visit<'_>,
) -> Result<(), TxnError> {
    let mut scan = open(reader, tree, range, Direction::Forward, hint);
    let mut is_over = false;
    while !is_over
        && scan.next_page(ask, &mut |key, payload| {
            let flow = visit(key, payload);
            is_over |= flow.is_break();
            flow
        })?
    {}
    Ok(())
}

impl TxnScan {
    pub(crate) fn new(
        reader: Arc<Reader>,
        tree: &Arc<Tree>,
        range: KeyRange,
        direction: Direction,
        hint: ReadHint,
    ) -> TxnScan {
        TxnScan {
            cursor: tree::cursor::open(tree, range.clone(), direction),
            reader,
            range,
            direction,
            hint,
            way: None,
            older: Vec::new(),
            position: None,
            passed: Passed::default(),
            is_done: false,
        }
    }

    /// Gives rows of the next page that has any to give; false when there are no more. After `Break` the next call goes
    /// on after the row that was given last. `visit` must not touch the tree.
    ///
    /// # Errors
    /// [`TxnError`]; the scan is over then.
    pub fn next_page(&mut self, ask: &Ask<'_>, visit: Visit<'_>) -> Result<bool, TxnError> {
        self.read(ask, visit)
    }

    /// Adds the rows of the next page that has any to give to `copy`, which is empty; false when there are no more.
    ///
    /// # Errors
    /// Those of [`TxnScan::next_page`].
    pub fn copy_page(&mut self, ask: &Ask<'_>, copy: &mut LeafCopy) -> Result<bool, TxnError> {
        check!(copy.is_empty(), "a page is copied beside the rows of another one");
        self.read(ask, copy)
    }

    fn read(&mut self, ask: &Ask<'_>, rows: &mut (impl TakeRows + ?Sized)) -> Result<bool, TxnError> {
        if self.is_done {
            return Ok(false);
        }
        let way = match self.way {
            Some(way) => way,
            None => self.begin(ask)?,
        };
        check!(self.way == Some(way), "a scan reads {way:?} in the midst of another way");
        let more = match way {
            Way::Newest => self.newest(ask, rows),
            Way::Versions { of_transaction } => self.versions(ask, of_transaction, rows),
            Way::Unlocked | Way::Locked { .. } => self.locking(ask, way, &mut |key, payload| rows.take(key, payload)),
            Way::Ranges { mode } if self.direction == Direction::Forward => {
                self.ranges(ask, mode, &mut |key, payload| rows.take(key, payload))
            }
            Way::Ranges { mode } => {
                let way = Way::Locked { mode: mode.row_part() };
                self.locking(ask, way, &mut |key, payload| rows.take(key, payload))
            }
        };
        self.is_done = !matches!(more, Ok(true));
        more
    }

    fn begin(&mut self, ask: &Ask<'_>) -> Result<Way, TxnError> {
        let tree = Arc::clone(self.cursor.tree());
        let way = self.reader.way(&tree, &self.hint)?;
        self.way = Some(way);
        if !is_temporary(&tree) {
            self.reader.lock_table(ask, &tree, &self.hint, way)?;
        }
        if let (Way::Ranges { mode }, Direction::Backward) = (way, self.direction) {
            // Backwards, the whole range is locked first: then it stays as it is, in whatever order it is read.
            let mut ahead =
                TxnScan::new(Arc::clone(&self.reader), &tree, self.range.clone(), Direction::Forward, self.hint);
            ahead.way = Some(way);
            while ahead.ranges(ask, mode, &mut |_, _| ControlFlow::Continue(()))? {}
        }
        Ok(way)
    }

    fn newest(&mut self, ask: &Ask<'_>, rows: &mut (impl TakeRows + ?Sized)) -> Result<bool, TxnError> {
        match is_temporary(self.cursor.tree()) {
            // R1: no ghosts.
            true => Ok(self.cursor.next_entries(ask, &mut Newest(rows))?),
            false => self.passing(ask, &mut Newest(rows)),
        }
    }

    fn versions(
        &mut self,
        ask: &Ask<'_>,
        of_transaction: bool,
        rows: &mut (impl TakeRows + ?Sized),
    ) -> Result<bool, TxnError> {
        let (reader, tree) = (Arc::clone(&self.reader), Arc::clone(self.cursor.tree()));
        let snapshot = reader.snapshot(of_transaction);
        let older = std::mem::take(&mut self.older);
        let mut versions = Versions { reader: &reader, ask, tree: &tree, snapshot, older, failed: None, rows };
        let more = self.passing(ask, &mut versions);
        self.older = versions.older;
        versions.failed.map_or(more, Err)
    }

    /// Reads a page as it is; the transaction's own ghosts, for which no lock is asked, are passed by.
    fn passing(&mut self, ask: &Ask<'_>, entries: &mut impl TakeEntries) -> Result<bool, TxnError> {
        let (reader, direction) = (&self.reader, self.direction);
        let place = place_of(self.cursor.tree());
        loop {
            let (passed, met) = (&mut self.passed, Met::default());
            let mut passing = Passing { reader, place, direction, passed, met, jump: None, entries };
            let more = self.cursor.next_entries(ask, &mut passing)?;
            let Passing { met, jump, .. } = passing;
            met.tell(reader, self.cursor.tree());
            match jump {
                Some(key) => self.cursor.go_to(key),
                None => return Ok(more),
            }
        }
    }

    /// Rows that are locked, or only looked at whether another session has them locked.
    fn locking(&mut self, ask: &Ask<'_>, way: Way, visit: Visit<'_>) -> Result<bool, TxnError> {
        // A lock that was waited for and is not to stay.
        check!(matches!(way, Way::Unlocked | Way::Locked { .. }), "R2: rows are locked that are read {way:?}");
        let mut waited: Option<(KeyHash, Got)> = None;
        let place = place_of(self.cursor.tree());
        loop {
            let (reader, hint, passed, direction) = (&self.reader, &self.hint, &mut self.passed, self.direction);
            let (mut stop, mut met) = (None, Met::default());
            let more = self.cursor.next_page(ask, &mut |row| {
                // What this transaction has deleted is its own to pass by.
                if is_own_ghost(reader, &row) {
                    stop = passed.pass(reader, place, row.key, direction).map(Stop::Jump);
                    return if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                }
                passed.end();
                met.look(reader, place, &row);
                let flow = lock_entry(reader, place, hint, way, row, visit);
                match flow {
                    Ok(flow) => flow,
                    Err(why) => {
                        stop = Some(why);
                        ControlFlow::Break(())
                    }
                }
            });
            met.tell(reader, self.cursor.tree());
            if let Some((hash, got)) = waited.take() {
                self.reader.unlock(place, hash, got);
            }
            match (more, stop) {
                (Err(cause), _) => return Err(cause.into()),
                (Ok(more), None | Some(Stop::Enough)) => return Ok(more),
                (Ok(_), Some(Stop::Failed(cause))) => return Err(cause),
                (Ok(_), Some(Stop::Jump(key))) => self.cursor.go_to(key),
                (Ok(_), Some(Stop::Wait(key))) => waited = self.wait(ask, way, &key)?,
            }
        }
    }

    /// R3: waits for the row that the page was left at; it is given again.
    fn wait(&mut self, ask: &Ask<'_>, way: Way, key: &[u8]) -> Result<Option<(KeyHash, Got)>, TxnError> {
        let _alone = self.reader.waits.lock(); // R4
        let (hash, locks) = (KeyHash::of(key), &self.reader.shared.locks);
        let timeout = self.reader.timeout(&self.hint);
        let (mode, stays) = match way {
            Way::Locked { mode } | Way::Ranges { mode } => (mode, true),
            _ => (self.hint.passing_mode(), false),
        };
        let got = counted::lock_row(locks, ask, self.cursor.tree(), hash, mode, timeout)?;
        let kept = (!stays).then_some((hash, got));
        self.cursor.repeat();
        Ok(kept)
    }

    /// SERIALIZABLE, forwards.
    fn ranges(&mut self, ask: &Ask<'_>, mode: LockMode, visit: Visit<'_>) -> Result<bool, TxnError> {
        check!(mode.is_range(), "ranges are locked in {mode}");
        let tree = Arc::clone(self.cursor.tree());
        let timeout = self.reader.timeout(&self.hint);
        loop {
            let low = match &self.position {
                Some(position) => Bound::Excluded(position.clone()),
                None => self.range.low.clone(),
            };
            let rest = KeyRange { low, high: Bound::Unbounded };
            let first = first_key(ask, &tree, &rest)?;
            let hash = first.as_deref().map_or(KeyHash::END, KeyHash::of);
            counted::lock_row(&self.reader.shared.locks, ask, &tree, hash, mode, timeout)?;
            match self.range_page(ask, &tree, &rest, first.as_deref(), mode, visit)? {
                Page::Changed => {}
                Page::More => return Ok(true),
                Page::End => return Ok(false),
            }
        }
    }

    /// Reads the page that begins with `first`, which is locked.
    fn range_page(
        &mut self,
        ask: &Ask<'_>,
        tree: &Arc<Tree>,
        rest: &KeyRange,
        first: Option<&[u8]>,
        mode: LockMode,
        visit: Visit<'_>,
    ) -> Result<Page, TxnError> {
        let place = place_of(tree);
        check!(
            first.is_none_or(|first| reader_has(&self.reader, place, first, mode)),
            "R1: a page of a range is read before its first entry is locked"
        );
        let (reader, high) = (&self.reader, &self.range.high);
        let (position, mut met) = (&mut self.position, Met::default());
        let mut page = if first.is_some() { Page::Changed } else { Page::End };
        let mut failed = None;
        let mut is_first = true;
        tree::cursor::open(tree, rest.clone(), Direction::Forward).next_page(ask, &mut |row| {
            if std::mem::take(&mut is_first) {
                // An entry came, or went, before the lock was there.
                if first != Some(row.key) {
                    page = Page::Changed;
                    return ControlFlow::Break(());
                }
            } else {
                match reader.shared.locks.try_lock_row(place, KeyHash::of(row.key), mode) {
                    Ok(Some(_)) => {}
                    // It is waited for as the first of the next page.
                    Ok(None) => return ControlFlow::Break(()),
                    Err(cause) => {
                        failed = Some(TxnError::from(cause));
                        return ControlFlow::Break(());
                    }
                }
            }
            if is_after(row.key, high) {
                page = Page::End;
                return ControlFlow::Break(());
            }
            page = Page::More;
            check!(
                position.as_ref().is_none_or(|position| position.as_slice() < row.key),
                "the entries of a range do not ascend"
            );
            let position = position.get_or_insert_default();
            position.clear();
            position.extend_from_slice(row.key);
            if row.is_ghost {
                met.note(reader, place, &row);
                return ControlFlow::Continue(());
            }
            visit(row.key, row.payload)
        })?;
        met.tell(reader, tree);
        failed.map_or(Ok(page), Err)
    }
}

/// What reading a page of a range came to.
enum Page {
    /// It does not begin where it did: nothing was read.
    Changed,
    More,
    End,
}

/// Whether the entry of `key`, or the table around it, is locked as a range of `mode` asks for.
fn reader_has(reader: &Reader, place: RowPlace, key: &[u8], mode: LockMode) -> bool {
    let locks = &reader.shared.locks;
    let has_table = || locks.object_mode(place.db, place.object).is_some_and(|has| has.covers(mode.whole()));
    locks.row_mode(place, KeyHash::of(key)).is_some_and(|has| has.covers(mode)) || has_table()
}

fn is_after(key: &[u8], high: &Bound<Vec<u8>>) -> bool {
    match high {
        Bound::Unbounded => false,
        Bound::Included(high) => key > high.as_slice(),
        Bound::Excluded(high) => key >= high.as_slice(),
    }
}

/// The first entry of a range, ghosts included.
fn first_key(ask: &Ask<'_>, tree: &Arc<Tree>, range: &KeyRange) -> Result<Option<Vec<u8>>, TxnError> {
    let mut first = None;
    tree::cursor::open(tree, range.clone(), Direction::Forward).next_page(ask, &mut |row| {
        first = Some(row.key.to_vec());
        ControlFlow::Break(())
    })?;
    Ok(first)
}

/// Gives one entry, which is no own ghost, to the visitor, if it may be read now.
fn lock_entry(
    reader: &Reader,
    place: RowPlace,
    hint: &ReadHint,
    way: Way,
    row: LeafRow<'_>,
    visit: Visit<'_>,
) -> Result<ControlFlow<()>, Stop> {
    let hash = KeyHash::of(row.key);
    let locks = &reader.shared.locks;
    let got = match way {
        Way::Locked { mode } => locks.try_lock_row(place, hash, mode).map_err(|cause| Stop::Failed(cause.into()))?,
        _ => locks.may_read(place, hash).then_some(Got::Had),
    };
    let Some(got) = got else {
        return if hint.skips_locked { Ok(ControlFlow::Continue(())) } else { Err(Stop::Wait(row.key.to_vec())) };
    };
    if row.is_ghost {
        locks.unlock_row(place, hash, got);
        return Ok(ControlFlow::Continue(()));
    }
    if reader.isolation == Isolation::Snapshot && !reader.sees(reader.snapshot(true), row.tag) {
        return Err(Stop::Failed(TxnError::SnapshotConflict { db: place.db, object: place.object }));
    }
    match visit(row.key, row.payload) {
        ControlFlow::Continue(()) => Ok(ControlFlow::Continue(())),
        ControlFlow::Break(()) => Err(Stop::Enough),
    }
}
