//! Places for log blocks in the log files: the first file until it is full, then the next, then from the start again.
//!
//! What always holds: a slot is free or has one block. A free slot of any file is used before a file grows, lower files
//! first, so overflow files empty again when the need is over.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ask::Ask;
use crate::contract::IoFailure;
use crate::undo_log::{BLOCK_BYTES, LogMedium};

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
    medium: Arc<dyn LogMedium>,
    /// Slots below are free or taken; those from here to the end were never used.
    fresh_from: u64,
    free: BTreeSet<u64>,
    taken: u64,
    /// Where the next search begins.
    next: u64,
}

impl File {
    fn slots(&self) -> u64 {
        self.medium.size_bytes() / BLOCK_BYTES as u64
    }

    /// The next free slot behind the last one taken, from the start again behind the last one.
    fn take(&mut self) -> Option<u64> {
        let behind = self.free.range(self.next..).next().copied();
        let index = match behind {
            Some(index) => index,
            None if self.fresh_from < self.slots() => {
                self.fresh_from += 1;
                self.fresh_from - 1
            }
            None => *self.free.first()?,
        };
        self.free.remove(&index);
        self.next = index + 1;
        self.taken += 1;
        Some(index)
    }
}

/// The slots of all log files.
#[derive(Default)]
pub(crate) struct Slots {
    files: Vec<File>,
}

impl Slots {
    pub(crate) fn add(&mut self, medium: Arc<dyn LogMedium>) {
        self.files.push(File { medium, fresh_from: 0, free: BTreeSet::new(), taken: 0, next: 0 });
    }

    pub(crate) fn medium(&self, slot: Slot) -> Arc<dyn LogMedium> {
        self.files[slot.medium].medium.clone()
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
            match file.medium.grow(ask) {
                Ok(_) | Err(IoFailure::NoSpace { .. }) => {}
                Err(failure) => return Err(failure),
            }
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
        assert!(file.free.insert(slot.index), "a slot is freed once");
        file.taken -= 1;
    }

    /// The file of a slot, for `refuses`.
    pub(crate) fn file_of(slot: Slot) -> usize {
        slot.medium
    }

    /// Size and bytes in use of each file.
    pub(crate) fn report(&self) -> Vec<(u64, u64)> {
        self.files.iter().map(|f| (f.medium.size_bytes(), f.taken * BLOCK_BYTES as u64)).collect()
    }
}
