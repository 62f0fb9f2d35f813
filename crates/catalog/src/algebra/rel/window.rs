//! Functions over windows: which there are, what they are of, and the rows that each of them looks at.
//!
//! A window is a partition of a relation's rows in an order. All calls of one [`super::Rel::Window`] share
//! partition and order; each has a frame of its own.

use super::AggregateFunction;
use crate::algebra::expr::BoundExpr;
use crate::expr_type::ExprType;

/// A call over a window.
#[derive(Clone, Debug)]
pub struct WindowCall {
    /// Function.
    pub function: WindowFunction,
    /// Arguments, already of the types that the function wants.
    pub args: Vec<BoundExpr>,
    /// The rows that it looks at. Only aggregates, FIRST_VALUE and LAST_VALUE ask.
    pub frame: WindowFrame,
    /// Type of the result.
    pub ty: ExprType,
}

/// Functions over windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFunction {
    /// ROW_NUMBER: bigint
    RowNumber,
    /// RANK: bigint
    Rank,
    /// DENSE_RANK: bigint
    DenseRank,
    /// NTILE of a bigint: bigint
    Ntile,
    /// PERCENT_RANK: float
    PercentRank,
    /// CUME_DIST: float
    CumeDist,
    /// LAG of value, offset (bigint), default
    Lag {
        /// IGNORE NULLS
        ignore_nulls: bool,
    },
    /// LEAD of value, offset (bigint), default
    Lead {
        /// IGNORE NULLS
        ignore_nulls: bool,
    },
    /// FIRST_VALUE
    FirstValue {
        /// IGNORE NULLS
        ignore_nulls: bool,
    },
    /// LAST_VALUE
    LastValue {
        /// IGNORE NULLS
        ignore_nulls: bool,
    },
    /// PERCENTILE_CONT of value and fraction, both float; the window's order is that of the values
    PercentileCont,
    /// PERCENTILE_DISC of value and fraction (float); the window's order is that of the values
    PercentileDisc,
    /// An aggregate of one argument, or of none: COUNT(*)
    Aggregate(AggregateFunction),
}

impl WindowFunction {
    /// Its name as SQL Server's texts have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            WindowFunction::RowNumber => "row_number",
            WindowFunction::Rank => "rank",
            WindowFunction::DenseRank => "dense_rank",
            WindowFunction::Ntile => "ntile",
            WindowFunction::PercentRank => "percent_rank",
            WindowFunction::CumeDist => "cume_dist",
            WindowFunction::Lag { .. } => "lag",
            WindowFunction::Lead { .. } => "lead",
            WindowFunction::FirstValue { .. } => "first_value",
            WindowFunction::LastValue { .. } => "last_value",
            WindowFunction::PercentileCont => "percentile_cont",
            WindowFunction::PercentileDisc => "percentile_disc",
            WindowFunction::Aggregate(function) => function.name(),
        }
    }
}

/// The rows from one edge to another, both of them included; there may be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowFrame {
    /// First row.
    pub start: FrameEdge,
    /// Last row.
    pub end: FrameEdge,
}

/// An edge of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEdge {
    /// The partition's first or last row: UNBOUNDED.
    Partition,
    /// The first or last of the rows that the order does not distinguish from the current one: RANGE … CURRENT ROW.
    Peers,
    /// So many rows after the current one, or before it when negative: ROWS.
    Rows(i64),
}

impl WindowFrame {
    /// The whole partition: what is looked at without ORDER BY.
    pub const PARTITION: WindowFrame = WindowFrame { start: FrameEdge::Partition, end: FrameEdge::Partition };
    /// From the partition's first row to the current one's last peer: what is looked at with ORDER BY.
    pub const RUNNING: WindowFrame = WindowFrame { start: FrameEdge::Partition, end: FrameEdge::Peers };
}
