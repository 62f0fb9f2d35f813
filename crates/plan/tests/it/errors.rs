//! What ends a run early: errors, cancellation, memory, the receiver.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_catalog::expr::{ArithOp, CompareOp};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel, RelJoin};
use millpond_engine::memory::Workspace;
use millpond_message as message;
use millpond_types::{SqlType, Value};

use crate::rig::*;
use millpond_plan::{CompileOptions, compile};

fn options() -> CompileOptions {
    CompileOptions::new(Workspace::new(0))
}

fn numbers(rig: &mut Rig, count: i32) -> Rel {
    rig.table(&[INT], (0..count).map(|n| row![n]).collect())
}

#[test]
fn an_error_comes_out_as_it_was_made_and_the_plan_runs_again() {
    let mut rig = Rig::default();
    rig.variables = row![0];
    let table = numbers(&mut rig, 3);
    let quotient = arith(ArithOp::Div, col(&table, 0), variable(0, INT));
    let joined =
        join(RelJoin::Inner, project(table.clone(), vec![quotient]), table, |j| Some(eq(col(j, 0), col(j, 1))));
    let plan = compile(&sort(joined, &[0]), &options()).expect("plans");
    let error = run(&plan, rig.context()).expect_err("division by zero");
    assert_eq!((error.number, error.severity, error.text.as_str()), (8134, 16, "Divide by zero error encountered."));
    rig.variables = row![1];
    assert_eq!(run(&plan, rig.context()).expect("runs").len(), 3);
}

#[test]
fn a_cancelled_run_stops_also_inside_a_join_that_gives_no_rows() {
    let mut rig = Rig::default();
    let table = numbers(&mut rig, 2000);
    let never = |j: &Rel| Some(compare(CompareOp::Gt, arith(ArithOp::Sub, col(j, 0), col(j, 1)), int(5000)));
    let rel = join(RelJoin::Inner, table.clone(), table.clone(), never);
    let cross = join(RelJoin::Inner, table.clone(), table, |_| None);
    let count = Aggregate {
        function: AggregateFunction::CountBig,
        arg: None,
        distinct: false,
        ty: nullable(SqlType::BigInt),
        joining: None,
    };
    let counted = Rel::Aggregate { input: Box::new(cross), groups: vec![], aggregates: vec![count] };
    for rel in [rel, counted] {
        let plan = compile(&rel, &options()).expect("plans");
        let context = rig.context();
        context.task.cancel();
        assert_eq!(run(&plan, context).map_err(|error| error.number), Err(message::CANCELLED));
        assert!(run(&plan, rig.context()).is_ok());
    }
}

#[test]
fn what_does_not_fit_into_the_workspace_goes_to_tempdb() {
    let mut rig = Rig::default();
    let wide = SqlType::char(4000);
    let rows = (0..8000).map(|n| row![n, format!("{n:04000}")]).collect();
    let table = rig.table(&[INT, wide], rows);
    let options = options();
    let sorted = compile(&sort(table.clone(), &[-1]), &options).expect("plans");
    let equal = join(RelJoin::Inner, table.clone(), table, |j| Some(eq(col(j, 0), col(j, 2))));
    let hash = compile(&equal, &options).expect("plans");
    for plan in [sorted, hash] {
        let context = rig.context();
        let count = run(&plan, Arc::clone(&context)).expect("32 MB do not fit into 16, but into tempdb").len();
        assert_eq!((count, options.workspace.used_bytes()), (8000, 0));
        assert!(context.work.spills.written_bytes() > 4 << 20, "{:?}", context.work);
    }
    options.workspace.set_limit_bytes(256 << 20);
}

#[test]
fn the_receiver_may_stop_the_rows() {
    let mut rig = Rig::default();
    let table = numbers(&mut rig, 100);
    let plan = compile(&table, &options()).expect("plans");
    for _ in 0..2 {
        let mut seen = 0;
        let result = plan.run(rig.context(), &mut |row| {
            seen += 1;
            if row[0] == Value::Int(6) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((result, seen), (Ok(()), 7));
    }
}

#[test]
fn a_plan_that_runs_refuses_to_run_again_at_the_same_time() {
    let mut rig = Rig::default();
    let table = numbers(&mut rig, 1);
    let plan = compile(&table, &options()).expect("plans");
    let context = rig.context();
    plan.run(Arc::clone(&context), &mut |_| {
        assert_eq!(run(&plan, Arc::clone(&context)).map_err(|error| error.number), Err(8630));
        ControlFlow::Continue(())
    })
    .expect("the first run is not disturbed");
}

#[test]
fn a_table_that_is_not_bound_is_an_error() {
    let mut rig = Rig::default();
    let table = numbers(&mut rig, 1);
    rig.tables.clear();
    assert_eq!(rig.error(&table), 8630);
}
