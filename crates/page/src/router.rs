//! Which address answers what.
//!
//! | address | login | answer |
//! |---|---|---|
//! | `/healthz`, `/readyz` | no | whether the process answers; whether all databases are there (503: not yet, or about to end) |
//! | `/metrics` | a token, or loopback | metrics for Prometheus |
//! | `/login`, `/assets/…` | no | the form, and what pages are made of |
//! | `/`, `/api/…`, `/reports/…` | cookie | the page, its samples and questions, reports |
//!
//! What always holds: a POST comes from a page of this server and, but for the login, says the session's guard; what a login may
//! not do the server refuses, and the answer has the server's words.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode, header};
use millpond_top::source::{FromCell, SourceError};
use serde_json::json;
use tokio::sync::watch;

use crate::answer::{self, Answer, HTML, elsewhere, failure, whole, with_header, words};
use crate::host::Host;
use crate::measure::{Measure, unready};
use crate::options::Options;
use crate::request::{self, Origin, body, header as text_of, is_of_this_server, is_same};
use crate::sessions::{Session, Sessions};
use crate::watcher::{Alive, Watcher};
use crate::{assets, events, form, history, login, metrics, plan_tree, reports};

/// The XML of a plan has so many bytes at most.
const PLAN_BYTES_MAX: usize = 8 << 20;
/// It comes within this time.
const PLAN_TIMEOUT: Duration = Duration::from_secs(30);

/// What requests are answered with.
pub struct Router {
    /// What the page is like.
    pub options: Options,
    /// The server.
    pub host: Arc<dyn Host>,
    /// Who is logged in.
    pub sessions: Arc<Sessions>,
    /// What monitors ask for.
    pub measure: Arc<Measure>,
    /// Becomes true when the page stops.
    pub stopping: watch::Receiver<bool>,
    /// Held by threads of sessions.
    pub alive: Alive,
}

impl Router {
    /// The answer to a request.
    pub async fn answer(self: Arc<Self>, request: Request<Incoming>, origin: Origin) -> Answer {
        let host = text_of(request.headers(), "host").unwrap_or_default();
        if self.options.listen.ip().is_loopback() && !request::is_local_name(host, &self.options.names) {
            return words(StatusCode::MISDIRECTED_REQUEST, "this server has no such name");
        }
        let path = request.uri().path().to_owned();
        let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
        if !is_get && request.method() != Method::POST {
            return words(StatusCode::METHOD_NOT_ALLOWED, "GET and POST are understood");
        }
        if !is_get && !is_of_this_server(request.headers()) {
            return failure(StatusCode::FORBIDDEN, "the request comes from a page of another server");
        }
        match (is_get, path.as_str()) {
            (true, "/healthz") => words(StatusCode::OK, "ok"),
            (true, "/readyz") => self.ready().await,
            (true, "/metrics") => self.metrics(&request, origin).await,
            (true, "/favicon.ico") => elsewhere("/assets/pond.svg"),
            (true, "/login") => login::form(StatusCode::OK, "", login_words(request.uri().query())),
            (false, "/login") => self.log_in(request, origin).await,
            (true, path) if path.starts_with("/assets/") => match assets::named(&path["/assets/".len()..]) {
                Some(asset) => {
                    let answer = whole(StatusCode::OK, asset.content_type, asset.body);
                    with_header(answer, header::CACHE_CONTROL, "no-cache")
                }
                None => words(StatusCode::NOT_FOUND, "there is no such file"),
            },
            _ => self.of_login(request, origin, is_get, &path).await,
        }
    }

    async fn log_in(&self, request: Request<Incoming>, origin: Origin) -> Answer {
        let body = match body(request, login::FORM_BYTES_MAX, login::FORM_TIMEOUT).await {
            Ok(body) => String::from_utf8_lossy(&body).into_owned(),
            Err(answer) => return answer,
        };
        let watch =
            |session| Watcher::start(session, self.options.every, self.options.stack_bytes, Arc::clone(&self.alive));
        login::log_in(&body, origin, self.host.as_ref(), &self.sessions, watch).await
    }

    async fn ready(&self) -> Answer {
        if self.host.is_stopping() {
            return words(StatusCode::SERVICE_UNAVAILABLE, "stopping");
        }
        let measure = Arc::clone(&self.measure);
        match tokio::task::spawn_blocking(move || measure.totals()).await {
            Ok(Ok(totals)) => match unready(&totals) {
                0 => words(StatusCode::OK, "ready"),
                count => words(StatusCode::SERVICE_UNAVAILABLE, &format!("{count} databases are not there")),
            },
            // Why is for those who are logged in.
            _ => words(StatusCode::SERVICE_UNAVAILABLE, "the server does not answer"),
        }
    }

