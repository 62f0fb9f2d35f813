//! Locks against their rules: queues of one resource without threads, owners with threads, deadlocks, escalation.

use std::sync::atomic::{AtomicI64, AtomicU64};
use std::sync::mpsc;

use millpond_device::clock::SystemClock;
use millpond_storage::ask::{IoCount, Task};
use proptest::prelude::*;

use super::*;

const DB: DbId = DbId(5);
const PLACE: RowPlace = RowPlace { db: DB, object: 100, hobt: 7 };

fn manager() -> Arc<LockManager> {
    LockManager::new(Arc::new(WaitStats::new(Arc::new(SystemClock::new()))))
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

    fn row(&self, key: u32, mode: LockMode, timeout_ms: Option<u32>) -> Result<Got, LockError> {
        let ask = Ask::new(&self.task, &self.io);
        self.owner.lock_row(&ask, PLACE, KeyHash::of(&key.to_be_bytes()), mode, timeout_ms)
    }

    fn object(&self, mode: LockMode, timeout_ms: Option<u32>) -> Result<(), LockError> {
        self.owner.lock_object(&Ask::new(&self.task, &self.io), DB, PLACE.object, mode, timeout_ms)
    }
}

fn resource() -> Resource {
    Resource::object(DB, 1)
}

/// A resource as the rules describe it, written as plainly as possible.
#[derive(Default)]
struct Model {
    granted: Vec<(u32, LockMode)>,
    waiting: Vec<(u32, LockMode)>,
}

impl Model {
    fn mode_of(&self, owner: u32) -> Option<LockMode> {
        self.granted.iter().find(|(other, _)| *other == owner).map(|(_, mode)| *mode)
    }

    fn fits(&self, owner: u32, mode: LockMode) -> bool {
        let target = self.mode_of(owner).map_or(mode, |had| had.join(mode));
        self.granted.iter().all(|(other, had)| *other == owner || had.is_compatible(target))
    }

    fn give(&mut self, owner: u32, mode: LockMode) {
        match self.granted.iter_mut().find(|(other, _)| *other == owner) {
            Some((_, had)) => *had = had.join(mode),
            None => self.granted.push((owner, mode)),
        }
    }

    fn request(&mut self, owner: u32, mode: LockMode) {
        let had = self.mode_of(owner);
        if had.is_some_and(|had| had.covers(mode)) {
            return;
        }
        if self.fits(owner, mode) && (had.is_some() || self.waiting.is_empty()) {
            self.give(owner, mode);
        } else {
            self.waiting.push((owner, mode));
        }
    }

    fn serve(&mut self) {
        loop {
            let converts = |model: &Model, at: usize| model.mode_of(model.waiting[at].0).is_some();
            let conversions: Vec<_> = (0..self.waiting.len()).filter(|&at| converts(self, at)).collect();
            let ready = conversions.iter().copied().find(|&at| self.fits(self.waiting[at].0, self.waiting[at].1));
            let first = (conversions.is_empty() && !self.waiting.is_empty()).then_some(0);
            let first = first.filter(|&at| self.fits(self.waiting[at].0, self.waiting[at].1));
            let Some(at) = ready.or(first) else { return };
            let (owner, mode) = self.waiting.remove(at);
            self.give(owner, mode);
        }
    }

    fn release(&mut self, owner: u32) {
        self.granted.retain(|(other, _)| *other != owner);
        self.serve();
    }
}

