//! A file of the operating system, past the system's cache where the file system allows it (`O_DIRECT`).
//!
//! ```text
//!   aligned to 4096 (offset, length, addresses) ──▶ one preadv / pwritev, straight from the caller's pages
//!   anything else                               ──▶ bounce buffer; a write that covers sectors in part reads them first
//!   many of the first kind, asked for together  ──▶ io_uring where the kernel has it, else one after the other
//! ```
//!
//! What always holds: the pool's pages are aligned, so their path is the first one and copies nothing. A write through
//! the bounce buffer holds the sector lock, so that two parts of one sector do not lose each other. Where `O_DIRECT` is
//! refused (some tmpfs, other systems), the file works through the cache, with the same meaning. How many requests are
//! given to the system is decided when the file is opened. A request that the ring does not do as a whole is done again by
//! a call, whose answer counts.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError, Outcome, ReadRequest, WriteRequest, check_range, total_bytes};
use crate::meter::Meter;
use crate::ring;

/// Alignment that every disk of today takes for direct I/O.
pub const SECTOR_BYTES: usize = 4096;
/// Buffers that the system takes in one call.
const BUFFERS_PER_CALL_MAX: usize = 1024;

/// How to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// It exists.
    Existing,
    /// It exists and is not going to be changed.
    ReadOnly,
    /// It does not exist.
    CreateNew,
    /// Whatever is there is thrown away.
    CreateOrTruncate,
}

/// How requests that are asked for together are given to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// Through io_uring: many are under way at a time.
    IoUring,
    /// By pread and pwrite, one after the other.
    Calls,
}

impl Submission {
    /// The best that this machine has.
    #[must_use]
    pub fn best() -> Submission {
        if ring::refusal().is_none() { Submission::IoUring } else { Submission::Calls }
    }

    /// Why io_uring is not to be had, if it is not.
    #[must_use]
    pub fn refusal() -> Option<&'static str> {
        ring::refusal()
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Submission::IoUring => "io_uring",
            Submission::Calls => "pread/pwrite",
        }
    }
}

/// An open file.
#[derive(Debug)]
pub struct FileDevice {
    name: Arc<str>,
    path: PathBuf,
    file: File,
    is_direct: AtomicBool,
    submission: Submission,
    len_bytes: AtomicU64,
    /// Held while a partly covered sector is read, changed and written; also orders changes of the length.
    sector_lock: Mutex<()>,
    meter: Meter,
}

impl FileDevice {
    /// Opens `path`.
    ///
    /// # Errors
    /// The system's reason.
    pub fn open(path: &Path, mode: OpenMode) -> Result<FileDevice, DeviceError> {
        let device = FileDevice::open_buffered(path, mode)?;
        device.pass_cache();
        Ok(device)
    }

    /// Opens `path` through the system's cache.
    ///
    /// # Errors
    /// The system's reason.
    pub fn open_buffered(path: &Path, mode: OpenMode) -> Result<FileDevice, DeviceError> {
        let name: Arc<str> = path.display().to_string().into();
        let failed = |source| DeviceError::of_write(&name, "open", 0, source);
        let file = options(mode).open(path).map_err(failed)?;
        let len_bytes = file.metadata().map_err(failed)?.len();
        Ok(FileDevice {
            path: path.to_path_buf(),
            file,
            is_direct: AtomicBool::new(false),
            submission: Submission::best(),
            len_bytes: AtomicU64::new(len_bytes),
            sector_lock: Mutex::new(()),
            meter: Meter::default(),
            name,
        })
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether I/O goes past the system's cache.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.is_direct.load(Relaxed)
    }

    /// Gives requests to the system in this way, if the machine has it.
    #[must_use]
    pub fn by(mut self, submission: Submission) -> FileDevice {
        self.submission = if submission == Submission::Calls { submission } else { Submission::best() };
        self
    }

    /// How requests that are asked for together are given to the system. What is not past the system's cache is given by
    /// calls: copying from memory to memory has nothing to wait for.
    #[must_use]
    pub fn submission(&self) -> Submission {
        if self.is_direct() { self.submission } else { Submission::Calls }
    }

