//! Predicates that compute, in scans: row by row and on arrays they keep the same rows and end in the same errors.

use millpond_builtin as builtin;
use millpond_catalog::expr::{ArithOp, BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel};
use millpond_engine::memory::Workspace;
use millpond_types::collation::Collation;
use millpond_types::temporal::Date;
use millpond_types::{Decimal, SqlType, Value};

use crate::rig::*;
use millpond_plan::{CompileOptions, compile};
use millpond_rewrite::terms::all;

const MONEY_LIKE: SqlType = SqlType::decimal(9, 2);

/// Of n from 0 on: n, n % 7 with NULLs, n % 5, n / 4 as decimal with NULLs, a text with NULLs, a day with NULLs.
fn numbered(rig: &mut Rig, count: i32) -> Rel {
    let unless = |is_null: bool, value: Value| if is_null { Value::Null } else { value };
    let texts = ["plain", "PLAIN  ", "Größe", "x", ""];
    let row = |n: i32| {
        vec![
            Value::Int(n),
            unless(n % 11 == 3, Value::Int(n % 7)),
            Value::Int(n % 5),
            unless(n % 13 == 5, Value::Decimal(Decimal { unscaled: i128::from(n) * 25, scale: 2 })),
            unless(n % 6 == 5, Value::str(texts[n as usize % 5])),
            unless(n % 17 == 2, Value::Date(Date { days: 728_000 + n * 37 })),
        ]
    };
    rig.table(&[INT, INT, INT, MONEY_LIKE, VARCHAR, SqlType::Date], (0..count).map(row).collect())
}

fn modulo(table: &Rel, column: usize, by: i32) -> BoundExpr {
    arith(ArithOp::Mod, col(table, column), int(by))
}

fn call(name: &str, args: Vec<BoundExpr>) -> BoundExpr {
    let def = builtin::find(name).expect("a function");
    BoundExpr { kind: Kind::Function(def, args), ty: nullable(INT) }
}

fn like(text: BoundExpr, pattern: &str) -> BoundExpr {
    let pattern = Box::new(super::rig::text(pattern));
    let collation = Collation::LATIN1_CI_AS;
    BoundExpr::predicate(Kind::Like { text: Box::new(text), pattern, escape: None, collation })
}

/// The numbers of the rows that fulfil a predicate.
fn kept(rig: &Rig, table: &Rel, predicate: BoundExpr) -> Vec<i32> {
    let mut rows: Vec<i32> = rig
        .rows(&pick(filter(table.clone(), predicate), &[0]))
        .into_iter()
        .map(|row| row[0].as_i64().expect("a number") as i32)
        .collect();
    rows.sort_unstable();
    rows
}

fn those(count: i32, keeps: impl Fn(i32) -> bool) -> Vec<i32> {
    (0..count).filter(|&n| keeps(n)).collect()
}

#[test]
fn numbers_and_nulls() {
    let mut rig = Rig::default();
    let table = numbered(&mut rig, 400);
    let t = || &table;
    let odd = compare(CompareOp::NotEq, modulo(t(), 0, 3), int(1));
    assert_eq!(kept(&rig, t(), odd), those(400, |n| n % 3 != 1));
    let less = compare(CompareOp::Lt, col(t(), 1), col(t(), 2));
    assert_eq!(kept(&rig, t(), less.clone()), those(400, |n| n % 11 != 3 && n % 7 < n % 5));
    assert_eq!(kept(&rig, t(), not(less)), those(400, |n| n % 11 != 3 && n % 7 >= n % 5));
    let sum = arith(ArithOp::Add, col(t(), 1), col(t(), 2));
    assert_eq!(kept(&rig, t(), is_null(sum)), those(400, |n| n % 11 == 3));
    let bits = eq(arith(ArithOp::BitAnd, col(t(), 0), int(6)), int(4));
    assert_eq!(kept(&rig, t(), bits), those(400, |n| n & 6 == 4));
    let tested = and(compare(CompareOp::Gt, col(t(), 0), int(200)), eq(modulo(t(), 2, 2), int(0)));
    assert_eq!(kept(&rig, t(), tested), those(400, |n| n > 200 && n % 5 % 2 == 0));
}

