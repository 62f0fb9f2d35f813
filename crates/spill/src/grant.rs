//! The memory of one statement's operators.
//!
//! What always holds:
//! - M1: operators that can spill take what they need of three quarters of the grant; the last quarter is for
//!   those that have less than an equal share. Each gets its floor in any case, and the first that it asks for, so that
//!   it can work.
//! - M2: a merge of what was spilled may have half of the grant, and a quarter beyond it where others hold the rest: it
//!   is refused more, because it can merge fewer runs at a time, but a merge under way that is refused fails.
//! - M3: all others have no way but to hold what they hold: they are refused only beyond the bound of the whole server,
//!   never a megabyte, and with an error that is no invitation to spill, since some would then answer wrongly.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use datafusion::common::resources_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

/// What each consumer gets in any case, as a part of the grant.
const FLOOR_PARTS: usize = 16;
/// And at least so much.
const FLOOR_BYTES_MIN: usize = 1 << 20;
/// A merge gets so much: two runs of wide rows.
const MERGE_FLOOR_BYTES: usize = 4 << 20;

/// Where grants come from: the memory that all statements share.
pub trait Reserve: Send + Sync + fmt::Debug {
    /// The grant as it is now, bytes; it may shrink while the statement runs.
    fn granted_bytes(&self) -> usize;

    /// Takes bytes of the server's memory; false: that is all there is.
    fn take(&self, bytes: usize, whatever_happens: bool) -> bool;

    /// Gives bytes back.
    fn give(&self, bytes: usize);

    /// Whether operators that can spill are refused whatever they ask for beyond the first: so that tests of small data take
    /// the roads of data that is larger than memory.
    fn spills_always(&self) -> bool {
        false
    }

