//! The account of every wait: which type, how long, how long until the signalled waiter ran again, and what each task
//! waits for now.
//!
//! What always holds: a wait is counted when it begins and its time is added when it ends, so that only finished waits
//! have time. A type has one number for the life of the process: its place in [`WaitType::ALL`]. One guard per wait
//! site; while it lives, the task's `wait_*` fields name the wait, afterwards they say what the last one was.
//!
//! This file does not know latches, locks or files: the code that waits opens the guard.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_device::clock::Clock;
use millpond_device::hook::Hook;

use crate::ask::{Ask, Task, WaitTimes};
use crate::contract::{DbId, PageId};
use crate::happened::{Happened, WAITS};

macro_rules! wait_types {
    ($($name:ident),+ $(,)?) => {
        /// A wait type by its documented name.
        #[expect(non_camel_case_types, reason = "the names are the documented ones, letter by letter")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum WaitType { $($name),+ }

        impl WaitType {
            /// All types, in order of their number.
            pub const ALL: &'static [WaitType] = &[$(WaitType::$name),+];

            /// The documented name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(WaitType::$name => stringify!($name)),+ }
            }
        }
    };
}

wait_types! {
    PAGELATCH_NL, PAGELATCH_KP, PAGELATCH_SH, PAGELATCH_UP, PAGELATCH_EX, PAGELATCH_DT,
    PAGEIOLATCH_NL, PAGEIOLATCH_KP, PAGEIOLATCH_SH, PAGEIOLATCH_UP, PAGEIOLATCH_EX, PAGEIOLATCH_DT,
    LATCH_NL, LATCH_KP, LATCH_SH, LATCH_UP, LATCH_EX, LATCH_DT,
    WRITELOG, LOGBUFFER, LOGMGR_RESERVE_APPEND, LOGMGR_QUEUE,
    IO_COMPLETION, ASYNC_IO_COMPLETION, WRITE_COMPLETION,
    SLEEP_BPOOL_FLUSH, LAZYWRITER_SLEEP, CHECKPOINT_QUEUE, DIRTY_PAGE_POLL,
    SOS_SCHEDULER_YIELD, THREADPOOL,
    LCK_M_SCH_S, LCK_M_SCH_M, LCK_M_S, LCK_M_U, LCK_M_X, LCK_M_IS, LCK_M_IU, LCK_M_IX, LCK_M_SIU, LCK_M_SIX,
    LCK_M_UIX, LCK_M_BU, LCK_M_RS_S, LCK_M_RS_U, LCK_M_RIn_NL, LCK_M_RIn_S, LCK_M_RIn_U, LCK_M_RIn_X, LCK_M_RX_S,
    LCK_M_RX_U, LCK_M_RX_X,
    LCK_M_SCH_S_LOW_PRIORITY, LCK_M_SCH_M_LOW_PRIORITY, LCK_M_S_LOW_PRIORITY, LCK_M_U_LOW_PRIORITY,
    LCK_M_X_LOW_PRIORITY, LCK_M_IS_LOW_PRIORITY, LCK_M_IU_LOW_PRIORITY, LCK_M_IX_LOW_PRIORITY,
    LCK_M_SIU_LOW_PRIORITY, LCK_M_SIX_LOW_PRIORITY, LCK_M_UIX_LOW_PRIORITY, LCK_M_BU_LOW_PRIORITY,
    LCK_M_RS_S_LOW_PRIORITY, LCK_M_RS_U_LOW_PRIORITY, LCK_M_RIn_NL_LOW_PRIORITY, LCK_M_RIn_S_LOW_PRIORITY,
    LCK_M_RIn_U_LOW_PRIORITY, LCK_M_RIn_X_LOW_PRIORITY, LCK_M_RX_S_LOW_PRIORITY, LCK_M_RX_U_LOW_PRIORITY,
    LCK_M_RX_X_LOW_PRIORITY,
    LCK_M_SCH_S_ABORT_BLOCKERS, LCK_M_SCH_M_ABORT_BLOCKERS, LCK_M_S_ABORT_BLOCKERS, LCK_M_U_ABORT_BLOCKERS,
    LCK_M_X_ABORT_BLOCKERS, LCK_M_IS_ABORT_BLOCKERS, LCK_M_IU_ABORT_BLOCKERS, LCK_M_IX_ABORT_BLOCKERS,
    LCK_M_SIU_ABORT_BLOCKERS, LCK_M_SIX_ABORT_BLOCKERS, LCK_M_UIX_ABORT_BLOCKERS, LCK_M_BU_ABORT_BLOCKERS,
    LCK_M_RS_S_ABORT_BLOCKERS, LCK_M_RS_U_ABORT_BLOCKERS, LCK_M_RIn_NL_ABORT_BLOCKERS, LCK_M_RIn_S_ABORT_BLOCKERS,
    LCK_M_RIn_U_ABORT_BLOCKERS, LCK_M_RIn_X_ABORT_BLOCKERS, LCK_M_RX_S_ABORT_BLOCKERS, LCK_M_RX_U_ABORT_BLOCKERS,
    LCK_M_RX_X_ABORT_BLOCKERS,
    RESOURCE_SEMAPHORE, RESOURCE_SEMAPHORE_QUERY_COMPILE, MEMORY_ALLOCATION_EXT, CMEMTHREAD,
    CXPACKET, CXCONSUMER, HTBUILD, HTREPARTITION, BPSORT,
    ASYNC_NETWORK_IO, WAITFOR, SLEEP_TASK, REQUEST_FOR_DEADLOCK_SEARCH, XE_TIMER_EVENT, TEMPOBJ,
    PREEMPTIVE_OS_WRITEFILEGATHER, PREEMPTIVE_OS_FLUSHFILEBUFFERS,
}

