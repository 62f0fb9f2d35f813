//! Reads the log back from its files, block by block in its order.
//!
//! What always holds: a block that is not exactly the next one ends the log; see `block` for what "next" means. Where a
//! part has no next block, the log goes on in the part whose first block names the last one.

use std::sync::Arc;

use millpond_device::DeviceError;

use crate::check;
use crate::contract::FileId;
use crate::page::header::LogPos;
use crate::wal::block::{BlockHeader, HEADER_BYTES, RECORD_BYTES_MAX, SECTOR_BYTES, UNIT_BYTES};
use crate::wal::damage::{EndedLog, FirstBlock};
use crate::wal::disk::{LogDisk, Part};

/// Bytes of a read.
const READ_BYTES: u64 = 1 << 20;
/// The longest block.
const BLOCK_BYTES_MAX: u64 = RECORD_BYTES_MAX as u64 + 2 * SECTOR_BYTES;

/// A block that was read; its bytes are shared with its neighbours.
#[derive(Clone, Debug)]
pub(crate) struct ReadBlock {
    pub(crate) header: BlockHeader,
    chunk: Arc<Vec<u8>>,
    at: usize,
}

impl ReadBlock {
    /// Its records.
    pub(crate) fn records(&self) -> &[u8] {
        &self.chunk[self.at + HEADER_BYTES..self.at + self.header.used_bytes as usize]
    }

    /// All of it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.chunk[self.at..self.at + self.header.total_bytes as usize]
    }
}

/// Reads the block at `at` of a part, if there is a whole one.
pub(crate) fn read_block(
    disks: &[LogDisk],
    guid: &[u8; 16],
    part: &Part,
    at: u64,
) -> Result<Option<ReadBlock>, DeviceError> {
    let Some(rest) = part.bytes.checked_sub(at).filter(|rest| *rest >= SECTOR_BYTES) else { return Ok(None) };
    let mut bytes = vec![0; SECTOR_BYTES as usize];
    disks[part.file].read(part.offset + at, &mut bytes)?;
    let Some(header) = BlockHeader::peek(&bytes, guid).filter(|h| u64::from(h.total_bytes) <= rest) else {
        return Ok(None);
    };
    let head = bytes.len().min(header.total_bytes as usize);
    bytes.resize(header.total_bytes as usize, 0);
    disks[part.file].read(part.offset + at + head as u64, &mut bytes[head..])?;
    let header = BlockHeader::read(&bytes, guid).filter(|header| header.part_bytes == part.bytes);
    Ok(header.map(|header| ReadBlock { header, chunk: Arc::new(bytes), at: 0 }))
}

/// The first block of each part, where there is one.
pub(crate) fn first_blocks(
    disks: &[LogDisk],
    guid: &[u8; 16],
    parts: &[Part],
) -> Result<Vec<Option<FirstBlock>>, DeviceError> {
    let first = |part: &Part| {
        let block = read_block(disks, guid, part, SECTOR_BYTES)?;
        let header = block.map(|block| block.header);
        let at_start = header.filter(|h| u64::from(h.position.block()) * UNIT_BYTES == SECTOR_BYTES);
        Ok(at_start.map(|h| FirstBlock { position: h.position, prev: h.prev, epoch: h.epoch }))
    };
    parts.iter().map(first).collect()
}

/// Reads on from a place.
pub(crate) struct LogReader {
    disks: Vec<LogDisk>,
    guid: [u8; 16],
    parts: Vec<Part>,
    firsts: Vec<Option<FirstBlock>>,
    /// Index of the part, and place in it.
    part: usize,
    at: u64,
    /// The last block; `None` before the first.
    last: Option<(LogPos, u32)>,
    /// What was read of the part, and where it begins in it.
    chunk: Arc<Vec<u8>>,
    chunk_at: u64,
}

impl LogReader {
    /// Reads from the block at `start` on; `None` when no part has that number.
    pub(crate) fn new(
        disks: Vec<LogDisk>,
        guid: [u8; 16],
        parts: Vec<Part>,
        firsts: Vec<Option<FirstBlock>>,
        start: LogPos,
    ) -> Option<LogReader> {
        assert!(parts.len() == firsts.len(), "{} parts of a log have {} first blocks", parts.len(), firsts.len());
        let is_start = |first: &Option<FirstBlock>| first.is_some_and(|f| f.position.sequence() == start.sequence());
        let part = firsts.iter().position(is_start)?;
        let at = u64::from(start.block()) * UNIT_BYTES;
        Some(LogReader { disks, guid, parts, firsts, part, at, last: None, chunk: Arc::default(), chunk_at: 0 })
    }