    async fn metrics(&self, request: &Request<Incoming>, origin: Origin) -> Answer {
        let headers = request.headers();
        let is_allowed = match &self.options.metrics_token {
            Some(token) => {
                let said = text_of(headers, "authorization").and_then(|said| said.strip_prefix("Bearer "));
                said.is_some_and(|said| is_same(said.trim(), token))
            }
            // What a proxy on this machine hands on is of other machines.
            None => {
                origin.client.ip().to_canonical().is_loopback()
                    && !["forwarded", "x-forwarded-for", "x-real-ip"].iter().any(|name| headers.contains_key(*name))
            }
        };
        if !is_allowed {
            let refused = words(StatusCode::UNAUTHORIZED, "metrics want a bearer token, or loopback");
            return with_header(refused, header::WWW_AUTHENTICATE, "Bearer realm=\"metrics\"");
        }
        let measure = Arc::clone(&self.measure);
        match tokio::task::spawn_blocking(move || measure.totals()).await {
            Ok(Ok(totals)) => {
                let text = metrics::text(&totals, &self.options.version, self.sessions.sweep());
                whole(StatusCode::OK, metrics::CONTENT_TYPE, text)
            }
            _ => words(StatusCode::SERVICE_UNAVAILABLE, "the server does not answer"),
        }
    }

    /// What wants a login.
    async fn of_login(&self, request: Request<Incoming>, origin: Origin, is_get: bool, path: &str) -> Answer {
        let token =
            request::cookie(request.headers(), login::cookie_name(origin.is_encrypted)).unwrap_or_default().to_owned();
        let Some(session) = self.sessions.find(&token) else {
            return if path == "/" { elsewhere("/login") } else { failure(StatusCode::UNAUTHORIZED, "log in first") };
        };
        let guard = text_of(request.headers(), "x-millpond-guard").unwrap_or_default();
        if !is_get && !is_same(guard, &session.guard) {
            return failure(StatusCode::FORBIDDEN, "the request does not say the guard of its session");
        }
        let query = request.uri().query().unwrap_or_default().to_owned();
        match (is_get, path) {
            (true, "/") => whole(StatusCode::OK, HTML, assets::PAGE),
            (true, "/api/me") => self.me(&session).await,
            (true, "/api/live") => match session.stream() {
                Some(slot) => {
                    let body = events::stream(session.watcher.look(), slot, self.stopping.clone());
                    answer::with_body(StatusCode::OK, "text/event-stream", body)
                }
                None => failure(StatusCode::TOO_MANY_REQUESTS, "this session is looked at in too many windows"),
            },
            (true, "/api/plan") => match number(&query, "session") {
                Some(of) => running_plan(&session, of).await,
                None => failure(StatusCode::BAD_REQUEST, "session=NUMBER is missing"),
            },
            (false, "/api/plan") => match body(request, PLAN_BYTES_MAX, PLAN_TIMEOUT).await {
                Ok(xml) => plan(String::from_utf8_lossy(&xml).into_owned()).await,
                Err(answer) => answer,
            },
            (false, "/api/kill") => match number(&query, "session") {
                Some(of) => kill(&session, of).await,
                None => failure(StatusCode::BAD_REQUEST, "session=NUMBER is missing"),
            },
            (true, "/api/history") => before(&session, &query).await,
            (true, "/api/reports") => match self.options.reports.clone() {
                Some(folder) => aside(move || answer::json(StatusCode::OK, &reports::list(&folder))).await,
                None => failure(StatusCode::NOT_FOUND, "the server was given no folder of reports"),
            },
            (true, path) if path.starts_with("/reports/") => self.report(&path["/reports/".len()..]).await,
            (false, "/logout") => {
                self.sessions.close(&token);
                let forgotten = login::set_cookie("", 0, origin.is_encrypted);
                with_header(answer::json(StatusCode::OK, &json!({})), header::SET_COOKIE, &forgotten)
            }
            _ => failure(StatusCode::NOT_FOUND, "there is no such page"),
        }
    }

