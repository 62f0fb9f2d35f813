//! Devices that remember every write, so that a test can cut the power at any point of a run that went well.
//!
//! ```text
//!   the run        write a   write b   sync   write c   set_len   …          one tape for all devices, in order
//!                     │         │        │       │
//!   playback ─────────┴─────────┴────────┴───────┼─▶ cut here: a and b are there, each sector of c is there or not
//! ```
//!
//! What always holds: whatever a device had written before a finished sync is there after the cut; of what it wrote
//! later, each sector of 512 bytes is kept or lost by chance, independently, so writes arrive torn and out of order, as
//! a disk with a volatile cache leaves them. A change of length counts like a write. What was hardened
//! ([`BlockDevice::harden`]) is there as if synced. One run serves any number of cuts.
//! It knows no pages and no logs; code that makes promises notes [`Tape::position`] beside them.

use std::collections::BTreeMap;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError, total_bytes};
use crate::chance::Dice;
use crate::image::{Image, ImageDevice};
use crate::meter::Meter;
use crate::ram::RamDevice;

/// What a disk writes whole or not at all.
pub const SECTOR_BYTES: usize = 512;

#[derive(Debug)]
enum Event {
    Write {
        offset_bytes: u64,
        bytes: Box<[u8]>,
    },
    SetLen(u64),
    /// What the device did before this position is durable.
    Sync(usize),
    /// What the device wrote to this range before this position cannot be lost, nor a length that it had.
    Harden {
        begun: usize,
        range: Range<u64>,
    },
}

/// Everything that the devices of one run did, in order.
#[derive(Debug, Default)]
pub struct Tape {
    inner: Mutex<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    /// Names, and what the devices held when the tape began.
    devices: Vec<(Arc<str>, Image)>,
    events: Vec<(usize, Event)>,
}

impl Tape {
    /// A tape without events.
    #[must_use]
    pub fn new() -> Arc<Tape> {
        Arc::default()
    }

    /// A device of length 0 that records on this tape; `name` identifies it after a cut.
    #[must_use]
    pub fn device(self: &Arc<Self>, name: &str) -> Arc<TapedDevice> {
        self.continue_image(name, Image::default())
    }

    /// A device that begins with the contents of `medium`, which count as durable.
    #[must_use]
    pub fn continue_device(self: &Arc<Self>, name: &str, medium: RamDevice) -> Arc<TapedDevice> {
        let mut bytes = vec![0; usize::try_from(medium.len_bytes()).expect("a test's device fits in memory")];
        medium.read_at(0, &mut bytes).expect("memory reads");
        self.continue_image(name, Image::of(&bytes))
    }

    /// A device that begins with these contents, which count as durable.
    #[must_use]
    pub fn continue_image(self: &Arc<Self>, name: &str, image: Image) -> Arc<TapedDevice> {
        let mut inner = self.inner.lock();
        let number = inner.devices.len();
        inner.devices.push((Arc::from(name), image.clone()));
        Arc::new(TapedDevice { medium: ImageDevice::new(name, image), number, tape: Arc::clone(self) })
    }

    /// Events so far: a promise made now must hold after any cut at this position or later.
    #[must_use]
    pub fn position(&self) -> usize {
        self.inner.lock().events.len()
    }

    /// Positions right after each finished sync.
    #[must_use]
    pub fn sync_positions(&self) -> Vec<usize> {
        let inner = self.inner.lock();
        let syncs = inner.events.iter().enumerate().filter(|(_, (_, event))| matches!(event, Event::Sync(_)));
        syncs.map(|(index, _)| index + 1).collect()
    }

    fn record(&self, device: usize, event: Event) {
        self.inner.lock().events.push((device, event));
    }
}

/// A device in memory that records what is done to it.
#[derive(Debug)]
pub struct TapedDevice {
    medium: ImageDevice,
    number: usize,
    tape: Arc<Tape>,
}

impl BlockDevice for TapedDevice {
    fn name(&self) -> &Arc<str> {
        self.medium.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.medium.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.medium.write_vectored_at(offset_bytes, buffers)?;
        let mut bytes = Vec::with_capacity(total_bytes(buffers) as usize);
        buffers.iter().for_each(|buffer| bytes.extend_from_slice(buffer));
        self.tape.record(self.number, Event::Write { offset_bytes, bytes: bytes.into() });
        Ok(())
    }

    fn sync(&self) -> Result<(), DeviceError> {
        // What others write while the sync runs may come too late for it.
        let begun = self.tape.position();
        self.medium.sync()?;
        self.tape.record(self.number, Event::Sync(begun));
        Ok(())
    }

