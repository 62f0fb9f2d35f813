//! A clock that skips the time in which all threads wait for an emulated device: an experiment of ten minutes takes the
//! seconds that its processor work takes, and a test of it is exact.
//!
//! ```text
//!   foreground  ──work──┐ sleeps until 8 ms                 ┌──work──         takes part
//!   background  ────────┼─────────────┐ sleeps until 5 ms ┌─┼───────          does not
//!   time        0 … 40 µs             60 µs ───jump──▶ 5 ms ─jump─▶ 8 ms
//! ```
//!
//! What always holds:
//! - time jumps only to the earliest time that a thread sleeps for, and not before every thread that was due has
//!   woken;
//! - it jumps only while every thread that takes part ([`Clock::begin_participation`]) sleeps on the clock or waits for
//!   another thread ([`Clock::begin_block`]). With no thread taking part it jumps at once.
//! - Threads that do not take part (log writer, lazy writer, checkpointer) wait with the others and never hold time up.
//!
//! A thread that is woken by another counts as waiting until it runs; so when one waits for another thread, time stands
//! still for [`GRACE`] of real time before it jumps. A thread that waits in a way that the clock does not know of would
//! hold a frozen clock forever; after [`PATIENCE`] of real time in which no thread began or ended to wait, time jumps
//! all the same.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::clock::{Clock, SystemClock, WallTime};

/// Real time for a thread that another one has just woken, to begin to run.
pub const GRACE: Duration = Duration::from_micros(40);
/// Times that the processor is left to others meanwhile: on a machine that has more to do this takes longer, as does the
/// thread that was woken.
const GRACE_TURNS: u32 = 16;
/// Real time after which a frozen clock no longer believes that a thread works.
pub const PATIENCE: Duration = Duration::from_millis(100);

/// What passes beside the skipped time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Real time, so that work of the processor counts.
    RealTime,
    /// None: the time is that of the devices alone, the same in each run.
    Nothing,
}

/// A clock that skips waits. See the module.
#[derive(Debug)]
pub struct VirtualClock {
    between: Between,
    start: Instant,
    wall_at_start: WallTime,
    skipped_us: AtomicU64,
    threads: Mutex<Threads>,
}

#[derive(Debug, Default)]
struct Threads {
    participants: HashMap<ThreadId, Participant>,
    /// When, a number that distinguishes two sleepers of one time apart, and what wakes this one: a jump wakes those
    /// that are due and no others.
    sleepers: BTreeMap<(u64, u64), Arc<Condvar>>,
    last_sleeper: u64,
    /// The sleeper that looks after time, once it knows that it does.
    watcher: Option<(u64, u64)>,
    /// Grows whenever anything here changes.
    changes: u64,
}

#[derive(Debug, Default)]
struct Participant {
    entries: usize,
    blocks: usize,
    is_asleep: bool,
}

/// Whether time may jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jump {
    /// All threads sleep.
    Now,
    /// All threads wait, some for threads that may have woken them already.
    AfterGrace,
    /// A thread works, or is due.
    NotYet,
}

impl Threads {
    fn jump(&self, now_us: u64) -> Jump {
        if self.sleepers.first_key_value().is_none_or(|((when_us, _), _)| *when_us <= now_us) {
            return Jump::NotYet;
        }
        let awake = || self.participants.values().filter(|participant| !participant.is_asleep);
        match (awake().count(), awake().all(|participant| participant.blocks > 0)) {
            (0, _) => Jump::Now,
            (_, true) => Jump::AfterGrace,
            (_, false) => Jump::NotYet,
        }
    }

    /// The calling thread, if it takes part.
    fn own(&mut self) -> Option<&mut Participant> {
        self.participants.get_mut(&std::thread::current().id())
    }
}

impl VirtualClock {
    /// A clock that starts now, at the machine's wall time.
    #[must_use]
    pub fn new(between: Between) -> VirtualClock {
        VirtualClock::starting_at(between, SystemClock::new().wall())
    }

    /// A clock whose wall time starts at `wall`: with [`Between::Nothing`] two runs see the same times.
    #[must_use]
    pub fn starting_at(between: Between, wall: WallTime) -> VirtualClock {
        VirtualClock {
            between,
            start: Instant::now(),
            wall_at_start: wall,
            skipped_us: AtomicU64::new(0),
            threads: Mutex::default(),
        }
    }

