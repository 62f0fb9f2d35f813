//! The end of the log, where records are appended: the open block, the closed ones that are not durable yet, the parts and
//! the account of their space. All of it under one lock, held for the copy of a record.
//!
//! ```text
//!   part 7 (in use) ──▶ part 8 (in use): │durable│durable│closed│closed│ open block ▸│ room │   part 3 (free)  part 4 (free)
//! ```
//!
//! What always holds:
//!
//! * T1: `room_bytes` is what blocks may still fill: from the open block's start to the end of its part, and all free
//!   parts. The open block, the reservations and the slack are inside it, so an append that was reserved finds its place.
//! * T2: a part is free exactly if no record in it may be needed: all of it lies before the checkpoint's redo start, the
//!   first record of each open transaction, every hold, and, where the log is kept for backups, the last backup's end.
//! * T3: table and LSNs change together: a transaction is in the table exactly if its first record is in the log and its
//!   end is not. So a checkpoint record, which is appended under the same lock, has the truth of its own place.

use crate::check;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::page::header::{LogPos, Lsn};
use crate::wal::block::{
    BYTES_MAX, BlockHeader, HEADER_BYTES, RECORD_BYTES_MAX, RECORDS_MAX, SECTOR_BYTES, UNIT_BYTES, padded,
};
use crate::wal::disk::Part;
use crate::wal::record::{self, ActiveTxn, RecordKind, TxnId};

/// Why the log cannot be cut: `log_reuse_wait_desc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReuseWait {
    /// It can.
    Nothing,
    /// No checkpoint yet.
    Checkpoint,
    /// The log has to be backed up first.
    LogBackup,
    /// A backup or restore reads it.
    ActiveBackupOrRestore,
    /// A transaction is open.
    ActiveTransaction,
}

impl ReuseWait {
    /// The documented word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ReuseWait::Nothing => "NOTHING",
            ReuseWait::Checkpoint => "CHECKPOINT",
            ReuseWait::LogBackup => "LOG_BACKUP",
            ReuseWait::ActiveBackupOrRestore => "ACTIVE_BACKUP_OR_RESTORE",
            ReuseWait::ActiveTransaction => "ACTIVE_TRANSACTION",
        }
    }
}

/// A closed block.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) header: BlockHeader,
    /// File and offset that it goes to.
    pub(crate) file: usize,
    pub(crate) offset: u64,
    /// Room for the header, then the records.
    pub(crate) bytes: Vec<u8>,
    /// As [`Tail::hollow_end`].
    pub(crate) hollow_end: u64,
}

/// Buffers kept for the next blocks.
const SPARES_MAX: usize = 16;

/// The end of the log.
#[derive(Debug)]
pub(crate) struct Tail {
    pub(crate) parts: Vec<Part>,
    /// The part with the open block; `None` before the log's end is known.
    pub(crate) current: Option<usize>,
    /// Where the open block begins, in its part.
    at: u64,
    /// Where the current part ends in its file, if it is in its first lap or may be: nothing was ever written from the
    /// open block to there. Else 0.
    hollow_end: u64,
    open: Vec<u8>,
    records: u16,
    prev: LogPos,
    /// Records of the block before.
    prev_records: u16,
    pub(crate) epoch: u32,
    next_sequence: u32,
    /// Places at the ends of parts that were the end of the log and got no block, and where the log went on: a page may
    /// have noted such a place, and recovery cannot begin there.
    left_empty: Vec<(LogPos, LogPos)>,
    /// Not durable yet, oldest first.
    pub(crate) closed: VecDeque<Arc<Closed>>,
    closed_bytes: u64,
    /// So many of them are being written now.
    taken: usize,
    spares: Vec<Vec<u8>>,

    /// Room of all parts: kept, because every reservation asks for it and a log may have thousands of parts.
    capacity_bytes: u64,
    room_bytes: u64,
    pub(crate) reserved_bytes: u64,
    pub(crate) appended_bytes: u64,

