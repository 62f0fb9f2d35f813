//! The one way to a file's bytes: its device, whichever that is now.
//!
//! ```text
//!   read, write, sync ──▶ gate (shared) ──▶ device                         move:  note writes ─▶ copy ─▶ copy what was
//!                              ▲                                                  written meanwhile ─▶ gate (alone):
//!                              └── alone for a while ◀── move_to                 the rest, commit, switch
//! ```
//!
//! What always holds:
//! - D1: until `commit` of a move has succeeded the old device has every byte, afterwards the new one does; no one
//!   writes between the last byte copied and the switch. A move that fails leaves the file where it was.
//! - D2: a read that the device refuses is tried again [`READ_RETRIES`] times; one that then succeeds is reported to
//!   the watch.
//! - D3: counters go on over a move: the devices that were left are added.
//!
//! It knows bytes, no pages, and not what a place is called.

use crate::ask::Ask;
use crate::check;
use crate::contract::DbId;
use std::collections::BTreeSet;
use std::io::IoSlice;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use millpond_device::{BlockDevice, DeviceError, MeterReading, WriteRequest};
use parking_lot::{Mutex, RwLock, RwLockWriteGuard};

use crate::file::io_watch::{FileWatch, SlowIo};
use crate::file::write_rate::WriteRate;

/// How often a read is tried again before it has failed, as SQL Server does.
pub const READ_RETRIES: u32 = 4;
/// Writes of one call that are under way at a time.
const DEPTH_MAX: usize = 32;
/// What is copied at a time, and what a write marks.
const CHUNK_BYTES: u64 = 256 << 10;
/// Chunks that are left for the time in which only the move may use the file: 8 MB.
const LAST_CHUNKS_MAX: usize = 32;
/// Rounds of copying before the rest is copied with the gate closed, whatever it is.
const ROUNDS_MAX: u32 = 16;
/// How long the gate is asked for at a time: a request for it keeps others out.
const GATE_PATIENCE: Duration = Duration::from_millis(100);

/// Who has to see bytes of a file before they change: a sparse file of a database snapshot.
pub(crate) trait Keeper: std::fmt::Debug + Send + Sync {
    /// Whose it is.
    fn db(&self) -> DbId;

    /// Bytes of the file on `from` are about to change, or to go with the end of the file. Returns when they may, or why they
    /// may not; a keeper without which they may change has noted that for itself. What it writes is charged to the asker.
    fn keep(&self, ask: Option<&Ask<'_>>, from: &dyn BlockDevice, bytes: Range<u64>) -> Result<(), DeviceError>;
}

/// Where a file's bytes are now.
#[derive(Debug)]
struct Place {
    device: Arc<dyn BlockDevice>,
    /// Chunks that were written since a move began to note them.
    noted: Option<Mutex<BTreeSet<u64>>>,
    /// What the devices counted that the file has left.
    past: MeterReading,
    /// The device tries reads again by itself.
    tries_again: bool,
    /// Sparse files of database snapshots, which get what is about to change.
    keepers: Vec<Arc<dyn Keeper>>,
}

/// A file's device.
#[derive(Debug)]
pub struct SwitchableFile {
    place: RwLock<Place>,
    watch: OnceLock<FileWatch>,
    failures: AtomicU64,
}

/// Why a file did not move.
#[derive(Debug)]
pub enum MoveError<E> {
    /// The old device could not be read, or the new one not be written.
    Device(DeviceError),
    /// The task was cancelled.
    Cancelled,
    /// The new place could not be noted.
    Commit(E),
}

impl<E> From<DeviceError> for MoveError<E> {
    fn from(error: DeviceError) -> MoveError<E> {
        MoveError::Device(error)
    }
}

/// What is to be copied, and when to stop.
pub struct MovePlan<'a> {
    /// The device to go to; it has nothing but zeroes.
    pub to: Arc<dyn BlockDevice>,
    /// Ranges that have to be copied, asked for after writes are noted; what is written later is copied in any case.
    pub ranges: &'a dyn Fn(u64) -> Vec<Range<u64>>,
    /// The bytes must be durable before the switch.
    pub is_durable: bool,
    /// Asked now and then.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Called with place and bytes of each write to the new device.
    pub wrote: &'a dyn Fn(u64, u64),
    /// The new device tries reads again by itself.
    pub tries_again: bool,
}

