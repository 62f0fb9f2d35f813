//! Screen 2: sessions, those that are blocked below those that block them; and one of them whole.
//!
//! What always holds: each session of the sample that the filter lets through is one row, and so are its blockers, though they
//! sleep.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::paper::{Grid, Paper, Tone, number, text, wrap};
use crate::figures::{cpu_ms, grant_kb};
use crate::harmless::harmless;
use crate::interval::Interval;
use crate::sample::Session;
use crate::state::{Sort, State};
use crate::tree::{Placed, trees};
use crate::units::{amount, mb_of_kb, mb_of_pages, time_ms, whole};

/// Rows as they stand: places in the sample's sessions, and depths.
pub fn rows(interval: &Interval, state: &State) -> Vec<Placed> {
    let sessions = &interval.sample.sessions;
    let mut shown = filtered(interval, state);
    let keys: HashMap<usize, Key> = shown.iter().map(|place| (*place, key(interval, state.sort, *place))).collect();
    let best = best_below(sessions, &shown, &keys, state.reversed);
    let order = |a: &Key, b: &Key| if state.reversed { b.order(a) } else { a.order(b) };
    shown.sort_by(|a, b| {
        let by = order(&best[a], &best[b]);
        by.then_with(|| sessions[*a].session_id.cmp(&sessions[*b].session_id))
    });
    let nodes: Vec<(i64, Option<i64>)> = shown
        .iter()
        .map(|place| {
            let session = &sessions[*place];
            (session.session_id, Some(session.blocking_session_id).filter(|blocker| *blocker > 0))
        })
        .collect();
    let placed = trees(&nodes).into_iter();
    placed.map(|it| Placed { place: shown[it.place], depth: it.depth }).collect()
}

/// Places that the filter lets through, and their blockers.
fn filtered(interval: &Interval, state: &State) -> Vec<usize> {
    let sessions = &interval.sample.sessions;
    if state.filter.is_empty() {
        return (0..sessions.len()).collect();
    }
    let filter = state.filter.to_lowercase();
    let places: HashMap<i64, usize> =
        sessions.iter().enumerate().map(|(place, session)| (session.session_id, place)).collect();
    let mut shown = HashSet::new();
    for (place, session) in sessions.iter().enumerate() {
        if !matches(interval, session, &filter) {
            continue;
        }
        let mut at = place;
        while shown.insert(at) {
            match places.get(&sessions[at].blocking_session_id) {
                Some(blocker) => at = *blocker,
                None => break,
            }
        }
    }
    (0..sessions.len()).filter(|place| shown.contains(place)).collect()
}

fn matches(interval: &Interval, session: &Session, filter: &str) -> bool {
    let number = session.session_id.to_string();
    let texts = [
        number.as_str(),
        &session.login_name,
        &session.host_name,
        &session.program_name,
        &session.database_name,
        status(session),
        session.command.as_deref().unwrap_or_default(),
        session.wait_type.as_deref().unwrap_or_default(),
        interval.sample.statement(session.session_id).unwrap_or_default(),
    ];
    texts.iter().any(|text| text.to_lowercase().contains(filter))
}

/// What a session is sorted by; the greatest number first, the smallest text first.
#[derive(Clone, Debug)]
enum Key {
    Number(f64),
    Text(String),
}

impl Key {
    fn order(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Number(a), Key::Number(b)) => b.total_cmp(a),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (Key::Number(_), Key::Text(_)) => Ordering::Less,
            (Key::Text(_), Key::Number(_)) => Ordering::Greater,
        }
    }
}

fn key(interval: &Interval, sort: Sort, place: usize) -> Key {
    let session = &interval.sample.sessions[place];
    let rate = interval.sessions.get(place).copied().unwrap_or_default();
    let number = |number: i64| Key::Number(number as f64);
    match sort {
        // Those that sleep are behind those that run.
        Sort::Elapsed => number(session.elapsed_ms.filter(|_| session.request_status.is_some()).unwrap_or(-1)),
        Sort::Cpu => Key::Number(rate.cpu_ms_per_s),
        Sort::Reads => number(reads(session)),
        Sort::Writes => number(writes(session)),
        Sort::Tempdb => number(held(interval, session)),
        Sort::Grant => number(grant_kb(interval, session.session_id).unwrap_or(0)),
        Sort::Wait => number(session.wait_ms.filter(|_| session.wait_type.is_some()).unwrap_or(-1)),
        Sort::Session => number(-session.session_id.max(-i64::MAX)),
        Sort::Login => Key::Text(session.login_name.to_lowercase()),
        Sort::Program => Key::Text(session.program_name.to_lowercase()),
        Sort::Database => Key::Text(session.database_name.to_lowercase()),
    }
}

