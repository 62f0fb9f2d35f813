//! SET NOEXEC ON, SET FMTONLY ON and sp_prepare: statements are bound and not run.
//!
//! ```text
//!   PARSEONLY   at parse time   the text is parsed, nothing of it is bound or run
//!   NOEXEC      at run time     each statement is bound; only SET NOEXEC OFF is run, nothing is sent but errors
//!   FMTONLY     at run time     each statement is bound; the columns of results are sent, without rows
//!   sp_prepare  as FMTONLY, and calls are not entered; no SET of the text ends it
//! ```
//! What always holds: no row, no definition, no variable and no transaction changes. Statements are gone through in the
//! order of the text, both branches of IF and the body of WHILE once. Under NOEXEC SET NOEXEC OFF counts where the text
//! surely comes to it, so not inside of IF and WHILE. Table variables are made, because what names them could not be bound
//! otherwise. Under NOEXEC an object that is not there is no error (deferred name resolution). FMTONLY enters procedures
//! of the user, because their results are asked for, and runs SET, USE and EXECUTE of a text.

use std::sync::Arc;

use millpond_bind::BoundOutput;
use millpond_code::code::Code;
use millpond_code::code_key::CodeKey;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::parsed::parse_time::{ParseTime, sets};
use millpond_engine::system_call::closed;
use millpond_message::error::SqlResult;
use millpond_message::sink::Column;
use millpond_tsql::ast::{Execute, InsertSource, Statement, StatementKind};

use crate::exec::batch::frame::Finished;
use crate::exec::batch::{BatchRun, COMMAND_SELECT, Flow, flow, scalar, set, settings};
use crate::exec::ddl;
use crate::exec::dml::{change, insert, merge, query};
use crate::exec::routine::prepared_call::TextCall;
use crate::exec::routine::{call, called, cursor};
use crate::session::Session;
use millpond_code::text_variables::Parameters;

/// The number of a name that is deferred.
const INVALID_OBJECT: i32 = 208;

/// Takes what a text sets when it is parsed; whether it is to be parsed alone.
pub(in crate::exec) fn take_parse_time(session: &mut Session, parsed: &ParsedBatch) -> bool {
    let ParseTime { parse_only, quoted_identifier } = parsed.parse_time;
    if parse_only.is_some() || quoted_identifier.is_some() {
        let settings = Arc::make_mut(&mut session.facts.settings);
        settings.parseonly = parse_only.unwrap_or(settings.parseonly);
        settings.quoted_identifier = quoted_identifier.unwrap_or(settings.quoted_identifier);
        session.shared.status.lock().settings = Arc::clone(&session.facts.settings);
    }
    session.facts.settings.parseonly
}

/// What is left of a text that was parsed alone.
pub(in crate::exec) fn parsed_alone(parameters: Parameters) -> Finished {
    Finished { parameters: parameters.values, ..Finished::default() }
}

