//! Subqueries: as values, EXISTS, IN; alone, correlated, nested; as joins and run per row.

use std::sync::Arc;

use millpond_catalog::expr::{ArithOp, BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel, RelJoin};
use millpond_types::Value;
use millpond_types::collation::Collation;

use crate::rig::*;

fn outer(level: usize, column: usize) -> BoundExpr {
    BoundExpr { kind: Kind::Outer { level, column }, ty: nullable(INT) }
}

fn scalar(rel: Rel) -> BoundExpr {
    let ty = rel.types()[0];
    BoundExpr { kind: Kind::ScalarQuery(Arc::new(rel)), ty }
}

fn exists(rel: Rel) -> BoundExpr {
    BoundExpr::predicate(Kind::Exists(Arc::new(rel)))
}

fn is_in(operand: BoundExpr, rel: Rel) -> BoundExpr {
    BoundExpr::predicate(Kind::InQuery(Box::new(operand), Arc::new(rel), Collation::LATIN1_CI_AS))
}

/// `customers (id, age)` and `orders (customer, amount)`.
fn shop(rig: &mut Rig) -> (Rel, Rel) {
    let customers = rig.table(&[INT, INT], vec![row![1, 30], row![2, 40], row![3, Value::Null], row![Value::Null, 50]]);
    let orders = rig.table(&[INT, INT], vec![row![1, 5], row![1, 7], row![3, 9], row![Value::Null, 11]]);
    (customers, orders)
}

/// Orders of the outer row's customer.
fn own_orders(orders: &Rel) -> Rel {
    filter(orders.clone(), eq(col(orders, 0), outer(1, 0)))
}

fn ids(rig: &Rig, customers: &Rel, predicate: BoundExpr) -> Vec<Vec<Value>> {
    rig.set(&pick(filter(customers.clone(), predicate), &[0]))
}

#[test]
fn exists_and_its_negation() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    assert_eq!(ids(&rig, &customers, exists(own_orders(&orders))), [row![1], row![3]]);
    assert_eq!(ids(&rig, &customers, not(exists(own_orders(&orders)))), as_set(vec![row![2], row![Value::Null]]));
    let above = compare(CompareOp::Gt, col(&orders, 1), int(8));
    let large = filter(own_orders(&orders), above);
    assert_eq!(ids(&rig, &customers, exists(large)), [row![3]]);
}

#[test]
fn exists_where_no_join_can_stand_for_it() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let or_old = or(exists(own_orders(&orders)), compare(CompareOp::GtEq, col(&customers, 1), int(50)));
    assert_eq!(ids(&rig, &customers, or_old), as_set(vec![row![1], row![3], row![Value::Null]]));
    assert_eq!(rig.rows(&filter(customers.clone(), exists(orders.clone()))).len(), 4);
    let none = filter(orders.clone(), eq(col(&orders, 1), int(99)));
    assert_eq!(rig.rows(&filter(customers.clone(), exists(none.clone()))).len(), 0);
    assert_eq!(rig.rows(&filter(customers, not(exists(none)))).len(), 4);
}

#[test]
fn in_is_unknown_when_null_is_about() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let buyers = pick(orders.clone(), &[0]);
    let id = col(&customers, 0);
    assert_eq!(ids(&rig, &customers, is_in(id.clone(), buyers.clone())), [row![1], row![3]]);
    assert_eq!(ids(&rig, &customers, not(is_in(id.clone(), buyers.clone()))), Vec::<Vec<Value>>::new());
    let known = filter(buyers.clone(), not(is_null(col(&buyers, 0))));
    assert_eq!(ids(&rig, &customers, not(is_in(id.clone(), known.clone()))), [row![2]]);
    let no_rows = filter(buyers.clone(), eq(int(1), int(2)));
    assert_eq!(ids(&rig, &customers, not(is_in(id.clone(), no_rows))).len(), 4);
    let shown = project(customers.clone(), vec![id.clone(), is_in(id, known)]);
    assert_eq!(
        rig.set(&shown),
        as_set(vec![row![1, true], row![2, false], row![3, true], row![Value::Null, Value::Null]])
    );
}

#[test]
fn correlated_not_in_is_unknown_when_null_is_about() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    // 11 NOT IN (amounts of the customer's orders, or of orders without a customer): amounts + NULL when an order is missing.
    let amounts = |predicate: BoundExpr| pick(filter(orders.clone(), predicate), &[1]);
    let own = eq(col(&orders, 0), outer(1, 0));
    assert_eq!(
        ids(&rig, &customers, not(is_in(int(5), amounts(own.clone())))),
        as_set(vec![row![2], row![3], row![Value::Null]])
    );
    let age = cast(col(&customers, 1), INT);
    let rows = ids(&rig, &customers, not(is_in(age, amounts(own))));
    assert_eq!(
        rows,
        as_set(vec![row![1], row![2], row![Value::Null]]),
        "NULL is not in the empty set, but it may be in {{9}}"
    );
}

