//! ALTER TABLE. Rows are written anew only where their form changes; a nullable column at the end is a change of the
//! definition alone.

use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_bind::definition::altered::{
    check_new_name, check_other_columns, escalation_of, is_of_new_key, no_such_column, no_such_constraint, switched,
    with_property, without_constraint,
};
use millpond_bind::definition::cascade_paths::check_cascades;
use millpond_bind::definition::column_users::{altered_users_of, bound_users_of, refused, users_of};
use millpond_bind::definition::index_list::{built_now, indexes_without, name_of, wide_keys, with_indexes};
use millpond_bind::{Binder, NewTable};
use millpond_builtin::eval::{Rows, truth};
use millpond_catalog::large::{Large, all};
use millpond_catalog::run::Run;
use millpond_catalog::trees::{TableCounters, TableTrees};
use millpond_catalog::{CheckDef, ForeignKeyDef, IndexDef, TableDef};
use millpond_engine::bound_objects;
use millpond_engine::settled::Seeker;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rights::statements;
use millpond_rows::constraint;
use millpond_rows::new_column::{self, NewColumn, NewForm, check_new_value};
use millpond_rows::row::{check_failed, compute, stored};
use millpond_tsql::ast::{
    AlterColumn, AlterTable, AlterTableAction, ColumnDefinition, ColumnProperty, ConstraintKind, NamedOption,
    ObjectName, StatementKind, TableConstraint, TableDefinition, TableDrop, TableDropKind,
};
use millpond_txn::ValueHome;
use millpond_txn::read;
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl;
use crate::exec::ddl::objects::Open;
use crate::exec::ddl::{alter_temporary, data_space, index, objects, schema_binding, table};
use crate::exec::dml::references;
use crate::exec::routine::trigger::definition;
use millpond_names::session_names::SessionNames;
use millpond_rows::build::{self, OldTable};

/// Before a bulk load that passes over constraints: who loads may alter the table, and none of them is trusted any more.
/// Says whether one was.
pub(in crate::exec) fn distrust(run: &mut BatchRun<'_>, def: &TableDef, named: &ObjectName) -> SqlResult<bool> {
    let Some((alter, is_trusting)) = constraint::distrusting(def, named) else { return Ok(false) };
    statements::check(&run.ctx, &StatementKind::AlterTable(Box::new(alter.clone())))?;
    if is_trusting {
        altered(run, &alter)?;
    }
    Ok(is_trusting)
}

pub(in crate::exec) fn alter_table(run: &mut BatchRun<'_>, alter: &AlterTable) -> SqlResult<()> {
    if altered(run, alter)? {
        run.done_without_count();
    }
    Ok(())
}

/// Says whether the statement's end is still to be told.
fn altered(run: &mut BatchRun<'_>, alter: &AlterTable) -> SqlResult<bool> {
    scope::check_versioned(run, &alter.table)?;
    transaction::implicit_begin(run);
    let ctx = run.ctx_mut();
    ctx.tables = Arc::from([]);
    // Functions of conditions and computed columns read what the statement itself sees.
    ctx.calls_functions = true;
    let last = alter.table.last().clone();
    if is_local_temporary(&last) {
        return alter_temporary::alter_temporary(run, &alter.table, &alter.action).map(|()| true);
    }
    if let AlterTableAction::Trigger { enable, triggers } = &alter.action {
        return definition::switch_triggers_of(run, &alter.table, triggers.as_deref(), *enable).map(|()| false);
    }
    scope::atomically(run, &last, |run| {
        let open = objects::open_table(run, &alter.table)?;
        alter_open(run, open, &alter.table, &alter.action)
    })?;
    Ok(true)
}

