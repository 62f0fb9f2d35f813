//! Columns that ALTER TABLE adds or changes: what the rows that are there get, and the definition with other columns.

use std::sync::Arc;

use millpond_bind::definition::altered::no_such_column;
use millpond_bind::definition::column_users::check_becomes;
use millpond_bind::definition::index_list::name_of;
use millpond_bind::{Binder, remade_index};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::run::Run;
use millpond_catalog::{ColumnDef, ForeignKeyDef, IndexDef, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::scoped;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{AlterColumn, ColumnDefinition};
use millpond_types::{SqlType, Value, cast};

use crate::row::{is_refused_null, stored, unstored};

/// 515 of a row whose value in the last column, a new one, is NULL where it must not be.
pub fn check_new_value(changed: &TableDef, row: &[Value]) -> SqlResult<()> {
    match (changed.columns.last(), row.last()) {
        (Some(column), Some(value)) if is_refused_null(column, value) => {
            Err(message::null_in_column(&column.name, &changed.full_name(), "UPDATE"))
        }
        _ => Ok(()),
    }
}

/// What rows get in a new column.
pub enum Fill {
    /// The same value.
    Value(Value),
    /// What the default gives for each row: NEWID and sequences give each its own.
    Default(BoundExpr),
    /// Each its own: identity, rowversion or computed.
    Each,
}

/// A column after all others, from row to row.
pub struct NewColumn {
    fill: Fill,
    position: usize,
    next: Option<(i64, i64)>,
    /// The last identity value.
    pub last: Option<i64>,
}

impl NewColumn {
    /// The last column of `changed`.
    pub fn new(fill: Fill, changed: &TableDef) -> NewColumn {
        let position = changed.columns.len() - 1;
        NewColumn { fill, position, next: changed.columns[position].identity, last: None }
    }

    /// Its value in the next row; NULL where it is computed of the others.
    pub fn value(&mut self, ctx: &Arc<RunContext>, changed: &TableDef) -> SqlResult<Value> {
        let position = self.position;
        match (&self.fill, &mut self.next) {
            (Fill::Value(value), _) => Ok(value.clone()),
            (Fill::Default(default), _) => {
                ctx.begin_row();
                stored(ctx, eval(default, &**ctx, Rows::NONE)?, &default.ty.sql, changed, position)
            }
            (Fill::Each, Some((value, increment))) => {
                self.last = Some(*value);
                let number = Value::BigInt(*value);
                *value += *increment;
                stored(ctx, number, &SqlType::BigInt, changed, position)
            }
            (Fill::Each, None) if changed.columns[position].is_row_version() => ctx.next_row_version(changed.database),
            (Fill::Each, None) => Ok(Value::Null),
        }
    }
}

/// What rows that are there get in a new column; `None` when NULL is what they get.
///
/// # Errors
/// 4901 for a column that must not be NULL and has no default, when there are rows.
pub fn fill_of(
    ctx: &RunContext,
    def: &TableDef,
    column: &ColumnDefinition,
    added: &ColumnDef,
    has_rows: impl FnOnce() -> SqlResult<bool>,
) -> SqlResult<Option<Fill>> {
    if added.computed.is_some() || added.identity.is_some() || added.is_row_version() {
        return Ok(Some(Fill::Each));
    }
    if added.ty.nullable && !column.with_values {
        return Ok(None);
    }
    if let Some(default) = &added.default {
        if !matches!(default.expr.kind, Kind::Literal(_)) {
            return Ok(Some(Fill::Default(default.expr.clone())));
        }
        let value = eval(&default.expr, ctx, Rows::NONE)?;
        let stored = cast::store(&value, &default.expr.ty.sql, &added.ty.sql, ctx.cast_rules()).or_else(|error| {
            unstored(ctx, &value, &default.expr.ty.sql, &added.ty.sql, *error, |cut| {
                scoped::truncated(ctx, &def.full_name(), &added.name, cut)
            })
        });
        return stored.map(|value| Some(Fill::Value(value)));
    }
    if added.ty.nullable || !has_rows()? {
        return Ok(None);
    }
    Err(SqlError::of(4901, 1, &[&added.name, &def.name]))
}

/// The table with other columns; `place` says where an old column is now.
pub fn with_columns(def: &TableDef, columns: Vec<ColumnDef>, place: &dyn Fn(usize) -> usize) -> TableDef {
    let moved = |index: &IndexDef| {
        let mut index = index.clone();
        index.key.iter_mut().for_each(|part| part.column = place(part.column));
        index.included.iter_mut().for_each(|column| *column = place(*column));
        index
    };
    let mut indexes: Vec<IndexDef> = def.indexes.iter().map(moved).collect();
    let clustered = indexes.first().map_or_else(Vec::new, |rows| rows.key.clone());
    indexes = indexes.iter().map(|index| remade_index(index, &clustered, &columns)).collect();
    let keys = def
        .foreign_keys
        .iter()
        .map(|key| ForeignKeyDef { columns: key.columns.iter().map(|column| place(*column)).collect(), ..key.clone() });
    let made = TableDef::assemble(def.id, name_of(def), columns, def.checks.clone(), keys.collect(), indexes);
    made.like(def)
}

/// Expressions over columns that moved are bound anew from their text.
pub fn bind_again(ctx: &RunContext, def: &mut TableDef) -> SqlResult<()> {
    let (name, columns) = (def.name.clone(), def.columns.clone());
    let names = &stored_names(ctx, def)?;
    for check in &mut def.checks {
        check.expr = millpond_bind::stored_condition(names, &check.text, &name, &columns)?;
    }
    for column in &mut def.columns {
        if let Some(computed) = &mut column.computed {
            computed.expr = millpond_bind::stored_value(names, &computed.text, &name, &columns)?;
        }
    }
    for made in &mut def.statistics {
        if let Some(filter) = &mut made.filter {
            let bound = millpond_bind::stored_condition(names, &filter.0, &name, &columns)?;
            *filter = Arc::new((filter.0.clone(), bound));
        }
    }
    for index in &mut def.indexes {
        if let Some((text, filter)) = &mut index.filter {
            *filter = millpond_bind::stored_condition(names, text, &name, &columns)?;
        }
    }
    Ok(())
}

/// What ALTER COLUMN makes of a column.
///
/// # Errors
/// 4924 for a column that there is not; what does not bind; 257, 206 for a type that it may not become.
pub fn new_form(ctx: &RunContext, mut binder: Binder<'_>, def: &TableDef, alter: &AlterColumn) -> SqlResult<NewForm> {
    let position = def.column(&alter.name).ok_or_else(|| no_such_column("ALTER COLUMN", &alter.name, def))?;
    let old = def.columns[position].clone();
    let mut column = binder.altered_column((def.database, &def.name), &old, alter)?;
    check_becomes(&old, &column.ty.sql)?;
    if let Some(default) = &mut column.default {
        default.expr = millpond_bind::stored_scalar(&stored_names(ctx, def)?, &default.text, column.ty.sql)?;
    }
    let same_form = old.ty.sql == column.ty.sql || wider_text(&old.ty.sql, &column.ty.sql);
    let keeps_order = same_form && old.ty.collation == column.ty.collation;
    Ok(NewForm { position, old, column, same_form, keeps_order })
}

/// A column and what ALTER COLUMN makes of it.
pub struct NewForm {
    /// Its place in the table.
    pub position: usize,
    /// As it was.
    pub old: ColumnDef,
    /// As it becomes.
    pub column: ColumnDef,
    /// Values stay as they are stored.
    pub same_form: bool,
    /// Indexes stay in order.
    pub keeps_order: bool,
}

/// A text that may be longer than before has the same form in its record.
fn wider_text(old: &SqlType, new: &SqlType) -> bool {
    use millpond_types::MaxLen::Limited;
    match (old, new) {
        (SqlType::VarChar { page, .. }, SqlType::VarChar { page: other, .. }) if page != other => false,
        (SqlType::VarChar { len: Limited(old), .. }, SqlType::VarChar { len: Limited(new), .. })
        | (SqlType::NVarChar { len: Limited(old) }, SqlType::NVarChar { len: Limited(new) })
        | (SqlType::VarBinary { len: Limited(old) }, SqlType::VarBinary { len: Limited(new) }) => old <= new,
        _ => false,
    }
}

/// The names that texts of a table's definition see.
///
/// # Errors
/// Of a database that cannot be read.
pub fn stored_names(ctx: &RunContext, def: &TableDef) -> SqlResult<millpond_bind::StoredNames> {
    let dictionary = ctx.engine.databases().dictionary(def.database)?;
    Ok(millpond_bind::StoredNames::new(dictionary.catalog(), dictionary.name()))
}
