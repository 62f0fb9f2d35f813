//! What a crowd before one row costs: so many sessions wait for one row, which is then handed from one to the next.
//!
//! `cargo run --release -p millpond-txn --example lock_crowd -- [sessions] [rounds] [runs] [folder]` prints what a hand-over
//! takes, in µs, as the median of the runs with the least and the most:
//! - bare: as many parked threads, each of which wakes the next and does nothing else. No hand-over can be quicker on the
//!   machine, so the other lines are given as multiples of it too, run by run;
//! - lock: from the release of a row's lock by one session to the release by the next;
//! - update: from the end of a transaction that updates the row to the end of the next one, the commit in the log included.
//!   Without an empty folder the database is in memory. A log on a disk adds its sync to each hand-over, as no session
//!   has the lock before the commit of the one before it is durable.
//!
//! With rounds each session asks again as soon as it was let through.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use millpond_access::tree::{Tree, TreeIds};
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::create;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::lock::{KeyHash, LockManager, LockMode, Resource};
use millpond_txn::open_trees;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;
use millpond_txn::{SessionWork, TxnError, TxnManager};

type Failure = Box<dyn std::error::Error>;

#[derive(Clone, Copy)]
struct Crowd {
    sessions: u64,
    rounds: u64,
}

/// What one crowd took.
struct Passed {
    /// Until all waited.
    gathered: Duration,
    /// From then until all were done.
    all: Duration,
}

struct Done {
    left: AtomicU64,
    at: OnceLock<Instant>,
}

struct Threads {
    threads: Vec<JoinHandle<()>>,
    done: Arc<Done>,
}

impl Threads {
    /// How long they took since `begun`.
    fn join(self, begun: Instant) -> Duration {
        self.threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        self.done.at.get().expect("the last has set it").duration_since(begun)
    }
}

impl Crowd {
    fn each_us(self, all: Duration) -> f64 {
        all.as_secs_f64() * 1e6 / (self.sessions * self.rounds) as f64
    }

    /// What a thread's work returns lives until all are done, and so does the thread: their ends are not measured.
    fn spawn<S>(self, serve: impl Fn(u64) -> S + Clone + Send + 'static) -> Threads {
        let done = Arc::new(Done { left: AtomicU64::new(self.sessions), at: OnceLock::new() });
        let all_done = Arc::new(Barrier::new(self.sessions as usize));
        let spawn = |n| {
            let (serve, done, all_done) = (serve.clone(), Arc::clone(&done), Arc::clone(&all_done));
            let work = move || {
                let _session = serve(n);
                if done.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    let _ = done.at.set(Instant::now());
                }
                all_done.wait();
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("a thread")
        };
        Threads { threads: (0..self.sessions).map(spawn).collect(), done: Arc::clone(&done) }
    }

    /// Each thread sleeps until it is its turn, and wakes the next.
    fn bare(self) -> Duration {
        let (turn, order) = (Arc::new(AtomicU64::new(u64::MAX)), Arc::new(OnceLock::<Vec<Thread>>::new()));
        let threads = self.spawn({
            let (turn, order) = (Arc::clone(&turn), Arc::clone(&order));
            move |n| {
                for round in 0..self.rounds {
                    let mine = round * self.sessions + n;
                    while turn.load(Ordering::Acquire) != mine {
                        std::thread::park();
                    }
                    turn.store(mine + 1, Ordering::Release);
                    let order = order.get().expect("set before the first turn");
                    order[((n + 1) % self.sessions) as usize].unpark();
                }
            }
        });
        let order = order.get_or_init(|| threads.threads.iter().map(|thread| thread.thread().clone()).collect());
        // None is asked whether it sleeps; nearly all do.
        std::thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        turn.store(0, Ordering::Release);
        order[0].unpark();
        threads.join(begun)
    }

