//! CREATE, UPDATE and DROP STATISTICS; of temporary tables by `millpond_rows::made_statistics`.

use std::sync::Arc;

use millpond_bind::Binder;
use millpond_bind::definition::index_list::with_indexes;
use millpond_bind::definition::statistics::{new_statistics, targets};
use millpond_catalog::run::Run;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{CatalogObject, StatisticsDef, StatisticsObject, TableDef, is_local_temporary, names_equal};
use millpond_engine::inventory::ListedTable;
use millpond_engine::rows::TableRows;
use millpond_engine::settled;
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::made_statistics::{self, with_made};
use millpond_seek::{Sample, make};
use millpond_tsql::ast::{
    CreateStatistics, DropObjects, Expr, NamedOption, ObjectName, OptionValue, UpdateStatistics, find_option,
};
use millpond_txn::lock::LockMode;
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::indexed_view::find_indexed;
use crate::exec::ddl::objects;
use millpond_names::session_names::SessionNames;

pub(in crate::exec) fn create_statistics(run: &mut BatchRun<'_>, create: &CreateStatistics) -> SqlResult<()> {
    let sample = sample_of(run, &create.options)?;
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    let last = create.table.last().clone();
    if is_local_temporary(&last) {
        let table = temporary(run, &last).ok_or_else(|| no_such_table(&create.table))?;
        let made = bound_statistics(run, &with_made(&table), &ListedTable::temporary(&table).statistics(), create)?;
        made_statistics::add(&table, made, |rows, object| {
            make(&run.ctx, (&table.def, rows), object, sample.unwrap_or(Sample::Usual), None)
        })?;
        run.done_without_count();
        return Ok(());
    }
    scope::atomically(run, &last, |run| {
        let open = find_indexed(run, &create.table)?.ok_or_else(|| no_such_table(&create.table))?;
        let known = listed(&open.def, &open.trees).statistics();
        let made = bound_statistics(run, &open.def, &known, create)?;
        let mut def = with_indexes(&open.def, open.def.indexes.clone());
        def.statistics.push(made);
        let def = Arc::new(def);
        objects::put_definition(run, &open.dictionary, &def, Arc::clone(&open.trees))?;
        let object = def.statistics_object(&create.name).expect("put above");
        let rows = TableRows::Trees(Arc::clone(&open.trees));
        make(&run.ctx, (&def, &rows), &object, sample.unwrap_or(Sample::Usual), None)
    })?;
    run.done_without_count();
    Ok(())
}

/// The temporary table of a name that the session sees.
fn temporary(run: &BatchRun<'_>, name: &str) -> Option<TempTable> {
    run.ctx.session.temp.read().find(name, run.ctx.facts.nest_level).cloned()
}

/// A stored table with its number.
fn listed(def: &Arc<TableDef>, trees: &Arc<TableTrees>) -> ListedTable {
    let rows = TableRows::Trees(Arc::clone(trees));
    ListedTable { id: def.id.0, name: def.name.clone(), def: Arc::clone(def), rows }
}

fn bound_statistics(
    run: &BatchRun<'_>,
    def: &TableDef,
    known: &[StatisticsObject],
    create: &CreateStatistics,
) -> SqlResult<StatisticsDef> {
    let names = SessionNames::of(&run.ctx);
    new_statistics(&mut Binder::new(&names, &run.variables), (def, known), create)
}

/// UPDATE STATISTICS: those of the names, or all of the table.
pub(in crate::exec) fn update_statistics(run: &mut BatchRun<'_>, update: &UpdateStatistics) -> SqlResult<()> {
    // Counts that are given are guesses of an optimizer's for tests: what there is, is counted here.
    if ["ROWCOUNT", "PAGECOUNT"].iter().any(|given| find_option(&update.options, given).is_some()) {
        any_table(run, &update.table)?.ok_or_else(|| no_such_table(&update.table))?;
        run.done_without_count();
        return Ok(());
    }
    let sample = sample_of(run, &update.options)?;
    let last = update.table.last().clone();
    scope::forget_tables(run);
    scope::atomically(run, &last, |run| {
        fix_statistics(run, update)?;
        let table = table_with_statistics(run, &update.table)?;
        let (result, def) = (update_some(run, &table, update, sample), &table.def);
        if !def.is_temporary() && run.session.work.in_transaction() {
            run.session.work.release_definition(def.database, def.id.0 as u32);
        }
        result
    })?;
    run.done_without_count();
    Ok(())
}

