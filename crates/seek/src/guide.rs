//! What is known of tables when a way to their rows is chosen, and whether it still is when a kept choice is used.
//!
//! G1: figures are asked for only where there is something to choose. A whole unique key never asks. G2: a
//! statement that keeps a choice asks [`Relied::is_stale`] before each use, which loads a few numbers. G3: statistics that are missing or old
//! are made here, in the name of no statement, by one asker at a time; the others use what there is, or wait a little for what was never
//! there. G4: statistics of a column that nothing else begins with, and all of temporary tables, are made for plans alone, which
//! compare sizes; elsewhere an index is chosen without them. G5: a temporary table with few rows has none.

use std::fmt;
use std::sync::Arc;

use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::statistics::known::KnownStatistics;
use millpond_catalog::{IndexDef, ObjectId, StatisticsObject, TableDef};
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::engine::Engine;
use millpond_engine::rows::TableRows;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::options::DatabaseFlag;
use millpond_types::Value;
use parking_lot::Mutex;

use crate::Access;
use crate::measure::{Sample, changes_of, measure};
use crate::peeked::Peeked;
use crate::relied::{self, Limit, Relied, TEMPORARY_ROWS_MIN, UNMEASURED_CHANGES, most_changes};
use millpond_access::tree;

/// Tables below this are not worth a choice: whatever is chosen reads few pages.
const MEASURED_ROWS: u64 = 1000;

/// What is known of a table.
#[derive(Debug)]
pub struct TableFigures {
    /// Rows.
    pub rows: f64,
    /// Statistics of its indexes, by position.
    pub indexes: Vec<Option<Arc<Statistics>>>,
    /// Statistics of other columns, each with the position of the first one.
    pub columns: Vec<(usize, Arc<Statistics>)>,
    /// Values of variables.
    pub peeked: Arc<Peeked>,
}

impl TableFigures {
    /// Statistics that begin with a column.
    pub(crate) fn of_column(&self, def: &TableDef, column: usize) -> Option<Arc<Statistics>> {
        let leads = |(index, _): &(&IndexDef, _)| {
            index.filter.is_none() && index.key.first().is_some_and(|key| key.column == column)
        };
        let of_index = def.indexes.iter().zip(&self.indexes).filter(leads).find_map(|(_, found)| found.clone());
        of_index.or_else(|| self.columns.iter().find(|(first, _)| *first == column).map(|(_, found)| Arc::clone(found)))
    }
}

/// A table with its rows, and the definitions of the database whose options hold for its statistics.
pub(crate) struct Named {
    dictionary: Arc<Dictionary>,
    def: Arc<TableDef>,
    pub(crate) rows: TableRows,
}

/// A table that was asked for: its definition, and what was found.
type Asked = (Arc<TableDef>, Option<Arc<TableFigures>>);

/// A column that was asked for: its table, its position, and what was found.
type AskedColumn = (Arc<TableDef>, usize, Option<Arc<Statistics>>);

/// Finds figures, and remembers which tables they are of.
#[derive(Default)]
pub struct Guide {
    pub(crate) engine: Option<Arc<Engine>>,
    pub(crate) session: SessionId,
    /// Statistics that are not there stay so.
    only_looks: bool,
    /// The tables of the statement that a plan is made for, among them temporary ones: these are in no catalog.
    tables: Option<Arc<[TableBinding]>>,
    asked: Mutex<Vec<Asked>>,
    columns: Mutex<Vec<AskedColumn>>,
    relied: Mutex<Vec<Relied>>,
    unserved: Mutex<Unserved>,
    peeked: Arc<Peeked>,
}

/// Tables that were to be read as wholes by a condition, and columns that few rows of another table were to be looked for by.
#[derive(Debug, Default)]
pub struct Unserved {
    tables: Vec<(DbId, ObjectId)>,
    joins: Vec<(DbId, ObjectId, Vec<usize>)>,
}

impl Unserved {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Whether a table is one of them.
    pub fn has(&self, def: &TableDef) -> bool {
        self.tables.contains(&(def.database, def.id))
    }

    /// The columns of a table by which others would have looked for its rows.
    pub fn joined(&self, def: &TableDef) -> impl Iterator<Item = usize> {
        let of = (def.database, def.id);
        let its = self.joins.iter().filter(move |(database, table, _)| (*database, *table) == of);
        its.flat_map(|(.., columns)| columns.iter().copied())
    }
}

impl fmt::Debug for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guide").field("knows", &self.engine.is_some()).finish_non_exhaustive()
    }
}

