//! A text file as rows of texts, and its texts as values of columns.

pub mod convert;
pub mod fields;
pub mod options;
