//! A session that does everything a session can do, keeps count of what is committed, and notes when.
//!
//! What always holds: it changes only keys of its own, so that what is there of it after a cut is one of its own states,
//! whatever the others did. Its rows lie between those of the others, on the same pages.

use std::sync::Arc;

use millpond_access::lob::{LobPtr, Owned};
use millpond_access::tree::{Entry, Tree, TreeIds};
use millpond_device::Tape;
use millpond_device::chance::Dice;
use millpond_storage::ask::Ask;
use millpond_storage::wal::CommitMode;
use millpond_txn::lock::LockMode;
use millpond_txn::{SessionWork, TxnError};

use super::dice;
use super::state::{History, POINTER_BYTES, Row, Rows, State};
use super::world::{Asker, DB, SESSIONS, Table, World};
use millpond_txn::cleaner;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::tree_runs;
use millpond_txn::trees;

/// Keys that a session has in each table; those of rows that its own table is filled with after others come on top.
const KEYS: u64 = 60;
/// Numbers of keys that a session which goes on from a state leaves out: there may be ghosts after its rows.
const SKIPPED: u64 = 10_000;

/// A savepoint: what was so then.
struct Savepoint {
    state: State,
    own: Option<Table>,
    new_values: usize,
    old_values: usize,
}

/// What is undone by going back.
type Moment = Savepoint;

/// A session at work.
pub struct Actor<'w> {
    world: &'w World,
    number: u32,
    asker: Arc<Asker>,
    work: SessionWork,
    dice: Dice,
    state: State,
    own: Option<Table>,
    /// Large values written by the open transaction, and those that its commit makes useless.
    new_values: Vec<Owned>,
    old_values: Vec<Owned>,
    savepoints: Vec<Savepoint>,
    /// Before the transaction.
    start: Option<Moment>,
    next_hobt: u64,
    /// Number of a key after all that its own table ever had.
    next_behind: u64,
    /// Steps for which it leaves its transaction alone: the others need the log to grow then, and checkpoints find it open.
    idle: u32,
    pub history: History,
    tape: Option<Arc<Tape>>,
    pub counts: Counts,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub commits: u64,
    pub delayed: u64,
    pub rollbacks: u64,
    pub to_savepoint: u64,
    pub aborts: u64,
    pub rows: u64,
    pub large: u64,
    pub edits: u64,
    pub tables: u64,
    pub filled: u64,
    pub behind: u64,
    pub checkpoints: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.commits += other.commits;
        self.delayed += other.delayed;
        self.rollbacks += other.rollbacks;
        self.to_savepoint += other.to_savepoint;
        self.aborts += other.aborts;
        self.rows += other.rows;
        self.large += other.large;
        self.edits += other.edits;
        self.tables += other.tables;
        self.filled += other.filled;
        self.behind += other.behind;
        self.checkpoints += other.checkpoints;
    }
}

/// The key of that number among those of a session.
fn key_of(session: u32, number: u64) -> u32 {
    (number * u64::from(SESSIONS)) as u32 + session
}

