//! tempdb that can take no more: the statement fails with 1105, its rows are gone, everything else is unharmed.

use millpond_storage::tempdb_files::{GrowthConfig, TempFileConfig, TempdbConfig};

use crate::harness::{engine_with, run, session};

const DOUBLE: &str = "insert #t select c from #t";

fn eight_megabytes() -> TempdbConfig {
    let fixed = |name, log| TempFileConfig { growth: GrowthConfig::Pages(0), ..TempFileConfig::new(name, log) };
    TempdbConfig { files: vec![fixed("tempdev", false), fixed("templog", true)] }
}

#[test]
fn a_full_tempdb_fails_one_statement_and_is_free_after_the_drop() {
    let engine = engine_with(Some(eight_megabytes()));
    let (mut one, mut other) = (session(&engine), session(&engine));
    run(&mut one, "set nocount on create table #t (c char(8000) not null) insert #t values ('x')");
    // 2^10 pages of 8 KB are all of tempdb, so the tenth doubling cannot fit.
    let told: Vec<String> = (0..10).map(|_| run(&mut one, DOUBLE)).collect();
    assert!(told[..9].iter().all(String::is_empty), "{told:?}");
    assert!(
        told[9].starts_with("Msg 1105, Level 17, State 2, Line 1: Could not allocate space for object"),
        "{}",
        told[9]
    );
    assert_eq!(run(&mut one, "select count(*) from #t"), "[:int]\n512\n");
    let small = "set nocount on create table #u (id int) insert #u values (1) select * from #u drop table #u";
    assert_eq!(run(&mut other, small), "[id:int]\n1\n");
    run(&mut one, "drop table #t");
    let reserved: u64 =
        engine.instance().tempdb_space().report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum();
    assert_eq!(reserved, 0);
    assert_eq!(run(&mut one, small), "[id:int]\n1\n");
}
