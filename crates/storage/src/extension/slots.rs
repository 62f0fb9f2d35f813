//! The slots of the extension in memory: what each has, and which one is given next.
//!
//! ```text
//!   free ──take──▶ taken ──fill──▶ used, clean or dirty ──release──▶ free
//!                    ▲               │ the hand comes, clean, not read since it came last
//!                    └─────take──────┘
//! ```
//!
//! What always holds:
//!
//! * X1: a used slot has one owner: the word that names it, or the frame that has its page and its number. The code
//!   that takes it from its owner may release it.
//! * X2: a slot's bytes do not change while it is used; another version of the page gets another slot.
//! * X3: a slot that is clean stays clean: its data file has these bytes or newer ones.
//!
//! The hand goes round, so slots are given in order of their place and pages that leave memory together lie together.

use std::cell::Cell;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use parking_lot::Mutex;

use crate::check;
use crate::contract::PageId;
use crate::extension::SlotNo;
use crate::extension::contents::Contents;
use crate::extension::format::RECORDS;
use crate::page::header::{LogPos, Lsn};

const FREE: u8 = 0;
const TAKEN: u8 = 1;
const USED: u8 = 2;

/// The page was asked for since the hand passed.
const REFERENCED: u8 = 1;
/// Taken over at a start; not read since.
const UNPROVEN: u8 = 2;
/// It cannot be read, and its data file has an older version.
const LOST: u8 = 4;

/// Slots that the hand looks at for one request at least.
const LOOKS_MIN: u32 = 1024;

/// A slot. All fields but the state belong to its owner; others read them as hints.
#[derive(Debug, Default)]
struct Slot {
    page: AtomicU64,
    /// Where recovery would have to begin for this page; 0: the data file has it.
    rec_pos: AtomicU64,
    lsn_position: AtomicU64,
    checksum: AtomicU32,
    object_id: AtomicU32,
    lsn_slot: AtomicU16,
    rows: AtomicU16,
    free_bytes: AtomicU16,
    kind: AtomicU8,
    level: AtomicU8,
    state: AtomicU8,
    flags: AtomicU8,
}

/// How many slots are asked for, and how many of them other pages may have to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) slots: usize,
    pub(crate) evictions: usize,
}

impl Wanted {
    /// All of them may be others'.
    pub(crate) fn any(slots: usize) -> Wanted {
        Wanted { slots, evictions: slots }
    }
}

/// All slots.
#[derive(Debug)]
pub(crate) struct Slots {
    slots: Box<[Slot]>,
    /// The slot that is looked at next; its holder gives slots. `None`: none are given any more.
    hand: Mutex<Option<u32>>,
    /// Slots that are not free.
    held: AtomicU32,
    used: AtomicU32,
    dirty: AtomicU32,
    evicted: AtomicU64,
    /// A bit per block of the directory: its records have changed since they were written.
    changed: Box<[AtomicU64]>,
    /// When the hand began its last two rounds.
    rounds_us: [AtomicU64; 2],
}

