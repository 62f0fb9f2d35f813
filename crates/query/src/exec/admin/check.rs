//! DBCC CHECKDB, CHECKTABLE, CHECKALLOC, CHECKCATALOG and CHECKFILEGROUP: every page of every tree is read, indexes are compared with the rows of their
//! tables, and what trees claim with the allocation maps.
//!
//! What always holds: nothing is repaired but the log of a database in EMERGENCY (`emergency`). Rows and indexes are compared as one moment had them: by versions where the
//! database keeps them, else under a shared lock of the table. An index has the right entries when their number and the
//! sum of the hashes of key and locator are those that the rows give: an entry that is wrong, missing or too many shows in
//! one of them.

use std::hash::{DefaultHasher, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::lob::{Owned, ValueProblem};
use millpond_access::tree;
use millpond_access::tree::{KeyRange, Tree, TreeProblem};
use millpond_builtin::eval::{Rows, is_true};
use millpond_catalog::data_space;
use millpond_catalog::dictionary::{Dictionary, SystemTable};
use millpond_catalog::large::Large;
use millpond_catalog::run::Run;
use millpond_catalog::trees::{TableTrees, live_values, tree_ids};
use millpond_catalog::{IndexDef, TableDef};
use millpond_engine::admin::checked::note_check;
use millpond_engine::admin::claims::claims_now;
use millpond_engine::arguments::{database_argument, filegroup_argument, named_table};
use millpond_engine::stay::stay_for;
use millpond_engine::system_call::{CallArg, DbccTakes};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::indexed_view;
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_tsql::ast::Statement;
use millpond_txn::lock::LockMode;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::values;
use millpond_txn::{Isolation, ReadHint, Reader, ValueHome};
use millpond_types::Value;

use crate::exec::admin::check_report::{About, Report};
use crate::exec::admin::emergency;
use crate::exec::batch::{BatchRun, scope};

pub use millpond_engine::stored::{index_key, place_of, split_payload};

/// Which command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum CheckCommand {
    /// CHECKDB
    Database,
    /// CHECKALLOC
    Allocation,
    /// CHECKTABLE
    Table,
    /// CHECKCATALOG
    Catalog,
    /// CHECKFILEGROUP
    Filegroup,
}

/// What the commands take, in their order.
const TAKES: [DbccTakes; 5] = {
    const ALL: &[&str] = &[
        "ALL_ERRORMSGS",
        "NO_INFOMSGS",
        "TABLOCK",
        "ESTIMATEONLY",
        "TABLERESULTS",
        "PHYSICAL_ONLY",
        "MAXDOP",
        "DATA_PURITY",
        "EXTENDED_LOGICAL_CHECKS",
    ];
    let (allocation, filegroup) = (ALL.split_at(5).0, ALL.split_at(7).0);
    [
        DbccTakes { args: 0..=2, options: ALL },
        DbccTakes { args: 0..=2, options: allocation },
        DbccTakes { args: 1..=2, options: ALL },
        DbccTakes { args: 0..=1, options: &["NO_INFOMSGS"] },
        DbccTakes { args: 0..=2, options: filegroup },
    ]
};

impl CheckCommand {
    const ALL: [(CheckCommand, &'static str); 5] = [
        (CheckCommand::Database, "CHECKDB"),
        (CheckCommand::Allocation, "CHECKALLOC"),
        (CheckCommand::Table, "CHECKTABLE"),
        (CheckCommand::Catalog, "CHECKCATALOG"),
        (CheckCommand::Filegroup, "CHECKFILEGROUP"),
    ];

    pub(in crate::exec) fn of(command: &str) -> Option<CheckCommand> {
        let found = CheckCommand::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(command));
        found.map(|(command, _)| *command)
    }

    /// What it takes.
    pub(in crate::exec) fn takes(self) -> &'static DbccTakes {
        &TAKES[self as usize]
    }

    fn name(self) -> &'static str {
        CheckCommand::ALL[self as usize].1
    }
}

/// Takes the key and the payload of an entry.
type Take<'t> = &'t mut dyn FnMut(&[u8], &[u8]) -> SqlResult<()>;

/// What was wrong.
#[derive(Clone, Copy, Default)]
struct Found {
    allocation: u64,
    consistency: u64,
}

/// Entries of an index: how many, and the sum of their hashes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    entries: u64,
    hash: u64,
}

