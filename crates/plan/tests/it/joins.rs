//! Joins of every kind, with keys and without.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_types::{SqlType, Value};

use crate::rig::*;

const KINDS: [RelJoin; 4] = [RelJoin::Inner, RelJoin::Left, RelJoin::Right, RelJoin::Full];

/// What a join must give, by the definition.
fn expected(
    kind: RelJoin,
    left: &[Vec<Value>],
    right: &[Vec<Value>],
    on: impl Fn(&[Value], &[Value]) -> bool,
) -> Vec<Vec<Value>> {
    let nulls = |rows: &[Vec<Value>]| vec![Value::Null; rows[0].len()];
    let both = |l: &Vec<Value>, r: &Vec<Value>| l.iter().chain(r).cloned().collect::<Vec<_>>();
    let mut rows = Vec::new();
    for l in left {
        rows.extend(right.iter().filter(|r| on(l, r)).map(|r| both(l, r)));
        if matches!(kind, RelJoin::Left | RelJoin::Full) && !right.iter().any(|r| on(l, r)) {
            rows.push(both(l, &nulls(right)));
        }
    }
    if matches!(kind, RelJoin::Right | RelJoin::Full) {
        rows.extend(right.iter().filter(|r| !left.iter().any(|l| on(l, r))).map(|r| both(&nulls(left), r)));
    }
    as_set(rows)
}

fn left_rows() -> Vec<Vec<Value>> {
    vec![row![1, "a"], row![2, "B"], row![2, "c"], row![Value::Null, "d"], row![9, Value::Null]]
}

fn right_rows() -> Vec<Vec<Value>> {
    vec![row![2, "b "], row![2, "B"], row![3, "a"], row![Value::Null, "d"], row![1, Value::Null]]
}

/// Runs `on` as a join of all kinds, over stored tables and given rows.
fn check(on: impl Fn(&Rel) -> BoundExpr, truth: impl Fn(&[Value], &[Value]) -> bool) {
    for kind in KINDS {
        let mut rig = Rig::default();
        let left = rig.table(&[INT, VARCHAR], left_rows());
        let right = values(&[INT, VARCHAR], right_rows());
        let rel = join(kind, left, right, |shape| Some(on(shape)));
        assert_eq!(rig.set(&rel), expected(kind, &left_rows(), &right_rows(), &truth), "{kind:?}");
    }
}

fn same(l: &Value, r: &Value) -> bool {
    !l.is_null() && l == r
}

fn less(l: &Value, r: &Value) -> bool {
    matches!((l, r), (Value::Int(l), Value::Int(r)) if l < r)
}

fn same_text(l: &Value, r: &Value) -> bool {
    matches!((l, r), (Value::Str(l), Value::Str(r)) if l.trim_end().eq_ignore_ascii_case(r.trim_end()))
}

#[test]
fn equality_of_numbers() {
    check(|j| eq(col(j, 0), col(j, 2)), |l, r| same(&l[0], &r[0]));
}

#[test]
fn equality_of_texts_under_their_collation() {
    check(|j| eq(col(j, 3), col(j, 1)), |l, r| same_text(&l[1], &r[1]));
}

#[test]
fn two_equalities_and_a_condition() {
    check(
        |j| and(eq(col(j, 0), col(j, 2)), compare(CompareOp::Lt, col(j, 3), col(j, 1))),
        |l, r| {
            same(&l[0], &r[0])
                && matches!((&l[1], &r[1]), (Value::Str(l), Value::Str(r)) if *r.trim_end().to_lowercase() < *l.to_lowercase())
        },
    );
    check(
        |j| and(eq(col(j, 0), col(j, 2)), eq(col(j, 1), col(j, 3))),
        |l, r| same(&l[0], &r[0]) && same_text(&l[1], &r[1]),
    );
}

#[test]
fn inequality() {
    check(|j| compare(CompareOp::Lt, col(j, 0), col(j, 2)), |l, r| less(&l[0], &r[0]));
}

