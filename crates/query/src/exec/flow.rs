//! Control flow: lists of statements, loops, TRY … CATCH, and GOTO, which may leave blocks and enter them.
//!
//! ```text
//!   GOTO a ─▶ Flow::Goto goes up, list by list, until one contains the label a: there the run goes on, down into the
//!             block, branch or loop that holds the label. The parser has seen that it is there, and not
//!             inside of a TRY or CATCH block that does not hold the GOTO (133, 1026).
//! ```

use std::sync::Arc;

use millpond_tsql::ast::{Expr, Statement, StatementKind};

use super::batch::{BatchRun, Flow, to_message};
use crate::catalog::names_equal;
use crate::error::SqlResult;
use crate::message;

impl BatchRun<'_> {
    /// Statements in order.
    pub fn list(&mut self, statements: &[Statement]) -> SqlResult<Flow> {
        self.list_from(statements, 0)
    }

    fn list_from(&mut self, statements: &[Statement], first: usize) -> SqlResult<Flow> {
        let mut index = first;
        let mut enters = false;
        while let Some(statement) = statements.get(index) {
            let flow = if std::mem::take(&mut enters) { self.enter(statement)? } else { self.statement(statement)? };
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

    /// GOTO; that the label is there and may be entered, the parser has seen to.
    pub(super) fn goto(&mut self, label: &str) -> Flow {
        label.clone_into(&mut self.label);
        Flow::Goto
    }

    pub(super) fn while_loop(&mut self, statement: &Statement, condition: &Expr, body: &Statement) -> SqlResult<Flow> {
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
            // Nothing runs any more that could end the loop.
            if self.ctx.facts.settings.runs_nothing() {
                break;
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
            Err(error) if error.is_of_binding => return Err(error),
            Err(error) => error,
        };
        let facts = &mut self.ctx_mut().facts;
        if (facts.settings.xact_abort || message::rolls_back(&error)) && facts.tran_count > 0 {
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