impl<'w> Actor<'w> {
    /// A session that has nothing yet, or goes on from `state`.
    pub fn new(
        world: &'w World,
        number: u32,
        seed: u64,
        (state, own): (State, Option<Table>),
        tape: Option<Arc<Tape>>,
    ) -> Actor<'w> {
        let asker = Arc::new(Asker::new(60 + number as u16));
        let mut history = History::new(tape.as_ref().map_or(0, |tape| tape.position()));
        let last = state.own.as_ref().and_then(|rows| rows.keys().next_back());
        let next_behind = last.map_or(0, |last| u64::from(last / SESSIONS) + SKIPPED).max(KEYS);
        if state != State::default() {
            history.begin_commit(0, &state);
            history.acknowledge(0);
        }
        Actor {
            world,
            number,
            work: world.session(&asker, 60 + number as u16),
            asker,
            dice: dice(seed ^ u64::from(number) << 40),
            state,
            own,
            new_values: Vec::new(),
            old_values: Vec::new(),
            savepoints: Vec::new(),
            start: None,
            next_hobt: seed << 20 | u64::from(number + 1) << 16,
            next_behind,
            idle: 0,
            history,
            tape,
            counts: Counts::default(),
        }
    }

    /// What it knows to be committed.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn position(&self) -> usize {
        self.tape.as_ref().map_or(0, |tape| tape.position())
    }

    fn moment(&self) -> Moment {
        Savepoint {
            state: self.state.clone(),
            own: self.own.clone(),
            new_values: self.new_values.len(),
            old_values: self.old_values.len(),
        }
    }

    fn go_back(&mut self, ask: &Ask<'_>, moment: Moment) {
        for value in self.new_values.drain(moment.new_values..) {
            self.world.large.free_owned(ask, &value).expect("a value that no row has");
        }
        self.old_values.truncate(moment.old_values);
        self.state = moment.state;
        self.own = moment.own;
    }

    /// The next thing.
    pub fn step(&mut self) {
        if self.idle > 0 {
            self.idle -= 1;
            return;
        }
        let asker = Arc::clone(&self.asker);
        let ask = &asker.ask();
        if self.start.is_none() && self.dice.chance(75) {
            self.start = Some(self.moment());
            transaction::begin(&mut self.work);
            return;
        }
        if self.start.is_none() {
            return self.statement(ask);
        }
        match self.dice.below(100) {
            0..61 => self.statement(ask),
            61 => self.idle = self.dice.below(200) as u32,
            62..70 => {
                transaction::save(&mut self.work, &format!("s{}", self.savepoints.len()));
                self.savepoints.push(self.moment());
            }
            70..76 => self.back_to_savepoint(ask),
            76..83 => self.roll_back(ask),
            _ => self.commit(ask),
        }
    }

    /// Ends what is open.
    pub fn finish(&mut self) {
        let asker = Arc::clone(&self.asker);
        if self.start.is_some() {
            self.commit(&asker.ask());
        }
    }

    /// Takes a checkpoint, and lets the cleaner run.
    pub fn checkpoint(&mut self) {
        let ask = &self.asker.ask();
        cleaner::clean(&self.world.manager, ask);
        self.world.manager.instance().checkpoint(ask, DB).expect("it can be taken");
        self.counts.checkpoints += 1;
    }

    fn back_to_savepoint(&mut self, ask: &Ask<'_>) {
        if self.savepoints.is_empty() {
            return;
        }
        let at = self.dice.below(self.savepoints.len() as u64) as usize;
        transaction::rollback_to(&mut self.work, ask, &format!("s{at}")).expect("undo works");
        let moment = self.savepoints.drain(at..).next().expect("it is there");
        self.go_back(ask, moment);
        // The savepoint stays.
        self.savepoints.push(self.moment());
        self.counts.to_savepoint += 1;
    }

    fn roll_back(&mut self, ask: &Ask<'_>) {
        transaction::rollback(&mut self.work, ask).expect("undo works");
        let moment = self.start.take().expect("a transaction is open");
        self.go_back(ask, moment);
        self.savepoints.clear();
        self.counts.rollbacks += 1;
    }

    fn commit(&mut self, ask: &Ask<'_>) {
        let mode = self.mode();
        self.history.begin_commit(self.position(), &self.state);
        transaction::commit(&mut self.work, ask, mode).expect("the log takes it");
        self.start = None;
        self.savepoints.clear();
        self.committed(ask, mode);
    }

    fn mode(&mut self) -> CommitMode {
        if self.dice.chance(15) { CommitMode::Delayed } else { CommitMode::Durable }
    }

    fn committed(&mut self, ask: &Ask<'_>, mode: CommitMode) {
        if mode == CommitMode::Durable {
            self.history.acknowledge(self.position());
        } else {
            self.counts.delayed += 1;
        }
        self.new_values.clear();
        for value in std::mem::take(&mut self.old_values) {
            self.world.large.free_owned(ask, &value).expect("a value that no row has");
        }
        self.counts.commits += 1;
    }

    /// One statement: kept, or aborted in the end.
    fn statement(&mut self, ask: &Ask<'_>) {
        let before = self.moment();
        let (is_alone, mode) = (self.start.is_none(), self.mode());
        self.work.set_commit_mode(mode);
        let mark = transaction::begin_statement(&mut self.work);
        self.changes(ask).expect("no lock is in the way");
        if self.dice.chance(8) {
            transaction::abort_statement(&mut self.work, ask, mark).expect("undo works");
            self.go_back(ask, before);
            self.counts.aborts += 1;
            return;
        }
        if is_alone {
            self.history.begin_commit(self.position(), &self.state);
        }
        transaction::end_statement(&mut self.work, ask, mark).expect("the log takes it");
        if is_alone {
            self.committed(ask, mode);
        }
    }

    fn changes(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        if self.dice.chance(6) {
            return self.change_table(ask);
        }
        if self.dice.chance(8) {
            let is_own = self.own.is_some() && self.dice.chance(50);
            return self.add_run(ask, is_own);
        }
        for _ in 0..=self.dice.below(6) {
            let is_own = self.own.is_some() && self.dice.chance(50);
            self.change_row(ask, is_own)?;
        }
        Ok(())
    }

    /// CREATE, DROP, TRUNCATE of its own table.
    fn change_table(&mut self, ask: &Ask<'_>) -> Result<(), TxnError> {
        let key = self.number.to_be_bytes();
        let catalog = Arc::clone(&self.world.catalog);
        self.counts.tables += 1;
        let Some(old) = self.own.clone() else {
            let [clustered, index] = [1, 2].map(|index_id| self.new_ids(index_id));
            let made = Table {
                clustered: trees::create_tree(&mut self.work, ask, &self.world.ctx, clustered)?.0,
                index: trees::create_tree(&mut self.work, ask, &self.world.ctx, index)?.0,
            };
            tree_rows::insert(&mut self.work, ask, &catalog, &key, &made.entry())?;
            let rows = if self.dice.chance(60) { self.fill(ask, &made)? } else { Rows::new() };
            (self.own, self.state.own) = (Some(made), Some(rows));
            return Ok(());
        };
        self.forget_values(ask, &old);
        for tree in [&old.clustered, &old.index] {
            self.work.lock_object(ask, tree.ctx().handle.db, tree.ids().object_id, LockMode::SchM)?;
        }
        if self.dice.chance(50) {
            tree_rows::delete(&mut self.work, ask, &catalog, &key)?;
            trees::drop_tree(&mut self.work, ask, &old.clustered)?;
            trees::drop_tree(&mut self.work, ask, &old.index)?;
            (self.own, self.state.own) = (None, None);
            return Ok(());
        }
        let [clustered, index] = [1, 2].map(|index_id| self.new_ids(index_id));
        let new = Table {
            clustered: trees::truncate_tree(&mut self.work, ask, &old.clustered, clustered)?.0,
            index: trees::truncate_tree(&mut self.work, ask, &old.index, index)?.0,
        };
        tree_rows::update(&mut self.work, ask, &catalog, &key, &new.entry())?;
        (self.own, self.state.own) = (Some(new), Some(Rows::new()));
        Ok(())
    }

    /// Rows of an empty table, their pages without the log.
    fn fill(&mut self, ask: &Ask<'_>, table: &Table) -> Result<Rows, TxnError> {
        let mut rows = Rows::new();
        for number in 0..self.dice.below(KEYS) {
            let row = Row { large: 0, ..self.new_row() };
            rows.insert(key_of(self.number, number), row);
        }
        let empty = LobPtr::EMPTY.to_bytes();
        let mut entries: Vec<_> =
            rows.iter().map(|(key, row)| (key.to_be_bytes().to_vec(), row.payload(empty))).collect();
        let mut marks: Vec<_> = rows.iter().map(|(key, row)| (row.index_key(*key).to_vec(), Vec::new())).collect();
        for (tree, entries) in [(&table.clustered, &mut entries), (&table.index, &mut marks)] {
            entries.sort();
            self.work.lock_object(ask, tree.ctx().handle.db, tree.ids().object_id, LockMode::X)?;
            let fill = trees::begin_tree_fill(&mut self.work, ask, tree, self.dice.below(3))?;
            // Two threads' work by one: the second half first.
            let (first, second) = entries.split_at(entries.len() / 2);
            for run in [second, first] {
                let mut part = fill.part();
                for (key, payload) in run {
                    part.add(ask, key, payload)?;
                }
                part.end_run(ask)?;
            }
            assert_eq!(trees::end_tree_fill(&mut self.work, ask, tree, &fill)?, rows.len() as u64);
        }
        self.counts.filled += rows.len() as u64;
        Ok(rows)
    }

    /// Rows after those of its own table, their pages without the log.
    fn fill_behind(&mut self, ask: &Ask<'_>, table: &Table) -> Result<(), TxnError> {
        let mut runs = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let count = self.dice.below(KEYS);
            let first = self.next_behind;
            self.next_behind += count + self.dice.below(3);
            let rows: Rows = (first..first + count)
                .map(|number| (key_of(self.number, number), Row { large: 0, ..self.new_row() }))
                .collect();
            runs.push(rows);
        }
        let empty = LobPtr::EMPTY.to_bytes();
        self.work.lock_object(ask, table.clustered.ctx().handle.db, table.clustered.ids().object_id, LockMode::X)?;
        let fill = trees::begin_tree_fill(&mut self.work, ask, &table.clustered, self.dice.below(3))?;
        for rows in runs.iter().rev() {
            let mut part = fill.part();
            rows.iter().try_for_each(|(key, row)| part.add(ask, &key.to_be_bytes(), &row.payload(empty)))?;
            part.end_run(ask)?;
        }
        let new: Rows = runs.into_iter().flatten().collect();
        assert_eq!(trees::end_tree_fill(&mut self.work, ask, &table.clustered, &fill)?, new.len() as u64);
        let mut marks: Vec<_> = new.iter().map(|(key, row)| row.index_key(*key)).collect();
        marks.sort_unstable();
        let marks: Vec<_> = marks.iter().map(|key| Entry { key, payload: &[] }).collect();
        assert_eq!(tree_runs::insert_rows(&mut self.work, ask, &table.index, &marks)?, marks.len(), "the keys are new");
        self.counts.behind += new.len() as u64;
        self.rows(true).extend(new);
        Ok(())
    }

    fn new_ids(&mut self, index_id: u16) -> TreeIds {
        self.next_hobt += 1;
        TreeIds { hobt: self.next_hobt, object_id: 10 + self.number, index_id }
    }

    /// The large values of a table go with it.
    fn forget_values(&mut self, ask: &Ask<'_>, table: &Table) {
        for (key, row) in self.state.own.clone().expect("there is a table") {
            if row.large > 0 {
                let pointer = self.read(ask, &table.clustered, key, &row);
                self.forget_value(pointer);
            }
        }
    }

    fn forget_value(&mut self, pointer: [u8; POINTER_BYTES]) {
        if let Some(pointer) = LobPtr::from_bytes(pointer).filter(|pointer| pointer.len > 0) {
            self.old_values.push(pointer.into());
        }
    }

    /// The pointer of a row, which is as the model says.
    fn read(&mut self, ask: &Ask<'_>, tree: &Arc<Tree>, key: u32, expected: &Row) -> [u8; POINTER_BYTES] {
        let mut payload = Vec::new();
        let found = tree_rows::lock_for_update(&mut self.work, ask, tree, &key.to_be_bytes(), &mut payload)
            .expect("it is free");
        assert!(found, "session {} has row {key} in tree {}", self.number, tree.ids().hobt);
        let (row, pointer) = Row::parse(&payload).expect("a row");
        assert_eq!(row, *expected, "session {}, row {key}", self.number);
        pointer
    }

    fn change_row(&mut self, ask: &Ask<'_>, is_own: bool) -> Result<(), TxnError> {
        let mut key = key_of(self.number, self.dice.below(KEYS));
        if is_own && self.dice.chance(30) {
            let rows = self.rows(true).len() as u64;
            let at = self.dice.below(rows.max(1)) as usize;
            key = self.rows(true).keys().nth(at).copied().unwrap_or(key);
        }
        let table = if is_own { self.own.clone().expect("asked above") } else { self.world.shared.clone() };
        let old = self.rows(is_own).get(&key).copied();
        let key_bytes = key.to_be_bytes();
        self.counts.rows += 1;
        if let Some(old) = old {
            let pointer = self.read(ask, &table.clustered, key, &old);
            if let Some(value) = LobPtr::from_bytes(pointer).filter(|_| old.edits < 100 && self.dice.chance(60))
                && value.len > 0
            {
                return self.edit_value(ask, is_own, &table, (key, old), value);
            }
            self.forget_value(pointer);
            tree_rows::delete(&mut self.work, ask, &table.index, &old.index_key(key))?;
            if self.dice.chance(35) {
                tree_rows::delete(&mut self.work, ask, &table.clustered, &key_bytes)?;
                self.rows(is_own).remove(&key);
                return Ok(());
            }
        }
        let row = self.new_row();
        let payload = row.payload(self.large_value(ask, &row)?);
        match old {
            Some(_) => tree_rows::update(&mut self.work, ask, &table.clustered, &key_bytes, &payload)?,
            None => tree_rows::insert(&mut self.work, ask, &table.clustered, &key_bytes, &payload)?,
        }
        tree_rows::insert(&mut self.work, ask, &table.index, &row.index_key(key), &[])?;
        self.rows(is_own).insert(key, row);
        Ok(())
    }

    /// Changes a part of a row's large value.
    fn edit_value(
        &mut self,
        ask: &Ask<'_>,
        is_own: bool,
        table: &Table,
        (key, old): (u32, Row),
        value: LobPtr,
    ) -> Result<(), TxnError> {
        let edit = old.edit(old.edits, value.len as usize);
        let part = edit.range.start as u64..edit.range.end as u64;
        let changed = self.world.large.change(ask, value, part, &edit.bytes)?;
        self.new_values.push(Owned::Pages(changed.made));
        self.old_values.push(Owned::Pages(changed.left));
        let row = Row { edits: old.edits + 1, ..old };
        let payload = row.payload(changed.pointer.to_bytes());
        tree_rows::update(&mut self.work, ask, &table.clustered, &key.to_be_bytes(), &payload)?;
        self.rows(is_own).insert(key, row);
        self.counts.edits += 1;
        Ok(())
    }

    /// Many new rows, added in runs.
    fn add_run(&mut self, ask: &Ask<'_>, is_own: bool) -> Result<(), TxnError> {
        let table = if is_own { self.own.clone().expect("asked above") } else { self.world.shared.clone() };
        if is_own && table.clustered.is_bare(ask)? && table.index.is_bare(ask)? {
            let rows = self.fill(ask, &table)?;
            self.rows(is_own).extend(rows);
            return Ok(());
        }
        if is_own && self.dice.chance(60) {
            return self.fill_behind(ask, &table);
        }
        let first = self.dice.below(KEYS);
        let mut new = Vec::new();
        for number in first..KEYS.min(first + 60) {
            let key = key_of(self.number, number);
            let row = Row { large: 0, ..self.new_row() };
            if !self.rows(is_own).contains_key(&key) {
                new.push((key, row));
            }
        }
        let empty = LobPtr::EMPTY.to_bytes();
        let mut rows: Vec<_> = new.iter().map(|(key, row)| (key.to_be_bytes().to_vec(), row.payload(empty))).collect();
        let mut marks: Vec<_> = new.iter().map(|(key, row)| (row.index_key(*key).to_vec(), Vec::new())).collect();
        for (tree, entries) in [(&table.clustered, &mut rows), (&table.index, &mut marks)] {
            entries.sort();
            let entries: Vec<_> = entries.iter().map(|(key, payload)| Entry { key, payload }).collect();
            assert_eq!(tree_runs::insert_rows(&mut self.work, ask, tree, &entries)?, entries.len(), "the keys are new");
        }
        self.counts.rows += new.len() as u64;
        self.rows(is_own).extend(new);
        Ok(())
    }

    fn rows(&mut self, is_own: bool) -> &mut Rows {
        if is_own { self.state.own.as_mut().expect("there is a table") } else { &mut self.state.shared }
    }

    /// Most rows are short, some fill a page.
    fn new_row(&mut self) -> Row {
        let fill = match self.dice.below(20) {
            0 => self.dice.below(7000),
            1..6 => self.dice.below(900),
            _ => self.dice.below(60),
        };
        let large = if self.dice.chance(4) { 1 + self.dice.below(60_000) as u32 } else { 0 };
        Row { stamp: self.dice.roll(), fill: fill as u16, large, edits: 0 }
    }

    fn large_value(&mut self, ask: &Ask<'_>, row: &Row) -> Result<[u8; POINTER_BYTES], TxnError> {
        if row.large == 0 {
            return Ok(LobPtr::EMPTY.to_bytes());
        }
        let value = self.world.large.write(ask, &row.large_value(), &mut |_, mtr| {
            let _ = mtr.commit();
        })?;
        self.new_values.push(value.into());
        self.counts.large += 1;
        Ok(value.to_bytes())
    }
}
