//! Keys whose bytes order and group as the values do, and texts under a collation: comparison, LIKE.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, BooleanArray, StringArray};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{ColumnarValue, Expr, Volatility};
use millpond_catalog::expr::{BoundExpr, CompareOp};
use millpond_catalog::run::Run;
use millpond_message::error::SqlResult;
use millpond_types::collation::{self, Collation, Constant, LikePattern};
use millpond_types::{KeyOrder, SqlType, append_key};

use crate::expression::convert::push_bytes;
use crate::expression::function::Shown;
use crate::expression::{convert, function};
use crate::run::cell::RunCell;
use crate::run::failure;
use millpond_showplan::compare_sign;

/// The key of a value: equal for equal values, in the values' order. Only texts and binaries have keys of their own.
pub(crate) fn key(value: Expr, sql: &SqlType, collation: Collation) -> Expr {
    match convert::data_type(sql) {
        DataType::Utf8 => text_key(value, collation),
        DataType::Binary if convert::stored_as(sql).is_some() => stored_key(value, *sql, collation),
        DataType::Binary => binary_key(value),
        _ => value,
    }
}

/// The bytes without the zeros at the end.
fn binary_key(binary: Expr) -> Expr {
    function::array_call("binary_key", vec![binary], DataType::Binary, |args| {
        let binaries: &BinaryArray = args[0].as_binary();
        let trimmed = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let keys = binaries.iter().map(|bytes| bytes.map(|bytes| &bytes[..trimmed(bytes)]));
        Ok(Arc::new(keys.collect::<BinaryArray>()) as ArrayRef)
    })
}

/// The key of a type whose arrays hold stored bytes, which do not order as the values do.
fn stored_key(value: Expr, sql: SqlType, collation: Collation) -> Expr {
    function::array_call("stored_key", vec![value], DataType::Binary, move |args| {
        let stored: &BinaryArray = args[0].as_binary();
        let key = |bytes: &[u8]| {
            let mut key = Vec::with_capacity(bytes.len() + 8);
            append_key(&convert::value_of_bytes(bytes, &sql), collation, KeyOrder::Ascending, &mut key);
            key
        };
        Ok(Arc::new(stored.iter().map(|bytes| bytes.map(key)).collect::<BinaryArray>()) as ArrayRef)
    })
}

