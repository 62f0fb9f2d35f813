//! How far estimates are from what there is: of filters, joins, groups and conditions with queries, over rows that are known.
//!
//! Factors are of the larger to the smaller of both. What no statistics can know (how columns hang together) is within a factor
//! that says so.

use std::collections::HashSet;
use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, ForcedPath, Rel, RelJoin};
use millpond_catalog::statistics::histogram::{Collector, Statistics};
use millpond_catalog::{ColumnDef, TableDef};
use millpond_seek::{Guide, TableFigures};
use millpond_types::Value;

use crate::rig::{INT, and, col, compare, eq, filter, int, is_null, join, not, nullable, or, pick};
use millpond_engine::memory::Workspace;
use millpond_plan::CompileOptions;

type Rows = Vec<Vec<Option<i32>>>;

/// Tables, with statistics of all their columns.
#[derive(Default)]
struct Known {
    defs: Vec<(Arc<TableDef>, Rows)>,
}

impl Known {
    fn table(&mut self, rows: Rows) -> Rel {
        let columns = (0..rows[0].len()).map(|at| ColumnDef::new(at as i32 + 1, format!("c{at}"), nullable(INT)));
        let name = format!("t{}", self.defs.len());
        let def = Arc::new(TableDef::new(name, columns.collect(), Vec::new()));
        self.defs.push((Arc::clone(&def), rows));
        Rel::Table { binding: self.defs.len() - 1, def, with_rid: false, forced: ForcedPath::default() }
    }

    fn expected(&self, rel: &Rel) -> f64 {
        let figures = self.defs.iter().map(|(def, rows)| {
            let columns = (0..def.columns.len()).map(|column| (column, Arc::new(statistics(def, rows, column))));
            let (rows, columns) = (rows.len() as f64, columns.collect());
            (Arc::clone(def), TableFigures { rows, indexes: Vec::new(), columns, peeked: Arc::default() })
        });
        let options = CompileOptions {
            guide: Arc::new(Guide::knowing(figures.collect())),
            table_rows: self.defs.iter().map(|(_, rows)| rows.len() as u64).collect(),
            ..CompileOptions::new(Workspace::new(64 << 20))
        };
        millpond_plan::rows(rel, &options)
    }

    fn is_within(&self, factor: f64, rel: &Rel, exact: usize, what: &str) {
        let (expected, exact) = (self.expected(rel).max(1.0), (exact as f64).max(1.0));
        let error = (expected / exact).max(exact / expected);
        assert!(error <= factor, "{what}: {expected} of {exact}, a factor of {error}");
    }
}

fn statistics(def: &TableDef, rows: &Rows, column: usize) -> Statistics {
    let ty = def.columns[column].ty;
    let value = |row: &Vec<Option<i32>>| row[column].map_or(Value::Null, Value::Int);
    let collector = Collector::of_rows(vec![ty.collation], rows.iter().map(|row| vec![value(row)]).collect());
    let (distinct, steps) = collector.finish(rows.len() as u64);
    Statistics {
        columns: vec![def.columns[column].id],
        rows: rows.len() as u64,
        sampled: rows.len() as u64,
        updated_us: 0,
        changes: 0,
        persisted_percent: None,
        no_recompute: false,
        distinct,
        average_bytes: vec![4.0],
        steps,
        collation: ty.collation,
    }
}

/// A number, its remainder by 7, a skewed one, one that follows from the first, and one that is NULL in two of three rows.
fn sold() -> Rows {
    let skewed = |n: i32| (f64::from(n * 7919 % 9973) / 9973.0).powi(3) * 500.0;
    let row =
        |n: i32| vec![Some(n), Some(n % 7), Some(skewed(n) as i32), Some(n / 100), (n % 3 == 0).then_some(n % 50)];
    (0..20_000).map(row).collect()
}

fn count(rows: &Rows, passes: impl Fn(&[Option<i32>]) -> bool) -> usize {
    rows.iter().filter(|row| passes(row)).count()
}

