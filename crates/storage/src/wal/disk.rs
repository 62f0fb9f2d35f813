//! A log file on its device: parts (VLFs) and where they lie.
//!
//! ```text
//!   0            8192         12288        16384
//!   +------------+------------+------------+----------------------------+-----------------------+----
//!   |file header |anchor A    |anchor B    |part: head 4096 │ blocks …  |part: head │ blocks …  | …
//!   +------------+------------+------------+----------------------------+-----------------------+----
//!                 first file only            head: magic │ format │ GUID │ offset │ size │ CRC-32C
//! ```
//!
//! What always holds: a part's head is written when the file is made or grows, is synced before the part is used, and never
//! changes; so no crash makes a part's place unknown. Every write is charged to the file as [`WriteReason::Log`], new
//! parts as [`WriteReason::Growth`].

use std::sync::Arc;

use millpond_device::DeviceError;

use crate::ask::as_server;
use crate::check;
use crate::contract::{FileId, PAGE_BYTES, SessionId, WriteReason};
use crate::file::StorageFile;
use crate::happened::{FILE_SIZES, Happened};
use crate::wait::WaitStats;
use crate::wal::block::SECTOR_BYTES;

/// Where the anchors are.
pub(crate) const ANCHORS_AT: [u64; 2] = [PAGE_BYTES as u64, PAGE_BYTES as u64 + SECTOR_BYTES];
/// Where the parts begin.
pub(crate) const PARTS_AT: u64 = 2 * PAGE_BYTES as u64;
/// The smallest part: two of the longest records and some.
pub(crate) const PART_BYTES_MIN: u64 = 256 << 10;
const MAGIC: [u8; 8] = *b"MPLOGPRT";
const FORMAT: u32 = 1;

/// A part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Index of the file in the log.
    pub(crate) file: usize,
    /// Of its head, in the file.
    pub(crate) offset: u64,
    /// With the head.
    pub(crate) bytes: u64,
    /// Number of its current or last lap; 0 before the first.
    pub(crate) sequence: u32,
    /// Whether it holds records that may be needed.
    pub(crate) in_use: bool,
}

impl Part {
    /// Bytes for blocks.
    pub(crate) fn room_bytes(&self) -> u64 {
        self.bytes - SECTOR_BYTES
    }
}

/// A log file.
#[derive(Clone, Debug)]
pub(crate) struct LogDisk {
    file: Arc<StorageFile>,
    /// The file was removed: it keeps its place among the files of the log, so that parts and blocks of others keep theirs.
    is_gone: bool,
}

impl LogDisk {
    pub(crate) fn new(file: Arc<StorageFile>) -> LogDisk {
        LogDisk { file, is_gone: false }
    }

    pub(crate) fn id(&self) -> FileId {
        self.file.id()
    }

    /// Whether it is this file, and of the log still: the number of one that is gone is given to others.
    pub(crate) fn is(&self, file: FileId) -> bool {
        !self.is_gone && self.file.id() == file
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// The file is of the log no more.
    pub(crate) fn leave(&mut self) {
        assert!(!self.is_gone, "log file {} is removed twice", self.id());
        self.is_gone = true;
    }

    pub(crate) fn len_bytes(&self) -> u64 {
        self.file.device().len_bytes()
    }

    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.file.device().read_at(offset, bytes)
    }

    pub(crate) fn write(&self, offset: u64, bytes: &[u8], reason: WriteReason) -> Result<(), DeviceError> {
        check!(
            offset.is_multiple_of(SECTOR_BYTES) && (bytes.len() as u64).is_multiple_of(SECTOR_BYTES),
            "{} bytes of log are written at {offset}, and not by sectors",
            bytes.len()
        );
        self.file.device().write_at(offset, bytes)?;
        as_server(|ask| self.file.charge(ask, reason, bytes.len() as u64));
        Ok(())
    }

    /// Whether the first write to a place costs more than the next ones.
    pub(crate) fn is_slow_at_first(&self) -> bool {
        !self.file.is_ram()
    }

