//! The screens: each a pure function of an interval and a state into a frame.
//!
//! What always holds: the same interval and state are drawn alike, at any size, without failing: what has no room is cut, and
//! below 20 columns or 5 lines there are two words alone.

mod help;
mod io;
mod log;
mod overview;
pub mod paper;
mod plans;
pub mod sessions;
mod tempdb;
mod waits;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::interval::Interval;
use crate::state::{Link, Screen, State};
use crate::units;
use paper::{Grid, Paper, Tone};

/// Columns below which nothing can be read.
pub const COLUMNS_MIN: u16 = 20;
/// Lines below which nothing can be read.
pub const LINES_MIN: u16 = 5;

/// Draws the screen of a state.
pub fn draw(frame: &mut Frame<'_>, interval: &Interval, state: &State) {
    let all = frame.area();
    let buffer = frame.buffer_mut();
    if all.width < COLUMNS_MIN || all.height < LINES_MIN {
        Paper::new(buffer, all, state.colors).line(&[("too small", Tone::Plain)]);
        return;
    }
    let mut top = Paper::new(buffer, Rect { height: 2, ..all }, state.colors);
    header(&mut top, interval, state);
    tabs(&mut top, state);
    let middle = Rect { y: all.y + 2, height: all.height - 3, ..all };
    let mut body = Paper::new(buffer, middle, state.colors);
    if state.help {
        help::draw(&mut body);
    } else {
        match state.screen {
            Screen::Overview => overview::draw(&mut body, interval, state),
            Screen::Sessions => sessions::draw(&mut body, interval, state),
            Screen::Tempdb => tempdb::draw(&mut body, interval, state),
            Screen::Io => io::draw(&mut body, interval, state),
            Screen::Waits => waits::draw(&mut body, interval, state),
            Screen::Plans => plans::draw(&mut body, interval, state),
            Screen::Log => log::draw(&mut body, interval, state),
        }
    }
    let bottom = Rect { y: all.y + all.height - 1, height: 1, ..all };
    footer(&mut Paper::new(buffer, bottom, state.colors), state);
}

/// How many rows can be selected on the screen of a state.
pub fn rows_of(interval: &Interval, state: &State) -> usize {
    match state.screen {
        Screen::Overview => 0,
        Screen::Sessions => sessions::rows(interval, state).len(),
        Screen::Tempdb => tempdb::holders(interval, state).rows.len(),
        Screen::Io => io::files(interval, state).rows.len(),
        Screen::Waits => waits::types(interval, state).rows.len(),
        Screen::Plans => plans::operators(interval, state).rows.len(),
        Screen::Log => log::databases(interval, state).rows.len(),
    }
}

/// The selected row of a grid, if it has rows.
fn selected(grid: &Grid, state: &State) -> Option<usize> {
    grid.rows.len().checked_sub(1).map(|last| state.selected.min(last))
}

fn header(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let sample = &interval.sample;
    let (words, tone) = condition(state);
    let server = &sample.server;
    // What is wrong must be seen at any width.
    let mut pieces = vec![(format!("{} ", words), tone)];
    if !server.name.is_empty() {
        pieces.push((format!("{} ", server.name), Tone::Title));
        pieces.push((format!("{} ", server.version), Tone::Plain));
    }
    if let Some(system) = &sample.system {
        pieces.push((format!("up {} ", units::time_ms(system.uptime_s.saturating_mul(1000))), Tone::Plain));
    }
    let every = match state.link {
        Link::Replay { .. } => format!("{} s in between ", units::amount(interval.seconds)),
        _ => format!("every {} s ", units::amount(state.every_s)),
    };
    pieces.push((every, Tone::Plain));
    if matches!(state.link, Link::Replay { .. }) || state.frozen {
        pieces.push((format!("{} ", server.now), Tone::Quiet));
    }
    let pieces: Vec<(&str, Tone)> = pieces.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
    paper.line(&pieces);
}

fn condition(state: &State) -> (String, Tone) {
    match &state.link {
        Link::Lost(why) => (format!("connection lost: {why}, trying again"), Tone::Alarm),
        Link::Silent(seconds) => (format!("no answer for {seconds} s"), Tone::Alarm),
        Link::Replay { at, of, plays, damaged } => {
            let how = if *plays { "replay" } else { "replay stopped" };
            let damaged = damaged.map_or(String::new(), |(line, count)| match count {
                1 => format!(", line {line} is damaged"),
                _ => format!(", {count} lines are damaged, the first is {line}"),
            });
            (format!("{how} {at} of {of}{damaged}"), Tone::Title)
        }
        Link::Live if state.frozen => ("frozen".to_owned(), Tone::Alarm),
        Link::Live => ("live".to_owned(), Tone::Title),
    }
}

fn tabs(paper: &mut Paper<'_>, state: &State) {
    let mut pieces = Vec::new();
    for (place, screen) in Screen::ALL.iter().enumerate() {
        let number = place + 1;
        // Brackets, so that the screen is known without colours and reversal.
        if *screen == state.screen {
            pieces.push((format!("[{number} {}]", screen.name()), Tone::Title));
        } else {
            pieces.push((format!(" {number} {} ", screen.name()), Tone::Quiet));
        }
    }
    let here = Screen::ALL.iter().position(|screen| *screen == state.screen).unwrap_or_default();
    let long: usize = pieces.iter().map(|(text, _)| text.len()).sum();
    // Where not all have room the one that is shown comes first.
    let pieces = if long > paper.width() { &pieces[here..] } else { &pieces[..] };
    let pieces: Vec<(&str, Tone)> = pieces.iter().map(|(text, tone)| (text.as_str(), *tone)).collect();
    paper.line(&pieces);
}

fn footer(paper: &mut Paper<'_>, state: &State) {
    if state.types_filter {
        paper.line(&[
            ("filter: ", Tone::Title),
            (&state.filter, Tone::Plain),
            ("_  Enter keeps it, Esc clears", Tone::Quiet),
        ]);
    } else if let Some(session) = state.kills {
        paper.line(&[(&format!("KILL {session}? y ends it, any other key does not"), Tone::Alarm)]);
    } else if !state.message.is_empty() {
        paper.line(&[(&state.message, Tone::Alarm)]);
    } else {
        let filter = if state.filter.is_empty() { String::new() } else { format!("filter \"{}\"  ", state.filter) };
        let keys = match (&state.link, state.screen) {
            (Link::Replay { .. }, _) => "q quit  ←/→ step  space stop/go  1-7 Tab screens  / filter  ? help",
            (_, Screen::Sessions) if state.detail.is_some() => {
                "q quit  Esc back  ↑/↓ scroll  k kill  space freeze  ? help"
            }
            (_, Screen::Sessions) => "q quit  Enter whole  s sort  r reverse  / filter  k kill  space freeze  ? help",
            _ => "q quit  1-7 Tab screens  ↑/↓ rows  / filter  space freeze  +/- interval  ? help",
        };
        paper.line(&[(&filter, Tone::Alarm), (keys, Tone::Quiet)]);
    }
}
