//! What a query block gathers while it is bound: its aggregates, groups and windows. Until the block is complete they stand
//! in its expressions as columns of numbers that no row has ([`AGGREGATE_BASE`], [`WINDOW_BASE`]).

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel, SortKey, WindowCall};
use millpond_types::{SqlType, Value};

use crate::binder::numbered::Numbered;

/// Aggregates of the query block that is being bound; `None` where an aggregate is not allowed.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) aggregates: Option<Numbered<Aggregate>>,
    /// Inside an aggregate's argument: another aggregate there is 130.
    pub(crate) in_aggregate: bool,
    /// What GROUP BY says.
    pub(crate) groups: Groups,
    /// Calls with OVER; `None` where they are not allowed.
    pub(crate) windows: Option<Numbered<BoundWindow>>,
    /// EXISTS asks for its rows alone.
    pub(crate) is_existence: bool,
    /// Places of the items that stand for `*` and `table.*`.
    pub(crate) stars: Vec<usize>,
    /// Windows that have names.
    pub(crate) named_windows: Vec<(String, millpond_tsql::ast::Over)>,
    /// Inside of one: another one there is 4109.
    pub(crate) in_window: bool,
}

/// What GROUP BY says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Expressions, each once where there are sets.
    pub exprs: Vec<BoundExpr>,
    /// Numbers of the grouping sets; none for a plain list.
    pub sets: Option<Vec<i64>>,
}

impl Groups {
    /// Whether the block is grouped by anything.
    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty() && self.sets.is_none()
    }

    /// Columns of the grouped row before the aggregates.
    pub fn width(&self) -> usize {
        self.exprs.len() + usize::from(self.sets.is_some())
    }

    /// The grouped rows of an input.
    pub fn over(self, input: Rel, aggregates: Vec<Aggregate>) -> Rel {
        let Some(sets) = self.sets else {
            return Rel::Aggregate { input: Box::new(input), groups: self.exprs, aggregates };
        };
        let all = (1_i64 << self.exprs.len()) - 1;
        let totals: Vec<i64> = sets.iter().copied().filter(|set| set & all == all).collect();
        let first = input.types().len();
        let expanded = Rel::Expand { input: Box::new(input), groups: self.exprs, sets };
        let types = expanded.types();
        let groups: Vec<BoundExpr> =
            types.iter().enumerate().skip(first).map(|(index, ty)| BoundExpr::column(index, *ty)).collect();
        let empty = |set: i64| {
            let nothing = groups[..groups.len() - 1].iter().map(|group| null(group.ty));
            nothing.chain([big(set)]).chain(aggregates.iter().map(of_nothing)).collect::<Vec<BoundExpr>>()
        };
        let rows: Vec<Vec<BoundExpr>> = totals.into_iter().map(empty).collect();
        let grouped = Rel::Aggregate { input: Box::new(expanded), groups, aggregates };
        if rows.is_empty() { grouped } else { Rel::OrElse { input: Box::new(grouped), rows } }
    }
}

/// A call with its window.
#[derive(Clone, Debug)]
pub(crate) struct BoundWindow {
    pub partition: Vec<BoundExpr>,
    pub order: Vec<SortKey>,
    pub call: WindowCall,
}

pub(crate) fn null(ty: ExprType) -> BoundExpr {
    BoundExpr { kind: Kind::Literal(Value::Null), ty: ExprType { nullable: true, ..ty } }
}

/// What an aggregate of no rows is.
fn of_nothing(aggregate: &Aggregate) -> BoundExpr {
    match aggregate.function {
        AggregateFunction::Count => BoundExpr::literal(Value::Int(0), SqlType::Int),
        AggregateFunction::CountBig | AggregateFunction::ApproxCountDistinct => big(0),
        _ => null(aggregate.ty),
    }
}

pub(crate) fn big(n: i64) -> BoundExpr {
    BoundExpr::literal(Value::BigInt(n), SqlType::BigInt)
}

/// Column numbers from here on are aggregates, or calls over windows; no row has so many columns.
pub(crate) const AGGREGATE_BASE: usize = 1 << 32;

/// The column number of the grouping set's number.
pub(crate) const GROUPING_SET: usize = AGGREGATE_BASE - 1;

impl Block {
    /// A block whose expressions may contain aggregates.
    pub(crate) fn collecting() -> Block {
        Block { aggregates: Some(Numbered::default()), windows: Some(Numbered::default()), ..Block::default() }
    }
}

/// Column numbers from here on are calls over windows; no row has so many columns, and no block so many aggregates.
pub(crate) const WINDOW_BASE: usize = 1 << 40;
