//! INSERT, UPDATE, DELETE and MERGE: the target below the names, and what each row becomes.

pub(crate) mod aim;
pub(crate) mod changes;
pub(crate) mod dml;
pub(crate) mod instead;
pub(crate) mod merge;
pub(crate) mod numbers;
pub(crate) mod row_predicates;
pub(crate) mod rows;
pub(crate) mod target;
pub(crate) mod view_target;
