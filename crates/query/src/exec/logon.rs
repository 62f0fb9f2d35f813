//! The triggers that a login fires, before anything of the session runs for its client.
//!
//! What always holds: what the triggers print, and their errors, goes to the error log and never to the client; a login whose
//! triggers do not commit their transaction is refused, whatever went wrong. The engine in a process of its own (`millpond sql`)
//! fires none of them, which is how a trigger that refuses all logins is disabled.

use std::sync::Arc;

use millpond_engine::security::watches_logins;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Message, OnlyMessages};

use crate::exec::request::{begin_request, end_request};
use crate::exec::routine::trigger::ddl;
use crate::session::Session;

/// Fires the triggers of the server that watch logins; `is_pooled` of a connection that is used again.
///
/// # Errors
/// 17892: the client is not to have the session.
pub fn log_on(session: &mut Session, is_pooled: bool) -> SqlResult<()> {
    if !watches_logins(&session.engine)? {
        return Ok(());
    }
    let mut goes_on = false;
    let engine = Arc::clone(&session.engine);
    let mut log = OnlyMessages(|message: &Message| engine.log_message(message));
    begin_request(session, "", None);
    session.run_work(&mut log, |run| ddl::fire_logon(run, is_pooled).map(|done| goes_on = done));
    end_request(session);
    let refused = SqlError::of(17_892, 1, &[&session.shared.login.login]);
    if goes_on && session.facts.tran_count == 0 { Ok(()) } else { Err(refused) }
}
