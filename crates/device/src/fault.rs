//! A device that fails on purpose: the one test double of all crates.
//!
//! What always holds: calls that no fault names pass through unchanged; faults are counted from the time that they are
//! ordered, each strikes once, except the size beyond which the disk is full, which lasts until it is lifted.

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError, total_bytes};
use crate::meter::Meter;

/// What to do to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The read returns an I/O error.
    ReadError,
    /// The write returns an I/O error and changes nothing.
    WriteError,
    /// The write returns "no space" and changes nothing.
    WriteNoSpace,
    /// The write changes its first bytes only, then returns an I/O error.
    ShortWrite {
        /// Bytes that arrive.
        bytes: usize,
    },
    /// The write changes its first bytes only and claims to be complete: power failed in the middle.
    TornWrite {
        /// Bytes that arrive.
        bytes: usize,
    },
    /// The write claims to be complete and changes nothing.
    LostWrite,
    /// The sync returns an I/O error.
    SyncError,
}

impl Fault {
    fn call(self) -> Call {
        match self {
            Fault::ReadError => Call::Read,
            Fault::SyncError => Call::Sync,
            _ => Call::Write,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    Sync,
}

/// Wraps a device and fails as ordered.
#[derive(Debug)]
pub struct FaultDevice {
    inner: Arc<dyn BlockDevice>,
    /// Calls of the kind still to pass, and what then happens.
    orders: Mutex<Vec<(u64, Fault)>>,
    full_at_bytes: AtomicU64,
}

impl FaultDevice {
    /// A device without faults.
    #[must_use]
    pub fn new(inner: Arc<dyn BlockDevice>) -> FaultDevice {
        FaultDevice { inner, orders: Mutex::default(), full_at_bytes: AtomicU64::new(u64::MAX) }
    }

    /// Lets `fault` strike after `passing` calls of its kind went through: 0 strikes the next one.
    pub fn order(&self, fault: Fault, passing: u64) {
        self.orders.lock().push((passing, fault));
    }

    /// From now on the disk is full beyond `bytes`: neither the device grows nor are bytes written there.
    pub fn fill_beyond(&self, bytes: u64) {
        self.full_at_bytes.store(bytes, Relaxed);
    }

    /// Lifts [`FaultDevice::fill_beyond`].
    pub fn lift(&self) {
        self.full_at_bytes.store(u64::MAX, Relaxed);
    }

    /// Faults that have not struck yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.orders.lock().len()
    }

    /// Counts a call down and returns the fault that is due.
    fn due(&self, call: Call) -> Option<Fault> {
        let mut orders = self.orders.lock();
        let due = orders.iter().position(|(passing, fault)| fault.call() == call && *passing == 0);
        match due {
            Some(at) => Some(orders.remove(at).1),
            None => {
                orders.iter_mut().filter(|(_, fault)| fault.call() == call).for_each(|(passing, _)| *passing -= 1);
                None
            }
        }
    }

    fn error(&self, doing: &'static str) -> DeviceError {
        let source = std::io::Error::other("fault ordered by the test");
        DeviceError::System { device: self.inner.name().clone(), doing, source }
    }

    fn no_space(&self, wanted_bytes: u64) -> DeviceError {
        DeviceError::NoSpace { device: self.inner.name().clone(), wanted_bytes }
    }

    fn write_first(&self, offset_bytes: u64, buffers: &[IoSlice<'_>], bytes: usize) -> Result<(), DeviceError> {
        let whole: Vec<u8> = buffers.iter().flat_map(|b| b.iter().copied()).take(bytes).collect();
        self.inner.write_at(offset_bytes, &whole)
    }
}

impl BlockDevice for FaultDevice {
    fn name(&self) -> &Arc<str> {
        self.inner.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        match self.due(Call::Read) {
            Some(_) => Err(self.error("read")),
            None => self.inner.read_vectored_at(offset_bytes, buffers),
        }
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        if offset_bytes.saturating_add(bytes) > self.full_at_bytes.load(Relaxed) {
            return Err(self.no_space(bytes));
        }
        match self.due(Call::Write) {
            None => self.inner.write_vectored_at(offset_bytes, buffers),
            Some(Fault::LostWrite) => Ok(()),
            Some(Fault::WriteNoSpace) => Err(self.no_space(bytes)),
            Some(Fault::TornWrite { bytes }) => self.write_first(offset_bytes, buffers, bytes),
            Some(Fault::ShortWrite { bytes }) => {
                self.write_first(offset_bytes, buffers, bytes)?;
                Err(self.error("write"))
            }
            Some(_) => Err(self.error("write")),
        }
    }

    fn sync(&self) -> Result<(), DeviceError> {
        match self.due(Call::Sync) {
            Some(_) => Err(self.error("sync")),
            None => self.inner.sync(),
        }
    }

    fn len_bytes(&self) -> u64 {
        self.inner.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        if bytes > self.len_bytes() && bytes > self.full_at_bytes.load(Relaxed) {
            return Err(self.no_space(bytes));
        }
        self.inner.set_len(bytes)
    }

    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.inner.set_sparse_len(bytes)
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
        self.inner.meter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ram::RamDevice;

    fn device() -> FaultDevice {
        let ram = RamDevice::new("t");
        ram.set_len(1 << 20).unwrap();
        FaultDevice::new(Arc::new(ram))
    }

    fn byte_at(device: &FaultDevice, offset: u64) -> u8 {
        let mut byte = [0];
        device.read_at(offset, &mut byte).unwrap();
        byte[0]
    }

    #[test]
    fn the_nth_call_fails_once() {
        let device = device();
        device.order(Fault::WriteError, 2);
        assert!(device.write_at(0, &[1]).is_ok());
        assert!(device.write_at(0, &[2]).is_ok());
        assert!(device.write_at(0, &[3]).is_err());
        assert_eq!((byte_at(&device, 0), device.pending()), (2, 0));
        assert!(device.write_at(0, &[4]).is_ok());
        device.order(Fault::ReadError, 0);
        device.order(Fault::SyncError, 0);
        assert!(device.read_at(0, &mut [0]).is_err());
        assert!(device.sync().is_err());
        assert!(device.sync().is_ok());
    }

    #[test]
    fn torn_short_and_lost_writes() {
        let device = device();
        device.order(Fault::TornWrite { bytes: 3 }, 0);
        device.write_vectored_at(0, &[IoSlice::new(&[1; 2]), IoSlice::new(&[1; 2])]).unwrap();
        assert_eq!((byte_at(&device, 2), byte_at(&device, 3)), (1, 0));
        device.order(Fault::ShortWrite { bytes: 1 }, 0);
        assert!(device.write_at(0, &[9, 9]).is_err());
        assert_eq!((byte_at(&device, 0), byte_at(&device, 1)), (9, 1));
        device.order(Fault::LostWrite, 0);
        device.write_at(0, &[5]).unwrap();
        assert_eq!(byte_at(&device, 0), 9);
    }

    #[test]
    fn a_full_disk_takes_neither_length_nor_bytes() {
        let device = device();
        device.fill_beyond(8192);
        assert!(device.set_len(2 << 20).unwrap_err().is_no_space());
        assert!(device.write_at(8192, &[1]).unwrap_err().is_no_space());
        assert!(device.write_at(8191, &[1]).is_ok());
        device.lift();
        assert!(device.set_len(2 << 20).is_ok());
    }
}
