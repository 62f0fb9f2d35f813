//! Which option of ALTER DATABASE … SET means what.
//!
//! What always holds: an option that is not understood changes nothing. It does not know who is in the database.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::database::options::{
    DatabaseFlag, DatabaseOptions, DelayedDurability, PageVerify, RecoveryModel, UserAccess,
};
use millpond_tsql::ast::{NamedOption, OptionValue, whole_number};

use crate::account::query_store::{self, options::StoreOptions};
use crate::context::RunContext;
use crate::error_log::{LogLine, LogSource};

/// Those of the versions that SQL Server 2022 can stand in for.
const COMPATIBILITY_LEVELS: [u8; 7] = [100, 110, 120, 130, 140, 150, 160];

/// The flags that are ON or OFF under their own name.
const FLAGS: [(&str, DatabaseFlag); 24] = [
    ("READ_COMMITTED_SNAPSHOT", DatabaseFlag::ReadCommittedSnapshot),
    ("ALLOW_SNAPSHOT_ISOLATION", DatabaseFlag::AllowSnapshotIsolation),
    ("AUTO_CLOSE", DatabaseFlag::AutoClose),
    ("AUTO_SHRINK", DatabaseFlag::AutoShrink),
    ("AUTO_CREATE_STATISTICS", DatabaseFlag::AutoCreateStatistics),
    ("AUTO_UPDATE_STATISTICS", DatabaseFlag::AutoUpdateStatistics),
    ("AUTO_UPDATE_STATISTICS_ASYNC", DatabaseFlag::AutoUpdateStatisticsAsync),
    ("ANSI_NULL_DEFAULT", DatabaseFlag::AnsiNullDefault),
    ("ANSI_NULLS", DatabaseFlag::AnsiNulls),
    ("ANSI_PADDING", DatabaseFlag::AnsiPadding),
    ("ANSI_WARNINGS", DatabaseFlag::AnsiWarnings),
    ("ARITHABORT", DatabaseFlag::ArithAbort),
    ("CONCAT_NULL_YIELDS_NULL", DatabaseFlag::ConcatNullYieldsNull),
    ("NUMERIC_ROUNDABORT", DatabaseFlag::NumericRoundAbort),
    ("QUOTED_IDENTIFIER", DatabaseFlag::QuotedIdentifier),
    ("RECURSIVE_TRIGGERS", DatabaseFlag::RecursiveTriggers),
    ("CURSOR_CLOSE_ON_COMMIT", DatabaseFlag::CursorCloseOnCommit),
    ("TRUSTWORTHY", DatabaseFlag::Trustworthy),
    ("DB_CHAINING", DatabaseFlag::DbChaining),
    ("HONOR_BROKER_PRIORITY", DatabaseFlag::HonorBrokerPriority),
    ("DATE_CORRELATION_OPTIMIZATION", DatabaseFlag::DateCorrelationOptimization),
    ("MIXED_PAGE_ALLOCATION", DatabaseFlag::MixedPageAllocation),
    ("MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT", DatabaseFlag::MemoryOptimizedElevateToSnapshot),
    ("ACCELERATED_DATABASE_RECOVERY", DatabaseFlag::AcceleratedDatabaseRecovery),
];