    pub(crate) fn sync(&self) -> Result<(), DeviceError> {
        self.file.device().sync()
    }

    /// Makes the file longer by its growth; false when it may not grow.
    pub(crate) fn grow(&self) -> Result<bool, DeviceError> {
        let Some(next_pages) = self.file.limits().next_size(self.file.size_pages()) else { return Ok(false) };
        let before_bytes = self.len_bytes();
        self.file.grow_to(next_pages)?;
        assert!(
            self.len_bytes() > before_bytes,
            "log file {} has grown, and has {before_bytes} bytes still",
            self.id()
        );
        Ok(true)
    }

    /// The file had so many bytes before it has grown by itself.
    pub(crate) fn tell_size(&self, waits: &WaitStats, before_bytes: u64, began_us: u64) {
        waits.hook.tell(FILE_SIZES, || {
            let (session, db, file, name) = (SessionId(0), self.file.db(), self.file.id(), self.file.name());
            let pages = [before_bytes, self.len_bytes()].map(|bytes| (bytes / PAGE_BYTES as u64) as u32);
            let took_us = waits.now_us().saturating_sub(began_us);
            Happened::FileSize { session, db, file, name, is_log: true, is_automatic: true, pages, took_us }
        });
    }

    /// Writes the heads of parts that fill the file from `from` on; they may be used afterwards.
    pub(crate) fn make_parts(
        &self,
        file: usize,
        from: u64,
        log_bytes: u64,
        guid: &[u8; 16],
    ) -> Result<Vec<Part>, DeviceError> {
        let parts: Vec<Part> = divide(from, self.len_bytes(), log_bytes)
            .map(|(offset, bytes)| Part { file, offset, bytes, sequence: 0, in_use: false })
            .collect();
        // The last head first: a file whose growth was cut short has no part after a hole.
        check!(
            parts.windows(2).all(|pair| pair[0].offset + pair[0].bytes == pair[1].offset),
            "parts lie one after the other without a gap"
        );
        check!(
            parts.last().is_none_or(|last| last.offset + last.bytes <= self.len_bytes()),
            "a part reaches beyond its file"
        );
        assert!(
            parts.iter().all(|part| part.bytes >= PART_BYTES_MIN && part.offset.is_multiple_of(SECTOR_BYTES)),
            "parts have room for two of the longest records, and begin at sectors"
        );
        for part in parts.iter().rev() {
            self.write(part.offset, &part_head(part, guid), WriteReason::Growth)?;
        }
        if !parts.is_empty() {
            self.sync()?;
        }
        check!(parts.iter().all(|part| part.sequence == 0 && !part.in_use), "T2: a new part is in use");
        Ok(parts)
    }

    /// Makes the file longer by one part of a given size, which is in use already where it has a number.
    pub(crate) fn append_part(
        &self,
        offset: u64,
        bytes: u64,
        sequence: u32,
        guid: &[u8; 16],
    ) -> Result<Part, DeviceError> {
        assert!(bytes >= PART_BYTES_MIN || sequence != 0, "a new part of {bytes} bytes");
        let part = Part { file: 0, offset, bytes, sequence, in_use: sequence != 0 };
        if self.len_bytes() < offset + bytes {
            self.file.device().set_len(offset + bytes)?;
        }
        self.write(offset, &part_head(&part, guid), WriteReason::Growth)?;
        Ok(part)
    }

    /// The parts that the file has.
    pub(crate) fn find_parts(&self, file: usize, guid: &[u8; 16]) -> Result<FoundParts, DeviceError> {
        let mut found = FoundParts { parts: Vec::new(), end: PARTS_AT, is_cut: false, newer: None };
        let len = self.len_bytes();
        while found.end + SECTOR_BYTES <= len {
            let mut head = [0; SECTOR_BYTES as usize];
            self.read(found.end, &mut head)?;
            let Some(bytes) = read_part_head(&head, guid, found.end) else {
                found.newer = newer_format(&head);
                break;
            };
            if found.end + bytes > len {
                found.is_cut = true;
                break;
            }
            found.parts.push(Part { file, offset: found.end, bytes, sequence: 0, in_use: false });
            found.end += bytes;
        }
        Ok(found)
    }
}