fn alter_open(run: &mut BatchRun<'_>, open: Open, table: &ObjectName, action: &AlterTableAction) -> SqlResult<()> {
    match action {
        AlterTableAction::Add { definition, with_check } => add_to_table(run, open, definition, *with_check),
        AlterTableAction::Drop(drops) => {
            drops.iter().try_fold(open, |open, drop| drop_of_table(run, open, drop)).map(|_| ())
        }
        AlterTableAction::AlterColumn(column) => alter_column(run, &open, column),
        AlterTableAction::Check { enable, with_check, constraints } => {
            switch_constraints(run, &open, *enable, *with_check == Some(true), constraints.as_deref())
        }
        AlterTableAction::Set(options) => set_table_options(run, &open, options),
        AlterTableAction::Rebuild { options, .. } => index::rebuild_clustered(run, &open, table, options),
        AlterTableAction::ColumnProperty { column, add, property } => {
            change_property(run, &open, column, (*property, *add))
        }
        AlterTableAction::ColumnMask { column, mask } => change_mask(run, &open, column, mask.as_deref()),
        AlterTableAction::Trigger { .. } | AlterTableAction::Switch { .. } => unreachable!("done before"),
        AlterTableAction::ChangeTracking { .. } => Err(message::missing("CHANGE_TRACKING")),
        AlterTableAction::AlterIndex { .. } => Err(message::missing("ALTER TABLE … ALTER INDEX")),
    }
}

/// `ALTER COLUMN name ADD|DROP SPARSE|ROWGUIDCOL|PERSISTED`
fn change_property(
    run: &mut BatchRun<'_>,
    open: &Open,
    name: &str,
    (property, is_added): (ColumnProperty, bool),
) -> SqlResult<()> {
    let changed = with_property(&open.def, name, property, is_added)?;
    if property != ColumnProperty::Persisted {
        return objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees));
    }
    schema_binding::check_column_unbound(run, open, name, "ALTER COLUMN")?;
    let ctx = Arc::clone(&run.ctx);
    rebuild_table(run, open, changed, vec![None; open.def.indexes.len()], &mut |row, changed| {
        let mut row = row.to_vec();
        compute(changed, &mut row, &ctx)?;
        Ok(row)
    })
}

/// `ALTER COLUMN name ADD MASKED WITH (FUNCTION = 'text')`, `DROP MASKED`
fn change_mask(run: &mut BatchRun<'_>, open: &Open, name: &str, mask: Option<&str>) -> SqlResult<()> {
    let def = &open.def;
    let position = def.column(name).ok_or_else(|| no_such_column("ALTER COLUMN", name, def))?;
    if mask.is_none() && def.columns[position].mask.is_none() {
        return Err(SqlError::of(16_007, 1, &[&def.columns[position].name]));
    }
    let mut changed = with_indexes(def, def.indexes.clone());
    changed.columns[position] = millpond_bind::masked_column(changed.columns[position].clone(), mask)?;
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))?;
    // What was bound to the kept rows of a view knows nothing of the table.
    for rows in &def.views {
        if let Some(rows) = objects::open_by_id(run, &open.dictionary, *rows)? {
            objects::renew_table(&rows);
        }
    }
    Ok(())
}

/// The index of a new key is where it says ON, else beside the rows.
fn place_key(run: &mut BatchRun<'_>, open: &Open, constraint: &TableConstraint) -> SqlResult<()> {
    let (ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key)) = &constraint.kind else { return Ok(()) };
    let objects = open.dictionary.catalog().objects();
    let Some((now, _)) = objects.table(open.def.id) else { return Ok(()) };
    let is_new = |index: &&IndexDef| open.def.indexes.iter().all(|old| old.constraint != index.constraint);
    match now.indexes.iter().filter(|index| index.constraint.0 != 0).find(is_new) {
        Some(made) => data_space::place_index(run, &open.dictionary, now, (made, key.on.as_ref())),
        None => Ok(()),
    }
}