#[test]
fn in_compares_texts_by_their_collation() {
    let mut rig = Rig::default();
    let names = rig.table(&[VARCHAR], vec![row!["Ann"], row!["Bob"]]);
    let list = values(&[VARCHAR], vec![row!["ANN  "], row!["x"]]);
    assert_eq!(rig.rows(&filter(names.clone(), is_in(col(&names, 0), list.clone()))), [row!["Ann"]]);
    assert_eq!(rig.rows(&filter(names.clone(), not(is_in(col(&names, 0), list)))), [row!["Bob"]]);
}

fn sum_of_own_orders(orders: &Rel) -> Rel {
    let own = own_orders(orders);
    let sum = Aggregate {
        function: AggregateFunction::Sum,
        arg: Some(col(&own, 1)),
        distinct: false,
        ty: nullable(INT),
        joining: None,
    };
    Rel::Aggregate { input: Box::new(own), groups: vec![], aggregates: vec![sum] }
}

#[test]
fn a_correlated_value_for_each_row() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let rel = project(customers.clone(), vec![col(&customers, 0), scalar(sum_of_own_orders(&orders))]);
    assert_eq!(
        rig.set(&rel),
        as_set(vec![row![1, 12], row![2, Value::Null], row![3, 9], row![Value::Null, Value::Null]])
    );
    let rich = compare(CompareOp::Gt, scalar(sum_of_own_orders(&orders)), int(10));
    assert_eq!(ids(&rig, &customers, rich), [row![1]]);
}

#[test]
fn a_value_of_no_row_is_null_and_of_several_an_error() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let amount = pick(own_orders(&orders), &[1]);
    let rel = project(customers.clone(), vec![scalar(amount.clone())]);
    assert_eq!(rig.error(&rel), 512);
    let not_first = compare(CompareOp::Gt, col(&customers, 0), int(1));
    let others = filter(customers.clone(), not_first);
    let rel = project(others.clone(), vec![col(&others, 0), scalar(amount)]);
    assert_eq!(rig.set(&rel), [row![2, Value::Null], row![3, 9]]);
    assert_eq!(rig.error(&project(values(&[], vec![vec![]]), vec![scalar(pick(orders, &[1]))])), 512);
}

#[test]
fn a_subquery_in_an_expression_that_is_evaluated_row_by_row() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let sum = scalar(sum_of_own_orders(&orders));
    let shown = cast(arith(ArithOp::Add, sum, col(&customers, 1)), VARCHAR);
    let rel = project(customers, vec![shown]);
    assert_eq!(rig.set(&rel), as_set(vec![row!["42"], row![Value::Null], row![Value::Null], row![Value::Null]]));
}

#[test]
fn a_query_in_a_branch_that_is_not_taken_does_not_run() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let branch = (eq(int(1), int(2)), scalar(pick(orders, &[1])));
    let case = Kind::Case { branches: vec![branch], otherwise: Some(Box::new(int(0))) };
    let rel = project(customers, vec![BoundExpr { kind: case, ty: nullable(INT) }]);
    assert_eq!(rig.rows(&rel).len(), 4);
}

#[test]
fn a_query_two_levels_inside_reads_the_outermost_row() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    // Customers with an order whose amount is also an order of the same customer: inner two levels both look at row 0.
    let innermost = filter(orders.clone(), and(eq(col(&orders, 0), outer(2, 0)), eq(col(&orders, 1), outer(1, 1))));
    let middle = filter(orders.clone(), exists(innermost));
    assert_eq!(ids(&rig, &customers, exists(middle.clone())), [row![1], row![3]]);
    let counted = Rel::Aggregate {
        input: Box::new(middle),
        groups: vec![],
        aggregates: vec![Aggregate {
            function: AggregateFunction::Count,
            arg: None,
            distinct: false,
            ty: nullable(INT),
            joining: None,
        }],
    };
    let rel = project(customers.clone(), vec![col(&customers, 0), scalar(counted)]);
    assert_eq!(rig.set(&rel), as_set(vec![row![1, 2], row![2, 0], row![3, 1], row![Value::Null, 0]]));
}

