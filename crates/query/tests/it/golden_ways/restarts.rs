//! A server that ends between the batches of a script, once in order and once not, and goes on from its files.
//!
//! What a session has is gone then. The database and the options that batches have set by `SET` at the begin of a line come
//! back; a script that has more between its batches (temporary tables, cursors, an open transaction) is not ended.

use std::path::Path;
use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{run, session};

/// What outlives a batch but not its session.
const OF_SESSIONS: [&str; 9] = [
    "#",
    "cursor",
    "begin tran",
    "implicit_transactions",
    "sp_getapplock",
    "sp_xml_preparedocument",
    "context_info",
    "sp_configure",
    "identity(",
];

/// A server with files, and a session.
pub struct Server {
    dir: tempfile::TempDir,
    engine: Option<(Arc<Engine>, Session)>,
    /// Lines of the batches so far that set options.
    options: Vec<String>,
    batches: usize,
    ends: Vec<usize>,
}

impl Server {
    /// A new one for a script.
    pub fn new(script: &str, batches: usize) -> Server {
        let text = script.to_ascii_lowercase();
        let is_ended = !OF_SESSIONS.iter().any(|word| text.contains(word));
        let ends = if is_ended { vec![batches.div_ceil(3), 2 * batches / 3] } else { Vec::new() };
        let dir = tempfile::tempdir().expect("a folder");
        let engine = Some(open(dir.path()));
        Server { dir, engine, options: Vec::new(), batches: 0, ends }
    }

    /// What it says to a batch.
    pub fn run(&mut self, batch: &str) -> String {
        let is_option = |line: &&str| line.to_ascii_lowercase().starts_with("set ") && !line.starts_with("set @");
        self.options.extend(batch.lines().filter(is_option).map(str::to_owned));
        let (_, session) = self.engine.as_mut().expect("it runs");
        let said = run(session, batch);
        self.batches += 1;
        if self.ends.contains(&self.batches) {
            self.restart(self.ends.first() == Some(&self.batches));
        }
        said
    }

    fn restart(&mut self, in_order: bool) {
        let (engine, mut session) = self.engine.take().expect("it runs");
        let database = run(&mut session, "set nocount on select db_name()");
        let database = database.lines().nth(1).unwrap_or("master").to_owned();
        drop(session);
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        engine.instance().shutdown(&Ask::new(&task, &io), in_order).expect("the files can be written");
        drop(engine);
        let (engine, mut session) = open(self.dir.path());
        run(&mut session, &format!("use [{database}]"));
        for option in &self.options {
            run(&mut session, option);
        }
        self.engine = Some((engine, session));
    }
}

fn open(dir: &Path) -> (Arc<Engine>, Session) {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    let engine =
        millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the folder opens")));
    let session = session(&engine);
    (engine, session)
}
