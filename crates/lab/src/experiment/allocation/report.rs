//! What the sessions came to: plots, ratios, and what of the articles' questions they answer.
//!
//! What always holds: a ratio compares cases of one repetition. Knows nothing of how they were measured.

use super::{Kind, MEMORY_MB, Measured, Size, TEMPDB_MB, case_name, mixed_name};
use crate::experiment::Scale;
use crate::experiment::article::{Comparison, ROGERSON, Theirs};
use crate::experiment::case::{Case, Repetition, Samples};
use crate::experiment::outcome::Page;
use crate::plot::{Axis, Chart, Figures, Series, Spread};

pub(super) fn repetition(size: Size, measured: Vec<Measured>, mixed: [(f64, Case); 2]) -> Repetition {
    let of = |files: u32, sessions: usize| measured.iter().find(|m| (m.files, m.sessions) == (files, sessions));
    let rate = |files, sessions| of(files, sessions).map_or(f64::NAN, |m| m.waited.per_second);
    let (most, last) = (size.most_sessions(), size.files.last().copied().unwrap_or(1));
    let eight = if size.files.contains(&8) { 8 } else { last };
    let [(on, on_case), (off, off_case)] = mixed;
    let effects = vec![
        ("eight_files_over_one", rate(eight, most) / rate(1, most)),
        ("most_files_over_one", rate(last, most) / rate(1, most)),
        ("most_sessions_over_one_session", rate(1, most) / rate(1, size.sessions[0])),
        ("mixed_off_over_on", off / on),
    ];
    let lines = |value: fn(&Measured) -> f64| -> Vec<Series<(f64, Spread)>> {
        let line = |&sessions: &usize| {
            let points = measured.iter().filter(|m| m.sessions == sessions);
            let values = points.map(|m| (f64::from(m.files), Spread::from(value(m)))).collect();
            Series { name: if sessions == 1 { "1 session".into() } else { format!("{sessions} sessions") }, values }
        };
        size.sessions.iter().map(line).collect()
    };
    let chart = |title: &str, y: Axis, value| Chart {
        title: title.into(),
        y,
        figures: Figures::Lines { x: Axis::by_range("data files of tempdb"), lines: lines(value) },
    };
    let charts = vec![
        chart("Temporary tables that are created and dropped", Axis::by_range("tables per second"), |m| {
            m.waited.per_second
        }),
        chart("Waits for latches of pages", Axis::by_range("µs for each table; 0 has no point"), |m| {
            m.waited.page_us_per_table
        }),
        chart("Waits for the cache of free extents", Axis::by_range("µs for each table; 0 has no point"), |m| {
            m.waited.extents_us_per_table
        }),
    ];
    let cases = measured.iter().map(|m| m.case.clone()).chain([on_case, off_case]).collect();
    Repetition { cases, charts, effects }
}

pub(in crate::experiment) fn page(scale: Scale, samples: &Samples) -> Page {
    let size = Size::of(scale);
    let most = size.most_sessions();
    let said = |name| samples.said(name);
    let pages = |word| samples.spread(&mixed_name(word), "pages_of_a_table_of_one_row");
    let shown = |spread: Option<Spread>| spread.map_or_else(|| "?".to_owned(), |spread| spread.to_string());
    let has_effect = pages("on") != pages("off");
    let sum = |figure: &str| -> f64 {
        let all =
            size.files.iter().flat_map(|&files| size.sessions.iter().map(move |&sessions| case_name(files, sessions)));
        all.filter_map(|case| samples.spread(&case, figure)).map(|spread| spread.median).sum::<f64>() + 0.0
    };
    Page {
        title: "Files of tempdb and sessions that allocate",
        article: Some(ROGERSON),
        comparisons: vec![
            Comparison::unnumbered(
                format!("tables a second, eight files : one, {most} sessions"),
                Theirs::Unreadable("announced for a later article; contention falls with more files"),
                "×",
                samples.effect("eight_files_over_one"),
            ),
            Comparison::unnumbered(
                format!("tables a second, most files : one, {most} sessions"),
                Theirs::Words("may harm on a disk, by its head's movement"),
                "×",
                samples.effect("most_files_over_one"),
            ),
            Comparison::unnumbered(
                "tables a second, mixed extents off : on, as trace flag 1118",
                Theirs::Words("a good positive difference (a comment)"),
                "×",
                samples.effect("mixed_off_over_on"),
            ),
        ],
        differs: "the article asks the question and leaves the measurement to a later one; its server is SQL Server 2000, whose \
                  temporary tables began in mixed extents. In tempdb they never do since SQL Server 2016, nor do they here, so that \
                  the option is tried in a user database."
            .into(),
        setup: vec![
            format!(
                "Each session creates a temporary table of one row, and drops it, for {} seconds a case. The server has \
                 {MEMORY_MB} MB; tempdb has {TEMPDB_MB} MB in files of equal size, in memory.",
                size.time_ms as f64 / 1000.0
            ),
            "Beside the sessions one looks every 2 ms at requests that wait for the latch of a page, and counts what the pages \
             are: PFS, GAM, SGAM or another. Which extents are free is kept in memory (latch class ALLOC_EXTENT_CACHE), so \
             that map pages are latched to note a change, not to search. The loop runs in the server; the look is one more session."
                .into(),
            "The last two cases do the same with tables of a user database, with MIXED_PAGE_ALLOCATION on and off: the \
             counterpart of trace flag 1118."
                .into(),
        ],
        findings: vec![
            format!("With {most} sessions eight files give {} times the tables a second of one, most files {} times.", said("eight_files_over_one"), said("most_files_over_one")),
            format!("With one file, {most} sessions make {} times the tables a second of one session.", said("most_sessions_over_one_session")),
            format!(
                "In tempdb, all cases together, sessions waited {:.1} s for latches of pages and {:.1} s for the cache of free extents. \
                 Looks saw requests wait for a PFS page {:.0} times, for a GAM {:.0}, for an SGAM {:.0}, for other pages {:.0} times.",
                sum("page_latch_wait_ms") / 1e3,
                sum("extent_cache_wait_ms") / 1e3,
                sum(Kind::Pfs.figure()),
                sum(Kind::Gam.figure()),
                sum(Kind::Sgam.figure()),
                sum(Kind::Other.figure())
            ),
            format!(
                "MIXED_PAGE_ALLOCATION: a table of one row has {} pages with it on and {} with it off, tables a second off : on {}. {}",
                shown(pages("on")),
                shown(pages("off")),
                said("mixed_off_over_on"),
                if has_effect {
                    "The option decides where a table's first pages lie."
                } else {
                    "The option is kept and shown, but tables get their pages in the same way: there is nothing to switch off."
                }
            ),
        ],
        sections: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_without_effect_is_called_so() {
        let case = |word, pages: f64| Case::new(mixed_name(word)).with("pages_of_a_table_of_one_row", pages);
        let page = |off| {
            let cases = vec![case("on", 2.0), case("off", off)];
            page(Scale::Test, &Samples::new(vec![Repetition { cases, ..Repetition::default() }]))
        };
        assert!(page(2.0).findings[3].contains("there is nothing to switch off"));
        assert!(page(9.0).findings[3].contains("2 pages with it on and 9 with it off"), "{}", page(9.0).findings[3]);
    }
}
