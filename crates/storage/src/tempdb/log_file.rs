//! A log file of tempdb as the undo log sees it: bytes after the file header.
//!
//! What always holds: block 0 lies at offset 8192, after page 0. Every write is charged as [`WriteReason::Log`].

use std::sync::Arc;

use parking_lot::Mutex;

use crate::ask::Ask;
use crate::check;
use crate::contract::{FileId, IoFailure, PAGE_BYTES, PageNo, WriteReason};
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::tempdb::log_medium::LogMedium;

/// Bytes in front of the first block.
const HEADER_BYTES: u64 = PAGE_BYTES as u64;

/// A log file.
#[derive(Debug)]
pub struct LogFile {
    file: Arc<StorageFile>,
    growth: Mutex<()>,
}

impl LogFile {
    /// Blocks in `file`.
    #[must_use]
    pub fn new(file: Arc<StorageFile>) -> LogFile {
        assert!(file.kind() == FileKind::Log, "file {} has rows, and is written to as a log", file.id());
        LogFile { file, growth: Mutex::default() }
    }

    fn failure(&self, offset_bytes: u64, error: millpond_device::DeviceError) -> IoFailure {
        let page = PageNo(u32::try_from((offset_bytes + HEADER_BYTES) / PAGE_BYTES as u64).unwrap_or(u32::MAX));
        self.file.failure(page, error)
    }
}

impl LogMedium for LogFile {
    fn id(&self) -> Option<FileId> {
        Some(self.file.id())
    }

    fn size_bytes(&self) -> u64 {
        self.file.device().len_bytes().saturating_sub(HEADER_BYTES)
    }

    fn grow(&self, _: &Ask<'_>) -> Result<u64, IoFailure> {
        let _growth = self.growth.lock();
        let before_bytes = self.size_bytes();
        if let Some(next_pages) = self.file.limits().next_size(self.file.size_pages()) {
            self.file.grow_to(next_pages).map_err(|e| self.failure(self.size_bytes(), e))?;
        }
        assert!(self.size_bytes() >= before_bytes, "a log file of {before_bytes} bytes grows to {}", self.size_bytes());
        Ok(self.size_bytes())
    }

    fn write_at(&self, ask: &Ask<'_>, offset_bytes: u64, bytes: &[u8]) -> Result<(), IoFailure> {
        check!(
            offset_bytes + bytes.len() as u64 <= self.size_bytes(),
            "a block is written at {offset_bytes} of {} bytes",
            self.size_bytes()
        );
        check!(
            offset_bytes.is_multiple_of(512) && bytes.len().is_multiple_of(512),
            "{} bytes are written at {offset_bytes}",
            bytes.len()
        );
        let written = self.file.device().write_at(offset_bytes + HEADER_BYTES, bytes);
        written.map_err(|e| self.failure(offset_bytes, e))?;
        self.file.charge(ask, WriteReason::Log, bytes.len() as u64);
        Ok(())
    }

    fn read_at(&self, _: &Ask<'_>, offset_bytes: u64, bytes: &mut [u8]) -> Result<(), IoFailure> {
        check!(
            offset_bytes.is_multiple_of(512) && bytes.len().is_multiple_of(512),
            "{} bytes are read at {offset_bytes}",
            bytes.len()
        );
        check!(
            offset_bytes + bytes.len() as u64 <= self.size_bytes(),
            "a block is read at {offset_bytes} of {} bytes",
            self.size_bytes()
        );
        let read = self.file.device().read_at(offset_bytes + HEADER_BYTES, bytes);
        read.map_err(|e| self.failure(offset_bytes, e))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use millpond_device::{BlockDevice, FaultDevice, RamDevice};

    use super::*;
    use crate::ask::{IoCount, Task};
    use crate::contract::{DbId, SessionId};
    use crate::file::Medium;
    use crate::file::file_header::{FileHeader, FileKind};
    use crate::file::growth::{Growth, Limits};
    use crate::file::tier::Tier;

    #[test]
    fn blocks_lie_after_the_header_and_the_file_grows_to_its_limit() {
        let device = Arc::new(FaultDevice::new(Arc::new(RamDevice::new("log"))));
        device.set_len(64 * 8192).unwrap();
        device.write_at(0, &[9; 8192]).unwrap();
        let header = FileHeader {
            db: DbId::TEMPDB,
            file: FileId(2),
            file_guid: [0; 16],
            server_guid: [0; 16],
            database_guid: [0; 16],
            size_pages: 64,
            configured_pages: 64,
            limits: Limits { max_pages: Some(96), growth: Growth::Pages(64) },
            kind: FileKind::Log,
            tier: Tier::FIRST,
            name: "templog".into(),
        };
        let file = Arc::new(StorageFile::new(header, Medium::Ram, device.clone()));
        let log = LogFile::new(file.clone());
        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
        let ask = Ask::new(&task, &io);

        assert_eq!(log.size_bytes(), 63 * 8192);
        log.write_at(&ask, 512, &[1; 1024]).unwrap();
        let mut back = [0; 1024];
        log.read_at(&ask, 512, &mut back).unwrap();
        assert_eq!(back, [1; 1024]);
        let mut header = [0; 8192];
        device.read_at(0, &mut header).unwrap();
        assert_eq!(header, [9; 8192]);
        assert_eq!(file.writes().bytes[WriteReason::Log as usize].load(Relaxed), 1024);

        device.fill_beyond(64 * 8192);
        assert!(matches!(log.grow(&ask), Err(IoFailure::NoSpace { .. })));
        device.lift();
        assert_eq!(log.grow(&ask).unwrap(), 95 * 8192);
        assert_eq!(log.grow(&ask).unwrap(), 95 * 8192, "MAXSIZE: unchanged");
    }
}
