//! Functions over windows: the operator that computes them, part by part of its sorted input.
//!
//! ```text
//!   rows by partition and order ──exec──▶ chunk: whole partitions, whole peers or any rows ──call──▶ one array a call
//! ```
//! W1: a chunk ends where the most demanding call of the window lets it end ([`call::Need`]): a running sum needs no
//! more of a partition than the rows that are equal in order, a share of the total needs all of it. W2: what a call
//! keeps from chunk to chunk belongs to the run, so a plan has no state between runs. W3: frames only move forward; a
//! moving aggregate is merged of parts, never subtracted from, so that floats keep no rests of rows that have left.
//! W4: rows that wait for the end of their partition, or of their peers, and do not fit in memory are spilled
//! ([`stored`]); then they are chunks of a block each, and a call reads the blocks that it looks at ([`args`]).
//! Knows neither relations nor logical plans.

mod args;
mod call;
mod chunk;
pub(crate) mod evaluate;
mod exec;
mod extreme;
mod fold;
mod piece;
mod queue;
mod rank;
mod stored;
mod value;

pub(crate) use evaluate::CallSpec;
pub(crate) use exec::{WindowExec, WindowSpec};
