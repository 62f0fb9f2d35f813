//! Keys of rows as bytes that compare as the rows do.

use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::row::{RowConverter, Rows, SortField};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_plan::sorts::sort::SortExec;

/// Makes keys.
pub(super) struct Keys {
    converter: RowConverter,
    exprs: Vec<PhysicalExprRef>,
}

/// The first bytes of a key as a number of the same order; equal ones are compared whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Prefix(u64);

/// Whether all keys have such bytes.
pub(super) fn can_order(sort: &SortExec) -> Result<bool> {
    Ok(RowConverter::supports_fields(&fields(sort)?))
}

fn fields(sort: &SortExec) -> Result<Vec<SortField>> {
    let schema = sort.input().schema();
    let field = |key: &datafusion::physical_expr::PhysicalSortExpr| {
        Ok(SortField::new_with_options(key.expr.data_type(&schema)?, key.options))
    };
    sort.expr().iter().map(field).collect()
}

impl Keys {
    pub(super) fn of(sort: &SortExec) -> Result<Keys> {
        Keys::new(sort.expr().iter().map(|key| key.expr.clone()).collect(), fields(sort)?)
    }

    pub(super) fn new(exprs: Vec<PhysicalExprRef>, fields: Vec<SortField>) -> Result<Keys> {
        Ok(Keys { converter: RowConverter::new(fields)?, exprs })
    }

    /// Whether all rows have the same.
    pub(super) fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    /// The keys of a batch's rows.
    pub(super) fn of_rows(&self, batch: &RecordBatch) -> Result<Rows> {
        let values = self.exprs.iter().map(|expr| expr.evaluate(batch)?.into_array(batch.num_rows()));
        Ok(self.converter.convert_columns(&values.collect::<Result<Vec<ArrayRef>>>()?)?)
    }
}

impl Prefix {
    pub(super) fn of(key: &[u8]) -> Prefix {
        if let Some(first) = key.first_chunk::<8>() {
            return Prefix(u64::from_be_bytes(*first));
        }
        let mut bytes = [0; 8];
        bytes[..key.len()].copy_from_slice(key);
        Prefix(u64::from_be_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_never_contradict_their_keys() {
        let keys: [&[u8]; 8] = [b"", b"\0", b"a", b"a\0", b"ab", b"abcdefgh", b"abcdefghi", b"b"];
        for pair in keys.windows(2) {
            assert!(pair[0] < pair[1] && Prefix::of(pair[0]) <= Prefix::of(pair[1]), "{pair:?}");
        }
        assert!(Prefix::of(b"a") < Prefix::of(b"b"));
    }
}
