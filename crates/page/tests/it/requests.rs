//! What is answered to whom.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering::SeqCst;

use crate::browser::Browser;
use crate::server::{EVIL, TYPED, start};

/// Sessions of one login at most.
const OF_LOGIN_MAX: usize = 8;

#[test]
fn a_login_has_a_cookie_that_no_script_reads() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    assert_eq!((browser.get("/").status, browser.get("/").header("location").to_owned()), (303, "/login".to_owned()));
    for path in
        ["/api/me", "/api/live", "/api/plan?session=1", "/api/history", "/api/reports", "/reports/a.html", "/nothing"]
    {
        assert_eq!(browser.get(path).status, 401, "{path}");
    }
    let wrong = browser.try_login("sa", "wrong");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, ""));
    assert!(
        wrong.body.contains("Login failed for user &#39;sa&#39;.") && !wrong.body.contains("wrong"),
        "{}",
        wrong.body
    );
    assert_eq!(browser.try_login("", "").status, 400);
    assert_eq!(browser.request("POST", "/login", &[], &"x".repeat(9000)).status, 413);
    let right = browser.try_login("sa", TYPED);
    let cookie = right.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let token = cookie.split(['=', ';']).nth(1).expect("a token");
    assert!(token.len() == 64 && token.bytes().all(|digit| digit.is_ascii_hexdigit()), "{token}");
    browser.log_in("sa", TYPED);
    assert_eq!(browser.get("/").status, 200);
    let me = browser.get("/api/me").json();
    assert_eq!((&me["login"], &me["server"], &me["may_kill"]), (&"sa".into(), &EVIL.into(), &true.into()));
    assert_eq!(browser.post("/logout", "").status, 200);
    assert_eq!(browser.get("/api/me").status, 401);
    page.stop();
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let (page, _) = start(None, None);
    let mut stream = TcpStream::connect(page.address()).expect("it listens");
    let begun = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=a";
    stream.write_all(begun).expect("sent");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 408");
    page.stop();
}

#[test]
fn silent_connections_leave_for_those_that_ask() {
    let (page, _) = start(None, None);
    let silent: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(page.address()).expect("it listens")).collect();
    let browser = Browser::at(page.address());
    assert_eq!(browser.get("/healthz").status, 200);
    // The oldest has left, and nothing was said to it.
    let mut nothing = [0; 1];
    assert_eq!((&silent[0]).read(&mut nothing).expect("its end"), 0);
    page.stop();
}

#[test]
fn a_login_is_one_however_its_name_is_typed() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    browser.log_in("ann", TYPED);
    for blanks in 1..=OF_LOGIN_MAX {
        assert_eq!(browser.try_login(&format!("ann{}", "+".repeat(blanks)), TYPED).status, 303);
    }
    assert_eq!(browser.get("/api/me").status, 401, "the oldest one goes for a new one");
    let form = browser.try_login("{{words}}", "wrong");
    assert!(form.body.contains("value=\"{{words}}\""), "{}", form.body);
    page.stop();
}

#[test]
fn every_answer_forbids_what_is_from_elsewhere() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    browser.log_in("sa", TYPED);
    for path in ["/", "/login", "/assets/app.js", "/api/me", "/healthz", "/metrics", "/nothing"] {
        let answer = browser.get(path);
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}: {policy}");
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(
            (answer.header("x-content-type-options"), answer.header("referrer-policy")),
            ("nosniff", "same-origin")
        );
    }
    assert_eq!(browser.get("/assets/../Cargo.toml").status, 404);
    assert_eq!(browser.request("DELETE", "/", &[], "").status, 405);
    // A page elsewhere whose name was made to lead here.
    assert_eq!(browser.request("GET", "/metrics", &[("Host", "evil.example")], "").status, 421);
    page.stop();
}

#[test]
fn texts_of_the_server_are_texts() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    let evil = "%3Cscript%3Ealert(%221%22)%3C/script%3E%27%E2%80%AE";
    let wrong = browser.try_login(evil, "wrong");
    assert!(
        wrong.status == 401 && !wrong.body.contains("<script>alert") && wrong.body.contains("&lt;script&gt;alert"),
        "{}",
        wrong.body
    );
    browser.log_in(evil, TYPED);
    assert_eq!(browser.get("/api/me").json()["login"], EVIL);
    assert!(!browser.get("/").body.contains("alert("));
    let (_, mut events) = browser.live();
    let (_, data) = events.next().expect("a sample");
    let sample: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    assert_eq!((&sample["log"][0]["database"], &sample["sessions"][0]["login"]), (&EVIL.into(), &EVIL.into()));
    // Marks of direction are escapes on the way, so that no tool that shows the stream is turned round.
    assert!(!data.contains('\u{202e}') && data.contains("\\u202e"));
    page.stop();
}

