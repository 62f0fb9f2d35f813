//! Subqueries that are run: `(query)`, EXISTS and IN where no join can stand for them.
//!
//! S1: an inner query that reads no outer row runs at most once per run of the plan, when its value is first needed, however often
//! the plan names it.
//! S2: one that does runs for each row, but not again while the outer values that it reads stay the same.
//! S3: what is not asked for is not run: a branch of CASE that is not taken runs no query.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::common::Column;
use datafusion::logical_expr::{ColumnarValue, Expr, Volatility};
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::collation::{self, Collation};
use millpond_types::{KeyOrder, SqlType, Value, append_key};
use parking_lot::Mutex;
use tokio::task::block_in_place;

use crate::expression::convert::ColumnBuilder;
use crate::expression::function::{AskedQuery, Shown, ShownQuery};
use crate::expression::source::Source;
use crate::expression::{convert, function};
use crate::lower::total_query;
use crate::lowering;
use crate::lowering::{Lowering, OuterScope};
use crate::operator::correlate::InnerPlan;
use crate::run::cell::{Forget, OuterRow, RunCell};
use crate::run::failure;
use millpond_rewrite::normal;
use millpond_rewrite::outer::reads_beyond;
use millpond_showplan::{Operator, Scope};

/// What is asked of the inner query.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// The only row's value.
    Value,
    /// Whether there is a row.
    Exists,
    /// Whether the first argument is among the rows.
    Contains(Collation),
}

/// A call that runs the inner query of `expr`.
pub(crate) fn subquery(lowering: &Lowering<'_>, expr: &BoundExpr, columns: &[Column]) -> SqlResult<Expr> {
    let (rel, question, operand) = match &expr.kind {
        Kind::ScalarQuery(rel) => (rel, Question::Value, None),
        Kind::Exists(rel) => (rel, Question::Exists, None),
        Kind::InQuery(operand, rel, collation) => (rel, Question::Contains(*collation), Some(&**operand)),
        _ => return Err(failure::internal("a subquery was expected")),
    };
    let closed = (!reads_beyond(rel, 1)).then(|| normal::normalise(Rel::clone(rel)));
    let class = closed.as_ref().and_then(|rel| lowering.closed.class(rel, &lowering.options.alike));
    let asked = match question {
        Question::Value => total_query::value_of(&expr.ty.sql),
        _ => format!("{question:?} {:?}", operand.map(|operand| operand.ty.sql)),
    };
    let known = class.and_then(|class| lowering.closed.known(class, &asked));
    if let Some(query) = known {
        let args = operand.map(|operand| lowering.expr(operand, columns)).transpose()?;
        let shown = Shown::Query(Arc::new(AskedAgain(Arc::clone(&query))));
        return Ok(call(query, shown, args.into_iter().collect(), &expr.ty.sql));
    }
    if let (Some(class), Question::Value) = (class, question)
        && let Some(query) = total_query::made(lowering, class)?
    {
        let shown = Shown::Query(Arc::clone(&query) as Arc<dyn ShownQuery>);
        return Ok(call(query, shown, Vec::new(), &expr.ty.sql));
    }
    let (inner, scope) = match &closed {
        Some(rel) => (lowering.closed_plan(rel)?, OuterScope::default()),
        None => lowering.inner_plan(rel)?,
    };
    let (mut args, mut types) = (Vec::new(), Vec::new());
    for wanted in scope.wanted.into_inner() {
        types.push(wanted.ty.sql);
        args.push(match wanted.level {
            1 => lowering::column(columns, wanted.column)?,
            level => lowering.outer_value(level - 1, wanted.column, wanted.ty)?,
        });
    }
    let outer_count = args.len();
    if let Some(operand) = operand {
        types.push(operand.ty.sql);
        args.push(lowering.expr(operand, columns)?);
    }
    let result = expr.ty.sql;
    let cell = Arc::clone(&lowering.cell);
    let known = Arc::new(Mutex::new(Known::default()));
    lowering.cell.forget_after_run(Arc::clone(&known) as Arc<dyn Forget>);
    let query = Arc::new(InnerQuery { inner, outer: scope.row, question, outer_count, types, result, cell, known });
    if let Some(class) = class {
        lowering.closed.add(class, asked, Arc::clone(&query) as Arc<dyn AskedQuery>);
    }
    let shown = Shown::Query(Arc::clone(&query) as Arc<dyn ShownQuery>);
    Ok(call(query, shown, args, &result))
}

