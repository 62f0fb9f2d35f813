//! The sweep that makes room: a hand goes over the frames, the pool's policy names the victims, and they leave memory.
//!
//! ```text
//!             ┌────────── hand ─────────▶ classify_frame ──policy──▶ stays, or promoted
//!   frames:   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒      │
//!                                               ├─ clean ──────────▶ freed
//!                                               ├─ to extension ───▶ copied to its slot ──▶ freed
//!                                               └─ dirty ──────────▶ written with its neighbours ──▶ freed
//! ```
//!
//! What always holds: a frame is taken only when its exclusive latch could be had by trying, it has no pin and is clean
//! (P1, P5). The hand is one counter; several sweepers take different stretches of frames.
//!
//! Which page is a victim is the policy's business ([`crate::pool::policy`]); this file knows no uses and no ghosts.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::ask::{Ask, add, as_server};
use crate::check;
use crate::contract::{PageId, SessionId, WriteReason};
use crate::extension::device::Extension;
use crate::pool::PoolError;
use crate::pool::buffers::{Buffers, Victim};
use crate::pool::free::{ShardNo, is_each_once};
use crate::pool::latch::{ExclusiveHold, FrameNo, FrameState};
use crate::pool::policy::{self, Policy, ROUNDS_MAX, SweepPolicy, Verdict};
use crate::pool::sweep::WriterWakeup;
use crate::pool::tier::{admission, slot_of};
use crate::pool::write::{Gather, PageWriter};
use crate::wait::{WaitGuard, WaitType};

/// Frames that a sweeper examines at a time.
const STRETCH: u32 = 64;
/// Dirty victims that are collected before they are written: enough to be sorted into neighbours.
const DIRTY_BATCH: usize = 64;

/// A task without a frame tries so often, with [`HUNGER`] in between, before it gives up: after a second or more.
pub(crate) const TRIES_MAX: u32 = 100;
/// How long a task without a frame waits for one that is freed.
pub(crate) const HUNGER: Duration = Duration::from_millis(10);

/// Frames freed between two looks at the lists, so that waiters get theirs early: four writes of the largest size, which a
/// device takes together.
const RESERVE_BATCH: usize = 128;

/// The hand of the sweep.
#[derive(Debug)]
pub(crate) struct Hand {
    /// Frames ever examined; modulo the frames in use it is the hand's place.
    examined: AtomicU64,
    round_began_us: AtomicU64,
    last_round_us: AtomicU64,
}

impl Hand {
    pub(crate) fn new(now_us: u64) -> Hand {
        Hand { examined: AtomicU64::new(0), round_began_us: AtomicU64::new(now_us), last_round_us: AtomicU64::new(0) }
    }

    /// How long a page stays that is not used: the length of the last round, or of this one if it is longer.
    pub(crate) fn page_life_us(&self, now_us: u64) -> u64 {
        self.last_round_us.load(Relaxed).max(now_us.saturating_sub(self.round_began_us.load(Relaxed)))
    }

    /// The next stretch of frames under the hand, of `end` in all.
    fn advance(&self, end: u32, now_us: impl FnOnce() -> u64) -> std::ops::Range<u32> {
        check!(end > 0, "the hand goes round a pool without frames");
        let from = self.examined.fetch_add(STRETCH.into(), Relaxed);
        let first = (from % u64::from(end)) as u32;
        if first < STRETCH {
            let now_us = now_us();
            let began_us = self.round_began_us.swap(now_us, Relaxed);
            self.last_round_us.store(now_us.saturating_sub(began_us), Relaxed);
        }
        first..(first + STRETCH).min(end)
    }
}

/// Makes room: the writer's pages leave memory in the order that the policy says.
pub(crate) struct Sweeper {
    pub(crate) writer: PageWriter,
    pub(crate) hand: Hand,
    /// Wakes the lazy writer.
    pub(crate) wakeup: Arc<WriterWakeup>,
}

impl Sweeper {
    /// The frames.
    #[inline]
    pub(crate) fn buffers(&self) -> &Buffers {
        &self.writer.buffers
    }

    /// An empty frame, latched exclusively.
    #[inline]
    pub(crate) fn take_frame<'a>(&'a self, ask: &Ask<'_>, id: PageId) -> Result<ExclusiveHold<'a>, PoolError> {
        let buffers = self.buffers();
        let shard = ShardNo::of(ask.task.session);
        let frame = match buffers.free.take(shard) {
            Some(frame) => frame,
            None => self.find_frame(ask, shard, id)?,
        };
        if buffers.free.len_of(shard) < buffers.chunks.reserve_max() {
            self.call_lazy_writer();
        }
        let hold = buffers.frames.exclusive_of_free(frame);
        check!(hold.state().page.load(Relaxed) == 0, "F1: frame {frame:?} is taken for page {id}, and has a page");
        Ok(hold)
    }

