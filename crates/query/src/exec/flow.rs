//! Control flow: lists of statements, loops, TRY … CATCH, and GOTO, which may leave blocks and enter them.
//!
//! ```text
//!   GOTO a ─▶ Flow::Goto goes up, list by list, until one contains the label a: there the run goes on, down into the
//!             block, branch or loop that holds the label. A TRY or CATCH block is not entered from outside (1026).
//! ```

use std::sync::Arc;

use millpond_tsql::ast::{Expr, Statement, StatementKind};

use super::batch::{BatchRun, Flow, to_message};
use crate::catalog::names_equal;
use crate::error::{SqlError, SqlResult};

impl BatchRun<'_> {
    /// Statements in order.
    pub fn list(&mut self, statements: &[Statement]) -> SqlResult<Flow> {
        self.list_from(statements, 0)
    }

    fn list_from(&mut self, statements: &[Statement], first: usize) -> SqlResult<Flow> {
        let mut index = first;
        let mut enters = false;
        while let Some(statement) = statements.get(index) {
            let flow = if std::mem::take(&mut enters) {
                self.enter(statement)?
            } else {
                self.statement(statement)?
            };
            match flow {
                Flow::Next => index += 1,
                Flow::Goto => match statements.iter().position(|statement| holds_label(statement, &self.label)) {
                    Some(target) => (index, enters) = (target, true),
                    None => return Ok(Flow::Goto),
                },
                ended => return Ok(ended),
            }
            if self.ctx.task.is_cancelled() {
                self.ends_batch = true;
                return Ok(Flow::Abort);
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on at the label that `statement` is or holds.
    fn enter(&mut self, statement: &Statement) -> SqlResult<Flow> {
        match &statement.kind {
            StatementKind::Block(statements) => {
                let label = self.label.clone();
                let first = statements.iter().position(|statement| holds_label(statement, &label));
                let first = first.expect("the block holds the label");
                match self.enter(&statements[first])? {
                    Flow::Next => self.list_from(statements, first + 1),
                    flow => Ok(flow),
                }
            }
            StatementKind::If { then, otherwise, .. } => match otherwise {
                Some(otherwise) if holds_label(otherwise, &self.label) => self.enter(otherwise),
                _ => self.enter(then),
            },
            StatementKind::While { condition, body } => match self.enter(body)? {
                Flow::Next | Flow::Continue => self.while_loop(statement, condition, body),
                Flow::Break => Ok(Flow::Next),
                flow => Ok(flow),
            },
            _ => Ok(Flow::Next),
        }
    }

    /// GOTO
    ///
    /// # Errors
    /// 133 for a label that is nowhere, 1026 for one inside of a TRY or CATCH block that does not hold the GOTO.
    pub(super) fn goto(&mut self, label: &str) -> SqlResult<Flow> {
        let parsed = Arc::clone(&self.parsed);
        if !parsed.batch.statements.iter().any(|statement| mentions_label(statement, label)) {
            let text =
                format!("A GOTO statement references the label '{label}' but the label has not been declared.");
            return Err(SqlError { is_thrown: true, ..SqlError::new(133, 15, 1, text) });
        }
        label.clone_into(&mut self.label);
        Ok(Flow::Goto)
    }

    pub(super) fn while_loop(
        &mut self,
        statement: &Statement,
        condition: &Expr,
        body: &Statement,
    ) -> SqlResult<Flow> {
        while self.condition(statement, condition)? {
            match self.statement(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                ended @ (Flow::Return | Flow::Abort | Flow::Goto) => return Ok(ended),
            }
            if self.ctx.task.is_cancelled() {
                self.ends_batch = true;
                return Ok(Flow::Abort);
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn try_catch(&mut self, body: &[Statement], handler: &[Statement]) -> SqlResult<Flow> {
        self.try_depth += 1;
        let tried = self.list(body);
        self.try_depth -= 1;
        let error = match tried {
            Ok(flow) => return Ok(flow),
            Err(error) => error,
        };
        let facts = &mut self.ctx_mut().facts;
        if facts.settings.xact_abort && facts.tran_count > 0 {
            facts.doomed = true;
        }
        facts.error = error.number;
        facts.row_count = 0;
        let outer = facts.caught.replace(Arc::new(to_message(&error, 1)));
        let flow = self.list(handler);
        self.ctx_mut().facts.caught = outer;
        flow
    }
}

/// Whether GOTO can go to the label from outside of the statement.
fn holds_label(statement: &Statement, label: &str) -> bool {
    match &statement.kind {
        StatementKind::Label(name) => names_equal(name, label),
        StatementKind::Block(statements) => statements.iter().any(|statement| holds_label(statement, label)),
        StatementKind::If { then, otherwise, .. } => {
            holds_label(then, label) || otherwise.as_ref().is_some_and(|otherwise| holds_label(otherwise, label))
        }
        StatementKind::While { body, .. } => holds_label(body, label),
        _ => false,
    }
}

/// Whether the label is anywhere in the statement.
fn mentions_label(statement: &Statement, label: &str) -> bool {
    match &statement.kind {
        StatementKind::TryCatch { body, handler } => {
            body.iter().chain(handler).any(|statement| mentions_label(statement, label))
        }
        StatementKind::Block(statements) => statements.iter().any(|statement| mentions_label(statement, label)),
        StatementKind::If { then, otherwise, .. } => {
            mentions_label(then, label) || otherwise.as_ref().is_some_and(|otherwise| mentions_label(otherwise, label))
        }
        StatementKind::While { body, .. } => mentions_label(body, label),
        _ => holds_label(statement, label),
    }
}