/// Of each session the best key of it and of all that wait for it: a blocker that sleeps stands where the first of those that
/// it holds up would.
fn best_below(
    sessions: &[Session],
    shown: &[usize],
    keys: &HashMap<usize, Key>,
    reversed: bool,
) -> HashMap<usize, Key> {
    let places: HashMap<i64, usize> = shown.iter().map(|place| (sessions[*place].session_id, *place)).collect();
    let mut best = keys.clone();
    for place in shown {
        let own = &keys[place];
        let (mut at, mut seen) = (*place, HashSet::from([*place]));
        while let Some(blocker) = places.get(&sessions[at].blocking_session_id).copied() {
            if !seen.insert(blocker) {
                break;
            }
            let order = own.order(&best[&blocker]);
            if if reversed { order == Ordering::Greater } else { order == Ordering::Less } {
                best.insert(blocker, own.clone());
            }
            at = blocker;
        }
    }
    best
}

/// The row of the selected session, or the row that is selected.
pub fn selected_row(interval: &Interval, state: &State) -> usize {
    row_in(&rows(interval, state), interval, state)
}

fn row_in(rows: &[Placed], interval: &Interval, state: &State) -> usize {
    let sessions = &interval.sample.sessions;
    let by_number = state
        .selected_session
        .and_then(|session| rows.iter().position(|row| sessions[row.place].session_id == session));
    by_number.unwrap_or(state.selected).min(rows.len().saturating_sub(1))
}

/// The session in a row.
pub fn at_row(interval: &Interval, state: &State, row: usize) -> Option<i64> {
    rows(interval, state).get(row).map(|row| interval.sample.sessions[row.place].session_id)
}

/// The session that is selected.
pub fn selected(interval: &Interval, state: &State) -> Option<i64> {
    at_row(interval, state, selected_row(interval, state))
}

fn status(session: &Session) -> &str {
    session.request_status.as_deref().unwrap_or(&session.session_status)
}

fn reads(session: &Session) -> i64 {
    session.request_reads.unwrap_or(session.session_reads)
}

fn writes(session: &Session) -> i64 {
    session.request_writes.unwrap_or(session.session_writes)
}

fn held(interval: &Interval, session: &Session) -> i64 {
    let (user, internal) = interval.sample.held_pages(session.session_id);
    user.saturating_add(internal)
}

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    if let Some((session, from)) = state.detail {
        return whole_session(paper, interval, session, usize::from(from));
    }
    let sample = &interval.sample;
    let rows = rows(interval, state);
    let direction = if state.reversed { ", reversed" } else { "" };
    let count = sample.session_count.max(i64::try_from(sample.sessions.len()).unwrap_or(i64::MAX));
    let words = format!("{} of {} sessions, by {}{direction}", rows.len(), whole(count), state.sort.name());
    paper.line(&[(&words, Tone::Quiet)]);
    let mut grid = Grid::new(&[
        text("id", 4, 14, 0),
        text("login", 5, 12, 6),
        text("program", 7, 16, 4),
        text("database", 6, 12, 5),
        text("state", 9, 10, 1),
        number("elapsed", 7, 1),
        number("CPU/s", 5, 2),
        number("reads", 5, 8),
        number("writes", 6, 9),
        number("tempdb", 6, 5),
        number("grant", 5, 7),
        text("wait", 10, 22, 3),
        number("by", 4, 2),
        text("statement", 16, 4000, 0),
    ]);
    for row in &rows {
        let session = &sample.sessions[row.place];
        let rate = interval.sessions.get(row.place).copied().unwrap_or_default();
        let branch = if row.depth > 0 { format!("{}└", " ".repeat((row.depth - 1).min(8))) } else { String::new() };
        let blocker = session.blocking_session_id;
        let wait = session
            .wait_type
            .as_deref()
            .map_or(String::new(), |wait| format!("{wait} {}", time_ms(session.wait_ms.unwrap_or_default())));
        let or_blank = |number: i64, text: String| if number == 0 { String::new() } else { text };
        let holds_up = sample.sessions.iter().any(|it| it.blocking_session_id == session.session_id);
        grid.push(
            if holds_up && blocker <= 0 { Tone::Alarm } else { Tone::Plain },
            vec![
                format!("{branch}{}", session.session_id),
                session.login_name.clone(),
                session.program_name.clone(),
                session.database_name.clone(),
                status(session).to_owned(),
                session.elapsed_ms.filter(|_| session.request_status.is_some()).map_or(String::new(), time_ms),
                amount(rate.cpu_ms_per_s),
                or_blank(reads(session), whole(reads(session))),
                or_blank(writes(session), whole(writes(session))),
                or_blank(held(interval, session), mb_of_pages(held(interval, session))),
                grant_kb(interval, session.session_id).map_or(String::new(), mb_of_kb),
                wait,
                if blocker > 0 { blocker.to_string() } else { String::new() },
                sample.statement(session.session_id).unwrap_or_default().to_owned(),
            ],
        );
    }
    let at = (!rows.is_empty()).then(|| row_in(&rows, interval, state));
    paper.grid(&grid, usize::MAX, at);
}

