//! Free frames: last in, first out, in shards by session, so that a session gets the frames back that it freed last and
//! meets no other when it takes them; and the chunks of the arena that have memory.
//!
//! What always holds:
//!
//! * F1: a frame without a page is in exactly one place: in a shard's list, or with its taker. Its
//!   latch may be held for a short time by a reader that came by an old word (T2), never for longer.
//! * F2: a frame in a list belongs to a chunk's frames in circulation, of which there are [`Chunks::total`] in all.
//!
//! Lists are refilled from other shards when these are rich, then from fresh memory, then from poor shards; eviction is
//! the caller's last resort. Lock order: a shard's list is a leaf; nothing is locked under it.

use crate::check;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::contract::SessionId;
use crate::pool::arena::CHUNK_FRAMES;
use crate::pool::latch::{FrameNo, Frames};

/// Shards of the lists.
pub(crate) const SHARDS: usize = 16;
/// Frames moved from one shard to another at once.
const MOVED_MAX: usize = 32;
/// With this many frames elsewhere, no fresh memory is taken.
const RICH_MIN: usize = 64;

/// A shard: which list a session uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShardNo(usize);

impl ShardNo {
    /// The shard of a session.
    #[inline]
    pub(crate) fn of(session: SessionId) -> ShardNo {
        ShardNo(usize::from(session.0) % SHARDS)
    }
}

/// Two cache lines, because the processor fetches lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard {
    list: Mutex<Vec<FrameNo>>,
    /// Length of the list, stored under its lock: a hint for others.
    len: AtomicUsize,
}

impl Shard {
    fn change<R>(&self, change: impl FnOnce(&mut Vec<FrameNo>) -> R) -> R {
        let mut list = self.list.lock();
        let result = change(&mut list);
        self.len.store(list.len(), Relaxed);
        result
    }
}

/// The lists of free frames.
#[derive(Debug, Default)]
pub(crate) struct FreeLists {
    shards: [Shard; SHARDS],
    /// Tasks that wait for a frame.
    hungry: AtomicU32,
    table: Mutex<()>,
    served: Condvar,
}

impl FreeLists {
    /// The frame that was freed last.
    #[inline]
    pub(crate) fn take(&self, shard: ShardNo) -> Option<FrameNo> {
        self.shards[shard.0].change(Vec::pop)
    }

    /// Frames of the shard's list now.
    #[inline]
    pub(crate) fn len_of(&self, shard: ShardNo) -> usize {
        self.shards[shard.0].len.load(Relaxed)
    }

    /// Puts frames to the head of the list; the last of them is taken next.
    #[inline]
    pub(crate) fn give(&self, shard: ShardNo, frames: &[FrameNo]) {
        check!(self.has_none_of(shard, frames), "F1: a frame that is free becomes free again");
        check!(is_each_once(frames), "F1: a frame is given back twice at once");
        self.shards[shard.0].change(|list| list.extend_from_slice(frames));
        if self.hungry.load(Relaxed) > 0 {
            let _table = self.table.lock();
            self.served.notify_all();
        }
    }

    /// Whether frames that come back are not among those that came last.
    fn has_none_of(&self, shard: ShardNo, frames: &[FrameNo]) -> bool {
        self.shards[shard.0].list.lock().iter().rev().take(512).all(|free| !frames.contains(free))
    }

    /// Free frames in all lists.
    pub(crate) fn count(&self) -> usize {
        self.shards.iter().map(|s| s.len.load(Relaxed)).sum()
    }

    /// Moves frames from the richest other shard to this one and returns one of them, if that shard has `len_min`.
    pub(crate) fn take_from_others(&self, shard: ShardNo, len_min: usize) -> Option<FrameNo> {
        let others = (0..SHARDS).filter(|&other| other != shard.0);
        let richest = others.max_by_key(|&other| self.shards[other].len.load(Relaxed))?;
        let mut moved = self.shards[richest].change(|list| {
            let kept =
                if list.len() < len_min { list.len() } else { list.len() - list.len().div_ceil(2).min(MOVED_MAX) };
            list.split_off(kept)
        });
        let frame = moved.pop()?;
        assert!(moved.len() < MOVED_MAX, "{} frames are moved at once", moved.len());
        if !moved.is_empty() {
            self.give(shard, &moved);
        }
        Some(frame)
    }

    /// As [`FreeLists::take_from_others`] when another shard has plenty.
    pub(crate) fn take_from_rich(&self, shard: ShardNo) -> Option<FrameNo> {
        self.take_from_others(shard, RICH_MIN)
    }

    /// Takes the frames of a range out of all lists.
    pub(crate) fn withdraw(&self, range: &Range<u32>, out: &mut Vec<FrameNo>) {
        for shard in &self.shards {
            shard.change(|list| out.extend(list.extract_if(.., |frame| range.contains(&frame.0))));
        }
    }

