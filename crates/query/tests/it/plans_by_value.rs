//! Plans and values of variables: how many plans statements make for them, and what these read. Answers are compared with those of
//! literals.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{engine, run, session};
use crate::large_parts::costs_of;

/// Customer 1 has 30,000 sales, 3,000 others have five each.
const TABLES: &str = "set nocount on \
    create table regions (id int not null primary key, name varchar(20) not null) \
    insert regions select value, concat('region ', value) from generate_series(0, 4999) \
    create table sales (id int not null primary key, customer int not null, region int not null, amount int not null, \
        pad char(200) not null default 'x', index by_customer (customer)) \
    insert sales (id, customer, region, amount) select value, case when value <= 30000 then 1 else 2 + value % 3000 end, value % 5000, value % 7 \
        from generate_series(1, 45000)";

/// A question about the sales of a customer X that needs a plan.
const PLANNED: &str = "select count(*) as n, sum(w) as amount, max(r.name) as last \
    from (select region, sum(amount) over (partition by region) as w from sales where customer = X) s join regions r on r.id = s.region";

/// One that is answered without a plan where there are few.
const DIRECT: &str = "select count(*) as n, sum(s.amount) as amount, max(r.name) as last \
    from sales s join regions r on r.id = s.region where s.customer = X";

fn tables() -> (Arc<Engine>, Session) {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "create database valued"), "");
    assert_eq!(run(&mut one, "use valued"), "");
    assert_eq!(run(&mut one, TABLES), "");
    (engine, one)
}

/// Plans that a text makes, and its answer.
fn plans(engine: &Arc<Engine>, one: &mut Session, text: &str) -> (u64, String) {
    let before = engine.counters.plans.load(Relaxed);
    let answer = run(one, text);
    assert!(!answer.contains("Msg"), "{text}: {answer}");
    (engine.counters.plans.load(Relaxed) - before, answer)
}

/// Plans that a procedure makes for customers one after the other; its answers are those for literals.
fn plans_of(engine: &Arc<Engine>, one: &mut Session, (procedure, asked): (&str, &str), customers: &[i32]) -> Vec<u64> {
    let one_call = |customer: &i32| {
        let expected = run(one, &asked.replace('X', &customer.to_string()));
        let (made, answer) = plans(engine, one, &format!("exec {procedure} {customer}"));
        assert_eq!(answer, expected, "{procedure} {customer}");
        made
    };
    customers.iter().map(one_call).collect()
}

/// A procedure that asks so with an OPTION.
fn procedure(one: &mut Session, (name, asked): (&str, &str), with: &str, option: &str) {
    let asked = asked.replace('X', "@customer");
    let text = format!("create procedure {name} @customer int {with} as {asked} {option}");
    assert_eq!(run(one, &text), "");
}

#[test]
fn values_with_many_rows_and_with_few_have_a_plan_each() {
    let (engine, mut one) = tables();
    let asked = ("sold", PLANNED);
    procedure(&mut one, asked, "", "");
    assert_eq!(plans_of(&engine, &mut one, asked, &[1, 2, 1, 3, 7, 1]), [1, 1, 0, 0, 0, 0]);
    // Few rows are looked for, many are scanned.
    let reads = |one: &mut Session, customer| costs_of(one, &format!("exec sold {customer}")).2;
    let (few, many) = (reads(&mut one, 5), reads(&mut one, 1));
    assert!(few < 100, "{few}");
    assert!(many > 700 && many < 5_000, "{many}");
    // Statistics have changed: both plans go.
    assert!(!run(&mut one, "update statistics sales with fullscan").contains("Msg"));
    assert_eq!(plans_of(&engine, &mut one, asked, &[1, 2, 1, 2]), [1, 1, 0, 0]);
}

#[test]
fn an_index_that_finds_very_many_rows_is_no_short_cut() {
    let (engine, mut one) = tables();
    let asked = ("sold", DIRECT);
    procedure(&mut one, asked, "", "");
    assert_eq!(plans_of(&engine, &mut one, asked, &[2, 1, 2, 3, 1]), [0, 1, 0, 0, 0]);
    let many = costs_of(&mut one, "exec sold 1").2;
    assert!(many < 5_000, "{many}");
}

#[test]
fn one_plan_is_for_the_values_that_option_says() {
    let (engine, mut one) = tables();
    for (name, option) in [
        ("unknown", "option (optimize for unknown)"),
        ("no_sniffing", "option (use hint ('DISABLE_PARAMETER_SNIFFING'))"),
        ("this_unknown", "option (optimize for (@customer unknown))"),
        ("few", "option (optimize for (@customer = 2))"),
        ("many", "option (optimize for (@customer = 1))"),
    ] {
        procedure(&mut one, (name, PLANNED), "", option);
        assert_eq!(plans_of(&engine, &mut one, (name, PLANNED), &[1, 2, 1, 3]), [1, 0, 0, 0], "{option}");
    }
    let reads = |one: &mut Session, text: &str| costs_of(one, text).2;
    let (sought, scanned) = (reads(&mut one, "exec few 1"), reads(&mut one, "exec many 1"));
    assert!(sought > 5 * scanned, "{sought} {scanned}");
    let (sought, scanned) = (reads(&mut one, "exec few 2"), reads(&mut one, "exec many 2"));
    assert!(sought < 100 && scanned > 700, "{sought} {scanned}");
}