#[test]
fn decimals_texts_and_dates() {
    let mut rig = Rig::default();
    let table = numbered(&mut rig, 300);
    let t = || &table;
    let limit = BoundExpr::literal(Value::Decimal(Decimal { unscaled: 10_000, scale: 2 }), MONEY_LIKE);
    let twice = arith(ArithOp::Add, col(t(), 3), col(t(), 3));
    let large = compare(CompareOp::Gt, twice, limit);
    assert_eq!(kept(&rig, t(), large), those(300, |n| n % 13 != 5 && n > 200));
    let starts = like(col(t(), 4), "pl%");
    assert_eq!(kept(&rig, t(), starts), those(300, |n| n % 6 != 5 && n % 5 < 2));
    let short = compare(CompareOp::Lt, call("LEN", vec![col(t(), 4)]), int(5));
    assert_eq!(kept(&rig, t(), short), those(300, |n| n % 6 != 5 && n % 5 > 2));
    let year = |n: i32| Date { days: 728_000 + n * 37 }.civil().0;
    let in_year = eq(call("YEAR", vec![col(t(), 5)]), int(year(100)));
    assert_eq!(kept(&rig, t(), in_year), those(300, |n| n % 17 != 2 && year(n) == year(100)));
}

#[test]
fn alternatives_that_can_fail_are_asked_of_the_rows_that_need_them() {
    let mut rig = Rig::default();
    let table = numbered(&mut rig, 200);
    let t = || &table;
    let share = || eq(arith(ArithOp::Div, int(12), col(t(), 2)), int(4));
    let none = || eq(col(t(), 2), int(0));
    let share_of = |n: i32| n % 5 == 3;
    assert_eq!(kept(&rig, t(), or(none(), share())), those(200, |n| n % 5 == 0 || share_of(n)));
    assert_eq!(kept(&rig, t(), and(not(none()), share())), those(200, share_of));
    let both = or(and(eq(col(t(), 1), int(2)), not(none())), or(none(), share()));
    assert_eq!(kept(&rig, t(), both), those(200, |n| n % 5 == 0 || share_of(n) || n % 11 != 3 && n % 7 == 2));
    assert_eq!(rig.error(&filter(table.clone(), share())), 8134);
    assert_eq!(rig.error(&filter(table.clone(), or(share(), none()))), 8134);
}

#[test]
fn errors_are_those_of_each_row() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT, INT], vec![row![1, i32::MAX], row![2, 0], row![Value::Null, 3]]);
    let sum = arith(ArithOp::Add, col(&table, 1), col(&table, 0));
    let positive = compare(CompareOp::Gt, sum, int(0));
    assert_eq!(rig.error(&filter(table.clone(), positive.clone())), 8115);
    // The row that overflows is dropped by its bytes.
    let guarded = filter(table.clone(), and(positive, compare(CompareOp::Lt, col(&table, 1), int(100))));
    assert_eq!(rig.rows(&guarded), [row![2, 0]]);
    let text = rig.table(&[VARCHAR], vec![row!["12"], row!["x"]]);
    let number = |table: &Rel| compare(CompareOp::Gt, cast(col(table, 0), INT), int(1));
    assert_eq!(rig.error(&filter(text.clone(), number(&text))), 245);
    let guarded = and(not(eq(col(&text, 0), super::rig::text("X"))), number(&text));
    assert_eq!(rig.rows(&filter(text.clone(), guarded)), [row!["12"]]);
}

#[test]
fn rows_without_columns_are_counted() {
    let mut rig = Rig::default();
    let table = numbered(&mut rig, 10_000);
    let count = Aggregate {
        function: AggregateFunction::CountBig,
        arg: None,
        distinct: false,
        ty: ExprType { nullable: false, ..nullable(SqlType::BigInt) },
        joining: None,
    };
    let counted = |predicate: BoundExpr| {
        let input = Box::new(filter(table.clone(), predicate));
        Rel::Aggregate { input, groups: vec![], aggregates: vec![count.clone()] }
    };
    assert_eq!(rig.rows(&counted(eq(modulo(&table, 0, 4), int(0)))), [row![2500_i64]]);
    assert_eq!(rig.rows(&counted(eq(modulo(&table, 0, 4), int(4)))), [row![0_i64]]);
    let constant = eq(arith(ArithOp::Add, variable(0, INT), int(1)), int(8));
    rig.variables = row![7];
    assert_eq!(rig.rows(&counted(constant.clone())), [row![10_000_i64]]);
    rig.variables = row![8];
    assert_eq!(rig.rows(&counted(constant)), [row![0_i64]]);
}

#[test]
fn thousands_of_conditions_take_little_stack() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT, INT], (0..6000).map(|n| row![n, n % 3]).collect());
    let none_of = (0..2000).map(|n| compare(CompareOp::NotEq, arith(ArithOp::Add, col(&table, 0), int(1)), int(n)));
    let unlike = (0..2000).map(|n| not(eq(col(&table, 0), int(n + 3000))));
    let predicate = all(none_of.chain(unlike).collect()).expect("conditions");
    let rel = filter(table, predicate);
    for row_plans in [true, false] {
        let options = CompileOptions { row_plans, ..CompileOptions::new(Workspace::new(0)) };
        let rows = run(&compile(&rel, &options).expect("plans"), rig.context()).expect("runs");
        assert_eq!(rows.len(), 2001);
    }
}
