//! A report as one page of HTML.
//!
//! What always holds: the page names nothing outside of itself and runs no program. Every text of a server goes through
//! [`escape`]. Light or dark is the reader's; at any width, and on paper, nothing is cut.

use std::fmt::Write as _;

use millpond_history::category::category;
use millpond_history::figure::Figure;
use millpond_history::series::Interval;

use crate::chart::{Chart, Line, Mark, color_rules};
use crate::compare::{FACTOR_MIN, changes};
use crate::data::{Before, File, Report, Statement, sums};
use crate::text::{amount, escape, span_text, time_text};
use crate::unusual::{RULE, unusual};

const STYLE: &str = include_str!("style.css");
/// Rows of a table.
const ROWS_MAX: usize = 20;
const MB: f64 = 1e6;
const PAGE_BYTES: f64 = 8192.0;
const US_PER_S: f64 = 1e6;
const MS_PER_S: f64 = 1e3;

/// A chart: title, unit, whether it is a stack, and its lines: name, figure, and what the rate is divided by.
type Drawn = (&'static str, &'static str, bool, &'static [(&'static str, Figure, f64)]);

const CHARTS: &[Drawn] = &[
    (
        "Throughput",
        "per second",
        false,
        &[
            ("batches", Figure::batches, 1.0),
            ("transactions that change something", Figure::transactions, 1.0),
            ("statements bound", Figure::compilations, 1.0),
        ],
    ),
    (
        "Processors",
        "in use on average",
        true,
        &[("programs", Figure::cpu_user_ms, MS_PER_S), ("kernel", Figure::cpu_kernel_ms, MS_PER_S)],
    ),
    (
        "Waits by what they are for",
        "requests waiting on average",
        true,
        &[
            ("locks", Figure::wait_lock_us, US_PER_S),
            ("page I/O", Figure::wait_page_io_us, US_PER_S),
            ("log", Figure::wait_log_us, US_PER_S),
            ("other I/O", Figure::wait_other_io_us, US_PER_S),
            ("memory grants", Figure::wait_memory_grant_us, US_PER_S),
            ("latches", Figure::wait_latch_us, US_PER_S),
            ("processor", Figure::wait_processor_us, US_PER_S),
            ("parallelism", Figure::wait_parallelism_us, US_PER_S),
            ("workers", Figure::wait_worker_us, US_PER_S),
            ("network", Figure::wait_network_us, US_PER_S),
            ("other", Figure::wait_other_us, US_PER_S),
        ],
    ),
    (
        "Requests and grants",
        "on average",
        false,
        &[
            ("requests that run", Figure::requests, 1.0),
            ("grants held", Figure::grants_held, 1.0),
            ("waiting for a grant", Figure::grants_waiting, 1.0),
        ],
    ),
    ("Sessions", "on average", false, &[("sessions", Figure::sessions, 1.0)]),
    (
        "Pages read",
        "per second",
        false,
        &[
            ("asked for", Figure::logical_reads, 1.0),
            ("from files", Figure::physical_reads, 1.0),
            ("ahead of need", Figure::read_ahead_reads, 1.0),
            ("from the extension", Figure::extension_hits, 1.0),
        ],
    ),
    (
        "Files",
        "MB per second",
        false,
        &[("read", Figure::file_read_bytes, MB), ("written", Figure::file_write_bytes, MB)],
    ),
    (
        "Written, by reason",
        "MB per second",
        true,
        &[
            ("log", Figure::written_log_bytes, MB),
            ("checkpoint", Figure::written_checkpoint_bytes, MB),
            ("to make room", Figure::written_lazy_bytes, MB),
            ("spills", Figure::written_spill_bytes, MB),
            ("bulk", Figure::written_eager_bytes, MB),
            ("growth", Figure::written_growth_bytes, MB),
            ("overflow", Figure::written_overflow_bytes, MB),
            ("extension", Figure::written_extension_bytes, MB),
            ("snapshots", Figure::written_snapshot_bytes, MB),
            ("recovery", Figure::written_recovery_bytes, MB),
            ("moves", Figure::written_move_bytes, MB),
            ("heads", Figure::written_header_bytes, MB),
        ],
    ),
    ("Log", "per second", false, &[("flushes", Figure::log_flushes, 1.0), ("commits", Figure::commits, 1.0)]),
    (
        "tempdb, by use",
        "MB",
        true,
        &[
            ("user objects", Figure::tempdb_user_pages, MB / PAGE_BYTES),
            ("internal objects", Figure::tempdb_internal_pages, MB / PAGE_BYTES),
            ("versions", Figure::tempdb_version_pages, MB / PAGE_BYTES),
            ("mixed extents", Figure::tempdb_mixed_pages, MB / PAGE_BYTES),
        ],
    ),
    (
        "Memory, by holder",
        "MB",
        true,
        &[
            ("buffer pool", Figure::memory_pool_bytes, MB),
            ("grants", Figure::memory_grants_bytes, MB),
            ("values", Figure::memory_values_bytes, MB),
            ("plans", Figure::memory_plans_bytes, MB),
            ("texts", Figure::memory_texts_bytes, MB),
            ("variables", Figure::memory_variables_bytes, MB),
        ],
    ),
    (
        "Errors",
        "per second",
        false,
        &[
            ("errors", Figure::errors, 1.0),
            ("deadlocks", Figure::deadlocks, 1.0),
            ("lock timeouts", Figure::lock_timeouts, 1.0),
            ("cancelled requests", Figure::attentions, 1.0),
        ],
    ),
];

