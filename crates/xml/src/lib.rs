//! XML as SQL Server's type `xml` has it.
//!
//! ```text
//!   text ──parse──▶ Document ──write──▶ text            fragments too; white space between tags dropped
//!   XQuery ──Query::parse──▶ Query ──run──▶ items        over a document and values of SQL
//!                              └──modify──▶ Document     insert, delete, replace value of
//! ```
//! What always holds: X1: no text makes anything here panic, and what is nested is bounded ([`DEPTH_MAX`] elements, and as
//! much in an XQuery). X2: what is written parses to what was written. X3: long work asks its [`Budget`] from step to step.
//! Knows no values of SQL and no numbers of messages: both come from and go to the layers above.

pub mod budget;
pub mod chars;
pub mod document;
pub mod fault;
pub mod parse;
pub mod write;
pub mod xquery;

pub use budget::{Budget, Halt, Unbounded};
pub use document::{Document, Name, NodeId, ROOT};
pub use fault::{Fault, ParseError};
pub use parse::{DEPTH_MAX, Options, Origin, parse};
pub use write::{document_text, escape_attribute, escape_text, write_node};
