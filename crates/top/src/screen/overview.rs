//! Screen 1: what the server does at all, and what it is bound by.

use super::paper::{Grid, Paper, Tone, bar, number, spark, text};
use crate::interval::Interval;
use crate::state::{Point, State};
use crate::units::{amount, mb_of_kb, mb_of_pages, percent, whole};
use crate::verdict::verdict;

/// Draws it.
pub fn draw(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let sentence = &verdict(interval).sentence;
    paper.wrapped("Bound by   ", sentence, Tone::Alarm, 2);
    if interval.is_restart {
        paper.line(&[
            ("Restarted  ", Tone::Title),
            ("the server was started anew; rates begin with the next interval", Tone::Alarm),
        ]);
    }
    refused(paper, interval);
    paper.skip();
    rates(paper, interval, state);
    paper.skip();
    memory(paper, interval);
    tempdb(paper, interval);
    paper.skip();
    waits(paper, interval);
}

fn refused(paper: &mut Paper<'_>, interval: &Interval) {
    let refused = &interval.sample.refused;
    if refused.is_empty() {
        return;
    }
    let parts: Vec<String> = refused.iter().map(|it| format!("{} ({})", it.part, it.number)).collect();
    let right = refused.iter().any(|it| matches!(it.number, 297 | 300 | 262));
    // First, as the rest may be cut.
    let why = if right { "the login has no VIEW SERVER STATE: " } else { "" };
    paper.wrapped("Refused    ", &format!("{why}{}", parts.join(", ")), Tone::Alarm, 3);
}

fn rates(paper: &mut Paper<'_>, interval: &Interval, state: &State) {
    let sample = &interval.sample;
    let cpus = sample.system.as_ref().map_or(String::new(), |system| format!("of {} CPUs", system.cpu_count));
    let cpu = interval.cpu_share.map_or("-".to_owned(), percent);
    let traffic = &interval.traffic;
    let mb = |bytes: f64| format!("{} MB/s", amount(bytes / 1_048_576.0));
    let running = sample.sessions.iter().filter(|it| it.request_status.is_some()).count();
    let blocked = sample.sessions.iter().filter(|it| it.blocking_session_id > 0).count();
    let waiting: f64 = interval.categories.iter().map(|it| it.waiting_average).sum();
    let each = |count: f64, ms: f64| format!("{} IO/s, {} ms", amount(count), amount(ms));
    type Figure = fn(&Point) -> f64;
    let lines: [(&str, String, String, Figure); 7] = [
        ("CPU", cpu, cpus, |it| it.cpu_share),
        ("Batches", format!("{} /s", amount(interval.batches_per_s)), compilations(interval), |it| it.batches_per_s),
        ("Transact.", format!("{} /s", amount(interval.transactions_per_s)), deadlocks(interval), |it| {
            it.transactions_per_s
        }),
        ("Reads", mb(traffic.read_bytes_per_s), each(traffic.reads_per_s, traffic.ms_per_read), |it| {
            it.read_bytes_per_s
        }),
        ("Writes", mb(traffic.write_bytes_per_s), each(traffic.writes_per_s, traffic.ms_per_write), |it| {
            it.write_bytes_per_s
        }),
        ("Log", mb(interval.log_bytes_per_s), String::new(), |it| it.log_bytes_per_s),
        (
            "Sessions",
            whole(sample.session_count),
            format!("{running} run, {blocked} blocked, {} wait", amount(waiting)),
            |it| it.waiting,
        ),
    ];
    let room = paper.width().saturating_sub(51).min(60);
    for (name, figure, more, of) in lines {
        let history = spark(state.history.iter().map(of), room);
        let line = format!("{figure:>12}  {more:<26}");
        paper.line(&[(&format!("{name:<11}"), Tone::Title), (&line, Tone::Plain), (&history, Tone::Quiet)]);
    }
}

fn compilations(interval: &Interval) -> String {
    format!("{} compilations/s", amount(interval.compilations_per_s))
}

fn deadlocks(interval: &Interval) -> String {
    if interval.deadlocks_per_s > 0.0 { format!("{:.2} deadlocks/s", interval.deadlocks_per_s) } else { String::new() }
}

fn memory(paper: &mut Paper<'_>, interval: &Interval) {
    let sample = &interval.sample;
    let total = sample.system.as_ref().map_or(String::new(), |system| {
        format!("{} of {} MB", mb_of_kb(system.committed_kb), mb_of_kb(system.committed_target_kb))
    });
    let clerks: Vec<String> = sample
        .memory
        .iter()
        .take(6)
        .map(|clerk| {
            let name = clerk.clerk.rsplit_once("STORE_").or_else(|| clerk.clerk.split_once("MEMORYCLERK_"));
            format!("{} {}", name.map_or(clerk.clerk.as_str(), |it| it.1), mb_of_kb(clerk.pages_kb))
        })
        .collect();
    let between = if total.is_empty() || clerks.is_empty() { "" } else { ": " };
    paper.wrapped("Memory     ", &format!("{total}{between}{}", clerks.join(", ")), Tone::Plain, 2);
}

fn tempdb(paper: &mut Paper<'_>, interval: &Interval) {
    let files = &interval.sample.tempdb_files;
    let sum = |of: fn(&crate::sample::TempdbFile) -> i64| files.iter().map(of).fold(0i64, i64::saturating_add);
    let (user, internal) = (sum(|it| it.user_objects_pages), sum(|it| it.internal_objects_pages));
    let (versions, mixed) = (sum(|it| it.version_store_pages), sum(|it| it.mixed_extent_pages));
    let (free, total) = (sum(|it| it.free_pages), sum(|it| it.total_pages));
    let parts = [('U', user as f64), ('I', internal as f64), ('V', versions as f64), ('M', mixed as f64)];
    let drawn = bar(&parts, total as f64, paper.width().saturating_sub(13).min(67));
    paper.line(&[("tempdb     ", Tone::Title), (&format!("[{drawn}]"), Tone::Plain)]);
    let words = format!(
        "{} MB: U user {}, I internal {}, V versions {}, M mixed {}, . free {}",
        mb_of_pages(total),
        mb_of_pages(user),
        mb_of_pages(internal),
        mb_of_pages(versions),
        mb_of_pages(mixed),
        mb_of_pages(free)
    );
    paper.line(&[("           ", Tone::Title), (&words, Tone::Plain)]);
}

fn waits(paper: &mut Paper<'_>, interval: &Interval) {
    let mut grid = Grid::new(&[
        text("Waits for", 17, 17, 0),
        number("ms/s", 8, 0),
        number("share", 6, 1),
        number("waiting", 7, 1),
        text("longest", 8, 40, 2),
    ]);
    let mut categories: Vec<_> = interval.categories.iter().filter(|it| it.waiting_average > 0.0).collect();
    categories.sort_by(|a, b| b.waiting_average.total_cmp(&a.waiting_average));
    for category in categories {
        let longest = interval.waits.iter().find(|wait| wait.category == category.category);
        grid.push(
            Tone::Plain,
            vec![
                category.category.name().to_owned(),
                amount(category.wait_ms_per_s),
                percent(category.share),
                category.waiting_now.to_string(),
                longest.map_or(String::new(), |wait| wait.wait_type.clone()),
            ],
        );
    }
    paper.grid(&grid, usize::MAX, None);
}