/// `SET (LOCK_ESCALATION = …)`
fn set_table_options(run: &mut BatchRun<'_>, open: &Open, options: &[NamedOption]) -> SqlResult<()> {
    let escalation = escalation_of(&open.def, options)?;
    let changed = TableDef { escalation, ..with_indexes(&open.def, open.def.indexes.clone()) };
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

/// The table as it is now: after one of several changes.
fn again(open: &Open) -> SqlResult<Open> {
    let objects = open.dictionary.catalog().objects();
    let (def, trees) = objects.table(open.def.id).ok_or_else(|| message::invalid_object(&open.def.name))?;
    Ok(Open { dictionary: Arc::clone(&open.dictionary), def: Arc::clone(def), trees: Arc::clone(trees) })
}

fn add_to_table(
    run: &mut BatchRun<'_>,
    mut open: Open,
    definition: &TableDefinition,
    with_check: Option<bool>,
) -> SqlResult<()> {
    let check = with_check != Some(false);
    for column in &definition.columns {
        if is_of_new_key(definition, column) {
            add_column(run, &open, &ColumnDefinition { nullable: Some(false), ..column.clone() })?;
        } else {
            add_column(run, &open, column)?;
        }
        open = again(&open)?;
        let position = open.def.columns.len() - 1;
        for constraint in &column.constraints {
            add_constraint(run, &open, constraint, Some(position), true).map_err(message::constraint_not_made)?;
            open = again(&open)?;
        }
    }
    for constraint in &definition.constraints {
        add_constraint(run, &open, constraint, None, check).map_err(message::constraint_not_made)?;
        open = again(&open)?;
    }
    Ok(())
}

fn add_column(run: &mut BatchRun<'_>, open: &Open, column: &ColumnDefinition) -> SqlResult<()> {
    let def = &open.def;
    check_new_name(def, &column.name)?;
    let id = def.columns.iter().map(|column| column.id).max().unwrap_or(0) + 1;
    let catalog = Arc::clone(open.dictionary.catalog());
    let next_id = || catalog.next_object_id();
    let new = NewTable::of(name_of(def), def.id, &next_id);
    let mut added = {
        let names = SessionNames::of(&run.ctx);
        Binder::new(&names, &run.variables).added_column(&new, id, column, &def.columns)?
    };
    bound_objects::inherit_default(&open.dictionary, &mut added)?;
    if let Some(default) = added.default.as_ref().filter(|default| !default.is_bound()) {
        check_free(run, open, &default.name).map_err(message::constraint_not_made)?;
    }
    let fill = {
        let ctx = Arc::clone(&run.ctx);
        new_column::fill_of(&ctx, def, column, &added, || has_rows(run, open))?
    };
    let is_identity = added.identity.is_some();
    let mut columns = def.columns.clone();
    columns.push(added);
    let mut changed = new_column::with_columns(def, columns, &|old| old);
    bound_objects::inherit_rules(&open.dictionary, &mut changed, def.columns.len())?;
    let Some(fill) = fill else {
        let trees = match is_identity {
            // The numbers of another column that was there before are not those of this one.
            true => {
                let transaction = run.session.work.assign_number();
                let counters = Arc::new(TableCounters::anew(def, &open.trees, transaction));
                let (trees, memory) = (open.trees.trees.clone(), open.trees.memory.clone());
                Arc::new(TableTrees { trees, memory, counters })
            }
            false => Arc::clone(&open.trees),
        };
        return objects::put_table(run, &open.dictionary, &Arc::new(changed), trees);
    };
    let ctx = Arc::clone(&run.ctx);
    let mut new_column = NewColumn::new(fill, &changed);
    rebuild_table(run, open, changed, vec![None; def.indexes.len()], &mut |row, changed| {
        let mut row = row.to_vec();
        row.push(new_column.value(&ctx, changed)?);
        compute(changed, &mut row, &ctx)?;
        check_new_value(changed, &row)?;
        Ok(row)
    })?;
    if let Some(last) = new_column.last {
        let open = again(open)?;
        let dictionary = Arc::clone(&open.dictionary);
        run.ctx.engine.databases().on_own_account(|io| dictionary.reserve_identity(io, open.def.id, last))?;
        let mut counter = open.trees.counters.identity.lock();
        counter.last = Some(last);
        counter.reserved = Some(last);
    }
    Ok(())
}

fn has_rows(run: &mut BatchRun<'_>, open: &Open) -> SqlResult<bool> {
    let mut any = false;
    for_rows(run, open, &mut |_| {
        any = true;
        Ok(false)
    })?;
    Ok(any)
}

/// Calls `visit` with each row until it says false.
fn for_rows(run: &mut BatchRun<'_>, open: &Open, visit: &mut dyn FnMut(&[Value]) -> SqlResult<bool>) -> SqlResult<()> {
    let ask = run.ctx.ask_other();
    let reader = run.session.work.reader();
    let (mut failed, mut row) = (None, Vec::new());
    let layout = &open.def.layout;
    let home = ValueHome::Tree(&open.trees.trees[0]);
    let large =
        Large { layout, home, ask, place: millpond_engine::stored::place_of(&open.def), watch: run.ctx.watch() };
    let mut space = Vec::new();
    let read = read::scan::for_each(
        &reader,
        &ask,
        &open.trees.trees[0],
        millpond_access::tree::KeyRange::all(),
        millpond_txn::ReadHint::no_lock(),
        &mut |_, payload| {
            let went = large
                .whole(payload, &all, &mut space)
                .and_then(|record| layout.decode(record, &mut row).map_err(message::of_row))
                .and_then(|()| visit(&row));
            match went {
                Ok(true) => std::ops::ControlFlow::Continue(()),
                Ok(false) => std::ops::ControlFlow::Break(()),
                Err(error) => {
                    failed = Some(error);
                    std::ops::ControlFlow::Break(())
                }
            }
        },
    );
    read.map_err(|error| message::of_txn(error, millpond_engine::stored::place_of(&open.def)))?;
    failed.map_or(Ok(()), Err)
}

/// Writes all rows in a new form.
fn rebuild_table(
    run: &mut BatchRun<'_>,
    open: &Open,
    mut changed: TableDef,
    keep: Vec<Option<usize>>,
    map: MapRow<'_>,
) -> SqlResult<()> {
    built_now(&mut changed.indexes, &keep);
    let old = OldTable { def: &open.def, trees: &open.trees };
    let trees =
        build::rebuilt_trees(&run.ctx, &mut run.session.work, &open.dictionary, &old, &changed, &keep, &mut |row| {
            map(row, &changed)
        })?;
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::new(trees))
}

