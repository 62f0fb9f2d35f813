//! GROUP BY and aggregates: results, types, overflow, NULLs, DISTINCT.

use millpond_catalog::expr::{BoundExpr, CompareOp};
use millpond_catalog::rel::{Aggregate, AggregateFunction as Function, Rel};
use millpond_types::{Decimal, SqlType, Value};

use crate::rig::*;

fn aggregate(function: Function, arg: Option<BoundExpr>, sql: SqlType) -> Aggregate {
    Aggregate { function, arg, distinct: false, ty: nullable(sql), joining: None }
}

fn distinct(function: Function, arg: BoundExpr, sql: SqlType) -> Aggregate {
    Aggregate { function, arg: Some(arg), distinct: true, ty: nullable(sql), joining: None }
}

fn group(input: Rel, groups: Vec<BoundExpr>, aggregates: Vec<Aggregate>) -> Rel {
    Rel::Aggregate { input: Box::new(input), groups, aggregates }
}

/// One aggregate over one column of values.
fn over(function: Function, of: SqlType, result: SqlType, rows: Vec<Value>) -> Result<Value, i32> {
    let mut rig = Rig::default();
    let input = rig.table(&[of], rows.into_iter().map(|value| vec![value]).collect());
    let rel = group(input.clone(), vec![], vec![aggregate(function, Some(col(&input, 0)), result)]);
    match rig.try_rows(&rel) {
        Ok(mut rows) => Ok(rows.remove(0).remove(0)),
        Err(error) => Err(error.number),
    }
}

fn decimal(unscaled: i128, scale: u8) -> Value {
    Value::Decimal(Decimal { unscaled, scale })
}

fn ints(values: &[i32]) -> Vec<Value> {
    values.iter().map(|&n| Value::Int(n)).collect()
}

fn floats(values: &[f64]) -> Vec<Value> {
    values.iter().map(|&x| Value::Float(x)).collect()
}

#[test]
fn a_global_aggregate_of_nothing_is_one_row() {
    let mut rig = Rig::default();
    let empty = rig.table(&[INT, VARCHAR], vec![]);
    let count = aggregate(Function::Count, None, INT);
    let others = [Function::Sum, Function::Avg, Function::Min, Function::Max]
        .map(|function| aggregate(function, Some(col(&empty, 0)), INT));
    let least = aggregate(Function::Min, Some(col(&empty, 1)), VARCHAR);
    let all: Vec<Aggregate> = [count.clone()].into_iter().chain(others).chain([least]).collect();
    let null = Value::Null;
    assert_eq!(
        rig.rows(&group(empty.clone(), vec![], all.clone())),
        [row![0, null.clone(), null.clone(), null.clone(), null.clone(), null]]
    );
    assert_eq!(rig.rows(&group(empty.clone(), vec![col(&empty, 0)], all)).len(), 0);
    let unused = pick(group(empty, vec![], vec![count]), &[]);
    assert_eq!(rig.rows(&unused), [row![]]);
}

#[test]
fn groups_of_numbers_and_null() {
    let mut rig = Rig::default();
    let table = rig.table(
        &[INT, INT],
        vec![row![1, 10], row![2, 5], row![1, Value::Null], row![Value::Null, 7], row![1, 20], row![Value::Null, 1]],
    );
    let rel = group(
        table.clone(),
        vec![col(&table, 0)],
        vec![
            aggregate(Function::Count, None, INT),
            aggregate(Function::Count, Some(col(&table, 1)), INT),
            aggregate(Function::Sum, Some(col(&table, 1)), INT),
            aggregate(Function::Avg, Some(col(&table, 1)), INT),
            aggregate(Function::Min, Some(col(&table, 1)), INT),
            aggregate(Function::CountBig, None, SqlType::BigInt),
        ],
    );
    assert_eq!(
        rig.rows(&sort(rel, &[0])),
        [row![Value::Null, 2, 2, 8, 4, 1, 2_i64], row![1, 3, 2, 30, 15, 10, 3_i64], row![2, 1, 1, 5, 5, 5, 1_i64]]
    );
}

#[test]
fn groups_of_texts_are_equal_under_the_collation_and_show_the_first() {
    let mut rig = Rig::default();
    let table =
        rig.table(&[VARCHAR, INT], vec![row!["x", 1], row!["X ", 2], row!["y", 3], row!["x", 4], row![Value::Null, 5]]);
    let sum = aggregate(Function::Sum, Some(col(&table, 1)), INT);
    let rel = group(table.clone(), vec![col(&table, 0), col(&table, 0)], vec![sum]);
    assert_eq!(rig.rows(&sort(rel, &[0])), [row![Value::Null, Value::Null, 5], row!["x", "x", 7], row!["y", "y", 3]]);
}

#[test]
fn a_filter_above_groups_is_having() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT, INT], vec![row![1, 1], row![1, 2], row![2, 3], row![3, 9]]);
    let grouped = group(table.clone(), vec![col(&table, 0)], vec![aggregate(Function::Sum, Some(col(&table, 1)), INT)]);
    let having =
        and(compare(CompareOp::LtEq, col(&grouped, 1), int(3)), compare(CompareOp::NotEq, col(&grouped, 0), int(2)));
    assert_eq!(rig.rows(&filter(grouped, having)), [row![1, 3]]);
}

