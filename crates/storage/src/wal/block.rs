//! A block of the log: what is written at once, and what is believed or not.
//!
//! ```text
//!   0 magic u32 │ 4 CRC-32C of 8..used │ 8 database GUID │ 24 log part u32 │ 28 offset in it, 512 bytes, u32
//!  32 position of the block before u64 │ 40 epoch u32 │ 44 used u32 │ 48 total u32 │ 52 records, begins group u16 │ 54 format u16
//!  56 bytes of the log part u64 │ 64 records …                                              … │ padding to total
//! ```
//!
//! What always holds: a block begins and ends at a sector and is written once, so that a torn write hurts no block that was
//! acknowledged. It is the next one of the log exactly if its checksum, GUID and own place are right, it names the block
//! before it, and its epoch is not lower: epochs count openings of the log, so a block that an earlier run left after
//! the end, or one of an earlier lap, is not taken for a new one.
//!
//! Blocks are written in groups, with a sync after each. The first block of a group says so: everything before it was
//! durable when it was written, so that a gap before it is damage and no torn write (`damage`).

use crate::check;
use crate::page::header::LogPos;

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = 64;
/// A block is closed before it becomes longer, except for a single long record.
pub(crate) const BYTES_MAX: usize = 60 << 10;
/// The longest record; its block is as long as it has to be.
pub const RECORD_BYTES_MAX: usize = 120 << 10;
/// Unit of a block's place.
pub(crate) const UNIT_BYTES: u64 = 512;
/// Blocks begin and end at such a border: what every disk of today writes in one piece.
pub(crate) const SECTOR_BYTES: u64 = 4096;
/// The most records of a block; the bit above says that it begins a group.
pub(crate) const RECORDS_MAX: u16 = BEGINS_GROUP - 1;
const BEGINS_GROUP: u16 = 0x8000;
const MAGIC: u32 = u32::from_le_bytes(*b"MPLB");
const FORMAT: u16 = 1;

/// What a block says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHeader {
    pub(crate) position: LogPos,
    pub(crate) prev: LogPos,
    pub(crate) epoch: u32,
    /// Header and records.
    pub(crate) used_bytes: u32,
    /// With padding.
    pub(crate) total_bytes: u32,
    pub(crate) records: u16,
    /// Everything before this block was durable when it was written. Blocks of older programs do not say so.
    pub(crate) begins_group: bool,
    pub(crate) part_bytes: u64,
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn get<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("N bytes")
}

/// Up to the next sector.
pub(crate) fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(SECTOR_BYTES)
}

impl BlockHeader {
    /// Writes header and checksum in front of the records, which stand there already; `bytes` is the whole block.
    pub(crate) fn seal(&self, bytes: &mut [u8], guid: &[u8; 16]) {
        assert!(
            HEADER_BYTES as u32 <= self.used_bytes && self.used_bytes <= self.total_bytes,
            "a block of {} bytes uses {}",
            self.total_bytes,
            self.used_bytes
        );
        assert!(u64::from(self.total_bytes).is_multiple_of(SECTOR_BYTES), "a block of {} bytes", self.total_bytes);
        assert!(self.records <= RECORDS_MAX, "a block of {} records", self.records);
        assert!(self.prev < self.position, "block {:?} follows {:?}", self.position, self.prev);
        assert!(bytes.len() == self.total_bytes as usize, "{} bytes are sealed as {}", bytes.len(), self.total_bytes);
        put(bytes, 0, &MAGIC.to_le_bytes());
        put(bytes, 8, guid);
        put(bytes, 24, &self.position.sequence().to_le_bytes());
        put(bytes, 28, &self.position.block().to_le_bytes());
        put(bytes, 32, &self.prev.0.to_le_bytes());
        put(bytes, 40, &self.epoch.to_le_bytes());
        put(bytes, 44, &self.used_bytes.to_le_bytes());
        put(bytes, 48, &self.total_bytes.to_le_bytes());
        let begins_group = if self.begins_group { BEGINS_GROUP } else { 0 };
        put(bytes, 52, &(self.records | begins_group).to_le_bytes());
        put(bytes, 54, &FORMAT.to_le_bytes());
        put(bytes, 56, &self.part_bytes.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[8..self.used_bytes as usize]);
        put(bytes, 4, &checksum.to_le_bytes());
        check!(
            BlockHeader::read(bytes, guid).is_some_and(|read| {
                (read.position, read.prev, read.epoch, read.records)
                    == (self.position, self.prev, self.epoch, self.records)
            }),
            "block {:?} does not read as it was written",
            self.position
        );
    }