impl WaitType {
    /// Types.
    pub const COUNT: usize = WaitType::ALL.len();

    /// Place in [`WaitType::ALL`].
    #[must_use]
    pub fn number(self) -> u32 {
        u32::from(self as u8)
    }

    /// What [`Task::wait_type`] and [`Task::last_wait_type`] say: 0 is no wait, else number + 1.
    #[must_use]
    pub fn from_task_field(field: u32) -> Option<WaitType> {
        WaitType::ALL.get((field as usize).checked_sub(1)?).copied()
    }
}

/// What a wait is counted as in its task's [`WaitTimes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blame {
    Tempdb,
    Data,
    Memory,
    Lock,
    /// Logs, clients, other threads.
    Nothing,
}

impl Blame {
    fn of(wait_type: WaitType, page: Option<PageId>) -> Blame {
        use WaitType as W;
        let is_tempdb = page.is_some_and(|page| page.db == DbId::TEMPDB);
        match wait_type {
            W::RESOURCE_SEMAPHORE => Blame::Memory,
            W::PAGEIOLATCH_SH | W::PAGEIOLATCH_UP | W::PAGEIOLATCH_EX | W::IO_COMPLETION | W::WRITE_COMPLETION => {
                match page {
                    Some(_) if is_tempdb => Blame::Tempdb,
                    Some(_) => Blame::Data,
                    None => Blame::Nothing,
                }
            }
            // A frame comes free when a dirty page has been written; a task that fills tempdb waits for tempdb's files.
            W::MEMORY_ALLOCATION_EXT if is_tempdb => Blame::Tempdb,
            W::MEMORY_ALLOCATION_EXT => Blame::Memory,
            other if other.name().starts_with("LCK_M_") => Blame::Lock,
            _ => Blame::Nothing,
        }
    }

    fn add(self, times: &WaitTimes, wait_us: u64) {
        let time = match self {
            Blame::Tempdb => &times.tempdb_us,
            Blame::Data => &times.data_us,
            Blame::Memory => &times.memory_us,
            Blame::Lock => {
                times.locks.fetch_add(1, Relaxed);
                &times.locks_us
            }
            Blame::Nothing => return,
        };
        time.fetch_add(wait_us, Relaxed);
    }
}

/// What is latched: a row of `sys.dm_os_latch_stats`. What never waits for a latch has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatchClass {
    /// A page in memory: the waits PAGELATCH_…
    Buffer,
    /// Which extents of a database's files are free: waits LATCH_EX.
    AllocExtentCache,
    /// A file that grows, is added or goes: waits LATCH_EX.
    FgcbAddRemove,
}

impl LatchClass {
    /// All of them.
    pub const ALL: [LatchClass; 3] = [LatchClass::Buffer, LatchClass::AllocExtentCache, LatchClass::FgcbAddRemove];

