//! Expressions: the same values natively, over arrays and row by row; laziness; volatility; variables.

use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::eval::{self, Rows};
use millpond_builtin::{FunctionDef, Signature, Volatility};
use millpond_catalog::expr::{ArithOp, BoundExpr, CompareOp, Kind};
use millpond_catalog::rel::{Rel, RelJoin};
use millpond_types::collation::Collation;
use millpond_types::{Decimal, SqlType, Value};

use crate::rig::*;

const OPS: [ArithOp; 8] = [
    ArithOp::Add,
    ArithOp::Sub,
    ArithOp::Mul,
    ArithOp::Div,
    ArithOp::Mod,
    ArithOp::BitAnd,
    ArithOp::BitOr,
    ArithOp::BitXor,
];

/// Values of a type at its edges.
fn edges(sql: SqlType) -> Vec<Value> {
    let mut values = match sql {
        SqlType::TinyInt => row![0_u8, 1_u8, 255_u8],
        SqlType::SmallInt => row![0_i16, -1_i16, i16::MIN, i16::MAX],
        SqlType::Int => row![0, -1, 7, i32::MIN, i32::MAX],
        SqlType::BigInt => row![0_i64, -1_i64, i64::MIN, i64::MAX],
        SqlType::Real => row![0.0_f32, -1.5_f32, f32::MAX],
        SqlType::Float => row![0.0, -1.5, f64::MAX, 1e-300],
        SqlType::Decimal { precision, scale, .. } => [0, 1, -15, 10_i128.pow(u32::from(precision)) - 1]
            .map(|unscaled| Value::Decimal(Decimal { unscaled, scale }))
            .to_vec(),
        _ => Vec::new(),
    };
    values.push(Value::Null);
    values
}

#[test]
fn arithmetic_over_arrays_agrees_with_values() {
    let rig = Rig::default();
    let wide = SqlType::decimal(38, 4);
    let narrow = SqlType::decimal(5, 2);
    let of_one_type =
        [SqlType::TinyInt, SqlType::SmallInt, INT, SqlType::BigInt, SqlType::Real, SqlType::Float, wide, narrow];
    let pairs = of_one_type.map(|sql| (sql, sql)).into_iter().chain([(wide, narrow), (narrow, wide)]);
    for (left, right) in pairs {
        for op in OPS {
            if millpond_types::coerce::arithmetic_type(op, &left, &right).is_err() {
                continue;
            }
            for a in edges(left) {
                for b in edges(right) {
                    let input = values(&[left, right], vec![vec![a.clone(), b.clone()]]);
                    let expr = arith(op, col(&input, 0), col(&input, 1));
                    let row = [a.clone(), b.clone()];
                    let expected = eval::eval(&expr, &*rig.context(), Rows::of(&row));
                    let got = run_one(&rig, &project(input, vec![expr]));
                    assert_eq!(got, expected, "{left} {op:?} {right}: {a:?}, {b:?}");
                }
            }
        }
    }
}

/// The only value of a relation, run once.
fn run_one(rig: &Rig, rel: &Rel) -> millpond_message::error::SqlResult<Value> {
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(rel, &millpond_plan::CompileOptions::new(workspace))?;
    Ok(run(&plan, rig.context())?.remove(0).remove(0))
}

#[test]
fn constants_meet_columns_in_every_position() {
    let rig = Rig::default();
    let input = values(&[INT], vec![row![7], row![Value::Null]]);
    let n = || col(&input, 0);
    let exprs = vec![
        arith(ArithOp::Add, n(), int(1)),
        arith(ArithOp::Sub, int(1), n()),
        arith(ArithOp::Mul, int(2), int(3)),
        arith(ArithOp::BitAnd, n(), int(3)),
    ];
    let null = Value::Null;
    assert_eq!(
        rig.rows(&project(input.clone(), exprs)),
        [row![8, -6, 6, 3], row![null.clone(), null.clone(), 6, null]]
    );
}

