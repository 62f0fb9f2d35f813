//! What a cached tree costs on one core: get, insert, change, scan. tempdb's pages, no log.
//!
//! `cargo run --release -p millpond-access --example tree_speed [-- ROWS]`
//!
//! Keys are 8 bytes, payloads 100; default 1,000,000 rows. Times are one thread's time on its processor, and wall time.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use millpond_access::tree;
use millpond_access::tree::{
    Built, Change, Direction, Entry, EntrySource, KeyRange, RowTag, StatisticsMode, Tree, TreeIds, Writer,
};
use millpond_access::{AccessError, TreeCtx};
use millpond_device::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{TempFileConfig, TempdbConfig};
use millpond_storage::space::Owner;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

const PAYLOAD: [u8; 100] = [7; 100];

struct Plain;

impl Writer for Plain {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        Mtr::begin(db, ask, reserve_bytes)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        mtr.commit();
    }

    fn may_purge(&self, _tag: &RowTag) -> bool {
        true
    }
}

struct Numbers {
    next: u64,
    end: u64,
    key: [u8; 8],
}

impl EntrySource<AccessError> for Numbers {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, AccessError> {
        self.key = self.next.to_be_bytes();
        self.next += 1;
        Ok((self.next <= self.end).then_some(Entry { key: &self.key, payload: &PAYLOAD }))
    }
}

fn put(tree: &Tree, ask: &Ask<'_>, n: u64, payload: &[u8]) {
    let change = Change::Put { payload, is_ghost: false, tag: None };
    tree::modify::change_entry(tree, ask, &mut Plain, &n.to_be_bytes(), &mut |_| Ok::<_, AccessError>(change))
        .expect("room");
}

/// Time that this thread had a processor, where the system says it; waiting for one on a busy machine does not count.
fn on_cpu_ns() -> Option<u64> {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedstat.split_whitespace().next()?.parse().ok()
}

/// `work` per unit, in nanoseconds.
fn time(what: &str, units: u64, work: impl FnOnce()) {
    let (start, cpu) = (Instant::now(), on_cpu_ns());
    work();
    let wall_ns = start.elapsed().as_nanos() as f64 / units as f64;
    let each_ns = match (cpu, on_cpu_ns()) {
        (Some(before), Some(after)) => (after - before) as f64 / units as f64,
        _ => wall_ns,
    };
    println!("{what:<34} {each_ns:>9.1} ns  {:>8.2} M/s   (wall {wall_ns:.1} ns)", 1000.0 / each_ns);
}

/// The numbers 0 to `count` - 1 in an order without pattern.
fn shuffled(count: u64) -> impl Iterator<Item = u64> {
    let size = count.next_power_of_two();
    (0..size).map(move |n| n.wrapping_mul(2_654_435_769) % size).filter(move |&n| n < count)
}

fn scan(tree: &Arc<Tree>, ask: &Ask<'_>, direction: Direction) -> u64 {
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), direction);
    let mut sum = 0;
    while cursor
        .next_page(ask, &mut |row| {
            sum += u64::from(row.payload[50]) + row.key.len() as u64;
            ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    sum
}

fn main() {
    let rows: u64 = std::env::args().nth(1).map_or(1_000_000, |rows| rows.parse().expect("a number of rows"));
    let files = vec![TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    let config = InstanceConfig {
        max_memory_bytes: Some(4 << 30),
        tempdb: Some(TempdbConfig { files }),
        ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
    };
    let instance = Instance::open(config).expect("in memory");
    let ctx = TreeCtx {
        handle: DatabaseHandle { db: DbId::TEMPDB, pool: instance.pool().clone(), log: None },
        space: instance.tempdb_space().clone(),
        owner: Owner::User,
        usage: Arc::default(),
    };
    let (task, io) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &io);
    let ids = TreeIds { hobt: 1, object_id: 1, index_id: 1 };

    let (tree, _) = Tree::create(&ctx, &ask, ids).expect("room");
    time("insert, ascending", rows, || (0..rows).for_each(|n| put(&tree, &ask, n, &PAYLOAD)));
    let shape = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
    println!(
        "  {} levels, {} leaves, {:.1} % full",
        shape.depth,
        shape.levels[0].pages,
        shape.levels[0].used_percent()
    );
    time("get, random", rows, || {
        shuffled(rows).for_each(|n| {
            black_box(tree::read::get(&tree, &ask, &n.to_be_bytes(), |row| row.payload[50]).expect("readable"));
        });
    });
    time("get, ascending", rows, || {
        (0..rows).for_each(|n| {
            black_box(tree::read::get(&tree, &ask, &n.to_be_bytes(), |row| row.payload[50]).expect("readable"));
        });
    });
    time("change of the same length, random", rows, || shuffled(rows).for_each(|n| put(&tree, &ask, n, &[8; 100])));
    time("scan, ascending, per row", rows, || assert_eq!(scan(&tree, &ask, Direction::Forward), rows * 16));
    time("scan, descending, per row", rows, || assert_eq!(scan(&tree, &ask, Direction::Backward), rows * 16));
    time("remove, ascending", rows, || {
        (0..rows).for_each(|n| {
            let change = Change::Remove;
            tree::modify::change_entry(&tree, &ask, &mut Plain, &n.to_be_bytes(), &mut |_| {
                Ok::<_, AccessError>(change)
            })
            .expect("room");
        });
    });
    tree.free(&ask).expect("room");

    let (tree, _) = Tree::create(&ctx, &ask, ids).expect("room");
    time("insert, random", rows, || shuffled(rows).for_each(|n| put(&tree, &ask, n, &PAYLOAD)));
    let shape = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
    println!(
        "  {} levels, {} leaves, {:.1} % full",
        shape.depth,
        shape.levels[0].pages,
        shape.levels[0].used_percent()
    );
    tree.free(&ask).expect("room");

    time("bulk build", rows, || {
        let mut source = Numbers { next: 0, end: rows, key: [0; 8] };
        let Built { tree, rows: built, .. } = tree::bulk::build(&ctx, &ask, ids, 100, &mut source).expect("room");
        assert_eq!(built, rows);
        tree.free(&ask).expect("room");
    });
}