#[test]
fn a_correlated_query_over_a_join() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let pairs = join(RelJoin::Inner, orders.clone(), orders, |j| Some(compare(CompareOp::Lt, col(j, 1), col(j, 3))));
    let own = filter(pairs.clone(), eq(col(&pairs, 0), outer(1, 0)));
    assert_eq!(ids(&rig, &customers, exists(own)), [row![1], row![3]]);
}

#[test]
fn an_inner_query_sees_variables_of_each_run() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let wanted = filter(orders.clone(), eq(col(&orders, 1), variable(0, INT)));
    let rel = pick(filter(customers.clone(), is_in(col(&customers, 0), pick(wanted, &[0]))), &[0]);
    for (amount, expected) in [(7, vec![row![1]]), (9, vec![row![3]]), (1, vec![])] {
        rig.variables = row![amount];
        assert_eq!(rig.rows(&rel), expected);
    }
}

#[test]
fn a_correlated_aggregate_is_joined_and_counts_nothing_as_zero() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let Rel::Aggregate { input, groups, mut aggregates } = sum_of_own_orders(&orders) else {
        unreachable!("made above")
    };
    aggregates.push(Aggregate {
        function: AggregateFunction::Count,
        arg: None,
        distinct: false,
        ty: nullable(INT),
        joining: None,
    });
    let both = Rel::Aggregate { input, groups, aggregates };
    let scaled = arith(ArithOp::Mul, col(&both, 1), int(100));
    let count = scalar(project(both.clone(), vec![scaled]));
    let sum = scalar(pick(both, &[0]));
    let rel = project(customers.clone(), vec![col(&customers, 0), sum, count]);
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(&rel, &millpond_plan::CompileOptions::new(workspace)).expect("plans");
    assert_eq!(plan.describe().matches("SpillJoinExec").count(), 2, "{}", plan.describe());
    assert_eq!(
        rig.set(&rel),
        as_set(vec![row![1, 12, 200], row![2, Value::Null, 0], row![3, 9, 100], row![Value::Null, Value::Null, 0]])
    );
}

#[test]
fn a_filter_with_joined_aggregates_keeps_its_columns() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let rich = compare(CompareOp::Gt, scalar(sum_of_own_orders(&orders)), int(5));
    let rel = filter(customers, and(rich.clone(), exists(own_orders(&orders))));
    assert_eq!(rig.set(&rel), as_set(vec![row![1, 30], row![3, Value::Null]]));
    let twice = filter(rel.clone(), rich);
    assert_eq!(rig.set(&twice), rig.set(&rel));
}

#[test]
fn an_order_survives_the_joins_that_subqueries_become() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    let sorted = sort(customers.clone(), &[-1]);
    let sums = project(sorted.clone(), vec![col(&customers, 0), scalar(sum_of_own_orders(&orders))]);
    assert_eq!(rig.rows(&sums), [row![3, 9], row![2, Value::Null], row![1, 12], row![Value::Null, Value::Null]]);
    let buyers = filter(sorted.clone(), exists(own_orders(&orders)));
    assert_eq!(rig.rows(&pick(buyers, &[0])), [row![3], row![1]]);
    let two = BoundExpr::literal(Value::BigInt(2), millpond_types::SqlType::BigInt);
    let top = Rel::Top { input: Box::new(sorted), count: Some(two), percent: false, ties: vec![], offset: None };
    let sums = project(top, vec![col(&customers, 0), scalar(sum_of_own_orders(&orders))]);
    assert_eq!(rig.rows(&sums), [row![3, 9], row![2, Value::Null]]);
}

#[test]
fn a_filter_of_the_left_side_alone_goes_below_an_apply() {
    let mut rig = Rig::default();
    let (customers, orders) = shop(&mut rig);
    for keeps_left in [false, true] {
        let right = Box::new(sum_of_own_orders(&orders));
        let apply = Rel::Apply { left: Box::new(customers.clone()), right, keeps_left };
        let (own, both) = (eq(col(&apply, 0), int(3)), compare(CompareOp::Gt, col(&apply, 2), int(5)));
        let rel = filter(apply, and(own, both));
        let Rel::Filter { input, predicate } = millpond_rewrite::normal::normalise(rel.clone()) else {
            panic!("{rel:?}")
        };
        assert!(matches!(&*input, Rel::Apply { left, .. } if matches!(**left, Rel::Filter { .. })), "{input:?}");
        assert!(matches!(predicate.kind, Kind::Compare(CompareOp::Gt, ..)));
        assert_eq!(rig.set(&rel), as_set(vec![row![3, Value::Null, 9]]));
    }
}
