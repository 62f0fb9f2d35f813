//! A block device: bytes at offsets, a length, a sync, and an account of what was done.
//!
//! What always holds, for every implementation:
//! - a call transfers everything or returns an error; after an error on a write the range holds old bytes, new bytes or a
//!   mixture;
//! - the length changes only by [`BlockDevice::set_len`]; a transfer beyond it is [`DeviceError::BeyondEnd`];
//! - bytes that were never written read as zero;
//! - calls may come from any thread at once; two that overlap, one of them a write, have no defined order.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::meter::{Meter, elapsed_us};

/// A transfer or change of length that did not happen.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The medium is full; nothing else is wrong with it.
    #[error("no space left on {device} for {wanted_bytes} bytes")]
    NoSpace {
        /// Name of the device.
        device: Arc<str>,
        /// Bytes of the write, or the length asked for.
        wanted_bytes: u64,
    },
    /// The range does not lie inside the device.
    #[error("{device}: {bytes} bytes at offset {offset_bytes} lie beyond its end at {len_bytes}")]
    BeyondEnd {
        /// Name of the device.
        device: Arc<str>,
        /// Start of the range.
        offset_bytes: u64,
        /// Length of the range.
        bytes: u64,
        /// Length of the device.
        len_bytes: u64,
    },
    /// The system refused.
    #[error("{device}: {doing} failed: {source}")]
    System {
        /// Name of the device.
        device: Arc<str>,
        /// "read", "write", "sync" …
        doing: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl DeviceError {
    /// Whether another device might still take the bytes.
    #[must_use]
    pub fn is_no_space(&self) -> bool {
        matches!(self, DeviceError::NoSpace { .. })
    }

    pub(crate) fn of_write(device: &Arc<str>, doing: &'static str, wanted_bytes: u64, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match source.kind() {
            StorageFull | QuotaExceeded => DeviceError::NoSpace { device: device.clone(), wanted_bytes },
            _ => DeviceError::System { device: device.clone(), doing, source },
        }
    }
}

/// One of several reads that are asked for together.
#[derive(Debug)]
pub struct ReadRequest<'r, 'b> {
    /// Where it begins.
    pub offset_bytes: u64,
    /// Filled one after the other; which bytes they name afterwards is unspecified.
    pub buffers: &'r mut [IoSliceMut<'b>],
}

/// One of several writes that are asked for together.
#[derive(Clone, Copy, Debug)]
pub struct WriteRequest<'r> {
    /// Where it begins.
    pub offset_bytes: u64,
    /// Written one after the other.
    pub buffers: &'r [IoSlice<'r>],
}

/// What became of one of several requests.
#[derive(Debug)]
pub struct Outcome {
    /// As of a request that is asked for alone.
    pub result: Result<(), DeviceError>,
    /// From its own begin to its end, without the time that it waited for others of the same call.
    pub stall_us: u64,
}

impl Outcome {
    /// Does a request and takes its time.
    pub(crate) fn of(work: impl FnOnce() -> Result<(), DeviceError>) -> Outcome {
        let begun = Instant::now();
        let result = work();
        Outcome { result, stall_us: elapsed_us(begun) }
    }
}

/// A medium.
pub trait BlockDevice: Send + Sync + std::fmt::Debug {
    /// What a person calls it: a path, or `ram:name`.
    fn name(&self) -> &Arc<str>;

    /// Fills `buffers`, one after the other, from `offset_bytes` on, as one I/O.
    ///
    /// # Errors
    /// [`DeviceError`]; the buffers' contents are then unspecified.
    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError>;

    /// Writes `buffers`, one after the other, from `offset_bytes` on, as one I/O.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError>;

