//! A server that answers by heart: two logins, of which one may end sessions, and names that want to break out.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use millpond_page::{Attempt, Host, Later, Options, Page, host};
use millpond_top::source::{Cell, Rows, Source, SourceError};

pub const PASSWORD: &str = "right & 100%";
/// The same in a form.
pub const TYPED: &str = "right+%26+100%25";
pub const EVIL: &str = "<script>alert(\"1\")</script>'\u{202e}";

/// What is known of the server from outside.
#[derive(Default)]
pub struct Fake {
    pub stops: AtomicBool,
    pub recovers: AtomicBool,
    /// Its sessions answer nothing any more.
    pub ends: Arc<AtomicBool>,
}

struct FakeSession {
    login: String,
    recovers: bool,
    ends: Arc<AtomicBool>,
}

fn rows(columns: &[&str], rows: &[&[Cell]]) -> Vec<Rows> {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    vec![Rows { columns, rows: rows.iter().map(|row| row.to_vec()).collect() }]
}

fn text(value: &str) -> Cell {
    Cell::Text(value.to_owned())
}

impl Source for FakeSession {
    fn run(&mut self, asked: &str) -> Result<Vec<Rows>, SourceError> {
        if self.ends.load(SeqCst) {
            return Err(SourceError::Lost("the session was killed".into()));
        }
        let may_all = self.login != "ann";
        let refused = |number, text: &str| Err(SourceError::Refused { number, text: text.into() });
        if asked.contains("has_perms_by_name") {
            let columns = ["login", "server", "may_kill", "may_see_all", "session_id"];
            let may = Cell::Int(i64::from(may_all));
            return Ok(rows(&columns, &[&[text(&self.login), text(EVIL), may.clone(), may, Cell::Int(51)]]));
        }
        if asked.contains("suser_sname()) as login") {
            return Ok(rows(&["login"], &[&[text(&self.login)]]));
        }
        if let Some(session) = asked.strip_prefix("KILL ") {
            return match (may_all, session) {
                (true, "52") => Ok(Vec::new()),
                (true, _) => refused(6106, "Process ID is not an active process ID."),
                _ => refused(6102, "User does not have permission to use the KILL statement."),
            };
        }
        if asked.contains("r.session_id = 52") {
            let plan = "<ShowPlanXML><StmtSimple StatementText=\"select 1\"><RelOp NodeId=\"0\" PhysicalOp=\"Sort\"/></StmtSimple></ShowPlanXML>";
            return Ok(rows(&["query_plan"], &[&[text(plan)]]));
        }
        if asked.contains("dm_millpond_history") {
            return refused(208, "Invalid object name 'sys.dm_millpond_history'.");
        }
        if asked.contains("@@servername") {
            return Ok(rows(&["name", "session_id"], &[&[text(EVIL), Cell::Int(51)]]));
        }
        if asked.contains("sys.dm_os_wait_stats") && !may_all {
            return refused(300, "VIEW SERVER STATE permission was denied on object 'server', database 'master'.");
        }
        if asked.contains("s.login_name") {
            let own: &[Cell] = &[Cell::Int(51), text(&self.login)];
            let other: &[Cell] = &[Cell::Int(52), text(EVIL)];
            let all = [own, other];
            return Ok(rows(&["session_id", "login_name"], if may_all { &all } else { &all[..1] }));
        }
        if asked.contains("from sys.databases") {
            let state = if self.recovers { "RECOVERING" } else { "ONLINE" };
            return Ok(rows(&["database_id", "name", "state_desc"], &[&[Cell::Int(5), text(EVIL), text(state)]]));
        }
        Ok(Vec::new())
    }
}

impl Host for Fake {
    fn log_in(&self, attempt: Attempt) -> Later<'_, Result<host::Session, String>> {
        // Blanks at the end of a name mean nothing, as to the server.
        let login = attempt.name.trim_end().to_owned();
        let is_known = matches!(login.as_str(), "sa" | "ann" | EVIL) && attempt.password == PASSWORD;
        let ends = Arc::clone(&self.ends);
        Box::pin(async move {
            match is_known {
                true => Ok(Box::new(FakeSession { login, recovers: false, ends }) as host::Session),
                false => Err(format!("Login failed for user '{}'.", attempt.name)),
            }
        })
    }

    fn own_session(&self) -> Result<host::Session, String> {
        let ends = Arc::clone(&self.ends);
        Ok(Box::new(FakeSession { login: "sa".into(), recovers: self.recovers.load(SeqCst), ends }))
    }

    fn is_stopping(&self) -> bool {
        self.stops.load(SeqCst)
    }
}

/// A page of it on a port of its own.
pub fn start(reports: Option<&Path>, metrics_token: Option<&str>) -> (Page, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let options = Options {
        listen: "127.0.0.1:0".parse().expect("an address"),
        names: Vec::new(),
        metrics_token: metrics_token.map(str::to_owned),
        reports: reports.map(Path::to_owned),
        every: Duration::from_millis(5),
        stack_bytes: 1 << 20,
        cover: None,
        version: "0.1.0".into(),
    };
    let page = Page::start(options, Arc::clone(&fake) as Arc<dyn Host>).expect("it starts");
    (page, fake)
}
