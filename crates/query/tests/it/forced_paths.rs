//! INDEX, FORCESEEK and FORCESCAN: which statements SQL Server has a plan for and which are 8622, hints that contradict each other, and
//! what is read. The lists are answers of SQL Server 2025 that sql-server-simulator's tests have, and sentences of the manual.

use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::costs_of;

const TABLES: &str = "create table t (k int primary key, a int, b int, c varchar(20), d int, index ia (a), index iab (a, b) include (d), index ic (c)) \
    insert t values (1, 1, 1, 'abc', 1), (2, 2, 2, 'bcd', 2) \
    create table h (k int, a int, index ia (a)) insert h values (1, 1) create table hn (k int, a int)";

/// What has no plan.
const WITHOUT_PLAN: &[&str] = &[
    "select * from t with (forceseek)",
    "select count(*) from t with (forceseek)",
    "select top 1 * from t with (forceseek) order by a",
    "select * from t with (forceseek) where d = 1",
    "select * from t with (forceseek) where abs(a) = 1",
    "select * from t with (forceseek) where a + 1 = 2",
    "select * from t with (forceseek) where -a = 1",
    "select * from t with (forceseek) where c like '%bc'",
    "select * from t with (forceseek) where c like '_bc'",
    "select * from t with (forceseek) where a = 1 or d = 1",
    "select * from t with (forceseek) where b = 1",
    "select * from t with (forceseek) where a = b",
    "select * from t with (forceseek) where 1 = 1",
    "select * from t with (forceseek(ia(a))) where k = 1",
    "select * from t with (forceseek(iab(a, b))) where a = 1",
    "select * from t with (forceseek, index(0)) where a = 1",
    "select * from t with (forceseek, index(ia)) where k = 1",
    "select * from hn with (forceseek) where a = 1",
    "select * from h with (forceseek) where k = 1",
    "select * from t x join t y with (forceseek) on y.d = x.d",
    "select * from t x cross join t y with (forceseek)",
    "update x set d = 1 from t x join t y with (forceseek) on y.d = x.d",
    "select * from t where exists (select 1 from t y with (forceseek) where y.d = 1)",
    "select * from t where a in (select d from t y with (forceseek))",
    "select count(*) from t with (index(0, 1))",
    "select count(*) from t with (index(ia, 0))",
    "select count(*) from t with (index(0), index(2))",
];

/// What has one.
const WITH_PLAN: &[&str] = &[
    "select * from t with (forceseek) where k = 1",
    "select * from t with (forceseek) where c like 'ab%'",
    "select * from t with (forceseek) where c like '[ab]bc'",
    "declare @p varchar(10) = 'ab%'; select * from t with (forceseek) where c like @p",
    "select * from t with (forceseek) where a = 1 or c = 'x'",
    "select * from t with (forceseek) where a = 1 or a = 2",
    "select * from t with (forceseek) where a <> 1",
    "select * from t with (forceseek) where not (a = 1)",
    "select * from t with (forceseek) where a is null",
    "select * from t with (forceseek) where a > 1",
    "select * from t with (forceseek) where a between 1 and 2",
    "select * from t with (forceseek) where 1 between a and b",
    "select * from t with (forceseek) where a not in (1, 2)",
    "select * from t with (forceseek) where a in (select 1)",
    "select * from t with (forceseek) where a = null",
    "select * from t with (forceseek) where 1 = 0",
    "select * from t with (forceseek) where cast(a as bigint) = 1",
    "select * from t with (forceseek) where a = '1'",
    "select * from t with (forceseek) where (a = 1 and d = 3) or (c = 'x' and d = 4)",
    "select a, count(*) from t with (forceseek) group by a having a > 0",
    "select * from t with (forceseek(ia(a))) where a = 1",
    "select * from t with (forceseek(iab(a, b))) where a = 1 and b > 1",
    "select * from t with (forceseek, index(1)) where k = 1",
    "select * from t with (forceseek, index(ia, ic)) where a = 1",
    "select * from h with (forceseek) where a = 1",
    "select * from t x join t y with (forceseek) on y.a = x.a",
    "select * from t x join t y with (forceseek) on y.a > x.a",
    "select * from t x join t y with (forceseek) on y.d = x.d where y.a = 1",
    "select * from t x, t y with (forceseek) where y.a = x.d",
    "select * from t x where exists (select 1 from t y with (forceseek) where y.a = x.b)",
    "select * from t where d in (select a from t y with (forceseek))",
    "delete t where k in (select k from t y with (forceseek) where y.d = 1)",
    "select a, k from t with (forcescan, index(ia))",
    "select a, b, d from t with (forcescan, index(iab)) where d = 1",
    "select * from t with (forcescan, index(1)) where k = 1",
    "select * from h with (forcescan, index(0))",
    "select count(*) from t with (index(0, 0))",
    "select count(*) from t with (index(1, 1))",
];