impl Sum {
    fn add(&mut self, key: &[u8], locator: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(key.len());
        hasher.write(key);
        hasher.write(locator);
        self.entries += 1;
        self.hash = self.hash.wrapping_add(hasher.finish());
    }
}

pub(in crate::exec) fn check(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    command: CheckCommand,
    args: &[CallArg],
    options: &[String],
) -> SqlResult<()> {
    let has = |word: &str| options.iter().any(|option| option == word);
    if has("PHYSICAL_ONLY") && has("EXTENDED_LOGICAL_CHECKS") {
        return Err(SqlError::of(2532, 5, &[]));
    }
    let first = args.first().and_then(|arg| arg.value.clone());
    let second = args.get(1).and_then(|arg| arg.value.as_ref());
    let word = second.map(|word| word.as_str().unwrap_or_default().to_ascii_uppercase());
    match word.as_deref() {
        None | Some("NOINDEX") => {}
        Some("REPAIR_ALLOW_DATA_LOSS")
            if command == CheckCommand::Database
                && emergency::repair_log(run, database_argument(&run.ctx, first.as_ref())?)? => {}
        Some(word @ ("REPAIR_ALLOW_DATA_LOSS" | "REPAIR_FAST" | "REPAIR_REBUILD")) => {
            return Err(message::missing(&format!("DBCC {} with {word}", command.name())));
        }
        Some(_) => return Err(SqlError::of(2560, 9, &[&2])),
    }
    let mut report = Report::new(statement.span.line, options);
    match command {
        CheckCommand::Table => {
            let (_, def, _) = named_table(&run.ctx, first.as_ref())?;
            if has("ESTIMATEONLY") {
                estimate(run, &mut report, command, (def.database, &def.database_name))?;
            } else {
                check_named_table(run, &mut report, &def)?;
            }
        }
        CheckCommand::Database | CheckCommand::Allocation | CheckCommand::Catalog | CheckCommand::Filegroup => {
            let db = match command {
                CheckCommand::Filegroup => run.ctx.facts.database,
                _ => database_argument(&run.ctx, first.as_ref())?,
            };
            let _stay = stay_for(&run.ctx, db)?;
            let dictionary = run.ctx.engine.databases().dictionary(db)?;
            let objects = dictionary.catalog().objects();
            let group = match command {
                CheckCommand::Filegroup => Some(filegroup_argument(objects.data_spaces(), first.as_ref())?),
                _ => None,
            };
            if has("ESTIMATEONLY") {
                report.inform(run, About::database(db), 2536, &[dictionary.name()])?;
                estimate(run, &mut report, command, (db, dictionary.name()))?;
            } else {
                check_database(run, &mut report, command, &dictionary, group)?;
            }
        }
    }
    report.end(run);
    Ok(())
}

/// ESTIMATEONLY: a check keeps two sums of each index, and nothing in tempdb.
fn estimate(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    command: CheckCommand,
    (database, name): (DbId, &str),
) -> SqlResult<()> {
    report.say(run, About::database(database), 5281, &[&command.name(), &name, &0])
}

/// A database, or what of it lies in a filegroup.
fn check_database(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    command: CheckCommand,
    dictionary: &Dictionary,
    group: Option<i32>,
) -> SqlResult<()> {
    let (name, about) = (dictionary.name(), About::database(dictionary.database()));
    let objects = dictionary.catalog().objects();
    // CHECKCATALOG reports nothing but errors.
    let is_reported = report.informs() && command != CheckCommand::Catalog;
    if is_reported {
        report.inform(run, about, 2536, &[name])?;
    }
    let (mut found, began_us) = (Found::default(), run.ctx.engine.clock_us());
    // What the server keeps of a database lies in PRIMARY.
    let has_system = command != CheckCommand::Allocation && group.is_none_or(|group| group == data_space::PRIMARY);
    let is_in_group = |def: &TableDef| {
        group.is_none_or(|group| objects.data_spaces().holds(group, def.id, def.indexes.iter().map(|index| index.id)))
    };
    let tables: Vec<_> = match command {
        CheckCommand::Database | CheckCommand::Filegroup => {
            objects.stored().filter(|(def, _)| is_in_group(def)).collect()
        }
        _ => Vec::new(),
    };
    let system = if has_system { dictionary.system_trees() } else { &[] };
    let pages = pages_of(run, tables.iter().flat_map(|(_, trees)| &trees.trees).chain(system));
    let task = Arc::clone(&run.ctx.task);
    let _under_way = task.progress.begin(pages, began_us);
    if command != CheckCommand::Catalog {
        found.allocation += check_allocation(run, report, dictionary)?;
    }
    if has_system {
        found.consistency += check_system(run, report, dictionary, is_reported)?;
    }
    for (def, _) in tables {
        found.consistency += check_table(run, report, def)?;
    }
    note_check(&run.ctx, dictionary, command.name(), (began_us, found.allocation + found.consistency));
    if is_reported || found.allocation + found.consistency > 0 {
        report.say(run, about, 8989, &[&command.name(), &found.allocation, &found.consistency, name])?;
    }
    Ok(())
}

