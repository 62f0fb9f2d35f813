//! Reports of what a server did, of its history: one page of HTML for people, JSON and CSV for programs.
//!
//! ```text
//!   history.ring ─▶ ring ─┐                      ┌▶ compare (what changed), unusual (against the day before)
//!   rows of views ────────┴▶ Report (data) ──────┼▶ html ─▶ chart
//!                                                └▶ formats (JSON, CSV)
//! ```
//! What always holds: the same data gives the same bytes. A page names nothing outside of itself, and whatever a server has called its
//! statements and files is text in it and nothing else. It knows no connection and no SQL.

mod chart;
pub mod compare;
pub mod data;
pub mod formats;
pub mod html;
pub mod ring;
pub mod text;
pub mod unusual;

pub use data::Report;
