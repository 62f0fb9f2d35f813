//! Indexes that plans missed, as several sessions and logins see them: how many are kept, who may read them, and that readers and
//! sessions that miss them do not disturb each other.

use crate::harness::{engine, run, session};

const COUNT: &str = "set nocount on select count(*) as n from sys.dm_db_missing_index_details";

#[test]
fn no_more_than_six_hundred_are_kept_and_a_changed_table_makes_room() {
    let engine = engine();
    let mut one = session(&engine);
    let columns: Vec<String> = (0..10).map(|n| format!("c{n}")).collect();
    let defined: Vec<String> = columns.iter().map(|column| format!("{column} int not null default 1")).collect();
    for (table, rows) in [("wide", 1200), ("other", 1200)] {
        let made = format!(
            "create table {table} (id int not null primary key, {}) insert {table} (id) select value from generate_series(1, {rows})",
            defined.join(", ")
        );
        assert!(!run(&mut one, &made).contains("Msg "));
    }
    for subset in 1..=620_u32 {
        let asked: Vec<String> =
            (0..10).filter(|bit| subset >> bit & 1 == 1).map(|bit| format!("c{bit} = 1")).collect();
        let told =
            run(&mut one, &format!("set nocount on select count(*) as n from wide where {}", asked.join(" and ")));
        assert_eq!(told, "[n:int]\n1200\n");
    }
    assert_eq!(run(&mut one, COUNT), "[n:int]\n600\n");
    run(&mut one, "select count(*) from other where c1 = 1");
    assert_eq!(run(&mut one, COUNT), "[n:int]\n600\n", "what is missed beyond is not kept");
    run(&mut one, "create index c1 on wide (c1) select count(*) from other where c1 = 1 and c2 = 1");
    assert_eq!(run(&mut one, COUNT), "[n:int]\n1\n", "those of the changed table are gone");
}

#[test]
fn who_may_not_see_the_state_of_the_server_sees_none() {
    let engine = engine();
    let mut one = session(&engine);
    run(
        &mut one,
        "create login reader with password = 'Aa1-Aa1-Aa1' create user reader grant view database state to reader",
    );
    for view in ["details", "groups", "group_stats", "group_stats_query", "columns(1)"] {
        let told =
            run(&mut one, &format!("execute as login = 'reader' select * from sys.dm_db_missing_index_{view}; revert"));
        assert!(told.contains("Msg 300, ") || told.contains("Msg 371, "), "{view}: {told}");
        run(&mut one, "revert");
    }
}

#[test]
fn sessions_that_miss_the_same_index_are_counted_together_while_others_read() {
    let engine = engine();
    let mut one = session(&engine);
    run(
        &mut one,
        "create table t (id int not null primary key, v int not null) insert t select value, value % 10 from generate_series(1, 2000)",
    );
    // Texts that two sessions parse at the same time for the first time are two.
    let missed = "set nocount on select count(*) as n from t where v = 3";
    run(&mut one, missed);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut own = session(&engine);
                for _ in 0..25 {
                    assert_eq!(run(&mut own, missed), "[n:int]\n200\n");
                }
            });
            scope.spawn(|| {
                let mut own = session(&engine);
                for _ in 0..25 {
                    let told = run(
                        &mut own,
                        "set nocount on select d.index_handle, s.user_seeks from sys.dm_db_missing_index_details d
                        join sys.dm_db_missing_index_groups g on g.index_handle = d.index_handle
                        join sys.dm_db_missing_index_group_stats s on s.group_handle = g.index_group_handle",
                    );
                    assert!(!told.contains("Msg "), "{told}");
                }
            });
        }
    });
    let told = run(
        &mut one,
        "set nocount on select user_seeks, unique_compiles from sys.dm_db_missing_index_group_stats select count(*) as n
         from sys.dm_db_missing_index_group_stats_query",
    );
    assert_eq!(told, "[user_seeks:bigint | unique_compiles:bigint]\n101 | 5\n[n:int]\n1\n");
}
