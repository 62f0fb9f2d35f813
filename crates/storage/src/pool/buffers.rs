//! Buffers: which frame has which page, which frames are free, and what of a page the extension has.
//!
//! ```text
//!   free frame ──install──▶ page, latched exclusively ──evict, vacate──▶ free frame
//!                                └──evict, leave_to_slot──▶ its copy in the extension has the page
//! ```
//!
//! What always holds: T1 to T4 of `files`, F1 and F2 of `free`, P1 and P2 of the pool, X4 of `tier`. Nothing here reads or
//! writes a data file, and nothing waits for a log: `fetch` brings pages, `write` takes them out, `eviction` makes room.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use millpond_device::Clock;
use millpond_ghost::{Ghosts, Origin};

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{PageId, SessionId};
use crate::extension::SlotNo;
use crate::extension::device::Extension;
use crate::pool::PoolError;
use crate::pool::files::{FileTable, Place, Word};
use crate::pool::free::{Chunks, FreeLists, ShardNo};
use crate::pool::latch::{ExclusiveHold, FrameNo, FrameState, Frames};
use crate::pool::policy::{self, Arrival, Policy, PoolPolicy};
use crate::pool::tallies::Tallies;
use crate::pool::tier::{ExtensionTier, SlotRead, set_slot, slot_of};
use crate::wait::{WaitGuard, WaitStats, WaitType};

/// What a latch is taken for: the last part of its wait type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Update,
    Change,
}

impl Purpose {
    pub(crate) fn wait_type(self, io: bool) -> WaitType {
        match (io, self) {
            (false, Purpose::Read) => WaitType::PAGELATCH_SH,
            (false, Purpose::Update) => WaitType::PAGELATCH_UP,
            (false, Purpose::Change) => WaitType::PAGELATCH_EX,
            (true, Purpose::Read) => WaitType::PAGEIOLATCH_SH,
            (true, Purpose::Update) => WaitType::PAGEIOLATCH_UP,
            (true, Purpose::Change) => WaitType::PAGEIOLATCH_EX,
        }
    }
}

/// What became of a frame under the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// Empty now, and the caller's.
    Freed,
    /// It would go, but is dirty.
    Dirty(PageId),
    /// It would go, but not without a copy in the extension.
    ToExtension(PageId),
    /// It stays.
    Stays,
}