fn add_constraint(
    run: &mut BatchRun<'_>,
    open: &Open,
    constraint: &TableConstraint,
    own: Option<usize>,
    check: bool,
) -> SqlResult<()> {
    let def = &open.def;
    if def.is_global_temporary() && ddl::is_foreign_key(constraint) {
        ddl::report_skipped(run, constraint, &def.name);
        return Ok(());
    }
    let catalog = Arc::clone(open.dictionary.catalog());
    let next_id = || catalog.next_object_id();
    let new = NewTable::of(name_of(def), def.id, &next_id);
    if let Some(name) = &constraint.name {
        check_free(run, open, name)?;
    }
    if let ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Index(_) = &constraint.kind {
        let indexes = {
            let names = SessionNames::of(&run.ctx);
            Binder::new(&names, &run.variables).with_key(def, &new, constraint, own)?
        };
        let wide = wide_keys(&def.columns, &indexes, &def.indexes);
        index::put_indexes(run, open, indexes)?;
        place_key(run, open, constraint)?;
        objects::warn(run, wide);
        return Ok(());
    }
    table::lock_names_of_keys(run, std::iter::once(constraint))?;
    let mut changed = with_indexes(def, def.indexes.clone());
    {
        let names = SessionNames::of(&run.ctx);
        let mut binder = Binder::new(&names, &run.variables);
        binder.add_constraint(&new, &mut changed, constraint, own)?;
    }
    match &constraint.kind {
        ConstraintKind::Check { .. } => {
            let added = changed.checks.last_mut().expect("added above");
            added.not_trusted = !check;
            if check {
                let added = added.clone();
                check_rows(run, open, &added)?;
            }
        }
        ConstraintKind::ForeignKey(_) => {
            // Before its rows are looked at.
            objects::lock_referenced(run, &open.dictionary, Some(def), Some(&changed))?;
            let objects = open.dictionary.catalog().objects();
            check_cascades(&objects, &changed, changed.foreign_keys.len() - 1)?;
            definition::check_cascading_key(&run.ctx, &changed, changed.foreign_keys.len() - 1)?;
            let added = changed.foreign_keys.last_mut().expect("added above");
            added.not_trusted = !check;
            if check {
                let key = added.clone();
                check_foreign_key(run, open, &key)?;
            }
        }
        _ => {}
    }
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

fn check_rows(run: &mut BatchRun<'_>, open: &Open, check: &CheckDef) -> SqlResult<()> {
    let ctx = Arc::clone(&run.ctx);
    let def = Arc::clone(&open.def);
    for_rows(run, open, &mut |row| {
        if truth(&check.expr, &*ctx, Rows::of(row))? == Some(false) {
            return Err(check_failed(&def, check, "ALTER TABLE"));
        }
        Ok(true)
    })
}

fn check_foreign_key(run: &mut BatchRun<'_>, open: &Open, key: &ForeignKeyDef) -> SqlResult<()> {
    let mut rows = Vec::new();
    for_rows(run, open, &mut |row| {
        rows.push(row.to_vec());
        Ok(true)
    })?;
    let mut only = with_indexes(&open.def, open.def.indexes.clone());
    only.foreign_keys = vec![key.clone()];
    let ctx = Arc::clone(&run.ctx);
    references::check_references(run, &ctx, &only, &rows, "ALTER TABLE")
}

fn switch_constraints(
    run: &mut BatchRun<'_>,
    open: &Open,
    enable: bool,
    check: bool,
    names: Option<&[String]>,
) -> SqlResult<()> {
    let is_meant = switched(&open.def, names)?;
    let mut changed = with_indexes(&open.def, open.def.indexes.clone());
    let is_switched = |check: &&mut CheckDef| check.is_constraint() && is_meant(&check.name);
    for constraint in changed.checks.iter_mut().filter(is_switched) {
        if enable && check {
            check_rows(run, open, constraint)?;
        }
        constraint.disabled = !enable;
        constraint.not_trusted = !(enable && check);
    }
    for key in changed.foreign_keys.iter_mut().filter(|key| is_meant(&key.name)) {
        if enable && check {
            check_foreign_key(run, open, &ForeignKeyDef { disabled: false, ..key.clone() })?;
        }
        key.disabled = !enable;
        key.not_trusted = !(enable && check);
    }
    objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
}

fn drop_of_table(run: &mut BatchRun<'_>, open: Open, drop: &TableDrop) -> SqlResult<Open> {
    match drop.kind {
        TableDropKind::Column => drop_column(run, &open, drop)?,
        TableDropKind::Constraint | TableDropKind::Index => drop_constraint(run, &open, drop)?,
    }
    again(&open)
}

fn drop_constraint(run: &mut BatchRun<'_>, open: &Open, drop: &TableDrop) -> SqlResult<()> {
    let def = &open.def;
    let name = &drop.name;
    if let Some(index) = def.index(name).filter(|index| !index.name.is_empty()) {
        let objects = open.dictionary.catalog().objects();
        let columns: Vec<i32> = index.key.iter().map(|part| def.columns[part.column].id).collect();
        let referring = objects.referring_to(def.id).find_map(|other| {
            other.foreign_keys.iter().find(|key| {
                key.referenced == def.id
                    && key.referenced_columns.len() == columns.len()
                    && key.referenced_columns.iter().all(|column| columns.contains(column))
            })
        });
        if let Some(key) = referring {
            return Err(SqlError::of(3725, 0, &[&name, &key.name]));
        }
        let indexes = indexes_without(def, index.id);
        return index::put_indexes(run, open, indexes);
    }
    match without_constraint(def, name) {
        Some(changed) => objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees)),
        None if drop.if_exists => Ok(()),
        None => Err(no_such_constraint(name)),
    }
}

