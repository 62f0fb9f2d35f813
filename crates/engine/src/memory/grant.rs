//! Memory grants: how much of the workspace each running statement may hold, and which statements wait.
//!
//! ```text
//!   begin ──small──▶ runs at once, with what a share is now
//!     │ not small
//!     ▼
//!   queue ──what all that run need leaves room──▶ entry ──▶ share = limit / entries, also of those that began earlier
//! ```
//!
//! What always holds:
//! - G1: a share shrinks at once when another statement begins and grows when one ends; a statement that holds more than its share
//!   is refused more, spills and so comes down to it.
//! - G2: waiting statements are served in the order in which they came; a statement inside another one of the same session never
//!   waits, because the outer one would wait for it.
//! - G3: what operators hold is lent by the buffer pool, in steps, and goes back to it (D5: one memory budget). The last step
//!   goes back when no statement has needed it for a while, so that statements that come again and again do not resize the pool.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_spill::{GrantPool, GrantReport, Reserve};
use millpond_storage::ask::{Ask, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::Instance;
use millpond_storage::wait::{WaitGuard, WaitType};
use parking_lot::{Condvar, Mutex};

/// Least memory that statements can count on together, whatever `max server memory` says: two sorts of small tables.
const LEAST_BYTES: usize = 16 << 20;
/// What a statement needs to run at all; so many are let in that each has it.
pub const REQUIRED_BYTES: usize = 4 << 20;
/// A statement that is expected to hold no more than this does not queue.
const SMALL_BYTES: usize = 1 << 20;
/// The pool lends memory in steps of this.
const LEND_STEP_BYTES: usize = 16 << 20;
/// What operators hold beside the pool before it lends anything: most statements hold less.
const SLACK_BYTES: usize = 4 << 20;
/// A last step is kept where all statements may have so many of them.
const STEPS_TO_KEEP_ONE: usize = 8;
/// A last step that no statement uses goes back after so many looks ([`Grants::give_back_idle`]).
const IDLE_LOOKS: u32 = 25;
/// How often a waiter looks whether it was cancelled.
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);

/// Memory of all statements.
#[derive(Debug)]
pub struct Grants {
    limit: AtomicUsize,
    used: AtomicUsize,
    desk: Mutex<Desk>,
    freed: Condvar,
    /// The instance that lends the memory; none in tests of operators alone.
    lender: Option<Arc<Instance>>,
    /// Of `used` what the pool has lent.
    lent: Mutex<Loan>,
    timeouts: AtomicU64,
    /// Operators that can spill are refused memory ([`super::Tuning::spills_always`]).
    spills_always: AtomicBool,
}

#[derive(Debug, Default)]
struct Loan {
    bytes: usize,
    /// Looks at which nothing was used, one after the other.
    idle_looks: u32,
    /// Times that the pool was asked to lend more or less.
    changes: u64,
}

#[derive(Debug, Default)]
struct Desk {
    entries: Vec<Arc<Entry>>,
    waiting: VecDeque<Arc<Entry>>,
}

/// A statement that has a grant or waits for one.
#[derive(Debug)]
pub struct Entry {
    /// The session whose statement it is.
    pub session: SessionId,
    /// What it would like to have, as far as that is known; bytes.
    pub ideal_bytes: usize,
    /// What it needs to run at all, bytes.
    pub required_bytes: usize,
    /// Microseconds of the instance's clock.
    pub requested_us: u64,
    /// When it was granted, microseconds of the engine's clock; 0 while it waits.
    pub granted_us: AtomicU64,
    /// How long it may wait, in seconds.
    pub timeout_s: u64,
    pool: Mutex<Option<Arc<GrantPool>>>,
}

impl Entry {
    /// Its memory now.
    pub fn report(&self) -> GrantReport {
        self.pool.lock().as_ref().map_or_else(GrantReport::default, |pool| pool.report())
    }
}

