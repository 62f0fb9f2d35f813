//! A device that is no file of a database, under the same eye as those are: the doublewrite area, the buffer pool extension.
//!
//! What always holds: a request is watched from its beginning to its end, in the order read, write, sync of the device below;
//! nothing else is changed.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, Meter, Outcome, ReadRequest, WriteRequest};

use crate::contract::{DbId, FileId};
use crate::file::io_watch::{FileWatch, IoWatch, SlowIo};

/// Whose it is: no database's.
pub const NO_DATABASE: DbId = DbId(0);

/// The device.
#[derive(Debug)]
pub struct WatchedDevice {
    device: Arc<dyn BlockDevice>,
    watch: FileWatch,
}

impl WatchedDevice {
    /// `device`, reported by `watch`.
    #[must_use]
    pub fn new(device: Arc<dyn BlockDevice>, watch: Arc<IoWatch>) -> WatchedDevice {
        WatchedDevice { device, watch: FileWatch::new(watch, NO_DATABASE, FileId(0)) }
    }

    /// Requests that took too long since the last look, if it is time to report them.
    pub(crate) fn look_for_slow(&self) -> Option<SlowIo> {
        self.watch.look()
    }
}

impl BlockDevice for WatchedDevice {
    fn name(&self) -> &Arc<str> {
        self.device.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let _request = self.watch.begin(offset_bytes);
        self.device.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let _request = self.watch.begin(offset_bytes);
        self.device.write_vectored_at(offset_bytes, buffers)
    }

    fn read_many(&self, depth: usize, requests: &mut [ReadRequest<'_, '_>]) -> Vec<Outcome> {
        let _requests: Vec<_> = requests.iter().map(|request| self.watch.begin(request.offset_bytes)).collect();
        self.device.read_many(depth, requests)
    }

    fn write_many(&self, depth: usize, requests: &[WriteRequest<'_>]) -> Vec<Outcome> {
        let _requests: Vec<_> = requests.iter().map(|request| self.watch.begin(request.offset_bytes)).collect();
        self.device.write_many(depth, requests)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        let _request = self.watch.begin(0);
        self.device.sync()
    }

    fn len_bytes(&self) -> u64 {
        self.device.len_bytes()
    }

    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.device.set_sparse_len(bytes)
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.device.set_len(bytes)
    }

    fn occupied_bytes(&self) -> u64 {
        self.device.occupied_bytes()
    }

    fn written_after(&self, offset_bytes: u64) -> Option<Range<u64>> {
        self.device.written_after(offset_bytes)
    }

    fn pass_cache(&self) {
        self.device.pass_cache();
    }

    fn try_lock(&self) -> Result<bool, DeviceError> {
        self.device.try_lock()
    }

    fn unlock(&self) {
        self.device.unlock();
    }

    fn harden(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        self.device.harden(offset_bytes, bytes)
    }

    fn meter(&self) -> &Meter {
        self.device.meter()
    }
}
