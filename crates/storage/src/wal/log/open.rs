//! How a log begins: made, or opened. An opened one takes no record until `resume` has its end.
//!
//! What always holds: an opening that is refused has changed nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering::Release;
use std::sync::atomic::{AtomicBool, AtomicU64};

use parking_lot::Mutex;

use crate::check;
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::page::header::LogPos;
use crate::wal::anchor::{Anchor, AnchorError};
use crate::wal::block::{SECTOR_BYTES, UNIT_BYTES};
use crate::wal::disk::{LogDisk, PARTS_AT, Part};
use crate::wal::log::minimal::MinimalLogging;
use crate::wal::log::read::LogRecords;
use crate::wal::log::resume::Opening;
use crate::wal::log::space::{LogSpace, log_bytes, make_parts};
use crate::wal::log::{Log, LogConfig, LogOpenError};
use crate::wal::record::TxnId;
use crate::wal::tail::Tail;
use crate::wal::writer::Core;
use crate::wal::{reader, writer};

fn disks_of(files: Vec<Arc<StorageFile>>) -> Vec<LogDisk> {
    assert!(!files.is_empty(), "a log without files");
    assert!(
        files.iter().all(|file| file.kind() == FileKind::Log && file.db() == files[0].db()),
        "a log in files of rows, or of several databases"
    );
    files.into_iter().map(LogDisk::new).collect()
}

fn read_anchor(disk: &LogDisk, guid: &[u8; 16]) -> Result<Anchor, LogOpenError> {
    let file = disk.id();
    if disk.len_bytes() < PARTS_AT {
        return Err(LogOpenError::NoLog { file });
    }
    Anchor::read(disk, guid).map_err(|error| match error {
        AnchorError::None => LogOpenError::NoLog { file },
        AnchorError::Foreign => LogOpenError::Foreign { file },
        AnchorError::Newer(found) => LogOpenError::Newer { file, found },
        AnchorError::Device(error) => LogOpenError::Device(error),
    })
}

impl Log {
    /// Makes an empty log in new files, ready for use.
    ///
    /// # Errors
    /// [`LogOpenError`].
    ///
    /// # Panics
    /// Without files.
    pub fn create(config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        let disks = disks_of(files);
        let mut parts = Vec::new();
        for (file, disk) in disks.iter().enumerate() {
            parts.extend(make_parts(disk, file, PARTS_AT, log_bytes(&parts), &config.guid)?);
        }
        let first = LogPos(1 << 32 | (SECTOR_BYTES / UNIT_BYTES)).first_lsn();
        let anchor = Anchor {
            count: 1,
            redo: first,
            backed_up: first,
            next_txn: TxnId(1),
            epoch: 1,
            parts: parts.len() as u32,
            ..Anchor::default()
        };
        anchor.write(&disks[0], &config.guid)?;
        let log = Log::assemble(&config, disks, parts, anchor, None);
        log.start(None, LogPos(0), anchor.epoch, 1);
        Ok(log)
    }

    /// Opens the log that is in the files; it takes nothing before [`crate::wal::recovery::redo`] found its end.
    ///
    /// # Errors
    /// [`LogOpenError`]; nothing was changed.
    ///
    /// # Panics
    /// Without files.
    pub fn open(config: LogConfig, files: Vec<Arc<StorageFile>>) -> Result<Arc<Log>, LogOpenError> {
        let disks = disks_of(files);
        let anchor = read_anchor(&disks[0], &config.guid)?;
        let mut parts = Vec::new();
        for (index, disk) in disks.iter().enumerate() {
            let found = disk.find_parts(index, &config.guid)?;
            let file = disk.id();
            if let Some(format) = found.newer {
                return Err(LogOpenError::Newer { file, found: format });
            }
            if found.is_cut {
                return Err(LogOpenError::Truncated { file });
            }
            if found.parts.is_empty() {
                return Err(LogOpenError::NoLog { file });
            }
            parts.extend(found.parts);
        }
        if parts.len() < anchor.parts as usize {
            return Err(LogOpenError::Truncated { file: disks.last().expect("at least one").id() });
        }
        let firsts = reader::first_blocks(&disks, &config.guid, &parts)?;
        for (part, first) in parts.iter_mut().zip(&firsts) {
            part.sequence = first.map_or(0, |first| first.position.sequence());
        }
        Ok(Log::assemble(&config, disks, parts, anchor, Some(Opening { anchor, firsts })))
    }

    fn assemble(
        config: &LogConfig,
        disks: Vec<LogDisk>,
        parts: Vec<Part>,
        anchor: Anchor,
        opening: Option<Opening>,
    ) -> Arc<Log> {
        let mut tail = Tail::new(parts);
        tail.keep_until_backup = config.keep_until_backup;
        tail.redo = anchor.redo;
        tail.backed_up = anchor.backed_up;
        let core = Arc::new(Core::new(config, disks, tail, anchor));
        Arc::new(Log {
            space: LogSpace::new(core.clone()),
            minimal: MinimalLogging::new(core.clone()),
            records: LogRecords::new(core.clone()),
            core,
            next_txn: AtomicU64::new(anchor.next_txn.0.max(1)),
            may_leak: AtomicBool::new(false),
            thread: Mutex::default(),
            opening: Mutex::new(opening),
        })
    }

    /// The log takes records from now on.
    pub(super) fn start(&self, place: Option<(usize, u64)>, prev: LogPos, epoch: u32, next_sequence: u32) {
        let mut tail = self.core.tail.lock();
        tail.start(place, prev, epoch, next_sequence);
        assert!(tail.position() > prev, "G1: a log goes on at {:?}, after {prev:?}", tail.position());
        self.core.publish(&tail);
        self.core.durable.store(tail.position().0, Release);
        drop(tail);
        let core = self.core.clone();
        check!(self.thread.lock().is_none(), "a log gets a second writer");
        let thread =
            std::thread::Builder::new().name(format!("log writer {}", self.core.db)).spawn(move || writer::run(&core));
        *self.thread.lock() = Some(thread.expect("the system gives a thread"));
        self.core.is_ready.store(true, Release);
    }
}
