//! Engines in memory, each with settings of its own, and what they say to a batch.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

/// A statement that takes longer is cancelled.
const PATIENCE: Duration = Duration::from_secs(5);

/// How an engine runs statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settings {
    /// As a new engine does.
    Usual,
    /// Every statement as a plan.
    Planned,
    /// Plans of two threads.
    Parallel,
    /// So little memory that operators spill rows.
    Tight,
}

impl Settings {
    /// All of them.
    pub const ALL: [Settings; 4] = [Settings::Usual, Settings::Planned, Settings::Parallel, Settings::Tight];

    /// The statements that make a server so, or words that say what else is needed.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Settings::Usual => "-- settings as they are",
            Settings::Planned => "exec sp_configure 'direct statements', 0; reconfigure",
            Settings::Parallel => {
                "exec sp_configure 'show advanced options', 1; reconfigure; exec sp_configure 'direct statements', 0; \
                 exec sp_configure 'cost threshold for parallelism', 0; \
                 exec sp_configure 'max degree of parallelism', 2; reconfigure"
            }
            Settings::Tight => "exec sp_configure 'direct statements', 0; reconfigure -- and 16 MB of memory",
        }
    }
}

/// What a batch said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Rows of each result, as texts in which equal values are equal.
    pub sets: Vec<Vec<Vec<String>>>,
    /// Numbers of errors.
    pub errors: Vec<i32>,
    /// Text of the first error.
    pub said: String,
    /// Rows that statements say to have touched.
    pub counts: Vec<u64>,
    /// Where it panicked.
    pub panic: Option<String>,
    /// It was cancelled after `PATIENCE`.
    pub is_late: bool,
}

impl Outcome {
    /// The first error, or 0.
    #[must_use]
    pub fn error(&self) -> i32 {
        self.errors.first().copied().unwrap_or(0)
    }

    /// Rows of the last result, in no order.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = self.sets.last().cloned().unwrap_or_default();
        rows.sort();
        rows
    }

    /// In short.
    #[must_use]
    pub fn words(&self) -> String {
        if let Some(panic) = &self.panic {
            return format!("panic: {panic}");
        }
        if self.is_late {
            return "no answer in 5 s".into();
        }
        if self.error() != 0 {
            return format!("error {}: {}", self.error(), self.said);
        }
        let rows = self.rows();
        let lines: Vec<String> = rows.iter().take(12).map(|row| row.join(" | ")).collect();
        format!("{} rows: {}{}", rows.len(), lines.join("; "), if rows.len() > 12 { "; …" } else { "" })
    }
}

/// An engine and a session of it.
pub struct World {
    /// Its settings.
    pub settings: Settings,
    engine: Arc<Engine>,
    session: Option<Session>,
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Whether an engine is at work: panics are its own then, and reported in outcomes.
static AT_WORK: AtomicBool = AtomicBool::new(false);

fn remember_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !AT_WORK.load(Relaxed) {
                return usual(info);
            }
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let words = what(info.payload());
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = format!("{place}: {words}");
        }));
    });
}

fn what(payload: &dyn Any) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

impl World {
    /// A new engine with a database `d`.
    ///
    /// # Panics
    /// When an engine in memory does not open.
    #[must_use]
    pub fn new(settings: Settings) -> World {
        remember_panics();
        let memory = if settings == Settings::Tight { 16 << 20 } else { 128 << 20 };
        let config = InstanceConfig {
            max_memory_bytes: Some(memory),
            ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
        };
        let engine = millpond_procedures::registry::new_engine(TxnManager::new(
            Instance::open(config).expect("an instance in memory opens"),
        ));
        let mut world = World { settings, engine, session: None };
        let set = world.run(settings.words());
        assert!(set.errors.is_empty(), "{}", set.words());
        world.run("create database d");
        world.run("alter database d set recovery simple");
        world.run("use d");
        world
    }

    /// What the engine says to a batch. After a panic the world is of no use.
    pub fn run(&mut self, text: &str) -> Outcome {
        let login = || Login { login: "sa".into(), ..Login::default() };
        let mut session =
            self.session.take().unwrap_or_else(|| Session::open(&self.engine, login()).expect("one session of many"));
        let shared = Arc::clone(session.shared());
        let over = AtomicBool::new(false);
        let (mut sink, mut late) = (Said::default(), false);
        let panicked = std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let begin = Instant::now();
                while !over.load(Relaxed) {
                    std::thread::park_timeout(PATIENCE);
                    if begin.elapsed() >= PATIENCE && !over.load(Relaxed) {
                        shared.cancel();
                        return true;
                    }
                }
                false
            });
            let run = AssertUnwindSafe(|| session.run_batch(text, &mut sink));
            AT_WORK.store(true, Relaxed);
            let panicked = catch_unwind(run).is_err();
            AT_WORK.store(false, Relaxed);
            over.store(true, Relaxed);
            watch.thread().unpark();
            late = watch.join().unwrap_or(false);
            panicked
        });
        let mut outcome = sink.outcome;
        outcome.is_late = late;
        if panicked {
            outcome.panic = Some(LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone());
            let _ = catch_unwind(AssertUnwindSafe(move || drop(session)));
        } else {
            self.session = Some(session);
        }
        outcome
    }
}

#[derive(Default)]
pub(crate) struct Said {
    outcome: Outcome,
    types: Vec<SqlType>,
}

impl Sink for Said {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.types = columns.iter().map(|column| column.sql_type).collect();
        self.outcome.sets.push(Vec::new());
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let row = values.iter().zip(&self.types).map(|(value, sql)| fold(value, sql)).collect();
        if let Some(set) = self.outcome.sets.last_mut() {
            set.push(row);
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.outcome.errors.push(message.number);
            if self.outcome.said.is_empty() {
                self.outcome.said.clone_from(&message.text);
            }
        }
    }

    fn done(&mut self, done: Done) {
        self.outcome.counts.extend(done.row_count);
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// A value as text, the same for values that some collation or comparison holds equal: of these a group or DISTINCT
/// may show any.
fn fold(value: &Value, sql: &SqlType) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Float(number) => float(*number, 9),
        Value::Real(number) => float(f64::from(*number), 5),
        Value::DateTimeOffset(offset) => format!("instant {}", offset.ticks),
        Value::Binary(bytes) => {
            let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let digits: Vec<String> = bytes[..used].iter().map(|byte| format!("{byte:02X}")).collect();
            format!("0x{}", digits.concat())
        }
        Value::Str(text) => {
            let folded = text.trim_end().to_lowercase().replace('é', "e").replace('ß', "ss");
            format!("'{folded}'")
        }
        other => to_display(other, sql),
    }
}

fn float(number: f64, digits: usize) -> String {
    if number == 0.0 { "0".into() } else { format!("{number:.digits$e}") }
}