/// Pages of trees, as far as they are known: what is damaged is found later.
fn pages_of<'t>(run: &BatchRun<'_>, trees: impl IntoIterator<Item = &'t Arc<Tree>>) -> u64 {
    trees.into_iter().map(|tree| tree.space(&run.ctx.ask_other()).map_or(0, |space| space.used)).sum()
}

fn check_named_table(run: &mut BatchRun<'_>, report: &mut Report, def: &Arc<TableDef>) -> SqlResult<()> {
    let errors = check_table(run, report, def)?;
    if errors > 0 {
        report.say(run, About::table(def), 8990, &[&"CHECKTABLE", &0, &errors, &def.name, &def.id.0])?;
    }
    Ok(())
}

/// Maps against claims. Work goes on meanwhile: only what is wrong twice is wrong, each time with objects that lived before and after.
fn check_allocation(run: &mut BatchRun<'_>, report: &mut Report, dictionary: &Dictionary) -> SqlResult<u64> {
    let db = dictionary.database();
    if db == DbId::TEMPDB {
        // Its maps are made anew at every start, and its objects come and go by the thousand.
        return Ok(0);
    }
    let first = claims_now(&run.ctx, dictionary)?;
    let second = claims_now(&run.ctx, dictionary)?;
    let (mut errors, about) = (0, About::database(db));
    for extent in second.claimed_twice.iter().filter(|extent| first.claimed_twice.contains(extent)) {
        errors += 1;
        let place = format!("({}:{})", extent.file, extent.extent.first_page());
        report.complain(run, about, 8904, &[&place, &db])?;
    }
    for extent in second.claimed_but_free.iter().filter(|extent| first.claimed_but_free.contains(extent)) {
        errors += 1;
        let place = format!("({}:{})", extent.file, extent.extent.first_page());
        report.complain(run, about, 8903, &[&place, &db])?;
    }
    for page in second.chain_pages.iter().filter(|page| first.chain_pages.contains(page)) {
        errors += 1;
        let place = format!("({}:{})", page.file, page.page);
        report.complain(run, about, 2576, &[&place])?;
    }
    Ok(errors)
}

fn check_system(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    dictionary: &Dictionary,
    is_reported: bool,
) -> SqlResult<u64> {
    let mut errors = 0;
    for (table, tree) in SystemTable::ALL.into_iter().zip(dictionary.system_trees()) {
        let name = format!("sys.{}", table.def().name);
        errors += check_tree(run, report, (dictionary.database(), tree), &name, is_reported)?;
    }
    Ok(errors)
}

/// One table: its trees, then its indexes against its rows.
fn check_table(run: &mut BatchRun<'_>, report: &mut Report, def: &Arc<TableDef>) -> SqlResult<u64> {
    let facts = Arc::clone(&run.ctx.facts.settings);
    run.session.apply_settings(&facts);
    let mark = transaction::begin_statement(&mut run.session.work);
    let result = check_locked(run, report, def);
    let ask = run.ctx.ask_other();
    let ended = match &result {
        Ok(_) => transaction::end_statement(&mut run.session.work, &ask, mark),
        Err(_) => transaction::abort_statement(&mut run.session.work, &ask, mark).map(drop),
    };
    ended.map_err(|error| scope::txn_error(run, error, &def.name))?;
    result
}

