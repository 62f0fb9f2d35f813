//! Each kind of relation and of expression becomes part of a logical plan, in the file that knows it. They enter each other
//! through the methods of a [`crate::lowering::Lowering`] alone (`physical::entrance`).

pub(crate) mod aggregate;
pub(crate) mod alternatives;
pub(crate) mod apply;
pub(crate) mod cluster;
pub(crate) mod expression;
pub(crate) mod group_keys;
pub(crate) mod guard;
pub(crate) mod hash_join;
pub(crate) mod join;
pub(crate) mod keyed_apply;
pub(crate) mod members;
pub(crate) mod recursion;
pub(crate) mod relation;
pub(crate) mod rollup;
pub(crate) mod scalar;
pub(crate) mod seek_join;
pub(crate) mod sets;
pub(crate) mod shared;
pub(crate) mod single;
pub(crate) mod size;
pub(crate) mod subquery;
pub(crate) mod table;
pub(crate) mod tie;
pub(crate) mod total_query;
pub(crate) mod totals;
pub(crate) mod windows;
