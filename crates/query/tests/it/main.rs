//! The engine through its front door: SQL text in, what a client would see out.

mod anomalies;
mod backup;
mod beside;
mod blocking;
mod bulk_insert;
mod catalog_lookups;
mod compile_only;
mod damaged_log;
mod emulated;
mod faults;
mod filled;
mod full;
mod golden_ways;
mod harness;
mod help;
mod limits;
mod nullability;
mod online;
mod parallel;
mod profile;
mod reopen;
mod spills;
mod temporary_names;
mod tpcc;
mod vanishing;
mod wire_transactions;
