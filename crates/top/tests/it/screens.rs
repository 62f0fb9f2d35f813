//! What stands on the screens: figures of the recorded load, computed by hand from its two lines.
//!
//! Between them lie 2.06 s of a server with two processors: 956 batches, 899 transactions, 550 reads of 70,459,392 bytes and 555
//! writes of 116,465,664 bytes of tempdb's first file, 890 writes of 4,096 bytes of a log.

use std::sync::Arc;

use millpond_top::interval::Interval;
use millpond_top::sample::{Refused, Sample, Session, Statement};
use millpond_top::state::{Link, Point, Screen, Sort, State};

use crate::drawn::{interval, lines};

fn state(screen: Screen) -> State {
    State { screen, ..State::default() }
}

/// The line that begins with a text, blanks before it aside, with one blank for several.
fn line(lines: &[String], begins: &str) -> String {
    let found = lines.iter().map(|line| line.trim_start()).find(|line| line.starts_with(begins));
    let found = found.unwrap_or_else(|| panic!("no {begins:?} in\n{}", lines.join("\n")));
    found.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn has(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

#[test]
fn overview() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let lines = lines(&interval(), &state(Screen::Overview), columns, rows);
        assert!(lines[0].starts_with("live POND 16.0.1000.6 up 29:50 every 2.0 s"), "{}", lines[0]);
        assert!(lines[1].starts_with("[1 Overview] 2 Sessions "), "{}", lines[1]);
        assert!(line(&lines, "Bound by").starts_with("Bound by locks: 3.0 requests wait on average, 3 of them behind"));
        // 956 / 2.06, 899 / 2.06, 70,459,392 B / 2.06 s, 550 and 555 + 890 IOs.
        assert_eq!(line(&lines, "CPU"), "CPU 56 % of 2 CPUs");
        assert_eq!(line(&lines, "Batches"), "Batches 464 /s 8.3 compilations/s");
        assert_eq!(line(&lines, "Transact."), "Transact. 436 /s");
        assert_eq!(line(&lines, "Reads"), "Reads 32.6 MB/s 267 IO/s, 0.4 ms");
        assert_eq!(line(&lines, "Writes"), "Writes 55.6 MB/s 701 IO/s, 0.8 ms");
        assert_eq!(line(&lines, "Sessions"), "Sessions 8 6 run, 3 blocked, 5.2 wait");
        // 34,816 pages; 576 of temporary tables, 20,608 of spills, 120 of versions, 72 mixed, 13,440 free.
        let words = "272 MB: U user 4.5, I internal 161, V versions 0.9, M mixed 0.6, . free 105";
        assert!(has(&lines, &words[..60]), "{lines:?}");
        assert!(has(&lines, "[UIIII") && has(&lines, "IVM...."), "{lines:?}");
        assert_eq!(line(&lines, "locks"), "locks 0 0 % 3");
        assert_eq!(line(&lines, "log"), "log 742 41 % 1 WRITELOG");
        assert!(lines.last().is_some_and(|line| line.contains("q quit")));
    }
}

#[test]
fn history_is_beside_its_figure() {
    let mut state = state(Screen::Overview);
    for share in [0.0, 0.5, 1.0] {
        state.history.push_back(Point { cpu_share: share, ..Point::default() });
    }
    let lines = lines(&interval(), &state, 100, 24);
    assert_eq!(line(&lines, "CPU"), "CPU 56 % of 2 CPUs ▁▅█");
}

#[test]
fn sessions_stand_below_their_blockers() {
    let wide = lines(&interval(), &state(Screen::Sessions), 200, 60);
    assert_eq!(wide[2], "8 of 8 sessions, by elapsed");
    let ids: Vec<&str> = wide[4..12].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, ["52", "└56", "└57", "└58", "53", "54", "55", "51"]);
    assert!(wide[6].starts_with(" └57") && wide[7].starts_with("  └58"), "{wide:?}");
    // 1,304 ms of CPU in 2.06 s, 20,190 pages written, 20,544 pages of tempdb, a grant of 98,304 KB.
    let report = line(&wide, "53 ");
    assert!(
        report.starts_with("53 sa report pond running 806 ms 633 20,190 161 96.0 select max(x.n) from"),
        "{report}"
    );
    let blocked = line(&wide, "└56");
    assert_eq!(
        blocked,
        "└56 sa chain 0 pond suspended 16.6 s 0 LCK_M_U 16.6 s 52 update lily set amount = 0 where id = 5;"
    );
    let blocker = line(&wide, "52 ");
    assert!(
        blocker.ends_with("sleeping 0 1 begin tran; update lily set amount = amount + 1 where id = 5"),
        "{blocker}"
    );
    let narrow = lines(&interval(), &state(Screen::Sessions), 80, 24);
    assert!(line(&narrow, "└58").contains("LCK_M_U 15.6 s 57 update lily"), "{narrow:?}");
}

