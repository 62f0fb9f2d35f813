//! The rows of indexed views, kept by the statements that change the tables below them.
//!
//! ```text
//!   rows that came, rows that went ─▶ the view's query over these and the other tables ─▶ rows of the view, or sums of groups
//!                                                                                              │
//!   the view's rows, each locked and read as it is now ◀──────────── added, taken away ────────┘
//! ```
//! What always holds:
//! - V1: a table's changes reach its views before another table changes in the same statement: the other tables are read as
//!   they were for these rows, and know nothing of changes that come later.
//! - V2: other tables are read by locks, whatever the session's level and the database's versions are. Of two sessions that change
//!   rows which belong together, each has its own row locked before it reads, so that one of them sees the other's.
//! - V3: a row of the view is locked before it is read and to the end of the transaction, so that no other session's change of
//!   it is lost; what is undone takes the view's rows back with the tables'.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_bind::definition::indexed_view::{GroupColumn, IndexedView, ViewForm};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{DatabaseObjects, ModuleDef, ObjectId, TableDef, row_key};
use millpond_direct::runner::Runner;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::rows::TableRows;
use millpond_engine::security::redaction::redacted_for;
use millpond_engine::stored::place_of;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_txn::lock::LockMode;
use millpond_txn::{Isolation, ReadHint, Reader, SessionWork};
use millpond_types::{ArithOp, KeyOrder, Value, append_key, arith};

use crate::fill::FilledHeap;
use crate::unread::Unread;
use crate::write::{Writer, duplicate};

/// Rows of a table that are looked at together.
const ROWS_AT_ONCE: usize = 20_000;

/// A statement's work on views.
pub struct Upkeep<'a> {
    /// The transaction's session.
    pub work: &'a mut SessionWork,
    /// The run.
    pub ctx: &'a Arc<RunContext>,
    /// Objects whose definitions the statement has locked beside those of its own tables: what it begins to lock is added.
    pub open: &'a mut Vec<(DbId, ObjectId)>,
}

/// A view with its rows.
struct Kept {
    view: Arc<IndexedView>,
    def: Arc<TableDef>,
    trees: Arc<TableTrees>,
}

/// What becomes of a place of the view.
#[derive(Default)]
struct Change {
    gone: Vec<Vec<Value>>,
    come: Vec<Vec<Value>>,
}

/// The settings that stand in the way of a change of a table below an indexed view.
///
/// # Errors
/// 1934 with the statement's name.
pub fn check_settings(ctx: &RunContext, def: &TableDef, statement: &str) -> SqlResult<()> {
    if def.views.is_empty() { Ok(()) } else { settings_fit(ctx, statement) }
}

/// 1934 where the session's settings are none of those that indexed views ask for.
///
/// # Errors
/// See above.
pub fn settings_fit(ctx: &RunContext, statement: &str) -> SqlResult<()> {
    let wrong = ctx.facts.settings.wrong_for_views();
    if wrong.is_empty() { Ok(()) } else { Err(SqlError::of(1934, 1, &[&statement, &wrong.join(", ")])) }
}

