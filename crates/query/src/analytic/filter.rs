//! The predicate of a scan, evaluated on records before their other columns are decoded.
//!
//! A conjunct that compares an integer column with something that is constant for the run is tested on the record's
//! bytes; such tests cannot fail and come first. The rest is evaluated by [`crate::eval`], left to right.

use std::cmp::Ordering;

use millpond_access::Rid;
use millpond_types::row::RowLayout;
use millpond_types::{SqlType, Value};

use super::leaf::Leaf;
use super::normal::{all, conjuncts};
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::eval::{self, Rows};
use crate::expr::{BoundExpr, CompareOp, Kind};
use crate::message;

/// A table's row as expressions see it: its columns, its identifier if the leaf has one, the outer row.
pub(super) struct RecordRow {
    pub(super) values: Vec<Value>,
    /// Columns that are stored; the identifier comes right behind them.
    width: usize,
    /// Columns of the leaf; the outer row comes behind them.
    leaf_width: usize,
}

impl RecordRow {
    /// A row without values yet, but with the outer row of this run.
    pub(super) fn new(leaf: &Leaf, width: usize) -> RecordRow {
        let mut values = vec![Value::Null; leaf.types.len()];
        if let Some(outer) = &leaf.outer {
            outer.append_to(&mut values);
        }
        RecordRow { values, width, leaf_width: leaf.types.len() }
    }

    /// Fills one column of the leaf.
    pub(super) fn read(&mut self, layout: &RowLayout, rid: Rid, record: &[u8], column: usize) -> SqlResult<()> {
        self.values[column] = self.value(layout, rid, record, column)?;
        Ok(())
    }

    /// The value of one column: of the record, its identifier, or of the outer row.
    pub(super) fn value(&self, layout: &RowLayout, rid: Rid, record: &[u8], column: usize) -> SqlResult<Value> {
        if column < self.width {
            layout.column(record, column).map_err(message::of_row)
        } else if column < self.leaf_width {
            Ok(Value::BigInt(rid.to_u64().cast_signed()))
        } else {
            Ok(self.values[column].clone())
        }
    }
}

/// A predicate ready for one run.
pub(super) struct RecordFilter {
    tests: Vec<IntegerTest>,
    rest: Option<BoundExpr>,
    /// Columns that `rest` reads.
    columns: Vec<usize>,
}

/// `column op value` over the bytes of an integer.
struct IntegerTest {
    column: usize,
    op: CompareOp,
    /// NULL passes no test.
    value: Option<i64>,
}

impl RecordFilter {
    /// The filter of a leaf of `width` stored columns; none when all rows pass.
    pub(super) fn open(leaf: &Leaf, width: usize, context: &RunContext) -> Option<RecordFilter> {
        let predicate = leaf.predicate.as_ref()?.for_run(context);
        let (mut tests, mut rest) = (Vec::new(), Vec::new());
        for conjunct in conjuncts(predicate) {
            match IntegerTest::of(&conjunct, width, context) {
                Some(test) => tests.push(test),
                None => rest.push(conjunct),
            }
        }
        let rest = all(rest);
        let mut columns = Vec::new();
        if let Some(rest) = &rest {
            rest.visit(&mut |node| match node.kind {
                Kind::Column(column) if column < leaf.types.len() && !columns.contains(&column) => columns.push(column),
                _ => {}
            });
        }
        Some(RecordFilter { tests, rest, columns })
    }

    /// Whether a record passes; fills the columns of `row` that had to be looked at.
    pub(super) fn passes(
        &self,
        context: &RunContext,
        layout: &RowLayout,
        rid: Rid,
        record: &[u8],
        row: &mut RecordRow,
    ) -> SqlResult<bool> {
        for test in &self.tests {
            if !test.passes(layout, record)? {
                return Ok(false);
            }
        }
        let Some(rest) = &self.rest else { return Ok(true) };
        for &column in &self.columns {
            row.read(layout, rid, record, column)?;
        }
        eval::is_true(rest, context, Rows::of(&row.values))
    }
}

impl IntegerTest {
    /// The test that a conjunct is, if it is one.
    fn of(conjunct: &BoundExpr, width: usize, context: &RunContext) -> Option<IntegerTest> {
        let Kind::Compare(op, left, right, _) = &conjunct.kind else { return None };
        let (column, op, constant) = match (&left.kind, &right.kind) {
            (Kind::Column(column), _) => (*column, *op, right),
            (_, Kind::Column(column)) => (*column, mirrored(*op), left),
            _ => return None,
        };
        let integer = matches!(left.ty.sql, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt);
        if column >= width || !integer || left.ty.sql != right.ty.sql {
            return None;
        }
        let value = match &constant.kind {
            Kind::Literal(value) => value,
            Kind::Variable(slot) => context.variables.get(*slot)?,
            _ => return None,
        };
        match value {
            Value::Null => Some(IntegerTest { column, op, value: None }),
            value => Some(IntegerTest { column, op, value: Some(value.as_i64()?) }),
        }
    }

    fn passes(&self, layout: &RowLayout, record: &[u8]) -> SqlResult<bool> {
        let (Some(value), Some(bytes)) = (self.value, layout.raw(record, self.column).map_err(message::of_row)?) else {
            return Ok(false);
        };
        let found = match *bytes {
            [a] => i64::from(a),
            [a, b] => i64::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => {
                let what = "an integer of the wrong length";
                return Err(message::of_row(millpond_types::RowError::Damaged { what }));
            }
        };
        let order = found.cmp(&value);
        Ok(match self.op {
            CompareOp::Eq => order == Ordering::Equal,
            CompareOp::NotEq => order != Ordering::Equal,
            CompareOp::Lt => order == Ordering::Less,
            CompareOp::LtEq => order != Ordering::Greater,
            CompareOp::Gt => order == Ordering::Greater,
            CompareOp::GtEq => order != Ordering::Less,
        })
    }
}

/// The operator with its sides exchanged.
fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::LtEq => CompareOp::GtEq,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::GtEq => CompareOp::LtEq,
        same => same,
    }
}