impl Guide {
    /// One that knows nothing: choices are made by rule.
    pub fn none() -> Guide {
        Guide::default()
    }

    /// One that knows these figures alone.
    pub fn knowing(figures: Vec<(Arc<TableDef>, TableFigures)>) -> Guide {
        let asked = figures.into_iter().map(|(def, figures)| (def, Some(Arc::new(figures)))).collect();
        Guide { asked: Mutex::new(asked), ..Guide::default() }
    }

    /// The guide of a statement that needs no plan: it knows nothing of temporary tables.
    pub fn of(ctx: &RunContext) -> Guide {
        Guide { engine: Some(Arc::clone(&ctx.engine)), session: ctx.task.session, ..Guide::default() }
    }

    /// The guide of a plan, over the tables that the statement has now.
    pub fn of_plan(ctx: &RunContext) -> Guide {
        Guide { tables: Some(Arc::clone(&ctx.tables)), ..Guide::of(ctx) }
    }

    /// The same where variables have these values; NULL of one says nothing.
    #[must_use]
    pub fn at(self, values: Vec<Value>) -> Guide {
        Guide { peeked: Arc::new(Peeked::at(values)), ..self }
    }

    /// The values of variables.
    pub fn peeked(&self) -> &Peeked {
        &self.peeked
    }

    /// A choice was made by what an access to a table finds.
    pub(crate) fn note(&self, def: &TableDef, statistics: &Arc<Statistics>, access: &Access) {
        let is_it = |known: &&Arc<TableDef>| std::ptr::eq(&***known, def);
        let asked = || self.asked.lock().iter().map(|(def, _)| def).find(is_it).cloned();
        let of_columns = || self.columns.lock().iter().map(|(def, ..)| def).find(is_it).cloned();
        self.peeked.note(|| asked().or_else(of_columns), statistics, access);
    }

    /// The guide of who shows what a statement expects, and makes no statistics of columns for that.
    pub fn that_looks(ctx: &RunContext) -> Guide {
        Guide { only_looks: true, ..Guide::of(ctx) }
    }

    /// What the choices made with it rely on.
    pub fn take_relied(&self) -> Vec<Relied> {
        std::mem::take(&mut self.relied.lock())
    }

    /// No index serves a condition on a table.
    pub(crate) fn note_unserved(&self, def: &TableDef) {
        if self.engine.is_none() || def.is_temporary() || def.in_memory {
            return;
        }
        let (of, mut unserved) = ((def.database, def.id), self.unserved.lock());
        if !unserved.tables.contains(&of) {
            unserved.tables.push(of);
        }
    }

    /// Indexes serve the conditions on a table after all.
    pub fn serve(&self, def: &TableDef) {
        self.unserved.lock().tables.retain(|of| *of != (def.database, def.id));
    }

    /// Few rows would have looked for those of a table by these columns.
    pub fn note_join(&self, def: &TableDef, columns: Vec<usize>) {
        self.note_unserved(def);
        self.unserved.lock().joins.push((def.database, def.id, columns));
    }

    /// What the choices made with it found no index for.
    pub fn take_unserved(&self) -> Unserved {
        std::mem::take(&mut self.unserved.lock())
    }

    /// About how many rows a table has; 0 where that cannot be read.
    pub fn rows(&self, def: &TableDef) -> u64 {
        let rows = || {
            let dictionary = self.engine.as_ref()?.databases().dictionary(def.database).ok()?;
            let (_, trees) =
                dictionary.catalog().objects().table(def.id).map(|(known, trees)| (known, Arc::clone(trees)))?;
            let (task, io) = (Task::new(self.session), IoCount::default());
            tree::statistics::entry_estimate(trees.trees.first()?, &Ask::new(&task, &io)).ok()
        };
        rows().unwrap_or(0)
    }

    /// The temporary table of the statement that has this definition; none of a variable, which has no statistics.
    fn temporary(&self, def: &TableDef) -> Option<&TableBinding> {
        let tables = self.tables.as_ref().filter(|_| def.name.starts_with('#') && !def.in_memory)?;
        tables.iter().find(|table| std::ptr::eq(&*table.def, def))
    }

