//! The warehouse: three tables, and queries that are heavy on the processor or on tempdb.
//!
//! What always holds: the tables are the same for the same number of rows; each query returns one row of numbers, which
//! does not depend on where tempdb lies. Queries are distinguished by the comment at their begin.

use crate::experiment::number;
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};

/// Customers and products: so many sales of each.
const SALES_OF_CUSTOMER: u32 = 10;
const SALES_OF_PRODUCT: u32 = 200;
/// Answers are equal up to this share: sums of floating point depend on the order.
const TOLERANCE: f64 = 1e-9;

/// A query: its name, and its text, which reads the sales before `@days`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) name: &'static str,
    /// The name of its figure.
    pub(super) figure: &'static str,
    /// Whether it spills rows.
    is_spilling: bool,
    text: &'static str,
}

/// What users run, in the order in which each follows the other.
pub(super) const QUERIES: [Query; 5] = [
    Query {
        name: "groups",
        figure: "groups_seconds",
        is_spilling: true,
        text: "select count(*), cast(sum(total) as float) from (select customer, product, note, sum(amount) as total from sales \
               where day < @days group by customer, product, note) as grouped",
    },
    Query {
        name: "regions",
        figure: "regions_seconds",
        is_spilling: false,
        text: "select count(*), sum(measure), sum(spread) from (select c.region, p.category, \
               sum(sqrt(s.amount) * log(s.quantity + 1) + exp(s.quantity / 50.0) * sin(s.day)) as measure, \
               stdev(s.amount) as spread \
               from sales as s join customers as c on s.customer = c.id join products as p on s.product = p.id \
               where s.day < @days group by c.region, p.category) as grouped",
    },
    Query {
        name: "order",
        figure: "order_seconds",
        is_spilling: true,
        text: "select count(*), sum(cast(id as bigint)) from (select id, row_number() over (order by note, id) as place, \
               amount, quantity from sales where day < @days) as ordered where place % 100 = 0",
    },
    Query {
        name: "notes",
        figure: "notes_seconds",
        is_spilling: false,
        text: "select count(*), sum(size) from (select upper(left(reverse(note), 1)) as tail, sum(len(replace(note, '7', 'seven'))) \
               as size, count(*) as rows from sales where day < @days and note like '%1%2%' \
               group by upper(left(reverse(note), 1))) as grouped",
    },
    Query {
        name: "join",
        figure: "join_seconds",
        is_spilling: true,
        text: "select count(*), sum(cast(a.quantity * b.quantity as bigint)), max(len(a.note + b.note)) \
               from sales as a join sales as b on a.id = b.id + 1 where a.day < @days",
    },
];

impl Query {
    fn comment(self) -> String {
        format!("/* {} */", self.name)
    }

    /// Runs it for the first so many days; its row.
    fn run(self, link: &mut Link, days: u32) -> Result<Vec<f64>, LabError> {
        let text = format!("{} {}", self.comment(), self.text).replace('\'', "''");
        let answer = link.batch(&format!("exec sp_executesql N'{text}', N'@days int', {days}")).doing(self.name)?;
        let row = answer.tables.first().and_then(|table| table.rows.first());
        let row = row.ok_or_else(|| LabError::Answer(format!("no row: {}", self.name)))?;
        row.iter().map(|value| number(value, self.name)).collect()
    }

    /// Whether a statement's text is this one; not the text that asks, which has the comment in two pieces.
    pub(super) fn condition(self) -> String {
        format!("text like '%/* ' + '{} */%'", self.name)
    }
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Warehouse {
    rows: u32,
    is_tenfold: bool,
}

/// More days than there are.
const ALL_DAYS: u32 = 1_000;

impl Warehouse {
    pub(super) fn small(rows: u32) -> Warehouse {
        Warehouse { rows, is_tenfold: false }
    }

    pub(super) fn tenfold(rows: u32) -> Warehouse {
        Warehouse { rows: 10 * rows, is_tenfold: true }
    }

