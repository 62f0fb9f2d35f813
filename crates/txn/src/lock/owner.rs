//! A session as owner of locks: what it has, row locks under their objects, escalation.
//!
//! What always holds: O1: a row lock is taken under an intent lock of its object. O2: an object's row locks of one
//! owner are bounded: at 5,000 they become one lock of the object, if no other session is in the way, else it is tried
//! again every 1,250. O3: what the object's own lock covers takes no row lock.

use millpond_storage::check;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::happened::{ESCALATIONS, Happened};
use parking_lot::{Mutex, MutexGuard};

use super::closing_wait;
use super::grant::{Got, OwnerId};
use super::mode::LockMode;
use super::range::RangeStripe;
use super::resource::{KeyHash, Resource, ResourceKind, RowPlace};
use super::wait::OwnerShared;
use super::{LockError, LockManager};

/// Row locks of an object at which they escalate.
const ESCALATE_AT: u32 = 5000;
/// After how many more it is tried again.
const ESCALATE_AGAIN: u32 = 1250;
/// Memory of the list that an owner without locks keeps, in locks.
const KEPT_LOCKS_MAX: usize = 1024;

/// How long a lock lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockScope {
    /// To the end of the transaction.
    Transaction,
    /// Until it is released, or the session ends.
    Session,
}

impl LockScope {
    pub(super) fn of(owner: OwnerId) -> LockScope {
        if owner.0 & 1 == 0 { LockScope::Transaction } else { LockScope::Session }
    }

    /// `request_owner_type` of `sys.dm_tran_locks`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LockScope::Transaction => "TRANSACTION",
            LockScope::Session => "SESSION",
        }
    }
}

#[derive(Debug)]
struct ObjectLocks {
    db: DbId,
    object: u32,
    /// The object's own lock; `None` while it is being asked for.
    mode: Option<LockMode>,
    rows: u32,
    escalate_at: u32,
    /// The join of the row locks' modes.
    strongest: LockMode,
}

#[derive(Debug, Default)]
struct Held {
    /// Locks of the transaction, but for those of objects, in order.
    locks: Vec<(Resource, u32)>,
    objects: Vec<ObjectLocks>,
    /// One entry per range lock that was taken; they go with the transaction.
    ranges: Vec<RangeStripe>,
    /// Locks of the session with their counts.
    session: Vec<(Resource, u32)>,
}

impl Held {
    /// Whether there are no locks that go with the transaction.
    #[inline]
    fn is_free_of_transaction(&self) -> bool {
        self.locks.is_empty() && self.objects.is_empty() && self.ranges.is_empty()
    }
}

/// How many locks an owner has: where a savepoint was.
#[derive(Clone, Copy, Debug)]
pub struct LockMark {
    locks: usize,
    objects: usize,
}

/// `Held::locks`' second number for a lock of no object.
const NO_OBJECT: u32 = u32::MAX;

/// The locks of a session. Dropping it releases all.
#[derive(Debug)]
pub struct LockOwner {
    manager: Arc<LockManager>,
    shared: Arc<OwnerShared>,
    held: Mutex<Held>,
}

impl LockManager {
    /// An owner without locks.
    #[must_use]
    pub fn open_owner(self: &Arc<Self>, session: SessionId) -> LockOwner {
        LockOwner { manager: Arc::clone(self), shared: self.register(session), held: Mutex::default() }
    }
}

impl LockOwner {
    #[inline]
    fn id(&self, scope: LockScope) -> OwnerId {
        OwnerId(self.shared.group << 1 | u32::from(scope == LockScope::Session))
    }

    #[cfg(test)]
    pub(super) fn identity(&self, scope: LockScope) -> (&Arc<OwnerShared>, OwnerId) {
        (&self.shared, self.id(scope))
    }

    /// DEADLOCK_PRIORITY, -10 to 10.
    pub fn set_priority(&self, priority: i8) {
        self.shared.priority.store(priority, Relaxed);
    }