/// NORECOMPUTE, or that it is not there, becomes part of the definition.
fn fix_statistics(run: &mut BatchRun<'_>, update: &UpdateStatistics) -> SqlResult<()> {
    let fixed = find_option(&update.options, "NORECOMPUTE").is_some();
    let Some(known) = any_table(run, &update.table)? else { return Ok(()) };
    // Automatic ones are in no definition.
    let mut meant = targets(known.statistics(), update)?;
    meant.retain(|object| !object.is_automatic());
    if !meant.iter().any(|object| object.no_recompute != fixed) {
        return Ok(());
    }
    if known.def.is_temporary() {
        made_statistics::fix(&known.rows, &meant, fixed);
        return Ok(());
    }
    let open = find_indexed(run, &update.table)?.ok_or_else(|| no_such_table(&update.table))?;
    let mut def = with_indexes(&open.def, open.def.indexes.clone());
    for object in targets(listed(&open.def, &open.trees).statistics(), update)? {
        match object.index {
            Some(position) => def.indexes[position].options.no_recompute = fixed,
            None => {
                let own = def.statistics.iter_mut().filter(|made| made.id == object.id);
                own.for_each(|made| made.no_recompute = fixed);
            }
        }
    }
    objects::put_definition(run, &open.dictionary, &Arc::new(def), open.trees)
}

fn update_some(
    run: &mut BatchRun<'_>,
    table: &ListedTable,
    update: &UpdateStatistics,
    sample: Option<Sample>,
) -> SqlResult<()> {
    let resample = find_option(&update.options, "RESAMPLE").is_some();
    let persist = find_option(&update.options, "PERSIST_SAMPLE_PERCENT");
    let (def, counters) = (&table.def, table.rows.counters());
    for mut object in targets(table.statistics(), update)? {
        object.no_recompute = find_option(&update.options, "NORECOMPUTE").is_some();
        let known = counters.statistics.get(object.id, &object.column_ids(def));
        let persisted = known.as_ref().and_then(|known| known.persisted_percent);
        let as_before = || match (persisted, known) {
            (_, Some(known)) if resample && is_whole(&known) => Sample::Full,
            (Some(percent), _) => Sample::Percent(percent),
            _ => Sample::Usual,
        };
        let percent = match (persist.map(|option| option.is("ON")), sample) {
            (Some(true), Some(Sample::Full)) => Some(100.0),
            (Some(true), Some(Sample::Percent(percent))) => Some(percent),
            (Some(false), _) => None,
            _ => persisted,
        };
        make(&run.ctx, (def, &table.rows), &object, sample.unwrap_or_else(as_before), percent)?;
    }
    Ok(())
}

