//! A report by the views of a server that runs.
//!
//! What always holds: what is asked are the functions over the history and nothing else, so it takes VIEW SERVER STATE. What it says of
//! the same times is what the file says.

use millpond_history::figure::Figure;
use millpond_history::series::Interval;
use millpond_report::Report;
use millpond_report::data::{Before, DAY_US, File, Row, Statement};
use millpond_report::ring::{ReportError, span};
use millpond_report::text::{When, time_text};
use millpond_top::source::{Cell, Rows, Source, SourceError};

use crate::sql::Login;
use crate::top::source::Session;

const STATE: &str = "select datediff_big(microsecond, '19700101', oldest_time_utc) as oldest_us, \
    datediff_big(microsecond, '19700101', newest_time_utc) as newest_us, samples_damaged, reason, @@servername as server_name \
    from sys.dm_millpond_history_state";
/// The begin of each question; the rest of the columns follow.
const TIMES: &str = "datediff_big(microsecond, '19700101', begin_time_utc) as begin_us, \
    datediff_big(microsecond, '19700101', end_time_utc) as end_us";

/// Rows by the names of their columns.
struct Named<'r> {
    rows: &'r Rows,
    row: &'r [Cell],
}

impl Named<'_> {
    fn cell(&self, name: &str) -> &Cell {
        let place = self.rows.columns.iter().position(|column| column == name);
        place.and_then(|place| self.row.get(place)).unwrap_or(&Cell::Null)
    }

    fn number(&self, name: &str) -> Option<f64> {
        match self.cell(name) {
            Cell::Int(number) => Some(*number as f64),
            Cell::Float(number) => Some(*number),
            _ => None,
        }
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.cell(name) {
            Cell::Int(number) => Some(*number),
            _ => None,
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.cell(name) {
            Cell::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn counters<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|name| self.int(name).and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    }

    fn row<W, const N: usize>(&self, of: W, names: [&str; N]) -> Row<W, N> {
        let [begin_us, end_us] = ["begin_us", "end_us"].map(|name| self.int(name).unwrap_or(0));
        Row { begin_us, end_us, of, counters: self.counters(names) }
    }
}

fn ask(source: &mut dyn Source, text: &str) -> Result<Rows, String> {
    match source.run(text) {
        Ok(results) => results.into_iter().next().ok_or_else(|| "the server answered nothing".to_owned()),
        Err(SourceError::Refused { number: 208, text }) => Err(format!("the server has no history of its own: {text}")),
        Err(SourceError::Refused { text, .. } | SourceError::Lost(text)) => Err(text),
    }
}

fn mapped<T>(rows: &Rows, of: impl Fn(&Named<'_>) -> T) -> Vec<T> {
    rows.rows.iter().map(|row| of(&Named { rows, row })).collect()
}

/// The report of a server.
pub fn read(login: &Login, from: Option<When>, to: Option<When>, step_s: Option<u64>) -> Result<Report, String> {
    let mut source = Session::new(login.connect().map_err(|error| error.to_string())?);
    let state = ask(&mut source, STATE)?;
    let state = Named { rows: &state, row: state.rows.first().map_or(&[], Vec::as_slice) };
    let name = state.text("server_name").unwrap_or_else(|| "the server".to_owned());
    let (Some(oldest_us), Some(newest_us)) = (state.int("oldest_us"), state.int("newest_us")) else {
        let reason = state.text("reason").map_or(String::new(), |reason| format!(": {reason}"));
        return Err(format!("{}{reason}", ReportError::Empty(name)));
    };
    let (from_us, to_us) = span(from, to, (oldest_us, newest_us)).map_err(|error| error.to_string())?;
    let intervals = intervals(&mut source, from_us, to_us, step_s)?;
    if intervals.is_empty() {
        return Err(ReportError::Nothing { from_us, to_us, recorded: (oldest_us, newest_us) }.to_string());
    }
    // The length of most: the first and the last may be shorter.
    let lengths_us = intervals.iter().map(|interval| (interval.end_us - interval.begin_us).unsigned_abs());
    let step_s = step_s.unwrap_or_else(|| lengths_us.max().unwrap_or(0).div_ceil(1_000_000).max(1));
    let span_us = to_us - from_us;
    let day_before = self::intervals(&mut source, from_us - DAY_US, to_us - DAY_US, Some(step_s))?;
    let just_before = self::intervals(&mut source, from_us - span_us, from_us, Some(step_s))?;
    let mut asked = |columns: &str, function: &str| {
        let arguments = arguments(from_us, to_us, Some(step_s));
        let order = "order by begin_time_utc";
        ask(
            &mut source,
            &format!("select {TIMES}, {columns} from sys.dm_millpond_history_{function}({arguments}) {order}"),
        )
    };
    let statements = asked("convert(bigint, query_hash) as hash, *", "statements")?;
    let waits = asked("*", "waits")?;
    let files = asked("*", "files")?;
    let damaged = state.int("samples_damaged").unwrap_or(0);
    Ok(Report {
        source: name,
        from_us,
        to_us,
        step_s,
        intervals,
        before: Before::choose(day_before, just_before, span_us),
        statements: mapped(&statements, statement),
        waits: mapped(&waits, |row| {
            let name = row.text("wait_type").unwrap_or_else(|| "?".to_owned());
            row.row(name, ["waiting_tasks_count", "wait_us", "signal_wait_us"])
        }),
        files: mapped(&files, file),
        notes: if damaged > 0 { vec![format!("{damaged} damaged samples are left out.")] } else { Vec::new() },
    })
}

fn arguments(from_us: i64, to_us: i64, step_s: Option<u64>) -> String {
    let time = |us: i64| format!("'{}.{:06}'", time_text(us).replace(' ', "T"), us.rem_euclid(1_000_000));
    let step = step_s.map_or("null".to_owned(), |step_s| step_s.to_string());
    format!("{}, {}, {step}", time(from_us), time(to_us))
}

fn intervals(source: &mut dyn Source, from_us: i64, to_us: i64, step_s: Option<u64>) -> Result<Vec<Interval>, String> {
    let arguments = arguments(from_us, to_us, step_s);
    let text = format!("select {TIMES}, * from sys.dm_millpond_history({arguments}) order by begin_time_utc");
    Ok(mapped(&ask(source, &text)?, interval))
}

fn interval(row: &Named<'_>) -> Interval {
    let us = |name: &str| (row.number(name).unwrap_or(0.0) * 1e6).round() as u64;
    let count = |name: &str| row.int(name).and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    let [begin_us, end_us] = ["begin_us", "end_us"].map(|name| row.int(name).unwrap_or(0));
    let mut interval = Interval::new(begin_us, end_us);
    interval.covered_us = us("covered_s");
    interval.down_us = us("down_s");
    interval.starts = count("starts");
    interval.crashes = count("crashes");
    for figure in Figure::ALL {
        interval.set(*figure, row.number(figure.name()).unwrap_or(0.0));
    }
    interval
}

fn statement(row: &Named<'_>) -> Row<Statement, 8> {
    let object_id = row.int("object_id").and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    let of = Statement {
        query_hash: row.int("hash").unwrap_or(0).cast_unsigned(),
        database: row.text("database_name"),
        object_id,
        text: row.text("statement_text"),
    };
    let counters = [
        "execution_count",
        "cpu_us",
        "elapsed_us",
        "logical_reads",
        "physical_reads",
        "logical_writes",
        "row_count",
        "spilled_pages",
    ];
    row.row(of, counters)
}

fn file(row: &Named<'_>) -> Row<File, 6> {
    let of = File { database: row.text("database_name"), name: row.text("file_name"), path: row.text("physical_name") };
    row.row(of, ["reads", "read_bytes", "read_stall_us", "writes", "write_bytes", "write_stall_us"])
}
