//! Windows: every function and frame in batches of 1, 3 and 4096 rows, and against what looks at all rows of a partition
//! for each row.

use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{AggregateFunction, FrameEdge, Rel, SortKey, WindowCall, WindowFrame, WindowFunction};
use millpond_types::{SqlType, Value};

use crate::rig::*;

/// Columns: partition, order with equal values, unique number, value with NULLs, text.
const ROWS: i32 = 61;

fn table(rig: &mut Rig) -> (Rel, Vec<Vec<Value>>) {
    let rows: Vec<Vec<Value>> = (0..ROWS)
        .map(|n| {
            let scattered = n * 37 % ROWS;
            let value = if scattered % 5 == 0 { Value::Null } else { Value::Int(scattered * 13 % 17 - 8) };
            let text = if scattered % 2 == 0 { "b" } else { "B" };
            row![scattered % 4, scattered * 7 % 10, scattered, value, format!("{text}{}", scattered % 3).as_str()]
        })
        .collect();
    (rig.table(&[INT, INT, INT, INT, VARCHAR], rows.clone()), rows)
}

fn window(input: &Rel, partition: &[usize], order: &[isize], calls: Vec<WindowCall>) -> Rel {
    let partition = partition.iter().map(|&column| col(input, column)).collect();
    let Rel::Sort { keys: order, .. } = sort(input.clone(), order) else { unreachable!("made as one") };
    Rel::Window { input: Box::new(input.clone()), partition, order, calls }
}

fn call(function: WindowFunction, args: Vec<BoundExpr>, frame: WindowFrame, sql: SqlType) -> WindowCall {
    WindowCall { function, args, frame, ty: nullable(sql) }
}

fn frames() -> Vec<WindowFrame> {
    let edges = [
        FrameEdge::Partition,
        FrameEdge::Peers,
        FrameEdge::Rows(-3),
        FrameEdge::Rows(-1),
        FrameEdge::Rows(0),
        FrameEdge::Rows(2),
        FrameEdge::Rows(i64::MAX),
    ];
    edges.iter().flat_map(|&start| edges.iter().map(move |&end| WindowFrame { start, end })).collect()
}

/// The rows of a partition in the order of columns 1 and 2, or of column 1 alone with the equal ones.
fn partition_of<'r>(rows: &'r [Vec<Value>], row: &[Value]) -> Vec<&'r Vec<Value>> {
    let mut all: Vec<&Vec<Value>> = rows.iter().filter(|other| other[0] == row[0]).collect();
    all.sort_by_key(|row| (row[1].as_i64(), row[2].as_i64()));
    all
}

/// The values of column 3 in the frame of a row, where columns 1 and 2 are the order.
fn in_frame(rows: &[Vec<Value>], row: &[Value], frame: &WindowFrame) -> Vec<Option<i64>> {
    let all = partition_of(rows, row);
    let at = all.iter().position(|other| other[2] == row[2]).expect("of its own partition") as i64;
    let edge = |edge: FrameEdge, partition: i64| match edge {
        FrameEdge::Partition => partition,
        FrameEdge::Peers => at,
        FrameEdge::Rows(by) => at.saturating_add(by),
    };
    let (start, end) = (edge(frame.start, 0), edge(frame.end, all.len() as i64 - 1));
    (start.max(0)..=end.min(all.len() as i64 - 1)).map(|place| all[place as usize][3].as_i64()).collect()
}