/// A session with all that is known of it.
fn whole_session(paper: &mut Paper<'_>, interval: &Interval, session_id: i64, from: usize) {
    let sample = &interval.sample;
    let Some(place) = sample.sessions.iter().position(|it| it.session_id == session_id) else {
        paper.line(&[(&format!("session {session_id} has ended"), Tone::Alarm)]);
        return;
    };
    let session = &sample.sessions[place];
    let rate = interval.sessions.get(place).copied().unwrap_or_default();
    let (user, internal) = sample.held_pages(session_id);
    let grant = sample.grants.iter().find(|it| it.session_id == session_id);
    let chain = if session.blocking_session_id > 0 {
        format!("session {}", session.blocking_session_id)
    } else {
        "none".into()
    };
    let holds_up: Vec<String> = sample
        .sessions
        .iter()
        .filter(|it| it.blocking_session_id == session_id)
        .map(|it| it.session_id.to_string())
        .collect();
    let time = |ms: Option<i64>| ms.map_or("-".to_owned(), time_ms);
    let facts = [
        (
            "Session",
            format!("{session_id}, {} of {} from {}", session.program_name, session.login_name, session.host_name),
        ),
        ("Database", session.database_name.clone()),
        ("State", format!("{}, {} open transactions", status(session), session.open_transactions)),
        ("Command", session.command.clone().unwrap_or_else(|| "-".into())),
        (
            "Elapsed",
            format!(
                "{}; idle for {}",
                time(session.elapsed_ms),
                session.idle_s.map_or("-".into(), |it| time_ms(it.saturating_mul(1000)))
            ),
        ),
        ("CPU", format!("{} ms/s, {} in all", amount(rate.cpu_ms_per_s), time_ms(cpu_ms(session)))),
        (
            "Reads",
            format!(
                "{}, {} logical",
                whole(reads(session)),
                whole(session.request_logical_reads.unwrap_or(session.session_logical_reads))
            ),
        ),
        ("Writes", whole(writes(session))),
        ("tempdb", format!("{} MB user objects, {} MB internal objects", mb_of_pages(user), mb_of_pages(internal))),
        (
            "Grant",
            grant.map_or("-".to_owned(), |it| match it.granted_memory_kb {
                Some(granted) => format!(
                    "{} MB, {} MB in use, {} MB wanted",
                    mb_of_kb(granted),
                    mb_of_kb(it.used_memory_kb.unwrap_or(0)),
                    mb_of_kb(it.requested_memory_kb)
                ),
                None => format!("waits for {} MB since {}", mb_of_kb(it.requested_memory_kb), time(it.wait_ms)),
            }),
        ),
        (
            "Waits for",
            session.wait_type.as_deref().map_or("nothing".to_owned(), |wait| {
                format!("{wait} {} {}", time(session.wait_ms), session.wait_resource.as_deref().unwrap_or_default())
            }),
        ),
        ("Blocked by", chain),
        ("Blocks", if holds_up.is_empty() { "none".into() } else { holds_up.join(", ") }),
    ];
    for (name, value) in &facts {
        paper.line(&[(&format!("{name:<11}"), Tone::Title), (value, Tone::Plain)]);
    }
    paper.line(&[("Statement", Tone::Title)]);
    let statement = harmless(sample.statement(session_id).unwrap_or("not known"));
    for line in wrap(&statement, paper.width()).iter().skip(from) {
        paper.line(&[(line, Tone::Plain)]);
    }
}
