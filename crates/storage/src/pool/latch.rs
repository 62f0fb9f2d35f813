//! Frames and their latches: the only way to the bytes of a page.
//!
//! A frame is 8 KB of the arena and a [`FrameState`] of one cache line in a side array, so that the sweep and the
//! latches never touch page bytes. A latch is one word:
//!
//! ```text
//!   bit 31     30       29 … 0
//!       +------+--------+----------------+
//!       |excl. |waiters | shared holders |    exclusive ⇒ no shared holders
//!       +------+--------+----------------+
//! ```
//!
//! What always holds:
//!
//! * L1: a [`SharedHold`] exists ⇒ the word counts it, and there is no [`ExclusiveHold`] of the frame.
//! * L2: an [`ExclusiveHold`] exists ⇒ the exclusive bit is set, the count is 0, and it is the only hold of the frame.
//! * L3: a waiter has set the waiters bit under the lot's lock and found the latch held after that, so the last
//!   holder sees the bit when it lets go, takes the lock and wakes it.
//!
//! A newcomer that finds the waiters bit does not barge into a shared latch at once, so that readers that come and go
//! do not starve a writer; after its spin it does, so that no thread waits for one that waits for it.
//! This file does not know pages, files or waits' names.
//!
//! # Proof of the unsafe parts
//!
//! The latch word is private to this file, and only the four functions that make or drop a hold change it; by their
//! compare-and-swap L1 and L2 hold. A `&PageBytes` is made from a borrow of a shared or exclusive hold, a
//! `&mut PageBytes` from a mutable borrow of an exclusive one: L1 and L2 are exactly the borrow rules for the frame's
//! bytes. Letting go is a release and taking an acquire of the same word, so the next holder sees all writes. Holds
//! borrow [`Frames`], which owns the arena, so the address is mapped; any bit pattern is a [`PageBytes`]. Releasing memory
//! takes the exclusive holds of all frames concerned by mutable borrow, so no reference to their bytes lives.
#![allow(unsafe_code)]

use crate::check;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};

use millpond_device::clock::Clock;
use parking_lot::{Condvar, Mutex};

use crate::contract::PageBytes;
use crate::pool::arena::{Arena, MappedSlice, ZeroIsValid};
use crate::wait::WaitGuard;

const EXCLUSIVE: u32 = 1 << 31;
const WAITERS: u32 = 1 << 30;
const HOLDERS: u32 = WAITERS - 1;

/// Turns before a waiter sleeps: about a microsecond, less than a sleep costs.
const SPINS_MAX: u32 = 40;

/// Sleeping places; frames share them.
const LOT_PLACES: usize = 64;

/// A frame of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FrameNo(pub(crate) u32);

/// What is known of a frame beside its bytes. Which latch protects a field is said with it; fields without a word are
/// hints.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct FrameState {
    latch: AtomicU32,
    /// Pins; raised under a latch only, so an exclusive holder that sees 0 may take the page away.
    pub(crate) pins: AtomicU32,
    /// The page's bits, 0 without a page; changed under the exclusive latch.
    pub(crate) page: AtomicU64,
    /// Session that created or read the page, or changed it last.
    pub(crate) owner: AtomicU32,
    /// Where the log was when the page became dirty ([`crate::page::header::LogPos`]), 0 while it is clean or temporary; set
    /// under the exclusive latch, cleared with `dirty`.
    pub(crate) rec_pos: AtomicU64,
    /// How long the read took.
    pub(crate) read_us: AtomicU32,
    /// Slot of the extension that has the same bytes, + 1; 0 without one. Set under the exclusive latch or by the one
    /// writer of the page, cleared under the exclusive latch.
    pub(crate) slot: AtomicU32,
    /// Set under the exclusive latch, cleared under either by the one writer of the page.
    pub(crate) dirty: AtomicBool,
    /// A read or write of the page is under way.
    pub(crate) io: AtomicBool,
    /// What the eviction policy calls the page, 0 without a page; changed under the exclusive latch.
    pub(crate) class: AtomicU8,
    /// Recent uses, as the eviction policy counts them.
    pub(crate) uses: AtomicU8,
    /// Came by read-ahead or was created: a page of a scan or a load.
    pub(crate) bulk: AtomicBool,
}

