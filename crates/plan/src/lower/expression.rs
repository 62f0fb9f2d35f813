//! Typed expressions as DataFusion expressions.
//!
//! E1: whatever has no array form of its own is evaluated row by row through [`millpond_builtin::eval`], the one definition, over
//! arrays of what below it has one and is evaluated for each row ([`arrays_below`]).
//! E2: an operand that can fail is evaluated only where T-SQL's left-to-right evaluation would come to it: branches of
//! CASE natively, the right sides of AND and OR by E1 or, in a filter, as branches of a CASE ([`condition`]).

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{BinaryExpr, Case, Cast, ColumnarValue, Expr, Operator, Volatility as Calls};
use millpond_builtin as builtin;
use millpond_builtin::eval::{self, Rows};
use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Kind};
use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::decimal::Shape;
use millpond_types::{SqlType, Value};

use crate::expression::convert::ColumnBuilder;
use crate::expression::function::Shown;
use crate::expression::source::Source;
use crate::expression::{arithmetic, cast, convert, dates, function, text};
use crate::lower::subquery;
use crate::lowering::{Lowering, column};
use crate::run::cell::{ROWS_PER_CHECK, RunCell};
use crate::run::failure;
use crate::run::measure::note_values_by_row;
use millpond_rewrite::fold::{folded, has_constants};
use millpond_rewrite::terms::{balanced, can_fail, is_volatile};

/// The expression over rows whose columns are `columns`.
pub(crate) fn lowered(lowering: &Lowering<'_>, expr: &BoundExpr, columns: &[Column]) -> SqlResult<Expr> {
    lowering.options.check()?;
    match &expr.kind {
        Kind::Literal(value) => Ok(Expr::Literal(convert::scalar_of(value, &expr.ty.sql)?, None)),
        Kind::Variable(slot) => Ok(variable(lowering, *slot, expr.clone())),
        Kind::Column(index) => column(columns, *index),
        Kind::Outer { level, column } => lowering.outer_value(*level, *column, expr.ty),
        Kind::Function(def, args) if def.is(&builtin::NOTE_NULL) => {
            Ok(noting_nulls(lowering, lowering.expr(&args[0], columns)?, expr.ty))
        }
        Kind::Arith(op, left, right)
            if !lowering.options.by_value && arithmetic::is_vectorised(*op, left, right, &expr.ty.sql) =>
        {
            let (left, right) = (lowering.expr(left, columns)?, lowering.expr(right, columns)?);
            Ok(arithmetic::apply(*op, left, right, expr.ty.sql))
        }
        Kind::Compare(op, left, right, collation) => {
            let (from, to) = (left.ty.sql, right.ty.sql);
            let (left, right) = (lowering.expr(left, columns)?, lowering.expr(right, columns)?);
            if convert::is_text(&from) {
                return Ok(text::compare(*op, left, right, *collation));
            }
            let (left, right) = (text::key(left, &from, *collation), text::key(right, &to, *collation));
            Ok(compare(*op, left, right, (from, to)))
        }
        // What needs a plan cannot be evaluated row by row.
        Kind::And(left, right) | Kind::Or(left, right) if !can_fail(right) || eval::needs_plan(expr) => {
            let op = if matches!(expr.kind, Kind::And(..)) { Operator::And } else { Operator::Or };
            Ok(binary(lowering.expr(left, columns)?, op, lowering.expr(right, columns)?))
        }
        Kind::Not(operand) => Ok(Expr::Not(Box::new(lowering.expr(operand, columns)?))),
        Kind::IsNull(operand) => Ok(Expr::IsNull(Box::new(lowering.expr(operand, columns)?))),
        Kind::InList(operand, list, _) if !convert::has_key(&operand.ty.sql) && list.iter().all(is_plain) => {
            let sql = list.iter().fold(operand.ty.sql, |sql, item| common(&sql, &item.ty.sql));
            let one = |expr: &BoundExpr| Ok(align(lowering.expr(expr, columns)?, &expr.ty.sql, &sql));
            let list = list.iter().map(one).collect::<SqlResult<Vec<Expr>>>()?;
            Ok(Expr::InList(InList::new(Box::new(one(operand)?), list, false)))
        }
        Kind::InList(operand, list, collation)
            if convert::is_text(&operand.ty.sql) && list.iter().all(|item| matches!(item.kind, Kind::Literal(_))) =>
        {
            let shown = BoundExpr {
                kind: Kind::InList(Box::new(BoundExpr::column(0, operand.ty)), list.clone(), *collation),
                ty: expr.ty,
            };
            let items = list.iter().map(|item| match &item.kind {
                Kind::Literal(value) => value.as_str().map(str::to_owned),
                _ => None,
            });
            Ok(text::in_list(lowering.expr(operand, columns)?, items.collect(), *collation, shown))
        }
        Kind::Like { text, pattern, escape: None, collation } => {
            let unicode = eval::is_unicode_like(text, pattern);
            let (text, pattern) = (lowering.expr(text, columns)?, lowering.expr(pattern, columns)?);
            Ok(text::like((text, pattern), *collation, unicode, Arc::clone(&lowering.cell)))
        }
        Kind::Case { branches, otherwise } => case(lowering, branches, otherwise.as_deref(), &expr.ty.sql, columns),
        Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..) => subquery::subquery(lowering, expr, columns),
        _ => row_by_row(lowering, expr, columns),
    }
}

