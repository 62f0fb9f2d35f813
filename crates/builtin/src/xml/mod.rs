//! The methods of `xml`, and what of XML stands in FROM.
//!
//! ```text
//!   bind ──Query (read and checked once)──▶ method::Call, nodes::Nodes, open_xml::OpenXml
//!                                               │ a row's value, or a reference to a node
//!                                               ▼
//!                                           millpond_xml, by a budget of the statement
//! ```
//! What always holds: a value is parsed once per call; the work sees a cancellation and is charged to the server's memory.

pub mod atoms;
mod budget;
pub mod edge;
mod error;
pub mod method;
pub mod nodes;
pub mod open_xml;
mod reference;

pub use budget::StatementBudget;
pub use error::{of_parse, of_query};
