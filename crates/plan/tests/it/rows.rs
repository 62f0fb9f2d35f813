//! Filters, projections, order, TOP, duplicates, set operations.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{ForcedPath, Rel, RelSet, SortKey};
use millpond_types::{SqlType, Value};

use crate::rig::*;

fn people(rig: &mut Rig) -> Rel {
    rig.table(
        &[INT, VARCHAR, INT],
        vec![
            row![1, "Ann", 30],
            row![2, "bob", Value::Null],
            row![3, "ANN  ", 25],
            row![4, Value::Null, 30],
            row![5, "Cid", 41],
        ],
    )
}

fn top(input: Rel, count: BoundExpr) -> Rel {
    Rel::Top { input: Box::new(input), count: Some(count), percent: false, ties: vec![], offset: None }
}

fn big(n: i64) -> BoundExpr {
    BoundExpr::literal(Value::BigInt(n), SqlType::BigInt)
}

#[test]
fn one_row_without_columns_is_a_select_without_from() {
    let rel = project(values(&[], vec![vec![]]), vec![int(7), text("x")]);
    assert_eq!(Rig::default().rows(&rel), [row![7, "x"]]);
}

#[test]
fn a_filter_keeps_rows_for_which_it_is_true_neither_false_nor_unknown() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    let older = compare(CompareOp::Gt, col(&people, 2), int(29));
    assert_eq!(rig.rows(&pick(filter(people.clone(), older.clone()), &[0])), [row![1], row![4], row![5]]);
    assert_eq!(rig.rows(&pick(filter(people, not(older)), &[0])), [row![3]]);
}

#[test]
fn texts_compare_by_their_collation_and_blanks_at_the_end_do_not_count() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    for input in [people.clone(), sort(people.clone(), &[0])] {
        let ann = eq(col(&people, 1), text("ann"));
        assert_eq!(rig.rows(&pick(filter(input, ann), &[0])), [row![1], row![3]]);
    }
}

#[test]
fn a_scan_delivers_the_columns_asked_for_and_the_identifier() {
    let mut rig = Rig::default();
    let Rel::Table { binding, def, .. } = people(&mut rig) else { unreachable!("a table") };
    let table = Rel::Table { binding, def, with_rid: true, forced: ForcedPath::default() };
    let third = filter(table.clone(), eq(col(&table, 0), int(3)));
    let rows = rig.rows(&third);
    assert_eq!(rows[0][..3], row![3, "ANN  ", 25]);
    let Value::BigInt(rid) = rows[0][3] else { panic!("a rid is a bigint: {rows:?}") };
    let by_rid = filter(table.clone(), eq(col(&table, 3), big(rid)));
    assert_eq!(rig.rows(&pick(by_rid, &[0, 3])), [row![3, rid]]);
}

#[test]
fn null_sorts_first_and_last_when_descending() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    assert_eq!(rig.rows(&pick(sort(people.clone(), &[2, 0]), &[0])), [row![2], row![3], row![1], row![4], row![5]]);
    assert_eq!(rig.rows(&pick(sort(people, &[-3, -1]), &[0])), [row![5], row![4], row![1], row![3], row![2]]);
}

#[test]
fn texts_sort_by_their_collation() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    assert_eq!(rig.rows(&pick(sort(people, &[1, 0]), &[0])), [row![4], row![1], row![3], row![2], row![5]]);
}

#[test]
fn top_takes_a_count_that_is_known_at_run_time() {
    let mut rig = Rig::default();
    let people = sort(people(&mut rig), &[-1]);
    rig.variables = row![2_i64];
    let rel = pick(top(people, variable(0, SqlType::BigInt)), &[0]);
    assert_eq!(rig.rows(&rel), [row![5], row![4]]);
    rig.variables = row![0_i64];
    assert_eq!(rig.rows(&rel), Vec::<Vec<Value>>::new());
    rig.variables = row![-1_i64];
    assert_eq!(rig.error(&rel), 127);
    rig.variables = vec![Value::Null];
    assert_eq!(rig.error(&rel), 1060);
}

#[test]
fn offset_skips_and_fetch_counts_after_it() {
    let mut rig = Rig::default();
    let input = Box::new(sort(people(&mut rig), &[0]));
    let page = |count: Option<BoundExpr>, offset: i64| {
        let rel = Rel::Top { input: input.clone(), count, percent: false, ties: vec![], offset: Some(big(offset)) };
        pick(rel, &[0])
    };
    assert_eq!(rig.rows(&page(Some(big(2)), 1)), [row![2], row![3]]);
    assert_eq!(rig.rows(&page(None, 3)), [row![4], row![5]]);
    assert_eq!(rig.rows(&page(Some(big(10)), 4)), [row![5]]);
    assert_eq!(rig.rows(&page(Some(big(10)), 9)), Vec::<Vec<Value>>::new());
    assert_eq!(rig.error(&page(None, -1)), 10742);
}