#[test]
fn aggregates_over_all_frames_are_what_their_rows_say() {
    let mut rig = Rig::default();
    let (input, rows) = table(&mut rig);
    for frame in frames() {
        let over = |function, args, sql| call(WindowFunction::Aggregate(function), args, frame, sql);
        let value = || vec![col(&input, 3)];
        let calls = vec![
            over(AggregateFunction::Sum, value(), INT),
            over(AggregateFunction::Count, vec![], INT),
            over(AggregateFunction::Count, value(), INT),
            over(AggregateFunction::Min, value(), INT),
            over(AggregateFunction::Max, value(), INT),
            over(AggregateFunction::Avg, value(), INT),
        ];
        for row in rig.rows(&window(&input, &[0], &[1, 2], calls)) {
            let all = in_frame(&rows, &row[..5], &frame);
            let given: Vec<i64> = all.iter().copied().flatten().collect();
            let some = |value: i64| if given.is_empty() { None } else { Some(value) };
            let sum: i64 = given.iter().sum();
            let wanted = [
                some(sum),
                Some(all.len() as i64),
                Some(given.len() as i64),
                given.iter().min().copied(),
                given.iter().max().copied(),
                given.first().map(|_| sum / given.len() as i64),
            ];
            let found: Vec<Option<i64>> = row[5..].iter().map(Value::as_i64).collect();
            assert_eq!(found, wanted, "{frame:?} of {:?}", &row[..5]);
        }
    }
}

#[test]
fn first_and_last_values_over_all_frames_are_those_of_their_rows() {
    let mut rig = Rig::default();
    let (input, rows) = table(&mut rig);
    for frame in frames() {
        let calls = [false, true].into_iter().flat_map(|ignore_nulls| {
            let of = |function| call(function, vec![col(&input, 3)], frame, INT);
            [of(WindowFunction::FirstValue { ignore_nulls }), of(WindowFunction::LastValue { ignore_nulls })]
        });
        for row in rig.rows(&window(&input, &[0], &[1, 2], calls.collect())) {
            let all = in_frame(&rows, &row[..5], &frame);
            let given: Vec<i64> = all.iter().copied().flatten().collect();
            let wanted = [
                all.first().copied().flatten(),
                all.last().copied().flatten(),
                given.first().copied(),
                given.last().copied(),
            ];
            let found: Vec<Option<i64>> = row[5..].iter().map(Value::as_i64).collect();
            assert_eq!(found, wanted, "{frame:?} of {:?}", &row[..5]);
        }
    }
}

#[test]
fn ranks_distinguish_equal_rows_and_partitions() {
    let mut rig = Rig::default();
    let (input, rows) = table(&mut rig);
    let plain = |function, sql| call(function, vec![], WindowFrame::RUNNING, sql);
    let ranks = vec![
        plain(WindowFunction::Rank, SqlType::BigInt),
        plain(WindowFunction::DenseRank, SqlType::BigInt),
        plain(WindowFunction::PercentRank, SqlType::Float),
        plain(WindowFunction::CumeDist, SqlType::Float),
        call(WindowFunction::Aggregate(AggregateFunction::Sum), vec![col(&input, 3)], WindowFrame::RUNNING, INT),
    ];
    for row in rig.rows(&window(&input, &[0], &[1], ranks)) {
        let all = partition_of(&rows, &row);
        let before: Vec<i64> = all
            .iter()
            .filter(|other| other[1].as_i64() < row[1].as_i64())
            .filter_map(|other| other[1].as_i64())
            .collect();
        let mut steps = before.clone();
        steps.dedup();
        let up_to: Vec<_> = all.iter().filter(|other| other[1].as_i64() <= row[1].as_i64()).collect();
        assert_eq!(row[5], Value::BigInt(before.len() as i64 + 1));
        assert_eq!(row[6], Value::BigInt(steps.len() as i64 + 1));
        assert_eq!(row[7], Value::Float(before.len() as f64 / (all.len() - 1) as f64));
        assert_eq!(row[8], Value::Float(up_to.len() as f64 / all.len() as f64));
        let given: Vec<i64> = up_to.iter().filter_map(|row| row[3].as_i64()).collect();
        assert_eq!(row[9].as_i64(), given.first().map(|_| given.iter().sum()));
    }
}

