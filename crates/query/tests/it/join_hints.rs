//! Plans under the hints of joins: which operators they have and in which order. That hints change no answer is
//! `golden/join_hints.sql`.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};

const TABLES: &str = "set nocount on
create table few (id int not null primary key, k int, g int)
insert few select value, value * 50, value % 3 from generate_series(1, 20)
create table many (id int not null primary key, k int, s varchar(20), pad char(100) default 'x', index many_k (k))
insert many (id, k, s) select value, value % 1000, concat('s', value % 77) from generate_series(1, 5000)
create table most (id int not null primary key, many int, g int, index most_many (many))
insert most select value, value % 5000, value % 10 from generate_series(1, 9000)
create table loose (k int, g int)
insert loose select value % 1000, value from generate_series(1, 3000)";

/// The tables of a statement that has the largest first, as its plan names them.
const WRITTEN: [&str; 3] =
    ["OBJECT:([master].[dbo].[most]", "OBJECT:([master].[dbo].[many]", "OBJECT:([master].[dbo].[few]"];

fn tables() -> Session {
    let mut one = session(&engine());
    assert_eq!(run(&mut one, TABLES), "");
    one
}

/// The operators of a statement's plan, one per line.
pub(crate) fn plan(one: &mut Session, statement: &str) -> String {
    run(one, "set showplan_text on");
    let text = run(one, statement);
    run(one, "set showplan_text off");
    let (_, operators) = text.rsplit_once("StmtText").unwrap_or(("", &text));
    operators.lines().filter(|line| line.contains("|--")).collect::<Vec<_>>().join("\n")
}

/// How often each of the operators that run joins is in a plan: loops, but for those that look up the rest of a row, hash matches that
/// are no aggregates, and seeks.
fn joins(plan: &str) -> (usize, usize, usize) {
    let is_join = |line: &&str| ["Join", "Union", "Probe"].iter().any(|word| line.contains(word));
    let hashes = plan.lines().filter(|line| line.contains("Hash Match")).filter(is_join).count();
    (plan.matches("Nested Loops").count() - plan.matches("LOOKUP").count(), hashes, plan.matches("Index Seek").count())
}

/// The places of texts in a plan, which are in this order.
fn in_order(plan: &str, texts: &[&str]) -> bool {
    let places: Vec<Option<usize>> = texts.iter().map(|text| plan.find(text)).collect();
    places.iter().all(Option::is_some) && places.is_sorted()
}

#[test]
fn option_says_how_all_joins_of_a_statement_are_run() {
    let mut one = tables();
    // A statement, its loops, hash matches and seeks under LOOP JOIN, and its hash matches under HASH JOIN.
    for (statement, (loops, seeks), hashes) in [
        ("select f.id, m.id from few f join many m on m.k = f.k", (1, 1), 1),
        ("select f.id, m.id from few f left join many m on m.k = f.k", (1, 1), 1),
        ("select f.id, m.id from many m right join few f on m.k = f.k", (1, 1), 1),
        // A scan is estimated to be better.
        ("select m.id, t.id from many m join most t on t.many = m.id", (1, 1), 1),
        ("select m.id, l.g from many m join loose l on l.g = m.id", (1, 1), 1),
        ("select f.id, l.g from few f join loose l on l.k = f.k", (1, 0), 1),
        ("select f.id, l.g from few f left join loose l on l.k = f.k", (1, 0), 1),
        ("select f.id, l.g from few f full join loose l on l.k = f.k", (1, 0), 1),
        ("select f.id from few f where exists (select * from many m where m.k = f.k)", (1, 1), 1),
        ("select m.id from many m where m.k in (select l.k from loose l where l.g < 9)", (1, 1), 1),
        ("select m.id from many m where not exists (select * from loose l where l.k = m.k)", (1, 0), 1),
        ("select f.id, (select max(m.id) from many m where m.k = f.k) from few f", (1, 1), 1),
        ("select k from few except select k from loose", (1, 0), 1),
        ("select f.id, m.id, t.id from few f join many m on m.k = f.k join most t on t.many = m.id", (2, 2), 2),
        ("insert loose select m.k, f.g from few f join many m on m.k = f.k", (1, 1), 1),
        ("update m set s = 'y' from many m join few f on f.k = m.k", (1, 1), 1),
        ("delete m from many m join loose l on l.k = m.k where l.g = 7", (1, 1), 1),
        (
            "merge few t using (select k as id, count(*) as n from loose group by k) s on s.id = t.id \
             when matched then update set g = n",
            (1, 1),
            1,
        ),
    ] {
        let end = if statement.starts_with("merge") { ";" } else { "" };
        let shape = |one: &mut Session, hint: &str| {
            let plan = plan(one, &format!("{statement} option ({hint}){end}"));
            (joins(&plan), plan)
        };
        let ((found, hashed, sought), text) = shape(&mut one, "loop join");
        assert_eq!((found, sought >= seeks, hashed), (loops, true, 0), "{statement}\n{text}");
        for hint in ["hash join", "hash join, force order"] {
            let ((found, hashed, sought), text) = shape(&mut one, hint);
            assert_eq!((found, hashed, sought), (0, hashes, 0), "{statement} {hint}\n{text}");
            assert!(!text.contains("Merge Join"), "{statement} {hint}\n{text}");
        }
        let ((found, hashed, sought), text) = shape(&mut one, "merge join");
        assert_eq!((found, hashed, sought), (0, 0, 0), "{statement} merge join\n{text}");
        assert_eq!(text.matches("Merge Join").count(), hashes, "{statement} merge join\n{text}");
    }
}

