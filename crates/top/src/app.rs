//! What is shown while it goes on: samples as they come, from a server or from a record, and what keys do to that.
//!
//! What always holds: a frozen screen shows the same interval until it goes on, and the newest then; a replay stands at one of its
//! samples. Time comes from the caller, so tests need no clock.

use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;

use crate::interval::Interval;
use crate::record::Recorded;
use crate::sample::Sample;
use crate::screen;
use crate::state::{Effect, Link, State};

/// What comes from whoever asks the server.
#[derive(Debug)]
pub enum Feed {
    /// There is a connection, for the first time or again.
    Connected,
    /// There has never been one, and why: nothing more comes.
    Refused(String),
    /// A sample.
    Sample(Box<Sample>),
    /// The connection is lost, and why; it is being tried again.
    Lost(String),
    /// Something to say below, as what came of ending a session.
    Said(String),
}

/// So long without an answer is worth saying, beside three intervals.
const SILENT_AFTER: Duration = Duration::from_secs(5);

/// What is shown.
#[derive(Debug)]
pub struct App {
    state: State,
    shown: Interval,
    newest: Interval,
    /// When something came last.
    heard: Duration,
    replay: Option<Replay>,
}

#[derive(Debug)]
struct Replay {
    samples: Vec<Arc<Sample>>,
    damaged: Option<(usize, usize)>,
    /// From 0.
    at: usize,
    plays: bool,
    /// When it went on last.
    went: Duration,
}

impl App {
    /// Of a server.
    pub fn live(state: State) -> App {
        let nothing = Interval::of(None, Arc::default());
        App { state, shown: nothing.clone(), newest: nothing, heard: Duration::ZERO, replay: None }
    }

    /// Of a record.
    pub fn replay(state: State, recorded: Recorded) -> App {
        let damaged = recorded.damaged.first().map(|(line, _)| (*line, recorded.damaged.len()));
        let replay = Replay { samples: recorded.samples, damaged, at: 0, plays: true, went: Duration::ZERO };
        let mut app = App { replay: Some(replay), ..App::live(state) };
        app.stand();
        app
    }

    /// Takes what came.
    pub fn feed(&mut self, feed: Feed, now: Duration) {
        self.heard = now;
        match feed {
            Feed::Connected => self.state.link = Link::Live,
            Feed::Lost(why) | Feed::Refused(why) => self.state.link = Link::Lost(why),
            Feed::Said(text) => self.state.message = text,
            Feed::Sample(sample) => {
                self.state.link = Link::Live;
                let earlier = Arc::clone(&self.newest.sample);
                // The empty one of the beginning is none.
                let earlier = (earlier.taken_ms != 0).then_some(earlier);
                self.newest = Interval::of(earlier.as_deref(), Arc::from(sample));
                self.state.remember(&self.newest);
                if !self.state.frozen {
                    self.shown = self.newest.clone();
                }
            }
        }
    }

    /// Time goes by; whether there is something new to draw.
    pub fn tick(&mut self, now: Duration) -> bool {
        let every = Duration::from_secs_f64(self.state.every_s);
        if let Some(replay) = &mut self.replay {
            if !replay.plays || now.saturating_sub(replay.went) < every {
                return false;
            }
            replay.went = now;
            if replay.at + 1 < replay.samples.len() {
                replay.at += 1;
            } else {
                replay.plays = false;
            }
            self.stand();
            return true;
        }
        let silence = now.saturating_sub(self.heard);
        let link = match &self.state.link {
            Link::Live | Link::Silent(_) if silence > SILENT_AFTER.max(every * 3) => Link::Silent(silence.as_secs()),
            link => link.clone(),
        };
        let is_new = link != self.state.link;
        self.state.link = link;
        is_new
    }