    /// Lets a crowd gather that waits for locks, and lets it through.
    fn pass<S>(
        self,
        locks: &LockManager,
        serve: impl Fn(u64) -> S + Clone + Send + 'static,
        begin: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Passed, Failure> {
        let begun = Instant::now();
        let threads = self.spawn(serve);
        while locks.waiting_count() < self.sessions as usize {
            std::thread::sleep(Duration::from_millis(1));
        }
        let gathered = begun.elapsed();
        let begun = Instant::now();
        begin()?;
        Ok(Passed { gathered, all: threads.join(begun) })
    }

    fn locks(self, bench: &Bench) -> Result<Passed, Failure> {
        let locks = Arc::clone(bench.manager.locks());
        let row = Resource::key(DbId(5), 9, KeyHash::of(b"row"));
        let (task, io) = (Task::new(SessionId(50)), IoCount::default());
        let first = locks.open_owner(SessionId(50));
        first.lock(&Ask::new(&task, &io), row, LockMode::X, None)?;
        let serve = {
            let locks = Arc::clone(&locks);
            move |n| {
                let number = SessionId(51 + n as u16);
                let (task, io) = (Task::new(number), IoCount::default());
                let owner = locks.open_owner(number);
                for _ in 0..self.rounds {
                    // A victim is counted by the manager.
                    let _ = owner.lock(&Ask::new(&task, &io), row, LockMode::X, None);
                    owner.release_transaction();
                }
                owner
            }
        };
        self.pass(&locks, serve, || {
            first.release_transaction();
            Ok(())
        })
    }

    fn updates(self, bench: &Bench) -> Result<Passed, Failure> {
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let mut first = bench.manager.open_session(SessionId(50), Arc::clone(&task));
        update(&mut first, &Ask::new(&task, &io), &bench.tree, 1)?;
        let serve = {
            let (manager, tree) = (Arc::clone(&bench.manager), Arc::clone(&bench.tree));
            move |n| {
                let number = SessionId(51 + n as u16);
                let (task, io) = (Arc::new(Task::new(number)), IoCount::default());
                let ask = Ask::new(&task, &io);
                let mut work = manager.open_session(number, Arc::clone(&task));
                for round in 0..self.rounds {
                    update(&mut work, &ask, &tree, round as u8).expect("no circle can be");
                    transaction::commit(&mut work, &ask, CommitMode::Durable).expect("the log has room");
                }
                work
            }
        };
        self.pass(bench.manager.locks(), serve, || {
            Ok(transaction::commit(&mut first, &Ask::new(&task, &io), CommitMode::Durable)?)
        })
    }
}

fn update(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, fill: u8) -> Result<(), TxnError> {
    transaction::begin(work);
    let mark = transaction::begin_statement(work);
    tree_rows::update(work, ask, tree, b"row", &[fill; 100])?;
    transaction::end_statement(work, ask, mark)
}

/// A database with one row.
struct Bench {
    manager: Arc<TxnManager>,
    tree: Arc<Tree>,
}

impl Bench {
    fn new(folder: Option<PathBuf>) -> Result<Bench, Failure> {
        let clock = Arc::new(SystemClock::new());
        let config = InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(folder, clock) };
        let manager = TxnManager::new(Instance::open(config)?);
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let ask = Ask::new(&task, &io);
        let database = create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d"))?;
        manager.database_opened(database.id());
        let ctx = open_trees::tree_ctx(&database)?;
        let mut work = manager.open_session(SessionId(50), Arc::clone(&task));
        transaction::begin(&mut work);
        let (tree, _) = trees::create_tree(&mut work, &ask, &ctx, TreeIds { hobt: 9, object_id: 9, index_id: 1 })?;
        let mark = transaction::begin_statement(&mut work);
        tree_rows::insert(&mut work, &ask, &tree, b"row", &[0; 100])?;
        transaction::end_statement(&mut work, &ask, mark)?;
        transaction::commit(&mut work, &ask, CommitMode::Durable)?;
        Ok(Bench { manager, tree })
    }
}

/// The middle, the least and the most of some figures.
fn spread(mut figures: Vec<f64>) -> String {
    figures.sort_by(f64::total_cmp);
    let (least, most) = (figures[0], figures[figures.len() - 1]);
    format!("{:7.1} ({least:.1} to {most:.1})", figures[figures.len() / 2])
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args_os().nth(4).map(PathBuf::from);
    let args: Vec<u64> = std::env::args().skip(1).take(3).map(|arg| arg.parse()).collect::<Result<_, _>>()?;
    let or = |at: usize, usual: u64| args.get(at).copied().unwrap_or(usual);
    let (crowd, runs) = (Crowd { sessions: or(0, 2000), rounds: or(1, 5) }, or(2, 9).max(1));
    let bench = Bench::new(folder)?;
    let (mut bare, mut lock, mut update, mut begun) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        bare.push(crowd.each_us(crowd.bare()));
        let passed = crowd.locks(&bench)?;
        lock.push(crowd.each_us(passed.all));
        begun.push(passed.gathered.as_secs_f64() * 1e6 / crowd.sessions as f64);
        update.push(crowd.each_us(crowd.updates(&bench)?.all));
    }
    let times = |of: &[f64]| spread(of.iter().zip(&bare).map(|(of, bare)| of / bare).collect());
    println!("{} sessions, {} rounds, {runs} runs; us, median (least to most)", crowd.sessions, crowd.rounds);
    println!("a hand-over, bare    {}", spread(bare.clone()));
    println!("a hand-over, lock    {}; times the bare one: {}", spread(lock.clone()), times(&lock));
    println!("a hand-over, update  {}; times the bare one: {}", spread(update.clone()), times(&update));
    println!("a wait begun         {}", spread(begun));
    println!("{} victims", bench.manager.locks().counts().deadlocks);
    Ok(())
}