    /// As cases name it.
    pub(super) fn name(self) -> &'static str {
        if self.is_tenfold { "tenfold" } else { "small" }
    }

    /// Its database.
    pub(super) fn database(self) -> &'static str {
        if self.is_tenfold { "warehouse10" } else { "warehouse" }
    }

    pub(super) fn is_tenfold(self) -> bool {
        self.is_tenfold
    }

    /// Makes it.
    pub(super) fn load(self, target: &Target) -> Result<(), LabError> {
        let database = self.database();
        let mut link = Link::open(target, "").doing("login")?;
        let create = format!("create database {database}; alter database {database} set recovery simple");
        link.batch(&create).doing("create database")?;
        let mut link = Link::open(target, database).doing("login")?;
        for batch in self.tables() {
            link.batch(&batch).doing("the tables")?;
        }
        Ok(())
    }

    fn tables(self) -> [String; 4] {
        let (customers, products) = (self.rows / SALES_OF_CUSTOMER, self.rows / SALES_OF_PRODUCT);
        let dimension = |table: &str, kinds: u32, rows: u32| {
            let last = rows - 1;
            format!(
                "insert {table} select value, value % {kinds}, cast(value as char(40)) from generate_series(0, {last})"
            )
        };
        [
            "create table customers (id int not null primary key, region int not null, name char(40) not null) \
             create table products (id int not null primary key, category int not null, name char(40) not null) \
             create table sales (id int not null, customer int not null, product int not null, day int not null, \
             quantity int not null, amount decimal(12, 2) not null, note char(60) not null)"
                .into(),
            dimension("customers", 25, customers),
            dimension("products", 40, products),
            format!(
                "insert sales with (tablock) select value, cast(cast(value as bigint) * 7919 % {customers} as int), \
                 value % {products}, value % 365, value % 50, cast(value % 10007 as decimal(12, 2)) / 7, \
                 cast(cast(value as bigint) * 104729 % 1000003 as char(60)) from generate_series(0, {})",
                self.rows - 1
            ),
        ]
    }

    /// Makes the plans, on no rows: what a statement's first run takes is measured by the clock only, not by the processor.
    pub(super) fn prepare(self, target: &Target) -> Result<(), LabError> {
        let mut link = Link::open(target, self.database()).doing("login")?;
        QUERIES.iter().try_for_each(|query| query.run(&mut link, 0).map(drop))
    }

    /// A session on it.
    pub(super) fn open(self, target: &Target) -> Result<Link, LabError> {
        Link::open(target, self.database()).doing("login")
    }
}

/// The queries that spill to tempdb when they do not fit.
pub(super) fn spilling() -> impl Iterator<Item = Query> + Clone {
    QUERIES.into_iter().filter(|query| query.is_spilling)
}

/// Runs a query over all of a warehouse; its row.
pub(super) fn ask(link: &mut Link, query: Query) -> Result<Vec<f64>, LabError> {
    query.run(link, ALL_DAYS)
}

/// Whether answers of the queries are those that were given before.
pub(super) fn check(known: &[Vec<f64>], answers: &[Vec<f64>]) -> Result<(), LabError> {
    for ((query, known), answer) in QUERIES.iter().zip(known).zip(answers) {
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs());
        if known.len() != answer.len() || !known.iter().zip(answer).all(is_close) {
            return Err(LabError::Answer(format!("{} answered {known:?}, and now {answer:?}", query.name)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_answers_are_errors_and_rounding_is_none() {
        let known = vec![vec![3.0, 1.0]; QUERIES.len()];
        let mut answers = known.clone();
        answers[1][1] += 1e-12;
        assert!(check(&known, &answers).is_ok());
        answers[4][0] = 4.0;
        let error = check(&known, &answers).unwrap_err().to_string();
        assert_eq!(error, "join answered [3.0, 1.0], and now [4.0, 1.0]");
    }
}
