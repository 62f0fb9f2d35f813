//! JSON in texts: read, looked up, changed, written.
//!
//! ```text
//!   text ─▶ reader ─▶ tokens ─▶ find (by a path) ─▶ a place in the text ─▶ value, part, or change
//!                        └────▶ open (rows of OPENJSON)
//!   values ─▶ write ─▶ JSON_OBJECT, JSON_ARRAY, their aggregates, JSON_MODIFY, FOR JSON
//! ```
//! What always holds:
//! - J1: a text is read from left to right, where it lies, and no further than the answer asks; what is wrong after that is
//!   not seen. Nothing is kept of what was read but which containers are open.
//! - J2: no more than [`reader::DEPTH_MAX`] containers are open at once.
//! - J3: long texts are read and written under a watch, which ends them in the midst.
//!
//! Only the text of JSON is known; SQL Server 2025's type `json` is not.

pub mod base64;
pub mod find;
pub mod functions;
mod modify;

pub mod open;
pub mod path;
pub mod reader;
pub mod shape;

pub mod write;
