//! Screen 4: what is read from files and written to them, volumes, and why there are writes, where the server tells.

use super::paper::{Column, Grid, Paper, Tone, number, text};
use crate::interval::{Interval, Traffic};
use crate::state::State;
use crate::units::{amount, mb_of_bytes};

/// Columns of traffic; at 80 columns the sizes of an I/O leave.
fn columns(first: &[Column]) -> Vec<Column> {
    let traffic = [
        number("reads/s", 7, 1),
        number("MB/s", 6, 0),
        number("ms", 5, 0),
        number("KB each", 7, 4),
        number("writes/s", 8, 1),
        number("MB/s", 6, 0),
        number("ms", 5, 0),
        number("KB each", 7, 4),
    ];
    [first, &traffic].concat()
}

fn cells(traffic: &Traffic) -> [String; 8] {
    let mb = |bytes: f64| amount(bytes / 1_048_576.0);
    [
        amount(traffic.reads_per_s),
        mb(traffic.read_bytes_per_s),
        amount(traffic.ms_per_read),
        amount(traffic.bytes_per_read() / 1024.0),
        amount(traffic.writes_per_s),
        mb(traffic.write_bytes_per_s),
        amount(traffic.ms_per_write),
        amount(traffic.bytes_per_write() / 1024.0),
    ]
}

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let volumes = volumes(interval);
    let writes = writes(interval);
    // Files have what the others leave, and at least half.
    let most = paper.height() / 4;
    let below = |rows: usize| if rows == 0 { 0 } else { (rows + 2).min(most.max(2)) };
    let (of_volumes, of_writes) = (below(volumes.rows.len()), below(writes.rows.len()));
    let files = files(interval, state);
    let lines = paper.height().saturating_sub(of_volumes + of_writes).min(files.rows.len() + 1);
    paper.grid(&files, lines, super::selected(&files, state));
    for (grid, lines) in [(&volumes, of_volumes), (&writes, of_writes)] {
        if lines > 0 {
            paper.skip();
            paper.grid(grid, lines - 1, None);
        }
    }
}

/// Files, those first that were waited for longest.
pub fn files(interval: &Interval, state: &State) -> Grid {
    let mut grid = Grid::new(&columns(&[text("file", 14, 30, 0)]));
    let mut files: Vec<_> = interval.files.iter().collect();
    let stall = |traffic: &Traffic| traffic.read_stall_ms_per_s + traffic.write_stall_ms_per_s;
    let bytes = |traffic: &Traffic| traffic.read_bytes_per_s + traffic.write_bytes_per_s;
    files.sort_by(|a, b| {
        let by = stall(&b.traffic).total_cmp(&stall(&a.traffic));
        by.then(bytes(&b.traffic).total_cmp(&bytes(&a.traffic))).then(a.place.cmp(&b.place))
    });
    for file in files {
        let of = &interval.sample.files[file.place];
        let mut row = vec![format!("{}.{}", of.database_name, of.file_name)];
        row.extend(cells(&file.traffic));
        grid.push(Tone::Plain, row);
    }
    grid.filter(&state.filter);
    grid
}

fn volumes(interval: &Interval) -> Grid {
    let mut columns = columns(&[text("volume", 14, 30, 0)]);
    columns.extend([number("flushes/s", 9, 5), number("ms", 5, 5), number("queue", 5, 5), number("free GB", 7, 6)]);
    let mut grid = Grid::new(&columns);
    for volume in &interval.volumes {
        let named = if volume.model.is_empty() {
            volume.volume.clone()
        } else {
            format!("{} ({})", volume.volume, volume.model)
        };
        let mut row = vec![named];
        row.extend(cells(&volume.traffic));
        row.extend([
            volume.flushes_per_s.map_or(String::new(), amount),
            volume.ms_per_flush.map_or(String::new(), amount),
            volume.queue_length.map_or(String::new(), |it| it.to_string()),
            volume.available_bytes.map_or(String::new(), |it| amount(it as f64 / f64::from(1 << 30))),
        ]);
        grid.push(Tone::Plain, row);
    }
    grid
}

fn writes(interval: &Interval) -> Grid {
    let mut grid = Grid::new(&[
        text("why written", 14, 24, 0),
        text("file", 10, 20, 0),
        number("writes/s", 8, 0),
        number("MB/s", 6, 0),
        number("MB in all", 9, 1),
        text("most by", 10, 16, 2),
    ]);
    for write in &interval.writes {
        let by = if write.session_id == 0 { "server".to_owned() } else { format!("session {}", write.session_id) };
        grid.push(
            Tone::Plain,
            vec![
                write.reason.clone(),
                write.file_name.clone(),
                amount(write.writes_per_s),
                amount(write.write_bytes_per_s / 1_048_576.0),
                mb_of_bytes(write.total_bytes),
                by,
            ],
        );
    }
    grid
}
