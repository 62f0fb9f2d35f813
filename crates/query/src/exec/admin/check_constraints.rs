//! DBCC CHECKCONSTRAINTS: the rows that violate constraints.
//!
//! ```text
//!   argument ─▶ tables ─▶ for each FOREIGN KEY and CHECK one pass over the rows ─▶ result, from the first row that is found on
//! ```
//! What always holds: conditions are those that the table keeps, asked of its rows as they are committed; rows that a result would
//! show alike are shown once for each constraint; without ALL_ERRORMSGS the first 200 of all. It does not know rules, nor whether
//! indexes are right (DBCC CHECKDB).

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use millpond_access::tree::{Direction, KeyRange};
use millpond_builtin::bracketed;
use millpond_builtin::eval::{Rows, truth};
use millpond_catalog::large::Large;
use millpond_catalog::run::Run;
use millpond_catalog::{DatabaseObjects, ObjectId, TableDef, names_equal};
use millpond_engine::arguments::{named_table, place_of_name};
use millpond_engine::stored::{Entries, IndexScan, place_of};
use millpond_engine::system_call::{CallArg, DbccTakes, closed};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, DoneKind};
use millpond_rows::constraint::{Constraint, condition_of};
use millpond_storage::contract::DbId;
use millpond_txn::read;
use millpond_txn::{Isolation, ReadHint};
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, COMMAND_SELECT, scope};
use crate::exec::dml::references;

/// `DBCC CHECKCONSTRAINTS [(table | constraint)]`
pub(in crate::exec) const TAKES: DbccTakes =
    DbccTakes { args: 0..=1, options: &["ALL_CONSTRAINTS", "ALL_ERRORMSGS", "NO_INFOMSGS"] };

/// Rows reported without ALL_ERRORMSGS.
const ROWS_MAX: u64 = 200;

/// What is to be checked.
enum Wanted {
    All,
    Table(ObjectId),
    Constraint(ObjectId),
}

/// What was found so far.
struct Found {
    rows: u64,
    rows_max: u64,
    /// What was shown of the constraint at hand, by two hashes: two texts have not the same ones but by chance beyond all limits.
    shown: HashSet<(u64, u64)>,
    hashers: (RandomState, RandomState),
}

/// # Errors
/// 2507 under CONCAT_NULL_YIELDS_NULL OFF, 2501 or 2573 for what is neither a table nor a constraint.
pub(in crate::exec) fn check_constraints(
    run: &mut BatchRun<'_>,
    args: &[CallArg],
    options: &[String],
) -> SqlResult<()> {
    if !run.ctx.facts.settings.concat_null_yields_null {
        return Err(SqlError::of(2507, 1, &[]));
    }
    let has = |word: &str| options.iter().any(|option| option == word);
    let (database, wanted) = wanted(run, args.first().and_then(|arg| arg.value.as_ref()))?;
    let objects = run.ctx.engine.databases().dictionary(database)?.catalog().objects();
    let rows_max = if has("ALL_ERRORMSGS") { u64::MAX } else { ROWS_MAX };
    let hashers = (RandomState::new(), RandomState::new());
    let mut found = Found { rows: 0, rows_max, shown: HashSet::new(), hashers };
    let is_wanted = |def: &TableDef, constraint: &Constraint<'_>| match wanted {
        Wanted::Constraint(id) => constraint.id() == id,
        Wanted::Table(id) if def.id != id => false,
        _ => !constraint.is_disabled() || has("ALL_CONSTRAINTS"),
    };
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([]);
    // Functions of conditions read what the statement itself sees.
    ctx.calls_functions = true;
    // Constraints of tables in memory have never been disabled.
    for (def, _) in objects.stored().filter(|(def, _)| !def.in_memory) {
        let ids: Vec<ObjectId> =
            Constraint::all(def).filter(|constraint| is_wanted(def, constraint)).map(Constraint::id).collect();
        for id in ids {
            found.shown.clear();
            scope::reading(run, |run| check_constraint(run, (database, def.id), id, &mut found))?;
        }
    }
    if found.rows > 0 {
        let kind = DoneKind::InProcedure;
        run.sink.done(Done { kind, row_count: None, error: false, command: COMMAND_SELECT });
    }
    Ok(())
}