const _: () = assert!(size_of::<FrameState>() == 64);

// SAFETY: atomics only; zero is 0 or false; no destructor.
unsafe impl ZeroIsValid for FrameState {}

impl FrameState {
    /// Whether the exclusive latch is held now, for callers that hold it themselves.
    #[inline]
    pub(crate) fn is_latched_alone(&self) -> bool {
        self.latch.load(Relaxed) & (EXCLUSIVE | HOLDERS) == EXCLUSIVE
    }
}

/// Where waiters sleep; on its own cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Place {
    sleepers: Mutex<()>,
    condvar: Condvar,
    /// When it was notified last.
    rung_us: AtomicU64,
}

/// All frames.
#[derive(Debug)]
pub(crate) struct Frames {
    arena: Arena,
    states: MappedSlice<FrameState>,
    lot: Box<[Place]>,
    clock: Arc<dyn Clock>,
}

impl Frames {
    /// Address space for `count` frames, or for as many as the system gives, but at least `count_min`.
    pub(crate) fn reserve(count: u32, count_min: u32, clock: Arc<dyn Clock>) -> Option<Frames> {
        let mut count = count;
        loop {
            if let Some((arena, states)) = Arena::reserve(count).zip(MappedSlice::zeroed(count as usize)) {
                let lot = (0..LOT_PLACES).map(|_| Place::default()).collect();
                assert!(
                    arena.frames() as usize == states.len(),
                    "{} frames have {} sides",
                    arena.frames(),
                    states.len()
                );
                return Some(Frames { arena, states, lot, clock });
            }
            if count <= count_min {
                return None;
            }
            count = (count / 2).max(count_min);
        }
    }

    /// Frames reserved.
    pub(crate) fn count(&self) -> u32 {
        self.arena.frames()
    }

    /// Takes memory for frames; false when there is none.
    pub(crate) fn populate(&self, first: FrameNo, count: u32) -> bool {
        self.arena.populate(first.0, count)
    }

    /// The side of a frame.
    #[inline]
    pub(crate) fn state(&self, frame: FrameNo) -> &FrameState {
        &self.states[frame.0 as usize]
    }

    /// Whether the latch is held now: a hint.
    #[inline]
    pub(crate) fn is_latched(&self, frame: FrameNo) -> bool {
        self.state(frame).latch.load(Relaxed) & (EXCLUSIVE | HOLDERS) != 0
    }

