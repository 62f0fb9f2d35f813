//! Emulated devices from outside: caches, queues, files with power cuts, many requests at once, and what a probe finds.

mod cache;
mod many;
mod power_cut;
mod probe;
mod queueing;