impl SwitchableFile {
    /// The file on `device`.
    #[must_use]
    pub fn new(device: Arc<dyn BlockDevice>) -> SwitchableFile {
        let place =
            Place { device, noted: None, past: MeterReading::default(), tries_again: false, keepers: Vec::new() };
        SwitchableFile { place: RwLock::new(place), watch: OnceLock::new(), failures: AtomicU64::new(0) }
    }

    /// From now on requests are watched.
    pub(crate) fn set_watch(&self, watch: FileWatch) {
        let _ = self.watch.set(watch);
    }

    /// What a person calls the device: a path, or `ram:` and a name.
    #[must_use]
    pub fn name(&self) -> Arc<str> {
        self.place.read().device.name().clone()
    }

    /// How fast it takes large writes.
    #[must_use]
    pub fn large_writes(&self) -> WriteRate {
        self.watch.get().map_or_else(WriteRate::default, FileWatch::large_writes)
    }

    /// Requests that failed for good, since the file was opened.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Relaxed)
    }

    /// Requests that run now.
    #[must_use]
    pub fn requests_now(&self) -> usize {
        self.watch.get().map_or(0, FileWatch::requests_now)
    }

    /// Requests that took too long since the last look, if it is time to report them.
    pub(crate) fn look_for_slow(&self) -> Option<SlowIo> {
        self.watch.get().and_then(FileWatch::look)
    }

    /// Fills `buffer` from `offset_bytes` on.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn read_at(&self, offset_bytes: u64, buffer: &mut [u8]) -> Result<(), DeviceError> {
        self.read_again(offset_bytes, &mut |device| device.read_at(offset_bytes, buffer))
    }

    /// Reads, again where the device refuses (D2): `read` is called for each try.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn read_again(
        &self,
        offset_bytes: u64,
        read: &mut dyn FnMut(&dyn BlockDevice) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let place = self.place.read();
        let _request = self.watch.get().map(|watch| watch.begin(offset_bytes));
        let tries = match place.tries_again {
            true => read(&*place.device).map(|()| None),
            false => read_with_retries(&mut || read(&*place.device)),
        };
        let tries = tries.map_err(|error| self.failed(error))?;
        if let (Some((failures, error)), Some(watch)) = (tries, self.watch.get()) {
            watch.read_at_last(place.device.name(), offset_bytes, failures, &error.to_string());
        }
        Ok(())
    }

    /// A read whose bytes were not what they should be was right in the end.
    pub(crate) fn report_late_read(&self, offset_bytes: u64, failures: u32, error: &str) {
        if let Some(watch) = self.watch.get() {
            watch.read_at_last(&self.name(), offset_bytes, failures, error);
        }
    }

    /// Writes `buffer` from `offset_bytes` on.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn write_at(&self, offset_bytes: u64, buffer: &[u8]) -> Result<(), DeviceError> {
        self.write_vectored_at(offset_bytes, &[IoSlice::new(buffer)])
    }

    /// Writes `buffers`, one after the other, as one I/O.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.write_as(None, offset_bytes, buffers)
    }

    /// As [`SwitchableFile::write_vectored_at`]; what database snapshots keep before it is charged to the asker.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn write_as(
        &self,
        ask: Option<&Ask<'_>>,
        offset_bytes: u64,
        buffers: &[IoSlice<'_>],
    ) -> Result<(), DeviceError> {
        let place = self.place.read();
        if !place.keepers.is_empty() {
            let bytes = offset_bytes..offset_bytes + bytes_of(buffers);
            keep(&place, ask, bytes).map_err(|error| self.failed(error))?;
        }
        let _request = self.watch.get().map(|watch| watch.begin_write(offset_bytes, bytes_of(buffers)));
        let result = place.device.write_vectored_at(offset_bytes, buffers);
        note_write(&place, offset_bytes, buffers);
        result.map_err(|error| self.failed(error))
    }

    /// Several writes, each as [`SwitchableFile::write_vectored_at`], under way together where the device can do that;
    /// one result each.
    ///
    /// # Errors
    /// [`DeviceError`], of each.
    pub fn write_many(&self, ask: Option<&Ask<'_>>, requests: &[WriteRequest<'_>]) -> Vec<Result<(), DeviceError>> {
        let place = self.place.read();
        if !place.keepers.is_empty() {
            let kept = requests.iter().try_for_each(|request| {
                let end = request.offset_bytes + bytes_of(request.buffers);
                keep(&place, ask, request.offset_bytes..end)
            });
            if kept.is_err() {
                drop(place);
                let alone = |request: &WriteRequest<'_>| self.write_as(ask, request.offset_bytes, request.buffers);
                return requests.iter().map(alone).collect();
            }
        }
        let begin = |request: &WriteRequest<'_>| {
            let watch = self.watch.get();
            watch.map(|watch| watch.begin_write(request.offset_bytes, bytes_of(request.buffers)))
        };
        let _requests: Vec<_> = requests.iter().map(begin).collect();
        let outcomes = place.device.write_many(DEPTH_MAX, requests);
        assert!(outcomes.len() == requests.len(), "{} outcomes of {} writes", outcomes.len(), requests.len());
        requests.iter().for_each(|request| note_write(&place, request.offset_bytes, request.buffers));
        outcomes.into_iter().map(|outcome| outcome.result.map_err(|error| self.failed(error))).collect()
    }

    /// Returns after all finished writes are durable.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn sync(&self) -> Result<(), DeviceError> {
        let place = self.place.read();
        let _request = self.watch.get().map(|watch| watch.begin(0));
        place.device.sync().map_err(|error| self.failed(error))
    }

    fn failed(&self, error: DeviceError) -> DeviceError {
        if !matches!(error, DeviceError::BeyondEnd { .. }) {
            self.failures.fetch_add(1, Relaxed);
        }
        error
    }

    /// Length.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.place.read().device.len_bytes()
    }

    /// Makes the file longer or shorter.
    ///
    /// # Errors
    /// [`DeviceError::NoSpace`] leaves the length as it was.
    pub fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let place = self.place.read();
        let now_bytes = place.device.len_bytes();
        if bytes < now_bytes && !place.keepers.is_empty() {
            keep(&place, None, bytes..now_bytes)?;
        }
        place.device.set_len(bytes)
    }

    /// Keeps all others from the file for as long as what is returned lives: nothing is being written.
    pub(crate) fn freeze(&self) -> Frozen<'_> {
        Frozen { place: self.close_gate() }
    }

    /// The sparse files of a database get nothing more.
    pub(crate) fn remove_keepers_of(&self, db: DbId) {
        if self.place.read().keepers.iter().any(|keeper| keeper.db() == db) {
            self.close_gate().keepers.retain(|keeper| keeper.db() != db);
        }
    }

    /// Bytes that the file really occupies.
    #[must_use]
    pub fn occupied_bytes(&self) -> u64 {
        self.place.read().device.occupied_bytes()
    }

    /// From now on past the system's cache, where that is possible.
    pub fn pass_cache(&self) {
        self.place.read().device.pass_cache();
    }

    /// Others may have the file, though requests that run keep it open.
    pub(crate) fn unlock(&self) {
        self.place.read().device.unlock();
    }

    /// Requests, bytes and stalls at the place where the file is now.
    #[must_use]
    pub fn reading_here(&self) -> MeterReading {
        self.place.read().device.meter().reading()
    }

    /// Requests, bytes and stalls since the file was opened.
    #[must_use]
    pub fn reading(&self) -> MeterReading {
        let place = self.place.read();
        place.past + place.device.meter().reading()
    }

    /// Copies the file to another device while work goes on, then switches to it: `commit` notes the new place where a
    /// restart finds it, while the file is not used. Returns the old device, which is not used any more. One move of a
    /// file at a time.
    ///
    /// # Errors
    /// [`MoveError`]; the file is where it was.
    ///
    /// # Panics
    /// When a move of the file runs already.
    pub fn move_to<E>(
        &self,
        plan: &MovePlan<'_>,
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<Arc<dyn BlockDevice>, MoveError<E>> {
        let from = {
            let mut place = self.close_gate();
            assert!(place.noted.is_none(), "one move of a file at a time");
            place.noted = Some(Mutex::default());
            place.device.clone()
        };
        let moved = self.copy_while_used(&*from, plan).and_then(|()| self.switch(plan, commit));
        if moved.is_err() {
            self.close_gate().noted = None;
        }
        check!(
            moved.is_ok() != Arc::ptr_eq(&from, &self.place.read().device),
            "D1: a file that moved is where it was, or one that did not is elsewhere"
        );
        moved.map(|()| from)
    }

    /// The gate, without keeping others from a file whose device stands still.
    fn close_gate(&self) -> RwLockWriteGuard<'_, Place> {
        loop {
            if let Some(place) = self.place.try_write_for(GATE_PATIENCE) {
                return place;
            }
            std::thread::yield_now();
        }
    }

    fn copy_while_used<E>(&self, from: &dyn BlockDevice, plan: &MovePlan<'_>) -> Result<(), MoveError<E>> {
        let bytes = from.len_bytes();
        plan.to.set_len(bytes)?;
        let mut first: BTreeSet<u64> = (plan.ranges)(bytes).iter().flat_map(chunks_of).collect();
        // The first one has the mark that says whose file it is.
        first.insert(0);
        copy_chunks(from, plan, &first, true)?;
        for _ in 0..ROUNDS_MAX {
            let noted = self.take_noted();
            let is_rest = noted.len() <= LAST_CHUNKS_MAX;
            copy_chunks(from, plan, &noted, false)?;
            if is_rest {
                break;
            }
        }
        // What is synced now need not be synced with the gate closed.
        if plan.is_durable {
            plan.to.sync()?;
        }
        Ok(())
    }

    /// The notes are taken before the bytes are read: a write in between is noted again.
    fn take_noted(&self) -> BTreeSet<u64> {
        let place = self.place.read();
        let noted = place.noted.as_ref().expect("a move runs");
        std::mem::take(&mut *noted.lock())
    }

    fn switch<E>(&self, plan: &MovePlan<'_>, commit: impl FnOnce() -> Result<(), E>) -> Result<(), MoveError<E>> {
        let mut place = self.close_gate();
        let from = place.device.clone();
        check!(!Arc::ptr_eq(&from, &plan.to), "D1: a file moves to where it is");
        let rest = std::mem::take(&mut *place.noted.as_ref().expect("a move runs").lock());
        if plan.to.len_bytes() != from.len_bytes() {
            plan.to.set_len(from.len_bytes())?;
        }
        copy_chunks(&*from, plan, &rest, false)?;
        if plan.is_durable {
            plan.to.sync()?;
        }
        commit().map_err(MoveError::Commit)?;
        assert!(
            place.noted.as_ref().is_some_and(|noted| noted.lock().is_empty()),
            "D1: something was written with the gate closed"
        );
        check!(plan.to.len_bytes() == from.len_bytes(), "D1: the new place has all bytes");
        place.past = place.past + from.meter().reading();
        place.device = plan.to.clone();
        place.tries_again = plan.tries_again;
        place.noted = None;
        Ok(())
    }
}