#[derive(Clone, Debug)]
enum Step {
    Request(u32, LockMode),
    Release(u32),
    GiveUp(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let object_modes = [
        LockMode::SchS,
        LockMode::SchM,
        LockMode::S,
        LockMode::U,
        LockMode::X,
        LockMode::IS,
        LockMode::IU,
        LockMode::IX,
        LockMode::SIX,
    ];
    prop_oneof![
        5 => (0u32..6, prop::sample::select(object_modes.to_vec())).prop_map(|(o, m)| Step::Request(o, m)),
        3 => (0u32..6).prop_map(Step::Release),
        1 => (0u32..6).prop_map(Step::GiveUp),
    ]
}

/// The head under test and the requests that wait in it.
#[derive(Default)]
struct Bench {
    head: Option<Head>,
    waiters: Vec<(u32, Arc<Waiter>)>,
    owners: Owners,
}

impl Bench {
    fn request(&mut self, who: u32, mode: LockMode) {
        let owner = OwnerId(who << 1);
        let Some(head) = &mut self.head else {
            self.head = Some(Head::new(owner, mode));
            return;
        };
        if head.try_grant(owner, mode).is_none() {
            let is_conversion = head.is_conversion(owner);
            let waiter = Waiter::new(owner, &self.owners.register(SessionId(51)), resource(), mode, is_conversion, 0);
            head.enqueue(Arc::clone(&waiter));
            self.waiters.push((who, waiter));
        }
    }

    fn release(&mut self, who: u32) {
        let Some(head) = &mut self.head else { return };
        match head.release(OwnerId(who << 1)) {
            Some(granted) => granted.wake(),
            None => self.head = None,
        }
        self.waiters.retain(|(_, waiter)| waiter.is_waiting());
    }

    fn give_up(&mut self, who: u32) {
        if let (Some(head), Some(at)) = (&mut self.head, self.waiters.iter().position(|(other, _)| *other == who)) {
            assert!(head.dequeue(&self.waiters.remove(at).1));
            head.wake().wake();
            self.waiters.retain(|(_, waiter)| waiter.is_waiting());
        }
    }

    fn grants(&self) -> Vec<(u32, LockMode)> {
        let grants = self.head.iter().flat_map(Head::grants);
        let mut grants: Vec<_> = grants.map(|grant| (grant.owner.group(), grant.mode)).collect();
        grants.sort_by_key(|(owner, _)| *owner);
        grants
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Requests, releases and timeouts in any order leave the same grants and the same waiters as the plain model.
    #[test]
    fn a_queue_is_as_the_rules_say(steps in prop::collection::vec(step(), 1..60)) {
        let (mut bench, mut model) = (Bench::default(), Model::default());
        for step in steps {
            match step {
                // A session that waits asks for nothing else.
                Step::Request(who, mode) if !model.waiting.iter().any(|(other, _)| *other == who) => {
                    bench.request(who, mode);
                    model.request(who, mode);
                }
                Step::Release(who) if !model.waiting.iter().any(|(other, _)| *other == who) => {
                    bench.release(who);
                    model.release(who);
                }
                Step::GiveUp(who) => {
                    bench.give_up(who);
                    model.waiting.retain(|(other, _)| *other != who);
                    model.serve();
                }
                _ => {}
            }
            model.granted.sort_by_key(|(owner, _)| *owner);
            prop_assert_eq!(bench.grants(), model.granted.clone());
            let mut waiting: Vec<_> = bench.waiters.iter().map(|(who, _)| *who).collect();
            let mut expected: Vec<_> = model.waiting.iter().map(|(who, _)| *who).collect();
            waiting.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(waiting, expected);
        }
    }
}

#[test]
fn a_row_lock_brings_its_intent_and_all_go_with_the_transaction() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    one.row(1, LockMode::X, Some(0)).unwrap();
    assert_eq!(one.owner.object_mode(DB, 100), Some(LockMode::IX));
    two.row(2, LockMode::S, Some(0)).unwrap();
    assert!(matches!(two.row(1, LockMode::S, Some(0)), Err(LockError::Timeout { .. })));
    assert!(matches!(two.object(LockMode::S, Some(0)), Err(LockError::Timeout { .. })));
    let modes: Vec<_> = manager.report().iter().map(|row| (row.session.0, row.mode, row.resource.kind())).collect();
    assert_eq!(modes.len(), 4);
    assert!(modes.contains(&(51, LockMode::X, ResourceKind::Key)));
    one.owner.release_transaction();
    two.row(1, LockMode::X, Some(0)).unwrap();
    drop(two);
    assert_eq!(manager.report(), []);
}

#[test]
fn what_a_reader_takes_back_leaves_what_was_there_before() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    let key = KeyHash::of(&1u32.to_be_bytes());
    let got = one.row(1, LockMode::S, None).unwrap();
    let upgraded = one.row(1, LockMode::U, None).unwrap();
    assert_eq!((got, upgraded), (Got::New, Got::Converted(LockMode::S)));
    assert!(two.row(1, LockMode::U, Some(0)).is_err());
    one.owner.unlock_row(PLACE, key, upgraded);
    two.row(1, LockMode::U, Some(0)).unwrap();
    one.owner.unlock_row(PLACE, key, got);
    two.row(1, LockMode::X, Some(0)).unwrap();
    assert_eq!(one.owner.lock_count(), 1);
}

