//! Joins of every type, with keys that are absent on one side, NULL, or far too frequent.

use std::sync::Arc;

use datafusion::common::{JoinSide, JoinType, NullEquality};
use datafusion::error::DataFusionError;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, PartitionMode};
use datafusion::physical_plan::projection::ProjectionExec;
use futures::StreamExt;
use futures::executor::block_on;
use millpond_spill::{GrantPool, SpillTempdb, spilling_joins};

use crate::rig::*;

const TYPES: [JoinType; 10] = [
    JoinType::Inner,
    JoinType::Left,
    JoinType::Right,
    JoinType::Full,
    JoinType::LeftSemi,
    JoinType::RightSemi,
    JoinType::LeftAnti,
    JoinType::RightAnti,
    JoinType::LeftMark,
    JoinType::RightMark,
];

/// Rows of one side: keys up to `keys` and some NULLs, and texts that take room.
fn side(rows: i64, keys: i64, seed: i64) -> Vec<Row> {
    let key = |at: i64| (at % 53 != 0).then(|| mixed(at + seed) % keys);
    let text = |at: i64| (at % 7 != 0).then(|| format!("{:-<40}", mixed(at * 3 + seed)));
    (0..rows).map(|at| (key(at), at, text(at))).collect()
}

/// `l.column op r.column`
fn compares(at: usize, op: Operator) -> JoinFilter {
    let schema = |prefix| schema(prefix).project(&[at]).expect("a column");
    let both = datafusion::arrow::datatypes::Schema::try_merge([schema("l"), schema("r")]).expect("two columns");
    let column = |index| Arc::new(Column::new(both.field(index).name(), index)) as PhysicalExprRef;
    let compared = BinaryExpr::new(column(0), op, column(1));
    let places = [JoinSide::Left, JoinSide::Right].map(|side| ColumnIndex { index: at, side });
    JoinFilter::new(Arc::new(compared), places.to_vec(), Arc::new(both))
}

/// `l.number < r.number`
fn filter() -> JoinFilter {
    compares(1, Operator::Lt)
}

/// The numbers of both sides, the right ones first, where the join gives both.
fn numbers(kind: JoinType) -> Option<Vec<usize>> {
    use JoinType::{Full, Inner, Left, Right};
    matches!(kind, Inner | Left | Right | Full).then(|| vec![4, 1])
}

fn join(
    sides: [Arc<dyn ExecutionPlan>; 2],
    kind: JoinType,
    filter: Option<JoinFilter>,
    columns: Option<Vec<usize>>,
    nulls: NullEquality,
) -> Arc<dyn ExecutionPlan> {
    let key = |name: &str| Arc::new(Column::new(name, 0)) as PhysicalExprRef;
    let (on, [left, right]) = (vec![(key("lkey"), key("rkey"))], sides);
    let mode = PartitionMode::CollectLeft;
    Arc::new(HashJoinExec::try_new(left, right, on, filter, &kind, columns, mode, nulls, false).expect("a join"))
}

fn nested(
    sides: [Arc<dyn ExecutionPlan>; 2],
    kind: JoinType,
    filter: Option<JoinFilter>,
    columns: Option<Vec<usize>>,
) -> Arc<dyn ExecutionPlan> {
    let [left, right] = sides;
    Arc::new(NestedLoopJoinExec::try_new(left, right, filter, &kind, columns).expect("a join"))
}

/// The join with little memory gives what the join with enough memory gives, and spills; what it held at most.
fn assert_same(tempdb: &SpillTempdb, plain: Arc<dyn ExecutionPlan>, grant_bytes: usize, what: &str) -> usize {
    let (written_bytes, held_bytes) = compared(tempdb, plain, grant_bytes, what);
    assert!(written_bytes > 100_000, "{what} did not spill");
    held_bytes
}

