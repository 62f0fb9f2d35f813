//! CREATE and DROP DATABASE, ALTER DATABASE … SET and MODIFY NAME.

use millpond_storage::alter_error::AlterDatabaseError;
use millpond_storage::contract::DbId;
use millpond_storage::database_create::CreateDatabaseError;
use millpond_storage::database_options::{
    DatabaseFlag, DatabaseOptions, DelayedDurability, PageVerify, RecoveryModel, UserAccess,
};
use millpond_storage::database_plan::{NewDatabase, NewFile, PlanError};
use millpond_tsql::ast::{
    CreateDatabase, DatabaseOrigin, Expr, ExprKind, FileSpec, Literal, NamedOption, ObjectName, OptionValue,
    Termination,
};

use millpond_txn::Versioning;

use super::admin::{check_spec, growth_of, limit_of, pages, path_of};
use super::batch::BatchRun;
use crate::error::{SqlError, SqlResult};
use crate::message;

impl BatchRun<'_> {
    pub(super) fn create_database(&mut self, create: &CreateDatabase) -> SqlResult<()> {
        self.not_in_transaction("CREATE DATABASE")?;
        if create.origin != DatabaseOrigin::New {
            return Err(message::missing("CREATE DATABASE … FOR ATTACH or AS SNAPSHOT OF"));
        }
        if create.filegroups.is_empty() && !create.log.is_empty() {
            return Err(SqlError::new(
                188,
                15,
                1,
                "Cannot specify a log file in a CREATE DATABASE statement without also specifying at least one data file.",
            ));
        }
        if create.filegroups.iter().skip(1).any(|group| group.contains.is_none() && !group.files.is_empty()) {
            return Err(message::missing("CREATE DATABASE … FILEGROUP"));
        }
        if let Some(name) = &create.collation
            && millpond_types::Collation::by_name(name).is_none()
        {
            return Err(SqlError::new(448, 16, 1, format!("Invalid collation '{name}'.")));
        }
        let files = |specs: &[FileSpec]| specs.iter().map(new_file).collect::<SqlResult<Vec<NewFile>>>();
        let new = NewDatabase {
            name: create.name.clone(),
            data: create.filegroups.first().map_or(Ok(Vec::new()), |group| files(&group.files))?,
            log: files(&create.log)?,
            collation: create.collation.clone(),
        };
        let ask = self.ctx.ask_other();
        let made = self.ctx.engine.instance().create_database(&ask, &new);
        let database = made.map_err(|cause| of_create(&cause, &create.name))?;
        self.ctx.engine.txns().database_opened(database.id());
        // Its system tables are made at once: a full disk is told to whoever asked.
        self.ctx.engine.databases().dictionary(database.id())?;
        self.done_quietly(0);
        Ok(())
    }

    pub(super) fn drop_databases(&mut self, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
        self.not_in_transaction("DROP DATABASE")?;
        for name in names {
            let name = name.parts.last().expect("a name has parts");
            let Some(id) = self.ctx.engine.database_id(name) else {
                if if_exists {
                    continue;
                }
                return Err(message::cannot_drop("database", name));
            };
            if id.0 < 5 {
                return Err(SqlError::new(
                    3708,
                    16,
                    5,
                    format!("Cannot drop the database '{name}' because it is a system database."),
                ));
            }
            if self.users_of(id) > 0 {
                return Err(SqlError::new(
                    3702,
                    16,
                    3,
                    format!("Cannot drop database \"{name}\" because it is currently in use."),
                ));
            }
            self.ctx.engine.databases().forget(id);
            self.ctx.engine.instance().drop_database(id).map_err(|cause| of_alter(&cause, name))?;
            self.ctx.engine.databases().forget(id);
        }
        self.done_quietly(0);
        Ok(())
    }

    /// Sessions that have a database as their current one; this one too.
    fn users_of(&self, id: DbId) -> usize {
        let own = self.ctx.session.id;
        let others = self.ctx.engine.sessions();
        let others = others.iter().filter(|session| session.id != own && session.status.lock().database == id).count();
        others + usize::from(self.ctx.facts.database == id)
    }

    fn not_in_transaction(&self, words: &str) -> SqlResult<()> {
        if self.ctx.facts.tran_count > 0 {
            return Err(SqlError::new(
                226,
                16,
                6,
                format!("{words} statement not allowed within multi-statement transaction."),
            ));
        }
        Ok(())
    }

    pub(super) fn rename_database(&mut self, id: DbId, name: &str) -> SqlResult<()> {
        let old = self.ctx.engine.database_name(id).unwrap_or_default();
        self.ctx.engine.instance().rename_database(id, name).map_err(|cause| of_alter(&cause, &old))?;
        self.ctx.engine.databases().forget(id);
        if self.ctx.facts.database == id {
            self.ctx_mut().facts.database_name = std::sync::Arc::from(name);
        }
        self.inform(5021, format!("The database name '{name}' has been set."));
        self.done_quietly(0);
        Ok(())
    }

    pub(super) fn alter_set(
        &mut self,
        id: DbId,
        options: &[NamedOption],
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let name = self.ctx.engine.database_name(id).unwrap_or_default();
        if id == DbId::TEMPDB {
            let option = options.first().map_or("", |option| option.name.as_str());
            return Err(SqlError::new(5058, 16, 1, format!("Option '{option}' cannot be set in database 'tempdb'.")));
        }
        let mut changed = DatabaseOptions::default();
        for option in options {
            // Known before anything changes.
            apply(&mut changed, option)?;
        }
        let alone =
            options.iter().any(|option| matches!(option.name.as_str(), "SINGLE_USER" | "READ_COMMITTED_SNAPSHOT"));
        if alone && termination.is_some_and(|termination| termination != Termination::NoWait) {
            self.end_others(id);
        }
        let ask = self.ctx.ask_other();
        let instance = self.ctx.engine.instance();
        let set = instance.set_database_options(&ask, id, |known| {
            for option in options {
                // The same options were accepted above.
                let _ = apply(known, option);
            }
        });
        let database = set.map_err(|cause| of_alter(&cause, &name))?;
        let known = database.options();
        let versioning = Versioning {
            read_committed: known.is_on(DatabaseFlag::ReadCommittedSnapshot),
            snapshot: known.is_on(DatabaseFlag::AllowSnapshotIsolation),
        };
        self.ctx.engine.txns().set_versioning(id, versioning);
        self.done_quietly(0);
        Ok(())
    }

    /// WITH ROLLBACK IMMEDIATE: other sessions in the database end.
    fn end_others(&mut self, id: DbId) {
        let own = self.ctx.session.id;
        for session in self.ctx.engine.sessions() {
            if session.id != own && session.status.lock().database == id {
                session.kill();
            }
        }
        self.inform(5060, "Nonqualified transactions are being rolled back. Estimated rollback completion: 100%.");
    }
}

