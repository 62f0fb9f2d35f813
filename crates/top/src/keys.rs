//! What keys do to what somebody looks at.
//!
//! What always holds: a key changes the state, or gives an [`Effect`] that its caller has to carry out; nothing here waits.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::interval::Interval;
use crate::screen::{rows_of, sessions};
use crate::state::{Effect, Link, Screen, State};

/// Intervals that `+` and `-` go through, in seconds.
const INTERVALS_S: [f64; 8] = [0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];

impl State {
    /// What a key does.
    pub fn key(&mut self, key: KeyEvent, interval: &Interval) -> Option<Effect> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(Effect::Quit);
        }
        if self.types_filter {
            self.type_filter(key.code);
            return None;
        }
        if let Some(session) = self.kills.take() {
            return matches!(key.code, KeyCode::Char('y' | 'Y')).then_some(Effect::Kill(session));
        }
        if self.help {
            self.help = false;
            return None;
        }
        self.message.clear();
        match key.code {
            KeyCode::Char('q') => return Some(Effect::Quit),
            KeyCode::Char('?' | 'h') => self.help = true,
            KeyCode::Char(digit @ '1'..='7') => self.show(Screen::ALL[digit as usize - '1' as usize]),
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(Screen::ALL.len() - 1),
            KeyCode::Up => self.go(-1, interval),
            KeyCode::Down => self.go(1, interval),
            KeyCode::PageUp => self.go(-20, interval),
            KeyCode::PageDown => self.go(20, interval),
            KeyCode::Home => self.go(isize::MIN, interval),
            KeyCode::End => self.go(isize::MAX, interval),
            KeyCode::Left if matches!(self.link, Link::Replay { .. }) => return Some(Effect::Step(-1)),
            KeyCode::Right if matches!(self.link, Link::Replay { .. }) => return Some(Effect::Step(1)),
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('r') => self.reversed = !self.reversed,
            KeyCode::Char('/') => self.types_filter = true,
            KeyCode::Char(' ') => return Some(self.pause()),
            KeyCode::Char('k') => self.ask_to_kill(interval),
            KeyCode::Char('+' | '=') => return Some(self.every(true)),
            KeyCode::Char('-') => return Some(self.every(false)),
            KeyCode::Enter if self.screen == Screen::Sessions => {
                self.detail = match self.detail {
                    Some(_) => None,
                    None => sessions::selected(interval, self).map(|session| (session, 0)),
                };
            }
            KeyCode::Esc if self.detail.is_some() => self.detail = None,
            KeyCode::Esc => self.filter.clear(),
            _ => {}
        }
        None
    }

    fn type_filter(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.types_filter = false,
            KeyCode::Esc => {
                self.types_filter = false;
                self.filter.clear();
            }
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(sign) if self.filter.len() < 200 => self.filter.push(sign),
            _ => {}
        }
        self.selected = 0;
        self.selected_session = None;
    }

    fn show(&mut self, screen: Screen) {
        if self.screen != screen {
            self.screen = screen;
            self.selected = 0;
            self.detail = None;
        }
    }

    fn turn(&mut self, by: usize) {
        let place = Screen::ALL.iter().position(|screen| *screen == self.screen).unwrap_or_default();
        self.show(Screen::ALL[(place + by) % Screen::ALL.len()]);
    }

    fn go(&mut self, by: isize, interval: &Interval) {
        if let Some((_, line)) = &mut self.detail {
            *line = line.saturating_add_signed(i16::try_from(by.clamp(-1000, 1000)).unwrap_or_default()).min(10_000);
            return;
        }
        let last = rows_of(interval, self).saturating_sub(1);
        let at = match self.screen {
            Screen::Sessions => sessions::selected_row(interval, self),
            _ => self.selected,
        };
        self.selected = at.min(last).saturating_add_signed(by).min(last);
        if self.screen == Screen::Sessions {
            self.selected_session = sessions::at_row(interval, self, self.selected);
        }
    }

    fn pause(&mut self) -> Effect {
        if let Link::Replay { plays, .. } = &mut self.link {
            *plays = !*plays;
        } else {
            self.frozen = !self.frozen;
        }
        Effect::Pause
    }

    fn ask_to_kill(&mut self, interval: &Interval) {
        if matches!(self.link, Link::Replay { .. }) {
            self.message = "a recorded session cannot be ended".into();
        } else if self.screen != Screen::Sessions {
            self.message = "sessions are ended on screen 2".into();
        } else {
            self.kills = self.detail.map(|it| it.0).or_else(|| sessions::selected(interval, self));
        }
    }

    fn every(&mut self, longer: bool) -> Effect {
        let now = self.every_s;
        let next = if longer {
            INTERVALS_S.iter().copied().find(|seconds| *seconds > now)
        } else {
            INTERVALS_S.iter().copied().rev().find(|seconds| *seconds < now)
        };
        self.every_s = next.unwrap_or(now);
        Effect::Every(self.every_s)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample::{Sample, Session};

    fn interval() -> Interval {
        let session = |session_id, login_name: &str| Session {
            session_id,
            login_name: login_name.into(),
            request_status: Some("running".into()),
            elapsed_ms: Some(1000 - session_id),
            ..Session::default()
        };
        let sessions = vec![session(51, "ann"), session(52, "bob"), session(53, "eve")];
        Interval::of(None, Arc::new(Sample { sessions, ..Sample::default() }))
    }

    fn press(state: &mut State, codes: &[KeyCode]) -> Option<Effect> {
        let interval = interval();
        codes.iter().map(|code| state.key(KeyEvent::from(*code), &interval)).last().flatten()
    }

    #[test]
    fn digits_and_tabs_change_screens() {
        let mut state = State::default();
        press(&mut state, &[KeyCode::Char('5')]);
        assert_eq!(state.screen, Screen::Waits);
        press(&mut state, &[KeyCode::Tab, KeyCode::Tab, KeyCode::Tab]);
        assert_eq!(state.screen, Screen::Overview);
        press(&mut state, &[KeyCode::BackTab]);
        assert_eq!(state.screen, Screen::Log);
    }

    #[test]
    fn a_session_is_ended_only_by_yes() {
        let mut state = State::default();
        press(&mut state, &[KeyCode::Char('k')]);
        assert_eq!(state.kills, None, "not on this screen");
        let select = [KeyCode::Char('2'), KeyCode::Down, KeyCode::Char('k')];
        press(&mut state, &select);
        assert_eq!(state.kills, Some(52));
        assert_eq!(press(&mut state, &[KeyCode::Enter]), None);
        assert_eq!(state.kills, None);
        assert_eq!(press(&mut state, &[KeyCode::Char('k'), KeyCode::Char('y')]), Some(Effect::Kill(52)));
    }

    #[test]
    fn a_filter_takes_keys_that_mean_something_else() {
        let mut state = State { screen: Screen::Sessions, ..State::default() };
        assert_eq!(press(&mut state, &[KeyCode::Char('/'), KeyCode::Char('q'), KeyCode::Char('2')]), None);
        assert_eq!((state.filter.as_str(), state.types_filter), ("q2", true));
        press(&mut state, &[KeyCode::Backspace, KeyCode::Enter]);
        assert_eq!((state.filter.as_str(), state.types_filter), ("q", false));
        press(&mut state, &[KeyCode::Esc]);
        assert_eq!(state.filter, "");
    }

    #[test]
    fn a_selection_stays_inside_and_with_its_session() {
        let mut state = State { screen: Screen::Sessions, ..State::default() };
        press(&mut state, &[KeyCode::PageDown]);
        assert_eq!((state.selected, state.selected_session), (2, Some(53)));
        press(&mut state, &[KeyCode::Char('r'), KeyCode::Up]);
        // Reversed it is the first: nothing is above it.
        assert_eq!(state.selected_session, Some(53));
        press(&mut state, &[KeyCode::Down, KeyCode::Enter]);
        assert_eq!(state.detail, Some((52, 0)));
        press(&mut state, &[KeyCode::Esc]);
        assert_eq!(state.detail, None);
    }

    #[test]
    fn intervals_go_up_and_down_to_their_ends() {
        let mut state = State { every_s: 3.0, ..State::default() };
        assert_eq!(press(&mut state, &[KeyCode::Char('+')]), Some(Effect::Every(5.0)));
        assert_eq!(press(&mut state, &[KeyCode::Char('-'); 9]), Some(Effect::Every(0.5)));
        assert_eq!(press(&mut state, &[KeyCode::Char('+'); 20]), Some(Effect::Every(300.0)));
    }

    #[test]
    fn space_stops_and_arrows_step_in_a_replay() {
        let mut state = State::default();
        assert_eq!(press(&mut state, &[KeyCode::Right]), None);
        press(&mut state, &[KeyCode::Char(' ')]);
        assert!(state.frozen);
        state.link = Link::Replay { at: 1, of: 3, plays: true, damaged: None };
        assert_eq!(press(&mut state, &[KeyCode::Char(' '), KeyCode::Right]), Some(Effect::Step(1)));
        assert_eq!(state.link, Link::Replay { at: 1, of: 3, plays: false, damaged: None });
    }

    #[test]
    fn ctrl_c_leaves_from_everywhere() {
        let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        for mut state in [
            State { help: true, ..State::default() },
            State { types_filter: true, ..State::default() },
            State { kills: Some(51), ..State::default() },
        ] {
            assert_eq!(state.key(key, &interval()), Some(Effect::Quit));
        }
    }
}