/// The page.
#[must_use]
pub fn html(report: &Report) -> String {
    let mut page = String::with_capacity(1 << 16);
    let title = format!("Report of {}", escape(&report.source));
    let _ = write!(
        page,
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}{}</style></head><body><h1>{title}</h1>",
        color_rules()
    );
    head(report, &mut page);
    changed(report, &mut page);
    unusual_ones(report, &mut page);
    page.push_str("<h2>Over time</h2><div class=charts>");
    let marks = marks(report);
    let spans: Vec<_> = report.intervals.iter().map(|interval| (interval.begin_us, interval.end_us)).collect();
    for drawn in CHARTS {
        page.push_str(&chart(report, drawn, &spans, &marks).unwrap_or_default());
    }
    page.push_str("</div>");
    statements(report, &mut page);
    waits(report, &mut page);
    files(report, &mut page);
    method(report, &mut page);
    page.push_str("</body></html>\n");
    page
}

fn head(report: &Report, page: &mut String) {
    let whole = report.whole();
    let _ = write!(
        page,
        "<p>{} to {} <span class=dim>UTC, intervals of {}</span></p><p class=dim>Recorded: {}",
        time_text(report.from_us),
        time_text(report.to_us),
        span_text(report.step_s.saturating_mul(1_000_000)),
        span_text(whole.covered_us)
    );
    if whole.down_us > 0 {
        let _ = write!(page, "; no server ran for {}", span_text(whole.down_us));
    }
    if whole.starts > 0 {
        let _ = write!(page, "; {}", counted(whole.starts, "start", "starts"));
    }
    page.push_str("</p>");
    if whole.crashes > 0 {
        let ended = counted(whole.crashes, "time", "times");
        let _ = write!(page, "<p class=bad>The server ended {ended} without a shutdown.</p>");
    }
    for note in &report.notes {
        let _ = write!(page, "<p class=bad>{}</p>", escape(note));
    }
}

