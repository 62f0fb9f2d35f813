//! Memory and files change while sessions insert, sort, drop and hold row versions; no statement fails, no row is wrong.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use millpond_engine::engine::Engine;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

const MB: u64 = 1 << 20;

fn open(dir: &Path, memory_bytes: u64) -> Arc<Engine> {
    let files = ["tempdev", "temp2"].map(|name| TempFileConfig::new(name, false));
    let config = InstanceConfig {
        max_memory_bytes: Some(memory_bytes),
        tempdb: Some(TempdbConfig { files: files.into_iter().chain([TempFileConfig::new("templog", true)]).collect() }),
        ..InstanceConfig::new(Some(dir.to_owned()), Arc::new(millpond_device::SystemClock::new()))
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

/// A number that is alone in its row and result.
fn number(answer: &str) -> i64 {
    answer.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// What the sessions of a load are told.
struct Orders<'e> {
    engine: &'e Arc<Engine>,
    stop: AtomicBool,
    rounds: AtomicU64,
}

impl Orders<'_> {
    fn goes_on(&self) -> bool {
        self.rounds.fetch_add(1, Relaxed);
        !self.stop.load(Relaxed)
    }

    /// Returns when the sessions have done so many more rounds together.
    fn rounds(&self, count: u64) {
        let wanted = self.rounds.load(Relaxed) + count;
        for _ in 0..120_000 {
            if self.rounds.load(Relaxed) >= wanted {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the sessions stand still");
    }
}

/// A temporary table is filled, sorted into another one, checked and dropped.
fn insert_sort_drop(orders: &Orders<'_>) {
    let mut one = session(orders.engine);
    run(&mut one, "set nocount on");
    while orders.goes_on() {
        let make = "create table #t (id int not null, c char(2000) not null)
            insert #t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')
            declare @n int = 0
            while @n < 7 begin insert #t select id + (select count(*) from #t), c from #t set @n += 1 end";
        assert_eq!(run(&mut one, make), "");
        assert_eq!(
            run(&mut one, "select id, c into #u from #t order by c desc, id create index ix on #u (id) include (c)"),
            ""
        );
        assert_eq!(
            run(&mut one, "select count(*), count(distinct id), sum(id) from #u"),
            "[:int | :int | :int]\n512 | 512 | 131328\n"
        );
        assert_eq!(run(&mut one, "drop table #t drop table #u"), "");
    }
}

/// Rows of a durable table change; their sum stays.
fn change(orders: &Orders<'_>, seed: usize) {
    let mut one = session(orders.engine);
    run(&mut one, "set nocount on use shop");
    let mut turn = seed;
    while orders.goes_on() {
        turn = turn.wrapping_mul(31).wrapping_add(17);
        let (from, to) = (turn % 400, (turn / 7) % 400);
        let said = run(
            &mut one,
            &format!(
                "begin tran update stock set n = n - 1 where id = {} update stock set n = n + 1 where id = {} commit",
                from.min(to),
                from.max(to)
            ),
        );
        assert_eq!(said, "");
    }
}

/// A snapshot sees the same rows over and over, from row versions as soon as they have changed.
fn look_back(orders: &Orders<'_>) {
    let mut one = session(orders.engine);
    run(&mut one, "set nocount on use shop set transaction isolation level snapshot");
    while orders.goes_on() {
        run(&mut one, "begin tran");
        let first = run(&mut one, "select sum(n), sum(n * id), count(*) from stock");
        for _ in 0..5 {
            assert_eq!(run(&mut one, "select sum(n), sum(n * id), count(*) from stock"), first);
        }
        run(&mut one, "commit");
        assert!(first.contains("40000 |"), "{first}");
    }
}

/// Runs `act` while five sessions work; `act` gets a session of its own.
fn under_load(engine: &Arc<Engine>, act: impl FnOnce(&Orders<'_>, &mut millpond_query::session::Session)) {
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    let mut one = session(engine);
    let make = "set nocount on create database shop alter database shop set allow_snapshot_isolation on";
    assert_eq!(run(&mut one, make), "");
    let fill = "use shop create table stock (id int primary key, n int not null, c char(1000) not null default 'x')
        declare @i int = 0 while @i < 400 begin insert stock (id, n) values (@i, 100) set @i += 1 end";
    assert_eq!(run(&mut one, fill), "");
    let orders = Orders { engine, stop: AtomicBool::new(false), rounds: AtomicU64::new(0) };
    std::thread::scope(|scope| {
        let _stop = Stop(&orders.stop);
        let orders = &orders;
        scope.spawn(|| insert_sort_drop(orders));
        scope.spawn(|| insert_sort_drop(orders));
        scope.spawn(|| change(orders, 3));
        scope.spawn(|| change(orders, 5));
        scope.spawn(|| look_back(orders));
        orders.rounds(30);
        act(orders, &mut one);
        orders.rounds(30);
    });
    assert_eq!(run(&mut one, "select sum(n) from stock"), "[:int]\n40000\n");
}

#[test]
fn files_of_tempdb_and_of_a_database_change_under_load() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = open(dir.path(), 16 * MB);
    let place = |name: &str| other.path().join(name).display().to_string();
    under_load(&engine, |orders, one| {
        let add =
            format!("alter database tempdb add file (name = temp3, filename = '{}', size = 64MB)", place("temp3.ndf"));
        assert_eq!(run(one, &add), "");
        orders.rounds(20);
        let used = "select allocated_extent_page_count from tempdb.sys.dm_db_file_space_usage where file_id = 4";
        assert!((0..200).any(|_| {
            orders.rounds(5);
            number(&run(one, used)) > 0
        }));
        let moved = |one: &mut _, db: &str, name: &str, to: &str| {
            let said = run(one, &format!("alter database {db} modify file (name = {name}, filename = '{to}')"));
            assert_eq!(said, format!("# The file \"{name}\" has been moved to its new path.\n"));
            orders.rounds(20);
        };
        moved(one, "tempdb", "temp2", &place("temp2.ndf"));
        moved(one, "tempdb", "temp3", "temp3.ndf");
        moved(one, "tempdb", "templog", &place("templog.ldf"));
        moved(one, "shop", "shop", &place("shop.mdf"));
        moved(one, "shop", "shop_log", &place("shop.ldf"));
        let placed = "select physical_name from sys.database_files order by file_id";
        assert_eq!(
            run(one, placed),
            format!("[physical_name:nvarchar(260)]\n{}\n{}\n", place("shop.mdf"), place("shop.ldf"))
        );
        // Rows that nobody drops, and versions that a snapshot needs.
        let keep = "create table #kept (id int primary key, c char(5000) not null)
            declare @i int = 0 while @i < 600 begin insert #kept values (@i, @i * 3) set @i += 1 end";
        assert_eq!(run(one, keep), "");
        let kept = "select count(*), sum(id), sum(cast(c as int)) from #kept";
        let all = "[:int | :int | :int]\n600 | 179700 | 539100\n";
        let mut reader = session(orders.engine);
        run(&mut reader, "set nocount on use shop set transaction isolation level snapshot begin tran");
        let seen = run(&mut reader, "select sum(n), sum(n * id), count(*) from stock");
        orders.rounds(20);
        let emptied = run(one, "use tempdb dbcc shrinkfile (temp3, emptyfile) with no_infomsgs use shop");
        assert_eq!(emptied, "");
        orders.rounds(20);
        for name in ["temp3", "temp2"] {
            let said = run(one, &format!("alter database tempdb remove file {name}"));
            assert_eq!(said, format!("# The file '{name}' has been removed.\n"));
            assert_eq!(run(one, kept), all);
        }
        assert!(!Path::new(&place("temp2.ndf")).exists());
        assert_eq!(run(one, kept), all);
        assert_eq!(run(one, "update #kept set c = id * 3"), "");
        orders.rounds(20);
        assert_eq!(run(one, kept), all);
        assert_eq!(run(&mut reader, "select sum(n), sum(n * id), count(*) from stock commit"), seen);
    });
    drop(engine);
    // It was not closed in order: the log at its new place makes the pages at theirs.
    let engine = open(dir.path(), 16 * MB);
    let mut one = session(&engine);
    assert_eq!(
        run(&mut one, "use shop select sum(n), count(*) from stock"),
        "[:int | :int]\n40000 | 400\n(1 rows affected)\n"
    );
}

/// Memory of the process that is resident.
#[cfg(target_os = "linux")]
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn memory_goes_down_and_up_again_under_load() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), 4096 * MB);
    let set = |one: &mut _, megabytes: u32| {
        let text = format!("exec sp_configure 'max server memory (MB)', {megabytes} reconfigure");
        let said = run(one, &text);
        assert!(!said.contains("Msg"), "{said}");
        engine.instance().pool().report()
    };
    under_load(&engine, |orders, one| {
        run(one, "exec sp_configure 'show advanced options', 1 reconfigure");
        set(one, 400);
        // 200 MB that nobody drops: they go to tempdb's files.
        let grow = "create table #big (id int identity, c char(8000) not null) insert #big values ('x')
            while (select count(*) from #big) < 25600 insert #big select top (6400) c from #big";
        assert_eq!(run(one, grow), "");
        let rows = number(&run(one, "select count(*) from #big"));
        #[cfg(target_os = "linux")]
        let before = resident_bytes();
        let report = set(one, 128);
        assert!(report.total * 8192 <= 128 * MB, "{} pages", report.total);
        #[cfg(target_os = "linux")]
        {
            let after = resident_bytes();
            println!("resident: {} MB with 400 MB, {} MB with 128 MB", before / MB, after / MB);
        }
        orders.rounds(30);
        assert_eq!(number(&run(one, "select count(*) from #big where c = 'x'")), rows);
        set(one, 400);
        // Statements that run at this moment may have a part of it, for moments; kept plans have one that is lent in steps.
        let is_whole = || engine.instance().pool().report().target >= 360 * MB / 8192;
        assert!((0..5000).any(|_| {
            orders.rounds(1);
            is_whole()
        }));
        orders.rounds(20);
        assert_eq!(number(&run(one, "select count(*) from #big where c = 'x'")), rows);
        assert!(engine.instance().pool().report().total * 8192 > 180 * MB, "it fills again");
        set(one, 128);
        assert_eq!(run(one, "drop table #big"), "");
        set(one, 400);
    });
}