#[test]
fn sessions_are_sorted_and_filtered() {
    let ids = |state: &State| -> Vec<String> {
        let lines = lines(&interval(), state, 120, 30);
        let rows = lines[4..].iter().take_while(|line| !line.is_empty());
        rows.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let sorted = |sort, reversed| State { sort, reversed, ..state(Screen::Sessions) };
    assert_eq!(ids(&sorted(Sort::Cpu, false)), ["53", "54", "55", "51", "52", "└56", "└57", "└58"]);
    assert_eq!(ids(&sorted(Sort::Session, false)), ["51", "52", "└56", "└57", "└58", "53", "54", "55"]);
    assert_eq!(ids(&sorted(Sort::Session, true))[..3], ["52", "└56", "└57"]);
    assert_eq!(ids(&sorted(Sort::Tempdb, false))[..2], ["53", "54"]);
    let filtered = |filter: &str| State { filter: filter.into(), ..state(Screen::Sessions) };
    assert_eq!(ids(&filtered("REPORT")), ["53"]);
    assert_eq!(ids(&filtered("chain 1")), ["52", "└56", "└57"], "with those that block it");
    assert!(ids(&filtered("nobody")).is_empty());
}

#[test]
fn circles_of_blockers_are_drawn() {
    let session = |session_id, blocking_session_id| Session { session_id, blocking_session_id, ..Session::default() };
    let sessions = vec![session(7, 8), session(8, 7), session(9, 8), session(10, 10)];
    let interval = Interval::of(None, Arc::new(Sample { sessions, ..Sample::default() }));
    let lines = lines(&interval, &state(Screen::Sessions), 80, 24);
    let ids: Vec<&str> = lines[4..8].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, ["10", "7", "└8", "└9"]);
}

#[test]
fn a_session_is_shown_whole() {
    let detail = State { detail: Some((53, 0)), ..state(Screen::Sessions) };
    let lines = lines(&interval(), &detail, 80, 24);
    assert_eq!(line(&lines, "Session "), "Session 53, report of sa from client");
    assert_eq!(line(&lines, "CPU"), "CPU 633 ms/s, 566 ms in all");
    assert_eq!(line(&lines, "tempdb"), "tempdb 0 MB user objects, 161 MB internal objects");
    // 98,304, 73,451 and what was asked for.
    assert!(line(&lines, "Grant").starts_with("Grant 96.0 MB, 71.7 MB in use, "), "{lines:?}");
    assert!(has(&lines, "select max(x.n) from (select row_number() over (order by a.pad, a.k) n, a.pad"));
    assert!(has(&lines, "wide a cross join"), "the rest is in the next line");
    let gone = State { detail: Some((99, 0)), ..state(Screen::Sessions) };
    assert!(has(&crate::drawn::lines(&interval(), &gone, 80, 24), "session 99 has ended"));
}

#[test]
fn tempdb() {
    let lines = lines(&interval(), &state(Screen::Tempdb), 120, 24);
    // 17,408 pages, 6,648 of them free; 116,465,664 B / 2.06 s; 902 ms / 555.
    assert_eq!(line(&lines, "tempdev"), "tempdev 136 UIIIIIIIIVM... 51.9 64.0 MB 267 32.6 269 53.9 0.4 1.6");
    assert_eq!(line(&lines, "Version store"), "Version store 0.9 MB");
    assert!(line(&lines, "53 ").starts_with("53 0 161 sa report select max"), "{lines:?}");
    assert!(line(&lines, "54 ").starts_with("54 3.4 0 sa temp tables"), "{lines:?}");
}

#[test]
fn io() {
    let lines = lines(&interval(), &state(Screen::Io), 100, 40);
    // 70,459,392 B / 550 reads = 125 KB; 3,645,440 B / 890 writes = 4 KB.
    assert_eq!(line(&lines, "tempdb.tempdev"), "tempdb.tempdev 267 32.6 0.4 125 269 53.9 1.6 205");
    assert_eq!(line(&lines, "pond.pond_log"), "pond.pond_log 0 0 0 0 432 1.7 0.2 4.0");
    assert!(line(&lines, "/ (file)").starts_with("/ (file) 267 32.6 0.4 125 704 56.6 0.8 82"));
    assert_eq!(line(&lines, "spill"), "spill tempdev 274 54.9 7,486 session 53");
}

#[test]
fn waits() {
    let lines = lines(&interval(), &state(Screen::Waits), 80, 40);
    // 1,528 ms of 898 waits, 1,831 ms of 37 in 2.06 s.
    assert_eq!(line(&lines, "WRITELOG"), "WRITELOG log 436 742 1.7 0 %");
    assert_eq!(line(&lines, "CXPACKET"), "CXPACKET parallelism 18.0 889 49.5 0 %");
    assert!(!has(&lines, "LAZYWRITER_SLEEP"));
}