/// The same array; that it has a NULL is noted with the statement.
fn noting_nulls(lowering: &Lowering<'_>, of: Expr, ty: ExprType) -> Expr {
    let cell = Arc::clone(&lowering.cell);
    function::call_shown(
        "noting_nulls",
        Shown::Expr(BoundExpr::column(0, ty)),
        vec![of],
        convert::data_type(&ty.sql),
        Calls::Stable,
        move |args, _| {
            let has_null = match &args[0] {
                ColumnarValue::Array(array) => array.null_count() > 0,
                ColumnarValue::Scalar(scalar) => scalar.is_null(),
            };
            if has_null {
                cell.context()?.notes.left_null_out();
            }
            Ok(args[0].clone())
        },
    )
}

/// The conjunction of predicates of a filter, where NULL counts as false: those that can fail come last, each only
/// for rows that passed all before it (E2).
pub(crate) fn conjunction(
    lowering: &Lowering<'_>,
    predicates: &[BoundExpr],
    columns: &[Column],
) -> SqlResult<Option<Expr>> {
    let (mut safe, mut risky) = (Vec::new(), Vec::new());
    for predicate in predicates {
        let part = condition(lowering, predicate, columns)?;
        if can_fail(predicate) { risky.push(part) } else { safe.push(part) }
    }
    let safe = balanced(safe, |left, right| binary(left, Operator::And, right));
    let risky = balanced(risky, |left, right| if_true(left, right, truth(false)));
    Ok(balanced(safe.into_iter().chain(risky).collect(), |left, right| if_true(left, right, truth(false))))
}

/// A predicate where NULL counts as false: the right sides of AND and OR are evaluated for the rows that need them.
fn condition(lowering: &Lowering<'_>, predicate: &BoundExpr, columns: &[Column]) -> SqlResult<Expr> {
    match &predicate.kind {
        Kind::And(left, right) if can_fail(right) => {
            Ok(if_true(condition(lowering, left, columns)?, condition(lowering, right, columns)?, truth(false)))
        }
        Kind::Or(left, right) if can_fail(right) => {
            Ok(if_true(condition(lowering, left, columns)?, truth(true), condition(lowering, right, columns)?))
        }
        _ => lowering.expr(predicate, columns),
    }
}

