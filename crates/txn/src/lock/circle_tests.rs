//! Deadlocks against a plain model: every victim was in a circle, and every circle gets a victim.
//!
//! What a decision saw is in its report (`DeadlockReport`); `check_circle` replays it by the rules alone.

use std::collections::BTreeMap;

use millpond_device::clock::SystemClock;
use millpond_storage::ask::{IoCount, Task};
use proptest::prelude::*;

use super::*;

const DB: DbId = DbId(5);
const PLACE: RowPlace = RowPlace { db: DB, object: 100, hobt: 7 };

fn manager() -> Arc<LockManager> {
    LockManager::new(Arc::new(WaitStats::new(Arc::new(SystemClock::new()))))
}

/// Whether each member of a report waits for the next, by what the report says of the member's resource.
fn check_circle(report: &DeadlockReport) -> Result<(), String> {
    let members = &report.members;
    if members.len() < 2 || !members.iter().any(|member| member.session == report.victim) {
        return Err(format!("no circle with the victim: {report:?}"));
    }
    for (at, member) in members.iter().enumerate() {
        let next = members[(at + 1) % members.len()].session;
        let target = member.has.map_or(member.mode, |has| has.join(member.mode));
        let holds = member.owners.iter().any(|(session, mode)| *session == next && !mode.is_compatible(target));
        let stands_before = !member.is_conversion && member.ahead.contains(&next);
        if !holds && !stands_before {
            return Err(format!("{} does not wait for {next}: {report:?}", member.session));
        }
    }
    Ok(())
}

/// One resource of the model: which sessions have it, which wait, in the order of the queue.
#[derive(Clone, Debug, Default)]
struct Place {
    granted: BTreeMap<u16, LockMode>,
    waiting: Vec<(u16, LockMode)>,
}

impl Place {
    fn target(&self, who: u16, mode: LockMode) -> LockMode {
        self.granted.get(&who).map_or(mode, |had| had.join(mode))
    }

    fn fits(&self, who: u16, mode: LockMode) -> bool {
        let target = self.target(who, mode);
        self.granted.iter().all(|(other, had)| *other == who || had.is_compatible(target))
    }

    fn converts(&self, who: u16) -> bool {
        self.granted.contains_key(&who)
    }

    fn serve(&mut self) {
        loop {
            let ready = self.waiting.iter().position(|(who, mode)| self.converts(*who) && self.fits(*who, *mode));
            let has_conversions = self.waiting.iter().any(|(who, _)| self.converts(*who));
            let first = self.waiting.first().filter(|(who, mode)| !has_conversions && self.fits(*who, *mode));
            let Some(at) = ready.or(first.map(|_| 0)) else { return };
            let (who, mode) = self.waiting.remove(at);
            let target = self.target(who, mode);
            self.granted.insert(who, target);
        }
    }

    /// Whom a waiting session waits for.
    fn blockers(&self, who: u16) -> Vec<u16> {
        let Some(at) = self.waiting.iter().position(|(other, _)| *other == who) else { return Vec::new() };
        let target = self.target(who, self.waiting[at].1);
        let mut blockers: Vec<u16> = self
            .granted
            .iter()
            .filter(|(other, had)| **other != who && !had.is_compatible(target))
            .map(|(other, _)| *other)
            .collect();
        if !self.converts(who) {
            blockers.extend(self.waiting[..at].iter().map(|(other, _)| *other));
        }
        blockers
    }
}

#[derive(Clone, Debug, Default)]
struct Model {
    places: BTreeMap<u32, Place>,
}

impl Model {
    fn waits(&self, who: u16) -> bool {
        self.places.values().any(|place| place.waiting.iter().any(|(other, _)| *other == who))
    }

    /// False: it waits.
    fn request(&mut self, who: u16, key: u32, mode: LockMode) -> bool {
        let place = self.places.entry(key).or_default();
        if place.target(who, mode) == place.granted.get(&who).copied().unwrap_or(LockMode::SchS) && place.converts(who)
        {
            return true;
        }
        let is_conversion = place.converts(who);
        if place.fits(who, mode) && (is_conversion || place.waiting.is_empty()) {
            let target = place.target(who, mode);
            place.granted.insert(who, target);
            return true;
        }
        let after = match is_conversion {
            true => place.waiting.iter().take_while(|(other, _)| place.granted.contains_key(other)).count(),
            false => place.waiting.len(),
        };
        place.waiting.insert(after, (who, mode));
        false
    }

