//! What UPDATE makes of a row, and the variables that it sets from row to row.
//!
//! ```text
//!   SET list:  variables from left to right, with the column of `@v = column = …` ─▶ other columns ─▶ computed columns
//!   input row: as it was found │ values that a plan computed │ the set variables as they are now, where one is read
//! ```
//! What always holds:
//! - N1: an expression that reads a variable which its statement sets finds what the row before left there, or an item
//!   further left in the same list. Where none does, which is known when the statement is bound, nothing is kept.
//! - N2: `@v = column = …` gives the variable what the column gets, computed once.

use millpond_bind::{Assign, Change, SetVariables};
use millpond_builtin::eval::{Rows, eval, needs_plan};
use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast, text};

use crate::row::{Asked, Verb, check_row, compute_changed, stored};
use crate::unread::Unread;

/// A new row, and the values of variables that the change assigns.
pub type NewRow = (Vec<Value>, Vec<Value>);

/// Makes the new rows of a statement, one after the other.
pub struct RowChanger<'a> {
    def: &'a TableDef,
    verb: Verb,
    /// N1: the set variables as they are now.
    kept: Vec<Value>,
}

impl<'a> RowChanger<'a> {
    /// For a statement whose changes are these.
    pub fn new<'c>(
        def: &'a TableDef,
        ctx: &RunContext,
        verb: Verb,
        mut changes: impl Iterator<Item = &'c Change>,
    ) -> RowChanger<'a> {
        let kept = changes.find_map(|change| match change {
            Change::Update { set: Some(set), .. } => Some(&set.slots),
            _ => None,
        });
        let kept = kept.into_iter().flatten().map(|slot| ctx.variables[*slot].clone()).collect();
        RowChanger { def, verb, kept }
    }

    /// The new row and the values of variables; none when the row goes. Values of the old row
    /// that were not read get their outcome noted.
    pub fn row(
        &mut self,
        ctx: &RunContext,
        change: &Change,
        input: &[Value],
        old: &[Value],
        unread: &mut Unread<'_>,
    ) -> SqlResult<Option<NewRow>> {
        let Change::Update { columns, values, assign, set, checks } = change else { return Ok(None) };
        ctx.begin_row();
        let mut new = old.to_vec();
        let mut assigned = Vec::with_capacity(assign.len());
        if let Some(set) = set {
            let mut row = input[..set.first].to_vec();
            row.append(&mut self.kept);
            for item in assign {
                if let Some(at) = item.column {
                    self.store(ctx, (columns[at], &values[at]), &row, &mut new, unread)?;
                }
                let value = fitting(&item.value.ty.sql, assigned_value(item, ctx, &row, &new)?, ctx.cast_rules())?;
                if let Some(at) = set.slots.iter().position(|slot| *slot == item.slot) {
                    row[set.first + at] = value.clone();
                }
                assigned.push(value);
            }
            let rest = (0..columns.len()).filter(|at| assign.iter().all(|item| item.column != Some(*at)));
            for at in rest {
                self.store(ctx, (columns[at], &values[at]), &row, &mut new, unread)?;
            }
            self.kept = row.split_off(set.first);
        } else {
            for (column, value) in columns.iter().zip(values) {
                self.store(ctx, (*column, value), input, &mut new, unread)?;
            }
            for item in assign {
                assigned.push(assigned_value(item, ctx, input, &new)?);
            }
        }
        compute_changed(self.def, &mut new, ctx)?;
        check_row(self.def, &new, Asked::Places(checks), ctx, self.verb)?;
        Ok(Some((new, assigned)))
    }

    #[inline]
    fn store(
        &self,
        ctx: &RunContext,
        (column, value): (usize, &BoundExpr),
        input: &[Value],
        new: &mut [Value],
        unread: &mut Unread<'_>,
    ) -> SqlResult<()> {
        if !unread.is_empty() && unread.store(ctx, (column, value), input, new)? {
            return Ok(());
        }
        let computed = eval(value, ctx, Rows::of(input))?;
        new[column] = stored(ctx, computed, &value.ty.sql, self.def, column)?;
        Ok(())
    }
}

/// N2
fn assigned_value(item: &Assign, ctx: &RunContext, input: &[Value], new: &[Value]) -> SqlResult<Value> {
    let row = if item.column.is_some() { new } else { input };
    eval(&item.value, ctx, Rows::of(row))
}

