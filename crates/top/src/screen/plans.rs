//! Screen 6: operators of the statements that run, each below the one that takes its rows.

use super::paper::{Grid, Paper, Tone, number, text};
use crate::figures;
use crate::interval::Interval;
use crate::state::State;
use crate::units::{time_ms, whole};

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let grid = operators(interval, state);
    if grid.rows.is_empty() {
        paper.line(&[("no statement runs whose operators are known", Tone::Quiet)]);
        return;
    }
    let selected = super::selected(&grid, state);
    paper.grid(&grid, usize::MAX, selected);
}

/// Operators of all sessions, a line with its statement above those of each.
pub fn operators(interval: &Interval, state: &State) -> Grid {
    let sample = &interval.sample;
    let mut grid = Grid::new(&[
        text("operator", 20, 60, 0),
        number("rows", 6, 0),
        number("expected", 8, 1),
        number("%", 4, 2),
        number("time", 7, 2),
        number("CPU", 7, 1),
        number("threads", 7, 3),
    ]);
    let mut session = None;
    for row in figures::operators(interval) {
        let operator = &sample.operators[row.place];
        if session != Some(operator.session_id) {
            session = Some(operator.session_id);
            let statement = sample.statement(operator.session_id).unwrap_or_default();
            grid.push(Tone::Title, vec![format!("session {}: {statement}", operator.session_id)]);
        }
        let share = operator.rows.zip(operator.estimated_rows).filter(|(_, expected)| *expected > 0);
        grid.push(
            Tone::Plain,
            vec![
                format!("{}{}", "  ".repeat((row.depth + 1).min(20)), operator.operator),
                operator.rows.map_or("-".to_owned(), whole),
                operator.estimated_rows.map_or("-".to_owned(), whole),
                share.map_or(String::new(), |(rows, expected)| {
                    let percent = rows as f64 / expected as f64 * 100.0;
                    if percent > 9_999.0 { ">9,999".to_owned() } else { format!("{percent:.0}") }
                }),
                operator.elapsed_ms.map_or("-".to_owned(), time_ms),
                operator.cpu_ms.map_or("-".to_owned(), time_ms),
                operator.threads.to_string(),
            ],
        );
    }
    grid.filter(&state.filter);
    grid
}