    /// Time that was skipped so far.
    #[must_use]
    pub fn skipped_us(&self) -> u64 {
        self.skipped_us.load(Relaxed)
    }

    /// Something changed that may let time jump.
    fn change(&self, change: impl FnOnce(&mut Threads)) {
        let threads = &mut *self.threads.lock();
        change(threads);
        self.settle(threads);
    }

    /// After a change: jumps if all threads sleep. The one that sleeps for the earliest time watches over the rest.
    fn settle(&self, threads: &mut Threads) {
        threads.changes += 1;
        let jump = threads.jump(self.now_us());
        if jump == Jump::Now {
            return self.jump(threads);
        }
        // While a thread works there is nothing to do for the one that watches already: most changes wake none.
        if let Some((first, bell)) = threads.sleepers.first_key_value()
            && (jump == Jump::AfterGrace || threads.watcher != Some(*first))
        {
            bell.notify_one();
        }
    }

    /// Moves time to the earliest sleeper, and wakes the threads that are due.
    fn jump(&self, threads: &mut Threads) {
        let Some((&(when_us, _), _)) = threads.sleepers.first_key_value() else { return };
        self.skipped_us.fetch_add(when_us.saturating_sub(self.now_us()), Relaxed);
        threads.changes += 1;
        let now_us = self.now_us();
        threads.sleepers.range(..=(now_us, u64::MAX)).for_each(|(_, bell)| _ = bell.notify_one());
    }

    /// Waits until the bell rings, or for as long as this sleeper may without looking after time itself.
    fn wait(&self, threads: &mut MutexGuard<'_, Threads>, sleeper: (u64, u64), bell: &Condvar) {
        let watches = threads.sleepers.first_key_value().is_some_and(|(first, _)| *first == sleeper);
        if watches {
            threads.watcher = Some(sleeper);
        }
        let jump = threads.jump(self.now_us());
        let left = Duration::from_micros(sleeper.0.saturating_sub(self.now_us()));
        let most = match (watches, jump, self.between) {
            (true, Jump::Now, _) => return self.jump(threads),
            (true, Jump::AfterGrace, _) => return self.jump_after_grace(threads, sleeper.0),
            (true, Jump::NotYet, Between::Nothing) => PATIENCE,
            (_, _, Between::RealTime) => left,
            (false, _, Between::Nothing) => return bell.wait(threads),
        };
        let before = threads.changes;
        let nothing_changed = bell.wait_for(threads, most).timed_out() && threads.changes == before;
        if nothing_changed && watches && self.between == Between::Nothing {
            self.jump(threads);
        }
    }

    /// Leaves the processor to threads that others have woken; jumps when nothing changed meanwhile. A sleep of that
    /// length would be twice as long and more.
    fn jump_after_grace(&self, threads: &mut MutexGuard<'_, Threads>, when_us: u64) {
        let before = threads.changes;
        let began = Instant::now();
        let mut turns = 0;
        while turns < GRACE_TURNS || began.elapsed() < GRACE {
            MutexGuard::unlocked(threads, std::thread::yield_now);
            if threads.changes != before || self.now_us() >= when_us {
                return;
            }
            turns += 1;
        }
        self.jump(threads);
    }
}

impl Clock for VirtualClock {
    fn now_us(&self) -> u64 {
        let skipped_us = self.skipped_us.load(Relaxed);
        match self.between {
            Between::RealTime => self.start.elapsed().as_micros() as u64 + skipped_us,
            Between::Nothing => skipped_us,
        }
    }

    fn wall(&self) -> WallTime {
        WallTime { utc_us: self.wall_at_start.utc_us + self.now_us() as i64, offset_s: self.wall_at_start.offset_s }
    }

    fn sleep_until_us(&self, when_us: u64) {
        if self.now_us() >= when_us {
            return;
        }
        let threads = &mut self.threads.lock();
        threads.last_sleeper += 1;
        let (sleeper, bell) = ((when_us, threads.last_sleeper), Arc::new(Condvar::new()));
        threads.sleepers.insert(sleeper, bell.clone());
        if let Some(own) = threads.own() {
            own.is_asleep = true;
        }
        self.settle(threads);
        while self.now_us() < when_us {
            self.wait(threads, sleeper, &bell);
        }
        threads.sleepers.remove(&sleeper);
        threads.watcher.take_if(|watcher| *watcher == sleeper);
        if let Some(own) = threads.own() {
            own.is_asleep = false;
        }
        self.settle(threads);
    }

