//! Joins of every type, with keys that are absent on one side, NULL, or far too frequent.

use std::sync::Arc;

use datafusion::common::{JoinSide, JoinType, NullEquality};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter};
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use millpond_spill::spilling_joins;

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

/// `l.number < r.number`
fn filter() -> JoinFilter {
    let column = |name: &str, index| Arc::new(Column::new(name, index)) as PhysicalExprRef;
    let schema = |prefix| schema(prefix).project(&[1]).expect("a column");
    let both = datafusion::arrow::datatypes::Schema::try_merge([schema("l"), schema("r")]).expect("two columns");
    let less = BinaryExpr::new(column("lnumber", 0), Operator::Lt, column("rnumber", 1));
    let places = vec![ColumnIndex { index: 1, side: JoinSide::Left }, ColumnIndex { index: 1, side: JoinSide::Right }];
    JoinFilter::new(Arc::new(less), places, Arc::new(both))
}

fn join(
    sides: (&[Row], &[Row]),
    kind: JoinType,
    filter: Option<JoinFilter>,
    nulls: NullEquality,
) -> Arc<dyn ExecutionPlan> {
    let key = |name: &str| Arc::new(Column::new(name, 0)) as PhysicalExprRef;
    let (left, right) = (leaf("l", sides.0, 500), leaf("r", sides.1, 700));
    let on = vec![(key("lkey"), key("rkey"))];
    let mode = PartitionMode::CollectLeft;
    Arc::new(HashJoinExec::try_new(left, right, on, filter, &kind, None, mode, nulls, false).expect("a join"))
}

/// The join with little memory gives what the join with enough memory gives, and spills.
fn assert_same(sides: (&[Row], &[Row]), grant_bytes: usize, filters: &[Option<JoinFilter>]) {
    let tempdb = tempdb(1 << 30);
    for kind in TYPES {
        for filter in filters {
            for nulls in [NullEquality::NullEqualsNothing, NullEquality::NullEqualsNull] {
                let what = format!("{kind:?}, filter {}, {nulls:?}", filter.is_some());
                let plain = join(sides, kind, filter.clone(), nulls);
                let expected = set_of(&plain, &task(&tempdb.space(), 1 << 30)).expect("enough memory");
                let spilling = spilling_joins(plain).expect("a plan");
                let (enough, little) = (tempdb.space(), tempdb.space());
                assert!(set_of(&spilling, &task(&enough, 1 << 30)).expect(&what) == expected, "{what}, in memory");
                assert_eq!(enough.account().written_bytes(), 0);
                let again = spilling.reset_state().expect("a plan");
                assert!(set_of(&again, &task(&little, grant_bytes)).expect(&what) == expected, "{what}, spilled");
                assert!(little.account().written_bytes() > 100_000, "{what} did not spill");
                assert_nothing_left(&tempdb);
            }
        }
    }
}

#[test]
fn every_join_gives_the_same_rows_from_tempdb() {
    let (left, right) = (side(30_000, 20_000, 0), side(20_000, 25_000, 5));
    assert_same((&left, &right), 1 << 20, &[None, Some(filter())]);
}

#[test]
fn a_key_that_is_too_frequent_goes_in_blocks_or_is_held() {
    let mut left = side(24_000, 300_000, 0);
    left.iter_mut().filter(|row| row.1 % 2 == 0).for_each(|row| row.0 = Some(7));
    let right: Vec<Row> = side(3_000, 300_000, 5).into_iter().chain([(Some(7), 12_000, None)]).collect();
    assert_same((&left, &right), 1 << 20, &[None, Some(filter())]);
}

#[test]
fn empty_sides_are_joined_too() {
    let left = side(30_000, 20_000, 0);
    assert_same((&left, &[]), 1 << 20, &[None]);
}

#[test]
fn a_join_that_finds_no_room_fails_alone_and_leaves_nothing() {
    let (left, right) = (side(60_000, 20_000, 0), side(60_000, 25_000, 5));
    let plain = join((&left, &right), JoinType::Inner, None, NullEquality::NullEqualsNothing);
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