    /// Sleeps until a frame is freed, or for `most`.
    pub(crate) fn wait(&self, most: Duration) {
        let mut table = self.table.lock();
        self.hungry.fetch_add(1, Relaxed);
        if self.count() == 0 {
            self.served.wait_for(&mut table, most);
        }
        self.hungry.fetch_sub(1, Relaxed);
    }
}

/// Whether no frame is there twice.
pub(crate) fn is_each_once(frames: &[FrameNo]) -> bool {
    frames.iter().collect::<BTreeSet<_>>().len() == frames.len()
}

/// Which frames have memory and circulate: of each chunk the first so many.
#[derive(Debug)]
pub(crate) struct Chunks {
    circulating: Mutex<Vec<u32>>,
    /// `max server memory` in frames.
    target: AtomicU32,
    total: AtomicU32,
    /// After the last frame that ever circulated: where sweeps turn back.
    end: AtomicU32,
}

impl Chunks {
    /// No frame of `frames_reserved` circulates yet.
    pub(crate) fn new(frames_reserved: u32, target: u32) -> Chunks {
        assert!(target <= frames_reserved, "F2: {target} frames may circulate, {frames_reserved} are reserved");
        Chunks {
            circulating: Mutex::new(vec![0; frames_reserved.div_ceil(CHUNK_FRAMES) as usize]),
            target: AtomicU32::new(target),
            total: AtomicU32::new(0),
            end: AtomicU32::new(0),
        }
    }

    /// Frames that may circulate.
    pub(crate) fn target(&self) -> u32 {
        self.target.load(Relaxed)
    }

    /// Changes that number; frames beyond it stay until they are retired.
    pub(crate) fn set_target(&self, frames: u32) {
        let reserved = self.circulating.lock().len() as u32 * CHUNK_FRAMES;
        assert!(frames <= reserved, "F2: {frames} frames may circulate, {reserved} are reserved at most");
        self.target.store(frames, Relaxed);
    }

    /// Frames that should be free at least: a hundredth of the pool, within bounds.
    pub(crate) fn reserve_min(&self) -> usize {
        (self.target() as usize / 128).clamp(2, 512)
    }

    /// Frames that are freed to: twice that.
    pub(crate) fn reserve_max(&self) -> usize {
        self.reserve_min() * 2
    }

    /// Frames that circulate.
    pub(crate) fn total(&self) -> u32 {
        self.total.load(Relaxed)
    }

    /// After the last frame that ever circulated.
    pub(crate) fn end(&self) -> u32 {
        self.end.load(Relaxed)
    }

    /// Whether no more memory may be taken.
    pub(crate) fn is_grown(&self) -> bool {
        self.total() >= self.target()
    }

    /// Takes memory for up to a chunk's frames and puts them into circulation, into a shard's list. Returns how many.
    pub(crate) fn grow(&self, frames: &Frames, free: &FreeLists, shard: ShardNo) -> u32 {
        if self.is_grown() {
            return 0;
        }
        let mut circulating = self.circulating.lock();
        let missing = self.target().saturating_sub(self.total());
        let Some(range) = next_range(&circulating, frames.count(), missing) else { return 0 };
        let (chunk, count) = ((range.start / CHUNK_FRAMES) as usize, range.end - range.start);
        if !frames.populate(FrameNo(range.start), count) {
            return 0;
        }
        check!(
            range.start % CHUNK_FRAMES == circulating[chunk],
            "F2: memory is taken for {range:?}, and {} frames of the chunk circulate",
            circulating[chunk]
        );
        assert!(range.end <= frames.count(), "F2: memory is taken for {range:?} of {} frames", frames.count());
        circulating[chunk] += count;
        assert!(circulating[chunk] <= CHUNK_FRAMES, "F2: {} frames of a chunk circulate", circulating[chunk]);
        self.end.fetch_max(range.end, Relaxed);
        let fresh: Vec<FrameNo> = range.rev().map(FrameNo).collect();
        // They are free before they count: memory would look used up, and the lazy writer would write pages.
        free.give(shard, &fresh);
        self.total.fetch_add(count, Relaxed);
        check!(
            circulating.iter().sum::<u32>() == self.total(),
            "F2: {} frames circulate by their chunks, {} in all",
            circulating.iter().sum::<u32>(),
            self.total()
        );
        count
    }

    /// The frames to retire next, for `surplus` frames too many, from the chunk below `before`; highest chunks first.
    pub(crate) fn next_to_retire(&self, before: u32, surplus: u32) -> Option<Range<u32>> {
        let circulating = self.circulating.lock();
        let chunks = circulating.iter().enumerate().take((before / CHUNK_FRAMES) as usize);
        let (chunk, &count) = chunks.rev().find(|&(_, &count)| count > 0)?;
        let end = chunk as u32 * CHUNK_FRAMES + count;
        let range = end - count.min(surplus)..end;
        assert!(
            !range.is_empty() && range.start / CHUNK_FRAMES == (range.end - 1) / CHUNK_FRAMES,
            "F2: {range:?} is to be retired, which is not of one chunk"
        );
        Some(range)
    }