#[test]
fn sums_overflow_at_their_type() {
    use Function::Sum;
    assert_eq!(over(Sum, INT, INT, ints(&[i32::MAX, 1])), Err(8115));
    assert_eq!(over(Sum, INT, INT, ints(&[i32::MAX, 1, -1])), Ok(Value::Int(i32::MAX)));
    let big = |n: i64| Value::BigInt(n);
    assert_eq!(over(Sum, SqlType::BigInt, SqlType::BigInt, vec![big(i64::MAX), big(1)]), Err(8115));
    assert_eq!(over(Sum, SqlType::BigInt, SqlType::BigInt, vec![big(i64::MAX), big(-1)]), Ok(big(i64::MAX - 1)));
    assert_eq!(over(Sum, SqlType::Money, SqlType::Money, vec![Value::Money(i64::MAX), Value::Money(1)]), Err(8115));
    let wide = SqlType::decimal(38, 2);
    let most = 10_i128.pow(38) - 1;
    assert_eq!(over(Sum, wide, wide, vec![decimal(most, 2), decimal(1, 2)]), Err(8115));
    assert_eq!(over(Sum, wide, wide, vec![decimal(most, 2), decimal(most, 2)]), Err(8115));
    assert_eq!(over(Sum, SqlType::Float, SqlType::Float, floats(&[1e308, 1e308])), Err(8115));
}

#[test]
fn sums_of_every_kind_of_number() {
    use Function::Sum;
    let two = SqlType::decimal(9, 2);
    let sum = SqlType::decimal(38, 2);
    assert_eq!(over(Sum, two, sum, vec![decimal(150, 2), Value::Null, decimal(-25, 2)]), Ok(decimal(125, 2)));
    assert_eq!(
        over(Sum, SqlType::SmallMoney, SqlType::Money, vec![Value::Money(5), Value::Money(6)]),
        Ok(Value::Money(11))
    );
    assert_eq!(over(Sum, SqlType::TinyInt, INT, vec![Value::TinyInt(255), Value::TinyInt(255)]), Ok(Value::Int(510)));
    assert_eq!(over(Sum, SqlType::Float, SqlType::Float, floats(&[0.5, 0.25])), Ok(Value::Float(0.75)));
    assert_eq!(over(Sum, SqlType::Real, SqlType::Float, vec![Value::Real(0.5)]), Ok(Value::Float(0.5)));
}

#[test]
fn averages_divide_as_their_type_does() {
    use Function::Avg;
    assert_eq!(over(Avg, INT, INT, ints(&[1, 2])), Ok(Value::Int(1)));
    assert_eq!(over(Avg, INT, INT, ints(&[-1, -2])), Ok(Value::Int(-1)));
    assert_eq!(over(Avg, INT, INT, ints(&[i32::MAX, i32::MAX])), Err(8115), "its sum does not fit");
    let two = SqlType::decimal(9, 2);
    let six = SqlType::decimal(38, 6);
    assert_eq!(over(Avg, two, six, vec![decimal(100, 2), decimal(100, 2), decimal(0, 2)]), Ok(decimal(666_666, 6)));
    assert_eq!(
        over(Avg, SqlType::Money, SqlType::Money, vec![Value::Money(10_000), Value::Money(20_000)]),
        Ok(Value::Money(15_000))
    );
    assert_eq!(over(Avg, SqlType::Float, SqlType::Float, floats(&[1.0, 2.0])), Ok(Value::Float(1.5)));
}

