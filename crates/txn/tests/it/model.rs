//! Random work against a model in plain maps: after every rollback each heap has exactly the rows, at exactly the
//! places, that it had before, and when the session is gone all of its space is free.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_access::{AccessError, Heap, Rid};
use millpond_storage::ask::Ask;
use millpond_storage::space::SpaceError;
use millpond_storage::tempdb::undo_log::LogError;
use millpond_storage::wal::CommitMode;
use millpond_txn::{HeapKind, ObjectUndo, SessionWork, StatementMark, TxnError};
use proptest::prelude::*;

use crate::rig::{Rig, TINY_POOL_BYTES, rows};
use millpond_access::heap;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

#[derive(Clone, Debug)]
enum Step {
    Create(bool),
    Drop(usize),
    Truncate(usize),
    Insert(usize, usize),
    Bulk(usize, usize, usize),
    Update(usize, usize, usize),
    Delete(usize, usize),
    DeleteMany(usize, usize),
    Begin,
    Commit,
    Rollback,
    Save(u8),
    RollbackTo(u8),
    StatementBegin,
    StatementEnd,
    StatementAbort,
}

fn step() -> impl Strategy<Value = Step> {
    let (heap, row) = (0usize..8, any::<usize>());
    // 8 rows of 1008 bytes fill a page to the last byte, 16 of 502 too: there undo finds no byte to spare.
    let len = prop_oneof![0usize..40, 40usize..1500, 1500usize..8060, Just(1008usize), Just(502usize)];
    prop_oneof![
        2 => any::<bool>().prop_map(Step::Create),
        1 => heap.clone().prop_map(Step::Drop),
        1 => heap.clone().prop_map(Step::Truncate),
        8 => (heap.clone(), len.clone()).prop_map(|(h, n)| Step::Insert(h, n)),
        6 => (heap.clone(), 1usize..60, len.clone()).prop_map(|(h, c, n)| Step::Bulk(h, c, n)),
        8 => (heap.clone(), row, len).prop_map(|(h, r, n)| Step::Update(h, r, n)),
        5 => (heap.clone(), row).prop_map(|(h, r)| Step::Delete(h, r)),
        3 => (heap, row).prop_map(|(h, r)| Step::DeleteMany(h, r)),
        2 => Just(Step::Begin),
        1 => Just(Step::Commit),
        2 => Just(Step::Rollback),
        2 => (0u8..3).prop_map(Step::Save),
        2 => (0u8..3).prop_map(Step::RollbackTo),
        3 => Just(Step::StatementBegin),
        2 => Just(Step::StatementEnd),
        3 => Just(Step::StatementAbort),
    ]
}

type Rows = BTreeMap<Rid, Vec<u8>>;

#[derive(Clone)]
struct ModelHeap {
    heap: Arc<Heap>,
    kind: HeapKind,
    rows: Rows,
}

/// The heaps of one kind, and what happened to them since some beginning.
#[derive(Clone, Default)]
struct Side {
    heaps: Vec<ModelHeap>,
    events: Vec<ObjectUndo>,
}

impl Side {
    /// Goes back to `then`; returns the events undone, the last one first.
    fn back_to(&mut self, then: &Side) -> Vec<ObjectUndo> {
        let undone = self.events[then.events.len()..].iter().rev().copied().collect();
        *self = then.clone();
        undone
    }
}

struct World<'a> {
    ask: Ask<'a>,
    work: SessionWork,
    tables: Side,
    variables: Side,
    transaction: Option<Side>,
    saves: Vec<(String, Side)>,
    statements: Vec<(StatementMark, Side, Side)>,
    step: u8,
    may_be_full: bool,
    refusals: u32,
}

fn is_full(cause: &TxnError) -> bool {
    matches!(
        cause,
        TxnError::Access(AccessError::Space(SpaceError::Full { .. }) | AccessError::Log(LogError::Full { .. }))
            | TxnError::Log(LogError::Full { .. })
    )
}