    #[cold]
    fn find_frame(&self, ask: &Ask<'_>, shard: ShardNo, id: PageId) -> Result<FrameNo, PoolError> {
        let buffers = self.buffers();
        for attempt in 0..TRIES_MAX {
            if let Some(frame) = buffers.find_free(shard) {
                return Ok(frame);
            }
            if attempt == 0 {
                add(&buffers.tallies.stalls, 1);
            }
            self.call_lazy_writer();
            let mut freed = self.make_room(ask, 8);
            if let Some(frame) = freed.pop() {
                buffers.free.give(shard, &freed);
                return Ok(frame);
            }
            if ask.task.is_cancelled() {
                break;
            }
            let _wait = WaitGuard::begin(&buffers.waits, ask, WaitType::MEMORY_ALLOCATION_EXT, Some(id));
            buffers.free.wait(HUNGER);
        }
        Err(PoolError::NoMemory { page: id })
    }

    /// Wakes the lazy writer if memory is used up and the reserve touched.
    #[inline]
    pub(crate) fn call_lazy_writer(&self) {
        if self.buffers().is_short() {
            self.wakeup.call();
        }
    }

    /// Frees frames until there are twice the reserve; false when not even the reserve could be had.
    pub(crate) fn fill_reserve(&self) -> bool {
        let buffers = self.buffers();
        if !buffers.is_short() {
            return true;
        }
        let wanted = buffers.chunks.reserve_max();
        as_server(|ask| {
            while buffers.free.count() < wanted {
                let freed = self.make_room(ask, RESERVE_BATCH.min(wanted));
                if freed.is_empty() {
                    break;
                }
                buffers.free.give(ShardNo::of(SessionId(0)), &freed);
            }
        });
        !buffers.is_short()
    }

    /// Frees up to about `wanted` frames and hands them to the caller: clean pages first, then by writing dirty ones as
    /// [`WriteReason::Lazy`]. None when everything is latched, pinned, or cannot be written.
    pub(crate) fn make_room(&self, ask: &Ask<'_>, wanted: usize) -> Vec<FrameNo> {
        let buffers = self.buffers();
        let (mut freed, mut dirty, mut entering) = (Vec::new(), Vec::new(), Vec::new());
        let extension = buffers.tier.get();
        let extension = extension.as_deref();
        let end = buffers.chunks.end();
        let stretches = u64::from(end.div_ceil(STRETCH));
        for stretch in 0..stretches * ROUNDS_MAX {
            let sweep = self.plan_round(stretch / stretches);
            for frame in self.hand.advance(end, || buffers.clock.now_us()) {
                match self.classify_frame(FrameNo(frame), sweep, extension) {
                    Victim::Freed => freed.push(FrameNo(frame)),
                    Victim::Dirty(id) => dirty.push((id, FrameNo(frame))),
                    Victim::ToExtension(id) => entering.push((id, FrameNo(frame))),
                    Victim::Stays => {}
                }
            }
            if let Some(extension) = extension
                && freed.len() < wanted
                && (freed.len() + entering.len() >= wanted || (stretch + 1) % stretches == 0)
            {
                self.let_go(ask, extension, &mut entering, &mut freed);
            }
            if freed.len() < wanted && (dirty.len() >= DIRTY_BATCH.max(wanted) || (stretch + 1) % stretches == 0) {
                self.write_victims(ask, extension, &mut dirty, wanted, &mut freed);
            }
            if freed.len() >= wanted {
                break;
            }
        }
        check!(
            freed.iter().all(|frame| buffers.frames.state(*frame).page.load(Relaxed) == 0),
            "F1: a frame is free for its taker, and has a page"
        );
        check!(is_each_once(&freed), "F1: a frame is freed twice");
        freed
    }

    /// What the hand may take in a round; the first is 0.
    fn plan_round(&self, round: u64) -> SweepPolicy {
        let buffers = self.buffers();
        let pages = u64::from(buffers.chunks.total()).saturating_sub(buffers.free.count() as u64);
        let sweep = buffers.policy.plan_round(round, pages);
        check!(sweep.takes_something(), "the hand goes round, and takes from no class of pages");
        check!(
            round + 1 < ROUNDS_MAX || sweep.takes_everything(),
            "the hand goes round for the last time, and pages are protected"
        );
        sweep
    }