    /// What the transaction wrote to logs: the cost of undoing it.
    pub fn set_log_bytes(&self, bytes: u64) {
        self.shared.log_bytes.store(bytes, Relaxed);
    }

    fn acquire(
        &self,
        ask: &Ask<'_>,
        scope: LockScope,
        resource: Resource,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<Got, LockError> {
        let id = self.id(scope);
        let mut is_in = false;
        loop {
            let got = match self.manager.try_acquire(id, resource, mode)? {
                Some(got) => {
                    self.manager.note_got(&self.shared, got);
                    got
                }
                None => self.manager.wait_for(ask, &self.shared, id, resource, mode, timeout_ms)?,
            };
            let (db, session) = (resource.db(), self.shared.session);
            if is_in || got != Got::New || !self.manager.closed().any() || self.has_any_in(db) {
                return Ok(got);
            }
            // Z2: the database may be another session's for now.
            self.manager.release(id, &resource);
            let closed = self.manager.closed();
            is_in = !closed.keeps_out(db, session) || self.manager.sessions_in(db).contains(&session);
            if !is_in {
                closing_wait::wait_until_open(&self.manager, ask, db, session, timeout_ms)?;
            }
        }
    }

    /// Whether it has locks of something in a database.
    #[cold]
    fn has_any_in(&self, db: DbId) -> bool {
        let held = self.held.lock();
        held.objects.iter().any(|object| object.db == db && object.mode.is_some())
            || held.locks.iter().chain(&held.session).any(|(resource, _)| resource.db() == db)
    }

    /// Locks anything but an object or a row, to the end of the transaction.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn lock(
        &self,
        ask: &Ask<'_>,
        resource: Resource,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<(), LockError> {
        assert!(!matches!(resource.kind(), ResourceKind::Object), "lock_object knows what rows there are");
        if self.acquire(ask, LockScope::Transaction, resource, mode, timeout_ms)? == Got::New {
            self.held.lock().locks.push((resource, NO_OBJECT));
        }
        check!(
            self.held.lock().locks.iter().rev().take(1000).filter(|(other, _)| *other == resource).count() <= 1,
            "{resource} is twice in its owner's list"
        );
        Ok(())
    }

    /// Locks an object to the end of the transaction. Says whether this call changed what the owner has, and from what.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn lock_object(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        object: u32,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<(), LockError> {
        assert!(!mode.is_range(), "object {object} is locked in {mode}, a mode of ranges of keys");
        let held = self.held.lock();
        if held.objects.iter().any(|o| (o.db, o.object) == (db, object) && o.mode.is_some_and(|had| had.covers(mode))) {
            return Ok(());
        }
        drop(held);
        self.acquire(ask, LockScope::Transaction, Resource::object(db, object), mode, timeout_ms)?;
        let held = &mut *self.held.lock();
        let at = Self::object_at(held, db, object);
        let entry = &mut held.objects[at];
        entry.mode = Some(entry.mode.map_or(mode, |had| had.join(mode)));
        let noted = entry.mode;
        check!(
            self.manager
                .mode_of(self.id(LockScope::Transaction), &Resource::object(db, object))
                .is_some_and(|has| noted.is_some_and(|noted| has.covers(noted))),
            "object {object} is locked in {noted:?} in the owner's list alone"
        );
        Ok(())
    }

    /// Releases an object's lock before its time, when no row of it is locked: a reader's Sch-S or IS.
    pub fn unlock_object(&self, db: DbId, object: u32) {
        let held = &mut *self.held.lock();
        let found = held.objects.iter().position(|o| (o.db, o.object) == (db, object) && o.rows == 0);
        if let Some(at) = found {
            check!(held.objects[at].mode.is_some(), "the lock of object {object} is released, and no owner has it");
            check!(
                !held.locks.iter().any(|(row, of)| (row.db(), row.kind(), *of) == (db, ResourceKind::Key, object)),
                "O1: the lock of object {object} is released, and row locks under it stay"
            );
            held.objects.swap_remove(at);
            self.manager.release(self.id(LockScope::Transaction), &Resource::object(db, object));
        }
    }

