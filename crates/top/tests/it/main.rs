//! Tests of the screens, by a recorded load and by anything.
//!
//! `screens`: what stands there, at several sizes, from two samples of a server under a blocked chain, a sort that spills, a
//! temporary table and small updates (`data/load.jsonl`). `anything`: random samples, states, keys and sizes. `document`: the
//! pictures of docs/seeing.md are what the screens show.

mod anything;
mod document;
mod drawn;
mod screens;