pub(crate) fn case(
    lowering: &Lowering<'_>,
    branches: &[(BoundExpr, BoundExpr)],
    otherwise: Option<&BoundExpr>,
    result: &SqlType,
    columns: &[Column],
) -> SqlResult<Expr> {
    let one = |expr: &BoundExpr| SqlResult::Ok(Box::new(align(lowering.expr(expr, columns)?, &expr.ty.sql, result)));
    let branches = branches
        .iter()
        .map(|(asked, value)| Ok((Box::new(condition(lowering, asked, columns)?), one(value)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    let otherwise = match otherwise {
        Some(value) => one(value)?,
        None => Box::new(Expr::Literal(convert::scalar_of(&Value::Null, result)?, None)),
    };
    Ok(Expr::Case(Case::new(None, branches, Some(otherwise))))
}

fn variable(lowering: &Lowering<'_>, slot: usize, variable: BoundExpr) -> Expr {
    let sql = variable.ty.sql;
    let cell = Arc::clone(&lowering.cell);
    let shown = Shown::Expr(variable);
    function::call_shown("variable", shown, vec![], convert::data_type(&sql), Calls::Stable, move |_, _| {
        let context = cell.context()?;
        let value = context.variables.get(slot).ok_or_else(|| failure::internal("a variable has no slot"))?;
        Ok(ColumnarValue::Scalar(convert::scalar_of(value, &sql)?))
    })
}

/// Evaluates the whole expression for each row by [`eval::eval`] (E1).
fn row_by_row(lowering: &Lowering<'_>, expr: &BoundExpr, columns: &[Column]) -> SqlResult<Expr> {
    let mut arrays = Vec::new();
    let each_row = is_volatile(expr);
    if !each_row && !lowering.options.by_value {
        arrays_below(expr, &mut arrays);
    }
    let mut leaves = Leaves { lowering, columns, arrays, args: Vec::new(), types: Vec::new(), failed: None };
    let over_args = expr.clone().rewrite(&mut |node| leaves.replace(node));
    let Leaves { args, types, failed, .. } = leaves;
    if let Some(error) = failed {
        return Err(error);
    }
    let shown = Shown::Expr(over_args.clone());
    let has_constants = has_constants(&over_args);
    let by_value = lowering.options.by_value;
    let by_row =
        RowByRow { expr: over_args, types, cell: Arc::clone(&lowering.cell), each_row, has_constants, by_value };
    let calls = if each_row { Calls::Volatile } else { Calls::Stable };
    let result = convert::data_type(&expr.ty.sql);
    Ok(function::call_shown("evaluate", shown, args, result, calls, move |args, rows| by_row.evaluate(args, rows)))
}

/// What below an expression has an array form and is evaluated for each row whatever its values are.
fn arrays_below<'e>(expr: &'e BoundExpr, found: &mut Vec<&'e BoundExpr>) {
    let is_strict = |operand: &BoundExpr| match &expr.kind {
        Kind::Cast { .. } | Kind::Arith(..) | Kind::Negate(_) | Kind::BitNot(_) => true,
        // The list is looked through as far as the value is not found.
        Kind::InList(sought, ..) => std::ptr::eq(&**sought, operand),
        // A function need not evaluate its arguments.
        _ => false,
    };
    for operand in expr.children() {
        // What cannot fail may be evaluated where it need not be.
        if !is_strict(operand) && can_fail(operand) {
            continue;
        }
        if has_array_form(operand) { found.push(operand) } else { arrays_below(operand, found) }
    }
}

/// Whether an expression that is more than a value is computed a whole array at a time.
fn has_array_form(expr: &BoundExpr) -> bool {
    if is_constant(expr) {
        return false;
    }
    match &expr.kind {
        Kind::Case { branches, otherwise } => {
            // What would be evaluated row by row in the end is so at once.
            let parts = branches.iter().flat_map(|(asked, value)| [asked, value]).chain(otherwise.as_deref());
            parts.into_iter().all(|part| is_value(part) || is_array_condition(part) || has_array_form(part))
        }
        Kind::Arith(op, left, right) => {
            arithmetic::is_vectorised(*op, left, right, &expr.ty.sql)
                && [left, right].into_iter().all(|operand| is_value(operand) || has_array_form(operand))
        }
        Kind::Cast { expr: of, style: None, try_: false } => {
            cast::is_whole(&of.ty.sql, &expr.ty.sql) && (is_value(of) || has_array_form(of))
        }
        _ => false,
    }
}

/// Whether a condition is one over arrays.
fn is_array_condition(expr: &BoundExpr) -> bool {
    let is_operand = |operand: &BoundExpr| is_value(operand) || has_array_form(operand);
    match &expr.kind {
        Kind::Compare(_, left, right, _) => is_operand(left) && is_operand(right),
        Kind::And(left, right) | Kind::Or(left, right) => is_array_condition(left) && is_array_condition(right),
        Kind::Not(operand) => is_array_condition(operand),
        Kind::IsNull(operand) => is_operand(operand),
        Kind::InList(operand, list, _) => is_operand(operand) && list.iter().all(is_value),
        Kind::Like { text, pattern, escape: None, .. } => is_operand(text) && is_operand(pattern),
        _ => false,
    }
}

/// Whether nothing is computed for it.
fn is_value(expr: &BoundExpr) -> bool {
    matches!(expr.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_) | Kind::Outer { .. })
}

/// Whether no column is in it: it has one value for all rows.
fn is_constant(expr: &BoundExpr) -> bool {
    let mut reads = false;
    expr.visit(&mut |node| {
        reads |= !matches!(node.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Cast { .. } | Kind::Arith(..))
    });
    !reads
}

/// Collects what a row by row expression reads, so that it can be evaluated over its arguments alone.
struct Leaves<'a, 'l> {
    lowering: &'a Lowering<'l>,
    columns: &'a [Column],
    /// Expressions that become arrays, too.
    arrays: Vec<&'a BoundExpr>,
    args: Vec<Expr>,
    types: Vec<SqlType>,
    failed: Option<millpond_message::error::SqlError>,
}

impl Leaves<'_, '_> {
    /// Columns, outer columns, subqueries and what has an array form become columns of the argument row.
    fn replace(&mut self, node: BoundExpr) -> Result<BoundExpr, BoundExpr> {
        let reads = matches!(
            node.kind,
            Kind::Column(_) | Kind::Outer { .. } | Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..)
        );
        if !reads && !self.arrays.iter().any(|array| array.same_as(&node)) {
            return Err(node);
        }
        match self.lowering.expr(&node, self.columns) {
            Ok(arg) => {
                let index = self.args.iter().position(|known| *known == arg).unwrap_or_else(|| {
                    self.args.push(arg);
                    self.types.push(node.ty.sql);
                    self.args.len() - 1
                });
                Ok(BoundExpr::column(index, node.ty))
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                Ok(node)
            }
        }
    }
}

