//! Contents of a device that are copied in no time: chunks shared until one of the copies writes to them. Thousands of
//! power cuts of one run each get devices of their own, and pay only for what they change.
//!
//! What always holds: bytes that were never written read as zero and take no memory; a copy never sees what another one
//! writes later.

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::block::{BlockDevice, DeviceError, check_range, total_bytes};
use crate::meter::Meter;

const CHUNK_BYTES: usize = 8192;

type Chunk = [u8; CHUNK_BYTES];

/// Bytes of a device; a clone shares them.
#[derive(Clone, Debug, Default)]
pub struct Image {
    len_bytes: u64,
    chunks: Vec<Option<Arc<Chunk>>>,
}

/// The parts of `bytes` bytes from `offset_bytes` on: chunk, offset in it, offset in the buffer, length.
fn pieces(offset_bytes: u64, bytes: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        (done < bytes).then(|| {
            let at = offset_bytes + done as u64;
            let (chunk, within) = ((at / CHUNK_BYTES as u64) as usize, (at % CHUNK_BYTES as u64) as usize);
            let length = (CHUNK_BYTES - within).min(bytes - done);
            let piece = (chunk, within, done, length);
            done += length;
            piece
        })
    })
}

impl Image {
    /// An image with these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Image {
        let mut image = Image::default();
        image.set_len(bytes.len() as u64);
        for (number, chunk) in bytes.chunks(CHUNK_BYTES).enumerate().filter(|(_, chunk)| chunk.iter().any(|&b| b != 0))
        {
            image.write((number * CHUNK_BYTES) as u64, chunk);
        }
        image
    }

    /// Length.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    /// Makes it longer, with zeros, or shorter.
    pub fn set_len(&mut self, bytes: u64) {
        self.chunks.resize(bytes.div_ceil(CHUNK_BYTES as u64) as usize, None);
        let tail = (bytes % CHUNK_BYTES as u64) as usize;
        if let (true, Some(Some(last))) = (bytes < self.len_bytes && tail != 0, self.chunks.last_mut()) {
            // What is cut off must read as zero when it grows again.
            Arc::make_mut(last)[tail..].fill(0);
        }
        self.len_bytes = bytes;
    }

    /// Copies bytes out.
    ///
    /// # Panics
    /// Beyond the end.
    pub fn read(&self, offset_bytes: u64, buffer: &mut [u8]) {
        assert!(offset_bytes + buffer.len() as u64 <= self.len_bytes, "a read within the image");
        for (chunk, within, at, length) in pieces(offset_bytes, buffer.len()) {
            let target = &mut buffer[at..at + length];
            match &self.chunks[chunk] {
                Some(bytes) => target.copy_from_slice(&bytes[within..within + length]),
                None => target.fill(0),
            }
        }
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// Beyond the end.
    pub fn write(&mut self, offset_bytes: u64, buffer: &[u8]) {
        assert!(offset_bytes + buffer.len() as u64 <= self.len_bytes, "a write within the image");
        for (chunk, within, at, length) in pieces(offset_bytes, buffer.len()) {
            let bytes = self.chunks[chunk].get_or_insert_with(|| Arc::new([0; CHUNK_BYTES]));
            Arc::make_mut(bytes)[within..within + length].copy_from_slice(&buffer[at..at + length]);
        }
    }

    /// All bytes.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len_bytes as usize];
        self.read(0, &mut bytes);
        bytes
    }
}

/// A device in memory that begins with an image.
#[derive(Debug)]
pub struct ImageDevice {
    name: Arc<str>,
    image: RwLock<Image>,
    meter: Meter,
}

impl ImageDevice {
    /// A device with these contents.
    #[must_use]
    pub fn new(name: &str, image: Image) -> ImageDevice {
        ImageDevice { name: name.into(), image: RwLock::new(image), meter: Meter::default() }
    }

    /// What it holds now.
    #[must_use]
    pub fn image(&self) -> Image {
        self.image.read().clone()
    }
}

impl BlockDevice for ImageDevice {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.read(bytes, || {
            let image = self.image.read();
            check_range(&self.name, offset_bytes, bytes, image.len_bytes)?;
            let mut at = offset_bytes;
            for buffer in buffers {
                image.read(at, buffer);
                at += buffer.len() as u64;
            }
            Ok(())
        })
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = total_bytes(buffers);
        self.meter.write(bytes, || {
            let mut image = self.image.write();
            check_range(&self.name, offset_bytes, bytes, image.len_bytes)?;
            let mut at = offset_bytes;
            for buffer in buffers {
                image.write(at, buffer);
                at += buffer.len() as u64;
            }
            Ok(())
        })
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.meter.sync(|| Ok(()))
    }

    fn len_bytes(&self) -> u64 {
        self.image.read().len_bytes
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.image.write().set_len(bytes);
        Ok(())
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_do_not_see_each_other() {
        let mut first = Image::of(&[7; 20_000]);
        let second = first.clone();
        first.write(8190, &[1, 2, 3, 4]);
        let mut bytes = [0; 6];
        first.read(8189, &mut bytes);
        assert_eq!(bytes, [7, 1, 2, 3, 4, 7]);
        assert_eq!(second.to_vec(), vec![7; 20_000]);
    }

    #[test]
    fn what_is_cut_off_is_zero_when_it_comes_back() {
        let mut image = Image::of(&[9; 10_000]);
        image.set_len(9_000);
        image.set_len(30_000);
        let bytes = image.to_vec();
        assert!(bytes[..9_000].iter().all(|&b| b == 9) && bytes[9_000..].iter().all(|&b| b == 0));
    }

    #[test]
    fn a_device_refuses_what_lies_beyond_its_end() {
        let device = ImageDevice::new("i", Image::of(&[1; 100]));
        assert!(matches!(device.write_at(99, &[1, 2]), Err(DeviceError::BeyondEnd { .. })));
        device.set_len(200).unwrap();
        device.write_at(99, &[5, 6]).unwrap();
        let mut bytes = [0; 4];
        device.read_at(98, &mut bytes).unwrap();
        assert_eq!(bytes, [1, 5, 6, 0]);
    }
}
