//! What the server itself does in msdb: as its owner, in a session beside the one that wants it.
//!
//! What always holds: the work is done as dbo of msdb, who has no rights outside of it, so that triggers and functions which users of
//! msdb put behind its tables gain nothing elsewhere; and it is a transaction of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_catalog::security::Securable;
use millpond_catalog::{ModuleDef, SchemaId};
use millpond_code::text_variables::Parameters;
use millpond_engine::context::RunContext;
use millpond_engine::engine::Engine;
use millpond_engine::security::{denied_on_object, may};
use millpond_engine::session_shared::SessionShared;
use millpond_engine::system_call::MsdbPart;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{DoneKind, Message, OnlyMessages};
use millpond_storage::contract::DbId;

use crate::exec::batch::contexts;
use crate::session::Session;

/// Errors of making a table after which it may succeed: another session has made it meanwhile, or was waited for in a circle.
const PASSING: [i32; 2] = [2714, 1205];

/// How long a session waits for another one that makes the tables.
const MAKING_MAX: Duration = Duration::from_secs(10);
/// How often tables are made that others make at the same time.
const TRIES: usize = 8;

/// The owner of msdb at work.
pub(super) struct Owner {
    session: Session,
    begin: String,
}

impl Owner {
    /// Beside a session, and waiting for locks as long as that one does.
    pub(super) fn new(engine: &Arc<Engine>, beside: &SessionShared, lock_timeout_ms: i32) -> Owner {
        let mut session = Session::inner(engine, beside);
        session.facts.enter(engine.current_database(DbId::MSDB));
        let begin = format!("EXECUTE AS USER = N'dbo';\nSET LOCK_TIMEOUT {lock_timeout_ms};\n");
        Owner { session, begin }
    }

    /// Runs a text; its errors, if it had any.
    pub(super) fn run(&mut self, text: &str) -> Result<(), Vec<Message>> {
        let mut causes = Vec::new();
        let mut sink = OnlyMessages(|sent: &Message| {
            if sent.severity > 10 {
                causes.push(sent.clone());
            }
        });
        let text = format!("{}{text}", self.begin);
        let finished = self.session.run_text(&text, Parameters::default(), DoneKind::InProcedure, &mut sink);
        let succeeded = !finished.ends_batch && self.session.facts.error == 0;
        if succeeded { Ok(()) } else { Err(causes) }
    }

    /// Runs a text that makes tables which are not there, again where others make them meanwhile; at most so often.
    pub(super) fn make(&mut self, tables: &str, tries: usize) -> Result<(), Vec<Message>> {
        let mut made = self.run(tables);
        for _ in 1..tries {
            match &made {
                Err(causes) if causes.iter().any(|cause| PASSING.contains(&cause.number)) => made = self.run(tables),
                _ => break,
            }
        }
        made
    }
}

/// Sees to it that the caller may call a procedure of msdb, and that the tables of its part are there.
///
/// # Errors
/// 229, 916; what the tables cannot be made for.
pub(in crate::exec) fn prepare(session: &mut Session, part: &MsdbPart, def: &ModuleDef) -> SqlResult<()> {
    let msdb = session.engine.databases().dictionary(DbId::MSDB)?;
    let ctx = contexts::bare(session);
    // An object of the user's has its name where msdb is of a time before the procedures were objects.
    let is_object = msdb.catalog().objects().get(def.id).is_some();
    if !is_object && !may(&ctx, DbId::MSDB, "EXECUTE", Securable::DATABASE)? {
        let database = ctx.engine.database_name(DbId::MSDB).unwrap_or_default();
        return Err(denied_on_object("EXECUTE", &def.name, &database, "dbo"));
    }
    millpond_rights::needs::check_call(&ctx, DbId::MSDB, def.id)?;
    let Some(sign) = part.sign else { return Ok(()) };
    // One session makes the tables, and the others wait for it until they are cancelled. That one may wait for a lock of a session that
    // waits here, a circle that no search for deadlocks sees: so the wait ends some time.
    let deadline = Instant::now() + MAKING_MAX;
    let mut made = part.making.try_lock();
    while made.is_none() && Instant::now() < deadline && !session.shared.task.is_cancelled() {
        made = part.making.try_lock_for(Duration::from_millis(5));
    }
    if msdb.catalog().objects().find(SchemaId::DBO, sign).is_some() {
        return Ok(());
    }
    let mut owner = Owner::new(&session.engine, &session.shared, session.facts.settings.lock_timeout);
    let text = format!("SET XACT_ABORT, NOCOUNT ON;\nBEGIN TRANSACTION;\n{}\nCOMMIT;\n", part.tables);
    owner.make(&text, TRIES).map_err(first_of)
}

fn first_of(causes: Vec<Message>) -> SqlError {
    match causes.into_iter().next() {
        Some(cause) => SqlError::raised(cause.number, cause.severity, cause.state, cause.text),
        None => millpond_message::cancelled(),
    }
}

/// 15170 for a login that owns jobs, those of open transactions too.
pub(in crate::exec) fn check_owns_no_jobs(ctx: &RunContext, sid: &[u8]) -> SqlResult<()> {
    let text = format!(
        "DECLARE @jobs int = (SELECT COUNT(*) FROM dbo.sysjobs WITH (NOLOCK) WHERE owner_sid = {});
        IF @jobs > 0 RAISERROR (N'%d', 16, 1, @jobs);",
        millpond_types::format::hex(sid)
    );
    let ran = Owner::new(&ctx.engine, &ctx.session, ctx.facts.settings.lock_timeout).run(&text);
    ran.map_err(first_of).map_err(|cause| match cause.number {
        50_000 => SqlError::of(15_170, 1, &[&cause.text]),
        _ => cause,
    })
}