impl World<'_> {
    fn pick(&self, n: usize) -> Option<ModelHeap> {
        let all: Vec<_> = self.tables.heaps.iter().chain(&self.variables.heaps).collect();
        (!all.is_empty()).then(|| all[n % all.len()].clone())
    }

    fn side(&mut self, kind: HeapKind) -> &mut Side {
        if kind == HeapKind::Table { &mut self.tables } else { &mut self.variables }
    }

    fn rows_of(&mut self, of: &ModelHeap) -> &mut Rows {
        let id = of.heap.object_id();
        let heaps = &mut self.side(of.kind).heaps;
        &mut heaps.iter_mut().find(|h| h.heap.object_id() == id).expect("picked").rows
    }

    fn begin_statement(&mut self) {
        let mark = transaction::begin_statement(&mut self.work);
        self.statements.push((mark, self.tables.clone(), self.variables.clone()));
    }

    fn end_statement(&mut self) {
        if let Some((mark, ..)) = self.statements.pop() {
            transaction::end_statement(&mut self.work, &self.ask, mark).unwrap();
            self.forget_events();
        }
    }

    fn abort_statement(&mut self) {
        if let Some((mark, tables, variables)) = self.statements.pop() {
            let undone = transaction::abort_statement(&mut self.work, &self.ask, mark).unwrap();
            let mut expected = self.tables.back_to(&tables);
            expected.extend(self.variables.back_to(&variables));
            assert_eq!(undone, expected);
            self.forget_events();
            self.check();
        }
    }

    /// What is final is not undone.
    fn forget_events(&mut self) {
        if self.statements.is_empty() {
            self.variables.events.clear();
            if self.transaction.is_none() {
                self.tables.events.clear();
            }
        }
    }

    fn run(&mut self, step: &Step) {
        self.step = self.step.wrapping_add(1);
        match step {
            Step::StatementBegin if self.statements.len() < 3 => self.begin_statement(),
            Step::StatementEnd => self.end_statement(),
            Step::StatementAbort => self.abort_statement(),
            // The transaction's own statements stand outside of others, as in T-SQL.
            Step::Begin | Step::Commit | Step::Rollback | Step::Save(_) | Step::RollbackTo(_)
                if self.statements.is_empty() =>
            {
                self.run_transaction(step);
            }
            Step::StatementBegin
            | Step::Begin
            | Step::Commit
            | Step::Rollback
            | Step::Save(_)
            | Step::RollbackTo(_) => {}
            _ if self.statements.is_empty() => {
                self.begin_statement();
                self.run_or_abort(step);
                self.end_statement();
            }
            _ => self.run_or_abort(step),
        }
    }

    /// A change that finds no space aborts its statement.
    fn run_or_abort(&mut self, step: &Step) {
        if let Err(cause) = self.run_change(step) {
            assert!(self.may_be_full && is_full(&cause), "{cause}");
            self.refusals += 1;
            self.abort_statement();
        }
    }

    fn run_transaction(&mut self, step: &Step) {
        match step {
            Step::Begin => {
                transaction::begin(&mut self.work);
                self.transaction.get_or_insert_with(|| self.tables.clone());
            }
            Step::Commit if self.transaction.take().is_some() => {
                transaction::commit(&mut self.work, &self.ask, CommitMode::Durable).unwrap();
                (self.tables.events, self.saves) = (Vec::new(), Vec::new());
            }
            Step::Rollback => {
                if let Some(then) = self.transaction.take() {
                    let undone = transaction::rollback(&mut self.work, &self.ask).unwrap();
                    assert_eq!(undone, self.tables.back_to(&then));
                    self.saves.clear();
                    self.check();
                }
            }
            Step::Save(name) if self.transaction.is_some() => {
                transaction::save(&mut self.work, &name.to_string());
                self.saves.push((name.to_string(), self.tables.clone()));
            }
            Step::RollbackTo(name) => {
                if let Some(at) = self.saves.iter().rposition(|(other, _)| *other == name.to_string()) {
                    let undone = transaction::rollback_to(&mut self.work, &self.ask, &name.to_string()).unwrap();
                    self.saves.truncate(at + 1);
                    let then = self.saves[at].1.clone();
                    assert_eq!(undone, self.tables.back_to(&then));
                    self.check();
                }
            }
            _ => {}
        }
    }

    fn run_change(&mut self, step: &Step) -> Result<(), TxnError> {
        match *step {
            Step::Create(table) => {
                let kind = if table { HeapKind::Table } else { HeapKind::Variable };
                let heap = heaps::create_heap(&mut self.work, &self.ask, kind)?;
                self.side(kind).events.push(ObjectUndo::Created(heap.object_id()));
                self.side(kind).heaps.push(ModelHeap { heap, kind, rows: Rows::new() });
                Ok(())
            }
            Step::Drop(n) => self.run_drop(n),
            Step::Truncate(n) => {
                let Some(h) = self.pick(n) else { return Ok(()) };
                heaps::truncate_heap(&mut self.work, &self.ask, &h.heap)?;
                self.rows_of(&h).clear();
                self.side(h.kind).events.push(ObjectUndo::Truncated(h.heap.object_id()));
                Ok(())
            }
            Step::Insert(n, len) => {
                let Some(h) = self.pick(n) else { return Ok(()) };
                let row = vec![self.step; len];
                let rid = heap_rows::insert(&mut self.work, &self.ask, &h.heap, len, |to| to.copy_from_slice(&row))?;
                assert_eq!(self.rows_of(&h).insert(rid, row), None);
                Ok(())
            }
            Step::Bulk(n, count, len) => self.run_bulk(n, count, len),
            _ => self.run_row(step),
        }
    }

    fn run_drop(&mut self, n: usize) -> Result<(), TxnError> {
        let Some(h) = self.pick(n) else { return Ok(()) };
        heaps::drop_heap(&mut self.work, &self.ask, &h.heap)?;
        let (id, side) = (h.heap.object_id(), self.side(h.kind));
        side.heaps.retain(|other| other.heap.object_id() != id);
        side.events.push(ObjectUndo::Dropped(id));
        Ok(())
    }

    fn run_bulk(&mut self, n: usize, count: usize, len: usize) -> Result<(), TxnError> {
        let Some(h) = self.pick(n) else { return Ok(()) };
        let fill = self.step;
        let mut bulk = heap_rows::bulk_insert(&mut self.work, &self.ask, &h.heap)?;
        let rids = (0..count).map(|_| bulk.append(len, |to| to.fill(fill))).collect::<Result<Vec<_>, _>>()?;
        assert_eq!(bulk.finish()?, count as u64);
        for rid in rids {
            assert_eq!(self.rows_of(&h).insert(rid, vec![fill; len]), None);
        }
        Ok(())
    }

    fn run_row(&mut self, step: &Step) -> Result<(), TxnError> {
        let (Step::Update(n, row, _) | Step::Delete(n, row) | Step::DeleteMany(n, row)) = *step else {
            return Ok(());
        };
        let Some(h) = self.pick(n) else { return Ok(()) };
        let Some(at) = row.checked_rem(h.rows.len()) else {
            return Ok(());
        };
        let rid = *h.rows.keys().nth(at).expect("below the count");
        match *step {
            Step::Update(_, _, len) => {
                let row = vec![self.step; len];
                heap_rows::update(&mut self.work, &self.ask, &h.heap, rid, &row)?;
                self.rows_of(&h).insert(rid, row);
            }
            Step::Delete(..) => {
                heap_rows::delete(&mut self.work, &self.ask, &h.heap, rid)?;
                self.rows_of(&h).remove(&rid);
                assert!(heap_rows::delete(&mut self.work, &self.ask, &h.heap, rid).is_err());
            }
            _ => {
                for rid in h.rows.keys().skip(at).step_by(2) {
                    heap_rows::delete(&mut self.work, &self.ask, &h.heap, *rid)?;
                    self.rows_of(&h).remove(rid);
                }
            }
        }
        Ok(())
    }

    fn check(&self) {
        for h in self.tables.heaps.iter().chain(&self.variables.heaps) {
            let found: Rows = rows(&self.ask, &h.heap).unwrap().into_iter().collect();
            assert!(found == h.rows, "object {}: {} rows, model {}", h.heap.object_id(), found.len(), h.rows.len());
            assert_eq!(h.heap.row_count(), h.rows.len() as u64);
            if let Some((rid, row)) = h.rows.iter().next_back() {
                let mut fetched = Vec::new();
                heap::scan::fetch(&h.heap, &self.ask, *rid, &mut fetched).unwrap();
                assert_eq!(&fetched, row);
            }
            let used: u64 = h.heap.extents().iter().map(|e| u64::from(e.pages_used)).sum();
            assert_eq!(used, h.heap.page_count());
        }
    }
}