/// The join with little memory gives what the join with enough memory gives; bytes that it spilled, and held at most.
fn compared(tempdb: &SpillTempdb, plain: Arc<dyn ExecutionPlan>, grant_bytes: usize, what: &str) -> (u64, usize) {
    let expected = set_of(&plain, &task(&tempdb.space(), 1 << 30)).expect("enough memory");
    let spilling = spilling_joins(plain.reset_state().expect("a plan")).expect("a plan");
    let (enough, little) = (tempdb.space(), tempdb.space());
    assert!(set_of(&spilling, &task(&enough, 1 << 30)).expect(what) == expected, "{what}, in memory");
    assert_eq!(enough.account().written_bytes(), 0);
    let (again, pool) = (spilling.reset_state().expect("a plan"), GrantPool::of_bytes(grant_bytes));
    let rows = set_of(&again, &task_of(&little, Arc::clone(&pool))).expect(what);
    assert!(rows == expected, "{what}, spilled: {} rows and not {}", rows.len(), expected.len());
    assert_nothing_left(tempdb);
    (little.account().written_bytes(), pool.report().max_used_bytes)
}

/// [`assert_same`] for hash joins of every type.
fn assert_all_same(sides: (&[Row], &[Row]), grant_bytes: usize, filters: &[Option<JoinFilter>]) {
    let tempdb = tempdb(1 << 30);
    for kind in TYPES {
        for filter in filters {
            for nulls in [NullEquality::NullEqualsNothing, NullEquality::NullEqualsNull] {
                let what = format!("{kind:?}, filter {}, {nulls:?}", filter.is_some());
                let sides = [leaf("l", sides.0, 500), leaf("r", sides.1, 700)];
                assert_same(&tempdb, join(sides, kind, filter.clone(), None, nulls), grant_bytes, &what);
            }
        }
    }
}

#[test]
fn every_join_gives_the_same_rows_from_tempdb() {
    let (left, right) = (side(30_000, 20_000, 0), side(20_000, 25_000, 5));
    assert_all_same((&left, &right), 1 << 20, &[None, Some(filter())]);
}

#[test]
fn a_key_that_is_too_frequent_goes_in_blocks() {
    let mut left = side(24_000, 300_000, 0);
    left.iter_mut().filter(|row| row.1 % 2 == 0).for_each(|row| row.0 = Some(7));
    let right: Vec<Row> = side(3_000, 300_000, 5).into_iter().chain([(Some(7), 12_000, None)]).collect();
    assert_all_same((&left, &right), 1 << 20, &[None, Some(filter())]);
}

#[test]
fn empty_sides_are_joined_too() {
    let left = side(30_000, 20_000, 0);
    assert_all_same((&left, &[]), 1 << 20, &[None]);
}

/// The rows of all partitions, each read by a thread of its own, sorted.
fn by_threads(plan: &Arc<dyn ExecutionPlan>, task: &Arc<TaskContext>, partitions: usize) -> Vec<String> {
    let read = |partition| {
        let mut stream = plan.execute(partition, Arc::clone(task)).expect("it begins");
        let mut rows = Vec::new();
        while let Some(batch) = block_on(stream.next()).transpose().expect("it runs") {
            rows.extend(texts_of(&batch));
        }
        rows
    };
    let mut rows: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..partitions).map(|partition| scope.spawn(move || read(partition))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    rows.sort_unstable();
    rows
}

/// One left side for three partitions of the right one, of which one has no rows: it is collected once, or kept and read
/// by each.
#[test]
fn partitions_of_the_right_side_share_the_left_one() {
    use JoinType::{Inner, Right, RightAnti, RightMark, RightSemi};
    let tempdb = tempdb(1 << 30);
    let (left, right) = (side(30_000, 20_000, 0), side(20_000, 25_000, 5));
    for kind in [Inner, Right, RightSemi, RightAnti, RightMark] {
        for filter in [None, Some(filter())] {
            let nulls = NullEquality::NullEqualsNothing;
            let plain = join([leaf("l", &left, 500), leaf("r", &right, 700)], kind, filter.clone(), None, nulls);
            let expected = set_of(&plain, &task(&tempdb.space(), 1 << 30)).expect("enough memory");
            let parts = [&right[..9_000], &[], &right[9_000..]];
            for (grant_bytes, spills) in [(1 << 30, false), (3 << 20, true)] {
                let shared =
                    join([leaf("l", &left, 500), leaf_of_parts("r", &parts, 700)], kind, filter.clone(), None, nulls);
                let shared = spilling_joins(shared).expect("a plan");
                assert_eq!(shared.name(), "SpillJoinExec");
                let space = tempdb.space();
                let rows = by_threads(&shared, &task(&space, grant_bytes), parts.len());
                assert!(rows == expected, "{kind:?}: {} rows and not {}", rows.len(), expected.len());
                assert_eq!(space.account().written_bytes() > 0, spills, "{kind:?}");
                drop((shared, space));
                assert_nothing_left(&tempdb);
            }
        }
    }
}