#[test]
fn what_is_recompiled_keeps_no_plan() {
    let (engine, mut one) = tables();
    procedure(&mut one, ("of_statement", PLANNED), "", "option (recompile)");
    procedure(&mut one, ("of_procedure", PLANNED), "with recompile", "");
    procedure(&mut one, ("kept", PLANNED), "", "");
    for name in ["of_statement", "of_procedure"] {
        assert_eq!(plans_of(&engine, &mut one, (name, PLANNED), &[1, 1, 2, 2]), [1, 1, 1, 1], "{name}");
    }
    // One plan each, whoever takes its rows: a heap that threads fill or one does, and a tree.
    assert_eq!(
        run(
            &mut one,
            "create table heap (n int, amount int, last varchar(30)) create table tree (n int primary key, amount int, last varchar(30))"
        ),
        ""
    );
    for text in [
        format!("insert heap {}", PLANNED.replace('X', "@customer")),
        format!("insert tree {}", PLANNED.replace('X', "@customer")),
        "insert heap select id, amount, 'x' from sales where customer = @customer".to_owned(),
        "select id, amount into made from sales where customer = @customer".to_owned(),
    ] {
        let made = plans(&engine, &mut one, &format!("declare @customer int = 1 {text} option (recompile)")).0;
        assert_eq!(made, 1, "{text}");
    }
    assert_eq!(plans(&engine, &mut one, "exec kept 1").0, 1);
    assert_eq!(plans(&engine, &mut one, "exec kept 1 with recompile").0, 1);
    assert_eq!(plans(&engine, &mut one, "exec kept 1").0, 0, "the kept plan stays");
}

#[test]
fn a_recompiled_statement_reads_what_its_values_ask_for() {
    let (_, mut one) = tables();
    let reads = |one: &mut Session, text: &str| {
        let (answer, _, reads) = costs_of(one, text);
        assert!(!answer.contains("Msg"), "{text}: {answer}");
        reads
    };
    for (text, most) in [
        // Alternatives that the values decide.
        (
            "declare @id int = 7, @customer int select sum(amount) from sales where (@id is null or id = @id) and (@customer is null or customer = @customer)",
            20,
        ),
        (
            "declare @id int, @customer int = 9 select sum(amount) from sales where (@id is null or id = @id) and (@customer is null or customer = @customer)",
            60,
        ),
        // Contradictions.
        ("declare @all bit = 0 select count(*) from sales where @all = 1 and amount > 3", 0),
        (
            "declare @all bit = 0 select count(*) from sales s join regions r on r.id = s.region where @all = 1 or r.id < 0",
            30,
        ),
    ] {
        let (kept, own) = (run(&mut one, text), run(&mut one, &format!("{text} option (recompile)")));
        assert_eq!(kept, own);
        let own = reads(&mut one, &format!("{text} option (recompile)"));
        assert!(own <= most, "{own} pages: {text}");
    }
}

#[test]
fn sp_recompile_makes_the_next_run_make_its_plan_anew() {
    let (engine, mut one) = tables();
    let asked = ("sold", PLANNED);
    procedure(&mut one, asked, "", "");
    assert_eq!(plans_of(&engine, &mut one, asked, &[1, 2, 1, 2]), [1, 1, 0, 0]);
    for of in ["sold", "sales", "regions"] {
        assert!(!run(&mut one, &format!("exec sp_recompile '{of}'")).contains("Msg 1"), "{of}");
        assert_eq!(plans_of(&engine, &mut one, asked, &[1, 2, 1, 2]), [1, 1, 0, 0], "{of}");
    }
}

#[test]
fn texts_to_optimize_for_keep_their_case() {
    let (engine, mut one) = tables();
    let made = "set nocount on \
        create table named (id int not null primary key, name varchar(20) collate Latin1_General_BIN2 not null, region int not null, \
            pad char(200) not null default 'x', index by_name (name)) \
        insert named (id, name, region) select id, case when customer = 1 then 'Many' else concat('n', customer) end, region from sales";
    assert_eq!(run(&mut one, made), "");
    let asked = "select count(*) as n, sum(w) as amount, max(r.name) as last \
        from (select region, sum(id) over (partition by region) as w from named where name = @name) s join regions r on r.id = s.region";
    for (name, value) in [("for_many", "Many"), ("for_few", "MANY")] {
        let text =
            format!("create procedure {name} @name varchar(20) as {asked} option (optimize for (@name = '{value}'))");
        assert_eq!(run(&mut one, &text), "");
        assert_eq!(plans(&engine, &mut one, &format!("exec {name} 'n7'")).0, 1);
    }
    let reads = |one: &mut Session, text: &str| costs_of(one, text).2;
    let (scanned, sought) = (reads(&mut one, "exec for_many 'n7'"), reads(&mut one, "exec for_few 'n7'"));
    assert!(sought < 100 && scanned > 700, "{sought} {scanned}");
}

#[test]
fn fast_asks_for_the_first_rows_early() {
    let (_, mut one) = tables();
    let mut shown = |text: &str| {
        run(&mut one, "set showplan_text on");
        let plan = run(&mut one, text);
        run(&mut one, "set showplan_text off");
        plan
    };
    for (asked, order) in [
        ("select id, amount, pad from sales", "order by customer"),
        ("select s.id, s.amount, r.name from sales s join regions r on r.id = s.region", "order by s.customer"),
        ("select id, amount, pad from sales where amount = 3", "order by customer"),
    ] {
        let plain = shown(&format!("{asked} {order}"));
        let fast = shown(&format!("{asked} {order} option (fast 10)"));
        assert!(plain.contains("Sort"), "{plain}");
        assert!(!fast.contains("Sort") && fast.contains("by_customer"), "{fast}");
        let no_goal = shown(&format!("{asked} {order} option (fast 10, use hint ('DISABLE_OPTIMIZER_ROWGOAL'))"));
        assert!(no_goal.contains("Sort"), "{no_goal}");
    }
    let ids = |one: &mut Session, option: &str| {
        run(one, &format!("select id, customer from sales where amount = 3 order by customer, id {option}"))
    };
    assert_eq!(ids(&mut one, "option (fast 10)"), ids(&mut one, ""));
}
