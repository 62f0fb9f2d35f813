//! A device that keeps no bytes: what is written is gone, what is read is zero. For probes of emulated devices, which need
//! times and no memory.

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::block::{BlockDevice, DeviceError, check_range, total_bytes};
use crate::meter::Meter;

/// A device without bytes.
#[derive(Debug)]
pub struct VoidDevice {
    name: Arc<str>,
    len_bytes: AtomicU64,
    meter: Meter,
}

impl VoidDevice {
    /// A device of that length.
    #[must_use]
    pub fn new(name: &str, len_bytes: u64) -> VoidDevice {
        VoidDevice { name: name.into(), len_bytes: AtomicU64::new(len_bytes), meter: Meter::default() }
    }
}

impl BlockDevice for VoidDevice {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.read(bytes, || {
            check_range(&self.name, offset_bytes, bytes, self.len_bytes())?;
            buffers.iter_mut().for_each(|buffer| buffer.fill(0));
            Ok(())
        })
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.write(bytes, || check_range(&self.name, offset_bytes, bytes, self.len_bytes()))
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.meter.sync(|| Ok(()))
    }

    fn len_bytes(&self) -> u64 {
        self.len_bytes.load(Relaxed)
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.len_bytes.store(bytes, Relaxed);
        Ok(())
    }

    fn occupied_bytes(&self) -> u64 {
        0
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}