    /// A key; what it wants of the caller.
    pub fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        let effect = self.state.key(key, &self.shown);
        match (effect, &mut self.replay) {
            (Some(Effect::Step(by)), Some(replay)) => {
                let last = replay.samples.len().saturating_sub(1);
                replay.at = replay.at.saturating_add_signed(isize::try_from(by).unwrap_or_default()).min(last);
                replay.plays = false;
                self.stand();
                return None;
            }
            (Some(Effect::Pause), Some(replay)) => {
                replay.plays = matches!(self.state.link, Link::Replay { plays: true, .. });
                self.stand();
                return None;
            }
            (Some(Effect::Pause), None) => {
                if !self.state.frozen {
                    self.shown = self.newest.clone();
                }
                return None;
            }
            _ => {}
        }
        effect
    }

    /// Draws all of it.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        screen::draw(frame, &self.shown, &self.state);
    }

    /// Shows the sample that a replay stands at, with what was before.
    fn stand(&mut self) {
        let Some(replay) = &self.replay else { return };
        let interval = |at: usize| {
            let earlier = at.checked_sub(1).and_then(|before| replay.samples.get(before));
            replay.samples.get(at).map(|later| Interval::of(earlier.map(Arc::as_ref), Arc::clone(later)))
        };
        self.state.history.clear();
        for at in replay.at.saturating_sub(240)..=replay.at {
            if let Some(interval) = interval(at) {
                self.state.remember(&interval);
                self.shown = interval;
            }
        }
        self.state.link = Link::Replay {
            at: (replay.at + 1).min(replay.samples.len()),
            of: replay.samples.len(),
            plays: replay.plays,
            damaged: replay.damaged,
        };
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyCode;

    use super::*;
    use crate::sample::System;

    fn sample(ms_ticks: i64) -> Sample {
        let system = System { ms_ticks, cpu_count: 1, ..System::default() };
        Sample { taken_ms: ms_ticks, system: Some(system), ..Sample::default() }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn press(app: &mut App, code: KeyCode) -> Option<Effect> {
        app.key(KeyEvent::from(code))
    }

    #[test]
    fn a_frozen_screen_goes_on_with_the_newest() {
        let mut app = App::live(State::default());
        for ms in [1_000, 2_000, 4_000] {
            app.feed(Feed::Sample(Box::new(sample(ms))), at(1));
        }
        assert_eq!(app.shown.seconds, 2.0);
        press(&mut app, KeyCode::Char(' '));
        app.feed(Feed::Sample(Box::new(sample(9_000))), at(2));
        assert_eq!(app.shown.sample.taken_ms, 4_000);
        press(&mut app, KeyCode::Char(' '));
        assert_eq!((app.shown.sample.taken_ms, app.shown.seconds), (9_000, 5.0));
        assert_eq!(app.state.history.len(), 3);
    }

    #[test]
    fn silence_and_loss_are_said_until_something_comes() {
        let mut app = App::live(State::default());
        app.feed(Feed::Connected, at(0));
        assert!(!app.tick(at(6)));
        assert!(app.tick(at(7)));
        assert_eq!(app.state.link, Link::Silent(7));
        app.feed(Feed::Lost("reset".into()), at(8));
        assert!(!app.tick(at(60)));
        assert_eq!(app.state.link, Link::Lost("reset".into()));
        app.feed(Feed::Connected, at(61));
        assert_eq!(app.state.link, Link::Live);
    }

    #[test]
    fn a_replay_goes_on_stops_and_steps() {
        let samples = [1_000, 2_000, 4_000].map(|ms| Arc::new(sample(ms))).to_vec();
        let damaged = vec![(3, "x".into()), (5, "y".into())];
        let mut app = App::replay(State::default(), Recorded { samples, damaged });
        let link = |at, plays| Link::Replay { at, of: 3, plays, damaged: Some((3, 2)) };
        assert_eq!((&app.state.link, app.shown.seconds), (&link(1, true), 0.0));
        assert!(app.tick(at(2)));
        assert_eq!((&app.state.link, app.shown.seconds), (&link(2, true), 1.0));
        assert_eq!(press(&mut app, KeyCode::Char(' ')), None);
        assert!(!app.tick(at(9)));
        press(&mut app, KeyCode::Right);
        press(&mut app, KeyCode::Right);
        assert_eq!((&app.state.link, app.shown.seconds), (&link(3, false), 2.0));
        press(&mut app, KeyCode::Left);
        assert_eq!((app.state.link.clone(), app.state.history.len()), (link(2, false), 1));
        assert_eq!(press(&mut app, KeyCode::Char('k')), None);
        assert_eq!(press(&mut app, KeyCode::Char('q')), Some(Effect::Quit));
    }

    #[test]
    fn a_replay_of_nothing_stands_still() {
        let mut app = App::replay(State::default(), Recorded::default());
        app.tick(at(5));
        press(&mut app, KeyCode::Right);
        assert_eq!(app.state.link, Link::Replay { at: 0, of: 0, plays: false, damaged: None });
    }
}
