//! What the tempdb loop costs below SQL: create a heap, insert 12,800 records of 8,007 bytes, drop it, again and again.
//!
//! `cargo run --release -p millpond-txn --example loop_cost [cycles] [row bytes] [rows]`: nanoseconds of CPU per
//! insert and per dropped page, with one session and with two on threads of their own, beside the bare fill of as much
//! memory; then of a bulk load and a scan of as many rows.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_access::RowSource;
use millpond_access::heap;
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;
use millpond_txn::{HeapKind, TxnError, TxnManager};

/// CPU time of this thread: on a busy machine the clock on the wall measures the others.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// CPU time by phase.
#[derive(Clone, Copy, Default)]
struct Cost {
    insert: Duration,
    create: Duration,
    drop: Duration,
    pages: u64,
}

#[derive(Clone, Copy)]
struct Work {
    cycles: usize,
    row_bytes: usize,
    rows: usize,
}

fn cycles(manager: &Arc<TxnManager>, session: u16, work: Work) -> Result<Cost, TxnError> {
    let task = Arc::new(Task::new(SessionId(session)));
    let io = IoCount::default();
    let ask = Ask::new(&task, &io);
    let mut session = manager.open_session(task.session, Arc::clone(&task));
    let mut cost = Cost::default();
    for cycle in 0..work.cycles {
        let start = cpu();
        let mark = transaction::begin_statement(&mut session);
        let heap = heaps::create_heap(&mut session, &ask, HeapKind::Table)?;
        transaction::end_statement(&mut session, &ask, mark)?;
        let created = cpu();
        for _ in 0..work.rows {
            let mark = transaction::begin_statement(&mut session);
            heap_rows::insert(&mut session, &ask, &heap, work.row_bytes, |row| row.fill(cycle as u8))?;
            transaction::end_statement(&mut session, &ask, mark)?;
        }
        let inserted = cpu();
        cost.pages += heap.page_count();
        let mark = transaction::begin_statement(&mut session);
        heaps::drop_heap(&mut session, &ask, &heap)?;
        transaction::end_statement(&mut session, &ask, mark)?;
        cost.create += created - start;
        cost.insert += inserted - created;
        cost.drop += cpu() - inserted;
    }
    Ok(cost)
}

/// The floor: the same bytes written to memory of the same size.
fn fill(work: Work) -> Cost {
    let mut memory = vec![1u8; 8192 * work.rows];
    let start = cpu();
    for cycle in 0..work.cycles {
        for page in memory.chunks_exact_mut(8192) {
            page[96..96 + work.row_bytes].fill(cycle as u8);
            std::hint::black_box(page);
        }
    }
    Cost { insert: cpu() - start, ..Cost::default() }
}

/// A bulk load of as many rows as the loop inserts, and a scan of them.
fn bulk_and_scan(manager: &Arc<TxnManager>, work: Work) -> Result<(Duration, Duration), TxnError> {
    let task = Arc::new(Task::new(SessionId(60)));
    let io = IoCount::default();
    let ask = Ask::new(&task, &io);
    let mut session = manager.open_session(task.session, Arc::clone(&task));
    let (mut loading, mut scanning) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..work.cycles {
        let start = cpu();
        let mark = transaction::begin_statement(&mut session);
        let heap = heaps::create_heap(&mut session, &ask, HeapKind::Table)?;
        let mut bulk = heap_rows::bulk_insert(&mut session, &ask, &heap)?;
        bulk.append_rows(&mut Rows { left: work.rows, bytes: work.row_bytes })?;
        bulk.finish()?;
        transaction::end_statement(&mut session, &ask, mark)?;
        let loaded = cpu();
        let (mut scan, mut sum) = (heap::scan::open(&heap), 0u64);
        let mut add = |_, row: &[u8]| {
            sum += u64::from(row[0]);
            ControlFlow::Continue(())
        };
        while scan.next_page(&ask, &mut add)? {}
        std::hint::black_box(sum);
        scanning += cpu() - loaded;
        loading += loaded - start;
        drop(scan);
        heaps::drop_heap(&mut session, &ask, &heap)?;
    }
    Ok((loading, scanning))
}

struct Rows {
    left: usize,
    bytes: usize,
}

impl RowSource for Rows {
    fn next_len(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        Some(self.bytes)
    }

    fn encode(&mut self, to: &mut [u8]) {
        to.fill(self.left as u8);
    }
}

fn on_threads<R: Send>(threads: u16, run: impl Fn(u16) -> R + Sync) -> Vec<R> {
    let run = &run;
    std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads).map(|n| scope.spawn(move || run(n))).collect();
        spawned.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<usize> = std::env::args().skip(1).map(|arg| arg.parse()).collect::<Result<_, _>>()?;
    let pick = |at: usize, default: usize| args.get(at).copied().unwrap_or(default);
    let work = Work { cycles: pick(0, 20), row_bytes: pick(1, 8007), rows: pick(2, 12_800) };
    let clock = Arc::new(SystemClock::new());
    let config = InstanceConfig { max_memory_bytes: Some(1 << 30), ..InstanceConfig::new(None, clock) };
    let manager = TxnManager::new(Instance::open(config)?);
    cycles(&manager, 50, Work { cycles: 1, ..work })?;
    let per = |time: Duration, count: usize| time.as_nanos() as f64 / count.max(1) as f64;
    let inserts = work.cycles * work.rows;
    for threads in [1, 2] {
        for (n, cost) in on_threads(threads, |_| fill(work)).iter().enumerate() {
            println!("{threads} thread(s), #{n}: bare fill {:.0} ns per row", per(cost.insert, inserts));
        }
        let start = Instant::now();
        for (n, cost) in on_threads(threads, |n| cycles(&manager, 51 + n, work)).into_iter().enumerate() {
            let cost = cost?;
            println!(
                "{threads} thread(s), #{n}: {:.0} ns per insert, {:.0} ns per dropped page, {:.1} µs per create",
                per(cost.insert, inserts),
                per(cost.drop, cost.pages as usize),
                per(cost.create, work.cycles) / 1000.0,
            );
        }
        let per_s = (inserts * usize::from(threads)) as f64 / start.elapsed().as_secs_f64();
        println!("{threads} thread(s): {per_s:.0} inserts/s by the wall clock");
    }
    let (loading, scanning) = bulk_and_scan(&manager, work)?;
    println!("bulk load: {:.0} ns per row; scan: {:.0} ns per row", per(loading, inserts), per(scanning, inserts));
    let report = manager.instance().pool().report();
    println!("pages written: {}, created: {}", report.writes, report.created);
    Ok(())
}