/// Hints of `t` that contradict each other or name what is not there; statements where it is not a SELECT.
const REFUSED: &[(&str, i32)] = &[
    ("forceseek, forcescan", 10_746),
    ("forceseek(ia(a)), index(ic)", 10_747),
    ("forcescan, index(ia, ic)", 10_750),
    ("forceseek(0(k))", 10_749),
    ("forceseek(9(k))", 307),
    ("forceseek(ix_nope(a))", 308),
    ("forceseek(iab(nope))", 362),
    ("forceseek(iab(d))", 362),
    ("forceseek(iab(b, a))", 362),
    ("forceseek(iab(a, b, d))", 365),
    ("forceseek(ia)", 102),
    ("index(nope, ia)", 308),
    ("index(ia, nope)", 308),
    ("index(-1)", 102),
    ("index()", 102),
    ("banana", 321),
    ("nolock, holdlock", 1047),
    ("nolock, updlock", 1047),
    ("nolock, readcommitted", 1047),
    ("readuncommitted, rowlock", 1047),
    ("readcommitted, serializable", 1047),
    ("repeatableread, holdlock", 1047),
    ("readcommittedlock, readcommitted", 1047),
    ("snapshot, nolock", 1047),
    ("rowlock, paglock", 1047),
    ("rowlock, tablock", 1047),
    ("tablock, tablockx", 1047),
    ("updlock, xlock", 1047),
    ("nolock, readpast", 650),
    ("holdlock, readpast", 650),
    ("ignore_triggers", 8171),
    ("ignore_constraints", 8171),
];

/// The same of statements.
const STATEMENTS_REFUSED: &[(&str, i32)] = &[
    ("select * from t (index(ia))", 1018),
    ("select * from t (index = ia)", 1018),
    ("select * from t x (banana)", 321),
    ("declare @t table (a int); select * from @t with (nolock)", 319),
    ("declare @t table (a int); select * from @t x with (nolock)", 319),
    ("declare @t table (a int); select * from @t (nolock)", 1018),
    ("declare @t table (a int); select * from @t x (tablock)", 1018),
    ("delete t with (forceseek)", 10_724),
    ("update t with (forceseek(ia(a))) set a = 1", 10_724),
    ("insert t with (forceseek) values (3, 3, 3, '', 3)", 10_724),
    ("delete t with (forcescan)", 10_745),
    ("update t with (index(ia)) set a = 1", 1069),
    ("insert t with (readpast) select 3, 3, 3, '', 3", 4102),
    ("insert t with (keepdefaults) values (3, 3, 3, '', 3)", 8171),
    ("update t with (ignore_triggers) set a = 1", 8171),
    ("delete t with (keepidentity)", 8171),
    ("merge t with (index(nosuch)) x using (select 1 k) s on s.k = x.k when matched then delete;", 308),
    ("alter index ic on t disable alter index ia on t disable select * from t with (index(ic))", 315),
    ("select * from t with (index(4))", 316),
    ("select * from t with (forceseek) where c = 'abc'", 8622),
    ("select a from dbo.t option (table hint(t, index(ia)))", 8723),
    ("select x.a from dbo.t x option (table hint(dbo.t, index(ia)))", 8723),
    ("select a from dbo.t option (table hint(dbo.t, index(ia)), table hint(dbo.t, index(ia)))", 8720),
    ("select a from dbo.t option (table hint(dbo.t, nolock))", 8722),
    ("select a from dbo.t with (nolock) option (table hint(dbo.t, forceseek))", 8722),
    ("select a from dbo.t option (table hint(dbo.t, index(nosuch)))", 308),
    ("select a from dbo.t option (table hint(dbo.t, forcescan, forceseek))", 10_746),
    ("select a from dbo.t where a + 1 = 2 option (table hint(dbo.t, forceseek))", 8622),
    ("update x set d = 1 from t x where k = 1 option (table hint(t, forceseek))", 8723),
    ("select * from seen with (forceseek(ia(a))) where a = 1", 364),
];

fn tables() -> Session {
    let engine = engine();
    let mut one = session(&engine);
    assert!(!run(&mut one, TABLES).contains("Msg"));
    assert_eq!(run(&mut one, "create view seen as select k, a from t"), "");
    one
}

fn number(answer: &str) -> Option<i32> {
    answer.split("Msg ").nth(1)?.split(',').next()?.parse().ok()
}

