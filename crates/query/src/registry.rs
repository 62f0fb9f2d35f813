//! What the server offers by name beside the databases: system views and table-valued functions, system procedures, DBCC
//! commands, functions of the user by who runs them; and an engine that offers them.

use std::sync::Arc;

use millpond_txn::TxnManager;

use crate::engine::Engine;
use crate::system_call::Registry;
use crate::{dbcc, exec, procedure, view};

/// All that there is.
pub static REGISTRY: Registry = Registry {
    view: view::find_in,
    table_function: view::find_function,
    procedure: procedure::find,
    dbcc: dbcc::find,
    call_function: exec::call_function,
};

/// An engine over an instance, with all that the server offers.
#[must_use]
pub fn new_engine(txns: Arc<TxnManager>) -> Arc<Engine> {
    Engine::new(txns, &REGISTRY)
}
