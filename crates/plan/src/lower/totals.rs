//! Aggregates over rows of one relation that a statement asks for side by side, `(SELECT COUNT(*) FROM t WHERE …)`: one scan computes
//! all of them, as [`millpond_rewrite::totals`] has it, where none of them has an index.
//!
//! ```text
//!   FROM (SELECT COUNT(*) …) AS a, (SELECT COUNT(*) …) AS b      a cross join's inputs become one
//!   CASE WHEN (SELECT COUNT(*) …) > 9 THEN (SELECT AVG(v) …)     queries become columns of one that is asked once
//! ```
//! What always holds: of queries only those share a scan that cannot fail, since CASE may not come to them; the NULLs that one leaves
//! out are noted when its value is asked for.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::logical_expr::ColumnarValue;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{JoinHint, Rel, RelJoin};
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_rewrite::normal;
use millpond_rewrite::outer::reads_beyond;
use millpond_rewrite::repeated::Class;
use millpond_rewrite::terms::{columns, expressions, shifted};
use millpond_rewrite::totals::{Together, Total, tables, together};
use millpond_showplan::{Operator, Scope};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::expression::convert;
use crate::expression::function::{AskedQuery, ShownQuery};
use crate::lower::table;
use crate::lowering::Lowering;
use crate::lowering::shared::{Family, Member};
use crate::operator::correlate::InnerPlan;
use crate::run::cell::{Forget, RunCell};

use std::ops::ControlFlow;

/// The relation, not yet in normal form, with the totals that it joins as they are in one.
pub(crate) fn joined(lowering: &Lowering<'_>, mut rel: Rel) -> Rel {
    if is_cross_join(&rel)
        && let Some(made) = inputs_together(lowering, &rel)
    {
        rel = made;
    }
    for part in rel.relations_mut() {
        *part = joined(lowering, std::mem::replace(part, Rel::one_row()));
    }
    rel
}

fn is_cross_join(rel: &Rel) -> bool {
    matches!(rel, Rel::Join { kind: RelJoin::Inner, hint, on: None, .. } if *hint == JoinHint::default())
}

/// The inputs of cross joins, in order.
fn inputs_of<'r>(rel: &'r Rel, found: &mut Vec<&'r Rel>) {
    match rel {
        Rel::Join { left, right, .. } if is_cross_join(rel) => {
            inputs_of(left, found);
            inputs_of(right, found);
        }
        rel => found.push(rel),
    }
}

fn inputs_together(lowering: &Lowering<'_>, rel: &Rel) -> Option<Rel> {
    let mut inputs = Vec::new();
    inputs_of(rel, &mut inputs);
    let totals: Vec<Option<Total>> = inputs.iter().map(|input| shareable(lowering, input)).collect();
    let classes: Vec<Option<Class>> = totals.iter().map(|total| base_class(lowering, total.as_ref()?)).collect();
    // For each input that is together with others: the number of these.
    let mut together_as: Vec<Option<usize>> = vec![None; inputs.len()];
    let mut made: Vec<Rel> = Vec::new();
    for first in 0..inputs.len() {
        if together_as[first].is_some() || classes[first].is_none() {
            continue;
        }
        let members: Vec<usize> = (first..inputs.len()).filter(|&other| classes[other] == classes[first]).collect();
        let all: Vec<&Total> = members.iter().filter_map(|&member| totals[member].as_ref()).collect();
        if let Some(Together { rel, .. }) = together(&all, false) {
            members.into_iter().for_each(|member| together_as[member] = Some(made.len()));
            made.push(rel);
        }
    }
    if made.is_empty() {
        return None;
    }
    let (mut parts, mut width, mut exprs): (Vec<Rel>, usize, Vec<BoundExpr>) = (Vec::new(), 0, Vec::new());
    let mut next_of: Vec<Option<usize>> = vec![None; made.len()];
    for (input, number) in inputs.into_iter().zip(together_as) {
        let first = match number {
            None => {
                parts.push(input.clone());
                width
            }
            Some(number) => *next_of[number].get_or_insert_with(|| {
                parts.push(made[number].clone());
                width
            }),
        };
        let types = input.types();
        exprs.extend(types.iter().enumerate().map(|(place, ty)| BoundExpr::column(first + place, *ty)));
        if let Some(number) = number {
            next_of[number] = Some(first + types.len());
        }
        width = parts.iter().map(Rel::width).sum();
    }
    let cross = |left, right| Rel::Join {
        kind: RelJoin::Inner,
        hint: JoinHint::default(),
        left: Box::new(left),
        right: Box::new(right),
        on: None,
    };
    let input = Box::new(parts.into_iter().reduce(cross)?);
    Some(Rel::Project { input, exprs })
}

/// The totals among the queries of a relation's expressions that share a scan.
pub(crate) fn families(lowering: &Lowering<'_>, rel: &Rel) -> Vec<Family> {
    let mut found: Vec<(Class, Vec<(Member, Total)>)> = Vec::new();
    let mut known = HashSet::new();
    collect(rel, &mut |query, sql| {
        let Some(total) = shareable(lowering, query).filter(Total::is_safe) else { return };
        let class = lowering.closed.class(&normal::normalise(query.clone()), &lowering.options.alike);
        let (Some(class), Some(base)) = (class, base_class(lowering, &total)) else { return };
        if !known.insert(class) {
            return;
        }
        let member = (Member { class, result: sql }, total);
        match found.iter_mut().find(|(other, _)| *other == base) {
            Some((_, members)) => members.push(member),
            None => found.push((base, vec![member])),
        }
    });
    let family = |(_, members): (Class, Vec<(Member, Total)>)| {
        let (members, totals): (Vec<Member>, Vec<Total>) = members.into_iter().unzip();
        let together = together(&totals.iter().collect::<Vec<&Total>>(), true)?;
        Some(Family { members, together })
    };
    found.into_iter().filter_map(family).collect()
}