/// A statement while nothing is run.
pub(in crate::exec) fn compile_only(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Flow> {
    let settings = &run.ctx.facts.settings;
    match settings.noexec && !settings.prepares {
        true => noexec(run, statement, true),
        false => format_only(run, statement),
    }
}

/// Under NOEXEC; `reached`: the text comes to the statement whatever conditions say.
fn noexec(run: &mut BatchRun<'_>, statement: &Statement, reached: bool) -> SqlResult<Flow> {
    use StatementKind as S;
    match &statement.kind {
        S::Block(statements) => return noexec_list(run, statements, reached),
        S::If { then, otherwise, .. } => {
            bind_only(run, statement, true)?;
            for branch in std::iter::once(then).chain(otherwise) {
                if noexec_list(run, std::slice::from_ref(branch), false)? != Flow::Next {
                    return Ok(Flow::Abort);
                }
            }
            return Ok(Flow::Next);
        }
        S::While { body, .. } => {
            bind_only(run, statement, true)?;
            return noexec_list(run, std::slice::from_ref(body), false);
        }
        S::TryCatch { body, handler } => {
            return match noexec_list(run, body, reached)? {
                // Whatever it was, it was not for the handler: nothing has run.
                Flow::Next if run.ctx.facts.settings.noexec => noexec_list(run, handler, false),
                flow => Ok(flow),
            };
        }
        S::SetOption(option) if reached && sets(option, "NOEXEC") => settings::apply_set(run, statement, option)?,
        S::DeclareTable { name, definition } => ddl::declare_table(run, statement, name, definition)?,
        _ => bind_only(run, statement, true)?,
    }
    Ok(Flow::Next)
}

fn noexec_list(run: &mut BatchRun<'_>, statements: &[Statement], reached: bool) -> SqlResult<Flow> {
    for statement in statements {
        let bound =
            if run.ctx.facts.settings.noexec { noexec(run, statement, reached) } else { run.statement(statement) };
        let flow = match bound {
            Ok(flow) => flow,
            Err(error) => run.failed(error, statement)?,
        };
        if flow != Flow::Next || run.ends_batch {
            return Ok(if run.ends_batch { Flow::Abort } else { flow });
        }
    }
    Ok(Flow::Next)
}

/// Under FMTONLY, and where a text is prepared.
fn format_only(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Flow> {
    use StatementKind as S;
    match &statement.kind {
        S::Block(statements) => return flow::list(run, statements),
        S::If { then, otherwise, .. } => {
            for branch in std::iter::once(then).chain(otherwise) {
                if run.statement(branch)? == Flow::Abort {
                    return Ok(Flow::Abort);
                }
            }
        }
        S::While { body, .. } => return run.statement(body),
        S::TryCatch { body, .. } => return flow::list(run, body),
        S::SetOption(option) => settings::apply_set(run, statement, option)?,
        S::Use(name) => settings::use_database(run, name)?,
        S::DeclareTable { name, definition } => ddl::declare_table(run, statement, name, definition)?,
        S::Execute(_) | S::ExecuteText(_) if run.ctx.facts.settings.prepares => {}
        S::Execute(execute) => enter_procedure(run, statement, execute)?,
        S::ExecuteText(execute) => call::execute_text(run, statement, execute)?,
        _ => bind_only(run, statement, false)?,
    }
    Ok(Flow::Next)
}

/// Procedures of the user and texts may have results; those of the server are not run.
fn enter_procedure(run: &mut BatchRun<'_>, statement: &Statement, execute: &Execute) -> SqlResult<()> {
    let is_text = execute.procedure.parts.last().is_some_and(|name| TextCall::of(name) == Some(TextCall::ExecuteSql));
    if is_text || called::find_procedure(run.session, &execute.procedure, &run.ctx.facts)?.is_some() {
        return call::execute(run, statement, execute);
    }
    Ok(())
}

/// Binds a statement that has something to bind, and sends the columns of its result where those are asked for.
fn bind_only(run: &mut BatchRun<'_>, statement: &Statement, deferred: bool) -> SqlResult<()> {
    let code = match code_of(run, statement) {
        Err(error) if deferred && error.number == INVALID_OBJECT => return Ok(()),
        code => code?,
    };
    let Some(columns) = code.as_ref().filter(|_| !deferred).and_then(result_of) else { return Ok(()) };
    run.sink.columns(&columns).map_err(closed)?;
    run.done_rows(0, COMMAND_SELECT);
    Ok(())
}

/// The code of a statement over rows or of an expression; `None` of any other.
pub(in crate::exec) fn code_of(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Option<Code>> {
    use StatementKind as S;
    Ok(Some(match &statement.kind {
        S::Select(select) => query::select_code(run, statement, select)?.into(),
        S::Insert(insert) if matches!(insert.source, InsertSource::Execute(_) | InsertSource::ExecuteText(_)) => {
            return Ok(None);
        }
        S::Insert(insert) => insert::code_of_insert(run, statement, CodeKey::of(statement), insert)?.into(),
        S::Update(update) if update.current_of.is_none() => change::code_of_update(run, statement, update)?.into(),
        S::Delete(delete) if delete.current_of.is_none() => change::code_of_delete(run, statement, delete)?.into(),
        S::Merge(merge) => merge::code_of_merge(run, statement, merge)?.into(),
        S::SetVariable(assignment) if !cursor::is_cursor_variable(run, &assignment.variable) => {
            set::code_of_set(run, statement, assignment)?.into()
        }
        S::If { condition, .. } | S::While { condition, .. } => {
            scalar::condition_code(run, statement, condition)?.into()
        }
        S::Print(expr) => scalar::constant_code(run, statement, expr)?.into(),
        _ => return Ok(None),
    }))
}

/// The columns that code sends to the client.
fn result_of(code: &Code) -> Option<Vec<Column>> {
    let output: &[BoundOutput] = match code {
        Code::Query(query) => {
            let sends = query.into.is_none() && query.assign.is_empty();
            return sends.then(|| query.columns.clone());
        }
        Code::Insert(insert) => &insert.bound.output,
        Code::Change(change) => &change.bound.output,
        Code::Merge(merge) => &merge.bound.output,
        Code::Scalar(_) | Code::Table(_) | Code::Rows(_) => return None,
    };
    let taken = output.iter().filter_map(|output| output.taken.as_ref()).flat_map(|taken| &taken.output);
    output.iter().chain(taken).find(|output| output.into.is_none()).map(BoundOutput::columns)
}