    fn len_bytes(&self) -> u64 {
        self.medium.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.medium.set_len(bytes)?;
        self.tape.record(self.number, Event::SetLen(bytes));
        Ok(())
    }

    fn set_sparse_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.medium.set_sparse_len(bytes)?;
        self.tape.record(self.number, Event::SetLen(bytes));
        Ok(())
    }

    fn harden(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        let begun = self.tape.position();
        self.tape.record(self.number, Event::Harden { begun, range: offset_bytes..offset_bytes + bytes });
        Ok(())
    }

    fn meter(&self) -> &Meter {
        self.medium.meter()
    }
}

/// What a power cut does to what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing is lost: the process was killed, the system lived on.
    Nothing,
    /// All of it is lost.
    Everything,
    /// Each sector is kept with this chance in percent.
    Chance {
        /// 0..=100
        kept_percent: u8,
    },
}

/// The tape's devices at one position, moved forward from cut to cut.
#[derive(Debug)]
pub struct Playback {
    tape: Arc<Tape>,
    position: usize,
    media: Vec<Medium>,
}

#[derive(Debug)]
struct Medium {
    durable: Image,
    /// Events since the last sync.
    unsynced: Vec<Unsynced>,
}

#[derive(Debug)]
struct Unsynced {
    /// Place on the tape.
    index: usize,
    /// What of it cannot be lost: ranges of the device. For a length: whether there is any.
    hardened: Vec<Range<u64>>,
}

/// `keep` says of each sector, by its offset, whether it arrived.
fn apply(image: &mut Image, event: &Event, mut keep: impl FnMut(u64) -> bool) {
    match event {
        Event::SetLen(bytes) => {
            if keep(0) {
                image.set_len(*bytes);
            }
        }
        Event::Write { offset_bytes, bytes } => {
            let mut at = *offset_bytes as usize;
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let piece = (SECTOR_BYTES - at % SECTOR_BYTES).min(rest.len());
                // A write after the end that a lost change of length left has nowhere to go.
                if keep(at as u64) && (at + piece) as u64 <= image.len_bytes() {
                    image.write(at as u64, &rest[..piece]);
                }
                at += piece;
                rest = &rest[piece..];
            }
        }
        Event::Sync(_) | Event::Harden { .. } => {}
    }
}

/// Notes what of an event cannot be lost any more.
fn harden(unsynced: &mut Unsynced, event: &Event, range: &Range<u64>) {
    match event {
        // A length lies nowhere; `apply` asks for place 0.
        Event::SetLen(_) => unsynced.hardened.push(0..1),
        Event::Write { offset_bytes, bytes } => {
            let end = offset_bytes + bytes.len() as u64;
            let part = range.start.max(*offset_bytes)..range.end.min(end);
            if part.start < part.end {
                unsynced.hardened.push(part);
            }
        }
        Event::Sync(_) | Event::Harden { .. } => {}
    }
}

impl Playback {
    /// At the tape's beginning: all devices are empty.
    #[must_use]
    pub fn new(tape: &Arc<Tape>) -> Playback {
        Playback { tape: Arc::clone(tape), position: 0, media: Vec::new() }
    }

    /// Moves forward to `position`.
    ///
    /// # Panics
    /// When `position` lies after, or beyond the end of the tape.
    pub fn advance(&mut self, position: usize) {
        let recorded = self.tape.inner.lock();
        assert!(self.position <= position && position <= recorded.events.len(), "a tape plays forward");
        let known = self.media.len();
        let new = recorded.devices[known..].iter().map(|(_, image)| image.clone());
        self.media.extend(new.map(|durable| Medium { durable, unsynced: Vec::new() }));
        for index in self.position..position {
            let (device, event) = &recorded.events[index];
            let medium = &mut self.media[*device];
            match event {
                Event::Sync(begun) => {
                    let late = medium.unsynced.partition_point(|unsynced| unsynced.index < *begun);
                    let late = medium.unsynced.split_off(late);
                    for unsynced in std::mem::replace(&mut medium.unsynced, late) {
                        apply(&mut medium.durable, &recorded.events[unsynced.index].1, |_| true);
                    }
                }
                Event::Harden { begun, range } => {
                    for unsynced in medium.unsynced.iter_mut().filter(|unsynced| unsynced.index < *begun) {
                        harden(unsynced, &recorded.events[unsynced.index].1, range);
                    }
                }
                _ => medium.unsynced.push(Unsynced { index, hardened: Vec::new() }),
            }
        }
        self.position = position;
    }

