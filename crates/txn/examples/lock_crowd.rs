//! What a crowd before one row costs: so many sessions wait for one row lock, which is then handed from one to the next.
//!
//! `cargo run --release -p millpond-txn --example lock_crowd -- [sessions] [rounds]` prints, in µs, what a request that has
//! to wait costs while the crowd gathers, and what each hand-over takes while it is let through. With rounds each session
//! asks again as soon as it was let through.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::wait::WaitStats;
use millpond_txn::lock::{LockManager, LockMode, Resource};

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let (sessions, rounds) = (args.next().unwrap_or(2000), args.next().unwrap_or(1));
    let locks = LockManager::new(Arc::new(WaitStats::new(Arc::new(SystemClock::new()))));
    let row = Resource::application(DbId(5), 0, "row");
    let (task, io) = (Task::new(SessionId(50)), IoCount::default());
    let first = locks.open_owner(SessionId(50));
    first.lock(&Ask::new(&task, &io), row, LockMode::X, None).expect("it is free");
    let victims = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let threads: Vec<_> = (0..sessions)
        .map(|n| {
            let (locks, victims) = (Arc::clone(&locks), Arc::clone(&victims));
            let crowd = std::thread::Builder::new().stack_size(128 << 10);
            let serve = move || {
                let number = SessionId(51 + n as u16);
                let (task, io) = (Task::new(number), IoCount::default());
                let owner = locks.open_owner(number);
                for _ in 0..rounds {
                    if owner.lock(&Ask::new(&task, &io), row, LockMode::X, None).is_err() {
                        victims.fetch_add(1, Relaxed);
                    }
                    owner.release_transaction();
                }
            };
            crowd.spawn(serve).expect("a thread")
        })
        .collect();
    while locks.waiting_count() < sessions as usize {
        std::thread::sleep(Duration::from_millis(1));
    }
    let gathered = begun.elapsed();
    let begun = Instant::now();
    first.release_transaction();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    let passed = begun.elapsed();
    let each = |time: Duration, count: u64| time.as_secs_f64() * 1e6 / count as f64;
    println!(
        "{sessions} sessions, {rounds} rounds: {:.1} us per wait begun, {:.1} us per hand-over, {} victims",
        each(gathered, sessions),
        each(passed, sessions * rounds),
        victims.load(Relaxed)
    );
}