#[test]
fn percent_rounds_up_to_whole_rows() {
    let mut rig = Rig::default();
    let people = sort(people(&mut rig), &[0]);
    let percent = |percent: f64| {
        let count = Some(BoundExpr::literal(Value::Float(percent), SqlType::Float));
        pick(Rel::Top { input: Box::new(people.clone()), count, percent: true, ties: vec![], offset: None }, &[0])
    };
    assert_eq!(rig.rows(&percent(21.0)), [row![1], row![2]]);
    assert_eq!(rig.rows(&percent(20.0)), [row![1]]);
    assert_eq!(rig.rows(&percent(100.0)).len(), 5);
    assert_eq!(rig.rows(&percent(0.0)).len(), 0);
    assert_eq!(rig.error(&percent(100.5)), 1031);
}

#[test]
fn ties_go_on_while_the_keys_equal_those_of_the_last_row() {
    let mut rig = Rig::default();
    let table = rig.table(
        &[INT, VARCHAR],
        vec![row![1, "a"], row![2, "B"], row![3, "b"], row![4, "b "], row![5, "c"], row![6, Value::Null]],
    );
    let ties = |count: i64| {
        let keys = vec![SortKey { expr: col(&table, 1), descending: false }];
        let input = Box::new(Rel::Sort { input: Box::new(table.clone()), keys: keys.clone() });
        pick(Rel::Top { input, count: Some(big(count)), percent: false, ties: keys, offset: None }, &[0])
    };
    assert_eq!(rig.set(&ties(1)), [row![6]]);
    assert_eq!(rig.set(&ties(2)), [row![1], row![6]]);
    assert_eq!(rig.set(&ties(3)), as_set(vec![row![1], row![2], row![3], row![4], row![6]]));
    assert_eq!(rig.set(&ties(5)), rig.set(&ties(3)));
}

#[test]
fn top_without_order_takes_rows_as_they_come() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    let given = values(&[INT], (0..9).map(|n| row![n]).collect());
    let older = filter(people.clone(), compare(CompareOp::Gt, col(&people, 2), int(29)));
    rig.variables = row![2_i64];
    let two = || variable(0, SqlType::BigInt);
    assert_eq!(rig.rows(&pick(top(older.clone(), two()), &[0])), [row![1], row![4]]);
    assert_eq!(rig.rows(&pick(top(older.clone(), big(9)), &[0])), [row![1], row![4], row![5]]);
    assert_eq!(rig.rows(&top(given.clone(), two())), [row![0], row![1]]);
    for (count, error) in [(Value::Null, 1060), (Value::BigInt(-1), 127)] {
        rig.variables = vec![count];
        assert_eq!(rig.error(&top(older.clone(), two())), error);
        assert_eq!(rig.error(&top(given.clone(), two())), error);
    }
}

#[test]
fn top_stops_its_input() {
    let mut rig = Rig::default();
    // Two rows on each of 50 pages.
    let table = rig.table(&[INT, SqlType::char(4000)], (0..100).map(|n| row![n, "x"]).collect());
    assert_eq!(rig.rows(&pick(top(table, big(1)), &[0])), [row![0]]);
    let reads = rig.tables[0].io.rows.logical_reads.load(std::sync::atomic::Ordering::Relaxed);
    // Eight runs: two row by row, two with batches of 4096 rows, which read everything, two of 1 row and two of 3.
    assert!(reads <= 2 + 2 * 50 + 2 + 2 * 2, "{reads} pages for the first row");
}

#[test]
fn distinct_compares_texts_by_their_collation() {
    let mut rig = Rig::default();
    let table = rig.table(
        &[VARCHAR, INT],
        vec![row!["a", 1], row!["A ", 1], row!["b", 1], row![Value::Null, 1], row![Value::Null, 1], row!["a", 2]],
    );
    let rows = rig.rows(&sort(Rel::Distinct(Box::new(table)), &[1, 0]));
    assert_eq!(rows, [row![Value::Null, 1], row!["a", 1], row!["b", 1], row!["a", 2]]);
}

#[test]
fn binaries_are_equal_but_for_zeros_at_the_end() {
    let mut rig = Rig::default();
    let binary = SqlType::VarBinary { len: millpond_types::sql_type::MaxLen::Limited(8) };
    let value = |bytes: &[u8]| vec![Value::binary(bytes)];
    let table = rig.table(&[binary], vec![value(&[1]), value(&[1, 0]), value(&[1, 1])]);
    assert_eq!(rig.set(&Rel::Distinct(Box::new(table.clone()))).len(), 2);
    let one = BoundExpr::literal(Value::binary(&[1, 0, 0]), binary);
    for input in [table.clone(), sort(table.clone(), &[0])] {
        assert_eq!(rig.rows(&filter(input, eq(col(&table, 0), one.clone()))).len(), 2);
    }
}