/// An expression with the columns of its argument row.
struct RowByRow {
    expr: BoundExpr,
    types: Vec<SqlType>,
    cell: Arc<RunCell>,
    /// Every row has its own value although its arguments are the same.
    each_row: bool,
    /// Parts of it are computed once per batch.
    has_constants: bool,
    /// Options ask for a look at every value.
    by_value: bool,
}

impl RowByRow {
    fn evaluate(&self, args: &[ColumnarValue], rows: usize) -> SqlResult<ColumnarValue> {
        if !self.by_value
            && let Some(array) = self.whole(args)
        {
            return Ok(ColumnarValue::Array(array));
        }
        let context = self.cell.context()?;
        let sql = &self.expr.ty.sql;
        let once = !self.each_row && args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let sources =
            args.iter().zip(&self.types).map(|(arg, sql)| Source::new(arg, sql)).collect::<SqlResult<Vec<_>>>()?;
        let mut row: Vec<Value> = sources.iter().map(Source::first).collect();
        if once {
            let value = eval::eval(&self.expr, &*context, Rows::of(&row))?;
            return Ok(ColumnarValue::Scalar(convert::scalar_of(&value, sql)?));
        }
        note_values_by_row(rows);
        let folded = (self.has_constants && rows > 1).then(|| folded(&self.expr, &*context));
        let expr = folded.as_ref().unwrap_or(&self.expr);
        // Long values of the batch are held together.
        let (mut result, mut long_bytes) = (ColumnBuilder::new(sql, rows), 0);
        for index in 0..rows {
            if index % ROWS_PER_CHECK == ROWS_PER_CHECK - 1 {
                self.cell.check_cancelled()?;
            }
            for (value, source) in row.iter_mut().zip(&sources) {
                source.read(index, value);
            }
            let value = eval::eval(expr, &*context, Rows::of(&row))?;
            if value.is_long() {
                long_bytes += long_len(&value);
                context.check_room(long_bytes)?;
            }
            result.push(&value)?;
        }
        Ok(ColumnarValue::Array(result.finish()))
    }