fn text_key(text: Expr, collation: Collation) -> Expr {
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
pub(crate) fn compare(op: CompareOp, left: Expr, right: Expr, collation: Collation) -> Expr {
    let equality = match (op, &left, &right) {
        (CompareOp::Eq | CompareOp::NotEq, Expr::Literal(ScalarValue::Utf8(Some(text)), _), _) => Some((text, 1)),
        (CompareOp::Eq | CompareOp::NotEq, _, Expr::Literal(ScalarValue::Utf8(Some(text)), _)) => Some((text, 0)),
        _ => None,
    };
    if let Some((constant, place)) = equality {
        let constant = Constant::new(constant, collation);
        return compare_constant(op, vec![left, right], constant, place);
    }
    let holds = holds(op);
    function::array_call(compare_sign(op), vec![left, right], DataType::Boolean, move |args| {
        let (left, right) = (texts(&args[0])?, texts(&args[1])?);
        let truth: BooleanArray = match op {
            CompareOp::Eq => zip(left, right, |left, right| collation::equal(left, right, collation)),
            CompareOp::NotEq => zip(left, right, |left, right| !collation::equal(left, right, collation)),
            _ => zip(left, right, |left, right| holds(collation::compare(left, right, collation))),
        };
        Ok(Arc::new(truth) as ArrayRef)
    })
}

/// Whether the argument at a place equals a constant, or does not.
fn compare_constant(op: CompareOp, args: Vec<Expr>, constant: Constant, place: usize) -> Expr {
    let when = op == CompareOp::Eq;
    let truths = move |texts: &StringArray| {
        let truths = BooleanBuffer::collect_bool(texts.len(), |row| constant.equals(texts.value(row)) == when);
        BooleanArray::new(truths, texts.nulls().cloned())
    };
    function::call(compare_sign(op), args, DataType::Boolean, Volatility::Immutable, move |args, _| {
        Ok(match &args[place] {
            ColumnarValue::Array(array) => ColumnarValue::Array(Arc::new(truths(texts(array)?))),
            scalar => {
                let array = scalar.to_array(1).map_err(failure::to_sql)?;
                function::scalar_at(&truths(texts(&array)?), 0)?
            }
        })
    })
}

/// Lists of more texts are looked up by their keys: a key takes as long as some comparisons.
const COMPARED_TEXTS: usize = 4;

/// Whether a text is one of a list; of those that are `None` it is unknown.
pub(crate) fn in_list(text: Expr, items: Vec<Option<String>>, collation: Collation, shown: BoundExpr) -> Expr {
    let otherwise = if items.iter().any(Option::is_none) { None } else { Some(false) };
    let items: Vec<String> = items.into_iter().flatten().collect();
    let key_of = |item: &String| {
        let mut key = Vec::new();
        collation::sort_key(item, collation, &mut key);
        key
    };
    // Many are looked up by their keys, few compared one by one.
    let (many, few) = if items.len() > COMPARED_TEXTS { (&items[..], &[][..]) } else { (&[][..], &items[..]) };
    let keys: HashSet<Vec<u8>> = many.iter().map(key_of).collect();
    let constants: Vec<Constant> = few.iter().map(|item| Constant::new(item, collation)).collect();
    function::array_call_shown("in_list", Shown::Expr(shown), vec![text], DataType::Boolean, move |args| {
        let mut key = Vec::new();
        let mut is_one = |text: &str| {
            if keys.is_empty() {
                return constants.iter().any(|constant| constant.equals(text));
            }
            key.clear();
            collation::sort_key(text, collation, &mut key);
            keys.contains(&key)
        };
        let truths = texts(&args[0])?.iter().map(|text| if is_one(text?) { Some(true) } else { otherwise });
        Ok(Arc::new(truths.collect::<BooleanArray>()) as ArrayRef)
    })
}

/// LIKE without escape. A pattern that all rows share is compiled once per batch.
pub(crate) fn like((text, pattern): (Expr, Expr), collation: Collation, unicode: bool, cell: Arc<RunCell>) -> Expr {
    function::call("like", vec![text, pattern], DataType::Boolean, Volatility::Immutable, move |args, rows| {
        let pattern = match &args[1] {
            ColumnarValue::Scalar(ScalarValue::Utf8(Some(pattern))) => Some(LikePattern::new(pattern, None, collation)),
            _ => None,
        };
        let context = cell.context()?;
        let matches = |pattern: &LikePattern, text: &str| pattern.matches_while(text, unicode, context.watch());
        let scalar = args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = function::to_arrays(args, if scalar { 1 } else { rows })?;
        let truth: BooleanArray = match pattern {
            Some(pattern) => {
                let truths = texts(&arrays[0])?.iter().map(|text| text.map(|text| matches(&pattern, text)).transpose());
                truths.collect::<Result<_, _>>()?
            }
            None => {
                let pairs = texts(&arrays[0])?.iter().zip(texts(&arrays[1])?);
                let truths = pairs.map(|(text, pattern)| {
                    let both = text.zip(pattern);
                    both.map(|(text, pattern)| matches(&LikePattern::new(pattern, None, collation), text)).transpose()
                });
                truths.collect::<Result<_, _>>()?
            }
        };
        if scalar { function::scalar_at(&truth, 0) } else { Ok(ColumnarValue::Array(Arc::new(truth))) }
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
pub(crate) fn texts(array: &ArrayRef) -> SqlResult<&StringArray> {
    array.as_string_opt().ok_or_else(|| failure::internal(&format!("a text came as {}", array.data_type())))
}