#[test]
fn set_operations_treat_null_as_equal_and_texts_by_their_collation() {
    let mut rig = Rig::default();
    let types = [VARCHAR, INT];
    let left = rig.table(&types, vec![row!["a", 1], row!["A", 1], row![Value::Null, 2], row!["c", 3]]);
    let right = values(&types, vec![row!["A ", 1], row![Value::Null, 2], row!["d", 4]]);
    let set = |op, all| Rel::Set { op, all, left: Box::new(left.clone()), right: Box::new(right.clone()) };
    assert_eq!(rig.rows(&set(RelSet::Union, true)).len(), 7);
    let union = rig.set(&set(RelSet::Union, false));
    assert_eq!(union, as_set(vec![row!["a", 1], row![Value::Null, 2], row!["c", 3], row!["d", 4]]));
    assert_eq!(rig.set(&set(RelSet::Except, false)), [row!["c", 3]]);
    assert_eq!(rig.set(&set(RelSet::Intersect, false)), as_set(vec![row!["a", 1], row![Value::Null, 2]]));
}

#[test]
fn union_all_keeps_the_order_of_its_inputs_and_filters_reach_both() {
    let mut rig = Rig::default();
    let left = rig.table(&[INT], vec![row![1], row![2]]);
    let right = values(&[INT], vec![row![3], row![4]]);
    let both = Rel::Set { op: RelSet::Union, all: true, left: Box::new(left), right: Box::new(right) };
    let rel = filter(both.clone(), compare(CompareOp::NotEq, col(&both, 0), int(3)));
    assert_eq!(rig.rows(&rel), [row![1], row![2], row![4]]);
}

#[test]
fn a_filter_above_a_projection_sees_its_columns() {
    let mut rig = Rig::default();
    let people = people(&mut rig);
    let sum = arith(millpond_catalog::expr::ArithOp::Add, col(&people, 0), int(10));
    let inner = project(people.clone(), vec![col(&people, 1), sum, col(&people, 2)]);
    let both = and(eq(col(&inner, 1), int(14)), is_null(col(&inner, 0)));
    assert_eq!(rig.rows(&filter(inner.clone(), both)), [row![Value::Null, 14, 30]]);
}

#[test]
fn values_may_have_expressions_and_subqueries() {
    let mut rig = Rig::default();
    rig.variables = row![5];
    let one = values(&[INT], vec![row![1]]);
    let query = BoundExpr { kind: Kind::ScalarQuery(std::sync::Arc::new(one)), ty: nullable(INT) };
    let sum = arith(millpond_catalog::expr::ArithOp::Add, variable(0, INT), int(1));
    let rel = Rel::Values { rows: vec![vec![sum], vec![query]], types: vec![nullable(INT)] };
    assert_eq!(rig.rows(&rel), [row![6], row![1]]);
}

#[test]
fn a_scan_tests_columns_of_every_type_against_constants() {
    use crate::samples::samples;
    for (sql, values) in samples() {
        let mut rig = Rig::default();
        // Records hold what their column's code page has, padded to its length.
        let fits = |value: &Value| value.as_str().is_none_or(str::is_ascii);
        let values: Vec<Value> = values.into_iter().filter(fits).collect();
        if matches!(sql, SqlType::Char { .. } | SqlType::NChar { .. } | SqlType::Binary { .. }) {
            continue;
        }
        let rows = values.iter().chain([&Value::Null]).map(|value| vec![value.clone()]).collect();
        let table = rig.table(&[sql], rows);
        use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        for constant in values.iter().chain([&Value::Null]) {
            rig.variables = vec![constant.clone()];
            for op in [Eq, NotEq, Lt, LtEq, Gt, GtEq] {
                let expected = |flipped: bool| {
                    let passes = |value: &&Value| {
                        let (left, right) = if flipped { (constant, *value) } else { (*value, constant) };
                        millpond_builtin::eval::compare_values(op, left, right, Default::default()) == Some(true)
                    };
                    values.iter().filter(passes).map(|value| vec![value.clone()]).collect::<Vec<_>>()
                };
                let literal = compare(op, col(&table, 0), BoundExpr::literal(constant.clone(), sql));
                assert_eq!(rig.rows(&filter(table.clone(), literal)), expected(false), "{sql} {op:?} {constant:?}");
                let flipped = compare(op, variable(0, sql), col(&table, 0));
                assert_eq!(rig.rows(&filter(table.clone(), flipped)), expected(true), "{constant:?} {op:?} {sql}");
            }
        }
    }
}