    /// The header alone; whether the rest is there is not looked at.
    pub(crate) fn peek(bytes: &[u8], guid: &[u8; 16]) -> Option<BlockHeader> {
        if bytes.len() < HEADER_BYTES || get::<4>(bytes, 0) != MAGIC.to_le_bytes() || &bytes[8..24] != guid {
            return None;
        }
        let u32_at = |at| u32::from_le_bytes(get(bytes, at));
        let header = BlockHeader {
            position: LogPos(u64::from(u32_at(24)) << 32 | u64::from(u32_at(28))),
            prev: LogPos(u64::from_le_bytes(get(bytes, 32))),
            epoch: u32_at(40),
            used_bytes: u32_at(44),
            total_bytes: u32_at(48),
            records: u16::from_le_bytes(get(bytes, 52)) & RECORDS_MAX,
            begins_group: u16::from_le_bytes(get(bytes, 52)) & BEGINS_GROUP != 0,
            part_bytes: u64::from_le_bytes(get(bytes, 56)),
        };
        let (used, total) = (header.used_bytes as usize, header.total_bytes as usize);
        let sound = (HEADER_BYTES..=total).contains(&used)
            && header.prev < header.position
            && total <= RECORD_BYTES_MAX + 2 * SECTOR_BYTES as usize
            && u64::from(header.total_bytes).is_multiple_of(SECTOR_BYTES)
            && get::<2>(bytes, 54) == FORMAT.to_le_bytes();
        sound.then_some(header)
    }

    /// As [`BlockHeader::peek`], with mark, owner and format set right first.
    #[cfg(feature = "checks")]
    pub(super) fn peek_marked(bytes: &mut [u8], guid: &[u8; 16]) -> Option<BlockHeader> {
        if bytes.len() >= HEADER_BYTES {
            put(bytes, 0, &MAGIC.to_le_bytes());
            put(bytes, 8, guid);
            put(bytes, 54, &FORMAT.to_le_bytes());
        }
        BlockHeader::peek(bytes, guid)
    }

    /// The block at the start of `bytes`, if it is whole.
    pub(crate) fn read(bytes: &[u8], guid: &[u8; 16]) -> Option<BlockHeader> {
        let header = BlockHeader::peek(bytes, guid)?;
        let covered = bytes.get(8..header.used_bytes as usize)?;
        let checksum = u32::from_le_bytes(get(bytes, 4));
        (bytes.len() >= header.total_bytes as usize && crc32c::crc32c(covered) == checksum).then_some(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_back_and_any_flipped_bit_does_not() {
        let header = BlockHeader {
            position: LogPos(7 << 32 | 8),
            prev: LogPos(6 << 32 | 400),
            epoch: 3,
            used_bytes: 1000,
            total_bytes: 4096,
            records: 5,
            begins_group: true,
            part_bytes: 1 << 20,
        };
        let mut bytes = vec![5; 4096];
        header.seal(&mut bytes, &[9; 16]);
        assert_eq!(BlockHeader::read(&bytes, &[9; 16]), Some(header));
        assert_eq!(BlockHeader::read(&bytes, &[8; 16]), None, "another database's");
        assert_eq!(BlockHeader::read(&bytes[..4095], &[9; 16]), None, "cut");
        for at in (0..HEADER_BYTES).chain([64, 500, 999]) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(BlockHeader::read(&damaged, &[9; 16]), None, "byte {at}");
        }
    }
}
