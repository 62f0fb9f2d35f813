//! What an event knows of the session in which it happened: actions, and sources of predicates.
//!
//! What always holds: nothing here waits. A lock that another thread has is not waited for, and what it guards is not known then: an event
//! may happen under any lock of storage, and in the midst of whatever its thread does. Of an event that happens there (`is_deep`)
//! nothing is asked that takes locks of storage: names of databases are those that were seen before. A text in which a password is
//! written is shown as `*password*`.

use std::fmt::Write;
use std::sync::Arc;

use millpond_events::object::Global;
use millpond_events::record::Origin;
use millpond_events::value::Value;
use millpond_storage::contract::DbId;
use millpond_tsql::secret::may_have_secret;
use millpond_tsql::{ParseOptions, parse_batch};

use crate::account::running_statement::{PLAN_HANDLE, SQL_HANDLE, handle_bytes};
use crate::engine::Engine;
use crate::session_shared::SessionShared;

/// What stands for a text that is not shown.
const HIDDEN: &str = "*password*";
/// Sessions up to here are the server's own.
const SYSTEM_SESSIONS: u16 = 50;

/// Where an event happens.
pub struct SessionOrigin<'a> {
    /// The server.
    pub engine: &'a Engine,
    /// The session; none for the server's own work.
    pub session: Option<&'a SessionShared>,
    /// It happens within storage or the lock manager.
    pub is_deep: bool,
}

/// A text, unless a password may be written in it.
pub(super) fn shown(text: &Arc<str>, is_deep: bool) -> Value {
    let looks_secret = may_have_secret(text) || text.to_ascii_lowercase().contains("password");
    let is_hidden = looks_secret
        && (is_deep
            || parse_batch(text, ParseOptions { quoted_identifier: true }).map_or(true, |batch| batch.has_password));
    if is_hidden { Value::text(HIDDEN) } else { Value::Text(Arc::clone(text)) }
}

impl SessionOrigin<'_> {
    fn database(&self) -> Option<DbId> {
        Some(self.session?.status.try_lock()?.database)
    }

    fn text(&self) -> Option<Arc<str>> {
        let status = self.session?.status.try_lock()?;
        Some(Arc::clone(status.request.as_ref().map_or(&status.last_text, |request| &request.text)))
    }

    fn login(&self, of: impl Fn(&crate::session_shared::Status) -> Arc<str>) -> Value {
        let status = self.session.and_then(|session| session.status.try_lock());
        status.map_or(Value::Null, |status| Value::Text(of(&status)))
    }

    fn of_session(&self, global: Global, session: &SessionShared) -> Value {
        match global {
            Global::SessionId => Value::UInt(session.id.0.into()),
            Global::DatabaseId => self.database().map_or(Value::Null, |database| Value::UInt(database.0.into())),
            Global::DatabaseName => self.database().map_or(Value::Null, |database| {
                Value::Text(self.engine.database_names.name(self.engine.instance(), database, self.is_deep))
            }),
            Global::SqlText => self.text().map_or(Value::Null, |text| shown(&text, self.is_deep)),
            Global::ClientAppName => Value::text(&session.login.program),
            Global::ClientHostname => Value::text(&session.login.host),
            Global::ClientPid => Value::UInt(session.login.host_process_id.unsigned_abs().into()),
            Global::Username | Global::ServerPrincipalName => {
                self.login(|status| Arc::clone(&status.acting.login_name))
            }
            Global::SessionServerPrincipalName => self.login(|status| Arc::clone(&status.original.login_name)),
            Global::QueryHash => session
                .statement
                .now()
                .map_or(Value::Null, |(text, start, end)| Value::UInt(session.statement.query_hash(&text, start, end))),
            Global::PlanHandle => session
                .statement
                .now()
                .map_or(Value::Null, |(text, ..)| Value::Binary(handle_bytes(PLAN_HANDLE, text.id).into())),
            Global::TsqlFrame | Global::TsqlStack => {
                session.statement.now().map_or(Value::Null, |(text, start, end)| {
                    let line = 1 + text.text.get(..start as usize).map_or(0, |before| before.matches('\n').count());
                    let (from, to) = text.offsets(start, end);
                    let mut frame = String::from("<frame level='1' handle='0x");
                    handle_bytes(SQL_HANDLE, text.id).iter().for_each(|byte| {
                        let _ = write!(frame, "{byte:02X}");
                    });
                    let _ = write!(frame, "' line='{line}' offsetStart='{from}' offsetEnd='{to}'/>");
                    Value::Text(Arc::from(frame))
                })
            }
            Global::TransactionId if !self.is_deep => {
                let open = self.engine.txns().transactions().into_iter().find(|open| open.session == session.id);
                Value::Int(open.map_or(0, |open| open.id()))
            }
            Global::ContextInfo => {
                let info = session.context_info.try_lock();
                info.and_then(|info| info.clone()).map_or(Value::Null, Value::Binary)
            }
            _ => Value::Null,
        }
    }
}

impl Origin for SessionOrigin<'_> {
    fn fact(&self, global: Global) -> Value {
        match global {
            Global::NtUsername | Global::SessionNtUsername => Value::text(""),
            Global::IsSystem => Value::Bool(self.session.is_none_or(|session| session.id.0 <= SYSTEM_SESSIONS)),
            Global::RequestId => Value::UInt(0),
            Global::ServerInstanceName => Value::text(self.engine.machine()),
            Global::ProcessId => Value::UInt(std::process::id().into()),
            Global::SessionId if self.session.is_none() => Value::UInt(0),
            other => self.session.map_or(Value::Null, |session| self.of_session(other, session)),
        }
    }

    fn utc_us(&self) -> i64 {
        self.engine.now_us().0
    }
}
