//! The predicate of a scan, evaluated on records before their other columns are decoded.
//!
//! A conjunct that compares a stored column with a constant, a variable or the outer row is a test of its own: it cannot
//! fail, so tests come first, and integers and ASCII texts are tested on the record's bytes. The rest is left to
//! [`crate::scan::sieve`] where rows come by the page, and evaluated by [`millpond_builtin::eval`], left to right, where they come one by
//! one.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::sync::Arc;

use millpond_builtin::eval::{self, Rows};
use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::collation::{self, Collation};
use millpond_types::row::{RowError, RowLayout};
use millpond_types::{CodePage, SqlType, Value};

use crate::run::cell::OuterRow;
use crate::scan::record::{Locator, PageRow, narrow_text};
use millpond_rewrite::fold::{folded, has_constants};
use millpond_rewrite::terms::all;

/// A table's row as expressions see it: its columns, its identifier if the leaf has one, the outer row.
pub(crate) struct RecordRow {
    pub(crate) values: Vec<Value>,
    /// Columns that are stored; the identifier comes right after them.
    width: usize,
    /// Where in the records they are; none: in their own places.
    pub(crate) places: Option<Vec<usize>>,
}

impl RecordRow {
    /// A row without values yet, but with the outer row of this run.
    pub(crate) fn new(columns: usize, outer: Option<&OuterRow>, width: usize) -> RecordRow {
        let mut values = vec![Value::Null; columns];
        if let Some(outer) = outer {
            outer.append_to(&mut values);
        }
        RecordRow { values, width, places: None }
    }

    /// Where in a record a stored column is.
    #[inline]
    pub(crate) fn place(&self, column: usize) -> usize {
        self.places.as_ref().map_or(column, |places| places[column])
    }

    /// Fills one column of the leaf.
    #[inline]
    pub(crate) fn read(
        &mut self,
        layout: &RowLayout,
        locator: Locator<'_>,
        record: &[u8],
        column: usize,
    ) -> SqlResult<()> {
        // No `?` and no `map_err`: each would move the value once more, through memory.
        self.values[column] = if column < self.width {
            match layout.column(record, self.place(column)) {
                Ok(value) => value,
                Err(error) => return Err(message::of_row(error)),
            }
        } else {
            locator.value()
        };
        Ok(())
    }
}

/// Keeps the rows for which `passes`; the first error ends it.
fn try_retain<T>(rows: &mut Vec<T>, mut passes: impl FnMut(&T) -> SqlResult<bool>) -> SqlResult<()> {
    let mut failed = None;
    rows.retain(|row| {
        failed.is_none()
            && passes(row).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
    });
    failed.map_or(Ok(()), Err)
}

/// The predicate of a leaf.
#[derive(Clone)]
pub(crate) struct Predicate {
    tests: Vec<Test>,
    /// Which of the given conjuncts are no tests.
    untested: Vec<usize>,
    rest: Option<BoundExpr>,
    /// Columns of the leaf that `rest` reads.
    columns: Vec<usize>,
    /// `rest` has a part without columns that is worth computing once per run.
    has_constants: bool,
}

/// `column op constant`, both of one type.
#[derive(Clone)]
struct Test {
    column: usize,
    op: CompareOp,
    constant: Constant,
    collation: Collation,
}

/// What a column is compared with.
#[derive(Clone)]
enum Constant {
    Value(Value),
    Variable(usize),
    /// A value of the outer row.
    Outer(usize),
}