fn counted(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A rate, or a level, with its unit, by the unit in the figure's name.
fn value_text(figure: Figure, value: f64) -> String {
    let name = figure.name();
    match figure.is_total() {
        true if name.ends_with("_us") => format!("{} waiting", amount(value / US_PER_S)),
        true if name.ends_with("_ms") => format!("{} processors", amount(value / MS_PER_S)),
        true if name.ends_with("_bytes") => format!("{} MB/s", amount(value / MB)),
        true => format!("{}/s", amount(value)),
        false if name.ends_with("_bytes") => format!("{} MB", amount(value / MB)),
        false if name.ends_with("_pages") => format!("{} MB", amount(value * PAGE_BYTES / MB)),
        false if name.ends_with("_s") => format!("{} s", amount(value)),
        false => amount(value),
    }
}

fn changed(report: &Report, page: &mut String) {
    let _ = write!(page, "<h2>What changed <span class=unit>against {}</span></h2>", report.before.name());
    let changes = changes(report);
    if changes.is_empty() {
        if report.before != Before::Unknown {
            let _ = write!(page, "<p>Nothing, by a factor of {FACTOR_MIN} or more.</p>");
        }
        return;
    }
    let mut table = Table::begin(page, &["", "now", "before", "factor"], 0);
    for change in changes {
        let factor = change.factor();
        let factor = if factor.is_finite() { format!("× {}", amount(factor)) } else { "new".to_owned() };
        let name = format!("{} <span class=dim>{}</span>", escape(change.figure.meaning()), change.figure.name());
        table.row(&[&name, &value_text(change.figure, change.now), &value_text(change.figure, change.before), &factor]);
    }
    table.end();
}

fn unusual_ones(report: &Report, page: &mut String) {
    page.push_str("<h2>Unusual <span class=unit>against the same hours of the day before</span></h2>");
    if !matches!(report.before, Before::DayBefore(_)) {
        page.push_str("<p>Too little is recorded of the day before.</p>");
        return;
    }
    let found = unusual(report);
    if found.is_empty() {
        page.push_str("<p>Nothing.</p>");
        return;
    }
    let mut table = Table::begin(page, &["", "from", "to", "value", "usual"], 0);
    for finding in found {
        table.row(&[
            &escape(finding.figure.meaning()),
            &time_text(finding.begin_us),
            &time_text(finding.end_us),
            &value_text(finding.figure, finding.value),
            &value_text(finding.figure, finding.usual),
        ]);
    }
    table.end();
}

fn chart(
    report: &Report,
    (title, unit, is_stack, lines): &Drawn,
    spans: &[(i64, i64)],
    marks: &[Mark],
) -> Option<String> {
    let line = |(name, figure, divisor): &(&'static str, Figure, f64)| Line {
        name,
        values: report.intervals.iter().map(|interval| Some(interval.rate(*figure)? / divisor)).collect(),
    };
    let lines = lines.iter().map(line).collect();
    let (from_us, to_us, is_stack) = (report.from_us, report.to_us, *is_stack);
    Chart { title, unit, is_stack, lines, from_us, to_us, intervals: spans, marks }.html()
}

/// Down times, where no interval covers them, starts and crashes, at the begin of the interval that has them.
fn marks(report: &Report) -> Vec<Mark> {
    let mut marks = Vec::new();
    for Interval { begin_us, end_us, down_us, starts, crashes, .. } in &report.intervals {
        if *down_us > (end_us - begin_us).unsigned_abs() / 2 {
            marks.push(Mark::Down(*begin_us, *end_us));
        }
        if *crashes > 0 {
            marks.push(Mark::Crash(*begin_us));
        } else if *starts > 0 {
            marks.push(Mark::Start(*begin_us));
        }
    }
    marks
}

/// A table; the columns from `texts` on are numbers.
struct Table<'p> {
    page: &'p mut String,
    columns: Vec<String>,
    text_at: usize,
}

