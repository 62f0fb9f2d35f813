//! Control flow: lists of statements, loops, TRY … CATCH, and GOTO, which may leave blocks and enter them.
//!
//! ```text
//!   GOTO a ─▶ Flow::Goto goes up, list by list, until one contains the label a: there the run goes on, down into the
//!             block, branch or loop that holds the label. The parser has seen that it is there, and not
//!             inside of a TRY or CATCH block that does not hold the GOTO (133, 1026).
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use millpond_catalog::{name_key, names_equal};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{Expr, Statement, StatementKind};

use crate::exec::batch::{BatchRun, Flow, to_message};

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
                Flow::Goto => match self.label_place(statements) {
                    Some(target) => (index, enters) = (target, true),
                    None => return Ok(Flow::Goto),
                },
                ended => return Ok(ended),
            }
            if self.ctx.task.is_cancelled() {
                return Ok(self.ended_by_cancellation());
            }
        }
        Ok(Flow::Next)
    }

    /// Goes on at the label that `statement` is or holds.
    fn enter(&mut self, statement: &Statement) -> SqlResult<Flow> {
        match &statement.kind {
            StatementKind::Block(statements) => {
                let first = self.label_place(statements).expect("the block holds the label");
                match self.enter(&statements[first])? {
                    Flow::Next => self.list_from(statements, first + 1),
                    flow => Ok(flow),
                }
            }
            StatementKind::If { then, otherwise, .. } => match otherwise {
                Some(otherwise) if self.holds_label(otherwise) => self.enter(otherwise),
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

    /// The statement of a list that is or holds the label; what labels a list has is found out once.
    fn label_place(&mut self, statements: &[Statement]) -> Option<usize> {
        let list = self.labels.entry(statements.as_ptr() as usize).or_insert_with(|| labels_of(statements));
        list.get(&name_key(&self.label)).copied()
    }

    /// Whether GOTO can go to the label from outside of the statement.
    fn holds_label(&mut self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Label(name) => names_equal(name, &self.label),
            StatementKind::Block(statements) => self.label_place(statements).is_some(),
            StatementKind::If { then, otherwise, .. } => {
                self.holds_label(then) || otherwise.as_ref().is_some_and(|otherwise| self.holds_label(otherwise))
            }
            StatementKind::While { body, .. } => self.holds_label(body),
            _ => false,
        }
    }

    /// GOTO; that the label is there and may be entered, the parser has seen to.
    pub(in crate::exec) fn goto(&mut self, label: &str) -> Flow {
        label.clone_into(&mut self.label);
        Flow::Goto
    }

    pub(in crate::exec) fn while_loop(
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
                return Ok(self.ended_by_cancellation());
            }
            // Nothing runs any more that could end the loop.
            if self.ctx.facts.settings.runs_nothing() {
                break;
            }
        }
        Ok(Flow::Next)
    }

    pub(in crate::exec) fn try_catch(&mut self, body: &[Statement], handler: &[Statement]) -> SqlResult<Flow> {
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

/// Of a list of statements the label of each that GOTO can go to from outside of it, to the statement that is or holds it.
fn labels_of(statements: &[Statement]) -> HashMap<Vec<u8>, usize> {
    let mut labels = HashMap::new();
    for (place, statement) in statements.iter().enumerate() {
        each_label(statement, &mut |label| {
            labels.entry(name_key(label)).or_insert(place);
        });
    }
    labels
}

fn each_label(statement: &Statement, see: &mut dyn FnMut(&str)) {
    match &statement.kind {
        StatementKind::Label(name) => see(name),
        StatementKind::Block(statements) => statements.iter().for_each(|statement| each_label(statement, see)),
        StatementKind::If { then, otherwise, .. } => {
            each_label(then, see);
            if let Some(otherwise) = otherwise {
                each_label(otherwise, see);
            }
        }
        StatementKind::While { body, .. } => each_label(body, see),
        _ => {}
    }
}