fn check_locked(run: &mut BatchRun<'_>, report: &mut Report, def: &Arc<TableDef>) -> SqlResult<u64> {
    let database = run.ctx.engine.instance().database(def.database);
    let has_versions = database.is_some_and(|database| database.options().is_on(DatabaseFlag::ReadCommittedSnapshot));
    scope::lock_definition(run, def, if has_versions { LockMode::SchS } else { LockMode::S })?;
    // What was found before the lock may be gone by now, or built anew.
    let objects = run.ctx.engine.databases().dictionary(def.database)?.catalog().objects();
    let Some((def, trees)) = objects.table(def.id) else { return Ok(0) };
    let (mut errors, about) = (0, About::table(def));
    for (index, tree) in def.indexes.iter().zip(&trees.trees) {
        errors += check_tree(run, report, (def.database, tree), &def.two_part_name(), index.holds_rows())?;
    }
    if errors == 0 {
        errors += check_values(run, report, (def, trees), !has_versions)?;
    }
    if errors == 0 {
        errors += compare_indexes(run, report, (def, trees))?;
    }
    if errors == 0 && def.is_view_rows() {
        let ctx = Arc::clone(&run.ctx);
        let wrong = indexed_view::wrong_rows(&mut run.session.work, &ctx, def)?;
        errors += wrong.len() as u64;
        for (number, view) in wrong {
            report.complain(run, about, number, &[&def.name, &view.0])?;
        }
    }
    if errors > 0 {
        report.inform(run, about, 8990, &[&"CHECKDB", &0, &errors, &def.name, &def.id.0])?;
    }
    Ok(errors)
}

/// The structure of one tree: how many errors. `is_reported`: its table is reported, with its rows.
fn check_tree(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    (database, tree): (DbId, &Tree),
    name: &str,
    is_reported: bool,
) -> SqlResult<u64> {
    let place = message::Place { schema: "", object: name, database: &run.ctx.facts.database_name };
    let found =
        tree::check::check_tree(tree, &run.ctx.ask_other()).map_err(|cause| message::of_access(cause, place))?;
    let ids = tree.ids();
    let about = About::index(database, ids);
    if is_reported {
        report.inform(run, about, 2536, &[&name])?;
    }
    run.ctx.task.progress.add(found.pages);
    for problem in &found.problems {
        let (object, index) = (ids.object_id.cast_signed(), ids.index_id);
        report.complain(run, about.at(problem), number_of(problem), &[&object, &index, &problem])?;
    }
    if is_reported {
        report.inform(run, about, 2593, &[&found.rows, &found.leaves, &name])?;
    }
    Ok(found.problem_count)
}

/// The values beyond the records: all whole, and no page that belongs to none. Where others may change the table
/// meanwhile, only the first can be said.
fn check_values(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    (def, trees): (&Arc<TableDef>, &Arc<TableTrees>),
    alone: bool,
) -> SqlResult<u64> {
    let mut errors = 0;
    for (index, tree) in def.indexes.iter().zip(&trees.trees) {
        let first = value_problems(run, def, index, tree)?;
        if first.is_empty() {
            continue;
        }
        // The cleaner may have been about to free a value: what is wrong is so twice.
        let second = value_problems(run, def, index, tree)?;
        let ids = tree.ids();
        for problem in first.iter().filter(|problem| second.contains(problem)) {
            let number = match problem {
                ValueProblem::Broken { .. } => 8965,
                ValueProblem::Twice { .. } => 8974,
                ValueProblem::NotAllocated { .. } if alone => 8963,
                ValueProblem::Unclaimed { .. } if alone => 8964,
                _ => continue,
            };
            errors += 1;
            let about = About::index(def.database, ids);
            report.complain(run, about, number, &[&ids.object_id.cast_signed(), &ids.index_id, &problem])?;
        }
    }
    Ok(errors)
}

fn value_problems(
    run: &mut BatchRun<'_>,
    def: &TableDef,
    index: &IndexDef,
    tree: &Arc<Tree>,
) -> SqlResult<Vec<ValueProblem>> {
    let reader = run.session.work.reader();
    reader.hold_values();
    let ask = run.ctx.ask_other();
    let failed = |cause| message::of_access(cause, place_of(def));
    let Some(store) = tree.values(&ask).map_err(failed)? else { return Ok(Vec::new()) };
    let mut live = Vec::new();
    live_values(def, index, tree, &ask, &mut live)?;
    let mut live: Vec<Owned> = live.into_iter().map(Owned::Value).collect();
    live.extend(values::loose_values(&run.session.work, tree));
    live.extend(values::waiting_values(run.ctx.engine.txns(), tree));
    Ok(store.check(&ask, &mut live.into_iter()).map_err(failed)?.problems)
}