impl<'p> Table<'p> {
    fn begin(page: &'p mut String, columns: &[&str], text_at: usize) -> Table<'p> {
        page.push_str("<table class=wide><thead><tr>");
        for (at, column) in columns.iter().enumerate() {
            let class = if at == text_at { "t" } else { "n" };
            let _ = write!(page, "<th class={class}>{}</th>", escape(column));
        }
        page.push_str("</tr></thead><tbody>");
        Table { page, columns: columns.iter().map(|column| escape(column)).collect(), text_at }
    }

    /// Cells of HTML.
    fn row(&mut self, cells: &[&str]) {
        self.page.push_str("<tr>");
        for (at, (cell, column)) in cells.iter().zip(&self.columns).enumerate() {
            let class = if at == self.text_at { "t" } else { "n" };
            let _ = write!(self.page, "<td class={class} data-n=\"{column}\">{cell}</td>");
        }
        self.page.push_str("</tr>");
    }

    fn end(self) {
        self.page.push_str("</tbody></table>");
    }
}

fn seconds(us: u64) -> String {
    amount(us as f64 / US_PER_S)
}

fn statements(report: &Report, page: &mut String) {
    let key = |statement: &Statement| (statement.query_hash, statement.database.clone(), statement.object_id);
    for (title, place) in [("Statements by processor time", 1), ("Statements by pages read", 3)] {
        let mut all = sums(&report.statements, key, place);
        all.retain(|(_, counters)| counters[place] > 0);
        let _ = write!(page, "<h2>{title}</h2>");
        if all.is_empty() {
            page.push_str("<p>None ended.</p>");
            continue;
        }
        let columns =
            ["statement", "executions", "CPU s", "elapsed s", "pages", "from files", "changed", "rows", "spilled MB"];
        let mut table = Table::begin(page, &columns, 0);
        for (statement, counters) in all.iter().take(ROWS_MAX) {
            let [executions, cpu_us, elapsed_us, logical, physical, written, rows, spilled] = *counters;
            let database = statement.database.as_deref().unwrap_or("?");
            let text = statement.text.as_deref().unwrap_or("(its text is no longer kept)");
            let module = match statement.object_id {
                0 => String::new(),
                id => format!(" in module {id}"),
            };
            let shown = format!(
                "<pre>{}</pre><span class=dim><bdi>{}</bdi>{module} 0x{:016X}</span>",
                escape(text),
                escape(database),
                statement.query_hash
            );
            let number = |value: u64| amount(value as f64);
            table.row(&[
                &shown,
                &number(executions),
                &seconds(cpu_us),
                &seconds(elapsed_us),
                &number(logical),
                &number(physical),
                &number(written),
                &number(rows),
                &amount(spilled as f64 * PAGE_BYTES / MB),
            ]);
        }
        table.end();
    }
}

fn waits(report: &Report, page: &mut String) {
    page.push_str("<h2>Waits by type</h2>");
    let all = sums(&report.waits, String::clone, 1);
    if all.is_empty() {
        page.push_str("<p>None.</p>");
        return;
    }
    let mut table = Table::begin(page, &["type", "for", "waits", "seconds", "ms each", "after the signal, s"], 0);
    for (name, [waits, wait_us, signal_us]) in all.iter().take(ROWS_MAX) {
        table.row(&[
            &escape(name),
            category(name).name(),
            &amount(*waits as f64),
            &seconds(*wait_us),
            &amount(*wait_us as f64 / (*waits).max(1) as f64 / MS_PER_S),
            &seconds(*signal_us),
        ]);
    }
    table.end();
}

fn files(report: &Report, page: &mut String) {
    page.push_str("<h2>Files</h2>");
    let mut all = sums(&report.files, File::clone, 0);
    all.sort_by_key(|(_, counters)| std::cmp::Reverse(counters[1].saturating_add(counters[4])));
    if all.is_empty() {
        page.push_str("<p>None was read or written.</p>");
        return;
    }
    let columns = ["file", "reads", "MB read", "ms each", "writes", "MB written", "ms each"];
    let mut table = Table::begin(page, &columns, 0);
    for (file, [reads, read_bytes, read_us, writes, write_bytes, write_us]) in all.iter().take(ROWS_MAX) {
        let part = |text: &Option<String>| escape(text.as_deref().unwrap_or("?"));
        let name = format!(
            "<bdi>{}</bdi>.<bdi>{}</bdi> <span class=dim><bdi>{}</bdi></span>",
            part(&file.database),
            part(&file.name),
            part(&file.path)
        );
        let each = |us: u64, count: u64| amount(us as f64 / count.max(1) as f64 / MS_PER_S);
        table.row(&[
            &name,
            &amount(*reads as f64),
            &amount(*read_bytes as f64 / MB),
            &each(*read_us, *reads),
            &amount(*writes as f64),
            &amount(*write_bytes as f64 / MB),
            &each(*write_us, *writes),
        ]);
    }
    table.end();
}

fn method(report: &Report, page: &mut String) {
    let _ = write!(
        page,
        "<h2>How to read it</h2><p class=dim>Times are UTC. What was counted since the server's start is shown as rates of \
         each interval, levels as averages; a request that waits all the time is 1 waiting. Dotted lines are starts, red ones ends \
         without a shutdown, grey is time without a server. Statements count when they end, so one that runs for an hour shows \
         at its end; of each second, ten seconds, minute and five minutes the ten statements with most processor time and the ten \
         that read most are kept. Against {}: rates differ by a factor of {FACTOR_MIN} or more. {RULE}</p>",
        report.before.name()
    );
}

#[cfg(test)]
mod tests;
