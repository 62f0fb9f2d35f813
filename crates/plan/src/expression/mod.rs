//! Functions over Arrow arrays that do what T-SQL does: arithmetic, casts, texts and dates, and how values become cells of
//! arrays. They know types and values, neither relations nor plans.

pub(crate) mod arithmetic;
pub(crate) mod cast;
pub(crate) mod convert;
pub(crate) mod dates;
pub(crate) mod function;
#[cfg(test)]
#[path = "../../tests/it/samples.rs"]
mod samples;
pub(crate) mod source;
pub(crate) mod text;
