//! Direct statements: relations without an operator beyond one scan run here, row by row, without a plan.
//!
//! The shapes are `[Project] [Top n] [Filter …] (Table | Values)`. A shape joins this list when a profile asks for it.
//! The option 'direct statements' turns the short cut off, so that tests can compare both ways.

use std::ops::ControlFlow;

use millpond_types::Value;

use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::eval::{Rows, eval, is_true, needs_plan};
use crate::expr::{BoundExpr, Kind};
use crate::message::{self, Place};
use crate::rel::Rel;

/// A relation that needs no plan.
pub(super) struct Direct {
    source: Source,
    filters: Vec<BoundExpr>,
    top: Option<BoundExpr>,
    project: Option<Vec<BoundExpr>>,
}

enum Source {
    /// Binding number, columns of the row that are read, whether the Rid is.
    Table {
        binding: usize,
        width: usize,
        used: Vec<usize>,
        rid: bool,
    },
    Values(Vec<Vec<BoundExpr>>),
}

impl Direct {
    /// The short cut for a relation, if it has one of the shapes.
    pub fn of(rel: &Rel) -> Option<Direct> {
        let (project, rel) = match rel {
            Rel::Project { input, exprs } => (Some(exprs.clone()), &**input),
            other => (None, other),
        };
        let (top, mut rel) = match rel {
            Rel::Top { input, count: Some(count), percent: false, ties, offset: None } if ties.is_empty() => {
                (Some(count.clone()), &**input)
            }
            other => (None, other),
        };
        let mut filters = Vec::new();
        while let Rel::Filter { input, predicate } = rel {
            filters.push(predicate.clone());
            rel = input;
        }
        filters.reverse();
        let exprs = || project.iter().flatten().chain(&filters).chain(&top);
        if exprs().any(needs_plan) {
            return None;
        }
        let source = match rel {
            Rel::Values { rows, .. } if !rows.iter().flatten().any(needs_plan) => Source::Values(rows.clone()),
            Rel::Table { binding, def, with_rid } => {
                let width = def.columns.len();
                let used = if project.is_some() { used_columns(exprs()) } else { (0..=width).collect() };
                let rid = *with_rid && used.contains(&width);
                Source::Table { binding: *binding, width, used: used.into_iter().filter(|i| *i < width).collect(), rid }
            }
            _ => return None,
        };
        Some(Direct { source, filters, top, project })
    }

    /// The cells of a single given row, for INSERT … VALUES.
    pub fn single_row(&self) -> Option<&[BoundExpr]> {
        match &self.source {
            Source::Values(rows)
                if rows.len() == 1 && self.filters.is_empty() && self.top.is_none() && self.project.is_none() =>
            {
                Some(&rows[0])
            }
            _ => None,
        }
    }

    /// Runs it.
    pub fn run(
        &self,
        ctx: &RunContext,
        on_row: &mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>,
    ) -> SqlResult<()> {
        let mut left = match &self.top {
            None => u64::MAX,
            Some(count) => top_count(&eval(count, ctx, Rows::NONE)?)?,
        };
        let mut out = Vec::new();
        let mut emit = |row: &[Value]| -> SqlResult<ControlFlow<()>> {
            if left == 0 {
                return Ok(ControlFlow::Break(()));
            }
            for filter in &self.filters {
                if !is_true(filter, ctx, Rows::of(row))? {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            left -= 1;
            match &self.project {
                None => on_row(row),
                Some(exprs) => {
                    out.clear();
                    for expr in exprs {
                        out.push(eval(expr, ctx, Rows::of(row))?);
                    }
                    on_row(&out)
                }
            }
        };
        match &self.source {
            Source::Values(rows) => {
                for cells in rows {
                    let row = cells.iter().map(|cell| eval(cell, ctx, Rows::NONE)).collect::<SqlResult<Vec<_>>>()?;
                    if emit(&row)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Source::Table { binding, width, used, rid } => scan(ctx, *binding, *width, used, *rid, &mut emit),
        }
    }
}

/// Reads a table page by page. Rows are taken out of the page before anybody sees them, so that no latch is held while
/// a row is evaluated or sent.
fn scan(
    ctx: &RunContext,
    binding: usize,
    width: usize,
    used: &[usize],
    rid: bool,
    emit: &mut dyn FnMut(&[Value]) -> SqlResult<ControlFlow<()>>,
) -> SqlResult<()> {
    let table = &ctx.tables[binding];
    let ask = ctx.ask(binding);
    let place = Place { object: &table.def.name, database: "tempdb" };
    let mut scan = table.heap.scan();
    let stride = width + usize::from(rid);
    let mut page: Vec<Value> = Vec::new();
    loop {
        page.clear();
        let mut damage = None;
        let more = scan
            .next_page(&ask, &mut |row_id, record| {
                let start = page.len();
                page.resize(start + width, Value::Null);
                for column in used {
                    match table.def.layout.column(record, *column) {
                        Ok(value) => page[start + column] = value,
                        Err(error) => {
                            damage = Some(error);
                            return ControlFlow::Break(());
                        }
                    }
                }
                if rid {
                    page.push(Value::BigInt(row_id.to_u64() as i64));
                }
                ControlFlow::Continue(())
            })
            .map_err(|error| message::of_access(error, place))?;
        if let Some(error) = damage {
            return Err(message::of_row(error));
        }
        if stride > 0 {
            for row in page.chunks_exact(stride) {
                if emit(row)?.is_break() {
                    return Ok(());
                }
            }
        }
        if !more {
            return Ok(());
        }
    }
}

fn used_columns<'e>(exprs: impl Iterator<Item = &'e BoundExpr>) -> Vec<usize> {
    let mut used = std::collections::BTreeSet::new();
    for expr in exprs {
        expr.visit(&mut |expr| {
            if let Kind::Column(index) = expr.kind {
                used.insert(index);
            }
        });
    }
    used.into_iter().collect()
}

/// The number of TOP.
///
/// # Errors
/// 127 for a negative number, 1060 for NULL.
pub(crate) fn top_count(value: &Value) -> SqlResult<u64> {
    match value {
        Value::BigInt(count) => u64::try_from(*count)
            .map_err(|_| SqlError::new(127, 15, 1, "A TOP N or FETCH rowcount value may not be negative.")),
        _ => Err(SqlError::new(
            1060,
            15,
            1,
            "The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.",
        )),
    }
}