#[test]
fn predicates_are_three_valued() {
    let rig = Rig::default();
    let bits = || row![true, false, Value::Null];
    let pairs = bits().into_iter().flat_map(|a| bits().into_iter().map(move |b| vec![a.clone(), b])).collect();
    let input = values(&[SqlType::Bit, SqlType::Bit], pairs);
    let (a, b) = (|| col(&input, 0), || col(&input, 1));
    // The second form cannot be evaluated natively: its right side might fail.
    let risky = |operand: BoundExpr| {
        let text = cast(operand, VARCHAR);
        eq(cast(text, INT), int(1))
    };
    for (plain, through_rows) in
        [(and(a(), b()), and(a(), risky(b()))), (or(a(), b()), or(a(), risky(b()))), (not(a()), not(risky(a())))]
    {
        let rel = project(input.clone(), vec![plain, through_rows]);
        for row in rig.rows(&rel) {
            assert_eq!(row[0], row[1]);
        }
    }
    let kept = rig.rows(&filter(input.clone(), and(a(), b())));
    assert_eq!(kept, [row![true, true]]);
    let conjunction = project(input.clone(), vec![and(a(), b())]);
    let (t, f, n) = (Value::Bit(true), Value::Bit(false), Value::Null);
    let expected = [&t, &f, &n, &f, &f, &f, &n, &f, &n];
    assert_eq!(rig.rows(&conjunction).concat(), expected.map(Clone::clone));
}

#[test]
fn a_branch_of_case_that_is_not_taken_cannot_fail() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT], vec![row![0], row![2], row![Value::Null], row![5]]);
    let n = || col(&table, 0);
    let quotient = arith(ArithOp::Div, int(10), n());
    let case = Kind::Case {
        branches: vec![(compare(CompareOp::NotEq, n(), int(0)), quotient.clone())],
        otherwise: Some(Box::new(int(-1))),
    };
    let case = BoundExpr { kind: case, ty: nullable(INT) };
    assert_eq!(rig.rows(&project(table.clone(), vec![case])), [row![-1], row![5], row![-1], row![2]]);
    assert_eq!(rig.error(&project(table.clone(), vec![quotient.clone()])), 8134);
    let without_else = Kind::Case { branches: vec![(eq(n(), int(5)), text("five"))], otherwise: None };
    let without_else = BoundExpr { kind: without_else, ty: nullable(VARCHAR) };
    let rows = rig.rows(&project(table.clone(), vec![without_else]));
    assert_eq!(rows.concat(), row![Value::Null, Value::Null, Value::Null, "five"]);
}

#[test]
fn a_condition_that_others_guard_does_not_fail() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT], vec![row![0], row![2], row![5]]);
    let positive = |rel: &Rel| compare(CompareOp::Gt, col(rel, 0), int(0));
    let small = |rel: &Rel| compare(CompareOp::Lt, arith(ArithOp::Div, int(10), col(rel, 0)), int(4));
    // Below a join and above: in the scan, and in a filter of its own.
    let guarded = filter(table.clone(), and(positive(&table), small(&table)));
    assert_eq!(rig.rows(&guarded), [row![5]]);
    let outer = join(RelJoin::Left, values(&[INT], vec![row![1]]), table.clone(), |_| Some(eq(int(1), int(1))));
    let flipped = pick(outer, &[1, 0]);
    let kept = Rel::Top { input: Box::new(flipped), count: None, percent: false, ties: vec![], offset: None };
    let guarded = filter(kept.clone(), and(small(&kept), positive(&kept)));
    assert_eq!(rig.rows(&guarded), [row![5, 1]]);
}

#[test]
fn in_lists_and_like() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT, VARCHAR], vec![row![1, "apple"], row![2, "Pear"], row![Value::Null, Value::Null]]);
    let list = |items: Vec<BoundExpr>, of: BoundExpr| {
        BoundExpr::predicate(Kind::InList(Box::new(of), items, Collation::LATIN1_CI_AS))
    };
    let null = || BoundExpr::literal(Value::Null, INT);
    let like = |pattern: BoundExpr| {
        BoundExpr::predicate(Kind::Like {
            text: Box::new(col(&table, 1)),
            pattern: Box::new(pattern),
            escape: None,
            collation: Collation::LATIN1_CI_AS,
        })
    };
    let exprs = vec![
        list(vec![int(1), int(3)], col(&table, 0)),
        list(vec![int(1), null()], col(&table, 0)),
        list(vec![text("PEAR "), text("x")], col(&table, 1)),
        like(text("P%")),
        like(col(&table, 1)),
    ];
    let n = Value::Null;
    assert_eq!(
        rig.rows(&project(table.clone(), exprs)),
        [
            row![true, true, false, false, true],
            row![false, n.clone(), true, true, true],
            row![n.clone(), n.clone(), n.clone(), n.clone(), n]
        ]
    );
}