#[test]
fn conditions_on_one_side_or_none() {
    check(|j| eq(col(j, 0), int(2)), |l, _| l[0] == Value::Int(2));
    check(|j| eq(col(j, 2), int(2)), |_, r| r[0] == Value::Int(2));
    check(|_| eq(int(1), int(1)), |_, _| true);
    check(|_| eq(int(1), int(2)), |_, _| false);
    check(|j| and(eq(int(1), int(2)), eq(col(j, 0), col(j, 2))), |_, _| false);
}

#[test]
fn a_condition_may_compute() {
    use millpond_catalog::expr::ArithOp;
    check(
        |j| eq(arith(ArithOp::Add, col(j, 0), int(1)), col(j, 2)),
        |l, r| matches!((&l[0], &r[0]), (Value::Int(l), Value::Int(r)) if l + 1 == *r),
    );
}

#[test]
fn no_condition_is_a_cross_join() {
    let mut rig = Rig::default();
    let left = rig.table(&[INT], (0..7).map(|n| row![n]).collect());
    let right = rig.table(&[INT], (0..5).map(|n| row![n]).collect());
    let cross = join(RelJoin::Inner, left, right, |_| None);
    assert_eq!(rig.rows(&cross).len(), 35);
    assert_eq!(rig.rows(&pick(cross, &[])).len(), 35, "rows without columns");
}

#[test]
fn an_empty_side() {
    for (kind, rows) in [(RelJoin::Inner, 0), (RelJoin::Left, 2), (RelJoin::Right, 0), (RelJoin::Full, 2)] {
        for key in [true, false] {
            let mut rig = Rig::default();
            let left = rig.table(&[INT], vec![row![1], row![2]]);
            let right = rig.table(&[INT], vec![]);
            let op = if key { CompareOp::Eq } else { CompareOp::Lt };
            let rel = join(kind, left, right, |j| Some(compare(op, col(j, 0), col(j, 1))));
            assert_eq!(rig.rows(&rel).len(), rows, "{kind:?} {op:?}");
        }
    }
}

#[test]
fn a_filter_above_an_outer_join_sees_the_missing_rows() {
    let mut rig = Rig::default();
    let left = rig.table(&[INT], vec![row![1], row![2], row![3]]);
    let right = rig.table(&[INT], vec![row![2]]);
    let joined = join(RelJoin::Left, left, right, |j| Some(eq(col(j, 0), col(j, 1))));
    let missing = is_null(col(&joined, 1));
    assert_eq!(rig.set(&filter(joined.clone(), missing)), [row![1, Value::Null], row![3, Value::Null]]);
    let present = compare(CompareOp::Gt, col(&joined, 1), int(0));
    assert_eq!(rig.set(&filter(joined.clone(), present)), [row![2, 2]]);
    let left_only = compare(CompareOp::Gt, col(&joined, 0), int(1));
    assert_eq!(rig.set(&filter(joined, left_only)), [row![2, 2], row![3, Value::Null]]);
}

#[test]
fn three_tables_and_a_self_join() {
    let mut rig = Rig::default();
    let a = rig.table(&[INT, INT], vec![row![1, 10], row![2, 20], row![3, 30]]);
    let b = rig.table(&[INT, VARCHAR], vec![row![10, "x"], row![20, "y"]]);
    let ab = join(RelJoin::Inner, a.clone(), b, |j| Some(eq(col(j, 1), col(j, 2))));
    let aba = join(RelJoin::Left, ab, a, |j| Some(compare(CompareOp::Lt, col(j, 0), col(j, 4))));
    let rel = pick(aba, &[3, 4]);
    assert_eq!(rig.set(&rel), [row!["x", 2], row!["x", 3], row!["y", 3]]);
}

