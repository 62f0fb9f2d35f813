//! How far what plans expect is from what their operators give, over tables with skewed, dependent and absent values that have no
//! index on the columns asked: statistics are made when the plan is.

use crate::harness::{engine, run, session};

/// An operator as STATISTICS XML shows it: its name, the rows it was expected to give, and those it gave.
type Ran = (String, f64, f64);

/// The operators of the plan in a text of XML.
fn operators(xml: &str) -> Vec<Ran> {
    let attribute = |element: &str, name: &str| {
        let from = element.find(&format!("{name}=\""))? + name.len() + 2;
        element[from..].split('"').next().map(str::to_owned)
    };
    let one = |element: &str| {
        let name = format!("{}, {}", attribute(element, "PhysicalOp")?, attribute(element, "LogicalOp")?);
        let number = |name| attribute(element, name)?.parse::<f64>().ok();
        // What is expected is of one execution.
        Some((name, number("EstimateRows")? * number("ActualExecutions")?.max(1.0), number("ActualRows")?))
    };
    xml.split("<RelOp ").skip(1).filter_map(one).collect()
}

const TABLES: &str = "
create table customer (id int not null primary key, city int, region int, joined date, note varchar(20))
insert customer select value, value % 200, value % 200 / 20, dateadd(day, value % 1000, '20200101'),
    case when value % 4 > 0 then 'n' + cast(value % 30 as varchar(3)) end
    from generate_series(1, 4000)
create table calendar (day date not null primary key, year int, month int)
insert calendar select dateadd(day, value, '19000101'), year(dateadd(day, value, '19000101')), month(dateadd(day, value, '19000101'))
    from generate_series(0, 73000)
create table sale (id int not null primary key, customer int, day date, product int, kind int, price decimal(9, 2), filler char(60))
insert sale select value, value * 7919 % 4000 + 1, dateadd(day, value % 1500, '20200101'),
    power(cast(value * 7907 % 9973 as float) / 9973, 3) * 300, case when value * 7877 % 9967 < 200 then value % 7 + 1 else 0 end, value % 1000, ''
    from generate_series(1, 30000)
";

/// A statement, and within which factor each of its operators is.
const STATEMENTS: [(f64, &str); 20] = [
    (1.2, "select count(*) from sale where kind = 3"),
    (1.2, "select count(*) from sale where kind = 0"),
    (1.2, "select count(*) from sale where kind <> 0"),
    (1.5, "select count(*) from sale where product = 0"),
    (2.0, "select count(*) from sale where product between 200 and 250"),
    (1.2, "select count(*) from sale where day >= '20210101' and day < '20210701'"),
    (1.2, "select count(*) from customer where note is null"),
    (1.2, "select count(*) from customer where note in ('n1', 'n2', 'n7')"),
    (1.5, "select count(*) from customer where note like 'n1%'"),
    // Region follows from city.
    (4.0, "select count(*) from customer where city = 45 and region = 2"),
    (1.5, "select product, count(*) from sale group by product"),
    // As if they hung together, which they do not.
    (4.0, "select region, note, count(*) from customer group by region, note"),
    (1.5, "select distinct city from customer where joined < '20200601'"),
    (1.5, "select year(day), count(*) from sale group by year(day)"),
    (1.5, "select id % 9, count(*) from sale group by id % 9"),
    (1.5, "select count(*) from sale s join customer c on c.id = s.customer where c.region = 3"),
    (
        2.0,
        "select c.year, sum(s.price) from sale s join calendar c on c.day = s.day where c.year = 2021 group by c.year",
    ),
    (2.0, "select c.city, count(*) from sale s join customer c on c.id = s.customer where s.kind = 5 group by c.city"),
    (2.0, "select count(*) from sale a join sale b on b.product = a.product where a.kind = 2"),
    (1.5, "select count(*) from sale s left join customer c on c.id = s.customer and c.note is null"),
];

#[test]
fn operators_give_about_as_many_rows_as_is_expected() {
    check(TABLES, str::to_owned);
}

#[test]
fn the_same_is_expected_of_temporary_tables() {
    let tables = ["customer", "calendar", "sale"];
    let named = |text: &str, words: &[&str]| {
        let renamed =
            |text: String, (word, table)| text.replace(&format!("{word} {table}"), &format!("{word} #{table}"));
        words.iter().flat_map(|word| tables.map(|table| (word, table))).fold(text.to_owned(), renamed)
    };
    check(&named(TABLES, &["table", "insert"]), |statement| named(statement, &["from", "join"]));
}

fn check(tables: &str, statement_of: impl Fn(&str) -> String) {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "set nocount on create database expected"), "");
    assert_eq!(run(&mut one, "use expected"), "");
    assert_eq!(run(&mut one, tables), "");
    let mut far = Vec::new();
    for (factor, statement) in STATEMENTS {
        let statement = statement_of(statement);
        let shown =
            run(&mut one, &format!("set statistics xml on {statement} option (maxdop 1) set statistics xml off"));
        let operators = operators(&shown);
        assert!(operators.len() > 1, "{statement}: {shown}");
        for (name, expected, rows) in operators {
            // Bitmaps of a join drop rows where they are scanned.
            if expected == 0.0 || name.contains("Scan") && statement.contains(" join ") {
                continue;
            }
            let error = (expected.max(1.0) / rows.max(1.0)).max(rows.max(1.0) / expected.max(1.0));
            if error > factor {
                far.push(format!("{statement}\n  {name}: {rows} rows, {expected} expected, a factor of {error:.1}"));
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}
