//! Texts under a collation: keys whose bytes order and group as the texts do, comparison, LIKE.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, BooleanArray, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::Expr;
use millpond_types::collation::{self, Collation};

use super::convert::push_bytes;
use super::{failure, function};
use crate::error::SqlResult;
use crate::expr::CompareOp;

/// The key of a text: equal for equal texts, in the texts' order.
pub(super) fn key(text: Expr, collation: Collation) -> Expr {
    function::array_call("collation_key", vec![text], DataType::Binary, move |args| {
        let texts = texts(&args[0])?;
        let mut keys = BinaryBuilder::with_capacity(texts.len(), texts.value_data().len() + 2 * texts.len());
        let mut key = Vec::new();
        for text in texts {
            match text {
                Some(text) => {
                    key.clear();
                    collation::sort_key(text, collation, &mut key);
                    push_bytes(&mut keys, &key)?;
                }
                None => keys.append_null(),
            }
        }
        Ok(Arc::new(keys.finish()) as ArrayRef)
    })
}

/// Compares two texts.
pub(super) fn compare(op: CompareOp, left: Expr, right: Expr, collation: Collation) -> Expr {
    let holds = holds(op);
    function::array_call("compare_text", vec![left, right], DataType::Boolean, move |args| {
        let (left, right) = (texts(&args[0])?, texts(&args[1])?);
        let truth: BooleanArray = match op {
            CompareOp::Eq => zip(left, right, |left, right| collation::equal(left, right, collation)),
            CompareOp::NotEq => zip(left, right, |left, right| !collation::equal(left, right, collation)),
            _ => zip(left, right, |left, right| holds(collation::compare(left, right, collation))),
        };
        Ok(Arc::new(truth) as ArrayRef)
    })
}

/// LIKE without escape or with a fixed one.
pub(super) fn like(text: Expr, pattern: Expr, escape: Option<char>, collation: Collation) -> Expr {
    function::array_call("like", vec![text, pattern], DataType::Boolean, move |args| {
        let (text, pattern) = (texts(&args[0])?, texts(&args[1])?);
        let truth = zip(text, pattern, |text, pattern| collation::like(text, pattern, escape, collation));
        Ok(Arc::new(truth) as ArrayRef)
    })
}

/// Whether an order satisfies an operator.
fn holds(op: CompareOp) -> fn(Ordering) -> bool {
    match op {
        CompareOp::Eq => Ordering::is_eq,
        CompareOp::NotEq => Ordering::is_ne,
        CompareOp::Lt => Ordering::is_lt,
        CompareOp::LtEq => Ordering::is_le,
        CompareOp::Gt => Ordering::is_gt,
        CompareOp::GtEq => Ordering::is_ge,
    }
}

fn zip(left: &StringArray, right: &StringArray, truth: impl Fn(&str, &str) -> bool) -> BooleanArray {
    left.iter().zip(right).map(|(left, right)| Some(truth(left?, right?))).collect()
}

/// The array as texts.
pub(super) fn texts(array: &ArrayRef) -> SqlResult<&StringArray> {
    array.as_string_opt().ok_or_else(|| failure::internal(&format!("a text came as {}", array.data_type())))
}
