//! Screens drawn into a text, from the recorded load.

use std::sync::Arc;

use millpond_top::interval::Interval;
use millpond_top::record::{self, Recorded};
use millpond_top::screen;
use millpond_top::state::State;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// The recorded load.
pub fn recorded() -> Recorded {
    let recorded = record::read(&include_bytes!("data/load.jsonl")[..]).expect("it is read");
    assert!(recorded.damaged.is_empty(), "{:?}", recorded.damaged);
    recorded
}

/// What happened between its last two samples.
pub fn interval() -> Interval {
    let samples = recorded().samples;
    let [.., earlier, later] = samples.as_slice() else { panic!("two samples") };
    Interval::of(Some(earlier), Arc::clone(later))
}

/// The lines of a screen, without blanks at their ends.
pub fn lines(interval: &Interval, state: &State, columns: u16, rows: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a terminal");
    let drawn = terminal.draw(|frame| screen::draw(frame, interval, state)).expect("drawn");
    let cells = |row: u16| (0..columns).map(move |column| (column, row));
    let line = |row: u16| {
        let mut text = String::new();
        let mut covered = 0;
        for at in cells(row) {
            // What follows a wide sign is covered by it.
            if covered > 0 {
                covered -= 1;
                continue;
            }
            let symbol = drawn.buffer[at].symbol();
            covered = millpond_top::harmless::width(symbol).saturating_sub(1);
            text.push_str(symbol);
        }
        text.trim_end().to_owned()
    };
    (0..rows).map(line).collect()
}