    /// Whether the statement goes on: its operators ask whenever they ask for memory, and batch by batch.
    ///
    /// # Errors
    /// Why it does not.
    fn check(&self) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

/// A part of the grant as it is now, bytes, within bounds.
pub(crate) fn part_of_grant(pool: &dyn MemoryPool, parts: usize, bounds: std::ops::RangeInclusive<usize>) -> usize {
    match pool.memory_limit() {
        MemoryLimit::Finite(bytes) => (bytes / parts).clamp(*bounds.start(), *bounds.end()),
        _ => *bounds.end(),
    }
}

/// Whether memory that was asked for was given: false says to spill something.
///
/// # Errors
/// What is no refusal: the statement does not go on ([`Reserve::check`]), or there is no memory at all.
pub fn is_granted(asked: Result<()>) -> Result<bool> {
    match asked {
        Ok(()) => Ok(true),
        Err(DataFusionError::ResourcesExhausted(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the statement that has this memory goes on.
pub(crate) fn goes_on(reservation: &MemoryReservation) -> Result<()> {
    is_granted(reservation.try_grow(0)).map(drop)
}

/// A fixed amount, for programs that embed the operators.
#[derive(Debug)]
struct Fixed(usize);

impl Reserve for Fixed {
    fn granted_bytes(&self) -> usize {
        self.0
    }

    fn take(&self, _: usize, _: bool) -> bool {
        true
    }

    fn give(&self, _: usize) {}
}

/// No memory is left, and the operator has no other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all memory for queries is in use")]
pub struct OutOfMemory;

/// Numbers of a grant, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrantReport {
    /// What it may hold now.
    pub granted_bytes: usize,
    /// What it holds.
    pub used_bytes: usize,
    /// The most that it held.
    pub max_used_bytes: usize,
}

/// A memory pool of DataFusion over a grant.
#[derive(Debug)]
pub struct GrantPool {
    reserve: Arc<dyn Reserve>,
    /// Consumers that can spill.
    spillers: AtomicUsize,
    used: AtomicUsize,
    max_used: AtomicUsize,
}

impl GrantPool {
    /// A pool of so many bytes.
    #[must_use]
    pub fn of_bytes(bytes: usize) -> Arc<GrantPool> {
        GrantPool::over(Arc::new(Fixed(bytes)))
    }

    /// A pool over memory that others share.
    #[must_use]
    pub fn over(reserve: Arc<dyn Reserve>) -> Arc<GrantPool> {
        let zero = || AtomicUsize::new(0);
        Arc::new(GrantPool { reserve, spillers: zero(), used: zero(), max_used: zero() })
    }

    /// Its numbers.
    #[must_use]
    pub fn report(&self) -> GrantReport {
        GrantReport {
            granted_bytes: self.reserve.granted_bytes(),
            used_bytes: self.used.load(Relaxed),
            max_used_bytes: self.max_used.load(Relaxed),
        }
    }

    fn add(&self, bytes: usize) {
        let used = self.used.fetch_add(bytes, Relaxed) + bytes;
        self.max_used.fetch_max(used, Relaxed);
    }

    /// Whether a consumer that holds `own` may have `more`.
    fn allows(&self, consumer: &MemoryConsumer, own: usize, more: usize) -> bool {
        let granted = self.reserve.granted_bytes();
        // A consumer that holds nothing has nothing to spill.
        if own == 0 {
            return true;
        }
        let (own, all) = (own.saturating_add(more), self.used.load(Relaxed).saturating_add(more));
        let is_merge = !consumer.can_spill();
        if !is_merge && self.reserve.spills_always() {
            return false;
        }
        if own <= (granted / FLOOR_PARTS).max(if is_merge { MERGE_FLOOR_BYTES } else { FLOOR_BYTES_MIN }) {
            return true;
        }
        let spillers = self.spillers.load(Relaxed).max(1);
        if is_merge {
            return own <= granted / 2 || all <= granted / 4 * 5;
        }
        all <= granted && (all <= granted / 4 * 3 || own <= granted / spillers)
    }
}

/// M3
fn has_other_way(consumer: &MemoryConsumer) -> bool {
    consumer.can_spill() || consumer.name().starts_with("ExternalSorterMerge")
}

impl fmt::Display for GrantPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grant({} of {} bytes)", self.used.load(Relaxed), self.reserve.granted_bytes())
    }
}

impl MemoryPool for GrantPool {
    fn name(&self) -> &str {
        "grant"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.spillers.fetch_add(usize::from(consumer.can_spill()), Relaxed);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.spillers.fetch_sub(usize::from(consumer.can_spill()), Relaxed);
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        self.reserve.take(additional, true);
        self.add(additional);
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        self.used.fetch_sub(shrink, Relaxed);
        self.reserve.give(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.reserve.check().map_err(DataFusionError::External)?;
        let (own, consumer) = (reservation.size(), reservation.consumer());
        let is_bound = has_other_way(consumer);
        if is_bound && !self.allows(consumer, own, additional) {
            return Err(resources_datafusion_err!(
                "{} holds {own} bytes and needs {additional} more; all hold {} of {}",
                consumer.name(),
                self.used.load(Relaxed),
                self.reserve.granted_bytes()
            ));
        }
        let is_little = own + additional <= FLOOR_BYTES_MIN;
        if !self.reserve.take(additional, is_bound || is_little) {
            return Err(DataFusionError::External(Box::new(OutOfMemory)));
        }
        self.add(additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.used.load(Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.reserve.granted_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1 << 20;

    fn pool(bytes: usize) -> Arc<dyn MemoryPool> {
        GrantPool::of_bytes(bytes)
    }

    #[test]
    fn operators_that_spill_leave_memory_to_others_and_each_has_a_floor() {
        let pool = pool(64 * MB);
        let first = MemoryConsumer::new("first").with_can_spill(true).register(&pool);
        first.try_grow(60 * MB).expect("it is alone");
        let second = MemoryConsumer::new("second").with_can_spill(true).register(&pool);
        second.try_grow(3 * MB).expect("the floor");
        assert!(second.try_grow(2 * MB).is_err(), "four are left");
        second.try_grow(MB).expect("the floor");
        assert!(matches!(first.try_grow(MB), Err(DataFusionError::ResourcesExhausted(_))));
        first.free();
        first.try_grow(MB).expect("the first that it asks for");
        assert!(first.try_grow(44 * MB).is_err(), "more than an equal share of the last quarter");
        first.try_grow(43 * MB).expect("three quarters together with the second");
        second.try_grow(16 * MB).expect("less than an equal share");
    }

    #[test]
    fn operators_that_cannot_spill_get_what_there_is() {
        let pool = pool(16 * MB);
        let build = MemoryConsumer::new("NestedLoopJoinLoad[0]").register(&pool);
        build.try_grow(100 * MB).expect("it has no other way");
        assert_eq!(pool.reserved(), 100 * MB);
        let merge = MemoryConsumer::new("ExternalSorterMerge[0]").register(&pool);
        merge.try_grow(8 * MB).expect("half of the grant");
        assert!(merge.try_grow(MB).is_err());
    }

    /// Memory of a server that is used up.
    #[derive(Debug)]
    struct Empty;

    impl Reserve for Empty {
        fn granted_bytes(&self) -> usize {
            4 * MB
        }

        fn take(&self, _: usize, whatever_happens: bool) -> bool {
            whatever_happens
        }

        fn give(&self, _: usize) {}
    }

    /// Memory of a statement that is to end.
    #[derive(Debug)]
    struct Ending;

    impl Reserve for Ending {
        fn granted_bytes(&self) -> usize {
            MB
        }

        fn take(&self, _: usize, _: bool) -> bool {
            true
        }

        fn give(&self, _: usize) {}

        fn check(&self) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
            Err("it ends".into())
        }
    }

    #[test]
    fn operators_hear_that_their_statement_ends() {
        let pool: Arc<dyn MemoryPool> = GrantPool::over(Arc::new(Ending));
        let sort = MemoryConsumer::new("sort").with_can_spill(true).register(&pool);
        sort.grow(2 * MB);
        assert!(matches!(goes_on(&sort), Err(DataFusionError::External(_))));
        let others = self::pool(MB);
        let sort = MemoryConsumer::new("sort").with_can_spill(true).register(&others);
        sort.grow(2 * MB);
        goes_on(&sort).expect("more than its share is no reason to end");
    }

    #[test]
    fn where_nothing_is_left_the_error_is_no_invitation_to_spill() {
        let pool: Arc<dyn MemoryPool> = GrantPool::over(Arc::new(Empty));
        let build = MemoryConsumer::new("NestedLoopJoinLoad[0]").register(&pool);
        build.try_grow(MB).expect("a little in any case");
        let Err(DataFusionError::External(refused)) = build.try_grow(1) else { panic!("refused otherwise") };
        assert!(refused.downcast_ref::<OutOfMemory>().is_some());
    }
}