impl Predicate {
    /// The conjunction of `conjuncts` over a leaf of `width` columns, of which the first `stored` are a record's.
    /// None when all rows pass.
    pub(crate) fn new(conjuncts: Vec<BoundExpr>, stored: usize, width: usize) -> Option<Predicate> {
        if conjuncts.is_empty() {
            return None;
        }
        let (mut tests, mut untested, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (index, conjunct) in conjuncts.into_iter().enumerate() {
            match Test::of(&conjunct, stored, width) {
                Some(test) => tests.push(test),
                None => {
                    untested.push(index);
                    rest.push(conjunct);
                }
            }
        }
        let rest = all(rest);
        let mut columns = Vec::new();
        if let Some(rest) = &rest {
            rest.visit(&mut |node| match node.kind {
                Kind::Column(column) if column < width && !columns.contains(&column) => columns.push(column),
                _ => {}
            });
        }
        let has_constants = rest.as_ref().is_some_and(has_constants);
        Some(Predicate { tests, untested, rest, columns, has_constants })
    }

    /// The columns that it looks at.
    pub(crate) fn reads(&self) -> impl Iterator<Item = usize> {
        self.tests.iter().map(|test| test.column).chain(self.columns.iter().copied())
    }

    /// The same over records that have the table's columns in other places.
    pub(crate) fn at(&self, place: &dyn Fn(usize) -> usize) -> Predicate {
        let mut placed = self.clone();
        placed.tests.iter_mut().for_each(|test| test.column = place(test.column));
        placed
    }

    /// Those of the conjuncts that are no tests.
    pub(crate) fn untested(&self, conjuncts: &[BoundExpr]) -> Vec<BoundExpr> {
        self.untested.iter().map(|&index| conjuncts[index].clone()).collect()
    }
}

/// The predicate of a leaf, ready for one run.
pub(crate) struct RecordFilter {
    predicate: Arc<Predicate>,
    /// The constants of the tests.
    constants: Vec<Value>,
    /// Stands for the predicate's own rest, where that is evaluated.
    folded: OnceCell<Option<BoundExpr>>,
}

impl RecordFilter {
    /// The predicate's constants, as they are for a run and its outer row.
    pub(crate) fn open(predicate: Arc<Predicate>, outer: Option<&OuterRow>, context: &RunContext) -> RecordFilter {
        let mut values = Vec::new();
        if let Some(row) = outer {
            row.append_to(&mut values);
        }
        let constants = predicate.tests.iter().map(|test| test.constant(context, &values)).collect();
        RecordFilter { predicate, constants, folded: OnceCell::new() }
    }

    /// What is evaluated, as it is in this run.
    fn rest(&self, context: &RunContext) -> Option<&BoundExpr> {
        let rest = self.predicate.rest.as_ref()?;
        let folded = || self.predicate.has_constants.then(|| folded(rest, context));
        Some(self.folded.get_or_init(folded).as_ref().unwrap_or(rest))
    }

    /// Whether the predicate looks at a column of the record.
    pub(crate) fn reads(&self, column: usize) -> bool {
        self.predicate.tests.iter().any(|test| test.column == column) || self.predicate.columns.contains(&column)
    }

    /// Whether a record passes; fills the columns of `row` that had to be looked at.
    pub(crate) fn passes(
        &self,
        context: &RunContext,
        layout: &RowLayout,
        locator: Locator<'_>,
        record: &[u8],
        row: &mut RecordRow,
    ) -> SqlResult<bool> {
        for (test, constant) in self.predicate.tests.iter().zip(&self.constants) {
            if !test.passes(layout, record, constant)? {
                return Ok(false);
            }
        }
        let Some(rest) = self.rest(context) else { return Ok(true) };
        for &column in &self.predicate.columns {
            row.read(layout, locator, record, column)?;
        }
        eval::is_true(rest, context, Rows::of(&row.values))
    }

    /// Keeps those rows of a page that pass the tests: each test on all that passed the one before.
    pub(crate) fn retain(&self, layout: &RowLayout, rows: &mut Vec<PageRow<'_, '_>>) -> SqlResult<()> {
        for (test, constant) in self.predicate.tests.iter().zip(&self.constants) {
            test.retain(layout, rows, constant)?;
        }
        Ok(())
    }

