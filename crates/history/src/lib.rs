//! What a server did: figures of its activity, and samples of them in one bounded file that outlives crashes.
//!
//! ```text
//!   totals, once a second ─▶ Collector ─▶ samples of 1 s, 10 s, 1 min, 5 min ─▶ Recorder ─▶ history.ring
//!                                                                                              │
//!               views, report ◀── series (what grew, by intervals), parts (who did most) ◀── Reader
//! ```
//! What always holds: whatever the bytes of the file are, nothing panics, and what is given out was written so. It knows bytes,
//! files and rows of numbers; no SQL, no server, no connection.

pub mod category;
pub mod collector;
pub mod figure;
pub mod parts;
pub mod recorder;
pub mod ring;
pub mod sample;
pub mod series;