    /// A table whose figures can be known.
    pub(crate) fn known(&self, def: &TableDef) -> Option<Named> {
        let engine = self.engine.as_ref()?;
        if def.is_temporary() {
            let table = self.temporary(def)?;
            let dictionary = engine.databases().dictionary(DbId::TEMPDB).ok()?;
            return Some(Named { dictionary, def: Arc::clone(&table.def), rows: table.rows.clone() });
        }
        let dictionary = engine.databases().dictionary(def.database).ok().filter(|_| !def.in_memory)?;
        let objects = dictionary.catalog().objects();
        let (known, trees) = objects.table(def.id).filter(|(known, _)| std::ptr::eq(&***known, def))?;
        let (def, rows) = (Arc::clone(known), TableRows::Trees(Arc::clone(trees)));
        Some(Named { dictionary, def, rows })
    }

    /// The figures of a table; none of small ones, of temporary ones where no plan is made, and where nothing could be read.
    pub fn figures(&self, def: &TableDef) -> Option<Arc<TableFigures>> {
        if let Some((_, found)) = self.asked.lock().iter().find(|(asked, _)| std::ptr::eq(&**asked, def)) {
            return found.clone();
        }
        let (engine, named) = (self.engine.as_ref()?, self.known(def)?);
        let updates = named.dictionary.storage().options().is_on(DatabaseFlag::AutoUpdateStatistics);
        let (found, relied) = self.look(engine, (&named.def, &named.rows), updates);
        self.relied.lock().push(relied);
        self.asked.lock().push((named.def, found.clone()));
        found
    }

    /// Statistics that begin with a column of a table, for a plan: those of an index or of CREATE STATISTICS, or else automatic ones, made
    /// now where there are none and the database allows it. None of small temporary tables, and of columns that have none.
    pub fn column_statistics(&self, def: &TableDef, column: usize) -> Option<Arc<Statistics>> {
        let is_it = |(asked, of, _): &&AskedColumn| std::ptr::eq(&**asked, def) && *of == column;
        if let Some((.., found)) = self.columns.lock().iter().find(is_it) {
            return found.clone();
        }
        match self.figures(def) {
            Some(figures) => {
                if let Some(found) = figures.of_column(def, column) {
                    return Some(found);
                }
            }
            // What an index of a small table begins with needs no statistics, and of no rows there is nothing to say.
            None if def.is_temporary() || leads_an_index(def, column) || self.rows(def) == 0 => return None,
            None => {}
        }
        let (known, found) = self.automatic(def, column)?;
        self.columns.lock().push((known, column, found.clone()));
        found
    }

    fn automatic(&self, def: &TableDef, column: usize) -> Option<(Arc<TableDef>, Option<Arc<Statistics>>)> {
        let engine = self.engine.as_ref()?;
        let Named { dictionary, def, rows } = self.known(def)?;
        let Some(mut object) = def.automatic_statistics(column) else { return Some((def, None)) };
        let options = dictionary.storage().options();
        let (creates, updates) = (
            options.is_on(DatabaseFlag::AutoCreateStatistics) && !self.only_looks,
            options.is_on(DatabaseFlag::AutoUpdateStatistics),
        );
        let (table, counters) = ((&*def, &rows), rows.counters());
        let statistics = &counters.statistics;
        let (task, io) = (Task::new(self.session), IoCount::default());
        let (ask, now_us) = (Ask::new(&task, &io), engine.now_us().1);
        let before = statistics.version();
        let there = || object_known(statistics, &def, &object);
        let found = match there() {
            Some(found) => {
                object.no_recompute = found.no_recompute;
                current(&ask, table, &object, updates, now_us)
            }
            None if creates => match statistics.wait_to_make() {
                // Another may have made them meanwhile.
                Some(_making) => there().or_else(|| {
                    let made = measure(&ask, table, (&object, None), Sample::Meanwhile, now_us).ok().map(Arc::new);
                    made.inspect(|made| statistics.put_new(object.id, Arc::clone(made)))
                }),
                None => None,
            },
            None => None,
        };
        if found.is_some() || creates {
            let limits = vec![Limit::of_object(table, &object, found.as_deref(), updates)];
            relied::add(&mut self.relied.lock(), Relied::on((&def, &rows), limits), before);
        }
        Some((def, found))
    }

