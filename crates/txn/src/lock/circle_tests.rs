//! Deadlocks against a plain model: every victim was in a circle, and every circle gets a victim.
//!
//! What a decision saw is in its report (`DeadlockReport`); `check_circle` replays it by the rules alone.

use std::collections::BTreeMap;
use std::sync::Barrier;

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

/// One resource of the model: who has it, who waits, in the order of the queue.
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
        let behind = match is_conversion {
            true => place.waiting.iter().take_while(|(other, _)| place.granted.contains_key(other)).count(),
            false => place.waiting.len(),
        };
        place.waiting.insert(behind, (who, mode));
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
    GiveUp(u16),
}

const SESSIONS: u16 = 7;

fn step() -> impl Strategy<Value = Step> {
    let modes = vec![LockMode::S, LockMode::U, LockMode::X, LockMode::IS, LockMode::IX, LockMode::SIX];
    prop_oneof![
        8 => (0..SESSIONS, 0u32..5, prop::sample::select(modes)).prop_map(|(who, key, mode)| Step::Request(who, key, mode)),
        2 => (0..SESSIONS).prop_map(Step::Release),
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
        let (manager, owners) = (&self.manager, &self.owners);
        self.waiting.retain(|(who, waiter)| {
            let Some(outcome) = waiter.outcome() else { return true };
            manager.waiting.lock().remove(waiter);
            owners[usize::from(*who)].waits.fetch_sub(1, SeqCst);
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
        self.manager.waiting.lock().remove(&waiter);
        self.owners[usize::from(who)].waits.fetch_sub(1, SeqCst);
    }

    fn release(&mut self, who: u16) {
        let owner = self.owner(who);
        for resource in std::mem::take(&mut self.held[usize::from(who)]) {
            if self.manager.mode_of(owner, &resource).is_some() {
                self.manager.release(owner, &resource);
            }
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
                // Who waits asks for nothing else.
                Step::Request(who, key, mode) if !model.waits(who) => {
                    bench.request(who, key, mode);
                    model.request(who, key, mode);
                    follow(&mut model, &mut bench, who)?;
                }
                Step::Release(who) if !model.waits(who) => {
                    bench.release(who);
                    model.release(who);
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

/// Sessions that lock one row, as UPDATE does, wait for each other and never in a circle.
#[test]
fn a_crowd_before_one_row_has_no_victim() {
    const CROWD: u16 = 120;
    let manager = manager();
    let start = Arc::new(Barrier::new(usize::from(CROWD)));
    let threads: Vec<_> = (0..CROWD)
        .map(|n| {
            let (manager, start) = (Arc::clone(&manager), Arc::clone(&start));
            std::thread::spawn(move || {
                let session = Session::new(&manager, 51 + n);
                start.wait();
                for _ in 0..25 {
                    session.row(1, LockMode::U).expect("no circle can be");
                    session.row(1, LockMode::X).expect("no circle can be");
                    session.owner.release_transaction();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!((manager.counts().deadlocks, manager.report().len(), manager.waiting_count()), (0, 0, 0));
}

/// Threads that lock rows in any order: what each decision saw is a circle.
#[test]
fn every_decision_between_threads_saw_a_circle() {
    let manager = manager();
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
                        let (key, mode) = ((random >> 33) as u32 % 8, modes[(random >> 50) as usize % 3]);
                        match session.row(key, mode) {
                            Ok(_) => {}
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
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let found = found.lock();
    assert!(!found.is_empty(), "such a mix has circles");
    found.iter().for_each(|report| check_circle(report).unwrap());
    assert_eq!(manager.counts().deadlocks, found.len() as u64);
}
