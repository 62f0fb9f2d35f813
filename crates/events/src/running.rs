//! A session that collects: its events on their way into its targets.
//!
//! What always holds: a ring buffer has no more bytes and events than it may; what goes there drops the oldest. An event that is larger
//! than the session lets one be is counted and lost. A lock of a target is held for the time of a push or of a copy of references,
//! never while anything is formatted or written, and no other lock is taken under it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::definition::{HistogramSource, SessionDef, SessionEvent, SessionTarget, TargetKind};
use crate::file::{FileError, FileTarget, Place};
use crate::object::{EVENTS, EventId, Global};
use crate::record::{self, Origin, Record};
use crate::value::Value;

/// Bytes of a value of a histogram.
const SLOT_BYTES_MAX: usize = 1024;

/// A session that collects.
#[derive(Debug)]
pub struct Running {
    /// What it collects.
    pub def: Arc<SessionDef>,
    /// When it began, microseconds of local time since 1970.
    pub started_us: i64,
    /// What stands for its place in memory, unlike that of any other since the server began.
    pub address: u64,
    counts: Arc<Counts>,
    targets: Vec<Arc<TargetState>>,
}

#[derive(Debug, Default)]
struct Counts {
    collected: AtomicU64,
    dropped: AtomicU64,
    largest_dropped: AtomicUsize,
}

#[derive(Debug)]
enum TargetState {
    Ring(Mutex<Ring>),
    File(FileTarget),
    Counter([AtomicU64; EVENTS.len()]),
    Histogram(Mutex<Histogram>),
}

#[derive(Debug, Default)]
struct Ring {
    records: VecDeque<(Arc<Record>, usize)>,
    bytes: usize,
    seen: u64,
    dropped: u64,
}

#[derive(Debug, Default)]
struct Histogram {
    slots: Vec<(String, u64)>,
    truncated: u64,
}

/// A target as the views show it.
#[derive(Debug)]
pub struct TargetReport {
    /// Its name.
    pub name: &'static str,
    /// Events that came to it.
    pub executions: u64,
    /// Its document.
    pub data: String,
}

/// A session as the views show it.
#[derive(Clone, Copy, Debug)]
pub struct RunningReport {
    /// Events that were collected.
    pub collected: u64,
    /// Events that were lost.
    pub dropped: u64,
    /// Bytes of the largest of them.
    pub largest_dropped: usize,
    /// Bytes that wait for a file.
    pub pending_bytes: usize,
}

impl Running {
    /// A session begins to collect; `place` is where its files are.
    ///
    /// # Errors
    /// The folder or file of a target cannot be written.
    pub fn start(def: Arc<SessionDef>, place: &Place, started_us: i64, address: u64) -> Result<Running, FileError> {
        let counts = Arc::default();
        let begin = |target: &SessionTarget| Ok(Arc::new(state_of(target, &def, place)?));
        let targets = def.targets.iter().map(begin).collect::<Result<Vec<_>, FileError>>()?;
        Ok(Running { def, started_us, address, counts, targets })
    }

    /// The same session with another definition: targets that both have go on with what they hold.
    ///
    /// # Errors
    /// As of [`Running::start`], for targets that are new.
    pub fn altered(&self, def: Arc<SessionDef>, place: &Place) -> Result<Running, FileError> {
        let is_same = |known: &SessionTarget, target: &SessionTarget| {
            std::ptr::eq(known.target, target.target) && known.kind == target.kind
        };
        let known = |target: &SessionTarget| {
            let at = self.def.targets.iter().position(|known| is_same(known, target));
            at.map(|at| Arc::clone(&self.targets[at]))
        };
        let begin = |target: &SessionTarget| match known(target) {
            Some(state) => Ok(state),
            None => Ok(Arc::new(state_of(target, &def, place)?)),
        };
        let targets = def.targets.iter().map(begin).collect::<Result<Vec<_>, FileError>>()?;
        let counts = Arc::clone(&self.counts);
        Ok(Running { def, started_us: self.started_us, address: self.address, counts, targets })
    }

