//! The help: what keys do.

use super::paper::{Paper, Tone};

const KEYS: [(&str, &str); 15] = [
    ("1 to 7, Tab", "screens"),
    ("up, down, PgUp, PgDn, Home, End", "rows"),
    ("Enter", "a session whole, with its statement; Esc goes back"),
    ("s", "sorts sessions by the next column"),
    ("r", "sorts them the other way round"),
    ("/", "filters rows by a text; Esc clears"),
    ("space", "freezes the screen, samples go on; stops a replay"),
    ("left, right", "steps in a replay"),
    ("k", "ends the selected session (KILL), after a question"),
    ("+ and -", "longer and shorter intervals"),
    ("q, Ctrl-C", "leaves"),
    ("", ""),
    ("Bar of tempdb", "U user objects, I internal objects, V versions, M mixed extents, . free"),
    ("Waits", "1,000 ms/s is one request that waits all the time; signal is time for a processor"),
    ("CPU of sessions", "ms in a second: 1,000 is one processor"),
];

/// Draws it.
pub fn draw(paper: &mut Paper<'_>) {
    for (keys, what) in KEYS {
        paper.line(&[(&format!("{keys:<32}"), Tone::Title), (what, Tone::Plain)]);
    }
}
