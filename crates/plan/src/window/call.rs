//! A call over a window: what it is, how much of a partition it must see at once, and what evaluates it.

use millpond_catalog::rel::{FrameEdge, WindowFunction};
use millpond_message::error::SqlResult;

use crate::window::evaluate::{CallSpec, Evaluate};
use crate::window::{fold, rank, value};

/// How much of the input a call must see at once; more demanding ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Any rows.
    Rows,
    /// All rows that are equal in order.
    Peers,
    /// Whole partitions.
    Partition,
}

impl CallSpec {
    pub(crate) fn need(&self) -> Need {
        match self.function {
            WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => Need::Rows,
            WindowFunction::Lag { ignore_nulls: false } if value::is_near(self.distance) => Need::Rows,
            WindowFunction::Aggregate(function) if fold::can_go_on(function) => {
                match (self.frame.start, self.frame.end) {
                    (FrameEdge::Partition, FrameEdge::Rows(0)) => Need::Rows,
                    (FrameEdge::Partition, FrameEdge::Peers) => Need::Peers,
                    _ => Need::Partition,
                }
            }
            _ => Need::Partition,
        }
    }

    pub(crate) fn evaluator(&self) -> SqlResult<Box<dyn Evaluate>> {
        Ok(match self.function {
            WindowFunction::RowNumber => Box::new(rank::RowNumber),
            WindowFunction::Rank => Box::new(rank::Rank),
            WindowFunction::DenseRank => Box::new(rank::DenseRank::default()),
            WindowFunction::Ntile => Box::new(rank::Ntile::default()),
            WindowFunction::PercentRank => Box::new(rank::PercentRank),
            WindowFunction::CumeDist => Box::new(rank::CumeDist),
            WindowFunction::Lag { ignore_nulls: false } if value::is_near(self.distance) => {
                Box::new(value::Near::new(self.distance.unwrap_or(0)))
            }
            WindowFunction::Lag { ignore_nulls } => Box::new(value::Far { backwards: true, ignore_nulls }),
            WindowFunction::Lead { ignore_nulls } => Box::new(value::Far { backwards: false, ignore_nulls }),
            WindowFunction::FirstValue { ignore_nulls } => Box::new(value::Edge::new(false, ignore_nulls, self.frame)),
            WindowFunction::LastValue { ignore_nulls } => Box::new(value::Edge::new(true, ignore_nulls, self.frame)),
            WindowFunction::PercentileCont => Box::new(value::Percentile::new(true)),
            WindowFunction::PercentileDisc => Box::new(value::Percentile::new(false)),
            WindowFunction::Aggregate(function) => fold::evaluator(function, self)?,
        })
    }
}