#[test]
fn a_session_is_ended_by_the_page_alone() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    browser.log_in("sa", TYPED);
    let guard = browser.guard.clone();
    for (more, status) in [
        (vec![], 403),
        (vec![("X-Millpond-Guard", "wrong")], 403),
        (vec![("X-Millpond-Guard", guard.as_str()), ("Origin", "http://evil.example")], 403),
        (vec![("X-Millpond-Guard", guard.as_str()), ("Origin", "null")], 403),
        (vec![("X-Millpond-Guard", guard.as_str()), ("Sec-Fetch-Site", "cross-site")], 403),
        (vec![("X-Millpond-Guard", guard.as_str()), ("Sec-Fetch-Site", "same-origin")], 200),
    ] {
        assert_eq!(browser.request("POST", "/api/kill?session=52", &more, "").status, status, "{more:?}");
    }
    // Asking is not doing.
    assert_eq!(browser.get("/api/kill?session=52").status, 404);
    assert_eq!(browser.request("POST", "/login", &[("Origin", "http://evil.example")], "name=sa").status, 403);
    let answer = browser.post("/api/kill?session=99", "");
    assert!(
        answer.status == 422 && answer.json()["error"].as_str().is_some_and(|words| words.contains("6106")),
        "{answer:?}"
    );
    for query in ["", "?session=", "?session=52;drop", "?session=1e3"] {
        assert_eq!(browser.post(&format!("/api/kill{query}"), "").status, 400, "{query}");
    }
    let mut ann = Browser::at(page.address());
    ann.log_in("ann", TYPED);
    assert_eq!(ann.get("/api/me").json()["may_kill"], false);
    let refused = ann.post("/api/kill?session=52", "");
    assert!(refused.status == 403 && refused.body.contains("permission"), "{refused:?}");
    // The guard of one session is none of another.
    ann.guard = guard;
    assert_eq!(ann.post("/api/kill?session=52", "").status, 403);
    page.stop();
}

#[test]
fn samples_come_as_events_and_the_end_is_said() {
    let (page, fake) = start(None, None);
    let mut browser = Browser::at(page.address());
    browser.log_in("ann", TYPED);
    let (status, mut events) = browser.live();
    assert_eq!(status, 200);
    for _ in 0..3 {
        let (event, data) = events.next().expect("a sample");
        let sample: serde_json::Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!((event.as_str(), &sample["overview"]["bound_by"]), ("sample", &"nothing".into()));
        assert_eq!(sample["sessions"].as_array().map(Vec::len), Some(1), "only its own");
        assert_eq!(sample["refused"][0]["number"], 300);
    }
    // A browser has few windows.
    let more: Vec<_> = (0..6).map(|_| browser.live()).collect();
    assert_eq!(more.iter().map(|it| it.0).collect::<Vec<u16>>(), [200, 200, 200, 200, 200, 429]);
    drop(more);
    // One whose session was killed hears of it, and has to log in again.
    fake.ends.store(true, SeqCst);
    let lost = std::iter::from_fn(|| events.next()).find(|(event, _)| event == "lost").expect("it is said");
    assert!(lost.1.contains("the session was killed") && events.next().is_none());
    assert_eq!(browser.get("/api/me").status, 401);
    fake.ends.store(false, SeqCst);
    let mut other = Browser::at(page.address());
    other.log_in("sa", TYPED);
    let (_, mut events) = other.live();
    events.next().expect("a sample");
    page.stop();
    let last = std::iter::from_fn(|| events.next()).last().expect("it is said");
    assert_eq!(last.0, "stopping");
}

#[test]
fn plans_are_read_and_history_may_be_missing() {
    let (page, _) = start(None, None);
    let mut browser = Browser::at(page.address());
    browser.log_in("sa", TYPED);
    let plan = browser.get("/api/plan?session=52").json();
    assert_eq!(plan["statements"][0]["operators"][0]["physical"], "Sort");
    assert_eq!(browser.get("/api/plan?session=53").status, 404);
    let pasted = "<ShowPlanXML><StmtSimple StatementText=\"&lt;script&gt;\"><RelOp NodeId=\"0\" PhysicalOp=\"Top\"/></StmtSimple></ShowPlanXML>";
    let plan = browser.post("/api/plan", pasted).json();
    assert_eq!(
        (&plan["statements"][0]["text"], &plan["statements"][0]["operators"][0]["physical"]),
        (&"<script>".into(), &"Top".into())
    );
    assert_eq!(browser.post("/api/plan", "no plan").status, 422);
    assert_eq!(browser.request("POST", "/api/plan", &[], pasted).status, 403);
    let history = browser.get("/api/history?from_ms=1700000000000&to_ms=1700000600000&step_s=60");
    assert_eq!((history.status, history.json()["points"].as_array().map(Vec::len)), (200, Some(0)));
    assert_eq!(browser.get("/api/history?from_ms=5&to_ms=1").status, 400);
    page.stop();
}

