//! Names of temporary tables and procedures, of which a session has many: what hides, ends, comes back.

use crate::harness::{engine, run, session};

const TABLES: usize = 40;

/// The first value that a text gives.
fn value(session: &mut millpond_query::session::Session, text: &str) -> String {
    let told = run(session, text);
    told.lines().nth(1).unwrap_or(&told).to_owned()
}

#[test]
fn among_many_the_table_made_last_under_a_name_is_meant() {
    let engine = engine();
    let mut session = session(&engine);
    for i in 0..TABLES {
        run(&mut session, &format!("CREATE TABLE #T{i} (a int); INSERT #t{i} VALUES ({i})"));
    }
    assert_eq!(value(&mut session, "SELECT a FROM #t17"), "17");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM tempdb.sys.tables WHERE name LIKE '#T%'"), TABLES.to_string());
    run(
        &mut session,
        "CREATE PROCEDURE #inner AS SET NOCOUNT ON CREATE TABLE #t17 (a int, b int); INSERT #T17 VALUES (100, 1); CREATE TABLE #own (a int)
           SELECT a FROM #t17",
    );
    // The procedure's own table hides the session's and ends with it.
    assert_eq!(value(&mut session, "EXEC #inner"), "100");
    assert_eq!(value(&mut session, "SELECT a FROM #t17"), "17");
    assert_eq!(value(&mut session, "SELECT COALESCE(OBJECT_ID('tempdb..#own'), 0)"), "0");
    assert!(run(&mut session, "CREATE TABLE #t5 (a int)").contains("Msg 2714"));
}

#[test]
fn a_rollback_brings_dropped_tables_and_procedures_back() {
    let engine = engine();
    let mut session = session(&engine);
    for i in 0..TABLES {
        run(&mut session, &format!("CREATE TABLE #t{i} (a int); INSERT #t{i} VALUES ({i})"));
        run(&mut session, &format!("CREATE PROCEDURE #p{i} AS SELECT {i} AS a"));
    }
    run(&mut session, "BEGIN TRANSACTION");
    for i in 0..TABLES {
        run(&mut session, &format!("DROP TABLE #t{i}"));
        run(&mut session, &format!("DROP PROCEDURE #P{i}"));
        if i % 2 == 0 {
            run(&mut session, &format!("CREATE TABLE #t{i} (b int); INSERT #t{i} VALUES (-{i})"));
            run(&mut session, &format!("CREATE PROCEDURE #p{i} AS SELECT -1 AS a"));
        }
    }
    assert_eq!(value(&mut session, "SELECT b FROM #t6"), "-6");
    assert_eq!(value(&mut session, "EXEC #p6"), "-1");
    assert!(run(&mut session, "EXEC #p7").contains("Msg 2812"));
    run(&mut session, "ROLLBACK");
    for i in 0..TABLES {
        assert_eq!(value(&mut session, &format!("SELECT a FROM #t{i}")), i.to_string());
        assert_eq!(value(&mut session, &format!("EXEC #p{i}")), i.to_string());
    }
    run(&mut session, "BEGIN TRANSACTION; DROP TABLE #t3; DROP PROCEDURE #p3; COMMIT; BEGIN TRANSACTION; ROLLBACK");
    assert!(run(&mut session, "SELECT a FROM #t3").contains("Msg 208"));
    assert!(run(&mut session, "EXEC #p3").contains("Msg 2812"));
}

#[test]
fn table_variables_end_with_their_batch_and_tables_stay() {
    let engine = engine();
    let mut session = session(&engine);
    run(&mut session, "CREATE TABLE #stays (a int)");
    let declared: String =
        (0..TABLES).map(|i| format!("DECLARE @t{i} TABLE (a int); INSERT @t{i} VALUES ({i})\n")).collect();
    assert_eq!(value(&mut session, &format!("SET NOCOUNT ON {declared} SELECT a FROM @T33")), "33");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM tempdb.sys.tables"), "1");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM #stays"), "0");
}

#[test]
fn goto_finds_its_label_in_whatever_list_it_stands() {
    let engine = engine();
    let mut session = session(&engine);
    let text = "SET NOCOUNT ON DECLARE @said varchar(100) = '', @i int = 0
        GOTO inside
        first: SET @said += 'f' GOTO last
        IF 1 = 0 BEGIN SET @said += 'never' END ELSE BEGIN
            WHILE @i < 3 BEGIN
                SET @i += 1
                IF @i = 2 BEGIN again: SET @said += 'a' GOTO next END
                Inside: SET @said += 'i'
                next: SET @said += 'n'
            END
        END
        GOTO first
        last: SET @said += 'l'
        IF @i = 3 BEGIN SET @i = 7 GOTO AGAIN END
        SELECT @said AS said";
    // Into the loop at `inside`; passes 1, 2 and 3; out, back to `first`, on to `last`; once more in at `again`, and out.
    assert_eq!(value(&mut session, text), "ininaninflanfl");
}