    fn leave_queues(&mut self, who: u16) {
        for place in self.places.values_mut() {
            place.waiting.retain(|(other, _)| *other != who);
            place.serve();
        }
    }

    fn release(&mut self, who: u16) {
        for place in self.places.values_mut() {
            place.granted.remove(&who);
            place.serve();
        }
    }

    fn unlock(&mut self, who: u16, key: u32) {
        let place = self.places.entry(key).or_default();
        place.granted.remove(&who);
        place.serve();
    }

    /// The sessions that a waiting one waits for, directly or by others.
    fn reaches(&self, from: u16, to: u16) -> bool {
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            let who = seen[at];
            for next in self.places.values().flat_map(|place| place.blockers(who)) {
                if next == to {
                    return true;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        false
    }
}

#[derive(Clone, Debug)]
enum Step {
    Request(u16, u32, LockMode),
    Release(u16),
    Unlock(u16, u32),
    GiveUp(u16),
}

const SESSIONS: u16 = 7;

fn step() -> impl Strategy<Value = Step> {
    let modes = vec![LockMode::S, LockMode::U, LockMode::X, LockMode::IS, LockMode::IX, LockMode::SIX];
    prop_oneof![
        8 => (0..SESSIONS, 0u32..5, prop::sample::select(modes)).prop_map(|(who, key, mode)| Step::Request(who, key, mode)),
        2 => (0..SESSIONS).prop_map(Step::Release),
        1 => (0..SESSIONS, 0u32..5).prop_map(|(who, key)| Step::Unlock(who, key)),
        1 => (0..SESSIONS).prop_map(Step::GiveUp),
    ]
}

/// The manager under test, asked without threads: a request that has to wait is remembered here.
struct Bench {
    manager: Arc<LockManager>,
    owners: Vec<Arc<OwnerShared>>,
    waiting: Vec<(u16, Arc<Waiter>)>,
    held: Vec<Vec<Resource>>,
    deadlocks: usize,
}

impl Bench {
    fn new() -> Bench {
        let manager = manager();
        let owners = (0..SESSIONS).map(|who| manager.register(SessionId(who))).collect();
        Bench { manager, owners, waiting: Vec::new(), held: vec![Vec::new(); usize::from(SESSIONS)], deadlocks: 0 }
    }

    fn owner(&self, who: u16) -> OwnerId {
        OwnerId(self.owners[usize::from(who)].group << 1)
    }

    fn resource(key: u32) -> Resource {
        Resource::key(DB, 7, KeyHash::of(&key.to_be_bytes()))
    }

    fn request(&mut self, who: u16, key: u32, mode: LockMode) {
        let (owner, resource) = (self.owner(who), Self::resource(key));
        self.held[usize::from(who)].push(resource);
        if self.manager.try_acquire(owner, resource, mode).expect("there is room").is_none()
            && let Ok(waiter) = self.manager.begin_wait(&self.owners[usize::from(who)], owner, resource, mode)
        {
            self.waiting.push((who, waiter));
        }
    }

    /// What a waiting thread does when it finds its wait decided; the sessions that were victims.
    fn settle(&mut self) -> Vec<(u16, Arc<DeadlockReport>)> {
        let mut victims = Vec::new();
        let owners = &self.owners;
        self.waiting.retain(|(who, waiter)| {
            let Some(outcome) = waiter.outcome() else { return true };
            owners[usize::from(*who)].end_request(waiter);
            if let Outcome::Victim(report) = outcome {
                victims.push((*who, report));
            }
            false
        });
        self.deadlocks += victims.len();
        victims
    }

    fn give_up(&mut self, who: u16) {
        let Some(at) = self.waiting.iter().position(|(other, _)| *other == who) else { return };
        let (_, waiter) = self.waiting.remove(at);
        assert!(self.manager.give_up(&waiter, LockError::Cancelled).is_err());
        self.owners[usize::from(who)].end_request(&waiter);
    }

    fn release(&mut self, who: u16) {
        let owner = self.owner(who);
        for resource in std::mem::take(&mut self.held[usize::from(who)]) {
            if self.manager.mode_of(owner, &resource).is_some() {
                self.manager.release(owner, &resource);
            }
        }
        self.owners[usize::from(who)].note_gone(owner);
    }

    /// Releases one lock of a transaction that goes on.
    fn unlock(&self, who: u16, key: u32) {
        if self.manager.mode_of(self.owner(who), &Self::resource(key)).is_some() {
            self.manager.release(self.owner(who), &Self::resource(key));
        }
    }

    fn waiting_sessions(&self) -> Vec<u16> {
        let mut waiting: Vec<u16> = self.waiting.iter().map(|(who, _)| *who).collect();
        waiting.sort_unstable();
        waiting
    }
}

/// The model after a request of `who`: while it is in a circle, a victim of the manager's leaves its queue.
fn follow(model: &mut Model, bench: &mut Bench, who: u16) -> Result<(), TestCaseError> {
    let mut victims = bench.settle();
    while model.reaches(who, who) {
        prop_assert!(!victims.is_empty(), "a circle through {who} without a victim: {model:?}");
        let (victim, report) = victims.remove(0);
        prop_assert!(model.reaches(victim, victim), "{victim} was in no circle: {model:?}");
        check_circle(&report).map_err(TestCaseError::fail)?;
        model.leave_queues(victim);
    }
    prop_assert!(victims.is_empty(), "victims without a circle: {victims:?}, {model:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn every_circle_has_a_victim_and_every_victim_a_circle(steps in prop::collection::vec(step(), 1..80)) {
        let (mut bench, mut model) = (Bench::new(), Model::default());
        for step in steps {
            match step {
                // A session that waits asks for nothing else.
                Step::Request(who, key, mode) if !model.waits(who) => {
                    bench.request(who, key, mode);
                    model.request(who, key, mode);
                    follow(&mut model, &mut bench, who)?;
                }
                Step::Release(who) if !model.waits(who) => {
                    bench.release(who);
                    model.release(who);
                }
                Step::Unlock(who, key) if !model.waits(who) => {
                    bench.unlock(who, key);
                    model.unlock(who, key);
                }
                Step::GiveUp(who) => {
                    bench.give_up(who);
                    model.leave_queues(who);
                }
                _ => {}
            }
            prop_assert_eq!(bench.settle().len(), 0, "a victim without a new wait");
            let waiting: Vec<u16> = (0..SESSIONS).filter(|who| model.waits(*who)).collect();
            prop_assert_eq!(bench.waiting_sessions(), waiting);
        }
    }
}

struct Session {
    owner: LockOwner,
    task: Arc<Task>,
    io: IoCount,
}

impl Session {
    fn new(manager: &Arc<LockManager>, number: u16) -> Session {
        let task = Arc::new(Task::new(SessionId(number)));
        Session { owner: manager.open_owner(SessionId(number)), task, io: IoCount::default() }
    }

    fn row(&self, key: u32, mode: LockMode) -> Result<Got, LockError> {
        let ask = Ask::new(&self.task, &self.io);
        self.owner.lock_row(&ask, PLACE, KeyHash::of(&key.to_be_bytes()), mode, None)
    }
}

fn until_waiting(manager: &LockManager, count: usize) {
    while manager.waiting_count() < count {
        std::thread::yield_now();
    }
}

/// Sessions that lock one row, as UPDATE does, wait for each other and never in a circle; nor is one looked for (D4).
#[test]
fn a_crowd_before_one_row_has_no_victim() {
    const CROWD: u16 = 120;
    let manager = manager();
    let first = Session::new(&manager, 50);
    first.row(1, LockMode::X).unwrap();
    let threads: Vec<_> = (0..CROWD)
        .map(|n| {
            let manager = Arc::clone(&manager);
            std::thread::spawn(move || {
                let session = Session::new(&manager, 51 + n);
                for _ in 0..25 {
                    session.row(1, LockMode::U).expect("no circle can be");
                    session.row(1, LockMode::X).expect("no circle can be");
                    session.owner.release_transaction();
                }
            })
        })
        .collect();
    until_waiting(&manager, usize::from(CROWD));
    first.owner.release_transaction();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!((manager.counts().deadlocks, manager.report().len(), manager.waiting_count()), (0, 0, 0));
    assert!(manager.counts().waits >= u64::from(CROWD));
    assert_eq!(manager.counters.searches.load(Relaxed), 0);
}

/// Threads that lock rows in any order: what each decision saw is a circle, and none stays without one, as its threads
/// would wait for ever.
#[test]
fn every_decision_between_threads_saw_a_circle() {
    [2, 8].into_iter().for_each(lock_in_any_order);
}

fn lock_in_any_order(keys: u32) {
    let manager = manager();
    let first = Session::new(&manager, 50);
    (0..keys).for_each(|key| _ = first.row(key, LockMode::X).unwrap());
    let found = Arc::new(Mutex::new(Vec::new()));
    let threads: Vec<_> = (0..12u16)
        .map(|n| {
            let (manager, found) = (Arc::clone(&manager), Arc::clone(&found));
            std::thread::spawn(move || {
                let session = Session::new(&manager, 51 + n);
                let mut random = u64::from(n) + 7;
                for _ in 0..300 {
                    for _ in 0..4 {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                        let modes = [LockMode::S, LockMode::U, LockMode::X];
                        let (key, mode) = ((random >> 33) as u32 % keys, modes[(random >> 50) as usize % 3]);
                        match session.row(key, mode) {
                            // Others run while it has the row, on one processor too.
                            Ok(_) => std::thread::yield_now(),
                            Err(LockError::Deadlock(report)) => {
                                assert_eq!(report.victim, SessionId(51 + n));
                                found.lock().push(report);
                                break;
                            }
                            Err(other) => panic!("{other}"),
                        }
                    }
                    session.owner.release_transaction();
                }
            })
        })
        .collect();
    until_waiting(&manager, 12);
    first.owner.release_transaction();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let found = found.lock();
    assert!(!found.is_empty(), "such a mix has circles");
    found.iter().for_each(|report| check_circle(report).unwrap());
    assert_eq!(manager.counts().deadlocks, found.len() as u64);
}

/// A request as its thread would make it, without the thread.
fn begin(manager: &Arc<LockManager>, owner: &LockOwner, resource: Resource, scope: LockScope) -> Arc<Waiter> {
    let (shared, id) = owner.identity(scope);
    assert!(manager.try_acquire(id, resource, LockMode::X).expect("there is room").is_none(), "it is free");
    manager.begin_wait(shared, id, resource, LockMode::X).expect("it waits")
}

fn is_victim(waiter: &Waiter) -> bool {
    matches!(waiter.outcome(), Some(Outcome::Victim(_)))
}

#[test]
fn who_gets_a_lock_that_others_wait_for_is_in_their_way() {
    let manager = manager();
    let owners: Vec<_> = (51..54).map(|number| manager.open_owner(SessionId(number))).collect();
    let (task, io) = (Task::new(SessionId(50)), IoCount::default());
    let (ask, scope) = (Ask::new(&task, &io), LockScope::Transaction);
    let (row, other) = (Resource::application(DB, 0, "row"), Resource::application(DB, 0, "other"));
    owners[0].lock(&ask, row, LockMode::X, None).unwrap();
    owners[2].lock(&ask, other, LockMode::X, None).unwrap();
    let next = begin(&manager, &owners[1], row, scope);
    let last = begin(&manager, &owners[2], row, scope);
    let before = manager.counters.searches.load(Relaxed);
    owners[0].release_transaction();
    let is_handed_over = !next.is_waiting() && last.is_waiting();
    owners[1].identity(scope).0.end_request(&next);
    // The last one waits for the row, whose owner now asks for what the last one has.
    let closes = begin(&manager, &owners[1], other, scope);
    owners[1].identity(scope).0.end_request(&closes);
    owners[2].identity(scope).0.end_request(&last);
    assert!(is_handed_over);
    assert_eq!((before, manager.counters.searches.load(Relaxed)), (0, 1));
    assert!(is_victim(&closes) != is_victim(&last), "one of the two is the victim");
}

/// The scopes of a session are left one by one: what one of them forgets the other still knows.
#[test]
fn a_session_is_in_the_way_in_either_scope() {
    let (task, io) = (Task::new(SessionId(50)), IoCount::default());
    let ask = Ask::new(&task, &io);
    for takes_both in [false, true] {
        let manager = manager();
        let (one, two) = (manager.open_owner(SessionId(51)), manager.open_owner(SessionId(52)));
        let (row, other) = (Resource::application(DB, 0, "row"), Resource::application(DB, 0, "other"));
        one.lock_for_session(&ask, row, LockMode::X, None).unwrap();
        two.lock(&ask, other, LockMode::X, None).unwrap();
        let waits = begin(&manager, &two, row, LockScope::Transaction);
        if takes_both {
            one.lock(&ask, row, LockMode::X, None).unwrap();
            assert!(one.unlock_for_session(row));
        } else {
            one.release_transaction();
        }
        let closes = begin(&manager, &one, other, LockScope::Transaction);
        one.identity(LockScope::Transaction).0.end_request(&closes);
        two.identity(LockScope::Transaction).0.end_request(&waits);
        assert!(is_victim(&closes) != is_victim(&waits), "one of the two is the victim");
        two.release_transaction();
        one.release_transaction();
        assert_eq!(one.identity(LockScope::Transaction).0.is_in_the_way(), !takes_both);
    }
}