/// Runs `work` on a thread when the sessions before it wait.
fn spawn(
    session: Session,
    work: impl FnOnce(&Session) -> Result<Got, LockError> + Send + 'static,
) -> mpsc::Receiver<(Session, Result<Got, LockError>)> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let result = work(&session);
        let _ = send.send((session, result));
    });
    receive
}

fn until_waiting(manager: &LockManager, count: usize) {
    while manager.waiting().len() < count {
        std::thread::yield_now();
    }
}

/// Until so many waits have begun and looked for a circle: which of two equal members closes it is certain from then on.
fn until_looked(manager: &LockManager, waits: u64) {
    while manager.counts().waits < waits {
        std::thread::yield_now();
    }
}

#[test]
fn two_that_wait_for_each_other_are_found_when_the_second_begins() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    one.row(1, LockMode::X, None).unwrap();
    two.row(2, LockMode::X, None).unwrap();
    let first = spawn(one, |s| s.row(2, LockMode::X, None));
    until_looked(&manager, 1);
    assert_eq!(manager.waiting()[0].blockers, [SessionId(52)]);
    // Equal priority and log: the one that closes the circle is the victim.
    let Err(LockError::Deadlock(report)) = two.row(1, LockMode::X, None) else { panic!("a deadlock") };
    assert_eq!((report.victim, report.members.len()), (SessionId(52), 2));
    assert!(report.to_string().contains("KEY: 5:7 ("), "{report}");
    two.owner.release_transaction();
    assert!(first.recv().unwrap().1.is_ok());
    assert_eq!(manager.counts().deadlocks, 1);
}

#[test]
fn the_victim_is_who_has_the_least_priority_then_the_least_log() {
    for (priority, log_bytes, victim) in [(-5, 100, 51), (0, 1, 51), (0, 100, 52), (5, 0, 52)] {
        let manager = manager();
        let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
        one.owner.set_priority(priority);
        one.owner.set_log_bytes(log_bytes);
        two.owner.set_log_bytes(50);
        one.row(1, LockMode::X, None).unwrap();
        two.row(2, LockMode::X, None).unwrap();
        let first = spawn(one, |s| {
            let result = s.row(2, LockMode::S, None);
            if result.is_err() {
                s.owner.release_transaction();
            }
            result
        });
        until_waiting(&manager, 1);
        let second = two.row(1, LockMode::S, None);
        two.owner.release_transaction();
        let first = first.recv().unwrap().1;
        assert_eq!((first.is_err(), second.is_err()), (victim == 51, victim == 52));
        assert_eq!(manager.deadlocks()[0].victim, SessionId(victim));
    }
}