#[test]
fn other_rows_are_found_by_distance() {
    let mut rig = Rig::default();
    let (input, rows) = table(&mut rig);
    let big = |n| BoundExpr::literal(Value::BigInt(n), SqlType::BigInt);
    let apart = cast(col(&input, 1), SqlType::BigInt);
    let running = |function, args| call(function, args, WindowFrame::RUNNING, INT);
    let (lag, lead) = (WindowFunction::Lag { ignore_nulls: false }, WindowFunction::Lead { ignore_nulls: false });
    let value = || col(&input, 3);
    let calls = vec![
        running(lag, vec![value(), big(2), col(&input, 2)]),
        running(lead, vec![value(), big(3)]),
        running(lag, vec![value(), apart.clone()]),
        running(WindowFunction::Lag { ignore_nulls: true }, vec![value(), big(2)]),
        running(WindowFunction::Lead { ignore_nulls: true }, vec![value(), apart]),
        call(WindowFunction::RowNumber, vec![], WindowFrame::RUNNING, SqlType::BigInt),
        call(WindowFunction::Ntile, vec![big(4)], WindowFrame::RUNNING, SqlType::BigInt),
    ];
    for row in rig.rows(&window(&input, &[0], &[1, 2], calls)) {
        let all = partition_of(&rows, &row);
        let at = all.iter().position(|other| other[2] == row[2]).expect("of its own partition");
        let value = |place: Option<usize>| place.and_then(|place| all.get(place)).and_then(|row| row[3].as_i64());
        let apart = usize::try_from(row[1].as_i64().expect("not NULL")).expect("not negative");
        let default = if at < 2 { row[2].as_i64() } else { value(Some(at - 2)) };
        // The distance leads to a row, and a NULL there on to the next one that has a value.
        let back = at.checked_sub(2).and_then(|place| all[..=place].iter().rev().find_map(|row| row[3].as_i64()));
        let ahead = all.get(at + apart..).and_then(|rest| rest.iter().find_map(|row| row[3].as_i64()));
        let wanted = [
            default,
            value(Some(at + 3)),
            value(at.checked_sub(apart)),
            back,
            ahead,
            Some(at as i64 + 1),
            Some(tile(at, all.len(), 4)),
        ];
        let found: Vec<Option<i64>> = row[5..].iter().map(Value::as_i64).collect();
        assert_eq!(found, wanted, "of {:?}", &row[..5]);
    }
}

/// The tile of a row when rows are divided among NTILE's tiles.
fn tile(at: usize, rows: usize, parts: usize) -> i64 {
    let sizes = (0..parts).map(|part| rows / parts + usize::from(part < rows % parts));
    let mut last = 0;
    for (part, size) in sizes.enumerate() {
        last += size;
        if at < last {
            return part as i64 + 1;
        }
    }
    unreachable!("the parts have all rows")
}

#[test]
fn moving_sums_of_floats_keep_nothing_of_rows_that_left() {
    let mut rig = Rig::default();
    let rows = (0..40).map(|n| row![n, if n == 3 { 1e300 } else { 0.1 * f64::from(n) }]).collect();
    let input = rig.table(&[INT, SqlType::Float], rows);
    let frame = WindowFrame { start: FrameEdge::Rows(-2), end: FrameEdge::Rows(0) };
    let sum = call(WindowFunction::Aggregate(AggregateFunction::Sum), vec![col(&input, 1)], frame, SqlType::Float);
    for row in rig.rows(&window(&input, &[], &[0], vec![sum])) {
        let n = row[0].as_i64().expect("a number");
        let Value::Float(sum) = row[2] else { panic!("a sum") };
        if n > 5 {
            let wanted = 0.1 * (3 * n - 3) as f64;
            assert!((sum - wanted).abs() < 1e-12 * wanted, "{sum} at {n}");
        }
    }
}

#[test]
fn texts_are_one_partition_by_their_collation_and_extremes_too() {
    let mut rig = Rig::default();
    let (input, _) = table(&mut rig);
    let of = |function, args, sql| call(WindowFunction::Aggregate(function), args, WindowFrame::PARTITION, sql);
    let calls =
        vec![of(AggregateFunction::Count, vec![], INT), of(AggregateFunction::Max, vec![col(&input, 4)], VARCHAR)];
    let grouped = window(&input, &[4], &[], calls);
    let rows = rig.rows(&pick(grouped, &[5]));
    let count = |wanted: i32| rows.iter().filter(|row| row[0] == Value::Int(wanted)).count();
    assert_eq!((count(21), count(20)), (21, 40));
    let all = window(&input, &[], &[], vec![of(AggregateFunction::Max, vec![col(&input, 4)], VARCHAR)]);
    let same = eq(col(&all, 5), text("B2"));
    assert_eq!(rig.rows(&pick(filter(all, same), &[0])).len(), ROWS as usize);
}