fn call(query: Arc<dyn AskedQuery>, shown: Shown, args: Vec<Expr>, result: &SqlType) -> Expr {
    let (result, calls) = (convert::data_type(result), Volatility::Stable);
    function::call_shown("subquery", shown, args, result, calls, move |args, rows| query.answer(args, rows))
}

/// A query that another place of the plan shows.
struct AskedAgain(Arc<dyn AskedQuery>);

impl ShownQuery for AskedAgain {
    fn show(&self, scope: &Scope, _: &[String]) -> Operator {
        let names = vec![scope.computed()];
        Operator::new("Table Spool").logical("Eager Spool").defined(names.clone()).output(names)
    }

    fn text(&self, value: &str, args: &[String]) -> String {
        self.0.text(value, args)
    }
}

/// An inner query with what is known of its answers.
struct InnerQuery {
    inner: Box<dyn InnerPlan>,
    outer: Arc<OuterRow>,
    question: Question,
    /// How many of the arguments are outer values; for IN one more follows.
    outer_count: usize,
    types: Vec<SqlType>,
    result: SqlType,
    cell: Arc<RunCell>,
    known: Arc<Mutex<Known>>,
}

impl ShownQuery for InnerQuery {
    fn show(&self, scope: &Scope, args: &[String]) -> Operator {
        self.inner.show(scope, &args[..self.outer_count.min(args.len())])
    }

    fn text(&self, value: &str, args: &[String]) -> String {
        match self.question {
            Question::Value => value.to_owned(),
            Question::Exists => "EXISTS".to_owned(),
            Question::Contains(_) => format!("{} IN ({value})", args.last().map_or("", String::as_str)),
        }
    }
}

/// The last answer of this run.
#[derive(Default)]
struct Known {
    /// The outer row that the answer is for.
    outer: Vec<Value>,
    answer: Option<Answer>,
}

impl Forget for Mutex<Known> {
    fn forget(&self) {
        *self.lock() = Known::default();
    }
}

enum Answer {
    Value(Value),
    Set(Members),
}

impl AskedQuery for InnerQuery {
    fn answer(&self, args: &[ColumnarValue], rows: usize) -> SqlResult<ColumnarValue> {
        let context = self.cell.context()?;
        let sources =
            args.iter().zip(&self.types).map(|(arg, sql)| Source::new(arg, sql)).collect::<SqlResult<Vec<_>>>()?;
        let mut row: Vec<Value> = sources.iter().map(Source::first).collect();
        if args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_))) {
            let value = self.answer_row(&context, &row)?;
            return Ok(ColumnarValue::Scalar(convert::scalar_of(&value, &self.result)?));
        }
        let mut result = ColumnBuilder::new(&self.result, rows);
        for index in 0..rows {
            for (value, source) in row.iter_mut().zip(&sources) {
                source.read(index, value);
            }
            result.push(&self.answer_row(&context, &row)?)?;
        }
        Ok(ColumnarValue::Array(result.finish()))
    }
}

impl InnerQuery {
    fn answer_row(&self, context: &RunContext, row: &[Value]) -> SqlResult<Value> {
        let (outer, operand) = row.split_at(self.outer_count);
        // Who has it may wait for a spool that this thread would fill.
        let mut known = self.known.try_lock().unwrap_or_else(|| block_in_place(|| self.known.lock()));
        if known.answer.is_none() || known.outer != outer {
            self.outer.set(outer);
            known.answer = None;
            known.answer = Some(self.ask(context)?);
            known.outer.clear();
            known.outer.extend_from_slice(outer);
        }
        Ok(match &known.answer {
            Some(Answer::Value(value)) => value.clone(),
            Some(Answer::Set(members)) => operand.first().map_or(Value::Null, |operand| members.contains(operand)),
            None => Value::Null,
        })
    }