    /// An event that the session may collect.
    pub(crate) fn take(&self, id: EventId, fields: &[Value], origin: &dyn Origin) {
        for event in self.def.events.iter().filter(|event| event.event.id == id) {
            if event.predicate.as_ref().is_none_or(|predicate| predicate.holds(fields, origin)) {
                self.collect(event, fields, origin);
            }
        }
    }

    fn collect(&self, event: &SessionEvent, fields: &[Value], origin: &dyn Origin) {
        let sequence = self.counts.collected.fetch_add(1, Relaxed) + 1;
        let is_collected = |at: usize| event.collected & 1 << at != 0;
        let kept = |(at, value): (usize, &Value)| is_collected(at).then(|| value.clone().kept());
        let utc_us = origin.utc_us();
        let record = Arc::new(Record {
            event: event.event,
            utc_us,
            fields: fields.iter().enumerate().map(kept).collect(),
            actions: event
                .actions
                .iter()
                .map(|action| {
                    let value = match action.global {
                        Global::EventSequence => Value::UInt(sequence),
                        Global::CollectSystemTime => Value::Time(utc_us),
                        global => origin.fact(global).kept(),
                    };
                    (*action, value)
                })
                .collect(),
        });
        let bytes = record.bytes();
        let options = &self.def.options;
        if bytes > options.memory_max_bytes.max(options.event_max_bytes) {
            return self.drop_event(bytes);
        }
        for (target, state) in self.def.targets.iter().zip(&self.targets) {
            match (&**state, &target.kind) {
                (TargetState::Ring(ring), TargetKind::Ring { bytes_max, events_max }) => {
                    ring.lock().push(Arc::clone(&record), bytes, (*bytes_max, *events_max));
                }
                (TargetState::File(file), _) if !file.push(Arc::clone(&record), bytes) => self.drop_event(bytes),
                (TargetState::Counter(counts), _) => {
                    counts[record.event.id as usize].fetch_add(1, Relaxed);
                }
                (TargetState::Histogram(histogram), TargetKind::Histogram { source, slots_max, only }) => {
                    if only.is_none_or(|only| only.id == record.event.id)
                        && let Some(value) = counted_value(*source, event, fields, origin)
                    {
                        histogram.lock().add(value, *slots_max);
                    }
                }
                _ => {}
            }
        }
    }

    fn drop_event(&self, bytes: usize) {
        self.counts.dropped.fetch_add(1, Relaxed);
        self.counts.largest_dropped.fetch_max(bytes, Relaxed);
    }

    /// Its counts.
    #[must_use]
    pub fn report(&self) -> RunningReport {
        let files = || self.files();
        RunningReport {
            collected: self.counts.collected.load(Relaxed),
            dropped: self.counts.dropped.load(Relaxed) + files().map(FileTarget::lost).sum::<u64>(),
            largest_dropped: self.counts.largest_dropped.load(Relaxed),
            pending_bytes: files().map(FileTarget::pending_bytes).sum(),
        }
    }

