//! KILL by a session: the error log says who has ended whom.

use crate::engine::Engine;
use crate::error_log::{LogLine, LogSource};
use crate::session_shared::SessionShared;

/// Ends a session; `by` is the number of the one that wants it, which may be gone by now.
pub fn kill(engine: &Engine, session: &SessionShared, by: u16) {
    let killer = engine.session(by);
    let login = killer.as_ref().map(|killer| &killer.login);
    let (host, process) = login.map_or(("", 0), |login| (login.host.as_str(), login.host_process_id));
    let text = format!("Process ID {} was killed by hostname {host}, host process ID {process}.", session.id);
    let line = LogLine::plain(engine.now_us().1, LogSource::Session(by), text);
    engine.error_log().add(line);
    session.kill();
}
