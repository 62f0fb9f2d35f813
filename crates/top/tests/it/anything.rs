//! Random samples, states, keys and sizes: nothing panics, and nothing that controls a terminal comes out.

use std::sync::Arc;

use millpond_top::app::{App, Feed};
use millpond_top::harmless::is_harmful;
use millpond_top::interval::Interval;
use millpond_top::once;
use millpond_top::record::Recorded;
use millpond_top::sample::Sample;
use millpond_top::state::{Effect, Link, Screen, Sort, State};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use serde_json::Value;

use crate::drawn;

/// Texts that a screen must survive.
const HOSTILE: [&str; 10] = [
    "",
    "O'Neil \"x\" `y`",
    "\x1b[2J\x1b]0;title\x07\u{9b}31m",
    "\u{202e}txet\u{202c}\u{2067}",
    "池塘池塘池塘",
    "e\u{301}\u{301}\u{301}\u{200d}👩\u{200d}👩",
    "a\r\nb\tc\0d",
    "2:1:1",
    "PAGELATCH_UP",
    "\u{e0041}\u{feff}\u{ad}\u{ffff}",
];

/// A small generator of our own: what is wanted is many choices from one number.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn number(&mut self) -> i64 {
        let extremes = [0, 1, -1, 2, 51, 52, 53, i64::MAX, i64::MIN, 1 << 40];
        match self.below(3) {
            0 => extremes[self.below(extremes.len())],
            1 => i64::try_from(self.below(60)).expect("small"),
            _ => i64::try_from(self.below(1 << 30)).expect("small"),
        }
    }

    /// Changes some of the values, whatever they are.
    fn disturb(&mut self, value: &mut Value) {
        match value {
            Value::Number(number) if self.below(3) == 0 => *number = self.number().into(),
            Value::String(text) if self.below(4) == 0 => {
                *text = HOSTILE[self.below(HOSTILE.len())].repeat(1 + self.below(3) * 40);
            }
            Value::Array(items) => {
                match self.below(6) {
                    0 => items.clear(),
                    1 => items.truncate(self.below(items.len())),
                    2 if !items.is_empty() => items.push(items[self.below(items.len())].clone()),
                    3 => items.reverse(),
                    _ => {}
                }
                items.iter_mut().for_each(|item| self.disturb(item));
            }
            Value::Object(fields) => fields.values_mut().for_each(|field| self.disturb(field)),
            _ => {}
        }
    }

    fn sample(&mut self, of: &Sample) -> Sample {
        let mut value = serde_json::to_value(of).expect("JSON");
        self.disturb(&mut value);
        // A number that does not fit into its field leaves the sample as it was.
        serde_json::from_value(value).unwrap_or_else(|_| of.clone())
    }

    fn state(&mut self) -> State {
        let links = [
            Link::Live,
            Link::Silent(7),
            Link::Lost(HOSTILE[2].repeat(20)),
            Link::Replay { at: 1, of: 2, plays: true, damaged: Some((3, 4)) },
        ];
        State {
            screen: Screen::ALL[self.below(7)],
            link: links[self.below(4)].clone(),
            sort: Sort::ALL[self.below(11)],
            reversed: self.below(2) == 0,
            filter: ["", "", "5", "sa", "\u{202e}"][self.below(5)].to_owned(),
            types_filter: self.below(8) == 0,
            selected: self.below(100),
            selected_session: (self.below(2) == 0).then_some(52),
            detail: (self.below(4) == 0).then_some((i64::try_from(50 + self.below(10)).expect("small"), 2)),
            kills: (self.below(8) == 0).then_some(i64::MIN),
            help: self.below(10) == 0,
            message: HOSTILE[self.below(HOSTILE.len())].to_owned(),
            colors: self.below(2) == 0,
            ..State::default()
        }
    }

    fn key(&mut self) -> KeyEvent {
        let codes = [
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::PageDown,
            KeyCode::End,
            KeyCode::Home,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::Backspace,
            KeyCode::F(1),
        ];
        let signs: Vec<char> = "1234567srk/ +-?yn".chars().collect();
        match self.below(2) {
            0 => codes[self.below(codes.len())].into(),
            _ => KeyCode::Char(signs[self.below(signs.len())]).into(),
        }
    }
}

/// More by `PROPTEST_CASES`.
fn cases() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(cases.unwrap_or(300))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn nothing_panics_and_nothing_controls_the_terminal(seed: u64, columns in 0u16..230, rows in 0u16..70) {
        let chance = &mut Chance(seed);
        let samples = drawn::recorded().samples;
        let (earlier, later) = (chance.sample(&samples[0]), chance.sample(&samples[1]));
        let interval = Interval::of(Some(&earlier), Arc::new(later));
        let state = chance.state();
        let lines = drawn::lines(&interval, &state, columns, rows);
        prop_assert!(lines.iter().all(|line| !line.chars().any(is_harmful)), "{lines:?}");
        for text in [once::table(&interval), once::csv(&interval, "sessions").expect("a table")] {
            prop_assert!(!text.chars().any(|sign| sign != '\n' && is_harmful(sign)));
        }
        prop_assert!(serde_json::from_str::<Value>(&once::json(&interval)).is_ok());
        for traffic in interval.files.iter().map(|file| file.traffic) {
            let all = [traffic.reads_per_s, traffic.ms_per_read, traffic.write_bytes_per_s, traffic.bytes_per_write()];
            prop_assert!(all.iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{traffic:?}");
        }
    }

    #[test]
    fn keys_may_come_in_any_order(seed: u64, replays: bool) {
        let chance = &mut Chance(seed);
        let samples = drawn::recorded().samples;
        let mut app = match replays {
            true => App::replay(chance.state(), Recorded { samples: samples.clone(), damaged: Vec::new() }),
            false => App::live(chance.state()),
        };
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).expect("a terminal");
        for step in 0..40u64 {
            let now = std::time::Duration::from_secs(step);
            match chance.below(4) {
                0 => app.feed(Feed::Sample(Box::new(chance.sample(&samples[0]))), now),
                1 => drop(app.tick(now)),
                _ => {
                    let effect = app.key(chance.key());
                    prop_assert!(!matches!(effect, Some(Effect::Step(_) | Effect::Pause)) || !replays);
                }
            }
            let width = u16::try_from(chance.below(120)).expect("small");
            terminal.backend_mut().resize(width, 20);
            terminal.draw(|frame| app.draw(frame)).expect("drawn");
        }
    }
}