#[test]
fn what_is_merged_is_sorted_only_where_no_index_has_its_order() {
    let mut one = tables();
    let text = "create table parts (id int, n int, v int null, primary key (id, n))
insert parts select value % 4000, value, value from generate_series(1, 9000)
create table wide (id int primary key, k int, s varchar(20))
insert wide select id, k, s from many";
    assert_eq!(run(&mut one, text), "");
    // Sorts, and whether an index says that one side has a key once.
    for (from, sorts, is_one) in [
        ("wide m join parts p on p.id = m.id", 0, true),
        ("parts p join wide m on m.id = p.id", 0, true),
        ("wide m left join parts p on p.id = m.id and p.v > m.k", 0, true),
        ("wide m join parts p on p.id = m.id join few f on f.id = p.id", 0, true),
        ("(select id + 0 as id from wide) m join parts p on p.id = m.id", 1, false),
        // Not the first column of its index, and not all of them in one order.
        ("wide m join parts p on p.n = m.id", 1, true),
        ("parts p join parts q on q.n = p.n and q.id = p.id", 0, true),
        ("parts p join most t on t.g = p.n and t.id = p.id", 1, true),
        // The index of k has its order; that of texts is not relied on.
        ("many m join loose l on l.k = m.k", 1, false),
        ("wide m join wide n on n.s = m.s", 2, false),
    ] {
        let plan = plan(&mut one, &format!("select count(*) from {from} option (merge join)"));
        assert_eq!(plan.matches("Sort(").count(), sorts, "{from}\n{plan}");
        assert_eq!(!plan.contains("MANY-TO-MANY"), is_one, "{from}\n{plan}");
        let count = |one: &mut Session, hint| run(one, &format!("select count(*) from {from} option ({hint})"));
        assert_eq!(count(&mut one, "merge join"), count(&mut one, "hash join"), "{from}");
    }
}

#[test]
fn inputs_in_order_are_merged_where_a_hash_table_would_be_spilled() {
    let engine = engine();
    let mut one = session(&engine);
    let tables = "set nocount on
create table sold (id int, n int, pad char(500) default 'x', primary key (id, n))
create table back (id int, n int, pad char(500) default 'y', primary key (id, n))
insert sold (id, n) select value % 500, value from generate_series(1, 40000)
insert back (id, n) select value % 500, value from generate_series(1, 40000, 2)";
    assert_eq!(run(&mut one, tables), "");
    let statement = "select count(*), max(s.pad), max(b.pad) from sold s join back b on b.n = s.n and b.id = s.id";
    let with_enough = plan(&mut one, statement);
    assert!(with_enough.contains("Hash Match(Inner Join") && !with_enough.contains("Merge Join"), "{with_enough}");
    let rows = run(&mut one, statement);
    engine.workspace().set_limit_bytes(4 << 20);
    let mut other = session(&engine);
    run(&mut other, "set nocount on");
    let with_little = plan(&mut other, &format!("{statement} where 1 = 1"));
    assert!(with_little.contains("Merge Join(Inner Join, MERGE") && !with_little.contains("Sort"), "{with_little}");
    assert_eq!(run(&mut other, &format!("{statement} where 1 = 1")), rows);
    let hashed = plan(&mut other, &format!("{statement} option (hash join)"));
    assert!(!hashed.contains("Merge Join"), "{hashed}");
}