    /// All values at once, if the expression is a conversion or a part of a date that knows how.
    fn whole(&self, args: &[ColumnarValue]) -> Option<ArrayRef> {
        let [ColumnarValue::Array(values)] = args else { return None };
        match &self.expr.kind {
            Kind::Cast { expr: of, style: None, .. } if matches!(of.kind, Kind::Column(0)) => {
                cast::whole(values, &of.ty.sql, &self.expr.ty.sql)
            }
            Kind::Function(def, operands) => dates::whole(def, operands, values),
            _ => None,
        }
    }
}

/// Bytes of a text or of bytes.
fn long_len(value: &Value) -> usize {
    value.as_str().map(str::len).or(value.as_bytes().map(<[u8]>::len)).unwrap_or(0)
}

/// `then` where `condition` is true, else `otherwise`, each evaluated for its rows alone.
fn if_true(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Case(Case::new(None, vec![(Box::new(condition), Box::new(then))], Some(Box::new(otherwise))))
}

fn truth(value: bool) -> Expr {
    Expr::Literal(ScalarValue::Boolean(Some(value)), None)
}

/// `left op right`.
pub(crate) fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
}

/// Compares two values that are not texts.
pub(crate) fn compare(op: CompareOp, left: Expr, right: Expr, types: (SqlType, SqlType)) -> Expr {
    let op = match op {
        CompareOp::Eq => Operator::Eq,
        CompareOp::NotEq => Operator::NotEq,
        CompareOp::Lt => Operator::Lt,
        CompareOp::LtEq => Operator::LtEq,
        CompareOp::Gt => Operator::Gt,
        CompareOp::GtEq => Operator::GtEq,
    };
    let common = common(&types.0, &types.1);
    binary(align(left, &types.0, &common), op, align(right, &types.1, &common))
}

/// A type whose arrays hold the values of both; the binder made the types equal but for lengths and precision.
pub(crate) fn common(a: &SqlType, b: &SqlType) -> SqlType {
    match (*a, *b) {
        (
            SqlType::Decimal { precision: a_precision, scale: a_scale, .. },
            SqlType::Decimal { precision: b_precision, scale: b_scale, .. },
        ) if a != b => {
            let a = Shape { precision: a_precision, scale: a_scale };
            let Shape { precision, scale } = Shape::of_union(a, Shape { precision: b_precision, scale: b_scale });
            SqlType::decimal(precision, scale)
        }
        _ => *a,
    }
}

/// The same values as an array of another type's kind. The binder made the types equal but for lengths; decimals of
/// different precision are different arrays to Arrow.
pub(crate) fn align(expr: Expr, from: &SqlType, to: &SqlType) -> Expr {
    let (from, to) = (convert::data_type(from), convert::data_type(to));
    if from == to { expr } else { Expr::Cast(Cast::new(Box::new(expr), to)) }
}

/// Whether DataFusion's list takes an item as it is. Items that no row is needed for become a set when the plan is made,
/// which is found out by evaluating them over no rows: a CASE then has one value for all, whatever rows would say.
fn is_plain(item: &BoundExpr) -> bool {
    match &item.kind {
        Kind::Cast { expr, .. } => is_plain(expr),
        _ => is_value(item),
    }
}
