//! Pages and tables of a server that was called hostile names.

use std::collections::BTreeSet;
use std::path::Path;

use millpond_history::collector::{Collector, FileIs, StatementIs};
use millpond_history::figure::Figures;
use millpond_history::ring::{FILE_NAME, Writer};
use tempfile::TempDir;

use super::*;
use crate::formats::{TABLES, csv, json};
use crate::ring::{ReportError, read};
use crate::text::When;

const BEGIN_US: i64 = 1_699_999_200_000_000;
const HOSTILE: &str = "</pre><script src=//x>alert(1)</script><img onerror='x' title=\"y\">\u{202e}שלום\0";

fn at(second: u64) -> i64 {
    BEGIN_US + (second * 1_000_000).cast_signed()
}

/// A run that works, and ends in order or not.
fn run(dir: &Path, seconds: std::ops::Range<u64>, in_order: bool) {
    let mut writer = Writer::open(&dir.join(FILE_NAME)).expect("it opens");
    let mut collector = Collector::new(at(seconds.start));
    for second in seconds.start + 1..=seconds.end {
        let uptime_s = second - seconds.start;
        let mut figures = Figures::default();
        for (number, figure) in (1..).zip(Figure::ALL) {
            figures.set(*figure, uptime_s * number * 1000);
        }
        let mut tick = collector.tick(at(second), uptime_s * 1_000_000, figures);
        let name: std::sync::Arc<str> = HOSTILE.into();
        tick.statement((1, 0), [uptime_s, uptime_s * 100, 1, uptime_s, 1, 1, 1, 1], || StatementIs {
            text: std::sync::Arc::clone(&name),
            query_hash: 7,
            database: std::sync::Arc::clone(&name),
            object_id: 5,
        });
        tick.wait("WRITELOG", [uptime_s, uptime_s * 100, uptime_s]);
        tick.file(1, 8192, [uptime_s, uptime_s * 8192, 1, uptime_s, uptime_s * 8192, 1], || FileIs {
            database: std::sync::Arc::clone(&name),
            name: std::sync::Arc::clone(&name),
            path: std::sync::Arc::clone(&name),
        });
        for due in tick.end(in_order && second == seconds.end) {
            writer.put(due.tier, &due.sample, due.texts.iter().map(AsRef::as_ref)).expect("there is space");
        }
    }
}

fn folder() -> TempDir {
    let dir = TempDir::new().expect("a folder");
    run(dir.path(), 0..300, false);
    run(dir.path(), 400..500, true);
    dir
}

fn tags(page: &str) -> BTreeSet<String> {
    let of = |part: &str| part.split([' ', '>', '/']).find(|word| !word.is_empty()).unwrap_or("").to_owned();
    page.split('<').skip(1).map(of).collect()
}

#[test]
fn hostile_names_are_text_and_nothing_else() {
    let dir = folder();
    let report = read(dir.path(), None, None, None).expect("there is a report");
    let page = html(&report);
    let known = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "span",
        "div",
        "figure",
        "figcaption",
        "svg",
        "rect",
        "path",
        "ul",
        "li",
        "i",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "bdi",
    ];
    let strange: Vec<_> = tags(&page).into_iter().filter(|tag| !known.contains(&tag.as_str())).collect();
    assert_eq!(strange, Vec::<String>::new());
    assert!(!page.contains(['\u{202e}', '\0']), "no direction is turned");
    for part in ["&lt;script src=//x&gt;alert(1)", "[U+202E]שלום[U+0000]", "0x0000000000000007", " in module 5"] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http:", "https:", "url(", "@import", "src=", "href="] {
        assert!(!page.replace("src=//x", "").contains(outside), "{outside}");
    }
    assert_eq!(html(&report), page, "the same data, the same page");
    let shown: serde_json::Value = serde_json::from_str(&json(&report)).expect("JSON");
    assert_eq!(shown["statements"][0]["database_name"], HOSTILE);
    assert_eq!(shown["intervals"][0]["starts"], 1);
    for table in TABLES {
        assert_eq!(csv(&report, table).is_some(), shown[table].is_array(), "{table}");
    }
    let statements = csv(&report, "statements").expect("a table");
    assert!(statements.starts_with("begin_time_utc,end_time_utc,query_hash,database_name,"), "{statements}");
    assert!(statements.contains("title=\"\"y\"\""), "quotes are doubled");
    assert_eq!(csv(&report, "others"), None);
    let unusual = csv(&report, "unusual").expect("a table");
    assert_eq!(unusual, "figure,begin_time_utc,end_time_utc,value,usual\r\n", "what has no rows has names");
}

#[test]
fn a_crash_and_the_time_without_a_server_are_told() {
    let dir = folder();
    let report = read(dir.path(), None, None, Some(10)).expect("there is a report");
    let page = html(&report);
    for part in [
        "The server ended 1 time without a shutdown.",
        "no server ran for 1 min 40 s; 2 starts",
        "Recorded: 6 min 40 s",
        "class=down",
        "class=crash",
        "Too little is recorded of the day before.",
        "2023-11-14 22:00:00 to 2023-11-14 22:08:20",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn whoever_asks_for_what_is_not_there_is_told_what_is() {
    let dir = folder();
    let of = |from: &str, to: &str| {
        let when = |text: &str| Some(When::parse(text).expect("a time"));
        read(dir.path(), when(from), when(to), None)
    };
    let message = |asked: Result<Report, ReportError>| asked.expect_err("there is none").to_string();
    assert_eq!(
        message(of("2023-11-14T22:05", "2023-11-14T22:01")),
        "the time from 2023-11-14 22:05:00 to 2023-11-14 22:01:00 ends before it begins"
    );
    assert_eq!(
        message(of("2023-11-13", "2023-11-14")),
        "nothing is recorded from 2023-11-13 00:00:00 to 2023-11-14 00:00:00; there are samples from 2023-11-14 22:00:00 to \
         2023-11-14 22:08:20 (UTC)"
    );
    assert_eq!(of("-1m", "now").expect("the last minute").from_us, at(440));
    let empty = TempDir::new().expect("a folder");
    assert!(message(read(empty.path(), None, None, None)).contains("there is no history.ring"));
    Writer::open(&empty.path().join(FILE_NAME)).expect("it is made");
    assert!(message(read(empty.path(), None, None, None)).ends_with("nothing has been recorded yet"));
    std::fs::write(empty.path().join(FILE_NAME), [7; 5000]).expect("it is written");
    assert!(message(read(empty.path(), None, None, None)).contains("history.ring is damaged"));
}
