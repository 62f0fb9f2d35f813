//! ALTER TABLE of a temporary table: a table of the new definition, with the rows in their new form, takes its place. What
//! undoes that brings the old one back, rows and all, as it does for DROP TABLE.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::definition::altered::{
    NumbersBehind, check_new_name, check_other_columns, escalation_of, is_of_new_key, no_such_column,
    no_such_constraint, switched, with_property, without_constraint,
};
use millpond_bind::definition::column_users::{altered_users_of, bound_users_of, refused, users_of};
use millpond_bind::definition::index_list::{indexes_without, rebuild_of, with_indexes};
use millpond_bind::{Binder, NewTable};
use millpond_builtin::eval::{Rows, truth};
use millpond_catalog::TableDef;
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_rows::new_column::{self, NewColumn, NewForm, check_new_value};
use millpond_rows::row::{check_failed, compute, compute_needed, stored};
use millpond_tsql::ast::{
    AlterColumn, AlterTableAction, ColumnDefinition, ConstraintKind, ObjectName, TableConstraint, TableDefinition,
    TableDrop, TableDropKind,
};
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scope};
use crate::exec::ddl;
use crate::exec::ddl::objects::cannot_find;
use crate::exec::ddl::temporary_index::trees_to_keep;
use crate::exec::ddl::{is_foreign_key, temporary_index};
use millpond_names::session_names::SessionNames;
use millpond_rows::made_statistics::with_made;
use millpond_rows::temporary_rows;

/// One ALTER TABLE of `#t`, all of it or nothing.
///
/// # Errors
/// 4902 for a table that there is not; those of the action.
pub(in crate::exec) fn alter_temporary(
    run: &mut BatchRun<'_>,
    name: &ObjectName,
    action: &AlterTableAction,
) -> SqlResult<()> {
    let last = name.last();
    scope::forget_tables(run);
    let done = scope::atomically(run, last, |run| match action {
        AlterTableAction::Add { definition, with_check } => {
            add_to_temporary(run, last, definition, *with_check != Some(false))
        }
        AlterTableAction::Drop(drops) => drops.iter().try_for_each(|drop| match drop.kind {
            TableDropKind::Column => drop_temporary_column(run, last, drop),
            TableDropKind::Constraint | TableDropKind::Index => drop_temporary_constraint(run, last, drop),
        }),
        AlterTableAction::AlterColumn(column) => alter_temporary_column(run, last, column),
        AlterTableAction::Rebuild { options, .. } => {
            let table = temporary(run, last)?;
            match rebuild_of(&table.def, &ObjectName { parts: vec![last.to_owned()] }, options)? {
                Some(alter) => temporary_index::alter_indexes_of_temporary(run, last, &alter),
                None => Ok(()),
            }
        }
        AlterTableAction::Check { enable, with_check, constraints } => {
            switch_checks(run, last, *enable, *enable && *with_check == Some(true), constraints.as_deref())
        }
        AlterTableAction::Set(options) => {
            let table = temporary(run, last)?;
            let escalation = escalation_of(&table.def, options)?;
            let changed = TableDef { escalation, ..with_indexes(&table.def, table.def.indexes.clone()) };
            let keep = trees_to_keep(&table, &changed.indexes);
            ddl::remake_temporary_keeping(run, &table, changed, &keep, &mut |row, _| Ok(row))
        }
        AlterTableAction::ColumnProperty { column, add, property } => {
            let table = temporary(run, last)?;
            let changed = with_property(&table.def, column, *property, *add)?;
            let ctx = Arc::clone(&run.ctx);
            ddl::remake_temporary(run, &table, changed, &mut |mut row, changed| {
                compute(changed, &mut row, &ctx)?;
                Ok(row)
            })
        }
        _ => Err(message::missing("That form of ALTER TABLE of a temporary table")),
    });
    ddl::end_remaking(run);
    done
}

/// The table as it is now: after one of several changes.
fn temporary(run: &BatchRun<'_>, name: &str) -> SqlResult<TempTable> {
    let table = run.ctx.session.temp.read().find(name, run.ctx.facts.nest_level).cloned();
    table.ok_or_else(|| cannot_find(name))
}

