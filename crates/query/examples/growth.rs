//! Prints how the cost of one more grows: of a table in the catalog, a variable in a batch, a term in a list and so on, at four
//! sizes, each twice the one before. What is linear costs the same per unit at each; a look-up in the catalog costs the same
//! however much there is. `GROWS` marks what costs more than 1.2 times as much per unit at the greatest size as at the least.
//! A database in memory and one session; CPU time of the process, the least of several runs.
//!
//! `cargo run --release -p millpond-query --example growth [part of a subject's name] [factor of the sizes, 1]`

mod rig;

use std::fmt::Write as _;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use rig::{cpu_seconds, run};

/// How much more a unit may cost at the greatest size than at the least.
const BOUND: f64 = 1.2;

/// Sizes of a subject: so many times its least.
const STEPS: [usize; 4] = [1, 2, 4, 8];

/// What a subject's text is made of.
enum Form {
    /// A batch of `n` units, run in a session of its own; the text that makes ready, and the text that counts.
    Batch { ready: fn(usize) -> Vec<String>, text: fn(usize) -> Vec<String> },
    /// A statement that is repeated in a loop over a catalog of `n` tables; it sees `@id`, `@name` of one and `@i`.
    Catalog(&'static str),
}

/// What grows.
struct Subject {
    name: &'static str,
    /// The least size.
    least: usize,
    form: Form,
}

const fn batch(name: &'static str, least: usize, text: fn(usize) -> Vec<String>) -> Subject {
    Subject { name, least, form: Form::Batch { ready: |_| Vec::new(), text } }
}

const fn after(
    name: &'static str,
    least: usize,
    ready: fn(usize) -> Vec<String>,
    text: fn(usize) -> Vec<String>,
) -> Subject {
    Subject { name, least, form: Form::Batch { ready, text } }
}

const fn lookup(name: &'static str, text: &'static str) -> Subject {
    Subject { name, least: 1250, form: Form::Catalog(text) }
}

/// One text of `n` parts.
fn parts(begin: &str, n: usize, part: impl Fn(usize) -> String, between: &str, end: &str) -> Vec<String> {
    let mut text = begin.to_owned();
    for i in 0..n {
        if i > 0 {
            text.push_str(between);
        }
        let _ = write!(text, "{}", part(i));
    }
    text.push_str(end);
    vec![text]
}

/// `n` texts.
fn texts(n: usize, text: impl Fn(usize) -> String) -> Vec<String> {
    (0..n).map(text).collect()
}

fn looped(n: usize, body: &str) -> Vec<String> {
    vec![format!(
        "SET NOCOUNT ON; DECLARE @i int = 0, @s nvarchar(4000), @v int; WHILE @i < {n} BEGIN {body}; SET @i += 1 END"
    )]
}

fn table_of(name: &str) -> String {
    format!("CREATE TABLE {name} (id int IDENTITY PRIMARY KEY, a int NULL DEFAULT 0, b varchar(20) NULL)")
}

fn queue(n: usize, key: &str) -> Vec<String> {
    let mut all = vec![format!("CREATE TABLE q (id int NOT NULL {key}, a int)")];
    all.extend(looped(n, "INSERT q VALUES (@i, @i)"));
    all
}

const SUBJECTS: &[Subject] = &[
    lookup("OBJECT_ID", "SET @v = OBJECT_ID(@name)"),
    lookup("OBJECT_NAME", "SET @s = OBJECT_NAME(@id)"),
    lookup("OBJECT_NAME of a constraint", "SET @s = OBJECT_NAME(@id + 1)"),
    lookup("OBJECT_SCHEMA_NAME", "SET @s = OBJECT_SCHEMA_NAME(@id)"),
    lookup("OBJECTPROPERTY", "SET @v = OBJECTPROPERTY(@id, 'IsUserTable')"),
    lookup("COLUMNPROPERTY", "SET @v = COLUMNPROPERTY(@id, 'a', 'AllowsNull')"),
    lookup("INDEXPROPERTY", "SET @v = INDEXPROPERTY(@id, 'x', 'IsUnique')"),
    lookup("COL_NAME", "SET @s = COL_NAME(@id, 1)"),
    lookup("COL_LENGTH", "SET @v = COL_LENGTH(@name, 'a')"),
    lookup("IDENT_CURRENT", "SET @v = IDENT_CURRENT(@name)"),
    lookup("sys.objects by object_id", "SELECT @s = name FROM sys.objects WHERE object_id = @id"),
    lookup("sys.objects by name", "SELECT @v = object_id FROM sys.objects WHERE name = @name AND type = 'U'"),
    lookup("sys.tables by name", "SELECT @v = object_id FROM sys.tables WHERE name = @name"),
    lookup("sys.columns by object_id", "SELECT @v = COUNT(*) FROM sys.columns WHERE object_id = @id"),
    lookup("sys.columns by OBJECT_ID", "SELECT @v = COUNT(*) FROM sys.columns WHERE object_id = OBJECT_ID(@name)"),
    lookup("sys.indexes by object_id", "SELECT @v = COUNT(*) FROM sys.indexes WHERE object_id = @id"),
    lookup(
        "IF EXISTS over sys.objects",
        "IF EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(@name) AND type IN ('U')) SET @v = 1",
    ),
    lookup(
        "sys.columns joined with sys.tables",
        "SELECT @v = COUNT(*) FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = @name",
    ),
    lookup("sys.default_constraints", "SELECT @s = name FROM sys.default_constraints WHERE parent_object_id = @id"),
    lookup("INFORMATION_SCHEMA.TABLES", "SELECT @v = COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = @name"),
    lookup(
        "INFORMATION_SCHEMA.COLUMNS",
        "SELECT @v = COUNT(*) FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = @name",
    ),
    lookup("sysobjects by name", "SELECT @v = id FROM sysobjects WHERE name = @name"),
    lookup("CREATE and DROP TABLE", "CREATE TABLE one (a int PRIMARY KEY, b int DEFAULT 1); DROP TABLE one"),
    lookup("CREATE and DROP of #t", "CREATE TABLE #one (a int PRIMARY KEY, b int DEFAULT 1); DROP TABLE #one"),
    lookup("TRUNCATE TABLE", "TRUNCATE TABLE t7"),
    lookup("INSERT and DELETE", "INSERT t7 DEFAULT VALUES; DELETE t7"),
    batch("CREATE TABLE", 500, |n| texts(n, |i| table_of(&format!("t{i}")))),
    batch("CREATE TABLE in one transaction", 250, |n| {
        let mut all = vec!["BEGIN TRANSACTION".to_owned()];
        all.extend(texts(n, |i| table_of(&format!("t{i}"))));
        all.push("ROLLBACK".to_owned());
        all
    }),
    after(
        "DROP TABLE",
        500,
        |n| texts(n, |i| table_of(&format!("t{i}"))),
        |n| texts(n, |i| format!("DROP TABLE t{i}")),
    ),
    after(
        "ALTER TABLE ADD, one column each of n tables",
        250,
        |n| texts(n, |i| table_of(&format!("t{i}"))),
        |n| texts(n, |i| format!("ALTER TABLE t{i} ADD c int NULL")),
    ),
    batch("CREATE PROCEDURE", 500, |n| texts(n, |i| format!("CREATE PROCEDURE p{i} AS SELECT 1"))),
    batch("CREATE VIEW", 250, |n| texts(n, |i| format!("CREATE VIEW v{i} AS SELECT 1 AS a"))),
    batch("CREATE SCHEMA", 250, |n| texts(n, |i| format!("CREATE SCHEMA s{i}"))),
    batch("CREATE TYPE", 250, |n| texts(n, |i| format!("CREATE TYPE y{i} FROM int"))),
    after(
        "procedures called in turn",
        250,
        |n| texts(n, |i| format!("CREATE PROCEDURE p{i} AS RETURN")),
        |n| parts("", n, |i| format!("EXEC p{i}"), "; ", ""),
    ),
    batch("foreign keys to one table", 125, |n| {
        let mut all = vec!["CREATE TABLE p (a int PRIMARY KEY)".to_owned()];
        all.extend(texts(n, |i| format!("CREATE TABLE c{i} (a int REFERENCES p)")));
        all
    }),
    batch("temporary tables, made", 500, |n| texts(n, |i| format!("CREATE TABLE #t{i} (a int)"))),
    batch("temporary tables, one batch", 125, |n| {
        parts("SET NOCOUNT ON ", n, |i| format!("CREATE TABLE #t{i} (a int); INSERT #t{i} VALUES ({i})"), "\n", "")
    }),
    after(
        "temporary tables, used",
        500,
        |n| texts(n, |i| format!("CREATE TABLE #t{i} (a int)")),
        |n| texts(n, |i| format!("INSERT #t{i} VALUES ({i})")),
    ),
    after(
        "temporary tables, dropped",
        500,
        |n| texts(n, |i| format!("CREATE TABLE #t{i} (a int)")),
        |n| texts(n, |i| format!("DROP TABLE #t{i}")),
    ),
    batch("temporary tables, made and dropped in one transaction", 250, |n| {
        let mut all = vec!["BEGIN TRANSACTION".to_owned()];
        all.extend(texts(n, |i| format!("CREATE TABLE #t{i} (a int); DROP TABLE #t{i}")));
        all.push("ROLLBACK".to_owned());
        all
    }),
    batch("temporary procedures", 250, |n| texts(n, |i| format!("CREATE PROCEDURE #p{i} AS RETURN"))),
    batch("table variables", 125, |n| {
        parts("SET NOCOUNT ON ", n, |i| format!("DECLARE @t{i} TABLE (a int); INSERT @t{i} VALUES ({i})"), "\n", "")
    }),
    batch("variables", 1250, |n| parts("", n, |i| format!("DECLARE @v{i} int = {i}"), "\n", "")),
    batch("variables of one DECLARE", 1250, |n| parts("DECLARE ", n, |i| format!("@v{i} int = {i}"), ", ", "")),
    batch("variables, each assigned", 1250, |n| {
        parts("", n, |i| format!("DECLARE @v{i} int = {i} SET @v{i} += 1"), "\n", "")
    }),
    batch("statements", 1250, |n| parts("DECLARE @v int; ", n, |i| format!("SET @v = {i}"), "\n", "")),
    batch("statements that read", 250, |n| parts("DECLARE @v int; ", n, |i| format!("SELECT @v = {i}"), "\n", "")),
    batch("labels", 1250, |n| parts("", n, |i| format!("GOTO l{i}; l{i}:"), "\n", "")),
    batch("labels behind", 1250, |n| {
        let mut text = format!("GOTO l{}", n - 1);
        for i in 0..n {
            let _ = write!(text, "\nl{i}:");
        }
        vec![text]
    }),
    after(
        "savepoints",
        1250,
        |_| Vec::new(),
        |n| parts("BEGIN TRANSACTION ", n, |i| format!("SAVE TRANSACTION s{i}"), "\n", " ROLLBACK"),
    ),
    after(
        "locks of a transaction",
        2500,
        |n| queue(n, "PRIMARY KEY"),
        |n| {
            let body = "SELECT @v = a FROM q WITH (XLOCK, ROWLOCK) WHERE id = @i";
            let mut all = vec!["ALTER TABLE q SET (LOCK_ESCALATION = DISABLE); BEGIN TRANSACTION".to_owned()];
            all.extend(looped(n, body));
            all.push("ROLLBACK".to_owned());
            all
        },
    ),
    after(
        "changes of a transaction",
        2500,
        |n| queue(n, "PRIMARY KEY"),
        |n| {
            let mut all = vec!["BEGIN TRANSACTION".to_owned()];
            all.extend(looped(n, "UPDATE q SET a += 1 WHERE id = @i"));
            all.push("ROLLBACK".to_owned());
            all
        },
    ),
    after("DELETE TOP (1) of a heap", 1250, |n| queue(n, ""), |n| looped(n, "DELETE TOP (1) FROM q")),
    after("DELETE TOP (1) of a tree", 1250, |n| queue(n, "PRIMARY KEY"), |n| looped(n, "DELETE TOP (1) FROM q")),
    after(
        "DELETE TOP (1) of a tree in one transaction",
        1250,
        |n| queue(n, "PRIMARY KEY"),
        |n| {
            let mut all = vec!["BEGIN TRANSACTION".to_owned()];
            all.extend(looped(n, "DELETE TOP (1) FROM q"));
            all.push("ROLLBACK".to_owned());
            all
        },
    ),
    after(
        "queue: the first by key, OUTPUT, READPAST",
        1250,
        |n| queue(n, "PRIMARY KEY"),
        |n| {
            let body = "WITH x AS (SELECT TOP (1) * FROM q WITH (ROWLOCK, READPAST) ORDER BY id)
                        DELETE x OUTPUT deleted.a INTO @o";
            let mut all = looped(n, body);
            all[0].insert_str(0, "DECLARE @o TABLE (a int); ");
            all
        },
    ),
    after(
        "DELETE TOP (1) of #t",
        1250,
        |n| {
            let mut all = vec!["CREATE TABLE #q (id int, a int)".to_owned()];
            all.extend(looped(n, "INSERT #q VALUES (@i, @i)"));
            all
        },
        |n| looped(n, "DELETE TOP (1) FROM #q"),
    ),
    after(
        "DELETE by key, INSERT at the end",
        1250,
        |_| queue(100, "PRIMARY KEY"),
        |n| looped(n, "SELECT @v = MIN(id) FROM q; DELETE q WHERE id = @v; INSERT q VALUES (@i + 100, 0)"),
    ),
    batch("nonclustered indexes, made", 60, |n| {
        let mut all = vec!["CREATE TABLE x (a int, b int)".to_owned()];
        all.extend(texts(n, |i| format!("CREATE INDEX i{i} ON x (a, b)")));
        all
    }),
    after(
        "nonclustered indexes, entries",
        60,
        |n| {
            let mut all = vec!["CREATE TABLE x (a int, b int)".to_owned()];
            all.extend(texts(n, |i| format!("CREATE INDEX i{i} ON x (a, b)")));
            all
        },
        |_| looped(50, "INSERT x VALUES (@i, @i)"),
    ),
    batch("columns of a table", 125, |n| {
        let mut all = parts("CREATE TABLE w (", n, |i| format!("c{i} int"), ", ", ")");
        all.extend(parts("INSERT w VALUES (", n, |i| i.to_string(), ", ", ")"));
        all.extend(parts("SELECT ", n, |i| format!("c{i}"), ", ", " FROM w"));
        all
    }),
    batch("columns of #t, default and check each", 100, |n| {
        parts(
            "CREATE TABLE #w (",
            n,
            |i| format!("c{i} int DEFAULT {i} CHECK (c{i} > -1)"),
            ", ",
            "); INSERT #w DEFAULT VALUES",
        )
    }),
    batch("ALTER TABLE ADD, columns of one table", 60, |n| {
        let mut all = vec!["CREATE TABLE w (a int)".to_owned()];
        all.extend(texts(n, |i| format!("ALTER TABLE w ADD c{i} int NULL")));
        all
    }),
    batch("terms of IN", 1250, |n| {
        parts("DECLARE @v int = 0; IF @v IN (", n, |i| (i + 1).to_string(), ", ", ") SET @v = 1")
    }),
    after(
        "terms of IN over rows",
        1250,
        |_| queue(100, "PRIMARY KEY"),
        |n| parts("SELECT COUNT(*) FROM q WHERE id IN (", n, |i| (i + 1).to_string(), ", ", ")"),
    ),
    after(
        "terms of OR",
        500,
        |_| queue(100, ""),
        |n| parts("SELECT COUNT(*) FROM q WHERE ", n, |i| format!("a = {i}"), " OR ", ""),
    ),
    after(
        "terms of AND",
        500,
        |_| queue(100, ""),
        |n| parts("SELECT COUNT(*) FROM q WHERE ", n, |i| format!("a <> -{i} - 1"), " AND ", ""),
    ),
    batch("terms of a sum", 1250, |n| parts("DECLARE @v int = 1; SET @v = ", n, |_| "@v".to_owned(), " + ", "")),
    batch("branches of CASE", 500, |n| {
        parts("DECLARE @v int = 1; SET @v = CASE @v", n, |i| format!(" WHEN {} THEN {i}", i + 2), "", " END")
    }),
    batch("rows of VALUES", 1250, |n| {
        parts("SELECT COUNT(*) FROM (VALUES ", n, |i| format!("({i}, 'a')"), ", ", ") v (a, b)")
    }),
    batch("rows of INSERT", 125, |n| {
        let mut all = vec!["CREATE TABLE r (a int, b varchar(10))".to_owned()];
        all.extend(parts("INSERT r VALUES ", n, |i| format!("({i}, 'a')"), ", ", ""));
        all
    }),
    batch("branches of UNION ALL", 60, |n| {
        parts("SELECT COUNT(*) FROM (", n, |i| format!("SELECT {i} AS a"), " UNION ALL ", ") x")
    }),
    batch("branches of UNION", 30, |n| {
        parts("SELECT COUNT(*) FROM (", n, |i| format!("SELECT {i} AS a"), " UNION ", ") x")
    }),
    batch("nested queries", 4, |n| {
        let mut text = "SELECT 1 AS a".to_owned();
        for i in 0..n {
            text = format!("SELECT a FROM ({text}) x{i}");
        }
        vec![text]
    }),
    batch("nested subqueries", 4, |n| {
        let mut text = "SELECT 1".to_owned();
        for _ in 0..n {
            text = format!("SELECT ({text})");
        }
        vec![text]
    }),
    batch("common table expressions", 30, |n| {
        let part = |i: usize| match i {
            0 => "c0 AS (SELECT 1 AS a)".to_owned(),
            i => format!("c{i} AS (SELECT a FROM c{})", i - 1),
        };
        let mut all = parts("WITH ", n, part, ", ", "");
        let _ = write!(all[0], " SELECT a FROM c{}", n - 1);
        all
    }),
    after(
        "aggregates of a SELECT",
        60,
        |_| queue(100, ""),
        |n| parts("SELECT ", n, |i| format!("SUM(a + {i})"), ", ", " FROM q"),
    ),
    after(
        "distinct aggregates of a SELECT",
        4,
        |_| queue(100, ""),
        |n| parts("SELECT ", n, |i| format!("COUNT(DISTINCT a + {i})"), ", ", " FROM q"),
    ),
    after(
        "windows of a SELECT, one order",
        30,
        |_| queue(100, ""),
        |n| parts("SELECT ", n, |i| format!("SUM(a + {i}) OVER (ORDER BY id)"), ", ", " FROM q"),
    ),
    after(
        "windows of a SELECT, an order each",
        15,
        |_| queue(100, ""),
        |n| parts("SELECT ", n, |i| format!("ROW_NUMBER() OVER (ORDER BY a % {})", i + 2), ", ", " FROM q"),
    ),
    after(
        "scalar subqueries of a SELECT",
        8,
        |_| queue(100, "PRIMARY KEY"),
        |n| parts("SELECT ", n, |i| format!("(SELECT MAX(a) FROM q WHERE id > {i})"), ", ", ""),
    ),
    after(
        "tables of a join",
        8,
        |_| queue(10, "PRIMARY KEY"),
        |n| {
            let mut text = "SELECT COUNT(*) FROM q q0".to_owned();
            for i in 1..n {
                let _ = write!(text, " JOIN q q{i} ON q{i}.id = q{}.id", i - 1);
            }
            vec![text]
        },
    ),
    after(
        "parameters of a procedure",
        250,
        |n| parts("CREATE PROCEDURE p ", n, |i| format!("@p{i} int = {i}"), ", ", " AS RETURN"),
        |n| parts("EXEC p ", n, |i| format!("@p{i} = {i}"), ", ", ""),
    ),
    batch("cursors", 125, |n| {
        parts(
            "",
            n,
            |i| format!("DECLARE c{i} CURSOR FOR SELECT {i}; OPEN c{i}; FETCH c{i}; CLOSE c{i}; DEALLOCATE c{i}"),
            "\n",
            "",
        )
    }),
    batch("cursors, all open", 125, |n| {
        parts("", n, |i| format!("DECLARE c{i} CURSOR FOR SELECT {i}; OPEN c{i}; FETCH c{i}"), "\n", "")
    }),
    batch("text, appended", 5000, |n| {
        vec![format!(
            "SET NOCOUNT ON; DECLARE @i int = 0, @s varchar(max) = ''; WHILE @i < {n} BEGIN SET @s += 'twenty characters ..'; SET @i += 1 END"
        )]
    }),
    batch("CHARINDEX along a text", 2500, |n| {
        vec![format!(
            "SET NOCOUNT ON; DECLARE @s varchar(max) = REPLICATE(CAST('nineteen characters,' AS varchar(max)), {n}), @at int = 1, @c int = 0;
             WHILE @at > 0 BEGIN SET @at = CHARINDEX(',', @s, @at + 1); SET @c += 1 END"
        )]
    }),
    batch("CHARINDEX along a text beyond ASCII", 2500, |n| {
        vec![format!(
            "SET NOCOUNT ON; DECLARE @s nvarchar(max) = REPLICATE(CAST(N'nineteen charàcters,' AS nvarchar(max)), {n}), @at int = 1, @c int = 0;
             WHILE @at > 0 BEGIN SET @at = CHARINDEX(N',', @s, @at + 1); SET @c += 1 END"
        )]
    }),
    batch("SUBSTRING along a text", 2500, |n| {
        vec![format!(
            "SET NOCOUNT ON; DECLARE @s varchar(max) = REPLICATE(CAST('nineteen characters,' AS varchar(max)), {n}), @i int = 0, @c varchar(20);
             WHILE @i < {n} BEGIN SET @c = SUBSTRING(@s, @i * 20 + 1, 20); SET @i += 1 END"
        )]
    }),
    batch("REPLACE with a match each", 25_000, |n| {
        vec![format!("DECLARE @s varchar(max) = REPLACE(REPLICATE(CAST('a,' AS varchar(max)), {n}), ',', '; ')")]
    }),
    batch(".WRITE at the end", 250, |n| {
        let mut all = vec!["CREATE TABLE l (id int PRIMARY KEY, v varchar(max)); INSERT l VALUES (1, '')".to_owned()];
        all.extend(looped(n, "UPDATE l SET v.WRITE(REPLICATE('x', 100), NULL, 0) WHERE id = 1"));
        all
    }),
    after(
        "DATALENGTH of a stored value",
        1250,
        |n| {
            vec![format!(
                "CREATE TABLE l (id int PRIMARY KEY, v varchar(max)); INSERT l VALUES (1, REPLICATE(CAST('x' AS varchar(max)), {n} * 1000))"
            )]
        },
        |n| looped(n, "SELECT @v = DATALENGTH(v) FROM l WHERE id = 1"),
    ),
];

/// Seconds of a batch's units at size `n`, in a database of its own.
fn batch_seconds(ready: &[String], texts: &[String]) -> f64 {
    let engine = rig::engine(1 << 30);
    let mut session = new_database(&engine);
    for text in ready {
        run(&mut session, text);
    }
    let before = cpu_seconds();
    for text in texts {
        run(&mut session, text);
    }
    cpu_seconds() - before
}

fn new_database(engine: &Arc<Engine>) -> Session {
    let mut session = rig::session(engine);
    run(&mut session, "CREATE DATABASE growth");
    run(&mut session, "USE growth");
    session
}

fn print(name: &str, least: usize, seconds: [f64; 4]) -> bool {
    let us = seconds.map(|seconds| seconds * 1e6);
    let ratio = us[3] / us[0];
    let grows = ratio > BOUND;
    let mark = if grows { "GROWS" } else { "" };
    println!(
        "{name:<54} {least:>6} {:>10.2} {:>10.2} {:>10.2} {:>10.2} {ratio:>7.2} {mark}",
        us[0], us[1], us[2], us[3]
    );
    grows
}

/// Calls of a look-up that are measured.
const CALLS: usize = 100;

/// The look-ups, over one catalog that grows from size to size.
fn lookups(wanted: &[&Subject], factor: f64) -> usize {
    let Some(first) = wanted.first() else { return 0 };
    let least = scaled(first.least, factor);
    let engine = rig::engine(1 << 30);
    let mut session = new_database(&engine);
    let mut seconds = vec![[0.0; 4]; wanted.len()];
    let mut made = 0;
    for (step, times) in STEPS.into_iter().enumerate() {
        while made < least * times {
            run(&mut session, &table_of(&format!("t{made}")));
            run(&mut session, &format!("CREATE INDEX x ON t{made} (a)"));
            made += 1;
        }
        for (subject, seconds) in wanted.iter().zip(&mut seconds) {
            let Form::Catalog(statement) = subject.form else { continue };
            let text = format!(
                "DECLARE @name sysname = 't{}', @id int = OBJECT_ID('t{}'), @s nvarchar(4000);
                 SET NOCOUNT ON; DECLARE @i int = 0, @v int; WHILE @i < {CALLS} BEGIN {statement}; SET @i += 1 END",
                made / 2,
                made / 2
            );
            run(&mut session, &text);
            let one = |_| {
                let before = cpu_seconds();
                run(&mut session, &text);
                cpu_seconds() - before
            };
            seconds[step] = (0..3).map(one).fold(f64::MAX, f64::min) / CALLS as f64;
        }
    }
    wanted.iter().zip(seconds).filter(|(subject, seconds)| print(subject.name, least, *seconds)).count()
}

fn scaled(least: usize, factor: f64) -> usize {
    ((least as f64 * factor) as usize).max(2)
}

fn main() {
    // As the server's threads: nested texts need it.
    let thread = std::thread::Builder::new().stack_size(millpond_query::STACK_BYTES).spawn(measure);
    let growing = thread.expect("a thread can be made").join().expect("the table is printed");
    std::process::exit(i32::from(growing > 0));
}

/// Prints the table; how many subjects grow.
fn measure() -> usize {
    let part = std::env::args().nth(1).unwrap_or_default();
    let factor = std::env::args().nth(2).and_then(|factor| factor.parse().ok()).unwrap_or(1.0);
    let wanted = SUBJECTS.iter().filter(|subject| subject.name.contains(&part));
    let (catalog, batches): (Vec<&Subject>, Vec<&Subject>) =
        wanted.partition(|subject| matches!(subject.form, Form::Catalog(_)));
    println!("{:<54} {:>6} {:>43} us per unit, and the last by the first", "subject", "least", "n, 2n, 4n, 8n");
    let mut growing = lookups(&catalog, factor);
    for subject in batches {
        let Form::Batch { ready, text } = &subject.form else { continue };
        let least = scaled(subject.least, factor);
        let seconds = STEPS.map(|times| {
            let n = least * times;
            let (ready, texts) = (ready(n), text(n));
            let runs = if times == 1 { 3 } else { 1 };
            (0..runs).map(|_| batch_seconds(&ready, &texts)).fold(f64::MAX, f64::min) / n as f64
        });
        growing += usize::from(print(subject.name, least, seconds));
    }
    println!("{growing} grow");
    growing
}