/// What the join says of left rows needs all partitions of the right side.
#[test]
fn joins_that_tell_of_left_rows_share_nothing() {
    let rows = side(100, 20, 0);
    for kind in [JoinType::Left, JoinType::Full, JoinType::LeftSemi, JoinType::LeftAnti, JoinType::LeftMark] {
        let sides = [leaf("l", &rows, 500), leaf_of_parts("r", &[&rows, &rows], 700)];
        let plan = spilling_joins(join(sides, kind, None, None, NullEquality::NullEqualsNothing)).expect("a plan");
        assert_eq!(plan.name(), "HashJoinExec", "{kind:?}");
    }
}

/// A limit is of all rows; a join that is made of many would heed it in each.
#[test]
fn a_hash_join_with_a_limit_stays_as_it_is() {
    let (left, right) = (side(30_000, 20_000, 0), side(20_000, 25_000, 5));
    let sides = [leaf("l", &left, 500), leaf("r", &right, 700)];
    let plain = join(sides, JoinType::Inner, None, None, NullEquality::NullEqualsNothing);
    let limited = plain.downcast_ref::<HashJoinExec>().expect("it is one").builder().with_fetch(Some(5));
    let plan = spilling_joins(limited.build_exec().expect("a join")).expect("a plan");
    let tempdb = tempdb(1 << 30);
    assert_eq!(rows_of(&plan, &task(&tempdb.space(), 1 << 20)).expect("it runs").len(), 5);
}

/// Some hundred rows of 8 KB, in small batches; more than the 1 MB of the tests that take them.
fn wide(prefix: &str, rows: i64, keys: i64, seed: i64) -> Arc<dyn ExecutionPlan> {
    let mut rows = side(rows, keys, seed);
    rows.iter_mut().for_each(|row| row.2 = row.2.take().map(|text| format!("{text:=<8000}")));
    leaf(prefix, &rows, 20)
}

/// What a join may hold of 1 MB: a block, and a little more than its share of what is on its way.
const HELD_BYTES_MAX: usize = 1_800_000;

#[test]
fn one_key_of_which_both_sides_are_larger_than_memory_is_joined_within_it() {
    let tempdb = tempdb(1 << 30);
    let sides = || [wide("l", 360, 1, 0), wide("r", 330, 1, 5)];
    for kind in TYPES {
        for filter in [None, Some(compares(1, Operator::Eq))] {
            for columns in [None, numbers(kind)].into_iter().skip(usize::from(numbers(kind).is_some())) {
                let what = format!("{kind:?}, {filter:?}, {columns:?}");
                let plain = join(sides(), kind, filter.clone(), columns, NullEquality::NullEqualsNothing);
                let held_bytes = assert_same(&tempdb, plain, 1 << 20, &what);
                assert!(held_bytes < HELD_BYTES_MAX, "{what} held {held_bytes} bytes");
            }
        }
    }
    let full = join(sides(), JoinType::Full, Some(compares(1, Operator::Eq)), None, NullEquality::NullEqualsNull);
    assert_same(&tempdb, full, 1 << 20, "full join of all columns");
}

