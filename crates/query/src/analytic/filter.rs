//! The predicate of a scan, evaluated on records before their other columns are decoded.
//!
//! A conjunct that compares an integer column with something that is constant for the run is tested on the record's
//! bytes; such tests cannot fail and come first. The rest is evaluated by [`crate::eval`], left to right.

use std::cmp::Ordering;
use std::sync::Arc;

use millpond_access::Rid;
use millpond_types::row::RowLayout;
use millpond_types::{SqlType, Value};

use super::expression::is_volatile;
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

/// The predicate of a leaf.
pub(super) struct Predicate {
    tests: Vec<IntegerTest>,
    rest: Option<BoundExpr>,
    /// Columns of the leaf that `rest` reads.
    columns: Vec<usize>,
    /// `rest` has a part without columns that is worth computing once per run.
    has_constants: bool,
}

/// `column op constant` over the bytes of an integer.
struct IntegerTest {
    column: usize,
    op: CompareOp,
    constant: Constant,
}

/// What a column is compared with.
enum Constant {
    Value(Value),
    Variable(usize),
}

impl Predicate {
    /// The conjunction of `predicates` over a leaf of `width` columns, of which the first `stored` are a record's.
    /// None when all rows pass.
    pub(super) fn new(predicates: Vec<BoundExpr>, stored: usize, width: usize) -> Option<Predicate> {
        if predicates.is_empty() {
            return None;
        }
        let (mut tests, mut rest) = (Vec::new(), Vec::new());
        for conjunct in predicates.into_iter().flat_map(conjuncts) {
            match IntegerTest::of(&conjunct, stored) {
                Some(test) => tests.push(test),
                None => rest.push(conjunct),
            }
        }
        let rest = all(rest);
        let (mut columns, mut has_constants) = (Vec::new(), false);
        if let Some(rest) = &rest {
            rest.visit(&mut |node| {
                has_constants |= is_constant_work(node);
                match node.kind {
                    Kind::Column(column) if column < width && !columns.contains(&column) => columns.push(column),
                    _ => {}
                }
            });
        }
        Some(Predicate { tests, rest, columns, has_constants })
    }

    /// The part that is evaluated, for one run, where that differs: parts that have one value for the whole run are
    /// computed. A part that fails stays, so that its error comes only if a row needs it.
    fn folded(&self, context: &RunContext) -> Option<BoundExpr> {
        let rest = self.rest.as_ref().filter(|_| self.has_constants)?;
        Some(rest.clone().rewrite(&mut |node| {
            if !is_constant_work(&node) {
                return Err(node);
            }
            match eval::eval(&node, context, Rows::NONE) {
                Ok(value) => Ok(BoundExpr { kind: Kind::Literal(value), ty: node.ty }),
                Err(_) => Err(node),
            }
        }))
    }
}

/// Whether a node costs something and has the same value for every row.
fn is_constant_work(node: &BoundExpr) -> bool {
    let mut constant = !matches!(node.kind, Kind::Literal(_) | Kind::Variable(_) | Kind::Column(_));
    if constant {
        node.visit(&mut |part| constant &= !matches!(part.kind, Kind::Column(_)));
    }
    constant && !is_volatile(node)
}

/// The predicate of a leaf, ready for one run.
pub(super) struct RecordFilter {
    leaf: Arc<Leaf>,
    /// The constants of the tests; NULL passes no test.
    constants: Vec<Option<i64>>,
    /// Stands for the predicate's own rest.
    folded: Option<BoundExpr>,
}

impl RecordFilter {
    /// The filter of a leaf; none when all rows pass.
    pub(super) fn open(leaf: Arc<Leaf>, context: &RunContext) -> Option<RecordFilter> {
        let predicate = leaf.predicate.as_ref()?;
        let constants = predicate.tests.iter().map(|test| test.constant(context)).collect();
        let folded = predicate.folded(context);
        Some(RecordFilter { leaf, constants, folded })
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
        let Some(predicate) = &self.leaf.predicate else { return Ok(true) };
        for (test, constant) in predicate.tests.iter().zip(&self.constants) {
            if !test.passes(layout, record, *constant)? {
                return Ok(false);
            }
        }
        let Some(rest) = self.folded.as_ref().or(predicate.rest.as_ref()) else { return Ok(true) };
        for &column in &predicate.columns {
            row.read(layout, rid, record, column)?;
        }
        eval::is_true(rest, context, Rows::of(&row.values))
    }

    /// Whether a row that is no record passes: its leaf's columns, followed by the outer row.
    pub(super) fn passes_row(&self, context: &RunContext, row: &[Value]) -> SqlResult<bool> {
        let rest = self.leaf.predicate.as_ref().and_then(|predicate| predicate.rest.as_ref());
        match self.folded.as_ref().or(rest) {
            Some(rest) => eval::is_true(rest, context, Rows::of(row)),
            None => Ok(true),
        }
    }
}

impl IntegerTest {
    /// The test that a conjunct is, if it is one.
    fn of(conjunct: &BoundExpr, stored: usize) -> Option<IntegerTest> {
        let Kind::Compare(op, left, right, _) = &conjunct.kind else { return None };
        let (column, op, constant) = match (&left.kind, &right.kind) {
            (Kind::Column(column), _) => (*column, *op, right),
            (_, Kind::Column(column)) => (*column, mirrored(*op), left),
            _ => return None,
        };
        let integer = matches!(left.ty.sql, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt);
        if column >= stored || !integer || left.ty.sql != right.ty.sql {
            return None;
        }
        let constant = match &constant.kind {
            Kind::Literal(value) => Constant::Value(value.clone()),
            Kind::Variable(slot) => Constant::Variable(*slot),
            _ => return None,
        };
        Some(IntegerTest { column, op, constant })
    }

    fn constant(&self, context: &RunContext) -> Option<i64> {
        match &self.constant {
            Constant::Value(value) => value.as_i64(),
            Constant::Variable(slot) => context.variables.get(*slot)?.as_i64(),
        }
    }

    fn passes(&self, layout: &RowLayout, record: &[u8], constant: Option<i64>) -> SqlResult<bool> {
        let (Some(constant), Some(bytes)) = (constant, layout.raw(record, self.column).map_err(message::of_row)?)
        else {
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
        let order = found.cmp(&constant);
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