    /// Fills `buffer` from `offset_bytes` on.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn read_at(&self, offset_bytes: u64, buffer: &mut [u8]) -> Result<(), DeviceError> {
        self.read_vectored_at(offset_bytes, &mut [IoSliceMut::new(buffer)])
    }

    /// Writes `buffer` from `offset_bytes` on.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn write_at(&self, offset_bytes: u64, buffer: &[u8]) -> Result<(), DeviceError> {
        self.write_vectored_at(offset_bytes, &[IoSlice::new(buffer)])
    }

    /// Does several reads, each as [`BlockDevice::read_vectored_at`] does, of which up to `depth` are under way at a
    /// time where the medium can do that; one outcome each, in order. One that fails keeps none of the others.
    fn read_many(&self, _depth: usize, requests: &mut [ReadRequest<'_, '_>]) -> Vec<Outcome> {
        let read = |request: &mut ReadRequest<'_, '_>| {
            Outcome::of(|| self.read_vectored_at(request.offset_bytes, request.buffers))
        };
        requests.iter_mut().map(read).collect()
    }

    /// As [`BlockDevice::read_many`], of writes. Two that overlap have no defined order.
    fn write_many(&self, _depth: usize, requests: &[WriteRequest<'_>]) -> Vec<Outcome> {
        let write =
            |request: &WriteRequest<'_>| Outcome::of(|| self.write_vectored_at(request.offset_bytes, request.buffers));
        requests.iter().map(write).collect()
    }

    /// Returns after all finished writes are durable.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn sync(&self) -> Result<(), DeviceError>;

    /// Length.
    fn len_bytes(&self) -> u64;

    /// Makes the device longer or shorter. New space is really allocated where the medium can do that, so that later
    /// writes into it do not run out of space.
    ///
    /// # Errors
    /// [`DeviceError::NoSpace`] leaves the length as it was.
    fn set_len(&self, bytes: u64) -> Result<(), DeviceError>;

    /// As [`BlockDevice::set_len`], but new space is a hole of zeroes where the medium can have one: it takes room when it is
    /// first written, and may run out of it then.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.set_len(bytes)
    }

    /// Bytes that the device really occupies; fewer than its length when it is sparse.
    fn occupied_bytes(&self) -> u64 {
        self.len_bytes()
    }

    /// The next range from `offset_bytes` on that may have been written; what lies before it, and all of it where there is none, is
    /// zeroes that occupy nothing. A medium that does not know its holes has none.
    fn written_after(&self, offset_bytes: u64) -> Option<Range<u64>> {
        let end = self.len_bytes();
        (offset_bytes < end).then_some(offset_bytes..end)
    }

    /// From now on I/O goes past the system's cache where that is possible: files are opened through it, because what
    /// a start reads was often just written.
    fn pass_cache(&self) {}

    /// Keeps other processes, and other openings of the same file in this one, from locking it; `false` when one of
    /// them has. The lock goes with the device. A medium that nothing else can reach is always locked.
    ///
    /// # Errors
    /// [`DeviceError::System`].
    fn try_lock(&self) -> Result<bool, DeviceError> {
        Ok(true)
    }

    /// Gives back the lock of [`BlockDevice::try_lock`] before the device goes.
    fn unlock(&self) {}

    /// The layer above says that a power cut cannot take what was written to this range so far, nor the length: a
    /// cache with a battery holds it, or it has come to the emulated device. Real media take no notice; those that
    /// play power cuts do.
    ///
    /// # Errors
    /// [`DeviceError`].
    fn harden(&self, _offset_bytes: u64, _bytes: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    /// What was done so far.
    fn meter(&self) -> &Meter;
}

/// Refuses a range beyond the end.
pub(crate) fn check_range(device: &Arc<str>, offset_bytes: u64, bytes: u64, len_bytes: u64) -> Result<(), DeviceError> {
    match offset_bytes.checked_add(bytes) {
        Some(end) if end <= len_bytes => Ok(()),
        _ => Err(DeviceError::BeyondEnd { device: device.clone(), offset_bytes, bytes, len_bytes }),
    }
}

/// Sum of the buffers' lengths.
pub(crate) fn total_bytes<B: std::ops::Deref<Target = [u8]>>(buffers: &[B]) -> u64 {
    buffers.iter().map(|b| b.len() as u64).sum()
}