/// The database and what is to be checked in it.
fn wanted(run: &BatchRun<'_>, arg: Option<&Value>) -> SqlResult<(DbId, Wanted)> {
    let home = run.ctx.facts.database;
    let Some(arg) = arg else { return Ok((home, Wanted::All)) };
    let unknown = match named_table(&run.ctx, Some(arg)) {
        Ok((_, def, _)) => return Ok((def.database, Wanted::Table(def.id))),
        Err(unknown) => unknown,
    };
    let place = arg.as_str().and_then(|name| place_of_name(&run.ctx, home, name));
    let database = place.as_ref().map_or(home, |(database, _, _)| *database);
    let objects = run.ctx.engine.databases().dictionary(database)?.catalog().objects();
    let is_meant = |def: &TableDef, constraint: &Constraint<'_>| match &place {
        Some((_, schema, name)) => names_equal(constraint.name(), name) && names_equal(&def.schema.name, schema),
        None => arg.as_i64() == Some(i64::from(constraint.id().0)),
    };
    match constraint_of(&objects, is_meant) {
        Some(id) => Ok((database, Wanted::Constraint(id))),
        None => Err(unknown),
    }
}

fn constraint_of(objects: &DatabaseObjects, is_meant: impl Fn(&TableDef, &Constraint<'_>) -> bool) -> Option<ObjectId> {
    objects
        .stored()
        .find_map(|(def, _)| Constraint::all(def).find(|constraint| is_meant(def, constraint)).map(Constraint::id))
}

/// Shows the rows of a table that violate one of its constraints; nothing where either is gone by now.
fn check_constraint(
    run: &mut BatchRun<'_>,
    (database, table): (DbId, ObjectId),
    id: ObjectId,
    found: &mut Found,
) -> SqlResult<()> {
    let Some((def, trees)) = references::open_other(run, database, table)? else { return Ok(()) };
    let Some(constraint) = Constraint::all(&def).find(|constraint| constraint.id() == id) else { return Ok(()) };
    let columns = constraint.columns(&def);
    let ctx = Arc::clone(&run.ctx);
    let ask = ctx.ask_other();
    let failed = |error| message::of_txn(error, place_of(&def));
    let reader = run.session.work.reader();
    if def.layout.may_overflow() {
        reader.hold_values();
    }
    let large =
        Large { layout: &def.layout, home: trees.value_home(0), ask, place: place_of(&def), watch: ctx.watch() };
    let hint = ReadHint { isolation: Some(Isolation::ReadCommitted), ..ReadHint::default() };
    let rows = read::scan::open(&reader, &trees.trees[0], KeyRange::all(), Direction::Forward, hint);
    let (mut scan, mut entries) = (IndexScan::Tree(rows), Entries::default());
    let (mut row, mut space) = (Vec::new(), Vec::new());
    let mut has_more = true;
    while has_more {
        has_more = entries.fill(&mut scan, &ask, usize::MAX).map_err(failed)?;
        for entry in entries.iter() {
            let record = large.whole(entry.payload, &|column| columns.contains(&column), &mut space)?;
            def.layout.decode(record, &mut row).map_err(message::of_row)?;
            let is_broken = match constraint {
                Constraint::Check(check) => truth(&check.expr, &*ctx, Rows::of(&row))? == Some(false),
                Constraint::ForeignKey(key) => references::is_orphan(run, &ctx, &def, key, &row)?,
            };
            if is_broken {
                let text = condition_of(&def, &row, &columns, ctx.facts.settings.cast_rules())?;
                show(run, found, &def, constraint, text)?;
            }
            if found.rows >= found.rows_max {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Sends a row of the result, unless one like it was sent; its columns before the first one.
fn show(
    run: &mut BatchRun<'_>,
    found: &mut Found,
    def: &TableDef,
    constraint: Constraint<'_>,
    text: String,
) -> SqlResult<()> {
    if !found.shown.insert((found.hashers.0.hash_one(&text), found.hashers.1.hash_one(&text))) {
        return Ok(());
    }
    if found.rows == 0 {
        let name = SqlType::NVarChar { len: MaxLen::Limited(776) };
        let columns = [("Table", name), ("Constraint", name), ("Where", SqlType::NVarChar { len: MaxLen::Max })];
        run.sink.columns(&columns.map(|(name, sql)| Column::new(name, sql))).map_err(closed)?;
    }
    found.rows += 1;
    let table = format!("{}.{}", bracketed(&def.schema.name), bracketed(&def.name));
    let row = [Value::str(&table), Value::str(&bracketed(constraint.name())), Value::str(&text)];
    run.sink.row(&row).map_err(closed)
}