    /// Who is logged in, and what the page needs to know once.
    async fn me(&self, session: &Session) -> Answer {
        let asked = "select convert(nvarchar(128), suser_sname()) as login, convert(nvarchar(128), @@servername) as server, \
             has_perms_by_name(null, null, 'ALTER ANY CONNECTION') as may_kill, \
             has_perms_by_name(null, null, 'VIEW SERVER STATE') as may_see_all, cast(@@spid as int) as session_id";
        let rows = match session.watcher.ask(asked.into()).await {
            Ok(results) => results.into_iter().next().unwrap_or_default(),
            Err(error) => return refusal(&error),
        };
        let Some(row) = rows.iter().next() else { return failure(StatusCode::BAD_GATEWAY, "the server says nothing") };
        let (text, number) = (|name| String::from_cell(row.cell(name)), |name| i64::from_cell(row.cell(name)));
        answer::json(
            StatusCode::OK,
            &json!({
                "login": text("login"),
                "server": text("server"),
                "session_id": number("session_id"),
                "may_kill": number("may_kill") == 1,
                "may_see_all": number("may_see_all") == 1,
                "guard": session.guard,
                "version": self.options.version,
                "interval_ms": u64::try_from(self.options.every.as_millis()).unwrap_or(u64::MAX),
                "has_reports": self.options.reports.is_some(),
            }),
        )
    }

    async fn report(&self, path: &str) -> Answer {
        let missing = || words(StatusCode::NOT_FOUND, "there is no such report");
        let Some(folder): Option<PathBuf> = self.options.reports.clone() else { return missing() };
        let path = form::decoded(path, false);
        aside(move || match reports::read(&folder, &path) {
            Some(report) => answer::report(report.content_type, report.body),
            None => missing(),
        })
        .await
    }
}

/// On a thread that may wait for a disk, or compute.
async fn aside(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| words(StatusCode::INTERNAL_SERVER_ERROR, "it could not be read"))
}

/// Why somebody is led to the form.
fn login_words(query: Option<&str>) -> &'static str {
    match query {
        Some("again") => "Your session has ended, or the server was started anew. Log in again.",
        Some("lost") => "Your session on the server has ended. Log in again.",
        _ => "",
    }
}

fn number(query: &str, name: &str) -> Option<i64> {
    form::value(query, name)?.parse().ok()
}

/// The words of the server.
fn refusal(error: &SourceError) -> Answer {
    let status = match error {
        SourceError::Refused { number: 229 | 262 | 297 | 300 | 6102, .. } => StatusCode::FORBIDDEN,
        SourceError::Refused { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        SourceError::Lost(_) => StatusCode::GONE,
    };
    failure(status, &error.to_string())
}

async fn kill(session: &Session, of: i64) -> Answer {
    match session.watcher.ask(format!("KILL {of}")).await {
        Ok(_) => {
            tracing::info!(by = %session.login, session = of, "a session is ended from the page");
            answer::json(StatusCode::OK, &json!({ "words": format!("session {of} is being ended") }))
        }
        Err(error) => refusal(&error),
    }
}

/// The plan of the statement that a session runs.
async fn running_plan(session: &Session, of: i64) -> Answer {
    let asked = format!(
        "select p.query_plan from sys.dm_exec_requests as r cross apply sys.dm_exec_text_query_plan(r.plan_handle, \
         r.statement_start_offset, r.statement_end_offset) as p where r.session_id = {of} and p.query_plan is not null"
    );
    let results = match session.watcher.ask(asked).await {
        Ok(results) => results,
        Err(error) => return refusal(&error),
    };
    let first =
        results.first().and_then(|rows| rows.iter().next().map(|row| String::from_cell(row.cell("query_plan"))));
    match first {
        Some(xml) => plan(xml).await,
        None => failure(StatusCode::NOT_FOUND, "that session runs no statement whose plan is known"),
    }
}

/// Reads a plan on a thread of its own: a large one takes a while, and others are answered meanwhile.
async fn plan(xml: String) -> Answer {
    aside(move || match plan_tree::parse(&xml) {
        Ok(plan) => answer::json(StatusCode::OK, &plan),
        Err(error) => failure(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
    })
    .await
}

/// What the server has kept of the time before, where it keeps something.
async fn before(session: &Session, query: &str) -> Answer {
    let step_s = number(query, "step_s").unwrap_or(60);
    let times = number(query, "from_ms").zip(number(query, "to_ms"));
    let Some(asked) = times.and_then(|(from, to)| history::text(from, to, step_s)) else {
        return failure(StatusCode::BAD_REQUEST, "from_ms and to_ms are no times");
    };
    match session.watcher.ask(asked).await {
        Ok(results) => {
            let points = history::points(&results.into_iter().next().unwrap_or_default());
            answer::json(StatusCode::OK, &json!({ "points": points }))
        }
        Err(SourceError::Refused { number: 208, .. }) => answer::json(StatusCode::OK, &json!({ "points": [] })),
        Err(error) => refusal(&error),
    }
}