/// The frames of a pool and all that is known of their pages.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) frames: Frames,
    pub(crate) files: FileTable,
    pub(crate) free: FreeLists,
    pub(crate) chunks: Chunks,
    pub(crate) policy: PoolPolicy,
    pub(crate) tallies: Tallies,
    pub(crate) ghosts: Ghosts,
    pub(crate) tier: ExtensionTier,
    pub(crate) waits: Arc<WaitStats>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Buffers {
    #[inline]
    pub(crate) fn look_up(&self, ask: &Ask<'_>, id: PageId) -> Result<Word<'_>, PoolError> {
        let word = self.files.file_of(id)?.word_or_map(id.page).ok_or(PoolError::NoMemory { page: id })?;
        ask.count_logical_read();
        add(&self.tallies.of(ask.task.session).lookups, 1);
        Ok(word)
    }

    /// Opens the account of a latch wait.
    pub(crate) fn wait_for<'w>(
        &'w self,
        ask: &Ask<'w>,
        frame: FrameNo,
        id: PageId,
        purpose: Purpose,
    ) -> Option<WaitGuard<'w>> {
        let wait_type = purpose.wait_type(self.frames.state(frame).io.load(Relaxed));
        Some(WaitGuard::begin(&self.waits, ask, wait_type, Some(id)))
    }

    /// The states of all frames that may have a page.
    pub(crate) fn states(&self) -> impl Iterator<Item = (FrameNo, &FrameState)> {
        (0..self.chunks.end()).map(FrameNo).map(|frame| (frame, self.frames.state(frame)))
    }

    /// A free frame without eviction: from this shard, a rich one, fresh memory, or any shard.
    pub(crate) fn find_free(&self, shard: ShardNo) -> Option<FrameNo> {
        let free = &self.free;
        if let Some(frame) = free.take(shard).or_else(|| free.take_from_rich(shard)) {
            return Some(frame);
        }
        if self.chunks.grow(&self.frames, free, shard) > 0
            && let Some(frame) = free.take(shard)
        {
            return Some(frame);
        }
        free.take_from_others(shard, 1)
    }

    /// Whether frames may be taken for what is not needed yet: an eighth of the pool is free, or can be had.
    pub(crate) fn has_plenty(&self) -> bool {
        let target = self.chunks.target();
        let fresh = target.saturating_sub(self.chunks.total());
        self.free.count() as u32 + fresh > target / 8
    }

    pub(crate) fn is_short(&self) -> bool {
        self.chunks.is_grown() && self.free.count() < self.chunks.reserve_min()
    }

    pub(crate) fn set_free(&self, session: SessionId, hold: ExclusiveHold<'_>) {
        let frame = hold.frame();
        let state = hold.state();
        check!(state.page.load(Relaxed) == 0, "F1: frame {frame:?} is given back with a page");
        check!(!state.dirty.load(Relaxed), "F1: frame {frame:?} is given back dirty");
        check!(state.rec_pos.load(Relaxed) == 0, "F1: frame {frame:?} is given back, and holds the log");
        drop(hold);
        self.free.give(ShardNo::of(session), &[frame]);
    }

    /// Gives frames to tasks that need one.
    pub(crate) fn set_frames_free(&self, frames: &[FrameNo]) {
        self.free.give(ShardNo::of(SessionId(0)), frames);
    }

    /// Gives an empty frame a page; `None` when the page has another frame already, or its file was detached meanwhile; then
    /// this one is free again.
    #[inline]
    pub(crate) fn install<'a>(
        &self,
        ask: &Ask<'_>,
        word: Word<'_>,
        hold: ExclusiveHold<'a>,
        id: PageId,
        arrival: Arrival,
    ) -> Option<ExclusiveHold<'a>> {
        let state = hold.state();
        assert!(state.page.load(Relaxed) == 0, "F1: frame {:?} is free and has a page", hold.frame());
        assert!(state.slot.load(Relaxed) == 0, "X4: frame {:?} is free and has a slot", hold.frame());
        check!(!state.dirty.load(Relaxed), "F1: frame {:?} is free and dirty", hold.frame());
        check!(state.rec_pos.load(Relaxed) == 0, "F1: frame {:?} is free and holds the log", hold.frame());
        check!(state.pins.load(Relaxed) == 0, "F1: frame {:?} is free and pinned", hold.frame());
        check!(state.class.load(Relaxed) == 0, "F1: frame {:?} is free, and its page had a class", hold.frame());
        state.io.store(arrival != Arrival::Created, Relaxed);
        state.page.store(id.to_bits(), Relaxed);
        let Some(slot) = word.install(hold.frame()) else {
            state.page.store(0, Relaxed);
            state.io.store(false, Relaxed);
            self.set_free(ask.task.session, hold);
            return None;
        };
        check!(word.frame() == Some(hold.frame()), "T1: page {id} came to {:?}, and its word leads away", hold.frame());
        if slot.is_some() {
            self.tier.take_over(state, slot);
        }
        state.owner.store(ask.task.session.0.into(), Relaxed);
        state.read_us.store(0, Relaxed);
        state.bulk.store(arrival != Arrival::Read, Relaxed);
        self.policy.on_install(state, arrival, self.chunks.total());
        check!(state.uses.load(Relaxed) <= policy::USES_MAX, "a page begins with more uses than are remembered");
        if !self.files.is_attached_still(id.db, id.file) {
            self.give_up(word, hold);
            return None;
        }
        Some(hold)
    }

    /// A page is read into a frame that has been installed for it.
    pub(crate) fn note_read(&self, id: PageId, state: &FrameState) {
        check!(state.page.load(Relaxed) == id.to_bits(), "T1: page {id} is read into the frame of another");
        let is_copied = state.slot.load(Relaxed) != 0;
        self.ghosts.come(id.to_bits(), if is_copied { Origin::Extension } else { Origin::File });
    }

    /// Takes back an installed page whose read failed; a copy that its frame has goes too.
    pub(crate) fn give_up(&self, word: Word<'_>, hold: ExclusiveHold<'_>) {
        let owner = SessionId(hold.state().owner.load(Relaxed) as u16);
        self.vacate(word, &hold);
        self.set_free(owner, hold);
    }

    /// The page leaves the frame.
    #[inline]
    pub(crate) fn vacate(&self, word: Word<'_>, hold: &ExclusiveHold<'_>) {
        let state = hold.state();
        assert!(word.frame() == Some(hold.frame()), "T1: a word names another frame than {:?}", hold.frame());
        check!(state.page.load(Relaxed) != 0, "T1: frame {:?} is emptied and has no page", hold.frame());
        if state.slot.load(Relaxed) != 0 {
            self.tier.drop_copy(state);
        }
        word.clear();
        self.clear_frame(state);
        check!(word.frame() != Some(hold.frame()), "T1: {:?} is empty, and a word names it", hold.frame());
    }

    /// The frame has no page any more.
    #[inline]
    pub(crate) fn clear_frame(&self, state: &FrameState) {
        assert!(state.pins.load(Relaxed) == 0, "P1: a page is taken from its frame, and is pinned");
        check!(state.is_latched_alone(), "P1: a page is taken from its frame without the exclusive latch");
        check!(state.slot.load(Relaxed) == 0, "X4: a page leaves its frame, which keeps the page's slot");
        state.page.store(0, Relaxed);
        state.dirty.store(false, Relaxed);
        state.rec_pos.store(0, Relaxed);
        state.io.store(false, Relaxed);
        self.policy.on_leave(state);
        check!(state.class.load(Relaxed) == 0, "F1: a page leaves its frame, which keeps the page's class");
    }

    /// Freed pages leave memory (P2). The frames go to the list of the session that owned them.
    pub(crate) fn drop_pages(&self, ids: &[PageId]) {
        check!(ids.len() <= 8, "{} pages are dropped at once", ids.len());
        check!(
            ids.windows(2).all(|pair| (pair[0].db, pair[0].file) == (pair[1].db, pair[1].file)),
            "pages of several files are dropped as one extent: {ids:?}"
        );
        let mut frames = [FrameNo(0); 8];
        let (mut count, mut dirty, mut owner) = (0, 0, 0);
        // Backwards, so that the first page's frame is taken first when an extent is filled again.
        for &id in ids.iter().rev() {
            let Some(hold) = self.latch_to_drop(id) else {
                self.ghosts.free(id.to_bits());
                continue;
            };
            let (word, state) = (self.files.word_of(id), hold.state());
            assert!(state.pins.load(Acquire) == 0, "page {id} is pinned and cannot be discarded");
            check!(!state.io.load(Relaxed), "P2: page {id} is discarded while it is read or written");
            dirty += u64::from(state.dirty.load(Relaxed));
            check!(state.page.load(Relaxed) == id.to_bits(), "P2: page {id} is discarded from its own frame");
            owner = state.owner.load(Relaxed);
            self.vacate(word, &hold);
            frames[count] = hold.frame();
            count += 1;
        }
        if count > 0 {
            let session = SessionId(owner as u16);
            add(&self.tallies.of(session).discarded, count as u64);
            add(&self.tallies.of(session).discarded_dirty, dirty);
            self.free.give(ShardNo::of(session), &frames[..count]);
        }
    }

    /// The exclusive latch of a page's frame, if the page is in memory; waits for its write to end, if there is one.
    #[inline]
    fn latch_to_drop(&self, id: PageId) -> Option<ExclusiveHold<'_>> {
        let word = self.files.known(id.db, id.file)?.word(id.page)?;
        loop {
            match word.place() {
                Place::Nowhere => return None,
                Place::Slot(slot) => {
                    self.tier.drop_slot(word, id, slot);
                }
                Place::Frame(frame) => {
                    if let Some(hold) = self.frames.exclusive(frame, id.to_bits(), || None) {
                        return Some(hold);
                    }
                }
            }
        }
    }

    /// Takes the page from the frame if it is clean, unpinned and unlatched (P1). `for_room`: another page needs the
    /// frame, and the policy notes the eviction.
    pub(crate) fn evict(&self, frame: FrameNo, for_room: bool) -> Victim {
        let Some(hold) = self.frames.try_exclusive(frame) else { return Victim::Stays };
        let state = hold.state();
        let bits = state.page.load(Relaxed);
        if bits == 0 || state.pins.load(Acquire) > 0 {
            return Victim::Stays;
        }
        let id = PageId::from_bits(bits);
        let slot = slot_of(state).filter(|_| self.tier.get().is_some_and(|extension| extension.is_usable()));
        if state.dirty.load(Relaxed) && slot.is_none() {
            return Victim::Dirty(id);
        }
        check!(!state.io.load(Relaxed), "P2: page {id} leaves memory while it is read or written");
        check!(slot.is_some() || !state.dirty.load(Relaxed), "P2: page {id} is dirty and leaves memory unwritten");
        if for_room {
            self.policy.on_evict(state, self.chunks.total());
            self.ghosts.leave(bits);
        }
        match slot {
            // X4: the slot has what the frame has, and owes the log what the frame owes.
            Some(slot) => self.leave_to_slot(self.files.word_of(id), &hold, slot),
            None => self.vacate(self.files.word_of(id), &hold),
        }
        check!(state.page.load(Relaxed) == 0, "F1: page {id} left memory, and is in its frame");
        check!(state.slot.load(Relaxed) == 0, "X4: page {id} left memory, and its frame has its slot");
        add(&self.tallies.evictions, 1);
        Victim::Freed
    }

    /// Evicts every clean page that is neither pinned nor latched.
    pub(crate) fn evict_clean(&self) -> u64 {
        let clean = self.states().filter(|(_, s)| s.page.load(Relaxed) != 0 && !s.dirty.load(Relaxed));
        let freed: Vec<FrameNo> =
            clean.filter(|&(frame, _)| self.evict(frame, false) == Victim::Freed).map(|(frame, _)| frame).collect();
        self.free.give(ShardNo::of(SessionId(0)), &freed);
        freed.len() as u64
    }

    /// Reads the slot of a frame that has taken it over.
    pub(crate) fn read_slot(&self, word: Word<'_>, id: PageId, hold: &mut ExclusiveHold<'_>) -> SlotRead {
        let slot = slot_of(hold.state()).expect("the caller has seen it");
        let extension = self.tier.get().expect("a frame has a slot of the extension");
        let read = extension.read_slots(slot, &mut [&mut **hold]);
        self.settle_slot(&extension, word, id, hold, read)
    }

    /// Looks at what was read of a frame's slot.
    pub(crate) fn settle_slot(
        &self,
        extension: &Extension,
        word: Word<'_>,
        id: PageId,
        hold: &ExclusiveHold<'_>,
        read: bool,
    ) -> SlotRead {
        let state = hold.state();
        let slot = slot_of(state).expect("the caller has seen it");
        let slots = &extension.slots;
        check!(state.is_latched_alone(), "X1: what was read of slot {slot:?} is looked at without its frame's latch");
        let contents = slots.contents(slot).filter(|contents| contents.page == id);
        if read && contents.is_some_and(|contents| contents.are(hold)) {
            slots.note_use(slot);
            slots.note_proof(slot);
            return SlotRead::Read;
        }
        if read {
            add(&extension.tallies.mismatched, 1);
        }
        // What a start took over is backed by redo, which reads each page that its log changes before anything else
        // does.
        if slots.rec_pos(slot).is_none() || slots.is_unproven(slot) {
            state.dirty.store(false, Relaxed);
            state.rec_pos.store(0, Relaxed);
            set_slot(state, None);
            slots.release(slot);
            return SlotRead::Dropped;
        }
        slots.set_lost(slot);
        self.leave_to_slot(word, hold, slot);
        SlotRead::Lost
    }

    /// The page leaves the frame for its slot, which has the same bytes (X4).
    pub(crate) fn leave_to_slot(&self, word: Word<'_>, hold: &ExclusiveHold<'_>, slot: SlotNo) {
        let state = hold.state();
        check!(
            self.tier
                .get()
                .is_none_or(|extension| extension.slots.rec_pos(slot).is_some() == state.dirty.load(Relaxed)),
            "X4: slot {slot:?} owes the log what its frame owes"
        );
        check!(slot_of(state) == Some(slot), "X1: a page leaves to slot {slot:?} of another frame");
        check!(
            self.tier
                .get()
                .and_then(|extension| extension.slots.contents(slot))
                .is_none_or(|contents| { contents.page.to_bits() == state.page.load(Relaxed) }),
            "X4: a page leaves to slot {slot:?}, which has another"
        );
        set_slot(state, None);
        word.leave_to(slot);
        self.clear_frame(state);
    }

    /// Takes a clean page's slot from its owner.
    pub(crate) fn detach_slot(&self, id: PageId, slot: SlotNo) -> bool {
        let word = self.files.known(id.db, id.file).and_then(|file| file.word(id.page));
        word.is_some_and(|word| word.take_from(slot)) || self.detach_from_frame(id, slot)
    }

    /// Takes a slot from the frame that has its page, if there is one.
    pub(crate) fn detach_from_frame(&self, id: PageId, slot: SlotNo) -> bool {
        let word = self.files.known(id.db, id.file).and_then(|file| file.word(id.page));
        let frame = word.and_then(Word::frame);
        let Some(hold) = frame.and_then(|frame| self.frames.try_exclusive(frame)) else { return false };
        let state = hold.state();
        let is_owner = state.page.load(Relaxed) == id.to_bits() && slot_of(state) == Some(slot);
        if is_owner {
            set_slot(state, None);
        }
        is_owner
    }

    /// Takes slots from their owners: clean ones, and those whose pages are in memory.
    pub(crate) fn clear_slots(&self, extension: &Extension) {
        for (slot, id) in extension.slots.all_used() {
            let is_clean = extension.slots.rec_pos(slot).is_none();
            if is_clean && self.detach_slot(id, slot) || self.detach_from_frame(id, slot) {
                self.tier.give_up(extension, id, slot);
            }
        }
    }
}
