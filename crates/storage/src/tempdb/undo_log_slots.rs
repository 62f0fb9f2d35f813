//! Places for log blocks in the log files: the first file until it is full, then the next, then from the start again.
//!
//! What always holds: a slot is free or has one block. A closed file gives no slot; one that is gone keeps its number, so
//! that slots of others keep theirs. A free slot of any file is used before a file grows, lower files
//! first, so overflow files empty again when the need is over.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ask::Ask;
use crate::check;
use crate::contract::{FileId, IoFailure};
use crate::tempdb::log_medium::{BLOCK_BYTES, LogMedium};

/// A block's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    medium: usize,
    index: u64,
}

impl Slot {
    pub(crate) fn offset_bytes(self) -> u64 {
        self.index * BLOCK_BYTES as u64
    }
}

struct File {
    /// `None`: it is gone.
    medium: Option<Arc<dyn LogMedium>>,
    /// BlockSlots below are free or taken; those from here to the end were never used.
    fresh_from: u64,
    free: BTreeSet<u64>,
    taken: u64,
    /// Where the next search begins.
    next: u64,
    /// It is to go.
    is_closed: bool,
}

impl File {
    fn size_bytes(&self) -> u64 {
        self.medium.as_ref().map_or(0, |medium| medium.size_bytes())
    }

    fn slots(&self) -> u64 {
        self.size_bytes() / BLOCK_BYTES as u64
    }

    /// The next free slot after the last one taken, from the start again after the last one.
    fn take(&mut self) -> Option<u64> {
        if self.is_closed {
            return None;
        }
        let after = self.free.range(self.next..).next().copied();
        let index = match after {
            Some(index) => index,
            None if self.fresh_from < self.slots() => {
                self.fresh_from += 1;
                self.fresh_from - 1
            }
            None => *self.free.first()?,
        };
        check!(index < self.slots(), "slot {index} lies after the end of its file");
        self.free.remove(&index);
        self.next = index + 1;
        self.taken += 1;
        assert!(self.taken + self.free.len() as u64 == self.fresh_from, "slot {index} is free or has one block");
        Some(index)
    }
}

/// The slots of all log files.
#[derive(Default)]
pub(crate) struct BlockSlots {
    files: Vec<File>,
}

impl BlockSlots {
    pub(crate) fn add(&mut self, medium: Arc<dyn LogMedium>) {
        check!(
            medium.id().is_none_or(|id| self.number_of(id).is_none()),
            "log file {:?} gives room twice",
            medium.id()
        );
        self.files.push(File {
            medium: Some(medium),
            fresh_from: 0,
            free: BTreeSet::new(),
            taken: 0,
            next: 0,
            is_closed: false,
        });
    }

    pub(crate) fn medium(&self, slot: Slot) -> Arc<dyn LogMedium> {
        self.files[slot.medium].medium.clone().expect("a file with a slot in use is there")
    }

    /// A free slot in a file of which `refuses` does not hold; files grow if there is none.
    ///
    /// # Errors
    /// A failure of growth other than a full device.
    pub(crate) fn take(&mut self, ask: &Ask<'_>, refuses: &[usize]) -> Result<Option<Slot>, IoFailure> {
        for (medium, file) in self.files.iter_mut().enumerate().filter(|(medium, _)| !refuses.contains(medium)) {
            if let Some(index) = file.take() {
                return Ok(Some(Slot { medium, index }));
            }
        }
        for (medium, file) in self.files.iter_mut().enumerate().filter(|(medium, _)| !refuses.contains(medium)) {
            let before = file.slots();
            let Some(medium_of) = file.medium.as_ref().filter(|_| !file.is_closed) else { continue };
            match medium_of.grow(ask) {
                Ok(_) | Err(IoFailure::NoSpace { .. }) => {}
                Err(failure) => return Err(failure),
            }
            assert!(file.slots() >= before, "a log file of {before} slots has {} after its growth", file.slots());
            if file.slots() > before
                && let Some(index) = file.take()
            {
                return Ok(Some(Slot { medium, index }));
            }
        }
        Ok(None)
    }

    pub(crate) fn free(&mut self, slot: Slot) {
        let file = &mut self.files[slot.medium];
        assert!(slot.index < file.fresh_from && file.taken > 0, "slot {slot:?} is freed, and was never taken");
        assert!(file.medium.is_some(), "slot {slot:?} is of a file that is gone");
        assert!(file.free.insert(slot.index), "a slot is freed once");
        file.taken -= 1;
        assert!(file.taken + file.free.len() as u64 == file.fresh_from, "slot {slot:?} is free or has one block");
    }

    /// The file of a slot, for `refuses`.
    pub(crate) fn file_of(slot: Slot) -> usize {
        slot.medium
    }

    /// The number of a file.
    pub(crate) fn number_of(&self, id: FileId) -> Option<usize> {
        self.files.iter().position(|file| file.medium.as_ref().is_some_and(|medium| medium.id() == Some(id)))
    }

    /// The file gives no slot any more, or again.
    pub(crate) fn set_closed(&mut self, file: usize, is_closed: bool) {
        assert!(self.files[file].medium.is_some(), "log file {file} is gone, and is closed or opened");
        self.files[file].is_closed = is_closed;
    }

    /// Whether no slot of the file is taken.
    pub(crate) fn is_empty(&self, file: usize) -> bool {
        self.files[file].taken == 0
    }

    /// Forgets a file that is closed and empty.
    pub(crate) fn forget(&mut self, file: usize) {
        let file = &mut self.files[file];
        assert!(file.is_closed && file.taken == 0, "nothing of it is in use");
        file.medium = None;
    }

    /// Size and bytes in use of each file.
    pub(crate) fn report(&self) -> Vec<(u64, u64)> {
        self.files
            .iter()
            .filter(|f| f.medium.is_some())
            .map(|f| (f.size_bytes(), f.taken * BLOCK_BYTES as u64))
            .collect()
    }
}