/// Runs the steps; returns how often space was refused.
fn run(rig: &Rig, steps: &[Step], may_be_full: bool) -> u32 {
    let before = rig.allocated();
    let mut world = World {
        ask: rig.ask(),
        work: rig.session(),
        tables: Side::default(),
        variables: Side::default(),
        transaction: None,
        saves: Vec::new(),
        statements: Vec::new(),
        step: 0,
        may_be_full,
        refusals: 0,
    };
    for step in steps {
        world.run(step);
    }
    world.check();
    let refusals = world.refusals;
    drop(world);
    assert_eq!(rig.allocated(), before);
    assert_eq!(rig.manager.failed_frees(), 0);
    assert_eq!(rig.manager.instance().undo_log().report().used_bytes, 0);
    refusals
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Over a pool that holds a fraction of the pages.
    #[test]
    fn work_and_its_undo_are_exact(steps in prop::collection::vec(step(), 1..250)) {
        run(&Rig::new(Some(TINY_POOL_BYTES)), &steps, false);
    }

    /// In a tempdb that is full again and again.
    #[test]
    fn work_that_finds_no_space_leaves_nothing(steps in prop::collection::vec(step(), 1..250)) {
        run(&Rig::with_limits(256, 1024), &steps, true);
    }
}

/// The property above does meet full files: a long run of bulk loads is refused, and more than once.
#[test]
fn small_files_do_get_full() {
    let bulk = |n: usize| [Step::Create(n.is_multiple_of(2)), Step::Bulk(n, 59, 8000)];
    let steps: Vec<_> = (0..12).flat_map(bulk).collect();
    assert!(run(&Rig::with_limits(256, 1024), &steps, true) > 2);
}
