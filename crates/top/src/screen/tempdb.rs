//! Screen 3: tempdb's files, what fills them, and which sessions hold it.

use super::paper::{Grid, Paper, Tone, bar, number, text};
use crate::figures;
use crate::interval::Interval;
use crate::sample::{FileIo, Sample};
use crate::state::State;
use crate::units::{amount, mb_of_pages, time_ms};

/// tempdb's number.
const TEMPDB: i64 = 2;

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let sample = &interval.sample;
    let mut grid = Grid::new(&[
        text("file", 8, 16, 0),
        number("MB", 7, 0),
        text("fill", 14, 40, 3),
        number("free MB", 7, 1),
        text("growth", 7, 10, 4),
        number("reads/s", 7, 2),
        number("MB/s", 6, 2),
        number("writes/s", 8, 1),
        number("MB/s", 6, 1),
        number("ms/read", 7, 5),
        number("ms/write", 8, 5),
    ]);
    for file in &interval.files {
        let of = &sample.files[file.place];
        if of.database_id != TEMPDB {
            continue;
        }
        let space = sample.tempdb_files.iter().find(|it| it.file_id == of.file_id);
        let total = space.map_or(of.size_on_disk_bytes / crate::interval::PAGE_BYTES, |it| it.total_pages);
        let fill = space.map_or(String::new(), |it| {
            let parts = [
                ('U', it.user_objects_pages as f64),
                ('I', it.internal_objects_pages as f64),
                ('V', it.version_store_pages as f64),
                ('M', it.mixed_extent_pages as f64),
            ];
            bar(&parts, it.total_pages as f64, 14)
        });
        grid.push(
            Tone::Plain,
            vec![
                of.file_name.clone(),
                mb_of_pages(total),
                fill,
                space.map_or(String::new(), |it| mb_of_pages(it.free_pages)),
                growth(of),
                amount(file.traffic.reads_per_s),
                amount(file.traffic.read_bytes_per_s / 1_048_576.0),
                amount(file.traffic.writes_per_s),
                amount(file.traffic.write_bytes_per_s / 1_048_576.0),
                amount(file.traffic.ms_per_read),
                amount(file.traffic.ms_per_write),
            ],
        );
    }
    let lines = (grid.rows.len() + 1).min((paper.height() / 2).max(2));
    paper.grid(&grid, lines, None);
    paper.line(&[("U user objects, I internal objects, V versions, M mixed extents, . free", Tone::Quiet)]);
    let versions = sample.tempdb_files.iter().map(|it| it.version_store_pages).fold(0i64, i64::saturating_add);
    let versions = format!("{} MB", mb_of_pages(versions));
    let oldest = oldest_version_user(sample).unwrap_or_default();
    paper.line(&[("Version store  ", Tone::Title), (&versions, Tone::Plain), (&oldest, Tone::Plain)]);
    paper.skip();
    let grid = holders(interval, state);
    let selected = super::selected(&grid, state);
    paper.grid(&grid, usize::MAX, selected);
}

/// The transaction that no version can go before whose end: versions are cut behind the oldest one.
fn oldest_version_user(sample: &Sample) -> Option<String> {
    let oldest = sample.version_users.iter().max_by_key(|it| it.elapsed_s)?;
    let session = sample.sessions.iter().find(|it| it.session_id == oldest.session_id);
    let login = session.map_or(String::new(), |it| format!(" ({}, {})", it.login_name, it.program_name));
    let kind = if oldest.is_snapshot == 0 { "transaction" } else { "snapshot" };
    let statement = sample.statement(oldest.session_id).map_or(String::new(), |text| format!(": {text}"));
    let time = time_ms(oldest.elapsed_s.saturating_mul(1000));
    Some(format!(", kept for the {kind} of session {}{login}, {time} old{statement}", oldest.session_id))
}

fn growth(file: &FileIo) -> String {
    match (file.growth, file.is_percent_growth) {
        (0, _) => "none".to_owned(),
        (percent, 1) => format!("{percent} %"),
        (pages, _) => format!("{} MB", mb_of_pages(pages)),
    }
}

/// Sessions that hold pages.
pub fn holders(interval: &Interval, state: &State) -> Grid {
    let sample = &interval.sample;
    let mut grid = Grid::new(&[
        number("session", 7, 0),
        number("user MB", 7, 0),
        number("internal MB", 11, 0),
        text("login", 6, 16, 2),
        text("program", 8, 20, 1),
        text("statement", 10, 4000, 1),
    ]);
    for (session_id, user, internal) in figures::holders(interval) {
        let session = sample.sessions.iter().find(|it| it.session_id == session_id);
        grid.push(
            Tone::Plain,
            vec![
                session_id.to_string(),
                mb_of_pages(user),
                mb_of_pages(internal),
                session.map_or(String::new(), |it| it.login_name.clone()),
                session.map_or(String::new(), |it| it.program_name.clone()),
                sample.statement(session_id).unwrap_or_default().to_owned(),
            ],
        );
    }
    grid.filter(&state.filter);
    grid
}