    /// Its targets with what they hold, in the order of the definition. Files are written up to now first.
    #[must_use]
    pub fn targets(&self) -> Vec<TargetReport> {
        let report = |(target, state): (&SessionTarget, &Arc<TargetState>)| {
            let (executions, data) = match &**state {
                TargetState::Ring(ring) => ring_report(ring),
                TargetState::File(file) => {
                    file.flush();
                    (file.logged(), file.document())
                }
                TargetState::Counter(counts) => {
                    let count = |event: &SessionEvent| counts[event.event.id as usize].load(Relaxed);
                    let counts: Vec<_> = self.def.events.iter().map(|event| (event.event, count(event))).collect();
                    (counts.iter().map(|(_, count)| count).sum(), record::counter(&counts))
                }
                TargetState::Histogram(histogram) => {
                    let slots_max = match target.kind {
                        TargetKind::Histogram { slots_max, .. } => slots_max,
                        _ => 0,
                    };
                    let (mut slots, truncated) = {
                        let histogram = histogram.lock();
                        (histogram.slots.clone(), histogram.truncated)
                    };
                    slots.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.cmp(b)));
                    let executions = slots.iter().map(|(_, count)| count).sum();
                    (executions, record::histogram(&slots, slots_max, truncated))
                }
            };
            TargetReport { name: target.target.name, executions, data }
        };
        self.def.targets.iter().zip(&self.targets).map(report).collect()
    }

    /// What its ring buffers hold, oldest first.
    #[must_use]
    pub fn ring_records(&self) -> Vec<Arc<Record>> {
        let held = |state: &Arc<TargetState>| match &**state {
            TargetState::Ring(ring) => ring.lock().records.iter().map(|(record, _)| Arc::clone(record)).collect(),
            _ => Vec::new(),
        };
        self.targets.iter().flat_map(held).collect()
    }

    /// Files of its targets.
    pub fn files(&self) -> impl Iterator<Item = &FileTarget> {
        self.targets.iter().filter_map(|state| match &**state {
            TargetState::File(file) => Some(file),
            _ => None,
        })
    }
}

fn ring_report(ring: &Mutex<Ring>) -> (u64, String) {
    let (records, seen, dropped, bytes) = {
        let ring = ring.lock();
        let records: Vec<Arc<Record>> = ring.records.iter().map(|(record, _)| Arc::clone(record)).collect();
        (records, ring.seen, ring.dropped, ring.bytes)
    };
    (seen, record::ring_buffer(&records, seen, dropped, bytes))
}

fn state_of(target: &SessionTarget, def: &SessionDef, place: &Place) -> Result<TargetState, FileError> {
    Ok(match &target.kind {
        TargetKind::Ring { .. } => TargetState::Ring(Mutex::default()),
        TargetKind::File { filename, bytes_max, files_max } => {
            let files = place.files(filename, *bytes_max, *files_max)?;
            TargetState::File(FileTarget::start(files, &def.options, &def.name)?)
        }
        TargetKind::Counter => TargetState::Counter(std::array::from_fn(|_| AtomicU64::new(0))),
        TargetKind::Histogram { .. } => TargetState::Histogram(Mutex::default()),
    })
}

/// The value that a histogram counts; none where it is not known or not collected.
fn counted_value(
    source: HistogramSource,
    event: &SessionEvent,
    fields: &[Value],
    origin: &dyn Origin,
) -> Option<String> {
    let value = match source {
        HistogramSource::Field(of, at) if of == event.event.id => fields.get(at)?.clone(),
        HistogramSource::Field(..) => return None,
        HistogramSource::Action(package, name) => {
            let action = event.actions.iter().find(|action| action.package == package && action.name == name)?;
            origin.fact(action.global)
        }
    };
    let mut shown = (value != Value::Null).then(|| value.shown())?;
    shown.truncate(shown.floor_char_boundary(SLOT_BYTES_MAX));
    Some(shown)
}

impl Ring {
    fn push(&mut self, record: Arc<Record>, bytes: usize, (bytes_max, events_max): (usize, Option<usize>)) {
        self.seen += 1;
        if bytes > bytes_max {
            self.dropped += 1;
            return;
        }
        self.bytes += bytes;
        self.records.push_back((record, bytes));
        while self.bytes > bytes_max || events_max.is_some_and(|most| self.records.len() > most) {
            let Some((_, gone)) = self.records.pop_front() else { break };
            self.bytes -= gone;
        }
    }
}

impl Histogram {
    fn add(&mut self, value: String, slots_max: usize) {
        if let Some((_, count)) = self.slots.iter_mut().find(|(known, _)| *known == value) {
            *count += 1;
        } else if self.slots.len() < slots_max {
            self.slots.push((value, 1));
        } else {
            self.truncated += 1;
        }
    }
}