/// A file that only one thread uses.
pub(crate) struct Frozen<'f> {
    place: RwLockWriteGuard<'f, Place>,
}

impl Frozen<'_> {
    /// Length.
    pub(crate) fn len_bytes(&self) -> u64 {
        self.place.device.len_bytes()
    }

    /// From now on a sparse file gets what is about to change.
    pub(crate) fn add_keeper(&mut self, keeper: Arc<dyn Keeper>) {
        check!(
            self.place.keepers.iter().all(|known| known.db() != keeper.db()),
            "a snapshot keeps the pages of a file twice"
        );
        self.place.keepers.push(keeper);
    }
}

/// Bytes are about to change or to go: what of them database snapshots need is kept first.
#[cold]
fn keep(place: &Place, ask: Option<&Ask<'_>>, bytes: Range<u64>) -> Result<(), DeviceError> {
    place.keepers.iter().try_for_each(|keeper| keeper.keep(ask, &*place.device, bytes.clone()))
}

/// A write is over, while a move runs: its chunks are copied again. Noted afterwards, so that a copy that takes the
/// note finds these bytes; failed ones too: some may be there.
fn note_write(place: &Place, offset_bytes: u64, buffers: &[IoSlice<'_>]) {
    if let Some(noted) = &place.noted {
        let bytes = bytes_of(buffers);
        noted.lock().extend(chunks_of(&(offset_bytes..offset_bytes + bytes)));
    }
}

fn bytes_of(buffers: &[IoSlice<'_>]) -> u64 {
    buffers.iter().map(|buffer| buffer.len() as u64).sum()
}

/// The chunks that a range touches.
fn chunks_of(range: &Range<u64>) -> Range<u64> {
    range.start / CHUNK_BYTES..range.end.div_ceil(CHUNK_BYTES)
}

/// Copies chunks as far as both devices reach; zeroes need not be written where nothing was yet.
fn copy_chunks<E>(
    from: &dyn BlockDevice,
    plan: &MovePlan<'_>,
    chunks: &BTreeSet<u64>,
    is_first: bool,
) -> Result<(), MoveError<E>> {
    // The pool's pages are on whole kilobytes, and so is this: devices without a cache want that.
    let mut buffer = vec![0; CHUNK_BYTES as usize];
    for chunk in chunks {
        if (plan.is_cancelled)() {
            return Err(MoveError::Cancelled);
        }
        let at = chunk * CHUNK_BYTES;
        let end = (at + CHUNK_BYTES).min(from.len_bytes());
        if at >= end {
            continue;
        }
        if plan.to.len_bytes() < end {
            plan.to.set_len(from.len_bytes())?;
        }
        let bytes = &mut buffer[..(end - at) as usize];
        read_with_retries(&mut || from.read_at(at, bytes))?;
        if is_first && bytes.iter().all(|byte| *byte == 0) {
            continue;
        }
        check!(end <= plan.to.len_bytes(), "D1: a chunk at {at} is copied after the end of the new place");
        plan.to.write_at(at, bytes)?;
        (plan.wrote)(at, bytes.len() as u64);
    }
    Ok(())
}

/// Tries a read until it succeeds or has failed [`READ_RETRIES`] times more (D2): how often it failed before, and how
/// at first.
fn read_with_retries(
    read: &mut dyn FnMut() -> Result<(), DeviceError>,
) -> Result<Option<(u32, DeviceError)>, DeviceError> {
    let mut failed: Option<(u32, DeviceError)> = None;
    loop {
        let failures = failed.as_ref().map_or(0, |(failures, _)| *failures);
        check!(failures <= READ_RETRIES, "D2: a read is tried again after {failures} failures");
        match read() {
            Ok(()) => return Ok(failed),
            Err(error @ DeviceError::System { .. }) if failures < READ_RETRIES => {
                failed = Some((failures + 1, failed.map_or(error, |(_, first)| first)));
            }
            Err(error) => return Err(error),
        }
    }
}
