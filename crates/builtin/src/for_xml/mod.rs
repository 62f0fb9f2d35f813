//! FOR XML: rows as elements of XML.
//!
//! ```text
//!   RAW, AUTO  ─▶ members ─┐
//!   PATH       ─▶ path ────┼▶ levels (Shape) ──┐
//!   EXPLICIT   ─▶ universal (Universal) ───────┴▶ a text, as the rows come
//! ```
//! What always holds:
//! - F1: what a row looks like is settled by the names of the columns before a row comes: [`element`] is a tree with columns at
//!   its leaves, and writing a row walks it once.
//! - F2: nothing is kept of a row but what the next one may go on in: keys of AUTO's elements, tags of EXPLICIT that are open.
//! - F3: under TYPE each character is one that XML has (6841) and an element without content is written as `<a/>`; without TYPE
//!   a character that XML does not have is written as a reference, and an empty text as `<a></a>`.
//!
//! A value of type `xml` is put in as it is stored; whether it is well-formed is not looked at here.

pub mod column;
pub mod element;
mod letters;
pub mod levels;
pub mod members;
pub mod name;
mod overflow;
pub mod path;
pub mod universal;
mod universal_text;
mod writer;

/// What XSINIL declares where the text begins.
pub const XSI: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