    /// The shared latch, if it is free for newcomers.
    #[inline]
    pub(crate) fn try_shared(&self, frame: FrameNo) -> Option<SharedHold<'_>> {
        self.take_shared(frame, EXCLUSIVE | WAITERS)
    }

    /// The shared latch unless one of `obstacles` is set.
    #[inline]
    fn take_shared(&self, frame: FrameNo, obstacles: u32) -> Option<SharedHold<'_>> {
        check!(obstacles & EXCLUSIVE != 0, "L1: a shared latch of {frame:?} would be taken beside an exclusive one");
        let word = &self.state(frame).latch;
        let mut seen = word.load(Relaxed);
        while seen & obstacles == 0 {
            assert!(seen & HOLDERS < HOLDERS, "fewer holders than a billion");
            match word.compare_exchange_weak(seen, seen + 1, Acquire, Relaxed) {
                Ok(_) => return Some(SharedHold { frames: self, frame }),
                Err(now) => seen = now,
            }
        }
        None
    }

    /// The exclusive latch, if the latch is free.
    #[inline]
    pub(crate) fn try_exclusive(&self, frame: FrameNo) -> Option<ExclusiveHold<'_>> {
        let word = &self.state(frame).latch;
        let mut seen = word.load(Relaxed);
        while seen & (EXCLUSIVE | HOLDERS) == 0 {
            match word.compare_exchange_weak(seen, seen | EXCLUSIVE, Acquire, Relaxed) {
                Ok(_) => return Some(ExclusiveHold { frames: self, frame }),
                Err(now) => seen = now,
            }
        }
        None
    }

    /// The shared latch of the frame that has page `bits`; `None` when it has another one by now. `wait` opens the
    /// account when it comes to sleeping.
    #[inline]
    pub(crate) fn shared<'w>(
        &self,
        frame: FrameNo,
        bits: u64,
        wait: impl FnOnce() -> Option<WaitGuard<'w>>,
    ) -> Option<SharedHold<'_>> {
        let polite = || self.try_shared(frame);
        let hold = polite()
            .or_else(|| self.spin_then_sleep(frame, Some(bits), wait, polite, || self.take_shared(frame, EXCLUSIVE)));
        hold.filter(|hold| hold.state().page.load(Relaxed) == bits)
    }

    /// The exclusive latch of the frame that has page `bits`, likewise.
    #[inline]
    pub(crate) fn exclusive<'w>(
        &self,
        frame: FrameNo,
        bits: u64,
        wait: impl FnOnce() -> Option<WaitGuard<'w>>,
    ) -> Option<ExclusiveHold<'_>> {
        let take = || self.try_exclusive(frame);
        let hold = take().or_else(|| self.spin_then_sleep(frame, Some(bits), wait, take, take));
        hold.filter(|hold| hold.state().page.load(Relaxed) == bits)
    }

    /// The exclusive latch of a frame that belongs to the caller, has no page, and is latched by others in passing only.
    #[inline]
    pub(crate) fn exclusive_of_free(&self, frame: FrameNo) -> ExclusiveHold<'_> {
        let take = || self.try_exclusive(frame);
        let hold = take().or_else(|| self.spin_then_sleep(frame, None, || None, take, take));
        let hold = hold.expect("waits for any page");
        check!(hold.state().page.load(Relaxed) == 0, "F1: {frame:?} is its taker's, and has a page");
        hold
    }

    /// Waits for the latch as long as the frame has page `bits`, or for ever. Without that condition two threads that
    /// hold a page each and ask for the other's could meet in a frame that has changed hands, and wait for each other
    /// although neither wants what the other has.
    #[cold]
    fn spin_then_sleep<'w, Hold>(
        &self,
        frame: FrameNo,
        bits: Option<u64>,
        wait: impl FnOnce() -> Option<WaitGuard<'w>>,
        polite: impl Fn() -> Option<Hold>,
        firm: impl Fn() -> Option<Hold>,
    ) -> Option<Hold> {
        let state = self.state(frame);
        for _ in 0..SPINS_MAX {
            if state.io.load(Relaxed) {
                break;
            }
            std::hint::spin_loop();
            if let Some(hold) = polite() {
                return Some(hold);
            }
        }
        let mut account = wait();
        let place = self.place(frame);
        let mut sleepers = place.sleepers.lock();
        loop {
            // L3: the bit first, then the try, both under the lock that the waker takes.
            state.latch.fetch_or(WAITERS, Relaxed);
            if let Some(hold) = firm() {
                return Some(hold);
            }
            if bits.is_some_and(|bits| state.page.load(Relaxed) != bits) {
                return None;
            }
            place.condvar.wait(&mut sleepers);
            if let Some(account) = &mut account {
                account.signalled_at(place.rung_us.load(Relaxed));
            }
        }
    }

    fn place(&self, frame: FrameNo) -> &Place {
        &self.lot[frame.0 as usize % LOT_PLACES]
    }

    #[cold]
    fn wake(&self, frame: FrameNo) {
        let place = self.place(frame);
        let _sleepers = place.sleepers.lock();
        self.state(frame).latch.fetch_and(!WAITERS, Relaxed);
        place.rung_us.store(self.clock.now_us(), Relaxed);
        place.condvar.notify_all();
    }

    /// Gives the memory of consecutive frames back to the system; their content is gone.
    pub(crate) fn release_memory(&self, holds: &mut [ExclusiveHold<'_>]) {
        let Some(first) = holds.first().map(|h| h.frame) else { return };
        for (index, hold) in holds.iter().enumerate() {
            assert!(std::ptr::eq(hold.frames, self), "frames of this pool");
            assert!(hold.frame.0 == first.0 + index as u32, "consecutive frames");
        }
        check!(
            holds.iter().all(|hold| hold.state().is_latched_alone()),
            "L2: memory from {first:?} on goes back to the system, and a latch of it is not held exclusively"
        );
        // SAFETY: the exclusive holds are here, borrowed mutably: no reference to their bytes lives (L2).
        unsafe { self.arena.release(first.0, holds.len() as u32) }
    }
}

