//! An engine on files of its own, and sessions of it that can be broken off in the midst of a batch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_engine::session_shared::SessionShared;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

/// A batch that takes longer is cancelled, and is a finding.
const PATIENCE: Duration = Duration::from_secs(30);

/// An engine whose files lie in a folder, or in memory.
///
/// # Panics
/// When it does not open: that is a finding, too.
#[must_use]
pub fn open(folder: Option<&Path>) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let folder = folder.map(Path::to_owned);
    let config = InstanceConfig { max_memory_bytes: Some(128 << 20), ..InstanceConfig::new(folder, clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the folder opens")))
}

/// Ends an engine, in order or as it is.
///
/// # Errors
/// Words on files that cannot be written.
pub fn close(engine: &Arc<Engine>, clean: bool) -> Result<(), String> {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), clean).map_err(|error| error.to_string())
}

/// A session in `master`.
///
/// # Panics
/// When the engine has none.
#[must_use]
pub fn sit(engine: &Arc<Engine>) -> Session {
    Session::open(engine, Login { login: "sa".into(), ..Login::default() }).expect("one session of many")
}

/// How a batch is broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fuse {
    /// The client asks for it (attention).
    Cancel,
    /// KILL.
    Kill,
    /// The session's thread panics.
    Panic,
}

/// What a batch said.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Rows of each result.
    pub sets: Vec<Vec<Vec<String>>>,
    /// Errors: number and text.
    pub errors: Vec<(i32, String)>,
    /// Rows that statements say to have touched.
    pub counts: Vec<u64>,
    /// It panicked, not by its fuse.
    pub panicked: bool,
    /// The fuse burnt.
    pub broken: bool,
    /// It was cancelled for taking too long.
    pub late: bool,
}

impl Answer {
    /// The first error, or 0.
    #[must_use]
    pub fn error(&self) -> i32 {
        self.errors.first().map_or(0, |(number, _)| *number)
    }

    /// Errors in words.
    #[must_use]
    pub fn said(&self) -> String {
        self.errors.iter().map(|(number, text)| format!("{number}: {text}")).collect::<Vec<_>>().join("; ")
    }
}

/// A panic that a fuse makes; hooks do not hear of it.
struct OnPurpose;

struct Told {
    answer: Answer,
    types: Vec<SqlType>,
    shared: Arc<SessionShared>,
    /// Rows and messages until the fuse burns.
    fuse: Option<(u64, Fuse)>,
}

impl Told {
    fn burn(&mut self) {
        let Some((left, fuse)) = self.fuse.take() else { return };
        if left > 0 {
            self.fuse = Some((left - 1, fuse));
            return;
        }
        self.answer.broken = true;
        match fuse {
            Fuse::Cancel => self.shared.cancel(),
            Fuse::Kill => self.shared.kill(),
            Fuse::Panic => std::panic::resume_unwind(Box::new(OnPurpose)),
        }
    }
}

impl Sink for Told {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.types = columns.iter().map(|column| column.sql_type).collect();
        self.answer.sets.push(Vec::new());
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let show = |(value, sql): (&Value, &SqlType)| {
            if value.is_null() { "NULL".to_owned() } else { to_display(value, sql) }
        };
        let row = values.iter().zip(&self.types).map(show).collect();
        if let Some(set) = self.answer.sets.last_mut() {
            set.push(row);
        }
        self.burn();
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.answer.errors.push((message.number, message.text.clone()));
        } else {
            self.burn();
        }
    }

    fn done(&mut self, done: Done) {
        self.answer.counts.extend(done.row_count);
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// What a session says to a batch, which a fuse may break off. After a panic the session must be dropped.
pub fn ask(session: &mut Session, text: &str, fuse: Option<(u64, Fuse)>) -> Answer {
    ask_watched(session, text, fuse, None)
}

/// The same, broken off by another thread after a time: an attention, or KILL where `is_killed`.
pub fn ask_timed(session: &mut Session, text: &str, after: Duration, is_killed: bool) -> Answer {
    ask_watched(session, text, None, Some((after, is_killed)))
}

fn ask_watched(
    session: &mut Session,
    text: &str,
    fuse: Option<(u64, Fuse)>,
    timed: Option<(Duration, bool)>,
) -> Answer {
    let shared = Arc::clone(session.shared());
    let mut sink = Told { answer: Answer::default(), types: Vec::new(), shared: Arc::clone(&shared), fuse };
    let (over, broken) = (AtomicBool::new(false), AtomicBool::new(false));
    let (panicked, late) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let begin = Instant::now();
            if let Some((after, is_killed)) = timed {
                std::thread::park_timeout(after);
                if !over.load(Relaxed) {
                    broken.store(true, Relaxed);
                    if is_killed { shared.kill() } else { shared.cancel() }
                }
            }
            while !over.load(Relaxed) {
                std::thread::park_timeout(PATIENCE.saturating_sub(begin.elapsed()));
                if begin.elapsed() >= PATIENCE && !over.load(Relaxed) {
                    shared.cancel();
                    return true;
                }
            }
            false
        });
        let panic = catch_unwind(AssertUnwindSafe(|| session.run_batch(text, &mut sink))).err();
        over.store(true, Relaxed);
        watch.thread().unpark();
        (panic.is_some_and(|payload| !payload.is::<OnPurpose>()), watch.join().unwrap_or(false))
    });
    let mut answer = sink.answer;
    (answer.panicked, answer.late) = (panicked, late);
    answer.broken |= broken.load(Relaxed);
    answer
}

/// The same without a watch and a fuse: for many small batches.
pub fn ask_quickly(session: &mut Session, text: &str) -> Answer {
    let shared = Arc::clone(session.shared());
    let mut sink = Told { answer: Answer::default(), types: Vec::new(), shared, fuse: None };
    session.run_batch(text, &mut sink);
    sink.answer
}