/// What a log file has.
#[derive(Debug)]
pub(crate) struct FoundParts {
    pub(crate) parts: Vec<Part>,
    /// After the last one.
    pub(crate) end: u64,
    /// The file ends inside a part.
    pub(crate) is_cut: bool,
    /// A part of a newer format follows.
    pub(crate) newer: Option<u32>,
}

/// Places of new parts between `from` and `len` of a log that has `log_bytes` so far: one for a small growth, else 4, 8
/// from 64 MB on, 16 beyond 1 GB; never smaller than they must be. What is left over belongs to the last one.
fn divide(from: u64, len: u64, log_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let room = len.saturating_sub(from) / SECTOR_BYTES * SECTOR_BYTES;
    let wanted = match room {
        _ if room < log_bytes / 8 => 1,
        0..=0x3ff_ffff => 4,
        0x400_0000..=0x4000_0000 => 8,
        _ => 16,
    };
    let count = wanted.min(room / PART_BYTES_MIN);
    let each = (room / count.max(1)) / SECTOR_BYTES * SECTOR_BYTES;
    (0..count).map(move |n| {
        let offset = from + n * each;
        (offset, if n + 1 == count { from + room - offset } else { each })
    })
}

pub(crate) fn part_head(part: &Part, guid: &[u8; 16]) -> [u8; SECTOR_BYTES as usize] {
    let mut head = [0; SECTOR_BYTES as usize];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    head[16..32].copy_from_slice(guid);
    head[32..40].copy_from_slice(&part.offset.to_le_bytes());
    head[40..48].copy_from_slice(&part.bytes.to_le_bytes());
    let checksum = crc32c::crc32c(&head[..48]);
    head[48..52].copy_from_slice(&checksum.to_le_bytes());
    head
}

fn has_checksum(head: &[u8]) -> bool {
    head[..8] == MAGIC && head[48..52] == crc32c::crc32c(&head[..48]).to_le_bytes()
}

fn newer_format(head: &[u8]) -> Option<u32> {
    let format = u32::from_le_bytes(head[8..12].try_into().expect("4 bytes"));
    (has_checksum(head) && format > FORMAT).then_some(format)
}

/// Size of the part whose head that is.
fn read_part_head(head: &[u8], guid: &[u8; 16], offset: u64) -> Option<u64> {
    let u64_at = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes"));
    let ours = has_checksum(head) && head[8..12] == FORMAT.to_le_bytes() && &head[16..32] == guid;
    let bytes = u64_at(40);
    let sound = u64_at(32) == offset && bytes >= PART_BYTES_MIN && bytes.is_multiple_of(SECTOR_BYTES);
    (ours && sound && offset.checked_add(bytes).is_some()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_room_and_none_is_too_small() {
        let sizes = |from, len, log| divide(from, len, log).map(|(_, bytes)| bytes).collect::<Vec<_>>();
        assert_eq!(sizes(0, 8 << 20, 0), [2 << 20; 4]);
        assert_eq!(sizes(0, 1 << 20, 100 << 20), [1 << 20]);
        assert_eq!(sizes(0, 600 << 10, 0), [300 << 10; 2]);
        assert_eq!(sizes(0, 255 << 10, 0), []);
        assert_eq!(sizes(0, 64 << 20, 0).len(), 8);
        assert_eq!(sizes(0, (1 << 30) + 4096, 0).len(), 16);
        let places: Vec<_> = divide(16384, (8 << 20) + 100, 0).collect();
        assert!(places.windows(2).all(|w| w[0].0 + w[0].1 == w[1].0));
        assert_eq!(places.last().map(|p| p.0 + p.1), Some(8 << 20));
    }
}