/// The shared latch of a frame, for as long as this lives.
#[derive(Debug)]
pub(crate) struct SharedHold<'a> {
    frames: &'a Frames,
    frame: FrameNo,
}

impl<'a> SharedHold<'a> {
    /// Which frame.
    #[inline]
    pub(crate) fn frame(&self) -> FrameNo {
        self.frame
    }

    /// Its side.
    #[inline]
    pub(crate) fn state(&self) -> &'a FrameState {
        self.frames.state(self.frame)
    }
}

impl Deref for SharedHold<'_> {
    type Target = PageBytes;

    #[inline]
    fn deref(&self) -> &PageBytes {
        check!(!self.state().is_latched_alone(), "L1: {:?} is read while it is latched exclusively", self.frame);
        // SAFETY: L1; the borrow lasts no longer than the hold.
        unsafe { self.frames.arena.page(self.frame.0).as_ref() }
    }
}

impl Drop for SharedHold<'_> {
    #[inline]
    fn drop(&mut self) {
        let before = self.state().latch.fetch_sub(1, Release);
        check!(before & HOLDERS > 0, "L1");
        if before & WAITERS != 0 && before & HOLDERS == 1 {
            self.frames.wake(self.frame);
        }
    }
}

/// The exclusive latch of a frame, for as long as this lives.
#[derive(Debug)]
pub(crate) struct ExclusiveHold<'a> {
    frames: &'a Frames,
    frame: FrameNo,
}

impl<'a> ExclusiveHold<'a> {
    /// Which frame.
    #[inline]
    pub(crate) fn frame(&self) -> FrameNo {
        self.frame
    }

    /// Its side.
    #[inline]
    pub(crate) fn state(&self) -> &'a FrameState {
        self.frames.state(self.frame)
    }

    /// The shared latch instead, without a time in which another thread could have the exclusive one.
    #[inline]
    pub(crate) fn downgrade(self) -> SharedHold<'a> {
        let (frames, frame) = (self.frames, self.frame);
        std::mem::forget(self);
        // Exclusive bit off, one holder on, in one step.
        let before = frames.state(frame).latch.fetch_sub(EXCLUSIVE - 1, Release);
        check!(before & (EXCLUSIVE | HOLDERS) == EXCLUSIVE, "L2");
        if before & WAITERS != 0 {
            frames.wake(frame);
        }
        SharedHold { frames, frame }
    }
}

impl Deref for ExclusiveHold<'_> {
    type Target = PageBytes;

    #[inline]
    fn deref(&self) -> &PageBytes {
        // SAFETY: L2; a shared borrow of the hold excludes the mutable one below.
        unsafe { self.frames.arena.page(self.frame.0).as_ref() }
    }
}

impl DerefMut for ExclusiveHold<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut PageBytes {
        check!(self.state().is_latched_alone(), "L2: {:?} is changed without its exclusive latch", self.frame);
        // SAFETY: L2; the hold is borrowed mutably for as long as the reference lives.
        unsafe { self.frames.arena.page(self.frame.0).as_mut() }
    }
}

