//! Recovery after a crash: the end of the log is found, what it says is done again, and what was open is named.
//!
//! ```text
//!   reader thread: blocks, checked ──▶ analysis: open txns ──by page──▶ worker 0: pages in the pool
//!                                                            └─by page──▶ worker 1
//! ```
//!
//! What always holds: one worker does all changes of a page, in their order. A record is done again exactly if its LSN is
//! above the page's; a change that makes the page anew does not look at what is there, because everything after it is
//! in the log and follows. Open transactions are known from the checkpoint's record on; what lies before it is redone
//! only.
//!
//! A page that cannot be brought up to date is left out, named, and made unreadable where its old state could be taken for
//! the new one; the other pages go on.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use millpond_device::DeviceError;

use crate::ask::{Ask, IoCount, Task};
use crate::check;
use crate::contract::{FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, WriteReason};
use crate::file::file_header::HEADER_PAGE;
use crate::page::header::{self, Lsn};
use crate::pool::{ExclusivePage, PoolError};
use crate::wal::anchor::Anchor;
use crate::wal::handle::DatabaseHandle;
use crate::wal::log::{Log, Opening, TxnLog, resume};
use crate::wal::page_op::{self, LoggedOp, Ops};
use crate::wal::reader::{LogReader, ReadBlock};
use crate::wal::record::{self, ActiveTxn, CheckpointBody, RecordKind, RecordView, Records, TxnId};

/// Blocks that are read ahead of the analysis.
const BLOCKS_AHEAD: usize = 64;
/// Changes that a worker gets at a time.
const BATCH: usize = 128;
/// Batches that may wait for a worker.
const BATCHES_AHEAD: usize = 16;

/// The files of the database, for pages that its log knows and its files do not have any more.
pub trait PageHome: Sync {
    /// Makes the page's file long enough for it; called often, cheap when it is.
    ///
    /// # Errors
    /// [`IoFailure`]; without the file the page is reported as damaged.
    fn extend_to(&self, ask: &Ask<'_>, page: PageId) -> Result<(), IoFailure>;

    /// Of a first page that was made anew: says whose its file is now. The log is of the time when it was made, and files change
    /// hands.
    fn own(&self, _page: PageId, _bytes: &mut PageBytes) {}
}

/// How far and how fast.
#[derive(Clone, Copy, Debug)]
pub struct RedoOptions {
    /// Threads that change pages; at least 1.
    pub threads: usize,
    /// Stops before the first commit after this time (microseconds since 1970, UTC); everything after it is cut off.
    /// The caller must take a checkpoint before the log is opened again.
    pub stop_at_us: Option<i64>,
    /// What the pages have already: stopping before it is refused.
    pub restored: Lsn,
    /// What becomes of a log that is damaged in its middle.
    pub at_damage: AtDamage,
    /// It ends when the asker is cancelled: it is a backup's, and can be done again.
    pub of_backup: bool,
}

/// What becomes of a log that ends where blocks that were acknowledged have followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtDamage {
    /// It is refused: [`RecoveryError::Damaged`].
    Refuse,
    /// It is not looked for: a backup's log was copied while it was written, and its copy has checksums of its own.
    Pass,
    /// What can be read counts, everything after it is given up. The caller must take a checkpoint before the log is
    /// opened again.
    CutOff,
}

/// What recovery found.
#[derive(Debug)]
pub struct Redone {
    /// Transactions that were open; they are undone with `LogRecords::read` and compensations, and end by
    /// [`crate::wal::Log::end_rollback`].
    pub losers: Vec<TxnLog>,
    /// Where redo began.
    pub first: Lsn,
    /// Where the log ends: the next record's place.
    pub end: Lsn,
    /// Bytes of log read.
    pub read_bytes: u64,
    /// Records read.
    pub records: u64,
    /// Page changes done again.
    pub applied: u64,
    /// Pages that could not be brought up to date: damaged in the file and not made anew by the log. Reading one is error
    /// 824; those that are free by now do not matter.
    pub damaged: Vec<PageId>,
    /// Time of the last commit in the log, microseconds since 1970.
    pub last_commit_us: Option<i64>,
    /// Whether the database was closed in order, and nothing had leaked by then. A log that ends with a checkpoint is not
    /// enough: a crash may have come between two changes of the maps, or before the space of a drop was freed.
    pub was_clean: bool,
}

