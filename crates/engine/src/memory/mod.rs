//! The memory that sorts, hash joins and aggregates of all statements of an engine hold, and that of what has no grant: long
//! values, messages, compiled texts.
//!
//! W1: operators that can spill hold no more than their statement's grant (`grant`); the others no more than what all have
//! together. It knows no plan.

pub mod grant;
pub mod plans;

pub use grant::{Granted, Held, REQUIRED_BYTES, Request};

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::instance::Instance;
use millpond_types::{Charge, Memory};
use parking_lot::RwLock;

use grant::{Grants, GrantsReport};

/// What statements may hold of the server's memory, in quarters; the rest is left to pages.
const SHARE_QUARTERS: u64 = 3;

/// The memory for the operators of all statements of one engine.
pub struct Workspace {
    /// Statements that hold some of it, and those that wait.
    pub grants: Arc<Grants>,
    tuning: RwLock<Tuning>,
    values: Arc<ValueUse>,
    /// What the crate that makes plans keeps with it.
    pub kept_by_plans: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// What decides when a plan takes the roads of large data. Tests make it small, so that a table of three rows is scanned in
/// several batches, by several threads, and spilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Rows that operators hand on at once.
    pub batch_rows: usize,
    /// Pages from which on a table is scanned by several threads.
    pub pages_of_parallel_scan: u64,
    /// Operators that can spill do so as soon as they hold anything.
    pub spills_always: bool,
}

/// Two reads of read-ahead: below, a scan is over before another thread has begun.
const PAGES_OF_PARALLEL_SCAN: u64 = 128;

impl Default for Tuning {
    fn default() -> Self {
        Tuning { batch_rows: 4096, pages_of_parallel_scan: PAGES_OF_PARALLEL_SCAN, spills_always: false }
    }
}

impl Workspace {
    /// A workspace of at most `limit_bytes`; nothing is allocated before it is used.
    #[must_use]
    pub fn new(limit_bytes: usize) -> Arc<Workspace> {
        Workspace::of(Grants::new(limit_bytes, None))
    }

    /// The workspace of a server: its memory is lent by the buffer pool.
    #[must_use]
    pub fn over(instance: &Arc<Instance>) -> Arc<Workspace> {
        Workspace::of(Grants::new(share_of(instance.memory_max_bytes()), Some(Arc::clone(instance))))
    }

    fn of(grants: Arc<Grants>) -> Arc<Workspace> {
        let (tuning, values, kept_by_plans) = (RwLock::default(), Arc::default(), OnceLock::new());
        Arc::new(Workspace { grants, tuning, values, kept_by_plans })
    }

    /// Changes the limit; statements that hold more spill it when they need more.
    pub fn set_limit_bytes(&self, limit_bytes: usize) {
        self.grants.set_limit_bytes(limit_bytes);
    }

    /// Changes when plans take the roads of large data. Holds for plans that are compiled from now on.
    pub fn set_tuning(&self, tuning: Tuning) {
        self.grants.set_spills_always(tuning.spills_always);
        *self.tuning.write() = tuning;
    }

    /// When plans take the roads of large data.
    #[must_use]
    pub fn tuning(&self) -> Tuning {
        *self.tuning.read()
    }

    /// `max server memory` has changed.
    pub fn set_server_memory(&self, bytes: u64) {
        self.set_limit_bytes(share_of(bytes));
    }

    /// The limit.
    #[must_use]
    pub fn limit_bytes(&self) -> usize {
        self.grants.limit_bytes()
    }

    /// What all running statements hold now.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.grants.used_bytes().saturating_sub(self.value_bytes())
    }

    /// What long values, messages and texts that are compiled hold of it now.
    #[must_use]
    pub fn value_bytes(&self) -> usize {
        self.values.used.load(Relaxed)
    }

    /// The most that they ever held.
    #[must_use]
    pub fn value_bytes_peak(&self) -> usize {
        self.values.peak.load(Relaxed)
    }

    /// How often something was charged: a long value is each time that it is made or copied.
    #[must_use]
    pub fn value_charges(&self) -> usize {
        self.values.charges.load(Relaxed)
    }

    /// Memory of something that has no grant, for as long as the charge lives.
    ///
    /// # Errors
    /// 701 when there is not so much.
    pub fn charge(&self, bytes: usize) -> SqlResult<Box<dyn Charge>> {
        let held = self.grants.hold(bytes).ok_or_else(message::out_of_memory)?;
        let before = self.values.used.fetch_add(bytes, Relaxed);
        self.values.peak.fetch_max(before + bytes, Relaxed);
        self.values.charges.fetch_add(1, Relaxed);
        Ok(Box::new(ChargedValue { _held: held, values: Arc::clone(&self.values), bytes }))
    }

    /// Statements that have memory, and those that wait for some.
    pub fn report(&self) -> GrantsReport {
        self.grants.report()
    }

    /// Gives memory back to the pages that was kept for the next statement, when none has used it for a while. To be called
    /// now and then.
    pub fn give_back_idle(&self) {
        self.grants.give_back_idle();
    }
}

/// What has no grant, in bytes.
#[derive(Debug, Default)]
struct ValueUse {
    used: AtomicUsize,
    peak: AtomicUsize,
    charges: AtomicUsize,
}

#[derive(Debug)]
struct ChargedValue {
    _held: Held,
    values: Arc<ValueUse>,
    bytes: usize,
}

impl Charge for ChargedValue {}

impl Drop for ChargedValue {
    fn drop(&mut self) {
        self.values.used.fetch_sub(self.bytes, Relaxed);
    }
}

impl Memory for Workspace {
    fn has_room(&self, bytes: usize) -> bool {
        self.grants.has_room(bytes)
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workspace({} of {} bytes)", self.used_bytes(), self.limit_bytes())
    }
}

fn share_of(memory_bytes: u64) -> usize {
    (memory_bytes / 4 * SHARE_QUARTERS) as usize
}