    /// The mode that the owner has an object in.
    #[must_use]
    pub fn object_mode(&self, db: DbId, object: u32) -> Option<LockMode> {
        self.held.lock().objects.iter().find(|o| (o.db, o.object) == (db, object)).and_then(|o| o.mode)
    }

    fn object_at(held: &mut Held, db: DbId, object: u32) -> usize {
        // Last first: statements lock many rows of the object that they came to last.
        let found = held.objects.iter().rposition(|o| o.object == object && o.db == db);
        found.unwrap_or_else(|| {
            held.objects.push(ObjectLocks {
                db,
                object,
                mode: None,
                rows: 0,
                escalate_at: ESCALATE_AT,
                strongest: LockMode::S,
            });
            held.objects.len() - 1
        })
    }

    /// Locks a row, and its object with the intent; to the end of the transaction or until [`LockOwner::unlock_row`].
    ///
    /// # Errors
    /// [`LockError`].
    #[inline]
    pub(crate) fn lock_row(
        &self,
        ask: &Ask<'_>,
        place: RowPlace,
        key: KeyHash,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<Got, LockError> {
        check!(place.is_shared(), "R1: a row of tempdb is locked for its only session");
        let mut held = self.held.lock();
        let at = Self::object_at(&mut held, place.db, place.object);
        let object_mode = held.objects[at].mode;
        if mode.is_range() {
            let stripe = RangeStripe::of(place);
            self.manager.ranges.enter(stripe); // R1
            held.ranges.push(stripe);
        }
        if object_mode.is_some_and(|had| had.covers(mode.whole())) {
            return Ok(Got::Had); // O3
        }
        if !object_mode.is_some_and(|had| had.covers(mode.intent())) {
            drop(held);
            self.lock_object(ask, place.db, place.object, mode.intent(), timeout_ms)?; // O1
            held = self.held.lock();
        }
        let resource = Resource::key(place.db, place.hobt, key);
        let got = match self.manager.try_acquire(self.id(LockScope::Transaction), resource, mode)? {
            Some(got) => {
                self.manager.note_got(&self.shared, got);
                got
            }
            None => {
                drop(held);
                let id = self.id(LockScope::Transaction);
                let got = self.manager.wait_for(ask, &self.shared, id, resource, mode, timeout_ms)?;
                held = self.held.lock();
                got
            }
        };
        self.note_row(held, place, resource, mode, got);
        check!(self.has_row(place, resource, mode), "O1: {resource} was locked in {mode}, and is not");
        Ok(got)
    }

    /// Whether a row is locked so, by itself or with its object (O3).
    fn has_row(&self, place: RowPlace, row: Resource, mode: LockMode) -> bool {
        let covers = |has: LockMode| has.covers(mode);
        self.mode_of(row, LockScope::Transaction).is_some_and(covers)
            || self.object_mode(place.db, place.object).is_some_and(|has| has.covers(mode.whole()))
    }

    /// As [`LockOwner::lock_row`] without waiting; `None`: another owner is in the way. May be called under a latch.
    #[inline]
    pub(crate) fn try_lock_row(&self, place: RowPlace, key: KeyHash, mode: LockMode) -> Result<Option<Got>, LockError> {
        check!(place.is_shared(), "R1: a row of tempdb is locked for its only session");
        let mut held = self.held.lock();
        let at = Self::object_at(&mut held, place.db, place.object);
        let object_mode = held.objects[at].mode;
        if object_mode.is_some_and(|had| had.covers(mode.whole())) && !mode.is_range() {
            return Ok(Some(Got::Had)); // O3
        }
        if !object_mode.is_some_and(|had| had.covers(mode.intent())) {
            return Ok(None); // O1
        }
        if mode.is_range() {
            let stripe = RangeStripe::of(place);
            self.manager.ranges.enter(stripe); // R1
            held.ranges.push(stripe);
        }
        let resource = Resource::key(place.db, place.hobt, key);
        let got = self.manager.try_acquire(self.id(LockScope::Transaction), resource, mode)?;
        if let Some(got) = got {
            self.manager.note_got(&self.shared, got);
            self.note_row(held, place, resource, mode, got);
            check!(self.has_row(place, resource, mode), "O1: {resource} was locked in {mode} at once, and is not");
        }
        Ok(got)
    }

    /// Whether a reader of committed rows may read this one: no other session has it in a mode that conflicts with S.
    #[inline]
    pub(crate) fn may_read(&self, place: RowPlace, key: KeyHash) -> bool {
        let resource = Resource::key(place.db, place.hobt, key);
        check!(place.is_shared(), "R1: a reader asks for a lock on a row of its own session");
        self.manager.is_free(self.shared.group, &resource, LockMode::S)
    }

    /// The mode of the transaction's lock on a row.
    pub(crate) fn row_mode(&self, place: RowPlace, key: KeyHash) -> Option<LockMode> {
        self.mode_of(Resource::key(place.db, place.hobt, key), LockScope::Transaction)
    }

    /// Releases a row that is locked with U and nothing more.
    pub(crate) fn unlock_update(&self, place: RowPlace, key: KeyHash) {
        if self.row_mode(place, key) == Some(LockMode::U) {
            self.unlock_row(place, key, Got::New);
        }
    }

    #[inline]
    fn note_row(&self, mut held: MutexGuard<'_, Held>, place: RowPlace, resource: Resource, mode: LockMode, got: Got) {
        if got == Got::Had {
            return;
        }
        let at = Self::object_at(&mut held, place.db, place.object);
        let entry = &mut held.objects[at];
        entry.strongest = entry.strongest.join(mode.whole());
        if got == Got::New {
            check!(
                entry.rows < entry.escalate_at,
                "O2: {} row locks of an object, to be one at {}",
                entry.rows,
                entry.escalate_at
            );
            entry.rows += 1;
            check!(entry.mode.is_some(), "O1: a row lock without a lock of its object");
            let is_many = entry.rows >= entry.escalate_at;
            held.locks.push((resource, place.object));
            if is_many {
                self.escalate(&mut held, at);
            }
        }
    }

    /// O2. The lock of the object is not waited for.
    #[cold]
    fn escalate(&self, held: &mut Held, at: usize) {
        let entry = &mut held.objects[at];
        let (db, object) = (entry.db, entry.object);
        entry.escalate_at = entry.rows + ESCALATE_AGAIN;
        if self.manager.disabled.read().contains(&(db, object)) {
            return;
        }
        let mode = match entry.strongest {
            LockMode::S => LockMode::S,
            _ => LockMode::X,
        };
        let id = self.id(LockScope::Transaction);
        let got = self.manager.try_acquire(id, Resource::object(db, object), mode);
        if !matches!(got, Ok(Some(_))) {
            return;
        }
        self.manager.counters.escalations.fetch_add(1, Relaxed);
        let locks = entry.rows;
        self.manager.waits.hook.tell(ESCALATIONS, || Happened::Escalation {
            session: self.shared.session,
            db,
            object,
            mode: mode.name(),
            locks,
        });
        entry.mode = Some(entry.mode.map_or(mode, |had| had.join(mode)));
        assert!(entry.mode.is_some_and(|mode| mode.covers(entry.strongest)), "O3: an object's lock covers its rows'");
        let is_row_of =
            |resource: &Resource, of: u32| of == object && resource.db() == db && resource.kind() == ResourceKind::Key;
        check!(
            held.locks.iter().filter(|(resource, of)| is_row_of(resource, *of)).count() == entry.rows as usize,
            "O2: the row locks of object {object} are not those that were counted"
        );
        entry.rows = 0;
        entry.escalate_at = ESCALATE_AT;
        held.locks.retain(|(resource, of)| {
            let is_row = is_row_of(resource, *of);
            if is_row {
                self.manager.release(id, resource);
            }
            !is_row
        });
    }

    /// Takes back what a call of [`LockOwner::lock_row`] returned: a reader that need not keep its lock.
    #[inline]
    pub(crate) fn unlock_row(&self, place: RowPlace, key: KeyHash, got: Got) {
        let resource = Resource::key(place.db, place.hobt, key);
        match got {
            Got::Had => {}
            Got::Converted(before) => self.manager.downgrade(self.id(LockScope::Transaction), &resource, before),
            Got::New => {
                let held = &mut *self.held.lock();
                // Escalation may have taken it away.
                let Some(found) = held.locks.iter().rposition(|(other, _)| *other == resource) else { return };
                held.locks.swap_remove(found);
                let at = Self::object_at(held, place.db, place.object);
                check!(held.objects[at].rows > 0, "O2: a row lock goes that was not counted");
                held.objects[at].rows = held.objects[at].rows.saturating_sub(1);
                self.manager.release(self.id(LockScope::Transaction), &resource);
            }
        }
    }

    /// Locks for the session (a database that is in use, an application's name); each lock needs its unlock.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn lock_for_session(
        &self,
        ask: &Ask<'_>,
        resource: Resource,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<(), LockError> {
        self.acquire(ask, LockScope::Session, resource, mode, timeout_ms)?;
        let held = &mut *self.held.lock();
        match held.session.iter_mut().find(|(other, _)| *other == resource) {
            Some((_, count)) => *count += 1,
            None => held.session.push((resource, 1)),
        }
        check!(
            self.mode_of(resource, LockScope::Session).is_some_and(|has| has.covers(mode)),
            "the session has {resource} not in {mode}"
        );
        Ok(())
    }

    /// Whether the session holds locks of its own, beside those of its transaction.
    pub fn holds_for_session(&self) -> bool {
        !self.held.lock().session.is_empty()
    }

    /// Releases a lock of the session as often as it was taken; false when there is none.
    pub fn unlock_for_session(&self, resource: Resource) -> bool {
        let held = &mut *self.held.lock();
        let Some(at) = held.session.iter().position(|(other, _)| *other == resource) else { return false };
        assert!(held.session[at].1 > 0, "a lock of the session that is held no more");
        held.session[at].1 -= 1;
        if held.session[at].1 == 0 {
            held.session.swap_remove(at);
            self.manager.release(self.id(LockScope::Session), &resource);
            if held.session.is_empty() {
                self.shared.note_gone(self.id(LockScope::Session));
            }
        }
        true
    }

    /// Releases one lock of the transaction before its end (an application's name); false when there is none.
    pub fn unlock(&self, resource: Resource) -> bool {
        let held = &mut *self.held.lock();
        let Some(at) = held.locks.iter().position(|(other, _)| *other == resource) else { return false };
        assert!(
            !matches!(resource.kind(), ResourceKind::Key | ResourceKind::Object),
            "{resource} is released by itself, and is counted with its object"
        );
        held.locks.swap_remove(at);
        self.manager.release(self.id(LockScope::Transaction), &resource);
        true
    }

    /// Whether no other session has the resource in a mode that conflicts with `mode`. Nothing is taken.
    #[must_use]
    pub fn is_free(&self, resource: &Resource, mode: LockMode) -> bool {
        self.manager.is_free(self.shared.group, resource, mode)
    }

    /// Waits until the lock can be had, and keeps what it had before.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn pass(
        &self,
        ask: &Ask<'_>,
        resource: Resource,
        mode: LockMode,
        timeout_ms: Option<u32>,
    ) -> Result<(), LockError> {
        let id = self.id(LockScope::Transaction);
        match self.acquire(ask, LockScope::Transaction, resource, mode, timeout_ms)? {
            Got::New => self.manager.release(id, &resource),
            Got::Converted(before) => self.manager.downgrade(id, &resource, before),
            Got::Had => {}
        }
        Ok(())
    }

