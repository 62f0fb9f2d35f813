//! Accumulators of T-SQL's aggregates, and the operators of grouping sets. They know arrays, neither relations nor how the
//! plan is made (`lower::aggregate`).

pub(crate) mod accumulate;
pub(crate) mod collect;
pub(crate) mod expand;
pub(crate) mod pick;
pub(crate) mod product;
pub(crate) mod string_agg;