    /// Pages that enter the extension, or leave memory without where they find no place there.
    fn let_go(
        &self,
        ask: &Ask<'_>,
        extension: &Extension,
        entering: &mut Vec<(PageId, FrameNo)>,
        freed: &mut Vec<FrameNo>,
    ) {
        let left = admission::enter(&self.writer, ask, extension, std::mem::take(entering), freed);
        freed.extend(
            left.into_iter()
                .map(|(_, frame)| frame)
                .filter(|&frame| self.buffers().evict(frame, true) == Victim::Freed),
        );
    }

    /// Looks at a frame that is neither latched nor pinned, if its page is of a class that the round takes; a victim that is
    /// clean leaves memory at once.
    fn classify_frame(&self, frame: FrameNo, sweep: SweepPolicy, extension: Option<&Extension>) -> Victim {
        let buffers = self.buffers();
        let state = buffers.frames.state(frame);
        let unavailable =
            state.page.load(Relaxed) == 0 || state.pins.load(Relaxed) > 0 || buffers.frames.is_latched(frame);
        if unavailable || !sweep.takes(state.class.load(Relaxed)) {
            return Victim::Stays;
        }
        match buffers.policy.examine(state, sweep) {
            Verdict::Evict => self.take_victim(frame, extension),
            Verdict::Keep => Victim::Stays,
            Verdict::Promote => {
                if let Some(hold) = buffers.frames.try_exclusive(frame)
                    && state.page.load(Relaxed) != 0
                {
                    buffers.policy.promote(hold.state());
                }
                Victim::Stays
            }
        }
    }

    /// Evicts a victim, unless it has to be copied or written before.
    fn take_victim(&self, frame: FrameNo, extension: Option<&Extension>) -> Victim {
        let buffers = self.buffers();
        let state = buffers.frames.state(frame);
        let enters = |extension| !state.dirty.load(Relaxed) && admission::is_admitted(buffers, extension, state);
        if !extension.is_some_and(enters) {
            return buffers.evict(frame, true);
        }
        match state.page.load(Relaxed) {
            0 => Victim::Stays,
            bits => Victim::ToExtension(PageId::from_bits(bits)),
        }
    }

    /// Writes dirty victims in order of their place, each with its neighbours, until `wanted` frames are free.
    fn write_victims(
        &self,
        ask: &Ask<'_>,
        extension: Option<&Extension>,
        dirty: &mut Vec<(PageId, FrameNo)>,
        wanted: usize,
        freed: &mut Vec<FrameNo>,
    ) {
        let buffers = self.buffers();
        if let Some(extension) = extension {
            let is_admitted = |frame: FrameNo| admission::is_admitted(buffers, extension, buffers.frames.state(frame));
            let entering = dirty.extract_if(.., |(_, frame)| is_admitted(*frame)).collect();
            let left = admission::enter(&self.writer, ask, extension, entering, freed);
            // Those that found no place go to their files with the others.
            let is_dirty = |state: &FrameState| state.dirty.load(Relaxed) && slot_of(state).is_none();
            dirty.extend(left.into_iter().filter(|(_, frame)| is_dirty(buffers.frames.state(*frame))));
        }
        dirty.sort_unstable();
        let is_durable = |id: PageId| buffers.files.attached(id.db, id.file).is_some_and(|file| file.is_durable());
        let (durable, temporary): (Vec<_>, Vec<_>) = dirty.drain(..).partition(|(id, _)| is_durable(*id));
        // Pages whose write failed in a gather are not tried again now: they stay dirty, the others are tried, and a
        // task that waits for a frame gets an error when none came.
        let is_untried = |frame: FrameNo| policy::may_write(buffers.frames.state(frame));
        let mut untried = temporary.into_iter().filter(|(_, frame)| is_untried(*frame)).map(|(id, _)| id);
        let rule = Gather::to_make_room(WriteReason::Lazy);
        while freed.len() < wanted
            && let Some(written) = self.writer.write_some(ask, &mut untried, wanted - freed.len(), rule)
        {
            freed.extend(written.into_iter().filter(|&frame| buffers.evict(frame, true) == Victim::Freed));
        }
        // Durable pages go in batches, because each batch costs a sync.
        if freed.len() < wanted && !durable.is_empty() {
            let ids: Vec<PageId> = durable.into_iter().map(|(id, _)| id).collect();
            let (written, _) = self.writer.write_batched(ask, &ids, rule);
            freed.extend(written.into_iter().filter(|&frame| buffers.evict(frame, true) == Victim::Freed));
        }
    }
}