    active: Vec<Option<ActiveTxn>>,
    free_places: Vec<usize>,

    /// Where redo begins after the last checkpoint.
    pub(crate) redo: Lsn,
    pub(crate) keep_until_backup: bool,
    pub(crate) backed_up: Lsn,
    /// Number and place of holds.
    pub(crate) holds: Vec<(u64, LogPos)>,
    pub(crate) next_hold: u64,
    /// A session waits for the open block, or for a closed one.
    pub(crate) flush_wanted: bool,
    /// A commit that no session waits for is in the open block.
    pub(crate) flush_soon: bool,
    pub(crate) stopping: bool,
}

/// No part is free: the reservation was too low, or the caller did not reserve.
#[derive(Debug)]
pub(crate) struct NoPart;

impl Tail {
    pub(crate) fn new(parts: Vec<Part>) -> Tail {
        Tail {
            capacity_bytes: parts.iter().map(Part::room_bytes).sum(),
            parts,
            current: None,
            hollow_end: 0,
            at: 0,
            open: Vec::new(),
            records: 0,
            prev: LogPos(0),
            prev_records: 0,
            epoch: 1,
            next_sequence: 1,
            left_empty: Vec::new(),
            closed: VecDeque::new(),
            closed_bytes: 0,
            taken: 0,
            spares: Vec::new(),
            room_bytes: 0,
            reserved_bytes: 0,
            appended_bytes: 0,
            active: Vec::new(),
            free_places: Vec::new(),
            redo: Lsn::default(),
            keep_until_backup: false,
            backed_up: Lsn::default(),
            holds: Vec::new(),
            next_hold: 0,
            flush_wanted: false,
            flush_soon: false,
            stopping: false,
        }
    }

    /// Begins to append: after `prev` at `at` of part `part`, or in a fresh part.
    pub(crate) fn start(&mut self, place: Option<(usize, u64)>, prev: LogPos, epoch: u32, next_sequence: u32) {
        assert!(
            self.parts.iter().all(|part| part.sequence < next_sequence),
            "T2: number {next_sequence} was given before"
        );
        self.prev = prev;
        self.epoch = epoch;
        self.next_sequence = next_sequence;
        self.room_bytes = self.parts.iter().filter(|part| !part.in_use).map(Part::room_bytes).sum();
        match place {
            Some((part, at)) => {
                assert!((SECTOR_BYTES..=self.parts[part].bytes).contains(&at), "a log goes on at {at} of its part");
                self.room_bytes += self.parts[part].bytes - at;
                self.hollow_end = self.parts[part].offset + self.parts[part].bytes;
                self.set_current(part, at);
            }
            None => self.enter_free_part().expect("a log has a free part at its start"),
        }
        check!(self.room_is_right(), "T1: a log begins with {} bytes of room", self.room_bytes);
    }

    fn set_current(&mut self, part: usize, at: u64) {
        self.current = Some(part);
        self.at = at;
        self.open = self.spares.pop().unwrap_or_else(|| Vec::with_capacity(BYTES_MAX));
        self.open.clear();
        self.open.resize(HEADER_BYTES, 0);
        check!(at.is_multiple_of(SECTOR_BYTES), "a block begins at {at} of its part");
        self.records = 0;
    }

    /// The current part's number.
    fn part(&self) -> &Part {
        &self.parts[self.current.expect("the log is ready")]
    }

    /// Where the open block is.
    pub(crate) fn position(&self) -> LogPos {
        LogPos(u64::from(self.part().sequence) << 32 | (self.at / UNIT_BYTES))
    }

    /// The next record's place, unless a block has to be closed for it.
    pub(crate) fn end_lsn(&self) -> Lsn {
        Lsn { slot: self.records, ..self.position().first_lsn() }
    }

    /// Whether the open block has records.
    pub(crate) fn has_open_records(&self) -> bool {
        self.records > 0
    }

    /// The records of the open block.
    pub(crate) fn open_records(&self) -> &[u8] {
        &self.open[HEADER_BYTES..]
    }