    /// Index of the part and place in it where the next block would be.
    pub(crate) fn place(&self) -> (usize, u64) {
        (self.part, self.at)
    }

    /// The last block's place and epoch.
    pub(crate) fn last(&self) -> Option<(LogPos, u32)> {
        self.last
    }

    /// The log as it was read, to be asked whether it is damaged here. `before` is the place before the first block that
    /// was to be read.
    pub(crate) fn ended(&self, before: LogPos) -> EndedLog<'_> {
        EndedLog {
            disks: &self.disks,
            guid: &self.guid,
            parts: &self.parts,
            firsts: &self.firsts,
            place: Some(self.place()),
            last: self.last.unwrap_or((before, 0)),
        }
    }

    /// File and offset in it where the next block would be.
    pub(crate) fn offset(&self) -> (FileId, u64) {
        let part = &self.parts[self.part];
        (self.disks[part.file].id(), part.offset + self.at)
    }

    /// The next block; `None` at the end of the log.
    pub(crate) fn next(&mut self) -> Result<Option<ReadBlock>, DeviceError> {
        if let Some(block) = self.block_here()? {
            return Ok(Some(self.advance(block)));
        }
        let Some(part) = self.next_part() else { return Ok(None) };
        let (from_part, from_at) = self.place();
        (self.part, self.at, self.chunk) = (part, SECTOR_BYTES, Arc::default());
        match self.block_here()? {
            Some(block) => Ok(Some(self.advance(block))),
            None => {
                (self.part, self.at, self.chunk) = (from_part, from_at, Arc::default());
                Ok(None)
            }
        }
    }

    fn advance(&mut self, block: ReadBlock) -> ReadBlock {
        check!(
            self.last.is_none_or(|(last, _)| last < block.header.position),
            "G1: block {:?} is read after {:?}",
            block.header.position,
            self.last
        );
        self.at += u64::from(block.header.total_bytes);
        self.last = Some((block.header.position, block.header.epoch));
        block
    }

    /// The part in which the log goes on.
    fn next_part(&self) -> Option<usize> {
        let (last, epoch) = self.last?;
        let follows =
            |first: &Option<FirstBlock>| first.is_some_and(|f| f.prev == last && f.position > last && f.epoch >= epoch);
        self.firsts.iter().position(follows)
    }

    /// The block at the current place, if it is the next one.
    fn block_here(&mut self) -> Result<Option<ReadBlock>, DeviceError> {
        let part = self.parts[self.part];
        let sequence = self.firsts[self.part].map_or(0, |first| first.position.sequence());
        let expected = LogPos(u64::from(sequence) << 32 | (self.at / UNIT_BYTES));
        let Some(header) = self.header_here(&part)? else { return Ok(None) };
        let follows = self.last.is_none_or(|(last, epoch)| header.prev == last && header.epoch >= epoch);
        if header.position != expected || header.part_bytes != part.bytes || !follows {
            return Ok(None);
        }
        let at = (self.at - self.chunk_at) as usize;
        Ok(Some(ReadBlock { header, chunk: self.chunk.clone(), at }))
    }

    /// A whole block at the current place of the chunk; the chunk is read again where it ends too early.
    fn header_here(&mut self, part: &Part) -> Result<Option<BlockHeader>, DeviceError> {
        let rest = part.bytes.saturating_sub(self.at);
        if rest < SECTOR_BYTES {
            return Ok(None);
        }
        let has = |chunk: &[u8], chunk_at: u64, at: u64| (chunk_at + chunk.len() as u64).saturating_sub(at);
        if self.at < self.chunk_at || has(&self.chunk, self.chunk_at, self.at) < BLOCK_BYTES_MAX.min(rest) {
            let mut chunk = vec![0; READ_BYTES.min(rest) as usize];
            self.disks[part.file].read(part.offset + self.at, &mut chunk)?;
            (self.chunk, self.chunk_at) = (Arc::new(chunk), self.at);
        }
        Ok(BlockHeader::read(&self.chunk[(self.at - self.chunk_at) as usize..], &self.guid))
    }
}
