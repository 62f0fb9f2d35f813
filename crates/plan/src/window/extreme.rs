//! MIN and MAX over frames: the row of the extreme value, the first of equal ones. The last argument is what values are
//! compared by.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::row::{RowConverter, Rows, SortField};
use millpond_catalog::rel::WindowFrame;
use millpond_message::error::SqlResult;
use parking_lot::Mutex;

use crate::expression::convert;
use crate::run::failure;
use crate::window::args::{Args, Block, arrow};
use crate::window::chunk::Chunk;
use crate::window::evaluate::{CallSpec, Evaluate, Fold};
use crate::window::queue::Queue;

/// MIN or MAX.
pub(crate) struct Extreme {
    queue: Queue<ExtremeRow>,
    frame: WindowFrame,
}

impl Extreme {
    /// `wanted`: how the extreme compares with the others.
    pub(crate) fn new(wanted: Ordering, call: &CallSpec) -> SqlResult<Extreme> {
        let by = call.args.last().ok_or_else(|| failure::internal("an extreme of nothing"))?;
        let converter = RowConverter::new(vec![SortField::new(convert::data_type(by))]).map_err(arrow)?;
        let fold = ExtremeRow { wanted, converter: Mutex::new(converter) };
        Ok(Extreme { queue: Queue::new(fold, call.frame), frame: call.frame })
    }
}

impl Evaluate for Extreme {
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef> {
        let mut rows = Vec::with_capacity(chunk.rows.len());
        chunk.each_row(|place| {
            self.queue.go_to(chunk, args, &place.frame(&self.frame))?;
            rows.push(self.queue.state()?.map(|found| found.row));
            Ok(())
        })?;
        self.queue.end_chunk(args);
        args.pick(&rows, None)
    }
}

/// The row of the least or greatest value.
struct ExtremeRow {
    wanted: Ordering,
    converter: Mutex<RowConverter>,
}

/// A row and what it is compared by.
#[derive(Clone)]
struct KeyedRow {
    row: usize,
    key: Arc<[u8]>,
}

/// Keys of a block's rows, as bytes that compare as they do.
pub struct Keys {
    first: usize,
    values: ArrayRef,
    bytes: Rows,
}

impl Fold for ExtremeRow {
    type State = Option<KeyedRow>;
    type Column = Keys;

    fn empty(&self) -> Option<KeyedRow> {
        None
    }

    fn column(&self, block: &Block) -> SqlResult<Keys> {
        let values = block.columns.last().ok_or_else(|| failure::internal("an extreme of nothing"))?;
        let bytes = self.converter.lock().convert_columns(std::slice::from_ref(values)).map_err(arrow)?;
        Ok(Keys { first: block.first, values: Arc::clone(values), bytes })
    }

    fn add(&self, state: &mut Option<KeyedRow>, column: &Keys, at: usize) -> SqlResult<()> {
        if column.values.is_valid(at) {
            let key = column.bytes.row(at);
            if state.as_ref().is_none_or(|held| key.as_ref().cmp(&*held.key) == self.wanted) {
                *state = Some(KeyedRow { row: column.first + at, key: key.as_ref().into() });
            }
        }
        Ok(())
    }

    fn merge(&self, state: &mut Option<KeyedRow>, later: &Option<KeyedRow>) -> SqlResult<()> {
        if let Some(later) = later
            && state.as_ref().is_none_or(|held| later.key.cmp(&held.key) == self.wanted)
        {
            *state = Some(later.clone());
        }
        Ok(())
    }
}
