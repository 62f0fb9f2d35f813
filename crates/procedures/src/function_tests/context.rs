//! A context as a statement of the login `sa` in tempdb would have it, over an engine in memory.

use std::sync::{Arc, OnceLock};

use millpond_catalog::run::facts::Login;
use millpond_device::clock::SystemClock;
use millpond_engine::context::RunContext;
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::contract::DbId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

/// Memory enough for the system databases.
const MEMORY_BYTES: u64 = 16 << 20;

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let open = || {
        let config = InstanceConfig {
            max_memory_bytes: Some(MEMORY_BYTES),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        };
        crate::registry::new_engine(TxnManager::new(Instance::open(config).expect("in memory")))
    };
    Arc::clone(ENGINE.get_or_init(open))
}

/// A new session's context.
pub fn context() -> RunContext {
    let engine = engine();
    let login = Login { login: "sa".to_owned(), ..Login::default() };
    let session = Session::open(&engine, login).expect("numbers are free");
    let mut facts = session.facts().clone();
    facts.database = DbId::TEMPDB;
    facts.database_name = Arc::from("tempdb");
    let (locks, variables) = (session.locks.clone(), Vec::new().into());
    RunContext::new(&engine, session.shared(), facts, locks, variables, Arc::from([]), Arc::default())
}