#[test]
fn tables_that_a_where_clause_joins_meet_by_hash() {
    let mut rig = Rig::default();
    let a = rig.table(&[INT], (0..50).map(|n| row![n]).collect());
    let b = rig.table(&[INT], (25..75).map(|n| row![n]).collect());
    let cross = join(RelJoin::Inner, a, b, |_| None);
    let rel = filter(cross.clone(), eq(col(&cross, 0), col(&cross, 1)));
    assert_eq!(rig.rows(&rel).len(), 25);
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(&rel, &millpond_plan::CompileOptions::new(workspace)).expect("plans");
    assert!(plan.describe().contains("SpillJoinExec"), "{}", plan.describe());
}

#[test]
fn decimals_of_different_precision_join() {
    let narrow = SqlType::decimal(5, 2);
    let wide = SqlType::decimal(9, 2);
    let value = |unscaled| Value::Decimal(millpond_types::Decimal { unscaled, scale: 2 });
    let left = values(&[narrow], vec![vec![value(100)], vec![value(250)]]);
    let right = values(&[wide], vec![vec![value(250)], vec![value(9_999_999)]]);
    let rel = join(RelJoin::Inner, left, right, |j| Some(eq(col(j, 0), col(j, 1))));
    assert_eq!(Rig::default().rows(&rel), [vec![value(250), value(250)]]);
}

#[test]
fn tables_are_joined_in_an_order_that_conditions_connect() {
    let mut rig = Rig::default();
    let a = rig.table(&[INT, INT], (0..40).map(|n| row![n, n % 4]).collect());
    let b = rig.table(&[INT], (0..40).map(|n| row![n * 10]).collect());
    let c = rig.table(&[INT, INT], (0..40).map(|n| row![n, n * 20]).collect());
    let ab = join(RelJoin::Inner, a, b, |_| None);
    let abc = join(RelJoin::Inner, ab, c, |_| None);
    // a.c0 = c.c0 AND c.c1 = b.c0 AND a.c1 < 2
    let on = and(eq(col(&abc, 0), col(&abc, 3)), eq(col(&abc, 4), col(&abc, 2)));
    let rel = filter(abc.clone(), and(on, compare(CompareOp::Lt, col(&abc, 1), int(2))));
    let expected = (0..20).filter(|n| n % 4 < 2).map(|n| row![n, n % 4, n * 20, n, n * 20]).collect();
    assert_eq!(rig.set(&rel), as_set(expected));
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(&rel, &millpond_plan::CompileOptions::new(workspace)).expect("plans");
    let text = plan.describe();
    assert_eq!((text.matches("SpillJoinExec").count(), text.matches("CrossJoinExec").count()), (2, 0), "{text}");
}

