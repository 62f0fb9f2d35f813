//! Who keeps the file going while a server runs: makes it, goes on after what stopped it, says so once.
//!
//! What always holds: nothing that happens to the file is an error of the server. A damaged file is kept under another name, one of
//! another format as it is. It does not know when samples are taken.

use std::path::{Path, PathBuf};

use crate::collector::Due;
use crate::ring::{FILE_NAME, RingError, Writer};

/// What a damaged file is called from then on; the one before it goes.
pub const DAMAGED_NAME: &str = "history.ring.damaged";

/// Samples until it is tried again to open a file that cannot be opened.
const TRY_EACH: u32 = 60;

/// Something that the server's log is to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// From here on nothing is recorded, for that reason.
    Stopped(String),
    /// Recording goes on.
    Resumed,
    /// The file was damaged and has another name now.
    SetAside(PathBuf),
}

/// The file of a data directory.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    writer: Option<Writer>,
    is_stopped: bool,
    /// Samples until the next try.
    wait: u32,
}

impl Recorder {
    /// Of a data directory; the file is opened when there is a sample.
    #[must_use]
    pub fn new(dir: &Path) -> Recorder {
        Recorder { path: dir.join(FILE_NAME), writer: None, is_stopped: false, wait: 0 }
    }

    /// Whether samples are being written.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.writer.is_some() && !self.is_stopped
    }

    /// Writes samples; what there is to say of it.
    pub fn record(&mut self, due: &[Due]) -> Vec<Event> {
        let mut events = Vec::new();
        if self.wait > 0 {
            self.wait -= 1;
            return events;
        }
        if self.writer.is_none() {
            match self.open(&mut events) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => {
                    self.wait = TRY_EACH;
                    self.stop(error.to_string(), &mut events);
                    return events;
                }
            }
        }
        let Some(writer) = &mut self.writer else { return events };
        let put = |due: &Due| writer.put(due.tier, &due.sample, due.texts.iter().map(AsRef::as_ref));
        match due.iter().try_for_each(put) {
            Ok(()) if self.is_stopped => {
                self.is_stopped = false;
                events.push(Event::Resumed);
            }
            Ok(()) => {}
            Err(error) => self.stop(format!("{FILE_NAME}: {error}"), &mut events),
        }
        events
    }

    fn stop(&mut self, reason: String, events: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.is_stopped, true) {
            events.push(Event::Stopped(reason));
        }
    }

    fn open(&self, events: &mut Vec<Event>) -> Result<Writer, RingError> {
        match Writer::open(&self.path) {
            Err(RingError::Damaged) => {
                let aside = self.path.with_file_name(DAMAGED_NAME);
                std::fs::rename(&self.path, &aside)?;
                events.push(Event::SetAside(aside));
                Writer::open(&self.path)
            }
            opened => opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::collector::Collector;
    use crate::figure::Figures;

    fn due() -> Vec<Due> {
        Collector::new(0).tick(1_000_000, 1_000_000, Figures::default()).end(false)
    }

    #[test]
    fn what_stops_it_is_said_once_and_it_goes_on() {
        let dir = TempDir::new().expect("a folder");
        let later = dir.path().join("later");
        let mut recorder = Recorder::new(&later);
        let stopped = recorder.record(&due());
        assert!(
            matches!(&stopped[..], [Event::Stopped(reason)] if reason.starts_with("history.ring: ")),
            "{stopped:?}"
        );
        for _ in 0..3 * TRY_EACH {
            assert_eq!(recorder.record(&due()), []);
        }
        assert!(!recorder.is_recording());
        std::fs::create_dir(&later).expect("it is made");
        let said: Vec<_> = (0..=TRY_EACH).flat_map(|_| recorder.record(&due())).collect();
        assert_eq!(said, [Event::Resumed]);
        assert!(recorder.is_recording());
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_one_of_another_format_is_left() {
        let dir = TempDir::new().expect("a folder");
        let path = dir.path().join(FILE_NAME);
        std::fs::write(&path, "what is this").expect("it is written");
        // Shorter than a head, and no part of one: somebody's.
        let aside = dir.path().join(DAMAGED_NAME);
        assert_eq!(Recorder::new(dir.path()).record(&due()), [Event::SetAside(aside.clone())]);
        assert_eq!(std::fs::read(&aside).expect("it is there"), b"what is this");
        std::fs::write(&path, "what is this".repeat(1000)).expect("it is written");
        assert_eq!(Recorder::new(dir.path()).record(&due()), [Event::SetAside(aside.clone())]);
        assert_eq!(std::fs::read(&aside).expect("it is there").len(), 12_000);
        assert!(crate::ring::Reader::open(&path).expect("it opens").is_some());
    }
}
