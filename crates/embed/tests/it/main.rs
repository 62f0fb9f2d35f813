//! The embedded engine as a program uses it.

#[cfg(feature = "arrow")]
mod arrow;
mod asynchronous;
mod cancel;
#[cfg(feature = "datafusion")]
mod datafusion;
mod errors;
mod instances;
mod listener;
mod results;
mod threads;
mod values;

use millpond_embedded::{Connection, Instance, Options};

/// An instance in memory, with less of it than a server takes.
fn memory() -> Instance {
    Options::new().memory_max_mb(256).open().unwrap()
}

/// An instance in memory and a connection to it.
fn connected() -> (Instance, Connection) {
    let instance = memory();
    let connection = instance.connect().unwrap();
    (instance, connection)
}