#[test]
fn a_circle_of_three_and_one_of_two_conversions() {
    let manager = manager();
    let sessions: Vec<_> = (51..54).map(|n| Session::new(&manager, n)).collect();
    for (key, session) in sessions.iter().enumerate() {
        session.row(key as u32, LockMode::X, None).unwrap();
    }
    let mut sessions = sessions.into_iter();
    let (one, two, three) = (sessions.next().unwrap(), sessions.next().unwrap(), sessions.next().unwrap());
    let first = spawn(one, |s| s.row(1, LockMode::U, None));
    until_looked(&manager, 1);
    let second = spawn(two, |s| s.row(2, LockMode::U, None));
    until_looked(&manager, 2);
    let Err(LockError::Deadlock(report)) = three.row(0, LockMode::U, None) else { panic!("a deadlock") };
    assert_eq!(report.members.len(), 3);
    drop(three);
    let (two, result) = second.recv().unwrap();
    assert!(result.is_ok());
    drop(two);
    assert!(first.recv().unwrap().1.is_ok());

    let (one, two) = (Session::new(&manager, 61), Session::new(&manager, 62));
    one.row(9, LockMode::S, None).unwrap();
    two.row(9, LockMode::S, None).unwrap();
    let first = spawn(one, |s| s.row(9, LockMode::X, None));
    until_looked(&manager, 4);
    let Err(LockError::Deadlock(report)) = two.row(9, LockMode::X, None) else { panic!("a deadlock") };
    assert!(report.members.iter().all(|member| member.is_conversion));
    drop(two);
    assert_eq!(first.recv().unwrap().1.unwrap(), Got::Converted(LockMode::S));
}

#[test]
fn waits_end_by_time_and_by_cancel_and_are_charged() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    one.row(1, LockMode::X, None).unwrap();
    assert!(matches!(two.row(1, LockMode::S, Some(5)), Err(LockError::Timeout { .. })));
    let (task, manager_too) = (Arc::clone(&two.task), Arc::clone(&manager));
    let cancel = std::thread::spawn(move || {
        until_waiting(&manager_too, 1);
        let text = task.wait_text();
        task.cancel();
        text
    });
    assert!(matches!(two.row(1, LockMode::S, None), Err(LockError::Cancelled)));
    let text = cancel.join().unwrap().expect("named while it waits");
    assert!(text.starts_with("KEY: 5:7 ("), "{text}");
    assert_eq!(two.task.wait_text(), None);
    let charged = manager.waits.report_of(LockMode::S.wait_type());
    assert_eq!((charged.waits, manager.waiting().len()), (2, 0));
    assert_eq!(manager.counts(), LockCounts { waits: 2, timeouts: 1, ..LockCounts::default() });
}

#[test]
fn five_thousand_row_locks_become_one_unless_somebody_is_in_the_way_or_it_is_disabled() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    (0..6000).for_each(|key| assert!(one.row(key, LockMode::X, Some(0)).is_ok()));
    assert_eq!((one.owner.object_mode(DB, 100), one.owner.lock_count()), (Some(LockMode::X), 1));
    assert!(two.row(9999, LockMode::S, Some(0)).is_err());
    one.owner.release_transaction();

    two.row(9999, LockMode::S, Some(0)).unwrap();
    (0..6000).for_each(|key| assert!(one.row(key, LockMode::X, Some(0)).is_ok()));
    assert_eq!(one.owner.lock_count(), 6001);
    two.owner.release_transaction();
    (6000..7000).for_each(|key| assert!(one.row(key, LockMode::X, Some(0)).is_ok()));
    assert_eq!(one.owner.lock_count(), 1);
    one.owner.release_transaction();

    manager.set_escalation(DB, 100, false);
    (0..6000).for_each(|key| assert!(one.row(key, LockMode::S, Some(0)).is_ok()));
    assert_eq!(one.owner.lock_count(), 6001);
    assert_eq!(manager.counts().escalations, 2);
}

#[test]
fn a_range_lock_keeps_inserts_out_and_other_readers_in() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    one.row(5, LockMode::RangeSS, None).unwrap();
    two.row(5, LockMode::S, Some(0)).unwrap();
    two.row(5, LockMode::RangeSS, Some(0)).unwrap();
    two.owner.release_transaction();
    assert!(two.row(5, LockMode::RangeIN, Some(0)).is_err());
    one.owner.release_transaction();
    one.row(5, LockMode::X, None).unwrap();
    let got = two.row(5, LockMode::RangeIN, Some(0)).unwrap();
    two.owner.unlock_row(PLACE, KeyHash::of(&5u32.to_be_bytes()), got);
    assert_eq!(two.owner.lock_count(), 1);
}

