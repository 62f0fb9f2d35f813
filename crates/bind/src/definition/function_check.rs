//! What CREATE FUNCTION refuses: statements that change anything but the function's own table variables, or that send
//! something to the client. Names are not looked up.

use millpond_catalog::names_equal;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    Cte, InsertSource, Module, ModuleBody, ModuleKind, ObjectName, Output, Query, QueryBody, Returns, SelectItem,
    Statement, StatementKind, TableRef,
};

/// Checks the statements of a function; other modules may do anything.
///
/// # Errors
/// 443, 444; 1075 for a scalar function that returns nothing.
pub fn check(module: &Module) -> SqlResult<()> {
    match &module.kind {
        ModuleKind::Function { returns, body: ModuleBody::Statements(statements), .. } => {
            list(statements)?;
            if matches!(returns, Returns::Scalar(_)) { statements.iter().try_for_each(with_value) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// 1075 for a RETURN without a value.
fn with_value(statement: &Statement) -> SqlResult<()> {
    use StatementKind as S;
    match &statement.kind {
        S::Return(None) => Err(SqlError::of(1075, 1, &[]).at(statement.span.line)),
        S::Block(statements) => statements.iter().try_for_each(with_value),
        S::If { then, otherwise, .. } => {
            with_value(then)?;
            otherwise.as_deref().map_or(Ok(()), with_value)
        }
        S::While { body, .. } => with_value(body),
        _ => Ok(()),
    }
}

fn list(statements: &[Statement]) -> SqlResult<()> {
    statements.iter().try_for_each(|statement| one(statement).map_err(|error| error.at(statement.span.line)))
}

fn one(statement: &Statement) -> SqlResult<()> {
    use StatementKind as S;
    match &statement.kind {
        S::Block(statements) => list(statements),
        S::If { then, otherwise, .. } => {
            list(std::slice::from_ref(then))?;
            otherwise.as_ref().map_or(Ok(()), |otherwise| list(std::slice::from_ref(otherwise)))
        }
        S::While { body, .. } => list(std::slice::from_ref(body)),
        S::Break | S::Continue | S::Return(_) | S::Goto(_) | S::Label(_) => Ok(()),
        S::Declare(_) | S::DeclareTable { .. } | S::SetVariable(_) => Ok(()),
        S::DeclareCursor(_) | S::SetCursor { .. } => Ok(()),
        S::OpenCursor(_) | S::CloseCursor(_) | S::DeallocateCursor(_) => Ok(()),
        S::Fetch(fetch) if !fetch.into.is_empty() => Ok(()),
        S::Fetch(_) => Err(SqlError::of(444, 3, &[])),
        S::Select(select) => select_of(&select.query),
        S::Insert(insert) => match &insert.source {
            InsertSource::Execute(_) | InsertSource::ExecuteText(_) => Err(side_effect("INSERT EXEC")),
            // Its own table is looked at as that of any other INSERT, and the one below it changes.
            InsertSource::Changes(_) => Err(side_effect("INSERT")),
            _ => change((&insert.table, &[], &insert.ctes), &insert.output, "INSERT"),
        },
        S::Update(update) => change((&update.table, &update.from, &update.ctes), &update.output, "UPDATE"),
        S::Delete(delete) => change((&delete.table, &delete.from, &delete.ctes), &delete.output, "DELETE"),
        S::Merge(merge) => change((&merge.table, &[], &merge.ctes), &merge.output, "MERGE"),
        // Functions and extended procedures may be called; what else it is shows when it is called.
        S::Execute(_) => Ok(()),
        S::ExecuteText(_) => Err(side_effect("EXECUTE STRING")),
        S::TryCatch { .. } => Err(side_effect("BEGIN TRY")),
        S::SetOption(_) => Err(side_effect("SET OPTION ON")),
        S::BeginTransaction { .. } => Err(side_effect("BEGIN TRANSACTION")),
        S::Commit { .. } => Err(side_effect("COMMIT TRANSACTION")),
        S::Rollback(_) => Err(side_effect("ROLLBACK TRANSACTION")),
        S::WaitForDelay(_) | S::WaitForTime(_) => Err(side_effect("WAITFOR")),
        S::RaiseError { .. } => Err(side_effect("RAISERROR")),
        other => Err(side_effect(&other.title())),
    }
}

/// Only a table variable may change, by its name, by an alias in FROM or through a common table expression; and OUTPUT
/// sends rows nowhere else.
fn change((table, from, ctes): (&ObjectName, &[TableRef], &[Cte]), output: &[Output], verb: &str) -> SqlResult<()> {
    let [name] = &table.parts[..] else { return Err(side_effect(verb)) };
    let aliased = from.iter().find_map(|table| of_alias(table, name));
    let is_variable = match aliased {
        Some(table) => below(table, ctes),
        None => is_variable_of(name, ctes),
    };
    if !is_variable {
        return Err(side_effect(verb));
    }
    for into in output.iter().map(|output| &output.into) {
        let Some((into, _)) = into else { return Err(returns_data()) };
        if !into.parts.last().is_some_and(|name| name.starts_with('@')) {
            return Err(side_effect(verb));
        }
    }
    Ok(())
}

/// The table in FROM that has an alias.
fn of_alias<'f>(table: &'f TableRef, name: &str) -> Option<&'f TableRef> {
    match table {
        TableRef::Join { left, right, .. } => of_alias(left, name).or_else(|| of_alias(right, name)),
        TableRef::Named { alias: Some(alias), .. } | TableRef::Derived { alias: Some(alias), .. } => {
            names_equal(alias, name).then_some(table)
        }
        _ => None,
    }
}

/// Whether a name is a table variable, or an expression over one.
fn is_variable_of(name: &str, ctes: &[Cte]) -> bool {
    if name.starts_with('@') {
        return true;
    }
    // An expression sees those before it.
    let place = ctes.iter().rposition(|cte| names_equal(&cte.name, name));
    place.is_some_and(|place| query_below(&ctes[place].query, &ctes[..place]))
}

/// Whether the table below an occurrence in FROM is a variable.
fn below(table: &TableRef, ctes: &[Cte]) -> bool {
    match table {
        TableRef::Named { name, .. } => matches!(&name.parts[..], [name] if is_variable_of(name, ctes)),
        TableRef::Derived { query, .. } => query_below(query, ctes),
        _ => false,
    }
}

fn query_below(query: &Query, ctes: &[Cte]) -> bool {
    let QueryBody::Select(select) = &query.body else { return false };
    matches!(&select.from[..], [table] if below(table, ctes))
}

fn select_of(query: &Query) -> SqlResult<()> {
    let QueryBody::Select(select) = &query.body else { return Err(returns_data()) };
    if select.into.is_some() {
        return Err(side_effect("SELECT INTO"));
    }
    let assigns = select.items.iter().all(|item| matches!(item, SelectItem::Assign(_)));
    if assigns { Ok(()) } else { Err(returns_data()) }
}

fn returns_data() -> SqlError {
    SqlError::of(444, 2, &[])
}

/// 443: what a function must not do.
fn side_effect(what: &str) -> SqlError {
    SqlError::of(443, 15, &[&what])
}