#[test]
fn reports_are_read_and_nothing_beside_them() {
    let outside = tempfile::tempdir().expect("a folder");
    let folder = outside.path().join("reports");
    std::fs::create_dir_all(folder.join("ram drive")).expect("a folder");
    std::fs::write(outside.path().join("secret.html"), "secret").expect("written");
    std::fs::write(folder.join("ram drive/index.html"), "<script>alert(1)</script>").expect("written");
    let (page, _) = start(Some(&folder), None);
    let mut browser = Browser::at(page.address());
    assert_eq!(browser.get("/reports/ram%20drive/index.html").status, 401);
    browser.log_in("sa", TYPED);
    assert_eq!(browser.get("/api/me").json()["has_reports"], true);
    assert_eq!(browser.get("/api/reports").json()[0]["path"], "ram drive/index.html");
    let report = browser.get("/reports/ram%20drive/index.html");
    assert_eq!(report.body, "<script>alert(1)</script>");
    let policy = report.header("content-security-policy");
    // Scripts of a report do not run, and it has the origin of nobody.
    assert!(
        policy.starts_with("default-src 'none'") && policy.contains("sandbox") && !policy.contains("script-src"),
        "{policy}"
    );
    for path in [
        "/reports/../secret.html",
        "/reports/%2e%2e/secret.html",
        "/reports/..%2fsecret.html",
        "/reports/ram%20drive/..%2f..%2fsecret.html",
        "/reports//etc/passwd",
        "/reports/%2fetc%2fpasswd",
        "/reports/..%5csecret.html",
        "/reports/ram%20drive",
        "/reports/",
        "/reports/index.html%00",
    ] {
        let answer = browser.get(path);
        assert!(answer.status == 404 && !answer.body.contains("secret"), "{path}: {answer:?}");
    }
    page.stop();
}

#[test]
fn monitors_ask_without_a_login() {
    let (page, fake) = start(None, None);
    let browser = Browser::at(page.address());
    assert_eq!((browser.get("/healthz").body.as_str(), browser.get("/readyz").body.as_str()), ("ok\n", "ready\n"));
    let metrics = browser.get("/metrics");
    assert_eq!((metrics.status, metrics.header("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"));
    assert!(metrics.body.contains("# TYPE millpond_sessions gauge\nmillpond_sessions 0\n"), "{}", metrics.body);
    assert!(
        metrics.body.contains("millpond_database_ready{database=\"<script>alert(\\\"1\\\")</script>'\u{202e}\"} 1\n")
    );
    // What a proxy on this machine hands on is of somebody else.
    assert_eq!(browser.request("GET", "/metrics", &[("X-Forwarded-For", "192.0.2.7")], "").status, 401);
    fake.stops.store(true, SeqCst);
    assert_eq!((browser.get("/readyz").status, browser.get("/healthz").status), (503, 200));
    page.stop();
    let (page, fake) = start(None, Some("a token"));
    fake.recovers.store(true, SeqCst);
    let browser = Browser::at(page.address());
    assert_eq!(
        (browser.get("/readyz").status, browser.get("/readyz").body.as_str()),
        (503, "1 databases are not there\n")
    );
    assert_eq!(
        (browser.get("/metrics").status, browser.get("/metrics").header("www-authenticate")),
        (401, "Bearer realm=\"metrics\"")
    );
    for (said, status) in [("Bearer a token", 200), ("Bearer a toke", 401), ("Basic a token", 401), ("Bearer ", 401)] {
        assert_eq!(browser.request("GET", "/metrics", &[("Authorization", said)], "").status, status, "{said}");
    }
    page.stop();
}

#[test]
fn beyond_loopback_there_is_no_page_in_the_clear() {
    let (page, fake) = start(None, None);
    page.stop();
    let options = millpond_page::Options {
        listen: "0.0.0.0:0".parse().expect("an address"),
        names: Vec::new(),
        metrics_token: None,
        reports: None,
        every: std::time::Duration::from_secs(1),
        stack_bytes: 1 << 20,
        cover: None,
        version: String::new(),
    };
    let refused = millpond_page::Page::start(options, fake).err().expect("it is refused");
    assert!(refused.to_string().starts_with("refusing to serve the page on 0.0.0.0:0 without TLS"), "{refused}");
}
