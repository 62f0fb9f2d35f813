//! docs/seeing.md: its pictures are what the screens show of the recorded load. `MILLPOND_BLESS=1` writes them anew.

use std::path::{Path, PathBuf};

use millpond_top::state::{Screen, State};

use crate::drawn;

/// Of a picture.
const COLUMNS: u16 = 104;
const FENCE: &str = "```text";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeing.md")
}

fn rows(screen: Screen) -> u16 {
    match screen {
        Screen::Overview | Screen::Io => 24,
        Screen::Waits => 20,
        _ => 14,
    }
}

/// The document with each picture that stands below the heading of a screen drawn anew.
fn drawn_anew(text: &str) -> String {
    let interval = drawn::interval();
    let mut anew = String::new();
    let (mut next, mut inside) = (None, false);
    let mut count = 0;
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            next = Screen::ALL
                .into_iter()
                .enumerate()
                .find_map(|(place, screen)| (heading == format!("{} {}", place + 1, screen.name())).then_some(screen));
        }
        if inside && line == "```" {
            inside = false;
        }
        if inside {
            continue;
        }
        anew.push_str(line);
        anew.push('\n');
        if let Some(screen) = next.filter(|_| line == FENCE) {
            let state = State { screen, colors: false, ..State::default() };
            for line in drawn::lines(&interval, &state, COLUMNS, rows(screen)) {
                anew.push_str(&line);
                anew.push('\n');
            }
            (next, inside, count) = (None, true, count + 1);
        }
    }
    assert_eq!(count, Screen::ALL.len(), "each screen has a heading and a picture");
    anew
}

#[test]
fn pictures_are_what_the_screens_show() {
    let text = std::fs::read_to_string(path()).expect("the document is there");
    let anew = drawn_anew(&text);
    if std::env::var_os("MILLPOND_BLESS").is_some() {
        std::fs::write(path(), &anew).expect("written");
    } else {
        assert_eq!(anew, text, "MILLPOND_BLESS=1 cargo test -p millpond-top writes the pictures anew");
    }
}
