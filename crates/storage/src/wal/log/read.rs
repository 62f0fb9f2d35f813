//! Reading records back, for undo after a crash: from memory where they are not written yet, else from their block.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::ask::Ask;
use crate::check;
use crate::contract::{IoFailure, PAGE_BYTES, PageId, PageNo};
use crate::page::header::Lsn;
use crate::wal::block::{HEADER_BYTES, UNIT_BYTES};
use crate::wal::log::error::LogError;
use crate::wal::reader::{self, ReadBlock};
use crate::wal::record::{Record, Records};
use crate::wal::writer::Core;

/// Blocks kept for [`LogRecords::read`].
const CACHED_BLOCKS: usize = 16;

/// The records that a log still has, by their LSNs.
#[derive(Debug)]
pub struct LogRecords {
    core: Arc<Core>,
    cache: Mutex<VecDeque<ReadBlock>>,
}

impl LogRecords {
    pub(super) fn new(core: Arc<Core>) -> LogRecords {
        LogRecords { core, cache: Mutex::default() }
    }

    /// The record at `lsn`, durable or not.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn read(&self, _: &Ask<'_>, lsn: Lsn) -> Result<Record, LogError> {
        if let Some(found) = self.read_memory(lsn) {
            return found;
        }
        let block = self.read_block(lsn)?;
        self.pick(lsn, block.records())
    }

    fn pick(&self, lsn: Lsn, records: &[u8]) -> Result<Record, LogError> {
        let first = lsn.position().first_lsn();
        let view = Records::new(first, records).flatten().nth(lsn.slot.into());
        check!(view.is_none_or(|view| view.lsn == lsn), "G1: another record is read for the one at {lsn}");
        view.and_then(|view| view.to_record(self.core.db)).ok_or(LogError::NoRecord { lsn })
    }

    fn read_memory(&self, lsn: Lsn) -> Option<Result<Record, LogError>> {
        let tail = self.core.tail.lock();
        tail.current?;
        if lsn.position() == tail.position() {
            return Some(self.pick(lsn, tail.open_records()));
        }
        let closed = tail.closed.iter().find(|block| block.header.position == lsn.position())?.clone();
        drop(tail);
        Some(self.pick(lsn, &closed.bytes[HEADER_BYTES..]))
    }

    fn read_block(&self, lsn: Lsn) -> Result<ReadBlock, LogError> {
        let position = lsn.position();
        if let Some(block) = self.cache.lock().iter().find(|block| block.header.position == position) {
            return Ok(block.clone());
        }
        let part = {
            let tail = self.core.tail.lock();
            tail.parts.iter().find(|part| part.in_use && part.sequence == position.sequence()).copied()
        };
        let part = part.ok_or(LogError::NoRecord { lsn })?;
        let disks = self.core.disks.read().clone();
        let at = u64::from(position.block()) * UNIT_BYTES;
        let block = reader::read_block(&disks, &self.core.guid, &part, at).map_err(|error| {
            let page = PageNo(u32::try_from((part.offset + at) / PAGE_BYTES as u64).unwrap_or(u32::MAX));
            let page = PageId { db: self.core.db, file: disks[part.file].id(), page };
            LogError::Io(IoFailure::System { page, message: error.to_string() })
        })?;
        let block = block.filter(|block| block.header.position == position).ok_or(LogError::NoRecord { lsn })?;
        let mut cache = self.cache.lock();
        cache.push_front(block.clone());
        cache.truncate(CACHED_BLOCKS);
        Ok(block)
    }
}
