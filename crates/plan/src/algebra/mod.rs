//! Relations rewritten as relations, before any plan is made: normal form, the order of joins, filters that move, what is
//! read by an expression and what is constant in it.

pub(crate) mod distinct;
pub(crate) mod fold;
pub(crate) mod input_set;
pub(crate) mod join_tree;
pub(crate) mod normal;
pub(crate) mod order;
pub(crate) mod outer;
pub(crate) mod terms;
