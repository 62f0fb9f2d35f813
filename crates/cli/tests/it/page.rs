//! The page of a real server: its own logins and rights, its metrics, TLS beyond loopback, its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use millpond_tds::tls::{CertificateCheck, client_config};
use serde_json::Value;

const PASSWORD: &str = "Secret-of-the-test-1";
/// Nothing takes longer, so that a test that would wait for ever fails.
const PATIENCE: Duration = Duration::from_secs(120);

struct Served {
    process: Child,
    page: SocketAddr,
    tds: String,
}

fn serve(http: &str) -> Served {
    let mut process = Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["serve", "--listen", "127.0.0.1:0", "--http", http])
        .env("MSSQL_SA_PASSWORD", PASSWORD)
        .env("RUST_LOG", "error")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut greeting = BufReader::new(process.stdout.take().expect("it is piped"));
    let (mut tds, mut page) = (String::new(), None);
    let mut line = String::new();
    while !line.starts_with("connect with") {
        line.clear();
        assert!(greeting.read_line(&mut line).expect("text") > 0, "it ended before it was ready");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["listen", address] => tds = address.replace(':', ","),
            ["page", url] => page = url.split("//").nth(1).and_then(|address| address.parse().ok()),
            _ => {}
        }
    }
    Served { process, page: page.expect("the greeting has the page"), tds }
}

impl Served {
    fn sql(&self, text: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
        command.args(["sql", "-S", &self.tds, "-U", "sa", "-P", PASSWORD, "-Q", text]).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().expect("the binary runs")
    }

    /// Asks, with a cookie and a guard where there are any: status, head and body.
    fn ask(&self, request: &str, visitor: Option<&Visitor>, body: &str) -> (u16, String, String) {
        let stream = TcpStream::connect(self.page).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        exchange(stream, self.page, request, visitor, body)
    }

    fn log_in(&self, name: &str, password: &str) -> Result<Visitor, String> {
        let (status, head, body) = self.ask("POST /login", None, &format!("name={name}&password={password}"));
        if status != 303 {
            return Err(body);
        }
        let line = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        let mut visitor = Visitor { cookie: line.split(';').next().unwrap_or_default().into(), guard: String::new() };
        visitor.guard = self.json("GET /api/me", &visitor)["guard"].as_str().expect("a guard").into();
        Ok(visitor)
    }

