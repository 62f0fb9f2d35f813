//! The sessions that collect, and what a site asks and tells.
//!
//! What always holds: [`Events::wants`] is one relaxed load, and says no where no session has the event. An event that happens while a
//! session begins or ends may be collected or not; nothing is lost of one that collects all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use parking_lot::{Mutex, RwLock};

use crate::definition::SessionDef;
use crate::file::{FileError, Place};
use crate::object::{EVENTS, EventId};
use crate::record::Origin;
use crate::running::Running;
use crate::value::Value;

/// Addresses of sessions begin there.
const FIRST_ADDRESS: u64 = 0x0000_0002_5E55_0001;

/// The sessions that collect.
#[derive(Debug, Default)]
pub struct Events {
    /// A bit for each event that a session has.
    wanted: AtomicU32,
    running: RwLock<Vec<Arc<Running>>>,
    started: AtomicU64,
    /// Held while a session begins, changes or ends: one at a time.
    changing: Mutex<()>,
    /// Told when other events are wanted than before.
    on_change: RwLock<Option<OnChange>>,
}

/// Is told which events are wanted.
struct OnChange(Box<dyn Fn(&Events) + Send + Sync>);

impl std::fmt::Debug for OnChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnChange")
    }
}

/// Why a session does not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It collects already.
    #[error("the event session has already been started")]
    Started,
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Events {
    /// Whether a session collects the event. What a site asks before anything else.
    #[inline]
    #[must_use]
    pub fn wants(&self, id: EventId) -> bool {
        self.wanted.load(Relaxed) & 1 << id as u32 != 0
    }

    /// Whether a session collects one of the events.
    #[inline]
    #[must_use]
    pub fn wants_any(&self, ids: &[EventId]) -> bool {
        let mask = ids.iter().fold(0, |mask, id| mask | 1 << *id as u32);
        self.wanted.load(Relaxed) & mask != 0
    }

    /// Tells of an event, with a value for each of its fields.
    ///
    /// # Panics
    /// In debug builds for another number of values.
    pub fn tell(&self, id: EventId, fields: &[Value], origin: &dyn Origin) {
        debug_assert_eq!(fields.len(), EVENTS[id as usize].fields.len(), "{id:?}");
        // What an origin is asked may wait, and that be told of in turn: a writer between the two would stop both.
        let running = self.running.read_recursive();
        running.iter().for_each(|session| session.take(id, fields, origin));
    }

    /// Whether a field of an event is collected or asked for by any session: what is costly is made only then.
    #[must_use]
    pub fn needs(&self, id: EventId, field: usize) -> bool {
        let running = self.running.read_recursive();
        running.iter().flat_map(|session| &session.def.events).any(|event| event.event.id == id && event.needs(field))
    }

    /// From now on `listener` is told whenever other events may be wanted than before, and now.
    pub fn on_change(&self, listener: impl Fn(&Events) + Send + Sync + 'static) {
        listener(self);
        *self.on_change.write() = Some(OnChange(Box::new(listener)));
    }

    /// The sessions that collect, in the order in which they began.
    #[must_use]
    pub fn running(&self) -> Vec<Arc<Running>> {
        self.running.read().clone()
    }

    /// The one of that number.
    #[must_use]
    pub fn session(&self, id: i32) -> Option<Arc<Running>> {
        self.running.read().iter().find(|session| session.def.id == id).cloned()
    }

    /// A session begins to collect; `local_us` is now, in local time.
    ///
    /// # Errors
    /// [`StartError`]
    pub fn start(&self, def: SessionDef, place: &Place, local_us: i64) -> Result<(), StartError> {
        let _one = self.changing.lock();
        if self.session(def.id).is_some() {
            return Err(StartError::Started);
        }
        let address = FIRST_ADDRESS + self.started.fetch_add(1, Relaxed);
        let session = Arc::new(Running::start(Arc::new(def), place, local_us, address)?);
        self.running.write().push(session);
        self.changed();
        Ok(())
    }

    /// A session that collects has another definition now; nothing where it does not collect.
    ///
    /// # Errors
    /// A file of a target that is new cannot be written: the session goes on as it was.
    pub fn alter(&self, def: SessionDef, place: &Place) -> Result<(), FileError> {
        let _one = self.changing.lock();
        let Some(known) = self.session(def.id) else { return Ok(()) };
        let altered = Arc::new(known.altered(Arc::new(def), place)?);
        let mut running = self.running.write();
        if let Some(at) = running.iter().position(|session| session.def.id == altered.def.id) {
            running[at] = altered;
        }
        drop(running);
        self.changed();
        Ok(())
    }

    /// A session ends to collect; its files are complete when this returns. Says whether it did collect.
    pub fn stop(&self, id: i32) -> bool {
        let _one = self.changing.lock();
        let gone = {
            let mut running = self.running.write();
            let at = running.iter().position(|session| session.def.id == id);
            at.map(|at| running.remove(at))
        };
        self.changed();
        // Closes its files, unless a reader still has it, which closes them then.
        gone.is_some()
    }

    /// All sessions end: the server stops.
    pub fn stop_all(&self) {
        let _one = self.changing.lock();
        let gone = std::mem::take(&mut *self.running.write());
        self.changed();
        drop(gone);
    }

    /// Events that wait for files are written.
    pub fn flush(&self) {
        self.running().iter().for_each(|session| session.files().for_each(|file| file.flush()));
    }

    fn changed(&self) {
        let mask = |mask: u32, session: &Arc<Running>| {
            session.def.events.iter().fold(mask, |mask, event| mask | 1 << event.event.id as u32)
        };
        let wanted = self.running.read().iter().fold(0, mask);
        self.wanted.store(wanted, Relaxed);
        if let Some(listener) = &*self.on_change.read() {
            (listener.0)(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::definition::{HistogramSource, SessionEvent, SessionOptions, SessionTarget, TargetKind};
    use crate::object::{Global, Named, find_action, find_comparator, find_event, find_target};
    use crate::predicate::{Leaf, Operand, Predicate, Source};

    /// An origin that counts how often it is asked.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Origin for Counting {
        fn fact(&self, global: Global) -> Value {
            self.0.fetch_add(1, Relaxed);
            match global {
                Global::SessionId => Value::UInt(51),
                _ => Value::text("x"),
            }
        }

        fn utc_us(&self) -> i64 {
            0
        }
    }

    fn event(name: &str, predicate: Option<Predicate>) -> SessionEvent {
        let event = find_event(Named { package: None, object: name }).unwrap();
        let action = find_action(Named { package: None, object: "session_id" }).unwrap();
        SessionEvent {
            id: 1,
            event,
            settings: Vec::new(),
            collected: u32::MAX,
            actions: vec![action],
            predicate,
            predicate_text: None,
        }
    }

    fn target(id: i32, name: &str, kind: TargetKind) -> SessionTarget {
        let target = find_target(Named { package: None, object: name }).unwrap();
        SessionTarget { id, target, settings: Vec::new(), kind }
    }

    fn session(events: Vec<SessionEvent>, targets: Vec<SessionTarget>) -> SessionDef {
        SessionDef { id: 7, name: "s".into(), events, targets, options: SessionOptions::default() }
    }

    fn error(number: i64, text: &str) -> Vec<Value> {
        let mut fields = vec![Value::Int(number), Value::Int(16), Value::Int(1), Value::Bool(false)];
        fields.extend([Value::Map(2, "SERVER"), Value::Map(2, "USER"), Value::Bool(false), Value::text(text)]);
        fields
    }

    #[test]
    fn nothing_is_asked_of_an_origin_while_the_predicate_is_false() {
        let events = Events::default();
        assert!(!events.wants(EventId::ErrorReported));
        let comparator = find_comparator(Named { package: None, object: "equal_int64" }).unwrap();
        let predicate = Predicate::Leaf(Leaf::new(Source::Field(0), comparator, Operand::Number(208)));
        let ring = target(2, "ring_buffer", TargetKind::Ring { bytes_max: 1000, events_max: Some(3) });
        let def = session(vec![event("error_reported", Some(predicate))], vec![ring]);
        events.start(def, &Place::default(), 0).unwrap();
        assert!(events.wants(EventId::ErrorReported) && !events.wants(EventId::WaitInfo));
        let origin = Counting::default();
        events.tell(EventId::ErrorReported, &error(207, "no"), &origin);
        assert_eq!((origin.0.load(Relaxed), events.running()[0].report().collected), (0, 0));
        events.tell(EventId::ErrorReported, &error(208, "yes"), &origin);
        assert_eq!((origin.0.load(Relaxed), events.running()[0].report().collected), (1, 1));
        assert!(events.stop(7) && !events.stop(7));
        assert!(!events.wants(EventId::ErrorReported));
    }

    #[test]
    fn a_ring_keeps_the_newest_within_its_bounds_and_loses_what_is_larger_than_it() {
        let events = Events::default();
        let ring = target(2, "ring_buffer", TargetKind::Ring { bytes_max: 4000, events_max: Some(3) });
        events.start(session(vec![event("error_reported", None)], vec![ring]), &Place::default(), 0).unwrap();
        let origin = Counting::default();
        (0..10).for_each(|number| events.tell(EventId::ErrorReported, &error(number, "a"), &origin));
        let numbers = || -> Vec<Value> {
            let records = events.running()[0].ring_records();
            records.iter().map(|record| record.fields[0].clone().unwrap()).collect()
        };
        assert_eq!(numbers(), [Value::Int(7), Value::Int(8), Value::Int(9)]);
        events.tell(EventId::ErrorReported, &error(10, &"x".repeat(3000)), &origin);
        assert_eq!(numbers(), [Value::Int(10)]);
        events.tell(EventId::ErrorReported, &error(11, &"x".repeat(5000)), &origin);
        assert_eq!(numbers(), [Value::Int(10)]);
        let data = &events.running()[0].targets()[0].data;
        assert!(data.contains("totalEventsProcessed=\"12\" eventCount=\"1\" droppedCount=\"1\""), "{}", &data[..150]);
        events.tell(EventId::ErrorReported, &error(12, &"x".repeat(5 << 20)), &origin);
        let report = events.running()[0].report();
        assert_eq!(report.collected, 13);
        assert_eq!(report.dropped, 0, "a text is cut before it is counted");
    }

    #[test]
    fn counters_and_histograms_count_and_go_on_when_the_session_is_altered() {
        let events = Events::default();
        let counter = || target(2, "event_counter", TargetKind::Counter);
        let histogram = || {
            let kind = TargetKind::Histogram {
                source: HistogramSource::Field(EventId::ErrorReported, 0),
                slots_max: 2,
                only: None,
            };
            target(3, "histogram", kind)
        };
        let def = session(vec![event("error_reported", None)], vec![counter(), histogram()]);
        events.start(def, &Place::default(), 0).unwrap();
        let origin = Counting::default();
        for number in [208, 207, 208, 102] {
            events.tell(EventId::ErrorReported, &error(number, ""), &origin);
        }
        let more = session(vec![event("error_reported", None), event("attention", None)], vec![counter(), histogram()]);
        events.alter(more, &Place::default()).unwrap();
        events.tell(EventId::Attention, &[Value::UInt(1), Value::UInt(0)], &origin);
        let targets = events.running()[0].targets();
        assert!(
            targets[0]
                .data
                .contains("<Event name=\"error_reported\" count=\"4\"/><Event name=\"attention\" count=\"1\"/>")
        );
        let slots =
            "<HistogramTarget truncated=\"1\" buckets=\"2\"><Slot count=\"2\" trunc=\"0\"><value>208</value></Slot>";
        assert!(targets[1].data.starts_with(slots), "{}", targets[1].data);
    }
}