#[test]
fn nested_loops_of_sides_larger_than_memory_are_joined_within_it() {
    let tempdb = tempdb(1 << 30);
    let sides = || [wide("l", 360, 40, 0), wide("r", 330, 60, 5)];
    for kind in TYPES {
        for filter in [None, Some(compares(0, Operator::Eq)), Some(filter())] {
            let what = format!("{kind:?}, {filter:?}");
            let plain = nested(sides(), kind, filter, numbers(kind));
            let held_bytes = assert_same(&tempdb, plain, 1 << 20, &what);
            assert!(held_bytes < HELD_BYTES_MAX, "{what} held {held_bytes} bytes");
        }
    }
    for kind in [JoinType::Right, JoinType::Full] {
        assert_same(&tempdb, nested(sides(), kind, Some(compares(1, Operator::Eq)), None), 1 << 20, "all columns");
    }
}

#[test]
fn nested_loops_of_a_side_without_rows_or_with_few_are_the_same_too() {
    let tempdb = tempdb(1 << 30);
    for kind in TYPES {
        for (rows, filter) in [(0, None), (0, Some(filter())), (3, None), (3, Some(compares(0, Operator::Lt)))] {
            let plain = nested([wide("l", 360, 40, 0), wide("r", rows, 60, 5)], kind, filter, numbers(kind));
            // The right side is in memory, the left one in blocks: nothing has to be spilled but for a right row's
            // sake.
            let (_, held_bytes) = compared(&tempdb, plain, 1 << 20, &format!("{kind:?} with {rows} rows"));
            assert!(held_bytes < HELD_BYTES_MAX, "{kind:?} held {held_bytes} bytes");
        }
    }
}

#[test]
fn a_cross_join_of_sides_larger_than_memory_is_made_within_it() {
    let tempdb = tempdb(1 << 30);
    let cross = Arc::new(CrossJoinExec::new(wide("l", 300, 40, 0), wide("r", 200, 60, 5)));
    let number = |name: &str, index| (Arc::new(Column::new(name, index)) as PhysicalExprRef, name.to_owned());
    let numbers = ProjectionExec::try_new([number("lnumber", 1), number("rnumber", 4)], cross).expect("columns");
    let held_bytes = assert_same(&tempdb, Arc::new(numbers), 1 << 20, "a cross join");
    assert!(held_bytes < HELD_BYTES_MAX, "{held_bytes} bytes");
}

#[test]
fn rows_without_columns_are_counted_in_blocks_as_well() {
    let tempdb = tempdb(1 << 30);
    let none = |input| -> Arc<dyn ExecutionPlan> {
        let no: [(PhysicalExprRef, String); 0] = [];
        Arc::new(ProjectionExec::try_new(no, input).expect("no columns"))
    };
    let cross = Arc::new(CrossJoinExec::new(wide("l", 300, 40, 0), none(leaf("r", &side(70, 60, 5), 20))));
    let number = (Arc::new(Column::new("lnumber", 1)) as PhysicalExprRef, "number".to_owned());
    let numbers = ProjectionExec::try_new([number], cross).expect("a column");
    let (_, held_bytes) = compared(&tempdb, Arc::new(numbers), 1 << 20, "a cross join with rows without columns");
    assert!(held_bytes < HELD_BYTES_MAX, "{held_bytes} bytes");
}

#[test]
fn a_join_that_finds_no_space_fails_alone_and_leaves_nothing() {
    let (left, right) = (side(90_000, 20_000, 0), side(90_000, 25_000, 5));
    let sides = [leaf("l", &left, 500), leaf("r", &right, 700)];
    let plain = join(sides, JoinType::Inner, None, None, NullEquality::NullEqualsNothing);
    let tempdb = tempdb(8 << 20);
    let space = tempdb.space();
    let plan = spilling_joins(plain).expect("a plan");
    let failure = set_of(&plan, &task(&space, 1 << 20)).expect_err("8 MB are too little");
    assert!(!matches!(failure, DataFusionError::ResourcesExhausted(_)), "{failure}");
    let cause = space.take_failure().expect("it is kept");
    assert!(matches!(cause, millpond_access::AccessError::Space(_)), "{cause}");
    drop(failure);
    assert_nothing_left(&tempdb);
}
