//! Pages come and go: hits, misses, creation, and the discarding of freed pages.
//!
//! A hit costs the two table steps and the word of `pool_files`, then the latch; the page's number is looked at under the
//! latch, because the frame may have changed hands since the word was read (T2). A miss installs an empty frame, latched
//! exclusively, under the page's word before it reads, so that all who ask meanwhile wait for this one read.

use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::Duration;

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{IoFailure, PageBytes, PageId, PageKind, SessionId};
use crate::file::door::READ_RETRIES;
use crate::page::header::{self, PageDamage};
use crate::pool::files::{FileMap, Place, Word};
use crate::pool::free::ShardNo;
use crate::pool::latch::{ExclusiveHold, FrameNo, FrameState};
use crate::pool::policy::{self, Arrival, Policy};
use crate::pool::tier::SlotRead;
use crate::pool::{ExclusivePage, Pool, PoolError, SharedPage};
use crate::wait::{WaitGuard, WaitType};

/// What a latch is taken for: the last part of its wait type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Update,
    Change,
}

impl Purpose {
    fn wait_type(self, io: bool) -> WaitType {
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

/// A task without a frame tries so often, with [`HUNGER`] in between, before it gives up: after a second or more.
pub(crate) const TRIES_MAX: u32 = 100;
/// How long a task without a frame waits for one that somebody frees.
pub(crate) const HUNGER: Duration = Duration::from_millis(10);

impl Pool {
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

    fn file_of(&self, id: PageId) -> Result<&FileMap, PoolError> {
        self.files.attached(id.db, id.file).ok_or(PoolError::Io(IoFailure::NoFile { page: id }))
    }

    #[inline]
    pub(crate) fn fetch_shared<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<SharedPage<'a>, PoolError> {
        let word = self.look_up(ask, id)?;
        loop {
            if let Some(frame) = word.frame() {
                let wait = || self.wait_for(ask, frame, id, Purpose::Read);
                if let Some(hold) = self.frames.shared(frame, id.to_bits(), wait) {
                    check!(
                        word.frame() == Some(frame),
                        "T1: page {id} is in frame {frame:?}, and its word leads elsewhere"
                    );
                    check!(
                        header::page_no(&hold) == id.page,
                        "S1: the frame of page {id} holds page {}",
                        header::page_no(&hold)
                    );
                    policy::on_hit(hold.state());
                    return Ok(SharedPage::new(self, hold));
                }
            } else if let Some(hold) = self.fault(ask, word, id, Purpose::Read)? {
                return Ok(SharedPage::new(self, hold.downgrade()));
            }
        }
    }

    #[inline]
    pub(crate) fn fetch_exclusive<'a>(
        &'a self,
        ask: &Ask<'a>,
        id: PageId,
        purpose: Purpose,
    ) -> Result<ExclusivePage<'a>, PoolError> {
        let word = self.look_up(ask, id)?;
        loop {
            if let Some(frame) = word.frame() {
                let wait = || self.wait_for(ask, frame, id, purpose);
                if let Some(hold) = self.frames.exclusive(frame, id.to_bits(), wait) {
                    check!(
                        word.frame() == Some(frame),
                        "T1: page {id} is in frame {frame:?}, and its word leads elsewhere"
                    );
                    check!(
                        header::page_no(&hold) == id.page,
                        "S1: the frame of page {id} holds page {}",
                        header::page_no(&hold)
                    );
                    policy::on_hit(hold.state());
                    return Ok(ExclusivePage::new(self, *ask, hold));
                }
            } else if let Some(hold) = self.fault(ask, word, id, purpose)? {
                return Ok(ExclusivePage::new(self, *ask, hold));
            }
        }
    }

    #[inline]
    fn look_up(&self, ask: &Ask<'_>, id: PageId) -> Result<Word<'_>, PoolError> {
        let word = self.file_of(id)?.word_or_map(id.page).ok_or(PoolError::NoMemory { page: id })?;
        ask.count_logical_read();
        add(&self.tallies.of(ask.task.session).lookups, 1);
        Ok(word)
    }

    /// Reads a page that is not in memory; `None` when somebody else was first, then it is.
    #[cold]
    pub(crate) fn fault<'a>(
        &'a self,
        ask: &Ask<'a>,
        word: Word<'_>,
        id: PageId,
        purpose: Purpose,
    ) -> Result<Option<ExclusiveHold<'a>>, PoolError> {
        self.file_of(id)?;
        if let Place::Slot(slot) = word.place() {
            self.look_at_slot(ask, word, id, slot)?;
        }
        let hold = self.take_frame(ask, id)?;
        let Some(mut hold) = self.install(ask, word, hold, id, Arrival::Read) else { return Ok(None) };
        let wait = WaitGuard::begin(&self.waits, ask, purpose.wait_type(true), Some(id));
        if hold.state().slot.load(Relaxed) != 0 {
            match self.read_slot(word, id, &mut hold) {
                SlotRead::Read => {
                    hold.state().read_us.store(wait.end().min(u32::MAX.into()) as u32, Relaxed);
                    hold.state().io.store(false, Relaxed);
                    ask.count_physical_reads(1, false);
                    return Ok(Some(hold));
                }
                SlotRead::Lost => {
                    self.set_free(ask.task.session, hold);
                    return Ok(None);
                }
                SlotRead::Dropped => {}
            }
        }
        let read = self.read_believed(ask, id, &mut hold);
        let read_us = wait.end().min(u32::MAX.into()) as u32;
        if let Err(error) = read {
            self.give_up(word, hold);
            return Err(error);
        }
        hold.state().read_us.store(read_us, Relaxed);
        hold.state().io.store(false, Relaxed);
        ask.count_physical_reads(1, false);
        add(&self.tallies.reads, 1);
        Ok(Some(hold))
    }

    /// Reads a page. Bytes that are not the page are read again before it is believed to be damaged.
    pub(crate) fn read_believed(&self, ask: &Ask<'_>, id: PageId, page: &mut PageBytes) -> Result<(), PoolError> {
        let mut first_damage: Option<PageDamage> = None;
        for failures in 0..=READ_RETRIES {
            self.io.read_run(ask, id, &mut [page])?;
            match (header::verify(page, id), first_damage.take()) {
                (Ok(()), None) => return Ok(()),
                (Ok(()), Some(damage)) => {
                    self.io.read_at_last(id, failures, &damage.to_string());
                    return Ok(());
                }
                (Err(damage), first) => first_damage = Some(first.unwrap_or(damage)),
            }
        }
        assert!(first_damage.is_some(), "page {id} is not believed, and nothing was wrong with it");
        Err(first_damage.expect("a page that was never right was wrong once").into())
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
            self.take_over(state, slot);
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
            self.drop_copy(state);
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

    fn set_free(&self, session: SessionId, hold: ExclusiveHold<'_>) {
        let frame = hold.frame();
        let state = hold.state();
        check!(state.page.load(Relaxed) == 0, "F1: frame {frame:?} is given back with a page");
        check!(!state.dirty.load(Relaxed), "F1: frame {frame:?} is given back dirty");
        check!(state.rec_pos.load(Relaxed) == 0, "F1: frame {frame:?} is given back, and holds the log");
        drop(hold);
        self.free.give(ShardNo::of(session), &[frame]);
    }

    #[inline]
    pub(crate) fn create_page<'a>(
        &'a self,
        ask: &Ask<'a>,
        id: PageId,
        kind: PageKind,
        object_id: u32,
    ) -> Result<ExclusivePage<'a>, PoolError> {
        let word = self.file_of(id)?.word_or_map(id.page).ok_or(PoolError::NoMemory { page: id })?;
        let hold = loop {
            if let Some(frame) = word.frame() {
                let wait = || self.wait_for(ask, frame, id, Purpose::Change);
                if let Some(hold) = self.frames.exclusive(frame, id.to_bits(), wait) {
                    break hold;
                }
            } else {
                self.file_of(id)?;
                if let Some(hold) = self.install(ask, word, self.take_frame(ask, id)?, id, Arrival::Created) {
                    break hold;
                }
            }
        };
        check!(word.frame() == Some(hold.frame()), "T1: page {id} is made, and its word leads elsewhere");
        add(&self.tallies.of(ask.task.session).created, 1);
        let mut page = ExclusivePage::new(self, *ask, hold);
        check!(page.id() == id, "T1: page {id} is made in the frame of {}", page.id());
        header::init(&mut page, id, kind, object_id);
        Ok(page)
    }

    /// Whether frames may be taken for what is not needed yet: an eighth of the pool is free, or can be had.
    pub(crate) fn has_plenty(&self) -> bool {
        let target = self.chunks.target();
        let fresh = target.saturating_sub(self.chunks.total());
        self.free.count() as u32 + fresh > target / 8
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
            let Some(hold) = self.latch_to_drop(id) else { continue };
            let (word, state) = (self.word_of(id), hold.state());
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
                    self.drop_slot(word, id, slot);
                }
                Place::Frame(frame) => {
                    if let Some(hold) = self.frames.exclusive(frame, id.to_bits(), || None) {
                        return Some(hold);
                    }
                }
            }
        }
    }

    /// The word of a page that is in memory.
    #[inline]
    pub(crate) fn word_of(&self, id: PageId) -> Word<'_> {
        let word = self.files.known(id.db, id.file).and_then(|file| file.word(id.page));
        word.expect("T1: a page in memory has a word")
    }

    /// An empty frame, latched exclusively.
    #[inline]
    pub(crate) fn take_frame<'a>(&'a self, ask: &Ask<'_>, id: PageId) -> Result<ExclusiveHold<'a>, PoolError> {
        let shard = ShardNo::of(ask.task.session);
        let frame = match self.free.take(shard) {
            Some(frame) => frame,
            None => self.find_frame(ask, shard, id)?,
        };
        if self.free.len_of(shard) < self.lazy_writer.reserve_max(self.chunks.target()) {
            self.call_lazy_writer();
        }
        Ok(self.frames.exclusive_of_free(frame))
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

    #[cold]
    fn find_frame(&self, ask: &Ask<'_>, shard: ShardNo, id: PageId) -> Result<FrameNo, PoolError> {
        for attempt in 0..TRIES_MAX {
            if let Some(frame) = self.find_free(shard) {
                return Ok(frame);
            }
            if attempt == 0 {
                add(&self.tallies.stalls, 1);
            }
            self.call_lazy_writer();
            let mut freed = self.make_room(ask, 8);
            if let Some(frame) = freed.pop() {
                self.free.give(shard, &freed);
                return Ok(frame);
            }
            if ask.task.is_cancelled() {
                break;
            }
            let _wait = WaitGuard::begin(&self.waits, ask, WaitType::MEMORY_ALLOCATION_EXT, Some(id));
            self.free.wait(HUNGER);
        }
        Err(PoolError::NoMemory { page: id })
    }
}
