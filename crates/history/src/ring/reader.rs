//! Who reads the file: while a server writes it, or after it is gone.
//!
//! What always holds: only slots whose bytes are those that were written are given out; the others are counted. A file that was cut
//! has what is left of it. Nothing is changed.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::slot::{Found, Slot, find};
use super::texts::{self, Set};
use super::{
    FILE_BYTES, HEAD_BYTES, RingError, SET_BYTES, SLOT_BYTES, TIERS, check_head, opened, set_offset, slot_offset,
};
use crate::sample::TextId;

/// Slots that are read at once.
const SLOTS_AT_ONCE: u64 = 64;

/// A span of time, microseconds of UTC since 1970; `None` is without a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Its begin.
    pub from_us: Option<i64>,
    /// Its end.
    pub to_us: Option<i64>,
}

/// What was found in slots that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Whole ones.
    pub samples: u64,
    /// Torn or damaged ones, which were left out.
    pub damaged: u64,
    /// The file is shorter than it was made: what lay behind is gone.
    pub is_cut: bool,
}

/// The slots of a resolution, many at once.
pub(super) struct Scan(Box<[u8]>);

impl Scan {
    pub(super) fn new() -> Scan {
        Scan(vec![0; SLOTS_AT_ONCE as usize * SLOT_BYTES].into_boxed_slice())
    }

    /// Calls `visit` for each slot of a resolution; what is beyond the file's end is empty.
    pub(super) fn each(&mut self, file: &mut File, tier: usize, mut visit: impl FnMut(Found<'_>)) -> io::Result<()> {
        let slots = TIERS[tier].slots;
        for first in (0..slots).step_by(SLOTS_AT_ONCE as usize) {
            let count = SLOTS_AT_ONCE.min(slots - first);
            let bytes = &mut self.0[..count as usize * SLOT_BYTES];
            read_all(file, slot_offset(tier, first), bytes)?;
            for (place, bytes) in (first..).zip(bytes.chunks_exact_mut(SLOT_BYTES)) {
                if matches!(find(tier, place, bytes), Found::Damaged) {
                    // It may have been read while it was written.
                    read_all(file, slot_offset(tier, place), bytes)?;
                }
                visit(find(tier, place, bytes));
            }
        }
        Ok(())
    }
}

/// Fills `bytes`; zeros beyond the file's end.
pub(super) fn read_all(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    let mut done = 0;
    while done < bytes.len() {
        match file.read(&mut bytes[done..]) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes[done..].fill(0);
    Ok(())
}

/// The reader.
pub struct Reader {
    file: File,
    texts: HashMap<TextId, Option<Arc<str>>>,
}

impl Reader {
    /// Opens a file; nothing where there is none.
    ///
    /// # Errors
    /// [`RingError`]
    pub fn open(path: &Path) -> Result<Option<Reader>, RingError> {
        let mut file = match opened(path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(RingError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut head = [0; HEAD_BYTES];
        read_all(&mut file, 0, &mut head)?;
        check_head(&head)?;
        Ok(Some(Reader { file, texts: HashMap::new() }))
    }

    /// Calls `visit` with each slot that touches the range, and with the one before it, and with its resolution's place in [`TIERS`]:
    /// finest first, in no order of time. Coarser ones are read only where finer ones do not reach back to the begin of the range, unless `all_tiers`.
    ///
    /// # Errors
    /// [`RingError::Io`]
    pub fn each(
        &mut self,
        range: Range,
        all_tiers: bool,
        mut visit: impl FnMut(usize, Slot<'_>),
    ) -> Result<Health, RingError> {
        let mut scan = Scan::new();
        let is_cut = self.file.metadata()?.len() < FILE_BYTES;
        let mut health = Health { is_cut, ..Health::default() };
        for (tier, of) in TIERS.iter().enumerate() {
            let mut oldest_us = i64::MAX;
            scan.each(&mut self.file, tier, |found| {
                let slot = match found {
                    Found::Empty => return,
                    Found::Damaged => {
                        health.damaged += 1;
                        return;
                    }
                    Found::Slot(slot) => slot,
                };
                health.samples += 1;
                oldest_us = oldest_us.min(slot.begin_us());
                // Totals of the slot before are what growth is counted from.
                let before_us = (of.step_s * 2_000_000).cast_signed();
                let is_late = range.from_us.is_none_or(|from_us| slot.end_us() > from_us.saturating_sub(before_us));
                if is_late && range.to_us.is_none_or(|to_us| slot.begin_us() < to_us) {
                    visit(tier, slot);
                }
            })?;
            if !all_tiers && range.from_us.is_some_and(|from_us| oldest_us <= from_us) {
                break;
            }
        }
        Ok(health)
    }

    /// A text; none where it has lost its place to others, or is damaged.
    pub fn text(&mut self, id: TextId) -> Option<Arc<str>> {
        if id == TextId::NONE {
            return None;
        }
        if let Some(known) = self.texts.get(&id) {
            return known.clone();
        }
        let mut set: Set = [0; SET_BYTES];
        let read = read_all(&mut self.file, set_offset(texts::set_of(id)), &mut set);
        let text: Option<Arc<str>> = read.ok().and_then(|()| texts::find(&set, id)).map(Arc::from);
        self.texts.insert(id, text.clone());
        text
    }
}
