//! SET NOEXEC ON and SET FMTONLY ON: statements are bound and not run.
//!
//! ```text
//!   PARSEONLY   at parse time   the text is parsed, nothing of it is bound or run
//!   NOEXEC      at run time     each statement is bound; only SET NOEXEC OFF is run, nothing is sent but errors
//!   FMTONLY     at run time     each statement is bound; the columns of results are sent, without rows
//! ```
//! What always holds: no row, no definition, no variable and no transaction changes. Statements are gone through in the
//! order of the text, both branches of IF and the body of WHILE once. Under NOEXEC SET NOEXEC OFF counts where the text
//! surely comes to it, so not inside of IF and WHILE. Table variables are made, because what names them could not be bound
//! otherwise. Under NOEXEC an object that is not there is no error (deferred name resolution). FMTONLY enters procedures
//! of the user, because their results are asked for, and runs SET, USE and EXECUTE of a text.

use std::sync::Arc;

use millpond_bind::BoundOutput;
use millpond_engine::engine::ParsedBatch;
use millpond_engine::parse_time::{ParseTime, sets};
use millpond_engine::system_call::closed;
use millpond_message::error::SqlResult;
use millpond_message::sink::Column;
use millpond_tsql::ast::{Execute, InsertSource, Statement, StatementKind};

use crate::exec::batch::code::Code;
use crate::exec::batch::control::scalar_of;
use crate::exec::batch::frame::{Finished, Parameters};
use crate::exec::batch::{BatchRun, COMMAND_SELECT, Flow};
use crate::exec::routine::prepared_call::TextCall;
use crate::session::Session;

/// The number of a name that is deferred.
const INVALID_OBJECT: i32 = 208;

impl Session {
    /// Takes what a text sets when it is parsed; whether it is to be parsed alone.
    pub(in crate::exec) fn take_parse_time(&mut self, parsed: &ParsedBatch) -> bool {
        let ParseTime { parse_only, quoted_identifier } = parsed.parse_time;
        if parse_only.is_some() || quoted_identifier.is_some() {
            let settings = Arc::make_mut(&mut self.facts.settings);
            settings.parseonly = parse_only.unwrap_or(settings.parseonly);
            settings.quoted_identifier = quoted_identifier.unwrap_or(settings.quoted_identifier);
            self.shared.status.lock().settings = Arc::clone(&self.facts.settings);
        }
        self.facts.settings.parseonly
    }

    /// What is left of a text that was parsed alone.
    pub(in crate::exec) fn parsed_alone(parameters: Parameters) -> Finished {
        Finished { parameters: parameters.values, ..Finished::default() }
    }
}

