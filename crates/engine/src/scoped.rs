//! ALTER DATABASE SCOPED CONFIGURATION, of the current database.
//!
//! What always holds: it changes at once, whatever the caller's transaction does; a value that the option does not take changes
//! nothing.

use millpond_catalog::dictionary::change_scoped_configuration;
use millpond_catalog::scoped_configuration::ScopedOption;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{OptionValue, ScopedConfiguration, whole_number};

use crate::context::RunContext;
use crate::engine::Engine;

/// Does what the statement says.
///
/// # Errors
/// 102 for an option or a value that there is not; 40517 for CLEAR of one plan; those of a database that cannot be changed.
pub fn alter(ctx: &RunContext, said: &ScopedConfiguration) -> SqlResult<()> {
    let option = &said.option;
    if said.clear {
        return match (option.name.as_str(), &option.value) {
            ("PROCEDURE_CACHE", OptionValue::None) => {
                ctx.engine.clear_cache();
                Ok(())
            }
            ("PROCEDURE_CACHE", _) => Err(message::missing("ALTER DATABASE SCOPED CONFIGURATION CLEAR of one plan")),
            (other, _) => Err(message::syntax_near(other)),
        };
    }
    let def = ScopedOption::named(&option.name).ok_or_else(|| message::syntax_near(&option.name))?;
    let text = match &option.value {
        OptionValue::On => "ON".to_owned(),
        OptionValue::Off => "OFF".to_owned(),
        OptionValue::Words(words) => words.clone(),
        OptionValue::Constant(number) => whole_number(number).map(|number| number.to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    // The secondary is to have what the database has.
    let is_primary = said.secondary && text.eq_ignore_ascii_case("PRIMARY");
    let kept = if is_primary { None } else { Some(def.kept(&text).ok_or_else(|| message::syntax_near(&text))?) };
    if ctx.facts.database == DbId::TEMPDB {
        return Err(SqlError::of(5058, 1, &[&def.name, &" in database 'tempdb'"]));
    }
    let databases = ctx.engine.databases();
    let dictionary = databases.dictionary(ctx.facts.database)?;
    databases.on_own_account(|io| {
        change_scoped_configuration(&dictionary, io, |configuration| {
            let value = configuration.0.entry(def.id).or_default();
            if said.secondary {
                value.for_secondary = kept;
            } else {
                value.value = kept;
            }
        })
    })
}

/// MAXDOP of the current database; none: the server's.
#[must_use]
pub fn max_degree(ctx: &RunContext) -> Option<u32> {
    let dictionary = ctx.engine.databases().dictionary(ctx.facts.database).ok()?;
    Some(dictionary.catalog().objects().scoped.max_degree()).filter(|most| *most > 0)
}

/// LAST_QUERY_PLAN_STATS of a database: whether `sys.dm_exec_query_plan_stats` shows plans of texts that run in it.
#[must_use]
pub fn keeps_last_plans(engine: &Engine, database: DbId) -> bool {
    let dictionary = engine.databases().dictionary(database);
    dictionary.is_ok_and(|dictionary| dictionary.catalog().objects().scoped.keeps_last_plans())
}

/// VERBOSE_TRUNCATION_WARNINGS of the current database: whether an error names the column for which a text is too long.
#[must_use]
pub fn tells_truncated(ctx: &RunContext) -> bool {
    let dictionary = ctx.engine.databases().dictionary(ctx.facts.database);
    dictionary.map_or(true, |dictionary| dictionary.catalog().objects().scoped.tells_truncated())
}

/// What is said of a text that is too long for a column: 2628 with the place, or 8152 where the current database wants no more.
#[must_use]
pub fn truncated(ctx: &RunContext, table: &str, column: &str, value: &str) -> SqlError {
    if tells_truncated(ctx) { message::truncated(table, column, value) } else { message::truncated_somewhere() }
}
