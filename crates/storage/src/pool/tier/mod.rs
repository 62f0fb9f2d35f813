//! Pages between the pool and the extension.
//!
//! ```text
//!   miss, word names a slot ──▶ frame installed over it ──▶ slot read ──▶ page, its copy still good
//!   evicted, frame has a copy ──▶ word names the slot again: no I/O
//!   changed ──▶ copy given up                                  page in its file, slot dirty ──▶ slot clean
//! ```
//!
//! What always holds:
//!
//! * X4: a frame with a slot has the slot's bytes; the frame is dirty exactly if the slot is.
//! * X5: between frame and slot, a search for what recovery needs finds a dirty page in one of them: the new owner
//!   has its place in the log before the old one gives it up, and copies given up meanwhile are noted ([`ExtensionTier::watch`]).

pub(crate) mod admission;
pub(crate) mod destage;
pub(crate) mod keeper;
pub(crate) mod rebuild;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use parking_lot::{Mutex, RwLock};

use crate::check;
use crate::contract::{DbId, FileId, IoFailure, PageId};
use crate::extension::device::{Extension, Found};
use crate::extension::format::Record;
use crate::extension::{ExtensionMode, ExtensionReport, SlotNo};
use crate::page::header::LogPos;
use crate::pool::files::{FileTable, Word};
use crate::pool::latch::FrameState;
use millpond_device::wakeup::Wakeup;

/// Slots that a start has found, and what they are said to have.
type Restored = Vec<(SlotNo, Record)>;

/// The extension as the pool sees it.
#[derive(Debug, Default)]
pub(crate) struct ExtensionTier {
    /// Whether there is one: asked where pages come and go.
    is_on: AtomicBool,
    current: RwLock<Option<Arc<Extension>>>,
    /// What a start has found, until the files of its pages are attached.
    restored: Mutex<HashMap<(DbId, FileId), Restored>>,
    /// Redo starts and identities of databases, as found.
    pub(crate) marks: Mutex<Vec<crate::extension::format::Mark>>,
    /// The oldest dirty page is looked for: copies given up are noted.
    is_watched: AtomicBool,
    /// Held by the search.
    watching: Mutex<()>,
    given_up: Mutex<HashMap<DbId, LogPos>>,
    /// Held by the redo of lost pages.
    pub(crate) rebuilding: Mutex<()>,
    /// Wakes the keeper.
    pub(crate) wakeup: Arc<Wakeup>,
    /// The last failure, for the report after it has gone.
    pub(crate) last_failure: Mutex<Option<ExtensionReport>>,
}

impl ExtensionTier {
    /// The extension, if there is one.
    #[inline]
    pub(crate) fn get(&self) -> Option<Arc<Extension>> {
        if !self.is_on.load(Acquire) {
            return None;
        }
        self.current.read().clone()
    }

    pub(crate) fn set(&self, extension: Option<Arc<Extension>>) {
        let mut current = self.current.write();
        assert!(extension.is_none() || current.is_none(), "an extension comes in the place of another one");
        self.is_on.store(extension.is_some(), Release);
        *current = extension;
    }

    pub(crate) fn set_found(&self, found: Found) {
        let mut restored = self.restored.lock();
        for (slot, record) in found.records {
            let page = record.contents.page;
            restored.entry((page.db, page.file)).or_default().push((slot, record));
        }
        *self.marks.lock() = found.marks;
    }

    /// Whether a log that will be read from `redo` on is the one that the extension knew, or a later state of it.
    pub(crate) fn knows_log(&self, db: DbId, key: u32, redo: LogPos) -> bool {
        self.marks.lock().iter().any(|mark| mark.db == db && mark.key == key && mark.redo <= redo)
    }

    /// Pages whose files no start has opened are forgotten.
    pub(crate) fn forget_found(&self) {
        self.restored.lock().clear();
    }

    /// Looks for the oldest place in the log that a page of `db` needs: `frames` looks in memory, then the slots are
    /// looked through (X5).
    pub(crate) fn watch(&self, db: DbId, frames: impl Fn() -> Option<LogPos>) -> Option<LogPos> {
        let Some(extension) = self.get() else { return frames() };
        let _alone = self.watching.lock();
        self.given_up.lock().clear();
        let was_watched = self.is_watched.swap(true, SeqCst);
        assert!(!was_watched, "X5: two look for the oldest dirty page, and the first would stop for both");
        let in_memory = frames();
        let dirty = extension.slots.all_dirty().filter(|(_, page, _)| page.db == db).map(|(_, _, pos)| pos);
        let in_slots = dirty.min();
        self.is_watched.store(false, SeqCst);
        let given_up = self.given_up.lock().remove(&db);
        [in_memory, in_slots, given_up].into_iter().flatten().min()
    }

    /// The owner gives a copy up, because its page is changed or freed.
    pub(crate) fn give_up(&self, extension: &Extension, page: PageId, slot: SlotNo) {
        check!(
            extension.slots.contents(slot).is_some_and(|contents| contents.page == page),
            "X1: page {page} gives slot {slot:?} up, which has another"
        );
        if let Some(pos) = extension.slots.rec_pos(slot)
            && self.is_watched.load(SeqCst)
        {
            let mut given_up = self.given_up.lock();
            let oldest = given_up.entry(page.db).or_insert(pos);
            *oldest = (*oldest).min(pos);
        }
        extension.slots.release(slot);
    }