    /// Its name in the view.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LatchClass::Buffer => "BUFFER",
            LatchClass::AllocExtentCache => "ALLOC_EXTENT_CACHE",
            LatchClass::FgcbAddRemove => "FGCB_ADD_REMOVE",
        }
    }

    fn of(wait_type: WaitType) -> Option<LatchClass> {
        use WaitType as W;
        matches!(wait_type, W::PAGELATCH_SH | W::PAGELATCH_UP | W::PAGELATCH_EX).then_some(LatchClass::Buffer)
    }
}

/// Waits for the latches of a class since the start, or since they were cleared, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatchReport {
    /// What.
    pub class: LatchClass,
    /// Requests that had to wait, and have waited.
    pub waits: u64,
    /// Their time.
    pub wait_us: u64,
    /// The longest one.
    pub max_us: u64,
}

/// Shards of the counters: waits are rare beside the work that they interrupt, a few shards keep them off one line.
const SHARDS: usize = 4;

#[derive(Debug, Default)]
struct Counter {
    waits: AtomicU64,
    wait_us: AtomicU64,
    max_us: AtomicU64,
    signal_us: AtomicU64,
}

/// One wait type's row of `sys.dm_os_wait_stats`, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitReport {
    /// Type.
    pub wait_type: WaitType,
    /// Waits begun.
    pub waits: u64,
    /// Time of the finished ones, signal time included.
    pub wait_us: u64,
    /// The longest one.
    pub max_us: u64,
    /// From the signal until the waiter ran.
    pub signal_us: u64,
}

/// The counters of all types, and the clock that measures them.
pub struct WaitStats {
    clock: Arc<dyn Clock>,
    shards: [Vec<Counter>; SHARDS],
    latches: [Counter; LatchClass::ALL.len()],
    /// Who is told of what happens.
    pub hook: Hook<Happened>,
}

impl std::fmt::Debug for WaitStats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitStats").finish_non_exhaustive()
    }
}

impl WaitStats {
    /// Counters at zero.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> WaitStats {
        let shard = || (0..WaitType::COUNT).map(|_| Counter::default()).collect();
        WaitStats {
            clock,
            shards: std::array::from_fn(|_| shard()),
            latches: Default::default(),
            hook: Hook::default(),
        }
    }

    /// The time by which waits are measured.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        self.clock.now_us()
    }

    /// One row per type, zero ones too, in order of their number.
    #[must_use]
    pub fn report(&self) -> Vec<WaitReport> {
        WaitType::ALL.iter().map(|&wait_type| self.report_of(wait_type)).collect()
    }

    /// The row of one type.
    #[must_use]
    pub fn report_of(&self, wait_type: WaitType) -> WaitReport {
        let mut row = WaitReport { wait_type, waits: 0, wait_us: 0, max_us: 0, signal_us: 0 };
        for shard in &self.shards {
            let counter = &shard[wait_type as usize];
            row.waits += counter.waits.load(Relaxed);
            row.wait_us += counter.wait_us.load(Relaxed);
            row.max_us = row.max_us.max(counter.max_us.load(Relaxed));
            row.signal_us += counter.signal_us.load(Relaxed);
        }
        row
    }

    /// `DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)`.
    pub fn clear(&self) {
        for counter in self.shards.iter().flatten() {
            for number in [&counter.waits, &counter.wait_us, &counter.max_us, &counter.signal_us] {
                number.store(0, Relaxed);
            }
        }
    }

    /// One row per class of latches, zero ones too.
    #[must_use]
    pub fn latches(&self) -> [LatchReport; LatchClass::ALL.len()] {
        LatchClass::ALL.map(|class| {
            let counter = &self.latches[class as usize];
            let [waits, wait_us, max_us] =
                [&counter.waits, &counter.wait_us, &counter.max_us].map(|number| number.load(Relaxed));
            LatchReport { class, waits, wait_us, max_us }
        })
    }

    /// `DBCC SQLPERF('sys.dm_os_latch_stats', CLEAR)`.
    pub fn clear_latches(&self) {
        for counter in &self.latches {
            [&counter.waits, &counter.wait_us, &counter.max_us].into_iter().for_each(|number| number.store(0, Relaxed));
        }
    }

    fn counter(&self, task: &Task, wait_type: WaitType) -> &Counter {
        &self.shards[usize::from(task.session.0) % SHARDS][wait_type as usize]
    }
}

/// What waits: a task, or the asker of a call.
pub trait Waiter<'a> {
    /// The task that waits.
    fn task(self) -> &'a Task;
}

impl<'a> Waiter<'a> for &'a Task {
    fn task(self) -> &'a Task {
        self
    }
}