    /// Gives an application lock its name for the reports.
    pub fn name_application(&self, resource: Resource, name: &str) {
        self.manager.name(resource, name);
    }

    /// The mode in which the owner has a resource in either scope.
    #[must_use]
    pub fn mode_of(&self, resource: Resource, scope: LockScope) -> Option<LockMode> {
        self.manager.mode_of(self.id(scope), &resource)
    }

    /// Whether the lock could be had now; nothing is taken.
    #[must_use]
    pub fn could_lock(&self, resource: Resource, mode: LockMode) -> bool {
        let probe = self.id(LockScope::Session);
        let had = self.manager.mode_of(probe, &resource);
        let Ok(Some(got)) = self.manager.try_acquire(probe, resource, mode) else { return false };
        match (got, had) {
            (Got::New, _) => self.manager.release(probe, &resource),
            (Got::Converted(before), _) => self.manager.downgrade(probe, &resource, before),
            (Got::Had, _) => {}
        }
        check!(self.manager.mode_of(probe, &resource) == had, "a lock was looked for and stays");
        true
    }

    /// Ends the transaction: releases all its locks, rows before objects.
    pub fn release_transaction(&self) {
        let held = &mut *self.held.lock();
        let id = self.id(LockScope::Transaction);
        if !held.is_free_of_transaction() {
            self.release_held(held, id);
        }
        check!(self.shared.waits.load(Relaxed) == 0, "a transaction ends while its session waits for a lock");
        self.shared.note_gone(id);
        self.shared.log_bytes.store(0, Relaxed);
    }

