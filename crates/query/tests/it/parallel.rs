//! Plans of several threads: the same answers as of one, errors as they are, nobody left behind.
//!
//! The tables have some hundred pages, so that each of eight threads gets a piece of them; the threshold is 0.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{difference, engine, run, session, until_waiting};

/// The first session has the number 51.
const SESSION: u16 = 200;

const ROWS: &str = "SELECT h.i * 250 + l.i AS n FROM digits h CROSS JOIN digits l";

/// One test at a time: they count the threads of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// An engine, and a session with tables of 62,500 rows: a temporary heap, one with an index, one of a database.
fn rig() -> (MutexGuard<'static, ()>, Session) {
    let (alone, _, session) = rig_with_engine();
    (alone, session)
}

fn rig_with_engine() -> (MutexGuard<'static, ()>, Arc<Engine>, Session) {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let engine = engine();
    // A session whose number no other test's session has: its threads are called after it.
    let mut sessions: Vec<Session> = (0..150).map(|_| session(&engine)).collect();
    let mut session = sessions.pop().expect("some were opened");
    assert_eq!(session.shared().id.0, SESSION);
    for text in [
        "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'cost threshold for parallelism', 0; RECONFIGURE",
        "CREATE DATABASE wide",
        "USE wide",
        "CREATE TABLE digits (i int NOT NULL PRIMARY KEY)",
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 250 BEGIN INSERT digits VALUES (@i); SET @i += 1 END; SET NOCOUNT OFF",
        &format!(
            "SELECT n AS id, n % 777 AS g, CASE WHEN n % 10 = 0 THEN NULL ELSE n % 50 END AS v,
                    CAST(n AS decimal(12, 2)) / 4 AS d, CAST('Name ' + CAST(n % 100 AS varchar(10)) AS varchar(40)) AS s,
                    CAST(n AS float) / 8 AS f INTO #t FROM ({ROWS}) x"
        ),
        "SELECT id, g, s INTO dbo.h FROM #t",
        "CREATE TABLE c (id int NOT NULL PRIMARY KEY, g int NOT NULL, s varchar(40) COLLATE Latin1_General_CI_AS NOT NULL)",
        "INSERT c SELECT id, g, UPPER(s) FROM #t WHERE id % 2 = 0",
    ] {
        let told = run(&mut session, text);
        assert!(!told.contains("Msg "), "{told}");
    }
    (alone, engine, session)
}

/// What a query says, its rows in order.
fn answer(session: &mut Session, query: &str, degree: u32) -> String {
    let told = run(session, &format!("{query} OPTION (MAXDOP {degree})"));
    let mut lines: Vec<&str> = told.lines().collect();
    if !query.contains("ORDER BY") {
        lines.sort_unstable();
    }
    lines.join("\n")
}

fn plan(session: &mut Session, query: &str) -> String {
    run(session, "SET SHOWPLAN_TEXT ON");
    let told = run(session, query);
    run(session, "SET SHOWPLAN_TEXT OFF");
    told
}

/// Threads of parallel plans that there are.
fn workers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("threads are listed");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.trim() == format!("plan of {SESSION}"))
        .count()
}

