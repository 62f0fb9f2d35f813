//! Sessions of extended events: the statements, what each event says, files, and scripts that others have published.

mod document;
mod files;
mod kinds;
mod scripts;
mod sessions;

use std::sync::Arc;

use millpond_engine::engine::Engine;
use millpond_query::session::Session;

use crate::harness::{run, session};

/// A session of `sa` that counts no rows.
fn dba(engine: &Arc<Engine>) -> Session {
    let mut dba = session(engine);
    assert_eq!(run(&mut dba, "set nocount on"), "");
    dba
}

/// The value of one column of one row.
fn one(session: &mut Session, query: &str) -> String {
    let said = run(session, query);
    let mut lines = said.lines().skip(1);
    let value = lines.next().unwrap_or_else(|| panic!("{query}: {said}")).to_owned();
    assert_eq!(lines.next(), None, "{query}: {said}");
    value
}

/// What the ring buffer of a session holds.
fn ring(dba: &mut Session, name: &str) -> String {
    let query = format!(
        "select t.target_data from sys.dm_xe_sessions s join sys.dm_xe_session_targets t on s.address = t.event_session_address
         where s.name = '{name}' and t.target_name = 'ring_buffer'"
    );
    run(dba, &query)
}

/// Columns of the events that a ring buffer holds, by XQuery, as scripts read them: `paths` are of an event, with types.
fn events(dba: &mut Session, name: &str, paths: &[(&str, &str)]) -> String {
    let columns: Vec<String> =
        paths.iter().enumerate().map(|(at, (path, ty))| format!("e.x.value('({path})[1]', '{ty}') as c{at}")).collect();
    let query = format!(
        "set quoted_identifier on
         declare @x xml = (select cast(t.target_data as xml) from sys.dm_xe_sessions s
            join sys.dm_xe_session_targets t on s.address = t.event_session_address
            where s.name = '{name}' and t.target_name = 'ring_buffer')
         select {} from @x.nodes('RingBufferTarget/event') as e (x)",
        columns.join(", ")
    );
    let said = run(dba, &query);
    said.lines().skip(1).map(|line| format!("{line}\n")).collect()
}