impl BatchRun<'_> {
    /// A statement while nothing is run.
    pub(in crate::exec) fn compile_only(&mut self, statement: &Statement) -> SqlResult<Flow> {
        let settings = &self.ctx.facts.settings;
        if settings.noexec { self.noexec(statement, true) } else { self.format_only(statement) }
    }

    /// Under NOEXEC; `reached`: the text comes to the statement whatever conditions say.
    fn noexec(&mut self, statement: &Statement, reached: bool) -> SqlResult<Flow> {
        use StatementKind as S;
        match &statement.kind {
            S::Block(statements) => return self.noexec_list(statements, reached),
            S::If { then, otherwise, .. } => {
                self.bind_only(statement, true)?;
                for branch in std::iter::once(then).chain(otherwise) {
                    if self.noexec_list(std::slice::from_ref(branch), false)? != Flow::Next {
                        return Ok(Flow::Abort);
                    }
                }
                return Ok(Flow::Next);
            }
            S::While { body, .. } => {
                self.bind_only(statement, true)?;
                return self.noexec_list(std::slice::from_ref(body), false);
            }
            S::TryCatch { body, handler } => {
                return match self.noexec_list(body, reached)? {
                    // Whatever it was, it was not for the handler: nothing has run.
                    Flow::Next if self.ctx.facts.settings.noexec => self.noexec_list(handler, false),
                    flow => Ok(flow),
                };
            }
            S::SetOption(option) if reached && sets(option, "NOEXEC") => self.set_option(statement, option)?,
            S::DeclareTable { name, definition } => self.declare_table(statement, name, definition)?,
            _ => self.bind_only(statement, true)?,
        }
        Ok(Flow::Next)
    }

    fn noexec_list(&mut self, statements: &[Statement], reached: bool) -> SqlResult<Flow> {
        for statement in statements {
            let bound = if self.ctx.facts.settings.noexec {
                self.noexec(statement, reached)
            } else {
                self.statement(statement)
            };
            let flow = match bound {
                Ok(flow) => flow,
                Err(error) => self.failed(error, statement)?,
            };
            if flow != Flow::Next || self.ends_batch {
                return Ok(if self.ends_batch { Flow::Abort } else { flow });
            }
        }
        Ok(Flow::Next)
    }

    /// Under FMTONLY.
    fn format_only(&mut self, statement: &Statement) -> SqlResult<Flow> {
        use StatementKind as S;
        match &statement.kind {
            S::Block(statements) => return self.list(statements),
            S::If { then, otherwise, .. } => {
                for branch in std::iter::once(then).chain(otherwise) {
                    if self.statement(branch)? == Flow::Abort {
                        return Ok(Flow::Abort);
                    }
                }
            }
            S::While { body, .. } => return self.statement(body),
            S::TryCatch { body, .. } => return self.list(body),
            S::SetOption(option) => self.set_option(statement, option)?,
            S::Use(name) => self.use_database(name)?,
            S::DeclareTable { name, definition } => self.declare_table(statement, name, definition)?,
            S::Execute(execute) => self.enter_procedure(statement, execute)?,
            S::ExecuteText(execute) => self.execute_text(statement, execute)?,
            _ => self.bind_only(statement, false)?,
        }
        Ok(Flow::Next)
    }

    /// Procedures of the user and texts may have results; those of the server are not run.
    fn enter_procedure(&mut self, statement: &Statement, execute: &Execute) -> SqlResult<()> {
        let is_text =
            execute.procedure.parts.last().is_some_and(|name| TextCall::of(name) == Some(TextCall::ExecuteSql));
        if is_text || self.session.find_procedure(&execute.procedure, &self.ctx.facts)?.is_some() {
            return self.execute(statement, execute);
        }
        Ok(())
    }

    /// Binds a statement that has something to bind, and sends the columns of its result where those are asked for.
    fn bind_only(&mut self, statement: &Statement, deferred: bool) -> SqlResult<()> {
        let code = match self.code_of(statement) {
            Err(error) if deferred && error.number == INVALID_OBJECT => return Ok(()),
            code => code?,
        };
        let Some(columns) =
            code.as_deref().filter(|_| self.ctx.facts.settings.fmtonly && !deferred).and_then(result_of)
        else {
            return Ok(());
        };
        self.sink.columns(&columns).map_err(closed)?;
        self.done_rows(0, COMMAND_SELECT);
        Ok(())
    }

    /// The code of a statement over rows or of an expression; `None` of any other.
    pub(in crate::exec) fn code_of(&mut self, statement: &Statement) -> SqlResult<Option<Arc<Code>>> {
        use StatementKind as S;
        Ok(Some(match &statement.kind {
            S::Select(select) => self.select_code(statement, select)?,
            S::Insert(insert) if matches!(insert.source, InsertSource::Execute(_) | InsertSource::ExecuteText(_)) => {
                return Ok(None);
            }
            S::Insert(insert) => self.code_of_insert(statement, insert)?,
            S::Update(update) if update.current_of.is_none() => self.code_of_update(statement, update)?,
            S::Delete(delete) if delete.current_of.is_none() => self.code_of_delete(statement, delete)?,
            S::Merge(merge) => self.code_of_merge(statement, merge)?,
            S::SetVariable(assignment) if !self.is_cursor_variable(&assignment.variable) => {
                self.code_of_set(statement, assignment)?
            }
            S::If { condition, .. } | S::While { condition, .. } => self.bound(statement, 0, |binder, _| {
                let expr = binder.condition(condition)?;
                Ok(Code::Scalar(scalar_of(expr, 0)))
            })?,
            S::Print(expr) => self.bound(statement, 0, |binder, _| {
                let expr = binder.constant_expression(expr)?;
                Ok(Code::Scalar(scalar_of(expr, 0)))
            })?,
            _ => return Ok(None),
        }))
    }
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