#[test]
fn percentiles_lie_among_the_values_that_are_there() {
    let mut rig = Rig::default();
    let (input, rows) = table(&mut rig);
    let fraction = || BoundExpr::literal(Value::Float(0.3), SqlType::Float);
    let of = |function, arg, sql| call(function, vec![arg, fraction()], WindowFrame::PARTITION, sql);
    let calls = vec![
        of(WindowFunction::PercentileCont, cast(col(&input, 3), SqlType::Float), SqlType::Float),
        of(WindowFunction::PercentileDisc, col(&input, 3), INT),
    ];
    for order in [3, -4] {
        for row in rig.rows(&window(&input, &[0], &[order], calls.clone())) {
            let mut given: Vec<i64> = partition_of(&rows, &row).iter().filter_map(|row| row[3].as_i64()).collect();
            given.sort_unstable_by_key(|value| if order < 0 { -value } else { *value });
            let at = 0.3 * (given.len() - 1) as f64;
            let (low, high) = (given[at.floor() as usize] as f64, given[at.ceil() as usize] as f64);
            assert_eq!(row[5], Value::Float(low + (high - low) * at.fract()));
            assert_eq!(row[6].as_i64(), Some(given[(0.3 * given.len() as f64).ceil() as usize - 1]));
        }
    }
}

#[test]
fn equal_windows_and_shorter_orders_share_a_sort() {
    let mut rig = Rig::default();
    let (input, _) = table(&mut rig);
    let number = || vec![call(WindowFunction::RowNumber, vec![], WindowFrame::RUNNING, SqlType::BigInt)];
    let long = window(&input, &[0], &[1, 2], number());
    let short = window(&long, &[0], &[1], number());
    let other = window(&short, &[], &[0], number());
    let options = millpond_plan::CompileOptions::new(millpond_engine::memory::Workspace::new(64 << 20));
    let plan = millpond_plan::compile(&other, &options).expect("a plan").describe();
    assert_eq!(plan.matches("SpillSortExec").count(), 1, "{plan}");
    let apart = window(&other, &[3], &[], number());
    let plan = millpond_plan::compile(&apart, &options).expect("a plan").describe();
    assert_eq!(plan.matches("SpillSortExec").count(), 2, "{plan}");
    assert_eq!(rig.rows(&apart).len(), ROWS as usize);
}

#[test]
fn a_window_of_nothing_is_empty_and_its_errors_come_out() {
    let mut rig = Rig::default();
    let empty = rig.table(&[INT], vec![]);
    let tiles = |n: i64| {
        let parts = BoundExpr::literal(Value::BigInt(n), SqlType::BigInt);
        vec![call(WindowFunction::Ntile, vec![parts], WindowFrame::RUNNING, SqlType::BigInt)]
    };
    assert_eq!(rig.rows(&window(&empty, &[0], &[0], tiles(0))).len(), 0);
    let one = rig.table(&[INT], vec![row![1]]);
    assert_eq!(rig.error(&window(&one, &[], &[0], tiles(0))), 4116);
    let key = SortKey { expr: col(&one, 0), descending: true };
    let over = |arg: BoundExpr| Rel::Window {
        input: Box::new(one.clone()),
        partition: vec![],
        order: vec![key.clone()],
        calls: vec![call(WindowFunction::Aggregate(AggregateFunction::Sum), vec![arg], WindowFrame::RUNNING, INT)],
    };
    assert_eq!(rig.rows(&over(int(i32::MAX)))[0][1], Value::Int(i32::MAX));
    let two = rig.table(&[INT], vec![row![i32::MAX], row![1]]);
    let sum = call(WindowFunction::Aggregate(AggregateFunction::Sum), vec![col(&two, 0)], WindowFrame::PARTITION, INT);
    assert_eq!(rig.error(&window(&two, &[], &[], vec![sum])), 8115);
}
