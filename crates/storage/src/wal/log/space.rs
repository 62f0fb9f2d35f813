//! The space of a log: reservations, growth, files that come and go.
//!
//! What always holds: what was reserved is there (T1 of `wal::tail`). A reservation that finds no space waits only
//! where a checkpoint that was asked for can free some.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millpond_device::DeviceError;
use parking_lot::{Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::FileId;
use crate::file::StorageFile;
use crate::file::file_header::FileKind;
use crate::wait::{WaitGuard, WaitType};
use crate::wal::anchor::Anchor;
use crate::wal::disk::{LogDisk, PARTS_AT, Part};
use crate::wal::log::error::{LogError, LogOpenError};
use crate::wal::record;
use crate::wal::tail::{ReuseWait, Tail};
use crate::wal::writer::Core;

/// Bytes in memory that are not durable yet; beyond, new work waits for the writer (LOGBUFFER).
const PENDING_BYTES_MAX: u64 = 16 << 20;

/// How long a reservation that finds the log full waits for a checkpoint to free space.
const FULL_PATIENCE: Duration = Duration::from_secs(10);

type Signal = Box<dyn Fn() -> bool + Send + Sync>;

/// The space of one log.
pub(crate) struct LogSpace {
    core: Arc<Core>,
    growth: Mutex<()>,
    /// Called when the log fills up; a checkpoint would help.
    pressure: OnceLock<Signal>,
    was_signalled: AtomicBool,
}

impl LogSpace {
    pub(super) fn new(core: Arc<Core>) -> LogSpace {
        LogSpace { core, growth: Mutex::default(), pressure: OnceLock::new(), was_signalled: AtomicBool::new(false) }
    }

    /// A checkpoint has made room: the next time that the log fills up it is asked for again.
    pub(crate) fn forget_pressure(&self) {
        self.was_signalled.store(false, Relaxed);
    }

    /// Called when the log is 70 % full, and when it is full: a checkpoint should be taken. It says whether one will be.
    /// Only the first call counts.
    pub(crate) fn set_pressure(&self, signal: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.pressure.set(Box::new(signal));
    }

    /// Asks for a checkpoint; whether one will be taken.
    fn signal(&self) -> bool {
        self.pressure.get().is_some_and(|signal| signal())
    }

    /// The next records may go to this new file too.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub(crate) fn add_file(&self, file: Arc<StorageFile>) -> Result<(), LogOpenError> {
        let _growth = self.growth.lock();
        assert!(
            self.core.disks.read().iter().all(|disk| !disk.is(file.id())),
            "log file {} is added, and is there",
            file.id()
        );
        assert!(
            file.kind() == FileKind::Log && file.db() == self.core.db,
            "file {} of database {} is added to the log of {}",
            file.id(),
            file.db(),
            self.core.db
        );
        let disk = LogDisk::new(file);
        let index = self.core.disks.read().len();
        let log_bytes = log_bytes(&self.core.tail.lock().parts);
        let parts = make_parts(&disk, index, PARTS_AT, log_bytes, &self.core.guid)?;
        self.core.disks.write().push(disk);
        self.use_parts(&parts)?;
        Ok(())
    }

    /// A file was grown from outside of the log: the new space may be used.
    ///
    /// # Errors
    /// [`LogOpenError`].
    pub(crate) fn extend_file(&self, file: FileId) -> Result<(), LogOpenError> {
        let _growth = self.growth.lock();
        let disks = self.core.disks.read().clone();
        let Some(index) = disks.iter().position(|disk| disk.is(file)) else { return Ok(()) };
        let known = self.core.tail.lock().parts.clone();
        let ends = known.iter().filter(|part| part.file == index).map(|part| part.offset + part.bytes);
        let end = ends.max().unwrap_or(PARTS_AT);
        let parts = disks[index].make_parts(index, end, log_bytes(&known), &self.core.guid)?;
        self.use_parts(&parts)?;
        Ok(())
    }

    /// New parts may be used, and a later opening knows that they have to be there.
    fn use_parts(&self, parts: &[Part]) -> Result<(), DeviceError> {
        let mut anchor = self.core.anchor.lock();
        let mut next = Anchor { count: anchor.count + 1, ..*anchor };
        next.parts += parts.len() as u32;
        next.write(&self.core.disks.read()[0], &self.core.guid)?;
        *anchor = next;
        self.core.tail.lock().add_parts(parts);
        {
            let (parts, tail) = (anchor.parts as usize, self.core.tail.lock());
            check!(parts <= tail.parts.len(), "a later opening looks for {parts} parts of {}", tail.parts.len());
        }
        self.core.relief.notify_all();
        Ok(())
    }

    /// Takes a file away that holds no needed part.
    ///
    /// # Errors
    /// The file when it does hold one, when it is the first one or not of this log; a failure of the device counts as
    /// the former.
    pub(crate) fn remove_file(&self, file: FileId) -> Result<(), FileId> {
        let _growth = self.growth.lock();
        let index = self.core.disks.read().iter().position(|disk| disk.is(file)).filter(|index| *index > 0);
        let index = index.ok_or(file)?;
        let mut anchor = self.core.anchor.lock();
        let mut tail = self.core.tail.lock();
        if !tail.remove_parts_of(index) {
            return Err(file);
        }
        let next = Anchor { count: anchor.count + 1, parts: tail.parts.len() as u32, ..*anchor };
        drop(tail);
        next.write(&self.core.disks.read()[0], &self.core.guid).map_err(|_| file)?;
        *anchor = next;
        self.core.disks.write()[index].leave();
        Ok(())
    }

    /// Reserves room for a change and its undo, growing files where there is none; returns the bytes reserved.
    pub(crate) fn reserve(&self, ask: &Ask<'_>, bytes: usize) -> Result<u64, LogError> {
        self.core.check_available()?;
        let record = bytes as u64 + 256;
        let wanted = record + record::undo_bytes(record) + record::END_BYTES;
        let mut tail = self.core.tail.lock();
        if tail.closed_bytes() > PENDING_BYTES_MAX {
            self.wait_for_writer(ask, &mut tail)?;
        }
        if tail.free_bytes() < wanted {
            drop(tail);
            return self.reserve_by_force(ask, wanted);
        }
        tail.reserved_bytes += wanted;
        check!(tail.has_reserved(), "T1: {wanted} bytes are reserved that the log has not");
        let is_filling = tail.used_bytes() > tail.capacity_bytes() / 10 * 7;
        drop(tail);
        if is_filling != self.was_signalled.load(Relaxed) {
            self.was_signalled.store(is_filling, Relaxed);
            if is_filling {
                self.signal();
            }
        }
        Ok(wanted)
    }

    fn wait_for_writer(&self, ask: &Ask<'_>, tail: &mut MutexGuard<'_, Tail>) -> Result<(), LogError> {
        let _wait = WaitGuard::begin(&self.core.waits, ask, WaitType::LOGBUFFER, None);
        while tail.closed_bytes() > PENDING_BYTES_MAX && !self.core.is_broken.load(Acquire) {
            self.core.ring();
            self.core.relief.wait_for(tail, Duration::from_millis(100));
        }
        self.core.check_available()
    }

    /// Grows until there is room; where no file may grow and only a checkpoint is missing, waits for it.
    #[cold]
    fn reserve_by_force(&self, ask: &Ask<'_>, wanted: u64) -> Result<u64, LogError> {
        loop {
            let growth = self.growth.lock();
            if let Some(reserved) = self.try_reserve(wanted) {
                return Ok(reserved);
            }
            if !self.grow_held()? {
                drop(growth);
                return self.wait_for_room(ask, wanted);
            }
        }
    }

    /// Grows unless the log has more than `parts` already; false when no file may.
    pub(crate) fn grow_beyond(&self, parts: usize) -> Result<bool, LogError> {
        let _growth = self.growth.lock();
        if self.core.tail.lock().parts.len() > parts { Ok(true) } else { self.grow_held() }
    }

    /// Grows, while the caller holds the growth; false when no file may.
    fn grow_held(&self) -> Result<bool, LogError> {
        let parts = self.core.tail.lock().parts.clone();
        // A full disk is a full log; any other failure is too, because the log as it is goes on without the growth.
        let grown = grow_a_file(&self.core, &parts).unwrap_or_default();
        if !grown.is_empty() {
            self.use_parts(&grown).map_err(|error| LogError::Unavailable { message: error.to_string() })?;
        }
        Ok(!grown.is_empty())
    }

    fn try_reserve(&self, wanted: u64) -> Option<u64> {
        let mut tail = self.core.tail.lock();
        tail.cut();
        (tail.free_bytes() >= wanted).then(|| {
            tail.reserved_bytes += wanted;
            check!(tail.has_reserved(), "T1: {wanted} bytes are reserved that the log has not");
            wanted
        })
    }

    fn wait_for_room(&self, ask: &Ask<'_>, wanted: u64) -> Result<u64, LogError> {
        let _wait = WaitGuard::begin(&self.core.waits, ask, WaitType::LOGMGR_RESERVE_APPEND, None);
        let step = Duration::from_millis(50);
        for _ in 0..FULL_PATIENCE.as_millis() / step.as_millis() {
            if let Some(reserved) = self.try_reserve(wanted) {
                return Ok(reserved);
            }
            let mut tail = self.core.tail.lock();
            let (_, reason) = tail.oldest_needed();
            drop(tail);
            if reason != ReuseWait::Checkpoint || !self.signal() || ask.task.is_cancelled() {
                return Err(LogError::Full { reason });
            }
            tail = self.core.tail.lock();
            self.core.relief.wait_for(&mut tail, step);
            drop(tail);
            self.core.check_available()?;
        }
        Err(LogError::Full { reason: self.core.tail.lock().oldest_needed().1 })
    }

    /// Gives a reservation back.
    pub(crate) fn release(&self, bytes: u64) {
        if bytes > 0 {
            let mut tail = self.core.tail.lock();
            assert!(tail.reserved_bytes >= bytes, "G2: {bytes} bytes are given back of {}", tail.reserved_bytes);
            tail.reserved_bytes -= bytes;
        }
    }
}