/// A value as a variable of a type holds it: texts end where the type does.
///
/// # Errors
/// What the conversion gives.
pub fn fitting(sql: &SqlType, value: Value, rules: CastRules) -> SqlResult<Value> {
    let Value::Str(held) = &value else { return Ok(value) };
    let fits = match sql {
        SqlType::VarChar { len: MaxLen::Limited(units), .. } => held.len() <= usize::from(*units),
        SqlType::NVarChar { len: MaxLen::Limited(units) } => {
            held.len() <= usize::from(*units) || text::utf16_len(held) <= usize::from(*units)
        }
        SqlType::VarChar { len: MaxLen::Max, .. } | SqlType::NVarChar { len: MaxLen::Max } => true,
        _ => false,
    };
    if fits {
        return Ok(value);
    }
    cast::cast(&value, &SqlType::NVarChar { len: MaxLen::Max }, sql, None, rules).map_err(message::of_eval)
}

/// The variables that changes of one statement set, if an expression of them reads one (N1).
pub fn set_and_read<'c>(mut changes: impl Iterator<Item = &'c Change> + Clone) -> Vec<usize> {
    let mut slots = Vec::new();
    for change in changes.clone() {
        let Change::Update { assign, .. } = change else { continue };
        slots.extend(assign.iter().map(|item| item.slot));
    }
    slots.sort_unstable();
    slots.dedup();
    let is_read = !slots.is_empty()
        && changes.any(|change| match change {
            Change::Update { values, assign, .. } => {
                values.iter().chain(assign.iter().map(|item| &item.value)).any(|value| reads(value, &slots))
            }
            Change::Delete => false,
        });
    if is_read { slots } else { Vec::new() }
}

/// Lets a change read the set variables after the first `first` columns of its input row.
pub fn read_from_row(change: &mut Change, slots: &[usize], first: usize) {
    let Change::Update { values, assign, set, .. } = change else { return };
    if slots.is_empty() {
        return;
    }
    for value in values.iter_mut().chain(assign.iter_mut().map(|item| &mut item.value)) {
        let read = std::mem::replace(value, BoundExpr::literal(Value::Null, SqlType::Int));
        *value = read.rewrite(&mut |node| match node.kind {
            Kind::Variable(slot) => match slots.iter().position(|known| *known == slot) {
                Some(at) => Ok(BoundExpr::column(first + at, node.ty)),
                None => Err(node),
            },
            _ => Err(node),
        });
    }
    *set = Some(SetVariables { slots: slots.to_vec(), first });
}

/// Takes what only a plan can compute out of an expression: columns from `width` on take its place. Where the expression
/// reads variables that its statement sets, only its queries are computed before.
///
/// # Errors
/// 40517 for a query that reads such a variable itself.
pub fn take_planned(
    expr: &mut BoundExpr,
    slots: &[usize],
    width: usize,
    computed: &mut Vec<BoundExpr>,
) -> SqlResult<()> {
    if !needs_plan(expr) {
        return Ok(());
    }
    if !reads(expr, slots) {
        let column = BoundExpr::column(width + computed.len(), expr.ty);
        computed.push(std::mem::replace(expr, column));
        return Ok(());
    }
    let mut reads_inside = false;
    let whole = std::mem::replace(expr, BoundExpr::literal(Value::Null, SqlType::Int));
    *expr = whole.rewrite(&mut |node| {
        if !matches!(node.kind, Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..)) {
            return Err(node);
        }
        reads_inside |= reads(&node, slots);
        let column = BoundExpr::column(width + computed.len(), node.ty);
        computed.push(node);
        Ok(column)
    });
    match reads_inside {
        true => Err(message::missing("A subquery that reads a variable which the same statement sets")),
        false => Ok(()),
    }
}

/// Whether an expression, or a query in it, reads one of the variables.
pub fn reads(expr: &BoundExpr, slots: &[usize]) -> bool {
    let mut found = false;
    expr.visit(&mut |node| match &node.kind {
        Kind::Variable(slot) => found |= slots.contains(slot),
        Kind::ScalarQuery(rel) | Kind::Exists(rel) | Kind::InQuery(_, rel, _) => found |= rel_reads(rel, slots),
        _ => {}
    });
    found
}

fn rel_reads(rel: &Rel, slots: &[usize]) -> bool {
    let mut found = false;
    let _ = rel.clone().map_exprs(0, &mut |expr, _| {
        found |= reads(&expr, slots);
        expr
    });
    found
}
