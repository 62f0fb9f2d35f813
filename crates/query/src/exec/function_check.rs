//! What CREATE FUNCTION refuses: statements that change anything but the function's own table variables, or that send
//! something to the client. Names are not looked up.

use millpond_tsql::ast::{
    InsertSource, Module, ModuleBody, ModuleKind, ObjectName, SelectItem, Statement, StatementKind,
};
use millpond_tsql::ast::{Query, QueryBody};

use super::function::side_effect;
use crate::error::{SqlError, SqlResult};

/// Checks the statements of a function; other modules may do anything.
///
/// # Errors
/// 443, 444.
pub(super) fn check(module: &Module) -> SqlResult<()> {
    match &module.kind {
        ModuleKind::Function { body: ModuleBody::Statements(statements), .. } => list(statements),
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
        S::Fetch(_) => Err(SqlError::new(
            1011,
            15,
            1,
            "Fetch statements included within a function cannot return data to a client.",
        )),
        S::Select(select) => select_of(&select.query),
        S::Insert(insert) => match insert.source {
            InsertSource::Execute(_) | InsertSource::ExecuteText(_) => Err(side_effect("INSERT EXEC")),
            _ => change(&insert.table, "INSERT"),
        },
        S::Update(update) => change(&update.table, "UPDATE"),
        S::Delete(delete) => change(&delete.table, "DELETE"),
        S::Merge(merge) => change(&merge.table, "MERGE"),
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

/// Only a table variable may change. An alias is taken for one of them: FROM decides when it is bound.
fn change(table: &ObjectName, verb: &str) -> SqlResult<()> {
    match &table.parts[..] {
        [name] if name.starts_with('@') => Ok(()),
        _ => Err(side_effect(verb)),
    }
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
    SqlError::new(444, 16, 2, "Select statements included within a function cannot return data to a client.")
}
