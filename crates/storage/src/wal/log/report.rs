//! What views show of a log.

use crate::check;
use std::sync::atomic::Ordering::Relaxed;

use super::Log;
use crate::contract::FileId;
use crate::page::header::{LogPos, Lsn};
use crate::wal::disk::{LogDisk, Part};
use crate::wal::tail::ReuseWait;

/// State of a log, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogReport {
    /// Size of all files.
    pub size_bytes: u64,
    /// Room for blocks.
    pub capacity_bytes: u64,
    /// Of it in use: from the oldest record that is needed to the end, and what is reserved.
    pub used_bytes: u64,
    /// Of it reserved for undo and for changes under way.
    pub reserved_bytes: u64,
    /// Log parts (VLFs) in all.
    pub parts: usize,
    /// Of them in use.
    pub active_parts: usize,
    /// What keeps the log from being cut.
    pub reuse_wait: ReuseWait,
    /// The end: where the next record goes, at the earliest.
    pub end: Lsn,
    /// Everything up to here is durable.
    pub durable: Lsn,
    /// Where recovery would begin.
    pub recovery: Lsn,
    /// Bytes between there and the end: what recovery would read.
    pub recovery_bytes: u64,
    /// The oldest record that is kept.
    pub oldest: Lsn,
    /// Everything before was backed up.
    pub backed_up: Lsn,
    /// Bytes from there to the end.
    pub unbacked_bytes: u64,
    /// Bytes of records appended since the log was opened.
    pub appended_bytes: u64,
    /// Groups written and synced since then.
    pub flushes: u64,
    /// Of each file: bytes for blocks, and of them in parts in use.
    pub files: Vec<(FileId, u64, u64)>,
}

/// A part of the log, for `sys.dm_db_log_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartReport {
    /// Its file.
    pub file: FileId,
    /// Where it begins in the file.
    pub offset_bytes: u64,
    /// Its size.
    pub size_bytes: u64,
    /// Number of its lap; 0 when it was never used.
    pub sequence: u32,
    /// Whether it holds records that may be needed.
    pub is_active: bool,
}

impl Log {
    /// Sizes and places.
    #[must_use]
    pub fn report(&self) -> LogReport {
        let disks = self.core.disks.read().clone();
        let durable = self.durable_lsn();
        let tail = self.core.tail.lock();
        let ready = tail.current.is_some();
        let (oldest, reuse_wait) = if ready { tail.oldest_needed() } else { (LogPos(0), ReuseWait::Checkpoint) };
        check!(
            !ready || durable.position() < tail.position() && tail.redo <= tail.end_lsn(),
            "G1: log up to {durable} is durable, recovery begins at {}, and the log ends at {}",
            tail.redo,
            tail.end_lsn()
        );
        let of_file = |(index, disk): (usize, &LogDisk)| {
            let parts = tail.parts.iter().filter(|part| part.file == index);
            let bytes = |parts: &mut dyn Iterator<Item = &Part>| parts.map(Part::room_bytes).sum();
            (disk.id(), bytes(&mut parts.clone()), bytes(&mut parts.filter(|part| part.in_use)))
        };
        LogReport {
            size_bytes: disks.iter().filter(|disk| !disk.is_gone()).map(LogDisk::len_bytes).sum(),
            capacity_bytes: tail.capacity_bytes(),
            used_bytes: if ready { tail.used_bytes() } else { tail.capacity_bytes() },
            reserved_bytes: tail.reserved_bytes,
            parts: tail.parts.len(),
            active_parts: tail.parts.iter().filter(|part| part.in_use).count(),
            reuse_wait,
            end: if ready { tail.end_lsn() } else { Lsn::default() },
            durable,
            recovery: tail.redo,
            recovery_bytes: if ready { tail.bytes_since(tail.redo.position()) } else { 0 },
            oldest: oldest.first_lsn(),
            backed_up: tail.backed_up,
            unbacked_bytes: if ready { tail.bytes_since(tail.backed_up.position()) } else { 0 },
            appended_bytes: tail.appended_bytes,
            flushes: self.core.flushes.load(Relaxed),
            files: disks.iter().enumerate().filter(|(_, disk)| !disk.is_gone()).map(of_file).collect(),
        }
    }

    /// Bytes of log between a place and the end.
    #[must_use]
    pub fn bytes_since(&self, from: Lsn) -> u64 {
        self.core.tail.lock().bytes_since(from.position())
    }

    /// The parts, in order of files and places.
    #[must_use]
    pub fn part_reports(&self) -> Vec<PartReport> {
        let disks = self.core.disks.read().clone();
        let tail = self.core.tail.lock();
        let report = |part: &Part| PartReport {
            file: disks[part.file].id(),
            offset_bytes: part.offset,
            size_bytes: part.bytes,
            sequence: part.sequence,
            is_active: part.in_use,
        };
        let mut reports: Vec<PartReport> = tail.parts.iter().map(report).collect();
        reports.sort_by_key(|part| (part.file, part.offset_bytes));
        reports
    }
}