    /// The frames of `range` circulate no more; the caller has them all. Returns whether the chunk is empty now.
    pub(crate) fn retire(&self, range: &Range<u32>) -> bool {
        let mut circulating = self.circulating.lock();
        let count = &mut circulating[(range.start / CHUNK_FRAMES) as usize];
        assert!(range.end - range.start <= *count, "F2: {range:?} is retired of {count} frames");
        assert!(range.end % CHUNK_FRAMES == *count % CHUNK_FRAMES, "the last frames of the chunk");
        *count -= range.end - range.start;
        let before = self.total.fetch_sub(range.end - range.start, Relaxed);
        assert!(before >= range.end - range.start, "F2: {range:?} is retired of {before} frames in all");
        let is_empty = *count == 0;
        check!(
            circulating.iter().sum::<u32>() == self.total(),
            "F2: {} frames circulate by their chunks, {} in all",
            circulating.iter().sum::<u32>(),
            self.total()
        );
        is_empty
    }
}

/// Frames for fresh memory: the rest of a chunk that is used in part, else of the first unused chunk.
fn next_range(circulating: &[u32], frames_reserved: u32, missing: u32) -> Option<Range<u32>> {
    let room = |chunk: usize| CHUNK_FRAMES.min(frames_reserved - chunk as u32 * CHUNK_FRAMES) - circulating[chunk];
    let started = (0..circulating.len()).find(|&c| circulating[c] > 0 && room(c) > 0);
    let chunk = started.or_else(|| (0..circulating.len()).find(|&c| room(c) > 0))?;
    let start = chunk as u32 * CHUNK_FRAMES + circulating[chunk];
    let count = room(chunk).min(missing);
    (count > 0).then_some(start..start + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_device::clock::ManualClock;
    use std::sync::Arc;

    fn frames(count: u32) -> Frames {
        Frames::reserve(count, count, Arc::new(ManualClock::default())).expect("address space")
    }

    #[test]
    fn the_frame_freed_last_is_taken_first_and_shards_help_each_other() {
        let free = FreeLists::default();
        let (one, two) = (ShardNo::of(SessionId(51)), ShardNo::of(SessionId(52)));
        free.give(one, &[FrameNo(1), FrameNo(2), FrameNo(3)]);
        assert_eq!(free.take(one), Some(FrameNo(3)));
        assert_eq!((free.take(two), free.take_from_rich(two)), (None, None));
        assert_eq!(free.take_from_others(two, 1), Some(FrameNo(2)));
        assert_eq!(free.take_from_others(two, 1), Some(FrameNo(1)));
        assert_eq!((free.take_from_others(two, 1), free.count()), (None, 0));
    }

    #[test]
    fn withdrawing_takes_a_range_from_every_shard() {
        let free = FreeLists::default();
        for frame in 0..100 {
            free.give(ShardNo::of(SessionId(frame)), &[FrameNo(frame.into())]);
        }
        let mut out = Vec::new();
        free.withdraw(&(20..60), &mut out);
        out.sort();
        assert_eq!(out, (20..60).map(FrameNo).collect::<Vec<_>>());
        assert_eq!(free.count(), 60);
    }

    #[test]
    fn memory_grows_to_the_target_and_retires_from_the_end() {
        let (frames, free, chunks) = (frames(1000), FreeLists::default(), Chunks::new(1000, 300));
        let shard = ShardNo::of(SessionId(0));
        assert_eq!((chunks.grow(&frames, &free, shard), chunks.grow(&frames, &free, shard)), (256, 44));
        assert_eq!((chunks.grow(&frames, &free, shard), chunks.total(), chunks.end()), (0, 300, 300));
        assert_eq!(free.take(shard), Some(FrameNo(256)), "ascending from the fresh chunk");
        chunks.set_target(1000);
        assert_eq!(chunks.grow(&frames, &free, shard), 212, "the rest of the chunk");
        assert_eq!((chunks.grow(&frames, &free, shard), chunks.grow(&frames, &free, shard)), (256, 232));
        assert_eq!((chunks.grow(&frames, &free, shard), chunks.total()), (0, 1000), "all that was reserved");

        assert_eq!(chunks.next_to_retire(u32::MAX, 900), Some(768..1000));
        free.withdraw(&(768..1000), &mut Vec::new());
        assert!(chunks.retire(&(768..1000)));
        assert_eq!(chunks.next_to_retire(768, 10), Some(758..768));
        free.withdraw(&(758..768), &mut Vec::new());
        assert!(!chunks.retire(&(758..768)));
        assert_eq!(chunks.next_to_retire(512, 1000), Some(256..512));
        assert_eq!(chunks.total(), 758);
        chunks.set_target(760);
        assert_eq!(chunks.grow(&frames, &free, shard), 2);
    }
}
