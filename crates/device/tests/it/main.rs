//! Emulated devices from outside: caches, queues, files with power cuts, and what a probe finds.

mod cache;
mod power_cut;
mod probe;
mod queueing;