    fn system(&self, doing: &'static str) -> impl FnOnce(std::io::Error) -> DeviceError + '_ {
        move |source| DeviceError::System { device: self.name.clone(), doing, source }
    }

    fn read_whole(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        check_range(&self.name, offset_bytes, total_bytes(buffers), self.len_bytes())?;
        if !self.is_direct() || is_aligned(offset_bytes, buffers) {
            return read_exact_at(&self.file, offset_bytes, buffers).map_err(self.system("read"));
        }
        self.read_through_bounce(offset_bytes, buffers)
    }

    fn write_whole(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        check_range(&self.name, offset_bytes, bytes, self.len_bytes())?;
        if !self.is_direct() || is_aligned(offset_bytes, buffers) {
            return write_all_at(&self.file, offset_bytes, buffers)
                .map_err(|e| DeviceError::of_write(&self.name, "write", bytes, e));
        }
        self.write_through_bounce(offset_bytes, buffers)
    }

    /// Whether a ring may do it: the others are copied, or refused, or more than one call.
    fn suits_ring<B: std::ops::Deref<Target = [u8]>>(&self, offset_bytes: u64, buffers: &[B]) -> bool {
        let bytes = total_bytes(buffers);
        is_aligned(offset_bytes, buffers)
            && (1..=BUFFERS_PER_CALL_MAX).contains(&buffers.len())
            && (1..=u64::from(u32::MAX >> 1)).contains(&bytes)
            && offset_bytes.checked_add(bytes).is_some_and(|end| end <= self.len_bytes())
    }

    fn read_through_bounce(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let mut bounce = Bounce::covering(offset_bytes, total_bytes(buffers));
        bounce.read_from(&self.file).map_err(self.system("read"))?;
        let mut rest = bounce.wanted_mut();
        for buffer in buffers {
            let (part, left) = rest.split_at_mut(buffer.len());
            buffer.copy_from_slice(part);
            rest = left;
        }
        Ok(())
    }

    fn write_through_bounce(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        let mut bounce = Bounce::covering(offset_bytes, bytes);
        let _sectors = self.sector_lock.lock();
        if !bounce.is_whole_sectors() {
            bounce.read_from(&self.file).map_err(self.system("read"))?;
        }
        let mut rest = bounce.wanted_mut();
        for buffer in buffers {
            let (part, left) = rest.split_at_mut(buffer.len());
            part.copy_from_slice(buffer);
            rest = left;
        }
        bounce.write_to(&self.file).map_err(|e| DeviceError::of_write(&self.name, "write", bytes, e))?;
        // A last sector that was written whole may reach beyond a length that is no multiple of a sector.
        let len_bytes = self.len_bytes();
        if bounce.end() > len_bytes {
            self.file.set_len(len_bytes).map_err(self.system("truncate"))?;
        }
        Ok(())
    }
}

impl BlockDevice for FileDevice {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.meter.read(total_bytes(buffers), || self.read_whole(offset_bytes, buffers))
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.meter.write(total_bytes(buffers), || self.write_whole(offset_bytes, buffers))
    }

    fn read_many(&self, depth: usize, requests: &mut [ReadRequest<'_, '_>]) -> Vec<Outcome> {
        let mut done = match self.submission() {
            Submission::IoUring => {
                ring::read_many(&self.file, depth, requests, |r| self.suits_ring(r.offset_bytes, r.buffers))
            }
            Submission::Calls => vec![None; requests.len()],
        };
        let settle = |(request, stall_us): (&mut ReadRequest<'_, '_>, &mut Option<u64>)| match stall_us.take() {
            Some(stall_us) => {
                self.meter.count_read(total_bytes(request.buffers), stall_us, true);
                Outcome { result: Ok(()), stall_us }
            }
            None => Outcome::of(|| self.read_vectored_at(request.offset_bytes, request.buffers)),
        };
        requests.iter_mut().zip(&mut done).map(settle).collect()
    }