fn new_file(spec: &FileSpec) -> SqlResult<NewFile> {
    check_spec(spec)?;
    let name = spec.name.clone().ok_or_else(|| {
        SqlError::new(1036, 16, 1, "File option NAME is required in this CREATE/ALTER DATABASE statement.")
    })?;
    Ok(NewFile {
        name,
        path: spec.file_name.as_deref().map(path_of).transpose()?,
        size_pages: spec.size_kb.map(pages),
        max_pages: spec.max_size.and_then(limit_of),
        growth: spec.growth.map(growth_of),
    })
}

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
fn apply(options: &mut DatabaseOptions, option: &NamedOption) -> SqlResult<()> {
    let bad = || SqlError::new(5058, 16, 1, format!("Option '{}' cannot be set to that value.", option.name));
    if let Some((_, flag)) = FLAGS.iter().find(|(name, _)| *name == option.name) {
        let on = option.is("ON");
        if !on && !option.is("OFF") && !matches!(option.value, OptionValue::None) {
            return Err(bad());
        }
        options.set(*flag, on || matches!(option.value, OptionValue::None) && !option.details.is_empty());
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
        "ONLINE" => {}
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
        "CURSOR_DEFAULT" => options.set(DatabaseFlag::CursorDefaultLocal, option.is("LOCAL")),
        "PARAMETERIZATION" => options.set(DatabaseFlag::ParameterizationForced, option.is("FORCED")),
        "ENABLE_BROKER" | "NEW_BROKER" => options.set(DatabaseFlag::BrokerEnabled, true),
        "DISABLE_BROKER" | "ERROR_BROKER_CONVERSATIONS" => options.set(DatabaseFlag::BrokerEnabled, false),
        "COMPATIBILITY_LEVEL" => {
            options.compatibility_level = number(&option.value).and_then(|n| u8::try_from(n).ok()).ok_or_else(bad)?;
        }
        "TARGET_RECOVERY_TIME" => {
            let OptionValue::Quantity { amount, unit } = &option.value else { return Err(bad()) };
            let amount = whole(amount).ok_or_else(bad)?;
            let seconds = if unit.starts_with("MINUTE") { amount.saturating_mul(60) } else { amount };
            options.target_recovery_s = u32::try_from(seconds).map_err(|_| bad())?;
        }
        other => return Err(message::missing(&format!("ALTER DATABASE … SET {other}"))),
    }
    Ok(())
}