#[test]
fn comparisons_of_every_type_agree_with_values() {
    let rig = Rig::default();
    let guid = |place: usize| {
        let mut guid = [0; 16];
        guid[place] = 1;
        Value::Guid(guid)
    };
    let at = |days, ticks| Value::DateTime(millpond_types::DateTime { days, ticks });
    let types = [
        (SqlType::UniqueIdentifier, vec![guid(0), guid(3), guid(8), guid(10), guid(15)]),
        (SqlType::DateTime, vec![at(-1, 5), at(0, 0), at(0, 7)]),
        (VARCHAR, row!["", " ", "a", "A", "b", "\t"]),
        (
            SqlType::VarBinary { len: millpond_types::sql_type::MaxLen::Max },
            [&[][..], &[0], &[1], &[1, 0], &[1, 1]].map(Value::binary).to_vec(),
        ),
        (SqlType::Float, row![-0.0, 0.0, 1.0]),
        (SqlType::Bit, row![false, true]),
    ];
    for (sql, mut samples) in types {
        samples.push(Value::Null);
        let pairs: Vec<Vec<Value>> =
            samples.iter().flat_map(|a| samples.iter().map(|b| vec![a.clone(), b.clone()])).collect();
        let input = values(&[sql, sql], pairs.clone());
        use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        let ops = [Eq, NotEq, Lt, LtEq, Gt, GtEq];
        let exprs = ops.map(|op| compare(op, col(&input, 0), col(&input, 1))).to_vec();
        for (pair, row) in pairs.iter().zip(rig.rows(&project(input, exprs))) {
            for (op, got) in ops.into_iter().zip(row) {
                let expected = eval::compare_values(op, &pair[0], &pair[1], Collation::LATIN1_CI_AS);
                assert_eq!(got, Value::from(expected), "{sql}: {:?} {op:?} {:?}", pair[0], pair[1]);
            }
        }
    }
}

static CALLS: AtomicI32 = AtomicI32::new(0);

static EACH_ROW: FunctionDef = FunctionDef {
    name: "EACH_ROW",
    min_args: 0,
    max_args: 0,
    date_part_first: false,
    compares: false,
    look: None,
    placed: None,
    volatility: Volatility::Row,
    bind: |_| Ok(Signature { params: vec![], result: SqlType::Int, nullable: false }),
    eval: |_, _, _, _| Ok(Value::Int(CALLS.fetch_add(1, Relaxed))),
};

#[test]
fn a_volatile_function_is_called_for_each_row() {
    let rig = Rig::default();
    let input = values(&[INT], (0..10).map(|n| row![n]).collect());
    let call = BoundExpr { kind: Kind::Function(&EACH_ROW, vec![]), ty: nullable(INT) };
    let rel = project(input, vec![call]);
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(&rel, &millpond_plan::CompileOptions::new(workspace)).expect("plans");
    let mut seen: Vec<Vec<Value>> = run(&plan, rig.context()).expect("runs");
    seen.extend(run(&plan, rig.context()).expect("runs"));
    let distinct: std::collections::HashSet<String> = seen.iter().map(|row| format!("{row:?}")).collect();
    assert_eq!(distinct.len(), 20);
}

#[test]
fn a_plan_reads_the_variables_of_each_run() {
    let mut rig = Rig::default();
    let table = rig.table(&[INT, VARCHAR], vec![row![1, "a"], row![2, "b"]]);
    let wanted = filter(table.clone(), eq(col(&table, 0), variable(0, INT)));
    let rel = project(wanted.clone(), vec![col(&wanted, 1), variable(1, VARCHAR)]);
    let workspace = millpond_engine::memory::Workspace::new(0);
    let plan = millpond_plan::compile(&rel, &millpond_plan::CompileOptions::new(workspace)).expect("plans");
    for (id, expected) in [(1, vec![row!["a", "z"]]), (2, vec![row!["b", "z"]]), (3, vec![])] {
        rig.variables = row![id, "z"];
        assert_eq!(run(&plan, rig.context()).expect("runs"), expected);
    }
}