fn compare_indexes(
    run: &mut BatchRun<'_>,
    report: &mut Report,
    (def, trees): (&Arc<TableDef>, &Arc<TableTrees>),
) -> SqlResult<u64> {
    // Entries of other rules are not those of the rows.
    let is_compared = |index: &usize| !def.indexes[*index].disabled && !def.indexes[*index].is_outdated();
    let beside: Vec<usize> =
        (1..def.indexes.len()).filter(|index| is_compared(index) && *index < trees.trees.len()).collect();
    if beside.is_empty() {
        return Ok(0);
    }
    let reader = run.session.work.reader();
    let wanted = sums_of_rows(run, def, trees, &beside, &reader)?;
    let mut errors = 0;
    for (index, wanted) in beside.into_iter().zip(wanted) {
        let there = sum_of_index(run, def, &trees.trees[index], &reader)?;
        if there == wanted {
            continue;
        }
        errors += 1;
        let (name, id, index) = (&def.name, def.id.0, &def.indexes[index]);
        let number = if there.entries < wanted.entries { 8951 } else { 8952 };
        let about = About::index(def.database, tree_ids(def.id, index.id));
        report.complain(run, about, number, &[name, &id, &index.name, &index.id, &there.entries, &wanted.entries])?;
    }
    Ok(errors)
}

fn sums_of_rows(
    run: &BatchRun<'_>,
    def: &Arc<TableDef>,
    trees: &Arc<TableTrees>,
    beside: &[usize],
    reader: &Arc<Reader>,
) -> SqlResult<Vec<Sum>> {
    let mut sums = vec![Sum::default(); beside.len()];
    let (mut row, mut key, mut space) = (Vec::new(), Vec::new(), Vec::new());
    if def.layout.may_overflow() {
        reader.hold_values();
    }
    let home = ValueHome::Tree(&trees.trees[0]);
    let large =
        Large { layout: &def.layout, home, ask: run.ctx.ask_other(), place: place_of(def), watch: run.ctx.watch() };
    let wanted = |column: usize| {
        let keyed = |index: &IndexDef| index.filter.is_some() || index.key.iter().any(|key| key.column == column);
        beside.iter().any(|index| keyed(&def.indexes[*index]))
    };
    each(run, def, &trees.trees[0], reader, &mut |locator, record| {
        let record = large.whole(record, &wanted, &mut space)?;
        def.layout.decode(record, &mut row).map_err(message::of_row)?;
        for (sum, index) in sums.iter_mut().zip(beside) {
            let index = &def.indexes[*index];
            if has_row(run, index, &row)? {
                index_key(def, index, &row, locator, &mut key);
                sum.add(&key, locator);
            }
        }
        Ok(())
    })?;
    Ok(sums)
}

fn has_row(run: &BatchRun<'_>, index: &IndexDef, row: &[Value]) -> SqlResult<bool> {
    match &index.filter {
        None => Ok(true),
        Some((_, filter)) => is_true(filter, &*run.ctx, Rows::of(row)),
    }
}

fn sum_of_index(run: &BatchRun<'_>, def: &Arc<TableDef>, tree: &Arc<Tree>, reader: &Arc<Reader>) -> SqlResult<Sum> {
    let mut sum = Sum::default();
    each(run, def, tree, reader, &mut |key, payload| {
        sum.add(key, split_payload(payload)?.0);
        Ok(())
    })?;
    Ok(sum)
}

pub(in crate::exec) fn each(
    run: &BatchRun<'_>,
    def: &TableDef,
    tree: &Arc<Tree>,
    reader: &Arc<Reader>,
    take: Take<'_>,
) -> SqlResult<()> {
    let hint = ReadHint { isolation: Some(Isolation::ReadCommitted), ..ReadHint::default() };
    let mut failed = None;
    let read =
        read::scan::for_each(
            reader,
            &run.ctx.ask_other(),
            tree,
            KeyRange::all(),
            hint,
            &mut |key, payload| match take(key, payload) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            },
        );
    read.map_err(|error| message::of_txn(error, place_of(def)))?;
    failed.map_or(Ok(()), Err)
}

fn number_of(problem: &TreeProblem) -> i32 {
    match problem {
        TreeProblem::Unreadable { .. } => 8928,
        TreeProblem::Page { .. } => 8939,
        TreeProblem::Order { .. } => 2511,
        TreeProblem::Bounds { .. } => 8934,
        TreeProblem::Link { .. } => 8936,
        TreeProblem::Twice { .. } => 8979,
        TreeProblem::NotAllocated { .. } => 2575,
    }
}