#[test]
fn filters() {
    let mut known = Known::default();
    let (rows, table) = (sold(), known.table(sold()));
    let of = |column| col(&table, column);
    let check = |factor: f64, predicate: BoundExpr, passes: &dyn Fn(&[Option<i32>]) -> bool, what: &str| {
        known.is_within(factor, &filter(table.clone(), predicate), count(&rows, passes), what);
    };
    let over = |op, column, value| compare(op, of(column), int(value));
    check(1.1, eq(of(1), int(3)), &|row| row[1] == Some(3), "a value of seven");
    check(2.0, eq(of(2), int(0)), &|row| row[2] == Some(0), "the most frequent value");
    check(2.0, eq(of(2), int(450)), &|row| row[2] == Some(450), "a rare value");
    check(1.2, compare(CompareOp::NotEq, of(1), int(3)), &|row| row[1] != Some(3), "all but a value");
    let range = and(over(CompareOp::GtEq, 0, 5_000), over(CompareOp::Lt, 0, 7_500));
    check(1.2, range, &|row| (5_000..7_500).contains(&row[0].unwrap()), "a range");
    check(1.5, over(CompareOp::Gt, 2, 400), &|row| row[2] > Some(400), "the end of the skewed one");
    check(1.1, is_null(of(4)), &|row| row[4].is_none(), "NULL");
    check(1.1, not(is_null(of(4))), &|row| row[4].is_some(), "not NULL");
    check(1.2, eq(of(4), int(30)), &|row| row[4] == Some(30), "a value beside NULLs");
    let list = BoundExpr::predicate(Kind::InList(Box::new(of(1)), vec![int(1), int(5)], of(1).ty.collation));
    check(1.1, list.clone(), &|row| matches!(row[1], Some(1 | 5)), "a list");
    check(1.2, not(list), &|row| !matches!(row[1], Some(1 | 5)), "not a list");
    let either = or(eq(of(1), int(3)), over(CompareOp::Lt, 0, 2_000));
    check(1.3, either, &|row| row[1] == Some(3) || row[0] < Some(2_000), "one of two");
    // As if they hung together a little: these do not, and those wholly.
    let independent = and(eq(of(1), int(3)), over(CompareOp::Lt, 0, 4_000));
    check(3.0, independent, &|row| row[1] == Some(3) && row[0] < Some(4_000), "two columns");
    let dependent = and(over(CompareOp::Lt, 3, 20), over(CompareOp::Lt, 0, 2_000));
    check(3.5, dependent, &|row| row[0] < Some(2_000), "two that say the same");
}

fn pairs(left: &Rows, right: &Rows, keys: (usize, usize)) -> usize {
    let mut counts = std::collections::HashMap::new();
    right.iter().filter_map(|row| row[keys.1]).for_each(|key| *counts.entry(key).or_insert(0) += 1);
    left.iter().filter_map(|row| counts.get(&row[keys.0]?)).sum()
}

#[test]
fn joins() {
    let mut known = Known::default();
    let (rows, table) = (sold(), known.table(sold()));
    // A calendar of 73,000 days in years of 365 and months of 30; sales are of 1,825 of them.
    let days: Rows = (0..73_000).map(|n| vec![Some(n), Some(n / 365), Some(n % 365 / 30)]).collect();
    let calendar = known.table(days.clone());
    let sales: Rows = (0..40_000).map(|n| vec![Some(36_500 + n % 1_825), Some(n % 11)]).collect();
    let fact = known.table(sales.clone());
    let few: Rows = (0..1_500).map(|n| vec![Some(n % 50), Some(n)]).collect();
    let other = known.table(few.clone());
    let on = |left: &Rel, right: &Rel, keys: (usize, usize)| {
        let width = left.types().len();
        join(RelJoin::Inner, left.clone(), right.clone(), |both| Some(eq(col(both, keys.0), col(both, width + keys.1))))
    };
    known.is_within(1.5, &on(&fact, &calendar, (0, 0)), 40_000, "sales and their days");
    let year = |number| filter(calendar.clone(), eq(col(&calendar, 1), int(number)));
    known.is_within(2.0, &on(&fact, &year(102), (0, 0)), 8_000, "sales of one year");
    let from = compare(CompareOp::GtEq, col(&calendar, 0), int(38_000));
    let cut = filter(calendar.clone(), from);
    let exact = count(&sales, |row| row[0] >= Some(38_000));
    known.is_within(1.5, &on(&fact, &cut, (0, 0)), exact, "sales from a day on");
    known.is_within(1.2, &on(&table, &other, (4, 0)), pairs(&rows, &few, (4, 0)), "many to many, with NULLs");
    known.is_within(2.0, &on(&table, &other, (2, 1)), pairs(&rows, &few, (2, 1)), "skewed keys");
    let itself = on(&table, &table, (2, 2));
    known.is_within(2.0, &itself, pairs(&rows, &rows, (2, 2)), "skewed keys with themselves");
    let none = filter(table.clone(), compare(CompareOp::Gt, col(&table, 0), int(15_000)));
    known.is_within(2.0, &on(&none, &other, (0, 1)), 0, "keys that none has");
    // One of seven sales of a store, one month: both sides are filtered by what the key is not.
    let store = filter(fact.clone(), eq(col(&fact, 1), int(4)));
    let exact = count(&sales, |row| row[1] == Some(4) && (row[0].unwrap()) / 365 == 102);
    known.is_within(2.0, &on(&store, &year(102), (0, 0)), exact, "sales of a store and a year");
    let early = filter(calendar.clone(), compare(CompareOp::Lt, col(&calendar, 0), int(1_000)));
    let left = join(RelJoin::Left, early, fact.clone(), |both| Some(eq(col(both, 0), col(both, 3))));
    known.is_within(1.1, &left, 1_000, "days before all sales");
}

