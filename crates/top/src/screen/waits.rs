//! Screen 5: what is waited for, by category and by type.

use super::paper::{Grid, Paper, Tone, number, text};
use crate::interval::Interval;
use crate::state::State;
use crate::units::{amount, percent};

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let mut grid = Grid::new(&[
        text("category", 18, 18, 0),
        number("ms/s", 8, 0),
        number("share", 6, 1),
        number("waiting now", 11, 2),
    ]);
    for category in interval.categories.iter().filter(|it| it.waiting_average > 0.0) {
        grid.push(
            Tone::Plain,
            vec![
                category.category.name().to_owned(),
                amount(category.wait_ms_per_s),
                percent(category.share),
                category.waiting_now.to_string(),
            ],
        );
    }
    let lines = (grid.rows.len() + 1).min((paper.height() / 2).max(2));
    paper.grid(&grid, lines, None);
    paper.skip();
    let types = types(interval, state);
    let selected = super::selected(&types, state);
    paper.grid(&types, usize::MAX, selected);
}

/// Types, those first that were waited for longest.
pub fn types(interval: &Interval, state: &State) -> Grid {
    let mut grid = Grid::new(&[
        text("type", 18, 40, 0),
        text("category", 12, 18, 2),
        number("waits/s", 8, 1),
        number("ms/s", 8, 0),
        number("ms each", 8, 1),
        number("signal", 6, 2),
    ]);
    for wait in &interval.waits {
        grid.push(
            Tone::Plain,
            vec![
                wait.wait_type.clone(),
                wait.category.name().to_owned(),
                amount(wait.waits_per_s),
                amount(wait.wait_ms_per_s),
                amount(wait.ms_per_wait),
                percent(wait.signal_share),
            ],
        );
    }
    grid.filter(&state.filter);
    grid
}
