//! OUTPUT: rows of a change for the client or for another table. They are kept until the change has succeeded.

use std::sync::Arc;

use millpond_types::{SqlType, Value};

use super::batch::BatchRun;
use super::text_size::TextSize;
use crate::bind::BoundOutput;
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::eval::{Rows, eval};
use crate::sink::Column;
use crate::system_call::closed;

impl BoundOutput {
    /// The columns of its rows.
    pub(super) fn columns(&self) -> Vec<Column> {
        self.items.iter().zip(&self.names).map(|(item, name)| item.ty.shown_as(name)).collect()
    }
}

/// The rows of a statement's OUTPUT clauses.
pub(super) struct OutputRows<'a> {
    outputs: &'a [BoundOutput],
    rows: Vec<Vec<Vec<Value>>>,
    scratch: Vec<Value>,
}

impl<'a> OutputRows<'a> {
    pub fn new(outputs: &'a [BoundOutput]) -> OutputRows<'a> {
        OutputRows { outputs, rows: outputs.iter().map(|_| Vec::new()).collect(), scratch: Vec::new() }
    }

    /// A row was changed: `inserted`, `deleted` and the statement's input row; one that there is not is empty and its
    /// columns are not asked for, unless something comes behind them.
    pub fn add(&mut self, ctx: &RunContext, inserted: &[Value], deleted: &[Value], input: &[Value]) -> SqlResult<()> {
        if self.outputs.is_empty() {
            return Ok(());
        }
        let width = inserted.len().max(deleted.len());
        let scratch = &mut self.scratch;
        scratch.clear();
        scratch.extend_from_slice(inserted);
        scratch.resize(width, Value::Null);
        scratch.extend_from_slice(deleted);
        scratch.resize(2 * width, Value::Null);
        scratch.extend_from_slice(input);
        for (output, rows) in self.outputs.iter().zip(&mut self.rows) {
            let row = output.items.iter().map(|item| eval(item, ctx, Rows::of(scratch)));
            rows.push(row.collect::<SqlResult<_>>()?);
        }
        Ok(())
    }
}

impl BatchRun<'_> {
    /// Stores the rows of OUTPUT … INTO: part of the statement.
    pub(super) fn output_into(&mut self, ctx: &Arc<RunContext>, output: &mut OutputRows<'_>) -> SqlResult<()> {
        // The rows of these tables are not those that the statement's triggers see.
        let changes = self.changes.take();
        let done = output.outputs.iter().zip(&output.rows).try_for_each(|(clause, rows)| {
            let Some(into) = &clause.into else { return Ok(()) };
            let types: Vec<SqlType> = clause.items.iter().map(|item| item.ty.sql).collect();
            self.store_rows(ctx, into, rows, &types, &mut |_| Ok(())).map(drop)
        });
        self.changes = changes;
        done
    }

    /// Sends the rows of OUTPUT without INTO.
    pub(super) fn send_output(&mut self, output: &OutputRows<'_>) -> SqlResult<()> {
        for (clause, rows) in output.outputs.iter().zip(&output.rows) {
            if clause.into.is_some() {
                continue;
            }
            let columns = clause.columns();
            self.sink.columns(&columns).map_err(closed)?;
            let mut text_size = TextSize::of(self.ctx.facts.settings.textsize, &columns);
            for row in rows {
                let row = text_size.as_mut().map_or(&row[..], |text_size| text_size.cut(row));
                self.sink.row(row).map_err(closed)?;
            }
        }
        Ok(())
    }
}