/// That none is left. The system lists a thread for a moment after it has been waited for.
fn check_no_workers() {
    for _ in 0..2000 {
        if workers() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("a thread of a parallel plan is left");
}

const QUERIES: [&str; 36] = [
    "SELECT COUNT(*), SUM(v), AVG(v), MIN(s), MAX(s), SUM(d), COUNT(v) FROM #t",
    "SELECT g, COUNT(*), SUM(v), AVG(d), MIN(s), MAX(id) FROM #t GROUP BY g",
    "SELECT s, COUNT(DISTINCT g), SUM(DISTINCT v), COUNT(*) FROM #t GROUP BY s",
    "SELECT COUNT(DISTINCT g), COUNT(DISTINCT s) FROM #t",
    "SELECT DISTINCT g % 7, s FROM #t WHERE v > 20",
    "SELECT g, CAST(VAR(f) AS decimal(30, 3)), CAST(STDEVP(v) AS decimal(30, 3)), AVG(f) FROM #t WHERE g < 5 GROUP BY g",
    "SELECT id, s FROM #t WHERE id % 1000 < 3 ORDER BY s DESC, id",
    "SELECT TOP (50) id, d FROM #t ORDER BY v, id",
    "SELECT TOP (5) WITH TIES v FROM #t ORDER BY v DESC",
    "SELECT t.g, COUNT(*), SUM(t.v) FROM #t t JOIN dbo.h h ON h.id = t.id GROUP BY t.g",
    "SELECT COUNT(*), COUNT(c.id), SUM(c.g) FROM #t t LEFT JOIN c ON c.id = t.id + 1",
    "SELECT COUNT(*), COUNT(t.id), COUNT(c.id) FROM #t t FULL JOIN c ON c.id = t.id * 2",
    "SELECT COUNT(*) FROM c RIGHT JOIN #t t ON c.s = t.s AND c.id = t.id AND t.v < 7",
    "SELECT COUNT(*), COUNT(t.id), SUM(d.i) FROM digits d LEFT JOIN #t t ON t.g = d.i * 5 AND t.v > 10",
    "SELECT COUNT(*), COUNT(t.id), SUM(d.i) FROM digits d FULL JOIN #t t ON t.g = d.i * 5 AND t.v > 10",
    "SELECT i FROM digits d WHERE EXISTS (SELECT * FROM #t t WHERE t.g = d.i * 4 AND t.id > 62000)",
    "SELECT i FROM digits d WHERE NOT EXISTS (SELECT * FROM #t t WHERE t.g = d.i * 4 AND t.id > 62000)",
    "SELECT COUNT(*) FROM #t t WHERE EXISTS (SELECT * FROM c WHERE c.g = t.g AND c.id > 62000)",
    "SELECT COUNT(*) FROM #t t WHERE id NOT IN (SELECT id FROM c)",
    "SELECT COUNT(*), MAX(n) FROM (SELECT id AS n FROM #t UNION SELECT g FROM c UNION ALL SELECT 5) u",
    "SELECT id FROM #t WHERE id < 20000 EXCEPT SELECT id FROM c",
    "SELECT g, COUNT(*) FROM c WHERE id BETWEEN 1000 AND 50000 GROUP BY g HAVING COUNT(*) > 31",
    "SELECT s, COUNT(*) FROM c GROUP BY s ORDER BY s",
    "SELECT COUNT(*), SUM(x.m) FROM (SELECT g, MAX(v) AS m FROM #t GROUP BY g) x JOIN c ON c.g = x.g",
    "SELECT COUNT(*) FROM #t t WHERE v = (SELECT MAX(v) FROM #t u WHERE u.g = t.g)",
    "SELECT g, (SELECT COUNT(*) FROM digits WHERE i < a.g) FROM (SELECT g, COUNT(*) AS n FROM #t GROUP BY g) a WHERE g < 9",
    "SELECT COUNT(*), SUM(n), SUM(r) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY g ORDER BY id) AS n, RANK() OVER (PARTITION BY g ORDER BY v) AS r FROM #t) x",
    "SELECT g, MAX(s), MIN(s) FROM (SELECT g, SUM(v) OVER (PARTITION BY g ORDER BY id ROWS 3 PRECEDING) AS s FROM #t) x GROUP BY g ORDER BY g",
    "SELECT TOP (20) id, LAG(id) OVER (ORDER BY id), COUNT(*) OVER (PARTITION BY g), SUM(SUM(v)) OVER () FROM #t GROUP BY id, g ORDER BY id DESC",
    "SELECT g % 5, v, COUNT(*), SUM(d), GROUPING_ID(g % 5, v) FROM #t GROUP BY CUBE (g % 5, v)",
    "SELECT v, COUNT(*), SUM(id) FROM #t WHERE id < 0 GROUP BY ROLLUP (v)",
    "SELECT g % 3, STRING_AGG(CAST(id AS varchar(10)), ',') WITHIN GROUP (ORDER BY s, id DESC), CHECKSUM_AGG(id) FROM #t WHERE id % 200 < 2 GROUP BY g % 3 ORDER BY g % 3",
    "SELECT COUNT(*), SUM(id), MAX(s) FROM #t WHERE id % 3 <> 1 AND v * 2 > g % 50 AND (v = 0 OR 1000 / v < 100)",
    "SELECT COUNT(*), SUM(d), MIN(s) FROM #t WHERE d % 3 > 1.5 AND LEN(s) = 7 AND RIGHT(s, 1) LIKE '[1-4]'",
    "SELECT COUNT(*), SUM(id) FROM c WHERE id + g > 1000 AND s = 'name ' + CAST(id % 100 AS varchar(10))",
    "SELECT v, APPROX_COUNT_DISTINCT(id), APPROX_COUNT_DISTINCT(s), CHECKSUM_AGG(id) FROM #t GROUP BY v",
];

#[test]
fn answers_are_the_same_on_one_two_and_eight_threads() {
    let (_alone, mut session) = rig();
    for query in QUERIES {
        let one = answer(&mut session, query, 1);
        assert!(!one.contains("Msg "), "{query}\n{one}");
        for degree in [2, 8, 2] {
            let many = answer(&mut session, query, degree);
            assert!(one == many, "{query}, {degree} threads\n{}", difference(&one, &many));
            check_no_workers();
        }
    }
}

#[test]
fn a_plan_has_several_threads_when_it_costs_enough_and_may_have_them() {
    let (_alone, mut session) = rig();
    let query = "SELECT g, COUNT(*) FROM #t GROUP BY g";
    let parallel = plan(&mut session, &format!("{query} OPTION (MAXDOP 2)"));
    for part in ["Gather Streams", "Repartition Streams", "Partial Aggregate"] {
        assert!(parallel.contains(part), "{part}\n{parallel}");
    }
    assert!(!plan(&mut session, &format!("{query} OPTION (MAXDOP 1)")).contains("Parallelism"));
    run(&mut session, "EXEC sp_configure 'max degree of parallelism', 3; RECONFIGURE");
    assert!(plan(&mut session, query).contains("Parallelism"));
    // A small table, a variable, and a cost below the threshold.
    assert!(!plan(&mut session, "SELECT i % 3, COUNT(*) FROM digits GROUP BY i % 3").contains("Parallelism"));
    assert!(!plan(&mut session, "DECLARE @n int; SELECT @n = COUNT(*) FROM #t").contains("Parallelism"));
    run(&mut session, query);
    let waits = "SELECT COUNT(*) FROM sys.dm_os_wait_stats WHERE wait_type = 'CXPACKET' AND waiting_tasks_count > 0";
    assert!(run(&mut session, waits).contains("\n1\n"));
    run(&mut session, "EXEC sp_configure 'cost threshold for parallelism', 5000; RECONFIGURE");
    assert!(!plan(&mut session, query).contains("Parallelism"));
    run(&mut session, "EXEC sp_configure 'cost threshold for parallelism', 0; RECONFIGURE");
    run(&mut session, "EXEC sp_configure 'max degree of parallelism', 1; RECONFIGURE");
    assert!(!plan(&mut session, query).contains("Parallelism"));
}

#[test]
fn select_into_has_the_same_rows_by_values_and_by_records_on_one_thread_and_on_several() {
    let (_alone, mut session) = rig();
    let columns = "id, g, v, d, s, f, CAST(s AS nchar(12)) AS w, CAST(s + N' \u{20ac}' AS nvarchar(20)) AS x,
        CASE WHEN v % 2 = 0 THEN CAST(1 AS bit) END AS b, DATEADD(minute, id, CAST('20200101' AS datetime2(3))) AS t";
    let check =
        "SELECT COUNT(*), COUNT(v), COUNT(b), SUM(v), SUM(d), SUM(f), MIN(s), MAX(w), MAX(x), MIN(t), MAX(t) FROM";
    let mut told = Vec::new();
    for (number, (table, rows, degree)) in [
        ("#into", "#t", 1),
        ("#into", "#t", 4),
        ("dbo.stored", "#t", 1),
        ("dbo.stored", "#t", 4),
        // A condition and an operator; few rows of a table, for which values are made.
        ("#into", "(SELECT TOP (100000) * FROM #t ORDER BY id) x", 4),
    ]
    .into_iter()
    .enumerate()
    {
        let made =
            run(&mut session, &format!("SELECT {columns} INTO {table}{number} FROM {rows} OPTION (MAXDOP {degree})"));
        assert_eq!(made, "(62500 rows affected)\n");
        told.push(run(&mut session, &format!("{check} {table}{number}")));
    }
    assert!(told.iter().all(|told| *told == run(&mut session, &format!("{check} #into0"))), "{told:?}");
    run(&mut session, "SELECT TOP (9000) * INTO #few FROM #t ORDER BY id; SELECT * INTO #again FROM #few");
    let (few, again) = ("SELECT COUNT(*), SUM(d) FROM #few", "SELECT COUNT(*), SUM(d) FROM #again");
    assert_eq!(run(&mut session, few), run(&mut session, again));
    // A rolled back one leaves nothing, and one that fails on the way neither.
    run(&mut session, "BEGIN TRAN; SELECT id INTO #gone FROM #t OPTION (MAXDOP 4); ROLLBACK");
    assert!(run(&mut session, "SELECT COUNT(*) FROM #gone").contains("Msg 208"));
    let failed = run(&mut session, "SELECT 10 / (id - 60000) AS n INTO #gone FROM #t OPTION (MAXDOP 4)");
    assert!(failed.contains("Msg 8134"), "{failed}");
    assert!(run(&mut session, "SELECT COUNT(*) FROM #gone").contains("Msg 208"));
    check_no_workers();
}

#[test]
fn insert_select_adds_records_to_heaps_that_have_rows() {
    let (_alone, mut session) = rig();
    for table in ["#target", "dbo.target"] {
        let columns = "id int NOT NULL, g int NULL, v int NOT NULL, s varchar(60) NULL";
        run(&mut session, &format!("CREATE TABLE {table} ({columns}); INSERT {table} VALUES (-1, -1, -1, 'first')"));
        for degree in [1, 4] {
            let insert = format!(
                "INSERT {table} WITH (TABLOCK) SELECT id, g, ISNULL(v, 0), s FROM #t WHERE id >= 100 OPTION (MAXDOP {degree})"
            );
            assert_eq!(run(&mut session, &insert), "(62400 rows affected)\n", "{insert}");
        }
        let sums = "SELECT COUNT(*), COUNT(g), SUM(v), SUM(CAST(g AS bigint)), MIN(s), MAX(s)";
        let expected = run(
            &mut session,
            &format!(
                "{sums} FROM (SELECT -1 AS g, -1 AS v, CAST('first' AS varchar(60)) AS s
                UNION ALL SELECT g, ISNULL(v, 0), s FROM #t WHERE id >= 100
                UNION ALL SELECT g, ISNULL(v, 0), s FROM #t WHERE id >= 100) x"
            ),
        );
        assert_eq!(run(&mut session, &format!("{sums} FROM {table}")), expected, "{table}");
        // A NULL for a column that has none, a text that is too long: checked row by row.
        let null = run(&mut session, &format!("INSERT {table} SELECT id, g, v, s FROM #t"));
        assert!(null.contains("Msg 515"), "{null}");
        let long = run(&mut session, &format!("INSERT {table} SELECT id, g, 1, s + REPLICATE('x', 55) FROM #t"));
        assert!(long.contains("Msg 2628") || long.contains("Msg 8152"), "{long}");
        assert_eq!(run(&mut session, &format!("{sums} FROM {table}")), expected, "{table}");
    }
}

#[test]
fn a_statement_does_not_meet_the_rows_that_it_adds() {
    let (_alone, mut session) = rig();
    for round in 1..=2u32 {
        let told = run(
            &mut session,
            "INSERT #t (id, g, v, d, s, f) SELECT t.id, t.g, t.v, t.d, t.s, t.f FROM #t t JOIN c ON c.id = t.id OPTION (MAXDOP 4)",
        );
        assert!(told.contains(&format!("({} rows affected)", 31_250 * 2u32.pow(round - 1))), "{told}");
    }
}

#[test]
fn errors_come_as_they_are_and_leave_no_thread() {
    let (_alone, mut session) = rig();
    let failing = "SELECT g, SUM(10 / (id - 60000)) FROM #t GROUP BY g";
    let (one, many) = (answer(&mut session, failing, 1), answer(&mut session, failing, 4));
    assert!(one.contains("Msg 8134"), "{one}");
    assert_eq!(one, many);
    check_no_workers();
    // The plan can run again, also after a run that nobody wanted to its end.
    let told =
        run(&mut session, "SET ROWCOUNT 2; SELECT g, COUNT(*) FROM #t GROUP BY g OPTION (MAXDOP 4); SET ROWCOUNT 0");
    assert!(told.contains("(2 rows affected)"), "{told}");
    check_no_workers();
}

#[test]
fn a_cancelled_plan_ends_with_all_its_threads() {
    let (_alone, mut session) = rig();
    let shared = Arc::clone(session.shared());
    let killer = std::thread::spawn(move || {
        while workers() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        shared.cancel();
    });
    let told = run(
        &mut session,
        "SELECT COUNT(*) FROM #t a JOIN #t b ON a.v = b.v AND a.id <> b.id WHERE a.id + b.id < 0 OPTION (MAXDOP 2)",
    );
    killer.join().expect("a worker was seen");
    assert!(!told.contains("(1 rows affected)"), "{told}");
    check_no_workers();
}

#[test]
fn a_session_on_a_thread_of_another_runtime_has_parallel_plans_too() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("threads");
    let told = runtime.block_on(async {
        let session = tokio::task::spawn_blocking(|| {
            let (_alone, mut session) = rig();
            let told = answer(&mut session, "SELECT COUNT(*), SUM(g) FROM (SELECT DISTINCT g FROM #t) x", 3);
            check_no_workers();
            told
        });
        session.await.expect("no panic")
    });
    assert!(told.contains("777 | 301476"), "{told}");
}

