//! Memory of this process as a device: a RAM drive without a file system in between (a copy of 8 KB costs about 1.1 µs,
//! tmpfs twice that).
//!
//! What always holds: memory is taken chunk by chunk when something is first written there, and given back when the
//! device becomes shorter; a length above the limit is [`DeviceError::NoSpace`].

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::block::{BlockDevice, DeviceError, check_range, total_bytes};
use crate::meter::Meter;

/// Bytes taken at a time: small enough that an idle file costs little, large enough for one allocation per 32 pages.
const CHUNK_BYTES: usize = 256 * 1024;

/// Bytes of a chunk, once something was written to it.
type Chunk = RwLock<Option<Box<[u8]>>>;

/// A device in memory.
#[derive(Debug)]
pub struct RamDevice {
    name: Arc<str>,
    limit_bytes: u64,
    inner: RwLock<Inner>,
    meter: Meter,
}

#[derive(Debug, Default)]
struct Inner {
    len_bytes: u64,
    chunks: Vec<Chunk>,
}

impl RamDevice {
    /// An empty device without a limit.
    #[must_use]
    pub fn new(name: &str) -> RamDevice {
        RamDevice::with_limit(name, u64::MAX)
    }

    /// An empty device that never becomes longer than `limit_bytes`.
    #[must_use]
    pub fn with_limit(name: &str, limit_bytes: u64) -> RamDevice {
        RamDevice { name: format!("ram:{name}").into(), limit_bytes, inner: RwLock::default(), meter: Meter::default() }
    }

    fn no_space(&self, wanted_bytes: u64) -> DeviceError {
        DeviceError::NoSpace { device: self.name.clone(), wanted_bytes }
    }
}

/// Calls `piece(chunk index, offset in it, range of the buffer)` for the parts of a buffer that lies at `offset_bytes`.
fn for_each_piece<E>(
    offset_bytes: u64,
    buffer_bytes: usize,
    mut piece: impl FnMut(usize, usize, std::ops::Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut done = 0;
    while done < buffer_bytes {
        let at = offset_bytes + done as u64;
        let (chunk, within) = ((at / CHUNK_BYTES as u64) as usize, (at % CHUNK_BYTES as u64) as usize);
        let end = buffer_bytes.min(done + CHUNK_BYTES - within);
        piece(chunk, within, done..end)?;
        done = end;
    }
    Ok(())
}

fn read_buffer(inner: &Inner, offset_bytes: u64, buffer: &mut [u8]) {
    let result: Result<(), std::convert::Infallible> =
        for_each_piece(offset_bytes, buffer.len(), |chunk, within, range| {
            let target = &mut buffer[range];
            match &*inner.chunks[chunk].read() {
                Some(bytes) => target.copy_from_slice(&bytes[within..within + target.len()]),
                None => target.fill(0),
            }
            Ok(())
        });
    let Ok(()) = result;
}

/// A zeroed chunk, or `None` when the process may not have more memory. Zeroed by the system: pages of it that are never
/// touched cost nothing.
fn new_chunk() -> Option<Box<[u8]>> {
    // `vec![0; n]` is the only safe way to ask for memory that the system has zeroed; it aborts when there is none, so a
    // reservation of the same size is tried and given back first.
    Vec::<u8>::new().try_reserve_exact(CHUNK_BYTES).ok()?;
    Some(vec![0; CHUNK_BYTES].into_boxed_slice())
}

impl RamDevice {
    fn write_buffer(&self, inner: &Inner, offset_bytes: u64, buffer: &[u8]) -> Result<(), DeviceError> {
        for_each_piece(offset_bytes, buffer.len(), |chunk, within, range| {
            let source = &buffer[range];
            let mut slot = inner.chunks[chunk].write();
            if slot.is_none() {
                *slot = Some(new_chunk().ok_or_else(|| self.no_space(CHUNK_BYTES as u64))?);
            }
            let bytes = slot.as_mut().expect("filled above");
            bytes[within..within + source.len()].copy_from_slice(source);
            Ok(())
        })
    }
}

impl BlockDevice for RamDevice {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.read(bytes, || {
            let inner = self.inner.read();
            check_range(&self.name, offset_bytes, bytes, inner.len_bytes)?;
            let mut at = offset_bytes;
            for buffer in buffers {
                read_buffer(&inner, at, buffer);
                at += buffer.len() as u64;
            }
            Ok(())
        })
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.write(bytes, || {
            let inner = self.inner.read();
            check_range(&self.name, offset_bytes, bytes, inner.len_bytes)?;
            let mut at = offset_bytes;
            for buffer in buffers {
                self.write_buffer(&inner, at, buffer)?;
                at += buffer.len() as u64;
            }
            Ok(())
        })
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.meter.sync(|| Ok(()))
    }

    fn len_bytes(&self) -> u64 {
        self.inner.read().len_bytes
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        if bytes > self.limit_bytes {
            return Err(self.no_space(bytes));
        }
        let mut inner = self.inner.write();
        let chunk_count = usize::try_from(bytes.div_ceil(CHUNK_BYTES as u64)).map_err(|_| self.no_space(bytes))?;
        let missing = chunk_count.saturating_sub(inner.chunks.len());
        inner.chunks.try_reserve(missing).map_err(|_| self.no_space(bytes))?;
        inner.chunks.resize_with(chunk_count, Chunk::default);
        let tail = (bytes % CHUNK_BYTES as u64) as usize;
        if bytes < inner.len_bytes && tail != 0 {
            // What is cut off must read as zero when the device grows again.
            if let Some(last) = inner.chunks[chunk_count - 1].get_mut() {
                last[tail..].fill(0);
            }
        }
        inner.len_bytes = bytes;
        Ok(())
    }

    fn occupied_bytes(&self) -> u64 {
        let inner = self.inner.read();
        inner.chunks.iter().filter(|c| c.read().is_some()).count() as u64 * CHUNK_BYTES as u64
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_when_it_is_written_and_given_back_when_cut() {
        let ram = RamDevice::new("t");
        ram.set_len(100 << 20).unwrap();
        assert_eq!((ram.len_bytes(), ram.occupied_bytes()), (100 << 20, 0));
        ram.write_at(50 << 20, &[1; 8192]).unwrap();
        assert_eq!(ram.occupied_bytes(), CHUNK_BYTES as u64);
        ram.set_len(1 << 20).unwrap();
        assert_eq!(ram.occupied_bytes(), 0);
    }

    #[test]
    fn the_limit_is_a_full_disk() {
        let ram = RamDevice::with_limit("t", 1 << 20);
        assert!(ram.set_len((1 << 20) + 1).unwrap_err().is_no_space());
        ram.set_len(1 << 20).unwrap();
        assert_eq!(ram.len_bytes(), 1 << 20);
    }

    #[test]
    fn what_was_cut_off_does_not_come_back() {
        let ram = RamDevice::new("t");
        ram.set_len(8192).unwrap();
        ram.write_at(0, &[9; 8192]).unwrap();
        ram.set_len(4096).unwrap();
        ram.set_len(8192).unwrap();
        let mut bytes = [1; 8192];
        ram.read_at(0, &mut bytes).unwrap();
        assert_eq!((bytes[4095], bytes[4096], bytes[8191]), (9, 0, 0));
    }
}
