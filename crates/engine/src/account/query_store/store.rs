//! The store of one database, as sessions, views and procedures have it.
//!
//! What always holds: all changes are made under one lock, which is held for one of them and never while a plan is rendered, a page is
//! read or a row is sent; so each execution is counted once. What it holds is charged as memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use parking_lot::Mutex;

use crate::account::query_store::contents::{Contents, Sought};
use crate::account::query_store::entries::{
    Compiled, Execution, Interval, RunKey, Runs, ShownPlan, StoredPlan, StoredQuery, StoredSettings, StoredText,
};
use crate::account::query_store::memory::{Held, StoreMemory};
use crate::account::query_store::options::{StoreOptions, StoreState};

/// How a store is, for `sys.database_query_store_options`.
#[derive(Clone, Copy, Debug)]
pub struct StoreReport {
    /// What it is to do.
    pub desired: StoreState,
    /// What it does.
    pub actual: StoreState,
    /// Why it is read only, as bits of `readonly_reason`.
    pub reason: i32,
    /// Options.
    pub options: StoreOptions,
    /// What it takes, bytes.
    pub bytes: u64,
}

struct Inner {
    contents: Contents,
    held: Held,
}

/// The store of a database.
pub struct QueryStore {
    /// No other store of the process has it.
    pub(crate) number: u64,
    pub(crate) database: DbId,
    of: Weak<Database>,
    captures: AtomicBool,
    inner: Mutex<Inner>,
    memory: Arc<StoreMemory>,
    /// Held by who writes it into the database.
    pub(super) writing: Mutex<()>,
    /// When that was last done, by the server's clock in µs.
    pub(super) written_us: AtomicU64,
}

impl QueryStore {
    pub(super) fn new(number: u64, of: &Arc<Database>, contents: Contents, memory: &Arc<StoreMemory>) -> QueryStore {
        let store = QueryStore {
            number,
            database: of.id(),
            of: Arc::downgrade(of),
            captures: AtomicBool::new(false),
            inner: Mutex::new(Inner { contents, held: Held::default() }),
            memory: Arc::clone(memory),
            writing: Mutex::default(),
            written_us: AtomicU64::new(0),
        };
        store.with(|_| ());
        store
    }

    /// Changes or reads the contents.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Contents) -> T) -> T {
        let mut inner = self.inner.lock();
        let Inner { contents, held } = &mut *inner;
        let done = change(contents);
        let mut fits = self.memory.settle(held, contents.memory_bytes());
        if !fits && contents.options.cleans_by_size {
            contents.shrink_to(held.bytes() / 10 * 8);
            fits = self.memory.settle(held, contents.memory_bytes());
        }
        contents.is_short = !fits;
        self.captures.store(contents.captures(), Relaxed);
        done
    }

    /// Whether it is still the store of its database.
    pub(super) fn is_current(&self) -> bool {
        self.of.upgrade().is_some_and(|database| !database.is_dropped())
    }

    pub(crate) fn captures(&self) -> bool {
        self.captures.load(Relaxed)
    }

    pub(crate) fn wants(&self, sought: &Sought<'_>, execution: &Execution) -> bool {
        self.with(|contents| contents.wants(sought, execution))
    }

    pub(crate) fn add(&self, plan: i64, execution: &Execution) -> bool {
        self.with(|contents| contents.add(plan, execution))
    }

    pub(crate) fn keep(
        &self,
        sought: &Sought<'_>,
        shown: ShownPlan,
        compiled: Compiled,
        execution: &Execution,
    ) -> Option<i64> {
        self.with(|contents| contents.keep(sought, shown, compiled, execution))
    }
}

/// What views show, each as it is now.
impl QueryStore {
    /// Options and state; `is_read_only`: its database takes no changes.
    #[must_use]
    pub fn report(&self, is_read_only: bool) -> StoreReport {
        self.with(|contents| {
            let (actual, reason) = contents.actual(is_read_only);
            let (desired, options, bytes) = (contents.desired(), contents.options, contents.bytes);
            StoreReport { desired, actual, reason, options, bytes }
        })
    }

    /// Texts.
    #[must_use]
    pub fn texts(&self) -> Vec<StoredText> {
        self.with(|contents| contents.texts.values().cloned().collect())
    }

    /// Settings.
    #[must_use]
    pub fn settings(&self) -> Vec<StoredSettings> {
        self.with(|contents| contents.settings.values().copied().collect())
    }

    /// Queries.
    #[must_use]
    pub fn queries(&self) -> Vec<StoredQuery> {
        self.with(|contents| contents.queries.values().cloned().collect())
    }

    /// Plans, each with whether its text is encrypted.
    #[must_use]
    pub fn plans(&self) -> Vec<(StoredPlan, bool)> {
        self.with(|contents| {
            let encrypted = |plan: &StoredPlan| {
                let query = contents.queries.get(&plan.query);
                query.and_then(|query| contents.texts.get(&query.text)).is_some_and(|text| text.encrypted)
            };
            contents.plans.values().map(|plan| (plan.clone(), encrypted(plan))).collect()
        })
    }

    /// Intervals.
    #[must_use]
    pub fn intervals(&self) -> Vec<Interval> {
        self.with(|contents| contents.intervals.values().copied().collect())
    }

    /// Runs.
    #[must_use]
    pub fn runs(&self) -> Vec<(RunKey, Runs)> {
        self.with(|contents| contents.runs.iter().map(|(key, runs)| (*key, runs.clone())).collect())
    }
}