    fn write_many(&self, depth: usize, requests: &[WriteRequest<'_>]) -> Vec<Outcome> {
        let done = match self.submission() {
            Submission::IoUring => {
                ring::write_many(&self.file, depth, requests, |r| self.suits_ring(r.offset_bytes, r.buffers))
            }
            Submission::Calls => vec![None; requests.len()],
        };
        let settle = |(request, stall_us): (&WriteRequest<'_>, Option<u64>)| match stall_us {
            Some(stall_us) => {
                self.meter.count_write(total_bytes(request.buffers), stall_us, true);
                Outcome { result: Ok(()), stall_us }
            }
            None => Outcome::of(|| self.write_vectored_at(request.offset_bytes, request.buffers)),
        };
        requests.iter().zip(done).map(settle).collect()
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.meter.sync(|| self.file.sync_data().map_err(self.system("sync")))
    }

    fn len_bytes(&self) -> u64 {
        self.len_bytes.load(Relaxed)
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let _lock = self.sector_lock.lock();
        let old_bytes = self.len_bytes();
        if bytes > old_bytes {
            let grown = os::allocate(&self.file, old_bytes, bytes - old_bytes);
            grown.map_err(|e| {
                // A failed allocation may have taken a part.
                let _ = self.file.set_len(old_bytes);
                DeviceError::of_write(&self.name, "enlarge", bytes, e)
            })?;
        } else {
            self.file.set_len(bytes).map_err(self.system("truncate"))?;
        }
        self.len_bytes.store(bytes, Relaxed);
        Ok(())
    }

    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let _lock = self.sector_lock.lock();
        self.file.set_len(bytes).map_err(self.system("set the length of"))?;
        self.len_bytes.store(bytes, Relaxed);
        Ok(())
    }

    fn occupied_bytes(&self) -> u64 {
        os::occupied_bytes(&self.file).unwrap_or_else(|| self.len_bytes())
    }

    fn written_after(&self, offset_bytes: u64) -> Option<Range<u64>> {
        let end = self.len_bytes();
        if offset_bytes >= end {
            return None;
        }
        // Where the system does not know its holes there are none.
        let found = os::written_after(&self.file, offset_bytes).unwrap_or(Some(offset_bytes..end))?;
        (found.start < end).then(|| found.start..found.end.min(end))
    }

    fn pass_cache(&self) {
        // What was written before is in the cache until the system writes it; the system keeps the two apart.
        self.is_direct.store(os::set_direct(&self.file), Relaxed);
    }

