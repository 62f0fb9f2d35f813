//! Queries whose values are columns of one row, which one scan computes ([`crate::lower::totals`] says which).
//!
//! What always holds: the scan is made when the first of them is asked for, once in a run; the NULLs that one leaves out are noted when
//! its value is asked for.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::logical_expr::ColumnarValue;
use millpond_catalog::run::Run;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_rewrite::normal;
use millpond_rewrite::repeated::Class;
use millpond_rewrite::totals::Family;
use millpond_showplan::{Operator, Scope};
use millpond_types::{SqlType, Value};
use parking_lot::Mutex;

use crate::expression::convert;
use crate::expression::function::{AskedQuery, ShownQuery};
use crate::lowering::Lowering;
use crate::operator::correlate::InnerPlan;
use crate::run::cell::{Forget, RunCell};
use crate::run::failure;

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
            known.0 = Some(row.ok_or_else(|| failure::internal("an aggregate without groups has no row"))?);
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