/// The state of the semaphore.
#[derive(Clone, Debug, Default)]
pub struct GrantsReport {
    /// What all may have together.
    pub limit_bytes: usize,
    /// What is in use of it.
    pub used_bytes: usize,
    /// Statements that have theirs.
    pub granted: Vec<Arc<Entry>>,
    /// Statements that wait, the first in line first.
    pub waiting: Vec<Arc<Entry>>,
    /// Statements that waited in vain since the start.
    pub timeouts: u64,
}

/// What a statement asks for as its grant.
pub struct Request<'a> {
    /// The session's task, which waits.
    pub task: &'a Arc<Task>,
    /// With so much nothing spills, by the estimate.
    pub ideal_bytes: usize,
    /// [`REQUIRED_BYTES`], or more where single rows are large.
    pub required_bytes: usize,
    /// It runs inside another statement of its session (G2).
    pub is_inner: bool,
    /// `query wait (s)`; negative: as long as the server thinks right.
    pub wait_s: i64,
    /// The engine's clock, in microseconds.
    pub now_us: &'a dyn Fn() -> u64,
}

/// Seconds to wait when `query wait (s)` does not say.
const WAIT_S: u64 = 25;

/// A statement's grant; it ends with this.
#[derive(Debug)]
pub struct Granted {
    grants: Arc<Grants>,
    entry: Option<Arc<Entry>>,
    pool: Arc<GrantPool>,
}

impl Granted {
    /// The pool that the plan's operators take from.
    pub fn pool(&self) -> &Arc<GrantPool> {
        &self.pool
    }
}

impl Drop for Granted {
    fn drop(&mut self) {
        let Some(entry) = &self.entry else { return };
        let mut desk = self.grants.desk.lock();
        desk.entries.retain(|other| !Arc::ptr_eq(other, entry));
        drop(desk);
        self.grants.freed.notify_all();
    }
}

impl Grants {
    pub(crate) fn new(limit_bytes: usize, lender: Option<Arc<Instance>>) -> Arc<Grants> {
        Arc::new(Grants {
            limit: AtomicUsize::new(limit_bytes.max(LEAST_BYTES)),
            used: AtomicUsize::new(0),
            desk: Mutex::default(),
            freed: Condvar::new(),
            lender,
            lent: Mutex::default(),
            timeouts: AtomicU64::new(0),
            spills_always: AtomicBool::new(false),
        })
    }

    pub(crate) fn set_spills_always(&self, on: bool) {
        self.spills_always.store(on, Relaxed);
    }

    pub(crate) fn set_limit_bytes(&self, limit_bytes: usize) {
        self.limit.store(limit_bytes.max(LEAST_BYTES), Relaxed);
        self.freed.notify_all();
    }

    pub(crate) fn limit_bytes(&self) -> usize {
        self.limit.load(Relaxed)
    }

    pub(crate) fn used_bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Statements that have memory, and those that wait for some.
    pub(crate) fn report(&self) -> GrantsReport {
        let desk = self.desk.lock();
        GrantsReport {
            limit_bytes: self.limit_bytes(),
            used_bytes: self.used_bytes(),
            granted: desk.entries.clone(),
            waiting: desk.waiting.iter().cloned().collect(),
            timeouts: self.timeouts.load(Relaxed),
        }
    }

    /// Memory of what has no grant.
    pub fn common_pool(self: &Arc<Self>) -> Arc<GrantPool> {
        GrantPool::over(Arc::new(Share { grants: Arc::clone(self), task: None }))
    }