#[test]
fn threads_wait_for_locks_and_stop_waiting_when_cancelled() {
    let (_alone, engine, mut reader) = rig_with_engine();
    let mut writer = session(&engine);
    let query = "SELECT COUNT(*), SUM(g), MIN(s) FROM c WITH (READCOMMITTEDLOCK) OPTION (MAXDOP 4)";
    let expected = run(&mut reader, query);
    let shared = Arc::clone(reader.shared());
    // Several rows, so that several threads come to one.
    let change = "USE wide; BEGIN TRAN; UPDATE c SET g = -1 WHERE id IN (2, 15000, 30000, 45000, 60000)";
    for is_cancelled in [false, true] {
        run(&mut writer, change);
        let waiting = std::thread::spawn(move || {
            let told = run(&mut reader, query);
            (reader, told)
        });
        until_waiting(&engine, 1);
        if is_cancelled {
            shared.cancel();
        } else {
            run(&mut writer, "ROLLBACK");
        }
        let (back, told) = waiting.join().expect("no panic");
        reader = back;
        check_no_workers();
        assert_eq!(told == expected, !is_cancelled, "{told}");
    }
    run(&mut writer, "ROLLBACK");
    assert_eq!(run(&mut reader, query), expected);
}

/// What the workers' threads did is the statement's, its session's and its request's CPU time.
#[test]
fn the_time_of_workers_is_their_statements() {
    let (_alone, _, mut session) = rig_with_engine();
    let query = "SELECT g, COUNT(*) AS n, MIN(d) AS d, MAX(s) AS s FROM #t GROUP BY g, s OPTION (MAXDOP 2)";
    let own_us = millpond_catalog::clock::thread_cpu_us();
    let told = run(&mut session, query);
    let own_us = millpond_catalog::clock::thread_cpu_us() - own_us;
    assert!(told.starts_with("[g:int"), "{told}");
    let counted = "SELECT CAST(MAX(total_worker_time) AS int) AS us FROM sys.dm_exec_query_stats AS q
        CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS x WHERE x.text LIKE 'SELECT g, COUNT(*) AS n, MIN(d)%MAXDOP 2%'";
    let number = |told: String| told.lines().nth(1).and_then(|line| line.parse::<u64>().ok()).expect("a number");
    let counted_us = number(run(&mut session, counted));
    // The session's thread alone cannot have used more than the whole batch did.
    assert!(counted_us > own_us, "{counted_us} µs counted, {own_us} µs of the session's own thread");
    let of_session = format!("SELECT cpu_time FROM sys.dm_exec_sessions WHERE session_id = {SESSION}");
    assert!(number(run(&mut session, &of_session)) >= counted_us / 1000);
}

