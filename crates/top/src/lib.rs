//! The live screen of a SQL Server, for `millpond top`: samples of its dynamic management views, what happened between two of
//! them, and screens of that.
//!
//! ```text
//!  Source ─▶ collect ─▶ Sample ─┬▶ record (a line of JSON, and back)
//!                               └▶ Interval (rates, categories of waits, verdict) ─┬▶ screen (ratatui)
//!                                                                                  └▶ figures ─▶ once (table, JSON, CSV)
//! ```
//!
//! What always holds: it asks only what SQL Server documents, beside a few views of Millpond that may be missing; a refused
//! part is named and the rest goes on. Whatever a server sends, nothing panics and nothing of it controls the terminal. It knows
//! nothing of sockets and files: its caller connects, reads and writes.

pub mod app;
pub mod background;
pub mod collect;
pub mod figures;
pub mod harmless;
pub mod interval;
mod keys;
pub mod live;
pub mod once;
pub mod record;
pub mod sample;
pub mod screen;
pub mod showplan;
pub mod source;
pub mod state;
pub mod tree;
pub mod units;
pub mod verdict;
pub mod waits;