impl Upkeep<'_> {
    /// Rows of a table were changed, each before and after, one side being empty where a row came or went: the views over
    /// the table follow. V1
    ///
    /// # Errors
    /// 2601 for a key that a view has already, 8115 for a sum that is too large; 1205, 1222 and others of reading and writing.
    pub fn follow<'r>(
        &mut self,
        table: &TableDef,
        changed: impl Iterator<Item = (&'r [Value], &'r [Value])>,
    ) -> SqlResult<()> {
        let (mut gone, mut come): (Vec<&[Value]>, Vec<&[Value]>) = changed.unzip();
        gone.retain(|row| !row.is_empty());
        come.retain(|row| !row.is_empty());
        for rows in &table.views {
            let kept = self.open(table, *rows)?;
            let place = kept.view.tables.iter().position(|known| known.id == table.id);
            let place = place.ok_or_else(|| message::schema_changed(&table.name))?;
            // Rows of other tables than the statement's come into the view.
            self.follow_one(&kept, (table.database, place), &gone, &come)
                .map_err(|error| redacted_for(self.ctx, kept.view.tables.iter().map(|table| &**table), error))?;
        }
        Ok(())
    }

    fn follow_one(
        &mut self,
        kept: &Kept,
        changed: (DbId, usize),
        gone: &[&[Value]],
        come: &[&[Value]],
    ) -> SqlResult<()> {
        let mut changes = BTreeMap::new();
        self.gather(kept, changed, gone, &mut changes, |change| &mut change.gone)?;
        self.gather(kept, changed, come, &mut changes, |change| &mut change.come)?;
        match &kept.view.form {
            ViewForm::Rows => self.change_rows(kept, changes),
            ViewForm::Groups(columns) => self.change_groups(kept, columns, changes),
        }
    }

    /// A view by its rows' number, with the definitions of all its tables locked to the end of the statement.
    fn open(&mut self, table: &TableDef, rows: ObjectId) -> SqlResult<Kept> {
        let database = table.database;
        self.hold(database, rows)?;
        let tables: Vec<ObjectId> = self.known(table, rows)?.view.tables.iter().map(|def| def.id).collect();
        tables.into_iter().try_for_each(|table| self.hold(database, table))?;
        // What was not locked may have been another.
        self.known(table, rows)
    }

    /// A view by its rows' number, as the catalog has it.
    fn known(&self, changed: &TableDef, rows: ObjectId) -> SqlResult<Kept> {
        let database = changed.database;
        let dictionary = self.ctx.engine.databases().dictionary(database)?;
        let objects = dictionary.catalog().objects();
        let (def, trees) = objects.table(rows).ok_or_else(|| message::schema_changed(&changed.name))?;
        let module = ModuleDef::of_rows(def, &objects).ok_or_else(|| message::schema_changed(&def.name))?;
        let view = self.ctx.engine.read_module(module)?.indexed_view((database, dictionary.name()), &objects)?;
        Ok(Kept { view, def: Arc::clone(def), trees: Arc::clone(trees) })
    }

    /// Keeps a definition as it is.
    fn hold(&mut self, database: DbId, id: ObjectId) -> SqlResult<()> {
        let is_open = self.ctx.tables.iter().any(|table| (table.def.database, table.def.id) == (database, id));
        if is_open || self.open.contains(&(database, id)) {
            return Ok(());
        }
        let locked = self.work.lock_object(&self.ctx.ask_other(), database, id.0 as u32, LockMode::SchS);
        let place = message::Place { schema: "", object: "", database: "" };
        locked.map_err(|error| message::of_txn(error, place))?;
        self.open.push((database, id));
        Ok(())
    }

    /// What rows of one of the view's tables make of it, by the places of the view that they belong to.
    fn gather(
        &mut self,
        kept: &Kept,
        (database, place): (DbId, usize),
        rows: &[&[Value]],
        changes: &mut BTreeMap<Vec<u8>, Change>,
        side: fn(&mut Change) -> &mut Vec<Vec<Value>>,
    ) -> SqlResult<()> {
        let objects = self.ctx.engine.databases().dictionary(database)?.catalog().objects();
        let reader = self.ctx.reader.clone();
        for some in rows.chunks(ROWS_AT_ONCE) {
            if self.ctx.task.is_cancelled() {
                return Err(message::cancelled());
            }
            let rel = over_rows(&kept.view.rel, place, some);
            let ctx = context_of(self.ctx, &kept.view, &objects, reader.clone())?;
            let runner = Runner::new(rel, &ctx);
            let mut key = Vec::new();
            runner.run(&ctx, &mut |row| {
                place_in(kept, row, &mut key);
                side(changes.entry(key.clone()).or_default()).push(row.to_vec());
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(())
    }

    fn writer<'w>(&'w mut self, kept: &'w Kept) -> Writer<'w> {
        let ask = self.ctx.ask_other();
        Writer::new(self.work, self.ctx, ask, &kept.def, &kept.trees, ask)
    }

    /// Rows of a view of rows: those that go leave before any comes.
    fn change_rows(&mut self, kept: &Kept, changes: BTreeMap<Vec<u8>, Change>) -> SqlResult<()> {
        let moves = kept.def.indexes.iter().skip(1).any(|index| index.unique);
        let mut writer = self.writer(kept);
        let (mut old, mut coming) = (Vec::new(), Vec::new());
        for (locator, mut change) in changes {
            // A row that its table got back as it was.
            while let Some(at) = change.come.iter().position(|row| change.gone.contains(row)) {
                let row = change.come.swap_remove(at);
                let other = change.gone.iter().position(|other| *other == row).expect("found above");
                change.gone.swap_remove(other);
            }
            if !change.gone.is_empty() {
                if change.gone.len() > 1 || !writer.lock(&locator, &mut old)? {
                    return Err(lost(&kept.def));
                }
                match &change.come[..] {
                    [new] if !moves => {
                        writer.update(&locator, &old, new, &Unread::default())?;
                        continue;
                    }
                    _ => writer.delete(&locator, &old)?,
                }
            }
            coming.append(&mut change.come);
        }
        coming.iter().try_for_each(|row| writer.insert(row))
    }

    /// Groups get sums and counts added and taken away. V3
    fn change_groups(
        &mut self,
        kept: &Kept,
        columns: &[GroupColumn],
        changes: BTreeMap<Vec<u8>, Change>,
    ) -> SqlResult<()> {
        let groups = changes.into_values().flat_map(|change| groups_of(&kept.def, columns, change));
        let groups = groups.collect::<Vec<SqlResult<Group>>>().into_iter().collect::<SqlResult<Vec<Group>>>()?;
        let moves = kept.def.indexes.iter().skip(1).any(|index| index.unique);
        let mut writer = self.writer(kept);
        let (mut old, mut locator, mut coming) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            row_key(&kept.def, group.row(), 0, &mut locator);
            if !writer.lock(&locator, &mut old)? || !is_same_group(&kept.def, columns, &old, group.row()) {
                coming.push(group);
                continue;
            }
            let new = group.added_to(&kept.def, columns, &old)?;
            if new == old {
                continue;
            }
            match is_empty(columns, &new) {
                true => writer.delete(&locator, &old)?,
                false if moves => {
                    writer.delete(&locator, &old)?;
                    coming.push(Group { come: Some(new), gone: None });
                }
                false => writer.update(&locator, &old, &new, &Unread::default())?,
            }
        }
        for group in coming {
            // Rows that go belong to a group that is there.
            let (Some(new), None) = (&group.come, &group.gone) else { return Err(lost(&kept.def)) };
            while !writer.insert_unless_there(new)? {
                // Another session made the group, and is over.
                row_key(&kept.def, new, 0, &mut locator);
                if !writer.lock(&locator, &mut old)? {
                    continue;
                }
                if !is_same_group(&kept.def, columns, &old, new) {
                    return Err(duplicate(&kept.def, &kept.def.indexes[0], new));
                }
                let sum = group.added_to(&kept.def, columns, &old)?;
                writer.update(&locator, &old, &sum, &Unread::default())?;
                break;
            }
        }
        Ok(())
    }
}

/// What came to a group, and what went of it, as rows of the view.
struct Group {
    come: Option<Vec<Value>>,
    gone: Option<Vec<Value>>,
}

impl Group {
    /// A row that has the group's keys.
    fn row(&self) -> &[Value] {
        self.come.as_ref().or(self.gone.as_ref()).expect("one of them is there")
    }

    /// A row of the view with this. The order in which it is added decides only whether a sum in between is too large.
    fn added_to(&self, def: &TableDef, columns: &[GroupColumn], old: &[Value]) -> SqlResult<Vec<Value>> {
        let step = |row: Vec<Value>, part: &Option<Vec<Value>>, op: ArithOp| match part {
            Some(part) => combined(def, columns, &row, part, op),
            None => Ok(row),
        };
        let fewer_first =
            step(old.to_vec(), &self.gone, ArithOp::Sub).and_then(|row| step(row, &self.come, ArithOp::Add));
        fewer_first.or_else(|_| {
            step(old.to_vec(), &self.come, ArithOp::Add).and_then(|row| step(row, &self.gone, ArithOp::Sub))
        })
    }
}

/// The groups of one place of the view, each once.
fn groups_of(def: &TableDef, columns: &[GroupColumn], change: Change) -> Vec<SqlResult<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut failed = None;
    let sides = [(change.gone, false), (change.come, true)];
    for (row, is_new) in sides.into_iter().flat_map(|(rows, is_new)| rows.into_iter().map(move |row| (row, is_new))) {
        let known = groups.iter_mut().find(|group| is_same_group(def, columns, group.row(), &row));
        let group = match known {
            Some(group) => group,
            None => {
                groups.push(Group { come: None, gone: None });
                groups.last_mut().expect("pushed above")
            }
        };
        let side = if is_new { &mut group.come } else { &mut group.gone };
        let sum = match side.take() {
            None => Ok(row),
            Some(sum) => combined(def, columns, &sum, &row, ArithOp::Add),
        };
        match sum {
            Ok(sum) => *side = Some(sum),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    match failed {
        Some(error) => vec![Err(error)],
        None => groups.into_iter().map(Ok).collect(),
    }
}

/// A row whose sums and counts are those of both.
fn combined(
    def: &TableDef,
    columns: &[GroupColumn],
    row: &[Value],
    other: &[Value],
    op: ArithOp,
) -> SqlResult<Vec<Value>> {
    let all = columns.iter().zip(row.iter().zip(other)).zip(&def.columns);
    all.map(|((column, (value, other)), known)| match column {
        GroupColumn::Key => Ok(value.clone()),
        GroupColumn::Count | GroupColumn::Sum => {
            arith::arithmetic(op, value, other, &known.ty.sql).map_err(message::of_eval)
        }
    })
    .collect()
}

/// Whether a group has no rows any more.
fn is_empty(columns: &[GroupColumn], row: &[Value]) -> bool {
    columns.iter().zip(row).any(|(column, value)| *column == GroupColumn::Count && *value == Value::BigInt(0))
}

fn is_same_group(def: &TableDef, columns: &[GroupColumn], row: &[Value], other: &[Value]) -> bool {
    let key_of = |row: &[Value]| {
        let mut key = Vec::new();
        for (place, value) in row.iter().enumerate().filter(|(place, _)| columns[*place] == GroupColumn::Key) {
            append_key(value, def.columns[place].ty.collation, KeyOrder::Ascending, &mut key);
        }
        key
    };
    key_of(row) == key_of(other)
}

/// Where a row of the view is among its rows.
fn place_in(kept: &Kept, row: &[Value], key: &mut Vec<u8>) {
    row_key(&kept.def, row, 0, key);
}

/// 8646: the view has not the row that it must have.
fn lost(def: &TableDef) -> SqlError {
    SqlError::of(8646, 1, &[&1, &def.id.0, &def.database_name])
}

/// The view's query over some rows in the place of one of its tables.
fn over_rows(rel: &Rel, place: usize, rows: &[&[Value]]) -> Rel {
    let below = |input: &Rel| Box::new(over_rows(input, place, rows));
    match rel {
        Rel::Table { binding, def, .. } if *binding == place => {
            let types = def.columns.iter().map(|column| column.ty);
            let cell = |(value, ty): (&Value, _)| BoundExpr { kind: Kind::Literal(value.clone()), ty };
            let row = |row: &&[Value]| row.iter().zip(types.clone()).map(cell).collect();
            Rel::Values { rows: rows.iter().map(row).collect(), types: types.clone().collect() }
        }
        Rel::Filter { input, predicate } => Rel::Filter { input: below(input), predicate: predicate.clone() },
        Rel::Project { input, exprs } => Rel::Project { input: below(input), exprs: exprs.clone() },
        Rel::Join { kind, hint, left, right, on } => {
            Rel::Join { kind: *kind, hint: *hint, left: below(left), right: below(right), on: on.clone() }
        }
        Rel::Aggregate { input, groups, aggregates } => {
            Rel::Aggregate { input: below(input), groups: groups.clone(), aggregates: aggregates.clone() }
        }
        other => other.clone(),
    }
}

/// What the view's query runs in: its tables are read by locks. V2
fn context_of(
    ctx: &Arc<RunContext>,
    view: &IndexedView,
    objects: &DatabaseObjects,
    reader: Option<Arc<Reader>>,
) -> SqlResult<Arc<RunContext>> {
    let hint = ReadHint { isolation: Some(Isolation::ReadCommitted), committed_by_locks: true, ..ReadHint::default() };
    let epoch = ctx.engine.databases().epoch();
    let mut tables = Vec::with_capacity(view.tables.len());
    for table in &view.tables {
        let (def, trees) = objects.table(table.id).ok_or_else(|| message::schema_changed(&table.name))?;
        let rows = TableRows::Trees(Arc::clone(trees));
        tables.push(TableBinding { def: Arc::clone(def), rows, epoch, hint, io: Arc::default() });
    }
    let (facts, locks, cursors) = (ctx.facts.clone(), ctx.locks.clone(), Arc::clone(&ctx.cursors));
    let mut own = RunContext::new(&ctx.engine, &ctx.session, facts, locks, Vec::new().into(), tables.into(), cursors);
    own.reader = reader;
    own.work = Arc::clone(&ctx.work);
    Ok(Arc::new(own))
}

/// Fills the heap that becomes a view's rows; the caller has Sch-M locks on its tables.
///
/// # Errors
/// Those of the query and of the layers below.
pub fn fill(
    work: &mut SessionWork,
    ctx: &Arc<RunContext>,
    view: &IndexedView,
    (def, trees): (&Arc<TableDef>, &Arc<TableTrees>),
    objects: &DatabaseObjects,
) -> SqlResult<()> {
    let own = context_of(ctx, view, objects, Some(work.reader()))?;
    let runner = Runner::new(view.rel.clone(), &own).into_records(&def.layout);
    let heap = FilledHeap { def, trees, binding: None, outermost: None };
    heap.fill(&own, work, &runner, u64::MAX).map(drop)
}

/// How many rows there are, and what is in them, in no order.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Contents {
    rows: u64,
    hash: u64,
}

impl Contents {
    /// Those of a relation with the columns of `def`. Texts count as their collations compare them.
    fn of(rel: Rel, ctx: &Arc<RunContext>, def: &TableDef) -> SqlResult<Contents> {
        let (mut contents, mut key) = (Contents::default(), Vec::new());
        Runner::new(rel, ctx).run(ctx, &mut |row| {
            key.clear();
            for (value, column) in row.iter().zip(&def.columns) {
                match column.ty.sql.is_comparable() {
                    true => append_key(value, column.ty.collation, KeyOrder::Ascending, &mut key),
                    false => key.extend_from_slice(format!("{value:?}").as_bytes()),
                }
            }
            let mut hasher = DefaultHasher::new();
            hasher.write(&key);
            contents.rows += 1;
            contents.hash = contents.hash.wrapping_add(hasher.finish());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(contents)
    }
}

/// The rows of an indexed view against what its query makes: the errors that there are, with the view's number. All its tables
/// stay as they are meanwhile, and are locked to the end of the statement or transaction.
///
/// # Errors
/// Those of the query; 1222, 1205.
pub fn wrong_rows(
    work: &mut SessionWork,
    ctx: &Arc<RunContext>,
    def: &Arc<TableDef>,
) -> SqlResult<Vec<(i32, ObjectId)>> {
    let mut open = Vec::new();
    let kept = Upkeep { work, ctx, open: &mut open }.open(def, def.id)?;
    for table in kept.view.tables.iter().chain([def]) {
        let locked = work.lock_object(&ctx.ask_other(), def.database, table.id.0 as u32, LockMode::S);
        locked.map_err(|error| message::of_txn(error, place_of(table)))?;
    }
    let objects = ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    let own = context_of(ctx, &kept.view, &objects, Some(work.reader()))?;
    let wanted = Contents::of(kept.view.rel.clone(), &own, def)?;
    let rows = IndexedView { rel: Rel::table(def), tables: vec![Arc::clone(def)], form: ViewForm::Rows };
    let own = context_of(ctx, &rows, &objects, Some(work.reader()))?;
    let there = Contents::of(rows.rel, &own, def)?;
    let view = ModuleDef::of_rows(def, &objects).map_or(def.id, |view| view.id);
    let (more, fewer) = (there.rows >= wanted.rows, there.rows <= wanted.rows);
    let wrong = [(8907, more), (8908, fewer)].into_iter().filter(|(_, is_it)| *is_it && there != wanted);
    Ok(wrong.map(|(number, _)| (number, view)).collect())
}
