//! Screen 7: logs of databases, what is in use of them and what keeps them from being cut.

use super::paper::{Grid, Paper, Tone, bar, number, text};
use crate::interval::{Interval, ratio};
use crate::state::State;
use crate::units::{amount, mb_of_kb, percent};

/// A log that is so full is worth a look.
const FULL: f64 = 0.8;

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let grid = databases(interval, state);
    let selected = super::selected(&grid, state);
    paper.grid(&grid, usize::MAX, selected);
}

/// Databases in the order of their numbers.
pub fn databases(interval: &Interval, state: &State) -> Grid {
    let mut grid = Grid::new(&[
        text("database", 10, 30, 0),
        number("log MB", 7, 0),
        number("used MB", 7, 1),
        number("used", 5, 0),
        text("", 10, 10, 4),
        text("waits for", 12, 22, 0),
        text("recovery", 8, 12, 3),
        number("KB/s", 8, 1),
        number("flushes/s", 9, 2),
        number("trans/s", 7, 3),
    ]);
    for log in &interval.logs {
        let share = log.size_kb.zip(log.used_kb).map(|(size, used)| ratio(used as f64, size as f64));
        grid.push(
            if share.is_some_and(|share| share >= FULL) { Tone::Alarm } else { Tone::Plain },
            vec![
                log.database.clone(),
                log.size_kb.map_or("-".to_owned(), mb_of_kb),
                log.used_kb.map_or("-".to_owned(), mb_of_kb),
                share.map_or(String::new(), percent),
                share.map_or(String::new(), |share| bar(&[('#', share)], 1.0, 10)),
                if log.state == "ONLINE" { log.reuse_wait.clone() } else { log.state.clone() },
                log.recovery_model.clone(),
                amount(log.flushed_bytes_per_s / 1024.0),
                amount(log.flushes_per_s),
                amount(log.transactions_per_s),
            ],
        );
    }
    grid.filter(&state.filter);
    grid
}
