//! One session's changes of a durable tree and a temporary one, against maps: statements that fail, savepoints,
//! rollbacks and commits leave both as the maps are.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::ObjectId;
use millpond_access::tree::{Direction, Entry, KeyRange, Tree};
use millpond_storage::ask::Ask;
use millpond_storage::wal::CommitMode;
use millpond_txn::{HeapKind, ReadHint, SessionWork, TxnError};
use proptest::prelude::*;

use crate::table::{Table, key};
use millpond_access::tree;
use millpond_txn::cleaner;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::tree_runs;
use millpond_txn::trees;

#[derive(Clone, Debug)]
enum Change {
    Insert(bool, u32, usize),
    /// Rows from this one on, each so many after the one before.
    InsertMany(bool, u32, u32, usize),
    Update(bool, u32, usize),
    Delete(bool, u32),
}

#[derive(Clone, Debug)]
enum Step {
    /// A statement: its changes, and whether it fails after them.
    Statement(Vec<Change>, bool),
    Begin,
    Commit,
    Rollback,
    Save(u8),
    RollbackTo(u8),
}

fn change() -> impl Strategy<Value = Change> {
    let (row, len) = (0u32..60, prop_oneof![4 => 0usize..300, 1 => 3000usize..7000]);
    prop_oneof![
        3 => (any::<bool>(), row.clone(), len.clone()).prop_map(|(durable, row, len)| Change::Insert(durable, row, len)),
        1 => (any::<bool>(), row.clone(), 1u32..4, 0usize..1500)
            .prop_map(|(durable, row, step, len)| Change::InsertMany(durable, row, step, len)),
        2 => (any::<bool>(), row.clone(), len).prop_map(|(durable, row, len)| Change::Update(durable, row, len)),
        2 => (any::<bool>(), row).prop_map(|(durable, row)| Change::Delete(durable, row)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (prop::collection::vec(change(), 1..8), prop::bool::weighted(0.3)).prop_map(|(c, f)| Step::Statement(c, f)),
        2 => Just(Step::Begin),
        1 => Just(Step::Commit),
        1 => Just(Step::Rollback),
        1 => (0u8..3).prop_map(Step::Save),
        1 => (0u8..3).prop_map(Step::RollbackTo),
    ]
}

/// Durable rows, temporary rows.
type Rows = [BTreeMap<Vec<u8>, Vec<u8>>; 2];

fn apply(work: &mut SessionWork, ask: &Ask<'_>, trees: [&Arc<Tree>; 2], rows: &mut Rows, change: &Change, fill: u8) {
    let (at, row) = match change {
        Change::Insert(durable, row, _)
        | Change::InsertMany(durable, row, ..)
        | Change::Update(durable, row, _)
        | Change::Delete(durable, row) => (usize::from(!durable), key(*row).to_vec()),
    };
    let (tree, rows) = (trees[at], &mut rows[at]);
    let had = rows.contains_key(&row);
    match change {
        Change::Insert(_, _, len) => match tree_rows::insert(work, ask, tree, &row, &vec![fill; *len]) {
            Ok(()) => assert!(rows.insert(row, vec![fill; *len]).is_none()),
            Err(TxnError::Duplicate) => assert!(had),
            Err(other) => panic!("{other:?}"),
        },
        Change::InsertMany(_, first, step, len) => {
            let keys: Vec<Vec<u8>> = (0..20).map(|number| key(first + number * step).to_vec()).collect();
            let payload = vec![fill; *len];
            let new: Vec<Entry<'_>> = keys.iter().map(|key| Entry { key, payload: &payload }).collect();
            let added = tree_runs::insert_rows(work, ask, tree, &new).expect("there is room");
            let expected = keys.iter().position(|key| rows.contains_key(key)).unwrap_or(keys.len());
            assert_eq!(added, expected);
            rows.extend(keys.into_iter().take(added).map(|key| (key, payload.clone())));
        }
        Change::Update(_, _, len) => match tree_rows::update(work, ask, tree, &row, &vec![fill; *len]) {
            Ok(()) => assert!(rows.insert(row, vec![fill; *len]).is_some()),
            Err(TxnError::NoSuchRow) => assert!(!had),
            Err(other) => panic!("{other:?}"),
        },
        Change::Delete(..) => match tree_rows::delete(work, ask, tree, &row) {
            Ok(()) => assert!(rows.remove(&row).is_some()),
            Err(TxnError::NoSuchRow) => assert!(!had),
            Err(other) => panic!("{other:?}"),
        },
    }
}

fn read(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, direction: Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    let mut scan = read::scan::open(&work.reader(), tree, KeyRange::all(), direction, ReadHint::default());
    while scan
        .next_page(ask, &mut |key, payload| {
            rows.push((key.to_vec(), payload.to_vec()));
            ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    if direction == Direction::Backward {
        rows.reverse();
    }
    rows
}

struct Session<'a> {
    work: SessionWork,
    ask: Ask<'a>,
    trees: [Arc<Tree>; 2],
    rows: Rows,
    /// The rows when the transaction began, and its savepoints.
    before: Option<Rows>,
    saves: Vec<(u8, Rows)>,
}

impl Session<'_> {
    fn step(&mut self, step: &Step, fill: u8) {
        let ask = self.ask;
        match step {
            Step::Statement(changes, fails) => {
                let kept = self.rows.clone();
                let mark = transaction::begin_statement(&mut self.work);
                for change in changes {
                    let trees = [&self.trees[0], &self.trees[1]];
                    apply(&mut self.work, &ask, trees, &mut self.rows, change, fill);
                }
                if *fails {
                    transaction::abort_statement(&mut self.work, &ask, mark).expect("undo works");
                    self.rows = kept;
                } else {
                    transaction::end_statement(&mut self.work, &ask, mark).expect("kept");
                }
            }
            Step::Begin => {
                transaction::begin(&mut self.work);
                self.before.get_or_insert_with(|| self.rows.clone());
            }
            Step::Commit if self.before.take().is_some() => {
                self.saves.clear();
                transaction::commit(&mut self.work, &ask, CommitMode::Durable).expect("a transaction is open");
            }
            Step::Rollback => {
                if let Some(before) = self.before.take() {
                    self.rows = before;
                    self.saves.clear();
                    transaction::rollback(&mut self.work, &ask).expect("undo works");
                }
            }
            Step::Save(name) if self.before.is_some() => {
                transaction::save(&mut self.work, &name.to_string());
                self.saves.push((*name, self.rows.clone()));
            }
            Step::RollbackTo(name) if self.before.is_some() => {
                let found = self.saves.iter().rposition(|(other, _)| other == name);
                let done = transaction::rollback_to(&mut self.work, &ask, &name.to_string());
                match found {
                    Some(at) => {
                        self.saves.truncate(at + 1);
                        self.rows = self.saves[at].1.clone();
                        done.expect("undo works");
                    }
                    None => assert!(matches!(done, Err(TxnError::NoSuchSavepoint(_)))),
                }
            }
            _ => {}
        }
    }

    fn check(&mut self) {
        for (tree, rows) in self.trees.clone().iter().zip(self.rows.clone()) {
            let expected: Vec<_> = rows.into_iter().collect();
            for direction in [Direction::Forward, Direction::Backward] {
                assert_eq!(read(&mut self.work, &self.ask, tree, direction), expected);
            }
            for (key, payload) in &expected {
                let mut out = Vec::new();
                assert!(
                    read::row::get(&self.work.reader(), &self.ask, tree, key, ReadHint::default(), &mut out)
                        .expect("readable")
                );
                assert_eq!(&out, payload);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn trees_are_what_the_kept_statements_made_them(steps in prop::collection::vec(step(), 1..40)) {
        let table = Table::both();
        let ask = table.rig.ask();
        let mut work = table.rig.session();
        let mark = transaction::begin_statement(&mut work);
        let temporary = trees::create_temp_tree(&mut work, &ask, HeapKind::Table, ObjectId(1 << 31 | 7), 1).expect("room");
        transaction::end_statement(&mut work, &ask, mark).expect("kept");
        let mut first = BTreeMap::new();
        first.insert(key(1).to_vec(), 10i64.to_le_bytes().to_vec());
        first.insert(key(2).to_vec(), 20i64.to_le_bytes().to_vec());
        let trees = [Arc::clone(&table.tree), temporary];
        let rows = [first, BTreeMap::new()];
        let mut session = Session { work, ask, trees, rows, before: None, saves: Vec::new() };
        for (at, step) in steps.iter().enumerate() {
            session.step(step, at as u8);
            session.check();
        }
        if session.before.is_some() {
            session.step(&Step::Rollback, 0);
        }
        // No session reads: ghosts and versions go, and the trees are whole.
        cleaner::clean(&table.rig.manager, &ask);
        cleaner::clean(&table.rig.manager, &ask);
        session.check();
        for tree in &session.trees {
            let report = tree::check::check_tree(tree, &ask).expect("readable");
            assert!(report.problems.is_empty(), "{:?}", report.problems);
        }
        drop(session);
        prop_assert_eq!(table.rig.manager.locks().report(), []);
    }
}