/// The last resort, under the tail: a file grows by its increment.
pub(super) fn grow_at_once(core: &Core, tail: &mut Tail) -> Result<(), DeviceError> {
    let parts = grow_a_file(core, &tail.parts)?;
    tail.add_parts(&parts);
    core.relief.notify_all();
    Ok(())
}

/// Grows the last file that may grow, until the new space has room for a part, and makes parts of it; none when no file
/// may.
fn grow_a_file(core: &Core, parts: &[Part]) -> Result<Vec<Part>, DeviceError> {
    let disks = core.disks.read().clone();
    let mut failure = None;
    for (index, disk) in disks.iter().enumerate().rev() {
        let ends = parts.iter().filter(|part| part.file == index).map(|part| part.offset + part.bytes);
        let Some(end) = ends.max() else { continue };
        loop {
            let (began_us, before) = (core.waits.now_us(), disk.len_bytes());
            match disk.grow() {
                // An increment may be smaller than the smallest part.
                Ok(true) => {
                    disk.tell_size(&core.waits, before, began_us);
                    let made = disk.make_parts(index, end, log_bytes(parts), &core.guid)?;
                    if !made.is_empty() {
                        return Ok(made);
                    }
                }
                Ok(false) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
    }
    failure.map_or(Ok(Vec::new()), Err)
}

pub(super) fn log_bytes(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.bytes).sum()
}

pub(super) fn make_parts(
    disk: &LogDisk,
    file: usize,
    from: u64,
    log_bytes: u64,
    guid: &[u8; 16],
) -> Result<Vec<Part>, LogOpenError> {
    let parts = disk.make_parts(file, from, log_bytes, guid)?;
    if parts.is_empty() {
        return Err(LogOpenError::TooSmall { file: disk.id(), size_bytes: disk.len_bytes() });
    }
    Ok(parts)
}