impl Slots {
    pub(crate) fn new(count: u32) -> Slots {
        let blocks = count.div_ceil(RECORDS);
        Slots {
            slots: (0..count).map(|_| Slot::default()).collect(),
            hand: Mutex::new(Some(0)),
            held: AtomicU32::new(0),
            used: AtomicU32::new(0),
            dirty: AtomicU32::new(0),
            evicted: AtomicU64::new(0),
            changed: (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
            rounds_us: [const { AtomicU64::new(0) }; 2],
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.slots.len() as u32
    }

    pub(crate) fn used(&self) -> u32 {
        self.used.load(Relaxed)
    }

    pub(crate) fn dirty(&self) -> u32 {
        self.dirty.load(Relaxed)
    }

    /// Pages that had to go for others.
    pub(crate) fn evicted(&self) -> u64 {
        self.evicted.load(Relaxed)
    }

    fn at(&self, slot: SlotNo) -> &Slot {
        &self.slots[slot.0 as usize]
    }

    /// Takes slots in order of their places where the hand goes. `evict` takes a clean page's slot from its owner and says
    /// whether it could. Fewer come where most pages are dirty or were asked for lately, or may not be evicted.
    pub(crate) fn take(
        &self,
        wanted: Wanted,
        now_us: u64,
        evict: &dyn Fn(PageId, SlotNo) -> bool,
        out: &mut Vec<SlotNo>,
    ) {
        let mut hand = self.hand.lock();
        let Some(hand) = &mut *hand else { return };
        let looks = self.count().min(LOOKS_MIN.max(wanted.slots as u32 * 8));
        let evictions_left = Cell::new(wanted.evictions);
        let evict = |page, slot| {
            let is_gone = evict(page, slot);
            evictions_left.update(|left| left - usize::from(is_gone));
            is_gone
        };
        for _ in 0..looks {
            if out.len() >= wanted.slots {
                return;
            }
            let slot = SlotNo(*hand);
            assert!(slot.0 < self.count(), "the hand is at slot {slot:?} of {}", self.count());
            *hand += 1;
            if *hand == self.count() {
                *hand = 0;
                self.rounds_us[0].store(self.rounds_us[1].swap(now_us, Relaxed), Relaxed);
            }
            if self.take_free(slot) || evictions_left.get() > 0 && self.take_from_page(slot, &evict) {
                out.push(slot);
            }
        }
    }

    fn take_free(&self, number: SlotNo) -> bool {
        let is_taken = self.at(number).state.compare_exchange(FREE, TAKEN, AcqRel, Relaxed).is_ok();
        if is_taken {
            check!(self.at(number).page.load(Relaxed) == 0, "X1: slot {number:?} is free and has a page");
            self.held.fetch_add(1, Relaxed);
            check!(self.held() <= self.count(), "X1: {} slots are held of {}", self.held(), self.count());
        }
        is_taken
    }

    fn take_from_page(&self, number: SlotNo, evict: &dyn Fn(PageId, SlotNo) -> bool) -> bool {
        let slot = self.at(number);
        let clean = slot.state.load(Acquire) == USED && slot.rec_pos.load(Relaxed) == 0;
        if !clean || slot.flags.load(Relaxed) & LOST != 0 {
            return false;
        }
        if slot.flags.fetch_and(!REFERENCED, Relaxed) & REFERENCED != 0 {
            return false;
        }
        // Slots are given under the hand's lock only, so this one cannot have become another page's meanwhile (X1).
        let page = slot.page.load(Relaxed);
        if page == 0 || !evict(PageId::from_bits(page), number) {
            return false;
        }
        slot.page.store(0, Relaxed);
        slot.state.store(TAKEN, Release);
        assert!(self.used.fetch_sub(1, Relaxed) > 0, "X1: slot {number:?} is used, and none is counted");
        self.evicted.fetch_add(1, Relaxed);
        self.note_change(number);
        true
    }

    /// No slot is taken from now on.
    pub(crate) fn close(&self) {
        *self.hand.lock() = None;
    }

    /// Slots are taken again.
    pub(crate) fn open(&self) {
        self.hand.lock().get_or_insert(0);
    }

    /// Slots that are used or taken.
    pub(crate) fn held(&self) -> u32 {
        self.held.load(Acquire)
    }

    /// Whether no slot is used or taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.held() == 0
    }

    /// How long a page stays that is not asked for: the hand's last round.
    pub(crate) fn unreferenced_us(&self) -> u64 {
        let [before, last] = [0, 1].map(|round| self.rounds_us[round].load(Relaxed));
        if before == 0 { 0 } else { last.saturating_sub(before) }
    }

    /// A taken slot has the page now; the caller gives it an owner next. `rec_pos` is there exactly if the data file has
    /// an older version.
    pub(crate) fn fill(&self, number: SlotNo, contents: &Contents, rec_pos: Option<LogPos>) {
        let slot = self.at(number);
        assert!(slot.state.load(Relaxed) == TAKEN, "X1: slot {number:?} is filled by a caller that has not taken it");
        assert!(contents.page.to_bits() != 0, "a slot has a page");
        slot.lsn_position.store(contents.lsn.position().0, Relaxed);
        slot.lsn_slot.store(contents.lsn.slot, Relaxed);
        slot.checksum.store(contents.checksum, Relaxed);
        slot.object_id.store(contents.object_id, Relaxed);
        slot.kind.store(contents.kind, Relaxed);
        slot.level.store(contents.level, Relaxed);
        slot.rows.store(contents.rows, Relaxed);
        slot.free_bytes.store(contents.free_bytes, Relaxed);
        slot.flags.store(0, Relaxed);
        slot.rec_pos.store(rec_pos.map_or(0, |pos| pos.0), Relaxed);
        slot.page.store(contents.page.to_bits(), Relaxed);
        slot.state.store(USED, Release);
        assert!(self.used.load(Relaxed) < self.count(), "X1: {} slots are used, and one more", self.used.load(Relaxed));
        self.used.fetch_add(1, Relaxed);
        if rec_pos.is_some() {
            self.dirty.fetch_add(1, Relaxed);
        }
        check!(self.contents(number) == Some(*contents), "X2: slot {number:?} has other contents than it was given");
        check!(self.rec_pos(number) == rec_pos, "X3: slot {number:?} owes the log something else than its page");
        self.note_change(number);
    }

    /// As [`Slots::fill`], of a slot that a start takes over; false when it is not free.
    pub(crate) fn adopt(&self, number: SlotNo, contents: &Contents, rec_pos: Option<LogPos>) -> bool {
        let slot = self.at(number);
        if slot.state.compare_exchange(FREE, TAKEN, AcqRel, Relaxed).is_err() {
            return false;
        }
        self.held.fetch_add(1, Relaxed);
        self.fill(number, contents, rec_pos);
        slot.flags.store(UNPROVEN, Relaxed);
        true
    }

    /// Gives a slot back: taken and not filled, or taken from its owner.
    pub(crate) fn release(&self, number: SlotNo) {
        let slot = self.at(number);
        assert!(slot.state.load(Relaxed) != FREE, "X1: slot {number:?} is released twice");
        if slot.state.load(Relaxed) == USED {
            assert!(self.used.fetch_sub(1, Relaxed) > 0, "X1: slot {number:?} is used, and none is counted");
            if slot.rec_pos.swap(0, Relaxed) != 0 {
                assert!(self.dirty.fetch_sub(1, Relaxed) > 0, "X3: slot {number:?} is dirty, and none is counted");
            }
            slot.page.store(0, Relaxed);
        }
        slot.flags.store(0, Relaxed);
        slot.state.store(FREE, Release);
        assert!(self.held.fetch_sub(1, Release) > 0, "X1: slot {number:?} is held, and none is counted");
        // After the state: the next write of the block sees the slot free.
        self.note_change(number);
    }

    /// The data file has the page now.
    pub(crate) fn set_clean(&self, number: SlotNo) {
        check!(self.at(number).state.load(Relaxed) == USED, "X3: slot {number:?} becomes clean, and has no page");
        if self.at(number).rec_pos.swap(0, Relaxed) != 0 {
            assert!(self.dirty.fetch_sub(1, Relaxed) > 0, "X3: slot {number:?} is dirty, and none is counted");
        }
    }

    /// The page was asked for.
    pub(crate) fn note_use(&self, number: SlotNo) {
        check!(self.at(number).state.load(Relaxed) == USED, "X1: slot {number:?} was asked for, and has no page");
        self.at(number).flags.fetch_or(REFERENCED, Relaxed);
    }

    /// It was read and is what it should be.
    pub(crate) fn note_proof(&self, number: SlotNo) {
        let flags = &self.at(number).flags;
        if flags.load(Relaxed) & UNPROVEN != 0 {
            flags.fetch_and(!UNPROVEN, Relaxed);
        }
    }

    pub(crate) fn is_unproven(&self, number: SlotNo) -> bool {
        self.at(number).flags.load(Relaxed) & UNPROVEN != 0
    }

    /// It cannot be read.
    pub(crate) fn set_lost(&self, number: SlotNo) {
        check!(self.at(number).state.load(Relaxed) == USED, "slot {number:?} is lost, and had no page");
        self.at(number).flags.fetch_or(LOST, Relaxed);
    }

    pub(crate) fn is_lost(&self, number: SlotNo) -> bool {
        self.at(number).flags.load(Relaxed) & LOST != 0
    }

    /// Where recovery would have to begin for the page; `None`: the data file has it.
    pub(crate) fn rec_pos(&self, number: SlotNo) -> Option<LogPos> {
        Some(LogPos(self.at(number).rec_pos.load(Acquire))).filter(|pos| pos.0 != 0)
    }

    /// What a used slot has: the owner's truth, a hint for others.
    pub(crate) fn contents(&self, number: SlotNo) -> Option<Contents> {
        let slot = self.at(number);
        let page = slot.page.load(Relaxed);
        if slot.state.load(Acquire) != USED || page == 0 {
            return None;
        }
        let position = LogPos(slot.lsn_position.load(Relaxed));
        Some(Contents {
            page: PageId::from_bits(page),
            lsn: Lsn { slot: slot.lsn_slot.load(Relaxed), ..position.first_lsn() },
            checksum: slot.checksum.load(Relaxed),
            object_id: slot.object_id.load(Relaxed),
            kind: slot.kind.load(Relaxed),
            level: slot.level.load(Relaxed),
            rows: slot.rows.load(Relaxed),
            free_bytes: slot.free_bytes.load(Relaxed),
        })
    }

    /// The slots that are used now.
    pub(crate) fn all_used(&self) -> impl Iterator<Item = (SlotNo, PageId)> {
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.state.load(Acquire) == USED);
        let page = used.map(|(number, slot)| (SlotNo(number as u32), slot.page.load(Relaxed)));
        page.filter(|(_, page)| *page != 0).map(|(number, page)| (number, PageId::from_bits(page)))
    }

