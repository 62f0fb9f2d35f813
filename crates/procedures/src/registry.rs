//! What the server offers by name beside the databases: system views and table-valued functions, system procedures, DBCC
//! commands, the runner of users' functions; and an engine that offers them.

use std::sync::Arc;

use millpond_engine::context::RunContext;
use millpond_engine::engine::Engine;
use millpond_engine::event_session;
use millpond_engine::system_call::Registry;
use millpond_names::describe;
use millpond_query::exec;
use millpond_txn::TxnManager;

use crate::{dbcc, procedure, system_objects, texts};

/// All that there is.
pub static REGISTRY: Registry = Registry {
    view: millpond_views::find_in,
    table_function: millpond_views::find_function,
    procedure: procedure::find,
    text_procedure: texts::find,
    shipped: texts::of_database,
    dbcc: dbcc::find,
    system_objects: system_objects::objects,
    base_object: millpond_views::base_object,
    system_numbers: system_objects::numbers,
    view_of: millpond_views::view_of,
    module_columns: |run, database, def| describe::module_columns(RunContext::of(run), database, def),
    scalar_body: |run, database, def| exec::scalar_body(RunContext::of(run), database, def),
    table_body: |run, database, def| exec::table_body(RunContext::of(run), database, def),
    call_function: |run, database, id, args| exec::call_function(RunContext::of(run), database, id, args),
};

/// An engine over an instance, with all that the server offers.
#[must_use]
pub fn new_engine(txns: Arc<TxnManager>) -> Arc<Engine> {
    let engine = Engine::new(txns, &REGISTRY);
    millpond_views::listen_to_deadlocks(&engine);
    event_session::begin(&engine);
    engine
}

#[cfg(test)]
mod tests {
    use millpond_builtin as builtin;
    use millpond_message::absent::{DBCC, FUNCTIONS, PROCEDURES, VIEWS};
    use millpond_storage::contract::DbId;

    use super::*;

    #[test]
    fn what_is_built_is_not_listed_as_absent() {
        for name in FUNCTIONS.split_ascii_whitespace() {
            assert!(builtin::find(name).is_none(), "{name} is built");
        }
        for name in PROCEDURES.split_ascii_whitespace() {
            assert!(procedure::find(name).is_none(), "{name} is built");
            assert!(texts::find(DbId::MSDB, name).is_none(), "{name} is built");
        }
        for name in DBCC.split_ascii_whitespace() {
            assert!(dbcc::find(name).is_none(), "{name} is built");
        }
        for name in VIEWS.split_ascii_whitespace() {
            let (schema, last) = name.split_once('.').expect("a schema");
            assert!(millpond_views::find(schema, last).is_none(), "{name} is built");
            assert!(millpond_views::find_function(schema, last).is_none(), "{name} is built");
        }
    }
}
