//! Whether a log that ends somewhere is damaged there: a flipped bit must not end it in silence.
//!
//! ```text
//!   group: B1 B2 │ sync │ group: B3 B4 B5 │ sync │ group: B6 …         * begins a group
//!          *              *                          *
//!   B4 is broken, nothing of a later group is there  ─▶ a torn write: the group was never acknowledged, the log ends at B3
//!   B4 is broken, B6 is there                        ─▶ damage: B6 was written when B4 was durable
//! ```
//!
//! What always holds: a log is called damaged only if a block after its end begins a group, follows another block after
//! that end, and is of no earlier opening of the log than the end, or if the anchor names a later end. Blocks that an
//! earlier opening or an earlier lap left there prove nothing: a new opening has a higher epoch, a new lap higher places.

use millpond_device::DeviceError;

use crate::page::header::LogPos;
use crate::wal::block::{BlockHeader, RECORD_BYTES_MAX, SECTOR_BYTES, UNIT_BYTES};
use crate::wal::disk::{LogDisk, Part};

/// Bytes of a read, without the rest of a block that begins in it.
const READ_BYTES: u64 = 1 << 20;
/// The longest block.
const BLOCK_BYTES_MAX: u64 = RECORD_BYTES_MAX as u64 + 2 * SECTOR_BYTES;
/// A part that the log is in, or went on in, is searched until so much has no block that goes on.
const SILENCE_BYTES: u64 = 4 << 20;
/// Likewise a part whose first block cannot be read; nearly all of them were never used.
const SILENCE_UNKNOWN_BYTES: u64 = 256 << 10;

/// Where a part's first block says it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstBlock {
    pub(crate) position: LogPos,
    pub(crate) prev: LogPos,
    pub(crate) epoch: u32,
}

/// A log as it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedLog<'l> {
    pub(crate) disks: &'l [LogDisk],
    pub(crate) guid: &'l [u8; 16],
    pub(crate) parts: &'l [Part],
    pub(crate) firsts: &'l [Option<FirstBlock>],
    /// Part and place in it where the next block would be; `None` when no part was found that the log begins in.
    pub(crate) place: Option<(usize, u64)>,
    /// The last block's place and epoch; of a log without blocks the place before its first, and 0.
    pub(crate) last: (LogPos, u32),
}

impl EndedLog<'_> {
    /// A block after the end that proves that the log went on.
    pub(crate) fn proof(&self) -> Result<Option<LogPos>, DeviceError> {
        if let Some((part, at)) = self.place
            && let Some(found) = self.search(&self.parts[part], at, SILENCE_BYTES)?
        {
            return Ok(Some(found));
        }
        for (index, (part, first)) in self.parts.iter().zip(self.firsts).enumerate() {
            let silence = match first {
                Some(first) if self.goes_on(first.position, first.epoch) => SILENCE_BYTES,
                Some(_) => continue,
                None => SILENCE_UNKNOWN_BYTES,
            };
            if self.place.is_some_and(|place| place.0 == index) {
                continue;
            }
            if let Some(found) = self.search(part, SECTOR_BYTES, silence)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether a block may have been written after the end, and not before the end was.
    fn goes_on(&self, position: LogPos, epoch: u32) -> bool {
        position > self.last.0 && epoch >= self.last.1
    }

    /// Looks at every sector of a part from `at` on, until `silence` bytes have said nothing.
    fn search(&self, part: &Part, mut at: u64, silence: u64) -> Result<Option<LogPos>, DeviceError> {
        let mut until = at.saturating_add(silence).min(part.bytes);
        while at + SECTOR_BYTES <= until {
            let begin = at;
            let bytes = (READ_BYTES.min(until - at) + BLOCK_BYTES_MAX).min(part.bytes - at);
            let mut chunk = vec![0; bytes as usize];
            self.disks[part.file].read(part.offset + begin, &mut chunk)?;
            let end = begin + READ_BYTES.min(until - begin);
            while at + SECTOR_BYTES <= end {
                let header = BlockHeader::read(&chunk[(at - begin) as usize..], self.guid);
                let Some(header) = header.filter(|header| is_at(header, part, at)) else {
                    at += SECTOR_BYTES;
                    continue;
                };
                at += u64::from(header.total_bytes);
                if self.goes_on(header.position, header.epoch) {
                    if header.begins_group && header.prev > self.last.0 {
                        return Ok(Some(header.position));
                    }
                    until = at.saturating_add(silence).min(part.bytes);
                }
            }
            at = at.max(end);
        }
        Ok(None)
    }
}

/// Whether a block lies where it says.
fn is_at(header: &BlockHeader, part: &Part, at: u64) -> bool {
    u64::from(header.position.block()) * UNIT_BYTES == at && header.part_bytes == part.bytes
}