    /// Memory of what has no grant: long values, messages, what is compiled. `None` when there is no room.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        self.take(bytes, false).then(|| Held { grants: Arc::clone(self), bytes })
    }

    /// Whether [`Grants::hold`] would give so much now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.used_bytes().checked_add(bytes).is_some_and(|after| after <= self.most_bytes())
    }

    /// Beside what operators fill that can spill there is room for a merge and the like of those that cannot.
    fn most_bytes(&self) -> usize {
        self.limit_bytes() / 4 * 5
    }

    fn take(&self, bytes: usize, whatever_happens: bool) -> bool {
        let most = self.most_bytes();
        let room = |used: usize| used.checked_add(bytes).filter(|after| whatever_happens || *after <= most);
        match self.used.fetch_update(Relaxed, Relaxed, room) {
            Ok(before) => {
                if Grants::crosses(before, before + bytes) {
                    self.settle_loan();
                }
                true
            }
            Err(_) => false,
        }
    }

    fn give(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Relaxed);
        if Grants::crosses(before, before - bytes) && self.lent.lock().bytes > 0 {
            self.settle_loan();
        }
    }

    /// Whether a statement may have a grant beside those that have one: each has what it needs then. One may in any case.
    fn has_place(&self, desk: &Desk, entry: &Entry) -> bool {
        let required: usize = desk.entries.iter().map(|other| other.required_bytes).sum();
        desk.entries.is_empty() || required.saturating_add(entry.required_bytes) <= self.limit_bytes()
    }

    /// A grant; waits for it where too many have one.
    ///
    /// # Errors
    /// 8645 when nothing became free in time, [`message::cancelled`].
    pub fn begin(self: &Arc<Self>, request: &Request<'_>) -> SqlResult<Granted> {
        let share = Share { grants: Arc::clone(self), task: Some(Arc::clone(request.task)) };
        let pool = GrantPool::over(Arc::new(share));
        if request.is_inner || request.ideal_bytes <= SMALL_BYTES {
            return Ok(Granted { grants: Arc::clone(self), entry: None, pool });
        }
        let entry = Arc::new(Entry {
            session: request.task.session,
            ideal_bytes: request.ideal_bytes,
            required_bytes: request.required_bytes.max(REQUIRED_BYTES),
            requested_us: (request.now_us)(),
            granted_us: AtomicU64::new(0),
            timeout_s: u64::try_from(request.wait_s).unwrap_or(WAIT_S),
            pool: Mutex::new(Some(Arc::clone(&pool))),
        });
        self.enter(request, &entry)?;
        entry.granted_us.store((request.now_us)(), Relaxed);
        Ok(Granted { grants: Arc::clone(self), entry: Some(entry), pool })
    }

    fn enter(&self, request: &Request<'_>, entry: &Arc<Entry>) -> SqlResult<()> {
        let mut desk = self.desk.lock();
        if desk.waiting.is_empty() && self.has_place(&desk, entry) {
            desk.entries.push(Arc::clone(entry));
            return Ok(());
        }
        desk.waiting.push_back(Arc::clone(entry));
        let unaccounted = millpond_storage::ask::IoCount::default();
        let ask = Ask::new(request.task, &unaccounted);
        let waits = self.lender.as_ref().map(|instance| instance.waits());
        let _wait = waits.map(|waits| WaitGuard::begin(waits, &ask, WaitType::RESOURCE_SEMAPHORE, None));
        let end_us = entry.requested_us + entry.timeout_s * 1_000_000;
        let refusal = loop {
            let is_first = desk.waiting.front().is_some_and(|first| Arc::ptr_eq(first, entry));
            if is_first && self.has_place(&desk, entry) {
                desk.waiting.pop_front();
                desk.entries.push(Arc::clone(entry));
                drop(desk);
                self.freed.notify_all();
                return Ok(());
            }
            if request.task.is_cancelled() {
                break message::cancelled();
            }
            if (request.now_us)() >= end_us {
                self.timeouts.fetch_add(1, Relaxed);
                break timed_out();
            }
            self.freed.wait_for(&mut desk, LOOK);
        };
        desk.waiting.retain(|other| !Arc::ptr_eq(other, entry));
        drop(desk);
        self.freed.notify_all();
        Err(refusal)
    }

    /// G3
    fn settle_loan(&self) {
        let mut lent = self.lent.lock();
        // Read under the lock: what was used before another thread settled would stay lent.
        let used = self.used_bytes();
        let wanted = used.saturating_sub(SLACK_BYTES).next_multiple_of(LEND_STEP_BYTES);
        let keeps_one = self.limit_bytes() >= STEPS_TO_KEEP_ONE * LEND_STEP_BYTES;
        let least = if keeps_one { lent.bytes.min(LEND_STEP_BYTES) } else { 0 };
        lent.idle_looks = 0;
        // A step is given back when more than one is free, so that memory does not go to and fro.
        if wanted > lent.bytes || wanted + LEND_STEP_BYTES < lent.bytes || used == 0 && lent.bytes > least {
            self.lend(&mut lent, if used == 0 { least } else { wanted });
        }
    }

    fn lend(&self, lent: &mut Loan, bytes: usize) {
        lent.bytes = bytes;
        lent.changes += 1;
        if let Some(lender) = &self.lender {
            lender.lend_memory(bytes as u64);
        }
    }

    /// A look at the last step.
    pub(crate) fn give_back_idle(&self) {
        let mut lent = self.lent.lock();
        if lent.bytes == 0 || self.used_bytes() > 0 {
            lent.idle_looks = 0;
            return;
        }
        lent.idle_looks += 1;
        if lent.idle_looks >= IDLE_LOOKS {
            self.lend(&mut lent, 0);
        }
    }

    /// Whether it is worth a look at the loan: `used` has crossed a step.
    fn crosses(before: usize, after: usize) -> bool {
        before / LEND_STEP_BYTES != after / LEND_STEP_BYTES
            || after == 0
            || before <= SLACK_BYTES && after > SLACK_BYTES
    }
}

