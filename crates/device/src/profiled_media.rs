//! Files on emulated devices: each file that a rule assigns to a volume takes the volume's time; the others are as they
//! are.
//!
//! What always holds:
//! - the first rule whose path is the file's, or a directory above it, decides, and goes on deciding while the file is
//!   there; a renamed file stays on its volume;
//! - the bytes have moved to or from the medium below before a request waits for the end of its time. What a power cut
//!   may take is reported to the medium below by [`BlockDevice::harden`]: with a battery everything that was answered
//!   stays; a cache that ignores syncs hands none on, and only what it has written to its device stays;
//! - the bytes of a volume with `backing = "ram"` are in memory, gone with the process, and no file of the medium below.

use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError, Outcome, ReadRequest, WriteRequest, total_bytes};
use crate::emulator::station::Direction;
use crate::emulator::volume::{FileAreas, Volume, VolumeReport};
use crate::file::OpenMode;
use crate::media::{FileIdentity, Media};
use crate::meter::Meter;
use crate::profile::{Backing, ModelKind};
use crate::ram::RamDevice;

/// Which files lie on a volume.
#[derive(Clone, Debug)]
pub struct Rule {
    /// A file, or a directory with all below it.
    pub path: PathBuf,
    /// Where they lie.
    pub volume: Arc<Volume>,
}

/// Files, some of them on emulated devices.
#[derive(Debug)]
pub struct ProfiledMedia {
    inner: Arc<dyn Media>,
    volumes: Vec<Arc<Volume>>,
    rules: Vec<Rule>,
    files: Mutex<BTreeMap<PathBuf, Placed>>,
}

/// A file that has been seen on a volume.
#[derive(Clone, Debug)]
struct Placed {
    volume: Arc<Volume>,
    areas: Arc<FileAreas>,
    /// Its bytes, when they are in memory.
    ram: Option<Arc<RamDevice>>,
}

/// The path as rules are compared with it: from the root, without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn refused(path: &Path, doing: &'static str, kind: ErrorKind) -> DeviceError {
    DeviceError::System { device: path.display().to_string().into(), doing, source: kind.into() }
}

impl ProfiledMedia {
    /// Files of `inner`, on volumes by these rules; `volumes` are those that reports show.
    #[must_use]
    pub fn new(inner: Arc<dyn Media>, volumes: Vec<Arc<Volume>>, rules: Vec<Rule>) -> ProfiledMedia {
        let rules = rules.into_iter().map(|rule| Rule { path: plain(&rule.path), ..rule }).collect();
        ProfiledMedia { inner, volumes, rules, files: Mutex::default() }
    }

    /// The volumes of the configuration.
    #[must_use]
    pub fn volumes(&self) -> &[Arc<Volume>] {
        &self.volumes
    }

    /// Where a file with that name lies.
    fn placed(&self, path: &Path) -> Option<Placed> {
        let path = plain(path);
        if let Some(placed) = self.files.lock().get(&path) {
            return Some(placed.clone());
        }
        let rule = self.rules.iter().find(|rule| path.starts_with(&rule.path))?;
        Some(Placed { volume: rule.volume.clone(), areas: Arc::default(), ram: None })
    }

    fn is_in_memory(&self, path: &Path) -> Option<bool> {
        let placed = self.placed(path)?;
        (placed.volume.profile().backing == Backing::Ram).then_some(placed.ram.is_some())
    }

    fn open_in_memory(placed: &mut Placed, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        match (mode, &placed.ram) {
            (OpenMode::Existing | OpenMode::ReadOnly, None) => return Err(refused(path, "open", ErrorKind::NotFound)),
            (OpenMode::CreateNew, Some(_)) => return Err(refused(path, "open", ErrorKind::AlreadyExists)),
            (OpenMode::CreateOrTruncate, Some(ram)) => ram.set_len(0)?,
            _ => {}
        }
        let new = || Arc::new(RamDevice::new(&path.display().to_string()));
        Ok(placed.ram.get_or_insert_with(new).clone())
    }

    fn open_placed(
        &self,
        mut placed: Placed,
        path: &Path,
        mode: OpenMode,
    ) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let inner = match placed.volume.profile().backing {
            Backing::File => self.inner.open(path, mode)?,
            Backing::Ram => ProfiledMedia::open_in_memory(&mut placed, path, mode)?,
        };
        let full = |_| DeviceError::NoSpace { device: inner.name().clone(), wanted_bytes: inner.len_bytes() };
        placed.volume.resize(&placed.areas, inner.len_bytes()).map_err(full)?;
        self.files.lock().insert(plain(path), placed.clone());
        Ok(Arc::new(ProfiledDevice::new(inner, placed.volume, placed.areas)))
    }
}

