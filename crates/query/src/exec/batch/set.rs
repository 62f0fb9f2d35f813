//! SET, DECLARE and USE: variables and the session's options.

use std::sync::Arc;

use millpond_code::code::Scalar;
use millpond_code::code_key::CodeKey;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{AssignOp, Assignment, DataType, Expr, Statement, VariableDeclaration};

use crate::exec::batch::scalar::scalar_of;
use crate::exec::batch::{BatchRun, append, scalar};
use crate::exec::ddl::table_type;
use crate::exec::routine::cursor;

pub(in crate::exec) fn set_variable(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    assignment: &Assignment,
) -> SqlResult<()> {
    if scalar::set_by_formula(run, statement) {
        run.done_quietly(1);
        return Ok(());
    }
    if cursor::is_cursor_variable(run, &assignment.variable) {
        return cursor::share_cursor(run, assignment);
    }
    let scalar = code_of_set(run, statement, assignment)?;
    if !scalar.appended.is_empty() {
        append::append_to_variable(run, &scalar)?;
        run.done_quietly(1);
        return Ok(());
    }
    let value = scalar::value(run, &scalar)?;
    let value = scalar::fitting(run, scalar.slot, value)?;
    let slot = scalar.slot;
    run.ctx_mut().variables[slot] = value;
    run.done_quietly(1);
    Ok(())
}

pub(in crate::exec) fn code_of_set(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    assignment: &Assignment,
) -> SqlResult<Arc<Scalar>> {
    run.bound(statement, CodeKey::of(statement), |binder, _| {
        let (slot, expr) = binder.assignment(assignment)?;
        let appended = append::appended(&expr, slot);
        Ok(Arc::new(Scalar { appended, ..scalar_of(expr, slot, &binder.hints) }))
    })
}

pub(in crate::exec) fn declare(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    list: &[VariableDeclaration],
) -> SqlResult<()> {
    for (index, declaration) in list.iter().enumerate() {
        if declaration.data_type == DataType::Cursor {
            cursor::declare_cursor_variable(run, &declaration.name);
            continue;
        }
        let named = matches!(declaration.data_type, DataType::Named(_));
        if !named && declaration.value.is_none() {
            continue;
        }
        let part = u16::try_from(index)
            .map_err(|_| message::missing("A DECLARE of more than 65,535 variables with values"))?;
        if named && table_type::declare_of_type(run, statement, part, declaration)? {
            continue;
        }
        let Some(initial) = &declaration.value else { continue };
        let scalar = initial_code(run, statement, part, &declaration.name, initial)?;
        let value = scalar::value(run, &scalar)?;
        let slot = scalar.slot;
        let value = scalar::fitting(run, slot, value)?;
        let ctx = run.ctx_mut();
        ctx.variables[slot] = value;
        ctx.facts.row_count = 1;
    }
    Ok(())
}

/// The code of a declaration's value.
pub(in crate::exec) fn initial_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    part: u16,
    name: &str,
    initial: &Expr,
) -> SqlResult<Arc<Scalar>> {
    run.bound(statement, CodeKey::part(statement, part), |binder, _| {
        let (variable, op, value) = (name.to_owned(), AssignOp::Set, initial.clone());
        let (slot, expr) = binder.assignment(&Assignment { variable, op, value })?;
        Ok(Arc::new(scalar_of(expr, slot, &binder.hints)))
    })
}