    /// Bytes closed and not yet durable.
    pub(crate) fn closed_bytes(&self) -> u64 {
        self.closed_bytes
    }

    /// Room of all parts.
    pub(crate) fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// What the last reservations leave for what is lost at the ends of blocks and parts (T1).
    fn slack_bytes(&self) -> u64 {
        (self.capacity_bytes() / 16).clamp(96 << 10, 16 << 20).min(self.capacity_bytes() / 4)
    }

    /// Room that has no owner: the slack and what can be reserved.
    fn unreserved_bytes(&self) -> u64 {
        self.room_bytes.saturating_sub(padded(self.open.len() as u64) + self.reserved_bytes)
    }

    /// Room that can be reserved.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.unreserved_bytes().saturating_sub(self.slack_bytes())
    }

    /// Room for a checkpoint's record, which makes room where it can: half of the slack is not for checkpoints that
    /// cannot.
    pub(crate) fn checkpoint_bytes(&self) -> u64 {
        self.unreserved_bytes().saturating_sub(self.slack_bytes() / 2 + SECTOR_BYTES)
    }

    /// Bytes that cannot be given to others.
    pub(crate) fn used_bytes(&self) -> u64 {
        let (capacity, unreserved) = (self.capacity_bytes(), self.unreserved_bytes());
        assert!(unreserved <= capacity, "T1: {unreserved} bytes are free of {capacity}");
        capacity - unreserved
    }

    /// T1: whether the room is what free parts and the rest of the current one have, and the capacity what all parts have.
    fn room_is_right(&self) -> bool {
        let free: u64 = self.parts.iter().filter(|part| !part.in_use).map(Part::room_bytes).sum();
        let all: u64 = self.parts.iter().map(Part::room_bytes).sum();
        self.room_bytes == free + self.part().bytes - self.at && self.capacity_bytes == all
    }

    /// T1: whether the open block and what is reserved are inside the room.
    pub(crate) fn has_reserved(&self) -> bool {
        padded(self.open.len() as u64) + self.reserved_bytes <= self.room_bytes
    }

    /// Sees to a place for a record of `bytes` in the open block.
    fn make_place(&mut self, bytes: usize) -> Result<(), NoPart> {
        if self.records > 0 && (self.open.len() + bytes > BYTES_MAX || self.records == RECORDS_MAX) {
            self.close_block();
        }
        if self.at + padded((self.open.len() + bytes) as u64) <= self.part().bytes {
            return Ok(());
        }
        self.close_block();
        if self.at + padded((self.open.len() + bytes) as u64) > self.part().bytes {
            self.go_on_in_free_part()?;
            assert!(
                self.at + padded((self.open.len() + bytes) as u64) <= self.part().bytes,
                "a fresh part has no room for a record of {bytes} bytes"
            );
        }
        Ok(())
    }

    /// The rest of the part stays empty; its last block is closed.
    fn go_on_in_free_part(&mut self) -> Result<(), NoPart> {
        let (left, rest) = (self.position(), self.part().bytes - self.at);
        self.enter_free_part()?;
        self.room_bytes -= rest;
        self.left_empty.push((left, self.position()));
        check!(self.room_is_right(), "T1: {} bytes of room", self.room_bytes);
        assert!(left < self.position(), "G1: the log goes on before its end at {left:?}");
        Ok(())
    }

    /// What is appended from now on goes to another part, of which one is free.
    pub(crate) fn leave_part(&mut self) {
        self.close_block();
        self.go_on_in_free_part().expect("a part is free");
    }

    /// The place where a block of the log really begins, for one that was the end of the log at some time.
    pub(crate) fn begun_at(&self, position: LogPos) -> LogPos {
        self.left_empty.iter().find(|(left, _)| *left == position).map_or(position, |(_, begun)| *begun)
    }

    /// Sees to it that the next record of `bytes` goes to where the end of the log is.
    pub(crate) fn prepare(&mut self, bytes: usize) -> Result<(), NoPart> {
        self.make_place(bytes)
    }

    /// The next free part after the current one, in the order of files and places, then from the start.
    fn enter_free_part(&mut self) -> Result<(), NoPart> {
        let (count, from) = (self.parts.len(), self.current.map_or(0, |current| current + 1));
        let free = (0..count).map(|n| (from + n) % count).find(|&part| !self.parts[part].in_use).ok_or(NoPart)?;
        let part = &mut self.parts[free];
        assert!(
            part.sequence < self.next_sequence,
            "T2: part {} gets the number {}",
            part.sequence,
            self.next_sequence
        );
        part.in_use = true;
        self.hollow_end = if part.sequence == 0 { part.offset + part.bytes } else { 0 };
        part.sequence = self.next_sequence;
        self.next_sequence += 1;
        self.set_current(free, SECTOR_BYTES);
        Ok(())
    }

    /// Closes the open block, if it has records, and opens the next one after it; at the end of a part that is a place
    /// without room, which the next record leaves.
    pub(crate) fn close_block(&mut self) {
        if self.records == 0 {
            return;
        }
        let part = *self.part();
        let position = self.position();
        let total = padded(self.open.len() as u64);
        assert!(self.at + total <= part.bytes, "T1: a block at {} of {total} bytes leaves its part", self.at);
        assert!(self.room_bytes >= total, "T1: a block of {total} bytes in a room of {}", self.room_bytes);
        assert!(self.prev < position, "G1: block {position:?} follows {:?}", self.prev);
        let header = BlockHeader {
            position,
            prev: self.prev,
            epoch: self.epoch,
            used_bytes: self.open.len() as u32,
            total_bytes: total as u32,
            records: self.records,
            // The writer knows.
            begins_group: false,
            part_bytes: part.bytes,
        };
        check!(
            self.closed.back().is_none_or(|last| last.header.position == self.prev),
            "G1: block {position:?} does not follow the block that was closed last"
        );
        let bytes = std::mem::take(&mut self.open);
        let (offset, hollow_end) = (part.offset + self.at, self.hollow_end);
        self.closed.push_back(Arc::new(Closed { header, file: part.file, offset, bytes, hollow_end }));
        self.closed_bytes += total;
        (self.prev, self.prev_records) = (position, self.records);
        self.room_bytes -= total;
        self.set_current(self.current.expect("the log is ready"), self.at + total);
        check!(self.room_is_right(), "T1: {} bytes of room", self.room_bytes);
    }

    /// Blocks are closed and not being written yet.
    pub(crate) fn has_closed(&self) -> bool {
        self.closed.len() > self.taken
    }

    /// The last block that is durable; 0 when there is none.
    pub(crate) fn last_durable(&self) -> LogPos {
        self.closed.front().map_or(self.prev, |block| block.header.prev)
    }

    /// All closed blocks, to be written now; one at a time does that.
    pub(crate) fn take_closed(&mut self) -> Vec<Arc<Closed>> {
        self.taken = self.closed.len();
        self.closed.iter().cloned().collect()
    }

    /// The oldest closed blocks are durable now.
    pub(crate) fn forget_closed(&mut self, count: usize) {
        assert!(count <= self.closed.len(), "{count} blocks are durable of {}", self.closed.len());
        self.taken = 0;
        for _ in 0..count {
            let Some(block) = self.closed.pop_front() else { return };
            self.closed_bytes -= u64::from(block.header.total_bytes);
            if let Ok(block) = Arc::try_unwrap(block)
                && self.spares.len() < SPARES_MAX
                && block.bytes.capacity() <= RECORD_BYTES_MAX
            {
                self.spares.push(block.bytes);
            }
        }
        check!(
            self.closed_bytes == self.closed.iter().map(|block| u64::from(block.header.total_bytes)).sum::<u64>(),
            "{} bytes are counted in blocks that are not durable",
            self.closed_bytes
        );
    }

    /// Appends a record; the caller has reserved its space.
    pub(crate) fn append(
        &mut self,
        kind: RecordKind,
        txn: TxnId,
        prev: Option<Lsn>,
        body: &[u8],
    ) -> Result<(Lsn, u64), NoPart> {
        let has_txn = txn.0 != 0;
        let bytes = record::record_bytes(has_txn, body.len());
        assert!(bytes <= RECORD_BYTES_MAX, "a record of {bytes} bytes; the most is {RECORD_BYTES_MAX}");
        self.make_place(bytes)?;
        let lsn = self.end_lsn();
        check!(prev.is_none_or(|prev| prev < lsn), "G1: the record at {lsn} names a later one before it");
        check!(self.records < RECORDS_MAX, "a block of {} records gets one more", self.records);
        record::encode(kind, txn, prev, body, &mut self.open);
        assert!(self.open.len() <= self.part().bytes as usize, "T1: a block of {} bytes", self.open.len());
        check!(
            self.at + padded(self.open.len() as u64) <= self.part().bytes,
            "T1: the open block of {} bytes at {} leaves its part",
            self.open.len(),
            self.at
        );
        self.records += 1;
        self.appended_bytes += bytes as u64;
        Ok((lsn, bytes as u64))
    }

    /// Enters a transaction into the table, or renews its row.
    pub(crate) fn set_active(&mut self, place: Option<usize>, txn: ActiveTxn) -> usize {
        assert!(
            place.is_none_or(|place| self.active[place].is_some_and(|known| known.id == txn.id)),
            "T3: transaction {} has another one's row",
            txn.id.0
        );
        check!(
            txn.first <= txn.last,
            "T3: transaction {} begins at {} and has come to {}",
            txn.id.0,
            txn.first,
            txn.last
        );
        let place = place.or_else(|| self.free_places.pop()).unwrap_or_else(|| {
            self.active.push(None);
            self.active.len() - 1
        });
        check!(!self.free_places.contains(&place), "T3: the row of transaction {} is free", txn.id.0);
        self.active[place] = Some(txn);
        check!(self.active().filter(|row| row.id == txn.id).count() == 1, "T3: transaction {} has two rows", txn.id.0);
        place
    }

    /// The transaction has ended.
    pub(crate) fn clear_active(&mut self, place: usize) {
        assert!(self.active[place].is_some(), "T3: a transaction ends twice");
        if self.active[place].take().is_some() {
            check!(!self.free_places.contains(&place), "T3: row {place} becomes free twice");
            self.free_places.push(place);
        }
    }

    /// Open transactions.
    pub(crate) fn active(&self) -> impl Iterator<Item = ActiveTxn> {
        self.active.iter().flatten().copied()
    }

    /// The oldest place that is needed, and what keeps the part from being freed that it lies in.
    pub(crate) fn oldest_needed(&self) -> (LogPos, ReuseWait) {
        let mut oldest = (self.position(), ReuseWait::Nothing);
        let mut need = |position: LogPos, why: ReuseWait| {
            if position < oldest.0 {
                oldest = (position, why);
            }
        };
        self.holds.iter().for_each(|hold| need(hold.1, ReuseWait::ActiveBackupOrRestore));
        self.active().for_each(|txn| need(txn.first.position(), ReuseWait::ActiveTransaction));
        if self.keep_until_backup {
            need(self.backed_up.position(), ReuseWait::LogBackup);
        }
        need(self.redo.position(), ReuseWait::Checkpoint);
        // The current part is in use anyway.
        if oldest.0.sequence() == self.part().sequence { (oldest.0, ReuseWait::Nothing) } else { oldest }
    }

    /// Frees the parts that are not needed any more (T2).
    pub(crate) fn cut(&mut self) {
        let (oldest, _) = self.oldest_needed();
        let current = self.current;
        assert!(oldest <= self.position(), "T2: {oldest:?} is needed, after the end of the log");
        self.left_empty.retain(|(_, begun)| *begun >= oldest);
        for (index, part) in self.parts.iter_mut().enumerate() {
            if part.in_use && part.sequence < oldest.sequence() && Some(index) != current {
                part.in_use = false;
                self.room_bytes += part.room_bytes();
            }
        }
        check!(self.room_is_right(), "T1: {} bytes of room after a cut", self.room_bytes);
        check!(self.is_kept(self.redo.position()), "T2: recovery begins at {}, in a part that is free", self.redo);
        check!(
            self.active().all(|txn| self.is_kept(txn.first.position())),
            "T2: the first record of an open transaction is in a part that is free"
        );
        check!(
            self.holds.iter().all(|hold| self.is_kept(hold.1)),
            "T2: the log is held from a place on whose part is free"
        );
    }

    /// T2: whether the part of a place is in use.
    pub(crate) fn is_kept(&self, position: LogPos) -> bool {
        self.parts.iter().any(|part| part.in_use && part.sequence == position.sequence())
    }

    /// New parts may be used.
    pub(crate) fn add_parts(&mut self, parts: &[Part]) {
        assert!(parts.iter().all(|part| !part.in_use), "T2: a new part is in use");
        let meets = |one: &Part, other: &Part| {
            one.file == other.file && one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes
        };
        assert!(
            parts.iter().all(|new| self.parts.iter().all(|old| !meets(new, old))),
            "T2: a new part of the log lies where another one is"
        );
        self.parts.extend_from_slice(parts);
        let added_bytes = parts.iter().map(Part::room_bytes).sum::<u64>();
        self.capacity_bytes += added_bytes;
        if self.current.is_some() {
            self.room_bytes += added_bytes;
        }
        check!(self.current.is_none() || self.room_is_right(), "T1: {} bytes of room with new parts", self.room_bytes);
    }

    /// Takes the parts of a file away, if none is in use.
    pub(crate) fn remove_parts_of(&mut self, file: usize) -> bool {
        if self.parts.iter().any(|part| part.file == file && part.in_use) {
            return false;
        }
        let current = self.current.map(|index| self.parts[index]);
        let removed_bytes = self.parts.iter().filter(|part| part.file == file).map(Part::room_bytes).sum::<u64>();
        self.room_bytes -= removed_bytes;
        self.capacity_bytes -= removed_bytes;
        self.parts.retain(|part| part.file != file);
        self.current = current.and_then(|current| self.parts.iter().position(|part| *part == current));
        assert!(self.current.is_some() || current.is_none(), "T2: the part that is written to is gone");
        check!(current.is_none() || self.room_is_right(), "T1: {} bytes of room", self.room_bytes);
        true
    }

    /// Whether a block at `position` comes right after the one at `last`.
    pub(crate) fn begins_after(&self, position: LogPos, last: LogPos) -> bool {
        let closed = self.closed.iter().find(|block| block.header.position == position);
        let prev = closed.map_or(self.prev, |block| block.header.prev);
        (closed.is_some() || position == self.position()) && prev == last
    }

    /// Whether `now` is the place after the record `last`, with nothing in between.
    pub(crate) fn follows(&self, last: Lsn, now: Lsn) -> bool {
        let in_block = now.position() == last.position() && now.slot == last.slot + 1;
        in_block
            || (now.slot == 0
                && now == self.end_lsn()
                && self.prev == last.position()
                && self.prev_records == last.slot + 1)
    }

    /// Bytes of log between a place and the end.
    pub(crate) fn bytes_since(&self, from: LogPos) -> u64 {
        let now = self.position();
        check!(from <= now, "bytes are counted from {from:?} on, and the log ends at {now:?}");
        let in_part = |part: &Part| {
            let start =
                if part.sequence == from.sequence() { u64::from(from.block()) * UNIT_BYTES } else { SECTOR_BYTES };
            let end = if part.sequence == now.sequence() { self.at } else { part.bytes };
            end.saturating_sub(start)
        };
        let parts = self.parts.iter().filter(|p| p.in_use && p.sequence >= from.sequence() && p.sequence != 0);
        parts.map(in_part).sum::<u64>() + (self.open.len() - HEADER_BYTES) as u64
    }
}
