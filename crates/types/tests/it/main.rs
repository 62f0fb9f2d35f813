//! Properties that hold across modules: rows survive their records, damaged records are refused, keys order as values
//! compare, conversions keep their promises.

mod keys;
mod rows;
mod strategies;
