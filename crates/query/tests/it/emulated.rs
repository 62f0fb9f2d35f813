//! An instance on an emulated disk, on a clock that skips waits: what T-SQL sees of time is the device's, exactly.

use std::sync::Arc;

use millpond_device::profiled_media::Rule;
use millpond_device::{
    Between, Clock, DeviceProfile, ModelKind, ProfiledMedia, RamMedia, VirtualClock, Volume, WallTime,
};
use millpond_engine::engine::Engine;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{TempFileConfig, TempdbConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};
use crate::spills;

/// An engine whose files under `/ram/disk` lie on a disk of that model.
fn engine(model: ModelKind) -> Arc<Engine> {
    engine_with(model, 128, TempdbConfig::default())
}

/// The same with so much memory, and those files of tempdb.
fn engine_with(model: ModelKind, memory_mb: u64, tempdb: TempdbConfig) -> Arc<Engine> {
    let wall = WallTime { utc_us: 1_700_000_000_000_000, offset_s: 0 };
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::starting_at(Between::Nothing, wall));
    let volume = Arc::new(Volume::new("disk", &DeviceProfile::of(model), Vec::new(), clock.clone()));
    let rules = vec![Rule { path: "/ram/disk".into(), volume: volume.clone() }];
    let media = ProfiledMedia::new(Arc::new(RamMedia::new()), vec![volume], rules);
    let memory_bytes = memory_mb << 20;
    let tempdb = Some(tempdb).filter(|tempdb| !tempdb.files.is_empty());
    let config = InstanceConfig {
        clock,
        max_memory_bytes: Some(memory_bytes),
        tempdb,
        ..InstanceConfig::over(Arc::new(media), memory_bytes)
    };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the media are empty")))
}

/// A number that is alone in its row and result.
fn number(answer: &str) -> i64 {
    answer.lines().nth(1).and_then(|line| line.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// 2,285 pages, nearly all of the file; each turn of the loop wants a row of one of them, chosen by chance.
#[test]
fn cold_pages_cost_what_the_disk_takes_for_them() {
    let engine = engine(ModelKind::Disk10kSata);
    let mut one = session(&engine);
    let make = "set nocount on
        create database cold on (name = cold, filename = '/ram/disk/cold.mdf', size = 20MB, filegrowth = 1MB)
            log on (name = cold_log, filename = '/ram/cold.ldf', size = 64MB)";
    assert_eq!(run(&mut one, make), "");
    let fill = "use cold
        create table t (id int not null primary key, n char(1000) not null)
        declare @i int = 0
        begin transaction
        while @i < 16000 begin insert t values (@i, 'x') set @i += 1 end
        commit
        checkpoint
        dbcc dropcleanbuffers with no_infomsgs";
    assert_eq!(run(&mut one, fill), "");
    let disk = || engine.instance().volume_reports().remove(0);
    let (before, begun_us) = (disk(), engine.instance().clock().now_us());
    // Places in no order: steps of one width would meet the turning platter in one place each time.
    let look = "declare @i int = 0, @place bigint = 1, @n char(1000), @begun datetime2 = sysdatetime()
        while @i < 400
        begin
            set @place = (@place * 1103515245 + 12345) % 2147483648
            select @n = n from t where id = @place / 65536 % 2285 * 7
            set @i += 1
        end
        select datediff(millisecond, @begun, sysdatetime()) as ms";
    let ms = number(&run(&mut one, look));
    let (after, elapsed_us) = (disk(), engine.instance().clock().now_us() - begun_us);
    let reads = after.reads - before.reads;
    assert!((300..420).contains(&reads), "{reads} reads");
    assert!((elapsed_us as i64 / 1_000 - ms).abs() <= 1, "{elapsed_us} µs, {ms} ms by T-SQL");
    let expected_ms = reads as f64 * 1_000.0 / 130.0;
    assert!((ms as f64 / expected_ms - 1.0).abs() < 0.1, "{ms} ms for {reads} reads, {expected_ms} expected");
    assert_eq!((after.read_us - before.read_us) / 1_000, elapsed_us / 1_000, "nothing else takes time");
    let waits = "select cast(wait_time_ms as int) from sys.dm_os_wait_stats where wait_type = 'PAGEIOLATCH_SH'";
    let waited_ms = number(&run(&mut one, waits));
    assert!((ms - 5..ms + 500).contains(&waited_ms), "{waited_ms} ms waited for pages");
    // The statistics of statements go by the same clock.
    let stats = "select cast(max(s.total_elapsed_time) / 1000 as int)
        from sys.dm_exec_query_stats as s cross apply sys.dm_exec_sql_text(s.sql_handle) as x
        where x.text like '%@place / 65536%' and s.execution_count = 400";
    let counted_ms = number(&run(&mut one, stats));
    assert!((ms - 5..=ms).contains(&counted_ms), "{counted_ms} ms counted for the statement that reads");
}

#[test]
fn an_hour_of_waiting_is_over_at_once() {
    let engine = engine(ModelKind::Disk10kSas);
    let mut one = session(&engine);
    let wait = "declare @begun datetime2 = sysdatetime() waitfor delay '01:00:00'
        select datediff(second, @begun, sysdatetime()) as seconds";
    assert_eq!(number(&run(&mut one, wait)), 3_600);
}

#[test]
fn what_goes_to_slow_files_is_compressed_once_they_are_known_to_be_slow() {
    let slow = TempFileConfig {
        path: Some("/ram/disk/tempdb.mdf".into()),
        size_pages: 16 << 10,
        ..TempFileConfig::new("tempdev", false)
    };
    let files = vec![slow, TempFileConfig::new("templog", true)];
    let engine = engine_with(ModelKind::Disk10kSata, 20, TempdbConfig { files });
    spills::set_up(&engine);
    let mut one = session(&engine);
    run(&mut one, "use d set nocount on set statistics io on");
    let mut sort = || {
        let told = run(
            &mut one,
            "select count(*) as n, max(r) as r, max(c) as c from (select c, row_number() over (order by c, id desc) as r from t) x",
        );
        let rows: String = told.lines().filter(|line| !line.starts_with('#') && !line.starts_with("Spill")).collect();
        (rows, spills::spilled_kb(&told))
    };
    let before = engine.instance().tempdb_bytes_per_s();
    let times: Vec<(String, u64)> = (0..4).map(|_| sort()).collect();
    let known = engine.instance().tempdb_bytes_per_s().expect("tempdb was written to");
    assert_eq!(before, None);
    assert!((10 << 20..200 << 20).contains(&known), "{known} bytes a second of a disk");
    assert!(times.iter().all(|(rows, _)| *rows == times[0].0), "{times:?}");
    assert!(times[0].1 > 8_000, "{times:?}");
    assert!(times[3].1 > 0 && times[3].1 < times[0].1 / 3, "{times:?}");
}