    fn release_held(&self, held: &mut Held, id: OwnerId) {
        for (resource, _) in held.locks.drain(..).rev() {
            self.manager.release(id, &resource);
        }
        held.ranges.drain(..).for_each(|stripe| self.manager.ranges.leave(stripe));
        held.locks.shrink_to(KEPT_LOCKS_MAX);
        for entry in held.objects.drain(..).filter(|entry| entry.mode.is_some()) {
            self.manager.release(id, &Resource::object(entry.db, entry.object));
        }
    }

    /// Whether the end of the transaction would release nothing, and no other session waits for this one.
    #[inline]
    pub(crate) fn is_free_of_transaction(&self) -> bool {
        self.held.lock().is_free_of_transaction() && !self.shared.is_in_the_way()
    }

    /// Where the lists of locks end now.
    #[must_use]
    pub fn mark(&self) -> LockMark {
        let held = self.held.lock();
        LockMark { locks: held.locks.len(), objects: held.objects.len() }
    }

    /// Releases what was locked after `mark` was taken; what was converted since stays as it is, and so do the locks of
    /// applications and ranges. Locks that were there before stand before the mark still, since what leaves a list lets
    /// later ones move down only: some later ones may stay, no earlier one goes.
    pub fn release_since(&self, mark: LockMark) {
        let held = &mut *self.held.lock();
        let id = self.id(LockScope::Transaction);
        let later = held.locks.split_off(mark.locks.min(held.locks.len()));
        for (resource, object) in later.into_iter().rev() {
            if !matches!(resource.kind(), ResourceKind::Key | ResourceKind::Metadata) {
                held.locks.push((resource, object));
                continue;
            }
            if object != NO_OBJECT {
                let at = Self::object_at(held, resource.db(), object);
                check!(held.objects[at].rows > 0, "O2: {resource} goes, and no row lock of its object is counted");
                held.objects[at].rows = held.objects[at].rows.saturating_sub(1);
            }
            self.manager.release(id, &resource);
        }
        let later = held.objects.split_off(mark.objects.min(held.objects.len()));
        for entry in later {
            match entry.mode {
                Some(_) if entry.rows == 0 => self.manager.release(id, &Resource::object(entry.db, entry.object)),
                Some(_) => held.objects.push(entry),
                None => {}
            }
        }
    }

    /// Locks of the transaction, objects included.
    #[must_use]
    pub fn lock_count(&self) -> usize {
        let held = self.held.lock();
        held.locks.len() + held.objects.len()
    }
}

impl Drop for LockOwner {
    fn drop(&mut self) {
        self.release_transaction();
        let session = std::mem::take(&mut self.held.get_mut().session);
        for (resource, _) in session {
            self.manager.release(self.id(LockScope::Session), &resource);
        }
        self.manager.unregister(self.shared.group);
    }
}
