//! OUTPUT: rows of a change for the client or for another table. They are kept until the change has succeeded.

use std::sync::Arc;

use millpond_bind::BoundOutput;
use millpond_builtin::eval::{Rows, eval, is_true};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::text_size::TextSize;
use millpond_types::{SqlType, Value};

use crate::exec::batch::BatchRun;
use crate::exec::batch::result_sets::refused;
use crate::exec::dml::store;

/// The rows of a statement's OUTPUT clauses.
pub(in crate::exec) struct OutputRows<'a> {
    outputs: &'a [BoundOutput],
    rows: Vec<Vec<Vec<Value>>>,
    scratch: Vec<Value>,
    /// Rows that an INSERT has taken, and its last identity value.
    taken: Option<u64>,
    last_identity: Option<i64>,
    /// Its own OUTPUT.
    sent: Vec<OutputRows<'a>>,
}

/// What an INSERT makes of a row; the row itself where none takes it.
fn taken(output: &BoundOutput, ctx: &RunContext, row: Vec<Value>) -> SqlResult<Option<Vec<Value>>> {
    let Some(taken) = &output.taken else { return Ok(Some(row)) };
    if let Some(filter) = &taken.filter
        && !is_true(filter, ctx, Rows::of(&row))?
    {
        return Ok(None);
    }
    let items = taken.items.iter().map(|item| eval(item, ctx, Rows::of(&row)));
    items.collect::<SqlResult<_>>().map(Some)
}

impl<'a> OutputRows<'a> {
    pub fn new(outputs: &'a [BoundOutput]) -> OutputRows<'a> {
        let sent = outputs.iter().filter_map(|output| output.taken.as_ref());
        OutputRows {
            outputs,
            rows: outputs.iter().map(|_| Vec::new()).collect(),
            scratch: Vec::new(),
            taken: None,
            last_identity: None,
            sent: sent.map(|taken| OutputRows::new(&taken.output)).collect(),
        }
    }

    /// A row was changed: `inserted`, `deleted` and the statement's input row; one that there is not is empty and its
    /// columns are not asked for, unless something comes after them.
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
            let row = row.collect::<SqlResult<Vec<Value>>>()?;
            rows.extend(taken(output, ctx, row)?);
        }
        Ok(())
    }

    /// How many rows an INSERT has taken of the change; `None` where none takes them.
    pub fn taken(&self) -> Option<u64> {
        self.taken
    }
}

/// Stores the rows of OUTPUT … INTO: part of the statement.
pub(in crate::exec) fn output_into(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    output: &mut OutputRows<'_>,
) -> SqlResult<()> {
    // The rows of these tables are not those that the statement's triggers see.
    let changes = run.changes.take();
    let OutputRows { outputs, rows, taken, last_identity, sent, .. } = output;
    let done = outputs.iter().zip(rows).try_for_each(|(clause, rows)| {
        let Some(into) = &clause.into else { return Ok(()) };
        let items = clause.taken.as_ref().map_or(&clause.items, |taken| &taken.items);
        let types: Vec<SqlType> = items.iter().map(|item| item.ty.sql).collect();
        let mut on_row = |row: &[Value]| sent.iter_mut().try_for_each(|rows| rows.add(ctx, row, &[], &[]));
        let stored = store::store_rows(run, ctx, into, rows, &types, &mut on_row)?;
        if clause.taken.is_some() {
            (*taken, *last_identity) = (Some(stored.0), stored.1);
        }
        Ok(())
    });
    run.changes = changes;
    done
}

/// Sends the rows of OUTPUT without INTO.
pub(in crate::exec) fn send_output(run: &mut BatchRun<'_>, output: &OutputRows<'_>) -> SqlResult<()> {
    for (clause, rows) in output.outputs.iter().zip(&output.rows) {
        if let (Some(_), Some(into)) = (&clause.taken, &clause.into) {
            store::remember_identity(run, &into.def, output.last_identity);
        }
        if clause.into.is_some() {
            continue;
        }
        let columns = clause.columns();
        run.sink.columns(&columns).map_err(|gone| refused(run.sink, gone))?;
        run.has_sent_rows = true;
        let mut text_size = TextSize::of(run.ctx.facts.settings.textsize, &columns);
        for row in rows {
            let row = text_size.as_mut().map_or(&row[..], |text_size| text_size.cut(row));
            run.sink.row(row).map_err(|gone| refused(run.sink, gone))?;
        }
    }
    output.sent.iter().try_for_each(|rows| send_output(run, rows))
}