#[test]
fn what_is_believed_of_sizes_changes_no_row() {
    let mut rig = Rig::default();
    let a = rig.table(&[INT, INT], (0..40).map(|n| row![n, n % 7]).collect());
    let b = rig.table(&[INT, INT], (0..30).map(|n| row![n % 7, n]).collect());
    let c = rig.table(&[INT], (0..20).map(|n| row![n * 2]).collect());
    let d = rig.table(&[INT, VARCHAR], (0..9).map(|n| row![n, if n % 2 == 0 { "even" } else { "odd" }]).collect());
    let ab = join(RelJoin::Inner, a.clone(), b.clone(), |j| Some(eq(col(j, 1), col(j, 2))));
    let plain = pick(ab, &[3, 0, 1]);
    let abc = join(RelJoin::Inner, plain, c.clone(), |j| Some(eq(col(j, 0), col(j, 3))));
    let cluster = join(RelJoin::Inner, d.clone(), abc, |j| Some(eq(col(j, 0), col(j, 4))));
    // (d.c0 = 1 AND b.c1 < 20) OR (d.c0 = 2 AND b.c1 > 5): what it says of d is asked of d.
    let one = and(eq(col(&cluster, 0), int(1)), compare(CompareOp::Lt, col(&cluster, 2), int(20)));
    let other = and(eq(col(&cluster, 0), int(2)), compare(CompareOp::Gt, col(&cluster, 2), int(5)));
    let either = filter(cluster.clone(), or(one, other));
    let member = BoundExpr::predicate(Kind::InQuery(
        Box::new(col(&cluster, 3)),
        std::sync::Arc::new(pick(b.clone(), &[1])),
        millpond_types::collation::Collation::LATIN1_CI_AS,
    ));
    let mut rels = vec![either, filter(cluster.clone(), member), cluster];
    for kind in [RelJoin::Left, RelJoin::Right, RelJoin::Full] {
        rels.push(join(kind, a.clone(), b.clone(), |j| {
            Some(and(eq(col(j, 1), col(j, 2)), compare(CompareOp::Lt, col(j, 0), col(j, 3))))
        }));
    }
    for rel in &rels {
        let expected = rig.set(rel);
        assert!(!expected.is_empty());
        for sizes in
            [[1, 1_000_000, 1, 1], [1_000_000, 1, 1, 1_000_000], [5, 50_000, 1_000_000, 2], [9_999, 9, 9_999, 9]]
        {
            let workspace = millpond_engine::memory::Workspace::new(0);
            let options = millpond_plan::CompileOptions {
                table_rows: sizes.to_vec(),
                ..millpond_plan::CompileOptions::new(workspace)
            };
            let plan = millpond_plan::compile(rel, &options).expect("plans");
            let rows = run(&plan, rig.context()).expect("runs");
            assert_eq!(as_set(rows), expected, "{sizes:?}\n{}", plan.describe());
        }
    }
}

#[test]
fn the_smaller_side_is_kept_in_memory() {
    let mut rig = Rig::default();
    let few = rig.table(&[INT], vec![row![1]]);
    let many = rig.table(&[INT, INT], vec![row![1, 5], row![2, 6]]);
    let workspace = millpond_engine::memory::Workspace::new(0);
    let options = millpond_plan::CompileOptions {
        table_rows: vec![10, 1_000_000],
        ..millpond_plan::CompileOptions::new(workspace)
    };
    for kind in [RelJoin::Inner, RelJoin::Left, RelJoin::Right, RelJoin::Full] {
        for (left, right, key) in [(&few, &many, 1), (&many, &few, 2)] {
            let rel = join(kind, left.clone(), right.clone(), |j| Some(eq(col(j, 0), col(j, key))));
            let plan = millpond_plan::compile(&rel, &options).expect("plans");
            // A join's left side, which it keeps, stands first.
            let text = plan.describe();
            let (kept, other) = (text.find("columns=[0]"), text.find("columns=[0, 1]"));
            assert!(text.contains("HashJoinExec") && kept.is_some() && kept < other, "{kind:?}\n{text}");
        }
    }
}

#[test]
fn what_all_parts_of_a_disjunction_share_may_be_asked_first() {
    let mut rig = Rig::default();
    let truths = [Value::Int(1), Value::Int(0), Value::Null];
    let all: Vec<Vec<Value>> = truths
        .iter()
        .flat_map(|a| truths.iter().map(move |b| (a, b)))
        .flat_map(|(a, b)| truths.iter().map(move |c| vec![a.clone(), b.clone(), c.clone()]))
        .collect();
    let table = rig.table(&[INT, INT, INT], all.clone());
    let [a, b, c] = [0, 1, 2].map(|column| eq(col(&table, column), int(1)));
    let is = |row: &[Value], column: usize| row[column] == Value::Int(1);
    let shared = or(and(a.clone(), b.clone()), and(c.clone(), a.clone()));
    let expected = all.iter().filter(|row| is(row, 0) && (is(row, 1) || is(row, 2))).cloned().collect();
    assert_eq!(rig.set(&filter(table.clone(), shared)), as_set(expected));
    let swallowed = or(and(a.clone(), b), or(a, and(c, eq(col(&table, 0), int(1)))));
    let expected = all.iter().filter(|row| is(row, 0)).cloned().collect();
    assert_eq!(rig.set(&filter(table, swallowed)), as_set(expected));
}
