//! Containment of databases: when a database may become contained, or stop being so.
//!
//! What always holds: a database is contained only where the server's option `contained database authentication` was on; one that
//! has users with passwords stays contained.

use millpond_catalog::security::Authentication;
use millpond_engine::context::RunContext;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::DatabaseFlag;
use millpond_storage::settings::options::OptionId;
use millpond_tsql::ast::NamedOption;

/// 12824: `verb` is what is done with the database.
///
/// # Errors
/// 12824
pub fn check_allowed(ctx: &RunContext, verb: &str) -> SqlResult<()> {
    match ctx.engine.instance().settings().is_on(OptionId::ContainedDatabaseAuthentication) {
        true => Ok(()),
        false => Err(SqlError::of(12_824, 1, &[&verb])),
    }
}

/// What SET CONTAINMENT needs, if it is among the options.
///
/// # Errors
/// 5058 for a database of the system; 12824 and 12809, and after them 5069.
pub fn check_altered(ctx: &RunContext, id: DbId, name: &str, options: &[&NamedOption]) -> SqlResult<()> {
    let Some(option) = options.iter().find(|option| option.name == "CONTAINMENT") else { return Ok(()) };
    if id.0 < 5 {
        return Err(SqlError::of(5058, 1, &[&option.name, &format_args!(" in database '{name}'")]));
    }
    let failed = |error| SqlError::of(5069, 1, &[&""]).after(error);
    if option.is("PARTIAL") {
        return check_allowed(ctx, "alter").map_err(failed);
    }
    let objects = ctx.engine.databases().dictionary(id)?.catalog().objects();
    match objects.security().principals().any(|user| user.authentication == Authentication::Database) {
        true => Err(failed(SqlError::of(12_809, 1, &[]))),
        false => Ok(()),
    }
}

/// What RECONFIGURE needs where it turns contained authentication off.
///
/// # Errors
/// 12818 while there are contained databases, without OVERRIDE.
pub fn check_reconfigured(ctx: &RunContext, with_override: bool) -> SqlResult<()> {
    let instance = ctx.engine.instance();
    let option = OptionId::ContainedDatabaseAuthentication;
    let turns_off = instance.settings().is_on(option)
        && instance.settings().find_option(option.info().name).is_ok_and(|report| report.configured == 0);
    let is_contained = || {
        let mut databases = instance.all_databases().into_iter();
        databases.any(|database| database.options().is_on(DatabaseFlag::PartiallyContained))
    };
    match turns_off && !with_override && is_contained() {
        true => Err(SqlError::of(12_818, 1, &[])),
        false => Ok(()),
    }
}