fn add_to_temporary(run: &mut BatchRun<'_>, name: &str, definition: &TableDefinition, check: bool) -> SqlResult<()> {
    for column in &definition.columns {
        if is_of_new_key(definition, column) {
            let column = ColumnDefinition { nullable: Some(false), ..column.clone() };
            add_temporary_column(run, name, &column)?;
        } else {
            add_temporary_column(run, name, column)?;
        }
        let position = temporary(run, name)?.def.columns.len() - 1;
        for constraint in &column.constraints {
            add_temporary_constraint(run, name, constraint, Some(position), true)
                .map_err(message::constraint_not_made)?;
        }
    }
    let constraints = definition.constraints.iter();
    let mut add = |one| add_temporary_constraint(run, name, one, None, check);
    constraints.into_iter().try_for_each(|one| add(one).map_err(message::constraint_not_made))
}

fn add_temporary_column(run: &mut BatchRun<'_>, name: &str, column: &ColumnDefinition) -> SqlResult<()> {
    let table = temporary(run, name)?;
    let def = &table.def;
    check_new_name(def, &column.name)?;
    let id = def.columns.iter().map(|column| column.id).max().unwrap_or(0) + 1;
    let numbers = NumbersBehind::of(def);
    let next_id = || numbers.next();
    let new = NewTable { next_id: &next_id, ..NewTable::temporary(&def.name) };
    let added = {
        let names = SessionNames::of(&run.ctx);
        Binder::new(&names, &run.variables).added_column(&new, id, column, &def.columns)?
    };
    let fill = new_column::fill_of(&run.ctx, def, column, &added, || {
        temporary_rows::has_temporary_rows(&run.ctx, &mut run.session.work, &table)
    })?;
    let mut columns = def.columns.clone();
    columns.push(added);
    let changed = new_column::with_columns(def, columns, &|old| old);
    let mut new_column = fill.map(|fill| NewColumn::new(fill, &changed));
    let ctx = Arc::clone(&run.ctx);
    ddl::remake_temporary(run, &table, changed, &mut |mut row, changed| {
        row.push(match &mut new_column {
            Some(new_column) => new_column.value(&ctx, changed)?,
            None => Value::Null,
        });
        compute(changed, &mut row, &ctx)?;
        check_new_value(changed, &row)?;
        Ok(row)
    })?;
    let identity = def_identity(&temporary(run, name)?.def);
    if let (Some((seed, increment)), Some(new_column)) =
        (identity.filter(|_| table.def.identity_column().is_none()), new_column)
    {
        // The old table, whose counter goes on, had no use for it.
        let next = new_column.last.map_or(seed, |last| last.wrapping_add(increment));
        table.identity.store(next, Relaxed);
    }
    Ok(())
}

fn add_temporary_constraint(
    run: &mut BatchRun<'_>,
    name: &str,
    constraint: &TableConstraint,
    own: Option<usize>,
    check: bool,
) -> SqlResult<()> {
    if is_foreign_key(constraint) {
        ddl::report_skipped(run, constraint, name);
        return Ok(());
    }
    let table = temporary(run, name)?;
    let def = &table.def;
    let numbers = NumbersBehind::of(def);
    let next_id = || numbers.next();
    let new = NewTable { next_id: &next_id, ..NewTable::temporary(&def.name) };
    let mut failed_check = None;
    let names = SessionNames::of(&run.ctx);
    let mut binder = Binder::new(&names, &run.variables);
    let changed = match &constraint.kind {
        ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Index(_) => {
            with_indexes(def, binder.with_key(&with_made(&table), &new, constraint, own)?)
        }
        // It is reported and skipped above.
        ConstraintKind::ForeignKey(_) => return Ok(()),
        ConstraintKind::Check { .. } | ConstraintKind::Default { .. } => {
            let mut changed = with_indexes(def, def.indexes.clone());
            binder.add_constraint(&new, &mut changed, constraint, own)?;
            if let (ConstraintKind::Check { .. }, Some(added)) = (&constraint.kind, changed.checks.last_mut()) {
                added.not_trusted = !check;
                failed_check = check.then(|| added.clone());
            }
            changed
        }
    };
    let ctx = Arc::clone(&run.ctx);
    // Rows that are to be checked are read all.
    let keep = match &failed_check {
        Some(_) => vec![None; changed.indexes.len()],
        None => trees_to_keep(&table, &changed.indexes),
    };
    ddl::remake_temporary_keeping(run, &table, changed, &keep, &mut |mut row, changed| {
        compute_needed(changed, &mut row, &ctx)?;
        if let Some(check) = &failed_check
            && truth(&check.expr, &*ctx, Rows::of(&row))? == Some(false)
        {
            return Err(check_failed(changed, check, "ALTER TABLE"));
        }
        Ok(row)
    })
}

