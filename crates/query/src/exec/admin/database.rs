//! CREATE and DROP DATABASE, MODIFY NAME, and which option of ALTER DATABASE … SET means what.

use std::path::{Path, PathBuf};

use millpond_message as message;
use millpond_message::backup::{of_alter, of_create};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{
    DatabaseFlag, DatabaseOptions, DelayedDurability, PageVerify, RecoveryModel, UserAccess,
};
use millpond_storage::database::plan::{NewDatabase, NewFile};
use millpond_storage::database::{alter, create};
use millpond_tsql::ast::{
    CreateDatabase, DatabaseOrigin, FileSpec, NamedOption, ObjectName, OptionValue, whole_number,
};

use crate::exec::admin::{check_spec, databases, growth_of, limit_of, pages, path_of, snapshot, users};
use crate::exec::batch::BatchRun;
use crate::exec::security;
use millpond_rights::containment;

pub(in crate::exec) fn create_database(run: &mut BatchRun<'_>, create: &CreateDatabase) -> SqlResult<()> {
    not_in_transaction(run, "CREATE DATABASE")?;
    match &create.origin {
        DatabaseOrigin::New => {}
        DatabaseOrigin::Attach => return attach_database(run, create),
        DatabaseOrigin::AttachRebuildLog => {
            return Err(message::missing("CREATE DATABASE … FOR ATTACH_REBUILD_LOG"));
        }
        DatabaseOrigin::Snapshot(source) => return snapshot::create(run, create, source),
    }
    let is_contained = match create.containment.as_deref() {
        None | Some("NONE") => false,
        Some("PARTIAL") => containment::check_allowed(&run.ctx, "create").map(|()| true)?,
        Some(other) => return Err(message::syntax_near(other)),
    };
    // What a database is made with is what ALTER DATABASE sets, but for options of what is not there.
    if let Some(option) = create.options.iter().find(|option| option.name == "LEDGER" && !option.is("OFF")) {
        return Err(message::missing(&format!("CREATE DATABASE … WITH {}", option.name)));
    }
    if create.filegroups.is_empty() && !create.log.is_empty() {
        return Err(SqlError::of(188, 1, &[]));
    }
    if create.filegroups.iter().skip(1).any(|group| group.contains.is_none() && !group.files.is_empty()) {
        return Err(message::missing("CREATE DATABASE … FILEGROUP"));
    }
    if let Some(name) = &create.collation {
        // Its literals, variables, columns and names would be of it.
        match millpond_types::Collation::by_name(name) {
            Some(collation) if collation == millpond_types::Collation::default() => {}
            Some(_) => return Err(message::missing(&format!("A database of the collation {name}"))),
            None => return Err(message::invalid_collation(name)),
        }
    }
    let files = |specs: &[FileSpec]| specs.iter().map(new_file).collect::<SqlResult<Vec<NewFile>>>();
    let new = NewDatabase {
        name: create.name.clone(),
        data: create.filegroups.first().map_or(Ok(Vec::new()), |group| files(&group.files))?,
        log: files(&create.log)?,
        collation: create.collation.clone(),
    };
    let ask = run.ctx.ask_other();
    let made = create::create_database(databases(&run.ctx), &ask, &new);
    let database = made.map_err(|cause| of_create(&cause, &create.name))?;
    if is_contained {
        let contained = |options: &mut DatabaseOptions| options.set(DatabaseFlag::PartiallyContained, true);
        let set = alter::set_database_options(databases(&run.ctx), &ask, database.id(), contained);
        set.map_err(|cause| of_alter(&cause, &create.name))?;
    }
    // Its system tables are made at once: a full disk is the statement's error.
    users::opened(run, &database)?;
    security::own_database(run, database.id(), &create.name)?;
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn drop_databases(run: &mut BatchRun<'_>, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
    not_in_transaction(run, "DROP DATABASE")?;
    for name in names {
        let name = name.last();
        let Some(id) = run.ctx.engine.database_id(name) else {
            if if_exists {
                continue;
            }
            return Err(message::cannot_drop("database", name));
        };
        if id.0 < 5 {
            return Err(SqlError::of(3708, 5, &[&"drop", &"database", &name, &"database"]));
        }
        if users::users_of(run, id) > 0 {
            return Err(SqlError::of(3702, 3, &[&name]));
        }
        users::drop_unused(run, id).map_err(|cause| of_alter(&cause, name))?;
    }
    run.done_without_count();
    Ok(())
}

pub(in crate::exec) fn not_in_transaction(run: &BatchRun<'_>, words: &str) -> SqlResult<()> {
    if run.ctx.facts.tran_count > 0 {
        return Err(SqlError::of(226, 6, &[&words]));
    }
    Ok(())
}

pub(in crate::exec) fn rename_database(run: &mut BatchRun<'_>, id: DbId, name: &str) -> SqlResult<()> {
    let old = run.ctx.engine.database_name(id).unwrap_or_default();
    if !users::others_in(run, id).is_empty() {
        return Err(SqlError::of(5030, 2, &[]));
    }
    alter::rename_database(databases(&run.ctx), id, name).map_err(|cause| of_alter(&cause, &old))?;
    run.ctx.engine.databases().forget(id);
    if run.ctx.facts.database == id {
        run.ctx_mut().facts.database_name = std::sync::Arc::from(name);
    }
    run.inform(5021, &[&"database", &name]);
    run.done_without_count();
    Ok(())
}

fn new_file(spec: &FileSpec) -> SqlResult<NewFile> {
    check_spec(spec)?;
    let name = spec.name.clone().ok_or_else(|| SqlError::of(1036, 1, &[]))?;
    Ok(NewFile {
        name,
        path: spec.file_name.as_deref().map(path_of).transpose()?,
        size_pages: spec.size_kb.map(pages),
        max_pages: spec.max_size.and_then(limit_of),
        growth: spec.growth.map(growth_of),
    })
}

/// Those of the versions that SQL Server 2022 can stand in for.
const COMPATIBILITY_LEVELS: [u8; 7] = [100, 110, 120, 130, 140, 150, 160];

/// The flags that are ON or OFF under their own name.
const FLAGS: [(&str, DatabaseFlag); 25] = [
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
    ("QUERY_STORE", DatabaseFlag::QueryStore),
    ("ACCELERATED_DATABASE_RECOVERY", DatabaseFlag::AcceleratedDatabaseRecovery),
];

/// One option of SET.
pub(in crate::exec) fn apply(options: &mut DatabaseOptions, option: &NamedOption) -> SqlResult<()> {
    let bad = || SqlError::of(5058, 1, &[&option.name, &" to that value"]);
    if let Some((_, flag)) = FLAGS.iter().find(|(name, _)| *name == option.name) {
        // There is nothing to clear.
        if *flag == DatabaseFlag::QueryStore && (option.is("CLEAR") || option.is("CLEAR ALL")) {
            return Ok(());
        }
        // QUERY_STORE (…) is ON.
        let on = option.is("ON") || matches!(option.value, OptionValue::None) && !option.details.is_empty();
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

fn number(value: &OptionValue) -> Option<i64> {
    match value {
        OptionValue::Constant(expr) => whole_number(expr),
        _ => None,
    }
}

/// FOR ATTACH. Where only data files are named, the log is looked for beside the first of them.
fn attach_database(run: &mut BatchRun<'_>, create: &CreateDatabase) -> SqlResult<()> {
    let specs = create.filegroups.iter().flat_map(|group| &group.files).chain(&create.log);
    let mut paths = Vec::new();
    for spec in specs {
        let path = spec.file_name.as_deref().ok_or_else(|| SqlError::of(1037, 1, &[]))?;
        paths.push(path_of(path)?);
    }
    if create.log.is_empty()
        && let Some(log) = paths.first().and_then(|primary| beside(primary))
        && !paths.contains(&log)
    {
        paths.push(log);
    }
    let ask = run.ctx.ask_other();
    let attached = alter::attach_database(databases(&run.ctx), &ask, &create.name, &paths);
    users::opened(run, &*attached.map_err(|cause| of_alter(&cause, &create.name))?)?;
    run.done_without_count();
    Ok(())
}

/// The log that lies beside a primary file under one of the usual names.
pub(in crate::exec) fn beside(primary: &Path) -> Option<PathBuf> {
    let stem = primary.file_stem()?.to_string_lossy().into_owned();
    let names = [format!("{stem}_log.ldf"), format!("{stem}.ldf")];
    names.iter().map(|name| primary.with_file_name(name)).find(|path| path.exists())
}