/// Why the database cannot be recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The log could not be read.
    #[error("reading the log failed: {0}")]
    Read(#[from] DeviceError),
    /// The log does not reach from where recovery begins to the checkpoint that says so.
    #[error("the log has no complete run of blocks from {first} to its last checkpoint")]
    Missing {
        /// Where recovery begins.
        first: Lsn,
    },
    /// The log cannot be read on, and goes on after that: what was committed there would be lost.
    #[error(
        "the log is damaged: no sound block is at offset {offset_bytes}, and the log goes on behind it, up to {proof} at least"
    )]
    Damaged {
        /// Its file.
        file: FileId,
        /// Where in the file a block should be.
        offset_bytes: u64,
        /// A place after it that was durable.
        proof: Lsn,
    },
    /// A record that has its checksum cannot be read: a newer or a broken program wrote it.
    #[error("the log record at {lsn} cannot be read")]
    Record {
        /// Its place.
        lsn: Lsn,
    },
    /// A commit after the time to stop at is in the pages already.
    #[error("the database is rolled forward past that time already")]
    StopTooEarly,
    /// The asker was cancelled, in the midst of a restore.
    #[error("the restore was cancelled")]
    Cancelled,
    /// Pages could not be had.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The database has no log, or was recovered before.
    #[error("there is nothing to recover")]
    Nothing,
}

/// Does again what the log says and makes it ready to be appended to; afterwards the caller undoes the losers and takes a
/// checkpoint. The data files are attached to the pool; the pool's log rule may know the log already.
///
/// # Errors
/// [`RecoveryError`].
pub fn redo(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    home: &dyn PageHome,
    options: RedoOptions,
) -> Result<Redone, RecoveryError> {
    let log = handle.log.as_ref().ok_or(RecoveryError::Nothing)?;
    let opening = resume::take_opening(log).ok_or(RecoveryError::Nothing)?;
    // A killed process leaves blocks in the system's cache; pages must not get ahead of them.
    log.core.disks.read().iter().try_for_each(|disk| disk.sync())?;
    let first = opening.anchor.redo;
    let Some(reader) = resume::reader(&log.core, opening.firsts.clone(), first.position()) else {
        return finish_empty(log, &opening, options.at_damage);
    };
    let mut analysis = Analysis::new(&opening);
    let (mut ended, pages) = run(ask, handle, home, options, reader, &mut analysis)?;
    let is_cut = options.at_damage == AtDamage::CutOff && (ended.damage.is_some() || !analysis.has_checkpoint);
    if !is_cut {
        if let Some(damage) = ended.damage {
            return Err(damage);
        }
        if !analysis.has_checkpoint {
            return Err(RecoveryError::Missing { first });
        }
    }
    let Some(last) = ended.last else { return finish_empty(log, &opening, options.at_damage) };
    if is_cut {
        // What is appended goes to a part of its own.
        ended.place = log_part_end(handle, ended.place.0, last.0);
    }
    let mut active: Vec<ActiveTxn> = analysis.active.into_values().collect();
    active.sort_unstable_by_key(|txn| txn.id);
    let losers = resume::resume(log, &opening, Some((ended.place, last)), &active, (analysis.next_txn, is_cut))?;
    assert!(losers.len() == active.len(), "{} of {} open transactions are to be undone", losers.len(), active.len());
    assert!(
        log.end_lsn().position() > last.0 && last.0 >= first.position(),
        "G1: recovery began at {first}, read up to {last:?}, and the log goes on at {}",
        log.end_lsn()
    );
    let damaged = isolate(ask, handle, &pages.broken);
    handle.pool.tier().forget_unproven(&handle.pool.buffers().files, handle.db, log.end_lsn().position());
    let is_whole = losers.is_empty() && pages.applied == 0 && damaged.is_empty();
    let was_clean = opening.anchor.is_clean && is_whole && !is_cut;
    log.set_may_leak(!was_clean);
    Ok(Redone {
        was_clean,
        losers,
        first,
        end: log.end_lsn(),
        read_bytes: analysis.read_bytes,
        records: analysis.records,
        applied: pages.applied,
        damaged,
        last_commit_us: analysis.last_commit_us,
    })
}

/// A log that has no block yet, or none that can be read.
fn finish_empty(log: &Log, opening: &Opening, at_damage: AtDamage) -> Result<Redone, RecoveryError> {
    let first = opening.anchor.redo;
    let goes_on = at_damage != AtDamage::Pass && resume::proof_of(&log.core, opening)?.is_some();
    let is_damaged = opening.anchor.checkpoint.is_some() || goes_on;
    if is_damaged && at_damage != AtDamage::CutOff {
        return Err(RecoveryError::Missing { first });
    }
    let losers = resume::resume(log, opening, None, &[], (TxnId(1), is_damaged))?;
    Ok(Redone {
        losers,
        first,
        end: log.end_lsn(),
        read_bytes: 0,
        records: 0,
        applied: 0,
        damaged: Vec::new(),
        last_commit_us: None,
        was_clean: !is_damaged,
    })
}