/// CHECK CONSTRAINT and NOCHECK CONSTRAINT; `looks`: WITH CHECK.
fn switch_checks(
    run: &mut BatchRun<'_>,
    name: &str,
    enable: bool,
    looks: bool,
    constraints: Option<&[String]>,
) -> SqlResult<()> {
    let table = temporary(run, name)?;
    let is_meant = switched(&table.def, constraints)?;
    let mut changed = with_indexes(&table.def, table.def.indexes.clone());
    let mut asked = Vec::new();
    for check in changed.checks.iter_mut().filter(|check| is_meant(&check.name)) {
        (check.disabled, check.not_trusted) = (!enable, !looks);
        if looks {
            asked.push(check.clone());
        }
    }
    // Rows are looked at where they are built anew.
    let keep = if looks { vec![None; changed.indexes.len()] } else { trees_to_keep(&table, &changed.indexes) };
    let ctx = Arc::clone(&run.ctx);
    ddl::remake_temporary_keeping(run, &table, changed, &keep, &mut |row, changed| {
        for check in &asked {
            if truth(&check.expr, &*ctx, Rows::of(&row))? == Some(false) {
                return Err(check_failed(changed, check, "ALTER TABLE"));
            }
        }
        Ok(row)
    })
}

fn drop_temporary_constraint(run: &mut BatchRun<'_>, name: &str, drop: &TableDrop) -> SqlResult<()> {
    let table = temporary(run, name)?;
    let def = &table.def;
    let changed = match def.index(&drop.name).filter(|index| !index.name.is_empty()) {
        Some(index) => with_indexes(def, indexes_without(def, index.id)),
        None => match without_constraint(def, &drop.name) {
            Some(changed) => changed,
            None if drop.if_exists => return Ok(()),
            None => return Err(no_such_constraint(&drop.name)),
        },
    };
    let keep = trees_to_keep(&table, &changed.indexes);
    ddl::remake_temporary_keeping(run, &table, changed, &keep, &mut |row, _| Ok(row))
}

fn drop_temporary_column(run: &mut BatchRun<'_>, name: &str, drop: &TableDrop) -> SqlResult<()> {
    let table = temporary(run, name)?;
    let def = &table.def;
    let Some(position) = def.column(&drop.name) else {
        return if drop.if_exists { Ok(()) } else { Err(no_such_column("DROP COLUMN", &drop.name, def)) };
    };
    if let Some(error) =
        refused(users_of(&with_made(&table), position, None), &def.columns[position].name, "DROP COLUMN")
    {
        return Err(error);
    }
    check_other_columns(def, &drop.name)?;
    let mut columns = def.columns.clone();
    columns.remove(position);
    let mut changed = new_column::with_columns(def, columns, &|old| old - usize::from(old > position));
    new_column::bind_again(&run.ctx, &mut changed)?;
    ddl::remake_temporary(run, &table, changed, &mut |mut row, _| {
        row.remove(position);
        Ok(row)
    })
}

fn alter_temporary_column(run: &mut BatchRun<'_>, name: &str, alter: &AlterColumn) -> SqlResult<()> {
    let table = temporary(run, name)?;
    let def = &table.def;
    let NewForm { position, old, column, keeps_order, .. } = {
        let names = SessionNames::of(&run.ctx);
        new_column::new_form(&run.ctx, Binder::new(&names, &run.variables), def, alter)?
    };
    let users = if keeps_order {
        bound_users_of(&with_made(&table), position, &column, None)
    } else {
        altered_users_of(&with_made(&table), position, &column, None)
    };
    refused(users, &old.name, "ALTER COLUMN").map_or(Ok(()), Err)?;
    let refuses_null = old.ty.nullable && !column.ty.nullable;
    let (from, full_name) = (old.ty.sql, def.full_name());
    let mut columns = def.columns.clone();
    columns[position] = column;
    let mut changed = new_column::with_columns(def, columns, &|old| old);
    new_column::bind_again(&run.ctx, &mut changed)?;
    let ctx = Arc::clone(&run.ctx);
    ddl::remake_temporary(run, &table, changed, &mut |mut row, changed| {
        if refuses_null && row[position].is_null() {
            return Err(message::null_in_column(&old.name, &full_name, "UPDATE"));
        }
        row[position] = stored(&ctx, row[position].clone(), &from, changed, position)?;
        compute(changed, &mut row, &ctx)?;
        Ok(row)
    })
}

fn def_identity(def: &TableDef) -> Option<(i64, i64)> {
    def.columns.iter().find_map(|column| column.identity)
}