    fn json(&self, request: &str, visitor: &Visitor) -> Value {
        let (_, _, body) = self.ask(request, Some(visitor), "");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    /// The first samples that a condition holds of.
    fn sample(&self, visitor: &Visitor, holds: impl Fn(&Value) -> bool) -> Value {
        let mut stream = TcpStream::connect(self.page).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let head = format!("GET /api/live HTTP/1.0\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.page, visitor.cookie);
        stream.write_all(head.as_bytes()).expect("sent");
        let lines = BufReader::new(stream).lines().map(|line| line.expect("text"));
        let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        let mut samples = data.map(|data| serde_json::from_str::<Value>(&data).expect("JSON")).take(100);
        samples.find(holds).expect("one of a hundred samples is it")
    }

    fn end(mut self) {
        let killed = Command::new("kill").arg(self.process.id().to_string()).status().expect("it is asked to end");
        assert!(killed.success());
        assert_eq!(self.process.wait().expect("it ends").code(), Some(0));
    }
}

struct Visitor {
    cookie: String,
    guard: String,
}

fn exchange(
    mut stream: impl Read + Write,
    host: SocketAddr,
    request: &str,
    visitor: Option<&Visitor>,
    body: &str,
) -> (u16, String, String) {
    let said =
        visitor.map_or(String::new(), |it| format!("Cookie: {}\r\nX-Millpond-Guard: {}\r\n", it.cookie, it.guard));
    let head = format!("{request} HTTP/1.0\r\nHost: {host}\r\n{said}Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    // A TLS peer that just closes is no end of an answer that had its length.
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof, "{error}");
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer}"));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (status, head.to_owned(), body.to_owned())
}

fn sessions(sample: &Value) -> &[Value] {
    sample["sessions"].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn logins_rights_and_ends_of_sessions_are_the_servers() {
    let served = serve("127.0.0.1:0");
    let made = "create login ann with password = 'Pond-2026!', check_policy = off; create database [<b>pond</b>]";
    assert!(served.sql(made).wait().expect("it ends").success());
    let refused = served.log_in("sa", "wrong").err().expect("it is refused");
    assert!(refused.contains("Login failed for user &#39;sa&#39;."), "{refused}");
    let sa = served.log_in("sa", PASSWORD).expect("a session");
    let me = served.json("GET /api/me", &sa);
    assert_eq!((&me["login"], &me["may_kill"], &me["may_see_all"]), (&"sa".into(), &true.into(), &true.into()));
    let mut victim = served.sql("waitfor /* victim */ delay '01:00'");
    let is_victim = |it: &Value| it["statement"].as_str().is_some_and(|text| text.contains("/* victim */"));
    let sample =
        served.sample(&sa, |sample| sessions(sample).iter().any(is_victim) && sample["overview"]["interval_s"] != 0.0);
    assert!(sample["refused"].as_array().is_some_and(Vec::is_empty), "{}", sample["refused"]);
    assert!(sample["log"].as_array().is_some_and(|logs| logs.iter().any(|log| log["database"] == "<b>pond</b>")));
    let number =
        sessions(&sample).iter().find(|it| is_victim(it)).expect("it runs")["session_id"].as_i64().expect("a number");
    // One without rights sees itself alone, and ends nobody.
    let ann = served.log_in("ann", "Pond-2026!").expect("a session");
    let own = served.sample(&ann, |_| true);
    assert!(
        sessions(&own).iter().all(|it| it["login"] == "ann")
            && own["refused"].as_array().is_some_and(|it| !it.is_empty()),
        "{own}"
    );
    let (status, _, body) = served.ask(&format!("POST /api/kill?session={number}"), Some(&ann), "");
    assert_eq!(status, 403, "{body}");
    let (status, _, body) = served.ask(&format!("POST /api/kill?session={number}"), Some(&sa), "");
    assert_eq!(status, 200, "{body}");
    victim.wait().expect("it ends, as its session has");
    served.sample(&sa, |sample| !sessions(sample).iter().any(is_victim));
    // A plan of the statement that runs.
    let mut runs = served.sql("select /* long */ count_big(*) from generate_series(1, 100000) as a cross join generate_series(1, 1000000) as b");
    let is_long = |it: &Value| it["statement"].as_str().is_some_and(|text| text.contains("/* long */"));
    let sample = served.sample(&sa, |sample| sessions(sample).iter().any(is_long));
    let number =
        sessions(&sample).iter().find(|it| is_long(it)).expect("it runs")["session_id"].as_i64().expect("a number");
    let plan = served.json(&format!("GET /api/plan?session={number}"), &sa);
    assert!(plan["statements"][0]["operators"].as_array().is_some_and(|operators| operators.len() > 2), "{plan}");
    assert_eq!(served.ask(&format!("POST /api/kill?session={number}"), Some(&sa), "").0, 200);
    runs.wait().expect("it ends, as its session has");
    served.end();
}

#[test]
fn monitors_are_answered() {
    let served = serve("127.0.0.1:0");
    assert_eq!(
        (served.ask("GET /healthz", None, "").2, served.ask("GET /readyz", None, "").2),
        ("ok\n".into(), "ready\n".into())
    );
    let (status, _, text) = served.ask("GET /metrics", None, "");
    assert_eq!(status, 200);
    for line in [
        "# TYPE millpond_batches_total counter",
        "millpond_database_ready{database=\"master\"} 1",
        "# TYPE millpond_cpu_seconds_total counter",
        "# TYPE millpond_file_read_seconds_total counter",
        "# TYPE millpond_tempdb_bytes gauge",
        "# TYPE millpond_log_size_bytes gauge",
        "# TYPE millpond_memory_clerk_bytes gauge",
        "# TYPE millpond_page_life_expectancy_seconds gauge",
        "# TYPE millpond_memory_grants_pending gauge",
        "# TYPE millpond_volume_reads_total counter",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} is missing in\n{text}");
    }
    served.end();
}

#[test]
fn beyond_loopback_it_is_https() {
    let served = serve("0.0.0.0:0");
    let config = client_config(&CertificateCheck::TrustAny, false).expect("a configuration");
    let name = rustls::pki_types::ServerName::try_from("localhost").expect("a name");
    let client = rustls::ClientConnection::new(Arc::new(config), name).expect("a client");
    let stream = TcpStream::connect(served.page).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let covered = rustls::StreamOwned::new(client, stream);
    let (status, head, _) =
        exchange(covered, served.page, "POST /login", None, &format!("name=sa&password={PASSWORD}"));
    assert_eq!(status, 303);
    assert!(head.contains("set-cookie: __Host-millpond=") && head.contains("; Secure"), "{head}");
    served.end();
}