impl<'a> Waiter<'a> for &Ask<'a> {
    fn task(self) -> &'a Task {
        self.task
    }
}

/// A wait that is going on; dropping it ends it.
#[must_use = "the wait lasts as long as its guard"]
#[derive(Debug)]
pub struct WaitGuard<'a> {
    stats: &'a WaitStats,
    task: &'a Task,
    wait_type: WaitType,
    blame: Blame,
    start_us: u64,
    signalled_us: Option<u64>,
    has_text: bool,
    latch: Option<LatchClass>,
}

impl<'a> WaitGuard<'a> {
    /// Begins a wait for something that is no page; `text` is what `wait_resource` shows.
    pub fn begin_for(
        stats: &'a WaitStats,
        waiter: impl Waiter<'a>,
        wait_type: WaitType,
        text: String,
    ) -> WaitGuard<'a> {
        let task = waiter.task();
        *task.wait_text.lock() = Some(text);
        let mut guard = WaitGuard::begin(stats, task, wait_type, None);
        guard.has_text = true;
        guard
    }

    /// Begins a wait, for a page where there is one.
    pub fn begin(
        stats: &'a WaitStats,
        waiter: impl Waiter<'a>,
        wait_type: WaitType,
        page: Option<PageId>,
    ) -> WaitGuard<'a> {
        let task = waiter.task();
        let start_us = stats.now_us();
        stats.counter(task, wait_type).waits.fetch_add(1, Relaxed);
        task.wait_start_us.store(start_us, Relaxed);
        task.wait_resource.store(page.map_or(0, PageId::to_bits), Relaxed);
        task.wait_type.store(wait_type.number() + 1, Relaxed);
        stats.clock.begin_block();
        let blame = Blame::of(wait_type, page);
        let latch = LatchClass::of(wait_type);
        WaitGuard { stats, task, wait_type, blame, start_us, signalled_us: None, has_text: false, latch }
    }

    /// Begins a wait for a latch that is no page's.
    pub fn begin_latch(stats: &'a WaitStats, waiter: impl Waiter<'a>, class: LatchClass) -> WaitGuard<'a> {
        let mut guard = WaitGuard::begin(stats, waiter, WaitType::LATCH_EX, None);
        guard.latch = Some(class);
        guard
    }

    /// Says when the waiter was signalled: what comes after counts as signal time. The last call wins.
    pub fn signalled_at(&mut self, at_us: u64) {
        self.signalled_us = Some(at_us.max(self.start_us));
    }

    /// Ends the wait and returns how long it was.
    pub fn end(self) -> u64 {
        let end_us = self.stats.now_us();
        self.account(end_us);
        let wait_us = end_us.saturating_sub(self.start_us);
        std::mem::forget(self);
        wait_us
    }

    fn account(&self, end_us: u64) {
        self.stats.clock.end_block();
        let wait_us = end_us.saturating_sub(self.start_us);
        let counter = self.stats.counter(self.task, self.wait_type);
        counter.wait_us.fetch_add(wait_us, Relaxed);
        counter.max_us.fetch_max(wait_us, Relaxed);
        let signal_us = self.signalled_us.map_or(0, |signalled_us| end_us.saturating_sub(signalled_us));
        counter.signal_us.fetch_add(signal_us, Relaxed);
        if let Some(class) = self.latch {
            let counter = &self.stats.latches[class as usize];
            counter.waits.fetch_add(1, Relaxed);
            counter.wait_us.fetch_add(wait_us, Relaxed);
            counter.max_us.fetch_max(wait_us, Relaxed);
        }
        self.stats.hook.tell(WAITS, || Happened::Wait {
            session: self.task.session,
            wait_type: (self.wait_type.number(), self.wait_type.name()),
            wait_us,
            signal_us,
            page: Some(self.task.wait_resource.load(Relaxed)).filter(|bits| *bits != 0).map(PageId::from_bits),
            text: self.has_text.then(|| self.task.wait_text()).flatten(),
        });
        self.task.waits_by_type.add(self.wait_type.number(), wait_us, signal_us);
        self.blame.add(&self.task.waits, wait_us);
        self.task.last_wait_type.store(self.wait_type.number() + 1, Relaxed);
        self.task.wait_type.store(0, Relaxed);
        self.task.wait_resource.store(0, Relaxed);
        if self.has_text {
            *self.task.wait_text.lock() = None;
        }
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.account(self.stats.now_us());
    }
}