    /// Whether a row that is no record passes: its leaf's columns, followed by the outer row.
    pub(crate) fn passes_row(&self, context: &RunContext, row: &[Value]) -> SqlResult<bool> {
        match self.rest(context) {
            Some(rest) => eval::is_true(rest, context, Rows::of(row)),
            None => Ok(true),
        }
    }
}

/// Precisions of decimals that are stored in a sign and eight bytes.
const DECIMALS_OF_9_BYTES: std::ops::RangeInclusive<u8> = 10..=19;

/// Such a decimal's digits.
fn short_decimal(bytes: [u8; 9]) -> i128 {
    let [sign, magnitude @ ..] = bytes;
    let magnitude = i128::from(u64::from_le_bytes(magnitude));
    if sign == 0 { -magnitude } else { magnitude }
}

impl Test {
    /// The test that a conjunct is, if it is one. Columns from `width` on are the outer row's.
    fn of(conjunct: &BoundExpr, stored: usize, width: usize) -> Option<Test> {
        let Kind::Compare(op, left, right, collation) = &conjunct.kind else { return None };
        let (column, op, constant) = match (&left.kind, &right.kind) {
            (Kind::Column(column), _) if *column < stored => (*column, *op, right),
            (_, Kind::Column(column)) if *column < stored => (*column, op.mirrored(), left),
            _ => return None,
        };
        let constant = match &constant.kind {
            Kind::Literal(value) => Constant::Value(value.clone()),
            Kind::Variable(slot) => Constant::Variable(*slot),
            Kind::Column(column) if *column >= width => Constant::Outer(column - width),
            _ => return None,
        };
        Some(Test { column, op, constant, collation: *collation })
    }

    /// What the column is compared with in a run for an outer row.
    fn constant(&self, context: &RunContext, outer: &[Value]) -> Value {
        match &self.constant {
            Constant::Value(value) => value.clone(),
            Constant::Variable(slot) => context.variables.get(*slot).cloned().unwrap_or_default(),
            Constant::Outer(index) => outer.get(*index).cloned().unwrap_or_default(),
        }
    }

    /// Whether the test is true for a record.
    fn passes(&self, layout: &RowLayout, record: &[u8], constant: &Value) -> SqlResult<bool> {
        let order = match (&layout.types()[self.column], constant) {
            (_, Value::Null) => return Ok(false),
            (SqlType::Int, Value::Int(constant)) => self.order(layout, record, i32::from_le_bytes, constant)?,
            (SqlType::BigInt, Value::BigInt(constant)) => self.order(layout, record, i64::from_le_bytes, constant)?,
            (SqlType::SmallInt, Value::SmallInt(constant)) => {
                self.order(layout, record, i16::from_le_bytes, constant)?
            }
            (SqlType::TinyInt, Value::TinyInt(constant)) => self.order(layout, record, u8::from_le_bytes, constant)?,
            (SqlType::Char { page, .. } | SqlType::VarChar { page, .. }, Value::Str(constant)) => {
                return self.passes_text(layout, record, *page, constant);
            }
            _ => return self.passes_value(layout, record, constant),
        };
        Ok(order.is_some_and(|order| self.holds(order)))
    }