/// Where reading ended.
struct Ended {
    place: (usize, u64),
    last: Option<(header::LogPos, u32)>,
    /// The log goes on after it.
    damage: Option<RecoveryError>,
}

fn run(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    home: &dyn PageHome,
    options: RedoOptions,
    reader: LogReader,
    analysis: &mut Analysis,
) -> Result<(Ended, PageRedo), RecoveryError> {
    std::thread::scope(|scope| {
        let (send, blocks) = sync_channel(BLOCKS_AHEAD);
        let reading = scope.spawn(move || read_all(reader, &send));
        let session = ask.task.session;
        let mut workers = Vec::new();
        let mut lanes = Vec::new();
        for _ in 0..options.threads.max(1) {
            let (send, batches) = sync_channel(BATCHES_AHEAD);
            lanes.push(Lane { send, batch: Vec::with_capacity(BATCH) });
            workers.push(scope.spawn(move || {
                let (task, object) = (Task::new(session), IoCount::default());
                work(&Ask::new(&task, &object), handle, home, &batches)
            }));
        }
        let cut = analysis.take_blocks(ask, handle, &blocks, &mut lanes, options);
        drop(blocks);
        let lost = lanes.into_iter().filter_map(|mut lane| lane.flush().err()).count();
        let reader = reading.join().expect("the log's reader does not panic");
        let mut pages = PageRedo::default();
        for worker in workers {
            pages.merge(worker.join().expect("a redo worker does not panic")?);
        }
        assert!(lost == 0, "a worker that ended early has said why");
        let cut = cut?;
        let (place, last) = match cut {
            Some(cut) => (log_part_end(handle, reader.place().0, cut.0), Some(cut)),
            None => (reader.place(), reader.last()),
        };
        let damage = match cut {
            None if options.at_damage != AtDamage::Pass => damage_after(&reader, analysis)?,
            _ => None,
        };
        Ok((Ended { place, last, damage }, pages))
    })
}

/// Whether the log, read to its end, is damaged there. One that was closed in order ends where its anchor says.
fn damage_after(reader: &LogReader, analysis: &Analysis) -> Result<Option<RecoveryError>, DeviceError> {
    let before = header::LogPos(analysis.anchor.redo.position().0.saturating_sub(1));
    let ended = reader.ended(before);
    let known = analysis.anchor.end;
    let proof = match ended.last.0.cmp(&known) {
        Ordering::Less => Some(known),
        Ordering::Equal if analysis.anchor.is_clean => None,
        _ => ended.proof()?,
    };
    let (file, offset_bytes) = reader.offset();
    Ok(proof.map(|proof| RecoveryError::Damaged { file, offset_bytes, proof: proof.first_lsn() }))
}

/// The end of the part of a block, so that what is appended goes to a part of its own.
fn log_part_end(handle: &DatabaseHandle, fallback: usize, block: header::LogPos) -> (usize, u64) {
    let log = handle.log.as_ref().expect("recovered from its log");
    let tail = log.core.tail.lock();
    let part = tail.parts.iter().position(|part| part.sequence == block.sequence()).unwrap_or(fallback);
    (part, tail.parts[part].bytes)
}

/// Reads until the log or the listener ends.
fn read_all(mut reader: LogReader, send: &SyncSender<Result<ReadBlock, DeviceError>>) -> LogReader {
    loop {
        let block = match reader.next() {
            Ok(None) => return reader,
            Ok(Some(block)) => Ok(block),
            Err(error) => Err(error),
        };
        let failed = block.is_err();
        if send.send(block).is_err() || failed {
            return reader;
        }
    }
}

/// A change of one page, as it stands in a block.
struct Change {
    page: PageId,
    lsn: Lsn,
    /// Index of the page in its record.
    index: u8,
    block: ReadBlock,
    /// The ops, among the block's records.
    ops: Range<usize>,
}

/// The way to a worker.
struct Lane {
    send: SyncSender<Vec<Change>>,
    batch: Vec<Change>,
}