    fn try_lock(&self) -> Result<bool, DeviceError> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(e)) => Err(self.system("lock")(e)),
        }
    }

    fn unlock(&self) {
        // What cannot be unlocked was not locked.
        let _ = self.file.unlock();
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

/// A sector-aligned buffer around a range that is not.
struct Bounce {
    memory: Vec<u8>,
    /// Where the aligned part of `memory` starts.
    aligned_at: usize,
    /// Offset in the file of that part.
    offset_bytes: u64,
    /// Its length.
    bytes: usize,
    /// The range asked for, within the aligned part.
    wanted: std::ops::Range<usize>,
}

impl Bounce {
    fn covering(offset_bytes: u64, wanted_bytes: u64) -> Bounce {
        let sector = SECTOR_BYTES as u64;
        let start = offset_bytes / sector * sector;
        let end = (offset_bytes + wanted_bytes).div_ceil(sector) * sector;
        let bytes = (end - start) as usize;
        let memory = vec![0; bytes + SECTOR_BYTES];
        let aligned_at = memory.as_ptr().align_offset(SECTOR_BYTES);
        let wanted_at = (offset_bytes - start) as usize;
        Bounce { memory, aligned_at, offset_bytes: start, bytes, wanted: wanted_at..wanted_at + wanted_bytes as usize }
    }

    fn is_whole_sectors(&self) -> bool {
        self.wanted == (0..self.bytes)
    }

    fn end(&self) -> u64 {
        self.offset_bytes + self.bytes as u64
    }

    fn aligned_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.aligned_at..self.aligned_at + self.bytes]
    }

    fn wanted_mut(&mut self) -> &mut [u8] {
        let wanted = self.wanted.clone();
        &mut self.aligned_mut()[wanted]
    }

    /// Reads what the file has; the rest, beyond its end, stays zero.
    fn read_from(&mut self, file: &File) -> std::io::Result<()> {
        let offset_bytes = self.offset_bytes;
        let mut rest = self.aligned_mut();
        let mut at = offset_bytes;
        while !rest.is_empty() {
            match os::read_at(file, rest, at) {
                Ok(0) => break,
                Ok(count) => {
                    at += count as u64;
                    rest = &mut rest[count..];
                    if count % SECTOR_BYTES != 0 {
                        break;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn write_to(&mut self, file: &File) -> std::io::Result<()> {
        let offset_bytes = self.offset_bytes;
        write_all_at(file, offset_bytes, &[IoSlice::new(self.aligned_mut())])
    }
}

fn is_aligned<B: std::ops::Deref<Target = [u8]>>(offset_bytes: u64, buffers: &[B]) -> bool {
    offset_bytes.is_multiple_of(SECTOR_BYTES as u64)
        && buffers
            .iter()
            .all(|b| b.len().is_multiple_of(SECTOR_BYTES) && (b.as_ptr() as usize).is_multiple_of(SECTOR_BYTES))
}

fn read_exact_at(file: &File, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> std::io::Result<()> {
    let mut at = offset_bytes;
    for group in buffers.chunks_mut(BUFFERS_PER_CALL_MAX) {
        let mut rest = group;
        while !rest.is_empty() {
            match os::read_vectored_at(file, rest, at) {
                Ok(0) if rest.iter().all(|b| b.is_empty()) => break,
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    at += count as u64;
                    IoSliceMut::advance_slices(&mut rest, count);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
    Ok(())
}

fn write_all_at(file: &File, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> std::io::Result<()> {
    let mut at = offset_bytes;
    for group in buffers.chunks(BUFFERS_PER_CALL_MAX) {
        let bytes = total_bytes(group);
        let mut done = 0;
        while done < bytes {
            let result = if done == 0 {
                os::write_vectored_at(file, group, at)
            } else {
                let mut copies = group.to_vec();
                let mut rest = copies.as_mut_slice();
                IoSlice::advance_slices(&mut rest, done as usize);
                os::write_vectored_at(file, rest, at)
            };
            match result {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    at += count as u64;
                    done += count as u64;
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
    Ok(())
}

/// Of new files: others than owner and group read no data.
#[cfg(unix)]
const FILE_MODE: u32 = 0o640;

fn options(mode: OpenMode) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(mode != OpenMode::ReadOnly);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    match mode {
        OpenMode::Existing | OpenMode::ReadOnly => {}
        OpenMode::CreateNew => {
            options.create_new(true);
        }
        OpenMode::CreateOrTruncate => {
            options.create(true).truncate(true);
        }
    }
    options
}

/// What std does not offer, or offers on some systems only.
#[cfg(unix)]
mod os {
    use std::fs::File;
    use std::io::{IoSlice, IoSliceMut, Result};
    use std::ops::Range;
    use std::os::unix::fs::{FileExt, MetadataExt};

    pub fn read_at(file: &File, buffer: &mut [u8], offset_bytes: u64) -> Result<usize> {
        file.read_at(buffer, offset_bytes)
    }

    pub fn read_vectored_at(file: &File, buffers: &mut [IoSliceMut<'_>], offset_bytes: u64) -> Result<usize> {
        Ok(rustix::io::preadv(file, buffers, offset_bytes)?)
    }

    pub fn write_vectored_at(file: &File, buffers: &[IoSlice<'_>], offset_bytes: u64) -> Result<usize> {
        Ok(rustix::io::pwritev(file, buffers, offset_bytes)?)
    }

    /// Tries to pass the system's cache; says whether it does.
    #[cfg(target_os = "linux")]
    pub fn set_direct(file: &File) -> bool {
        use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
        fcntl_getfl(file).and_then(|flags| fcntl_setfl(file, flags | OFlags::DIRECT)).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub fn set_direct(_: &File) -> bool {
        false
    }

    /// Enlarges the file by real space, or by a hole where the file system cannot reserve.
    #[cfg(target_os = "linux")]
    pub fn allocate(file: &File, offset_bytes: u64, bytes: u64) -> Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        loop {
            return match fallocate(file, FallocateFlags::empty(), offset_bytes, bytes) {
                Err(Errno::INTR) => continue,
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.set_len(offset_bytes + bytes),
                result => Ok(result?),
            };
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn allocate(file: &File, offset_bytes: u64, bytes: u64) -> Result<()> {
        file.set_len(offset_bytes + bytes)
    }

    pub fn occupied_bytes(file: &File) -> Option<u64> {
        file.metadata().ok().map(|m| m.blocks() * 512)
    }

    /// The next range from an offset on that is no hole. It moves the file's position, which no other call uses.
    #[cfg(target_os = "linux")]
    pub fn written_after(file: &File, offset_bytes: u64) -> Result<Option<Range<u64>>> {
        use rustix::fs::{SeekFrom, seek};
        use rustix::io::Errno;
        match seek(file, SeekFrom::Data(offset_bytes)) {
            Ok(start) => Ok(Some(start..seek(file, SeekFrom::Hole(start))?)),
            Err(Errno::NXIO) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn written_after(_: &File, _: u64) -> Result<Option<Range<u64>>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

/// One buffer at a time, through the cache.
#[cfg(windows)]
mod os {
    use std::fs::File;
    use std::io::{IoSlice, IoSliceMut, Result};
    use std::ops::Range;
    use std::os::windows::fs::FileExt;

    pub fn read_at(file: &File, buffer: &mut [u8], offset_bytes: u64) -> Result<usize> {
        file.seek_read(buffer, offset_bytes)
    }

    pub fn read_vectored_at(file: &File, buffers: &mut [IoSliceMut<'_>], offset_bytes: u64) -> Result<usize> {
        match buffers.iter_mut().find(|b| !b.is_empty()) {
            Some(buffer) => file.seek_read(buffer, offset_bytes),
            None => Ok(0),
        }
    }

    pub fn write_vectored_at(file: &File, buffers: &[IoSlice<'_>], offset_bytes: u64) -> Result<usize> {
        match buffers.iter().find(|b| !b.is_empty()) {
            Some(buffer) => file.seek_write(buffer, offset_bytes),
            None => Ok(0),
        }
    }

    pub fn set_direct(_: &File) -> bool {
        false
    }

    pub fn allocate(file: &File, offset_bytes: u64, bytes: u64) -> Result<()> {
        file.set_len(offset_bytes + bytes)
    }

    pub fn occupied_bytes(_: &File) -> Option<u64> {
        None
    }

    pub fn written_after(_: &File, _: u64) -> Result<Option<Range<u64>>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways to open must behave the same.
    fn with_both(test: impl Fn(&FileDevice)) {
        let dir = tempfile::tempdir().unwrap();
        test(&FileDevice::open(&dir.path().join("direct"), OpenMode::CreateNew).unwrap());
        test(&FileDevice::open_buffered(&dir.path().join("cached"), OpenMode::CreateNew).unwrap());
    }

    #[test]
    fn bytes_come_back_wherever_they_lie() {
        with_both(|file| {
            file.set_len(64 * 1024).unwrap();
            let text: Vec<u8> = (0..20_000_u32).map(|n| (n % 251) as u8).collect();
            for offset in [0, 1, 511, 4096, 4097, 40_000] {
                file.write_at(offset, &text).unwrap();
                let mut back = vec![0; text.len()];
                file.read_at(offset, &mut back).unwrap();
                assert!(back == text, "at {offset}");
            }
            let mut before = [1; 3];
            file.read_at(39_998, &mut before).unwrap();
            assert_eq!(before[2], 0, "text[0] at 40,000");
        });
    }

    #[test]
    fn what_was_written_is_in_a_range_that_says_so() {
        with_both(|file| {
            file.set_sparse_len(64 << 20).unwrap();
            let places = [8192_u64, 5 << 20, (64 << 20) - 8192];
            places.iter().for_each(|place| file.write_at(*place, &[7; 8192]).unwrap());
            let (mut at, mut ranges) = (0, Vec::new());
            while let Some(range) = file.written_after(at) {
                assert!(at <= range.start && range.start < range.end && range.end <= file.len_bytes());
                at = range.end;
                ranges.push(range);
            }
            assert!(
                places
                    .iter()
                    .all(|place| ranges.iter().any(|range| range.contains(place) && range.contains(&(place + 8191))))
            );
            // Where the file system knows holes at all.
            let found: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            assert!(found < 1 << 20 || ranges.len() == 1 && found == file.len_bytes(), "{ranges:?}");
            assert_eq!(file.written_after(64 << 20), None);
        });
    }

    #[test]
    fn many_small_buffers_are_one_request() {
        with_both(|file| {
            file.set_len(1 << 20).unwrap();
            let parts: Vec<[u8; 7]> = (0..3000_u32).map(|n| [n as u8; 7]).collect();
            let slices: Vec<IoSlice<'_>> = parts.iter().map(|p| IoSlice::new(p)).collect();
            file.write_vectored_at(5, &slices).unwrap();
            let mut back = vec![0; 21_000];
            file.read_at(5, &mut back).unwrap();
            assert!(back.chunks(7).zip(&parts).all(|(a, b)| a == b));
            let done = file.meter().reading();
            assert_eq!((done.writes, done.write_bytes, done.reads, done.read_bytes), (1, 21_000, 1, 21_000));
        });
    }

    #[test]
    fn aligned_pages_pass_the_cache_where_the_system_allows_it() {
        with_both(|file| {
            file.set_len(1 << 20).unwrap();
            let mut memory = vec![3; 3 * 8192];
            let at = memory.as_ptr().align_offset(SECTOR_BYTES);
            let (a, b) = memory[at..at + 16384].split_at_mut(8192);
            assert!(is_aligned(8192, &[IoSlice::new(a), IoSlice::new(b)]));
            file.write_vectored_at(8192, &[IoSlice::new(a), IoSlice::new(b)]).unwrap();
            a.fill(0);
            file.read_vectored_at(8192, &mut [IoSliceMut::new(a)]).unwrap();
            assert!(a.iter().all(|x| *x == 3));
        });
    }

    #[test]
    fn the_length_is_real_and_nothing_lies_beyond_it() {
        with_both(|file| {
            file.set_len(100_000).unwrap();
            assert!(matches!(
                file.read_at(99_999, &mut [0; 2]),
                Err(DeviceError::BeyondEnd { len_bytes: 100_000, .. })
            ));
            assert!(matches!(file.write_at(u64::MAX, &[0; 2]), Err(DeviceError::BeyondEnd { .. })));
            file.write_at(99_000, &[1; 1000]).unwrap();
            assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 100_000);
            let mut last = [0; 1000];
            file.read_at(99_000, &mut last).unwrap();
            assert_eq!(last, [1; 1000]);
            file.set_len(4096).unwrap();
            assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 4096);
        });
    }

    #[test]
    fn modes_of_opening() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        assert!(FileDevice::open(&path, OpenMode::Existing).is_err());
        FileDevice::open(&path, OpenMode::CreateNew).unwrap().set_len(10).unwrap();
        assert!(FileDevice::open(&path, OpenMode::CreateNew).is_err());
        let read_only = FileDevice::open(&path, OpenMode::ReadOnly).unwrap();
        assert_eq!(read_only.len_bytes(), 10);
        assert!(read_only.write_at(0, &[1]).is_err());
        assert_eq!(FileDevice::open(&path, OpenMode::CreateOrTruncate).unwrap().len_bytes(), 0);
    }

    #[test]
    fn a_locked_file_is_locked_for_all_others() {
        with_both(|file| {
            assert!(file.try_lock().unwrap());
            let other = FileDevice::open(file.path(), OpenMode::Existing).unwrap();
            assert!(!other.try_lock().unwrap());
            file.unlock();
            assert!(other.try_lock().unwrap());
            assert!(!file.try_lock().unwrap());
        });
    }

    /// Two threads change neighbouring bytes of one sector; neither loses its bytes.
    #[test]
    fn parts_of_a_sector_do_not_lose_each_other() {
        with_both(|file| {
            file.set_len(8192).unwrap();
            std::thread::scope(|scope| {
                for thread in 0..2_u8 {
                    scope.spawn(move || {
                        for n in 0..200_u64 {
                            file.write_at(2 * n + u64::from(thread), &[thread + 1]).unwrap();
                        }
                    });
                }
            });
            let mut bytes = [0; 400];
            file.read_at(0, &mut bytes).unwrap();
            assert!(bytes.chunks(2).all(|pair| pair == [1, 2]));
        });
    }
}