    /// What the devices hold when the power is cut now: by name. The same seed gives the same loss.
    #[must_use]
    pub fn cut(&self, loss: Loss, seed: u64) -> BTreeMap<Arc<str>, Vec<u8>> {
        self.cut_images(loss, seed).into_iter().map(|(name, image)| (name, image.to_vec())).collect()
    }

    /// As [`Playback::cut`], without a copy of what no cut changes.
    #[must_use]
    pub fn cut_images(&self, loss: Loss, seed: u64) -> BTreeMap<Arc<str>, Image> {
        let recorded = self.tape.inner.lock();
        let mut dice = Dice::new(seed);
        let mut keep = || match loss {
            Loss::Nothing => true,
            Loss::Everything => false,
            Loss::Chance { kept_percent } => dice.chance(kept_percent.into()),
        };
        let mut images = BTreeMap::new();
        for ((name, _), medium) in recorded.devices.iter().zip(&self.media) {
            let mut image = medium.durable.clone();
            for unsynced in &medium.unsynced {
                let is_hard = |at: u64| unsynced.hardened.iter().any(|range| range.contains(&at));
                apply(&mut image, &recorded.events[unsynced.index].1, |at| is_hard(at) || keep());
            }
            images.insert(Arc::clone(name), image);
        }
        images
    }
}

/// A device in memory with these contents.
#[must_use]
pub fn device_of(name: &str, image: &[u8]) -> RamDevice {
    let device = RamDevice::new(name);
    device.set_len(image.len() as u64).expect("memory without a limit");
    // Chunks of zeros are left out: they read as zero without taking memory.
    for (index, chunk) in image.chunks(64 << 10).enumerate() {
        if chunk.iter().any(|&byte| byte != 0) {
            device.write_at((index as u64) << 16, chunk).expect("within the length");
        }
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    /// length 4096; [1; 1024] at 0, sync; [2; 1024] at 512, not synced.
    fn tape() -> Arc<Tape> {
        let tape = Tape::new();
        let device = tape.device("d");
        device.set_len(4096).unwrap();
        device.write_at(0, &[1; 1024]).unwrap();
        device.sync().unwrap();
        device.write_at(512, &[2; 1024]).unwrap();
        tape
    }

    fn image(tape: &Arc<Tape>, position: usize, loss: Loss, seed: u64) -> Vec<u8> {
        let mut playback = Playback::new(tape);
        playback.advance(position);
        playback.cut(loss, seed).remove("d").unwrap()
    }

    #[test]
    fn what_was_synced_is_there_and_the_rest_by_chance() {
        let tape = tape();
        assert_eq!(tape.sync_positions(), [3]);
        let all_lost = image(&tape, 4, Loss::Everything, 0);
        assert_eq!((all_lost.len(), all_lost[0], all_lost[512], all_lost[1024]), (4096, 1, 1, 0));
        let none_lost = image(&tape, 4, Loss::Nothing, 0);
        assert_eq!((none_lost[0], none_lost[512], none_lost[1535], none_lost[1536]), (1, 2, 2, 0));
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..64 {
            let cut = image(&tape, 4, Loss::Chance { kept_percent: 50 }, seed);
            seen.insert((cut[512], cut[1024]));
            assert_eq!(cut[511], 1);
            assert_eq!((cut[512], cut[1024]), (cut[1023], cut[1535]), "a sector is whole");
        }
        assert_eq!(seen.len(), 4, "each of two sectors is kept or lost on its own");
    }

    #[test]
    fn a_lost_change_of_length_loses_what_lies_after_it() {
        let tape = tape();
        assert!(image(&tape, 2, Loss::Everything, 0).is_empty());
        assert_eq!(image(&tape, 2, Loss::Nothing, 0).len(), 4096);
    }

    #[test]
    fn a_device_can_go_on_from_an_image() {
        let old = image(&tape(), 4, Loss::Nothing, 0);
        let next = Tape::new();
        let device = next.continue_device("d", device_of("d", &old));
        device.write_at(0, &[7; 512]).unwrap();
        let lost = image(&next, next.position(), Loss::Everything, 0);
        assert_eq!(lost, old);
        let kept = image(&next, next.position(), Loss::Nothing, 0);
        assert_eq!((kept[0], &kept[512..]), (7, &old[512..]));
    }

    #[test]
    #[should_panic(expected = "forward")]
    fn a_tape_does_not_play_backwards() {
        let tape = tape();
        let mut playback = Playback::new(&tape);
        playback.advance(3);
        playback.advance(2);
    }
}