pub(in crate::exec) fn drop_statistics(run: &mut BatchRun<'_>, drop: &DropObjects) -> SqlResult<()> {
    transaction::implicit_begin(run);
    for name in &drop.names {
        scope::forget_tables(run);
        let (own, table) = name.parts.split_last().expect("a name has parts");
        let table = ObjectName { parts: table.to_vec() };
        let whole = name.shown();
        if table.parts.is_empty() {
            return Err(SqlError::of(1020, 1, &[]));
        }
        let last = table.parts.last().expect("seen above").clone();
        if is_local_temporary(&last) {
            made_statistics::drop(temporary(run, &last).as_ref(), own, &whole, drop.if_exists)?;
            continue;
        }
        scope::atomically(run, &last, |run| {
            let found = find_indexed(run, &table)?;
            let all = found.as_ref().map(|open| listed(&open.def, &open.trees).statistics());
            let object = all.and_then(|all| all.into_iter().find(|object| names_equal(&object.name, own)));
            let Some((open, object)) = found.zip(object) else {
                return if drop.if_exists { Ok(()) } else { Err(message::cannot_drop("statistics", &whole)) };
            };
            if object.index.is_some() {
                return Err(SqlError::of(3739, 1, &[&whole]));
            }
            if object.is_automatic() {
                open.trees.counters.statistics.forget(object.id);
                return Ok(());
            }
            let mut def = with_indexes(&open.def, open.def.indexes.clone());
            def.statistics.retain(|made| made.id != object.id);
            objects::put_definition(run, &open.dictionary, &Arc::new(def), open.trees)
        })?;
    }
    run.done_without_count();
    Ok(())
}

/// The table of a name, kept from changes of its definition.
fn table_with_statistics(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<ListedTable> {
    let found = any_table(run, name)?.ok_or_else(|| no_such_table(name))?;
    if found.def.is_temporary() {
        return Ok(found);
    }
    scope::lock_definition(run, &found.def, LockMode::SchS)?;
    // Another may have changed or dropped it while this one waited.
    any_table(run, name)?.ok_or_else(|| no_such_table(name))
}

/// The table of a name as it is now.
fn any_table(run: &BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<ListedTable>> {
    if is_local_temporary(name.last()) {
        return Ok(temporary(run, name.last()).as_ref().map(ListedTable::temporary));
    }
    Ok(match settled::find_object(&run.ctx, name)? {
        Some(CatalogObject::Table(def, trees)) => Some(listed(&def, &trees)),
        Some(CatalogObject::Module(view)) => {
            let objects = settled::dictionary_of(&run.ctx, name)?.catalog().objects();
            view.rows_in(&objects).map(|(def, trees)| listed(def, trees))
        }
        _ => None,
    })
}

/// What FULLSCAN or SAMPLE says; none when neither is there.
fn sample_of(run: &BatchRun<'_>, options: &[NamedOption]) -> SqlResult<Option<Sample>> {
    if find_option(options, "FULLSCAN").is_some() {
        return Ok(Some(Sample::Full));
    }
    let Some(option) = find_option(options, "SAMPLE") else { return Ok(None) };
    let OptionValue::Quantity { amount, unit } = &option.value else {
        return Err(message::syntax_near("SAMPLE"));
    };
    let amount = amount_of(run, amount)?;
    match unit.as_str() {
        "PERCENT" if (0..=100).contains(&amount) => Ok(Some(Sample::Percent(amount as f64))),
        "ROWS" if amount >= 0 => Ok(Some(Sample::Rows(amount.cast_unsigned()))),
        "PERCENT" | "ROWS" => Err(SqlError::of(1031, 1, &[])),
        _ => Err(message::syntax_near(unit)),
    }
}

fn amount_of(run: &BatchRun<'_>, expr: &Expr) -> SqlResult<i64> {
    let names = SessionNames::of(&run.ctx);
    let bound = Binder::new(&names, &run.variables).expression(expr)?;
    let value = millpond_builtin::eval::eval(&bound, &*run.ctx, millpond_builtin::eval::Rows::NONE)?;
    let whole = millpond_types::cast::cast(&value, &bound.ty.sql, &SqlType::BigInt, None, run.ctx.cast_rules());
    match whole.map_err(message::of_eval)? {
        Value::BigInt(amount) => Ok(amount),
        _ => Err(message::syntax_near("NULL")),
    }
}

/// Whether all rows were looked at.
fn is_whole(known: &Statistics) -> bool {
    known.sampled >= known.rows
}

/// 1088
fn no_such_table(name: &ObjectName) -> SqlError {
    SqlError::of(1088, 12, &[&name.shown()])
}