/// Memory of what has no grant; dropping it gives it back.
#[derive(Debug)]
pub struct Held {
    grants: Arc<Grants>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.grants.give(self.bytes);
    }
}

/// A statement's part of the memory.
#[derive(Debug)]
struct Share {
    grants: Arc<Grants>,
    /// Whose memory it is; it can be cancelled.
    task: Option<Arc<Task>>,
}

impl Reserve for Share {
    fn check(&self) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        match self.task.as_ref().is_some_and(|task| task.is_cancelled()) {
            true => Err(Box::new(message::cancelled())),
            false => Ok(()),
        }
    }

    fn granted_bytes(&self) -> usize {
        let entries = self.grants.desk.lock().entries.len().max(1);
        self.grants.limit_bytes() / entries
    }

    fn spills_always(&self) -> bool {
        self.grants.spills_always.load(Relaxed)
    }

    fn take(&self, bytes: usize, whatever_happens: bool) -> bool {
        self.grants.take(bytes, whatever_happens)
    }

    fn give(&self, bytes: usize) {
        self.grants.give(bytes);
    }
}

/// 8645
fn timed_out() -> SqlError {
    SqlError::of(8645, 1, &[&"default", &2])
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const MB: usize = 1 << 20;

    fn begin(grants: &Arc<Grants>, session: u16, ideal_bytes: usize, wait_s: i64) -> SqlResult<Granted> {
        let (task, start) = (Arc::new(Task::new(SessionId(session))), Instant::now());
        let now_us = || start.elapsed().as_micros() as u64;
        grants.begin(&Request { task: &task, ideal_bytes, required_bytes: 0, is_inner: false, wait_s, now_us: &now_us })
    }

    #[test]
    fn shares_shrink_when_others_come_and_grow_when_they_go() {
        let grants = Grants::new(96 * MB, None);
        let granted = |granted: &Granted| granted.pool().report().granted_bytes / MB;
        let first = begin(&grants, 51, 100 * MB, -1).expect("free");
        assert_eq!(granted(&first), 96);
        let second = begin(&grants, 52, 100 * MB, -1).expect("free");
        let small = begin(&grants, 53, MB / 2, -1).expect("free");
        assert_eq!((granted(&first), granted(&second), granted(&small)), (48, 48, 48), "a small one does not count");
        drop(first);
        assert_eq!(granted(&second), 96);
    }

    #[test]
    fn statements_that_come_again_and_again_resize_the_pool_once() {
        let small_and_large = |limit_bytes| {
            let grants = Grants::new(limit_bytes, None);
            let loan = || {
                let lent = grants.lent.lock();
                (lent.bytes / MB, lent.changes)
            };
            let run = |bytes: usize| {
                let share = Share { grants: Arc::clone(&grants), task: None };
                (0..bytes / MB).for_each(|_| assert!(share.take(MB, false)));
                (0..bytes / MB).for_each(|_| share.give(MB));
            };
            (0..100).for_each(|_| run(18 * MB));
            let small = loan();
            run(60 * MB);
            let large = loan();
            (0..IDLE_LOOKS - 1).for_each(|_| grants.give_back_idle());
            let kept = loan().0;
            run(MB);
            (0..IDLE_LOOKS).for_each(|_| grants.give_back_idle());
            (small, large.0, kept, loan().0)
        };
        assert_eq!(small_and_large(STEPS_TO_KEEP_ONE * LEND_STEP_BYTES), ((16, 1), 16, 16, 0));
        assert_eq!(small_and_large(64 * MB), ((0, 200), 0, 0, 0), "of little memory nothing is kept");
    }

    #[test]
    fn who_comes_too_late_waits_in_line_or_is_told() {
        let grants = Grants::new(16 * MB, None);
        let mut running: Vec<_> = (51..55).map(|n| begin(&grants, n, 100 * MB, -1).expect("free")).collect();
        let refused = begin(&grants, 55, 100 * MB, 0).expect_err("four are all");
        assert_eq!((refused.number, grants.report().timeouts, grants.report().waiting.len()), (8645, 1, 0));
        begin(&grants, 56, MB, 0).expect("a small one does not wait");
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| begin(&grants, 57, 100 * MB, 600).map(drop));
            while grants.report().waiting.is_empty() {
                std::thread::yield_now();
            }
            assert_eq!(grants.report().waiting[0].session, SessionId(57));
            running.pop();
            assert!(waits.join().expect("ends").is_ok());
        });
        drop(running);
        assert!(grants.report().granted.is_empty());
    }

    #[test]
    fn statements_of_large_rows_run_as_far_as_each_has_what_it_needs() {
        let grants = Grants::new(48 * MB, None);
        let begin = |required_mb: usize| {
            let (task, now_us) = (Arc::new(Task::new(SessionId(51))), &|| 0);
            let (ideal_bytes, required_bytes) = (100 * MB, required_mb * MB);
            grants.begin(&Request { task: &task, ideal_bytes, required_bytes, is_inner: false, wait_s: 0, now_us })
        };
        let first = begin(100).expect("one runs in any case");
        assert_eq!(begin(1).expect_err("there is no room beside it").number, 8645);
        drop(first);
        let running = [begin(16).expect("free"), begin(16).expect("free"), begin(8).expect("free")];
        assert_eq!(begin(16).expect_err("eight are left").number, 8645);
        begin(1).expect("four are enough for small rows");
        drop(running);
    }

    #[test]
    fn a_cancelled_waiter_leaves_the_line() {
        let grants = Grants::new(16 * MB, None);
        let _running: Vec<_> = (51..55).map(|n| begin(&grants, n, 100 * MB, -1).expect("free")).collect();
        let task = Arc::new(Task::new(SessionId(55)));
        task.cancel();
        let request = Request {
            task: &task,
            ideal_bytes: 100 * MB,
            required_bytes: 0,
            is_inner: false,
            wait_s: -1,
            now_us: &|| 0,
        };
        assert_eq!(grants.begin(&request).expect_err("cancelled").number, message::CANCELLED);
        assert!(grants.report().waiting.is_empty());
    }
}