#[test]
fn what_cannot_be_sought_is_8622() {
    let mut one = tables();
    let wrong: Vec<String> = WITHOUT_PLAN
        .iter()
        .map(|text| (text, run(&mut one, text)))
        .filter(|(_, answer)| number(answer) != Some(8622))
        .map(|(text, answer)| format!("{text}: {answer}"))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_can_be_sought_has_the_rows_that_it_has_without_hints() {
    let mut one = tables();
    let hints = |text: &str| {
        let mut plain = text.to_owned();
        while let Some(at) = plain.find(" with (") {
            let mut depth = 0;
            let ends = |of: char| {
                depth += i32::from(of == '(') - i32::from(of == ')');
                of == ')' && depth == 0
            };
            let end = at + plain[at..].find(ends).expect("it closes");
            plain.replace_range(at..=end, "");
        }
        plain
    };
    for text in WITH_PLAN {
        let wanted = run(&mut one, &format!("begin tran {} rollback", hints(text)));
        assert!(!wanted.contains("Msg"), "{text}: {wanted}");
        assert_eq!(run(&mut one, &format!("begin tran {text} rollback")), wanted, "{text}");
    }
}

#[test]
fn hints_that_contradict_each_other_are_refused() {
    let mut one = tables();
    let of_select = REFUSED
        .iter()
        .map(|(hint, wanted)| (format!("select count(*) from t with ({hint}) where a = 1 and k = 1"), *wanted));
    let statements = STATEMENTS_REFUSED.iter().map(|(text, wanted)| ((*text).to_owned(), *wanted));
    let cases: Vec<(String, i32)> = of_select.chain(statements).collect();
    let mut wrong = Vec::new();
    for (text, wanted) in cases {
        let answer = run(&mut one, &text);
        if number(&answer) != Some(wanted) {
            wrong.push(format!("{text}: {wanted}, not {answer}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(run(&mut one, "alter index all on t rebuild"), "");
    for hints in [
        "serializable, holdlock",
        "nolock, nowait",
        "updlock, tablockx",
        "repeatableread, readpast",
        "xlock, rowlock",
        "keepidentity, keepdefaults",
    ] {
        let answer = run(&mut one, &format!("select count(*) from t with ({hints})"));
        assert!(answer.contains("\n2\n"), "{hints}: {answer}");
    }
    for text in [
        "select count(*) from dbo.t x with (nolock) where x.a > 0 option (table hint(x, nolock, forceseek))",
        // One without hints takes those of the table away.
        "select count(*) from t with (forceseek) where d > 0 option (table hint(t))",
        "select count(*) from t with (index(nosuch)) option (table hint(t, index([ia])))",
    ] {
        let answer = run(&mut one, text);
        assert!(answer.contains("\n2\n"), "{text}: {answer}");
    }
    assert_eq!(run(&mut one, "create procedure p as select a from t with (index(nosuch))"), "");
    assert_eq!(number(&run(&mut one, "exec p")), Some(308));
    let merged = "merge t with (index(ia)) x using (select 1 k) s on s.k = x.k when matched then delete;";
    assert_eq!(number(&run(&mut one, merged)), None);
}

#[test]
fn what_is_read_is_what_hints_say() {
    let engine = engine();
    let mut one = session(&engine);
    let made = "set nocount on \
        create table r (id int not null primary key, a int not null, b int not null, pad char(200) not null default 'x', index ra (a), index rb (b) where b < 3) \
        insert r (id, a, b) select value, value % 10, value % 1000 from generate_series(1, 20000)";
    assert_eq!(run(&mut one, made), "");
    let mut reads = |text: &str| {
        let (answer, _, reads) = costs_of(&mut one, text);
        assert!(!answer.contains("Msg"), "{text}: {answer}");
        reads
    };
    // One row by its key, and all rows where a scan is wanted.
    assert!(reads("select pad from r where id = 7") < 10);
    assert!(reads("select pad from r with (forcescan) where id = 7") > 500);
    assert!(reads("select pad from r with (index(0)) where id = 7") > 500);
    // A tenth of the rows is read by a scan, unless an index must be asked.
    let scanned = reads("select max(pad) from r with (forcescan) where a = 3");
    for hint in ["forceseek", "forceseek(ra(a))", "index(ra)"] {
        let sought = reads(&format!("select max(pad) from r with ({hint}) where a = 3"));
        assert!(sought > 3 * scanned, "{hint}: {sought} {scanned}");
    }
    // An index with a filter has the rows that a narrower condition wants, and is read where it is named.
    for condition in ["b = 1", "b < 2", "b in (0, 2)"] {
        let by_filter = reads(&format!("select sum(b) from r with (index(rb)) where {condition}"));
        assert!(by_filter < 20, "{condition}: {by_filter}");
        let named = format!("select count(*), sum(b), sum(id) from r with (index(rb)) where {condition}");
        assert_eq!(
            run(&mut session(&engine), &named),
            run(&mut session(&engine), &named.replace("with (index(rb))", ""))
        );
    }
    for condition in ["b = 3", "b < 4", "b in (0, 3)", "b > 0", "a = 3"] {
        let answer = run(&mut session(&engine), &format!("select count(*) from r with (index(rb)) where {condition}"));
        assert_eq!(number(&answer), Some(8622), "{condition}: {answer}");
    }
}