fn number(value: &OptionValue) -> Option<i64> {
    match value {
        OptionValue::Constant(expr) => whole(expr),
        _ => None,
    }
}

fn whole(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Literal::Integer(digits)) => digits.parse().ok(),
        _ => None,
    }
}

fn of_create(cause: &CreateDatabaseError, name: &str) -> SqlError {
    use CreateDatabaseError as C;
    let (number, text) = match cause {
        C::NameInUse { name } => (1801, format!("Database '{name}' already exists. Choose a different database name.")),
        C::TooManyDatabases => (1835, format!("Unable to create/attach any new database: {cause}.")),
        C::Plan(plan) => (plan_number(plan), format!("{plan}.")),
        C::NoDirectory { path } => (
            5133,
            format!(
                "Directory lookup for the file \"{}\" failed with the operating system error 2(No such file or directory).",
                path.display()
            ),
        ),
        C::FileExists { path } => (
            5170,
            format!(
                "Cannot create file '{}' because it already exists. Change the file path or the file name, and retry the operation.",
                path.display()
            ),
        ),
        C::Create { path, reason } => (
            5123,
            format!(
                "CREATE FILE encountered operating system error {reason} while attempting to open or create the physical file '{}'.",
                path.display()
            ),
        ),
        C::Settings(cause) => return message::of_settings(cause),
        C::NoChance(_) => (1802, format!("CREATE DATABASE '{name}' failed: {cause}.")),
    };
    SqlError::new(number, 16, 1, text)
}

fn plan_number(cause: &PlanError) -> i32 {
    match cause {
        PlanError::Name(name) if name.is_empty() => 1038,
        PlanError::Name(_) | PlanError::FileName(_) => 103,
        PlanError::NameTwice(_) => 1828,
        PlanError::Path(_) => 5105,
        PlanError::PrimaryTooSmall { .. } => 1803,
        PlanError::TooSmall { .. } => 5174,
        PlanError::MaxBelowSize { .. } => 5103,
        PlanError::GrowthAboveMax { .. } => 5169,
        PlanError::TooManyFiles => 5033,
    }
}

fn of_alter(cause: &AlterDatabaseError, name: &str) -> SqlError {
    use AlterDatabaseError as A;
    let (number, text) = match cause {
        A::NoDatabase { .. } => return message::unknown_database(name),
        A::OfTheSystem { .. } => {
            (5058, format!("Option or name of database '{name}' cannot be set: it is a system database."))
        }
        A::NameInUse { name } => (1801, format!("Database '{name}' already exists. Choose a different database name.")),
        A::BadName { name } => (103, format!("'{name}' is no name for a database.")),
        A::Unavailable(cause) => return message::of_unavailable(cause),
        A::Settings(cause) => return message::of_settings(cause),
        A::TooManyDatabases => (1835, format!("{cause}.")),
        A::File { .. } | A::Boot(_) | A::Checkpoint(_) | A::NotADatabase => {
            (5069, format!("ALTER DATABASE statement failed: {cause}."))
        }
    };
    SqlError::new(number, 16, 1, text)
}