/// One option of SET.
///
/// # Errors
/// 5058 for a value that the option does not take, 15048 for a compatibility level that there is not; 40517 for other options.
pub fn apply(options: &mut DatabaseOptions, option: &NamedOption) -> SqlResult<()> {
    let bad = || SqlError::of(5058, 1, &[&option.name, &" to that value"]);
    if let Some((_, flag)) = FLAGS.iter().find(|(name, _)| *name == option.name) {
        let on = option.is("ON");
        if !on && !option.is("OFF") {
            return Err(bad());
        }
        options.set(*flag, on);
        if *flag == DatabaseFlag::AutoCreateStatistics {
            let by_parts = option.details.iter().any(|detail| detail.name == "INCREMENTAL" && detail.is("ON"));
            options.set(DatabaseFlag::AutoCreateStatisticsIncremental, on && by_parts);
        }
        return Ok(());
    }
    let any = |words: &[(&str, u8)]| words.iter().find(|(word, _)| option.is(word)).map(|(_, value)| *value);
    match option.name.as_str() {
        "QUERY_STORE" => {
            let was_on = options.is_on(DatabaseFlag::QueryStore);
            let (on, _) = query_store::options::changed(was_on, StoreOptions::default(), option)?;
            options.set(DatabaseFlag::QueryStore, on);
        }
        "RECOVERY" => {
            options.recovery = match any(&[("SIMPLE", 0), ("FULL", 1), ("BULK_LOGGED", 2)]).ok_or_else(bad)? {
                0 => RecoveryModel::Simple,
                1 => RecoveryModel::Full,
                _ => RecoveryModel::BulkLogged,
            };
        }
        "SINGLE_USER" => options.access = UserAccess::Single,
        "MULTI_USER" => options.access = UserAccess::Multi,
        "RESTRICTED_USER" => options.access = UserAccess::Restricted,
        "READ_ONLY" => options.set(DatabaseFlag::ReadOnly, true),
        "READ_WRITE" => options.set(DatabaseFlag::ReadOnly, false),
        // What scripts of whole databases say of one without files in tables.
        "FILESTREAM" if option.details.iter().all(|one| one.name == "NON_TRANSACTED_ACCESS" && one.is("OFF")) => {}
        "DELAYED_DURABILITY" => {
            options.delayed_durability = match any(&[("DISABLED", 0), ("ALLOWED", 1), ("FORCED", 2)]).ok_or_else(bad)? {
                0 => DelayedDurability::Disabled,
                1 => DelayedDurability::Allowed,
                _ => DelayedDurability::Forced,
            };
        }
        "PAGE_VERIFY" => {
            options.page_verify =
                match any(&[("NONE", 0), ("TORN_PAGE_DETECTION", 1), ("CHECKSUM", 2)]).ok_or_else(bad)? {
                    0 => PageVerify::None,
                    1 => PageVerify::TornPageDetection,
                    _ => PageVerify::Checksum,
                };
        }
        "TORN_PAGE_DETECTION" => {
            options.page_verify = match any(&[("ON", 1), ("OFF", 0)]).ok_or_else(bad)? {
                0 => PageVerify::None,
                _ => PageVerify::TornPageDetection,
            };
        }
        "TEMPORAL_HISTORY_RETENTION" => {
            let on = any(&[("ON", 1), ("OFF", 0)]).ok_or_else(bad)?;
            options.set(DatabaseFlag::TemporalHistoryKept, on == 0);
        }
        "CURSOR_DEFAULT" => {
            let local = any(&[("GLOBAL", 0), ("LOCAL", 1)]).ok_or_else(bad)?;
            options.set(DatabaseFlag::CursorDefaultLocal, local == 1);
        }
        "PARAMETERIZATION" => {
            let forced = any(&[("SIMPLE", 0), ("FORCED", 1)]).ok_or_else(bad)?;
            options.set(DatabaseFlag::ParameterizationForced, forced == 1);
        }
        "CONTAINMENT" => {
            let partial = any(&[("NONE", 0), ("PARTIAL", 1)]).ok_or_else(bad)?;
            options.set(DatabaseFlag::PartiallyContained, partial == 1);
        }
        "ENABLE_BROKER" | "NEW_BROKER" => options.set(DatabaseFlag::BrokerEnabled, true),
        "DISABLE_BROKER" | "ERROR_BROKER_CONVERSATIONS" => options.set(DatabaseFlag::BrokerEnabled, false),
        "COMPATIBILITY_LEVEL" => {
            let level = number(&option.value).ok_or_else(bad)?;
            let known = COMPATIBILITY_LEVELS.iter().find(|known| i64::from(**known) == level);
            options.compatibility_level = *known.ok_or_else(|| SqlError::of(15_048, 1, &[]))?;
        }
        "TARGET_RECOVERY_TIME" => {
            let OptionValue::Quantity { amount, unit } = &option.value else { return Err(bad()) };
            let amount = whole_number(amount).ok_or_else(bad)?;
            let seconds = if unit.starts_with("MINUTE") { amount.saturating_mul(60) } else { amount };
            options.target_recovery_s = u32::try_from(seconds).map_err(|_| bad())?;
        }
        other => return Err(message::missing(&format!("ALTER DATABASE … SET {other}"))),
    }
    Ok(())
}

/// The error log says what was set, in SQL Server's words; `state` is ONLINE, OFFLINE or EMERGENCY.
pub fn log_set(ctx: &RunContext, database: &str, state: Option<&str>, options: &[&NamedOption]) {
    let value = |option: &NamedOption| match &option.value {
        OptionValue::On => Some("ON".to_owned()),
        OptionValue::Off => Some("OFF".to_owned()),
        OptionValue::Words(words) => Some(words.to_uppercase()),
        OptionValue::Constant(expr) => whole_number(expr).map(|number| number.to_string()),
        OptionValue::Quantity { amount, unit } => whole_number(amount).map(|amount| format!("{amount} {unit}")),
        OptionValue::None | OptionValue::Name(_) => None,
    };
    let set = |option: &&NamedOption| match value(option) {
        Some(value) => format!("{} to {value}", option.name),
        None => option.name.clone(),
    };
    let texts = state.map(str::to_owned).into_iter().chain(options.iter().map(set));
    let (local_us, source) = (ctx.engine.now_us().1, LogSource::Session(ctx.facts.session));
    for text in texts {
        let text = format!("Setting database option {text} for database '{database}'.");
        ctx.engine.error_log().add(LogLine::plain(local_us, source, text));
    }
}

fn number(value: &OptionValue) -> Option<i64> {
    match value {
        OptionValue::Constant(expr) => whole_number(expr),
        _ => None,
    }
}