#[test]
fn threads_of_a_plan_see_the_session_as_its_own_thread_does() {
    let (_alone, mut session) = rig();
    // Day, month: the other way round other months come out, and no error says so.
    let made = run(
        &mut session,
        "SELECT id, g, CAST(id % 12 + 1 AS varchar(2)) + '/' + CAST(id % 11 + 1 AS varchar(2)) + '/2024' AS t INTO #d FROM #t",
    );
    assert!(made.contains("62500 rows"), "{made}");
    let set = "SET DATEFORMAT dmy; SET DATEFIRST 3; SET TEXTSIZE 12345; SET LOCK_TIMEOUT 54321";
    assert!(!run(&mut session, set).contains("Msg "));
    // A condition that holds for every row, and the rows that it holds for.
    for condition in [
        "MONTH(CAST(t AS date)) = id % 11 + 1",
        "MONTH(CAST(t AS datetime)) = id % 11 + 1",
        "DAY(CONVERT(smalldatetime, t)) = id % 12 + 1",
        "DATEPART(month, t) = id % 11 + 1",
        "ISDATE(t) = 1",
        "TRY_CONVERT(date, t, 103) = TRY_CAST(t AS date)",
        "DATEPART(weekday, CAST('20240103' AS date)) = 1 + g * 0",
        "@@DATEFIRST + @@TEXTSIZE + @@LOCK_TIMEOUT + g = 3 + 12345 + 54321 + g",
        "DB_NAME() + SUSER_SNAME() + CAST(@@SPID AS varchar(10)) + CAST(g AS varchar(10)) = 'widesa200' + CAST(g AS varchar(10))",
    ] {
        let query = format!("SELECT COUNT(*) FROM #d WHERE {condition}");
        let told = plan(&mut session, &query);
        assert!(told.contains("Parallelism"), "{query}\n{told}");
        for degree in [1, 8] {
            let told = answer(&mut session, &query, degree);
            assert!(told.contains("62500"), "degree {degree}: {query}\n{told}");
        }
    }
    // The plan is kept, the setting is not.
    let query = "SELECT COUNT(*) FROM #d WHERE MONTH(CAST(t AS date)) = id % 11 + 1";
    assert!(!run(&mut session, "SET DATEFORMAT mdy").contains("Msg "));
    let (one, many) = (answer(&mut session, query, 1), answer(&mut session, query, 8));
    assert_eq!(one, many);
    assert!(!many.contains("62500"), "{many}");
    check_no_workers();
}

#[test]
fn threads_of_a_plan_share_the_values_of_their_statement() {
    let (_alone, mut session) = rig();
    for degree in [1, 8] {
        for _ in 0..3 {
            let query = "SELECT COUNT(DISTINCT x), COUNT(DISTINCT t), COUNT(DISTINCT u) FROM (SELECT RAND() + g * 0 AS x, DATEADD(day, g * 0, SYSDATETIME()) AS t, DATEADD(day, g * 0, SYSUTCDATETIME()) AS u FROM #t) y";
            let told = answer(&mut session, query, degree);
            assert!(told.contains("1 | 1 | 1"), "degree {degree}: {told}");
            let told = answer(&mut session, "SELECT COUNT(*) FROM #t WHERE id = CAST(RAND() * 62500 AS int)", degree);
            assert!(told.lines().any(|line| line == "1"), "degree {degree}: {told}");
        }
        let told = answer(&mut session, "SELECT COUNT(DISTINCT n) FROM (SELECT NEWID() AS n FROM #t) y", degree);
        assert!(told.contains("62500"), "degree {degree}: {told}");
    }
    check_no_workers();
}