impl Media for ProfiledMedia {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        match self.placed(path) {
            Some(placed) => self.open_placed(placed, path, mode),
            None => self.inner.open(path, mode),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.is_in_memory(path).unwrap_or(false) || self.inner.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.is_in_memory(path) != Some(true) && self.inner.is_dir(path)
    }

    fn identity(&self, path: &Path) -> FileIdentity {
        match self.is_in_memory(path) {
            Some(_) => FileIdentity::Path(plain(path)),
            None => self.inner.identity(path),
        }
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        let is_in_memory = match self.is_in_memory(path) {
            Some(true) => true,
            Some(false) => return Err(refused(path, "remove", ErrorKind::NotFound)),
            None => false,
        };
        if !is_in_memory {
            self.inner.remove(path)?;
        }
        if let Some(placed) = self.files.lock().remove(&plain(path)) {
            placed.volume.release(&placed.areas);
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        match self.is_in_memory(from) {
            Some(true) => {}
            Some(false) => return Err(refused(from, "rename", ErrorKind::NotFound)),
            None => self.inner.rename(from, to)?,
        }
        let mut files = self.files.lock();
        if let Some(replaced) = files.remove(&plain(to)) {
            replaced.volume.release(&replaced.areas);
        }
        if let Some(placed) = files.remove(&plain(from)) {
            files.insert(plain(to), placed);
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        self.inner.sync_dir(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        self.inner.create_dir_all(dir)
    }

    fn volume_reports(&self) -> Vec<VolumeReport> {
        self.volumes.iter().map(|volume| volume.report()).collect()
    }

    fn volume_of(&self, path: &Path) -> Option<Arc<str>> {
        self.placed(path).map(|placed| placed.volume.name().clone())
    }
}

/// A file on a volume.
#[derive(Debug)]
pub struct ProfiledDevice {
    inner: Arc<dyn BlockDevice>,
    volume: Arc<Volume>,
    areas: Arc<FileAreas>,
    meter: Meter,
}

impl ProfiledDevice {
    fn new(inner: Arc<dyn BlockDevice>, volume: Arc<Volume>, areas: Arc<FileAreas>) -> ProfiledDevice {
        volume.settle(&areas, &inner);
        ProfiledDevice { inner, volume, areas, meter: Meter::default() }
    }

    /// A device alone on a volume, as long as `inner` is.
    ///
    /// # Errors
    /// [`DeviceError::NoSpace`] when the volume is smaller.
    pub fn alone(inner: Arc<dyn BlockDevice>, volume: Arc<Volume>) -> Result<ProfiledDevice, DeviceError> {
        let device = ProfiledDevice::new(inner, volume, Arc::default());
        device.fit(device.len_bytes())?;
        Ok(device)
    }

    fn fit(&self, bytes: u64) -> Result<(), DeviceError> {
        let full = |_| DeviceError::NoSpace { device: self.name().clone(), wanted_bytes: bytes };
        self.volume.resize(&self.areas, bytes).map_err(full)
    }

    fn now_us(&self) -> u64 {
        self.volume.clock().now_us()
    }

    /// The model `file`: the time is what it was.
    fn count(&self, direction: Option<Direction>, bytes: u64, begun_us: u64, stall_us: u64, arrived: bool) {
        if self.volume.profile().model == ModelKind::File {
            self.volume.count(direction, bytes, begun_us * 1_000, (begun_us + stall_us) * 1_000, arrived);
        }
    }

    /// Counts a transfer that is over.
    fn count_transfer(&self, direction: Direction, bytes: u64, begun_us: u64, stall_us: u64, arrived: bool) {
        self.count(Some(direction), bytes, begun_us, stall_us, arrived);
        match direction {
            Direction::Read => self.meter.count_read(bytes, stall_us, arrived),
            Direction::Write => self.meter.count_write(bytes, stall_us, arrived),
        }
    }

    /// A transfer: the bytes first, then what is left of the time that they take; one that failed takes none.
    fn transfer(
        &self,
        direction: Direction,
        offset_bytes: u64,
        bytes: u64,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let begun_us = self.now_us();
        let result = work();
        if result.is_ok() {
            self.volume.perform(begun_us, &self.areas.requests(direction, offset_bytes, bytes));
        }
        self.count_transfer(direction, bytes, begun_us, self.now_us() - begun_us, result.is_ok());
        result
    }

    /// Several transfers whose bytes have come, from the time at which they were asked for: the time that they take
    /// together.
    fn take_time(
        &self,
        direction: Direction,
        depth: usize,
        ranges: &[Range<u64>],
        begun_us: u64,
        outcomes: &mut [Outcome],
    ) {
        let bytes = |range: &Range<u64>| range.end - range.start;
        let arrived: Vec<usize> = (0..ranges.len()).filter(|at| outcomes[*at].result.is_ok()).collect();
        let requests = |at: &usize| self.areas.requests(direction, ranges[*at].start, bytes(&ranges[*at]));
        if self.volume.profile().model != ModelKind::File {
            let took_us = self.volume.perform_many(begun_us, depth, arrived.iter().map(requests).collect());
            arrived.iter().zip(took_us).for_each(|(at, took_us)| outcomes[*at].stall_us = took_us);
        }
        for (range, outcome) in ranges.iter().zip(outcomes) {
            self.count_transfer(direction, bytes(range), begun_us, outcome.stall_us, outcome.result.is_ok());
        }
    }

    /// Informs the medium below what a power cut cannot take any more, after a write was answered.
    fn harden_answered(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        match &self.volume.profile().cache {
            Some(cache) if cache.battery => self.inner.harden(offset_bytes, bytes),
            Some(cache) if cache.ignores_sync => self.volume.harden_arrived(),
            _ => Ok(()),
        }
    }
}

/// The bytes that a request is about; one that no device is as long as ends at the last.
fn range_of<B: std::ops::Deref<Target = [u8]>>(offset_bytes: u64, buffers: &[B]) -> Range<u64> {
    offset_bytes..offset_bytes.saturating_add(total_bytes(buffers))
}

impl BlockDevice for ProfiledDevice {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.transfer(Direction::Read, offset_bytes, bytes, || self.inner.read_vectored_at(offset_bytes, buffers))
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.transfer(Direction::Write, offset_bytes, bytes, || self.inner.write_vectored_at(offset_bytes, buffers))?;
        self.harden_answered(offset_bytes, bytes)
    }

    fn read_many(&self, depth: usize, requests: &mut [ReadRequest<'_, '_>]) -> Vec<Outcome> {
        let range = |request: &ReadRequest<'_, '_>| range_of(request.offset_bytes, request.buffers);
        let ranges: Vec<Range<u64>> = requests.iter().map(range).collect();
        let begun_us = self.now_us();
        let mut outcomes = self.inner.read_many(depth, requests);
        self.take_time(Direction::Read, depth, &ranges, begun_us, &mut outcomes);
        outcomes
    }

    fn write_many(&self, depth: usize, requests: &[WriteRequest<'_>]) -> Vec<Outcome> {
        let range = |request: &WriteRequest<'_>| range_of(request.offset_bytes, request.buffers);
        let ranges: Vec<Range<u64>> = requests.iter().map(range).collect();
        let begun_us = self.now_us();
        let mut outcomes = self.inner.write_many(depth, requests);
        self.take_time(Direction::Write, depth, &ranges, begun_us, &mut outcomes);
        for (range, outcome) in ranges.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.result.is_ok()) {
            outcome.result = self.harden_answered(range.start, range.end - range.start);
        }
        outcomes
    }

    fn sync(&self) -> Result<(), DeviceError> {
        let begun_us = self.now_us();
        let ignores_sync = self.volume.profile().cache.as_ref().is_some_and(|cache| cache.ignores_sync);
        // A length is the file system's, which has its own way to keep it.
        let result = if ignores_sync { self.inner.harden(0, 0) } else { self.inner.sync() };
        if self.volume.profile().model != ModelKind::File {
            self.volume.sync();
        }
        let stall_us = self.now_us() - begun_us;
        self.count(None, 0, begun_us, stall_us, result.is_ok());
        self.meter.count_sync(stall_us);
        result
    }

    fn len_bytes(&self) -> u64 {
        self.inner.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let before = self.len_bytes();
        if bytes > before {
            self.fit(bytes)?;
        }
        let result = self.inner.set_len(bytes);
        // What the medium below did not take is not kept; less always fits.
        self.fit(self.len_bytes())?;
        result
    }

    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let before = self.len_bytes();
        if bytes > before {
            self.fit(bytes)?;
        }
        let result = self.inner.set_sparse_len(bytes);
        self.fit(self.len_bytes())?;
        result
    }

    fn occupied_bytes(&self) -> u64 {
        self.inner.occupied_bytes()
    }

    fn pass_cache(&self) {
        self.inner.pass_cache();
    }

    fn try_lock(&self) -> Result<bool, DeviceError> {
        self.inner.try_lock()
    }

    fn unlock(&self) {
        self.inner.unlock();
    }

    fn harden(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        self.inner.harden(offset_bytes, bytes)
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}
