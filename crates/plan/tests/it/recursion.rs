//! Recursive relations: rows, order, memory, an early end.

use std::ops::ControlFlow;

use millpond_catalog::expr::{ArithOp, BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_engine::memory::Workspace;
use millpond_message as message;
use millpond_types::Value;

use crate::rig::*;
use millpond_plan::{CompileOptions, compile};

/// The present row's column.
fn present(column: usize, sql: millpond_types::SqlType) -> BoundExpr {
    BoundExpr { kind: Kind::Outer { level: 1, column }, ty: nullable(sql) }
}

fn recursive(anchor: Rel, members: Vec<Rel>, levels: u32) -> Rel {
    let types = anchor.types();
    Rel::Recursive { name: "r".to_owned(), anchor: Box::new(anchor), members, types, levels }
}

/// The present row plus one, while it is below a bound.
fn next(below: i32) -> Rel {
    let row = Rel::Values { rows: vec![vec![present(0, INT)]], types: vec![nullable(INT)] };
    let input = filter(row.clone(), compare(CompareOp::Lt, col(&row, 0), int(below)));
    let exprs = vec![arith(ArithOp::Add, col(&row, 0), int(1))];
    project(input, exprs)
}

#[test]
fn the_last_row_is_followed_first() {
    let anchor = values(&[INT], vec![row![1], row![11]]);
    let rel = recursive(anchor, vec![next(3)], 0);
    assert_eq!(Rig::default().set(&rel), as_set(vec![row![1], row![11], row![2], row![3]]));
    let mut rig = Rig::default();
    let edges = rig.table(&[INT, INT], vec![row![1, 2], row![1, 3], row![2, 4], row![3, 5], row![3, 6]]);
    let own = filter(edges.clone(), eq(col(&edges, 0), present(0, INT)));
    let rel = recursive(values(&[INT], vec![row![1]]), vec![pick(own, &[1])], 0);
    assert_eq!(rig.rows(&rel), [row![1], row![2], row![3], row![5], row![6], row![4]]);
}

#[test]
fn the_present_row_joins_tables_and_outer_rows() {
    let mut rig = Rig::default();
    let edges = rig.table(&[INT, INT], (0..30).map(|n| row![n / 2, n + 1]).collect());
    let row = Rel::Values { rows: vec![vec![present(0, INT)]], types: vec![nullable(INT)] };
    let joined = join(RelJoin::Inner, edges, row, |j| Some(eq(col(j, 0), col(j, 2))));
    // Below the row of the query around it.
    let bound = BoundExpr { kind: Kind::Outer { level: 2, column: 0 }, ty: nullable(INT) };
    let below = compare(CompareOp::Lt, col(&joined, 1), bound);
    let member = pick(filter(joined, below), &[1]);
    let tree = recursive(values(&[INT], vec![row![1]]), vec![member], 100);
    let left = values(&[INT], vec![row![2], row![6]]);
    let rel = Rel::Apply { left: Box::new(left), right: Box::new(tree), keeps_left: false };
    let expected = vec![row![2, 1], row![6, 1], row![6, 3], row![6, 4]];
    assert_eq!(rig.set(&rel), as_set(expected));
}

#[test]
fn a_level_too_deep_is_an_error_after_the_rows_before_it() {
    let rel = recursive(values(&[INT], vec![row![1]]), vec![next(i32::MAX)], 3);
    assert_eq!(Rig::default().error(&rel), 530);
    let plan = compile(&rel, &CompileOptions::new(Workspace::new(0))).expect("plans");
    let mut rows = Vec::new();
    let failed = plan.run(Rig::default().context(), &mut |row| {
        rows.push(row[0].clone());
        ControlFlow::Continue(())
    });
    assert_eq!((failed.expect_err("too deep").number, rows.len()), (530, 4));
}

#[test]
fn a_consumer_that_stops_or_cancels_ends_an_endless_recursion() {
    let rel = recursive(values(&[INT], vec![row![1]]), vec![next(i32::MAX)], 0);
    let options = CompileOptions { batch_rows: 10, ..CompileOptions::new(Workspace::new(0)) };
    let plan = compile(&rel, &options).expect("plans");
    let rig = Rig::default();
    let mut count = 0;
    let stopped = plan.run(rig.context(), &mut |_| {
        count += 1;
        if count == 25 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(stopped.is_ok());
    let context = rig.context();
    let task = std::sync::Arc::clone(&context.task);
    let cancelled = plan.run(context, &mut |_| {
        task.cancel();
        ControlFlow::Continue(())
    });
    assert_eq!(cancelled.expect_err("cancelled").number, message::cancelled().number);
    assert_eq!(options.workspace.used_bytes(), 0);
}

#[test]
fn rows_that_wait_are_charged_to_the_workspace() {
    let wide = BoundExpr::literal(Value::str(&"x".repeat(2000)), VARCHAR);
    let two = Rel::Values { rows: vec![vec![wide.clone()], vec![wide.clone()]], types: vec![nullable(VARCHAR)] };
    let anchor = Rel::Values { rows: vec![vec![wide]], types: vec![nullable(VARCHAR)] };
    let workspace = Workspace::new(0);
    let plan = compile(&recursive(anchor, vec![two], 0), &CompileOptions::new(workspace.clone())).expect("plans");
    let failed = run(&plan, Rig::default().context()).expect_err("more than there is");
    assert_eq!((failed.number, workspace.used_bytes()), (701, 0));
}
