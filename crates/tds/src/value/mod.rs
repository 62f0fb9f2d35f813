//! Values on the wire: [`put_value`] and [`write_row`] for the server, `read` for both sides.
//!
//! ```text
//!  byte-length  : length (1), 0 is NULL          ints, floats, money, dates, decimal, uniqueidentifier
//!  short-length : length (2), FFFF is NULL       char, varchar(n), nchar, nvarchar(n), binary, varbinary(n)
//!  chunked      : length (8), FFFFFFFFFFFFFFFF is NULL, then chunks: length (4), bytes; ends with a chunk of length 0
//! ```
//!
//! `varchar` travels in code page 1252, `nvarchar` in UTF-16LE. Encoding a value allocates nothing but the growth of
//! the output.

mod encode;
mod read;

pub(crate) use encode::{ROW, fits, is_long, put_long};
pub use encode::{put_value, write_null_bitmap_row, write_row};
pub(crate) use read::{Place, read_value};

#[cfg(test)]
pub(crate) mod tests;
