//! Expressions that are kept as text in the system tables: DEFAULT, CHECK, computed columns, filters of indexes.

use std::sync::Arc;

use millpond_tsql::ast::{Expr, ObjectName, QueryBody, Select, SelectItem, StatementKind, TypeKind, find_option};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::SqlType;

use super::scope::{Scope, ScopeColumn};
use super::table::NewTable;
use super::{Binder, Block, Named, Names, Variables};
use crate::builtin::TableFunctionDef;
use crate::catalog::{ColumnDef, TableDef, UserTypeDef, UserTypeForm};
use crate::error::{SqlError, SqlResult};
use crate::expr::BoundExpr;
use crate::message;

/// No names at all: such an expression sees its row alone.
struct NoNames;

impl Names for NoNames {
    fn relation(&self, _: &ObjectName) -> SqlResult<Option<Named>> {
        Ok(None)
    }

    fn table_function(&self, _: &ObjectName) -> Option<&'static TableFunctionDef> {
        None
    }

    fn scalar_function(&self, _: &ObjectName) -> SqlResult<Option<Arc<crate::function::UserFunction>>> {
        Ok(None)
    }

    fn user_table_function(&self, _: &ObjectName) -> SqlResult<Option<Arc<crate::function::UserTableFunction>>> {
        Ok(None)
    }

    fn in_function(&self) -> bool {
        false
    }

    fn user_type(&self, _: &ObjectName) -> SqlResult<Option<Arc<UserTypeDef>>> {
        Ok(None)
    }

    fn identity_insert(&self, _: &TableDef) -> bool {
        false
    }

    fn null_by_default(&self) -> bool {
        true
    }
}

/// A value of a type that sees no columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_scalar(text: &str, target: SqlType) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT {text}"), |select| match select.items.into_iter().next() {
        Some(SelectItem::Expr { expr, .. }) => Some(expr),
        _ => None,
    })?;
    let variables = Variables::default();
    let mut binder = Binder::new(&NoNames, &variables);
    let bound = binder.expression(&expr)?;
    binder.converted(bound, target)
}

/// A value over a table's columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_value(text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT {text}"), |select| match select.items.into_iter().next() {
        Some(SelectItem::Expr { expr, .. }) => Some(expr),
        _ => None,
    })?;
    let variables = Variables::default();
    Binder::new(&NoNames, &variables).over_columns(table, columns, |binder| binder.expression(&expr))
}

/// A condition over a table's columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_condition(text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT 1 WHERE {text}"), |select| select.filter)?;
    let variables = Variables::default();
    Binder::new(&NoNames, &variables).over_columns(table, columns, |binder| binder.condition(&expr))
}

/// The form of a table type, of the statement that made it.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_table_type(text: &str) -> SqlResult<UserTypeForm> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true })
        .map_err(|error| SqlError::new(error.number, error.severity, error.state, error.message))?;
    let created = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::CreateType(created) => Some(*created),
        _ => None,
    });
    let Some((name, TypeKind::Table(definition))) = created.map(|created| (created.name, created.kind)) else {
        return Err(message::syntax_near("TYPE"));
    };
    let variables = Variables::default();
    let mut binder = Binder::new(&NoNames, &variables);
    let name = format!("@{}", name.parts.last().map_or("", String::as_str));
    let memory_optimized = find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|o| o.is("ON"));
    let def = Arc::new(binder.table_definition(&NewTable::temporary(&name), &definition)?);
    Ok(UserTypeForm::Table { def, memory_optimized })
}

fn parsed(text: &str, part: impl FnOnce(Select) -> Option<Expr>) -> SqlResult<Expr> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true })
        .map_err(|error| SqlError::new(error.number, error.severity, error.state, error.message))?;
    let select = batch.statements.into_iter().next().and_then(|statement| match statement.kind {
        StatementKind::Select(select) => match select.query.body {
            QueryBody::Select(select) => Some(*select),
            _ => None,
        },
        _ => None,
    });
    select.and_then(part).ok_or_else(|| message::syntax_near(text))
}

impl Binder<'_> {
    /// Binds something that sees the columns of a table.
    pub(super) fn over_columns<T>(
        &mut self,
        table: &str,
        columns: &[ColumnDef],
        bind: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let columns = columns.iter().map(|column| ScopeColumn {
            table: table.to_owned(),
            name: column.name.clone(),
            ty: column.ty,
            hidden: false,
        });
        self.scopes.push(Scope { columns: columns.collect(), tables: vec![table.to_owned()] });
        self.blocks.push(Block::default());
        let bound = bind(self);
        self.blocks.pop();
        self.scopes.pop();
        bound
    }
}