    /// The slots whose pages their data files do not have, with where recovery would have to begin.
    pub(crate) fn all_dirty(&self) -> impl Iterator<Item = (SlotNo, PageId, LogPos)> {
        self.all_used().filter_map(|(number, page)| Some((number, page, self.rec_pos(number)?)))
    }

    #[cfg(test)]
    pub(crate) fn counts(&self) -> String {
        let of = |state: u8| self.slots.iter().filter(|slot| slot.state.load(Relaxed) == state).count();
        let pageless = self.slots.iter().filter(|s| s.state.load(Relaxed) == USED && s.page.load(Relaxed) == 0).count();
        let (free, taken, used) = (of(FREE), of(TAKEN), of(USED));
        format!("{free} free, {taken} taken, {used} used, {pageless} of them without a page, {:?} held", self.held)
    }

    fn note_change(&self, number: SlotNo) {
        let block = number.0 / RECORDS;
        self.changed[(block / 64) as usize].fetch_or(1 << (block % 64), Release);
    }

    /// All blocks are to be written.
    pub(crate) fn note_all_changed(&self) {
        (0..self.count()).step_by(RECORDS as usize).for_each(|number| self.note_change(SlotNo(number)));
    }

    /// The blocks that have changed since the last call; what changes from now on is in the next one.
    pub(crate) fn take_changed(&self) -> Vec<u32> {
        let bits = self.changed.iter().map(|word| if word.load(Relaxed) == 0 { 0 } else { word.swap(0, AcqRel) });
        let blocks = bits.enumerate().flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        });
        blocks.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;
    use crate::contract::{DbId, FileId, PageNo};

    fn contents(page: u32) -> Contents {
        let page = PageId { db: DbId(5), file: FileId(1), page: PageNo(page) };
        let lsn = Lsn { sequence: 1, block: page.page.0, slot: 3 };
        Contents { page, lsn, checksum: 7, object_id: 8, kind: 1, level: 2, rows: 3, free_bytes: 4 }
    }

    #[derive(Clone, Debug)]
    enum Step {
        /// A page comes; with whether it is dirty.
        Put(u32, bool),
        Use(u32),
        Clean(u32),
        Drop(u32),
        Flush,
    }

    fn step() -> impl Strategy<Value = Step> {
        let page = 1..60_u32;
        prop_oneof![
            6 => (page.clone(), any::<bool>()).prop_map(|(page, dirty)| Step::Put(page, dirty)),
            3 => page.clone().prop_map(Step::Use),
            2 => page.clone().prop_map(Step::Clean),
            2 => page.prop_map(Step::Drop),
            1 => Just(Step::Flush),
        ]
    }

    /// What the test knows: of each page its slot and whether it is dirty; what the blocks on the device say.
    #[derive(Default)]
    struct Model {
        pages: RefCell<HashMap<u32, (SlotNo, bool)>>,
        written: HashMap<u32, Vec<Option<Contents>>>,
    }

    impl Model {
        fn take(&mut self, slots: &Slots, step: &Step) {
            match *step {
                Step::Put(page, dirty) => self.put(slots, page, dirty),
                Step::Use(page) => self.with(page, |slot| slots.note_use(slot)),
                Step::Clean(page) => {
                    self.with(page, |slot| slots.set_clean(slot));
                    self.pages.borrow_mut().entry(page).and_modify(|of| of.1 = false);
                }
                Step::Drop(page) => {
                    self.with(page, |slot| slots.release(slot));
                    self.pages.borrow_mut().remove(&page);
                }
                Step::Flush => self.flush(slots),
            }
        }

        fn with(&self, page: u32, work: impl FnOnce(SlotNo)) {
            let pages = self.pages.borrow();
            if let Some((slot, _)) = pages.get(&page) {
                work(*slot);
            }
        }

        fn put(&mut self, slots: &Slots, page: u32, dirty: bool) {
            if self.pages.borrow().contains_key(&page) {
                return;
            }
            let mut taken = Vec::new();
            let evict = |id: PageId, slot: SlotNo| {
                let gone = self.pages.borrow_mut().remove(&id.page.0);
                assert_eq!(gone, Some((slot, false)), "only a clean page goes, from the slot that it has");
                true
            };
            slots.take(Wanted::any(1), 0, &evict, &mut taken);
            let Some(slot) = taken.pop() else {
                let full = self.pages.borrow();
                assert_eq!(full.len() as u32, slots.count(), "a free slot is always found");
                return;
            };
            assert!(self.pages.borrow().values().all(|of| of.0 != slot), "a slot has one page");
            slots.fill(slot, &contents(page), dirty.then_some(LogPos(page.into())));
            self.pages.borrow_mut().insert(page, (slot, dirty));
        }

        fn flush(&mut self, slots: &Slots) {
            for block in slots.take_changed() {
                let numbers = block * RECORDS..((block + 1) * RECORDS).min(slots.count());
                self.written.insert(block, numbers.map(|slot| slots.contents(SlotNo(slot))).collect());
            }
        }

        fn check(&mut self, slots: &Slots) {
            let pages = self.pages.borrow().clone();
            assert_eq!(slots.used() as usize, pages.len());
            assert_eq!(slots.dirty() as usize, pages.values().filter(|of| of.1).count());
            for (page, (slot, dirty)) in &pages {
                assert_eq!(slots.contents(*slot), Some(contents(*page)));
                assert_eq!(slots.rec_pos(*slot), dirty.then_some(LogPos((*page).into())));
            }
            let used: HashSet<_> = slots.all_used().map(|(slot, id)| (id.page.0, slot)).collect();
            assert_eq!(used, pages.iter().map(|(page, of)| (*page, of.0)).collect());
            // What was written and what changed since say together what there is.
            self.flush(slots);
            let written: HashSet<_> = self.written.values().flatten().flatten().map(|c| c.page.page.0).collect();
            assert_eq!(written, pages.keys().copied().collect());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn slots_are_a_map_and_the_directory_follows(steps in proptest::collection::vec(step(), 1..300)) {
            let (slots, mut model) = (Slots::new(32), Model::default());
            for step in &steps {
                model.take(&slots, step);
            }
            model.check(&slots);
        }
    }

    #[test]
    fn pages_that_were_asked_for_get_a_second_chance() {
        let slots = Slots::new(8);
        let mut taken = Vec::new();
        slots.take(Wanted::any(8), 0, &|_, _| unreachable!("all are free"), &mut taken);
        assert_eq!(taken, (0..8).map(SlotNo).collect::<Vec<_>>(), "in order of their places");
        taken.iter().for_each(|slot| slots.fill(*slot, &contents(slot.0), None));
        slots.note_use(SlotNo(0));
        let mut next = Vec::new();
        slots.take(Wanted::any(2), 0, &|_, _| true, &mut next);
        assert_eq!(next, [SlotNo(1), SlotNo(2)]);
        slots.release(SlotNo(1));
        slots.take(Wanted::any(2), 0, &|_, slot| slot != SlotNo(3), &mut Vec::new());
        assert_eq!(slots.evicted(), 4);
        assert!(slots.contents(SlotNo(3)).is_some(), "its owner did not let it go");
    }

    #[test]
    fn without_evictions_only_free_slots_are_given() {
        let slots = Slots::new(8);
        let mut taken = Vec::new();
        slots.take(Wanted::any(8), 0, &|_, _| unreachable!("all are free"), &mut taken);
        taken.iter().for_each(|slot| slots.fill(*slot, &contents(slot.0), None));
        slots.release(SlotNo(5));
        let mut next = Vec::new();
        slots.take(Wanted { slots: 3, evictions: 0 }, 0, &|_, _| unreachable!("none may go"), &mut next);
        assert_eq!(next, [SlotNo(5)]);
        slots.release(SlotNo(5));
        let mut next = Vec::new();
        slots.take(Wanted { slots: 3, evictions: 1 }, 0, &|_, _| true, &mut next);
        assert_eq!(next, [SlotNo(0), SlotNo(5)]);
    }
}
