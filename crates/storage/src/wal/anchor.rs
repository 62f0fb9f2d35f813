//! The log's anchor: where recovery begins, in two places of the first log file that are written in turns.
//!
//! ```text
//!   0 magic │ 8 format u32 │ 12 CRC-32C of 16..160 u32 │ 16 GUID │ 32 count u64 │ 40 checkpoint record (10) │ 50 redo (10)
//!  60 backed up (10) │ 70 0 │ 72 next transaction u64 │ 80 epoch u32 │ 84 parts u32 │ 88 is clean u8 │ 89 0 │ 96 end u64
//! 104 0 …                                                                                                              160
//! ```
//!
//! What always holds: one of the two is whole after any crash; the one with the higher count is valid.

use crate::check;
use millpond_device::DeviceError;

use crate::contract::WriteReason;
use crate::page::header::{LogPos, Lsn};
use crate::wal::block::SECTOR_BYTES;
use crate::wal::disk::{ANCHORS_AT, LogDisk};
use crate::wal::record::TxnId;

const MAGIC: [u8; 8] = *b"MPLOGANC";
const FORMAT: u32 = 1;
const END: usize = 160;

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Anchor {
    pub(crate) count: u64,
    /// The last checkpoint's record; none in a new log.
    pub(crate) checkpoint: Option<Lsn>,
    /// Where redo begins.
    pub(crate) redo: Lsn,
    /// Everything before is in a log backup.
    pub(crate) backed_up: Lsn,
    pub(crate) next_txn: TxnId,
    /// Openings of the log.
    pub(crate) epoch: u32,
    /// Parts of all files.
    pub(crate) parts: u32,
    /// The log was closed in order, and nothing can have leaked.
    pub(crate) is_clean: bool,
    /// The log has a block there, or went on after it: one that ends before is damaged. 0: not known.
    pub(crate) end: LogPos,
}

/// Why there is no anchor.
#[derive(Debug)]
pub(crate) enum AnchorError {
    None,
    Foreign,
    Newer(u32),
    Device(DeviceError),
}

impl Anchor {
    pub(crate) fn encode(&self, guid: &[u8; 16]) -> [u8; SECTOR_BYTES as usize] {
        let mut bytes = [0; SECTOR_BYTES as usize];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(8, &FORMAT.to_le_bytes());
        put(16, guid);
        put(32, &self.count.to_le_bytes());
        put(40, &self.checkpoint.unwrap_or_default().to_bytes());
        put(50, &self.redo.to_bytes());
        put(60, &self.backed_up.to_bytes());
        put(72, &self.next_txn.0.to_le_bytes());
        put(80, &self.epoch.to_le_bytes());
        put(84, &self.parts.to_le_bytes());
        put(88, &[self.is_clean.into()]);
        put(96, &self.end.0.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[16..END]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        check!(
            Anchor::decode(&bytes, guid).is_ok_and(|read| read == *self),
            "an anchor does not read as it was written"
        );
        bytes
    }

    pub(super) fn decode(bytes: &[u8], guid: &[u8; 16]) -> Result<Anchor, AnchorError> {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let lsn_at = |at: usize| Lsn::from_bytes(bytes[at..at + 10].try_into().expect("10 bytes"));
        if bytes[..8] != MAGIC || u32_at(12) != crc32c::crc32c(&bytes[16..END]) {
            return Err(AnchorError::None);
        }
        if u32_at(8) > FORMAT {
            return Err(AnchorError::Newer(u32_at(8)));
        }
        if &bytes[16..32] != guid {
            return Err(AnchorError::Foreign);
        }
        let checkpoint = Some(lsn_at(40)).filter(|lsn| *lsn != Lsn::default());
        Ok(Anchor {
            count: u64_at(32),
            checkpoint,
            redo: lsn_at(50),
            backed_up: lsn_at(60),
            next_txn: TxnId(u64_at(72)),
            epoch: u32_at(80),
            parts: u32_at(84),
            is_clean: bytes[88] != 0,
            end: LogPos(u64_at(96)),
        })
    }

    /// As [`Anchor::decode`], with mark, owner and checksum set right first.
    #[cfg(feature = "checks")]
    pub(super) fn decode_marked(bytes: &[u8], guid: &[u8; 16]) -> Option<Anchor> {
        let mut whole = [0; SECTOR_BYTES as usize];
        let len = bytes.len().min(whole.len());
        whole[..len].copy_from_slice(&bytes[..len]);
        whole[..8].copy_from_slice(&MAGIC);
        whole[16..32].copy_from_slice(guid);
        let checksum = crc32c::crc32c(&whole[16..END]);
        whole[12..16].copy_from_slice(&checksum.to_le_bytes());
        Anchor::decode(&whole, guid).ok()
    }

    /// Writes it over the older of the two, durably.
    pub(crate) fn write(&self, disk: &LogDisk, guid: &[u8; 16]) -> Result<(), DeviceError> {
        assert!(self.count > 0 && self.epoch > 0 && self.parts > 0, "an anchor that says nothing: {self:?}");
        let at = ANCHORS_AT[(self.count % 2) as usize];
        disk.write(at, &self.encode(guid), WriteReason::Log)?;
        disk.sync()
    }

    /// The valid one.
    pub(crate) fn read(disk: &LogDisk, guid: &[u8; 16]) -> Result<Anchor, AnchorError> {
        let mut best: Result<Anchor, AnchorError> = Err(AnchorError::None);
        for at in ANCHORS_AT {
            let mut bytes = [0; SECTOR_BYTES as usize];
            disk.read(at, &mut bytes).map_err(AnchorError::Device)?;
            best = match (best, Anchor::decode(&bytes, guid)) {
                (Ok(best), Ok(found)) => Ok(if found.count > best.count { found } else { best }),
                (Ok(best), Err(_)) => Ok(best),
                (Err(_), Ok(found)) => Ok(found),
                (Err(AnchorError::None), Err(why)) => Err(why),
                (Err(why), Err(_)) => Err(why),
            };
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_comes_back_and_strangers_are_told_apart() {
        let anchor = Anchor {
            count: 7,
            checkpoint: Some(Lsn { sequence: 1, block: 2, slot: 3 }),
            redo: Lsn { sequence: 1, block: 2, slot: 0 },
            backed_up: Lsn::default(),
            next_txn: TxnId(99),
            epoch: 4,
            parts: 8,
            is_clean: true,
            end: LogPos(5 << 32 | 9),
        };
        let bytes = anchor.encode(&[1; 16]);
        assert_eq!(Anchor::decode(&bytes, &[1; 16]).expect("sound"), anchor);
        assert!(matches!(Anchor::decode(&bytes, &[2; 16]), Err(AnchorError::Foreign)));
        let mut newer = bytes;
        newer[8] = 2;
        assert!(matches!(Anchor::decode(&newer, &[1; 16]), Err(AnchorError::Newer(2))));
        for at in [0, 13, 20, 33, 45, 85, 97, 159] {
            let mut damaged = bytes;
            damaged[at] ^= 1;
            assert!(matches!(Anchor::decode(&damaged, &[1; 16]), Err(AnchorError::None)), "byte {at}");
        }
    }
}