#[test]
fn outer_joins_wait_for_inner_ones_that_leave_few_rows() {
    let mut one = tables();
    let text = "create table facts (id int not null primary key, f int, m int, v int)
insert facts select value, value % 20 + 1, value % 5000 + 1, value from generate_series(1, 20000)
create table rest (id int not null primary key, n int)
insert rest select value, value from generate_series(1, 20000)";
    assert_eq!(run(&mut one, text), "");
    for from in [
        "facts a left join rest r on r.id = a.v join few f on f.id = a.f and f.g = 1",
        "rest r right join facts a on r.id = a.v join few f on f.id = a.f and f.g = 1",
        "few f join (facts a left join rest r on r.id = a.v) on f.id = a.f and f.g = 1",
        "(select a.f, a.v, r.n from facts a left join rest r on r.id = a.v) a join few f on f.id = a.f and f.g = 1",
    ] {
        let plan = plan(&mut one, &format!("select count(*), sum(n) from {from}"));
        assert!(plan.contains("Outer Join"), "{from}\n{plan}");
        let outer = plan.lines().position(|line| line.contains("Outer Join"));
        let inner = plan.lines().position(|line| line.contains("Inner Join"));
        assert!(outer < inner, "{from}\n{plan}");
    }
    // A condition that is not true for its NULLs makes it an inner join, wherever that stands.
    for from in [
        "facts a left join rest r on r.id = a.v join few f on f.id = r.n",
        "facts a left join rest r on r.id = a.v left join many m on m.id = r.n join few f on f.id = m.k",
        "few f right join facts a on f.id = a.f join rest r on r.n = f.g",
        "facts a full join rest r on r.id = a.v join few f on f.id = r.n and f.g = a.f",
    ] {
        let plan = plan(&mut one, &format!("select count(*) from {from}"));
        assert!(!plan.contains("Outer Join"), "{from}\n{plan}");
    }
    // And one that speaks of it without that keeps it below.
    let from = "facts a left join rest r on r.id = a.v join few f on f.id = isnull(r.n, 3)";
    let plan = plan(&mut one, &format!("select count(*) from {from}"));
    let place = |words: &str| plan.lines().position(|line| line.contains(words));
    assert!(place("Inner Join") < place("Outer Join"), "{plan}");
}

#[test]
fn the_word_of_a_join_is_of_that_join_alone_and_fixes_the_order_of_all() {
    let mut one = tables();
    let statement = |words: [&str; 2]| {
        let [first, second] = words;
        format!(
            "select t.id, m.id, f.id from most t inner {first} join many m on m.id = t.many inner {second} join few f on f.k = m.k"
        )
    };
    let unhinted = plan(&mut one, &statement(["", ""]));
    assert!(
        in_order(
            &unhinted,
            &["OBJECT:([master].[dbo].[few]", "OBJECT:([master].[dbo].[many]", "OBJECT:([master].[dbo].[most]"]
        ),
        "{unhinted}"
    );
    for (words, loops, hashes) in [(["hash", "hash"], 0, 2), (["loop", "hash"], 1, 1), (["hash", "loop"], 1, 1)] {
        let plan = plan(&mut one, &statement(words));
        assert_eq!((joins(&plan).0, joins(&plan).1), (loops, hashes), "{words:?}\n{plan}");
        assert!(in_order(&plan, &WRITTEN), "{words:?}\n{plan}");
    }
    // A single word is enough, and so is one of a view.
    let plan_of = |one: &mut Session, words| plan(one, &statement(words));
    let plan = plan_of(&mut one, ["", "hash"]);
    assert!(in_order(&plan, &WRITTEN), "{plan}");
    assert_eq!(
        run(&mut one, "create view v as select t.id, m.k from most t inner hash join many m on m.id = t.many"),
        ""
    );
    let plan = self::plan(&mut one, "select v.id, f.id from v join few f on f.k = v.k");
    assert!(in_order(&plan, &WRITTEN), "{plan}");
}

