//! What evaluates a window function over the rows of a partition.

use datafusion::arrow::array::ArrayRef;
use millpond_catalog::rel::{WindowFrame, WindowFunction};
use millpond_message::error::SqlResult;
use millpond_types::SqlType;

use crate::window::args::{Args, Block};
use crate::window::chunk::Chunk;

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSpec {
    pub(crate) function: WindowFunction,
    pub(crate) frame: WindowFrame,
    /// Types of the arguments. MIN and MAX of values with keys have the key after the value.
    pub(crate) args: Vec<SqlType>,
    pub(crate) result: SqlType,
    /// How many rows LAG looks back, when all rows agree.
    pub(crate) distance: Option<u64>,
}

/// The state of a call within one run.
pub(crate) trait Evaluate: Send {
    /// The values for the rows of a chunk.
    fn evaluate(&mut self, chunk: &Chunk, args: &Args<'_>) -> SqlResult<ArrayRef>;
}

/// An aggregate whose states can be merged.
pub(crate) trait Fold: Send {
    type State: Clone + Send;
    /// Arguments as the aggregate reads them.
    type Column: Send;
    fn empty(&self) -> Self::State;
    fn column(&self, block: &Block) -> SqlResult<Self::Column>;
    fn add(&self, state: &mut Self::State, column: &Self::Column, at: usize) -> SqlResult<()>;
    /// Adds the state of later rows.
    fn merge(&self, state: &mut Self::State, later: &Self::State) -> SqlResult<()>;
}
