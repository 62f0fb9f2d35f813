//! Functions of ours as DataFusion calls them: a name, a result type and a body over arrays.
//!
//! The arguments come with exactly the types that the lowering gave them (A2), so no signature is checked.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use millpond_catalog::expr::BoundExpr;
use millpond_message::error::SqlResult;

use crate::run::failure;
use millpond_showplan::{Operator, Scope};

/// What a function does with a batch: its arguments and the number of rows.
type Body = dyn Fn(&[ColumnarValue], usize) -> SqlResult<ColumnarValue> + Send + Sync;

/// A call of a function with `body`.
///
/// `volatility`: immutable for a function of its arguments alone, stable for one that reads the run, volatile for one
/// whose every row is new.
pub(crate) fn call(
    name: &'static str,
    args: Vec<Expr>,
    result: DataType,
    volatility: Volatility,
    body: impl Fn(&[ColumnarValue], usize) -> SqlResult<ColumnarValue> + Send + Sync + 'static,
) -> Expr {
    call_shown(name, Shown::Name, args, result, volatility, body)
}

/// A call that says more of itself than its name where the plan is shown.
pub(crate) fn call_shown(
    name: &'static str,
    shown: Shown,
    args: Vec<Expr>,
    result: DataType,
    volatility: Volatility,
    body: impl Fn(&[ColumnarValue], usize) -> SqlResult<ColumnarValue> + Send + Sync + 'static,
) -> Expr {
    let signature =
        if args.is_empty() { Signature::nullary(volatility) } else { Signature::any(args.len(), volatility) };
    let function = Function { name, shown, signature, result, body: Box::new(body) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::from(function)), args))
}

/// A call that computes an array from arrays; when all arguments are scalars, it is computed once.
pub(crate) fn array_call(
    name: &'static str,
    args: Vec<Expr>,
    result: DataType,
    body: impl Fn(&[ArrayRef]) -> SqlResult<ArrayRef> + Send + Sync + 'static,
) -> Expr {
    array_call_shown(name, Shown::Name, args, result, body)
}

/// The same, which says more of itself than its name where the plan is shown.
pub(crate) fn array_call_shown(
    name: &'static str,
    shown: Shown,
    args: Vec<Expr>,
    result: DataType,
    body: impl Fn(&[ArrayRef]) -> SqlResult<ArrayRef> + Send + Sync + 'static,
) -> Expr {
    call_shown(name, shown, args, result, Volatility::Immutable, move |args, rows| {
        let scalar = args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = to_arrays(args, if scalar { 1 } else { rows })?;
        let array = body(&arrays)?;
        if scalar { scalar_at(&array, 0) } else { Ok(ColumnarValue::Array(array)) }
    })
}

/// The first row of an array as a scalar.
pub(crate) fn scalar_at(array: &dyn Array, row: usize) -> SqlResult<ColumnarValue> {
    datafusion::common::ScalarValue::try_from_array(array, row).map(ColumnarValue::Scalar).map_err(failure::to_sql)
}

/// Arguments as arrays of `rows` rows.
pub(crate) fn to_arrays(args: &[ColumnarValue], rows: usize) -> SqlResult<Vec<ArrayRef>> {
    args.iter().map(|arg| arg.to_array(rows).map_err(failure::to_sql)).collect()
}

/// What a call is, where the plan is shown.
pub(crate) enum Shown {
    /// Its name and its arguments.
    Name,
    /// An expression over the arguments.
    Expr(BoundExpr),
    /// A value of the outer row.
    Outer(usize),
    /// An inner query over the arguments.
    Query(Arc<dyn ShownQuery>),
}

/// An inner query that a call runs.
pub(crate) trait ShownQuery: Send + Sync {
    /// Its plan; `args` are the names of what it reads.
    fn show(&self, scope: &Scope, args: &[String]) -> Operator;
    /// What the call's value is, where `value` is the name of the query's column.
    fn text(&self, value: &str, args: &[String]) -> String;
}

/// An inner query that may be asked in several places.
pub(crate) trait AskedQuery: ShownQuery {
    /// What it says for so many rows.
    fn answer(&self, args: &[ColumnarValue], rows: usize) -> SqlResult<ColumnarValue>;
}

pub(crate) struct Function {
    name: &'static str,
    pub(crate) shown: Shown,
    signature: Signature,
    result: DataType,
    body: Box<Body>,
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    // The name would repeat all arguments, at every level; columns have names of their own.
    fn schema_name(&self, _args: &[Expr]) -> Result<String> {
        Ok(self.name.to_owned())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(self.result.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        (self.body)(&args.args, args.number_rows).map_err(failure::from_sql)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

// Bodies cannot be compared, so a function equals itself alone.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self).hash(state);
    }
}
