//! Computed columns that are computed by the statement that reads them.
//!
//! ```text
//!   AS concat(a, b)    the row alone, and always: stored with it, an index may have it
//!   AS a / b           the row alone, but it may fail: then the statement that reads it does, not the one that writes the
//!                      row. Stored where it can be; in an index or a constraint it must be, and is read from the row
//!                      as others are
//!   AS getdate()       of the statement that reads it: computed above the table, the stored value is not looked at
//!   AS t PERSISTED     stored; 4936 where the manual does not call it deterministic
//! ```
//!
//! What may be persisted or indexed is another question: [`millpond_builtin::determinism`].

use std::sync::Arc;

use millpond_builtin::Volatility;
use millpond_builtin::determinism::{is_deterministic, is_fixed_part, is_precise};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::{ColumnDef, ComputedDef, TableDef};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use crate::binder::Binder;
use crate::binder::scope::{ReadAs, Scope};
use crate::binder::target::calls_functions;

/// A table's rows with the computed columns that are of the statement which reads them.
pub(crate) fn with_columns_of_reader(binder: &mut Binder<'_>, rel: Rel, def: &TableDef) -> Rel {
    if !(0..def.columns.len()).any(|index| is_of_reader(def, index)) {
        return rel;
    }
    let mut exprs = Vec::with_capacity(def.columns.len());
    for (index, column) in def.columns.iter().enumerate() {
        exprs.push(match &column.computed {
            Some(computed) if is_of_reader(def, index) => {
                binder.calls |= calls_functions(&computed.expr);
                BoundExpr { ty: column.ty, ..computed.expr.clone() }
            }
            _ => BoundExpr::column(index, column.ty),
        });
    }
    Rel::Project { input: Box::new(rel), exprs }
}

/// Lets names mean the same columns where the rows must stay as they are stored: in what is changed, and below cursors.
/// `scope` begins with the table's columns.
pub(crate) fn columns_by_reader(binder: &mut Binder<'_>, scope: &mut Scope, def: &TableDef) {
    for (index, shown) in scope.columns.iter_mut().enumerate().take(def.columns.len()) {
        shown.computed = read_as(def, index);
        binder.calls |= shown.computed.as_ref().is_some_and(|read| calls_functions(&read.expr));
    }
}

/// How the column at `ordinal` of a stored row is read; `None` where the row has its value.
pub(crate) fn read_as(def: &TableDef, ordinal: usize) -> Option<ReadAs> {
    let computed = def.columns[ordinal].computed.as_ref().filter(|_| is_of_reader(def, ordinal))?;
    Some(ReadAs { ordinal, expr: Arc::new(computed.expr.clone()) })
}

/// Whether the value is that of the statement which reads it: the time, a random number, what the session's settings make
/// of a text, what a function of the user finds, or what may have failed when the row was written.
pub fn is_of_reader(def: &TableDef, column: usize) -> bool {
    let computed = def.columns.get(column).and_then(|column| column.computed.as_ref());
    let Some(computed) = computed.filter(|computed| !computed.persisted) else {
        return false;
    };
    calls_functions(&computed.expr)
        || depends_on_session(&computed.expr)
        || may_fail(&computed.expr) && !def.is_needed_in_rows(column)
}

/// Whether a value may be an error.
fn may_fail(expr: &BoundExpr) -> bool {
    let mut may = false;
    expr.visit(&mut |node| {
        may |= matches!(
            node.kind,
            Kind::Arith(..) | Kind::Negate(_) | Kind::Cast { try_: false, .. } | Kind::Function(..)
        );
    });
    may
}

/// 4936 for a value that must not be kept.
pub(crate) fn persistable(table: &str, column: &str, computed: &ComputedDef) -> SqlResult<()> {
    if !computed.persisted || is_deterministic(&computed.expr) {
        return Ok(());
    }
    Err(SqlError::of(4936, 1, &[&column, &table]))
}

/// 2729 for a column of an index that is computed by an expression which is not deterministic.
pub(crate) fn indexable(table: &str, column: &ColumnDef) -> SqlResult<()> {
    if column.computed.as_ref().is_none_or(|computed| is_deterministic(&computed.expr)) {
        return Ok(());
    }
    Err(SqlError::of(2729, 1, &[&column.name, &table]))
}

/// 2729, and 2799 for a key that is computed of floats each time it is asked for.
pub(crate) fn key_of_index((index, table): (&str, &str), column: &ColumnDef) -> SqlResult<()> {
    indexable(table, column)?;
    if column.computed.as_ref().is_none_or(|computed| computed.persisted || is_precise(&computed.expr)) {
        return Ok(());
    }
    Err(SqlError::of(2799, 1, &[&index, &table, &column.name]))
}

/// Whether a conversion goes by the session's order of dates or by its names of months.
fn reads_language(from: &SqlType, to: &SqlType, style: Option<i32>) -> bool {
    let has_name = matches!(style, Some(0 | 6 | 7 | 9 | 13 | 100 | 106 | 107 | 109 | 113));
    let is_old = matches!(from, SqlType::DateTime | SqlType::SmallDateTime);
    from.is_string() && to.is_temporal() && (style.is_none() || has_name)
        || from.is_temporal() && to.is_string() && (style.is_none() && is_old || has_name)
}

/// Whether two statements can make two values of one row.
fn depends_on_session(expr: &BoundExpr) -> bool {
    let mut depends = false;
    expr.visit(&mut |node| {
        depends |= match &node.kind {
            Kind::Function(def, args) => def.volatility != Volatility::Pure && !is_fixed_part(def, args),
            Kind::Cast { expr, style, .. } => reads_language(&expr.ty.sql, &node.ty.sql, *style),
            _ => false,
        };
    });
    depends
}
