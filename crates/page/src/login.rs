//! The form of a login, and what comes of it: a cookie, or the form again with the reason.
//!
//! What always holds: name and password are checked by the server itself, as those of any client; the cookie is `HttpOnly`,
//! `SameSite=Strict` and, over TLS, `Secure`; nothing of a password is kept, logged or sent back.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header;
use millpond_top::source::FromCell;

use crate::answer::{Answer, HTML, elsewhere, whole, with_header};
use crate::assets;
use crate::form;
use crate::host::{Attempt, Host};
use crate::request::Origin;
use crate::sessions::{AGE_MAX, Sessions};
use crate::watcher::Watcher;

/// A form of a login is no longer.
pub const FORM_BYTES_MAX: usize = 8 << 10;
/// It comes within this time.
pub const FORM_TIMEOUT: Duration = Duration::from_secs(5);
/// The login's name as the server has it: what was typed may differ from it in case, width and blanks.
const NAME: &str = "select convert(nvarchar(128), suser_sname()) as login";

/// The cookie's name: browsers take the prefix over TLS alone, and with it from no other host.
pub fn cookie_name(is_encrypted: bool) -> &'static str {
    if is_encrypted { "__Host-millpond" } else { "millpond" }
}

/// The form.
pub fn form(status: StatusCode, name: &str, words: &str) -> Answer {
    // In one pass: what was typed may itself look like a place for something.
    let (before, rest) = assets::LOGIN.split_once("{{words}}").unwrap_or((assets::LOGIN, ""));
    let (between, after) = rest.split_once("{{name}}").unwrap_or((rest, ""));
    let body = format!("{before}{}{between}{}{after}", form::escaped(words), form::escaped(name));
    whole(status, HTML, body)
}

/// Checks what was typed. `watch` makes the watcher of a session that was opened.
pub async fn log_in(
    body: &str,
    origin: Origin,
    host: &dyn Host,
    sessions: &Arc<Sessions>,
    watch: impl FnOnce(crate::host::Session) -> std::io::Result<Watcher>,
) -> Answer {
    let value = |name: &str| form::value(body, name).unwrap_or_default();
    let (name, password) = (value("name"), value("password"));
    if name.trim().is_empty() {
        return form(StatusCode::BAD_REQUEST, "", "A login has a name.");
    }
    let Origin { client, local, is_encrypted } = origin;
    let attempt = Attempt { name: name.clone(), password, client, local, is_encrypted };
    let session = match host.log_in(attempt).await {
        Ok(session) => session,
        Err(words) => return form(StatusCode::UNAUTHORIZED, &name, &words),
    };
    let token = match watch(session) {
        Ok(watcher) => {
            let known = watcher.ask(NAME.into()).await.ok().and_then(|results| results.into_iter().next());
            let known = known.and_then(|rows| rows.iter().next().map(|row| String::from_cell(row.cell("login"))));
            sessions.open(known.unwrap_or_else(|| name.clone()), watcher).map_err(|full| full.to_string())
        }
        Err(error) => Err(format!("there is no thread for the session: {error}")),
    };
    match token {
        Ok(token) => {
            with_header(elsewhere("/"), header::SET_COOKIE, &set_cookie(&token, AGE_MAX.as_secs(), is_encrypted))
        }
        Err(words) => form(StatusCode::SERVICE_UNAVAILABLE, &name, &words),
    }
}

/// The line that gives a browser its token; with 0 seconds the browser forgets it.
pub fn set_cookie(token: &str, seconds: u64, is_encrypted: bool) -> String {
    let name = cookie_name(is_encrypted);
    let secure = if is_encrypted { "; Secure" } else { "" };
    format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}
