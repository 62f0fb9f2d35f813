//! What a session is to collect, as CREATE EVENT SESSION has said it, with all names resolved.

use crate::object::{ActionDef, EventDef, EventId, Package, TargetDef};
use crate::predicate::{Predicate, Source};

/// A session.
#[derive(Debug)]
pub struct SessionDef {
    /// Its number in the catalog views.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Events, in the order in which they were added; none twice.
    pub events: Vec<SessionEvent>,
    /// Targets, likewise.
    pub targets: Vec<SessionTarget>,
    /// WITH.
    pub options: SessionOptions,
}

/// An event of a session.
#[derive(Debug)]
pub struct SessionEvent {
    /// Its number in the catalog views, unique among the session's events and targets.
    pub id: i32,
    /// Which.
    pub event: &'static EventDef,
    /// SET, as it was said.
    pub settings: Vec<(String, Setting)>,
    /// A bit for each field that is collected.
    pub collected: u32,
    /// ACTION.
    pub actions: Vec<&'static ActionDef>,
    /// WHERE.
    pub predicate: Option<Predicate>,
    /// The same as views show it.
    pub predicate_text: Option<String>,
}

/// A target of a session.
#[derive(Debug)]
pub struct SessionTarget {
    /// Its number, as that of an event.
    pub id: i32,
    /// Which.
    pub target: &'static TargetDef,
    /// SET, as it was said.
    pub settings: Vec<(String, Setting)>,
    /// What it does.
    pub kind: TargetKind,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// What a target does.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetKind {
    /// Keeps the last events in memory.
    Ring {
        /// Bytes of them.
        bytes_max: usize,
        /// How many; none: what the memory holds.
        events_max: Option<usize>,
    },
    /// Writes files.
    File {
        /// As it was said: with a folder or without, with `.xel` or without.
        filename: String,
        /// Bytes of a file; none: no bound.
        bytes_max: Option<u64>,
        /// Files that stay; none: all.
        files_max: Option<usize>,
    },
    /// Counts events.
    Counter,
    /// Counts values.
    Histogram {
        /// Of what.
        source: HistogramSource,
        /// Values that are counted apart.
        slots_max: usize,
        /// The one event that counts.
        only: Option<&'static EventDef>,
    },
}

/// What a histogram counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramSource {
    /// A field of an event, which alone counts.
    Field(EventId, usize),
    /// An action of its events.
    Action(Package, &'static str),
}

/// WITH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// MAX_MEMORY: bytes of events that wait for a file.
    pub memory_max_bytes: usize,
    /// EVENT_RETENTION_MODE = ALLOW_MULTIPLE_EVENT_LOSS: it drops as the other does, and is shown.
    pub loses_many: bool,
    /// MAX_DISPATCH_LATENCY in seconds; 0 is INFINITE.
    pub latency_s: u32,
    /// MAX_EVENT_SIZE in bytes; 0: as large as the memory.
    pub event_max_bytes: usize,
    /// MEMORY_PARTITION_MODE: N, G or C; the memory is one, whatever it says.
    pub partition: char,
    /// TRACK_CAUSALITY
    pub tracks_causality: bool,
    /// STARTUP_STATE
    pub starts_at_start: bool,
    /// The first file is made with the first event, not when the session begins: for a session that is always there.
    pub makes_files_late: bool,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            memory_max_bytes: 4 << 20,
            loses_many: false,
            latency_s: 30,
            event_max_bytes: 0,
            partition: 'G',
            tracks_causality: false,
            starts_at_start: false,
            makes_files_late: false,
        }
    }
}

/// Values of a histogram without a number.
pub const SLOTS_DEFAULT: usize = 256;
/// Bytes of a ring buffer without a number.
pub const RING_BYTES_DEFAULT: usize = 4 << 20;
/// Events of a ring buffer without a number.
pub const RING_EVENTS_DEFAULT: usize = 1000;
/// Bytes of a file without a number.
pub const FILE_BYTES_DEFAULT: u64 = 1 << 30;
/// Files without a number.
pub const FILES_DEFAULT: usize = 5;

impl SessionDef {
    /// Whether the session writes files.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.targets.iter().any(|target| matches!(target.kind, TargetKind::File { .. }))
    }
}

impl SessionEvent {
    /// Whether a field is collected, or asked for by the predicate.
    #[must_use]
    pub fn needs(&self, field: usize) -> bool {
        self.collected & 1 << field != 0 || self.predicate.as_ref().is_some_and(|predicate| asks(predicate, field))
    }
}

fn asks(predicate: &Predicate, field: usize) -> bool {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(|part| asks(part, field)),
        Predicate::Not(part) => asks(part, field),
        Predicate::Leaf(leaf) => leaf.source == Source::Field(field),
    }
}