#[test]
fn plans_are_trees() {
    let lines = lines(&interval(), &state(Screen::Plans), 100, 40);
    let all = [
        "  Stream Aggregate ",
        "    Window Aggregate ",
        "      Sort ",
        "        Nested Loops ",
        "          Constant Scan ",
        "          Clustered Index Scan ",
    ];
    assert!(all.iter().all(|begins| lines.iter().any(|line| line.starts_with(begins))), "{lines:?}");
    // 862,290 of 900,000.
    assert_eq!(line(&lines, "Nested Loops"), "Nested Loops 862,290 900,000 96 - - 1");
    assert!(has(&lines, "session 53: select max(x.n) from (select row_number() over (order by a.pad, a.k)"));
}

#[test]
fn log() {
    let lines = lines(&interval(), &state(Screen::Log), 100, 24);
    // 1,777,664 KB, of which 175,185 are in use; 150,468 B / 2.06 s.
    assert_eq!(line(&lines, "pond"), "pond 1,736 171 10 % CHECKPOINT SIMPLE 71.3 436 436");
    assert_eq!(line(&lines, "model"), "model 8.0 0.0 0 % NOTHING FULL 0 0 0");
}

#[test]
fn small_terminals_are_cut_or_said_to_be_small() {
    for screen in Screen::ALL {
        let cut = lines(&interval(), &state(screen), 20, 10);
        assert!(cut.iter().all(|line| line.chars().count() <= 20), "{cut:?}");
        assert!(cut[0].starts_with("live POND"), "{cut:?}");
        assert!(cut[1].contains(screen.name()), "{cut:?}");
        assert_eq!(lines(&interval(), &state(screen), 19, 10)[0], "too small");
        assert_eq!(lines(&interval(), &state(screen), 1, 1), ["…"]);
        assert_eq!(lines(&interval(), &state(screen), 60, 4)[0], "too small");
    }
}

#[test]
fn the_first_line_says_what_is_wrong() {
    let first =
        |link: Link, frozen: bool| lines(&interval(), &State { link, frozen, ..State::default() }, 100, 24)[0].clone();
    assert!(first(Link::Live, true).starts_with("frozen POND"));
    assert!(
        first(Link::Lost("reset by peer".into()), false)
            .starts_with("connection lost: reset by peer, trying again POND")
    );
    assert!(first(Link::Silent(9), false).starts_with("no answer for 9 s"));
    let replay = |damaged| first(Link::Replay { at: 2, of: 7, plays: false, damaged }, false);
    assert!(replay(None).starts_with("replay stopped 2 of 7 POND 16.0.1000.6 up 29:50 2.1 s in between"));
    assert!(replay(Some((3, 1))).starts_with("replay stopped 2 of 7, line 3 is damaged"));
}

#[test]
fn the_last_line_asks_before_it_kills() {
    let last = |state: State| lines(&interval(), &state, 80, 24)[23].clone();
    assert_eq!(last(State { kills: Some(53), ..State::default() }), "KILL 53? y ends it, any other key does not");
    let typing = State { filter: "ab".into(), types_filter: true, ..State::default() };
    assert!(last(typing).starts_with("filter: ab_"));
    assert!(last(State { message: "session 7 is being ended".into(), ..State::default() }).starts_with("session 7 is"));
}

#[test]
fn what_was_refused_is_named() {
    let refused = |part: &str, number| Refused { part: part.into(), number, text: "denied".into() };
    let sample = Sample { refused: vec![refused("waits", 300), refused("operators", 208)], ..Sample::default() };
    let lines = lines(&Interval::of(None, Arc::new(sample)), &State::default(), 80, 24);
    assert_eq!(line(&lines, "Refused"), "Refused the login has no VIEW SERVER STATE: waits (300), operators (208)");
    assert_eq!(line(&lines, "CPU"), "CPU -");
}

#[test]
fn hostile_texts_stay_in_their_places() {
    let session = Session {
        session_id: 51,
        login_name: "\u{202e}nimda\u{202c}".into(),
        program_name: "a\x1b[2J\"b'".into(),
        database_name: "池塘".into(),
        ..Session::default()
    };
    let statement = Statement { session_id: 51, statement: "select '\x1b]0;x\x07'\r\nfrom t".into() };
    let sample = Sample { sessions: vec![session], statements: vec![statement], ..Sample::default() };
    let interval = Interval::of(None, Arc::new(sample));
    let wide = lines(&interval, &state(Screen::Sessions), 160, 24);
    let row = line(&wide, "51 ");
    assert_eq!(row, "51 ·nimda· a·[2J\"b' 池塘 0 select '·]0;x·' from t");
    let detail = State { detail: Some((51, 0)), ..state(Screen::Sessions) };
    assert!(has(&lines(&interval, &detail, 80, 24), "select '·]0;x·' from t"));
}