/// Calls `found` with each query of one value in the expressions of a relation that reads no outer row.
fn collect(rel: &Rel, found: &mut dyn FnMut(&Rel, SqlType)) {
    for expr in expressions(rel) {
        expr.visit(&mut |node| {
            if let Kind::ScalarQuery(query) = &node.kind
                && !reads_beyond(query, 1)
            {
                found(query, node.ty.sql);
            }
        });
    }
    rel.inputs().into_iter().for_each(|input| collect(input, found));
}

/// The total that a relation is, over a large relation and without an index of its own.
fn shareable(lowering: &Lowering<'_>, rel: &Rel) -> Option<Total> {
    let total = Total::of(rel)?;
    let options = lowering.options;
    let tables = tables(&total.base)?;
    let is_large = |(_, table): &(usize, &Rel)| match table {
        Rel::Table { binding, .. } => {
            options.table_pages.get(*binding).is_some_and(|&pages| pages >= options.least_pages)
        }
        _ => false,
    };
    let is_sought = |(first, table): &(usize, &Rel)| {
        let own = *first..*first + table.width();
        let is_own = |condition: &&BoundExpr| {
            let read = columns(condition);
            !read.is_empty() && read.iter().all(|column| own.contains(column))
        };
        let conditions: Vec<BoundExpr> =
            total.conditions.iter().filter(is_own).map(|condition| shifted(condition.clone(), *first)).collect();
        table::seeks(lowering, table, &conditions)
    };
    let shares = tables.iter().any(is_large) && !tables.iter().any(is_sought);
    drop(tables);
    shares.then_some(total)
}

fn base_class(lowering: &Lowering<'_>, total: &Total) -> Option<Class> {
    lowering.closed.class(&total.base, &lowering.options.alike)
}

/// The query of a class that shares a scan with others; none of one that does not, or whose family has been made.
pub(crate) fn made(lowering: &Lowering<'_>, class: Class) -> SqlResult<Option<Arc<TotalQuery>>> {
    let Some(Family { members, together }) = lowering.closed.take_family(class) else { return Ok(None) };
    let inner = lowering.closed_plan(&normal::normalise(together.rel))?;
    let known = Arc::new(Mutex::new(Row(None)));
    lowering.cell.forget_after_run(Arc::clone(&known) as Arc<dyn Forget>);
    let totals = Arc::new(Totals { inner, cell: Arc::clone(&lowering.cell), known });
    let mut wanted = None;
    for (column, (member, nulls)) in members.into_iter().zip(together.nulls).enumerate() {
        let result = member.result;
        let query = Arc::new(TotalQuery { totals: Arc::clone(&totals), column, nulls, result });
        if member.class == class {
            wanted = Some(Arc::clone(&query));
        }
        lowering.closed.add(member.class, value_of(&result), query);
    }
    Ok(wanted)
}

/// What is asked of a query for its value of a type.
pub(crate) fn value_of(result: &SqlType) -> String {
    format!("value {result:?}")
}

/// One column of totals.
pub(crate) struct TotalQuery {
    totals: Arc<Totals>,
    column: usize,
    nulls: Option<usize>,
    result: SqlType,
}

/// Totals of one scan, which is made when the first of them is asked for.
struct Totals {
    inner: Box<dyn InnerPlan>,
    cell: Arc<RunCell>,
    known: Arc<Mutex<Row>>,
}

/// The totals of this run.
struct Row(Option<Vec<Value>>);

impl Forget for Mutex<Row> {
    fn forget(&self) {
        self.lock().0 = None;
    }
}

impl Totals {
    fn value(&self, context: &RunContext, query: &TotalQuery) -> SqlResult<Value> {
        let mut known = self.known.lock();
        if known.0.is_none() {
            let mut row = None;
            self.inner.run(context, &mut |values| {
                row = Some(values.to_vec());
                ControlFlow::Break(())
            })?;
            known.0 = Some(row.ok_or_else(|| crate::run::failure::internal("an aggregate without groups has no row"))?);
        }
        let row = known.0.as_deref().unwrap_or_default();
        if query.nulls.and_then(|nulls| row[nulls].as_i64()).is_some_and(|nulls| nulls > 0) {
            context.notes().left_null_out();
        }
        Ok(row[query.column].clone())
    }
}

impl AskedQuery for TotalQuery {
    fn answer(&self, _: &[ColumnarValue], _: usize) -> SqlResult<ColumnarValue> {
        let context = self.totals.cell.context()?;
        let value = self.totals.value(&context, self)?;
        Ok(ColumnarValue::Scalar(convert::scalar_of(&value, &self.result)?))
    }
}

impl ShownQuery for TotalQuery {
    fn show(&self, scope: &Scope, _: &[String]) -> Operator {
        self.totals.inner.show(scope, &[])
    }

    fn text(&self, value: &str, _: &[String]) -> String {
        value.to_owned()
    }
}