    /// The frame takes over a slot that its word named: from now on it owes the log what the slot owes.
    pub(crate) fn take_over(&self, state: &FrameState, slot: Option<SlotNo>) {
        let Some(slot) = slot else { return };
        let extension = self.get().expect("a word names a slot of the extension");
        assert!(slot_of(state).is_none(), "X4: a frame that takes slot {slot:?} over has another one");
        check!(
            extension.slots.contents(slot).is_some_and(|contents| contents.page.to_bits() == state.page.load(Relaxed)),
            "X1: a frame takes slot {slot:?} over, which has another page"
        );
        if let Some(pos) = extension.slots.rec_pos(slot) {
            state.dirty.store(true, Relaxed);
            state.rec_pos.store(pos.0, Release);
        }
        check!(
            state.dirty.load(Relaxed) == extension.slots.rec_pos(slot).is_some(),
            "X4: a frame takes slot {slot:?} over, and owes the log something else"
        );
        set_slot(state, Some(slot));
    }

    /// The copy of a page that is about to change, or was freed.
    #[cold]
    pub(crate) fn drop_copy(&self, state: &FrameState) {
        let Some(slot) = slot_of(state) else { return };
        check!(state.is_latched_alone(), "X1: slot {slot:?} is given up without the latch of its page");
        set_slot(state, None);
        if let Some(extension) = self.get() {
            self.give_up(&extension, PageId::from_bits(state.page.load(Relaxed)), slot);
        }
    }

    /// A page that no frame has leaves the extension, because it was freed; false when the word has changed.
    pub(crate) fn drop_slot(&self, word: Word<'_>, id: PageId, slot: SlotNo) -> bool {
        let taken = word.take_from(slot);
        if taken && let Some(extension) = self.get() {
            self.give_up(&extension, id, slot);
        }
        taken
    }

    /// The data file has the frame's page now.
    pub(crate) fn note_copy_clean(&self, state: &FrameState) {
        if let (Some(slot), Some(extension)) = (slot_of(state), self.get()) {
            check!(!state.dirty.load(Relaxed), "X4: slot {slot:?} becomes clean before its frame does");
            extension.slots.set_clean(slot);
        }
    }

    /// Makes what is known of outdated copies durable: afterwards recovery may begin after everything that was logged
    /// before the call (E1).
    ///
    /// # Errors
    /// [`IoFailure`]: recovery has to begin where it did.
    pub(crate) fn persist(&self, page: PageId) -> Result<(), IoFailure> {
        let Some(extension) = self.get() else { return Ok(()) };
        if !extension.write_directory(true) {
            self.wakeup.wake();
            return extension.distrust().map_err(|message| IoFailure::System { page, message });
        }
        Ok(())
    }

    /// A file was attached: what a start has found of its pages is theirs again. `key` is the file's identity, `redo` is
    /// where the log of its database will be read from, `is_known` whether that log is the one that the extension knew.
    pub(crate) fn adopt(&self, files: &FileTable, db: DbId, file: FileId, key: u32, redo: LogPos, is_known: bool) {
        let Some(extension) = self.get() else { return };
        extension.set_key(db, file, key);
        let found = self.restored.lock().remove(&(db, file)).unwrap_or_default();
        check!(
            found.iter().all(|(_, record)| (record.contents.page.db, record.contents.page.file) == (db, file)),
            "X1: file {file} of database {db} takes slots over that have pages of another"
        );
        let Some(map) = files.attached(db, file) else { return };
        for (slot, record) in found.into_iter().filter(|(_, record)| is_known && record.file_key == key) {
            // The data file is sure to have what lies before the redo start, and nothing else.
            let rec_pos = (record.contents.lsn.position() >= redo).then_some(redo);
            if extension.slots.adopt(slot, &record.contents, rec_pos) {
                let word = map.word_or_map(record.contents.page.page);
                if !word.is_some_and(|word| word.give_to(slot)) {
                    extension.slots.release(slot);
                }
            }
        }
    }

    /// A database was recovered up to `end`: what a start took over and redo has not seen is not of its log.
    pub(crate) fn forget_unproven(&self, files: &FileTable, db: DbId, end: LogPos) {
        let Some(extension) = self.get() else { return };
        let slots = &extension.slots;
        let of_db = slots.all_used().filter(|(slot, page)| page.db == db && slots.is_unproven(*slot));
        let doubtful: Vec<_> = of_db
            .filter(|(slot, _)| {
                let lsn = slots.contents(*slot).map(|contents| contents.lsn.position());
                slots.rec_pos(*slot).is_some() || lsn.is_none_or(|lsn| lsn > end)
            })
            .collect();
        for (slot, page) in doubtful {
            let word = files.known(page.db, page.file).and_then(|file| file.word(page.page));
            if let Some(word) = word {
                self.drop_slot(word, page, slot);
            }
        }
    }

    /// The extension now; `mode` is what it would be switched on with.
    #[must_use]
    pub fn report(&self, mode: ExtensionMode) -> ExtensionReport {
        match self.get() {
            Some(extension) => extension.report(),
            None => self.last_failure.lock().clone().unwrap_or_else(|| ExtensionReport::off(mode)),
        }
    }
}

/// What became of the read of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotRead {
    /// The frame has the page.
    Read,
    /// The copy is gone; the data file has the page.
    Dropped,
    /// The copy cannot be read, and the data file has an older page. The word names the slot again.
    Lost,
}

/// The slot that a frame has.
pub(crate) fn slot_of(state: &FrameState) -> Option<SlotNo> {
    state.slot.load(Relaxed).checked_sub(1).map(SlotNo)
}

pub(crate) fn set_slot(state: &FrameState, slot: Option<SlotNo>) {
    check!(slot.is_none() || slot_of(state).is_none(), "X4: a frame that has a slot gets slot {slot:?}");
    state.slot.store(slot.map_or(0, |slot| slot.0 + 1), Release);
}
