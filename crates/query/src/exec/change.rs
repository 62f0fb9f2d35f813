//! UPDATE and DELETE. The rows are found first and changed after, so that a statement never meets its own changes.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::Rid;
use millpond_tsql::ast::{Delete, Statement, Update};
use millpond_types::{SqlType, Value};

use super::batch::{BatchRun, COMMAND_DELETE, COMMAND_UPDATE};
use super::code::{ChangeCode, Code};
use super::insert::{check_row, record_bytes, stored};
use super::runner::Runner;
use crate::bind::{BoundChange, Change};
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::message::{self, Place};

/// A row to change: where it is, and the values after the Rid.
struct Found {
    rid: Rid,
    values: Vec<Value>,
}

impl BatchRun<'_> {
    pub(super) fn update(&mut self, statement: &Statement, update: &Update) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, ctx| change_code(binder.update(update)?, ctx))?;
        let rows = self.change(&code)?;
        self.done_rows(rows, COMMAND_UPDATE);
        Ok(())
    }

    pub(super) fn delete(&mut self, statement: &Statement, delete: &Delete) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, ctx| change_code(binder.delete(delete)?, ctx))?;
        let rows = self.change(&code)?;
        self.done_rows(rows, COMMAND_DELETE);
        Ok(())
    }

    fn change(&mut self, code: &Code) -> SqlResult<u64> {
        let Code::Change(code) = code else { unreachable!("kept under this place as a change") };
        self.ctx_mut().begin_statement();
        self.implicit_begin();
        let watch = self.watch();
        let found = self.find_rows(code)?;
        let count = found.len() as u64;
        let last = found.last().map(|found| found.values.clone());
        let bound = &code.bound;
        self.atomically(&bound.def.name, |run| run.apply(bound, found))?;
        if let (Change::Update { assign, .. }, Some(last)) = (&bound.change, last) {
            for (slot, position) in assign {
                let value = self.fitting(*slot, last[position - 1].clone())?;
                self.ctx_mut().variables[*slot] = value;
            }
        }
        self.tell_statistics(watch);
        Ok(count)
    }

    /// The rows of the source; a row that a join gives twice is changed once.
    fn find_rows(&mut self, code: &ChangeCode) -> SqlResult<Vec<Found>> {
        let limit = self.row_limit();
        let mut found: Vec<Found> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        code.runner.run(&self.ctx, &mut |row| {
            // An outer join gives rows of the other table without one of the target.
            if let Value::BigInt(rid) = row[0]
                && seen.insert(rid)
            {
                found.push(Found { rid: Rid::from_u64(rid as u64), values: row[1..].to_vec() });
            }
            Ok(if found.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }

    fn apply(&mut self, bound: &BoundChange, found: Vec<Found>) -> SqlResult<()> {
        let ctx = Arc::clone(&self.ctx);
        let ask = ctx.ask(bound.target);
        let heap = &ctx.tables[bound.target].heap;
        let place = Place { object: &bound.def.name, database: "tempdb" };
        let types: Vec<SqlType> = bound.source.types().iter().skip(1).map(|ty| ty.sql).collect();
        let (mut record, mut row) = (Vec::new(), Vec::new());
        for found in found {
            if ctx.task.is_cancelled() {
                return Err(message::cancelled());
            }
            let Change::Update { columns, .. } = &bound.change else {
                self.session.work.delete(&ask, heap, found.rid).map_err(|error| message::of_txn(error, place))?;
                continue;
            };
            heap.fetch(&ask, found.rid, &mut record).map_err(|error| message::of_access(error, place))?;
            bound.def.layout.decode(&record, &mut row).map_err(message::of_row)?;
            for (position, column) in columns.iter().enumerate() {
                row[*column] = stored(found.values[position].clone(), &types[position], &bound.def, *column)?;
            }
            check_row(&bound.def, &row, &ctx, "UPDATE")?;
            record.clear();
            record.resize(record_bytes(&bound.def, &row)?, 0);
            bound.def.layout.encode_into(&row, &mut record).map_err(message::of_row)?;
            self.session.work.update(&ask, heap, found.rid, &record).map_err(|error| message::of_txn(error, place))?;
        }
        Ok(())
    }
}

fn change_code(bound: BoundChange, ctx: &RunContext) -> SqlResult<Code> {
    let runner = Runner::new(bound.source.clone(), ctx.engine.direct_statements());
    Ok(Code::Change(ChangeCode { bound, runner }))
}