    /// Runs the inner query.
    fn ask(&self, context: &RunContext) -> SqlResult<Answer> {
        match self.question {
            Question::Value => self.only_value(context).map(Answer::Value),
            Question::Exists => {
                let mut exists = false;
                self.inner.run(context, &mut |_| {
                    exists = true;
                    ControlFlow::Break(())
                })?;
                Ok(Answer::Value(Value::Bit(exists)))
            }
            Question::Contains(collation) => {
                let mut members = Members { collation, keys: HashSet::new(), has_null: false };
                self.inner.run(context, &mut |row| {
                    members.insert(&row[0]);
                    ControlFlow::Continue(())
                })?;
                Ok(Answer::Set(members))
            }
        }
    }

    fn only_value(&self, context: &RunContext) -> SqlResult<Value> {
        let mut value = None;
        let mut several = false;
        self.inner.run(context, &mut |row| {
            several = value.is_some();
            value.get_or_insert_with(|| row[0].clone());
            if several { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if several {
            return Err(message::several_values());
        }
        Ok(value.unwrap_or(Value::Null))
    }
}

/// The values of a query, for IN.
struct Members {
    collation: Collation,
    keys: HashSet<Box<[u8]>>,
    has_null: bool,
}

impl Members {
    fn insert(&mut self, value: &Value) {
        match key(value, self.collation) {
            Some(key) => {
                self.keys.insert(key);
            }
            None => self.has_null = true,
        }
    }

    /// `value IN (members)`
    fn contains(&self, value: &Value) -> Value {
        if self.keys.is_empty() && !self.has_null {
            return Value::Bit(false);
        }
        match key(value, self.collation) {
            Some(key) if self.keys.contains(&key) => Value::Bit(true),
            Some(_) if !self.has_null => Value::Bit(false),
            _ => Value::Null,
        }
    }
}

/// Bytes that are equal for equal values of one type; none for NULL.
fn key(value: &Value, collation: Collation) -> Option<Box<[u8]>> {
    let number = |n: i128| Some(Box::from(n.to_le_bytes()));
    match value {
        Value::Null => None,
        Value::Str(text) => {
            let mut key = Vec::new();
            collation::sort_key(text, collation, &mut key);
            Some(key.into())
        }
        // Zero bytes at the end do not count.
        Value::Binary(bytes) => {
            Some(Box::from(&bytes[..bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)]))
        }
        Value::Guid(guid) => Some(Box::from(*guid)),
        Value::Real(x) => Some(Box::from((f64::from(*x) + 0.0).to_le_bytes())),
        Value::Float(x) => Some(Box::from((x + 0.0).to_le_bytes())),
        Value::Decimal(decimal) => number(decimal.unscaled),
        // Neither is one number.
        Value::DateTimeOffset(_) | Value::Variant(_) => {
            let mut key = Vec::new();
            append_key(value, collation, KeyOrder::Ascending, &mut key);
            Some(key.into())
        }
        value => match value.as_i64() {
            Some(n) => number(i128::from(n)),
            None => number(i128::from(convert::long_of(value)?)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn membership_is_three_valued() {
        let mut members = Members { collation: Collation::LATIN1_BIN2, keys: HashSet::new(), has_null: false };
        assert_eq!(members.contains(&Value::Null), Value::Bit(false), "nothing is in the empty set, not even NULL");
        members.insert(&Value::Int(1));
        assert_eq!(members.contains(&Value::Int(1)), Value::Bit(true));
        assert_eq!(members.contains(&Value::Int(2)), Value::Bit(false));
        assert_eq!(members.contains(&Value::Null), Value::Null);
        members.insert(&Value::Null);
        assert_eq!(members.contains(&Value::Int(1)), Value::Bit(true));
        assert_eq!(members.contains(&Value::Int(2)), Value::Null);
    }
}
