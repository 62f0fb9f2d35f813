//! Direct statements: relations over given rows run here, without a plan.
//!
//! The shapes are `[Project] [Top n] [Filter …] Values`. A shape joins this list when a profile asks for it; the scan of
//! a table was on it and left, because a row plan of `analytic` costs the same for one row and a tenth for many. The
//! option 'direct statements' turns the short cut off, so that tests can compare both ways.

use std::ops::ControlFlow;

use millpond_types::Value;

use crate::context::RunContext;
use crate::error::{SqlError, SqlResult};
use crate::eval::{Rows, eval, is_true, needs_plan};
use crate::expr::BoundExpr;
use crate::rel::Rel;

/// A relation that needs no plan.
pub(super) struct Direct {
    rows: Vec<Vec<BoundExpr>>,
    filters: Vec<BoundExpr>,
    top: Option<BoundExpr>,
    project: Option<Vec<BoundExpr>>,
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
        let Rel::Values { rows, .. } = rel else {
            return None;
        };
        let mut exprs = project.iter().flatten().chain(&filters).chain(&top).chain(rows.iter().flatten());
        if exprs.any(needs_plan) {
            return None;
        }
        Some(Direct { rows: rows.clone(), filters, top, project })
    }

    /// The cells of a single given row, for INSERT … VALUES.
    pub fn single_row(&self) -> Option<&[BoundExpr]> {
        let plain = self.filters.is_empty() && self.top.is_none() && self.project.is_none();
        if plain && self.rows.len() == 1 { Some(&self.rows[0]) } else { None }
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
        for cells in &self.rows {
            if left == 0 {
                break;
            }
            let row = cells.iter().map(|cell| eval(cell, ctx, Rows::NONE)).collect::<SqlResult<Vec<_>>>()?;
            if !self.passes(ctx, &row)? {
                continue;
            }
            left -= 1;
            let flow = match &self.project {
                None => on_row(&row)?,
                Some(exprs) => {
                    let out =
                        exprs.iter().map(|expr| eval(expr, ctx, Rows::of(&row))).collect::<SqlResult<Vec<_>>>()?;
                    on_row(&out)?
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn passes(&self, ctx: &RunContext, row: &[Value]) -> SqlResult<bool> {
        for filter in &self.filters {
            if !is_true(filter, ctx, Rows::of(row))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
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