#[test]
fn locks_of_the_session_count_and_application_locks_have_names() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    let ask = Ask::new(&one.task, &one.io);
    let app = Resource::application(DB, 0, "import");
    one.owner.name_application(app, "import");
    one.owner.lock_for_session(&ask, app, LockMode::X, None).unwrap();
    one.owner.lock_for_session(&ask, app, LockMode::X, None).unwrap();
    // The transaction of the same session is not in its own way.
    one.owner.lock(&ask, app, LockMode::S, Some(0)).unwrap();
    one.owner.release_transaction();
    assert!(!two.owner.could_lock(app, LockMode::S));
    assert_eq!(manager.report()[0].name.as_deref(), Some("import"));
    assert!(one.owner.unlock_for_session(app));
    assert!(!two.owner.could_lock(app, LockMode::S));
    assert!(one.owner.unlock_for_session(app) && !one.owner.unlock_for_session(app));
    assert!(two.owner.could_lock(app, LockMode::S));
    assert_eq!(manager.report(), []);
}

/// Transactions of several threads lock random rows, upgrade and wait; deadlocks are broken, no session waits for ever,
/// and no two writers are ever inside one row.
#[test]
fn threads_exclude_each_other_and_all_get_done() {
    const KEYS: usize = 6;
    let manager = manager();
    let cells: Arc<Vec<AtomicI64>> = Arc::new((0..KEYS).map(|_| AtomicI64::new(0)).collect());
    let commits = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..6u16)
        .map(|n| {
            let (manager, cells, commits) = (Arc::clone(&manager), Arc::clone(&cells), Arc::clone(&commits));
            std::thread::spawn(move || {
                let session = Session::new(&manager, 51 + n);
                let mut random = u64::from(n) + 1;
                for _ in 0..400 {
                    let mut mine = Vec::new();
                    for _ in 0..3 {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                        let key = (random >> 33) as usize % KEYS;
                        let is_writer = random >> 60 & 1 == 1;
                        let mode = if is_writer { LockMode::X } else { LockMode::S };
                        if session.row(key as u32, mode, None).is_err() {
                            break;
                        }
                        // Readers count up from 0, one writer is -1 000.
                        let had = mine.iter().any(|(other, _)| *other == key);
                        if is_writer && !had {
                            assert_eq!(cells[key].fetch_sub(1000, Relaxed), 0);
                            mine.push((key, -1000));
                        } else if !had {
                            assert!(cells[key].fetch_add(1, Relaxed) >= 0);
                            mine.push((key, 1));
                        }
                        std::thread::yield_now();
                    }
                    for (key, by) in mine {
                        cells[key].fetch_sub(by, Relaxed);
                    }
                    session.owner.release_transaction();
                    commits.fetch_add(1, Relaxed);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(commits.load(Relaxed), 2400);
    assert_eq!((manager.report().len(), manager.waiting().len()), (0, 0));
}

#[test]
fn the_listener_is_told_while_all_of_the_circle_wait() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    let (told, heard) = std::sync::mpsc::channel();
    let looked_at = std::sync::Arc::downgrade(&manager);
    manager.listen_to_deadlocks(move |report| {
        let manager = looked_at.upgrade().expect("it is asked by those who wait");
        // The other one waits still, and what it waits for may be asked.
        told.send((report.victim, manager.waiting().len(), report.members.len())).expect("the test listens");
    });
    one.row(1, LockMode::X, None).unwrap();
    two.row(2, LockMode::X, None).unwrap();
    let first = spawn(one, |s| s.row(2, LockMode::X, None));
    until_looked(&manager, 1);
    let Err(LockError::Deadlock(_)) = two.row(1, LockMode::X, None) else { panic!("a deadlock") };
    assert_eq!(heard.recv().unwrap(), (SessionId(52), 1, 2));
    two.owner.release_transaction();
    assert!(first.recv().unwrap().1.is_ok());
    assert!(heard.try_recv().is_err(), "told once");
}

#[test]
fn who_has_a_database_for_itself_keeps_newcomers_out_and_lets_those_in_it_go_on() {
    let manager = manager();
    let (one, two) = (Session::new(&manager, 51), Session::new(&manager, 52));
    one.row(1, LockMode::X, None).unwrap();
    // 51 is in the database of the rows by its lock, 52 is not, 53 closes it, 54 stands in it.
    let closed =
        manager.closed().close(DbId(5), SessionId(53), |session| session == SessionId(54)).expect("it is free");
    assert!(manager.closed().close(DbId(5), SessionId(55), |_| false).is_none(), "Z4");
    assert!(
        manager.closed().has_another(DbId(5), SessionId(51)) && !manager.closed().has_another(DbId(5), SessionId(53))
    );
    assert!(!manager.closed().has_another(DbId(6), SessionId(51)));
    one.row(2, LockMode::X, None).unwrap();
    assert!(matches!(two.row(3, LockMode::X, Some(20)), Err(LockError::Timeout { .. })), "Z2");
    assert_eq!(manager.sessions_in(DbId(5)), [SessionId(51)].into(), "nothing is left of it");
    let four = Session::new(&manager, 54);
    four.row(3, LockMode::X, Some(0)).unwrap();
    Session::new(&manager, 53).row(4, LockMode::X, Some(0)).unwrap();
    let waits = spawn(two, |s| s.row(5, LockMode::X, None));
    drop(closed);
    assert!(waits.recv().unwrap().1.is_ok());
}

#[test]
fn a_circle_of_a_newcomer_a_closer_and_a_lock_has_a_victim_and_the_others_go_on() {
    let manager = manager();
    let (newcomer, inside) = (Session::new(&manager, 51), Session::new(&manager, 52));
    // 52 is in database 5 and waits for 51's lock in another; 51 wants database 5, which 53 closes once 52 has left.
    inside.row(1, LockMode::X, None).unwrap();
    let (task, io) = (Arc::new(Task::new(SessionId(51))), IoCount::default());
    let elsewhere = Resource::object(DbId(6), 1);
    newcomer.owner.lock_object(&Ask::new(&task, &io), DbId(6), 1, LockMode::X, None).unwrap();
    newcomer.owner.set_log_bytes(100);
    let closed =
        manager.closed().close(DbId(5), SessionId(53), |session| session == SessionId(52)).expect("it is free");
    let waits = spawn(newcomer, |s| s.row(2, LockMode::X, None));
    while manager.waiting().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(manager.waiting()[0].blockers, [SessionId(53)], "a newcomer's wait is shown");
    let crosses = spawn(inside, move |s| {
        let (task, io) = (Arc::new(Task::new(SessionId(52))), IoCount::default());
        s.owner.lock_object(&Ask::new(&task, &io), DbId(6), 1, LockMode::X, None).map(|()| Got::New)
    });
    let of_closer = {
        let manager = Arc::clone(&manager);
        move || if manager.sessions_in(DbId(5)).is_empty() { Vec::new() } else { vec![SessionId(52)] }
    };
    let (task, io) = (Arc::new(Task::new(SessionId(53))), IoCount::default());
    let wait = DatabaseWait { session: SessionId(53), db: DbId(5), mode: LockMode::X };
    let ended = wait_while(&manager, &Ask::new(&task, &io), wait, None, of_closer);
    let Err(LockError::Deadlock(report)) = ended else { panic!("the closer has the least to undo: {ended:?}") };
    assert_eq!((report.victim, report.members.len()), (SessionId(53), 3));
    assert!(report.members.iter().any(|member| member.resource == elsewhere));
    drop(closed);
    let (newcomer, got) = waits.recv().unwrap();
    assert!(got.is_ok(), "{got:?}");
    newcomer.owner.release_transaction();
    assert!(crosses.recv().unwrap().1.is_ok());
}