    fn look(
        &self,
        engine: &Engine,
        (def, rows): (&Arc<TableDef>, &TableRows),
        updates: bool,
    ) -> (Option<Arc<TableFigures>>, Relied) {
        let (task, io) = (Task::new(self.session), IoCount::default());
        let (ask, table) = (Ask::new(&task, &io), (&**def, rows));
        let count = rows.estimate(&ask);
        if def.is_temporary() && count < TEMPORARY_ROWS_MIN {
            return (None, Relied::on_few(def, count));
        }
        if !def.is_temporary() && count < MEASURED_ROWS {
            let most = rows.changes(0) + UNMEASURED_CHANGES;
            return (None, Relied::on((def, rows), vec![Limit::of(table, 0, None, most)]));
        }
        let mut figures = TableFigures {
            rows: count as f64,
            indexes: vec![None; def.indexes.len()],
            columns: Vec::new(),
            peeked: Arc::clone(&self.peeked),
        };
        let mut limits = Vec::new();
        let objects = def.named_statistics(&rows.counters().statistics);
        // What is true of some rows says nothing of all.
        for object in objects.into_iter().filter(|object| object.filter.is_none()) {
            let found = current(&ask, table, &object, updates, engine.now_us().1);
            limits.push(Limit::of_object(table, &object, found.as_deref(), updates));
            match (object.index, found) {
                (Some(position), found) => figures.indexes[position] = found,
                (None, Some(found)) => figures.columns.extend(object.columns.first().map(|first| (*first, found))),
                (None, None) => {}
            }
        }
        (Some(Arc::new(figures)), Relied::on((def, rows), limits))
    }
}

/// Whether an index begins with a column.
fn leads_an_index(def: &TableDef, column: usize) -> bool {
    def.indexes.iter().any(|index| index.filter.is_none() && index.key.first().is_some_and(|key| key.column == column))
}

/// What is known of statistics.
fn object_known(known: &KnownStatistics, def: &TableDef, object: &StatisticsObject) -> Option<Arc<Statistics>> {
    let collation = def.columns[object.columns[0]].ty.collation;
    known.get(object.id, &object.column_ids(def)).filter(|made| made.collation == collation)
}

/// Statistics of a table, made anew where they are missing or old and `updates` allows it.
fn current(
    ask: &Ask<'_>,
    (def, rows): (&TableDef, &TableRows),
    object: &StatisticsObject,
    updates: bool,
    now_us: i64,
) -> Option<Arc<Statistics>> {
    let counters = rows.counters();
    let statistics = &counters.statistics;
    let ids = object.column_ids(def);
    let known = || statistics.get(object.id, &ids);
    let is_good = |found: &Arc<Statistics>| object.no_recompute || !is_old((def, rows), object, found);
    let found = known();
    // Those with a filter are made by UPDATE STATISTICS alone.
    if found.as_ref().is_some_and(is_good) || !updates || is_disabled(def, object) || object.filter.is_some() {
        return found;
    }
    let Some(_making) = statistics.try_make() else { return found };
    let found = known();
    if found.as_ref().is_some_and(is_good) {
        return found;
    }
    let persisted_percent = found.as_ref().and_then(|found| found.persisted_percent);
    let sample = persisted_percent.map_or(Sample::Meanwhile, Sample::Percent);
    match measure(ask, (def, rows), (object, None), sample, now_us) {
        Ok(made) => {
            let made = Arc::new(Statistics { persisted_percent, no_recompute: object.no_recompute, ..made });
            statistics.put(object.id, Arc::clone(&made));
            Some(made)
        }
        // They only guide the choice: a page that cannot be read fails the scan that reads it.
        Err(_) => found,
    }
}

fn is_disabled(def: &TableDef, object: &StatisticsObject) -> bool {
    object.index.is_some_and(|position| def.indexes[position].disabled)
}

/// The statistics of an object as a statement would find them; none when they could not be made.
pub fn current_statistics(
    ctx: &RunContext,
    dictionary: &Dictionary,
    table: (&TableDef, &TableRows),
    object: &StatisticsObject,
) -> Option<Arc<Statistics>> {
    let updates = dictionary.storage().options().is_on(DatabaseFlag::AutoUpdateStatistics);
    if table.1.are_in_memory() {
        return None;
    }
    current(&ctx.ask_other(), table, object, updates, ctx.engine.now_us().1)
}

/// Changes of the rows since statistics were made. Those of a tree that was replaced are counted as all of its rows.
pub fn changes_since((def, rows): (&TableDef, &TableRows), object: &StatisticsObject, made: &Statistics) -> u64 {
    let changes = changes_of(rows, object, def);
    changes.checked_sub(made.changes).unwrap_or(made.rows + changes)
}

fn is_old(table: (&TableDef, &TableRows), object: &StatisticsObject, made: &Statistics) -> bool {
    changes_since(table, object, made) >= most_changes(table.0, made.rows)
}