impl Drop for ExclusiveHold<'_> {
    #[inline]
    fn drop(&mut self) {
        let before = self.state().latch.fetch_sub(EXCLUSIVE, Release);
        check!(before & (EXCLUSIVE | HOLDERS) == EXCLUSIVE, "L2");
        if before & WAITERS != 0 {
            self.frames.wake(self.frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_device::clock::SystemClock;

    fn frames() -> Frames {
        Frames::reserve(256, 256, Arc::new(SystemClock::new())).expect("2 MB of address space")
    }

    const FRAME: FrameNo = FrameNo(7);

    #[test]
    fn shared_holders_exclude_the_exclusive_one_and_the_other_way_round() {
        let frames = frames();
        let first = frames.try_shared(FRAME).expect("free");
        let second = frames.try_shared(FRAME).expect("shared");
        assert!(frames.try_exclusive(FRAME).is_none());
        drop(first);
        assert!(frames.try_exclusive(FRAME).is_none());
        drop(second);
        let mut alone = frames.try_exclusive(FRAME).expect("free again");
        assert!(frames.try_shared(FRAME).is_none() && frames.try_exclusive(FRAME).is_none());
        alone[8191] = 9;
        let reader = alone.downgrade();
        assert_eq!(frames.try_shared(FRAME).expect("shared again")[8191], 9);
        drop(reader);
        assert!(!frames.is_latched(FRAME));
    }

    /// Four writers add to two numbers far apart on the page, readers see them equal; sleeping and waking included.
    #[test]
    fn writers_are_alone_and_no_thread_sleeps_for_ever() {
        let frames = frames();
        let turns: u64 = if cfg!(miri) { 30 } else { 20_000 };
        let read = |page: &PageBytes, at: usize| u64::from_le_bytes(page[at..at + 8].try_into().expect("8 bytes"));
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let frames = &frames;
                scope.spawn(move || {
                    for turn in 0..turns {
                        let mut hold = frames.exclusive(FRAME, 0, || None).expect("no page");
                        for at in [0, 8000] {
                            let next = read(&hold, at) + 1;
                            hold[at..at + 8].copy_from_slice(&next.to_le_bytes());
                        }
                        if (turn + writer) % 512 == 0 {
                            std::thread::yield_now();
                        }
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut seen = 0;
                    for _ in 0..turns {
                        let hold = frames.shared(FRAME, 0, || None).expect("no page");
                        assert_eq!(read(&hold, 0), read(&hold, 8000));
                        assert!(read(&hold, 0) >= seen);
                        seen = read(&hold, 0);
                    }
                });
            }
        });
        assert_eq!(read(&frames.try_shared(FRAME).expect("free"), 0), 4 * turns);
    }

    #[test]
    fn a_writer_gets_in_between_readers_that_never_let_go_together() {
        let frames = frames();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        let _hold = frames.shared(FRAME, 0, || None);
                        std::thread::yield_now();
                    }
                });
            }
            for turn in 0..100u8 {
                frames.exclusive(FRAME, 0, || None).expect("no page")[0] = turn;
            }
            stop.store(true, Relaxed);
        });
    }

    /// The bug: A held page 1 and waited in a frame that had lost page 2 to page 3, whose holder waited for page 1.
    #[test]
    fn no_thread_waits_for_a_frame_that_has_another_page() {
        let frames = frames();
        frames.state(FRAME).page.store(3, Relaxed);
        let held = frames.try_exclusive(FRAME).expect("free");
        assert!(frames.shared(FRAME, 2, || None).is_none());
        assert!(frames.exclusive(FRAME, 2, || None).is_none());
        drop(held);
        assert!(frames.shared(FRAME, 2, || None).is_none(), "not even if it is free");
        assert!(frames.exclusive(FRAME, 3, || None).is_some());

        // The page may also change while one sleeps.
        let held = frames.try_exclusive(FRAME).expect("free");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| frames.exclusive(FRAME, 3, || None).is_none());
            while frames.state(FRAME).latch.load(Relaxed) & WAITERS == 0 {
                std::thread::yield_now();
            }
            frames.state(FRAME).page.store(4, Relaxed);
            drop(held);
            assert!(waiter.join().expect("no panic"));
        });
    }

    #[test]
    fn released_memory_is_empty_and_usable() {
        let frames = frames();
        frames.try_exclusive(FrameNo(3)).expect("free")[100] = 1;
        let mut holds: Vec<_> = (0..256).map(|f| frames.try_exclusive(FrameNo(f)).expect("free")).collect();
        frames.release_memory(&mut holds);
        drop(holds);
        let mut hold = frames.try_exclusive(FrameNo(3)).expect("free");
        if cfg!(all(target_os = "linux", not(miri))) {
            assert_eq!(hold[100], 0);
        }
        hold[100] = 2;
        assert_eq!(hold[100], 2);
    }
}
