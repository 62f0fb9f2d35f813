//! What rows that are there get in a column that ALTER TABLE adds.

use std::sync::Arc;

use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::run::Run;
use millpond_catalog::{ColumnDef, TableDef};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::ColumnDefinition;
use millpond_types::{SqlType, Value, cast};

use crate::exec::batch::BatchRun;
use crate::exec::dml::row::stored;

/// 515 of a row whose value in the last column, a new one, is NULL where it must not be.
pub(in crate::exec) fn check_new_value(changed: &TableDef, row: &[Value]) -> SqlResult<()> {
    match (changed.columns.last(), row.last()) {
        (Some(column), Some(value)) if !column.ty.nullable && value.is_null() => {
            Err(message::null_in_column(&column.name, &changed.full_name(), "UPDATE"))
        }
        _ => Ok(()),
    }
}

/// What rows get in a new column.
pub(in crate::exec) enum Fill {
    /// The same value.
    Value(Value),
    /// What the default gives for each row: NEWID and sequences give each its own.
    Default(BoundExpr),
    /// Each its own: identity, rowversion or computed.
    Each,
}

/// A column behind all others, from row to row.
pub(in crate::exec) struct NewColumn {
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

impl BatchRun<'_> {
    /// What rows that are there get in a new column; `None` when NULL is what they get.
    ///
    /// # Errors
    /// 4901 for a column that must not be NULL and has no default, when there are rows.
    pub(in crate::exec) fn fill_of(
        &mut self,
        def: &TableDef,
        column: &ColumnDefinition,
        added: &ColumnDef,
        has_rows: impl FnOnce(&mut Self) -> SqlResult<bool>,
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
            let value = eval(&default.expr, &*self.ctx, Rows::NONE)?;
            let value = cast::store(&value, &default.expr.ty.sql, &added.ty.sql, self.ctx.cast_rules())
                .map_err(|e| message::of_eval(*e))?;
            return Ok(Some(Fill::Value(value)));
        }
        if added.ty.nullable || !has_rows(self)? {
            return Ok(None);
        }
        Err(SqlError::of(4901, 1, &[&added.name, &def.name]))
    }
}
