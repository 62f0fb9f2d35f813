//! Relations rewritten as relations, before any plan is made: normal form, the order of joins, predicates that move, what is
//! read by an expression and what is constant in it. The rewritten relation has the rows of the one as written.
//!
//! It knows neither sizes of tables nor how a relation is run.

pub mod distinct;
mod empty;
pub mod extremes;
pub mod fails;
pub mod first;
pub mod fold;
pub mod group_keys;
pub mod grouping_sets;
pub mod held;
mod hoisted;
pub mod input_set;
pub mod join_tree;
pub mod keyed;
mod missing_rows;
pub mod normal;
pub mod order;
pub mod outer;
mod parts;
pub mod repeated;
pub mod sets;
pub mod settled;
pub mod terms;
pub mod totals;
pub mod unique;