fn groups_of(input: &Rel, columns: &[usize]) -> Rel {
    let groups = columns.iter().map(|&column| col(input, column)).collect();
    let counted = Aggregate {
        function: AggregateFunction::CountBig,
        arg: None,
        distinct: false,
        ty: nullable(millpond_types::SqlType::BigInt),
        joining: None,
    };
    Rel::Aggregate { input: Box::new(input.clone()), groups, aggregates: vec![counted] }
}

#[test]
fn groups() {
    let mut known = Known::default();
    let (rows, table) = (sold(), known.table(sold()));
    let distinct = |rows: &[&Vec<Option<i32>>], columns: &[usize]| {
        rows.iter().map(|row| columns.iter().map(|&at| row[at]).collect::<Vec<_>>()).collect::<HashSet<_>>().len()
    };
    let all: Vec<&Vec<Option<i32>>> = rows.iter().collect();
    for column in 0..5 {
        known.is_within(1.1, &groups_of(&table, &[column]), distinct(&all, &[column]), &format!("column {column}"));
    }
    known.is_within(3.0, &groups_of(&table, &[1, 4]), distinct(&all, &[1, 4]), "two columns");
    known.is_within(3.0, &groups_of(&table, &[0, 3]), distinct(&all, &[0, 3]), "two that say the same");
    let some = filter(table.clone(), compare(CompareOp::Lt, col(&table, 0), int(300)));
    let passed: Vec<&Vec<Option<i32>>> = rows.iter().filter(|row| row[0] < Some(300)).collect();
    known.is_within(1.2, &groups_of(&some, &[1]), distinct(&passed, &[1]), "few values of some rows");
    known.is_within(2.0, &groups_of(&some, &[2]), distinct(&passed, &[2]), "skewed values of some rows");
    let unlike = Rel::Distinct(Box::new(pick(table.clone(), &[1, 4])));
    known.is_within(3.0, &unlike, distinct(&all, &[1, 4]), "DISTINCT");
    let other: Rows = (0..2_000).map(|n| vec![Some(n), Some(n % 40)]).collect();
    let of_other = known.table(other);
    let both = join(RelJoin::Inner, table.clone(), of_other, |both| Some(eq(col(both, 0), col(both, 5))));
    known.is_within(1.2, &groups_of(&both, &[6]), 40, "a column of a joined table");
    // Groups joined again have each value once.
    let grouped = groups_of(&table, &[2]);
    let again = join(RelJoin::Inner, table.clone(), grouped, |both| Some(eq(col(both, 2), col(both, 5))));
    known.is_within(1.5, &again, rows.len(), "rows and their groups");
}

#[test]
fn conditions_with_queries() {
    let mut known = Known::default();
    let (rows, table) = (sold(), known.table(sold()));
    let few: Rows = (0..1_500).map(|n| vec![Some(n * 4), Some(n % 3)]).collect();
    let other = known.table(few.clone());
    let keys: HashSet<i32> = few.iter().filter_map(|row| row[0]).collect();
    let member = |of: &Rel| {
        let query =
            Kind::InQuery(Box::new(col(&table, 0)), Arc::new(pick(of.clone(), &[0])), col(&table, 0).ty.collation);
        BoundExpr::predicate(query)
    };
    let exact = count(&rows, |row| keys.contains(&row[0].unwrap()));
    known.is_within(1.5, &filter(table.clone(), member(&other)), exact, "IN");
    known.is_within(1.2, &filter(table.clone(), not(member(&other))), rows.len() - exact, "NOT IN");
    let third = filter(other.clone(), eq(col(&other, 1), int(1)));
    known.is_within(2.0, &filter(table.clone(), member(&third)), exact / 3, "IN of some");
}