#[test]
fn force_order_keeps_the_order_as_written() {
    let mut one = tables();
    for from in [
        "most t join many m on m.id = t.many join few f on f.k = m.k",
        "most t, many m, few f where m.id = t.many and f.k = m.k",
        "most t join (many m join few f on f.k = m.k) on m.id = t.many",
        "(select * from most where g < 9) t join many m on m.id = t.many left join few f on f.k = m.k",
    ] {
        let plan = plan(&mut one, &format!("select t.id, m.id, f.id from {from} option (force order)"));
        assert!(in_order(&plan, &WRITTEN), "{from}\n{plan}");
    }
    let across = "few f join loose l on l.g > f.id join many m on m.k = f.k and m.id = l.k";
    let plan_of = |one: &mut Session, hint: &str| plan(one, &format!("select f.id from {across} where l.g < 9 {hint}"));
    let plan = plan_of(&mut one, "option (force order)");
    assert!(
        in_order(
            &plan,
            &["OBJECT:([master].[dbo].[few]", "OBJECT:([master].[dbo].[loose]", "OBJECT:([master].[dbo].[many]"]
        ),
        "{plan}"
    );
}

#[test]
fn the_warning_is_sent_where_the_statement_is_bound() {
    let mut one = tables();
    let warning = "# Warning: The join order has been enforced because a local join hint is used.\n";
    let text =
        "select count(*) as n from few f inner loop join many m on m.k = f.k inner hash join loose l on l.g = m.id";
    let first = run(&mut one, text);
    assert_eq!(first.matches(warning).count(), 1, "{first}");
    assert!(first.starts_with(warning), "{first}");
    assert_eq!(run(&mut one, text), first.replace(warning, ""), "the second time it is known");
    assert!(!run(&mut one, &format!("{text} option (force order)")).contains(warning));
    let looped = "declare @i int = 0 while @i < 3 begin set @i += 1 \
                  if exists (select * from few f inner loop join many m on m.k = f.k) set @i += 0 end";
    assert_eq!(run(&mut one, looped), warning);
}

/// Of rows that are twice as many as statistics say, and of values that they do not know, plans are compared with forced ones by the
/// pages that they read.
#[test]
fn a_plan_by_statistics_that_lie_is_not_much_worse_than_a_forced_one() {
    let mut one = tables();
    for text in [
        "create table lied (id int not null primary key, kind int not null, k int not null, pad char(200) default 'x', index lied_kind (kind), index lied_k (k))",
        "insert lied (id, kind, k) select value, value % 5, value from generate_series(1, 4000)",
        "create statistics kinds on lied (kind) update statistics lied with fullscan, norecompute",
        // All of what was there becomes one kind, and another one comes.
        "update lied set kind = 7",
        "insert lied (id, kind, k) select value, 9, value % 50 from generate_series(4001, 9000)",
    ] {
        assert_eq!(run(&mut one, text), "", "{text}");
    }
    for from in [
        "lied l join many m on m.id = l.k where l.kind = 7",
        "lied l join many m on m.id = l.k where l.kind = 9",
        "lied l join many m on m.k = l.k where l.kind = 1",
        "few f join lied l on l.k = f.id where l.kind > 5",
        "few f join lied l on l.k = f.id join most t on t.many = l.id where l.kind = 9",
        "many m join lied l on l.k = m.id where m.id < 40 and l.kind = 9",
        "lied l where l.kind = 9 and l.pad = 'x' and exists (select * from most t where t.many = l.id and t.g = 3)",
    ] {
        let pages = |one: &mut Session, hint: &str| {
            run(one, "set statistics io on");
            let said = run(one, &format!("select count(*) as n from {from} {hint}"));
            run(one, "set statistics io off");
            let reads =
                said.split("logical reads ").skip(1).filter_map(|rest| rest.split(',').next()?.parse::<u64>().ok());
            reads.sum::<u64>()
        };
        let chosen = pages(&mut one, "");
        let forced =
            ["option (loop join)", "option (hash join)", "option (force order)", "option (loop join, force order)"];
        let best = forced.map(|hint| pages(&mut one, hint)).into_iter().min().unwrap_or(0);
        assert!(best > 0 && chosen <= 20 * best, "{from}: {chosen} pages, {best} at best");
    }
}
