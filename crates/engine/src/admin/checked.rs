//! What remains of DBCC CHECKDB: a line in the error log, and when it found nothing wrong, in the database's boot page.

use millpond_catalog::dictionary::{Dictionary, note_good_check};
use millpond_message::error::SqlError;
use millpond_storage::contract::DbId;
use millpond_storage::database::DatabaseState;
use millpond_storage::database::options::DatabaseFlag;

use crate::context::RunContext;

/// The command that looks at all of a database.
const WHOLE: &str = "CHECKDB";

/// A command that began then, by the engine's clock, has found so many errors in a database.
pub fn note_check(ctx: &RunContext, dictionary: &Dictionary, command: &str, (began_us, errors): (u64, u64)) {
    let engine = &ctx.engine;
    let storage = dictionary.storage();
    let may_change = dictionary.database() != DbId::TEMPDB
        && !storage.origin().is_snapshot()
        && storage.state() == DatabaseState::Online
        && !storage.options().is_on(DatabaseFlag::ReadOnly);
    if command == WHOLE && errors == 0 && may_change {
        // A database that cannot be changed keeps what it said before.
        let _ = note_good_check(storage, &ctx.ask_other(), engine.now_us().0);
    }
    let seconds = engine.clock_us().saturating_sub(began_us) / 1_000_000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let login = &ctx.facts.security.login_name;
    let args: [&dyn std::fmt::Display; 8] =
        [&command, &dictionary.name(), login, &errors, &0, &hours, &minutes, &seconds];
    engine.log_error(SqlError::of(8957, 1, &args));
}