    /// Keeps the rows for which the test is true.
    fn retain(&self, layout: &RowLayout, rows: &mut Vec<PageRow<'_, '_>>, constant: &Value) -> SqlResult<()> {
        match (&layout.types()[self.column], constant) {
            (_, Value::Null) => rows.clear(),
            (SqlType::Int, Value::Int(constant)) => self.retain_numbers(layout, rows, i32::from_le_bytes, constant),
            (SqlType::BigInt, Value::BigInt(constant)) => {
                self.retain_numbers(layout, rows, i64::from_le_bytes, constant);
            }
            (SqlType::SmallInt, Value::SmallInt(constant)) => {
                self.retain_numbers(layout, rows, i16::from_le_bytes, constant);
            }
            (SqlType::TinyInt, Value::TinyInt(constant)) => {
                self.retain_numbers(layout, rows, u8::from_le_bytes, constant);
            }
            (SqlType::Date, Value::Date(constant)) => {
                let read = |[a, b, c]: [u8; 3]| i32::from_le_bytes([a, b, c, 0]);
                self.retain_numbers(layout, rows, read, &constant.days);
            }
            (SqlType::Money, Value::Money(constant)) => {
                self.retain_numbers(layout, rows, i64::from_le_bytes, constant);
            }
            (SqlType::Decimal { precision, scale, .. }, Value::Decimal(constant))
                if constant.scale == *scale && DECIMALS_OF_9_BYTES.contains(precision) =>
            {
                self.retain_numbers(layout, rows, short_decimal, &{ constant.unscaled });
            }
            (SqlType::Char { page, .. } | SqlType::VarChar { page, .. }, Value::Str(constant)) => {
                try_retain(rows, |row| match row.view.raw(self.column) {
                    Some(bytes) => self.holds_text(bytes, *page, constant),
                    None => Ok(false),
                })?;
            }
            _ => try_retain(rows, |row| {
                let value = row.view.column(self.column).map_err(message::of_row)?;
                Ok(eval::compare_values(self.op, &value, constant, self.collation) == Some(true))
            })?,
        }
        Ok(())
    }

    fn retain_numbers<const N: usize, T: Ord>(
        &self,
        layout: &RowLayout,
        rows: &mut Vec<PageRow<'_, '_>>,
        read: impl Fn([u8; N]) -> T,
        constant: &T,
    ) {
        let mut passed = Vec::with_capacity(rows.len());
        let column = layout.fixed_column::<N, _>(rows, self.column);
        passed.extend(column.map(|bytes| bytes.is_some_and(|bytes| self.holds(read(*bytes).cmp(constant)))));
        let mut passed = passed.into_iter();
        rows.retain(|_| passed.next().unwrap_or(false));
    }

    /// How the column's number compares with the constant; none when it is NULL.
    fn order<const N: usize, T: Ord>(
        &self,
        layout: &RowLayout,
        record: &[u8],
        read: fn([u8; N]) -> T,
        constant: &T,
    ) -> SqlResult<Option<Ordering>> {
        let Some(bytes) = layout.raw(record, self.column).map_err(message::of_row)? else { return Ok(None) };
        let what = "a number of the wrong length";
        let bytes = bytes.try_into().map_err(|_| message::of_row(RowError::Damaged { what }))?;
        Ok(Some(read(bytes).cmp(constant)))
    }

    fn passes_text(&self, layout: &RowLayout, record: &[u8], page: CodePage, constant: &str) -> SqlResult<bool> {
        match layout.raw(record, self.column).map_err(message::of_row)? {
            Some(bytes) => self.holds_text(bytes, page, constant),
            None => Ok(false),
        }
    }

    fn holds_text(&self, bytes: &[u8], page: CodePage, constant: &str) -> SqlResult<bool> {
        let text = &*narrow_text(bytes, page)?;
        Ok(match self.op {
            CompareOp::Eq => collation::equal(text, constant, self.collation),
            CompareOp::NotEq => !collation::equal(text, constant, self.collation),
            _ => self.holds(collation::compare(text, constant, self.collation)),
        })
    }

    fn passes_value(&self, layout: &RowLayout, record: &[u8], constant: &Value) -> SqlResult<bool> {
        let value = layout.column(record, self.column).map_err(message::of_row)?;
        Ok(eval::compare_values(self.op, &value, constant, self.collation) == Some(true))
    }

    fn holds(&self, order: Ordering) -> bool {
        match self.op {
            CompareOp::Eq => order == Ordering::Equal,
            CompareOp::NotEq => order != Ordering::Equal,
            CompareOp::Lt => order == Ordering::Less,
            CompareOp::LtEq => order != Ordering::Greater,
            CompareOp::Gt => order == Ordering::Greater,
            CompareOp::GtEq => order != Ordering::Less,
        }
    }
}