fn drop_column(run: &mut BatchRun<'_>, open: &Open, drop: &TableDrop) -> SqlResult<()> {
    let def = &open.def;
    let Some(position) = def.column(&drop.name) else {
        if drop.if_exists {
            return Ok(());
        }
        return Err(no_such_column("DROP COLUMN", &drop.name, def));
    };
    let users = users_of(def, position, Some(&open.dictionary.catalog().objects()));
    if let Some(error) = refused(users, &def.columns[position].name, "DROP COLUMN") {
        return Err(error);
    }
    schema_binding::check_column_unbound(run, open, &def.columns[position].name, "DROP COLUMN")?;
    check_other_columns(def, &drop.name)?;
    let mut columns = def.columns.clone();
    columns.remove(position);
    let mut changed = new_column::with_columns(def, columns, &|old| old - usize::from(old > position));
    new_column::bind_again(&run.ctx, &mut changed)?;
    rebuild_table(run, open, changed, vec![None; def.indexes.len()], &mut |row, _| {
        let mut row = row.to_vec();
        row.remove(position);
        Ok(row)
    })
}

fn alter_column(run: &mut BatchRun<'_>, open: &Open, alter: &AlterColumn) -> SqlResult<()> {
    let def = &open.def;
    let NewForm { position, old, column, same_form, keeps_order } = {
        let names = SessionNames::of(&run.ctx);
        new_column::new_form(&run.ctx, Binder::new(&names, &run.variables), def, alter)?
    };
    let users = if keeps_order {
        bound_users_of(def, position, &column, Some(&open.dictionary.catalog().objects()))
    } else {
        altered_users_of(def, position, &column, Some(&open.dictionary.catalog().objects()))
    };
    if let Some(error) = refused(users, &old.name, "ALTER COLUMN") {
        return Err(error);
    }
    schema_binding::check_column_unbound(run, open, &old.name, "ALTER COLUMN")?;
    let needs_check = old.ty.nullable && !column.ty.nullable;
    if needs_check {
        let name = def.full_name();
        let column_name = column.name.clone();
        for_rows(run, open, &mut |row| {
            if row[position].is_null() {
                return Err(message::null_in_column(&column_name, &name, "UPDATE"));
            }
            Ok(true)
        })?;
    }
    let (from, is_other_type) = (old.ty.sql, old.user_type != column.user_type);
    let mut columns = def.columns.clone();
    columns[position] = column;
    if is_other_type {
        bound_objects::inherit_default(&open.dictionary, &mut columns[position])?;
    }
    let mut changed = new_column::with_columns(def, columns, &|old| old);
    if is_other_type {
        bound_objects::inherit_rule(&open.dictionary, &mut changed, position)?;
    }
    new_column::bind_again(&run.ctx, &mut changed)?;
    if same_form {
        return objects::put_table(run, &open.dictionary, &Arc::new(changed), Arc::clone(&open.trees));
    }
    let ctx = Arc::clone(&run.ctx);
    rebuild_table(run, open, changed, vec![None; def.indexes.len()], &mut |row, changed| {
        let mut row = row.to_vec();
        row[position] = stored(&ctx, row[position].clone(), &from, changed, position)?;
        compute(changed, &mut row, &ctx)?;
        Ok(row)
    })
}

/// Brings a row into the form of a changed definition.
type MapRow<'a> = &'a mut dyn FnMut(&[Value], &TableDef) -> SqlResult<Vec<Value>>;

/// 2714: names of constraints share one space with objects.
fn check_free(run: &BatchRun<'_>, open: &Open, name: &str) -> SqlResult<()> {
    match Seeker::of(&run.ctx).is_taken(&open.dictionary, open.def.schema.id, name)? {
        true => Err(message::object_exists(name)),
        false => Ok(()),
    }
}