#[test]
fn deviation_and_variance() {
    let sample = floats(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    let of = |function, rows: &[Value]| over(function, SqlType::Float, SqlType::Float, rows.to_vec());
    assert_eq!(of(Function::VarP, &sample), Ok(Value::Float(4.0)));
    assert_eq!(of(Function::StDevP, &sample), Ok(Value::Float(2.0)));
    assert_eq!(of(Function::Var, &sample), Ok(Value::Float(32.0 / 7.0)));
    assert_eq!(of(Function::StDev, &sample[..1]), Ok(Value::Null));
    assert_eq!(of(Function::StDevP, &sample[..1]), Ok(Value::Float(0.0)));
}

#[test]
fn least_and_greatest_of_every_kind() {
    let extremes =
        |of: SqlType, rows: Vec<Value>| (over(Function::Min, of, of, rows.clone()), over(Function::Max, of, of, rows));
    let guid = |last_group: u8, first_byte: u8| {
        let mut guid = [0; 16];
        (guid[10], guid[0]) = (last_group, first_byte);
        Value::Guid(guid)
    };
    assert_eq!(extremes(VARCHAR, row!["b", "A", Value::Null, "c", "a"]), (Ok(Value::str("A")), Ok(Value::str("c"))));
    assert_eq!(
        extremes(SqlType::UniqueIdentifier, vec![guid(1, 0), guid(0, 9), guid(2, 0)]),
        (Ok(guid(0, 9)), Ok(guid(2, 0)))
    );
    let date = |days| Value::Date(millpond_types::Date { days });
    assert_eq!(extremes(SqlType::Date, vec![date(9), date(3)]), (Ok(date(3)), Ok(date(9))));
    let at = |days| Value::DateTime(millpond_types::DateTime { days, ticks: 1 });
    assert_eq!(extremes(SqlType::DateTime, vec![at(-9), at(3)]), (Ok(at(-9)), Ok(at(3))));
    let binary = SqlType::VarBinary { len: millpond_types::sql_type::MaxLen::Max };
    let bytes = |bytes: &[u8]| Value::binary(bytes);
    assert_eq!(extremes(binary, vec![bytes(&[2]), bytes(&[1, 9])]), (Ok(bytes(&[1, 9])), Ok(bytes(&[2]))));
    let two = SqlType::decimal(9, 2);
    assert_eq!(extremes(two, vec![decimal(-5, 2), decimal(7, 2)]), (Ok(decimal(-5, 2)), Ok(decimal(7, 2))));
    assert_eq!(extremes(SqlType::Float, floats(&[1.5, -2.0])), (Ok(Value::Float(-2.0)), Ok(Value::Float(1.5))));
}

#[test]
fn distinct_counts_each_value_once() {
    let mut rig = Rig::default();
    let table = rig.table(
        &[INT, INT, VARCHAR],
        vec![row![1, 5, "a"], row![1, 5, "A"], row![1, 6, "b"], row![2, Value::Null, "c"], row![2, 7, Value::Null]],
    );
    let rel = group(
        table.clone(),
        vec![col(&table, 0)],
        vec![
            distinct(Function::Count, col(&table, 1), INT),
            distinct(Function::Count, col(&table, 2), INT),
            distinct(Function::Sum, col(&table, 1), INT),
            distinct(Function::Avg, cast(col(&table, 1), SqlType::Float), SqlType::Float),
            distinct(Function::Min, col(&table, 1), INT),
            aggregate(Function::Sum, Some(col(&table, 1)), INT),
        ],
    );
    assert_eq!(rig.rows(&sort(rel, &[0])), [row![1, 2, 2, 11, 5.5, 5, 16], row![2, 1, 1, 7, 7.0, 7, 7]]);
    let global = group(table.clone(), vec![], vec![distinct(Function::Sum, col(&table, 1), INT)]);
    assert_eq!(rig.rows(&global), [row![18]]);
}

#[test]
fn aggregates_of_several_distinct_values_beside_others() {
    let mut rig = Rig::default();
    let table = rig.table(
        &[INT, INT, VARCHAR],
        vec![row![1, 5, "a"], row![1, 5, "B"], row![1, 6, "b"], row![2, Value::Null, "c"], row![2, 7, Value::Null]],
    );
    let all = |table: &Rel| {
        vec![
            aggregate(Function::Count, None, INT),
            distinct(Function::Count, col(table, 1), INT),
            aggregate(Function::Max, Some(col(table, 2)), VARCHAR),
            distinct(Function::CountBig, col(table, 2), SqlType::BigInt),
            aggregate(Function::Sum, Some(col(table, 1)), INT),
            distinct(Function::Max, col(table, 1), INT),
            aggregate(Function::CountBig, Some(col(table, 1)), SqlType::BigInt),
        ]
    };
    let big = Value::BigInt;
    let grouped = group(table.clone(), vec![col(&table, 0)], all(&table));
    let expected = [row![1, 3, 2, "B", big(2), 16, 6, big(3)], row![2, 2, 1, "c", big(1), 7, 7, big(1)]];
    assert_eq!(rig.rows(&sort(grouped, &[0])), expected);
    let expected = row![5, 3, "c", big(3), 23, 7, big(4)];
    assert_eq!(rig.rows(&group(table.clone(), vec![], all(&table))), [expected]);
    let empty = rig.table(&[INT, INT, VARCHAR], vec![]);
    let null = Value::Null;
    let expected = row![0, 0, null.clone(), big(0), null.clone(), null, big(0)];
    assert_eq!(rig.rows(&group(empty.clone(), vec![], all(&empty))), [expected]);
    assert_eq!(rig.rows(&group(empty.clone(), vec![col(&empty, 0)], all(&empty))).len(), 0);
}

#[test]
fn many_groups() {
    let mut rig = Rig::default();
    let rows = (0..5000).map(|n| row![n % 1000, format!("t{}", n % 500), n]).collect();
    let table = rig.table(&[INT, VARCHAR, INT], rows);
    let groups = vec![col(&table, 1), col(&table, 0)];
    let rel = group(table.clone(), groups, vec![aggregate(Function::Sum, Some(col(&table, 2)), INT)]);
    let rows = rig.rows(&sort(rel, &[1]));
    assert_eq!(rows.len(), 1000);
    assert_eq!(rows[7], row!["t7", 7, 5 * 7 + 10_000]);
}
