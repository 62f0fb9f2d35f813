//! The log leaves the database and comes back: blocks as they are, for backups and for restoring them.
//!
//! ```text
//!   hold ──▶ copy pages ──▶ copy_blocks(from the hold's place to now) ──▶ backup
//!   backup ──▶ pages into files, blocks into LogImport, those of log backups after them ──▶ finish ──▶ recovery::redo
//! ```
//!
//! What always holds: blocks keep their places, so LSNs mean the same in the restored database. An import takes whole
//! blocks that follow each other and nothing else: a damaged block or a gap is refused.

use std::sync::Arc;

use millpond_device::DeviceError;

use crate::ask::Ask;
use crate::file::StorageFile;
use crate::page::header::{LogPos, Lsn};
use crate::wal::anchor::Anchor;
use crate::wal::block::{BlockHeader, SECTOR_BYTES, UNIT_BYTES};
use crate::wal::disk::{LogDisk, PART_BYTES_MIN, PARTS_AT, Part};
use crate::wal::log::{Log, LogConfig, LogError, LogOpenError};
use crate::wal::reader::{self, LogReader};
use crate::wal::record::TxnId;

/// Why the log could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError<E> {
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Reading it failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The log does not reach back to there any more, or ends before the place asked for.
    #[error("the log has no complete run of blocks around {lsn}")]
    Missing {
        /// Place.
        lsn: Lsn,
    },
    /// The sink of the blocks has failed.
    #[error("the copy could not be written")]
    Sink(E),
}

/// Why a block was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is no block of this database's log, or not whole.
    #[error("a block of the log is damaged or of another database")]
    Damaged,
    /// Blocks between the last one and this one are missing.
    #[error("the log has a gap between {last} and {next}")]
    Gap {
        /// The last block taken.
        last: Lsn,
        /// This one.
        next: Lsn,
    },
    /// I/O failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Gives `sink` every block from the one of `from` to the one of `to`, both included, and whatever lies before `from` in
/// its part; `to` is made durable first. The caller holds the log ([`LogHold`](crate::wal::LogHold)).
///
/// # Errors
/// [`CopyError`].
pub fn copy_blocks<E>(
    ask: &Ask<'_>,
    log: &Log,
    from: Lsn,
    to: Lsn,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), CopyError<E>> {
    log.make_durable(ask, to)?;
    let mut parts: Vec<Part> = log.core.tail.lock().parts.clone();
    parts.retain(|part| part.in_use && part.sequence >= from.sequence);
    let disks = log.core.disks.read().clone();
    let firsts = reader::first_blocks(&disks, &log.core.guid, &parts)?;
    let start = firsts.iter().flatten().map(|first| first.position).find(|p| p.sequence() == from.sequence);
    let Some(start) = start else {
        // A part without a block: nothing was logged there yet.
        return if from.position() >= to.position() { Ok(()) } else { Err(CopyError::Missing { lsn: from }) };
    };
    let mut reader =
        LogReader::new(disks, log.core.guid, parts, firsts, start).ok_or(CopyError::Missing { lsn: from })?;
    while let Some(block) = reader.next()? {
        if block.header.position > to.position() {
            break;
        }
        sink(block.bytes()).map_err(CopyError::Sink)?;
    }
    // An end that lies after the last record names a block that is not there yet.
    let reached = reader.last().map_or(LogPos(0), |last| last.0);
    if reached >= to.position() || is_end(log, to, reached) { Ok(()) } else { Err(CopyError::Missing { lsn: to }) }
}

/// Whether `lsn` is the place after everything up to the block at `last`.
fn is_end(log: &Log, lsn: Lsn, last: LogPos) -> bool {
    lsn.slot == 0 && log.core.tail.lock().begins_after(lsn.position(), last)
}

/// A log that is put together from copied blocks.
#[derive(Debug)]
pub struct LogImport {
    config: LogConfig,
    file: Arc<StorageFile>,
    disk: LogDisk,
    parts: Vec<Part>,
    end: u64,
    last: Option<BlockHeader>,
}

impl LogImport {
    /// Begins in an empty file, which grows as blocks come; it has room for its header already.
    #[must_use]
    pub fn begin(config: LogConfig, file: Arc<StorageFile>) -> LogImport {
        LogImport { config, disk: LogDisk::new(file.clone()), file, parts: Vec::new(), end: PARTS_AT, last: None }
    }

    /// Takes the next block; one that was taken before is passed over.
    ///
    /// # Errors
    /// [`ImportError`].
    pub fn block(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let header = BlockHeader::read(bytes, &self.config.guid).ok_or(ImportError::Damaged)?;
        if let Some(last) = &self.last {
            if header.position <= last.position {
                return Ok(());
            }
            if header.prev != last.position || header.epoch < last.epoch {
                let (last, next) = (last.position.first_lsn(), header.position.first_lsn());
                return Err(ImportError::Gap { last, next });
            }
        }
        let is_part = header.part_bytes >= PART_BYTES_MIN && header.part_bytes.is_multiple_of(SECTOR_BYTES);
        if !is_part {
            return Err(ImportError::Damaged);
        }
        let part = self.part_of(&header)?;
        let at = u64::from(header.position.block()) * UNIT_BYTES;
        if at + u64::from(header.total_bytes) > part.bytes {
            return Err(ImportError::Damaged);
        }
        let block = &bytes[..header.total_bytes as usize];
        self.disk.write(part.offset + at, block, crate::contract::WriteReason::Log)?;
        self.last = Some(header);
        Ok(())
    }

    /// Where the import has come to: the last block's place.
    #[must_use]
    pub fn last(&self) -> Option<Lsn> {
        self.last.map(|last| last.position.first_lsn())
    }

    fn part_of(&mut self, header: &BlockHeader) -> Result<Part, DeviceError> {
        let sequence = header.position.sequence();
        if let Some(part) = self.parts.last().filter(|part| part.sequence == sequence) {
            return Ok(*part);
        }
        let part = self.disk.append_part(self.end, header.part_bytes, sequence, &self.config.guid)?;
        self.end += part.bytes;
        self.parts.push(part);
        Ok(part)
    }

    /// The log is complete: opens it. [`crate::wal::recovery::redo`] then begins with its first block.
    ///
    /// # Errors
    /// [`LogOpenError`]; [`LogOpenError::NoLog`] when no block came.
    pub fn finish(mut self) -> Result<Arc<Log>, LogOpenError> {
        let last = self.last.ok_or(LogOpenError::NoLog { file: self.file.id() })?;
        let first = LogPos(u64::from(self.parts[0].sequence) << 32 | (SECTOR_BYTES / UNIT_BYTES));
        // Room to go on, whatever the last part has left.
        assert!(
            self.parts.windows(2).all(|pair| pair[0].sequence < pair[1].sequence),
            "parts of a log are put together out of order"
        );
        let bytes = PART_BYTES_MIN * 4;
        let spare = self.disk.append_part(self.end, bytes, 0, &self.config.guid)?;
        self.parts.push(spare);
        self.disk.sync()?;
        let anchor = Anchor {
            count: 1,
            checkpoint: None,
            redo: first.first_lsn(),
            backed_up: last.position.first_lsn(),
            next_txn: TxnId(1),
            epoch: last.epoch,
            parts: self.parts.len() as u32,
            is_clean: false,
            end: last.position,
        };
        anchor.write(&self.disk, &self.config.guid)?;
        Log::open(self.config, vec![self.file])
    }
}