impl Lane {
    /// `Err` when the worker has ended.
    fn push(&mut self, change: Change) -> Result<(), ()> {
        check!(self.batch.len() < BATCH, "{} changes wait to be sent at once", self.batch.len());
        self.batch.push(change);
        if self.batch.len() == BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ()> {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        self.send.send(batch).map_err(|_| ())
    }
}

/// The open transactions.
struct Analysis {
    anchor: Anchor,
    /// The checkpoint's record was read, or there is none.
    has_checkpoint: bool,
    active: HashMap<TxnId, ActiveTxn>,
    next_txn: TxnId,
    read_bytes: u64,
    records: u64,
    last_commit_us: Option<i64>,
}

/// The block that redo stopped in: its place and epoch.
type Cut = Option<(header::LogPos, u32)>;

impl Analysis {
    fn new(opening: &Opening) -> Analysis {
        Analysis {
            anchor: opening.anchor,
            has_checkpoint: opening.anchor.checkpoint.is_none(),
            active: HashMap::new(),
            next_txn: opening.anchor.next_txn,
            read_bytes: 0,
            records: 0,
            last_commit_us: None,
        }
    }

    fn take_blocks(
        &mut self,
        ask: &Ask<'_>,
        handle: &DatabaseHandle,
        blocks: &Receiver<Result<ReadBlock, DeviceError>>,
        lanes: &mut [Lane],
        options: RedoOptions,
    ) -> Result<Cut, RecoveryError> {
        let stop_at_us = options.stop_at_us;
        let mut next = Lsn::default();
        for block in blocks {
            let block = block?;
            if options.of_backup && ask.task.is_cancelled() {
                return Err(RecoveryError::Cancelled);
            }
            self.read_bytes += u64::from(block.header.total_bytes);
            for record in Records::new(block.header.position.first_lsn(), block.records()) {
                let view = record.map_err(|lsn| RecoveryError::Record { lsn })?;
                check!(next <= view.lsn, "G1: the record at {} is read after the one at {next}", view.lsn);
                next = Lsn { slot: view.lsn.slot.saturating_add(1), ..view.lsn };
                let ends = view.kind.is_commit() && stop_at_us.is_some();
                if ends && view.time_us() > stop_at_us {
                    if view.lsn < options.restored {
                        return Err(RecoveryError::StopTooEarly);
                    }
                    return Ok(Some((block.header.position, block.header.epoch)));
                }
                self.note(&view).ok_or(RecoveryError::Record { lsn: view.lsn })?;
                let sent = send_changes(handle, &block, &view, lanes);
                if sent.ok_or(RecoveryError::Record { lsn: view.lsn })?.is_err() {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// `None` when the record cannot be read.
    fn note(&mut self, view: &RecordView<'_>) -> Option<()> {
        self.records += 1;
        if view.kind == RecordKind::Checkpoint {
            let body = CheckpointBody::read(view.body)?;
            self.active = body.active.into_iter().map(|txn| (txn.id, txn)).collect();
            self.next_txn = self.next_txn.max(body.next_txn);
            self.has_checkpoint |= self.anchor.checkpoint == Some(view.lsn);
            return Some(());
        }
        if view.txn.0 == 0 || !self.has_checkpoint {
            return Some(());
        }
        self.next_txn = self.next_txn.max(TxnId(view.txn.0 + 1));
        if view.kind.is_commit() {
            self.last_commit_us = Some(view.time_us()?);
        }
        match view.kind {
            RecordKind::Commit | RecordKind::RolledBack => drop(self.active.remove(&view.txn)),
            _ => self.note_change(view),
        }
        Some(())
    }

    fn note_change(&mut self, view: &RecordView<'_>) {
        let fresh = ActiveTxn {
            id: view.txn,
            first: view.lsn,
            last: view.lsn,
            used_bytes: 0,
            reserved_bytes: record::END_BYTES,
        };
        let txn = self.active.entry(view.txn).or_insert(fresh);
        txn.last = view.lsn;
        txn.used_bytes += view.bytes;
        match view.kind {
            RecordKind::Compensation => txn.reserved_bytes -= record::spent_bytes(txn.reserved_bytes, view.bytes),
            RecordKind::Change => txn.reserved_bytes += record::undo_bytes(view.bytes),
            _ => {}
        }
    }
}

/// Gives the record's changes to the workers of its pages. `None` when the record cannot be read, `Err` when a worker has
/// ended.
fn send_changes(
    handle: &DatabaseHandle,
    block: &ReadBlock,
    view: &RecordView<'_>,
    lanes: &mut [Lane],
) -> Option<Result<(), ()>> {
    if !view.is_change() {
        return Some(Ok(()));
    }
    let change = view.change()?;
    let start = change.ops.as_ptr() as usize - block.records().as_ptr() as usize;
    let ops = start..start + change.ops.len();
    assert!(ops.end <= block.records().len(), "the changes of a record at {ops:?} leave its block");
    for index in 0..change.page_count() {
        let page = change.page(handle.db, index)?;
        if page.file.0 == 0 {
            continue;
        }
        let lane = (page.to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % lanes.len();
        let change = Change { page, lsn: view.lsn, index: index as u8, block: block.clone(), ops: ops.clone() };
        if lanes[lane].push(change).is_err() {
            return Some(Err(()));
        }
    }
    Some(Ok(()))
}

/// What a worker did.
#[derive(Default)]
struct PageRedo {
    applied: u64,
    /// Pages that are not up to date, and whether their old state could be taken for the new one.
    broken: HashMap<PageId, bool>,
}

impl PageRedo {
    fn merge(&mut self, other: PageRedo) {
        check!(other.broken.keys().all(|page| !self.broken.contains_key(page)), "two workers have changed a page");
        self.applied += other.applied;
        self.broken.extend(other.broken);
    }
}

fn work(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    home: &dyn PageHome,
    batches: &Receiver<Vec<Change>>,
) -> Result<PageRedo, RecoveryError> {
    let mut pages = PageRedo::default();
    for batch in batches {
        for change in &batch {
            pages.redo(ask, handle, home, change)?;
        }
    }
    Ok(pages)
}

impl PageRedo {
    fn redo(
        &mut self,
        ask: &Ask<'_>,
        handle: &DatabaseHandle,
        home: &dyn PageHome,
        change: &Change,
    ) -> Result<(), RecoveryError> {
        let bytes = &change.block.records()[change.ops.clone()];
        let mut ops = Ops::new(bytes).filter(|op| op.as_ref().map_or(true, |(index, _)| *index == change.index));
        let first = match ops.next() {
            None => return Ok(()),
            Some(Ok((_, op))) => op,
            Some(Err(_)) => return Err(RecoveryError::Record { lsn: change.lsn }),
        };
        let Some(mut page) = self.page(ask, handle, home, change.page, &first)? else { return Ok(()) };
        if !first.is_whole() && header::lsn(&page) >= change.lsn {
            return Ok(());
        }
        check!(page.id() == change.page, "page {} is done again with changes of {}", page.id(), change.page);
        page.note_rec_lsn(change.lsn.position());
        let mut done = first.redo(&mut page);
        for op in ops {
            let (_, op) = op.map_err(|_| RecoveryError::Record { lsn: change.lsn })?;
            done = done.and_then(|()| op.redo(&mut page));
        }
        if first.is_whole() && change.page.page == HEADER_PAGE {
            home.own(change.page, &mut page);
        }
        page_op::stamp(&mut page, change.lsn);
        self.applied += 1;
        if done.is_err() {
            self.broken.insert(change.page, true);
        }
        Ok(())
    }

    /// The page to be changed; `None` for one that is broken.
    fn page<'a>(
        &mut self,
        ask: &Ask<'a>,
        handle: &'a DatabaseHandle,
        home: &dyn PageHome,
        id: PageId,
        first: &LoggedOp<'_>,
    ) -> Result<Option<ExclusivePage<'a>>, RecoveryError> {
        if let Some(kind) = first.kind() {
            if home.extend_to(ask, id).is_err() {
                self.broken.insert(id, false);
                return Ok(None);
            }
            self.broken.remove(&id);
            return Ok(Some(handle.pool.create(ask, id, kind, 0)?));
        }
        if self.broken.contains_key(&id) {
            return Ok(None);
        }
        match handle.pool.exclusive(ask, id) {
            Ok(page) => Ok(Some(page)),
            Err(PoolError::Damaged(_) | PoolError::Io(_)) => {
                self.broken.insert(id, false);
                Ok(None)
            }
            Err(error @ PoolError::NoMemory { .. }) => Err(error.into()),
        }
    }
}

/// Makes pages whose old state looks sound unreadable; returns all that are not up to date.
fn isolate(ask: &Ask<'_>, handle: &DatabaseHandle, broken: &HashMap<PageId, bool>) -> Vec<PageId> {
    for (&page, _) in broken.iter().filter(|(_, looks_sound)| **looks_sound) {
        handle.pool.discard_page(page);
        // Zeros are no page: a read of it gets 824. Where even that write fails, reading would too.
        let _ = handle.pool.sweeper.writer.io.write_run(ask, page, &[&[0; PAGE_BYTES]], WriteReason::Recovery);
    }
    let mut pages: Vec<PageId> = broken.keys().copied().collect();
    pages.sort_unstable();
    pages
}