    fn begin_participation(&self) {
        let id = std::thread::current().id();
        self.change(|threads| threads.participants.entry(id).or_default().entries += 1);
    }

    fn end_participation(&self) {
        let id = std::thread::current().id();
        self.change(|threads| {
            let own = threads.participants.get_mut(&id).expect("a participation that began");
            own.entries -= 1;
            if own.entries == 0 {
                threads.participants.remove(&id);
            }
        });
    }

    fn begin_block(&self) {
        self.change(|threads| {
            if let Some(own) = threads.own() {
                own.blocks += 1;
            }
        });
    }

    fn end_block(&self) {
        self.change(|threads| {
            if let Some(own) = threads.own() {
                own.blocks = own.blocks.saturating_sub(1);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn frozen() -> VirtualClock {
        VirtualClock::starting_at(Between::Nothing, WallTime { utc_us: 1_000_000, offset_s: 3600 })
    }

    #[test]
    fn one_thread_alone_never_waits() {
        let clock = frozen();
        let hour_us = 3_600_000_000;
        clock.sleep_until_us(hour_us);
        assert_eq!((clock.now_us(), clock.wall().utc_us), (hour_us, hour_us as i64 + 1_000_000));
        clock.sleep_until_us(5);
        assert_eq!(clock.now_us(), hour_us);
    }

    /// A sleeper in the background waits while the foreground works, and wakes first when its time is earlier.
    #[test]
    fn time_stands_while_the_foreground_works() {
        let clock = Arc::new(frozen());
        let foreground: &dyn Clock = &*clock;
        let _takes_part = foreground.participate();
        let woken = Arc::new(AtomicBool::new(false));
        let background = std::thread::spawn({
            let (clock, woken) = (clock.clone(), woken.clone());
            move || {
                clock.sleep_until_us(5_000);
                woken.store(true, Relaxed);
                clock.now_us()
            }
        });
        while clock.threads.lock().sleepers.is_empty() {
            std::thread::yield_now();
        }
        assert_eq!((clock.now_us(), woken.load(Relaxed)), (0, false));
        clock.sleep_until_us(8_000);
        assert_eq!(clock.now_us(), 8_000);
        assert!((5_000..=8_000).contains(&background.join().unwrap()));
    }

    /// The foreground waits for a thread that waits for the clock.
    #[test]
    fn a_blocked_thread_does_not_hold_time_up() {
        let clock = Arc::new(frozen());
        let foreground: &dyn Clock = &*clock;
        let _takes_part = foreground.participate();
        let background = std::thread::spawn({
            let clock = clock.clone();
            move || clock.sleep_until_us(70)
        });
        let blocked = foreground.block();
        background.join().unwrap();
        drop(blocked);
        assert_eq!(clock.now_us(), 70);
    }

    /// Three that take part sleep different times: the sum of what each slept is exact for all of them.
    #[test]
    fn many_sleepers_see_each_time_once() {
        let clock = Arc::new(frozen());
        let ready = Arc::new(std::sync::Barrier::new(3));
        let threads = [7_u64, 11, 13].map(|step_us| {
            let (clock, ready) = (clock.clone(), ready.clone());
            std::thread::spawn(move || {
                let dynamic: &dyn Clock = &*clock;
                let _takes_part = dynamic.participate();
                ready.wait();
                for turn in 1..=100 {
                    clock.sleep_until_us(turn * step_us);
                    assert_eq!(clock.now_us(), turn * step_us);
                }
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(clock.now_us(), 1_300);
    }

    #[test]
    fn real_time_passes_beside_the_skipped_one() {
        let clock = VirtualClock::new(Between::RealTime);
        clock.sleep_until_us(60_000_000);
        let at = clock.now_us();
        assert!(at >= 60_000_000);
        assert!(clock.skipped_us() <= 60_000_000);
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.now_us() >= at + 2_000);
    }
}
